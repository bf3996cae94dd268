"""Flows from the command line: eval --flow, actions, explain, repl, and scenarios."""
import json

from harness import SOURCE, Case, conformance, main

ESCROW = SOURCE / "examples" / "escrow" / "escrow.tenor"
CLAIMS = SOURCE / "examples" / "claims" / "claims.tenor"
FACTS = {
    "escrow_amount": {"amount": "8500.00", "currency": "USD"},
    "delivery_status": "confirmed",
    "line_items": [{"id": "L1", "description": "A", "valid": True,
                    "amount": {"amount": "8500.00", "currency": "USD"}}],
}
CLAIM_FACTS = {"policy_active": True,
               "claimed_amount": {"amount": "1.00", "currency": "EUR"},
               "covered_amount": {"amount": "2.00", "currency": "EUR"}}


# Effects are named in another order than entities have in a provenance.
BACKWARDS = """persona p
fact go {
  type:   Bool
  source: "x.go"
}
entity Abe {
  states:      [a, b]
  initial:     a
  transitions: [(a, b)]
}
entity Zed {
  states:      [a, b]
  initial:     a
  transitions: [(a, b)]
}
operation both {
  allowed_personas: [p]
  precondition:     go = true
  effects:          [(Zed, a, b), (Abe, a, b)]
  error_contract:   [precondition_failed]
}
flow f {
  snapshot: at_initiation
  entry:    one
  steps: {
    one: OperationStep {
      op:         both
      persona:    p
      outcomes:   { success: Terminal(success) }
      on_failure: Terminate(outcome: failure)
    }
  }
}
"""


class FlowCase(Case):
    def facts(self, **changes):
        return self.write("facts.json", json.dumps({**FACTS, **changes}))

    def flow(self, *words, contract=ESCROW, facts=None):
        return ("eval", contract, "--facts", facts or self.facts(), *words)


