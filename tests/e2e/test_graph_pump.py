"""`pump: true` of a served graph: what was put off runs by itself, in each key's history, once."""
import concurrent.futures
import contextlib
import http.client
import json
import random
import signal
import sqlite3
import time

from harness import SEED, SOAK, Case, main
from postgres import Postgres
from serve import Server
from sums import GRAPH, adapter


class Pumps(Case):
    def setUp(self):
        super().setUp()
        self.write("g.yaml", GRAPH)
        self.write("a.json", adapter())
        self.write("plain.json", adapter(key=None))

    def server(self, store="sqlite:serve.db", pump="true", window="1s", adapter="a.json"):
        self.write("serve.yaml", f"graphs:\n  g: {{graph: g.yaml, adapter: {adapter}, pump: {pump}, "
                                 f"max_per_window: 1, rate_window: {window}}}\n")
        server = Server(self.dir, store=store, options=["--config", "serve.yaml"])
        server.start()
        self.addCleanup(server.stop)
        return server

    def give(self, server, events, ids="e"):
        """(account, amount, at); how many were answered `Defer`."""
        def some(rows):
            connection = http.client.HTTPConnection(server.host, server.port, timeout=60)
            deferred = 0
            for i, (account, amount, at) in rows:
                connection.request("POST", "/v1/graphs/g/events", json.dumps({
                    "id": f"{ids}{i}", "semantic_kind": "entry", "at": {"secs": at, "nanos": 0},
                    "payload": {"account": account, "amount": amount}}), {"Content-Type": "application/json"})
                answer = connection.getresponse()
                said = json.loads(answer.read())
                self.assertEqual(answer.status, 200, said)
                deferred += said["decision"] == "Defer"
            connection.close()
            return deferred
        hands = [[row for row in enumerate(events) if hash(row[1][0]) % 16 == hand] for hand in range(16)]
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            return sum(pool.map(some, hands))

    def sql(self, text, *values):
        """Rows, or how many were changed."""
        with contextlib.closing(sqlite3.connect(self.dir / "serve.db", timeout=30)) as db, db:
            done = db.execute(text, values)
            return done.fetchall() if done.description else done.rowcount

    def rows(self, kind="graph_due"):
        return self.sql("SELECT id, tag, body FROM docs WHERE kind = ? ORDER BY id", kind)

    def until_empty(self, seconds=60):
        end = time.monotonic() + seconds
        while self.rows():
            self.assertLess(time.monotonic(), end, self.rows()[:3])
            time.sleep(0.05)

    def ids(self, server, account):
        return [row["id"] for row in server.get(f"/v1/graphs/g/captures?key={account}").json["items"]]

    def capture(self, server, account):
        [one] = self.ids(server, account)
        return server.get(f"/v1/graphs/g/captures/{one}").json

    def invoked(self, capture):
        return [(e["kind"], e["event_time"]["secs"]) for e, d in zip(capture["events"], capture["decisions"])
                if d["decision"] == "Invoke"]

    def assert_replays(self, capture):
        self.write("c.json", json.dumps(capture))
        self.holds("graph", "replay", "c.json", "--graph", "g.yaml", "--adapter", "plain.json")

    def assert_total(self, server, account, amounts):
        """The graph adds each amount and the one before it; what waits runs with the window it came with."""
        context = server.get(f"/v1/graphs/g/context?key={account}").json["context"]
        self.assertEqual(context["total"]["Number"], amounts, account)

    def test_each_key_is_let_go_when_it_is_due_after_a_kill_too(self):
        """More keys than one page of 64; each three events of one moment, so two of them wait."""
        at = int(time.time()) + 6  # all is given before the first is due
        accounts = [f"a{i}" for i in range(130)] + ["x" * 1000, "ä/~?&\n"]
        server = self.server()
        self.assertEqual(self.give(server, [(a, 2.0, at) for a in accounts for _ in range(3)]), 2 * len(accounts))
        due = self.rows()
        self.assertEqual(len(due), len(accounts))
        self.assertEqual({id.split("/")[0] for id, _, _ in due}, {f"{(at + 1) * 1000:016}"})
        self.assertEqual({json.loads(body) for _, _, body in due}, set(accounts))
        server.stop(signal.SIGKILL)
        server.start()
        self.assertLess(time.time(), at + 1, "a machine this slow shows nothing")
        self.until_empty()
        self.assertGreaterEqual(time.time(), at + 2)
        for account in (accounts[0], accounts[64], accounts[129]):
            capture = self.capture(server, account)
            self.assertEqual(self.invoked(capture), [("DataAvailable", at), ("Pump", at + 1), ("Pump", at + 2)])
            # The second waits until then, too, and is put off once more.
            self.assertEqual([e["event_id"] for e in capture["events"][3:]], [
                f"pump:{episode}:{at + after}.000000000:1:{account}" for episode, after in ((1, 1), (2, 1), (2, 2))])
            self.assert_replays(capture)
        self.holds("graph", "export", "g", "--store", "sqlite:serve.db", "--key", "x" * 1000, "--out", "x.json")
        self.assertEqual(len(self.invoked(json.loads((self.dir / "x.json").read_text()))), 3)
        self.assertEqual(server.stop(), 0)
        self.holds("store", "check", "--store", "sqlite:serve.db")

    def test_what_is_not_due_waits(self):
        server = self.server(window="1h")
        at = int(time.time()) - 3600 + 3
        self.assertEqual(self.give(server, [("soon", 1.0, at)] * 2 + [("later", 1.0, at + 300)] * 2), 2)
        while time.time() < at + 3600:
            self.assertEqual(len(self.invoked(self.capture(server, "soon"))), 1)
            time.sleep(0.1)
        end = time.monotonic() + 20
        while len(self.invoked(self.capture(server, "soon"))) < 2:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.1)
        self.assertEqual([body for _, _, body in self.rows()], ['"later"'])
        self.assertEqual(len(self.capture(server, "later")["events"]), 2, "nothing is written while nothing is due")

    def test_killed_at_any_moment_nothing_is_lost_or_doubled(self):
        """More keys than a server holds in memory; it is killed while it pumps."""
        rng = random.Random(SEED)
        accounts, kills = (20000, 50) if SOAK else (1100, 6)
        at = int(time.time()) - 10
        server = self.server(window="2s", pump="false")
        self.assertEqual(self.give(server, [(f"a{i}", float(n + 1), at) for i in range(accounts) for n in range(2)]),
                         accounts)
        self.assertEqual(len(self.rows()), accounts)
        server.stop(signal.SIGKILL)
        server = self.server(window="2s")
        seen = set()
        for _ in range(kills):
            time.sleep(rng.uniform(0.0, 0.3))
            server.stop(signal.SIGKILL)
            seen.add(len(self.rows()))
            server.start()
        self.until_empty(600 if SOAK else 60)
        self.assertGreater(len(seen), 1, "no kill came in the middle")
        for account in (f"a{i}" for i in range(0, accounts, 7)):
            capture = self.capture(server, account)
            self.assertEqual(self.invoked(capture), [("DataAvailable", at), ("Pump", at + 2)])
        self.assert_replays(capture)
        for kind in ("capture_line", "graph_event"):
            self.assertEqual(len(self.rows(kind)), 3 * accounts, kind)
        self.assertEqual(server.stop(), 0)
        self.holds("store", "check", "--store", "sqlite:serve.db")

    def test_a_store_that_knows_no_due_times_is_read_once(self):
        """As a version before left it, with a key and without; and rows that say the wrong time are put right."""
        at = int(time.time()) - 10
        for name, count, sides in (("a.json", 205, [f"a{i}" for i in range(205)]), ("plain.json", 1, ["one"])):
            server = self.server(pump="false", adapter=name)
            self.assertEqual(self.give(server, [(a, 1.0, at) for a in sides for _ in range(2)]), count)
            server.stop()
            self.assertEqual(self.rows("graph_dues"), [])
            self.assertEqual(self.sql("DELETE FROM docs WHERE kind = 'graph_due'"), count)
            server = self.server(adapter=name)
            self.until_empty()
            self.assertEqual([id for id, _, _ in self.rows("graph_dues")], ["g"])
            if count > 1:
                self.assertEqual([self.invoked(self.capture(server, a))[-1][0] for a in sides[::40]], ["Pump"] * 6)
            else:
                self.assertEqual(len(self.invoked(server.get("/v1/graphs/g/captures/g.000001").json)), 2)
            server.stop()
            for file in self.dir.glob("serve.db*"):
                file.unlink()
        server = self.server(pump="false")
        self.give(server, [(a, 1.0, at) for a in ("early", "late") for _ in range(2)] +
                  [("idle", 1.0, at)] + [("ahead", 1.0, at + 9999)] * 2)
        server.stop()
        rows = {json.loads(body): (id, tag) for id, tag, body in self.rows()}
        for account, id in (("early", f"{5:016}/"), ("ahead", f"{6:016}/")):
            self.sql("UPDATE docs SET id = ? || substr(id, 18) WHERE kind = 'graph_due' AND id = ?", id, rows[account][0])
        digest = self.rows("graph")[0][0]
        self.sql("INSERT INTO docs (kind, id, tag, body, version, updated_ms) VALUES ('graph_due', ?, ?, '\"idle\"', 0, 0)",
                    f"{7:016}/{digest}", rows["late"][1])
        server = self.server()
        end = time.monotonic() + 30
        while [id for id, _, _ in self.rows()] != [rows["ahead"][0]]:
            self.assertLess(time.monotonic(), end, self.rows())
            time.sleep(0.05)
        self.assertEqual([len(self.invoked(self.capture(server, a))) for a in ("early", "late", "idle", "ahead")], [2, 2, 1, 1])

    def test_a_history_that_is_damaged_keeps_nobody_waiting(self):
        at = int(time.time()) - 10
        server = self.server(pump="false")
        accounts = [f"a{i}" for i in range(70)]
        self.give(server, [(a, 1.0, at) for a in accounts for _ in range(2)])
        server.stop()
        bad = {}
        for account in accounts[:66]:  # a whole page of them, and two more
            [(id, _, _)] = [row for row in self.rows() if json.loads(row[2]) == account]
            bad[account] = id
            self.sql("UPDATE docs SET body = 'x' WHERE kind = 'capture_line' AND tag = ?", id.split("/")[1] + ".000001")
        self.sql("INSERT INTO docs (kind, id, tag, body, version, updated_ms) VALUES ('graph_dues', 'g', '', 'true', 0, 0)")
        server = self.server()
        end = time.monotonic() + 30
        while len(self.rows()) > 66:
            self.assertLess(time.monotonic(), end, len(self.rows()))
            time.sleep(0.1)
        self.assertEqual({json.loads(body) for _, _, body in self.rows()}, set(bad))
        self.assertEqual(len(self.invoked(self.capture(server, "a69"))), 2)

    def test_a_run_lets_go_by_time_and_then_by_key(self):
        """At the end of its source, many keys with two entries each, some of them at equal times. Looking at all
        keys for each pump would take minutes."""
        rng = random.Random(SEED)
        accounts = [f"a{i}" for i in range(200_000 if SOAK else 30_000)]
        rng.shuffle(accounts)
        first, window = {account: i // 3 for i, account in enumerate(accounts)}, 10_000_000
        events = [(account, first[account] + 5 * again) for again in (0, 1) for account in accounts]
        self.write("f.jsonl", "".join(json.dumps({"kind": "event", "event": {
            "type": "DataAvailable", "id": f"e{i}", "semantic_kind": "entry", "at": {"secs": at, "nanos": 0},
            "payload": {"account": account, "amount": 1.0}}}) + "\n" for i, (account, at) in enumerate(events)))
        began = time.monotonic()
        out = self.holds("graph", "run", "g.yaml", "--adapter", "a.json", "--fixture", "f.jsonl", "--capture", "c.json",
                         "--pump", "--max-per-window", "1", "--rate-window", f"{window}s").out
        self.assertLess(time.monotonic() - began, 100)
        self.assertIn(f" invoked={2 * len(accounts)} deferred={len(accounts)} ", out)
        lines = map(json.loads, (self.dir / "c.json.journal").read_text().splitlines())
        pumps = [id.split(":") for id in (line.get("event", {}).get("event_id", "") for line in lines)
                 if id.startswith("pump:")]
        self.assertEqual([(int(time.split(".")[0]) - window, account) for _, _, time, account in pumps],
                         sorted((at, account) for account, at in first.items()))

    def test_two_nodes_let_go_each_once_and_one_for_the_other(self):
        at = int(time.time()) - 10
        with Postgres() as database:
            first = self.server(database.url(), pump="false")
            accounts = [f"a{i}" for i in range(200)]
            self.assertEqual(self.give(first, [(a, 1.0, at) for a in accounts for _ in range(2)]), 200)
            nodes = [self.server(database.url()), self.server(database.url())]
            first.stop(signal.SIGKILL)

            def done():
                return all(len(self.invoked(self.capture(nodes[0], a))) == 2 for a in accounts[::9])
            end = time.monotonic() + 60
            while not done():
                self.assertLess(time.monotonic(), end)
                time.sleep(0.2)
            time.sleep(0.5)
            for account in accounts[::9]:
                self.assertEqual(len(self.capture(nodes[1], account)["events"]), 3)
            # What one node put off, the other lets go when the first is gone.
            soon = int(time.time()) + 3
            self.assertEqual(self.give(nodes[0], [("b", 1.0, soon)] * 2, "f"), 1)
            nodes[0].stop(signal.SIGKILL)
            end = time.monotonic() + 30
            while len(self.invoked(self.capture(nodes[1], "b"))) < 2:
                self.assertLess(time.monotonic(), end)
                time.sleep(0.2)
            for node in nodes[1:]:
                node.stop()


main()
