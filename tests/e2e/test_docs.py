"""The documentation is true: runs the `console` blocks of README.md and docs/ and compares.

In a block fenced with ```console, a line that starts with `$ ` is run by bash in a temporary
copy of examples/ (one copy per document, so later commands see earlier files), with `motet` and
`tenor` on the PATH; the lines up to the next `$ ` are what it must print, standard output and
standard error together. A line `...` stands for any lines. A line `> ` continues a command.
A block whose fence names a file (```tenor holiday.tenor) is written to that file first; +FILE adds to it.
README.md is for those who stand in the checkout and have built it: its commands run, as they are printed, in a copy of
the checkout where the program is build/motet and nowhere else.
Pages named curl-*.md get a server of the escrow example of their own, those of SERVED one of theirs; $URL says
where it listens.
A server that a page starts writes its process id to a file NAME.pid; whatever is left of it is ended with the page.
MOTET_UPDATE_GOLDEN=1 rewrites the expected lines (of blocks without `...`). MOTET_DOC=docs/learn/x.md runs one page.
"""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from harness import MOTET, SOURCE, main, run
from serve import Server

FENCE = re.compile(r"^```(\S*)(?: (\S+))?\s*$")
TIMEOUT = 60


def documents():
    only = os.environ.get("MOTET_DOC")
    return [SOURCE / only] if only else [SOURCE / "README.md", *sorted((SOURCE / "docs").rglob("*.md"))]


def fences(lines):
    """(first, end, kind, file) of the insides of all blocks, as line indices."""
    start = None
    for number, line in enumerate(lines):
        match = FENCE.match(line)
        if not match:
            continue
        if start is None:
            start = (number + 1, match.group(1), match.group(2))
        else:
            yield start[0], number, *start[1:]
            start = None


def blocks(lines, wanted="console"):
    """(first, end) line indices of the insides of the blocks of a kind."""
    return [(start, end) for start, end, kind, _ in fences(lines) if kind == wanted]


def commands(lines):
    """(command, expected lines) pairs of one block."""
    pairs = []
    for line in lines:
        if line.startswith("$ "):
            pairs.append([line[2:], [], [line]])
        elif (line + " ").startswith("> ") and pairs and not pairs[-1][1]:
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


