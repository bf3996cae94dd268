"""motet lsp: what must hold for every text, tried at random and over every name of the examples."""
import json
import os
import random
import re
import shutil

import bundle_rename
from harness import SANITIZED, SEED, SOAK, SOURCE, Case, main
from lsp import Editor, Refused

EXAMPLES = SOURCE / "examples"
EDITS = 10000 if SOAK else 120
RENAMES = None if SOAK else 25  # None: every name
PUT = ("", "", "x", "{", "}", '"', "persona q\n", " and ", ": ", "\n", "é", "😀", "(", "\t", "// motet: allow T701\n",
       "import \"nowhere.tenor\"\n", "0", "[", "]", "when", "\0")
REQUESTS = ("hover", "definition", "implementation", "references", "documentHighlight", "prepareRename", "rename", "completion",
            "signatureHelp", "documentSymbol", "foldingRange", "selectionRange", "documentLink", "semanticTokens/full",
            "semanticTokens/range", "inlayHint", "codeAction", "codeLens", "formatting", "rangeFormatting", "onTypeFormatting",
            "prepareCallHierarchy")
# What the members of examples/trade_platform share: a rename in one of them alone would break their System.
SHARED = {("persona", "", "admin"), ("persona", "", "warehouse_ops"), ("entity", "", "Order"), ("state", "Order", "placed"),
          ("state", "Order", "paid"), ("state", "Order", "shipped"), ("state", "Order", "cancelled")}
REQUEST_FAILED = -32803
MOST_GROWTH = 3 << 20  # bytes that a server may take after a quarter of the edits; the solver takes some when it is first needed


def memory(process):
    """Bytes of its own that a process has in memory: without programs and libraries."""
    with open(f"/proc/{process.pid}/status") as status:
        sizes = dict(re.findall(r"^(\w+):\s+(\d+) kB", status.read(), re.M))
    return int(sizes["RssAnon"]) * 1024


