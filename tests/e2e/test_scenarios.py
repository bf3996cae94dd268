"""motet test: properties, names with their place, coverage as text, JSON and a page."""
import html.parser
import json
import re

from harness import Case, main

LOAN = """persona clerk
fact score { type: Int(min: 300, max: 850) source: "bureau.score" }
fact amount { type: Money("EUR") source: "desk.amount" }
fact employed { type: Bool source: "desk.employed" }
fact parts {
  type: List(element_type: Record { share: Int(min: 0, max: 100), name: Text(max_length: 9) }, max: 5)
  source: "desk.parts"
  default: []
}
entity Loan { states: [asked, paid, refused] initial: asked transitions: [(asked, paid), (asked, refused)] }
rule good {
  stratum: 0
  when: score >= 640 and amount <= Money { amount: "20000.00", currency: "EUR" }
  produce: verdict is_good { payload: Bool = true }
}
operation pay {
  allowed_personas: [clerk]
  precondition: verdict_present(is_good)
  effects: [(Loan, asked, paid)]
  outcomes: [paid]
  error_contract: [precondition_failed, persona_rejected]
}
operation refuse {
  allowed_personas: [clerk]
  precondition: not verdict_present(is_good)
  effects: [(Loan, asked, refused)]
  outcomes: [refused]
  error_contract: [precondition_failed, persona_rejected]
}
flow decide { snapshot: at_initiation entry: s1 steps: {
  s1: BranchStep { condition: verdict_present(is_good) persona: clerk if_true: s2 if_false: s3 }
  s2: OperationStep { op: pay persona: clerk outcomes: { paid: Terminal(success) } on_failure: Terminate(outcome: failure) }
  s3: OperationStep { op: refuse persona: clerk outcomes: { refused: Terminal(success) } on_failure: Terminate(outcome: failure) }
} }
"""


# A text, a choice and two entities, to be made up and made simpler.
WORDS = """persona clerk
fact kind { type: Enum(values: ["red", "green", "blue"]) source: "a.b" }
fact word { type: Text(max_length: 9) source: "a.b" }
fact sky { type: Text(max_length: 9) source: "a.b" default: "" }
entity Bin { states: [x, y, z] initial: x transitions: [(x, y), (y, z)] }
fact n { type: Int(0, 99) source: "a.b" default: 1 }
entity Doc { states: [draft, sent, done] initial: draft transitions: [(draft, sent), (sent, done)] }
rule seen { stratum: 0 when: kind != "red" and word != "" produce: verdict odd { payload: Bool = true } }
rule late { stratum: 0 when: kind = "blue" produce: verdict blue { payload: Bool = true } }
rule any { stratum: 0 when: n > 3 produce: verdict more { payload: Bool = true } }
operation send { personas: [clerk] require: verdict_present(odd) effects: [Doc: draft -> sent] outcomes: [sent] error_contract: [precondition_failed] }
operation end { personas: [clerk] require: not verdict_present(more) effects: [Doc: sent -> done] outcomes: [ended] error_contract: [precondition_failed] }
flow f { snapshot: at_initiation entry: one steps: {
  one: OperationStep { op: send persona: clerk outcomes: { sent: two } on_failure: Terminate(outcome: failure) }
  two: OperationStep { op: end persona: clerk outcomes: { ended: Terminal(success) } on_failure: Terminate(outcome: failure) } } }
"""


class ScenarioCase(Case):
    def scenarios(self, text, contract=LOAN):
        self.write("loan.tenor", contract)
        return self.write("loan.scenarios.yaml", "scenarios:\n" + text)


