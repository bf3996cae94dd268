/* bench/bench_prove.c - what is known about a contract before it runs.
 * prove.analyze_escrow: the plan of a loaded model, S1 to S8, every path of every flow
 * visited with its states. prove.analyze_large: the same for 1,000 operations, 200
 * flows, 500 rules, 100 entities; paths are counted, and 10 of each flow visited.
 * prove.query_cold: a solver is opened, one implication between two verdicts of the
 * escrow contract proven, the solver closed. prove.query_warm: the same question, and
 * one that ends with a fact set, to a solver that is open. Medians. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../tests/unit/contract/escrow_bundle.h"
#include "analyze/facts/analyze.h"
#include "analyze/prove/prove.h"
#include "bench.h"

enum { OPERATIONS = 1000, FLOWS = 200, RULES = 500, ENTITIES = 100, STATES = 8 };

static void stop(const char *why)
{
    fprintf(stderr, "bench_prove: %s\n", why);
    exit(1);
}

typedef struct work {
    mt_arena model, results;
    const ct_model *m;
    size_t most;  /* paths visited per flow */
    size_t paths; /* visited in the last round */
    size_t findings;
    an_count counted; /* of the last flow */
} work;

static void load(work *w, mt_str bundle)
{
    mt_diags ds = {.arena = &w->model};
    if (ct_load(&w->model, bundle, MT_STR("b.json"), &MT_LIMITS_DEFAULT, &ds, &w->m)) {
        fprintf(stderr, "%.*s\n", MT_ARG(ds.items[0].message));
        stop("the contract does not load");
    }
}

static bool visit(void *context, const an_path_visit *path)
{
    work *w = context;
    w->paths += path->way->len > 0;
    return true;
}

static void analyze_once(work *w)
{
    mt_diags ds = {.arena = &w->results};
    an_findings fs = {.arena = &w->results};
    const ct_plan *p;
    mt_arena_reset(&w->results);
    if (ct_plan_of_model(&w->results, w->m, &ds, &p)) {
        stop("the contract has no plan");
    }
    const an_analysis *an = an_analyze(&w->results, p, NULL, &fs);
    w->paths = 0;
    for (uint32_t i = 0; i < w->m->flow_count; i++) {
        an_each_path(an, i, w->most, visit, w);
        w->counted = an->graphs[i].paths;
    }
    w->findings = fs.len;
    bench_keep(an);
}

static void analyze(void *state, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        analyze_once(state);
    }
}

/* ---- a large contract ---- */

#define TAIL ",\"provenance\":{\"file\":\"b\",\"line\":1},\"tenor\":\"1.0\"}"

static void entities(mt_buf *out)
{
    for (int e = 0; e < ENTITIES; e++) {
        mt_buf_addf(out, ",{\"id\":\"E%d\",\"initial\":\"s0\",\"kind\":\"Entity\"", e);
        mt_buf_addz(out, ",\"states\":[");
        for (int s = 0; s < STATES; s++) {
            mt_buf_addf(out, "%s\"s%d\"", s ? "," : "", s);
        }
        mt_buf_addz(out, "],\"transitions\":[");
        for (int s = 0; s < STATES; s++) {
            mt_buf_addf(out, "%s{\"from\":\"s%d\",\"to\":\"s%d\"}", s ? "," : "", s,
                        (s + 1) % STATES);
        }
        mt_buf_addz(out, "]" TAIL);
    }
}

static void rules(mt_buf *out)
{
    for (int r = 0; r < RULES; r++) {
        mt_buf_addf(out,
                    ",{\"body\":{\"produce\":{\"payload\":{\"type\":{\"base\":\"Bool\"}"
                    ",\"value\":true},\"verdict_type\":\"v%d\"},\"when\":{\"left\":"
                    "{\"fact_ref\":\"n\"},\"op\":\">\",\"right\":{\"literal\":%d,"
                    "\"type\":{\"base\":\"Int\",\"max\":%d,\"min\":%d}}}},\"id\":\"r%d"
                    "\",\"kind\":\"Rule\",\"stratum\":0" TAIL,
                    r, r, r, r, r);
    }
}

