"""What graphs promise about crashes: ids and deferred events last, runs resume, captures are
not lost, one writer at a time, any length."""
import concurrent.futures
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import time

from harness import MOTET, SANITIZED, SEED, SOAK, SOURCE, Case, main
from postgres import Postgres
from serve import Server

HOUR = 3600


class Served(Case):
    """The scaffolded graph behind `motet serve`: a reading above 30 counts."""

    LIMITS = "\n    max_per_window: 1\n    rate_window: 1h"
    STORE = "sqlite:serve.db"

    def setUp(self):
        super().setUp()
        self.holds("graph", "init", "g")

    def server(self, limits="", graph="graph.yaml", store=None):
        self.write("serve.yaml", "graphs:\n  g:\n"
                   f"    graph: g/{graph}\n    adapter: g/adapter.yaml{limits}\n")
        return Server(self.dir, store=store or self.STORE, options=["--config", "serve.yaml"])

    def event(self, id, at=1, kind="DataAvailable", reading=40.0):
        return {"id": id, "kind": kind, "at": {"secs": at, "nanos": 0},
                "semantic_kind": "reading", "payload": {"reading": reading}}

    def post(self, server, *words, **named):
        return server.post("/v1/graphs/g/events", self.event(*words, **named))

    def decision(self, server, *words, **named):
        answer = self.post(server, *words, **named)
        self.assertEqual(answer.status, 200, answer)
        return answer.json["decision"]

    def assert_refused(self, server, id, **named):
        before = self.count(server)
        answer = self.post(server, id, **named)
        self.assertEqual(answer.status, 422, answer)
        self.assertEqual(answer.json["reason"], "host.duplicate_event_id")
        self.assertEqual(self.count(server), before)

    def count(self, server):
        context = server.get("/v1/graphs/g/context").json["context"]
        return context["count"]["Number"] if "count" in context else 0

    def assert_captures_replay(self, server, number, graph="graph.yaml"):
        ids = [row["id"] for row in server.get("/v1/graphs/g/captures").json["items"]]
        self.assertEqual(ids, [f"g.{i:06}" for i in range(1, number + 1)])
        for id in ids:
            self.write("c.json", server.get(f"/v1/graphs/g/captures/{id}").body)
            self.holds("graph", "replay", "c.json", "--graph", f"g/{graph}", "--adapter",
                       "g/adapter.yaml")

    def fill(self, server, count, first=0):
        """So many Pump events, from several connections, so that they commit in groups."""
        def some(numbers):
            connection = http.client.HTTPConnection(server.host, server.port, timeout=60)
            for i in numbers:
                body = json.dumps(self.event(f"p{first + i}", kind="Pump"))
                connection.request("POST", "/v1/graphs/g/events", body,
                                   {"Content-Type": "application/json"})
                answer = connection.getresponse()
                answer.read()
                if answer.status != 200:
                    return answer.status
            connection.close()
            return 200
        lanes = 32
        with concurrent.futures.ThreadPoolExecutor(lanes) as pool:
            parts = [range(lane, count, lanes) for lane in range(lanes)]
            self.assertEqual(set(pool.map(some, parts)), {200})

    def test_FG1_an_event_id_is_used_once_whatever_is_restarted(self):
        with self.server() as server:
            self.assertEqual(self.decision(server, "e1"), "Invoke")
            self.assert_refused(server, "e1")
            server.stop()
            server.start()
            self.assert_refused(server, "e1")
            server.stop(signal.SIGKILL)
            server.start()
            self.assert_refused(server, "e1")
            self.assertEqual(self.decision(server, "e2"), "Invoke")
            self.assertEqual(self.count(server), 2)
            self.assert_captures_replay(server, 1)

    def test_FG1_an_event_id_is_used_once_after_its_capture_ended(self):
        with self.server(self.LIMITS) as server:
            self.assertEqual(self.decision(server, "e1"), "Invoke")
            self.assertEqual(self.decision(server, "late"), "Defer")
            self.fill(server, 9998)
            over = self.post(server, "over", kind="Pump").json
            self.assertEqual((over["decision"], over["capture"], over["number"]), ("Defer", "g.000002", 0))
            self.assert_refused(server, "e1")
            self.assert_refused(server, "p17", kind="Pump")
            # FG2, here because a full capture takes its time: what waited runs.
            self.assertEqual(self.decision(server, "go", at=2 * HOUR, kind="Pump"), "Invoke")
            self.assertEqual(self.count(server), 2)
            self.assertEqual(self.decision(server, "none", at=4 * HOUR, kind="Pump"), "Defer")
            self.assert_captures_replay(server, 2)

    def test_an_id_of_any_length_is_used_once(self):
        with self.server() as server:
            for id in ("x" * 900, "x" * 901, "ü" * 500, "a/b", " "):
                self.assertEqual(self.decision(server, id), "Invoke")
                self.assert_refused(server, id)

    def test_a_duplicate_is_skipped_where_the_configuration_says_so(self):
        with self.server("\n    skip_duplicates: true") as server:
            self.assertEqual(self.decision(server, "e1"), "Invoke")
            server.stop()
            server.start()
            self.assertEqual(self.decision(server, "e1"), "Skip")
            self.assertEqual(self.decision(server, "e1"), "Skip")
            self.assertEqual(self.count(server), 1)
            self.assert_captures_replay(server, 1)

    def test_FG1_an_event_id_of_an_older_store_is_used_once(self):
        """The store was made by a version that did not note ids; 1 of its events waits."""
        before = SOURCE / "tests" / "data" / "graph" / "store-without-ids.backup"
        self.holds("restore", before, "--store", self.STORE)
        with self.server(self.LIMITS) as server:
            self.assertEqual(self.count(server), 1)
            self.assert_refused(server, "e1")
            self.assertEqual(self.decision(server, "new"), "Defer")
            self.assertEqual(self.decision(server, "go1", at=2 * HOUR, kind="Pump"), "Invoke")
            self.assertEqual(self.decision(server, "go2", at=4 * HOUR, kind="Pump"), "Invoke")
            self.assertEqual(self.count(server), 2)  # both saw 1 when they came
            self.assert_captures_replay(server, 1)

    def test_FG2_a_deferred_event_runs_whatever_the_limits_become(self):
        with self.server(self.LIMITS) as server:
            self.assertEqual(self.decision(server, "e1"), "Invoke")
            self.assertEqual(self.decision(server, "e2"), "Defer")
            self.assertEqual(self.decision(server, "e3"), "Defer")
        with self.server("\n    max_per_window: 2\n    rate_window: 1h") as server:
            self.assertEqual(self.decision(server, "go1", at=2 * HOUR, kind="Pump"), "Invoke")
            self.assertEqual(self.count(server), 2)
        with self.server() as server:
            self.assertEqual(self.decision(server, "go2", at=3 * HOUR, kind="Pump"), "Invoke")
            self.assertEqual(self.count(server), 2)  # e3 saw 1 when it came
            self.assertEqual(self.decision(server, "go3", at=4 * HOUR, kind="Pump"), "Defer")
            self.assert_refused(server, "e2")
            self.assert_captures_replay(server, 3)

    def test_a_graph_with_a_longer_name_is_another_graph(self):
        entry = "{graph: g/graph.yaml, adapter: g/adapter.yaml}"
        self.write("serve.yaml", f'graphs: {{g: {entry}, "g~b": {entry}}}\n')
        with Server(self.dir, store=self.STORE, options=["--config", "serve.yaml"]) as server:
            for name in ("g", "g~b"):
                self.assertEqual(server.post(f"/v1/graphs/{name}/events", self.event("e1")).status, 200)
            captures = {name: server.get(f"/v1/graphs/{name}/captures").json["items"][0]["id"]
                        for name in ("g", "g~b")}
            for name, other in (("g", "g~b"), ("g~b", "g")):
                self.assertEqual(server.get(f"/v1/graphs/{name}/captures/{captures[name]}").status, 200)
                self.assertEqual(server.get(f"/v1/graphs/{name}/captures/{captures[other]}").status, 404)

    def test_what_is_carried_over_is_checked(self):
        with self.server(self.LIMITS) as server:
            self.assertEqual(self.decision(server, "e1"), "Invoke")
            self.assertEqual(self.decision(server, "e2"), "Defer")
        with self.server(self.LIMITS + "\n    max_retries: 1") as server:
            self.assertEqual(self.decision(server, "go", at=2 * HOUR, kind="Pump"), "Invoke")
            text = server.get("/v1/graphs/g/captures/g.000002").body
        self.assertEqual(json.loads(text)["carried"]["waiting"][0]["event_id"], "e2")

        def with_waiting(change):
            capture = json.loads(text)
            change(capture["carried"], capture["carried"]["waiting"][0])
            self.write("c.json", json.dumps(capture))
            return self.run_motet("graph", "replay", "c.json", "--graph", "g/graph.yaml", "--adapter",
                                  "g/adapter.yaml")
        self.assertEqual(with_waiting(lambda c, w: None).code, 0)
        for why, change in (
                ("replay.duplicate_event_id", lambda c, w: w.update(event_id="go")),
                ("replay.hash_mismatch", lambda c, w: w["payload"].__setitem__(-2, 49)),
                ("replay.decision_mismatch", lambda c, w: w["schedule_at"].update(secs=3 * HOUR)),
                ("replay.decision_mismatch", lambda c, w: c.update(waiting=[])),
                ("replay.decision_mismatch", lambda c, w: c.update(runs=[w["schedule_at"]]))):
            result = with_waiting(change)
            self.assertEqual(result.code, 1, result)
            self.assertIn(why, result.out)

    def test_FG2_a_rate_limit_holds_across_captures(self):
        """The runs within the window go with the next capture, too."""
        with self.server(self.LIMITS) as server:
            self.assertEqual(self.decision(server, "e1"), "Invoke")
        with self.server(self.LIMITS + "\n    max_retries: 1") as server:
            self.assertEqual(self.decision(server, "e2", at=2), "Defer")
            self.assertEqual(self.decision(server, "e3", at=2 * HOUR), "Invoke")
            self.assert_captures_replay(server, 2)

    def test_FG2_a_deferred_event_runs_in_the_graph_that_follows(self):
        self.write("g/other.yaml", (self.dir / "g/graph.yaml").read_text().replace("30", "31"))
        with self.server(self.LIMITS) as server:
            self.assertEqual(self.decision(server, "e1"), "Invoke")
            self.assertEqual(self.decision(server, "e2"), "Defer")
        with self.server(self.LIMITS, graph="other.yaml") as server:
            self.assertEqual(self.decision(server, "go", at=2 * HOUR, kind="Pump"), "Invoke")
            self.assertEqual(self.count(server), 2)

    def test_FG1_FG2_two_nodes_of_one_database_share_ids_and_what_waits(self):
        with Postgres() as database:
            store = database.url()
            with self.server(self.LIMITS, store=store) as one, \
                 self.server(self.LIMITS, store=store) as two:
                self.assertEqual(self.decision(one, "e1"), "Invoke")
                self.assert_refused(two, "e1")
                self.assertEqual(self.decision(two, "e2"), "Defer")
                self.assert_refused(one, "e2")
                with concurrent.futures.ThreadPoolExecutor(16) as pool:
                    nodes = [one, two] * 8
                    codes = list(pool.map(lambda s: self.post(s, "same").status, nodes))
                self.assertEqual((codes.count(200), codes.count(422)), (1, 15), codes)
            with self.server(store=store) as one:
                self.assertEqual(self.decision(one, "go", at=2 * HOUR, kind="Pump"), "Invoke")
                self.assertEqual(self.decision(one, "go2", at=9 * HOUR, kind="Pump"), "Invoke")
                self.assertEqual(self.count(one), 2)
                self.assert_refused(one, "same")
                self.assert_captures_replay(one, 2)


