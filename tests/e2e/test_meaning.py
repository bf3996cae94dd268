"""What the language means and warns of, finding by finding (FL: language, FE: evaluation)."""
import json
import re

from harness import Case, main

PERSONA = "persona p\n"
ENTITY = "entity E { states: [a, b, c] initial: a transitions: [(a, b), (a, c)] }\n"


def fact(name, kind, default=None):
    line = f" default: {default}" if default is not None else ""
    return f'fact {name} {{ type: {kind} source: "s.{name}"{line} }}\n'


def rule(when="true", payload="Bool = true", name="r", verdict="v", stratum=0):
    return (f"rule {name} {{ stratum: {stratum} when: {when} "
            f"produce: verdict {verdict} {{ payload: {payload} }} }}\n")


def operation(name="o", require="true", effects="(E, a, b)", more="error_contract: [persona_rejected]"):
    return f"operation {name} {{ personas: [p] require: {require} effects: [{effects}] {more} }}\n"


class Language(Case):
    """Base of the classes below: a contract in one file, asked with a command."""

    def found(self, text, *options, code=None):
        """Diagnostics of `check` by code; of one code with `code`."""
        result = self.run_motet("check", "--json", *options, self.write("c.tenor", text))
        all_found = json.loads(result.out)["diagnostics"]
        return [d for d in all_found if d["code"] == code] if code else {d["code"] for d in all_found}

    def warns(self, text, code, line, *parts):
        """One warning, at this line, that has these words; `help` knows it."""
        found = self.found(text, code=code)
        self.assertEqual([(d["severity"], d["line"]) for d in found], [("warning", line)])
        for part in parts:
            self.assertIn(part, found[0]["message"])
        self.assertIn(code, self.holds("help", code).out)

    def silent(self, text, code):
        self.assertEqual(self.found(text, code=code), [])

    def evaluate(self, text, facts, *options, code=0):
        contract, given = self.write("c.tenor", text), self.write("f.json", json.dumps(facts))
        result = self.run_motet("eval", contract, "--facts", given, "--json", *options)
        self.assertEqual(result.code, code, repr(result))
        return json.loads(result.out)

    def verdicts(self, text, facts):
        return {v["type"]: v["payload"] for v in self.evaluate(text, facts)["verdicts"]}


