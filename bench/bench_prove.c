/* bench/bench_prove.c - what is known about a contract before it runs.
 * prove.analyze_escrow: the plan of a loaded model, S1 to S8, every path of every flow
 * visited with its states. prove.analyze_large: the same for 1,000 operations, 200
 * flows, 500 rules, 100 entities; paths are counted, and 10 of each flow visited.
 * prove.query_cold: a solver is opened, one implication between two verdicts of the
 * escrow contract proven, the solver closed. prove.query_warm: the same question, and
 * one that ends with a fact set, to a solver that is open. Medians.
 * prove.reach: of 6 entities of 5 states and 20 operations, can any two states of two
 * entities hold together: 375 questions to one asker, each with a run that is executed
 * or a proof, from opening to closing it. prove.invariant: one of them that never
 * holds, to an asker of its own. Beside both a plain breadth-first search of the same
 * joint states over a table of all combinations, which knows no preconditions and
 * proves and executes nothing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../tests/unit/contract/escrow_bundle.h"
#include "analyze/facts/analyze.h"
#include "analyze/prove/ask.h"
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

/* ---- joint states ---- */

enum { JOINED = 6, DEEP = 5, MOVES = 20, COMBINATIONS = 15625 };

/* What operation `o` moves: the first six move one entity through four states, the
 * others two entities that must be in the right states together. */
typedef struct joint_move {
    int entity[2], from[2], to[2], count;
} joint_move;

static joint_move move_of(int o)
{
    int a = o % JOINED, b = (o + 1 + o / JOINED) % JOINED;
    return (joint_move){
        {a, b}, {o % (DEEP - 1), (o * 3) % (DEEP - 1)}, {DEEP - 1, 0}, 2};
}

static void add_effect(mt_buf *out, int entity, int from, int to)
{
    mt_buf_addf(out, "%s{\"entity_id\":\"J%d\",\"from\":\"s%d\",\"to\":\"s%d\"}",
                out->ptr[out->len - 1] == '[' ? "" : ",", entity, from, to);
}

static void joined_operation(mt_buf *out, int o)
{
    mt_buf_addz(out, ",{\"allowed_personas\":[\"p\"],\"effects\":[");
    if (o < JOINED) {
        /* The last entity never comes to its last state by itself. */
        for (int s = 0; s + 1 < DEEP - (o == JOINED - 1); s++) {
            add_effect(out, o, s, s + 1);
        }
    } else {
        joint_move m = move_of(o);
        add_effect(out, m.entity[0], m.from[0], m.from[0] == 0 ? 1 : 0);
        add_effect(out, m.entity[1], m.from[1], m.from[1] == 0 ? 1 : 0);
    }
    mt_buf_addf(out,
                "],\"error_contract\":[],\"id\":\"m%d\",\"kind\":\"Operation\","
                "\"outcomes\":[\"done\"],\"precondition\":{\"left\":{\"fact_ref\":"
                "\"n\"},\"op\":\">\",\"right\":{\"literal\":%d,\"type\":{\"base\":"
                "\"Int\",\"max\":%d,\"min\":%d}}}" TAIL,
                o, o, o, o);
}

static mt_str joined_bundle(mt_arena *a)
{
    mt_buf out = {0};
    mt_buf_addz(&out, "{\"constructs\":[{\"id\":\"n\",\"kind\":\"Fact\",\"source\":"
                      "\"s\",\"type\":{\"base\":\"Int\",\"max\":1000,\"min\":0}" TAIL
                      ",{\"id\":\"p\",\"kind\":\"Persona\"" TAIL);
    for (int e = 0; e < JOINED; e++) {
        mt_buf_addf(
            &out,
            ",{\"id\":\"J%d\",\"initial\":\"s0\",\"kind\":\"Entity\",\"states\":["
            "\"s0\",\"s1\",\"s2\",\"s3\",\"s4\"],\"transitions\":[",
            e);
        for (int s = 0; s < DEEP; s++) {
            for (int t = 0; t < DEEP; t++) {
                mt_buf_addf(&out, "%s{\"from\":\"s%d\",\"to\":\"s%d\"}",
                            s + t ? "," : "", s, t);
            }
        }
        mt_buf_addz(&out, "]" TAIL);
    }
    for (int o = 0; o < MOVES; o++) {
        joined_operation(&out, o);
    }
    mt_buf_addz(&out, "],\"id\":\"joined\",\"kind\":\"Bundle\",\"tenor\":\"1.0\","
                      "\"tenor_version\":\"1.0.0\"}");
    mt_str kept = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return kept;
}

typedef struct joints {
    mt_arena arena;
    an_union all;
    mt_str pairs[JOINED * (JOINED - 1) / 2 * DEEP * DEEP];
    size_t count;
    size_t yes; /* of the last round */
} joints;

