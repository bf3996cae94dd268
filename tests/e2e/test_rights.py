"""Who may do what: rights per contract, what each caller sees, tokens and their records."""
import concurrent.futures
import contextlib
import http.client
import json
import re
import shutil
import sqlite3
import subprocess
import time

from harness import SOAK, SOURCE, Case, main, run, wall_clock
from postgres import Postgres
from serve import Server

# Two contracts with the same persona: a nurse of the ward has no business in the vault.
WARD = """
fact ready { type: Bool source: "desk.ready" default: true }
persona nurse
entity Bed { states: [free, taken] initial: free transitions: [(free, taken), (taken, free)] }
operation take { allowed_personas: [nurse] precondition: ready effects: [(Bed, free, taken)] }
"""
VAULT = """
fact balance { type: Int(min: 0, max: 1000) source: "desk.balance" }
fact limit { type: Int(min: 0, max: 1000) source: "desk.limit" default: 0 }
persona nurse
persona banker
entity Safe { states: [shut, open] initial: shut transitions: [(shut, open), (open, shut)] }
rule rich { stratum: 0 when: balance >= limit produce: verdict rich { payload: Int(min: 0, max: 1000) = balance } }
operation unlock { allowed_personas: [nurse, banker] precondition: rich present effects: [(Safe, shut, open)] }
flow opening {
  snapshot: at_initiation
  entry: begin
  steps: {
    begin: OperationStep { op: unlock persona: banker outcomes: { success: Terminal(success) } on_failure: Terminate(outcome: failure) }
  }
}
"""


class Ward(Case):
    """A server with both contracts, a boss, one instance of each, and a kept fact."""

    def serve(self, *options, **config):
        self.write("ward.tenor", WARD)
        self.write("vault.tenor", VAULT)
        self.write("motet.json", json.dumps({"files": ["ward.tenor", "vault.tenor"], **config}))
        server = Server(self.dir, options=["--config", "motet.json", *options])
        self.boss = server.token("--name", "boss", "--right", "instances:create", "--right", "facts:*",
                                 "--right", "ledger:read", "--persona", "banker", "--right", "evaluate")
        server.start()
        self.addCleanup(server.stop)
        for contract, entity in (("ward", "Bed"), ("vault", "Safe")):
            made = server.post(f"/v1/contracts/{contract}/instances/{entity}", {"id": "x"}, token=self.boss)
            self.assertEqual(made.status, 201, made)
        kept = server.ask("PUT", "/v1/contracts/vault/facts/balance", {"value": 617}, token=self.boss)
        self.assertEqual(kept.status, 200, kept)
        return server

    def token(self, server, *options):
        """Made beside the running server, which takes it up within a second."""
        made = server.token(*options)
        self.assertTrue(server.wait_until(lambda: server.get("/v1/contracts", token=made).status == 200))
        return made

    def act(self, server, contract, operation, entity, persona, token, **more):
        return server.post(f"/v1/contracts/{contract}/operations/{operation}",
                           {"persona": persona, "bindings": {entity: "x"}, **more}, token=token)


TILL = """
source till { protocol: static }
fact open { type: Int(min: 0, max: 9) source: till { path: "open" } }
fact least { type: Int(min: 0, max: 9) source: "desk.least" default: 0 }
persona nurse
entity Drawer { states: [shut, open] initial: shut transitions: [(shut, open)] }
operation pull { allowed_personas: [nurse] precondition: open = 1 and least < 5 effects: [(Drawer, shut, open)] }
"""


