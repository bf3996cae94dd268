"""A small editor for tests of `motet lsp`: opens texts, asks, keeps what it is told."""
import json
import re
import subprocess

from harness import MOTET

CAPABILITIES = {"textDocument": {"completion": {"completionItem": {"snippetSupport": True}},
                                 "publishDiagnostics": {"relatedInformation": True}}}

# A contract with a little of everything, for the tests.
ORDER = '''type Line { amount: Int(min: 0, max: 100), kind: Enum(values: ["big", "small"]) }
persona clerk
persona boss
fact total { type: Int(min: 0, max: 1000) source: "shop.total" }
fact line { type: Line source: "shop.line" }
fact urgent { type: Bool source: "shop.urgent" default: false }
entity Order {
  states: [open, paid, closed]
  initial: open
  transitions: [(open, paid), (paid, closed)]
}
rule small {
  stratum: 0
  when: total <= 100 and line.kind = "small"
  produce: verdict is_small { payload: Bool = true }
}
rule quick {
  stratum: 1
  when: verdict_present(is_small) or urgent
  produce: verdict is_quick { payload: Bool = true }
}
operation pay {
  allowed_personas: [clerk]
  precondition: verdict_present(is_small)
  effects: [(Order, open, paid)]
  error_contract: [precondition_failed, persona_rejected]
}
operation close {
  allowed_personas: [clerk, boss]
  precondition: verdict_present(is_quick)
  effects: [(Order, paid, closed)]
  error_contract: [precondition_failed, persona_rejected]
}
flow settle {
  snapshot: at_initiation
  entry: first
  steps: {
    first: OperationStep {
      op: pay
      persona: clerk
      outcomes: { success: second }
      on_failure: Terminate(outcome: failure)
    }
    second: OperationStep {
      op: close
      persona: clerk
      outcomes: { success: Terminal(success) }
      on_failure: Terminate(outcome: failure)
    }
  }
}
'''


