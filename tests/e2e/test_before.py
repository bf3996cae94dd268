"""Files made before src/ changed: they are read, and made again byte for byte.

The files and how they were made are in tests/golden/before and before.py. Each test of what
is read also alters what it reads and expects that to be found."""
import contextlib
import difflib
import hashlib
import json
import re
import shutil
import sqlite3

import before
from before import BEFORE, HEARD, MAIN, SECOND, alter, files, fill, gauge, place, read, walk
from harness import SANITIZED, SEED, SOURCE, Case, main
from serve import Server

MADE, KEPT = BEFORE / "made", BEFORE / "kept"
CROSSOVER = ("--graph", "crossover/crossover.yaml", "--adapter", "crossover/adapter.yaml")
GAUGE = ("--graph", "gauge/graph.yaml", "--adapter", "gauge/adapter.yaml")


def underived(text):
    """Without types of Decimals that the elaborator derives: it writes more of them now (FL10)."""
    return re.sub(r',?"(comparison_type|result_type)":\{"base":"Decimal","precision":\d+,"scale":\d+\}', "", text)


# Of the day that before.py tells: as whom somebody drove the flows, and what was refused.
ASKED_AS = ["seller", "seller", "seller", "clerk", "clerk", "clerk", "boss", None, "admin", "warehouse_ops"]
REFUSED = [("escrow", "EscrowAccount/acc-4", "flag_dispute", "invalid_source_state")]
LATER = re.compile(r"CREATE TABLE (pending_)?subjects |INSERT INTO \"((pending_)?subjects|ledger)\" |"
                   r"INSERT INTO \"(docs|stamps)\" VALUES\('(ledger\.note|graph_due)'")


def statements(text):
    """Of a dump: the statements, but for the ledger and what came later, each looked at by
    itself. A value may have several lines."""
    parts = re.split(r"\n(?=CREATE |INSERT |COMMIT|BEGIN)", text)
    return [part for part in parts if not LATER.match(part)]


def is_new(kind):
    """What is told now and was not: what was refused, and what happened to tokens."""
    return kind == "refusal" or kind.startswith("token_")


def unadorned(body):
    """As it was: without how its caller is known, and how many records there are."""
    caller = {k: v for k, v in body.get("caller", {}).items() if k not in ("actor", "known_by")}
    accepted = {k: v for k, v in body.get("accepted", {}).items() if k != "size"}
    outcomes = [{k: v for k, v in one.items() if k != "path"} for one in body.get("outcomes", [])]
    return {**{k: v for k, v in body.items() if k != "asked_as"}, **({"caller": caller} if caller else {}),
            **({"accepted": accepted} if accepted else {}), **({"outcomes": outcomes} if outcomes else {})}


def unnamed(text):
    """Without the names of nodes, which outcomes have now, and the places of scenarios."""
    text = re.sub(r'("outcome":"\w+"),"path":"[\w/]+"', r"\1", text)
    return re.sub(r'\n +"column": \d+,\n +"line": \d+,(?=\n +"name": )', "", text)


def unpainted(text):
    """A picture without what nodes said, which is painted otherwise now: below two lines of a label and at the
    end of a tooltip, in lines and marks."""
    picture = json.loads(text)
    for thing in picture["nodes"] + picture["edges"]:
        for key in ("seen", "faded", "line"):
            thing.pop(key, None)
        thing["label"] = "\n".join(thing["label"].split("\n")[:2])
        thing["tooltip"] = re.sub(r"\n\w+: .*", "", thing["tooltip"])
    return json.dumps(picture)


def query(path, sql):
    with contextlib.closing(sqlite3.connect(path)) as db:
        return db.execute(sql).fetchall()


