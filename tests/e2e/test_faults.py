#!/usr/bin/env python3
"""The world fails at the n-th call: memory, files, sockets, processes, the database.

Each short command is run once as it is, with its calls counted (faults.c), and then again
and again with one call of one class failing. Whatever fails, a command

  - ends, within its time and by itself: no crash; memory that is not there ends the program
    with the words "out of memory",
  - says what is wrong and exits with 3, or has done all of it and exits with 0,
  - leaves each file as it was before or as it is meant to be, and none beside them,
  - leaves a store that verifies.

A server is held to the same: it starts or says why not, what it answered as done is there
when it starts again, and it stops when it is told to. Clients of a server, and commands on
PostgreSQL where tests have a server of it, are among the commands.

MOTET_SOAK=1 fails every call there is; otherwise a spread of them, MOTET_SEED picks which.
"""
import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import random
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest

import postgres
from harness import MOTET, SANITIZED, SEED, SOAK, SOURCE, main, run
from serve import ESCROW, FACTS, Server

LIBRARY = os.environ.get("MOTET_FAULTS")
CLASSES = ["memory", "library", "file", "short", "socket", "process", "database"]
BOARD = struct.Struct(f"{len(CLASSES)}II52s")
FEW = 10  # calls of one class that fail in one command, unless all do
SECONDS = 28  # for all of it, unless all do
HANGS_AFTER = 60
EXAMPLES = SOURCE / "examples"


class Board:
    """What the library counted."""

    def __init__(self, path):
        self.path = path
        path.write_bytes(bytes(BOARD.size))

    def read(self):
        *calls, struck, by = BOARD.unpack(self.path.read_bytes())
        return dict(zip(CLASSES, calls)), struck, by.rstrip(b"\0").decode()


class Ran:
    def __init__(self, code, out, err, files, struck, by, calls):
        self.code, self.out, self.err, self.files = code, out, err, files
        self.struck, self.by, self.calls = struck, by, calls


def files_below(directory):
    return {str(path.relative_to(directory)): path.read_bytes()
            for path in sorted(directory.rglob("*")) if path.is_file()}


class Scenario:
    """A command in a directory that is made anew for every run."""

    def __init__(self, name, *words, files=(), stdin=b"", check=None, ignores=(),
                 random=False, broken=3, leaves=()):
        self.name, self.words, self.stdin = name, [str(word) for word in words], stdin
        self.files = dict(files)
        self.check = check  # of the directory afterwards: what is wrong, or None
        self.broken = broken  # the exit code when the world fails
        self.leaves = leaves  # files that stay when it does, on purpose
        self.random = random  # what it prints differs from run to run
        self.ignores = ignores  # files whose bytes differ from run to run, by ending

    def run(self, fault=None):
        with tempfile.TemporaryDirectory(prefix="motet-fault-") as holder:
            top = pathlib.Path(holder)
            directory = top / "d"
            directory.mkdir()
            self.fill(directory)
            board = Board(top / "board")
            env = {**os.environ, "NO_COLOR": "1", "LD_PRELOAD": LIBRARY,
                   "MOTET_FAULT_BOARD": str(board.path)}
            if fault:
                env["MOTET_FAULT"] = fault
            try:
                code, out, err = self.execute(directory, env)
            except subprocess.TimeoutExpired:
                code, out, err = "did not end", b"", ""
            calls, struck, by = board.read()
            ran = Ran(code, out, err, files_below(directory), struck, by, calls)
            ran.wrong = self.wrong(directory, ran)
            return ran

    def execute(self, directory, env):
        """Its exit code, what it printed and what it said."""
        done = subprocess.run([str(MOTET), *self.words], cwd=directory, env=env,
                              input=self.stdin, capture_output=True, timeout=HANGS_AFTER,
                              check=False)
        return done.returncode, done.stdout, done.stderr.decode()

    def wrong(self, directory, ran):
        return self.check(directory) if self.check else None

    def fill(self, directory):
        for name, content in self.files.items():
            (directory / name).write_bytes(content)
            (directory / name).chmod(0o600)

    def same(self, name, content, other):
        return content == other or (name.endswith(tuple(self.ignores)) and
                                    content is not None and other is not None)

    def left_behind(self, ran, whole, ended):
        """What is wrong with the files: neither as before nor as meant."""
        for name in {*ran.files, *whole.files, *self.files}:
            content = ran.files.get(name)
            if name.endswith(("-wal", "-shm", "-journal")) or (ran.code and name in self.leaves):
                continue  # SQLite's own; what stays on purpose
            wanted = [whole.files.get(name)] if ran.code == 0 else \
                     [whole.files.get(name), self.files.get(name)]
            if not any(self.same(name, content, other) for other in wanted):
                if ended or name in whole.files or name in self.files:
                    return f"{name} is neither as before nor as it should be, exit " \
                           f"{ran.code}: {ran.err}"
        return ran.wrong

    def judge(self, fault, whole, ran):
        """What is wrong with a run in which something failed, or None."""
        no_memory = fault.startswith(("memory", "library"))
        if no_memory and ran.code == -signal.SIGABRT:
            return None if "out of memory" in ran.err else f"abort: {ran.err}"
        if ran.code not in (0, 3, self.broken):
            return f"exit {ran.code}: {ran.err[-600:]}"
        if fault.startswith("short") and ran.code:
            return f"half a transfer is not a fault: {ran.err[-600:]}"
        if ran.code and not ran.err.strip():
            return f"exit {ran.code} without a word"
        if ran.code == 0 and (not ran.out if self.random else ran.out != whole.out):
            return f"another output: {ran.out[-300:]!r}"
        return self.left_behind(ran, whole, True)


