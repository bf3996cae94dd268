"""FS10: motet store check names everything in a store that its ledger does not say."""
import json
import random
import shutil
import signal

import turnstile
from fleet import Node
from forger import Forger
from harness import SEED, SOAK, SOURCE, Case, main
from load import Load
from postgres import Postgres
from serve import Server

DOOR = """persona clerk
source desk { protocol: manual }
fact open { type: Bool source: desk { path: "open" } }
entity Door { states: [shut, ajar] initial: shut transitions: [(shut, ajar), (ajar, shut)] }
rule may { stratum: 0 when: open produce: verdict allowed { payload: Bool = true } }
operation push { personas: [clerk] require: verdict_present(allowed)
                 effects: [(Door, shut, ajar)] outcomes: [done] error_contract: [precondition_failed] }
"""
PAIR = """persona clerk
persona boss
fact amount { type: Int(min: 0, max: 1000) source: "x.amount" }
entity Left { states: [a, b] initial: a transitions: [(a, b), (b, a)] }
entity Right { states: [x, y] initial: x transitions: [(x, y), (y, x)] }
operation both { personas: [clerk] require: amount <= 10 effects: [(Left, a, b), (Right, x, y)]
                 error_contract: [precondition_failed, persona_rejected] }
flow turn { snapshot: at_initiation entry: go steps: {
  go: OperationStep { op: both persona: clerk outcomes: { success: Terminal(success) }
                      on_failure: Terminate(outcome: failure) } } }
"""
RELAY = """persona first
persona second
entity Box { states: [s0, s1, s2] initial: s0 transitions: [(s0, s1), (s1, s2)] }
operation one { personas: [first] require: true effects: [(Box, s0, s1)] outcomes: [done]
                error_contract: [precondition_failed] }
operation two { personas: [second] require: true effects: [(Box, s1, s2)] outcomes: [done]
                error_contract: [precondition_failed] }
flow pass_on { snapshot: at_initiation entry: one steps: {
  one: OperationStep { op: one persona: first outcomes: { done: two } on_failure: Terminal(failure) }
  two: OperationStep { op: two persona: second outcomes: { done: Terminal(success) }
                       on_failure: Terminal(failure) } } }
"""
# What an owner of the database may do: what must be named, and the statement.
TAMPERINGS = [
    ("index: record .*: subject is ''", "UPDATE ledger SET subject = '' WHERE subject <> ''"),
    ("index: record .*: flow is ''", "UPDATE ledger SET flow = '' WHERE flow <> ''"),
    ("index: record .*: contract is 'other'", "UPDATE ledger SET contract = 'other' WHERE seq = 1"),
    ("index: record 2: kind is 'note'", "UPDATE ledger SET kind = 'note' WHERE seq = 2"),
    ("index: record 3: time is", "UPDATE ledger SET time_ms = time_ms + 1 WHERE seq = 3"),
    ("index: record .*: subject is 'Gate/g9'",
     "UPDATE ledger SET subject = 'Gate/g9' WHERE kind = 'operation'"),
    ("index: record .*: kind is 'note', its body says 'refusal'",
     "UPDATE ledger SET kind = 'note' WHERE kind = 'refusal'"),
    ("index: record .*: contract is 'other', its body says 'door'",
     "UPDATE ledger SET contract = 'other' WHERE kind = 'refusal' AND contract = 'door'"),
    ("index: record .*: flow is 'x', its body says ''",
     "UPDATE ledger SET flow = 'x' WHERE kind = 'refusal' AND contract = 'door'"),
    ("index: record .*: subject is '', which is not",
     "UPDATE ledger SET subject = '' WHERE kind = 'refusal' AND contract = 'pair'"),
    ("index: record .*: subject is 'Left/other', which is not",
     "UPDATE ledger SET subject = 'Left/other' WHERE kind = 'refusal' AND contract = 'pair'"),
    ("index: record .*: time is", "UPDATE ledger SET time_ms = 0 WHERE kind = 'refusal'"),
    ("chain: record .*: it is not as it was written",
     "UPDATE ledger SET body = replace(body, 'clerk', 'clark') WHERE kind = 'refusal'"),
    ("chain: record .*: it is not as it was written",
     "UPDATE ledger SET hash = (SELECT hash FROM ledger WHERE seq = 1) WHERE kind = 'refusal'"),
    ("chain: record .*: it is missing",
     "DELETE FROM ledger WHERE kind = 'refusal' AND contract = 'pair'"),
    ("subjects: Right/r: it does not find record .*, which is about it",
     "DELETE FROM subjects WHERE about = 'Right/r'"),
    ("subjects: Right/forged: it finds record 3, which is not about it",
     "INSERT INTO subjects VALUES ('Right/forged', 3)"),
    ("subjects: Right/r: it finds record 0, which is not about it",
     "INSERT INTO subjects VALUES ('Right/r', 0)"),
    ("subjects: Right/q: it finds record .*, which is not about it",
     "UPDATE subjects SET about = 'Right/q' WHERE about = 'Right/r'"),
    ("subjects: Right/r: it does not find record .*, which is about it",
     "UPDATE subjects SET about = '' WHERE about = 'Right/r'"),
    ("subjects: : it finds record .*, which is not about it",
     "UPDATE subjects SET about = '' WHERE about = 'Right/r'"),
    ("subjects: Right/r: it finds record 9\\d\\d\\d, which is not about it",
     "UPDATE subjects SET place = place + 9000 WHERE about = 'Right/r'"),
    ("subjects: Right/r: it finds queued record 5, which is not about it",
     "INSERT INTO pending_subjects VALUES ('Right/r', 5)"),
    # The column and the row change places: each is found under both still, but one twice.
    ("subjects: Left/l: it does not find record .*, which is about it",
     "UPDATE ledger SET subject = 'Right/r' WHERE subject = 'Left/l' AND kind = 'refusal'"),
    # As records of flows were before they had a subject; those after them had one.
    ("index: record .*: subject is '', which is not",
     "UPDATE ledger SET subject = '' WHERE kind = 'flow_started' AND contract = 'pair'"),
    ("index: record .*: subject is '', which is not",
     "UPDATE ledger SET subject = '' WHERE kind = 'flow_ended' AND contract = 'pair'"),
    ("instances: turnstile Gate/forged: no record created it",
     "INSERT INTO instances SELECT scope, entity, 'forged', state, version, created_ms, updated_ms,"
     " deleted, last_flow, last_operation FROM instances WHERE id = 'g1'"),
    ("instances: turnstile Gate/g1: state is 'gone'",
     "UPDATE instances SET state = 'gone' WHERE id = 'g1'"),
    ("instances: turnstile Gate/g1: version is",
     "UPDATE instances SET version = version + 1 WHERE id = 'g1'"),
    ("instances: turnstile Gate/g1: it is deleted",
     "UPDATE instances SET deleted = 1 WHERE id = 'g1'"),
    ("instances: turnstile Gate/g1: last operation is 'x'",
     "UPDATE instances SET last_operation = 'x' WHERE id = 'g1'"),
    ("instances: door Door/d: last flow is 'x'",
     "UPDATE instances SET last_flow = 'x' WHERE id = 'd'"),
    ("instances: turnstile Gate/g1: it is missing", "DELETE FROM instances WHERE id = 'g1'"),
    ("instances: elsewhere Gate/g1: no record created it",
     "UPDATE instances SET scope = 'elsewhere' WHERE id = 'g1'"),
    ("flows: .*: status is 'waiting'", "UPDATE flows SET status = 'waiting'"),
    ("flows: .*: outcome is 'x'", "UPDATE flows SET outcome = 'x'"),
    ("flows: .*: persona is 'x'", "UPDATE flows SET persona = 'x'"),
    ("flows: .*: version is 'x'", "UPDATE flows SET etag = 'x'"),
    ("flows: .*: bindings are", """UPDATE flows SET bindings = '{"Gate":"g9"}'"""),
    ("flows: .*: facts are", "UPDATE flows SET facts = '{}'"),
    ("flows: .*: initiator is 'x'", "UPDATE flows SET initiator = 'x'"),
    ("flows: .*: the persona it waits for is 'x', record [0-9]+ says ''",
     "UPDATE flows SET waiting_persona = 'x'"),
    ("flows: .*: it is missing", "DELETE FROM flows"),
    ("flows: x.*: no record started it", "UPDATE flows SET id = 'x' || id"),
    ("documents: fact/door/open: value is 'false'",
     "UPDATE docs SET body = replace(body, 'true', 'false') WHERE kind = 'fact'"),
    ("documents: fact/door/open: its expiry is",
     """UPDATE docs SET body = replace(body, '"expires_ms":', '"expires_ms":9') WHERE kind = 'fact'"""),
    ("documents: fact/door/open: it is missing", "DELETE FROM docs WHERE kind = 'fact'"),
    ("documents: fact/door/other: no record made it",
     "UPDATE docs SET id = 'door/other' WHERE kind = 'fact'"),
    ("documents: contract/door/.*: its bundle is another",
     "UPDATE docs SET body = replace(body, 'clerk', 'clark') WHERE kind = 'contract'"),
    ("documents: contract/door/.*: what it is listed under is 'x'",
     "UPDATE docs SET tag = 'x' WHERE kind = 'contract'"),
    ("documents: contract.current/door: the version served is 'x'",
     """UPDATE docs SET body = '{"etag":"x"}' WHERE kind = 'contract.current' AND id = 'door'"""),
    ("documents: contract/door/.*: its number is 7, record .* says 1",
     """UPDATE docs SET body = replace(body, '"number":1', '"number":7') WHERE kind = 'contract'"""),
    ("documents: contract/door/.*: when it was deployed is 91",
     """UPDATE docs SET body = replace(body, '"deployed_ms":1', '"deployed_ms":91') WHERE kind = 'contract'"""),
    ("documents: contract/door/.*: when it was deployed is -",
     """UPDATE docs SET body = replace(body, '"deployed_ms":', '"deployed_ms":-') WHERE kind = 'contract'"""),
    ("signed: checkpoints: 1?[0-9]+ were made, and there are ",
     "DELETE FROM checkpoints WHERE size = (SELECT max(size) FROM checkpoints)"),
    ("signed: note over [0-9]+ records: its checkpoint is missing",
     "DELETE FROM checkpoints WHERE size = (SELECT min(size) FROM checkpoints)"),
    ("signed: checkpoint over [0-9]+ records: its note is missing",
     "DELETE FROM docs WHERE kind = 'ledger.note' AND id ="
     " (SELECT min(id) FROM docs WHERE kind = 'ledger.note' AND id > '00000000000000000001')"),
    ("signed: checkpoints: how many were made is not there any more",
     "DELETE FROM meta WHERE name = 'checkpoints'"),
    ("signed: checkpoints: [0-9]+ were made, and there are [0-9]+",
     "UPDATE meta SET number = number + 1 WHERE name = 'checkpoints'"),
    ("documents: ledger.block/.*: it is not the root",
     # One digit alone is missing in one of sixty hashes; all of five never are.
     "UPDATE docs SET body = replace(replace(replace(replace(replace(body, '1', '0'), '2', '0'), '3', '0'), '4', '0'),"
     " '5', '0') WHERE kind = 'ledger.block'"),
    ("documents: ledger.block/.*: it is missing", "DELETE FROM docs WHERE kind = 'ledger.block'"),
    ("documents: ledger.note/.*: it is not a note",
     "UPDATE docs SET body = 'x' WHERE kind = 'ledger.note'"),
    ("documents: ledger.note/0!: it is a note of another size(.|\n)*ledger.note/00.*: it is not a note",
     "UPDATE docs SET id = CASE WHEN id = (SELECT min(id) FROM docs WHERE kind = 'ledger.note') THEN '0!'"
     " ELSE id END, body = CASE WHEN id = (SELECT max(id) FROM docs WHERE kind = 'ledger.note') THEN 'x'"
     " ELSE body END WHERE kind = 'ledger.note'"),
    ("chain: record 5: it is not as it was written",
     "UPDATE ledger SET body = replace(body, 'a', 'b') WHERE seq = 5"),
    ("chain: record 7: it is missing", "DELETE FROM ledger WHERE seq = 7"),
    ("chain: the end: the head of the chain says", "UPDATE meta SET text = '' WHERE name <> 'schema'"),
]


