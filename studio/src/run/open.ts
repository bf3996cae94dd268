/* Files that were dropped onto the page, for the view that is shown. */
import { agentRun } from "./agent.svelte";
import { graphRun } from "./graph.svelte";

export async function openRun(list: readonly File[]): Promise<void> {
  await (location.hash.startsWith("#/agents") ? agentRun : graphRun).openFiles(list);
}
