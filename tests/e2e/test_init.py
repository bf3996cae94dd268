"""motet init: a starter that checks, is formatted, and is never overwritten."""
import json

from harness import Case, main


class Init(Case):
    def test_the_starter_holds_without_a_warning(self):
        out = self.holds("init", "new").out
        self.assertIn("new/contract.tenor\n", out)
        result = self.holds("check", "--strict", "new/contract.tenor")
        self.assertEqual(result.err, "")

    def test_the_starter_is_formatted(self):
        self.holds("init", "new")
        self.holds("fmt", "--check", "new/contract.tenor")

    def test_the_scenarios_pass(self):
        self.holds("init", "new")
        out = self.holds("test", "new").out
        self.assertIn("ok 2 - contract.scenarios.json", out)
        self.assertIn("# fail  0", out)

    def test_json_names_the_files(self):
        files = json.loads(self.holds("init", "--json", "new").out)["files"]
        self.assertEqual(files, ["new/contract.tenor", "new/contract.scenarios.json"])
        for name in files:
            self.assertTrue((self.dir / name).exists())

    def test_existing_files_are_never_overwritten(self):
        path = self.write("new/contract.tenor", "mine")
        self.assertIn("nothing was written", self.fails(1, "init", "new").err)
        self.assertEqual(path.read_text(), "mine")
        self.assertEqual([p.name for p in path.parent.iterdir()], ["contract.tenor"])

    def test_a_place_that_cannot_be_made_is_exit_3(self):
        self.write("file", "")
        self.fails(3, "init", "file/new")


main()