class Eval(FlowCase):
    RELEASE = ("--flow", "standard_release", "--persona", "seller")

    def test_a_flow_runs_to_its_end(self):
        result = json.loads(self.holds(*self.flow(*self.RELEASE, "--json")).out)
        self.assertEqual(result["flow_outcome"], "success")
        self.assertEqual([s["step_id"] for s in result["steps_executed"]],
                         ["step_confirm", "step_check_threshold", "step_auto_release"])
        self.assertEqual(result["entity_state_changes"][1],
                         {"entity_id": "EscrowAccount", "from": "held",
                          "instance_id": "_default", "to": "released"})
        self.assertNotIn("simulation", result)
        roots = {f["id"]: f["assertion_source"] for f in result["provenance"]["facts"]}
        self.assertEqual(roots["escrow_amount"], "external")
        self.assertEqual(roots["compliance_threshold"], "contract")

    def test_the_text_form_says_the_same(self):
        out = self.holds(*self.flow(*self.RELEASE)).out
        self.assertIn("Outcome: success\n", out)
        self.assertIn("  EscrowAccount : held -> released\n", out)

    def test_the_same_bytes_every_time(self):
        words = self.flow(*self.RELEASE, "--json")
        self.assertEqual(self.holds(*words).out_bytes, self.holds(*words).out_bytes)

    def test_what_a_provenance_has_of_entities_is_sorted_by_their_names(self):
        contract, facts = self.write("two.tenor", BACKWARDS), self.write("go.json", '{"go": true}')
        for what in ("--flow", "f"), ("--operation", "both"):
            out = self.holds("eval", contract, "--facts", facts, *what, "--persona", "p", "--json").out
            for part in ("instance_binding", "state_after", "state_before"):
                self.assertRegex(out, rf'"{part}":\{{"Abe":[^A]*"Zed":', (what, out))

    def test_states_and_bindings_choose_the_instance(self):
        out = self.holds(*self.flow(
            *self.RELEASE, "--json", "--state", "EscrowAccount/e1=held", "--state",
            "EscrowAccount/e2=released", "--bind", "EscrowAccount=e1")).out
        self.assertEqual(json.loads(out)["entity_state_changes"][1]["instance_id"], "e1")

    def test_bad_states_and_bindings_are_named(self):
        for words, message in [
                (("--state", "EscrowAccount=lost"), "entity 'EscrowAccount' has no state 'lost'"),
                (("--state", "Nobody=held"), "the contract has no entity 'Nobody'"),
                (("--state", "EscrowAccount=hold"), "no state 'hold'; did you mean 'held'?"),
                (("--state", "EscrowAcount=held"), "no entity 'EscrowAcount'; did you mean 'EscrowAccount'?"),
                (("--state", "EscrowAccount"), "is not ENTITY=STATE"),
                (("--bind", "EscrowAccount=ghost"), "instance 'ghost' not found in state map"),
                (("--bind", "EscrowAccount="), "bound to an empty name"),
                (("--state", "EscrowAccount/e1=held"), "no instance is bound to entity 'EscrowAccount'"),
        ]:
            with self.subTest(words):
                self.assertIn(message, self.fails(1, *self.flow(*self.RELEASE, *words)).err)

    def test_unknown_flow_persona_and_operation(self):
        self.assertIn("flow 'x' not found",
                      self.fails(1, *self.flow("--flow", "x", "--persona", "seller")).err)
        self.assertIn("persona 'x' is not declared", self.fails(
            1, *self.flow("--flow", "standard_release", "--persona", "x")).err)
        self.assertIn("operation 'x' not found",
                      self.fails(1, *self.flow("--operation", "x", "--persona", "seller")).err)
        self.assertIn("--persona is required",
                      self.fails(2, *self.flow("--flow", "standard_release")).err)

    def test_a_misspelt_name_has_a_neighbour(self):
        rest = self.flow("--persona", "seller")[1:]
        for words, meant in (
                (("eval", *rest, "--flow", "standard_relaese"), "standard_release"),
                (("eval", *rest, "--operation", "confirm_delivry"), "confirm_delivery"),
                (("explain", *rest[:-2], "--verdict", "release_aproved"), "release_approved"),
                (("explain", *rest[:-2], "--operation", "confirm_delivry"), "confirm_delivery"),
                (("explain", *rest[:-2], "--unknown", "delivery_status", "--verdict", "release_aproved"),
                 "release_approved"),
                (("explain", *rest[:-2], "--all", "--verdict", "release_aproved"), "release_approved"),
                (("explain", *rest, "--flow", "standard_relaese"), "standard_release"),
                (("actions", *rest[:-2], "--persona", "seler"), "seller"),
                (("eval", *rest[:-2], "--unknown", "delivery_statsu"), "delivery_status")):
            with self.subTest(words):
                result = self.run_motet(*words)
                self.assertIn(result.code, (1, 2))
                self.assertIn(f"; did you mean '{meant}'?", result.err)

    def test_a_dry_run_says_so_everywhere(self):
        result = json.loads(self.holds(*self.flow(*self.RELEASE, "--dry-run", "--json")).out)
        self.assertTrue(result["simulation"])
        self.assertTrue(result["provenance"]["simulation"])
        self.assertTrue(all(s["simulation"] for s in result["provenance"]["steps"]))

    def test_one_operation_and_its_typed_error(self):
        words = ("--operation", "release_escrow", "--persona", "escrow_agent", "--json")
        self.assertEqual(json.loads(self.holds(*self.flow(*words)).out)["outcome"], "released")
        refused = self.fails(1, *self.flow(*words, "--state", "EscrowAccount=refunded"))
        self.assertEqual(json.loads(refused.out)["error"]["type"], "invalid_source_state")
        self.assertTrue(json.loads(refused.out)["error"]["undeclared"])

    def test_an_outcome_is_named_where_several_match(self):
        facts = self.write("claim.json", json.dumps(CLAIM_FACTS))
        words = ("--operation", "decide_claim", "--persona", "adjudicator", "--state",
                 "Claim=review")
        self.assertIn("ambiguous_outcome",
                      self.fails(1, *self.flow(*words, contract=CLAIMS, facts=facts)).out)
        self.assertIn("Claim : review -> rejected", self.holds(*self.flow(
            *words, "--outcome", "rejected", contract=CLAIMS, facts=facts)).out)


class Actions(FlowCase):
    def test_open_and_blocked_flows_with_reasons(self):
        states = self.write("s.json", json.dumps({"DeliveryRecord": {
            "d3": "pending", "d2": "confirmed", "d1": "pending"}}))  # in no order
        space = json.loads(self.holds("actions", ESCROW, "--facts", self.facts(), "--persona",
                                      "seller", "--states", states, "--json").out)
        action = space["actions"][0]
        self.assertEqual(action["flow_id"], "standard_release")
        self.assertEqual(action["instance_bindings"], {"DeliveryRecord": ["d1", "d3"]})
        self.assertEqual(action["also_binds"], ["EscrowAccount"])
        reasons = {(b["flow_id"], b["reason"]["type"]): b for b in space["blocked_actions"]}
        self.assertEqual(reasons["standard_release", "EntityNotInSourceState"]
                         ["instance_bindings"], {"DeliveryRecord": ["d2"]})
        self.assertIn(("refund_flow", "PersonaNotAuthorized"), reasons)

    def test_the_false_part_of_a_precondition_is_named(self):
        items = [dict(FACTS["line_items"][0], valid=False)]
        out = self.holds("actions", ESCROW, "--facts", self.facts(line_items=items),
                         "--persona", "seller").out
        self.assertIn("line_items[0].valid = true is false", out)

    def test_a_persona_nobody_declares(self):
        self.fails(1, "actions", ESCROW, "--facts", self.facts(), "--persona", "nobody")
        self.fails(2, "actions", ESCROW, "--facts", self.facts())


