"""motet ask: questions, and every fact set shown confirmed by motet eval."""
import json

from harness import SOURCE, Case, main

ESCROW = SOURCE / "examples" / "escrow" / "escrow.tenor"


# Payloads that a condition over facts can be written with, and those it cannot: a
# payload that is rounded is another number than the fact.
PAYLOADS = """
fact a { type: Bool source: "s" }
fact b { type: Bool source: "s" }
fact n { type: Int(0, 99) source: "s" }
fact r { type: Decimal(6, 3) source: "s" }
fact ns { type: List(element_type: Int(0, 9), max: 3) source: "s" }
rule copy { stratum: 0 when: a produce: verdict count { payload: Int(0, 99) = n } }
rule fixed { stratum: 0 when: b produce: verdict level { payload: Int(0, 9) = 3 } }
rule coarse { stratum: 0 when: a produce: verdict rounded { payload: Decimal(6, 1) = r } }
rule fine { stratum: 0 when: a produce: verdict same { payload: Decimal(6, 3) = r } }
rule widened { stratum: 0 when: a produce: verdict wide { payload: Decimal(6, 1) = n } }
rule rec { stratum: 0 when: b produce: verdict pair { payload: Record { x: Int(0, 99), y: Int(0, 9) } = { x: n, y: 4 } } }
rule few { stratum: 0 when: exists k in ns . k > 5 produce: verdict some { payload: Bool = true } }
rule many { stratum: 0 when: forall k in ns . (k > 5 or k < 2) produce: verdict ends { payload: Bool = true } }
rule every { stratum: 0 when: forall k in ns . k > 5 produce: verdict all { payload: Bool = true } }
rule both { stratum: 0 when: a and n > 5 produce: verdict ab { payload: Bool = true } }
rule either { stratum: 0 when: a or n > 5 produce: verdict aob { payload: Bool = true } }
rule high { stratum: 1 when: verdict_present(count) and count > 10 produce: verdict big { payload: Bool = true } }
"""
WHEN = [
    ("when is big", "a and n > 10"),
    ("when is count > 10", "a and n > 10"),
    ("when is count > 10 and a", "a and n > 10"),
    ("when is count > 10 and b", "a and n > 10 and b"),
    ("when is not count > 10", "not a or n <= 10"),
    ("when is not big", "not a or n <= 10"),
    ("when is level = 3", "b"),
    ("when is level = 4", "never"),
    ("when is rounded > 1.5", "rounded > 1.5"),
    ("when is same > 1.5", "a and r > 1.5"),
    ("when is wide > 1.5", "wide > 1.5"),
    ("when is pair.x > 7", "b and n > 7"),
    ("when is pair.y = 4", "b"),
    ("when is not some", "forall k in ns . k <= 5"),
    ("when is not all", "exists k in ns . k <= 5"),
    ("when is not ends", "not (forall k in ns . k > 5 or k < 2)"),
    ("when is not ab", "not a or n <= 5"),
    ("when is not aob", "not a and n <= 5"),
    ("when is not (ab or some)", "(not a or n <= 5) and (forall k in ns . k <= 5)"),
    ("when is a or (b and a)", "a"),
    ("when is n > 5 and n > 3", "n > 5"),
    ("when is n > 3 and n > 5", "n > 5"),
    ("when is n > 5 or n > 3", "n > 3"),
    ("when is not n < 5", "n >= 5"),
    ("when is not n <= 5", "n > 5"),
    ("when is not n != 5", "n = 5"),
]

# A branch of two whose condition may have no value, which fails the branch.
FORK = """
persona p
fact l { type: List(element_type: Int(0, 9), max: 3) source: "s" }
fact b { type: Bool source: "s" }
entity A { states: [s, t] initial: s transitions: [(s, t)] }
entity B { states: [s, t] initial: s transitions: [(s, t)] }
operation oa { personas: [p] require: b effects: [A: s -> t] outcomes: [x] error_contract: [precondition_failed, persona_rejected] }
operation ob { personas: [p] require: true effects: [B: s -> t] outcomes: [x] error_contract: [precondition_failed, persona_rejected] }
flow f { snapshot: at_initiation entry: fork steps: {
  fork: ParallelStep { branches: [
    Branch { id: one entry: o steps: { o: OperationStep { op: oa persona: p outcomes: { x: Terminal(success) } on_failure: Terminate(outcome: failure) } } },
    Branch { id: two entry: c steps: { c: BranchStep { condition: l[0] = 3 persona: p if_true: q if_false: Terminal(failure) }
       q: OperationStep { op: ob persona: p outcomes: { x: Terminal(success) } on_failure: Terminate(outcome: failure) } } }
  ] join: JoinPolicy { on_any_failure: Terminate(outcome: failure) on_all_success: Terminal(success) } } } }
"""

