"""Agents: what did not hold once, each test named after its finding (FA3 to FA15)."""
import json

from harness import SOURCE, main
from wire import Peer, Process, WireCase, wait_until

EXAMPLES = SOURCE / "examples" / "agents"


class Findings(WireCase):
    def ask(self, *questions, mode="compat"):
        """Answers of the harness."""
        lines = "".join(json.dumps(q) + "\n" for q in questions)
        out = self.holds("agent", "harness", "--mode", mode, stdin=lines).out
        return [json.loads(line) for line in out.splitlines()]

    def trace(self, scenario):
        """The records of a scenario's messages."""
        path = self.write("scenario.json", json.dumps(scenario))
        records = map(json.loads, self.holds("agent", "trace", path).out.splitlines())
        return [r for r in records if r["record"] == "message"]

    def sent(self, agent, messages=("x",)):
        """What a compat agent sends, message by message."""
        records = self.trace({"scenario": "s", "agent": {"mode": "compat", **agent},
                              "messages": [{"from": "h:1", "content": m} for m in messages]})
        return [[e["payload"] for s in r["senders"] for e in s["emissions"]] for r in records]

    # ---- FA12: the network ----

    def timers(self, port):
        """The kernel's timers of established connections at a port: (local port, timer)."""
        with open("/proc/net/tcp") as table:
            rows = [line.split() for line in table.readlines()[1:]]
        found = [(int(r[1].split(":")[1], 16), int(r[2].split(":")[1], 16), r[5].split(":")[0])
                 for r in rows if r[3] == "01"]
        return [(local, timer) for local, remote, timer in found if port in (local, remote)]

    def test_FA12_vanished_peers_are_noticed_on_both_sides(self):
        relay = self.relay()
        agent = self.write("a.yaml", "agent: a\nreceivers: [{route: A, do: stay}]\n")
        Process(self, "agent", "run", agent, "--connect", relay.address)
        relay.counts(connections=1)
        self.assertTrue(wait_until(lambda: [t for _, t in self.timers(relay.port)] == ["02", "02"]),
                        self.timers(relay.port))

    def test_FA12_half_open_peers_are_asked_for(self):
        relay = self.relay()
        Peer(self, relay)
        relay.counts(connections=1)
        timers = dict(self.timers(relay.port))
        self.assertEqual(timers.pop(relay.port), "02")
        self.assertEqual(list(timers.values()), ["00"])  # ours asks nobody


if __name__ == "__main__":
    main()