class Explain(FlowCase):
    def test_the_contract_in_three_forms(self):
        text = self.holds("explain", ESCROW, "--verbose").out
        self.assertIn("seller performs: confirm delivery", text)
        self.assertIn("## DECISION FLOW NARRATIVE",
                      self.holds("explain", ESCROW, "--format", "markdown").out)
        data = json.loads(self.holds("explain", ESCROW, "--format", "json").out)
        self.assertEqual(len(data["flows"][1]["paths"]), 7)
        self.fails(2, "explain", ESCROW, "--format", "song")

    def test_why_a_verdict_is_absent(self):
        facts = self.facts(delivery_status="pending")
        result = self.fails(1, "explain", ESCROW, "--facts", facts, "--verdict",
                            "release_approved", "--json")
        because = json.loads(result.out)["because"]
        self.assertEqual([b["atom"] for b in because],
                         ["verdict_present(delivery_confirmed)"])
        self.assertEqual(because[0]["verdicts"][0]["because"][0]["facts"]["delivery_status"]
                         ["value"], "pending")
        self.holds("explain", ESCROW, "--facts", self.facts(), "--verdict", "release_approved")

    def test_why_a_flow_is_closed(self):
        words = ("explain", ESCROW, "--facts", self.facts(), "--flow", "standard_release",
                 "--persona")
        self.assertIn("open to", self.holds(*words, "seller").out)
        self.assertIn("seller is to perform confirm_delivery", self.fails(1, *words, "buyer").out)
        self.assertIn("are in state 'failed'", self.fails(
            1, *words, "seller", "--state", "DeliveryRecord=failed").out)


class Repl(FlowCase):
    def test_facts_come_and_verdicts_follow(self):
        lines = [f"set {name} {json.dumps(value)}" for name, value in FACTS.items()]
        lines += ["set delivery_status failed", "set delivery_status lost", "unset escrow_amount",
                  "verdicts", "nonsense", "set nothing 1", "quit"]
        out = self.holds("repl", ESCROW, stdin="\n".join(lines)).out
        self.assertIn('+ release_approved = "auto"', out)
        self.assertIn("- release_approved", out)
        self.assertIn("+ delivery_failed", out)
        self.assertIn("invalid enum value for fact 'delivery_status': 'lost'", out)
        self.assertIn("still missing: escrow_amount", out)
        self.assertIn("unknown command 'nonsense'", out)
        self.assertIn("no fact 'nothing'", out)

    def test_flows_are_tried_and_run(self):
        lines = [f"set {name} {json.dumps(value)}" for name, value in FACTS.items()]
        lines += ["try standard_release seller", "states", "flow standard_release seller",
                  "states", "explain release_approved", "actions seller", "help", "reset"]
        out = self.holds("repl", ESCROW, stdin="\n".join(lines)).out
        self.assertLess(out.index("EscrowAccount/_default = held"),
                        out.index("EscrowAccount/_default = released"))
        self.assertIn("blocked  standard_release: EntityNotInSourceState", out)


