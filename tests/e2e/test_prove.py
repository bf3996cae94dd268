"""motet diff --prove: weaker, stronger, equal or neither, and facts that tell versions apart."""
import json
import re
import signal
import subprocess
import time

from harness import MOTET, SOURCE, Case, main

ESCROW = SOURCE / "examples" / "escrow" / "escrow.tenor"


class Proven(Case):
    def version(self, *edits):
        text = ESCROW.read_text()
        for find, replace in edits:
            self.assertIn(find, text)
            text = text.replace(find, replace, 1)
        return self.write("new/escrow.tenor", text)

    def proofs(self, new, code, *options):
        """(kind id, field) -> (resolution, proof), of what requires analysis."""
        result = self.run_motet("diff", "--prove", "--json", *options, ESCROW, new)
        self.assertEqual(result.code, code, repr(result))
        found = {}

        def walk(value, key):
            if isinstance(value, dict):
                if "reason" in value and "impact" in value:
                    found[key] = (value.get("resolution"), value.get("proof", ""))
                name = value.get("id") or value.get("construct_id")
                kind = value.get("kind") or value.get("construct_kind")
                for inner, part in value.items():
                    walk(part, f"{kind} {name}" if kind and name else key)
            elif isinstance(value, list):
                for part in value:
                    walk(part, key)

        walk(json.loads(result.out), "")
        return found

    def verdicts(self, contract, facts):
        path = self.write("facts.json", json.dumps(facts))
        out = self.holds("eval", "--json", contract, "--facts", path).out
        return {v["type"] for v in json.loads(out)["verdicts"]}

    def facts(self, proof):
        return json.loads(re.search(r"\{.*\}", proof).group(0))

    def test_an_equal_rule_needs_no_policy(self):
        new = self.version(("buyer_requested_refund = true", "not (buyer_requested_refund = false)"))
        self.fails(1, "diff", ESCROW, new)
        ((resolution, proof),) = self.proofs(new, 0).values()
        self.assertIn("safe", resolution)
        self.assertTrue(proof.startswith("equal"), proof)

    def test_a_weaker_precondition_is_told_apart_by_facts(self):
        new = self.version(("precondition:     verdict_present(refund_approved)",
                            "precondition:     verdict_present(refund_approved) or verdict_present(delivery_failed)"))
        ((resolution, proof),) = self.proofs(new, 0).values()
        self.assertIn("safe", resolution)
        got = self.verdicts(new, self.facts(proof))
        self.assertIn("delivery_failed", got)
        self.assertNotIn("refund_approved", got)

    def test_a_stronger_precondition_breaks_for_the_facts_shown(self):
        new = self.version(("precondition:     verdict_present(refund_approved)",
                            "precondition:     verdict_present(refund_approved) and escrow_amount > "
                            "Money { amount: Decimal(5.00), currency: \"USD\" }"))
        ((resolution, proof),) = self.proofs(new, 1).values()
        self.assertIn("breaking", resolution)
        facts = self.facts(proof)
        self.assertIn("refund_approved", self.verdicts(ESCROW, facts))
        self.assertLessEqual(float(facts["escrow_amount"]["amount"]), 5)

    def test_a_wider_rule_that_takes_an_operation_away_breaks(self):
        new = self.version(("escrow_amount ≤ compliance_threshold",
                            "escrow_amount ≤ compliance_threshold or delivery_status = \"confirmed\""))
        ((resolution, proof),) = self.proofs(new, 1).values()
        self.assertIn("breaking", resolution)
        self.assertIn("weaker", proof)
        facts = self.facts(proof)
        self.assertIn("compliance_review_required", self.verdicts(ESCROW, facts))
        self.assertNotIn("compliance_review_required", self.verdicts(new, facts))

    def test_members_of_systems_are_proven(self):
        platform = SOURCE / "examples" / "trade_platform"
        for path in platform.rglob("*.tenor"):
            text = path.read_text().replace("parcel_weight_grams < 30000",
                                            "not (parcel_weight_grams >= 30000)")
            self.write(f"new/{path.relative_to(platform)}", text)
        old, new = platform / "trade_platform.tenor", self.dir / "new" / "trade_platform.tenor"
        self.fails(1, "diff", old, new)
        self.assertIn("proven safe: equal", self.holds("diff", "--prove", old, new).out)

    def test_a_limit_leaves_it_open_and_says_so(self):
        new = self.version(("escrow_amount ≤ compliance_threshold",
                            "escrow_amount < compliance_threshold"))
        ((resolution, proof),) = self.proofs(new, 1, "--limit", "prove_steps=1").values()
        self.assertIsNone(resolution)
        self.assertIn("limit", proof)


