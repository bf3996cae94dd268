"""motet lsp: every request of the protocol that it answers, as an editor would ask."""
import json
import pathlib
import re
import shutil
import threading
import time

from harness import SANITIZED, SOURCE, Case, main
from lsp import ORDER, Editor, Refused

# What few contracts have.
RICH = '''source shop { protocol: http base_url: "https://shop.example" }
type Line { amount: Money(currency: "EUR"), kind: Enum(values: ["big", "small"]),
            days: Duration(unit: "days", min: 0, max: 9) }
fact lines { type: List(element_type: Line, max: 5) source: shop { path: "orders.lines" } }
fact rate { type: Decimal(precision: 10, scale: 2) source: "shop.rate" }
fact count { type: Int(min: 0, max: 9) source: "shop.count" }
fact open { type: Bool source: "shop.open" }
fact unused { type: Text(max_length: 3) source: "shop.unused" }
persona clerk
entity Order { states: [open, done] initial: open transitions: [(open, done)] }
rule r1 { stratum: 0 when: exists line in lines . line.kind = "big" produce: v1(true) }
rule r2 { stratum: 0 when: forall line in lines . line.amount > Money { amount: 1, currency: "EUR" } produce: v2(count) }
rule r3 { stratum: 0 when: rate > count and not open produce: v3(rate) }
rule r4 { stratum: 1 when: verdict_present(v1) or verdict_present(v2) produce: v4(true) }
rule r5 { stratum: 1 when: open and verdict_present(v1) produce: v5(true) }
rule r6 { stratum: 1 when: open and verdict_present(v1) produce: v6(true) }
rule r7 { stratum: 1 when: open and verdict_present(v1) produce: v7(true) }
rule r8 { stratum: 1 when: open and verdict_present(v1) produce: v8(true) }
rule r9 { stratum: 1 when: open and verdict_present(v1) produce: v9(true) }
rule r10 { stratum: 1 when: open and verdict_present(v1) produce: v10(true) }
rule r11 { stratum: 1 when: open and verdict_present(v1) produce: v11(true) }
rule r12 {
  stratum: 2
  when: verdict_present(v4)
    and verdict_present(v5)
    and verdict_present(v6)
    and verdict_present(v7)
    and verdict_present(v8)
    and verdict_present(v9)
    and verdict_present(v10)
    and verdict_present(v11)
    and count > 1
    and rate > 2
    and open
    and len(lines) > 0
  produce: v12(true)
}
operation finish {
  allowed_personas: [clerk]
  precondition: verdict_present(v12) and rate > count
  effects: [(Order, open, done)]
  error_contract: [precondition_failed, persona_rejected]
}
'''


