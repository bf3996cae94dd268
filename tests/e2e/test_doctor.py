"""motet doctor: what a server lacks on this machine, and what to do."""
import http.server
import json
import os
import socket
import subprocess
import threading
import unittest

from harness import Case, main, wall_clock
from serve import Server

LAMP = "persona user\nentity Lamp { states: [off, on] initial: off transitions: [(off, on)] }\n"


class Keys(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, *args):
        pass


class Doctor(Case):
    def look(self, *words, code=0):
        result = self.run_motet("doctor", *words, "--json")
        self.assertEqual(result.code, code, repr(result))
        self.assertTrue(result.out.endswith("}\n"), repr(result))
        said = json.loads(result.out)
        for finding in said["findings"]:
            self.assertTrue(finding["level"] == "ok" or finding["advice"], finding)
        return said

    def of(self, said, check):
        return [f for f in said["findings"] if f["check"] == check]

    def level(self, said, check):
        return [f["level"] for f in self.of(said, check)]

    def config(self, text):
        self.write("motet.yaml", "files: [lamp.tenor]\nstore: sqlite:serve.db\n" + text)
        return ("--config", "motet.yaml")

    def setUp(self):
        super().setUp()
        path = self.write("lamp.tenor", LAMP)
        with Server(self.dir, path):
            pass

    def test_a_machine_that_is_well(self):
        self.holds("keygen", "--prefix", "sign")
        self.holds("token", "create", "--store", "sqlite:serve.db", "--name", "me", "--persona", "user")
        said = self.look(*self.config("signing_key: sign.secret\nmax_connections: 64\n"))
        self.assertEqual({f["level"] for f in said["findings"]} - {"ok", "warning"}, set())
        self.assertEqual(self.level(said, "keys"), ["ok"])
        self.assertEqual(self.level(said, "door"), ["ok"])
        self.assertEqual(self.level(said, "files"), ["ok"])
        self.assertEqual(sorted({f["check"] for f in said["findings"]}),
                         ["certificate", "clock", "collector", "config", "disk", "door", "files", "identities",
                          "keys", "sources", "store", "witnesses"])
        text = self.holds("doctor", "--config", "motet.yaml").out
        self.assertIn("ok           store", text)

    def test_beside_a_running_server(self):
        with Server(self.dir, self.dir / "lamp.tenor"):
            said = self.look("--store", "sqlite:serve.db")
            self.assertEqual(self.level(said, "store"), ["ok"])

    def test_a_store_that_is_not_there(self):
        said = self.look("--store", "sqlite:none/serve.db", code=1)  # its directory is missing, too
        self.assertEqual(self.level(said, "store"), ["unreachable"])
        self.assertEqual(self.level(said, "disk"), ["wrong"])
        said = self.look("--store", "postgresql://nobody:s3cr3t@127.0.0.1:1/x", code=3)
        self.assertNotIn("s3cr3t", json.dumps(said))
        self.assertFalse((self.dir / "none").exists())

    def test_FS18_keys_that_others_may_read(self):
        self.holds("keygen", "--prefix", "sign")
        (self.dir / "sign.secret").chmod(0o644)
        said = self.look(*self.config("signing_key: sign.secret\n"), code=1)
        self.assertEqual(self.level(said, "keys"), ["wrong"])
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "10", "-subj",
                        "/CN=a", "-keyout", "key.pem", "-out", "cert.pem"], cwd=self.dir, check=True,
                       capture_output=True)
        tls = "tls_cert: cert.pem\ntls_key: key.pem\n"
        (self.dir / "key.pem").chmod(0o600)
        self.assertEqual(self.level(self.look(*self.config(tls)), "certificate"), ["warning"])
        (self.dir / "key.pem").chmod(0o644)
        self.assertEqual(self.level(self.look(*self.config(tls), code=1), "certificate"),
                         ["wrong", "warning"])
        self.write("cert.pem", "nothing")
        self.assertIn("wrong", self.level(self.look(*self.config(tls), code=1), "certificate"))

    def test_a_pipe_that_nobody_writes_to_is_not_waited_for(self):
        os.mkfifo(self.dir / "pipe", 0o600)
        for check, text in (("keys", "signing_key: pipe\n"), ("certificate", "tls_cert: pipe\ntls_key: pipe\n"),
                            ("identities", "oidc: {corp: {issuer: 'https://id.example', audience: m, jwks: pipe}}\n"),
                            ("store", "store: sqlite:pipe\n")):
            with self.subTest(check=check):
                said = self.look(*self.config(text), code=1)
                self.assertIn("wrong", [f["level"] for f in said["findings"]], said)

    def test_who_does_not_answer(self):
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            there = listener.getsockname()[1]
            text = ("sources:\n  up: {base_url: 'http://127.0.0.1:%d/'}\n"
                    "otlp: {endpoint: 'http://127.0.0.1:%d'}\n" % (there, there))
            said = self.look(*self.config(text))
            self.assertEqual(self.level(said, "sources"), ["ok"])
        said = self.look(*self.config(text), code=3)
        self.assertEqual(said["status"], "unreachable")
        self.assertEqual(self.level(said, "sources"), ["unreachable"])
        self.assertEqual(self.level(said, "collector"), ["unreachable"])
        said = self.look(*self.config("sources:\n  up: {base_url: 'ftp://x/'}\n"), code=1)
        self.assertEqual(self.level(said, "sources"), ["wrong"])

    def provider(self, jwks, code=0):
        config = {"a": {"issuer": "http://127.0.0.1:1", "audience": "m", "jwks": jwks,
                        "rules": [{"claim": "sub", "equals": "x", "personas": ["user"]}]}}
        said = self.look(*self.config(f"oidc: {json.dumps(config)}\n"), code=code)
        return [(f["level"], f["message"]) for f in self.of(said, "identities")]

    def test_identity_providers_are_asked_for_their_keys(self):
        keys = {"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "k", "use": "sig",
                          "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}
        self.write("keys.json", json.dumps(keys))
        self.assertEqual(self.provider("keys.json"), [("ok", "provider a has 1 key")])
        self.write("keys.json", '{"keys": []}')
        self.assertEqual(self.provider("keys.json", 1), [("wrong", "provider a has no key that can be used")])
        self.write("keys.json", "nothing")
        self.assertIn("has no set of keys", self.provider("keys.json", 1)[0][1])
        self.assertEqual(self.provider("none.json", 1)[0][0], "wrong")
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Keys) as answering:
            answering.body = json.dumps(keys).encode()
            thread = threading.Thread(target=answering.serve_forever, args=(0.02,), daemon=True)
            thread.start()
            url = f"http://127.0.0.1:{answering.server_port}/keys"
            self.assertEqual(self.provider(url), [("ok", "provider a has 1 key")])
            answering.body = b"[]"
            self.assertEqual(self.provider(url, 1)[0][0], "wrong")
            answering.shutdown()
            thread.join()
        self.assertEqual(self.provider(url, 3)[0][0], "unreachable")
        said = self.look(*self.config("oidc: {a: {issuer: 'ftp://x', audience: m, rules: []}}\n"), code=1)
        self.assertIn("wrong", self.level(said, "identities"))

    def test_authorities_of_client_certificates_have_days_left(self):
        text = ("tls_cert: tls.pem\ntls_key: tls.key\n"
                "certificates: {ca: ca.pem, rules: [{claim: cn, equals: x, personas: [user]}]}\n")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "99", "-subj", "/CN=s",
                        "-keyout", "tls.key", "-out", "tls.pem"], cwd=self.dir, check=True, capture_output=True)
        (self.dir / "tls.key").chmod(0o600)
        for days, level, code in ((400, "ok", 0), (10, "warning", 0)):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", str(days), "-subj",
                            "/CN=a", "-keyout", "k", "-out", "ca.pem"], cwd=self.dir, check=True, capture_output=True)
            said = self.look(*self.config(text), code=code)
            self.assertEqual(self.level(said, "identities"), [level])
            self.assertRegex(self.of(said, "identities")[0]["message"],
                             f"1 authority of client certificates; the first is good for ({days}|{days - 1}) days")
        late = self.run_motet("doctor", *self.config(text), "--json", env=wall_clock(self.write("clock", "+20d\n")))
        self.assertIn("no authority of client certificates is good any more", late.out)
        for pem in ("nothing", None):
            (self.dir / "ca.pem").unlink() if pem is None else self.write("ca.pem", pem)
            self.assertEqual(self.level(self.look(*self.config(text), code=1), "identities"), ["wrong"])

    def test_a_configuration_with_faults_and_a_file_too_few(self):
        said = self.look(*self.config("log_level: loud\nmax_connections: 1048576\n"), code=1)
        self.assertEqual(self.level(said, "config"), ["wrong"])
        said = self.look(*self.config("max_connections: 1048576\n"))
        limit = int(subprocess.run(["bash", "-c", "ulimit -Hn"], capture_output=True, text=True)
                    .stdout.replace("unlimited", str(1 << 30)))
        self.assertEqual(self.level(said, "files"), ["warning" if limit < 1048704 else "ok"])

    def test_a_store_whose_address_is_in_a_file(self):
        url = self.write("url", "sqlite:serve.db")
        self.write("motet.yaml", "files: [lamp.tenor]\nstore_file: url\n")
        url.chmod(0o600)
        self.assertEqual(self.level(self.look("--config", "motet.yaml"), "store"), ["ok"])
        url.chmod(0o644)
        said = self.look("--config", "motet.yaml", code=1)
        self.assertEqual(self.level(said, "store"), ["wrong"])
        self.assertIn("url ", self.of(said, "store")[0]["message"])
        self.assertEqual(self.of(said, "store")[0]["advice"], "the file has the URL and nothing else, mode 600")

    def test_both_keys_of_a_server_that_changes_them(self):
        for name in ("sign", "old"):
            self.holds("keygen", "--prefix", name)
        keys = "signing_key: sign.secret\nprevious_signing_key: old.secret\n"
        self.assertEqual(self.level(self.look(*self.config(keys)), "keys"), ["ok", "ok"])
        (self.dir / "old.secret").chmod(0o644)
        self.assertEqual(self.level(self.look(*self.config(keys), code=1), "keys"), ["ok", "wrong"])

    def test_witnesses_over_http_and_an_address_that_is_none(self):
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            text = ("witnesses: [{name: ann, url: 'http://127.0.0.1:%d/'}, {url: 'http://127.0.0.1:1/'}]\n"
                    % listener.getsockname()[1])
            said = self.look(*self.config(text + "listen: nowhere\n"), code=1)
        self.assertEqual([(f["level"], f["message"].split(" ")[0]) for f in self.of(said, "witnesses")],
                         [("ok", "ann"), ("unreachable", "a")])
        self.assertEqual([(f["level"], f["message"]) for f in self.of(said, "door")],
                         [("wrong", "nowhere cannot be listened on")])
        self.assertEqual(said["status"], "wrong")

    @unittest.skipUnless(os.environ.get("MOTET_FAULTS"), "no program is told another clock under a sanitizer")
    def test_the_clock_is_what_the_kernel_says_of_it(self):
        for word, level, told in (("synchronised", "ok", "the clock is synchronised"),
                                  ("free", "warning", "the clock is not known to be synchronised")):
            said = self.run_motet("doctor", *self.config(""), "--json", env={
                "LD_PRELOAD": os.environ["MOTET_FAULTS"], "MOTET_CLOCK": word})
            self.assertEqual([(f["level"], f["message"]) for f in self.of(json.loads(said.out), "clock")],
                             [(level, told)])

    def test_used_wrongly(self):
        self.fails(2, "doctor", "extra")
        self.fails(2, "doctor", "--no-such")


main()
