"""What the tests of the SDKs share: the languages, how each is built and run, and servers.

Walks are data (sdk/fixtures/walks): each language runs the same steps and prints what came
of them; here it is compared. A server that misbehaves is `scripted.py`.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import npm
from harness import MOTET, SOURCE, run
from serve import Server

SDK = SOURCE / "sdk"
FIXTURES = SDK / "fixtures"
PYTHON = "/usr/bin/python3"
LANGUAGES = ("python", "async", "js", "go")
LIBRARY = os.environ.get("MOTET_LIBRARY") or next(iter(map(str, sorted(
    MOTET.parent.parent.joinpath("api").glob("libmotet.so.*.*.*")))), None)
ENV = {**os.environ, "PYTHONPATH": str(SDK / "python"), "PYTHONDONTWRITEBYTECODE": "1",
       "GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOTOOLCHAIN": "local", **({"MOTET_LIBRARY": LIBRARY} if LIBRARY else {})}
# What differs from run to run, by its form.
VOLATILE = [(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "<time>"), (r"\b[0-9a-f]{128}\b", "<signature>"),
            (r"\b[0-9a-f]{64}\b", "<hash>"), (r"\b[0-9a-f]{32}\b", "<id>"), (r"\b[0-9a-f]{24}\b", "<request>"), (r"\b[0-9a-f]{16}\b", "<id>"),
            (r"http://127\.0\.0\.1:\d+", "<server>")]


class Build:
    """The programs that run walks, built once per process into a directory of their own."""

    def __init__(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="motet-sdk-"))
        self.done = {}

    def close(self):
        shutil.rmtree(self.directory)

    def js(self):
        out = self.directory / "js"
        if not out.exists():
            code, said = npm.run("tsc", "-p", str(SDK / "js"), "--outDir", str(out), cwd=SDK / "js")
            assert code == 0, said
            (out / "package.json").write_text('{"type": "module"}')
        return out

    def go(self):
        out = self.directory / "walk"
        if not out.exists():
            done = subprocess.run(["go", "build", "-o", str(out), "./internal/walk"], cwd=SDK / "go", env=ENV,
                                  capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
        return out

    def command(self, language, job):
        if language == "js":
            return ["node", str(FIXTURES / "run_js.mjs"), job], {**ENV, "MOTET_JS": str(self.js())}
        if language == "go":
            return [str(self.go()), job], ENV
        words = ["--async"] if language == "async" else []
        return [PYTHON, str(FIXTURES / "run_python.py"), *words, job], ENV

    def walk(self, language, walks, timeout=60):
        """Runs walks; what each step came to, by walk."""
        job = self.directory / f"{language}.job.json"
        job.write_text(json.dumps({"walks": walks}))
        words, env = self.command(language, str(job))
        done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=timeout)
        assert done.returncode == 0, f"{language}: {done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        results = {walk["name"]: [] for walk in walks}
        for line in done.stdout.splitlines():
            said = json.loads(line)
            results[said.pop("walk")].append(said)
        return results


def settled(value):
    """A result without what differs from run to run."""
    if isinstance(value, dict):
        return {key: settled(part) for key, part in value.items()}
    if isinstance(value, list):
        return [settled(part) for part in value]
    if isinstance(value, str):
        for form, word in VOLATILE:
            value = re.sub(form, word, value)
    return value


def serve(directory, walk):
    """A server as a walk wants it, started; what to tell the walk of it."""
    wants, options = walk["serve"], list(walk["serve"].get("options", []))
    if wants.get("sign"):
        assert run("keygen", "--prefix", "node", cwd=directory).code == 0
        options += ["--signing-key", "node.secret"]
    if "config" in wants:
        text = json.dumps(wants["config"]).replace("{root}", str(SOURCE))
        (directory / "serve.json").write_text(text)
        options += ["--config", "serve.json"]
    server = Server(directory, *[SOURCE / path for path in wants["files"]], options=options)
    tokens = {name: server.token(*words) for name, words in wants.get("tokens", {}).items()}
    server.start()
    return server, {**walk, "url": server.url, "tokens": tokens}
