/* prove_fixture.h - contracts around one precondition, ready to be compared. */
#ifndef PROVE_FIXTURE_H
#define PROVE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analyze/prove/prove.h"
#include "contract/elaborate.h"
#include "contract/eval/facts.h"

typedef struct side {
    const ct_model *model;
    const ct_program *program;
    ct_facts *facts;
    ct_verdicts *verdicts, *scratch;
} side;

static inline void show(const mt_diags *ds, mt_str text)
{
    for (size_t i = 0; i < ds->len; i++) {
        print_error("%s %.*s\n", ds->items[i].code, MT_ARG(ds->items[i].message));
    }
    print_error("%.*s\n", MT_ARG(text));
}

static inline side side_of_bundle(mt_arena *a, mt_str bundle)
{
    side s = {0};
    mt_diags ds = {.arena = a};
    if (ct_load(a, bundle, MT_STR("t.json"), NULL, &ds, &s.model) != MT_OK) {
        show(&ds, bundle);
        fail();
    }
    s.program = ct_compile(a, s.model);
    s.facts = ct_facts_new(s.model);
    s.verdicts = ct_verdicts_new(s.program);
    s.scratch = ct_verdicts_new(s.program);
    return s;
}

static inline mt_str bundle_of_source(mt_arena *a, mt_str text)
{
    mt_memory_file file = {MT_STR("t.tenor"), text};
    mt_memory memory = {&file, 1};
    mt_provider provider = mt_memory_provider(&memory);
    mt_diags ds = {.arena = a};
    const ct_elaboration *e = NULL;
    if (ct_elaborate(a, file.path, &provider, NULL, &ds, &e) != MT_OK) {
        show(&ds, text);
        fail();
    }
    return e->bundle;
}

static inline side side_of_source(mt_arena *a, mt_str text)
{
    return side_of_bundle(a, bundle_of_source(a, text));
}

/* A contract with one operation `act` under the precondition. */
static inline side side_of(mt_arena *a, const char *declarations, const char *predicate)
{
    return side_of_source(
        a,
        mt_strf(a,
                "persona p\nentity E { states: [x, y] initial: x "
                "transitions: [(x, y)] }\n%s\noperation act { allowed_personas: [p]\n"
                "  precondition: %s\n  effects: [(E, x, y)]\n  outcomes: [done]\n"
                "  error_contract: [precondition_failed] }\n",
                declarations, predicate));
}

static inline void side_free(side *s)
{
    ct_facts_free(s->facts);
    ct_verdicts_free(s->verdicts);
    ct_verdicts_free(s->scratch);
}

static inline const ct_expr *precondition(const side *s)
{
    return s->model->operations[0].precondition;
}

/* What the evaluator itself makes of the fact set: 1 holds, 0 not, -1 a fault, -2 the
 * facts are refused. */
static inline int runs(side *s, mt_arena *a, mt_str facts)
{
    ct_fault fault;
    bool holds = false;
    ct_snapshot snap = {s->program, s->facts, s->verdicts};
    if (ct_facts_read(s->facts, facts, NULL, false, &fault) != MT_OK) {
        print_error("%.*s\n%.*s\n", MT_ARG(fault.message), MT_ARG(facts));
        return -2;
    }
    if (ct_evaluate(s->program, s->facts, s->verdicts, a, &fault) != MT_OK ||
        ct_holds(&snap, s->model->operations[0].condition, s->scratch, &holds, a, NULL,
                 &fault) != MT_OK) {
        return -1;
    }
    return holds;
}

#endif
