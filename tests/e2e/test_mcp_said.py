"""Everything that the tools say, word for word: conversations with the tools of contracts, compared
with tests/golden/mcp. Ids of executions and times are numbered as they come."""
import json
import re

from harness import SOURCE, Case, main
from mcp import ASKED, NEWER, OLDER, TASKS, Agent, Refused

EXAMPLES = SOURCE / "examples"
FACTS = {"delivery_status": "confirmed", "line_items": [],
         "escrow_amount": {"amount": "20000.00", "currency": "USD"}}
SMALL = {**FACTS, "escrow_amount": {"amount": "5.00", "currency": "USD"}}
ESCROW, BOTH = {"EscrowAccount": "e1"}, {"EscrowAccount": "e1", "DeliveryRecord": "d1"}
CLAIM = {"policy_active": True, "claimed_amount": {"amount": "5.00", "currency": "EUR"},
         "covered_amount": {"amount": "9.00", "currency": "EUR"}}
BARE = '''
persona p
persona idle
source register { protocol: http base_url: "https://register.example" }
fact known { type: Bool source: register { path: "entries.known" } default: true }
entity E { states: [a, b] initial: a transitions: [(a, b), (b, a)] }
operation go { personas: [p] require: true effects: [(E, a, b)] }
operation nothing { personas: [p] require: true }
'''
ASKING = '''
persona p
persona q
fact n { type: Int(min: 0, max: 9) source: "a.b" default: 1 }
entity E { states: [a, b, c] initial: a transitions: [(a, b), (a, c), (b, c)] }
rule high { stratum: 0 when: n > 5 produce: high(true) }
operation pick { personas: [p] require: true outcomes: [one, two] effects: [E: a -> b -> one, E: a -> c -> two] }
operation on { personas: [q] require: n > 2 effects: [(E, b, c)] }
flow f { snapshot: at_initiation entry: s steps: {
  s: OperationStep { op: pick persona: p outcomes: { one: t two: Terminal(failure) } on_failure: Terminate(outcome: failure) }
  t: OperationStep { op: on persona: q outcomes: { success: Terminal(success) } on_failure: Terminate(outcome: failure) } } }
flow g { snapshot: at_initiation entry: s steps: {
  s: BranchStep { condition: n > 5 persona: p if_true: u if_false: Terminal(failure) }
  u: SubFlowStep { flow: f persona: p on_success: Terminal(success) on_failure: Terminate(outcome: failure) } } }
flow h { snapshot: at_initiation entry: s steps: {
  s: OperationStep { op: on persona: q outcomes: { success: Terminal(success) } on_failure: Terminate(outcome: failure) } } }
'''


def tool(name, arguments=None, meta=None, **more):
    return "tools/call", {"name": name, "arguments": arguments or {}, **more}, meta


def read(uri):
    return "resources/read", {"uri": uri}, None


