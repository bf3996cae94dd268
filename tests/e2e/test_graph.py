"""motet graph: check, run, replay, export, explain, render, fixture, init, primitives."""
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

from harness import MOTET, SEED, SOAK, SOURCE, Case, main
from serve import Server

EXAMPLE = SOURCE / "examples" / "crossover"

DRIVER = """
import json, sys, time
def say(x): print(json.dumps(x), flush=True)
say({"type": "hello", "protocol": "ergo-driver.v0"})
mode = sys.argv[1]
def event(i, **more):
    say({"type": "event", "event": {"event_id": f"d{i}", "kind": "DataAvailable",
        "at": {"secs": i, "nanos": 0}, "semantic_kind": "reading",
        "payload": {"reading": 29.0 + i}, **more}})
for i in range(1, 5):
    event(i)
if mode == "die": sys.exit(7)
if mode == "hang": time.sleep(600)
if mode == "garbage": print("not json", flush=True); time.sleep(600)
if mode == "flood": sys.stdout.write("x" * 5000000); sys.stdout.flush(); time.sleep(600)
if mode == "again": event(1)
if mode == "bad": event(9, payload={"reading": "text"})
say({"type": "end"})
if mode == "after": event(10)
if mode == "lingers": time.sleep(600)
if mode == "status": sys.exit(3)
"""

CHANNEL = """
import json, sys, time
mode = sys.argv[1]
def say(x): print(json.dumps(x), flush=True)
if mode == "never_ready": time.sleep(600)
kinds = [] if mode == "wrong_kinds" else ["place_order"]
say({"type": "ready", "protocol": "ergo-egress.v1", "handled_kinds": kinds})
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "end":
        if mode == "stays": time.sleep(600)
        break
    if mode == "silent": time.sleep(600)
    if mode == "dies": sys.exit(1)
    if mode == "tells": sys.exit("the password is hunter2")
    if mode == "nonsense": print("nonsense", flush=True); continue
    if mode == "other_id": frame["intent_id"] = "eid1:sha256:0"
    say({"type": "intent_ack", "intent_id": frame["intent_id"], "status": "accepted",
         "acceptance": "durable"})
"""


class Project(Case):
    """A scaffolded project, and one with intents."""

    def setUp(self):
        super().setUp()
        self.project = self.dir / "p"
        self.holds("graph", "init", self.project)

    def graph(self, *words, **named):
        return self.run_motet("graph", *words, cwd=self.project, **named)

    def run_fixture(self, *more):
        return self.graph("run", "graph.yaml", "--adapter", "adapter.yaml", "--fixture",
                          "fixture.jsonl", "--capture", "c.json", *more)

    def replay(self, *more, capture="c.json"):
        return self.graph("replay", capture, "--graph", "graph.yaml", "--adapter",
                          "adapter.yaml", *more)


