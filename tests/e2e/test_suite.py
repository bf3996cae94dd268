"""motet test: the conformance runner, on a suite of our own and on the conformance data."""
import json

from contracts import GOOD, THREE_ERRORS
from harness import Case, conformance, main


class Runner(Case):
    def setUp(self):
        super().setUp()
        for name in ("b", "a"):
            path = self.write(f"s/positive/{name}.tenor", f"persona {name}\n")
            self.write(f"s/positive/{name}.expected.json", self.holds("elaborate", path).out)
        bad = self.write("s/negative/pass4/three.tenor", THREE_ERRORS)
        error = json.loads(self.fails(1, "check", "--json", bad).out)["error"]
        self.write("s/negative/pass4/three.expected-error.json", json.dumps(error))
        self.write("s/negative/pass4/three_b.tenor", "not read by itself")
        self.write("s/cross_file/facts.tenor", 'fact f { type: Bool source: "a" }\n')
        root = self.write("s/cross_file/rules.tenor",
                          'import "facts.tenor"\nrule r { stratum: 0 when: f = true '
                          'produce: verdict v { payload: Bool = true } }\n')
        self.write("s/cross_file/bundle.expected.json", self.holds("elaborate", root).out)
        good = self.write("s/manifest/shop.tenor", GOOD)
        self.write("s/manifest/shop.expected-manifest.json",
                   self.holds("elaborate", "--manifest", good).out)

    def test_order_names_and_totals_are_tap_14(self):
        self.assertEqual(self.holds("test", "s").out, """\
TAP version 14
1..5
ok 1 - positive/a
ok 2 - positive/b
ok 3 - negative/pass4/three
ok 4 - cross_file/bundle
ok 5 - manifest/shop
# tests 5
# pass  5
# fail  0
""")

    def test_key_order_and_number_spelling_do_not_matter(self):
        path = self.dir / "s/positive/a.expected.json"
        bundle = json.loads(path.read_text())
        bundle["constructs"][0]["provenance"]["line"] = 1.0
        path.write_text(json.dumps(dict(reversed(list(bundle.items())))))
        self.holds("test", "s")

    def test_a_difference_is_shown_with_its_place(self):
        path = self.dir / "s/positive/a.expected.json"
        path.write_text(path.read_text().replace('"line": 1', '"line": 7'))
        result = self.fails(1, "test", "s")
        self.assertIn("not ok 1 - positive/a\n  # output mismatch:\n"
                      "  #   at $.constructs[0].provenance.line\n"
                      "  #   expected 7\n  #   found    1\n", result.out)
        self.assertIn("# fail  1", result.out)

    def test_failures_say_what_is_wrong(self):
        self.write("s/positive/c.tenor", THREE_ERRORS)
        self.write("s/positive/d.tenor", "persona d")
        self.write("s/negative/pass0/fine.tenor", "persona d")
        self.write("s/negative/pass0/fine.expected-error.json", "{}")
        self.write("s/negative/pass0/bare.tenor", "@")
        out = self.fails(1, "test", "s").out
        self.assertIn("unexpected elaboration error (pass 4): unresolved fact", out)
        self.assertIn("missing expected file: s/positive/d.expected.json", out)
        self.assertIn("expected pass 0 elaboration error but elaboration succeeded", out)
        self.assertIn("missing expected file: s/negative/pass0/bare.expected-error.json", out)

    def test_only_runs_what_was_asked_for(self):
        self.assertIn("1..2\n", self.holds("test", "s", "--only", "positive/").out)
        self.fails(1, "test", "s", "--only", "nothing like this")

    def test_json(self):
        report = json.loads(self.holds("test", "s", "--json").out)
        self.assertEqual((report["tests"], report["pass"], report["fail"]), (5, 5, 0))

    def test_a_missing_directory_is_exit_3(self):
        self.assertIn("conformance suite directory not found: nowhere",
                      self.fails(3, "test", "nowhere").err)

    def test_an_empty_directory_has_no_cases(self):
        (self.dir / "empty").mkdir()
        self.assertIn("no cases", self.fails(1, "test", "empty").err)


class Conformance(Case):
    def test_the_conformance_data_pass(self):
        data = conformance("tenor")
        if not data:
            self.skipTest("no conformance data")
        result = self.run_motet("test", data)
        failed = [line for line in result.out.splitlines() if line.startswith("not ok")]
        self.assertEqual((failed, result.code), ([], 0), result.out)


main()
