"""Random identities, rights, `distinct` rules and requests against a model of the rights that shares
nothing with the server: 3,000 requests, 100,000 with MOTET_SOAK=1. The server's answer must be
the model's on each, and nothing in it may be of somebody else."""
import http.client
import json
import random
import re

from harness import SANITIZED, SEED, SOAK, Case, main, run
from serve import Server

COUNT = 100000 if SOAK else 800 if SANITIZED else 3000
SECRET = 713581617  # the kept fact; no number of the server has these digits
CONTRACTS = ("ward", "vault", "shop")
PERSONAS = {"ward": ("nurse", "doctor"), "vault": ("nurse", "banker"), "shop": ("seller", "banker")}
OPERATIONS = {c: {"go": (PERSONAS[c][0], "a", "b"), "back": (PERSONAS[c][1], "b", "a")} for c in CONTRACTS}
DISTINCT = {"vault": [["nurse", "banker"]], "shop": ["seller", "banker"]}
INSTANCES = [f"i{n}" for n in range(6)]


def contract(name):
    first, second = PERSONAS[name]
    return f"""
fact balance {{ type: Int(min: 0, max: 1000000000) source: "desk.balance" }}
fact limit {{ type: Int(min: 0, max: 1000000000) source: "desk.limit" default: 0 }}
persona {first}
persona {second}
entity Thing {{ states: [a, b] initial: a transitions: [(a, b), (b, a)] }}
rule rich {{ stratum: 0 when: balance >= limit produce: verdict rich {{ payload: Int(min: 0, max: 1000000000) = balance }} }}
operation go {{ allowed_personas: [{first}] precondition: rich present effects: [(Thing, a, b)] }}
operation back {{ allowed_personas: [{second}] precondition: rich present effects: [(Thing, b, a)] }}
flow long {{
  snapshot: at_initiation
  entry: one
  steps: {{
    one: OperationStep {{ op: go persona: {first} outcomes: {{ success: Terminal(success) }} on_failure: Terminate(outcome: failure) }}
  }}
}}
"""


class Who:
    """One identity and what its grants mean, by the words of docs/rights.md."""

    def __init__(self, ident, personas, rights):
        self.id, self.personas, self.rights = ident, personas, rights

    def holds(self, contract, persona):
        return persona in self.personas or f"{contract}:{persona}" in self.personas

    def may(self, contract, right):
        admin = {"read", "evaluate", "ledger:read", "admin"}
        wanted = {right} | ({"admin"} if right in admin or right == "metrics:read" else set())
        if wanted & set(self.rights):
            return True
        wanted -= {"admin"} if right == "metrics:read" else set()
        return bool(contract) and any(f"{contract}/{w}" in self.rights for w in wanted)

    def may_somewhere(self, right):
        return any(self.may(c, right) for c in (*CONTRACTS, "", "ghost"))

    def asserts(self, contract, fact):
        return any(self.may(contract, r) for r in (f"facts:{fact}", "facts:*", "source:desk"))

    def is_persona_of(self, contract):
        return any(self.holds(contract, p) for p in PERSONAS[contract])

    def sees(self, contract):
        over = ("read", "evaluate", "deploy", "admin", "ledger:read", "facts:override", "instances:create",
                "instances:delete", "facts:balance", "facts:limit", "facts:*", "source:desk")
        return any(p.startswith(contract + ":") for p in self.personas) or self.is_persona_of(contract) or \
            any(r.startswith(contract + "/") for r in self.rights) or any(r in self.rights for r in over)

    def reads_facts(self, contract):
        return self.may(contract, "ledger:read") or self.is_persona_of(contract)


class Model:
    def __init__(self):
        self.state = {(c, i): "a" for c in CONTRACTS for i in INSTANCES}
        self.acts = {}  # (contract, instance) -> {(persona, identity)}

    def operate(self, who, contract, operation, persona, instance, facts, dry):
        allowed, source, target = OPERATIONS[contract][operation]
        if not who.holds(contract, persona) or persona != allowed:
            return 403, "persona_rejected"
        if any(not who.asserts(contract, f) for f in facts):
            return 403, "fact_forbidden"
        if facts.get("balance", SECRET) < facts.get("limit", 0):
            return 422, "precondition_failed"
        if self.state[contract, instance] != source:
            return 409, "invalid_source_state"
        done = self.acts.setdefault((contract, instance), set())
        rules = DISTINCT.get(contract, [])
        rules = rules if rules and isinstance(rules[0], list) else [rules]
        if any(persona in rule and any((other, who.id) in done for other in rule if other != persona) for rule in rules):
            return 403, "not_distinct"
        if not dry:
            self.state[contract, instance] = target
            done.add((persona, who.id))
        return 200, None


