/* ask_batch - answers many questions in one process, for test_brute.py and
 * test_invariants.py. One JSON object per line in, one out. Of a request:
 *   bundle   the contract, as text; or
 *   system, members   the bundle of a System and those of its members, as text
 *   ask      questions; `replies` are what motet ask --json prints
 *   limits   of the questions: {"reach_states": 3, "prove_steps": 1}
 *   smt2     true: `scripts` has what --smt2 writes, one for each question
 *   analyze  true: `analysis` has S2 and S4
 *   run      operations to try, as motet eval --operation does, or flows; `runs`
 *   next     a second bundle: `parts` is what motet diff --prove says of each change */
#include <stdio.h>
#include <stdlib.h>

#include "analyze/facts/report.h"
#include "analyze/prove/ask.h"
#include "analyze/prove/prove_diff.h"
#include "contract/flow/scenario.h"

typedef struct contract {
    mt_str bundle;
    const ct_model *m;
    const ct_program *program;
    const ct_plan *plan;
    an_union all;
} contract;

enum { MOST_MEMBERS = 8 };

static void stop(const char *why, mt_str what)
{
    fprintf(stderr, "ask_batch: %s: %.*s\n", why, MT_ARG(what));
    exit(2);
}

static contract load(mt_arena *a, mt_str bundle)
{
    contract c = {.bundle = bundle};
    mt_diags ds = {.arena = a};
    if (ct_load(a, bundle, MT_STR("b.json"), NULL, &ds, &c.m)) {
        stop("does not load", ds.items[0].message);
    }
    c.program = ct_compile(a, c.m);
    if (an_union_of(a, c.program, &ds, &c.all)) {
        stop("has no plan", ds.items[0].message);
    }
    c.plan = c.all.plan;
    return c;
}

/* The union of a System; its members in the order they are given. */
static an_union load_system(mt_arena *a, mt_str text, const mt_json *members,
                            contract *out)
{
    const ct_program *programs[MOST_MEMBERS];
    mt_json *tree = mt_new(a, mt_json);
    an_sys *system = mt_new(a, an_sys);
    mt_diags ds = {.arena = a};
    an_union all;
    if (mt_json_read(a, text, NULL, tree, NULL) || an_sys_read(a, tree, system) ||
        system->member_count != members->count || members->count > MOST_MEMBERS) {
        stop("is no System of these members", text);
    }
    for (uint32_t i = 0; i < members->count; i++) {
        out[i] = load(a, mt_json_text(&members->as.items[i]));
        programs[i] = out[i].program;
    }
    if (an_union_of_system(a, system, programs, &ds, &all)) {
        stop("has no plan", text);
    }
    return all;
}

/* Each with an asker of its own, as the command does: what one question found out is
 * not written for the next. */
static void write_scripts(mt_arena *a, mt_jw *w, const an_union *all,
                          const mt_json *questions)
{
    mt_jw_keyz(w, "scripts");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < questions->count; i++) {
        mt_buf smt2 = {0};
        an_asker *q = an_asker_new(all, NULL);
        an_asker_smt2(q, &smt2);
        an_ask(q, a, mt_json_text(&questions->as.items[i]));
        mt_jw_str(w, mt_buf_str(&smt2));
        an_asker_free(q);
        mt_buf_free(&smt2);
    }
    mt_jw_end_array(w);
}

static mt_limits limits_of(const mt_json *given)
{
    mt_limits l = MT_LIMITS_DEFAULT;
    int64_t n;
    const mt_json *states = mt_json_get(given, MT_STR("reach_states"));
    const mt_json *steps = mt_json_get(given, MT_STR("prove_steps"));
    if (states && !mt_json_i64(states, &n)) {
        l.reach_states = (size_t)n;
    }
    if (steps && !mt_json_i64(steps, &n)) {
        l.prove_steps = (size_t)n;
    }
    return l;
}

static void ask(mt_arena *a, mt_jw *w, const an_union *all, const mt_json *questions,
                const mt_json *given)
{
    mt_limits limits = limits_of(given);
    an_asker *q = an_asker_new(all, &limits);
    mt_jw_keyz(w, "replies");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < questions->count; i++) {
        an_reply r = an_ask(q, a, mt_json_text(&questions->as.items[i]));
        if (r.kind == AN_REPLY_FAULT) {
            stop("not understood", r.text);
        }
        mt_jw_raw(w, r.json);
    }
    mt_jw_end_array(w);
    an_asker_free(q);
}

static void analyze(mt_arena *a, mt_jw *w, const contract *c)
{
    an_findings fs = {.arena = a};
    an_analyze_options options = {.only = 1 << AN_S2 | 1 << AN_S4};
    const an_analysis *an = an_analyze(a, c->plan, &options, &fs);
    an_sink sink = {.out = w->out, .entries = 100000, .paths = 1, .steps = 1};
    mt_jw_keyz(w, "analysis");
    mt_jw_begin_object(w);
    an_analysis_json_keys(&sink, w, an);
    mt_jw_end_object(w);
}

