/* answer/flights.c - see flights.h.
 *
 * A position is as the engine writes it, or made from a flow and a step with every
 * entity bound. For each the snapshot is frozen again from the given facts under the
 * old contract, and the states are set to what they are now; then analyze/version
 * judges. Every instance has facts, verdicts and a run of its own; all are freed
 * together. */
#include "answer/flights.h"

#include "base/form.h"
#include "contract/eval/facts.h"
#include "contract/flow/position.h"
#include "contract/flow/states.h"

/* ---- One instance ---- */

/* An instance as it is written. */
typedef struct entry {
    mt_str id, flow, step;
    const mt_json *position, *facts, *states;
} entry;

static const mt_form_row ENTRY[] = {
    MT_FORM_NAME(entry, id, "id", INT64_MAX, 0),
    MT_FORM_OBJECT(entry, position, "position", 0),
    MT_FORM_NAME(entry, flow, "flow", INT64_MAX, 0),
    MT_FORM_NAME(entry, step, "step", INT64_MAX, 0),
    MT_FORM_OBJECT(entry, facts, "facts", 0),
    MT_FORM_OBJECT(entry, states, "states", 0),
};

/* One instance with all it needs. */
struct aw_flight {
    ct_facts *facts;       /* NULL: not reached */
    ct_verdicts *verdicts; /* made with `facts` */
    ct_run run;            /* where the flow stands under the old version */
};

typedef struct reading {
    aw_flights *f;
    aw_reply *r;
} reading;

static mt_arena *arena_of(const reading *x)
{
    return &x->f->v->new.contract.arena;
}

/* Counted from 1, as people count lines. */
static int refuse(const reading *x, uint32_t n, mt_str why)
{
    return aw_fail(x->r, AW_FAILS, "instance %u: %.*s", n + 1, MT_ARG(why));
}

