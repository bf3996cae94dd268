"""Receipts and audits, as a client, an auditor and somebody who cheats see them.

A server is asked, stopped, killed and asked again; what clients were given is checked offline
with the public key alone."""
import base64
import contextlib
import hashlib
import html.parser
import json
import random
import re
import shutil
import signal

import ledgers
import sqlite3
from harness import SEED, SOAK, SOURCE, Case, main
from serve import Server

ESCROW = SOURCE / "examples" / "escrow" / "escrow.tenor"
EXAMPLE = SOURCE / "examples" / "receipts"
FACTS = {"escrow_amount": {"amount": "500.00", "currency": "USD"}, "line_items": [],
         "delivery_status": "confirmed"}
EARLY = {**FACTS, "delivery_status": "pending"}
# 995 and more end an evaluation in an overflow that is told with its value.
SUM = """persona clerk
fact amount { type: Int(min: 0, max: 1000) source: "desk.amount" }
fact tone { type: Enum(["low", "high"]) source: "desk.tone" }
operation add { personas: [clerk] require: amount + 5.25 > 1.0 outcomes: [done]
                error_contract: [precondition_failed] }
flow look { snapshot: at_initiation entry: step steps: {
  step: BranchStep { condition: amount + 5.25 > 1.0 persona: clerk
                     if_true: Terminal(success) if_false: Terminal(failure) } } }
"""
# What a terminal or a page must not obey.
EVIL = "<script>alert(1)</script>\x1b[31m'\"&"
# Marks that turn the direction of text, so that what is read is not what is there.
TURNS = "".join(map(chr, (*range(0x202a, 0x202f), *range(0x2066, 0x206a), 0x200e, 0x200f, 0x61c)))


class Asking(Case):
    def setUp(self):
        super().setUp()
        self.holds("keygen", "--prefix", "node")

    def serve(self, *options):
        server = Server(self.dir, ESCROW, options=("--signing-key", "node.secret",
                                                   "--trust-domain", "acme.test.eu", *options))
        self.addCleanup(server.stop)
        server.start()
        return server

    def release(self, server, account, facts, status, key=None, receipt=True):
        answer = server.post("/v1/contracts/escrow/operations/release_escrow",
                             {"persona": "escrow_agent", "facts": facts, "receipt": receipt,
                              "bindings": {"EscrowAccount": account}},
                             headers={"Idempotency-Key": key} if key else None)
        self.assertEqual(answer.status, status, answer)
        return answer.json

    def make(self, server, *accounts):
        for account in accounts:
            answer = server.post("/v1/contracts/escrow/instances/EscrowAccount", {"id": account})
            self.assertEqual(answer.status, 201, answer)

    def verify(self, receipts, *more):
        """Offline: the server need not be there."""
        self.write("receipts.jsonl", "".join(json.dumps(r) + "\n" for r in receipts))
        return self.holds("receipt", "verify", "receipts.jsonl", "--key", "node.pub", *more).out


