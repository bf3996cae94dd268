/* Random contracts and flows: the machine against a naive interpreter that walks the
 * bundle's JSON by recursion, and every run against itself, written down and taken up
 * again after each step.
 * 10,000 contracts; MOTET_SOAK=1 runs 100,000. MOTET_SEED chooses others. */
#include "../many.h"
#include "contract/flow/paths.h"
#include "contract/flow/why.h"
#include "flow_fixture.h"
#include "random_flow.h"

/* ---- the naive interpreter ---- */

typedef struct naive {
    const mt_json *bundle;
    const bool *facts;
    bool verdicts[RULES];
    int states[ENTITIES];
    mt_buf log; /* flat list, as fixture_steps() writes it */
    int hidden; /* inside how many sub-flows? */
} naive;

static const mt_json *construct(const naive *n, const char *kind, mt_str id)
{
    const mt_json *list = mt_json_at(n->bundle, "constructs");
    for (uint32_t i = 0; i < list->count; i++) {
        const mt_json *c = &list->as.items[i];
        if (mt_str_eq(mt_json_text(mt_json_at(c, "kind")), mt_str_z(kind)) &&
            mt_str_eq(mt_json_text(mt_json_at(c, "id")), id)) {
            return c;
        }
    }
    fail_msg("no %s %.*s", kind, MT_ARG(id));
    return NULL;
}

static bool holds(const naive *n, const mt_json *e)
{
    const mt_json *present = mt_json_at(e, "verdict_present");
    if (present) {
        return n->verdicts[mt_json_text(present).ptr[1] - '0'];
    }
    mt_str op = mt_json_text(mt_json_at(e, "op"));
    if (mt_str_is(op, "not")) {
        return !holds(n, mt_json_at(e, "operand"));
    }
    const mt_json *l = mt_json_at(e, "left"), *r = mt_json_at(e, "right");
    if (mt_str_is(op, "and")) {
        return holds(n, l) && holds(n, r);
    }
    if (mt_str_is(op, "or")) {
        return holds(n, l) || holds(n, r);
    }
    return n->facts[mt_json_text(mt_json_at(l, "fact_ref")).ptr[1] - '0'] ==
           mt_json_at(r, "literal")->boolean;
}

static void entry(naive *n, mt_str step, mt_str result)
{
    if (!n->hidden) {
        mt_buf_addf(&n->log, "%s%.*s=%.*s", n->log.len ? " | " : "", MT_ARG(step),
                    MT_ARG(result));
    }
}

static bool has_name(const mt_json *list, mt_str name)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (mt_str_eq(mt_json_text(&list->as.items[i]), name)) {
            return true;
        }
    }
    return false;
}

/* true: *outcome is its label. false: *outcome is the error's sentence. */
static bool naive_op(naive *n, mt_arena *a, mt_str id, mt_str persona, mt_str *outcome)
{
    const mt_json *op = construct(n, "Operation", id);
    if (!has_name(mt_json_at(op, "allowed_personas"), persona)) {
        *outcome =
            mt_strf(a, "error: persona '%.*s' not authorized for operation '%.*s'",
                    MT_ARG(persona), MT_ARG(id));
        return false;
    }
    if (!holds(n, mt_json_at(op, "precondition"))) {
        *outcome = mt_strf(a,
                           "error: precondition failed for operation '%.*s': "
                           "precondition evaluated to false",
                           MT_ARG(id));
        return false;
    }
    const mt_json *labels = mt_json_at(op, "outcomes"),
                  *effects = mt_json_at(op, "effects");
    int matches = 0, to = -1, entity = -1;
    for (uint32_t o = 0; o < labels->count; o++) {
        mt_str label = mt_json_text(&labels->as.items[o]);
        bool touches = false, matched = false;
        for (uint32_t i = 0; i < effects->count; i++) {
            const mt_json *e = &effects->as.items[i];
            const mt_json *mine = mt_json_at(e, "outcome");
            if (mine && !mt_str_eq(mt_json_text(mine), label)) {
                continue;
            }
            touches = true;
            entity = mt_json_text(mt_json_at(e, "entity_id")).ptr[1] - '0';
            if (n->states[entity] == mt_json_text(mt_json_at(e, "from")).ptr[1] - '0') {
                matched = true;
                if (!matches) {
                    to = mt_json_text(mt_json_at(e, "to")).ptr[1] - '0';
                }
            }
        }
        if (!touches || matched) {
            if (!matches) {
                *outcome = label;
                to = touches ? to : -1;
            }
            matches++;
        }
    }
    if (matches > 1) {
        *outcome =
            mt_strf(a, "error: several outcomes of operation '%.*s' match; name one",
                    MT_ARG(id));
    } else if (!matches) {
        mt_buf text = {0};
        const char *before = "'";
        mt_buf_addf(&text,
                    "error: entity 'E%d' instance '_default' in state 's%d', expected ",
                    entity, n->states[entity]);
        bool seen[STATES] = {false};
        for (uint32_t i = 0; i < effects->count; i++) {
            mt_str from = mt_json_text(mt_json_at(&effects->as.items[i], "from"));
            if (!seen[from.ptr[1] - '0']) {
                mt_buf_addf(&text, "%s%.*s", before, MT_ARG(from));
                seen[from.ptr[1] - '0'] = true;
                before = "' or '";
            }
        }
        mt_buf_addc(&text, '\'');
        *outcome = mt_str_dup(a, mt_buf_str(&text));
        mt_buf_free(&text);
    } else if (to >= 0) {
        n->states[entity] = to;
    }
    return matches == 1;
}

