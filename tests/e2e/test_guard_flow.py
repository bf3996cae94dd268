"""A tool whose meaning is a flow: a release is written by the agent and approved by somebody else."""
import contextlib
import json
import random
import signal
import sqlite3
import subprocess
import time

import guards
import mcp
import serve
from guards import Guard
from harness import MOTET, SANITIZED, SEED, SOAK, Case, main

CONTRACT = """persona agent
persona reviewer

entity File { states: [open, written, released] initial: open
  transitions: [(open, written), (written, released), (written, open)] }

fact inside { type: Bool source: "arguments.path" default: false }
fact sealed { type: Bool source: "other" default: false }

operation read { personas: [agent] require: inside effects: [] }
operation write {
  personas: [agent]
  require: inside
  outcomes: [written]
  effects: [File: open -> written -> written]
}
operation release {
  personas: [reviewer]
  require: inside
  outcomes: [released]
  effects: [File: written -> released -> released]
}
operation choose {
  personas: [agent]
  require: inside
  outcomes: [kept, given]
  effects: [File: open -> open -> kept, File: open -> written -> given]
}
flow publish {
  snapshot: at_initiation
  entry: write_it
  steps: {
    write_it: OperationStep { op: write persona: agent outcomes: { written: release_it }
                              on_failure: Terminate(outcome: failure) }
    release_it: OperationStep { op: release persona: reviewer outcomes: { released: Terminal(success) }
                                on_failure: Terminate(outcome: failure) }
  }
}
flow choosing {
  snapshot: at_initiation
  entry: choose_it
  steps: {
    choose_it: OperationStep { op: choose persona: agent
                               outcomes: { kept: Terminal(success), given: Terminal(success) }
                               on_failure: Terminate(outcome: failure) }
  }
}
flow theirs {
  snapshot: at_initiation
  entry: release_it
  steps: {
    release_it: OperationStep { op: release persona: reviewer outcomes: { released: Terminal(success) }
                                on_failure: Terminate(outcome: failure) }
  }
}
"""
CONTRACT = CONTRACT.replace("transitions: [(open, written)", "transitions: [(open, open), (open, written)")
MAP = f"""persona: agent
timeout: 60s
tools:
  read:
    operation: read
    {guards.INSIDE}
  write:
    flow: publish
    {guards.FILE}
    {guards.INSIDE}
  seal:
    flow: publish
    commit: before
    {guards.FILE}
    {guards.INSIDE}
  purge:
    flow: theirs
    {guards.FILE}
    {guards.INSIDE}
  decide:
    flow: choosing
    {guards.FILE}
    {guards.INSIDE}
    result:
      outcome: {{from: structuredContent.status}}
      on_error: kept
"""
STORE = ["--store", "sqlite:guard.db"]


class Flows(Case):
    def setUp(self):
        super().setUp()
        guards.lay_out(self.dir, CONTRACT, MAP)

    def told(self, *members):
        """(kind, and these members) of each record that tells of a call or a flow."""
        found = []
        for r in guards.records(self.dir):
            body = r["body"]
            event = body.get("guard", {}).get("event")
            if event or body["kind"].startswith("flow_") or "execution" in body:
                found.append((body["kind"], event, *(body.get(m) for m in members)))
        return found

    def check_store(self):
        for words in (["ledger", "verify"], ["store", "check"]):
            done = self.run_motet(*words, *STORE)
            self.assertEqual(done.code, 0, done)

    def made(self):
        return [r["body"]["instance"] for r in guards.records(self.dir) if r["body"]["kind"] == "instance_created"]

    def resolve(self, call, *words):
        return self.run_motet("guard", "resolve", call, *words, *STORE)