class Checks(Language):
    def test_FL4_effects_that_contradict_are_one_warning_and_one_error(self):
        more = "outcomes: [done] error_contract: [persona_rejected]"
        text = PERSONA + ENTITY + operation(effects="(E, a, b), (E, a, c)", more=more)
        self.warns(text, "T534", 3, "'E'", "'a'", "'b'", "'c'")
        path = self.write("c.tenor", text)
        result = self.fails(1, "eval", path, "--facts", self.write("f.json", "{}"), "--operation", "o", "--persona", "p")
        self.assertEqual(result.err.count("[E901]"), 1)
        self.assertIn("E901", self.holds("help", "E901").out)

    def test_FL4_effects_of_different_outcomes_do_not_contradict(self):
        more = "outcomes: [x, y] error_contract: [persona_rejected]"
        self.silent(PERSONA + ENTITY + operation(effects="(E, a, b, x), (E, a, c, y)", more=more), "T534")
        self.warns(PERSONA + ENTITY + operation(effects="(E, a, b, x), (E, a, c, x)", more=more), "T534", 3)

    def test_FL5_a_default_that_loses_digits_is_a_warning(self):
        kuwait = fact("m", 'Money("KWD")', 'Money { amount: "1.235", currency: "KWD" }')
        self.warns(kuwait, "T422", 1, "1.235", "1.24")
        bundle = json.loads(self.holds("elaborate", self.write("c.tenor", kuwait)).out)
        self.assertEqual(bundle["constructs"][0]["default"]["amount"]["value"], "1.24")
        self.silent(kuwait.replace("1.235", "1.230"), "T422")
        self.warns(fact("d", "Decimal(5, 2)", "3.145"), "T422", 1, "3.145", "3.14")
        self.warns(fact("l", "List(element_type: Record({ d: Decimal(5, 2) }), max: 2)", "[{ d: 0.001 }]"), "T422", 1)
        self.warns(fact("u", "TaggedUnion { A: Decimal(5, 2) }", "A(0.001)"), "T422", 1)

    def test_a_payload_literal_that_loses_digits_is_a_warning(self):
        self.warns(rule(payload="Decimal(5, 2) = 9.994"), "T450", 1, "9.994", "2")
        self.silent(rule(payload="Decimal(5, 2) = 9.990"), "T450")

    def test_FL7_a_bare_text_payload_is_as_long_as_its_fact(self):
        bundle = json.loads(self.holds("elaborate", self.write("c.tenor", fact("t", "Text(5)") + rule(payload="Text = t"))).out)
        self.assertEqual(bundle["constructs"][1]["body"]["produce"]["payload"]["type"], {"base": "Text", "max_length": 5})

    def test_FL7_a_currency_is_three_characters(self):
        money = fact("m", 'Money("USD")')
        self.holds("check", self.write("c.tenor", money + rule(payload="Text(3) = m.currency")))
        self.fails(1, "check", self.write("c.tenor", money + rule(payload="Text(2) = m.currency")))

    def test_FL20_zero_has_no_sign_in_a_default(self):
        for kind, default in (("Decimal(5, 2)", "-0.001"), ('Money("USD")', 'Money { amount: "-0.001", currency: "USD" }')):
            bundle = json.loads(self.holds("elaborate", self.write("c.tenor", fact("d", kind, default))).out)
            value = bundle["constructs"][0]["default"]
            self.assertEqual(value.get("amount", value)["value"], "0.00")

    def test_FL20_literals_of_conditions_stay_as_written(self):
        text = fact("d", "Decimal(5, 2)") + rule("d > -0.00")
        self.assertIn('"literal": "-0.00"', self.holds("elaborate", self.write("c.tenor", text)).out)

    def test_T532_is_silent_where_the_precondition_always_holds(self):
        more = "error_contract: [persona_rejected]"
        self.silent(PERSONA + ENTITY + operation(more=more), "T532")
        self.warns(PERSONA + ENTITY + fact("x", "Bool") + operation(require="x", more=more), "T532", 4, "precondition_failed")

    def test_FE14_a_value_the_enum_does_not_declare(self):
        text = fact("e", 'Enum(["a", "b"])') + PERSONA + ENTITY + operation(require='e = "c"')
        self.warns(text, "T448", 4, "'c'")
        path = self.write("c.tenor", text)
        bundle = self.write("c.json", self.holds("elaborate", path).out)
        self.assertIn("[L115]", self.holds("validate", bundle).err)
        for contract in (path, bundle):
            self.assertIn("S301 warning: Operation o: its precondition e = \"c\" is always false",
                          self.run_motet("analyze", contract).out)
        self.assertEqual(self.verdicts(fact("e", 'Enum(["a", "b"])') + rule('e = "c"') + rule('"c" != e', name="q", verdict="w"), {"e": "a"}).keys(), {"w"})

    def test_FE19_a_join_that_is_never_taken(self):
        text = PERSONA + ENTITY + operation(more="error_contract: [persona_rejected]") + """flow f { snapshot: at_initiation entry: s steps: {
  s: ParallelStep {
    branches: [Branch { id: x entry: t steps: {
      t: OperationStep { op: o persona: p outcomes: { success: Terminal(success) } on_failure: Terminate(outcome: failure) } } }]
    join: JoinPolicy {
      on_all_success: Terminal(success)
      on_any_failure: Terminate(outcome: failure)
      on_all_complete: Terminal(success)
    }
  }
} }
"""
        self.warns(text, "T568", 11, "on_all_complete", "'s'")
        self.silent(text.replace("      on_all_complete: Terminal(success)\n", ""), "T568")
        self.silent(text.replace("on_all_complete: Terminal(success)", "on_all_complete: null"), "T568")


