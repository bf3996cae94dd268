"""AuthZEN 1.0 and the card of A2A 1.0: every example of the specification, the certification
scenario's cases, what each caller may ask, and what is recorded."""
import concurrent.futures
import http.client
import json
import random
import signal
import subprocess
import threading
import time

import npm
from harness import SOAK, SOURCE, Case, main, run
from postgres import Postgres
from serve import ESCROW, FACTS, Server

RECORDS = SOURCE / "examples" / "records" / "records.tenor"
CONFIG = {
    "files": [str(RECORDS), str(ESCROW)],
    "default_contract": "records",
    "authzen": {"subjects": {
        "user": {"rules": [
            {"claim": "id", "equals": "alice", "personas": ["records:writer"]},
            {"claim": "id", "equals": "bob", "personas": ["records:reader"]},
            {"claim": ["properties", "role"], "equals": "admin", "personas": ["records:admin"]}]},
        "member": {"rules": [
            {"claim": "id", "equals": "alice", "personas": ["records:writer"]},
            {"claim": "id", "equals": "bob", "personas": ["records:reader"]}]}}}}
EVALUATION, EVALUATIONS = "/access/v1/evaluation", "/access/v1/evaluations"
ALICE, BOB = {"type": "user", "id": "alice"}, {"type": "user", "id": "bob"}
ONE, TWO = {"type": "record", "id": "record-1"}, {"type": "record", "id": "record-2"}
READ, WRITE, DELETE = {"name": "read"}, {"name": "write"}, {"name": "delete"}
ARCHIVED = {**TWO, "properties": {"status": "archived"}}
ADMIN = {**BOB, "properties": {"role": "admin"}}


def ask(subject=ALICE, action=READ, resource=ONE, **more):
    return {"subject": subject, "action": action, "resource": resource, **more}


class Access(Case):
    def serve(self, *options, store="sqlite:serve.db", **config):
        self.write("motet.json", json.dumps({**CONFIG, **config}))
        server = Server(self.dir, store=store, options=["--config", "motet.json", *options])
        self.boss = server.token("--name", "boss", "--right", "instances:create", "--right", "ledger:read")
        self.pep = server.token("--name", "gateway", "--right", "records/decide", "--right", "records/facts:*")
        server.start()
        self.addCleanup(server.stop)
        for name in ("record-1", "record-2"):
            made = server.post("/v1/contracts/records/instances/record", {"id": name}, token=self.boss)
            self.assertEqual(made.status, 201, made)
        self.server = server
        return server

    def token(self, *options):
        """A token that the running server knows by now."""
        token = self.server.token(*options)
        self.assertTrue(self.server.wait_until(
            lambda: self.server.get("/session", token=token).status == 200))
        return token

    def post(self, path, body, token=None, **named):
        return self.server.post(path, body, token=token or self.pep, **named)

    def decide(self, body, token=None):
        answer = self.post(EVALUATION, body, token)
        self.assertEqual(answer.status, 200, answer)
        self.assertIs(type(answer.json["decision"]), bool)
        return answer.json["decision"]

    def many(self, body, token=None):
        answer = self.post(EVALUATIONS, body, token)
        self.assertEqual(answer.status, 200, answer)
        self.assertNotIn("decision", answer.json)
        return [one["decision"] for one in answer.json["evaluations"]]

    def records(self, kind="decision"):
        answer = self.server.get(f"/v1/ledger?kind={kind}&limit=1000", token=self.boss)
        return [item["body"] for item in answer.json["items"]]


