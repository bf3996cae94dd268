"""The command line itself: help, version, options, exit codes, mistyped names."""
import os
import subprocess

from harness import MOTET, Case, main


class Usage(Case):
    def test_no_command_shows_help_on_stderr_and_exits_2(self):
        result = self.fails(2)
        self.assertEqual(result.out, "")
        self.assertIn("Usage: motet COMMAND", result.err)

    def test_version_names_the_program_and_the_language(self):
        result = self.holds("--version")
        self.assertRegex(result.out, r"^motet \d+\.\d+\.\d+ \(contract language 1\.0\)\n$")

    def test_help_lists_every_command_with_its_summary(self):
        result = self.holds("help")
        self.assertIn("Commands:", result.out)
        self.assertEqual(result.out, self.holds("--help").out)

    def test_help_of_a_command_equals_its_help_option(self):
        self.assertEqual(self.holds("help", "help").out, self.holds("help", "--help").out)

    def test_a_mistyped_command_gets_a_suggestion(self):
        self.assertIn("did you mean 'help'?", self.fails(2, "hlep").err)

    def test_a_mistyped_option_gets_a_suggestion(self):
        self.assertIn("did you mean --limit?", self.fails(2, "help", "--limti", "x").err)

    def test_an_unknown_option_without_neighbour_points_at_help(self):
        self.assertIn("see --help", self.fails(2, "help", "--qqqqqqqqq").err)

    def test_an_option_without_its_value_says_so(self):
        self.assertIn("--limit needs a value", self.fails(2, "help", "--limit").err)

    def test_a_flag_with_a_value_is_refused(self):
        self.assertIn("takes no value", self.fails(2, "help", "--help=1").err)

    def test_limits_are_checked(self):
        for text, reason in [("source_bytes", "expected NAME=VALUE"),
                             ("source_bytes=0", "at least 1"),
                             ("source_bytes=-1", "expected NAME=VALUE"),
                             ("source_bytes=99999999999999999999", "must be at most"),
                             ("source_byte=5", "did you mean source_bytes?")]:
            with self.subTest(text):
                self.assertIn(reason, self.fails(2, "help", "--limit", text).err)

    def test_help_limits_shows_the_table(self):
        self.assertIn("source_bytes", self.holds("help", "limits").out)

    def test_two_dashes_end_the_options(self):
        self.assertIn("no help on '--help'", self.fails(2, "help", "--", "--help").err)

    def test_too_many_operands_are_refused(self):
        self.assertIn("too many", self.fails(2, "help", "a", "b", "c", "d").err)

    def test_a_full_disk_is_exit_3(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([str(MOTET), "help"], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"cannot write to standard output", done.stderr)

    def test_a_closed_pipe_is_exit_3_without_noise(self):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([str(MOTET), "help"], stdout=writer, stderr=subprocess.PIPE)
        os.close(writer)
        self.assertEqual((done.returncode, done.stderr), (3, b""))


main()
