"""The checkers of the crash tests, checked: ledgers and answers made by hand, right ones they
take and wrong ones they must refuse, each for its reason."""
import copy
import time
import unittest

import post_office
import turnstile
from harness import main
from load import Answer
from serial_order import Order, Replay


class World:
    """A server that is never wrong, in a few lines; its ledger and its answers are then
    bent by the tests."""

    def __init__(self, gates=1, seals=1):
        self.items, self.answers, self.states = [], [], {}
        for entity, letter, state, count in (("Gate", "g", "open", gates),
                                             ("Seal", "s", "off", seals)):
            for n in range(count):
                self.record({"kind": "instance_created", "entity": entity,
                             "instance": f"{letter}{n}", "state": state})
                self.states[(entity, f"{letter}{n}")] = (state, 0)

    def record(self, body):
        seq = len(self.items)
        self.items.append({"queued": 100 + seq, "seq": seq, "body": body})
        return 100 + seq

    def apply(self, name, bound, **more):
        """The record of an operation."""
        before, after = {}, {}
        for entity, (source, target) in turnstile.EFFECTS[name].items():
            key = (entity, bound[entity])
            state, version = self.states[key]
            assert state == source, "the test asks for what cannot be"
            self.states[key] = (target, version + 1)
            before[entity], after[entity] = {key[1]: source}, {key[1]: target}
        return self.record({"kind": "operation", **more, "provenance": {
            "op": name, "state_before": before, "state_after": after}})

    def answer(self, name, gate, seal, status, body, began, ended, allowed=True):
        told = turnstile.Told(f"k{len(self.answers)}", name, gate, seal, allowed)
        self.answers.append(Answer(told, status, body, began, ended))

    def does(self, name, began, ended, gate="g0", seal="s0"):
        bound = {"Gate": gate, "Seal": seal}
        number = self.apply(name, bound)
        versions = {e: self.states[(e, bound[e])][1] for e in turnstile.EFFECTS[name]}
        self.answer(name, gate, seal, 200, {"queued": number, "versions": versions}, began,
                    ended)

    def refusal(self, code):
        return {"code": code, "queued": self.record({"kind": "refusal", "refusal": {"code": code}})}

    def refuses(self, name, began, ended, state, gate="g0", entity="Gate"):
        self.answer(name, gate, "s0", 409, {**self.refusal("invalid_source_state"), "entity": entity,
                                            "instance": gate if entity == "Gate" else "s0",
                                            "state": state}, began, ended)

    def forbids(self, name, began, ended):
        self.answer(name, "g0", "s0", 422, self.refusal("precondition_failed"), began, ended,
                    False)

    def flows(self, began, ended, outcome="success", gate="g0"):
        flow = f"f-{len(self.items)}"
        state = self.states[("Gate", gate)][0]
        self.record({"kind": "flow_started", "execution": flow, "contract": "turnstile",
                     "flow": turnstile.FLOW, "persona": "clerk", "bindings": {"Gate": gate},
                     "states": {"Gate": state}})
        steps = [{"error": {"type": "invalid_source_state"}}]
        if outcome == "success":
            steps = [{}, {}]
            for name in ("shut_gate", "open_gate"):
                self.apply(name, {"Gate": gate}, execution=flow)
        self.record({"kind": "flow_ended", "execution": flow, "outcome": outcome,
                     "states": {"Gate": self.states[("Gate", gate)][0]}, "steps": steps})
        self.answer(turnstile.FLOW, gate, "s0", 200, {"id": flow, "outcome": outcome}, began,
                    ended)

    def check(self):
        return turnstile.check(self.answers, self.items, self.states)


def small_world():
    world = World()
    world.does("shut_gate", 1, 2)
    world.refuses("shut_gate", 3, 4, "shut")
    world.flows(4, 5, "failure")
    world.does("open_gate", 5, 6)
    world.flows(7, 8)
    world.does("seal", 9, 10)
    world.forbids("seal", 9, 10)
    world.refuses("seal", 11, 12, "shut")
    return world


