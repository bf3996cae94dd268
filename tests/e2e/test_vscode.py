"""The VS Code extension: its types, its own tests, its words, its package."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import zipfile

from harness import MOTET, SOURCE, Case, main

HERE = SOURCE / "editors" / "vscode"
MODULES = HERE / "node_modules"
# The lexer knows these only to say what is written instead; grammar.test.ts has the same list.
SLIPS = set("matches like contains sum count average avg state size length for".split())


def node(*words, **more):
    assert MODULES.exists(), "tools/install test"
    return subprocess.run(["node", *map(str, words)], capture_output=True, text=True, timeout=280,
                          env={**os.environ, "MOTET": str(MOTET), "MOTET_SOURCE": str(SOURCE),
                               **more.pop("env", {})}, **more)


def engine_words():
    """Every word of the language, from where it is stated: (all, constructs, steps)."""
    symbols = (SOURCE / "src/contract/front/symbols.h").read_text()
    nodes = (SOURCE / "src/lang/nodes.def").read_text()
    lists = re.findall(r"#define FR_(?:FIELD|OTHER)_WORDS\(X\)((?:.*\\\n)*.*)", symbols)
    plain = set(re.findall(r"X\((\w+)\)", "".join(lists)))
    constructs = set(re.findall(r"^X_CONSTRUCT\(\w+, \"\w+\", (\w+),", nodes, re.M)) | {"import", "type"}
    steps = set(re.findall(r"^X_(?:STEP|NAMED_END)\(\w+, \"(\w+)\"", nodes, re.M))
    bases = set(re.findall(r"^X_BASE\(\w+, \"(\w+)\"", nodes, re.M))
    assert len(plain) > 100 and len(constructs) == 10 and len(steps) == 6 and len(bases) == 12
    return plain | constructs | steps | bases, constructs, steps


def patterns(rule):
    """Every `match` of a rule of the grammar."""
    yield from [rule["match"]] if "match" in rule else []
    for inner in rule.get("patterns", []):
        yield from patterns(inner)


def expanded(snippet):
    """The text of a snippet whose places are left as they are."""
    text = "\n".join(snippet["body"])
    text = re.sub(r"\$\{\d+\|([^,|]*)[^}]*\}", r"\1", text)
    return re.sub(r"\$\{\d+:([^}]*)\}", r"\1", text).replace("$0", "") + "\n"


class Package(unittest.TestCase):
    """The package, made once."""

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="motet-vscode-")
        cls.addClassCleanup(holder.cleanup)
        cls.dir = pathlib.Path(holder.name)
        cls.vsix = cls.dir / "motet.vsix"
        cls.made = subprocess.run([SOURCE / "tools/vscode", cls.vsix], capture_output=True, text=True, timeout=280)
        if not cls.made.returncode:
            with zipfile.ZipFile(cls.vsix) as archive:
                archive.extractall(cls.dir / "vsix")

    def setUp(self):
        self.assertEqual(self.made.returncode, 0, self.made.stderr)

    maxDiff = None
    golden = Case.golden

    def test_the_package_has_exactly_the_listed_content(self):
        with zipfile.ZipFile(self.vsix) as archive:
            self.assertIsNone(archive.testzip())
            self.golden("vscode/vsix.txt", "".join(f"{name}\n" for name in sorted(archive.namelist())))

    def test_the_package_names_nobody_and_no_place(self):
        extension = self.dir / "vsix" / "extension"
        for path in extension.rglob("*"):
            if path.is_file():
                self.assertNotIn(str(SOURCE).encode(), path.read_bytes(), path)
        manifest = json.loads((extension / "package.json").read_text())
        self.assertEqual(manifest["publisher"], "motet")
        for name in [manifest["main"], *(g["path"] for g in manifest["contributes"]["grammars"]),
                     *(s["path"] for s in manifest["contributes"]["snippets"]),
                     *(la["configuration"] for la in manifest["contributes"]["languages"])]:
            self.assertTrue((extension / name).is_file(), name)

    def test_what_is_bundled_has_its_licence_told(self):
        told = (self.dir / "vsix/extension/dist/licenses.txt").read_text()
        for name in ("vscode-languageclient", "vscode-jsonrpc", "@dagrejs/dagre", "yaml"):
            self.assertRegex(told, rf"(?m)^{name} [\d.]+ \(\w+\)$")

    def test_the_extension_and_its_parts_do_what_they_should(self):
        """Every *.test.ts, the bundle of the package among what they run."""
        tests = self.dir / "tests"
        made = node(HERE / "build.mjs", "--tests", tests)
        self.assertEqual(made.returncode, 0, made.stderr)
        (tests / "node_modules").symlink_to(MODULES)
        files = sorted(tests.glob("*.test.js"))
        self.assertEqual(len(files), len(list((HERE / "test").glob("*.test.ts"))))
        done = node("--test", *files, env={"EXTENSION": str(self.dir / "vsix" / "extension")})
        self.assertEqual(done.returncode, 0, done.stdout[-8000:] + done.stderr[-4000:])
        count = re.search(r"^# pass (\d+)$", done.stdout, re.M) or re.search(r"pass (\d+)", done.stdout)
        self.assertGreater(int(count[1]), 50)


class Extension(Case):
    def test_types_hold(self):
        done = node(MODULES / "typescript/bin/tsc", "--noEmit", "-p", HERE)
        self.assertEqual(done.returncode, 0, done.stdout)
        settings = json.loads((HERE / "tsconfig.json").read_text())["compilerOptions"]
        self.assertTrue(settings["strict"])

    def test_pure_modules_know_no_editor(self):
        for path in (HERE / "src/pure").glob("*.ts"):
            self.assertNotRegex(path.read_text(), r"from \"(vscode|node:|\.\./)", path)

    def test_packages_are_pinned_and_no_registry_is_named(self):
        manifest, lock = (json.loads((HERE / name).read_text()) for name in ("package.json", "package-lock.json"))
        for name, version in {**manifest["devDependencies"], **manifest["overrides"]}.items():
            self.assertRegex(version, r"^\d+\.\d+\.\d+(-[\w.]+)?$", name)
        self.assertNotIn("dependencies", manifest)  # all of it is bundled
        self.assertFalse([n for n, p in lock["packages"].items() if "resolved" in p])
        self.assertEqual(manifest["engines"]["vscode"], "^" + manifest["devDependencies"]["@types/vscode"])

    def test_the_words_of_the_grammar_are_those_of_the_language(self):
        grammar = json.loads((HERE / "syntaxes/tenor.tmLanguage.json").read_text())["repository"]
        told = set()
        for rule in ("import", "construct", "verdict", "field", "outcome", "logic", "function", "constant", "type", "step"):
            for pattern in patterns(grammar[rule]):
                told |= set(re.findall(r"[A-Za-z_]{2,}", re.sub(r"\\p\{\w+\}|\\.", " ", pattern)))
        words = engine_words()[0] - SLIPS
        self.assertEqual(sorted(told - words), [], "not words of the language")
        self.assertEqual(sorted(words - told), [], "words without a colour")

    def test_settings_and_commands_are_used_and_declared(self):
        manifest = json.loads((HERE / "package.json").read_text())["contributes"]
        source = "".join(p.read_text() for p in (HERE / "src").glob("*.ts"))
        read = set(re.findall(r"\.get<[^>]*>\(\"(\w+)\"", source))
        declared = {name.removeprefix("motet.") for name in manifest["configuration"]["properties"]} - {"trace.server"}
        self.assertEqual(read, declared)
        registered = set(re.findall(r"registerCommand\(\"([\w.]+)\"", source)) - {"motet.references"}
        self.assertEqual(registered, {c["command"] for c in manifest["commands"]})
        readme = (HERE / "README.md").read_text()
        for name in manifest["configuration"]["properties"]:
            self.assertIn(f"`{name}`", readme)

    # ---- snippets ----

    def snippets(self):
        return {s["prefix"]: s for s in json.loads((HERE / "snippets/tenor.json").read_text()).values()}

    def checked(self, text, name="all.tenor"):
        result = self.run_motet("check", self.write(name, text))
        self.assertEqual(result.code, 0, f"{text}\n{result}")

    def test_every_construct_and_step_has_a_snippet(self):
        _, constructs, steps = engine_words()
        self.assertEqual(set(self.snippets()), constructs | steps | {"Compensate", "Escalate"})

    def test_snippets_of_constructs_are_a_contract_that_holds(self):
        snippets = self.snippets()
        order = "type persona source fact entity rule operation flow".split()
        text = "".join(expanded(snippets[name]) for name in order)
        self.checked(text)
        self.write("types.tenor", expanded(snippets["type"]))
        self.checked(expanded(snippets["import"]) + text.replace(expanded(snippets["type"]), ""))
        self.checked(text, "orders.tenor")
        self.checked(text.replace("flow checkout", "flow pick"), "stock.tenor")
        self.checked(expanded(snippets["system"]), "shop.tenor")

    def test_snippets_of_steps_stand_in_a_flow_that_holds(self):
        snippets = self.snippets()
        base = "".join(expanded(snippets[name]) for name in "persona entity operation flow".split())
        base += expanded(snippets["operation"]).replace("operation pay", "operation take_back")
        first = expanded(snippets["OperationStep"])
        for step in engine_words()[2] | {"Compensate", "Escalate"}:
            text = expanded(snippets[step])
            name = text.split(":")[0]
            if step in ("Compensate", "Escalate"):
                text, name = first.replace("Terminate(outcome: failure)", text).replace("first:", "other:"), "other"
            if step != "OperationStep":
                # the other way, so that both are reached
                text += first if step in ("HandoffStep", "Escalate") else ""
            with self.subTest(step=step):
                self.checked(f"{base}flow tried {{ snapshot: at_initiation entry: {name} steps: {{\n{text}}} }}\n")


main()