# An outcome is taken by state: of these two only `pay` matches where everything begins.
BY_STATE = """
persona p
entity Claim { states: [open, paid] initial: open transitions: [(open, paid)] }
entity Case { states: [none, review, closed] initial: none
  transitions: [(none, review), (review, closed)] }
operation decide { allowed_personas: [p] precondition: true
  effects: [(Claim, open, paid, pay), (Case, review, closed, close)]
  outcomes: [pay, close] error_contract: [] }
"""
# Each outcome waits for what the other does.
WAITING = """
persona p
entity A { states: [a0, a1, a2] initial: a0 transitions: [(a0, a1), (a1, a2)] }
entity B { states: [b0, b1, b2] initial: b0 transitions: [(b0, b1), (b1, b2)] }
operation o { allowed_personas: [p] precondition: true
  effects: [(A, a0, a1, k), (B, b1, b2, k), (A, a1, a2, l), (B, b0, b1, l)]
  outcomes: [k, l] error_contract: [] }
"""
# b moves E and F together, and F is ready only after q's c.
TOGETHER = """
persona p
persona q
fact n { type: Int(0, 9) source: "s" }
entity E { states: [s1, s2] initial: s1 transitions: [(s1, s2)] }
entity F { states: [s0, s1, s2] initial: s0 transitions: [(s0, s1), (s1, s2)] }
operation b { allowed_personas: [p] precondition: n > 3 effects: [(E, s1, s2), (F, s1, s2)]
  outcomes: [done] error_contract: [] }
operation c { allowed_personas: [q] precondition: n < 3 effects: [(F, s0, s1)]
  outcomes: [done] error_contract: [] }
"""
# One B serves only one A: two As need two Bs.
PAIRS = """
persona p
entity A { states: [a0, a1, a2] initial: a0 transitions: [(a0, a1), (a1, a2)] }
entity B { states: [b0, b1] initial: b0 transitions: [(b0, b1)] }
operation first { allowed_personas: [p] precondition: true effects: [(A, a0, a1), (B, b0, b1)]
  outcomes: [done] error_contract: [] }
operation second { allowed_personas: [p] precondition: true effects: [(A, a1, a2), (B, b0, b1)]
  outcomes: [done] error_contract: [] }
"""
# A claim is approved on the report of another claim: A1 may be paid though A2 wrote the report.
BORROWED = """
persona p
persona q
entity E { states: [a, b, c] initial: a transitions: [(a, b), (a, c)] }
entity R { states: [free, ready, done] initial: free transitions: [(free, ready), (ready, done)] }
operation write { allowed_personas: [p] precondition: true effects: [(E, a, b), (R, free, ready)]
  outcomes: [x] error_contract: [] }
operation take { allowed_personas: [p, q] precondition: true effects: [(E, a, c), (R, ready, done)]
  outcomes: [x] error_contract: [] }
"""
CLAIMS = """
persona clerk
persona boss
fact amount { type: Int(0, 9000) source: "desk" }
fact fraud { type: Bool source: "bureau" }
rule ok { stratum: 0 when: amount < 5000 and fraud = false
  produce: verdict ok { payload: Bool = true } }
entity Claim { states: [open, asked, paid, refused] initial: open
  transitions: [(open, asked), (asked, paid), (open, refused)] }
entity Report { states: [none, written] initial: none transitions: [(none, written)] }
operation request { allowed_personas: [clerk] precondition: true
  effects: [(Claim, open, asked), (Report, none, written)] outcomes: [x] error_contract: [] }
operation approve { allowed_personas: [boss] precondition: verdict_present(ok)
  effects: [(Claim, asked, paid)] outcomes: [x] error_contract: [] }
operation refuse { allowed_personas: [boss] precondition: amount > 9 and amount < 3
  effects: [(Claim, open, refused)] outcomes: [x] error_contract: [] }
"""


