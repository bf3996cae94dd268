"""A contract to be raced for, requests on it, and a check of every answer.

The contract has two entities that one operation moves together, so a half-applied
operation would show. The checker knows nothing of the server but its ledger and its
answers: it replays the ledger in order and explains every answer by it.
"""
import os
import sys
from collections import namedtuple

from serial_order import Order, Replay, explain

CONTRACT = """\
persona clerk
persona guard

fact amount {
  type:    Int(min: 0, max: 1000)
  source:  "desk.amount"
  default: 1
}

entity Gate {
  states:      [open, shut]
  initial:     open
  transitions: [(open, shut), (shut, open)]
}

entity Seal {
  states:      [off, on]
  initial:     off
  transitions: [(off, on), (on, off)]
}

rule small_amount {
  stratum: 0
  when:    amount <= 500
  produce: verdict small { payload: Bool = true }
}

operation shut_gate {
  allowed_personas: [clerk]
  precondition:     verdict_present(small)
  effects:          [(Gate, open, shut)]
  error_contract:   [precondition_failed, persona_rejected, invalid_source_state]
}

operation open_gate {
  allowed_personas: [clerk, guard]
  precondition:     verdict_present(small)
  effects:          [(Gate, shut, open)]
  error_contract:   [precondition_failed, persona_rejected, invalid_source_state]
}

operation seal {
  allowed_personas: [clerk]
  precondition:     verdict_present(small)
  effects:          [(Gate, open, shut), (Seal, off, on)]
  error_contract:   [precondition_failed, persona_rejected, invalid_source_state]
}

operation unseal {
  allowed_personas: [clerk]
  precondition:     verdict_present(small)
  effects:          [(Gate, shut, open), (Seal, on, off)]
  error_contract:   [precondition_failed, persona_rejected, invalid_source_state]
}

flow there_and_back {
  snapshot: at_initiation
  entry:    go
  steps: {
    go: OperationStep {
      op:       shut_gate
      persona:  clerk
      outcomes: { success: back }
      on_failure: Terminate(outcome: failure)
    }
    back: OperationStep {
      op:       open_gate
      persona:  clerk
      outcomes: { success: Terminal(success) }
      on_failure: Terminate(outcome: failure)
    }
  }
}
"""

EFFECTS = {
    "shut_gate": {"Gate": ("open", "shut")},
    "open_gate": {"Gate": ("shut", "open")},
    "seal": {"Gate": ("open", "shut"), "Seal": ("off", "on")},
    "unseal": {"Gate": ("shut", "open"), "Seal": ("on", "off")},
}


Told = namedtuple("Told", "key name gate seal allowed")
FLOW = "there_and_back"


class Job:
    """One request that is asked until it is answered."""

    __slots__ = ("key", "name", "gate", "seal", "allowed", "path", "body")

    def __init__(self, key, rng, instances):
        self.key = key
        self.name = FLOW if rng.random() < 0.1 else rng.choice(tuple(EFFECTS))
        self.gate, self.seal = f"g{rng.randrange(instances)}", f"s{rng.randrange(instances)}"
        self.allowed = rng.random() < 0.95
        kind = "flows" if self.name == FLOW else "operations"
        self.path = f"contracts/turnstile/{kind}/{self.name}"
        self.body = {"persona": "clerk", "facts": {"amount": 5 if self.allowed else 900},
                     "bindings": {"Gate": self.gate}}
        if "Seal" in EFFECTS.get(self.name, {}):
            self.body["bindings"]["Seal"] = self.seal
        if RECEIPTS and rng.random() < RECEIPTS:
            self.body["receipt"] = True

    def told(self):
        return Told(self.key, self.name, self.gate, self.seal, self.allowed)

    def reduce(self, status, body):
        """What the check needs of an answer."""
        wanted = ("code", "entity", "instance", "state") if status != 200 else \
            ("id", "outcome") if self.name == FLOW else ("versions",)
        return {k: body[k] for k in (*wanted, "queued", "receipt", "record") if k in body}


# How many of the requests are asked with a receipt, of a server that has a key; clients are
# processes of their own.
RECEIPTS = float(os.environ.get("MOTET_TEST_RECEIPTS") or 0)


