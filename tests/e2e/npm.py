"""Programs of tests/npm: what the tests run from npm (tools/install test installs it).

    npm.run("redocly", "lint", "openapi.json", cwd=self.dir)
"""
import os
import subprocess

from harness import SOURCE

FOLDER = SOURCE / "tests" / "npm"
MODULES = FOLDER / "node_modules"


def run(name, *words, cwd, timeout=240):
    """Runs a program; code and everything it printed. Nothing of it asks the network."""
    program = MODULES / ".bin" / name
    assert program.exists(), f"{program} is missing: tools/install test"
    env = {**os.environ, "NO_COLOR": "1", "CI": "1", "REDOCLY_TELEMETRY": "off",
           "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
    done = subprocess.run([str(program), *map(str, words)], cwd=cwd, env=env, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout)
    return done.returncode, done.stdout
