/* node.mjs ENGINE CASES OUT: walk.mjs in Node. */
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { walk } from "./walk.mjs";

const [engine, cases, out] = process.argv.slice(2);
const { load, loadGraphs } = await import(pathToFileURL(engine).href);
const engines = { engine: await load(), graphs: await loadGraphs() };
writeFileSync(out, JSON.stringify(walk(engines, JSON.parse(readFileSync(cases, "utf8")))));
