/* What one can begin with: the examples of the tree, and an empty page. */
import claimsTests from "../../examples/claims/claims.scenarios.yaml";
import claims from "../../examples/claims/claims.tenor";
import escrowTests from "../../examples/escrow/escrow.scenarios.yaml";
import escrow from "../../examples/escrow/escrow.tenor";
import requisitionTests from "../../examples/requisition/requisition.scenarios.yaml";
import requisition from "../../examples/requisition/requisition.tenor";
import fulfillment from "../../examples/trade_platform/contracts/fulfillment.tenor";
import order from "../../examples/trade_platform/contracts/order.tenor";
import platform from "../../examples/trade_platform/trade_platform.tenor";
import type { Saved } from "./state/workspace.svelte";

export interface Example extends Saved {
  about: string;
}

const START = `// A contract says what may happen, who may do it, and why.
persona customer
persona clerk

fact amount {
  type: Money("EUR")
  source: "orders.amount"
}

entity Order {
  states: [placed, paid]
  initial: placed
  transitions: [(placed, paid)]
}

rule affordable {
  stratum: 0
  when: amount <= Money { amount: "500.00", currency: "EUR" }
  produce: verdict affordable { payload: Bool = true }
}

operation pay {
  allowed_personas: [customer]
  precondition: verdict_present(affordable)
  effects: [(Order, placed, paid)]
  outcomes: [paid]
  error_contract: [precondition_failed, persona_rejected]
}
`;

const money = (amount: string, currency: string) => ({ amount, currency });

export const EXAMPLES: Example[] = [
  { name: "escrow", about: "Money is held until the goods are delivered, then released or refunded.",
    files: [["escrow.tenor", escrow], ["escrow.scenarios.yaml", escrowTests]],
    facts: JSON.stringify({ escrow_amount: money("8500.00", "USD"), delivery_status: "confirmed",
      line_items: [{ id: "L1", description: "Lamp", amount: money("5000.00", "USD"), valid: true },
        { id: "L2", description: "Chair", amount: money("3500.00", "USD"), valid: true }] }, null, 2) },
  { name: "claims", about: "An insurance claim that an adjudicator decides.", files: [["claims.tenor", claims], ["claims.scenarios.yaml", claimsTests]],
    facts: JSON.stringify({ policy_active: true, claimed_amount: money("800.00", "EUR"), covered_amount: money("1000.00", "EUR") }, null, 2) },
  { name: "requisition", about: "A purchase that needs approval.", files: [["requisition.tenor", requisition], ["requisition.scenarios.yaml", requisitionTests]], facts: "{}" },
  { name: "trade_platform", about: "A System: two contracts that share an entity; one's flow starts the other's.",
    files: [["trade_platform.tenor", platform], ["contracts/fulfillment.tenor", fulfillment], ["contracts/order.tenor", order]], facts: "{}" },
  { name: "untitled", about: "Forty lines to change into your own.", files: [["untitled.tenor", START]],
    facts: JSON.stringify({ amount: money("120.00", "EUR") }, null, 2) },
];
