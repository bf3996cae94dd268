/* analyze/prove/ask_way.c - ways that were found: executed, then shown.
 *
 * The search gives a joint state and perhaps a step from it; the steps that led there
 * are found again, somebody is named for each, and the engine that runs `motet eval
 * --operation` executes them one after the other, with the facts that are shown.
 *
 * INVARIANT: a way that is `found` has been executed so. A way the engine refuses is a
 * fault of the search: it is not shown, and the answer stays open with the reason.
 *
 * In a System every step is executed by its member's own program, in that member's
 * numbers; entities it does not have stay as they are. */
#include "analyze/prove/ask_internal.h"

/* ---- execution ---- */

/* One execution, from the initial states on. `tmp`
 * is freed with it; what is shown is in k->a. */
typedef struct stage {
    asker *k;
    mt_arena tmp;
    uint32_t instances;
    uint32_t *states; /* of the union: one per entity and instance */
    mt_str why;       /* the engine refuses */
} stage;

/* Facts as they are shown, read and evaluated anew. */
static bool evaluate(stage *g, ct_bench *b, mt_str facts)
{
    ct_fault fault = {0};
    mt_err err = ct_facts_read(b->facts, facts, b->limits, false, &fault);
    if (!err) {
        err = ct_evaluate(b->plan->program, b->facts, b->verdicts, &g->tmp, &fault);
    }
    g->why = err ? mt_str_dup(g->k->a, fault.message) : g->why;
    return !err;
}

/* Did the engine do exactly what the search has
 * said: the outcome, and each change in its order? */
static bool same_changes(const stage *g, const an_union_member *m,
                         const ct_attempt *got, const ct_change *changes,
                         const an_joint_step *step)
{
    const an_union *u = g->k->q->u;
    bool same =
        !got->error &&
        got->outcome == an_union_own_outcome(u, step->operation, step->outcome) &&
        got->change_count == step->change_count;
    for (uint32_t i = 0; same && i < step->change_count; i++) {
        const ct_change *x = &changes[i], *y = &step->changes[i];
        const uint32_t *states = m->states[x->entity];
        same = m->entities[x->entity] == y->entity && states[x->from] == y->from &&
               states[x->to] == y->to;
    }
    return same;
}

/* The states of the instances the step is bound to, as the member numbers them: the
 * first of an entity that it does not move. */
static uint32_t *bound_states(stage *g, const an_union_member *m,
                              const an_joint_step *step)
{
    uint32_t count = m->plan->model->entity_count;
    uint32_t *bound = mt_new_array(&g->tmp, uint32_t, (size_t)count + 1);
    for (uint32_t e = 0; e < count; e++) {
        uint32_t common = m->entities[e], instance = 0;
        for (uint32_t c = 0; c < step->change_count; c++) {
            if (step->changes[c].entity == common) {
                instance = step->instances[c];
            }
        }
        bound[e] =
            an_union_own_state(m, e, g->states[common * g->instances + instance]);
    }
    return bound;
}

/* One step in the engine. An outcome is named only where the engine asks for it. */
static bool execute_step(stage *g, ask_step *x, mt_str facts)
{
    an_asker *q = g->k->q;
    uint32_t member = q->u->member_of[x->step.operation];
    const an_union_member *m = &q->u->members[member];
    ct_bench *b = ask_bench_of(q, member);
    uint32_t op = an_union_own_operation(q->u, x->step.operation), who = 0;
    uint32_t outcome = an_union_own_outcome(q->u, x->step.operation, x->step.outcome);
    ct_attempt got;
    ct_change *changes =
        mt_new_array(&g->tmp, ct_change, (size_t)m->plan->max_changes + 1);
    if (!evaluate(g, b, facts)) {
        return false;
    }
    while (m->personas[who] != x->persona) {
        who++;
    }
    const uint32_t *states = bound_states(g, m, &x->step);
    ct_frozen z = {m->plan, {m->program, b->facts, b->verdicts}, b->scratch};
    ct_op_try(&z, op, who, states, CT_NONE, &g->tmp, &got, changes);
    x->named = got.error == CT_OP_AMBIGUOUS;
    if (x->named) {
        ct_op_try(&z, op, who, states, outcome, &g->tmp, &got, changes);
    }
    g->why = got.error ? ct_op_error_name(got.error) : MT_STR("it does something else");
    return same_changes(g, m, &got, changes, &x->step);
}

/* From the initial states on. */
static bool execute(asker *k, ask_way *w, uint32_t instances, mt_str last_facts)
{
    const ct_model *m = k->q->plan->model;
    stage g = {.k = k, .instances = instances};
    bool done = true;
    g.states = mt_new_array(&g.tmp, uint32_t, (size_t)m->entity_count * instances + 1);
    for (uint32_t i = 0; i < m->entity_count * instances; i++) {
        g.states[i] = m->entities[i / instances].initial;
    }
    for (uint32_t i = 0; i < w->count && done; i++) {
        const an_joint_step *step = &w->steps[i].step;
        bool last = i + 1 == w->count && last_facts.len;
        done = execute_step(&g, &w->steps[i],
                            last ? last_facts
                                 : ask_can_hold(k->q, step->operation)->facts);
        for (uint32_t c = 0; c < step->change_count; c++) {
            g.states[step->changes[c].entity * instances + step->instances[c]] =
                step->changes[c].to;
        }
    }
    if (!done) {
        w->reason = mt_strf(k->a, "the engine refuses a way that was found: %.*s",
                            MT_ARG(g.why));
    }
    mt_arena_free(&g.tmp);
    return done;
}

