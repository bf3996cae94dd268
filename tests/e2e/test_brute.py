"""Reach questions, S2, S4 and removed errors against a search that tries everything (brute.py):
random contracts of 2 to 4 entities, several outcomes, joint effects. Every way that is shown is
run again, operation by operation. MOTET_SOAK=1: twenty times as many; MOTET_SEED sets where to begin.
"""
import json
import random
import unittest

from brute import Contract
from brute_contracts import Batch, contract
from harness import SANITIZED, SEED, SOAK, main

CONTRACTS = 20000 if SOAK else 100 if SANITIZED else 500
DIFFS = 5000 if SOAK else 60 if SANITIZED else 300
ERRORS = ["persona_rejected", "precondition_failed", "evaluation_error", "unknown_instance",
          "invalid_source_state", "ambiguous_outcome", "unknown_outcome"]


# ---- questions -----------------------------------------------------------------------------------

def goals(r, model, count):
    """(words of the question, does an event of this kind serve?)"""
    out = []
    for _ in range(count):
        e = r.choice(list(model.entities.values()))
        t = r.choice(e["transitions"])
        o = r.choice(list(model.operations))
        s = r.choice(e["states"])
        out.append(r.choice([
            (f"reach {e['id']}.{s}", "move", lambda m, e=e, s=s: m[2] == e["id"] and m[4] == s),
            (f"move {e['id']} from {t['from']} to {t['to']}", "move",
             lambda m, e=e, t=t: m[2:] == (e["id"], t["from"], t["to"])),
            (f"perform {o}", "perform", lambda m, o=o: m[1] == o)]))
    return out


def happens(events, goal, persona=None):
    _, kind, serves = goal
    pool = events.moves if kind == "move" else events.performed
    return any(serves(m) for m in pool if persona is None or m[0] == persona)


def instance_of(change, instances):
    return 0 if instances == 1 else int(change["instance"]) - 1


