/* contract/analyze/ask_reach.c - who can bring an entity where.
 * Room: contract. A state is reachable when operations lead to it whose preconditions
 * can hold, each for a fact set of its own: facts may change between two operations.
 * Where the solver cannot say, structure decides (an operation then counts as possible)
 * and the reply says so. */
#include "contract/analyze/ask_internal.h"

typedef struct moves {
    asker *k;
    ct_answer *possible; /* by operation */
    bool *asked;
    bool **reached;    /* by entity, state */
    bool by_structure; /* some operation was only taken to be possible */
} moves;

/* What is asked: to reach `to`, to go from `from` to `to`, or to perform. */
typedef struct goal {
    uint32_t entity, from, to; /* from CT_NONE: any */
    uint32_t operation;        /* CT_NONE: any */
} goal;

typedef struct step {
    uint32_t operation, persona, from, to;
} step;

/* ---- Which operations can be performed --------------------------------------------
 */

static const ct_answer *can_hold(moves *v, uint32_t operation)
{
    if (!v->asked[operation]) {
        asker *k = v->k;
        const ct_expr *e = k->m->operations[operation].precondition;
        v->asked[operation] = true;
        v->possible[operation] =
            ct_prove_possible(k->p, k->a, ct_claim_holds(k->a, CT_FIRST, e));
    }
    return &v->possible[operation];
}

/* Is every entity the operation moves in a state it could leave? */
static bool can_start(const moves *v, const ct_operation *op)
{
    for (uint32_t i = 0; i < op->effect_count; i++) {
        const ct_effect *e = &op->effects[i];
        bool some = false;
        for (uint32_t j = 0; j < op->effect_count; j++) {
            const ct_effect *f = &op->effects[j];
            some |= f->entity == e->entity && v->reached[f->entity][f->from];
        }
        if (!some) {
            return false;
        }
    }
    return true;
}

static bool apply(moves *v, const ct_operation *op)
{
    bool more = false;
    for (uint32_t i = 0; i < op->effect_count; i++) {
        const ct_effect *e = &op->effects[i];
        if (v->reached[e->entity][e->from] && !v->reached[e->entity][e->to]) {
            v->reached[e->entity][e->to] = more = true;
        }
    }
    return more;
}

static bool enabled(moves *v, uint32_t operation)
{
    const ct_operation *op = &v->k->m->operations[operation];
    return op->persona_count && can_start(v, op) &&
           can_hold(v, operation)->possible != CT_NEVER;
}

static void settle(moves *v)
{
    const ct_model *m = v->k->m;
    for (uint32_t e = 0; e < m->entity_count; e++) {
        v->reached[e] = mt_new_array(v->k->a, bool, m->entities[e].state_count);
        v->reached[e][m->entities[e].initial] = true;
    }
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < m->operation_count; i++) {
            more |= enabled(v, i) && apply(v, &m->operations[i]);
        }
    }
}

static moves survey(asker *k)
{
    const ct_model *m = k->m;
    moves v = {.k = k,
               .possible = mt_new_array(k->a, ct_answer, m->operation_count + 1),
               .asked = mt_new_array(k->a, bool, m->operation_count + 1),
               .reached = mt_new_array(k->a, bool *, m->entity_count + 1)};
    settle(&v);
    return v;
}

static bool allows(const ct_operation *op, uint32_t persona)
{
    for (uint32_t i = 0; i < op->persona_count; i++) {
        if (op->personas[i] == persona) {
            return true;
        }
    }
    return false;
}

/* ---- Ways -------------------------------------------------------------------------
 */

/* A move of the entity that the goal's last step may be. */
static bool serves(const goal *g, uint32_t operation, const ct_effect *e)
{
    return (g->operation == CT_NONE || g->operation == operation) &&
           e->entity == g->entity && (g->from == CT_NONE || g->from == e->from) &&
           (g->to == CT_NONE || g->to == e->to);
}

/* The shortest way of the entity from its first state to every other, by `persona` or
 * (CT_NONE) anybody; before[s] is the step that led to s. */
