"""Random identities, rights, `distinct` rules and requests against a model of the rights that shares
nothing with the server: 3,000 requests, 100,000 with MOTET_SOAK=1. The server's answer must be
the model's on each, and nothing in it may be of somebody else. A third of the identities are
vouched for by a provider, the others have tokens of the server."""
import http.client
import json
import random
import re
import time

from harness import SANITIZED, SEED, SOAK, Case, main, run
from jwts import Signer
from serve import Server

COUNT = 100000 if SOAK else 800 if SANITIZED else 3000
CONTRACTS = ("ward", "vault", "shop")
SECRETS = {"ward": 713581617, "vault": 829417153, "shop": 940271861}  # the kept fact of each
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
    """One identity and what its grants mean, by the words of docs/reference/rights.md."""

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
        over = ("read", "evaluate", "decide", "deploy", "admin", "ledger:read", "facts:override", "instances:create",
                "instances:delete", "facts:balance", "facts:limit", "facts:*", "source:desk")
        return any(p.startswith(contract + ":") for p in self.personas) or self.is_persona_of(contract) or \
            any(r.startswith(contract + "/") for r in self.rights) or any(r in self.rights for r in over)

    def reads_facts(self, contract):
        return self.may(contract, "ledger:read") or self.is_persona_of(contract)

    def secrets(self):
        """Contracts whose kept fact it may see at all."""
        return {c for c in CONTRACTS if self.reads_facts(c) or self.asserts(c, "balance")}


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
        if facts.get("balance", SECRETS[contract]) < facts.get("limit", 0):
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
                  "instances:create", "deploy", "decide"]
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
        people = list(self.people(rng, 24 if not SOAK else 150))
        signer = Signer(self.dir)
        jwks = self.write("jwks.json", json.dumps(signer.keys))
        rules = [{"claim": "sub", "equals": f"u{i}", "personas": personas, "rights": rights}
                 for i, (personas, rights) in enumerate(people)]
        self.write("motet.json", json.dumps({
            "files": [f"{c}.tenor" for c in CONTRACTS], "distinct": DISTINCT,
            "oidc": {"corp": {"issuer": "https://id.example", "audience": "motet", "jwks": str(jwks), "rules": rules}}}))
        self.assertEqual(run("keygen", "--prefix", "node", cwd=self.dir).code, 0)
        self.server = server = Server(self.dir, options=["--config", "motet.json", "--access-log",
                                                         "--signing-key", "node.secret"])
        self.root = server.token("--right", "admin", "--right", "instances:create", "--right", "facts:*")
        self.tokens = {}
        for i, (personas, rights) in enumerate(people):
            if i % 3 == 0:
                token = signer.token(iss="https://id.example", aud="motet", sub=f"u{i}", exp=int(time.time()) + 86400)
                self.tokens[token] = Who(f"oidc:corp:u{i}", personas, rights)
                continue
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
            self.assertEqual(self.ask(self.root, "PUT", f"/v1/contracts/{c}/facts/balance", {"value": SECRETS[c]})[0], 200)
        self.flows = []
        self.size = self.records()

    def records(self):
        return json.loads(self.ask(self.root, "GET", "/v1/ledger?order=desc&limit=1")[1])["items"][0]["seq"] + 1

    def ask(self, token, method, path, body=None):
        fields = {"Authorization": f"Bearer {token}"}
        if body is not None:
            fields["Content-Type"] = "application/jsonl" if isinstance(body, str) else "application/json"
        self.connection.request(method, path, body if body is None or isinstance(body, str) else json.dumps(body), fields)
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
        return text, {c} & who.secrets()

    def try_decide(self, rng, token, who, c):
        """A question about a persona: who may ask it, and what an operation would come to."""
        operation, persona = rng.choice(("go", "back")), rng.choice((*PERSONAS[c], "stranger"))
        if rng.random() < 0.6:
            persona = OPERATIONS[c][operation][0]
        instance, facts = rng.choice(INSTANCES), self.facts(rng)
        got = self.ask(token, "POST", "/access/v1/evaluation", {
            "subject": {"type": "persona", "id": persona}, "action": {"name": operation},
            "resource": {"type": f"{c}.Thing", "id": instance}, "context": facts})
        subject = Who("subject", [f"{c}:{persona}"], who.rights)
        status, code = self.model.operate(subject, c, operation, persona, instance, facts, True)
        if not who.may(c, "decide") and not who.holds(c, persona):
            self.forbidden(got)
        elif code == "fact_forbidden":
            self.forbidden(got, code)
        else:
            self.assertEqual(got[0], 200, (self.about, got))
            said = json.loads(got[1])
            self.assertEqual((said["decision"], said["context"].get("code")), (status == 200, code), (self.about, got))
            self.assertEqual("reason_admin" in said["context"], bool(code) and who.reads_facts(c), self.about)
        return got[1], set()

    def asks(self, got, who, c, facts):
        """What asking about facts comes to; true: it was answered."""
        if not who.may(c, "evaluate"):
            self.forbidden(got)
        elif any(not who.asserts(c, f) for f in facts):
            self.forbidden(got, "fact_forbidden")
        else:
            self.assertEqual(got[0], 200, (self.about, got))
            return True
        return False

    def hides(self, who, c, facts):
        return [] if c in who.secrets() or "balance" in facts else ["balance"]

    def try_evaluate(self, rng, token, who, c):
        facts = self.facts(rng)
        got = self.ask(token, "POST", f"/v1/contracts/{c}/evaluate", {"facts": facts})
        if self.asks(got, who, c, facts):
            self.assertEqual(json.loads(got[1]).get("hidden", []), self.hides(who, c, facts), (self.about, got))
        return got[1], {c} & who.secrets()

    def try_partial(self, rng, token, who, c):
        facts = self.facts(rng)
        got = self.ask(token, "POST", f"/v1/contracts/{c}/partial", {"facts": facts})
        if self.asks(got, who, c, facts):
            self.assertEqual(json.loads(got[1]).get("hidden", []), self.hides(who, c, facts), (self.about, got))
        return got[1], {c} & who.secrets()

    def try_batch(self, rng, token, who, c):
        lines = [self.facts(rng) for _ in range(3)]
        got = self.ask(token, "POST", f"/v1/contracts/{c}/evaluate/batch",
                       "".join(json.dumps({"facts": facts}) + "\n" for facts in lines))
        if not who.may(c, "evaluate"):
            self.forbidden(got)
            return got[1], set()
        answers = [json.loads(line) for line in got[1].splitlines()]
        self.assertEqual(len(answers), 3, self.about)
        for facts, answer in zip(lines, answers):
            text = json.dumps(answer.get("evaluation") or answer["problem"])
            if self.asks((answer["status"], text), who, c, facts):
                self.assertEqual(json.loads(text).get("hidden", []), self.hides(who, c, facts), (self.about, got))
        return got[1], {c} & who.secrets()

    def try_explain(self, rng, token, who, c):
        facts = self.facts(rng)
        got = self.ask(token, "POST", f"/v1/contracts/{c}/explain", {"facts": facts, "verdict": "rich"})
        self.asks(got, who, c, facts)
        return got[1], {c} & who.secrets()

    def try_actions(self, rng, token, who, c):
        persona = rng.choice(PERSONAS[c])
        got = self.ask(token, "POST", f"/v1/contracts/{c}/actions", {"persona": persona})
        if not who.holds(c, persona):
            self.forbidden(got, "persona_rejected")
            return got[1], set()
        self.assertEqual(got[0], 200, (self.about, got))
        return got[1], {c}

    def try_states(self, rng, token, who, c):
        got = self.ask(token, "GET", f"/v1/contracts/{c}/states")
        if not who.sees(c):
            self.forbidden(got)
        else:
            states = [state for (of, _), state in self.model.state.items() if of == c]
            self.assertEqual({row["state"]: row["count"] for row in json.loads(got[1])["items"]},
                             {state: states.count(state) for state in set(states)}, (self.about, got))
        return got[1], set()

    def try_page(self, rng, token, who, c):
        """The page for people is made of the same calls."""
        status, text = self.ask(token, "GET", "/")
        self.assertEqual(status, 200, self.about)
        return text, {c for c in CONTRACTS if who.may(c, "ledger:read")}

    def try_session(self, rng, token, who, c):
        got = json.loads(self.ask(token, "GET", "/session")[1])
        self.assertEqual((got["id"], sorted(got["personas"]), sorted(got["rights"])),
                         (who.id, who.personas, who.rights), self.about)
        return json.dumps(got), set()

    def try_receipt(self, rng, token, who, c):
        """Whoever asked has a right to the receipt; others as to the record."""
        number = rng.randrange(self.size)
        record = json.loads(self.ask(self.root, "GET", f"/v1/ledger/{number}")[1])["body"]
        owner = record.get("contract", "")
        got = self.ask(token, "GET", f"/v1/ledger/{number}/receipt")
        if record.get("caller", {}).get("id") == who.id or who.may(owner, "ledger:read"):
            self.assertEqual(got[0], 200, (self.about, got))
            said = json.loads(got[1])["promise"]["decision"]
            self.assertEqual(said.get("caller"), record.get("caller"), self.about)
        elif who.may_somewhere("ledger:read"):
            self.forbidden(got, "unknown_record", 404)
        else:
            self.forbidden(got)
        return got[1], set()

    def try_instances(self, rng, token, who, c):
        path = rng.choice(("instances", "instances/Thing", f"instances/Thing/{rng.choice(INSTANCES)}"))
        got = self.ask(token, "GET", f"/v1/contracts/{c}/{path}")
        if not who.sees(c):
            self.forbidden(got)
        else:
            self.assertEqual(got[0], 200, (self.about, got))
            if path.count("/") == 2:
                self.assertEqual(json.loads(got[1])["state"], self.model.state[c, path.split("/")[2]])
        return got[1], set()

    def try_history(self, rng, token, who, c):
        path = f"/v1/contracts/{c}/instances/Thing/{rng.choice(INSTANCES)}/history?limit=5"
        kinds = [r["body"]["kind"] for r in json.loads(self.ask(self.root, "GET", path)[1])["items"]]
        got = self.ask(token, "GET", path)
        if not who.sees(c):
            self.forbidden(got)
        else:
            shown = ["body" in r for r in json.loads(got[1])["items"]]
            wanted = [who.may(c, "ledger:read") if kind == "decision" else who.reads_facts(c) for kind in kinds]
            self.assertEqual(shown, wanted, (self.about, got))
        return got[1], {c} if who.reads_facts(c) else set()

    def try_facts(self, rng, token, who, c):
        got = self.ask(token, "GET", f"/v1/contracts/{c}/facts")
        readable = c in who.secrets()
        if not who.sees(c):
            self.forbidden(got)
        else:
            kept = next(f for f in json.loads(got[1])["items"] if f["id"] == "balance")["asserted"]
            self.assertEqual("value" in kept, readable, (self.about, got))
        return got[1], {c} & who.secrets()

    def try_ledger(self, rng, token, who, c):
        path = "/v1/ledger?order=desc&limit=12"
        everything = json.loads(self.ask(self.root, "GET", path)[1])["items"]
        got = self.ask(token, "GET", path)
        if not who.may_somewhere("ledger:read"):
            self.forbidden(got)
        else:
            mine = [r for r in everything if who.may(r["body"].get("contract", ""), "ledger:read")]
            self.assertEqual(json.loads(got[1])["items"], mine, self.about)
            self.size = everything[0]["seq"] + 1
        return got[1], {c for c in CONTRACTS if who.may(c, "ledger:read")}

    def try_record(self, rng, token, who, c):
        record = rng.randrange(self.size)
        path = f"/v1/ledger/{record}" + rng.choice(("", "/proof"))
        owner = json.loads(self.ask(self.root, "GET", f"/v1/ledger/{record}")[1])["body"].get("contract", "")
        got = self.ask(token, "GET", path)
        if not who.may_somewhere("ledger:read"):
            self.forbidden(got)
        elif not who.may(owner, "ledger:read"):
            self.forbidden(got, "unknown_record", 404)
        else:
            self.assertEqual(got[0], 200, self.about)
        return got[1], {owner} if who.may(owner, "ledger:read") else set()

    def try_metrics(self, rng, token, who, c):
        got = self.ask(token, "GET", "/metrics")
        self.assertEqual(got[0], 200 if who.may("", "metrics:read") else 403, self.about)
        return re.sub(r" [-+.e0-9]+$", "", got[1], flags=re.M), set()  # figures may be any number

    def try_flow(self, rng, token, who, c):
        """Begins one now and then, and looks at one that somebody has begun."""
        if len(self.flows) < 30:
            persona = rng.choice(PERSONAS[c])
            instance = rng.choice(INSTANCES)
            status, text = self.ask(token, "POST", f"/v1/contracts/{c}/flows/long",
                                    {"persona": persona, "bindings": {"Thing": instance}})
            if not who.holds(c, persona):
                self.forbidden((status, text), "persona_rejected")
                return text, set()
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
        return got[1], {c} if readable else set()

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
            text, may_have = kind(rng, token, who, c)
            for owner in set(CONTRACTS) - may_have:
                self.assertIsNone(re.search(rf"(?<!\d){SECRETS[owner]}(?!\d)", text), (self.about, owner, text))
        self.streams(rng)
        self.server.stop()
        log = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z|[0-9a-f]{16,}|micros=\d+|port=\d+|:\d+", "", self.server.log())
        for secret in SECRETS.values():
            self.assertNotIn(str(secret), log)
        self.assertEqual(run("ledger", "verify", "--store", self.server.store, cwd=self.dir).code, 0)

    def streams(self, rng):
        """Events: only records of contracts whose ledger is the caller's to read."""
        for token in rng.sample(list(self.tokens), 12):
            who = self.tokens[token]
            connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=1)
            connection.request("GET", "/v1/events?from=0", headers={"Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            self.assertEqual(answer.status, 200 if who.may_somewhere("ledger:read") else 403, who.rights)
            heard = b""
            try:
                while answer.status == 200 and len(heard) < 20000:
                    heard += answer.read1(20000)
            except TimeoutError:
                pass
            heard = heard[:heard.rfind(b"\n\n") + 1].decode()  # events that came whole
            for line in re.findall(r"^data: (\{.*\})$", heard, flags=re.M):
                owner = json.loads(line).get("contract", "")
                self.assertTrue(who.may(owner, "ledger:read"), (who.rights, line))
            connection.close()


main()
