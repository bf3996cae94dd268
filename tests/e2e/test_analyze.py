"""motet analyze: the obligations S1 to S8, findings and baselines, pictures, bad input."""
import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

from harness import MOTET, SOURCE, Case, main

ESCROW = str(SOURCE / "examples" / "escrow" / "escrow.tenor")

DEAD = """persona p
entity Order { states: [open, closed, lost] initial: open transitions: [(open, closed)] }
operation close { allowed_personas: [p] precondition: true effects: [(Order, open, closed)]
  error_contract: [] }
flow main { snapshot: at_initiation entry: a steps: {
  a: OperationStep { op: close persona: p outcomes: { success: b } on_failure: Terminal(failure) }
  b: OperationStep { op: close persona: p outcomes: { success: Terminal(success) }
    on_failure: Terminal(failure) } } }
"""


def ladder(steps):
    """A flow of branches, two ways at each: 2 to the power of `steps` paths."""
    lines = ["persona p", "fact f { type: Bool source: \"x.f\" }",
             "entity E { states: [s, t] initial: s transitions: [(s, t)] }",
             "operation o { allowed_personas: [p] precondition: true effects: [(E, s, t)]",
             "  error_contract: [] }",
             "flow ladder { snapshot: at_initiation entry: s0 steps: {"]
    for i in range(steps):
        to = f"s{i + 1}" if i + 1 < steps else "Terminal(success)"
        lines.append(f"s{i}: BranchStep {{ condition: f persona: p if_true: {to} if_false: {to} }}")
    return "\n".join([*lines, "} }"])


