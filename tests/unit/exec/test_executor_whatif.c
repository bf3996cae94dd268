/* test_executor_whatif.c - what an executor records, decided again; and the shadow. */
#include "exec_fixture.h"

#include <unistd.h>

#include "../whatif/whatif_ledger.h"
#include "exec/evidence/ledger_store.h"
#include "ledger/entry.h"
#include "os/file.h"
#include "whatif/whatif.h"

#define BOTH "{\"persona\":\"seller\"," ESCROW_FACTS "," ESCROW_BOUND "}"
#define DISPUTE                                                                        \
    "{\"persona\":\"buyer\"," ESCROW_FACTS ",\"bindings\":{\"EscrowAccount\":\"e1\"}}"

/* The escrow example with one thing changed. */
static mt_str changed(mt_arena *a, const char *find, const char *replace)
{
    mt_str text;
    assert_int_equal(os_read_file(a, ESCROW, 1 << 20, &text), MT_OK);
    const char *at = strstr(text.ptr, find);
    assert_non_null(at);
    return mt_strf(a, "%.*s%s%s", (int)(at - text.ptr), text.ptr, replace,
                   at + strlen(find));
}

static void wait_until_chained(desk *d)
{
    ad_param q[] = {{MT_STR("limit"), MT_STR("1000")}};
    for (int i = 0; i < 200; i++) {
        const mt_json *r = ask_query(d, EX_LEDGER_LIST, "", "", q, 1);
        if (count_at(r, "items") == records(d, "")) {
            return;
        }
        usleep(20000);
    }
    fail_msg("the records are not chained");
}

static wi_whatif_counts replay(desk *d, mt_str source)
{
    contract c = contract_load(source);
    wi_whatif_options o = {.candidate = c.plan};
    wi_whatif *w = wi_whatif_new(&o);
    ex_ledger *rows;
    mt_str line;
    wait_until_chained(d);
    assert_fine(ex_ledger_open(d->store, 0, &rows));
    lg_source lines = ex_ledger_source(rows);
    while (!lines.next(lines.state, &line)) {
        lg_line parts;
        assert_fine(lg_line_split(line, &parts));
        assert_fine(wi_whatif_record(w, parts.seq, parts.body));
    }
    ex_ledger_close(rows);
    assert_fine(wi_whatif_end(w));
    wi_whatif_counts n = *wi_whatif_result(w);
    wi_whatif_free(w);
    contract_free(&c);
    return n;
}

static void others_move_an_instance_while_the_flow_waits(void **state)
{
    desk d = desk_open(state, ESCROW, NULL);
    create(&d, "EscrowAccount", "e1");
    create(&d, "DeliveryRecord", "d1");
    const mt_json *r = ask(&d, &SELLER, EX_FLOW_START, "standard_release", "", BOTH);
    expect(&d, 200);
    assert_at(r, "status", "waiting");
    const char *id = mt_str_dup(&d.arena, mt_json_text(at(r, "id"))).ptr;
    mt_str same = changed(&d.arena, "// Escrow:", "// Of escrow:");
    wi_whatif_counts n = replay(&d, same);
    assert_int_equal(n.under_way, 1);
    assert_int_equal(n.differing, 0);
    ask(&d, &ANYONE, EX_OPERATION, "flag_dispute", "", DISPUTE);
    expect(&d, 200);
    r = ask(&d, &AGENT, EX_FLOW_RESUME, "", id, "");
    expect(&d, 200);
    assert_at(r, "outcome", "failure");
    /* The same contract sees the dispute where it happened, and fails likewise. */
    n = replay(&d, same);
    assert_int_equal(n.flows, 1);
    assert_int_equal(n.operations, 1);
    assert_int_equal(n.differing + n.under_way + n.unknown + n.orphans, 0);
    /* One that can release a disputed account does. */
    n = replay(&d,
               changed(&d.arena, "effects:          [(EscrowAccount, held, released)]",
                       "effects:          [(EscrowAccount, held, released), "
                       "(EscrowAccount, disputed, released)]"));
    assert_int_equal(n.differing, 1);
    assert_int_equal(n.kinds[WI_WHATIF_OUTCOME], 1);
    desk_close(&d);
}

/* ---- Steps of every kind ---- */

/* A sub-flow that may fail, branches beside each other, an escalation, an operation
 * whose outcome the caller names, something to undo. */