class Names(ScenarioCase):
    def test_no_name_is_taken_for_a_result(self):
        """A reader of TAP sees as many lines that begin a result as there are cases, none of them
        with a directive, and a terminal no command."""
        path = self.scenarios(r"""
  - name: "one\nok 7 - made up \e[31m"
    given: {facts: {score: 1000}}
    then: {present: [is_good]}
  - name: "two # TODO later"
    given: {facts: {score: 700, amount: {amount: "1.00", currency: EUR}, employed: true}}
    then: {outcome: "x\nok 9 - made up"}
  - name: 'a back\slash # SKIP'
    given: {facts: {score: 700, amount: {amount: "1.00", currency: EUR}, employed: true}}
    then: {present: [is_good]}
""")
        run = self.fails(1, "test", path)
        results = [l for l in run.out.split("\n") if re.match(r"(not )?ok\b", l)]
        self.assertEqual([l.split(" - ")[0] for l in results], ["not ok 1", "not ok 2", "ok 3"])
        self.assertNotRegex("\n".join(results), r"(?<!\\)#")
        self.assertTrue(results[2].endswith(r"a back\\slash \# SKIP"), results[2])
        self.assertNotIn("\x1b", run.out)


class Properties(ScenarioCase):
    def facts_of(self, out):
        return json.loads(re.search(r"# facts: (.*)\n", out).group(1))

    def test_what_holds_for_all_facts_passes_and_says_how_much_was_tried(self):
        path = self.scenarios("""
  - name: good means a score
    for_all: facts
    assert: [not verdict_present(is_good) or score >= 640]
""")
        out = self.holds("test", path).out
        self.assertIn("ok 1 - loan.scenarios.yaml: good means a score\n  # 100 cases, seed 1\n", out)
        out = self.holds("test", path, "--cases", "250", "--seed", "9").out
        self.assertIn("  # 250 cases, seed 9\n", out)
        data = json.loads(self.holds("test", path, "--json").out)
        self.assertEqual(data["cases"][0]["note"], "100 cases, seed 1")

    def test_a_counterexample_is_as_small_as_it_can_be(self):
        path = self.scenarios("""
  - name: one cent too much
    for_all: {cases: 1000, seed: 7}
    assert:
      - 'not verdict_present(is_good) or amount < Money { amount: "20000.00", currency: "EUR" }'
""")
        out = self.fails(1, "test", path).out
        self.assertEqual(self.facts_of(out), {
            "amount": {"amount": "20000.00", "currency": "EUR"}, "employed": False, "parts": [],
            "score": 640})
        self.assertRegex(out, fr"# {path}:4:14: case \d+ of 1000 does not hold \(seed 7\)")
        self.assertIn(f"# {path}:6:9: assert does not hold: not verdict_present(is_good)", out)
        self.assertEqual(out, self.fails(1, "test", path).out)  # the same seed, the same bytes

    def test_lists_shrink_to_the_element_that_matters(self):
        path = self.scenarios("""
  - name: no large part
    for_all: facts
    assert: [forall p in parts . p.share <= 60]
""")
        facts = self.facts_of(self.fails(1, "test", path).out)
        self.assertEqual(facts["parts"], [{"name": "", "share": 61}])
        self.assertEqual(facts["amount"], {"amount": "0.00", "currency": "EUR"})

    def test_texts_choices_and_states_shrink(self):
        path = self.scenarios("""
  - name: nothing is odd
    for_all: {cases: 300, seed: 3}
    assert: [not verdict_present(odd)]
  - name: nothing is blue
    for_all: {cases: 300, seed: 3}
    assert: [not verdict_present(blue)]
  - name: everything is sent
    given: {states: {Doc: sent}, facts: {kind: green, word: x}}
    for_all: {states: true, cases: 20}
    when: {operation: send, persona: clerk}
    assert: [outcome = "sent"]
  - name: no bin is full
    for_all: {states: true, cases: 50}
    assert: ['Bin.state != "z"']
""", WORDS)
        out = self.fails(1, "test", path, "--record", "new.json").out
        odd, blue, sent, full = (part for part in re.split(r"(?m)^not ok ", out)[1:])
        facts = self.facts_of(odd)
        self.assertEqual((facts["kind"], facts["n"], facts["sky"], len(facts["word"])), ("green", 0, "", 1))
        self.assertEqual(self.facts_of(blue), {"kind": "blue", "n": 0, "sky": "", "word": ""})
        self.assertEqual(self.facts_of(sent), {"n": 0, "sky": ""})
        self.assertIn("state of Bin: x\n", sent)
        self.assertNotIn("state of Doc", sent)
        self.assertIn("(invalid_source_state)", sent)
        self.assertIn("state of Bin: z\n", full)
        self.assertIn("state of Doc: draft\n", full)
        recorded = json.loads((self.dir / "new.json").read_text())["scenarios"]
        self.assertEqual(recorded[2]["given"]["states"], {"Doc": "sent", "Bin": "x"})

    def test_what_is_bound_is_recorded_and_a_file_needs_scenarios(self):
        path = self.scenarios("""
  - name: bound
    given: {facts: {kind: green, word: x}, states: {Doc: {d1: draft, d2: sent}}, bind: {Doc: d1}}
    when: {flow: f, persona: clerk}
    then: {outcome: success, states: {Doc: {d1: done, d2: sent}}, steps: [one=sent, two=ended]}
  - name: bound wrongly
    given: {facts: {kind: green, word: x}, states: {Doc: {d1: draft}}, bind: [d1]}
    when: {flow: f, persona: clerk}
    then: {outcome: success}
""", WORDS)
        out = self.fails(1, "test", path, "--record", "new.json").out
        self.assertIn("\nok 1 - ", out)
        self.assertIn("error: bindings must be an object, not array (type)", out)
        recorded, = json.loads((self.dir / "new.json").read_text())["scenarios"]
        self.assertEqual(recorded["given"]["bind"], ["d1"])
        empty = self.write("empty.scenarios.yaml", "contract: loan.tenor\n")
        self.assertIn(f"{empty}:1:1: `scenarios` is missing", self.fails(1, "test", empty).out)

    def test_the_counterexample_is_a_fact_set_that_eval_takes_and_record_writes(self):
        path = self.scenarios("""
  - name: nobody is good
    for_all: facts
    then: {absent: [is_good]}
""")
        out = self.fails(1, "test", path, "--record", "new.json").out
        facts = self.write("facts.json", json.dumps(self.facts_of(out)))
        self.assertIn("[is_good]", self.holds("eval", self.dir / "loan.tenor", "--facts", facts).out)
        recorded = json.loads((self.dir / "new.json").read_text())["scenarios"][0]
        self.assertEqual(recorded["given"]["facts"], self.facts_of(out))
        self.assertEqual(recorded["then"]["verdicts"], ["is_good"])
        (self.dir / "loan.scenarios.yaml").unlink()
        again = self.write("loan.scenarios.json", json.dumps({"scenarios": [recorded]}))
        self.holds("test", again)

    def test_facts_that_the_scenario_gives_are_not_made_up(self):
        path = self.scenarios("""
  - name: with this score nobody is good
    given: {facts: {score: 639}}
    for_all: {cases: 500}
    then: {absent: [is_good]}
""")
        self.holds("test", path)

    def test_what_the_file_shares_is_an_example_and_does_not_bind_a_property(self):
        self.write("loan.tenor", LOAN)
        path = self.write("loan.scenarios.yaml", """given: {facts: {score: 639}}
scenarios:
  - name: nobody is good
    for_all: facts
    then: {absent: [is_good]}
""")
        self.assertGreaterEqual(self.facts_of(self.fails(1, "test", path).out)["score"], 640)

    def test_outcomes_states_and_errors_can_be_asserted(self):
        path = self.scenarios("""
  - name: the flow pays the good alone
    for_all: {where: score > 500, cases: 200}
    when: {persona: clerk, flow: decide}
    then: {outcome: success}
    assert:
      - verdict_present(is_good) and Loan.state = "paid" or not verdict_present(is_good) and Loan.state = "refused"
  - name: an error leaves everything as it was
    for_all: {states: true}
    when: {persona: clerk, operation: pay}
    assert:
      - error = "" and outcome = "paid" and Loan.state = "paid" or error != "" and outcome = ""
  - name: an error nobody speaks of fails
    for_all: facts
    when: {persona: clerk, operation: pay}
    assert: [score >= 300]
  - name: only an operation refused for its precondition is an error
    for_all: facts
    when: {persona: clerk, operation: pay}
    assert: ['error = "" or error = "precondition_failed"']
""")
        out = self.fails(1, "test", path).out
        for n, good in ((1, True), (2, True), (3, False), (4, True)):
            self.assertIn(f"\n{'ok' if good else 'not ok'} {n} - ", "\n" + out)
        self.assertIn("(precondition_failed)", out)

    def test_where_that_is_never_true_is_told(self):
        path = self.scenarios("""
  - name: nothing to try
    for_all: {where: score > 850}
    assert: [score > 0]
""")
        self.assertIn(f"{path}:4:22: only 0 cases were found that `where` wants, of 100",
                      self.fails(1, "test", path).out)

    def test_a_plain_scenario_may_assert_too(self):
        text = """
  - name: one case
    given: {facts: {score: 700, amount: {amount: "5.00", currency: EUR}, employed: true}}
    when: {persona: clerk, flow: decide}
    assert: ['Loan.state = "%s"', 'outcome = "success"']
"""
        self.holds("test", self.scenarios(text % "paid"))
        out = self.fails(1, "test", self.scenarios(text % "refused")).out
        self.assertIn('assert does not hold: Loan.state = "refused"', out)

    def test_a_fact_called_outcome_is_the_fact(self):
        path = self.scenarios("""
  - name: the fact
    given: {facts: {score: 700, outcome: 3, amount: {amount: "5.00", currency: EUR}, employed: true}}
    assert: [outcome = 3]
""", LOAN + 'fact outcome { type: Int(min: 0, max: 9) source: "a.b" }\n')
        self.holds("test", path)

    def test_bundles_can_be_asserted_about(self):
        source = self.write("loan.tenor", LOAN)
        self.write("loan.json", self.holds("elaborate", source).out)
        path = self.write("other.scenarios.yaml", """contract: loan.json
scenarios:
  - name: good means a score
    for_all: facts
    assert: [not verdict_present(is_good) or score >= 640]
""")
        self.holds("test", path)

    def test_every_difference_is_told_with_what_was_got(self):
        path = self.scenarios("""
  - name: as it goes
    given: {facts: {kind: green, word: x}}
    when: {flow: f, persona: clerk}
    then: {steps: [one, two=ended], states: {Doc: done, Bin: {_default: x}}, outcome: success, verdicts: [odd],
           payloads: {odd: true}}
  - name: other steps
    given: {facts: {kind: green, word: x}}
    when: {flow: f, persona: clerk}
    then: {steps: [two, two=failed]}
  - name: too few and too many
    given: {facts: {kind: green, word: x}}
    when: {flow: f, persona: clerk}
    then: {steps: [one=sent]}
  - name: too many
    given: {facts: {kind: green, word: x}}
    when: {flow: f, persona: clerk}
    then: {steps: [one, two, one, two=sent]}
  - name: other ends
    given: {facts: {kind: green, word: x}, states: {Doc: {a: draft, b: done}}, bind: {Doc: a}}
    when: {flow: f, persona: clerk}
    then: {outcome: failure, states: {Doc: {a: sent, b: done, c: draft}, Bin: z}, error: nothing like it}
  - name: other verdicts
    given: {facts: {kind: blue, word: x}}
    then: {verdicts: [odd, more], present: [blue, more], absent: [odd, more],
           payloads: {odd: false, blue: true, more: true}}
""", WORDS)
        self.assertEqual(self.fails(1, "test", path).out.replace(f"{self.dir}/", ""), """\
TAP version 14
1..6
ok 1 - loan.scenarios.yaml: as it goes
not ok 2 - loan.scenarios.yaml: other steps
  # loan.scenarios.yaml:11:20: step 1: expected two, got one=sent
  # loan.scenarios.yaml:11:25: step 2: expected two=failed, got two=ended
not ok 3 - loan.scenarios.yaml: too few and too many
  # loan.scenarios.yaml:15:19: step 2: expected no further step, got two=ended
not ok 4 - loan.scenarios.yaml: too many
  # loan.scenarios.yaml:19:30: step 3: expected one, got nothing
  # loan.scenarios.yaml:19:35: step 4: expected two=sent, got nothing
not ok 5 - loan.scenarios.yaml: other ends
  # loan.scenarios.yaml:23:90: error: expected nothing like it, got nothing
  # loan.scenarios.yaml:23:21: outcome: expected failure, got success
  # loan.scenarios.yaml:23:48: state of Doc/a: expected sent, got done
  # loan.scenarios.yaml:23:66: state of Doc/c: expected draft, got no such instance
  # loan.scenarios.yaml:23:79: state of Bin/_default: expected z, got x
not ok 6 - loan.scenarios.yaml: other verdicts
  # loan.scenarios.yaml:26:28: verdicts: verdict more is absent
  # loan.scenarios.yaml:26:22: verdicts: verdict blue is present and not expected
  # loan.scenarios.yaml:26:51: present: verdict more is absent
  # loan.scenarios.yaml:26:67: absent: verdict odd is present
  # loan.scenarios.yaml:27:28: payload of odd: expected false, got {"kind":"bool_value","value":true}
  # loan.scenarios.yaml:27:53: payload of more: expected true, got nothing
# tests 6
# pass  1
# fail  5
""")

    def test_cases_and_seed_are_whole_numbers(self):
        path = self.scenarios("  - {name: a, for_all: facts, assert: [score > 0]}\n")
        for words in (("--cases", "0"), ("--cases", "many"), ("--cases", "1000001"), ("--seed", "-1"),
                      ("--seed", "9223372036854775808")):
            self.fails(2, "test", path, *words)
        self.holds("test", path, "--cases", "1")
        self.holds("test", path, "--cases", "1", "--seed", "9223372036854775807")

    def test_what_for_all_takes(self):
        for text, message in ((": everything", "for_all is `facts`, `facts and states` or a map"),
                              (": {case: 5}", "did you mean `cases`"),
                              (": {cases: 0}", "from 1 to 1000000"),
                              (": {cases: 1000001}", "from 1 to 1000000"),
                              (": {where: 5}", "`where` is a condition")):
            with self.subTest(text):
                path = self.scenarios(f"  - {{name: a, for_all{text}, assert: [score > 0]}}\n")
                out = self.fails(1, "test", path).out
                self.assertIn(message, out)
                self.assertIn(f"{path}:2:", out)


