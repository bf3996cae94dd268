"""Edges that are there: where a graph's events come from and where its intents go, each with its
real counterpart (a file, a pipe, a program, an HTTP server, a NATS server) and with one that fails."""
import base64
import contextlib
import glob
import hashlib
import http.server
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time

from harness import MOTET, SOURCE, Case, main
from serve import Server

NATS = shutil.which("nats-server") or "/usr/sbin/nats-server"
LOOPBACK = "127.0.0.1"
EXAMPLE = SOURCE / "examples" / "crossover"


def wait_until(done, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = done()
        if found:
            return found
        time.sleep(0.02)
    return done()


def numbers(ids):
    """Ids of messages without the time at which their stream got them."""
    return [re.sub(r"@\d{19}$", "", id) for id in ids]


class Hook:
    """A server that gives the answers it is told, then 200, and keeps what it was asked."""

    def __init__(self, case, *answers, slow=0):
        hook, self.asked, self.answers = self, [], list(answers)

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                hook.asked.append((dict(self.headers), json.loads(body)))
                time.sleep(slow)
                self.send_response(hook.answers.pop(0) if hook.answers else 200)
                self.send_header("Location", "http://127.0.0.1:1/")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass
        server = http.server.ThreadingHTTPServer((LOOPBACK, 0), Handler)
        self.url = f"http://{LOOPBACK}:{server.server_port}/orders"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        case.addCleanup(server.server_close)
        case.addCleanup(server.shutdown)

    def ids(self):
        return [body["intent_id"] for _, body in self.asked]


class Nats:
    """A NATS server of this test alone, with JetStream, and the few words that a test says to it."""

    def __init__(self, case, port="-1", store=None):
        where = case.dir / f"nats{time.monotonic_ns()}"
        where.mkdir()
        self.store = store or where / "js"
        self.process = subprocess.Popen(
            [NATS, "-a", LOOPBACK, "-p", str(port), "-js", "-sd", str(self.store), "--ports_file_dir",
             str(where)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        case.addCleanup(self.process.wait, 10)
        case.addCleanup(self.process.kill)

        def ports():
            for name in glob.glob(str(where / "*.ports")):
                try:
                    with open(name) as file:
                        return json.load(file)["nats"][0]
                except (ValueError, KeyError, OSError):
                    pass
        self.url = wait_until(ports, 10)
        case.assertTrue(self.url, "nats-server did not start")
        self.connect(case, int(self.url.rsplit(":", 1)[1]))

    def connect(self, case, port):
        self.port = port
        self.sock = socket.create_connection((LOOPBACK, port), 10)
        self.file = self.sock.makefile("rb")
        case.addCleanup(self.sock.close)
        case.addCleanup(self.file.close)
        self.file.readline()
        self.sock.sendall(b'CONNECT {"verbose":false,"pedantic":false}\r\nPING\r\n')
        while self.file.readline() != b"PONG\r\n":
            pass

    def publish(self, subject, body):
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.sock.sendall(b"PUB %s %d\r\n%s\r\nPING\r\n" % (subject.encode(), len(text), text))
        while self.file.readline() != b"PONG\r\n":
            pass

    def subscribe(self, subject):
        self.sock.sendall(b"SUB %s 1\r\nPING\r\n" % subject.encode())
        while self.file.readline() != b"PONG\r\n":
            pass

    def hear(self):
        head = self.file.readline().split()
        while head[0] != b"MSG":
            head = self.file.readline().split()
        return json.loads(self.file.read(int(head[-1]) + 2))

    def heard(self, subject):
        """Does anybody listen to it? Without a listener the server answers for it."""
        self.sock.sendall(b'CONNECT {"verbose":false,"headers":true,"no_responders":true}\r\n'
                          b"SUB nobody.%d 8\r\nPUB %s nobody.%d 2\r\n{}\r\nPING\r\n" % (
                              self.port, subject.encode(), self.port))
        answered = False
        while (line := self.file.readline()) != b"PONG\r\n":
            if line.startswith(b"HMSG"):
                self.file.read(int(line.split()[-1]) + 2)
                answered = True
        self.sock.sendall(b"UNSUB 8\r\n")
        return not answered

    def ask(self, subject, body=b""):
        """A request of JetStream's API."""
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.sock.sendall(b"SUB inbox.%d 9\r\nPUB %s inbox.%d %d\r\n%s\r\n" % (
            self.port, subject.encode(), self.port, len(text), text))
        answer = self.hear()
        self.sock.sendall(b"UNSUB 9\r\n")
        return answer

    def stream(self, name, subject):
        return self.ask(f"$JS.API.STREAM.CREATE.{name}", {"name": name, "subjects": [subject]})

    def messages(self, name):
        """What a stream has, oldest first."""
        count = self.ask(f"$JS.API.STREAM.INFO.{name}")["state"]["messages"]
        return [json.loads(base64.b64decode(
            self.ask(f"$JS.API.STREAM.MSG.GET.{name}", {"seq": n + 1})["message"]["data"]))
            for n in range(count)]


class Edges(Case):
    def setUp(self):
        super().setUp()
        for name in ("adapter.yaml", "crossover.yaml", "prices.csv", "broker.py"):
            shutil.copy(EXAMPLE / name, self.dir / name)
        shutil.copytree(EXAMPLE / "manifests", self.dir / "manifests")
        rows = (self.dir / "prices.csv").read_text().splitlines()
        # Seconds for `at`; only the columns of the schema otherwise.
        self.rows = [[float(1000 + i), *map(float, row.split(",")[1:])] for i, row in enumerate(rows[1:])]
        self.write("p.csv", "time,close,spread\n" + "".join(
            f"{int(t)},{c},{s}\n" for t, c, s in self.rows))
        self.write("p.jsonl", "".join(
            json.dumps({"time": int(t), "close": c, "spread": s}) + "\n" for t, c, s in self.rows))

    CSV = {"type": "file", "path": "p.csv", "at": "time"}

    def ingress(self, **source):
        return ("--ingress", json.dumps(source))

    def egress(self, name="e.json", dead=None, **channel):
        self.write(name, json.dumps({
            "default_ack_timeout": "2s", **({"dead_letters": dead} if dead else {}),
            "channels": {"out": {"pause": "10ms", **channel}},
            "routes": {"place_order": {"channel": "out"}}}))
        return ("--egress", name)

    def words(self, *more):
        return ("graph", "run", "crossover.yaml", "--adapter", "adapter.yaml", "--capture", "c.json",
                *more)

    def trade(self, *more, code=0, **named):
        result = self.run_motet(*self.words(*more), **named)
        self.assertEqual(result.code, code, result)
        return result

    def capture(self):
        return json.loads((self.dir / "c.json").read_text())

    def acks(self):
        return [a for d in self.capture()["decisions"] for a in d.get("intent_acks", [])]

    def replays(self):
        self.holds("graph", "replay", "c.json", "--graph", "crossover.yaml", "--adapter", "adapter.yaml")

    def wanted(self):
        """The orders of the example, as a program took them."""
        self.egress("w.json", type="process", command=[sys.executable, "broker.py", "w.jsonl"])
        self.trade("--egress", "w.json", *self.ingress(**self.CSV), "--overwrite")
        return self.lines("w.jsonl")

    def lines(self, name):
        return [json.loads(x) for x in (self.dir / name).read_text().splitlines()]

    def same(self, got, want):
        keep = ("intent_id", "kind", "fields")
        self.assertEqual([{k: x[k] for k in keep} for x in got], [{k: x[k] for k in keep} for x in want])
        self.assertEqual(len(want), 4)

    # ---- ingress ----

    def test_edge_in_csv_and_json_lines_from_files_and_pipes_give_the_same_run(self):
        seen = []
        for source, stdin in ((dict(self.CSV), ""), ({**self.CSV, "path": "p.jsonl"}, ""),
                              ({"type": "stdin", "at": "time"}, (self.dir / "p.jsonl").read_text()),
                              ({"type": "stdin", "at": "time", "format": "csv"},
                               (self.dir / "p.csv").read_text())):
            self.trade(*self.ingress(**source), *self.egress(type="file", path=os.devnull),
                       "--overwrite", stdin=stdin)
            capture = self.capture()
            self.assertEqual(capture["events"][5]["event_time"], {"secs": 1005, "nanos": 0})
            seen.append([(e["event_time"], bytes(e["payload"])) for e in capture["events"]])
            self.replays()
        self.assertEqual(len(seen[0]), 120)
        self.assertEqual(seen, [seen[0]] * 4)
        self.assertEqual(capture["events"][0]["event_id"], "stdin:2")

    def test_edge_in_types_are_those_of_the_schema(self):
        self.write("q.csv", 'time,close,spread\n1000,1.1,abc\n')
        out = self.run_motet(*self.words(*self.ingress(**{**self.CSV, "path": "q.csv"})))
        self.assertEqual(out.code, 1)
        self.assertIn("ingress.parse_error: line 2: `spread` must be a number, not 'abc'", out.err)
        # Text stays text, though it looks like a number, and a cell may have line breaks.
        adapter = (self.dir / "adapter.yaml").read_text().replace(
            "        close: { type: number }", "        close: { type: number }\n        note: { type: string }")
        self.write("adapter.yaml", adapter)
        self.write("q.csv", 'close,spread,note\n1.1,0.1,007\n1.2,0.1,"a ""b""\nc"\n1.3,0.1,\n')
        self.trade(*self.ingress(type="file", path="q.csv"), *self.egress(type="stdout"))
        payloads = [json.loads(bytes(e["payload"])) for e in self.capture()["events"]]
        self.assertEqual([p.get("note") for p in payloads], ["007", 'a "b"\nc', None])

    def test_edge_in_a_bad_line_is_found_before_anything_is_sent(self):
        self.write("p.jsonl", (self.dir / "p.jsonl").read_text() + '{"time":1,\n')
        out = self.trade(*self.ingress(type="file", path="p.jsonl", at="time"),
                         *self.egress(type="file", path="orders.jsonl"), code=1)
        self.assertIn("ingress.parse_error: line 121: byte", out.err)
        self.assertFalse((self.dir / "orders.jsonl").exists())
        self.assertFalse((self.dir / "c.json").exists())
        # A quote that stays open over four million lines costs no more than they are long.
        self.write("q.csv", 'close,spread,note\n1.1,0.1,"' + "\n" * (4 << 20))
        self.assertIn("a quoted cell is not closed", self.trade(
            *self.ingress(type="file", path="q.csv"), *self.egress(type="stdout"), "--overwrite", code=1).err)
        self.assertIn("ingress.open_failed: cannot read gone.csv", self.trade(
            *self.ingress(type="file", path="gone.csv"), *self.egress(type="stdout"), code=3).err)

    def test_edge_in_what_is_refused_can_be_kept_and_the_run_goes_on(self):
        text = (self.dir / "p.jsonl").read_text().splitlines()
        text[3:3] = ["nonsense", '{"time":1,"close":"x","spread":1}', '{"close":1,"spread":1}']
        self.trade(*self.ingress(type="stdin", at="time", refused="r.jsonl"), *self.egress(type="stdout"),
                   stdin="\n".join(text))
        refused = [line["refused"] for line in self.lines("r.jsonl")]
        self.assertEqual([(r["code"], r["event_id"], r["text"]) for r in refused], [
            ("ingress.parse_error", "stdin:4", text[3]), ("host.event_build_failed", "stdin:5", text[4]),
            ("ingress.parse_error", "stdin:6", text[5])])
        self.assertEqual(len(self.capture()["events"]), 120)
        # Without a file to keep them in, the first one ends the run, and what came before is kept.
        out = self.trade(*self.ingress(type="stdin", at="time"), *self.egress(type="stdout"),
                         "--overwrite", stdin="\n".join(text), code=1)
        self.assertIn("reason=ingress.parse_error", out.err)
        self.assertEqual(len(self.capture()["events"]), 3)

    def test_edge_in_ids_are_members_and_a_run_that_was_cut_off_goes_on(self):
        self.write("i.jsonl", "".join(json.dumps(
            {"order": f"o{i}", "close": c, "spread": s}) + "\n" for i, (_, c, s) in enumerate(self.rows)))
        source = self.ingress(type="file", path="i.jsonl", id="order")
        self.trade(*source, *self.egress(type="file", path="o.jsonl"), "--journal-only", "--max-events", "40")
        self.trade(*source, *self.egress(type="file", path="o.jsonl"), "--resume")
        self.assertEqual([e["event_id"] for e in self.capture()["events"]], [f"o{i}" for i in range(120)])
        self.assertEqual(len(self.lines("o.jsonl")), 4)
        self.replays()

    def test_edge_in_a_file_is_followed_as_it_grows(self):
        self.write("f.jsonl", '{"close":1,"spread":1}\n{"close":2,')
        run = subprocess.Popen([str(MOTET), *self.words(*self.ingress(
            type="file", path="f.jsonl", follow=True), *self.egress(type="stdout"), "--max-events", "3")],
            cwd=self.dir, stderr=subprocess.PIPE)
        self.addCleanup(run.kill)
        self.assertTrue(wait_until(lambda: (self.dir / "c.json.journal").exists()))
        with open(self.dir / "f.jsonl", "a") as file:
            file.write('"spread":1}\n')
            file.flush()
            time.sleep(0.2)
            file.write('{"close":3,"spread":1}\n')
        self.assertIn(b"events=3", run.communicate(timeout=20)[1])

    def test_edge_in_a_timer_ticks_once_for_each_moment(self):
        out = self.trade(*self.ingress(type="timer", every="20ms", count=5, payload={
            "close": 1.0, "spread": 0.1}), *self.egress(type="stdout"))
        self.assertIn("events=5", out.err)
        events = self.capture()["events"]
        ticks = [int(e["event_id"].split(":")[2]) for e in events]
        self.assertEqual(sorted(set(ticks)), ticks)
        for event, tick in zip(events, ticks):
            self.assertEqual(event["event_time"], {"secs": tick * 20 // 1000, "nanos": tick * 20 % 1000 * 10**6})
        # A timer whose payload the schema does not take ends at its first tick.
        out = self.trade(*self.ingress(type="timer", every="5ms"), *self.egress(type="stdout"),
                         "--overwrite", code=1)
        self.assertIn("host.event_build_failed", out.err)

    def test_edge_in_configurations_are_checked(self):
        for source, said in (({"type": "fil", "path": "x"}, "did you mean"), ({"type": "file"}, "`path` is missing"),
                             ({**self.CSV, "semantic_kind": "prise"}, "must be an event kind of the adapter"),
                             ({**self.CSV, "pathh": "x"}, "pathh"), ({**self.CSV, "format": "xml"}, "`format`"),
                             ({"type": "timer", "every": "0s"}, "`every`"),
                             ({"type": "timer", "every": "1s", "count": 0}, "`count`"),
                             ({"type": "nats", "url": "nats://x", "subject": "a b"}, "`subject`"),
                             ({"type": "nats", "url": "nats://x", "subject": "a", "consumer": "a.b"}, "`consumer`"),
                             ({"type": "nats", "url": "nats://x"}, "`subject` is missing")):
            out = self.run_motet(*self.words(*self.ingress(**source)))
            self.assertEqual(out.code, 1, (source, out))
            self.assertIn(said, out.err, source)
        self.write("ask.csv", "close\n1\n")
        for source, said in (({"columns": ["close", "spread"]}, "'spread'"), ({"at": "when"}, "'when'"),
                             ({"id": "name"}, "'name'")):
            out = self.run_motet(*self.words(*self.ingress(type="file", path="ask.csv", **source)))
            self.assertIn(f"line 1: there is no column {said}", out.err)
        self.assertEqual(self.run_motet(*self.words("--fixture", "x", *self.ingress(**self.CSV))).code, 2)

    # ---- egress ----

    def test_edge_out_a_file_gets_each_intent_once(self):
        want = self.wanted()
        self.trade(*self.ingress(**self.CSV), *self.egress(type="file", path="o.jsonl"), "--overwrite")
        self.same(self.lines("o.jsonl"), want)
        self.assertEqual({(a["status"], a["acceptance"]) for a in self.acks()}, {("accepted", "durable")})
        # The same ids again are not written again; a torn last line is.
        text = (self.dir / "o.jsonl").read_text().splitlines(True)
        self.write("o.jsonl", "".join(text[:3]) + text[3][:20])
        self.trade(*self.ingress(**self.CSV), *self.egress(type="file", path="o.jsonl"), "--overwrite")
        self.same(self.lines("o.jsonl"), want)
        out = self.trade(*self.ingress(**self.CSV), *self.egress(type="file", path="no/such/o.jsonl"),
                         "--overwrite", code=1)
        self.assertIn("reason=egress_io", out.out)
        self.assertIn("channel 'out' cannot write no/such/o.jsonl: No such file or directory", out.err)

    def test_edge_out_a_full_disk_is_told(self):
        out = self.trade(*self.ingress(**self.CSV), *self.egress(type="file", path="/dev/full"), code=1)
        self.assertIn("cannot write /dev/full: No space left on device", out.err)

    def test_edge_out_standard_output_is_the_channels_own(self):
        want = self.wanted()
        out = self.trade(*self.ingress(**self.CSV), *self.egress(type="stdout"), "--overwrite")
        self.same([json.loads(x) for x in out.out.splitlines()], want)
        self.assertIn("status=completed", out.err)
        self.assertEqual({a["acceptance"] for a in self.acks()}, {"written"})
        with open("/dev/full", "w") as full:
            done = subprocess.run([str(MOTET), *self.words(*self.ingress(**self.CSV), *self.egress(
                type="stdout"), "--overwrite")], cwd=self.dir, stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"cannot write standard output", done.stderr)

    def test_edge_out_a_webhook_is_asked_with_the_id_and_a_token(self):
        want, hook = self.wanted(), Hook(self)
        self.trade(*self.ingress(**self.CSV), *self.egress(type="webhook", url=hook.url, token_env="HOOK"),
                   "--overwrite", env={"HOOK": "s3cret"})
        self.same([body for _, body in hook.asked], want)
        head = hook.asked[0][0]
        self.assertEqual((head["Idempotency-Key"], head["Authorization"], head["Content-Type"]),
                         (want[0]["intent_id"], "Bearer s3cret", "application/json"))
        self.assertNotIn("s3cret", (self.dir / "c.json").read_text())
        out = self.trade(*self.ingress(**self.CSV), *self.egress(
            type="webhook", url=hook.url, token_env="NO_SUCH_TOKEN", attempts=1), "--overwrite", code=1)
        self.assertIn("has no token: NO_SUCH_TOKEN is not set", out.err)

    def test_edge_out_a_webhook_that_fails_is_asked_again_after_pauses_that_double(self):
        want, hook = self.wanted(), Hook(self, 503, 429, 500)
        begun = time.monotonic()
        self.trade(*self.ingress(**self.CSV), *self.egress(type="webhook", url=hook.url, pause="100ms"),
                   "--overwrite")
        self.assertGreater(time.monotonic() - begun, 0.7)
        self.assertEqual(hook.ids()[:4], [want[0]["intent_id"]] * 4)
        self.same([hook.asked[0][1], *(body for _, body in hook.asked[4:])], want)
        # At the limit of attempts it is still taken, one beyond it ends the run.
        for failures, code in ((1, 0), (2, 1)):
            hook = Hook(self, *[500] * failures)
            out = self.trade(*self.ingress(**self.CSV), *self.egress(
                type="webhook", url=hook.url, attempts=2), "--overwrite", code=code)
            self.assertEqual(len(hook.asked), 5 if code == 0 else 2)
        self.assertIn("reason=egress_io", out.out)
        self.assertIn("channel 'out' answered with status 500", out.err)

    def test_edge_out_a_refusal_is_not_asked_again(self):
        for status in (400, 404, 302):
            hook = Hook(self, status)
            out = self.trade(*self.ingress(**self.CSV), *self.egress(type="webhook", url=hook.url),
                             "--overwrite", code=1)
            self.assertEqual(len(hook.asked), 1)
            self.assertIn("reason=egress_refused", out.out)
            self.assertIn(f"refused the intent with status {status}", out.err)

    def test_edge_out_a_webhook_that_is_away_or_slow(self):
        with socket.socket() as free:
            free.bind((LOOPBACK, 0))
            url = f"http://{LOOPBACK}:{free.getsockname()[1]}/"
        out = self.trade(*self.ingress(**self.CSV), *self.egress(type="webhook", url=url, attempts=2), code=1)
        self.assertIn("channel 'out' cannot be reached", out.err)
        hook = Hook(self, slow=1)
        self.write("slow.json", json.dumps({
            "default_ack_timeout": "100ms", "channels": {"out": {"type": "webhook", "url": hook.url, "attempts": 1}},
            "routes": {"place_order": {"channel": "out"}}}))
        out = self.trade(*self.ingress(**self.CSV), "--egress", "slow.json", "--overwrite", code=1)
        self.assertIn("reason=egress_ack_timeout", out.out)

    def test_edge_out_a_pause_ends_when_the_run_is_asked_to(self):
        hook = Hook(self, *[500] * 99)
        run = subprocess.Popen([str(MOTET), *self.words(*self.ingress(**self.CSV), *self.egress(
            type="webhook", url=hook.url, pause="1h", pause_most="1h"))], cwd=self.dir, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.kill)
        self.assertTrue(wait_until(lambda: hook.asked))
        time.sleep(0.1)
        run.send_signal(signal.SIGINT)
        out, _ = run.communicate(timeout=20)
        self.assertEqual(run.returncode, 0)
        self.assertIn("reason=host_stop_requested", out)

    COMMAND = """import json, sys
intent = json.load(sys.stdin)
status = int(sys.argv[2])
if not status:
    open(sys.argv[1], "a").write(json.dumps(intent) + "\\n")
print("words on standard output do no harm")
print("a secret", file=sys.stderr)
sys.exit(status)
"""

    def command(self, status, **more):
        self.write("take.py", self.COMMAND)
        return self.egress(type="command", command=[sys.executable, "take.py", "o.jsonl", str(status)], **more)

    def test_edge_out_a_command_is_started_for_each_intent(self):
        want = self.wanted()
        self.trade(*self.ingress(**self.CSV), *self.command(0), "--overwrite")
        self.same(self.lines("o.jsonl"), want)
        for status, attempts, reason in ((1, 2, "egress_io"), (65, 5, "egress_refused")):
            out = self.trade(*self.ingress(**self.CSV), *self.command(status, attempts=attempts),
                             "--overwrite", code=1)
            self.assertIn(f"reason={reason}", out.out)
            self.assertNotIn("a secret", (self.dir / "c.json").read_text())
        self.egress(type="command", command=["sleep", "9"], attempts=1)
        self.write("e.json", (self.dir / "e.json").read_text().replace('"2s"', '"100ms"'))
        out = self.trade(*self.ingress(**self.CSV), "--egress", "e.json", "--overwrite", code=1)
        self.assertIn("reason=egress_ack_timeout", out.out)
        out = self.trade(*self.ingress(**self.CSV), *self.egress(
            type="command", command=["no-such-program"], attempts=1), "--overwrite", code=1)
        self.assertIn("reason=egress_io", out.out)

    PROCESS = """import json, sys
print(json.dumps({"type": "ready", "protocol": "ergo-egress.v1", "handled_kinds": ["place_order"]}), flush=True)
tries = 0
for line in sys.stdin:
    intent = json.loads(line)
    if intent["type"] == "end":
        break
    tries += 1
    status = sys.argv[1] if tries <= int(sys.argv[2]) else "accepted"
    if status == "dies":
        sys.exit(0 if open("died", "a").write("x") else 0)
    print(json.dumps({"type": "intent_ack", "intent_id": intent["intent_id"], "status": status,
                      **({"acceptance": "durable"} if status == "accepted" else {"reason": "no room"})}),
          flush=True)
"""

    def process(self, status, count, **more):
        self.write("channel.py", self.PROCESS)
        return self.egress(type="process", command=[sys.executable, "channel.py", status, str(count)], **more)

    def test_edge_out_a_program_may_say_no(self):
        out = self.trade(*self.ingress(**self.CSV), *self.process("rejected", 1), code=1)
        self.assertIn("reason=egress_refused", out.out)
        self.assertIn("channel 'out' refused the intent: no room", out.err)
        # "failed" asks to be tried again, and the program goes on running.
        self.trade(*self.ingress(**self.CSV), *self.process("failed", 2, attempts=3), "--overwrite")
        self.assertEqual(len(self.acks()), 4)
        out = self.trade(*self.ingress(**self.CSV), *self.process("failed", 3, attempts=3), "--overwrite", code=1)
        self.assertIn("could not take the intent: no room", out.err)

    def test_edge_out_a_program_that_dies_is_started_again(self):
        out = self.trade(*self.ingress(**self.CSV), *self.process("dies", 1, attempts=3), code=1)
        self.assertEqual((self.dir / "died").read_text(), "xxx")
        self.assertIn("reason=egress_io", out.out)

    # ---- dead letters ----

    def test_edge_dead_letters_are_kept_listed_and_sent_again(self):
        want, hook = self.wanted(), Hook(self, 400, 500, 500, 200, 422)
        bad = self.egress(type="webhook", url=hook.url, attempts=2, dead="dead.jsonl")
        out = self.trade(*self.ingress(**self.CSV), *bad, "--overwrite")
        self.assertIn(" dead_letters=3", out.out)
        self.assertEqual([(a["status"], a["acceptance"]) for a in self.acks()], [
            ("rejected", "dead_letter"), ("failed", "dead_letter"), ("accepted", "durable"),
            ("rejected", "dead_letter")])
        self.replays()
        listed = self.holds("graph", "letters", "list", "dead.jsonl").out.splitlines()
        self.assertEqual(len(listed), 3)
        self.assertIn(f"{want[1]['intent_id']} place_order out attempts=2 egress_io: answered with status 500",
                      listed[1])
        as_json = [json.loads(x) for x in self.holds("graph", "letters", "list", "dead.jsonl", "--json").out.splitlines()]
        self.assertEqual([x["intent_id"] for x in as_json], [want[i]["intent_id"] for i in (0, 1, 3)])
        # One of them, then the rest; what is still refused stays.
        self.egress("again.json", type="file", path="again.jsonl", dead="dead.jsonl")
        sent = self.holds("graph", "letters", "send", "dead.jsonl", "--egress", "again.json", "--only",
                          want[3]["intent_id"])
        self.assertEqual(sent.out, "sent=1 failed=0\n")
        hook.answers = [500, 500, 200]
        out = self.fails(1, "graph", "letters", "send", "dead.jsonl", "--egress", "e.json")
        self.assertEqual(out.out, "sent=1 failed=1\n")
        self.assertEqual(len(self.holds("graph", "letters", "list", "dead.jsonl").out.splitlines()), 1)
        self.assertEqual(self.holds("graph", "letters", "send", "dead.jsonl", "--egress", "again.json").out,
                         "sent=1 failed=0\n")
        self.assertEqual(self.holds("graph", "letters", "list", "dead.jsonl").out, "")
        self.assertEqual([x["intent_id"] for x in self.lines("again.jsonl")],
                         [want[3]["intent_id"], want[0]["intent_id"]])

    def test_edge_dead_letters_that_cannot_be_kept_end_the_run(self):
        hook = Hook(self, 400)
        out = self.trade(*self.ingress(**self.CSV), *self.egress(type="webhook", url=hook.url, dead="no/dead"), code=1)
        self.assertIn("no/dead cannot be written: No such file or directory", out.err)
        for text, said in (("nonsense\n", "it is not JSON (line 1)"), ("{}\n", "either `dead` or `sent` (line 1)"),
                           ('{"dead":{"attempts":1}}\n', "is missing")):
            self.write("bad.jsonl", text)
            self.assertIn(said, self.fails(1, "graph", "letters", "list", "bad.jsonl").err)
        self.write("bad.jsonl", '{"sent":{"cha')  # torn
        self.assertEqual(self.holds("graph", "letters", "list", "bad.jsonl").out, "")
        self.fails(3, "graph", "letters", "list", "gone.jsonl")
        self.fails(2, "graph", "letters", "send", "bad.jsonl")

    def test_edge_dead_letters_survive_a_kill_and_a_resume(self):
        hook = Hook(self, *[500] * 999)
        words = self.words(*self.ingress(**self.CSV), *self.egress(
            type="webhook", url=hook.url, attempts=1, dead="dead.jsonl"))
        run = subprocess.Popen([str(MOTET), *words], cwd=self.dir, stdout=subprocess.DEVNULL)
        self.addCleanup(run.wait, 10)
        self.addCleanup(run.kill)
        wait_until(lambda: len(hook.asked) >= 2)
        run.kill()
        run.wait(10)
        if not (self.dir / "c.json").exists():  # it was faster
            self.trade(*words[7:], "--resume")
        ids = [json.loads(x)["intent_id"] for x in
               self.holds("graph", "letters", "list", "dead.jsonl", "--json").out.splitlines()]
        self.assertEqual((len(ids), len(set(ids))), (4, 4))

    def test_edge_out_configurations_are_checked(self):
        for channel, said in (({"type": "pigeon"}, "`channels.out.type`"), ({"type": "file"}, "path"),
                              ({"type": "webhook", "url": "ftp://x"}, "must begin with http"),
                              ({"type": "webhook", "url": "http://x", "token_env": "A", "token_file": "b"}, "one token"),
                              ({"type": "nats", "url": "nats://x", "subject": "a.*"}, "without spaces and wildcards"),
                              ({"type": "stdout", "path": "x"}, "path"), ({"type": "file", "path": ""}, "must name a file"),
                              ({"type": "stdout", "attempts": 0}, "attempts"),
                              ({"type": "stdout", "attempts": 1001}, "attempts"),
                              ({"type": "stdout", "pause": "0s"}, "pause")):
            out = self.trade(*self.ingress(**self.CSV), *self.egress(**channel), code=1)
            self.assertIn(said, out.err, channel)
        self.trade(*self.ingress(**self.CSV), *self.egress(type="stdout", attempts=1000, pause="24h", pause_most="24h"))

    # ---- NATS ----

    def test_edge_nats_in_and_out_without_a_stream(self):
        want, bus = self.wanted(), Nats(self)
        bus.subscribe("orders")
        run = subprocess.Popen([str(MOTET), *self.words(
            *self.ingress(type="nats", url=bus.url, subject="prices", at="time", refused="r.jsonl"),
            *self.egress(type="nats", url=bus.url, subject="orders"), "--overwrite", "--max-events", "120")],
            cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.kill)
        speaker = Nats.__new__(Nats)
        speaker.connect(self, bus.port)
        # Somebody else's message is refused, and shows that the run listens.
        self.assertTrue(wait_until(lambda: speaker.heard("prices")))
        for t, c, s in self.rows:
            speaker.publish("prices", {"time": int(t), "close": c, "spread": s})
        got = [bus.hear() for _ in range(4)]
        out, err = run.communicate(timeout=30)
        self.assertEqual(run.returncode, 0, (out, err))
        # Ids of intents follow those of events, which are others here.
        self.assertEqual([x["fields"] for x in got], [x["fields"] for x in want])
        self.assertEqual({a["acceptance"] for a in self.acks()}, {"written"})
        self.replays()

    def test_edge_nats_a_stream_gives_each_event_once_though_the_run_is_killed(self):
        want, bus = self.wanted(), Nats(self)
        bus.stream("PRICES", "prices")
        bus.stream("ORDERS", "orders")
        for t, c, s in self.rows:
            bus.publish("prices", {"time": int(t), "close": c, "spread": s})
        words = self.words(
            *self.ingress(type="nats", url=bus.url, subject="prices", at="time", stream=True),
            *self.egress(type="nats", url=bus.url, subject="orders", stream=True), "--max-duration", "60s")
        (self.dir / "c.json").unlink()
        (self.dir / "c.json.sum").unlink()
        for events in (30, 60):
            run = subprocess.Popen([str(MOTET), *words, *(("--resume",) if events > 30 else ())], cwd=self.dir,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            self.addCleanup(run.kill)
            journal = self.dir / "c.json.journal"
            self.assertTrue(wait_until(lambda: journal.exists() and journal.read_text().count('{"event"') >= events
                                       or run.poll() is not None))
            run.kill()
            run.communicate(timeout=10)
        out = self.trade(*words[7:], "--resume", "--max-events", str(
            120 - journal.read_text().count('{"event"')))
        ids = [e["event_id"] for e in self.capture()["events"]]
        self.assertEqual(numbers(ids), [f"PRICES:{i + 1}" for i in range(120)])
        self.assertEqual([x["fields"] for x in bus.messages("ORDERS")], [x["fields"] for x in want])
        self.replays()

    def test_edge_nats_a_message_that_is_no_event_is_kept_and_not_sent_again(self):
        bus = Nats(self)
        bus.stream("PRICES", "prices")
        for body in (b"nonsense", {"close": "x", "spread": 1}, {"close": 1, "spread": 1}):
            bus.publish("prices", body)
        source = dict(type="nats", url=bus.url, subject="prices", stream=True)
        out = self.trade(*self.ingress(**source), *self.egress(type="stdout"), code=1)
        self.assertIn("ingress.parse_error", out.err)
        self.trade(*self.ingress(**source, refused="r.jsonl"), *self.egress(type="stdout"), "--overwrite",
                   "--max-events", "1", "--max-duration", "20s")
        self.assertEqual(numbers(x["refused"]["event_id"] for x in self.lines("r.jsonl")), ["PRICES:1", "PRICES:2"])
        info = bus.ask("$JS.API.CONSUMER.INFO.PRICES.motet-crossover")
        self.assertEqual((info["num_ack_pending"], info["num_pending"]), (0, 0))

    def test_edge_nats_a_consumer_is_called_like_its_graph_as_far_as_nats_allows(self):
        bus = Nats(self)
        bus.stream("PRICES", "prices")
        bus.publish("prices", {"close": 1, "spread": 1})
        self.write("crossover.yaml", (self.dir / "crossover.yaml").read_text().replace(
            "id: crossover\n", 'id: "az-AZ_09*b>cé"\n'))
        self.trade(*self.ingress(type="nats", url=bus.url, subject="prices", stream=True), *self.egress(type="stdout"),
                   "--max-events", "1", "--max-duration", "20s")
        consumers = bus.ask("$JS.API.CONSUMER.NAMES.PRICES")["consumers"]
        self.assertEqual(consumers, ["motet-az-AZ_09_b_c__"])  # é is two bytes

    def test_edge_nats_what_a_version_before_has_had_is_passed_over(self):
        """Ids of streams had no time: a journal with such ids still knows its messages."""
        bus = Nats(self)
        bus.stream("PRICES", "prices")
        for t, c, s in self.rows[:4]:
            bus.publish("prices", {"time": int(t), "close": c, "spread": s})
        words = (*self.ingress(type="nats", url=bus.url, subject="prices", at="time", stream=True),
                 *self.egress(type="stdout"), "--max-duration", "60s", "--journal-only")
        self.trade(*words, "--max-events", "2")
        journal = self.dir / "c.json.journal"
        text = journal.read_text()
        self.assertEqual(len(re.findall(r'"PRICES:[12]@\d{19}"', text)), 2, text)
        journal.write_text(re.sub(r'("PRICES:\d+)@\d+"', r'\1"', text))
        self.assertTrue(bus.ask("$JS.API.CONSUMER.DELETE.PRICES.motet-crossover")["success"])  # all come again
        self.trade(*words, "--resume", "--max-events", "2")
        ids = re.findall(r'"event_id":"(PRICES[^"]*)"', journal.read_text())
        self.assertEqual(numbers(ids), ["PRICES:1", "PRICES:2", "PRICES:3", "PRICES:4"])
        self.assertEqual([i for i in ids if "@" not in i], ["PRICES:1", "PRICES:2"])

    def test_edge_nats_servers_that_are_not_there_or_go_away(self):
        with socket.socket() as free:
            free.bind((LOOPBACK, 0))
            url = f"nats://user:pass@{LOOPBACK}:{free.getsockname()[1]}"
        out = self.trade(*self.ingress(type="nats", url=url, subject="prices"), *self.egress(type="stdout"), code=3)
        self.assertIn("ingress.open_failed: cannot connect to the NATS server", out.err)
        self.assertNotIn("pass", out.err)
        out = self.trade(*self.ingress(**self.CSV), *self.egress(
            type="nats", url=url, subject="orders", attempts=2), code=1)
        self.assertIn("cannot connect to the NATS server", out.err)
        self.assertNotIn("pass", out.err + (self.dir / "c.json").read_text())
        bus = Nats(self)
        out = self.trade(*self.ingress(**self.CSV), *self.egress(
            type="nats", url=bus.url, subject="orders", stream=True, attempts=1), "--overwrite", code=1)
        self.assertIn("no stream keeps the subject 'orders'", out.err)


class Pumped(Case):
    """`--pump`: what the supervisor has put off runs by itself."""

    def setUp(self):
        super().setUp()
        self.holds("graph", "init", "g")

    LIMITS = ("--max-per-window", "1", "--rate-window", "10s")

    def pump(self, *more, code=0, capture="c.json", source=("--fixture", "f.jsonl")):
        result = self.run_motet("graph", "run", "g/graph.yaml", "--adapter", "g/adapter.yaml", *source,
                                "--capture", capture, "--pump", *self.LIMITS, *more)
        self.assertEqual(result.code, code, result)
        return result

    def fixture(self, times):
        self.write("f.jsonl", "".join(json.dumps({"kind": "event", "event": {
            "type": "DataAvailable", "id": f"e{t}", "semantic_kind": "reading", "at": {"secs": t, "nanos": 0},
            "payload": {"reading": 40.0}}}) + "\n" for t in times))

    def test_edge_pump_lets_go_what_is_due_by_the_time_of_events(self):
        self.fixture((0, 1, 2, 15, 16))
        self.assertIn(" invoked=5 ", self.pump().out)
        capture = json.loads((self.dir / "c.json").read_text())
        steps = [(e["event_id"].split(":")[0], e["event_time"]["secs"])
                 for e, d in zip(capture["events"], capture["decisions"]) if d["decision"] == "Invoke"]
        self.assertEqual(steps, [("e0", 0), *[("pump", t) for t in (10, 20, 30, 40)]])
        self.holds("graph", "replay", "c.json", "--graph", "g/graph.yaml", "--adapter", "g/adapter.yaml")
        # Cut off anywhere and resumed, it comes to the same bytes.
        want = (self.dir / "c.json").read_bytes()
        for events in range(1, len(capture["events"])):
            self.pump("--journal-only", "--max-events", str(events), capture=f"r{events}.json")
            self.pump("--resume", capture=f"r{events}.json")
            self.assertEqual((self.dir / f"r{events}.json").read_bytes(), want, events)

    def test_edge_pump_goes_by_the_clock_while_a_source_is_silent(self):
        self.write("l.jsonl", '{"reading":40}\n{"reading":41}\n')
        result = self.run_motet(
            "graph", "run", "g/graph.yaml", "--adapter", "g/adapter.yaml", "--capture", "c.json", "--pump",
            "--ingress", "{type: file, path: l.jsonl, follow: true}", "--max-per-window", "1", "--rate-window",
            "300ms", "--max-duration", "20s", "--max-events", "3")
        self.assertEqual(result.code, 0, result)
        self.assertIn("events=3 invoked=2 deferred=1", result.out)

    def test_edge_pump_knows_each_key(self):
        """Two rooms with a limit each; neither waits for the other, and each exports by itself."""
        text = (self.dir / "g/adapter.yaml").read_text()
        text = text.replace("context_keys:", "key: room\ncontext_keys:\n  - {name: room, type: String, required: true, "
                            "writable: false}", 1).replace("properties:", "properties:\n        room: {type: string}", 1)
        text = text.replace("required: [reading]", "required: [reading, room]")
        self.write("g/adapter.yaml", text)
        self.write("f.jsonl", "".join(json.dumps({"kind": "event", "event": {
            "type": "DataAvailable", "id": f"e{t}", "semantic_kind": "reading", "at": {"secs": t, "nanos": 0},
            "payload": {"reading": 40.0, "room": "ab"[t % 2]}}}) + "\n" for t in (0, 1, 2, 3, 12, 13)))
        out = self.pump().out
        self.assertIn(" invoked=6 ", out)
        self.holds("graph", "replay", "c.json.journal", "--graph", "g/graph.yaml", "--adapter", "g/adapter.yaml")
        self.holds("graph", "export", "c.json.journal", "--key", "a", "--out", "a.json")
        capture = json.loads((self.dir / "a.json").read_text())
        self.assertEqual([(e["event_id"].split(":")[0], e["event_time"]["secs"])
                          for e, d in zip(capture["events"], capture["decisions"]) if d["decision"] == "Invoke"],
                         [("e0", 0), ("pump", 10), ("pump", 20)])
        self.fixture((0,))
        self.assertIn("--pump cannot", self.pump("--max-in-flight", "0", code=2).err)

    def test_edge_pump_of_a_server_goes_by_its_clock(self):
        """Deferred before a restart, too; nothing is written while nothing waits."""
        self.write("serve.yaml", "graphs:\n  g: {graph: g/graph.yaml, adapter: g/adapter.yaml, pump: true, "
                   "max_per_window: 1, rate_window: 1s}\n")
        server = Server(self.dir, options=["--config", "serve.yaml"])
        server.start()
        self.addCleanup(server.stop)

        at = {"secs": int(time.time()) + 8, "nanos": 0}  # no pump is due before all are given, however slow that is

        def give(id):
            return server.post("/v1/graphs/g/events", {"id": id, "semantic_kind": "reading", "at": at,
                                                       "payload": {"reading": 40}}).json["decision"]

        def invoked():
            capture = server.get("/v1/graphs/g/captures/g.000001").json
            return [e["kind"] for e, d in zip(capture["events"], capture["decisions"]) if d["decision"] == "Invoke"]
        self.assertEqual([give(f"e{i}") for i in range(3)], ["Invoke", "Defer", "Defer"])
        server.stop(signal.SIGKILL)
        server.start()
        self.assertTrue(wait_until(lambda: len(invoked()) == 3, 30))
        events = len(server.get("/v1/graphs/g/captures/g.000001").json["events"])
        time.sleep(0.5)
        capture = server.get("/v1/graphs/g/captures/g.000001").json
        self.assertEqual(len(capture["events"]), events)
        self.assertEqual(invoked(), ["DataAvailable", "Pump", "Pump"])
        self.assertEqual(server.stop(), 0)
        self.write("c.json", json.dumps(capture))
        self.holds("graph", "replay", "c.json", "--graph", "g/graph.yaml", "--adapter", "g/adapter.yaml")
        self.write("serve.yaml", (self.dir / "serve.yaml").read_text().replace("pump: true", "pump: 1"))
        self.assertIn("`pump`", self.fails(1, "serve", "--config", "serve.yaml", "--check-config").err)


class Served(Edges):
    """The same behind `motet serve`: events by HTTP and by `ingress`, intents by the outbox."""

    def serve(self, *sources, egress=(), more="", attempts=3):
        self.write("serve.json", json.dumps({
            "executor": {"trigger_attempts": attempts, "trigger_pause_ms": 10},
            "graphs": {"fx": {"graph": "crossover.yaml", "adapter": "adapter.yaml", "egress": egress[1],
                              "ingress": list(sources)}}}))
        server = Server(self.dir, options=["--config", "serve.json"])
        server.start()
        self.addCleanup(server.stop)
        return server

    def events(self, server):
        ids = [row["id"] for row in server.get("/v1/graphs/fx/captures").json["items"]]
        return [e["event_id"] for id in ids for e in server.get(f"/v1/graphs/fx/captures/{id}").json["events"]]

    def test_edge_served_curl_posts_an_event(self):
        server = self.serve(egress=self.egress(type="file", path="o.jsonl"))
        body = {"id": "c1", "semantic_kind": "price", "payload": {"close": 1.0, "spread": 0.1}}
        for code, payload in (("200", body), ("422", body), ("422", {**body, "id": "c2", "payload": {}})):
            done = subprocess.run(["curl", "-s", "-o", os.devnull, "-w", "%{http_code}", "-H", "Content-Type: application/json", "-d", json.dumps(payload),
                                   f"{server.url}/v1/graphs/fx/events"], capture_output=True, text=True, timeout=20)
            self.assertEqual(done.stdout, code)
        self.assertEqual(self.events(server), ["c1"])
        self.assertEqual(server.post("/v1/graphs/fx/events", {**body, "id": "c3"}).status, 200)
        # An id that was used says by which line, for whoever reads the store.
        with contextlib.closing(sqlite3.connect(self.dir / "serve.db")) as db:
            used = dict(db.execute("SELECT id, body FROM docs WHERE kind = 'graph_event'"))
        self.assertEqual({id: json.loads(body) for id, body in used.items()}, {
            f"fx/{hashlib.sha256(id).hexdigest()}": f"fx.000001/{line:08}" for line, id in enumerate((b"c1", b"c3"))})

    def test_edge_served_a_file_is_read_once_and_its_orders_leave_once(self):
        want = self.wanted()
        server = self.serve(self.CSV, egress=self.egress(type="file", path="o.jsonl"))
        for _ in range(2):  # and begun anew after a restart
            self.assertTrue(wait_until(lambda: len(self.events(server)) == 120))
            self.assertTrue(wait_until(lambda: (self.dir / "o.jsonl").exists() and len(self.lines("o.jsonl")) == 4))
            server.stop(signal.SIGKILL)
            server.start()
        self.same(sorted(self.lines("o.jsonl"), key=lambda x: [w["intent_id"] for w in want].index(x["intent_id"])), want)

    def test_edge_served_a_timer_and_a_subject_feed_one_graph(self):
        bus = Nats(self)
        bus.stream("PRICES", "prices")
        server = self.serve({"type": "timer", "every": "50ms", "payload": {"close": 1.0, "spread": 0.1}},
                            {"type": "nats", "url": bus.url, "subject": "prices", "stream": True, "refused": "r.jsonl"},
                            egress=self.egress(type="nats", url=bus.url, subject="orders"))
        for body in ({"close": 1.5, "spread": 0.1}, b"nonsense", {"close": 1.6}, {"close": 1.7, "spread": 0.1}):
            bus.publish("prices", body)
        self.assertTrue(wait_until(lambda: {"PRICES:1", "PRICES:4"} <= set(numbers(self.events(server)))))
        self.assertTrue(wait_until(lambda: len([e for e in self.events(server) if e.startswith("timer:50:")]) > 2))
        self.assertEqual([x["refused"]["code"] for x in self.lines("r.jsonl")],
                         ["ingress.parse_error", "host.event_build_failed"])
        # The server of messages goes away and comes back.
        bus.process.kill()
        bus.process.wait(10)
        again = Nats(self, bus.port, bus.store)
        again.publish("prices", {"close": 1.8, "spread": 0.1})
        self.assertTrue(wait_until(lambda: "PRICES:5" in numbers(self.events(server)), 30))
        self.assertEqual(server.stop(), 0)

    def test_edge_served_a_stream_that_was_made_anew_has_new_events(self):
        bus = Nats(self)
        bus.stream("PRICES", "prices")
        source = {"type": "nats", "url": bus.url, "subject": "prices", "stream": True}
        server = self.serve(source, egress=self.egress(type="file", path="o.jsonl"))
        bus.publish("prices", {"close": 1.5, "spread": 0.1})
        self.assertTrue(wait_until(lambda: numbers(self.events(server)) == ["PRICES:1"]))
        bus.ask("$JS.API.STREAM.DELETE.PRICES")
        bus.stream("PRICES", "prices")
        server.stop()
        server.start()
        bus.publish("prices", {"close": 1.6, "spread": 0.1})
        self.assertTrue(wait_until(lambda: numbers(self.events(server)) == ["PRICES:1", "PRICES:1"], 30))

    def test_edge_served_ids_of_versions_before_are_known(self):
        bus = Nats(self)
        bus.stream("PRICES", "prices")
        for close in (1.5, 1.6, 1.7):
            bus.publish("prices", {"close": close, "spread": 0.1})
        source = {"type": "nats", "url": bus.url, "subject": "prices", "stream": True}
        server = self.serve(egress=self.egress(type="file", path="o.jsonl"))
        for number in (1, 2):  # as the version before had stored them
            answer = server.post("/v1/graphs/fx/events", {"id": f"PRICES:{number}", "semantic_kind": "price",
                                                          "payload": {"close": 1.5, "spread": 0.1}})
            self.assertEqual(answer.status, 200, answer)
        server.stop()
        # The second was stored long before its message: that is one of a stream that was made anew.
        for minutes, want in ((4, ["PRICES:3"]), (6, ["PRICES:2", "PRICES:3"])):
            with self.subTest(minutes):
                shutil.copy(self.dir / "serve.db", self.dir / f"s{minutes}.db")
                with contextlib.closing(sqlite3.connect(self.dir / f"s{minutes}.db")) as db:
                    digest = hashlib.sha256(b"PRICES:2").hexdigest()
                    changed = db.execute("UPDATE docs SET updated_ms = updated_ms - ? WHERE kind = 'graph_event' AND id = ?",
                                         (minutes * 60000, f"fx/{digest}"))
                    self.assertEqual(changed.rowcount, 1)
                    db.commit()
                self.write("serve.json", json.dumps({"graphs": {"fx": {
                    "graph": "crossover.yaml", "adapter": "adapter.yaml", "egress": "e.json",
                    "ingress": [{**source, "consumer": f"c{minutes}"}]}}}))
                server = Server(self.dir, store=f"sqlite:s{minutes}.db", options=["--config", "serve.json"])
                server.start()
                self.addCleanup(server.stop)
                self.assertTrue(wait_until(lambda: "PRICES:3" in numbers(self.events(server)), 30))
                self.assertEqual(numbers(self.events(server))[2:], want)
                server.stop()

    def test_edge_served_a_source_that_cannot_go_on_is_told(self):
        server = self.serve({**self.CSV, "path": "gone.csv"}, egress=self.egress(type="file", path="o.jsonl"))
        self.assertTrue(server.logs("ingress.open_failed: cannot read gone.csv"))
        shutil.copy(self.dir / "p.csv", self.dir / "gone.csv")
        self.assertTrue(wait_until(lambda: len(self.events(server)) == 120))
        server.stop()
        self.write("bad.jsonl", '{"close":"x","spread":1}\n{"close":1,"spread":1}\n')
        (self.dir / "serve.db").unlink()
        server = self.serve({"type": "file", "path": "bad.jsonl"}, egress=self.egress(type="file", path="o.jsonl"))
        self.assertTrue(server.logs("ingress_stopped"))
        self.assertEqual(self.events(server), [])
        for source, said in (({"type": "stdin"}, "ingress[0]: a server does not read its standard input"),
                             ({"type": "timer"}, "ingress[0]: `every` is missing")):
            self.write("bad.json", json.dumps({"graphs": {"fx": {
                "graph": "crossover.yaml", "adapter": "adapter.yaml", "egress": "e.json", "ingress": [source]}}}))
            self.assertIn(said, self.fails(1, "serve", "--config", "bad.json", "--check-config").err)

    def test_edge_served_dead_letters_are_listed_and_sent_again(self):
        hook = Hook(self, *[400] * 4)
        server = self.serve(self.CSV, egress=self.egress(type="webhook", url=hook.url))
        self.assertTrue(wait_until(lambda: len(server.get("/v1/graphs/fx/letters").json["items"]) == 4))
        letters = server.get("/v1/graphs/fx/letters").json["items"]
        self.assertEqual(len(hook.asked), 4)  # a refusal is not tried again
        self.assertEqual({x["attempts"] for x in letters}, {1})
        self.assertIn("refused the intent with status 400", letters[0]["reason"])
        page = server.get("/v1/graphs/fx/letters?limit=3").json
        self.assertEqual([x["id"] for x in page["items"]], [x["id"] for x in letters[:3]])
        rest = server.get(f"/v1/graphs/fx/letters?limit=3&after={page['next'].replace('/', '%2F').replace(':', '%3A')}").json
        self.assertEqual([x["id"] for x in rest["items"]], [letters[3]["id"]])
        sent = server.post("/v1/graphs/fx/letters/send", {"id": letters[1]["id"]})
        self.assertEqual((sent.status, sent.json["status"]), (200, "pending"), sent)
        self.assertTrue(wait_until(lambda: len(hook.asked) == 5))
        self.assertEqual(hook.ids()[4], letters[1]["intent_id"])
        self.assertTrue(wait_until(lambda: len(server.get("/v1/graphs/fx/letters").json["items"]) == 3))
        for status, body in ((404, {"id": letters[1]["id"]}), (404, {"id": "x"}), (400, {}), (400, {"id": ""}),
                             (400, {"id": "x", "more": 1})):
            self.assertEqual(server.post("/v1/graphs/fx/letters/send", body).status, status, body)
        kinds = [r["body"]["status"] for r in server.get("/v1/ledger?kind=intent&limit=99").json["items"]]
        self.assertEqual(sorted(kinds), sorted(["failed"] * 4 + ["again", "accepted"]))
        self.assertEqual(server.stop(), 0)
        self.holds("store", "check", "--store", "sqlite:serve.db")

    def test_edge_served_a_webhook_that_fails_is_tried_by_the_outbox(self):
        hook = Hook(self, 500, 500)
        server = self.serve({**self.CSV}, egress=self.egress(type="webhook", url=hook.url), attempts=3)
        self.assertTrue(wait_until(lambda: len(hook.asked) >= 6))
        self.assertEqual(server.get("/v1/graphs/fx/letters").json["items"], [])
        # An address that is not public and not written in the URL is not connected to.
        server.stop()
        (self.dir / "serve.db").unlink()
        server = self.serve(self.CSV, egress=self.egress(type="webhook", url=hook.url.replace(LOOPBACK, "inside.localhost")))
        self.assertTrue(wait_until(lambda: len(server.get("/v1/graphs/fx/letters").json["items"]) == 4))
        self.assertIn("outgoing.networks", server.get("/v1/graphs/fx/letters").json["items"][0]["reason"])

    def test_edge_served_the_picture_says_how_often_each_node_spoke(self):
        server = self.serve(self.CSV, egress=self.egress(type="file", path="o.jsonl"))
        self.assertTrue(wait_until(lambda: server.get("/v1/graphs/fx/picture").json["events"] == 120))
        seen = server.get("/v1/graphs/fx/picture").json
        by_path = {n["path"]: n for n in seen["nodes"]}
        self.assertEqual({n["ran"] for n in seen["nodes"]}, {120})
        spoke = [n["spoke"] for n in seen["nodes"] if "spoke" in n]
        self.assertGreaterEqual(spoke.count(4), 2)  # a trigger and the action behind it
        self.assertEqual(len(seen["picture"]["nodes"]), len(by_path))
        self.assertIn("4 of 120", json.dumps(seen["picture"]))
        self.assertTrue(server.get("/v1/graphs/fx/picture?format=mermaid").json["text"].startswith("flowchart"))
        self.assertTrue(server.get("/v1/graphs/fx/picture?format=dot").json["text"].startswith("digraph"))
        self.assertEqual(server.get("/v1/graphs/fx/picture?format=svg").status, 400)
        self.assertEqual(server.get("/v1/graphs/none/picture").status, 404)
        # A token sees what its rights say.
        good, bad = server.token("--name", "a", "--right", "graphs:fx"), server.token("--name", "b", "--right", "graphs:other")
        self.assertTrue(wait_until(lambda: server.get("/v1/graphs/fx/picture", token=bad).status == 403))
        for path in ("picture", "letters"):
            self.assertEqual(server.get(f"/v1/graphs/fx/{path}", token=good).status, 200)
            self.assertEqual(server.get(f"/v1/graphs/fx/{path}", token=bad).status, 403)
            self.assertEqual(server.get(f"/v1/graphs/fx/{path}").status, 401)
        self.assertEqual(server.post("/v1/graphs/fx/letters/send", {"id": "x"}, token=bad).status, 403)


# Served has the helpers of Edges, not its tests.
for name in [n for n in dir(Edges) if n.startswith("test_") and n not in vars(Served)]:
    setattr(Served, name, None)


if __name__ == "__main__":
    main()
