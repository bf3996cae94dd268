"""motet generate: usage, stable output, schemas that hold, types that compile in every language, and
the escrow walk by each generated client against a real server."""
import json
import os
import pathlib
import re
import subprocess
import sys

import jsonschema

from contracts import AWKWARD, QUOTED
from harness import MOTET, SANITIZED, SEED, SOURCE, Case, main, run
from npm import MODULES
from scripted import Scripted
from serve import ESCROW, FACTS, Server

RANDOM = os.environ.get("MOTET_RANDOM") or str(MOTET.parent / "tests" / "e2e" / "random_contracts")
TARGETS = ["c", "json-schema", "typescript", "python", "go"]
TSC = ["--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--target", "es2022", "--module",
       "nodenext", "--moduleResolution", "nodenext", "--lib", "es2022,dom"]


def taken():
    """A contract whose records, verdicts, entities and personas are called as what the templates use."""
    words = sorted({word for path in (SOURCE / "src/generate").glob("*.in") if not path.name.startswith("c_")
                    for word in re.findall(r"\b[A-Z][A-Za-z]*\b", path.read_text())} | {"UnmarshalJSON"})
    facts = [f'fact {w} {{ type: Record {{ {w}: Bool, {w.lower()}_: Bool }} source: "x.r{i}" }}\n'
             f'fact u{w} {{ type: TaggedUnion {{ {w}: Bool, {w}_: {w}_ }} source: "x.u{i}" }}\n'
             f"type {w}_ {{ b: Bool }}\npersona {w}\n"
             f"rule {w} {{ stratum: 0 when: {w}.{w} produce: verdict {w} {{ payload: Bool = true }} }}\n"
             f"entity {w} {{ states: [a, {w}] initial: a transitions: [(a, {w})] }}\n"
             for i, w in enumerate(words)]
    acts = [f"operation {w} {{ personas: [{w}] require: verdict_present({w}) effects: [({w}, a, {w})] }}\n"
            for w in words[::16]]  # mypy compares each with each
    assert len(words) > 50, words
    return "".join(facts + acts)


def contracts(case):
    """(name, path): every example that is no System, some of awkward names, some random ones."""
    out = [(f"x{i}", path) for i, path in enumerate(sorted((SOURCE / "examples").rglob("*.tenor")))
           if not re.search(r"^system ", path.read_text(), re.M)]
    out.append(("awkward", case.write("awkward.tenor", AWKWARD)))
    out.append(("taken", case.write("taken.tenor", taken())))
    written = subprocess.run([RANDOM, str(SEED), "9", "1"], check=True, capture_output=True).stdout
    for i, line in enumerate(written.splitlines()):
        bundle = json.loads(line)["bundle"]
        for construct in bundle["constructs"]:
            construct.setdefault("provenance", {"file": "r", "line": 1})
            construct.pop("default", None)
        out.append((f"r{i}", case.write(f"r{i}.json", json.dumps(bundle))))
    return out


class Generating(Case):
    def ran(self, *words, cwd=None):
        done = subprocess.run([str(w) for w in words], cwd=cwd or self.dir, capture_output=True, text=True, timeout=240)
        self.assertEqual(done.returncode, 0, f"{words[:3]}\n{done.stdout[-6000:]}\n{done.stderr[-6000:]}")
        return done.stdout

    def compiled(self, *words):
        """Other compilers have nothing for a sanitizer of ours to see: the release build runs them."""
        if not SANITIZED:
            self.ran(*words)


