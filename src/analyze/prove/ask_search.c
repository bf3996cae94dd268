/* analyze/prove/ask_search.c - joint states for questions: who, which, how far.
 *
 * A space is a search of joint states with a scope: who acts, how many instances, which
 * groups of entities, whether operations the solver could not decide count as possible.
 * Spaces without a history of their own are kept with the asker and taken up again by
 * the next question with the same scope; a hunt walks what is there and lets the search
 * grow when it comes to its end.
 *
 * INVARIANT: a hunt meets joint states in breadth-first order whatever was asked
 * before, so what is found, and the way to it, do not depend on earlier questions.
 *
 * `unsure` says that an operation nobody could decide was met and left out, and
 * j->complete that no bound was; only where neither happened may "never" be said. */
#include "analyze/prove/ask_internal.h"

bool ask_allows(const an_asker *q, uint32_t operation, uint32_t persona)
{
    return persona == CT_NONE || ct_bit(q->plan->ops[operation].allowed, persona);
}

bool ask_moves_first(const an_joint_step *step, uint32_t entity)
{
    for (uint32_t i = 0; i < step->change_count; i++) {
        if (step->changes[i].entity == entity && step->instances[i] == 0) {
            return true;
        }
    }
    return entity == CT_NONE;
}

/* ---- spaces ---- */

/* an_setting.may: the solver is asked when a search first comes to the operation. One
 * that it cannot decide makes the space unsure, and counts as the scope says. */
static bool may_hold(void *context, uint32_t op)
{
    ask_space *s = context;
    const an_answer *holds = ask_can_hold(s->q, op);
    if (holds->possible != AN_UNKNOWN) {
        return holds->possible == AN_POSSIBLE;
    }
    s->unsure = true;
    s->reason = s->reason.len ? s->reason : holds->reason;
    return s->scope.guess;
}

/* `mark`, `data` and `only` are not compared: a scope that has them is never kept. */
static bool same_scope(const ask_scope *x, const ask_scope *y)
{
    return x->instances == y->instances && x->persona == y->persona &&
           x->guess == y->guess && x->apart == y->apart && x->unlike == y->unlike &&
           x->group_count == y->group_count &&
           memcmp(x->groups, y->groups, x->group_count * sizeof *x->groups) == 0;
}

static bool is_kept(const ask_scope *x)
{
    return !x->mark && !x->only;
}

/* Written down, no instance stands for another: a reader need not know that it could.
 */
ask_space *ask_space_open(an_asker *q, mt_arena *a, const ask_scope *wanted)
{
    ask_scope all = *wanted, *scope = &all;
    bool keep = is_kept(scope);
    all.unlike |= q->smt2 && all.instances > 1;
    for (size_t i = 0; keep && i < q->spaces.len; i++) {
        if (same_scope(&q->spaces.items[i]->scope, scope)) {
            return q->spaces.items[i];
        }
    }
    a = keep ? &q->keep : a;
    ask_space *s = mt_new(a, ask_space);
    uint32_t *groups = mt_new_array(a, uint32_t, (size_t)scope->group_count + 1);
    memcpy(groups, scope->groups, scope->group_count * sizeof *groups);
    *s = (ask_space){.q = q, .scope = *scope};
    s->scope.groups = groups;
    s->scene = (an_setting){.plan = q->plan,
                            .persona = scope->persona,
                            .only = scope->only,
                            .instances = scope->instances,
                            .most = q->limits.reach_states,
                            .may = may_hold,
                            .context = s,
                            .mark = scope->mark,
                            .apart = scope->apart,
                            .unlike = scope->unlike};
    s->j = an_joint_open(a, &s->scene, &q->outline, groups, scope->group_count);
    if (keep) {
        mt_vec_push(a, &q->spaces, s);
    }
    return s;
}

/* ORDER: what no larger limit would mend, the limit, what the solver left open. */
mt_str ask_space_gap(const ask_space *s)
{
    const an_joint *j = s->j;
    if (j->too_wide) {
        return mt_strf(&s->q->keep, "an operation moves more than %d entities at once",
                       AN_MOST_CHANGES);
    }
    if (!j->complete) {
        return mt_strf(
            &s->q->keep, "the search ended after %zu joint state%s (reach_states %zu)",
            j->nodes.len, j->nodes.len == 1 ? "" : "s", s->q->limits.reach_states);
    }
    return s->unsure && !s->scope.guess ? s->reason : MT_STR("");
}

/* ---- hunts ---- */

typedef struct hunt {
    ask_space *s;
    ask_step_test *step;
    void *context;
    bool found;
} hunt;

static bool look_at_step(void *context, const an_joint *j, uint32_t node,
                         const an_joint_step *step)
{
    hunt *h = context;
    (void)j;
    h->found = h->step(h->context, h->s, node, step);
    return h->found;
}

/* Steps of nodes that grew before are visited again; the others while they grow. False:
 * the search met its bound, and nothing behind this node is known. */
