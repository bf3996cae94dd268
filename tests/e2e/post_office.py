"""A System to be raced for: flows of one member whose end begins flows of another.

Every flow `desk.hand_in` ends in success, which triggers `van.carry` for the same parcel,
or in failure, which triggers `van.complain`; that one needs a note nobody named, so it can
only fail to begin. The check knows the ledger and the answers alone: each end has exactly
one trigger, and nothing else was triggered (E-SYS-01).
"""
from collections import Counter, namedtuple

from serial_order import Order, Replay

SYSTEM = """\
system post_office {
  members: [desk: "desk.tenor", van: "van.tenor"]

  shared_personas: [{ persona: clerk, contracts: [desk, van] }]

  shared_entities: [{ entity: Parcel, contracts: [desk, van] }]

  triggers: [
    { source: desk.hand_in, on: success, target: van.carry, persona: clerk },
    { source: desk.hand_in, on: failure, target: van.complain, persona: clerk }
  ]
}
"""

PARCEL = """\
persona clerk

entity Parcel {
  states:      [here, away]
  initial:     here
  transitions: [(here, away), (away, here)]
}

fact amount {
  type:    Int(min: 0, max: 1000)
  source:  "desk.amount"
  default: 1
}

rule small_amount {
  stratum: 0
  when:    amount <= 500
  produce: verdict small { payload: Bool = true }
}
"""

OPERATION = """
operation %(name)s {
  allowed_personas: [clerk]
  precondition:     verdict_present(small)
  effects:          [(%(entity)s, %(from)s, %(to)s)]
  error_contract:   [precondition_failed, persona_rejected, invalid_source_state]
}
"""

THERE_AND_BACK = """
flow %(name)s {
  snapshot: at_initiation
  entry:    go
  steps: {
    go: OperationStep {
      op:       %(go)s
      persona:  clerk
      outcomes: { success: back }
      on_failure: Terminate(outcome: failure)
    }
    back: OperationStep {
      op:       %(back)s
      persona:  clerk
      outcomes: { success: Terminal(success) }
      on_failure: Terminate(outcome: failure)
    }
  }
}
"""

NOTE = """
entity Note {
  states:      [blank, written]
  initial:     blank
  transitions: [(blank, written), (written, blank)]
}
"""


def member(flow, go, back, entity="Parcel", states=("here", "away")):
    """A flow that moves an instance there and back, and its two operations."""
    there, again = dict(zip(("from", "to"), states)), dict(zip(("to", "from"), states))
    return (OPERATION % {"name": go, "entity": entity, **there} +
            OPERATION % {"name": back, "entity": entity, **again} +
            THERE_AND_BACK % {"name": flow, "go": go, "back": back})


FILES = {
    "desk.tenor": PARCEL + member("hand_in", "take", "give"),
    "van.tenor": PARCEL + NOTE + member("carry", "leave", "arrive") +
                 member("complain", "write_down", "wipe", "Note", ("blank", "written")),
    "post_office.tenor": SYSTEM,
}

EFFECTS = {name: {"Parcel": states}
           for names, states in ((("take", "leave"), ("here", "away")),
                                 (("give", "arrive"), ("away", "here"))) for name in names}

# What a trigger says of itself whatever became of it, and what it starts.
TARGETS = {"success": "carry", "failure": "complain"}
SAYS = {"persona": "clerk", "source_contract": "desk", "source_flow": "hand_in",
        "system": "post_office", "target_contract": "van"}

Told = namedtuple("Told", "key parcel allowed")


class Job:
    """One flow of the source that is asked for until it is answered."""

    __slots__ = ("key", "parcel", "allowed", "path", "body")

    def __init__(self, key, rng, instances):
        self.key, self.parcel = key, f"p{rng.randrange(instances)}"
        self.allowed = rng.random() < 0.8
        self.path = "contracts/desk/flows/hand_in"
        self.body = {"persona": "clerk", "facts": {"amount": 5 if self.allowed else 900},
                     "bindings": {"Parcel": self.parcel}}

    def told(self):
        return Told(self.key, self.parcel, self.allowed)

    def reduce(self, status, body):
        return {k: body[k] for k in ("id", "outcome", "code") if k in body}


