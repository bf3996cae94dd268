"""Facts that are not known: eval, actions and explain say what is left to decide, on the
command line and over HTTP. Conditions are compared with what the program itself decides for
every completion; reasons and changes are looked at in examples."""
import itertools
import json

from harness import Case, main
from serve import ESCROW, FACTS, Server

CLAIMS = """persona clerk
persona boss
fact amount { type: Int(min: 0, max: 3) source: "s" }
fact risk { type: Enum(["low", "high"]) source: "s" }
fact signed { type: Bool source: "s" default: false }
fact marks { type: List(element_type: Int(min: 0, max: 1), max: 2) source: "s" }
entity Claim { states: [open, paid] initial: open transitions: [(open, paid)] }
rule small { stratum: 0 when: amount <= 1 produce: verdict small { payload: Int(0, 9) = amount * 2 } }
rule clean { stratum: 0 when: forall m in marks . m = 0 produce: verdict clean { payload: Bool = true } }
rule easy { stratum: 1 when: verdict_present(small) and verdict_present(clean) and risk = "low"
  produce: verdict easy { payload: Bool = true } }
rule first { stratum: 1 when: len(marks) > 0 and marks[0] = 1 produce: verdict first { payload: Bool = true } }
operation pay { allowed_personas: [clerk] precondition: verdict_present(easy)
  effects: [(Claim, open, paid)] outcomes: [paid] error_contract: [precondition_failed, persona_rejected] }
operation force { allowed_personas: [boss] precondition: signed = true and small < 9
  effects: [(Claim, open, paid)] outcomes: [paid] error_contract: [precondition_failed, persona_rejected] }
flow usual { snapshot: at_initiation entry: ask steps: {
  ask: BranchStep { condition: amount > 2 persona: clerk if_true: boss_pays if_false: clerk_pays }
  boss_pays: OperationStep { op: force persona: boss outcomes: { paid: Terminal(success) } on_failure: Terminal(failure) }
  clerk_pays: OperationStep { op: pay persona: clerk outcomes: { paid: Terminal(success) } on_failure: Terminal(failure) } } }
"""
DOMAINS = {"amount": [0, 1, 2, 3], "risk": ["low", "high"], "signed": [False, True],
           "marks": [[], [0], [1], [0, 0], [0, 1], [1, 0], [1, 1]]}


def completions(known):
    """All fact sets that agree with what is known."""
    free = [name for name in DOMAINS if name not in known]
    for values in itertools.product(*(DOMAINS[name] for name in free)):
        yield {**known, **dict(zip(free, values))}


