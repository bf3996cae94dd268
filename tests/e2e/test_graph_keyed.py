"""Keyed state: `key:` in the adapter gives each value of a payload field its own history."""
import http.client
import json
import random
import signal
import subprocess
import time

from harness import MOTET, SEED, SOAK, Case, main
from serve import Server
from sums import GRAPH, adapter


def entries(rng, accounts, count):
    return [(f"a{rng.randrange(accounts)}", float(rng.randrange(1, 100)), i) for i in range(count)]


def fixture(events):
    return "".join(json.dumps({"kind": "event", "event": {
        "type": "DataAvailable", "id": f"e{i}", "semantic_kind": "entry", "at": {"secs": i, "nanos": 0},
        "payload": {"account": account, "amount": amount}}}) + "\n" for account, amount, i in events)


def totals(events):
    """What each account comes to: the amount and the one before it are added each time."""
    total, before = {}, {}
    for account, amount, _ in events:
        total[account] = amount + total.get(account, 0.0) + before.get(account, 0.0)
        before[account] = amount
    return total


class Keyed(Case):
    def setUp(self):
        super().setUp()
        self.write("g.yaml", GRAPH)
        self.write("a.json", adapter())
        self.write("plain.json", adapter(key=None))

    def run_graph(self, *more, capture="c.json", adapter="a.json"):
        return self.run_motet("graph", "run", "g.yaml", "--adapter", adapter, "--fixture", "f.jsonl",
                              "--capture", capture, *more, cwd=self.dir)

    def replay(self, capture, adapter="a.json"):
        return self.run_motet("graph", "replay", capture, "--graph", "g.yaml", "--adapter", adapter,
                              cwd=self.dir)

    def kept(self, journal="c.json.journal"):
        """The last total of each account that a journal has."""
        last = {}
        with open(self.dir / journal) as file:
            next(file)
            for line in file:
                step = json.loads(line)
                effect = step["decision"]["effects"][0]["effect"]
                last[step["event"]["payload"]["account"]] = effect["writes"][0]["value"]["Number"]
        return last

    def test_each_value_has_its_own_context_and_windows(self):
        events = entries(random.Random(SEED), 20, 400)
        self.write("f.jsonl", fixture(events))
        result = self.run_graph()
        self.assertEqual(result.code, 0, result)
        self.assertIn("capture: c.json.journal", result.out)
        self.assertEqual(self.kept(), totals(events))
        self.assertEqual(self.replay("c.json.journal").code, 0)

    def test_one_history_is_a_plain_capture(self):
        events = entries(random.Random(SEED), 5, 100)
        self.write("f.jsonl", fixture(events))
        self.assertEqual(self.run_graph().code, 0)
        for account in ("a0", "a3"):
            self.holds("graph", "export", "c.json.journal", "--key", account, "--out", "one.json", cwd=self.dir)
            for used in ("plain.json", "a.json"):
                self.assertEqual(self.replay("one.json", used).code, 0)
            # The very bytes of a run that has only these events, without a key.
            self.write("f.jsonl", fixture([e for e in events if e[0] == account]))
            self.assertEqual(self.run_graph("--overwrite", capture="alone.json", adapter="plain.json").code, 0)
            self.assertEqual((self.dir / "one.json").read_bytes(), (self.dir / "alone.json").read_bytes())

    def test_the_whole_is_no_capture(self):
        self.write("f.jsonl", fixture(entries(random.Random(SEED), 3, 9)))
        self.assertEqual(self.run_graph().code, 0)
        whole = self.fails(1, "graph", "export", "c.json.journal", "--out", "x.json", cwd=self.dir)
        self.assertIn("name it with --key", whole.err)
        nobody = self.fails(1, "graph", "export", "c.json.journal", "--key", "nobody", "--out", "x.json", cwd=self.dir)
        self.assertIn("no events of 'nobody'", nobody.err)
        self.assertFalse((self.dir / "x.json").exists())
        self.assertEqual(self.run_graph("--journal-only", capture="p.json", adapter="plain.json").code, 0)
        self.fails(1, "graph", "export", "p.json.journal", "--key", "a0", "--out", "x.json", cwd=self.dir)
        self.assertIn("replay.key_mismatch", self.replay("c.json.journal", "plain.json").out)

    def test_each_value_has_its_own_rate(self):
        events = [("a", 1.0, 0), ("a", 1.0, 1), ("b", 1.0, 2), ("b", 1.0, 3), ("c", 1.0, 4)]
        pump = {"kind": "event", "event": {"type": "Pump", "id": "p", "semantic_kind": "entry",
                                           "at": {"secs": 4000, "nanos": 0}, "payload": {"account": "b"}}}
        self.write("f.jsonl", fixture(events) + json.dumps(pump) + "\n")
        result = self.run_graph("--max-per-window", "1", "--rate-window", "1h")
        self.assertIn("invoked=4 deferred=2", result.out)
        self.assertEqual(self.replay("c.json.journal").code, 0)
        self.holds("graph", "export", "c.json.journal", "--key", "b", "--out", "b.json", cwd=self.dir)
        self.assertEqual(self.replay("b.json", "plain.json").code, 0)
        decisions = [d["decision"] for d in json.loads((self.dir / "b.json").read_text())["decisions"]]
        self.assertEqual(decisions, ["Invoke", "Defer", "Invoke"])

    def test_an_event_without_its_key_is_refused(self):
        for payload in ({}, {"account": ""}, {"account": 3}, {"account": "x" * 1001}):
            self.write("f.jsonl", json.dumps({"kind": "event", "event": {
                "type": "DataAvailable", "semantic_kind": "entry", "payload": payload}}) + "\n")
            self.assertIn("host.missing_key", self.run_graph("--overwrite").err)
        self.write("f.jsonl", fixture([("x" * 1000, 1.0, 0), ("é", 1.0, 1)]))
        self.assertEqual(self.run_graph("--overwrite").code, 0)

    def test_a_key_that_cannot_be_one(self):
        number = json.loads(adapter())["context_keys"]
        writable = [dict(k, writable=True, required=False) if k["name"] == "account" else k for k in number]
        for text in (adapter(key="amount"), adapter(key="nobody"), adapter(context_keys=writable)):
            self.write("bad.json", text)
            self.assertIn("KEY-1", self.fails(1, "graph", "check", "bad.json", cwd=self.dir).err)

    def test_a_run_that_was_killed_goes_on(self):
        """Killed at random moments of its way; every account is right, and the journal replays. The
        long form has a million accounts, a fifth of them with a second entry, and 50 kills."""
        accounts, again, kills = (1_000_000, 200_000, 50) if SOAK else (500, 2500, 5)
        rng = random.Random(SEED)
        names = list(range(accounts)) + [rng.randrange(accounts) for _ in range(again)]
        rng.shuffle(names)
        events = [(f"a{name}", float(rng.randrange(1, 100)), i) for i, name in enumerate(names)]
        with open(self.dir / "e.jsonl", "w") as file:
            file.writelines(json.dumps({"id": f"e{i}", "when": i, "account": account, "amount": amount}) + "\n"
                            for account, amount, i in events)
        words = [str(MOTET), "graph", "run", "g.yaml", "--adapter", "a.json", "--ingress",
                 "{type: file, path: e.jsonl, id: id, at: when}", "--capture", "c.json", "--resume"]
        journal = self.dir / "c.json.journal"
        size = 380 * len(events)  # about so long it becomes
        for point in sorted(rng.uniform(0, size) for _ in range(kills)):
            child = subprocess.Popen(words, cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while child.poll() is None and (journal.stat().st_size if journal.exists() else 0) < point:
                time.sleep(0.001)
            time.sleep(rng.uniform(0, 0.02))
            child.send_signal(signal.SIGKILL)
            child.wait()
        done = subprocess.run(words, cwd=self.dir, capture_output=True, timeout=600)
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(self.kept(), totals(events))
        replayed = self.run_motet("graph", "replay", "c.json.journal", "--graph", "g.yaml", "--adapter", "a.json",
                                  timeout=600)
        self.assertEqual(replayed.code, 0, replayed)

    def server(self):
        self.write("serve.yaml", "graphs:\n  g: {graph: g.yaml, adapter: a.json}\n")
        server = Server(self.dir, options=["--config", "serve.yaml"])
        server.start()
        self.addCleanup(server.stop)
        return server

    def give(self, server, events):
        """Posts them over one connection; how many were taken."""
        connection = http.client.HTTPConnection(server.host, server.port, timeout=60)
        taken = 0
        for account, amount, i in events:
            connection.request("POST", "/v1/graphs/g/events", json.dumps({
                "id": f"e{i}", "semantic_kind": "entry", "at": {"secs": i, "nanos": 0},
                "payload": {"account": account, "amount": amount}}), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            taken += answer.status == 200
        connection.close()
        return taken

    def test_a_server_has_a_history_for_each_key(self):
        """More accounts than are held in memory; killed in between; each account is right, and its
        capture is what a run exports."""
        rng = random.Random(SEED)
        accounts = 3000 if SOAK else 1100
        events = [(f"a{i % accounts}", float(rng.randrange(1, 100)), i) for i in range(accounts + 300)]
        server = self.server()
        self.assertEqual(self.give(server, events[:700]), 700)
        server.stop(signal.SIGKILL)
        server.start()
        self.assertEqual(self.give(server, events[650:]), len(events) - 700)  # 50 ids were used before
        want = totals(events)
        for account in rng.sample(sorted(want), 20) + ["a0", "a299"]:
            context = server.get(f"/v1/graphs/g/context?key={account}").json["context"]
            self.assertEqual(context["total"]["Number"], want[account])
        self.write("f.jsonl", fixture(events))
        self.assertEqual(self.run_graph().code, 0)
        for account in ("a0", "a7", "a299", "a800"):
            ids = [row["id"] for row in server.get(f"/v1/graphs/g/captures?key={account}").json["items"]]
            self.assertEqual(len(ids), 1)
            self.write("k.json", server.get(f"/v1/graphs/g/captures/{ids[0]}").body)
            self.assertEqual(self.replay("k.json", "plain.json").code, 0)
            self.holds("graph", "export", "c.json.journal", "--key", account, "--out", "x.json", cwd=self.dir)
            self.assertEqual((self.dir / "k.json").read_bytes().strip(), (self.dir / "x.json").read_bytes().strip())
            self.holds("graph", "export", "g", "--store", "sqlite:serve.db", "--key", account, "--out", "y.json",
                       cwd=self.dir)
            self.assertEqual((self.dir / "y.json").read_bytes(), (self.dir / "x.json").read_bytes())
        for words in (("--key", "nobody"), ("--key", "a7", "--number", "2"), ()):
            self.fails(1, "graph", "export", "g", "--store", "sqlite:serve.db", "--out", "y.json", *words, cwd=self.dir)
        for words in (("--store", "sqlite:serve.db", "--number", "0"), ("--number", "1")):
            self.fails(2, "graph", "export", "g", "--out", "y.json", *words, cwd=self.dir)
        self.fails(3, "graph", "export", "g", "--store", "sqlite:none.db", "--out", "y.json", cwd=self.dir)
        # One id is used once in the graph, whosever it is; without a key nobody's history is asked for.
        answer = server.post("/v1/graphs/g/events", {"id": "e0", "semantic_kind": "entry", "payload": {"account": "zz"}})
        self.assertEqual((answer.status, answer.json["reason"]), (422, "host.duplicate_event_id"))
        for account, status in (("x" * 1000, 200), ("x" * 1001, 422), ("", 422)):
            answer = server.post("/v1/graphs/g/events", {"semantic_kind": "entry", "payload": {"account": account}})
            self.assertEqual(answer.status, status, answer)
        self.assertEqual(answer.json["reason"], "host.missing_key")
        for path in ("context", "captures"):
            self.assertEqual(server.get(f"/v1/graphs/g/{path}").status, 400)
        self.assertEqual(server.get("/v1/graphs/g/captures?key=nobody").json["items"], [])
        self.assertEqual(server.stop(), 0)
        self.holds("store", "check", "--store", "sqlite:serve.db")

    def test_a_server_lists_the_keys_of_a_graph_and_of_no_other(self):
        self.write("serve.yaml", "graphs:\n  g: {graph: g.yaml, adapter: a.json}\n  g1: {graph: g.yaml, adapter: a.json}\n"
                                 "  f: {graph: g.yaml, adapter: a.json}\n  plain: {graph: g.yaml, adapter: plain.json}\n")
        accounts = {"g": {f"a{i}" for i in range(23)} | {"ä/~?&", "x" * 1000}, "g1": {"a1", "other"}, "f": set()}

        def pages(server, graph, limit):
            after, seen = "", []
            while True:
                page = server.get(f"/v1/graphs/{graph}/keys?limit={limit}" + (f"&after={after}" if after else "")).json
                self.assertLessEqual(len(page["items"]), limit)
                seen += page["items"]
                if "next" not in page:
                    return seen
                after = page["next"]
        with Server(self.dir, options=("--config", "serve.yaml")) as server:
            for graph, names in accounts.items():
                for account in sorted(names) * 2:
                    answer = server.post(f"/v1/graphs/{graph}/events", {"semantic_kind": "entry", "payload": {"account": account}})
                    self.assertEqual(answer.status, 200, answer)
            for graph, names in accounts.items():
                for limit in (1, 7, 25, 100):
                    rows = pages(server, graph, limit)
                    self.assertEqual(sorted(row["key"] for row in rows), sorted(names), (graph, limit))
                for row in pages(server, graph, 100)[:3]:
                    capture = server.get(f"/v1/graphs/{graph}/captures/{row['capture']}")
                    self.assertEqual((capture.status, len(capture.json["events"])), (200, 2))
            first = pages(server, "g", 1)[0]["capture"].split(".")[0]
            for path, status in (("g1/keys?after=" + first, 400), ("g/keys?after=g", 400), ("plain/keys", 400), ("none/keys", 404),
                                 ("g/keys?limit=0", 400)):
                self.assertEqual(server.get(f"/v1/graphs/{path}").status, status, path)

    def test_histories_of_another_key_are_not_listed(self):
        """An adapter that is given another key leaves them behind: they are neither its own nor a fault."""
        def adapter_of(key):
            a = json.loads(adapter(key))
            schema = a["event_kinds"][0]["payload_schema"]
            schema["properties"]["region"] = {"type": "string"}
            schema["required"] = [key]
            a["context_keys"][0]["required"] = key == "account"
            a["context_keys"].append({"name": "region", "type": "String", "required": key == "region", "writable": False})
            self.write("a.json", json.dumps(a))
        self.write("serve.yaml", "graphs:\n  g: {graph: g.yaml, adapter: a.json}\n")
        for key, payloads in (("account", ({"account": "a1", "region": "eu"}, {"account": "a2"})),
                              ("region", ({"region": "eu"},)), ("account", ())):
            adapter_of(key)
            with Server(self.dir, options=("--config", "serve.yaml")) as server:
                for payload in payloads:
                    answer = server.post("/v1/graphs/g/events", {"semantic_kind": "entry", "payload": payload})
                    self.assertEqual(answer.status, 200, answer)
                for limit in (1, 2, 100):
                    listed = server.get(f"/v1/graphs/g/keys?limit={limit}")
                    seen = listed.json["items"]
                    while "next" in listed.json:
                        listed = server.get(f"/v1/graphs/g/keys?limit={limit}&after={listed.json['next']}")
                        seen += listed.json["items"]
                    self.assertEqual({row["key"] for row in seen}, {"account": {"a1", "a2"}, "region": {"eu"}}[key], listed)

    def test_whatif_asks_for_one_history(self):
        self.write("f.jsonl", fixture(entries(random.Random(SEED), 3, 30)))
        self.assertEqual(self.run_graph().code, 0)
        asked = ("graph", "whatif", "c.json.journal", "g.yaml", "--adapter", "a.json")
        self.assertIn("export one", self.fails(1, *asked, cwd=self.dir).err)


main()
