"""motet eval: verdicts, faults with their place, JSON lines, the conformance fixtures."""
import json

from harness import SOURCE, Case, conformance, main

BUNDLE = str(SOURCE / "tests" / "data" / "escrow.bundle.json")
FACTS = SOURCE / "tests" / "data" / "escrow.facts.json"


class Eval(Case):
    def facts(self, **changes):
        facts = json.loads(FACTS.read_text())
        facts.update(changes)
        return self.write("facts.json", json.dumps({k: v for k, v in facts.items()
                                                    if v is not None}))

    def run_json(self, *args):
        result = self.run_motet("eval", *args, "--json")
        return result.code, json.loads(result.out)

    def test_verdicts_come_with_provenance(self):
        code, got = self.run_json(BUNDLE, "--facts", str(FACTS))
        self.assertEqual(code, 0)
        self.assertEqual([v["type"] for v in got["verdicts"]],
                         ["line_items_validated", "within_threshold", "delivery_confirmed",
                          "release_approved"])
        self.assertEqual(got["verdicts"][1]["provenance"],
                         {"facts_used": ["escrow_amount", "compliance_threshold"],
                          "rule": "amount_within_threshold", "stratum": 0,
                          "verdicts_used": []})

    def test_text_names_verdict_payload_and_rule(self):
        result = self.run_motet("eval", BUNDLE, "--facts", str(FACTS))
        self.assertIn("4 verdict(s) produced:", result.out)
        self.assertIn('  [release_approved] "auto" '
                      "(rule: can_release_without_compliance, stratum: 1)", result.out)

    def test_a_fault_names_its_type_and_path(self):
        items = json.loads(FACTS.read_text())["line_items"]
        items[1]["amount"]["currency"] = "EUR"
        code, got = self.run_json(BUNDLE, "--facts", self.facts(line_items=items))
        self.assertEqual(code, 1)
        self.assertEqual(got["details"], {"path": "line_items[1].amount.currency",
                                          "type": "currency_mismatch"})

    def test_a_missing_fact_is_named(self):
        result = self.run_motet("eval", BUNDLE, "--facts", self.facts(escrow_amount=None))
        self.assertEqual(result.code, 1)
        self.assertIn("missing required fact: escrow_amount", result.err)

    def test_surplus_facts_are_refused_when_strict(self):
        path = self.facts(more=1)
        self.assertEqual(self.run_json(BUNDLE, "--facts", path)[0], 0)
        code, got = self.run_json(BUNDLE, "--facts", path, "--strict")
        self.assertEqual((code, got["details"]["type"]), (1, "surplus_fact"))

    def warned(self, *args):
        """What a command says of unknown names; its answer is the one without them."""
        result = self.run_motet("eval", BUNDLE, *args)
        return result, [line.split("warning: ")[1] for line in result.err.splitlines()
                        if "warning: " in line]

    def test_FU20_an_unknown_fact_is_named_with_the_nearest(self):
        good = self.run_motet("eval", BUNDLE, "--facts", str(FACTS))
        for options in [], ["--json"], ["--partial", "--json"], ["--unknown", "escrow_amount"]:
            plain = self.run_motet("eval", BUNDLE, "--facts", str(FACTS), *options)
            result, told = self.warned("--facts", self.facts(escrow_amonut=1, weather=2), *options)
            self.assertEqual((result.code, result.out), (plain.code, plain.out), options)
            self.assertEqual(told, ["the contract has no fact 'escrow_amonut'; did you mean 'escrow_amount'?",
                                    "the contract has no fact 'weather'"], options)
        self.assertEqual(good.err, "")

    def test_FU20_a_misspelt_fact_that_is_needed_is_named_beside_what_is_missing(self):
        result, told = self.warned("--facts", self.facts(escrow_amount=None, escrow_amonut=1))
        self.assertEqual((result.code, result.out), (1, ""))
        self.assertIn("missing required fact: escrow_amount", result.err)
        self.assertEqual(told, ["the contract has no fact 'escrow_amonut'; did you mean 'escrow_amount'?"])

    def test_FU20_an_unknown_field_is_named_with_its_path(self):
        items = json.loads(FACTS.read_text())["line_items"]
        items[1]["amuont"] = 1
        _, told = self.warned("--facts", self.facts(line_items=items))
        self.assertEqual(told, ["fact 'line_items[1]' has no field 'amuont'; did you mean 'amount'?"])

    def test_FU20_lines_have_their_number_and_an_end(self):
        one = json.loads(FACTS.read_text())
        text = "\n".join(json.dumps(one | {f"unknown{i}": 1}) for i in range(30))
        path = self.write("facts.jsonl", "\n" + text + "\n")
        for options in [], ["--partial"]:
            result, told = self.warned("--facts", path, "--lines", *options)
            self.assertEqual((result.code, result.out.count("\n")), (0, 30))
            self.assertEqual(told[0], "line 2: the contract has no fact 'unknown0'")
            self.assertEqual(len(told), 21)
            self.assertEqual(told[-1], "and 10 more names that the contract does not have")

    def test_FU20_what_a_terminal_would_obey_is_escaped(self):
        _, told = self.warned("--facts", self.facts(**{"a\u001b]0;x\u0007\u202e": 1, "é" * 5000: 2}))
        self.assertEqual(told, ["the contract has no fact 'a\\u001b]0;x\\u0007\\u202e'",
                                "the contract has no fact '" + "é" * 60 + "…'"])

    def test_FU20_what_is_refused_when_strict_is_named_with_the_nearest(self):
        result, told = self.warned("--facts", self.facts(escrow_amonut=1), "--strict")
        self.assertEqual((result.code, told), (1, []))
        self.assertIn("unknown fact: escrow_amonut; did you mean 'escrow_amount'?", result.err)

    def test_FU20_other_commands_warn_alike(self):
        path = self.facts(escrow_amonut=1)
        for command in (["eval", BUNDLE, "--flow", "standard_release", "--persona", "escrow_agent"],
                        ["actions", BUNDLE, "--persona", "escrow_agent"],
                        ["actions", BUNDLE, "--persona", "escrow_agent", "--partial"],
                        ["explain", BUNDLE, "--verdict", "release_approved"],
                        ["explain", BUNDLE, "--verdict", "release_approved", "--unknown", "escrow_amount"]):
            result = self.run_motet(*command, "--facts", path)
            self.assertIn("warning: the contract has no fact 'escrow_amonut'; did you mean 'escrow_amount'?",
                          result.err, command)

    def test_lines_in_lines_out(self):
        one = json.dumps(json.loads(FACTS.read_text()))
        path = self.write("facts.jsonl", f"{one}\n{{}}\n\n{one}\n")
        result = self.run_motet("eval", BUNDLE, "--facts", path, "--lines")
        lines = [json.loads(line) for line in result.out.splitlines()]
        self.assertEqual(result.code, 1)
        self.assertEqual(["verdicts" in line for line in lines], [True, False, True])
        self.assertEqual(lines[0], lines[2])

    def test_used_wrongly(self):
        self.assertEqual(self.run_motet("eval", BUNDLE).code, 2)
        self.assertEqual(self.run_motet("eval", BUNDLE, "--facts", "no-such-file").code, 3)

    def test_conformance_rule_fixtures(self):
        suite = conformance("tenor")
        if not suite:
            self.skipTest("no conformance data")
        for contract in sorted((suite / "eval").rglob("*.tenor")):
            with self.subTest(contract.name):
                code, got = self.run_json(str(contract), "--facts",
                                          str(contract.with_suffix(".facts.json")))
                want = contract.with_suffix(".verdicts.json")
                if want.exists():
                    self.assertEqual(code, 0)
                    self.assertEqual(got["verdicts"], json.loads(want.read_text())["verdicts"])
                else:
                    self.assertEqual(code, 1)