class Rights(Ward):
    def test_what_a_broken_source_says_is_no_denial_of_the_caller(self):
        """Of the wrong type: 502 and no record; if the caller's own fact is wrong, too, it is told that."""
        self.write("till.tenor", TILL)
        self.write("till.yaml", "open: 4711\n")
        server = Server(self.dir, "till.tenor", options=["--config", self.write("motet.json", json.dumps(
            {"sources": {"till": {"file": "till.yaml"}}}))])
        boss = server.token("--right", "instances:create", "--right", "ledger:read", "--persona", "nurse",
                            "--right", "facts:least", "--right", "evaluate")
        server.start()
        self.addCleanup(server.stop)
        self.assertEqual(server.post("/v1/contracts/till/instances/Drawer", {"id": "x"}, token=boss).status, 201)
        broken = self.act(server, "till", "pull", "Drawer", "nurse", boss)
        self.assertEqual((broken.status, broken.code, broken.json["fact"]), (502, "source_failed", "open"), broken)
        asked = server.post("/v1/contracts/till/evaluate", {}, token=boss)
        self.assertEqual((asked.status, asked.code), (502, "source_failed"), asked)
        gateway = self.token(server, "--right", "till/decide")
        question = {"subject": {"type": "persona", "id": "nurse"}, "action": {"name": "pull"},
                    "resource": {"type": "till.Drawer", "id": "x"}}
        for path, body in (("evaluation", question), ("evaluations", {"evaluations": [question]})):
            told = server.post(f"/access/v1/{path}", body, token=gateway)
            self.assertIn("is not of the declared type", told.body.decode())
            self.assertNotIn("4711", told.body.decode())  # whatever it is, a gateway reads no facts
        refused = lambda: server.get("/v1/ledger?kind=refusal", token=boss).json["items"]
        self.assertEqual(refused(), [])
        both = self.act(server, "till", "pull", "Drawer", "nurse", boss, facts={"least": 55})
        self.assertEqual((both.status, both.code), (422, "invalid_fact"), both)
        self.assertEqual(len(refused()), 1)

    def test_a_nurse_of_one_contract_does_not_open_the_vault_of_another(self):
        server = self.serve()
        nurse = self.token(server, "--persona", "ward:nurse")
        everywhere = self.token(server, "--persona", "nurse")
        refused = self.act(server, "vault", "unlock", "Safe", "nurse", nurse)
        self.assertEqual((refused.status, refused.code), (403, "persona_rejected"), refused)
        self.assertEqual(self.act(server, "ward", "take", "Bed", "nurse", nurse).status, 200)
        for path in ("instances", "instances/Safe", "instances/Safe/x", "instances/Safe/x/history", "facts",
                     "states", "migration"):
            answer = server.get(f"/v1/contracts/vault/{path}", token=nurse)
            self.assertEqual((answer.status, answer.code), (403, "forbidden"), (path, answer))
            self.assertEqual(answer.json["needs"], ["vault/read"])
            self.assertNotIn("617", str(answer.json))
        self.assertEqual(server.get("/v1/contracts/ward/instances/Bed/x", token=nurse).json["state"], "taken")
        # What a persona without a contract means stays: it is one of every contract that has it.
        self.assertEqual(self.act(server, "vault", "unlock", "Safe", "nurse", everywhere).status, 200)

    def test_flows_of_others_are_not_there(self):
        server = self.serve()
        nurse = self.token(server, "--persona", "ward:nurse")
        banker = self.token(server, "--persona", "vault:banker")
        clerk = self.token(server, "--persona", "vault:nurse")
        started = server.post("/v1/contracts/vault/flows/opening",
                              {"persona": "nurse", "bindings": {"Safe": "x"}}, token=clerk)
        self.assertEqual((started.status, started.json["status"]), (200, "waiting"), started)
        flow = started.json["id"]
        self.assertEqual(server.get("/v1/flows", token=nurse).json["items"], [])
        self.assertEqual(len(server.get("/v1/flows", token=banker).json["items"]), 1)
        for method, path in (("GET", ""), ("POST", "/resume"), ("POST", "/cancel")):
            answer = server.ask(method, f"/v1/flows/{flow}{path}", {} if path else None, token=nurse)
            self.assertEqual((answer.status, answer.code), (404, "unknown_execution"), answer)
        self.assertEqual(server.post(f"/v1/flows/{flow}/resume", {}, token=banker).json["status"], "done")

    def test_where_a_flow_stands_is_told_without_values_of_facts(self):
        """An evaluation that overflows says what it came to, from which the fact can be had."""
        self.write("sum.tenor", '''persona clerk
fact amount { type: Int(min: 0, max: 1000) source: "desk.amount" }
operation add { personas: [clerk] require: amount + 5.25 > 1.0 outcomes: [done] error_contract: [precondition_failed] }
flow look { snapshot: at_initiation entry: fork steps: {
  fork: ParallelStep { branches: [Branch { id: b entry: step steps: {
      step: BranchStep { condition: amount + 5.25 > 1.0 persona: clerk
                         if_true: Terminal(success) if_false: Terminal(failure) } } }]
    join: JoinPolicy { on_all_success: Terminal(success) on_any_failure: Terminate(outcome: failure) } } } }
''')
        server = Server(self.dir, "sum.tenor")
        clerk, reader = server.token("--persona", "sum:clerk", "--right", "facts:*"), server.token("--right", "sum/read")
        server.start()
        self.addCleanup(server.stop)
        flow = server.post("/v1/contracts/sum/flows/look", {"persona": "clerk", "facts": {"amount": 997}}, token=clerk).json
        whole, bare = (server.get(f"/v1/flows/{flow['id']}", token=who).json["position"] for who in (clerk, reader))
        self.assertIn("1002.25", json.dumps(whole))
        self.assertNotIn("1002", json.dumps(bare))
        self.assertEqual((bare["status"], bare["states"], [r["step"] for r in bare["records"]]),
                         (whole["status"], whole["states"], [r["step"] for r in whole["records"]]))

    def test_FS15_a_keyed_resume_needs_a_persona_and_leaves_nothing(self):
        server = self.serve()
        reader = self.token(server, "--right", "metrics:read")
        for i in range(5):
            answer = server.post("/v1/flows/x/resume", {}, token=reader, headers={"Idempotency-Key": f"k{i}"})
            self.assertEqual((answer.status, answer.code), (403, "forbidden"), answer)
            self.assertNotIn("Idempotency-Replayed", answer.headers)
        # Who has a persona may ask; what is kept for it counts against a quota of its own (class Quotas).
        server.stop()
        with contextlib.closing(sqlite3.connect(self.dir / "serve.db")) as db:
            self.assertEqual(db.execute("SELECT count(*) FROM answers").fetchone(), (0,))

    def test_FS6_evaluate_is_a_right_and_shows_only_what_its_caller_may_see(self):
        server = self.serve()
        path = "/v1/contracts/vault/evaluate"
        metrics = self.token(server, "--right", "metrics:read")
        for route, body in ((path, {}), ("/v1/contracts/vault/explain", {"verdict": "rich"}),
                            ("/v1/contracts/vault/partial", {}), (f"{path}/batch", "{}")):
            lines = {"Content-Type": "application/jsonl"} if isinstance(body, str) else {}
            refused = server.post(route, body, token=metrics, headers=lines)
            self.assertEqual((refused.status, refused.code), (403, "forbidden"), refused)
            self.assertEqual(refused.json["needs"], ["vault/evaluate"])
        other = self.token(server, "--right", "ward/evaluate", "--right", "facts:limit")
        self.assertEqual(server.post(path, {}, token=other).status, 403)
        # Who may ask but not read the facts: the kept one is unknown to it, whatever it asks.
        asker = self.token(server, "--right", "vault/evaluate", "--right", "vault/facts:limit")
        answers = set()
        for limit in (401, 616, 617, 618, 999):
            for route, body in ((path, {"facts": {"limit": limit}}),
                                ("/v1/contracts/vault/explain", {"verdict": "rich", "facts": {"limit": limit}}),
                                ("/v1/contracts/vault/explain", {"operation": "unlock", "facts": {"limit": limit}}),
                                ("/v1/contracts/vault/partial", {"facts": {"limit": limit}}),
                                (f"{path}/batch", json.dumps({"facts": {"limit": limit}})),
                                (path, {"facts": {"limit": limit}, "partial": True})):
                lines = {"Content-Type": "application/jsonl"} if isinstance(body, str) else {}
                answer = server.post(route, body, token=asker, headers=lines)
                self.assertEqual(answer.status, 200, answer)
                self.assertNotIn("617", answer.body.decode().replace(str(limit), ""))
                answers.add((route, "partial" in body, "operation" in body,
                             answer.body.decode().replace(str(limit), "L")))
        told = server.post(path, {"facts": {"limit": 5}}, token=asker).json
        self.assertEqual(told["hidden"], ["balance"])
        for what in ({"verdict": "rich"}, {"operation": "unlock"}):
            told = server.post("/v1/contracts/vault/explain", {**what, "facts": {"limit": 5}}, token=asker).json
            self.assertEqual(told["hidden"], ["balance"], told)
            self.assertEqual(list(told), sorted(told))
            told = server.post("/v1/contracts/vault/explain", {**what, "facts": {"limit": 5}}, token=self.boss).json
            self.assertNotIn("hidden", told)
        # Nothing changes at 617: what is answered does not depend on what is hidden.
        self.assertEqual(len(answers), 6, answers)
        # A reader of facts sees all.
        full = server.post(path, {}, token=self.boss)
        self.assertIn("617", full.body.decode())

    def test_FU15_a_forbidden_fact_names_the_right_all_at_once(self):
        server = self.serve()
        who = self.token(server, "--persona", "vault:banker")
        answer = self.act(server, "vault", "unlock", "Safe", "banker", who, facts={"balance": 1, "limit": 2})
        self.assertEqual((answer.status, answer.code), (403, "fact_forbidden"), answer)
        self.assertEqual(sorted(answer.json["needs"]), ["vault/facts:balance", "vault/facts:limit"])
        some = self.token(server, "--persona", "vault:banker", "--right", "vault/facts:limit")
        answer = self.act(server, "vault", "unlock", "Safe", "banker", some, facts={"balance": 1, "limit": 2})
        self.assertEqual(answer.json["needs"], ["vault/facts:balance"])

    def test_a_fact_called_override_is_not_granted_by_that_right(self):
        self.write("odd.tenor", 'fact override { type: Int(min: 0, max: 1000) source: "desk.override" default: 0 }\npersona p\n')
        server = Server(self.dir, "odd.tenor")
        self.boss, holder = server.token("--right", "odd/facts:*"), server.token("--right", "odd/facts:override")
        server.start()
        self.addCleanup(server.stop)
        path = "/v1/contracts/odd/facts"
        self.assertEqual(server.ask("PUT", f"{path}/override", {"value": 617}, token=self.boss).status, 200)
        refused = server.ask("PUT", f"{path}/override", {"value": 5}, token=holder)
        self.assertEqual((refused.code, refused.json["needs"]), ("fact_forbidden", ["odd/facts:*"]), refused)
        self.assertNotIn("617", server.get(path, token=holder).body.decode())

    def test_a_ledger_of_one_contract(self):
        server = self.serve()
        auditor = self.token(server, "--right", "ward/ledger:read")
        items = server.get("/v1/ledger", token=auditor).json["items"]
        self.assertTrue(items)
        self.assertEqual({r["body"]["contract"] for r in items}, {"ward"})
        all_of_them = server.get("/v1/ledger", token=self.boss).json["items"]
        foreign = [r for r in all_of_them if r["body"].get("contract") != "ward"]
        self.assertTrue(foreign)
        for record in foreign:
            for path in ("", "/proof"):
                answer = server.get(f"/v1/ledger/{record['seq']}{path}", token=auditor)
                self.assertEqual((answer.status, answer.code), (404, "unknown_record"), answer)
        stream = server.get("/v1/events?from=0", token=self.token(server, "--right", "read"))
        self.assertEqual(stream.status, 403)

    def test_deploy_over_one_contract(self):
        server = self.serve()
        deployer = self.token(server, "--right", "ward/deploy")
        body = {"contract": "ward", "source": WARD + "\npersona doctor\n"}
        self.assertIn(server.post("/v1/contracts", body, token=deployer).status, (200, 201))
        refused = server.post("/v1/contracts", {**body, "contract": "vault"}, token=deployer)
        self.assertEqual((refused.status, refused.json["needs"]), (403, ["vault/deploy"]), refused)
        refused = server.post("/v1/contracts", {**body, "contract": "another"}, token=deployer)
        self.assertEqual(refused.status, 403)