class Receipts(Asking):
    def test_every_promise_is_kept_through_stops_and_kills(self):
        rng, kills = random.Random(SEED), 60 if SOAK else 6
        server = self.serve("--checkpoint-every", "7")
        promised, number = {}, 0
        for turn in range(kills):
            for _ in range(10):
                number += 1
                self.make(server, f"e{number}")
                good = rng.random() < 0.5
                answer = self.release(server, f"e{number}", FACTS if good else EARLY,
                                      200 if good else 422, key=f"k{number}")
                promised[f"k{number}"] = (good, answer)
            server.stop(signal.SIGTERM if turn % 3 == 2 else signal.SIGKILL)
            if turn == 0:
                self.assertIn(f"{len(promised)} promises",
                              self.verify(a["receipt"] for _, a in promised.values()))
            server.start()
            for key in rng.sample(sorted(promised), 3):  # the same answer, the same receipt
                good, first = promised[key]
                self.assertEqual(self.release(server, "e" + key[1:], FACTS if good else EARLY,
                                              200 if good else 422, key=key), first)
        server.stop()
        server.start()  # stopping has signed for everything
        complete = []
        for _, answer in promised.values():
            receipt = server.get(f"/v1/ledger/{answer['record']}/receipt").json
            self.assertEqual(receipt["promise"], answer["receipt"]["promise"])
            self.assertEqual(receipt["signature"], answer["receipt"]["signature"])
            complete.append(receipt)
        server.stop()
        said = self.verify(complete, "--complete", "--domain", "acme.test.eu")
        self.assertIn(f"{len(promised)} complete, 0 promises", said)
        # Each is the record that the ledger has there.
        lines = self.holds("ledger", "export", "--store", "sqlite:serve.db").out.splitlines()
        hashes = {r["seq"]: r["hash"] for r in map(json.loads, lines) if "seq" in r}
        for receipt in complete:
            self.assertEqual(hashes[receipt["promise"]["record"]], receipt["promise"]["hash"])
            self.assertEqual(receipt["promise"]["ledger"], hashes[0])

    def test_a_receipt_travels_without_values_of_facts(self):
        """Whatever the record tells, and in whatever words."""
        self.write("sum.tenor", SUM)
        self.write("all.json", json.dumps({"executor": {"refusals": "all"}}))
        server = Server(self.dir, "sum.tenor",
                        options=("--signing-key", "node.secret", "--config", "all.json"))
        self.addCleanup(server.stop)
        server.start()
        asked = [("operations/add", {"amount": 998, "tone": "low"}, "1003.25", "evaluation_error"),
                 ("operations/add", {"amount": 7, "tone": "canary"}, "canary", "invalid_fact"),
                 ("operations/add", {"amount": 55555, "tone": "canary"}, "55555", "invalid_fact"),
                 ("flows/look", {"amount": 998, "tone": "low"}, "1003.25", None)]
        for path, facts, value, code in asked:
            said = server.post(f"/v1/contracts/sum/{path}",
                               {"persona": "clerk", "facts": facts, "receipt": True}).json
            receipt = said.pop("receipt")
            self.assertEqual(said.get("code"), code)
            self.assertIn(value, json.dumps(server.get(f"/v1/ledger/{said['record']}").json))
            self.assertNotIn(value, json.dumps(receipt))
            self.verify([receipt])

    def test_FU9_one_number_everywhere(self):
        server = self.serve()
        self.make(server, "e1")
        answer = self.release(server, "e1", EARLY, 422)
        number = answer["record"]
        self.assertEqual(answer["receipt"]["promise"]["record"], number)
        self.assertEqual(server.get(f"/v1/ledger/{number}").json["seq"], number)
        proof = server.get(f"/v1/ledger/{number}/proof").json
        self.assertEqual(proof["record"]["seq"], number)
        stream = server.get(f"/v1/ledger?from={number}&limit=1").json["items"][0]
        self.assertEqual((stream["seq"], stream["body"]["kind"]), (number, "refusal"))
        server.stop()
        shown = self.holds("ledger", "show", "--store", "sqlite:serve.db", "--kind", "refusal", "--json").out
        self.assertEqual(json.loads(shown.splitlines()[0])["seq"], number)
        rows = self.holds("ledger", "show", "--store", "sqlite:serve.db").out
        self.assertRegex(rows, rf"(?m)^ *{number} +\S.* refusal ")
        self.assertIn(f"record {number}, ", self.holds("ledger", "show", number, "--explain", "--store",
                                                      "sqlite:serve.db").out)
        self.holds("ledger", "export", "--store", "sqlite:serve.db", "--out", "l.jsonl")
        lines = (self.dir / "l.jsonl").read_text().splitlines()
        exported = [json.loads(line) for line in lines if '"kind":"refusal"' in line]
        self.assertEqual([one["seq"] for one in exported], [number])
        proved = json.loads(self.holds("ledger", "prove", "l.jsonl", number).out)
        self.assertEqual(proved["record"]["seq"], number)
        self.assertRegex(self.holds("audit", "l.jsonl").out, rf"(?m)^ +{number}  .* refused: ")

    def test_FU2_a_flow_and_a_refusal_are_found_under_every_instance(self):
        server = self.serve()
        self.make(server, "e1")
        server.post("/v1/contracts/escrow/instances/DeliveryRecord", {"id": "d1"})
        bound = {"EscrowAccount": "e1", "DeliveryRecord": "d1"}
        body = {"persona": "seller", "facts": FACTS, "bindings": bound}
        self.assertEqual(server.post("/v1/contracts/escrow/flows/standard_release", body).status, 200)
        body["persona"] = "nobody"
        self.assertEqual(server.post("/v1/contracts/escrow/flows/standard_release", body).status, 422)
        kinds = {}
        for entity, name in bound.items():
            items = server.get(f"/v1/contracts/escrow/instances/{entity}/{name}/history").json["items"]
            kinds[entity] = [i["body"]["kind"] for i in items]
            for kind in ("flow_started", "flow_ended", "refusal"):
                self.assertIn(kind, kinds[entity])
        events = server.ask("GET", "/v1/ledger?subject=DeliveryRecord/d1").json["items"]
        self.assertEqual([i["body"]["kind"] for i in events], kinds["DeliveryRecord"])
        server.stop()
        for entity, name in bound.items():
            shown = self.holds("ledger", "show", "--store", "sqlite:serve.db", "--instance",
                               f"{entity}/{name}", "--json").out.splitlines()
            self.assertEqual([json.loads(line)["body"]["kind"] for line in shown], kinds[entity])

    def test_what_does_not_hold_is_exit_1_and_what_is_not_said_exit_2(self):
        for name in ("refused.json", "released.json", "executor.pub"):
            shutil.copy(EXAMPLE / name, self.dir)
        key = ("--key", "executor.pub")
        self.holds("receipt", "verify", "refused.json", *key)
        self.assertIn("complete: record 6", self.holds("receipt", "verify", "released.json", *key).out)
        self.fails(2, "receipt", "verify", "refused.json")
        self.fails(2, "receipt", "verify", "refused.json", "--key", "nothing")
        self.fails(2, "receipt", "verify", "refused.json", *key, "--ledger", "12")
        self.fails(3, "receipt", "verify", "missing.json", *key)
        self.assertIn("another key", self.fails(1, "receipt", "verify", "refused.json", "--key",
                                                "node.pub").err)
        self.assertIn("another ledger", self.fails(1, "receipt", "verify", "refused.json", *key,
                                                   "--ledger", "0" * 64).err)
        self.assertIn("trust domain", self.fails(1, "receipt", "verify", "refused.json", *key,
                                                 "--domain", "other").err)
        released = json.loads((EXAMPLE / "released.json").read_text())
        self.holds("receipt", "verify", "released.json", *key, "--ledger",
                   released["promise"]["ledger"])
        self.write("pretty.json", json.dumps(released, indent=2))
        self.holds("receipt", "verify", "pretty.json", *key)
        self.write("answer.json", json.dumps({"outcome": "released", "receipt": released}))
        self.holds("receipt", "verify", "answer.json", *key)
        for change in ({"witnesses": None}, {"more": 1}, {"hashes": []},
                       {"promise": {**released["promise"], "record": 5}},
                       {"checkpoint": {**released["checkpoint"], "key": "00" * 32}}):
            self.write("bad.json", json.dumps({**released, **change}))
            self.fails(1, "receipt", "verify", "bad.json", *key)
        told = json.loads(self.holds("receipt", "verify", "released.json", *key, "--json").out)
        self.assertEqual((told["holds"], told["complete"], told["record"]), (True, True, 6))
        for text in ("", "{}", "null", "[]", "\n\n"):
            self.write("no.json", text)
            self.fails(1, "receipt", "verify", "no.json", *key)

    def test_every_flipped_byte_of_an_example_fails(self):
        shutil.copy(EXAMPLE / "executor.pub", self.dir)
        for name in ("refused.json", "released.json"):
            good = (EXAMPLE / name).read_bytes().rstrip()
            # Some of them; the unit test has all, and every bit.
            for place in range(SEED % 23, len(good), 23):
                changed = bytearray(good)
                changed[place] ^= 1 << (place % 7)
                (self.dir / "flipped.json").write_bytes(changed)
                self.fails(1, "receipt", "verify", "flipped.json", "--key", "executor.pub")


class Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text = set(), []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        for name, value in attrs:
            assert name not in ("src", "href", "onclick") and not name.startswith("on"), (tag, name, value)

    def handle_data(self, data):
        self.text.append(data)


class Audits(Asking):
    def story(self):
        """A few decisions under names that try to break out, and their export."""
        server = self.serve()
        self.make(server, "e1", "e2")
        self.release(server, "e1", FACTS, 200)
        self.release(server, "e2", EARLY, 422)
        self.release(server, EVIL, EARLY, 422)
        server.stop()
        self.holds("ledger", "export", "--store", "sqlite:serve.db", "--with-contracts", "--out",
                   "all.jsonl")

    def test_FU12_an_export_alone_answers_who_was_allowed_what(self):
        self.story()
        said = self.holds("audit", "all.jsonl", "--key", "node.pub").out
        self.assertRegex(said, r"release_escrow +may be done by escrow_agent")
        self.assertIn("if verdict_present(release_approved)", said)
        self.assertIn("refused: precondition_failed", said)
        self.assertIn("because verdict_present(release_approved) is false (facts: delivery_status)", said)
        self.assertNotIn("\x1b", said)
        report = json.loads(self.holds("audit", "all.jsonl", "--json").out)
        self.assertEqual(report["refused"], 2)
        self.assertEqual([c["contract"] for c in report["contracts"]], ["escrow"])
        refused = [d for d in report["decisions"] if d["refused"]]
        self.assertEqual(refused[0]["decision"]["refusal"]["code"], "precondition_failed")
        operations = {o["operation"]: o for o in report["contracts"][0]["operations"]}
        self.assertEqual(operations["release_escrow"]["personas"], ["escrow_agent"])
        # The same straight from the store; and without the contracts it says that it lacks them.
        self.assertEqual(self.holds("audit", "--store", "sqlite:serve.db", "--key", "node.pub").out, said)
        lines = (self.dir / "all.jsonl").read_text().splitlines(keepends=True)
        self.write("bare.jsonl", "".join(line for line in lines if '"document"' not in line[:12]))
        self.assertIn("its rules are not in the export", self.holds("audit", "bare.jsonl").out)

    def test_an_export_has_every_version_as_its_etag_says(self):
        self.story()
        lines = (self.dir / "all.jsonl").read_text().splitlines()
        documents = [line for line in lines if line.startswith('{"document"')]
        self.assertEqual(len(documents), 1)
        body = re.fullmatch(r'\{"document":(.*),"sha256":"([0-9a-f]{64})"\}', documents[0])
        self.assertEqual(hashlib.sha256(body[1].encode()).hexdigest(), body[2])
        self.assertIn(f'"etag":"{body[2]}"', lines[2])
        self.assertIn("with: 1 document", self.holds("ledger", "verify", "all.jsonl").out)
        self.holds("ledger", "show", "all.jsonl")
        self.holds("ledger", "export", "all.jsonl", "--out", "copy.jsonl")
        self.assertEqual((self.dir / "copy.jsonl").read_text(), (self.dir / "all.jsonl").read_text())
        self.write("bad.jsonl", "\n".join(lines).replace('"stratum":0', '"stratum":1', 1) + "\n")
        self.assertIn("a document is not what its digest says",
                      self.fails(1, "ledger", "verify", "bad.jsonl").err)
        self.fails(1, "audit", "bad.jsonl")
        self.fails(2, "ledger", "export", "all.jsonl", "--with-contracts")

    def test_a_document_that_is_no_contract_is_told_as_missing(self):
        """Its digest is right and records name it, but it says nothing of rules."""
        document = '{"broken":1}'
        digest = hashlib.sha256(document.encode()).hexdigest()
        body = {"caller": {"id": "a"}, "contract": "x", "etag": digest, "kind": "operation",
                "operation": "o", "time": "2026-01-01T00:00:00Z"}
        lines = ledgers.records([body, body]) + [f'{{"document":{document},"sha256":"{digest}"}}']
        self.write("odd.jsonl", "\n".join(lines) + "\n")
        self.holds("ledger", "verify", "odd.jsonl")
        self.assertIn("its rules are not in the export", self.holds("audit", "odd.jsonl").out)

    def test_a_ledger_that_does_not_hold_is_not_told(self):
        self.story()
        text = (self.dir / "all.jsonl").read_text()
        self.write("bad.jsonl", text.replace('"outcome":"released"', '"outcome":"refunded"', 1))
        result = self.fails(1, "audit", "bad.jsonl", "--key", "node.pub")
        self.assertEqual(result.out, "")
        self.assertIn("a record was changed", result.err)
        self.holds("keygen", "--prefix", "other")
        self.fails(1, "audit", "all.jsonl", "--key", "other.pub")

    def test_the_page_is_whole_and_harmless(self):
        self.story()
        self.holds("audit", "all.jsonl", "--key", "node.pub", "--html", "page.html")
        page = (self.dir / "page.html").read_text()
        tags = Tags()
        tags.feed(page)
        self.assertLessEqual(tags.tags, {"html", "meta", "title", "style", "h1", "h2", "h3", "p", "code",
                                         "strong", "span", "table", "tr", "th", "td", "br"})
        self.assertIn("prefers-color-scheme:dark", page)
        self.assertNotIn("http://", page)
        self.assertNotIn("<script", page)
        text = "".join(tags.text)
        self.assertIn("<script>alert(1)</script>", text)  # as text
        self.assertIn("refused: precondition_failed", text)


