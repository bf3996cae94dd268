"""motet completion: the scripts are accepted by their shells and complete."""
import shutil
import subprocess
import unittest

from harness import Case, main


def have(shell):
    return unittest.skipUnless(shutil.which(shell), f"{shell} is not installed")


class Completion(Case):
    def script(self, shell):
        return self.write(f"motet.{shell}", self.holds("completion", shell).out)

    def shell(self, *words):
        done = subprocess.run(words, cwd=self.dir, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def bash_words(self, *typed):
        words = " ".join(f"'{w}'" for w in ("motet", *typed))
        return self.shell("bash", "-c", f"source {self.script('bash')}; COMP_WORDS=({words}); "
                          f"COMP_CWORD={len(typed)}; _motet; printf '%s\\n' \"${{COMPREPLY[@]}}\""
                          ).split()

    def test_bash_completes_commands(self):
        self.assertIn("completion", self.bash_words("comp"))

    def test_bash_completes_options_of_the_command(self):
        self.assertIn("--limit", self.bash_words("help", "--l"))

    def test_bash_completes_files_where_no_word_fits(self):
        self.write("escrow.tenor", "")
        self.assertIn("escrow.tenor", self.bash_words("help", "escr"))

    @have("fish")
    def test_fish_completes_commands_and_options(self):
        script = self.script("fish")
        self.assertIn("completion", self.shell("fish", "-c",
                      f"source {script}; complete -C 'motet comp'"))
        self.assertIn("--limit", self.shell("fish", "-c",
                      f"source {script}; complete -C 'motet help --l'"))

    def test_fish_knows_whose_value_may_be_left_out(self):
        script = self.holds("completion", "fish").out
        self.assertIn(" -l adapter -d ", script)
        self.assertIn(" -l key -r -d ", script)

    @have("zsh")
    def test_zsh_accepts_the_script_and_registers_it(self):
        script = self.script("zsh")
        out = self.shell("zsh", "-fc", "autoload -U compinit; compinit -D -u; "
                         f"source {script}; print $_comps[motet] $_comps[tenor]")
        self.assertEqual(out.split(), ["_motet", "_motet"])

    def test_an_unknown_shell_is_refused(self):
        self.assertIn("there is bash, zsh, fish", self.fails(2, "completion", "tcsh").err)


main()
