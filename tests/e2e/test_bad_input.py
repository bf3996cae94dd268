"""Bad input: each ends in a clear diagnostic within its limits, exit 1 (3 for I/O), and nothing on
stdout that looks like a bundle."""
import os
import resource
import subprocess
import threading
import time

from contracts import GOOD
from harness import MOTET, Case, main

MEGABYTE = 1 << 20
SECONDS = 60  # far more than any of them may take, for sanitizer builds


class BadInput(Case):
    def refused(self, path, *reasons, code=1):
        for command in ("elaborate", "check"):
            begin = time.monotonic()
            result = self.run_motet(command, path, timeout=SECONDS)
            self.assertEqual(result.code, code, repr(result)[:2000])
            self.assertNotIn('"constructs"', result.out)
            self.assertNotIn("Sanitizer", result.err)
            self.assertLess(time.monotonic() - begin, SECONDS)
            self.assertLess(len(result.err), 200000, "more words than anyone reads")
            for reason in reasons:
                self.assertIn(reason, result.err)
        return result

    def test_bytes_that_are_no_utf8(self):
        self.refused(self.write("a.tenor", b'persona \xff\xfe\n'), "UTF-8")

    def test_nul_bytes(self):
        self.refused(self.write("a.tenor", b"persona a\0b\n"), "unexpected character")

    def test_a_byte_order_mark(self):
        self.refused(self.write("a.tenor", b"\xef\xbb\xbfpersona a\n"), "unexpected character")

    def test_ten_megabytes_of_parentheses(self):
        self.refused(self.write("a.tenor", b"(" * (10 * MEGABYTE)))

    def test_ten_megabytes_of_parentheses_in_a_condition(self):
        text = b"rule r { stratum: 0 when: " + b"(" * (10 * MEGABYTE)
        self.refused(self.write("a.tenor", text), "source_depth")

    def test_nesting_of_a_hundred_thousand(self):
        deep = 100000
        for opening, closing in [("(", ")"), ("not ", ""), ("a[", "]"), ("len(", ")")]:
            with self.subTest(opening):
                text = f"rule r {{ stratum: 0 when: {opening * deep}x{closing * deep} = 1 }}"
                self.refused(self.write("a.tenor", text))

    def test_types_nested_a_hundred_thousand_deep(self):
        deep = 100000
        text = "fact f { source: \"a\" type: " + "Record { a: " * deep + "Bool" + "}" * deep + "}"
        self.refused(self.write("a.tenor", text), "source_depth")

    def test_braces_nested_a_hundred_thousand_deep(self):
        self.refused(self.write("a.tenor", "flow f { steps: { " + "a: Branch { steps: {" * 100000))

    def test_an_identifier_of_a_megabyte(self):
        self.refused(self.write("a.tenor", "persona " + "a" * MEGABYTE), "identifier")

    def test_a_string_of_a_megabyte_is_no_fault_of_its_own(self):
        text = 'fact f { type: Bool source: "' + "s" * MEGABYTE + '" }'
        self.holds("elaborate", self.write("a.tenor", text))

    def test_integers_beyond_64_bits(self):
        for number in ["9223372036854775808", "-9223372036854775809", "9" * 400]:
            text = f'fact f {{ type: Int(min: 0, max: {number}) source: "a" }}'
            self.refused(self.write("a.tenor", text), "invalid integer")

    def test_integers_of_exactly_64_bits(self):
        text = ('fact f { type: Int(min: -9223372036854775808, max: 9223372036854775807) '
                'source: "a" }')
        self.holds("elaborate", self.write("a.tenor", text))

    def test_a_file_larger_than_its_limit(self):
        path = self.write("a.tenor", "persona a\n" * 100)
        result = self.fails(1, "elaborate", "--limit", "source_bytes=100", path)
        self.assertIn("source_bytes", result.err)

    def test_everything_twice(self):
        path = self.write("a.tenor", GOOD + GOOD)
        kinds = ("Fact", "Flow", "Persona", "Rule", "Entity", "Operation", "Source")
        self.refused(path, *(f"error[T201]: {kind} '" for kind in kinds), "is declared twice: also in")

    def test_unterminated_things(self):
        for text in ['fact f { source: "abc', "/* never", 'fact f { source: "abc\\', "fact f {"]:
            with self.subTest(text):
                self.refused(self.write("a.tenor", text))

    def test_a_thousand_errors_are_bounded(self):
        self.refused(self.write("a.tenor", "@\n" * 100000))

    def test_memory_stays_bounded(self):
        """10 MB of parentheses within 1 GB of address space would be easy; 100,000 errors too."""
        if "asan" in str(MOTET):
            self.skipTest("sanitizers reserve address space")
        path = self.write("a.tenor", b"@(" * (5 * MEGABYTE))
        limit = 2 << 30
        done = subprocess.run([str(MOTET), "check", str(path)], capture_output=True, timeout=SECONDS,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                                    (limit, limit)))
        self.assertEqual(done.returncode, 1, done.stderr[-500:])