class Strange(Case):
    """Records that somebody else made up: whole in themselves, and of any shape inside."""
    VALUES = (None, True, -1, "g", "\u009b\u202e" + EVIL, [], ["g"], [[1]], {}, {"g": "g"}, {"g": {"g": 1}})
    MEMBERS = ("bindings", "caller", "contract", "entity", "etag", "facts", "flow", "persona",
               "provenance", "refusal", "steps", "time", "verdicts")

    def test_bodies_of_any_shape_are_told_without_harm(self):
        bodies = [{"kind": kind, "time": "2026-11-17T09:20:15Z", member: value}
                  for kind in ("operation", "refusal", "flow_started", "flow_ended")
                  for member in self.MEMBERS for value in self.VALUES]
        bodies += [{"kind": "operation", "time": "x", "provenance": {member: value}}
                   for member in ("facts_used", "instance_binding", "state_after", "state_before")
                   for value in self.VALUES]
        self.write("l", ledgers.text(ledgers.records(bodies)))
        said = self.holds("audit", "l").out + self.holds("ledger", "show", "l").out
        self.assertEqual(re.findall("[\0-\t\x0b-\x1f\x7f-\x9f\u202e]", said), [])
        self.holds("audit", "l", "--html", "page")
        page = (self.dir / "page").read_text()
        self.assertEqual(re.findall("[\0-\x08\x0b-\x1f\x7f-\x9f\u202e]", page), [])
        json.loads(self.holds("audit", "l", "--json").out)
        for n in range(0, len(bodies), 1 if SOAK else 7):
            self.holds("ledger", "show", "l", str(n), "--explain")
        facts = [n for n, body in enumerate(bodies) if "facts" in body]
        for n in facts:
            self.holds("ledger", "show", "l", str(n), "--explain")