class Ask(Case):
    def ask(self, question, *options, code=None, contract=ESCROW):
        result = self.run_motet("ask", "--json", *options, contract, question)
        reply = json.loads(result.out) if result.out else None
        if reply:
            self.assertEqual(result.code, 0 if reply["reply"] == "yes" else 1)
        if code is not None:
            self.assertEqual(result.code, code, repr(result))
        return reply

    def verdicts(self, facts, contract=ESCROW):
        path = self.write("facts.json", json.dumps(facts))
        out = self.holds("eval", "--json", contract, "--facts", path).out
        return {v["type"] for v in json.loads(out)["verdicts"]}

    def test_buyer_has_no_way_to_released(self):
        reply = self.ask("can buyer reach EscrowAccount.released", code=1)
        self.assertEqual(reply["proof"], "proven")
        self.assertEqual(reply["personas"], ["compliance_officer", "escrow_agent"])
        text = self.fails(1, "ask", ESCROW, "can buyer reach EscrowAccount.released").out
        self.assertIn("buyer moves it: held -> disputed (flag_dispute)", text)

    def test_a_way_has_facts_for_each_step(self):
        reply = self.ask("can anyone reach EscrowAccount.refunded", code=0)
        (step,) = reply["path"]
        self.assertEqual((step["operation"], step["persona"], step["from"], step["to"]),
                         ("refund_escrow", "escrow_agent", "held", "refunded"))
        self.assertIn("refund_approved", self.verdicts(step["facts"]))

    def test_who_can_move(self):
        reply = self.ask("who can move EscrowAccount from held to refunded", code=0)
        self.assertEqual(reply["personas"], ["escrow_agent"])
        self.assertEqual(self.ask("who can move EscrowAccount from disputed to released",
                                  code=1)["personas"], [])

    def test_when_gives_a_condition_over_facts(self):
        reply = self.ask("when is release_approved", code=0)
        self.assertEqual(reply["condition"],
                         "(forall item in line_items . item.valid = true) and "
                         'delivery_status = "confirmed" and escrow_amount <= compliance_threshold')
        self.assertEqual(reply["proof"], "proven")
        self.assertIn("release_approved", self.verdicts(reply["facts"]))

    def test_what_changes_nothing_is_left_out(self):
        reply = self.ask('when is release_approved and within_threshold and not delivery_failed')
        self.assertEqual(reply["condition"],
                         self.ask("when is release_approved")["condition"])

    def test_conditions_are_written_over_facts_and_no_longer_than_needed(self):
        contract = self.write("payloads.tenor", PAYLOADS)
        for question, condition in WHEN:
            with self.subTest(question):
                reply = self.ask(question, contract=contract)
                self.assertEqual((reply["condition"], reply["proof"]), (condition, "proven"))

    def test_never_and_always(self):
        self.assertEqual(self.ask("when is delivery_confirmed and delivery_failed", code=1)
                         ["condition"], "never")
        self.assertEqual(self.ask("when is delivery_confirmed or not delivery_confirmed", code=0)
                         ["condition"], "always")

    def test_implied_with_counterexample(self):
        self.assertEqual(self.ask("is within_threshold implied by release_approved", code=0)
                         ["proof"], "proven")
        reply = self.ask("is release_approved implied by within_threshold", code=1)
        got = self.verdicts(reply["facts"])
        self.assertIn("within_threshold", got)
        self.assertNotIn("release_approved", got)

    def test_comparisons_of_every_kind(self):
        for question in ["is escrow_amount <= 100 USD possible",
                         'is delivery_status = "failed" possible',
                         "is delivery_status = failed possible",
                         "is len(line_items) > 99 possible",
                         "is buyer_requested_refund possible",
                         "is escrow_amount.amount > 3.5 possible",
                         "can release_escrow hold"]:
            with self.subTest(question):
                self.verdicts(self.ask(question, code=0)["facts"])
        self.ask("is len(line_items) > 100 possible", code=1)

    def test_a_bundle_answers_like_its_source(self):
        bundle = self.write("b.json", self.holds("elaborate", ESCROW).out)
        question = "when can release_escrow_with_compliance"
        self.assertEqual(self.ask(question, contract=bundle), self.ask(question))

    def test_FL2_a_number_in_a_question_is_never_rounded(self):
        contract = self.write("c.tenor", """
            fact d { type: Decimal(28, 28) source: "s" }
            fact m { type: Money(currency: "EUR") source: "s" }""")
        for fact in ("d", "m"):
            digits = "0.1234567890123456789012345678"
            self.ask(f"is {fact} = {digits} possible", code=0, contract=contract)
            self.ask(f"is {fact} = {digits}00 possible", code=0, contract=contract)
            self.fails(2, "ask", contract, f"is {fact} = {digits}5 possible")

    def test_a_persona_that_is_called_anyone_is_one(self):
        contract = self.write("c.tenor", """
            persona anyone
            persona boss
            entity E { states: [a, b] initial: a transitions: [(a, b)] }
            operation o { allowed_personas: [boss] precondition: true effects: [(E, a, b)]
              outcomes: [x] error_contract: [persona_rejected] }""")
        reply = self.ask("can anyone reach E.b", code=1, contract=contract)
        self.assertEqual((reply["reply"], reply["personas"]), ("no", ["boss"]))

    def test_bad_questions_name_the_place(self):
        for question, word in [("", "can, who, what"), ("why", "expected 'not'"),
                               ("can nobody reach EscrowAccount.held", "persona"),
                               ("can buyer reach Escrow.held", "entity"),
                               ("can buyer reach EscrowAccount.lost", "state"),
                               ("when is nothing", "nothing"),
                               ("is escrow_amount possible", "compare it"),
                               ("is delivery_status = 3 possible", "not a value"),
                               ("is escrow_amount = 0." + "1" * 29 + " possible", "not a value"),
                               ("is delivery_status < \"failed\" possible", "not defined"),
                               ("is release_approved", "expected"),
                               ("is release_approved possible now", "too much"),
                               ("is $ possible", "not part"), ("is \"open possible", "not part"),
                               ("is " + "(" * 500 + "x", "nested"),
                               ("is " + "not " * 3000 + "x", "too long")]:
            with self.subTest(question[:40]):
                self.assertIn(word, self.fails(2, "ask", ESCROW, question).err)

    def test_an_exceeded_limit_is_not_decided_and_says_so(self):
        reply = self.ask("is release_approved implied by within_threshold",
                         "--limit", "prove_steps=1", code=1)
        self.assertEqual((reply["reply"], reply["proof"]), ("unknown", "none"))
        self.assertIn("limit", reply["reason"])
        reply = self.ask("can escrow_agent reach EscrowAccount.released",
                         "--limit", "prove_steps=1", code=1)
        self.assertEqual((reply["reply"], reply["proof"]), ("unknown", "none"))
        self.assertIn("limit", reply["reason"])

    def test_any_amount_of_memory_ends_with_an_answer(self):
        fields = " ".join(f"a{i}: Int(0, 1000000)" for i in range(20))
        text = [f"type I {{ {fields} }}", "persona p",
                'fact l { type: List(element_type: I, max: 24) source: "s" }']
        for r in range(12):
            inner = " and ".join(f"(exists y in l . x.a{i} + y.a{(i * 7 + r) % 20} > {i * r})"
                                 for i in range(3))
            text.append(f"rule r{r} {{ stratum: 0 when: forall x in l . {inner} "
                        f"produce: verdict v{r} {{ payload: Bool = true }} }}")
        contract = self.write("big.tenor", "\n".join(text))
        question = "can " + " and ".join(f"v{r}" for r in range(12)) + " hold"
        for megabytes in [1, 16, 18, 20, 24, 30]:
            with self.subTest(megabytes):
                reply = self.ask(question, "--limit", f"prove_megabytes={megabytes}", "--limit",
                                 "prove_unfold=100000", "--limit", "prove_ms=500", code=1,
                                 contract=contract)
                self.assertEqual(reply["reply"], "unknown")

    def test_replies_are_the_same_every_time(self):
        question = "is release_approved implied by delivery_confirmed"
        self.assertEqual(self.ask(question), self.ask(question))

    # -- reaching, moving, performing --

    def run_steps(self, contract, path):
        """Every step in motet eval --operation, from the initial states on."""
        states = []
        for step in path:
            facts = self.write("step.json", json.dumps(step["facts"]))
            named = ["--outcome", step["outcome"]] if step["named"] else []
            out = self.holds("eval", contract, "--facts", facts, "--operation",
                             step["operation"], "--persona", step["persona"], *named, *states).out
            self.assertIn(f"Outcome: {step['outcome']}", out)
            for change in step["changes"]:
                states += ["--state", f"{change['entity']}={change['to']}"]

    def test_FE1_the_outcome_that_matches_the_states_is_taken(self):
        contract = self.write("by_state.tenor", BY_STATE)
        facts = self.write("facts.json", "{}")
        self.assertIn("Outcome: pay", self.holds("eval", contract, "--facts", facts, "--operation",
                                                 "decide", "--persona", "p").out)
        for question in ["can p reach Claim.paid", "can p perform decide", "can anyone perform decide",
                         "can p move Claim from open to paid", "who can reach Claim.paid"]:
            with self.subTest(question):
                self.assertEqual(self.ask(question, contract=contract)["reply"], "yes")
        self.assertEqual(self.ask("can p reach Case.closed", contract=contract)["reply"], "no")
        reply = self.ask("can p reach Claim.paid", contract=contract)
        self.assertIn("path", reply)
        self.run_steps(contract, reply["path"])

    def test_FE2_effects_of_different_outcomes_are_not_mixed(self):
        contract = self.write("waiting.tenor", WAITING)
        facts = self.write("facts.json", "{}")
        self.fails(1, "eval", contract, "--facts", facts, "--operation", "o", "--persona", "p")
        for question in ["can p reach A.a1", "can p perform o", "who can reach B.b1",
                         "can p move A from a0 to a1"]:
            with self.subTest(question):
                self.assertEqual(self.ask(question, contract=contract)["reply"], "no")

    def test_FE3_what_others_do_first_is_in_the_way_shown(self):
        contract = self.write("together.tenor", TOGETHER)
        text = self.holds("ask", contract, "can p reach E.s2").out
        self.assertTrue(text.startswith("yes, after others\n"), text)
        reply = self.ask("can p reach E.s2", contract=contract)
        self.assertEqual([(s["persona"], s["operation"]) for s in reply["path"]],
                         [("q", "c"), ("p", "b")])
        self.assertIs(reply["alone"], False)
        self.run_steps(contract, reply["path"])

    def test_a_no_says_what_it_covers(self):
        contract = self.write("pairs.tenor", PAIRS)
        reply = self.ask("can p reach A.a2", code=1, contract=contract)
        self.assertEqual(reply["covers"], {"entities": ["A", "B"], "instances": 1, "joint_states": 2,
                                           "facts": "every fact set, at each step its own"})
        text = self.fails(1, "ask", contract, "can p reach A.a2").out
        self.assertIn("all 2 joint states of A, B, one instance of each entity", text)
        waiting = self.write("waiting.tenor", WAITING)
        self.assertEqual(self.ask("can p reach A.a1", code=1, contract=waiting)["covers"]
                         ["instances"], "any")

    def test_a_no_says_what_the_persona_does_instead(self):
        contract = self.write("stuck.tenor", """
            persona p
            persona q
            entity A { states: [a0, a1, a2] initial: a0 transitions: [(a0, a1), (a1, a2)] }
            operation o { allowed_personas: [p] precondition: true effects: [(A, a0, a1)]
              outcomes: [done] error_contract: [] }""")
        self.assertIn("p moves it: a0 -> a1 (o)\n",
                      self.fails(1, "ask", contract, "can p reach A.a2").out)
        self.assertIn("it begins there\n", self.fails(1, "ask", contract, "who can reach A.a0").out)
        self.assertIn("q moves it: nowhere\n",
                      self.fails(1, "ask", contract, "can q reach A.a2").out)
        self.assertIn("q moves it: (not decided whether more)\n",
                      self.fails(1, "ask", "--limit", "reach_states=1", contract,
                                 "can q reach A.a2").out)

    def test_a_bound_met_beside_the_answer_leaves_it_alone(self):
        """`send` could move Big, which has more joint states than are allowed; but it never does,
        and what it needs of A and B is searched whole."""
        big = ["persona r"]
        for name in ("Big", "Bag"):
            big.append(f"entity {name} {{ states: [b0, b1, b2, b3] initial: b0 "
                       "transitions: [(b0, b1), (b1, b2), (b2, b0), (b3, b0)] }")
            big.append(f"operation on{name} {{ allowed_personas: [r] precondition: true effects: "
                       f"[({name}, b0, b1), ({name}, b1, b2)] outcomes: [x] error_contract: [] }}")
        big.append("operation back { allowed_personas: [r] precondition: true effects: "
                   "[(Big, b2, b0), (Bag, b2, b0)] outcomes: [x] error_contract: [] }")
        big.append("operation send { allowed_personas: [p] precondition: true effects: "
                   "[(Big, b3, b0, k), (A, a1, a2, l), (B, b0, b1, l)] "
                   "outcomes: [k, l] error_contract: [] }")
        contract = self.write("c.tenor", PAIRS + "\n".join(big))
        reply = self.ask("can p perform send", "--limit", "reach_states=4", code=1,
                         contract=contract)
        self.assertEqual((reply["reply"], reply.get("undecided")), ("no", None))
        self.assertEqual((reply["covers"]["entities"], reply["covers"]["joint_states"]),
                         (["A", "B"], 2))
        self.assertIn("not decided whether more",
                      self.fails(1, "ask", "--limit", "reach_states=4", contract,
                                 "can p perform send").out)

    def test_more_instances_are_asked_for(self):
        contract = self.write("pairs.tenor", PAIRS)
        reply = self.ask("can p reach A.a2 with 2 instances", code=0, contract=contract)
        self.assertEqual([[(c["entity"], c["instance"]) for c in s["changes"]]
                          for s in reply["path"]],
                         [[("A", "1"), ("B", "1")], [("A", "1"), ("B", "2")]])
        self.assertEqual(reply["covers"]["instances"], 2)
        self.ask("can p reach A.a2 with 1 instance", code=1, contract=contract)
        self.ask("can p reach A.a2 with 9 instances", code=0, contract=contract)
        for bad in ["with 0 instances", "with 10 instances", "with many instances", "with 2"]:
            self.assertIn("expected", self.fails(2, "ask", contract, "can p reach A.a2 " + bad).err)

    def test_an_outcome_is_named_where_several_match(self):
        contract = self.write("several.tenor", """
            persona p
            entity A { states: [a0, a1, a2] initial: a0 transitions: [(a0, a1), (a0, a2)] }
            operation o { allowed_personas: [p] precondition: true
              effects: [(A, a0, a1, k), (A, a0, a2, l)] outcomes: [k, l] error_contract: [] }""")
        reply = self.ask("can p reach A.a2", code=0, contract=contract)
        self.assertEqual([(s["outcome"], s["named"]) for s in reply["path"]], [("l", True)])
        self.run_steps(contract, reply["path"])
        self.assertIn("naming outcome l", self.holds("ask", contract, "can p reach A.a2").out)

    def test_an_operation_that_moves_nothing_can_be_performed(self):
        contract = self.write("nothing.tenor", """
            persona p
            persona q
            operation o { allowed_personas: [p] precondition: true effects: []
              outcomes: [done] error_contract: [] }""")
        self.run_steps(contract, self.ask("can p perform o", code=0, contract=contract)["path"])
        self.assertEqual(self.ask("can q perform o", code=1, contract=contract)["personas"], ["p"])

    def counter(self, digits):
        """So many entities of two states, and a switch that needs all of them on."""
        names = [f"B{i}" for i in range(digits)]
        text = ["persona p", "entity Goal { states: [no, yes] initial: no transitions: [(no, yes)] }"]
        for name in names:
            text.append(f"entity {name} {{ states: [off, on] initial: off "
                        "transitions: [(off, on), (on, off)] }")
            text.append(f"operation flip_{name} {{ allowed_personas: [p] precondition: true effects: "
                        f"[({name}, off, on), ({name}, on, off)] outcomes: [done] error_contract: [] }}")
        wanted = ", ".join(f"({name}, on, off)" for name in names)
        # No operation moves Z.
        text.append("entity Z { states: [z0, z1, z2] initial: z0 transitions: [(z0, z1), (z1, z2)] }")
        text.append(f"operation end {{ allowed_personas: [p] precondition: true effects: "
                    f"[(Goal, no, yes), {wanted}] outcomes: [done] error_contract: [] }}")
        return self.write("counter.tenor", "\n".join(text))

    def test_the_limit_of_joint_states_is_met_and_said(self):
        contract = self.counter(4)
        question = "can p move Goal from no to yes"
        reply = self.ask(question, code=0, contract=contract)
        self.assertEqual(len(reply["path"]), 5)
        self.run_steps(contract, reply["path"])
        # The switches have sixteen combinations, and the last is the one that is needed.
        for limit, code, reply in [(16, 0, "yes"), (15, 1, "unknown")]:
            with self.subTest(limit):
                got = self.ask(question, "--limit", f"reach_states={limit}", code=code,
                               contract=contract)
                self.assertEqual(got["reply"], reply)
        self.assertIn("reach_states 15", got["reason"])
        self.assertTrue(self.fails(1, "ask", "--limit", "reach_states=15", contract, question)
                        .out.startswith("unknown: "))

    def test_many_joint_states_end_with_an_answer(self):
        contract = self.counter(40)
        reply = self.ask("can p reach Goal.yes", "--limit", "reach_states=2000", code=1,
                         contract=contract)
        self.assertEqual((reply["reply"], reply["proof"]), ("unknown", "none"))
        # What no operation leads to needs no search.
        self.assertEqual(self.ask("can p reach Z.z1", code=1, contract=contract)["proof"], "proven")

    def test_whether_alone_is_left_open_where_the_bound_is_met(self):
        """q is of help at once; p alone needs six steps more."""
        states = [f"l{i}" for i in range(7)]
        pairs = list(zip(states, states[1:]))
        contract = self.write("c.tenor", f"""
            persona p
            persona q
            entity L {{ states: [{", ".join(states)}] initial: l0
              transitions: [{", ".join(f"({a}, {b})" for a, b in pairs)}] }}
            entity K {{ states: [k0, k1] initial: k0 transitions: [(k0, k1), (k1, k0)] }}
            entity E {{ states: [a, b] initial: a transitions: [(a, b)] }}
            operation step {{ allowed_personas: [p] precondition: true outcomes: [x]
              effects: [{", ".join(f"(L, {a}, {b})" for a, b in pairs[:-1])}] error_contract: [] }}
            operation own {{ allowed_personas: [p] precondition: true outcomes: [x]
              effects: [(L, l5, l6), (K, k0, k1)] error_contract: [] }}
            operation help {{ allowed_personas: [q] precondition: true outcomes: [x]
              effects: [(K, k0, k1)] error_contract: [] }}
            operation end {{ allowed_personas: [p] precondition: true outcomes: [x]
              effects: [(E, a, b), (K, k1, k0)] error_contract: [] }}""")
        question = "can p reach E.b"
        self.assertIs(self.ask(question, code=0, contract=contract)["alone"], True)
        few = ("--limit", "reach_states=4")
        for asked in (question, "who can reach E.b"):
            reply = self.ask(asked, *few, code=0, contract=contract)
            self.assertNotIn("alone", reply.get("ways", [reply])[0])
            self.assertIn("whether alone is not decided",
                          self.holds("ask", *few, contract, asked).out)

    def test_the_bound_of_work_is_met_and_said(self):
        """As many states as are allowed, and as many operations to look at in each."""
        states = [f"s{i}" for i in range(800)]
        pairs = list(zip(states, states[1:]))
        text = ["persona p", f"entity E {{ states: [{', '.join(states)}] initial: s0 transitions: "
                f"[{', '.join(f'({a}, {b})' for a, b in pairs)}] }}"]
        text += [f"operation to_{b} {{ allowed_personas: [p] precondition: true "
                 f"effects: [(E, {a}, {b})] outcomes: [x] error_contract: [] }}" for a, b in pairs]
        contract = self.write("c.tenor", "\n".join(text))
        reply = self.ask("can p reach E.s799", "--limit", "reach_states=800", code=1,
                         contract=contract)
        self.assertEqual((reply["reply"], reply["proof"]), ("unknown", "none"))
        self.ask("can p reach E.s799", code=0, contract=contract)

    def test_an_operation_that_moves_too_many_entities_is_not_decided(self):
        def wide(count):
            names = [f"E{i}" for i in range(count)]
            text = ["persona p"] + [f"entity {e} {{ states: [a, b] initial: a "
                                    "transitions: [(a, b)] }" for e in names]
            text.append("operation o { allowed_personas: [p] precondition: true effects: "
                        f"[{', '.join(f'({e}, a, b)' for e in names)}] outcomes: [x] "
                        "error_contract: [] }")
            return self.write("c.tenor", "\n".join(text))

        self.ask("can p perform o", code=0, contract=wide(1000))
        reply = self.ask("can p perform o", code=1, contract=wide(1001))
        self.assertEqual((reply["reply"], reply["proof"]), ("unknown", "none"))
        self.assertIn("more than 1000 entities", reply["reason"])


