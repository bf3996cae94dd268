"""motet diff and motet migrate: classes, exit codes, baselines, migration contracts, plans."""
import json

from harness import SOURCE, Case, main

ESCROW = SOURCE / "examples" / "escrow" / "escrow.tenor"
PLATFORM = SOURCE / "examples" / "trade_platform"
FACTS = json.loads((SOURCE / "tests" / "data" / "escrow.facts.json").read_text())


class Versions(Case):
    def version(self, name, *edits, base=None):
        """The escrow contract with edits, in a directory of its own."""
        text = base or ESCROW.read_text()
        for find, replace in edits:
            self.assertIn(find, text)
            text = text.replace(find, replace, 1)
        return self.write(f"{name}/escrow.tenor", text)

    def diff_json(self, code, *words):
        result = self.run_motet("diff", *words, "--json")
        self.assertEqual(result.code, code, result)
        return json.loads(result.out)


class Diff(Versions):
    def test_a_contract_does_not_differ_from_itself(self):
        result = self.holds("diff", ESCROW, ESCROW)
        self.assertEqual(result.out, "no differences\n")
        got = self.diff_json(0, ESCROW, ESCROW)
        self.assertEqual((got["added"], got["changed"], got["removed"]), ([], [], []))
        self.assertEqual(got["summary"]["total_changes"], 0)

    def test_comments_and_lines_are_no_change(self):
        moved = self.version("v2", ("type LineItemRecord", "\n\n// new\n\ntype LineItemRecord"))
        self.assertEqual(self.holds("diff", ESCROW, moved).out, "no differences\n")

    def test_source_and_bundle_compare_alike(self):
        bundle = self.write("old/escrow.json", self.holds("elaborate", ESCROW).out)
        self.assertEqual(self.holds("diff", bundle, ESCROW).out, "no differences\n")
        manifest = self.holds("elaborate", "--manifest", ESCROW).out
        self.assertEqual(self.holds("diff", "-", bundle, stdin=manifest).out, "no differences\n")

    def test_a_removed_state_is_breaking_and_says_what_to_do(self):
        old = self.version("v1", ("[held, released, refunded, disputed]",
                                  "[held, released, refunded, disputed, frozen]"))
        result = self.run_motet("diff", old, ESCROW)
        self.assertEqual(result.code, 1)
        self.assertIn("~ Entity EscrowAccount  [BREAKING]", result.out)
        self.assertIn("states: remove frozen", result.out)
        self.assertIn("do: map instances in removed states", result.out)
        self.assertIn("a migration policy must be declared", result.out)
        back = self.diff_json(0, ESCROW, old)
        self.assertEqual(back["changed"][0]["class"], "NON_BREAKING")

    def test_breaking_lists_by_class(self):
        new = self.version("v2", ("precondition:     verdict_present(refund_approved)",
                                  "precondition:     true"), ("api.orders.com/v2\"",
                                                             "api.orders.com/v3\""),
                           ("persona buyer\n", "persona buyer\npersona auditor\n"))
        result = self.run_motet("diff", "--breaking", ESCROW, new)
        self.assertEqual(result.code, 1)
        places = [result.out.index(word) for word in
                  ("REQUIRES_ANALYSIS:\n", "INFRASTRUCTURE:\n", "NON_BREAKING:\n")]
        self.assertEqual(places, sorted(places))
        self.assertIn("  + Persona auditor \u2014 ", result.out)
        self.assertIn("  ~ Operation refund_escrow .precondition \u2014 ", result.out)

    def test_infrastructure_alone_needs_no_policy_but_a_notice(self):
        new = self.version("v2", ("api.orders.com/v2\"", "api.orders.com/v3\""))
        got = self.diff_json(0, ESCROW, new)
        self.assertEqual((got["class"], got["policy_required"], got["operator_notice"]),
                         ("INFRASTRUCTURE", False, True))

    def test_json_has_values_classes_impact_and_is_stable(self):
        new = self.version("v2", ("initial: held", "initial: disputed"))
        got = self.diff_json(1, ESCROW, new)
        entry = got["changed"][0]
        self.assertEqual((entry["kind"], entry["id"], entry["class"]),
                         ("Entity", "EscrowAccount", "BREAKING"))
        field = entry["fields"][0]
        self.assertEqual((field["field"], field["before"], field["after"]),
                         ("initial", "held", "disputed"))
        change = field["changes"][0]
        self.assertEqual(sorted(change), ["action", "change", "class", "impact", "key", "names",
                                          "reason"])
        self.assertEqual(change["impact"]["in_flight"], "existing instances are unaffected")
        self.assertEqual(got, self.diff_json(1, ESCROW, new))

    def test_a_baseline_lets_only_new_changes_fail(self):
        one = self.version("v2", ("initial: held", "initial: disputed"))
        known = self.write("known.json", json.dumps(self.diff_json(1, ESCROW, one)))
        self.holds("diff", ESCROW, one, "--baseline", known)
        more = self.version("v3", ("initial: held", "initial: disputed"),
                            ("initial: pending", "initial: failed"))
        result = self.run_motet("diff", ESCROW, more, "--baseline", known)
        self.assertEqual(result.code, 1)
        self.assertIn("1 not in the baseline", result.out)
        wrong = self.write("wrong.json", "[]")
        self.fails(1, "diff", ESCROW, one, "--baseline", wrong)
        self.fails(3, "diff", ESCROW, one, "--baseline", self.dir / "none.json")

    def test_the_migration_contract_evaluates_to_the_same_classes(self):
        new = self.version("v2", ("initial: held", "initial: disputed"),
                           ("verdict_present(refund_approved)", "true"),
                           ("api.orders.com/v2\"", "api.orders.com/v3\""))
        result = self.run_motet("diff", "--migration", ESCROW, new)
        self.assertEqual(result.code, 1)
        contract = self.write("migration.tenor", result.out)
        facts = self.write("none.json", "{}")
        verdicts = {v["type"] for v in
                    json.loads(self.holds("eval", contract, "--facts", facts, "--json").out)
                    ["verdicts"]}
        got = self.diff_json(1, ESCROW, new)
        entries = sorted(got["added"] + got["changed"] + got["removed"],
                         key=lambda e: (e["kind"], e["id"]))
        want = {f"construct_{n:04}_{e['class'].lower()}" for n, e in enumerate(entries, 1)}
        self.assertEqual({v for v in verdicts if v.startswith("construct_")}, want)
        self.assertIn("policy_required", verdicts)
        self.assertIn("operator_notice", verdicts)

    def test_systems_are_compared_with_their_members(self):
        text = (PLATFORM / "trade_platform.tenor").read_text()
        old, new = self.dir / "v1", self.dir / "v2"
        for where in (old, new):
            for file in PLATFORM.rglob("*.tenor"):
                self.write(where / file.relative_to(PLATFORM), file.read_bytes())
        self.holds("diff", old / "trade_platform.tenor", new / "trade_platform.tenor")
        member = next(p for p in (new / "contracts").glob("*.tenor") if "initial:" in p.read_text())
        changed = member.read_text().replace("persona ", "persona extra_one\npersona ", 1)
        member.write_text(changed)
        got = self.diff_json(0, old / "trade_platform.tenor", new / "trade_platform.tenor")
        diffs = [d for d in got["system_members"].values() if d["added"]]
        self.assertEqual(diffs[0]["added"][0]["id"], "extra_one")
        trimmed = text[:text.index("triggers")] + "triggers: []\n}\n"
        self.write(new / "trade_platform.tenor", trimmed)
        got = self.diff_json(1, old / "trade_platform.tenor", new / "trade_platform.tenor")
        self.assertIn("triggers", [f["field"] for f in got["changed"][0]["fields"]])

    def test_trust_of_manifests_is_compared(self):
        manifest = json.loads(self.holds("elaborate", "--manifest", ESCROW).out)
        signed = {**manifest, "trust": {"attestation_format": "ed25519-detached",
                                        "trust_domain": "here"}}
        other = {**manifest, "trust": {"attestation_format": "other", "trust_domain": "here"}}
        paths = [self.write(f"{n}.json", json.dumps(m)) for n, m in
                 enumerate((manifest, signed, other))]
        added = self.diff_json(0, paths[0], paths[1])
        self.assertEqual((added["changed"][0]["kind"], added["class"]),
                         ("Manifest", "NON_BREAKING"))
        self.assertEqual(self.diff_json(0, paths[1], paths[2])["class"], "INFRASTRUCTURE")

    def test_bad_input_is_said_clearly(self):
        broken = self.write("broken.json", "{\"kind\": \"Bundle\"")
        self.fails(1, "diff", ESCROW, broken)
        self.fails(1, "diff", broken, ESCROW)
        self.fails(3, "diff", ESCROW, self.dir / "none.tenor")
        stranger = self.write("stranger.tenor", "persona somebody\n")
        self.assertIn("different contracts", self.fails(1, "diff", ESCROW, stranger).err)
        self.assertIn("different contracts", self.fails(1, "migrate", ESCROW, stranger).err)
        self.fails(2, "diff", "-", "-")
        self.fails(2, "diff", ESCROW)
        self.fails(2, "diff", ESCROW, ESCROW, "--migration", "--json")


