"""Files of tests/golden/before: how they were made.

given/   what the commands read, copies of our own examples: these stay as they are.
made/    what they said and wrote, the same bytes on every run; made/EXITS has each command
         with its exit status.
kept/    what has times, ids and signatures in it and is made once: stores, a ledger, keys'
         memories, an agent's state, and what a server said about all that.

`made(directory)` writes made/ anew from given/ and kept/, `keep(directory)` writes kept/.
"""
import hashlib
import json
import pathlib
import re
import shutil
import socket
import sqlite3
import subprocess

import harness
from harness import SOURCE, run
from serve import Server

BEFORE = SOURCE / "tests" / "golden" / "before"
CONTRACTS = ["claims", "currency", "escrow", "parcel", "release", "requisition",
             "trade_platform", "wide"]
SCENARIOS = ["arrow", "buyer", "handshake_responder", "supply_chain", "triangle",
             "triangle_direct"]
COMPAT = ["arrow", "buyer", "supply_chain", "triangle"]
AGENTS = ["arrow", "buyer", "handshake_initiator", "supply_chain"]


def files(directory):
    """Every file below it: its name from there, and its bytes."""
    return {str(path.relative_to(directory)): path.read_bytes()
            for path in sorted(pathlib.Path(directory).rglob("*")) if path.is_file()}


def place(directory, kept=None):
    """Copies of what is given (and kept), with secrets as secret as they must be."""
    shutil.copytree(BEFORE / "given", directory, dirs_exist_ok=True)
    if kept:
        shutil.copytree(kept, pathlib.Path(directory) / "kept", dirs_exist_ok=True)
    for path in pathlib.Path(directory).rglob("*"):
        if path.suffix in (".secret", ".key", ".memory", ".state"):
            path.chmod(0o600)


def fill(path, text):
    """A SQLite file of this SQL text."""
    with sqlite3.connect(path) as database:
        database.executescript(text)
    database.close()


def dump(path):
    """The SQL text of a SQLite file."""
    database = sqlite3.connect(path)
    text = "".join(f"{line}\n" for line in database.iterdump())
    database.close()
    return text


class Maker:
    """Runs commands in `work` and keeps what they say below `out`."""

    def __init__(self, work, out):
        self.work, self.out, self.exits = pathlib.Path(work), pathlib.Path(out), []

    def put(self, name, content):
        path = self.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def take(self, name, *paths):
        """Keeps files that a command wrote, below `name` if there are several."""
        for path in paths:
            self.put(name if len(paths) == 1 else f"{name}/{path}",
                     (self.work / path).read_bytes())

    def say(self, name, *words, stdin=b"", errors=False):
        """Keeps standard output or, where that is empty, what it says to people."""
        result = run(*words, cwd=self.work, stdin=stdin)
        self.exits.append(f"{result.code} {name}: {' '.join(map(str, words))}\n")
        said = result.err_bytes if errors or not result.out_bytes else result.out_bytes
        self.put(name, said)
        return result

    def finish(self):
        self.put("EXITS", "".join(self.exits))


def alter(path, old, new):
    text = path.read_bytes()
    assert old in text, f"{path} has no {old}"
    path.write_bytes(text.replace(old, new, 1))


# ---- contracts ----------------------------------------------------------------------

def contracts(m):
    for name in CONTRACTS:
        source = f"{name}/{name}.tenor"
        m.say(f"bundle/{name}.manifest.json", "elaborate", "--manifest", source)
        m.say(f"check/{name}.json", "check", "--json", source)
    for name in ("escrow", "wide"):
        m.say(f"explain/{name}.json", "explain", "--json", f"{name}/{name}.tenor")
    for name in ("release", "wide"):
        m.say(f"fmt/{name}.tenor", "fmt", "-", stdin=(m.work / name / f"{name}.tenor").read_bytes())
    m.say("bundle/escrow.json", "elaborate", "escrow/escrow.tenor")
    m.say("bundle/escrow.compact.json", "elaborate", "--compact", "escrow/escrow.tenor")
    run("elaborate", "--out", "members", "trade_platform/trade_platform.tenor", cwd=m.work)
    m.take("bundle", *sorted(p.relative_to(m.work) for p in (m.work / "members").iterdir()))
    for name in ("claims", "escrow", "trade_platform"):
        m.say(f"analyze/{name}.json", "analyze", "--json", f"{name}/{name}.tenor")
    m.say("analyze/wide.json", "analyze", "--json", "--only", "s1,s4,s6,s7", "--paths", "5",
          "wide/wide.tenor")
    m.say("analyze/escrow.txt", "analyze", "escrow/escrow.tenor")
    m.say("analyze/release.prove.json", "analyze", "--prove", "--json", "release/release.tenor")
    m.say("check/release.prove.json", "check", "--prove", "--json", "release/release.tenor")
    m.say("explain/wide.md", "explain", "--format", "markdown", "wide/wide.tenor")
    run("init", "starter", cwd=m.work)
    m.take("init", "starter/contract.tenor", "starter/contract.scenarios.json")


