/* The views of a server in one part: they share most of what they are made of. */
export { default as Board } from "../views/Board.svelte";
export { default as Deploy } from "../views/Deploy.svelte";
export { default as Flows } from "../views/Flows.svelte";
export { default as Ledger } from "../views/Ledger.svelte";