static void ways(moves *v, uint32_t entity, uint32_t persona, step *before, bool *seen)
{
    const ct_model *m = v->k->m;
    const ct_entity *en = &m->entities[entity];
    uint32_t *queue = mt_new_array(v->k->a, uint32_t, en->state_count);
    uint32_t head = 0, tail = 0;
    queue[tail++] = en->initial;
    seen[en->initial] = true;
    while (head < tail) {
        uint32_t s = queue[head++];
        for (uint32_t i = 0; i < m->operation_count; i++) {
            const ct_operation *op = &m->operations[i];
            if ((persona != CT_NONE && !allows(op, persona)) || !enabled(v, i)) {
                continue;
            }
            for (uint32_t j = 0; j < op->effect_count; j++) {
                const ct_effect *e = &op->effects[j];
                if (e->entity == entity && e->from == s && !seen[e->to]) {
                    seen[e->to] = true;
                    before[e->to] = (step){
                        i, persona == CT_NONE ? op->personas[0] : persona, s, e->to};
                    queue[tail++] = e->to;
                }
            }
        }
    }
}

typedef struct way {
    MT_VEC(step) steps;
    bool found;
    bool alone; /* by one persona from the first state on */
} way;

static void trace(moves *v, way *w, uint32_t initial, uint32_t state,
                  const step *before)
{
    if (state == initial) {
        return;
    }
    uint32_t from = before[state].from, left = 1;
    for (uint32_t s = from; s != initial; s = before[s].from) {
        left++;
    }
    size_t at = w->steps.len;
    for (uint32_t i = 0; i < left; i++) {
        mt_vec_push(v->k->a, &w->steps, (step){0});
    }
    for (uint32_t s = state; s != initial; s = before[s].from) {
        w->steps.items[at + --left] = before[s];
    }
}

/* A way on which `persona` makes the last step; alone if that can be. */
static way way_for(moves *v, const goal *g, uint32_t persona)
{
    const ct_model *m = v->k->m;
    const ct_entity *en = &m->entities[g->entity];
    for (int alone = 1; alone >= 0; alone--) {
        step *before = mt_new_array(v->k->a, step, en->state_count);
        bool *seen = mt_new_array(v->k->a, bool, en->state_count);
        ways(v, g->entity, alone ? persona : CT_NONE, before, seen);
        for (uint32_t i = 0; i < m->operation_count; i++) {
            const ct_operation *op = &m->operations[i];
            for (uint32_t j = 0; allows(op, persona) && j < op->effect_count; j++) {
                const ct_effect *e = &op->effects[j];
                if (serves(g, i, e) && seen[e->from] && enabled(v, i)) {
                    way w = {.found = true, .alone = alone};
                    trace(v, &w, en->initial, e->from, before);
                    mt_vec_push(v->k->a, &w.steps,
                                ((step){i, persona, e->from, e->to}));
                    return w;
                }
            }
        }
    }
    return (way){0};
}

/* ---- Replies ----------------------------------------------------------------------
 */

static void step_json(moves *v, mt_jw *w, const ct_entity *en, const step *s)
{
    const ct_model *m = v->k->m;
    const ct_answer *holds = can_hold(v, s->operation);
    mt_jw_begin_object(w);
    if (holds->possible == CT_POSSIBLE) {
        mt_jw_keyz(w, "facts");
        mt_jw_raw(w, holds->facts);
    }
    mt_jw_key_str(w, "from", en->states[s->from]);
    mt_jw_key_str(w, "operation", m->operations[s->operation].id);
    mt_jw_key_str(w, "persona", m->personas[s->persona].id);
    mt_jw_key_str(w, "to", en->states[s->to]);
    mt_jw_end_object(w);
}

static void say_way(moves *v, const ct_entity *en, const way *found)
{
    asker *k = v->k;
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < found->steps.len; i++) {
        const step *s = &found->steps.items[i];
        const ct_answer *holds = can_hold(v, s->operation);
        step_json(v, &w, en, s);
        mt_buf_addf(&k->text, "  %zu. %.*s: %.*s (%.*s -> %.*s)\n", i + 1,
                    MT_ARG(k->m->personas[s->persona].id),
                    MT_ARG(k->m->operations[s->operation].id),
                    MT_ARG(en->states[s->from]), MT_ARG(en->states[s->to]));
        if (holds->possible == CT_POSSIBLE) {
            mt_buf_addf(&k->text, "     for: %.*s\n", MT_ARG(holds->facts));
        } else {
            v->by_structure = true;
            mt_buf_addf(&k->text, "     not proven: %.*s\n", MT_ARG(holds->reason));
            k->reason = holds->reason;
        }
    }
    mt_jw_end_array(&w);
    k->path = mt_str_dup(k->a, mt_buf_str(&b));
    mt_buf_free(&b);
}