class Served(Scenario):
    """A server that gets one call and is told to stop. What it prints is the call's status."""

    PATH = "/v1/contracts/escrow/instances/EscrowAccount"

    def execute(self, directory, env):
        with open(directory.parent / "err", "wb") as errors:
            process = subprocess.Popen([str(MOTET), *self.words], cwd=directory, env=env,
                                       stdout=subprocess.PIPE, stderr=errors)
        try:
            ready = select.select([process.stdout], [], [], HANGS_AFTER)[0]
            line = process.stdout.readline().decode() if ready else ""
            status = self.call(line.split("//")[1].strip()) if line.startswith("listening on ") else 0
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            code = process.wait(timeout=HANGS_AFTER)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
        return code, str(status).encode(), (directory.parent / "err").read_text()

    def call(self, place):
        """0: it was not answered."""
        connection = http.client.HTTPConnection(place, timeout=HANGS_AFTER / 2)
        try:
            connection.request("POST", self.PATH, body='{"id": "e2"}',
                               headers={"Content-Type": "application/json"})
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return 0
        finally:
            connection.close()

    def wrong(self, directory, ran):
        """The ledger verifies, and a server starts again and has what was answered as done."""
        wrong = super().wrong(directory, ran)
        if wrong:
            return wrong
        with Server(directory, "c.tenor") as server:
            found = server.get(f"{self.PATH}/e2").status
        (directory / "serve.err").unlink()
        allowed = (200,) if ran.out == b"201" else (200, 404)
        return None if found in allowed else f"answered {ran.out}, and then {found}"

    def judge(self, fault, whole, ran):
        """A call that fails is the caller's to repeat, so any answer will do but for half a transfer."""
        if not fault.startswith("short"):
            ran.out = whole.out
        return super().judge(fault, whole, ran)


def chosen(count, rng, name):
    """Which of so many calls fail: all, or the first, the last and some between."""
    if name == "library":  # thousands, of which most are at the start of the program
        return rng.sample(range(1, count + 1), min(count, 200)) if SOAK else []
    if SOAK or count <= FEW:
        return list(range(1, count + 1))
    return sorted({1, 2, count, *rng.sample(range(1, count + 1), FEW - 3)})


def below(directory, *names):
    return {name: (directory / name).read_bytes() for name in names}


def verifies(store):
    """A check: the store's ledger verifies."""
    def check(directory):
        done = run("ledger", "verify", "--store", f"sqlite:{store}", cwd=directory)
        return None if done.code == 0 else f"the store: {done.code} {done.out} {done.err}"
    return check


def restored(directory):
    """A check: nothing was restored, and then it can be; or everything was."""
    done = run("ledger", "verify", "--store", "sqlite:new.db", cwd=directory)
    if done.code:
        done = run("restore", "copy", "--store", "sqlite:new.db", cwd=directory)
    return None if done.code == 0 else f"the store: {done.code} {done.out} {done.err}"


def replays(directory):
    """A check: the capture, where there is one, gives the same again."""
    if not (directory / "c.json").exists():
        return None
    done = run("graph", "replay", "c.json", "--graph", "graph.yaml", "--adapter",
               "adapter.yaml", cwd=directory)
    return None if done.code == 0 else f"the capture: {done.out} {done.err}"


