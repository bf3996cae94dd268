"""motet repl: values checked at once, facts from a file, and a terminal with completion and history."""
import json
import os
import pty
import select
import subprocess
import time

from harness import MOTET, SANITIZED, Case, main

LOAN = """persona clerk
fact score { type: Int(min: 300, max: 850) source: "bureau.score" }
fact amount { type: Money("EUR") source: "desk.amount" }
fact term { type: Duration(unit: "days", min: 1, max: 90) source: "desk.term" }
fact employed { type: Bool source: "desk.employed" }
fact purpose { type: Enum(values: ["house", "horse"]) source: "desk.purpose" default: "house" }
entity Loan { states: [asked, paid] initial: asked transitions: [(asked, paid)] }
rule good {
  stratum: 0
  when: score >= 640 and amount <= Money { amount: "20000.00", currency: "EUR" } and employed
  produce: verdict is_good { payload: Bool = true }
}
operation pay {
  allowed_personas: [clerk]
  precondition: verdict_present(is_good)
  effects: [(Loan, asked, paid)]
  outcomes: [paid]
  error_contract: [precondition_failed, persona_rejected]
}
flow decide { snapshot: at_initiation entry: s1 steps: {
  s1: OperationStep { op: pay persona: clerk outcomes: { paid: Terminal(success) } on_failure: Terminate(outcome: failure) }
} }
"""
FACTS = {"score": 700, "amount": {"amount": "5.00", "currency": "EUR"}, "term": {"value": 3, "unit": "days"},
         "employed": True}


class Repl(Case):
    def session(self, *lines, words=()):
        path = self.write("loan.tenor", LOAN)
        return self.holds("repl", path, *words, stdin="\n".join(lines) + "\n").out

    def test_FU14_a_bad_value_is_refused_at_once_and_the_one_before_stays(self):
        out = self.session("set score 9000", "set score 700", "set score high", "set score 299", "facts")
        self.assertIn("expected Int(300, 850), got 9000\nscore is missing\n", out)
        self.assertIn("expected Int, got string\nscore stays 700\n", out)
        self.assertIn("got 299\nscore stays 700\n", out)
        self.assertIn("score: Int(300, 850) = 700\n", out)

    def test_FU14_a_bad_value_drops_no_other(self):
        lines = [f"set {name} {json.dumps(value)}" for name, value in FACTS.items()]
        out = self.session(*lines, "set amount -x", "set purpose car", "verdicts", "explain is_good")
        self.assertIn("+ is_good = true", out)
        self.assertIn("amount stays {", out)
        self.assertIn("purpose keeps its default\n", out)
        self.assertIn("[is_good] true", out)
        self.assertIn("fact amount is 5.00 EUR", out)

    def test_FU14_reasons_and_actions_while_facts_are_missing(self):
        out = self.session("set score 700", "explain is_good", "actions clerk", "set score 300", "explain is_good",
                           "actions clerk", "actions clrk")
        self.assertIn("verdict is_good depends on amount <= Money { amount: \"20000.00\", currency: \"EUR\" } and "
                      "employed", out)
        self.assertIn("depends  decide: on amount <=", out)
        self.assertIn("verdict is_good is absent (rule good, stratum 0)\n  because score >= 640 does not hold", out)
        self.assertIn("blocked  decide\n", out)
        self.assertIn("still missing: amount, employed, term", out)
        self.assertIn("no persona 'clrk'; did you mean 'clerk'?", out)

    def test_FU14_money_and_durations_as_people_write_them(self):
        out = self.session("set amount 12.50 EUR", "set term 3 days", "set amount 12.50 USD", "facts")
        self.assertIn('amount: Money(EUR) = {"amount":"12.50","currency":"EUR"}\n', out)
        self.assertIn('term: Duration(days, 1, 90) = {"unit":"days","value":3}\n', out)
        self.assertIn('amount stays {"amount":"12.50","currency":"EUR"}\n', out)

    def test_FU20_a_field_nobody_knows_is_named_and_the_value_taken(self):
        value = '{"amount":"5.00","curency":"USD","currency":"EUR"}'
        said = "warning: fact 'amount' has no field 'curency'; did you mean 'currency'?"
        out = self.session(f"set amount {value}", "facts")
        self.assertIn(said + "\n", out)
        self.assertIn(f"amount: Money(EUR) = {value}\n", out)
        facts = self.write("facts.json", '{"amount":' + value + "}")
        result = self.run_motet("repl", self.dir / "loan.tenor", "--facts", facts, stdin="facts\n")
        self.assertEqual(result.code, 0)
        self.assertIn(said, result.err)
        many = json.dumps({"amount": "5.00", "currency": "EUR"} | {f"u{i}": 1 for i in range(30)})
        out = self.session(f"set amount {many}")
        self.assertEqual(out.count("warning: "), 21)
        self.assertIn("warning: and 10 more names that the contract does not have\n", out)

    def test_FU14_facts_come_from_a_file(self):
        facts = self.write("facts.yaml", "score: 700\namount: {amount: '5.00', currency: EUR}\n"
                                         "term: {value: 3, unit: days}\n")
        out = self.session("set employed true", words=("--facts", facts))
        self.assertIn("still missing: employed\n", out)
        self.assertIn("+ is_good = true\n", out)
        bad = self.write("bad.json", json.dumps({"score": 1, "amont": 5}))
        err = self.fails(1, "repl", self.dir / "loan.tenor", "--facts", bad).err
        self.assertIn("expected Int(300, 850), got 1", err)
        self.assertIn("no fact 'amont'; did you mean 'amount'?", err)
        self.fails(1, "repl", self.dir / "loan.tenor", "--facts", self.write("list.json", "[]"))
        self.fails(3, "repl", self.dir / "loan.tenor", "--facts", self.dir / "none.json")

    def test_FU14_what_the_known_facts_decide_is_told_while_others_are_missing(self):
        out = self.session("set score 500", "verdicts", "set score 700", "set amount 5.00 EUR", "verdicts",
                           "set employed true", "set term 3 days", "unset amount")
        lines = out.split("\n")
        self.assertEqual(lines[2:4], ["- is_good, whatever is missing", "still missing: amount, employed, term"])
        self.assertIn("  [is_good] absent (rule: good, stratum: 0)\noperations:\n"
                      "  pay: the precondition does not hold\n", out)
        self.assertIn("? is_good\nstill missing: amount, employed, term\n", out)
        self.assertIn("  [is_good] depends on employed (rule: good, stratum: 0)\n", out)
        self.assertIn("+ is_good = true, whatever is missing\nstill missing: term\nverdicts unchanged\n"
                      "? is_good\nstill missing: amount\n", out)

    def test_FU14_misspelt_names_have_a_neighbour(self):
        out = self.session("set scor 5", "verdcts", words=("--facts", self.write("f.json", json.dumps(FACTS))))
        self.assertIn("no fact 'scor'; did you mean 'score'?", out)
        self.assertIn("unknown command 'verdcts'; did you mean 'verdicts'?", out)
        out = self.session("flow decid clerk", words=("--facts", self.write("f.json", json.dumps(FACTS))))
        self.assertIn("no flow 'decid'; did you mean 'decide'?", out)


