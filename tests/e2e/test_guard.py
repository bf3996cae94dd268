"""motet guard before servers: what is allowed, refused, observed, and what is done when the
server behind it lies, hangs or dies."""
import http.server
import json
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time

import guards
import mcp
import npm
import serve
from guards import Guard
from harness import MOTET, SANITIZED, SEED, SOAK, SOURCE, Case, main
from postgres import Postgres

EXAMPLE = SOURCE / "examples" / "guarded_files"
FAST = guards.MAP.replace("operation: write\n", "operation: write\n    timeout: 100ms\n")


class Guards(Case):
    def setUp(self):
        super().setUp()
        guards.lay_out(self.dir)

    def events(self):
        """(tool, event) of everything about guarded calls, in the order of the ledger."""
        found = []
        for r in guards.records(self.dir):
            guard = r["body"].get("guard")
            if guard:
                found.append((guard["tool"], r["body"]["kind"], guard["event"]))
        return found

    def check_store(self):
        for words in (["ledger", "verify"], ["store", "check"]):
            done = self.run_motet(*words, "--store", "sqlite:guard.db")
            self.assertEqual(done.code, 0, done)

    def state(self, path):
        moves = [r["body"]["provenance"]["state_after"]["File"][path] for r in guards.records(self.dir)
                 if r["body"]["kind"] == "operation" and path in
                 r["body"]["provenance"]["state_after"].get("File", {})]
        return moves[-1] if moves else None


class Decides(Guards):
    def test_allowed_refused_and_recorded(self):
        for revision in (mcp.NEWER, mcp.OLDER):
            with self.subTest(revision), Guard(self.dir, revision=revision) as agent:
                self.assertEqual(agent.words("write", mark="m1", path="/srv/a", content="x"),
                                 (False, "done m1"))
                error, text = agent.words("write", mark="m2", path="/srv/../etc/a", content="x")
                self.assertTrue(error)
                self.assertIn("Refused (precondition_failed)", text)
                self.assertIn("inside is false", text)
                error, text = agent.words("write", mark="m3", path="/srv/a", content="x" * 11)
                self.assertIn("size <= 10 is false", text)
                self.assertNotIn("m2", guards.calls(self.dir))
                self.assertNotIn("m3", guards.calls(self.dir))
        self.assertEqual(self.events()[:4], [("write", "guard", "allowed"), ("write", "operation", "done"),
                                             ("write", "refusal", "refused"),
                                             ("write", "refusal", "refused")])
        self.check_store()

    def test_a_size_at_the_limit_and_beyond_it(self):
        with Guard(self.dir) as agent:
            self.assertFalse(agent.words("write", path="/srv/a", content="x" * 10)[0])
            self.assertTrue(agent.words("write", path="/srv/a", content="x" * 11)[0])

    def test_life_cycle_after_sealing_nothing_is_written(self):
        with Guard(self.dir) as agent:
            self.assertFalse(agent.words("seal", mark="s", path="/srv/a")[0])
            error, text = agent.words("write", mark="w", path="/srv//./a", content="x")
            self.assertTrue(error)
            self.assertIn("invalid_source_state", text)
        self.assertEqual(guards.calls(self.dir), ["s"])

    def test_listed_is_what_the_persona_may_ever_use(self):
        with Guard(self.dir) as agent:
            self.assertEqual(agent.tools(), ["read", "write", "seal", "decide"])
            self.assertIn("persona_rejected", agent.words("purge", path="/srv/a")[1])
            self.assertIn("unknown_operation", agent.words("spare", mark="no")[1])
        with Guard(self.dir, "--observe") as agent:
            self.assertEqual(len(agent.tools()), 6)
        self.assertNotIn("no", guards.calls(self.dir))

    def test_observing_refuses_nothing_and_says_what_it_would_have(self):
        with Guard(self.dir, "--observe") as agent:
            self.assertEqual(agent.words("write", mark="m1", path="/etc/a", content="x"),
                             (False, "done m1"))
            self.assertEqual(agent.words("spare", mark="m2"), (False, "done m2"))
            code, said = agent.close()
        self.assertIn("observed: tool write: Refused (precondition_failed)", said)
        seen = [r["body"]["guard"] for r in guards.records(self.dir) if r["body"]["kind"] == "refusal"]
        self.assertEqual([s["observed"] for s in seen], [True, True])
        self.assertIsNone(self.state("/etc/a"))

    def test_unmapped_tools_pass_if_the_map_says_so(self):
        guards.lay_out(self.dir, map_text="unmapped: allow\n" + guards.MAP)
        with Guard(self.dir) as agent:
            self.assertIn("spare", agent.tools())
            self.assertEqual(agent.words("spare", mark="m1"), (False, "done m1"))
        self.assertEqual(self.events(), [("spare", "guard", "passed"), ("spare", "guard", "done")])
        self.check_store()

    def test_committed_before_or_after(self):
        with Guard(self.dir) as agent:
            self.assertTrue(agent.words("seal", path="/srv/a", do="error")[0])
            self.assertTrue(agent.words("write", path="/srv/b", content="", do="error")[0])
        self.assertEqual(self.state("/srv/a"), "sealed")  # before: whatever the tool says
        self.assertIsNone(self.state("/srv/b"))
        self.assertEqual(self.events(), [("seal", "operation", "allowed"), ("seal", "guard", "failed"),
                                         ("write", "guard", "allowed"), ("write", "guard", "failed")])

    def test_the_result_names_the_outcome(self):
        with Guard(self.dir) as agent:
            self.assertFalse(agent.words("decide", path="/srv/a", status="kept")[0])
            self.assertEqual(self.state("/srv/a"), "open")
            self.assertTrue(agent.words("decide", path="/srv/a", do="error")[0])  # on_error: kept
            self.assertFalse(agent.words("decide", path="/srv/a", status="closed")[0])
        self.assertEqual(self.state("/srv/a"), "sealed")

    def test_a_result_that_names_no_outcome_leaves_it_unknown(self):
        with Guard(self.dir) as agent:
            self.assertFalse(agent.words("decide", path="/srv/a", status="nonsense")[0])
        call, = guards.pending(self.dir)
        self.assertEqual(call["status"], "outcome_unknown")
        done = self.run_motet("guard", "resolve", call["call"], "--done", "--outcome", "closed", "--store",
                              "sqlite:guard.db")
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.state("/srv/a"), "sealed")
        self.assertEqual(guards.pending(self.dir), [])
        self.check_store()

    def test_facts_of_a_result_count_for_the_next_call(self):
        more = guards.MAP.replace("  seal:\n", "    result: {facts: {wanted: {value: false}}}\n  seal:\n")
        guards.lay_out(self.dir, map_text=more)
        with Guard(self.dir) as agent:
            self.assertFalse(agent.words("write", path="/srv/a", content="x")[0])
            self.assertIn("wanted is false", agent.words("write", path="/srv/a", content="x")[1])

    def test_a_claim_holds_others_back(self):
        with Guard(self.dir) as agent:
            agent.say(json.dumps(mcp.message(mcp.NEWER, 91, "tools/call", {
                "name": "write", "arguments": {"path": "/srv/a", "content": "", "do": "hang"}})))
            agent.say(json.dumps(mcp.message(mcp.NEWER, 92, "tools/call", {
                "name": "write", "arguments": {"path": "/srv/a", "content": ""}})))
            answer = agent.hear()
            self.assertEqual(answer["id"], 92)
            self.assertIn("instance_busy", answer["result"]["content"][0]["text"])
            self.assertFalse(agent.words("write", path="/srv/b", content="")[0])
            agent.process.send_signal(signal.SIGTERM)
            self.assertEqual(agent.process.wait(timeout=30), 0)
        call, = guards.pending(self.dir)
        self.assertEqual((call["status"], call["bindings"]), ("outcome_unknown", {"File": "/srv/a"}))

    def test_what_is_refused_for_another_instance_makes_none(self):
        """Two are bound, one of them may be made: it is not, unless the other is there and fits."""
        guards.lay_out(self.dir, guards.CONTRACT + "entity Box { states: [open, shut] initial: open transitions: "
                       "[(open, open), (open, shut)] }\noperation move { personas: [agent] require: inside effects: "
                       "[File: open -> open, Box: open -> open] }\noperation shut { personas: [agent] require: inside "
                       "effects: [Box: open -> shut] }\n",
                       guards.MAP + "  move:\n    operation: move\n    bindings: {File: {from: path, create: true}, Box: "
                       f"{{from: box}}}}\n    {guards.INSIDE}\n  shut:\n    operation: shut\n    bindings: {{Box: "
                       f"{{from: box, create: true}}}}\n    {guards.INSIDE}\n")
        with Guard(self.dir) as agent:
            self.assertIn("unknown_instance", agent.words("move", path="/srv/a", box="b")[1])
            self.assertFalse(agent.words("shut", path="/srv/a", box="b")[0])
            self.assertIn("Refused", agent.words("move", path="/srv/a", box="b")[1])
        made = [r["body"]["entity"] for r in guards.records(self.dir) if r["body"]["kind"] == "instance_created"]
        self.assertEqual(made, ["Box"])

    def test_identities_have_personas(self):
        guards.lay_out(self.dir, map_text=guards.MAP.replace(
            "persona: agent", "identities: {boss: owner, '*': agent}"))
        with Guard(self.dir, "--as", "boss") as agent:
            self.assertEqual(agent.tools(), ["seal", "purge"])
        with Guard(self.dir, "--as", "x") as agent:
            self.assertNotIn("purge", agent.tools())

    def test_large_arguments_and_results_are_recorded_by_hash(self):
        with Guard(self.dir) as agent:
            self.assertEqual(len(agent.words("read", path="/srv/a", do="big")[1]), 1_000_000)
            agent.words("read", path="/srv/a", pad="z" * 2000)
        kept = [r["body"]["guard"] for r in guards.records(self.dir) if "guard" in r["body"]]
        self.assertIn("text", kept[0]["arguments"])
        self.assertGreater(kept[1]["result"]["bytes"], 1_000_000)
        self.assertNotIn("text", kept[1]["result"])
        self.assertNotIn("text", kept[2]["arguments"])


