"""What the native library and the modules are asked: the tree, and random contracts."""
import functools
import json
import pathlib
import random
import re
import sys

import yaml

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(SOURCE / "tests" / "e2e"))
import brute_contracts  # noqa: E402

EXAMPLES, LANGUAGE = SOURCE / "examples", SOURCE / "tests" / "language"
BEFORE = SOURCE / "tests" / "golden" / "before"
ASK_ALL = [["check", '{"index":true}'], ["elaborate", "{}"], ["analyze", "{}"], ["draw", '{"format":"mermaid"}'],
           ["explain", '{"format":"markdown","verbose":true}']]
ASK_FEW = [["check", "{}"], ["elaborate", '{"manifest":true}']]


# Why the solver is not there is said in other words, and in nothing else they differ.
solver = functools.partial(re.compile(
    r"libz3\.so\.\S+ cannot be loaded: install package \S+ \([^)]*\)"
    r"|the solver Z3 is not in WebAssembly; ask `motet` or a server").sub, "NO SOLVER")


def text_of(path):
    """None: it is not UTF-8, which a text of JavaScript cannot hold."""
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError:
        return None


def files_of(root):
    """The file and what it may import: all contracts beside and below it."""
    others = sorted(p for p in root.parent.rglob("*.tenor") if p != root)[:40] if root.suffix == ".tenor" else []
    found = [(str(p.relative_to(root.parent)), text_of(p)) for p in [root, *others]]
    return [[name, text] for name, text in found if text is not None]