def number_of(replay, answer):
    """What the answer calls its record by. A receipt waits for the place of a record that was
    queued, so there the promise has it."""
    body = answer.body
    return body["queued"] if "queued" in body else replay.called(body["record"])


def note_promise(replay, answer, promises):
    receipt = answer.body.get("receipt")
    if receipt is None:
        return
    promise = receipt["promise"]
    assert replay.hashes[promise["record"]].hex() == promise["hash"], promise
    refused = promise["decision"]["kind"] == "refusal"
    assert refused == (answer.status != 200), promise
    promises.append(receipt)


def check(answers, items, instances, one_turn=True, promises=None):
    """Every answer is explained by the ledger in its order, and nothing else is in it.

    `instances`: what the service says now, {(entity, id): (state, version)}; `one_turn`:
    nobody can come between the steps of a flow; `promises`: gets the receipts. Returns how
    many operations and refusals were looked at."""
    promises = [] if promises is None else promises
    replay = Replay(items, EFFECTS)
    assert instances == replay.instances(), "the states are not those of the ledger"
    order, refused, reads = Order(replay.places), 0, []
    for answer in answers:
        job = Told(*answer.job)
        note_promise(replay, answer, promises)
        if answer.status != 200:
            refused += 1
            note_refusal(replay, reads, job, answer)
        elif job.name == FLOW:
            note_flow(replay, order, job, answer, one_turn)
        else:
            note_operation(replay, order, job, answer)
    order.settle()
    assert len(replay.refusals) == refused, f"{len(replay.refusals)} records of {refused} refusals"
    explain(replay, order, reads)
    return len(replay.operations), refused


def note_operation(replay, order, job, answer):
    record = number_of(replay, answer)
    assert record in replay.operations, f"{job.key}: its record {record} is lost"
    place, name, versions = replay.operations[record]
    order.claim(place, job.key, answer.began, answer.ended)
    bound = {("Gate", job.gate), ("Seal", job.seal)}
    assert name == job.name and job.allowed and set(versions) <= bound, job.key
    assert answer.body["versions"] == {k[0]: v for k, v in versions.items()}, job.key


def note_flow(replay, order, job, answer, one_turn):
    """It went there and back, or found the gate shut; half of it would be a fault, unless
    somebody may open the gate meanwhile."""
    execution = answer.body["id"]
    assert execution in replay.flows, f"{job.key}: its flow {execution} is lost"
    flow = replay.flows[execution]
    assert flow.outcome == answer.body["outcome"], f"{job.key}: {execution}"
    assert flow.body["bindings"] == {"Gate": job.gate}, job.key
    done = [replay.operations[record] for record in flow.operations]
    names = [d[1] for d in done]
    if flow.outcome == "success":
        assert job.allowed and names == ["shut_gate", "open_gate"], job.key
    elif not job.allowed:
        assert not done and flow.error == "precondition_failed", f"{job.key}: {flow.error}"
    else:
        assert not done or (names == ["shut_gate"] and not one_turn), (job.key, names)
        assert (flow.error, flow.states["Gate"]) == \
            ("invalid_source_state", "open" if done else "shut"), \
            f"{job.key}: {flow.error}, {flow.states}"
    for place in [d[0] for d in done] + [flow.place]:
        order.claim(place, job.key, answer.began, answer.ended)


def note_refusal(replay, reads, job, answer):
    body = answer.body
    told = (answer.status, body["code"])
    number = number_of(replay, answer)
    assert number in replay.refusals, f"{job.key}: its record {number} is lost"
    assert replay.refusals[number] == body["code"], f"{job.key}: record {number}"
    if not job.allowed:
        assert told == (422, "precondition_failed"), (job.key, body)
        return
    assert told == (409, "invalid_source_state"), (job.key, body)
    key = replay.key(body["entity"], body["instance"])
    assert key in (("Gate", job.gate), ("Seal", job.seal)), (job.key, body)
    assert body["state"] != EFFECTS[job.name][key[0]][0], (job.key, body)
    reads.append((answer.began, answer.ended, key, sys.intern(body["state"]), job.key))
