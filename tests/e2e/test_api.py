"""/openapi.json: whole, without a fault, true, and good enough to generate a client from."""
import base64
import hashlib
import html.parser
import http.client
import json
import os
import re
import shutil
import subprocess
from urllib.parse import quote

import api
import mcp
import npm
from harness import SOURCE, Case, main
from serve import ESCROW, FACTS, Server

GIVEN = SOURCE / "tests" / "golden" / "before" / "given"
C = "/v1/contracts/escrow"
BOUND = {"EscrowAccount": "acc-1", "DeliveryRecord": "del-1"}
LINES = {"Content-Type": "application/jsonl"}
LOAN = """
persona clerk
fact sound { type: Bool source: "desk.sound" }
entity Loan { states: [asked, lent, declined] initial: asked transitions: [(asked, lent), (asked, declined)] }
rule r { stratum: 0 when: sound = true produce: ok(true) }
operation decide {
  allowed_personas: [clerk]
  precondition: ok present
  effects: [(Loan, asked, lent, approved), (Loan, asked, declined, refused)]
  outcomes: [approved, refused]
}
flow lend {
  snapshot: at_initiation
  entry: a
  steps: { a: OperationStep { op: decide persona: clerk outcomes: { approved: Terminal(success) refused: Terminal(failure) }
                              on_failure: Terminate(outcome: failure) } }
}
"""
AGENT = {"persona": "escrow_agent", "bindings": BOUND, "facts": FACTS}


def table():
    """(method, pattern) of every row of src/http/route.c."""
    text = (SOURCE / "src" / "http" / "route.c").read_text()
    rows = re.findall(r'^    \{"(\w+)",\s+(V1|CONTRACT|)\s*(?:"([^"]*)")?,', text, re.M)
    begin = {"V1": "/v1", "CONTRACT": "/v1/contracts/{contract}", "": ""}
    return [(method, begin[which] + (rest or "")) for method, which, rest in rows]


CHANGES = {"created_at", "updated_at", "started_at", "time", "record", "version", "versions"}  # from run to run


def shows(example, answer):
    """Is the example what was answered? Hashes are cut short in it, and lists have some of their items."""
    if isinstance(example, dict):
        return isinstance(answer, dict) and example.keys() == answer.keys() and all(
            key in CHANGES or shows(part, answer[key]) for key, part in example.items())
    if isinstance(example, list):
        return isinstance(answer, list) and bool(example) == bool(answer) and all(
            any(shows(part, other) for other in answer) for part in example)
    if isinstance(example, str) and "…" in example:
        return isinstance(answer, str) and answer.startswith(example.split("…")[0])
    return example == answer and type(example) is type(answer)


class Examples(Case):
    """What the description says by example, a server takes and answers."""

    def walk(self, server, *steps):
        document = server.get("/openapi.json").json
        for method, pattern, names in steps:
            with self.subTest(f"{method} {pattern}"):
                said = document["paths"][pattern][method.lower()]
                body = said.get("requestBody", {}).get("content", {}).get("application/json", {}).get("example")
                answer = server.ask(method, pattern.format(contract="escrow", **names), body)
                self.assertIn(answer.status, (200, 201), answer)
                of = document["components"]["responses"][said["responses"][str(answer.status)]["$ref"].rsplit("/")[-1]]
                example = of["content"]["application/json"]["example"]
                self.assertTrue(shows(example, answer.json), f"{example}\n{answer.json}")

    def test_the_requests_are_taken_and_answered_so(self):
        of = "/v1/contracts/{contract}"
        with Server(self.dir, ESCROW) as server:
            self.walk(server, ("POST", of + "/instances/{entity}", {"entity": "EscrowAccount"}))
            self.assertEqual(server.post(f"{C}/instances/DeliveryRecord", {"id": "del-1"}).status, 201)
            self.walk(server, ("GET", of + "/instances/{entity}/{id}", {"entity": "EscrowAccount", "id": "acc-1"}),
                      *[("POST", of + name, {}) for name in ("/evaluate", "/actions", "/explain", "/ask")],
                      ("POST", "/access/v1/evaluation", {}), ("POST", "/access/v1/evaluations", {}), ("POST", "/access/v1/search/subject", {}),
                      ("POST", of + "/flows/{flow}", {"flow": "standard_release"}), ("POST", "/v1/contracts", {}), ("POST", "/logout", {}))

    def test_an_operation_is_done_and_told_so(self):
        with Server(self.dir, ESCROW) as server:
            self.assertEqual(server.post(f"{C}/instances/EscrowAccount", {"id": "acc-1"}).status, 201)
            self.walk(server, ("POST", "/v1/contracts/{contract}/operations/{operation}", {"operation": "release_escrow"}))

    def test_an_example_that_differs_is_seen(self):
        answer = {"etag": "9393a9fe", "verdicts": [{"type": "a", "stratum": 0}, {"type": "b", "stratum": 1}], "record": 7}
        shown = {"etag": "9393…", "verdicts": [{"type": "b", "stratum": 1}], "record": 3}
        self.assertTrue(shows(shown, answer))
        for other in ({"etag": "5ee7…"}, {"verdicts": []}, {"verdicts": [{"type": "c", "stratum": 1}]}, {"verdicts": [{"type": "b"}]}, {"more": 1}):
            self.assertFalse(shows({**shown, **other}, answer), other)