def facts_of(folder):
    """Every fact set of the scenarios there."""
    def walk(value):
        if isinstance(value, dict):
            if isinstance(value.get("facts"), dict):
                yield json.dumps(value["facts"], default=str)
            for inner in value.values():
                yield from walk(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from walk(inner)
    for path in sorted(folder.glob("*.scenarios.yaml")):
        yield from walk(yaml.safe_load(path.read_text()))


def contract(about, files, ask=ASK_FEW, evaluate=()):
    return {"op": "contract", "about": str(about), "files": files, "ask": ask, "evaluate": list(evaluate)}


def of_tree():
    roots = sorted([*LANGUAGE.rglob("*.tenor"), *EXAMPLES.rglob("*.tenor"), *(LANGUAGE / "interchange").rglob("*.json")])
    for root in roots:
        text = text_of(root)
        if text is None:
            continue
        shown = root.is_relative_to(EXAMPLES)
        facts = [*facts_of(root.parent), "{}", '{"nothing": 1}', "[", '{"a": 1e400}']
        yield contract(root.relative_to(SOURCE), files_of(root), ASK_ALL if shown else ASK_FEW,
                       facts if shown else facts[-4:])
        if root.suffix == ".tenor":
            yield {"op": "format", "about": str(root), "text": text, "name": root.name}
    tenors = sorted(EXAMPLES.rglob("*.tenor"))
    for older, newer in zip(tenors, tenors[1:]):
        yield {"op": "diff", "about": str(older), "older": files_of(older), "newer": files_of(newer)}


def evidence():
    for ledger in [*sorted(EXAMPLES.rglob("*.jsonl")), *sorted((BEFORE / "made" / "ledger").rglob("*.jsonl"))]:
        text = text_of(ledger)
        key = ledger.parent / "executor.pub"
        for options in ({}, {"require_signature": True},
                        *([{"keys": [key.read_text().strip()]}] if key.exists() else [])):
            yield {"op": "ledger", "about": str(ledger), "text": text, "options": json.dumps(options)}
            yield {"op": "ledger", "about": str(ledger), "text": text.replace("1", "2", 7), "options": json.dumps(options)}
    folder = EXAMPLES / "receipts"
    demand = json.dumps({"keys": [(folder / "executor.pub").read_text().strip()]})
    for path in sorted(folder.glob("*.json")):
        for text in (path.read_text(), path.read_text().replace("a", "b", 1), path.read_text()[:-9]):
            for complete in (demand, demand[:-1] + ',"complete":true}', '{"keys":[]}'):
                yield {"op": "receipt", "about": path.name, "text": text, "options": complete}


def graph(about, folder, graph_file, adapter, ask, manifests=()):
    read = lambda name: (folder / name).read_text() if name else ""  # noqa: E731
    return {"op": "graph", "about": about, "files": [[graph_file, read(graph_file)]], "adapter": read(adapter),
            "manifests": [p.read_text() for p in manifests], "ask": ask}


def of_graphs():
    folder = EXAMPLES / "crossover"
    events = (BEFORE / "made" / "graph" / "prices.jsonl").read_text()
    captures = [p.read_text() for p in sorted((BEFORE / "made" / "graph").glob("*.json")) if "capture" in p.read_text()[:4000]]
    ask = [["check", "{}", ""], ["draw", '{"format":"dot"}', ""], ["run", "{}", events],
           ["run", '{"capture":true}', events], ["run", "{}", "{"]]
    ask += [["replay", "{}", text] for text in captures]
    manifests = sorted((folder / "manifests").glob("*.yaml"))
    yield graph("crossover", folder, "crossover.yaml", "adapter.yaml", ask, manifests)
    yield graph("crossover, no adapter", folder, "crossover.yaml", None, ask[:3], manifests)
    yield graph("crossover, no manifest", folder, "crossover.yaml", "adapter.yaml", ask[:3])
    for path in sorted([*(BEFORE / "given").rglob("*.yaml"), *(SOURCE / "tests/data/graph").rglob("*.yaml"),
                        *(SOURCE / "src/graph").rglob("*.yaml")]):
        yield graph(str(path), path.parent, path.name, None, [*ask[:2], *[["replay", "{}", text] for text in captures]])


def of_agents():
    folder = EXAMPLES / "agents"
    files = {p.name: p.read_text() for p in sorted(folder.glob("*.yaml"))}
    for name in files:
        if name.endswith(".scenario.yaml"):
            for answers in ("forward", "reverse", "shuffled"):
                pairs = [[name, files[name]], *([n, t] for n, t in files.items() if n != name)]
                yield {"op": "trace", "about": name, "files": pairs, "options": {"answers": answers}}
        else:
            yield {"op": "agent", "about": name, "text": files[name], "name": name,
                   "ask": [["dna", "{}"], ["dna", '{"form":"sdk"}'], ["draw", '{"format":"mermaid"}']]}


def random_facts(r):
    facts = {"b": r.random() < 0.5, "e": r.choice("xyz"), "l": [r.randint(0, 1)] * r.randint(0, 1), "n": r.randint(0, 3)}
    if r.random() < 0.2:  # one that is refused
        facts[r.choice("beln")] = r.choice([-1, 4, "w", [0, 0], None, {}])
    return facts


def of_random(seed, count):
    r = random.Random(seed)
    for i in range(count):
        bundle = brute_contracts.contract(r, plain=r.random() < 0.2)
        flows = []
        for name in ("f0", "f1")[:r.randint(1, 2)]:
            bundle["constructs"].append(brute_contracts.flow(r, name, bundle, flows))
            flows.append(name)
        ids = lambda kind: [c["id"] for c in bundle["constructs"] if c["kind"] == kind]  # noqa: E731
        ask = [["check", "{}"]] + ([["analyze", "{}"], ["explain", '{"format":"text"}']] if i % 8 == 0 else [])
        for _ in range(3):
            given = {"facts": random_facts(r), "persona": r.choice(ids("Persona"))}
            ask += [["act", json.dumps({**given, "flow": r.choice(flows)})],
                    ["act", json.dumps({**given, "operation": r.choice(ids("Operation"))})],
                    ["actions", json.dumps(given)],
                    ["partial", json.dumps({"facts": {k: v for k, v in given["facts"].items() if r.random() < 0.5}, "partial": True})]]
        yield contract(f"random {i} of {seed}", [["t.json", json.dumps(bundle)]], ask,
                       [json.dumps(random_facts(r)) for _ in range(4)])


def of_broken(seed, count):
    """Sources with something taken out or put in, letters of all kinds among it."""
    r = random.Random(seed)
    roots = [p for p in sorted([*LANGUAGE.rglob("*.tenor"), *EXAMPLES.rglob("*.tenor")]) if text_of(p)]
    for i in range(count):
        root = r.choice(roots)
        (name, text), *others = files_of(root)
        for _ in range(r.randint(1, 3)):
            at, end = sorted((r.randint(0, len(text)), r.randint(0, len(text))))
            end = min(end, at + r.randint(0, 9))
            put = "".join(chr(r.choice([r.randint(32, 126), r.randint(0xA0, 0x2FFF), r.randint(0x10000, 0x1FFFF)]))
                          for _ in range(r.choice([0, 0, 1, 3])))
            text = text[:at] + put + text[end:]
        yield contract(f"broken {i} of {seed}: {root}", [[name, text], *others])
        if i % 4 == 0:
            yield {"op": "format", "about": f"broken {i}", "text": text, "name": name}


def everything(seed, count):
    return [*of_tree(), *evidence(), *of_graphs(), *of_agents(), *of_random(seed, count), *of_broken(seed, count // 2)]