class Tokens(Ward):
    def record(self, server, kind, name):
        """Token records are queued by the command and chained by the server soon after."""
        found = []

        def look():
            items = server.get("/v1/ledger?limit=1000", token=self.boss).json["items"]
            found[:] = [r["body"] for r in items if r["body"]["kind"] == kind and r["body"]["token"]["name"] == name]
            return found
        self.assertTrue(server.wait_until(look, 10), (kind, name))
        return found[-1]

    def motet_token(self, server, *words):
        return run("token", *words, "--store", server.store, cwd=self.dir)

    def test_FU12_tokens_are_records_also_beside_a_running_server(self):
        server = self.serve()
        token = self.token(server, "--name", "till 7", "--persona", "ward:nurse", "--expires", "90d")
        ident = token.split("_")[1]
        self.assertEqual(self.motet_token(server, "grant", ident, "--right", "ward/read").code, 0)
        self.assertEqual(self.motet_token(server, "revoke", ident).code, 0)
        made = self.record(server, "token_created", "till 7")
        self.assertEqual((made["token"]["name"], made["token"]["personas"]), ("till 7", ["ward:nurse"]))
        changed = self.record(server, "token_changed", "till 7")
        self.assertEqual((changed["what"], changed["token"]["rights"], changed["before"]["rights"]),
                         ("grant", ["ward/read"], []))
        revoked = self.record(server, "token_revoked", "till 7")
        self.assertEqual(revoked["token"]["id"], ident)
        self.assertTrue(revoked["caller"]["id"].startswith("uid:"))
        text = json.dumps([made, changed, revoked])
        self.assertNotIn(token.split("_")[2], text)
        self.assertNotIn("hash", text)
        server.stop()
        self.assertEqual(run("ledger", "verify", "--store", server.store, cwd=self.dir).code, 0)
        self.assertEqual(run("store", "check", "--store", server.store, cwd=self.dir).code, 0)
        told = run("audit", "--store", server.store, cwd=self.dir).out
        self.assertIn(f"till 7 ({ident})", told)
        self.assertIn("rights ward/read", told)
        shown = run("ledger", "show", "--store", server.store, cwd=self.dir, env={"COLUMNS": "200"}).out
        self.assertRegex(shown, f"token_changed +{ident} till 7, grant")

    def test_tokens_made_while_nobody_serves_are_chained_by_the_next_start(self):
        server = self.serve()
        server.stop()
        server.token("--name", "alone", "--right", "read")
        server.start()
        self.assertEqual(self.record(server, "token_created", "alone")["token"]["rights"], ["read"])
        server.stop()
        self.assertEqual(run("ledger", "verify", "--store", server.store, cwd=self.dir).code, 0)

    def test_grant_changes_a_token_that_is_in_use(self):
        server = self.serve()
        token = self.token(server, "--persona", "ward:nurse")
        ident = token.split("_")[1]
        self.assertEqual(server.get("/v1/contracts/vault/instances", token=token).status, 403)
        self.assertEqual(self.motet_token(server, "grant", ident, "--right", "vault/read").code, 0)
        self.assertTrue(server.wait_until(
            lambda: server.get("/v1/contracts/vault/instances", token=token).status == 200))
        self.assertEqual(self.motet_token(server, "grant", ident, "--no-right", "vault/read").code, 0)
        self.assertTrue(server.wait_until(
            lambda: server.get("/v1/contracts/vault/instances", token=token).status == 403))
        for words, said in ((["--right", "nonsense"], "no right"), (["--no-persona", "ward:nurse"], "nothing would"),
                            ([], "say what"), (["--expires", "soon"], "--expires")):
            result = self.motet_token(server, "grant", ident, *words)
            self.assertEqual(result.code, 2, result.err)
            self.assertIn(said, result.err)
        self.assertEqual(self.motet_token(server, "grant", "0" * 16, "--right", "read").code, 1)
        self.assertEqual(self.motet_token(server, "revoke", ident).code, 0)
        self.assertEqual(self.motet_token(server, "grant", ident, "--right", "read").code, 1)

    def test_rotate_gives_a_new_secret_and_keeps_the_old_for_a_while(self):
        server = self.serve()
        old = self.token(server, "--persona", "ward:nurse")
        good = lambda token: server.get("/v1/contracts", token=token).status
        result = self.motet_token(server, "rotate", old, "--keep", "2s")
        new = result.out.strip()
        self.assertEqual((result.code, old.split("_")[1]), (0, new.split("_")[1]), result.err)
        self.assertNotEqual(old, new)
        self.assertTrue(server.wait_until(lambda: good(new) == 200))
        self.assertTrue(server.wait_until(lambda: good(old) == 401, 6))
        last = self.motet_token(server, "rotate", new, "--keep", "0").out.strip()
        self.assertTrue(server.wait_until(lambda: good(new) == 401))
        self.assertEqual(good(last), 200)

    def test_FU16_a_token_can_be_changed_and_then_it_deploys(self):
        server = self.serve()
        token = self.token(server, "--right", "admin")
        deploy = lambda: server.post("/v1/contracts", {"contract": "ward", "source": WARD + "\npersona doctor\n"}, token=token)
        refused = deploy()
        self.assertEqual((refused.status, refused.json["needs"]), (403, ["deploy"]), refused)
        self.assertEqual(self.motet_token(server, "grant", token, "--right", "ward/deploy").code, 0)
        self.assertTrue(server.wait_until(lambda: deploy().status == 200))

    def test_FU16_admin_says_what_it_includes_and_list_shows_expiry(self):
        server = self.serve()
        made = self.motet_token(server, "create", "--right", "admin", "--expires", "1d")
        self.assertEqual(made.out.count("\n"), 1)
        self.assertIn("admin includes read, evaluate, ledger:read", made.err)
        self.assertIn("not include deploy", made.err)
        line = next(x for x in self.motet_token(server, "list").out.splitlines() if made.out.split("_")[1] in x)
        self.assertRegex(line, r" good +\d{4}-\d\d-\d\d")
        self.assertRegex(self.motet_token(server, "list").out, r" good +never ")

    def test_FS18_a_token_seen_expired_stays_so_when_the_clock_goes_back(self):
        server = self.serve()
        token = self.token(server, "--right", "read", "--expires", "1s")
        ident = token.split("_")[1]
        self.assertTrue(server.wait_until(lambda: server.get("/v1/contracts", token=token).status == 401, 10))
        seen = lambda: [t for t in json.loads(self.motet_token(server, "list", "--json").out)["tokens"]
                        if t["id"] == ident][0]["state"]
        self.assertTrue(server.wait_until(lambda: seen() == "expired"))
        time.sleep(0.6)  # the mark is written by the next refresh
        server.stop()
        # A clock that says yesterday.
        back = Server(self.dir, options=["--config", "motet.json"], store=server.store,
                      env=wall_clock(self.write("clock", "-1d\n")))
        with back:
            self.assertEqual(back.get("/v1/contracts", token=token).status, 401)
            self.assertEqual(back.get("/v1/contracts", token=self.boss).status, 200)

    def test_a_token_from_before_keeps_read_and_evaluate(self):
        server = self.serve()
        token = self.token(server, "--right", "metrics:read")
        server.stop()
        with sqlite3.connect(self.dir / "serve.db") as db:
            row = db.execute("SELECT body FROM docs WHERE kind = 'token' AND id = ?", (token.split("_")[1],)).fetchone()
            body = json.loads(row[0])
            for key in ("actor", "expired_ms", "grammar"):
                del body[key]
            db.execute("UPDATE docs SET body = ? WHERE kind = 'token' AND id = ?",
                       (json.dumps(body), token.split("_")[1]))
        server.start()
        self.assertEqual(server.get("/v1/contracts/vault/instances", token=token).status, 200)
        self.assertEqual(server.post("/v1/contracts/vault/evaluate", {}, token=token).json["hidden"], ["balance"])