class Init(Project):
    def test_the_scaffold_checks_runs_and_replays(self):
        self.assertEqual(self.graph("check", "graph.yaml", "--adapter", "adapter.yaml").code, 0)
        result = self.run_fixture("--json")
        self.assertEqual(result.code, 0, result)
        lines = [json.loads(line) for line in result.out.splitlines()]
        self.assertEqual([line["decision"] for line in lines[:3]], ["Invoke"] * 3)
        outcomes = [line["outcomes"][0]["outcome"] for line in lines[:3]]
        self.assertEqual(outcomes, ["Skipped", "Attempted", "Attempted"])
        writes = [line["effects"][0]["writes"] for line in lines[1:3]]
        self.assertEqual(writes, [[{"key": "count", "value": {"Number": 1.0}}],
                                  [{"key": "count", "value": {"Number": 2.0}}]])
        self.assertEqual(lines[3]["status"], "completed")
        replayed = self.replay()
        self.assertEqual(replayed.code, 0, replayed)
        self.assertIn("verified, checksum good", replayed.out)

    def test_an_existing_directory_is_left_alone(self):
        before = {path: path.read_bytes() for path in self.project.rglob("*") if path.is_file()}
        (self.project / "graph.yaml").write_text("mine")
        result = self.run_motet("graph", "init", self.project)
        self.assertEqual(result.code, 1)
        self.assertIn("exists already", result.err)
        self.assertEqual((self.project / "graph.yaml").read_text(), "mine")
        self.assertEqual(len(before), 14)

    def test_one_of_everything_passes_its_own_test(self):
        env = {**os.environ, "MOTET": str(MOTET), "C_INCLUDE_PATH": str(SOURCE / "include")}
        script = self.project / "watch" / "test.sh"
        done = subprocess.run([str(script)], env=env, cwd="/", capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue(done.stdout.endswith("all is well\n"), done.stdout)
        self.assertNotIn("warning", done.stderr)
        # It notices when something is told that should not be.
        graph = self.project / "watch" / "graph.yaml"
        graph.write_text(graph.read_text().replace("default: 30.0", "default: 22.0"))
        done = subprocess.run([str(script)], env=env, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("expected 31.0", done.stdout)

    def test_check_reads_adapters_too(self):
        result = self.graph("check", "adapter.yaml")
        self.assertEqual(result.code, 0, result)
        self.assertIn("adapter:sensor@1.0.0;sha256:", result.out)


class Run(Project):
    def test_one_source_of_events_is_needed(self):
        self.assertEqual(self.graph("run", "graph.yaml", "--adapter", "adapter.yaml").code, 2)

    def test_effects_need_an_adapter(self):
        self.project.joinpath("plain.jsonl").write_text(
            '{"kind":"episode_start"}\n{"kind":"event","event":{"type":"Command"}}\n')
        result = self.graph("run", "graph.yaml", "--fixture", "plain.jsonl")
        self.assertEqual(result.code, 1, result)
        self.assertIn("adapter.required_for_graph", result.err)

    def test_max_events_ends_the_run_with_a_capture(self):
        result = self.run_fixture("--max-events", "2")
        self.assertEqual(result.code, 0, result)
        self.assertIn("status=interrupted reason=host_stop_requested", result.out)
        self.assertEqual(self.replay().code, 0)

    def test_FG12_a_bad_line_is_found_before_anything_runs(self):
        with open(self.project / "fixture.jsonl", "a") as f:
            f.write("\n{broken\n")
        result = self.run_fixture()
        self.assertEqual(result.code, 1, result)
        self.assertIn("fixture.parse_error: line 6", result.err)
        self.assertIn("status=interrupted reason=fixture.parse_error episodes=0 events=0", result.out)

    def test_FG12_a_pipe_is_read_once_and_keeps_what_was_committed(self):
        lines = (self.project / "fixture.jsonl").read_text() + "{broken\n"
        result = self.graph("run", "graph.yaml", "--adapter", "adapter.yaml", "--fixture", "-",
                            "--capture", "c.json", stdin=lines)
        self.assertEqual(result.code, 1, result)
        self.assertIn("fixture.parse_error", result.err)
        self.assertIn("events=3", result.out)
        self.assertEqual(self.replay().code, 0)

    def test_FG11_a_fixture_begins_its_first_episode_itself(self):
        lines = (self.project / "fixture.jsonl").read_text().splitlines(keepends=True)
        self.assertIn("episode_start", lines[0])
        self.write("p/fixture.jsonl", "".join(lines[1:]))
        result = self.run_fixture()
        self.assertEqual(result.code, 0, result)
        self.assertIn("episodes=1 events=3", result.out)
        self.write("p/fixture.jsonl", "".join(lines[1:] + lines))
        self.assertIn("episodes=2 events=6", self.run_fixture().out)

    def test_FG17_a_failed_episode_is_printed_as_the_capture_has_it(self):
        self.write("p/graph.yaml", "kind: cluster\nid: g\nversion: 1.0.0\nnodes:\n"
                   "  x: {impl: context_number_source@0.1.0, params: {key: reading}}\n"
                   "  z: {impl: number_source@0.1.0}\n  d: {impl: divide@0.2.0}\n"
                   "edges: [x.value -> d.a, z.value -> d.b]\n")
        result = self.run_fixture("--json")
        first = json.loads(result.out.splitlines()[0])
        self.assertEqual(first["termination"], {"Failed": "SemanticError"})
        capture = json.loads((self.project / "c.json").read_text())
        self.assertEqual(capture["decisions"][0]["termination"], first["termination"])

    def test_FG17_a_closed_output_is_not_blamed_on_the_trace(self):
        words = [str(MOTET), "graph", "run", "graph.yaml", "--adapter", "adapter.yaml", "--fixture",
                 "fixture.jsonl", "--capture", "c.json", "--json", "--trace"]
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run(words, cwd=self.project, stdout=write, stderr=subprocess.PIPE,
                              timeout=60, preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN))
        os.close(write)
        self.assertNotIn(b"trace.jsonl", done.stderr)
        self.assertEqual(done.returncode, 3, done)

    def test_a_payload_against_the_schema_is_refused(self):
        with open(self.project / "fixture.jsonl", "a") as f:
            f.write('{"kind":"event","event":{"type":"DataAvailable","semantic_kind":'
                    '"reading","payload":{"reading":"hot"}}}\n')
        result = self.run_fixture()
        self.assertEqual(result.code, 1, result)
        self.assertIn("host.event_build_failed", result.err)
        self.assertEqual(self.replay().code, 0)

    def test_duplicate_ids_are_refused_or_skipped(self):
        line = ('{"kind":"event","event":{"type":"DataAvailable","id":"same","semantic_kind":'
                '"reading","payload":{"reading":40.0}}}\n')
        with open(self.project / "fixture.jsonl", "a") as f:
            f.write(line + line)
        self.assertIn("host.duplicate_event_id", self.run_fixture().err)
        self.assertEqual(self.replay().code, 0)
        result = self.run_fixture("--skip-duplicates")
        self.assertEqual(result.code, 0, result)
        self.assertIn("skipped=1", result.out)
        self.assertEqual(self.replay().code, 0)

    def test_events_of_a_filtered_kind_are_skipped(self):
        result = self.run_fixture("--skip-kind", "reading")
        self.assertIn("invoked=0 deferred=0 skipped=3", result.out)
        self.assertEqual(self.replay().code, 0)

    def test_a_rate_limit_defers_and_replays(self):
        result = self.run_fixture("--max-per-window", "1", "--rate-window", "10s")
        self.assertIn("invoked=1 deferred=2", result.out)
        self.assertEqual(self.replay().code, 0)

    def test_a_capture_is_replayed_from_a_pipe(self):
        self.run_fixture()
        capture = (self.project / "c.json").read_text()
        result = self.graph("replay", "-", "--graph", "graph.yaml", "--adapter", "adapter.yaml", stdin=capture)
        self.assertEqual(result.code, 0, result)
        self.assertIn("verified", result.out)

    def test_options_that_make_no_sense_are_refused(self):
        for words in (["--max-events", "many"], ["--deadline", "soon"],
                      ["--max-per-window", "1"], ["--rate-window", "1s"]):
            self.assertEqual(self.run_fixture(*words).code, 2, words)

    def test_files_that_are_not_there(self):
        self.assertEqual(self.graph("run", "no.yaml", "--fixture", "fixture.jsonl").code, 3)
        self.assertEqual(self.graph("run", "graph.yaml", "--adapter", "adapter.yaml",
                                    "--fixture", "no.jsonl").code, 3)
        self.assertEqual(self.run_fixture("--capture", "no/where/c.json").code, 3)


class Drivers(Project):
    def drive(self, mode, *more, **named):
        driver = self.write("driver.py", DRIVER)
        return self.graph("run", "graph.yaml", "--adapter", "adapter.yaml", "--driver",
                          sys.executable, "--driver-arg", driver, "--driver-arg", mode,
                          "--capture", "c.json", *more, **named)

    def assert_interrupted(self, mode, reason, events=4):
        result = self.drive(mode)
        self.assertEqual(result.code, 1, result)
        self.assertIn(f"reason={reason}", result.out)
        self.assertIn(f"events={events}", result.out)
        self.assertEqual(self.replay().code, 0)

    def test_a_driver_that_behaves(self):
        result = self.drive("well")
        self.assertEqual(result.code, 0, result)
        self.assertIn("status=completed", result.out)
        self.assertEqual(self.replay().code, 0)

    def test_a_driver_that_dies(self):
        self.assert_interrupted("die", "driver_terminated")

    def test_a_driver_that_speaks_nonsense(self):
        self.assert_interrupted("garbage", "protocol_violation")

    def test_a_driver_that_floods(self):
        self.assert_interrupted("flood", "protocol_violation")

    def test_a_driver_that_goes_on_after_its_end(self):
        self.assert_interrupted("after", "protocol_violation")

    def test_FG17_a_driver_that_stays_after_its_end(self):
        self.assert_interrupted("lingers", "driver_terminated")

    def test_a_driver_with_a_bad_exit_status(self):
        self.assert_interrupted("status", "driver_terminated")

    def test_a_driver_that_repeats_an_event(self):
        self.assert_interrupted("again", "host.duplicate_event_id")

    def test_a_driver_that_sends_a_bad_payload(self):
        self.assert_interrupted("bad", "host.event_build_failed")

    def test_a_driver_that_hangs_is_stopped_by_the_duration(self):
        result = self.drive("hang", "--max-duration", "700ms")
        self.assertEqual(result.code, 0, result)
        self.assertIn("host_stop_requested", result.out)
        self.assertEqual(self.replay().code, 0)

    def test_a_driver_that_does_not_exist(self):
        result = self.graph("run", "graph.yaml", "--adapter", "adapter.yaml", "--driver",
                            "/no/such/driver", "--capture", "c.json")
        self.assertEqual(result.code, 1, result)
        self.assertIn("driver.start_failed", result.err)

    def test_a_driver_needs_an_adapter(self):
        result = self.graph("run", "graph.yaml", "--driver", "true")
        self.assertIn("adapter", result.err)
        self.assertEqual(result.code, 1)


class Egress(Case):
    """The crossover example with channels of every temper."""

    def setUp(self):
        super().setUp()
        shutil.copytree(EXAMPLE, self.dir / "x")
        self.here = self.dir / "x"
        self.run_motet("graph", "fixture", "import", "prices.csv", "--semantic-kind", "price",
                       "--columns", "close,spread", "--out", "prices.jsonl", cwd=self.here)

    def trade(self, egress="egress.yaml", more=()):
        return self.run_motet("graph", "run", "crossover.yaml", "--adapter", "adapter.yaml",
                              "--egress", egress, "--fixture", "prices.jsonl", "--capture",
                              "c.json", *more, cwd=self.here)

    def replay(self, capture="c.json"):
        return self.run_motet("graph", "replay", capture, "--graph", "crossover.yaml",
                              "--adapter", "adapter.yaml", cwd=self.here)

    def channel(self, mode):
        self.here.joinpath("channel.py").write_text(CHANNEL)
        self.here.joinpath("e.json").write_text(json.dumps({
            "default_ack_timeout": "300ms",
            "channels": {"broker": {"type": "process",
                                    "command": [sys.executable, "channel.py", mode]}},
            "routes": {"place_order": {"channel": "broker"}}}))
        return self.trade("e.json")

    def test_orders_arrive_once_and_are_acknowledged(self):
        result = self.trade()
        self.assertEqual(result.code, 0, result)
        orders = [json.loads(x) for x in (self.here / "orders.jsonl").read_text().splitlines()]
        self.assertGreaterEqual(len(orders), 3)
        self.assertEqual({o["fields"]["symbol"] for o in orders}, {"EURUSD"})
        self.assertEqual(len({o["intent_id"] for o in orders}), len(orders))
        capture = json.loads((self.here / "c.json").read_text())
        acks = [a for d in capture["decisions"] for a in d.get("intent_acks", [])]
        self.assertEqual([a["intent_id"] for a in acks], [o["intent_id"] for o in orders])
        self.assertTrue(capture["egress_provenance"].startswith("epv1:sha256:"))
        before = (self.here / "orders.jsonl").read_bytes()
        self.assertEqual(self.replay().code, 0)
        self.assertEqual((self.here / "orders.jsonl").read_bytes(), before)

    def assert_interrupted(self, mode, reason):
        result = self.channel(mode)
        self.assertEqual(result.code, 1, result)
        self.assertIn(f"reason={reason}", result.out)
        self.assertEqual(self.replay().code, 0)

    def test_a_channel_that_never_answers(self):
        self.assert_interrupted("silent", "egress_ack_timeout")
        capture = json.loads((self.here / "c.json").read_text())
        self.assertIn("egress dispatch failed", capture["decisions"][-1]["interruption"])

    def test_a_channel_that_dies(self):
        self.assert_interrupted("dies", "egress_io")

    def test_FG17_what_a_channel_said_is_not_recorded(self):
        result = self.channel("tells")
        self.assertEqual(result.code, 1, result)
        self.assertIn("it last said: the password is hunter2", result.err)
        capture = (self.here / "c.json").read_text()
        self.assertNotIn("hunter2", capture)
        self.assertIn("egress dispatch failed: channel 'broker' ended", capture)

    def test_FG17_acknowledgements_and_nested_names_are_checked_without_the_checksum(self):
        self.assertEqual(self.trade().code, 0)
        (self.here / "c.json.sum").unlink()
        good = (self.here / "c.json").read_text()
        one = re.search(r'"intent_acks":\[\{"intent_id":"eid1:sha256:(\w{8})', good).group(1)
        for old, new in (('"intent_acks"', '"intent_aks"'), ('"schedule_at"', '"schedule_ad"'),
                         ('"deadline":null', '"deadlime":null'), ('"nanos"', '"nanas"'),
                         ('"egress_ref"', '"egress_reg"'), ('"max_in_flight"', '"max_in_fligth"'),
                         ('"status":"accepted"', '"status":"acceptex"'),
                         ('"acceptance":"durable"', '"acceptance":"durab1e"'),
                         (f'"intent_acks":[{{"intent_id":"eid1:sha256:{one}',
                          '"intent_acks":[{"intent_id":"eid1:sha256:00000000')):
            self.assertIn(old, good)
            (self.here / "c.json").write_text(good.replace(old, new, 1))
            self.assertEqual(self.replay().code, 1, new)

    # What nothing in a capture speaks of a second time: when an event was, which channels there were, what they
    # answered; in a journal also the name of an event that sent nothing.
    ALONE = rb'"(event_time":\{[^}]*\}|egress_provenance":"[^"]*"|egress_ref":"[^"]*"|channel":"[^"]*"|event_id":"[^"]*")'

    def test_FG17_a_flipped_bit_is_found_without_the_checksum(self):
        self.assertEqual(self.trade().code, 0)
        (self.here / "c.json.sum").unlink()
        self.assertEqual(self.replay().code, 0)
        whole = (self.here / "c.json").read_bytes()
        self.assertEqual(self.trade(more=["--journal-only"]).code, 0)
        journal = (self.here / "c.json.journal").read_bytes()
        rng = random.Random(SEED)
        for name, good in (("c.json", whole), ("c.json.journal", journal)):
            alone = {at for m in re.finditer(self.ALONE, good) for at in range(*m.span())
                     if name.endswith("journal") or not m.group(1).startswith(b"event_id")}
            places = [at for at in range(len(good) - 1) if at not in alone]
            self.assertGreater(len(places), len(good) * 3 // 4)
            for _ in range(1000 if SOAK else 60):
                at, bit = rng.choice(places), 1 << rng.randrange(8)
                (self.here / name).write_bytes(good[:at] + bytes([good[at] ^ bit]) + good[at + 1:])
                self.assertEqual(self.replay(capture=name).code, 1, (name, at, bit, good[max(at - 40, 0):at + 20]))

    def test_FG17_a_whole_last_line_of_a_journal_is_not_taken_for_a_torn_one(self):
        self.assertEqual(self.trade(more=["--journal-only"]).code, 0)
        path = self.here / "c.json.journal"
        good = path.read_text()
        self.assertTrue(good.endswith("}\n"))
        path.write_text(good[:-1])
        self.assertEqual(self.replay(capture="c.json.journal").code, 0)
        start = good.rindex("\n", 0, -1) + 1
        for old in ('"decision"', '"kind"', '"payload_hash":"'):
            at = good.index(old, start) + 2
            path.write_text(good[:at] + "X" + good[at + 1:])
            self.assertEqual(self.replay(capture="c.json.journal").code, 1, old)

    def test_a_channel_that_speaks_nonsense(self):
        self.assert_interrupted("nonsense", "egress_protocol_violation")

    def test_a_channel_that_acknowledges_something_else(self):
        self.assert_interrupted("other_id", "egress_protocol_violation")

    def test_a_channel_without_the_kind(self):
        self.assert_interrupted("wrong_kinds", "egress_protocol_violation")

    def test_intents_need_a_route(self):
        result = self.run_motet("graph", "check", "crossover.yaml", "--adapter",
                                "adapter.yaml", "--egress", self.write("none.yaml",
                                "default_ack_timeout: 1s\nchannels: {}\nroutes: {}\n"),
                                cwd=self.here)
        self.assertEqual(result.code, 1, result)
        self.assertIn("HST-5", result.err)

    def test_a_bad_configuration_is_refused_with_every_fault(self):
        bad = self.write("bad.yaml", "default_ack_timeout: soon\nchannels:\n"
                         "  a: {type: pipe, command: []}\nroutes:\n  place_order: "
                         "{channel: b}\nsurprise: 1\n")
        result = self.trade(bad)
        self.assertEqual(result.code, 1, result)
        self.assertGreaterEqual(result.err.count("egress.config_invalid"), 4)


class Replay(Project):
    def setUp(self):
        super().setUp()
        self.assertEqual(self.run_fixture("--trace").code, 0)

    def tamper(self, change, keep_sum=False):
        path = self.project / "c.json"
        document = json.loads(path.read_text())
        change(document)
        path.write_text(json.dumps(document))
        if not keep_sum:
            (self.project / "c.json.sum").unlink(missing_ok=True)
        (self.project / "c.json.trace.jsonl").unlink(missing_ok=True)

    def assert_code(self, change, code):
        self.tamper(change)
        result = self.replay("--json")
        self.assertEqual(result.code, 1, result)
        found = json.loads(result.out)["divergence"]
        self.assertEqual(found["code"], code)
        return found

    def test_every_changed_byte_is_caught_by_the_checksum(self):
        path = self.project / "c.json"
        good = path.read_bytes()
        generator = random.Random(SEED)
        count = len(good) if SOAK else 40
        for at in sorted(generator.sample(range(len(good)), count)):
            broken = bytearray(good)
            broken[at] ^= 1 << generator.randrange(8)
            path.write_bytes(bytes(broken))
            result = self.replay()
            self.assertEqual(result.code, 1, f"byte {at}: {result}")
            self.assertIn("checksum", result.err)

    def test_REP_1_a_payload_hash_that_does_not_match(self):
        def change(d): d["events"][1]["payload"][12] ^= 1
        self.assertEqual(self.assert_code(change, "replay.hash_mismatch")["event"], 1)

    def test_a_changed_payload_with_its_hash_changes_the_effects(self):
        def change(d):
            text = bytes(d["events"][1]["payload"]).replace(b"31.0", b"3.0").replace(
                b'"reading":31', b'"reading":3')
            d["events"][1]["payload"] = list(text)
            d["events"][1]["payload_hash"] = hashlib.sha256(text).hexdigest()
        found = self.assert_code(change, "replay.effect_mismatch")
        self.assertEqual(found["event_id"], "fixture_evt_2")

    def test_the_version(self):
        def change(d): d["capture_version"] = "v2"
        self.assert_code(change, "replay.unsupported_capture_version")

    def test_the_graph_id(self):
        def change(d): d["graph_id"] = "other"
        self.assert_code(change, "replay.graph_id_mismatch")

    def test_REP_8_event_ids_are_unique(self):
        def change(d): d["events"][1]["event_id"] = d["events"][0]["event_id"]
        self.assert_code(change, "replay.duplicate_event_id")

    def test_REP_8_an_id_that_is_used_twice_is_found_where_all_else_holds(self):
        def change(d):
            for part in (d["events"], d["decisions"]):
                part[1]["event_id"] = part[0]["event_id"]
        self.assertEqual(self.assert_code(change, "replay.duplicate_event_id")["event"], 1)

    def test_REP_7_the_adapter_is_the_same(self):
        def change(d): d["adapter_provenance"] += "0"
        self.assert_code(change, "replay.adapter_provenance_mismatch")

    def test_REP_7_a_capture_without_adapter_refuses_one(self):
        def change(d): d["adapter_provenance"] = "none"
        self.assert_code(change, "replay.unexpected_adapter")

    def test_REP_7_a_capture_with_adapter_needs_one(self):
        result = self.graph("replay", "c.json", "--graph", "graph.yaml", "--json")
        self.assertEqual(json.loads(result.out)["divergence"]["code"],
                         "replay.adapter_required")

    def test_REP_7_a_journal_by_key_needs_an_adapter_with_that_key(self):
        self.assertEqual(self.run_fixture("--journal-only", "--overwrite").code, 0)
        path = self.project / "c.json.journal"
        head, steps = path.read_text().split("\n", 1)
        path.write_text(json.dumps({**json.loads(head), "key": "sensor"}) + "\n" + steps)
        result = self.replay("--json", capture="c.json.journal")
        self.assertEqual(json.loads(result.out)["divergence"]["code"], "replay.key_mismatch")

    def test_REP_7_the_graph_is_the_same(self):
        def change(d): d["runtime_provenance"] += "0"
        self.assert_code(change, "replay.runtime_provenance_mismatch")

    def test_an_effect_kind_the_graph_cannot_produce(self):
        def change(d): d["decisions"][1]["effects"][0]["effect"]["kind"] = "launch"
        self.assert_code(change, "replay.external_effect_kind_unrepresentable")

    def test_each_field_of_a_decision(self):
        changes = {
            "event_id": "x", "decision": "Defer", "schedule_at": {"secs": 1, "nanos": 0},
            "episode_id": 9, "deadline": {"secs": 1, "nanos": 0},
            "termination": {"Failed": "SemanticError"}, "retry_count": 1,
        }
        good = (self.project / "c.json").read_bytes()
        for field, value in changes.items():
            (self.project / "c.json").write_bytes(good)
            def change(d): d["decisions"][1][field] = value
            found = self.assert_code(change, "replay.decision_mismatch")
            self.assertEqual(found["field"], field)

    def test_the_number_of_decisions(self):
        def change(d): d["decisions"].pop()
        self.assert_code(change, "replay.decision_mismatch")

    def test_an_effect_and_its_hash(self):
        good = (self.project / "c.json").read_bytes()
        def value(d):
            d["decisions"][1]["effects"][0]["effect"]["writes"][0]["value"]["Number"] = 7.0
        found = self.assert_code(value, "replay.effect_mismatch")
        self.assertEqual(found["node"], "remember")
        self.assertIn("7.0", found["recorded"])
        (self.project / "c.json").write_bytes(good)
        def digest(d): d["decisions"][1]["effects"][0]["effect_hash"] = "0" * 64
        self.assert_code(digest, "replay.effect_mismatch")
        (self.project / "c.json").write_bytes(good)
        def none(d): d["decisions"][1]["effects"] = []
        self.assert_code(none, "replay.effect_mismatch")

    def test_a_trace_finds_the_node(self):
        path = self.project / "c.json.trace.jsonl"
        path.write_text(path.read_text().replace('"result":true', '"result":false', 1))
        result = self.replay("--json")
        found = json.loads(result.out)["divergence"]
        self.assertEqual((found["code"], found["node"]), ("replay.trace_mismatch", "high"))

    def test_event_shows_what_every_node_said(self):
        result = self.replay("--event", "fixture_evt_2")
        line = json.loads(result.out.splitlines()[0])
        said = {node["path"]: node["outputs"] for node in line["nodes"]}
        self.assertEqual(said["next"], {"result": 1.0})
        self.assertEqual(line["outcomes"][0]["outcome"], "Attempted")
        self.assertEqual(self.replay("--event", "nobody").code, 1)

    def test_a_signed_capture(self):
        mine = self.run_motet("agent", "dna", "keygen", self.project / "mine").out.strip()
        other = self.run_motet("agent", "dna", "keygen", self.project / "other").out.strip()
        self.assertEqual(self.replay("--key", mine).code, 1, "not signed yet")
        self.assertEqual(self.run_fixture("--sign", "mine").code, 0)
        self.assertEqual(self.replay("--key", mine).code, 0)
        self.assertEqual(self.replay().code, 0)
        self.assertEqual(self.replay("--key", other).code, 1)
        self.assertEqual(self.replay("--key", "short").code, 2)
        signature = self.project / "c.json.sig"
        good = signature.read_text()
        for bad in ("", "x", good[:-9], good.replace(good[70], "0" if good[70] != "0" else "1")):
            signature.write_text(bad)
            self.assertEqual(self.replay().code, 1, bad)
        self.assertEqual(self.run_fixture().code, 0)
        self.assertFalse(signature.exists(), "the signature of an earlier capture goes")

    def test_until_stops_early(self):
        self.assertIn("events=1 ", self.replay("--until", "1").out)

    def test_truncated_and_strange_captures(self):
        good = (self.project / "c.json").read_bytes()
        (self.project / "c.json.sum").unlink()
        for text in (b"", b"{}", b"[]", b"null", good[:-20], b"\xff\xfe", b"{" * 100000):
            (self.project / "c.json").write_bytes(text)
            self.assertEqual(self.replay().code, 1, text[:20])


class Killed(Project):
    def test_a_run_killed_at_any_moment_replays_up_to_the_kill(self):
        line = ('{"kind":"event","event":{"type":"DataAvailable","semantic_kind":"reading",'
                '"payload":{"reading":%d.5}}}\n')
        with open(self.project / "fixture.jsonl", "w") as f:
            f.write('{"kind":"episode_start"}\n')
            f.writelines(line % (i % 50) for i in range(400000))
        generator = random.Random(SEED)
        for _ in range(10 if SOAK else 3):
            (self.project / "k.json.journal").unlink(missing_ok=True)
            child = subprocess.Popen(
                [str(MOTET), "graph", "run", "graph.yaml", "--adapter", "adapter.yaml",
                 "--fixture", "fixture.jsonl", "--capture", "k.json"], cwd=self.project,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(generator.uniform(0.05, 0.5))
            os.kill(child.pid, signal.SIGKILL)
            child.wait()
            journal = self.project / "k.json.journal"
            if not journal.exists() or not journal.stat().st_size:
                continue
            self.assertEqual(self.replay(capture="k.json.journal").code, 0)
            exported = self.graph("export", "k.json.journal", "--out", "k2.json")
            self.assertEqual(exported.code, 0, exported)
            self.assertEqual(self.replay(capture="k2.json").code, 0)


FORMULA = """kind: compute
id: f
version: 1.0.0
inputs: [{name: a, type: number}]
parameters: [{name: k, type: number, default: 2.0}]
outputs: [{name: result, type: number}]
"""
WORD = """kind: source
id: word
version: 1.0.0
outputs: [{name: value, type: string}]
parameters: [{name: key, type: string, default: word}]
requires: {context: [{name: $key, type: string, required: true}]}
"""
HALF = """kind: cluster
id: half
version: 1.0.0
inputs: [{name: a, type: number}, {name: unused, type: bool, required: false}]
parameters: [{name: k, type: number}]
nodes: {two: {impl: const_number@0.1.0, params: {value: {exposed: k}}}, d: {impl: divide@0.2.0}}
edges: [$a -> d.a, two.value -> d.b]
outputs: {result: d.result}
"""
MEMORY = """kind: cluster
id: g
version: 1.0.0
nodes:
  price: {impl: context_number_source@0.1.0, params: {key: price}}
  seen: {impl: context_number_source@0.1.0, params: {key: seen}}
  more: {impl: gt@0.1.0}
  emit: {impl: emit_if_true@0.1.0}
  note: {impl: context_set_number@0.1.0, params: {key: seen}}
edges: [price.value -> more.a, seen.value -> more.b, more.result -> emit.input,
        emit.event -> note.event, price.value -> note.value]
"""


def adapter_of(keys, *kinds):
    """An adapter; each of `kinds` is the list of the properties of an event, all numbers."""
    return json.dumps({
        "kind": "adapter", "id": "a", "version": "1.0.0", "runtime_compatibility": "0.1.0",
        "context_keys": [{"name": k, "type": "Number", "required": False, "writable": True} for k in keys],
        "event_kinds": [{"name": f"kind{i}", "payload_schema": {
            "type": "object", "additionalProperties": False,
            "properties": {p: {"type": "number"} for p in names}}} for i, names in enumerate(kinds)],
        "accepts": {"effects": [{"name": "set_context", "payload_schema": {
            "type": "object", "additionalProperties": False}}]},
        "capture": {"format_version": "1", "fields": []}})


class Truth(Case):
    """check says that something is good only when a graph could use it."""

    def check(self, code, name, text, *more):
        self.write(name, text)
        result = self.run_motet("graph", "check", name, *more, cwd=self.dir)
        self.assertEqual(result.code, code, result)
        return result

    def test_FG8_a_formula_is_compiled(self):
        for formula, code in (("a * k", None), ("foo(bar +", "expression.syntax"), ("a > k", "CMP-20"),
                              ("a * other", "expression.syntax")):
            result = self.check(1 if code else 0, "m.yaml", FORMULA + f"expression: {formula}\n")
            self.assertIn(code or "compute f@1.0.0 is good", result.err + result.out, formula)
        two = FORMULA.replace("outputs: [", "outputs: [{name: more, type: number}, ")
        self.assertIn("expression.syntax", self.check(1, "m.yaml", two + "expression: a * k\n").err)

    def test_FG8_a_cluster_behind_a_manifest_is_found_and_fits(self):
        self.check(1, "m.yaml", FORMULA + "cluster: half@1\n")
        self.write("half.yaml", HALF)
        self.check(0, "m.yaml", FORMULA + "cluster: half@1\n")
        self.assertIn("I.6", self.check(1, "m.yaml", FORMULA + "cluster: half@2\n").err)
        self.write("half.yaml", HALF.replace("name: a, type: number", "name: a, type: bool"))
        self.assertIn("D.2", self.check(1, "m.yaml", FORMULA + "cluster: half@1\n").err)

    def test_FG8_a_manifest_without_code_is_noted_and_refused_where_it_is_used(self):
        for text in (WORD, FORMULA):
            result = self.check(0, "m.yaml", text)
            self.assertIn("a host has to bring the code", result.err)
        self.write("manifests/word.yaml", WORD)
        use = "kind: cluster\nid: g\nversion: 1.0.0\nnodes: {n: {impl: %s}}\n"
        self.check(0, "g.yaml", use % "number_source@0.1.0")
        result = self.check(1, "g.yaml", use % "word@1.0.0")
        self.assertIn('nothing says what source "word" does', result.err)
        half = WORD.replace("type: string}]\np", "type: string, from: context.$key}, {name: b, type: string}]\np")
        self.assertIn("has no origin", self.check(1, "m.yaml", half).err)

    def test_FG8_a_manifest_is_composed_with_an_adapter(self):
        self.write("good.json", adapter_of(["word"], ["word"]).replace('"Number"', '"String"')
                   .replace('"number"', '"string"'))
        self.write("other.json", adapter_of(["ward"], ["ward"]))
        self.write("number.json", adapter_of(["word"], ["word"]))
        self.check(0, "m.yaml", WORD, "--adapter", "good.json")
        self.assertIn("COMP-1", self.check(1, "m.yaml", WORD, "--adapter", "other.json").err)
        self.assertIn("COMP-2", self.check(1, "m.yaml", WORD, "--adapter", "number.json").err)
        # A key that a parameter without a default names is known where the primitive is used.
        open_key = WORD.replace(", default: word", "")
        self.check(0, "m.yaml", open_key, "--adapter", "other.json")

    def test_FG8_a_cluster_alone_is_checked_explained_and_drawn(self):
        result = self.check(0, "half.yaml", HALF)
        self.assertIn("cluster half@1.0.0 is good: 2 nodes", result.out)
        self.assertIn("cannot run by itself", result.out)
        told = self.holds("graph", "explain", "half.yaml", cwd=self.dir).out
        self.assertIn("a <- $a, an input of the cluster", told)
        drawn = self.holds("graph", "render", "half.yaml", "--format", "dot", cwd=self.dir).out
        self.assertIn("$a", drawn)
        self.assertIn("$unused", drawn)
        self.assertIn("V.4", self.check(1, "half.yaml", HALF.replace("divide@0.2.0", "and@0.1.0")).err)
        self.write("f.jsonl", '{"kind":"event","event":{"type":"Command"}}\n')
        self.write("half.yaml", HALF)
        self.assertIn("E.3", self.fails(1, "graph", "run", "half.yaml", "--fixture", "f.jsonl",
                                        cwd=self.dir).err)

    def test_FG10_keys_that_can_never_be_read_are_warned_of(self):
        rows = [
            (MEMORY, adapter_of(["price", "seen"], ["price", "seen"]), []),
            (MEMORY, adapter_of(["price", "seen"], ["price"]),
             ['reads context key "seen", which no event\'s schema has', 'writes "seen", which no event']),
            (MEMORY, adapter_of(["price", "seen"], ["price", "seen"], ["price"]),
             ['at an event "kind1", whose schema does not have it']),
            (MEMORY.replace("key: price", "key: pirce"), adapter_of(["price", "seen"], ["price", "seen"]),
             ['reads "pirce", which no event and no context key has', 'did you mean "price"?']),
            (MEMORY.replace("key: price", "key: zzz"), adapter_of(["price", "seen"], ["price", "seen"]),
             ['reads "zzz", which no event and no context key has: it is always the default\n']),
        ]
        for graph, adapter, said in rows:
            self.write("a.json", adapter)
            result = self.check(0, "g.yaml", graph, "--adapter", "a.json")
            for part in said:
                self.assertIn(part, result.err)
            self.assertEqual(bool(result.err), bool(said), result)

    PLACE = """kind: action
id: place
version: 1.0.0
inputs: [{name: event, type: event}, {name: amount, type: number}]
outputs: [{name: outcome, type: event}]
parameters: [{name: side, type: string, default: buy}]
requires: {context: [{name: bid, type: number, required: false}]}
effects:
  writes: [{name: last, type: number, from_input: amount}]
  intents:
    - name: order
      fields: [{name: amount, type: number, from_input: amount}, {name: side, type: string, from_param: side}]
      mirror_writes: [{name: last_side, type: string, from_field: side}]
"""

    def test_check_of_manifests_is_silent_about_nothing(self):
        self.check(0, "m.yaml", self.PLACE)
        for text, old, new, said in (
                (self.PLACE, "kind: action", "kind: acton", "did you mean `action`?"),
                (self.PLACE, "kind: action", "kind: Action", "did you mean `action`?"),
                (self.PLACE, "kind: action", "kind: thing", "`kind` is \"thing\", which is not a kind of file"),
                (self.PLACE, "kind: action\n", "", "`kind` is missing"),
                (self.PLACE, "type: event}, ", "type: evnt}, ", 'port "event" has no type that is known'),
                (self.PLACE, "outcome, type: event", "outcome, type: bool", 'port "outcome" of an Action cannot be Bool'),
                (self.PLACE, "- name: order", "- name: ''", "an intent has no name"),
                (self.PLACE, "- name: order\n      fields", "- fields", "an intent has no name"),
                (self.PLACE, "{name: side, type: string, from_param", "{type: string, from_param", "a field of an intent has no name"),
                (self.PLACE, "{name: last, type", "{type", "a write has no name"),
                (self.PLACE, "{name: last_side, type", "{type", "a write has no name"),
                (self.PLACE, "[{name: bid, type", "[{type", "a required context key has no name"),
                (self.PLACE, "required: false}", "required: false}, {name: bid, type: number}", 'key "bid" is required twice'),
                (self.PLACE, "version: 1.0.0", "version: 1.0.0\nexpression: amount", "an Action has neither `expression` nor `cluster`"),
                (FORMULA + "expression: a * k\n", "expression", "cluster: half@1\nexpression", "both `expression` and `cluster`"),
                (FORMULA + "expression: a * k\n", "name: k", "name: a", '"a" is both an input and a parameter of the formula'),
                (FORMULA + "expression: a * k\n", "expression", "effects: {writes: [{name: w, type: number, from_input: a}]}\nexpression",
                 "only an Action has effects")):
            self.assertIn(old, text)
            result = self.check(1, "m.yaml", text.replace(old, new, 1))
            self.assertIn(said, result.err, (old, new))
        result = self.check(1, "m.yaml", self.PLACE.replace("kind: action", "kind: acton"))
        self.assertEqual(re.findall(r"^\w+\[.*?\]", result.err, re.M), ["error[X.1]"], "and nothing of what follows from it")
        result = self.check(0, "m.yaml", FORMULA + "outcome: Attempted\nexpression: a * k\n")
        self.assertIn("only an Action has an outcome", result.err)

    def test_check_names_what_was_probably_meant(self):
        graph = "kind: cluster\nid: g\nversion: 1.0.0\nnodes:\n  price: {impl: number_source@*, params: {value: 1.0}}\n" \
                "  twice: {impl: add@*}\nedges: [price.value -> twice.a, price.value -> twice.b]\noutputs: {o: twice.result}\n"
        self.check(0, "g.yaml", graph)
        for old, new, code, meant in (("number_source", "numbr_source", "V.8", "number_source"),
                                      ("price.value -> twice.a", "pice.value -> twice.a", "D.2", "price"),
                                      ("price.value -> twice.a", "price.vale -> twice.a", "D.2", "value"),
                                      ("twice.result", "twice.reslt", "D.2", "result"), ("{value:", "{vlaue:", "I.7", "value")):
            result = self.check(1, "g.yaml", graph.replace(old, new, 1))
            self.assertIn(f"error[{code}]", result.err, new)
            self.assertIn(f"did you mean `{meant}`?", result.err, new)
        self.assertIn("see `motet graph primitives`", self.check(1, "g.yaml", graph.replace("number_source", "zzz")).err)

    def test_check_warns_of_a_stored_value_that_an_event_does_not_let_through(self):
        """What it says is so: after the first write the event is refused."""
        wrong = adapter_of(["price", "seen"], ["price", "seen"]).replace('"seen": {"type": "number"}', '"seen": {"type": "string"}')
        self.assertIn('"string"', wrong)
        self.write("a.json", wrong)
        result = self.check(0, "g.yaml", MEMORY, "--adapter", "a.json")
        self.assertIn('writes "seen" as Number, which the schema of event "kind0" does not let through', result.err)
        self.write("f.jsonl", "".join(json.dumps({"kind": "event", "event": {
            "type": "DataAvailable", "id": f"e{i}", "semantic_kind": "kind0", "payload": {"price": 5.0}}}) + "\n" for i in range(2)))
        ran = self.fails(1, "graph", "run", "g.yaml", "--adapter", "a.json", "--fixture", "f.jsonl", "--capture", "c.json", cwd=self.dir)
        self.assertIn("event 'e1': the payload breaks the schema", ran.err)
        for word, meant in (("minimun", "minimum"), ("requird", "required"), ("x-ours", None), ("zzz", "")):
            odd = json.loads(adapter_of(["price", "seen"], ["price", "seen"]))
            odd["event_kinds"][0]["payload_schema"]["properties"]["price"][word] = 1
            self.write("a.json", json.dumps(odd))
            said = self.check(0, "g.yaml", MEMORY, "--adapter", "a.json").err
            self.assertEqual(f"`{word}` is not a word of JSON Schema" in said, meant is not None, word)
            self.assertEqual("did you mean" in said, bool(meant), word)

    def test_FG17_help_knows_every_code(self):
        for code in ("HST-2", "HST-5", "HST-9", "replay.effect_mismatch", "replay.duplicate_event_id",
                     "fixture.parse_error", "egress_ack_timeout", "resume.other_event", "advice.key",
                     "driver_terminated", "host.duplicate_event_id", "I.2"):
            self.assertTrue(self.holds("help", code).out.startswith(f"{code}: "))
        sources = "".join(p.read_text() for p in (*(SOURCE / "src" / "host").glob("graph*.c"),
                                                  *(SOURCE / "src" / "graph").glob("*.c")))
        codes = set(re.findall(r'"((?:host|replay|resume|fixture|driver|egress|adapter)\.[a-z_]+|HST-\d+)"', sources))
        self.assertGreater(len(codes), 25)
        for code in codes:
            self.holds("help", code)


NUMBER, BOOL, TEXT = "Number", "Bool", "String"


def port(name, of, required=True):
    return {"name": name, "value_type": of, "required": required}


def gives(name, of):
    return {"name": name, "value_type": of, "cardinality": "Single"}


def takes(name, of, default=None):
    kind = None if default is None else {"kind": of, "value": default}
    return {"name": name, "ty": of, "required": default is None, "default": kind}


# The interfaces of the primitives below: kind, inputs, outputs, parameters, by name.
FACES = {
    "number_source": ("Source", [], [gives("value", NUMBER)], [takes("value", NUMBER, 0.0)]),
    "context_number_source": ("Source", [], [gives("value", NUMBER)], [takes("key", TEXT, "x")]),
    "const_number": ("Compute", [port("unit", NUMBER, False)], [gives("value", NUMBER)],
                     [takes("value", NUMBER)]),
    "gt": ("Compute", [port("a", NUMBER), port("b", NUMBER)], [gives("result", BOOL)], []),
    "context_series_source": ("Source", [], [gives("value", "Series")], [takes("key", TEXT, "x")]),
    "window": ("Compute", [port("series", "Series")], [gives("result", "Series")],
               [takes("size", NUMBER, 5.0)]),
    "mean": ("Compute", [port("series", "Series")], [gives("result", NUMBER)], []),
    "emit_if_true": ("Trigger", [port("input", BOOL)], [gives("event", "Event")], []),
    "ack_action": ("Action", [port("event", "Event")], [gives("outcome", "Event")],
                   [takes("accept", BOOL, True)]),
    "annotate_action": ("Action", [port("event", "Event")], [gives("outcome", "Event")],
                        [takes("note", TEXT, "")]),
}
LITERALS = {float: NUMBER, bool: BOOL, str: TEXT, int: "Int"}


def rpv1(graph, defaults=True):
    """The identity of a graph without clusters, by the layout alone. `defaults` False: as it was
    computed once, over bound parameters."""
    ids = {name: f"n{i}" for i, name in enumerate(sorted(graph["nodes"]))}

    def end(text):
        node, name = text.split(".")
        return {"kind": "NodePort", "node_id": ids[node], "port_name": name}

    nodes = []
    for name, node in graph["nodes"].items():
        impl, version = node["impl"].split("@")
        values = {p["name"]: p["default"] for p in FACES[impl][3] if p["default"] and defaults}
        values.update({p: {"kind": LITERALS[type(v)], "value": v}
                       for p, v in node.get("params", {}).items()})
        nodes.append({"runtime_id": ids[name], "impl_id": impl, "requested_version": version,
                      "resolved_version": "0.1.0",
                      "parameters": [{"name": p, "value": values[p]} for p in sorted(values)]})
    edges = [{"from": end(a), "to": end(b)} for a, b in (e.split(" -> ") for e in graph["edges"])]
    used = sorted({node["impl_id"] for node in nodes})
    text = json.dumps({
        "graph_id": graph["id"], "nodes": sorted(nodes, key=lambda n: n["runtime_id"]),
        "edges": sorted(edges, key=lambda e: [f"node:{e[k]['node_id']}.{e[k]['port_name']}"
                                              for k in ("from", "to")]),
        "primitives": [{"impl_id": i, "resolved_version": "0.1.0", "kind": FACES[i][0],
                        "inputs": FACES[i][1], "outputs": FACES[i][2], "parameters": FACES[i][3]}
                       for i in used]}, separators=(",", ":"), ensure_ascii=False)
    return "rpv1:sha256:" + hashlib.sha256(text.encode()).hexdigest()


def hello(id, left, right, last, edges=()):
    """Hello, world: left > right makes `last` run."""
    return {"kind": "cluster", "id": id, "version": "1.0.0",
            "nodes": {**left, **right, "more": {"impl": "gt@^0.1"},
                      "emit": {"impl": "emit_if_true@0.1.0"}, "last": last},
            "edges": [*edges, f"{next(iter(left))}.{list(left.values())[0].pop('out', 'value')} -> more.a",
                      f"{next(iter(right))}.value -> more.b",
                      "more.result -> emit.input", "emit.event -> last.event"]}


def hellos():
    three = {"three": {"impl": "number_source@0.1.0", "params": {"value": 3.0}}}
    one = {"one": {"impl": "number_source@0.1.0", "params": {"value": 1.0}}}
    zero = {"zero": {"impl": "number_source@^0.1"}}
    average = {"average": {"impl": "mean@0.1.0", "out": "result"},
               "recent": {"impl": "window@0.1.0"},
               "series": {"impl": "context_series_source@0.1.0", "params": {"key": "history"}}}
    chain = ("recent.result -> average.series", "series.value -> recent.series")
    ack = {"impl": "ack_action@0.1.0"}
    return {
        "hello_world": hello("hello_world", dict(three), dict(one), ack),
        "accepting": hello("hello_world", dict(three), dict(one), {**ack, "params": {"accept": True}}),
        "refusing": hello("refusing", dict(three), dict(one), {**ack, "params": {"accept": False}}),
        "zero": hello("zero", dict(three), dict(zero), {"impl": "annotate_action@~0.1.0"}),
        "an_int": hello("an_int", {"three": {"impl": "number_source@*", "params": {"value": 3}}},
                        dict(one), ack),
        "x": hello("x", {"x": {"impl": "context_number_source@0.1.0"}}, dict(one), ack),
        "constant": hello("constant", {"c": {"impl": "const_number@0.1.0", "params": {"value": 1.5}}},
                          dict(zero), {"impl": "annotate_action@0.1.0", "params": {"note": "hé"}}),
        "average": hello("average", average, dict(one), ack, chain),
    }


class Identity(Case):
    """rpv1: what a capture names its graph by, so that captures travel."""

    def identity(self, name, graph):
        path = self.write(f"{name}.json", json.dumps(graph, ensure_ascii=False))
        return self.holds("graph", "check", path).out.splitlines()[-1]

    def test_FG7_hello_worlds_have_the_identity_of_the_layout(self):
        for name, graph in hellos().items():
            with self.subTest(name):
                self.assertEqual(self.identity(name, graph), rpv1(graph))

    def test_FG7_a_default_that_is_written_out_changes_nothing(self):
        both = hellos()
        self.assertEqual(self.identity("a", both["hello_world"]), self.identity("b", both["accepting"]))
        self.assertNotEqual(rpv1(both["hello_world"], False), rpv1(both["accepting"], False))

    def test_FG7_hello_world_stays(self):
        self.assertEqual(self.identity("h", hellos()["hello_world"]), "rpv1:sha256:2c225efe0cc69da7e40e9034f08e087656a6b7786d4cc9f7ce8e7832439946fa")

    def test_FG7_captures_made_before_are_replayed(self):
        graph = hellos()["hello_world"]
        self.identity("h", graph)
        self.write("f.jsonl", '{"kind":"episode_start"}\n' +
                   '{"kind":"event","event":{"type":"Command"}}\n' * 3)
        run = ("graph", "run", "h.json", "--fixture", "f.jsonl", "--capture", "c.json")
        self.holds(*run, "--journal-only", "--max-events", "2")
        journal = (self.dir / "c.json.journal").read_text()
        before, now = rpv1(graph, False), rpv1(graph)
        self.assertEqual(journal.count(now), 1)
        other = "rpv1:sha256:" + "0" * 64
        for identity, replay in ((before, self.holds), (other, lambda *w: self.fails(1, *w))):
            self.write("old.journal", journal.replace(now, identity))
            replay("graph", "replay", "old.journal", "--graph", "h.json")
        # A run that was cut off then goes on under its old identity.
        self.write("c.json.journal", journal.replace(now, before))
        self.holds(*run, "--resume")
        self.assertIn(before, (self.dir / "c.json").read_text())
        self.holds("graph", "replay", "c.json", "--graph", "h.json")


class Show(Case):
    def test_explain_tells_the_order_and_the_keys(self):
        result = self.run_motet("graph", "explain", EXAMPLE / "crossover.yaml")
        self.assertEqual(result.code, 0, result)
        self.assertIn("It can write these context keys:", result.out)
        self.assertIn("history: Series", result.out)
        one = self.run_motet("graph", "explain", EXAMPLE / "crossover.yaml", "fast")
        self.assertIn("series <- short.result", one.out)
        order = self.run_motet("graph", "explain", EXAMPLE / "crossover.yaml", "order")
        for edge in ("event <- on_signal.event", "side <- side.result", "price <- close.value"):
            self.assertIn(edge, order.out)
        self.fails(1, "graph", "explain", EXAMPLE / "crossover.yaml", "nobody")

    def test_render_draws_every_form(self):
        for form, start in (("dot", "digraph"), ("mermaid", "flowchart LR"), ("svg", "<?xml")):
            result = self.holds("graph", "render", EXAMPLE / "crossover.yaml", "--format", form)
            self.assertTrue(result.out.startswith(start), result.out[:80])
        self.fails(2, "graph", "render", EXAMPLE / "crossover.yaml", "--format", "png")

    def test_render_draws_the_edges_that_are_written(self):
        lines = (EXAMPLE / "crossover.yaml").read_text().splitlines()
        written = sorted(line.strip(" -") for line in lines if " -> " in line)
        self.assertEqual(len(written), 38)
        dot = self.holds("graph", "render", EXAMPLE / "crossover.yaml", "--format", "dot",
                         "--ports").out
        names = dict(re.findall(r'^  (n\d+) \[shape=.*?label="([^\\]*)\\n', dot, re.M))
        drawn = re.findall(r'^  (n\d+) -> (n\d+) .*label="(.*?) → (.*?)"', dot, re.M)
        self.assertEqual(sorted(f"{names[a]}.{x} -> {names[b]}.{y}" for a, b, x, y in drawn),
                         written)

    def test_render_paints_an_episode(self):
        self.holds("graph", "init", "p")
        here = self.dir / "p"
        self.holds("graph", "run", "graph.yaml", "--adapter", "adapter.yaml", "--fixture",
                   "fixture.jsonl", "--capture", "c.json", cwd=here)
        result = self.holds("graph", "render", "graph.yaml", "--adapter", "adapter.yaml",
                            "--capture", "c.json", "--event", "fixture_evt_3", "--format",
                            "dot", cwd=here)
        self.assertIn("35.2", result.out)

    PAINTED = """{kind: cluster, id: p, version: 1.0.0, nodes: {
      price: {impl: context_number_source@*, params: {key: price}}, by: {impl: context_number_source@*, params: {key: by}},
      name: {impl: context_string_source@*, params: {key: name}}, seen: {impl: context_series_source@*, params: {key: seen}},
      ratio: {impl: divide@*}, two: {impl: number_source@*, params: {value: 2.0}}, above: {impl: gt@*}, below: {impl: lt@*},
      on_above: {impl: emit_if_true@*}, on_below: {impl: emit_if_true@*}, keep: {impl: context_set_string@*, params: {key: last}},
      ok: {impl: ack_action@*}, more: {impl: append@*}, far: {impl: mean@*}},
    edges: [price.value -> ratio.a, by.value -> ratio.b, ratio.result -> above.a, two.value -> above.b, ratio.result -> below.a,
      two.value -> below.b, above.result -> on_above.input, below.result -> on_below.input, on_above.event -> keep.event,
      name.value -> keep.value, on_below.event -> ok.event, seen.value -> more.series, ratio.result -> more.value,
      more.result -> far.series]}"""

    def paint_all(self):
        """Three passes: one above, one that fails, one below; what each form shows of them, by event."""
        self.write("g.yaml", self.PAINTED)
        self.write("f.jsonl", "".join(json.dumps({"kind": "event", "event": {
            "type": "DataAvailable", "id": id, "semantic_kind": "e", "payload": {
                "price": 6.0, "by": by, "name": name, "seen": [float(i) for i in range(9)]}}}) + "\n"
            for id, by, name in (("up", 2.0, 'a "long" name ' * 9), ("bad", 0.0, "b"), ("down", 4.0, "<c> & d"))))
        types = {"price": ("Number", "number"), "by": ("Number", "number"), "name": ("String", "string"),
                 "last": ("String", "string")}
        self.write("a.json", json.dumps({
            "kind": "adapter", "id": "a", "version": "1.0.0", "runtime_compatibility": "0.1.0",
            "context_keys": [{"name": n, "type": t, "required": False, "writable": n == "last"} for n, (t, _) in types.items()]
            + [{"name": "seen", "type": "Series", "required": False, "writable": False}],
            "event_kinds": [{"name": "e", "payload_schema": {"type": "object", "additionalProperties": False, "properties": {
                **{n: {"type": t} for n, (_, t) in types.items()}, "seen": {"type": "array", "items": {"type": "number"}}}}}],
            "accepts": {"effects": [{"name": "set_context", "payload_schema": {"type": "object", "additionalProperties": False}}]},
            "capture": {"format_version": "1", "fields": []}}))
        self.holds("graph", "run", "g.yaml", "--adapter", "a.json", "--fixture", "f.jsonl", "--capture", "c.json")
        return {id: {form: self.holds("graph", "render", "g.yaml", "--adapter", "a.json", "--capture", "c.json", "--event", id,
                                      "--format", form).out for form in ("json", "dot", "mermaid", "svg")}
                for id in ("up", "bad", "down")}

    def test_render_paints_values_outcomes_and_the_edges_that_carried_an_event(self):
        painted = self.paint_all()
        for id, want, edges in (
                ("up", {"ratio": ("3.0", None, False), "on_above": ("Emitted", True, False), "keep": ("Attempted", True, False),
                        "on_below": ("NotEmitted", None, True), "ok": ("Skipped", None, True),
                        "more": ("10 values, last 3.0", None, False), "two": ("2.0", None, False)},
                 {("on_above", "keep")}),
                ("bad", {"ratio": ("failed", False, False), "price": ("6.0", None, False), "above": (None, None, True),
                         "keep": (None, None, True), "on_above": (None, None, True)}, set()),
                ("down", {"on_above": ("NotEmitted", None, True), "keep": ("Skipped", None, True),
                          "on_below": ("Emitted", True, False), "ok": ("Completed", True, False)}, {("on_below", "ok")})):
            picture = json.loads(painted[id]["json"])
            nodes = {n["label"].split("\n")[0]: n for n in picture["nodes"]}
            names = {n["name"]: name for name, n in nodes.items()}
            for name, (line, seen, faded) in want.items():
                node = nodes[name]
                self.assertEqual((node["label"].split("\n")[2:], node.get("seen"), node["faded"]),
                                 ([line] if line else [], seen, faded), (id, name))
            carried = {(names[e["from"]], names[e["to"]]) for e in picture["edges"] if e.get("seen")}
            self.assertEqual(carried, edges, id)
            silent = {names[e["from"]] for e in picture["edges"] if e["line"] == "dotted"}
            self.assertEqual(silent, {names[e["from"]] for e in picture["edges"]} & {
                name for name, n in nodes.items() if n["faded"] or n.get("seen") is False}, id)
        up = painted["up"]
        self.assertIn("result: [0.0,1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0,3.0]",
                      [n["tooltip"].split("\n")[-1] for n in json.loads(up["json"])["nodes"]])
        for form in ("dot", "svg", "mermaid"):
            self.assertIn("10 values, last 3.0", up[form], form)
            self.assertIn("#1a7f37", up[form], form)  # what was seen
            self.assertNotIn("#b42318", up[form].split("prefers-color-scheme")[0], form)
            self.assertIn("#b42318", painted["bad"][form], form)
            if form != "dot":  # where it is inside quotes
                self.assertNotIn("<c>", painted["down"][form], form)
        nodes = dict(re.findall(r"^ *(v\d+)\W+(\w+)<br/>", up["mermaid"], re.M))
        [seen] = re.findall(r"^  class (\S+) seen$", up["mermaid"], re.M)
        self.assertEqual({nodes[v] for v in seen.split(",")}, {"on_above", "keep"})
        [faded] = re.findall(r"^  class (\S+) faded$", up["mermaid"], re.M)
        self.assertEqual({nodes[v] for v in faded.split(",")}, {"on_below", "ok"})
        edges = re.findall(r"^  (v\d+) \S+ (v\d+)$", up["mermaid"], re.M)
        self.assertEqual([(nodes[a], nodes[b]) for a, b in (edges[int(i)] for i in re.findall(r"linkStyle (\d+) stroke:#1a7f37", up["mermaid"]))],
                         [("on_above", "keep")])
        self.fails(1, "graph", "render", "g.yaml", "--adapter", "a.json", "--capture", "c.json", "--event", "nobody")
        self.fails(2, "graph", "render", "g.yaml", "--adapter", "a.json", "--event", "e1")  # of which capture?

    def test_primitives_is_the_catalogue(self):
        catalogue = json.loads(self.holds("graph", "primitives", "--json").out)
        self.assertEqual(len(catalogue), 42)
        self.assertIn("divide@0.2.0", self.holds("graph", "primitives", "divide").out)
        self.fails(1, "graph", "primitives", "nothing")

    def test_primitives_lists_ready_made_clusters_and_manifests(self):
        text = self.holds("graph", "primitives").out
        for id in ("once", "edge_rising", "edge_falling", "latch", "count", "debounce", "throttle", "hysteresis"):
            self.assertIn(f"\n{id}@1.0.0  (cluster)\n", text)
            self.assertIn("(cluster)", self.holds("graph", "primitives", id).out)
        rows = json.loads(self.holds("graph", "primitives", "--clusters", "--json").out)
        self.assertEqual([(r["id"], r["kind"]) for r in rows][:2], [("once", "cluster"), ("edge_rising", "cluster")])
        self.assertEqual(rows[0]["parameters"], [{"derived": True, "name": "key", "type": "String"}])
        self.assertTrue(all(r["summary"] and r["inputs"] and r["outputs"] for r in rows))
        self.fails(1, "graph", "primitives", "--clusters", "add")
        own = self.write("m.yaml", FORMULA + "expression: a * k\n")
        self.assertIn("f@1.0.0  (compute)", self.holds("graph", "primitives", "--manifest", own).out)


class Fixture(Case):
    def test_check_counts(self):
        self.write("f.jsonl", '{"kind":"episode_start"}\n\n{"kind":"event","event":'
                   '{"type":"Pump"}}\n{"kind":"event","event":{"type":"Command"}}\n')
        self.assertEqual(self.holds("graph", "fixture", "check", "f.jsonl").out,
                         "episodes=1 events=2 Pump=1 DataAvailable=0 Command=1\n")

    def test_check_holds_events_against_an_adapter(self):
        """--adapter takes a file, as everywhere; what it passes a run does not refuse for its payload."""
        self.write("a.json", adapter_of(["price", "seen"], ["price", "seen"]).replace('"properties"', '"required": ["seen"], "properties"'))
        for name, least in (("two.json", 2), ("three.json", 3)):  # counts members, those of the context, too
            self.write(name, adapter_of(["price", "seen"], ["price", "seen"]).replace(
                '"properties"', f'"minProperties": {least}, "properties"'))
        self.write("key.json", json.dumps({**json.loads(adapter_of(["price"], ["price", "who"])), "key": "who",
                                           "context_keys": [{"name": "who", "type": "String", "required": True, "writable": False},
                                                            {"name": "price", "type": "Number", "required": False, "writable": True}]})
                   .replace('"who": {"type": "number"}', '"who": {"type": "string"}')
                   .replace('"properties"', '"required": ["who"], "properties"'))
        for adapter, kind, payload, said in (
                ("a.json", "kind0", {"price": 1.0, "seen": 2.0}, None), ("a.json", "kind1", {"seen": 2.0}, "no event kind 'kind1'"),
                ("a.json", "kind0", {"seen": "x"}, "breaks the schema of 'kind0' at $.seen"),
                ("a.json", "kind0", {"seen": 2.0, "more": 1}, "at $.more"),
                ("a.json", "kind0", {"price": 1.0}, None),  # an episode before may have written `seen`
                ("a.json", "kind0", {"price": "x"}, "at $.price"), ("a.json", "kind0", {"price": 1.0, "more": 1}, "at $.more"),
                ("two.json", "kind0", {"price": 1.0}, None), ("two.json", "kind0", {"price": 1.0, "seen": 2.0}, None),
                ("three.json", "kind0", {"price": 1.0, "seen": 2.0}, "at $:"),
                ("key.json", "kind0", {"who": "a"}, None), ("key.json", "kind0", {"who": ""}, "has no 'who'"),
                ("key.json", "kind0", {"price": 1.0}, "has no 'who'")):
            event = {"type": "DataAvailable", "id": "e", "semantic_kind": kind, **({"payload": payload} if payload else {})}
            self.write("f.jsonl", json.dumps({"kind": "event", "event": event}) + "\n")
            for words in (("f.jsonl", "--adapter", adapter), (f"--adapter={adapter}", "f.jsonl"), ("--adapter", adapter, "f.jsonl")):
                result = self.run_motet("graph", "fixture", "check", *words, cwd=self.dir)
                self.assertEqual(result.code, 1 if said else 0, result)
                self.assertIn(said or "events=1", result.err + result.out)
            self.holds("graph", "fixture", "check", "f.jsonl", "--adapter", cwd=self.dir)
            self.holds("graph", "fixture", "check", "--adapter", "--json", "f.jsonl", cwd=self.dir)
        self.write("none.json", "{}")
        self.fails(1, "graph", "fixture", "check", "f.jsonl", "--adapter", "none.json", cwd=self.dir)
        self.fails(3, "graph", "fixture", "check", "f.jsonl", "--adapter", "nowhere.json", cwd=self.dir)
        self.fails(2, "graph", "fixture", "check", "--adapter", "f.jsonl", cwd=self.dir)

    def test_check_refuses(self):
        event = '{"kind":"event","event":{"type":"Pump"%s}}\n'
        start = '{"kind":"episode_start"}\n'
        rows = {
            "": "fixture.no_events",
            start: "fixture.no_events",
            start + start + event % "": "fixture.episode_without_events",
            start + event % "" + start: "fixture.episode_without_events",
            start + event % ',"surprise":1': "fixture.parse_error",
            start + event % ',"id":"a"' * 1 + event % ',"id":"a"': "fixture.duplicate_event_id",
            start + event % ',"semantic_kind":"k"': "fixture.unexpected_semantic_kind",
            start + '{"kind":"event","event":{"type":"Tock"}}\n': "fixture.parse_error",
            start + "nonsense\n": "fixture.parse_error",
        }
        for text, code in rows.items():
            self.write("f.jsonl", text)
            self.assertIn(code, self.fails(1, "graph", "fixture", "check", "f.jsonl").err)

    def test_import_reads_quotes_and_numbers(self):
        self.write("t.csv", 'a,"b ""x""",c\n1,"two, and\nmore",\n-2.50,true,1e3\n')
        lines = self.holds("graph", "fixture", "import", "t.csv").out.splitlines()
        payloads = [json.loads(line)["event"]["payload"] for line in lines[1:]]
        self.assertEqual(payloads, [{"a": 1.0, 'b "x"': "two, and\nmore"},
                                    {"a": -2.5, 'b "x"': True, "c": 1000.0}])

    def test_import_takes_text_and_times_as_told(self):
        self.write("t.csv", "id,x,when\n007,1,5\n42,true,1700000000.25\n")
        lines = self.holds("graph", "fixture", "import", "t.csv", "--text", "id", "--at", "when").out.splitlines()
        events = [json.loads(line)["event"] for line in lines[1:]]
        self.assertEqual([e["payload"] for e in events], [{"id": "007", "x": 1.0}, {"id": "42", "x": True}])
        self.assertEqual([e["at"] for e in events], [{"secs": 5, "nanos": 0},
                                                     {"secs": 1700000000, "nanos": 250000000}])
        kept = self.holds("graph", "fixture", "import", "t.csv", "--at", "when", "--columns", "when").out
        self.assertEqual(json.loads(kept.splitlines()[1])["event"]["payload"], {"when": 5.0})
        for cell in ("", "-1", "soon", "1.", ".5", "1.1234567890", "1e3"):
            self.write("t.csv", f"id,when\n1,{cell}\n")
            self.assertIn("line 2: 'when' must be seconds",
                          self.fails(1, "graph", "fixture", "import", "t.csv", "--at", "when").err)
        self.fails(1, "graph", "fixture", "import", "t.csv", "--at", "then")
        self.fails(1, "graph", "fixture", "import", "t.csv", "--text", "id,nobody")

    def test_import_refuses_broken_tables(self):
        for text in ("", "a,b\n", "a,a\n1,2\n", "a,\n1,2\n", 'a\n"open\n', "a,b\n1\n",
                     b"a\n\xff\n"):
            self.write("t.csv", text)
            self.fails(1, "graph", "fixture", "import", "t.csv")

    def test_text_behind_a_closing_quote_is_refused(self):
        """It ended the row, and began one of its own."""
        for text, line in (('a\n"1"x\n', 2), ('a\n"1" \n', 2), ('a\n1\n"2""3"4\n', 3), ('"a"b\n1\n', 1),
                           ('a\n"1"\r2\n', 2), ('a,b\n"1"2,3\n', 2)):
            self.write("t.csv", text)
            self.assertIn(f"line {line}: there is text behind the closing quote of a cell",
                          self.fails(1, "graph", "fixture", "import", "t.csv").err)
        for text in ('"a","b"\r\n"1","2"\r\n', '"a","b"\n"1","2"', '"a","b"\n"1","2"\r', 'a,b\n"1",2\n'):
            self.write("t.csv", text)
            lines = self.holds("graph", "fixture", "import", "t.csv").out.splitlines()
            self.assertEqual(json.loads(lines[1])["event"]["payload"], {"a": 1.0, "b": 2.0})
            self.assertEqual(len(lines), 2)


NAMED = """kind: cluster
id: named
version: 1.0.0
nodes:
  bid:   {impl: context_number_source@*, params: {key: bid}}
  ask:   {impl: context_number_source@*, params: {key: ask}}
  spike: {impl: spread@1}
  most:  {impl: number_source@*, params: {value: 5.0}}
  wide:  {impl: gt@*}
  first: {cluster: once@1}
  alert: {impl: context_set_number@*, params: {key: last}}
edges: [bid.value -> spike.bid, ask.value -> spike.ask, spike.result -> wide.a, most.value -> wide.b,
  wide.result -> first.condition, first.event -> alert.event, spike.result -> alert.value]
"""
SPREAD = """kind: compute
id: spread
version: 1.0.0
inputs: [{name: bid, type: number}, {name: ask, type: number}]
parameters: [{name: scale, type: number, default: 10}]
outputs: [{name: result, type: number}]
expression: (ask - bid) * scale
"""
NAMED_ADAPTER = """kind: adapter
id: quotes
version: 1.0.0
runtime_compatibility: 0.1.0
context_keys:
  - {name: bid, type: Number, required: true, writable: false}
  - {name: ask, type: Number, required: true, writable: false}
  - {name: last, type: Number, required: false, writable: true}
event_kinds: [{name: quote, payload_schema: {type: object, required: [bid, ask], additionalProperties: false,
  properties: {bid: {type: number}, ask: {type: number}, last: {type: number}}}}]
accepts: {effects: [{name: set_context, payload_schema: {type: object, additionalProperties: false,
  properties: {last: {type: number}}}}]}
capture: {format_version: "1", fields: [event.quote]}
"""


class Names(Case):
    """Outputs have the names that people gave, not those of expansion."""

    def setUp(self):
        super().setUp()
        self.write("g.yaml", NAMED)
        self.write("manifests/spread.yaml", SPREAD)
        self.write("a.yaml", NAMED_ADAPTER)
        self.write("q.jsonl", '{"bid":1,"ask":1.25}\n{"bid":1,"ask":1.75}\n')
        self.run_graph("c.json")

    def run_graph(self, capture, *more):
        self.ran = self.holds("graph", "run", "g.yaml", "--adapter", "a.yaml", "--ingress", "{type: file, path: q.jsonl}",
                              "--capture", capture, "--json", *more, cwd=self.dir)

    def test_outcomes_name_their_nodes(self):
        last = json.loads(self.ran.out.splitlines()[1])["outcomes"]
        self.assertEqual({one["path"]: one["outcome"] for one in last},
                         {"alert": "Attempted", "first/store": "Attempted"})

    def test_a_formula_has_the_name_of_its_node(self):
        explained = self.holds("graph", "explain", "g.yaml", cwd=self.dir).out
        self.assertRegex(explained, r"\d+\. spike \(n\d+\): compute multiply")
        self.assertIn("= (ask - bid) * scale", explained)
        self.assertIn("a <- spike.result", explained)
        for name in ("spike", "spike/e00002"):
            self.assertIn("compute", self.holds("graph", "explain", "g.yaml", name, cwd=self.dir).out)
        what = self.fails(1, "graph", "whatif", "c.json", "g.yaml", "--adapter", "a.yaml", "--set", "most=50", cwd=self.dir)
        self.assertIn("first.has_fired = true", what.out)
        self.assertNotIn("__ergo", what.out)
        self.write("new/g.yaml", NAMED)
        self.write("new/manifests/spread.yaml", SPREAD.replace("ask - bid", "ask + bid"))
        changed = self.fails(1, "graph", "whatif", "c.json", "new/g.yaml", "--graph", "g.yaml", "--adapter", "a.yaml",
                             cwd=self.dir)
        self.assertIn("why  spike said 2.5, now 22.5", changed.out)

    def test_a_fault_in_a_formula_names_it(self):
        self.write("manifests/spread.yaml", SPREAD.replace("(ask - bid) * scale", "ask / (bid - 1) + scale * 0"))
        self.run_graph("d.json")
        fault = json.loads(self.ran.out.splitlines()[0])["fault"]
        self.assertIn("spike", fault)

    def test_pictures_head_a_formula_by_it_and_paint_it(self):
        for form in ("dot", "mermaid", "json"):
            drawn = self.holds("graph", "render", "g.yaml", "--adapter", "a.yaml", "--capture", "c.json", "--format", form,
                               cwd=self.dir).out
            self.assertIn("spike = (ask - bid) * scale", drawn.replace("&#40;", "(").replace("&#41;", ")"), form)
            self.assertIn("7.5", drawn)
            self.assertNotIn("e0000", drawn)


class Times(Case):
    """RFC 3339 text is taken where {secs, nanos} is: fixtures, sources, drivers and HTTP."""

    GOOD = ("2026-01-31T23:59:00.25+01:00", {"secs": 1769900340, "nanos": 250000000})
    BAD = (("2016-12-31T23:59:60Z", "leap second"), ("1969-12-31T23:59:59Z", "before 1970"),
           ("2026-01-31T23:59:00", "moment with its offset"), ("2026-01-31T23:59:00.1234567891Z", "moment with its offset"))

    def setUp(self):
        super().setUp()
        self.write("g.yaml", NAMED)
        self.write("manifests/spread.yaml", SPREAD)
        self.write("a.yaml", NAMED_ADAPTER)

    def run_with(self, *words):
        return self.run_motet("graph", "run", "g.yaml", "--adapter", "a.yaml", "--capture", "c.json", "--overwrite", *words)

    def times(self):
        return [event["event_time"] for event in json.loads((self.dir / "c.json").read_text())["events"]]

    def fixture(self, at):
        return json.dumps({"kind": "event", "event": {"type": "DataAvailable", "at": at, "semantic_kind": "quote",
                                                      "payload": {"bid": 1, "ask": 2}}}) + "\n"

    def takes(self, words, write):
        text, moment = self.GOOD
        write(text)
        result = self.run_with(*words)
        self.assertEqual(result.code, 0, result)
        self.assertEqual(self.times(), [moment])
        for text, why in self.BAD:
            write(text)
            result = self.run_with(*words)
            self.assertEqual(result.code, 1, text)
            self.assertIn(why, result.err)

    def test_in_fixtures_sources_and_drivers(self):
        self.takes(("--fixture", "f.jsonl"), lambda at: self.write("f.jsonl", self.fixture(at)))
        for bad in (7, None, True, [1]):
            self.write("f.jsonl", self.fixture(bad))
            self.assertIn("{secs, nanos} or a moment", self.run_with("--fixture", "f.jsonl").err)
        self.takes(("--ingress", "{type: file, path: q.jsonl, at: when}"),
                   lambda at: self.write("q.jsonl", json.dumps({"bid": 1, "ask": 2, "when": at}) + "\n"))
        self.takes(("--ingress", "{type: file, path: q.csv, at: when}"),
                   lambda at: self.write("q.csv", f"bid,ask,when\n1,2,{at}\n"))
        driver = """import json
for frame in ({"type": "hello", "protocol": "ergo-driver.v0"}, {"type": "event", "event": {"event_id": "e", "at": %r,
              "kind": "DataAvailable", "semantic_kind": "quote", "payload": {"bid": 1, "ask": 2}}}, {"type": "end"}):
    print(json.dumps(frame), flush=True)
"""
        self.takes(("--driver", sys.executable, "--driver-arg", "d.py"), lambda at: self.write("d.py", driver % at))

    def test_behind_a_server(self):
        self.write("serve.yaml", "graphs:\n  named: {graph: g.yaml, adapter: a.yaml}\n")
        with Server(self.dir, options=("--config", "serve.yaml")) as server:
            def post(at):
                return server.post("/v1/graphs/named/events", {"at": at, "semantic_kind": "quote",
                                                               "payload": {"bid": 1, "ask": 2}})
            last = "9999-12-31T23:59:59.999999999Z"
            for at in (self.GOOD[0], self.GOOD[1], last):
                self.assertEqual(post(at).status, 200, at)
            for at, why in (*self.BAD, (7, "{secs, nanos} or a moment"), ("9999-12-31T23:59:59-00:01", "moment with"),
                            ({"secs": 253402300800}, "at.secs"), ({"nanos": 1}, "secs")):
                answer = post(at)
                self.assertEqual(answer.status, 400, answer)
                self.assertIn(why, answer.json["detail"])
            capture = server.get("/v1/graphs/named/captures").json["items"][0]["id"]
            self.write("c.json", server.get(f"/v1/graphs/named/captures/{capture}").body)
        self.assertEqual(self.times(), [self.GOOD[1], self.GOOD[1], {"secs": 253402300799, "nanos": 999999999}])


main()