class Analyze(Case):
    def json(self, *words, code=0):
        result = self.run_motet("analyze", "--json", *words)
        self.assertEqual(result.code, code, result)
        return json.loads(result.out)

    # ---- escrow ----

    def test_source_and_bundle_give_the_same_answers(self):
        bundle = self.write("escrow.json", self.holds("elaborate", ESCROW).out)
        self.assertEqual(self.json(ESCROW), self.json(bundle))

    def test_every_obligation_is_answered_for_escrow(self):
        got = self.json(ESCROW)
        self.assertEqual(got["analyses_run"],
                         ["s1", "s2", "s3a", "s4", "s5", "s6", "s7", "s8"])
        self.assertEqual(got["s1_state_space"]["entities"]["EscrowAccount"]["declared_states"],
                         ["held", "released", "refunded", "disputed"])
        self.assertFalse(got["s2_reachability"]["has_dead_states"])
        self.assertEqual(
            got["s3a_admissibility"]["admissible_operations"]["EscrowAccount:held:escrow_agent"],
            ["refund_escrow", "release_escrow"])
        self.assertNotIn([], got["s3a_admissibility"]["admissible_operations"].values())
        self.assertEqual(got["s4_authority"]["persona_authority"]["buyer"],
                         {"by_entity": {"EscrowAccount": {"held": ["flag_dispute"]}},
                          "reaches": {"EscrowAccount": ["held", "disputed"]}})
        self.assertEqual(len(got["s5_verdicts"]["verdict_types"]), 8)
        flow = got["s6_flow_paths"]["flows"]["standard_release"]
        self.assertEqual(flow["path_count"], "7")
        self.assertEqual(sorted(p["terminal_outcome"] for p in flow["paths"]),
                         ["failure"] * 5 + ["success"] * 2)
        bounds = {(b["source_kind"], b["source_id"]): b["steps"]
                  for b in got["s7_complexity"]["predicate_complexities"]}
        self.assertEqual(bounds["Rule", "all_line_items_valid"], "402")
        self.assertTrue(got["s8_verdict_uniqueness"]["unique"])
        self.assertEqual(got["warnings"], 0)

    def test_only_answers_what_was_asked(self):
        got = self.json("--only", "s4, s6", ESCROW)
        self.assertEqual(got["analyses_run"], ["s4", "s6"])
        self.assertIsNone(got["s1_state_space"])
        self.assertIsNotNone(got["s6_flow_paths"])
        self.assertEqual({f["analysis"] for f in got["findings"]}, {"s4"})

    def test_text_is_for_people(self):
        out = self.holds("analyze", ESCROW).out
        self.assertIn("standard_release: 7 paths (failure 5, success 2), at most 5 steps", out)
        self.assertIn("S402 note: Operation flag_dispute: no flow invokes it", out)
        self.assertTrue(out.endswith("0 warnings\n"), out)

    # ---- findings ----

    def test_warnings_are_exit_status_one(self):
        path = self.write("dead.tenor", DEAD)
        result = self.run_motet("analyze", path)
        self.assertEqual(result.code, 1)
        self.assertIn("S201 warning: Entity Order: state 'lost' is unreachable", result.out)
        self.assertIn("S602 warning: Flow main: step 'b' always fails: Order is in {closed}",
                      result.out)
        self.assertIn("S603 warning: Flow main: no path of the flow ends in success", result.out)

    def test_a_baseline_leaves_only_new_findings(self):
        path = self.write("dead.tenor", DEAD)
        known = self.write("known.json", self.run_motet("analyze", "--json", path).out)
        self.assertEqual(self.json("--baseline", known, path)["known_warnings"], 3)
        worse = "\n\n" + DEAD.replace("closed, lost]", "closed, lost, gone]")
        got = self.json("--baseline", known, self.write("worse.tenor", worse), code=1)
        self.assertEqual([f["key"] for f in got["findings"]], ["S201/Entity/Order/gone"])

    def test_too_many_findings_of_a_code_are_counted_not_listed(self):
        states = ", ".join(f"lost_{i}" for i in range(1500))
        path = self.write("many.tenor", DEAD.replace("lost]", f"lost, {states}]"))
        got = self.json(path, code=1)
        self.assertEqual(sum(f["code"] == "S201" for f in got["findings"]), 1000)
        self.assertEqual(got["findings_more"], {"S201": 501})
        self.assertEqual(got["warnings"], 1503)
        few = self.run_motet("analyze", "--limit", "findings=2", path)
        self.assertIn("S201: and 1499 more\n", few.out)
        known = self.write("known.json", self.run_motet("analyze", "--json", path).out)
        self.assertEqual(self.json("--baseline", known, path)["known_warnings"], 1503)

    def test_codes_of_findings_are_explained(self):
        got = self.json(self.write("dead.tenor", DEAD), code=1)
        for code in {f["code"] for f in got["findings"]}:
            self.assertIn(code, self.holds("help", code).out)

    # ---- systems ----

    def test_a_system_is_analysed_across_its_members(self):
        shutil.copytree(SOURCE / "examples" / "trade_platform", self.dir / "trade")
        source = self.json("trade/trade_platform.tenor")
        self.assertEqual(sorted(source["members"]), ["fulfillment", "order_mgmt"])
        self.assertEqual(source["warnings"], 0)
        (trigger,) = source["system"]["cross_contract_paths"]
        self.assertEqual((trigger["can_fire"], trigger["path_count"]), (True, "3"))
        counts = {(a["persona_id"], a["contract_id"]): a["operation_count"]
                  for a in source["system"]["cross_contract_authorities"]}
        self.assertEqual(counts["admin", "order_mgmt"], 2)
        self.assertEqual(source["system"]["shared_entities"]["Order"]["operated_states"],
                         ["placed", "paid", "shipped", "cancelled"])
        bundle = self.holds("elaborate", "trade/trade_platform.tenor").out
        self.write("trade/trade_platform.json", bundle)
        self.assertEqual(self.json("trade/trade_platform.json"), source)
        self.assertIn("fulfillment: flow shipment_flow",
                      self.holds("analyze", "--dot", "trade/trade_platform.tenor").out)
        text = self.holds("analyze", "trade/trade_platform.tenor").out
        self.assertIn("System trade_platform", text)

    def test_a_member_that_is_not_there_is_a_warning(self):
        path = self.write("s.tenor", """system s { members: [a: "a.tenor", b: "b.tenor"]
  shared_personas: [] triggers: [] shared_entities: [] }
""")
        self.write("a.tenor", "persona p")
        got = self.json(path, code=1)
        self.assertIsNone(got["members"]["b"])
        self.assertEqual([f["key"] for f in got["findings"] if f["severity"] == "warning"],
                         ["S907/System/s/b"])

    # ---- pictures ----

    def test_dot_and_mermaid_draw_machines_authority_and_flows(self):
        for form, start in (("--dot", "digraph"), ("--mermaid", "flowchart")):
            out = self.holds("analyze", form, ESCROW).out
            self.assertTrue(out.startswith(start))
            for part in ("EscrowAccount", "Authority", "flow standard_release"):
                self.assertIn(part, out)
        out = self.holds("analyze", "--dot", "--only", "s6", ESCROW).out
        self.assertNotIn("Authority", out)

    @unittest.skipUnless(shutil.which("dot"), "Graphviz is not installed")
    def test_svg_is_drawn_by_graphviz(self):
        self.holds("analyze", "--svg", "--out", "e.svg", ESCROW)
        self.assertIn("<svg", (self.dir / "e.svg").read_text())

    def test_svg_without_graphviz_is_mermaid_and_says_so(self):
        result = self.run_motet("analyze", "--svg", ESCROW, env={"PATH": "/nonexistent"})
        self.assertEqual(result.code, 0, result)
        self.assertIn("Graphviz (dot) is not installed", result.err)
        self.assertTrue(result.out.startswith("flowchart"))

    # ---- contracts built to explode ----

    def test_two_to_the_sixtieth_paths_are_counted(self):
        got = self.json("--paths", "5", self.write("l.tenor", ladder(60)))
        flow = got["s6_flow_paths"]["flows"]["ladder"]
        self.assertEqual(flow["path_count"], str(2 ** 60))
        self.assertTrue(flow["path_count_exact"])
        self.assertEqual((flow["paths_listed"], flow["truncated"]), (5, True))

    def test_a_hundred_digits_are_exact_and_too_many_are_said_to_be(self):
        flows = self.json(self.write("l.tenor", ladder(400)), code=1)["s6_flow_paths"]
        self.assertEqual(flows["total_paths"], str(2 ** 400))
        flows = self.json(self.write("l.tenor", ladder(2500)), code=1)["s6_flow_paths"]
        self.assertEqual(flows["total_paths"], "more than 10^616")
        self.assertFalse(flows["flows"]["ladder"]["path_count_exact"])

    def test_sub_flows_that_call_twice_double_the_digits(self):
        flows = [ladder(1).replace("ladder", "f0")]
        for i in range(1, 40):
            flows.append(
                f"flow f{i} {{ snapshot: at_initiation entry: a steps: {{"
                f" a: SubFlowStep {{ flow: f{i - 1} persona: p on_success: b"
                f" on_failure: Terminal(failure) }}"
                f" b: SubFlowStep {{ flow: f{i - 1} persona: p on_success: Terminal(success)"
                f" on_failure: Terminal(failure) }} }} }}")
        got = self.json("--paths", "3", self.write("d.tenor", "\n".join(flows)), code=1)
        flows = got["s6_flow_paths"]["flows"]
        self.assertEqual(flows["f6"]["path_count"], str(2 ** 64))
        self.assertEqual(flows["f39"]["path_count"], "more than 10^616")

    def test_nested_quantifiers_multiply_their_bounds(self):
        path = self.write("q.tenor", """persona p
fact l { type: List(element_type: Int(min: 0, max: 9), max: 10000) source: "x.l" }
entity E { states: [s, t] initial: s transitions: [(s, t)] }
rule r { stratum: 0 when: forall a in l . forall b in l . forall c in l . a + b > c
  produce: verdict v { payload: Bool = true } }
operation o { allowed_personas: [p] precondition: verdict_present(v) effects: [(E, s, t)]
  error_contract: [] }
""")
        got = self.json("--only", "s7", path, code=1)
        # each forall: itself, its list, max times its body; the body has five nodes
        want = 2 + 10000 * (2 + 10000 * (2 + 10000 * 5))
        self.assertEqual(got["s7_complexity"]["predicate_complexities"][0]["steps"], str(want))
        self.assertEqual([f["code"] for f in got["findings"]], ["S702"])

    def test_ten_thousand_operations_take_no_time(self):
        lines = ["persona p", "persona q",
                 "entity E { states: [s, t] initial: s transitions: [(s, t), (t, s)] }"]
        for i in range(10000):
            lines.append(f"operation o{i} {{ allowed_personas: [p, q] precondition: true "
                         f"effects: [(E, s, t), (E, t, s)] error_contract: [] }}")
        path = self.write("o.tenor", "\n".join(lines))
        began = time.monotonic()
        got = self.json("--only", "s3,s4", path)
        self.assertLess(time.monotonic() - began, 30)
        self.assertEqual(got["s4_authority"]["total_transition_authorities"], 40000)

    def test_ctrl_c_gives_what_is_known(self):
        path = self.write("l.tenor", ladder(60))
        child = subprocess.Popen([str(MOTET), "analyze", "--paths", "5000000", "--only", "s6", path],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 env={**os.environ, "NO_COLOR": "1"})
        child.stdout.read(1 << 16)  # it is listing
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 3)
        self.assertIn(b"stopped; this is what is known so far", err)
        self.assertIn(b"Findings", out)

    def test_progress_is_shown_when_it_takes_long(self):
        path = self.write("l.tenor", ladder(60))
        child = subprocess.Popen([str(MOTET), "analyze", "--paths", "10000000", "--only", "s6", path],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        line = child.stderr.readline()
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=60)
        self.assertRegex(line, rb"^motet analyze: listing")

    # ---- used wrongly ----

    def test_usage(self):
        for words in (["--only", "s9", ESCROW], ["--json", "--dot", ESCROW],
                      ["--paths", "many", ESCROW], []):
            self.assertEqual(self.run_motet("analyze", *words).code, 2, words)

    def test_bad_input(self):
        self.assertEqual(self.run_motet("analyze", "/nonexistent.tenor").code, 3)
        broken = self.write("b.tenor", "persona")
        self.assertEqual(self.run_motet("analyze", broken).code, 1)
        self.assertEqual(self.run_motet("analyze", "--baseline", "/nonexistent", ESCROW).code, 3)
        other = self.write("o.json", "[1]")
        result = self.run_motet("analyze", "--baseline", other, ESCROW)
        self.assertEqual(result.code, 1)
        self.assertIn("is not a report of motet analyze --json", result.err)
        self.assertIsNone(re.search("S1", result.out))

    # Two operations that wait for each other; B is ready only after q's help.
    WAITING = """
        persona p
        persona q
        entity A { states: [a0, a1, a2] initial: a0 transitions: [(a0, a1), (a1, a2)] }
        entity B { states: [b0, b1, b2] initial: b0 transitions: [(b0, b1), (b1, b2)] }
        entity C { states: [c0, c1, c2] initial: c0 transitions: [(c0, c1), (c1, c2)] }
        entity D { states: [d0, d1, d2] initial: d0 transitions: [(d0, d1), (d1, d2)] }
        operation one { allowed_personas: [p] precondition: true
          effects: [(A, a0, a1), (B, b1, b2)] outcomes: [done] error_contract: [] }
        operation two { allowed_personas: [p] precondition: true
          effects: [(A, a1, a2), (B, b0, b1)] outcomes: [done] error_contract: [] }
        operation help { allowed_personas: [q] precondition: true
          effects: [(D, d0, d1)] outcomes: [done] error_contract: [] }
        operation own { allowed_personas: [p] precondition: true
          effects: [(C, c0, c1), (D, d1, d2)] outcomes: [done] error_contract: [] }"""

    def test_FE5_by_operations_means_as_they_execute(self):
        path = self.write("waiting.tenor", self.WAITING)
        entities = self.json("--only", "s2", path)["s2_reachability"]["entities"]
        self.assertEqual({e: entities[e]["operated_states"] for e in "ABCD"},
                         {"A": ["a0"], "B": ["b0"], "C": ["c0", "c1"], "D": ["d0", "d1", "d2"]})

    def test_FE5_alone_means_without_others(self):
        path = self.write("waiting.tenor", self.WAITING)
        authority = self.json("--only", "s4", path)["s4_authority"]["persona_authority"]
        self.assertEqual(authority["p"]["reaches"],
                         {"A": ["a0"], "B": ["b0"], "C": ["c0"], "D": ["d0"]})
        self.assertEqual(authority["q"]["reaches"], {"D": ["d0", "d1"]})

    def test_what_is_beyond_reach_states_is_not_decided(self):
        text = ["persona p"]
        for i in range(3):
            text.append(f"entity E{i} {{ states: [off, on] initial: off "
                        "transitions: [(off, on), (on, off)] }")
            text.append(f"operation flip{i} {{ allowed_personas: [p] precondition: true effects: "
                        f"[(E{i}, off, on), (E{i}, on, off)] outcomes: [done] error_contract: [] }}")
        text.append("entity F { states: [f0, f1] initial: f0 transitions: [(f0, f1)] }")
        text.append("operation end { allowed_personas: [p] precondition: true effects: [(F, f0, f1), "
                    "(E0, on, off), (E1, on, off), (E2, on, off)] outcomes: [done] error_contract: [] }")
        path = self.write("many.tenor", "\n".join(text))
        whole = self.json("--only", "s2,s4", path)
        self.assertEqual(whole["s2_reachability"]["entities"]["F"]["operated_states"], ["f0", "f1"])
        # Eight combinations while F is in f0; the last of them leads on.
        for limit, reached in [(16, ["f0", "f1"]), (8, ["f0", "f1"]), (7, ["f0"])]:
            got = self.json("--only", "s2,s4", "--limit", f"reach_states={limit}", path)
            entity = got["s2_reachability"]["entities"]["F"]
            alone = got["s4_authority"]["persona_authority"]["p"]
            with self.subTest(limit):
                self.assertEqual((entity["operated_states"], alone["reaches"]["F"]),
                                 (reached, reached))
        self.assertEqual(entity["undecided_states"], ["f1"])
        self.assertEqual(alone["undecided"], {"F": ["f1"]})
        text = self.run_motet("analyze", "--only", "s2,s4", "--limit", "reach_states=7", path).out
        self.assertIn("alone it reaches f0; not decided: f1 (reach_states 7)", text)
        self.assertIn("S203 note: Entity F", text)
        self.assertNotIn("S202", text)


main()
