"""motet check: all faults at once, as text, JSON and SARIF; --fix, --strict, --watch."""
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

import sarif
from contracts import GOOD, SAME_STRATUM, THREE_ERRORS, nested_flows
from harness import MOTET, SOURCE, Case, main


DIGITS_28 = "0.1234567890123456789012345678"
DIGITS_29 = DIGITS_28 + "5"  # would be rounded to DIGITS_28


def rule(when="true", payload="Bool = true", stratum=0):
    return f"rule r {{\n  stratum: {stratum}\n  when: {when}\n  produce: verdict v {{ payload: {payload} }}\n}}\n"


def fact(kind, default=None):
    line = f"\n  default: {default}" if default is not None else ""
    return f'fact f {{\n  source: "a"\n  type: {kind}{line}\n}}\n'


# name, text, the line at fault; the neighbour that is still fine
FL3 = [
    ("a default that rounds out of its type", fact("Decimal(5,2)", "999.995"), 4, fact("Decimal(5,2)", "999.994")),
    ("a default wider than the model", fact("Decimal(38,0)", "9" * 38 + ".0"), 4, fact("Decimal(38,0)", "9" * 28 + ".0")),
    ("a union without variants", fact("TaggedUnion {}"), 3, fact("TaggedUnion { a: Bool }")),
    ("a text longer than can be counted", fact("Text(4294967296)"), 3, fact("Text(4294967295)")),
    ("a default longer than its text", fact("Text(2)", '"abc"'), 4, fact("Text(2)", '"ab"')),
    ("a moment that leaves the calendar", fact("DateTime", '"0001-01-01T00:00:00+00:01"'), 4,
     fact("DateTime", '"0001-01-01T00:00:00-00:01"')),
    ("ten digits of a second", fact("DateTime", '"2024-01-01T00:00:00.1234567890Z"'), 4,
     fact("DateTime", '"2024-01-01T00:00:00.123456789Z"')),
    ("a stratum beyond the limit", rule(stratum=99999999999), 2, rule(stratum=1000000)),
    ("a stratum just beyond the limit", rule(stratum=1000001), 2, rule(stratum=999999)),
    ("a literal beyond the model", fact("Decimal(28,2)") + rule("f < 99999999999999999999999999999999.5"), 7,
     fact("Decimal(28,2)") + rule("f < 9999999999999999999999999999.0")),
    ("a payload that rounds out of its type", rule(payload="Decimal(5,2) = 999.995"), 4, rule(payload="Decimal(5,2) = 999.994")),
    ("a payload in another unit", fact('Duration(unit: "days", min: 0, max: 9)') + rule(payload='Duration(unit: "hours", min: 0, max: 999) = f'), 8,
     fact('Duration(unit: "days", min: 0, max: 9)') + rule(payload='Duration(unit: "days", min: 0, max: 999) = f')),
    ("257 flows within each other", nested_flows(257), 4, nested_flows(256)),
]


