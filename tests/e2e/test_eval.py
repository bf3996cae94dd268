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


main()