class Described(Case):
    def document(self, *files):
        with Server(self.dir, *(files or [ESCROW])) as server:
            return server.get("/openapi.json").json

    def test_FU4_every_route_of_the_table_is_described(self):
        document = self.document()
        said = {(method.upper(), path) for path, methods in document["paths"].items()
                for method in methods if "/escrow" not in path}
        self.assertGreater(len(table()), 45)
        self.assertEqual(said, set(table()))
        self.assertEqual(document["openapi"], "3.1.0")
        self.assertEqual([server["url"] for server in document["servers"]], ["/"])

    def test_FU4_operations_have_ids_answers_and_typed_bodies(self):
        document = self.document()
        ids = set()
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                with self.subTest(f"{method} {path}"):
                    self.assertNotIn(operation["operationId"], ids)
                    ids.add(operation["operationId"])
                    self.assertTrue(any(status < "400" for status in operation["responses"]))
                    self.assertIn("default", operation["responses"])
                    named = {p["$ref"].rsplit("/")[-1] for p in operation["parameters"]}
                    self.assertTrue(set(re.findall(r"\{(\w+)\}", path)) <= named)
                    writes = method != "get" and not re.search(
                        "/(evaluate|actions|ask|explain|partial|batch|logout|search/[a-z]+)$", path)
                    self.assertEqual("Idempotency-Key" in named, writes)

    def test_addresses_of_tenants_are_free(self):
        """Paths are relative to the server's URL, and nothing begins with /t."""
        with Server(self.dir, ESCROW) as server:
            self.assertEqual(server.get("/t/acme/v1/contracts").status, 404)
        self.assertFalse([pattern for _, pattern in table() if pattern.startswith("/t/")])

    def test_the_documentation_has_every_body_next_to_its_route(self):
        done = subprocess.run([str(SOURCE / "tools" / "api-docs"), "--check"], timeout=60)
        self.assertEqual(done.returncode, 0, "docs/reference/http-api.md is not what tools/api-docs writes")
        page = (SOURCE / "docs" / "reference" / "http-api.md").read_text()
        self.assertEqual(re.findall(r"^### (\w+) `(.*)`$", page, re.M), table())
        self.assertNotIn("```\n{…}\n```", page, "an answer that says nothing")


class Linted(Case):
    def test_FU4_a_linter_finds_no_fault(self):
        for files in ([ESCROW], [GIVEN / "trade_platform" / "trade_platform.tenor", GIVEN / "wide" / "wide.tenor"]):
            with self.subTest(str(files[0].name)):
                with Server(self.dir, *files, store=f"sqlite:{files[0].stem}.db") as server:
                    path = self.write("openapi.json", server.get("/openapi.json").body)
                code, said = npm.run("redocly", "lint", path.name, "--max-problems", "50", cwd=self.dir)
                self.assertEqual(code, 0, said)
                self.assertNotRegex(said, r"You have \d+ (warning|error)", said)


