"""Client certificates: verified by the server itself, mapped to identities by rules."""
import http.client
import json
import os
import signal
import ssl
import subprocess

from harness import Case, main, run
from serve import Answer, Server

WARD = """
fact ready { type: Bool source: "desk.ready" default: true }
persona nurse
entity Bed { states: [free, taken] initial: free transitions: [(free, taken)] }
operation take { allowed_personas: [nurse] precondition: ready effects: [(Bed, free, taken)] }
"""
RULES = [{"claim": "cn", "equals": "ward-7", "personas": ["ward:nurse"],
          "rights": ["ward/instances:create", "ward/ledger:read"]},
         {"claim": "uri", "contains": "spiffe://ward/reader", "rights": ["ward/read"]},
         {"claim": "issuer", "equals": "CN=Other CA", "rights": ["admin"]}]


class Certificates(Case):
    def openssl(self, *words):
        subprocess.run(["openssl", *words], cwd=self.dir, check=True, capture_output=True)

    def authority(self, name, cn):
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                     f"{name}.key", "-out", f"{name}.pem", "-subj", f"/CN={cn}", "-days", "2")

    def issue(self, name, cn, authority="ca", days="2", purpose="clientAuth", san=""):
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key",
                     "-out", f"{name}.csr", "-subj", f"/CN={cn}")
        self.write(f"{name}.ext", f"extendedKeyUsage={purpose}\n" + (f"subjectAltName={san}\n" if san else ""))
        dates = ["-not_before", "20200101000000Z", "-not_after", "20200201000000Z"]
        if days == "past":  # `openssl x509` of this version takes no dates; `ca` does
            (self.dir / "index.txt").write_text("")
            (self.dir / "serial").write_text("1000\n")
            self.write("ca.conf", "[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\nserial=serial\nnew_certs_dir=.\n"
                                  "policy=p\ndefault_md=sha256\n[p]\ncommonName=supplied\n")
            self.openssl("ca", "-batch", "-config", "ca.conf", "-in", f"{name}.csr", "-out", f"{name}.pem", "-cert",
                         f"{authority}.pem", "-keyfile", f"{authority}.key", "-startdate", dates[1], "-enddate",
                         dates[3], "-notext")
            return
        self.openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{authority}.pem", "-CAkey", f"{authority}.key",
                     "-CAcreateserial", "-out", f"{name}.pem", "-days", days, "-extfile", f"{name}.ext")

    def serve(self, signing_key=None, **settings):
        self.write("ward.tenor", WARD)
        self.authority("ca", "Ward CA")
        self.issue("server", "localhost", purpose="serverAuth", san="IP:127.0.0.1")
        os.chmod(self.dir / "server.key", 0o600)
        self.write("motet.json", json.dumps({"files": ["ward.tenor"], "tls_cert": "server.pem", "tls_key": "server.key",
                                             "certificates": {"ca": "ca.pem", "rules": RULES, **settings},
                                             **({"signing_key": signing_key} if signing_key else {})}))
        server = Server(self.dir, options=["--config", "motet.json"])
        server.start()
        self.addCleanup(server.stop)
        return server

    def ask(self, server, name=None, method="GET", path="/v1/contracts/ward/instances", body=None, token=None):
        context = ssl.create_default_context(cafile=self.dir / "ca.pem")
        context.check_hostname = False
        if name:
            context.load_cert_chain(self.dir / f"{name}.pem", self.dir / f"{name}.key")
        connection = http.client.HTTPSConnection(server.host, server.port, context=context, timeout=20)
        fields = {"Authorization": f"Bearer {token}"} if token else {}
        if body is not None:
            fields["Content-Type"] = "application/json"
        try:
            connection.request(method, path, body=None if body is None else json.dumps(body), headers=fields)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def test_a_certificate_is_an_identity_by_rules(self):
        server = self.serve()
        self.issue("ward", "ward-7")
        self.issue("reader", "someone", san="URI:spiffe://ward/reader")
        self.issue("nobody", "stranger")
        self.assertEqual(self.ask(server).status, 401)
        made = self.ask(server, "ward", "POST", "/v1/contracts/ward/instances/Bed", {"id": "b"})
        self.assertEqual(made.status, 201, (made, server.log()))
        take = {"persona": "nurse", "bindings": {"Bed": "b"}}
        self.assertEqual(self.ask(server, "reader", "POST", "/v1/contracts/ward/operations/take", take).status, 403)
        self.assertEqual(self.ask(server, "ward", "POST", "/v1/contracts/ward/operations/take", take).status, 200)
        self.assertEqual(self.ask(server, "reader").status, 200)
        self.assertEqual(self.ask(server, "nobody").status, 403)
        record = self.ask(server, "ward", path="/v1/ledger").json["items"][-1]["body"]["caller"]
        self.assertEqual((record["known_by"], record["name"], record["actor"]), ("certificate", "CN=ward-7", "machine"))
        self.assertRegex(record["id"], r"^certificate:[0-9a-f]{32}$")

    def test_what_is_not_trusted_is_refused_whatever_else_is_shown(self):
        server = self.serve()
        token = server.token("--right", "ward/read")
        self.assertTrue(server.wait_until(lambda: self.ask(server, token=token).status == 200))
        self.authority("other", "Other CA")
        self.issue("forged", "ward-7", authority="other")
        self.issue("old", "ward-7", days="past")
        self.issue("wrong", "ward-7", purpose="serverAuth")
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                     "own.key", "-out", "own.pem", "-subj", "/CN=ward-7", "-days", "2")
        for name in ("forged", "old", "wrong", "own"):
            for shown in (None, token):
                answer = self.ask(server, name, token=shown)
                self.assertEqual((answer.status, "certificate" in answer.json["detail"]), (401, True), (name, answer))
        self.assertTrue(server.logs("its chain is not trusted"))

    def test_a_name_with_a_NUL_inside_is_not_the_name_before_it(self):
        """An authority that looks at the end of a name gave it; only a C program ends it early."""
        server = self.serve()
        for name, san in (("reader", b"spiffe://ward/reader"), ("evil", b"spiffe://ward/reader\0.evil.example"),
                          ("ended", b"spiffe://ward/reader\0")):
            der = bytes([0x30, len(san) + 2, 0x86, len(san)]) + san  # one name, a URI
            self.issue(name, name, san="DER:" + der.hex(":"))
        self.assertEqual(self.ask(server, "reader", path="/session").json["rights"], ["ward/read"])
        for name in ("evil", "ended"):
            self.assertEqual(self.ask(server, name, path="/session").json["rights"], [], name)
            self.assertEqual(self.ask(server, name).status, 403, name)

    def test_two_with_one_subject_and_other_names_are_two(self):
        """As workloads of SPIFFE are: one must not read the other's answers and receipts, nor be it."""
        server = self.serve()
        names = {"a": "URI:spiffe://ward/reader", "b": "URI:spiffe://ward/other", "c": "email:a@ward.example",
                 "d": "DNS:a.ward.example", "e": ""}
        for name, san in names.items():
            self.issue(name, "workload", san=san)
        self.issue("again", "workload", san=names["a"])
        ids = {name: self.ask(server, name, path="/session").json["id"] for name in (*names, "again")}
        self.assertEqual(len({ids[name] for name in names}), len(names), ids)
        self.assertEqual(ids["again"], ids["a"])

    def test_a_subject_with_two_common_names_has_none(self):
        server = self.serve()
        for name, subject in (("first", "ward-7/CN=other"), ("last", "other/CN=ward-7"), ("twice", "ward-7/CN=ward-7")):
            self.issue(name, subject)
            self.assertEqual(self.ask(server, name, path="/session").json["personas"], [], name)

    def test_where_one_is_required_a_token_is_not_enough(self):
        server = self.serve(required=True)
        token = server.token("--right", "ward/read")
        self.issue("nobody", "stranger")
        self.assertTrue(server.wait_until(lambda: self.ask(server, "nobody", token=token).status == 200))
        self.assertEqual(self.ask(server, token=token).status, 401)

    def test_a_receipt_names_who_showed_the_certificate(self):
        self.holds("keygen", "--prefix", "node")
        server = self.serve(signing_key="node.secret")
        self.issue("ward", "ward-7")
        made = self.ask(server, "ward", "POST", "/v1/contracts/ward/instances/Bed", {"id": "b"})
        self.assertEqual(made.status, 201, (made, server.log()))
        done = self.ask(server, "ward", "POST", "/v1/contracts/ward/operations/take",
                        {"persona": "nurse", "bindings": {"Bed": "b"}, "receipt": True})
        said = done.json["receipt"]["promise"]["decision"]
        self.assertEqual((said["caller"]["known_by"], said["caller"]["actor"], said["persona"]),
                         ("certificate", "machine", "nurse"), done)
        self.write("receipt.json", json.dumps(done.json["receipt"]))
        self.holds("receipt", "verify", "receipt.json", "--key", "node.pub")

    def test_SIGHUP_exchanges_the_servers_certificate_and_clients_are_still_asked_for_theirs(self):
        server = self.serve()
        self.issue("ward", "ward-7")
        self.authority("other", "Other CA")
        self.issue("forged", "ward-7", authority="other")
        before = ssl.get_server_certificate((server.host, server.port))
        self.issue("server", "localhost", purpose="serverAuth", san="IP:127.0.0.1")
        os.chmod(self.dir / "server.key", 0o644)
        server.process.send_signal(signal.SIGHUP)
        self.assertTrue(server.logs("chmod 600"), server.log())
        self.assertEqual(ssl.get_server_certificate((server.host, server.port)), before)
        os.chmod(self.dir / "server.key", 0o600)
        server.process.send_signal(signal.SIGHUP)
        self.assertTrue(server.wait_until(
            lambda: ssl.get_server_certificate((server.host, server.port)) != before), server.log())
        self.assertEqual([self.ask(server, name).status for name in ("ward", "forged", None)], [200, 401, 401])

    def test_settings_that_cannot_be_are_told(self):
        self.write("ward.tenor", WARD)
        for bad, word in (({"ca": "nowhere.pem", "rules": RULES}, "nowhere.pem"), ({"rules": RULES}, "ca"),
                          ({"ca": "ward.tenor", "rules": RULES}, "has no certificate"),
                          ({"ca": "ward.tenor", "rules": [{"rights": ["nonsense"]}]}, "rules.0")):
            self.write("motet.json", json.dumps({"files": ["ward.tenor"], "certificates": bad}))
            result = run("serve", "--config", "motet.json", "--check-config", cwd=self.dir)
            self.assertNotEqual(result.code, 0)
            self.assertIn(word, result.err)
            self.assertIn("tls_cert", result.err)

    def test_FS18_a_tls_key_that_others_can_read_is_refused(self):
        self.write("ward.tenor", WARD)
        self.authority("ca", "Ward CA")
        for mode, refused in ((0o644, True), (0o604, True), (0o660, True), (0o640, False), (0o600, False)):
            os.chmod(self.dir / "ca.key", mode)
            result = run("serve", "ward.tenor", "--tls-cert", "ca.pem", "--tls-key", "ca.key", "--check-config",
                         cwd=self.dir)
            self.assertEqual((result.code != 0, "chmod 600" in result.err), (refused, refused), (oct(mode), result.err))


main()
