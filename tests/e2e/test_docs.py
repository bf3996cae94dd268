"""The documentation is true: runs the `console` blocks of README.md and docs/ and compares.

In a block fenced with ```console, a line that starts with `$ ` is run by bash in a temporary
copy of examples/ (one copy per document, so later commands see earlier files), with `motet` and
`tenor` on the PATH; the lines up to the next `$ ` are what it must print, standard output and
standard error together. A line `...` stands for any lines. A line `> ` continues a command.
Pages named curl-*.md get a server of the escrow example of their own; $URL says where it listens.
MOTET_UPDATE_GOLDEN=1 rewrites the expected lines (of blocks without `...`).
"""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from harness import MOTET, SOURCE, main, run
from serve import Server

FENCE = re.compile(r"^```(\S*)\s*$")
TIMEOUT = 60


def documents():
    return [SOURCE / "README.md", *sorted((SOURCE / "docs").rglob("*.md"))]


def blocks(lines, kind="console"):
    """(first, end) line indices of the insides of the blocks of a kind."""
    start = None
    for number, line in enumerate(lines):
        match = FENCE.match(line)
        if not match:
            continue
        if start is None:
            start = (number + 1, match.group(1))
        else:
            if start[1] == kind:
                yield start[0], number
            start = None


def commands(lines):
    """(command, expected lines) pairs of one block."""
    pairs = []
    for line in lines:
        if line.startswith("$ "):
            pairs.append([line[2:], [], [line]])
        elif line.startswith("> ") and pairs and not pairs[-1][1]:
            pairs[-1][0] += "\n" + line[2:]
            pairs[-1][2].append(line)
        elif pairs:
            pairs[-1][1].append(line)
    return pairs


def matches(expected, actual):
    """Line by line; `...` stands for any number of lines."""
    if "..." not in expected:
        return expected == actual
    pattern = "".join("(?:.*\n)*?" if e == "..." else re.escape(e) + "\n" for e in expected)
    return re.fullmatch(pattern, "".join(a + "\n" for a in actual)) is not None


class Surroundings:
    """A temporary copy of the examples and a PATH on which the program is found."""

    def __init__(self):
        self.holder = tempfile.TemporaryDirectory(prefix="motet-docs-")
        root = pathlib.Path(self.holder.name)
        self.work = root / "examples"
        if (SOURCE / "examples").is_dir():
            shutil.copytree(SOURCE / "examples", self.work)
        else:
            self.work.mkdir()
        programs = root / "bin"
        programs.mkdir()
        for name in ("motet", "tenor"):
            (programs / name).symlink_to(MOTET)
        self.env = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "NO_COLOR": "1",
                    "LC_ALL": "C.UTF-8", "MOTET_SOURCE": str(SOURCE)}

    def run(self, command):
        done = subprocess.run(["bash", "-c", command], cwd=self.work, env=self.env, timeout=TIMEOUT,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        return done.stdout.decode("utf-8", "replace").splitlines()


class Documents(unittest.TestCase):
    maxDiff = None

    def check_document(self, path):
        lines = path.read_text().splitlines()
        surroundings = Surroundings()
        self.addCleanup(surroundings.holder.cleanup)
        if path.name.startswith("curl-"):
            server = Server(surroundings.work, "escrow/escrow.tenor")
            server.start()
            self.addCleanup(server.stop)
            surroundings.env["URL"] = server.url
        rewritten, last = [], 0
        for start, end in blocks(lines):
            rewritten += lines[last:start]
            last = end
            for command, expected, written in commands(lines[start:end]):
                actual = surroundings.run(command)
                if os.environ.get("MOTET_UPDATE_GOLDEN"):
                    keep = "..." in expected and matches(expected, actual)
                    rewritten += written + (expected if keep else actual)
                elif not matches(expected, actual):
                    self.fail(f"{path.relative_to(SOURCE)}, line {start + 1}: $ {command}\n"
                              + "--- the document says\n" + "\n".join(expected)
                              + "\n--- the program says\n" + "\n".join(actual))
        if os.environ.get("MOTET_UPDATE_GOLDEN"):
            path.write_text("\n".join(rewritten + lines[last:]) + "\n")

    def test_every_console_block_shows_what_really_happens(self):
        for path in documents():
            with self.subTest(str(path.relative_to(SOURCE))):
                self.check_document(path)


class Obligations(unittest.TestCase):
    def test_every_test_the_page_names_exists(self):
        page = (SOURCE / "docs" / "conformance.md").read_text()
        names = set(re.findall(r"`([A-Za-z0-9]+_[A-Za-z_0-9]+)`", page))
        self.assertGreater(len(names), 40)
        tests = "".join(p.read_text() for kind in ("*.c", "*.py")
                        for p in (SOURCE / "tests").rglob(kind))
        self.assertEqual([n for n in sorted(names) if n not in tests], [])


class Contracts(unittest.TestCase):
    """The contracts in docs/contract-language.md are one contract, in canonical layout."""

    def setUp(self):
        lines = (SOURCE / "docs" / "contract-language.md").read_text().splitlines()
        self.texts = ["\n".join(lines[a:b]) + "\n" for a, b in blocks(lines, "tenor")]

    def test_they_are_laid_out_as_fmt_does(self):
        self.assertTrue(self.texts)
        for text in self.texts:
            self.assertEqual(run("fmt", "-", stdin=text).out, text)

    def test_together_they_hold(self):
        whole = "\n".join(text for text in self.texts if not text.startswith("system"))
        result = run("check", "-", stdin=whole)
        self.assertEqual(result.code, 0, repr(result))


class Runner(unittest.TestCase):
    def test_dots_stand_for_any_lines(self):
        self.assertTrue(matches(["a", "...", "d"], ["a", "b", "c", "d"]))
        self.assertTrue(matches(["a", "...", "d"], ["a", "d"]))
        self.assertFalse(matches(["a", "...", "d"], ["a", "b"]))
        self.assertFalse(matches(["a"], ["a", "b"]))

    def test_only_console_blocks_are_run(self):
        text = ["```sh", "$ false", "```", "```console", "$ x", "y", "```"]
        self.assertEqual([text[a:b] for a, b in blocks(text)], [["$ x", "y"]])


main()