class SerialOrder(unittest.TestCase):
    def setUp(self):
        self.world = small_world()

    def refused(self, words, world=None):
        with self.assertRaises(AssertionError) as caught:
            (world or self.world).check()
        self.assertIn(words, str(caught.exception))

    def renumber(self):
        for seq, item in enumerate(self.world.items):
            item["seq"] = seq

    def position(self, kind, nth=0):
        return [n for n, i in enumerate(self.world.items) if i["body"]["kind"] == kind][nth]

    def edit(self, nth, **body):
        a = self.world.answers[nth]
        self.world.answers[nth] = a._replace(body={**a.body, **body})

    def test_a_right_world_is_explained(self):
        self.assertEqual(self.world.check(), (5, 3))

    def test_an_acknowledged_record_that_is_lost(self):
        self.world.does("unseal", 13, 14)
        self.world.items = self.world.items[:-1]
        self.world.states.update({("Gate", "g0"): ("shut", 5), ("Seal", "s0"): ("on", 1)})
        self.refused("is lost")

    def test_a_hole_in_the_ledger(self):
        del self.world.items[self.position("flow_ended")]
        self.refused("is due")

    def test_FU2_a_refusal_without_its_record(self):
        del self.world.items[self.position("refusal")]
        self.renumber()
        self.refused("is lost")

    def test_a_record_that_has_no_place_in_the_chain(self):
        del self.world.items[-1]["seq"]
        self.refused("is due")

    def test_a_record_that_nobody_was_told_of(self):
        self.world.does("unseal", 13, 14)
        self.world.answers.pop()
        self.refused("nobody was told")

    def test_a_flow_that_nobody_was_told_of(self):
        self.world.flows(13, 14, "failure")
        self.world.answers.pop()
        self.refused("nobody was told")

    def test_a_request_that_was_done_twice(self):
        self.world.does("unseal", 13, 14)
        self.world.does("seal", 13, 14)  # the client asked once and was answered once
        self.world.answers.pop()
        self.refused("nobody was told")

    def test_two_requests_that_were_told_of_one_record(self):
        self.world.answers.append(self.world.answers[0])
        self.refused("have one record")

    def test_a_wrong_version_in_an_answer(self):
        self.edit(0, versions={"Gate": 2})
        self.refused("k0")

    def test_a_record_of_another_request(self):
        self.edit(0, queued=self.world.answers[3].body["queued"])
        self.edit(3, queued=copy.copy(self.world.items[2]["queued"]))
        self.refused("k0")

    def test_an_effect_of_which_half_is_missing(self):
        body = self.world.items[self.position("operation", 4)]["body"]["provenance"]
        del body["state_before"]["Seal"], body["state_after"]["Seal"]
        self.refused("seal did")

    def test_a_state_that_does_not_follow(self):
        self.world.items[self.position("flow_ended")]["body"]["states"]["Gate"] = "open"
        self.refused("was shut, not open")

    def test_an_operation_applied_to_a_state_it_does_not_fit(self):
        at = self.position("operation")
        again = copy.deepcopy(self.world.items[at])
        again["id"] = 999
        self.world.items.insert(at + 1, again)
        self.renumber()
        self.refused("was shut, not open")

    def test_states_that_are_not_those_of_the_ledger(self):
        self.world.states[("Seal", "s0")] = ("off", 1)
        self.refused("not those of the ledger")

    def test_a_version_that_is_not_that_of_the_ledger(self):
        self.world.states[("Seal", "s0")] = ("on", 2)
        self.refused("not those of the ledger")

    def test_a_flow_of_which_half_was_done(self):
        at = self.position("operation", 3)
        del self.world.items[at]
        self.renumber()
        self.refused("was shut, not open")

    def test_a_flow_that_says_it_failed_and_did_not(self):
        self.edit(4, outcome="failure")
        self.refused("k4")

    def test_a_flow_refused_for_a_state_that_was_right(self):
        world = World()
        world.flows(1, 2, "failure")  # the gate was open
        self.refused("open", world)

    def test_a_refusal_of_a_state_that_never_was(self):
        world = World()
        world.refuses("shut_gate", 1, 2, "shut")
        self.refused("cannot have been shut", world)

    def test_a_refusal_before_the_state_can_have_come(self):
        world = World()
        world.refuses("shut_gate", 1, 2, "shut")
        world.does("shut_gate", 3, 4)
        self.refused("cannot have been shut", world)

    def test_a_refusal_after_the_state_must_have_gone(self):
        world = World()
        world.does("shut_gate", 1, 2)
        world.does("open_gate", 3, 4)
        world.refuses("shut_gate", 5, 6, "shut")
        self.refused("cannot have been shut", world)

    def test_a_refusal_that_the_order_of_others_rules_out(self):
        """The state's own request was slow, but one behind it in the order was not."""
        world = World(gates=2)
        world.does("shut_gate", 1, 20)
        world.does("open_gate", 1, 20)
        world.does("shut_gate", 3, 4, gate="g1")
        world.refuses("shut_gate", 5, 6, "shut")
        self.refused("cannot have been shut", world)

    def test_two_refusals_that_rule_each_other_out(self):
        """Each alone could be; the second was asked when the first had been answered."""
        world = World()
        world.does("shut_gate", 1, 20)
        world.does("open_gate", 1, 20)
        world.refuses("shut_gate", 3, 4, "shut")
        world.refuses("open_gate", 5, 6, "open")
        self.assertEqual(world.check(), (2, 2))
        world.refuses("shut_gate", 7, 8, "shut")
        self.refused("cannot have been shut", world)

    def test_refusals_at_the_same_time_may_be_in_any_order(self):
        world = World()
        world.does("shut_gate", 1, 20)
        world.refuses("shut_gate", 3, 8, "shut")
        world.refuses("open_gate", 5, 9, "open")
        self.assertEqual(world.check(), (1, 2))

    def test_a_refusal_with_a_state_that_was_wanted(self):
        self.world.refuses("open_gate", 13, 14, "shut")
        self.refused("k8")

    def test_a_refusal_of_another_instance(self):
        world = World(gates=2)
        world.does("shut_gate", 1, 2, gate="g1")
        world.refuses("shut_gate", 3, 4, "shut")
        a = world.answers[-1]
        world.answers[-1] = a._replace(body={**a.body, "instance": "g1"})
        self.refused("k1", world)

    def test_a_refusal_without_the_reason_there_was(self):
        self.edit(6, code="persona_rejected")
        self.refused("k6")

    def test_what_was_forbidden_and_done(self):
        a = self.world.answers[0]
        self.world.answers[0] = a._replace(job=a.job._replace(allowed=False))
        self.refused("k0")

    def test_an_order_that_contradicts_time(self):
        world = World(gates=2)
        world.does("shut_gate", 5, 6)
        world.does("shut_gate", 1, 2, gate="g1")  # behind it, and over before it was asked
        self.refused("was answered before", world)

    def test_long_histories_take_no_long_time(self):
        """A refusal costs the same however long the ledger is."""
        world, count = World(), 20000
        for n in range(count):
            world.does(("shut_gate", "open_gate")[n % 2], n, n + 0.5)
            world.refuses(("shut_gate", "open_gate")[n % 2], n + 0.6, n + 0.7,
                          ("shut", "open")[n % 2])
        began = time.process_time()
        self.assertEqual(world.check(), (count, count))
        self.assertLess(time.process_time() - began, 20)

    def test_an_order_without_records_has_one_point(self):
        order = Order(0)
        order.settle()
        self.assertEqual(order.points(1, 2), (0, 0))
        self.assertEqual(Replay([], {}).places, 0)


