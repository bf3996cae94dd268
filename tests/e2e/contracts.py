"""Small contracts the end-to-end tests share."""
import pathlib

from harness import SOURCE, conformance

def nested_flows(levels):
    """A contract whose flow f0 calls f1, which calls f2, and so on: so many flows within each other."""
    def flow(i):
        inner = (f"SubFlowStep {{ flow: f{i + 1} persona: p on_success: Terminal(success) "
                 if i + 1 < levels else
                 "OperationStep { op: go persona: p outcomes: { success: Terminal(success) } ")
        return f"flow f{i} {{ snapshot: at_initiation entry: s steps: {{ s: {inner} on_failure: Terminate(outcome: failure) }} }} }}\n"
    return ("persona p\nentity E { states: [a, b] initial: a transitions: [(a, b)] }\n"
            "operation go { personas: [p] require: true effects: [(E, a, b)] }\n" +
            "".join(flow(i) for i in range(levels)))


def nested_branches(levels):
    """A contract with so many parallel steps within each other."""
    return ("persona p\nflow f { snapshot: at_initiation entry: s steps: {\n" +
            "s: ParallelStep { branches: [Branch { id: b entry: s steps: {\n" * levels +
            "s: BranchStep { condition: true persona: p if_true: Terminal(success) if_false: Terminal(failure) }\n" +
            "} }] join: JoinPolicy { on_all_success: Terminal(success) on_any_failure: Terminate(outcome: failure) } }\n" *
            levels + "} }\n")


def nested_records(levels):
    """A contract with a record of so many levels, its default, and a rule that reads its innermost field."""
    return ('fact f { source: "a" type: ' + "Record { a: " * levels + "Bool" + " }" * levels + " default: " +
            "{ a: " * levels + "true" + " }" * levels + " }\n" +
            "rule r { stratum: 0 when: f" + ".a" * levels + " produce: v(true) }\n")


# Holds without a warning and uses every kind of construct but System.
GOOD = '''\
persona clerk
persona boss

source shop {
  protocol: http
  base_url: "https://shop.example/api"
}

fact amount {
  type:   Money("USD")
  source: shop { path: "orders.{id}.amount" }
}

fact limit {
  type:    Money("USD")
  source:  "policy.limit"
  default: Money { amount: "500.00", currency: "USD" }
}

entity Order {
  states:      [open, paid]
  initial:     open
  transitions: [(open, paid)]
}

rule small {
  stratum: 0
  when:    amount <= limit
  produce: verdict is_small { payload: Bool = true }
}

operation pay {
  allowed_personas: [clerk, boss]
  precondition:     verdict_present(is_small)
  effects:          [(Order, open, paid)]
  outcomes:         [done]
  error_contract:   [precondition_failed, persona_rejected]
}

flow payment {
  snapshot: at_initiation
  entry:    pay_it

  steps: {
    pay_it: OperationStep {
      op:         pay
      persona:    clerk
      outcomes:   { done: Terminal(success) }
      on_failure: Terminate(outcome: failure)
    }
  }
}
'''

# Three independent errors in three constructs.
THREE_ERRORS = '''\
fact a {
  type:   Bool
  source: "x.a"
}

rule one {
  stratum: 0
  when:    missing = true
  produce: verdict v1 { payload: Bool = true }
}

rule two {
  stratum: 0
  when:    a > true
  produce: verdict v2 { payload: Bool = true }
}

entity E {
  states:      [s]
  initial:     t
  transitions: []
}
'''

# A rule that reads a verdict of its own stratum: `check --fix` renumbers it.
SAME_STRATUM = '''\
fact a {
  type:   Bool
  source: "x.a"
}

rule base {
  stratum: 0
  when:    a = true
  produce: verdict v1 { payload: Bool = true }
}

rule derived {
  stratum: 0 // too low
  when:    verdict_present(v1)
  produce: verdict v2 { payload: Bool = true }
}
'''