class Numbers(Language):
    def test_FE6_one_expression_has_one_value(self):
        """Decimal(5,2) * 0.125 has scale 2: rounded in a condition as in a payload."""
        text = fact("d", "Decimal(5, 2)") + rule("d * 0.125 = 0.12", "Decimal(9, 2) = d * 0.125") + \
            "rule q { stratum: 0 when: 0.125 * d = 0.12 produce: w(d * 0.125) }\n"
        found = self.verdicts(text, {"d": "1.00"})
        self.assertEqual({name: v["value"] for name, v in found.items()}, {"v": "0.12", "w": "0.12"})
        self.assertEqual(self.verdicts(text, {"d": "3.00"}), {})

    def test_FE6_each_product_is_rounded(self):
        """0.12 * 0.5 = 0.06, while 1.00 * 0.0625 = 0.0625 would be 0.06 as well; 3.00 differs."""
        text = fact("d", "Decimal(5, 2)") + rule(payload="Decimal(11, 2) = d * 0.125 * 0.5")
        self.assertEqual(self.verdicts(text, {"d": "3.00"})["v"]["value"], "0.19")
        self.assertEqual(self.verdicts(text, {"d": "1.00"})["v"]["value"], "0.06")

    def test_FE6_an_int_takes_the_scale_of_the_literal(self):
        text = fact("i", "Int(0, 100)") + rule("i * 0.125 = 0.375")
        self.assertEqual(self.verdicts(text, {"i": 3}).keys(), {"v"})

    def test_FE16_more_than_28_digits_are_an_overflow(self):
        text = fact("d", "Decimal(28, 0)") + rule("d + 2 > d")
        self.assertEqual(self.evaluate(text, {"d": "9" * 28}, code=1)["details"]["type"], "overflow")
        self.assertEqual(self.verdicts(text, {"d": "9" * 27 + "7"}).keys(), {"v"})
        money = fact("m", 'Money("USD")') + rule("m + m > m")
        self.assertEqual(self.evaluate(money, {"m": {"amount": "6" + "0" * 27, "currency": "USD"}}, code=1)["details"]["type"], "overflow")

    def test_amounts_have_room_before_the_point(self):
        """Types of products derived from an amount hold what amounts there are."""
        text = fact("m", 'Money("USD")') + fact("d", "Decimal(8, 6)") + \
            "rule r { stratum: 0 when: m.amount * 1.5 > 3.0 produce: v(m.amount * d) }\n"
        found = self.verdicts(text, {"m": {"amount": "20000000000.00", "currency": "USD"}, "d": "1.500000"})
        self.assertEqual(found["v"]["value"], "30000000000.00000000")

    def test_FE13_a_money_fact_has_a_currency(self):
        text = fact("m", 'Money("USD")') + rule("m = m")
        answer = self.evaluate(text, {"m": {"amount": "1.00"}}, code=1)
        self.assertEqual(answer["details"], {"path": "m", "type": "missing_field"})
        self.assertEqual(self.verdicts(text, {"m": {"amount": "1.00", "currency": "USD"}}).keys(), {"v"})

    def test_FE16_a_fact_has_at_most_28_digits(self):
        text = fact("m", 'Money("USD")') + rule("m = m")
        for amount in ("1" + "0" * 28, "0." + "1" * 29):
            answer = self.evaluate(text, {"m": {"amount": amount, "currency": "USD"}}, code=1)
            self.assertEqual(answer["details"], {"path": "m.amount", "type": "type_mismatch"})


FLOW = """flow f { snapshot: at_initiation entry: s steps: {
  s: OperationStep { op: o persona: p outcomes: { success: Terminal(success) } on_failure: Terminate(outcome: failure) } } }
"""


class Aborts(Language):
    """Legal facts that end an evaluation in an error are shown, and do (S331 to S333)."""

    def aborts(self, text, code, line):
        self.warns(text, code, line, "legal facts end it in an error")
        hint = self.found(text, code=code)[0]["hint"]
        facts = json.loads(hint[hint.index('see {') + 4:])["facts"]
        kind = {"S331": "overflow", "S332": "index_out_of_range", "S333": "tag_mismatch"}[code]
        answer = self.evaluate(text, facts, code=1)
        self.assertEqual((answer["details"]["type"], answer["details"]["rule"]), (kind, "r"))
        self.fails(1, "check", "--strict", self.dir / "c.tenor")

    def test_FL28_a_promoted_type_that_cannot_hold_its_operands(self):
        self.aborts(fact("i", "Int(0, 100)") + rule("i + 5.25 > 1.0"), "S331", 2)
        self.silent(fact("i", "Int(0, 94)") + rule("i + 5.25 > 1.0"), "S331")
        self.silent(fact("i", "Int(0, 100)") + rule("i < 95 and i + 5.25 > 1.0"), "S331")

    def test_FL21_a_sum_of_28_digits(self):
        self.aborts(fact("d", "Decimal(28, 2)") + rule("d + d > 1.0"), "S331", 2)
        self.silent(fact("d", "Decimal(27, 2)") + rule("d + d > 1.0"), "S331")

    def test_FL22_an_element_the_list_cannot_have(self):
        numbers = fact("l", "List(element_type: Int(0, 9), max: 5)")
        self.aborts(numbers + rule("l[5] = 1"), "S332", 2)
        self.aborts(numbers + rule("l[0] = 1"), "S332", 2)
        self.silent(numbers + rule("len(l) > 4 and l[4] = 1"), "S332")

    def test_a_variant_that_was_not_asked_for(self):
        union = fact("u", "TaggedUnion { A: Bool, B: Int(0, 5) }")
        self.aborts(union + rule("u.B = 1"), "S333", 2)
        self.silent(union + rule('u.tag = "B" and u.B = 1'), "S333")

    def test_a_bundle_is_looked_at_as_well(self):
        self.write("c.tenor", fact("l", "List(element_type: Int(0, 9), max: 5)") + rule("l[0] = 1"))
        bundle = self.write("c.json", self.holds("elaborate", self.dir / "c.tenor").out)
        found = json.loads(self.run_motet("check", "--json", bundle).out)["diagnostics"]
        self.assertIn("S332", {d["code"] for d in found})