def faults(m):
    for name in ("many", "syntax", "warnings"):
        for form in ("json", "sarif"):
            m.say(f"fault/{name}.check.{form}", "check", f"--{form}", f"faulty/{name}.tenor")
        m.say(f"fault/{name}.elaborate.json", "elaborate", "--json", f"faulty/{name}.tenor")
    bundle = m.out / "bundle" / "escrow.json"
    manifest = m.out / "bundle" / "escrow.manifest.json"
    for name, path, old, new in (("key", bundle, b'"initial"', b'"inital"'),
                                 ("version", bundle, b'"tenor_version": "1', b'"tenor_version": "9'),
                                 ("reference", bundle, b'"fact_ref": "', b'"fact_ref": "un'),
                                 ("etag", manifest, b"refunded", b"refinded")):
        shutil.copy(path, m.work / f"{name}.json")
        alter(m.work / f"{name}.json", old, new)
        m.say(f"fault/{name}.validate.json", "validate", "--json", f"{name}.json")
        m.say(f"fault/{name}.validate.sarif", "validate", "--sarif", f"{name}.json")


def evaluation(m):
    def escrow(name, *words):
        m.say(f"eval/{name}", *words[:1], "escrow/escrow.tenor", *words[1:])
    for size in ("small", "large", "wrong"):
        escrow(f"{size}.json", "eval", "--facts", f"escrow/{size}.json", "--json")
        escrow(f"{size}.flow.json", "eval", "--facts", f"escrow/{size}.json", "--json",
               "--flow", "standard_release", "--persona", "seller")
    escrow("lines.jsonl", "eval", "--facts", "escrow/many.jsonl", "--lines", "--json")
    escrow("disputed.flow.json", "eval", "--facts", "escrow/small.json", "--flow",
           "standard_release", "--persona", "seller", "--state", "EscrowAccount=disputed",
           "--pretty", "--json")
    for persona in ("escrow_agent", "buyer"):
        escrow(f"{persona}.operation.json", "eval", "--facts", "escrow/small.json", "--json",
               "--operation", "release_escrow", "--persona", persona, "--state",
               "EscrowAccount=held", "--state", "DeliveryRecord=confirmed", "--dry-run")
        escrow(f"{persona}.actions.json", "actions", "--facts", "escrow/small.json",
               "--persona", persona, "--json", "--state", "EscrowAccount/a-1=held", "--state",
               "EscrowAccount/a-2=disputed", "--state", "DeliveryRecord/d-1=pending")
        escrow(f"{persona}.why.json", "explain", "--facts", "escrow/large.json", "--json",
               "--flow", "standard_release", "--persona", persona)
    escrow("verdict.why.json", "explain", "--facts", "escrow/large.json", "--json",
           "--verdict", "release_approved")
    for outcome in ("accepted", "declined", "ambiguous"):
        named = () if outcome == "ambiguous" else ("--outcome", outcome)
        m.say(f"eval/wide.{outcome}.flow.json", "eval", "wide/wide.tenor", "--facts",
              "wide/facts.json", "--flow", "sale", "--persona", "clerk", "--json", *named)
    m.say("eval/wide.json", "eval", "wide/wide.tenor", "--facts", "wide/facts.json", "--json")
    m.say("eval/parcel.json", "eval", "parcel/parcel.tenor", "--facts", "parcel/refund.json",
          "--sources", "parcel/sources.yaml", "--param", "country=de", "--json", "--provenance",
          "fetched.json")
    fetched = (m.work / "fetched.json").read_text()
    m.put("eval/parcel.provenance.json",
          re.sub(r'("fetch_timestamp": ?)"[^"]*"', r'\1"…"', fetched))
    for name in ("claims", "currency", "escrow", "requisition", "trade_platform", "wide"):
        m.say(f"scenarios/{name}.json", "test", "--json", "--coverage", name)
    m.say("scenarios/wide.tap", "test", "--coverage", "wide", "--record", "recorded.yaml")
    m.take("scenarios/wide.recorded.yaml", "recorded.yaml")


def questions(m):
    for number, question in enumerate((
            "can seller reach EscrowAccount.released", "who can perform refund_escrow",
            "can buyer move EscrowAccount from held to disputed",
            "is release_approved implied by delivery_confirmed", "when is release_approved",
            "when can refund_escrow", "is compliance_review_required and release_approved possible",
            "can anyone reach EscrowAccount.refunded with 2 instances",
            "can nobody reach anything")):
        m.say(f"ask/{number}.json", "ask", "--json", "escrow/escrow.tenor", question)


