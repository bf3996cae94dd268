"""Every run of a contract, or of the members of a System, by trying everything.

Built on brute.Contract and on nothing of the engine: joint states are dictionaries, a history is
carried along with them where it matters, facts are written out one by one. Nothing is left out
that could not matter, nothing is merged that is alike.

    runs = Runs({"": Contract(bundle)})
    runs.graph(instances=1)      # {joint state: [(step, joint state after it)]}
"""
import itertools
from collections import namedtuple

from brute import Error, Fault, evaluate, values

# changes: {(entity, instance): (from, to)}, in names of the whole System.
Step = namedtuple("Step", "member operation personas changes")


class Runs:
    def __init__(self, contracts, shared_entities=(), shared_personas=()):
        self.contracts = contracts
        self.shared = {"entity": set(shared_entities), "persona": set(shared_personas)}
        self.entities = {}
        for member, c in contracts.items():
            for e in c.entities.values():
                self.entities.setdefault(self.entity(member, e["id"]), e)
        self.personas = sorted({self.persona(m, p) for m, c in contracts.items()
                                for p in c.personas})
        self.operations = {(m, o): op for m, c in contracts.items()
                           for o, op in c.operations.items()}
        self.worlds = {m: self.written_out(c) for m, c in contracts.items()}
        self.able = {(m, o): any(self.true(op["precondition"], *w) for w in self.worlds[m])
                     for (m, o), op in self.operations.items()}
        self.graphs = {}

    # ---- names ---------------------------------------------------------------------------------

    def named(self, kind, member, name, everywhere):
        if name in self.shared[kind] or sum(name in c for c in everywhere) == 1:
            return name
        return f"{member}.{name}"

    def entity(self, member, name):
        return self.named("entity", member, name, [c.entities for c in self.contracts.values()])

    def persona(self, member, name):
        return self.named("persona", member, name, [c.personas for c in self.contracts.values()])

    # ---- facts -----------------------------------------------------------------------------------

    def written_out(self, contract):
        """(facts, verdicts) of every fact set; verdicts None: the evaluation ends in an error."""
        out = []
        ending = {repr(f): v for f, v in contract.worlds()}
        names = [f["id"] for f in contract.of["Fact"]]
        for row in itertools.product(*(values(f["type"]) for f in contract.of["Fact"])):
            facts = dict(zip(names, row))
            out.append((facts, ending.get(repr(facts))))
        return out

    @staticmethod
    def true(predicate, facts, verdicts):
        """Holds: has a value, and it is true."""
        if verdicts is None:
            return False
        try:
            return bool(evaluate(predicate, facts, verdicts))
        except Fault:
            return False

    # ---- steps -----------------------------------------------------------------------------------

    def start(self, instances):
        return tuple(sorted(((e, i), d["initial"]) for e, d in self.entities.items()
                            for i in range(instances)))

    def steps(self, joint, instances):
        """Everything that can be done in the joint state, by somebody and for some facts."""
        states = dict(joint)
        for (member, name), op in self.operations.items():
            if not self.able[(member, name)]:
                continue
            contract = self.contracts[member]
            touched = sorted({e["entity_id"] for e in op["effects"]})
            who = frozenset(self.persona(member, p) for p in op["allowed_personas"])
            for binding in itertools.product(range(instances), repeat=len(touched)):
                bound = {e: (self.entity(member, e), i) for e, i in zip(touched, binding)}
                local = {e: states[slot] for e, slot in bound.items()}
                for outcome in op["outcomes"]:
                    changes = contract.applicable(op, outcome, local)
                    if changes is not None:
                        yield Step(member, name, who, {bound[e]: c for e, c in changes.items()})

    @staticmethod
    def after(joint, step):
        states = dict(joint)
        for slot, (_, new) in step.changes.items():
            states[slot] = new
        return tuple(sorted(states.items()))

    def graph(self, instances=1, personas=None):
        """Joint states and steps, from where everything begins; only by these personas."""
        key = (instances, None if personas is None else frozenset(personas))
        if key not in self.graphs:
            found, todo = {}, [self.start(instances)]
            while todo:
                joint = todo.pop()
                if joint in found:
                    continue
                found[joint] = [(s, self.after(joint, s)) for s in self.steps(joint, instances)
                                if personas is None or s.personas & set(personas)]
                todo += [n for _, n in found[joint]]
            self.graphs[key] = found
        return self.graphs[key]

    # ---- histories ---------------------------------------------------------------------------------

    def histories(self, begin, grow, bad, instances):
        """Is there a run with a bad step? A history goes along: grow(history, step) and
        bad(history, step); begin is the empty one."""
        seen, todo = set(), [(self.start(instances), begin)]
        graph = self.graph(instances)
        while todo:
            joint, history = todo.pop()
            if (joint, history) in seen:
                continue
            seen.add((joint, history))
            for step, after in graph[joint]:
                if bad(history, step):
                    return True
                todo.append((after, grow(history, step)))
        return False

    # ---- conditions of questions ---------------------------------------------------------------------

    def holds(self, condition, joint, member, world):
        """A condition of a question (a tuple, see words()) in a joint state, for a fact set; None
        where it has no value."""
        kind = condition[0]
        if kind == "state":
            return any(s == condition[2] for (e, _), s in joint if e == condition[1])
        if kind == "not":
            inner = self.holds(condition[1], joint, member, world)
            return None if inner is None else not inner
        if kind in ("and", "or"):
            left = self.holds(condition[1], joint, member, world)
            if left is None or left == (kind == "or"):
                return left
            return self.holds(condition[2], joint, member, world)
        facts, verdicts = world
        if verdicts is None:
            return None
        if kind == "operation":
            node = self.operations[(member, condition[1])]["precondition"]
        elif kind == "verdict":
            return condition[1] in verdicts
        else:
            node = condition[1]
        try:
            return bool(evaluate(node, facts, verdicts))
        except Fault:
            return None

    def reads_facts(self, condition):
        kind = condition[0]
        if kind in ("and", "or"):
            return self.reads_facts(condition[1]) or self.reads_facts(condition[2])
        return self.reads_facts(condition[1]) if kind == "not" else kind != "state"

    def moments(self, conditions, member, instances=1):
        """(joint state, fact set) of every moment; one fact set if nobody reads any. An evaluation
        that ends in an error makes every condition that reads facts false, whole."""
        facts = any(self.reads_facts(c) for c in conditions)
        for joint in self.graph(instances):
            for world in self.worlds[member] if facts else [({}, set())]:
                if facts and world[1] is None:
                    yield joint, [False for _ in conditions]
                else:
                    yield joint, [bool(self.holds(c, joint, member, world)) for c in conditions]


