"""motet ask: questions, and every fact set shown confirmed by motet eval."""
import json

from harness import SOURCE, Case, main

ESCROW = SOURCE / "examples" / "escrow" / "escrow.tenor"


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

    def test_bad_questions_name_the_place(self):
        for question, word in [("", "can, who, when or is"), ("why", "can, who"),
                               ("can nobody reach EscrowAccount.held", "persona"),
                               ("can buyer reach Escrow.held", "entity"),
                               ("can buyer reach EscrowAccount.lost", "state"),
                               ("when is nothing", "nothing"),
                               ("is escrow_amount possible", "compare it"),
                               ("is delivery_status = 3 possible", "no value"),
                               ("is delivery_status < \"failed\" possible", "not defined"),
                               ("is release_approved", "expected"),
                               ("is release_approved possible now", "too much"),
                               ("is $ possible", "no part"), ("is \"open possible", "no part"),
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


main()