def versions(m):
    pair = ("escrow/escrow.tenor", "escrow2/escrow.tenor")
    m.say("versions/diff.json", "diff", "--json", *pair)
    m.say("versions/diff.txt", "diff", *pair)
    m.say("versions/diff.breaking.txt", "diff", "--breaking", *pair)
    m.say("versions/diff.prove.json", "diff", "--prove", "--json", *pair)
    m.say("versions/diff.migration.tenor", "diff", "--migration", *pair)
    m.say("versions/diff.back.json", "diff", "--json", *reversed(pair))
    m.say("versions/migrate.json", "migrate", "--json", *pair)
    for name, flows in (("flows", "escrow/flows.yaml"), ("positions", "kept/positions.json")):
        m.say(f"versions/migrate.{name}.json", "migrate", "--json", *pair, "--flows", flows)
        m.say(f"versions/migrate.{name}.aggressive.json", "migrate", "--json", *pair, "--flows",
              flows, "--aggressive")
    for name, ledger in (("example", "escrow/ledger.jsonl"), ("kept", "kept/ledger.jsonl")):
        m.say(f"versions/whatif.{name}.json", "whatif", "--json", ledger, pair[1])
        m.say(f"versions/whatif.{name}.same.json", "whatif", "--json", "--verify", ledger, pair[0])


def trust(m):
    m.say("trust/sign.json", "sign", "escrow/escrow.tenor", "--key", "keys/test-only.secret",
          "--domain", "before.example", "--out", "signed.json", "--json")
    m.take("trust/escrow.signed.json", "signed.json")
    m.say("trust/verify.json", "verify", "signed.json", "--pubkey", "keys/test-only.pub",
          "--domain", "before.example", "--json")
    m.say("trust/verify.other.json", "verify", "signed.json", "--pubkey",
          "keys/test-only-second.pub", "--json")
    ledger = "kept/ledger.jsonl"
    m.say("ledger/verify.json", "ledger", "verify", ledger, "--key", "keys/test-only.pub",
          "--domain", "before.example", "--json")
    m.say("ledger/verify.example.json", "ledger", "verify", "escrow/ledger.jsonl", "--json")
    m.say("ledger/show.jsonl", "ledger", "show", ledger, "--kind", "operation", "--json")
    m.say("ledger/show.txt", "ledger", "show", ledger, "--instance", "EscrowAccount/acc-1")
    m.say("ledger/inclusion.json", "ledger", "prove", ledger, "5")
    m.say("ledger/consistency.json", "ledger", "prove", ledger, "--from", "10")
    m.say("ledger/checkpoint.json", "ledger", "export", ledger, "--checkpoint", "last")
    m.say("ledger/export.digest", "ledger", "export", ledger, "--sign",
          "keys/test-only-second.secret", "--key", "keys/test-only.pub")
    copy = (m.out / "ledger" / "export.digest").read_bytes()
    m.put("ledger/export.digest", hashlib.sha256(copy).hexdigest() + "\n")


# ---- graphs -------------------------------------------------------------------------

