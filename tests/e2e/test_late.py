"""Libraries that only some commands need: without one, those commands say so, others work."""
import re

from harness import SOURCE, Case, main

LISTS = {path.stem: path for path in (SOURCE / "src" / "base" / "late").glob("*.list")}
ESCROW = SOURCE / "examples" / "escrow" / "escrow.tenor"
SOURCES = "source hr { protocol: http base_url: \"http://127.0.0.1:9\" }\n" \
          "fact a { type: Bool source: hr { path: \"a\" } }\n" \
          "rule r { stratum: 0 when: a = true produce: v(true) }\n"


class Late(Case):
    def without(self, name, *words):
        """Runs where the library's file is no library."""
        package = re.search(r"^package (\S+)", LISTS[name].read_text(), re.M).group(1)
        library = re.search(r"^library (\S+)", LISTS[name].read_text(), re.M).group(1)
        for version in ("3", "3.4", "4", "5", "12", "30"):
            self.write(f"broken/lib{library}.so.{version}", "not a library")
        result = self.run_motet(*words, env={"LD_LIBRARY_PATH": str(self.dir / "broken")})
        return package, result

    def says_so(self, name, *words):
        package, result = self.without(name, *words)
        self.assertNotEqual(result.code, 0, repr(result))
        self.assertIn(f"install package {package}", result.out + result.err, repr(result))

    def test_every_list_is_tried_here(self):
        self.assertEqual(sorted(LISTS), ["curl", "gnutls", "microhttpd", "nats", "pq", "ssl", "z3"])

    def test_a_proof_without_the_solver(self):
        self.says_so("z3", "ask", ESCROW, "when is release_approved")
        self.says_so("z3", "check", "--prove", ESCROW)

    def test_a_server_without_its_library(self):
        self.says_so("microhttpd", "serve", ESCROW, "--listen", "127.0.0.1:0",
                     "--store", f"sqlite:{self.dir}/a.db")

    def test_certificates_without_the_library_that_verifies(self):
        self.write("c.json", '{"tls_cert": "a", "tls_key": "b", "certificates": {"ca": "a", "rules": [{"rights": ["read"]}]}}')
        self.says_so("gnutls", "serve", ESCROW, "--config", self.dir / "c.json", "--check-config")

    def test_a_store_without_its_library(self):
        self.says_so("pq", "ledger", "verify", "--store", "postgresql://127.0.0.1:9/x")

    def test_facts_without_the_library_that_fetches(self):
        self.write("sources.yaml", "sources: {}\n")
        self.says_so("curl", "eval", self.write("a.tenor", SOURCES), "--sources",
                     self.dir / "sources.yaml")

    def test_a_question_to_a_server(self):
        self.says_so("curl", "flow", "list", "--server", "http://127.0.0.1:9")

    def test_a_relay_on_a_bus(self):
        self.says_so("nats", "agent", "relay", "--listen", "127.0.0.1:0", "--bus", "nats://127.0.0.1:9")

    def test_a_relay_with_tls(self):
        self.says_so("ssl", "agent", "relay", "--listen", "127.0.0.1:0", "--cert",
                     self.write("c.pem", ""), "--key", self.write("k.pem", ""))

    def test_a_certificate_without_the_library_that_reads_it(self):
        key = self.write("k.pem", "x")
        key.chmod(0o600)
        self.says_so("gnutls", "serve", ESCROW, "--check-config", "--tls-cert", self.write("c.pem", "x"),
                     "--tls-key", key)

    def test_what_needs_none_of_them_works_without(self):
        for name in LISTS:
            _, result = self.without(name, "check", ESCROW)
            self.assertEqual(result.code, 0, repr(result))


main()
