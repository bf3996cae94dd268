"""examples/pipeline/check-contract: what a pull request passes or does not, against a served contract."""
import json
import os
import shutil
import subprocess

from harness import MOTET, SOURCE, Case, Result, main
from serve import Server

SCRIPT = SOURCE / "examples" / "pipeline" / "check-contract"
ESCROW = SOURCE / "examples" / "escrow"


class Pipeline(Case):
    def setUp(self):
        super().setUp()
        shutil.copytree(ESCROW, self.dir / "escrow")
        self.contract = self.dir / "escrow" / "escrow.tenor"

    def edit(self, find, replace):
        text = self.contract.read_text()
        self.assertIn(find, text)
        self.contract.write_text(text.replace(find, replace, 1))

    def check(self, *words, env=None):
        done = subprocess.run(["sh", str(SCRIPT), *map(str, words)], cwd=self.dir, capture_output=True, timeout=120,
                              env={**os.environ, "MOTET": str(MOTET), "NO_COLOR": "1", **(env or {})})
        return Result(done.returncode, done.stdout, done.stderr)

    def report(self, name):
        return (self.dir / "motet-report" / name).read_text()

    def expect(self, code, *words, **named):
        result = self.check(*words, **named)
        self.assertEqual(result.code, code, repr(result))
        return result

    def test_what_is_served_passes_against_itself(self):
        with Server(self.dir, self.contract) as server:
            self.expect(0, self.contract, "--deployed", server.url, "--coverage-min", "100")
        self.assertEqual(self.report("diff.txt"), "no differences\n")
        sarif = json.loads(self.report("check.sarif"))
        self.assertEqual(sarif["version"], "2.1.0")
        tests = json.loads(self.report("tests.json"))
        self.assertEqual((tests["fail"], tests["coverage"][0]["coverage"]["permille"]), (0, 1000))
        self.assertIn("</html>", self.report("coverage.html"))
        for row in ("| check | passes |", "| scenarios | passes |", "| diff | passes |"):
            self.assertIn(row, self.report("summary.md"))

    def test_a_breaking_change_needs_a_policy(self):
        with Server(self.dir, self.contract) as server:
            self.edit("initial: held", "initial: disputed")
            result = self.expect(1, self.contract, "--deployed", server.url, "--contract", "escrow")
            self.assertIn("a policy is needed, and none is declared", result.err)
            self.assertIn("initial: held -> disputed", self.report("summary.md"))
            self.assertTrue(json.loads(self.report("diff.json"))["policy_required"])
            # The scenarios expect the old initial state; without them only the policy is missing.
            self.contract.with_name("escrow.scenarios.yaml").write_text(
                "scenarios:\n  - {name: a, given: {facts: {delivery_status: failed, line_items: [], "
                "escrow_amount: {amount: '5.00', currency: USD}}}, then: {present: [delivery_failed]}}\n")
            self.expect(0, self.contract, "--deployed", server.url, "--policy", "blue_green")
            self.assertIn("blue_green is declared", self.report("summary.md"))

    def test_a_change_that_is_proven_safe_passes(self):
        with Server(self.dir, self.contract) as server:
            self.edit("when: escrow_amount ≤ compliance_threshold",
                      "when: escrow_amount ≤ compliance_threshold and escrow_amount ≤ compliance_threshold")
            self.expect(0, self.contract, "--deployed", server.url)
        self.assertIn("proven safe", self.report("diff.txt"))

    def test_a_manifest_that_is_not_public_is_read_with_a_token(self):
        server = Server(self.dir, self.contract, options=("--private-manifest",))
        token = server.token("--name", "pipeline", "--right", "ledger:read")
        secret = self.write("token", token + "\n")
        with server:
            result = self.expect(3, self.contract, "--deployed", server.url)
            self.assertIn("401", result.err)
            result = self.expect(0, self.contract, "--deployed", server.url, "--token-file", secret)
        for path in (self.dir / "motet-report").iterdir():
            self.assertNotIn(token, path.read_text())
        self.assertNotIn(token, result.err)

    def test_a_contract_that_does_not_hold_fails_with_its_places(self):
        self.edit("initial: held", "initial: lost")
        self.expect(1, self.contract)
        (result,) = json.loads(self.report("check.sarif"))["runs"][0]["results"]
        self.assertEqual(result["level"], "error")
        self.assertIn("| check | **fails** |", self.report("summary.md"))

    def test_scenarios_and_coverage_count(self):
        path = self.contract.with_name("escrow.scenarios.yaml")
        path.write_text(path.read_text().split("\n  - name: a larger amount")[0])
        self.expect(0, self.contract)
        result = self.expect(1, self.contract, "--coverage-min", "90")
        self.assertIn("less than 90 %", result.err)
        path.write_text(path.read_text().replace("outcome: success", "outcome: failure"))
        self.assertIn("1 fail, 0 pass", self.expect(1, self.contract).err)
        path.unlink()
        self.assertIn("there are none", self.expect(1, self.contract).err)

    def test_a_property_is_tried_from_the_seed_that_is_given(self):
        self.write("p.scenarios.yaml", f"contract: {self.contract}\nscenarios:\n"
                                       "  - {name: a, for_all: facts, assert: [escrow_amount = escrow_amount]}\n")
        self.expect(0, self.contract, "--scenarios", "p.scenarios.yaml", "--seed", "77")
        self.assertIn("100 cases, seed 77", self.report("tests.json"))

    def test_an_invariant_that_the_change_breaks_is_named(self):
        path = self.contract.with_name("escrow.scenarios.yaml")
        path.write_text("invariants:\n  - can anyone reach EscrowAccount.disputed\n")
        old = self.write("old/escrow.tenor", self.contract.read_text())
        self.expect(0, self.contract, "--deployed", old)
        text = self.contract.read_text()
        start = text.index("operation flag_dispute")
        self.contract.write_text(text[:start] + text[text.index("operation confirm_delivery"):])
        result = self.expect(1, self.contract, "--deployed", old, "--policy", "abort")
        self.assertIn("scenarios: 1 fail, 0 pass", result.err)
        self.assertIn("an invariant is broken", result.err)
        elsewhere = self.write("promises.scenarios.yaml", f"contract: {self.contract}\n" + path.read_text())
        path.unlink()
        result = self.expect(1, self.contract, "--deployed", old, "--policy", "abort", "--scenarios", elsewhere)
        self.assertIn("an invariant is broken", result.err)

    def test_warnings_fail_where_that_is_asked_for(self):
        self.edit("persona buyer\n", "persona buyer\npersona nobody_needs\n")
        self.expect(0, self.contract)
        self.expect(1, self.contract, "--strict")

    def test_the_world_may_fail(self):
        self.expect(3, self.contract, "--deployed", "http://127.0.0.1:9")
        self.assertIn("| diff | **was not done** |", self.report("summary.md"))
        self.assertIn("| scenarios | passes |", self.report("summary.md"))
        self.expect(3, self.contract, env={"MOTET": "no-such-motet"})
        self.expect(3, self.dir / "none.tenor")
        self.expect(3, self.contract, "--deployed", self.dir / "none.json")

    def test_what_is_used_wrongly(self):
        for words in ((), (self.contract, self.contract), (self.contract, "--policy", "never"),
                      (self.contract, "--seed"), (self.contract, "--sed", "5")):
            self.expect(2, *words)
        self.assertIn("Exit status: 0 it passes", self.expect(0, "--help").out)
        self.expect(2, self.contract, "--coverage-min", "many")

    def test_reports_of_an_earlier_run_do_not_stay(self):
        self.expect(0, self.contract, "--deployed", self.contract)
        self.expect(0, self.contract)
        self.assertFalse((self.dir / "motet-report" / "diff.txt").exists())

    def test_it_is_plain_sh(self):
        if shutil.which("shellcheck"):
            done = subprocess.run(["shellcheck", "-s", "sh", str(SCRIPT)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    main()
