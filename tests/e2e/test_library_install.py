"""A program outside the tree builds with the installed library and pkg-config alone; the
symbols and layouts that programs were built with do not change.

MOTET_UPDATE_GOLDEN=1 writes tests/data/libmotet.abi anew. It refuses to drop or change a line
unless the number of the library (soname) is another: that would break programs.
"""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from harness import MOTET, SOURCE, Case, main

HEADER = SOURCE / "include/motet.h"
STORED = SOURCE / "tests/data/libmotet.abi"
BUILD = MOTET.parents[2]
LIBRARY = pathlib.Path(os.environ.get("MOTET_LIBRARY") or BUILD / "src/api/libmotet.so.0")
THREADS = r"""
#include <motet.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static motet_contract *contract;
static const char FACTS[] = "{\"n\":7}";
static void *work(void *out)
{
    motet_facts *f = motet_facts_new(contract);
    motet_verdicts *v = motet_verdicts_new(contract);
    long good = 0;
    for (int i = 0; i < 2000; i++) {
        motet_str json = {FACTS, sizeof FACTS - 1};
        good += !motet_facts_read(f, json, true) && !motet_evaluate(f, v) &&
                motet_verdict_present(v, "odd");
        if (i % 500 == 0) {
            motet_answer *a;
            motet_str options = {"{\"facts\":{\"n\":7}}", 17};
            good -= motet_contract_ask(contract, "eval", options, &a) != MOTET_OK;
            motet_answer_free(a);
        }
    }
    *(long *)out = good;
    motet_verdicts_free(v);
    motet_facts_free(f);
    return NULL;
}
int main(void)
{
    static const char TEXT[] = "fact n { type: Int(0, 9) source: \"x\" }\n"
        "rule r { stratum: 0 when: n > 5 produce: verdict odd { payload: Bool = true } }\n";
    motet_str text = {TEXT, sizeof TEXT - 1};
    pthread_t threads[2];
    long good[2] = {0, 0};
    if (motet_contract_load(text, "a.tenor", &contract)) {
        return puts(motet_contract_message(contract, 0).ptr), 1;
    }
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, work, &good[i]);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    motet_contract_free(contract);
    printf("%ld %ld\n", good[0], good[1]);
    return 0;
}
"""


def call(*words, **named):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, **named)
    if done.returncode:
        raise AssertionError(f"{words}\n{done.stdout}{done.stderr}")
    return done.stdout


def example():
    """The program of docs/reference/library.md, and what the page says it prints."""
    page = (SOURCE / "docs/reference/library.md").read_text()
    return (re.search(r"```c\n(.*?)```", page, re.S)[1],
            re.search(r"```text\n(.*?)```", page, re.S)[1])


@unittest.skipUnless(LIBRARY.exists(), "no shared library in this build")
class Installed(Case):
    root = None

    @classmethod
    def setUpClass(cls):
        if LIBRARY.exists():
            import tempfile
            cls.holder = tempfile.TemporaryDirectory()
            cls.root = pathlib.Path(cls.holder.name)
            call("meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", cls.root,
                 "--tags", "devel,runtime")
            cls.lib = next(cls.root.rglob("libmotet.so")).parent

    @classmethod
    def tearDownClass(cls):
        if cls.root:
            cls.holder.cleanup()

    def environment(self):
        return {**os.environ, "PKG_CONFIG_PATH": str(self.lib / "pkgconfig"),
                "PKG_CONFIG_SYSROOT_DIR": str(self.root), "LD_LIBRARY_PATH": str(self.lib)}

    def flags(self, *more):
        return call("pkg-config", "--cflags", "--libs", *more, "motet",
                    env=self.environment()).split()

    def built(self, compiler, name, text, *flags):
        self.write(name, text)
        call(compiler, "-Wall", "-Wextra", "-Werror", "-o", "program", name, *flags, cwd=self.dir)
        return call(self.dir / "program", env=self.environment())

    def test_the_example_of_the_page_is_built_and_run(self):
        text, first = example()
        self.assertLessEqual(len([l for l in text.splitlines() if l.strip()]), 35)
        self.assertEqual(self.built("cc", "pay.c", text, *self.flags()), first)

    def test_it_is_linked_in_as_an_archive(self):
        text, first = example()
        (self.lib / "libmotet.so").rename(self.lib / "away")
        try:
            said = self.built("cc", "pay.c", text, *self.flags("--static"))
        finally:
            (self.lib / "away").rename(self.lib / "libmotet.so")
        self.assertEqual(said, first)
        needed = call("readelf", "-d", self.dir / "program")
        self.assertNotIn("libmotet", needed)

    def test_it_is_called_from_another_dialect(self):
        if not shutil.which("c++"):
            self.skipTest("no C++ compiler")
        text = '#include <motet.h>\n#include <stdio.h>\n' \
               'int main() { motet_str s{"persona p\\n", 10}; motet_contract *c = nullptr;\n' \
               '  int bad = motet_contract_load(s, "a.tenor", &c); motet_contract_free(c);\n' \
               '  printf("%d %s\\n", bad, motet_version()); }\n'
        said = self.built("c++", "a.cc", text, *self.flags())
        self.assertRegex(said, r"^0 \d+\.\d+")

    def test_two_threads_share_a_contract(self):
        said = self.built("cc", "threads.c", THREADS, "-pthread", *self.flags())
        self.assertEqual(said, "2000 2000\n")

    def test_nothing_is_shown_but_ours(self):
        shown = call("nm", "-D", "--defined-only", self.lib / "libmotet.so.0").splitlines()
        names = {line.split()[2].split("@")[0] for line in shown}
        self.assertEqual([n for n in names if not n.startswith("motet_")], [])
        declared = set(re.findall(r"\b(motet_\w+)\(", "".join(
            re.findall(r"MOTET_API [^;{]*;", HEADER.read_text()))))
        self.assertEqual(declared ^ names, set())
        self.assertIn("libmotet.so.0", call("readelf", "-d", self.lib / "libmotet.so.0"))