def make_store(directory):
    """The bytes of a store with a little in it, and of its keys."""
    with Server(directory, ESCROW) as server:
        server.post("/v1/contracts/escrow/instances/EscrowAccount", {"id": "e1"})
        server.post("/v1/contracts/escrow/operations/release_escrow",
                    {"persona": "escrow_agent", "facts": FACTS,
                     "bindings": {"EscrowAccount": "e1"}})
    return (directory / "serve.db").read_bytes()


def postgres_scenarios(work, world):
    """Commands on a store in PostgreSQL, if tests have the files of a server of it."""
    if not os.environ.get("MOTET_TEST_POSTGRES_TEMPLATE"):
        return []
    url = world.enter_context(postgres.Postgres()).url()
    made = run("restore", "copy", "--store", url, cwd=work)
    assert made.code == 0, made.err

    def holds(directory):
        done = run("ledger", "verify", "--store", url, cwd=directory)
        return None if done.code == 0 else f"the store: {done.code} {done.out} {done.err}"
    return [
        Scenario("ledger of PostgreSQL", "ledger", "verify", "--store", url),
        Scenario("token create in PostgreSQL", "token", "create", "--store", url, "--name", "t",
                 "--persona", "p", random=True, check=holds),
    ]


def scenarios(work, world):
    """All of them; `work` is a directory for what they need to begin with, and what is in
    `world` lives as long as they do."""
    escrow, release = ESCROW.read_bytes(), (EXAMPLES / "release" / "release.tenor").read_bytes()
    contract = {"c.tenor": escrow}
    run("keygen", "--prefix", "k", cwd=work)
    run("elaborate", ESCROW, "--out", "bundles", cwd=work)
    keys = below(work, "k.secret", "k.pub")
    bundle = (work / "bundles" / "escrow.json").read_bytes()
    (work / "c.tenor").write_bytes(escrow)
    run("sign", "c.tenor", "--key", "k.secret", "--out", "c.signed.json", cwd=work)
    store = make_store(work)
    run("backup", "--store", "sqlite:serve.db", "--out", "copy", cwd=work)
    ledger = (EXAMPLES / "ledger" / "escrow.ledger.jsonl").read_bytes()
    run("graph", "init", "g", cwd=work)
    graph = below(work / "g", "graph.yaml", "adapter.yaml", "fixture.jsonl")
    events = ["graph.yaml", "--adapter", "adapter.yaml", "--fixture", "fixture.jsonl"]
    run("graph", "run", *events, "--capture", "c.json", cwd=work / "g")
    capture = below(work / "g", "c.json", "c.json.sum")
    databases = (".db",)
    (work / "behind").mkdir()
    shutil.copy(work / "serve.db", work / "behind")
    behind = world.enter_context(Server(work / "behind", ESCROW)).url
    facts = json.dumps(FACTS).encode()
    ugly = escrow.replace(b"  ", b"    ")
    return [
        Scenario("check", "check", "c.tenor", files=contract),
        Scenario("elaborate", "elaborate", "c.tenor", "--out", "o", files=contract),
        Scenario("elaborate to the terminal", "elaborate", "c.tenor", files=contract),
        Scenario("validate", "validate", "b.json", files={"b.json": bundle}),
        Scenario("fmt", "fmt", "c.tenor", files={"c.tenor": ugly}),
        Scenario("eval", "eval", "c.tenor", "--facts", "f.json",
                 files={**contract, "f.json": facts}),
        Scenario("explain", "explain", "c.tenor", files=contract),
        Scenario("diff", "diff", "c.tenor", "c.tenor", files=contract),
        Scenario("init", "init", "new"),
        Scenario("keygen", "keygen", "--prefix", "n", random=True, ignores=(".secret", ".pub")),
        Scenario("sign", "sign", "c.tenor", "--key", "k.secret", "--out", "s.json",
                 files={**contract, **keys}),
        Scenario("verify", "verify", "c.signed.json", "--pubkey", "k.pub",
                 files={**below(work, "c.signed.json"), **keys}),
        Scenario("ledger verify", "ledger", "verify", "l.jsonl", files={"l.jsonl": ledger}),
        Scenario("ledger export", "ledger", "export", "l.jsonl", "--out", "o.jsonl",
                 files={"l.jsonl": ledger}),
        Scenario("ledger of a store", "ledger", "export", "--store", "sqlite:serve.db",
                 "--out", "o.jsonl", files={"serve.db": store}, ignores=databases,
                 check=verifies("serve.db")),
        Scenario("backup", "backup", "--store", "sqlite:serve.db", "--out", "b",
                 files={"serve.db": store}, ignores=databases, check=verifies("serve.db")),
        Scenario("restore", "restore", "copy", "--store", "sqlite:new.db",
                 files=below(work, "copy"), ignores=databases, check=restored),
        Scenario("token create", "token", "create", "--store", "sqlite:serve.db", "--name",
                 "t", "--persona", "p", files={"serve.db": store}, ignores=databases, random=True,
                 check=verifies("serve.db")),
        Scenario("imports", "check", "a.tenor", files={
            "a.tenor": b'import "b.tenor"\nimport "c.tenor"\npersona p\n',
            "b.tenor": b"persona q\n", "c.tenor": b"persona r\n"}),
        Scenario("release", "analyze", "r.tenor", files={"r.tenor": release}),
        Scenario("graph check", "graph", "check", "graph.yaml", "--adapter",
                 "adapter.yaml", files=graph),
        Scenario("graph run", "graph", "run", *events, "--capture", "c.json", files=graph,
                 broken=1, leaves=("c.json", "c.json.sum", "c.json.journal"),
                 check=replays),
        Scenario("graph replay", "graph", "replay", "c.json", "--graph", "graph.yaml",
                 "--adapter", "adapter.yaml", files={**graph, **capture}),
        Scenario("agent harness", "agent", "harness",
                 stdin=b'{"op":"parse","route":"A --[f]--> B"}\n'),
        Scenario("of a server", "instance", "list", "escrow", "--server", behind),
        Served("serve", "serve", "c.tenor", "--store", "sqlite:serve.db", "--listen", "127.0.0.1:0",
               files={**contract, "serve.db": store}, ignores=databases, check=verifies("serve.db")),
        *postgres_scenarios(work, world),
    ]