ADDITIVE = SOURCE / "tests" / "language" / "interchange" / "additive" / "contract.tenor"
DEFAULTS = {
    "duration": 'd_duration = Duration { value: 30, unit: "days" }',
    "record": 'd_record.side = 4 and d_record.name = "sq"',
    "list": "len(d_list) = 2 and d_list[1] = 5",
    "union": 'd_union.tag = "Cash" and d_union.Cash = 6',
}
FALSE_FACTS = {"n": 20, "o": -5, "flag": False, "xs": [7, 1, 7],
               "age": {"value": 30, "unit": "days"}, "rec": {"ok": True, "part": {"k": 0}},
               "lines": [{"k": 0, "ok": True}, {"k": 3, "ok": False}]}
TRUE_FACTS = {"n": 1, "o": 4, "flag": True, "xs": [2, 7],
              "age": {"value": 31, "unit": "days"}, "rec": {"ok": False, "part": {"k": 3}},
              "lines": [{"k": 3, "ok": False}, {"k": 0, "ok": True}]}


class BeyondTheFirstVersion(Case):
    """Every node of docs/reference/interchange.md, true and false; the results are worked out by hand."""

    def verdicts(self, facts, more=""):
        contract = self.write("contract.tenor", ADDITIVE.read_text() + more)
        bundle = self.write("bundle.json", self.holds("elaborate", contract).out)
        given = self.write("facts.json", json.dumps(facts))
        out = [self.holds("eval", what, "--facts", given, "--json").out
               for what in (contract, bundle)]
        self.assertEqual(*out)
        return {v["type"]: self.plain(v["payload"]) for v in json.loads(out[0])["verdicts"]}

    def plain(self, value):
        if value["kind"] == "record_value":
            return {name: self.plain(part) for name, part in value["fields"].items()}
        if value["kind"] == "list_value":
            return [self.plain(part) for part in value["elements"]]
        if value["kind"] == "tagged_union_value":
            return {value["tag"]: self.plain(value["payload"])}
        return value["value"]

    def test_conditions_that_hold(self):
        # n + o = 5, n - o = -3, and (n + o) * 2 = 10 is not below n.
        true = ["length", "index", "sum", "difference", "deep_field", "field_of_element",
                "bare_fact", "bare_field", "bare_element", "verdict_payload", "duration"]
        self.assertEqual(self.verdicts(TRUE_FACTS),
                         {**{f"v_{name}": True for name in true}, "v_score": 4,
                          "v_payload_reference": 4, "v_payload_sum": 5,
                          "v_written_record": {"l": [1], "type": "a"}, "v_written_union": {"Cash": "1.50"}})

    def test_conditions_that_do_not_hold(self):
        # n + o = 15, n - o = 25, 30 days are not more than 30, v_score is absent.
        self.assertEqual(self.verdicts(FALSE_FACTS), {})

    def test_a_product_of_a_sum(self):
        # (2 - 5) * 2 = -6 < 2; n + o = -3, n - o = 7.
        self.assertEqual(self.verdicts({**FALSE_FACTS, "n": 2}),
                         {"v_product": True, "v_sum": True, "v_difference": True})

    def test_require_true_holds_whatever_the_facts(self):
        contract = self.write("contract.tenor", ADDITIVE.read_text())
        facts = self.write("facts.json", json.dumps(FALSE_FACTS))
        got = self.holds("eval", contract, "--facts", facts, "--operation", "always",
                         "--persona", "p", "--json")
        found = json.loads(got.out)
        self.assertEqual(found["outcome"], "done")
        self.assertEqual(found["entity_state_changes"], [
            {"entity_id": "E", "from": "s", "instance_id": "_default", "to": "t"}])

    def test_an_index_out_of_range_is_a_typed_error(self):
        contract = self.write("contract.tenor", ADDITIVE.read_text())
        facts = self.write("facts.json", json.dumps({**TRUE_FACTS, "xs": [7]}))
        got = self.run_motet("eval", contract, "--facts", facts, "--json")
        self.assertEqual(got.code, 1)
        self.assertEqual(json.loads(got.out)["details"]["type"], "index_out_of_range")

    def test_defaults_stand_in_for_facts_not_given(self):
        rules = "".join(f"rule of_{name} {{ stratum: 0 when: {when} "
                        f"produce: verdict d_{name}_used {{ payload: Bool = true }} }}\n"
                        for name, when in DEFAULTS.items())
        used = {f"d_{name}_used": True for name in DEFAULTS}
        self.assertEqual(self.verdicts(FALSE_FACTS, rules), used)
        given = {"d_duration": {"value": 31, "unit": "days"},
                 "d_record": {"side": 5, "name": "sq"}, "d_list": [3, 4],
                 "d_union": {"tag": "Card", "payload": "x"}}
        for name, value in given.items():
            with self.subTest(name):
                self.assertEqual(self.verdicts({**FALSE_FACTS, name: value}, rules),
                                 {k: v for k, v in used.items() if k != f"{name}_used"})