class Provenance(Language):
    CHAIN = fact("a", "Bool") + fact("n", "Int(0, 9)") + fact("other", "Bool", "true") + rule("a and n > 5") + PERSONA + ENTITY + \
        operation(require="not verdict_present(v)") + FLOW

    def test_FE10_chains_end_at_facts_though_the_verdict_is_absent(self):
        for facts, used in (({"a": True, "n": 1}, ["a", "n"]), ({"a": False, "n": 9}, ["a"])):
            run = self.evaluate(self.CHAIN, facts, "--flow", "f", "--persona", "p")
            tried = self.evaluate(self.CHAIN, facts, "--operation", "o", "--persona", "p")
            for record in (run["provenance"]["steps"][0], tried["provenance"]):
                self.assertEqual((record["facts_used"], record["verdicts_used"]), (used, ["v"]))

    def test_FE10_verdicts_keep_their_own_provenance(self):
        text = self.CHAIN + rule("not verdict_present(v)", name="q", verdict="w", stratum=1)
        verdict = self.evaluate(text, {"a": True, "n": 1})["verdicts"][0]
        self.assertEqual(verdict["provenance"], {"facts_used": [], "rule": "q", "stratum": 1, "verdicts_used": ["v"]})

    def test_FE11_every_answer_says_who_asserted_the_facts(self):
        facts = {"a": True, "n": 1}
        for options in ((), ("--operation", "o", "--persona", "p"), ("--flow", "f", "--persona", "p")):
            with self.subTest(options):
                answer = self.evaluate(self.CHAIN, facts, *options)
                self.assertEqual({f["id"]: f["assertion_source"] for f in answer["provenance"]["facts"]},
                                 {"a": "external", "n": "external", "other": "contract"})
                self.assertEqual([f["source"] for f in answer["provenance"]["facts"]][0], {"field": "a", "system": "s"})

    def test_FE18_who_is_rejected_has_read_nothing(self):
        text = self.CHAIN + "persona q\n"
        answer = self.evaluate(text, {"a": True, "n": 1}, "--operation", "o", "--persona", "q", code=1)
        self.assertEqual(answer["error"]["type"], "persona_rejected")
        self.assertEqual((answer["provenance"]["facts_used"], answer["provenance"]["verdicts_used"]), ([], []))

    def test_FE21_all_facts_at_fault_are_told_at_once(self):
        """In the order of their declaration (§5.2), whatever order they are given in."""
        text = "".join(fact(name, "Int(0, 9)") for name in ("c", "a", "b", "d"))
        answer = self.evaluate(text, {"d": 1, "b": 99}, code=1)
        # constructs are sorted by id, and that is the order of the bundle
        self.assertEqual((answer["error"], answer["details"]), ("missing required fact: a", {"path": "a", "type": "missing_fact"}))
        self.assertEqual([(f["details"]["path"], f["details"]["type"]) for f in answer["further"]],
                         [("b", "type_mismatch"), ("c", "missing_fact")])
        result = self.fails(1, "eval", self.dir / "c.tenor", "--facts", self.dir / "f.json")
        self.assertEqual([line.partition("error: ")[2] for line in result.err.splitlines() if "evaluation error" in line],
                         ["missing required fact: a", "type mismatch for fact 'b': expected Int(0, 9), got 99", "missing required fact: c"])
        alone = self.evaluate(text, {"a": 1, "b": 2, "c": 3}, code=1)
        self.assertNotIn("further", alone)

    def test_FE21_text_that_is_not_json_ends_the_reading(self):
        text = fact("a", "Int(0, 9)") + fact("b", "Int(0, 9)")
        contract = self.write("c.tenor", text)
        for facts, kind in (('{"a": 99, "b": ', "syntax"), ('{"a": 99, "a": 1}', "duplicate_key"), ('{"a": [1, {"x": 1, "x": 2}]}', "duplicate_key")):
            result = self.fails(1, "eval", contract, "--facts", self.write("f.json", facts), "--json")
            self.assertEqual(json.loads(result.out)["details"]["type"], kind, facts)

    def test_provenance_without_sources_is_refused(self):
        contract, facts = self.write("c.tenor", self.CHAIN), self.write("f.json", "{}")
        result = self.fails(2, "eval", contract, "--facts", facts, "--provenance", self.dir / "p.json")
        self.assertIn("--sources", result.err)

    def test_FE15_a_compensation_names_its_persona(self):
        text = PERSONA + "persona q\n" + ENTITY + operation() + \
            operation("undo", effects="(E, a, c)").replace("[p]", "[q]") + """flow f { snapshot: at_initiation entry: s steps: {
  s: OperationStep { op: o persona: p outcomes: { success: Terminal(success) }
    on_failure: Compensate(steps: [{ op: undo persona: q on_failure: Terminal(failure) }] then: Terminal(failure)) } } }
"""
        report = json.loads(self.run_motet("analyze", "--json", self.write("c.tenor", text)).out)
        words = []

        def gather(node):
            if isinstance(node, dict):
                if node.get("step_type"):
                    words.append((node["step_type"], node["persona"]))
                for value in node.values():
                    gather(value)
            elif isinstance(node, list):
                for value in node:
                    gather(value)
        gather(report)
        self.assertIn(("compensation", "q"), words)
        self.assertEqual({p for kind, p in words if kind == "operation"}, {"p"})

    def test_FE20_an_action_has_a_set_of_personas(self):
        contract = self.write("c.tenor", self.CHAIN)
        facts = self.write("f.json", '{"a": true, "n": 1}')
        space = json.loads(self.holds("actions", contract, "--facts", facts, "--persona", "p", "--json").out)
        self.assertEqual([(a["persona_id"], a["personas"]) for a in space["actions"]], [("p", ["p"])])


