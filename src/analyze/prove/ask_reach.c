/* analyze/prove/ask_reach.c - who can bring an entity where: questions and replies.
 *
 * A state is reachable when operations lead to it that the engine executes one after
 * the other, from the initial states of all entities; each has facts of its own, since
 * facts may change between two operations. ask_way.c decides; here a question is read
 * and the reply said: yes with the steps that were executed, no with what was
 * searched, or unknown with what was not decided.
 *
 * A reply about everybody lists those who can, each with a way (alone, or with
 * others), and those for whom it is not decided. A "no" always says what it covers:
 * which entities, how many instances, which facts; "any number of instances" only
 * where the outline proves it.
 *
 * Nothing fails but the reading of the question (ask_fault()). */
#include "analyze/prove/ask_internal.h"

/* ---- Steps ---- */

/* One instance has the name the engine gives it by default; several are numbered from
 * 1. */
static mt_str instance_name(const ask_search *s, uint32_t instance)
{
    return s->goal.instances == 1 ? CT_DEFAULT_INSTANCE
                                  : mt_strf(s->k->a, "%u", instance + 1);
}

static void change_json(const ask_search *s, mt_jw *w, const an_joint_step *step,
                        uint32_t i)
{
    const ct_change *c = &step->changes[i];
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "entity", ct_entity_id(s->plan, c->entity));
    mt_jw_key_str(w, "from", ct_plan_state_id(s->plan, c->entity, c->from));
    mt_jw_key_str(w, "instance", instance_name(s, step->instances[i]));
    mt_jw_key_str(w, "to", ct_plan_state_id(s->plan, c->entity, c->to));
    mt_jw_end_object(w);
}

/* What the step does with the entity that is asked about; NULL: nothing. */
static const ct_change *goal_change(const ask_search *s, const an_joint_step *step)
{
    for (uint32_t i = 0; i < step->change_count; i++) {
        if (step->changes[i].entity == s->goal.entity) {
            return &step->changes[i];
        }
    }
    return NULL;
}

/* from and to are of the entity that is asked about; all changes are in `changes`. */
static void step_json(ask_search *s, mt_jw *w, const ask_step *x)
{
    const an_joint_step *step = &x->step;
    const ct_change *c = goal_change(s, step);
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "changes");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < step->change_count; i++) {
        change_json(s, w, step, i);
    }
    mt_jw_end_array(w);
    mt_jw_keyz(w, "facts");
    mt_jw_raw(w, ask_can_hold(s, step->operation)->facts);
    if (c) {
        mt_jw_key_str(w, "from", ct_plan_state_id(s->plan, c->entity, c->from));
    }
    mt_jw_key_bool(w, "named", x->named);
    mt_jw_key_str(w, "operation", ct_operation_id(s->plan, step->operation));
    mt_jw_key_str(w, "outcome", s->plan->outcomes[step->outcome].label);
    mt_jw_key_str(w, "persona", ct_persona_id(s->plan, x->persona));
    if (c) {
        mt_jw_key_str(w, "to", ct_plan_state_id(s->plan, c->entity, c->to));
    }
    mt_jw_end_object(w);
}

static void way_json(ask_search *s, mt_jw *w, const ask_way *way)
{
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < way->count; i++) {
        step_json(s, w, &way->steps[i]);
    }
    mt_jw_end_array(w);
}

/* (held -> released), or with entities and instances where that is not enough. */
static void say_changes(ask_search *s, const an_joint_step *step)
{
    mt_buf *out = &s->k->text;
    bool plain =
        step->change_count == 1 && goal_change(s, step) && s->goal.instances == 1;
    mt_buf_addz(out, " (");
    for (uint32_t i = 0; i < step->change_count; i++) {
        const ct_change *c = &step->changes[i];
        mt_buf_addz(out, i ? ", " : "");
        if (!plain) {
            mt_buf_adds(out, ct_entity_id(s->plan, c->entity));
            if (s->goal.instances > 1) {
                mt_buf_addf(out, " %u", step->instances[i] + 1);
            }
            mt_buf_addz(out, ": ");
        }
        mt_buf_addf(out, "%.*s -> %.*s",
                    MT_ARG(ct_plan_state_id(s->plan, c->entity, c->from)),
                    MT_ARG(ct_plan_state_id(s->plan, c->entity, c->to)));
    }
    mt_buf_addz(out, step->change_count ? ")" : "changes nothing)");
}