class Maps(Guards):
    def faults(self, text):
        guards.lay_out(self.dir, map_text=text)
        done = self.run_motet(*guards.words(command=["true"]))
        self.assertEqual(done.code, 1, done)
        return done.err

    def test_faults_have_their_place_and_the_nearest_name(self):
        self.assertIn("map.yaml:5:16: `tools.read.operation` names the operation 'raed', which the contract "
                      "does not have; did you mean 'read'?",
                      self.faults(guards.MAP.replace("operation: read", "operation: raed")))
        self.assertIn("did you mean `operation`?",
                      self.faults(guards.MAP.replace("operation: read", "opration: read")))
        self.assertIn("lacks 'File', which the operation 'write' changes",
                      self.faults(guards.MAP.replace("    " + guards.FILE + "\n", "", 1)))
        self.assertIn("names the fact 'insde'", self.faults(guards.MAP.replace("{inside:", "{insde:", 1)))
        self.assertIn("names the persona 'agnt'",
                      self.faults(guards.MAP.replace("persona: agent", "persona: agnt")))
        self.assertIn("names the outcome 'lost'",
                      self.faults(guards.MAP.replace("on_error: kept", "on_error: lost")))
        self.assertIn("map.yaml:", self.faults("tools: [\n"))
        self.assertIn("timeout", self.faults(guards.MAP.replace("60s", "0s")))

    def test_no_persona_no_guard(self):
        self.assertIn("no persona for the identity",
                      self.faults(guards.MAP.replace("persona: agent", "identities: {nobody: agent}")))


