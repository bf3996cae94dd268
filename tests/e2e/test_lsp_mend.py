"""motet lsp: every action is applied, and the text is checked again: what it claims to mend is gone."""
import json

from harness import SOURCE, Case, main
from lsp import ORDER, Editor, Refused

STEPS = ORDER[ORDER.index("  steps: {"):]
BRANCH = '''    first: BranchStep {
      condition: verdict_present(is_small)
      persona: clerk
      if_true: second
      if_false: Terminal(failure)
    }
'''
HANDOFF = '''    first: HandoffStep { from_persona: clerk to_persona: boss next: second }
'''


def first_step(text):
    """The contract with another first step."""
    at = ORDER.index("    first: Operation")
    return ORDER[:at] + text + ORDER[ORDER.index("    second: Operation"):]


class LspMend(Case):
    def setUp(self):
        super().setUp()
        self.editor = Editor(root=self.dir)
        self.addCleanup(self.editor.__exit__)

    def opened(self, text, name="order.tenor"):
        return self.editor.open(self.write(name, text), text)

    def actions(self, uri, at, end=None, **context):
        range_ = self.editor.range(uri, at, at if end is None else end)
        return self.editor.of(uri, "codeAction", range=range_, context={"diagnostics": [], **context})

    def messages(self, uri, code):
        return [d["message"] for d in self.editor.diagnostics(uri) if d["code"] == code]

    # code, the text, what the title begins with, what is put
    FIELDS = [
        ("T014", ORDER.replace(' source: "shop.total"', ""), "Add 'source:", 'source: "where.total"'),
        ("T014", ORDER.replace("type: Int(min: 0, max: 1000) ", ""), "Add 'type:", "type: Bool"),
        ("T014", ORDER.replace("  stratum: 0\n", ""), "Add 'stratum:", "stratum: 0"),
        ("T014", ORDER.replace('  when: total <= 100 and line.kind = "small"\n', ""), "Add 'when:", "when: true"),
        ("T014", ORDER.replace("  precondition: verdict_present(is_small)\n", ""), "Add 'precondition:",
         "precondition: true"),
        ("T014", ORDER.replace("type: Int(min: 0, max: 1000)", "type: List(max: 3)"), "Add 'element_type:",
         "List(element_type: Bool, max: 3)"),
        ("T505", ORDER.replace("  states: [open, paid, closed]\n", ""), "Add 'states:", "states: [open, paid, closed]"),
        ("T502", ORDER.replace("  initial: open\n", ""), "Add 'initial:", "initial: open"),
        ("T513", ORDER.replace("  produce: verdict is_quick { payload: Bool = true }\n", ""), "Add 'produce:",
         "produce: verdict quick_holds { payload: Bool = true }"),
        ("T521", ORDER.replace("  allowed_personas: [clerk]\n", ""), "Add 'allowed_personas:",
         "allowed_personas: [clerk]"),
        ("T532", ORDER.replace("paid)]\n  error_contract: [precondition_failed, persona_rejected]", "paid)]"),
         "Add 'error_contract:", "error_contract: [precondition_failed, persona_rejected]"),
        ("T532", ORDER.replace(", persona_rejected]\n}\noperation close", "]\n}\noperation close"),
         "Add 'persona_rejected'", "[precondition_failed, persona_rejected]\n}\noperation close"),
        ("T559", ORDER.replace("  snapshot: at_initiation\n", ""), "Add 'snapshot:", "snapshot: at_initiation"),
        ("T540", ORDER.replace("  entry: first\n", ""), "Add 'entry:", "entry: first"),
        ("T563", ORDER.replace("      op: pay\n", ""), "Add 'op:", "op: pay"),
        ("T546", ORDER.replace("op: pay\n      persona: clerk\n", "op: pay\n"), "Add 'persona:", "persona: clerk"),
        ("T543", ORDER.replace("      outcomes: { success: second }\n", ""), "Add 'outcomes:",
         "outcomes: { success: Terminal(success) }"),
        ("T543", ORDER.replace("outcomes: { success: second }", "outcomes: { }"), "Add 'success:",
         "success: Terminal(success)"),
        ("T541", ORDER.replace("second }\n      on_failure: Terminate(outcome: failure)\n", "second }\n"),
         "Add 'on_failure:", "on_failure: Terminate(outcome: failure)"),
        ("T014", first_step(BRANCH.replace("      condition: verdict_present(is_small)\n", "")), "Add 'condition:",
         "condition: true"),
        ("T014", first_step(BRANCH.replace("      if_true: second\n", "")), "Add 'if_true:",
         "if_true: Terminal(success)"),
        ("T014", first_step(BRANCH.replace("      if_false: Terminal(failure)\n", "")), "Add 'if_false:",
         "if_false: Terminal(failure)"),
        ("T563", first_step(HANDOFF.replace("from_persona: clerk ", "")), "Add 'from_persona:", "from_persona: clerk"),
    ]

    def mended(self, code, text, title):
        """The text after the action, which was offered at the fault."""
        uri = self.opened(text)
        found = [d for d in self.editor.diagnostics(uri) if d["code"] == code]
        self.assertTrue(found, [(d["code"], d["message"]) for d in self.editor.diagnostics(uri)])
        at = self.editor.offset(uri, found[0]["range"]["start"])
        offered = [a for a in self.actions(uri, at) if a["title"].startswith(title)]
        titles = [a["title"] for a in self.actions(uri, at)]
        self.assertTrue(offered, titles)
        self.assertEqual(len(titles), len(set(titles)), titles)
        before = [d["message"] for d in found]
        text = self.editor.edited(uri, offered[0]["edit"]["changes"][uri])
        uri = self.opened(text)
        self.assertNotIn(before[0], self.messages(uri, code), text)
        self.assertLess(len(self.messages(uri, code)), len(before) + (code == "T014"), text)
        return text

    def test_a_missing_field_is_put_in(self):
        for code, text, title, wanted in self.FIELDS:
            with self.subTest(code=code, title=title):
                self.assertIn(wanted, self.mended(code, text, title))

    DECLARATIONS = [
        ("T522", ORDER.replace("allowed_personas: [clerk]\n", "allowed_personas: [clerk, manager]\n", 1),
         "Declare persona 'manager'", "persona boss\npersona manager\n"),
        ("T545", ORDER.replace("op: pay\n      persona: clerk", "op: pay\n      persona: manager"),
         "Declare persona 'manager'", "persona boss\npersona manager\n"),
        ("T502", ORDER.replace("initial: open", "initial: fresh"), "Declare state 'fresh' of Order",
         "states: [open, paid, closed, fresh]"),
        ("T503", ORDER.replace("(paid, closed)]\n}", "(paid, closed), (paid, gone)]\n}"),
         "Declare state 'gone' of Order", "states: [open, paid, closed, gone]"),
        ("T527", ORDER.replace("effects: [(Order, open, paid)]", "effects: [(Order, open, closed)]"),
         "Declare transition (open, closed) of Order", "(paid, closed), (open, closed)]"),
        ("T527", ORDER.replace("effects: [(Order, open, paid)]", "effects: [(Order, open, gone)]"),
         "Declare transition (open, gone) of Order", "(paid, closed), (open, gone)]"),
        ("T530", ORDER.replace("effects: [(Order, open, paid)]", "effects: [(Order, open, paid, done)]"),
         "Declare outcome 'done' of pay", "outcomes: [done]"),
        ("T525", ORDER.replace("effects: [(Order, open, paid)]",
                               "outcomes: [good, bad]\n  effects: [(Order, open, paid, done)]"),
         "Declare outcome 'done' of pay", "outcomes: [good, bad, done]"),
        ("T544", ORDER.replace("outcomes: { success: second }", "outcomes: { success: second, extra: second }"),
         "Declare outcome 'extra' of pay", "outcomes: [success, extra]"),
        ("T403", ORDER.replace("when: total <= 100", "when: total <= 100 and ready"), "Declare fact 'ready'",
         'default: false }\nfact ready { type: Bool source: "where.ready" }'),
    ]

    def test_a_name_is_declared_where_it_belongs(self):
        for code, text, title, wanted in self.DECLARATIONS:
            with self.subTest(code=code, title=title):
                self.assertIn(wanted, self.mended(code, text, title))

    def test_the_first_persona_stands_before_its_user(self):
        text = ("entity E { states: [a, b] initial: a transitions: [(a, b)] }\n"
                "operation go { allowed_personas: [clerk] precondition: true effects: [(E, a, b)] "
                "error_contract: [precondition_failed, persona_rejected] }\n")
        self.assertIn("}\npersona clerk\noperation go", self.mended("T564", text, "Declare persona"))

    def test_a_state_is_declared_in_the_file_of_its_entity(self):
        library = "entity Order {\n  states: [open]\n  initial: open\n  transitions: []\n}\n"
        self.write("library.tenor", library)
        text = ('import "library.tenor"\npersona clerk\noperation pay { allowed_personas: [clerk] precondition: true '
                "effects: [(Order, open, paid)] error_contract: [precondition_failed, persona_rejected] }\n")
        uri = self.opened(text)
        actions = self.actions(uri, text.index("paid"))
        edits = [a for a in actions if a["title"].startswith("Declare transition")][0]["edit"]["changes"]
        self.assertEqual([u.rsplit("/", 1)[1] for u in edits], ["library.tenor"])
        there = self.editor.open(self.dir / "library.tenor", library)
        self.editor.change(there, 0, len(library), self.editor.edited(there, edits[there]))
        self.assertEqual(self.messages(uri, "T527"), [])

    # ---- what needs no fault ----

    def test_a_record_gets_a_name(self):
        record = 'Record { city: Text(max_length: 20), owned: Bool }'
        text = (f'fact home {{ type: {record} source: "a.home" }}\n'
                f'fact flat {{ type: {record.replace(" Bool", "  Bool")} source: "a.flat" }}\n'
                'fact other { type: Record { city: Text(max_length: 9) } source: "a.other" }\n'
                "rule owner { stratum: 0 when: home.owned and flat.owned and other.city = \"x\" "
                "produce: verdict is_owner { payload: Bool = true } }\n")
        uri = self.opened(text)
        before = self.editor.diagnostics(uri)
        action = [a for a in self.actions(uri, text.index("city")) if a["kind"] == "refactor.extract"][0]
        self.assertEqual(action["title"], "Extract type 'Home', all its uses")
        new = self.editor.edited(uri, action["edit"]["changes"][uri])
        self.assertIn("type Home { city: Text(max_length: 20), owned: Bool }\n\nfact home { type: Home source", new)
        self.assertIn("fact flat { type: Home source", new)
        self.assertIn("fact other { type: Record {", new)
        uri = self.opened(new)
        self.assertEqual([d["message"] for d in self.editor.diagnostics(uri)], [d["message"] for d in before])

    def test_names_that_are_taken_get_a_number(self):
        text = ('type Home { x: Bool }\nfact home { type: Record { y: Bool } source: "a.home" }\n'
                'fact list { type: List(element_type: TaggedUnion { A: Bool, B: Bool }, max: 3) source: "a.b" }\n')
        uri = self.opened(text)
        for place, title, wanted in (("y:", "Extract type 'Home2'", "type Home2 { y: Bool }"),
                                     ("A:", "Extract type 'List2'", "type List2 = TaggedUnion { A: Bool, B: Bool }")):
            with self.subTest(place=place):
                action = [a for a in self.actions(uri, text.index(place)) if a["kind"] == "refactor.extract"][0]
                self.assertEqual(action["title"], title)
                new = self.editor.edited(uri, action["edit"]["changes"][uri])
                self.assertIn(wanted, new)
                other = self.opened(new, "other.tenor")
                self.assertEqual([d for d in self.editor.diagnostics(other) if d["severity"] == 1], [])

    def scenario_at(self, uri, at):
        found = [a for a in self.actions(uri, at) if a["kind"] == "refactor.scenario"]
        return found[0] if found else None

    def test_a_scenario_for_this_path(self):
        rows = [("operation pay", "'pay'"), ("operation close", "'close'"), ("flow settle", "'settle'"),
                ("op: close", "'settle' through second")]
        uri = self.opened(ORDER)
        file = self.dir / "order.scenarios.yaml"
        for place, title in rows:
            with self.subTest(place=place):
                action = self.scenario_at(uri, ORDER.index(place) + len(place) - 1)
                self.assertEqual(action["title"], "Add a scenario for " + title)
                edits = action["edit"]["changes"][f"file://{file}"]
                there = f"file://{file}"
                self.editor.texts[there] = file.read_text() if file.exists() else ""
                file.write_text(self.editor.edited(there, edits))
                result = self.run_motet("test", file)
                self.assertEqual(result.code, 0, result.out + file.read_text())
        self.assertIn("# pass  4", result.out)

    def test_a_scenario_for_every_operation_of_the_examples(self):
        for example in ("escrow", "claims", "requisition"):
            path = SOURCE / "examples" / example / f"{example}.tenor"
            text = path.read_text()
            uri = self.opened(text, f"{example}.tenor")
            file = self.dir / f"{example}.scenarios.yaml"
            for symbol in self.editor.of(uri, "documentSymbol"):
                if symbol["detail"] not in ("operation", "flow"):
                    continue
                with self.subTest(example=example, name=symbol["name"]):
                    action = self.scenario_at(uri, self.editor.offset(uri, symbol["selectionRange"]["start"]))
                    self.assertTrue(action)
                    there = f"file://{file}"
                    self.editor.texts[there] = file.read_text() if file.exists() else ""
                    file.write_text(self.editor.edited(there, action["edit"]["changes"][there]))
            result = self.run_motet("test", file)
            self.assertEqual(result.code, 0, result.out + file.read_text())

    def test_a_new_file_is_made_where_the_editor_can(self):
        editor = Editor(root=self.dir, can={"workspace": {"workspaceEdit": {
            "documentChanges": True, "resourceOperations": ["create"]}}})
        self.addCleanup(editor.__exit__)
        uri = editor.open(self.write("order.tenor", ORDER), ORDER)
        at = ORDER.index("operation pay") + 11
        actions = editor.of(uri, "codeAction", range=editor.range(uri, at, at), context={"diagnostics": []})
        made, put = [a for a in actions if a["kind"] == "refactor.scenario"][0]["edit"]["documentChanges"]
        self.assertEqual((made["kind"], made["uri"]), ("create", f"file://{self.dir}/order.scenarios.yaml"))
        self.assertTrue(put["edits"][0]["newText"].startswith("scenarios:\n  - name: "))

    def test_the_search_is_made_when_the_action_is_chosen(self):
        editor = Editor(root=self.dir, can={"textDocument": {"codeAction": {"resolveSupport": {"properties": ["edit"]}}}})
        self.addCleanup(editor.__exit__)
        uri = editor.open(self.write("order.tenor", ORDER), ORDER)
        at = ORDER.index("op: close")
        actions = editor.of(uri, "codeAction", range=editor.range(uri, at, at), context={"diagnostics": [], "triggerKind": 2})
        action = [a for a in actions if a["kind"] == "refactor.scenario"][0]
        self.assertNotIn("edit", action)
        made = editor.ask("codeAction/resolve", action)
        self.assertEqual(made["title"], action["title"])
        file = self.write("order.scenarios.yaml", made["edit"]["changes"][f"file://{self.dir}/order.scenarios.yaml"][0]["newText"])
        self.assertEqual(self.run_motet("test", file).code, 0)
        # what came whole goes back whole; what is not ours is refused
        self.assertEqual(editor.ask("codeAction/resolve", {"title": "x"}), {"title": "x"})
        for data in (7, {"uri": uri}, {"uri": "file:///nowhere", "position": {"line": 0, "character": 0}},
                     {"uri": uri, "position": {"line": 0, "character": 0}}):
            with self.subTest(data=data), self.assertRaises(Refused):
                editor.ask("codeAction/resolve", {"title": "x", "data": data})

    def test_nothing_is_searched_while_the_cursor_moves(self):
        uri = self.opened(ORDER)
        at = ORDER.index("operation pay") + 11
        self.assertEqual([a for a in self.actions(uri, at, triggerKind=2) if a["kind"] == "refactor.scenario"], [])
        self.assertTrue(self.scenario_at(uri, at))

    def test_scenarios_in_brackets_are_left_alone(self):
        self.write("order.scenarios.yaml", "scenarios: [{name: x, then: {present: []}}]\n")
        uri = self.opened(ORDER)
        self.assertIsNone(self.scenario_at(uri, ORDER.index("operation pay") + 11))

    def test_only_what_is_wanted(self):
        text = ORDER.replace("op: pay", "op: pey")
        uri = self.opened(text)
        at = text.index("pey")
        self.assertTrue(self.actions(uri, at, only=["quickfix"]))
        self.assertEqual(self.actions(uri, at, only=["refactor.extract"]), [])
        uri = self.opened(ORDER)
        kinds = {a["kind"] for a in self.actions(uri, ORDER.index("operation pay") + 11, only=["refactor"])}
        self.assertEqual(kinds, {"refactor.scenario"})

    def test_words_of_data_are_mended(self):
        rows = [("order.scenarios.yaml", "contract: order.tenor\ngiven: {facts: {totel: 5}}\nscenarios: []\n",
                 "totel", "total"),
                ("motet.yaml", "listne: 127.0.0.1:1\n", "listne", "listen"),
                ("arrow.yaml", "agent: a\nreceivers: [{rout: A, do: test}]\n", "rout", "route")]
        self.write("order.tenor", ORDER)
        for name, text, wrong, right in rows:
            with self.subTest(name=name):
                uri = self.opened(text, name)
                actions = self.actions(uri, text.index(wrong) + 1)
                self.assertEqual([a["title"] for a in actions], [f"Replace '{wrong}' by '{right}'"])
                new = self.editor.edited(uri, actions[0]["edit"]["changes"][uri])
                self.assertEqual(new, text.replace(wrong, right))
                uri = self.opened(new, name)
                self.assertEqual([d for d in self.editor.diagnostics(uri) if wrong in d["message"]], [])

    def test_no_place_is_a_fault(self):
        for cut in range(0, len(ORDER), 41):
            uri = self.opened(ORDER[:cut])
            self.assertIsInstance(self.actions(uri, max(0, cut - 3), cut), list)
        self.assertIsInstance(json.dumps(self.actions(uri, 0, cut)), str)


main()