class Runs(Case):
    """Questions about runs: one of each kind by hand; test_invariants.py has the random ones."""

    def ask(self, contract, question, *options):
        result = self.run_motet("ask", "--json", *options, contract, question)
        self.assertTrue(result.out, repr(result))
        reply = json.loads(result.out)
        self.assertEqual(result.code, 0 if reply["reply"] == "yes" else 1)
        return reply

    def operations(self, reply):
        return [(s["persona"], s["operation"]) for s in reply["path"]]

    def setUp(self):
        super().setUp()
        self.claims = self.write("claims.tenor", CLAIMS)

    def test_invariants_over_states_and_facts(self):
        for question, reply in [("never Claim.paid while Report.none", "yes"),
                                ("never Claim.paid and Claim.open", "yes"),
                                ("never Claim.asked while Report.written", "no"),
                                ("always Report.written or Claim.open", "yes"),
                                ("is Report.written implied by Claim.paid", "yes"),
                                ("is Report.written the same as not Claim.open", "yes"),
                                ("is Claim.asked possible", "yes"),
                                ("can Claim.paid and amount = 7000 hold", "yes"),
                                ("never Claim.paid while amount > 9000", "yes"),
                                ("never reach Claim.paid while fraud", "yes"),
                                ("never reach Claim.asked while fraud", "no"),
                                ("never perform approve while Claim.open or not ok", "yes"),
                                ("never perform refuse", "yes"), ("never move Claim from open to asked", "no")]:
            with self.subTest(question):
                got = self.ask(self.claims, question)
                self.assertEqual(got["reply"], reply)
                self.assertEqual(got["proof"], "proven" if "path" not in got else "trace")

    def test_an_invariant_that_does_not_hold_shows_run_states_and_facts(self):
        got = self.ask(self.claims, "never Claim.paid while amount > 5000 and fraud = true")
        self.assertEqual(self.operations(got), [("clerk", "request"), ("boss", "approve")])
        self.assertEqual(got["states"], {"Claim": {"_default": "paid"},
                                         "Report": {"_default": "written"}})
        self.assertTrue(got["facts"]["amount"] > 5000 and got["facts"]["fraud"])

    def test_order(self):
        for question, reply in [("always request before approve", "yes"),
                                ("always approve before request", "no"),
                                ("always request before Claim.asked", "yes"),
                                ("always Claim.asked before Report.written", "no"),
                                ("always Claim.open before approve", "yes"),
                                ("always approve before Claim.open", "no"),
                                ("always request before refuse", "yes")]:
            with self.subTest(question):
                self.assertEqual(self.ask(self.claims, question)["reply"], reply)

    def test_order_for_each_instance_tells_it_from_the_others(self):
        contract = self.write("borrowed.tenor", BORROWED)
        self.assertEqual(self.ask(contract, "always write before take with 2 instances")["reply"], "yes")
        for words in ["for each E", "for each E with 1 instance"]:
            self.assertEqual(self.ask(contract, "always write before take " + words)["reply"], "yes")
        got = self.ask(contract, "always write before take for each E with 2 instances")
        self.assertEqual(got["reply"], "no")
        self.assertEqual([[(c["entity"], c["instance"]) for c in s["changes"]] for s in got["path"]],
                         [[("E", "2"), ("R", "1")], [("E", "1"), ("R", "1")]])
        got = self.ask(contract, "nobody can both write and take the same E with 2 instances")
        self.assertEqual((got["reply"], got["personas"]), ("yes", []))
        got = self.ask(contract, "nobody can both write and take the same R with 2 instances")
        self.assertEqual((got["reply"], got["personas"]), ("no", ["p"]))

    def test_the_number_of_instances_is_an_option_and_a_word(self):
        contract = self.write("pairs.tenor", PAIRS)
        question = "can p reach A.a2"
        self.assertEqual(self.ask(contract, question)["reply"], "no")
        self.assertEqual(self.ask(contract, question, "--instances", "2")["reply"], "yes")
        self.assertEqual(self.ask(contract, question + " with 1 instance", "--instances", "2")["reply"],
                         "no")
        self.assertEqual(self.ask(contract, question, "--instances", "9")["reply"], "yes")
        for bad in ["0", "10", "x", "-1"]:
            self.fails(2, "ask", contract, question, "--instances", bad)

    def test_progress(self):
        for question, reply in [("from every state a terminal is reachable", "yes"),
                                ("from every state of Claim a terminal is reachable", "yes"),
                                ("from every state Claim.paid is reachable", "yes"),
                                ("from every state Claim.open is reachable", "no"),
                                ("from every state Claim.refused is reachable", "no")]:
            with self.subTest(question):
                self.assertEqual(self.ask(self.claims, question)["reply"], reply)
        got = self.ask(self.claims, "from every state Claim.open is reachable")
        self.assertEqual(self.operations(got), [("clerk", "request")])
        cycle = self.write("cycle.tenor", """
            persona p
            entity A { states: [a, b] initial: a transitions: [(a, b), (b, a), (b, b)] }
            operation o { allowed_personas: [p] precondition: true effects: [(A, a, b), (A, b, a)]
              outcomes: [x] error_contract: [] }""")
        got = self.ask(cycle, "from every state a terminal is reachable")
        self.assertEqual((got["reply"], got["entity"]), ("no", "A"))

    def test_flows(self):
        flow = """
            persona p
            fact l { type: List(element_type: Int(0, 9), max: 3) source: "s" }
            flow %s { snapshot: at_initiation entry: a steps: {
              a: BranchStep { condition: len(l) %s 0 persona: p if_true: b if_false: Terminal(failure) }
              b: BranchStep { condition: l[0] = 3 persona: p if_true: Terminal(success) if_false: Terminal(failure) } } }"""
        good = self.write("good.tenor", flow % ("good", ">"))
        self.assertEqual(self.ask(good, "every flow ends")["reply"], "yes")
        bad = self.write("bad.tenor", flow % ("bad", ">="))
        got = self.ask(bad, "every flow ends")
        self.assertEqual((got["reply"], got["flow"], got["step"], got["facts"]),
                         ("no", "bad", "b", {"l": []}))
        self.assertEqual(self.ask(bad, "flow bad ends")["reply"], "no")
        self.assertIn("did you mean 'bad'", self.fails(2, "ask", bad, "flow bda ends").err)

    def test_a_flow_of_400_steps_is_decided_and_a_longer_one_is_not(self):
        for count, reply, reason in ((400, "yes", ""), (401, "unknown", "f has more than 400 steps")):
            steps = "".join(f"s{i}: HandoffStep {{ from_persona: p to_persona: p next: s{i + 1} }}\n"
                            for i in range(1, count))
            path = self.write("long.tenor", "persona p\nflow f { snapshot: at_initiation entry: s1 steps: { "
                              + steps + f"s{count}: BranchStep {{ condition: true persona: p "
                              "if_true: Terminal(success) if_false: Terminal(failure) } } }")
            got = self.ask(path, "flow f ends")
            self.assertEqual((got["reply"], got.get("reason", "")), (reply, reason), count)

    def test_flows_with_branches_end_where_every_join_leads_on(self):
        bundle = json.loads(self.holds("elaborate", self.write("fork.tenor", FORK)).out)
        flow = next(c for c in bundle["constructs"] if c["kind"] == "Flow")
        both = flow["steps"][0]["join"]
        done = {"kind": "Terminal", "outcome": "done"}
        for kept, reply in (("on_all_success on_any_failure", "yes"), ("on_all_success", "no"),
                            ("on_any_failure", "no"), ("", "no")):
            for more in ({}, {"on_all_complete": done}):
                with self.subTest((kept, more)):
                    flow["steps"][0]["join"] = {k: both[k] for k in kept.split()} | more
                    path = self.write("fork.json", json.dumps(bundle))
                    got = self.ask(path, "every flow ends")
                    self.assertEqual(got["reply"], "yes" if more else reply)
                    self.assertEqual(got["proof"], "proven" if got["reply"] == "yes" else "trace")
        for limit, reply in ((3, "unknown"), (4, "yes")):
            got = self.ask(self.dir / "fork.tenor", "every flow ends", "--limit", f"flow_steps={limit}")
            self.assertEqual(got["reply"], reply)

    def test_duties_and_authority(self):
        self.assertEqual(self.ask(self.claims, "nobody can both request and approve")["reply"], "yes")
        loose = self.write("loose.tenor", CLAIMS.replace("[clerk]", "[clerk, boss]"))
        for question in ["nobody can both request and approve",
                         "nobody can both request and approve the same Claim"]:
            got = self.ask(loose, question)
            self.assertEqual((got["reply"], got["personas"]), ("no", ["boss"]))
            self.assertEqual({s["persona"] for w in got["ways"] for s in w["path"]}, {"boss"})
        got = self.ask(self.claims, "who can cause verdict ok")
        self.assertEqual([s["source"] for s in got["sources"]], ["desk", "bureau"])
        got = self.ask(loose, "what can boss do alone")
        self.assertEqual([o["operation"] for o in got["operations"]], ["approve", "request"])
        self.assertEqual(got["reached"], {"Claim": ["asked", "paid"], "Report": ["written"]})
        self.assertEqual(self.ask(self.claims, "what can boss do alone")["reply"], "no")

    def test_a_source_that_makes_no_difference_is_proven_so(self):
        contract = self.write("same.tenor", """
            fact a { type: Bool source: "one" }
            fact b { type: Bool source: "two" }
            rule r { stratum: 0 when: a = true and (b = true or not (b = true))
              produce: verdict v { payload: Bool = true } }
            rule always { stratum: 0 when: b = true or not (b = true)
              produce: verdict w { payload: Bool = true } }""")
        got = self.ask(contract, "who can cause v")
        self.assertEqual(([s["source"] for s in got["sources"]], got["cannot"]), (["one"], ["two"]))
        got = self.ask(contract, "who can cause w")
        self.assertEqual((got["reply"], got["proof"], got["cannot"]), ("no", "proven", ["one", "two"]))

    def test_why_not_names_the_least_in_the_way(self):
        for question, obstacles in [
                ("can clerk reach Claim.paid", [{"kind": "persona", "operation": "approve",
                                                 "persona": "clerk"}]),
                ("can boss reach Claim.refused", [{"kind": "precondition", "operation": "refuse"}]),
                ("can clerk reach Claim.refused", [{"entity": "Claim", "from": "open",
                                                    "kind": "transition", "to": "refused"}]),
                ("can Claim.refused and Report.written hold", [
                    {"kind": "precondition", "operation": "refuse"},
                    {"entity": "Report", "from": "none", "kind": "transition", "to": "written"}])]:
            with self.subTest(question):
                got = self.ask(self.claims, "why not " + question)
                self.assertEqual((got["reply"], got["obstacles"]), ("no", obstacles))
        got = self.ask(self.claims, "why not can ok and amount > 6000 and fraud = false hold")
        self.assertEqual(got["conflict"], ["amount < 5000", "amount > 6000"])
        self.assertEqual(self.ask(self.claims, "why not can boss reach Claim.paid")["reply"], "yes")
        # What is shown shows it.
        got = self.ask(self.claims, "why not never Claim.paid")
        self.assertIn("path", got)
        self.assertNotIn("obstacles", got)

    def test_what_excludes_each_other_is_written_without_a_not_around_it(self):
        contract = self.write("payloads.tenor", PAYLOADS)
        for question, conflict in (
                ("some and not some", ["exists k in ns . k > 5", "forall k in ns . k <= 5"]),
                ("all and not all", ["forall k in ns . k > 5", "exists k in ns . k <= 5"]),
                ("ends and not ends", ["forall k in ns . k > 5 or k < 2", "not (forall k in ns . k > 5 or k < 2)"])):
            with self.subTest(question):
                self.assertEqual(self.ask(contract, f"why not can {question} hold")["conflict"], conflict)

    def test_more_than_three_obstacles_are_counted_no_further(self):
        def far(steps):
            states = [f"s{i}" for i in range(steps + 1)]
            return self.write("far.tenor", f"""
                persona p
                entity A {{ states: [{", ".join(states)}] initial: s0
                  transitions: [{", ".join(f"({a}, {b})" for a, b in zip(states, states[1:]))}] }}""")
        got = self.ask(far(3), "why not can p reach A.s3")
        self.assertEqual(len(got["obstacles"]), 3)
        self.assertNotIn("obstacles", self.ask(far(4), "why not can p reach A.s4"))
        self.assertIn("more than three things", self.fails(1, "ask", far(4),
                                                           "why not can p reach A.s4").out)

    def test_a_limit_leaves_every_kind_open(self):
        for question in ["never Claim.paid", "always Claim.open or Claim.asked or Claim.paid",
                         "never reach Claim.paid while not ok", "always request before approve",
                         "nobody can both approve and request the same Claim",
                         "from every state a terminal is reachable"]:
            loose = self.write("loose.tenor", CLAIMS.replace("[clerk]", "[clerk, boss]"))
            with self.subTest(question):
                got = self.ask(loose, question, "--limit", "reach_states=1")
                if question == "always request before approve":
                    self.assertEqual(got["reply"], "yes")  # without request there is one state
                    continue
                self.assertEqual((got["reply"], got["proof"]), ("unknown", "none"))
                self.assertIn("reach_states 1", got["reason"])
        got = self.ask(self.claims, "never Claim.paid", "--limit", "prove_steps=1")
        self.assertEqual(got["reply"], "unknown")
        self.assertIn("prove_steps 1", got["reason"])

    def test_states_in_one_question_are_bounded(self):
        states = ", ".join(f"s{i}" for i in range(70))
        contract = self.write("wide.tenor", f"""
            persona p
            entity A {{ states: [{states}] initial: s0 transitions: [(s0, s1)] }}""")
        def question(count):
            return "never " + " or ".join(f"A.s{i}" for i in range(1, count + 1))
        self.assertEqual(self.ask(contract, question(64))["reply"], "yes")
        self.assertIn("more than 64 states", self.fails(2, "ask", contract, question(65)).err)

    def test_wrong_questions_get_the_nearest_right_one(self):
        for question, word in [
                ("nevr Claim.paid", "did you mean: never CONDITION"),
                ("can clerk rech Claim.paid", "did you mean: can PERSONA GOAL"),
                ("always approve befor request", "did you mean: always EVENT before EVENT"),
                ("nobody can booth request and approve", "did you mean: nobody can both"),
                ("from every state a terminal is reachabel", "did you mean: from every state"),
                ("can clerc reach Claim.paid", "no persona 'clerc'; did you mean 'clerk'?"),
                ("can clerk reach Clam.paid", "no entity 'Clam'; did you mean 'Claim'?"),
                ("never Claim.payd", "Claim has no state 'payd'; did you mean 'paid'?"),
                ("can clerk perform aprove", "no operation 'aprove'; did you mean 'approve'?"),
                ("is okk possible", "did you mean 'ok'?"),
                ("who can cause okk", "no verdict 'okk'; did you mean 'ok'?"),
                ("nobody can both approve and approve", "two different operations"),
                ("nobody can both approve and request the same Report", "approve does not move Report"),
                ("always approve before request for each Report", "approve does not move Report"),
                ("what can anyone do alone", "one persona"),
                ("from every state ok is reachable", "only states"),
                ("when is Claim.paid", "facts alone"), ("why", "'not'"),
                ("why not why not never ok", "got 'why'"),
                ("every flow ends with 2 instances", "too much"),
                ("something else", "motet ask --help")]:
            with self.subTest(question):
                self.assertIn(word, self.fails(2, "ask", self.claims, question).err)

    def test_help_lists_every_question_with_an_example_that_is_understood(self):
        lines = self.holds("ask", "--help").out.split("\nQuestions:\n")[1].split("\n\n")[0].split("\n")
        self.assertEqual(len(lines) % 3, 0)
        for text, example in zip(lines[::3], lines[2::3]):
            with self.subTest(text):
                result = self.run_motet("ask", ESCROW, example.strip())
                self.assertIn(result.code, (0, 1), repr(result))

    def test_names_that_are_facts_and_entities(self):
        contract = self.write("both.tenor", """
            persona p
            type Order { paid: Bool }
            fact order { type: Order source: "s" }
            fact Slot { type: Bool source: "s" }
            entity order { states: [open, paid] initial: open transitions: [(open, paid)] }
            entity Slot { states: [free, used] initial: free transitions: [(free, used)] }""")
        # A field wins over a state, a state over nothing.
        self.assertEqual(self.ask(contract, "is order.paid possible")["proof"], "facts")
        self.assertEqual(self.ask(contract, "is order.open possible")["proof"], "trace")
        self.assertEqual(self.ask(contract, "is Slot.used possible")["reply"], "no")
        self.assertEqual(self.ask(contract, "is Slot possible")["proof"], "facts")


