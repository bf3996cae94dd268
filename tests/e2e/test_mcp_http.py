"""POST /mcp/{contract}/{persona}: the tools of a persona over HTTP, in both revisions."""
import json
import time

from harness import SOURCE, Case, main
from jwts import Signer
from mcp import ASKED, NEWER, OLDER, TASKS, message
from serve import Server

ESCROW = SOURCE / "examples" / "escrow" / "escrow.tenor"
BOTH = {"EscrowAccount": "esc-001", "DeliveryRecord": "del-001"}
FACTS = {"delivery_status": "confirmed", "line_items": [],
         "escrow_amount": {"amount": "20000.00", "currency": "USD"}}
PERSONAS = ("buyer", "seller", "escrow_agent", "compliance_officer")
NAMED = {"tools/call": "name", "resources/read": "uri", "tasks/get": "taskId", "tasks/cancel": "taskId",
         "tasks/update": "taskId"}


def fields(revision, said):
    """The header fields of a message."""
    method, params = said["method"], said.get("params", {})
    if revision == OLDER:
        return {} if method == "initialize" else {"MCP-Protocol-Version": OLDER}
    name = {"Mcp-Name": params[NAMED[method]]} if method in NAMED else {}
    return {"MCP-Protocol-Version": NEWER, "Mcp-Method": method, **name}


