"""Which tools a persona has: exactly those that it may ever perform (S4), worked out here once more
for random contracts; and what it finds out about those of others. A tenth of the contracts, all
1,000 with MOTET_SOAK."""
import itertools
import json
import random

import brute
import brute_contracts
from harness import SEED, SOAK, SOURCE, Case, main
from mcp import NEWER, OLDER, TASKS, Agent, Refused
from serve import Server

ESCROW = SOURCE / "examples" / "escrow" / "escrow.tenor"
OWN = ["actions", "why", "dry_run", "ask", "explain", "resume", "cancel"]
TOOLS = {"buyer": ["flag_dispute"],
         "seller": ["confirm_delivery", "flag_dispute", "standard_release"],
         "compliance_officer": ["release_escrow_with_compliance"],
         "escrow_agent": ["record_delivery_failure", "refund_escrow", "release_escrow",
                          "revert_delivery_confirmation", "refund_flow"]}
EVERY = sorted({name for names in TOOLS.values() for name in names})


# ---- what a flow can come to first --------------------------------------------------------------

class Flows:
    """Follows every way through a flow up to its first operation, whatever conditions say."""

    def __init__(self, bundle):
        self.flows = {c["id"]: c for c in bundle["constructs"] if c["kind"] == "Flow"}

    def first(self, flow):
        """{(operation, persona)}"""
        return {r[1:] for r in self.run(self.flows[flow], self.flows[flow]["entry"]) if r[0] == "op"}

    def run(self, graph, name):
        """Every result of a step and what follows: ("op", operation, persona), ("good",), ("bad",)."""
        step = next(s for s in graph["steps"] if s["id"] == name)
        return getattr(self, step["kind"])(graph, step)

    def to(self, graph, target):
        if isinstance(target, str):
            return self.run(graph, target)
        return {("bad",) if not target or target["outcome"] in ("failure", "escalation") else ("good",)}

    def fail(self, graph, handler):
        kind = handler and handler["kind"]
        if kind == "Compensate" and handler["steps"]:
            return {("op", handler["steps"][0]["op"], handler["steps"][0]["persona"])}
        return self.to(graph, {"Compensate": lambda: handler["then"], "Escalate": lambda: handler["next"],
                               "Terminate": lambda: handler, None: lambda: None}[kind]())

    def OperationStep(self, graph, step):
        return {("op", step["op"], step["persona"])}

    def BranchStep(self, graph, step):
        return self.to(graph, step["if_true"]) | self.to(graph, step["if_false"])

    def HandoffStep(self, graph, step):
        return self.to(graph, step["next"])

    def SubFlowStep(self, graph, step):
        inner = self.flows[step["flow"]]
        results = set()
        for result in self.run(inner, inner["entry"]):
            results |= ({result} if result[0] == "op" else self.to(graph, step["on_success"])
                        if result == ("good",) else self.fail(graph, step["on_failure"]))
        return results

    def ParallelStep(self, graph, step):
        """The branches have no order: any of them can come first; they join when all have ended."""
        ways = [self.run(branch, branch["entry"]) for branch in step["branches"]]
        join = step["join"]
        results = {result for way in ways for result in way if result[0] == "op"}
        for ends in itertools.product(*([r for r in way if r[0] != "op"] for way in ways)):
            if ("bad",) not in ends and join.get("on_all_success"):
                results |= self.to(graph, join["on_all_success"])
            elif ("bad",) in ends and join.get("on_any_failure"):
                results |= self.fail(graph, join["on_any_failure"])
            else:
                results |= self.to(graph, join.get("on_all_complete"))
        return results


# ---- random contracts ---------------------------------------------------------------------------

def branch(r, number, operation):
    """A branch with one operation, or one that may end without it."""
    persona = r.choice(operation["allowed_personas"])
    act = {"id": f"o{number}", "kind": "OperationStep", "on_failure": {"kind": "Terminate", "outcome": "failure"},
           "op": operation["id"], "outcomes": {o: brute_contracts.terminal(r) for o in operation["outcomes"]},
           "persona": persona}
    if r.random() < 0.4:
        return {"entry": act["id"], "id": f"b{number}", "steps": [act]}
    ask = {"condition": brute_contracts.literal(True), "id": f"q{number}", "if_false": brute_contracts.terminal(r),
           "if_true": act["id"] if r.random() < 0.6 else brute_contracts.terminal(r), "kind": "BranchStep",
           "persona": persona}
    return {"entry": ask["id"], "id": f"b{number}", "steps": [ask, act]}


