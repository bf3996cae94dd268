"""motet repl at a terminal: a prompt, completion by Tab, earlier lines by the arrow keys.

What a session answers to lines from a pipe is in tests/golden/said/repl.txt."""
import os
import pty
import select
import subprocess
import time

from harness import MOTET, Case, main

CONTRACT = """persona clerk
fact amount { type: Int(min: 0, max: 9) source: "s" }
fact amounts_known { type: Bool source: "s" default: false }
entity Account { states: [open, shut] initial: open transitions: [(open, shut)] }
rule small { stratum: 0 when: amount < 5 produce: small(true) }
operation close { allowed_personas: [clerk] precondition: small present effects: [(Account, open, shut)] outcomes: [closed] error_contract: [precondition_failed, persona_rejected] }
flow closing { snapshot: at_initiation entry: a steps: {
  a: OperationStep { op: close persona: clerk outcomes: { closed: Terminal(success) } on_failure: Terminate(outcome: failure) }
} }
"""


class Terminal:
    """A program at a pseudo terminal, and everything it has shown."""

    def __init__(self, *words, cwd):
        self.master, slave = pty.openpty()
        self.shown = ""
        self.process = subprocess.Popen([str(MOTET), *words], cwd=cwd, stdin=slave, stdout=slave,
                                        stderr=slave, close_fds=True, start_new_session=True,
                                        env={**os.environ, "TERM": "dumb", "NO_COLOR": "1",
                                             "INPUTRC": "/dev/null", "LC_ALL": "C.UTF-8"})
        os.close(slave)

    def read(self, seconds):
        """More of what it shows; False at the end."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            more = os.read(self.master, 65536)
        except OSError:  # the other end is closed
            return False
        self.shown += more.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(more)

    def until(self, text, seconds=20):
        """Reads until `text` is shown after what was taken before; takes it."""
        end = time.monotonic() + seconds
        while text not in self.shown and time.monotonic() < end:
            self.read(0.1)
        assert text in self.shown, f"{text!r} is not in {self.shown!r}"
        before, _, self.shown = self.shown.partition(text)
        return before

    def type(self, text):
        os.write(self.master, text.encode())

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        code = self.process.wait(timeout=20)
        os.close(self.master)
        return code


class Repl(Case):
    def setUp(self):
        super().setUp()
        self.write("c.tenor", CONTRACT)
        self.terminal = Terminal("repl", "c.tenor", cwd=self.dir)
        self.addCleanup(self.terminal.close)
        self.assertIn("c: 2 facts, 1 rules, 1 operations, 1 flows", self.terminal.until("motet> "))

    def completed(self, typed, rest):
        """What Tab makes of a text: `rest` follows, and Enter sends it."""
        self.terminal.type(typed + "\t")
        self.terminal.until(typed + rest)

    def test_every_kind_of_name_is_completed(self):
        for typed, rest in (("verd", "icts "), ("unset amounts", "_known "), ("flow clo", "sing "),
                            ("actions cle", "rk "), ("explain sm", "all "), ("states Acc", "ount "),
                            ("  rese", "t ")):
            with self.subTest(typed):
                self.completed(typed, rest)
                self.terminal.type("\n")
                self.terminal.until("motet> ")

    def test_several_names_are_listed_and_none_is_not_a_file(self):
        self.terminal.type("set am\t\t")
        self.terminal.until("set amount")
        self.terminal.type("\t\t")
        listed = self.terminal.until("amounts_known")
        self.assertIn("amount", listed)
        self.terminal.type("\n")
        self.terminal.until("motet> ")
        self.terminal.type("unset c.ten\t\n")
        self.terminal.until("the contract has no fact 'c.ten'")

    def test_a_word_that_begins_a_line_is_a_command_and_nothing_else(self):
        self.terminal.type("amou\t\n")
        self.terminal.until("unknown command 'amou'")

    def test_lines_are_answered_and_the_last_one_comes_again(self):
        self.terminal.type("set amount 3\n")
        self.assertIn("+ small = true", self.terminal.until("motet> "))
        self.terminal.type("\n")  # nothing to answer, and not remembered
        self.terminal.until("motet> ")
        self.terminal.type("\x10\n")  # Ctrl-P: the line before
        self.terminal.until("set amount 3")
        self.terminal.until("verdicts unchanged")
        self.terminal.until("motet> ")
        self.terminal.type("quit\n")
        while self.terminal.read(20):
            pass
        self.assertEqual(self.terminal.process.wait(timeout=20), 0)
        self.assertTrue(self.terminal.shown.endswith("\n"))

    def test_the_end_of_input_ends_it_in_a_new_line(self):
        end = time.monotonic() + 20
        # An end typed between the prompt and the first look at the keys reaches libedit as
        # a NUL, which quotes the next key into the line: each try begins with an empty one.
        while self.terminal.process.poll() is None and time.monotonic() < end:
            self.terminal.type("\x15\x04")
            while self.terminal.read(1):
                pass
        self.assertEqual(self.terminal.process.wait(timeout=20), 0)
        self.assertTrue(self.terminal.shown.endswith("\n"), self.terminal.shown)


main()