/* Who performs each step: `persona` where it may, else whoever acted after it, else the
 * first who may. */
static void cast(const asker *k, ask_way *w, uint32_t persona)
{
    const an_asker *q = k->q;
    uint32_t last = persona;
    w->alone = true;
    for (uint32_t i = w->count; i-- > 0;) {
        uint32_t op = w->steps[i].step.operation;
        bool own = persona != CT_NONE && ask_allows(q, op, persona);
        bool same = last != CT_NONE && ask_allows(q, op, last);
        last = own ? persona : same ? last : q->plan->model->operations[op].personas[0];
        w->steps[i].persona = last;
        w->alone &= own;
    }
}

/* The search keeps from which node each was met, and by which outcome; the steps
 * themselves are found again. */
ask_way ask_way_to(asker *k, ask_space *s, uint32_t node, const an_joint_step *step,
                   uint32_t persona, mt_str last_facts)
{
    const an_joint_step *before;
    uint32_t count = an_joint_way(k->a, s->j, node, &before);
    ask_way w = {.count = count + (step != NULL),
                 .steps = mt_new_array(k->a, ask_step, (size_t)count + 1)};
    for (uint32_t i = 0; i < count; i++) {
        w.steps[i].step = before[i];
    }
    if (step) {
        w.steps[count].step = an_joint_keep(k->a, step);
    }
    cast(k, &w, persona);
    w.found = execute(k, &w, s->scope.instances, last_facts);
    w.open = !w.found;
    return w;
}

/* ---- in words ---- */

/* One instance has the name the engine gives it by default; several are numbered from
 * 1. */
static mt_str instance_name(asker *k, uint32_t instances, uint32_t instance)
{
    return instances == 1 ? CT_DEFAULT_INSTANCE : mt_strf(k->a, "%u", instance + 1);
}

/* What the step does with the entity that is asked about; NULL: nothing. */
static const ct_change *shown_change(const ask_shown *h, const an_joint_step *step)
{
    for (uint32_t i = 0; i < step->change_count; i++) {
        if (step->changes[i].entity == h->entity) {
            return &step->changes[i];
        }
    }
    return NULL;
}

/* (held -> released), or with entities and instances where that is not enough. */
static void say_changes(asker *k, const ask_shown *h, const an_joint_step *step)
{
    const ct_plan *p = k->q->plan;
    mt_buf *out = &k->text;
    bool plain = step->change_count == 1 && shown_change(h, step) && h->instances == 1;
    mt_buf_addz(out, " (");
    for (uint32_t i = 0; i < step->change_count; i++) {
        const ct_change *c = &step->changes[i];
        mt_buf_addz(out, i ? ", " : "");
        if (!plain) {
            mt_buf_adds(out, ct_entity_id(p, c->entity));
            if (h->instances > 1) {
                mt_buf_addf(out, " %u", step->instances[i] + 1);
            }
            mt_buf_addz(out, ": ");
        }
        mt_buf_addf(out, "%.*s -> %.*s",
                    MT_ARG(ct_plan_state_id(p, c->entity, c->from)),
                    MT_ARG(ct_plan_state_id(p, c->entity, c->to)));
    }
    mt_buf_addz(out, step->change_count ? ")" : "changes nothing)");
}

/* clerk: decide, outcome paid (open -> paid) */
void ask_step_say(asker *k, const ask_shown *h, const ask_step *x)
{
    const ct_plan *p = k->q->plan;
    mt_buf *out = &k->text;
    mt_buf_addf(out, "%.*s: %.*s", MT_ARG(ct_persona_id(p, x->persona)),
                MT_ARG(ct_operation_id(p, x->step.operation)));
    if (p->ops[x->step.operation].outcome_count > 1) {
        mt_buf_addf(out, ", %soutcome %.*s", x->named ? "naming " : "",
                    MT_ARG(p->outcomes[x->step.outcome].label));
    }
    say_changes(k, h, &x->step);
    mt_buf_addc(out, '\n');
}

/* Each step has facts of its own: those with which its precondition can hold, unless
 * others are given for the last step. */
static mt_str facts_of(asker *k, const ask_shown *h, const ask_way *w, uint32_t i)
{
    return i + 1 == w->count && h->last_facts.len
               ? h->last_facts
               : ask_can_hold(k->q, w->steps[i].step.operation)->facts;
}