static const char EVERY[] =
    "persona clerk\npersona boss\n"
    "fact fine { type: Bool source: \"desk.fine\" default: true }\n"
    "entity Doc { states: [s0, s1, s2] initial: s0\n"
    "  transitions: [(s0, s1), (s1, s2), (s1, s0)] }\n"
    "entity Seal { states: [open, shut, lost] initial: open\n"
    "  transitions: [(open, shut), (open, lost)] }\n"
    "rule ok { stratum: 0 when: fine = true produce: verdict ok { payload: Bool = true "
    "} }\n"
    "operation one { allowed_personas: [clerk] precondition: fine = true or fine = "
    "false effects: [(Doc, s0, s1)] outcomes: [done] }\n"
    "operation two { allowed_personas: [clerk, boss] precondition: "
    "verdict_present(ok) effects: [(Doc, s1, s2)] outcomes: [done] }\n"
    "operation undo { allowed_personas: [clerk] precondition: fine = true or fine = "
    "false effects: [(Doc, s1, s0)] outcomes: [done] }\n"
    "operation seal { personas: [clerk, boss] require: fine = true or fine = false\n"
    "  outcomes: [closed, gone]\n"
    "  effects: [Seal: open -> shut -> closed, Seal: open -> lost -> gone] }\n"
    "flow inner { snapshot: at_initiation entry: x steps: {\n"
    "  x: OperationStep { op: one persona: clerk outcomes: { done: y } on_failure: "
    "Terminate(outcome: failure) }\n"
    "  y: OperationStep { op: two persona: clerk outcomes: { done: Terminal(success) } "
    "on_failure: Compensate(steps: [{ op: undo persona: clerk on_failure: "
    "Terminal(failure) }] then: Terminal(failure)) }\n"
    "} }\n"
    "flow outer { snapshot: at_initiation entry: a steps: {\n"
    "  a: SubFlowStep { flow: inner persona: clerk on_success: h on_failure: "
    "Escalate(to_persona: boss next: e) }\n"
    "  h: HandoffStep { from_persona: clerk to_persona: boss next: e }\n"
    "  e: OperationStep { op: seal persona: boss outcomes: { closed: "
    "Terminal(success), gone: Terminal(failure) } on_failure: "
    "Terminate(outcome: failure) }\n"
    "} }\n"
    "flow side { snapshot: at_initiation entry: p steps: {\n"
    "  p: ParallelStep {\n    branches: [\n"
    "      Branch { id: left entry: x steps: { x: SubFlowStep { flow: inner persona: "
    "clerk on_success: Terminal(success) on_failure: Terminate(outcome: failure) } } "
    "},\n"
    "      Branch { id: right entry: y steps: { y: OperationStep { op: seal persona: "
    "clerk outcomes: { closed: Terminal(success), gone: Terminal(success) } "
    "on_failure: "
    "Terminate(outcome: failure) } } }\n    ]\n"
    "    join: JoinPolicy { on_all_success: Terminal(success) on_any_failure: "
    "Terminate(outcome: failure) on_all_complete: null }\n  }\n} }\n";

static void steps_of_every_kind_are_followed(void **state)
{
    static const char *const FLOWS[] = {"outer", "side"};
    static const char *const FACTS[] = {"true", "false"};
    static const char *const OUTCOMES[] = {"closed", "gone"};
    desk d = desk_open(state, contract_file("escrow.tenor", EVERY), NULL);
    unsigned n = 0;
    for (unsigned i = 0; i < 8; i++, n++) {
        char doc[8], seal[8], body[300];
        snprintf(doc, sizeof doc, "d%u", n);
        snprintf(seal, sizeof seal, "s%u", n);
        create(&d, "Doc", doc);
        create(&d, "Seal", seal);
        snprintf(body, sizeof body,
                 "{\"persona\":\"clerk\",\"facts\":{\"fine\":%s},\"outcome\":\"%s\","
                 "\"bindings\":{\"Doc\":\"%s\",\"Seal\":\"%s\"}}",
                 FACTS[i / 2 % 2], OUTCOMES[i / 4], doc, seal);
        ask(&d, &ANYONE, EX_FLOW_START, FLOWS[i % 2], "", body);
        expect(&d, 200);
    }
    wi_whatif_counts same = replay(&d, mt_str_z(EVERY));
    assert_int_equal(same.flows, n);
    assert_int_equal(same.differing + same.unknown + same.under_way + same.orphans, 0);
    /* Deep inside: the second step of the sub-flow, by somebody else. */
    mt_arena a = {0};
    const char *at = strstr(EVERY, "op: two persona: clerk");
    mt_str other = mt_strf(&a, "%.*sop: two persona: boss%s", (int)(at - EVERY), EVERY,
                           at + strlen("op: two persona: clerk"));
    wi_whatif_counts changed_step = replay(&d, other);
    assert_int_equal(changed_step.kinds[WI_WHATIF_STEPS], n);
    mt_arena_free(&a);
    desk_close(&d);
}

/* ---- The shadow ---- */

/* An executor of the example beside a changed one. */
static desk shadowed(void **state, const char *find, const char *replace)
{
    mt_arena a = {0};
    const char *path = contract_file("escrow.tenor", changed(&a, find, replace).ptr);
    ex_executor_options o = {.shadow = path};
    desk d = desk_open(state, ESCROW, &o);
    mt_arena_free(&a);
    create(&d, "EscrowAccount", "e1");
    create(&d, "DeliveryRecord", "d1");
    return d;
}

