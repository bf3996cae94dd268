"""The language, check by check: data in tests/language.

checks/<ID>/      accepted.tenor holds; refused.tenor is refused as refused.json says. <ID> is
                  the id of the check or the section of the specification (S11_5_acyclic),
                  behind it what this case is about. refused.json has "error" (the whole first
                  error object), "code" (of that error), "hint" (text its hint contains).
"""
import json

from harness import SOURCE, Case, main, run

ROOT = SOURCE / "tests" / "language"


def report(path):
    result = run("check", "--json", path.name, cwd=path.parent)
    return result, json.loads(result.out)


class Checks(Case):
    def refuse(self, path, expected):
        result, found = report(path)
        self.assertEqual(result.code, 1, repr(result))
        self.assertFalse(found["holds"])
        self.assertTrue(set(expected) & {"error", "code"}, "expects nothing")
        if "error" in expected:
            self.assertEqual(found["error"], expected["error"])
        first = next(d for d in found["diagnostics"] if d["severity"] == "error" and
                     d["message"] == found["error"]["message"])
        self.assertEqual(first["code"], expected.get("code", first["code"]), first)
        self.assertIn(expected.get("hint", ""), first["hint"] or "")

    def accept(self, path):
        result, found = report(path)
        self.assertEqual(result.code, 0, repr(result))
        self.assertTrue(found["holds"])
        self.assertIsNone(found["error"])

    def test_each_check_accepts_one_contract_and_refuses_the_other(self):
        cases = sorted(p for p in (ROOT / "checks").iterdir() if p.is_dir())
        self.assertGreaterEqual(len(cases), 300)
        for case in cases:
            with self.subTest(case.name):
                self.accept(case / "accepted.tenor")
                self.refuse(case / "refused.tenor",
                            json.loads((case / "refused.json").read_text()))


main()