static void operations(mt_buf *out)
{
    for (int o = 0; o < OPERATIONS; o++) {
        int s = (o / ENTITIES) % STATES;
        mt_buf_addf(out,
                    ",{\"allowed_personas\":[\"p%d\",\"p%d\"],\"effects\":[{"
                    "\"entity_id\":\"E%d\",\"from\":\"s%d\",\"to\":\"s%d\"}],"
                    "\"error_contract\":[],\"id\":\"o%d\",\"kind\":\"Operation\","
                    "\"outcomes\":[\"done\"],\"precondition\":{\"left\":"
                    "{\"verdict_present\":\"v%d\"},\"op\":\"and\",\"right\":"
                    "{\"verdict_present\":\"v%d\"}}" TAIL,
                    o % 10, (o + 1) % 10, o % ENTITIES, s, (s + 1) % STATES, o,
                    o % RULES, (o * 7 + 1) % RULES);
    }
}

/* Ten steps: operations with compensation, and every third a branch. */
static void steps(mt_buf *out, int flow)
{
    for (int s = 0; s < 10; s++) {
        const char *end = "{\"kind\":\"Terminal\",\"outcome\":\"success\"}";
        char next[64];
        snprintf(next, sizeof next, "\"t%d\"", s + 1);
        const char *to = s == 9 ? end : next;
        int op = (flow * 5 + s) % OPERATIONS;
        mt_buf_addz(out, s ? "," : "");
        if (s % 3 == 1) {
            mt_buf_addf(out,
                        "{\"condition\":{\"verdict_present\":\"v%d\"},\"id\":\"t%d\","
                        "\"if_false\":\"t%d\",\"if_true\":\"t%d\",\"kind\":"
                        "\"BranchStep\",\"persona\":\"p0\"}",
                        (flow + s) % RULES, s, s + 1, s + 2);
        } else {
            mt_buf_addf(out,
                        "{\"id\":\"t%d\",\"kind\":\"OperationStep\",\"on_failure\":{"
                        "\"kind\":\"Compensate\",\"steps\":[{\"on_failure\":{\"kind\":"
                        "\"Terminal\",\"outcome\":\"failure\"},\"op\":\"o%d\","
                        "\"persona\":\"p%d\"}],\"then\":{\"kind\":\"Terminal\","
                        "\"outcome\":\"failure\"}},\"op\":\"o%d\",\"outcomes\":{"
                        "\"done\":%s},\"persona\":\"p%d\"}",
                        s, op, op % 10, op, to, op % 10);
        }
    }
}

static mt_str large_bundle(mt_arena *a)
{
    mt_buf out = {0};
    mt_buf_addz(&out, "{\"constructs\":[{\"id\":\"n\",\"kind\":\"Fact\",\"source\":"
                      "\"s\",\"type\":{\"base\":\"Int\",\"max\":1000,\"min\":0}" TAIL);
    for (int i = 0; i < 10; i++) {
        mt_buf_addf(&out, ",{\"id\":\"p%d\",\"kind\":\"Persona\"" TAIL, i);
    }
    entities(&out);
    rules(&out);
    operations(&out);
    for (int i = 0; i < FLOWS; i++) {
        mt_buf_addf(&out,
                    ",{\"entry\":\"t0\",\"id\":\"w%d\",\"kind\":\"Flow\","
                    "\"snapshot\":\"at_initiation\",\"steps\":[",
                    i);
        steps(&out, i);
        mt_buf_addz(&out, "]" TAIL);
    }
    mt_buf_addz(&out, "],\"id\":\"large\",\"kind\":\"Bundle\",\"tenor\":\"1.0\","
                      "\"tenor_version\":\"1.0.0\"}");
    mt_str kept = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return kept;
}

/* ---- figures ---- */

