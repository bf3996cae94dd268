/* test_whatif.c - recorded decisions under other contracts.
 * Every decision is also tried under both contracts by the way scenarios take
 * (flow/trial.c); what the replay reports must be exactly what differs there. */
#include "../rows.h"

#include "contract/flow/scenario.h"
#include "whatif/whatif.h"
#include "whatif_ledger.h"

#ifndef EXAMPLES
#define EXAMPLES "examples"
#endif

/* ---- Candidates ---- */

typedef struct edit {
    const char *find, *replace;
} edit;

typedef struct candidate {
    const char *name;
    edit edits[6];
    const char *kinds; /* no others may occur, the first must; "": no difference */
} candidate;

/* clang-format off */
static const candidate CANDIDATES[] = {
    {"no change", {{"// Escrow:", "// Of escrow:"}}, ""},
    {"a threshold that excludes its bound",
     {{"escrow_amount ≤ compliance_threshold", "escrow_amount < compliance_threshold"}},
     "steps verdicts refused"},
    {"another default", {{"Decimal(10000.00)", "Decimal(5000.00)"}},
     "steps verdicts refused"},
    {"a weaker precondition",
     {{"precondition:     verdict_present(release_approved)",
       "precondition:     verdict_present(within_threshold)"}}, "outcome steps"},
    {"a looser check of goods",
     {{"precondition:     ∀ item ∈ line_items . item.valid = true",
       "precondition:     ∃ item ∈ line_items . item.valid = true"}},
     "outcome effects refused steps"},
    {"a stronger precondition",
     {{"precondition:     verdict_present(delivery_confirmed)\n"
       "                  ∨ verdict_present(delivery_failed)",
       "precondition:     verdict_present(delivery_failed)"}}, "refused"},
    {"a rule removed",
     {{"rule can_refund {\n  stratum: 1\n  when: verdict_present(delivery_failed)\n"
       "      ∧ verdict_present(refund_requested)\n"
       "  produce: verdict refund_approved { payload: Bool = true }\n}", ""},
      {"precondition:     verdict_present(refund_approved)",
       "precondition:     verdict_present(refund_requested)"}}, "outcome verdicts steps"},
    {"a persona removed",
     {{"allowed_personas: [buyer, seller]", "allowed_personas: [seller]"}}, "refused"},
    {"an effect changed",
     {{"effects:          [(EscrowAccount, held, disputed)]",
       "effects:          [(EscrowAccount, held, refunded)]"}}, "effects"},
    {"a step added",
     {{"if_true:   step_auto_release\n      if_false:  step_handoff_compliance\n    }",
       "if_true:   step_note\n      if_false:  step_handoff_compliance\n    }\n"
       "    step_note: HandoffStep {\n      from_persona: escrow_agent\n"
       "      to_persona:   escrow_agent\n      next:         step_auto_release\n    }"}},
     "steps"},
    {"a verdict renamed",
     {{"produce: verdict within_threshold", "produce: verdict below_threshold"},
      {"verdict_present(within_threshold)", "verdict_present(below_threshold)"},
      {"¬verdict_present(within_threshold)", "¬verdict_present(below_threshold)"},
      {"condition: verdict_present(within_threshold)",
       "condition: verdict_present(below_threshold)"}}, "verdicts"},
    {"a fact's type narrowed",
     {{"List(element_type: LineItemRecord, max: 100)",
       "List(element_type: LineItemRecord, max: 2)"}}, "facts"},
    {"a fact added",
     {{"entity EscrowAccount {",
       "fact insured { type: Bool source: \"insurer.insured\" }\nentity EscrowAccount {"}},
     "facts"},
    {"an operation removed",
     {{"operation flag_dispute {", "operation contest {"}}, "missing"},
    {"a flow removed", {{"flow refund_flow {", "flow refund {"}}, "missing"},
    {"a step by somebody else",
     {{"condition: verdict_present(within_threshold)\n      persona:   escrow_agent",
       "condition: verdict_present(within_threshold)\n      persona:   seller"}}, "steps"},
    {"another failure", {{"on_failure: Terminate(outcome: failure)",
                          "on_failure: Terminate(outcome: stopped)"}}, "outcome"},
};
/* clang-format on */