def check(answers, items, instances, listed):
    """Every answer, every flow and every trigger explains each other, one to one.

    `listed`: how many triggers the service lists of each status. Returns how many flows
    of the source succeeded and how many failed."""
    replay = Replay(items, EFFECTS)
    assert instances == replay.instances(), "the states are not those of the ledger"
    order = Order(replay.places)
    asked = note_answers(replay, order, answers)
    triggered = note_triggers(replay, asked)
    for execution, flow in replay.flows.items():
        known = asked if flow.body["contract"] == "desk" else triggered
        assert execution in known, f"nobody caused {execution} ({flow.body['flow']})"
        if known is triggered:
            place_freely(replay, order, flow)
    order.settle()
    outcomes = Counter(replay.flows[execution].outcome for execution in asked)
    assert listed == {"done": outcomes["success"], "failed": outcomes["failure"],
                      "pending": 0}, listed
    return outcomes["success"], outcomes["failure"]


def places(replay, flow):
    return [replay.operations[record][0] for record in flow.operations] + [flow.place]


def place_freely(replay, order, flow):
    """Nobody asked for it or was answered: it is bound by the order alone."""
    for place in places(replay, flow):
        order.claim(place, "a trigger", float("-inf"), float("inf"))


def note_answers(replay, order, answers):
    """{execution: key}: each flow of the source by the one who asked for it."""
    asked = {}
    for answer in answers:
        job, execution = Told(*answer.job), answer.body.get("id")
        assert answer.status == 200, (job.key, answer.status, answer.body)
        assert execution in replay.flows, f"{job.key}: its flow {execution} is lost"
        assert execution not in asked, f"{job.key} and {asked[execution]}: {execution}"
        flow, asked[execution] = replay.flows[execution], job.key
        assert (flow.body["flow"], flow.body["bindings"]) == \
            ("hand_in", {"Parcel": job.parcel}), f"{job.key}: {flow.body}"
        assert flow.outcome == answer.body["outcome"] == \
            ("success" if job.allowed else "failure"), f"{job.key}: {flow.outcome}"
        whole(replay, flow, ["take", "give"])
        for place in places(replay, flow):
            order.claim(place, job.key, answer.began, answer.ended)
    return asked


def whole(replay, flow, operations):
    """Both of its operations, or with a failure none."""
    done = [replay.operations[record][1] for record in flow.operations]
    assert done == (operations if flow.outcome == "success" else []), (flow.body, done)


def note_triggers(replay, asked):
    """The executions that triggers began. Each end of a source has one trigger, behind it."""
    triggered, settled = set(), set()
    for seq, body in replay.triggers:
        source = body["source_execution"]
        assert source in asked, f"a trigger without source: {body}"
        assert source not in settled, f"{source} has two triggers"
        settled.add(source)
        origin = replay.flows[source]
        wanted = {**SAYS, "source_outcome": origin.outcome,
                  "target_flow": TARGETS.get(origin.outcome),
                  "status": "initiated" if origin.outcome == "success" else "failed"}
        assert {k: body.get(k) for k in wanted} == wanted, body
        assert origin.ended_seq < seq, f"{source} was not over when it triggered"
        if body["status"] == "failed":
            assert "missing_binding" in body["failure_reason"], body
        else:
            note_target(replay, origin, body["initiated_at"], triggered)
    assert settled == set(asked), \
        f"no trigger came of {sorted(set(asked) - settled)[:5]}"
    return triggered


def note_target(replay, origin, execution, triggered):
    assert execution in replay.flows, f"the triggered flow {execution} is lost"
    assert execution not in triggered, f"{execution} was triggered twice"
    triggered.add(execution)
    flow = replay.flows[execution]
    assert flow.body == {"contract": "van", "flow": "carry", "persona": "clerk",
                         "bindings": origin.body["bindings"]}, flow.body
    assert origin.ended_seq < flow.seq, f"{execution} began before its source was over"
    assert flow.outcome == "success", f"{execution}: {flow.outcome} {flow.error}"
    whole(replay, flow, ["leave", "arrive"])