class Turned(Asking):
    def test_marks_of_direction_are_shown_in_pages_and_tables(self):
        """"gpj.exe" must not be read as "exe.jpg"; the bytes of the ledger stay as they were sent."""
        server = self.serve()
        name = f"a{TURNS}z"
        self.make(server, name)
        shown = "".join(f"\\u{ord(c):04x}" for c in TURNS)
        home = server.get("/").body.decode()
        self.assertEqual(server.get("/v1/ledger/2").json["body"]["instance"], name)
        server.stop()
        store = ("--store", "sqlite:serve.db")
        self.holds("audit", *store, "--html", "page.html")
        said = {"page": (self.dir / "page.html").read_text(), "home": home,
                "audit": self.holds("audit", *store).out,
                "show": self.run_motet("ledger", "show", *store, env={"COLUMNS": "400"}).out,
                "explain": self.holds("ledger", "show", "2", "--explain", *store).out}
        for where, text in said.items():
            with self.subTest(where):
                self.assertEqual([c for c in TURNS if c in text], [])
                for mark in ("\\u202a", "\\u200f") if where == "show" else (shown,):  # a table breaks lines
                    self.assertIn(mark, text)


class Invented(Case):
    CONTRACT = """persona clerk
source desk { protocol: manual }
type Address { city: Text(max_length: 20) rooms: List(element_type: Int(min: 0, max: 9), max: 3) }
fact home { type: Address source: "x.home" }
entity Left { states: [a, b] initial: a transitions: [(a, b), (b, a)] }
operation move { personas: [clerk] require: home.city = "Bern" effects: [(Left, a, b)]
                 error_contract: [precondition_failed] }
"""

    def test_members_that_a_client_made_up_are_not_recorded(self):
        """Reasons name what the contract declares; what else a client writes is not kept for ever."""
        home = {"city": "Bern", "rooms": [1]}
        bound = {"Left": "l"}
        asked = [({"facts": {"marker": 1, "home": home}, "bindings": bound}, None),
                 ({"facts": {"home": {**home, "marker": 1}}, "bindings": bound}, "home"),
                 ({"facts": {"home": {**home, "city.marker": 1}}, "bindings": bound}, "home.city"),
                 ({"facts": {"home": {**home, "rooms": [1, {"marker": 1}]}}, "bindings": bound}, "home.rooms[1]"),
                 ({"facts": {"home": {**home, "city": {"marker": 1}}}, "bindings": bound}, "home.city"),
                 ({"facts": {"home": {**home, "[marker]": 1}}, "bindings": bound}, "home"),
                 ({"facts": {"home": home}, "bindings": {"marker": "l"}}, None),
                 ({"facts": {"home": home}, "bindings": {**bound, "marker": "l"}}, None),
                 ({"facts": {"home": home}, "bindings": bound, "expected_versions": {"marker": 1}}, None),
                 ({"facts": {"home": home}, "bindings": {**bound, "Left": {"marker": 1}}}, None)]
        self.write("motet.json", json.dumps({"files": [str(self.write("move.tenor", self.CONTRACT))]}))
        for mode in ("reasons", "all"):
            self.write("motet.json", json.dumps({"files": ["move.tenor"], "executor": {"refusals": mode}}))
            server = Server(self.dir, options=("--config", "motet.json"), store=f"sqlite:{mode}.db")
            self.addCleanup(server.stop)
            server.start()
            server.post("/v1/contracts/move/instances/Left", {"id": "l"})
            for body, fact in asked:
                with self.subTest(f"{mode} {body}"):
                    answer = server.post("/v1/contracts/move/operations/move", {"persona": "clerk", **body})
                    self.assertIn(answer.status, (400, 404, 409, 422), answer)
                    if "record" in answer.json:
                        record = server.get(f"/v1/ledger/{answer.json['record']}").json["body"]
                        if mode == "reasons":
                            self.assertEqual(record["refusal"].get("fact"), fact)
                            self.assertNotIn("marker", json.dumps(record))
            with contextlib.closing(sqlite3.connect(self.dir / f"{mode}.db")) as db:
                kept = "".join(body for body, in db.execute("SELECT body FROM ledger"))
                self.assertEqual("marker" in kept, mode == "all")
            server.stop()


