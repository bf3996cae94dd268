/* tests/unit/analyze/analyze_fixture.h - a contract, analysed. */
#ifndef ANALYZE_FIXTURE_H
#define ANALYZE_FIXTURE_H

#include "../contract/elaborate_fixture.h"
#include "../rows.h"
#include "analyze/facts/analyze.h"

typedef struct analysed {
    mt_arena a;
    mt_diags ds;
    const ct_model *m;
    const ct_plan *p;
    an_findings fs;
    const an_analysis *an;
} analysed;

static inline void analyse_bundle(analysed *x, mt_str bundle)
{
    *x = (analysed){0};
    x->ds.arena = x->fs.arena = &x->a;
    mt_err err = ct_load(&x->a, bundle, MT_STR("t.json"), NULL, &x->ds, &x->m);
    err = err ? err : ct_plan_of_model(&x->a, x->m, &x->ds, &x->p);
    if (err) {
        fail_msg("%.*s", MT_ARG(x->ds.items[0].message));
    }
    x->an = an_analyze(&x->a, x->p, NULL, &x->fs);
}

static inline void analyse_text(analysed *x, const char *text)
{
    elaborated e = elaborate_text(text, false);
    if (e.err) {
        fail_msg("%.*s", MT_ARG(ct_first_error(&e.ds)->message));
    }
    analyse_bundle(x, e.e->bundle);
    done(&e);
}

static inline void analysed_free(analysed *x)
{
    mt_arena_free(&x->a);
}

static inline uint32_t named(const analysed *x, ct_kind kind, const char *id)
{
    uint32_t i = ct_model_find(x->m, kind, mt_str_z(id));
    assert_int_not_equal(i, CT_NONE);
    return i;
}

static inline uint32_t state_named(const analysed *x, uint32_t entity,
                                   const char *state)
{
    uint32_t i = ct_state_find(&x->m->entities[entity], mt_str_z(state));
    assert_int_not_equal(i, CT_NONE);
    return i;
}

/* Is there a finding of this code about this construct and part (NULL: any)? */
static inline bool found(const analysed *x, const char *code, const char *construct,
                         const char *part)
{
    for (size_t i = 0; i < x->fs.len; i++) {
        const an_finding *f = &x->fs.items[i];
        if (strcmp(f->code, code) == 0 &&
            (!construct || mt_str_eq(f->construct, mt_str_z(construct))) &&
            (!part || mt_str_eq(f->part, mt_str_z(part)))) {
            return true;
        }
    }
    return false;
}

/* The findings' keys, one per line. */
static inline mt_str keys(analysed *x)
{
    mt_buf out = {0};
    for (size_t i = 0; i < x->fs.len; i++) {
        mt_str key = an_finding_key(&x->a, &x->fs.items[i]);
        mt_buf_addf(&out, "%.*s\n", MT_ARG(key));
    }
    mt_str kept = mt_str_dup(&x->a, mt_buf_str(&out));
    mt_buf_free(&out);
    return kept;
}

/* "a b" for a set of states of one entity. */
static inline mt_str state_names(analysed *x, uint32_t entity, const uint64_t *set)
{
    const ct_entity *e = &x->m->entities[entity];
    mt_buf out = {0};
    for (uint32_t s = 0; s < e->state_count; s++) {
        if (ct_bit(set, s)) {
            mt_buf_addf(&out, "%s%.*s", out.len ? " " : "", MT_ARG(e->states[s]));
        }
    }
    mt_str kept = mt_str_dup(&x->a, mt_buf_str(&out));
    mt_buf_free(&out);
    return kept;
}

/* "refund_escrow release_escrow": S3a and S4 for a persona in a state. */
static inline mt_str operations_of(analysed *x, const char *persona, const char *entity,
                                   const char *state)
{
    uint32_t e = named(x, CT_KIND_ENTITY, entity), out[64];
    uint32_t n = an_operations_in(x->an, named(x, CT_KIND_PERSONA, persona), e,
                                  state_named(x, e, state), out);
    mt_buf text = {0};
    for (uint32_t i = 0; i < n; i++) {
        mt_buf_addf(&text, "%s%.*s", i ? " " : "", MT_ARG(x->m->operations[out[i]].id));
    }
    mt_str kept = mt_str_dup(&x->a, mt_buf_str(&text));
    mt_buf_free(&text);
    return kept;
}

/* Paths as text, one per line: "text [E: a, b]", with " (impossible)" where so. */
typedef struct path_list {
    analysed *x;
    mt_buf out;
    size_t count;
} path_list;

static inline bool list_path(void *context, const an_path_visit *path)
{
    path_list *l = context;
    ct_way_text(&l->out, path->way);
    for (uint32_t i = 0; i < path->state_count; i++) {
        const ct_entity *e = &l->x->m->entities[path->states[i].entity];
        mt_buf_addf(&l->out, " %.*s=%.*s", MT_ARG(e->id),
                    MT_ARG(e->states[path->states[i].state]));
    }
    mt_buf_addz(&l->out, path->possible ? "\n" : " (impossible)\n");
    l->count++;
    return true;
}

static inline mt_str paths_of(analysed *x, const char *flow)
{
    path_list l = {.x = x};
    assert_true(
        an_each_path(x->an, named(x, CT_KIND_FLOW, flow), 10000, list_path, &l));
    mt_str kept = mt_str_dup(&x->a, mt_buf_str(&l.out));
    mt_buf_free(&l.out);
    return kept;
}

static inline mt_str count_of(analysed *x, const char *flow)
{
    return an_count_str(&x->a, x->an->graphs[named(x, CT_KIND_FLOW, flow)].paths);
}

#endif