class Places(ScenarioCase):
    def test_FU20_every_name_that_is_not_there_has_its_place_and_the_nearest(self):
        path = self.scenarios("""
  - name: misspelt
    given:
      facts: {scor: 700}
      states: {Lone: paid, Loan: payd}
      bind: {Laon: x}
    when:
      persona: clrk
      flow: decid
      outcome: payed
      meanwhile: {s4: {Loan: askd}}
    then:
      present: [is_god]
      absent: [is_goood]
      verdicts: [good]
      payloads: {isgood: true}
      states: {Loan: {one: refuse}}
      steps: [s5=true]
      outcome: succes
  - name: good
    given: {facts: {score: 700, amount: {amount: "1.00", currency: EUR}, employed: true}}
    then: {verdicts: [is_good]}
""")
        out = self.fails(1, "test", path).out
        for place, message in (
                ("5:21", "no fact 'scor'; did you mean 'score'?"),
                ("6:22", "no entity 'Lone'; did you mean 'Loan'?"),
                ("6:34", "no state of 'Loan' called 'payd'; did you mean 'paid'?"),
                ("7:20", "no entity 'Laon'; did you mean 'Loan'?"),
                ("9:16", "no persona 'clrk'; did you mean 'clerk'?"),
                ("10:13", "no flow 'decid'; did you mean 'decide'?"),
                ("11:16", "no operation with an outcome 'payed'; did you mean 'paid'?"),
                ("12:23", "no step 's4'"),
                ("12:30", "no state of 'Loan' called 'askd'; did you mean 'asked'?"),
                ("14:17", "no verdict 'is_god'; did you mean 'is_good'?"),
                ("15:16", "no verdict 'is_goood'; did you mean 'is_good'?"),
                ("16:18", "no verdict 'good'"),
                ("17:26", "no verdict 'isgood'; did you mean 'is_good'?"),
                ("18:28", "no state of 'Loan' called 'refuse'; did you mean 'refused'?"),
                ("19:15", "no step 's5'"),
                ("20:16", "no flow that ends with 'succes'; did you mean 'success'?")):
            self.assertIn(f"  # {path}:{place}: the contract has {message}", out)
        self.assertIn("\nok 2 - ", out)

    def test_FU20_a_field_that_is_not_there_has_its_place_and_the_nearest(self):
        path = self.scenarios("""
  - name: misspelt
    given: {facts: {score: 700, amount: {amount: "1.00", currency: EUR, curency: USD}, employed: true}}
    then: {verdicts: [is_good]}
""")
        self.assertIn(f"  # {path}:4:41: fact 'amount' has no field 'curency'; did you mean 'currency'?",
                      self.fails(1, "test", path).out)

    def test_FU20_a_name_that_all_share_fails_the_file(self):
        self.write("loan.tenor", LOAN)
        path = self.write("loan.scenarios.yaml",
                          "given: {facts: {scor: 1}}\nscenarios:\n  - {name: a, then: {present: [is_good]}}\n")
        self.assertIn(f"{path}:1:23: the contract has no fact 'scor'; did you mean 'score'?",
                      self.fails(1, "test", path).out)

    def test_FU20_an_error_that_is_expected_may_be_a_name(self):
        path = self.scenarios("""
  - name: a stranger
    given: {facts: {score: 700, amount: {amount: "1.00", currency: EUR}, employed: true}}
    when: {persona: stranger, operation: pay}
    then: {error: persona_rejected}
""")
        self.holds("test", path)

    def test_verdicts_of_an_evaluation_that_broke_off_are_not_there(self):
        given = 'given: {facts: {score: 700, amount: {amount: "1.00", currency: EUR}, employed: true}}'
        for then in ("verdicts: [is_good]", "present: [is_good]", "payloads: {is_good: true}"):
            path = self.scenarios(f"""
  - name: all facts
    {given}
    then: {{{then}}}
  - name: no facts
    then: {{error: missing_fact, {then}}}
""")
            out = self.fails(1, "test", path).out
            self.assertIn("ok 1 - loan.scenarios.yaml: all facts", out, then)
            self.assertIn("not ok 2 - loan.scenarios.yaml: no facts", out, then)
        path = self.scenarios("""
  - name: no facts
    then: {error: missing_fact, verdicts: [], absent: [is_good]}
""")
        self.holds("test", path)

    def test_FU20_differences_have_the_place_of_the_expectation(self):
        path = self.scenarios("""
  - name: wrong
    given: {facts: {score: 700, amount: {amount: "1.00", currency: EUR}, employed: true}}
    when: {persona: clerk, flow: decide}
    then:
      outcome: failure
      states: {Loan: refused}
      verdicts: []
""")
        out = self.fails(1, "test", path).out
        for line in ("7:16: outcome: expected failure, got success",
                     "8:22: state of Loan/_default: expected refused, got paid",
                     "9:17: verdicts: verdict is_good is present and not expected"):
            self.assertIn(f"  # {path}:{line}\n", out)

    def test_FU20_a_condition_has_the_place_of_its_fault(self):
        path = self.scenarios("""
  - name: misspelt
    for_all: {where: scor > 3}
    assert:
      - score >= 640 and
      - score >= "x"
  - name: good
    for_all: facts
    assert: [score >= 300]
""")
        out = self.fails(1, "test", path).out
        self.assertRegex(out, fr"{path}:4:22: where: .*'scor'")
        self.assertIn(f"{path}:6:", out)
        self.assertIn(f"{path}:7:", out)
        self.assertIn("\nok 2 - ", out)

    def test_FU20_a_contract_that_does_not_hold_has_file_and_line(self):
        path = self.scenarios("  - {name: a, then: {present: [x]}}\n", "persona p\nfact x { tipe: Bool }\n")
        self.assertRegex(self.fails(1, "test", path).out, r"loan\.tenor:2:\d+: ")