def graphs(m):
    adapter = ("--adapter", "crossover/adapter.yaml")
    graph = ("crossover/crossover.yaml", *adapter)
    m.say("graph/check.json", "graph", "check", *graph, "--egress", "egress.yaml", "--json")
    (m.work / "crossover" / "broken.yaml").write_bytes(
        (m.work / "crossover" / "crossover.yaml").read_bytes())
    alter(m.work / "crossover" / "broken.yaml", b"close.value -> appended.value",
          b"on_signal.event -> appended.value")
    m.say("graph/check.broken.json", "graph", "check", "crossover/broken.yaml", *adapter, "--json")
    m.say("graph/primitives.json", "graph", "primitives", "--json")
    m.say("graph/explain.txt", "graph", "explain", *graph)
    m.say("graph/prices.jsonl", "graph", "fixture", "import", "crossover/prices.csv",
          "--semantic-kind", "price", "--columns", "close,spread")
    whole = (m.out / "graph" / "prices.jsonl").read_bytes().splitlines(keepends=True)
    (m.work / "prices.jsonl").write_bytes(b"".join(whole[:37]))
    m.say("graph/fixture.json", "graph", "fixture", "check", "prices.jsonl", "--adapter", "--json")
    m.say("graph/run.jsonl", "graph", "run", *graph, "--egress", "egress.yaml", "--fixture",
          "prices.jsonl", "--capture", "capture.json", "--json", "--sign",
          "keys/test-only-agent.key")
    m.take("graph", "capture.json", "capture.json.sum", "capture.json.sig", "orders.jsonl")
    key = (m.work / "keys" / "test-only-agent.pub").read_text().strip()
    replay = ("graph", "replay", "capture.json", "--graph", *graph)
    m.say("graph/replay.json", *replay, "--json", "--key", key)
    m.say("graph/replay.event.txt", *replay, "--event", "csv_evt_35")
    m.say("graph/render.json", "graph", "render", *graph, "--format", "json", "--capture",
          "capture.json", "--event", "csv_evt_35")
    m.say("graph/traced.txt", "graph", "run", *graph, "--egress", "egress.yaml", "--fixture",
          "prices.jsonl", "--capture", "traced.json", "--trace", "--max-events", "13")
    m.take("graph", "traced.json", "traced.json.sum", "traced.json.trace.jsonl")
    # A journal that a stopped run left, a capture made of it, and the run that goes on.
    stopped = (*graph, "--egress", "egress.yaml", "--fixture", "prices.jsonl", "--capture", "r.json")
    m.say("graph/stopped.txt", "graph", "run", *stopped, "--journal-only", "--max-events", "6")
    m.take("graph/stopped.journal", "r.json.journal")
    m.say("graph/export.txt", "graph", "export", "r.json.journal", "--out", "e.json", "--pretty")
    m.take("graph/exported.json", "e.json")
    m.take("graph/exported.json.sum", "e.json.sum")
    m.say("graph/resume.jsonl", "graph", "run", *stopped, "--resume", "--json")
    m.take("graph/resumed.json.sum", "r.json.sum")
    alter(m.work / "capture.json", b'"Series":[1.08492,1.08514]', b'"Series":[1.08492,1.08515]')
    m.say("graph/changed.txt", *replay, errors=True)
    (m.work / "capture.json.sum").unlink()
    (m.work / "capture.json.sig").unlink()
    m.say("graph/changed.json", *replay, "--json")
    # Events that wait, are skipped and come twice.
    gauge = ("gauge/graph.yaml", "--adapter", "gauge/adapter.yaml")
    m.say("graph/gauge.jsonl", "graph", "run", *gauge, "--driver", "cat", "--driver-arg",
          "gauge/events.jsonl", "--capture", "g.json", "--max-per-window", "1", "--rate-window", "1h",
          "--skip-duplicates", "--skip-kind", "noise", "--max-retries", "2", "--json")
    m.take("graph/gauge.capture.json", "g.json")
    m.say("graph/gauge.replay.json", "graph", "replay", "g.json", "--graph", *gauge, "--json")
    run("graph", "init", "sensor", cwd=m.work)
    m.take("graph", *(f"sensor/{name}" for name in ("adapter.yaml", "fixture.jsonl", "graph.yaml")))


# ---- agents -------------------------------------------------------------------------

def agents(m):
    for name in SCENARIOS:
        m.say(f"agent/{name}.jsonl", "agent", "trace", f"agents/{name}.scenario.yaml")
    for name in COMPAT:
        text = (m.work / "agents" / f"{name}.scenario.yaml").read_text()
        (m.work / "agents" / "compat.yaml").write_text("mode: compat\n" + text)
        m.say(f"agent/{name}.compat.jsonl", "agent", "trace", "agents/compat.yaml")
    for name in AGENTS:
        file = f"agents/{name}.yaml"
        m.say(f"agent/{name}.dna.json", "agent", "dna", "show", file)
        m.say(f"agent/{name}.pin", "agent", "dna", "pin", file)
    m.say("agent/buyer.sdk.json", "agent", "dna", "show", "--form", "sdk", "agents/buyer.yaml")
    m.say("agent/arrow.routes.jsonl", "agent", "routes", "--json", "agents/arrow.yaml")
    pair = ("agents/buyer.yaml", "agents/handshake_initiator.yaml")
    m.say("agent/dna.diff", "agent", "dna", "diff", *pair)
    m.say("agent/dna.merged.json", "agent", "dna", "merge", "agents/buyer.yaml", "agents/arrow.yaml")
    m.say("agent/dna.signed.json", "agent", "dna", "sign", "agents/buyer.yaml", "--key",
          "keys/test-only-agent.key", "--version", "1.2.3")
    m.say("agent/buyer.picture.json", "agent", "routes", "--format", "json", "agents/buyer.yaml")
    m.say("agent/statement", "agent", "statement")
    for mode in ("profile", "compat"):
        for number, text in enumerate(("A --[ f ]--> B", "--[boot]--> ready", "/not( A , B ) , C",
                                       "A,,B", "/all --> /oneof(A,B)", "A --[f--> B")):
            m.say(f"agent/route.{mode}.{number}.json", "agent", "route", "--json", "--mode", mode,
                  "--", text)
        questions_asked = [json.dumps(json.loads(line)["in"]) for line in
                           (m.work / "vectors" / f"{mode}.jsonl").read_text().splitlines() if line]
        m.say(f"agent/harness.{mode}.jsonl", "agent", "harness", "--mode", mode,
              stdin="\n".join(questions_asked) + "\n")
    m.say("agent/compare.txt", "agent", "compare", m.out / "agent" / "triangle.jsonl",
          m.out / "agent" / "triangle_direct.jsonl")
    m.exits[-1] = m.exits[-1].split(": ")[0] + ": agent compare\n"