class Migrate(Versions):
    def no_dispute(self):
        """A version without the state `disputed`."""
        text = ESCROW.read_text()
        start = text.index("operation flag_dispute")
        text = text[:start] + text[text.index("operation confirm_delivery"):]
        return self.version("v2", (", disputed]", "]"), ("    (held, refunded),\n", "    (held, refunded)\n"),
                            ("    (held, disputed),\n", ""), ("    (disputed, released),\n", ""),
                            ("    (disputed, refunded)\n", ""), base=text)

    def flows(self, *instances):
        return self.write("flows.json", json.dumps(list(instances)))

    def plan(self, code, *words):
        result = self.run_motet("migrate", *words, "--json")
        self.assertEqual(result.code, code, result)
        return json.loads(result.out)

    def test_nothing_breaking_needs_no_policy(self):
        got = self.plan(0, ESCROW, ESCROW)
        self.assertEqual((got["recommended_policy"], got["policy_required"]), ("none", False))

    def test_without_instances_blue_green_and_the_states_to_move(self):
        got = self.plan(1, ESCROW, self.no_dispute())
        self.assertEqual(got["recommended_policy"], "blue_green")
        self.assertEqual(got["entity_state_mappings"],
                         [{"entity_id": "EscrowAccount", "from_state": "disputed",
                           "suggested_state": None}])
        types = {f["flow_id"]: f for f in got["flow_types"]}
        self.assertEqual(types["refund_flow"]["touches"],
                         [{"construct_id": "EscrowAccount", "construct_kind": "Entity",
                           "step": "step_refund"}])

    def test_instances_are_judged_one_by_one(self):
        fine = {"id": "fine", "flow": "standard_release", "step": "step_auto_release",
                "facts": FACTS, "states": {"DeliveryRecord": "confirmed"}}
        stuck = {"id": "stuck", "flow": "refund_flow", "step": "step_refund", "facts": FACTS,
                 "states": {"EscrowAccount": "disputed"}}
        new = self.no_dispute()
        got = self.plan(0, ESCROW, new, "--flows", self.flows(fine))
        self.assertEqual(got["recommended_policy"], "force_migrate")
        got = self.plan(1, ESCROW, new, "--flows", self.flows(fine, stuck))
        self.assertEqual(got["recommended_policy"], "blue_green")
        judged = {f["instance_id"]: f for f in got["flow_compatibility"]}
        self.assertTrue(judged["fine"]["compatibility"]["compatible"])
        obstacle = judged["stuck"]["compatibility"]["obstacles"][0]
        self.assertEqual((obstacle["layer"], obstacle["condition"], obstacle["kind"]),
                         (2, "FMC3", "state_removed"))
        text = self.run_motet("migrate", ESCROW, new, "--flows", self.flows(fine, stuck)).out
        self.assertIn("stuck: refund_flow at step_refund: INCOMPATIBLE", text)
        self.assertIn("Coexistence:", text)

    def test_FMC3_only_worse_leaves_out_what_the_old_version_has_too(self):
        """An account that is released is refunded under neither version."""
        stuck = {"id": "stuck", "flow": "refund_flow", "step": "step_refund", "facts": FACTS,
                 "states": {"EscrowAccount": "released"}}
        flows = self.flows(stuck)
        auditor = self.version("v2", ("persona buyer\n", "persona buyer\npersona auditor\n"))
        self.fails(1, "migrate", ESCROW, auditor, "--flows", flows)
        text = self.holds("migrate", ESCROW, auditor, "--flows", flows, "--only-worse").out
        self.assertIn("0 of 1 worse off under the new version; 0 compatible, 1 meet only what "
                      "the old version has, too\n", text)
        self.assertNotIn("state_unreached", text)
        got = self.plan(0, ESCROW, auditor, "--flows", flows, "--only-worse")
        flight = got["flow_compatibility"][0]
        self.assertEqual((got["worse"], flight["worse"], flight["compatibility"]["compatible"]),
                         (0, False, False))
        self.assertTrue(all(o["inherited"] for o in flight["compatibility"]["obstacles"]))
        changed = self.version("v3", ("operation refund_escrow {\n  allowed_personas: [escrow_agent]",
                                      "operation refund_escrow {\n  allowed_personas: [escrow_agent, buyer]"))
        got = self.plan(1, ESCROW, changed, "--flows", flows, "--only-worse")
        self.assertEqual((got["worse"], got["flow_compatibility"][0]["worse"]), (1, True))
        text = self.run_motet("migrate", ESCROW, changed, "--flows", flows, "--only-worse").out
        self.assertIn("stuck: refund_flow at step_refund: WORSE\n      layer 2, FMC3", text)
        self.assertIn("--only-worse judges instances: give --flows",
                      self.fails(2, "migrate", ESCROW, auditor, "--only-worse").err)

    def test_positions_of_the_engine_are_read(self):
        position = {"version": 1, "contract": "escrow", "flow": "refund_flow", "persona": "buyer",
                    "bindings": {"EscrowAccount": "acc-1"}, "states": {"EscrowAccount": "held"},
                    "status": "waiting", "waiting_for": "escrow_agent", "steps_left": 10,
                    "frames": [{"phase": "step", "step": "step_refund"}], "records": []}
        flows = self.write("f.json", json.dumps({"flows": [{"position": position,
                                                            "facts": FACTS}]}))
        got = self.plan(0, ESCROW, self.no_dispute(), "--flows", flows)
        self.assertEqual(got["flow_compatibility"][0]["instance_id"], "#1")

    def test_aggressive_forgives_what_the_snapshot_rules_out(self):
        asked = "precondition:     verdict_present(compliance_review_required)"
        old = self.version("v1", (asked, "precondition:     verdict_present(delivery_confirmed)"))
        new = self.version("v2", ("rule refund_requested", "rule cleared {\n  stratum: 0\n  when: "
                                  "buyer_requested_refund = true\n  produce: verdict cleared { "
                                  "payload: Bool = true }\n}\n\nrule refund_requested"),
                           (asked, "precondition:     verdict_present(cleared)"))
        flow = {"flow": "standard_release", "step": "step_check_threshold", "facts": FACTS,
                "states": {"DeliveryRecord": "confirmed"}}
        got = self.plan(1, old, new, "--flows", self.flows(flow))
        self.assertEqual(got["flow_compatibility"][0]["compatibility"]["obstacles"][0]["condition"],
                         "FMC4")
        got = self.plan(0, old, new, "--flows", self.flows(flow), "--aggressive")
        self.assertEqual(got["analysis"], "aggressive")

    def test_hostile_instances_are_refused_with_their_number(self):
        good = {"flow": "refund_flow", "step": "step_refund", "facts": FACTS}
        for bad in (7, {}, {"flow": "none", "step": "x"}, {**good, "step": "none"},
                    {**good, "facts": {"escrow_amount": True}}, {**good, "facts": []},
                    {**good, "states": {"EscrowAccount": "nowhere"}},
                    {**good, "states": {"Nobody": "held"}},
                    {**good, "position": {"version": 99}}, {**good, "position": []}):
            with self.subTest(str(bad)):
                result = self.fails(1, "migrate", ESCROW, ESCROW, "--flows",
                                    self.flows(good, bad))
                self.assertIn("instance 2:", result.err)
        for bad, fault in (
                (7, "an instance must be an object, not a number"),
                ({}, "needs a `position`, or a `flow` and a `step`"),
                ({"flow": "refund_flow"}, "needs a `position`, or a `flow` and a `step`"),
                ({**good, "position": {}}, "has a `position`, which says `flow` and `step` itself"),
                ({**good, "stats": {}}, "`stats` is not a key of an instance (did you mean `states`?)"),
                ({**good, "states": []}, "`states` must be an object, not a list"),
                ({**good, "facts": []}, "`facts` must be an object, not a list"),
                ({**good, "id": 7}, "`id` must be text, not a number"),
                ({**good, "id": ""}, "`id` must not be empty"),
                ({**good, "flow": ""}, "`flow` must not be empty"),
                ({**good, "step": None, "facts": 1},
                 "`step` must be text, not null; `facts` must be an object, not a number")):
            with self.subTest(str(bad)):
                result = self.fails(1, "migrate", ESCROW, ESCROW, "--flows", self.flows(good, bad))
                self.assertIn(f"instance 2: {fault}\n", result.err)
        for text, fault in (("{}", "`flows` is missing"), ("7", "a file of instances must be an object"),
                            ('{"flows": {}}', "`flows` must be a list, not an object"),
                            ('{"flows": [], "flow": []}',
                             "`flow` is not a key of a file of instances (did you mean `flows`?)")):
            with self.subTest(text):
                path = self.write("x.json", text)
                self.assertIn(f"x.json: {fault}",
                              self.fails(1, "migrate", ESCROW, ESCROW, "--flows", path).err)
        self.fails(1, "migrate", ESCROW, ESCROW, "--flows", self.write("y.json", "["))


