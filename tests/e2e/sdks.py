"""What the tests of the SDKs share: the languages, how each is built and run, and servers.

Walks are data (sdk/fixtures/walks): each language runs the same steps and prints what came
of them; here it is compared. A server that misbehaves is `scripted.py`.
"""
import concurrent.futures
import fcntl
import hashlib
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
    """The programs that run walks. What was built is kept beside the binary, under the hash of
    what it was built from, so that several tests build it once."""

    def __init__(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="motet-sdk-"))
        self.kept = MOTET.parent / "sdk-built"
        self.kept.mkdir(exist_ok=True)

    def close(self):
        shutil.rmtree(self.directory)

    def once(self, name, sources, make):
        """The path of something built by make(path) from these files."""
        digest = hashlib.sha256()
        for path in sorted(sources):
            digest.update(str(path.relative_to(SDK)).encode() + b"\0" + path.read_bytes())
        out = self.kept / f"{name}-{digest.hexdigest()[:16]}"
        with open(self.kept / f"{name}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not out.exists():
                half = self.kept / f"{name}.half"
                shutil.rmtree(half, ignore_errors=True)
                make(half)
                half.rename(out)
        return out

    def js(self):
        def make(out):
            code, said = npm.run("tsc", "-p", str(SDK / "js"), "--outDir", str(out), cwd=SDK / "js")
            assert code == 0, said
            (out / "package.json").write_text('{"type": "module"}')
        return self.once("js", [*(SDK / "js" / "src").glob("**/*.ts"), SDK / "js" / "tsconfig.json"], make)

    def go(self):
        def make(out):
            out.mkdir()
            done = subprocess.run(["go", "build", "-o", str(out / "walk"), "./internal/walk"], cwd=SDK / "go",
                                  env=ENV, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
        return self.once("go", [*(SDK / "go").glob("**/*.go"), SDK / "go" / "go.mod"], make) / "walk"

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


def each_language(work):
    """work(language) for all of them at once, since most of it waits; results by language."""
    with concurrent.futures.ThreadPoolExecutor(len(LANGUAGES)) as pool:
        return dict(zip(LANGUAGES, pool.map(work, LANGUAGES)))