class Scenarios(FlowCase):
    def test_the_examples_cover_every_path(self):
        out = self.holds("test", SOURCE / "examples", "--coverage-min", "100").out
        self.assertNotIn("never seen", out)
        self.assertGreater(out.count("# coverage of "), 4)

    def scenario(self, then, **more):
        contract = self.write("c.tenor", ESCROW.read_text())
        path = contract.with_name("c.scenarios.json")
        path.write_text(json.dumps({"scenarios": [{
            "name": "one", "given": {"facts": FACTS},
            "when": {"persona": "seller", "flow": "standard_release"}, "then": then, **more}]}))
        return path

    def test_a_failure_reads_as_a_difference(self):
        path = self.scenario({"outcome": "failure", "states": {"EscrowAccount": "held"},
                              "absent": ["release_approved"], "steps": ["step_confirm"]})
        out = self.fails(1, "test", path).out
        for line in ["outcome: expected failure, got success",
                     "state of EscrowAccount/_default: expected held, got released",
                     "absent: verdict release_approved is present",
                     "step 2: expected no further step, got step_check_threshold=true"]:
            self.assertRegex(out, f"  # {path}:1:[0-9]+: {line}\n")

    def test_a_failing_case_is_recorded_as_a_scenario_that_holds(self):
        self.fails(1, "test", self.scenario({"outcome": "failure"}), "--record", "new.json")
        recorded = json.loads((self.dir / "new.json").read_text())
        self.assertEqual(recorded["scenarios"][0]["then"]["outcome"], "success")
        (self.dir / "c.scenarios.json").write_text(json.dumps(recorded))
        self.holds("test", self.dir / "c.scenarios.json")

    def test_coverage_counts_and_has_a_threshold(self):
        path = self.scenario({"outcome": "success"})
        data = json.loads(self.holds("test", path, "--coverage", "--json").out)
        cover = data["coverage"][0]["coverage"]
        self.assertEqual((cover["paths"]["seen"], cover["paths"]["total"]), (1, 9))
        self.assertIn("rules", cover)
        self.assertIn("less than 90 %", self.fails(1, "test", path, "--coverage-min", "90").err)
        self.fails(2, "test", path, "--coverage-min", "many")

    def test_a_mistake_in_the_file_is_never_silent(self):
        for then, more, message in [
                ({"outcom": "success"}, {}, "unknown key 'outcom'"),
                ({}, {}, "nothing is expected"),
                ({"outcome": "success"}, {"given": {"facts": []}}, "facts must be a map"),
                ({"outcome": "success"}, {"when": {"flow": "standard_release"}}, "needs a persona"),
                ({"verdicts": ["typo"]}, {}, "the contract has no verdict 'typo'"),
                ({"states": {"Typo": "held"}}, {}, "the contract has no entity 'Typo'"),
                ({"outcome": "success"}, {"given": {"facts": FACTS, "states": {"EscrowAccount": 1}}},
                 "must be a string"),
        ]:
            with self.subTest(message):
                self.assertIn(message, self.fails(1, "test", self.scenario(then, **more)).out)

    def scenarios(self, *thens, head=""):
        self.write("c.tenor", ESCROW.read_text())
        text = head + "given:\n  facts: " + json.dumps(FACTS) + "\nscenarios:\n"
        for n, then in enumerate(thens):
            text += f"""  - name: case {n}
    when: {{persona: seller, flow: standard_release}}
    then:
      {then}
"""
        return self.write("c.scenarios.yaml", text)

    def test_FU20_a_bad_key_fails_its_case_alone_at_its_place(self):
        path = self.scenarios("outcome: success", "outcom: success", "outcome: success")
        out = self.fails(1, "test", path).out
        self.assertIn("\nok 1 - c.scenarios.yaml: case 0", "\n" + out)
        self.assertIn("\nnot ok 2 - c.scenarios.yaml: case 1", out)
        self.assertIn(f"{path}:11:7: then has an unknown key 'outcom'; did you mean `outcome`?\n", out)
        self.assertIn("\nok 3 - c.scenarios.yaml: case 2", out)

    def test_FU20_every_fault_of_a_case_is_told_with_its_line(self):
        path = self.scenarios("outcome: success", "verdicts: none\n      payloads: [1]\n      step: []")
        out = self.fails(1, "test", path).out
        self.assertIn("\nok 1 - c.scenarios.yaml: case 0", "\n" + out)
        for line in ("11:17: `then.verdicts` must be a list, not text",
                     "12:17: `then.payloads` must be an object, not a list",
                     "13:7: then has an unknown key 'step'; did you mean `steps`?"):
            self.assertIn(f"{path}:{line}\n", out)

    def test_FU20_a_bad_key_of_the_file_is_told_once_with_its_line(self):
        path = self.scenarios("outcome: success", "outcome: success", head="contrct: c.tenor\n")
        out = self.fails(1, "test", path).out
        self.assertIn("not ok 1 - c.scenarios.yaml: the file", out)
        self.assertEqual(out.count(f"{path}:1:1: the file has an unknown key 'contrct'; "
                                   "did you mean `contract`?"), 1)
        path.write_text(path.read_text().replace("contrct", "contract").replace("  facts", "  fact"))
        self.assertIn(f"{path}:3:3: given has an unknown key 'fact'; did you mean `facts`?\n",
                      self.fails(1, "test", path).out)

    def test_the_conformance_flows_pass(self):
        suite = conformance("tenor")
        if suite:
            out = self.holds("test", suite, "--only", "eval/").out
            self.assertIn("ok 1 - ", out)
            self.assertNotIn("not ok", out)


main()
