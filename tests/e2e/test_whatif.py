"""motet whatif and motet serve --shadow: what a real server records, decided again."""
import itertools
import json

from harness import SOURCE, Case, main
from serve import ESCROW, Server

LEDGER = SOURCE / "examples" / "escrow" / "ledger.jsonl"
NO_CHANGE = ("// Escrow:", "// Of escrow:")
LOWER = ("Decimal(10000.00)", "Decimal(600.00)")
CANDIDATES = {
    "no change": NO_CHANGE,
    "another default": LOWER,
    "a stronger rule": ("escrow_amount ≤ compliance_threshold", "escrow_amount < compliance_threshold"),
    "a persona removed": ("allowed_personas: [buyer, seller]", "allowed_personas: [seller]"),
    "an effect changed": ("[(EscrowAccount, held, disputed)]", "[(EscrowAccount, held, refunded)]"),
    "a type narrowed": ("max: 100)", "max: 1)"),
    "a flow removed": ("flow refund_flow {", "flow refund {"),
}


def item(valid=True):
    return {"id": "i", "description": "a \"chair\"", "valid": valid, "amount": {"amount": "1.00", "currency": "USD"}}


def facts(amount, status, items=1, refund=None):
    given = {"escrow_amount": {"amount": amount, "currency": "USD"}, "delivery_status": status,
             "line_items": [item() for _ in range(items)]}
    return given if refund is None else {**given, "buyer_requested_refund": refund}


class Whatif(Case):
    def candidate(self, find, replace, name="new/escrow.tenor"):
        text = ESCROW.read_text()
        self.assertIn(find, text)
        return self.write(name, text.replace(find, replace, 1))

    def report(self, code, *words):
        result = self.run_motet("whatif", "--json", *words)
        self.assertEqual(result.code, code, result)
        lines = [json.loads(line) for line in result.out.splitlines()]
        return lines[:-1], lines[-1]["summary"]

    def decide(self, server, number, kind, name, persona, given):
        """Asks for one thing on instances of its own; the record and what it saw, or nothing."""
        bound = {"EscrowAccount": f"e{number}", "DeliveryRecord": f"d{number}"}
        for entity, instance in bound.items():
            self.assertEqual(server.post(f"/v1/contracts/escrow/instances/{entity}", {"id": instance}).status, 201)
        answer = server.post(f"/v1/contracts/escrow/{kind}/{name}",
                             {"persona": persona, "facts": given, "bindings": bound})
        return answer.status == 200

    def tried(self, contract, kind, name, persona, given):
        """What `motet eval` says of the same thing."""
        path = self.write("facts.json", json.dumps(given))
        option = "--flow" if kind == "flows" else "--operation"
        result = self.run_motet("eval", contract, "--facts", path, option, name, "--persona", persona)
        return result.code, result.out + result.err

    def test_every_difference_and_no_other_is_found(self):
        calls = [("flows", "standard_release", "seller", facts(a, s, n)) for a, s, n in itertools.product(
            ("500.00", "600.00", "10000.00", "20000.00"), ("confirmed", "failed"), (1, 2))]
        calls += [("flows", "refund_flow", "seller", facts("1.00", "failed", 1, True)),
                  ("flows", "refund_flow", "seller", facts("1.00", "failed")),
                  ("operations", "flag_dispute", "buyer", facts("1.00", "failed", 2)),
                  ("operations", "flag_dispute", "seller", facts("1.00", "confirmed")),
                  ("operations", "release_escrow", "escrow_agent", facts("700.00", "confirmed")),
                  ("operations", "release_escrow", "escrow_agent", facts("10000.00", "confirmed")),
                  ("operations", "release_escrow", "escrow_agent", facts("20000.00", "confirmed"))]
        with Server(self.dir, ESCROW) as server:
            made = [call for number, call in enumerate(calls) if self.decide(server, number, *call)]
        self.assertEqual(len(made), len(calls) - 1)
        self.holds("ledger", "export", "--store", "sqlite:serve.db", "--out", "l.jsonl")
        records = [json.loads(line) for line in (self.dir / "l.jsonl").read_text().splitlines()]
        seqs = [r["seq"] for r in records if r.get("body", {}).get("kind") == "flow_started" or
                (r.get("body", {}).get("kind") == "operation" and "execution" not in r["body"])]
        self.assertEqual(len(seqs), len(made))
        old = [self.tried(ESCROW, *call) for call in made]
        for name, edit in CANDIDATES.items():
            with self.subTest(name):
                new = self.candidate(*edit)
                want = [seq for seq, call, was in zip(seqs, made, old) if self.tried(new, *call) != was]
                lines, summary = self.report(1 if want else 0, "l.jsonl", new)
                self.assertEqual([line["seq"] for line in lines], want)
                self.assertEqual(bool(want), name != "no change")
                self.assertEqual(summary["decisions"], len(made))
                self.assertEqual(summary["differing"], len(want))
                self.assertTrue(all(line["reason"] for line in lines))
                self.assertEqual(self.report(1 if want else 0, "--store", "sqlite:serve.db", new)[0], lines)

    def test_a_ledger_is_replayed_from_standard_input_and_verified(self):
        text = LEDGER.read_bytes()
        result = self.holds("whatif", "--verify", "-", ESCROW, stdin=text)
        self.assertEqual(result.out, "0 of 4 decisions would differ (1 operations, 3 flows)\n")
        broken = text.replace(b'"amount":"500.00"', b'"amount":"501.00"', 1)
        self.assertNotEqual(broken, text)
        self.assertIn("line", self.fails(1, "whatif", "--verify", "-", ESCROW, stdin=broken).err)
        self.holds("whatif", "-", ESCROW, stdin=broken)

    def test_examples_are_bounded_and_counts_are_not(self):
        new = self.candidate("[(DeliveryRecord, pending, confirmed)]", "[(DeliveryRecord, pending, failed)]")
        result = self.fails(1, "whatif", "--examples", "1", LEDGER, new)
        self.assertEqual(result.out.count("record "), 1)
        self.assertIn("3 of 4 decisions would differ", result.out)

    def test_other_contracts_and_versions_are_left_out(self):
        other = self.candidate(*LOWER, name="other.tenor")
        result = self.fails(1, "whatif", LEDGER, other)
        self.assertIn("it has some of contract 'escrow'", result.err)
        self.fails(1, "whatif", "--contract", "escrow", LEDGER, other)
        self.assertIn("no such decision", self.fails(1, "whatif", "--etag", "x", LEDGER, ESCROW).err)
        etag = json.loads(LEDGER.read_text().splitlines()[0])["body"]["etag"]
        self.holds("whatif", "--etag", etag, LEDGER, ESCROW)

    def test_bad_input_is_named_with_its_line(self):
        self.assertIn("line 1", self.fails(1, "whatif", self.write("x.jsonl", "{}\n"), ESCROW).err)
        first = LEDGER.read_text().splitlines(keepends=True)[0]
        self.assertIn("line 2", self.fails(1, "whatif", self.write("x.jsonl", first + "cut"), ESCROW).err)
        self.fails(3, "whatif", "missing.jsonl", ESCROW)
        self.fails(1, "whatif", LEDGER, self.write("bad.tenor", "persona"))
        self.fails(2, "whatif", ESCROW)
        self.fails(2, "whatif", "--store", "sqlite:x.db", LEDGER, ESCROW)
        self.assertIn("whatif_flows", self.fails(1, "whatif", "--limit", "whatif_flows=1", self.write(
            "y.jsonl", "".join(l for l in LEDGER.read_text().splitlines(keepends=True) if "flow_ended" not in l)),
            ESCROW).err)