class Evaluation(Access):
    def test_the_eight_decisions_of_the_certification_scenario(self):
        self.serve()
        for number, (question, wanted) in enumerate((
                (ask(ALICE, READ, ONE), True), (ask(ALICE, WRITE, ONE), True),
                (ask(BOB, READ, ONE), True), (ask(BOB, WRITE, ONE), False),
                (ask(ALICE, WRITE, ARCHIVED), False), (ask(ADMIN, WRITE, ARCHIVED), True),
                (ask(ALICE, {**DELETE, "properties": {"soft": True}}, ONE), True),
                (ask(ALICE, {**DELETE, "properties": {"soft": False}}, ONE), False)), 1):
            with self.subTest(number):
                self.assertIs(self.decide(question), wanted)
                self.assertIs(self.decide(question), wanted, "asked again")

    def test_what_the_specification_lets_a_request_have(self):
        self.serve()
        for question in (
                ask(context={"time": "2025-06-27T18:03-07:00", "ip": "192.168.1.1"}),
                ask({**ALICE, "properties": {"department": "Sales", "role": "manager"}},
                    {**READ, "properties": {"method": "GET"}},
                    {**ONE, "properties": {"status": "active", "owner": "bob"}}),
                ask(foo="bar", futureField={"nested": True}),
                ask({**ALICE, "properties": None}, context=None),
                ask({**ALICE, "later": [1]}, {**READ, "later": 2}, {**ONE, "later": {}})):
            with self.subTest(question):
                self.assertIs(self.decide(question), True)

    def test_examples_of_things_that_are_not_there_are_denied(self):
        self.serve()
        everywhere = self.token("--right", "decide")
        for question, code in (
                ({"subject": {"type": "user", "id": "alice@example.com"}, "resource": {"type": "account", "id": "123"},
                  "action": {"name": "can_read", "properties": {"method": "GET"}},
                  "context": {"time": "1985-10-26T01:22-07:00"}}, "unknown_entity"),
                (ask(resource={"type": "todo.list", "id": "1"}), "unknown_contract"),
                (ask(action={"name": "can_read"}), "unknown_operation"),
                (ask(resource={**ONE, "id": "record-3"}), "unknown_instance"),
                (ask(action={"name": "writable"}, resource={**ONE, "id": "record-3"}), "unknown_instance"),
                (ask({"type": "user", "id": "mallory"}), "persona_rejected"),
                (ask({"type": "spaceship", "id": "alice"}), "persona_rejected"),
                (ask({"type": "persona", "id": "nobody"}), "persona_rejected"),
                (ask({"type": "token", "id": "0123456789abcdef"}), "persona_rejected")):
            with self.subTest(code=code, question=question):
                rights = "evaluate" if question["action"]["name"] == "writable" else None
                token = self.token("--right", "decide", "--right", rights) if rights else everywhere
                answer = self.post(EVALUATION, question, token)
                self.assertEqual((answer.status, answer.json["decision"]), (200, False), answer)
                self.assertEqual(answer.json["context"]["code"], code)

    def test_malformed_requests_are_400(self):
        self.serve()
        good = ask()
        lacking = [{k: v for k, v in good.items() if k != part} for part in good]
        for part, member in (("subject", "type"), ("subject", "id"), ("action", "name"),
                             ("resource", "type"), ("resource", "id")):
            lacking.append({**good, part: {k: v for k, v in good[part].items() if k != member}})
        bad = [*lacking, {**good, "subject": "alice"}, {**good, "action": {"name": 123}},
               {**good, "subject": {**ALICE, "properties": []}}, {**good, "context": "now"},
               {**good, "resource": {**ONE, "id": ""}}, {**good, "subject": None}, [], 1,
               {**good, "context": {"motet": {"binding": {}}}},
               {**good, "context": {"motet": {"bindings": {"record": "record-2"}}}},
               {**good, "context": {"motet": {"bindings": {"nothing": "x"}}}},
               {**good, "context": {"status": "active"}, "resource": {**ONE, "properties": {"status": "active"}}},
               "", "{", '{"subject":{},"subject":{}}', b"\xff"]
        for body in bad:
            with self.subTest(body):
                answer = self.post(EVALUATION, body, headers={"X-Request-ID": "r-1"})
                self.assertEqual((answer.status, answer.headers["X-Request-Id"]), (400, "r-1"), answer)
                self.assertTrue(answer.json["detail"], answer)
        typed = self.post(EVALUATION, json.dumps(good), headers={"Content-Type": "text/plain"})
        self.assertEqual(typed.status, 400, typed)

    def test_a_name_has_256_bytes_at_most(self):
        self.serve()
        at, beyond = "x" * 256, "x" * 257
        for part, member in (("subject", "id"), ("subject", "type"), ("resource", "id"), ("action", "name")):
            fits = self.post(EVALUATION, {**ask(), part: {**ask()[part], member: at}})
            self.assertEqual((fits.status, fits.json["decision"]), (200, False), fits)
            self.assertEqual(self.post(EVALUATION, {**ask(), part: {**ask()[part], member: beyond}}).status, 400)

    def test_a_name_with_a_zero_character_names_nobody(self):
        """It would end there for some: a persona that is not asked about would decide."""
        server = self.serve()
        bad = ask({"type": "persona", "id": "writer\0x"}, WRITE)
        for question in (bad, ask({"type": "user\0", "id": "bob"}), ask(action={"name": "read\0"}),
                         ask(resource={**ONE, "id": "record-1\0x"}), ask(resource={**ONE, "type": "record\0"})):
            answer = self.post(EVALUATION, question)
            self.assertEqual(answer.status, 400, answer)
        self.assertIn("`subject.id` has a zero character", self.post(EVALUATION, bad).json["detail"])
        item = self.post(EVALUATIONS, {"evaluations": [bad]}).json["evaluations"][0]
        self.assertEqual((item["decision"], item["context"]["error"]["status"]), (False, 400))
        self.assertEqual(self.records(), [])
        history = server.get("/v1/contracts/records/instances/record/record-1/history", token=self.boss).json["items"]
        self.assertEqual([item["body"]["kind"] for item in history], ["instance_created"])

    def test_before_the_first_dot_of_a_type_stands_a_contract(self):
        self.serve()
        for kind in (".record", ".", "..record"):
            answer = self.post(EVALUATION, ask(resource={**ONE, "type": kind}), self.token("--right", "decide"))
            self.assertEqual((answer.json["decision"], answer.json["context"]["code"][:7]), (False, "unknown"), answer)
        self.assertEqual(self.records(), [])

    def test_request_ids_are_echoed_whatever_they_are(self):
        self.serve()
        for name in ("bfe9eb29-ab87-4ca3-be83-a1d5d8305716", "with blanks/and:signs", "x" * 255):
            answer = self.post(EVALUATION, ask(), headers={"X-Request-ID": name})
            self.assertEqual(answer.headers["X-Request-Id"], name)
        self.assertTrue(self.post(EVALUATION, ask()).headers["X-Request-Id"])
        for status, path, body, token in ((400, EVALUATION, {}, self.pep), (401, EVALUATION, ask(), "mt_none"),
                                          (200, "/access/v1/search/action", {"subject": ALICE, "resource": ONE}, self.pep)):
            answer = self.post(path, body, token, headers={"X-Request-ID": "the same"})
            self.assertEqual((answer.status, answer.headers["X-Request-Id"]), (status, "the same"), path)

    def test_a_request_id_that_is_too_long_or_no_ascii_text_is_not_echoed(self):
        self.serve()
        for name in ("\xe9t\xe9", "\xe9", "caf\xe9", "x" * 256):
            answer = self.post(EVALUATION, ask(), headers={"X-Request-ID": name})
            self.assertEqual(answer.status, 200, answer)
            self.assertRegex(answer.headers["X-Request-Id"], "^[!-~]{1,255}$")
            self.assertNotEqual(answer.headers["X-Request-Id"], name)

    def test_401_and_403_are_for_who_asks(self):
        self.serve()
        stranger = self.server.ask("POST", EVALUATION, ask())
        self.assertEqual(stranger.status, 401)
        self.assertIn("Bearer", stranger.headers["WWW-Authenticate"])
        self.assertEqual(self.post(EVALUATION, ask(), "mt_" + "0" * 16 + "_" + "0" * 64).status, 401)
        other = self.token("--right", "records/read")
        answer = self.post(EVALUATION, ask(), other)
        self.assertEqual((answer.status, answer.json["needs"]), (403, ["records/decide"]))

    def test_flows_and_verdicts_are_actions_too(self):
        self.serve()
        both = self.token("--right", "decide", "--right", "evaluate", "--right", "facts:*")
        soft = {"context": {"soft": True}}
        self.assertIs(self.decide(ask(ALICE, {"name": "retire"}, **soft), both), True)
        self.assertIs(self.decide(ask(ALICE, {"name": "flow:retire"}, **soft), both), True)
        self.assertIs(self.decide(ask(ALICE, {"name": "retire"}), both), False)
        self.assertIs(self.decide(ask(BOB, {"name": "retire"}, **soft), both), False)
        self.assertIs(self.decide(ask(ALICE, {"name": "writable"}), both), True)
        self.assertIs(self.decide(ask(ALICE, {"name": "verdict:writable"}, ARCHIVED), both), False)
        without = self.post(EVALUATION, ask(ALICE, {"name": "writable"}))
        self.assertEqual((without.status, without.json["needs"]), (403, ["records/evaluate"]))

    def test_nobody_known_is_denied_a_verdict_too(self):
        self.serve()
        both = self.token("--right", "decide", "--right", "evaluate")
        self.assertIs(self.decide(ask(BOB, {"name": "writable"}), both), True)
        for subject in ({"type": "user", "id": "mallory"}, {"type": "spaceship", "id": "bob"},
                        {"type": "persona", "id": "nobody"}, {"type": "token", "id": "0" * 16}):
            answer = self.post(EVALUATION, ask(subject, {"name": "writable"}), both).json
            self.assertEqual((answer["decision"], answer["context"]["code"]), (False, "persona_rejected"), answer)
            found = self.post("/access/v1/search/action", {"subject": subject, "resource": ONE}, both).json
            self.assertEqual(found["results"], [])

    def test_another_contract_is_named_and_further_entities_are_bound(self):
        server = self.serve()
        boss = self.token("--right", "instances:create", "--right", "escrow/decide", "--right", "escrow/facts:*")
        for entity, name in (("EscrowAccount", "e"), ("DeliveryRecord", "d")):
            server.post(f"/v1/contracts/escrow/instances/{entity}", {"id": name}, token=boss)
        seller = {"type": "persona", "id": "seller"}
        question = ask(seller, {"name": "confirm_delivery"}, {"type": "escrow.DeliveryRecord", "id": "d"}, context=FACTS)
        self.assertIs(self.decide(question, boss), True)
        account = ask(seller, {"name": "flow:standard_release"}, {"type": "escrow.EscrowAccount", "id": "e"},
                      context={**FACTS, "motet": {"bindings": {"DeliveryRecord": "d"}}})
        self.assertIs(self.decide(account, boss), True)
        agent = {**account, "subject": {"type": "persona", "id": "escrow_agent"}}
        self.assertIs(self.decide(agent, boss), False, "it begins with a step of the seller")
        self.assertEqual(self.post(EVALUATION, question).status, 403, "this caller decides records only")