class Imports(Case):
    def refused(self, path, reason, code=1):
        result = self.fails(code, "elaborate", path, timeout=SECONDS)
        self.assertIn(reason, result.err)
        self.assertEqual(result.out, "")
        return result

    def test_a_thousand_files(self):
        for i in range(1000):
            self.write(f"f{i}.tenor", f'import "f{i + 1}.tenor"\npersona p{i}\n')
        self.write("f1000.tenor", "persona last\n")
        self.refused(self.dir / "f0.tenor", "source_files")

    def test_a_thousand_files_side_by_side(self):
        names = [f"s{i}.tenor" for i in range(1000)]
        for name in names:
            self.write(name, f"persona p_{name[:-6]}\n")
        self.refused(self.write("root.tenor", "".join(f'import "{n}"\n' for n in names)),
                     "source_files")

    def test_all_bytes_together_are_limited(self):
        self.write("b.tenor", "// " + "x" * 5000 + "\npersona b\n")
        path = self.write("a.tenor", 'import "b.tenor"\n// ' + "x" * 5000 + "\n")
        result = self.fails(1, "elaborate", "--limit", "source_total_bytes=8000", path)
        self.assertIn("source_total_bytes", result.err)

    def test_a_cycle(self):
        self.write("b.tenor", 'import "a.tenor"\n')
        self.refused(self.write("a.tenor", 'import "b.tenor"\n'),
                     "import cycle detected: a.tenor → b.tenor → a.tenor")

    def test_a_symlink_loop(self):
        os.symlink("two.tenor", self.dir / "one.tenor")
        os.symlink("one.tenor", self.dir / "two.tenor")
        self.refused(self.write("a.tenor", 'import "one.tenor"\n'), "cannot resolve path 'one.tenor'")

    def test_a_symlink_loop_as_root_is_exit_3(self):
        os.symlink("one.tenor", self.dir / "one.tenor")
        self.refused(self.dir / "one.tenor", "Too many levels of symbolic links", code=3)

    def test_leaving_the_directory(self):
        self.write("secret.tenor", "persona s\n")
        self.refused(self.write("in/a.tenor", 'import "../secret.tenor"\n'),
                     "import '../secret.tenor' escapes the contract root directory")

    def test_existence_is_checked_before_the_sandbox(self):
        self.refused(self.write("in/a.tenor", 'import "../nowhere.tenor"\n'),
                     "import resolution failed: cannot resolve path '../nowhere.tenor'")

    def test_leaving_through_a_symlink(self):
        self.write("out/secret.tenor", "persona s\n")
        path = self.write("in/a.tenor", 'import "link.tenor"\n')
        os.symlink("../out/secret.tenor", self.dir / "in" / "link.tenor")
        self.refused(path, "escapes the contract root directory")

    def test_leaving_through_a_linked_directory(self):
        self.write("out/secret.tenor", "persona s\n")
        path = self.write("in/a.tenor", 'import "sub/secret.tenor"\n')
        os.symlink("../out", self.dir / "in" / "sub")
        self.refused(path, "escapes the contract root directory")

    def test_absolute_paths_leave_too(self):
        secret = self.write("out/secret.tenor", "persona s\n")
        self.refused(self.write("in/a.tenor", f'import "{secret}"\n'),
                     "escapes the contract root directory")

    def test_a_link_inside_the_directory_is_fine(self):
        self.write("in/real.tenor", "persona s\n")
        os.symlink("real.tenor", self.dir / "in" / "link.tenor")
        self.holds("elaborate", self.write("in/a.tenor", 'import "link.tenor"\n'))

    def test_an_imported_directory_is_exit_3(self):
        (self.dir / "sub").mkdir()
        self.refused(self.write("a.tenor", 'import "sub"\n'), "Is a directory", code=3)

    def test_a_pipe_does_not_hang(self):
        os.mkfifo(self.dir / "pipe.tenor")
        self.refused(self.write("a.tenor", 'import "pipe.tenor"\n'), "cannot read", code=3)
        self.refused(self.dir / "pipe.tenor", "cannot read", code=3)

    def test_an_endless_device_is_not_read(self):
        os.symlink("/dev/zero", self.dir / "zero.tenor")
        self.fails(3, "elaborate", self.dir / "zero.tenor", timeout=SECONDS)

    def test_a_file_that_fails_while_it_is_read_is_exit_3(self):
        # A process may open its own memory, but nothing is mapped at address 0.
        self.refused("/proc/self/mem", "Input/output error", code=3)

    def test_files_that_vanish_while_reading(self):
        """A file that comes and goes gives a bundle, a missing import, or exit 3; never less."""
        target = self.write("b.tenor", "persona b\n")
        path = self.write("a.tenor", 'import "b.tenor"\n')
        done = threading.Event()

        def blink():
            while not done.is_set():
                target.unlink()
                target.write_text("persona b\n")

        worker = threading.Thread(target=blink)
        worker.start()
        try:
            for _ in range(60):
                result = self.run_motet("elaborate", path)
                self.assertIn(result.code, (0, 1, 3), repr(result))
                self.assertEqual('"constructs"' in result.out, result.code == 0)
                if result.code:
                    self.assertTrue("cannot resolve" in result.err or "cannot read" in result.err,
                                    repr(result))
        finally:
            done.set()
            worker.join()


main()
