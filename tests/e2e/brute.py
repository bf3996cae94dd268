"""What a contract can do, by trying everything: §9 and §11.4 of the specification, naively.

Reads a bundle as it stands on the wire (a dict) and shares nothing with the engine. Every fact
set there is is written out and evaluated; every persona, operation, instance and outcome the
caller could name is tried in every combination of states, from the initial one on. Flows are not
tried: each of their steps is an operation by a persona, on facts that are as good as any.

    contract = Contract(bundle)
    events = contract.explore(personas={"p"})       # what p does alone
    events.moves                                    # {(persona, operation, entity, from, to)}

Facts are Bool, Int in a range, Enum and short lists of these, so that there are few fact sets.
"""
import itertools


class Fault(Exception):
    """A typed error of the evaluation (an element that is not there)."""


def values(kind):
    """Every value of a small type."""
    base = kind["base"]
    if base == "Bool":
        return [False, True]
    if base == "Int":
        return list(range(kind["min"], kind["max"] + 1))
    if base == "Enum":
        return list(kind["values"])
    if base == "List":
        each = values(kind["element_type"])
        return [list(t) for n in range(kind["max"] + 1) for t in itertools.product(each, repeat=n)]
    raise ValueError(base)


COMPARE = {"=": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b,
           "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}


def evaluate(node, facts, verdicts):
    """A term or predicate (§10.3): left to right, stopping early. Fault where it has no value."""
    if "literal" in node:
        return node["literal"]
    if "list" in node:
        return [evaluate(part, facts, verdicts) for part in node["list"]]
    if "record" in node:
        return {name: evaluate(part, facts, verdicts) for name, part in node["record"].items()}
    if "fact_ref" in node:
        return facts[node["fact_ref"]]
    if "verdict_present" in node:
        return node["verdict_present"] in verdicts
    op = node["op"]
    if op == "not":
        return not evaluate(node["operand"], facts, verdicts)
    if op == "index":
        items = evaluate(node["operand"], facts, verdicts)
        at = evaluate(node["index"], facts, verdicts)
        if at >= len(items):
            raise Fault("index")
        return items[at]
    left = evaluate(node["left"], facts, verdicts)
    if op == "and":
        return left and evaluate(node["right"], facts, verdicts)
    if op == "or":
        return left or evaluate(node["right"], facts, verdicts)
    return COMPARE[op](left, evaluate(node["right"], facts, verdicts))


class Error(Exception):
    """An operation ends in one of the errors of its contract."""


class Events:
    """What happened somewhere in an exploration."""

    def __init__(self):
        self.states = set()     # (entity, state) some instance was in
        self.moves = set()      # (persona, operation, entity, from, to)
        self.performed = set()  # (persona, operation)
        self.joint = 0          # joint states


class Contract:
    def __init__(self, bundle):
        self.of = {kind: [c for c in bundle["constructs"] if c["kind"] == kind]
                   for kind in ("Fact", "Persona", "Entity", "Rule", "Operation", "Flow")}
        self.personas = [p["id"] for p in self.of["Persona"]]
        self.entities = {e["id"]: e for e in self.of["Entity"]}
        self.operations = {o["id"]: o for o in self.of["Operation"]}
        self.results = {o: self.tried(self.operations[o]["precondition"]) for o in self.operations}

    # ---- facts -------------------------------------------------------------------------------

    def worlds(self):
        """(facts, verdicts) of every fact set whose evaluation ends."""
        names = [f["id"] for f in self.of["Fact"]]
        for row in itertools.product(*(values(f["type"]) for f in self.of["Fact"])):
            facts = dict(zip(names, row))
            try:
                yield facts, self.verdicts(facts)
            except Fault:
                pass

    def verdicts(self, facts):
        found = set()
        for rule in sorted(self.of["Rule"], key=lambda r: r["stratum"]):
            if evaluate(rule["body"]["when"], facts, found):
                found = found | {rule["body"]["produce"]["verdict_type"]}
        return found

    def tried(self, predicate):
        """What the predicate comes to, over all fact sets: some of True, False, "fault"."""
        results = set()
        for facts, verdicts in self.worlds():
            try:
                results.add(bool(evaluate(predicate, facts, verdicts)))
            except Fault:
                results.add("fault")
        return results

    def holds(self, operation, facts):
        """For one fact set; None: a fault."""
        try:
            return bool(evaluate(self.operations[operation]["precondition"], facts,
                                 self.verdicts(facts)))
        except Fault:
            return None

    # ---- operations (§9.2, §9.3) ---------------------------------------------------------------

    def applicable(self, operation, outcome, states):
        """The transitions of one outcome, {entity: (from, to)}; None: its sources do not match.
        Of several effects on one entity (§9.4.1) the one whose source is the state applies."""
        several = len(operation["outcomes"]) > 1
        changes, wanted = {}, set()
        for effect in operation["effects"]:
            if several and effect["outcome"] != outcome:
                continue
            wanted.add(effect["entity_id"])
            if states.get(effect["entity_id"]) == effect["from"]:
                changes[effect["entity_id"]] = (effect["from"], effect["to"])
        return changes if set(changes) == wanted else None

    def execute(self, operation, persona, held, states, named=None):
        """(outcome, changes), or Error. `held` is what the precondition came to, `states` those
        of the instances that are bound: {entity: state}; one that is missing does not exist."""
        if persona not in operation["allowed_personas"]:
            raise Error("persona_rejected")
        if held == "fault":
            raise Error("evaluation_error")
        if not held:
            raise Error("precondition_failed")
        if named is not None and named not in operation["outcomes"]:
            raise Error("unknown_outcome")
        tried = [named] if named is not None else operation["outcomes"]
        matching = [(o, self.applicable(operation, o, states)) for o in tried]
        matching = [(o, changes) for o, changes in matching if changes is not None]
        if not matching:
            missing = self.blocking(operation, tried[0], states) not in states
            raise Error("unknown_instance" if missing else "invalid_source_state")
        if len(matching) > 1:
            raise Error("ambiguous_outcome")
        return matching[0]

    def blocking(self, operation, outcome, states):
        """The first entity of the outcome none of whose effects applies."""
        several = len(operation["outcomes"]) > 1
        mine = [e for e in operation["effects"] if not several or e["outcome"] == outcome]
        for effect in mine:
            entity = effect["entity_id"]
            if not any(e["entity_id"] == entity and e["from"] == states.get(entity) for e in mine):
                return entity
        return None

    # ---- everything that can happen --------------------------------------------------------------

    def explore(self, personas=None, instances=1):
        """Everything these personas (None: all) can do, one operation after the other."""
        personas = self.personas if personas is None else personas
        slots = [(e, i) for e in self.entities for i in range(instances)]
        start = tuple(self.entities[e]["initial"] for e, _ in slots)
        events, frontier, seen = Events(), [start], {start}
        events.states = {(e, s["initial"]) for e, s in self.entities.items()}
        while frontier:
            joint = dict(zip(slots, frontier.pop()))
            for event in self.steps(joint, personas, instances):
                persona, operation, changes = event
                after = dict(joint)
                events.performed.add((persona, operation["id"]))
                for (entity, instance), (old, new) in changes.items():
                    after[(entity, instance)] = new
                    events.states.add((entity, new))
                    events.moves.add((persona, operation["id"], entity, old, new))
                key = tuple(after[slot] for slot in slots)
                if key not in seen:
                    seen.add(key)
                    frontier.append(key)
        events.joint = len(seen)
        return events

    def steps(self, joint, personas, instances):
        for operation in self.operations.values():
            touched = sorted({e["entity_id"] for e in operation["effects"]})
            for binding in itertools.product(range(instances), repeat=len(touched)):
                bound = dict(zip(touched, binding))
                states = {e: joint[(e, i)] for e, i in bound.items()}
                for persona in personas:
                    for outcome, changes in self.outcomes(operation, persona, states):
                        yield persona, operation, {(e, bound[e]): c for e, c in changes.items()}

    def outcomes(self, operation, persona, states):
        """Every way the operation succeeds here: for some facts, naming an outcome or not."""
        for held in self.results[operation["id"]]:
            for named in [None, *operation["outcomes"]]:
                try:
                    yield self.execute(operation, persona, held, states, named)
                except Error:
                    pass

    # ---- errors -------------------------------------------------------------------------------

    def errors(self, operation, joints):
        """Every error the operation ends in somewhere in these joint states, whoever calls."""
        found = set()
        for states in joints:
            for missing in [set(), *({e} for e in states), set(states)]:
                there = {e: s for e, s in states.items() if e not in missing}
                for persona in [*self.personas, "nobody"]:
                    for held in self.results[operation["id"]]:
                        for named in [None, *operation["outcomes"], "no_such_outcome"]:
                            try:
                                self.execute(operation, persona, held, there, named)
                            except Error as error:
                                found.add(str(error))
        return found

    def reachable(self):
        """Joint states of one instance each: {entity: state}."""
        start = tuple((e, s["initial"]) for e, s in self.entities.items())
        seen, frontier = {start}, [start]
        while frontier:
            states = dict(frontier.pop())
            for operation in self.operations.values():
                for persona in self.personas:
                    for _, changes in self.outcomes(operation, persona, states):
                        after = {**states, **{e: to for e, (_, to) in changes.items()}}
                        key = tuple(after.items())
                        if key not in seen:
                            seen.add(key)
                            frontier.append(key)
        return [dict(s) for s in seen]

    def combinations(self):
        """Every combination of declared states."""
        names = list(self.entities)
        return [dict(zip(names, row))
                for row in itertools.product(*(self.entities[e]["states"] for e in names))]