static mt_str naive_graph(naive *n, mt_arena *a, const mt_json *graph);

static bool failed_name(mt_str outcome)
{
    return !outcome.len || mt_str_is(outcome, "failure") ||
           mt_str_is(outcome, "escalation");
}

/* Follows a handler: a step id, or a terminal in *end. */
static mt_str naive_handler(naive *n, mt_arena *a, mt_str step, const mt_json *h,
                            mt_str *end)
{
    mt_str kind = mt_json_text(mt_json_at(h, "kind"));
    if (mt_str_is(kind, "Terminate")) {
        *end = mt_json_text(mt_json_at(h, "outcome"));
        return (mt_str){0};
    }
    if (mt_str_is(kind, "Escalate")) {
        entry(n, step,
              mt_strf(a, "escalated to %.*s",
                      MT_ARG(mt_json_text(mt_json_at(h, "to_persona")))));
        return mt_json_text(mt_json_at(h, "next"));
    }
    const mt_json *list = mt_json_at(h, "steps");
    for (uint32_t i = 0; i < list->count; i++) {
        const mt_json *c = &list->as.items[i];
        mt_str op = mt_json_text(mt_json_at(c, "op")), outcome;
        bool ok = naive_op(n, a, op, mt_json_text(mt_json_at(c, "persona")), &outcome);
        entry(n, mt_strf(a, "comp:%.*s", MT_ARG(op)), outcome);
        if (!ok) {
            *end = mt_json_text(mt_json_at(mt_json_at(c, "on_failure"), "outcome"));
            return (mt_str){0};
        }
    }
    *end = mt_json_text(mt_json_at(mt_json_at(h, "then"), "outcome"));
    return (mt_str){0};
}

static mt_str follow(const mt_json *t, mt_str *end)
{
    if (t->type == MT_JSON_STRING) {
        return mt_json_text(t);
    }
    *end = mt_json_text(mt_json_at(t, "outcome"));
    return (mt_str){0};
}

/* *end stays empty when no join policy matches: the graph breaks off. */
static mt_str naive_parallel(naive *n, mt_arena *a, const mt_json *s, mt_str *end)
{
    const mt_json *branches = mt_json_at(s, "branches"), *join = mt_json_at(s, "join");
    mt_str id = mt_json_text(mt_json_at(s, "id"));
    bool failed = false;
    mt_buf outer = n->log, summary = {0};
    n->log = (mt_buf){0};
    for (uint32_t i = 0; i < branches->count; i++) {
        const mt_json *b = &branches->as.items[i];
        mt_str outcome = naive_graph(n, a, b);
        failed |= failed_name(outcome);
        mt_buf_addf(&summary, "%s%.*s:", i ? ", " : "",
                    MT_ARG(mt_json_text(mt_json_at(b, "id"))));
        mt_buf_addf(&summary, "%.*s",
                    MT_ARG(outcome.len ? outcome : MT_STR("error:*")));
    }
    mt_buf inner = n->log;
    n->log = outer;
    entry(n, id, mt_buf_str(&summary));
    if (inner.len) {
        mt_buf_addf(&n->log, "%s%.*s", n->log.len ? " | " : "",
                    MT_ARG(mt_buf_str(&inner)));
    }
    mt_buf_free(&inner);
    mt_buf_free(&summary);
    const mt_json *all = mt_json_at(join, "on_all_success"),
                  *any = mt_json_at(join, "on_any_failure"),
                  *complete = mt_json_at(join, "on_all_complete");
    if (!failed && all) {
        return follow(all, end);
    }
    if (failed && any) {
        return naive_handler(n, a, id, any, end);
    }
    return complete ? follow(complete, end) : (mt_str){0};
}