class Admissibility(Case):
    """What check and elaborate accept is what validate and the loader accept."""

    def codes(self, path):
        """Exit codes of the gates: source through three commands, its bundle through two."""
        codes = {name: self.run_motet(name, path).code for name in ("check", "elaborate", "validate")}
        bundle = self.run_motet("elaborate", path)
        if bundle.code == 0:
            json_path = self.write("b.json", bundle.out)
            codes["validate b.json"] = self.run_motet("validate", json_path).code
            codes["diff b.json b.json"] = self.run_motet("diff", json_path, json_path).code
        return codes

    def test_FL3_every_gate_gives_one_answer(self):
        for name, text, line, fine in FL3:
            with self.subTest(name):
                self.assertEqual(set(self.codes(self.write("x.tenor", text)).values()), {1}, "accepted by some gate")
                found = json.loads(self.run_motet("check", "--json", "x.tenor").out)["diagnostics"]
                self.assertEqual([d["line"] for d in found if d["severity"] == "error"], [line])
            with self.subTest(f"next to {name}"):
                self.assertEqual(set(self.codes(self.write("y.tenor", fine)).values()), {0}, "refused by some gate")

    def test_the_limits_of_strata_and_flows_are_named_and_shared(self):
        for limit, text in (("stratum=5", rule(stratum=6)), ("flow_depth=2", nested_flows(3))):
            path = self.write("x.tenor", text)
            bundle = self.write("x.json", self.holds("elaborate", path).out)
            for file in (path, bundle):
                with self.subTest(limit=limit, file=file.name):
                    result = self.fails(1, "validate", "--limit", limit, file)
                    self.assertIn(f"limit {limit.split('=')[0]}", result.err)
        deep = self.write("deep.tenor", rule("not " * 2040 + "true"))
        self.assertIn("limit source_depth", self.fails(1, "check", deep).err)
        for command in ("check", "elaborate", "validate"):
            result = self.fails(1, command, "--limit", "source_depth=3000", deep)
            self.assertIn("limit bundle_depth", result.err)
        self.holds("check", "--limit", "source_depth=3000", self.write("d.tenor", rule("not " * 1990 + "true")))
        self.holds("check", "--limit", "source_depth=3000", "--limit", "bundle_depth=2048",
                   self.write("d.tenor", rule("not " * 2035 + "true")))
        self.assertIn("at most 2048", self.fails(2, "check", "--limit", "bundle_depth=2049", "x.tenor").err)
        self.assertIn("at most 512", self.fails(2, "check", "--limit", "flow_depth=513", "x.tenor").err)
        self.assertIn("at most 4294967294", self.fails(2, "check", "--limit", "stratum=4294967295", "x.tenor").err)
        self.holds("check", "--limit", "stratum=4294967294", self.write("z.tenor", rule(stratum=4294967294)))

    def test_FL3_a_written_decimal_payload_runs(self):
        path = self.write("x.tenor", rule(payload="Decimal(5,2) = 100.50"))
        facts = self.write("f.json", "{}")
        result = self.run_motet("eval", path, "--facts", facts)
        self.assertEqual(result.code, 0, f"check accepts it, eval says {result.err}")
        self.assertIn("100.50", result.out)

    def test_FL2_literals_have_at_most_28_digits(self):
        refused = {"a condition": fact("Decimal(28,28)") + rule(f"f = {DIGITS_29}"),
                   "a product": fact("Decimal(28,28)") + rule(f"f * {DIGITS_29} > 1.0"),
                   "a precondition": "persona p\n" + fact("Decimal(28,28)") +
                   "entity E { states: [a, b] initial: a transitions: [(a, b)] }\n"
                   f"operation o {{ personas: [p] require: f = {DIGITS_29} effects: [(E, a, b)] }}\n",
                   "a payload": rule(payload=f"Decimal(28,28) = {DIGITS_29}"),
                   "a short payload": f"rule r {{ stratum: 0 when: true produce: v({DIGITS_29}) }}\n"}
        for name, text in refused.items():
            with self.subTest(name):
                path = self.write("x.tenor", text)
                for command in ("check", "elaborate"):
                    result = self.run_motet(command, path)
                    self.assertEqual(result.code, 1, f"{command} accepts {DIGITS_29}, which is rounded")
                    self.assertIn("28", result.err)
                self.holds("check", self.write("y.tenor", text.replace(DIGITS_29, DIGITS_28)))

    def test_FL2_both_bounds_count_by_themselves(self):
        """28 digits in all, 28 behind the dot: one more of either is refused."""
        for most, beyond in (("123456789012345678901234567.5", "1234567890123456789012345678.5"),
                             (f"0.{'1'.zfill(28)}", f"0.{'1'.zfill(29)}")):
            with self.subTest(beyond):
                self.holds("check", self.write("x.tenor", rule(f"1.0 < {most}")))
                result = self.run_motet("check", self.write("x.tenor", rule(f"1.0 < {beyond}")))
                self.assertEqual(result.code, 1, f"check accepts {beyond}, which is rounded")

    def test_the_digits_of_a_literal_are_explained(self):
        self.assertIn("[T447]", self.fails(1, "check", self.write("x.tenor", rule(f"1.0 < {DIGITS_29}"))).err)
        self.assertIn("28", self.holds("help", "T447").out)

    def test_FL2_a_bundle_has_the_same_bound(self):
        """Whoever wrote it: the literal of a bundle is not rounded either."""
        for name, text in (("condition", fact("Decimal(28,28)") + rule(f"f = {DIGITS_28}")),
                           ("payload", rule(payload=f"Decimal(28,28) = {DIGITS_28}")),
                           ("money", fact('Money("USD")') +
                            rule(f'f = Money {{ amount: "{DIGITS_28}", currency: "USD" }}'))):
            with self.subTest(name):
                bundle = self.holds("elaborate", self.write("x.tenor", text)).out
                self.holds("validate", self.write("x.json", bundle))
                long = bundle.replace(DIGITS_28, DIGITS_29).replace('"precision": 29', '"precision": 30').replace(
                    '"scale": 28', '"scale": 29') if name != "payload" else bundle.replace(DIGITS_28, DIGITS_29)
                result = self.run_motet("validate", self.write("y.json", long))
                self.assertEqual(result.code, 1, f"validate accepts {DIGITS_29}, which is rounded")

    def test_FL3_a_payload_in_a_bundle_is_judged_as_it_is_rounded(self):
        bundle = self.holds("elaborate", self.write("x.tenor", rule(payload="Decimal(5,2) = 999.99"))).out
        for value, code in (("999.994", 0), ("999.995", 1), ("1000.00", 1)):
            path = self.write("x.json", bundle.replace("999.99", value))
            facts = self.write("f.json", "{}")
            with self.subTest(value):
                for command in (("validate", path), ("check", path), ("eval", path, "--facts", facts)):
                    self.assertEqual(self.run_motet(*command).code, code, command[0])

    def test_a_literal_of_28_digits_is_exact(self):
        path = self.write("x.tenor", fact("Decimal(28,28)") + rule(f"f = {DIGITS_28}"))
        for value, verdicts in ((DIGITS_28, 1), (DIGITS_28[:-1] + "9", 0)):
            facts = self.write("f.json", json.dumps({"f": value}))
            report = json.loads(self.holds("eval", "--json", path, "--facts", facts).out)
            self.assertEqual(len(report["verdicts"]), verdicts)

    def test_zeros_and_defaults_do_not_count_as_digits(self):
        self.holds("check", self.write("x.tenor", fact("Decimal(28,28)", DIGITS_29) + rule("f > 000001.5" + 40 * "0")))