THINGS = """
persona viewer
persona keeper
entity account { states: [open] initial: open transitions: [(open, open)] }
entity todo { states: [open] initial: open transitions: [(open, open)] }
entity document { states: [open, shut] initial: open transitions: [(open, open), (open, shut)] }
operation can_read { allowed_personas: [viewer, keeper] precondition: true
  effects: [(account, open, open)] }
operation can_write { allowed_personas: [keeper] precondition: true effects: [(account, open, open)] }
operation read { allowed_personas: [viewer, keeper] precondition: true effects: [(document, open, open)] }
operation can_edit { allowed_personas: [keeper] precondition: true effects: [(document, open, open)] }
operation shut { allowed_personas: [keeper] precondition: true effects: [(document, open, shut)] }
"""


class Examples(Access):
    """The examples of the specification as they are printed, with the answers it prints."""

    CALLER = {"type": "user", "id": "alice@example.com"}
    TIME = {"time": "2024-05-31T15:22-07:00"}

    def setUp(self):
        super().setUp()
        rules = [{"claim": "id", "equals": f"{name}@example.com", "personas": [f"things:{persona}"]}
                 for name, persona in (("alice", "keeper"), ("bob", "viewer"))]
        self.write("things.tenor", THINGS)
        self.write("motet.json", json.dumps({"files": ["things.tenor"],
                                             "authzen": {"subjects": {"user": {"rules": rules}}}}))
        self.server = Server(self.dir, options=["--config", "motet.json"])
        self.pep = self.server.token("--right", "decide", "--right", "instances:create", "--persona", "keeper")
        self.server.start()
        self.addCleanup(self.server.stop)
        for kind, names in (("account", ("123", "456")), ("todo", ("1",)), ("document", ("1", "2", "3", "boxcarring.md",
                            "subject-search.md", "resource-search.md"))):
            for name in names:
                made = self.post(f"/v1/contracts/things/instances/{kind}", {"id": name})
                self.assertEqual(made.status, 201, made)
        done = self.post("/v1/contracts/things/operations/shut", {"persona": "keeper", "bindings": {"document": "2"}})
        self.assertEqual(done.status, 200, done)

    def test_one_question(self):
        question = {"subject": self.CALLER, "resource": {"type": "account", "id": "123"},
                    "action": {"name": "can_read", "properties": {"method": "GET"}},
                    "context": {"time": "1985-10-26T01:22-07:00"}}
        self.assertIs(self.decide(question), True)
        subject = {**self.CALLER, "properties": {"department": "Sales", "ip_address": "172.217.22.14",
                                                 "device_id": "8:65:ee:17:7e:0b"}}
        self.assertIs(self.decide({**question, "subject": subject}), True)
        book = {"type": "book", "id": "123", "properties": {"library_record": {
            "title": "AuthZEN in Action", "isbn": "978-0593383322"}}}
        self.assertIs(self.decide({**question, "resource": book}), False)

    def test_many(self):
        names = ("boxcarring.md", "subject-search.md", "resource-search.md")
        papers = [{"resource": {"type": "document", "id": name}} for name in names]
        read, edit = {"action": {"name": "read"}}, {"action": {"name": "can_edit"}}
        whole = [{"subject": self.CALLER, **read, **paper, "context": self.TIME} for paper in papers]
        self.assertEqual(self.many({"evaluations": whole}), [True] * 3)
        self.assertEqual(self.many({"subject": self.CALLER, "context": self.TIME,
                                    "evaluations": [{**read, **paper} for paper in papers]}), [True] * 3)
        bob = {"type": "user", "id": "bob@example.com"}
        self.assertEqual(self.many({"subject": bob, "context": self.TIME, **read,
                                    "evaluations": [papers[0], papers[1], {**edit, **papers[2]}]}), [True, True, False])
        lacks = {"evaluations": [{"resource": {"type": "doc", "id": "1"}, "subject": {"type": "doc", "id": "2"}}],
                 "options": {"evaluations_semantic": "execute_all", "another_option": "value"}}
        self.assertEqual(self.many(lacks), [False])

    def test_the_three_semantics_give_the_printed_answers(self):
        question = {"subject": self.CALLER, "action": {"name": "read"},
                    "evaluations": [{"resource": {"type": "document", "id": n}} for n in "123"]}
        for semantic, printed in (("execute_all", [True, False, True]), ("deny_on_first_deny", [True, False]),
                                  ("permit_on_first_permit", [True])):
            self.assertEqual(self.many({**question, "options": {"evaluations_semantic": semantic}}), printed)

    def test_searches(self):
        account = {"type": "account", "id": "123"}
        found = self.post("/access/v1/search/subject", {
            "subject": {"type": "user"}, "action": {"name": "can_read"}, "resource": account,
            "context": {"time": "2024-10-26T01:22-07:00"}}).json
        self.assertEqual(found["results"], [{"type": "user", "id": "alice@example.com"},
                                            {"type": "user", "id": "bob@example.com"}])
        found = self.post("/access/v1/search/resource", {
            "subject": self.CALLER, "action": {"name": "can_read"}, "resource": {"type": "account"}}).json
        self.assertEqual(found, {"results": [{"type": "account", "id": "123"}, {"type": "account", "id": "456"}],
                                 "page": {"next_token": ""}})
        found = self.post("/access/v1/search/action", {
            "subject": self.CALLER, "resource": account, "context": {"time": "2024-10-26T01:22-07:00"}}).json
        self.assertEqual(found["results"], [{"name": "can_read"}, {"name": "can_write"}])