static ct_reply_kind say_yes(moves *v, const goal *g, uint32_t persona, const way *w)
{
    asker *k = v->k;
    bool others = !w->alone && w->steps.len > 1;
    mt_buf_addf(&k->text, "yes%s\n", others ? ", after others" : "");
    (void)persona;
    say_way(v, &k->m->entities[g->entity], w);
    k->proof = v->by_structure ? "structure" : "facts";
    return CT_REPLY_YES;
}

static void list_personas(moves *v, const goal *g, mt_jw *w, bool print)
{
    asker *k = v->k;
    for (uint32_t p = 0; p < k->m->persona_count; p++) {
        way found = way_for(v, g, p);
        if (!found.found) {
            continue;
        }
        const step *last = &found.steps.items[found.steps.len - 1];
        mt_str id = k->m->personas[p].id, op = k->m->operations[last->operation].id;
        mt_jw_str(w, id);
        if (print) {
            const ct_entity *en = &k->m->entities[g->entity];
            mt_buf_addf(&k->text, "  %.*s: %.*s (%.*s -> %.*s)\n", MT_ARG(id),
                        MT_ARG(op), MT_ARG(en->states[last->from]),
                        MT_ARG(en->states[last->to]));
            v->by_structure |= can_hold(v, last->operation)->possible == CT_UNKNOWN;
        }
    }
}

/* Everybody who can; is there anybody? */
static bool say_personas(moves *v, const goal *g)
{
    asker *k = v->k;
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    mt_jw_begin_array(&w);
    list_personas(v, g, &w, true);
    mt_jw_end_array(&w);
    k->personas = mt_str_dup(k->a, mt_buf_str(&b));
    mt_buf_free(&b);
    return k->personas.len > 2;
}

/* What the persona does with the entity instead. */
static void say_own_moves(moves *v, const goal *g, uint32_t persona)
{
    asker *k = v->k;
    const ct_entity *en = &k->m->entities[g->entity];
    mt_buf_addf(&k->text, "  %.*s moves it:", MT_ARG(k->m->personas[persona].id));
    size_t at = k->text.len;
    for (uint32_t i = 0; i < k->m->operation_count; i++) {
        const ct_operation *op = &k->m->operations[i];
        for (uint32_t j = 0; allows(op, persona) && j < op->effect_count; j++) {
            const ct_effect *e = &op->effects[j];
            if (e->entity == g->entity && v->reached[e->entity][e->from] &&
                enabled(v, i)) {
                mt_buf_addf(&k->text, "%s %.*s -> %.*s (%.*s)",
                            k->text.len == at ? "" : ",", MT_ARG(en->states[e->from]),
                            MT_ARG(en->states[e->to]), MT_ARG(op->id));
            }
        }
    }
    mt_buf_addz(&k->text, k->text.len == at ? " nowhere\n" : "\n");
}

static ct_reply_kind say_no(moves *v, const goal *g, uint32_t persona)
{
    asker *k = v->k;
    mt_buf_addz(&k->text, "no\n");
    if (persona != CT_NONE) {
        say_own_moves(v, g, persona);
    }
    bool initial = g->operation == CT_NONE && g->from == CT_NONE &&
                   g->to == k->m->entities[g->entity].initial;
    if (initial) {
        mt_buf_addz(&k->text, "  it begins there\n");
    }
    size_t at = k->text.len;
    mt_buf_addz(&k->text, "  these can:\n");
    if (!say_personas(v, g)) {
        k->text.len = at;
        mt_buf_addz(&k->text, "  nobody can\n");
    }
    k->proof = "proven";
    return CT_REPLY_NO;
}