# ---- a server's answers that have no time in them -----------------------------------

def settings(m):
    for name in ("serve", "bad"):
        m.say(f"serve/{name}.check", "serve", "--config", f"{name}.yaml", "--check-config",
              errors=True)


def server(m):
    with Server(m.work, "escrow/escrow.tenor", "wide/wide.tenor",
                "trade_platform/trade_platform.tenor", store="sqlite:made.db",
                options=("--config", "serve.yaml", "--signing-key", "keys/test-only.secret",
                         "--signer-memory", "made.memory")) as s:
        facts = json.loads((m.work / "escrow" / "large.json").read_text())
        s.post("/v1/contracts/escrow/instances/EscrowAccount", {"id": "a-1"})
        s.post("/v1/contracts/escrow/instances/DeliveryRecord", {"id": "d-1"})
        bound = {"EscrowAccount": "a-1", "DeliveryRecord": "d-1"}
        for name, method, path, body in (
                ("manifest", "GET", "/.well-known/tenor", None),
                ("systems", "GET", "/v1/systems/trade_platform", None),
                ("graphs", "GET", "/v1/graphs", None),
                ("agents", "GET", "/v1/agents", None),
                ("none", "GET", "/v1/contracts/none", None),
                ("nowhere", "GET", "/v1/nowhere", None),
                ("evaluate", "POST", "/v1/contracts/escrow/evaluate", {"facts": facts}),
                ("missing", "POST", "/v1/contracts/escrow/evaluate", {"facts": {}}),
                ("actions", "POST", "/v1/contracts/escrow/actions",
                 {"facts": facts, "persona": "seller"}),
                ("operation", "POST", "/v1/contracts/escrow/operations/release_escrow",
                 {"facts": facts, "persona": "escrow_agent", "bindings": bound, "dry_run": True}),
                ("flow", "POST", "/v1/contracts/escrow/flows/standard_release",
                 {"facts": facts, "persona": "seller", "bindings": bound, "dry_run": True}),
                ("deploy", "POST", "/v1/contracts",
                 {"contract": "escrow", "dry_run": True,
                  "source": (m.work / "escrow2" / "escrow.tenor").read_text()})):
            answer = s.ask(method, path, body, headers={"X-Request-Id": "before"})
            m.put(f"serve/{name}.json", answer.body)
            m.exits.append(f"{answer.status} serve/{name}.json: {method} {path}\n")


PARTS = (contracts, faults, evaluation, questions, versions, trust, graphs, agents, settings,
         server)


def made(work, out, kept=BEFORE / "kept", parts=PARTS):
    """Writes made/ anew into `out`."""
    place(work, kept)
    m = Maker(work, out)
    for part in parts:
        part(m)
    m.finish()


# ---- what is made once --------------------------------------------------------------

MAIN = "sqlite:main.db"
PERSONAS = ["seller", "escrow_agent", "buyer", "clerk", "admin", "warehouse_ops"]
# The files go into the store once; from then on it serves what it has.
FILES = ("escrow/escrow.tenor", "wide/wide.tenor", "trade_platform/trade_platform.tenor")
FIRST = ("--config", "serve.yaml", "--signing-key", "keys/test-only.secret")
SECOND = ("--config", "serve2.yaml", "--signing-key", "keys/test-only-second.secret")
WALKER = "agents/walker.yaml"
HEARD = {
    "arrow": [{"content": text} for text in
              ("Hello!", "please move along the arrow", "anything", "stay")],
    "buyer": [{"content": {"from": "seller", "to": "buyer", **rest}} for rest in (
        {"intent": "confirm", "my_nonce": "8692561352"},
        {"intent": "respond", "my_nonce": "0511383235", "your_nonce": "0235343311"},
        {"intent": "respond", "my_nonce": "0255750160", "your_nonce": "4293927743"},
        {"intent": "finish", "my_ref": "7088686671", "your_ref": "3880139174"},
        {"intent": "offer", "price": 85})],
}
# What a server says of the store, whatever it is asked first.
READ = [
    "/v1/contracts", "/v1/contracts/escrow/versions",
    "/v1/contracts/escrow/migration", "/v1/contracts/escrow/instances",
    "/v1/contracts/escrow/instances?deleted=true", "/v1/contracts/wide/instances",
    "/v1/contracts/order_mgmt/instances/Order/o-1", "/v1/contracts/fulfillment/facts",
    "/v1/contracts/escrow/instances/EscrowAccount/acc-1/history", "/v1/flows",
    "/v1/flows?status=waiting", "/v1/ledger?limit=20&order=desc", "/v1/ledger/2/proof",
    "/v1/ledger/checkpoint", "/v1/ledger/consistency?from=10&to=20", "/v1/systems",
    "/v1/systems/trade_platform", "/v1/systems/trade_platform/triggers",
    "/v1/graphs/gauge/context", "/v1/graphs/gauge/captures",
    "/v1/graphs/gauge/captures/gauge.000001", "/v1/graphs/gauge/captures/gauge.000002",
    "/v1/graphs/crossover/context",
    "/v1/graphs/crossover/captures/crossover.000001", "/v1/agents/arrow/tape",
    "/v1/agents/arrow/messages", "/v1/agents/buyer/tape", "/v1/agents/buyer/messages",
    "/readyz",
]


