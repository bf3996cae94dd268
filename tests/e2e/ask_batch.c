/* ask_batch - answers many questions in one process, for test_brute.py.
 * One JSON object per line in, one out. Of a request:
 *   bundle   the contract, as text
 *   ask      questions; `replies` are what motet ask --json prints
 *   analyze  true: `analysis` has S2 and S4
 *   run      operations to try, as motet eval --operation does; `runs`
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
} contract;

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
    if (ct_plan_build(a, c.program, &ds, &c.plan)) {
        stop("has no plan", ds.items[0].message);
    }
    return c;
}

static void ask(mt_arena *a, mt_jw *w, const contract *c, const mt_json *questions)
{
    an_prover *p = an_prover_new(c->program, NULL, NULL);
    mt_jw_keyz(w, "replies");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < questions->count; i++) {
        an_reply r = an_ask(a, p, c->program, mt_json_text(&questions->as.items[i]));
        if (r.kind == AN_REPLY_FAULT) {
            stop("not understood", r.text);
        }
        mt_jw_raw(w, r.json);
    }
    mt_jw_end_array(w);
    an_prover_free(p);
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

static void run(mt_arena *a, mt_jw *w, const contract *c, const mt_json *requests)
{
    ct_bench b = ct_bench_new(c->plan, &MT_LIMITS_DEFAULT);
    mt_jw_keyz(w, "runs");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < requests->count; i++) {
        run_one(a, w, &b, &requests->as.items[i]);
    }
    mt_jw_end_array(w);
    ct_bench_free(&b);
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
    contract c = load(a, mt_json_text(mt_json_get(&request, MT_STR("bundle"))));
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
        ask(a, &w, &c, questions);
    }
    if (trials) {
        run(a, &w, &c, trials);
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