# A payment: somebody asks, somebody else says yes.
PAYMENT = """
fact ready { type: Bool source: "desk.ready" default: true }
persona requester
persona approver
persona watcher
entity Payment { states: [idle, asked, paid] initial: idle transitions: [(idle, asked), (asked, paid), (paid, asked)] }
entity Other { states: [a, b] initial: a transitions: [(a, b), (b, a)] }
operation ask { allowed_personas: [requester] precondition: ready effects: [(Payment, idle, asked)] }
operation approve { allowed_personas: [approver] precondition: ready effects: [(Payment, asked, paid)] }
operation undo { allowed_personas: [watcher] precondition: ready effects: [(Payment, paid, asked)] }
flow payment {
  snapshot: at_initiation
  entry: asking
  steps: {
    asking: OperationStep { op: ask persona: requester outcomes: { success: approving } on_failure: Terminate(outcome: failure) }
    approving: OperationStep { op: approve persona: approver outcomes: { success: Terminal(success) } on_failure: Terminate(outcome: failure) }
  }
}
"""


class Page(Case):
    """Every configuration that docs/reference/rights.md shows is one."""

    def test_what_the_page_shows_is_accepted(self):
        text = (SOURCE / "docs" / "reference" / "rights.md").read_text()
        shown = re.findall(r"^```yaml\n(.*?)^```", text, flags=re.M | re.S)
        self.assertEqual([s.split(":")[0] for s in shown], ["distinct", "quotas", "oidc", "tls_cert"])
        self.write("payment.tenor", PAYMENT)
        for name in ("server", "clients-ca"):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                            "-keyout", f"{name}.key", "-out", f"{name}.pem", "-subj", f"/CN={name}", "-days", "2"],
                           cwd=self.dir, check=True, capture_output=True)
            (self.dir / f"{name}.key").chmod(0o600)
        for settings in (*shown, "".join(shown)):
            self.write("motet.yaml", "files: [payment.tenor]\n" + settings)
            checked = run("serve", "--config", "motet.yaml", "--check-config", cwd=self.dir, env={"CLIENT_SECRET": "s"})
            self.assertEqual(checked.code, 0, (settings, checked.err))


