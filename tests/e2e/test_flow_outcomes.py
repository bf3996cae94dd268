"""Flows on a server that come to an operation for which several outcomes match."""
import json

from harness import Case, main, run
from serve import Server

LOAN = """persona clerk
persona risk_officer
fact sound { type: Bool source: "desk" default: true }
rule ok { stratum: 0 when: sound = true produce: ok(true) }
entity Loan { states: [asked, checked, granted, refused, undone] initial: asked
  transitions: [(asked, checked), (checked, granted), (checked, refused), (checked, undone),
                (refused, undone), (granted, undone)] }
entity Mail { states: [none, sent, lost] initial: none transitions: [(none, sent), (none, lost)] }
operation check { allowed_personas: [clerk] precondition: ok present effects: [(Loan, asked, checked)] outcomes: [done] }
operation decide { allowed_personas: [risk_officer] precondition: ok present
  effects: [(Loan, checked, granted, approved), (Loan, checked, refused, declined)] outcomes: [approved, declined] }
operation fail { allowed_personas: [clerk] precondition: verdict_present(ok) and sound = false
  effects: [(Loan, checked, undone)] outcomes: [done] }
operation undo { allowed_personas: [clerk] precondition: ok present
  effects: [(Loan, checked, undone)] outcomes: [done] }
operation write { allowed_personas: [clerk] precondition: ok present
  effects: [(Mail, none, sent, sent), (Mail, none, lost, lost)] outcomes: [sent, lost] }
flow lend { snapshot: at_initiation entry: a steps: {
  a: OperationStep { op: check persona: clerk outcomes: { done: b } on_failure: Terminate(outcome: failure) }
  b: OperationStep { op: decide persona: risk_officer
     outcomes: { approved: Terminal(granted), declined: Terminal(refused) }
     on_failure: Compensate(steps: [{ op: undo persona: clerk on_failure: Terminal(failure) }] then: Terminal(failure)) }
} }
flow both { snapshot: at_initiation entry: p steps: {
  p: ParallelStep { branches: [
       Branch { id: left entry: b steps: { b: OperationStep { op: decide persona: risk_officer
         outcomes: { approved: Terminal(success), declined: Terminal(success) } on_failure: Terminate(outcome: failure) } } },
       Branch { id: right entry: w steps: { w: OperationStep { op: write persona: clerk
         outcomes: { sent: Terminal(success), lost: Terminal(success) } on_failure: Terminate(outcome: failure) } } } ]
     join: JoinPolicy { on_all_success: Terminal(success) on_any_failure: Terminate(outcome: failure) } }
} }
flow around { snapshot: at_initiation entry: s steps: {
  s: SubFlowStep { flow: lend persona: clerk on_success: Terminal(success) on_failure: Terminate(outcome: failure) }
} }
flow undoing { snapshot: at_initiation entry: a steps: {
  a: OperationStep { op: fail persona: clerk outcomes: { done: Terminal(success) }
     on_failure: Compensate(steps: [{ op: write persona: clerk on_failure: Terminal(failure) }] then: Terminal(failure)) }
} }
"""
# Two operations with outcomes of the same names; of the first a third one does not match at once.
TWICE = """persona clerk
fact sound { type: Bool source: "desk" default: true }
entity Loan { states: [asked, left, right, end] initial: asked
  transitions: [(asked, left), (asked, right), (left, asked), (left, end), (right, end)] }
operation first { allowed_personas: [clerk] precondition: sound = true
  effects: [(Loan, asked, left, yes), (Loan, asked, right, no), (Loan, left, asked, back)] outcomes: [yes, no, back] }
operation second { allowed_personas: [clerk] precondition: sound = true
  effects: [(Loan, left, end, yes), (Loan, left, end, no)] outcomes: [yes, no] }
flow twice { snapshot: at_initiation entry: a steps: {
  a: OperationStep { op: first persona: clerk outcomes: { yes: b, no: Terminal(failure), back: Terminal(failure) }
     on_failure: Terminate(outcome: failure) }
  b: OperationStep { op: second persona: clerk outcomes: { yes: Terminal(success), no: Terminal(success) }
     on_failure: Terminate(outcome: failure) }
} }
"""
DECIDE = {"operation": "decide", "outcomes": ["approved", "declined"], "persona": "risk_officer", "step": "b"}


