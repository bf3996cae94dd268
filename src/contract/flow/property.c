/* contract/flow/property.c - case after case, then a simpler one.
 *
 * For each case every fact that is not given gets a value (generate.h), entities that
 * are not given a state if that was asked for; the case is run and judged as a scenario
 * is. Cases that `where` does not want are drawn again, a bounded number of times. The
 * first case that fails ends the search and is simplified fact by fact, over and over,
 * as long as it still fails.
 *
 * INVARIANT: what is reported was run last, and failed. Values of a case live in `keep`
 * until the next one, what a run needs in `scratch` until the next run. */
#include "contract/flow/property.h"

#include "contract/flow/generate.h"
#include "contract/flow/scenario_internal.h"

enum { MOST_DRAWN = 20, MOST_SIMPLER = 3000 };

typedef struct search {
    const ct_case *c;
    const ct_model *m;
    ct_coverage *coverage; /* NULL while simplifying */
    ct_generator g;
    mt_arena keep, scratch;
    ct_value **values; /* per fact; NULL: it is given */
    uint32_t *states;  /* per entity; CT_NONE: it is given, or not asked for */
    mt_buf why;        /* of the last run */
    uint32_t simpler;  /* runs of simplifying */
    bool enough;
} search;

/* ---- A case ---- */

static mt_str facts_text(const search *x, mt_arena *a)
{
    mt_buf out = {0}, value = {0};
    mt_jw w = mt_jw_start(&out, false);
    mt_jw_begin_unsorted(&w);
    for (uint32_t i = 0; i < x->m->fact_count; i++) {
        if (x->values[i]) {
            mt_buf_clear(&value);
            ct_value_plain(&value, x->m->facts[i].type, x->values[i]);
            mt_jw_key(&w, x->m->facts[i].id);
            mt_jw_raw(&w, mt_buf_str(&value));
        }
    }
    mt_jw_end_object(&w);
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    mt_buf_free(&value);
    return text;
}

static const mt_json *states_given(const search *x)
{
    const mt_json *own = x->c->s->given.states;
    return own ? own : x->c->file->shared.states;
}

/* Those that are given, and those that were made up; NULL: neither were. */
static const mt_json *states_tree(const search *x, mt_arena *a, const mt_json *given)
{
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    bool any = false;
    mt_jw_begin_unsorted(&w);
    for (uint32_t i = 0; mt_json_is(given, MT_JSON_OBJECT) && i < given->count; i++) {
        mt_jw_key(&w, given->as.members[i].key);
        mt_jw_json(&w, &given->as.members[i].value);
    }
    for (uint32_t e = 0; e < x->m->entity_count; e++) {
        if (x->states[e] != CT_NONE) {
            mt_jw_key(&w, x->m->entities[e].id);
            mt_jw_str(&w, x->m->entities[e].states[x->states[e]]);
            any = true;
        }
    }
    mt_jw_end_object(&w);
    mt_json *tree = mt_new(a, mt_json);
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return any && !mt_json_read(a, text, NULL, tree, NULL) ? tree : given;
}

static ct_verdict_on run_case(search *x)
{
    mt_arena_reset(&x->scratch);
    mt_buf_clear(&x->why);
    mt_arena *a = &x->scratch;
    ct_trial t = ct_scenario_trial(a, x->c->file, x->c->s, facts_text(x, a));
    t.states = states_tree(x, a, t.states);
    return ct_scenario_case(x->c, &t, a, x->coverage, &x->why);
}

static void make_case(search *x)
{
    mt_arena_reset(&x->keep);
    x->values = mt_new_array(&x->keep, ct_value *, x->m->fact_count);
    x->states = mt_new_array(&x->keep, uint32_t, x->m->entity_count);
    for (uint32_t i = 0; i < x->m->fact_count; i++) {
        const ct_fact *f = &x->m->facts[i];
        if (!mt_json_get(x->c->s->given.facts, f->id)) {
            x->values[i] = mt_new_array(&x->keep, ct_value, f->type->slots + 1);
            ct_generate(&x->g, &x->keep, f->type, x->values[i]);
        }
    }
    const mt_json *given = states_given(x);
    for (uint32_t e = 0; e < x->m->entity_count; e++) {
        const ct_entity *entity = &x->m->entities[e];
        bool drawn = x->c->s->for_all.states && !mt_json_get(given, entity->id);
        x->states[e] = drawn ? (uint32_t)ct_draw(&x->g, entity->state_count) : CT_NONE;
    }
}