class Http(Case):
    def serve(self, *options):
        server = Server(self.dir, ESCROW, options=options)
        self.enterContext(server)
        return server

    def send(self, server, persona, said, revision=NEWER, contract="escrow", headers=None, **named):
        return server.post(f"/mcp/{contract}/{persona}", said,
                           headers={**fields(revision, said), **(headers or {})}, **named)

    def ask(self, server, persona, method, params=None, revision=NEWER, can=None, meta=None, **named):
        answer = self.send(server, persona, message(revision, 1, method, params, can, meta), revision,
                           **named)
        self.assertEqual(answer.status, 200, answer)
        return answer.json["result"]

    def call(self, server, persona, name, arguments, **named):
        return self.ask(server, persona, "tools/call", {"name": name, "arguments": arguments}, **named)

    def escrow(self, *options):
        """A server with tokens for each persona; the clerk has made the instances."""
        server = Server(self.dir, ESCROW, options=options)
        clerk = server.token("--right", "instances:create")
        everyone = [w for p in PERSONAS for w in ("--persona", f"escrow:{p}")]
        self.everyone = server.token(*everyone, "--right", "escrow/facts:*")
        self.stranger = server.token("--right", "graphs:x")
        self.poor = server.token("--persona", "escrow:seller", "--right", "escrow/facts:line_items")
        self.tokens = {p: server.token("--persona", f"escrow:{p}", "--right", "escrow/evaluate",
                                       "--right", "escrow/facts:*")
                       for p in PERSONAS}
        self.enterContext(server)
        for entity, instance in BOTH.items():
            made = server.post(f"/v1/contracts/escrow/instances/{entity}", {"id": instance}, token=clerk)
            self.assertEqual(made.status, 201, made)
        return server

    # ---- the walk -------------------------------------------------------------------------------

    def test_each_persona_drives_escrow_in_both_revisions(self):
        for revision in (OLDER, NEWER):
            with self.subTest(revision):
                self.dir = self.dir / revision
                self.dir.mkdir()
                self.walk(self.escrow(), revision)

    def walk(self, server, revision):
        if revision == OLDER:
            began = self.ask(server, "seller", "initialize", {
                "protocolVersion": OLDER, "capabilities": {}}, revision, token=self.tokens["seller"])
            self.assertEqual(began["protocolVersion"], OLDER)
            told = self.send(server, "seller", {"jsonrpc": "2.0", "method": "notifications/initialized"},
                             revision, token=self.tokens["seller"])
            self.assertEqual((told.status, told.body), (202, b""))
        flow = self.call(server, "seller", "standard_release", {"bindings": BOTH, "facts": FACTS},
                         revision=revision, token=self.tokens["seller"])["structuredContent"]
        self.assertEqual(flow["waiting"]["persona"], "escrow_agent")
        for persona in ("escrow_agent", "compliance_officer"):
            flow = self.call(server, persona, "resume", {"execution": flow["id"]}, revision=revision,
                             token=self.tokens[persona])["structuredContent"]
        self.assertEqual((flow["status"], flow["outcome"]), ("done", "success"))
        late = self.call(server, "buyer", "flag_dispute", {
            "bindings": {"EscrowAccount": "esc-001"}, "facts": FACTS}, revision=revision,
            token=self.tokens["buyer"])
        self.assertEqual(late["structuredContent"]["code"], "invalid_source_state")

    def test_an_identity_acts_as_the_persona_of_the_path_alone(self):
        """It holds all of them; a flow begun as seller stops all the same."""
        server = self.escrow()
        everyone = self.everyone
        flow = self.call(server, "seller", "standard_release", {"bindings": BOTH, "facts": FACTS},
                         token=everyone)["structuredContent"]
        self.assertEqual(flow["status"], "waiting")
        refused = self.call(server, "seller", "resume", {"execution": flow["id"]}, token=everyone)
        self.assertEqual(refused["structuredContent"]["code"], "persona_rejected")
        moved = self.call(server, "escrow_agent", "resume", {"execution": flow["id"]}, token=everyone)
        self.assertEqual(moved["structuredContent"]["waiting"]["persona"], "compliance_officer")

    # ---- who is let in --------------------------------------------------------------------------

    def test_what_is_not_the_callers_is_one_403(self):
        server = self.escrow()
        said = message(NEWER, 1, "tools/list")
        answers = set()
        for contract, persona in [("escrow", "buyer"), ("escrow", "nobody"), ("other", "seller"),
                                  ("escrow", "escrow_agent"), ("%00", "x"[:1]), ("escrow", "%F0%9F%98%80")]:
            answer = server.post(f"/mcp/{contract}/{persona}", said, token=self.tokens["seller"],
                                 headers=fields(NEWER, said))
            if contract == "%00":
                self.assertEqual(answer.status, 400)
                continue
            told = {k: v for k, v in answer.json.items() if k != "request_id"}
            answers.add((answer.status, json.dumps(told)))
        self.assertEqual([status for status, _ in answers], [403], answers)
        self.assertEqual(self.send(server, "seller", said, token="mt_no_such").status, 401)
        question = {"question": "every flow ends"}
        for token, status in [(self.stranger, 403), (self.tokens["seller"], 200)]:
            self.assertEqual(server.post("/v1/contracts/escrow/ask", question, token=token).status, status)
        self.assertEqual(self.send(server, "seller", said).status, 401)

    def test_rights_decide_which_facts_are_in_the_schemas(self):
        server = self.escrow()
        token = self.poor
        tools = self.ask(server, "seller", "tools/list", token=token)["tools"]
        self.assertEqual(list(tools[0]["inputSchema"]["properties"]["facts"]["properties"]), ["line_items"])
        told = self.call(server, "seller", "actions", {"facts": {"line_items": []}}, token=token)
        self.assertEqual(told["structuredContent"]["needs"], ["escrow/evaluate"])

    def test_an_open_server_is_for_this_machine_and_its_own_pages(self):
        server = self.serve()
        said = message(NEWER, 1, "tools/list")
        self.assertEqual(self.send(server, "seller", said).status, 200)
        for origin in ("https://evil.example", "null", f"http://evil.example:{server.port}"):
            self.assertEqual(self.send(server, "seller", said, headers={"Origin": origin}).status, 403)
        self.assertEqual(self.send(server, "seller", said, headers={"Host": "evil.example"}).status, 421)

    def test_a_page_of_another_origin_is_refused_with_a_good_token(self):
        server = self.escrow()
        said = message(NEWER, 1, "tools/list")
        for origin, status in [("https://evil.example", 403), (f"http://{server.host}:{server.port}", 200)]:
            answer = self.send(server, "seller", said, token=self.tokens["seller"],
                               headers={"Origin": origin})
            self.assertEqual(answer.status, status, origin)

    # ---- the protocol over HTTP -----------------------------------------------------------------

    def test_statuses_are_those_of_the_transport(self):
        server = self.serve()
        good = message(NEWER, 1, "tools/list")
        new = {"MCP-Protocol-Version": NEWER, "Mcp-Method": "tools/list"}
        for said, headers, status, code in [
                (good, new, 200, None),
                (good, {**new, "Mcp-Method": "  tools/list \t"}, 200, None),
                (good, {"Mcp-Method": "tools/list"}, 400, -32020),
                (good, {"MCP-Protocol-Version": NEWER}, 400, -32020),
                (good, {**new, "Mcp-Method": "tools/call"}, 400, -32020),
                (good, {**new, "MCP-Protocol-Version": OLDER}, 400, -32020),
                (message(OLDER, 1, "tools/list"), new, 400, -32602),
                (message(OLDER, 1, "tools/list"), {}, 400, -32020),
                (message(OLDER, 1, "tools/list"), {"MCP-Protocol-Version": "2024-11-05"}, 400, -32022),
                (message(NEWER, 1, "no/such"), {**new, "Mcp-Method": "no/such"}, 404, -32601),
                (message(OLDER, 1, "no/such"), {"MCP-Protocol-Version": OLDER}, 200, -32601),
                ([good], new, 400, -32600),
                ("{", new, 400, -32700),
                (message(NEWER, 1, "tools/call", {"name": "no"}),
                 {**new, "Mcp-Method": "tools/call", "Mcp-Name": "no"}, 200, -32602)]:
            answer = server.post("/mcp/escrow/seller", said, headers=headers)
            self.assertEqual(answer.status, status, (said, headers, answer))
            self.assertEqual(answer.json.get("error", {}).get("code"), code, (said, headers))
            self.assertEqual(answer.headers["Content-Type"], "application/json")
            self.assertNotIn("Mcp-Session-Id", answer.headers)
        for method in ("GET", "DELETE"):
            answer = server.ask(method, "/mcp/escrow/seller")
            self.assertEqual((answer.status, answer.headers["Allow"]), (405, "POST, OPTIONS"))
        text = server.post("/mcp/escrow/seller", json.dumps(good),
                           headers={**new, "Content-Type": "text/plain"})
        self.assertEqual(text.status, 415)

    def test_a_call_id_or_a_key_is_decided_once(self):
        server = self.escrow()
        given = {"bindings": {"DeliveryRecord": "del-001"}, "facts": FACTS}
        token = self.tokens["seller"]
        for how in ({"meta": {"motet/callId": "one"}}, {"headers": {"Idempotency-Key": "one"}}):
            again = self.call(server, "seller", "confirm_delivery", given, token=token, **how)
            self.assertFalse(again["isError"])
        self.assertTrue(again["_meta"]["motet/replayed"])
        self.assertTrue(self.call(server, "seller", "confirm_delivery", given, token=token)["isError"])

    TWIN = '''
persona p
persona q
entity E { states: [a, b, c] initial: a transitions: [(a, b), (b, c)] }
operation go { personas: [p] require: true effects: [(E, a, b)] }
operation on { personas: [q] require: true effects: [(E, b, c)] }
flow f { snapshot: at_initiation entry: s steps: {
  s: OperationStep { op: go persona: p outcomes: { success: t } on_failure: Terminate(outcome: failure) }
  t: OperationStep { op: on persona: q outcomes: { success: Terminal(success) }
                     on_failure: Terminate(outcome: failure) } } }
'''

    def twins(self):
        """Two contracts with the same names, and one caller who may do everything in both."""
        self.holds("keygen", "--prefix", "key")
        files = [self.write(f"{name}.tenor", self.TWIN) for name in ("one", "two")]
        server = Server(self.dir, *files, options=["--signing-key", self.dir / "key.secret"])
        self.token = server.token("--persona", "p", "--persona", "q", "--right", "instances:create",
                                  "--right", "read", "--right", "ledger:read", "--right", "admin")
        self.enterContext(server)
        for name in ("one", "two"):
            for instance in ("x", "y"):
                made = server.post(f"/v1/contracts/{name}/instances/E", {"id": instance}, token=self.token)
                self.assertEqual(made.status, 201, made)
        return server

    def test_a_key_of_one_contract_is_not_answered_in_another(self):
        server = self.twins()
        given, key = {"bindings": {"E": "x"}}, {"motet/callId": "k"}
        done = self.call(server, "p", "go", given, contract="one", meta=key, token=self.token)
        self.assertFalse(done["isError"])
        other = self.call(server, "p", "go", given, contract="two", meta=key, token=self.token)
        self.assertEqual(other["structuredContent"]["code"], "idempotency_mismatch")
        state = server.get("/v1/contracts/two/instances/E/x", token=self.token).json["state"]
        self.assertEqual(state, "a")

    def test_a_key_of_one_persona_is_not_answered_to_another(self):
        server = self.twins()
        flow = self.call(server, "p", "f", {"bindings": {"E": "x"}}, contract="one",
                         token=self.token)["structuredContent"]
        given, key = {"execution": flow["id"]}, {"motet/callId": "k"}
        done = self.call(server, "q", "resume", given, contract="one", meta=key, token=self.token)
        self.assertEqual(done["structuredContent"]["status"], "done")
        other = self.call(server, "p", "resume", given, contract="one", meta=key, token=self.token)
        self.assertEqual(other["structuredContent"]["code"], "idempotency_mismatch")

    def test_what_belongs_to_another_contract_is_not_there(self):
        """The caller may do and see everything elsewhere; here it is told what a stranger is told."""
        server = self.twins()
        done = self.call(server, "p", "go", {"bindings": {"E": "x"}}, contract="one", token=self.token,
                         meta={"motet/receipt": True})
        record = done["_meta"]["motet/record"]
        flow = self.call(server, "p", "f", {"bindings": {"E": "y"}}, contract="one",
                         token=self.token)["structuredContent"]["id"]
        for what, own, none in [
                (f"records/{record}", 200, "records/9999"),
                (f"records/{record}/receipt", 200, "records/9999/receipt"),
                (f"records/{record}/proof", 200, "records/9999/proof"),
                (f"flows/{flow}", 200, "flows/f-no")]:
            answers = []
            for contract, path in (("one", what), ("two", what), ("two", none)):
                uri = f"motet://{contract}/{path}"
                said = message(NEWER, 1, "resources/read", {"uri": uri})
                told = self.send(server, "p", said, contract=contract, token=self.token).json
                answers.append(json.dumps(told).replace(uri, "URI"))
            self.assertIn('"result"', answers[0])
            self.assertIn("there is no such resource", answers[1])
            self.assertEqual(answers[1], answers[2], what)
        before = server.get("/v1/ledger?limit=200", token=self.token).json["items"]
        for persona, tool in (("p", "resume"), ("q", "resume"), ("p", "cancel")):
            there, none = [json.dumps(self.call(server, persona, tool, {"execution": execution},
                                                contract="two", token=self.token)).replace(execution, "E")
                           for execution in (flow, "f-no")]
            self.assertEqual(there, none)
        for method in ("tasks/get", "tasks/cancel", "tasks/update"):
            told = []
            for task in (flow, "f-no"):
                said = message(NEWER, 1, method, {"taskId": task, "inputResponses": {}}, TASKS)
                told.append(self.send(server, "p", said, contract="two", token=self.token,
                                      headers={"Mcp-Name": task}).json["error"])
            self.assertEqual(told[0], told[1])
        after = server.get("/v1/ledger?limit=200", token=self.token).json["items"]
        self.assertEqual(before, after, "nothing was recorded")
        moved = self.call(server, "q", "resume", {"execution": flow}, contract="one", token=self.token)
        self.assertEqual(moved["structuredContent"]["status"], "done")

    def test_limits_of_a_message_hold_over_http(self):
        server = self.serve("--limit", "json_depth=20", "--limit", "mcp_bytes=2000")
        def deep(levels):
            inner = "[" * levels + "]" * levels
            return '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":%s}}' % inner
        for text, code in [(deep(18), None), (deep(19), -32600),
                           (json.dumps(message(OLDER, 1, "ping", {"x": "y" * 1800})), None),
                           (json.dumps(message(OLDER, 1, "ping", {"x": "y" * 2000})), -32600)]:
            answer = server.post("/mcp/escrow/seller", text, headers={"MCP-Protocol-Version": OLDER})
            self.assertEqual(answer.json.get("error", {}).get("code"), code, answer)

    def test_what_a_client_was_given_to_keep_is_its_own(self):
        """On an open server everybody is the same caller; with tokens another one's is refused."""
        reference = SOURCE / "tests" / "npm" / "conformance" / "reference.tenor"
        name = "test_input_required_result_tampered_state"
        server = Server(self.dir, reference, store="sqlite:r.db")
        tokens = [server.token("--persona", "reference:agent") for _ in range(2)]
        for options, who in (((), tokens), (("open",), [None, None])):
            if options:
                server = Server(self.dir, reference, store="sqlite:o.db")
            with server:
                need = self.call(server, "agent", name, {}, contract="reference", can=ASKED, token=who[0])
                (key, _), = need["inputRequests"].items()
                again = {"name": name, "arguments": {}, "requestState": need["requestState"],
                         "inputResponses": {key: {"action": "accept", "content": {"outcome": "one"}}}}
                if who[1]:
                    said = message(NEWER, 1, "tools/call", again, ASKED)
                    told = self.send(server, "agent", said, contract="reference", token=who[1])
                    self.assertEqual(told.json["error"]["code"], -32602)
                done = self.ask(server, "agent", "tools/call", again, can=ASKED, contract="reference",
                                token=who[0])
                self.assertEqual(done["structuredContent"]["outcome"], "success")

    def test_a_task_outlives_the_server(self):
        server = self.escrow()
        task = self.call(server, "seller", "standard_release", {"bindings": BOTH, "facts": FACTS},
                         can=TASKS, token=self.tokens["seller"])
        self.assertEqual(task["resultType"], "task")
        server.stop()
        server.start()
        for who, status in (("seller", 200), ("buyer", 200)):
            got = self.send(server, who, message(NEWER, 1, "tasks/get", {"taskId": task["taskId"]}, TASKS),
                            token=self.tokens[who])
            self.assertEqual((got.status, got.json["result"]["status"]), (status, "working"))

    def test_a_receipt_is_given_to_who_asks_for_one(self):
        self.holds("keygen", "--prefix", "key")
        server = self.escrow("--signing-key", self.dir / "key.secret")
        given = {"bindings": {"DeliveryRecord": "del-001"}, "facts": FACTS}
        done = self.call(server, "seller", "confirm_delivery", given, token=self.tokens["seller"],
                         meta={"motet/receipt": True})
        path = self.write("r.json", json.dumps(done["_meta"]["motet/receipt"]))
        self.holds("receipt", "verify", path, "--key", self.dir / "key.pub")
        again = self.call(server, "seller", "confirm_delivery", given, token=self.tokens["seller"])
        self.assertNotIn("motet/receipt", again["_meta"])
        self.assertIn("motet/record", again["_meta"])

    def test_a_new_version_brings_its_tools(self):
        server = self.serve()
        text = ESCROW.read_text().replace("operation flag_dispute {", "operation raise_dispute {")
        self.assertIn("flag_dispute", [t["name"] for t in self.ask(server, "buyer", "tools/list")["tools"]])
        deployed = server.post("/v1/contracts", {"contract": "escrow", "source": text,
                                               "policy": "blue_green"})
        self.assertEqual(deployed.status, 200, deployed)
        self.assertIn("raise_dispute", [t["name"] for t in self.ask(server, "buyer", "tools/list")["tools"]])

    # ---- where tokens come from -----------------------------------------------------------------

    def test_RFC9728_a_client_learns_where_tokens_come_from(self):
        signer = Signer(self.dir)
        self.write("keys.json", json.dumps(signer.keys))
        self.write("serve.yaml", """
oidc:
  corp:
    issuer: https://id.example
    audience: [urn:motet, "https://motet.example/mcp/escrow/seller"]
    jwks: keys.json
    rules:
      - {claim: role, equals: seller, personas: ["escrow:seller"]}
""")
        server = self.serve("--config", "serve.yaml")
        said = message(NEWER, 1, "tools/list")
        stranger = self.send(server, "seller", said)
        place = f"http://{server.host}:{server.port}/.well-known/oauth-protected-resource/mcp/escrow/seller"
        self.assertEqual(stranger.status, 401)
        self.assertEqual(stranger.headers["WWW-Authenticate"],
                         f'Bearer realm="motet", resource_metadata="{place}"')
        self.assertEqual(server.get("/v1/contracts").headers["WWW-Authenticate"], 'Bearer realm="motet"')
        for persona in ("seller", "nobody", "a%2Fb"):
            told = server.get(f"/.well-known/oauth-protected-resource/mcp/escrow/{persona}")
            self.assertEqual((told.status, told.json), (200, {
                "authorization_servers": ["https://id.example"], "bearer_methods_supported": ["header"],
                "resource": f"http://{server.host}:{server.port}/mcp/escrow/{persona}"}))
        now = int(time.time())
        claims = {"iss": "https://id.example", "sub": "a", "exp": now + 60, "role": "seller"}
        for aud, status in [("urn:motet", 200), ("urn:other", 401), (["urn:other", "urn:motet"], 200),
                            ("https://motet.example/mcp/escrow/seller", 200),
                            ("https://motet.example/mcp/escrow/buyer", 401),
                            ("https://motet.example/mcp/escrow", 401), ("", 401), ([], 401), (7, 401)]:
            answer = self.send(server, "seller", said, token=signer.token(aud=aud, **claims))
            self.assertEqual(answer.status, status, answer)
        answer = self.send(server, "buyer", said, token=signer.token(aud="urn:motet", **claims))
        self.assertEqual(answer.status, 403)

    def test_RFC9728_without_a_provider_there_is_nothing_to_tell(self):
        server = self.escrow()
        self.assertEqual(server.get("/.well-known/oauth-protected-resource/mcp/escrow/seller").status, 404)
        answer = self.send(server, "seller", message(NEWER, 1, "tools/list"))
        self.assertEqual(answer.headers["WWW-Authenticate"], 'Bearer realm="motet"')


main()
