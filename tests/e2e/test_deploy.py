"""motet deploy: new versions given to a running server."""
import json
import pathlib

from harness import Case, main, run
from serve import Server

OFFICE = """persona clerk
persona boss
fact fine { type: Bool source: "desk" default: true }
entity Doc { states: [draft, review, done] initial: draft transitions: [(draft, review), (review, done)] }
rule ok { stratum: 0 when: fine = true produce: ok(true) }
operation submit { allowed_personas: [clerk] precondition: ok present effects: [(Doc, draft, review)] outcomes: [done] }
operation approve { allowed_personas: [boss] precondition: ok present effects: [(Doc, review, done)] outcomes: [done] }
flow publish { snapshot: at_initiation entry: a steps: {
  a: OperationStep { op: submit persona: clerk outcomes: { done: b } on_failure: Terminate(outcome: failure) }
  b: OperationStep { op: approve persona: boss outcomes: { done: Terminal(success) } on_failure: Terminate(outcome: failure) }
} }
"""


class Deploy(Case):
    def write(self, text):
        path = pathlib.Path(self.dir) / "office.tenor"
        path.write_text(text)
        return path

    def deploy(self, server, *words):
        return run("deploy", *words, "--server", server.url, "--json", cwd=self.dir)

    def test_a_breaking_change_goes_over_with_policy_and_map(self):
        with Server(self.dir, self.write(OFFICE)) as server:
            server.post("/v1/contracts/office/instances/Doc", {"id": "d1"})
            answer = server.post("/v1/contracts/office/operations/submit",
                                 {"persona": "clerk", "bindings": {"Doc": "d1"}})
            self.assertEqual(answer.status, 200, answer)
            path = self.write(OFFICE.replace("review", "checking"))
            result = self.deploy(server, path)
            self.assertEqual(result.code, 1)
            self.assertIn("migration_policy_required", result.err)
            result = self.deploy(server, path, "--policy", "publish=blue_green")
            self.assertEqual(result.code, 0, result.err)
            self.assertEqual(json.loads(result.out)["status"], "migrating")
            self.assertEqual(self.deploy(server, "office", "--complete").code, 1)
            result = self.deploy(server, "office", "--status")
            self.assertEqual(json.loads(result.out)["instances_left"], 1)
            result = self.deploy(server, "office", "--complete", "--state-map", "Doc.review=checking")
            self.assertEqual(result.code, 0, result.err)
            self.assertEqual(json.loads(result.out)["status"], "complete")
            answer = server.get("/v1/contracts/office/instances/Doc/d1")
            self.assertEqual(answer.json["state"], "checking")
            result = self.deploy(server, path)
            self.assertEqual(json.loads(result.out)["status"], "unchanged")

    def test_a_server_does_not_start_with_a_breaking_change_in_silence(self):
        with Server(self.dir, self.write(OFFICE)):
            pass
        path = self.write(OFFICE.replace("review", "checking"))
        words = ("serve", path, "--store", "sqlite:serve.db", "--listen", "127.0.0.1:0")
        result = run(*words, cwd=self.dir)
        self.assertEqual(result.code, 1)
        self.assertIn("declare a `policy`", result.err)
        self.assertEqual(run(*words, "--policy", "never", cwd=self.dir).code, 2)
        with Server(self.dir, path, options=("--policy", "abort")) as server:
            self.assertEqual(server.get("/v1/contracts/office/migration").json["status"], "complete")

    def test_S18_6_11_the_analysis_is_chosen_and_told(self):
        """A branch that the frozen facts decide: only the aggressive analysis leaves its other side out."""
        late = OFFICE.replace("{ done: Terminal(success) }", "{ done: c }").replace("\n} }", """
  c: BranchStep { condition: fine = true persona: boss if_true: Terminal(success) if_false: d }
  d: OperationStep { op: approve persona: boss outcomes: { done: Terminal(success) } on_failure: Terminate(outcome: failure) }
} }""")
        for mode, fate, options in (("conservative", "incompatible", ()),
                                    ("aggressive", "migrated", ("--migration-analysis", "aggressive"))):
            server = Server(self.dir, self.write(OFFICE), store=f"sqlite:{mode}.db", options=options)
            clerk = server.token("--name", "clerk", "--persona", "clerk", "--right", "instances:create")
            secret = pathlib.Path(self.dir) / "chief.token"
            secret.write_text(server.token("--name", "chief", "--right", "deploy"))
            with server:
                manifest = server.get("/.well-known/tenor").json
                self.assertEqual(manifest["capabilities"]["migration_analysis_mode"], mode)
                server.post("/v1/contracts/office/instances/Doc", {"id": "d1"}, token=clerk)
                flow = server.post("/v1/contracts/office/flows/publish",
                                   {"persona": "clerk", "bindings": {"Doc": "d1"}}, token=clerk).json
                self.assertEqual(flow.get("status"), "waiting", flow)
                result = self.deploy(server, self.write(late), "--policy", "force_migrate", "--token-file", secret)
                self.assertEqual(result.code, 0, result.err)
                self.assertEqual(json.loads(result.out)["flows"][0]["fate"], fate)
                manifest = server.get("/.well-known/tenor").json
                self.assertEqual(manifest["capabilities"]["migration_analysis_mode"], mode)

    def test_S18_6_11_another_analysis_is_refused(self):
        config = pathlib.Path(self.dir) / "motet.yaml"
        config.write_text("migration_analysis: bold\n")
        for words in (("--migration-analysis", "bold"), ("--config", config)):
            result = run("serve", self.write(OFFICE), *words, cwd=self.dir)
            self.assertNotEqual(result.code, 0)
            self.assertIn("bold is neither conservative nor aggressive", result.err)
        config.write_text("migration_analysis: aggressive\n")
        with Server(self.dir, self.write(OFFICE), options=("--config", config)) as server:
            manifest = server.get("/.well-known/tenor").json
            self.assertEqual(manifest["capabilities"]["migration_analysis_mode"], "aggressive")

    def test_what_is_used_wrongly_is_refused(self):
        path = self.write(OFFICE)
        self.assertEqual(run("deploy", path, "--policy", "x=maybe", cwd=self.dir).code, 2)
        self.assertEqual(run("deploy", path, "--state-map", "Doc=x", cwd=self.dir).code, 2)

    # -- invariants --

    PROMISES = ["always submit before approve", "nobody can both submit and approve"]
    LOOSE = OFFICE.replace("[clerk]", "[clerk, boss]")

    def promise(self):
        path = pathlib.Path(self.dir, "p.scenarios.yaml")
        path.write_text("invariants:\n" + "".join(f"  - {p}\n" for p in self.PROMISES))
        return path

    def test_a_version_that_breaks_an_invariant_is_refused_with_the_run(self):
        promise = self.promise()
        with Server(self.dir, self.write(OFFICE)) as server:
            good = self.write(OFFICE.replace("default: true", "default: false"))
            result = self.deploy(server, good, "--scenarios", promise, "--policy", "blue_green")
            self.assertEqual(result.code, 0, result.err)
            for more in ([], ["--dry-run"]):
                result = self.deploy(server, self.write(self.LOOSE), "--scenarios", promise,
                                     "--policy", "blue_green", *more)
                self.assertEqual(result.code, 1)
                self.assertIn("invariant_broken", result.err)
                self.assertIn("invariant 'nobody can both submit and approve' does not hold",
                              result.err)
            answer = server.post("/v1/contracts", {"source": self.LOOSE, "contract": "office",
                                                   "invariants": self.PROMISES})
            self.assertEqual((answer.status, answer.json["code"]), (422, "invariant_broken"))
            (broken,) = answer.json["invariants"]
            self.assertEqual((broken["reply"], broken["personas"]), ("no", ["boss"]))
            self.assertEqual([s["operation"] for s in broken["ways"][1]["path"]],
                             ["submit", "approve"])
            # Nothing was written.
            result = self.deploy(server, self.write(OFFICE.replace("default: true",
                                                                   "default: false")))
            self.assertEqual(json.loads(result.out)["status"], "unchanged")

    def test_what_was_not_decided_is_refused(self):
        with Server(self.dir, self.write(OFFICE), "--limit", "reach_states=1") as server:
            answer = server.post("/v1/contracts", {"source": self.LOOSE, "contract": "office",
                                                   "invariants": ["never Doc.review and Doc.done"]})
            self.assertEqual((answer.status, answer.json["code"]), (422, "invariant_broken"))
            self.assertIn("was not decided: the search ended after 1 joint state",
                          answer.json["detail"])
            self.assertEqual(answer.json["invariants"][0]["reply"], "unknown")

    def test_invariants_that_are_no_questions_are_refused(self):
        with Server(self.dir, self.write(OFFICE)) as server:
            for wrong, code, word in [
                    (["nver reach Doc.done"], 422, "was not understood"),
                    ("never Doc.done", 400, "list"), ([1], 400, "text"),
                    (["never Doc.done"] * 1001, 400, "1000")]:
                answer = server.post("/v1/contracts", {"source": self.LOOSE, "contract": "office",
                                                       "invariants": wrong})
                self.assertEqual(answer.status, code, answer)
                self.assertIn(word, answer.json["detail"])

    def test_the_configuration_binds_every_version(self):
        config = pathlib.Path(self.dir, "motet.yaml")
        config.write_text("invariants:\n  office:\n    - nobody can both submit and approve\n")
        with Server(self.dir, self.write(OFFICE), "--config", config) as server:
            result = self.deploy(server, self.write(self.LOOSE), "--policy", "blue_green")
            self.assertEqual(result.code, 1)
            self.assertIn("invariant_broken", result.err)
        words = ("serve", self.write(self.LOOSE), "--store", "sqlite:other.db", "--listen",
                 "127.0.0.1:0", "--config", config)
        for more in ([], ["--check-config"]):
            result = run(*words, *more, cwd=self.dir)
            self.assertNotEqual(result.code, 0)
            self.assertIn("invariant 'nobody can both submit and approve' does not hold",
                          result.err)


if __name__ == "__main__":
    main()