SERVED = {"authzen.md": ["records/records.tenor", "--config", "records/motet.yaml"]}


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
                    "LC_ALL": "C.UTF-8", "MOTET_SOURCE": str(SOURCE),
                    "C_INCLUDE_PATH": str(SOURCE / "include")}  # where the package puts motet.h

    def stand_in_the_checkout(self):
        """As a reader does after `make`: a fresh shell, and nothing of ours on the PATH."""
        self.work = self.work.parent
        shutil.rmtree(self.work / "bin")
        for name in ("Makefile", "README.md", "docs", "tools"):
            (self.work / name).symlink_to(SOURCE / name)
        (self.work / "build").mkdir()
        (self.work / "build" / "motet").symlink_to(MOTET)
        self.env["PATH"] = os.environ["PATH"]
        return self

    def write(self, name, lines):
        with (self.work / name.lstrip("+")).open("a" if name.startswith("+") else "w") as file:
            file.write("\n".join(lines) + "\n")

    def run(self, command):
        done = subprocess.run(["bash", "-c", command], cwd=self.work, env=self.env, timeout=TIMEOUT,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        return done.stdout.decode("utf-8", "replace").splitlines()

    def end(self):
        for left in self.work.rglob("*.pid"):
            with contextlib.suppress(OSError, ValueError):
                process = int(left.read_text())
                if os.readlink(f"/proc/{process}/cwd").startswith(str(self.work)):  # ours, and not who has its number now
                    os.kill(process, signal.SIGTERM)
        self.holder.cleanup()


class Documents(unittest.TestCase):
    maxDiff = None

    def check_document(self, path):
        lines = path.read_text().splitlines()
        surroundings = Surroundings()
        self.addCleanup(surroundings.end)
        if path == SOURCE / "README.md":
            surroundings.stand_in_the_checkout()
        if path.name.startswith("curl-") or path.name in SERVED:
            server = Server(surroundings.work, *SERVED.get(path.name, ["escrow/escrow.tenor"]))
            server.start()
            self.addCleanup(server.stop)
            surroundings.env["URL"] = server.url
        rewritten, last = [], 0
        for start, end, kind, file in fences(lines):
            if file:
                surroundings.write(file, lines[start:end])
            if kind != "console":
                continue
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


class Shown(unittest.TestCase):
    """Commands that pages only show (sh blocks: they need a database, another machine …) have the options they use."""

    def options(self, words):
        """Of the longest beginning that is a command: its options, or None."""
        for count in (3, 2, 1):
            said = run("help", *words[:count])
            if said.code == 0 and said.out.startswith("Usage: motet " + " ".join(words[:count])):
                return set(re.findall(r"^  (--[a-z][a-z0-9-]*)", said.out, re.M))
        return None

    def test_every_command_of_a_sh_block_exists_with_its_options(self):
        seen, faults, known = 0, [], {}
        for path in documents():
            lines = path.read_text().splitlines()
            for line in (line.split(" # ")[0] for a, b in blocks(lines, "sh") for line in lines[a:b]):
                words = line.split(" -- ")[0].split()
                if not words or words[0] != "motet":
                    continue
                name = tuple(w for w in words[1:4] if re.fullmatch(r"[a-z-]+", w) and not w.startswith("-"))
                known.setdefault(name, self.options(name))
                asked = {w.split("=")[0] for w in words if re.match(r"--[a-z]", w)}
                seen += 1
                if known[name] is None or asked - known[name]:
                    faults.append(f"{path.relative_to(SOURCE)}: {line}: {sorted(asked - (known[name] or set()))}")
        self.assertEqual(faults, [])
        self.assertGreater(seen, -1 if os.environ.get("MOTET_DOC") else 20)


class Door(unittest.TestCase):
    """What somebody sees who has just come: the README's first screen, and `make run`."""

    def setUp(self):
        self.lines = (SOURCE / "README.md").read_text().splitlines()
        self.surroundings = Surroundings().stand_in_the_checkout()
        self.addCleanup(self.surroundings.holder.cleanup)

    def test_FU5_the_first_commands_work_where_the_reader_stands(self):
        first = [c for a, b in blocks(self.lines) for c, _, _ in commands(self.lines[a:b])][:4]
        self.assertEqual(len(first), 4)
        for command in first:
            said = "\n".join(self.surroundings.run(command))
            for complaint in ("command not found", "No such file", "cannot read"):
                self.assertNotIn(complaint, said, f"$ {command}")

    def test_FU5_the_first_screen_names_the_pain_and_shows_a_contract_and_a_refusal(self):
        screen = "\n".join(self.lines[:85])
        self.assertIn("Who may release the money", "\n".join(self.lines[:5]))
        contracts = ["\n".join(self.lines[a:b]) + "\n" for a, b in blocks(self.lines, "tenor")]
        self.assertEqual(len(contracts), 1, "it shows one contract")
        self.assertEqual(contracts[0], (SOURCE / "examples/release/release.tenor").read_text())
        self.assertLessEqual(contracts[0].count("\n"), 21)
        self.assertLess(max(map(len, contracts[0].splitlines())), 64, "it fits beside its picture")
        for words in ("make run ", "make test ", '"code":"precondition_failed"',
                      '"condition":"verdict_present(arrived)"', "When to use it, and when not"):
            self.assertIn(words, screen)

    def test_FU5_make_run_says_what_it_is_doing(self):
        """With stand-ins for everything that takes long."""
        root = self.surroundings.work
        (root / "tools").unlink()
        shutil.copytree(SOURCE / "tools", root / "tools")
        stand_ins = {
            "tools/run-demo": "echo THE WALK",
            "bin/dpkg-query": "echo install ok installed",
            "bin/meson": "touch build/build.ninja",
            "bin/ninja": """case " $* " in *" --quiet "*) exit 0 ;; esac
for i in $(seq 40); do echo "[$i/40] Compiling C object $i.o"; done""",
        }
        for name, text in stand_ins.items():
            path = root / name
            path.parent.mkdir(exist_ok=True)
            path.write_text("#!/bin/sh\n" + text + "\n")
            path.chmod(0o755)
        self.surroundings.env["PATH"] = f"{root}/bin:{self.surroundings.env['PATH']}"
        said = self.surroundings.run("make run")
        self.assertIn("THE WALK", said)
        before = said[:said.index("THE WALK")]
        self.assertTrue(any("install" in line.lower() for line in before), said)
        self.assertTrue(any("build" in line.lower() for line in before), said)
        steps = [line for line in before if re.search(r"\b\d+ of 40 steps", line)]
        self.assertEqual(len(steps), 10, said)  # each tenth, not each file

    def test_a_build_that_fails_shows_why_and_fails(self):
        root = self.surroundings.work
        ninja = root / "bin" / "ninja"
        ninja.parent.mkdir()
        ninja.write_text("""#!/bin/sh
case " $* " in *" -n "*) echo "[1/2] x"; exit 0 ;; esac
echo "[1/2] Compiling"; echo "FAILED: a.o"; echo "a.c:1: error: no"; exit 1
""")
        ninja.chmod(0o755)
        self.surroundings.env["PATH"] = f"{root}/bin:{self.surroundings.env['PATH']}"
        said = self.surroundings.run("tools/build build; echo status $?")
        self.assertIn("a.c:1: error: no", said)
        self.assertEqual(said[-1], "status 1")


class Obligations(unittest.TestCase):
    def test_every_test_the_page_names_exists(self):
        page = (SOURCE / "docs" / "internals" / "conformance.md").read_text()
        names = set(re.findall(r"`([A-Za-z0-9]+_[A-Za-z_0-9]+)`", page))
        self.assertGreater(len(names), 40)
        tests = "".join(p.read_text() for kind in ("*.c", "*.py")
                        for p in (SOURCE / "tests").rglob(kind))
        self.assertEqual([n for n in sorted(names) if n not in tests], [])


class Settings(unittest.TestCase):
    """Tables of keys say what the forms of the source read, no more and no less."""

    # section of a page: files, and in them the arrays of rows
    FORMS = {
        ("reference/config.md", "## graphs"): (("host/graph_service_config.c", "ENTRY"),),
        ("reference/config.md", "## agents"): (("host/agent_service.c", "ENTRY"),),
        ("reference/graph-runs.md", "## Where events come from"): (("host/graph_source.c", "ANY_SOURCE", "TEXT_SOURCE", "LINES_SOURCE",
                                                          "FILE_ROWS", "NATS_ROWS", "TIMER_ROWS"),),
        ("reference/graph-runs.md", "## Where intents go"): (("host/graph_egress_config.c", "DOCUMENT", "COMMON", "ROUTE"),
                                                   ("host/graph_channel_process.c", "ROWS"),
                                                   ("host/graph_channel_ends.c", "FILE_ROWS", "WEBHOOK_ROWS"),
                                                   ("host/graph_nats.c", "ROWS")),
    }

    def keys_of_forms(self, files):
        keys = set()
        for file, *names in files:
            text = (SOURCE / "src" / file).read_text()
            for name in names:
                rows = re.search(rf"(?:\b{name}\[\] = \{{.*?\n\}};|#define {name} .*?[^\\]\n)", text, re.S)
                self.assertIsNotNone(rows, (file, name))
                keys |= set(re.findall(r'"(\w+)"', rows.group()))
        return keys

    def test_every_key_of_graphs_and_agents_is_documented_and_no_other(self):
        for (page, heading), files in self.FORMS.items():
            with self.subTest(page=page, heading=heading):
                text = (SOURCE / "docs" / page).read_text()
                start = text.index(heading + "\n")
                section = text[start:text.find("\n## ", start + 1) % len(text) + 1]
                table = re.search(r"^\| key \|.*?(?=\n\n|\Z)", section, re.S | re.M).group().splitlines()[2:]
                said = {key for row in table for key in re.findall(r"`(\w+)`", row.split("|")[1])}
                forms = self.keys_of_forms(files)
                self.assertEqual(said, forms)
                self.assertGreater(len(forms), 0)


class Contracts(unittest.TestCase):
    """The contracts in docs/reference/contract-language.md are one contract, in canonical layout."""

    def setUp(self):
        lines = (SOURCE / "docs" / "reference" / "contract-language.md").read_text().splitlines()
        self.texts = ["\n".join(lines[a:b]) + "\n" for a, b in blocks(lines, "tenor")]

    def test_they_are_laid_out_as_fmt_does(self):
        self.assertTrue(self.texts)
        for text in self.texts:
            self.assertEqual(run("fmt", "-", stdin=text).out, text)

    def test_together_they_hold(self):
        whole = "\n".join(text for text in self.texts if not text.startswith("system"))
        result = run("check", "-", stdin=whole)
        self.assertEqual(result.code, 0, repr(result))


    def test_FU13_the_page_says_what_may_stand_where(self):
        whole = "\n".join(text for text in self.texts if not text.startswith("system"))
        for right, wrong in (("next:         ship_it", "next: Terminal(success)"),
                             ("then:  Terminal(failure)", "then: look"),
                             ("on_failure: Terminal(escalation) }", "on_failure: look }"),
                             ("entry:    pay_it\n\n  steps: {\n    pay_it: OperationStep {\n      op:         pay\n      persona:    clerk\n      outcomes:   { paid: look }",
                              "entry: Terminal(success) steps: { pay_it: OperationStep { op: pay persona: clerk outcomes: { paid: look }"),
                             ("on_failure: Compensate(", "on_failure: look or("),
                             ("amount.amount * 2 > 999.00", 'amount * 2 > Money { amount: "9.00", currency: "USD" }'),
                             ("items * 2 > 100", "items * items > 100"),
                             ("items * 2 > 100", "items / 2 > 100")):
            with self.subTest(wrong):
                self.assertEqual(whole.count(right), 1)
                self.assertEqual(run("check", "-", stdin=whole.replace(right, wrong)).code, 1)
        for right, also in (("paid: look", "paid: Terminal(success)"), ("if_true:   hand_over", "if_true: Terminal(success)"),
                            ("shipped: Terminal(success)", "shipped: Terminal(outcome: success)")):
            with self.subTest(also):
                self.assertEqual(whole.count(right), 1)
                self.assertEqual(run("check", "-", stdin=whole.replace(right, also)).code, 0)


class Runner(unittest.TestCase):
    def test_dots_stand_for_any_lines(self):
        self.assertTrue(matches(["a", "...", "d"], ["a", "b", "c", "d"]))
        self.assertTrue(matches(["a", "...", "d"], ["a", "d"]))
        self.assertFalse(matches(["a", "...", "d"], ["a", "b"]))
        self.assertFalse(matches(["a"], ["a", "b"]))

    def test_only_console_blocks_are_run(self):
        text = ["```sh", "$ false", "```", "```console", "$ x", "y", "```"]
        self.assertEqual([text[a:b] for a, b in blocks(text)], [["$ x", "y"]])

    def test_what_a_page_leaves_running_is_ended_and_nobody_else(self):
        surroundings = Surroundings()
        other = subprocess.Popen(["sleep", "30"], cwd="/")
        surroundings.run("sleep 30 > log 2>&1 & echo $! > left.pid")
        left = int((surroundings.work / "left.pid").read_text())
        (surroundings.work / "other.pid").write_text(str(other.pid))
        surroundings.end()
        self.assertIsNone(other.poll())
        other.kill()
        other.wait()
        for _ in range(100):
            if not pathlib.Path(f"/proc/{left}").exists() or " Z " in pathlib.Path(f"/proc/{left}/stat").read_text():
                return
            time.sleep(0.05)
        self.fail("it still runs")

    def test_a_fence_may_name_a_file(self):
        text = ["```tenor a.tenor", "persona p", "```", "```json", "1", "```", "```tenor +a.tenor", "persona q", "```"]
        self.assertEqual([(kind, file) for _, _, kind, file in fences(text)],
                         [("tenor", "a.tenor"), ("json", None), ("tenor", "+a.tenor")])
        surroundings = Surroundings()
        self.addCleanup(surroundings.end)
        for start, end, _, file in fences(text):
            if file:
                surroundings.write(file, text[start:end])
        self.assertEqual(surroundings.run("motet check a.tenor 2>&1 | tail -1"), ["a.tenor: holds (2 personas)"])


main()