class Rights(Case):
    def people(self, rng, count):
        rights = ["read", "evaluate", "admin", "ledger:read", "facts:balance", "facts:limit", "facts:*", "source:desk",
                  "instances:create", "deploy"]
        for _ in range(count):
            personas = [p if rng.random() < 0.25 else f"{c}:{p}" for c in CONTRACTS for p in (*PERSONAS[c], "stranger")
                        if rng.random() < 0.2]
            granted = [r if rng.random() < 0.15 else f"{rng.choice(CONTRACTS)}/{r}" for r in rights
                       if rng.random() < 0.18]
            granted += ["metrics:read"] if rng.random() < 0.2 or not personas + granted else []
            yield sorted(set(personas)), sorted(set(granted))

    def start(self, rng):
        for name in CONTRACTS:
            self.write(f"{name}.tenor", contract(name))
        self.write("motet.json", json.dumps({"files": [f"{c}.tenor" for c in CONTRACTS], "distinct": DISTINCT}))
        self.server = server = Server(self.dir, options=["--config", "motet.json", "--access-log"])
        self.root = server.token("--right", "admin", "--right", "instances:create", "--right", "facts:*")
        self.tokens = {}
        for personas, rights in self.people(rng, 24 if not SOAK else 150):
            words = [w for p in personas for w in ("--persona", p)] + [w for r in rights for w in ("--right", r)]
            token = server.token(*words)
            self.tokens[token] = Who(token.split("_")[1], personas, rights)
        server.start()
        self.addCleanup(server.stop)
        self.connection = http.client.HTTPConnection(server.host, server.port, timeout=30)
        self.addCleanup(self.connection.close)
        for c in CONTRACTS:
            for i in INSTANCES:
                self.assertEqual(self.ask(self.root, "POST", f"/v1/contracts/{c}/instances/Thing", {"id": i})[0], 201)
            self.assertEqual(self.ask(self.root, "PUT", f"/v1/contracts/{c}/facts/balance", {"value": SECRET})[0], 200)
        self.flows = []

    def ask(self, token, method, path, body=None):
        fields = {"Authorization": f"Bearer {token}"}
        if body is not None:
            fields["Content-Type"] = "application/json"
        self.connection.request(method, path, None if body is None else json.dumps(body), fields)
        answer = self.connection.getresponse()
        text = answer.read().decode()
        return answer.status, text

    def forbidden(self, got, code="forbidden", status=403):
        self.assertEqual((got[0], json.loads(got[1])["code"]), (status, code), self.about)

    def facts(self, rng):
        return {f: rng.choice((0, 5, 400, 800000000)) for f in ("balance", "limit") if rng.random() < 0.3}

    # One function per kind of request: asks, and compares with the model.

    def try_operation(self, rng, token, who, c):
        operation, persona = rng.choice(("go", "back")), rng.choice((*PERSONAS[c], "stranger"))
        if rng.random() < 0.6:
            persona = OPERATIONS[c][operation][0]
        instance, facts, dry = rng.choice(INSTANCES), self.facts(rng), rng.random() < 0.2
        want = self.model.operate(who, c, operation, persona, instance, facts, dry)
        body = {"persona": persona, "bindings": {"Thing": instance}, "facts": facts, **({"dry_run": True} if dry else {})}
        status, text = self.ask(token, "POST", f"/v1/contracts/{c}/operations/{operation}", body)
        self.assertEqual((status, json.loads(text).get("code")), want, (self.about, body, text))
        return text, who.reads_facts(c)

    def try_evaluate(self, rng, token, who, c):
        facts = self.facts(rng)
        got = self.ask(token, "POST", f"/v1/contracts/{c}/evaluate", {"facts": facts})
        if not who.may(c, "evaluate"):
            self.forbidden(got)
        elif any(not who.asserts(c, f) for f in facts):
            self.forbidden(got, "fact_forbidden")
        else:
            self.assertEqual(got[0], 200, (self.about, got))
            hidden = not (who.reads_facts(c) or who.asserts(c, "balance") or "balance" in facts)
            self.assertEqual(json.loads(got[1]).get("hidden", []), ["balance"] if hidden else [], (self.about, got))
        return got[1], who.reads_facts(c) or who.asserts(c, "balance")

    def try_instances(self, rng, token, who, c):
        path = rng.choice(("instances", "instances/Thing", f"instances/Thing/{rng.choice(INSTANCES)}"))
        got = self.ask(token, "GET", f"/v1/contracts/{c}/{path}")
        if not who.sees(c):
            self.forbidden(got)
        else:
            self.assertEqual(got[0], 200, (self.about, got))
            if path.count("/") == 2:
                self.assertEqual(json.loads(got[1])["state"], self.model.state[c, path.split("/")[2]])
        return got[1], False

    def try_history(self, rng, token, who, c):
        got = self.ask(token, "GET", f"/v1/contracts/{c}/instances/Thing/{rng.choice(INSTANCES)}/history?limit=5")
        if not who.sees(c):
            self.forbidden(got)
        else:
            shown = {"body" in r for r in json.loads(got[1])["items"]}
            self.assertEqual(shown, {who.reads_facts(c)}, (self.about, got))
        return got[1], who.reads_facts(c)

    def try_facts(self, rng, token, who, c):
        got = self.ask(token, "GET", f"/v1/contracts/{c}/facts")
        readable = who.reads_facts(c) or who.asserts(c, "balance")
        if not who.sees(c):
            self.forbidden(got)
        else:
            kept = next(f for f in json.loads(got[1])["items"] if f["id"] == "balance")["asserted"]
            self.assertEqual("value" in kept, readable, (self.about, got))
        return got[1], who.sees(c) and readable

    def try_ledger(self, rng, token, who, c):
        path = "/v1/ledger?order=desc&limit=12"
        everything = json.loads(self.ask(self.root, "GET", path)[1])["items"]
        got = self.ask(token, "GET", path)
        if not who.may_somewhere("ledger:read"):
            self.forbidden(got)
        else:
            mine = [r for r in everything if who.may(r["body"].get("contract", ""), "ledger:read")]
            self.assertEqual(json.loads(got[1])["items"], mine, self.about)
        return got[1], who.may_somewhere("ledger:read")

    def try_record(self, rng, token, who, c):
        record = rng.randrange(1, 40)
        path = f"/v1/ledger/{record}" + rng.choice(("", "/proof"))
        owner = json.loads(self.ask(self.root, "GET", f"/v1/ledger/{record}")[1])["body"].get("contract", "")
        got = self.ask(token, "GET", path)
        if not who.may_somewhere("ledger:read"):
            self.forbidden(got)
        elif not who.may(owner, "ledger:read"):
            self.forbidden(got, "unknown_record", 404)
        else:
            self.assertEqual(got[0], 200, self.about)
        return got[1], who.may(owner, "ledger:read")

    def try_metrics(self, rng, token, who, c):
        got = self.ask(token, "GET", "/metrics")
        self.assertEqual(got[0], 200 if who.may("", "metrics:read") else 403, self.about)
        return "", False  # figures; numbers in them may be anything

    def try_flow(self, rng, token, who, c):
        """Begins one now and then, and looks at one that somebody has begun."""
        if len(self.flows) < 30:
            persona = rng.choice(PERSONAS[c])
            instance = rng.choice(INSTANCES)
            status, text = self.ask(token, "POST", f"/v1/contracts/{c}/flows/long",
                                    {"persona": persona, "bindings": {"Thing": instance}})
            if not who.holds(c, persona):
                self.forbidden((status, text), "persona_rejected")
                return text, False
            self.assertEqual(status, 200, (self.about, text))
            flow = json.loads(text)
            self.flows.append((flow["id"], c, who.id))
            if any(change for change in flow["changes"]):
                self.model.state[c, instance] = "b"
                self.model.acts.setdefault((c, instance), set()).add((PERSONAS[c][0], who.id))
        ident, c, began = rng.choice(self.flows)
        got = self.ask(token, "GET", f"/v1/flows/{ident}")
        readable = who.reads_facts(c) or who.id == began
        if not who.sees(c) and who.id != began:
            self.forbidden(got, "unknown_execution", 404)
        else:
            self.assertEqual(("facts" in json.loads(got[1])), readable, (self.about, got))
        listed = json.loads(self.ask(token, "GET", "/v1/flows?limit=1000")[1])["items"]
        self.assertEqual({f["id"] for f in listed}, {f for f, owner, _ in self.flows if who.sees(owner)}, self.about)
        return got[1], readable

    def test_every_answer_is_the_models(self):
        rng = random.Random(SEED)
        self.model = Model()
        self.start(rng)
        kinds = [getattr(self, name) for name in sorted(dir(self)) if name.startswith("try_")]
        weights = [6 if "operation" in k.__name__ else 3 if "evaluate" in k.__name__ else 1 for k in kinds]
        for number in range(COUNT):
            token, who = rng.choice(list(self.tokens.items()))
            kind, c = rng.choices(kinds, weights)[0], rng.choice(CONTRACTS)
            self.about = (SEED, number, kind.__name__, c, who.personas, who.rights)
            text, may_have_it = kind(rng, token, who, c)
            if not may_have_it:
                self.assertIsNone(re.search(rf"(?<!\d){SECRET}(?!\d)", text), (self.about, text))
        self.streams(rng)
        self.server.stop()
        self.assertNotIn(str(SECRET), re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z|[0-9a-f]{16,}|micros=\d+|port=\d+|:\d+", "",
                                            self.server.log()))
        self.assertEqual(run("ledger", "verify", "--store", self.server.store, cwd=self.dir).code, 0)

    def streams(self, rng):
        """Events: only records of contracts whose ledger is the caller's to read."""
        for token in rng.sample(list(self.tokens), 12):
            who = self.tokens[token]
            connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=1)
            connection.request("GET", "/v1/events?from=0", headers={"Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            self.assertEqual(answer.status, 200 if who.may_somewhere("ledger:read") else 403, who.rights)
            try:
                heard = answer.read(20000).decode() if answer.status == 200 else ""
            except TimeoutError:
                heard = ""
            for line in re.findall(r"^data: (\{.*\})$", heard, flags=re.M):
                owner = json.loads(line).get("contract", "")
                self.assertTrue(who.may(owner, "ledger:read"), (who.rights, line))
            connection.close()


main()
