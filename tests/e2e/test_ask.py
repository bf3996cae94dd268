"""motet ask: questions, and every fact set shown confirmed by motet eval."""
import json

from harness import SOURCE, Case, main

ESCROW = SOURCE / "examples" / "escrow" / "escrow.tenor"


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
        for question, word in [("", "can, who, when or is"), ("why", "can, who"),
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


main()
