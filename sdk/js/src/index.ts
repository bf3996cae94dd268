export * from "./engine.js";
export * from "./engine_graph.js";
export * from "./language.js";
export * from "./client.js";