class Quotas(Ward):
    def ask(self, server, token, count, path="/v1/contracts"):
        return [server.get(path, token=token).status for _ in range(count)]

    def test_requests_of_one_identity_are_limited_and_others_are_not(self):
        server = self.serve(quotas={"requests_per_minute": 20, "identities": {}})
        hasty, calm = self.token(server, "--right", "read"), self.token(server, "--right", "read")
        heard = self.ask(server, hasty, 30)
        self.assertIn(429, heard)
        last = server.get("/v1/contracts", token=hasty)
        self.assertEqual((last.status, last.code), (429, "quota_exceeded"), last)
        self.assertIn(int(last.headers["Retry-After"]), range(1, 61))
        self.assertEqual(server.get("/v1/contracts", token=calm).status, 200)
        self.assertLessEqual(heard.count(200), 20)

    def test_every_line_of_a_batch_is_a_request(self):
        server = self.serve(quotas={"requests_per_minute": 20, "identities": {}})
        asker = [self.token(server, "--right", "ward/evaluate") for _ in range(3)]
        batch = lambda lines, who: server.post("/v1/contracts/ward/evaluate/batch", "{}\n" * lines, token=who,
                                               headers={"Content-Type": "application/jsonl"})
        # One was taken when the token was tried. At the limit all lines are done, beyond it none is.
        self.assertEqual(batch(19, asker[0]).body.count(b"\n"), 19)
        beyond = server.get("/v1/contracts", token=asker[0])
        self.assertEqual((beyond.status, beyond.code), (429, "quota_exceeded"), beyond)
        refused = batch(20, asker[1])
        self.assertEqual((refused.status, refused.code), (429, "quota_exceeded"), refused)
        self.assertIn(int(refused.headers["Retry-After"]), range(1, 61))
        never = batch(22, asker[2])
        self.assertEqual((never.status, never.code), (413, "too_large"), never)
        self.assertIn("more than the caller's quota has", never.json["detail"])
        self.assertEqual(batch(15, asker[2]).status, 200)

    def test_instances_answers_and_streams_have_quotas_of_their_own(self):
        server = self.serve(quotas={"instances_per_day": 4, "answers_per_day": 2, "streams": 1})
        clerk = self.token(server, "--right", "ward/instances:create", "--right", "ward/ledger:read",
                           "--persona", "ward:nurse")
        make = lambda i: server.post("/v1/contracts/ward/instances/Bed", {"id": f"q{i}"}, token=clerk)
        self.assertEqual([make(i).status for i in range(6)], [201] * 4 + [429] * 2)
        refused = make(9)
        self.assertEqual(refused.code, "quota_exceeded")
        self.assertGreater(int(refused.headers["Retry-After"]), 3600)
        resume = [server.post("/v1/flows/x/resume", {}, token=clerk, headers={"Idempotency-Key": f"k{i}"}).status
                  for i in range(4)]
        self.assertEqual(resume, [404, 404, 429, 429])
        first = http.client.HTTPConnection(server.host, server.port, timeout=10)
        first.request("GET", "/v1/events", headers={"Authorization": f"Bearer {clerk}"})
        self.assertEqual(first.getresponse().status, 200)
        self.assertEqual(server.get("/v1/events", token=clerk).code, "quota_exceeded")
        first.close()

        def again():
            other = http.client.HTTPConnection(server.host, server.port, timeout=10)
            other.request("GET", "/v1/events", headers={"Authorization": f"Bearer {clerk}"})
            status = other.getresponse().status
            other.close()
            return status == 200
        self.make_news(server)  # a dead stream is noticed when it is written to
        self.assertTrue(server.wait_until(again, 20))

    def test_answers_count_however_large_a_request_is(self):
        """What is large is prepared by a worker; what needs one, twice. Each counts once."""
        server = self.serve(quotas={"answers_per_day": 3})
        clerk = self.token(server, "--right", "ward/instances:create", "--right", "vault/deploy")
        make = lambda i, blanks=0: server.post("/v1/contracts/ward/instances/Bed", json.dumps({"id": f"q{i}"}) + " " * blanks,
                                               token=clerk, headers={"Idempotency-Key": f"k{i}"}).status
        self.assertEqual([make(1, 300 << 10), make(2)], [201, 201])
        deploy = lambda key: server.post("/v1/contracts", {"contract": "vault", "source": VAULT}, token=clerk,
                                         headers={"Idempotency-Key": key})
        self.assertEqual(deploy("d1").status, 200)
        self.assertEqual([make(3, 300 << 10), make(4), deploy("d2").code], [429, 429, "quota_exceeded"])
        # Whoever lost an answer gets it again, though no more are kept.
        again = deploy("d1")
        self.assertEqual((again.status, again.headers["Idempotency-Replayed"], again.headers["Retry-After"]), (200, "true", None))
        self.assertEqual([make(1, 300 << 10), make(2)], [201, 201])

    def test_an_answer_that_is_given_again_is_not_counted_again(self):
        server = self.serve(quotas={"answers_per_day": 3})
        clerk = self.token(server, "--right", "ward/instances:create")
        make = lambda i: server.post("/v1/contracts/ward/instances/Bed", {"id": f"r{i}"}, token=clerk,
                                     headers={"Idempotency-Key": f"k{i}"})
        self.assertEqual(make(1).status, 201)
        again = [make(1) for _ in range(8)]
        self.assertEqual([(a.status, a.headers["Idempotency-Replayed"]) for a in again], [(201, "true")] * 8)
        self.assertEqual([make(2).status, make(3).status, make(4).status, make(2).status], [201, 201, 429, 201])

    def test_recorded_refusals_count_and_what_is_allowed_goes_on(self):
        server = self.serve(quotas={"refusals_per_day": 3, "identities": {}})
        nurse, other = (self.token(server, "--persona", "ward:nurse") for _ in range(2))
        refuse = lambda who, key=None, **more: self.act(server, "vault", "unlock", "Safe", "nurse", who, **more)
        self.assertEqual([refuse(nurse, dry_run=True).status for _ in range(5)], [403] * 5)
        heard = [refuse(nurse) for _ in range(6)]
        self.assertEqual([a.status for a in heard], [403] * 3 + [429] * 3, heard)
        self.assertEqual((heard[-1].code, "record" in heard[-1].json), ("quota_exceeded", False))
        self.assertGreater(int(heard[-1].headers["Retry-After"]), 3600)
        self.assertEqual(self.act(server, "ward", "take", "Bed", "nurse", nurse).status, 200)
        self.assertEqual(refuse(other).status, 403)
        refusals = [r["body"]["caller"]["id"] for r in server.get("/v1/ledger?kind=refusal", token=self.boss).json["items"]]
        self.assertEqual(sorted(map(refusals.count, set(refusals))), [1, 3])

    def make_news(self, server):
        for _ in range(3):
            server.ask("PUT", "/v1/contracts/ward/facts/ready", {"value": True}, token=self.boss)

    def test_a_quota_that_is_none_is_told(self):
        self.write("ward.tenor", WARD)
        for bad in ({"requests_per_minute": 0}, {"request": 5}, {"identities": {"x": {"streams": -1}}}):
            self.write("motet.json", json.dumps({"files": ["ward.tenor"], "quotas": bad}))
            result = run("serve", "--config", "motet.json", "--check-config", cwd=self.dir)
            self.assertEqual((result.code, "quotas" in result.err), (1, True), (bad, result.err))