class Post:
    """Two flows of a desk, one that succeeded and one that failed, and what came of them."""

    def __init__(self):
        self.items, self.answers = [], []
        self.record({"kind": "instance_created", "entity": "Parcel", "instance": "p0",
                     "state": "here"})
        for n, outcome in enumerate(("success", "failure")):
            self.flow("desk", "hand_in", f"source-{n}", outcome, ("take", "give"))
            told = post_office.Told(f"k{n}", "p0", outcome == "success")
            self.answers.append(Answer(told, 200, {"id": f"source-{n}", "outcome": outcome},
                                       n, n + 0.5))
        self.flow("van", "carry", "target-0", "success", ("leave", "arrive"))
        self.trigger("source-0", "success", status="initiated", initiated_at="target-0")
        self.trigger("source-1", "failure", status="failed", failure_reason="missing_binding: x")
        self.instances = {("Parcel", "p0"): ("here", 4)}
        self.listed = {"done": 1, "failed": 1, "pending": 0}

    def record(self, body):
        self.items.append({"id": len(self.items), "seq": len(self.items), "body": body})

    def flow(self, contract, name, execution, outcome, operations):
        self.record({"kind": "flow_started", "execution": execution, "contract": contract,
                     "flow": name, "persona": "clerk", "bindings": {"Parcel": "p0"},
                     "states": {"Parcel": "here"}})
        for op in operations if outcome == "success" else ():
            source, target = post_office.EFFECTS[op]["Parcel"]
            self.record({"kind": "operation", "execution": execution, "provenance": {
                "op": op, "state_before": {"Parcel": {"p0": source}},
                "state_after": {"Parcel": {"p0": target}}}})
        self.record({"kind": "flow_ended", "execution": execution, "outcome": outcome,
                     "states": {"Parcel": "here"}, "steps": []})

    def trigger(self, source, outcome, **more):
        self.record({"kind": "trigger", **post_office.SAYS, "source_execution": source,
                     "source_outcome": outcome, "target_flow": post_office.TARGETS[outcome],
                     **more})

    def check(self):
        for seq, item in enumerate(self.items):
            item["seq"] = seq
        return post_office.check(self.answers, self.items, self.instances, self.listed)