class Refused(Exception):
    pass


def expect(answer, *statuses):
    if answer.status not in (statuses or (200, 201)):
        raise Refused(repr(answer))
    return answer


def result(done):
    if done.code:
        raise Refused(repr(done))
    return done


def until(server, tokens, path, holds):
    """Waits until the answer is as it should be."""
    if not server.wait_until(lambda: holds(server.get(path, token=tokens["admin"]).json), 20):
        raise Refused(f"{path}: {server.get(path, token=tokens['admin'])}")


def gauge(id, kind, at, reading):
    return {"id": id, "kind": kind, "at": {"secs": at, "nanos": 0}, "semantic_kind": "reading",
            "payload": {"reading": reading}}


def prices(work, count):
    rows = (pathlib.Path(work) / "crossover" / "prices.csv").read_text().splitlines()
    names = rows[0].split(",")
    for number, row in enumerate(rows[1:count + 1], 1):
        cells = dict(zip(names, row.split(",")))
        yield {"id": f"p-{number}", "kind": "DataAvailable", "at": {"secs": number, "nanos": 0},
               "semantic_kind": "price",
               "payload": {name: float(cells[name]) for name in ("close", "spread")}}


def converse(work):
    """A day at a server: everything that leaves something in the store, in one order."""
    facts = {name: json.loads((work / path).read_text()) for name, path in
             (("small", "escrow/small.json"), ("large", "escrow/large.json"),
              ("wide", "wide/facts.json"))}
    middle = json.loads(json.dumps(facts["small"]).replace("5000.00", "7000.00"))
    s = Server(work, *FILES, store=MAIN, options=(*FIRST, "--shadow", "escrow2/escrow.tenor"))
    rights = [w for p in PERSONAS for w in ("--persona", p)]
    tokens = {
        "admin": s.token("--name", "operator", "--right", "admin", "--right", "facts:*", "--right",
                         "facts:override", "--right", "deploy", "--right", "instances:create",
                         "--right", "instances:delete", "--right", "ledger:read", "--right",
                         "graphs:gauge", "--right", "graphs:crossover", "--right", "agents:arrow",
                         "--right", "agents:buyer", *rights),
        "second": s.token("--name", "who decides", "--persona", "compliance_officer",
                          "--persona", "boss", "--persona", "auditor"),
        "boss": s.token("--name", "boss", "--persona", "boss"),
        "reader": s.token("--name", "reader", "--right", "ledger:read"),
        "revoked": s.token("--name", "gone", "--right", "admin"),
    }
    listed = run("token", "list", "--store", MAIN, "--json", cwd=work).out
    gone = next(row["id"] for row in json.loads(listed)["tokens"] if row["name"] == "gone")
    run("token", "revoke", gone, "--store", MAIN, cwd=work)
    ids = {}
    with s:
        def post(path, body, key=None, statuses=(), method="POST"):
            headers = {"Idempotency-Key": key} if key else None
            return expect(s.ask(method, path, body, token=tokens["admin"], headers=headers), *statuses)

        def flow(contract, name, persona, facts, **bound):
            return post(f"/v1/contracts/{contract}/flows/{name}",
                        {"persona": persona, "facts": facts, "bindings": bound}).json

        at = "/v1/contracts/escrow"
        for n in range(1, 6):
            post(f"{at}/instances/EscrowAccount", {"id": f"acc-{n}"}, key=f"create-{n}")
            post(f"{at}/instances/DeliveryRecord", {"id": f"del-{n}"})
        flow("escrow", "standard_release", "seller", facts["small"], EscrowAccount="acc-1",
             DeliveryRecord="del-1")
        ids["waiting"] = flow("escrow", "standard_release", "seller", facts["large"],
                              EscrowAccount="acc-2", DeliveryRecord="del-2")["id"]
        flow("escrow", "standard_release", "seller", middle, EscrowAccount="acc-3",
             DeliveryRecord="del-3")
        post(f"{at}/operations/flag_dispute", {"persona": "buyer", "facts": facts["small"],
                                               "bindings": {"EscrowAccount": "acc-4"}}, key="flag")
        post(f"{at}/operations/flag_dispute", {"persona": "buyer", "facts": facts["small"],
                                               "bindings": {"EscrowAccount": "acc-4"}},
             key="again", statuses=(409,))
        expect(s.ask("DELETE", f"{at}/instances/EscrowAccount/acc-5", token=tokens["admin"]), 200, 204)

        for name in ("one", "two", "three"):
            for entity in ("Order", "Parcel", "Bill"):
                post(f"/v1/contracts/wide/instances/{entity}", {"id": f"w-{name}"})
            ids[name] = flow("wide", "sale", "clerk", facts["wide"], Order=f"w-{name}",
                             Parcel=f"w-{name}", Bill=f"w-{name}")["id"]
        # The second goes on into its branches, and waits there for the auditor.
        expect(s.post(f"/v1/flows/{ids['two']}/resume", {"outcome": "accepted"},
                      token=tokens["boss"]))

        post(f"/v1/flows/{ids.pop('three')}/cancel", {"reason": "nobody wants it"})

        post("/v1/contracts/order_mgmt/facts/items_in_stock", {"value": False}, method="PUT")
        expect(s.ask("DELETE", "/v1/contracts/order_mgmt/facts/items_in_stock",
                     token=tokens["admin"]), 200, 204)
        post("/v1/contracts/fulfillment/facts/parcel_weight_grams", {"value": 1200}, method="PUT")
        post("/v1/contracts/order_mgmt/instances/Order", {"id": "o-1"})
        post("/v1/contracts/fulfillment/instances/Shipment", {"id": "s-1"})
        flow("order_mgmt", "order_processing", "admin",
             {"payment_received": True, "items_in_stock": True}, Order="o-1")
        until(s, tokens, "/v1/contracts/fulfillment/instances/Shipment/s-1",
              lambda found: found["state"] == "sent")

        for event in (gauge("e1", "DataAvailable", 1, 40.0), gauge("e2", "DataAvailable", 2, 41.5),
                      gauge("e3", "DataAvailable", 3, 35.0)):
            post("/v1/graphs/gauge/events", event)
        for event in prices(work, 12):
            post("/v1/graphs/crossover/events", event)
        until(s, tokens, "/v1/ledger?kind=intent", lambda found: found["items"])
        for name, heard in HEARD.items():
            for message in heard[:3]:
                post(f"/v1/agents/{name}/messages", message)
    # The key's memory is lost, and somebody decides.
    (work / "keys" / "test-only.secret.memory").unlink()
    result(run("ledger", "accept", "--store", MAIN, "--signing-key", "keys/test-only.secret",
               "--reason", "the memory was lost", cwd=work))
    # Another key takes over, a new version meets a flow that waits, a graph has other limits.
    with Server(work, store=MAIN, options=(*SECOND, "--previous-signing-key",
                                           "keys/test-only.secret")) as s:
        expect(s.post("/v1/contracts", {"contract": "escrow", "policy": "blue_green",
                                        "source": (work / "escrow2" / "escrow.tenor").read_text()},
                      token=tokens["admin"]))
        expect(s.post("/v1/graphs/gauge/events", gauge("e4", "DataAvailable", 4, 50.0),
                      token=tokens["admin"]))
    return tokens, ids


