"""Traces and figures sent to a collector (OTLP), W3C trace context in and out."""
import http.server
import json
import re
import threading
import time

from harness import Case, main
from otlp import Collector
from serve import Server

LAMP = """persona user
source box { protocol: http base_url: "http://127.0.0.1:1/" }
fact level { type: Int source: box { path: "level.n" } default: 1 }
entity Lamp { states: [off, on] initial: off transitions: [(off, on), (on, off)] }
operation press { allowed_personas: [user] precondition: level >= 1 effects: [(Lamp, off, on), (Lamp, on, off)] outcomes: [done] }
"""
PLAIN = LAMP.replace('source box { protocol: http base_url: "http://127.0.0.1:1/" }\n', "") \
            .replace('source: box { path: "level.n" }', 'source: "a.b"')
PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
TRACE = PARENT.split("-")[1]


class Box(http.server.BaseHTTPRequestHandler):
    """A source of facts that remembers what it was asked with."""
    protocol_version = "HTTP/1.1"
    seen, status = [], 200

    def do_GET(self):
        Box.seen.append(dict(self.headers))
        body = b'{"n": 7}'
        self.send_response(Box.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *ignored):
        pass


class Traces(Case):
    def serve(self, otlp=None, contract=PLAIN, more="", **named):
        self.write("lamp.tenor", contract)
        otlp = "" if otlp is None else "otlp: " + json.dumps(otlp) + "\n"
        self.write("motet.yaml", "files: [lamp.tenor]\n" + otlp + more)
        server = Server(self.dir, options=["--config", "motet.yaml"], **named)
        server.start()
        self.addCleanup(server.stop)
        return server

    def collect(self, behaviour=None):
        collector = Collector(behaviour)
        collector.__enter__()
        self.addCleanup(collector.__exit__)
        return collector

    def press(self, server, **named):
        return server.post("/v1/contracts/lamp/operations/press",
                           {"persona": "user", "bindings": {"Lamp": "l"}}, **named)

    def usual(self, collector, **more):
        return {"endpoint": collector.endpoint, "every_ms": 50, "metrics_ms": 200, **more}

    def figure(self, server, name):
        text = server.get("/metrics").body.decode()
        return float(re.search(rf"^motet_{name} (\S+)$", text, re.M)[1])

    def test_FS8_point_8_spans_of_an_operation_say_what_took_how_long(self):
        collector = self.collect()
        server = self.serve(self.usual(collector))
        server.post("/v1/contracts/lamp/instances/Lamp", {"id": "l"})
        answer = self.press(server, headers={"traceparent": PARENT})
        self.assertEqual(answer.status, 200, answer)
        mine = lambda: [s for s in collector.spans if s["trace_id"] == TRACE]
        self.assertTrue(server.wait_until(lambda: len(mine()) == 3), collector.spans)
        root, = [s for s in mine() if s["kind"] == 2]
        self.assertEqual(root["parent"], PARENT.split("-")[2])
        self.assertEqual(root["name"], "POST /v1/contracts/{contract}/operations/{operation}")
        self.assertEqual(root["attributes"]["http.response.status_code"], 200)
        self.assertEqual(root["attributes"]["motet.contract"], "lamp")
        children = {s["name"]: s for s in mine() if s["kind"] == 1}
        self.assertEqual(sorted(children), ["commit", "evaluate"])
        for child in children.values():
            self.assertEqual(child["parent"], root["span_id"])
            self.assertLessEqual(root["began"], child["began"])
            self.assertLessEqual(child["began"], child["ended"])
            self.assertLessEqual(child["ended"], root["ended"])
        self.assertLess(abs(root["began"] / 1e9 - time.time()), 60)
        ids = [s["span_id"] for s in collector.spans]
        self.assertEqual(len(set(ids)), len(ids))
        self.assertEqual(collector.faults, [])
        about = collector.resources[0]
        self.assertEqual(about["service.name"], "motet")
        self.assertEqual({r["service.instance.id"] for r in collector.resources},
                         {about["service.instance.id"]})

    def test_FS8_point_8_the_answer_and_the_record_name_the_trace(self):
        collector = self.collect()
        server = self.serve(self.usual(collector))
        server.post("/v1/contracts/lamp/instances/Lamp", {"id": "l"})
        answer = self.press(server, headers={"traceparent": PARENT})
        version, trace, span, flags = answer.headers["traceparent"].split("-")
        self.assertEqual((version, trace, flags), ("00", TRACE, "01"))
        self.assertNotEqual(span, PARENT.split("-")[2])
        records = server.get("/v1/ledger?limit=100").json["items"]
        found = [r for r in records if r["body"].get("trace_id") == TRACE]
        self.assertEqual([r["body"]["kind"] for r in found], ["operation"], records)
        self.assertEqual(server.stop(), 0)
        self.holds("ledger", "verify", "--store", "sqlite:serve.db")

    def test_a_trace_is_gone_on_from_without_a_collector_too(self):
        server = self.serve()
        answer = server.post("/v1/contracts/lamp/instances/Lamp", {"id": "l"},
                             headers={"traceparent": PARENT})
        self.assertEqual(answer.headers["traceparent"].split("-")[1], TRACE)
        self.assertIsNone(server.get("/healthz").headers["traceparent"])
        record = server.get("/v1/ledger?limit=100").json["items"][-1]["body"]
        self.assertEqual(record["trace_id"], TRACE)

    def test_a_malformed_traceparent_is_as_good_as_none(self):
        server = self.serve()
        zeros = "0" * 32
        for bad in (PARENT.upper(), PARENT[:-1], PARENT + "0", "ff" + PARENT[2:],
                    PARENT.replace(TRACE, zeros), PARENT[:36] + "0" * 16 + "-01",
                    PARENT.replace("-", "_"), "00-" + "g" * 32 + "-b7ad6b7169203331-01", "",
                    PARENT + "-more"):
            answer = server.get("/healthz", headers={"traceparent": bad})
            self.assertEqual(answer.status, 200, bad)
            self.assertIsNone(answer.headers["traceparent"], bad)
        later = "cc" + PARENT[2:] + "-what-comes-then"
        self.assertEqual(server.get("/healthz", headers={"traceparent": later})
                         .headers["traceparent"].split("-")[1], TRACE)

    def test_who_began_the_trace_decides_whether_it_is_sampled(self):
        collector = self.collect()
        server = self.serve(self.usual(collector, sample=0))
        server.get("/v1/contracts")
        server.get("/v1/contracts", headers={"traceparent": PARENT[:-1] + "0"})
        server.get("/v1/contracts", headers={"traceparent": PARENT})
        self.assertTrue(server.wait_until(lambda: collector.spans))
        self.assertEqual([s["trace_id"] for s in collector.spans], [TRACE])

    def test_a_source_has_a_span_and_is_told_the_trace(self):
        Box.seen.clear()
        Box.status = 200
        box = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Box)
        box.daemon_threads = True
        threading.Thread(target=box.serve_forever, daemon=True).start()
        self.addCleanup(box.server_close)
        self.addCleanup(box.shutdown)
        collector = self.collect()
        source = {"box": {"base_url": f"http://127.0.0.1:{box.server_port}/"}}
        server = self.serve(self.usual(collector), LAMP, "sources: " + json.dumps(source) + "\n")
        server.post("/v1/contracts/lamp/instances/Lamp", {"id": "l"})
        self.assertEqual(self.press(server, headers={"traceparent": PARENT}).status, 200)
        sent = {k.lower(): v for k, v in Box.seen[-1].items()}["traceparent"]
        self.assertEqual(sent.split("-")[1], TRACE)
        spans = lambda: {s["name"]: s for s in collector.spans if s["trace_id"] == TRACE}
        self.assertTrue(server.wait_until(lambda: "box" in spans()))
        self.assertEqual(spans()["box"]["kind"], 3)
        Box.status = 500
        for _ in range(20):
            self.assertEqual(self.press(server, headers={"traceparent": PARENT}).status, 502)
        failing = [s for s in collector.spans if s["name"] == "box" and s["error"]]
        self.assertTrue(server.wait_until(lambda: [s for s in collector.spans if s["error"]]), failing)
        text = server.get("/metrics").body.decode()
        self.assertIn('motet_source_failures_total{source="box"} 20', text)
        self.assertIn('motet_source_seconds_count{source="box"} 21', text)
        Box.status = 200
        self.assertEqual(self.press(server).status, 200)
        self.assertTrue(server.logs("source_restored"))
        self.assertEqual(server.log().count("source_failing"), 1, server.log())

    def test_figures_are_those_of_the_page(self):
        collector = self.collect()
        server = self.serve(self.usual(collector))
        for _ in range(3):
            server.get("/v1/contracts")
        self.assertTrue(server.wait_until(lambda: any(
            p["labels"].get("route") == "/v1/contracts" and p["count"] == 3
            for p in collector.metrics.get("motet_http_request_seconds", {"points": []})["points"])),
            collector.metrics.keys())
        times = collector.metrics["motet_http_request_seconds"]
        self.assertEqual((times["kind"], times["temporality"]), ("histogram", 2))
        for point in times["points"]:
            self.assertEqual(sum(point["buckets"]), point["count"])
            self.assertEqual(len(point["buckets"]), len(point["bounds"]) + 1)
            self.assertEqual(list(point["bounds"]), sorted(point["bounds"]))
        total = collector.metrics["motet_http_requests_total"]
        self.assertEqual((total["kind"], total["monotonic"]), ("sum", 1))
        page = server.get("/metrics").body.decode()
        named = set(re.findall(r"^# TYPE (\S+)", page, re.M))
        self.assertEqual(named, set(collector.metrics))
        self.assertEqual(collector.faults, [])

    def test_what_is_no_record_is_counted_and_what_is_refused_is_both(self):
        """The same on the page and at the collector: requests that nobody may make, that nobody
        can read, and refusals that are records."""
        collector = self.collect()
        server = self.serve(self.usual(collector))
        token = server.token("--name", "boss", "--right", "admin", "--right", "instances:create",
                             "--right", "metrics:read", "--right", "ledger:read", "--right", "facts:*",
                             "--persona", "user")
        self.assertTrue(server.wait_until(lambda: server.get("/v1/contracts").status == 401))
        server.post("/v1/contracts/lamp/instances/Lamp", {"id": "l"}, token=token)

        def figures():
            text = server.get("/metrics", token=token).body.decode()
            return {name: int(re.search(rf"^motet_{name} (\d+)$", text, re.M)[1]) for name in NAMES}

        NAMES = ("http_unauthorized_total", "http_malformed_total", "refusals_recorded_total",
                 "records_total")
        before = figures()
        press = "/v1/contracts/lamp/operations/press"
        ask = {"persona": "user", "bindings": {"Lamp": "l"}}
        for headers in ({}, {"Authorization": "Bearer mt_wrong"}, {"Authorization": "Basic eDp5"},
                        {"Authorization": "Bearer"}):
            self.assertEqual(server.post(press, ask, headers=headers).status, 401, headers)
        for body in ("{", "[]", '{"persona":"user","persona":"user"}', json.dumps({**ask, "amont": 1}),
                     b"\xff"):
            self.assertEqual(server.post(press, body, token=token).status, 400, body)
        self.assertEqual(server.get("/v1/contracts/%zz", token=token).status, 400)
        low = {**ask, "facts": {"level": 0}}
        for headers in (None, None, {"Idempotency-Key": "k"}, {"Idempotency-Key": "k"}):
            self.assertEqual(server.post(press, low, token=token, headers=headers).status, 422)
        self.assertEqual(server.post(press, {**low, "dry_run": True}, token=token).status, 422)
        self.assertEqual(server.post("/v1/contracts/none/operations/press", ask, token=token).status, 404)
        grown = {name: value - before[name] for name, value in figures().items()}
        self.assertEqual(grown, {"http_unauthorized_total": 4, "http_malformed_total": 6,
                                 "refusals_recorded_total": 3, "records_total": 3})
        after = figures()

        def sent():
            return {name: collector.metrics.get(f"motet_{name}", {"points": [{"value": None}]})["points"][0]
                    ["value"] for name in NAMES}
        self.assertTrue(server.wait_until(lambda: sent() == after, 10), (sent(), after))
        for name in NAMES:
            self.assertEqual((collector.metrics[f"motet_{name}"]["kind"],
                              collector.metrics[f"motet_{name}"]["monotonic"]), ("sum", 1))

    def test_a_collector_that_stalls_costs_traces_and_no_request(self):
        collector = self.collect(lambda path: 20.0)
        server = self.serve(self.usual(collector, queue=64, timeout_ms=300))
        began = time.monotonic()
        for _ in range(400):
            self.assertEqual(server.get("/v1/contracts").status, 200)
        self.assertLess(time.monotonic() - began, 20)
        self.assertTrue(server.wait_until(lambda: self.figure(server, "otlp_traces_dropped_total") > 0))
        self.assertLessEqual(self.figure(server, "otlp_queue"), 64)
        self.assertTrue(server.logs("otlp_failing"))
        began = time.monotonic()
        self.assertEqual(server.stop(), 0)
        self.assertLess(time.monotonic() - began, 15)

    def test_a_collector_that_stalls_does_not_hold_up_the_end(self):
        """However long an exchange may take: what is under way is left, too."""
        collector = self.collect(lambda path: 30.0)
        server = self.serve(self.usual(collector, timeout_ms=25000))
        self.assertEqual(server.get("/v1/contracts").status, 200)
        self.assertTrue(server.wait_until(lambda: collector.requests, 10))
        began = time.monotonic()
        self.assertEqual(server.stop(), 0)
        self.assertLess(time.monotonic() - began, 8)

    def test_a_collector_that_comes_back_is_found_again(self):
        state = {"status": 503}
        collector = self.collect(lambda path: state["status"])
        server = self.serve(self.usual(collector))
        server.get("/v1/contracts", headers={"traceparent": PARENT})
        self.assertTrue(server.logs("otlp_failing"))
        self.assertIn("status 503", server.log())
        state["status"] = None
        self.assertTrue(server.wait_until(lambda: collector.spans, 15))
        self.assertTrue(server.logs("otlp_restored"))
        self.assertEqual(server.log().count("otlp_failing"), 1)
        self.assertEqual([s["trace_id"] for s in collector.spans], [TRACE])

    def test_each_status_that_may_pass_keeps_what_was_to_be_sent(self):
        for status in (429, 502, 503, 504):
            state = {"status": status}
            collector = self.collect(lambda path: state["status"])
            server = self.serve(self.usual(collector, metrics_ms=0))
            server.get("/v1/contracts", headers={"traceparent": PARENT})
            self.assertTrue(server.logs(f"status {status}"))
            state["status"] = None
            self.assertTrue(server.wait_until(lambda: collector.spans, 15), status)
            self.assertEqual(self.figure(server, "otlp_traces_failed_total"), 0, status)
            server.stop()

    def test_what_a_collector_refuses_is_not_sent_again(self):
        collector = self.collect(lambda path: 400)
        server = self.serve(self.usual(collector, metrics_ms=0))
        server.get("/v1/contracts")
        self.assertTrue(server.wait_until(lambda: self.figure(server, "otlp_traces_failed_total") >= 1))
        self.assertEqual(collector.requests.count("/v1/traces"), len(collector.requests))

    def test_credentials_are_sent_and_never_shown(self):
        collector = self.collect()
        secret = "Bearer s3cr3t-of-the-collector"
        otlp = self.usual(collector, headers={"Authorization": {"env": "OTLP_KEY"}, "X-Team": "blue"})
        server = self.serve(otlp, env={"OTLP_KEY": secret})
        server.get("/v1/contracts")
        self.assertTrue(server.wait_until(lambda: collector.spans))
        self.assertEqual(collector.headers[0]["Authorization"], secret)
        self.assertEqual(collector.headers[0]["X-Team"], "blue")
        self.assertEqual(collector.headers[0]["Content-Type"], "application/x-protobuf")
        self.assertNotIn("s3cr3t", server.get("/metrics").body.decode())
        server.stop()
        self.assertNotIn("s3cr3t", server.log())

    def test_wrong_settings_are_told_with_their_place(self):
        self.write("lamp.tenor", PLAIN)
        cases = [
            ('{endpoint: "ftp://x"}', "must be http"), ('{}', "endpoint"),
            ('{endpoint: "http://[::1"}', "HOST:PORT"), ('{endpoint: "http://[::1]4318"}', "HOST:PORT"),
            ('{endpoint: "http://h:65536/x"}', "HOST:PORT"), ('{endpoint: "https://h:"}', "HOST:PORT"),
            ('{endpoint: "http://u:p@h:1"}', "credentials"), ('{endpoint: "http://h:1/?a=b"}', "query"),
            ('{endpoint: "http://h:1", sample: -1}', "sample"), ('{endpoint: "http://h:1", smaple: 1}', "smaple"),
            ('{endpoint: "http://h:1", queue: 63}', "queue"), ('{endpoint: "http://h:1", queue: 1048577}', "queue"),
            ('{endpoint: "http://h:1", headers: {a: {env: NOT_THERE_X}}}', "NOT_THERE_X"),
            ('{endpoint: "http://h:1", headers: {"a b": c}}', "malformed name"),
            ('{endpoint: "http://h:1", headers: {a: {env: A, file: B}}}', "{env: NAME}"),
        ]
        for otlp, words in cases:
            self.write("motet.yaml", f"files: [lamp.tenor]\notlp: {otlp}\n")
            result = self.run_motet("serve", "--config", "motet.yaml", "--check-config")
            self.assertEqual(result.code, 1, (otlp, repr(result)))
            self.assertIn(words, result.err, otlp)
            self.assertIn("motet.yaml:2:", result.err, otlp)
        for queue in (64, 1048576):
            self.write("motet.yaml", f'files: [lamp.tenor]\notlp: {{endpoint: "http://h:1", queue: {queue}}}\n')
            self.holds("serve", "--config", "motet.yaml", "--check-config")
        for place in ("h", "h/", "[::1]", "[::1]:4318/otel", "h:65535"):
            self.write("motet.yaml", f'files: [lamp.tenor]\notlp: {{endpoint: "https://{place}"}}\n')
            self.holds("serve", "--config", "motet.yaml", "--check-config")


main()
