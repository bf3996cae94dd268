/* The page begins here: theme, workspace, shell. */
import "./style/base.css";
import "./style/shell.css";
import "./style/picture.css";
import "./style/source.css";
import "./style/pictures.css";
import "./style/facts.css";
import "./style/simulate.css";
import "./style/scenarios.css";
import "./style/ask.css";
import "./style/versions.css";
import "./style/verify.css";
import "./style/run.css";
import "uplot/dist/uPlot.min.css";
import "./style/live.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { EXAMPLES } from "./examples";
import { theme } from "./state/theme.svelte";
import { LINK } from "./state/share";
import { workspace } from "./state/workspace.svelte";
import { VIEWS } from "./views";

theme.show();
/** A workspace that stands in the address, which is then taken out of it. */
function linked(): string | null {
  const packed = LINK.exec(location.hash)?.[1] ?? null;
  if (packed !== null) {
    history.replaceState(null, "", location.hash.replace(LINK, "") || "#/source");
  }
  return packed;
}
const shared = linked();
const secret = /[?&]key=([\w-]+)/.exec(location.hash)?.[1] ?? null;
/* `motet studio` says with the page that it has files for it. */
const [visit] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
if (visit?.serverTiming.some((t) => t.name === "motet-local")) {
  if (secret !== null) {
    history.replaceState(null, "", location.hash.replace(/[?&]key=[\w-]+/, ""));
  }
  void import("./state/local.svelte").then(({ local }) => local.start(secret));
} else {
  void workspace.start(shared, EXAMPLES[0]!);
}
/* A link that is pasted where the page is open already loads nothing anew. */
addEventListener("hashchange", () => {
  const packed = linked();
  if (packed !== null && !workspace.disk) {
    void workspace.follow(packed);
  }
});
/* What the other views need is fetched while nobody waits: the page then works without its server. */
async function fetchRest(): Promise<void> {
  await Promise.allSettled([...VIEWS.map((view) => view.load()), import("./editor/language")]);
  performance.mark("studio.rest");
}
if (!(navigator as { connection?: { saveData?: boolean } }).connection?.saveData) {
  addEventListener("load", () => setTimeout(() => void fetchRest(), 1500));
}
/* Two tabs share one draft. Who types last keeps it, and the other is told. */
addEventListener("storage", (event) => event.key === workspace.key && !workspace.disk && workspace.overtaken());
mount(App, { target: document.getElementById("studio")! });
