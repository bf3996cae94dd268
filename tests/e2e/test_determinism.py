"""Determinism is bytes: the same source gives the same bundle wherever and however it is run."""
import os
import random
import shutil
import subprocess

from contracts import GOOD, examples
from harness import MOTET, SEED, SOAK, Case, main

LOCALES = ["C", "C.UTF-8", "de_DE.UTF-8", "tr_TR.UTF-8", "POSIX"]


class Determinism(Case):
    def variants(self, path, times):
        """Bytes of `times` elaborations in different directories, locales, address layouts."""
        choose = random.Random(SEED)
        found = set()
        for i in range(times):
            place = self.dir / f"d{i % 10}" / ("x" * (i % 7 + 1))
            place.mkdir(parents=True, exist_ok=True)
            copy = place / path.name
            shutil.copyfile(path, copy)
            env = {**os.environ, "LC_ALL": choose.choice(LOCALES), "LANG": choose.choice(LOCALES),
                   "TZ": choose.choice(["UTC", "Asia/Tokyo"]), "PADDING": "p" * choose.randrange(5000)}
            prefix = ["setarch", "-R"] if i % 5 == 0 and shutil.which("setarch") else []
            name = copy.name if i % 2 else str(copy)
            done = subprocess.run([*prefix, str(MOTET), "elaborate", name], cwd=place, env=env,
                                  capture_output=True, timeout=60)
            found.add(done.stdout + b"\0" + done.stderr.replace(str(place).encode() + b"/", b""))
        return found

    def test_a_hundred_elaborations_give_one_result(self):
        self.assertEqual(len(self.variants(self.write("shop.tenor", GOOD), 100)), 1)

    def test_every_corpus_file_gives_one_result(self):
        for path in examples():
            text = path.read_bytes()
            if b"import" in text or b"system" in text:
                continue
            with self.subTest(str(path)):
                self.assertEqual(len(self.variants(path, 100 if SOAK else 3)), 1)


main()