static void bench_analyze(void)
{
    work escrow = {.most = 10000}, large = {.most = 10};
    load(&escrow, fixture_json(&escrow.model, ESCROW));
    load(&large, large_bundle(&large.model));
    analyze_once(&escrow);
    analyze_once(&large);
    if (escrow.paths != 9 || escrow.findings != 4) {
        stop("escrow has seven and two paths and four findings");
    }
    if (large.paths != FLOWS * 10 || an_count_zero(large.counted)) {
        stop("the large contract has ten paths to visit in every flow");
    }
    bench_report("prove.analyze_escrow", bench_ns(analyze, &escrow) / 1e3, "us", NULL,
                 0, 60, BENCH_LOWER);
    bench_report("prove.analyze_large", bench_ns(analyze, &large) / 1e6, "ms", NULL, 0,
                 25, BENCH_LOWER);
    mt_arena_free(&escrow.model);
    mt_arena_free(&escrow.results);
    mt_arena_free(&large.model);
    mt_arena_free(&large.results);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct questions {
    const ct_program *program;
    const an_claim *never, *possible;
    an_prover *open;
} questions;

static void ask(an_prover *p, mt_arena *a, const an_claim *c, an_possible want)
{
    mt_mark mark = mt_arena_mark(a);
    if (an_prove_possible(p, a, c).possible != want) {
        stop("the solver errs");
    }
    mt_arena_rewind(a, mark);
}

static void ask_cold(questions *q, mt_arena *a)
{
    an_prover *p = an_prover_new(q->program, NULL, NULL);
    ask(p, a, q->never, AN_NEVER);
    an_prover_free(p);
}

static void ask_warm(questions *q, mt_arena *a)
{
    ask(q->open, a, q->never, AN_NEVER);
}

static void ask_for_facts(questions *q, mt_arena *a)
{
    ask(q->open, a, q->possible, AN_POSSIBLE);
}

/* Milliseconds. */
static double median(void (*run)(questions *q, mt_arena *a), questions *q, mt_arena *a)
{
    enum { TIMES = 41 };
    double ms[TIMES];
    for (int i = 0; i < TIMES; i++) {
        uint64_t began = bench_now();
        run(q, a);
        ms[i] = (double)(bench_now() - began) / 1e6;
    }
    qsort(ms, TIMES, sizeof *ms, by_size);
    return ms[TIMES / 2];
}

static const an_claim *verdict(work *w, const char *type)
{
    uint32_t rule = ct_model_find(w->m, CT_KIND_VERDICT, mt_str_z(type));
    return rule == CT_NONE ? NULL : an_claim_verdict(&w->model, AN_FIRST, rule);
}

static void bench_queries(void)
{
    work w = {0};
    load(&w, fixture_json(&w.model, ESCROW));
    const an_claim *x = verdict(&w, "release_approved");
    const an_claim *y = verdict(&w, "within_threshold");
    if (!x || !y) {
        stop("escrow has other verdicts");
    }
    const ct_program *program = ct_compile(&w.model, w.m);
    questions q = {.program = program,
                   .never = an_claim_and(&w.model, x, an_claim_not(&w.model, y)),
                   .possible = an_claim_and(&w.model, y, an_claim_not(&w.model, x)),
                   .open = an_prover_new(program, NULL, NULL)};
    bench_report("prove.query_cold", median(ask_cold, &q, &w.results), "ms", NULL, 0,
                 50, BENCH_LOWER);
    bench_report("prove.query_warm", median(ask_warm, &q, &w.results), "ms", NULL, 0,
                 10, BENCH_LOWER);
    bench_report("prove.query_facts", median(ask_for_facts, &q, &w.results), "ms", NULL,
                 0, 10, BENCH_LOWER);
    an_prover_free(q.open);
    mt_arena_free(&w.model);
    mt_arena_free(&w.results);
}

int main(void)
{
    bench_analyze();
    bench_queries();
    return 0;
}
