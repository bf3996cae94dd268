"""motet mcp --server: standard input and output in front of a running server, with the same tools."""
import http.server
import json
import os
import signal
import subprocess
import threading
import time

from harness import MOTET, SOURCE, Case, main
from mcp import NEWER, OLDER, Agent, Refused, message
from serve import Server

ESCROW = SOURCE / "examples" / "escrow" / "escrow.tenor"
BOTH = {"EscrowAccount": "esc-001", "DeliveryRecord": "del-001"}
FACTS = {"delivery_status": "confirmed", "line_items": [],
         "escrow_amount": {"amount": "20000.00", "currency": "USD"}}
PERSONAS = ("buyer", "seller", "escrow_agent", "compliance_officer")
GIVEN = {"bindings": {"DeliveryRecord": "del-001"}, "facts": FACTS}


class Tools(Case):
    """Words and tokens for the program."""

    def keep(self, name, token, mode=0o600):
        path = self.write(f"{name}.token", token + "\n")
        path.chmod(mode)
        return path

    def words(self, persona, *more, url=None):
        return ["mcp", "--contract", "escrow", "--persona", persona, "--server", url or self.server.url,
                "--token-file", f"{persona}.token", *more]

    def agent(self, persona, revision, *more, can=None, url=None):
        agent = Agent(self.words(persona, *more, url=url), revision, self.dir, can)
        self.addCleanup(agent.__exit__)
        return agent