class Words(Language):
    def test_an_instance_that_is_not_bound_is_said_to_be_that(self):
        text = PERSONA + ENTITY + operation() + FLOW
        for options in (("--operation", "o"), ("--flow", "f")):
            contract, facts = self.write("c.tenor", text), self.write("f.json", "{}")
            result = self.fails(1, "eval", contract, "--facts", facts, *options, "--persona", "p", "--state", "E/x=a", "--state", "E/y=a")
            self.assertIn("no instance is bound to entity 'E'", result.out + result.err)

    def test_states_that_mix_outcomes_are_told_by_outcome(self):
        text = PERSONA + """entity A { states: [a0, a1, a2] initial: a0 transitions: [(a0, a1), (a1, a2)] }
entity B { states: [b0, b1, b2] initial: b0 transitions: [(b0, b1), (b1, b2)] }
operation o { personas: [p] require: true outcomes: [k, l] error_contract: []
  effects: [(A, a0, a1, k), (B, b1, b2, k), (A, a1, a2, l), (B, b0, b1, l)] }
"""
        answer = self.evaluate(text, {}, "--operation", "o", "--persona", "p", code=1)
        self.assertEqual(answer["error"]["message"], "entity 'B' instance '_default' in state 'b0', expected 'b1' for outcome 'k'")
        answer = self.evaluate(text, {}, "--operation", "o", "--persona", "p", "--state", "B=b2", code=1)
        self.assertEqual(answer["error"]["message"], "entity 'B' instance '_default' in state 'b2', expected 'b1' or 'b0'")


class Bundles(Language):
    def bundle(self, **changes):
        document = json.loads(self.holds("elaborate", self.write("c.tenor", fact("x", "Bool") + rule("x"))).out)
        document.update(changes)
        return document

    def validate(self, document):
        return self.run_motet("validate", "--json", self.write("b.json", json.dumps(document)))

    def test_FL11_constructs_of_a_later_version_are_passed_over(self):
        gizmo = {"kind": "Gizmo", "id": "g", "spin": 3}
        for version, code in (("1.9.0", 0), ("1.2.0", 0), ("1.1.0", 1), ("1.0.0", 1)):
            with self.subTest(version):
                document = self.bundle(tenor_version=version)
                document["constructs"].append(gizmo)
                result = self.validate(document)
                self.assertEqual(result.code, code)
                found = [(d["code"], d["severity"]) for d in json.loads(result.out)["diagnostics"]]
                self.assertIn(("B010", "note") if not code else ("B007", "error"), found)
        document = self.bundle(tenor_version="1.9.0")
        document["constructs"].append(gizmo)
        contract, facts = self.write("b.json", json.dumps(document)), self.write("f.json", '{"x": true}')
        self.assertIn("[v]", self.holds("eval", contract, "--facts", facts).out)
        self.assertIn("B010", self.holds("help", "B010").out)

    def test_FL11_what_is_evaluated_cannot_be_passed_over(self):
        document = self.bundle(tenor_version="1.9.0")
        document["constructs"][0]["type"] = {"base": "Gizmo"}
        self.assertEqual(self.validate(document).code, 1)

    def test_FL25_the_capabilities_of_a_manifest_are_checked(self):
        manifest = json.loads(self.holds("elaborate", "--manifest", self.write("c.tenor", fact("x", "Bool") + rule("x"))).out)
        for capabilities, code in (({"migration_analysis_mode": "conservative"}, 0), ({"migration_analysis_mode": "aggressive"}, 0),
                                   ({"migration_analysis_mode": "wild"}, 1), ({}, 1),
                                   ({"migration_analysis_mode": "aggressive", "source_adapters": 1}, 1),
                                   ({"migration_analysis_mode": "aggressive", "multi_instance_entities": True, "more": 1}, 0)):
            with self.subTest(capabilities):
                manifest["capabilities"] = capabilities
                self.assertEqual(self.validate(manifest).code, code)