def fork(r, later, operations):
    """A parallel step over operations that touch different entities, or None."""
    apart = [(a, b) for a in operations for b in operations
             if not {e["entity_id"] for e in a["effects"]} & {e["entity_id"] for e in b["effects"]}]
    if not apart:
        return None
    one, two = r.choice(apart)

    def target():
        return r.choice(later) if later and r.random() < 0.8 else brute_contracts.terminal(r)
    join = {"on_all_complete": target() if r.random() < 0.5 else None,
            "on_all_success": target() if r.random() < 0.7 else None,
            "on_any_failure": brute_contracts.handler(r, later, operations) if r.random() < 0.5 else None}
    return {"branches": [branch(r, 1, one), branch(r, 2, two)], "kind": "ParallelStep",
            "join": {key: value for key, value in join.items() if value}}


def with_forks(r, flow, operations):
    """Some steps become parallel ones, or hand over."""
    names = [s["id"] for s in flow["steps"]]
    for i, step in enumerate(flow["steps"]):
        later = names[i + 1:]
        how = r.random()
        if how < 0.35 and (new := fork(r, later, operations)):
            flow["steps"][i] = {**new, "id": step["id"]}
        elif how < 0.45 and later:
            flow["steps"][i] = {"from_persona": step.get("persona", "p0"), "id": step["id"], "kind": "HandoffStep",
                                "next": r.choice(later), "to_persona": step.get("persona", "p0")}
    return flow


