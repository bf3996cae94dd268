"""What only the Python SDK has: agents and channels by decorators, receipts by the engine, graphs.

Scripts are run as users run them: at a relay, under `motet graph run`, against a server."""
import json
import re
import signal
import socket
import subprocess
import sys
import time

import sdks
from harness import MOTET, SOURCE, Case, main, run
from serve import ESCROW, FACTS, Server

sys.path.insert(0, str(sdks.SDK / "python"))

# An agent as it was written for another library; only the first line was another.
PORTED = '''
from motet.summoner import SummonerClient, Action, Direction, Move, Stay, Test
import sys

client = SummonerClient(name="ArrowAgent")
flow = client.flow().activate()
flow.add_arrow_style(stem="-", brackets=("[", "]"), separator=",", tip=">")
Trigger = flow.triggers()
tape = ["A"]

@client.upload_states()
async def upload(payload):
    return tape

@client.download_states()
async def download(states):
    open("tape.log", "a").write(",".join(sorted(states)) + "\\n")

@client.hook(direction=Direction.RECEIVE)
async def check(msg):
    return None if msg["content"] == "drop me" else msg

@client.hook(direction=Direction.SEND)
async def stamp(payload):
    return {**payload, "from": "arrow"}

@client.receive(route="A --[ f ]--> B")
async def arrow(msg):
    print("not an answer")
    if msg["content"] == "boom":
        raise ValueError("boom")
    return Move(Trigger.ok) if "move" in msg["content"] else Stay(Trigger.ok)

@client.receive(route="B")
async def object_b(msg):
    if msg["content"] == "quit":
        await client.quit()
    return Test(Trigger.ok)

@client.send(route="A --[ f ]--> B", on_actions={Action.MOVE}, on_triggers={Trigger.ok})
async def moved():
    return {"message": "moved"}

@client.send(route="A --[ f ]--> B", on_actions={Action.STAY}, on_triggers={Trigger.error})
async def never():
    return {"message": "never"}

@client.send(route="A --[ f ]--> B", on_actions={Action.STAY}, multi=True)
async def stayed():
    return [{"message": "stayed"}, {"message": "twice"}]

@client.send(route="B", on_actions={Action.TEST})
async def at_b():
    return {"message": "at B"}

client.run(host="127.0.0.1", port=int(sys.argv[1]))
'''

DECORATED = '''
import sys
from motet.agent import Move, Stay, configure, hook, receive, run, send

agent = configure("greeter", start=["A"])

@hook("receive")
def sober(payload):
    return payload

@receive("A --[f]--> B")
def decide(message):
    return Move(data={"was": message.content}) if message.content == "go" else Stay()

@send("A --[f]--> B", on_actions=["move"])
def reply(cause):
    agent.quit()
    return {"you said": cause.data["was"]}

run("127.0.0.1:" + sys.argv[1])
'''

CHANNEL = '''
from motet.channel import Channel, Rejected
channel = Channel()

@channel.intent("place_order")
def place(intent):
    print("not an answer")
    open("orders.txt", "a").write(intent.id + "\\n")

channel.serve()
'''