class Partial(Case):
    def setUp(self):
        super().setUp()
        self.claims = self.write("claims.tenor", CLAIMS)

    def json(self, *words, code=0, facts=None):
        if facts is not None:
            words += ("--facts", self.write("facts.json", json.dumps(facts)))
        result = self.run_motet(*words, "--json")
        self.assertEqual(result.code, code, repr(result))
        return json.loads(result.out)

    def eval_all(self, source, sets):
        """The verdicts of each fact set, by name; None where the evaluation has an error."""
        lines = self.write("all.jsonl", "".join(json.dumps(s) + "\n" for s in sets))
        result = self.run_motet("eval", source, "--facts", lines, "--lines")
        answers = [json.loads(line) for line in result.out.splitlines()]
        self.assertEqual(len(answers), len(sets), repr(result))
        return [{v["type"]: v["payload"] for v in a["verdicts"]} if "verdicts" in a else None
                for a in answers]

    def with_conditions(self, conditions):
        """The contract with a rule more for each condition."""
        more = "".join(f"rule z{i} {{ stratum: 9 when: {c} produce: verdict z{i} "
                       f"{{ payload: Bool = true }} }}\n" for i, c in enumerate(conditions))
        return self.write("asked.tenor", CLAIMS + more)

    def test_conditions_hold_for_every_completion(self):
        seen = 0
        for known in ({}, {"amount": 1}, {"risk": "low", "marks": [0]}, {"marks": [1, 0]},
                      {"amount": 3, "signed": True}, {"amount": 0, "marks": []}):
            unknown = [name for name in DOMAINS if name not in known]
            got = self.json("eval", self.claims, "--unknown", ",".join(unknown), facts=known)
            self.assertEqual(got["unknown"], sorted(unknown))
            asked = [v.get("condition", {"present": "true", "absent": "false"}.get(v["state"]))
                     for v in got["verdicts"]]
            preconditions = {"holds": "true", "refused": "false"}
            asked += [o.get("condition", preconditions.get(o["precondition"]))
                      for o in got["operations"]]
            sets = list(completions(known))
            answers = self.eval_all(self.with_conditions(asked), sets)
            plain = self.eval_all(self.claims, sets)
            for facts, answer, verdicts in zip(sets, answers, plain):
                for i, verdict in enumerate(got["verdicts"]):
                    self.assertEqual(f"z{i}" in answer, verdict["type"] in verdicts,
                                     (facts, verdict))
                    if "payload" in verdict and verdict["type"] in verdicts:
                        self.assertEqual(verdict["payload"], verdicts[verdict["type"]])
                    seen += verdict["state"] == "depends"
        self.assertGreater(seen, 400)

    def test_actions_hold_for_every_completion(self):
        states = set()
        for persona in ("clerk", "boss"):
            for known in ({}, {"amount": 3}, {"amount": 0, "risk": "low"}, {"signed": True}):
                unknown = ",".join(name for name in DOMAINS if name not in known)
                got = self.json("actions", self.claims, "--persona", persona, "--unknown", unknown,
                                facts=known)
                flow, = got["flows"]
                states.add(flow["state"])
                condition = flow.get("condition", "true" if flow["state"] == "open" else "false")
                sets = list(completions(known))[::3]
                answers = self.eval_all(self.with_conditions([condition]), sets)
                for facts, answer in zip(sets, answers):
                    whole = self.json("actions", self.claims, "--persona", persona, facts=facts)
                    self.assertEqual("z0" in answer, bool(whole["actions"]),
                                     (persona, facts, condition))
        self.assertEqual(states, {"open", "blocked", "depends"} & states)
        self.assertIn("depends", states)

    def test_partial_takes_what_is_not_given_and_has_no_default(self):
        got = self.json("eval", self.claims, "--partial", facts={"amount": 2})
        self.assertEqual(got["unknown"], ["marks", "risk"])
        got = self.json("eval", self.claims, "--partial")
        self.assertEqual(got["unknown"], ["amount", "marks", "risk"])
        got = self.json("eval", self.claims, "--partial", "--unknown", "signed",
                        facts={"signed": True})
        self.assertEqual(got["unknown"], ["amount", "marks", "risk", "signed"])

    def test_text_and_lines(self):
        facts = self.write("f.json", '{"amount": 1, "marks": [1]}')
        text = self.holds("eval", self.claims, "--facts", facts, "--partial").out
        self.assertIn("unknown: risk\n", text)
        self.assertIn("[small] present; payload 2 (rule: small", text)
        self.assertIn("[easy] absent", text)
        self.assertIn("pay: the precondition does not hold", text)
        lines = self.write("l.jsonl", '{"amount": 1}\n{"amount": 7}\n{}\n')
        result = self.fails(1, "eval", self.claims, "--facts", lines, "--partial", "--lines")
        one, two, three = map(json.loads, result.out.splitlines())
        self.assertEqual(one["unknown"], ["marks", "risk"])
        self.assertIn("amount", two["error"])
        self.assertEqual(three["unknown"], ["amount", "marks", "risk"])

    def test_what_fails_whatever_is_unknown_is_an_error(self):
        source = self.write("bad.tenor", """fact l { type: List(element_type: Int(0, 9), max: 3) source: "s" }
fact b { type: Bool source: "s" }
rule r { stratum: 0 when: l[1] = 2 and b produce: verdict v { payload: Bool = true } }
rule q { stratum: 0 when: b and l[1] = 2 produce: verdict w { payload: Bool = true } }
""")
        facts = self.write("f.json", '{"l": [1]}')
        result = self.fails(1, "eval", source, "--facts", facts, "--partial")
        self.assertIn("index 1 is outside a list of 1 elements", result.err)
        self.write("ok.tenor", source.read_text().replace("rule r", "// rule r", 1))
        got = self.json("eval", "ok.tenor", "--facts", facts, "--partial")
        self.assertEqual(got["verdicts"][0]["condition"], "b and l[1] = 2")
        unknown_first = self.write("sum.tenor", """fact l { type: List(element_type: Int(0, 9), max: 3) source: "s" }
fact n { type: Int(0, 9) source: "s" }
rule r { stratum: 0 when: n + n = l[1] produce: verdict v { payload: Bool = true } }
""")
        result = self.fails(1, "eval", unknown_first, "--facts", facts, "--partial")
        self.assertIn("index 1 is outside a list of 1 elements", result.err)

    def test_used_wrongly(self):
        facts = self.write("f.json", "{}")
        self.assertIn("no fact 'amuont'",
                      self.fails(2, "eval", self.claims, "--facts", facts, "--unknown", "amuont").err)
        self.fails(2, "eval", self.claims, "--facts", facts, "--partial", "--operation", "pay",
                   "--persona", "clerk")
        self.fails(2, "explain", self.claims, "--facts", facts, "--partial")
        self.fails(2, "explain", self.claims, "--facts", facts, "--all")
        self.fails(2, "explain", self.claims, "--facts", facts, "--change", "--all",
                   "--verdict", "easy")
        self.fails(2, "explain", self.claims, "--facts", facts, "--verdict", "easy",
                   "--operation", "pay")

    def test_the_same_bytes_again(self):
        facts = self.write("f.json", '{"amount": 1}')
        words = ("eval", self.claims, "--facts", facts, "--partial", "--json")
        self.assertEqual(self.holds(*words).out_bytes, self.holds(*words).out_bytes)

    def test_explain_says_what_it_depends_on(self):
        facts = self.write("f.json", '{"amount": 1, "marks": [0]}')
        text = self.fails(1, "explain", self.claims, "--facts", facts, "--partial", "--verdict",
                          "easy").out
        self.assertIn('verdict easy depends on risk = "low" (rule easy, stratum 1)', text)
        self.assertIn("verdict small is present", text)
        got = self.json("explain", self.claims, "--partial", "--verdict", "easy", code=1,
                        facts={"amount": 1, "marks": [0]})
        self.assertEqual(got["condition"], 'risk = "low"')
        self.assertEqual([v["verdict"] for v in got["depends_on"]], ["small", "clean"])
        # Decided though something is unknown: by what is known.
        got = self.json("explain", self.claims, "--partial", "--operation", "pay", code=1,
                        facts={"amount": 3})
        self.assertEqual(got["precondition"], "refused")
        easy, = got["because"][0]["verdicts"]
        small, = easy["because"][0]["verdicts"]
        self.assertEqual(list(small["because"][0]["facts"]), ["amount"])


