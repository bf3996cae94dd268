"""Windows: derived keys that the host computes, against the same definitions in rational arithmetic."""
import json
import math
import random
import shutil
import signal
import sys
from fractions import Fraction

from harness import SEED, SOAK, SOURCE, Case, main
from serve import Server

GRAPH = """kind: cluster
id: g
version: 1.0.0
nodes:
  mean: {impl: context_number_source@0.1.0, params: {key: mean}}
  x: {impl: context_number_source@0.1.0, params: {key: x}}
  above: {impl: gt@0.1.0}
  emit: {impl: emit_if_true@0.1.0}
  note: {impl: context_set_number@0.1.0, params: {key: peak}}
edges: [x.value -> above.a, mean.value -> above.b, above.result -> emit.input,
        emit.event -> note.event, x.value -> note.value]
"""

WINDOWS = [
    {"name": "lag", "of": "x", "take": "lag"},
    {"name": "lag3", "of": "x", "take": "lag", "back": 3},
    {"name": "ema", "of": "x", "take": "ema", "alpha": 0.3},
    {"name": "count", "take": "count", "over": "2s"},
    {"name": "rate", "of": "x", "take": "rate", "over": "1500ms", "lateness": "1s"},
    {"name": "sum", "of": "x", "take": "sum", "over": 4},
    {"name": "mean", "of": "x", "take": "mean", "over": "3s", "lateness": "500ms"},
    {"name": "variance", "of": "x", "take": "variance", "over": 5},
    {"name": "deviation", "of": "x", "take": "deviation", "over": "2s"},
    {"name": "min", "of": "x", "take": "min", "over": 7},
    {"name": "max", "of": "x", "take": "max", "over": "4s", "lateness": "2s", "most": 6},
    {"name": "median", "of": "x", "take": "quantile", "q": 0.5, "over": 9},
    {"name": "p90", "of": "x", "take": "quantile", "q": 0.9, "over": "5s", "lateness": "1s"},
    {"name": "is_eur", "of": "currency", "take": "equals", "text": "EUR"},
    {"name": "known", "of": "currency", "take": "in", "texts": ["EUR", "CHF"]},
]


def adapter(windows):
    number, text = {"type": "number"}, {"type": "string"}
    key = {"type": "Number", "required": False}
    return json.dumps({
        "kind": "adapter", "id": "a", "version": "1.0.0", "runtime_compatibility": "0.1.0",
        "context_keys": [{"name": "x", "writable": False, **key}, {"name": "peak", "writable": True, **key}],
        "event_kinds": [{"name": "tick", "payload_schema": {
            "type": "object", "additionalProperties": False,
            "properties": {"x": number, "peak": number, "currency": text}}}],
        "accepts": {"effects": [{"name": "set_context", "payload_schema": {
            "type": "object", "additionalProperties": False}}]},
        "capture": {"format_version": "1", "fields": []}, "windows": windows})


def milliseconds(text):
    return int(text[:-2]) if text.endswith("ms") else int(text[:-1]) * 1000


def rounded(fraction):
    """The nearest double (Python divides whole numbers so), None when none is."""
    try:
        return float(fraction) if fraction else 0.0
    except OverflowError:
        return None


def order(x):
    return (x, math.copysign(1, x))


def inside(window, events):
    """The numbers of a window after these events, each (milliseconds, number or None)."""
    if isinstance(window["over"], int):
        return [x for _, x in events if x is not None][-window["over"]:]
    kept, now = [], 0
    late, span = milliseconds(window.get("lateness", "0s")), milliseconds(window["over"])
    for number, (at, x) in enumerate(events):
        now = max(now, at)
        if x is not None and at + late >= now:
            kept.append((at, number, x))
        kept = sorted(k for k in kept if k[0] + span > now)[-window.get("most", 100000):]
    return [x for _, _, x in kept]