class Check(Case):
    def test_a_good_contract_holds_and_is_counted(self):
        result = self.holds("check", self.write("shop.tenor", GOOD))
        self.assertIn("shop.tenor: holds (2 personas, 1 source, 2 facts, 1 entity, 1 rule, "
                      "1 operation, 1 flow)", result.out)
        self.assertEqual(result.err, "")

    def test_every_error_is_shown_with_line_and_caret(self):
        result = self.fails(1, "check", self.write("bad.tenor", THREE_ERRORS))
        for place, line in [("bad.tenor:8", "when:    missing = true"),
                            ("bad.tenor:14", "when:    a > true"),
                            ("bad.tenor:20", "initial:     t")]:
            self.assertIn(place, result.err)
            self.assertIn(line, result.err)
        self.assertIn("^", result.err)
        self.assertIn("hint:", result.err)
        self.assertIn("does not hold", result.out)
        self.assertRegex(result.err, r"\n3 errors")

    def test_json_has_the_first_error_and_all_diagnostics(self):
        result = self.fails(1, "check", "--json", self.write("bad.tenor", THREE_ERRORS))
        report = json.loads(result.out)
        self.assertEqual(report["errors"], 3)
        self.assertEqual(report["holds"], False)
        self.assertEqual(report["error"]["file"], "bad.tenor")
        self.assertEqual(report["error"]["pass"], 4)
        self.assertEqual(report["error"]["message"],
                         "unresolved fact reference: 'missing' is not declared in this contract")
        first = report["diagnostics"][0]
        self.assertEqual(sorted(first), ["code", "column", "construct_id", "construct_kind", "end_column",
                                         "end_line", "field", "file", "fix", "hint", "length", "line",
                                         "message", "pass", "severity"])

    def test_json_of_a_good_contract(self):
        report = json.loads(self.holds("check", "--json", self.write("shop.tenor", GOOD)).out)
        self.assertEqual((report["error"], report["errors"], report["holds"]), (None, 0, True))

    def test_sarif_names_rules_and_places(self):
        result = self.fails(1, "check", "--sarif", self.write("a b.tenor", THREE_ERRORS))
        log = json.loads(result.out)
        self.assertEqual(log["version"], "2.1.0")
        run = log["runs"][0]
        self.assertEqual(run["tool"]["driver"]["name"], "motet")
        self.assertEqual([r["level"] for r in run["results"]].count("error"), 3)
        for found in run["results"]:
            rule = run["tool"]["driver"]["rules"][found["ruleIndex"]]
            self.assertEqual(rule["id"], found["ruleId"])
            place = found["locations"][0]["physicalLocation"]
            self.assertTrue(place["artifactLocation"]["uri"].endswith("a%20b.tenor"))
            self.assertGreater(place["region"]["startLine"], 0)

    def test_sarif_has_what_its_schema_demands(self):
        slips = Fix.SLIPS.replace("initial: x", "initial: xx")
        for text in (THREE_ERRORS, slips, GOOD, "fact f {", "persona \xff".encode("latin-1"), 'import "none.tenor"\n'):
            result = self.run_motet("check", "--sarif", self.write("a b.tenor", text))
            with self.subTest(str(text)[:20]):
                sarif.check(json.loads(result.out))
        log = json.loads(self.run_motet("check", "--sarif", self.write("c.tenor", slips)).out)
        fixes = [r["fixes"][0] for r in log["runs"][0]["results"] if "fixes" in r]
        self.assertGreater(len(fixes), 10)
        lines = slips.splitlines(keepends=True)
        for fix in fixes:  # each region lies in the text, and the text there is what is replaced
            region = fix["artifactChanges"][0]["replacements"][0]["deletedRegion"]
            self.assertEqual(region["startLine"], region["endLine"])
            self.assertLessEqual(region["endColumn"] - 1, len(lines[region["startLine"] - 1]))
        rules = {r["id"]: r for r in log["runs"][0]["tool"]["driver"]["rules"]}
        self.assertEqual(rules["T502"]["shortDescription"]["text"], "unknown initial state")

    def test_the_index_leads_from_uses_to_definitions(self):
        self.write("lib.tenor", 'type Line { paid: Bool }\n')
        path = self.write("c.tenor", 'import "lib.tenor"\nfact a { type: Line source: "s" }\n'
                                     "rule r { stratum: 0 when: a.paid produce: v(true) }\n")
        report = json.loads(self.holds("check", "--json", "--index", path).out)
        self.assertNotIn("index", json.loads(self.holds("check", "--json", path).out))
        found = {(m["kind"], m["id"], m["at"]["line"], m["at"]["column"]): m["definition"] for m in report["index"]
                 if m["at"]["file"] == str(path)}
        place = found["field", "Line.paid", 3, 29]
        self.assertEqual(place, {"file": str(self.dir / "lib.tenor"), "line": 1, "column": 13, "end_line": 1, "end_column": 17})
        self.assertEqual(found["fact", "a", 3, 27]["line"], 2)
        self.fails(2, "check", "--index", path)

    def test_json_and_sarif_exclude_each_other(self):
        self.fails(2, "check", "--json", "--sarif", "x.tenor")

    def test_every_code_shown_is_explained(self):
        result = self.fails(1, "check", "--json", self.write("bad.tenor", THREE_ERRORS))
        for diagnostic in json.loads(result.out)["diagnostics"]:
            text = self.holds("help", diagnostic["code"]).out
            self.assertIn(diagnostic["code"], text)
            self.assertEqual(text, self.holds("help", diagnostic["code"].lower()).out)

    def test_strict_refuses_what_is_tolerated(self):
        sloppy = GOOD.replace("Terminal(success)", "Terminal(paid_in_full)")
        path = self.write("shop.tenor", sloppy)
        self.assertIn("warning", self.holds("check", path).err)
        self.fails(1, "check", "--strict", path)

    def test_a_long_list_is_cut_and_says_so(self):
        path = self.write("bad.tenor", THREE_ERRORS)
        result = self.fails(1, "check", "--limit", "diagnostics=1", path)
        self.assertIn("--limit diagnostics=N shows more", result.err)

    def test_control_characters_never_reach_the_terminal(self):
        path = self.write("bad.tenor", b'fact a { type: Bool source: "\x1b[31mx" } @\x1b]0;title\x07\n')
        result = self.fails(1, "check", path)
        self.assertNotIn("\x1b", result.err)

    def test_FU8_slips_are_told_in_words_of_the_language(self):
        state = "entity E {{ states: [draft, submitted] initial: draft transitions: [(draft, {})] }}\n"
        rows = [(rule("f == f"), "==", "one sign"), (rule("f => f"), "=>", "'at least' is written >="),
                (rule("forall d in f: d"), ":", "a dot with spaces"), (rule("f && f"), "&&", "'and'"),
                (rule("!f"), "!", "'not'"), (state.format("submited"), "submited", "did you mean 'submitted'"),
                (fact("Bool", "free"), "free", ""), ("fact { }\n", "{", ""), ('import "nowhere.tenor"\n', '"nowhere.tenor"', "path")]
        for text, at, hint in rows:
            with self.subTest(text=text):
                facts = "" if text.startswith(("fact", "import")) else fact("Bool")
                told = self.run_motet("check", self.write("slip.tenor", facts + text))
                self.assertEqual(told.code, 1)
                self.assertIn(hint, told.err)
                for word in ("Word(", "LBrace", "os error", "Str(", "remove the character"):
                    self.assertNotIn(word, told.err)
                lines = told.err.splitlines()
                marked = [line[caret.index("^"):caret.rindex("^") + 1] for line, caret in zip(lines, lines[1:])
                          if re.fullmatch(r" *\| +\^+", caret)]
                self.assertIn(at, marked, told.err)
        self.assertIn("What to do:", self.run_motet("help", "T012").out)

    def test_interchange_is_checked_alike(self):
        bundle = self.holds("elaborate", self.write("shop.tenor", GOOD)).out
        self.assertIn("holds", self.holds("check", self.write("shop.json", bundle)).out)

    def test_tabs_and_wide_characters_keep_the_caret_in_place(self):
        path = self.write("t.tenor", 'fact f {\n\ttype: Enum(["é"]) @\n\tsource: "x"\n}\n')
        lines = self.fails(1, "check", path).err.splitlines()
        at = next(i for i, line in enumerate(lines) if "@" in line and "|" in line)
        self.assertEqual(lines[at].index("@"), lines[at + 1].index("^"))