class Evaluations(Access):
    def test_defaults_are_merged(self):
        self.serve()
        both = [{"action": READ}, {"action": WRITE}]
        self.assertEqual(self.many({"subject": BOB, "resource": ONE, "evaluations": both}), [True, False])
        self.assertEqual(self.many({"evaluations": [ask(ALICE, READ, ONE), ask(BOB, WRITE, ONE)]}), [True, False])
        self.assertEqual(self.many({"subject": ALICE, "action": READ, "context": {"time": "x"}, "evaluations": [
            {"resource": ONE}, {"resource": TWO, "context": {"time": "y", "source": "z"}}]}), [True, True])
        active = {**ONE, "properties": {"status": "active"}}
        self.assertEqual(self.many({"subject": ALICE, "action": WRITE, "evaluations": [
            {"resource": active}, {"resource": ARCHIVED}]}), [True, False])
        self.assertEqual(self.many({"action": WRITE, "resource": ARCHIVED, "evaluations": [
            {"subject": ALICE}, {"subject": ADMIN}]}), [False, True])
        # A part that is given anew keeps the default's type and id, and none of its properties.
        self.assertEqual(self.many({"subject": ALICE, "action": WRITE, "resource": {"type": "record", "properties": {
            "status": "archived"}}, "evaluations": [{"resource": {"id": "record-1"}}, {"resource": ARCHIVED}]}),
            [True, False])

    def test_a_context_that_is_null_takes_the_place_of_the_common_one(self):
        self.serve()
        common = {"subject": ALICE, "action": DELETE, "resource": ONE, "context": {"soft": True}}
        self.assertEqual(self.many({**common, "evaluations": [{}, {"context": None}, {"context": {}}]}), [True, False, False])

    def test_the_three_semantics(self):
        self.serve()
        three = {"subject": ALICE, "action": WRITE,
                 "evaluations": [{"resource": ONE}, {"resource": ARCHIVED}, {"resource": TWO}]}
        for semantic, wanted in (("execute_all", [True, False, True]), ("deny_on_first_deny", [True, False]),
                                 ("permit_on_first_permit", [True])):
            options = {"evaluations_semantic": semantic, "another_option": "value"}
            self.assertEqual(self.many({**three, "options": options}), wanted)
        self.assertEqual(self.many(three), [True, False, True])
        for options in ({"evaluations_semantic": "all"}, {"evaluations_semantic": 1}, []):
            self.assertEqual(self.post(EVALUATIONS, {**three, "options": options}).status, 400)

    def test_an_item_that_is_wrong_is_denied_by_itself(self):
        self.serve()
        wrong = [{}, 7, {"resource": {"type": "record"}}, {"resource": "record-1"},
                 {"resource": {**ONE, "type": "escrow.EscrowAccount"}}]
        answer = self.post(EVALUATIONS, {"subject": ALICE, "action": READ, "evaluations": [{"resource": ONE}, *wrong]})
        self.assertEqual(answer.status, 200, answer)
        items = answer.json["evaluations"]
        self.assertEqual([i["decision"] for i in items], [True] + [False] * len(wrong))
        self.assertEqual([i["context"]["error"]["status"] for i in items[1:]], [400, 400, 400, 400, 403])
        first = self.post(EVALUATIONS, {"subject": ALICE, "action": READ, "evaluations": [{}, {"resource": ONE}],
                                        "options": {"evaluations_semantic": "deny_on_first_deny"}})
        self.assertEqual(len(first.json["evaluations"]), 1)

    def test_without_evaluations_it_is_one_question(self):
        self.serve()
        for body in (ask(), {**ask(), "evaluations": []}):
            answer = self.post(EVALUATIONS, body)
            self.assertEqual((answer.status, answer.json["decision"]), (200, True), answer)
        for body in ({}, {"evaluations": []}, {**ask(), "evaluations": {}}, {**ask(), "subject": 1, "evaluations": [{}]}):
            self.assertEqual(self.post(EVALUATIONS, body).status, 400)

    def test_a_thousand_questions_at_once_and_no_more(self):
        self.serve(executor={"decisions": "none"})
        one = {"subject": ALICE, "action": READ, "evaluations": [{"resource": ONE}] * 1000}
        self.assertEqual(self.many(one), [True] * 1000)
        one["evaluations"].append({"resource": ONE})
        self.assertEqual(self.post(EVALUATIONS, one).status, 413)


    def test_all_of_them_have_the_time_of_one_call(self):
        self.serve("--limit", "eval_ms=1", executor={"decisions": "none"})
        one = {"subject": ALICE, "action": READ, "evaluations": [{"resource": ONE}] * 1000}
        items = self.post(EVALUATIONS, one).json["evaluations"]
        self.assertEqual(len(items), 1000)
        self.assertEqual((items[-1]["decision"], items[-1]["context"]["error"]["status"]), (False, 503))