class Tools(Case):
    def test_S4_tools_are_exactly_what_a_persona_may_ever_perform(self):
        r = random.Random(SEED)
        tried = forks = never = 0
        while tried < (1000 if SOAK else 100):
            bundle = brute_contracts.contract(r)
            operations = [c for c in bundle["constructs"] if c["kind"] == "Operation"]
            still = {**r.choice(operations), "effects": [], "id": "still", "outcomes": ["o0"]}
            operations.append(still)  # it moves nothing, so it can be beside any other
            bundle["constructs"].append(still)
            flows = ("f", "g")[:r.randint(0, 2)]
            for name in flows:
                flow = brute_contracts.flow(r, name, bundle, ["f"] if name == "g" else [])
                bundle["constructs"].append(with_forks(r, flow, operations) if r.random() < 0.6 else flow)
            path = self.write("t.json", json.dumps(bundle))
            analysis = json.loads(self.run_motet("analyze", path, "--only", "s3,s4", "--json").out)
            tried += 1
            forks += '"ParallelStep"' in json.dumps(bundle)
            never += self.compare(path, bundle, analysis, operations, flows)
        self.assertGreater(forks, tried // 20)
        self.assertGreater(never, 0, "some operation can never be performed")

    def compare(self, path, bundle, analysis, operations, flows):
        """With the analysis; with every fact set there is; and flows with every way through them.
        How many operations can never be performed."""
        authority = analysis["s4_authority"]["persona_authority"]
        never = set(analysis["s3a_admissibility"]["inadmissible_operations"])
        contract = brute.Contract(bundle)
        can = {o["id"] for o in operations if True in contract.results[o["id"]]}
        for persona in contract.personas:
            listed = self.holds("mcp", path, "--persona", persona, "--list", "--store",
                                "sqlite:t.db").out.split()
            acts = {n for n in listed if n not in OWN}
            moving = {op for by_state in authority.get(persona, {}).get("by_entity", {}).values()
                      for ops in by_state.values() for op in ops}
            still = {o["id"] for o in operations if not o["effects"] and persona in o["allowed_personas"]}
            self.assertEqual({a for a in acts if a not in flows}, moving | (still - never), path.read_text())
            mine = {o["id"] for o in operations if persona in o["allowed_personas"]}
            self.assertLessEqual(can & mine, acts, path.read_text())
            self.assertLessEqual(acts - set(flows), mine - never, path.read_text())
            begins = {f for f in flows if any(who == persona and op in acts
                                              for op, who in Flows(bundle).first(f))}
            self.assertEqual({a for a in acts if a in flows}, begins, path.read_text())
        for left in self.dir.glob("t.db*"):
            left.unlink()
        return len(never)

    # ---- what others can do -------------------------------------------------------------------

    def agent(self, persona, revision, can=None):
        agent = Agent(["mcp", ESCROW, "--persona", persona, "--may-assert", "*", "--store", "sqlite:a.db",
                       "--instance", "EscrowAccount/e"], revision, self.dir, can)
        self.addCleanup(agent.__exit__)
        return agent

    def attempts(self, name):
        """Everything that a name can be put into."""
        return [("tools/call", {"name": name}), ("tools/call", {"name": name, "arguments": {"bindings": {}}}),
                ("tools/call", {"name": "operation-" + name}), ("tools/call", {"name": "flow-" + name}),
                ("tools/call", {"name": name.upper()}), ("tools/call", {"name": name + " "}),
                ("tools/call", {"name": name, "requestState": "f-1", "inputResponses": {}}),
                ("tools/list", {"cursor": name}),
                *(("tools/call", {"name": tool, "arguments": given}) for tool, given in [
                    ("dry_run", {"tool": name}), ("dry_run", {"tool": name, "arguments": {"bindings": {}}}),
                    ("why", {"operation": name}), ("why", {"flow": name}), ("explain", {"name": name}),
                    ("actions", {"bindings": {name: "x"}}), ("why", {"verdict": name}),
                    ("resume", {"execution": name}), ("actions", {"facts": {name: 1}}), ("actions", {name: 1})]),
                *(("resources/read", {"uri": f"motet://escrow/{path}"}) for path in [
                    name, f"instances/{name}", f"instances/{name}/x", f"flows/{name}", f"records/{name}"])]

    def told(self, agent, method, params, name):
        try:
            said = agent.ask(method, params)
        except Refused as refused:
            said = refused.error
        return json.dumps(said).replace(name, "NAME").replace(name.upper(), "NAME")

    def test_anothers_tool_is_like_one_that_does_not_exist(self):
        """Each attempt with another's tool gets, byte for byte, what it gets with no tool's name."""
        for revision in (OLDER, NEWER):
            for persona, names in TOOLS.items():
                with self.agent(persona, revision) as agent:
                    self.assertEqual(sorted(agent.tools()), sorted(names + [
                        n for n in OWN if n != "cancel" or persona in ("seller", "escrow_agent")]
                        if persona != "buyer" else names + ["actions", "why", "dry_run", "ask", "explain"]))
                    for other in [n for n in EVERY if n not in names]:
                        for (method, params), (_, none) in zip(self.attempts(other),
                                                               self.attempts("no_such_tool")):
                            self.assertEqual(self.told(agent, method, params, other),
                                             self.told(agent, method, none, "no_such_tool"),
                                             (persona, other, method, params))

    def test_what_another_did_is_not_told_by_keys_tasks_and_errors(self):
        """Two personas of two callers over HTTP: a key, a task and a record of one is nothing to the
        other, unless the contract's own rights let it see."""
        server = Server(self.dir, ESCROW)
        clerk = server.token("--right", "instances:create")
        token = {p: server.token("--persona", f"escrow:{p}", "--right", "escrow/facts:*")
                 for p in ("seller", "buyer")}
        with server:
            made = server.post("/v1/contracts/escrow/instances/DeliveryRecord", {"id": "d"}, token=clerk)
            self.assertEqual(made.status, 201)

            def call(persona, name, arguments, key):
                said = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                    "name": name, "arguments": arguments, "_meta": {"motet/callId": key}}}
                return server.post(f"/mcp/escrow/{persona}", said, token=token[persona], headers={
                    "MCP-Protocol-Version": OLDER}).json
            facts = {"delivery_status": "confirmed", "line_items": [],
                     "escrow_amount": {"amount": "1.00", "currency": "USD"}}
            done = call("seller", "confirm_delivery", {"bindings": {"DeliveryRecord": "d"}, "facts": facts}, "k")
            self.assertFalse(done["result"]["isError"])
            used = call("buyer", "flag_dispute", {"bindings": {"EscrowAccount": "x"}, "facts": facts}, "k")
            free = call("buyer", "flag_dispute", {"bindings": {"EscrowAccount": "x"}, "facts": facts}, "l")
            for answer in (used, free):
                answer["result"]["_meta"].pop("motet/record")
                answer["result"]["structuredContent"].pop("record")
                answer["result"]["content"].pop()
            self.assertEqual(used, free, "that a key is used is its caller's to know")
            record = done["result"]["_meta"]["motet/record"]
            read = {"jsonrpc": "2.0", "id": 1, "method": "resources/read"}
            for path, none in ((f"records/{record}", "records/999"), (f"records/{record}/proof", "records/999/proof"),
                               (f"records/{record}/receipt", "records/999/receipt")):
                told = [server.post("/mcp/escrow/buyer", {**read, "params": {"uri": f"motet://escrow/{p}"}},
                                    token=token["buyer"], headers={"MCP-Protocol-Version": OLDER}).body.replace(
                                        str(p).encode(), b"P") for p in (path, none)]
                self.assertEqual(told[0], told[1])


main()