class Today:
    """What the ledger of before would be if it were written today. Operations are found by
    every instance they change without a record more (effect); flows by all that they bind, which
    their later records say, too; what was refused and what happened to tokens is told; a deployment
    tells which states it removed; a record has one number, its place, where answers had one more."""

    def __init__(self, old, new):
        self.bound = {id: json.loads(text) for id, text in
                      query(old, "SELECT id, bindings FROM flows")}
        self.migrations = {id: json.loads(text) for id, text in
                           query(old, "SELECT id, body FROM docs WHERE kind = 'migration'")}
        self.rows, self.found, self.numbers = [], set(), {}
        self.new = [(*row[:6], json.loads(row[6])) for row in query(
            new, "SELECT seq, id, kind, contract, flow, subject, body FROM ledger ORDER BY seq")]
        self.refusals = [row for row in self.new if row[2] == "refusal"]
        self.places = [row[0] for row in self.new if not is_new(row[2])]
        for seq, kind, contract, flow, subject, body in query(
                old, "SELECT seq, kind, contract, flow, subject, body FROM ledger ORDER BY seq"):
            if kind != "effect":
                self.take(seq, kind, contract, flow, subject, json.loads(body))

    def take(self, seq, kind, contract, flow, subject, body):
        about = [subject] if subject else []
        if kind in ("flow_started", "flow_waiting", "flow_ended"):
            about = [f"{entity}/{id}" for entity, id in self.bound[flow].items()]
            body["bindings"] = self.bound[flow]
        if kind == "contract_deployed" and "from" in body:
            body["removed"] = self.migrations[contract]["removed"]
        if kind == "operation":
            after = body["provenance"]["state_after"]
            about += sorted({f"{entity}/{id}" for entity in after for id in after[entity]} - {subject})
        if kind == "shadow" and "of" in body:
            body["of"] = self.numbers[body["of"]]
        place = self.places[len(self.rows)] if len(self.rows) < len(self.places) else None
        self.numbers[seq + 1] = place
        self.found |= {(one, place) for one in about[1:]}
        self.rows.append((kind, contract, flow, about[0] if about else "", body))

    def lines(self, rows):
        return before.scrub("\n".join(f"{kind} {contract} {flow} {subject} {json.dumps(body, sort_keys=True)}"
                                      for kind, contract, flow, subject, body in rows)).splitlines()