class Peer:
    """Somebody at a relay, line by line."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.lines = self.socket.makefile("r", encoding="utf-8")

    def say(self, payload):
        line = {"_version": "1.3.0", "_payload": payload, "_type": "str"}
        self.socket.sendall(json.dumps(line).encode() + b"\n")

    def hear(self):
        return json.loads(json.loads(self.lines.readline())["content"])["_payload"]

    def close(self):
        self.lines.close()
        self.socket.close()


class Agents(Case):
    def setUp(self):
        super().setUp()
        self.relay = subprocess.Popen([str(MOTET), "agent", "relay", "--listen", "127.0.0.1:0"], cwd=self.dir,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(self.end, self.relay)
        self.port = int(self.relay.stdout.readline().split(":")[-1].split()[0])
        self.peer = Peer(self.port)
        self.addCleanup(self.peer.close)

    @staticmethod
    def end(process):
        process.terminate()
        process.wait(timeout=20)
        for stream in (process.stdout, process.stderr):
            if stream:
                stream.close()

    def start(self, name, code):
        path = self.write(name, code)
        agent = subprocess.Popen([sdks.PYTHON, str(path), str(self.port)], cwd=self.dir,
                                 env={**sdks.ENV, "MOTET": str(MOTET)}, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, agent)
        for line in agent.stderr:
            if "connected to" in line:
                return agent
        self.fail(f"the agent did not connect: {agent.wait()}")

    def test_an_existing_agent_ports_with_another_import(self):
        self.write("TRIGGERS", "ok\nerror\n  worse\nignore\n")
        agent = self.start("ported.py", PORTED)
        self.peer.say("drop me")
        self.peer.say("hello")
        self.assertEqual([self.peer.hear(), self.peer.hear()],
                         [{"message": "stayed", "from": "arrow"}, {"message": "twice", "from": "arrow"}])
        self.peer.say("boom")  # fails alone: the agent goes on, and its tape begins anew
        self.peer.say("move on")
        self.assertEqual(self.peer.hear()["message"], "moved")
        self.peer.say("quit")
        self.assertEqual(self.peer.hear()["message"], "at B")
        self.assertEqual(agent.wait(timeout=20), 0)
        self.assertIn("B,f", (self.dir / "tape.log").read_text())

    def test_decorators_are_an_agent(self):
        agent = self.start("greeter.py", DECORATED)
        self.peer.say("hm")
        self.peer.say("go")
        self.assertEqual(self.peer.hear(), {"you said": "go"})
        self.assertEqual(agent.wait(timeout=20), 0)

    def test_the_document_is_an_agent_file(self):
        from motet.actor import AgentFile
        from motet.agent import Agent, Move
        from motet.errors import AgentError
        agent = Agent("two", start=["A"], triggers=["ok"])
        for _ in range(2):
            agent.receive("A --> B", priority=1)(lambda message: Move())
        text = json.dumps(agent.document(["python3", "x.py"]))
        listed = run("agent", "routes", self.write("agent.json", text)).out
        self.assertEqual(listed.count("A--[]-->B"), 2, listed)
        with AgentFile(text) as file:
            self.assertIn(b"registrations", file.ask("dna").text)
        agent.receive("A --[f--> B")(lambda message: None)
        with self.assertRaises(AgentError) as refused:
            AgentFile(agent.document(["x"]))
        self.assertIn("]-->", refused.exception.message)

    def test_timed_senders_fire_when_they_are_due(self):
        from motet.actor import Actor
        from motet.agent import Agent
        agent = Agent("clock", start=["A"])
        agent.send("A --> B", every_ms=50, name="beat")(lambda: {"tick": True})
        with Actor(agent) as actor:
            sends, rest = actor.tick(1000)
            self.assertEqual(([line["_payload"] for line in sends], rest), ([{"tick": True}], 50))
            self.assertEqual(actor.tick(1010), ([], 40))

    def test_FU20_an_unknown_fact_is_named_with_the_nearest(self):
        from motet import Contract
        data = SOURCE / "tests" / "data"
        facts = json.loads((data / "escrow.facts.json").read_text())
        with Contract.open(str(data / "escrow.bundle.json")) as escrow:
            self.assertEqual(escrow.facts(facts).warnings, [])
            self.assertEqual(escrow.facts(facts | {"escrow_amonut": 1, "a\u2028b": 2}).warnings,
                             ["the contract has no fact 'escrow_amonut'; did you mean 'escrow_amount'?",
                              "the contract has no fact 'a\\u2028b'"])

    def test_every_function_of_the_header_is_known(self):
        from motet._library import FUNCTIONS
        header = (SOURCE / "include" / "motet.h").read_text()
        declared = set(re.findall(r"^MOTET_API [^;(]*?(motet_\w+)\(", header, re.M))
        same = {"motet_graph_load", "motet_graph_host_new"}  # by motet_graph_load_files, motet_graph_host_open
        self.assertEqual(declared - same, set(FUNCTIONS))

    def test_an_agent_that_cannot_run_says_why(self):
        path = self.write("bad.py", "from motet.agent import Agent\nagent = Agent('bad', start=['A'])\n"
                          "agent.receive('A --[')(print)\nagent.run('127.0.0.1:%d')\n" % self.port)
        done = subprocess.run([sdks.PYTHON, str(path)], env={**sdks.ENV, "MOTET": str(MOTET)}, cwd=self.dir,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("motet.errors.AgentError", done.stderr)


class Channels(Case):
    def test_a_channel_takes_the_orders_of_a_graph(self):
        example = SOURCE / "examples" / "crossover"
        self.write("channel.py", CHANNEL)
        self.write("egress.yaml", "default_ack_timeout: 20s\nchannels:\n  broker: {type: process, command: "
                   f"[{sdks.PYTHON}, channel.py]}}\nroutes:\n  place_order: {{channel: broker}}\n")
        self.assertEqual(self.run_motet("graph", "fixture", "import", example / "prices.csv", "--semantic-kind", "price",
                                        "--columns", "close,spread", "--out", "prices.jsonl").code, 0)
        done = self.run_motet("graph", "run", example / "crossover.yaml", "--adapter", example / "adapter.yaml",
                              "--egress", "egress.yaml", "--fixture", "prices.jsonl", "--capture", "c.json", env=sdks.ENV)
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual(len((self.dir / "orders.txt").read_text().split()), 4)

    def test_answers_are_typed(self):
        from motet.channel import Channel, Rejected
        channel = Channel()
        channel.intent("a")(lambda intent: None)
        channel.intent("b")(lambda intent: (_ for _ in ()).throw(Rejected("never")))
        ask = lambda kind: channel.answer({"intent_id": "i", "kind": kind, "fields": {}})
        self.assertEqual(ask("a")["status"], "accepted")
        self.assertEqual((ask("b")["status"], ask("b")["reason"]), ("rejected", "never"))
        self.assertEqual(ask("c")["status"], "failed")


class Served(Case):
    """Against a real server: receipts, a kill in the middle."""

    def test_a_receipt_is_verified_by_the_engine(self):
        import motet
        self.assertEqual(self.run_motet("keygen", "--prefix", "node").code, 0)
        key = (self.dir / "node.pub").read_text()
        with Server(self.dir, ESCROW, options=("--signing-key", "node.secret", "--checkpoint-seconds", "1")) as server, \
                motet.Client(server.url) as client:
            client.create_instance("escrow", "EscrowAccount", id="a")
            done = client.operate("escrow", "release_escrow", persona="escrow_agent", bindings={"EscrowAccount": "a"},
                                  facts=FACTS, receipt=True)
            promise = client.verify(done["receipt"], [key])
            self.assertEqual((promise.complete, promise.record), (False, done["record"]))
            end = time.monotonic() + 20
            receipt = client.get_receipt(str(done["record"]))
            while "checkpoint" not in receipt and time.monotonic() < end:
                time.sleep(0.1)
                receipt = client.get_receipt(str(done["record"]))
            self.assertTrue(client.verify(receipt, [key], complete=True).complete)
        forged = json.loads(json.dumps(receipt).replace("released", "refunded"))
        for wrong, keys, words in ((forged, [key], "signature"), (receipt, ["0" * 64], "key")):
            with self.assertRaises(motet.VerificationError) as refused:
                motet.verify_receipt(wrong, keys)
            self.assertIn(words, refused.exception.message)

    def test_a_write_is_done_once_though_the_server_is_killed(self):
        import motet
        server = Server(self.dir, ESCROW)
        server.start()
        self.addCleanup(server.stop)
        client = motet.Client(server.url, attempts=20, pause=0.05, pause_most=0.2)
        self.addCleanup(client.close)
        client.create_instance("escrow", "EscrowAccount", id="a")
        server.stop(signal.SIGKILL)
        server.words[server.words.index("--listen") + 1] = f"127.0.0.1:{server.port}"
        worker = subprocess.Popen([sdks.PYTHON, "-c", (
            "import motet, sys, json\n"
            "c = motet.Client(sys.argv[1], attempts=100, pause=0.05, pause_most=0.2)\n"
            "r = c.operate('escrow', 'release_escrow', persona='escrow_agent', bindings={'EscrowAccount': 'a'},"
            " facts=json.loads(sys.argv[2]))\nprint(r['outcome'])"), server.url, json.dumps(FACTS)],
            env=sdks.ENV, stdout=subprocess.PIPE, text=True)
        time.sleep(0.3)
        server.start()
        self.assertEqual(worker.communicate(timeout=60)[0], "released\n")
        self.assertEqual(len(client.list_records(kind="operation")["items"]), 1)


main()