class Chains(Language):
    """Chains are flat in the source: no command counts them as depth, all have one limit."""
    KINDS = {
        "and": lambda n: (fact("b", "Bool"), " and ".join(["b"] * n), {"b": True}),
        "or": lambda n: (fact("i", "Int(0, 9999)"), " or ".join(f"i = {k}" for k in range(n)), {"i": n - 1}),
        "+": lambda n: (fact("i", "Int(0, 9)"), " + ".join(["i"] * n) + " > 0", {"i": 1}),
        "in": lambda n: (fact("e", "Enum([" + ", ".join(f'"v{k}"' for k in range(n)) + "])"),
                         "e in [" + ", ".join(f'"v{k}"' for k in range(n)) + "]", {"e": f"v{n - 1}"}),
    }

    def chain(self, kind, n, name="c"):
        head, condition, facts = self.KINDS[kind](n)
        text = head + rule(condition) + PERSONA + ENTITY + operation(require="verdict_present(v)") + FLOW
        contract = self.write(f"{name}.tenor", text)
        bundle = self.write(f"{name}.json", self.holds("elaborate", "--compact", contract).out)
        return contract, bundle, self.write("f.json", json.dumps(facts))

    def test_FL13_FE9_every_command_takes_a_long_chain(self):
        for kind, n in (("and", 500), ("or", 500), ("+", 500), ("in", 1000)):
            with self.subTest(kind):
                contract, bundle, facts = self.chain(kind, n)
                _, shorter, _ = self.chain(kind, n - 1, "d")
                for path in (contract, bundle):
                    self.holds("check", path)
                    self.holds("validate", path)
                    self.assertIn("[v]", self.holds("eval", path, "--facts", facts).out)
                    self.holds("eval", path, "--facts", facts, "--flow", "f", "--persona", "p")
                    self.holds("explain", path)
                    self.holds("actions", path, "--facts", facts, "--persona", "p")
                    self.assertIn(self.run_motet("analyze", path).code, (0, 1))
                self.holds("check", "--prove", contract)
                self.assertIn(self.run_motet("diff", "--prove", bundle, shorter).code, (0, 1))
                self.holds("fmt", contract)
                again = re.sub(r'"line":\d+', "", self.holds("elaborate", "--compact", contract).out)
                self.assertTrue(again == re.sub(r'"line":\d+', "", bundle.read_text()), "laid out, it means the same")

    def test_FL13_the_bundle_is_binary_and_leans_left(self):
        _, bundle, _ = self.chain("or", 500)
        node = next(c for c in json.loads(bundle.read_text())["constructs"] if c["kind"] == "Rule")["body"]["when"]
        for k in range(499, 0, -1):
            self.assertEqual((node["op"], node["right"]["right"]["literal"]), ("or", k))
            node = node["left"]
        self.assertEqual((node["op"], node["right"]["literal"]), ("=", 0))

    def test_FL13_one_limit_and_every_command_names_it(self):
        for kind, most in (("and", 1991), ("or", 1990), ("+", 1990)):
            with self.subTest(kind):
                contract, bundle, facts = self.chain(kind, most)
                self.holds("check", contract)
                self.assertIn("[v]", self.holds("eval", bundle, "--facts", facts).out)
                head, condition, _ = self.KINDS[kind](most + 1)
                beyond = self.write("b.tenor", head + rule(condition))
                for command in ("check", "elaborate", "validate", "explain", "analyze"):
                    self.assertIn("limit bundle_depth", self.fails(1, command, beyond).err)
                self.holds("check", "--limit", "bundle_depth=2048", beyond)
                for path in (contract, bundle):
                    for command in ("check", "validate", "explain", "analyze"):
                        self.assertIn("limit bundle_depth", self.fails(1, command, "--limit", "bundle_depth=500", path).err)

    def test_FL13_a_chain_of_a_million_is_refused_at_once(self):
        path = self.write("c.tenor", fact("b", "Bool") + rule(" and ".join(["b"] * 1000000)))
        self.assertIn("limit bundle_depth", self.fails(1, "check", path).err)

    def test_brackets_are_depth(self):
        self.holds("check", self.write("c.tenor", fact("b", "Bool") + rule("(" * 150 + "b" + ")" * 150)))
        deep = self.write("c.tenor", fact("b", "Bool") + rule("(" * 250 + "b" + ")" * 250))
        self.assertIn("limit source_depth", self.fails(1, "check", deep).err)


