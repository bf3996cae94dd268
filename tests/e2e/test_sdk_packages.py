"""The SDKs as packages: they install offline from the tree, type-check, and do what their READMEs show."""
import json
import os
import re
import shutil
import subprocess

import npm
import sdks
from harness import Case, main
from serve import ESCROW, Server

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def examples(path, language):
    """Pairs of a program and what it prints, as they stand in a README."""
    blocks = FENCE.findall(path.read_text())
    return [(code, blocks[i + 1][1]) for i, (kind, code) in enumerate(blocks)
            if kind == language and i + 1 < len(blocks) and blocks[i + 1][0] == "text"]


class Packages(Case):
    @classmethod
    def setUpClass(cls):
        cls.build = sdks.Build()
        cls.addClassCleanup(cls.build.close)

    def done(self, *words, cwd=None, env=None, timeout=240):
        done = subprocess.run([str(word) for word in words], cwd=cwd or self.dir, env=env or sdks.ENV,
                              capture_output=True, text=True, timeout=timeout)
        self.assertEqual(done.returncode, 0, f"{words}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
        return done.stdout

    def prints(self, path, language, command, **env):
        """Each example prints what the README says; each has a server and a directory of its own."""
        pairs = examples(path, language)
        self.assertTrue(pairs)
        for i, (code, text) in enumerate(pairs):
            with self.subTest(f"{path.parent.name}, example {i + 1}"):
                work = self.dir / f"{language}{i}"
                work.mkdir()
                shutil.copy(ESCROW, work)
                with Server(work, "escrow.tenor") as server:
                    got = self.done(*command(work, code), cwd=work, env={**sdks.ENV, "MOTET_URL": server.url, **env})
                self.assertEqual(got, text)

    def test_what_is_generated_is_what_the_server_describes(self):
        with Server(self.dir, ESCROW) as server:
            document = self.write("openapi.json", server.get("/openapi.json").body)
        self.done(sdks.PYTHON, sdks.SDK / "generate.py", document, "--check")

    def test_python_installs_offline_and_its_examples_run(self):
        tree = self.dir / "tree"
        shutil.copytree(sdks.SDK / "python", tree, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", "build"))
        self.done(sdks.PYTHON, "-m", "venv", "--system-site-packages", self.dir / "venv")
        python = self.dir / "venv" / "bin" / "python"
        env = {name: value for name, value in sdks.ENV.items() if name != "PYTHONPATH"}
        self.done(python, "-m", "pip", "install", "-q", "--no-index", "--no-build-isolation", tree, env=env)
        where = self.done(python, "-c", "import motet; print(motet.__file__)", env=env)
        self.assertIn("venv", where)

        def command(work, code):
            (work / "example.py").write_text(code)
            return python, "example.py"
        self.prints(sdks.SDK / "python" / "README.md", "python", command, PYTHONPATH="")

    def test_python_type_checks_strictly(self):
        self.write("use.py", "import motet\nclient = motet.Client('http://h')\n"
                   "done = client.operate('c', 'o', persona='p')\nreveal_type(done['outcome'])\n"
                   "verdicts: motet.Verdicts = motet.Contract.load('').evaluate({})\n")
        self.done("mypy", "--strict", "--cache-dir", self.dir / "cache", sdks.SDK / "python" / "motet")
        said = self.done("mypy", "--strict", "--cache-dir", self.dir / "cache", "use.py",
                         env={**sdks.ENV, "MYPYPATH": str(sdks.SDK / "python")})
        self.assertIn('"builtins.str"', said)

    def test_javascript_packs_and_its_examples_run(self):
        tree = self.dir / "tree"
        shutil.copytree(sdks.SDK / "js", tree, ignore=shutil.ignore_patterns("node_modules", "dist"))
        shutil.copytree(self.build.js(), tree / "dist", ignore=shutil.ignore_patterns("package.json"))
        packed = self.done("npm", "pack", "--silent", "--offline", "--ignore-scripts", cwd=tree).split()[-1]
        self.write("app/package.json", '{"type": "module"}')
        self.done("npm", "install", "--silent", "--offline", "--no-audit", "--no-fund", "--ignore-scripts",
                  tree / packed, cwd=self.dir / "app")
        modules = self.dir / "app" / "node_modules"
        self.assertEqual([p.name for p in modules.iterdir() if not p.name.startswith(".")], ["motet"])

        def command(work, code):
            (work / "example.mjs").write_text(code)
            os.symlink(modules, work / "node_modules")
            return "node", "example.mjs"
        self.prints(sdks.SDK / "js" / "README.md", "js", command)
        self.write("app/use.ts", 'import { Client } from "motet/client";\n'
                   'const n: string = (await new Client("http://h").operate("c", "o", { persona: "p" })).outcome;\n'
                   'console.log(n);\n')
        self.write("app/tsconfig.json", json.dumps({"files": ["use.ts"], "compilerOptions": {
            "strict": True, "noEmit": True, "module": "nodenext", "target": "es2022", "types": [],
            "lib": ["es2022", "dom", "dom.iterable"]}}))
        code, said = npm.run("tsc", "-p", ".", cwd=self.dir / "app")
        self.assertEqual(code, 0, said)

    def test_go_builds_offline_and_its_examples_run(self):
        def command(work, code):
            (work / "main.go").write_text(code)
            (work / "go.mod").write_text(f"module example\n\ngo 1.19\n\nrequire motet v0.0.0\n\nreplace motet => {sdks.SDK / 'go'}\n")
            return "go", "run", "."
        self.done("go", "vet", "./...", cwd=sdks.SDK / "go")
        self.done("go", "test", "./...", cwd=sdks.SDK / "go")
        self.assertEqual(self.done("gofmt", "-l", ".", cwd=sdks.SDK / "go"), "")
        self.prints(sdks.SDK / "go" / "README.md", "go", command)


main()
