"""Golden files: what the program says about faulty contracts, and the bundles of the examples.

tests/golden/diagnostics/NAME.tenor has the text `motet check` prints beside it in NAME.txt;
tests/golden/bundles/NAME.json is the bundle of the example contract of that name.
MOTET_UPDATE_GOLDEN=1 rewrites both."""
from harness import SOURCE, Case, main

FAULTY = sorted((SOURCE / "tests" / "golden" / "diagnostics").glob("*.tenor"))
EXAMPLES = {path.stem: path for path in sorted((SOURCE / "examples").rglob("*.tenor"))}
BUNDLES = sorted((SOURCE / "tests" / "golden" / "bundles").glob("*.json"))


class Golden(Case):
    def test_diagnostics_read_as_they_did(self):
        self.assertTrue(FAULTY)
        for path in FAULTY:
            with self.subTest(path.name):
                result = self.run_motet("check", path.name, cwd=path.parent)
                self.golden(f"diagnostics/{path.stem}.txt", result.err + result.out)

    def test_bundles_of_the_examples_keep_their_bytes(self):
        self.assertTrue(BUNDLES)
        for path in BUNDLES:
            with self.subTest(path.name):
                result = self.holds("elaborate", EXAMPLES[path.stem])
                self.golden(f"bundles/{path.name}", result.out)


main()