class Search(Access):
    def found(self, what, body, token=None):
        answer = self.post(f"/access/v1/search/{what}", body, token)
        self.assertEqual(answer.status, 200, answer)
        return answer.json["results"]

    def test_who_may(self):
        self.serve()
        question = ask({"type": "member"})
        self.assertEqual(self.found("subject", question),
                         [{"id": "alice", "type": "member"}, {"id": "bob", "type": "member"}])
        self.assertEqual(self.found("subject", {**question, "action": WRITE}), [{"id": "alice", "type": "member"}])
        self.assertEqual(self.found("subject", {**question, "action": WRITE, "resource": ARCHIVED}), [])
        personas = self.found("subject", ask({"type": "persona"}, WRITE, context={"time": "x"}))
        self.assertEqual({one["id"] for one in personas}, {"writer", "admin"})
        self.assertEqual(self.found("subject", ask({"type": "spaceship"})), [])

    def test_who_may_is_refused_where_nobody_can_be_listed(self):
        self.serve()
        for kind in ("user", "token"):
            answer = self.post("/access/v1/search/subject", ask({"type": kind}))
            self.assertEqual((answer.status, answer.code), (501, "not_implemented"), answer)

    def test_on_what_page_by_page(self):
        server = self.serve()
        for number in range(3, 8):
            server.post("/v1/contracts/records/instances/record", {"id": f"record-{number}"}, token=self.boss)
        question = ask(resource={"type": "record"})
        every = [{"id": f"record-{n}", "type": "record"} for n in range(1, 8)]
        self.assertEqual(self.found("resource", question), every)
        got, token = [], None
        while token != "":
            page = {"limit": 3, **({"token": token} if token else {})}
            answer = self.post("/access/v1/search/resource", {**question, "page": page}).json
            got, token = got + answer["results"], answer["page"]["next_token"]
            self.assertLessEqual(len(answer["results"]), 3)
        self.assertEqual(got, every)
        self.assertEqual(self.found("resource", ask(BOB, WRITE, {"type": "record"})), [])
        self.assertEqual(self.found("resource", ask(resource={"type": "spaceship"})), [])
        self.assertEqual(len(self.found("resource", ask(ADMIN, WRITE, {"type": "record"}))), 7)

    def pages(self, what, question, limit):
        """Everything, page by page, and the size of each."""
        got, sizes, token = [], [], None
        while token != "":
            page = {"limit": limit, **({"token": token} if token else {})}
            answer = self.post(f"/access/v1/search/{what}", {**question, "page": page})
            self.assertEqual(answer.status, 200, answer)
            got, token = got + answer.json["results"], answer.json["page"]["next_token"]
            sizes.append(len(answer.json["results"]))
        return got, sizes

    def test_every_search_has_pages(self):
        self.serve()
        for what, question in (("subject", ask({"type": "member", "id": "is ignored"})),
                               ("subject", ask({"type": "persona"}, WRITE)),
                               ("resource", ask(resource={"type": "record", "id": "is ignored"})),
                               ("action", {"subject": ALICE, "resource": ONE, "context": {"soft": True}})):
            with self.subTest(what):
                every = self.found(what, question)
                self.assertGreater(len(every), 1)
                for limit in (1, 2, 3, 5000):
                    got, sizes = self.pages(what, question, limit)
                    self.assertEqual(got, every)
                    self.assertLessEqual(max(sizes), limit)

    def test_a_page_of_nothing_goes_on_where_it_was(self):
        """A limit is a non-negative integer."""
        self.serve()
        for what, question in (("resource", ask(resource={"type": "record"})), ("subject", ask({"type": "persona"})),
                               ("action", {"subject": ALICE, "resource": ONE})):
            with self.subTest(what):
                answer = self.post(f"/access/v1/search/{what}", {**question, "page": {"limit": 0}}).json
                self.assertEqual(answer["results"], [])
                self.assertNotEqual(answer["page"]["next_token"], "")

    def test_a_token_is_for_its_question_alone(self):
        self.serve()
        for what, question in (("resource", ask(resource={"type": "record"})), ("subject", ask({"type": "persona"})),
                               ("action", {"subject": ALICE, "resource": ONE})):
            page = {"limit": 1}
            token = self.post(f"/access/v1/search/{what}", {**question, "page": page}).json["page"]["next_token"]
            same = self.post(f"/access/v1/search/{what}", {**question, "page": {**page, "token": token}})
            self.assertEqual(same.status, 200, same)
            for changed in ({**question, "context": {"time": "x"}, "page": {**page, "token": token}},
                            {**question, "subject": {"type": "persona", "id": "reader"}, "page": {**page, "token": token}},
                            {**question, "page": {"limit": 2, "token": token}},
                            {**question, "page": {**page, "token": "x" + token}}):
                answer = self.post(f"/access/v1/search/{what}", changed)
                self.assertEqual(answer.status, 400, (what, changed))
            for made_up in ("99999999999999999999999", "-1", "1x", " 1"):
                forged = {**question, "page": {**page, "token": token.split(".")[0] + "." + made_up}}
                answer = self.post(f"/access/v1/search/{what}", forged)
                self.assertEqual(answer.status, 200 if what == "resource" else 400, (what, made_up))

    def test_a_search_that_takes_too_long_is_refused_and_not_cut(self):
        server = self.serve("--limit", "eval_ms=1")
        for number in range(200):
            server.post("/v1/contracts/records/instances/record", {"id": f"more-{number}"}, token=self.boss)
        answer = self.post("/access/v1/search/resource", ask(
            action={"name": "retire"}, resource={"type": "record"}, context={"soft": True}, page={"limit": 1000}))
        self.assertEqual((answer.status, answer.code), (503, "evaluation_deadline"), answer)

    def test_what_may_be_done(self):
        self.serve()
        question = {"subject": ALICE, "resource": ONE}
        self.assertEqual(self.found("action", question), [{"name": "read"}, {"name": "write"}])
        both = self.token("--right", "decide", "--right", "evaluate")
        self.assertEqual(self.found("action", question, both),
                         [{"name": "read"}, {"name": "write"}, {"name": "writable"}])
        soft = {**question, "context": {"soft": True}}
        self.assertEqual([a["name"] for a in self.found("action", soft)], ["delete", "read", "write", "retire"])
        self.assertEqual(self.found("action", {**question, "subject": {"type": "user", "id": "nonexistent-user"}}), [])
        self.assertEqual(self.found("action", {**question, "resource": {**ONE, "id": "record-9"}}), [])

    def test_what_is_found_is_what_evaluation_allows(self):
        self.serve()
        for subject in (ALICE, BOB, ADMIN):
            for resource in (ONE, ARCHIVED):
                names = {a["name"] for a in self.found("action", {"subject": subject, "resource": resource})}
                allowed = {name for name in ("read", "write", "delete", "retire")
                           if self.decide(ask(subject, {"name": name}, resource))}
                self.assertEqual(names, allowed, (subject, resource))

    def test_malformed_searches_are_400_and_need_the_right(self):
        self.serve()
        for what, body in (
                ("subject", {"subject": {"type": "user"}, "resource": ONE}),
                ("subject", ask({"type": "user"}, resource={"type": "record"})),
                ("resource", {"action": READ, "resource": {"type": "record"}}),
                ("resource", ask({"type": "user"}, resource={"type": "record"})),
                ("action", {"subject": ALICE}), ("action", {"subject": ALICE, "resource": ONE, "page": {"limit": -1}}),
                ("action", {"subject": ALICE, "resource": ONE, "page": {"limit": 1.5}}),
                ("action", {"subject": ALICE, "resource": ONE, "page": 3})):
            with self.subTest(what=what, body=body):
                self.assertEqual(self.post(f"/access/v1/search/{what}", body).status, 400)
        reader = self.token("--right", "records/read")
        for what in ("subject", "resource", "action"):
            for kind in ("record", "nothing"):
                answer = self.post(f"/access/v1/search/{what}", ask(resource={"type": kind, "id": "x"}), reader)
                self.assertEqual((answer.status, answer.json["needs"]), (403, ["records/decide"]), answer)