class Lsp(Case):
    def editor(self, **words):
        editor = Editor(root=self.dir, **words)
        self.addCleanup(editor.__exit__)
        return editor

    def opened(self, text=ORDER, name="order.tenor", **words):
        editor = self.editor(**words)
        return editor, editor.open(self.write(name, text), text)

    def spot(self, text, word, which=0, inside=1):
        """The offset just inside the n-th occurrence of a word."""
        at = -1
        for _ in range(which + 1):
            at = text.index(word, at + 1)
        return at + inside

    # ---- the conversation ----

    def test_the_first_word_is_initialize_and_the_last_is_exit(self):
        editor = self.editor()
        with self.assertRaises(Refused) as caught:
            editor.ask("initialize", {"capabilities": {}})
        self.assertEqual(caught.exception.code, -32600)
        self.assertIsNone(editor.ask("shutdown", None))
        with self.assertRaises(Refused):
            editor.ask("workspace/symbol", {"query": ""})
        editor.tell("exit", None)
        self.assertEqual(editor.process.wait(10), 0)

    def test_an_editor_that_goes_without_a_word_is_exit_status_1(self):
        editor = self.editor()
        editor.tell("exit", None)
        self.assertEqual(editor.process.wait(10), 1)

    def test_what_cannot_be_answered_is_an_error_and_the_server_lives(self):
        editor, uri = self.opened()
        rows = [
            ("no/such", {}, -32601),
            ("textDocument/hover", {}, -32602),
            ("textDocument/hover", {"textDocument": {"uri": "file:///nowhere.tenor"},
                                    "position": {"line": 0, "character": 0}}, -32602),
            ("textDocument/hover", {"textDocument": {"uri": uri},
                                    "position": {"line": -1, "character": 0}}, -32602),
            ("textDocument/hover", {"textDocument": {"uri": uri}, "position": "here"}, -32602),
            ("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": 7}, -32602),
            *((method, {"textDocument": {"uri": uri}, "range": {
                "start": {"line": first, "character": 0}, "end": {"line": last, "character": 0}}}, -32602)
              for method in ("textDocument/codeAction", "textDocument/rangeFormatting")
              for first, last in ((2, 1), (-1, 1), (0, 1.5), (0, "1"))),
            ("workspace/executeCommand", {"command": "rm"}, -32602),
            ("workspace/executeCommand", {"command": "motet.ask", "arguments": [uri, "can boss perform pay", ""]},
             -32602),
            ("workspace/executeCommand", {"command": "motet.test", "arguments": [uri, "a name", ""]}, -32602),
        ]
        for method, params, code in rows:
            with self.subTest(method=method, params=params):
                with self.assertRaises(Refused) as caught:
                    editor.ask(method, params)
                self.assertEqual(caught.exception.code, code)
        editor.send(b"{not json")
        editor.send(b"[]")
        editor.send(b"7")
        editor.tell("$/anything", {})
        self.assertTrue(editor.at(uri, "hover", self.spot(ORDER, "is_small")))
        self.assertEqual([m["error"]["code"] for m in editor.strays], [-32700, -32600, -32600])

    def test_a_place_far_outside_is_the_end(self):
        editor, uri = self.opened()
        far = {"line": 2 ** 31, "character": 2 ** 31}
        params = {"textDocument": {"uri": uri}, "position": far}
        self.assertIsNone(editor.ask("textDocument/definition", params))

    def test_a_request_that_is_taken_back_is_answered_as_such(self):
        editor, uri = self.opened()
        bodies = [json.dumps(m).encode() for m in (
            {"jsonrpc": "2.0", "id": "a", "method": "textDocument/documentSymbol",
             "params": {"textDocument": {"uri": uri}}},
            {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "a"}})]
        editor.process.stdin.write(b"".join(b"Content-Length: %d\r\n\r\n" % len(b) + b
                                            for b in bodies))
        editor.process.stdin.flush()
        try:
            self.assertTrue(editor.hear("a"))  # it was quicker
        except Refused as refused:
            self.assertEqual(refused.code, -32800)
        self.assertTrue(editor.at(uri, "hover", self.spot(ORDER, "is_small")))

    def test_many_requests_that_are_taken_back_cost_little(self):
        editor, uri = self.opened()
        editor.diagnostics(uri)
        count, stream = 600, b""
        for i in range(count):
            for message in ({"id": f"r{i}", "method": "textDocument/hover",
                             "params": {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 9}}},
                            {"method": "$/cancelRequest", "params": {"id": f"none{i}"}}):
                body = json.dumps({"jsonrpc": "2.0", **message}).encode()
                stream += b"Content-Length: %d\r\n\r\n" % len(body) + body
        began = time.monotonic()
        # An editor hears while it speaks: else both would wait for room, each in its own pipe.
        speaking = threading.Thread(target=lambda: (editor.process.stdin.write(stream), editor.process.stdin.flush()))
        speaking.start()
        self.assertTrue(editor.hear(f"r{count - 1}"))
        speaking.join()
        self.assertLess(time.monotonic() - began, 10)

    def test_only_the_request_that_was_named_is_taken_back_and_each_is_answered_once(self):
        editor, uri = self.opened()
        ask = {"method": "textDocument/documentSymbol", "params": {"textDocument": {"uri": uri}}}
        messages = [{"id": 101, **ask}, {"id": "101", **ask}, {"id": 102, **ask},
                    {"method": "$/cancelRequest", "params": {"id": "101"}},
                    {"method": "$/cancelRequest", "params": {"id": "101"}},
                    {"method": "$/cancelRequest", "params": {}}, {"id": 103, **ask}]
        bodies = [json.dumps({"jsonrpc": "2.0", **m}).encode() for m in messages]
        editor.process.stdin.write(b"".join(b"Content-Length: %d\r\n\r\n" % len(b) + b for b in bodies))
        editor.process.stdin.flush()
        self.assertTrue(editor.hear(103))
        answers = {repr(m["id"]): m for m in editor.strays}
        self.assertEqual(sorted(answers), ["'101'", "101", "102"])
        self.assertEqual(len(editor.strays), 3)
        self.assertTrue(answers["101"]["result"] and answers["102"]["result"])
        self.assertEqual(answers["'101'"].get("error", {"code": -32800})["code"], -32800)

    # ---- diagnostics ----

    def test_the_levels_of_the_project_are_heard_of_at_once(self):
        project = self.write("motet.yaml", "")
        editor, uri = self.opened("persona nobody\n")
        editor.wait_for(uri)
        self.assertEqual([d["severity"] for d in editor.told[uri]["diagnostics"]], [2])
        for text, severities in (("lint: {deny: [T701]}\n", [1]), ("lint: {allow: [T701]}\n", [])):
            editor.told.clear()
            self.write("motet.yaml", text)
            editor.tell("workspace/didChangeWatchedFiles", {"changes": [{"uri": f"file://{project}", "type": 2}]})
            editor.wait_for(uri)
            self.assertEqual([d["severity"] for d in editor.told[uri]["diagnostics"]], severities)
            editor.at(uri, "hover", 9)  # made anew, for its names only
        editor.told.clear()
        editor.open(project, "lint: {deny: [T701]}\n")
        editor.wait_for(uri)
        self.assertEqual([d["severity"] for d in editor.told[uri]["diagnostics"]], [1])

    def test_diagnostics_come_while_typing_and_go_again(self):
        editor, uri = self.opened()
        self.assertEqual(editor.diagnostics(uri), [])
        at = ORDER.index("clerk]")
        editor.change(uri, at, at + 5, "clark")
        found = editor.diagnostics(uri)
        self.assertEqual(editor.read(uri, found[0]["range"]), "clark")
        self.assertEqual(found[0]["severity"], 1)
        editor.change(uri, at, at + 5, "clerk")
        self.assertEqual(editor.diagnostics(uri), [])

    def test_they_are_told_without_being_asked_for(self):
        editor, uri = self.opened("persona")
        editor.wait_for(uri)
        self.assertTrue(editor.told[uri]["diagnostics"])
        self.assertEqual(editor.told[uri]["version"], 1)

    def test_an_editor_that_never_pauses_fills_no_memory(self):
        with Editor() as e:
            said = json.dumps({"jsonrpc": "2.0", "method": "none", "params": ["x" * (1 << 20)]}).encode()
            for _ in range(200):
                e.send(said)
            e.ask("workspace/symbol", {"query": ""})
            status = pathlib.Path(f"/proc/{e.process.pid}/status").read_text()
            most = int(re.search(r"VmHWM:\s+(\d+) kB", status)[1])
            self.assertLess(most, 150 << 10 if not SANITIZED else 600 << 10)

    def test_a_request_whose_id_is_neither_number_nor_text_is_refused(self):
        with Editor() as e:
            for id in (None, True, [1], {"a": 1}):
                e.send({"jsonrpc": "2.0", "id": id, "method": "textDocument/hover", "params": {}})
                answer = e.receive()
                self.assertEqual((answer["id"], answer["error"]["code"]), (None, -32600))

    def test_who_asks_for_diagnostics_is_not_told_them_besides(self):
        can = {"textDocument": {"diagnostic": {}}}
        for refresh in (True, False):
            with self.subTest(refresh=refresh):
                editor = self.editor(can={**can, "workspace": {"diagnostics": {"refreshSupport": refresh}}})
                library = editor.open(self.write("library.tenor", "persona clerk\n"), "persona clerk\n")
                text = 'import "library.tenor"\n'
                uri = editor.open(self.write("root.tenor", text), text)
                self.assertTrue(editor.diagnostics(library))
                self.assertTrue(editor.diagnostics(uri))
                editor.change(uri, 0, 0, "\n")
                self.assertTrue(editor.diagnostics(uri))
                self.assertEqual(editor.strays, [])  # it asks for what it changes itself
                editor.change(library, 0, len("persona"), "person")
                while refresh and not editor.strays:
                    editor.take(editor.receive())
                self.assertIn("expected", editor.diagnostics(uri)[0]["message"])
                editor.tell("textDocument/didClose", {"textDocument": {"uri": library}})
                editor.ask("workspace/symbol", {"query": "clerk"})
                self.assertEqual(editor.told, {})
                asked = [m["method"] for m in editor.strays]
                self.assertEqual(set(asked), {"workspace/diagnostic/refresh"} if refresh else set())
                for stray in editor.strays:  # an editor answers
                    editor.send({"jsonrpc": "2.0", "id": stray["id"], "result": None})
                self.assertTrue(editor.diagnostics(uri))

    def test_an_import_is_read_from_the_editor_before_the_disk(self):
        editor = self.editor()
        library = editor.open(self.write("library.tenor", "broken"), "persona clerk\n")
        text = ('import "library.tenor"\nentity E { states: [a, b] initial: a transitions: [(a, b)] }\n'
                "operation go { allowed_personas: [clerk] precondition: true effects: [(E, a, b)] "
                "error_contract: [precondition_failed, persona_rejected] }\n")
        uri = editor.open(self.write("root.tenor", text), text)
        self.assertEqual([d for d in editor.diagnostics(uri) if d["severity"] == 1], [])
        editor.change(library, 0, len("persona clerk"), "persona nobody")
        self.assertEqual([d["severity"] for d in editor.diagnostics(uri)][:1], [1])
        editor.told.clear()
        editor.change(library, 0, len("persona nobody"), "persona somebody")
        editor.wait_for(uri)
        self.assertTrue(editor.told[uri]["diagnostics"])

    def test_a_fault_of_an_imported_file_is_told_at_the_import(self):
        editor = self.editor()
        self.write("library.tenor", "persona\n")
        text = 'persona a\nimport "library.tenor"\n'
        uri = editor.open(self.write("root.tenor", text), text)
        found = editor.diagnostics(uri)
        self.assertEqual(editor.read(uri, found[0]["range"]), 'import "library.tenor"')
        self.assertIn("library.tenor:", found[0]["message"])
        self.assertTrue(found[0]["relatedInformation"][0]["location"]["uri"]
                        .endswith("library.tenor"))

    # ---- names ----

    def test_from_a_use_to_its_definition(self):
        rows = [("is_small)", "is_small", 'verdict is_small'), ("clerk]", "clerk", "persona clerk"),
                ("op: pay", "pay", "operation pay"), ("kind =", "kind", ", kind"),
                ("success: second", "second", "\n    second"), ("Order, open", "Order", "entity Order")]
        editor, uri = self.opened()
        for place, word, definition in rows:
            with self.subTest(place=place):
                at = ORDER.index(place) + place.index(word)
                found = editor.at(uri, "definition", at)
                self.assertEqual(editor.read(uri, found["range"]), word)
                self.assertEqual(editor.offset(uri, found["range"]["start"]),
                                 ORDER.index(definition) + definition.index(word))

    def test_the_end_of_a_name_is_still_the_name(self):
        editor, uri = self.opened()
        at = self.spot(ORDER, "is_small)", inside=len("is_small"))
        self.assertTrue(editor.at(uri, "definition", at))
        self.assertIsNone(editor.at(uri, "definition", ORDER.index("{")))

    def test_a_definition_is_found_while_its_use_stands_in_what_is_broken(self):
        editor, uri = self.opened()
        editor.diagnostics(uri)  # it has been whole
        at = ORDER.index("snapshot: at_initiation") + len("snapshot: ")
        editor.change(uri, at, at + len("at_initiation"), "(")
        for place, word, definition in (("op: pay", "pay", "operation pay"), ("success: second", "second", "\n    second"),
                                        ("persona: clerk", "clerk", "persona clerk")):
            with self.subTest(place=place):
                text = editor.texts[uri]
                found = editor.at(uri, "definition", text.index(place) + place.index(word))
                self.assertEqual(editor.offset(uri, found["range"]["start"]), text.index(definition) + definition.index(word))

    def test_every_use_and_with_the_definition(self):
        editor, uri = self.opened()
        at = self.spot(ORDER, "is_small")
        uses = editor.at(uri, "references", at, context={"includeDeclaration": False})
        self.assertEqual(len(uses), 2)
        self.assertEqual(len(editor.at(uri, "references", at, context={"includeDeclaration": True})), 3)
        kinds = [h["kind"] for h in editor.at(uri, "documentHighlight", at)]
        self.assertEqual(sorted(kinds), [2, 2, 3])

    def test_uses_in_files_that_are_not_open(self):
        self.write("user.tenor", 'import "library.tenor"\nrule r { stratum: 0 when: ready '
                                 "produce: verdict v { payload: Bool = true } }\n")
        text = 'fact ready { type: Bool source: "a.b" }\n'
        editor, uri = self.opened(text, "library.tenor")
        uses = editor.at(uri, "references", self.spot(text, "ready"),
                         context={"includeDeclaration": True})
        self.assertEqual([u["uri"].rsplit("/", 1)[1] for u in uses], ["library.tenor", "user.tenor"])
        changes = editor.at(uri, "rename", self.spot(text, "ready"), newName="set")["changes"]
        self.assertEqual(len(changes), 2)

    def test_a_fault_that_was_there_does_not_keep_from_renaming(self):
        text = ORDER.replace("op: close", "op: clothes")
        editor, uri = self.opened(text)
        self.assertTrue([d for d in editor.diagnostics(uri) if d["severity"] == 1])
        changes = editor.at(uri, "rename", self.spot(text, "is_small"), newName="is_tiny")["changes"]
        self.assertEqual(editor.edited(uri, changes[uri]), text.replace("is_small", "is_tiny"))

    def test_a_file_that_was_missing_mends_who_imports_it_when_it_comes(self):
        text = 'import "late.tenor"\n'
        editor, uri = self.opened(text)
        editor.wait_for(uri)
        self.assertEqual([d["severity"] for d in editor.told.pop(uri)["diagnostics"]], [1])
        editor.open(self.write("late.tenor", "persona clerk\n"), "persona clerk\n")
        for _ in range(2):  # the other's come, too
            editor.take(editor.receive())
        self.assertEqual([d["severity"] for d in editor.told[uri]["diagnostics"]], [2])

    def test_a_contract_on_one_line(self):
        facts = " ".join(f'fact f{i} {{ type: Bool source: "é😀.x{i}" }}' for i in range(30))
        text = facts + " rule r { stratum: 0 when: f29 and f0 and f15 produce: verdict v { payload: Bool = f15 } }"
        for encoding in ("utf-8", "utf-16", "utf-32"):
            editor, uri = self.opened(text, encoding=encoding)
            names = [editor.read(uri, s["selectionRange"]) for s in editor.of(uri, "documentSymbol")]
            self.assertEqual(names, [f"f{i}" for i in range(30)] + ["r"])
            for name in ("f29", "f0", "f15"):
                found = editor.at(uri, "references", self.spot(text, f"{name} and" if name != "f15" else "f15 produce"),
                                  context={"includeDeclaration": True})
                self.assertEqual({editor.read(uri, f["range"]) for f in found}, {name})

    def test_a_long_line_is_not_counted_again_for_every_name(self):
        text = " ".join(f"persona p{i}" for i in range(40000))
        editor, uri = self.opened(text)
        began = time.monotonic()
        self.assertTrue(editor.at(uri, "hover", text.index("p39000") + 1))
        self.assertEqual(len(editor.of(uri, "documentSymbol")), 40000)
        self.assertLess(time.monotonic() - began, 10)

    def test_a_rename_that_cannot_see_every_contract_is_refused(self):
        for i in range(10001):
            (self.dir / f"f{i}.tenor").write_text("")
        self.write("user.tenor", 'import "library.tenor"\nrule r { stratum: 0 when: ready '
                                 "produce: verdict v { payload: Bool = true } }\n")
        text = 'fact ready { type: Bool source: "a.b" }\n'
        editor, uri = self.opened(text, "library.tenor")
        with self.assertRaises(Refused) as caught:
            editor.at(uri, "rename", self.spot(text, "ready"), newName="set")
        self.assertIn("9999", str(caught.exception))

    def test_what_brings_a_state_about(self):
        editor, uri = self.opened()
        found = editor.at(uri, "implementation", self.spot(ORDER, "paid"))
        self.assertEqual([editor.read(uri, f["range"]) for f in found], ["pay"])
        found = editor.at(uri, "implementation", self.spot(ORDER, "clerk"))
        self.assertEqual([editor.read(uri, f["range"]) for f in found], ["pay", "close"])

    def test_a_rename_changes_every_use_and_nothing_else(self):
        rows = [("persona clerk", "clerk", "teller"), ("is_small)", "is_small", "is_tiny"),
                ("states: [open", "open", "fresh"), ('"small"]', "small", "little"),
                ("first:", "first", "one"), ("entity Order", "Order", "Sale")]
        editor, uri = self.opened()
        for place, old, new in rows:
            with self.subTest(old=old):
                at = ORDER.index(place) + place.index(old)
                self.assertEqual(editor.read(uri, editor.at(uri, "prepareRename", at)), old)
                edits = editor.at(uri, "rename", at, newName=new)["changes"][uri]
                text = editor.edited(uri, edits)
                result = self.run_motet("check", self.write("renamed.tenor", text))
                self.assertEqual(result.code, 0, result)
                back = self.editor()
                there = back.open(self.write("renamed.tenor", text), text)
                at = back.offset(there, edits[0]["range"]["start"])
                edits = back.at(there, "rename", at, newName=old)["changes"][there]
                self.assertEqual(back.edited(there, edits), ORDER)

    def test_a_rename_that_would_be_an_error_is_refused(self):
        editor, uri = self.opened()
        for name in ("boss", "two words", "", "9", "a-b", "é\u0000"):
            with self.subTest(name=name), self.assertRaises(Refused) as caught:
                editor.at(uri, "rename", self.spot(ORDER, "clerk"), newName=name)
            self.assertEqual(caught.exception.code, -32803)
        with self.assertRaises(Refused):
            editor.at(uri, "rename", ORDER.index("{"), newName="x")

    def test_a_rename_that_would_break_a_system_of_the_workspace_is_refused(self):
        shutil.copytree(SOURCE / "examples/trade_platform", self.dir, dirs_exist_ok=True)
        editor = self.editor()
        path = self.dir / "contracts/order.tenor"
        text = path.read_text()
        uri = editor.open(path, text)
        with self.assertRaises(Refused) as caught:  # the other member has the state, too
            editor.at(uri, "rename", self.spot(text, "placed, paid", inside=9), newName="settled")
        self.assertIn("different state sets", str(caught.exception))
        self.assertTrue(editor.at(uri, "rename", self.spot(text, "fact payment_received", inside=6), newName="payment"))

    def test_who_calls_whom(self):
        editor, uri = self.opened()
        item = editor.at(uri, "prepareCallHierarchy", self.spot(ORDER, "operation close", inside=11))
        self.assertEqual(item[0]["name"], "close")
        calls = editor.ask("callHierarchy/outgoingCalls", {"item": item[0]})
        self.assertEqual([c["to"]["name"] for c in calls], ["quick"])
        calls = editor.ask("callHierarchy/incomingCalls", {"item": item[0]})
        self.assertEqual([c["from"]["name"] for c in calls], ["settle"])
        below = editor.ask("callHierarchy/outgoingCalls",
                           {"item": editor.ask("callHierarchy/outgoingCalls",
                                               {"item": item[0]})[0]["to"]})
        self.assertEqual([c["to"]["name"] for c in below], ["small"])

    # ---- the shape of a document ----

    def test_symbols(self):
        editor, uri = self.opened()
        symbols = {s["name"]: s for s in editor.of(uri, "documentSymbol")}
        self.assertEqual([c["name"] for c in symbols["Order"]["children"]], ["open", "paid", "closed"])
        self.assertIn("first", [c["name"] for c in symbols["settle"]["children"]])
        self.assertEqual(len(symbols), 12)
        found = editor.ask("workspace/symbol", {"query": "ordpaid"})
        self.assertEqual([f["name"] for f in found], ["Order.paid"])

    def test_symbols_of_what_does_not_parse(self):
        text = "persona a\nfact { type\nentity E { states: [x] initial: x transitions: [] }\n"
        editor, uri = self.opened(text)
        self.assertIn("E", [s["name"] for s in editor.of(uri, "documentSymbol")])

    def test_folds_are_brackets_and_comments_of_several_lines(self):
        text = "// one\n// two\npersona a\nentity E {\n  states: [\n    x\n  ]\n  initial: x\n}\n"
        editor, uri = self.opened(text)
        folds = [(f["startLine"], f["endLine"], f.get("kind")) for f in editor.of(uri, "foldingRange")]
        self.assertEqual(sorted(folds), [(0, 1, "comment"), (3, 7, None), (4, 5, None)])

    def test_selections_grow(self):
        editor, uri = self.opened()
        at = self.spot(ORDER, "is_small)")
        answer = editor.of(uri, "selectionRange", positions=[editor.position(uri, at)])[0]
        texts = []
        while answer:
            texts.append(editor.read(uri, answer["range"]))
            answer = answer.get("parent")
        self.assertEqual(texts[0], "is_small")
        self.assertTrue(all(a in b and a != b for a, b in zip(texts, texts[1:])), texts)
        self.assertEqual(texts[-1], ORDER)
        line, pair = ORDER[:ORDER.index("\n")], "min: 0, max: 100"
        body = line[len("type Line {"):-1]
        places = [editor.position(uri, self.spot(ORDER, word)) for word in ("max: 100", "big")]
        answers = editor.of(uri, "selectionRange", positions=places)
        values = '"big", "small"'
        for answer, wanted in zip(answers, (["max", pair, f"({pair})", f"Int({pair})"],
                                            ['"big"', values, f"[{values}]", f"values: [{values}]",
                                             f"(values: [{values}])", f"Enum(values: [{values}])"])):
            for text in [*wanted, body, "{" + body + "}", line, ORDER]:
                self.assertEqual(editor.read(uri, answer["range"]), text)
                answer = answer.get("parent")
            self.assertIsNone(answer)

    def test_links_lead_to_imports(self):
        self.write("library.tenor", "persona clerk\n")
        editor, uri = self.opened('import "library.tenor"\n', "root.tenor")
        links = editor.of(uri, "documentLink")
        self.assertEqual(editor.read(uri, links[0]["range"]), '"library.tenor"')
        self.assertTrue(links[0]["target"].endswith("/library.tenor"))

    def test_colours(self):
        editor, uri = self.opened()
        legend = editor.start["capabilities"]["semanticTokensProvider"]["legend"]["tokenTypes"]
        lines, seen, line, unit = ORDER.split("\n"), {}, 0, 0
        data = editor.of(uri, "semanticTokens/full")["data"]
        for i in range(0, len(data), 5):
            line, unit = line + data[i], data[i + 1] + (unit if not data[i] else 0)
            seen.setdefault(lines[line][unit:unit + data[i + 2]], set()).add(legend[data[i + 3]])
        for word, colour in (("clerk", "interface"), ("is_small", "event"), ("Order", "class"),
                             ("stratum", "keyword"), ("Int", "type"), ("100", "number"),
                             ('"small"', "enumMember"), ("<=", "operator"), ("open", "enumMember")):
            self.assertEqual(seen[word], {colour}, word)
        part = editor.of(uri, "semanticTokens/range", range={
            "start": {"line": 1, "character": 0}, "end": {"line": 2, "character": 0}})["data"]
        self.assertEqual(len(part), 4 * 5)

    # ---- words about a name ----

    def test_hover(self):
        rows = [("total <=", ["**fact** `total`", "Type: `Int(min: 0, max: 1000)`", "Used by `small`"]),
                ("is_quick)", ["**verdict** `is_quick`", "Stratum 1", "Used by `close`"]),
                ("boss\n", ["**persona** `boss`", "Used by `close`"]),
                # the source, the condition in words, what brings a state about
                ("total <=", ["Source: `shop.total`"]),
                ("is_quick)", ["Holds when verdict 'is_small' is present or urgent."]),
                ("small {", ["Holds when total <= 100 and line.kind = \"small\"."]),
                ("close {", ["May be done when verdict 'is_quick' is present.", "Moves `Order` from `paid` to `closed`"]),
                ("paid, closed]", ["**state** `Order.paid`", "Entered by `pay`", "Left by `close`"]),
                ("open, paid, closed]", ["No operation leads to it.", "Left by `pay`"])]
        editor, uri = self.opened()
        for place, wanted in rows:
            words = editor.at(uri, "hover", ORDER.index(place) + 1)["contents"]["value"]
            for part in wanted:
                self.assertIn(part, words)
        self.assertIsNone(editor.at(uri, "hover", ORDER.index("{ amount")))

    def test_what_is_told_at_every_word(self):
        rows = {"order.tenor": ORDER, "rich.tenor": RICH,
                "claims.tenor": (SOURCE / "examples/claims/claims.tenor").read_text()}
        for name, text in rows.items():
            with self.subTest(name=name):
                editor, uri = self.opened(text, name)
                self.golden(f"lsp/{name}.txt", editor.at_every_word(uri))

    def test_hover_over_a_fault_explains_its_code(self):
        text = ORDER.replace("op: pay", "op: pey")
        editor, uri = self.opened(text)
        code = editor.diagnostics(uri)[0]["code"]
        self.assertIn(f"**{code}: ", editor.at(uri, "hover", self.spot(text, "pey"))["contents"]["value"])

    def test_hover_over_a_code_in_a_comment_is_its_help_page(self):
        text = "// motet: allow T703\n" + ORDER
        editor, uri = self.opened(text)
        words = editor.at(uri, "hover", text.index("T703") + 2)["contents"]["value"]
        self.assertIn("**T703: ", words)
        self.assertIn("What to do: ", words)

    def test_hints_tell_the_precision_that_is_promoted_to(self):
        text = ORDER.replace("fact urgent", 'fact rate { type: Decimal(precision: 9, scale: 2) source: "a.b" }\nfact urgent') \
                    .replace("or urgent", "or rate < total")
        editor, uri = self.opened(text)
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}}
        self.assertEqual([d for d in editor.diagnostics(uri) if d["severity"] == 1], [])
        hints = editor.of(uri, "inlayHint", range=whole)
        self.assertTrue([h for h in hints if h["label"].startswith("as Decimal(")], hints)
        line = text[:text.index("stratum: 1")].count("\n")
        part = {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 99}}
        self.assertEqual(editor.of(uri, "inlayHint", range=part), [])

    def test_hints_tell_strata_and_types(self):
        text = ORDER.replace("produce: verdict is_quick { payload: Bool = true }", "produce: is_quick(total)")
        editor, uri = self.opened(text)
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}}
        labels = [h["label"] for h in editor.of(uri, "inlayHint", range=whole)]
        self.assertIn("stratum 0", labels)
        self.assertIn(": Int(min: 0, max: 1000)", labels)

    def test_what_goes_into_parentheses(self):
        text = "fact x { type: Decimal( source"
        editor, uri = self.opened(text)
        found = editor.at(uri, "signatureHelp", text.index("(") + 1)
        self.assertEqual(found["signatures"][0]["label"], "Decimal(precision: N, scale: N)")
        self.assertEqual([p["label"] for p in found["signatures"][0]["parameters"]], ["precision: N", "scale: N"])
        rows = [("Decimal(|", 0), ("Decimal(9, |", 1), ("Decimal(scale: |", 1), ("Decimal(scale: 2, precision: |", 0),
                ("List(element_type: Int(min: 0, max: 1), |", 1), ("Int(1, 2, 3|", 1)]
        for put, active in rows:
            with self.subTest(put=put):
                text = "fact x { type: " + put.replace("|", "")
                editor, uri = self.opened(text)
                self.assertEqual(editor.at(uri, "signatureHelp", len(text))["activeParameter"], active)
        self.assertIsNone(editor.at(uri, "signatureHelp", 3))

    # ---- completion ----

    COMPLETIONS = [
        # the text with | at the cursor is put before `flow`, what must and must not be offered
        ("|", ["fact", "entity", "operation"], ["clerk"]),
        ("operation x { | }", ["allowed_personas", "precondition"], ["clerk", "fact"]),
        ("operation x {\n  allowed_personas: [clerk]\n  |\n}", ["precondition"], ["allowed_personas"]),
        ("operation x { allowed_personas: [|] }", ["clerk", "boss"], ["total"]),
        ("operation x { precondition: | }", ["total", "is_small", "verdict_present"], ["clerk"]),
        ("operation x { precondition: verdict_present(|) }", ["is_small", "is_quick"], ["total"]),
        ("rule x { stratum: 0 when: line.| }", ["amount", "kind"], ["total"]),
        ('rule x { stratum: 0 when: line.kind = | }', ['"big"', '"small"'], ["total"]),
        ("fact x { type: | }", ["Bool", "Money", "Line"], ["total"]),
        ("entity Order { states: [open, paid, closed] initial: | }", ["open", "paid"], ["clerk"]),
        ("flow settle { entry: | }", ["first", "second"], ["clerk"]),
        ("flow x { steps: { a: | } }", ["OperationStep", "BranchStep"], ["clerk"]),
        ("flow x { steps: { a: OperationStep { op: | } } }", ["pay", "close"], ["clerk"]),
        ("flow x { steps: { a: OperationStep { op: pay persona: | } } }", ["clerk"], ["pay"]),
        ("flow x { steps: { a: OperationStep { op: pay outcomes: { | } } } }", ["success"], ["pay"]),
        ("flow settle { steps: { a: OperationStep { op: pay outcomes: { success: | } } } }",
         ["a", "Terminal"], ["pay"]),
        ("flow settle { entry: |", ["first", "second"], ["pay"]),
        ("flow x { steps: { a: OperationStep { on_failure: | } } }", ["Terminate", "Escalate"], ["pay"]),
        ("flow x { snapshot: | }", ["at_initiation"], ["pay"]),
        # states that can be reached from the one before
        ("operation x { effects: [(Order, open, |)] }", ["paid"], ["open", "closed"]),
        ("operation x { effects: [Order: paid -> |] }", ["closed"], ["open", "paid"]),
        ("operation x { effects: [(Order, |)] }", ["open", "paid", "closed"], ["clerk"]),
        ("operation x { effects: [(|)] }", ["Order"], ["clerk"]),
        # steps as they are written now, those of a branch alone
        ("flow x { entry: | steps: { one: OperationStep { } two: OperationStep { } } }", ["one", "two"], ["first"]),
        ("flow x { steps: { one: ParallelStep { branches: [Branch { id: b entry: | steps: { inner: OperationStep { } } }] } } }",
         ["inner"], ["one"]),
        ("flow x { steps: { a: SubFlowStep { flow: | } } }", ["settle"], ["pay"]),
        ("flow x { steps: { a: BranchStep { if_true: | } other: OperationStep { } } }", ["other", "Terminal"], ["pay"]),
        ("flow x { steps: { a: OperationStep { op: pay persona: | } } }", ["clerk"], ["boss"]),
        ("flow x { steps: { a: OperationStep { op: close persona: | } } }", ["clerk", "boss"], ["pay"]),
        ("flow x { steps: { a: OperationStep { op: nothing persona: | } } }", ["clerk", "boss"], ["pay"]),
        ("flow x { steps: { a: HandoffStep { to_persona: | } } }", ["boss"], ["pay"]),
        # parts of records, of variables and of payloads; values of enums
        ('fact lines { type: List(element_type: Line, max: 3) source: "a.b" }\nrule x { when: forall l in lines: l.| }',
         ["amount", "kind"], ["total"]),
        ('rule x { stratum: 0 when: line.kind in [|] }', ['"big"', '"small"'], ["total"]),
        ('fact line { type: Line source: "x.y" default: | }', [], ["clerk"]),
        ('fact urgent { type: Bool source: "x.y" default: | }', ["true", "false"], ["clerk"]),
        ("operation x { error_contract: [|] }", ["precondition_failed", "persona_rejected"], ["clerk"]),
        ("operation x { allowed_personas: [clerk], | }", ["precondition", "outcomes"], ["clerk"]),
        ("system s { triggers: [{ | }] }", ["source", "on", "target", "persona"], ["members"]),
        ("system s { shared_personas: [{ | }] }", ["persona", "contracts"], ["members"]),
        ("rule x { when: 1 < 2\n  | }", ["stratum", "produce"], ["when"]),
        ('import "|"', ["other.tenor"], ["order.tenor", "clerk"]),
    ]

    def test_completion_knows_the_place(self):
        self.write("other.tenor", "persona other\n")
        text = ORDER.replace("fact urgent", 'fact lines { type: List(element_type: Line, max: 3) source: "a.b" }\n'
                                            "fact urgent")
        editor, uri = self.opened(text)
        editor.diagnostics(uri)  # the whole text is known before it is broken
        at = text.index("flow settle")
        for place, wanted, unwanted in self.COMPLETIONS:
            with self.subTest(place=place):
                put = place.replace("|", "") + "\n"
                editor.change(uri, at, at, put)
                items = editor.at(uri, "completion", at + place.index("|"))["items"]
                labels = [item["label"] for item in items]
                self.assertEqual(len(labels), len(set(labels)))
                for label in wanted:
                    self.assertIn(label, labels)
                for label in unwanted:
                    self.assertNotIn(label, labels)
                editor.change(uri, at, at + len(put), "")

    # ---- mending ----

    def test_a_misspelt_name_has_an_action(self):
        text = ORDER.replace("op: pay", "op: pey")
        editor, uri = self.opened(text)
        at = self.spot(text, "pey")
        actions = editor.of(uri, "codeAction", range=editor.range(uri, at, at), context={"diagnostics": []})
        fixes = [a for a in actions if a["kind"] == "quickfix"]
        self.assertEqual(editor.edited(uri, fixes[0]["edit"]["changes"][uri]), ORDER)

    def test_all_slips_at_once(self):
        text = ORDER.replace("total <= 100 and", "total <= 100 &&").replace("is_small) or", "is_small) ||")
        editor, uri = self.opened(text)
        actions = editor.of(uri, "codeAction", range=editor.range(uri, 0, 0), context={"diagnostics": []})
        fix = [a for a in actions if a["kind"] == "source.fixAll"][0]
        self.assertEqual(editor.edited(uri, fix["edit"]["changes"][uri]), ORDER)

    def test_strata_are_renumbered(self):
        text = ORDER.replace("stratum: 1", "stratum: 0")
        editor, uri = self.opened(text)
        actions = editor.of(uri, "codeAction", range=editor.range(uri, 0, 0), context={"diagnostics": []})
        fix = [a for a in actions if a["title"] == "Renumber the strata"][0]
        self.assertEqual(editor.edited(uri, fix["edit"]["changes"][uri]), ORDER)

    # ---- layout ----

    def test_layout_is_that_of_fmt(self):
        wanted = self.run_motet("fmt", "-", stdin=ORDER)
        editor, uri = self.opened()
        edits = editor.of(uri, "formatting", options={"tabSize": 2, "insertSpaces": True})
        self.assertEqual(editor.edited(uri, edits), wanted.out)

    def test_a_part_is_laid_out_alone(self):
        text = "persona    a\npersona    b\npersona    c\n"
        editor, uri = self.opened(text)
        edits = editor.of(uri, "rangeFormatting", options={}, range={
            "start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 3}})
        self.assertEqual(editor.edited(uri, edits), "persona    a\npersona b\npersona    c\n")

    def test_what_does_not_parse_is_not_laid_out(self):
        editor, uri = self.opened("fact {")
        with self.assertRaises(Refused):
            editor.of(uri, "formatting", options={})
        self.assertIsNone(editor.at(uri, "onTypeFormatting", 5, ch="}", options={}))

    def test_a_closed_construct_is_laid_out(self):
        text = "persona    a\nfact x {\ntype: Bool\nsource: \"a.b\"\n}"
        editor, uri = self.opened(text)
        edits = editor.at(uri, "onTypeFormatting", len(text), ch="}", options={})
        self.assertEqual(editor.edited(uri, edits),
                         'persona    a\nfact x {\n  type:   Bool\n  source: "a.b"\n}')

    # ---- questions and pictures ----

    def test_a_lens_asks_and_is_answered(self):
        editor, uri = self.opened()
        lenses = [lens["command"] for lens in editor.of(uri, "codeLens")]
        questions = [c["arguments"][1] for c in lenses if c["command"] == "motet.ask"]
        self.assertEqual(questions, ["who can reach Order.open", "who can reach Order.paid",
                                     "who can reach Order.closed", "can is_small hold", "can is_quick hold", "who can perform pay",
                                     "who can perform close", "flow settle ends"])
        self.assertIn("2 uses", [c["title"] for c in lenses])
        asked = editor.ask("workspace/executeCommand", {
            "command": "motet.ask", "arguments": [uri, "can boss perform pay"]})
        self.assertEqual(asked["answer"], "no")
        # "can this ever be true" with the facts that make it so, "who can reach this" with a way
        for question, witness in (("can is_small hold", '"total":'), ("who can reach Order.closed", "clerk: pay")):
            asked = editor.ask("workspace/executeCommand", {"command": "motet.ask", "arguments": [uri, question]})
            self.assertEqual(asked["answer"], "yes")
            self.assertIn(witness, asked["text"])

    def test_pictures(self):
        editor, uri = self.opened()
        place = editor.position(uri, self.spot(ORDER, "Order {"))
        for form, word in (("mermaid", "flowchart"), ("dot", "digraph"), ("json", '"nodes"')):
            found = editor.ask("motet/picture", {"textDocument": {"uri": uri}, "position": place,
                                                 "format": form})
            self.assertIn(word, found["picture"])
        with self.assertRaises(Refused):
            editor.ask("motet/picture", {"textDocument": {"uri": uri}, "format": "png"})

    # ---- graphs and agents ----

    def test_data_is_checked_as_its_commands_do(self):
        rows = [("examples/slope/graph.yaml", "graph", "check"),
                ("examples/crossover/crossover.yaml", "graph", "check"),
                ("examples/crossover/adapter.yaml", "graph", "check")]
        editor = self.editor()
        for name, *command in rows:
            path = SOURCE / name
            text = path.read_text()
            for broken in (text, text.replace("version", "verzion", 1), text.replace(":", "", 1)):
                with self.subTest(name=name, broken=broken[:40]):
                    here = self.dir / path.parent.name / path.name
                    shutil.copytree(path.parent, here.parent, dirs_exist_ok=True)
                    here.write_text(broken)
                    report = json.loads(self.run_motet(*command, "--json", here).out or "{}")
                    wanted = sorted((d["line"], d["message"]) for d in report["diagnostics"])
                    uri = editor.open(here, broken)
                    told = sorted((d["range"]["start"]["line"] + 1, d["message"].split("\n")[0])
                                  for d in editor.diagnostics(uri))
                    self.assertEqual([t[0] for t in told], [max(1, w[0]) for w in wanted], (told, wanted))

    def test_agents_and_their_scenarios(self):
        editor = self.editor()
        agent = (SOURCE / "examples/agents/arrow.yaml").read_text()
        self.write("arrow.yaml", agent)
        uri = editor.open(self.dir / "arrow.yaml", agent)
        self.assertEqual(editor.diagnostics(uri), [])
        at = agent.index("--[ f ]-->")
        editor.change(uri, at, at + 4, "--[")
        editor.change(uri, at, at + 1, "(")
        self.assertEqual(editor.diagnostics(uri)[0]["range"]["start"]["line"], agent[:at].count("\n"))
        script = "scenario: s\nagent: nowhere.yaml\nmessages: []\n"
        told = editor.diagnostics(editor.open(self.dir / "s.scenario.yaml", script))
        self.assertIn("nowhere.yaml cannot be read", told[0]["message"])

    def test_yaml_of_others_is_only_yaml(self):
        editor = self.editor()
        self.assertEqual(editor.diagnostics(editor.open(self.dir / "a.yaml", "image: debian\n")), [])
        told = editor.diagnostics(editor.open(self.dir / "b.yaml", "a: [1\n"))
        self.assertEqual([d["code"] for d in told], ["YAML"])

    # ---- characters ----

    def test_places_in_every_encoding(self):
        text = '// 😀é\nfact x { type: Bool source: "😀é" }\nrule r { stratum: 0 when: x /*😀*/ and x ' \
               "produce: verdict v { payload: Bool = true } }\n"
        for encoding in ("utf-8", "utf-16", "utf-32"):
            with self.subTest(encoding=encoding):
                editor, uri = self.opened(text, encoding=encoding)
                self.assertEqual(editor.encoding, encoding)
                uses = editor.at(uri, "references", self.spot(text, "x {", inside=0),
                                 context={"includeDeclaration": True})
                self.assertEqual([editor.read(uri, u["range"]) for u in uses], ["x", "x", "x"])
                editor.change(uri, text.index("and x") + 4, text.index("and x") + 5, "y")
                self.assertEqual(editor.read(uri, editor.diagnostics(uri)[0]["range"]), "y")


main()