def says(window, events, event):
    """What the window says at the last of the events, None: nothing."""
    take, numbers = window["take"], [x for _, x in events if x is not None]
    if take in ("equals", "in"):
        return event.get("currency") in window.get("texts", [window.get("text")])
    if take == "lag":
        back = window.get("back", 1)
        return numbers[-1 - back] if len(numbers) > back else None
    if take == "ema":
        average = None
        for x in numbers:
            average = x if average is None else window["alpha"] * x + (1 - window["alpha"]) * average
        return average
    xs = inside(window, events)
    n, exact = len(xs), sum(map(Fraction, xs))
    if take == "count":
        return float(n)
    if take == "rate":
        return n / (milliseconds(window["over"]) / 1000.0)
    if take == "sum":
        return rounded(exact)
    if n < (2 if take in ("variance", "deviation") else 1):
        return None
    if take == "mean":
        return rounded(exact / n)
    if take in ("variance", "deviation"):
        variance = rounded((n * sum(Fraction(x) ** 2 for x in xs) - exact ** 2) / (n * (n - 1)))
        return math.sqrt(variance) if take == "deviation" and variance is not None else variance
    xs.sort(key=order)
    place = {"min": 1, "max": n}.get(take) or max(1, math.ceil(Fraction(window["q"]) * n))
    return xs[place - 1]


def series(rng, count):
    """Events (milliseconds, payload), some late, some without a number."""
    now, events = 1000, []
    for _ in range(count):
        now += rng.choice((0, 50, 400, 900))
        at = now - (rng.randrange(3000) if rng.random() < 0.2 else 0)
        payload = {"currency": rng.choice(("EUR", "CHF", "USD"))} if rng.random() < 0.8 else {}
        if rng.random() < 0.9:
            payload["x"] = rng.choice((rng.uniform(-10, 10), float(rng.randrange(4)), rng.gauss(1e6, 1e-3),
                                       rng.uniform(-1, 1) * 10.0 ** rng.randrange(-300, 300), -0.0, 0.0))
        events.append((max(at, 0), payload))
    return events


