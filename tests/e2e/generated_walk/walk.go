// The escrow walk with the generated client; prints what it sees, a line each.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"walk/escrow"
)

func say(words ...any) {
	text, _ := json.Marshal(words)
	fmt.Println(string(text))
}

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func main() {
	ctx := context.Background()
	client := &escrow.Client{URL: os.Args[1]}
	facts := escrow.Facts{
		EscrowAmount:   escrow.Money{Amount: "5000.00", Currency: "USD"},
		DeliveryStatus: escrow.DeliveryStatusConfirmed,
		LineItems: escrow.List[escrow.LineItemsItem]{{Id: "i-1", Description: "Widget", Valid: true,
			Amount: escrow.Money{Amount: "5000.00", Currency: "USD"}}},
	}
	account := must(client.Create(ctx, escrow.EntityEscrowAccount, "acc-1"))
	delivery := must(client.Create(ctx, escrow.EntityDeliveryRecord, "del-1"))
	say("created", account.State, delivery.State)

	evaluation := must(client.Evaluate(ctx, facts))
	confirmed, approved := must(evaluation.VerdictDeliveryConfirmed()), must(evaluation.VerdictReleaseApproved())
	refund := must(evaluation.VerdictRefundApproved())
	if refund != nil {
		os.Exit(1)
	}
	say("verdicts", confirmed.Value, approved.Value, nil)

	pending := escrow.DeliveryStatusPending
	given := escrow.GivenFacts{EscrowAmount: &facts.EscrowAmount, DeliveryStatus: &facts.DeliveryStatus,
		LineItems: &facts.LineItems}
	act := escrow.Act{Persona: escrow.PersonaEscrowAgent, Facts: &given, DryRun: true,
		Bindings: map[escrow.Entity]string{escrow.EntityEscrowAccount: "acc-1"}}
	dry := must(client.OperateReleaseEscrow(ctx, act))
	say("dry", dry.Outcome, dry.Simulation)
	late := given
	late.DeliveryStatus, act.Facts, act.DryRun = &pending, &late, false
	_, err := client.OperateReleaseEscrow(ctx, act)
	var problem *escrow.Problem
	if errors.As(err, &problem) {
		say("refused", problem.Status, problem.Code)
	}

	start := escrow.Act{Persona: escrow.PersonaSeller, Facts: &given, IdempotencyKey: "walk-1",
		Bindings: map[escrow.Entity]string{escrow.EntityEscrowAccount: "acc-1", escrow.EntityDeliveryRecord: "del-1"}}
	flow := must(client.StartStandardRelease(ctx, start))
	say("flow", flow.Status, flow.Outcome, len(flow.Changes))
	say("state", must(client.Instance(ctx, escrow.EntityEscrowAccount, "acc-1")).State)
	for _, change := range must(client.StartStandardRelease(ctx, start)).Changes {
		if change.To == string(escrow.EscrowAccountStateReleased) {
			say("again", change.EntityID)
		}
	}
}
