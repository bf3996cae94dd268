"""What every end-to-end test shares: run the binary, temporary directories, golden files.

    from harness import Case, main

    class Check(Case):
        def test_a_good_contract_holds(self):
            result = self.run_motet("check", self.write("a.tenor", "persona p"))
            self.assertEqual(result.code, 0, result.err)

    main()

Environment (set by meson): MOTET, the binary; MOTET_SOURCE, the root of the project;
MOTET_CONFORMANCE, the conformance data when there are any; MOTET_UPDATE_GOLDEN=1 rewrites
golden files instead of comparing; MOTET_SOAK=1 asks for the long forms; MOTET_SEED.
"""
import glob
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("MOTET_SOURCE") or pathlib.Path(__file__).parents[2])
MOTET = pathlib.Path(os.environ.get("MOTET") or SOURCE / "build" / "motet").absolute()
SOAK = bool(os.environ.get("MOTET_SOAK"))
SANITIZED = "asan" in str(MOTET) or "tsan" in str(MOTET)
SEED = int(os.environ.get("MOTET_SEED") or 1)
TIMEOUT = 120


def browser():
    """Debian's Chromium: the long form is walked with all of it, the short one without the windows
    around pages, which nobody sees and which are pages, too."""
    lean = None if SOAK else shutil.which("chromium-headless-shell")
    return lean or shutil.which("chromium")


def conformance(part):
    """The directory of the conformance data for `part` ("tenor", "agent"), or None."""
    base = os.environ.get("MOTET_CONFORMANCE")
    path = pathlib.Path(base) if base else SOURCE.parent / "shared" / "conformance"
    return path / part if (path / part).is_dir() else None


class Result:
    """What a run gave: code, out and err (text), and the raw bytes."""

    def __init__(self, code, out, err):
        self.code, self.out_bytes, self.err_bytes = code, out, err
        self.out = out.decode("utf-8", "replace")
        self.err = err.decode("utf-8", "replace")

    def __repr__(self):
        return f"exit {self.code}\n--- out\n{self.out}\n--- err\n{self.err}"


def run(*words, cwd=None, stdin=b"", env=None, timeout=TIMEOUT):
    """Runs the binary and waits for it."""
    surroundings = {**os.environ, "NO_COLOR": "1", **(env or {})}
    if isinstance(stdin, str):
        stdin = stdin.encode()
    done = subprocess.run([str(MOTET), *map(str, words)], cwd=cwd, input=stdin,
                          capture_output=True, env=surroundings, timeout=timeout)
    return Result(done.returncode, done.stdout, done.stderr)


class Case(unittest.TestCase):
    """A test with a directory of its own, gone when it ends."""

    maxDiff = None

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="motet-")
        self.addCleanup(holder.cleanup)
        self.dir = pathlib.Path(holder.name)

    def write(self, name, content):
        """A file in the test's directory; text or bytes. Returns its path."""
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def run_motet(self, *words, **named):
        named.setdefault("cwd", self.dir)
        return run(*words, **named)

    def holds(self, *words, **named):
        """Runs and demands exit 0."""
        result = self.run_motet(*words, **named)
        self.assertEqual(result.code, 0, repr(result))
        return result

    def fails(self, code, *words, **named):
        """Runs and demands this exit code and a reason on stderr or stdout."""
        result = self.run_motet(*words, **named)
        self.assertEqual(result.code, code, repr(result))
        self.assertTrue(result.err or result.out, "failed without a word")
        return result

    def golden(self, name, text):
        """Compares with tests/golden/<name>, or rewrites it in update mode."""
        path = SOURCE / "tests" / "golden" / name
        if os.environ.get("MOTET_UPDATE_GOLDEN"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            return
        self.assertTrue(path.exists(), f"{path} is missing; MOTET_UPDATE_GOLDEN=1 writes it")
        self.assertEqual(path.read_text(), text, f"{name} differs from its golden file")


def wall_clock(offset):
    """The environment of a process whose wall clock is off by what the file says. Its other
    clock is left alone; without the last word every timed wait would end at once."""
    library = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
    assert library, "faketime is installed by make test"
    return {"LD_PRELOAD": library[0], "FAKETIME_TIMESTAMP_FILE": str(offset),
            "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "FAKETIME_FORCE_MONOTONIC_FIX": "0"}


def main():
    unittest.main(verbosity=2)