class Far(Tools):
    """Before a server."""

    def setUp(self):
        super().setUp()
        self.server = Server(self.dir, ESCROW)
        clerk = self.server.token("--right", "instances:create")
        for persona in PERSONAS:
            self.keep(persona, self.server.token("--persona", f"escrow:{persona}", "--right",
                                                 "escrow/evaluate", "--right", "escrow/facts:*"))
        self.enterContext(self.server)
        for entity, instance in [*BOTH.items(), *((e, NEWER) for e in BOTH)]:
            made = self.server.post(f"/v1/contracts/escrow/instances/{entity}", {"id": instance},
                                    token=clerk)
            self.assertEqual(made.status, 201, made)

    # ---- the same tools -------------------------------------------------------------------------

    def test_each_persona_drives_escrow_in_both_revisions(self):
        for revision, bindings in ((OLDER, BOTH), (NEWER, {entity: NEWER for entity in BOTH})):
            with self.agent("seller", revision) as seller:
                flow = seller.call("standard_release",
                                   {"bindings": bindings, "facts": FACTS})["structuredContent"]
                self.assertEqual(flow["waiting"]["persona"], "escrow_agent")
                with self.assertRaises(Refused) as caught:
                    seller.call("refund_escrow", {})
                self.assertEqual(caught.exception.code, -32602)
            for persona in ("escrow_agent", "compliance_officer"):
                with self.agent(persona, revision) as other:
                    flow = other.call("resume", {"execution": flow["id"]})["structuredContent"]
            self.assertEqual((flow["status"], flow["outcome"]), ("done", "success"))

    def test_the_answers_are_those_of_the_server(self):
        for revision in (OLDER, NEWER):
            with self.agent("seller", revision) as far:
                for method, params in [("tools/list", {}), ("resources/list", {}),
                                       ("resources/read", {"uri": "motet://escrow/manifest"}),
                                       ("tools/call", {"name": "explain", "arguments": {}})]:
                    said = message(revision, "ü\\\"1", method, params)
                    headers = {"MCP-Protocol-Version": revision}
                    if revision == NEWER:
                        named = params.get("name", params.get("uri"))
                        headers |= {"Mcp-Method": method, **({"Mcp-Name": named} if named else {})}
                    near = self.server.post("/mcp/escrow/seller", said, headers=headers,
                                            token=(self.dir / "seller.token").read_text().strip())
                    far.say(json.dumps(said))
                    self.assertEqual(far.hear(), near.json, method)

    def test_names_are_listed_and_a_file_only_names_the_contract(self):
        listed = self.holds(*self.words("seller"), "--list").out.split()
        self.assertEqual(listed[:3], ["confirm_delivery", "flag_dispute", "standard_release"])
        for name in ("escrow.tenor", "no/where/escrow.json", "escrow"):
            again = self.holds("mcp", name, *self.words("seller")[3:], "--list").out.split()
            self.assertEqual(again, listed)

    def test_what_is_malformed_is_refused_here(self):
        lines = ["{", "[]", '{"jsonrpc":"2.0","method":"x"}', json.dumps(message(OLDER, 1, "tools/list")),
                 json.dumps(message(NEWER, 2, "no/such")), json.dumps(message(NEWER, 3, "tools/list"))]
        done = self.run_motet(*self.words("seller"), stdin="\n".join(lines) + "\n")
        answers = [json.loads(line) for line in done.out.splitlines()]
        self.assertEqual([a.get("error", {}).get("code", "result") for a in answers],
                         [-32700, -32600, -32602, -32601, "result"])

    # ---- keys -----------------------------------------------------------------------------------

    def test_a_call_id_and_an_id_of_a_session_are_decided_once(self):
        with self.agent("seller", OLDER) as seller:
            first = seller.call("confirm_delivery", GIVEN, number=7)
            again = seller.call("confirm_delivery", GIVEN, number=7)
            self.assertTrue(again["_meta"]["motet/replayed"])
            self.assertEqual(again["structuredContent"], first["structuredContent"])
            seller.begin()
            later = seller.call("confirm_delivery", GIVEN, number=7)
            self.assertEqual(later["structuredContent"]["code"], "invalid_source_state")
        with self.agent("buyer", NEWER) as buyer:
            dispute = {"bindings": {"EscrowAccount": "esc-001"}, "facts": FACTS}
            first = buyer.call("flag_dispute", dispute, {"motet/callId": "one"}, number=1)
            self.assertFalse(first["isError"])
            again = buyer.call("flag_dispute", dispute, {"motet/callId": "one"}, number=1)
            self.assertTrue(again["_meta"]["motet/replayed"])
            self.assertTrue(buyer.call("flag_dispute", dispute, number=1)["isError"])

    # ---- servers that fail ----------------------------------------------------------------------

    def test_who_is_not_let_in_is_told_at_the_start(self):
        self.keep("stranger", "mt_no_such")
        for words, code, said in [
                (self.words("seller", url="http://127.0.0.1:9"), 3, "does not answer"),
                (self.words("seller", url="file:///etc/passwd"), 3, "does not answer"),
                (self.words("nobody") + ["--token-file", "seller.token"], 1, "(403)"),
                (self.words("escrow_agent") + ["--token-file", "seller.token"], 1, "(403)"),
                (self.words("seller") + ["--contract", "other"], 1, "(403)"),
                (self.words("seller") + ["--token-file", "stranger.token"], 1, "(401)"),
                (self.words("seller") + ["--token-file", "no.token"], 3, "no.token cannot be read"),
                (self.words("seller")[:-2], 1, "(401): see --token-file"),
                (self.words("seller", "--store", "sqlite:x.db"), 2, "--store is not for --server"),
                (self.words("seller", "--may-assert", "*"), 2, "--may-assert is not for --server"),
                (self.words("seller", "--timeout", "x"), 2, "--timeout"),
                (["mcp", "--server", self.server.url, "--persona", "seller"], 2, "--contract"),
                (["mcp", "--server", self.server.url, "--contract", "escrow"], 2, "--persona"),
                (["mcp", ESCROW, "--persona", "seller", "--token-file", "x"], 2, "is for --server"),
                (["mcp", "--persona", "seller"], 2, "expected FILE or --server URL")]:
            with self.subTest(words):
                done = self.fails(code, *words)
                self.assertIn(said, done.err)
                self.assertEqual(done.out, "")

    def test_a_token_that_others_can_read_is_refused(self):
        for mode, good in [(0o600, True), (0o400, True), (0o640, True), (0o644, False), (0o660, False)]:
            (self.dir / "seller.token").chmod(mode)
            done = self.run_motet(*self.words("seller"), "--list")
            self.assertEqual(done.code == 0, good, oct(mode))
            if not good:
                self.assertIn("can be read or changed by others: chmod 600", done.err)
        (self.dir / "seller.token").chmod(0o600)
        with self.agent("seller", NEWER) as seller:  # and it is looked at for every message
            (self.dir / "seller.token").chmod(0o644)
            said = seller.call("actions")
            self.assertEqual((said["isError"], said["structuredContent"]["code"]), (True, "no_token"))
            (self.dir / "seller.token").chmod(0o600)
            self.assertFalse(seller.call("actions")["isError"])

    def test_a_server_that_goes_is_told_and_one_that_comes_back_is_found(self):
        with self.agent("seller", OLDER) as seller:
            self.server.stop()
            said = seller.call("confirm_delivery", GIVEN)
            self.assertEqual((said["isError"], said["structuredContent"]["code"]),
                             (True, "server_unreachable"))
            self.assertNotIn("not known", said["content"][0]["text"])
            with self.assertRaises(Refused) as caught:
                seller.ask("tools/list")
            self.assertEqual(caught.exception.code, -32603)
            self.assertIn("does not answer", caught.exception.error["message"])
            self.server.words[self.server.words.index("127.0.0.1:0")] = f"127.0.0.1:{self.server.port}"
            self.server.start()
            self.assertFalse(seller.call("confirm_delivery", GIVEN)["isError"])

    def test_rights_that_are_taken_away_are_told(self):
        with self.agent("seller", NEWER) as seller:
            token = (self.dir / "seller.token").read_text().strip()
            self.holds("token", "revoke", token.split("_")[1], "--store", self.server.store)
            end = time.monotonic() + 30
            while not (said := seller.call("actions"))["isError"] and time.monotonic() < end:
                time.sleep(0.1)
            self.assertEqual(said["structuredContent"]["code"], "forbidden")
            self.assertIn("(401)", said["content"][0]["text"])