class Rights(Access):
    def bare(self, body, token):
        """What is told, but for what the question itself says and the id of the request."""
        answer = self.post(EVALUATION, body, token)
        said = answer.json
        said.pop("request_id", None)
        said.get("context", {}).pop("record", None)
        return answer.status, said

    def test_who_may_not_ask_learns_nothing(self):
        """Whatever exists or does not, the refusal is the same."""
        server = self.serve()
        token = self.token("--right", "escrow/decide", "--persona", "records:reader")
        wanted = self.bare(ask(), token)
        self.assertEqual(wanted[0], 403)
        for question in (ask(BOB), ask({"type": "user", "id": "nobody"}), ask({"type": "persona", "id": "writer"}),
                         ask({"type": "persona", "id": "nobody"}), ask({"type": "token", "id": self.pep.split("_")[1]}),
                         ask({"type": "token", "id": "0" * 16}), ask({"type": "spaceship", "id": "x"}),
                         ask(action={"name": "nothing"}), ask(resource={**ONE, "id": "nothing"}),
                         ask(resource={"type": "nothing", "id": "x"}), ask(context={"status": "archived"})):
            with self.subTest(question):
                self.assertEqual(self.bare(question, token), wanted)
        for contract in ("nothing", "vault"):
            self.assertEqual(self.bare(ask(resource={"type": f"{contract}.Safe", "id": "x"}), token)[1]["needs"],
                             [f"{contract}/decide"])

    def test_about_itself_everybody_may_ask(self):
        server = self.serve()
        token = self.token("--persona", "records:reader")
        me = {"type": "token", "id": token.split("_")[1]}
        for subject in (me, {"type": "persona", "id": "reader"}):
            self.assertIs(self.decide(ask(subject), token), True)
            self.assertIs(self.decide(ask(subject, WRITE), token), False)
        self.assertEqual(self.post(EVALUATION, ask({"type": "persona", "id": "writer"}), token).status, 403)

    def test_a_search_about_oneself_lists_no_instances_of_others(self):
        """The token of a page is the id of an instance."""
        server = self.serve()
        for grant, wanted in ((("--persona", "escrow:seller"), 403), (("--persona", "records:reader"), 200),
                              (("--right", "records/read"), 200)):
            token = self.token(*grant)
            me = {"type": "token", "id": token.split("_")[1]}
            self.assertEqual(server.get("/v1/contracts/records/instances", token=token).status, wanted)
            answer = self.post("/access/v1/search/resource", ask(me, READ, {"type": "record"}, page={"limit": 1}), token)
            self.assertEqual(answer.status, wanted, answer)
            self.assertEqual(b"record-1" in answer.body, wanted == 200)

    def test_a_token_is_asked_about_while_it_is_good(self):
        server = self.serve()
        writer = self.token("--persona", "records:writer", "--right", "records/facts:status")
        me = {"type": "token", "id": writer.split("_")[1]}
        self.assertIs(self.decide(ask(me, WRITE)), True)
        run("token", "revoke", writer, "--store", server.store, cwd=self.dir)
        self.assertTrue(server.wait_until(lambda: not self.decide(ask(me, WRITE))))

    def test_only_facts_of_the_callers_right_are_taken(self):
        server = self.serve()
        token = self.token("--right", "records/decide", "--right", "records/facts:status")
        self.assertIs(self.decide(ask(ALICE, WRITE, ARCHIVED), token), False)
        answer = self.post(EVALUATION, ask(ADMIN, WRITE, ARCHIVED), token)
        self.assertEqual((answer.status, answer.code, answer.json["needs"]),
                         (403, "fact_forbidden", ["records/facts:role"]), answer)
        item = self.post(EVALUATIONS, {"evaluations": [ask(ADMIN, WRITE, ARCHIVED)]}, token).json["evaluations"][0]
        self.assertEqual((item["decision"], item["context"]["error"]["status"]), (False, 403))
        self.assertEqual(self.records()[-1]["refusal"]["code"], "precondition_failed", "a 403 is no decision")

    def test_reasons_are_for_who_may_read_facts(self):
        server = self.serve()
        plain = self.post(EVALUATION, ask(ALICE, WRITE, ARCHIVED)).json["context"]
        self.assertEqual(set(plain), {"code", "contract", "etag", "persona", "reason_user", "record"})
        reader = self.token("--right", "records/decide", "--right", "records/facts:*", "--right", "records/ledger:read")
        more = self.post(EVALUATION, ask(ALICE, WRITE, ARCHIVED), reader).json["context"]
        self.assertEqual(more["reasons"][0]["rests_on"], ["status"])
        self.assertIn("write", more["reason_admin"]["en"])

    def test_a_hidden_fact_stays_hidden(self):
        """A verdict on a kept fact is not told to who may not read it, however it is asked."""
        server = self.serve()
        keeper = self.token("--right", "records/facts:status")
        kept = server.ask("PUT", "/v1/contracts/records/facts/status", {"value": "archived"}, token=keeper)
        self.assertEqual(kept.status, 200, kept)
        asker = self.token("--right", "records/decide", "--right", "records/evaluate")
        for name in ("writable", "verdict:writable"):
            answer = self.post(EVALUATION, ask(ALICE, {"name": name}), asker).json
            self.assertEqual((answer["decision"], answer["context"]["code"]), (False, "missing_fact"), answer)

    def test_distinct_people_are_told_apart_by_their_tokens(self):
        server = self.serve(distinct={"records": [["reader", "writer"]]})
        token = self.token("--persona", "records:reader", "--persona", "records:writer")
        me = {"type": "token", "id": token.split("_")[1]}
        done = server.post("/v1/contracts/records/operations/read",
                           {"persona": "reader", "bindings": {"record": "record-1"}}, token=token)
        self.assertEqual(done.status, 200, done)
        answer = self.post(EVALUATION, ask(me, WRITE)).json
        self.assertEqual((answer["decision"], answer["context"]["code"]), (False, "not_distinct"))
        self.assertIs(self.decide(ask(me, READ)), True)
        self.assertIs(self.decide(ask(me, WRITE, TWO)), True)