class StoreCheck(Case):
    def fill(self, store, count=20):
        """Some of everything; the store stays when the server ends."""
        files = [self.write("turnstile.tenor", turnstile.CONTRACT), self.write("door.tenor", DOOR),
                 self.write("pair.tenor", PAIR)]
        self.holds("keygen", "--prefix", "k")
        config = self.write("c.json", json.dumps({"sources": {}}))
        node = Node(self.dir, store, files, ["--config", config, "--signing-key", self.dir / "k.secret",
                                             "--checkpoint-every", "50"])
        self.addCleanup(node.close)
        node.start()
        for entity, letter in (("Gate", "g"), ("Seal", "s")):
            for n in range(4):
                node.post(f"/v1/contracts/turnstile/instances/{entity}", {"id": f"{letter}{n}"})
        load = Load("turnstile", [node.port], 4, count, 4, SEED, self.dir / "answers", seconds=60).start()
        load.join()
        for name in ("d", "e", "gone"):
            self.assertEqual(node.post("/v1/contracts/door/instances/Door", {"id": name})[0], 201)
        self.assertEqual(node.request("PUT", "/v1/contracts/door/facts/open",
                                      {"value": True, "ttl_ms": 600000})[0], 200)
        said = node.post("/v1/contracts/door/operations/push", {"persona": "clerk",
                                                                "bindings": {"Door": "d"}})
        self.assertEqual(said[0], 200, said)
        self.assertEqual(node.request("DELETE", "/v1/contracts/door/instances/Door/gone")[0], 200)
        self.assertEqual(node.post("/v1/contracts/door/operations/push", {
            "persona": "clerk", "bindings": {"Door": "d"}})[0], 409)
        self.fill_pair(node)
        # Beside the running server, too.
        said = self.holds("store", "check", "--store", store).out
        self.assertIn("they agree with the ledger", said)
        self.assertEqual(node.stop(), 0)
        return node

    def fill_pair(self, node):
        """Records about two instances each: refused, a flow, and done."""
        for entity, name in (("Left", "l"), ("Right", "r")):
            self.assertEqual(node.post(f"/v1/contracts/pair/instances/{entity}", {"id": name})[0], 201)
        ask = {"persona": "clerk", "bindings": {"Left": "l", "Right": "r"}}
        for where, amount, status in (("operations/both", 99, 422), ("flows/turn", 5, 200),
                                      ("operations/both", 5, 409)):
            said = node.post(f"/v1/contracts/pair/{where}", {**ask, "facts": {"amount": amount}})
            self.assertEqual(said[0], status, said)

    def differs(self, store, pattern, undo=None):
        result = self.fails(1, "store", "check", "--store", store)
        self.assertRegex(result.out, f"(?m)^{pattern}")
        self.assertRegex(result.out, r"[1-9][0-9]* differences?\n$|chain: ")
        if undo:
            undo()

    def tamper(self, store, rows):
        """Each tampering alone, on a fresh copy of the tables."""
        self.fill(store, 400)  # more than a block of 256 records
        self.holds("store", "check", "--store", store)
        tables = ("ledger", "instances", "flows", "docs", "meta", "subjects", "pending_subjects", "checkpoints")
        with Forger(store) as f:
            f.store.script([(f"CREATE TABLE kept_{t} AS SELECT * FROM {t}", []) for t in tables])
            for pattern, statement in rows:
                with self.subTest(statement):
                    f.store.script([(statement, [])])
                    self.differs(store, pattern)
                    f.store.script([s for t in tables for s in (
                        (f"DELETE FROM {t}", []), (f"INSERT INTO {t} SELECT * FROM kept_{t}", []))])
            self.holds("store", "check", "--store", store)

    def test_FS10_what_was_changed_in_sqlite_is_named(self):
        self.tamper(f"sqlite:{self.dir}/a.db", TAMPERINGS)

    def test_FS10_what_was_changed_in_postgresql_is_named(self):
        rows = list(TAMPERINGS)
        random.Random(SEED).shuffle(rows)
        with Postgres() as server:
            self.tamper(server.url(), rows if SOAK else rows[:9])

    def test_FS10_verify_says_what_it_does_not_check(self):
        self.assertIn("store check", self.holds("help", "ledger", "verify").out)
        self.assertIn("store check", self.holds("help", "backup").out)

    def test_FU2_a_flow_that_was_moved_is_found_and_checked(self):
        """The record of it names its instances, and for whom it waits under the new version."""
        store = f"sqlite:{self.dir}/m.db"
        server = Server(self.dir, self.write("relay.tenor", RELAY), store=store)
        self.addCleanup(server.stop)
        server.start()
        server.post("/v1/contracts/relay/instances/Box", {"id": "b"})
        token = server.token("--name", "t", "--persona", "first", "--right", "deploy")
        self.assertTrue(server.wait_until(lambda: server.get("/v1/contracts").status == 401))
        said = server.post("/v1/contracts/relay/flows/pass_on",
                           {"persona": "first", "bindings": {"Box": "b"}}, token=token)
        self.assertEqual(said.json["status"], "waiting", said)
        said = server.post("/v1/contracts", {"contract": "relay", "policy": "force_migrate",
                                             "source": RELAY + "persona third\n"}, token=token)
        self.assertEqual(said.status, 200, said)
        history = server.get("/v1/contracts/relay/instances/Box/b/history", token=token).json["items"]
        moved = history[-1]["body"]
        self.assertEqual((moved["kind"], moved["step"], moved["persona"]),
                         ("flow_migrated", "two", "second"))
        server.stop()
        self.holds("store", "check", "--store", store)
        with Forger(store) as f:
            f.store.script([("UPDATE flows SET waiting_persona = 'first'", [])])
        self.differs(store, "flows: .*: the persona it waits for is 'first', record .* says 'second'")

    def test_FS10_an_early_start_of_a_flow_cannot_lose_its_instances(self):
        """Before anything else was recorded that only a newer program writes."""
        store = f"sqlite:{self.dir}/early.db"
        server = Server(self.dir, self.write("pair.tenor", PAIR), store=store)
        self.addCleanup(server.stop)
        server.start()
        for entity, name in (("Left", "l"), ("Right", "r")):
            server.post(f"/v1/contracts/pair/instances/{entity}", {"id": name})
        said = server.post("/v1/contracts/pair/flows/turn", {
            "persona": "clerk", "facts": {"amount": 1}, "bindings": {"Left": "l", "Right": "r"}})
        self.assertEqual(said.status, 200, said)
        server.stop()
        self.holds("store", "check", "--store", store)
        with Forger(store) as f:
            f.store.script([("UPDATE ledger SET subject = '' WHERE kind = 'flow_started'", []),
                            ("DELETE FROM subjects", [])])
            self.differs(store, "index: record .*: subject is '', which is not")

    def test_FS10_a_migration_that_was_changed_is_named(self):
        """Which states are gone and where instances go is decided once, by who deploys."""
        store = f"sqlite:{self.dir}/m.db"
        states = "entity Doc {{ states: [{}] initial: draft transitions: [{}] }}\npersona clerk\n"
        server = Server(self.dir, self.write("office.tenor", states.format(
            "draft, review, sent", "(draft, review), (draft, sent)")), store=store)
        self.addCleanup(server.stop)
        server.start()
        after = {"contract": "office", "policy": "blue_green", "state_map": {"Doc": {"review": "sent"}},
                 "source": states.format("draft, sent", "(draft, sent)")}
        said = server.post("/v1/contracts", after)
        self.assertEqual(said.status, 200, said)
        server.stop()
        self.holds("store", "check", "--store", store)
        shutil.copy(self.dir / "m.db", self.dir / "kept.db")
        for pattern, statement in (
                ("removed is '{}', record .* says '{\"Doc\"", """replace(body, '"Doc":["review"]', '')"""),
                ("state_map is", """replace(body, '"review":"sent"', '"review":"draft"')"""),
                ("status is", """replace(body, '"complete"', '"migrating"')"""),
                ("policy is", """replace(body, 'blue_green', 'abort')"""),
                ("from is", """replace(body, '"from":"', '"from":"0')"""),
                ("to is", """replace(body, '"to":"', '"to":"0')"""),
                ("when it began is", """replace(body, '"started_ms":1', '"started_ms":2')"""),
                ("it cannot be read", "'x'")):
            with self.subTest(pattern):
                with Forger(store) as f:
                    f.store.script([(f"UPDATE docs SET body = {statement} WHERE kind = 'migration'", [])])
                self.differs(store, f"documents: migration/office: {pattern}")
                shutil.copy(self.dir / "kept.db", self.dir / "m.db")
        for statement, pattern in (("DELETE FROM docs WHERE kind = 'migration'", "it is missing"),
                                   ("UPDATE docs SET id = 'x' WHERE kind = 'migration'", "it is missing")):
            with Forger(store) as f:
                f.store.script([(statement, [])])
            self.differs(store, f"documents: migration/office: {pattern}")
            shutil.copy(self.dir / "kept.db", self.dir / "m.db")
        self.holds("store", "check", "--store", store)

    def test_FS10_a_store_that_was_killed_handed_over_and_copied_agrees(self):
        """Nothing is named that is in order: checkpoints and notes after kills, another key and another name of the log,
        and in a copy."""
        store = f"sqlite:{self.dir}/k.db"
        path = self.write("pair.tenor", PAIR)
        for name in ("one", "two"):
            self.holds("keygen", "--prefix", name)
        for n, options in enumerate((["--signing-key", "one.secret"],
                                     ["--signing-key", "two.secret", "--previous-signing-key", "one.secret"],
                                     ["--signing-key", "two.secret", "--origin", "log.example/x"])):
            for how in (signal.SIGKILL, signal.SIGTERM):
                server = Server(self.dir, path, store=store, options=[*options, "--checkpoint-every", "3"])
                self.addCleanup(server.stop, signal.SIGKILL)
                server.start()
                for i in range(10):
                    server.post("/v1/contracts/pair/instances/Left", {"id": f"{n}{how}{i}"})
                self.holds("store", "check", "--store", store)
                server.stop(how)
                self.holds("store", "check", "--store", store)
        self.holds("backup", "--store", store, "--out", "copy")
        self.holds("restore", "copy", "--store", "sqlite:again.db")
        self.holds("store", "check", "--store", "sqlite:again.db")

    def test_FS10_what_is_not_covered_is_said(self):
        """The hash of a token's secret is in no record; the page says so in one sentence."""
        page = (SOURCE / "docs" / "witness.md").read_text()
        self.assertIn("who can write to the database can put the hash of a secret of his own", " ".join(page.split()))

    def test_a_system_shares_its_entities(self):
        platform = SOURCE / "examples" / "trade_platform"
        node = Node(self.dir, f"sqlite:{self.dir}/s.db", [next(platform.glob("*platform*.tenor"))])
        self.addCleanup(node.close)
        node.start()
        contracts = [c["id"] for c in node.get("/v1/contracts")[1]["items"]]
        self.assertGreater(len(contracts), 1)
        made = 0
        for contract in contracts:
            manifest = node.get(f"/v1/contracts/{contract}/.well-known/tenor")[1]
            for c in manifest["bundle"]["constructs"]:
                if c["kind"] == "Entity":
                    made += node.post(f"/v1/contracts/{contract}/instances/{c['id']}",
                                      {"id": f"of-{contract}"})[0] == 201
        self.assertGreater(made, 1)
        self.holds("store", "check", "--store", f"sqlite:{self.dir}/s.db")
        node.stop()

    def test_json_lines(self):
        store = f"sqlite:{self.dir}/a.db"
        self.fill(store)
        self.assertTrue(json.loads(self.holds("store", "check", "--store", store, "--json").out)["agrees"])
        with Forger(store) as f:
            f.store.script([("UPDATE instances SET state = 'x' WHERE id = 'e'", [])])
        lines = [json.loads(line) for line in
                 self.fails(1, "store", "check", "--store", store, "--json").out.splitlines()]
        self.assertEqual((lines[0]["part"], lines[0]["name"]), ("instances", "door Door/e"))
        self.assertEqual((lines[-1]["agrees"], lines[-1]["differences"]), (False, 1))

    def test_what_somebody_wrote_into_the_store_commands_no_terminal(self):
        store = f"sqlite:{self.dir}/a.db"
        self.fill(store)
        with Forger(store) as f:
            f.store.script([("UPDATE instances SET state = 'x' || char(27) || '[2J' WHERE id = 'e'", []),
                            ("INSERT INTO subjects VALUES ('Door/' || char(27) || '[31m' || char(10), 3)", [])])
        told = self.fails(1, "store", "check", "--store", store).out
        self.assertNotIn("\x1b", told)
        self.assertIn("[2J", told)
        self.assertEqual(told.count("\n"), 3, told)

    def test_the_world_and_wrong_use(self):
        self.fails(3, "store", "check", "--store", "sqlite:nothing.db")
        self.fails(2, "store", "check", "more")
        self.fails(2, "store", "check", "--tmp")
        store = f"sqlite:{self.dir}/a.db"
        self.fill(store)
        self.assertIn("no directory", self.fails(3, "store", "check", "--store", store, "--tmp",
                                                 "/nowhere").err)
        (self.dir / "tmp").mkdir()
        self.holds("store", "check", "--store", store, "--tmp", self.dir / "tmp")
        self.assertEqual(list((self.dir / "tmp").iterdir()), [])


if __name__ == "__main__":
    main()
