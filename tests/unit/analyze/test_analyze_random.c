/* Random contracts: the number of paths, their ends and the longest one against a list
 * made naively from the model; the walk of an_each_path() against both; and real runs
 * against what the analysis says can happen: no run may take a step, reach a state or
 * end in a way the analysis calls impossible.
 * 1,000 contracts; MOTET_SOAK=1 runs 100,000. MOTET_SEED chooses others. */
#include "../contract/flow_fixture.h"
#include "../contract/random_flow.h"
#include "../rows.h"
#include "analyze/facts/analyze.h"

enum { MANY = 3000 };

/* ---- all paths, naively ---- */

typedef struct result {
    mt_str end; /* terminal, empty when the run breaks off */
    uint64_t steps;
} result;

typedef struct results {
    result *items;
    size_t len, cap;
} results;

typedef struct naive {
    mt_arena *a;
    const ct_model *m;
    bool too_many;
} naive;

static results from_step(naive *n, const ct_steps *list, uint32_t step);

static void add(naive *n, results *to, result r)
{
    if (to->len >= MANY) {
        n->too_many = true;
        return;
    }
    mt_vec_push(n->a, to, r);
}

/* `before` steps, then every way on from the target. */
static void go_on(naive *n, results *out, const ct_steps *list, ct_target to,
                  uint64_t before)
{
    if (to.step == CT_NONE) {
        add(n, out, (result){to.outcome, before});
        return;
    }
    results rest = from_step(n, list, to.step);
    for (size_t i = 0; i < rest.len; i++) {
        add(n, out, (result){rest.items[i].end, before + rest.items[i].steps});
    }
}

static void fail_on(naive *n, results *out, const ct_steps *list, const ct_handler *h,
                    uint64_t before)
{
    for (uint32_t i = 0; i < h->step_count; i++) {
        add(n, out, (result){h->steps[i].on_failure, ++before});
    }
    ct_target next = {h->kind == CT_ESCALATE ? h->next : CT_NONE, h->outcome};
    go_on(n, out, list, next, before);
}

static bool is_failure(mt_str end)
{
    return !end.len || mt_str_is(end, "failure") || mt_str_is(end, "escalation");
}

static void subflow(naive *n, results *out, const ct_steps *list, const ct_step *s)
{
    const ct_steps *inner = &n->m->flows[s->what].steps;
    results ways = from_step(n, inner, inner->entry);
    for (size_t i = 0; i < ways.len && !n->too_many; i++) {
        if (is_failure(ways.items[i].end)) {
            fail_on(n, out, list, &s->on_failure, 1 + ways.items[i].steps);
        } else {
            go_on(n, out, list, s->targets[0], 1 + ways.items[i].steps);
        }
    }
}

static void join(naive *n, results *out, const ct_steps *list, const ct_step *s,
                 bool failed, uint64_t before)
{
    ct_target all = s->targets[0], complete = s->targets[1];
    bool has_all = all.step != CT_NONE || all.outcome.ptr;
    if (!failed) {
        go_on(n, out, list, has_all ? all : complete, before);
    } else if (s->on_failure.kind != CT_HANDLER_NONE) {
        fail_on(n, out, list, &s->on_failure, before);
    } else {
        go_on(n, out, list, complete, before);
    }
}

static void branches(naive *n, results *out, const ct_steps *list, const ct_step *s,
                     uint32_t branch, bool failed, uint64_t before)
{
    if (branch == s->branch_count) {
        join(n, out, list, s, failed, before);
        return;
    }
    const ct_steps *inner = &s->branches[branch].steps;
    results ways = from_step(n, inner, inner->entry);
    for (size_t i = 0; i < ways.len && !n->too_many; i++) {
        branches(n, out, list, s, branch + 1, failed || is_failure(ways.items[i].end),
                 before + ways.items[i].steps);
    }
}

static results from_step(naive *n, const ct_steps *list, uint32_t step)
{
    const ct_step *s = &list->items[step];
    results out = {0};
    if (n->too_many) {
        return out;
    }
    switch ((ln_doing)s->does) {
    case LN_OPERATES:
        for (uint32_t i = 0; i < n->m->operations[s->what].outcome_count; i++) {
            go_on(n, &out, list, s->targets[i], 1);
        }
        fail_on(n, &out, list, &s->on_failure, 1);
        break;
    case LN_DECIDES:
        go_on(n, &out, list, s->targets[0], 1);
        go_on(n, &out, list, s->targets[1], 1);
        break;
    case LN_GOES_ON: go_on(n, &out, list, s->targets[0], 1); break;
    case LN_CALLS: subflow(n, &out, list, s); break;
    case LN_FORKS: branches(n, &out, list, s, 0, false, 1); break;
    case LN_ENDS: go_on(n, &out, list, s->targets[0], 0); break;
    }
    return out;
}

/* ---- comparing ---- */

static uint64_t count_end(const results *all, mt_str end)
{
    uint64_t count = 0;
    for (size_t i = 0; i < all->len; i++) {
        count += mt_str_eq(all->items[i].end, end);
    }
    return count;
}

typedef struct walked {
    uint64_t count, longest;
} walked;

