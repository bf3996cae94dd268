"""motet eval --sources: facts fetched over HTTP, from SQLite, files, variables, a process."""
import http.server
import json
import resource
import sqlite3
import ssl
import subprocess
import threading
import time

from harness import SOURCE, Case, main

CONTRACT = """
source orders { protocol: http base_url: "https://orders.example/v2" auth: bearer_token }
source books { protocol: database dialect: sqlite }
source limits { protocol: static }
source clock { protocol: x_motet.clock }
source risk { protocol: x_risk.engine }
source desk { protocol: manual }

fact amount { type: Money(currency: "USD") source: orders { path: "orders/{id}.balance" } }
fact threshold { type: Money(currency: "USD") source: books { path: "thresholds.amount" } }
fact region { type: Enum(values: ["eu", "us"]) source: limits { path: "region.name" } }
fact now { type: DateTime source: clock { path: "now" } }
fact score { type: Int(min: 0, max: 100) source: risk { path: "scores.{id}" } }
fact approved { type: Bool source: desk { path: "approval" } }

entity Order { states: [open, done] initial: open transitions: [(open, done)] }
persona clerk

rule small { stratum: 0 when: amount <= threshold and score < 50 and approved
             produce: is_small(true) }
operation finish { allowed_personas: [clerk] precondition: verdict_present(is_small)
                   effects: [(Order, open, done)] outcomes: [finished]
                   error_contract: [precondition_failed] }
flow close { snapshot: at_initiation entry: s
  steps: { s: OperationStep { op: finish persona: clerk outcomes: { finished: Terminal(closed) }
           on_failure: Terminate(outcome: stuck) } } }
"""

SERVER = """import json, sys
for line in sys.stdin:
    ask = json.loads(line)
    print(json.dumps({"request": ask["request"], "value": len(ask["path"])}), flush=True)
"""


