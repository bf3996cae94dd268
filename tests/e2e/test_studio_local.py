"""motet studio in a browser: what a person does with it, on files of this machine."""
import json
import os
import pathlib
import subprocess
import tempfile

from harness import MOTET, SOURCE, Case, browser, main


class Walk(Case):
    """What a person does with it, in a browser: studio/tests/local.mjs."""

    def test_a_person_can(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["node", SOURCE / "studio/tests/walk.mjs", browser(), "http://127.0.0.1:1", folder, f"{folder}/said.json"],
                                  env={**os.environ, "HOME": folder, "MOTET": str(MOTET), "STUDIO_SUITE": "./local.mjs"}, capture_output=True, text=True, timeout=170)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            said = json.loads(pathlib.Path(f"{folder}/said.json").read_text())["said"]
        self.assertGreater(len(said), 3)
        for case, wrong in said.items():
            with self.subTest(case):
                self.assertEqual(wrong, "")


main()