static void run_one(mt_arena *a, mt_jw *w, ct_bench *b, const mt_json *request)
{
    ct_result r;
    ct_trial t = {.facts = mt_json_text(mt_json_get(request, MT_STR("facts"))),
                  .states = mt_json_get(request, MT_STR("states")),
                  .bindings = mt_json_get(request, MT_STR("bindings")),
                  .persona = mt_json_text(mt_json_get(request, MT_STR("persona"))),
                  .operation = mt_json_text(mt_json_get(request, MT_STR("operation"))),
                  .flow = mt_json_text(mt_json_get(request, MT_STR("flow"))),
                  .outcome = mt_json_get(request, MT_STR("outcome"))};
    ct_trial_run(a, b, &t, &r);
    mt_jw_begin_object(w);
    if (r.fault.len) {
        mt_jw_key_str(w, "error", r.fault_kind);
    } else {
        mt_jw_key_str(w, "outcome", r.outcome);
        mt_jw_keyz(w, "states");
        ct_states_json(w, &r.states);
    }
    mt_jw_end_object(w);
}

static void run(mt_arena *a, mt_jw *w, const an_union *all, const mt_json *requests)
{
    mt_jw_keyz(w, "runs");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < requests->count; i++) {
        const mt_json *one = &requests->as.items[i];
        mt_str id = mt_json_text(mt_json_get(one, MT_STR("member")));
        uint32_t m = 0;
        while (!mt_str_eq(all->members[m].id, id)) {
            m++;
        }
        ct_bench b = ct_bench_new(all->members[m].plan, &MT_LIMITS_DEFAULT);
        run_one(a, w, &b, one);
        ct_bench_free(&b);
    }
    mt_jw_end_array(w);
}

static void part_json(mt_jw *w, const an_diff_entry *e, const an_diff_field *f,
                      const an_diff_part *p)
{
    static const char *const NAMES[] = {"open", "safe", "breaking"};
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "field", f->field);
    mt_jw_key_str(w, "id", e->id);
    mt_jw_key_str(w, "proof", p->proof);
    mt_jw_key_str(w, "resolution", mt_str_z(NAMES[p->resolution]));
    mt_jw_end_object(w);
}

static void diff(mt_arena *a, mt_jw *w, const contract *c, mt_str bundle)
{
    mt_json old, now;
    contract next = load(a, bundle);
    if (mt_json_read(a, c->bundle, NULL, &old, NULL) ||
        mt_json_read(a, bundle, NULL, &now, NULL)) {
        stop("is no JSON", bundle);
    }
    an_diff *d =
        an_diff_bundles(a, (an_diff_side){&old, NULL}, (an_diff_side){&now, NULL});
    an_prove_diff(a, c->program, next.program, NULL, d);
    mt_jw_keyz(w, "parts");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < d->entry_count; i++) {
        const an_diff_entry *e = &d->entries[i];
        for (uint32_t f = 0; f < e->field_count; f++) {
            for (uint32_t p = 0; p < e->fields[f].part_count; p++) {
                part_json(w, e, &e->fields[f], &e->fields[f].parts[p]);
            }
        }
    }
    mt_jw_end_array(w);
}

static void answer(mt_arena *a, mt_buf *out, mt_str line)
{
    mt_json request;
    if (mt_json_read(a, line, NULL, &request, NULL)) {
        stop("is no JSON", line);
    }
    const mt_json *system = mt_json_get(&request, MT_STR("system"));
    contract c = {0}, members[MOST_MEMBERS];
    if (!system) {
        c = load(a, mt_json_text(mt_json_get(&request, MT_STR("bundle"))));
    }
    an_union all = system
                       ? load_system(a, mt_json_text(system),
                                     mt_json_get(&request, MT_STR("members")), members)
                       : c.all;
    const mt_json *questions = mt_json_get(&request, MT_STR("ask"));
    const mt_json *next = mt_json_get(&request, MT_STR("next"));
    const mt_json *trials = mt_json_get(&request, MT_STR("run"));
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    if (mt_json_get(&request, MT_STR("analyze"))) {
        analyze(a, &w, &c);
    }
    if (next) {
        diff(a, &w, &c, mt_json_text(next));
    }
    if (questions) {
        ask(a, &w, &all, questions, mt_json_get(&request, MT_STR("limits")));
    }
    if (trials) {
        run(a, &w, &all, trials);
    }
    if (questions && mt_json_get(&request, MT_STR("smt2"))) {
        write_scripts(a, &w, &all, questions);
    }
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t len;
    mt_arena a = {0};
    while ((len = getline(&line, &room, stdin)) > 0) {
        mt_buf out = {0};
        answer(&a, &out, mt_str_from(line, (size_t)len));
        fwrite(out.ptr, 1, out.len, stdout);
        fflush(stdout);
        mt_buf_free(&out);
        mt_arena_reset(&a);
    }
    mt_arena_free(&a);
    free(line);
    return 0;
}
