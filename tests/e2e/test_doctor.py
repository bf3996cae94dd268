"""motet doctor: what a server lacks on this machine, and what to do."""
import json
import socket
import subprocess

from harness import Case, main
from serve import Server

LAMP = "persona user\nentity Lamp { states: [off, on] initial: off transitions: [(off, on)] }\n"


class Doctor(Case):
    def look(self, *words, code=0):
        result = self.run_motet("doctor", *words, "--json")
        self.assertEqual(result.code, code, repr(result))
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
                         ["certificate", "clock", "collector", "config", "disk", "door", "files",
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

    def test_a_configuration_with_faults_and_a_file_too_few(self):
        said = self.look(*self.config("log_level: loud\nmax_connections: 1048576\n"), code=1)
        self.assertEqual(self.level(said, "config"), ["wrong"])
        said = self.look(*self.config("max_connections: 1048576\n"))
        limit = int(subprocess.run(["bash", "-c", "ulimit -Hn"], capture_output=True, text=True)
                    .stdout.replace("unlimited", str(1 << 30)))
        self.assertEqual(self.level(said, "files"), ["warning" if limit < 1048704 else "ok"])

    def test_used_wrongly(self):
        self.fails(2, "doctor", "extra")
        self.fails(2, "doctor", "--no-such")


main()