def members(body):
    """The names of the members of a structure."""
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    for part in body.split(";"):
        pointer = re.search(r"\(\*(\w+)\)\s*\(", part)
        if pointer:
            yield pointer[1]
        elif part.strip():
            yield from (re.search(r"(\w+)\s*$", one)[1] for one in part.split(","))


def layouts():
    """A program that prints every layout and every number of an enumeration."""
    text = HEADER.read_text()
    yield "#include <motet.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {"
    for body, name in re.findall(r"typedef struct \w+ \{(.*?)\n\} (\w+);", text, re.S):
        yield f'printf("struct {name} size %zu\\n", sizeof({name}));'
        for member in members(body):
            yield (f'printf("struct {name}.{member} at %zu size %zu\\n", '
                   f'offsetof({name}, {member}), sizeof((({name} *)0)->{member}));')
    for body, name in re.findall(r"typedef enum \w+ \{(.*?)\n\} (\w+);", text, re.S):
        plain = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
        for value in re.findall(r"\b(MOTET_\w+)", plain):
            yield f'printf("enum {name} {value} %d\\n", (int){value});'
    yield "return 0; }"


@unittest.skipUnless(LIBRARY.exists(), "no shared library in this build")
class Abi(Case):
    def dump(self):
        self.write("layouts.c", "\n".join(layouts()))
        call("cc", "-o", "layouts", "layouts.c", f"-I{HEADER.parent}", cwd=self.dir)
        found = call(self.dir / "layouts").splitlines()
        text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.S)
        text = re.sub(r"^#(?:.*\\\n)*.*$", "", text, flags=re.M)
        for one in re.findall(r"MOTET_API ([^;{]*\([^;]*\));", text):
            found.append("function " + re.sub(r"\s+", " ", one).replace("( ", "("))
        soname = re.search(r"soname: \[(.*?)\]", call("readelf", "-d", LIBRARY))[1]
        return [f"library {soname}", *sorted(found)]

    @unittest.skipUnless(os.uname().machine == "x86_64", "layouts are those of x86-64")
    def test_nothing_that_programs_were_built_with_has_changed(self):
        now = self.dump()
        old = STORED.read_text().splitlines() if STORED.exists() else now[:1]
        gone = [line for line in old if line not in now]
        if old[0] == now[0]:
            grown = {re.sub(r" size \d+$", "", line) for line in now}
            gone = [line for line in gone  # a structure that says its size may grow
                    if not (re.fullmatch(r"struct \w+ size \d+", line) and
                            re.sub(r" size \d+$", "", line) in grown and
                            f"{line.split()[0]} {line.split()[1]}.size at 0 size 8" in now)]
            self.assertEqual(gone, [], "programs that were built before would break: give the "
                                       "library another number (soversion), or take it back")
        if os.environ.get("MOTET_UPDATE_GOLDEN"):
            STORED.write_text("\n".join(now) + "\n")
        self.assertEqual([line for line in now if line not in STORED.read_text().splitlines()], [],
                         "new: MOTET_UPDATE_GOLDEN=1 writes tests/data/libmotet.abi anew")


if __name__ == "__main__":
    main()
