/* Every view but those that a visitor sees first. */
export { default as Agents } from "./Agents.svelte";
export { default as Ask } from "./Ask.svelte";
export { default as Board } from "./Board.svelte";
export { default as Deploy } from "./Deploy.svelte";
export { default as Facts } from "./Facts.svelte";
export { default as Flows } from "./Flows.svelte";
export { default as Graphs } from "./Graphs.svelte";
export { default as Ledger } from "./Ledger.svelte";
export { default as Scenarios } from "./Scenarios.svelte";
export { default as Simulate } from "./Simulate.svelte";
export { default as Verify } from "./Verify.svelte";
export { default as Versions } from "./Versions.svelte";
