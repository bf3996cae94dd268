"""The language, check by check: data in tests/language.

checks/<ID>/      accepted.tenor holds; refused.tenor is refused as refused.json says. <ID> is
                  the id of the check or the section of the specification (S11_5_acyclic),
                  behind it what this case is about. refused.json has "error" (the whole first
                  error object), "code" (of that error), "hint" (text its hint contains).
spec/             the examples of the specification, with the declarations they lack: those of
                  accepted/ hold, those of refused/ are refused with the advice of their json.
interchange/      contract.tenor elaborates to what expected.json says of its parts, by
                  Kind/id/key/...; "order" is that of the constructs, "steps of F" of a flow,
                  "tenor_version" that of the bundle. In additive/ every block but the first
                  needs a node of docs/reference/interchange.md.
union/            one form of the language in each directory: the interchange of suite.tenor,
                  apart from line numbers and names of files, is that of every other file.
"""
import json

from harness import SANITIZED, SEED, SOURCE, Case, main, run

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
        errors = [d for d in found["diagnostics"] if d["severity"] == "error"]
        # People are told some faults in other words than the suite has for them.
        told = [d for d in errors if d["message"] == found["error"]["message"]] or errors
        first = next((d for d in told if d["code"] == expected.get("code")), told[0])
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
        # Sanitizers see them all in fuzz/language; here a process for each takes long.
        for case in cases[SEED % 4::4] if SANITIZED else cases:
            with self.subTest(case.name):
                self.accept(case / "accepted.tenor")
                self.refuse(case / "refused.tenor",
                            json.loads((case / "refused.json").read_text()))

    def test_every_correct_example_of_the_specification_holds(self):
        examples = sorted((ROOT / "spec" / "accepted").glob("*.tenor"))
        self.assertGreaterEqual(len(examples), 15)
        for path in examples + [SOURCE / "examples" / "escrow" / "escrow.tenor"]:
            with self.subTest(path.name):
                self.accept(path)

    def test_every_incorrect_example_is_refused_with_advice(self):
        examples = sorted((ROOT / "spec" / "refused").glob("*.tenor"))
        self.assertEqual(len(examples), 5)
        for path in examples:
            with self.subTest(path.name):
                expected = json.loads(path.with_suffix(".json").read_text())
                self.assertTrue(expected["hint"])
                self.refuse(path, expected)

    def test_the_worked_example_as_printed_lacks_one_transition(self):
        text = (SOURCE / "examples" / "escrow" / "escrow.tenor").read_text()
        added = "    (pending, failed),\n    (confirmed, pending)\n"
        self.assertEqual(text.count(added), 1)
        printed = text.replace(added, "    (pending, failed)\n")
        path = self.write("escrow.tenor", printed)
        effect = "(DeliveryRecord, confirmed, pending)"
        line = printed[:printed.index(effect)].count("\n") + 1
        _, found = report(path)
        self.assertEqual(found["errors"], 1)
        self.assertEqual(found["error"], {
            "construct_id": "revert_delivery_confirmation", "construct_kind": "Operation",
            "field": "effects", "file": "escrow.tenor", "line": line, "pass": 5,
            "message": f"effect {effect} is not a declared transition in entity "
                       "DeliveryRecord; declared transitions are: "
                       "[(pending, confirmed), (pending, failed)]"})


def elaborate(path):
    result = run("elaborate", path.name, cwd=path.parent)
    return result, json.loads(result.out) if result.code == 0 else None


def part(bundle, path):
    """The part Kind/id/key/... of a bundle; None when it is not there."""
    kind, name, *keys = path.split("/")
    value = next(c for c in bundle["constructs"] if (c["kind"], c["id"]) == (kind, name))
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


class Interchange(Case):
    def compare(self, bundle, key, expected):
        if key == "order":
            found = [f"{c['kind']}/{c['id']}" for c in bundle["constructs"]]
        elif key.startswith("steps of "):
            found = [s["id"] for s in part(bundle, f"Flow/{key[9:]}/steps")]
        elif key == "tenor_version":
            found = bundle[key]
        else:
            found = part(bundle, key)
        self.assertEqual(found, expected)

    def test_each_part_is_written_as_expected(self):
        cases = sorted((ROOT / "interchange").iterdir())
        self.assertGreaterEqual(len(cases), 8)
        for case in cases:
            result, bundle = elaborate(case / "contract.tenor")
            self.assertEqual(result.code, 0, repr(result))
            for key, expected in json.loads((case / "expected.json").read_text()).items():
                with self.subTest(f"{case.name}: {key}"):
                    self.compare(bundle, key, expected)

    def test_each_node_beyond_1_0_raises_the_version_by_itself(self):
        text = (ROOT / "interchange" / "additive" / "contract.tenor").read_text()
        facts, *blocks = text.split("\n\n")
        self.assertEqual(len(blocks), 22)
        for block, version in [("", "1.0.0")] + [(b, "1.1.0") for b in blocks]:
            with self.subTest(block or "only the facts"):
                path = self.write("contract.tenor", f"{facts}\n{block}\n")
                result, bundle = elaborate(path)
                self.assertEqual(result.code, 0, repr(result))
                self.assertEqual(bundle["tenor_version"], version)
                self.holds("validate", self.write("bundle.json", result.out))

    def test_the_interchange_is_the_same_whichever_form_was_written(self):
        forms = sorted((ROOT / "union").iterdir())
        self.assertGreaterEqual(len(forms), 40)
        for form in forms:
            result, bundle = elaborate(form / "suite.tenor")
            self.assertEqual(result.code, 0, repr(result))
            others = sorted(form.glob("other*.tenor"))
            self.assertTrue(others)
            for other in others:
                with self.subTest(f"{form.name}/{other.name}"):
                    result, found = elaborate(other)
                    self.assertEqual(result.code, 0, repr(result))
                    self.assertEqual(without_places(found), without_places(bundle))


def without_places(bundle):
    """A bundle without its name, and its constructs without file and line."""
    rest = {key: value for key, value in bundle.items() if key not in ("constructs", "id")}
    rest["constructs"] = [{k: v for k, v in c.items() if k != "provenance"}
                          for c in bundle["constructs"]]
    return rest


class Files(Case):
    """Errors of files, which no pair of contracts can show."""

    def error(self, code, path, message, file=None):
        result = self.fails(code, "check", "--json", path)
        self.assertEqual(json.loads(result.out)["error"], {
            "construct_id": None, "construct_kind": None, "field": None,
            "file": str(file or path), "line": 0, "message": message, "pass": 1})

    def test_a_root_that_does_not_exist_is_named_as_given(self):
        self.error(3, "none.tenor", "cannot open file: No such file or directory (os error 2)")

    def test_a_file_that_is_not_utf8_is_named_in_full(self):
        bad = self.write("bad.tenor", b"persona \xff\n").resolve()
        message = f"cannot read file '{bad}': stream did not contain valid UTF-8"
        self.error(1, "bad.tenor", message, bad)
        self.error(1, self.write("root.tenor", 'import "bad.tenor"\n'), message, bad)

    def test_a_directory_cannot_be_imported(self):
        here = self.dir.resolve()
        self.error(3, self.write("root.tenor", 'import "."\n'),
                   f"cannot read file '{here}': Is a directory (os error 21)", here)

    def test_crlf_counts_lines_as_lf_does(self):
        path = self.write("crlf.tenor", b"persona p\r\n\r\npersona 1\r\n")
        self.assertEqual(report(path)[1]["error"]["line"], 3)


main()