GRAPH = """
kind: cluster
id: orders
version: "1.0.0"
nodes:
  price: { impl: context_number_source@0.1.0, params: { key: price } }
  least: { impl: number_source@0.1.0, params: { value: 10.0 } }
  high: { impl: gt@0.1.0 }
  on: { impl: emit_if_true@0.1.0 }
  side: { impl: context_string_source@0.1.0, params: { key: side } }
  order: { impl: trade@1.0.0 }
edges: [side.value -> order.side, price.value -> high.a, least.value -> high.b, high.result -> on.input,
        on.event -> order.event, price.value -> order.amount]
outputs: { high: high.result }
"""
MANIFEST = """
kind: action
id: trade
version: 1.0.0
inputs: [{name: event, type: event}, {name: amount, type: number}, {name: side, type: string}]
outputs: [{name: outcome, type: event}]
effects:
  writes: [{name: last, type: number, from_input: amount}]
  intents:
    - name: buy
      fields: [{name: amount, type: number, from_input: amount},
               {name: side, type: string, from_input: side}]
    - {name: note, fields: [{name: amount, type: number, from_input: amount}]}
outcome: Attempted
"""
ADAPTER = """
kind: adapter
id: market
version: 1.0.0
runtime_compatibility: 0.1.0
context_keys:
  - {name: price, type: Number, required: true, writable: false}
  - {name: side, type: String, required: true, writable: false}
  - {name: last, type: Number, required: false, writable: true}
event_kinds:
  - name: tick
    payload_schema: {type: object, properties: {price: {type: number}, side: {type: string},
                     last: {type: number}}, required: [price, side], additionalProperties: false}
accepts:
  effects:
    - {name: set_context, payload_schema: {type: object, additionalProperties: false}}
    - name: buy
      payload_schema: {type: object, properties: {amount: {type: number}, side: {type: string}},
                       additionalProperties: false}
    - name: note
      payload_schema: {type: object, properties: {amount: {type: number}}, additionalProperties: false}
capture: {format_version: "1", fields: [event.tick]}
"""
# A channel that counts: it writes down every delivery, and does an order once for each id.
CHANNEL = """#!/bin/sh
seen=$(cat done 2>/dev/null | tr '\\n' ' ')
echo $$ > channel.pid
echo '{"type":"ready","protocol":"ergo-egress.v1","handled_kinds":["buy","note"]}'
while read -r line; do
    case "$line" in *'"end"'*) break ;; esac
    id=${line#*'"intent_id":"'}
    id=${id%%'"'*}
    echo "$id" >> deliveries
    printf '%s\n' "$line" >> frames
    case " $seen " in *" $id "*) ;; *) echo "$id" >> done; seen="$seen $id" ;; esac
    printf '{"type":"intent_ack","intent_id":"%s","status":"accepted","acceptance":"durable"}\\n' "$id"
done
"""
DRIVER = """
import json, os, sys, time
def say(x): print(json.dumps(x), flush=True)
say({"type": "hello", "protocol": "ergo-driver.v0"})
first, last = int(sys.argv[2]), int(sys.argv[3])
if sys.argv[1] == "dies": sys.exit(7)
for i in range(first, last):
    say({"type": "event", "event": {"event_id": f"d{i}", "kind": "DataAvailable", "at":
        {"secs": i, "nanos": 0}, "semantic_kind": "tick", "payload": {"price": 10.0 + i % 7,
        "side": f"side {i}"}}})
    if sys.argv[1] == "waits" and i == first + 3:
        while not os.path.exists("go"): time.sleep(0.01)
say({"type": "end"})
"""


