"""What an operator sees: figures, faults in the log, reload, checks before a start, bytes on the wire."""
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import ssl
import subprocess
import threading
import time

import prometheus
from harness import MOTET, SEED, SOAK, SOURCE, Case, main
from postgres import Postgres
from serve import Server

LAMP = """persona user
fact level { type: Int source: "a.b" default: 1 }
entity Lamp { states: [off, on] initial: off transitions: [(off, on), (on, off)] }
operation press { allowed_personas: [user] precondition: level >= 1 effects: [(Lamp, off, on), (Lamp, on, off)] outcomes: [done] }
"""
NEWER = LAMP.replace("level >= 1", "level >= 2")
PRESS = {"persona": "user", "bindings": {"Lamp": "l"}}


def make_certificate(directory, name, days=2):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                    "-nodes", "-days", str(days), "-subj", f"/CN={name}", "-keyout", "key.pem",
                    "-out", "cert.pem"], cwd=directory, check=True, capture_output=True)


class Operations(Case):
    def serve(self, *options, contract=LAMP, **named):
        path = self.write("lamp.tenor", contract)
        server = Server(self.dir, path, options=options, **named)
        server.start()
        self.addCleanup(server.stop)
        return server

    def page(self, server):
        faults, series = prometheus.check(server.get("/metrics").body.decode())
        self.assertEqual(faults, [])
        return series

    def total(self, series, name, **labels):
        return sum(v for (n, l), v in series.items()
                   if n == f"motet_{name}" and labels.items() <= dict(l).items())

    # ---- Figures ----

    def test_FS8_point_8_the_page_keeps_the_rules_and_counts(self):
        server = self.serve()
        server.post("/v1/contracts/lamp/instances/Lamp", {"id": "l"})
        for _ in range(3):
            server.post("/v1/contracts/lamp/operations/press", PRESS)
        for _ in range(2):
            server.post("/v1/contracts/lamp/operations/press", {**PRESS, "facts": {"level": 0}})
        server.post("/v1/contracts/no-such/evaluate", {})
        server.get("/nowhere")
        series = self.page(server)
        count = "http_request_seconds_count"
        route = "/v1/contracts/{contract}/operations/{operation}"
        self.assertEqual(self.total(series, count, route=route, contract="lamp", outcome="done"), 3)
        self.assertEqual(self.total(series, count, route=route, contract="lamp", outcome="refused"), 2)
        self.assertEqual(self.total(series, "refusals_total", code="precondition_failed"), 2)
        self.assertEqual(self.total(series, "refusals_total", code="unknown_contract"), 1)
        self.assertEqual(self.total(series, "refusals_total", code="not_found"), 1)
        self.assertEqual(self.total(series, "commit_seconds_count"), 6)  # refusals are records, too
        for name in ("queue", "worker_queue", "http_worker_queue", "outbox", "store_failing",
                     "http_log_lines_dropped_total", "process_cpu_seconds_total"):
            self.assertIn((f"motet_{name}", ()), series, name)
        for name in ("queue", "worker_queue", "http_worker_queue"):  # everybody has his answer
            self.assertEqual(series[f"motet_{name}", ()], 0, name)
        self.assertGreater(self.total(series, "process_resident_memory_bytes"), 1 << 20)
        self.assertGreater(self.total(series, "process_open_fds"), 3)
        self.assertLess(abs(self.total(series, "process_start_time_seconds") - time.time()), 60)

    def test_what_a_client_sends_is_no_label(self):
        server = self.serve()
        before = len(self.page(server))
        for i in range(200):
            server.post(f"/v1/contracts/nobody-{i}/evaluate", {})
            server.ask("BREW", f"/tea/{i}")
        self.assertLess(len(self.page(server)), before + 120)
        self.assertNotIn(b"nobody", server.get("/metrics").body)

    def test_how_long_records_wait_for_a_signature_is_told(self):
        self.holds("keygen", "--prefix", "sign")
        server = self.serve("--signing-key", "sign.secret", "--checkpoint-seconds", "1")
        server.post("/v1/contracts/lamp/instances/Lamp", {"id": "l"})
        self.assertTrue(server.wait_until(
            lambda: ("motet_checkpoint_age_seconds", ()) in self.page(server), 10))
        self.assertLess(self.total(self.page(server), "checkpoint_age_seconds"), 30)
        self.assertTrue(server.wait_until(
            lambda: self.total(self.page(server), "unsigned_records") == 0, 10))

    # ---- Faults of the store ----

    def test_FS8_a_full_disk_is_one_line_when_it_begins_and_one_when_it_ends(self):
        disk = self.dir / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", disk],
                          capture_output=True).returncode:
            self.skipTest("no right to mount a small disk")
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=True)
        server = self.serve(store="sqlite:disk/serve.db")
        server.post("/v1/contracts/lamp/instances/Lamp", {"id": "l"})
        ballast = disk / "ballast"
        with open(ballast, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                pass
        answers = [server.post("/v1/contracts/lamp/operations/press", PRESS).status for _ in range(150)]
        self.assertIn(503, answers)
        self.assertTrue(server.logs("store_failing_writes"))
        self.assertEqual(self.total(self.page(server), "store_failing"), 1)
        ballast.unlink()
        self.assertTrue(server.wait_until(
            lambda: server.post("/v1/contracts/lamp/operations/press", PRESS).status == 200))
        self.assertTrue(server.logs("store_writes_restored"))
        lines = [l for l in server.log().splitlines() if "store_" in l and "store_open" not in l]
        self.assertLessEqual(len(lines), 6, lines)
        self.assertIn(" error store_failing_writes", lines[0])
        self.assertEqual(self.total(self.page(server), "store_failing"), 0)

    def test_FS8_a_database_that_stops_is_told_and_that_it_is_back(self):
        with Postgres() as database:
            server = self.serve(store=database.url())
            server.post("/v1/contracts/lamp/instances/Lamp", {"id": "l"})
            database.stop()
            answers = [server.post("/v1/contracts/lamp/operations/press", PRESS).status for _ in range(40)]
            self.assertEqual(set(answers), {503})
            self.assertTrue(server.logs("store_failing"))
            database.start()
            self.assertTrue(server.wait_until(
                lambda: server.post("/v1/contracts/lamp/operations/press", PRESS).status == 200, 20))
            self.assertTrue(server.logs("restored"))
            lines = [l for l in server.log().splitlines() if "failing" in l or "restored" in l]
            self.assertLessEqual(len(lines), 8, lines)
            self.assertEqual(self.total(self.page(server), "store_failing"), 0)
            server.stop()

    # ---- SIGHUP ----

    def hang_up(self, server, word="reloaded"):
        before = server.log().count(f" {word} ")
        server.process.send_signal(signal.SIGHUP)
        self.assertTrue(server.wait_until(lambda: server.log().count(f" {word} ") > before), server.log())

    def certificate_of(self, server):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with socket.create_connection((server.host, server.port)) as plain:
            with context.wrap_socket(plain) as wrapped:
                return wrapped.getpeercert(binary_form=True)

    def test_FS18_a_hangup_changes_the_certificate_and_a_bad_one_does_not(self):
        make_certificate(self.dir, "first")
        server = self.serve("--tls-cert", "cert.pem", "--tls-key", "key.pem")
        first = self.certificate_of(server)
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        stays = context.wrap_socket(socket.create_connection((server.host, server.port)))
        self.addCleanup(stays.close)
        make_certificate(self.dir, "second")
        self.hang_up(server, "certificate_reloaded")
        second = self.certificate_of(server)
        self.assertNotEqual(first, second)
        stays.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertTrue(stays.recv(100).startswith(b"HTTP/1.1 200"))
        key = (self.dir / "key.pem").read_bytes()
        for bad in ("not a certificate", ""):
            self.write("cert.pem", bad)
            self.hang_up(server, "certificate_kept")
            self.assertEqual(self.certificate_of(server), second)
        make_certificate(self.dir, "third")
        self.write("key.pem", key)  # of the second: the two do not belong together
        self.hang_up(server, "certificate_kept")
        (self.dir / "cert.pem").unlink()
        self.hang_up(server, "certificate_kept")
        self.assertEqual(self.certificate_of(server), second)
        for i in range(40 if SOAK else 18):  # more than are kept
            make_certificate(self.dir, f"n{i}")
            self.hang_up(server, "certificate_reloaded")
        self.assertNotEqual(self.certificate_of(server), second)
        self.assertEqual(server.stop(), 0)

    def test_FS18_a_key_of_a_certificate_that_others_may_read_is_refused(self):
        make_certificate(self.dir, "first")
        key = self.dir / "key.pem"
        text = "files: [lamp.tenor]\ntls_cert: cert.pem\ntls_key: key.pem\n"
        for mode, good in ((0o644, False), (0o660, False), (0o602, False), (0o640, True), (0o600, True)):
            key.chmod(mode)
            self.write("lamp.tenor", LAMP)
            result = self.checked(text)
            self.assertEqual(result.code == 0, good, (oct(mode), repr(result)))
            if not good:
                self.assertIn("key.pem can be read or changed by others: chmod 600", result.err)
                self.fails(2, "serve", "--config", "motet.yaml", "--listen", "127.0.0.1:0", timeout=30)
        server = self.serve("--tls-cert", "cert.pem", "--tls-key", "key.pem")
        first = self.certificate_of(server)
        make_certificate(self.dir, "second")
        key.chmod(0o644)
        self.hang_up(server, "certificate_kept")
        self.assertEqual(self.certificate_of(server), first)
        key.chmod(0o600)
        self.hang_up(server, "certificate_reloaded")
        self.assertNotEqual(self.certificate_of(server), first)

    def test_FS18_a_hangup_gives_no_certificate_to_a_server_without_and_takes_none_away(self):
        """Whether there is TLS is decided at the start."""
        make_certificate(self.dir, "first")
        (self.dir / "key.pem").chmod(0o600)
        self.write("lamp.tenor", LAMP)
        plain, tls = "files: [lamp.tenor]\n", "files: [lamp.tenor]\ntls_cert: cert.pem\ntls_key: key.pem\n"
        for before, after in ((plain, tls), (tls, plain)):
            self.write("motet.yaml", before)
            server = Server(self.dir, options=["--config", "motet.yaml"])
            server.start()
            self.addCleanup(server.stop)
            first = None if before == plain else self.certificate_of(server)
            self.write("motet.yaml", after)
            self.hang_up(server)
            self.assertNotIn("certificate_", server.log())
            for key in ("tls_cert", "tls_key"):
                self.assertIn(f"restart_needed setting={key}", server.log())
            if first:
                self.assertEqual(self.certificate_of(server), first)
            else:
                self.assertEqual(server.get("/healthz").status, 200)
            self.assertEqual(server.stop(), 0)

    def test_FS18_a_hangup_never_kills_and_sets_the_log_level(self):
        self.write("lamp.tenor", LAMP)
        self.write("motet.yaml", "files: [lamp.tenor]\nlog_level: warn\n")
        server = Server(self.dir, options=["--config", "motet.yaml"])
        server.start()
        self.addCleanup(server.stop)
        self.assertNotIn(" info ", server.log())
        self.write("motet.yaml", "files: [lamp.tenor]\nlog_level: info\nidle: 61\n")
        self.hang_up(server)
        self.assertIn("restart_needed setting=idle", server.log())
        self.write("motet.yaml", "files: [lamp.tenor]\nlog_level: loud\n")
        self.hang_up(server, "reload_refused")
        self.write("motet.yaml", "files: [lamp.tenor]\nlog_lev\n")
        self.hang_up(server, "reload_refused")
        for _ in range(50):
            server.process.send_signal(signal.SIGHUP)
        self.assertEqual(server.get("/healthz").status, 200)
        self.assertEqual(server.stop(), 0)

    def test_FS18_a_hangup_names_every_section_that_waits_for_a_restart(self):
        """One line each, also of sections and lists, and of an authority behind the same name; nothing else."""
        self.write("lamp.tenor", LAMP)
        for name in ("one", "two"):
            make_certificate(self.dir, name)
            (self.dir / "cert.pem").rename(self.dir / f"{name}.pem")
            (self.dir / "key.pem").rename(self.dir / f"{name}.key")
            (self.dir / f"{name}.key").chmod(0o600)
        shutil.copy(self.dir / "one.pem", self.dir / "ca.pem")
        rule = {"claim": "cn", "equals": "x", "personas": ["user"]}
        config = {"files": ["lamp.tenor"], "tls_cert": "one.pem", "tls_key": "one.key", "auto_personas": ["clock"],
                  "quotas": {"requests_per_minute": 100}, "certificates": {"ca": "ca.pem", "rules": [rule]},
                  "oidc": {"a": {"issuer": "http://127.0.0.1:1", "audience": "m", "jwks": "keys.json", "rules": [rule]}}}
        self.write("keys.json", '{"keys": []}')
        self.write("motet.json", json.dumps(config))
        server = Server(self.dir, options=["--config", "motet.json", "--policy", "blue_green"])
        server.start()
        self.addCleanup(server.stop)

        def needed():
            before = len(server.log())
            self.hang_up(server)
            return sorted(re.findall(r"restart_needed setting=(\S+)", server.log()[before:]))

        self.assertEqual(needed(), [])
        changes = {"oidc": {"a": {**config["oidc"]["a"], "audience": "n"}}, "quotas": {"requests_per_minute": 101},
                   "distinct": {"lamp": [["user", "clock"]]}, "auto_personas": ["clock", "bell"],
                   "certificates": {"ca": "ca.pem", "rules": [{**rule, "equals": "y"}]}}
        for key, value in changes.items():
            self.write("motet.json", json.dumps({**config, key: value}))
            self.assertEqual(needed(), [key])
        self.write("motet.json", json.dumps({**config, **changes}))
        self.assertEqual(needed(), sorted(changes))
        self.write("motet.json", json.dumps(config))
        shutil.copy(self.dir / "two.pem", self.dir / "ca.pem")
        self.assertEqual(needed(), ["certificates.ca"])
        shutil.copy(self.dir / "one.pem", self.dir / "ca.pem")
        self.assertEqual(needed(), [])

    def test_FS18_a_hangup_while_it_starts_does_not_kill(self):
        path = self.write("lamp.tenor", LAMP)
        for _ in range(3):
            child = subprocess.Popen([str(MOTET), "serve", path, "--store", "sqlite:h.db", "--listen",
                                      "127.0.0.1:0"], cwd=self.dir, stdout=subprocess.PIPE,
                                     stderr=subprocess.DEVNULL)
            # Blocking it is the first thing the command does; before that there is no server yet.
            blocked, end = 0, time.monotonic() + 20
            while not blocked & 1 and time.monotonic() < end:
                status = pathlib.Path(f"/proc/{child.pid}/status").read_text()
                blocked = int(re.search(r"^SigBlk:\s*(\w+)", status, re.M)[1], 16)
            child.send_signal(signal.SIGHUP)
            self.assertTrue(child.stdout.readline().startswith(b"listening on "))
            child.terminate()
            self.assertEqual(child.wait(30), 0)
            child.stdout.close()

    def test_another_signing_key_is_not_taken_in_silence(self):
        self.holds("keygen", "--prefix", "sign")
        server = self.serve("--signing-key", "sign.secret")
        self.hang_up(server)
        self.assertNotIn("signing_key_kept", server.log())
        (self.dir / "sign.secret").unlink()
        (self.dir / "sign.pub").unlink()
        self.holds("keygen", "--prefix", "sign")
        self.hang_up(server, "signing_key_kept")

    # ---- Versions and files ----

    def test_FS13_a_version_deployed_over_a_file_survives_a_restart(self):
        server = self.serve()
        old = server.get("/v1/contracts/lamp").json["etag"]
        path = self.write("newer.tenor", NEWER)
        (self.dir / "newer").mkdir()
        new_file = self.write("newer/lamp.tenor", NEWER)
        self.holds("deploy", new_file, "--server", server.url, "--policy", "blue_green")
        path.unlink()
        new = server.get("/v1/contracts/lamp").json["etag"]
        self.assertNotEqual(old, new)
        for _ in range(2):  # the unit's file is still the old one
            self.assertEqual(server.stop(), 0)
            server.start()
            self.assertEqual(server.get("/v1/contracts/lamp").json["etag"], new)
        told = lambda: server.log().count(" file_is_older ")
        self.assertTrue(server.wait_until(lambda: told() >= 2), server.log())
        self.assertEqual(told(), 2, server.log())
        self.assertIn("version 2 stays", server.log())
        records = server.get("/v1/ledger?limit=100").json["items"]
        self.assertEqual(len([r for r in records if r["body"]["kind"] == "contract_deployed"]), 2, records)
        # A file that nobody has seen before is a deployment.
        self.assertEqual(server.stop(), 0)
        self.write("lamp.tenor", LAMP.replace("level >= 1", "level >= 3"))
        server.words += ["--policy", "blue_green"]
        server.start()
        self.assertNotIn(server.get("/v1/contracts/lamp").json["etag"], (old, new))
        # Going back is a deployment, too, and then it is the file that is current.
        server.words = server.words[:-2]
        self.write("newer/lamp.tenor", LAMP)
        self.holds("deploy", new_file, "--server", server.url, "--policy", "blue_green")
        self.assertEqual(server.get("/v1/contracts/lamp").json["etag"], old)

    # ---- --check-config ----

    def checked(self, text):
        self.write("motet.yaml", text)
        return self.run_motet("serve", "--config", "motet.yaml", "--check-config")

    def test_FS21_names_that_lead_nowhere_are_refused(self):
        self.write("lamp.tenor", LAMP)
        good = self.checked("files: [lamp.tenor]\nlisten: 127.0.0.1:80\ndefault_contract: lamp\n")
        self.assertEqual(good.code, 0, repr(good))
        for text, words in [
                ("sources: {zz: {file: x.yaml}}\n", "sources.zz"),
                ("listen: 300.1.1.1:80\n", "300.1.1.1:80"),
                ("default_contract: ghost\n", "default_contract"),
                ("systems: {ghosts: {bindings: {}}}\n", "systems.ghosts"),
                ("invariants: {ghost: []}\n", "invariants.ghost")]:
            result = self.checked("files: [lamp.tenor]\n" + text)
            self.assertNotEqual(result.code, 0, (text, repr(result)))
            self.assertIn(words, result.err, text)

    def test_FU20_what_systems_bind_is_read_as_strictly_as_all_else(self):
        shutil.copytree(SOURCE / "examples/trade_platform", self.dir, dirs_exist_ok=True)
        start = "files: [trade_platform.tenor]\nsystems: "
        good = self.checked(start + "{trade_platform: {bindings: {fulfillment: {Shipment: s-1}}}}\n")
        self.assertEqual(good.code, 0, repr(good))
        self.assertEqual(self.checked(start + "{trade_platform: {}}\n").code, 0)
        for text, words in [
                ("{trade_platform: {bindngs: {}}}", "systems.trade_platform.bindngs: it is not a key of a System; did you mean `bindings`?"),
                ("{trade_platform: 5}", "systems.trade_platform: it must be an object"),
                ("{trade_platform: {bindings: [1]}}", "systems.trade_platform.bindings: it must be an object, not a list"),
                ("{trade_platform: {bindings: {fulfillment: 5}}}", "systems.trade_platform.bindings.fulfillment: it must have"),
                ("{trade_platform: {bindings: {fulfillment: {Shipment: 5}}}}", "bindings.fulfillment.Shipment: it must be the name of an instance"),
                ("{trade_platform: {bindings: {fulfilment: {}}}}", "bindings.fulfilment: `files` have no contract of this name"),
                ("{trade_platform: {bindings: {fulfillment: {Shipmnt: s-1}}}}", "did you mean `Shipment`?")]:
            with self.subTest(text):
                result = self.checked(start + text + "\n")
                self.assertEqual(result.code, 1, repr(result))
                self.assertIn(words, result.err)
        # A server does not start with what could mean nothing.
        self.write("motet.yaml", start + "{trade_platform: {bindngs: {}}}\nlisten: 127.0.0.1:0\n")
        started = self.run_motet("serve", "--config", "motet.yaml", "--insecure")
        self.assertEqual(started.code, 1, repr(started))
        self.assertIn("bindngs", started.err)

    def test_FS21_a_certificate_that_cannot_be_served_is_refused(self):
        self.write("lamp.tenor", LAMP)
        text = "files: [lamp.tenor]\ntls_cert: cert.pem\ntls_key: key.pem\n"
        make_certificate(self.dir, "a")
        self.assertEqual(self.checked(text).code, 0)
        key = (self.dir / "key.pem").read_bytes()
        make_certificate(self.dir, "b")
        self.write("key.pem", key)
        result = self.checked(text)
        self.assertEqual(result.code, 1, repr(result))
        self.assertIn("tls_cert", result.err)
        make_certificate(self.dir, "c")
        late = self.run_motet("serve", "--config", "motet.yaml", "--check-config")
        self.assertEqual(late.code, 0, repr(late))
        self.write("cert.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
        self.assertEqual(self.checked(text).code, 1)

    # ---- Passwords ----

    def test_FS18_a_password_of_the_url_is_not_in_the_list_of_processes(self):
        with Postgres() as database:
            url = database.url().replace("postgresql://", "postgresql://postgres:s3cr3t-word@", 1) \
                if "@" not in database.url() else \
                re.sub(r"//([^:@/]+)@", r"//\1:s3cr3t-word@", database.url())
            self.assertIn("s3cr3t-word", url)
            server = self.serve(store=url)
            seen = pathlib.Path(f"/proc/{server.process.pid}/cmdline").read_bytes()
            self.assertNotIn(b"s3cr3t", seen)
            self.assertIn(b"--store", seen)
            server.stop()
            self.assertNotIn("s3cr3t", server.log())
            secret = self.write("store.url", url + "\n")
            words = [MOTET, "serve", "lamp.tenor", "--listen", "127.0.0.1:0", "--store-file", "store.url"]
            secret.chmod(0o644)
            refused = self.run_motet(*words[1:])
            self.assertEqual(refused.code, 2, repr(refused))
            self.assertIn("chmod 600", refused.err)
            secret.chmod(0o600)
            child = subprocess.Popen(words, cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            self.assertTrue(child.stdout.readline().startswith(b"listening on "))
            child.terminate()
            self.assertEqual(child.wait(30), 0)
            child.stdout.close()

    def test_FS18_a_password_that_is_not_escaped_is_not_seen_in_part(self):
        url = "postgresql://me:one@two:three@127.0.0.1/x?password=four&sslpassword=five"
        child = subprocess.Popen([MOTET, "fmt", "-", url], cwd=self.dir, stdin=subprocess.PIPE,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:  # it waits for its input; what is seen changes soon after it begins
            line = pathlib.Path(f"/proc/{child.pid}/cmdline")
            end = time.monotonic() + 10
            while time.monotonic() < end:
                seen = line.read_bytes()
                if b"postgresql://" in seen and b"one@" not in seen:
                    break
                time.sleep(0.01)
        finally:
            child.stdin.close()
            child.wait(30)
        self.assertIn(b"postgresql://me:", seen)
        for word in (b"one", b"two", b"three", b"four", b"five"):
            self.assertNotIn(word, seen)

    # ---- Bytes ----

    def talk(self, server, data, first=20):
        """Everything that comes back, the first of it within so many seconds; ends when the
        server closes, or after a while of silence."""
        heard = b""
        with socket.create_connection((server.host, server.port), timeout=20) as s:
            s.settimeout(first)
            try:
                s.sendall(data)
                s.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            try:
                while piece := s.recv(65536):
                    heard += piece
                    s.settimeout(min(first, 0.5))
            except OSError:
                pass
        return heard

    def test_FS18_lines_that_others_read_differently_are_refused(self):
        server = self.serve()
        host, end = b"Host: localhost\r\n", b"\r\n"
        line = b"GET /healthz HTTP/1.1\r\n"
        for data in (line + host + b"X-A: a\0b\r\n" + end, line + host + b"X-A: a\0\0b\r\n" + end,
                     line + b"X-A: a\0b\r\n" + host + end, line + host + b"X-\0A: a\r\n" + end,
                     line + host + b"X-A: a\r\n b\r\n" + end, line + b"X-A: a\r\n\tb\r\n" + host + end,
                     line.replace(b"\r\n", b"\n") + host + end, line + b"Host: localhost\n" + end,
                     line + b"Host: localhost\nX-A: b\r\n" + end, line + host + b"X-A: b\n\n",
                     line + host + b"\nGET /metrics HTTP/1.1\r\n" + host + end,
                     line + host + b"X-A: a\rX-B: b\r\n" + end, line + b"Host : localhost\r\n" + end):
            heard = self.talk(server, data)
            self.assertTrue(heard.startswith(b"HTTP/1.1 400 "), (data, heard[:100]))
            self.assertNotIn(b" 200 ", heard, data)
        for data in (line + host + end, line + host + b"X-Empty:\r\nX-Blank: \r\nX-T: a \t\r\n" + end,
                     line + host + b"X-Long: " + b"a" * 4000 + b"\r\nX-Z:b\r\n" + end):
            self.assertTrue(self.talk(server, data).startswith(b"HTTP/1.1 200 "), data)

    def test_FS18_a_length_that_is_none_ends_the_connection(self):
        server = self.serve()
        for length in (b"abc", b"-1", b"+1", b"1 2", b"0x10", b"99999999999999999999", b"1,1"):
            data = b"POST /v1/contracts/lamp/evaluate HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + length + \
                   b"\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
            heard = self.talk(server, data)
            self.assertRegex(heard[:13], rb"HTTP/1.1 4\d\d ", (length, heard))
            self.assertNotIn(b" 200 ", heard, length)
            self.assertNotIn(b"alive", heard, length)

    def test_FS18_what_the_library_refuses_by_itself_ends_the_connection(self):
        """As docs/how-to/operations.md says: in its own words, and nothing that follows is read."""
        server = self.serve()
        after = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        head = b"POST /v1/contracts/lamp/evaluate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        body = b'{"facts": {"level": 2}}'

        def chunked(size):
            return head + b"Transfer-Encoding: chunked\r\n\r\n%x;a=" % len(body) + b"b" * size + b"\r\n" + body + \
                b"\r\n0\r\n\r\n" + after
        for data, status in ((head + b"Content-Length: abc\r\n\r\n" + after, rb"4\d\d"), (chunked(100000), rb"[45]\d\d")):
            heard = self.talk(server, data, 5)  # ends when the server closes
            self.assertRegex(heard[:13], rb"HTTP/1.1 " + status + b" ", heard[:300])
            self.assertNotIn(b" 200 ", heard)
            self.assertNotIn(b"alive", heard)
        heard = self.talk(server, chunked(1000), 1)
        self.assertEqual(heard.count(b"HTTP/1.1 200 "), 2, heard[:300])
        self.assertEqual(server.get("/healthz").status, 200)
        self.assertEqual(server.stop(), 0)

    def mutated(self, rng, seeds):
        data = bytearray(rng.choice(seeds))
        for _ in range(rng.randint(1, 6)):
            at, kind = rng.randrange(len(data) + 1), rng.randrange(6)
            if kind == 0 and at < len(data):
                data[at] = rng.randrange(256)
            elif kind == 1:
                data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randint(1, 8)))
            elif kind == 2:
                del data[at:at + rng.randint(1, 12)]
            elif kind == 3:
                data[at:at] = rng.choice([b"\r\n", b"\n", b"\r", b"\0", b": ", b"\r\n ", b"Content-Length: 5\r\n",
                                          b"Transfer-Encoding: chunked\r\n", b"%00", b"%2f", b"0\r\n\r\n"])
            elif kind == 4:
                data = data[:at]
            else:
                data += rng.choice(seeds)[:rng.randint(0, 200)]
        return bytes(data)

    def test_FS18_malformed_requests_by_the_thousand_do_no_harm(self):
        server = self.serve()
        body = json.dumps({"facts": {"level": 2}}).encode()
        path = b" /v1/contracts/lamp/evaluate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        seeds = [
            b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"POST" + path + b"Content-Length: %d\r\n\r\n" % len(body) + body,
            b"POST" + path + b"Transfer-Encoding: chunked\r\n\r\n%x;a=b\r\n" % len(body) + body + b"\r\n0\r\nT: x\r\n\r\n",
            b"GET /v1/contracts/lamp/instances?limit=5&after=%41 HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: a\r\n"
            b"traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n\r\n",
        ]
        rng, count = random.Random(SEED), 20000 if SOAK else 600
        lock, bad, left = threading.Lock(), [], list(range(count))

        def client():
            while True:
                with lock:
                    if not left:
                        return
                    left.pop()
                    data = self.mutated(rng, seeds)
                heard = self.talk(server, data, 0.2)
                if heard and not re.match(rb"HTTP/1\.[01] [2-5]\d\d ", heard):
                    bad.append((data, heard[:200]))
                if b" 500 " in heard[:20]:
                    bad.append((data, heard[:200]))

        clients = [threading.Thread(target=client) for _ in range(8)]
        for c in clients:
            c.start()
        for c in clients:
            c.join()
        self.assertEqual(bad[:3], [])
        self.assertEqual(server.get("/healthz").status, 200)
        self.assertEqual(self.page(server)[("motet_http_calls_under_way", ())], 0)
        self.assertEqual(server.stop(), 0)


main()