static void list_pairs(joints *x)
{
    for (int a = 0; a < JOINED; a++) {
        for (int b = a + 1; b < JOINED; b++) {
            for (int i = 0; i < DEEP * DEEP; i++) {
                x->pairs[x->count++] =
                    mt_strf(&x->arena, "can J%d.s%d and J%d.s%d hold", a, i / DEEP, b,
                            i % DEEP);
            }
        }
    }
}

static void ask_pairs(joints *x)
{
    mt_arena replies = {0};
    an_asker *q = an_asker_new(&x->all, NULL);
    x->yes = 0;
    for (size_t i = 0; i < x->count; i++) {
        an_reply r = an_ask(q, &replies, x->pairs[i]);
        x->yes += r.kind == AN_REPLY_YES;
        if (r.kind > AN_REPLY_NO) {
            stop("a pair of states is not decided");
        }
        mt_arena_reset(&replies);
    }
    an_asker_free(q);
    mt_arena_free(&replies);
}

static void ask_never(joints *x)
{
    mt_arena replies = {0};
    an_asker *q = an_asker_new(&x->all, NULL);
    an_reply r = an_ask(q, &replies, MT_STR("never J5.s4 while J0.s1"));
    if (r.kind != AN_REPLY_YES) {
        stop("the invariant holds");
    }
    an_asker_free(q);
    mt_arena_free(&replies);
}

/* A table of all combinations, and which pairs were met. */
typedef struct table {
    bool met[COMBINATIONS], pair[JOINED * DEEP][JOINED * DEEP];
    int queue[COMBINATIONS], count;
} table;

static const int POWER[JOINED] = {1, 5, 25, 125, 625, 3125};

static void come_to(table *t, int combination)
{
    if (!t->met[combination]) {
        t->met[combination] = true;
        t->queue[t->count++] = combination;
    }
}

static void note_pairs(table *t, const int *states)
{
    for (int a = 0; a < JOINED; a++) {
        for (int b = a + 1; b < JOINED; b++) {
            t->pair[a * DEEP + states[a]][b * DEEP + states[b]] = true;
        }
    }
}

/* Where the outcome leads; -1: its sources do not match. */
static int after(const ct_plan *p, uint32_t outcome, int combination, const int *states)
{
    const ct_plan_effect *e = p->effects + p->outcomes[outcome].first_effect;
    uint32_t count = p->outcomes[outcome].effect_count;
    for (uint32_t k = 0; k < count;) {
        uint32_t entity = e[k].entity, taken = UINT32_MAX;
        for (; k < count && e[k].entity == entity; k++) {
            taken = (int)e[k].from == states[entity] ? k : taken;
        }
        if (taken == UINT32_MAX) {
            return -1;
        }
        combination += ((int)e[taken].to - states[entity]) * POWER[entity];
    }
    return combination;
}

/* The same joint states, breadth-first; pairs are noted on the way. */
static void plain_search(joints *x)
{
    static table t;
    const ct_plan *p = x->all.plan;
    memset(&t, 0, sizeof t);
    come_to(&t, 0);
    for (int i = 0; i < t.count; i++) {
        int states[JOINED];
        for (int e = 0; e < JOINED; e++) {
            states[e] = t.queue[i] / POWER[e] % DEEP;
        }
        note_pairs(&t, states);
        for (uint32_t o = 0; o < p->outcome_count; o++) {
            int next = after(p, o, t.queue[i], states);
            if (next >= 0) {
                come_to(&t, next);
            }
        }
    }
    x->yes = 0;
    for (int a = 0; a < JOINED * DEEP; a++) {
        for (int b = 0; b < JOINED * DEEP; b++) {
            x->yes += t.pair[a][b];
        }
    }
}

/* Milliseconds of the processor. */
typedef struct timed {
    void (*run)(joints *x);
    joints *x;
} timed;

static void run_timed(void *state, uint64_t n)
{
    timed *t = state;
    for (uint64_t i = 0; i < n; i++) {
        t->run(t->x);
    }
}

static double ms_of(void (*run)(joints *x), joints *x)
{
    timed t = {run, x};
    return bench_ns(run_timed, &t) / 1e6;
}

static void bench_joints(void)
{
    work w = {0};
    joints x = {0};
    mt_diags ds = {.arena = &x.arena};
    load(&w, joined_bundle(&w.model));
    if (an_union_of(&x.arena, ct_compile(&w.model, w.m), &ds, &x.all)) {
        stop("the joined entities have no plan");
    }
    list_pairs(&x);
    double plain = ms_of(plain_search, &x);
    size_t expected = x.yes;
    double all = ms_of(ask_pairs, &x);
    if (x.yes != expected) {
        stop("the plain search finds other pairs");
    }
    bench_report("prove.reach", all, "ms", "plain search", plain, 50, BENCH_LOWER);
    bench_report("prove.invariant", ms_of(ask_never, &x), "ms", "plain search", plain,
                 50, BENCH_LOWER);
    mt_arena_free(&x.arena);
    mt_arena_free(&w.model);
    mt_arena_free(&w.results);
}

int main(void)
{
    bench_analyze();
    bench_queries();
    bench_joints();
    return 0;
}
