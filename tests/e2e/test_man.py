"""Man pages: mandoc finds no error in them, and the pages name the options there are."""
import re
import shutil
import subprocess
import unittest

from harness import SOURCE, Case, main

PAGES = sorted((SOURCE / "docs" / "man").glob("*.1"))
# Commands whose page documents every option of the table.
DOCUMENTED = ["agent-compare", "agent-harness", "agent-route", "agent-routes", "agent-statement",
              "agent-trace", "check", "completion", "elaborate", "eval", "fmt", "help", "init",
              "test", "validate"]
DOCUMENTED += ["agent-chart", "agent-init", "agent-inspect", "agent-relay", "agent-render", "agent-run", "agent-scenario"]
DOCUMENTED += ["analyze", "ask", "connect", "generate"]
DOCUMENTED += ["actions", "deploy", "explain", "lsp", "mcp", "repl", "serve", "studio"]
DOCUMENTED += ["keygen", "ledger-accept", "ledger-export", "ledger-prove", "ledger-show", "ledger-verify", "sign", "verify"]
DOCUMENTED += ["audit", "receipt-show", "receipt-verify"]
DOCUMENTED += ["diff", "doctor", "migrate", "whatif"]
DOCUMENTED += ["graph-letters-list", "graph-letters-send", "graph-run"]
TABLES = ["guard", "store", "witness"]  # one page for all their commands


class ManPages(Case):
    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_mandoc_finds_no_error(self):
        self.assertTrue(PAGES)
        for page in PAGES:
            with self.subTest(page.name):
                done = subprocess.run(["mandoc", "-Tlint", "-W", "error", str(page)],
                                      capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_every_option_is_in_the_page_of_its_command(self):
        for name in DOCUMENTED:
            text = (SOURCE / "docs" / "man" / f"motet-{name}.1").read_text()
            words = name.split("-")
            for option in re.findall(r"^  --([\w-]+)", self.holds("help", *words).out, re.M):
                with self.subTest(f"{name} --{option}"):
                    self.assertIn(f"Fl -{option}", text)

    def test_a_page_of_several_commands_has_their_options(self):
        for table in TABLES:
            text = (SOURCE / "docs" / "man" / f"motet-{table}.1").read_text()
            for name in re.findall(r"^  (\w+) ", self.holds("help", table).out, re.M):
                for option in re.findall(r"^  --([\w-]+)", self.holds("help", table, name).out, re.M):
                    with self.subTest(f"{table} {name} --{option}"):
                        self.assertIn(f"Fl -{option}", text)


main()