LINTED = """persona p
fact a { type: Bool source: "s" }
fact b { type: Bool source: "s" }
rule r { stratum: 0 when: a produce: v(true) }
"""


# The first branch meets the second through a sub-flow and the third in both entities.
FORKED = """persona p
entity B { states: [s, t] initial: s transitions: [(s, t)] }
entity A { states: [s, t] initial: s transitions: [(s, t)] }
operation both { personas: [p] require: true effects: [B: s -> t, A: s -> t] outcomes: [x] error_contract: [persona_rejected] }
operation only { personas: [p] require: true effects: [B: s -> t] outcomes: [x] error_contract: [persona_rejected] }
flow sub { snapshot: at_initiation entry: o steps: {
  o: OperationStep { op: only persona: p outcomes: { x: Terminal(success) } on_failure: Terminate(outcome: failure) } } }
flow f { snapshot: at_initiation entry: fork steps: {
  fork: ParallelStep { branches: [
    Branch { id: one entry: o steps: { o: OperationStep { op: both persona: p outcomes: { x: Terminal(success) } on_failure: Terminate(outcome: failure) } } },
    Branch { id: two entry: o steps: { o: SubFlowStep { flow: sub persona: p on_success: Terminal(success) on_failure: Terminate(outcome: failure) } } },
    Branch { id: three entry: o steps: { o: OperationStep { op: both persona: p outcomes: { x: Terminal(success) } on_failure: Terminate(outcome: failure) } } }
  ] join: JoinPolicy { on_all_success: Terminal(success) on_any_failure: Terminate(outcome: failure) on_all_complete: null } } } }
"""