class Balanced(html.parser.HTMLParser):
    """Every tag is closed; nothing is fetched."""
    EMPTY = {"meta", "progress", "path", "polygon", "polyline", "ellipse"}

    def __init__(self):
        super().__init__()
        self.open, self.classes = [], []

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        self.classes.append((tag, named.get("class", "")))
        assert tag not in ("script", "link", "img", "iframe"), tag
        assert "src" not in named and not named.get("href", "#").startswith("http"), named
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.EMPTY:
            assert self.open and self.open.pop() == tag, tag


class Coverage(ScenarioCase):
    PAID = """
  - name: a <b>good</b> one & more
    given: {facts: {score: 700, amount: {amount: "1.00", currency: EUR}, employed: true}}
    when: {persona: clerk, flow: decide}
    then: {outcome: success}
"""

    def test_polarities_steps_and_edges_are_told_and_do_not_change_the_percentage(self):
        path = self.scenarios(self.PAID)
        out = self.holds("test", path, "--coverage").out
        for line in ("rules           1 of     1  100 %", "absent          0 of     1    0 %",
                     "steps           2 of     3   66 %", "edges           2 of     6   33 %",
                     "never seen, absent: good", "never seen, steps: decide: s3",
                     "never seen, edges: decide: s1=false"):
            self.assertIn(f"# {line}\n", out)
        cover = json.loads(self.holds("test", path, "--coverage", "--json").out)["coverage"][0]["coverage"]
        self.assertEqual(cover["absent"], {"never_seen": ["good"], "seen": 0, "total": 1})
        self.assertEqual(cover["edges"]["seen"], 2)
        counted = [cover[kind] for kind in ("rules", "operations", "outcomes", "paths")]
        self.assertEqual(cover["permille"], 1000 * sum(k["seen"] for k in counted)
                         // sum(k["total"] for k in counted))
        self.assertEqual(list(cover), sorted(cover))

    def page(self, text, **named):
        self.holds("test", self.scenarios(text), "--coverage-html", "cover.html", **named)
        page = (self.dir / "cover.html").read_text()
        parser = Balanced()
        parser.feed(page)
        self.assertEqual(parser.open, [])
        return page, parser.classes

    def test_the_page_has_the_flow_with_what_was_seen(self):
        classes = self.page(self.PAID)[1]
        marks = [name.split() for tag, name in classes if tag == "g" and name]
        nodes = [m for m in marks if m[0] == "node"]
        edges = [m for m in marks if m[0] == "edge"]
        self.assertEqual(sum("seen" in m for m in nodes), 3)   # s1, s2, success
        self.assertEqual(sum("never" in m for m in nodes), 2)  # s3, failure
        self.assertEqual(sum("seen" in m for m in edges), 3)   # begin, s1=true, s2=paid
        self.assertEqual(sum("never" in m for m in edges), 4)  # s1=false, s2=error, s3 twice
        self.assertEqual([name for tag, name in classes if tag == "td" and name][:2], ["seen", "never"])

    def test_without_graphviz_the_page_says_so(self):
        page, _ = self.page(self.PAID, env={"PATH": str(self.dir)})
        self.assertIn("Graphviz is not there", page)
        self.assertIn("decide: s1=false", page)

    def test_the_same_run_gives_the_same_page(self):
        self.assertEqual(self.page(self.PAID)[0], self.page(self.PAID)[0])

    def test_a_page_that_cannot_be_written_is_the_worlds_fault(self):
        self.fails(3, "test", self.scenarios(self.PAID), "--coverage-html", "no/such/cover.html")

    def test_cases_of_a_property_count(self):
        path = self.scenarios("""
  - name: it always ends well
    for_all: facts
    when: {persona: clerk, flow: decide}
    then: {outcome: success}
""")
        cover = json.loads(self.holds("test", path, "--coverage", "--json").out)["coverage"][0]["coverage"]
        self.assertEqual(cover["steps"]["never_seen"], [])
        self.assertEqual(cover["absent"]["never_seen"], [])


if __name__ == "__main__":
    main()
