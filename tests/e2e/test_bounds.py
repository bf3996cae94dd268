"""Numbers from outside have a least and a most; evaluations have a budget and a deadline."""
import threading

from harness import SANITIZED, Case, main
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
                          ("trigger_attempts", 1000), ("trigger_pause_ms", 60000),
                          ("eval_ms", 600000), ("eval_steps", 4000000000)):
            for value, code in ((1, 0), (most, 0), (most + 1, 1), (0, 1), (-5, 1),
                                (4294967297, 1), (2 ** 63, 1), ("1.5", 1)):
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


# Three quantifiers inside each other: 1,000 elements are 7 billion steps, 60 are 1.5 million.
CUBE = "forall a in xs . forall b in xs . forall c in xs . a + b + c >= 0"
HEAVY = f"""persona clerk
persona boss
fact xs {{ type: List(element_type: Int(min: 0, max: 1000000), max: 1000) source: "desk" default: [] }}
fact ready {{ type: Bool source: "desk" default: true }}
entity Doc {{ states: [draft, read, done] initial: draft transitions: [(draft, read), (read, done)] }}
rule quick {{ stratum: 0 when: ready = true produce: quick(true) }}
rule slow {{ stratum: 0 when: RULE produce: slow(true) }}
operation look {{ allowed_personas: [clerk] precondition: quick present effects: [(Doc, draft, read)] outcomes: [done] }}
operation finish {{ allowed_personas: [boss] precondition: {CUBE} effects: [(Doc, read, done)] outcomes: [done] }}
flow all {{ snapshot: at_initiation entry: a steps: {{
  a: OperationStep {{ op: look persona: clerk outcomes: {{ done: b }} on_failure: Terminate(outcome: failure) }}
  b: OperationStep {{ op: finish persona: boss outcomes: {{ done: Terminal(success) }} on_failure: Terminate(outcome: failure) }}
}} }}
"""
IN_RULE = HEAVY.replace("RULE", CUBE)
IN_CONDITION = HEAVY.replace("RULE", "ready = true")


def facts(count):
    return {"xs": list(range(count))}