void ask_way_say(asker *k, const ask_shown *h, const ask_way *w, const char *indent,
                 bool facts)
{
    for (uint32_t i = 0; i < w->count; i++) {
        mt_buf_addf(&k->text, "%s%u. ", indent, i + 1);
        ask_step_say(k, h, &w->steps[i]);
        if (facts) {
            mt_buf_addf(&k->text, "%s   for: %.*s\n", indent,
                        MT_ARG(facts_of(k, h, w, i)));
        }
    }
}

void ask_way_show(asker *k, const ask_shown *h, const ask_way *w)
{
    mt_buf b = {0};
    mt_jw j = mt_jw_start(&b, false);
    ask_way_say(k, h, w, "  ", true);
    if (w->count) {
        mt_buf_addz(&k->text, "  executed step by step: ");
        ask_instances_say(k, h->instances);
        mt_buf_addc(&k->text, '\n');
    }
    ask_way_json(k, h, &j, w);
    ask_put(k, "path", ask_kept(k, &b));
}

/* ---- as JSON ---- */

static void change_json(asker *k, const ask_shown *h, mt_jw *w,
                        const an_joint_step *step, uint32_t i)
{
    const ct_plan *p = k->q->plan;
    const ct_change *c = &step->changes[i];
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "entity", ct_entity_id(p, c->entity));
    mt_jw_key_str(w, "from", ct_plan_state_id(p, c->entity, c->from));
    mt_jw_key_str(w, "instance", instance_name(k, h->instances, step->instances[i]));
    mt_jw_key_str(w, "to", ct_plan_state_id(p, c->entity, c->to));
    mt_jw_end_object(w);
}

/* from and to are of the entity that is asked about; all changes are in `changes`. The
 * operation and its member of a System apart, as they are executed. */
static void step_json(asker *k, const ask_shown *h, mt_jw *w, const ask_step *x,
                      mt_str facts)
{
    const an_union *u = k->q->u;
    const ct_plan *p = k->q->plan;
    const an_joint_step *step = &x->step;
    const ct_change *c = shown_change(h, step);
    const an_union_member *m = &u->members[u->member_of[step->operation]];
    uint32_t own = an_union_own_operation(u, step->operation);
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "changes");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < step->change_count; i++) {
        change_json(k, h, w, step, i);
    }
    mt_jw_end_array(w);
    mt_jw_keyz(w, "facts");
    mt_jw_raw(w, facts);
    if (c) {
        mt_jw_key_str(w, "from", ct_plan_state_id(p, c->entity, c->from));
    }
    if (m->id.len) {
        mt_jw_key_str(w, "member", m->id);
    }
    mt_jw_key_bool(w, "named", x->named);
    mt_jw_key_str(w, "operation", ct_operation_id(m->plan, own));
    mt_jw_key_str(w, "outcome", p->outcomes[step->outcome].label);
    mt_jw_key_str(w, "persona", ct_persona_id(p, x->persona));
    if (c) {
        mt_jw_key_str(w, "to", ct_plan_state_id(p, c->entity, c->to));
    }
    mt_jw_end_object(w);
}

void ask_way_json(asker *k, const ask_shown *h, mt_jw *w, const ask_way *way)
{
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < way->count; i++) {
        step_json(k, h, w, &way->steps[i], facts_of(k, h, way, i));
    }
    mt_jw_end_array(w);
}

/* ---- joint states ---- */

mt_str ask_states_json(asker *k, const ask_space *s, uint32_t node)
{
    const ct_plan *p = k->q->plan;
    uint32_t n = s->scope.instances;
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    mt_jw_begin_unsorted(&w);
    for (uint32_t i = 0; i < s->j->entity_count; i++) {
        uint32_t e = s->j->entities[i];
        mt_jw_key(&w, ct_entity_id(p, e));
        mt_jw_begin_object(&w);
        for (uint32_t x = 0; x < n; x++) {
            mt_jw_key(&w, instance_name(k, n, x));
            mt_jw_str(&w, ct_plan_state_id(p, e, an_joint_state(s->j, node, e, x)));
        }
        mt_jw_end_object(&w);
    }
    mt_jw_end_object(&w);
    return ask_kept(k, &b);
}

/* "Claim is open, Payment 2 is due": every
 * instance of every entity that was searched. */
mt_str ask_states_text(asker *k, const ask_space *s, uint32_t node)
{
    const ct_plan *p = k->q->plan;
    uint32_t n = s->scope.instances;
    const char *between = "";
    mt_buf b = {0};
    for (uint32_t i = 0; i < s->j->entity_count; i++) {
        uint32_t e = s->j->entities[i];
        for (uint32_t x = 0; x < n; x++) {
            mt_buf_addf(&b, "%s%.*s", between, MT_ARG(ct_entity_id(p, e)));
            if (n > 1) {
                mt_buf_addf(&b, " %u", x + 1);
            }
            mt_buf_addf(
                &b, " is %.*s",
                MT_ARG(ct_plan_state_id(p, e, an_joint_state(s->j, node, e, x))));
            between = ", ";
        }
    }
    return ask_kept(k, &b);
}
