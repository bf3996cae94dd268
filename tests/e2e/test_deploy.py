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

    def test_what_is_used_wrongly_is_refused(self):
        path = self.write(OFFICE)
        self.assertEqual(run("deploy", path, "--policy", "x=maybe", cwd=self.dir).code, 2)
        self.assertEqual(run("deploy", path, "--state-map", "Doc=x", cwd=self.dir).code, 2)


if __name__ == "__main__":
    main()