class Generate(Generating):
    def test_what_cannot_be_generated_is_refused(self):
        self.assertIn("no target 'java'; there are c, json-schema", self.fails(2, "generate", "java", ESCROW).err)
        self.assertIn("--out DIR", self.fails(2, "generate", "c", ESCROW).err)
        for prefix in ("", "9a", "a-b", "a/b", "x" * 65):
            self.assertIn("not a name", self.fails(2, "generate", "go", ESCROW, "--prefix", prefix).err)
        self.holds("generate", "go", ESCROW, "--prefix", "x" * 64)
        for prefix in ("ct", "Mt", "LN", "rt"):
            self.assertIn("the evaluator's own", self.fails(1, "generate", "c", ESCROW, "--out", "o", "--prefix", prefix).err)
        system = SOURCE / "examples/trade_platform/trade_platform.tenor"
        self.assertIn("generate its members", self.fails(1, "generate", "c", system, "--out", "o").err)
        bad = self.write("bad.tenor", "rule r { stratum: 0 when: nothing produce: v(true) }")
        self.fails(1, "generate", "c", bad, "--out", "o")
        self.assertFalse((self.dir / "o").exists(), "nothing is written unless all could be")
        self.write("file", "")
        self.fails(3, "generate", "c", ESCROW, "--out", "file")

    def test_output_is_stable_and_names_its_etag(self):
        etag = json.loads(self.holds("elaborate", ESCROW, "--manifest").out)["etag"]
        for target in TARGETS:
            self.holds("generate", target, ESCROW, "--out", "one")
            self.holds("generate", target, self.write("bundle.json", self.holds("elaborate", ESCROW).out),
                       "--out", "two", "--prefix", "escrow")
        names = sorted(p.name for p in (self.dir / "one").iterdir())
        self.assertEqual(names, ["escrow.c", "escrow.go", "escrow.h", "escrow.py", "escrow.schema.json", "escrow.ts"])
        for name in names:
            text = (self.dir / "one" / name).read_text()
            self.assertEqual(text, (self.dir / "two" / name).read_text(), name)
            self.assertIn(etag, text, name)
            self.assertNotIn(str(SOURCE), text, name)
            if not name.endswith((".c", ".h")):
                target = TARGETS[[".json", ".ts", ".py", ".go"].index(pathlib.Path(name).suffix) + 1]
                self.assertEqual(self.holds("generate", target, ESCROW).out, text)

    def test_schemas_hold_for_what_the_engine_takes_and_says(self):
        schema = json.loads(self.holds("generate", "json-schema", ESCROW).out)
        Validator = jsonschema.Draft202012Validator
        Validator.check_schema(schema)

        def errors(part, value):
            return [e.message for e in Validator({**schema, "$ref": f"#/$defs/{part}"}).iter_errors(value)]
        self.assertEqual(errors("Facts", FACTS), [])
        for wrong in ({**FACTS, "delivery_status": "lost"}, {**FACTS, "escrow_amount": 5},
                      {**FACTS, "line_items": [{}]}, {k: v for k, v in FACTS.items() if k != "line_items"}):
            self.assertTrue(errors("Facts", wrong), wrong)
            self.fails(1, "eval", ESCROW, "--facts", self.write("wrong.json", json.dumps(wrong)))
        facts = self.write("facts.json", json.dumps(FACTS))
        said = json.loads(self.holds("eval", ESCROW, "--facts", facts, "--json").out)
        self.assertEqual(errors("Evaluation", said), [])
        self.assertGreater(len(said["verdicts"]), 2)
        self.assertTrue(errors("Evaluation", {"verdicts": [{**said["verdicts"][0], "type": "other"}]}))
        for wrong in ({"rule": "other"}, {"stratum": 99}):
            first = said["verdicts"][0]
            moved = {**first, "provenance": {**first["provenance"], **wrong}}
            self.assertTrue(errors("Evaluation", {"verdicts": [moved]}), wrong)
        told = json.loads(self.holds("eval", ESCROW, "--facts", facts, "--json", "--operation", "confirm_delivery",
                                     "--persona", "seller").out)
        for change in told["entity_state_changes"]:
            self.assertEqual(errors("Change", change), [])
            self.assertTrue(errors("Change", {**change, "to": "nowhere"}))
        body = {"persona": "seller", "bindings": {"DeliveryRecord": "d"}, "facts": {"delivery_status": "confirmed"}}
        self.assertEqual(errors("Operation.confirm_delivery", body), [])
        self.assertTrue(errors("Operation.confirm_delivery", {**body, "persona": "buyer"}))
        self.assertEqual(errors("OperationAnswer.confirm_delivery", {
            "operation": "confirm_delivery", "outcome": told["outcome"], "changes": told["entity_state_changes"]}), [])

    def test_schemas_of_all_contracts_are_schemas(self):
        for name, path in contracts(self):
            schema = json.loads(self.holds("generate", "json-schema", path, "--prefix", name).out)
            jsonschema.Draft202012Validator.check_schema(schema)

    def test_types_of_all_contracts_compile(self):
        names = []
        self.write("go.mod", "module generated\n\ngo 1.19\n")
        for name, path in contracts(self):
            names.append(name)
            self.holds("generate", "typescript", path, "--prefix", name, "--out", ".")
            self.holds("generate", "python", path, "--prefix", name, "--out", ".")
            self.holds("generate", "go", path, "--prefix", name, "--out", name)
        self.assertGreater(len(names), 15)
        self.compiled(MODULES / ".bin/tsc", "--noEmit", *TSC, *(f"{n}.ts" for n in names))
        self.compiled("mypy", "--strict", "--cache-dir", self.dir / "mypy", *(f"{n}.py" for n in names))
        self.compiled(sys.executable, "-m", "py_compile", *(f"{n}.py" for n in names))
        self.compiled("go", "vet", "./...")

    def test_no_text_of_a_contract_becomes_code(self):
        """A bundle of somebody else's may call things as it likes; sources may not."""
        evil = "\n'\"`*/ \r\nEVIL();\n/* \"\"\" \u2028 \u202e \ufeff \x7f \ufffe \U0001fffe é \\"
        named = self.holds("elaborate", self.write("Q7id.tenor", QUOTED), "--compact").out
        self.write("evil.json", re.sub(r"Q7([A-Za-z]+)", lambda m: json.dumps(m.group(1) + evil)[1:-1], named))
        # Only Go has names of JSON outside of texts.
        self.write("go.json", re.sub(r"Q7(?!(?:c|f|g|h|i|j|m|n)\b)([A-Za-z]+)",
                                     lambda m: json.dumps(m.group(1) + evil)[1:-1], named))
        self.assertIn("JSON cannot have the name", self.fails(1, "generate", "go", "evil.json", "--prefix", "e").err)
        self.write("go.mod", "module generated\n\ngo 1.19\n")
        for target in TARGETS:
            self.holds("generate", target, "go.json" if target == "go" else "evil.json", "--prefix", "evil",
                       "--out", "go" if target == "go" else ".")
        for name in ("evil.c", "evil.h", "evil.ts", "evil.py", "go/evil.go"):
            text = (self.dir / name).read_text()
            self.assertIn("EVIL", text)
            self.assertEqual([line for line in text.splitlines() if re.match(r"\s*EVIL\(", line)], [], name)
        self.compiled("gcc", "-std=c11", "-pedantic", "-Wall", "-Wextra", "-Werror", "-c", "evil.c", "-o", "evil.o")
        self.compiled(MODULES / ".bin/tsc", "--noEmit", *TSC, "evil.ts")
        self.compiled("mypy", "--strict", "--cache-dir", self.dir / "mypy", "evil.py")
        self.compiled("go", "vet", "./...")
        told = self.ran(sys.executable, "-c", "import json, evil; print(json.dumps(evil.CONTRACT))")
        self.assertEqual(json.loads(told), "id" + evil, "texts stay what they were")

    def test_names_that_go_would_lose_are_refused(self):
        path = self.write("marks.tenor", 'fact \u0924\u093f { type: Bool source: "x" }\n'
                          'rule r { stratum: 0 when: \u0924\u093f produce: v(true) }\n')
        self.assertIn("JSON cannot have the name", self.fails(1, "generate", "go", path).err)
        self.holds("generate", "go", self.write("letters.tenor", path.read_text().replace("\u093f", "")))
        for target in ("json-schema", "typescript", "python"):
            self.holds("generate", target, path)