class Runs(Case):
    """Runs with a channel that counts."""

    EVENTS = 30

    def setUp(self):
        super().setUp()
        for name, text in (("graph.yaml", GRAPH), ("adapter.yaml", ADAPTER),
                           ("manifests/trade.yaml", MANIFEST), ("driver.py", DRIVER)):
            self.write(name, text)
        self.write("channel.sh", CHANNEL).chmod(0o755)
        self.write("egress.yaml", "default_ack_timeout: 20s\nchannels: {c: {type: process, "
                   "command: [./channel.sh]}}\nroutes: {buy: {channel: c}, note: {channel: c}}\n")
        self.write("fixture.jsonl", '{"kind":"episode_start"}\n' + "".join(
            '{"kind":"event","event":{"type":"DataAvailable","semantic_kind":"tick",'
            '"payload":{"price":%d.5,"side":"number %d"}}}\n' % (8 + i % 5, i) for i in range(self.EVENTS)))

    def command(self, *more, source=("--fixture", "fixture.jsonl"), capture="c.json"):
        return ["graph", "run", "graph.yaml", "--adapter", "adapter.yaml", "--egress",
                "egress.yaml", *source, "--capture", capture, *more]

    def drive(self, mode, first=0, last=20):
        return ["--driver", sys.executable, "--driver-arg", "driver.py", "--driver-arg", mode,
                "--driver-arg", str(first), "--driver-arg", str(last)]

    def run_it(self, *more, **named):
        return self.run_motet(*self.command(*more, **named))

    def replay(self, capture="c.json"):
        return self.run_motet("graph", "replay", capture, "--graph", "graph.yaml",
                              "--adapter", "adapter.yaml")

    def lines(self, name):
        path = self.dir / name
        return path.read_text().split() if path.exists() else []

    def files(self, *names):
        """Their bytes; None: it is not there."""
        paths = [self.dir / name for name in names]
        return {path.name: path.read_bytes() if path.exists() else None for path in paths}

    def start(self, *more, **named):
        """The run as a child, which is killed at the end if it still runs."""
        child = subprocess.Popen([str(MOTET), *self.command(*more, **named)], cwd=self.dir,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(self.kill, child)
        return child

    def kill(self, child):
        if child.poll() is None:
            child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        self.channel_ends()

    def channel_ends(self):
        """A channel whose run was killed finishes what it has read, and ends."""
        pid = (self.lines("channel.pid") or [None])[-1]
        end = time.monotonic() + 30
        while pid and os.path.exists(f"/proc/{pid}") and time.monotonic() < end:
            time.sleep(0.002)

    def until(self, test, seconds=60):
        """Asks until it is so; what is so now may not be so a moment later."""
        end = time.monotonic() + seconds
        while not test():
            self.assertLess(time.monotonic(), end, "it did not happen in time")
            time.sleep(0.005)

    def intents(self, capture="c.json"):
        document = json.loads((self.dir / capture).read_text())
        return [intent["intent_id"] for d in document["decisions"] for e in d["effects"]
                for intent in e["effect"].get("intents", [])]

    def acknowledged(self, capture="c.json"):
        document = json.loads((self.dir / capture).read_text())
        return [ack["intent_id"] for d in document["decisions"]
                for ack in d.get("intent_acks", [])]

    def killed(self, orders=2):
        """A run that was killed after some orders, with the source that it needs."""
        self.clear()
        child = self.start(source=self.drive("waits"))
        self.until(lambda: self.recorded(orders))
        self.kill(child)
        return self.drive("well")

    def recorded(self, orders):
        """So many orders are done, and the last one stands in the journal's last line."""
        done, journal = self.lines("done"), self.dir / "c.json.journal"
        return (len(done) >= orders and journal.exists() and
                done[-1] in journal.read_text().rstrip("\n").rpartition("\n")[2])

    def clear(self):
        for name in ("c.json", "c.json.journal", "deliveries", "done", "frames", "go"):
            (self.dir / name).unlink(missing_ok=True)

    def test_FG3_a_killed_run_keeps_its_evidence(self):
        source = self.killed()
        before = self.files("c.json.journal", "deliveries")
        self.assertGreaterEqual(len(before["c.json.journal"].splitlines()), 2)
        again = self.run_it(source=source)
        self.assertEqual(self.files("c.json.journal", "deliveries"), before)
        self.assertEqual(again.code, 1, again)
        self.assertIn("--resume", again.err)
        self.assertIn("--overwrite", again.err)
        self.assertEqual(self.replay("c.json.journal").code, 0)

    def test_a_killed_run_goes_on_with_the_same_intent_ids(self):
        source = self.killed()
        done = self.run_it("--resume", source=source)
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.lines("done"), self.intents())
        self.assertEqual(self.acknowledged(), self.intents())
        self.assertEqual(self.replay().code, 0)
        self.assertFalse((self.dir / "c.json.journal").exists())
        self.assertEqual(self.run_it("--resume", source=source).code, 1, "nothing to resume")

    def test_an_intent_without_a_recorded_acknowledgement_is_sent_again(self):
        """As if the kill had come between the channel's answer and its record."""
        for cut, repeated in ((1, 1), (2, 2), (0, 0)):
            source = self.killed(orders=6)
            journal = self.dir / "c.json.journal"
            lines = journal.read_text().splitlines(True)
            self.assertTrue(lines[-1].startswith('{"dispatched":'), lines[-1])
            last = self.lines("deliveries")[-2:]
            torn = '{"dispatched":"d' if cut else ""
            journal.write_text("".join(lines[:len(lines) - cut]) + torn)
            done = self.run_it("--resume", source=source)
            self.assertEqual(done.code, 0, done)
            wanted = self.intents()
            self.assertEqual(self.lines("done"), wanted)
            self.assertEqual(self.acknowledged(), wanted)
            at = len(wanted[:wanted.index(last[-1]) + 1])
            again = last[2 - repeated:]
            self.assertEqual(self.lines("deliveries"), wanted[:at] + again + wanted[at:])
            self.assertEqual(self.replay().code, 0)

    def ticks(self, *ids):
        """A fixture in which each event orders."""
        self.write("fixture.jsonl", '{"kind":"episode_start"}\n' + "".join(
            '{"kind":"event","event":{"type":"DataAvailable","id":"%s","semantic_kind":"tick",'
            '"payload":{"price":20.0,"side":"%s"}}}\n' % (id, id) for id in ids))

    def assert_resumed_is_whole(self, cut, code, *options):
        """Cut off after so many events and resumed, a run is as if it had not been."""
        self.clear()
        self.assertEqual(self.run_it(*options).code, code)
        whole = self.files("c.json", "deliveries")
        self.clear()
        self.assertEqual(self.run_it(*options, "--journal-only", "--max-events", cut).code, 0)
        self.assertEqual(self.run_it(*options, "--resume").code, code)
        self.assertEqual(self.files("c.json", "deliveries"), whole)

    def test_a_last_step_that_ran_nothing_sends_nothing_again(self):
        self.ticks("a", "b", "c")
        self.assert_resumed_is_whole(2, 0, "--max-per-window", "1", "--rate-window", "1h")
        self.ticks("a", "a", "c")
        self.assert_resumed_is_whole(2, 0, "--skip-duplicates")

    def test_an_id_that_a_fixture_repeats_is_a_duplicate_after_a_kill_too(self):
        self.ticks("a", "b", "a", "c")
        self.assert_resumed_is_whole(2, 1)
        self.assert_resumed_is_whole(2, 0, "--skip-duplicates")

    def test_a_driver_may_begin_anew_or_go_on(self):
        self.killed()
        (self.dir / "go").touch()
        done = self.run_it("--resume", source=self.drive("well", 1, 20))
        self.assertEqual(done.code, 0, done)
        self.assertIn("events=20 ", done.out)
        self.assertEqual(self.lines("done"), self.intents())

    def test_only_the_same_run_is_resumed(self):
        self.assertEqual(self.run_it("--journal-only", "--max-events", "9").code, 0)
        journal = (self.dir / "c.json.journal").read_bytes()
        self.write("c.json", "another's")
        self.write("c.json.trace.jsonl", "another's")
        there = sorted(os.listdir(self.dir))
        events = (self.dir / "fixture.jsonl").read_text()
        for text in (events.replace("8.5", "8.6"), events.replace("11.5", "11.25"),
                     "".join(events.splitlines(True)[:4]), "nonsense\n", ""):
            self.write("fixture.jsonl", text)
            result = self.run_it("--resume", "--trace")
            self.assertEqual(result.code, 1, result)
            self.assertEqual((self.dir / "c.json.journal").read_bytes(), journal)
            self.assertEqual(sorted(os.listdir(self.dir)), there)
            self.assertEqual((self.dir / "c.json").read_text(), "another's")
            self.assertEqual((self.dir / "c.json.trace.jsonl").read_text(), "another's")
        self.write("fixture.jsonl", events)
        for words in (["--max-retries", "2"], ["--deadline", "10s"]):
            self.assertIn("another graph", self.run_it("--resume", *words).err)
        self.assertEqual(self.run_it("--resume", "--overwrite").code, 2)
        self.assertEqual((self.dir / "c.json.journal").read_bytes(), journal)
        done = self.run_it("--resume", "--trace")
        self.assertEqual(done.code, 0, done)
        self.assertIn(f"events={self.EVENTS} ", done.out)
        self.assertEqual(self.lines("deliveries"), self.intents())
        self.assertEqual(self.replay().code, 0)
        trace = (self.dir / "c.json.trace.jsonl").read_text().splitlines()
        self.assertEqual(len(trace), self.EVENTS)
        self.assertEqual((self.dir / "c.json.previous").read_text(), "another's")

    def test_a_journal_that_is_none_is_not_touched(self):
        for text in (b"my notes\n", b"{}\n", b"\x00" * 10):
            self.write("c.json.journal", text)
            for words in ([], ["--resume"]):
                self.assertEqual(self.run_it(*words).code, 1)
                self.assertEqual((self.dir / "c.json.journal").read_bytes(), text)
        self.assertEqual(self.run_it("--overwrite").code, 0)
        for text in (b"", b'{"journal":"mot'):  # nothing was committed yet
            self.write("c.json.journal", text)
            self.assertEqual(self.run_it().code, 0, text)

    def test_FG4_a_good_capture_outlives_a_run_that_commits_nothing(self):
        self.assertEqual(self.run_it("--trace").code, 0)
        names = ("c.json", "c.json.sum", "c.json.trace.jsonl", "deliveries")
        good = self.files(*names)
        self.write("bad.jsonl", "{broken\n" + (self.dir / "fixture.jsonl").read_text())
        for source in (["--driver", "/no/such/driver"], self.drive("dies"),
                       ["--fixture", "bad.jsonl"]):
            for words in ([], ["--trace"], ["--overwrite"]):
                result = self.run_it(*words, source=source)
                self.assertEqual(self.files(*names), good, (source, words, result))
                self.assertNotEqual(result.code, 0)
        self.assertEqual(self.replay().code, 0)
        self.assertFalse((self.dir / "c.json.journal").exists())

    def test_a_capture_that_is_replaced_is_kept(self):
        self.assertEqual(self.run_it().code, 0)
        good = (self.dir / "c.json").read_bytes()
        again = self.run_it("--max-events", "3")
        self.assertEqual(again.code, 0, again)
        self.assertIn("c.json.previous", again.err)
        self.assertEqual((self.dir / "c.json.previous").read_bytes(), good)
        self.assertEqual(self.replay("c.json.previous").code, 0)
        self.assertEqual(self.replay().code, 0)
        self.assertEqual(self.run_it("--overwrite").code, 0)
        self.assertEqual((self.dir / "c.json.previous").read_bytes(), good)

    def test_a_kill_in_the_first_step_keeps_what_was_there_whole(self):
        """The first order is under way, so the capture has not been moved yet."""
        self.ticks("a", "b")
        self.assertEqual(self.run_it("--trace").code, 0)
        names = ("c.json", "c.json.sum", "c.json.trace.jsonl")
        there = self.files(*names)
        self.write("channel.sh", CHANNEL.replace(
            "read -r line; do", "read -r line; do\n    touch got; exec sleep 60"))
        child = self.start()
        self.until(lambda: (self.dir / "got").exists())
        self.kill(child)
        self.assertEqual(self.files(*names), there)
        self.write("channel.sh", CHANNEL)
        done = self.run_it("--resume")
        self.assertEqual(done.code, 0, done)
        previous = self.files(*(name.replace("c.json", "c.json.previous") for name in names))
        self.assertEqual(list(previous.values())[::2], list(there.values())[::2])
        self.assertEqual(self.replay("c.json.previous").code, 0)
        self.assertEqual(self.replay().code, 0)

    def test_a_kill_before_the_journal_goes_moves_nothing(self):
        self.assertEqual(self.run_it("--max-events", "3").code, 0)
        first = (self.dir / "c.json").read_bytes()
        self.assertEqual(self.run_it("--journal-only", "--trace").code, 0)
        journal = (self.dir / "c.json.journal").read_bytes()
        self.assertEqual(self.run_it("--resume", "--trace").code, 0)
        self.write("c.json.journal", journal)  # the capture of it is there
        for words in (["--trace"], []):
            self.write("c.json.journal", journal)
            self.assertEqual(self.run_it("--resume", *words).code, 0)
            self.assertEqual((self.dir / "c.json.previous").read_bytes(), first)
            self.assertEqual((self.dir / "c.json.trace.jsonl").exists(), bool(words))
            self.assertEqual(self.replay().code, 0)

    def test_a_capture_that_breaks_where_the_journal_ends_is_another(self):
        self.ticks("a", "b", "c")
        self.assertEqual(self.run_it().code, 0)
        broken = (self.dir / "c.json").read_text().replace('"event_id":"c"', '"event_id":7')
        self.clear()
        self.assertEqual(self.run_it("--journal-only", "--max-events", "2").code, 0)
        self.write("c.json", broken)
        self.assertEqual(self.run_it("--resume").code, 0)
        self.assertEqual((self.dir / "c.json.previous").read_text(), broken)
        self.assertEqual(self.replay().code, 0)

    def test_what_is_no_file_is_not_moved_away(self):
        self.write("out/precious", "mine")
        for words in ([], ["--overwrite"], ["--resume"]):
            self.assertEqual(self.run_it(*words, capture="out").code, 3)
        self.assertEqual((self.dir / "out/precious").read_text(), "mine")
        self.assertEqual(self.lines("deliveries"), [])
        self.assertFalse((self.dir / "out.journal").exists())

    def test_FG5_one_run_at_a_time_writes_a_capture(self):
        (self.dir / "here").symlink_to(self.dir)
        first = self.start(source=self.drive("waits"))
        journal = self.dir / "c.json.journal"
        self.until(lambda: journal.exists() and journal.stat().st_size > 0)
        for name in ("c.json", "here/c.json"):
            for words in ([], ["--overwrite"], ["--resume"]):
                second = self.run_it(*words, capture=name)
                self.assertNotEqual(second.code, 0, (name, words, second))
                self.assertIn("another run", second.err)
        export = self.run_motet("graph", "export", "c.json.journal", "--out", "x.json")
        self.assertEqual(export.code, 3, export)
        self.assertFalse((self.dir / "x.json").exists())
        (self.dir / "go").touch()
        out = first.communicate(timeout=60)[0]
        self.assertEqual(first.returncode, 0, out)
        self.assertIn(b"events=20 ", out)
        self.assertEqual(self.replay().code, 0)

    def test_a_kill_gives_the_capture_free(self):
        self.killed()
        self.assertEqual(self.run_it("--overwrite").code, 0)
        self.assertEqual(self.replay().code, 0)

    def test_a_link_to_a_capture_is_the_capture(self):
        self.assertEqual(self.run_it().code, 0)
        (self.dir / "link.json").symlink_to("c.json")
        self.assertEqual(self.run_it("--max-events", "3", capture="link.json").code, 0)
        self.assertTrue((self.dir / "link.json").is_symlink())
        self.assertEqual(len(json.loads((self.dir / "c.json").read_text())["events"]), 3)

    def test_killed_at_any_moment_every_intent_is_done_once(self):
        """Must hold at 200 moments (MOTET_SOAK); a run may be killed several times."""
        self.clear()
        begun = time.monotonic()
        self.assertEqual(self.run_it().code, 0)
        length = time.monotonic() - begun
        wanted = self.intents()
        self.assertEqual(self.lines("done"), wanted)
        generator = random.Random(SEED)
        kills, most, repeated = 0, 200 if SOAK else 12, 0
        while kills < most:
            self.clear()
            killed_here = 0
            for _ in range(6):
                child = self.start("--resume")
                try:
                    child.wait(timeout=generator.uniform(0, 1.1 * length))
                    break
                except subprocess.TimeoutExpired:
                    self.kill(child)
                    killed_here += 1
                if generator.random() < 0.6:
                    break
            kills += killed_here
            # An empty journal beside a capture: the run had ended, one more was killed as it
            # began to look.
            journal = self.dir / "c.json.journal"
            left = journal.exists() and journal.stat().st_size > 0
            if left or not (self.dir / "c.json").exists():
                done = self.run_it("--resume")
                self.assertEqual(done.code, 0, done)
            self.assertEqual(self.lines("done"), wanted)
            self.assertEqual(self.intents(), wanted)
            self.assertEqual(self.acknowledged(), wanted)
            self.assertEqual(self.replay().code, 0)
            frames = set((self.dir / "frames").read_text().splitlines())
            self.assertEqual(len(frames), len(wanted), "sent again as it was")
            again = len(self.lines("deliveries")) - len(wanted)
            self.assertLessEqual(again, killed_here, "only what was under way is sent again")
            repeated += again
        print(f"{kills} kills, {repeated} of them between a delivery and its record",
              file=sys.stderr)


