/* wasm.mjs ENGINE CONTRACT FACTS: one line with nanoseconds of an evaluation from JSON to JSON,
 * warm: by the module alone, and through the package from an object to an object. */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [path, source, given] = process.argv.slice(2);
const { load } = await import(pathToFileURL(path).href);
const engine = await load();
const contract = engine.contract({ "bench.json": readFileSync(source, "utf8") });
const text = readFileSync(given, "utf8");
const facts = contract.facts(text);
const { core } = engine;

/* The text stays where it is, as it does in the native figure. */
function alone(n) {
  const json = core.put(text);
  const room = core.alloc(16);
  const [set, verdicts] = [facts.handle.pointer, facts.verdictsPointer];
  for (let i = 0; i < n; i++) {
    core.setWords(room, json.at, json.length);
    core.call("motet_facts_read", set, room, 0);
    core.call("motet_evaluate", set, verdicts);
    core.call("motet_verdicts_json", room + 8, verdicts);
  }
  core.call("free", json.at);
  core.call("free", room);
}

function packaged(n) {
  const values = JSON.parse(text);
  for (let i = 0; i < n; i++) {
    contract.evaluate(values);
  }
}

function least(work, n) {
  work(n);
  let best = Infinity;
  for (let round = 0; round < 7; round++) {
    const begin = process.cpuUsage();
    work(n);
    const used = process.cpuUsage(begin);
    best = Math.min(best, ((used.user + used.system) * 1000) / n);
  }
  return best;
}

console.log(least(alone, 100000), least(packaged, 20000));
