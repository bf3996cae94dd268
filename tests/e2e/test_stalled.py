"""Everything around a service fails at once: who reads its log, who collects its traces, who
witnesses its ledger, and then the disk. The service goes on, says in its counters what is lost,
and afterwards every promise that it gave is kept."""
import base64
import fcntl
import json
import os
import random
import re
import subprocess
import time

import notes
from harness import SEED, SOAK, Case, main
from otlp import Collector
from serve import Server
from test_witness import Witness

LAMP = """persona user
fact level { type: Int source: "a.b" default: 1 }
entity Lamp { states: [off, on] initial: off transitions: [(off, on), (on, off)] }
operation press { allowed_personas: [user] precondition: level >= 1
                  effects: [(Lamp, off, on), (Lamp, on, off)] outcomes: [done] }
"""
LOG_SEED, W_SEED = bytes(range(32)), bytes(range(32, 64))
ORIGIN = "log.example/lamps"
W_KEY = notes.vkey("w.example", 4, notes.public_of(W_SEED))


class Stalled(Case):
    def setUp(self):
        super().setUp()
        for name, seed in (("log", LOG_SEED), ("w", W_SEED)):
            self.write(f"{name}.secret", base64.b64encode(seed)).chmod(0o600)
            self.write(f"{name}.pub", base64.b64encode(notes.public_of(seed)))
        self.disk = self.dir / "disk"
        self.disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", self.disk],
                          capture_output=True).returncode:
            self.skipTest("no right to mount a small disk")
        self.addCleanup(subprocess.run, ["umount", "-l", self.disk], check=True)
        self.promises, self.state = [], {}
        self.rng = random.Random(SEED)

    def collect(self):
        """A collector that takes what comes, until it is told to stall."""
        self.state["stalls"] = False
        collector = Collector(lambda path: 20.0 if self.state["stalls"] else None)
        collector.__enter__()
        self.addCleanup(collector.__exit__)
        return collector

    def serve(self, collector, witness):
        config = {"origin": ORIGIN, "files": [str(self.write("lamp.tenor", LAMP))],
                  "witnesses": [{"name": "w.example", "url": witness.url, "key": W_KEY, "timeout_ms": 500}],
                  "otlp": {"endpoint": collector.endpoint, "every_ms": 50, "metrics_ms": 200, "queue": 64,
                           "timeout_ms": 300}}
        reader, writer = os.pipe()  # who collects the log never reads
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
        self.addCleanup(os.close, reader)
        server = Server(self.dir, store="sqlite:disk/serve.db", stderr=os.fdopen(writer, "wb"), options=[
            "--config", self.write("motet.json", json.dumps(config)), "--signing-key", "log.secret",
            "--checkpoint-seconds", "1", "--witness-quorum", "1", "--access-log", "--limit", "log_bytes=4096"])
        self.addCleanup(server.stop)
        server.start()
        return server

    def figure(self, server, name):
        text = server.get("/metrics").body.decode()
        return float(re.search(rf"^motet_{name}(?:{{[^}}]*}})? (\S+)$", text, re.M)[1])

    def press(self, server):
        """One request, done or refused, with a receipt; its status. Nobody waits long."""
        refused = self.rng.random() < 0.5
        began = time.monotonic()
        answer = server.post("/v1/contracts/lamp/operations/press", {
            "persona": "user", "bindings": {"Lamp": "l"}, "receipt": True,
            "facts": {"level": 0 if refused else 1}})
        self.assertLess(time.monotonic() - began, 3, "somebody else held it up")
        if answer.status < 500:
            self.assertEqual(answer.status, 422 if refused else 200, answer)
            self.promises.append(answer.json["receipt"])
        return answer.status

    def fill_disk(self):
        with open(self.disk / "ballast", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                pass

    def come_back(self, witness):
        """On the port it had, which a client that goes on calling may hold for a moment."""
        for _ in range(20):
            try:
                witness.start()
                return
            except RuntimeError as fault:
                self.assertIn("Address already in use", str(fault))
                time.sleep(0.5)
        self.fail("the port stays taken")

    def test_all_at_once_and_every_promise_is_kept(self):
        collector = self.collect()
        witness = Witness(self, name="w.example", logs=[notes.vkey(ORIGIN, 1, notes.public_of(LOG_SEED))])
        witness.start("--new")
        server = self.serve(collector, witness)
        server.post("/v1/contracts/lamp/instances/Lamp", {"id": "l"})
        self.assertTrue(server.wait_until(lambda: self.figure(server, "witness_records") >= 2, 15))
        # The witness is gone, the collector stalls, nobody reads the log.
        self.state["stalls"] = True
        witness.end(9)
        for _ in range(3000 if SOAK else 600):
            self.assertIn(self.press(server), (200, 422))
        self.counters_tell(server)
        self.disk_full(server)
        # Everybody is back.
        self.state["stalls"] = False
        witness.words[witness.words.index("127.0.0.1:0")] = f"127.0.0.1:{witness.port}"
        self.come_back(witness)
        size = max(p["promise"]["record"] for p in self.promises) + 1
        self.assertTrue(server.wait_until(lambda: self.figure(server, "witness_records") >= size, 60))
        self.promises_are_kept(server)

    def counters_tell(self, server):
        self.assertEqual(server.get("/healthz").status, 200)
        self.assertEqual(server.get("/readyz").status, 200)
        for name in ("http_log_lines_dropped_total", "otlp_traces_dropped_total",
                     "witness_failures_total", "witness_behind_records", "refusals_recorded_total",
                     "receipts_total"):
            self.assertTrue(server.wait_until(lambda: self.figure(server, name) > 0, 15), name)
        self.assertEqual(self.figure(server, "receipts_late_total"), 0)
        self.assertEqual(self.figure(server, "store_failing"), 0)
        # A promise is not complete while its witness is away, and is still a promise.
        receipt = server.get(f"/v1/ledger/{self.promises[-1]['promise']['record']}/receipt").json
        self.assertEqual(receipt, self.promises[-1])

    def disk_full(self, server):
        self.fill_disk()
        told = len(self.promises)
        statuses = [self.press(server) for _ in range(200)]
        self.assertIn(503, statuses)
        self.assertEqual(len(self.promises) - told, sum(status < 500 for status in statuses))
        self.assertEqual(self.figure(server, "store_failing"), 1)
        self.assertGreater(self.figure(server, "failures_total"), 0)
        self.assertEqual(server.get("/healthz").status, 200)
        self.assertEqual(server.get("/v1/contracts/lamp/instances/Lamp/l").status, 200)
        (self.disk / "ballast").unlink()
        self.assertTrue(server.wait_until(lambda: self.press(server) < 500, 20))
        self.assertEqual(self.figure(server, "store_failing"), 0)

    def promises_are_kept(self, server):
        numbers = [p["promise"]["record"] for p in self.promises]
        self.assertEqual(len(set(numbers)), len(numbers))
        whole = [server.get(f"/v1/ledger/{number}/receipt").json for number in numbers]
        for promise, receipt in zip(self.promises, whole):
            self.assertEqual({k: receipt[k] for k in promise}, promise)
        self.assertEqual(server.stop(), 0)
        self.write("whole", "".join(json.dumps(one) + "\n" for one in whole))
        said = self.holds("receipt", "verify", "whole", "--key", "log.pub", "--complete", "--witness", W_KEY).out
        self.assertIn(f"{len(whole)} complete, 0 promises", said)
        self.holds("ledger", "verify", "--store", "sqlite:disk/serve.db", "--key", "log.pub")
        self.holds("store", "check", "--store", "sqlite:disk/serve.db")
        # What is not promised was not written: each record of a decision has its promise.
        text = self.holds("ledger", "export", "--store", "sqlite:disk/serve.db").out
        kinds = [json.loads(line)["body"]["kind"] for line in text.splitlines() if line.startswith('{"body"')]
        self.assertEqual(sum(kind in ("operation", "refusal") for kind in kinds), len(whole))


if __name__ == "__main__":
    main()