# Every kind of error the engine has can be taken away from `decide`, which has outcomes that
# meet in review, and leaves neither paid nor closed.
DECIDE = """
persona clerk
fact n {{ type: Int(0, {most}) source: "s" }}
fact l {{ type: List(element_type: Int(0, 9), max: 3) source: "s" }}
entity Claim {{ states: [review, paid, refused] initial: review
  transitions: [(review, paid), (review, refused)] }}
operation decide {{ allowed_personas: [clerk] precondition: {condition}
  effects: [{effects}] outcomes: [paid, refused] error_contract: [{errors}] }}
"""
KINDS = ["persona_rejected", "precondition_failed", "evaluation_error", "unknown_instance",
         "invalid_source_state", "ambiguous_outcome", "unknown_outcome"]
BOTH = "(Claim, review, paid, paid), (Claim, review, refused, refused)"


class Errors(Case):
    def removed(self, name, condition="l[0] > 3", effects=BOTH, most=9, options=()):
        """(resolution, proof, exit status) of an error that is no longer declared; `most` is what
        n may be in the new version."""
        for version, errors in [("old", [*KINDS, "odd"]),
                                ("new", [e for e in [*KINDS, "odd"] if e != name])]:
            self.write(f"{version}.tenor", DECIDE.format(
                condition=condition, effects=effects, errors=", ".join(errors),
                most=most if version == "new" else 9))
        result = self.run_motet("diff", "--prove", "--json", *options, self.dir / "old.tenor",
                                self.dir / "new.tenor")
        found = re.search(r'"resolution": *"([^"]*)"', result.out)
        proof = re.search(r'"proof": *"((?:[^"\\]|\\.)*)"', result.out)
        return found and found.group(1), proof and proof.group(1) or "", result.code

    def test_FE4_an_error_that_still_occurs_is_not_called_safe(self):
        for name in KINDS:
            with self.subTest(name):
                resolution, proof, code = self.removed(name)
                self.assertEqual(code, 1, proof)
                self.assertNotIn("safe", resolution or "")
                self.assertIn(f"{name} still occurs", proof)

    def test_FE4_facts_that_only_the_new_version_accepts_count(self):
        resolution, proof, code = self.removed("precondition_failed", "n <= 9", most=20)
        self.assertNotIn("safe", resolution or "", proof)
        self.assertIn("precondition_failed still occurs", proof)

    def test_outcomes_that_move_nothing_match_everywhere(self):
        for effects in ["", "(Claim, review, paid, paid)"]:
            with self.subTest(effects):
                resolution, proof, code = self.removed("ambiguous_outcome", "n > 3", effects)
                self.assertEqual((resolution, code), ("proven_breaking", 1), proof)

    def test_the_states_that_are_shown_are_those_in_which_it_occurs(self):
        # Outcomes x and y move entities that have nothing to do with each other; z never matches.
        text = """
            persona p
            entity A { states: [a0, a1] initial: a0 transitions: [(a0, a1)] }
            entity B { states: [b0, b1, b2] initial: b0 transitions: [(b0, b1), (b1, b2)] }
            entity C { states: [c0, c1, c2] initial: c0 transitions: [(c0, c1), (c1, c2)] }
            operation ready { allowed_personas: [p] precondition: true effects: [(B, b0, b1)]
              outcomes: [done] error_contract: [] }
            operation decide { allowed_personas: [p] precondition: true
              effects: [(A, a0, a1, x), (B, b1, b2, y), (C, c1, c2, z)] outcomes: [x, y, z]
              error_contract: [ERRORS] }"""
        old = self.write("old.tenor", text.replace("ERRORS", "persona_rejected, ambiguous_outcome"))
        new = self.write("new.tenor", text.replace("ERRORS", "persona_rejected"))
        shown = self.fails(1, "diff", "--prove", old, new).out
        self.assertIn("ambiguous_outcome still occurs, undeclared, in A.a0, B.b1, for {}", shown)

    def test_what_never_occurs_is_safe(self):
        for name, condition, effects in [
                ("precondition_failed", "n >= 0", BOTH), ("evaluation_error", "n > 3", BOTH),
                ("unknown_instance", "n > 3 and n < 3", BOTH),
                ("invalid_source_state", "n > 3 and n < 3", BOTH),
                ("unknown_outcome", "n > 3 and n < 3", BOTH)]:
            with self.subTest(name):
                resolution, proof, code = self.removed(name, condition, effects)
                self.assertIn("safe", resolution or "", proof)
                self.assertEqual(code, 0)

    def test_FE4_what_the_solver_does_not_decide_is_open(self):
        for name in KINDS:
            with self.subTest(name):
                resolution, proof, code = self.removed(name, options=("--limit", "prove_steps=1"))
                self.assertEqual((resolution, code), (None, 1), proof)
                self.assertIn("limit was reached", proof)

    def test_FE4_what_is_not_known_is_open(self):
        resolution, proof, code = self.removed("odd")
        self.assertEqual((resolution, code), (None, 1), proof)
        self.assertIn("not an error of the engine", proof)


