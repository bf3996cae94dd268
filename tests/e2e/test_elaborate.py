"""motet elaborate: the bundle on stdout, or a reason and nothing that looks like one."""
import hashlib
import json

from contracts import GOOD, THREE_ERRORS
from harness import Case, main

MEMBER = '''\
persona p
entity E { states: [a, b] initial: a transitions: [(a, b)] }
operation go { allowed_personas: [p] precondition: true effects: [(E, a, b)] outcomes: [ok]
  error_contract: [precondition_failed, persona_rejected] }
flow %s { snapshot: at_initiation entry: s steps: { s: OperationStep { op: go persona: p
  outcomes: { ok: Terminal(success) } on_failure: Terminate(outcome: failure) } } }
'''
SYSTEM = '''\
system both {
  members: [first: "parts/one.tenor", second: "parts/two.tenor"]
  shared_personas: [{ persona: p, contracts: [first, second] }]
  shared_entities: []
  triggers: [{ source: first.f1, on: success, target: second.f2, persona: p }]
}
'''


class Elaborate(Case):
    def test_prints_sorted_pretty_json_with_one_newline(self):
        out = self.holds("elaborate", self.write("shop.tenor", GOOD)).out
        bundle = json.loads(out)
        self.assertEqual(out, json.dumps(bundle, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
        self.assertEqual((bundle["id"], bundle["kind"], bundle["tenor"]), ("shop", "Bundle", "1.0"))
        self.assertEqual(bundle["tenor_version"], "1.0.0")

    def test_manifest_carries_the_hash_of_the_compact_bundle(self):
        path = self.write("shop.tenor", GOOD)
        manifest = json.loads(self.holds("elaborate", "--manifest", path).out)
        compact = self.holds("elaborate", "--compact", path).out.rstrip("\n")
        self.assertEqual(manifest["etag"], hashlib.sha256(compact.encode()).hexdigest())
        self.assertEqual(manifest["bundle"], json.loads(compact))
        self.assertEqual(manifest["tenor"], "1.0")

    def test_source_from_standard_input(self):
        self.assertEqual(json.loads(self.holds("elaborate", "-", stdin=GOOD).out)["id"], "stdin")

    def test_interchange_is_printed_in_the_same_form(self):
        out = self.holds("elaborate", self.write("shop.tenor", GOOD)).out
        compact = self.write("again.json", json.dumps(json.loads(out)))
        self.assertEqual(self.holds("elaborate", compact).out, out)

    def test_out_writes_a_file_and_prints_its_path(self):
        path = self.write("shop.tenor", GOOD)
        result = self.holds("elaborate", path, "--out", self.dir / "made")
        self.assertEqual(result.out.strip(), str(self.dir / "made" / "shop.json"))
        self.assertEqual((self.dir / "made" / "shop.json").read_text(),
                         self.holds("elaborate", path).out)

    def test_errors_leave_stdout_empty_and_write_no_file(self):
        path = self.write("bad.tenor", THREE_ERRORS)
        result = self.fails(1, "elaborate", path, "--out", self.dir / "made")
        self.assertEqual(result.out, "")
        self.assertFalse((self.dir / "made").exists())

    def test_json_errors_are_the_suites_object(self):
        result = self.fails(1, "elaborate", "--json", self.write("bad.tenor", THREE_ERRORS))
        report = json.loads(result.out)
        self.assertEqual(sorted(report["error"]), ["construct_id", "construct_kind", "field", "file",
                                                   "line", "message", "pass"])
        self.assertNotIn("constructs", report)

    def test_a_missing_file_is_exit_3(self):
        result = self.fails(3, "elaborate", "nowhere.tenor")
        self.assertIn("cannot open 'nowhere.tenor': No such file or directory\n", result.err)
        self.assertEqual(result.out, "")

    def test_a_directory_is_exit_3(self):
        self.assertIn("Is a directory", self.fails(3, "elaborate", self.dir).err)

    def test_an_output_directory_that_cannot_be_made_is_exit_3(self):
        path = self.write("shop.tenor", GOOD)
        self.assertIn("cannot make", self.fails(3, "elaborate", path, "--out", path / "x").err)


class Systems(Case):
    def setUp(self):
        super().setUp()
        self.write("parts/one.tenor", MEMBER % "f1")
        self.write("parts/two.tenor", MEMBER % "f2")
        self.system = self.write("both.tenor", SYSTEM)

    def test_members_are_written_as_if_elaborated_alone(self):
        self.holds("elaborate", self.system, "--out", self.dir / "made")
        made = {p.name: p.read_text() for p in (self.dir / "made").iterdir()}
        self.assertEqual(sorted(made), ["both.json", "first.json", "second.json"])
        self.assertEqual(made["first.json"], self.holds("elaborate", "parts/one.tenor").out)
        self.assertEqual(made["second.json"], self.holds("elaborate", "parts/two.tenor").out)
        self.assertEqual(made["both.json"], self.holds("elaborate", self.system).out)

    def test_a_faulty_member_stops_the_system(self):
        self.write("parts/two.tenor", THREE_ERRORS)
        self.assertIn("missing", self.fails(1, "elaborate", self.system).err)

    def test_a_member_called_like_the_system_is_refused(self):
        self.write("both.tenor", SYSTEM.replace("first", "both"))
        result = self.fails(1, "elaborate", self.system, "--out", self.dir / "made")
        self.assertIn("rename the file", result.err)


main()