class Promises(Case):
    """Invariants of both versions' scenario files must hold of the new one."""
    OLD = """persona p
entity A { states: [a, b, c] initial: a transitions: [(a, b), (b, c), (a, c)] }
operation one { allowed_personas: [p] precondition: true effects: [(A, a, b)] outcomes: [x] error_contract: [persona_rejected] }
operation two { allowed_personas: [p] precondition: true effects: [(A, b, c)] outcomes: [x] error_contract: [persona_rejected] }
"""
    NEW = OLD.replace("effects: [(A, b, c)]", "effects: [(A, b, c), (A, a, c)]")

    def test_a_version_that_breaks_one_is_named_with_the_run(self):
        old, new = self.write("old.tenor", self.OLD), self.write("new.tenor", self.NEW)
        self.write("old.scenarios.yaml", "invariants: [always one before two]\n")
        self.write("new.scenarios.yaml",
                   "invariants: [always one before two, never A.b while A.c]\n")
        result = self.run_motet("diff", "--prove", "--json", old, new)
        self.assertEqual(result.code, 1)
        (unmet,) = json.loads(result.out)["unmet_invariants"]
        self.assertEqual((unmet["question"], unmet["reply"]), ("always one before two", "no"))
        self.assertEqual([s["operation"] for s in unmet["path"]], ["two"])
        self.assertIn("invariant 'always one before two' does not hold\n  1. p: two",
                      self.fails(1, "diff", "--prove", old, new).out)

    def test_a_new_version_that_keeps_them_passes(self):
        old = self.write("old.tenor", self.OLD)
        new = self.write("new.tenor", self.OLD + "persona more\n")
        self.write("old.scenarios.yaml", "invariants: [always one before two]\n")
        self.assertNotIn("unmet_invariants", self.holds("diff", "--prove", "--json", old, new).out)

    def test_what_was_not_decided_does_not_pass(self):
        old = self.write("old.tenor", self.OLD)
        new = self.write("new.tenor", self.OLD + "persona more\n")
        promise = self.write("p.scenarios.yaml", "invariants: [never A.b and A.c]\n")
        self.holds("diff", "--prove", "--scenarios", promise, old, new)
        result = self.fails(1, "diff", "--prove", "--json", "--limit", "reach_states=1",
                            "--scenarios", promise, old, new)
        self.assertEqual(json.loads(result.out)["unmet_invariants"][0]["reply"], "unknown")


main()