static mt_str naive_step(naive *n, mt_arena *a, const mt_json *s, mt_str *end)
{
    mt_str kind = mt_json_text(mt_json_at(s, "kind")),
           id = mt_json_text(mt_json_at(s, "id"));
    if (mt_str_is(kind, "HandoffStep")) {
        entry(n, id, MT_STR("handoff"));
        return mt_json_text(mt_json_at(s, "next"));
    }
    if (mt_str_is(kind, "BranchStep")) {
        bool yes = holds(n, mt_json_at(s, "condition"));
        entry(n, id, yes ? MT_STR("true") : MT_STR("false"));
        return follow(yes ? mt_json_at(s, "if_true") : mt_json_at(s, "if_false"), end);
    }
    if (mt_str_is(kind, "Terminal")) { /* §11.4: the outcome is returned, no record */
        *end = mt_json_text(mt_json_at(s, "outcome"));
        return (mt_str){0};
    }
    if (mt_str_is(kind, "ParallelStep")) {
        return naive_parallel(n, a, s, end);
    }
    if (mt_str_is(kind, "SubFlowStep")) {
        n->hidden++;
        mt_str outcome = naive_graph(
            n, a, construct(n, "Flow", mt_json_text(mt_json_at(s, "flow"))));
        n->hidden--;
        entry(n, id, outcome.len ? outcome : MT_STR("error"));
        return failed_name(outcome)
                   ? naive_handler(n, a, id, mt_json_at(s, "on_failure"), end)
                   : follow(mt_json_at(s, "on_success"), end);
    }
    mt_str outcome;
    bool ok = naive_op(n, a, mt_json_text(mt_json_at(s, "op")),
                       mt_json_text(mt_json_at(s, "persona")), &outcome);
    entry(n, id, outcome);
    return ok ? follow(mt_json_get(mt_json_at(s, "outcomes"), outcome), end)
              : naive_handler(n, a, id, mt_json_at(s, "on_failure"), end);
}

/* The terminal's name, empty when the graph broke off. */
static mt_str naive_graph(naive *n, mt_arena *a, const mt_json *graph)
{
    const mt_json *list = mt_json_at(graph, "steps");
    mt_str at = mt_json_text(mt_json_at(graph, "entry")), end = {0};
    while (at.ptr) {
        const mt_json *found = NULL;
        for (uint32_t i = 0; i < list->count && !found; i++) {
            bool mine =
                mt_str_eq(mt_json_text(mt_json_at(&list->as.items[i], "id")), at);
            found = mine ? &list->as.items[i] : NULL;
        }
        assert_non_null(found);
        at = naive_step(n, a, found, &end);
    }
    return end;
}

/* ---- comparing ---- */

/* A branch that breaks off is compared without the sentence that says why. */
static const char *without_reasons(mt_arena *a, const char *text)
{
    mt_buf out = {0};
    for (const char *c = text; *c; c++) {
        mt_buf_addc(&out, *c);
        if (strncmp(c, ":error:", 7) == 0) {
            mt_buf_addz(&out, "error:*");
            c += 6;
            while (c[1] && c[1] != ',' && c[1] != '|') {
                c++;
            }
            if (c[1] == '|') {
                mt_buf_addc(&out, ' ');
            }
        }
    }
    const char *kept = mt_str_dup(a, mt_buf_str(&out)).ptr;
    mt_buf_free(&out);
    return kept;
}