class Lint(Case):
    """Levels of warnings: options, comments and motet.yaml; the most specific wins."""

    def codes(self, *options, text=LINTED, code=None):
        path = self.write("c.tenor", text)
        result = self.run_motet("check", "--json", *options, path)
        if code is not None:
            self.assertEqual(result.code, code, repr(result))
        return [(d["code"], d["severity"], d["line"]) for d in json.loads(result.out)["diagnostics"]]

    def test_defaults(self):
        self.assertEqual(self.codes(code=0), [("T701", "warning", 1), ("T702", "warning", 3)])

    def test_allow_deny_and_warn_by_option(self):
        self.assertEqual(self.codes("--allow", "T701", code=0), [("T702", "warning", 3)])
        self.assertEqual(self.codes("--allow", "t701,T702", code=0), [])
        self.assertEqual(self.codes("--deny=T702", "--allow", "T701", code=1), [("T702", "error", 3)])
        self.assertEqual(self.codes("--allow", "T702", "--deny", "T702", "--allow", "T701", code=1),
                         [("T702", "error", 3)], "the last counts")

    def test_a_denied_warning_is_an_error_everywhere(self):
        path = self.write("c.tenor", LINTED)
        report = json.loads(self.fails(1, "check", "--json", "--deny", "T702", path).out)
        self.assertEqual((report["errors"], report["warnings"], report["holds"]), (1, 1, False))
        self.assertEqual(report["error"]["construct_id"], "b")
        self.assertEqual(self.fails(1, "elaborate", "--deny", "T702", path).out, "")
        self.holds("elaborate", "--allow", "T702", path)
        self.holds("validate", "--allow", "T702,T701", path)

    def test_allowed_warnings_do_not_count_for_strict(self):
        self.codes("--strict", "--allow", "T701,T702", code=0)
        self.codes("--strict", "--allow", "T701", code=1)
        sloppy = GOOD.replace("Terminal(success)", "Terminal(paid_in_full)")
        self.codes("--strict", text=sloppy, code=1)
        self.codes("--strict", "--allow", "T561", text=sloppy, code=0)

    def test_a_comment_is_about_its_construct_or_its_file(self):
        for comment in ("// motet: allow T702 kept for the next version\nfact b", "fact b /* motet: allow T702 */",
                        "// motet: allow T701, T702\nfact b"):
            with self.subTest(comment):
                self.assertEqual(self.codes(text=LINTED.replace("fact b", comment), code=0), [("T701", "warning", 1)])
        trailing = LINTED.replace("persona p", "persona p // motet: allow T701")
        self.assertEqual(self.codes(text=trailing, code=0), [("T702", "warning", 3)])
        elsewhere = LINTED.replace("fact a", "// motet: allow T702\nfact a")
        self.assertEqual(self.codes(text=elsewhere, code=0), [("T701", "warning", 1), ("T702", "warning", 4)])
        self.assertEqual(self.codes(text=LINTED + "// motet: allow-file T701, T702\n", code=0), [])
        self.assertEqual(self.codes("--deny", "T702", "--allow", "T701", text=LINTED + "// motet: allow-file T702\n", code=0), [])

    def test_branches_that_meet_come_in_the_order_of_the_text_then_of_names(self):
        path = self.write("c.tenor", FORKED)
        said = [d["message"] for d in json.loads(self.fails(1, "check", "--json", path).out)["diagnostics"]]
        for message, (branch, entity) in zip(said, (("two", "B"), ("three", "A"), ("three", "B")), strict=True):
            self.assertIn(f"parallel branches 'one' and '{branch}' both ", message)
            self.assertIn(f"entity '{entity}'", message)

    def test_a_comment_may_end_and_be_laid_out_in_any_way(self):
        for comment in ("/* motet: allow T702*/ fact b", "/* motet: allow\tT702 */ fact b",
                        "/* motet: allow\n * T702\n */\nfact b", "/* motet: allow\r\n * T702\r\n */\r\nfact b",
                        "// motet: allow T701,T702\r\nfact b"):
            with self.subTest(comment):
                self.assertEqual(self.codes(text=LINTED.replace("fact b", comment), code=0), [("T701", "warning", 1)])

    def test_a_comment_of_an_import_is_about_the_import(self):
        self.write("lib.tenor", "// motet: allow-file T702\nfact b { type: Bool source: \"s\" }\n")
        text = 'import "lib.tenor"\n' + LINTED.replace("fact b", "fact c")
        self.assertEqual(self.codes(text=text, code=0), [("T701", "warning", 2), ("T702", "warning", 4)])

    def test_a_sentence_and_a_string_set_nothing(self):
        text = LINTED.replace('"s" }\nrule', '"// motet: allow-file T702" }\n// see motet: allow-file T702\nrule')
        self.assertEqual(self.codes(text=text, code=0), [("T701", "warning", 1), ("T702", "warning", 3)])

    def test_the_configuration_beside_the_contract_counts_below_the_options(self):
        self.write("motet.yaml", "lint: {allow: [T701], deny: [T702]}\nport: 8440\n")
        self.assertEqual(self.codes(code=1), [("T702", "error", 3)])
        self.assertEqual(self.codes("--warn", "T702", code=0), [("T702", "warning", 3)])
        self.write("sub/c.tenor", LINTED)
        self.assertEqual(self.run_motet("check", "sub/c.tenor").code, 0, "another directory")

    def test_what_is_not_understood_is_a_warning_with_its_place(self):
        self.write("motet.yaml", "lint:\n  allow: [T7066]\n  alow: [T701]\n")
        path = self.write("c.tenor", "// motet: alow T702\n// motet: allow T403, X1\n"
                          "// motet: allow T7O1 for now\n// motet: allow Sabc\n" + LINTED)
        result = self.holds("check", "--deny", "T7O1", path)
        for place, message, hint in (
                ("motet.yaml:2:11", "lint.allow: there is no code 'T7066'", "did you mean T706?"),
                ("motet.yaml:3:3", "`lint.alow` is not a key", "did you mean `allow`?"),
                ("c.tenor:1:11", "'alow' is not a lint setting", "did you mean 'allow'?"),
                ("c.tenor:2:17", "T403 is an error", "only warnings and notes have a level"),
                ("c.tenor:2:23", "there is no code 'X1'", "motet help codes"),
                ("c.tenor:3:17", "there is no code 'T7O1'", "did you mean T701?"),
                ("c.tenor:4:17", "there is no code 'Sabc'", "motet help codes"),
                ("c.tenor", "--deny T7O1: there is no code 'T7O1'", "did you mean T701?")):
            with self.subTest(message):
                self.assertIn(f"warning[T710]: {message}", result.err)
                self.assertIn(place, result.err)
                self.assertIn(hint, result.err)
        self.write("motet.yaml", "lint: [\n")
        self.assertIn("motet.yaml cannot be read", self.holds("check", path).err)

    def test_an_output_verdict_is_fine_where_nothing_acts(self):
        self.assertNotIn("T703", [c for c, _, _ in self.codes(code=0)])
        self.assertIn(("T703", "warning", 4), self.codes("--warn", "T703", code=0))
        acts = LINTED + ("entity E { states: [x, y] initial: x transitions: [(x, y)] }\n"
                         "operation o { allowed_personas: [p] precondition: b effects: [(E, x, y)] }\n")
        self.assertIn(("T703", "warning", 4), self.codes(text=acts, code=0))

    def test_findings_of_proofs_have_levels(self):
        text = PROVABLE
        path = self.write("c.tenor", text)
        for options, want in (((), "warning"), (("--deny", "S312"), "error"), (("--allow", "S312"), None)):
            out = self.run_motet("check", "--prove", "--json", *options, path)
            found = [d["severity"] for d in json.loads(out.out)["diagnostics"] if d["code"] == "S312"]
            self.assertEqual(found, [want] if want else [], options)
            self.assertEqual(out.code, 1 if want == "error" else 0)
        path = self.write("c.tenor", text.replace("rule odd", "// motet: allow S312\nrule odd"))
        self.assertNotIn("S312", self.holds("check", "--prove", "--json", path).out)

    def test_every_code_has_advice(self):
        listed = [line.split()[0] for line in self.holds("help", "codes").out.splitlines() if line.startswith("  ")]
        codes = [c for c in listed if c[0] in "TBS" and c[1:].isdigit()]
        self.assertGreater(len(codes), 150)
        for code in codes:
            with self.subTest(code):
                self.assertIn("What to do:", self.holds("help", code).out)
        self.assertIn("did you mean 'T706'", self.fails(2, "help", "t7066").err)


