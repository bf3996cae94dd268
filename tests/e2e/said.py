"""Transcripts of tests/golden/said: commands, and everything they said to people.

A line `$ COMMAND` is run by sh in a directory of its own for each transcript, with `motet` on
the PATH; lines `> ` after it continue the command. What follows is what it said:

      text        a line of standard output
    ! text        a line of standard error
    \\             the line before does not end with a newline
    = 3           the exit status, unless it is 0

A line `# ` before a command says why it is there. The directory has copies of the given files
and the kept ones of tests/golden/before, those of tests/golden/said/given, and the kept stores
main.db and shop.db. What runs in new/ makes times, ids and keys; they are numbered in the order
they appear. Transcripts in served/ also have a server of main.db, and commands find it; there a
line `$ GET PATH`, or another method with or without a body behind the path, is a request.

To add a case, write its `$` line and run e2e/said with MOTET_UPDATE_GOLDEN=1; then read what it
says and think whether that is right.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

from before import BEFORE, MAIN, SECOND, Maker, fill, place
from harness import MOTET, SOURCE, Result
from serve import Server

SAID = SOURCE / "tests" / "golden" / "said"
METHODS = ("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH")
SLOWEST = 60  # seconds a command may take, also under a sanitizer


def transcripts():
    return sorted(SAID.rglob("*.txt"), key=lambda path: -path.stat().st_size)


def cases(text):
    """(lines to keep, command) of each case."""
    kept, command, found = [], None, []
    for line in text.splitlines():
        if line.startswith("> ") and command is not None:
            kept.append(line)
            command += "\n" + line[2:]
            continue
        if command is not None:
            found.append((kept, command))
            kept, command = [], None
        if line.startswith("# "):
            kept.append(line)
        elif line.startswith("$ "):
            kept.append(line)
            command = line[2:]
    return found + ([(kept, command)] if command is not None else [])


def lines(text, mark):
    """Each line behind its mark."""
    if not text:
        return []
    marked = [mark + line for line in text.split("\n")]
    if text.endswith("\n"):
        return marked[:-1]
    return [*marked, "\\"]


class Numbers:
    """Times, ids and keys of this run become their number in order of appearance."""

    FORMS = ((r"\b\d{8}T\d{6}\.\d{3}Z", "time"),
             (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z(?: +(?= ))?", "time"),
             (r"\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b(?: +(?= ))?", "moment"),
             (r"\bf-[0-9a-f]{32}\b", "flow"), (r"\bi-[0-9a-f]{32}\b", "instance"),
             (r"\b[0-9a-f]{24}\b", "request"), (r"\bmt_[0-9a-f]+_[\w-]{16,}", "token"),
             (r"\b[0-9a-f]{128}\b", "signature"), (r"\b[0-9a-f]{64}\b", "digest"),
             (r"\b[0-9a-f]{16}\b", "id"), (r"\b1[789]\d{11}\b", "time"))

    def __init__(self, known):
        self.known, self.seen = known, {}

    def number(self, match, name):
        word = match[0].rstrip()  # what fills a column behind it depends on its length
        if word in self.known:  # the files have it, so it is the same every day
            return match[0]
        if name == "moment":  # two may fall into one second, or not
            return name
        return f"{name}-{self.seen.setdefault((name, word), len(self.seen) + 1)}"

    # Whether the page for authors is in the program depends on where it was built.
    BUILT_WITH = r'<p[^>]*>(?:<a href="studio/">|This program was built without Studio).*</p>\n'

    def __call__(self, text):
        text = re.sub(self.BUILT_WITH, "", text)
        for form, name in self.FORMS:
            text = re.sub(form, lambda match, name=name: self.number(match, name), text)
        return text


def known(commands):
    """Every word of the commands and the kept files that could be a time, an id or a key."""
    text = "\n".join([commands, *(path.read_text() for path in (BEFORE / "kept").iterdir())])
    return {word.rstrip() for form, _ in Numbers.FORMS for word in re.findall(form, text)}


def shell(command, work, env):
    """Runs a command by sh. One that does not end is ended with all it started, and the
    transcript says so in place of the status."""
    process = subprocess.Popen(["sh", "-c", command], cwd=work, env=env, start_new_session=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    try:
        out, err = process.communicate(timeout=SLOWEST)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return Result("it does not end", out, err)
    return Result(process.returncode, out, err)


class Teller(Maker):
    """Runs the commands of one transcript and keeps what they say."""

    def __init__(self, work, transcript):
        super().__init__(work, work)
        self.transcript, self.text, self.server = transcript, transcript.read_text(), None
        self.anew = transcript.parent.name in ("new", "served")
        self.plain = Numbers(known("\n".join(c for _, c in cases(self.text)))) if self.anew else str
        self.env = {**os.environ, "PATH": f"{self.work}/bin:{os.environ['PATH']}",
                    "NO_COLOR": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC",
                    "COLUMNS": "400"}  # no id is broken into two lines

    def lay_out(self):
        place(self.work, BEFORE / "kept")
        shutil.copytree(SAID / "given", self.work, dirs_exist_ok=True)
        for name in ("main", "shop"):
            if self.transcript.parent.name == "served" or f"{name}.db" in self.text:
                fill(self.work / f"{name}.db", (BEFORE / "kept" / f"{name}.sql").read_text())
        memory = self.work / "keys" / "test-only-second.secret.memory"
        shutil.copy(BEFORE / "kept" / "signer.memory", memory)
        memory.chmod(0o600)
        (self.work / "bin").mkdir()
        (self.work / "bin" / "motet").symlink_to(MOTET)

    def ask(self, command):
        """Standard output is the status, what is said about the body, and the body."""
        method, path, *rest = command.split(None, 2)
        answer = self.server.ask(method, path, body=rest[0] if rest else None,
                                 token=self.env["MOTET_TOKEN"])
        head = f"{answer.status} {answer.headers.get('Content-Type')}\n"
        return Result(0, head.encode() + answer.body + b"\n", b"")

    def say(self, kept, command):
        asked = self.server and command.split()[0] in METHODS
        result = self.ask(command) if asked else shell(command, self.work, self.env)
        said = [*kept, *lines(self.common(result.out), "  "), *lines(self.common(result.err), "! ")]
        return said + ([f"= {result.code}"] if result.code else [])

    def common(self, text):
        """Without what differs from place to place."""
        return self.plain(text.replace(str(self.work), "WORK").replace(self.env.get("MOTET_SERVER", "\0"), "SERVER"))

    def tell(self):
        """The transcript as it is today."""
        self.lay_out()
        if self.transcript.parent.name != "served":
            return self.all()
        tokens = json.loads((BEFORE / "kept" / "tokens.json").read_text())
        with Server(self.work, store=MAIN, options=SECOND) as server:
            self.server = server
            self.env.update(MOTET_SERVER=server.url, MOTET_TOKEN=tokens["admin"], READER=tokens["reader"],
                            REVOKED=tokens["revoked"], BOSS=tokens["boss"])
            return self.all()

    def all(self):
        blocks = ["\n".join(self.say(*case)) + "\n" for case in cases(self.text)]
        return "\n".join(blocks)


def tell(path):
    with tempfile.TemporaryDirectory(prefix="motet-said-") as work:
        return Teller(pathlib.Path(work), path).tell()


def told(paths):
    """(path, text) of each transcript, told again; several at once."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        yield from zip(paths, pool.map(tell, paths))
