"""libmotet answers with the bytes that the commands print, and refuses what they refuse."""
import json
import pathlib
import unittest

from harness import SOURCE, Case, main
import library
from library import Contract, OK, REJECTED, USAGE

EXAMPLES = sorted((SOURCE / "examples").glob("*/*.tenor"))
ESCROW = SOURCE / "examples/escrow/escrow.tenor"
FACTS = json.loads((SOURCE / "tests/data/escrow.facts.json").read_text())


def files_of(path):
    """Every source below the directory of a contract, by its path as the command sees it."""
    return {str(one): one.read_text() for one in pathlib.Path(path).parent.rglob("*.tenor")}


@unittest.skipIf(library.Library is None, "no shared library in this build")
class Library(Case):
    def load(self, path):
        contract, status = Contract.read(files_of(path), path)
        self.addCleanup(contract.free)
        self.assertEqual(status, OK, contract.messages())
        return contract

    def same(self, answer, *words, stdin=b""):
        """The answer is what the command prints."""
        result = self.run_motet(*words, stdin=stdin)
        self.assertEqual(answer.text, result.out_bytes, (words, answer.message, result.err))
        self.assertEqual(answer.code, result.code, words)

    def test_every_example_is_elaborated_checked_analysed_and_drawn_alike(self):
        for path in EXAMPLES:
            contract = self.load(path)
            with self.subTest(path.name):
                self.same(contract.ask("elaborate"), "elaborate", path)
                self.same(contract.ask("elaborate", manifest=True, compact=True),
                          "elaborate", "--manifest", "--compact", path)
                self.same(contract.ask("check", index=True), "check", "--json", "--index",
                          path)
                self.same(contract.ask("analyze"), "analyze", "--json", path)
                self.same(contract.ask("explain"), "explain", "--json", path)
                self.same(contract.ask("draw", format="mermaid"), "analyze", "--mermaid",
                          path)
                self.same(contract.ask("draw", parts="entities,authority"), "analyze",
                          "--draw", "entities,authority", "--format", "json", path)

    def test_files_and_callbacks_give_the_same_contract(self):
        path = SOURCE / "examples/trade_platform/trade_platform.tenor"
        opened, status = Contract.open(path)
        self.addCleanup(opened.free)
        self.assertEqual(status, OK)
        self.assertEqual(opened.ask("elaborate").text, self.load(path).ask("elaborate").text)

    def test_interchange_is_read_through_a_callback(self):
        text = (SOURCE / "tests/data/escrow.bundle.json").read_text()
        contract, status = Contract.read({"escrow.json": text}, "escrow.json")
        self.addCleanup(contract.free)
        self.assertEqual(status, OK)
        self.same(contract.ask("elaborate"), "elaborate",
                  SOURCE / "tests/data/escrow.bundle.json")

    def test_faults_of_a_contract_are_those_of_check(self):
        cases = sorted((SOURCE / "tests/language").rglob("*.tenor"))[::25]
        for path in cases:
            contract, status = Contract.read(files_of(path), path)
            with self.subTest(path), contract:
                self.same(contract.ask("check"), "check", "--json", path)
                refused = contract.ask("elaborate")
                self.assertEqual(refused.status, OK if status == OK else REJECTED)

    def case(self):
        """The escrow with facts and states, as options and as words of a command."""
        states = {"EscrowAccount": {"a": "held"}}
        facts = self.write("facts.json", json.dumps(FACTS))
        places = self.write("states.json", json.dumps(states))
        return self.load(ESCROW), states, facts, places

    def test_verdicts_are_those_of_eval(self):
        contract, _, facts, _ = self.case()
        self.same(contract.ask("eval", facts=FACTS), "eval", "--json", "--facts", facts, ESCROW)
        bad = self.write("bad.json", '{"escrow_amount":1}')
        answer = contract.ask("eval", facts={"escrow_amount": 1})
        self.same(answer, "eval", "--json", "--facts", bad, ESCROW)
        self.assertEqual(answer.status, REJECTED)
        self.assertIn(b'"path"', answer.fault)

    def test_what_is_left_to_decide_is_that_of_eval_partial(self):
        contract, _, _, _ = self.case()
        known = {"delivery_status": "confirmed"}
        facts = self.write("some.json", json.dumps(known))
        self.same(contract.ask("partial", facts=known, partial=True), "eval", "--partial",
                  "--json", "--facts", facts, ESCROW)
        self.same(contract.ask("partial", facts=known, unknown=["escrow_amount", "line_items"]),
                  "eval", "--unknown", "escrow_amount,line_items", "--json", "--facts", facts,
                  ESCROW)

    def test_flows_operations_and_actions_are_those_of_the_commands(self):
        contract, states, facts, places = self.case()
        explained = json.loads(contract.ask("elaborate").text)
        flows = [c for c in explained["constructs"] if c["kind"] == "Flow"]
        operations = [c for c in explained["constructs"] if c["kind"] == "Operation"]
        for persona in ("seller", "escrow_agent", "nobody"):
            for flow in flows:
                self.same(contract.ask("act", flow=flow["id"], persona=persona, facts=FACTS,
                                       dry_run=True),
                          "eval", "--json", "--facts", facts, "--flow", flow["id"],
                          "--persona", persona, "--dry-run", ESCROW)
            for operation in operations:
                self.same(contract.ask("act", operation=operation["id"], persona=persona,
                                       facts=FACTS, states=states,
                                       bind={"EscrowAccount": "a"}),
                          "eval", "--json", "--facts", facts, "--operation", operation["id"],
                          "--persona", persona, "--states", places, "--bind",
                          "EscrowAccount=a", ESCROW)
            self.same(contract.ask("actions", persona=persona, facts=FACTS, states=states),
                      "actions", "--json", "--facts", facts, "--states", places,
                      "--persona", persona, ESCROW)

    def test_reasons_are_those_of_explain(self):
        contract, states, facts, places = self.case()
        words = ("explain", "--json", "--facts", facts, ESCROW)
        self.same(contract.ask("explain", verdict="release_approved", facts=FACTS),
                  *words, "--verdict", "release_approved")
        self.same(contract.ask("explain", verdict="refund_approved", facts=FACTS, all=True),
                  *words, "--verdict", "refund_approved", "--all")
        self.same(contract.ask("explain", verdict="refund_approved", facts=FACTS, change=True),
                  *words, "--verdict", "refund_approved", "--change")
        self.same(contract.ask("explain", operation="release_escrow", facts=FACTS,
                               states=states, persona="escrow_agent"),
                  *words, "--operation", "release_escrow", "--states", places, "--persona",
                  "escrow_agent")
        self.same(contract.ask("explain", format="text", verbose=True), "explain",
                  "--verbose", ESCROW)

    def test_questions_are_answered_as_by_ask(self):
        contract, _, _, _ = self.case()
        for question in ("is release_approved and refund_approved possible",
                         "is within_threshold always", "when can refund_escrow",
                         "never reach EscrowAccount.disputed"):
            answer = contract.ask("ask", question=question)
            self.same(answer, "ask", "--json", ESCROW, question)
            self.assertIn("reply", json.loads(answer.text))

    def test_two_versions_differ_as_by_diff(self):
        old = self.load(ESCROW)
        text = ESCROW.read_text().replace("10000.00", "9000.00")
        changed = self.write("escrow.tenor", text)
        new, status = Contract.read({str(changed): text}, changed)
        self.addCleanup(new.free)
        self.assertEqual(status, OK, new.messages())
        self.same(old.diff(new), "diff", "--json", ESCROW, changed)
        self.same(old.diff(new, prove=True), "diff", "--json", "--prove", ESCROW, changed)
        self.same(old.diff(old), "diff", "--json", ESCROW, ESCROW)

    def test_layout_is_that_of_fmt(self):
        for path in EXAMPLES:
            text = path.read_text().replace("\n", "\n\n").replace("  ", " ")
            answer = library.answer(library.Library.motet_format, library.Str.of(text), b"-")
            self.same(answer, "fmt", "-", stdin=text)
        broken = library.answer(library.Library.motet_format, library.Str.of("fact {"), b"x")
        self.assertEqual((broken.status, broken.code, broken.text), (REJECTED, 1, b""))
        self.assertIn("x:1:", broken.message)

    def test_options_that_are_wrong_are_said(self):
        contract = self.load(ESCROW)
        for command, given, says in (
                ("nonsense", {}, "no such command"),
                ("eval", {"fact": {}}, "did you mean `facts`?"),
                ("act", {"flow": "x"}, "`persona`"),
                ("act", {"persona": "p"}, "`flow` or `operation`"),
                ("analyze", {"only": "s9"}, "s1, s2"),
                ("draw", {"parts": "nonsense"}, "entities, authority"),
                ("ask", {"question": "nonsense"}, "nonsense"),
                ("explain", {"all": True}, "--verdict"),
                ("actions", {"persona": 7}, "`persona`")):
            answer = contract.ask(command, **given)
            self.assertEqual((answer.status, answer.code), (USAGE, 2), command)
            self.assertIn(says, answer.message)
            self.assertEqual(answer.text, b"")
        for raw in (b"[]", b"{", b"\xff", b'{"facts":' + b"[" * 5000):
            answer = library.answer(library.Library.motet_contract_ask, contract.handle, b"eval",
                                    library.Str.of(raw))
            self.assertEqual(answer.status, USAGE, raw[:20])

    def test_options_of_loading(self):
        text = "persona unused_one\n"
        contract, status = Contract.read({"a.tenor": text}, "a.tenor", limits={"source_bytes": 3})
        self.assertNotEqual(status, OK)
        contract.free()
        contract, status = Contract.read({"a.tenor": text}, "a.tenor", limits={"nonsense": 3})
        self.assertEqual(status, USAGE)
        self.assertIn("nonsense", contract.messages()[0])
        contract.free()
        contract, status = Contract.read({}, "a.tenor")
        self.assertEqual(status, library.NOTFOUND)
        self.assertIn("No such file", contract.messages()[0])
        contract.free()


if __name__ == "__main__":
    main()
