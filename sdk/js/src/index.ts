export * from "./engine.js";
export * from "./engine_graph.js";