static mt_str run_bytes(mt_arena *a, const ct_run *run)
{
    mt_buf out = {0};
    ct_run_json(&out, run);
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* Writes the run down after every step and goes on with another one made of that. */
static void resumed_run_is_the_same(fixture *f, const ct_run_input *in, mt_str expected)
{
    ct_run one = {0}, other = {0};
    ct_run *now = &one, *next = &other;
    ct_run_start(now, in);
    for (ct_run_status status = now->status; status == CT_RUN_MORE;) {
        status = ct_run_step(now);
        mt_buf first = {0}, second = {0};
        mt_json tree;
        mt_str why = {0};
        ct_position_write(&first, now);
        assert_int_equal(mt_json_read(&f->a, mt_str_dup(&f->a, mt_buf_str(&first)),
                                      NULL, &tree, NULL),
                         MT_OK);
        if (ct_position_read(next, in, &tree, &why)) {
            fail_msg("%.*s\n%.*s", MT_ARG(why), MT_ARG(mt_buf_str(&first)));
        }
        ct_position_write(&second, next);
        assert_true(mt_str_eq(mt_buf_str(&first), mt_buf_str(&second)));
        mt_buf_free(&first);
        mt_buf_free(&second);
        ct_run *swap = now;
        now = next;
        next = swap;
    }
    mt_str got = run_bytes(&f->a, now);
    if (!mt_str_eq(got, expected)) {
        fail_msg("taken up again:\n%.*s\nrun through:\n%.*s", MT_ARG(got),
                 MT_ARG(expected));
    }
    ct_run_free(&one);
    ct_run_free(&other);
}

/* The path a run took is one of those the flow has. */
static void path_is_known(fixture *f)
{
    ct_paths taken = {0}, all = {0};
    ct_paths_taken(&f->a, &f->run, &taken);
    for (size_t i = 0; i < taken.len; i++) {
        all.len = 0;
        ct_paths_of(&f->a, f->plan, taken.items[i].graph, &all);
        bool known = all.truncated;
        for (size_t k = 0; k < all.len && !known; k++) {
            known = mt_str_eq(all.items[k].text, taken.items[i].text);
        }
        if (!known) {
            fail_msg("unknown path %.*s", MT_ARG(taken.items[i].text));
        }
    }
}

/* What ct_why() says agrees with the value, and its atoms decide it. */
static void reasons_agree(fixture *f)
{
    for (uint32_t i = 0; i < f->model->condition_count; i++) {
        bool value, holds_now;
        ct_reasons reasons;
        ct_fault fault;
        assert_int_equal(ct_why(&f->a, &f->frozen.snapshot, f->model->conditions[i],
                                &value, &reasons, &fault),
                         MT_OK);
        assert_int_equal(ct_holds(&f->frozen.snapshot, i, f->scratch, &holds_now, &f->a,
                                  NULL, &fault),
                         MT_OK);
        assert_int_equal(value, holds_now);
        assert_true(reasons.len > 0);
    }
}

static void compare_flow(fixture *f, naive *n, int flow)
{
    char name[8];
    snprintf(name, sizeof name, "w%d", flow);
    const char *got = fixture_run(f, name, "p0");
    mt_buf_clear(&n->log);
    memset(n->states, 0, sizeof n->states);
    mt_str want = naive_graph(n, &f->a, construct(n, "Flow", mt_str_z(name)));
    mt_str log = mt_str_dup(&f->a, mt_buf_str(&n->log));
    assert_string_equal(without_reasons(&f->a, fixture_steps(f)), log.ptr);
    if (want.len) {
        assert_string_equal(got, mt_str_dup(&f->a, want).ptr);
    } else {
        assert_int_equal(f->run.status, CT_RUN_FAILED);
    }
    for (int e = 0; e < ENTITIES; e++) {
        assert_int_equal(f->run.states[e], n->states[e]);
    }
    path_is_known(f);
    mt_str bytes = run_bytes(&f->a, &f->run);
    ct_run_input in = fixture_input(f, name, "p0");
    resumed_run_is_the_same(f, &in, bytes);
}

static void compare_contract(mt_buf *bundle)
{
    fixture f = {0};
    make_contract(bundle);
    mt_buf_addc(bundle, '\0');
    fixture_open(&f, bundle->ptr);
    mt_json tree;
    naive n = {0};
    mt_str text = {bundle->ptr, bundle->len - 1};
    assert_int_equal(mt_json_read(&f.a, text, NULL, &tree, NULL), MT_OK);
    n.bundle = &tree;
    fixture_states(&f, "{}");
    for (int round = 0; round < 2; round++) {
        bool facts[FACTS];
        mt_buf given = {0};
        for (int i = 0; i < FACTS; i++) {
            facts[i] = draw(2);
            mt_buf_addf(&given, "%s'f%d':%s", i ? "," : "{", i,
                        facts[i] ? "true" : "false");
        }
        mt_buf_addz(&given, "}");
        mt_buf_addc(&given, '\0');
        fixture_facts(&f, given.ptr);
        mt_buf_free(&given);
        n.facts = facts;
        for (int i = 0; i < RULES; i++) {
            char id[8];
            snprintf(id, sizeof id, "r%d", i);
            const mt_json *rule = construct(&n, "Rule", mt_str_z(id));
            n.verdicts[i] = holds(&n, mt_json_at(mt_json_at(rule, "body"), "when"));
            uint32_t index = ct_model_find(f.model, CT_KIND_RULE, mt_str_z(id));
            assert_int_equal(ct_verdict_present(f.verdicts, index), n.verdicts[i]);
        }
        reasons_agree(&f);
        for (int flow = 0; flow < FLOWS; flow++) {
            compare_flow(&f, &n, flow);
        }
    }
    mt_buf_free(&n.log);
    fixture_close(&f);
}

static void the_machine_agrees_with_the_naive_interpreter(void **state)
{
    (void)state;
    uint64_t first = many_from(1), count = many_of(100000);
    mt_buf bundle = {0};
    print_message("seed %llu, %llu contracts\n", (unsigned long long)first,
                  (unsigned long long)count);
    for (uint64_t i = 0; i < count; i++) {
        seed_state = (first << 32) + i;
        compare_contract(&bundle);
    }
    mt_buf_free(&bundle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_machine_agrees_with_the_naive_interpreter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