class Materialized(Language):
    """FL10: derived types where a Decimal takes part, and nowhere else."""
    FACTS = fact("i", "Int(0, 100)") + fact("d", "Decimal(5, 2)") + fact("e4", "Decimal(6, 4)") + \
        fact("t", "Text(5)") + fact("day", "Date") + fact("b", "Bool") + fact("e", 'Enum(["x"])')

    def when(self, condition):
        bundle = json.loads(self.holds("elaborate", self.write("c.tenor", self.FACTS + rule(condition))).out)
        return bundle, next(c for c in bundle["constructs"] if c["kind"] == "Rule")["body"]["when"]

    def test_FL10_comparison_and_result_types(self):
        for condition, comparison, result in (
                ("i < 5.5", (4, 1), None), ("d < 5.255", (6, 3), None), ("d < e4", (7, 4), None), ("5.5 > i", (4, 1), None),
                ("d * 25 > 1", (8, 2), (7, 2)), ("i * 1.5 > 2", (6, 1), (5, 1)), ("d * 0.125 > 1", (10, 2), (9, 2)), ("i < d", (6, 2), None)):
            with self.subTest(condition):
                _, node = self.when(condition)
                for key, where, want in (("comparison_type", node, comparison), ("result_type", node["left"], result)):
                    self.assertEqual(where.get(key), want and {"base": "Decimal", "precision": want[0], "scale": want[1]})

    def test_FL10_nothing_where_no_decimal_is(self):
        for condition in ("i < 5", "i = i", 't = "a"', 'day < "2024-01-01"', "b = true", 'e = "x"'):
            with self.subTest(condition):
                self.assertEqual(set(self.when(condition)[1]), {"left", "op", "right"})

    def test_FL10_bundles_without_them_mean_the_same(self):
        bundle, _ = self.when("d * 25 > 1 and i * 1.5 < 20.25 and d < e4")
        text = json.dumps(bundle)
        plain = re.sub(r'"(comparison_type|result_type)": \{[^}]*\}, ', "", text)
        self.assertNotIn("comparison_type", plain)
        facts = self.write("f.json", json.dumps({"i": 3, "d": "0.50", "e4": "0.6000", "t": "", "day": "2024-01-01", "b": True, "e": "x"}))
        with_types, without = self.write("w.json", text), self.write("o.json", plain)
        self.assertEqual(*(self.holds("eval", path, "--facts", facts).out for path in (with_types, without)))
        self.holds("diff", with_types, without)


