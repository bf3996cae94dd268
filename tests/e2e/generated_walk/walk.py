"""The escrow walk with the generated client; prints what it sees, a line each."""
import json
import sys

from escrow import Client, Facts, FlowAnswer, Problem, Verdict, verdict


def say(*words: object) -> None:
    print(json.dumps(words), flush=True)


def value(one: Verdict | None) -> object:
    return None if one is None else one["payload"]["value"]


facts: Facts = {
    "escrow_amount": {"amount": "5000.00", "currency": "USD"},
    "delivery_status": "confirmed",
    "line_items": [{"id": "i-1", "description": "Widget", "valid": True,
                    "amount": {"amount": "5000.00", "currency": "USD"}}],
}
client = Client(sys.argv[1])
account, delivery = client.create("EscrowAccount", "acc-1"), client.create("DeliveryRecord", "del-1")
say("created", account["state"], delivery["state"])

evaluation = client.evaluate(facts)
say("verdicts", value(verdict(evaluation, "delivery_confirmed")), value(verdict(evaluation, "release_approved")),
    value(verdict(evaluation, "refund_approved")))

dry = client.operate("release_escrow", persona="escrow_agent", bindings={"EscrowAccount": "acc-1"},
                     facts={"escrow_amount": facts["escrow_amount"], "line_items": facts["line_items"],
                            "delivery_status": "confirmed"}, dry_run=True)
say("dry", dry["outcome"], dry.get("simulation"))
try:
    client.operate("release_escrow", persona="escrow_agent", bindings={"EscrowAccount": "acc-1"},
                   facts={"escrow_amount": facts["escrow_amount"], "line_items": facts["line_items"],
                          "delivery_status": "pending"})
except Problem as problem:
    say("refused", problem.status, problem.code)


def start() -> FlowAnswer:
    return client.start("standard_release", persona="seller", idempotency_key="walk-1",
                        bindings={"EscrowAccount": "acc-1", "DeliveryRecord": "del-1"},
                        facts={"escrow_amount": facts["escrow_amount"], "line_items": facts["line_items"],
                               "delivery_status": "confirmed"})


flow = start()
say("flow", flow["status"], flow.get("outcome"), len(flow.get("changes", [])))
say("state", client.instance("EscrowAccount", "acc-1")["state"])
say("again", *[one["entity_id"] for one in start().get("changes", []) if one["to"] == "released"])