class Said(Case):
    def talk(self, name, visits):
        """Golden: every message and its answer. A visit: contract, persona, revision, abilities, words,
        messages; a message may be made from the answers so far."""
        self.lines, self.names = [], {}
        for contract, persona, revision, can, words, messages in visits:
            self.lines.append(f"# {persona}, {revision}, {json.dumps(can)}")
            with Agent(["mcp", contract, "--persona", persona, "--store", "sqlite:said.db", *words], revision,
                       self.dir, can) as agent:
                self.last = agent.began
                self.tell("server/discover" if revision == NEWER else "initialize", None, agent.began)
                for message in messages:
                    method, params, meta = message(self.last) if callable(message) else message
                    try:
                        self.last = agent.ask(method, params, meta)
                        self.tell(method, params, self.last)
                    except Refused as refused:
                        self.tell(method, params, {"error": refused.error})
                code, logged = agent.close()
                self.assertEqual((code, logged), (0, ""))
        self.golden(f"mcp/{name}.txt", "".join(line + "\n" for line in self.lines))

    def tell(self, method, params, answer):
        """The data is said twice, as text and as data; once is enough here."""
        if "structuredContent" in answer:
            words, data = answer["content"]
            self.assertEqual(json.loads(data["text"]), answer["structuredContent"])
            answer = {**answer, "content": words["text"].splitlines()}
        self.lines.append(f"> {method} {self.plain(json.dumps(params, ensure_ascii=False))}")
        self.lines.append(self.plain(json.dumps(answer, indent=1, ensure_ascii=False)))

    def plain(self, text):
        text = re.sub(r"\bf-[0-9a-f]{32}\b", lambda m: self.names.setdefault(m[0], f"FLOW{len(self.names)}"), text)
        text = re.sub(r"\d{4}-\d\d-\d\dT[0-9:.]+(Z|\+00:00)", "TIME", text)
        text = re.sub(r"\b[0-9a-f]{64}\b", "DIGEST", text)
        return re.sub(r"uid:\d+", "uid:N", text)

    def test_escrow(self):
        contract = EXAMPLES / "escrow" / "escrow.tenor"
        may = [w for f in FACTS for w in ("--may-assert", f)]
        there = ["--instance", "EscrowAccount/j/o", "--instance", "EscrowAccount/e1", "--instance", "DeliveryRecord/d1"]
        seller = [
            ("tools/list", {}, None), ("resources/list", {}, None), ("resources/templates/list", {}, None),
            ("tools/list", {"cursor": "standard_release"}, None), ("tools/list", {"cursor": "no"}, None),
            ("resources/list", {"cursor": "x"}, None), ("ping", {}, None),
            tool("explain"), *(tool("explain", {"name": n}) for n in (
                "confirm_delivery", "standard_release", "escrow_amount", "compliance_threshold", "EscrowAccount",
                "release_approved", "ask", "refund_escrow")),
            tool("ask", {"question": "can seller reach EscrowAccount.refunded"}),
            tool("ask", {"question": "who can perform flag_dispute"}), tool("ask", {"question": "rain"}), tool("ask"),
            tool("actions"), tool("actions", {"facts": SMALL, "bindings": ESCROW}), tool("actions", {"bindings": {"E": 7}}),
            tool("actions", {"bindings": {"EscrowAccount": 7}}), tool("why", {"verdict": "release_approved", "bindings": {"E": 7}}),
            tool("actions", {"params": {"id": []}}), tool("actions", {"facts": {"no": 1}}),
            tool("why", {"verdict": "release_approved", "facts": FACTS}),
            tool("why", {"verdict": "release_approved", "facts": SMALL}),
            tool("why", {"operation": "confirm_delivery", "facts": FACTS, "bindings": BOTH}),
            tool("why", {"operation": "flag_dispute", "facts": {**SMALL, "delivery_status": "pending"},
                         "bindings": ESCROW}),
            tool("why", {"flow": "standard_release", "facts": FACTS, "bindings": BOTH}),
            tool("why"), tool("why", {"verdict": "a", "flow": "b"}), tool("why", {"operation": "refund_escrow"}),
            tool("why", {"flow": "refund_flow"}), tool("why", {"verdict": "no_such"}),
            tool("dry_run", {"tool": "confirm_delivery", "arguments": {"bindings": BOTH, "facts": FACTS}}),
            tool("dry_run", {"tool": "standard_release", "arguments": {"bindings": BOTH, "facts": FACTS}}),
            tool("dry_run", {"tool": "confirm_delivery", "arguments": {"facts": 7}}),
            tool("dry_run", {"tool": "ask"}), tool("dry_run"),
            tool("confirm_delivery", {"bindings": {"DeliveryRecord": "no"}, "facts": FACTS}),
            tool("confirm_delivery", {"facts": FACTS}), tool("confirm_delivery", {"bindings": BOTH}),
            tool("confirm_delivery", {"bindings": BOTH, "facts": {**FACTS, "compliance_threshold": 1}}),
            tool("confirm_delivery", {"bindings": BOTH, "compliance_threshold": 1}),
            tool("confirm_delivery", {"bindings": BOTH, "line_items": []}),
            tool("confirm_delivery", {"bindings": BOTH, "execution": "x"}),
            tool("flag_dispute", {"bindings": ESCROW, "facts": {**SMALL, "delivery_status": "pending"}}),
            tool("standard_release", {"bindings": BOTH, "facts": FACTS}, {"motet/callId": "k"}),
            lambda last: tool("resume", {"execution": last["structuredContent"]["id"]}),
            tool("standard_release", {"bindings": BOTH, "facts": FACTS}, {"motet/callId": "k"}),
            tool("standard_release", {"bindings": ESCROW, "facts": FACTS}, {"motet/callId": "k"}),
            tool("confirm_delivery", {"bindings": BOTH, "facts": FACTS}),
            tool("resume"), tool("resume", {"execution": ""}), tool("resume", {"execution": "f-no"}),
            tool("resume", {"execution": 7}), tool("cancel", {"execution": "f-no"}), tool("cancel"),
            *(read("motet://escrow/" + p) for p in (
                "states", "instances", "flows", "instances/EscrowAccount", "instances/EscrowAccount/e1",
                "instances/DeliveryRecord/d1/history", "instances/EscrowAccount/%65%31", "records/1", "no",
                "instances/EscrowAccount/%6", "instances/EscrowAccount/%zz", "instances/EscrowAccount/e1/x",
                "manifest/x", "records/1/receipt", "instances//e1",
                *("instances/EscrowAccount/" + i for i in ("%6a%2fo", "%6A%2Fo", "%6a/o", "%6g", "%6G", "%/1", "%:1", "%`1",
                                                           "%@1", "%")))),
            tool("no_such"), tool("refund_escrow"), ("no/such", {}, None)]
        agent = [
            tool("actions", {"facts": FACTS}),
            lambda last: tool("resume", {"execution": last["structuredContent"]["waiting"][0]["id"]}),
            tool("release_escrow", {"bindings": ESCROW, "facts": FACTS}),
            tool("release_escrow", {"bindings": ESCROW, "facts": SMALL, "expected_versions": {"EscrowAccount": 7}}),
            tool("release_escrow", {"bindings": ESCROW, "facts": SMALL}),
            tool("refund_escrow", {"bindings": ESCROW, "facts": SMALL}), tool("actions", {"facts": SMALL})]
        officer = [("tools/list", {}, None), tool("actions", {"facts": FACTS}), tool("actions"),
                   lambda last: tool("resume", {"execution": last["structuredContent"]["waiting"][0]["id"]}),
                   *(read(f"motet://escrow/records/{r}") for r in ("3", "3/proof"))]
        begun = [tool("standard_release", {"bindings": BOTH, "facts": FACTS}),
                 lambda last: tool("cancel", {"execution": last["structuredContent"]["id"], "reason": "late"}),
                 lambda last: tool("cancel", {"execution": last["structuredContent"]["id"]})]
        self.talk("escrow", [
            (contract, "seller", OLDER, {}, [*may, *there], seller),
            (contract, "escrow_agent", NEWER, {}, may, agent),
            (contract, "compliance_officer", NEWER, {}, ["--right", "ledger:read"], officer),
            (contract, "buyer", NEWER, {}, [], [("tools/list", {}, None), tool("explain"), tool("actions")])])
        for left in self.dir.glob("said.db*"):
            left.unlink()
        self.talk("cancelled", [(contract, "seller", OLDER, {}, [*may, *there], begun)])

    def test_claims(self):
        contract = EXAMPLES / "claims" / "claims.tenor"
        given = {"bindings": {"Claim": "c1"}, "facts": CLAIM}
        words = ["--may-assert", "*", "--instance", "Claim/c1"]
        decide = [("tools/list", {}, None), tool("decide_claim", {**given, "outcome": "no"}),
                  tool("decide_claim", given), tool("decide_claim", {**given, "outcome": 7})]
        asked = [tool("decide_claim", given),
                 tool("decide_claim", given, inputResponses={"outcome": {"action": "decline"}}),
                 tool("decide_claim", given, inputResponses={"outcome": {"action": "cancel"}}),
                 tool("decide_claim", given, inputResponses={"other": {"action": "accept", "content": {"outcome": "approved"}}}),
                 tool("decide_claim", given, inputResponses={"outcome": {"action": "accept", "content": {"outcome": 7}}}),
                 tool("decide_claim", given, inputResponses={"outcome": {"action": "accept", "content": {"outcome": "no"}}}),
                 tool("dry_run", {"tool": "decide_claim", "arguments": given}),
                 tool("decide_claim", given, inputResponses={
                     "x": 1, "outcome": {"action": "accept", "content": {"outcome": "approved"}}})]
        self.talk("claims", [(contract, "claimant", NEWER, {}, words, [tool("open_review", given)]),
                             (contract, "adjudicator", NEWER, {"elicitation": {"url": {}}}, words, decide),
                             (contract, "adjudicator", NEWER, ASKED, words, asked)])

    def test_flows_that_ask_and_wait(self):
        contract = self.write("asking.tenor", ASKING)
        both = {**ASKED, **TASKS}
        words = ["--may-assert", "*", *(w for i in "uvwxyz" for w in ("--instance", f"E/{i}"))]

        def given(instance, n=7):
            return {"bindings": {"E": instance}, "facts": {"n": n}}

        def answered(instance, outcome, name="f", n=7):
            return lambda last: tool(name, given(instance, n), requestState=last["requestState"], inputResponses={
                list(last["inputRequests"])[0]: {"action": "accept", "content": {"outcome": outcome}}})

        def task(method, **more):
            return lambda last: (method, {"taskId": last["taskId"], **more}, None)
        p = [("tools/list", {}, None), tool("f", given("v")), answered("v", "one"), task("tasks/get"),
             task("tasks/update", inputResponses={"outcome:s": {"action": "accept", "content": {"outcome": "one"}}}),
             ("tasks/get", {"taskId": "f-no"}, None), ("tasks/update", {"taskId": "f-no", "inputResponses": {}}, None),
             tool("g", given("w", 3)), tool("g", given("w")), answered("w", "two", "g"),
             tool("f", given("x", 0)), answered("x", "one", n=0), task("tasks/cancel"),
             ("tasks/get", {"taskId": "f-no"}, None), tool("f", given("x", 0)),
             tool("f", {**given("y"), "outcome": "two"}), tool("f", given("y")),
             tool("f", given("z"), requestState="f-no"), tool("f", given("u")), answered("u", "one")]
        q = [tool("actions", {"facts": {"n": 1}}), tool("h", given("z")),
             lambda last: tool("resume", {"execution": self.first_flow()}), tool("actions"), tool("explain")]

        def about(method, **more):
            return lambda last: (method, {"taskId": self.last_flow(), **more}, None)

        def named(key, outcome):
            return {key: {"action": "accept", "content": {"outcome": outcome}}}
        asked = [about("tasks/get"), about("tasks/update", inputResponses=named("outcome:s", "success")),
                 about("tasks/get"), about("tasks/update", inputResponses=named("outcome:t", "no")),
                 about("tasks/get"), about("tasks/update", inputResponses=named("outcome:t", "success")),
                 about("tasks/get"), about("tasks/update", inputResponses=named("outcome:t", "success"))]
        plain = [tool("f", given("z")), lambda last: tool("resume", {"execution": last["structuredContent"]["id"],
                                                                     "outcome": "no"}),
                 tool("actions", {"facts": {"n": 7}}),
                 lambda last: tool("resume", {"execution": last["structuredContent"]["waiting"][0]["id"],
                                              "outcome": "one"})]
        late = [("tasks/get", {"taskId": "F"}, None)]
        self.talk("asking", [(contract, "p", NEWER, both, words, p), (contract, "q", NEWER, both, words, asked),
                             (contract, "q", NEWER, {}, words, q),
                             (contract, "p", NEWER, {}, words, plain), (contract, "p", OLDER, {}, words, late),
                             (contract, "p", NEWER, TASKS, words, [
                                 lambda last: ("tasks/get", {"taskId": self.first_flow()}, None)])])

    def first_flow(self):
        return next(iter(self.names))

    def last_flow(self):
        return list(self.names)[-1]

    def test_a_contract_with_next_to_nothing(self):
        contract = self.write("bare.tenor", BARE)
        words = ["--instance", "E/x"]
        self.talk("bare", [
            (contract, "p", NEWER, {}, words, [
                ("tools/list", {}, None), tool("explain"), tool("actions"), tool("go", {"bindings": {"E": "x"}}),
                tool("actions"), tool("nothing"), tool("go", {"bindings": {"E": "x"}}), tool("explain", {"name": "go"}),
                tool("why", {"operation": "go", "bindings": {"E": "x"}}), read("motet://bare/manifest")]),
            (contract, "idle", NEWER, {}, words, [("tools/list", {}, None), tool("explain"), tool("actions"),
                                                  tool("dry_run", {"tool": "go"}), tool("resume", {"execution": "x"})])])


main()
