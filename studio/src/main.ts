/* The page begins here: theme, workspace, shell. */
import "./style/base.css";
import "./style/shell.css";
import "./style/picture.css";
import "./style/source.css";
import "./style/pictures.css";
import "./style/facts.css";
import "./style/simulate.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { EXAMPLES } from "./examples";
import { theme } from "./state/theme.svelte";
import { workspace } from "./state/workspace.svelte";

theme.show();
const shared = /[?&]w=([\w-]+)/.exec(location.hash)?.[1] ?? null;
void workspace.start(shared, EXAMPLES[0]!);
if (shared !== null) {
  history.replaceState(null, "", location.hash.replace(/[?&]w=[\w-]+/, "") || "#/source");
}
mount(App, { target: document.getElementById("studio")! });
