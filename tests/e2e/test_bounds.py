"""Numbers from outside have a least and a most."""
from harness import Case, main
from serve import Server

DESK = """persona clerk
fact ready { type: Bool source: "desk" default: true }
entity Doc { states: [draft, done] initial: draft transitions: [(draft, done)] }
rule ok { stratum: 0 when: ready = true produce: ok(true) }
operation finish { allowed_personas: [clerk] precondition: ok present effects: [(Doc, draft, done)] outcomes: [done] }
"""
TEN_YEARS = 3660 * 24 * 3600 * 1000


class Bounds(Case):
    def asserted(self, server):
        items = server.get("/v1/contracts/desk/facts").json["items"]
        return next(i.get("asserted") for i in items if i["id"] == "ready")

    def test_FH1_a_fact_holds_for_a_time_that_has_a_least_and_a_most(self):
        with Server(self.dir, self.write("desk.tenor", DESK)) as server:
            path = "/v1/contracts/desk/facts/ready"
            for text in ("-5", "0", "-9223372036854775808", "9223372036854775807",
                         "9223372036854775808", "1e999", "1.5", "1e3", '"60"', "true", "[]",
                         str(TEN_YEARS + 1)):
                answer = server.ask("PUT", path, '{"value":false,"ttl_ms":%s}' % text)
                self.assertEqual((answer.status, answer.code), (400, "bad_request"), (text, answer))
                self.assertIsNone(self.asserted(server), text)
            self.assertIn(f"a whole number from 1 to {TEN_YEARS}", answer.json["detail"])
            for when in ("1970-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "2001-02-03T04:05:06Z"):
                answer = server.ask("PUT", path, {"value": False, "expires_at": when})
                self.assertEqual(answer.status, 400, (when, answer))
                self.assertIsNone(self.asserted(server), when)
            answer = server.ask("PUT", path, {"value": False, "ttl_ms": TEN_YEARS})
            self.assertEqual(answer.status, 200, answer)
            self.assertRegex(answer.json["expires_at"], "^20[34]")
            answer = server.ask("PUT", path, {"value": False, "expires_at": "9999-12-31T23:59:59Z"})
            self.assertEqual(answer.json["expires_at"], "9999-12-31T23:59:59Z", answer)
            answer = server.ask("PUT", path, {"value": False, "ttl_ms": 1})
            self.assertEqual(answer.status, 200, answer)
            self.assertTrue(server.wait_until(lambda: self.asserted(server)["expired"]))
            both = {"value": False, "ttl_ms": 5, "expires_at": "9999-12-31T23:59:59Z"}
            self.assertEqual(server.ask("PUT", path, both).status, 400)

    def test_FH1_numbers_of_a_request_are_whole_and_within_their_bounds(self):
        with Server(self.dir, self.write("desk.tenor", DESK)) as server:
            server.post("/v1/contracts/desk/instances/Doc", {"id": "d1"})
            for text in ("-1", "9223372036854775808", "1e999", "1.5", '"1"'):
                answer = server.post("/v1/contracts/desk/operations/finish",
                                     '{"persona":"clerk","bindings":{"Doc":"d1"},'
                                     '"expected_versions":{"Doc":%s}}' % text)
                self.assertEqual((answer.status, answer.code), (422, "invalid_binding"), text)
            for text in ("-1", "0", "1001", "1e2", "99999999999999999999", ""):
                answer = server.get(f"/v1/flows?limit={text}")
                self.assertEqual((answer.status, answer.code), (400, "bad_request"), text)
            for text in ("-1", "9223372036854775808", "1.5"):
                self.assertEqual(server.get(f"/v1/ledger?from_ms={text}").status, 400, text)
                self.assertEqual(server.get(f"/v1/events?from={text}").status, 400, text)

    def test_FH1_numbers_of_the_configuration_have_a_least_and_a_most(self):
        contract = self.write("desk.tenor", DESK)
        for key, most in (("answer_days", 3660), ("flow_turn", 100000),
                          ("trigger_attempts", 1000), ("trigger_pause_ms", 60000)):
            for value, code in ((1, 0), (most, 0), (most + 1, 1), (0, 1), (-5, 1),
                                (2147483646, 1), (2 ** 63, 1), ("1.5", 1)):
                config = self.write("serve.yaml", f"executor: {{{key}: {value}}}\n")
                result = self.run_motet("serve", contract, "--config", config, "--check-config")
                self.assertEqual(result.code, code, (key, value, result))
                if code:
                    self.assertIn(f"a whole number from 1 to {most}", result.err)

    def test_FH1_a_limit_has_a_least_and_a_most(self):
        contract = self.write("desk.tenor", DESK)
        most = 1 << 48
        self.holds("check", contract, "--limit", f"flow_steps={most}")
        for value in (0, most + 1, 2 ** 64 - 1, 2 ** 64):
            self.fails(2, "check", contract, "--limit", f"flow_steps={value}")


if __name__ == "__main__":
    main()