class NamedEnds(Language):
    """FL26: Terminal(outcome) as a step with a name."""
    TEXT = PERSONA + "persona q\n" + ENTITY + operation() + """flow f { snapshot: at_initiation entry: s steps: {
  s: OperationStep { op: o persona: p outcomes: { success: h } on_failure: Escalate(to: q, next: lost) }
  h: HandoffStep { from_persona: p to_persona: q next: done }
  done: Terminal(success)
  lost: Terminal(outcome: failure)
} }
flow g { snapshot: at_initiation entry: e steps: { e: Terminal(success) } }
"""

    def steps(self, text):
        bundle = json.loads(self.holds("elaborate", self.write("c.tenor", text)).out)
        return bundle, {c["id"]: c["steps"] for c in bundle["constructs"] if c["kind"] == "Flow"}

    def test_FL26_it_is_written_as_a_step_of_1_1(self):
        bundle, steps = self.steps(self.TEXT)
        self.assertEqual(bundle["tenor_version"], "1.1.0")
        self.assertEqual(steps["f"][-2:], [{"id": "done", "kind": "Terminal", "outcome": "success"},
                                           {"id": "lost", "kind": "Terminal", "outcome": "failure"}])
        self.holds("check", "--strict", self.dir / "c.tenor")
        self.holds("validate", self.write("c.json", json.dumps(bundle)))

    def test_FL26_a_flow_ends_there_without_a_record(self):
        run = self.evaluate(self.TEXT, {}, "--flow", "f", "--persona", "p")
        self.assertEqual((run["flow_outcome"], [s["step_id"] for s in run["steps_executed"]]), ("success", ["s", "h"]))
        run = self.evaluate(self.TEXT, {}, "--flow", "f", "--persona", "p", "--state", "E=b")
        self.assertEqual((run["flow_outcome"], [s["step_type"] for s in run["steps_executed"]]), ("failure", ["operation", "escalation"]))
        run = self.evaluate(self.TEXT, {}, "--flow", "g", "--persona", "p")
        self.assertEqual((run["flow_outcome"], run["steps_executed"]), ("success", []))

    def test_FL26_every_command_knows_it(self):
        path = self.write("c.tenor", self.TEXT)
        told = self.holds("explain", path).out
        for line in ("On failure: escalate to q, process ends (failure)", "Then: process completes (success)", "Ends at once: success"):
            self.assertIn(line, told)
        report = self.run_motet("analyze", path).out
        self.assertIn("f: 2 paths (failure 1, success 1), at most 2 steps", report)
        self.assertNotIn("S601", report)
        self.holds("fmt", path)
        self.assertIn("done: Terminal(success)", path.read_text())
        self.assertIn("ends at once", self.holds("analyze", "--dot", path).out)

    def test_FL26_its_faults_are_those_of_other_steps(self):
        self.assertIn("T562", self.found(self.TEXT.replace("next: done", "next: lost")))
        self.assertIn("T561", self.found(self.TEXT.replace("done: Terminal(success)", "done: Terminal(fine)")))
        self.assertIn("T558", self.found(self.TEXT.replace("lost: Terminal(", "done: Terminal(")))
        self.assertIn("T542", self.found(self.TEXT.replace("next: done", "next: gone")))

    def test_FL26_a_change_of_its_outcome_is_seen(self):
        for name, text in (("a", self.TEXT), ("b", self.TEXT.replace("done: Terminal(success)", "done: Terminal(escalation)"))):
            self.write(f"{name}.json", self.holds("elaborate", self.write(f"{name}.tenor", text)).out)
        result = self.fails(1, "diff", self.dir / "a.json", self.dir / "b.json")
        self.assertIn("done", result.out)


class Repeated(Language):
    MEMBER = PERSONA + ENTITY + operation() + """flow f { snapshot: at_initiation entry: s steps: {
  s: OperationStep { op: o persona: p outcomes: { success: Terminal(success) } on_failure: Terminate(outcome: failure) } } }
"""
    SYSTEM = """system S {
  members: [a: "a.tenor", b: "b.tenor"]
  shared_personas: [{ persona: p, contracts: [a, b] }]
  triggers: [{ source: a.f, on: success, target: b.f, persona: p }]
  shared_entities: [{ entity: E, contracts: [a, b] }]
}
"""

    def check(self, old, new, line):
        for name in ("a.tenor", "b.tenor"):
            self.write(name, self.MEMBER)
        text = self.SYSTEM.replace(old, new)
        self.assertEqual(text == self.SYSTEM, old == new)
        path = self.write("s.tenor", text)
        found = [d for d in json.loads(self.holds("check", "--json", path).out)["diagnostics"] if d["code"] == "T604"]
        self.assertEqual([(d["severity"], d["line"]) for d in found], [("warning", line)] if line else [])
        if line:
            strict = self.fails(1, "check", "--json", "--strict", path)
            self.assertIn(("T604", "error"), [(d["code"], d["severity"]) for d in json.loads(strict.out)["diagnostics"]])

    def test_FL23_a_system_without_repetition(self):
        self.check("", "", 0)

    def test_FL23_a_contract_twice(self):
        self.check("persona: p, contracts: [a, b]", "persona: p, contracts: [a, b, a]", 3)

    def test_FL23_a_shared_persona_twice(self):
        one = "{ persona: p, contracts: [a, b] }"
        self.check(one, f"{one}, {one}", 3)

    def test_FL23_a_shared_entity_twice(self):
        one = "{ entity: E, contracts: [a, b] }"
        self.check(one, f"{one}, {one}", 5)

    def test_FL23_a_trigger_twice(self):
        one = "{ source: a.f, on: success, target: b.f, persona: p }"
        self.check(one, f"{one}, {one}", 4)
        self.check(one, f"{one}, {one.replace('success', 'failure')}", 0)


main()