class Brute(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.batch = Batch()
        self.addCleanup(self.batch.close)

    # -- ways --

    def replay(self, model, bundle, paths, instances):
        """Runs every way, in the model and in the engine."""
        trials, wanted = [], []
        for path in paths:
            joint = {(e, i): s["initial"] for e, s in model.entities.items()
                     for i in range(instances)}
            names = {i: "_default" if instances == 1 else str(i + 1) for i in range(instances)}
            for step in path:
                operation = model.operations[step["operation"]]
                bound = {c["entity"]: instance_of(c, instances) for c in step["changes"]}
                states = {e: joint[(e, bound.get(e, 0))] for e in model.entities}
                named = step["outcome"] if step["named"] else None
                held = model.holds(step["operation"], step["facts"])
                outcome, changes = model.execute(operation, step["persona"], held, states, named)
                self.assertEqual(outcome, step["outcome"])
                self.assertEqual({c["entity"]: (c["from"], c["to"]) for c in step["changes"]},
                                 changes)
                trials.append({
                    "facts": json.dumps(step["facts"]), "operation": step["operation"],
                    "persona": step["persona"],
                    "states": {e: {names[i]: joint[(e, i)] for i in range(instances)}
                               for e in model.entities},
                    "bindings": {e: names[bound.get(e, 0)] for e in model.entities},
                    **({"outcome": named} if named else {})})
                for e, (_, to) in changes.items():
                    joint[(e, bound.get(e, 0))] = to
                wanted.append({"outcome": outcome,
                               "states": {e: {names[i]: joint[(e, i)] for i in range(instances)}
                                          for e in model.entities}})
        if trials:
            self.assertEqual(self.batch(bundle, run=trials)["runs"], wanted)

    def serves(self, goal, path):
        """Does the last step do what was asked?"""
        last = path[-1]
        who = (last["persona"], last["operation"])
        if goal[1] == "perform":
            return goal[2](who)
        return any(goal[2]((*who, c["entity"], c["from"], c["to"])) for c in last["changes"])

    def check_ways(self, question, goal, ways, alone):
        """Each way ends with what was asked, done by whom it says."""
        for persona, by_itself, path in ways:
            self.assertTrue(self.serves(goal, path), question)
            if persona:
                self.assertEqual(by_itself, happens(alone[persona], goal), question)
                self.assertEqual(path[-1]["persona"], persona)
                self.assertTrue(not by_itself or {s["persona"] for s in path} == {persona})

    def compare(self, r, bundle, instances=1):
        """Twelve questions; (questions, steps run, and what everybody and each one alone do)."""
        model = Contract(bundle)
        everybody = model.explore(instances=instances)
        alone = {p: model.explore({p}, instances) for p in model.personas}
        asked, paths = [], []
        for goal in goals(r, model, 4):
            p = r.choice(model.personas)
            asked += [(f"can {p} {goal[0]}", goal, p), (f"who can {goal[0]}", goal, "who"),
                      (f"can anyone {goal[0]}", goal, None)]
        suffix = "" if instances == 1 else f" with {instances} instances"
        replies = self.batch(bundle, ask=[q + suffix for q, _, _ in asked])["replies"]
        for (question, goal, who), reply in zip(asked, replies):
            able = [p for p in model.personas if happens(everybody, goal, p)]
            expected = bool(able) if who in ("who", None) else who in able
            self.assertEqual(reply["reply"], "yes" if expected else "no", question)
            ways = [(w["persona"], w["alone"], w["path"]) for w in reply.get("ways", [])]
            if who == "who" or not expected:
                self.assertEqual(reply["personas"], able, question)
                self.assertEqual([w[0] for w in ways], able, question)
            else:
                ways = [(who, reply.get("alone"), reply["path"])]
            self.check_ways(question, goal, ways, alone)
            paths += [w[2] for w in ways]
        self.replay(model, bundle, paths, instances)
        return len(asked), sum(map(len, paths)), model, everybody, alone

    def compare_analysis(self, bundle, model, everybody, alone, exact):
        """S2 and S4: exact where types decide, otherwise never too little."""
        analysis = self.batch(bundle, analyze=True)["analysis"]
        for e, found in analysis["s2_reachability"]["entities"].items():
            want = {s for entity, s in everybody.states if entity == e}
            (self.assertEqual if exact else self.assertLessEqual)(
                want, set(found["operated_states"]))
        for p, authority in analysis["s4_authority"]["persona_authority"].items():
            for e, states in authority["reaches"].items():
                want = {s for entity, s in alone[p].states if entity == e}
                (self.assertEqual if exact else self.assertLessEqual)(want, set(states))

    # -- tests --

    def test_reach_questions_agree_with_a_search_of_everything(self):
        questions = steps = 0
        for i in range(CONTRACTS):
            seed = f"{SEED}/{i}"
            r = random.Random(seed)
            plain = i % 4 == 0
            bundle = contract(r, plain)
            with self.subTest(seed=seed):
                n, m, model, everybody, alone = self.compare(r, bundle)
                self.compare_analysis(bundle, model, everybody, alone, plain)
                if i % 8 == 1 and everybody.joint <= 6 and len(model.entities) == 2:
                    self.compare(r, bundle, 2)
                questions, steps = questions + n, steps + m
        print(f"seed {SEED}: {CONTRACTS} contracts, {questions} questions, {steps} steps run")
        self.assertGreater(steps, CONTRACTS)

    def removed(self, r, bundle):
        """The bundle with every error declared, the same without some, and their names. Now and
        then the old one accepts fewer facts."""
        old = json.loads(json.dumps(bundle))
        for c in old["constructs"]:
            if c["kind"] == "Operation":
                c["error_contract"] = sorted(ERRORS + ["odd"])
        new = json.loads(json.dumps(old))
        target = r.choice([c for c in new["constructs"] if c["kind"] == "Operation"])
        names = r.sample(ERRORS + ["odd"], r.choice([1, 1, 1, 2]))
        for c in old["constructs"]:
            if c["kind"] == "Fact" and c["id"] == "n" and r.random() < 0.3:
                c["type"] = {"base": "Int", "max": r.randint(0, 2), "min": 0}
        target["error_contract"] = [e for e in target["error_contract"] if e not in names]
        return old, new, target, names

    def test_removed_errors_agree_with_a_search_of_everything(self):
        tally = {"safe": 0, "breaking": 0, "open": 0}
        for i in range(DIFFS):
            seed = f"{SEED}/diff/{i}"
            r = random.Random(seed)
            old, new, target, names = self.removed(r, contract(r, i % 4 == 0))
            model = Contract(new)
            occur = model.errors(target, model.reachable())
            could = model.errors(target, model.combinations())
            expected = ("breaking" if occur & set(names) else
                        "open" if could & set(names) or "odd" in names else "safe")
            (part,) = [p for p in self.batch(old, next=json.dumps(new))["parts"]
                       if p["field"] == "error_contract"]
            with self.subTest(seed=seed, names=names, proof=part["proof"]):
                self.assertEqual(part["resolution"], expected)
            tally[expected] += 1
        print(f"seed {SEED}: {DIFFS} pairs, {tally}")
        self.assertTrue(all(tally.values()), tally)


main()