/* clerk: decide, outcome paid (open -> paid) */
static void say_step(ask_search *s, const ask_step *x)
{
    mt_buf *out = &s->k->text;
    mt_buf_addf(out, "%.*s: %.*s", MT_ARG(ct_persona_id(s->plan, x->persona)),
                MT_ARG(ct_operation_id(s->plan, x->step.operation)));
    if (s->plan->ops[x->step.operation].outcome_count > 1) {
        mt_buf_addf(out, ", %soutcome %.*s", x->named ? "naming " : "",
                    MT_ARG(s->plan->outcomes[x->step.outcome].label));
    }
    say_changes(s, &x->step);
    mt_buf_addc(out, '\n');
}

static void say_steps(ask_search *s, const ask_way *way, const char *indent, bool facts)
{
    mt_buf *out = &s->k->text;
    for (uint32_t i = 0; i < way->count; i++) {
        const ask_step *x = &way->steps[i];
        mt_buf_addf(out, "%s%u. ", indent, i + 1);
        say_step(s, x);
        if (facts) {
            mt_buf_addf(out, "%s   for: %.*s\n", indent,
                        MT_ARG(ask_can_hold(s, x->step.operation)->facts));
        }
    }
}

/* ---- What an answer covers ---- */

/* What the answer rests on, so that a program can judge how far it reaches. */
static void covers_json(ask_search *s, bool any)
{
    asker *k = s->k;
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "entities");
    mt_jw_begin_array(&w);
    for (uint32_t e = 0; e < k->m->entity_count; e++) {
        if (ct_bit(s->entities, e)) {
            mt_jw_str(&w, k->m->entities[e].id);
        }
    }
    mt_jw_end_array(&w);
    mt_jw_key_str(&w, "facts", MT_STR("every fact set, at each step its own"));
    mt_jw_keyz(&w, "instances");
    if (any) {
        mt_jw_str(&w, MT_STR("any"));
    } else {
        mt_jw_i64(&w, s->goal.instances);
    }
    mt_jw_key_i64(&w, "joint_states", (int64_t)s->joint_states);
    mt_jw_end_object(&w);
    k->covers = mt_str_dup(k->a, mt_buf_str(&b));
    mt_buf_free(&b);
}

static void say_instances(ask_search *s)
{
    if (s->goal.instances == 1) {
        mt_buf_addz(&s->k->text, "one instance of each entity");
    } else {
        mt_buf_addf(&s->k->text, "%u instances of each entity", s->goal.instances);
    }
}

/* What was searched without finding more. */
static void say_searched(ask_search *s, const char *lead, bool any)
{
    asker *k = s->k;
    const char *between = " of ";
    mt_buf_addf(&k->text, "  %s: every fact set, at each step its own; ", lead);
    if (any) {
        mt_buf_addz(&k->text, "any number of instances\n");
        return;
    }
    mt_buf_addf(&k->text, "all %zu joint state%s", s->joint_states,
                s->joint_states == 1 ? "" : "s");
    for (uint32_t e = 0; e < k->m->entity_count; e++) {
        if (ct_bit(s->entities, e)) {
            mt_buf_addf(&k->text, "%s%.*s", between, MT_ARG(k->m->entities[e].id));
            between = ", ";
        }
    }
    mt_buf_addz(&k->text, ", ");
    say_instances(s);
    mt_buf_addc(&k->text, '\n');
}

/* ---- Replies ---- */

static const char *alone_text(const ask_way *w)
{
    return w->alone        ? ""
           : w->alone_open ? ", after others (whether alone is not decided)"
                           : ", after others";
}

/* A trace is a proof by itself: the engine has executed it. `alone` is left out while
 * it is not decided. */
static an_reply_kind say_yes(ask_search *s, uint32_t persona, const ask_way *way)
{
    asker *k = s->k;
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    mt_buf_addf(&k->text, "yes%s\n", persona == CT_NONE ? "" : alone_text(way));
    say_steps(s, way, "  ", true);
    mt_buf_addz(&k->text, "  executed step by step: ");
    say_instances(s);
    mt_buf_addc(&k->text, '\n');
    way_json(s, &w, way);
    k->path = mt_str_dup(k->a, mt_buf_str(&b));
    mt_buf_free(&b);
    if (persona != CT_NONE && !way->alone_open) {
        k->alone = way->alone ? MT_STR("true") : MT_STR("false");
    }
    covers_json(s, false);
    k->proof = "trace";
    return AN_REPLY_YES;
}

/* The last step is the one that was asked about; the steps before it follow
 * indented. */
static void say_persona(ask_search *s, mt_jw *w, uint32_t persona, const ask_way *way)
{
    const ask_step *last = &way->steps[way->count - 1];
    mt_jw_begin_object(w);
    if (!way->alone_open) {
        mt_jw_key_bool(w, "alone", way->alone);
    }
    mt_jw_keyz(w, "path");
    way_json(s, w, way);
    mt_jw_key_str(w, "persona", ct_persona_id(s->plan, persona));
    mt_jw_end_object(w);
    mt_buf_addz(&s->k->text, "  ");
    say_step(s, last);
    if (way->count > 1) {
        s->k->text.len--;
        mt_buf_addf(&s->k->text, "%s\n", alone_text(way));
        say_steps(s, way, "    ", false);
    }
}

