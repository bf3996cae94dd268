"""The example agents, as processes of their own, talking through a relay."""
import json

from harness import SOURCE, main
from wire import LOOPBACK, Peer, Process, WireCase, wait_until

EXAMPLES = SOURCE / "examples" / "agents"


class Talking(WireCase):
    def agent(self, name, relay, *words):
        return Process(self, "agent", "run", EXAMPLES / f"{name}.yaml", "--connect",
                       relay.address, "--pause", "20", "--download", f"{name}.tape",
                       "--state", f"{name}.state", *words)

    def tape(self, name):
        """What the agent's tape holds now, as {key: states}."""
        try:
            return dict(json.loads((self.dir / f"{name}.tape").read_text()))
        except (OSError, ValueError):
            return {}

    def overhear(self, observer, until):
        """Everything said until a message with this intent, registrations once."""
        said = []
        while not said or said[-1]["intent"] != until:
            _, payload = observer.hear()
            if payload["intent"] != "register" or not said:
                said.append(payload)
        return said

    def check_nonces(self, said):
        """Each answers the other's last nonce, and no nonce comes twice."""
        last, seen = {}, set()
        for message in said:
            me = message["from"]
            if "your_nonce" in message:
                self.assertEqual(message["your_nonce"], last[message["to"]])
            if "my_nonce" in message:
                self.assertNotIn(message["my_nonce"], seen)
                seen.add(message["my_nonce"])
                last[me] = message["my_nonce"]

    def test_the_handshake_completes(self):
        relay = self.relay()
        observer, = self.peers(relay, 1)
        bob = self.agent("handshake_responder", relay)
        relay.counts(connections=2)
        alice = self.agent("handshake_initiator", relay)
        said = self.overhear(observer, "close")
        self.assertEqual([m["intent"] for m in said],
                         ["register", "confirm", "request", "respond", "request", "respond",
                          "conclude", "finish", "close"])
        self.check_nonces(said)
        for one, next_one in zip(said[-3:], said[-2:]):
            self.assertEqual(next_one["your_ref"], one["my_ref"])
        self.assertTrue(wait_until(
            lambda: "finished" in self.tape("handshake_initiator").get("bob", []) and
            "finished" in self.tape("handshake_responder").get("alice", [])))
        self.assertEqual((alice.stop(), bob.stop()), (0, 0))

    def test_the_negotiation_completes(self):
        relay = self.relay()
        observer, = self.peers(relay, 1)
        buyer = self.agent("buyer", relay)
        relay.counts(connections=2)
        seller = self.agent("seller", relay)
        said = self.overhear(observer, "close")
        self.check_nonces(said)
        prices = [m["message"] for m in said if "message" in m]
        offers = [m["price"] for m in prices if m["type"] == "selling" and m["status"] == "offer"]
        bids = [m["price"] for m in prices if m["type"] == "buying" and m["status"] == "offer"]
        self.assertEqual(offers, sorted(offers, reverse=True))
        self.assertEqual(bids, sorted(bids))
        self.assertEqual({m["price"] for m in prices if m["status"] != "offer"}, {bids[-1]})
        self.assertTrue(wait_until(lambda: "sold" in self.tape("seller").get("buyer", []) and
                                   "bought" in self.tape("buyer").get("seller", [])))
        self.assertEqual((seller.stop(), buyer.stop()), (0, 0))

    def test_both_sides_on_relays_of_their_own(self):
        # Each agent at its own relay cannot hear the other; joined by travelling it can.
        here, there = self.relay(), self.relay()
        self.agent("handshake_responder", there)
        there.counts(connections=1)
        observer, = self.peers(there, 1)
        alice = Process(self, "agent", "run", EXAMPLES / "handshake_initiator.yaml",
                        "--connect", here.address, "--connect", there.address, "--pause",
                        "20")
        here.counts(connections=1)
        here.kill()
        said = self.overhear(observer, "finish")
        self.assertEqual(said[-1]["intent"], "finish")
        self.assertEqual(alice.stop(), 0)

    def test_a_relay_and_an_agent_killed_mid_conversation_forget_nothing(self):
        """A peer of ours leads the handshake step by step; between steps things die."""
        relay = self.relay()
        port = relay.port
        bob = self.agent("handshake_responder", relay)
        before = []

        def peer():
            p = Peer(self, relay)
            self.assertEqual(relay.counts(connections=2, seconds=10)["connections"], 2)
            return p

        def say(p, intent, **fields):
            p.say({"intent": intent, "from": "alice", "to": "bob", **fields})

        def hear(p, intent):
            heard = p.hear()[1]
            if heard in before:  # killed before it was noted as sent: it comes again
                heard = p.hear()[1]
            self.assertEqual(heard["intent"], intent)
            before.append(heard)
            return heard

        p = peer()
        say(p, "register")
        theirs = hear(p, "confirm")["my_nonce"]
        for n in range(1, 4):
            if n % 2:
                relay.kill()
                relay = self.relay(listen=f"{LOOPBACK}:{port}")
            else:
                bob.kill()
                self.assertTrue(wait_until(lambda: relay.metrics()["connections"] == 1))
                p.close()
                self.assertTrue(wait_until(lambda: relay.metrics()["connections"] == 0))
                bob = self.agent("handshake_responder", relay)
            p = peer()
            say(p, "request", your_nonce=theirs, my_nonce=f"nonce{n}")
            answer = hear(p, "respond")
            self.assertEqual(answer["your_nonce"], f"nonce{n}")
            theirs = answer["my_nonce"]
        say(p, "conclude", your_nonce=theirs, my_ref="ref1")
        self.assertEqual(hear(p, "finish")["your_ref"], "ref1")
        self.assertEqual(bob.stop(), 0)


if __name__ == "__main__":
    main()