class Wicked(Guards):
    """The server behind the guard does not keep the protocol."""

    def test_answers_that_nobody_waits_for_are_dropped_and_told(self):
        with Guard(self.dir) as agent:
            for do in ("twice", "unknown", "other", "both", "garbage"):
                with self.subTest(do):
                    self.assertEqual(agent.words("read", mark=do, path="/srv/a", do=do),
                                     (False, "done " + do))
            self.assertEqual(agent.words("read", mark="after", path="/srv/a"), (False, "done after"))
            code, said = agent.close()
        self.assertEqual(code, 0)
        self.assertGreaterEqual(said.count("what nobody waits for; dropped"), 4)
        self.assertIn("with a result and an error", said)
        self.assertIn("what is not a message", said)
        self.check_store()

    def test_it_dies(self):
        with Guard(self.dir) as agent:
            error, text = agent.words("write", mark="d", path="/srv/a", content="", do="die")
            self.assertTrue(error)
            self.assertIn("It is not known whether this was done", text)
            with self.assertRaises(mcp.Refused) as refused:
                agent.tools()
            self.assertIn("has ended", refused.exception.error["message"])
            with self.assertRaises(mcp.Refused):
                agent.call("read", {"path": "/srv/a"})
        call, = guards.pending(self.dir)
        done = self.run_motet("guard", "resolve", call["call"], "--failed", "--reason", "not there", "--store",
                              "sqlite:guard.db")
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.events(), [("write", "guard", "allowed"), ("write", "guard", "outcome_unknown"),
                                         ("write", "guard", "failed")])
        again = self.run_motet("guard", "resolve", call["call"], "--done", "--store", "sqlite:guard.db")
        self.assertEqual(again.code, 1, again)
        self.check_store()

    def test_a_store_that_is_not_there_is_not_made_to_resolve_a_call(self):
        done = self.run_motet("guard", "resolve", "g-1", "--done", "--store", "sqlite:nowhere.db")
        self.assertEqual(done.code, 3, done)
        self.assertFalse((self.dir / "nowhere.db").exists())

    def test_it_dies_at_once(self):
        done = self.run_motet(*guards.words(command=[*guards.WICKED, "x", "die-at-start"]),
                              stdin=json.dumps(mcp.message(mcp.NEWER, 1, "server/discover")) + "\n")
        self.assertIn("has ended", json.loads(done.out)["error"]["message"])

    def test_there_is_no_such_program(self):
        done = self.run_motet(*guards.words(command=["./no-such-program"]))
        self.assertEqual(done.code, 3, done)

    def test_it_hangs(self):
        guards.lay_out(self.dir, map_text=FAST)
        with Guard(self.dir) as agent:
            error, text = agent.words("write", path="/srv/a", content="", do="hang")
            self.assertIn("did not answer within 100 ms", text)
            self.assertIn("instance_busy", agent.words("write", path="/srv/a", content="")[1])
        self.assertEqual(len(guards.pending(self.dir)), 1)

    def test_requests_that_hang_are_given_up_and_fill_nothing(self):
        guards.lay_out(self.dir, map_text=guards.MAP.replace("timeout: 60s", "timeout: 700ms"))
        with Guard(self.dir) as agent:
            for first in range(1000, 2200, 300):  # no more at once than a pipe holds
                for number in range(first, first + 300):
                    agent.say(json.dumps(mcp.message(mcp.NEWER, number, "echo/never")))
                told = [agent.hear() for _ in range(300)]
                self.assertEqual({t["error"]["message"] for t in told}, {"the server did not answer within 700 ms"})
            self.assertEqual(agent.words("write", mark="after", path="/srv/a", content=""), (False, "done after"))

    def test_when_it_is_full_it_says_so_and_sends_nothing(self):
        with Guard(self.dir) as agent:
            for number in range(1000, 2024):
                agent.say(json.dumps(mcp.message(mcp.NEWER, number, "tools/call", {
                    "name": "read", "arguments": {"path": "/srv/a", "do": "hang"}})))
            agent.say(json.dumps(mcp.message(mcp.NEWER, 2024, "tools/call", {
                "name": "read", "arguments": {"path": "/srv/a", "mark": "more"}})))
            answer = agent.hear()
            self.assertEqual((answer["id"], answer["error"]["code"]), (2024, -32603))
            self.assertIn("has not answered 1024 requests yet; this one was not sent", answer["error"]["message"])
            agent.process.kill()
        self.assertNotIn("more", guards.calls(self.dir))

    def test_an_answer_that_comes_late_settles_the_call(self):
        guards.lay_out(self.dir, map_text=FAST)
        with Guard(self.dir) as agent:
            self.assertTrue(agent.words("write", path="/srv/a", content="", do="late")[0])
            for _ in range(200):
                time.sleep(0.05)
                if not guards.pending(self.dir):
                    break
            self.assertFalse(agent.words("decide", path="/srv/a", status="kept")[0])
        self.assertEqual(guards.pending(self.dir), [])

    def test_it_lists_other_tools_from_then_on(self):
        with Guard(self.dir) as agent:
            before = agent.tools()
            agent.say(json.dumps(mcp.message(mcp.NEWER, 50, "tools/call", {
                "name": "read", "arguments": {"path": "/srv/a", "do": "relist"}})))
            self.assertEqual(agent.hear()["method"], "notifications/tools/list_changed")
            self.assertEqual(agent.hear()["id"], 50)
            self.assertEqual(agent.tools(), before)
            code, said = agent.close()
        self.assertIn("tool read is described otherwise than when it was first listed", said)

    def test_what_it_asks_of_the_client_has_an_id_of_ours(self):
        with Guard(self.dir) as agent:
            agent.say(json.dumps(mcp.message(mcp.NEWER, 2, "tools/call", {
                "name": "read", "arguments": {"path": "/srv/a", "do": "ask"}})))
            question = agent.hear()
            self.assertTrue(question["id"].startswith("motet-"), question)
            agent.say(json.dumps({"jsonrpc": "2.0", "id": 4711, "result": {}}))  # nobody asked that
            agent.say(json.dumps({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": []}}))
            answer = agent.hear()
            self.assertEqual(answer["id"], 2)
            self.assertEqual(json.loads(answer["result"]["content"][0]["text"])["result"], {"roots": []})

    def test_the_answer_to_a_question_that_was_withdrawn_goes_nowhere(self):
        with Guard(self.dir) as agent:
            agent.say(json.dumps(mcp.message(mcp.NEWER, 2, "tools/call", {
                "name": "read", "arguments": {"path": "/srv/a", "do": "withdraw"}})))
            question, withdrawn = agent.hear(), agent.hear()
            self.assertEqual(withdrawn["params"]["requestId"], question["id"])
            agent.say(json.dumps({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": []}}))
            agent.say(json.dumps({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}))
            answer = agent.hear()
            self.assertEqual(answer["id"], 2)
            self.assertIn("list_changed", answer["result"]["content"][0]["text"])
            code, said = agent.close()
        self.assertIn("the client answered what nobody asked it; dropped", said)

    def test_a_message_beyond_the_limit_ends_it(self):
        for size, error in ((4_000_000, False), (100_000, True)):
            with self.subTest(size), Guard(self.dir, "--limit", f"guard_bytes={size}") as agent:
                self.assertEqual(agent.words("read", path="/srv/a", do="big")[0], error)

    def test_a_line_without_end_is_given_up(self):
        with Guard(self.dir, "--limit", "guard_bytes=100000") as agent:
            self.assertIn("too long", agent.words("read", path="/srv/a", do="long")[1])


class Hostile(Guards):
    """The client does not keep the protocol."""

    def answers(self, agent, line):
        agent.say(line)
        return agent.hear()

    def test_messages_that_are_none(self):
        with Guard(self.dir, "--limit", "mcp_bytes=2000") as agent:
            for line, code in [("{", -32700), ("[]", -32600), ("[1]", -32600), ("7", -32600),
                               ('{"jsonrpc":"2.0","id":{},"method":"x"}', -32600),
                               ('{"jsonrpc":"1.0","id":1,"method":"x"}', -32600),
                               ('{"jsonrpc":"2.0","id":1,"id":2,"method":"x"}', -32700),
                               ('{"jsonrpc":"2.0","id":1,"method":7}', -32600),
                               ('{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', -32700),
                               ("[" * 1500, -32600), ("x" * 3000, -32600),
                               ('{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":7}}', -32602),
                               ('{"jsonrpc":"2.0","id":5,"method":"tools/call","params":'
                                '{"name":"read","arguments":[]}}', -32602)]:
                with self.subTest(line[:60]):
                    self.assertEqual(self.answers(agent, line)["error"]["code"], code)
            self.assertFalse(agent.words("read", path="/srv/a")[0])
            self.assertEqual(len(guards.calls(self.dir)), 1)

    def test_a_line_that_is_too_long_is_refused_once(self):
        """What comes of it later is still the same line."""
        with Guard(self.dir, "--limit", "mcp_bytes=2000") as agent:
            agent.process.stdin.write("x" * 3000)
            agent.process.stdin.flush()
            self.assertEqual(agent.hear()["error"]["code"], -32600)
            agent.say('{"jsonrpc":"2.0","id":1,"method":"x"}')
            self.assertFalse(agent.words("read", path="/srv/a")[0])

    def test_an_id_in_use_is_refused_and_one_that_was_is_not(self):
        with Guard(self.dir) as agent:
            hang = mcp.message(mcp.NEWER, "a", "tools/call", {
                "name": "read", "arguments": {"path": "/srv/a", "do": "hang"}})
            agent.say(json.dumps(hang))
            self.assertEqual(self.answers(agent, json.dumps(hang))["error"]["code"], -32600)
            agent.say(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled",
                                  "params": {"requestId": "a"}}))
            agent.number = 100
            self.assertFalse(agent.words("read", path="/srv/a")[0])
            agent.process.send_signal(signal.SIGTERM)

    PURGE = ('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"purge","arguments":'
             '{"mark":"EVIL","path":"/etc/x"}}}')

    def test_a_call_without_an_id_does_not_reach_the_server(self):
        with Guard(self.dir) as agent:
            for line in (self.PURGE.replace("7", "null", 1), self.PURGE.replace('"id":7,', "")):
                agent.say(line)
            agent.say(self.PURGE.replace("purge", "read").replace("/etc", "/srv").replace("EVIL", "after"))
            heard = [agent.hear() for _ in range(2)]
            self.assertEqual([h["error"]["code"] for h in heard], [-32600, -32600])
            self.assertEqual(agent.hear()["id"], 7)
        self.assertEqual(guards.calls(self.dir), ["after"])

    def test_a_message_inside_a_message_is_not_one(self):
        """Servers that read lines in text mode end one at a carriage return, too."""
        with Guard(self.dir) as agent:
            agent.say('{"jsonrpc":"2.0","method":"notifications/x","params":\r' + self.PURGE + "\r}")
            heard = self.answers(agent, '{"jsonrpc":"2.0","id":3,"method":"echo/it","params":{"a":\r' + self.PURGE
                                 + "\r}}")
            self.assertEqual(heard["result"]["heard"]["params"], {"a": json.loads(self.PURGE)})
            self.assertFalse(agent.words("read", mark="after", path="/srv/a")[0])
        self.assertEqual(guards.calls(self.dir), ["after"])

    def test_names_in_other_letters_are_not_taken_for_nothing(self):
        """Servers that do not look at the case of a name would read what was not decided."""
        call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","arguments":%s}}'
        with Guard(self.dir) as agent:
            for line in ('{"jsonrpc":"2.0","id":1,"method":"echo/it","Method":"tools/call","params":{}}',
                         '{"jsonrpc":"2.0","method":"notifications/x","ID":1,"params":{}}',
                         call.replace("tools/call", "Tools/Call") % "{}",
                         call.replace("tools/call", "tools/call\\u0000") % "{}",
                         call.replace('"name"', '"Name":"purge","name"') % "{}",
                         call.replace('"name"', '"argument\u017f":{},"name"') % "{}"):
                with self.subTest(line):
                    self.assertEqual(self.answers(agent, line)["error"]["code"], -32600)
            for given in ('{"path":"/srv/a","Path":"/etc/a","content":""}',
                          '{"path":"/srv/a","Content":"longer than ten bytes"}'):
                with self.subTest(given):
                    self.assertTrue(self.answers(agent, call % given)["result"]["isError"])
        self.assertEqual(guards.calls(self.dir), [])

    def test_values_of_another_kind_are_not_values_that_are_missing(self):
        with Guard(self.dir) as agent:
            for content in (["longer than ten bytes"], {"a": "longer than ten bytes"}, 12345678901):
                with self.subTest(content):
                    error, text = agent.words("write", path="/srv/a", content=content)
                    self.assertIn("Refused (invalid_fact)", text)
            for path in ("/srv/../etc/x\0/../../srv/a", ["/srv/a"], None):
                with self.subTest(path):
                    self.assertIn("Refused", agent.words("write", path=path, content="")[1])
        self.assertEqual(guards.calls(self.dir), [])
        self.assertFalse([r for r in guards.records(self.dir) if r["body"]["kind"] != "refusal"
                          and "guard" in r["body"]])

    def test_the_name_of_a_tool_has_a_limit(self):
        with Guard(self.dir) as agent:
            self.assertIn("unknown_operation", agent.words("x" * 800)[1])
            with self.assertRaises(mcp.Refused) as refused:
                agent.words("x" * 801)
        self.assertEqual(refused.exception.error["code"], -32602)

    def test_the_last_line_may_lack_its_end(self):
        call = json.dumps(mcp.message(mcp.NEWER, 1, "tools/call", {
            "name": "read", "arguments": {"path": "/srv/a", "mark": "last"}}))
        for text, count in ((call, 1), (call + '\n{"jso', 2)):
            with self.subTest(count):
                done = self.run_motet(*guards.words(command=[*guards.WICKED, self.dir / "calls.log"]), stdin=text)
                self.assertEqual((done.code, len(done.out.splitlines())), (0, count), done)
        self.assertEqual(guards.calls(self.dir), ["last", "last"])

    def test_a_question_is_answered_though_the_input_has_ended(self):
        done = self.run_motet(*guards.words(command=[*guards.WICKED, self.dir / "calls.log"]),
                              stdin=json.dumps(mcp.message(mcp.NEWER, 1, "tools/list")) + "\n")
        self.assertIn("tools", json.loads(done.out)["result"])

    def test_the_server_may_end_by_itself_when_its_input_ends(self):
        server = "import pathlib, sys, time\nfor line in sys.stdin: pass\ntime.sleep(0.2)\n" \
                 "pathlib.Path(sys.argv[1]).write_text('ended')\n"
        done = self.run_motet(*guards.words(command=[sys.executable, "-c", server, self.dir / "end"]), stdin="")
        self.assertEqual(done.code, 0, done)
        self.assertEqual((self.dir / "end").read_text(), "ended")

    def test_everything_else_passes_as_it_was_written(self):
        with Guard(self.dir) as agent:
            odd = '{"z":1.50e+2, "id" : "x\\"}" ,"params":{"b":[1,{"a":"\\\\"}],"a":"ü \\u0041"},' \
                  '"method":"echo/it","jsonrpc":"2.0"}'
            heard = self.answers(agent, odd)
            self.assertEqual(heard["id"], 'x"}')
            self.assertEqual(heard["result"]["heard"]["params"], {"b": [1, {"a": "\\"}], "a": "ü A"})
            self.assertEqual(heard["result"]["heard"]["z"], 150.0)


class Hooks(Guards):
    """motet guard decide."""

    def decide(self, call, *options, **named):
        return self.run_motet("guard", "decide", "--contract", "files.tenor", "--map", "map.yaml", "--store",
                              "sqlite:guard.db", *options, stdin=call if isinstance(call, str) else json.dumps(call),
                              **named)

    def test_allow_refuse_and_what_cannot_be_decided(self):
        hook = {"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "write",
                "tool_input": {"path": "/srv/a", "content": "x"}, "cwd": "/"}
        self.assertEqual(self.decide(hook).code, 0)
        refused = self.decide({"tool_name": "write", "tool_input": {"path": "/etc/a"}})
        self.assertEqual(refused.code, 2)
        self.assertIn("inside is false", refused.err)
        self.assertEqual(self.decide({"name": "read", "arguments": {"path": "/srv/a"}}).code, 0)
        self.assertEqual(self.decide({"tool_name": "spare"}).code, 2)
        for bad in ("", "{", "[]", '{"tool_name":7}', "{}", "[" * 5000, '{"tool_name":"read","tool_input":[]}'):
            with self.subTest(bad[:20]):
                self.assertEqual(self.decide(bad).code, 2)
                self.assertEqual(self.decide(bad, "--fault", "1").code, 1)
        self.assertEqual(self.decide(hook, "--config", "nowhere").code, 2)
        self.assertEqual(self.decide(hook, "--store", "sqlite:/nowhere/x").code, 2)
        self.assertEqual(self.decide(hook, "--no-such-option").code, 2)
        observed = self.decide({"tool_name": "spare"}, "--observe")
        self.assertEqual((observed.code, "observed: " in observed.err), (0, True))
        self.assertEqual(guards.pending(self.dir), [])
        self.check_store()

    def test_closed_streams_cost_neither_the_answer_nor_the_store(self):
        words = [MOTET, "guard", "decide", "--contract", "files.tenor", "--map", "map.yaml", "--store",
                 "sqlite:guard.db"]
        call = json.dumps({"tool_name": "write", "tool_input": {"path": "/etc/a"}})
        self.assertEqual(self.decide({"tool_name": "read", "tool_input": {"path": "/srv/a"}}).code, 0)
        for closed in ("2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
            with self.subTest(closed):
                done = subprocess.run(["sh", "-c", f'exec "$@" {closed}', "sh", *words], cwd=self.dir,
                                      input=call.encode(), timeout=60)
                self.assertEqual(done.returncode, 2)
        self.check_store()

    def test_the_example_keeps_its_secrets_however_they_are_written(self):
        for path in ("project/.env", "project/.env/", "project/.env/.", "project//./x/../.env", "project/.git/config"):
            with self.subTest(path):
                told = self.run_motet("guard", "decide", "--contract", EXAMPLE / "files.tenor", "--map",
                                      EXAMPLE / "map.yaml", "--store", "sqlite:guard.db",
                                      stdin=json.dumps({"tool_name": "read_file", "tool_input": {"path": path}}))
                self.assertEqual(told.code, 2, told)
                self.assertIn("not secret is false", told.err)

    def test_a_life_cycle_over_several_processes(self):
        self.assertEqual(self.decide({"tool_name": "seal", "tool_input": {"path": "/srv/a"}}).code, 0)
        again = self.decide({"tool_name": "write", "tool_input": {"path": "/srv/a"}})
        self.assertEqual(again.code, 2)
        self.assertIn("invalid_source_state", again.err)

    def test_at_once(self):
        calls = [subprocess.Popen([MOTET, "guard", "decide", "--contract", "files.tenor", "--map", "map.yaml",
                                   "--store", "sqlite:guard.db"], cwd=self.dir, stdin=subprocess.PIPE,
                                  stderr=subprocess.PIPE) for _ in range(6)]
        for n, call in enumerate(calls):
            call.stdin.write(json.dumps({"tool_name": "write",
                                         "tool_input": {"path": f"/srv/{n}"}}).encode())
            call.stdin.close()
        for call in calls:
            self.assertEqual(call.wait(timeout=60), 0, call.stderr.read())
            call.stderr.close()
        self.assertEqual(len([r for r in guards.records(self.dir) if r["body"]["kind"] == "operation"]), 6)


class Crashes(Guards):
    """kill -9 of the guard and of the server, at random points."""

    def crash_once(self, chance, round_number):
        store, known = "guard.db", len(guards.calls(self.dir))
        child = subprocess.Popen([str(MOTET), *guards.words(command=[*guards.WICKED, self.dir / "calls.log"],
                                                            store=store)], cwd=self.dir,
                                 stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        lines = [json.dumps(mcp.message(mcp.NEWER, n, "tools/call", {
            "name": chance.choice(["write", "write", "seal", "read"]),
            "arguments": {"mark": f"r{round_number}-{n}", "content": "",
                          "path": f"/srv/{round_number}-{n}",
                          "do": "die" if chance.random() < 0.03 else ""}})) + "\n" for n in range(40)]
        child.stdin.write("".join(lines).encode())
        child.stdin.flush()
        if round_number % 2 == 0:  # not before anything has begun, however slow the machine
            self.wait_for_calls(known + 5)
        time.sleep(chance.uniform(0.03, 0.4))
        if chance.random() < 0.5:
            self.kill_server()
            time.sleep(chance.uniform(0, 0.05))
        child.kill()
        child.wait(timeout=30)
        child.stdin.close()

    def wait_for_calls(self, count):
        """Until so many have reached the server; it may have died before."""
        until = time.monotonic() + 5
        while len(guards.calls(self.dir)) < count and time.monotonic() < until:
            time.sleep(0.01)

    def kill_server(self):
        """By the number that it wrote down itself; it may be gone, or not there yet."""
        path = self.dir / "calls.log.pid"
        if path.exists() and path.read_text():
            try:
                os.kill(int(path.read_text()), signal.SIGKILL)
            except ProcessLookupError:
                pass
            path.unlink()

    def judge(self):
        """What reached the server was allowed before; each effect is there once, or not known."""
        bodies = [r["body"] for r in guards.records(self.dir)]
        allowed, ended, effects = {}, {}, {}
        for place, body in enumerate(bodies):
            guard = body.get("guard")
            if not guard:
                continue
            call = guard["call"]
            if guard["event"] == "allowed":
                mark = json.loads(guard["arguments"]["text"])["mark"]
                self.assertNotIn(mark, allowed)
                allowed[mark] = (call, place)
            else:
                ended.setdefault(call, []).append(guard["event"])
            if body["kind"] == "operation":
                effects[call] = effects.get(call, 0) + 1
        open_calls = {p["call"]: p["status"] for p in guards.pending(self.dir)}
        for mark in guards.calls(self.dir):
            self.assertIn(mark, allowed, "reached the server without a record")
        for mark, (call, place) in allowed.items():
            if call in open_calls:
                self.assertEqual(open_calls[call], "outcome_unknown")
                self.assertEqual(ended.get(call), ["outcome_unknown"])
            else:
                self.assertEqual(ended.get(call), ["done"], (mark, ended.get(call)))
            self.assertLessEqual(effects.get(call, 0), 1)
        return len(allowed), len(open_calls)

    def test_killed_at_random_points(self):
        rounds = 200 if SOAK else 3 if SANITIZED else 12
        chance = random.Random(SEED)
        for number in range(rounds):
            self.crash_once(chance, number)
        with Guard(self.dir):  # finds what was left behind
            pass
        total, unknown = self.judge()
        print(f"{rounds} kills: {total} calls allowed, {len(guards.calls(self.dir))} reached the server, "
              f"{unknown} of unknown outcome")
        self.assertGreater(len(guards.calls(self.dir)), rounds)
        self.assertGreater(unknown, 0)
        self.check_store()


def module(name):
    return ["node", npm.MODULES / "@modelcontextprotocol" / name / "dist" / "index.js"]


FILE_MAP = """persona: agent
tools:
  read_text_file:
    operation: read
    facts: {inside: {from: path, under: [ROOT/open]}}
  write_file:
    operation: write
    bindings: {File: {from: path, as: path, create: true}}
    facts: {inside: {from: path, under: [ROOT/open]}, size: {from: content, as: length}}
"""
MEMORY_MAP = """persona: agent
tools:
  create_entities:
    operation: write
    bindings: {File: {id: graph, create: true}}
    facts: {inside: {value: true}, size: {from: entities, as: count}}
  read_graph:
    operation: read
    facts: {inside: {value: true}}
"""


class Others(Guards):
    """Servers that others wrote."""

    def test_before_the_file_system(self):
        root = self.dir.resolve()
        (root / "open").mkdir()
        (root / "shut").mkdir()
        (root / "shut" / "secret").write_text("s")
        guards.lay_out(self.dir, map_text=FILE_MAP.replace("ROOT", str(root)))
        command = [*module("server-filesystem"), root]
        with Guard(self.dir, revision=mcp.OLDER, command=command) as agent:
            self.assertEqual(sorted(agent.tools()), ["read_text_file", "write_file"])
            self.assertFalse(agent.words("write_file", path=str(root / "open" / "a"), content="hello")[0])
            self.assertEqual((root / "open" / "a").read_text(), "hello")
            self.assertEqual(agent.words("read_text_file", path=str(root / "open" / "a")), (False, "hello"))
            for path in ("shut/secret", "open/../shut/secret"):
                error, text = agent.words("read_text_file", path=f"{root}/{path}")
                self.assertTrue(error)
                self.assertIn("inside is false", text)
            self.assertTrue(agent.words("write_file", path=str(root / "open" / "a"), content="x" * 11)[0])
            self.assertTrue(agent.words("list_directory", path=str(root))[0])
        with Guard(self.dir, "--observe", revision=mcp.OLDER, command=command) as agent:
            self.assertEqual(agent.words("read_text_file", path=f"{root}/shut/secret"), (False, "s"))
        self.check_store()

    def test_before_the_memory(self):
        guards.lay_out(self.dir, map_text=MEMORY_MAP)
        os.environ["MEMORY_FILE_PATH"] = str(self.dir / "memory.jsonl")
        with Guard(self.dir, revision=mcp.OLDER, command=module("server-memory")) as agent:
            self.assertEqual(sorted(agent.tools()), ["create_entities", "read_graph"])
            made = {"entities": [{"name": "a", "entityType": "t", "observations": []}]}
            self.assertFalse(agent.words("create_entities", **made)[0])
            self.assertIn('"a"', agent.words("read_graph")[1])
            self.assertTrue(agent.words("create_entities", entities=made["entities"] * 11)[0])
            self.assertTrue(agent.words("delete_entities", entityNames=["a"])[0])
            self.assertIn('"a"', agent.words("read_graph")[1])
        with Guard(self.dir, "--observe", revision=mcp.OLDER, command=module("server-memory")) as agent:
            self.assertFalse(agent.words("delete_entities", entityNames=["a"])[0])
            self.assertNotIn('"a"', agent.words("read_graph")[1])
        self.check_store()


STRANGE = [
    {"name": "operation"}, {"name": "1 weird/name\u0000\u001b[31m"}, {"name": "a.b"}, {"name": "a-b"}, {"name": "a-b"}, {"name": "FALSE"},
    {"name": "agent", "description": "x\n} persona evil\noperation z {"}, {"name": "\u00fc" * 300}, {"name": "x" * 128}, {"name": "x" * 129},
    {"name": "close_file", "inputSchema": {"required": ["file.path", 7, "filePath"],
                                           "properties": {"file.path": {"type": "string"},
                                                          "filePath": {"type": "string"}}}},
    {"name": "reading_allowed", "annotations": {"readOnlyHint": True}},
    {"name": "odd", "annotations": {"readOnlyHint": "yes", "destructiveHint": 7}, "inputSchema": []},
    {"name": 7}, "nothing", {"description": "no name"}, {"name": ""},
]


class Init(Guards):
    """motet guard init."""

    def check(self, directory):
        done = self.run_motet("check", "--strict", f"{directory}/guard.tenor")
        self.assertEqual(done.code, 0, done)
        done = self.run_motet("test", directory)
        self.assertEqual(done.code, 0, done)

    def init(self, directory, command):
        began = time.monotonic()
        done = self.run_motet("guard", "init", "--dir", directory, "--", *command)
        self.assertEqual(done.code, 0, done)
        self.said = done.err
        self.check(directory)
        return began

    def observe(self, directory, command, *options):
        words = ["guard", "run", *options, "--contract", f"{directory}/guard.tenor", "--map",
                 f"{directory}/map.yaml", "--store", f"sqlite:{directory}.db", "--", *map(str, command)]
        return mcp.Agent(words, mcp.OLDER, cwd=self.dir)

    def edit(self, directory, fact):
        """The first edit: one default is false."""
        path = self.dir / directory / "guard.tenor"
        head, found, tail = path.read_text().partition(f"fact {fact} {{")
        path.write_text(head + found + tail.replace("default: true", "default: false", 1))

    def test_both_servers_from_nothing_to_the_first_refusal(self):
        root = self.dir.resolve()
        os.environ["MEMORY_FILE_PATH"] = str(self.dir / "memory.jsonl")
        for name, call, arguments in [
                ("server-filesystem", "write_file", {"path": str(root / "a"), "content": "x"}),
                ("server-memory", "delete_entities", {"entityNames": ["a"]})]:
            with self.subTest(name):
                command = [*module(name), root]
                began = self.init(name, command)
                with self.observe(name, command, "--observe") as agent:
                    self.assertFalse(agent.call(call, arguments).get("isError", False))
                    self.assertLess(time.monotonic() - began, 60)
                self.edit(name, "destroying_allowed")
                with self.observe(name, command) as agent:
                    self.assertIn("destroying_allowed is false",
                                  agent.call(call, arguments)["content"][0]["text"])

    def server(self, tools):
        text = ("import json, sys\ntools = json.loads(sys.argv[1])\nfor line in sys.stdin:\n"
                "    m = json.loads(line)\n    n = int((m.get('params') or {}).get('cursor', 0))\n"
                "    last = n + 5 >= len(tools)\n"
                "    r = {'tools': tools[n:n + 5], **({} if last else {'nextCursor': str(n + 5)})}\n"
                "    if 'id' in m:\n        print('noise')\n"
                "        print(json.dumps({'jsonrpc': '2.0', 'id': m['id'], 'result': r}), flush=True)\n")
        return ["python3", self.write("strange.py", text), json.dumps(tools)]

    def test_whatever_a_server_calls_its_tools(self):
        self.init("strange", self.server(STRANGE))
        contract = (self.dir / "strange" / "guard.tenor").read_text()
        self.assertNotIn("\npersona evil", contract)
        self.assertIn("6 tools are left out", self.said)
        self.assertIn("from: \"filePath\", as: path", (self.dir / "strange" / "map.yaml").read_text())
        with self.observe("strange", self.server(STRANGE)) as agent:
            self.assertIn("a-b", agent.tools())

    def test_a_long_description_is_cut_between_two_characters(self):
        for before in range(3):
            told = "a" * before + "\u20ac" * 60
            self.init(f"long{before}", self.server([{"name": "look", "description": told}]))
            contract = (self.dir / f"long{before}" / "guard.tenor").read_text()
            self.assertIn("// " + told[:before + (100 - before) // 3] + "\n", contract)

    def test_a_tool_that_is_listed_twice_counts_once(self):
        reads, path = {"readOnlyHint": True}, {"properties": {"path": {"type": "string"}}, "required": ["path"]}
        for number, tools in enumerate([
                [{"name": "a"}, {"name": "a", "annotations": reads}, {"name": "a", "inputSchema": path}],
                [{"name": "a", "annotations": reads}, {"name": "a", "inputSchema": path}]]):
            self.init(f"twice{number}", self.server(tools))

    def test_thousands_of_tools_whose_names_are_alike(self):
        """The file is made in seconds, and no two operations are alike."""
        tools = [{"name": "".join("!?"[n >> k & 1] for k in range(11))} for n in range(2000)]
        (self.dir / "tools.json").write_text(json.dumps(tools))
        server = self.server([])[1]
        server = pathlib.Path(self.dir / server)
        server.write_text(server.read_text().replace("sys.argv[1]", "open(sys.argv[1]).read()"))
        began = time.monotonic()
        done = self.run_motet("guard", "init", "--dir", "many", "--", "python3", server, self.dir / "tools.json")
        self.assertEqual(done.code, 0, done)
        self.assertLess(time.monotonic() - began, 8)
        self.assertEqual(self.run_motet("check", "--strict", "many/guard.tenor").code, 0)

    def test_only_reading(self):
        self.init("reads", self.server([{"name": "look", "annotations": {"readOnlyHint": True}}]))

    def test_what_is_no_server(self):
        for command, words in [(["false"], "has ended"), (["./no-such"], "cannot be started"),
                               (self.server([]), "has no tools")]:
            done = self.run_motet("guard", "init", "--dir", "x", "--", *command)
            self.assertNotEqual(done.code, 0)
            self.assertIn(words, done.err)
        self.assertFalse((self.dir / "x").exists())

    def test_a_directory_that_is_there_is_left_alone(self):
        (self.dir / "guard").mkdir()
        done = self.run_motet("guard", "init", "--", *self.server([{"name": "a"}]))
        self.assertEqual(done.code, 3, done)
        self.assertEqual(list((self.dir / "guard").iterdir()), [])


class Shared(Guards):
    """A database that several processes use, and other doors to it."""

    def test_a_claim_is_everybodys(self):
        hang = {"path": "/srv/a", "content": "", "do": "hang"}
        with Postgres() as database:
            url = database.url()
            with Guard(self.dir, "--store", url) as one, Guard(self.dir, "--store", url) as two:
                one.say(json.dumps(mcp.message(mcp.NEWER, 91, "tools/call", {"name": "write", "arguments": hang})))
                while not guards.calls(self.dir):
                    time.sleep(0.01)
                self.assertIn("instance_busy", two.words("write", path="/srv/a", content="")[1])
                self.assertFalse(two.words("write", path="/srv/b", content="")[0])
                one.process.send_signal(signal.SIGTERM)
                self.assertEqual(one.process.wait(timeout=30), 0)
            pending = self.run_motet("guard", "pending", "--store", url, "--json")
            call, = [json.loads(line) for line in pending.out.splitlines()]
            self.assertEqual((call["status"], call["bindings"]), ("outcome_unknown", {"File": "/srv/a"}))
            self.others(url, call["call"])
            self.assertEqual(self.run_motet("ledger", "verify", "--store", url).code, 0)
            self.assertEqual(self.run_motet("store", "check", "--store", url).code, 0)

    def test_what_a_server_says_in_our_name_does_not_pass_where_nothing_was_recorded(self):
        """An operator was faster: the end of the call is no record, and the server's word for one is none."""
        given = {"path": "/srv/a", "content": "", "do": "ask", "meta": '{"motet/record": 0, "motet/receipt": {}, "a": 1}'}
        with Postgres() as database:
            url = database.url()
            with Guard(self.dir, "--store", url) as agent:
                agent.say(json.dumps(mcp.message(mcp.NEWER, 91, "tools/call", {"name": "write", "arguments": given})))
                asked = agent.hear()
                self.assertEqual(asked["method"], "roots/list")
                pending = self.run_motet("guard", "pending", "--store", url, "--json")
                call = json.loads(pending.out)["call"]
                self.assertEqual(self.run_motet("guard", "resolve", call, "--failed", "--store", url).code, 0)
                agent.say(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {}}))
                self.assertEqual(agent.hear()["result"]["_meta"], {"a": 1})

    def others(self, url, call):
        """A server that finds the claim: nothing moves what is held until it is resolved."""
        server = serve.Server(self.dir, "files.tenor", store=url)
        token = server.token("--persona", "files:agent", "--right", "files/facts:*", "--right",
                             "instances:delete")
        request = {"persona": "agent", "bindings": {"File": "/srv/a"}, "facts": {"inside": True}}
        with server:
            where = "/v1/contracts/files"
            busy = server.post(f"{where}/operations/write", request, token=token)
            self.assertEqual((busy.status, busy.code), (409, "instance_busy"), busy)
            gone = server.ask("DELETE", f"{where}/instances/File/%2Fsrv%2Fa", token=token)
            self.assertEqual((gone.status, gone.code), (409, "instance_busy"), gone)
            done = self.run_motet("guard", "resolve", call, "--failed", "--store", url)
            self.assertEqual(done.code, 0, done)
            free = server.post(f"{where}/operations/write", request, token=token)
            self.assertEqual(free.status, 200, free)


class Past(Guards):
    """What a guard has recorded is read like any ledger."""

    def test_which_calls_another_contract_would_have_refused(self):
        with Guard(self.dir) as agent:
            agent.words("write", path="/srv/a", content="12345678")
            agent.words("write", path="/srv/a", content="1")
            agent.words("read", path="/srv/a")
        new = self.write("new.tenor", guards.CONTRACT.replace("size <= 10", "size <= 5"))
        told = self.run_motet("whatif", "--store", "sqlite:guard.db", "--contract", "files", "--json", new)
        self.assertEqual(told.code, 1, told)
        *differences, summary = [json.loads(line) for line in told.out.splitlines()]
        self.assertEqual(len(differences), 1, told)

    def test_an_audit_names_tools_and_ends(self):
        with Guard(self.dir) as agent:
            agent.words("write", path="/srv/a", content="", do="error")
            agent.words("spare")
        told = self.run_motet("audit", "--store", "sqlite:guard.db").out
        self.assertIn("tool write on File//srv/a, allowed", told)
        self.assertIn("tool write on File//srv/a, failed", told)
        self.assertIn("tool spare, refused: unknown_operation", told)

    def test_a_receipt_of_a_permission(self):
        key = self.run_motet("keygen", "--prefix", "k")
        self.assertEqual(key.code, 0, key)
        with Guard(self.dir, "--signing-key", "k.secret") as agent:
            agent.words("write", path="/srv/a", content="")
        verified = self.run_motet("ledger", "verify", "--store", "sqlite:guard.db", "--key", "k.pub")
        self.assertEqual(verified.code, 0, verified)
        self.assertNotIn("nobody", verified.out)


class Checked(Guards):
    """motet store check compares calls that are under way with the records."""

    def tamper(self, statement, *values):
        with sqlite3.connect(self.dir / "guard.db") as db:
            self.assertGreater(db.execute(statement, values).rowcount, 0)
        db.close()

    def differs(self, pattern):
        done = self.run_motet("store", "check", "--store", "sqlite:guard.db")
        self.assertEqual(done.code, 1, done)
        self.assertRegex(done.out, pattern)

    def open_call(self, tool="write"):
        with Guard(self.dir) as agent:
            agent.words(tool, path="/srv/a", content="", do="die")
        self.check_store()
        call, = guards.pending(self.dir)
        body = json.loads(sqlite3.connect(self.dir / "guard.db").execute(
            "select body from docs where kind = 'guarded'").fetchone()[0])
        return call["call"], body

    def put(self, body):
        self.tamper("update docs set body = ? where kind = 'guarded'", json.dumps(body))

    def test_a_document_that_was_changed_is_named(self):
        call, body = self.open_call()
        for member, value in (("tool", "read"), ("status", "allowed"), ("persona", "owner"), ("operation", "seal"),
                              ("bindings", {"File": "/srv/b"}), ("facts", {**body["facts"], "inside": False})):
            with self.subTest(member):
                self.put({**body, member: value})
                self.differs(f"guarded/{call}: .*{member}")
        self.put(body)
        self.check_store()

    def test_one_that_is_gone_or_made_up_is_named(self):
        call, body = self.open_call()
        self.tamper("update docs set id = 'g-other' where kind = 'guarded'")
        self.differs("guarded/g-other: no record made it")
        self.differs(f"guarded/{call}: it is missing")

    def test_a_guard_does_not_serve_beside_a_call_it_cannot_read(self):
        self.open_call()
        self.tamper("update docs set body = '{' where kind = 'guarded'")
        done = self.run_motet(*guards.words(command=["true"]), stdin="")
        self.assertEqual(done.code, 3, done)
        self.assertIn("the store: ", done.err)
        self.assertEqual(done.out, "")

    def test_a_claim_that_is_gone_or_anothers_is_named(self):
        call, body = self.open_call()
        self.tamper("update docs set tag = 'g-other' where kind = 'guard_claim'")
        self.differs("guard_claim/.*: what it is listed under")
        self.tamper("delete from docs where kind = 'guard_claim'")
        self.differs("guard_claim/.*: it is missing")

    def test_committed_passed_and_hooks_are_as_recorded(self):
        guards.lay_out(self.dir, map_text="unmapped: allow\n" + guards.MAP)
        for tool in ("seal", "spare", "write"):
            with self.subTest(tool), Guard(self.dir) as agent:
                agent.words(tool, path=f"/srv/{tool}", content="", do="die")
            self.run_motet("guard", "decide", "--contract", "files.tenor", "--map", "map.yaml", "--store",
                           "sqlite:guard.db", stdin=json.dumps({"tool_name": tool, "tool_input": {"path": "/srv/z"}}))
        self.assertEqual(len(guards.pending(self.dir)), 3)
        self.check_store()
        for call in guards.pending(self.dir):
            self.assertEqual(self.run_motet("guard", "resolve", call["call"], "--done", "--store", "sqlite:guard.db").code, 0)
        self.check_store()


class Receipts(Guards):
    """What was recorded is in `_meta` of the result, as tools of motet mcp have it."""

    def setUp(self):
        super().setUp()
        self.holds("keygen", "--prefix", "k")

    def kinds(self):
        return {r["seq"]: r["body"] for r in guards.records(self.dir)}

    def verified(self, receipt, name):
        path = self.write(name, json.dumps(receipt))
        return self.run_motet("receipt", "verify", path, "--key", "k.pub")

    def test_allowed_refused_failed_and_unknown(self):
        for revision in (mcp.NEWER, mcp.OLDER):
            with self.subTest(revision), Guard(self.dir, "--signing-key", "k.secret", revision=revision) as agent:
                told = [agent.call("write", {"path": "/srv/a", "content": "", "do": do})["_meta"]
                        for do in ("", "error")]
                told.append(agent.call("write", {"path": "/etc/a", "content": ""})["_meta"])
                told.append(agent.call("write", {"path": f"/srv/{revision}", "content": "", "do": "die"})["_meta"])
            bodies = self.kinds()
            events = [(bodies[m["motet/record"]]["kind"], bodies[m["motet/record"]]["guard"]["event"]) for m in told]
            self.assertEqual(events, [("operation", "done"), ("guard", "failed"), ("refusal", "refused"),
                                      ("guard", "outcome_unknown")])
            for number, meta in enumerate(told):
                self.assertEqual(self.verified(meta["motet/receipt"], f"r{number}").code, 0)
            self.assertNotIn("receipt", told[2]["motet/problem"])
            self.assertEqual(told[2]["motet/problem"]["code"], "precondition_failed")

    def test_without_a_key_there_is_the_record_alone(self):
        with Guard(self.dir) as agent:
            for path in ("/srv/a", "/etc/a"):
                meta = agent.call("write", {"path": path, "content": ""})["_meta"]
                self.assertIn("motet/record", meta)
                self.assertNotIn("motet/receipt", meta)

    def test_the_rest_of_a_result_stays_as_it_was_written(self):
        with Guard(self.dir) as agent:
            for given, wanted in (
                    ('{"content": [ ],\t"z":1.50e+2}', '{"content": [ ],\t"z":1.50e+2,"_meta":{"motet/record":N}}'),
                    ('{}', '{"_meta":{"motet/record":N}}'),
                    ('{"_meta":{}, "content":[]}', '{"_meta":{"motet/record":N}, "content":[]}'),
                    ('{"_meta" : { "a":[1, 2], "\\u0062": "}" } , "content":[]}',
                     '{"_meta" : { "a":[1, 2], "\\u0062": "}" ,"motet/record":N} , "content":[]}'),
                    ('{"_meta":{"motet/receipt":"forged", "a": 1, "motet/record":0}}',
                     '{"_meta":{"a":1,"motet/record":N}}'),
                    ('{"_meta":7}', '{"_meta":7}'), ('[1, 2]', '[1, 2]')):
                with self.subTest(given):
                    agent.number += 1
                    agent.say(json.dumps(mcp.message(mcp.NEWER, agent.number, "tools/call", {
                        "name": "read", "arguments": {"path": "/srv/a", "do": "raw", "raw": given}})))
                    line = agent.process.stdout.readline()
                    number = max(self.kinds())
                    self.assertEqual(line, '{"result":%s,"extra":1.50,"jsonrpc":"2.0","id":%d}\n' % (
                        wanted.replace("N", str(number)), agent.number))

    def test_what_passes_without_a_decision_stays_as_it_is(self):
        with Guard(self.dir, "--observe") as agent:
            self.assertNotIn("_meta", agent.call("write", {"path": "/etc/a", "content": ""}))


class Suggest(Guards):
    """motet guard suggest."""

    def setUp(self):
        super().setUp()
        self.command = ["python3", EXAMPLE / "server.py"]
        done = self.run_motet("guard", "init", "--", *self.command)
        self.assertEqual(done.code, 0, done)
        for name in ("x/a", "x/b", "x/deep/c", "y"):
            self.write(name, "t")

    def calls(self, *calls, options=()):
        words = ["guard", "run", *options, "--contract", "guard/guard.tenor", "--map", "guard/map.yaml", "--store",
                 "sqlite:guard.db", "--", *map(str, self.command)]
        with mcp.Agent(words, mcp.OLDER, cwd=self.dir) as agent:
            return [agent.call(name, arguments)["content"][0]["text"] for name, arguments in calls]

    def suggest(self, *words):
        return self.run_motet("guard", "suggest", "--contract", "guard/guard.tenor", "--map", "guard/map.yaml",
                              *words)

    def test_narrowed_by_what_was_observed(self):
        root = str(self.dir)
        self.calls(("read_file", {"path": f"{root}/x/a"}), ("read_file", {"path": f"{root}/x/deep/../deep/c"}),
                   ("write_file", {"path": f"{root}/x/b", "content": "1"}), ("other", {}), options=["--observe"])
        done = self.suggest("--store", "sqlite:guard.db")
        self.assertEqual(done.code, 0, done)
        self.assertIn("tool delete_file was never called", done.err)
        self.assertIn("tool other was called and has no row", done.err)
        self.assertIn(f'+    facts: {{read_file_place: {{from: "path", under: ["{root}/x"]}}}}', done.out)
        self.assertIn("+  precondition: (reading_allowed) and read_file_place", done.out)
        exported = self.run_motet("ledger", "export", "--store", "sqlite:guard.db", "--out", "ledger.jsonl")
        self.assertEqual(exported.code, 0, exported)
        self.assertEqual(self.suggest("ledger.jsonl").out, done.out)
        patched = subprocess.run(["patch", "-p0"], input=done.out_bytes, cwd=self.dir, capture_output=True)
        self.assertEqual(patched.returncode, 0, patched)
        for words in (["check", "--strict", "guard/guard.tenor"], ["test", "guard"]):
            self.assertEqual(self.run_motet(*words).code, 0, self.run_motet(*words))
        inside, outside, gone = self.calls(("read_file", {"path": f"{root}/x/a"}),
                                           ("read_file", {"path": f"{root}/y"}),
                                           ("delete_file", {"path": f"{root}/x/a"}))
        self.assertEqual(inside, "t")
        self.assertIn("read_file_place is false", outside)
        self.assertIn("unknown_operation", gone)
        again = self.suggest("--store", "sqlite:guard.db")
        self.assertEqual((again.code, again.out), (0, ""), again)

    def test_what_was_seen_is_not_refused_by_the_suggestion(self):
        for number, paths in enumerate((["../../a", "../b"], ["x\0y/a"])):
            with self.subTest(paths):
                store = f"sqlite:{number}.db"
                for path in paths:
                    self.run_motet("guard", "decide", "--observe", "--contract", "guard/guard.tenor", "--map",
                                   "guard/map.yaml", "--store", store,
                                   stdin=json.dumps({"tool_name": "read_file", "tool_input": {"path": path}}))
                done = self.suggest("--store", store)
                self.assertEqual((done.code, "under:" in done.out), (0, False), done)

    def test_what_is_refused_for_good_widens_nothing(self):
        guarded = (self.dir / "guard" / "guard.tenor")
        guarded.write_text(guarded.read_text().replace("default: true", "default: false", 1))
        self.calls(("read_file", {"path": "/etc/passwd"}), ("write_file", {"path": "x/a", "content": ""}))
        self.assertIn("tool read_file was never called", self.suggest("--store", "sqlite:guard.db").err)

    def test_long_arguments_are_not_known(self):
        self.calls(("write_file", {"path": "x/a", "content": "z" * 2000}),
                   ("write_file", {"path": "x/b", "content": ""}))
        self.assertNotIn("write_file_place", self.suggest("--store", "sqlite:guard.db").out)

    def test_what_cannot_be_edited_is_said(self):
        guards.lay_out(self.dir, guards.CONTRACT.replace("default: false", "default: true"),
                       "persona: agent\ntools:\n  read: {operation: read}\n")
        with Guard(self.dir) as agent:
            agent.words("read", path="/srv/a/b")
            agent.words("read", path="/srv/a/c")
        words = ["guard", "suggest", "--contract", "files.tenor", "--map", "map.yaml"]
        done = self.run_motet(*words, "--store", "sqlite:guard.db")
        self.assertEqual((done.code, done.out), (0, ""), done)
        self.assertIn("tool read: path was always below /srv/a; its row or its operation cannot be edited",
                      done.err)
        self.assertEqual(self.run_motet(*words, self.write("empty", "")).code, 1)


class Web(http.server.BaseHTTPRequestHandler):
    """A server over HTTP: `do` of the arguments says how it answers. Keeps what it heard."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def give(self, status, body, kind="application/json", **fields):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.heard.append((message, self.headers))
        method, params = message["method"], message.get("params", {})
        do = params.get("arguments", {}).get("do", "")
        answer = {"jsonrpc": "2.0", "id": message.get("id"), "result": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "w", "version": "1"},
            "tools": [{"name": "read"}, {"name": "write"}], "resultType": "complete",
            "content": [{"type": "text", "text": "done"}]}}
        text = json.dumps(answer, indent=1).encode()
        if "id" not in message:
            self.give(202, b"")
        elif method == "initialize":
            self.give(200, text, Mcp_Session_Id="s-1")
        elif do == "stream":
            note = b'data: {"jsonrpc":"2.0","method":"notifications/message"}\r\n\r\n'
            lines = b"".join(b"data: " + line + b"\n" for line in text.splitlines())
            self.give(200, b": hello\n\nevent: message\n" + note + lines, "Text/Event-Stream; charset=utf-8")
        elif do == "bare stream":
            self.give(200, b"data: " + json.dumps(answer).encode() + b"\n\n", "text/event-stream")
        elif do == "break":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(text[:10])
            self.close_connection = True
        elif do in ("500", "403", "302"):
            self.give(int(do), b"no", "text/plain", Location="http://127.0.0.1:1/")
        elif do == "garbage":
            self.give(200, b"\xff{", "application/json")
        else:
            self.give(200, text)


class Upstream(Guards):
    """A server that is reached over HTTP."""

    def setUp(self):
        super().setUp()
        self.web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Web)
        self.web.heard = []
        threading.Thread(target=self.web.serve_forever, daemon=True).start()
        self.addCleanup(self.web.server_close)
        self.addCleanup(self.web.shutdown)
        self.url = f"http://127.0.0.1:{self.web.server_port}/mcp"

    def guard(self, revision, *options, url=None):
        words = ["guard", "run", "--contract", "files.tenor", "--map", "map.yaml", "--store", "sqlite:guard.db",
                 "--upstream", url or self.url, *options]
        return mcp.Agent(words, revision, cwd=self.dir)

    def test_both_revisions_with_a_token(self):
        secret = self.write("token", "t-0k3n\n")
        secret.chmod(0o600)
        for revision in (mcp.NEWER, mcp.OLDER):
            with self.subTest(revision), self.guard(revision, "--token-file", secret) as agent:
                self.assertEqual(agent.tools(), ["read", "write"])
                for do in ("", "stream", "bare stream"):
                    agent.say(json.dumps(mcp.message(revision, 70, "tools/call", {
                        "name": "write", "arguments": {"path": "/srv/a", "content": "x", "do": do}})))
                    answers = [agent.hear() for _ in range(2 if do == "stream" else 1)]
                    self.assertEqual(answers[-1]["id"], 70)
                    self.assertEqual(answers[-1]["result"]["content"][0]["text"], "done")
                before = len(self.web.heard)
                self.assertIn("inside is false", agent.call(
                    "read", {"path": "/etc/passwd"})["content"][0]["text"])
                self.assertEqual(len(self.web.heard), before)
            message, fields = self.web.heard[-1]
            self.assertEqual(fields["Authorization"], "Bearer t-0k3n")
            self.assertEqual(fields["MCP-Protocol-Version"], revision)
            newer = revision == mcp.NEWER
            self.assertEqual(fields["Mcp-Session-Id"], None if newer else "s-1")
            self.assertEqual(fields["Mcp-Name"], "write" if newer else None)
        self.check_store()

    def test_a_name_that_no_header_can_carry_is_encoded(self):
        """As the newer revision writes it; a server compares it with the body."""
        for name, sent in (("läse", "=?base64?bMOkc2U=?="), (" read", "=?base64?IHJlYWQ=?="), ("read", "read")):
            self.holds("guard", "connect", self.url, stdin=json.dumps(
                mcp.message(mcp.NEWER, 1, "tools/call", {"name": name, "arguments": {}})) + "\n")
            self.assertEqual(self.web.heard[-1][1]["Mcp-Name"], sent)

    def test_what_goes_wrong_on_the_way(self):
        with self.guard(mcp.NEWER) as agent:
            for do, status in [("403", "failed"), ("302", "failed"), ("500", "outcome_unknown"),
                               ("break", "outcome_unknown"), ("garbage", "outcome_unknown")]:
                with self.subTest(do), self.assertRaises(mcp.Refused):
                    agent.call("write", {"path": f"/srv/{do}", "content": "", "do": do})
                self.assertEqual(self.events()[-1], ("write", "guard", status))
        self.assertEqual(len(guards.pending(self.dir)), 3)
        self.check_store()
        none = self.run_motet("guard", "connect", "http://127.0.0.1:1/mcp",
                              stdin=json.dumps(mcp.message(mcp.NEWER, 1, "server/discover")) + "\n")
        error = json.loads(none.out)["error"]
        self.assertIn("cannot be asked", error["message"])
        self.assertNotIn("data", error)  # nothing can have happened

    def test_one_server_is_named(self):
        for words in (["--upstream", self.url, "--", "true"], []):
            done = self.run_motet("guard", "run", "--contract", "files.tenor", "--map", "map.yaml", *words)
            self.assertEqual(done.code, 2, done)
        self.assertEqual(self.run_motet("guard", "connect", "ftp://x").code, 2)

    def test_before_our_own_server(self):
        """Which is strict about header fields."""
        escrow = SOURCE / "examples" / "escrow" / "escrow.tenor"
        server = serve.Server(self.dir, escrow)
        token = self.write("token", server.token("--persona", "escrow:seller"))
        token.chmod(0o600)
        with server:
            url = f"http://{server.host}:{server.port}/mcp/escrow/seller"
            for revision in (mcp.NEWER, mcp.OLDER):
                with self.subTest(revision), mcp.Agent(
                        ["guard", "connect", "--token-file", token, url], revision, cwd=self.dir) as agent:
                    self.assertIn("confirm_delivery", agent.tools())
                    self.assertIn("states", json.dumps(agent.ask("resources/list")))


main()
