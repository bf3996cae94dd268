"""The language server in real editors, without a screen."""
import json
import os
import shutil
import subprocess
import sys
import unittest

from harness import MOTET, SOURCE, Case, main

BROKEN = """persona clerk
fact ready { type: Bool source: "a.b" }
entity Order { states: [open, paid] initial: open transitions: [(open, paid)] }
rule is_ready { stratum: 0 when: ready produce: verdict ok { payload: Bool = true } }
operation pay { allowed_personas: [clerk] precondition: verdict_present(ok) effects: [(Order, open, paid)]
  error_contract: [precondition_failed, persona_rejected] }
flow go {
  snapshot: at_initiation
  entry: one
  steps: { one: OperationStep { op: pey persona: clerk outcomes: { success: Terminal(success) }
    on_failure: Terminate(outcome: failure) } }
}
"""


class Editors(Case):
    def drive(self, *command):
        contract, answer = self.write("order.tenor", BROKEN), self.dir / "answer.json"
        env = {**os.environ, "MOTET": str(MOTET), "MOTET_SOURCE": str(SOURCE), "CONTRACT": str(contract),
               "ANSWER": str(answer), "HOME": str(self.dir), "XDG_CONFIG_HOME": str(self.dir)}
        done = subprocess.run(command, env=env, cwd=self.dir, capture_output=True, timeout=100,
                              stdin=subprocess.DEVNULL)
        self.assertTrue(answer.exists(), (done.returncode, done.stdout[-2000:], done.stderr[-4000:]))
        return json.loads(answer.read_text())

    def laid_out(self):
        text = BROKEN.replace("pey", "pay").replace("operation pay", "operation settle") \
                     .replace("op: pay", "op: settle")
        return self.run_motet("fmt", "-", stdin=text).out

    @unittest.skipUnless(shutil.which("nvim"), "Neovim is not installed")
    def test_neovim(self):
        said = self.drive("nvim", "--headless", "--clean", "-S",
                          str(SOURCE / "tests/e2e/editors/neovim.lua"))
        self.assertEqual(said["filetype"], "tenor")
        self.assertTrue(any("pey" in d for d in said["diagnostics"]), said)
        self.assertTrue(said["mended"], said)
        self.assertTrue(said["definition"].startswith("operation pay"), said)
        self.assertEqual(said["renamed"], [True, True])
        self.assertEqual(said["text"], self.laid_out())

    @unittest.skipUnless(shutil.which("nvim") and shutil.which("tmux"), "Neovim or tmux is not installed")
    def test_the_picture_of_the_page_about_editors_is_what_neovim_shows(self):
        made = self.dir / "editor.svg"
        done = subprocess.run([sys.executable, str(SOURCE / "tests/e2e/editors/screen.py"), str(made)],
                              env={**os.environ, "MOTET": str(MOTET)}, capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        kept = SOURCE / "docs/images/editor.svg"
        if os.environ.get("MOTET_UPDATE_GOLDEN"):
            kept.write_text(made.read_text())
        for words in ("undeclared persona &#x27;clark&#x27;", "Stratum 0, produces"):
            self.assertIn(words, made.read_text())
        self.assertEqual(made.read_text(), kept.read_text(), "MOTET_UPDATE_GOLDEN=1 rewrites it; look at it then")

    @unittest.skipUnless(shutil.which("emacs"), "Emacs is not installed")
    def test_emacs(self):
        said = self.drive("emacs", "--batch", "--eval", "(package-initialize)", "-l",
                          str(SOURCE / "tests/e2e/editors/emacs.el"))
        self.assertEqual(said["mode"], "motet-mode")
        self.assertTrue(any("pey" in d for d in said["diagnostics"]), said)
        self.assertTrue(said["mended"], said)
        self.assertTrue(said["definition"].startswith("operation pay"), said)
        self.assertEqual(said["text"], self.laid_out())


main()