# Runs this file's tests of colour where the system gives no pseudo-terminal.
WITHOUT_TERMINALS = """
import pty, runpy, sys
def refuse():
    raise OSError('out of pty devices')
pty.openpty = refuse
path = sys.argv[1]
sys.path.insert(0, path.rsplit('/', 1)[0])
sys.argv = [path, 'Colour']
runpy.run_path(path, run_name='__main__')
"""


class Colour(Case):
    def open_terminal(self):
        """(master, slave). A chroot or container without /dev/pts has none to give."""
        try:
            return pty.openpty()
        except OSError as error:
            self.skipTest(f"no pseudo-terminal can be had here: {error}")

    def run_on_terminal(self, *words, env=None):
        master, slave = self.open_terminal()
        surroundings = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
        process = subprocess.Popen([str(MOTET), *map(str, words)], cwd=self.dir, stderr=slave,
                                   stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                                   env={**surroundings, "TERM": "xterm", **(env or {})})
        os.close(slave)
        out = b""
        while True:
            try:
                chunk = os.read(master, 4096)
            except OSError:
                break
            if not chunk:
                break
            out += chunk
        process.wait(timeout=30)
        os.close(master)
        return out

    def test_a_terminal_gets_colour(self):
        path = self.write("bad.tenor", THREE_ERRORS)
        self.assertIn(b"\x1b[1;31merror", self.run_on_terminal("check", path))

    def test_no_color_is_respected(self):
        path = self.write("bad.tenor", THREE_ERRORS)
        self.assertNotIn(b"\x1b", self.run_on_terminal("check", path, env={"NO_COLOR": "1"}))

    def test_color_never_and_always(self):
        path = self.write("bad.tenor", THREE_ERRORS)
        self.assertIn("\x1b[", self.fails(1, "check", "--color", "always", path).err)
        self.assertNotIn(b"\x1b", self.run_on_terminal("check", "--color=never", path))


class House(Case):
    def test_FH4_without_a_pseudo_terminal_tests_are_skipped_and_say_why(self):
        tests = SOURCE / "tests" / "e2e" / "test_check.py"
        done = subprocess.run([sys.executable, "-c", WITHOUT_TERMINALS, str(tests)],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("no pseudo-terminal can be had here: out of pty"), 3,
                         done.stderr)


def patched(text, diff):
    """The text with a unified diff of one file applied."""
    lines, out, at = text.splitlines(keepends=True), [], 0
    for line in diff.splitlines(keepends=True)[2:]:
        if line.startswith("@@"):
            start = int(re.match(r"@@ -(\d+)", line).group(1)) - 1
            out += lines[at:start]
            at = start
        elif line[0] == "+":
            out.append(line[1:])
        else:
            assert lines[at] == line[1:], f"line {at + 1} is not {line[1:]!r}"
            out += [line[1:]] if line[0] == " " else []
            at += 1
    return "".join(out + lines[at:])


