/* The escrow, walked by a client that was generated from /openapi.json. What is not typed as
 * the server speaks does not compile; what does not answer as typed ends with exit status 1.
 *
 *     node walk.js http://127.0.0.1:8440
 */
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

declare const process: { argv: string[] };
const client = createClient<paths>({ baseUrl: process.argv[2] });
const facts: components["schemas"]["escrow.facts"] = {
  delivery_status: "confirmed",
  escrow_amount: { amount: "5000.00", currency: "USD" },
  line_items: [{ id: "i-1", description: "Widget", valid: true, amount: { amount: "5000.00", currency: "USD" } }],
};

function must<T>(what: string, answer: { data?: T; error?: unknown; response: Response }): T {
  if (answer.data === undefined) throw new Error(`${what}: ${JSON.stringify(answer.error)}`);
  console.log(`${what}: ${answer.response.status}`);
  return answer.data;
}

function equal<T>(what: string, is: T, wanted: T): void {
  if (is !== wanted) throw new Error(`${what}: ${String(is)} is not ${String(wanted)}`);
}

for (const [entity, id] of [["EscrowAccount", "acc/1"], ["DeliveryRecord", "del-1"]] as const) {
  const made = await client.POST("/v1/contracts/{contract}/instances/{entity}", {
    params: { path: { contract: "escrow", entity }, header: { "Idempotency-Key": `make-${id}` } },
    body: { id },
  });
  equal("the instance", must("create", made).id, id);
  equal("where it is", made.response.headers.get("Location"),
    `/v1/contracts/escrow/instances/${entity}/${encodeURIComponent(id)}`);
}

const verdicts = must("evaluate", await client.POST("/v1/contracts/escrow/evaluate", { body: { facts } }));
equal("verdicts", verdicts.verdicts.length > 0, true);

const early = await client.POST("/v1/contracts/escrow/operations/refund_escrow", {
  body: { persona: "escrow_agent", bindings: { EscrowAccount: "acc/1" }, facts },
});
equal("a refusal", early.error?.code, "precondition_failed");
equal("its reasons", early.error?.reasons?.[0]?.value, false);

const why = must("explain", await client.POST("/v1/contracts/escrow/explain", {
  body: { operation: "refund_escrow", facts },
}));
equal("what would have to change", (why.why?.changes.length ?? 0) > 0, true);

const flow = must("start", await client.POST("/v1/contracts/escrow/flows/standard_release", {
  params: { header: { "Idempotency-Key": "release-1" } },
  body: { persona: "escrow_agent", bindings: { EscrowAccount: "acc/1", DeliveryRecord: "del-1" }, facts },
}));
equal("the flow", flow.status, "done");

const account = must("get", await client.GET("/v1/contracts/{contract}/instances/{entity}/{id}", {
  params: { path: { contract: "escrow", entity: "EscrowAccount", id: "acc/1" } },
}));
equal("the account", account.state, "released");

const records = must("history", await client.GET("/v1/contracts/{contract}/instances/{entity}/{id}/history", {
  params: { path: { contract: "escrow", entity: "EscrowAccount", id: "acc/1" }, query: { limit: 10 } },
}));
equal("its records", records.items.length >= 2, true);
const proof = must("proof", await client.GET("/v1/ledger/{id}/proof", {
  params: { path: { id: String(records.items[0].seq) } },
}));
equal("the proof", proof.proof, "inclusion");