def positions(path):
    """The flows of a store as `motet migrate --flows` takes them."""
    database = sqlite3.connect(path)
    rows = database.execute("SELECT id, position, facts FROM flows WHERE contract = 'escrow' "
                            "ORDER BY started_ms, id").fetchall()
    database.close()
    return [{"id": id, "position": json.loads(position), "facts": json.loads(facts)}
            for id, position, facts in rows]


def read(server, token):
    """What the server says of everything: by path the status and the body."""
    said = {}
    paths = list(READ)
    for item in server.get("/v1/flows", token=token).json["items"]:
        paths.append(f"/v1/flows/{item['id']}")
    for path in paths:
        answer = server.get(path, token=token)
        said[path] = [answer.status, answer.body.decode()]
    return said


def shop(work):
    """A flow has ended; the one it triggers waits for a source that is not there yet."""
    with Server(work / "shop", options=("--config", "serve.yaml"), store="sqlite:shop.db") as s:
        expect(s.post("/v1/contracts/till/instances/Order", {"id": "o-1"}))
        expect(s.post("/v1/contracts/till/flows/sell",
                      {"persona": "clerk", "bindings": {"Order": "o-1"}}))
        if not s.wait_until(lambda: any(row["attempts"] for row in s.get(
                "/v1/systems/shop/triggers").json["items"])):
            raise Refused("the trigger was not tried")