class Long(Case):
    """Captures of any length."""

    GRAPH = ("kind: cluster\nid: long\nversion: \"1.0.0\"\nnodes:\n"
             "  a: { impl: number_source@0.1.0, params: { value: 3.0 } }\n"
             "  b: { impl: number_source@0.1.0, params: { value: 1.0 } }\n"
             "  more: { impl: gt@0.1.0 }\n  on: { impl: emit_if_true@0.1.0 }\n"
             "  ack: { impl: ack_action@0.1.0 }\n"
             "edges: [a.value -> more.a, b.value -> more.b, more.result -> on.input, "
             "on.event -> ack.event]\noutputs: { more: more.result }\n")

    def peak(self, *words):
        """The megabytes a command needed at most."""
        child = subprocess.Popen([str(MOTET), *words], cwd=self.dir,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        why = child.stderr.read()
        child.stderr.close()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0, why)
        return usage.ru_maxrss / 1024

    def assert_bounded(self, events, text, most):
        self.write("graph.yaml", self.GRAPH)
        with open(self.dir / "f.jsonl", "w") as f:
            f.write('{"kind":"episode_start"}\n')
            for i in range(events):
                f.write('{"kind":"event","event":{"type":"Command","id":"e%d","payload":'
                        '{"text":"%s"}}}\n' % (i, text))
        ran = self.peak("graph", "run", "graph.yaml", "--fixture", "f.jsonl", "--capture",
                        "c.json")
        replayed = self.peak("graph", "replay", "c.json", "--graph", "graph.yaml")
        size = (self.dir / "c.json").stat().st_size >> 20
        print(f"{events} events, capture {size} MB: run {ran:.0f} MB, replay {replayed:.0f} MB",
              file=sys.stderr)
        self.assertLess(ran, most)
        self.assertLess(replayed, most)

    def test_FG6_a_capture_is_written_and_replayed_in_bounded_memory(self):
        self.assert_bounded(60, "x" * 200000, 400 if SANITIZED else 40)

    def test_an_event_may_be_bounded(self):
        self.assert_bounded(3, "x" * 1000, 2000)
        for limit, code in ((3000, 1), (5000, 0)):
            result = self.run_motet("graph", "replay", "c.json", "--graph", "graph.yaml",
                                    "--limit", f"json_bytes={limit}")
            self.assertEqual(result.code, code, result)

    if SOAK:
        def test_FG6_a_million_events(self):
            self.assert_bounded(1000000, "short", 600 if SANITIZED else 200)


main()
