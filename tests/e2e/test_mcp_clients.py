"""Clients that others wrote drive escrow as each persona: both revisions, stdio and HTTP."""
import json
import subprocess

import npm
from harness import MOTET, SOURCE, Case, main
from mcp import NEWER, OLDER
from serve import Server

ESCROW = SOURCE / "examples" / "escrow" / "escrow.tenor"
PERSONAS = ("seller", "escrow_agent", "compliance_officer", "buyer")
# What each negotiates; the older client does not tell over stdio.
CLIENTS = {"auto": {NEWER}, "plain": {OLDER}, "sdk": {OLDER, None}}


class Clients(Case):
    def drive(self, client, visits):
        assert (npm.MODULES / "@modelcontextprotocol" / "client").exists(), "tools/install test"
        done = subprocess.run(["node", "drive.mjs", json.dumps({"client": client, "visits": visits})],
                              cwd=npm.FOLDER / "mcp", capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        seen = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([s["persona"] for s in seen], list(PERSONAS))
        for s in seen:
            self.assertIn(s["version"], CLIENTS[client])
            self.assertEqual((s["unknown"], s["resources"], s["templates"]), (-32602, 4, 7))
        self.assertEqual([s["isError"] for s in seen], [False, False, False, True])
        seller, agent, officer, buyer = seen
        self.assertEqual(seller["tools"][:3], ["confirm_delivery", "flag_dispute", "standard_release"])
        self.assertNotIn("refund_escrow", seller["tools"])
        self.assertEqual(seller["told"]["waiting"]["persona"], "escrow_agent")
        self.assertEqual(agent["told"]["waiting"]["persona"], "compliance_officer")
        self.assertEqual((officer["told"]["status"], officer["told"]["outcome"]), ("done", "success"))
        self.assertEqual(buyer["told"]["code"], "invalid_source_state")

    def test_over_stdio(self):
        for client in CLIENTS:
            with self.subTest(client):
                common = ["--store", f"sqlite:{self.dir}/{client}.db", "--may-assert", "*", "--instance",
                          "EscrowAccount/esc-001", "--instance", "DeliveryRecord/del-001"]
                self.drive(client, {p: {"command": str(MOTET),
                                        "args": ["mcp", str(ESCROW), "--persona", p, *common]}
                                    for p in PERSONAS})

    def serve(self, name):
        """A server with the instances, and a token for each persona."""
        server = Server(self.dir, ESCROW, store=f"sqlite:{name}.db")
        clerk = server.token("--right", "instances:create")
        tokens = {p: server.token("--persona", f"escrow:{p}", "--right", "escrow/facts:*") for p in PERSONAS}
        self.enterContext(server)
        for entity, instance in [("EscrowAccount", "esc-001"), ("DeliveryRecord", "del-001")]:
            made = server.post(f"/v1/contracts/escrow/instances/{entity}", {"id": instance}, token=clerk)
            self.assertEqual(made.status, 201, made)
        return server, tokens

    def test_over_http(self):
        for client in CLIENTS:
            with self.subTest(client):
                server, tokens = self.serve(f"h{client}")
                self.drive(client, {p: {"url": f"http://{server.host}:{server.port}/mcp/escrow/{p}",
                                        "token": tokens[p]} for p in PERSONAS})

    def test_over_stdio_before_a_server(self):
        for client in ("auto", "sdk"):
            with self.subTest(client):
                server, tokens = self.serve(f"s{client}")
                for persona, token in tokens.items():
                    path = self.write(f"{persona}.token", token)
                    path.chmod(0o600)
                self.drive(client, {p: {"command": str(MOTET), "args": [
                    "mcp", "--server", server.url, "--contract", "escrow", "--persona", p, "--token-file",
                    str(self.dir / f"{p}.token")]} for p in PERSONAS})


main()