static bool visit_steps(hunt *h, uint32_t node)
{
    an_joint *j = h->s->j;
    an_joint_visit *visit = h->step ? look_at_step : NULL;
    if (node >= j->grown) {
        bool more = an_joint_grow(j, visit, h);
        return more || h->found;
    }
    if (visit) {
        an_joint_steps(j, node, visit, h);
    }
    return true;
}

bool ask_hunt(ask_space *s, ask_node_test *node, ask_step_test *step, void *context)
{
    hunt h = {.s = s, .step = step, .context = context};
    bool more = true;
    for (uint32_t n = 0; n < s->j->nodes.len && more && !h.found; n++) {
        s->looked = n + 1;
        h.found = node && node(context, s, n);
        more = h.found || visit_steps(&h, n);
    }
    return h.found;
}

/* ---- groups ---- */

/* Ascending, so that one set of groups is one space. */
uint32_t ask_groups(asker *k, const uint32_t *entities, uint32_t count,
                    const uint32_t **out)
{
    uint32_t *groups = mt_new_array(k->a, uint32_t, (size_t)count + 1);
    uint32_t len = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t g = k->q->outline.group[entities[i]], at = 0;
        while (at < len && groups[at] < g) {
            at++;
        }
        if (at == len || groups[at] != g) {
            memmove(&groups[at + 1], &groups[at], (len - at) * sizeof *groups);
            groups[at] = g;
            len++;
        }
    }
    *out = groups;
    return len;
}

/* What the solver leaves open counts as possible here. */
static bool may_be(void *context, uint32_t op)
{
    return ask_can_hold(context, op)->possible != AN_NEVER;
}

/* Asks the solver about every operation that
 * the outline comes to, once for the asker. */
const an_outline *ask_proven(an_asker *q)
{
    if (!q->proven.states) {
        an_setting scene = {.plan = q->plan,
                            .persona = CT_NONE,
                            .instances = 1,
                            .may = may_be,
                            .context = q};
        q->proven = an_outline_of(&q->keep, &scene);
    }
    return &q->proven;
}

/* ---- what an answer covers ---- */

ask_cover ask_cover_new(asker *k, uint32_t instances)
{
    return (ask_cover){
        .instances = instances,
        .entities = mt_new_array(k->a, uint64_t, (size_t)k->q->plan->entity_words + 1)};
}

/* Groups add up; another search of the same one does not. */
void ask_cover_add(ask_cover *c, const ask_space *s)
{
    bool known = s->j->entity_count && ct_bit(c->entities, s->j->entities[0]);
    for (uint32_t i = 0; i < s->j->entity_count; i++) {
        ct_bit_set(c->entities, s->j->entities[i]);
    }
    if (!known) {
        c->joint_states += s->looked;
    } else if (s->looked > c->joint_states) {
        c->joint_states = s->looked;
    }
}

void ask_instances_say(asker *k, uint32_t instances)
{
    if (instances == 1) {
        mt_buf_addz(&k->text, "one instance of each entity");
    } else {
        mt_buf_addf(&k->text, "%u instances of each entity", instances);
    }
}

/* So that a program can judge how far it reaches. */
void ask_cover_json(asker *k, const ask_cover *c)
{
    const ct_model *m = k->q->plan->model;
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "entities");
    mt_jw_begin_array(&w);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        if (ct_bit(c->entities, e)) {
            mt_jw_str(&w, m->entities[e].id);
        }
    }
    mt_jw_end_array(&w);
    mt_jw_key_str(&w, "facts", MT_STR("every fact set, at each step its own"));
    mt_jw_keyz(&w, "instances");
    if (c->any) {
        mt_jw_str(&w, MT_STR("any"));
    } else {
        mt_jw_i64(&w, c->instances);
    }
    mt_jw_key_i64(&w, "joint_states", (int64_t)c->joint_states);
    mt_jw_end_object(&w);
    ask_put(k, "covers", ask_kept(k, &b));
}

void ask_cover_say(asker *k, const ask_cover *c, const char *lead)
{
    const ct_model *m = k->q->plan->model;
    const char *between = " of ";
    mt_buf_addf(&k->text, "  %s: every fact set, at each step its own; ", lead);
    if (c->any) {
        mt_buf_addz(&k->text, "any number of instances\n");
        return;
    }
    mt_buf_addf(&k->text, "all %zu joint state%s", c->joint_states,
                c->joint_states == 1 ? "" : "s");
    for (uint32_t e = 0; e < m->entity_count; e++) {
        if (ct_bit(c->entities, e)) {
            mt_buf_addf(&k->text, "%s%.*s", between, MT_ARG(m->entities[e].id));
            between = ", ";
        }
    }
    mt_buf_addz(&k->text, ", ");
    ask_instances_say(k, c->instances);
    mt_buf_addc(&k->text, '\n');
}