class Decided(Flows):
    def test_allowed_begun_with_the_result_and_waiting_for_somebody_else(self):
        for revision, path in ((mcp.NEWER, "/srv/a"), (mcp.OLDER, "/srv/b")):
            with self.subTest(revision), Guard(self.dir, revision=revision) as agent:
                self.assertEqual(agent.words("write", mark="m", path=path), (False, "done m"))
        self.assertEqual(self.told("flow")[:4], [
            ("guard", "allowed", "publish"), ("flow_started", "done", "publish"),
            ("operation", None, "publish"), ("flow_waiting", None, "publish")])
        self.assertEqual(guards.pending(self.dir), [])
        self.check_store()

    def test_the_result_says_which_flow_began(self):
        with Guard(self.dir) as agent:
            meta = agent.call("write", {"path": "/srv/a"})["_meta"]
        flow = meta["motet/flow"]
        self.assertEqual((flow["flow"], flow["status"], flow["waiting"]["persona"]), ("publish", "waiting", "reviewer"))
        record = [r["body"] for r in guards.records(self.dir) if r["seq"] == meta["motet/record"]][0]
        self.assertEqual((record["kind"], record["execution"]), ("flow_waiting", flow["id"]))

    def test_what_waits_is_gone_on_with_by_who_it_waits_for(self):
        with Guard(self.dir) as agent:
            self.assertFalse(agent.words("write", path="/srv/a")[0])
        flow = [r["body"]["execution"] for r in guards.records(self.dir) if r["body"]["kind"] == "flow_waiting"][0]
        server = serve.Server(self.dir, self.dir / "files.tenor", store="sqlite:guard.db")
        token = server.token("--persona", "files:reviewer")
        with server:
            shown = server.get(f"/v1/flows/{flow}", token=token)
            self.assertEqual(shown.json["waiting"]["persona"], "reviewer", shown)
            done = server.post(f"/v1/flows/{flow}/resume", {}, token=token)
            self.assertEqual((done.status, done.json["status"], done.json["outcome"]), (200, "done", "success"), done)
        self.check_store()

    def test_refused_by_its_first_operation_with_reasons(self):
        with Guard(self.dir) as agent:
            error, text = agent.words("write", mark="no", path="/etc/a")
            self.assertTrue(error)
            self.assertIn("Refused (precondition_failed)", text)
            self.assertIn("inside is false", text)
            self.assertFalse(agent.words("write", mark="m", path="/srv/a")[0])
            error, text = agent.words("write", mark="no", path="/srv/a")
            self.assertIn("Refused (invalid_source_state)", text)
        self.assertEqual(guards.calls(self.dir), ["m"])
        self.assertEqual(self.made(), ["/srv/a"])
        refused = [r["body"] for r in guards.records(self.dir) if r["body"]["kind"] == "refusal"]
        self.assertEqual([(r["flow"], r["guard"]["event"]) for r in refused], [("publish", "refused")] * 2)
        self.check_store()

    def test_a_flow_that_would_fail_on_the_agents_own_way_is_refused(self):
        """Its first operation can be done; behind it, it ends with a failure before anybody else acts."""
        guards.lay_out(self.dir, CONTRACT + """operation sign { personas: [agent] require: sealed
  effects: [File: written -> released] }
flow signed { snapshot: at_initiation entry: a steps: {
  a: OperationStep { op: write persona: agent outcomes: { written: b } on_failure: Terminate(outcome: failure) }
  b: OperationStep { op: sign persona: agent outcomes: { success: Terminal(success) }
                     on_failure: Terminate(outcome: failure) } } }
flow asks { snapshot: at_initiation entry: a steps: {
  a: BranchStep { condition: sealed persona: agent if_true: Terminal(success) if_false: Terminal(failure) } } }
""", MAP.replace("flow: theirs", "flow: asks").replace("flow: publish", "flow: signed"))
        with Guard(self.dir) as agent:
            for tool, told in (("write", "precondition failed for operation 'sign'"), ("seal", "'sign'"),
                               ("purge", "flow 'asks' would end with 'failure'")):
                error, text = agent.words(tool, mark="no", path="/srv/a")
                self.assertIn("Refused (flow_failed)", text)
                self.assertIn(told, text)
        self.assertEqual((guards.calls(self.dir), self.made()), ([], []))
        self.check_store()

    def test_a_failure_that_the_result_leads_to_is_an_end(self):
        guards.lay_out(self.dir, CONTRACT.replace("given: Terminal(success)", "given: Terminal(failure)"), MAP)
        with Guard(self.dir) as agent:
            meta = agent.call("decide", {"path": "/srv/a", "status": "given"})["_meta"]
        self.assertEqual(meta["motet/flow"]["status"], "done")
        self.assertEqual([r["body"]["outcome"] for r in guards.records(self.dir) if r["body"]["kind"] == "flow_ended"],
                         ["failure"])
        self.assertEqual(guards.pending(self.dir), [])

    def test_what_somebody_else_begins_is_refused_and_not_listed(self):
        with Guard(self.dir) as agent:
            self.assertEqual(agent.tools(), ["read", "write", "seal", "decide"])
            error, text = agent.words("purge", mark="no", path="/srv/a")
            self.assertIn("begins with the persona 'reviewer'", text)
        self.assertEqual((guards.calls(self.dir), self.made()), ([], []))

    def test_a_tool_that_fails_begins_nothing(self):
        with Guard(self.dir) as agent:
            self.assertTrue(agent.words("write", path="/srv/a", do="error")[0])
            self.assertFalse(agent.words("write", path="/srv/a")[0])  # nothing holds it
        self.assertEqual(self.told()[:2], [("guard", "allowed"), ("guard", "failed")])
        self.check_store()

    def test_committed_before(self):
        with Guard(self.dir) as agent:
            self.assertTrue(agent.words("seal", path="/srv/a", do="error")[0])
        self.assertEqual(self.told("flow"), [
            ("flow_started", "allowed", "publish"), ("operation", None, "publish"), ("flow_waiting", None, "publish"),
            ("guard", "failed", "publish")])
        self.assertEqual(guards.pending(self.dir), [])
        self.check_store()

    def test_a_flow_of_several_turns(self):
        """Each step is a transaction of its own; the call is over with the first."""
        config = self.write("config.json", json.dumps({"executor": {"flow_turn": 1}}))
        for tool, path in (("write", "/srv/a"), ("seal", "/srv/b")):
            with self.subTest(tool), Guard(self.dir, "--config", config) as agent:
                self.assertFalse(agent.words(tool, path=path)[0])
        kinds = [kind for kind, *rest in self.told()]
        self.assertEqual(kinds, ["guard", "flow_started", "operation", "flow_waiting", "flow_started", "operation",
                                 "flow_waiting", "guard"])
        self.assertEqual(guards.pending(self.dir), [])
        self.check_store()

    def test_a_flow_that_is_cancelled_between_two_turns_leaves_no_call_open(self):
        config = self.write("config.json", json.dumps({"executor": {"flow_turn": 1}}))
        with Guard(self.dir, "--config", config) as agent:
            with contextlib.closing(sqlite3.connect(self.dir / "guard.db")) as db, db:
                db.execute("CREATE TRIGGER cancel AFTER INSERT ON flows BEGIN"
                           " UPDATE flows SET status = 'cancelled' WHERE id = NEW.id; END")
            self.assertEqual(agent.words("seal", mark="m", path="/srv/a"), (False, "done m"))
        self.assertEqual(guards.pending(self.dir), [])
        self.assertEqual(self.told()[-1], ("guard", "done"))

    def test_the_result_names_an_outcome(self):
        with Guard(self.dir) as agent:
            self.assertFalse(agent.words("decide", path="/srv/a", status="kept")[0])
            self.assertTrue(agent.words("decide", path="/srv/a", do="error")[0])  # on_error: kept
            self.assertFalse(agent.words("decide", path="/srv/a", status="given")[0])
            self.assertFalse(agent.words("decide", path="/srv/b", status="nonsense")[0])
            self.assertFalse(agent.words("decide", path="/srv/c", status="released")[0])  # of another operation
        results = [r["body"]["provenance"]["outcome"] for r in guards.records(self.dir)
                   if r["body"]["kind"] == "operation"]
        self.assertEqual(results, ["kept", "kept", "given"])
        calls = guards.pending(self.dir)
        self.assertEqual([(c["flow"], c["status"]) for c in calls], [("choosing", "outcome_unknown")] * 2)
        for call in calls:
            self.assertEqual(self.resolve(call["call"], "--done").code, 1)
            self.assertEqual(self.resolve(call["call"], "--done", "--outcome", "given").code, 0)
        self.assertEqual(guards.pending(self.dir), [])
        self.check_store()

    def test_the_result_names_an_outcome_for_a_step(self):
        with Guard(self.dir) as agent:
            self.assertFalse(agent.words("decide", path="/srv/a", status={"choose_it": "given"})[0])
            self.assertFalse(agent.words("decide", path="/srv/b", status={"no_step": "given"})[0])
        results = [r["body"]["provenance"]["outcome"] for r in guards.records(self.dir)
                   if r["body"]["kind"] == "operation"]
        self.assertEqual(results, ["given"])
        self.assertEqual([c["bindings"] for c in guards.pending(self.dir)], [{"File": "/srv/b"}])

    def test_an_outcome_that_does_not_exist_is_not_in_the_record(self):
        """It is the server's text: as long as it likes, and nothing where `record_bytes` is 0."""
        guards.lay_out(self.dir, CONTRACT, MAP.replace("timeout: 60s", "record_bytes: 0"))
        with Guard(self.dir) as agent:
            for path, status in (("/srv/a", "secret" * 1000), ("/srv/b", {"secret" * 1000: "given"}),
                                 ("/srv/c", {"choose_it": "secret" * 1000})):
                self.assertFalse(agent.words("decide", path=path, status=status)[0])
        bodies = [r["body"] for r in guards.records(self.dir)]
        self.assertEqual([b["guard"]["event"] for b in bodies if "guard" in b], ["allowed", "outcome_unknown"] * 3)
        self.assertNotIn("secret", json.dumps(bodies))

    def test_an_outcome_that_does_not_match_is_not_taken_for_the_one_that_does(self):
        contract = CONTRACT.replace("File: open -> written -> given", "File: written -> open -> given")
        guards.lay_out(self.dir, contract, MAP)
        with Guard(self.dir) as agent:
            self.assertFalse(agent.words("decide", path="/srv/a", status="given")[0])
            self.assertFalse(agent.words("decide", path="/srv/b", status="kept")[0])
        call, = guards.pending(self.dir)
        self.assertEqual((call["status"], call["bindings"]), ("outcome_unknown", {"File": "/srv/a"}))
        self.check_store()

    def test_of_a_later_step_too(self):
        """Behind `write` only `kept` of `again` matches, whatever the result says."""
        guards.lay_out(self.dir, CONTRACT + """operation again { personas: [agent] outcomes: [kept, given]
  require: inside effects: [File: written -> open -> kept, File: open -> written -> given] }
flow twice { snapshot: at_initiation entry: a steps: {
  a: OperationStep { op: write persona: agent outcomes: { written: b } on_failure: Terminate(outcome: failure) }
  b: OperationStep { op: again persona: agent outcomes: { kept: Terminal(success), given: Terminal(success) }
                     on_failure: Terminate(outcome: failure) } } }
""", MAP.replace("flow: choosing", "flow: twice"))
        with Guard(self.dir) as agent:
            for path, status in (("/srv/a", {"b": "given"}), ("/srv/b", {"b": "kept"}), ("/srv/c", {})):
                self.assertFalse(agent.words("decide", path=path, status=status)[0])
        self.assertEqual([c["bindings"]["File"] for c in guards.pending(self.dir)], ["/srv/a"])
        self.check_store()

    def test_observed(self):
        with Guard(self.dir, "--observe") as agent:
            self.assertEqual(agent.words("write", mark="m", path="/etc/a"), (False, "done m"))
            self.assertEqual(len(agent.tools()), 6)
            code, said = agent.close()
        self.assertIn("observed: tool write: Refused (precondition_failed)", said)
        self.assertEqual(self.told("flow"), [("refusal", "refused", "publish")])

    def test_a_hook(self):
        words = ["guard", "decide", "--contract", "files.tenor", "--map", "map.yaml", *STORE]
        for path, code in (("/srv/a", 0), ("/etc/a", 2), ("/srv/a", 2)):
            done = self.run_motet(*words, stdin=json.dumps({"tool_name": "write", "tool_input": {"path": path}}))
            self.assertEqual(done.code, code, done)
        self.assertEqual(self.told("flow"), [
            ("flow_started", "allowed", "publish"), ("operation", None, "publish"), ("flow_waiting", None, "publish"),
            ("refusal", "refused", "publish"), ("refusal", "refused", "publish")])
        self.assertEqual(guards.pending(self.dir), [])
        self.check_store()

    def test_everything_that_the_flow_binds_is_held(self):
        with Guard(self.dir) as agent:
            agent.say(json.dumps(mcp.message(mcp.NEWER, 91, "tools/call", {
                "name": "write", "arguments": {"path": "/srv/a", "do": "hang"}})))
            for tool in ("write", "seal", "decide"):
                error, text = agent.words(tool, path="/srv/a")
                self.assertIn("instance_busy", text)
            agent.process.send_signal(signal.SIGTERM)
            self.assertEqual(agent.process.wait(timeout=30), 0)
        call, = guards.pending(self.dir)
        self.assertEqual((call["status"], call["flow"], call["bindings"]),
                         ("outcome_unknown", "publish", {"File": "/srv/a"}))

    def test_a_flow_that_waits_does_not_move_what_is_held(self):
        """The reviewer goes on when it is known what became of the agent's call."""
        guards.lay_out(self.dir, CONTRACT + "operation rework { personas: [agent] require: inside "
                                            "effects: [File: written -> open] }\n",
                       MAP.replace("flow: theirs", "operation: rework"))
        with Guard(self.dir) as agent:
            flow = agent.call("write", {"path": "/srv/a"})["_meta"]["motet/flow"]["id"]
            self.assertIn("It is not known", agent.words("purge", path="/srv/a", do="die")[1])
        call, = guards.pending(self.dir)
        for ended, status in ((None, 409), ("--failed", 200)):
            if ended:
                self.assertEqual(self.resolve(call["call"], ended).code, 0)
            server = serve.Server(self.dir, self.dir / "files.tenor", store="sqlite:guard.db")
            token = server.token("--persona", "files:reviewer")
            with self.subTest(ended), server:
                done = server.post(f"/v1/flows/{flow}/resume", {}, token=token)
                self.assertEqual((done.status, done.code), (status, None if ended else "instance_busy"), done)
        self.check_store()

    def test_faults_of_the_map(self):
        for text, told in (
                (MAP.replace("flow: publish", "flow: publsh", 1), "names the flow 'publsh', which the contract does "
                                                                  "not have; did you mean 'publish'?"),
                (MAP.replace("flow: publish", "operation: write\n    flow: publish", 1), "a tool is one of them"),
                (MAP.replace("    flow: publish\n", "", 1), "a tool is one of them"),
                (MAP.replace("    " + guards.FILE + "\n", "", 1), "lacks 'File', which the flow 'publish' can change"),
                (MAP.replace("on_error: kept", "on_error: lost"), "names the outcome 'lost', which no operation has")):
            with self.subTest(told):
                guards.lay_out(self.dir, CONTRACT, text)
                done = self.run_motet(*guards.words(command=["true"]))
                self.assertEqual(done.code, 1, done)
                self.assertIn(told, done.err)