class Fix(Case):
    def test_FL27_verdicts_in_parts_count_for_the_strata(self):
        path = self.write("c.tenor", """fact i { type: Int(0, 5) source: "x" }
rule a { stratum: 0 when: true produce: verdict v { payload: Int(0, 5) = i } }
rule b { stratum: 0 when: true produce: verdict w { payload: Record { l: List(element_type: Int(0, 5), max: 2) } = { l: [1, v] } } }
""")
        self.assertIn("1 stratum renumbered", self.holds("check", "--fix", path).err)
        self.assertIn("rule b { stratum: 1 ", path.read_text())

    def test_strata_are_renumbered_in_place_and_nothing_else_changes(self):
        path = self.write("c.tenor", SAME_STRATUM)
        path.chmod(0o600)
        self.fails(1, "check", path)
        result = self.holds("check", "--fix", path)
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        self.assertIn("renumbered", result.err)
        self.assertEqual(path.read_text(),
                         SAME_STRATUM.replace("stratum: 0 // too low", "stratum: 1 // too low"))
        self.assertEqual(self.holds("check", "--fix", path).err.count("renumbered"), 0)

    SLIPS = """persona p;
fact i { type: Int(0, 9), source: 'orders.count' }
fact b { type Bool source: "s" default: True }
entity E { states: [x,, "y"] initial: x transitions: [(x y)] }
rule r {
  stratum: 0
  when: i == 3 && !b || 1 <= i <= 3 AND NOT b // kept
  produce: verdict v { payload: Bool = TRUE }
}
rule s { stratum: 0 when: verdict_present(v) produce: w(true) }
operation o { allowed_personas: [p] precondition: verdict_present(w) effects: [(E, x y)] outcomes: [done] }
"""
    MENDED = """persona p
fact i { type: Int(0, 9) source: "orders.count" }
fact b { type: Bool source: "s" default: true }
entity E { states: [x, y] initial: x transitions: [(x, y)] }
rule r {
  stratum: 0
  when: i = 3 and not b or 1 <= i and i <= 3 and not b // kept
  produce: verdict v { payload: Bool = true }
}
rule s { stratum: 1 when: verdict_present(v) produce: w(true) }
operation o { allowed_personas: [p] precondition: verdict_present(w) effects: [(E, x, y)] outcomes: [done] }
"""

    def test_slips_are_mended_and_the_rest_stays(self):
        path = self.write("c.tenor", self.SLIPS)
        self.fails(1, "check", path)
        result = self.holds("check", "--fix", path)
        self.assertIn("17 faults mended", result.err)
        self.assertIn("1 stratum renumbered", result.err)
        self.assertEqual(path.read_text(), self.MENDED)
        self.assertNotIn("mended", self.holds("check", "--fix", path).err)

    def test_a_guess_is_never_applied(self):
        text = 'fact paid { type: Bool source: "s" }\nrule r { stratum: 0 when: piad and i => 3 produce: v(true) }\n'
        path = self.write("c.tenor", text)
        report = json.loads(self.fails(1, "check", "--json", path).out)
        self.assertEqual([d["fix"]["sure"] for d in report["diagnostics"] if d["fix"]], [False, False])
        self.fails(1, "check", "--fix", path)
        self.assertEqual(path.read_text(), text)

    def test_a_dry_run_shows_a_diff_and_changes_nothing(self):
        path = self.write("c.tenor", self.SLIPS)
        result = self.fails(1, "check", "--fix", "--dry-run", path)
        self.assertEqual(path.read_text(), self.SLIPS)
        self.assertEqual(patched(self.SLIPS, result.out), self.MENDED)
        report = json.loads(self.fails(1, "check", "--fix", "--dry-run", "--json", path).out)
        self.assertEqual((report["changed"], report["diff"]), ([str(path)], result.out))
        path.write_text(self.MENDED)
        self.assertEqual(self.holds("check", "--fix", "--dry-run", path).out, "")
        self.fails(2, "check", "--dry-run", path)
        self.fails(2, "check", "--fix", "-")

    def test_imports_and_members_are_mended_where_they_are(self):
        self.write("lib/types.tenor", 'fact a { type: Bool, source: "s" }\n')
        member = self.write("m.tenor", 'import "lib/types.tenor"\nrule r { stratum: 0 when: a == true produce: v(true) }\n')
        other = self.write("n.tenor", "persona q;\n")
        system = self.write("s.tenor", 'system s { members: [m: "m.tenor", n: "n.tenor"] }\n')
        self.holds("check", "--fix", system)
        self.assertEqual((self.dir / "lib" / "types.tenor").read_text(), 'fact a { type: Bool source: "s" }\n')
        self.assertIn("when: a = true", member.read_text())
        self.assertEqual(other.read_text(), "persona q\n")
        self.assertEqual(system.read_text(), 'system s { members: [m: "m.tenor", n: "n.tenor"] }\n')

    def test_a_link_stays_a_link(self):
        path = self.write("real.tenor", "persona p;\n")
        link = self.dir / "link.tenor"
        link.symlink_to(path)
        self.holds("check", "--fix", link)
        self.assertTrue(link.is_symlink())
        self.assertEqual(path.read_text(), "persona p\n")

    def test_a_cycle_is_left_alone(self):
        text = SAME_STRATUM.replace("a = true", "verdict_present(v2)")
        path = self.write("c.tenor", text)
        self.fails(1, "check", "--fix", path)
        self.assertEqual(path.read_text(), text)

    def test_a_file_that_cannot_be_written_is_exit_3(self):
        # The new file beside it would need a longer name than the file system allows.
        path = self.write("c" * 245 + ".tenor", SAME_STRATUM)
        result = self.fails(3, "check", "--fix", path)
        self.assertIn("cannot write", result.err)
        self.assertEqual(path.read_text(), SAME_STRATUM)


class Watch(Case):
    def read_until(self, process, text, seconds=20):
        seen, end = b"", time.monotonic() + seconds
        while text not in seen:
            self.assertLess(time.monotonic(), end, f"waited for {text!r}, saw {seen!r}")
            if select.select([process.stdout], [], [], 0.2)[0]:
                chunk = os.read(process.stdout.fileno(), 65536)
                self.assertTrue(chunk, f"ended while waiting for {text!r}: {seen!r}")
                seen += chunk
        return seen

    def test_checks_again_on_change_and_stops_on_interrupt(self):
        path = self.write("c.tenor", GOOD)
        process = subprocess.Popen([str(MOTET), "check", "--watch", str(path)], cwd=self.dir,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(process.stdout.close)
        try:
            self.read_until(process, b": holds")
            path.write_text(THREE_ERRORS)
            self.read_until(process, b"does not hold")
            fresh = self.write("c.new", GOOD)
            fresh.rename(path)  # as editors save
            self.read_until(process, b": holds")
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=20), 0)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()

    def test_standard_input_cannot_be_watched(self):
        self.fails(2, "check", "--watch", "-")


PROVABLE = """persona p
entity E { states: [x, y] initial: x transitions: [(x, y)] }
fact n { type: Int(0, 100) source: "s" }
rule low { stratum: 0 when: n < 20 produce: verdict low { payload: Bool = true } }
rule high { stratum: 0 when: n > 10 produce: verdict high { payload: Bool = true } }
rule odd { stratum: 1 when: verdict_present(low) and n > 50 produce: verdict odd { payload: Bool = true } }
operation go { allowed_personas: [p] precondition: verdict_present(odd) or verdict_present(low)
  effects: [(E, x, y)] outcomes: [done] error_contract: [precondition_failed, persona_rejected] }
"""