static const mt_json *shadow_records(desk *d, uint32_t count)
{
    ad_param q[] = {{MT_STR("kind"), MT_STR("shadow")},
                    {MT_STR("pending"), MT_STR("true")}};
    const mt_json *r = ask_query(d, EX_LEDGER_LIST, "", "", q, 2);
    expect(d, 200);
    assert_int_equal(count_at(r, "items"), count);
    return r;
}

static void a_shadow_that_agrees_leaves_nothing(void **state)
{
    desk d = shadowed(state, "// Escrow:", "// Of escrow:");
    ask(&d, &ANYONE, EX_FLOW_START, "standard_release", "", BOTH);
    expect(&d, 200);
    const mt_json *r = ask(&d, &ANYONE, EX_OPERATION, "release_escrow", "", RELEASE);
    expect_code(&d, r, 409, "invalid_source_state");
    shadow_records(&d, 0);
    mt_buf text = {0};
    mt_figures_text figures;
    ex_executor_figures(d.x, mt_figures_text_start(&figures, &text));
    mt_buf_addc(&text, '\0');
    assert_non_null(strstr(text.ptr, "motet_shadow_compared_total 2\n"));
    assert_non_null(strstr(text.ptr, "motet_shadow_differing_total 0\n"));
    mt_buf_free(&text);
    desk_close(&d);
}

static void a_shadow_records_where_it_disagrees(void **state)
{
    desk d = shadowed(state, "10000.00", "100.00");
    const mt_json *r = ask(&d, &ANYONE, EX_FLOW_START, "standard_release", "", BOTH);
    expect(&d, 200);
    assert_at(r, "outcome", "success");
    assert_state(&d, "EscrowAccount", "e1", "released");
    r = shadow_records(&d, 1);
    assert_at(r, "items.0.body.difference.kind", "steps");
    assert_at(r, "items.0.body.difference.step", "step_check_threshold");
    assert_at(r, "items.0.body.difference.gained.0", "compliance_review_required");
    int64_t of = 0;
    bool queued = st_is_shared(d.store);
    assert_fine(
        mt_json_i64(at(r, queued ? "items.0.body.of_queued" : "items.0.body.of"), &of));
    char id[24];
    snprintf(id, sizeof id, "%s%lld", queued ? "q" : "", (long long)of);
    r = ask(&d, &ANYONE, EX_LEDGER_GET, "", id, "");
    assert_at(r, "body.kind", "flow_started");
    desk_close(&d);
}

static void a_shadow_sees_what_was_refused(void **state)
{
    desk d = shadowed(state, "precondition:     verdict_present(release_approved)",
                      "precondition:     verdict_present(delivery_confirmed)");
    static const char LARGE[] = "{\"persona\":\"escrow_agent\"," ESCROW_LARGE
                                ",\"bindings\":{\"EscrowAccount\":\"e1\"}}";
    const mt_json *r =
        ask_once(&d, &ANYONE, EX_OPERATION, "release_escrow", LARGE, "k1");
    expect_code(&d, r, 422, "precondition_failed");
    assert_state(&d, "EscrowAccount", "e1", "held");
    r = shadow_records(&d, 1);
    assert_at(r, "items.0.body.difference.kind", "allowed");
    assert_at(r, "items.0.body.difference.was", "precondition_failed");
    assert_at(r, "items.0.body.difference.now", "released");
    /* Asked again under the same key it is the same refusal, and is seen once. */
    ask_once(&d, &ANYONE, EX_OPERATION, "release_escrow", LARGE, "k1");
    expect(&d, 422);
    assert_true(d.replayed);
    shadow_records(&d, 1);
    desk_close(&d);
}

static void a_shadow_of_nothing_is_refused(void **state)
{
    desk d;
    mt_buf why = {0};
    ex_executor_options o = {
        .shadow = contract_file("stranger.tenor", "persona p\nentity E { states: [a] "
                                                  "initial: a transitions: [] }\n")};
    assert_true(desk_try(&d, fresh(state), ESCROW, &o, &why));
    mt_buf_addc(&why, '\0');
    assert_non_null(strstr(why.ptr, "no contract 'stranger' is served"));
    mt_buf_free(&why);
    st_close(d.store);
}

int main(void)
{
    static rows_list l;
    both(&l, others_move_an_instance_while_the_flow_waits);
    both(&l, steps_of_every_kind_are_followed);
    both(&l, a_shadow_that_agrees_leaves_nothing);
    both(&l, a_shadow_records_where_it_disagrees);
    both(&l, a_shadow_sees_what_was_refused);
    both(&l, a_shadow_of_nothing_is_refused);
    int failed = rows_run(&l, "exec/executor_whatif");
    backends_stop();
    return failed;
}