class Systems(Case):
    """Members are asked about as one."""
    TRADE = SOURCE / "examples" / "trade_platform" / "trade_platform.tenor"

    ask = Runs.ask

    def system(self, first, second, more=""):
        self.write("a.tenor", first)
        self.write("b.tenor", second)
        return self.write("s.tenor", """system s { members: [a: "a.tenor", b: "b.tenor"]
            shared_personas: [{ persona: p, contracts: [a, b] }]
            shared_entities: [{ entity: S, contracts: [a, b] }] %s }""" % more)

    A = """persona p
        persona q
        fact n { type: Int(0, 9) source: "s" }
        entity S { states: [s0, s1, s2] initial: s0 transitions: [(s0, s1)] }
        operation go { allowed_personas: [q] precondition: n > 3 effects: [(S, s0, s1)] outcomes: [x] error_contract: [] }"""
    B = """persona p
        persona q
        fact n { type: Int(0, 9) source: "s" }
        entity S { states: [s2, s1, s0] initial: s0 transitions: [(s1, s2)] }
        operation go { allowed_personas: [p] precondition: n < 3 effects: [(S, s1, s2)] outcomes: [x] error_contract: [] }"""

    def test_a_shared_entity_goes_through_both_members(self):
        system = self.system(self.A, self.B)
        got = self.ask(system, "can p reach S.s2")
        self.assertEqual([(s["member"], s["operation"], s["persona"]) for s in got["path"]],
                         [("a", "go", "a.q"), ("b", "go", "p")])
        self.assertEqual([c["to"] for s in got["path"] for c in s["changes"]], ["s1", "s2"])
        self.assertTrue(got["path"][0]["facts"]["n"] > 3 and got["path"][1]["facts"]["n"] < 3)
        self.assertEqual(self.ask(system, "always a.go before b.go")["reply"], "yes")
        self.assertEqual(self.ask(system, "can a.q perform b.go")["reply"], "no")

    def test_names_of_several_members_need_one(self):
        system = self.system(self.A, self.B)
        for question, word in [("can p perform go", "both a and b have operation 'go'"),
                               ("can q reach S.s1", "both a and b have persona 'q'"),
                               ("can a.n > 3 and b.n > 3 hold", "facts are those of one member"),
                               ("can n > 3 hold", "both a and b have fact 'n'")]:
            with self.subTest(question):
                self.assertIn(word, self.fails(2, "ask", system, question).err)
        self.assertEqual(self.ask(system, "can a.n > 3 hold")["facts"], {"n": 4})

    def test_members_that_begin_differently_are_not_decided(self):
        system = self.system(self.A, self.B.replace("initial: s0", "initial: s1"))
        got = self.ask(system, "can p reach S.s2")
        self.assertEqual(got["reply"], "unknown")
        self.assertIn("begin S in different states", got["reason"])
        self.assertEqual(self.ask(system, "can a.n > 3 hold")["reply"], "yes")

    def test_a_bundle_finds_its_members_beside_it(self):
        self.system(self.A, self.B)
        bundle = self.write("s.json", self.holds("elaborate", self.dir / "s.tenor").out)
        self.assertEqual(self.ask(bundle, "can p reach S.s2"),
                         self.ask(self.dir / "s.tenor", "can p reach S.s2"))

    def test_what_triggers_do_for_a_persona_is_not_called_out_of_its_reach(self):
        """admin ends the order flow by itself; then shipment_flow packs as warehouse_ops."""
        got = self.ask(self.TRADE, "what can admin do alone")
        self.assertEqual(got["undecided"], ["fulfillment.pack", "fulfillment.ship"])
        self.assertIn("triggers", got["reason"])
        got = self.ask(self.TRADE, "what can warehouse_ops do alone")
        self.assertNotIn("undecided", got)

    def test_conditions_of_one_member_and_states_of_all(self):
        got = self.ask(self.TRADE, "never reach Order.shipped while not parcel_accepted")
        self.assertEqual(got["reply"], "yes")
        got = self.ask(self.TRADE, "never reach Order.shipped while not order_payable")
        self.assertEqual(got["reply"], "no")
        self.assertIn("facts", got)


main()