class Distinct(Ward):
    contract = PAYMENT

    def configure(self, distinct, auto=()):
        self.write("motet.json", json.dumps({"files": ["payment.tenor"], "distinct": distinct,
                                             "auto_personas": list(auto)}))

    def restart(self, server, distinct):
        server.stop()
        self.configure(distinct)
        server.start()

    def serve(self, distinct, store="sqlite:serve.db", auto=()):
        self.write("payment.tenor", self.contract)
        self.configure(distinct, auto)
        server = Server(self.dir, options=["--config", "motet.json"], store=store)
        self.both = server.token("--persona", "payment:requester", "--persona", "payment:approver")
        self.second = server.token("--persona", "payment:requester", "--persona", "payment:approver",
                                   "--persona", "payment:watcher", "--right", "instances:create")
        server.start()
        self.addCleanup(server.stop)
        return server

    def create(self, server, name):
        made = server.post("/v1/contracts/payment/instances/Payment", {"id": name}, token=self.second)
        self.assertEqual(made.status, 201, made)

    def do(self, server, operation, persona, name, token, **more):
        return server.post(f"/v1/contracts/payment/operations/{operation}",
                           {"persona": persona, "bindings": {"Payment": name}, **more}, token=token)

    def test_one_identity_does_not_act_as_both_on_one_instance(self):
        server = self.serve({"payment": ["requester", "approver"]})
        self.create(server, "p1")
        self.create(server, "p2")
        asked = self.do(server, "ask", "requester", "p1", self.both)
        self.assertEqual(asked.status, 200, asked)
        for more in ({"dry_run": True}, {}):
            refused = self.do(server, "approve", "approver", "p1", self.both, **more)
            self.assertEqual((refused.status, refused.code), (403, "not_distinct"), refused)
            self.assertEqual(refused.json["other"], {"persona": "requester", "record": asked.json["record"]})
            self.assertIn("Payment/p1", refused.json["detail"])
        # On another instance, and for somebody else, it is fine; a restart changes nothing.
        self.assertEqual(self.do(server, "ask", "requester", "p2", self.second).status, 200)
        self.assertEqual(self.do(server, "approve", "approver", "p2", self.both).status, 200)
        server.stop()
        server.start()
        self.assertEqual(self.do(server, "approve", "approver", "p1", self.both).code, "not_distinct")
        self.assertEqual(self.do(server, "approve", "approver", "p1", self.second).status, 200)

    def test_a_rule_that_came_later_is_decided_from_the_ledger(self):
        server = self.serve({})
        self.create(server, "p1")
        asked = self.do(server, "ask", "requester", "p1", self.both)
        self.assertEqual(asked.status, 200)
        server.stop()
        self.write("motet.json", json.dumps({"files": ["payment.tenor"],
                                             "distinct": {"payment": [["requester", "approver"]]}}))
        server.start()
        refused = self.do(server, "approve", "approver", "p1", self.both)
        self.assertEqual((refused.code, refused.json["other"]["record"]), ("not_distinct", asked.json["record"]))
        self.assertEqual(self.do(server, "approve", "approver", "p1", self.second).status, 200)
        # The watcher joins the rule: what the index does not cover is read from the ledger.
        self.assertEqual(self.do(server, "undo", "watcher", "p1", self.second).status, 200)
        server.stop()
        self.write("motet.json", json.dumps({"files": ["payment.tenor"],
                                             "distinct": {"payment": [["requester", "approver", "watcher"]]}}))
        server.start()
        self.assertEqual(self.do(server, "approve", "approver", "p1", self.second).code, "not_distinct")

    def test_a_rule_that_was_away_holds_for_what_was_done_meanwhile(self):
        """Nobody keeps the index while there is no rule; whoever acted then is not forgotten."""
        self.away_and_back("sqlite:serve.db")

    def test_on_postgresql_too_a_rule_that_was_away_holds_for_what_was_done_meanwhile(self):
        with Postgres() as database:
            self.away_and_back(database.url())

    def away_and_back(self, store):
        # The payment goes back to where it began; the watcher, whom no rule names, does that.
        self.contract = PAYMENT.replace("(paid, asked)]", "(paid, asked), (asked, idle)]", 1).replace(
            "[(Payment, paid, asked)]", "[(Payment, asked, idle)]")
        server = self.serve({"payment": [["requester", "approver"]]}, store=store)
        self.create(server, "p1")
        self.assertEqual(self.do(server, "ask", "requester", "p1", self.second).status, 200)
        self.assertEqual(self.do(server, "undo", "watcher", "p1", self.second).status, 200)
        self.restart(server, {})
        asked = self.do(server, "ask", "requester", "p1", self.both)
        self.assertEqual(asked.status, 200, asked)
        self.restart(server, {"payment": [["requester", "approver"]]})
        refused = self.do(server, "approve", "approver", "p1", self.both)
        self.assertEqual((refused.status, refused.code), (403, "not_distinct"), refused)
        self.assertEqual(refused.json["other"], {k: asked.json[k] for k in asked.json if k in ("queued", "record")} |
                         {"persona": "requester"})
        checked = run("store", "check", "--store", store, cwd=self.dir)
        self.assertEqual(checked.code, 0, checked)

    def test_restored_as_the_other_kind_of_store_the_same_record_is_named(self):
        """A file counts places, PostgreSQL what was queued: the numbers of an index are its store's own."""
        with Postgres() as database:
            server = self.serve({"payment": [["requester", "approver"]]}, store=database.url())
            self.create(server, "p1")
            self.assertEqual(self.do(server, "ask", "requester", "p1", self.both).status, 200)
            server.stop()
            self.holds("backup", "--store", database.url(), "--out", "copy")
        self.holds("restore", "copy", "--store", "sqlite:copy.db")
        self.holds("store", "check", "--store", "sqlite:copy.db")
        with Server(self.dir, options=["--config", "motet.json"], store="sqlite:copy.db") as server:
            refused = self.do(server, "approve", "approver", "p1", self.both)
            self.assertEqual((refused.status, refused.code), (403, "not_distinct"), refused)
            reader = self.token(server, "--right", "ledger:read")
            named = server.get(f"/v1/ledger/{refused.json['other']['record']}", token=reader)
            self.assertEqual((named.status, named.json["body"]["provenance"]["op"]), (200, "ask"), named)

    def test_who_began_a_flow_has_not_acted_on_what_it_binds(self):
        """The flow's first record is found under the instance; nothing was done to that by it."""
        server = self.serve({"payment": [["watcher", "approver"]]})
        self.create(server, "p1")
        beginner = self.token(server, "--persona", "payment:watcher", "--persona", "payment:approver")
        flow = server.post("/v1/contracts/payment/flows/payment", {"persona": "watcher", "bindings": {"Payment": "p1"}},
                           token=beginner).json
        self.assertEqual((flow["status"], flow["waiting"]["persona"]), ("waiting", "requester"), flow)
        self.assertEqual(self.do(server, "ask", "requester", "p1", self.second).status, 200)
        approved = self.do(server, "approve", "approver", "p1", beginner)
        self.assertEqual(approved.status, 200, approved)
        self.assertEqual(run("store", "check", "--store", server.store, cwd=self.dir).code, 0)

    def test_FS10_an_index_or_a_token_that_was_changed_is_named(self):
        """Whoever owns the database may change both; the ledger does not change with them."""
        server = self.serve({"payment": [["requester", "approver"]]})
        self.create(server, "p1")
        self.assertEqual(self.do(server, "ask", "requester", "p1", self.both).status, 200)
        flow = server.post("/v1/contracts/payment/flows/payment", {"persona": "requester", "bindings": {"Payment": "p1"}},
                           token=self.both)
        self.assertEqual(flow.status, 200, flow)
        check = lambda: run("store", "check", "--store", server.store, cwd=self.dir)
        self.assertEqual(check().code, 0, check().out)  # beside the running server, too
        server.stop()
        who, other = self.both.split("_")[1], self.second.split("_")[1]
        forged = "INSERT INTO docs SELECT kind, 'f' || substr(id, 2, 14) || 'x', tag, body, version, updated_ms FROM docs "
        for statement, said in (
                (f"UPDATE docs SET body = replace(body, '{who}', '{other}') WHERE kind = 'acts'", f"that '{who}' acted as"),
                ("""UPDATE docs SET body = '{"acts":{},"covers":["approver","requester"],"upto":99}' WHERE kind = 'acts'""",
                 f"that '{who}' acted as 'requester'"),
                (f"""UPDATE docs SET body = replace(body, '"acts":{{', '"acts":{{"approver":{{"x":1}},') WHERE kind = 'acts'""",
                 "acts that no record does"),
                ("UPDATE docs SET body = replace(body, 'payment:requester', 'payment:boss') WHERE kind = 'token'",
                 "its personas is"),
                ("""UPDATE docs SET body = replace(body, '"rights":[', '"rights":["admin"') WHERE kind = 'token' """
                 f"AND id = '{who}'", "its rights is"),
                (f"DELETE FROM docs WHERE kind = 'token' AND id = '{who}'", f"token/{who}: it is missing"),
                (forged + f"WHERE kind = 'token' AND id = '{who}'", "no record made it")):
            with self.subTest(statement):
                shutil.copy(self.dir / "serve.db", self.dir / "kept.db")
                with contextlib.closing(sqlite3.connect(self.dir / "serve.db")) as db:
                    self.assertGreater(db.execute(statement).rowcount, 0)
                    db.commit()
                found = check()
                self.assertEqual((found.code, said in found.out), (1, True), (said, found.out))
                shutil.copy(self.dir / "kept.db", self.dir / "serve.db")
        self.assertEqual(check().code, 0, check().out)

    def test_a_flow_waits_for_somebody_else(self):
        server = self.serve({"payment": [["requester", "approver"]]})
        self.create(server, "p1")
        flow = server.post("/v1/contracts/payment/flows/payment",
                           {"persona": "requester", "bindings": {"Payment": "p1"}}, token=self.both).json
        self.assertEqual((flow["status"], flow["waiting"]["persona"]), ("waiting", "approver"), flow)
        for body in ({"dry_run": True}, {}):
            refused = server.post(f"/v1/flows/{flow['id']}/resume", body, token=self.both)
            self.assertEqual((refused.status, refused.code), (403, "not_distinct"), refused)
        done = server.post(f"/v1/flows/{flow['id']}/resume", {}, token=self.second)
        self.assertEqual(done.json["status"], "done", done)

    def test_two_at_once_are_one_after_the_other(self):
        """The same identity asks and approves at the same moment, again and again."""
        server = self.serve({"payment": [["requester", "approver"]]})
        for i in range(40 if not SOAK else 1000):
            self.create(server, f"r{i}")
            self.assertEqual(self.do(server, "ask", "requester", f"r{i}", self.both).status, 200)
            self.assertEqual(self.do(server, "approve", "approver", f"r{i}", self.second).status, 200)
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                undo = pool.submit(self.do, server, "undo", "watcher", f"r{i}", self.second)
                tries = [pool.submit(self.do, server, "approve", "approver", f"r{i}", self.both) for _ in range(3)]
            self.assertEqual(undo.result().status, 200)
            self.assertNotIn(200, [t.result().status for t in tries])

    def test_two_nodes_on_one_store_see_each_other(self):
        """Two servers are asked at the same moment; records of tokens are chained by whichever server
        chains."""
        with Postgres() as database:
            first = self.serve({"payment": [["requester", "approver"]]}, database.url())
            other = Server(self.dir, options=["--config", "motet.json"], store=database.url())
            with other:
                for i in range(12 if not SOAK else 300):
                    self.create(first, f"n{i}")
                    self.assertEqual(self.do(first, "ask", "requester", f"n{i}", self.second).status, 200)
                    with concurrent.futures.ThreadPoolExecutor(4) as pool:
                        tries = {(n, who): pool.submit(self.do, server, "approve", "approver", f"n{i}", who)
                                 for n, server in enumerate((first, other)) for who in (self.second, self.both)}
                    heard = {who: sorted(t.result().status for (_, w), t in tries.items() if w == who)
                             for who in (self.second, self.both)}
                    # Who asked is told so, or finds that it has been done; once it is done by the other.
                    self.assertEqual(heard[self.both], [200, 409], heard)
                    self.assertTrue(set(heard[self.second]) <= {403, 409}, heard)
                made = first.token("--name", "late", "--right", "ledger:read")
                self.assertTrue(other.wait_until(lambda: other.get("/v1/ledger?kind=token_created", token=made).status == 200))
                kinds = lambda: [r["body"]["token"]["name"] for r in other.get("/v1/ledger?kind=token_created",
                                                                               token=made).json["items"]]
                self.assertTrue(other.wait_until(lambda: "late" in kinds(), 10), kinds)
            first.stop()
            verified = run("ledger", "verify", "--store", database.url(), cwd=self.dir)
            self.assertEqual(verified.code, 0, verified.err)

    def test_a_rule_that_is_none_is_told(self):
        self.write("payment.tenor", PAYMENT)
        for bad in ({"payment": ["requester"]}, {"payment": "requester"}, {"payment": [["a", "a"]]}, {"payment": [[]]},
                    {"payment": [1, 2]}):
            self.write("motet.json", json.dumps({"files": ["payment.tenor"], "distinct": bad}))
            result = run("serve", "--config", "motet.json", "--check-config", cwd=self.dir)
            self.assertEqual(result.code, 1, bad)
            self.assertIn("distinct.payment", result.err)

    def test_a_rule_with_a_slip_is_told_since_it_keeps_nobody_apart(self):
        """By the check as a fault; by the server in its log, as the contract may come later."""
        for bad, said in (({"paymnt": ["requester", "approver"]}, "distinct.paymnt: there is no contract"),
                          ({"payment": [["watcher", "approver"], ["requestor", "approver"]]},
                           "the contract has no persona 'requestor' (did you mean 'requester'?)"),
                          ({"payment": ["payment:requester", "approver"]}, "no persona 'payment:requester'"),
                          ({"payment": ["requester", "watcher"]}, "'watcher' is one of auto_personas")):
            server = self.serve(bad, auto=["payment:watcher"])
            result = run("serve", "--config", "motet.json", "--check-config", cwd=self.dir)
            self.assertEqual((result.code, said in result.err), (1, True), (bad, result.err))
            self.assertTrue(server.logs("warn distinct_unknown"), bad)
            self.assertIn(said, server.log())
            server.stop()
            (self.dir / "serve.err").unlink()


main()
