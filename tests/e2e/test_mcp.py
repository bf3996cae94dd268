"""motet mcp: a contract as tools for an agent, over standard input and output."""
import json
import re

from harness import SOURCE, Case, main
from mcp import ASKED, NEWER, OLDER, PREFIX, TASKS, Agent, Refused, message

ESCROW = SOURCE / "examples" / "escrow" / "escrow.tenor"
CLAIMS = SOURCE / "examples" / "claims" / "claims.tenor"
OWN = ["actions", "why", "dry_run", "ask", "explain", "resume", "cancel"]
BOTH = {"EscrowAccount": "esc-001", "DeliveryRecord": "del-001"}


def usd(amount):
    return {"amount": amount, "currency": "USD"}


FACTS = {"delivery_status": "confirmed", "line_items": [], "escrow_amount": usd("20000.00")}
GIVES = [word for fact in FACTS for word in ("--may-assert", fact)]


class Mcp(Case):
    def agent(self, persona, revision, *more, can=None, contract=ESCROW, store="a.db"):
        agent = Agent(["mcp", contract, "--persona", persona, "--store", f"sqlite:{store}", *more],
                      revision, self.dir, can)
        self.addCleanup(agent.__exit__)
        return agent

    def escrow(self, persona, revision, *more, **named):
        return self.agent(persona, revision, *GIVES, "--instance", "EscrowAccount/esc-001",
                          "--instance", "DeliveryRecord/del-001", *more, **named)

    # ---- the walk -------------------------------------------------------------------------------

    def test_each_persona_drives_escrow_in_both_revisions(self):
        for revision in (OLDER, NEWER):
            with self.subTest(revision):
                self.walk(revision, f"{revision}.db")

    def walk(self, revision, store):
        """The seller begins, the escrow agent decides, the officer releases; the buyer is late."""
        with self.escrow("seller", revision, store=store) as seller:
            self.assertEqual(seller.began.get("protocolVersion", NEWER), revision)
            done = seller.call("standard_release", {"bindings": BOTH, "facts": FACTS})
            flow = done["structuredContent"]
            self.assertEqual((done["isError"], flow["status"]), (False, "waiting"))
            self.assertIn("waits for the persona escrow_agent", done["content"][0]["text"])
            refused = seller.call("resume", {"execution": flow["id"]})
            self.assertEqual(refused["structuredContent"]["code"], "persona_rejected")
            self.assertEqual(seller.close()[0], 0)
        with self.escrow("escrow_agent", revision, store=store) as agent:
            waiting = agent.call("actions", {"facts": FACTS})["structuredContent"]["waiting"]
            self.assertEqual([f["id"] for f in waiting], [flow["id"]])
            moved = agent.call("resume", {"execution": flow["id"]})["structuredContent"]
            self.assertEqual(moved["waiting"]["persona"], "compliance_officer")
        with self.escrow("compliance_officer", revision, store=store) as officer:
            ended = officer.call("resume", {"execution": flow["id"]})["structuredContent"]
            self.assertEqual((ended["status"], ended["outcome"]), ("done", "success"))
        with self.escrow("buyer", revision, store=store) as buyer:
            late = buyer.call("flag_dispute", {"bindings": {"EscrowAccount": "esc-001"},
                                               "facts": FACTS})
            self.assertTrue(late["isError"])
            self.assertEqual(late["structuredContent"]["code"], "invalid_source_state")
            self.assertIn("is in the state released; it would have to be in: held",
                          late["content"][0]["text"])

    def test_results_have_the_members_of_their_revision(self):
        with self.escrow("seller", NEWER) as seller:
            for result in (seller.began, seller.ask("tools/list"), seller.ask("resources/list")):
                self.assertEqual((result["resultType"], result["cacheScope"]),
                                 ("complete", "private"))
                self.assertEqual(result["_meta"][PREFIX + "serverInfo"]["name"], "motet")
            self.assertNotIn("ttlMs", seller.call("explain"))
            self.assertEqual(seller.began["supportedVersions"], [NEWER, OLDER])
        with self.escrow("seller", OLDER) as seller:
            self.assertEqual(seller.ask("ping"), {})
            self.assertNotIn("resultType", json.dumps([seller.began, seller.ask("tools/list")]))

    def test_subscriptions_are_neither_declared_nor_served(self):
        declared = {"resources": {}, "tools": {}}
        for revision, wanted in ((OLDER, declared), (NEWER, {**declared, "extensions": {PREFIX + "tasks": {}}})):
            with self.subTest(revision), self.escrow("seller", revision, store=f"{revision}.db") as agent:
                self.assertEqual(agent.began["capabilities"], wanted)
                for method, params in (("resources/subscribe", {"uri": "motet://escrow/states"}),
                                       ("resources/unsubscribe", {"uri": "motet://escrow/states"}),
                                       ("subscriptions/listen", {"notifications": {"toolsListChanged": True}})):
                    with self.assertRaises(Refused) as refused:
                        agent.ask(method, params)
                    self.assertEqual(refused.exception.code, -32601, method)

    def test_both_revisions_on_one_connection(self):
        with self.escrow("seller", OLDER) as seller:
            seller.say(json.dumps(message(NEWER, "n", "tools/list")))
            self.assertEqual(seller.hear()["result"]["resultType"], "complete")
            self.assertNotIn("resultType", seller.ask("tools/list"))

    # ---- which tools ----------------------------------------------------------------------------

    def test_a_name_that_is_taken_gets_its_kind_before_it(self):
        path = self.write("n.tenor", '''
persona p
entity E { states: [a, b] initial: a transitions: [(a, b)] }
operation why { personas: [p] require: true effects: [(E, a, b)] }
operation go { personas: [p] require: true effects: [(E, a, b)] }
flow go { snapshot: at_initiation entry: s steps: {
  s: OperationStep { op: go persona: p outcomes: { success: Terminal(success) }
                     on_failure: Terminate(outcome: failure) } } }
''')
        listed = self.holds("mcp", path, "--persona", "p", "--list", "--store", "sqlite:n.db").out
        self.assertEqual(listed.split(), ["go", "operation-why", "flow-go", *OWN])
        with self.agent("p", NEWER, "--instance", "E/x", contract=path, store="n.db") as agent:
            done = agent.call("operation-why", {"bindings": {"E": "x"}})
            self.assertEqual(done["structuredContent"]["operation"], "why")

    def test_no_two_tools_have_one_name_and_every_name_is_one_of_the_protocol(self):
        """A bundle can have any text as a name."""
        path = self.write("n.tenor", '''
persona p
entity E { states: [a, b] initial: a transitions: [(a, b)] }
operation first { personas: [p] require: true effects: [(E, a, b)] }
operation second { personas: [p] require: true effects: [(E, a, b)] }
flow third { snapshot: at_initiation entry: s steps: {
  s: OperationStep { op: first persona: p outcomes: { success: Terminal(success) }
                     on_failure: Terminate(outcome: failure) } } }
''')
        text = self.holds("elaborate", path).out
        for number, (first, second, third, names) in enumerate([
                ("why", "operation-why", "third", ["operation-why-2", "operation-why", "third"]),
                ("a b", "a\tb", "a/b", ["operation-a_b", "operation-a_b-2", "flow-a_b"]),
                ("é", "x" * 128, "x" * 129, ["operation-__", "x" * 128, "flow-" + "x" * 123]),
                ("flow-ask", "two", "ask", ["flow-ask", "two", "flow-ask-2"]),
                ("a.b-C_9", "", "why", ["a.b-C_9", "operation-", "flow-why"])]):
            bundle = text
            for before, after in (("first", first), ("second", second), ("third", third)):
                bundle = bundle.replace(f'"{before}"', json.dumps(after))
            path = self.write(f"n{number}.json", bundle)
            with self.agent("p", NEWER, "--instance", "E/x", contract=path, store=f"n{number}.db") as p:
                listed = [n for n in p.tools() if n not in OWN]
                self.assertEqual(sorted(listed), sorted(names))
                for name, operation in zip(names[:2], (first, second)):
                    tried = p.call("dry_run", {"tool": name, "arguments": {"bindings": {"E": "x"}}})
                    self.assertEqual(tried["structuredContent"]["operation"], operation)

    # ---- facts ----------------------------------------------------------------------------------

    def test_a_persona_may_state_no_fact_by_itself(self):
        with self.agent("seller", NEWER) as seller:
            for tool in seller.ask("tools/list")["tools"]:
                facts = tool["inputSchema"]["properties"].get("facts", {"properties": {}})
                self.assertEqual(facts["properties"], {}, tool["name"])
            said = seller.call("confirm_delivery", {"bindings": {"DeliveryRecord": "d"},
                                                    "facts": FACTS})
            self.assertEqual(said["structuredContent"]["code"], "fact_forbidden")
            self.assertIn("motet/record", said["_meta"])  # an attempt is recorded

    def test_schemas_list_the_facts_that_may_be_stated(self):
        for words, facts in [(["--may-assert", "delivery_status"], ["delivery_status"]),
                             (["--may-assert", "source:delivery_service"], ["delivery_status"]),
                             (["--may-assert", "*"],
                              ["buyer_requested_refund", "compliance_threshold", "delivery_status",
                               "escrow_amount", "line_items"])]:
            with self.agent("seller", NEWER, *words) as seller:
                tool = seller.ask("tools/list")["tools"][0]
                self.assertEqual(list(tool["inputSchema"]["properties"]["facts"]["properties"]),
                                 facts)

    def test_an_argument_named_like_a_sourced_fact_is_refused(self):
        with self.escrow("escrow_agent", NEWER) as agent:
            good = {"bindings": {"EscrowAccount": "esc-001"}, "facts": FACTS}
            for given, words in [
                    ({**good, "compliance_threshold": usd("1.00")}, "comes from the source "
                     "compliance_service"),
                    ({**good, "delivery_status": "failed"}, "facts are given inside `facts`"),
                    ({**good, "persona": "buyer"}, "has no argument 'persona'"),
                    ({**good, "dry_run": True}, "has no argument 'dry_run'"),
                    ({**good, "facts": {**FACTS, "compliance_threshold": usd("1.00")}},
                     "no right to assert the fact 'compliance_threshold'"),
                    ({**good, "bindings": []}, "`bindings` must be")]:
                for name, arguments in [("release_escrow", given),
                                        ("dry_run", {"tool": "release_escrow",
                                                     "arguments": given})]:
                    said = agent.call(name, arguments)
                    self.assertTrue(said["isError"], given)
                    self.assertIn(words, said["content"][0]["text"])
            state = json.loads(agent.ask("resources/read", {
                "uri": "motet://escrow/instances/EscrowAccount/esc-001"})["contents"][0]["text"])
            self.assertEqual((state["state"], state["version"]), ("held", 0))

    # ---- refusals -------------------------------------------------------------------------------

    def test_a_refusal_says_what_would_have_to_change(self):
        with self.escrow("escrow_agent", NEWER) as agent:
            said = agent.call("release_escrow", {"bindings": {"EscrowAccount": "esc-001"},
                                                 "facts": FACTS})
            self.assertEqual([c["condition"] for c in said["structuredContent"]["changes"]],
                             ["escrow_amount <= compliance_threshold"])
            self.assertEqual(said["structuredContent"]["reasons"][0]["rests_on"],
                             ["escrow_amount", "compliance_threshold"])
            self.assertIn("- escrow_amount <= compliance_threshold", said["content"][0]["text"])
            self.assertEqual(json.loads(said["content"][1]["text"]), said["structuredContent"])
            why = agent.call("why", {"verdict": "release_approved", "facts": FACTS})
            self.assertEqual(why["structuredContent"]["present"], False)
            ready = {**FACTS, "escrow_amount": usd("9999.99")}
            tried = agent.call("dry_run", {"tool": "release_escrow", "arguments": {
                "bindings": {"EscrowAccount": "esc-001"}, "facts": ready}})
            self.assertTrue(tried["structuredContent"]["simulation"])
            self.assertNotIn("motet/record", tried.get("_meta", {}))
            done = agent.call("release_escrow", {"bindings": {"EscrowAccount": "esc-001"},
                                                 "facts": ready})
            self.assertFalse(done["isError"])
            self.assertIn("- EscrowAccount/esc-001: held to released", done["content"][0]["text"])
            now = agent.call("actions", {"facts": ready})
            self.assertIn("no EscrowAccount is in a state that it leaves",
                          now["content"][0]["text"])

    def test_what_the_contract_can_never_do_is_asked(self):
        with self.escrow("seller", NEWER) as seller:
            said = seller.call("ask", {"question": "can seller reach EscrowAccount.refunded"})
            self.assertEqual((said["isError"], said["structuredContent"]["answer"]), (False, "no"))
            said = seller.call("ask", {"question": "who can perform flag_dispute"})
            self.assertIn("buyer", said["content"][0]["text"])
            for bad in ({}, {"question": "will it rain"}, {"question": "x" * 3000}):
                self.assertTrue(seller.call("ask", bad)["isError"])

    def test_who_did_it_is_in_the_ledger_with_a_receipt(self):
        self.holds("keygen", "--prefix", "key")
        key, public = self.dir / "key.secret", self.dir / "key.pub"
        with self.escrow("seller", NEWER, "--signing-key", key) as seller:
            done = seller.call("confirm_delivery", {"bindings": {"DeliveryRecord": "del-001"},
                                                    "facts": FACTS})
            receipt = done["_meta"]["motet/receipt"]
            decision = receipt["promise"]["decision"]
            self.assertEqual(decision["caller"]["known_by"], "operator")
            self.assertEqual((decision["persona"], decision["operation"]),
                             ("seller", "confirm_delivery"))
            self.assertNotIn("receipt", done["structuredContent"])
            said = seller.call("confirm_delivery", {"bindings": {"DeliveryRecord": "del-001"},
                                                    "facts": FACTS})
            self.assertTrue(said["isError"])
            path = self.write("r.jsonl", json.dumps(receipt) + "\n" +
                              json.dumps(said["_meta"]["motet/receipt"]) + "\n")
            read = seller.ask("resources/read", {
                "uri": f"motet://escrow/records/{done['_meta']['motet/record']}/receipt"})
            self.assertEqual(json.loads(read["contents"][0]["text"])["promise"],
                             receipt["promise"])
        self.holds("receipt", "verify", path, "--key", public)

    # ---- keys -----------------------------------------------------------------------------------

    def test_a_call_id_is_decided_once(self):
        given = {"bindings": {"DeliveryRecord": "del-001"}, "facts": FACTS}
        for revision in (OLDER, NEWER):
            store = f"k{revision}.db"
            with self.escrow("seller", revision, store=store) as seller:
                first = seller.call("confirm_delivery", given, {"motet/callId": "one"})
                again = seller.call("confirm_delivery", given, {"motet/callId": "one"})
                self.assertTrue(again["_meta"].pop("motet/replayed"))
                self.assertEqual(again, first)
                other = seller.call("flag_dispute", {"bindings": {"EscrowAccount": "esc-001"},
                                                     "facts": FACTS}, {"motet/callId": "one"})
                self.assertEqual(other["structuredContent"]["code"], "idempotency_mismatch")
            with self.escrow("seller", revision, store=store) as seller:  # another process
                again = seller.call("confirm_delivery", given, {"motet/callId": "one"})
                self.assertTrue(again["_meta"]["motet/replayed"])
                for bad in ("", "ü", "x" * 201, 7):
                    with self.assertRaises(Refused) as caught:
                        seller.call("confirm_delivery", given, {"motet/callId": bad})
                    self.assertEqual(caught.exception.code, -32602)
                self.assertTrue(seller.call("confirm_delivery", given,
                                            {"motet/callId": "x" * 200})["isError"])

    def test_an_id_is_a_key_in_a_session_of_the_older_revision(self):
        given = {"bindings": {"DeliveryRecord": "del-001"}, "facts": FACTS}
        with self.escrow("seller", OLDER) as seller:
            first = seller.call("confirm_delivery", given, number=70)
            again = seller.call("confirm_delivery", given, number=70)
            self.assertEqual(again["structuredContent"], first["structuredContent"])
        with self.escrow("seller", OLDER) as seller:  # another session: another call
            later = seller.call("confirm_delivery", given, number=70)
            self.assertEqual(later["structuredContent"]["code"], "invalid_source_state")

    def test_a_second_session_on_one_connection_begins_its_ids_anew(self):
        with self.escrow("seller", OLDER) as seller:
            given = {"bindings": {"DeliveryRecord": "del-001"}, "facts": FACTS}
            self.assertFalse(seller.call("confirm_delivery", given, number=1)["isError"])
            seller.begin()
            later = seller.call("confirm_delivery", given, number=1)
            self.assertEqual(later["structuredContent"]["code"], "invalid_source_state")
            self.assertNotIn("motet/replayed", later["_meta"])

    def test_ids_of_another_type_are_other_keys(self):
        given = {"bindings": {"DeliveryRecord": "del-001"}, "facts": FACTS}
        with self.escrow("seller", OLDER) as seller:
            self.assertFalse(seller.call("confirm_delivery", given, number=100)["isError"])
            for number in ("100", "\"100\"", 1000, 10 ** 40):
                self.assertTrue(seller.call("confirm_delivery", given, number=number)["isError"])
            self.assertFalse(seller.call("confirm_delivery", given, number=100)["isError"])
            for number in (1.5, None, True, [1], {}):
                seller.say(json.dumps(message(OLDER, number, "ping")))
                refused = seller.hear()
                self.assertEqual((refused["error"]["code"], "id" in refused), (-32600, False))

    def test_an_id_is_no_key_in_the_newer_revision(self):
        given = {"bindings": {"DeliveryRecord": "del-001"}, "facts": FACTS}
        with self.escrow("seller", NEWER) as seller:
            self.assertFalse(seller.call("confirm_delivery", given, number=70)["isError"])
            self.assertTrue(seller.call("confirm_delivery", given, number=70)["isError"])

    # ---- what waits -----------------------------------------------------------------------------

    def test_a_flow_that_waits_for_somebody_else_is_a_task(self):
        with self.escrow("seller", NEWER, can=TASKS) as seller:
            task = seller.call("standard_release", {"bindings": BOTH, "facts": FACTS})
            self.assertEqual((task["resultType"], task["status"], task["ttlMs"]),
                             ("task", "working", None))
            self.assertRegex(task["createdAt"], r"^\d{4}-\d\d-\d\dT")
            self.assertIn("escrow_agent", task["statusMessage"])
            got = seller.ask("tasks/get", {"taskId": task["taskId"]})
            self.assertEqual((got["resultType"], got["status"]), ("complete", "working"))
            for method in ("tasks/get", "tasks/cancel"):
                for unknown in ("f-no", "x\n", "é"):
                    with self.assertRaises(Refused) as caught:
                        seller.ask(method, {"taskId": unknown})
                    self.assertEqual(caught.exception.code, -32602)
        for persona in ("escrow_agent", "compliance_officer"):
            with self.escrow(persona, NEWER) as other:
                other.call("resume", {"execution": task["taskId"]})
        with self.escrow("seller", NEWER, can=TASKS) as seller:
            got = seller.ask("tasks/get", {"taskId": task["taskId"]})
            self.assertEqual((got["status"], got["result"]["isError"]), ("completed", False))
            self.assertEqual(got["result"]["structuredContent"]["outcome"], "success")

    def test_a_task_is_cancelled_by_who_began_it(self):
        with self.escrow("seller", NEWER, can=TASKS) as seller:
            task = seller.call("standard_release", {"bindings": BOTH, "facts": FACTS})["taskId"]
            self.assertEqual(seller.ask("tasks/cancel", {"taskId": task})["resultType"], "complete")
            self.assertEqual(seller.ask("tasks/get", {"taskId": task})["status"], "cancelled")

    def test_an_outcome_is_asked_for_where_the_client_can_be_asked(self):
        given = {"bindings": {"Claim": "c1"}, "facts": {
            "policy_active": True, "claimed_amount": {"amount": "5.00", "currency": "EUR"},
            "covered_amount": {"amount": "9.00", "currency": "EUR"}}}
        words = ["--may-assert", "*", "--instance", "Claim/c1"]
        with self.agent("claimant", NEWER, *words, contract=CLAIMS) as claimant:
            claimant.call("open_review", given)
        with self.agent("adjudicator", NEWER, *words, contract=CLAIMS) as plain:
            said = plain.call("decide_claim", given)
            self.assertEqual(said["structuredContent"]["outcomes"], ["approved", "rejected"])
        with self.agent("adjudicator", NEWER, *words, contract=CLAIMS, can=ASKED) as asked:
            need = asked.call("decide_claim", given)
            self.assertEqual(need["resultType"], "input_required")
            (key, request), = need["inputRequests"].items()
            self.assertEqual(request["params"]["requestedSchema"]["properties"]["outcome"]["enum"],
                             ["approved", "rejected"])
            no = asked.call("decide_claim", given, inputResponses={key: {"action": "decline"}})
            self.assertEqual(no["structuredContent"]["code"], "no_outcome")
            done = asked.call("decide_claim", given, inputResponses={
                key: {"action": "accept", "content": {"outcome": "rejected"}}})
            self.assertEqual(done["structuredContent"]["outcome"], "rejected")

    def test_a_flow_asks_for_the_outcome_of_its_own_step(self):
        path = self.write("w.tenor", '''
persona p
persona q
entity E { states: [a, b, c] initial: a transitions: [(a, b), (a, c)] }
operation pick { personas: [p] require: true outcomes: [one, two]
                 effects: [E: a -> b -> one, E: a -> c -> two] }
flow f { snapshot: at_initiation entry: s steps: {
  s: OperationStep { op: pick persona: p outcomes: { one: Terminal(success)
     two: Terminal(failure) } on_failure: Terminate(outcome: failure) } } }
''')
        for number, can in enumerate([ASKED, {**ASKED, **TASKS}]):
            words = ["--instance", f"E/x{number}"]
            given = {"bindings": {"E": f"x{number}"}}
            with self.agent("p", NEWER, *words, contract=path, can=can) as p:
                need = p.call("f", given)
                self.assertEqual(need["resultType"], "input_required")
                (key, _), = need["inputRequests"].items()
                done = p.call("f", given, requestState=need["requestState"], inputResponses={
                    key: {"action": "accept", "content": {"outcome": "two"}}})
                self.assertEqual(done["structuredContent"]["outcome"], "failure")
                self.assertEqual(done["structuredContent"]["id"], need["requestState"])
        with self.agent("p", NEWER, "--instance", "E/y", contract=path) as p:
            words = p.call("f", {"bindings": {"E": "y"}})
            self.assertIn("Call resume", words["content"][0]["text"])
            done = p.call("resume", {"execution": words["structuredContent"]["id"],
                                     "outcome": "one"})
            self.assertEqual(done["structuredContent"]["status"], "done")

    TWICE = '''
persona p
entity E { states: [a, b, c, d] initial: a transitions: [(a, b), (b, c), (b, d)] }
entity F { states: [a, b, c] initial: a transitions: [(a, b), (a, c)] }
operation pick { personas: [p] require: true outcomes: [one, two]
                 effects: [F: a -> b -> one, F: a -> c -> two] }
operation begin { personas: [p] require: true effects: [(E, a, b)] }
operation choose { personas: [p] require: true outcomes: [one, two]
                   effects: [E: b -> c -> one, E: b -> d -> two] }
flow f { snapshot: at_initiation entry: s steps: {
  s: OperationStep { op: pick persona: p outcomes: { one: t two: t } on_failure: Terminate(outcome: failure) }
  t: OperationStep { op: begin persona: p outcomes: { success: u } on_failure: Terminate(outcome: failure) }
  u: OperationStep { op: choose persona: p outcomes: { one: Terminal(success) two: Terminal(failure) }
                     on_failure: Terminate(outcome: failure) } } }
flow g { snapshot: at_initiation entry: s steps: {
  s: SubFlowStep { flow: f persona: p on_success: Terminal(success)
                   on_failure: Terminate(outcome: failure) } } }
'''

    def test_each_step_that_asks_is_answered_for_itself(self):
        """The same key and the same outcome at two steps are two answers; one that comes late moves
        nothing."""
        path = self.write("t.tenor", self.TWICE)
        given = {"bindings": {"E": "x", "F": "x"}}
        with self.agent("p", NEWER, "--instance", "E/x", "--instance", "F/x", "--instance", "E/y",
                        "--instance", "F/y", contract=path, can=ASKED) as p:
            def answer(key, outcome, state):
                return p.call("f", given, {"motet/callId": "one"}, requestState=state, inputResponses={
                    key: {"action": "accept", "content": {"outcome": outcome}}})
            first = p.call("f", given, {"motet/callId": "one"})
            state = first["requestState"]
            self.assertEqual(list(first["inputRequests"]), ["outcome:s"])
            second = answer("outcome:s", "one", state)
            self.assertEqual(list(second["inputRequests"]), ["outcome:u"])
            for key in ("outcome:s", "outcome", "outcome:", "u"):  # late, or never asked for
                late = answer(key, "two", state)
                self.assertEqual(list(late["inputRequests"]), ["outcome:u"])
            no = p.call("f", given, requestState=state, inputResponses={"outcome:u": {"action": "decline"}})
            self.assertEqual(no["structuredContent"]["code"], "no_outcome")
            elsewhere = {"bindings": {"E": "y", "F": "y"}}
            begun = p.call("f", elsewhere)["requestState"]
            for tool, arguments, kept in [
                    *(("f", given, nonsense) for nonsense in ("", "\n", "f-no", "x" * 5000, state + "-")),
                    ("f", elsewhere, state), ("f", given, begun), ("f", {}, state), ("g", given, state)]:
                with self.assertRaises(Refused, msg=(tool, kept)) as caught:
                    p.call(tool, arguments, requestState=kept, inputResponses={
                        "outcome:u": {"action": "accept", "content": {"outcome": "one"}}})
                self.assertEqual(caught.exception.code, -32602)
            done = p.call("f", given, {"motet/callId": "one"}, requestState=state, inputResponses={
                "outcome:s": {"action": "accept", "content": {"outcome": "two"}},  # all that was answered so far
                "outcome:u": {"action": "accept", "content": {"outcome": "one"}}})
            self.assertEqual(done["structuredContent"]["outcome"], "success")
            flows = json.loads(p.ask("resources/read", {"uri": "motet://t/flows"})["contents"][0]["text"])
            self.assertEqual(len(flows["items"]), 2, "nothing was begun twice")

    # ---- resources ------------------------------------------------------------------------------

    def test_resources_are_read_as_the_rights_allow(self):
        with self.escrow("seller", NEWER) as seller:
            for resource in seller.ask("resources/list")["resources"]:
                read = seller.ask("resources/read", {"uri": resource["uri"]})
                json.loads(read["contents"][0]["text"])
            templates = [t["uriTemplate"] for t in
                         seller.ask("resources/templates/list")["resourceTemplates"]]
            self.assertIn("motet://escrow/records/{id}/proof", templates)
            for uri in ("motet://escrow/records/1", "motet://other/manifest", "file:///etc/passwd",
                        "motet://escrow/instances/EscrowAccount/%00", "motet://escrow/%zz",
                        "motet://escrow/instances/EscrowAccount/%ff", "motet://escrow",
                        "motet://escrow/", "motet://escrow/manifest/", "motet://escrow/flows/f-x",
                        "motet://escrow/instances/EscrowAccount/no", "motet:escrow/manifest"):
                with self.assertRaises(Refused, msg=uri) as caught:
                    seller.ask("resources/read", {"uri": uri})
                self.assertEqual(caught.exception.code, -32602, uri)
                self.assertEqual(caught.exception.error["data"]["uri"], uri)
        with self.escrow("seller", OLDER, "--right", "ledger:read") as seller:
            for uri in ("motet://escrow/records/1", "motet://escrow/records/1/proof"):
                json.loads(seller.ask("resources/read", {"uri": uri})["contents"][0]["text"])
            with self.assertRaises(Refused) as caught:
                seller.ask("resources/read", {"uri": "motet://escrow/nothing"})
            self.assertEqual(caught.exception.code, -32002)

    # ---- the command ----------------------------------------------------------------------------

    def test_only_answers_go_to_standard_output(self):
        lines = ["", "  ", "{", "[]", "null", '{"jsonrpc":"2.0","method":"x"}', "\x00",
                 json.dumps(message(NEWER, 1, "tools/list"))]
        done = self.run_motet("mcp", ESCROW, "--persona", "buyer", stdin="\r\n".join(lines) + "\n")
        self.assertEqual(done.code, 0, done.err)
        answers = [json.loads(line) for line in done.out.splitlines()]
        self.assertEqual([a.get("error", {}).get("code", "result") for a in answers],
                         [-32700, -32600, -32600, -32700, "result"])

    def test_the_last_line_may_lack_its_end_and_half_a_message_does_nothing(self):
        call = json.dumps(message(NEWER, 1, "tools/call", {"name": "confirm_delivery", "arguments": {
            "bindings": {"DeliveryRecord": "del-001"}, "facts": FACTS}}))
        words = ["mcp", ESCROW, "--persona", "seller", *GIVES, "--store", "sqlite:h.db", "--instance",
                 "DeliveryRecord/del-001"]
        for text, told in [(call[:-1], "unexpected end"), (call[:40], "string has no end"),
                           (call, "Done: confirm_delivery"), (call, "invalid_source_state")]:
            done = self.run_motet(*words, stdin=text)
            self.assertEqual((done.code, done.out.count("\n")), (0, 1), done)
            self.assertIn(told, done.out)

    def test_nothing_more_is_done_when_nobody_hears(self):
        agent = self.escrow("seller", NEWER)
        agent.process.stdout.close()
        call = message(NEWER, 1, "tools/call", {"name": "confirm_delivery", "arguments": {
            "bindings": {"DeliveryRecord": "del-001"}, "facts": FACTS}})
        agent.say(json.dumps(message(NEWER, 0, "tools/list")))
        self.assertEqual(agent.process.wait(timeout=60), 0)
        with self.assertRaises(BrokenPipeError):
            agent.say(json.dumps(call))
        with self.assertRaises(BrokenPipeError):  # what was not taken is still to be written
            agent.process.stdin.close()
        agent.process.stderr.close()
        with self.escrow("seller", NEWER) as seller:
            read = seller.ask("resources/read", {"uri": "motet://escrow/instances/DeliveryRecord/del-001"})
            self.assertEqual(json.loads(read["contents"][0]["text"])["version"], 0)

    def test_a_message_is_as_long_as_the_limit_says(self):
        def line(length):
            text = json.dumps(message(NEWER, 1, "tools/list", {"x": ""}))
            return text.replace('"x": ""', '"x": "%s"' % ("y" * (length - len(text))))
        for length, want in [(1000, ["result", "result"]), (1001, ["error", "result"]),
                             (300000, ["error", "result"])]:
            text = line(length) + "\n" + line(500) + "\n"
            done = self.run_motet("mcp", ESCROW, "--persona", "buyer", "--limit",
                                  "mcp_bytes=1000", stdin=text)
            answers = [json.loads(answer) for answer in done.out.splitlines()]
            self.assertEqual([("result" if "result" in a else "error") for a in answers], want)

    def test_what_cannot_be_is_told(self):
        for words, code, said in [
                ([], 2, "--persona P is required"),
                (["--persona", "byer"], 2, "did you mean 'buyer'"),
                (["--persona", "buyer", "--may-assert", "delivery_statu"], 2,
                 "did you mean 'delivery_status'"),
                (["--persona", "buyer", "--may-assert", "source:delivery_servce"], 2,
                 "no source 'delivery_servce'; did you mean 'delivery_service'"),
                (["--persona", "buyer", "--right", "facts:*"], 2, "--may-assert"),
                (["--persona", "buyer", "--right", "everything"], 2, "no right 'everything'"),
                (["--persona", "buyer", "--instance", "E"], 2, "ENTITY/ID"),
                (["--persona", "buyer", "--instance", "E/x"], 2, "unknown_entity"),
                (["--persona", "buyer", "--contract", "other"], 2, "no contract 'other'"),
                (["--persona", "buyer", "--store", "sqlite:/no/where/a.db"], 3, "motet mcp: ")]:
            with self.subTest(words):
                self.assertRegex(self.fails(code, "mcp", ESCROW, *words).err, re.escape(said))
        bad = self.write("bad.tenor", "persona")
        self.fails(1, "mcp", bad, "--persona", "p")


main()