# Products of unknown factors: the solver would search for long.
HARD = "\n".join(
    ["persona p", 'fact a { type: Int(2, 3000000000) source: "s" }',
     'fact b { type: Int(2, 3000000000) source: "s" }',
     "rule product { stratum: 0 when: a > b produce: verdict product "
     "{ payload: Int(0, 9000000000000000000) = a * b } }"] +
    [f"rule r{i} {{ stratum: 1 when: product = {2305843009213693951 - 2 * i} "
     f"produce: verdict v{i} {{ payload: Bool = true }} }}" for i in range(40)])


class Stopped(Case):
    def test_ctrl_c_ends_with_what_is_known(self):
        path = self.write("hard.tenor", HARD)
        run = subprocess.Popen([MOTET, "check", "--prove", "--json", "--limit", "prove_ms=60000",
                                "--limit", "prove_steps=4000000000", path],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(run.kill)
        time.sleep(1.5)
        run.send_signal(signal.SIGINT)
        out, _ = run.communicate(timeout=30)
        codes = {d["code"]: d["message"] for d in json.loads(out)["diagnostics"]}
        self.assertIn("stopped after", codes["S398"])

    def test_analyze_reports_the_same_findings(self):
        path = self.write("c.tenor", "persona p\n" 'fact n { type: Int(0, 9) source: "s" }\n'
                          "rule r { stratum: 0 when: n > 5 and n < 5 "
                          "produce: verdict v { payload: Bool = true } }\n")
        report = json.loads(self.fails(1, "analyze", "--prove", "--json", path).out)
        (found,) = [f for f in report["findings"] if f["analysis"] == "prove"]
        self.assertEqual((found["code"], found["key"]), ("S312", "S312/Rule/r"))
        self.assertEqual(set(found["details"]["facts"]), {"n"})
        baseline = self.write("base.json", json.dumps(report))
        again = json.loads(self.run_motet("analyze", "--prove", "--json", "--baseline", baseline,
                                          path).out)
        self.assertEqual([f for f in again["findings"] if f["analysis"] == "prove"], [])


main()