static mt_str edited(mt_arena *a, mt_str text, const candidate *c)
{
    for (size_t i = 0; i < sizeof c->edits / sizeof *c->edits && c->edits[i].find;
         i++) {
        size_t n = strlen(c->edits[i].find);
        const char *at = memmem(text.ptr, text.len, c->edits[i].find, n);
        if (!at) {
            fail_msg("%s: '%s' is not there", c->name, c->edits[i].find);
            return text;
        }
        text = mt_strf(a, "%.*s%s%s", (int)(at - text.ptr), text.ptr,
                       c->edits[i].replace, at + n);
    }
    return text;
}

/* ---- The slow way ---- */

static int by_text(const void *a, const void *b)
{
    return mt_str_cmp(*(const mt_str *)a, *(const mt_str *)b);
}

static void add_present(mt_buf *out, mt_arena *a, const ct_bench *b)
{
    const ct_model *m = b->plan->model;
    mt_str *names = mt_new_array(a, mt_str, m->rule_count);
    size_t n = 0;
    for (uint32_t i = 0; i < m->rule_count; i++) {
        if (ct_verdict_present(b->verdicts, i)) {
            names[n++] = m->rules[i].verdict;
        }
    }
    if (n) {
        qsort(names, n, sizeof *names, by_text);
    }
    for (size_t i = 0; i < n; i++) {
        mt_buf_addf(out, "%.*s ", MT_ARG(names[i]));
    }
}

static void add_changes(mt_buf *out, const ct_plan *p, const ct_change *c, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        mt_str e = ct_entity_id(p, c[i].entity);
        mt_str from = ct_plan_state_id(p, c[i].entity, c[i].from);
        mt_str to = ct_plan_state_id(p, c[i].entity, c[i].to);
        mt_buf_addf(out, " %.*s:%.*s>%.*s", MT_ARG(e), MT_ARG(from), MT_ARG(to));
    }
}

static void add_records(mt_buf *out, const ct_run *run)
{
    for (size_t i = 0; i < run->records.len; i++) {
        const ct_record *r = &run->records.items[i];
        mt_buf_addc(out, '\n');
        ct_record_step_text(out, run, r);
        mt_buf_addf(out, " %d %.*s ", (int)r->kind,
                    MT_ARG(run->plan->steps[r->step].id));
        if (r->persona != CT_NONE) {
            mt_buf_adds(out, ct_persona_id(run->plan, r->persona));
        }
        if (r->error) {
            mt_buf_adds(out, ct_op_error_name(r->error));
        } else {
            ct_record_result_text(out, run, r);
        }
        if (r->change_count) {
            add_changes(out, run->plan, &run->changes.items[r->first_change],
                        r->change_count);
        }
    }
}

/* Everything about a decision that can differ, as one text. */
static mt_str slowly(mt_arena *a, ct_bench *b, const decision *d)
{
    mt_arena tmp = {0};
    mt_buf out = {0};
    mt_json states, bindings;
    ct_result r;
    mt_str text = mt_strf(&tmp,
                          "{\"EscrowAccount\":{\"e\":\"%s\"},"
                          "\"DeliveryRecord\":{\"d\":\"%s\"}}",
                          d->escrow, d->delivery);
    assert_int_equal(mt_json_read(&tmp, text, NULL, &states, NULL), MT_OK);
    text = MT_STR("{\"EscrowAccount\":\"e\",\"DeliveryRecord\":\"d\"}");
    assert_int_equal(mt_json_read(&tmp, text, NULL, &bindings, NULL), MT_OK);
    ct_trial t = {.facts = d->facts,
                  .states = &states,
                  .bindings = &bindings,
                  .persona = mt_str_z(d->persona)};
    *(d->flow ? &t.flow : &t.operation) = mt_str_z(d->name);
    ct_trial_run(&tmp, b, &t, &r);
    if (r.evaluated) {
        add_present(&out, &tmp, b);
    }
    mt_buf_addf(&out, "| %.*s | %.*s", MT_ARG(r.fault_kind), MT_ARG(r.outcome));
    if (r.ran) {
        add_records(&out, &b->run);
    } else if (r.changes) {
        add_changes(&out, b->plan, r.changes, r.attempt.change_count);
    }
    mt_str kept = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    mt_arena_free(&tmp);
    return kept;
}

