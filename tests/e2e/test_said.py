"""What the program says to people, command by command: tests/golden/said (see said.py).

MOTET_UPDATE_GOLDEN=1 rewrites the transcripts; MOTET_ONLY=NAME takes those whose name has it."""
import difflib
import os

import said
from harness import SANITIZED, SEED, SOAK, SOURCE, Case, main


class Said(Case):
    def test_every_command_says_what_its_transcript_has(self):
        paths = [path for path in said.transcripts() if os.environ.get("MOTET_ONLY", "") in path.stem]
        if SANITIZED and not SOAK:  # every second: the release build has all of them
            paths = paths[SEED % 2::2]
        self.assertTrue(paths)
        for path, text in said.told(paths):
            with self.subTest(path.stem):
                self.assertIn("$ ", text)
                old = path.read_text()
                if os.environ.get("MOTET_UPDATE_GOLDEN"):
                    self.golden(path.relative_to(SOURCE / "tests" / "golden"), text)
                elif text != old:
                    self.fail("\n".join(difflib.unified_diff(
                        old.splitlines(), text.splitlines(), str(path.relative_to(SOURCE)), "now",
                        n=3, lineterm="")))


main()