class OtherCompilers(Generating):
    """What they make of it, and programs of theirs against a server."""

    def test_wrong_use_does_not_compile(self):
        for target in ("typescript", "python"):
            self.holds("generate", target, ESCROW, "--out", ".")
        wrong = {"a.ts": 'client.operate("release_escrow", { persona: "buyer" });',
                 "b.ts": 'client.start("no_such_flow", { persona: "buyer" });',
                 "c.ts": 'client.evaluate({ delivery_status: "confirmed" });',
                 "d.ts": 'client.instance("EscrowAccount", "a").then((i) => i.state === "pending");'}
        for name, line in wrong.items():
            self.write(name, f'import {{ Client }} from "./escrow.js";\nconst client = new Client("");\n{line}\n')
        done = subprocess.run([MODULES / ".bin/tsc", "--noEmit", *TSC, *wrong], cwd=self.dir, capture_output=True, text=True)
        for name in wrong:
            self.assertIn(f"{name}(3,", done.stdout)
        self.write("a.py", 'from escrow import Client\nclient = Client("")\n'
                   'client.operate("release_escrow", persona="buyer")\n'
                   'client.start("no_such_flow", persona="buyer")\n'
                   'client.evaluate({"delivery_status": "confirmed"})\n'
                   'client.operate("release_escrow", persona="escrow_agent")["outcome"] == "lost"\n')
        done = subprocess.run(["mypy", "--strict", "--cache-dir", self.dir / "mypy", "a.py"], cwd=self.dir,
                              capture_output=True, text=True)
        for line in (3, 4, 5, 6):
            self.assertIn(f"a.py:{line}: error", done.stdout)

    def test_answers_of_flows_are_told_apart_by_the_flow(self):
        self.holds("generate", "python", ESCROW, "--out", ".")
        self.write("a.py", 'from escrow import Client\n\nanswer = Client("").start("refund_flow", persona="buyer")\n'
                   'if answer["flow"] == "refund_flow":\n    print(answer["outcome"])\n')
        self.ran("mypy", "--strict", "--cache-dir", self.dir / "mypy", "a.py")

    # -- the walk --

    def walk(self, language, words):
        """Runs the program of a language against a server of its own; what it says."""
        self.assertTrue(words)
        folder = self.dir / f"server-{language}"
        folder.mkdir()
        with Server(folder, ESCROW) as server:
            out = self.ran(*words, server.url)
        return [json.loads(line) for line in out.splitlines()]

    def test_each_client_walks_the_same_way(self):
        for target in ("typescript", "python"):
            self.holds("generate", target, ESCROW, "--out", ".")
        (self.dir / "go").mkdir()
        self.holds("generate", "go", ESCROW, "--out", "go/escrow")
        programs = SOURCE / "tests/e2e/generated_walk"
        self.write("walk.ts", (programs / "walk.ts").read_text())
        self.write("walk.py", (programs / "walk.py").read_text())
        self.write("go/main.go", (programs / "walk.go").read_text())
        self.write("go/go.mod", "module walk\n\ngo 1.19\n")
        self.write("package.json", '{"type": "module"}')
        self.ran(MODULES / ".bin/tsc", *TSC, "--outDir", "js", "--types", "node", "--typeRoots",
                 SOURCE / "tests/npm/node_modules/@types", "walk.ts")
        self.ran("mypy", "--strict", "--cache-dir", self.dir / "mypy", "walk.py")
        self.ran("go", "build", "-o", "../walk-go", ".", cwd=self.dir / "go")
        said = {"typescript": self.walk("typescript", ["node", "js/walk.js"]),
                "python": self.walk("python", [sys.executable, "walk.py"]),
                "go": self.walk("go", ["./walk-go"])}
        self.assertEqual(said["python"], [
            ["created", "held", "pending"], ["verdicts", True, "auto", None], ["dry", "released", True],
            ["refused", 422, "precondition_failed"], ["flow", "done", "success", 2], ["state", "released"],
            ["again", "EscrowAccount"]])
        self.assertEqual(said["typescript"], said["python"])
        self.assertEqual(said["go"], said["python"])

    def test_no_client_follows_a_redirect_or_leaves_its_path(self):
        """A token would go elsewhere; two dots in place of an id would ask for something else."""
        for target in ("typescript", "python", "go"):
            self.holds("generate", target, ESCROW, "--out", "escrow" if target == "go" else ".")
        self.write("ask.ts", '''
            import { Client, Problem } from "./escrow.js";
            for (const id of ["a", ".."]) {
              await new Client(process.argv[2] ?? "", { token: "secret" }).instance("EscrowAccount", id)
                .then(console.log, (e) => console.log(e instanceof Problem ? e.status : "refused"));
            }
            export {};''')
        self.write("ask.py", "import sys\nfrom escrow import Client, Problem\nfor id in ('a', '..'):\n    try:\n"
                   "        Client(sys.argv[1], 'secret').instance('EscrowAccount', id)\n"
                   "    except Problem as problem:\n        print(problem.status)\n")
        self.write("main.go", '''package main
            import ("context"; "errors"; "fmt"; "os"; "walk/escrow")
            func main() {
                for _, id := range []string{"a", ".."} {
                    _, err := (&escrow.Client{URL: os.Args[1], Token: "secret"}).Instance(context.Background(), escrow.EntityEscrowAccount, id)
                    var problem *escrow.Problem
                    if errors.As(err, &problem) { fmt.Println(problem.Status) } else { fmt.Println("followed", err) }
                }
            }''')
        self.write("go.mod", "module walk\n\ngo 1.19\n")
        self.write("package.json", '{"type": "module"}')
        self.ran(MODULES / ".bin/tsc", *TSC, "--outDir", "js", "--types", "node", "--typeRoots",
                 SOURCE / "tests/npm/node_modules/@types", "ask.ts")
        self.ran("go", "build", "-o", "ask-go", ".")
        for words in (["node", "js/ask.js"], [sys.executable, "ask.py"], ["./ask-go"]):
            with self.subTest(words[0]), Scripted({"elsewhere": [{"status": 200}], "first": []}) as server:
                server.scripts["first"] = [{"status": 302, "headers": {"Location": server.url + "/elsewhere"}}]
                said = self.ran(*words, server.url + "/first").split()
                self.assertEqual(said, ["302", "refused" if words[0] == "node" else "302"])
                self.assertEqual(server.asked["elsewhere"], [])
                paths = [path for _, path, _ in server.asked["first"]]
                self.assertEqual([path.rpartition("/")[2] for path in paths], ["a", "%2E%2E"][:len(paths)])


if SANITIZED:  # see compiled()
    del OtherCompilers

if __name__ == "__main__":
    main()
