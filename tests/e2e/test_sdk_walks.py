"""The SDKs over HTTP: every language takes the same walks and is told the same.

MOTET_UPDATE_GOLDEN=1 rewrites what is expected, from the Python client."""
import json
import os

import sdks
from harness import Case, main

UPDATE = bool(os.environ.get("MOTET_UPDATE_GOLDEN"))
WALKS = sorted((sdks.FIXTURES / "walks").glob("*.json"))
BIG = ("openapi", "metrics")  # theirs to be there, not to be compared


class Walks(Case):
    @classmethod
    def setUpClass(cls):
        cls.build = sdks.Build()
        cls.addClassCleanup(cls.build.close)

    def walked(self, language, path):
        walk = json.loads(path.read_text())
        directory = self.dir / f"{language}-{path.stem}"
        directory.mkdir()
        server, job = sdks.serve(directory, walk)
        try:
            got = self.build.walk(language, [job])[walk["name"]]
        finally:
            server.stop()
        self.assertEqual([said["step"] for said in got], list(range(len(walk["steps"]))))
        for step, said in zip(walk["steps"], got):
            if step["do"] in BIG:
                self.assertTrue(said["answer"], step)
                said["answer"] = "…"
            said["do"] = step["do"]
        return sdks.settled(got)

    def test_every_language_is_told_the_same(self):
        for path in WALKS:
            expected = sdks.FIXTURES / "expected" / f"walk-{path.stem}.jsonl"
            all_got = sdks.each_language(lambda language: self.walked(language, path))
            if UPDATE:
                lines = [json.dumps(said, sort_keys=True, ensure_ascii=False) for said in all_got["python"]]
                expected.write_text("\n".join(lines) + "\n")
            wanted = [json.loads(line) for line in expected.read_text().splitlines()]
            for language, got in all_got.items():
                for want, said in zip(wanted, got):
                    with self.subTest(f"{language} {path.stem} {want['step']} {want['do']}"):
                        self.assertEqual(said, want)
                self.assertEqual(len(got), len(wanted))

    def test_every_route_is_walked(self):
        walked = {step["do"] for path in WALKS for step in json.loads(path.read_text())["steps"]}
        routes = (sdks.SDK / "python" / "motet" / "_routes.py").read_text()
        table = {line.split('"')[1] for line in routes.splitlines() if ": Route(" in line}
        self.assertEqual(table - walked, set())


main()