class Prove(Case):
    def findings(self, text, *options):
        path = self.write("c.tenor", text)
        report = json.loads(self.run_motet("check", "--prove", "--json", *options, path).out)
        return {d["code"]: d for d in report["diagnostics"] if d["code"].startswith("S3")}

    def facts(self, finding):
        return json.loads(finding["hint"][finding["hint"].index("{"):])["facts"]

    def verdicts(self, facts):
        path = self.write("facts.json", json.dumps(facts))
        out = self.holds("eval", "--json", self.dir / "c.tenor", "--facts", path).out
        return {v["type"] for v in json.loads(out)["verdicts"]}

    def test_what_never_happens_is_a_warning_with_its_place(self):
        found = self.findings(PROVABLE)
        self.assertEqual(sorted(found), ["S312", "S323"])
        self.assertEqual((found["S312"]["severity"], found["S312"]["line"]), ("warning", 6))
        self.assertNotIn("odd", self.verdicts(self.facts(found["S312"])))

    def test_the_facts_of_an_overlap_give_both_verdicts(self):
        self.assertEqual(self.verdicts(self.facts(self.findings(PROVABLE)["S323"])),
                         {"low", "high"})

    def test_strict_counts_what_is_proven(self):
        path = self.write("c.tenor", PROVABLE)
        self.fails(1, "check", "--prove", "--strict", path)
        self.holds("check", "--prove", path)

    def test_without_the_option_nothing_is_proven(self):
        report = self.holds("check", "--json", self.write("c.tenor", PROVABLE)).out
        self.assertNotIn("S312", report)

    def test_a_limit_that_is_exceeded_is_said(self):
        found = self.findings(PROVABLE, "--limit", "prove_steps=1")
        self.assertIn("S398", found)

    def test_a_bundle_is_proven_like_its_source(self):
        self.write("c.tenor", PROVABLE)
        bundle = self.write("c.json", self.holds("elaborate", self.dir / "c.tenor").out)
        out = self.run_motet("check", "--prove", "--json", bundle).out
        self.assertEqual({d["code"] for d in json.loads(out)["diagnostics"]},
                         {"S312", "S323"})

    def test_members_of_a_system_are_proven(self):
        system = SOURCE / "examples" / "trade_platform" / "trade_platform.tenor"
        self.holds("check", "--prove", system)


class Invariants(Case):
    """Promises of the scenario file, with --prove."""
    CONTRACT = """persona p
persona q
entity A { states: [a, b, c] initial: a transitions: [(a, b), (b, c)] }
operation one { allowed_personas: [p] precondition: true effects: [(A, a, b)] outcomes: [x] error_contract: [persona_rejected] }
operation two { allowed_personas: [q] precondition: true effects: [(A, b, c)] outcomes: [x] error_contract: [persona_rejected] }
"""

    def check(self, promises, *options, code=0):
        path = self.write("c.tenor", self.CONTRACT)
        self.write("c.scenarios.yaml", "invariants:\n" + "".join(f"  - {p}\n" for p in promises))
        out = self.run_motet("check", "--prove", "--json", path, *options)
        self.assertEqual(out.code, code, repr(out))
        return [d for d in json.loads(out.out)["diagnostics"] if d["code"].startswith("S34")]

    def test_what_holds_is_silent(self):
        self.assertEqual(self.check(["always one before two", "nobody can both one and two"]), [])

    def test_what_does_not_hold_is_an_error_with_the_run(self):
        (d,) = self.check(["always one before two", "never A.c"], code=1)
        self.assertEqual((d["code"], d["severity"], d["line"]), ("S341", "error", 3))
        self.assertIn("1. p: one (a -> b)", d["hint"])
        self.assertIn("2. q: two (b -> c)", d["hint"])

    def test_what_was_not_decided_is_an_error(self):
        (d,) = self.check(["never A.c"], "--limit", "reach_states=1", code=1)
        self.assertEqual(d["code"], "S342")
        self.assertIn("reach_states 1", d["message"])

    def test_what_is_not_a_question_is_an_error(self):
        (d,) = self.check(["never A.d"], code=1)
        self.assertEqual(d["code"], "S343")
        self.assertIn("A has no state 'd'", d["message"])

    def test_another_file_may_be_named(self):
        other = self.write("other.scenarios.yaml", "invariants: [never A.c]\n")
        (d,) = self.check(["always one before two"], "--scenarios", other, code=1)
        self.assertEqual(d["code"], "S341")
        self.assertIn("none.scenarios.yaml",
                      self.fails(3, "check", "--prove", self.write("c.tenor", self.CONTRACT),
                                 "--scenarios", "none.scenarios.yaml").err)

    def test_without_prove_nothing_is_asked(self):
        self.write("c.scenarios.yaml", "invariants: [never A.c]\n")
        path = self.write("c.tenor", self.CONTRACT)
        self.holds("check", path)
        self.assertIn("goes with --prove", self.fails(2, "check", path, "--scenarios",
                                                      "c.scenarios.yaml").err)
        self.assertIn("goes with --prove", self.fails(2, "diff", path, path, "--scenarios",
                                                      "c.scenarios.yaml").err)

    def test_standard_input_is_read_once(self):
        other = self.write("other.scenarios.yaml", "invariants: [never A.c]\n")
        result = self.run_motet("check", "--prove", "--scenarios", other, "-",
                                stdin=self.CONTRACT)
        self.assertEqual(result.code, 1)
        self.assertIn("S341", result.err)


main()