class Unknown(Flows):
    def test_resolved_by_an_operator_it_goes_with_the_authority_of_who_called(self):
        with Guard(self.dir, "--as", "robot") as agent:
            self.assertIn("It is not known", agent.words("write", path="/srv/a", do="die")[1])
        call, = guards.pending(self.dir)
        self.assertEqual((call["status"], call["flow"]), ("outcome_unknown", "publish"))
        self.assertEqual(self.resolve(call["call"], "--done", "--as", "chief").code, 0)
        self.assertEqual(self.told("flow"), [
            ("guard", "allowed", "publish"), ("guard", "outcome_unknown", "publish"), ("flow_started", "done", "publish"),
            ("operation", None, "publish"), ("flow_waiting", None, "publish")])
        started = [r["body"] for r in guards.records(self.dir) if r["body"]["kind"] == "flow_started"][0]
        self.assertEqual((started["caller"]["id"], started["guard"]["by"]["id"], started["persona"]),
                         ("robot", "chief", "agent"))
        self.assertEqual(self.resolve(call["call"], "--done").code, 1)
        self.check_store()

    def test_resolved_as_failed(self):
        with Guard(self.dir) as agent:
            agent.words("write", path="/srv/a", do="die")
        call, = guards.pending(self.dir)
        self.assertEqual(self.resolve(call["call"], "--failed").code, 0)
        with Guard(self.dir) as agent:
            self.assertFalse(agent.words("write", path="/srv/a")[0])
        self.check_store()

    def test_killed_at_random_points(self):
        chance = random.Random(SEED)
        rounds = 60 if SOAK else 2 if SANITIZED else 6
        for number in range(rounds):
            child = subprocess.Popen([str(MOTET), *guards.words(command=[*guards.WICKED, self.dir / "calls.log"])],
                                     cwd=self.dir, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL)
            child.stdin.write("".join(json.dumps(mcp.message(mcp.NEWER, n, "tools/call", {
                "name": chance.choice(["write", "write", "seal"]), "arguments": {
                    "mark": f"r{number}-{n}", "path": f"/srv/{number}-{n}"}})) + "\n" for n in range(40)).encode())
            child.stdin.flush()
            time.sleep(chance.uniform(0.03, 0.4))
            child.kill()
            child.wait(timeout=30)
            child.stdin.close()
        with Guard(self.dir):  # finds what was left behind
            pass
        bodies = [r["body"] for r in guards.records(self.dir)]
        allowed = {json.loads(b["guard"]["arguments"]["text"])["mark"]: b["guard"]["call"] for b in bodies
                   if b.get("guard", {}).get("event") == "allowed"}
        begun = [b["guard"]["call"] for b in bodies if b["kind"] == "flow_started"]
        open_calls = {p["call"]: p["status"] for p in guards.pending(self.dir)}
        self.assertEqual(len(begun), len(set(begun)), "a flow was begun twice")
        for mark in guards.calls(self.dir):
            self.assertIn(mark, allowed)
        for call in allowed.values():
            self.assertTrue(call in begun or open_calls[call] == "outcome_unknown")
        print(f"{rounds} kills: {len(allowed)} allowed, {len(begun)} flows begun, {len(open_calls)} of unknown outcome")
        self.check_store()


class Past(Flows):
    def test_which_calls_another_contract_would_have_refused(self):
        with Guard(self.dir) as agent:
            agent.words("write", path="/srv/a")
            agent.words("read", path="/srv/a")
        new = self.write("new.tenor", CONTRACT.replace("  require: inside\n  outcomes: [written]",
                                                       "  require: inside and sealed\n  outcomes: [written]"))
        told = self.run_motet("whatif", *STORE, "--contract", "files", "--json", new)
        self.assertEqual(told.code, 1, told)
        *differences, summary = [json.loads(line) for line in told.out.splitlines()]
        self.assertEqual([d.get("flow") for d in differences], ["publish"], told)

    def test_suggest_reads_calls_that_are_flows(self):
        with Guard(self.dir) as agent:
            agent.words("write", path="/srv/x/a")
            agent.words("seal", path="/srv/x/b")
        done = self.run_motet("guard", "suggest", "--contract", "files.tenor", "--map", "map.yaml", *STORE)
        self.assertEqual(done.code, 0, done)
        self.assertIn("tool read was never called", done.err)
        self.assertNotIn("tool write was never called", done.err)
        self.assertNotIn("tool seal was never called", done.err)
        self.assertIn("-  read:", done.out)


main()