/* Everybody who can, and those for whom it is not decided; is there anybody? */
static bool say_personas(ask_search *s, const ask_way *ways, bool *open)
{
    asker *k = s->k;
    mt_buf names = {0}, all = {0}, undecided = {0};
    mt_jw n = mt_jw_start(&names, false), w = mt_jw_start(&all, false),
          u = mt_jw_start(&undecided, false);
    bool some = false;
    *open = false;
    mt_jw_begin_array(&n);
    mt_jw_begin_array(&w);
    mt_jw_begin_array(&u);
    for (uint32_t p = 0; p < k->m->persona_count; p++) {
        if (ways[p].found) {
            mt_jw_str(&n, k->m->personas[p].id);
            say_persona(s, &w, p, &ways[p]);
            some = true;
        } else if (ways[p].open) {
            mt_jw_str(&u, k->m->personas[p].id);
            *open = true;
        }
    }
    mt_jw_end_array(&n);
    mt_jw_end_array(&w);
    mt_jw_end_array(&u);
    k->personas = mt_str_dup(k->a, mt_buf_str(&names));
    k->ways = mt_str_dup(k->a, mt_buf_str(&all));
    k->undecided = *open ? mt_str_dup(k->a, mt_buf_str(&undecided)) : k->undecided;
    mt_buf_free(&names);
    mt_buf_free(&all);
    mt_buf_free(&undecided);
    return some;
}

static void say_open(ask_search *s)
{
    asker *k = s->k;
    mt_buf_addf(&k->text, "  not decided for %.*s: %.*s\n", MT_ARG(k->undecided),
                MT_ARG(s->reason));
    k->reason = s->reason;
}

/* What the persona does with the entity instead. */
static void say_own_moves(ask_search *s, uint32_t persona)
{
    asker *k = s->k;
    const char *between = "";
    if (s->goal.entity == CT_NONE) {
        return;
    }
    mt_buf_addf(&k->text, "  %.*s moves it:", MT_ARG(k->m->personas[persona].id));
    for (uint32_t o = 0; o < s->plan->outcome_count; o++) {
        const ct_plan_outcome *out = &s->plan->outcomes[o];
        for (uint32_t i = 0; i < out->effect_count; i++) {
            const ct_plan_effect *e = &s->plan->effects[out->first_effect + i];
            if (e->entity == s->goal.entity &&
                ct_bit(s->moved, out->first_effect + i)) {
                mt_str op = ct_operation_id(s->plan, s->outline.operation[o]);
                mt_buf_addf(&k->text, "%s %.*s -> %.*s (%.*s)", between,
                            MT_ARG(ct_plan_state_id(s->plan, e->entity, e->from)),
                            MT_ARG(ct_plan_state_id(s->plan, e->entity, e->to)),
                            MT_ARG(op));
                between = ",";
            }
        }
    }
    mt_buf_addz(&k->text, s->moved_open ? " (not decided whether more)\n"
                          : *between    ? "\n"
                                        : " nowhere\n");
}

/* Nobody leads an entity to where it is from the first. */
static void say_begins(ask_search *s)
{
    const ask_goal *g = &s->goal;
    if (g->operation == CT_NONE && g->from == CT_NONE &&
        g->to == s->k->m->entities[g->entity].initial) {
        mt_buf_addz(&s->k->text, "  it begins there\n");
    }
}

/* What the persona does with the entity instead helps more than the bare no. */
static an_reply_kind say_no(ask_search *s, uint32_t persona)
{
    asker *k = s->k;
    const ask_way *ways = ask_ways(s, persona);
    bool open, any = ask_never(s, persona);
    mt_buf_addz(&k->text, "no\n");
    if (persona != CT_NONE) {
        say_own_moves(s, persona);
    }
    say_begins(s);
    size_t at = k->text.len;
    mt_buf_addz(&k->text, "  these can:\n");
    if (!say_personas(s, ways, &open)) {
        k->text.len = at;
        mt_buf_addz(&k->text, open ? "" : "  nobody can\n");
    }
    if (open) {
        say_open(s);
    }
    say_searched(s, "holds for", any);
    covers_json(s, any);
    k->proof = "proven";
    return AN_REPLY_NO;
}