class Reasons(Case):
    def setUp(self):
        super().setUp()
        self.claims = self.write("claims.tenor", CLAIMS)
        self.facts = self.write("f.json", json.dumps(
            {"amount": 3, "risk": "high", "marks": [0, 1], "signed": False}))

    def test_FE12_a_reason_names_the_list_whose_element_decides(self):
        source = self.write("l.tenor", """fact ok { type: Bool source: "s" }
fact l { type: List(element_type: Int(0, 9), max: 3) source: "s" }
rule r { stratum: 0 when: forall i in l . ok produce: verdict v { payload: Bool = true } }
""")
        facts = self.write("g.json", '{"ok": false, "l": [0]}')
        result = self.fails(1, "explain", source, "--verdict", "v", "--facts", facts, "--json")
        parts = json.loads(result.out)["because"]
        self.assertEqual([(p["atom"], p["value"], list(p["facts"])) for p in parts],
                         [("len(l) > 0", True, ["l"]), ("ok", False, ["ok"])])

    def test_every_minimal_reason(self):
        result = self.fails(1, "explain", self.claims, "--operation", "pay", "--all", "--facts",
                            self.facts, "--json")
        got = json.loads(result.out)
        self.assertEqual((got["all"], got["value"], got["operation"]), (True, False, "pay"))
        self.assertEqual([[(p["atom"], p["value"]) for p in r] for r in got["reasons"]],
                         [[("amount <= 1", False)], [("marks[1] = 0", False)],
                          [("risk = \"low\"", False)]])
        text = self.fails(1, "explain", self.claims, "--verdict", "easy", "--all", "--facts",
                          self.facts).out
        self.assertIn("verdict easy is absent: 3 reasons, each is enough", text)

    def test_the_smallest_change(self):
        result = self.holds("explain", self.claims, "--operation", "pay", "--change", "--facts",
                            self.facts, "--json")
        got = json.loads(result.out)
        self.assertEqual((got["result"], got["smallest"]), ("possible", True))
        change, = got["changes"]
        self.assertEqual(list(change["changed"]), ["amount", "marks", "risk"])
        self.assertEqual(change["changed"]["amount"], {"from": 3, "to": 1})
        # What is shown is what the evaluator says.
        after = self.write("after.json", json.dumps(change["facts"]))
        self.holds("explain", self.claims, "--operation", "pay", "--facts", after)
        text = self.holds("explain", self.claims, "--verdict", "small", "--change", "--facts",
                          self.facts).out
        self.assertEqual(text, "verdict small is absent; it would if\n  amount were 1 (now 3)\n")
        self.assertIn("nothing has to change",
                      self.holds("explain", self.claims, "--operation", "pay", "--change",
                                 "--facts", after).out)

    def test_that_no_change_helps_is_said(self):
        source = self.write("n.tenor", CLAIMS.replace("signed = true and small < 9",
                                                      "amount > 2 and small < 9"))
        result = self.fails(1, "explain", source, "--operation", "force", "--change", "--facts",
                            self.facts)
        self.assertIn("no change of facts helps: proven", result.out)

    def test_an_operation_is_refused_by_persona_facts_or_state(self):
        text = self.fails(1, "explain", self.claims, "--operation", "pay", "--facts", self.facts).out
        self.assertIn("operation pay is refused: precondition failed", text)
        text = self.fails(1, "explain", self.claims, "--operation", "pay", "--persona", "boss",
                          "--facts", self.facts).out
        self.assertIn("persona 'boss' not authorized", text)
        good = self.write("good.json", '{"amount": 0, "risk": "low", "marks": []}')
        text = self.fails(1, "explain", self.claims, "--operation", "pay", "--facts", good,
                          "--state", "Claim=paid").out
        self.assertIn("in state 'paid', expected 'open'", text)
        text = self.holds("explain", self.claims, "--operation", "pay", "--facts", good,
                          "--state", "Claim=open").out
        self.assertIn("operation pay may be performed", text)

    def test_FU23_values_have_the_digits_of_their_currency(self):
        for currency, amount, wanted in (("EUR", "5.00", "5.01"), ("JPY", "500", "501"),
                                         ("KWD", "5.000", "5.001"), ("EUR", "-5.00", "0.00")):
            source = self.write("m.tenor", f"""fact m {{ type: Money(currency: "{currency}") source: "s" }}
rule r {{ stratum: 0 when: m > Money {{ amount: "{amount}", currency: "{currency}" }}
  produce: verdict v {{ payload: Bool = true }} }}
""")
            got = json.loads(self.holds("ask", source, "can v hold", "--json").out)
            self.assertEqual(got["facts"]["m"], {"amount": wanted, "currency": currency})

    def test_FU23_lists_are_as_short_as_they_can_be(self):
        source = self.write("l.tenor", """fact l { type: List(element_type: Int(0, 99), max: 5) source: "s" }
rule r { stratum: 0 when: exists x in l . x > 50 produce: verdict v { payload: Bool = true } }
""")
        for question, wanted in (("can v hold", [51]), ("can v and len(l) > 2 hold", [0, 0, 51]),
                                 ("can not v hold", [])):
            got = json.loads(self.holds("ask", source, question, "--json").out)
            self.assertEqual(got["facts"]["l"], wanted, question)


