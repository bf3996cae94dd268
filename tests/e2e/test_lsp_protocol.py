"""motet lsp against the protocol's own client library and types, as a table.

tests/npm/lsp/table.json is what is asked, expected.json what is answered, in a form for people:
read it when it changes. MOTET_UPDATE_GOLDEN=1 rewrites it."""
import json
import os
import re
import subprocess

import npm
from harness import MOTET, SOURCE, Case, main

HERE = npm.FOLDER / "lsp"
EXPECTED = HERE / "expected.json"
# What an answer is by the protocol.
TYPES = {
    "initialize": "p.InitializeResult",
    "shutdown": "null",
    "exit": "0",
    "textDocument/publishDiagnostics": "p.PublishDiagnosticsParams",
    "textDocument/diagnostic": "p.DocumentDiagnosticReport",
    "textDocument/hover": "p.Hover | null",
    "textDocument/definition": "p.Definition | p.DefinitionLink[] | null",
    "textDocument/declaration": "p.Declaration | p.DeclarationLink[] | null",
    "textDocument/implementation": "p.Definition | p.DefinitionLink[] | null",
    "textDocument/references": "p.Location[] | null",
    "textDocument/documentHighlight": "p.DocumentHighlight[] | null",
    "textDocument/prepareRename": "p.PrepareRenameResult | null",
    "textDocument/rename": "p.WorkspaceEdit | null",
    "textDocument/completion": "p.CompletionItem[] | p.CompletionList | null",
    "textDocument/signatureHelp": "p.SignatureHelp | null",
    "textDocument/documentSymbol": "p.DocumentSymbol[] | null",
    "textDocument/foldingRange": "p.FoldingRange[] | null",
    "textDocument/selectionRange": "p.SelectionRange[] | null",
    "textDocument/documentLink": "p.DocumentLink[] | null",
    "textDocument/semanticTokens/full": "p.SemanticTokens | null",
    "textDocument/semanticTokens/range": "p.SemanticTokens | null",
    "textDocument/inlayHint": "p.InlayHint[] | null",
    "textDocument/codeAction": "(p.Command | p.CodeAction)[] | null",
    "codeAction/resolve": "p.CodeAction",
    "textDocument/codeLens": "p.CodeLens[] | null",
    "textDocument/formatting": "p.TextEdit[] | null",
    "textDocument/rangeFormatting": "p.TextEdit[] | null",
    "textDocument/onTypeFormatting": "p.TextEdit[] | null",
    "textDocument/prepareCallHierarchy": "p.CallHierarchyItem[] | null",
    "callHierarchy/incomingCalls": "p.CallHierarchyIncomingCall[] | null",
    "callHierarchy/outgoingCalls": "p.CallHierarchyOutgoingCall[] | null",
    "workspace/symbol": "p.SymbolInformation[] | p.WorkspaceSymbol[] | null",
    "workspace/executeCommand": "p.LSPAny",
    "motet/picture": "{ format: string; picture: string; title: string } | null",
}
ERROR = "{ error: { code: number; message: string } }"


class Protocol(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        done = subprocess.run(["node", str(HERE / "drive.mjs"), str(MOTET), "/dev/stdout"],
                              capture_output=True, text=True, timeout=240)
        assert done.returncode == 0, done.stderr[-4000:]
        cls.answers = json.loads(done.stdout)

    def test_every_answer_is_as_expected(self):
        said = {name: answer["readable"] for name, answer in self.answers.items()}
        if os.environ.get("MOTET_UPDATE_GOLDEN"):
            EXPECTED.write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n")
        expected = json.loads(EXPECTED.read_text())
        self.assertEqual(list(said), list(expected), "rows and answers")
        self.maxDiff = 8000
        for name, answer in said.items():
            with self.subTest(name):
                self.assertEqual(answer, expected[name])

    def test_every_answer_has_the_type_the_protocol_says(self):
        lines = ['import type * as p from "vscode-languageserver-protocol";']
        for n, (name, answer) in enumerate(self.answers.items()):
            said = answer["answer"]
            wanted = ERROR if isinstance(said, dict) and "error" in said else TYPES.get(answer["method"], "never")
            lines.append(f"// {name}\nexport const a{n}: {wanted} = {json.dumps(said)};")
        self.write("answers.ts", "\n".join(lines))
        types = HERE / "node_modules/vscode-languageserver-protocol/lib/common/api.d.ts"
        self.assertTrue(types.exists(), "tools/install test")
        self.write("tsconfig.json", json.dumps({"compilerOptions": {
            "strict": True, "noEmit": True, "skipLibCheck": True, "types": [], "target": "ES2022", "module": "ES2022",
            "moduleResolution": "Bundler", "paths": {"vscode-languageserver-protocol": [str(types)]}},
            "files": ["answers.ts"]}))
        code, said = npm.run("tsc", "-p", ".", cwd=self.dir)
        self.assertEqual(code, 0, said[:4000])

    def test_every_request_of_the_server_is_in_the_table(self):
        text = (SOURCE / "src/lsp/server.c").read_text()
        rows = re.findall(r'^    \{"([^"]+)",\s*([A-Z_0-9 |]+),', text, re.M)
        requests = {name for name, flags in rows if "NOTIFICATION" not in flags}
        self.assertIn("textDocument/hover", requests)
        asked = {answer["method"] for answer in self.answers.values()}
        self.assertEqual(requests - asked, set())
        self.assertEqual({m for m in asked if m not in TYPES and m != "textDocument/nothing"}, set())


main()