class Orders(http.server.BaseHTTPRequestHandler):
    seen = []
    pause = 0

    def do_GET(self):
        time.sleep(self.pause)
        self.seen.append((self.path, self.headers.get("Authorization")))
        known = self.path == "/v2/orders/o-7"
        body = json.dumps({"balance": "120.50"} if known else {}).encode()
        self.send_response(200 if known else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class Sources(Case):
    def setUp(self):
        super().setUp()
        Orders.seen.clear()
        Orders.pause = 0
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Orders)
        thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.contract = self.write("c.tenor", CONTRACT)
        self.write("limits.yaml", "region:\n  name: eu\n")
        self.facts = self.write("facts.json", '{"approved": true}')
        program = self.write("risk.py", SERVER)
        books = self.write("books.db", "")
        with sqlite3.connect(books) as db:
            db.execute("CREATE TABLE thresholds (region TEXT, amount TEXT)")
            db.execute("INSERT INTO thresholds VALUES ('eu', '500.00'), ('us', '10.00')")
        db.close()
        self.config = {"sources": {
            "orders": {"base_url": f"http://127.0.0.1:{self.server.server_port}/v2/",
                       "auth": {"bearer": {"env": "ORDERS_TOKEN"}}, "timeout": "5s"},
            "books": {"file": "books.db", "facts": {"threshold": {
                "query": "SELECT amount FROM thresholds WHERE region = $1",
                "parameters": ["region"]}}},
            "limits": {"file": "limits.yaml"},
            "clock": {"fixed": "2026-01-31T12:00:00Z"},
            "risk": {"command": ["python3", str(program)]},
        }}

    def eval(self, *words, params=("id=o-7", "region=eu"), facts=True, env=None):
        config = self.write("config.json", json.dumps(self.config))
        words = [*words, "--sources", config]
        for param in params:
            words += ["--param", param]
        if facts:
            words += ["--facts", self.facts]
        return self.run_motet("eval", self.contract, *words,
                              env={"ORDERS_TOKEN": "tok-123456", **(env or {})})

    def test_E1_facts_come_from_every_kind_of_source(self):
        result = self.eval("--json", "--provenance", self.dir / "p.json")
        self.assertEqual(result.code, 0, repr(result))
        verdicts = json.loads(result.out)["verdicts"]
        self.assertEqual([v["type"] for v in verdicts], ["is_small"])
        self.assertEqual(Orders.seen, [("/v2/orders/o-7", "Bearer tok-123456")])

    def test_C5A_10_provenance_names_adapter_moment_and_response(self):
        result = self.eval("--provenance", self.dir / "p.json")
        self.assertEqual(result.code, 0, repr(result))
        text = (self.dir / "p.json").read_text()
        got = {p["id"]: p for p in json.loads(text)}
        self.assertEqual(sorted(got), ["amount", "now", "region", "score", "threshold"])
        for p in got.values():
            self.assertEqual(sorted(p), ["adapter_id", "assertion_source", "fetch_timestamp", "id",
                                         "source", "source_response", "value"])
            self.assertEqual(p["assertion_source"], "external")
        self.assertEqual(got["amount"]["source"],
                         {"path": "orders/{id}.balance", "source_id": "orders"})
        self.assertEqual(got["amount"]["adapter_id"], "motet.http")
        self.assertEqual(got["threshold"]["adapter_id"], "motet.sqlite")
        self.assertEqual(got["score"]["adapter_id"], "motet.process/python3")
        self.assertEqual(got["now"]["value"], "2026-01-31T12:00:00Z")
        self.assertNotIn("tok-123456", text)

    def test_E1_waiting_for_a_source_is_no_work(self):
        def seconds():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.assertEqual(self.eval().code, 0)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        at_once = seconds()
        Orders.pause = 2
        self.assertLess(seconds() - at_once, 0.2)

    def test_E1_given_facts_are_not_fetched(self):
        self.facts = self.write("facts.json", json.dumps(
            {"approved": True, "amount": {"amount": "9999.00", "currency": "USD"}}))
        result = self.eval()
        self.assertEqual((result.code, result.out), (0, "no verdicts produced\n"), repr(result))
        self.assertEqual(Orders.seen, [])

    def test_E1_the_bound_instance_fills_the_path(self):
        result = self.eval("--flow", "close", "--persona", "clerk", "--bind", "Order=o-7",
                           "--state", "Order/o-7=open", params=("region=eu",))
        self.assertEqual(result.code, 0, repr(result))
        self.assertIn("Outcome: closed", result.out)
        self.assertEqual(Orders.seen[0][0], "/v2/orders/o-7")

    def test_E1_a_missing_parameter_is_named(self):
        result = self.eval(params=("region=eu",))
        self.assertEqual(result.code, 1, repr(result))
        self.assertIn("param_missing: fact 'amount' needs", result.err)

    def test_E1_a_hostile_parameter_asks_for_nothing_else(self):
        result = self.eval(params=("id=o-7/../../admin?x=1", "region=eu"))
        self.assertEqual(result.code, 3, repr(result))
        self.assertEqual(Orders.seen[0][0], "/v2/orders/o-7%2F..%2F..%2Fadmin%3Fx%3D1")

    def test_E1_sql_in_a_parameter_is_a_value(self):
        result = self.eval(params=("id=o-7", "region=eu' OR '1'='1"))
        self.assertEqual(result.code, 3, repr(result))
        self.assertIn("not_found: the query of fact 'threshold' found no row", result.err)

    def test_E1_a_source_without_an_adapter_is_refused_by_name(self):
        del self.config["sources"]["risk"]
        result = self.eval()
        self.assertEqual(result.code, 1, repr(result))
        self.assertIn("error[F102]: no adapter serves source 'risk' (protocol x_risk.engine)",
                      result.err)

    def test_E1_declared_auth_without_credentials_is_refused(self):
        del self.config["sources"]["orders"]["auth"]
        self.assertIn("error[F103]", self.eval().err)

    def test_E1_credentials_are_in_no_output(self):
        self.config["sources"]["orders"]["response"] = "keep"
        for params in (("id=o-7", "region=eu"), ("id=o-8", "region=eu")):
            result = self.eval("--json", params=params)
            self.assertNotIn("tok-123456", result.out + result.err)
        self.server.shutdown()
        self.server.server_close()
        result = self.eval()
        self.assertEqual(result.code, 3, repr(result))
        self.assertIn("unreachable: source 'orders'", result.err)
        self.assertNotIn("tok-123456", result.out + result.err)

    def test_E1_manual_facts_are_given_not_fetched(self):
        result = self.eval(facts=False)
        self.assertEqual(result.code, 1, repr(result))
        self.assertIn("missing required fact: approved", result.err)

    def test_E1_a_certificate_nobody_vouches_for_is_refused(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "key.pem", "-out",
                        "cert.pem", "-days", "2", "-subj", "/CN=here", "-addext",
                        "subjectAltName=IP:127.0.0.1"], check=True, cwd=self.dir,
                       capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.dir / "cert.pem", self.dir / "key.pem")
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        orders = self.config["sources"]["orders"]
        orders["base_url"] = orders["base_url"].replace("http:", "https:")
        result = self.eval()
        self.assertEqual(result.code, 3, repr(result))
        self.assertIn("unreachable: source 'orders'", result.err)
        self.assertEqual(Orders.seen, [])
        orders["ca_file"] = "cert.pem"
        self.assertEqual(self.eval().code, 0)
        orders["base_url"] = orders["base_url"].replace("127.0.0.1", "localhost")
        self.assertEqual(self.eval().code, 3)  # vouched for, but for another name

    def test_the_settings_in_the_documentation_are_accepted(self):
        text = (SOURCE / "docs" / "reference" / "facts.md").read_text()
        block = text.split("```yaml\n# escrow")[1].split("```")[0]
        block = block.replace("https://", "http://127.0.0.1:1/")
        config = self.write("escrow.yaml", block.replace("/var/run/postgresql", str(self.dir)))
        result = self.run_motet("eval", SOURCE / "examples" / "escrow" / "escrow.tenor",
                                "--sources", config, "--param", "id=1", env={
                                    "ESCROW_TOKEN": "t-escrow", "DELIVERY_KEY": "k-delivery",
                                    "ORDERS_TOKEN": "t-orders", "COMPLIANCE_PASSWORD": "p-compl"})
        self.assertEqual(result.code, 3, repr(result))
        for source in ("escrow_service", "delivery_service", "order_service"):
            self.assertIn(f"unreachable: source '{source}'", result.err)
        self.assertEqual(result.err.count("\n"), 3)  # the fourth fact takes its default

    def test_used_wrongly(self):
        self.assertEqual(self.eval("--lines").code, 2)
        self.assertEqual(self.eval(params=("id",)).code, 2)
        self.config = {}
        self.assertIn("there are no `sources`", self.eval().err)

    def test_a_config_in_yaml_with_mistakes_names_them_all(self):
        config = self.write("bad.yaml", "sources:\n  orders: {retries: 3, auth: {bearer: abc123}}\n"
                            "  nobody: {}\n  books: {}\n  limits: {}\n")
        result = self.run_motet("eval", self.contract, "--sources", config)
        self.assertEqual(result.code, 1)
        for what in ("'retries'", "no source 'nobody'", "'books' needs a file",
                     "'limits' needs one of", "source 'risk'"):
            self.assertIn(what, result.err)
        self.assertNotIn("abc123", result.err)


main()
