"""motet ask --smt2: every proof checked again by another solver, from the text alone.

Needs cvc5 (tools/install test). A file is one script after the other with (reset) between; each
has its expected status.
"""
import random
import re
import shutil
import subprocess

import test_invariants
from brute import Contract
from brute_contracts import Batch, contract
from harness import SANITIZED, SEED, SOAK, SOURCE, Case, main
from runs import Runs

ESCROW = SOURCE / "examples" / "escrow" / "escrow.tenor"
TRADE = SOURCE / "examples" / "trade_platform" / "trade_platform.tenor"
CONTRACTS = 2000 if SOAK else 10 if SANITIZED else 40
CLAIMS = """
persona clerk
persona expert
persona boss
fact amount { type: Int(0, 9000) source: "desk" }
fact fraud { type: Bool source: "bureau" }
fact price { type: Decimal(10, 2) source: "desk" }
fact rate { type: Decimal(5, 3) source: "desk" }
fact items { type: List(element_type: Int(0, 9), max: 50) source: "desk" }
rule big { stratum: 0 when: amount > 5000 produce: verdict big { payload: Bool = true } }
rule product { stratum: 0 when: exists i in items . i > 3
  produce: verdict product { payload: Decimal(15, 5) = price * rate } }
rule dear { stratum: 1 when: product > 100.00 and product < 0.5
  produce: verdict dear { payload: Bool = true } }
rule ok { stratum: 1 when: not verdict_present(big) and fraud = false
  produce: verdict ok { payload: Bool = true } }
entity Claim { states: [open, approved, paid, refused] initial: open
  transitions: [(open, approved), (approved, paid), (open, refused)] }
entity Report { states: [none, written, filed] initial: none
  transitions: [(none, written), (written, filed)] }
operation write { allowed_personas: [expert] precondition: amount > 0
  effects: [(Report, none, written)] outcomes: [x] error_contract: [persona_rejected] }
operation approve { allowed_personas: [clerk, boss] precondition: verdict_present(ok)
  effects: [(Claim, open, approved), (Report, written, filed)] outcomes: [x] error_contract: [persona_rejected] }
operation pay { allowed_personas: [boss] precondition: amount < 5000
  effects: [(Claim, approved, paid)] outcomes: [x] error_contract: [persona_rejected] }
operation refuse { allowed_personas: [clerk] precondition: fraud = true and amount > 9 and amount < 3
  effects: [(Claim, open, refused)] outcomes: [x] error_contract: [persona_rejected] }
flow settle { snapshot: at_initiation entry: a steps: {
  a: BranchStep { condition: len(items) > 0 persona: clerk if_true: b if_false: Terminal(failure) }
  b: BranchStep { condition: items[0] = 3 persona: clerk if_true: Terminal(success) if_false: Terminal(failure) } } }
"""
# What is proven of it.
PROVEN = [
    "can clerk reach Claim.paid", "can expert perform pay", "can anyone reach Claim.refused",
    "who can reach Claim.refused", "what can boss do alone", "can big and ok hold", "can dear hold", "is product implied by dear",
    "is not big implied by ok", "is ok the same as approve",
    "is amount <= 9000 always", "when is ok", "never Claim.refused",
    "never Claim.paid while Report.none", "never Claim.open while amount > 9000",
    "never perform approve while fraud", "never reach Claim.paid while Report.written",
    "always Report.filed or not Claim.paid", "always approve before pay", "always write before Claim.paid",
    "always approve before pay for each Claim with 2 instances", "every flow ends",
    "from every state a terminal is reachable", "from every state Claim.paid is reachable",
    "from every state of Claim a terminal is reachable with 2 instances",
    "nobody can both approve and refuse the same Claim", "never Claim.refused with 2 instances",
    "never Claim.paid and Claim.refused with 2 instances", "who can cause big",
]


