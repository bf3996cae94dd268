"""Small contracts the end-to-end tests share."""
import pathlib

from harness import SOURCE, conformance

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


def examples():
    """Every contract of examples/, then of the conformance data when there are any."""
    found = sorted((SOURCE / "examples").rglob("*.tenor"))
    data = conformance("tenor")
    if data:
        found += sorted(pathlib.Path(data).rglob("*.tenor"))
    return found
