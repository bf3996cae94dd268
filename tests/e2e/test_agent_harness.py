"""motet agent harness: our own vectors in both modes, and the conformance data when present.

A vector is {note, in, out}: `in` goes in as one line, the answer must equal `out`; of a failure
only that it failed is compared."""
import json
import unittest

from harness import SOURCE, Case, conformance, main


def vectors(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


class Harness(Case):
    def check(self, rows, mode):
        lines = "".join(json.dumps(row["in"]) + "\n" for row in rows)
        result = self.holds("agent", "harness", "--mode", mode, stdin=lines)
        answers = [json.loads(line) for line in result.out.splitlines()]
        self.assertEqual(len(answers), len(rows))
        for row, answer in zip(rows, answers):
            with self.subTest(row["note"]):
                if row["out"]["ok"]:
                    self.assertEqual(answer, row["out"])
                    self.assertEqual(json.dumps(answer.get("payload")),
                                     json.dumps(row["out"].get("payload")))
                else:
                    self.assertIs(answer["ok"], False)
                    self.assertTrue(answer["error"])

    def test_profile_mode_answers_our_vectors(self):
        self.check(vectors(SOURCE / "tests/vectors/agent/profile.jsonl"), "profile")

    def test_compat_mode_answers_our_vectors(self):
        self.check(vectors(SOURCE / "tests/vectors/agent/compat.jsonl"), "compat")

    @unittest.skipUnless(conformance("agent"), "no conformance data here")
    def test_compat_mode_answers_every_recorded_vector(self):
        rows = vectors(conformance("agent") / "vectors.jsonl")
        self.assertTrue(rows)
        self.check(rows, "compat")

    def test_the_default_mode_is_profile(self):
        result = self.holds("agent", "harness", stdin='{"op":"parse","route":"A,,B"}\n')
        self.assertIs(json.loads(result.out)["ok"], False)

    def test_garbage_gets_an_answer_per_line(self):
        lines = b'nonsense\n{"op":1}\n[]\n{"op":"parse"}\n\xff\xfe\n{"op":"cycle","receivers":[{}]}\n'
        result = self.holds("agent", "harness", "--mode", "compat", stdin=lines)
        answers = [json.loads(line) for line in result.out.splitlines()]
        self.assertEqual([a["ok"] for a in answers], [False, False, False, False, False, True])

    def test_an_unknown_mode_is_wrong_usage(self):
        self.assertEqual(self.run_motet("agent", "harness", "--mode", "loose").code, 2)


main()
