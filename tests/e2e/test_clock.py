"""FS11: on a shared database all nodes go by one clock, the database's, however wrong their own
is: times of records never go back, facts expire at one moment, and the skew is told."""
import datetime
import json
import threading
import time

import postgres
from harness import SOAK, Case, main, wall_clock
from serve import Server

CONTRACT = """persona clerk
source desk { protocol: manual }
fact open { type: Bool source: desk { path: "open" } }
entity Door { states: [shut, ajar] initial: shut transitions: [(shut, ajar), (ajar, shut)] }
rule may { stratum: 0 when: open produce: verdict allowed { payload: Bool = true } }
operation push { personas: [clerk] require: verdict_present(allowed)
                 effects: [(Door, shut, ajar)] outcomes: [done] error_contract: [precondition_failed] }
"""


def seconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Clock(Case):
    def setUp(self):
        super().setUp()
        self.database = self.enterContext(postgres.Postgres())
        self.contract = self.write("door.tenor", CONTRACT)
        self.config = self.write("c.json", json.dumps({"sources": {}, "executor": {
            "clock_skew_ms": 2000}}))

    def node(self, name, offset):
        (self.dir / name).mkdir()
        at = self.write(f"{name}/offset", offset)
        server = Server(self.dir / name, self.contract, store=self.database.url(), env=wall_clock(at),
                        options=["--config", self.config])
        self.addCleanup(server.stop)
        server.start()
        return server

    def records(self, server):
        path, items = "/v1/ledger?limit=1000", []
        while path:
            page = server.get(path).json
            items += page["items"]
            path = f"/v1/ledger?limit=1000&after={page['next']}" if "next" in page else None
        return items

    def test_FS11_times_never_go_back_across_nodes(self):
        """One is an hour ahead, one an hour behind, one is right."""
        began = time.time()
        nodes = [self.node("ahead", "+1h"), self.node("behind", "-1h"), self.node("right", "+0")]
        most = 400 if SOAK else 60

        def write(node, name):
            for n in range(most):
                answer = node.post("/v1/contracts/door/instances/Door", {"id": f"{name}-{n}"})
                assert answer.status == 201, answer

        threads = [threading.Thread(target=write, args=(node, name))
                   for name, node in enumerate(nodes)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        wanted = 3 * most
        self.assertTrue(nodes[0].wait_until(lambda: len(self.records(nodes[0])) > wanted, 20))
        times = [seconds(r["time"] if "time" in r else r["body"]["time"])
                 for r in self.records(nodes[0])]
        back = [b - a for a, b in zip(times, times[1:]) if b < a]
        self.assertEqual(back, [])
        self.assertGreater(min(times), began - 2)
        self.assertLess(max(times), time.time() + 2)
        self.holds("ledger", "verify", "--store", self.database.url())
        self.assertIn("clock_skew", nodes[0].log())
        self.assertIn("ahead of the database's", nodes[0].log())
        self.assertIn("behind the database's", nodes[1].log())
        self.assertNotIn("clock_skew", nodes[2].log())
        for node, least, last in ((nodes[0], 3590_000, 3610_000), (nodes[1], -3610_000, -3590_000),
                                  (nodes[2], -2000, 2000)):
            skew = [int(line.split()[-1]) for line in node.get("/metrics").body.decode().splitlines()
                    if line.startswith("motet_clock_skew_milliseconds ")]
            self.assertTrue(least <= skew[0] <= last, skew)

    def test_FS11_facts_expire_by_one_clock(self):
        ahead, behind = self.node("ahead", "+1h"), self.node("behind", "-1h")
        path = "/v1/contracts/door/facts/open"

        def sees(node):
            answer = node.post("/v1/contracts/door/evaluate", {})
            return answer.status == 200

        for writer, reader in ((ahead, behind), (behind, ahead)):
            answer = writer.ask("PUT", path, {"value": True, "ttl_ms": 3000})
            self.assertEqual(answer.status, 200, answer)
            self.assertLess(abs(seconds(answer.json["expires_at"]) - time.time() - 3), 2)
            self.assertTrue(writer.wait_until(lambda: sees(reader), 2) and sees(writer))
            time.sleep(max(0, seconds(answer.json["expires_at"]) - time.time()) + 0.2)
            self.assertFalse(sees(writer))
            self.assertFalse(sees(reader))

    def test_FS11_a_clock_that_is_set_while_it_runs(self):
        node = self.node("moves", "+0")
        self.assertEqual(node.post("/v1/contracts/door/instances/Door", {"id": "a"}).status, 201)
        (self.dir / "moves" / "offset").write_text("+1h")
        self.assertTrue(node.logs("clock_skew", 15), node.log())
        answer = node.post("/v1/contracts/door/instances/Door", {"id": "b"})
        self.assertLess(abs(seconds(answer.json["created_at"]) - time.time()), 2)
        (self.dir / "moves" / "offset").write_text("+0")
        self.assertTrue(node.logs("clock_agrees", 15), node.log())


if __name__ == "__main__":
    main()