class Recorded(Access):
    def test_a_decision_is_a_record_and_nothing_moves(self):
        server = self.serve()
        before = server.get("/v1/contracts/records/instances", token=self.boss).json
        self.assertIs(self.decide(ask(ALICE, {**DELETE, "properties": {"soft": True}})), True)
        self.assertIs(self.decide(ask(BOB, WRITE)), False)
        self.many({"subject": ALICE, "evaluations": [ask(), {}, ask(action={"name": "retire"})]})
        self.assertEqual(server.get("/v1/contracts/records/instances", token=self.boss).json, before)
        said = self.records()
        self.assertEqual([(r["allowed"], r["asked_about"]["id"], r.get("operation", r.get("flow"))) for r in said],
                         [(True, "alice", "delete"), (False, "bob", "write"), (True, "alice", "read"),
                          (False, "alice", "retire")])
        self.assertEqual(said[0]["caller"]["name"], "gateway")
        self.assertEqual(said[0]["bindings"], {"record": "record-1"})
        self.assertNotIn("facts", said[0])
        history = server.get("/v1/contracts/records/instances/record/record-1/history", token=self.boss)
        self.assertEqual(sum(i["body"]["kind"] == "decision" for i in history.json["items"]), 4)

    def test_recorded_denials_count_as_recorded_refusals(self):
        """They are room in the ledger for good, and a batch of them is one answer."""
        self.serve(quotas={"refusals_per_day": 5})
        denied = lambda count: self.post(EVALUATIONS, {"evaluations": [ask(BOB, WRITE), ask()] * count})
        self.assertEqual((denied(3).status, denied(2).status), (200, 200))  # 3 and 2 of them denied
        self.assertEqual((denied(1).status, denied(6).status, self.post(EVALUATION, ask(BOB, WRITE)).status), (429, 413, 429))
        self.assertEqual((self.decide(ask()), len(self.records())), (True, 11), "what is allowed is told and recorded")

    def test_receipts_are_given_and_verify(self):
        self.receipts("sqlite:serve.db")

    def test_receipts_are_given_and_verify_on_postgresql(self):
        with Postgres() as database:
            self.receipts(database.url())
            self.server.stop()

    def receipts(self, store):
        self.assertEqual(run("keygen", "--prefix", "executor", cwd=self.dir).code, 0)
        server = self.serve("--signing-key", "executor.secret", store=store)
        for question in (ask(), ask(BOB, WRITE)):
            answer = self.post(EVALUATION, {**question, "context": {"motet": {"receipt": True}}})
            context = answer.json["context"]
            self.assertEqual(context["receipt"]["promise"]["record"], context["record"])
            self.assertEqual(context["receipt"]["promise"]["decision"]["allowed"], answer.json["decision"])
            self.write("receipt.json", json.dumps(context["receipt"]))
            checked = run("receipt", "verify", "receipt.json", "--key", "executor.pub", cwd=self.dir)
            self.assertEqual(checked.code, 0, checked)
            later = server.get(f"/v1/ledger/{context['record']}/receipt", token=self.pep)
            self.assertEqual(later.status, 200, later)
        shown = run("receipt", "show", "receipt.json", cwd=self.dir)
        self.assertIn("user bob", shown.out)
        many = self.post(EVALUATIONS, {"evaluations": [ask(context={"motet": {"receipt": True}})]}).json
        self.assertEqual(many["evaluations"][0]["context"]["error"]["status"], 400)

    def test_a_receipt_does_not_tell_reasons_either(self):
        """Which condition was false tells of facts that who asks may not read."""
        self.assertEqual(run("keygen", "--prefix", "executor", cwd=self.dir).code, 0)
        server = self.serve("--signing-key", "executor.secret", executor={"refusals": "all"})
        question = {**ask(ALICE, WRITE, ARCHIVED), "context": {"motet": {"receipt": True}}}
        context = self.post(EVALUATION, question).json["context"]
        later = server.get(f"/v1/ledger/{context['record']}/receipt", token=self.pep)
        for promise in (context["receipt"]["promise"], later.json["promise"]):
            self.assertEqual(promise["decision"]["refusal"], {"code": "precondition_failed", "status": 422})
            self.assertNotIn("facts", promise["decision"])
        self.assertIn("reasons", self.records()[-1]["refusal"], "the record has them")

    def test_a_receipt_is_refused_where_a_record_is_not_certain(self):
        self.assertEqual(run("keygen", "--prefix", "executor", cwd=self.dir).code, 0)
        for which in ("denied", "none"):
            server = self.serve("--signing-key", "executor.secret", store=f"sqlite:{which}.db", executor={"decisions": which})
            for question in (ask(), ask(BOB, WRITE)):
                answer = self.post(EVALUATION, {**question, "context": {"motet": {"receipt": True}}})
                self.assertEqual((answer.status, answer.code), (501, "not_implemented"), answer)
            server.stop()

    def test_a_history_does_not_tell_a_persona_what_others_may(self):
        server = self.serve()
        self.decide(ask(BOB, WRITE))
        path = "/v1/contracts/records/instances/record/record-1/history"
        seen = server.get(path, token=self.token("--persona", "records:reader"))
        self.assertEqual([item.get("body", {}).get("kind") for item in seen.json["items"]], ["instance_created", None])
        self.assertNotIn(b"bob", seen.body)
        self.assertIn(b"bob", server.get(path, token=self.token("--right", "records/ledger:read")).body)

    def test_without_a_key_a_receipt_is_refused_before_anything_is_decided(self):
        self.serve()
        answer = self.post(EVALUATION, ask(context={"motet": {"receipt": True}}))
        self.assertEqual(answer.status, 501)
        self.assertEqual(self.records(), [])

    def test_the_setting_says_which_are_recorded(self):
        for which, wanted in (("all", [True, False]), ("denied", [False]), ("none", [])):
            with self.subTest(which):
                self.setUp()
                server = self.serve(executor={"decisions": which, "refusals": "all"})
                self.decide(ask(ALICE, WRITE))
                self.decide(ask(ALICE, WRITE, ARCHIVED))
                said = self.records()
                self.assertEqual([r["allowed"] for r in said], wanted)
                self.assertTrue(all("facts" in r for r in said))
                server.stop()

    def test_what_if_says_that_such_decisions_are_not_judged(self):
        server = self.serve()
        self.decide(ask())
        self.decide(ask(BOB, WRITE))
        server.stop()
        told = run("whatif", "--store", "sqlite:serve.db", SOURCE / "examples" / "records" / "records.tenor", cwd=self.dir)
        self.assertEqual(told.code, 0, told)
        self.assertRegex(told.out, "2  decisions that somebody asked for \\(AuthZEN\\), not judged")

    def test_the_store_is_what_its_ledger_says(self):
        server = self.serve()
        self.decide(ask())
        self.decide(ask(BOB, WRITE))
        server.stop()
        checked = run("store", "check", "--store", server.store, cwd=self.dir)
        self.assertEqual(checked.code, 0, checked)
        shown = run("ledger", "show", "--store", server.store, "--kind", "decision", cwd=self.dir)
        self.assertIn("may user bob write: no,", shown.out)

    def test_many_at_once_are_each_recorded_once(self):
        """While instances move: each answer is the one its record has."""
        server = self.serve()
        writer = self.token("--persona", "records:writer", "--right", "records/facts:*")
        stop = threading.Event()

        def move():
            body = {"persona": "writer", "bindings": {"record": "record-1"}}
            while not stop.is_set():
                server.post("/v1/contracts/records/operations/write", body, token=writer)

        def one(number):
            question = ask(*random.Random(number).choice(((ALICE, WRITE, ONE), (BOB, WRITE, ONE), (ALICE, WRITE, ARCHIVED))))
            said = self.post(EVALUATION, question).json
            return said["context"]["record"], said["decision"]

        mover = threading.Thread(target=move)
        mover.start()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            told = list(pool.map(one, range(200)))
        stop.set()
        mover.join()
        self.assertEqual(len(dict(told)), 200)
        kept = self.server.get("/v1/ledger?kind=decision&limit=1000", token=self.boss).json["items"]
        self.assertEqual({r["seq"]: r["body"]["allowed"] for r in kept}, dict(told))

    def test_what_was_told_is_in_the_ledger_after_a_kill(self):
        server, told = self.serve(), {}

        def go_on():
            try:
                while True:
                    said = self.post(EVALUATION, ask(*random.choice(((ALICE, WRITE), (BOB, WRITE))))).json
                    told[said["context"]["record"]] = said["decision"]
            except (OSError, http.client.HTTPException, ValueError):
                pass

        for _ in range(20 if SOAK else 3):
            askers = [threading.Thread(target=go_on) for _ in range(4)]
            for asker in askers:
                asker.start()
            time.sleep(0.2)
            server.stop(signal.SIGKILL)
            for asker in askers:
                asker.join()
            server.start()
        self.assertGreater(len(told), 10)
        for record, allowed in random.sample(sorted(told.items()), min(len(told), 200)):
            kept = server.get(f"/v1/ledger/{record}", token=self.boss).json["body"]
            self.assertEqual((kept["kind"], kept["allowed"]), ("decision", allowed))

    def test_a_source_that_fails_decides_nothing(self):
        """Neither a yes nor a no, and no record; a question that needs no fact of it is answered."""
        text = """
source desk { protocol: http base_url: "http://127.0.0.1:9" description: "nobody answers there" }
fact open { type: Bool source: desk { path: "open" } }
persona clerk
entity Door { states: [shut] initial: shut transitions: [(shut, shut)] }
operation knock { allowed_personas: [clerk] precondition: open = true effects: [(Door, shut, shut)] }
"""
        self.write("door.tenor", text)
        server = self.serve(files=[str(RECORDS), "door.tenor"], sources={"desk": {}},
                            outgoing={"origins": ["http://127.0.0.1:9"], "networks": ["127.0.0.0/8"]})
        token = self.token("--right", "decide", "--right", "instances:create")
        self.assertEqual(server.post("/v1/contracts/door/instances/Door", {"id": "d"}, token=token).status, 201)
        clerk = ask({"type": "persona", "id": "clerk"}, {"name": "knock"}, {"type": "door.Door", "id": "d"})
        answer = self.post(EVALUATION, clerk, token)
        self.assertEqual((answer.status, answer.code), (502, "source_failed"), answer)
        item = self.post(EVALUATIONS, {"evaluations": [clerk]}, token).json["evaluations"][0]
        self.assertEqual((item["decision"], item["context"]["error"]["status"]), (False, 502))
        self.assertEqual(self.post("/access/v1/search/subject", {**clerk, "subject": {"type": "persona"}}, token).status, 502)
        self.assertIs(self.decide({**clerk, "subject": {"type": "persona", "id": "nobody"}}, token), False)
        self.assertEqual([r["asked_about"]["id"] for r in self.records()], ["nobody"])

    def test_a_repeated_request_is_decided_once(self):
        self.serve()
        first = self.post(EVALUATION, ask(), headers={"Idempotency-Key": "k"})
        again = self.post(EVALUATION, ask(), headers={"Idempotency-Key": "k"})
        self.assertEqual((first.body, again.headers["Idempotency-Replayed"]), (again.body, "true"))
        self.assertEqual(len(self.records()), 1)