@unittest.skipIf(not LIBRARY or SANITIZED, "the library of faults is not built here")
class Faults(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="motet-faults-"))
        self.addCleanup(shutil.rmtree, self.work)
        self.world = contextlib.ExitStack()
        self.addCleanup(self.world.close)

    def wishes(self, scenario, whole, rng):
        for name in CLASSES:
            for n in chosen(whole.calls[name], rng, name):
                yield f"{name}:{n}"
        if whole.calls["file"]:
            yield f"file:{rng.randrange(whole.calls['file']) + 1}+"

    def test_what_fails_is_said_and_nothing_is_left_half_done(self):
        rng, end = random.Random(SEED), time.monotonic() + SECONDS
        tasks, faults, count = [], [], 0
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for scenario in scenarios(self.work, self.world):
                whole = scenario.run()
                self.assertEqual(whole.code, 0, f"{scenario.name}: {whole.err}")
                self.assertIsNone(whole.wrong, scenario.name)
                tasks += [(scenario, whole, wish)
                          for wish in self.wishes(scenario, whole, rng)]
            rng.shuffle(tasks)

            def judged(task):
                scenario, whole, wish = task
                if not SOAK and time.monotonic() > end:
                    return None
                ran = scenario.run(wish)
                wrong = scenario.judge(wish, whole, ran) if ran.struck else None
                return wrong and f"{scenario.name}, {wish} ({ran.by}): {wrong}" or ""

            for said in pool.map(judged, tasks):
                count += said is not None
                if said:
                    faults.append(said)
        print(f"{count} of {len(tasks)} faults tried, seed {SEED}")
        self.assertFalse(faults, "\n".join(sorted(faults)))

    def test_what_cannot_be_printed_is_not_a_success(self):
        """The terminal's disk is full: every command that prints says so."""
        for scenario in scenarios(self.work, self.world):
            if isinstance(scenario, Served) or not scenario.run().out:
                continue
            with self.subTest(scenario.name), tempfile.TemporaryDirectory() as holder, \
                    open("/dev/full", "wb") as full:
                scenario.fill(pathlib.Path(holder))
                done = subprocess.run([str(MOTET), *scenario.words], cwd=holder, stdout=full,
                                      stderr=subprocess.PIPE, input=scenario.stdin,
                                      timeout=HANGS_AFTER, check=False)
                self.assertEqual(done.returncode, 3, done.stderr.decode())
                self.assertTrue(done.stderr, "not a word")


main()