class Made(Case):
    def test_every_command_says_and_writes_the_bytes_it_did(self):
        before.made(self.dir / "work", self.dir / "made")
        old, new = files(MADE), files(self.dir / "made")
        self.assertEqual(sorted(new), sorted(old))
        self.assertGreater(len(old), 150)
        for name in old:
            with self.subTest(name):
                if name == "graph/render.json":
                    self.assertEqual(unpainted(new[name]), unpainted(old[name]))
                elif new[name] != old[name]:
                    self.assertEqual(unnamed(new[name].decode()), old[name].decode())

    def test_every_contract_of_the_language_gives_the_bytes_it_did(self):
        lines = (KEPT / "language.digests").read_text().splitlines(keepends=True)
        self.assertGreater(len(lines), 400)
        # Sanitizers see some of them; a process for each takes long.
        lines = lines[SEED % 16::16] if SANITIZED else lines
        there = [line for line in lines
                 if (SOURCE / "tests" / "language" / line.split()[2]).is_dir()]
        changed = 0
        for old, new in zip(there, before.languages([line.split()[2] for line in there])):
            if new.split()[0] != old.split()[0]:
                changed += 1  # other texts, so another answer: not of before any more
                continue
            with self.subTest(old.split()[2]):
                self.assertEqual(new, old)
        self.assertGreater(len(there) - changed, len(lines) * 9 // 10, "hardly any is of before")

    def test_the_same_day_at_a_server_leaves_the_same_store(self):
        place(self.dir)
        before.converse(self.dir)
        fill(self.dir / "old.db", (KEPT / "main.sql").read_text())
        today = Today(self.dir / "old.db", self.dir / "main.db")
        self.the_same_ledger(today)
        self.the_same_tables(today)

    def the_same_ledger(self, today):
        """Record by record, with everything that a record is found by."""
        # Tokens were made before the server began, which deployed first: they were queued.
        self.assertEqual([seq for seq, *_ in today.new], list(range(len(today.new))))
        self.assertEqual({id for _, id, *_ in today.new}, set(range(1, len(today.new) + 1)))
        ids = [row[1] for row in today.new if not row[2].startswith("token_")]
        self.assertEqual(ids, sorted(ids))
        told = [(*row[2:6], unadorned(row[6])) for row in today.new if not is_new(row[2])]
        was = [(*row[:4], unadorned(row[4])) for row in today.rows]
        self.assertGreater(len(was), 80)
        self.assertEqual("\n".join(difflib.unified_diff(today.lines(was), today.lines(told), n=0)), "")
        later = ("flow_waiting", "flow_ended")
        self.assertEqual([row[6].get("asked_as") for row in today.new if row[2] in later], ASKED_AS)
        self.assertFalse([row for row in today.new if row[2] not in later and "asked_as" in row[6]])
        self.assertEqual([(row[3], row[5], row[6].get("operation"), row[6]["refusal"]["code"])
                          for row in today.refusals], REFUSED)
        found = set(query(self.dir / "main.db", "SELECT about, place FROM subjects"))
        for number, _, _, _, _, subject, body in today.refusals:
            today.found |= {(f"{entity}/{id}", number) for entity, id in body["bindings"].items()
                            if f"{entity}/{id}" != subject}
        self.assertEqual(found, today.found)
        self.assertGreater(len(found), 8)
        self.assertEqual(query(self.dir / "main.db", "SELECT * FROM pending_subjects"), [])

    def the_same_tables(self, today):
        """Everything else, statement by statement: numbers of records are the new ones."""
        old = before.dump(self.dir / "old.db").replace("VALUES('schema',1,", "VALUES('schema',2,")
        new = before.dump(self.dir / "main.db")
        self.assertIn("VALUES('schema',2,", new)
        number = lambda m: f'{m[1]}"record":{today.numbers[int(m[2])]}'
        old, count = re.subn(r'(?m)^(INSERT INTO "answers" .*)"record":(\d+)', number, old)
        self.assertGreater(count, 3)
        for seq, *_, body in today.refusals:  # an answer that was kept names the record of its refusal
            old, count = re.subn(rf"""^(INSERT INTO "answers" [^\n]*"code":"{body['refusal']['code']}"[^\n]*)}}',(\d+)""",
                                 rf"""\1,"record":{seq}}}',\2""", old, flags=re.M)
            self.assertEqual(count, 1)
        new = re.sub(r'"actor":0,|"expired_ms":0,|"grammar":2,', "", new)  # tokens have a grammar of rights
        old, new = (before.scrub(underived("\n".join(statements(text)))).splitlines() for text in (old, new))
        self.assertGreater(len(old), 100)
        self.assertEqual("\n".join(difflib.unified_diff(old, new, n=0)), "")
        # A note is of a checkpoint.
        sizes = {size for size, in query(self.dir / "main.db", "SELECT size FROM checkpoints")}
        notes = {int(id) for id, in query(self.dir / "main.db", "SELECT id FROM docs WHERE kind = 'ledger.note'")}
        self.assertTrue(notes and notes <= sizes, (notes, sizes))


class Read(Case):
    def setUp(self):
        super().setUp()
        place(self.dir, KEPT)
        shutil.copytree(MADE, self.dir / "made")

    def alter(self, name, old, new):
        alter(self.dir / name, old.encode(), new.encode())

    def same(self, name, *words, code=0):
        """The command says what the file of this name has."""
        result = self.run_motet(*words)
        self.assertEqual(result.code, code, repr(result))
        self.assertEqual(result.out, (MADE / name).read_text())

    def test_bundles_and_manifests_are_valid_and_load(self):
        found = sorted((MADE / "bundle").rglob("*.json"))
        self.assertGreaterEqual(len(found), 12)
        for path in found:
            with self.subTest(path.name):
                self.holds("validate", path)
                if path.stem not in ("escrow", "escrow.compact"):
                    continue
                self.same("bundle/escrow.json", "elaborate", path)
        for bundle in ("bundle/escrow.json", "bundle/escrow.manifest.json",
                       "bundle/escrow.compact.json", "trust/escrow.signed.json"):
            with self.subTest(bundle):
                path = f"made/{bundle}"
                for size in ("small", "large"):
                    self.same(f"eval/{size}.json", "eval", path, "--facts",
                              f"escrow/{size}.json", "--json")
                    self.same(f"eval/{size}.flow.json", "eval", path, "--facts",
                              f"escrow/{size}.json", "--json", "--flow", "standard_release",
                              "--persona", "seller")
        self.holds("diff", "made/bundle/escrow.manifest.json", "escrow/escrow.tenor")
        self.alter("made/bundle/escrow.manifest.json", "refunded", "refunted")
        self.fails(1, "validate", "made/bundle/escrow.manifest.json")

    def test_an_attested_contract_is_verified(self):
        signed = ("verify", "made/trust/escrow.signed.json", "--pubkey", "keys/test-only.pub",
                  "--domain", "before.example")
        self.holds(*signed)
        self.alter("made/trust/escrow.signed.json", "refunded", "refunted")
        self.fails(1, *signed)

    def test_captures_journals_and_traces_are_replayed(self):
        key = (self.dir / "keys" / "test-only-agent.pub").read_text().strip()
        answers = json.loads((KEPT / "answers.json").read_text())
        for path, (_, body) in answers.items():
            if "/captures/" in path:
                self.write(path.rsplit("/", 1)[1], body)
        self.assertIn('"carried"', (self.dir / "gauge.000002").read_text())
        captures = [(("made/graph/capture.json", *CROSSOVER, "--key", key), '"Series":[1.08492]'),
                    (("made/graph/traced.json", *CROSSOVER), '"Series":[1.08492]'),
                    (("made/graph/exported.json", *CROSSOVER), '1.08514'),
                    (("made/graph/stopped.journal", *CROSSOVER), '1.08514'),
                    (("made/graph/gauge.capture.json", *GAUGE), '"Number":2.0'),
                    (("crossover.000001", *CROSSOVER), '"Series":[1.08492]'),
                    (("gauge.000001", *GAUGE), '"Number":1.0'),
                    (("gauge.000002", *GAUGE), '"Number":2.0')]
        for words, part in captures:
            with self.subTest(words[0]):
                self.holds("graph", "replay", *words)
                self.alter(words[0], part, part.replace("1.0", "7.0").replace("2.0", "7.0"))
                self.fails(1, "graph", "replay", *words)
        # What the nodes said is compared with the trace beside the capture.
        shutil.copytree(MADE / "graph", self.dir / "again")
        self.alter("again/traced.json.trace.jsonl", "1.08492", "1.08493")
        self.fails(1, "graph", "replay", "again/traced.json", *CROSSOVER)

    def test_a_run_goes_on_with_the_journal_of_another(self):
        rows = (MADE / "graph" / "prices.jsonl").read_text().splitlines(keepends=True)
        self.write("prices.jsonl", "".join(rows[:37]))
        run = ("graph", "run", "crossover/crossover.yaml", "--adapter", "crossover/adapter.yaml",
               "--egress", "egress.yaml", "--fixture", "prices.jsonl", "--capture", "r.json",
               "--resume")
        journal = (MADE / "graph" / "stopped.journal").read_text()
        self.write("r.json.journal", journal.replace("1.08514", "1.08515", 1))
        self.fails(1, *run)
        self.write("r.json.journal", journal)
        self.holds(*run)
        self.assertEqual((self.dir / "r.json.sum").read_text(),
                         (MADE / "graph" / "resumed.json.sum").read_text())

    def test_agents_documents_and_traces_are_read(self):
        key = (self.dir / "keys" / "test-only-agent.pub").read_text().strip()
        pin = (MADE / "agent" / "buyer.pin").read_text().strip()
        signed = ("agent", "dna", "verify", "made/agent/dna.signed.json", "--key", key, "--pin",
                  pin, "--version", "1.2.3")
        self.holds(*signed)
        for name in before.AGENTS:
            with self.subTest(name):
                document = f"made/agent/{name}.dna.json"
                self.holds("agent", "dna", "validate", document)
                self.same(f"agent/{name}.pin", "agent", "dna", "pin", document)
                self.assertEqual(self.holds("agent", "dna", "diff", document,
                                            f"agents/{name}.yaml").out, "")
        self.holds("agent", "dna", "validate", "made/agent/buyer.sdk.json")
        for name in before.SCENARIOS:
            with self.subTest(name):
                self.write("now.jsonl", self.holds("agent", "trace",
                                                   f"agents/{name}.scenario.yaml").out)
                self.holds("agent", "compare", "now.jsonl", f"made/agent/{name}.jsonl")
                self.alter(f"made/agent/{name}.jsonl", '"activated":["', '"activated":["un')
                self.fails(1, "agent", "compare", "now.jsonl", f"made/agent/{name}.jsonl")
        self.alter("made/agent/dna.signed.json", "MOVE", "STAY")
        self.fails(1, *signed)
        self.alter("made/agent/buyer.dna.json", "bidding", "bedding")
        self.assertNotEqual(self.holds("agent", "dna", "pin", "made/agent/buyer.dna.json").out.strip(), pin)

    def test_a_walker_goes_on_where_it_died(self):
        shutil.copy(KEPT / "walker.state", self.dir / "other.state")
        (self.dir / "other.state").chmod(0o600)
        # The first was kept and never sent.
        self.assertEqual(walk(self.dir, "kept/walker.state", 3, go_on=1),
                         [{"at": at, "steps": n} for n, at in ((4, "B"), (5, "C"), (6, "A"), (7, "B"))])
        self.alter("other.state", '{"steps":2}', '{"steps":3}')
        self.assertIn("does not verify", self.fails(
            3, "agent", "run", before.WALKER, "--connect", "127.0.0.1:1", "--state",
            "other.state").err)

    def test_a_ledger_and_its_proofs_are_verified(self):
        memory = (KEPT / "signer.memory").read_text().splitlines(keepends=True)[0]
        self.write("memory.json", memory)
        self.assertEqual(memory.strip(), (MADE / "ledger" / "checkpoint.json").read_text().strip())
        ledger = ("ledger", "verify", "kept/ledger.jsonl", "--key", "keys/test-only.pub",
                  "--domain", "before.example", "--checkpoint", "memory.json")
        self.holds(*ledger)
        proof = ("ledger", "verify", "--proof", "made/ledger/inclusion.json", "--checkpoint",
                 "memory.json", "--key", "keys/test-only-second.pub")
        self.holds(*proof)
        self.alter("made/ledger/inclusion.json", '"hashes":["', '"hashes":["0')
        self.fails(1, *proof)
        lines = (KEPT / "ledger.jsonl").read_text().splitlines(keepends=True)
        sizes = [json.loads(line)["checkpoint"]["size"] for line in lines if line.startswith('{"checkpoint"')]
        for size in sizes[:-1]:
            self.write("earlier.json", self.holds("ledger", "export", "kept/ledger.jsonl",
                                                  "--checkpoint", size).out)
            self.write("growth.json", self.holds("ledger", "prove", "kept/ledger.jsonl", "--from",
                                                 size).out)
            self.holds("ledger", "verify", "--proof", "growth.json", "--checkpoint",
                       "earlier.json", "--checkpoint", "memory.json")
        self.alter("kept/ledger.jsonl", '"outcome":"success"', '"outcome":"failure"')
        self.assertIn("a record was changed", self.fails(1, *ledger).err)

    def test_a_copy_of_a_store_is_restored(self):
        self.holds("backup", "--check", "kept/shop.backup")
        self.holds("restore", "kept/shop.backup", "--store", "sqlite:new.db")
        self.holds("ledger", "verify", "--store", "sqlite:new.db")
        self.holds("backup", "--store", "sqlite:new.db", "--out", "again.backup")
        # The first line has the number of the schema, the last a digest of all before it.
        again, was = ((path / name).read_bytes().splitlines(keepends=True)
                      for path, name in ((self.dir, "again.backup"), (KEPT, "shop.backup")))
        self.assertEqual(again[0], was[0].replace(b'"schema":1}', b'"schema":2}'))
        self.assertEqual(again[1:-1], was[1:-1])
        self.assertEqual(json.loads(again[-1]), {"rows": json.loads(was[-1])["rows"], "sha256":
                                                 hashlib.sha256(b"".join(again[:-1])).hexdigest()})
        self.alter("kept/shop.backup", '"paid"', '"sent"')
        self.fails(1, "backup", "--check", "kept/shop.backup")
        self.fails(1, "restore", "kept/shop.backup", "--store", "sqlite:other.db")


class Stores(Case):
    def setUp(self):
        super().setUp()
        place(self.dir, KEPT)
        fill(self.dir / "main.db", (KEPT / "main.sql").read_text())
        self.memory = self.dir / "keys" / "test-only-second.secret.memory"
        shutil.copy(KEPT / "signer.memory", self.memory)
        self.memory.chmod(0o600)
        self.tokens = json.loads((KEPT / "tokens.json").read_text())
        self.ids = json.loads((KEPT / "ids.json").read_text())

    def server(self):
        return Server(self.dir, store=MAIN, options=SECOND)

    def post(self, server, path, body, status=200, token="admin", key=None):
        answer = server.post(path, body, token=self.tokens[token],
                             headers={"Idempotency-Key": key} if key else None)
        self.assertEqual(answer.status, status, answer)
        return answer

    def records(self):
        """The lines of the ledger that are records."""
        text = self.holds("ledger", "export", "--store", MAIN).out
        return [line for line in text.splitlines() if line.startswith('{"body"')]

    def verify(self, code=0):
        """The ledger goes on from what was signed before."""
        self.write("signed.json", (KEPT / "signer.memory").read_text().splitlines()[0])
        result = self.run_motet("ledger", "verify", "--store", MAIN, "--key",
                                "keys/test-only.pub", "--checkpoint", "signed.json")
        self.assertEqual(result.code, code, repr(result))
        return result

    def test_a_server_says_of_the_store_what_it_said(self):
        self.verify()
        with self.server() as server:
            said = read(server, self.tokens["admin"])
            # A record had two numbers then, a place (seq) and an id one larger (FU9).
            old = json.loads(re.sub(r',\\"id\\":\d+,\\"seq\\"', r',\\"seq\\"',
                                    (KEPT / "answers.json").read_text()))
            old["/v1/ledger/2/proof"] = old.pop("/v1/ledger/3/proof", None)
            self.assertEqual(sorted(said), sorted(old))
            for path in old:
                with self.subTest(path):
                    self.assertEqual(said[path], old[path])
            for token, status in (("reader", 200), ("boss", 403), ("revoked", 401)):
                self.assertEqual(server.get("/v1/ledger", token=self.tokens[token]).status, status)
        listed = json.loads(self.holds("token", "list", "--store", MAIN, "--json").out)["tokens"]
        self.assertEqual({row["name"]: row["state"] for row in listed},
                         {"boss": "good", "gone": "revoked", "operator": "good", "reader": "good",
                          "who decides": "good"})

    def test_FS10_a_store_of_before_agrees_with_its_ledger(self):
        """As it was kept, brought up to date, and after it went on; what is changed is found."""
        check = ("store", "check", "--store", MAIN)
        self.assertEqual(query(self.dir / "main.db", "SELECT number FROM meta WHERE name = 'schema'"), [(1,)])
        self.holds(*check)
        with self.server() as server:
            self.flows_go_on(server)
        self.assertEqual(query(self.dir / "main.db", "SELECT number FROM meta WHERE name = 'schema'"), [(2,)])
        self.holds(*check)
        self.assertGreater(len(query(self.dir / "main.db", "SELECT * FROM subjects")), 2)
        # The instance that is found through a record of its own (effect) needs no row.
        number, = query(self.dir / "main.db", "SELECT seq - 1 FROM ledger WHERE kind = 'effect'")[0]
        for sql, words in (
                (f"INSERT INTO subjects VALUES ('Order/o-1', {number})",
                 f"subjects: Order/o-1: it finds record {number}, which is not about it"),
                ("DELETE FROM subjects", "it does not find record")):
            fill(self.dir / "main.db", sql + ";")
            self.assertIn(words, self.fails(1, *check).out)

    def test_everything_goes_on_and_the_chain_with_it(self):
        old = self.records()
        with self.server() as server:
            self.flows_go_on(server)
            self.answers_are_remembered(server)
            self.the_migration_ends(server)
            self.graphs_go_on(server)
            self.agents_go_on(server)
        new = self.records()
        self.assertEqual(new[:len(old)], old)
        kinds = [json.loads(line)["body"]["kind"] for line in new[len(old):]]
        self.assertEqual(kinds.count("flow_ended"), 3, kinds)
        for kind in ("operation", "episode", "agent_cycle", "instance_migrated", "migration"):
            self.assertIn(kind, kinds)
        self.assertIn(f"verified: {len(new)} records", self.verify().out)

    def flows_go_on(self, server):
        def resume(name, token, **body):
            return self.post(server, f"/v1/flows/{self.ids[name]}/resume", body, token=token).json
        done = resume("waiting", "second")
        self.assertEqual((done["status"], done["outcome"]), ("done", "success"))
        path = f"/v1/flows/{self.ids['one']}/resume"
        self.assertEqual(self.post(server, path, {}, 409, "second").json["outcomes"],
                         ["accepted", "declined"])
        done = resume("one", "second", outcome="declined")
        self.assertEqual((done["status"], done["outcome"]), ("done", "refused"))
        # This one is inside of its branches: first the parcel, then the bill.
        waits = resume("two", "admin")
        self.assertEqual((waits["status"], waits["waiting"]["persona"]), ("waiting", "auditor"))
        done = resume("two", "second")
        self.assertEqual((done["status"], done["outcome"]), ("done", "success"))
        states = {(row["entity"], row["id"]): row["state"] for row in server.get(
            "/v1/contracts/wide/instances", token=self.tokens["admin"]).json["items"]}
        self.assertEqual(states["Bill", "w-two"], "written")
        self.assertEqual(states["Parcel", "w-two"], "sent")
        self.assertEqual(states["Order", "w-one"], "refused")

    def answers_are_remembered(self, server):
        path = "/v1/contracts/escrow/instances/EscrowAccount"
        answer = self.post(server, path, {"id": "acc-1"}, 201, key="create-1")
        self.assertEqual(answer.headers["Idempotency-Replayed"], "true")
        self.assertEqual(answer.json["state"], "held")
        self.post(server, path, {"id": "acc-2"}, 422, key="create-1")
        self.post(server, path, {"id": "acc-5"}, 409)  # deleted, and its id is used for good

    def the_migration_ends(self, server):
        self.post(server, "/v1/contracts/escrow/migration/complete", {}, 409)
        ended = self.post(server, "/v1/contracts/escrow/migration/complete",
                          {"state_map": {"EscrowAccount": {"disputed": "frozen"}}}).json
        self.assertEqual((ended["status"], ended["instances"]["moved"]), ("complete", 1))

    def graphs_go_on(self, server):
        path = "/v1/graphs/gauge/events"
        for id in ("e1", "e4"):
            self.assertEqual(self.post(server, path, gauge(id, "DataAvailable", 9, 40.0), 422)
                             .json["reason"], "host.duplicate_event_id")
        # Two events were deferred by another capture; each runs with a Pump.
        decisions = [self.post(server, path, gauge(f"p{n}", "Pump", n * 10000, 40.0)).json["decision"]
                     for n in (1, 2, 3)]
        self.assertEqual(decisions, ["Invoke", "Invoke", "Defer"])
        for event in list(before.prices(self.dir, 14))[12:]:
            self.post(server, "/v1/graphs/crossover/events", event)
        for name, words in (("gauge.000001", GAUGE), ("gauge.000002", GAUGE),
                            ("crossover.000001", CROSSOVER)):
            body = server.get(f"/v1/graphs/{name.split('.')[0]}/captures/{name}",
                              token=self.tokens["admin"]).body
            self.write("c.json", body)
            self.holds("graph", "replay", "c.json", *words)

    def agents_go_on(self, server):
        for name, heard in HEARD.items():
            trace = [json.loads(line) for line in
                     (MADE / "agent" / f"{name}.jsonl").read_text().splitlines()]
            fourth = next(line for line in trace if line.get("number") == 4)
            cycle = self.post(server, f"/v1/agents/{name}/messages", heard[3]).json["cycle"]
            for part in ("tape_before", "tape_after", "delta", "receivers", "senders"):
                self.assertEqual(cycle[part], fourth[part], (name, part))

    def test_a_trigger_that_waited_is_delivered(self):
        fill(self.dir / "shop" / "shop.db", (KEPT / "shop.sql").read_text())
        fill(self.dir / "shop" / "books.db",
             "CREATE TABLE stock (items INTEGER); INSERT INTO stock VALUES (3);")
        order = "/v1/contracts/store/instances/Order/o-1"
        with Server(self.dir / "shop", store="sqlite:shop.db",
                    options=("--config", "serve.yaml")) as server:
            self.assertTrue(server.wait_until(lambda: server.get(order).json["state"] == "sent", 20),
                            server.get("/v1/systems/shop/triggers"))
            rows = server.get("/v1/systems/shop/triggers").json["items"]
            self.assertEqual([row["status"] for row in rows], ["done"])
            facts = server.get("/v1/ledger?kind=flow_started&contract=store").json["items"][0]["body"]["facts"]
            self.assertEqual([(f["adapter_id"], f["value"]) for f in facts], [("motet.sqlite", 3)])
        self.holds("ledger", "verify", "--store", "sqlite:shop/shop.db")

    def test_a_key_signs_only_what_its_memory_of_before_knows(self):
        self.memory.write_text(self.memory.read_text().replace('"size":', '"size":1'))
        with self.server() as server:
            self.assertEqual(server.get("/readyz").status, 503)
        shutil.copy(KEPT / "signer.memory", self.memory)
        fill(self.dir / "main.db", "UPDATE ledger SET body = replace(body, 'operator', 'operater') WHERE seq = 20;")
        with self.server() as server:
            self.assertEqual(server.get("/readyz").status, 503)
        self.assertIn("a record was changed", self.verify(1).err)

    def test_decisions_of_the_store_are_decided_again(self):
        old = (MADE / "versions" / "whatif.kept.json").read_text()
        result = self.run_motet("whatif", "--json", "--store", MAIN, "escrow2/escrow.tenor")
        self.assertEqual((result.code, result.out), (1, old))


main()