class Served(Case):
    def test_evaluate_actions_and_explain_over_http(self):
        known = {k: v for k, v in FACTS.items() if k != "delivery_status"}
        with Server(self.dir, ESCROW) as server:
            at = "/v1/contracts/escrow/"
            got = server.post(at + "evaluate", {"facts": known, "partial": True})
            self.assertEqual(got.status, 200, got)
            self.assertEqual(got.json["unknown"], ["delivery_status"])
            states = {v["type"]: v.get("condition", v["state"]) for v in got.json["verdicts"]}
            self.assertEqual(states["release_approved"], 'delivery_status = "confirmed"')
            self.assertEqual(states["within_threshold"], "present")
            operations = {o["operation"]: o["precondition"] for o in got.json["operations"]}
            self.assertEqual(operations["release_escrow"], "depends")
            again = server.post(at + "evaluate", {"facts": FACTS, "unknown": ["delivery_status"]})
            self.assertEqual(again.body, got.body)
            got = server.post(at + "actions", {"facts": known, "partial": True,
                                               "persona": "escrow_agent"})
            self.assertEqual(got.status, 200, got)
            self.assertEqual([f["flow"] for f in got.json["flows"]],
                             ["refund_flow", "standard_release"])
            got = server.post(at + "explain", {"facts": FACTS | {"delivery_status": "pending"},
                                               "operation": "release_escrow"})
            self.assertEqual((got.status, got.json["open"]), (200, False), got)
            # FU3: the reason ends at facts.
            verdict, = got.json["because"][0]["verdicts"]
            inner, = verdict["because"][0]["verdicts"]
            self.assertEqual(list(inner["because"][0]["facts"]), ["delivery_status"])
            got = server.post(at + "explain", {"facts": known, "partial": True,
                                               "verdict": "release_approved"})
            self.assertEqual(got.json["condition"], 'delivery_status = "confirmed"', got)
            got = server.post(at + "explain", {"facts": FACTS, "flow": "refund_flow",
                                               "persona": "escrow_agent"})
            self.assertEqual((got.status, got.json["open"]), (200, False), got)
            self.refusals(server, at)
            document = server.get("/openapi.json").json
            name = document["paths"][at + "explain"]["post"]["requestBody"]["content"][
                "application/json"]["schema"]["$ref"].rsplit("/", 1)[-1]
            schema = document["components"]["schemas"][name]["properties"]
            self.assertTrue({"verdict", "operation", "flow", "unknown", "partial"} <= set(schema))

    def refusals(self, server, at):
        def code(path, body):
            answer = server.post(at + path, body)
            return answer.status, answer.code
        self.assertEqual(code("evaluate", {"facts": FACTS, "unknown": ["nobody"]}),
                         (404, "unknown_fact"))
        self.assertEqual(code("evaluate", {"facts": FACTS, "unknown": "delivery_status"}),
                         (400, "bad_request"))
        self.assertEqual(code("explain", {"facts": FACTS}), (400, "bad_request"))
        self.assertEqual(code("explain", {"facts": FACTS, "operation": "nothing"}),
                         (404, "unknown_operation"))
        self.assertEqual(code("operations/release_escrow",
                              {"facts": FACTS, "persona": "escrow_agent", "partial": True,
                               "bindings": {"EscrowAccount": "a"}}), (400, "bad_request"))

    def test_FU3_a_refusal_names_the_facts_at_the_root(self):
        with Server(self.dir, ESCROW) as server:
            server.post("/v1/contracts/escrow/instances/EscrowAccount", {"id": "a"})
            got = server.post("/v1/contracts/escrow/operations/release_escrow",
                              {"facts": FACTS | {"delivery_status": "pending"},
                               "persona": "escrow_agent", "bindings": {"EscrowAccount": "a"}})
            self.assertEqual(got.code, "precondition_failed", got)
            self.assertEqual(got.json["reasons"][0]["rests_on"], ["delivery_status"])


if __name__ == "__main__":
    main()