class Refused(Exception):
    """An answer that is an error."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]


def units(text, encoding):
    """How long text is as the protocol counts it."""
    return {"utf-8": len(text.encode()), "utf-16": len(text.encode("utf-16-le")) // 2,
            "utf-32": len(text)}[encoding]


class Editor:
    """One conversation with a server of its own."""

    def __init__(self, root=None, encoding=None, words=(), can=None):
        self.process = subprocess.Popen([str(MOTET), "lsp", *words], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.count, self.told, self.texts, self.versions = 0, {}, {}, {}
        self.strays = []
        can = {**CAPABILITIES, **(can or {})}
        if encoding:
            can["general"] = {"positionEncodings": [encoding]}
        self.start = self.ask("initialize", {"capabilities": can,
                                             "rootUri": f"file://{root}" if root else None})
        self.encoding = self.start["capabilities"]["positionEncoding"]
        self.tell("initialized", {})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """The input ends, and the server with it, as when an editor goes away."""
        try:
            self.process.communicate(timeout=30)
        except (BrokenPipeError, ValueError):  # gone already, or closed by the test
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise

    def send(self, message):
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        length = None
        while (line := self.process.stdout.readline()) != b"\r\n":
            if not line:
                raise EOFError("the server has ended")
            name, value = line.split(b":")
            length = int(value) if name == b"Content-Length" else length
        return json.loads(self.process.stdout.read(length))

    def tell(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def hear(self, wanted):
        """Messages until the answer to a request comes."""
        while True:
            message = self.receive()
            if "id" in message and message["id"] == wanted:
                if "error" in message:
                    raise Refused(message["error"])
                return message["result"]
            self.take(message)

    def wait_for(self, uri):
        """Until the diagnostics of a document are told."""
        while uri not in self.told:
            self.take(self.receive())

    def take(self, message):
        if message.get("method") == "textDocument/publishDiagnostics":
            self.told[message["params"]["uri"]] = message["params"]
        else:
            self.strays.append(message)

    def ask(self, method, params):
        self.count += 1
        self.send({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params})
        return self.hear(self.count)

    # ---- documents ----

    def open(self, path, text):
        uri = f"file://{path}"
        self.texts[uri], self.versions[uri] = text, 1
        self.tell("textDocument/didOpen", {"textDocument": {
            "uri": uri, "languageId": "tenor", "version": 1, "text": text}})
        return uri

    def position(self, uri, offset):
        """Of an offset in characters."""
        before = self.texts[uri][:offset]
        line = before.rsplit("\n", 1)[-1]
        return {"line": before.count("\n"), "character": units(line, self.encoding)}

    def offset(self, uri, position):
        lines = self.texts[uri].split("\n")
        start = sum(len(line) + 1 for line in lines[:position["line"]])
        line, n = lines[position["line"]], 0
        while units(line[:n], self.encoding) < position["character"]:
            n += 1
        return start + n

    def range(self, uri, start, end):
        return {"start": self.position(uri, start), "end": self.position(uri, end)}

    def read(self, uri, range_):
        """The text of a range."""
        return self.texts[uri][self.offset(uri, range_["start"]):self.offset(uri, range_["end"])]

    def change(self, uri, start, end, text):
        """Replaces characters."""
        self.versions[uri] += 1
        self.tell("textDocument/didChange", {
            "textDocument": {"uri": uri, "version": self.versions[uri]},
            "contentChanges": [{"range": self.range(uri, start, end), "text": text}]})
        old = self.texts[uri]
        self.texts[uri] = old[:start] + text + old[end:]

    def edited(self, uri, edits):
        """The text with the edits of an answer made."""
        text = self.texts[uri]
        for edit in sorted(edits, key=lambda e: self.offset(uri, e["range"]["start"]),
                           reverse=True):
            start = self.offset(uri, edit["range"]["start"])
            end = self.offset(uri, edit["range"]["end"])
            text = text[:start] + edit["newText"] + text[end:]
        return text

    def at(self, uri, method, offset, **more):
        return self.ask(f"textDocument/{method}", {
            "textDocument": {"uri": uri}, "position": self.position(uri, offset), **more})

    def of(self, uri, method, **more):
        return self.ask(f"textDocument/{method}", {"textDocument": {"uri": uri}, **more})

    def diagnostics(self, uri):
        """What is told of the present text."""
        return self.of(uri, "diagnostic")["items"]

    # ---- everything, for people ----

    def at_every_word(self, uri):
        """What is told at the beginning of every word, as lines; what was told before is not repeated."""
        text, told, lines = self.texts[uri], {}, []

        def place(there, range_):
            name = "" if there == uri else there.rsplit("/", 1)[1] + " "
            start, end = range_["start"], range_["end"]
            return f"{name}{start['line'] + 1}:{start['character'] + 1}-{end['character'] + 1}"

        def hover(found):
            return found and [found["contents"]["value"].replace("\n", " / ").rstrip(" /")]

        def places(found):
            return found and [" ".join(place(f["uri"], f["range"]) for f in ([found] if "uri" in found else found))]

        def signature(found):
            one = found and found["signatures"][0]
            return one and [f"{one['label']}, {found['activeParameter']} of {len(one['parameters'])}: "
                            f"{one['documentation']}"]

        def items(found):
            return [f"{item['label']} ({item['kind']}) {item.get('detail', '')}".rstrip() for item in found["items"]]

        asks = [("hover", hover, {}), ("definition", places, {}),
                ("references", places, {"context": {"includeDeclaration": True}}),
                ("documentHighlight", lambda found: found and [" ".join(
                    f"{place(uri, f['range'])}({f['kind']})" for f in found)], {}),
                ("prepareRename", lambda found: found and [place(uri, found)], {}), ("completion", items, {}),
                ("implementation", places, {}), ("signatureHelp", signature, {}),
                ("prepareCallHierarchy", lambda found: found and [
                    f"{item['name']} ({item['kind']}) {item.get('detail', '')} "
                    f"{place(item['uri'], item['selectionRange'])}" for item in found], {})]
        for word in re.finditer(r"[\w$]+", text):
            at = self.position(uri, word.start())
            here = f"{at['line'] + 1}:{at['character'] + 1}"
            lines.append(f"{here} {word[0]}")
            for method, shown, more in asks:
                try:
                    found = shown(self.at(uri, method, word.start(), **more))
                except Refused as refused:
                    found = [f"refused: {refused}"]
                if found:
                    before = told.setdefault((method, tuple(found)), here)
                    lines += [f"  {method}: as at {before}"] if before != here else \
                        [f"  {method}: {found[0]}", *(f"    {line}" for line in found[1:])]
            actions = self.of(uri, "codeAction", range={"start": at, "end": at}, context={"diagnostics": []}) or []
            lines += [f"  codeAction: {action['title']} ({action['kind']})" for action in actions]
        return "\n".join(lines) + "\n" + self.of_the_whole(uri)

    def of_the_whole(self, uri):
        """What is told of a document: its names, folds, links, hints and lenses, as lines."""
        def at(range_):
            start, end = range_["start"], range_["end"]
            return f"{start['line'] + 1}:{start['character'] + 1}-{end['line'] + 1}:{end['character'] + 1}"

        def names(symbols, before):
            for s in symbols:
                yield (f"{before}{s['name']} ({s['kind']}) {s.get('detail', '')} {at(s['range'])} "
                       f"{at(s['selectionRange'])}")
                yield from names(s.get("children", []), before + "  ")

        end = self.position(uri, len(self.texts[uri]))
        whole = {"range": {"start": {"line": 0, "character": 0}, "end": end}}
        lines = ["documentSymbol", *names(self.of(uri, "documentSymbol") or [], "  "), "foldingRange"]
        lines += [f"  {f['startLine'] + 1}-{f['endLine'] + 1} {f.get('kind', '')}"
                  for f in self.of(uri, "foldingRange") or []]
        lines += ["documentLink", *(f"  {at(link['range'])} {link['target'].rsplit('/', 1)[1]}"
                                    for link in self.of(uri, "documentLink") or []), "inlayHint"]
        lines += [f"  {h['position']['line'] + 1}:{h['position']['character'] + 1} {h['label']}"
                  for h in self.of(uri, "inlayHint", **whole) or []]
        lines += ["codeLens", *(f"  {at(lens['range'])} {lens['command']['title']}"
                                for lens in self.of(uri, "codeLens") or [])]
        return "\n".join(line.rstrip() for line in lines) + "\n"