class Hostile(Access):
    def test_any_bytes_get_an_answer(self):
        """Never 500, and nothing is allowed that was not asked for properly."""
        self.serve(executor={"decisions": "none"})
        rng = random.Random(7)
        good = json.dumps({**ask(), "evaluations": [ask(), {}], "page": {"limit": 2}})
        values = [None, True, 1e9, "", "x" * 300, [], {}, [[]], {"type": {}}, {"id": 1}, {"properties": {"status": []}}]
        for _ in range(4000 if SOAK else 400):
            path = rng.choice([EVALUATION, EVALUATIONS, *(f"/access/v1/search/{w}" for w in ("subject", "resource", "action"))])
            body = json.loads(good)
            for _ in range(rng.randint(0, 3)):
                body[rng.choice(["subject", "action", "resource", "context", "evaluations", "options", "page"])] = \
                    rng.choice(values)
            text = json.dumps(body)
            if rng.random() < 0.3:
                at = rng.randrange(len(text))
                text = text[:at] + rng.choice(["", "\0", "}", '"', "\\ud800", "é"]) + text[at + rng.randint(0, 3):]
            answer = self.post(path, text.encode())
            self.assertIn(answer.status, (200, 400, 501), (path, text, answer))

    def test_deep_nesting_is_refused(self):
        self.serve()
        deep = "[" * 5000 + "]" * 5000
        answer = self.post(EVALUATION, json.dumps(ask())[:-1] + ',"context":{"x":' + deep + "}}")
        self.assertEqual(answer.status, 400, answer)

    def test_made_up_bindings_leave_no_trace(self):
        self.serve()
        for bindings in ({"record\u0000": "x"}, {"x" * 5000: "y"}, {"record": "x" * 5000}):
            answer = self.post(EVALUATION, ask({"type": "user", "id": "nobody"}, context={"motet": {"bindings": bindings}}))
            self.assertEqual(answer.status, 400, answer)
        self.assertEqual(self.records(), [])


class Discovery(Access):
    def test_the_metadata_names_every_endpoint(self):
        server = self.serve()
        answer = server.get("/.well-known/authzen-configuration")
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.headers["Content-Type"], "application/json")
        said = answer.json
        self.assertEqual(said["policy_decision_point"], server.url)
        for key, path in (("access_evaluation_endpoint", EVALUATION), ("access_evaluations_endpoint", EVALUATIONS),
                          *((f"search_{w}_endpoint", f"/access/v1/search/{w}") for w in ("subject", "resource", "action"))):
            self.assertEqual(said[key], server.url + path)

    def test_the_public_url_is_what_is_told(self):
        server = self.serve("--public-url", "https://pdp.example.com/")
        said = server.get("/.well-known/authzen-configuration").json
        self.assertEqual(said["policy_decision_point"], "https://pdp.example.com")
        self.assertEqual(said["access_evaluation_endpoint"], "https://pdp.example.com/access/v1/evaluation")
        forged = server.get("/.well-known/agent-card.json", headers={"Host": "evil.example"}).json
        self.assertEqual(forged["documentationUrl"], "https://pdp.example.com/openapi.json")

    def test_a_bad_setting_is_told(self):
        for authzen, words in (({"subjects": {"user": {"rules": [{"claim": "id", "equals": "a"}]}}}, "grants nothing"),
                               ({"subjects": {"token": {"rules": [{"personas": ["a"]}]}}}, "its own meaning"),
                               ({"subjects": {"user": {"rules": [{"rights": ["read"]}]}}}, "rights are for who calls"),
                               ({"subject": {}}, "subjects")):
            self.write("bad.json", json.dumps({**CONFIG, "authzen": authzen}))
            said = run("serve", "--config", "bad.json", "--check-config", cwd=self.dir)
            self.assertNotEqual(said.code, 0)
            self.assertIn(words, said.out + said.err)


def filled(value):
    """Without what is empty or false: the types leave it out."""
    if isinstance(value, dict):
        return {k: filled(v) for k, v in value.items() if filled(v) not in (False, [], {}, None)}
    return [filled(v) for v in value] if isinstance(value, list) else value


class Card(Access):
    def test_the_card_has_what_the_contracts_say(self):
        server = self.serve()
        card = server.get("/.well-known/agent-card.json").json
        skills = {skill["id"]: skill for skill in card["skills"]}
        self.assertIn("records.operation.write", skills)
        self.assertIn("escrow.flow.standard_release", skills)
        self.assertEqual(len(skills), len(card["skills"]), "an id names one skill")
        self.assertIn('verdict_present(writable) or role = "admin"', skills["records.operation.write"]["description"])
        self.assertEqual(card["supportedInterfaces"], [], "no binding of A2A is served")
        self.assertEqual(list(card["securitySchemes"]), ["bearer"])
        self.assertNotIn("signatures", card)

    def test_strangers_learn_the_conditions_of_the_default_contract_alone(self):
        """As of manifests: GET /v1/contracts/escrow is 401 for them."""
        server = self.serve()
        for token, wanted in ((None, False), (self.pep, True)):
            card = server.get("/.well-known/agent-card.json", token=token).json
            said = {skill["id"]: skill["description"] for skill in card["skills"]}
            self.assertIn("Requires verdict_present(writable)", said["records.operation.write"])
            self.assertEqual("Requires" in said["escrow.operation.release_escrow"], wanted)
            self.assertIn("By escrow_agent.", said["escrow.operation.release_escrow"])

    def test_a_private_manifest_keeps_the_card_private(self):
        server = self.serve("--private-manifest")
        self.assertEqual(server.get("/.well-known/agent-card.json").status, 401)
        self.assertEqual(server.get("/.well-known/agent-card.json", token=self.pep).status, 200)

    def test_agents_are_shown_to_who_may_talk_to_them(self):
        server = self.serve(agents={"arrow": {"file": str(SOURCE / "examples" / "agents" / "arrow.yaml")}})
        for rights, wanted in ((["agents:arrow"], ["agents.agent.arrow"]), (["admin"], ["agents.agent.arrow"]),
                               (["agents:other"], []), (["records/admin"], [])):
            token = self.token(*(word for right in rights for word in ("--right", right)))
            skills = server.get("/.well-known/agent-card.json", token=token).json["skills"]
            self.assertEqual([s["id"] for s in skills if "agent" in s["tags"]], wanted, rights)
        self.assertNotIn(b"arrow", server.get("/.well-known/agent-card.json").body)
        self.assertEqual(server.get("/.well-known/agent-card.json", token="mt_bad").status, 401)

    def test_the_published_sdk_reads_the_card(self):
        """As a client does, and by the types it publishes: what they do not know would be lost."""
        server = self.serve("--trust-domain", "acme.example", "--public-url", "https://motet.example")
        done = subprocess.run(["node", str(npm.FOLDER / "a2a" / "read.mjs"), server.url],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = json.loads(done.stdout)
        own = server.get("/.well-known/agent-card.json").json
        self.assertEqual(own["provider"], {"organization": "acme.example", "url": "https://motet.example"})
        self.assertEqual(filled(said["typed"]), filled(own))
        self.assertEqual(filled(said["resolved"]), filled(said["typed"]))
        self.assertRegex(said["refused"], "transport", "a client finds no binding to use")


main()
