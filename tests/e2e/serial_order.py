"""The ledger read again by somebody who knows nothing of the server, and the question
whether its order explains what clients were told.

Replay reads the records in their order: each must follow from those before it. Order then
gives every record that a request caused the time between asking and answer. The order is
strict: a request that was answered before another was asked comes before it. The record of a
refusal says that it was refused, not on which states: on a shared store others may come
between the two. So explain() looks for a point between two records where it can have been,
for all refusals together.
"""
import heapq
import sys
from array import array
from bisect import bisect_left, bisect_right


class Flow:
    """One execution as the ledger tells it."""

    __slots__ = ("body", "seq", "operations", "outcome", "place", "error", "states",
                 "ended_seq")

    def __init__(self, body, seq):
        self.body, self.seq, self.operations = body, seq, []
        self.outcome = self.place = self.error = self.states = self.ended_seq = None


class Replay:
    """The records in order, and what must be true of them by themselves.

    `effects`: {operation: {entity: (from, to)}}. A record that a request causes has a
    place, counted from 0; the point p is where the records of the places below p are done."""

    def __init__(self, items, effects):
        """`items` as the service lists them: {"seq","body"} in order of seq, and on a shared
        store "queued", which is then what answers call the record by."""
        self.effects = effects
        self.keys = {}        # (entity, id): itself
        self.states = {}      # (entity, id): state
        self.history = {}     # (entity, id): state of each version
        self.points = {}      # (entity, id): point where each version begins
        self.operations = {}  # number of the record: (place, operation, {key: version})
        self.refusals = {}    # number of the record: its code
        self.hashes = []      # of each record
        self.numbers = []     # of each record, when they are not their places
        self.flows = {}       # execution: Flow
        self.triggers = []    # (seq, body)
        self.records = self.places = 0
        for item in items:
            assert item.get("seq") == self.records, \
                f"record {item.get('seq')} where {self.records} is due"
            body = item["body"]
            number = item.get("queued", item["seq"])
            getattr(self, "on_" + body["kind"], self.ignore)(number, body)
            self.hashes.append(bytes.fromhex(item.get("hash", "")))
            if "queued" in item:
                self.numbers.append(number)
            self.records += 1

    def called(self, seq):
        """What answers without a receipt call this record by."""
        return self.numbers[seq] if self.numbers else seq

    def key(self, entity, instance):
        """Kept once, however often it is told: there are a million of them."""
        return self.keys.setdefault((entity, instance), (entity, instance))

    def flat(self, states):
        """{(entity, id): state}"""
        return {self.key(e, i): s for e, of in states.items() for i, s in of.items()}

    def ignore(self, number, body):
        pass

    def place(self):
        self.places += 1
        return self.places - 1

    def on_instance_created(self, number, body):
        key = self.key(body["entity"], body["instance"])
        assert key not in self.states, f"record {number}: {key} is made twice"
        self.move(key, body["state"])

    def on_operation(self, number, body):
        told = body["provenance"]
        before, after = self.flat(told["state_before"]), self.flat(told["state_after"])
        wanted = self.effects[told["op"]]
        assert before.keys() == after.keys() and \
            {k[0]: (before[k], after[k]) for k in after} == wanted, \
            f"record {number}: {told['op']} did {before} -> {after}"
        place = self.place()
        for key, state in before.items():
            self.expect(number, key, state)
            self.move(key, after[key])
        versions = {k: len(self.history[k]) - 1 for k in after}
        self.operations[number] = (place, sys.intern(told["op"]), versions)
        if "execution" in body:
            flow = self.flows[body["execution"]]
            assert flow.outcome is None, f"record {number}: its flow has ended"
            flow.operations.append(number)

    def on_refusal(self, number, body):
        self.refusals[number] = sys.intern(body["refusal"]["code"])

    def on_flow_started(self, number, body):
        assert body["execution"] not in self.flows, f"record {number}: begun twice"
        self.flows[body["execution"]] = Flow(
            {k: body[k] for k in ("contract", "flow", "persona", "bindings")}, self.records)
        self.expect_states(number, body["bindings"], body["states"])

    def on_flow_ended(self, number, body):
        flow = self.flows[body["execution"]]
        assert flow.outcome is None, f"record {number}: ended twice"
        flow.outcome, flow.place = body["outcome"], self.place()
        flow.states, flow.ended_seq = body["states"], self.records
        flow.error = next((s["error"]["type"] for s in body["steps"] if "error" in s), None)
        self.expect_states(number, flow.body["bindings"], body["states"])

    def on_trigger(self, number, body):
        self.triggers.append((self.records, body))

    def expect_states(self, number, bindings, states):
        for entity, state in states.items():
            self.expect(number, (entity, bindings[entity]), state)

    def expect(self, number, key, state):
        assert self.states[key] == state, \
            f"record {number}: {key} was {self.states[key]}, not {state}"

    def move(self, key, state):
        state = sys.intern(state)
        self.states[key] = state
        self.history.setdefault(key, []).append(state)
        self.points.setdefault(key, []).append(self.places)

    def instances(self):
        """As the service must list them: {(entity, id): (state, version)}."""
        return {k: (s, len(self.history[k]) - 1) for k, s in self.states.items()}

    def next_point(self, key, state, point):
        """The first point from `point` on where `key` is in `state`, or None."""
        points, history = self.points[key], self.history[key]
        for version in range(max(0, bisect_right(points, point) - 1), len(points)):
            if history[version] == state:
                return max(point, points[version])
        return None


class Order:
    """Between which moments each place was taken, and by whom."""

    def __init__(self, places):
        self.began, self.ended = array("d", bytes(8 * places)), array("d", bytes(8 * places))
        self.owners = [None] * places

    def claim(self, place, key, began, ended):
        assert self.owners[place] is None, \
            f"{key} and {self.owners[place]} have one record, place {place}"
        self.owners[place], self.began[place], self.ended[place] = key, began, ended

    def settle(self):
        """Everything is claimed: bounds that hold for all places before and behind."""
        lost = [p for p, owner in enumerate(self.owners) if owner is None]
        assert not lost, f"nobody was told of the records at the places {lost[:5]}"
        for p in range(1, len(self.began)):
            self.began[p] = max(self.began[p], self.began[p - 1])
        for p in range(len(self.ended) - 2, -1, -1):
            self.ended[p] = min(self.ended[p], self.ended[p + 1])
        for p, began in enumerate(self.began):
            assert began <= self.ended[p], \
                f"place {p} ({self.owners[p]}): one behind it was answered before one up " \
                "to it was asked"

    def points(self, began, ended):
        """The first and the last point that is between these moments."""
        return bisect_left(self.ended, began), bisect_right(self.began, ended)


def explain(replay, order, reads):
    """A point for each of `reads`, (began, ended, key, state, who): what was seen is the
    state there, and of two that follow each other in time the second is not before the
    first. The first point that will do is best for all that come later, so if this finds
    none there is none."""
    floor, open_reads = 0, []
    for began, ended, key, state, who in sorted(reads):
        while open_reads and open_reads[0][0] < began:
            floor = max(floor, heapq.heappop(open_reads)[1])
        first, last = order.points(began, ended)
        point = replay.next_point(key, state, max(first, floor))
        assert point is not None and point <= last, \
            f"{who}: {key} cannot have been {state}"
        heapq.heappush(open_reads, (ended, point))