def words(condition):
    """As a question writes it."""
    kind = condition[0]
    if kind == "state":
        return f"{condition[1]}.{condition[2]}"
    if kind == "not":
        return f"not ({words(condition[1])})"
    if kind in ("and", "or"):
        return f"(({words(condition[1])}) {kind} ({words(condition[2])}))"
    if kind in ("operation", "verdict"):
        return condition[1] if len(condition) < 3 else f"{condition[2]}.{condition[1]}"
    return condition[2]


class Flow:
    """Runs of a flow (11.4), every choice of an outcome and every fact set, nobody interfering."""

    def __init__(self, contract):
        self.contract = contract
        self.flows = {f["id"]: f for f in contract.of["Flow"]}

    def endings(self, flow, facts, verdicts, states):
        """(outcome, states after it) of every run; outcome None: it ends without one."""
        steps = {s["id"]: s for s in self.flows[flow]["steps"]}
        yield from self.at(steps, self.flows[flow]["entry"], facts, verdicts, states)

    def go(self, steps, target, facts, verdicts, states):
        if isinstance(target, dict):
            yield target["outcome"], states
        else:
            yield from self.at(steps, target, facts, verdicts, states)

    def at(self, steps, name, facts, verdicts, states):
        step = steps[name]
        rest = (facts, verdicts)
        if step["kind"] == "BranchStep":
            try:
                taken = evaluate(step["condition"], facts, verdicts)
            except Fault:
                yield None, states
                return
            yield from self.go(steps, step["if_true" if taken else "if_false"], *rest, states)
        elif step["kind"] == "SubFlowStep":
            for outcome, after in self.endings(step["flow"], facts, verdicts, states):
                if outcome in (None, "failure", "escalation"):
                    yield from self.failed(steps, step, *rest, after)
                else:
                    yield from self.go(steps, step["on_success"], *rest, after)
        else:
            done = list(self.perform(step["op"], step["persona"], facts, verdicts, states))
            for outcome, after in done:
                yield from self.go(steps, step["outcomes"][outcome], *rest, after)
            if not done:
                yield from self.failed(steps, step, *rest, states)

    def perform(self, name, persona, facts, verdicts, states):
        """(outcome, states) of every success: one, or any of several that match."""
        op = self.contract.operations[name]
        try:
            held = bool(evaluate(op["precondition"], facts, verdicts))
        except Fault:
            held = "fault"
        for named in [None, *op["outcomes"]]:
            try:
                outcome, changes = self.contract.execute(op, persona, held, states, named)
            except Error:
                continue
            yield outcome, {**states, **{e: new for e, (_, new) in changes.items()}}
            if named is None:
                return

    def failed(self, steps, step, facts, verdicts, states):
        handler = step["on_failure"]
        if handler["kind"] == "Terminate":
            yield handler["outcome"], states
        elif handler["kind"] == "Escalate":
            yield from self.go(steps, handler["next"], facts, verdicts, states)
        else:
            yield from self.undo(handler, 0, facts, verdicts, states)

    def undo(self, handler, at, facts, verdicts, states):
        if at == len(handler["steps"]):
            yield handler["then"]["outcome"], states
            return
        c = handler["steps"][at]
        done = list(self.perform(c["op"], c["persona"], facts, verdicts, states))
        for _, after in done:
            yield from self.undo(handler, at + 1, facts, verdicts, after)
        if not done:
            yield c["on_failure"]["outcome"], states