/* Does nobody but those found get there, with however many instances? */
static bool never_others(ask_search *s, const ask_way *ways)
{
    for (uint32_t p = 0; p < s->k->m->persona_count; p++) {
        if (!ways[p].found && !ask_never(s, p)) {
            return false;
        }
    }
    return true;
}

/* "nobody else" would be odd where everybody can. */
static bool others_left(const ask_search *s, const ask_way *ways)
{
    uint32_t found = 0;
    for (uint32_t p = 0; p < s->k->m->persona_count; p++) {
        found += ways[p].found;
    }
    return found < s->k->m->persona_count || !found;
}

/* Unknown only when nobody was found and somebody is open; otherwise a yes with what is
 * open beside it. */
static an_reply_kind answer_who(ask_search *s)
{
    asker *k = s->k;
    const ask_way *ways = ask_ways(s, CT_NONE);
    bool open, some = say_personas(s, ways, &open);
    bool any = !open && never_others(s, ways);
    covers_json(s, any);
    if (open && !some) {
        k->text.len = 0;
        return ask_unknown(k, s->reason);
    }
    if (!some) {
        say_begins(s);
    }
    if (open) {
        say_open(s);
    } else if (others_left(s, ways)) {
        say_searched(s, some ? "nobody else" : "nobody", any);
    }
    k->proof = some ? "trace" : "proven";
    return some ? AN_REPLY_YES : AN_REPLY_NO;
}

/* A way that was found decides; after that the search has to be complete before "no"
 * may be said. */
static an_reply_kind answer_can(ask_search *s, uint32_t persona)
{
    ask_way w = ask_way_of(s, persona);
    if (w.found) {
        return say_yes(s, persona, &w);
    }
    if (w.open) {
        covers_json(s, false);
        return ask_unknown(s->k, s->reason);
    }
    return say_no(s, persona);
}

/* ---- Reading ---- */

static bool read_entity(asker *k, ask_goal *g)
{
    ask_token name;
    if (!ask_want_name(k, &name)) {
        return false;
    }
    g->entity = ct_model_find(k->m, CT_KIND_ENTITY, name.text);
    return g->entity != CT_NONE ||
           ask_fault(k, &name, "there is no entity '%.*s'", MT_ARG(name.text));
}

static bool read_state(asker *k, const ask_goal *g, uint32_t *out)
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

static bool read_operation(asker *k, ask_goal *g)
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
    return true;
}

/* with N instances */
static bool read_instances(asker *k, ask_goal *g)
{
    if (!ask_take(k, "with")) {
        return true;
    }
    const ask_token *t = ask_peek(k);
    bool digit = t->kind == ASK_NUMBER && t->text.len == 1 && t->text.ptr[0] > '0';
    if (!digit) {
        return ask_fault(k, t,
                         "expected a number of instances from 1 to %d, got '%.*s'",
                         AN_MOST_INSTANCES, MT_ARG(t->text));
    }
    g->instances = (uint32_t)(t->text.ptr[0] - '0');
    k->next++;
    return ask_take(k, "instance") || ask_want(k, "instances");
}

static bool read_goal(asker *k, ask_goal *g)
{
    *g = (ask_goal){CT_NONE, CT_NONE, CT_NONE, CT_NONE, 1};
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

/* A persona of that name is meant, where there is one. */
static bool takes_anyone(asker *k)
{
    return ct_model_find(k->m, CT_KIND_PERSONA, MT_STR("anyone")) == CT_NONE &&
           ask_take(k, "anyone");
}

bool ask_is_persona(const asker *k)
{
    const ask_token *t = ask_peek(k);
    mt_str verb = t->kind == ASK_END ? MT_STR("") : k->tokens.items[k->next + 1].text;
    return mt_str_is(verb, "reach") || mt_str_is(verb, "move") ||
           mt_str_is(verb, "perform");
}

an_reply_kind ask_persona(asker *k, bool who)
{
    ask_token name = {0};
    uint32_t persona = CT_NONE;
    ask_goal g;
    ask_search s;
    if (!who && !takes_anyone(k)) {
        if (!ask_want_name(k, &name)) {
            return AN_REPLY_FAULT;
        }
        persona = ct_model_find(k->m, CT_KIND_PERSONA, name.text);
        if (persona == CT_NONE) {
            ask_fault(k, &name, "there is no persona '%.*s'", MT_ARG(name.text));
            return AN_REPLY_FAULT;
        }
    }
    if (!read_goal(k, &g) || !read_instances(k, &g) || !ask_at_end(k)) {
        return AN_REPLY_FAULT;
    }
    if (!ask_search_open(k, &g, &s)) {
        return ask_unknown(k, k->reason);
    }
    an_reply_kind reply = who ? answer_who(&s) : answer_can(&s, persona);
    ask_search_close(&s);
    return reply;
}