class Properties(Case):
    def setUp(self):
        super().setUp()
        self.tree = self.dir / "examples"
        shutil.copytree(EXAMPLES, self.tree)
        self.random = random.Random(SEED)
        self.first = {}  # the texts as they were, by address

    # ---- edits ----

    def checked(self, path):
        report = json.loads(self.run_motet("check", "--json", path).out)
        mine = [(max(d["line"], 1), d["column"] or 1, d["severity"], d["code"], d["message"])
                for d in report["diagnostics"] if d["file"] == str(path)]
        return sorted(mine), len(report["diagnostics"]) - len(mine)

    def told(self, editor, uri):
        """The same as the server tells it. What is of another file is told where that is named, with its place in words."""
        mine, others = [], 0
        for d in editor.diagnostics(uri):
            if re.match(r"/\S+\.tenor:\d+: ", d["message"]):
                others += 1
                continue
            at = d["range"]["start"]
            mine.append((at["line"] + 1, at["character"] + 1, {1: "error", 2: "warning", 3: "note", 4: "note"}[d["severity"]],
                         d["code"], d["message"].split("\n")[0]))
        return sorted(mine), others

    def edit(self, editor, path):
        """A few characters less, a few more; now and then the text is what it was. Gives its address."""
        uri = f"file://{path}"
        if uri not in self.first:
            self.first[uri] = path.read_text()
            editor.open(path, self.first[uri])
        text = editor.texts[uri]
        if self.random.random() < 0.1:
            editor.change(uri, 0, len(text), self.first[uri])
            return uri
        start = self.random.randrange(len(text) + 1)
        end = min(len(text), start + self.random.choice((0, 0, 0, 1, 1, 3, 20)))
        editor.change(uri, start, end, self.random.choice(PUT))
        return uri

    def ask_anything(self, editor, uri):
        """A request at a random place: it is answered, or refused, and the server lives."""
        method = self.random.choice(REQUESTS)
        at = editor.position(uri, self.random.randrange(len(editor.texts[uri]) + 1))
        try:
            editor.of(uri, method, position=at, positions=[at], range={"start": at, "end": at}, newName="zq", ch="}", options={},
                      context={"diagnostics": [], "includeDeclaration": True})
        except Refused as refused:
            self.assertEqual(refused.code, REQUEST_FAILED, f"MOTET_SEED={SEED}, {method} at {at}: {refused}")

    def test_after_every_edit_the_diagnostics_are_those_of_check_and_memory_is_flat(self):
        examples = sorted(self.tree.rglob("*.tenor"))
        editor = Editor(root=self.tree, encoding="utf-32")
        self.addCleanup(editor.__exit__)
        taken = 0
        for turn in range(EDITS):
            if turn % len(examples) == 0 and turn >= EDITS // 4 and not taken:
                taken = memory(editor.process)
            path = examples[turn % len(examples)]
            uri = self.edit(editor, path)
            path.write_bytes(editor.texts[uri].encode())
            self.ask_anything(editor, uri)
            self.assertEqual(self.told(editor, uri), self.checked(path),
                             f"MOTET_SEED={SEED}, edit {turn} of {path}:\n{editor.texts[uri]}")
        grown = memory(editor.process) - taken
        print(f"seed {SEED}: {EDITS} edits of {len(examples)} contracts, memory {taken >> 10} KB after a quarter, "
              f"{grown >> 10} KB more at the end", flush=True)
        if not SANITIZED:  # which keeps what was freed
            self.assertLess(grown, MOST_GROWTH)

    def test_texts_that_are_data_are_edited_at_random_and_the_server_lives(self):
        editor = Editor(root=self.tree)
        self.addCleanup(editor.__exit__)
        files = sorted(p for p in self.tree.rglob("*") if p.suffix in (".yaml", ".json"))
        for turn in range(EDITS // 2):
            path = files[turn % len(files)]
            uri = self.edit(editor, path)
            self.ask_anything(editor, uri)
            for d in editor.diagnostics(uri):
                self.assertTrue(d["message"], f"MOTET_SEED={SEED}, edit {turn} of {path}")

    # ---- names ----

    def names(self, path):
        """Every name that is defined in the file: kind, owner, name, line and column from 0."""
        index = json.loads(self.run_motet("check", "--json", "--index", path).out)["index"]
        for m in index:
            if m["is_definition"] and m["at"]["file"] == str(path):
                owner, _, name = m["id"].rpartition(".")
                if m["kind"] == "variable":  # of the construct that it stands in
                    before = "\n".join(path.read_text().split("\n")[:m["at"]["line"]])
                    owner = re.findall(r"^(?:rule|operation|flow) (\w+)", before, re.M)[-1]
                inside = m["kind"] == "value"  # behind the quotation mark
                yield m["kind"], owner, name, m["at"]["line"] - 1, m["at"]["column"] - 1 + inside

    def bundles(self, folder):
        """Of every contract of a folder; lines and columns are not what is compared."""
        made = {}
        for path in sorted(folder.rglob("*.tenor")):
            done = self.run_motet("elaborate", path)
            self.assertEqual(done.code, 0, done)
            made[path.name] = json.loads(done.out)
        return made

    def test_rename_then_check_is_check_then_rename(self):
        tried, refused = 0, []
        for folder in sorted({path.relative_to(self.tree).parts[0] for path in self.tree.rglob("*.tenor")}):
            here = self.tree / folder
            before = self.bundles(here)
            every = [(path, name) for path in sorted(here.rglob("*.tenor")) for name in self.names(path)]
            self.assertTrue(every)
            sample = every if RENAMES is None else self.random.sample(every, min(len(every), RENAMES // 4))
            with Editor(root=here, encoding="utf-32") as editor:
                for path in sorted(here.rglob("*.tenor")):
                    editor.open(path, path.read_text())
                for path, name in sample:
                    with self.subTest(path=path.name, name=name, seed=SEED):
                        tried += 1
                        if not self.rename(editor, here, path, name, before):
                            refused.append((path.name, *name[:3]))
        print(f"seed {SEED}: {tried} names renamed, {len(refused)} refused: {refused}", flush=True)
        self.assertEqual({name[1:] for name in refused} - SHARED, set())

    def rename(self, editor, folder, path, name, before):
        """False: the server refuses. Else the bundles of the new texts are those that were, renamed."""
        kind, owner, old, line, column = name
        new = f"{old}_zq"
        try:
            answer = editor.ask("textDocument/rename", {"textDocument": {"uri": f"file://{path}"}, "newName": new,
                                                        "position": {"line": line, "character": column}})
        except Refused:
            return False
        copied = self.dir / "renamed"
        shutil.rmtree(copied, ignore_errors=True)
        shutil.copytree(folder, copied)
        for uri, edits in answer["changes"].items():
            there = copied / os.path.relpath(uri.removeprefix("file://"), folder)
            there.write_text(editor.edited(uri, edits))
        after = self.bundles(copied)
        touched = {os.path.basename(uri) for uri in answer["changes"]}
        self.assertIn(path.name, touched)
        for file, bundle in before.items():
            wanted = bundle_rename.renamed(bundle, kind, owner, old, new) if file in touched else bundle
            self.assertEqual(bundle_rename.without_order(strip(after[file])), bundle_rename.without_order(strip(wanted)), file)
        return True


def strip(bundle):
    """Without places."""
    if isinstance(bundle, dict):
        return {k: strip(v) for k, v in bundle.items() if k not in ("provenance", "line", "column")}
    if isinstance(bundle, list):
        return [strip(v) for v in bundle]
    return bundle


main()