class Terminal(Case):
    """A pseudo-terminal: what a person types, and what the screen shows."""

    def open(self, *words):
        path = self.write("loan.tenor", LOAN)
        parent, child = pty.openpty()
        self.process = subprocess.Popen([str(MOTET), "repl", str(path), *map(str, words)], stdin=child, stdout=child,
                                        stderr=child, cwd=self.dir, close_fds=True,
                                        env={**os.environ, "TERM": "xterm", "NO_COLOR": "1", "HOME": str(self.dir)})
        os.close(child)
        self.addCleanup(self.end)
        self.screen = parent
        self.shown("motet> ")

    def end(self):
        try:
            if self.process.poll() is None:
                os.write(self.screen, b"\x15\x04")  # an empty line, and the end of what is typed
                self.process.wait(2)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
        self.process.wait()
        if self.screen is not None:
            os.close(self.screen)
            self.screen = None

    def shown(self, text, seconds=60 if SANITIZED else 20):
        """Everything up to the text."""
        seen, deadline = "", time.monotonic() + seconds
        while text not in seen:
            if not select.select([self.screen], [], [], max(0, deadline - time.monotonic()))[0]:
                self.fail(f"{text!r} is not shown, but {seen!r}")
            try:
                seen += os.read(self.screen, 4096).decode(errors="replace")
            except OSError:
                self.fail(f"it ended without {text!r}: {seen!r}")
        return seen

    def type(self, text):
        os.write(self.screen, text.encode())

    def leave(self):
        self.type("quit\r")
        self.process.wait(timeout=20)
        os.close(self.screen)
        self.screen = None

    def test_FU14_tab_completes_names_by_their_place(self):
        self.open()
        self.type("set sc\t")
        self.shown("ore ")
        self.type("650\r")
        self.shown("still missing: amount, employed, term")
        self.type("set emp\t")
        self.shown("loyed ")
        self.type("t\t\r")
        self.shown("still missing: amount, term")
        self.type("set purpose hor\t\r")
        self.shown("still missing: amount, term")
        self.type("facts\r")
        self.shown('"horse"')
        self.leave()
        self.assertEqual(self.process.returncode, 0)

    def test_FU14_history_is_kept_where_it_is_asked_for_and_for_its_owner_alone(self):
        kept = self.dir / "lines"
        self.open("--history", kept)
        self.type("set score 655\r")
        self.shown("still missing: amount, employed, term")
        self.leave()
        self.assertIn("655", kept.read_text())
        self.assertEqual(kept.stat().st_mode & 0o777, 0o600)
        self.open("--history", kept)
        self.type("\x1b[A\x1b[A\r")  # quit, then the line before it
        self.shown("still missing: amount, employed, term")
        self.leave()

    def test_FU14_without_the_option_nothing_is_written(self):
        self.open()
        self.type("set score 655\r")
        self.shown("still missing: amount")
        self.leave()
        self.assertEqual(sorted(p.name for p in self.dir.iterdir()), ["loan.tenor"])


if __name__ == "__main__":
    main()