class Signatures(Case):
    def test_FU11_what_nobody_signed_is_called_so(self):
        with Server(self.dir, ESCROW) as server:
            self.assertTrue(server.logs("ledger_unsigned"))
        result = self.holds("ledger", "verify", "--store", "sqlite:serve.db")
        self.assertEqual(result.out, "consistent, signed by nobody: 1 record\n")
        self.assertFalse(json.loads(self.holds("ledger", "verify", "--store", "sqlite:serve.db",
                                               "--json").out)["signed"])
        for command in (("ledger", "verify"), ("audit",)):
            result = self.fails(1, *command, "--store", "sqlite:serve.db", "--require-signature")
            self.assertIn("consistent, but signed by nobody", result.err)
        self.assertIn("signed by nobody", self.holds("audit", "--store", "sqlite:serve.db").out)

    def test_FU11_a_server_with_a_key_does_not_warn(self):
        self.holds("keygen", "--prefix", "node")
        with Server(self.dir, ESCROW, options=("--signing-key", "node.secret")) as server:
            server.get("/healthz")
            self.assertNotIn("ledger_unsigned", server.log())
        self.holds("ledger", "verify", "--store", "sqlite:serve.db", "--require-signature")

    def test_FU10_a_key_has_one_fingerprint(self):
        told = self.holds("keygen", "--prefix", "node").out
        name = re.search(r"fingerprint: ([0-9a-f]{16})\.\.\.", told)[1]
        public = base64.b64decode((self.dir / "node.pub").read_text())
        self.assertEqual(hashlib.sha256(public).hexdigest()[:16], name)
        with Server(self.dir, ESCROW, options=("--signing-key", "node.secret")) as server:
            server.post("/v1/contracts/escrow/instances/EscrowAccount", {"id": "e1", "receipt": True})
            self.write("receipt.json", json.dumps(server.get("/v1/ledger/2/receipt").json))
        store = ("--store", "sqlite:serve.db")
        self.assertIn(f"signed by: {name}...", self.holds("ledger", "verify", *store).out)
        self.assertIn(f"key {name}...", self.holds("ledger", "show", *store, "--kind", "key_added").out)
        self.assertIn(f"signed by: {name}...", self.holds("receipt", "verify", "receipt.json", "--key",
                                                         "node.pub").out)
        self.assertIn(f"signed by {name}...", self.holds("audit", *store).out)
        self.assertEqual(json.loads(self.holds("ledger", "verify", *store, "--json").out)["signer"],
                         f"{name}...")
        signed = self.holds("sign", ESCROW, "--key", "node.secret", "--out", "signed.json")
        self.assertIn(name, signed.out + self.holds("verify", "signed.json").out)


main()