class Stubbed(Tools):
    """Before a server of the test, that answers as it likes."""

    def setUp(self):
        super().setUp()
        self.keep("seller", "mt_any")

    def test_what_is_no_answer_is_not_passed_on(self):
        good = {"jsonrpc": "2.0", "id": 0, "result": {}}
        for status, body, code in [
                (200, "no JSON", "server_refuses"), (200, "[]", "server_refuses"), (200, "", "server_refuses"),
                (200, json.dumps({**good, "id": 77}), "server_refuses"),
                (200, json.dumps({**good, "id": "5"}), "server_refuses"),
                (200, json.dumps({"jsonrpc": "2.0", "result": {}}), "server_refuses"),
                (200, json.dumps({**good, "id": 5, "error": {}}), "server_refuses"),
                (302, "", "server_refuses"), (503, '{"detail":"draining"}', "server_refuses"),
                (403, '{"detail":"gone"}', "forbidden")]:
            with Stub([(200, json.dumps(good)), (status, body)]) as stub:
                with Lines(self, self.words("seller", url=stub.url)) as lines:
                    told = lines.ask(message(NEWER, 5, "tools/call", {"name": "x"}))
                    self.assertEqual((told["id"], told["result"]["isError"]), (5, True), body)
                    self.assertEqual(told["result"]["structuredContent"]["code"], code, body)
                self.assertEqual(len(stub.seen), 2, "an answer is an answer: it is not asked again")

    def test_an_answer_over_several_lines_becomes_one(self):
        answer = json.dumps({"jsonrpc": "2.0", "id": 5, "result": {"a": 1}}, indent=2)
        with Stub([(200, json.dumps({"jsonrpc": "2.0", "id": 0, "result": {}})), (200, answer)]) as stub:
            with Lines(self, self.words("seller", url=stub.url)) as lines:
                self.assertEqual(lines.ask(message(NEWER, 5, "tools/list")), json.loads(answer))

    def test_what_writes_is_sent_again_with_its_key_and_never_without(self):
        """The connection breaks before the answer; what is sent again is the same request."""
        done = json.dumps({"jsonrpc": "2.0", "id": 5, "result": {"content": []}})
        start = (200, json.dumps({"jsonrpc": "2.0", "id": 0, "result": {}}))
        for said, keyed in [(message(NEWER, 5, "tools/call", {"name": "x"}), "header"),
                            (message(NEWER, 5, "tools/call", {"name": "x"}, meta={"motet/callId": "k"}),
                             "meta"),
                            (message(NEWER, 5, "tools/list"), "none")]:
            with Stub([start, "break", "break", (200, done)]) as stub:
                with Lines(self, self.words("seller", url=stub.url)) as lines:
                    self.assertEqual(lines.ask(said), json.loads(done))
                first, *again = stub.seen[1:]
                self.assertEqual([first, first], again)
                self.assertEqual("Idempotency-Key" in first[0], keyed == "header")
                self.assertEqual(json.loads(first[1]), said)
        # The first try is over a connection that was kept, and such a one is made anew by itself.
        with Stub([start, "break", "break", "break", "break", (200, done)]) as stub:
            with Lines(self, self.words("seller", url=stub.url)) as lines:
                told = lines.ask(message(NEWER, 5, "tools/call", {"name": "x"}))["result"]
                self.assertEqual(told["structuredContent"]["code"], "no_answer")
                self.assertIn("whether it was done is not known", told["content"][0]["text"])
                self.assertEqual(len(stub.seen), 5)
                two = lines.ask(message(NEWER, 5, "tools/call", {"name": "x"}))
                self.assertEqual(two, json.loads(done))
            keys = {headers.get("Idempotency-Key") for headers, _ in stub.seen[1:]}
            self.assertEqual(len(keys), 2, "another request has another key")

    def test_a_slow_server_is_not_waited_for_forever_nor_asked_twice(self):
        start = (200, json.dumps({"jsonrpc": "2.0", "id": 0, "result": {}}))
        with Stub([start, "hang"]) as stub:
            with Lines(self, self.words("seller", "--timeout", "1", url=stub.url)) as lines:
                told = lines.ask(message(NEWER, 5, "tools/call", {"name": "x"}))["result"]
                self.assertEqual(told["structuredContent"]["code"], "no_answer")
            self.assertEqual(len(stub.seen), 2)

    def test_it_ends_while_a_server_hangs(self):
        start = (200, json.dumps({"jsonrpc": "2.0", "id": 0, "result": {}}))
        with Stub([start, "hang"]) as stub:
            with Lines(self, self.words("seller", url=stub.url)) as lines:
                lines.say(message(NEWER, 5, "tools/list"))
                stub.hung.wait(20)
                lines.process.send_signal(signal.SIGTERM)
                self.assertEqual(lines.process.wait(timeout=20), 0)


class Lines:
    """The program and its lines, without a word at the beginning."""

    def __init__(self, case, words):
        self.process = subprocess.Popen([str(MOTET), *map(str, words)], cwd=case.dir, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env={**os.environ, "NO_COLOR": "1"})

    def say(self, said):
        self.process.stdin.write(json.dumps(said) + "\n")
        self.process.stdin.flush()

    def ask(self, said):
        self.say(said)
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read()
        return json.loads(line)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.stdin.close()
        self.process.wait(timeout=60)
        self.process.stdout.close()
        self.process.stderr.close()


class Stub:
    """Answers one request after the other from a list: (status, body), "break" or "hang"."""

    def __init__(self, answers):
        stub = self
        self.answers, self.seen = list(answers), []
        self.hung, self.over = threading.Event(), threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                stub.seen.append((dict(self.headers), body.decode()))
                answer = stub.answers.pop(0)
                if isinstance(answer, str):
                    if answer == "hang":
                        stub.hung.set()
                        stub.over.wait(60)
                    self.close_connection = True
                    return
                status, text = answer
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text.encode())))
                if status == 302:
                    self.send_header("Location", stub.url + "/elsewhere")
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *what):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.over.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


main()