def fixture(events):
    return "".join(json.dumps({"kind": "event", "event": {
        "type": "DataAvailable", "id": f"e{i}", "semantic_kind": "tick", "payload": payload,
        "at": {"secs": at // 1000, "nanos": at % 1000 * 1000000}}}) + "\n"
        for i, (at, payload) in enumerate(events))


class Windows(Case):
    def setUp(self):
        super().setUp()
        self.write("g.yaml", GRAPH)
        self.write("a.json", adapter(WINDOWS))

    def run_graph(self, *more, capture="c.json"):
        return self.run_motet("graph", "run", "g.yaml", "--adapter", "a.json", "--fixture", "f.jsonl",
                              "--capture", capture, *more, cwd=self.dir)

    def replay(self, capture="c.json"):
        return self.run_motet("graph", "replay", capture, "--graph", "g.yaml", "--adapter", "a.json",
                              cwd=self.dir)

    def payloads(self, capture="c.json"):
        events = json.loads((self.dir / capture).read_text())["events"]
        return [json.loads(bytes(event["payload"])) for event in events]

    def test_every_window_says_what_its_definition_says(self):
        for seed in range(SEED, SEED + (60 if SOAK else 3)):
            events = series(random.Random(seed), 120)
            self.write("f.jsonl", fixture(events))
            result = self.run_graph("--overwrite")
            self.assertEqual(result.code, 0, result)
            seen = []
            for i, ((at, payload), captured) in enumerate(zip(events, self.payloads())):
                seen.append((at, payload.get("x")))
                every = [(at, 1.0) for at, _ in seen]
                for window in WINDOWS:
                    looked_at = seen if "of" in window else every
                    wanted, said = says(window, looked_at, payload), captured.get(window["name"])
                    self.assertEqual((repr(said), seed, i, window["name"]),
                                     (repr(wanted), seed, i, window["name"]))
            replayed = self.replay()
            self.assertEqual(replayed.code, 0, replayed)

    def test_a_run_that_was_cut_off_goes_on_with_its_windows(self):
        events = series(random.Random(SEED), 60)
        self.write("f.jsonl", fixture(events))
        self.assertEqual(self.run_graph().code, 0)
        self.assertEqual(self.run_graph("--journal-only", "--max-events", "31", capture="r.json").code, 0)
        self.assertEqual(self.run_graph("--resume", capture="r.json").code, 0)
        self.assertEqual((self.dir / "r.json").read_bytes(), (self.dir / "c.json").read_bytes())
        # With other events before the cut the windows would be others: that is noticed.
        self.assertEqual(self.run_graph("--journal-only", "--max-events", "31", capture="s.json").code, 0)
        changed = [(at, {**payload, "x": 5.0}) if i == 3 else (at, payload)
                   for i, (at, payload) in enumerate(events)]
        self.write("f.jsonl", fixture(changed))
        self.assertIn("resume.other_event", self.run_graph("--resume", capture="s.json").err)

    def test_a_journal_whose_windows_were_changed_is_not_gone_on_with(self):
        self.write("f.jsonl", fixture([(1000, {"x": 1.0}), (2000, {"x": 2.5}), (3000, {"x": 3.0})]))
        self.assertEqual(self.run_graph("--journal-only", "--max-events", "2").code, 0)
        path = self.dir / "c.json.journal"
        text = path.read_text()
        self.assertEqual(text.count('"lag":1.0'), 1)
        import hashlib
        line = json.loads(text.splitlines()[2])
        old = json.dumps(line["event"]["payload"], separators=(",", ":"))
        new = old.replace('"lag":1.0', '"lag":1.5')
        path.write_text(text.replace(old, new).replace(hashlib.sha256(old.encode()).hexdigest(),
                                                       hashlib.sha256(new.encode()).hexdigest()))
        self.assertIn("resume.other_window", self.run_graph("--resume").err)

    def test_windows_of_a_server_outlive_restarts_and_captures(self):
        self.write("other.yaml", GRAPH.replace("version: 1.0.0", "version: 1.0.0\ndescription: other")
                   .replace("key: mean}", "key: max}"))
        events, seen = series(random.Random(SEED), 30), []
        for part, (graph, how) in enumerate((("g.yaml", "TERM"), ("g.yaml", "KILL"), ("other.yaml", "TERM"))):
            self.write("serve.yaml", f"graphs:\n  g: {{graph: {graph}, adapter: a.json}}\n")
            with Server(self.dir, options=["--config", "serve.yaml"]) as server:
                for i in range(part * 10, part * 10 + 10):
                    at, payload = events[i]
                    answer = server.post("/v1/graphs/g/events", {
                        "id": f"e{i}", "kind": "DataAvailable", "semantic_kind": "tick", "payload": payload,
                        "at": {"secs": at // 1000, "nanos": at % 1000 * 1000000}})
                    self.assertEqual(answer.status, 200, answer)
                captures = [row["id"] for row in server.get("/v1/graphs/g/captures").json["items"]]
                for id, used in zip(captures, ("g.yaml", "other.yaml")):
                    self.write(f"{id}.json", server.get(f"/v1/graphs/g/captures/{id}").body)
                    self.holds("graph", "replay", f"{id}.json", "--graph", used, "--adapter", "a.json",
                               cwd=self.dir)
                if how == "KILL":
                    server.stop(signal.SIGKILL)
        self.assertEqual(len(captures), 2)
        payloads = [p for id in captures for p in self.payloads(f"{id}.json")]
        for (at, payload), captured in zip(events, payloads, strict=True):
            seen.append((at, payload.get("x")))
            for window in WINDOWS:
                looked_at = seen if "of" in window else [(at, 1.0) for at, _ in seen]
                self.assertEqual(repr(captured.get(window["name"])), repr(says(window, looked_at, payload)))

    def test_events_that_do_not_count_move_nothing(self):
        lines = fixture([(1000, {"x": 1.0}), (2000, {"x": 2.0}), (3000, {"x": 3.0})]).splitlines(keepends=True)
        lines.insert(1, lines[1].replace("DataAvailable", "Pump").replace('"e1"', '"pump"'))
        lines.insert(2, lines[0])
        self.write("f.jsonl", "".join(lines))
        result = self.run_graph("--skip-duplicates")
        self.assertEqual(result.code, 0, result)
        payloads = self.payloads()
        self.assertEqual([p.get("lag") for p in payloads], [None, None, None, 1.0, 2.0])
        self.assertEqual(self.replay().code, 0)

    def test_no_event_can_bring_a_derived_key(self):
        self.write("f.jsonl", fixture([(1000, {"x": 1.0, "lag": 7.0})]))
        self.assertIn("host.event_build_failed", self.run_graph().err)

    def test_declarations_that_break_a_rule_are_refused(self):
        good = {"name": "w", "of": "x", "take": "mean", "over": 3}
        rows = [
            ("WIN-1", {"name": "x"}), ("WIN-1", {"name": "peak"}), ("WIN-1", {"name": "currency"}),
            ("WIN-1", {"name": ""}), ("WIN-2", {"take": "maen"}), ("WIN-3", {"of": "y"}),
            ("WIN-3", {"of": "currency"}), ("WIN-3", {"of": None}),
            ("WIN-4", {"over": 0}), ("WIN-4", {"over": 1000001}), ("WIN-4", {"over": None}),
            ("WIN-4", {"over": "0s"}), ("WIN-4", {"over": "soon"}), ("WIN-4", {"lateness": "1s"}),
            ("WIN-4", {"take": "rate"}), ("WIN-4", {"take": "ema", "over": None}),
            ("WIN-4", {"take": "ema", "over": None, "alpha": 0}),
            ("WIN-4", {"take": "ema", "over": None, "alpha": 1.01}), ("WIN-4", {"alpha": 0.5}),
            ("WIN-4", {"take": "quantile"}), ("WIN-4", {"take": "quantile", "q": -0.1}),
            ("WIN-4", {"take": "quantile", "q": 1.1}), ("WIN-4", {"take": "lag"}),
            ("WIN-4", {"take": "lag", "over": None, "back": 0}),
            ("WIN-4", {"take": "equals", "of": "currency", "over": None}),
            ("WIN-4", {"take": "in", "of": "currency", "over": None, "texts": []}),
        ]
        for rule, change in rows:
            with self.subTest(change):
                window = {k: v for k, v in {**good, **change}.items() if v is not None}
                self.write("bad.json", adapter([window]))
                self.assertIn(rule, self.fails(1, "graph", "check", "bad.json", cwd=self.dir).err)
        self.write("twice.json", adapter([good, good]))
        self.assertIn("WIN-1", self.fails(1, "graph", "check", "twice.json", cwd=self.dir).err)
        for change in ({}, {"over": 1000000}, {"over": "1ms"}, {"take": "quantile", "q": 0},
                       {"take": "quantile", "q": 1}, {"take": "count", "of": None}):
            window = {k: v for k, v in {**good, **change}.items() if v is not None}
            self.write("good.json", adapter([window]))
            self.holds("graph", "check", "good.json", cwd=self.dir)

    def test_types_of_windows_are_composed(self):
        self.write("b.json", adapter([{"name": "mean", "of": "currency", "take": "equals", "text": "x"}]))
        result = self.fails(1, "graph", "check", "g.yaml", "--adapter", "b.json", cwd=self.dir)
        self.assertIn("COMP-2", result.err)
        self.holds("graph", "check", "g.yaml", "--adapter", "a.json", cwd=self.dir)

    def test_an_adapter_without_windows_keeps_its_identity(self):
        plain = json.loads(adapter([]))
        self.write("p.json", json.dumps(plain))
        with_empty = self.holds("graph", "check", "p.json", cwd=self.dir).out.splitlines()[-1]
        del plain["windows"]
        self.write("p.json", json.dumps(plain))
        self.assertEqual(self.holds("graph", "check", "p.json", cwd=self.dir).out.splitlines()[-1], with_empty)


class Undelivered(Case):
    def test_FG17_an_intent_that_no_channel_takes_is_logged(self):
        shutil.copytree(SOURCE / "examples" / "crossover", self.dir / "c")
        self.write("c/deaf.py", "import sys\nsys.exit('the password is hunter2')\n")
        self.write("c/deaf.yaml", json.dumps({
            "default_ack_timeout": "300ms",
            "channels": {"broker": {"type": "process", "command": [sys.executable, "deaf.py"]}},
            "routes": {"place_order": {"channel": "broker"}}}))
        self.write("c/serve.yaml", "graphs:\n  g: {graph: crossover.yaml, adapter: adapter.yaml, egress: deaf.yaml}\n")
        self.holds("graph", "fixture", "import", "prices.csv", "--semantic-kind", "price", "--columns",
                   "close,spread", "--out", "p.jsonl", cwd=self.dir / "c")
        lines = (self.dir / "c" / "p.jsonl").read_text().splitlines()[1:40]
        with Server(self.dir / "c", options=["--config", "serve.yaml"]) as server:
            for line in lines:
                event = json.loads(line)["event"]
                answer = server.post("/v1/graphs/g/events", {
                    "id": event["id"], "kind": event["type"], "semantic_kind": "price",
                    "payload": event["payload"], "at": {"secs": 1, "nanos": 0}})
                self.assertEqual(answer.status, 200, answer)
            self.assertTrue(server.logs("intent_undelivered"), server.log())
            self.assertIn("graph g: channel 'broker' ended", server.log())
            self.assertNotIn("hunter2", server.log())


main()
