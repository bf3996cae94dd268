// The escrow walk with the generated client; prints what it sees, a line each.
import { Client, Facts, Problem, payload } from "./escrow.js";

const facts: Facts = {
  escrow_amount: { amount: "5000.00", currency: "USD" },
  delivery_status: "confirmed",
  line_items: [{ id: "i-1", description: "Widget", valid: true, amount: { amount: "5000.00", currency: "USD" } }],
};
const bindings = { EscrowAccount: "acc-1", DeliveryRecord: "del-1" };
const say = (...words: unknown[]): void => console.log(JSON.stringify(words));

const client = new Client(process.argv[2] ?? "");
const account = await client.create("EscrowAccount", "acc-1");
const delivery = await client.create("DeliveryRecord", "del-1");
say("created", account.state, delivery.state);

const evaluation = await client.evaluate(facts);
say("verdicts", payload(evaluation, "delivery_confirmed")?.value, payload(evaluation, "release_approved")?.value,
  payload(evaluation, "refund_approved")?.value ?? null);

const act = { persona: "escrow_agent", bindings: { EscrowAccount: "acc-1" }, facts } as const;
const dry = await client.operate("release_escrow", { ...act, dry_run: true });
say("dry", dry.outcome, dry.simulation);
try {
  await client.operate("release_escrow", { ...act, facts: { ...facts, delivery_status: "pending" } });
} catch (problem) {
  if (!(problem instanceof Problem)) throw problem;
  say("refused", problem.status, problem.code);
}

const start = { persona: "seller", bindings, facts, idempotency_key: "walk-1" } as const;
const flow = await client.start("standard_release", start);
if (flow.status === "done") say("flow", flow.status, flow.outcome, flow.changes?.length);
say("state", (await client.instance("EscrowAccount", "acc-1")).state);
const again = await client.start("standard_release", start);
const change = again.changes?.find((one) => one.to === "released");
say("again", change?.entity_id);