/* ---- Both ways ---- */

typedef struct made {
    decision d;
    uint64_t seq; /* of its first record */
    mt_str old;   /* slowly(), under the contract it was made with */
} made;

typedef struct ledger {
    mt_arena arena;
    mt_str source;
    contract old;
    MT_VEC(mt_str) bodies;
    MT_VEC(made) decisions;
} ledger;

static ledger LEDGER;

static void keep(void *state, mt_str body)
{
    ledger *l = state;
    mt_vec_push(&l->arena, &l->bodies, mt_str_dup(&l->arena, body));
}

static void make_ledger(ledger *l)
{
    size_t wanted = soak_or(100000, 3000), flows = 0;
    dice thrown = dice_from_environment();
    uint64_t seed = dice_next(&thrown) | 1;
    assert_int_equal(
        os_read_file(&l->arena, EXAMPLES "/escrow/escrow.tenor", 1 << 20, &l->source),
        MT_OK);
    l->old = contract_load(l->source);
    ct_bench bench = ct_bench_new(l->old.plan, &MT_LIMITS_DEFAULT);
    for (unsigned i = 0; flows < wanted; i++) {
        made m = {decision_random(&seed, &l->arena), l->bodies.len, {0}};
        if (decision_record(&l->old, &m.d, i, keep, l)) {
            m.old = slowly(&l->arena, &bench, &m.d);
            mt_vec_push(&l->arena, &l->decisions, m);
            flows += m.d.flow;
        }
    }
    ct_bench_free(&bench);
}

typedef struct reported {
    size_t next; /* decision looked at next */
    bool *differs;
    unsigned kinds;
    size_t without_reason;
} reported;

static void take(void *state, const wi_whatif_difference *d)
{
    reported *r = state;
    while (LEDGER.decisions.items[r->next].seq != d->seq) {
        r->next++;
        assert_true(r->next < LEDGER.decisions.len);
    }
    const made *m = &LEDGER.decisions.items[r->next];
    assert_false(r->differs[r->next]);
    r->differs[r->next] = true;
    assert_text(d->name, mt_str_z(m->d.name));
    assert_int_equal(d->is_flow, m->d.flow);
    assert_text(d->persona, mt_str_z(m->d.persona));
    r->kinds |= 1u << d->kind;
    r->without_reason += !d->reason.len;
}

static unsigned kinds_named(const char *names)
{
    unsigned kinds = 0;
    for (int i = 0; i < WI_WHATIF_KIND_COUNT; i++) {
        if (strstr(names, wi_whatif_kind_name((wi_whatif_kind)i))) {
            kinds |= 1u << i;
        }
    }
    return kinds;
}

static void compare(const contract *c, const reported *r, size_t total)
{
    ct_bench bench = ct_bench_new(c->plan, &MT_LIMITS_DEFAULT);
    mt_arena a = {0};
    size_t differing = 0;
    for (size_t i = 0; i < LEDGER.decisions.len; i++) {
        const made *m = &LEDGER.decisions.items[i];
        mt_str now = slowly(&a, &bench, &m->d);
        bool differs = !mt_str_eq(now, m->old);
        differing += differs;
        if (differs != r->differs[i]) {
            fail_msg("record %llu, %s: %s\nwas %.*s\nnow %.*s\nfacts %.*s",
                     (unsigned long long)m->seq, m->d.name,
                     differs ? "not reported" : "reported without a difference",
                     MT_ARG(m->old), MT_ARG(now), MT_ARG(m->d.facts));
        }
        mt_arena_reset(&a);
    }
    assert_int_equal(differing, total);
    mt_arena_free(&a);
    ct_bench_free(&bench);
}