class Smt2(Case):
    def check(self, text):
        """Every script has the status it says; how many are unsatisfiable."""
        want = re.findall(r"\(set-info :status (\w+)\)", text)
        path = self.write("all.smt2", text)
        got = subprocess.run(["cvc5", "--incremental", "--tlimit-per=20000", path],
                             capture_output=True, text=True, timeout=600)
        self.assertEqual(got.stderr, "")
        self.assertEqual(len(want), text.count("(check-sat)"))
        self.assertEqual(got.stdout.split(), want, text)
        return want.count("unsat")

    def script(self, contract, question, *options):
        path = f"{self.dir}/q.smt2"
        result = self.run_motet("ask", contract, question, "--smt2", path, *options)
        self.assertIn(result.code, (0, 1), repr(result))
        with open(path, encoding="utf-8") as file:
            return file.read(), result

    def test_cvc5_is_installed(self):
        self.assertTrue(shutil.which("cvc5"), "tools/install test")

    def test_every_kind_of_proof_is_checked_again(self):
        path = self.write("claims.tenor", CLAIMS)
        for question in PROVEN:
            with self.subTest(question):
                text, result = self.script(path, question)
                self.assertGreater(self.check(text), 0, result.out)

    def test_proofs_about_examples(self):
        for path, question in [
                (ESCROW, "can buyer reach EscrowAccount.released"),
                (ESCROW, "is within_threshold implied by release_approved"),
                (ESCROW, "when is release_approved"), (ESCROW, "every flow ends"),
                (ESCROW, "who can cause release_approved"),
                (ESCROW, "never EscrowAccount.released and EscrowAccount.refunded"),
                (TRADE, "never Shipment.sent while Order.placed"),
                (TRADE, "always accept_payment before ship"),
                (TRADE, "from every state of Order a terminal is reachable")]:
            with self.subTest(question):
                self.assertGreater(self.check(self.script(path, question)[0]), 0)

    def test_a_script_with_another_set_of_states_is_not_a_proof(self):
        """The induction is really needed: R smaller, R everything, another beginning."""
        path = self.write("claims.tenor", CLAIMS)
        text = self.script(path, "never Claim.paid while Report.none")[0].split("(reset)")[-1]
        self.assertEqual(self.check(text), 1)
        whole = re.sub(r"(\(define-fun R \([^\n]*\) Bool )\(R\d+[^)]*\)", r"\1true", text)
        less = re.sub(r"\(ite \(= s1 2\) true false\)", "false", text)
        begin = text.replace("(define-fun I () Bool (and true (= s0 0)",
                             "(define-fun I () Bool (and true (= s0 2)")
        for changed in (whole, less, begin):
            self.assertNotEqual(changed, text)
            got = subprocess.run(["cvc5", self.write("x.smt2", changed.replace("(set-info :status unsat)\n", ""))], capture_output=True,
                                 text=True, timeout=60)
            self.assertEqual(got.stdout.strip(), "sat", changed)

    def test_the_answer_is_left_out_on_standard_output(self):
        path = self.write("claims.tenor", CLAIMS)
        out = self.holds("ask", path, "is ok the same as approve", "--smt2", "-").out
        self.assertTrue(out.startswith("; "), out)
        self.check(out)
        self.assertNotIn("proven", out)
        self.fails(3, "ask", path, "is ok the same as approve", "--smt2", "no/such/dir/q.smt2")

    def test_scripts_are_the_same_every_time_and_name_what_they_are_about(self):
        path = self.write("claims.tenor", CLAIMS)
        question = "never perform approve while fraud or Claim.paid"
        first = self.script(path, question)[0]
        self.assertEqual(first, self.script(path, question)[0])
        self.assertIn("; the precondition of operation approve", first)
        self.assertIn("; s0: Claim: 0 open, 1 approved, 2 paid, 3 refused", first)
        self.assertIn("; the condition, where Claim.paid is false", first)

    def test_random_contracts(self):
        """Questions of every kind; all scripts of a contract in one run of cvc5."""
        batch = Batch()
        self.addCleanup(batch.close)
        asking = test_invariants.Invariants()
        proofs = 0
        for i in range(CONTRACTS):
            r = random.Random(f"{SEED}/smt2/{i}")
            bundle = contract(r)
            runs = Runs({"": Contract(bundle)})
            instances = 2 if len(runs.entities) == 2 and len(runs.graph()) <= 6 else 1
            asked = [kind(asking, r, runs, "", instances)[0] for kind in asking.KINDS]
            reply = batch(bundle, ask=asked, smt2=True)
            text = "(reset)\n".join(s for s in reply["scripts"] if s)
            with self.subTest(seed=f"{SEED}/smt2/{i}", asked=asked):
                proofs += self.check(text)
        print(f"seed {SEED}: {CONTRACTS} contracts, {proofs} proofs checked")
        self.assertGreater(proofs, CONTRACTS)


if __name__ == "__main__":
    main()