/* false: `where` wants none of those that were drawn. */
static bool draw_wanted(search *x, ct_verdict_on *verdict)
{
    for (int i = 0; i < MOST_DRAWN; i++) {
        make_case(x);
        *verdict = run_case(x);
        if (*verdict != CT_UNWANTED) {
            return true;
        }
    }
    return false;
}

/* ---- A simpler one ---- */

static bool still_fails(void *state)
{
    search *x = state;
    x->enough = ++x->simpler >= MOST_SIMPLER;
    return run_case(x) == CT_FAILS;
}

static bool simplify_states(search *x)
{
    bool changed = false;
    for (uint32_t e = 0; e < x->m->entity_count; e++) {
        uint32_t was = x->states[e], initial = x->m->entities[e].initial;
        if (was != CT_NONE && was != initial) {
            x->states[e] = initial;
            bool good = !x->enough && still_fails(x);
            x->states[e] = good ? initial : was;
            changed |= good;
        }
    }
    return changed;
}

/* Round after round: one fact that became simpler may let another one. */
static void simplify(search *x)
{
    ct_shrinker s = {&x->keep, still_fails, x, &x->enough};
    x->coverage = NULL;
    for (bool changed = true; changed && !x->enough;) {
        changed = simplify_states(x);
        for (uint32_t i = 0; i < x->m->fact_count; i++) {
            if (x->values[i]) {
                changed |= ct_shrink(&s, x->m->facts[i].type, x->values[i]);
            }
        }
    }
    (void)run_case(x); /* the last run may have been one that passed */
}

/* ---- The whole ---- */

static void tell(search *x, mt_arena *a, ct_property *p, mt_buf *why)
{
    simplify(x);
    p->facts = facts_text(x, a);
    p->states = states_tree(x, a, states_given(x));
    ct_scenario_say(why, x->c->file, x->c->s->for_all_written,
                    "case %lld of %lld does not hold (seed %lld); the simplest found:",
                    (long long)p->failed, (long long)p->cases, (long long)p->seed);
    mt_buf_addf(why, "facts: %.*s\n", MT_ARG(p->facts));
    for (uint32_t e = 0; e < x->m->entity_count; e++) {
        if (x->states[e] != CT_NONE) {
            mt_buf_addf(why, "state of %.*s: %.*s\n", MT_ARG(x->m->entities[e].id),
                        MT_ARG(x->m->entities[e].states[x->states[e]]));
        }
    }
    mt_buf_adds(why, mt_buf_str(&x->why));
}

static int64_t first_said(int64_t option, int64_t written, int64_t nothing,
                          int64_t usual)
{
    return option != nothing ? option : written != nothing ? written : usual;
}

bool ct_property_run(mt_arena *a, ct_bench *b, const ct_scenarios *file,
                     const ct_scenario *s, const ct_conditions *conditions,
                     ct_property_options options, ct_coverage *coverage, mt_buf *why,
                     ct_property *out)
{
    ct_case c = {b, file, s, conditions};
    search x = {.c = &c, .m = b->plan->model, .coverage = coverage};
    bool found = true;
    *out = (ct_property){
        .cases = first_said(options.cases, s->for_all.cases, 0, CT_CASES_USUAL),
        .seed = first_said(options.seed, s->for_all.seed, -1, CT_SEED_USUAL)};
    x.g = ct_generator_new(a, x.m, (uint64_t)out->seed);
    while (found && out->tried < out->cases && !out->failed) {
        ct_verdict_on verdict;
        found = draw_wanted(&x, &verdict);
        out->tried += found;
        out->failed = found && verdict == CT_FAILS ? out->tried : 0;
    }
    if (out->failed) {
        tell(&x, a, out, why);
    } else if (!found) {
        ct_scenario_say(why, file, s->for_all.where,
                        "only %lld cases were found that `where` wants, of %lld (seed "
                        "%lld); give facts that make it true",
                        (long long)out->tried, (long long)out->cases,
                        (long long)out->seed);
    }
    mt_buf_free(&x.why);
    mt_arena_free(&x.keep);
    mt_arena_free(&x.scratch);
    return found && !out->failed;
}