static void replay_finds_what_differs_and_nothing_else(void **state)
{
    const candidate *row = *state;
    mt_arena a = {0};
    contract c = contract_load(edited(&a, LEDGER.source, row));
    reported r = {.differs = mt_new_array(&a, bool, LEDGER.decisions.len)};
    wi_whatif_options o = {
        .candidate = c.plan, .explain = SIZE_MAX, .found = take, .state = &r};
    wi_whatif *w = wi_whatif_new(&o);
    for (size_t i = 0; i < LEDGER.bodies.len; i++) {
        mt_str body = fenced(LEDGER.bodies.items[i]);
        assert_int_equal(wi_whatif_record(w, i, body), MT_OK);
        fenced_free(body);
    }
    assert_int_equal(wi_whatif_end(w), MT_OK);
    const wi_whatif_counts *n = wi_whatif_result(w);
    assert_int_equal(n->operations + n->flows, LEDGER.decisions.len);
    assert_int_equal(n->records, LEDGER.bodies.len);
    assert_int_equal(n->foreign + n->orphans + n->unknown + n->under_way, 0);
    compare(&c, &r, n->differing);
    print_message("%s: %llu of %zu differ\n", row->name,
                  (unsigned long long)n->differing, LEDGER.decisions.len);
    unsigned allowed = kinds_named(row->kinds);
    mt_str first = mt_str_from(row->kinds, strcspn(row->kinds, " "));
    assert_int_equal(r.kinds & ~allowed, 0);
    assert_int_equal(r.kinds != 0, first.len != 0);
    if (first.len) {
        assert_true(r.kinds & kinds_named(mt_str_dup(&a, first).ptr));
    }
    assert_int_equal(r.without_reason, 0);
    wi_whatif_free(w);
    contract_free(&c);
    mt_arena_free(&a);
}

/* ---- What a ledger may be like ---- */

static void others_and_pieces_are_counted_and_left_out(void **state)
{
    (void)state;
    wi_whatif_options o = {.candidate = LEDGER.old.plan, .contract = MT_STR("other")};
    wi_whatif *w = wi_whatif_new(&o);
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(wi_whatif_record(w, i, LEDGER.bodies.items[i]), MT_OK);
    }
    assert_int_equal(wi_whatif_result(w)->operations + wi_whatif_result(w)->flows, 0);
    assert_true(wi_whatif_result(w)->foreign > 20);
    assert_text(wi_whatif_foreign(w), MT_STR("escrow"));
    wi_whatif_free(w);
    o.contract = (mt_str){0};
    w = wi_whatif_new(&o);
    size_t end = 0;
    while (!memmem(LEDGER.bodies.items[end].ptr, LEDGER.bodies.items[end].len,
                   "flow_ended", 10)) {
        end++;
    }
    assert_int_equal(wi_whatif_record(w, 0, LEDGER.bodies.items[end]), MT_OK);
    assert_int_equal(wi_whatif_record(w, 1, MT_STR("{\"kind\":\"episode\"}")), MT_OK);
    assert_int_equal(wi_whatif_end(w), MT_OK);
    assert_int_equal(wi_whatif_result(w)->orphans, 1);
    assert_int_equal(wi_whatif_result(w)->records, 2);
    wi_whatif_free(w);
}

static void a_flow_that_has_not_ended_is_compared_as_far_as_it_came(void **state)
{
    (void)state;
    static const candidate CHANGED = {
        "",
        {{"(DeliveryRecord, pending, confirmed)", "(DeliveryRecord, pending, failed)"},
         {"(pending, failed),", "(pending, failed), (failed, pending),"}},
        ""};
    mt_arena a = {0};
    contract c = contract_load(edited(&a, LEDGER.source, &CHANGED));
    const contract *plans[] = {&LEDGER.old, &c};
    for (size_t k = 0; k < 2; k++) {
        wi_whatif_options o = {.candidate = plans[k]->plan};
        wi_whatif *w = wi_whatif_new(&o);
        size_t confirmed = 0;
        for (size_t i = 0; i < LEDGER.bodies.len; i++) {
            mt_str b = LEDGER.bodies.items[i];
            if (!memmem(b.ptr, b.len, "\"flow_ended\"", 12)) {
                bool step = memmem(b.ptr, b.len, "\"step_confirm\"", 14) != NULL;
                confirmed += step;
                assert_int_equal(wi_whatif_record(w, i, b), MT_OK);
            }
        }
        assert_int_equal(wi_whatif_end(w), MT_OK);
        const wi_whatif_counts *n = wi_whatif_result(w);
        assert_int_equal(n->under_way, n->flows);
        assert_true(confirmed > 0);
        if (k == 0) {
            assert_int_equal(n->differing, 0);
        } else {
            assert_int_equal(n->kinds[WI_WHATIF_STEPS], confirmed);
        }
        wi_whatif_free(w);
    }
    contract_free(&c);
    mt_arena_free(&a);
}