static mt_str text_of(mt_arena *a, const mt_json *json)
{
    mt_buf b = {0};
    mt_json_write(&b, json, false);
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* The position of an instance that is given by flow and step: every entity bound. */
static mt_str plain_position(const reading *x, const entry *given)
{
    const ct_model *m = x->f->v->old.model;
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "bindings");
    mt_jw_begin_unsorted(&w);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        mt_jw_key(&w, m->entities[e].id);
        mt_jw_str(&w, CT_DEFAULT_INSTANCE);
    }
    mt_jw_end_object(&w);
    mt_jw_key_str(&w, "contract", m->id);
    mt_jw_key_str(&w, "flow", given->flow);
    mt_jw_keyz(&w, "frames");
    mt_jw_begin_array(&w);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "phase", MT_STR("step"));
    mt_jw_key_str(&w, "step", given->step);
    mt_jw_end_object(&w);
    mt_jw_end_array(&w);
    mt_jw_key_str(&w, "persona", MT_STR("unknown"));
    mt_jw_keyz(&w, "records");
    mt_jw_begin_array(&w);
    mt_jw_end_array(&w);
    mt_jw_keyz(&w, "states");
    mt_jw_begin_unsorted(&w);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        mt_jw_key(&w, m->entities[e].id);
        mt_jw_str(&w, m->entities[e].states[m->entities[e].initial]);
    }
    mt_jw_end_object(&w);
    mt_jw_key_str(&w, "status", MT_STR("running"));
    mt_jw_key_i64(&w, "steps_left", 1);
    mt_jw_key_i64(&w, "version", 1);
    mt_jw_end_object(&w);
    mt_str text = mt_str_dup(arena_of(x), mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* The snapshot as it was frozen: the facts, and the old contract's verdicts. */
static int freeze(reading *x, uint32_t n, const mt_json *facts)
{
    struct aw_flight *one = &x->f->items[n];
    const ct_plan *p = x->f->v->old.plan;
    mt_str text = facts ? text_of(arena_of(x), facts) : MT_STR("{}");
    ct_fault fault = {0};
    one->facts = ct_facts_new(p->model);
    one->verdicts = ct_verdicts_new(p->program);
    ct_verdicts_limit(one->verdicts,
                      (ct_patience){.steps = x->f->v->old.contract.limits.eval_steps});
    if (ct_facts_read(one->facts, text, &x->f->v->old.contract.limits, false, &fault) ||
        ct_evaluate(p->program, one->facts, one->verdicts, arena_of(x), &fault)) {
        return refuse(x, n, fault.message);
    }
    return AW_HOLDS;
}

/* {"Order": "sent"}: what the states are now. */
static int set_states(reading *x, uint32_t n, const mt_json *states)
{
    const ct_model *m = x->f->v->old.model;
    for (uint32_t i = 0; states && i < states->count; i++) {
        const mt_json_member *s = &states->as.members[i];
        uint32_t e = ct_model_find(m, CT_KIND_ENTITY, s->key);
        uint32_t state = e == CT_NONE
                             ? CT_NONE
                             : ct_state_find(&m->entities[e], mt_json_text(&s->value));
        if (state == CT_NONE) {
            return refuse(x, n,
                          mt_strf(arena_of(x), "unknown entity or state: %.*s = %.*s",
                                  MT_ARG(s->key), MT_ARG(mt_json_text(&s->value))));
        }
        ct_run_set_state(&x->f->items[n].run, e, state);
    }
    return AW_HOLDS;
}

/* An instance may be given by its position, or only by flow and step; then the
 * position is made as if it had just come there. */
static int take_up(reading *x, uint32_t n, const entry *given)
{
    struct aw_flight *one = &x->f->items[n];
    const ct_plan *p = x->f->v->old.plan;
    const mt_json *position = given->position;
    mt_json *made = mt_new(arena_of(x), mt_json);
    if (!position) {
        if (mt_json_read(arena_of(x), plain_position(x, given), NULL, made, NULL)) {
            return refuse(x, n, MT_STR("has a name that is longer than positions are"));
        }
        position = made;
    }
    ct_run_input in = {.plan = p, .snapshot = {p->program, one->facts, one->verdicts}};
    mt_str why = {0};
    if (ct_position_read(&one->run, &in, position, &why)) {
        return refuse(x, n, why);
    }
    return set_states(x, n, given->states);
}

/* Everything that is wrong with an entry, or nothing. */
static mt_str entry_fault(const reading *x, const mt_json *json, entry *out)
{
    mt_buf why = {0};
    mt_form form = {.arena = arena_of(x),
                    .what = "an instance",
                    .report = mt_form_join,
                    .state = &why};
    if (mt_form_read(&form, json, ENTRY, mt_form_count(ENTRY), out)) {
        if (!out->position && (!out->flow.len || !out->step.len)) {
            mt_buf_addz(&why, "needs a `position`, or a `flow` and a `step`");
        } else if (out->position && (out->flow.len || out->step.len)) {
            mt_buf_addz(&why, "has a `position`, which says `flow` and `step` itself");
        }
    }
    mt_str kept = mt_str_dup(arena_of(x), mt_buf_str(&why));
    mt_buf_free(&why);
    return kept;
}

/* A flow without an id is called by its place in the list. Facts and verdicts are
 * frozen as the old version saw them (§18.6.5) before the flow is taken up where it
 * stands. */
static int read_instance(reading *x, uint32_t n, const mt_json *json)
{
    entry given = {0};
    mt_str why = entry_fault(x, json, &given);
    if (why.len) {
        return refuse(x, n, why);
    }
    x->f->flights[n].id = given.id.len ? given.id : mt_strf(arena_of(x), "#%u", n + 1);
    x->f->flights[n].run = &x->f->items[n].run;
    int code = freeze(x, n, given.facts);
    return code ? code : take_up(x, n, &given);
}

/* ---- All of them ---- */

int aw_flights_read(aw_flights *f, const mt_json *list, aw_reply *r)
{
    reading x = {f, r};
    int code = AW_HOLDS;
    f->items = mt_new_array(arena_of(&x), struct aw_flight, list->count);
    f->flights = mt_new_array(arena_of(&x), an_flight, list->count);
    f->count = list->count;
    for (uint32_t i = 0; !code && i < list->count; i++) {
        code = read_instance(&x, i, &list->as.items[i]);
    }
    return code;
}

/* `facts` and `verdicts` are made together; an item that was never reached has
 * neither. */
void aw_flights_free(aw_flights *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        ct_run_free(&f->items[i].run);
        if (f->items[i].facts) {
            ct_facts_free(f->items[i].facts);
            ct_verdicts_free(f->items[i].verdicts);
        }
    }
}

void aw_flights_judge(aw_flights *f, an_migrate_options options, an_migration *out)
{
    an_migrate(&f->v->new.contract.arena, f->v->diff, f->v->old.plan, f->v->new.plan,
               f->flights, f->count, options, out);
}