UNDECLARED = """persona p
fact go { type: Bool source: "x.go" }
entity E { states: [a, b] initial: a transitions: [(a, b)] }
entity F { states: [a, b] initial: a transitions: [(a, b)] }
operation op {
  allowed_personas: [p]
  precondition:     go
  effects:          [%s]
  %s
}
flow f {
  snapshot: at_initiation
  entry:    s
  steps: {
    s: OperationStep {
      op:         op
      persona:    p
      outcomes:   { %s: Terminal(success) }
      on_failure: Terminate(outcome: failure)
    }
  }
}
"""


class UndeclaredOutcomes(Case):
    """What elaborates loads and runs, whatever label the effects of the one outcome have."""

    def flow(self, effects, outcomes, route):
        source = self.write("c.tenor", UNDECLARED % (effects, outcomes, route))
        bundle = self.write("c.json", self.holds("elaborate", source).out)
        facts = self.write("facts.json", '{"go":true}')
        self.holds("validate", bundle)
        words = ("--facts", facts, "--flow", "f", "--persona", "p", "--json")
        out = [self.holds("eval", what, *words).out for what in (source, bundle)]
        self.assertEqual(*out)
        found = json.loads(out[0])
        return (found["flow_outcome"], [s["result"] for s in found["steps_executed"]],
                [c["entity_id"] for c in found["entity_state_changes"]])

    def test_the_outcome_is_success_and_bears_the_first_label(self):
        rows = [("(E, a, b)", "success", ["E"]),
                ("(E, a, b, done)", "done", ["E"]),
                ("(E, a, b), (F, a, b, done)", "done", ["E", "F"]),
                ("(E, a, b, done), (F, a, b, other)", "done", ["E", "F"])]
        for effects, label, changed in rows:
            with self.subTest(effects):
                self.assertEqual(self.flow(effects, "", "success"),
                                 ("success", [label], changed))

    def test_the_only_declared_outcome_has_all_effects(self):
        self.assertEqual(self.flow("(E, a, b, other), (F, a, b)", "outcomes: [done]", "done"),
                         ("success", ["done"], ["E", "F"]))

    def test_an_error_may_have_the_name_of_a_label(self):
        self.assertEqual(self.flow("(E, a, b, done)", "error_contract: [done]", "success"),
                         ("success", ["done"], ["E"]))

    def test_a_bundle_may_route_the_label_but_not_both_names(self):
        source = self.write("c.tenor", UNDECLARED % ("(E, a, b, done)", "", "success"))
        bundle = json.loads(self.holds("elaborate", source).out)
        step = next(c for c in bundle["constructs"] if c["kind"] == "Flow")["steps"][0]
        target = step["outcomes"]["success"]
        for names, code in [(["done"], 0), (["success"], 0), (["done", "success"], 1),
                            (["other"], 1), ([], 1)]:
            with self.subTest(names):
                step["outcomes"] = {name: target for name in names}
                path = self.write("c.json", json.dumps(bundle))
                self.assertEqual(self.run_motet("validate", path).code, code)


main()
