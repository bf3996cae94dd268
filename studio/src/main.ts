/* The page begins here: theme, workspace, shell. */
import "./style/base.css";
import "./style/shell.css";
import "./style/picture.css";
import "./style/source.css";
import "./style/pictures.css";
import "./style/facts.css";
import "./style/simulate.css";
import "./style/scenarios.css";
import "./style/versions.css";
import "./style/verify.css";
import "./style/run.css";
import "uplot/dist/uPlot.min.css";
import "./style/live.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { EXAMPLES } from "./examples";
import { theme } from "./state/theme.svelte";
import { DRAFT, workspace } from "./state/workspace.svelte";
import { VIEWS } from "./views";

theme.show();
const shared = /[?&]w=([\w-]+)/.exec(location.hash)?.[1] ?? null;
void workspace.start(shared, EXAMPLES[0]!);
if (shared !== null) {
  history.replaceState(null, "", location.hash.replace(/[?&]w=[\w-]+/, "") || "#/source");
}
/* What the other views need is fetched while nobody waits: the page then works without its server. */
async function fetchRest(): Promise<void> {
  await Promise.allSettled(VIEWS.map((view) => view.load()));
  performance.mark("studio.rest");
}
if (!(navigator as { connection?: { saveData?: boolean } }).connection?.saveData) {
  addEventListener("load", () => setTimeout(() => void fetchRest(), 1500));
}
/* Two tabs share one draft. Who types last keeps it, and the other is told. */
addEventListener("storage", (event) => event.key === DRAFT && workspace.overtaken());
mount(App, { target: document.getElementById("studio")! });