class Shadow(Case):
    candidate = Whatif.candidate

    def test_a_shadow_answers_nothing_and_records_where_it_disagrees(self):
        new = self.candidate(*LOWER)
        call = {"persona": "seller", "facts": facts("700.00", "confirmed"),
                "bindings": {"EscrowAccount": "e", "DeliveryRecord": "d"}}
        with Server(self.dir, ESCROW, options=("--shadow", new)) as server:
            for entity, instance in call["bindings"].items():
                server.post(f"/v1/contracts/escrow/instances/{entity}", {"id": instance})
            answer = server.post("/v1/contracts/escrow/flows/standard_release", call)
            self.assertEqual(answer.json["steps"][1]["result"], "true")
            records = server.get("/v1/ledger?kind=shadow").json["items"]
            self.assertEqual(len(records), 1)
            body = records[0]["body"]
            self.assertEqual(body["difference"]["kind"], "steps")
            self.assertIn("escrow_amount <= compliance_threshold is false", body["difference"]["reason"])
            self.assertIn("motet_shadow_differing_total 1", server.get("/metrics").body.decode())
            self.assertTrue(server.wait_until(lambda: "shadow_differs" in server.log()), server.log())
        # The same comes out of the ledger, and the ledger verifies.
        self.holds("ledger", "export", "--store", "sqlite:serve.db", "--out", "l.jsonl")
        self.holds("ledger", "verify", "l.jsonl")
        result = self.fails(1, "whatif", "--json", "l.jsonl", new)
        line = json.loads(result.out.splitlines()[0])
        line.pop("seq")
        self.assertEqual(line, body["difference"])

    def test_a_shadow_that_shadows_nothing_is_refused(self):
        other = self.candidate(*LOWER, name="other.tenor")
        result = self.fails(1, "serve", ESCROW, "--store", "sqlite:s.db", "--listen", "127.0.0.1:0", "--shadow", other)
        self.assertIn("no contract 'other' is served", result.err)


main()