class Triggers(unittest.TestCase):
    def setUp(self):
        self.post = Post()

    def refused(self, words):
        with self.assertRaises(AssertionError) as caught:
            self.post.check()
        self.assertIn(words, str(caught.exception))

    def trigger(self, nth):
        return self.post.items[-2 + nth]["body"]

    def test_a_right_System_is_explained(self):
        self.assertEqual(self.post.check(), (1, 1))

    def test_an_end_that_triggered_nothing(self):
        del self.post.items[-1]
        self.refused("no trigger came of ['source-1']")

    def test_a_trigger_that_fired_twice(self):
        self.post.flow("van", "carry", "target-1", "success", ("leave", "arrive"))
        self.post.trigger("source-0", "success", status="initiated", initiated_at="target-1")
        self.post.instances = {("Parcel", "p0"): ("here", 6)}
        self.refused("source-0 has two triggers")

    def test_a_trigger_that_was_delivered_and_failed_too(self):
        self.post.trigger("source-0", "success", status="failed", failure_reason="late")
        self.refused("source-0 has two triggers")

    def test_a_triggered_flow_without_its_trigger(self):
        self.post.flow("van", "carry", "target-1", "success", ("leave", "arrive"))
        self.post.instances = {("Parcel", "p0"): ("here", 6)}
        self.refused("nobody caused target-1")

    def test_a_trigger_without_source(self):
        self.post.trigger("source-9", "success", status="initiated", initiated_at="target-0")
        self.refused("a trigger without source")

    def test_a_trigger_whose_flow_is_lost(self):
        self.trigger(0)["initiated_at"] = "target-9"
        self.refused("target-9 is lost")

    def test_a_trigger_of_another_outcome(self):
        self.trigger(1).update(target_flow="carry")
        self.refused("'target_flow': 'carry'")

    def test_a_trigger_that_failed_without_need(self):
        self.trigger(0).update(status="failed", failure_reason="tired")
        self.refused("tired")

    def test_a_trigger_as_somebody_else(self):
        self.trigger(0)["persona"] = "guard"
        self.refused("guard")

    def test_a_failure_without_a_reason_that_can_be(self):
        self.trigger(1)["failure_reason"] = "refused"
        self.refused("refused")

    def test_a_target_that_began_before_its_source_was_over(self):
        items = self.post.items
        target = [i for i in items if i["body"].get("execution") == "target-0"]
        self.post.items = items[:1] + target + [i for i in items[1:] if i not in target]
        self.refused("began before its source was over")

    def test_a_source_that_nobody_was_told_of(self):
        self.post.answers.pop()
        self.refused("a trigger without source")

    def test_a_source_that_was_done_twice(self):
        self.post.flow("desk", "hand_in", "source-2", "failure", ())
        self.refused("nobody caused source-2")

    def test_a_trigger_still_in_the_outbox(self):
        self.post.listed = {"done": 1, "failed": 0, "pending": 1}
        self.refused("'pending': 1")


if __name__ == "__main__":
    main()
