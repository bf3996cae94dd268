"""Random contracts for the comparisons with a search of everything (brute.py, runs.py), and the
process that answers questions about them."""
import json
import os
import subprocess

from harness import MOTET

BATCH = os.environ.get("MOTET_BATCH") or str(MOTET.parent / "tests" / "e2e" / "ask_batch")
TAIL = {"provenance": {"file": "b", "line": 1}, "tenor": "1.0"}


class Batch:
    """ask_batch at the other end of a pipe."""

    def __init__(self):
        self.process = subprocess.Popen([BATCH], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def __call__(self, bundle=None, **request):
        if bundle:
            request["bundle"] = json.dumps(bundle)
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(timeout=30)


# ---- random contracts --------------------------------------------------------------------------

def literal(value):
    if isinstance(value, bool):
        return {"literal": value, "type": {"base": "Bool"}}
    if isinstance(value, int):
        return {"literal": value, "type": {"base": "Int", "max": value, "min": value}}
    return {"literal": value, "type": {"base": "Enum", "values": ["x", "y", "z"]}}


FACTS = [{"id": "b", "type": {"base": "Bool"}},
         {"id": "e", "type": {"base": "Enum", "values": ["x", "y", "z"]}},
         {"id": "l", "type": {"base": "List", "element_type": {"base": "Int", "max": 1, "min": 0},
                              "max": 1}},
         {"id": "n", "type": {"base": "Int", "max": 3, "min": 0}}]


def comparison(r):
    def compare(left, op, value):
        return {"left": left, "op": op, "right": literal(value)}
    return r.choice([
        lambda: compare({"fact_ref": "b"}, "=", r.random() < 0.5),
        lambda: compare({"fact_ref": "e"}, r.choice(["=", "!="]), r.choice("xyz")),
        lambda: compare({"fact_ref": "n"}, r.choice(["=", "!=", "<", "<=", ">", ">="]),
                        r.randint(0, 3)),
        lambda: compare({"index": literal(0), "op": "index", "operand": {"fact_ref": "l"}}, "=",
                        r.randint(0, 1)),
        lambda: {"left": {"fact_ref": "l"}, "op": r.choice(["=", "!="]), "right": written(r)},
        lambda: {"left": pair(r), "op": r.choice(["=", "!="]), "right": pair(r)}])()


def written(r):
    """A list that is written out; its element may be read, and may not be there."""
    first = {"index": literal(0), "op": "index", "operand": {"fact_ref": "l"}}
    return {"list": r.choice([[], [literal(0)], [literal(1)], [first]]), "type": FACTS[2]["type"]}


def pair(r):
    fields = {"b": FACTS[0]["type"], "n": FACTS[3]["type"]}
    return {"record": {"b": r.choice([{"fact_ref": "b"}, literal(True)]),
                       "n": r.choice([{"fact_ref": "n"}, literal(r.randint(0, 3))])},
            "type": {"base": "Record", "fields": fields}}


def predicate(r, verdicts, depth=2):
    kind = r.random()
    if depth == 0 or kind < 0.35:
        if verdicts and r.random() < 0.4:
            return {"verdict_present": r.choice(verdicts)}
        return comparison(r)
    if kind < 0.5:
        return {"op": "not", "operand": predicate(r, verdicts, depth - 1)}
    return {"left": predicate(r, verdicts, depth - 1), "op": r.choice(["and", "or"]),
            "right": predicate(r, verdicts, depth - 1)}


def entity(r, name):
    states = [f"{name.lower()}{i}" for i in range(r.randint(2, 4))]
    pairs = [(s, t) for s in states for t in states if s != t or r.random() < 0.2]
    chosen = [p for p in pairs if r.random() < 0.6] or pairs[:1]
    return {"id": name, "initial": r.choice(states), "kind": "Entity", "states": states,
            "transitions": [{"from": s, "to": t} for s, t in chosen], **TAIL}


def effects_of(r, entities, outcome):
    """One outcome's: on one to three entities, now and then from several sources of one."""
    out = []
    for e in r.sample(entities, min(len(entities), r.choice([1, 1, 2, 2, 3]))):
        sources = set()
        for t in r.sample(e["transitions"], min(len(e["transitions"]), r.choice([1, 1, 1, 2]))):
            if t["from"] not in sources:
                sources.add(t["from"])
                out.append({"entity_id": e["id"], "from": t["from"], "to": t["to"],
                            **({"outcome": outcome} if outcome else {})})
    return out


def operation(r, name, entities, personas, condition):
    labels = [f"o{i}" for i in range(r.choice([1, 1, 2, 2, 3]))]
    effects = [e for label in labels if r.random() < 0.95
               for e in effects_of(r, entities, label if len(labels) > 1 else None)]
    return {"allowed_personas": sorted(r.sample(personas, r.randint(1, len(personas)))),
            "effects": [dict(sorted(e.items())) for e in effects], "error_contract": [],
            "id": name, "kind": "Operation", "outcomes": labels, "precondition": condition, **TAIL}


def contract(r, plain=False):
    """`plain`: every precondition is true, so that types alone decide."""
    personas = [f"p{i}" for i in range(r.randint(1, 3))]
    entities = [entity(r, name) for name in "ABCD"[:r.randint(2, 4)]]
    facts = [] if plain else FACTS
    verdicts = [] if plain else [f"v{i}" for i in range(r.randint(0, 2))]
    rules = [{"body": {"produce": {"payload": {"type": {"base": "Bool"}, "value": True},
                                   "verdict_type": v}, "when": predicate(r, [], 1)},
              "id": "r" + v, "kind": "Rule", "stratum": 0, **TAIL} for v in verdicts]
    operations = [operation(r, f"op{i}", entities, personas,
                            literal(True) if plain or r.random() < 0.4 else predicate(r, verdicts))
                  for i in range(r.randint(2, 5))]
    return {"constructs": [{"id": p, "kind": "Persona", **TAIL} for p in personas] +
            [{**f, "kind": "Fact", "source": "s", **TAIL} for f in facts] +
            entities + rules + operations,
            "id": "t", "kind": "Bundle", "tenor": "1.0", "tenor_version": "1.1.0"}


# ---- random flows --------------------------------------------------------------------------------

def terminal(r):
    return {"kind": "Terminal", "outcome": r.choice(["success", "success", "failure"])}


def handler(r, later, operations):
    kind = r.random()
    if kind < 0.5 or (not later and kind < 0.7):
        return {"kind": "Terminate", "outcome": r.choice(["failure", "escalation"])}
    op = r.choice(operations)
    if kind < 0.7:
        return {"kind": "Escalate", "next": r.choice(later),
                "to_persona": op["allowed_personas"][0]}
    return {"kind": "Compensate", "then": terminal(r), "steps": [
        {"on_failure": terminal(r), "op": op["id"], "persona": op["allowed_personas"][0]}]}


def flow(r, name, bundle, before):
    """One of up to five steps; a step leads to later ones only."""
    operations = [c for c in bundle["constructs"] if c["kind"] == "Operation"]
    verdicts = [c["body"]["produce"]["verdict_type"] for c in bundle["constructs"]
                if c["kind"] == "Rule"]
    names = [f"s{i}" for i in range(r.randint(1, 5))]
    steps = []
    for i, step in enumerate(names):
        later = names[i + 1:]

        def target(later=later):
            return r.choice(later) if later and r.random() < 0.7 else terminal(r)
        op = r.choice(operations)
        persona = r.choice(op["allowed_personas"])
        kind = r.random()
        if kind < 0.45:
            steps.append({"condition": predicate(r, verdicts), "id": step, "if_false": target(),
                          "if_true": target(), "kind": "BranchStep", "persona": persona})
        elif kind < 0.6 and before:
            steps.append({"flow": r.choice(before), "id": step, "kind": "SubFlowStep",
                          "on_failure": handler(r, later, operations), "on_success": target(),
                          "persona": persona})
        else:
            steps.append({"id": step, "kind": "OperationStep",
                          "on_failure": handler(r, later, operations), "op": op["id"],
                          "outcomes": {o: target() for o in op["outcomes"]}, "persona": persona})
    return {"entry": "s0", "id": name, "kind": "Flow", "snapshot": "at_initiation",
            "steps": steps, **TAIL}
