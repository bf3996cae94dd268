/* The table of views. A view is a component without properties that reads the workspace; it is
 * fetched when it is first shown. To add one: a row here, a component in views/ and a line in views/later.ts,
 * its styles in style/. Keys are the order of rows: see keyOf(). */
import type { Component } from "svelte";

export interface View {
  id: string;
  title: string;
  group: "Author" | "Run" | "Operate" | "Audit";
  about: string;
  icon: string; // the path of a 20 by 20 drawing
  load: () => Promise<{ default: Component }>;
}

/** One of those that come together: they share most of what they are made of, and pack better in one part. */
const later = async (name: keyof typeof import("./views/later")): Promise<{ default: Component }> => ({ default: (await import("./views/later"))[name] });

/** Alt+1 to Alt+9, then Alt+Shift+1, … */
export const keyOf = (row: number): string => (row < 9 ? `Alt+${row + 1}` : `Alt+Shift+${row - 8}`);

export const VIEWS: View[] = [
  { id: "source", title: "Source", group: "Author", about: "The contract, checked as you type",
    icon: "M7 5 2.5 10 7 15M13 5l4.5 5L13 15M11 3.5 9 16.5", load: () => import("./views/Source.svelte") },
  { id: "pictures", title: "Pictures", group: "Author", about: "States, flows, rules and who may do what",
    icon: "M3 4.5h5v4H3zM12 11.5h5v4h-5zM8 6.5h4.5v5M12 4.5a2.5 2.5 0 1 0 5 0 2.5 2.5 0 1 0-5 0", load: () => import("./views/Pictures.svelte") },
  { id: "facts", title: "Facts", group: "Author", about: "What follows from the facts, and why",
    icon: "M4 5h12M4 10h7M4 15h5M12.5 14l2 2 3.5-4.5", load: () => later("Facts") },
  { id: "simulate", title: "Simulate", group: "Author", about: "Act, and see states move",
    icon: "M5 3.5v13l11-6.5z", load: () => later("Simulate") },
  { id: "scenarios", title: "Scenarios", group: "Author", about: "What it promises, tried, and what that reaches",
    icon: "M4 4.500h2.500M4 10h2.500M4 15.500h2.500M9.500 4.500l1.500 1.500 3-3M9.500 10l1.500 1.500 3-3M9.500 15.500l1.500 1.500 3-3", load: () => later("Scenarios") },
  { id: "ask", title: "Ask", group: "Author", about: "What can happen, and what never does",
    icon: "M4 4.5h12v9H9.500L6 16.500v-3H4zM8.300 7.600a1.800 1.800 0 1 1 2.600 1.600c-.6.300-.9.600-.9 1.200M10 12v.1", load: () => later("Ask") },
  { id: "versions", title: "Versions", group: "Author", about: "What changed, and what it breaks",
    icon: "M5.500 3v14M3 5.500 5.500 3 8 5.500M14.500 17V3M12 14.500l2.500 2.500 2.500-2.500", load: () => later("Versions") },
  { id: "graphs", title: "Graphs", group: "Run", about: "A graph, what it did at every event, and what would have been",
    icon: "M3 4h4v4H3zM3 12h4v4H3zM13 8h4v4h-4zM7 6c3 0 3 3 6 3.500M7 14c3 0 3-3 6-3.500", load: () => later("Graphs") },
  { id: "agents", title: "Agents", group: "Run", about: "Agents as automata, and what they say to each other",
    icon: "M4 3v14M16 3v14M4 6.500h11M12.500 4.500l2.500 2-2.500 2M16 13H5M7.500 11 5 13l2.500 2", load: () => later("Agents") },
  { id: "board", title: "Board", group: "Operate", about: "Instances of the server by state, live",
    icon: "M3 4h4v12H3zM8.500 4h4v8h-4zM14 4h3v5h-3z", load: () => later("Board") },
  { id: "flows", title: "Flows", group: "Operate", about: "Where each flow of the server stands, and how it came there",
    icon: "M3 5h4v3H3zM13 12h4v3h-4zM7 6.500h5.500a2 2 0 0 1 2 2V12M5 8v6.500h5M8.500 13l1.500 1.500L8.500 16", load: () => later("Flows") },
  { id: "deploy", title: "Deploy", group: "Operate", about: "What the contract of this workspace would do to the server",
    icon: "M10 13V3.500M6.500 7 10 3.500 13.500 7M4 12v4.500h12V12", load: () => later("Deploy") },
  { id: "ledger", title: "Ledger", group: "Audit", about: "What the server decided, and why",
    icon: "M5 3v14M5 5.500h10M5 10h8M5 14.500h10M3.500 5.500h3M3.500 10h3M3.500 14.500h3", load: () => later("Ledger") },
  { id: "verify", title: "Verify", group: "Audit", about: "A ledger, checked from its bytes",
    icon: "M10 2.500 4 5v4.500c0 3.800 2.500 6.500 6 8 3.500-1.500 6-4.200 6-8V5zM7.500 9.800l1.900 1.900 3.300-3.700", load: () => later("Verify") },
];