static ct_reply_kind answer_who(moves *v, const goal *g)
{
    asker *k = v->k;
    bool some = say_personas(v, g);
    if (!some) {
        mt_buf_addz(&k->text, "nobody\n");
    }
    k->proof = v->by_structure ? "structure" : some ? "facts" : "proven";
    if (v->by_structure) {
        mt_buf_addz(&k->text,
                    "  not proven: the solver's limit was reached, this is what "
                    "the structure allows\n");
    }
    return some ? CT_REPLY_YES : CT_REPLY_NO;
}

static ct_reply_kind answer_can(moves *v, const goal *g, uint32_t persona)
{
    uint32_t first = persona == CT_NONE ? 0 : persona;
    uint32_t end = persona == CT_NONE ? v->k->m->persona_count : persona + 1;
    for (uint32_t p = first; p < end; p++) {
        way w = way_for(v, g, p);
        if (w.found) {
            return say_yes(v, g, p, &w);
        }
    }
    return say_no(v, g, persona);
}

/* ---- Reading ----------------------------------------------------------------------
 */

static bool read_entity(asker *k, goal *g)
{
    ask_token name;
    if (!ask_want_name(k, &name)) {
        return false;
    }
    g->entity = ct_model_find(k->m, CT_KIND_ENTITY, name.text);
    return g->entity != CT_NONE ||
           ask_fault(k, &name, "there is no entity '%.*s'", MT_ARG(name.text));
}

static bool read_state(asker *k, const goal *g, uint32_t *out)
{
    ask_token name;
    if (!ask_want_name(k, &name)) {
        return false;
    }
    const ct_entity *en = &k->m->entities[g->entity];
    *out = ct_state_find(en, name.text);
    return *out != CT_NONE || ask_fault(k, &name, "%.*s has no state '%.*s'",
                                        MT_ARG(en->id), MT_ARG(name.text));
}

static bool read_operation(asker *k, goal *g)
{
    ask_token name;
    if (!ask_want_name(k, &name)) {
        return false;
    }
    g->operation = ct_model_find(k->m, CT_KIND_OPERATION, name.text);
    if (g->operation == CT_NONE) {
        return ask_fault(k, &name, "there is no operation '%.*s'", MT_ARG(name.text));
    }
    const ct_operation *op = &k->m->operations[g->operation];
    g->entity = op->effect_count ? op->effects[0].entity : CT_NONE;
    return g->entity != CT_NONE ||
           ask_fault(k, &name, "operation '%.*s' moves nothing", MT_ARG(name.text));
}

static bool read_goal(asker *k, goal *g)
{
    *g = (goal){CT_NONE, CT_NONE, CT_NONE, CT_NONE};
    if (ask_take(k, "perform")) {
        return read_operation(k, g);
    }
    if (ask_take(k, "move")) {
        return read_entity(k, g) && ask_want(k, "from") && read_state(k, g, &g->from) &&
               ask_want(k, "to") && read_state(k, g, &g->to);
    }
    return ask_want(k, "reach") && read_entity(k, g) && ask_want(k, ".") &&
           read_state(k, g, &g->to);
}

bool ask_is_persona(const asker *k)
{
    const ask_token *t = ask_peek(k);
    mt_str verb = t->kind == ASK_END ? MT_STR("") : k->tokens.items[k->next + 1].text;
    return mt_str_is(verb, "reach") || mt_str_is(verb, "move") ||
           mt_str_is(verb, "perform");
}

ct_reply_kind ask_persona(asker *k, bool who)
{
    ask_token name = {0};
    uint32_t persona = CT_NONE;
    goal g;
    if (!who && !ask_take(k, "anyone")) {
        if (!ask_want_name(k, &name)) {
            return CT_REPLY_FAULT;
        }
        persona = ct_model_find(k->m, CT_KIND_PERSONA, name.text);
        if (persona == CT_NONE) {
            ask_fault(k, &name, "there is no persona '%.*s'", MT_ARG(name.text));
            return CT_REPLY_FAULT;
        }
    }
    if (!read_goal(k, &g) || !ask_at_end(k)) {
        return CT_REPLY_FAULT;
    }
    moves v = survey(k);
    return who ? answer_who(&v, &g) : answer_can(&v, &g, persona);
}