/* The body as ledgers were written before they said in which states a flow began. */
static mt_str without_states(mt_arena *a, mt_str body)
{
    const char *from = memmem(body.ptr, body.len, ",\"states\":{", 11);
    if (!from || !memmem(body.ptr, body.len, "\"flow_started\"", 14)) {
        return body;
    }
    const char *to = strchr(from, '}') + 1;
    return mt_strf(a, "%.*s%.*s", (int)(from - body.ptr), body.ptr,
                   (int)(body.ptr + body.len - to), to);
}

static void
an_older_ledger_is_replayed_where_its_operations_show_the_states(void **state)
{
    (void)state;
    mt_arena a = {0};
    wi_whatif_options o = {.candidate = LEDGER.old.plan};
    wi_whatif *w = wi_whatif_new(&o);
    size_t changed = 0;
    for (size_t i = 0; i < LEDGER.bodies.len; i++) {
        mt_str body = without_states(&a, LEDGER.bodies.items[i]);
        changed += body.len != LEDGER.bodies.items[i].len;
        assert_int_equal(wi_whatif_record(w, i, body), MT_OK);
    }
    assert_int_equal(wi_whatif_end(w), MT_OK);
    const wi_whatif_counts *n = wi_whatif_result(w);
    assert_int_equal(n->flows + n->unknown, changed);
    assert_in_range(n->unknown, 1, changed - 1);
    assert_int_equal(n->differing, 0);
    wi_whatif_free(w);
    mt_arena_free(&a);
}

static void a_body_that_is_none_is_refused(void **state)
{
    (void)state;
    static const char *const BAD[] = {
        "",
        "[]",
        "{",
        "{\"contract\":\"escrow\",\"kind\":\"operation\"",
        "{\"contract\":\"escrow\",\"kind\":\"operation\"}",
        "{\"contract\":\"escrow\",\"kind\":\"operation\",\"provenance\":[]}",
        "{\"contract\":\"escrow\",\"facts\":[1],\"kind\":\"operation\"}",
        "{\"contract\":\"escrow\",\"kind\":\"operation\",\"provenance\":3}",
        "{\"contract\":\"escrow\",\"facts\":[{}],\"kind\":\"operation\"",
    };
    wi_whatif_options o = {.candidate = LEDGER.old.plan};
    wi_whatif *w = wi_whatif_new(&o);
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        mt_str body = fenced(mt_str_z(BAD[i]));
        if (!wi_whatif_record(w, i, body)) {
            fail_msg("accepted: %s", BAD[i]);
        }
        fenced_free(body);
    }
    wi_whatif_free(w);
}

static void flows_under_way_are_bounded(void **state)
{
    (void)state;
    mt_limits limits = MT_LIMITS_DEFAULT;
    limits.whatif_flows = 3;
    wi_whatif_options o = {.candidate = LEDGER.old.plan, .limits = &limits};
    wi_whatif *w = wi_whatif_new(&o);
    mt_err err = MT_OK;
    size_t begun = 0;
    for (size_t i = 0; i < LEDGER.bodies.len && !err; i++) {
        mt_str b = LEDGER.bodies.items[i];
        if (memmem(b.ptr, b.len, "\"flow_started\"", 14)) {
            err = wi_whatif_record(w, i, b);
            begun++;
        }
    }
    assert_int_equal(err, MT_E_LIMIT);
    assert_int_equal(begun, 4);
    wi_whatif_free(w);
}

int main(void)
{
    static rows_list l;
    make_ledger(&LEDGER);
    rows_add(&l, CANDIDATES, replay_finds_what_differs_and_nothing_else);
    rows_test(&l, others_and_pieces_are_counted_and_left_out);
    rows_test(&l, a_flow_that_has_not_ended_is_compared_as_far_as_it_came);
    rows_test(&l, an_older_ledger_is_replayed_where_its_operations_show_the_states);
    rows_test(&l, a_body_that_is_none_is_refused);
    rows_test(&l, flows_under_way_are_bounded);
    int failed = rows_run(&l, "whatif/whatif");
    contract_free(&LEDGER.old);
    mt_arena_free(&LEDGER.arena);
    return failed;
}