class Outcomes(Case):
    def serve(self, **named):
        server = Server(self.dir, self.write("loan.tenor", LOAN), **named)
        self.addCleanup(server.stop)
        server.start()
        return server

    def begin(self, server, flow="lend", loan="l1", state=None, token=None, **body):
        server.post("/v1/contracts/loan/instances/Loan", {"id": loan}, token=token)
        server.post("/v1/contracts/loan/instances/Mail", {"id": loan}, token=token)
        if state == "checked":
            done = server.post("/v1/contracts/loan/operations/check",
                               {"persona": "clerk", "bindings": {"Loan": loan}}, token=token)
            self.assertEqual(done.status, 200, done)
        answer = server.post(f"/v1/contracts/loan/flows/{flow}", {
            "persona": "clerk", "bindings": {"Loan": loan, "Mail": loan}, **body}, token=token)
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def loan(self, server, loan="l1", entity="Loan"):
        return server.get(f"/v1/contracts/loan/instances/{entity}/{loan}").json["state"]

    def records(self, server):
        """What was done; that something was refused is a record, too."""
        return sum(1 for item in server.get("/v1/ledger").json["items"]
                   if item["body"]["kind"] != "refusal")

    def flow(self, server, begun):
        return server.get(f"/v1/flows/{begun['id']}").json

    def test_FU1_a_flow_waits_for_an_outcome_to_be_named(self):
        server = self.serve()
        begun = self.begin(server)
        self.assertEqual((begun["status"], begun.get("waiting")), ("waiting", DECIDE), begun)
        self.assertEqual(self.loan(server), "checked")
        self.assertEqual(self.flow(server, begun).get("waiting"), DECIDE)
        self.assertEqual(server.get("/v1/flows").json["items"][0].get("waiting"), DECIDE)
        shown = run("flow", "show", begun["id"], "--server", server.url, "--json")
        self.assertEqual(json.loads(shown.out).get("waiting"), DECIDE)
        self.assertEqual(server.post(f"/v1/flows/{begun['id']}/resume",
                                     {"outcome": "approved"}).json["outcome"], "granted")
        self.assertEqual(self.loan(server), "granted")

    def test_FU1_what_names_no_outcome_is_refused_and_the_flow_keeps_waiting(self):
        server = self.serve()
        begun = self.begin(server)
        path, before = f"/v1/flows/{begun['id']}/resume", self.records(server)
        for body, status, code, outcomes in (
                ({}, 409, "ambiguous_outcome", DECIDE["outcomes"]),
                ({"persona": "risk_officer"}, 409, "ambiguous_outcome", DECIDE["outcomes"]),
                ({"outcome": {"a": "done"}}, 409, "ambiguous_outcome", DECIDE["outcomes"]),
                ({"outcome": "aproved"}, 422, "unknown_outcome", DECIDE["outcomes"]),
                ({"outcome": "done"}, 422, "unknown_outcome", DECIDE["outcomes"]),
                ({"outcome": {"b": "done"}}, 422, "unknown_outcome", DECIDE["outcomes"]),
                ({"outcome": {"nowhere": "approved"}}, 422, "unknown_outcome", DECIDE["outcomes"]),
                ({"outcome": {"b": 7}}, 422, "unknown_outcome", DECIDE["outcomes"]),
                ({"outcome": ["approved"]}, 400, "bad_request", None)):
            for dry in (False, True):
                answer = server.post(path, {**body, **({"dry_run": True} if dry else {})})
                self.assertEqual((answer.status, answer.code), (status, code), (body, answer))
                self.assertEqual(answer.json.get("simulation", False), dry, (body, answer))
                if outcomes:
                    self.assertEqual(answer.json["outcomes"], outcomes, body)
                self.assertEqual(self.flow(server, begun)["status"], "waiting", body)
                self.assertEqual(self.loan(server), "checked", body)
        self.assertEqual(self.records(server), before)
        self.assertEqual(server.post(path, {"outcome": {"b": "declined"}}).json["outcome"], "refused")

    def test_FU1_resuming_has_a_dry_run_that_leaves_nothing(self):
        server = self.serve()
        begun = self.begin(server)
        path, before = f"/v1/flows/{begun['id']}/resume", self.records(server)
        tried = server.post(path, {"outcome": "declined", "dry_run": True})
        self.assertEqual(tried.status, 200, tried)
        self.assertTrue(tried.json["simulation"])
        self.assertEqual(self.records(server), before)
        self.assertEqual((self.flow(server, begun)["status"], self.loan(server)), ("waiting", "checked"))
        real = server.post(path, {"outcome": "declined"})
        for member in ("status", "outcome", "steps", "changes", "id", "etag"):
            self.assertEqual(tried.json[member], real.json[member], member)
        late = server.post(path, {"dry_run": True})
        self.assertEqual((late.status, late.code, late.json["simulation"]), (409, "not_resumable", True))
        nobody = server.post("/v1/flows/f-0/resume", {"dry_run": True})
        self.assertEqual((nobody.status, nobody.code), (404, "unknown_execution"))

    def test_FU1_with_tokens_who_holds_the_persona_names_the_outcome(self):
        server = self.serve()
        clerk = server.token("--name", "clerk", "--persona", "clerk", "--right", "instances:create")
        officer = server.token("--name", "officer", "--persona", "risk_officer")
        self.assertTrue(server.wait_until(lambda: server.get("/v1/flows").status == 401))
        self.assertTrue(server.wait_until(lambda: server.get("/v1/flows", token=officer).status == 200))
        self.assertEqual(server.post("/v1/contracts/loan/instances/Loan", {"id": "l1"}, token=clerk).status, 201)
        begun = server.post("/v1/contracts/loan/flows/lend", {"persona": "clerk", "bindings": {"Loan": "l1"}},
                            token=clerk).json
        self.assertEqual(begun.get("waiting"), DECIDE, begun)
        path = f"/v1/flows/{begun['id']}/resume"
        for dry in (True, False):
            answer = server.post(path, {"outcome": "approved", "dry_run": dry}, token=clerk)
            self.assertEqual((answer.status, answer.code), (403, "persona_rejected"), answer)
        answer = server.post(path, {}, token=officer)
        self.assertEqual((answer.status, answer.code), (409, "ambiguous_outcome"), answer)
        answer = server.post(path, {"outcome": "approved"}, token=officer)
        self.assertEqual(answer.json["outcome"], "granted", answer)

    def test_FU1_a_name_alone_is_for_the_operation_the_flow_waits_at(self):
        for turn in (1, 256):  # the next operation in a transaction of its own, or in the same
            server = Server(self.dir, self.write("twice.tenor", TWICE), store=f"sqlite:{turn}.db", options=(
                "--config", self.write("serve.yaml", f"executor: {{flow_turn: {turn}}}\n")))
            with server:
                server.post("/v1/contracts/twice/instances/Loan", {"id": "l"})
                begun = server.post("/v1/contracts/twice/flows/twice", {"persona": "clerk", "bindings": {"Loan": "l"}}).json
                self.assertEqual(begun["waiting"]["step"], "a", begun)
                path = f"/v1/flows/{begun['id']}/resume"
                answer = server.post(path, {"outcome": "yes"}).json
                self.assertEqual((answer["status"], answer.get("waiting", {}).get("step")), ("waiting", "b"), (turn, answer))
                self.assertEqual(server.post(path, {"outcome": "no"}).json["outcome"], "success")

    def test_FU1_a_name_that_does_not_match_the_states_is_not_taken(self):
        with Server(self.dir, self.write("twice.tenor", TWICE)) as server:
            server.post("/v1/contracts/twice/instances/Loan", {"id": "l"})
            begun = server.post("/v1/contracts/twice/flows/twice", {
                "persona": "clerk", "bindings": {"Loan": "l"}, "outcome": "back"}).json
            self.assertEqual((begun["status"], begun.get("waiting", {}).get("step")), ("waiting", "a"), begun)
            refused = server.post(f"/v1/flows/{begun['id']}/resume", {"outcome": "back"})
            self.assertEqual((refused.code, refused.json["outcomes"]), ("ambiguous_outcome", ["yes", "no"]), refused)
            moved = server.post("/v1/contracts/twice/operations/first", {
                "persona": "clerk", "bindings": {"Loan": "l"}, "outcome": "yes"})
            self.assertEqual(moved.status, 200, moved)  # now `back` matches, and nothing else
            for dry in (True, False):
                refused = server.post(f"/v1/flows/{begun['id']}/resume", {"outcome": "no", "dry_run": dry})
                self.assertEqual((refused.status, refused.code), (409, "invalid_source_state"), refused)
                self.assertEqual(refused.json["outcomes"], ["back"], refused)
            self.assertEqual(self.flow(server, begun)["status"], "waiting")

    def test_FU1_outcomes_named_when_it_begins_carry_it_through(self):
        server = self.serve()
        self.assertEqual(self.begin(server, outcome="approved")["outcome"], "granted")
        self.assertEqual(self.begin(server, loan="l2", outcome={"b": "declined"})["outcome"], "refused")
        tried = self.begin(server, loan="l3", dry_run=True)
        self.assertEqual((tried["status"], tried.get("waiting"), tried["simulation"]), ("waiting", DECIDE, True))
        for wrong in ("aproved", {"b": "aproved"}, {"c": "approved"}):
            answer = server.post("/v1/contracts/loan/flows/lend", {
                "persona": "clerk", "bindings": {"Loan": "l3", "Mail": "l3"}, "outcome": wrong})
            self.assertEqual((answer.status, answer.code), (422, "unknown_outcome"), answer)
        self.assertEqual(self.loan(server, "l3"), "asked")

    def test_FU1_branches_sub_flows_and_compensations_wait_too(self):
        server = self.serve()
        begun = self.begin(server, "both", state="checked")
        self.assertEqual(begun.get("waiting"), DECIDE, begun)
        path = f"/v1/flows/{begun['id']}/resume"
        answer = server.post(path, {"outcome": "approved"}).json
        written = {"operation": "write", "outcomes": ["sent", "lost"], "persona": "clerk", "step": "w"}
        self.assertEqual((answer["status"], answer.get("waiting")), ("waiting", written), answer)
        self.assertEqual(self.flow(server, begun).get("waiting"), written)
        self.assertEqual(server.post(path, {"outcome": "approved"}).code, "unknown_outcome")
        self.assertEqual(server.post(path, {"outcome": "lost"}).json["outcome"], "success")
        self.assertEqual(self.loan(server, entity="Mail"), "lost")

        begun = self.begin(server, "around", loan="l2")
        self.assertEqual(begun.get("waiting"), DECIDE, begun)
        answer = server.post(f"/v1/flows/{begun['id']}/resume", {"outcome": {"b": "approved"}})
        self.assertEqual(answer.json["outcome"], "success", answer)

        begun = self.begin(server, "undoing", loan="l3", state="checked")
        undo = {**written, "step": "write"}
        self.assertEqual(begun.get("waiting"), undo, begun)
        path = f"/v1/flows/{begun['id']}/resume"
        self.assertEqual(server.post(path, {}).code, "ambiguous_outcome")
        self.assertEqual(server.post(path, {"outcome": {"write": "sent"}}).json["outcome"], "failure")
        self.assertEqual(self.loan(server, "l3", "Mail"), "sent")

    def test_FU1_a_flow_survives_a_restart_while_it_waits(self):
        server = self.serve()
        begun = self.begin(server)
        server.stop()
        server.start()
        self.assertEqual(server.get("/v1/flows").json["items"][0].get("waiting"), DECIDE)
        answer = server.post(f"/v1/flows/{begun['id']}/resume", {"outcome": "declined"})
        self.assertEqual(answer.json["outcome"], "refused", answer)

    def test_FU1_an_older_version_nobody_has_used_since_the_start_is_shown_in_full(self):
        server = self.serve()
        begun = self.begin(server)
        answer = server.post("/v1/contracts", {"contract": "loan", "policy": "blue_green",
                                               "source": LOAN.replace("declined", "denied")})
        self.assertEqual(answer.status, 200, answer)
        server.stop()
        again = Server(self.dir, store=server.store)
        self.addCleanup(again.stop)
        again.start()
        self.assertEqual(again.get("/v1/flows").json["items"][0].get("waiting"), DECIDE)
        answer = again.post(f"/v1/flows/{begun['id']}/resume", {"outcome": "declined"})
        self.assertEqual(answer.json["outcome"], "refused", answer)


if __name__ == "__main__":
    main()