# Names that are words of other languages, that differ only in case, or that no language could take.
AWKWARD = '''\
persona class_
persona import
persona Facts

type Struct {
  default: Bool
  Default: Int(min: -9223372036854775808, max: 9223372036854775807)
  func:    Text(max_length: 9)
}

fact int { type: Enum(["", "a-b", "a_b", "A_B", "*/ /* ?? \\"x\\"", "é"]) source: "x.a" }
fact Int { type: List(element_type: Enum(["lambda", "None"]), max: 4) source: "x.b" default: [] }
fact None { type: Struct source: "x.c" }
fact given { type: TaggedUnion { new: Struct, delete: Bool, nil: Money("USD"), Nil: Duration(unit: "hours", min: 0, max: 9) } source: "x.d" }
fact lambda { type: Decimal(28, 10) source: "x.e" default: 0.5 }
fact typeof { type: DateTime source: "x.f" default: "2026-01-31T23:59:00Z" }
fact EOF { type: Record { SIZE_MAX: Bool, _Alignas: Bool, __LINE__: Bool, errno: Bool, BUFSIZ: Int(0, 9) } source: "x.h" }
fact ERROR { type: Enum(["none", "precondition_failed"]) source: "x.i" }
fact a { type: Enum(["count_", "COUNT_", "b_count_"]) source: "x.j" }
fact a_b { type: Enum(["x"]) source: "x.k" }
fact tag { type: TaggedUnion { tag: Bool, payload: Bool, payload_: Bool } source: "x.l" }
fact goto { type: List(element_type: Record { range: List(element_type: Text(max_length: 3), max: 2) }, max: 2) source: "x.g" default: [] }

entity String { states: [new, New, NULL] initial: new transitions: [(new, New), (New, NULL), (new, NULL)] }
entity main { states: [void] initial: void transitions: [] }

rule while { stratum: 0 when: int = "a-b" and None.default produce: verdict Error { payload: Bool = true } }
rule While { stratum: 0 when: exists x in Int . x = "lambda" produce: verdict errno { payload: Decimal(28, 10) = lambda } }
rule for { stratum: 1 when: verdict_present(Error) or int = "*/ /* ?? \\"x\\"" produce: verdict stdin { payload: Text(max_length: 40) = "*/ \\n é" } }
rule EOF { stratum: 0 when: EOF.errno and EOF.SIZE_MAX and ERROR = "none" and a = "count_" and a_b = "x" and tag.tag = "payload" produce: verdict tag { payload: Bool = tag.payload } }
rule If { stratum: 1 when: given.tag = "nil" produce: verdict result { payload: Money("USD") = given.nil } }

operation return {
  allowed_personas: [class_, Facts]
  precondition:     verdict_present(Error)
  effects:          [(String, new, New, Ok), (String, new, NULL, ok)]
  outcomes:         [Ok, ok]
  error_contract:   [precondition_failed]
}

operation del {
  allowed_personas: [import]
  precondition:     None.Default > 0
  effects:          [(String, New, NULL)]
  outcomes:         [done]
  error_contract:   [precondition_failed]
}

flow async {
  snapshot: at_initiation
  entry:    await
  steps: {
    await: OperationStep {
      op: return persona: class_
      outcomes: { Ok: yield ok: Terminal(success) }
      on_failure: Terminate(outcome: failure)
    }
    yield: BranchStep { condition: None.Default > 0 persona: class_ if_true: Terminal(success) if_false: Terminal(None) }
  }
}
'''

# Every kind of name and text, each beginning with Q7, to be replaced by something else.
QUOTED = '''\
persona Q7a
persona Q7b
fact Q7c { type: Enum(["Q7d", "Q7e"]) source: "x.a" }
fact Q7f { type: Record { Q7g: Bool, Q7h: Money("USD"), Q7i: List(element_type: Text(max_length: 3), max: 2) } source: "x.b" }
fact Q7j { type: TaggedUnion { Q7k: Bool, Q7l: Record { Q7m: Int(0, 9) } } source: "x.c" }
fact Q7n { type: Text(max_length: 90) source: "x.d" default: "Q7o" }
entity Q7p { states: [Q7q, Q7r] initial: Q7q transitions: [(Q7q, Q7r)] }
rule Q7s { stratum: 0 when: Q7c = "Q7d" and Q7f.Q7g produce: verdict Q7t { payload: Text(max_length: 90) = "Q7u" } }
rule Q7v { stratum: 1 when: Q7j.tag = "Q7k" or verdict_present(Q7t) produce: verdict Q7w { payload: Money("USD") = Q7f.Q7h } }
operation Q7x { allowed_personas: [Q7a, Q7b] precondition: verdict_present(Q7t) effects: [(Q7p, Q7q, Q7r, Q7y), (Q7p, Q7q, Q7r, Q7z)]
  outcomes: [Q7y, Q7z] error_contract: [precondition_failed] }
operation Q7xx { allowed_personas: [Q7a] precondition: Q7n = "Q7o" effects: [(Q7p, Q7q, Q7r)] outcomes: [Q7yy] error_contract: [precondition_failed] }
flow Q7A { snapshot: at_initiation entry: Q7B steps: {
  Q7B: OperationStep { op: Q7x persona: Q7a outcomes: { Q7y: Q7C Q7z: Terminal(Q7D) } on_failure: Terminate(outcome: Q7E) }
  Q7C: BranchStep { condition: Q7f.Q7g persona: Q7a if_true: Terminal(success) if_false: Terminal(Q7F) } } }
'''


def examples():
    """Every contract of examples/, then of the conformance data when there are any."""
    found = sorted((SOURCE / "examples").rglob("*.tenor"))
    data = conformance("tenor")
    if data:
        found += sorted(pathlib.Path(data).rglob("*.tenor"))
    return found
