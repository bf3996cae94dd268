"""Renames in an interchange bundle: what a rename in the source must come to.

Written from the form of the bundle alone: which member of which object names what. It knows
nothing of tokens, places or scopes of the source."""
import copy


def walk(value, visit):
    """Every object, the inner ones last."""
    if isinstance(value, dict):
        visit(value)
        for inner in value.values():
            walk(inner, visit)
    elif isinstance(value, list):
        for inner in value:
            walk(inner, visit)


def put(thing, keys, old, new):
    """Replaces members that are the name, or lists that have it."""
    for key in keys:
        value = thing.get(key)
        if value == old:
            thing[key] = new
        elif isinstance(value, list):
            thing[key] = [new if item == old else item for item in value]


def rekey(thing, old, new):
    if old in thing:
        thing[new] = thing.pop(old)


class Renamer:
    """One name: its kind, its owner ("" for names of the whole contract), the old and the new one."""

    def __init__(self, bundle, kind, owner, old, new):
        self.constructs = bundle["constructs"]
        self.owner, self.old, self.new = owner, old, new
        getattr(self, kind)()

    def of(self, kind, name=None):
        return [c for c in self.constructs if c["kind"] == kind and name in (None, c["id"])]

    def everywhere(self, *keys, kinds=("Fact", "Rule", "Operation", "Flow", "Entity", "System")):
        for kind in kinds:
            for construct in self.of(kind):
                walk(construct, lambda thing: put(thing, keys, self.old, self.new))

    def own(self, kind):
        for construct in self.of(kind):
            put(construct, ("id",), self.old, self.new)

    def persona(self):
        self.own("Persona")
        self.everywhere("allowed_personas", kinds=["Operation"])
        self.everywhere("persona", "from_persona", "to_persona", kinds=["Flow", "System"])

    def source(self):
        self.own("Source")
        self.everywhere("source_id", kinds=["Fact"])

    def rule(self):
        self.own("Rule")

    def type(self):
        """Types are written out where they are used."""

    def verdict(self):
        self.everywhere("verdict_type", "verdict_present", "verdict_ref")

    def entity(self):
        self.own("Entity")
        self.everywhere("entity_id", kinds=["Operation"])
        self.everywhere("entity", kinds=["System"])

    def state(self):
        for entity in self.of("Entity", self.owner):
            put(entity, ("states", "initial"), self.old, self.new)
            for transition in entity["transitions"]:
                put(transition, ("from", "to"), self.old, self.new)
        for operation in self.of("Operation"):
            for effect in operation["effects"]:
                if effect["entity_id"] == self.owner:
                    put(effect, ("from", "to"), self.old, self.new)

    def operation(self):
        self.own("Operation")
        for flow in self.of("Flow"):
            walk(flow["steps"], lambda thing: put(thing, ("op",) if "persona" in thing else (), self.old, self.new))

    def outcome(self):
        for operation in self.of("Operation", self.owner):
            put(operation, ("outcomes",), self.old, self.new)
            for effect in operation["effects"]:
                put(effect, ("outcome",), self.old, self.new)
        for flow in self.of("Flow"):
            for step in flow["steps"]:
                if step.get("op") == self.owner:
                    rekey(step["outcomes"], self.old, self.new)

    def error(self):
        for operation in self.of("Operation", self.owner):
            put(operation, ("error_contract",), self.old, self.new)

    def flow(self):
        self.own("Flow")
        self.everywhere("flow", kinds=["Flow"])
        self.everywhere("source_flow", "target_flow", kinds=["System"])

    def step(self):
        for flow in self.of("Flow", self.owner):
            put(flow, ("entry",), self.old, self.new)
            for step in flow["steps"]:
                put(step, ("id", "if_true", "if_false", "next"), self.old, self.new)
                put(step.get("on_failure", {}), ("next",), self.old, self.new)
                outcomes = step.get("outcomes", {})
                put(outcomes, list(outcomes), self.old, self.new)

    def member(self):
        for system in self.of("System"):
            walk(system, lambda thing: put(thing, ("source_contract", "target_contract", "contracts"), self.old, self.new))
            for member in system["members"]:
                put(member, ("id",), self.old, self.new)

    def system(self):
        self.own("System")

    # ---- in expressions: a name may be a variable's ----

    def expressions(self, visit):
        """Each object of an expression, with the variables around it and their types."""
        def inside(value, variables):
            if isinstance(value, list):
                for inner in value:
                    inside(inner, variables)
            elif isinstance(value, dict):
                if "quantifier" in value:
                    inside(value["domain"], variables)
                    variables = {**variables, value["variable"]: value["variable_type"]}
                    visit(value, variables)
                    inside(value["body"], variables)
                else:
                    visit(value, variables)
                    for inner in value.values():
                        inside(inner, variables)
        for kind in ("Rule", "Operation", "Flow"):
            for construct in self.of(kind):
                inside(construct, {})

    def fact(self):
        self.own("Fact")

        def visit(thing, variables):
            put(thing, ("fact_ref",), self.old, self.new)
            if self.old not in variables:
                put(thing.get("field_ref") or {}, ("var",), self.old, self.new)
        self.expressions(visit)

    def variable(self):
        """Of a construct that has one quantifier of that name."""
        for construct in self.constructs:
            if construct["id"] == self.owner and construct["kind"] in ("Rule", "Operation", "Flow"):
                walk(construct, lambda thing: put(thing, ("variable", "var"), self.old, self.new))

    def field(self):
        """Of a record that is the only one with such a field."""
        types = {fact["id"]: fact["type"] for fact in self.of("Fact")}

        def visit(thing, variables):
            reference = thing.get("field_ref")
            if isinstance(reference, dict):
                type_ = variables.get(reference["var"], types.get(reference["var"], {}))
                if type_.get("base") == "Record":
                    put(reference, ("field",), self.old, self.new)
        self.expressions(visit)
        for construct in self.constructs:
            walk(construct, lambda thing: rekey(thing["fields"], self.old, self.new)
                 if thing.get("base") == "Record" else None)

    def value(self):
        """Of a fact that is an enum."""
        def visit(thing, _):
            left, right = thing.get("left"), thing.get("right")
            for side, other in ((left, right), (right, left)):
                if isinstance(side, dict) and isinstance(other, dict) and side.get("fact_ref") == self.owner:
                    put(other, ("literal",), self.old, self.new)
                    put(other.get("type") or {}, ("values",), self.old, self.new)
        self.expressions(visit)
        for fact in self.of("Fact", self.owner):
            put(fact["type"], ("values",), self.old, self.new)
            put(fact, ("default",), self.old, self.new)


def renamed(bundle, kind, owner, old, new):
    """A copy of the bundle."""
    made = copy.deepcopy(bundle)
    Renamer(made, kind, owner, old, new)
    return made


def without_order(value):
    """Constructs, steps and others are in the order of their names, which a rename changes."""
    if isinstance(value, dict):
        return tuple(sorted((key, without_order(v)) for key, v in value.items()))
    if isinstance(value, list):
        return tuple(sorted((without_order(v) for v in value), key=repr))
    return value