static bool walk(void *context, const an_path_visit *path)
{
    walked *w = context;
    w->count++;
    w->longest = path->way->steps > w->longest ? path->way->steps : w->longest;
    return true;
}

static bool compare_flow(fixture *f, const an_analysis *an, uint32_t flow)
{
    naive n = {&f->a, f->model, false};
    const ct_steps *list = &f->model->flows[flow].steps;
    const an_graph_paths *g = &an->graphs[flow];
    results all = from_step(&n, list, list->entry);
    if (n.too_many) {
        return false;
    }
    uint64_t longest = 0, listed = 0;
    for (size_t i = 0; i < all.len; i++) {
        longest = all.items[i].steps > longest ? all.items[i].steps : longest;
    }
    assert_int_equal(g->paths.low, all.len);
    assert_int_equal(g->longest, longest);
    for (uint32_t i = 0; i < g->end_count; i++) {
        uint32_t t = g->ends[i].terminal;
        mt_str name = t == CT_NONE ? MT_STR("") : f->plan->terminals[t].name;
        assert_int_equal(g->ends[i].paths.low, count_end(&all, name));
        listed += g->ends[i].paths.low;
    }
    assert_int_equal(listed, all.len);
    walked w = {0};
    assert_true(an_each_path(an, flow, MANY, walk, &w));
    assert_int_equal(w.count, all.len);
    assert_int_equal(w.longest, longest);
    return true;
}

/* ---- runs ---- */

static void random_start(fixture *f)
{
    mt_buf json = {0};
    mt_buf_addf(&json, "{'f0':%s,'f1':%s,'f2':%s,'f3':%s}", draw(2) ? "true" : "false",
                draw(2) ? "true" : "false", draw(2) ? "true" : "false",
                draw(2) ? "true" : "false");
    mt_buf_addc(&json, '\0');
    fixture_facts(f, json.ptr);
    mt_buf_clear(&json);
    mt_buf_addf(&json, "{'E0':'s%u','E1':'s%u','E2':'s%u','E3':'s%u'}", draw(STATES),
                draw(STATES), draw(STATES), draw(STATES));
    mt_buf_addc(&json, '\0');
    fixture_states(f, json.ptr);
    mt_buf_free(&json);
}

typedef struct wanted {
    const fixture *f;
    mt_str end;
    bool seen;
} wanted;

/* A possible path with this end, whose states allow those of the run. */
static bool allows(void *context, const an_path_visit *path)
{
    wanted *w = context;
    const ct_run *run = &w->f->run;
    bool fits = path->possible && path->way->terminal == run->outcome;
    for (uint32_t i = 0; i < path->state_count && fits; i++) {
        uint32_t entity = path->states[i].entity;
        bool in = false;
        for (uint32_t k = 0; k < path->state_count; k++) {
            in |= path->states[k].entity == entity &&
                  path->states[k].state == run->states[entity];
        }
        fits = in;
    }
    w->seen |= fits;
    return !w->seen;
}

static void run_is_foreseen(fixture *f, const an_analysis *an, uint32_t flow)
{
    char name[8];
    snprintf(name, sizeof name, "w%u", flow);
    fixture_run(f, name, "p0");
    const ct_run *run = &f->run;
    for (size_t i = 0; i < run->records.len; i++) {
        assert_true(ct_bit(an->steps_reached, run->records.items[i].step));
    }
    for (size_t i = 0; i < run->changes.len; i++) {
        const ct_change *c = &run->changes.items[i];
        assert_true(
            ct_bit(an->graphs[flow].states, an_state_number(an, c->entity, c->to)));
    }
    if (run->outcome != CT_NONE && !f->plan->terminals[run->outcome].failed) {
        assert_true(an->graphs[flow].can_succeed);
    }
    wanted w = {.f = f};
    bool all = an_each_path(an, flow, MANY, allows, &w);
    assert_true(w.seen || !all);
}

static bool contract_agrees(mt_buf *bundle)
{
    fixture f;
    make_contract(bundle);
    mt_buf_addc(bundle, '\0');
    fixture_open(&f, bundle->ptr);
    an_findings fs = {.arena = &f.a};
    const an_analysis *an = an_analyze(&f.a, f.plan, NULL, &fs);
    bool all = true;
    for (uint32_t i = 0; i < f.model->flow_count; i++) {
        all &= compare_flow(&f, an, i);
    }
    for (int i = 0; i < 4; i++) {
        random_start(&f);
        run_is_foreseen(&f, an, draw(FLOWS));
    }
    fixture_close(&f);
    return all;
}

static void counts_and_runs_agree(void **state)
{
    (void)state;
    const char *seed = getenv("MOTET_SEED");
    int contracts = getenv("MOTET_SOAK") ? 100000 : 1000, whole = 0;
    mt_buf bundle = {0};
    seed_state = seed ? strtoull(seed, NULL, 10) : 20261116;
    print_message("seed %llu\n", (unsigned long long)seed_state);
    for (int i = 0; i < contracts; i++) {
        whole += contract_agrees(&bundle);
    }
    mt_buf_free(&bundle);
    assert_true(whole > contracts * 3 / 4);
}

int main(void)
{
    static rows_list list;
    rows_test(&list, counts_and_runs_agree);
    return rows_run(&list, "analyze/analyze_random");
}
