"""Compat mode against a naive model of existing agents (compat_model.py): fresh random questions.

Every run asks others; the seed is in the name of a failure. MOTET_SOAK=1 asks 50,000."""
import json
import os
import random
import time

import compat_model as model
from harness import Case, conformance, main

COUNT = 50000 if os.environ.get("MOTET_SOAK") else 5000
NAMES = ["A", "B", "C", "f", "_x", "é1", "aé", "state_2"]
STYLES = [["-", ["[", "]"], ",", ">"], ["=", ["<", ">"], ";", ")"], ["-", ["[", "]"], ";", ">"], ["~", ["|", "|"], ",", ">"],
          ["-", ["(", ")"], "|", ">>"], ["*", ["{", "}"], ",", "!"]]
ACTIONS = ["MOVE", "STAY", "TEST", "NONE"]
TRIGGERS = ["ok", "error", "fine"]


class Asker:
    """Questions that are mostly sensible, and sometimes not."""

    def __init__(self, seed):
        self.r = random.Random(seed)

    def some(self, least, most, make):
        return [make() for _ in range(self.r.randint(least, most))]

    def rarely(self, one, other, often=0.1):
        return one() if self.r.random() < often else other()

    def space(self):
        return self.r.choice(["", "", "", " ", "  ", "\t", "\n"])

    def token(self):
        kind = self.r.random()
        if kind < 0.7:
            return self.r.choice(NAMES)
        if kind < 0.78:
            return "/all"
        if kind < 0.94:
            items = self.r.choice([",", " , ", ",,"]).join(self.some(0, 3, lambda: self.r.choice(NAMES + ["1 2", "/all"])))
            return f"/{self.r.choice(['not', 'oneof'])}({items})"
        return self.r.choice(["", "1A", "A B", "A.B", "/ all", "/ALL", "/foo", "foo(x)", "/all()", "/oneof(/not(A),B)", "é"])

    def tokens(self, separator, least=0, most=3):
        return separator.join(self.space() + self.token() + self.space() for _ in range(self.r.randint(least, most)))

    def route(self, style=None):
        stem, (left, right), separator, tip = style or STYLES[0]
        source, target = self.tokens(separator), self.tokens(separator)
        kind = self.r.random()
        if kind < 0.3:
            return self.tokens(",")
        if kind < 0.55:
            return f"{source}{stem * 2}{tip}{target}"
        if kind < 0.95:
            return f"{source}{stem * 2}{left}{self.tokens(separator, 0, 2)}{right}{stem * 2}{tip}{target}"
        glyphs = [stem * 2 + left, right + stem * 2 + tip, stem * 2 + tip, stem, left, right, tip, separator]
        return "".join(self.some(1, 6, lambda: self.r.choice([*glyphs, self.token(), self.space()])))

    def plain_route(self):
        part = lambda least: ",".join(self.some(least, 2, lambda: self.r.choice(["A", "B", "C", "/all", "/not(A)", "/oneof(A,B)"])))
        return self.rarely(self.route, lambda: self.r.choice([
            part(1), f"{part(0)} --> {part(1)}", f"{part(1)} --[{part(0)}]--> {part(1)}", f"{part(1)} --[ {part(1)} ]-->"]))

    def priority(self):
        return self.some(0, 2, lambda: self.r.randint(-1, 2))

    def value(self, depth=0):
        kind = self.r.randint(0, 8 if depth < 3 else 6)
        if kind == 7:
            return self.some(0, 3, lambda: self.value(depth + 1))
        if kind == 8:
            return {self.r.choice("abcxyz"): self.value(depth + 1) for _ in range(self.r.randint(0, 3))}
        return [None, self.r.random() < 0.5, self.r.randint(-10**6, 10**12),
                self.r.choice([0.1, -2.5, 1e16, 1e-5, 123456.789, 1e300, 5e-324]), self.text(), self.text(), self.text()][kind]

    def text(self):
        return self.r.choice(["", "hello", "true", "null", "1e3", " 5 ", "-0", "007", '{"a":1}', '"q"', "NaN", "[1, 2]", "é\n",
                              "1_000", "0x10", "-Infinity", "1.50", "it's", '{"a": NaN, "a": 2}', "\\ud800", "😀"])

    def tape(self):
        state = lambda: self.r.choice(["A", "B", "C", "/all", "/not(A)", "/oneof(A,B)", "f"])
        keys = lambda make: {self.r.choice(["k", "j", "tape:k", "é", ""]): make() for _ in range(self.r.randint(0, 3))}
        return self.r.choice([state(), self.some(0, 3, state), keys(state), keys(lambda: self.some(0, 2, state)), None, 7,
                              ["A", 1], self.rarely(lambda: ["A", "1A"], state)])

    def tree(self, depth=0):
        names = self.r.sample(["ok", "error", "fine", "1a", "é", "x"], self.r.randint(1 if not depth else 0, 3))
        return {n: (self.tree(depth + 1) or None) if depth < 2 and self.r.random() < 0.4 else None for n in names}

    def lines(self):
        line = lambda: (self.r.choice(["", "", "  ", "    ", "\t"]) +
                        self.r.choice(["ok", "error", "fine", "x", "ok", "error", "class", "_y", "1a", "", "name_of"]) +
                        self.r.choice(["", "", "  # why"]))
        return "\n".join(self.some(1, 5, line))

    # ---- operations ----

    def styled(self, question, *keys):
        """With styles of its own, sometimes; the routes are written in one of them."""
        if self.r.random() < 0.5:
            return question | {k: self.route() for k in keys}
        styles = self.r.sample(STYLES, self.r.randint(0, 2))
        usable = [s for s in styles if model.answer({"op": "style", "style": s})["ok"]]
        return question | {"styles": usable[:1]} | {k: self.route((usable or STYLES)[0]) for k in keys}

    def parse(self):
        return self.styled({"op": "parse"}, "route")

    def style(self):
        glyph = lambda: self.r.choice(["-", "[", "]", ",", ">", "=", ";", "--", "", "|", "(", "/", ">>"])
        return {"op": "style", "style": [glyph(), [glyph(), glyph()], glyph(), glyph()]}

    def node(self):
        return {"op": "node", "expr": self.space() + self.token() + self.space()}

    def tokenised(self):
        return {"op": "tokens", "text": self.tokens(self.r.choice(",;")), "separator": self.r.choice([",", ";", ",,"])}

    def accepts(self):
        return {"op": "accepts", "gate": self.token(), "state": self.token()}

    def route_accepts(self):
        return {"op": "route_accepts", "sender": self.plain_route(), "receiver": self.plain_route()}

    def outcome(self):
        return self.styled({"op": "outcome", "action": self.r.choice([*ACTIONS, "EVENT"])}, "route")

    def activations(self):
        routes = self.some(0, 4, lambda: {"route": self.plain_route(), "priority": self.priority()})
        return {"op": "activations", "routes": routes, "tape": self.tape()}

    def taped(self):
        question = {"op": "tape", "tape": self.tape()}
        if self.r.random() < 0.5:
            question["extend"] = {self.r.choice(["tape", "tape:k", "k", "\0", "tape:j", "x"]): self.some(0, 2, lambda: self.r.choice("ABC"))
                                  for _ in range(self.r.randint(0, 3))}
        return question

    def responds(self):
        action = self.r.choice(ACTIONS)
        maybe = lambda values: self.r.choice([None, [], self.r.sample(values, self.r.randint(1, 2))])
        return {"op": "responds", "tree": {"ok": {"fine": None}, "error": None}, "actions": maybe(ACTIONS[:3]),
                "triggers": maybe(TRIGGERS), "action": action,
                "trigger": None if action == "NONE" else self.r.choice(TRIGGERS + ["nobody"])}

    def triggers(self):
        return {"op": "triggers", **self.r.choice([{"text": self.lines()}, {"tree": self.tree()}])}

    def hook_order(self):
        return {"op": "hook_order", "priorities": self.some(0, 6, self.priority)}

    def wrap(self):
        return {"op": "wrap", "payload": self.value(), **self.rarely(lambda: {"version": self.r.choice(["1.0.0", "9.9"])}, dict)}

    def recovered(self):
        payload = self.value()
        kind = self.rarely(self.value, lambda: model.kind_of(payload), 0.3)
        content = {"_version": "1.3.0", "_payload": payload, "_type": kind}
        outer = {"remote_addr": self.r.choice(["h:1", "5", "true"]),
                 "content": self.r.choice([json.dumps(content), content, self.text(), payload])}
        line = self.r.choice([json.dumps(outer), json.dumps(payload), self.text()])
        return {"op": "recover", "line": line + self.r.choice(["", "\n"])}

    def registrations(self):
        receivers = self.some(0, 4, lambda: {"route": self.plain_route(), "priority": self.priority(),
                                             "action": self.r.choice(ACTIONS), "trigger": self.r.choice(TRIGGERS),
                                             **self.rarely(lambda: {"data": self.value()}, dict, 0.4)})
        senders = self.some(0, 4, lambda: {"route": self.plain_route(), **self.sender()})
        hooks = self.some(0, 3, lambda: {"dir": self.r.choice(["SEND", "RECEIVE"]), "priority": self.priority(),
                                         "do": self.r.choice(["pass", "tag", "tag", "raise", "drop"])})
        return {"receivers": receivers, "senders": senders, "hooks": hooks}

    def sender(self):
        out = {"multi": self.r.random() < 0.2}
        if self.r.random() < 0.7:
            out["on_actions"] = self.r.sample(ACTIONS[:3], self.r.randint(0, 3))
        if self.r.random() < 0.4:
            out["on_triggers"] = self.r.sample(TRIGGERS, self.r.randint(0, 2))
        if self.r.random() < 0.3 and (out.get("on_actions") or out.get("on_triggers")):
            out["use_data"] = True
        if not out.get("use_data") or self.r.random() < 0.5:
            out["payload"] = self.value()
        return out

    def cycle(self):
        tape = self.rarely(lambda: {"$commit": self.r.choice(["A", ["A", "B"], {"k": "A"}, {"k": ["A"], "j": ["B"]}])}, self.tape, 0.4)
        message = lambda: {"remote_addr": "h:1", "content": self.r.choice(["x", {"n": 1}, "tagged"])}
        return {"op": "cycle", "tape": tape, "flow": self.r.random() < 0.85, **self.registrations(),
                "messages": self.some(1, 3, lambda: self.r.choice([message(), "bare text"]))}

    def dna(self):
        return {"op": "dna", "flow": self.r.random() < 0.8, **self.registrations()}

    def question(self):
        return self.r.choice([self.parse, self.parse, self.style, self.node, self.tokenised, self.accepts, self.route_accepts,
                              self.outcome, self.activations, self.taped, self.responds, self.triggers, self.hook_order,
                              self.wrap, self.recovered, self.cycle, self.cycle, self.dna])()