class Client(Case):
    def test_FU4_a_generated_client_walks_the_escrow(self):
        shutil.copytree(npm.FOLDER / "walk", self.dir / "walk")
        os.symlink(npm.MODULES, self.dir / "node_modules")
        self.write("package.json", '{"type": "module"}')
        with Server(self.dir, ESCROW) as server:
            self.write("walk/openapi.json", server.get("/openapi.json").body)
            code, said = npm.run("openapi-typescript", "openapi.json", "-o", "api.d.ts", cwd=self.dir / "walk")
            self.assertEqual(code, 0, said)
            code, said = npm.run("tsc", "-p", ".", cwd=self.dir / "walk")
            self.assertEqual(code, 0, said)
            done = subprocess.run(["node", "out/walk.js", server.url], cwd=self.dir / "walk",
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("proof: 200", done.stdout)


class Asked(Case):
    """What is asked, at its bounds and beyond."""

    def start(self, *options):
        server = Server(self.dir, ESCROW, options=options)
        server.start()
        self.addCleanup(server.stop)
        return server

    def test_FS16_every_id_that_can_be_made_can_be_reached(self):
        server = self.start()
        for id in ("a/b", ".", "..", "ü/é", "a\\b", "100%", "a b", "x" * 256, "日本" * 42, "?&#+"):
            with self.subTest(id[:20]):
                made = server.post(f"{C}/instances/EscrowAccount", {"id": id})
                self.assertEqual(made.status, 201, made)
                place = made.headers["Location"]
                dots = {".": "%2E", "..": "%2E%2E"}
                self.assertEqual(place, f"{C}/instances/EscrowAccount/{dots.get(id, quote(id, safe=''))}")
                got = server.get(place)
                self.assertEqual((got.status, got.json["id"]), (200, id))
                self.assertEqual(len(server.get(place + "/history").json["items"]), 1)
                shown = self.holds("instance", "show", "escrow", "EscrowAccount", id, "--json", "--server", server.url)
                self.assertEqual(json.loads(shown.out)["id"], id)
                self.assertEqual(server.ask("DELETE", place).status, 200)

    def test_a_flow_of_another_contract_holds_no_instance_of_ours(self):
        server = self.start()
        for contract in ("loan", "other"):
            server.post("/v1/contracts", {"contract": contract, "source": LOAN})
            made = server.post(f"/v1/contracts/{contract}/instances/Loan", {"id": "l1"})
            self.assertEqual(made.status, 201)
        begun = server.post("/v1/contracts/loan/flows/lend", {
            "persona": "clerk", "facts": {"sound": True}, "bindings": {"Loan": "l1"}})
        self.assertEqual((begun.status, begun.json["status"]), (200, "waiting"))
        self.assertEqual(server.ask("DELETE", "/v1/contracts/loan/instances/Loan/l1").status, 409)
        self.assertEqual(server.ask("DELETE", "/v1/contracts/other/instances/Loan/l1").status, 200)

    def test_FS19_a_dry_run_with_a_long_body_says_simulation_however_it_is_refused(self):
        server = self.start("--max-body", str(1 << 20))
        long = "x" * (300 << 10)  # a worker's, before it is read
        at = f"{C}/operations/release_escrow"
        dry = {"persona": "escrow_agent", "dry_run": True}
        for path, body in ((at, {**dry, "filler": long}), (at, {"filler": long, **dry}),
                           (f"/v1/contracts/none/operations/x", {**dry, "filler": long}),
                           (at, json.dumps({**dry, "filler": long})[:-1] + ",,}"),
                           (at, '{"dry_run": true, "facts": {' + " " * (300 << 10)),
                           (at, '{"facts": {"a": [1, {"dry_run": false}]}, "dry_run": true, "x": 1}')):
            with self.subTest(str(body)[:60]):
                answer = server.post(path, body, headers={"Content-Type": "application/json"})
                self.assertIn(answer.status, (400, 404), answer)
                self.assertIs(answer.json.get("simulation"), True, answer.json.get("detail"))
        for body in ('{"facts": {"dry_run": true}, "x": 1}', '{"dry_run": false, "x": 1}', '{"dry_run": "true"}', "[]", "true"):
            self.assertNotIn("simulation", server.post(at, body, headers={"Content-Type": "application/json"}).json, body)
        # Beyond the limit: what came before it is looked at. By its length alone it is refused unread.
        over = json.dumps({**dry, "filler": "x" * (1 << 20)}).encode()
        status, said = self.chunked(server, at, over)
        self.assertEqual((status, said["code"], said.get("simulation")), (413, "too_large", True))
        status, said = self.chunked(server, at, over.replace(b"true", b"false"))
        self.assertEqual((status, said.get("simulation")), (413, None))

    def chunked(self, server, path, body):
        connection = http.client.HTTPConnection(server.host, server.port, timeout=20)
        connection.request("POST", path, iter([body[i:i + 65536] for i in range(0, len(body), 65536)]),
                           {"Content-Type": "application/json"}, encode_chunked=True)
        answer = connection.getresponse()
        said = answer.status, json.loads(answer.read())
        connection.close()
        return said

    def test_FS17_a_parameter_that_is_too_long_is_400(self):
        server = self.start()
        long, longer = "x" * 801, "x" * 2000
        for path in (f"{C}/instances/EscrowAccount?after={long}", f"{C}/instances/EscrowAccount?state={long}",
                     f"{C}/instances?after=EscrowAccount/{long}", f"{C}/instances/EscrowAccount/{long}",
                     f"{C}/instances/EscrowAccount/{longer}/history", f"/v1/ledger?subject={longer}",
                     f"/v1/ledger?flow={long}", f"/v1/ledger?kind={long}", f"/v1/flows?flow={long}",
                     f"/v1/flows?persona={long}", f"/v1/flows/{long}", f"{C}?etag={long}"):
            with self.subTest(path[:50]):
                answer = server.get(path)
                self.assertIn(answer.status, (400, 404), answer)
                if "?" in path and "etag" not in path:
                    self.assertEqual(answer.code, "bad_request", answer)
        for path in (f"{C}/instances/EscrowAccount?after={long[1:]}", f"/v1/ledger?subject={longer[:1601]}"):
            self.assertEqual(server.get(path).status, 200, path[:50])

    def batch(self, server, text, **named):
        answer = server.post(f"{C}/evaluate/batch", text, headers=LINES, **named)
        self.assertEqual((answer.status, answer.headers["Content-Type"]), (200, "application/jsonl"), answer)
        return [json.loads(line) for line in answer.body.decode().splitlines()]

    def test_a_batch_answers_each_line_for_itself(self):
        server = self.start("--limit", "batch_lines=5")
        good = json.dumps({"facts": FACTS})
        lines = self.batch(server, f'{good}\r\n{{"facts": 7}}\n\n{{"facts": {{}}}}\n{good}')
        self.assertEqual([line["line"] for line in lines], [1, 2, 3, 4, 5])
        self.assertEqual([line["status"] for line in lines], [200, 400, 400, 422, 200])
        self.assertEqual(lines[0]["evaluation"], server.post(f"{C}/evaluate", {"facts": FACTS}).json)
        self.assertEqual(lines[3]["problem"]["code"], "missing_fact")
        self.assertEqual(len(lines[3]["problem"]["further"]), 2)
        self.assertEqual(self.batch(server, ""), [])
        beyond = server.post(f"{C}/evaluate/batch", "{}\n" * 6, headers=LINES)
        self.assertEqual((beyond.status, beyond.code), (413, "too_large"))
        self.assertIn("batch_lines", beyond.json["detail"])
        self.assertEqual(server.post(f"{C}/evaluate/batch", "{}").status, 415)
        self.assertEqual(server.post(f"{C}/evaluate", "{}", headers=LINES).status, 415)

    def test_a_batch_is_bounded_in_bytes(self):
        server = self.start("--limit", "batch_bytes=2000")
        lines = self.batch(server, (json.dumps({"facts": FACTS}) + "\n") * 8)
        statuses = [line["status"] for line in lines]
        self.assertEqual((len(lines), statuses[0], statuses[-1]), (8, 200, 413))
        self.assertEqual(statuses, sorted(statuses))

    def test_FU20_an_unknown_fact_is_refused_with_the_nearest(self):
        server = self.start()
        for path, body in (("evaluate", {}), ("partial", {"partial": True}), ("actions", {"persona": "buyer"}),
                           ("explain", {"verdict": "release_approved"})):
            told = server.post(f"{C}/{path}", {"facts": FACTS | {"delivery_statsu": 1}, **body})
            self.assertEqual((told.status, told.code, told.json["fault"], told.json["fact"]),
                             (422, "invalid_fact", "surplus_fact", "delivery_statsu"), path)
            self.assertEqual(told.json["detail"], "unknown fact: delivery_statsu; did you mean 'delivery_status'?", path)
        for told in (server.post(f"{C}/evaluate", {"facts": FACTS, "unknown": ["delivery_statsu"]}),
                     server.ask("PUT", f"{C}/facts/delivery_statsu", {"value": "failed"})):
            self.assertEqual((told.status, told.json["detail"]),
                             (404, "the contract has no fact 'delivery_statsu'; did you mean 'delivery_status'?"))

    def test_FU15_all_missing_facts_and_the_right_that_is_missing_are_named(self):
        server = self.start()
        missing = server.post(f"{C}/evaluate", {}).json
        self.assertEqual({missing["fact"], *(one["fact"] for one in missing["further"])}, set(FACTS))
        token = server.token("--name", "few", "--persona", "buyer")
        self.assertTrue(server.wait_until(lambda: server.get("/v1/contracts").status == 401))
        for method, path, body, right in (
                ("POST", f"{C}/evaluate", {"facts": FACTS}, ["escrow/evaluate"]),
                ("PUT", f"{C}/facts/delivery_status", {"value": "failed"}, ["escrow/facts:delivery_status"]),
                ("POST", f"{C}/instances/EscrowAccount", {}, ["escrow/instances:create"]),
                ("GET", "/metrics", None, ["metrics:read"]), ("GET", "/v1/events", None, ["ledger:read"]),
                ("GET", "/v1/ledger", None, ["ledger:read"]), ("POST", "/v1/contracts", {}, ["deploy"])):
            with self.subTest(path):
                refused = server.ask(method, path, body, token=token)
                self.assertEqual((refused.status, sorted(refused.json.get("needs", []))), (403, right), refused)
        refused = server.post(f"{C}/operations/release_escrow", AGENT, token=token)
        self.assertEqual((refused.status, refused.json["persona"]), (403, "escrow_agent"))


class Page(Case):
    """FU6: a plain page at the address that a server prints."""

    def start(self, *options):
        self.server = Server(self.dir, ESCROW, options=options)
        return self.server

    def run_server(self):
        self.server.start()
        self.addCleanup(self.server.stop)
        return self.server

    def text(self, answer):
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(answer.headers["Content-Type"], "text/html; charset=utf-8")
        page = answer.body.decode()
        parser = html.parser.HTMLParser()
        parser.handle_starttag = lambda tag, attributes: self.seen.append((tag, dict(attributes)))
        self.seen = []
        parser.feed(page)
        tags = {tag for tag, _ in self.seen}
        self.assertFalse(tags & {"script", "img", "iframe", "form", "link", "object"}, tags)
        self.assertFalse([key for _, attributes in self.seen for key in attributes if key.startswith("on")])
        return page

    def test_FU6_it_shows_what_is_served_what_waits_and_what_was_decided(self):
        self.start()
        server = self.run_server()
        for entity, id in (("EscrowAccount", "acc-1"), ("EscrowAccount", "<img src=x onerror=a>"),
                           ("DeliveryRecord", "del-1")):
            server.post(f"{C}/instances/{entity}", {"id": id})
        server.post(f"{C}/flows/standard_release", AGENT)
        server.post("/v1/contracts", {"contract": "loan", "source": LOAN})
        server.post("/v1/contracts/loan/instances/Loan", {"id": "l1"})
        flow = server.post("/v1/contracts/loan/flows/lend", {"persona": "clerk", "facts": {"sound": True},
                                                             "bindings": {"Loan": "l1"}}).json["id"]
        page = self.text(server.get("/"))
        for words in ("<h3>escrow</h3>", "EscrowAccount released <b>1</b>", "EscrowAccount held <b>1</b>", flow,
                      "outcomes: approved, refused", "release_escrow: EscrowAccount acc-1 held -&gt; released",
                      "verdict release_approved was present", "&lt;img src=x onerror=a&gt;", "curl ",
                      f"http://{server.host}:{server.port}/v1/ledger"):
            self.assertIn(words, page)
        self.assertNotIn("<img", page)

    def test_FU6_nothing_in_it_can_run_and_its_style_is_the_only_one(self):
        self.start()
        answer = self.run_server().get("/")
        policy = answer.headers["Content-Security-Policy"]
        style = re.search("<style>(.*?)</style>", self.text(answer), re.S).group(1)
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        self.assertIn(f"style-src 'sha256-{digest}'", policy)
        for words in ("default-src 'none'", "frame-ancestors 'none'", "form-action 'none'", "base-uri 'none'"):
            self.assertIn(words, policy)
        self.assertIn("prefers-color-scheme:dark", style)
        self.assertEqual(answer.headers["X-Frame-Options"], "DENY")

    def test_FU6_it_shows_only_what_its_caller_may_see(self):
        server = self.start()
        admin = server.token("--name", "boss", "--right", "admin", "--right", "instances:create", "--right", "ledger:read")
        guest = server.token("--name", "visitor<b>", "--persona", "nobody")
        self.run_server()
        server.post(f"{C}/instances/EscrowAccount", {"id": "acc-secret"}, token=admin)
        nobody = self.text(server.get("/"))
        self.assertIn("sign in", nobody)
        self.assertIn("escrow", nobody)
        for words in ("acc-secret", "Last decisions", "EscrowAccount", "buyer"):
            self.assertNotIn(words, nobody)
        seen = self.text(server.get("/", token=guest))
        self.assertIn("You are visitor&lt;b&gt;", seen)
        self.assertIn("ledger:read", seen)
        self.assertNotIn("acc-secret", seen)
        self.assertIn("acc-secret", self.text(server.get("/", token=admin)))
        self.assertEqual(server.get("/", token="mt_wrong").status, 401)

    def test_FU6_a_private_manifest_is_not_shown(self):
        server = self.start("--private-manifest")
        server.token("--name", "boss", "--right", "admin")
        self.run_server()
        self.assertNotIn("escrow", self.text(server.get("/")))

    def test_FU6_it_is_for_this_machine_without_tokens(self):
        self.start()
        self.assertEqual(self.run_server().get("/", headers={"Host": "evil.example"}).status, 421)


class Explained(Case):
    """FU3: the whole tree, every smallest reason, what would have to change; each is tried."""

    CONTRACT = """
persona clerk
fact a { type: Bool source: "desk.a" }
fact b { type: Bool source: "desk.b" }
fact n { type: Int(min: 0, max: 10) source: "desk.n" }
entity Thing { states: [old, new] initial: old transitions: [(old, new)] }
rule r0 { stratum: 0 when: a = true and n >= 3 produce: fit(true) }
rule r1 { stratum: 1 when: (fit present) or (b = true and n = 7) produce: ok(true) }
operation go { allowed_personas: [clerk] precondition: ok present effects: [(Thing, old, new)] }
"""

    def setUp(self):
        super().setUp()
        self.server = Server(self.dir, self.write("c.tenor", self.CONTRACT))
        self.server.start()
        self.addCleanup(self.server.stop)

    def allowed(self, facts):
        verdicts = self.server.post("/v1/contracts/c/evaluate", {"facts": facts}).json["verdicts"]
        return any(verdict["type"] == "ok" for verdict in verdicts)

    def all_facts(self):
        return [{"a": a, "b": b, "n": n} for a in (False, True) for b in (False, True) for n in (0, 3, 7)]

    def test_FU3_reasons_decide_are_smallest_and_are_all(self):
        tried = {str(facts): self.allowed(facts) for facts in self.all_facts()}
        for facts in self.all_facts():
            why = self.server.post("/v1/contracts/c/explain", {"operation": "go", "facts": facts}).json["why"]
            with self.subTest(str(facts)):
                self.assertEqual(why["tree"]["value"], tried[str(facts)])
                self.assertTrue(why["reasons"])
                sets = [frozenset(part["condition"] for part in reason["parts"]) for reason in why["reasons"]]
                self.assertEqual(len(sets), len(set(sets)))
                self.assertFalse([one for one in sets for other in sets if one < other])
                for reason in why["reasons"]:
                    kept = {name: facts[name] for name in reason["rests_on"]}
                    same = [tried[str(other)] for other in self.all_facts()
                            if all(other[name] == value for name, value in kept.items())]
                    self.assertEqual(set(same), {tried[str(facts)]}, "the reason does not decide")

    def test_FU3_what_would_have_to_change_changes_it(self):
        tried = {str(facts): self.allowed(facts) for facts in self.all_facts()}
        for facts in self.all_facts():
            why = self.server.post("/v1/contracts/c/explain", {"verdict": "ok", "facts": facts}).json["why"]
            with self.subTest(str(facts)):
                for change in why["changes"]:
                    others = [other for other in self.all_facts()
                              if all(other[name] == facts[name] for name in facts if name not in change["facts"])]
                    flips = [other for other in others if tried[str(other)] != tried[str(facts)]]
                    self.assertTrue(flips, change)
                    self.assertNotEqual(change["condition"], "")
                single = {name for name in facts for other in self.all_facts()
                          if tried[str(other)] != tried[str(facts)]
                          and all(other[x] == facts[x] for x in facts if x != name)}
                told = {change["facts"][0] for change in why["changes"] if len(change["facts"]) == 1}
                self.assertTrue(told <= single)
                self.assertTrue(why["changes"] or not single)

    def test_FU3_a_persona_that_may_not_is_told_who_may(self):
        text = self.CONTRACT.replace("persona clerk", "persona clerk\npersona guest")
        self.server.post("/v1/contracts", {"contract": "d", "source": text})
        answer = self.server.post("/v1/contracts/d/explain", {"operation": "go", "persona": "guest",
                                                              "facts": {"a": True, "b": True, "n": 7}}).json
        self.assertEqual((answer["open"], answer["personas"]), (False, ["clerk"]))


class Walked(Case):
    """Every route once, so that it gives what it is there for."""

    def setUp(self):
        super().setUp()
        shutil.copytree(GIVEN, self.dir, dirs_exist_ok=True)
        os.chmod(self.dir / "keys" / "test-only.secret", 0o600)
        self.add_rooms()

    def add_rooms(self):
        """The gauge once more, with a history for each room."""
        adapter = (self.dir / "gauge" / "adapter.yaml").read_text()
        self.write("gauge/rooms.yaml", adapter.replace(
            "context_keys:", "key: room\ncontext_keys:\n  - {name: room, type: String, required: true, writable: false}",
            1).replace("properties:", "properties:\n        room: {type: string}", 1).replace(
            "required: [reading]", "required: [reading, room]"))
        self.write("serve.yaml", (self.dir / "serve.yaml").read_text().replace(
            "graphs:", "graphs:\n  rooms: {graph: gauge/graph.yaml, adapter: gauge/rooms.yaml}", 1))

    def test_FU4_every_route_answers_as_described(self):
        files = ("escrow/escrow.tenor", "trade_platform/trade_platform.tenor")
        with Server(self.dir, *files, options=("--config", "serve.yaml", "--signing-key",
                                               "keys/test-only.secret")) as server:
            api.description = api.ask_for(server.host, server.port)
            self.walk(server)
            said = {operation["operationId"] for path, methods in api.description.document["paths"].items()
                    for operation in methods.values()}
            alike = {re.sub("_.*", "", name) for name in api.description.hit}
        # Three need a provider: tests/e2e/test_oidc.py and test_mcp_http.py walk them. One needs an intent that
        # could not be delivered: tests/e2e/test_graph_edges.py has some.
        # A program that was built where npm was not there has no files of Studio.
        without = set() if self.has_studio else {"studioFile"}
        self.assertEqual({re.sub("_.*", "", name) for name in said} - alike,
                         {"callback", "login", "resourceMetadata", "sendLetter"} | without)

    def expect(self, status, answer):
        self.assertEqual(answer.status, status, answer)
        return answer.json

    def walk(self, server):
        self.walk_server(server)
        self.walk_contract(server)
        self.walk_ledger(server)
        self.walk_voices(server)

    def walk_server(self, server):
        self.assertEqual(server.get("/").status, 200)
        self.assertEqual(server.get("/studio").status, 303)
        self.has_studio = server.get("/studio/index.html").status == 200
        for path in ("/.well-known/tenor", "/.well-known/authzen-configuration", "/.well-known/agent-card.json", "/healthz", "/readyz", "/metrics", "/openapi.json",
                     "/v1/contracts", C, f"{C}/.well-known/tenor", f"{C}/versions", f"{C}/migration",
                     f"{C}/facts", "/v1/flows", "/v1/systems", "/v1/graphs", "/v1/agents",
                     "/v1/systems/trade_platform", "/v1/systems/trade_platform/triggers", "/session"):
            self.assertEqual(server.get(path).status, 200, path)
        self.expect(201, server.post("/v1/contracts", {"contract": "greeting", "source": "persona clerk"}))
        self.expect(200, server.post(f"{C}/migration/complete"))
        self.expect(200, server.ask("POST", "/logout"))
        self.expect(200, server.post("/mcp/escrow/seller", mcp.message(mcp.OLDER, 1, "tools/list"),
                                     headers={"MCP-Protocol-Version": mcp.OLDER}))
        self.events(server)

    def events(self, server):
        connection = http.client.HTTPConnection(server.host, server.port, timeout=10)
        connection.request("GET", "/v1/events", headers={"Last-Event-ID": "0"})
        answer = connection.getresponse()
        self.assertEqual((answer.status, answer.headers["Content-Type"].split(";")[0]),
                         (200, "text/event-stream"))
        line = answer.readline()
        self.assertRegex(line.decode(), r"^(retry|id): \d+$")
        connection.close()
        api.description.hit.add("events")

    def walk_contract(self, server):
        for entity, id in BOUND.items():
            made = server.post(f"{C}/instances/{entity}", {"id": id})
            self.assertEqual((made.status, made.headers["Location"]), (201, f"{C}/instances/{entity}/{id}"))
        self.expect(200, server.post(f"{C}/evaluate", {"facts": FACTS}))
        self.expect(200, server.post(f"{C}/evaluate", {"partial": True}))
        self.expect(200, server.post(f"{C}/partial", {"facts": {"delivery_status": "confirmed"}}))
        lines = server.post(f"{C}/evaluate/batch", json.dumps({"facts": FACTS}) + "\n{}\n", headers=LINES)
        self.assertEqual(lines.status, 200, lines)
        self.expect(200, server.post(f"{C}/actions", {"persona": "escrow_agent", "facts": FACTS}))
        self.expect(200, server.post(f"{C}/explain", {"operation": "refund_escrow", "facts": FACTS}))
        asked = self.expect(200, server.post(f"{C}/ask", {"question": "can buyer reach EscrowAccount.refunded"}))
        self.assertEqual(asked["answer"], "no")
        self.expect(400, server.post(f"{C}/ask", {"question": "will it rain"}))
        question = {"subject": {"type": "persona", "id": "seller"}, "action": {"name": "confirm_delivery"},
                    "resource": {"type": "escrow.DeliveryRecord", "id": BOUND["DeliveryRecord"]}, "context": FACTS}
        for path in ("evaluation", "evaluations", "search/subject", "search/resource", "search/action"):
            self.expect(200, server.post(f"/access/v1/{path}", question))
        self.expect(200, server.ask("PUT", f"{C}/facts/buyer_requested_refund", {"value": True}))
        self.expect(200, server.ask("DELETE", f"{C}/facts/buyer_requested_refund"))
        self.expect(200, server.post(f"{C}/operations/confirm_delivery",
                                     {**AGENT, "persona": "seller", "dry_run": True}))
        flow = self.expect(200, server.post(f"{C}/flows/standard_release", AGENT))
        self.expect(200, server.get(f"/v1/flows/{flow['id']}"))
        self.walk_waiting(server)
        self.expect(200, server.get(f"{C}/states"))
        for path in (f"{C}/instances", f"{C}/instances/EscrowAccount", f"{C}/instances/EscrowAccount/acc-1",
                     f"{C}/instances/EscrowAccount/acc-1/history"):
            self.assertTrue(self.expect(200, server.get(path)))
        self.expect(200, server.ask("DELETE", f"{C}/instances/EscrowAccount/acc-1"))

    def walk_waiting(self, server):
        """A flow that stops twice at an outcome to be named: resumed, and cancelled."""
        self.expect(201, server.post("/v1/contracts", {"contract": "loan", "source": LOAN}))
        for id in ("l1", "l2"):
            self.expect(201, server.post("/v1/contracts/loan/instances/Loan", {"id": id}))
        begin = {"persona": "clerk", "facts": {"sound": True}}
        first, second = (self.expect(200, server.post("/v1/contracts/loan/flows/lend",
                                                      {**begin, "bindings": {"Loan": id}}))
                         for id in ("l1", "l2"))
        self.assertEqual(first["status"], "waiting")
        self.expect(200, server.post(f"/v1/flows/{first['id']}/resume", {"outcome": "approved"}))
        self.expect(200, server.post(f"/v1/flows/{second['id']}/cancel", {"reason": "enough"}))

    def walk_ledger(self, server):
        first = self.expect(200, server.get("/v1/ledger?kind=instance_created"))["items"][0]["seq"]
        for path in ("checkpoint", "consistency", first, f"{first}/proof", f"{first}/receipt"):
            self.expect(200, server.get(f"/v1/ledger/{path}"))
        self.assertTrue(server.wait_until(lambda: server.get("/v1/ledger/checkpoint.note").status == 200, 20),
                        server.get("/v1/ledger/checkpoint.note"))

    def walk_voices(self, server):
        event = {"id": "g-1", "kind": "DataAvailable", "at": {"secs": 1, "nanos": 0}, "semantic_kind": "reading",
                 "payload": {"reading": 40.0}}
        self.expect(200, server.post("/v1/graphs/gauge/events", event))
        self.expect(200, server.post("/v1/graphs/rooms/events", {**event, "payload": {"reading": 40.0, "room": "a"}}))
        self.assertEqual([row["key"] for row in self.expect(200, server.get("/v1/graphs/rooms/keys"))["items"]], ["a"])
        self.expect(200, server.get("/v1/graphs/gauge/context"))
        self.expect(200, server.get("/v1/graphs/gauge/picture"))
        self.expect(200, server.get("/v1/graphs/gauge/letters"))
        self.expect(404, server.post("/v1/graphs/gauge/letters/send", {"id": "none"}))
        capture = self.expect(200, server.get("/v1/graphs/gauge/captures"))["items"][0]["id"]
        self.expect(200, server.get(f"/v1/graphs/gauge/captures/{capture}"))
        self.expect(200, server.post("/v1/agents/arrow/messages", {"content": "please move"}))
        self.expect(200, server.get("/v1/agents/arrow/messages"))
        self.expect(200, server.get("/v1/agents/arrow/tape"))


main()
