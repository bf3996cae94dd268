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
            self.assertEqual([e["event_id"] for e in capture["events"][3:]], [
                f"pump:{n}:{at + n}.000000000:1:{account}" for n in (1, 2)])
            self.assert_replays(capture)
        self.holds("graph", "export", "g", "--store", "sqlite:serve.db", "--key", "x" * 1000, "--out", "x.json")
        self.assertEqual(len(self.invoked(json.loads((self.dir / "x.json").read_text()))), 3)
        self.assertEqual(server.stop(), 0)
        self.holds("store", "check", "--store", "sqlite:serve.db")

    def test_a_pump_lets_something_go_however_many_wait(self):
        """All that waits was put off to one time; a pump for each at each of their times would be 3,240."""
        at = int(time.time()) - 1000
        server = self.server(pump="false")
        self.assertEqual(self.give(server, [("k", 1.0, at)] * 81), 80)
        server.stop()
        server = self.server()
        self.until_empty()
        capture = self.capture(server, "k")
        self.assertEqual(self.invoked(capture)[1:], [("Pump", at + n) for n in range(1, 81)])
        self.assertEqual(len(capture["events"]), 161)
        self.assert_replays(capture)

    def test_no_name_keeps_a_pump_from_running(self):
        """Events that are called as a pump will be, keys that differ behind a NUL; skipped or refused."""
        for skips in ("false", "true"):
            at = int(time.time()) - 10
            accounts = ["k", "a\0b", "a\0c", "a", "\0", "k:2"]
            server = self.server(pump=f"false, skip_duplicates: {skips}")
            self.assertEqual(self.give(server, [(a, 1.0, at) for a in accounts for _ in range(2)]), len(accounts))
            for name in (f"pump:1:{at + 1}.000000000:1:k", f"pump:1:{at + 1}.000000000:1:k:2"):
                self.assertEqual(server.post("/v1/graphs/g/events", {
                    "id": name, "semantic_kind": "entry", "at": {"secs": at, "nanos": 0},
                    "payload": {"account": "other" + name, "amount": 1.0}}).status, 200)
            server.stop()
            server = self.server(pump=f"true, skip_duplicates: {skips}")
            self.until_empty(10)
            self.assertEqual(self.capture(server, "k")["events"][-1]["event_id"], f"pump:1:{at + 1}.000000000:1:k:3")
            lines = [json.loads(body)["event"] for _, _, body in self.rows("capture_line")]
            self.assertIn(f"pump:1:{at + 1}.000000000:1:a\0c", [event["event_id"] for event in lines])
            self.assertEqual(len(self.rows("capture_line")), 3 * len(accounts) + 2)
            self.assertEqual(server.stop(), 0)
            for file in self.dir.glob("serve.db*"):
                file.unlink()

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

    def test_a_row_that_lacks_comes_with_the_next_event(self):
        """A version that knows no rows has put it off, after they were noted."""
        at = int(time.time()) - 10
        server = self.server(pump="false")
        self.give(server, [("k", 1.0, at)] * 2)
        server.stop()
        self.sql("DELETE FROM docs WHERE kind = 'graph_due'")
        self.sql("INSERT INTO docs (kind, id, tag, body, version, updated_ms) VALUES ('graph_dues', 'g', '', 'true', 0, 0)")
        server = self.server()
        self.give(server, [("k", 1.0, at)], "f")
        end = time.monotonic() + 20
        while len(self.invoked(self.capture(server, "k"))) < 3:
            self.assertLess(time.monotonic(), end, self.rows())
            time.sleep(0.05)

    def test_graphs_with_names_like_histories_hide_none(self):
        """Graphs called g~5 lie among the histories of g's keys."""
        at = int(time.time()) - 10
        names = [f"g~{n:03x}" for n in range(0, 4096, 40)]
        more = "".join(f"  {name}: {{graph: g.yaml, adapter: plain.json}}\n" for name in names)
        self.write("serve.yaml", "graphs:\n  g: {graph: g.yaml, adapter: a.json, max_per_window: 1, rate_window: 1s}\n" + more)
        server = Server(self.dir, options=["--config", "serve.yaml"])
        server.start()
        self.addCleanup(server.stop)
        for name in names:
            self.assertEqual(server.post(f"/v1/graphs/{name}/events", {"id": "e", "semantic_kind": "entry", "payload": {
                "account": "a", "amount": 1.0}}).status, 200)
        accounts = [f"a{i}" for i in range(130)]
        self.give(server, [(a, 1.0, at) for a in accounts for _ in range(2)])
        listed, after = [], ""
        while after is not None:
            page = server.get(f"/v1/graphs/g/keys?limit=50{after}").json
            listed += [row["key"] for row in page["items"]]
            after = f"&after={page['next']}" if page.get("next") else None
        self.assertEqual(sorted(listed), sorted(accounts))
        server.stop()
        self.sql("DELETE FROM docs WHERE kind = 'graph_due'")
        server = self.server()
        self.until_empty()
        self.assertEqual({len(self.invoked(self.capture(server, a))) for a in accounts}, {2})

    def test_a_history_that_is_damaged_keeps_no_server_from_starting(self):
        """When rows are noted, the first line or the last is not one."""
        at = int(time.time()) - 10
        server = self.server(pump="false")
        self.give(server, [(a, 1.0, at) for a in ("first", "last", "head", "sound") for _ in range(2)])
        server.stop()
        names = {json.loads(body): id.split("/")[1] for id, _, body in self.rows()}
        for account, line in (("first", "00000000"), ("last", "00000001")):
            self.assertEqual(self.sql("UPDATE docs SET body = 'x' WHERE kind = 'capture_line' AND id = ?",
                                      f"{names[account]}.000001/{line}"), 1)
        self.sql("UPDATE docs SET body = '[]' WHERE kind = 'graph' AND id = ?", names["head"])
        self.sql("DELETE FROM docs WHERE kind = 'graph_due'")
        server = self.server()
        end = time.monotonic() + 20
        while len(self.invoked(self.capture(server, "sound"))) < 2:
            self.assertLess(time.monotonic(), end, self.rows())
            time.sleep(0.05)
        for account in ("first", "last", "head"):
            answer = server.post("/v1/graphs/g/events", {"id": account, "semantic_kind": "entry", "payload": {
                "account": account, "amount": 1.0}})
            self.assertGreaterEqual(answer.status, 500, answer)

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