def comparable(answer):
    """Failures by that they are; words of theirs and of routes that do not parse are free."""
    if not answer["ok"]:
        return {"ok": False}
    for row in answer.get("unparsed", []):
        row.pop("error", None)
    return answer


class Model(Case):
    def answers(self, questions):
        lines = "".join(json.dumps(q) + "\n" for q in questions)
        out = self.holds("agent", "harness", "--mode", "compat", stdin=lines).out
        return [json.loads(line) for line in out.splitlines()]

    def test_the_model_agrees_with_what_was_recorded(self):
        """Where recordings are at hand: a model that is wrong proves nothing."""
        if not conformance("agent"):
            self.skipTest("no conformance data here")
        for line in (conformance("agent") / "vectors.jsonl").read_text().splitlines():
            row = json.loads(line)
            got, want = model.answer(row["in"]), row["out"]
            with self.subTest(row["note"]):
                self.assertEqual(got["ok"], want["ok"])
                for key in got:
                    self.assertEqual(json.dumps(comparable(got)[key]), json.dumps(comparable(want)[key]), key)

    def test_the_engine_agrees_with_the_model(self):
        seed = int(time.time() * 1000)
        asker = Asker(seed)
        asked = {}
        for _ in range(0, COUNT, 1000):
            questions = [asker.question() for _ in range(1000)]
            for question, answer in zip(questions, self.answers(questions)):
                want = model.answer(json.loads(json.dumps(question)))
                asked[question["op"]] = asked.get(question["op"], 0) + want["ok"]
                if json.dumps(comparable(answer), sort_keys=True) != json.dumps(comparable(want), sort_keys=True):
                    self.fail(f"seed {seed}: {json.dumps(question)}\nengine: {json.dumps(comparable(answer))}\n"
                              f"model:  {json.dumps(comparable(want))}")
        # A model that refuses everything would agree easily.
        self.assertEqual(set(asked), set(model.OPERATIONS))
        for op, good in asked.items():
            self.assertGreater(good, COUNT // 200, op)


if __name__ == "__main__":
    main()