class Evaluation(Case):
    def serve(self, text, *options):
        server = Server(self.dir, self.write("heavy.tenor", text), options=options)
        self.addCleanup(server.stop)
        server.start()
        for n in range(4):
            answer = server.post("/v1/contracts/heavy/instances/Doc", {"id": f"d{n}"})
            self.assertIn(answer.status, (201, 409), answer)
        return server

    def meanwhile(self, server, *asks):
        """How often others were served, small writes included, while the calls were under way,
        and the answers to the calls."""
        answers, served = [], 0
        workers = [threading.Thread(target=lambda ask=ask: answers.append(ask())) for ask in asks]
        for worker in workers:
            worker.start()
        while True:
            self.assertEqual(server.get("/healthz", timeout=90).status, 200)
            quick = server.ask("PUT", "/v1/contracts/heavy/facts/ready", {"value": True}, timeout=90)
            self.assertEqual(quick.status, 200, quick)
            if not all(worker.is_alive() for worker in workers):
                break
            served += 1
        for worker in workers:
            worker.join()
        return served, answers

    def by_workers(self, server):
        lines = server.get("/metrics").body.decode().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("motet_calls_by_workers_total "))

    def test_FS7_a_large_body_is_read_by_a_worker(self):
        server = self.serve(IN_CONDITION)
        for size, count in ((200 << 10, 0), (300 << 10, 1)):
            body = '{"facts":{}%s}' % (size * " ")
            self.assertEqual(server.post("/v1/contracts/heavy/evaluate", body).status, 200)
            self.assertEqual(self.by_workers(server), count, size)

    def test_FS7_conditions_that_are_short_one_by_one_are_long_together(self):
        pairs = "forall a in xs . forall b in xs . a + b >= 0"  # 12,600 steps for 50 elements
        text = IN_CONDITION.replace(CUBE, pairs).replace("precondition: quick present", f"precondition: {pairs}")
        server = self.serve(text)
        body = {"persona": "clerk", "bindings": {"Doc": "d0"}, "facts": facts(50)}
        self.assertEqual(server.post("/v1/contracts/heavy/operations/look", {**body, "dry_run": True}).status, 200)
        self.assertEqual(self.by_workers(server), 0)
        self.assertEqual(server.post("/v1/contracts/heavy/actions", body).status, 200)
        self.assertEqual(self.by_workers(server), 1)

    def test_FS7_nothing_is_evaluated_to_resume_what_does_not_wait(self):
        server = self.serve(IN_RULE)
        begun = server.post("/v1/contracts/heavy/flows/all", {
            "persona": "clerk", "bindings": {"Doc": "d0"}, "facts": facts(60)})
        self.assertEqual(begun.json["status"], "done", begun)
        server.stop()
        again = self.serve(IN_RULE, "--limit", "eval_steps=10")
        answer = again.post(f"/v1/flows/{begun.json['id']}/resume")
        self.assertEqual((answer.status, answer.code), (409, "not_resumable"), answer)

    def test_FS7_a_flow_beyond_a_budget_that_was_lowered_keeps_waiting(self):
        text = IN_RULE.replace("[(Doc, read, done)] outcomes: [done]",
                               "[(Doc, read, done, yes), (Doc, read, done, no)] outcomes: [yes, no]")
        text = text.replace("{ done: Terminal(success) }", "{ yes: Terminal(success), no: Terminal(failure) }")
        server = self.serve(text)
        begun = server.post("/v1/contracts/heavy/flows/all", {
            "persona": "clerk", "bindings": {"Doc": "d0"}, "facts": facts(60)}).json
        self.assertEqual(begun["status"], "waiting", begun)
        path = f"/v1/flows/{begun['id']}"
        for options, status, code in ((("--limit", "eval_steps=10"), 422, "evaluation_budget"), ((), 200, None)):
            server.stop()
            server = self.serve(text, *options)
            self.assertEqual(server.get(path).json["status"], "waiting")
            answer = server.post(f"{path}/resume", {"outcome": "yes"})
            self.assertEqual((answer.status, answer.code), (status, code), answer)

    def test_FS7_what_waits_for_a_worker_does_not_hold_up_a_stop(self):
        server = self.serve(IN_RULE, "--workers", "2", "--stop-timeout", "1", "--limit", "eval_ms=2500",
                            "--limit", "eval_steps=100000000000")
        answers = []
        callers = [threading.Thread(target=lambda: answers.append(server.post(
            "/v1/contracts/heavy/evaluate", {"facts": facts(1000)}, timeout=90).code)) for _ in range(12)]
        for caller in callers:
            caller.start()
        self.assertTrue(server.wait_until(lambda: b"motet_calls_by_workers_total 12" in server.get("/metrics").body))
        self.assertEqual(server.stop(), 0)
        for caller in callers:
            caller.join()
        self.assertEqual(set(answers), {"evaluation_deadline", "closing"})
        self.assertGreater(answers.count("closing"), 5, answers)

    def test_FS7_an_evaluation_that_takes_long_holds_up_nobody(self):
        # What a sanitizer slows down must not come to the deadline before the budget.
        slow = ("--limit", "eval_ms=600000", "--limit", "eval_steps=10000000")
        server = self.serve(IN_RULE, *(slow if SANITIZED else ()))
        served, answers = self.meanwhile(server, *2 * [lambda: server.post(
            "/v1/contracts/heavy/evaluate", {"facts": facts(600)}, timeout=90)])
        self.assertGreater(served, 4, "others waited for the evaluation")
        # On a slow machine the deadline may come before the budget is spent.
        self.assertLessEqual({(a.status, a.code) for a in answers},
                             {(422, "evaluation_budget"), (503, "evaluation_deadline")})

    def test_an_evaluation_has_a_deadline(self):
        server = self.serve(IN_RULE, "--limit", "eval_steps=100000000000", "--limit", "eval_ms=500")
        served, answers = self.meanwhile(server, lambda: server.post(
            "/v1/contracts/heavy/evaluate", {"facts": facts(1000)}, timeout=90))
        self.assertGreater(served, 4, "others waited for the evaluation")
        self.assertEqual((answers[0].status, answers[0].code), (503, "evaluation_deadline"), answers)

    def test_an_evaluation_has_a_budget_of_steps(self):
        server = self.serve(IN_RULE, "--limit", "eval_steps=1531318")
        for count, status in ((59, 200), (60, 200), (61, 422)):
            answer = server.post("/v1/contracts/heavy/evaluate", {"facts": facts(count)}, timeout=90)
            self.assertEqual(answer.status, status, (count, answer))
        self.assertEqual((answer.code, answer.json["fault"], answer.json["rule"]),
                         ("evaluation_budget", "evaluation_budget", "slow"))
        server.stop()
        config = self.write("serve.yaml", "executor: {eval_steps: 68}\n")
        server = self.serve(IN_RULE, "--config", config)
        for count, status in ((2, 200), (3, 422)):
            answer = server.post("/v1/contracts/heavy/evaluate", {"facts": facts(count)})
            self.assertEqual(answer.status, status, (count, answer))
        contract = self.write("heavy.tenor", IN_RULE)
        few = self.write("few.json", '{"xs":[1,2]}')
        # 2 + 4 + 8 elements, of 2, 2 and 7 nodes: forall, xs; forall, xs; >=, +, +, a, b, c, 0.
        self.holds("eval", contract, "--facts", few, "--limit", "eval_steps=68")
        self.assertIn("more than 67 steps",
                      self.fails(1, "eval", contract, "--facts", few, "--limit", "eval_steps=67").err)
        flow = ("eval", contract, "--facts", few, "--flow", "all", "--persona", "clerk", "--limit")
        self.assertIn("success", self.run_motet(*flow, "eval_steps=68").out)
        many = self.write("many.json", '{"xs":%s}' % list(range(1000)))
        self.assertIn("takes longer", self.fails(1, "eval", contract, "--facts", many, "--limit",
                                                  "eval_steps=100000000000", "--limit", "eval_ms=50").err)

    def test_the_committer_waits_for_no_evaluation(self):
        server = self.serve(IN_CONDITION, "--limit", "eval_steps=100000000000", "--limit", "eval_ms=60000")
        count = 150 if SANITIZED else 300
        bound = {"bindings": {"Doc": "d1"}, "facts": facts(count)}
        path = "/v1/contracts/heavy/operations"
        self.assertEqual(server.post(f"{path}/look", {"persona": "clerk", **bound}).status, 200)
        served, (answer,) = self.meanwhile(server, lambda: server.post(
            f"{path}/finish", {"persona": "boss", **bound}, timeout=90))
        self.assertEqual(answer.status, 200, answer)
        self.assertGreater(served, 4, "others waited for the operation")
        served, (answer,) = self.meanwhile(server, lambda: server.post("/v1/contracts/heavy/flows/all", {
            "persona": "clerk", "bindings": {"Doc": "d2"}, "facts": facts(count)}, timeout=90))
        self.assertEqual(answer.json["outcome"], "success", answer)
        self.assertGreater(served, 4, "others waited for the flow")

    def test_what_waits_and_takes_long_is_resumed_by_a_worker(self):
        server = self.serve(IN_CONDITION, "--limit", "eval_steps=100000000000", "--limit", "eval_ms=60000")
        clerk = server.token("--name", "clerk", "--persona", "clerk", "--right", "facts:*", "--right", "admin")
        boss = server.token("--name", "boss", "--persona", "boss")
        self.assertTrue(server.wait_until(lambda: server.get("/v1/flows").status == 401))
        begun = server.post("/v1/contracts/heavy/flows/all", {
            "persona": "clerk", "bindings": {"Doc": "d0"}, "facts": facts(150)}, token=clerk, timeout=90).json
        self.assertEqual(begun["waiting"]["step"], "b", begun)
        server.stop()
        server.start()
        path = f"/v1/flows/{begun['id']}/resume"
        tried = server.post(path, {"dry_run": True}, token=boss, timeout=90)
        self.assertEqual((tried.status, tried.json["outcome"]), (200, "success"), tried)
        answer = server.post(path, {}, token=boss, timeout=90)
        self.assertEqual((answer.status, answer.json["outcome"]), (200, "success"), answer)

    def test_a_version_that_only_an_old_flow_knows_is_evaluated_by_a_worker(self):
        server = self.serve(IN_CONDITION)
        clerk = server.token("--name", "clerk", "--persona", "clerk", "--right", "facts:*", "--right", "deploy")
        boss = server.token("--name", "boss", "--persona", "boss", "--right", "metrics:read")
        self.assertTrue(server.wait_until(lambda: server.get("/v1/flows").status == 401))
        begun = server.post("/v1/contracts/heavy/flows/all", {
            "persona": "clerk", "bindings": {"Doc": "d0"}, "facts": facts(150)}, token=clerk, timeout=90).json
        light = IN_CONDITION.replace(CUBE, "ready = true").replace("max: 1000)", "max: 3)")
        answer = server.post("/v1/contracts", {"contract": "heavy", "source": light, "policy": "blue_green"},
                             token=clerk)
        self.assertEqual(answer.status, 200, answer)
        server.stop()
        again = Server(self.dir, store=server.store)
        self.addCleanup(again.stop)
        again.start()
        answer = again.post(f"/v1/flows/{begun['id']}/resume", {}, token=boss, timeout=90)
        self.assertEqual((answer.status, answer.json["outcome"]), (200, "success"), answer)
        self.assertIn("motet_calls_by_workers_total 1", again.get("/metrics", token=boss).body.decode())

    def test_a_deadline_decides_nothing(self):
        """A call that is too late has left nothing behind, and can be made again."""
        server = self.serve(IN_CONDITION, "--limit", "eval_steps=100000000000", "--limit", "eval_ms=100")
        for path, body in (("operations/finish", {"persona": "boss"}), ("flows/all", {"persona": "clerk"})):
            for dry in (True, False):
                answer = server.post(f"/v1/contracts/heavy/{path}", {
                    **body, "bindings": {"Doc": "d1"}, "facts": facts(1000), "dry_run": dry},
                    headers={"Idempotency-Key": path}, timeout=90)
                self.assertEqual((answer.status, answer.code), (503, "evaluation_deadline"), answer)
                self.assertEqual(answer.json.get("simulation", False), dry)
        self.assertEqual(server.get("/v1/flows").json["items"], [])
        answer = server.post("/v1/contracts/heavy/flows/all", {
            "persona": "clerk", "bindings": {"Doc": "d1"}, "facts": facts(20)})
        self.assertEqual(answer.json["outcome"], "success", answer)


if __name__ == "__main__":
    main()