class Relay:
    """A relay as an agent sees it: what it sends is written down."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]

    def accept(self):
        self.listener.settimeout(30)
        self.sock, _ = self.listener.accept()
        self.sock.settimeout(30)
        self.lines = self.sock.makefile("rb")

    def say(self, payload):
        inner = json.dumps({"_payload": payload, "_type": {"say": "str"}, "_version": "1.3.0"})
        line = json.dumps({"content": inner, "remote_addr": "127.0.0.1:1"})
        self.sock.sendall(line.encode() + b"\n")

    def hear(self):
        return json.loads(self.lines.readline())["_payload"]

    def close(self):
        self.lines.close()
        self.sock.close()
        self.listener.close()


def walk(work, state, steps, go_on=None):
    """Lets the walker take steps; returns what it says before and for each of them."""
    relay = Relay()
    agent = subprocess.Popen([str(harness.MOTET), "agent", "run", WALKER, "--connect",
                              relay.address, "--state", state], cwd=work,
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE)
    try:
        relay.accept()
        heard = [relay.hear() for _ in range(go_on or 0)]
        for _ in range(steps):
            relay.say({"say": "go"})
            heard.append(relay.hear())
        return heard
    finally:
        agent.terminate()
        _, errors = agent.communicate(timeout=30)
        relay.close()
        if agent.returncode:
            raise Refused(f"agent run: {agent.returncode} {errors.decode()}")


def walker(work):
    """The state of an agent that died after it had kept a message and before it was sent."""
    walk(work, "walker.state", 4)
    lines = (work / "walker.state").read_bytes().splitlines(keepends=True)
    while b'"sent"' in lines[-1]:
        lines.pop()
    return b"".join(lines)


def keep(work, out):
    """Writes kept/ anew. Nothing of it comes out the same twice."""
    work, out = pathlib.Path(work), pathlib.Path(out)
    place(work)
    out.mkdir(parents=True, exist_ok=True)
    tokens, ids = converse(work)
    (out / "language.digests").write_text("".join(languages()))
    (out / "tokens.json").write_text(json.dumps(tokens, indent=1) + "\n")
    (out / "ids.json").write_text(json.dumps(ids, indent=1) + "\n")
    (out / "main.sql").write_text(dump(work / "main.db"))
    shutil.copy(work / "keys" / "test-only-second.secret.memory", out / "signer.memory")
    result(run("ledger", "export", "--store", MAIN, "--out", out / "ledger.jsonl", cwd=work))
    (out / "positions.json").write_text(json.dumps(positions(work / "main.db"), indent=1) + "\n")
    with Server(work, store=MAIN, options=SECOND) as s:
        (out / "answers.json").write_text(json.dumps(read(s, tokens["admin"]), indent=1) + "\n")
    shop(work)
    result(run("backup", "--store", "sqlite:shop/shop.db", "--out", out / "shop.backup", cwd=work))
    (out / "shop.sql").write_text(dump(work / "shop" / "shop.db"))
    (out / "walker.state").write_bytes(walker(work))


def scrub(text):
    """The SQL text of a store without what no two days have in common: times, checkpoints
    (signed when there is time), digests and ids, which become their number in order of
    appearance."""
    text = re.sub(r'^INSERT INTO "(checkpoints|stamps)".*?\);\n', "", text, flags=re.M | re.S)
    text = re.sub(r"""^INSERT INTO "meta" VALUES\('(?!schema).*\n""", "", text, flags=re.M)
    text = re.sub(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "TIME", text)
    text = re.sub(r"\b1[789]\d{11}\b", "TIME", text)
    seen = {}
    return re.sub(r"\b[0-9a-fA-F]{16,}\b", lambda m: f"#{seen.setdefault(m[0].lower(), len(seen))}", text)


def languages(names=None):
    """One line for each directory of tests/language that has contracts: the digest of their
    texts, that of what elaborating them gives, and its name. A contract gives a manifest or an
    error as the conformance suite has it; what people are told beside it may get better."""
    root = SOURCE / "tests" / "language"
    for name in names or sorted({str(p.parent.relative_to(root)) for p in root.rglob("*.tenor")}):
        texts, said = hashlib.sha256(), hashlib.sha256()
        for path in sorted((root / name).glob("*.tenor")):
            texts.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
            result = run("elaborate", "--manifest", "--json", path.name, cwd=path.parent)
            gives = result.out_bytes
            if result.code:
                gives = json.dumps(json.loads(gives)["error"], sort_keys=True).encode()
            said.update(b"%d " % result.code + gives + b"\0")
        yield f"{texts.hexdigest()[:16]} {said.hexdigest()[:16]} {name}\n"
