/* analyze/explain/draw_entity.c - state machines, and the outline of a System.
 *
 * An entity that several members share is drawn once: its states and transitions are
 * those of all members together, in the order of the first that has them. A transition
 * has the names of all operations that make it, and the colour of their persona if it
 * is one and the same; a declared transition that no operation makes is drawn as such.
 *
 * States that no transition leads to from the initial state are faded and say so. A
 * state without a way out is final.
 *
 * The outline shows of each member only names: its entities and flows, and which flow
 * changes which entity; draw.c asks for it where the parts themselves are not drawn.
 * Triggers are edges from an end of one flow to the start of another, so they are
 * drawn last, when both ends exist. */
#include "analyze/explain/draw_internal.h"
#include "base/vec.h"

/* One transition, with everybody who makes it. */
typedef struct way {
    mt_str from, to;
    mt_buf makers, tip;
    uint32_t colour; /* of all makers; MT_PICTURE_NONE: of no one persona */
    bool made;
} way;

/* A state machine while it is gathered, from one contract or from
 * all that share the entity. `states` keeps the order in which
 * states were met; its values become nodes in draw_states(). */
typedef struct machine {
    an_scene *x;
    mt_str name; /* of the entity, in names */
    uint32_t group;
    mt_map states;     /* to nodes */
    mt_map ways_named; /* to ways */
    MT_VEC(way) ways;
    mt_str initial;
} machine;

/* The length first: two names written one behind the other could be cut in two ways. */
static way *way_between(machine *z, mt_str from, mt_str to)
{
    bool added;
    mt_buf key = {0};
    mt_buf_addf(&key, "%zu ", from.len); /* names may contain anything */
    mt_buf_adds(&key, from);
    mt_buf_adds(&key, to);
    mt_map_entry *entry =
        mt_map_add(z->x->a, &z->ways_named, mt_picture_keep(z->x->a, &key), &added);
    if (added) {
        entry->value = z->ways.len;
        way fresh = {.from = from, .to = to, .colour = MT_PICTURE_NONE};
        mt_vec_push(z->x->a, &z->ways, fresh);
    }
    return &z->ways.items[entry->value];
}

/* Several makers of different personas have no colour in common. */
static void note_maker(machine *z, const an_actor *who, way *w, uint32_t op)
{
    uint32_t colour = an_draw_operation_colour(who, op);
    mt_buf_addf(&w->makers, "%s%.*s", w->makers.len ? ", " : "",
                MT_ARG(who->an->model->operations[op].id));
    mt_buf_addz(&w->tip, w->tip.len ? "\n" : "");
    if (who->id.len) {
        mt_buf_addf(&w->tip, "%.*s: ", MT_ARG(who->id));
    }
    mt_buf_adds(&w->tip, an_draw_operation_tip(z->x, who, op));
    w->colour = !w->made || w->colour == colour ? colour : MT_PICTURE_NONE;
    w->made = true;
}

/* The states and transitions of one contract, and what its operations do. */
static void gather(machine *z, const an_actor *who, uint32_t entity)
{
    const an_analysis *an = who->an;
    const ct_entity *e = &an->model->entities[entity];
    uint32_t base = an->first_state[entity];
    for (uint32_t i = 0; i < e->state_count; i++) {
        bool added;
        mt_map_add(z->x->a, &z->states, e->states[i], &added);
    }
    for (uint32_t i = 0; i < e->transition_count; i++) {
        way_between(z, e->states[e->transitions[i].from],
                    e->states[e->transitions[i].to]);
    }
    for (uint32_t i = an->moves.first[base]; i < an->moves.first[base + e->state_count];
         i++) {
        const an_edge *move = &an->moves.items[i];
        way *w =
            way_between(z, e->states[move->from - base], e->states[move->to - base]);
        note_maker(z, who, w, move->tag);
    }
    z->initial = z->initial.ptr ? z->initial : e->states[e->initial];
}

/* The place of the state in `states`; it must have been gathered. */
static uint32_t state_number(const machine *z, mt_str state)
{
    return (uint32_t)(mt_map_find(&z->states, state) - z->states.entries);
}

/* 0 where no transitions lead to from the initial state; else not 0. */
static const uint32_t *reached(machine *z)
{
    mt_arena *a = z->x->a;
    uint32_t count = (uint32_t)z->ways.len, states = z->states.len;
    an_edge *edges = mt_new_array(a, an_edge, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const way *w = &z->ways.items[i];
        edges[i] = (an_edge){state_number(z, w->from), state_number(z, w->to), i};
    }
    an_edges grouped = an_edges_group(a, edges, count, states);
    uint32_t *visited = mt_new_array(a, uint32_t, states + 1);
    uint32_t *queue = mt_new_array(a, uint32_t, states + 1);
    an_edges_visit(&grouped, 0, state_number(z, z->initial), NULL, NULL, visited,
                   queue);
    return visited;
}

/* A state that cannot be reached is drawn faded, one that nothing leaves as an end. */
static void draw_states(machine *z)
{
    const uint32_t *seen = reached(z);
    bool *leads_on = mt_new_array(z->x->a, bool, z->states.len + 1);
    for (size_t i = 0; i < z->ways.len; i++) {
        leads_on[state_number(z, z->ways.items[i].from)] = true;
    }
    for (uint32_t i = 0; i < z->states.len; i++) {
        mt_str state = z->states.entries[i].key;
        bool dead = !seen[i];
        mt_picture_node node = {
            .name = mt_strf(z->x->a, "%.*s/%.*s", MT_ARG(z->name), MT_ARG(state)),
            .label =
                dead ? mt_strf(z->x->a, "%.*s\n(unreachable)", MT_ARG(state)) : state,
            .group = z->group,
            .persona = MT_PICTURE_NONE,
            .role = leads_on[i] ? MT_ROLE_STATE : MT_ROLE_FINAL,
            .faded = dead};
        z->states.entries[i].value = mt_picture_add_node(z->x->p, node);
    }
    mt_picture_add_start(z->x->p, (uint32_t)mt_map_get(&z->states, z->initial, 0),
                         mt_strf(z->x->a, "%.*s//start", MT_ARG(z->name)),
                         MT_STR("initial state"));
}

/* A dotted line for a transition that is declared and that no operation makes. */
static void draw_ways(machine *z)
{
    for (size_t i = 0; i < z->ways.len; i++) {
        way *w = &z->ways.items[i];
        mt_picture_edge edge = {
            .from = (uint32_t)mt_map_get(&z->states, w->from, 0),
            .to = (uint32_t)mt_map_get(&z->states, w->to, 0),
            .label = mt_picture_keep(z->x->a, &w->makers),
            .tooltip = w->made ? mt_picture_keep(z->x->a, &w->tip)
                               : MT_STR("no operation makes this transition"),
            .persona = w->colour,
            .line = w->made ? MT_SOLID : MT_DOTTED};
        mt_picture_add_edge(z->x->p, edge);
    }
}

static void draw_machine(machine *z)
{
    draw_states(z);
    draw_ways(z);
}

void an_draw_entity(an_scene *x, const an_actor *who, uint32_t entity)
{
    mt_str id = who->an->model->entities[entity].id;
    machine z = {.x = x, .name = an_draw_name(x, who, "entity/%.*s", MT_ARG(id))};
    z.group = an_draw_box(x, who, z.name, id);
    gather(&z, who, entity);
    draw_machine(&z);
}

/* "Order (shared by sales, store)" */
static mt_str shared_title(an_scene *x, const an_sys_shared *s)
{
    mt_buf title = {0};
    mt_buf_addf(&title, "%.*s (shared by ", MT_ARG(s->name));
    for (uint32_t i = 0; i < s->count; i++) {
        mt_buf_addf(&title, "%s%.*s", i ? ", " : "",
                    MT_ARG(x->actors[s->members[i]].id));
    }
    mt_buf_addc(&title, ')');
    return mt_picture_keep(x->a, &title);
}

/* A shared entity of which no member's contract is there has a box without states. */
void an_draw_shared_entity(an_scene *x, uint32_t shared)
{
    const an_sys_shared *s = &x->system->entities[shared];
    machine z = {.x = x, .name = mt_strf(x->a, "entity/%.*s", MT_ARG(s->name))};
    for (uint32_t i = 0; i < s->count; i++) {
        const an_actor *who = &x->actors[s->members[i]];
        uint32_t entity =
            who->an ? ct_model_find(who->an->model, CT_KIND_ENTITY, s->name) : CT_NONE;
        if (entity != CT_NONE) {
            gather(&z, who, entity);
        }
    }
    z.group = an_draw_box(x, NULL, z.name, shared_title(x, s));
    if (z.initial.ptr) {
        draw_machine(&z);
    }
}

/* ---- the outline of a System ---- */

static uint32_t outline_entity(an_scene *x, uint32_t group, mt_str name, mt_str label)
{
    mt_picture_node node = {.name = name,
                            .label = label,
                            .group = group,
                            .persona = MT_PICTURE_NONE,
                            .role = MT_ROLE_ENTITY};
    return mt_picture_add_node(x->p, node);
}

/* `nodes` of the entities may be NULL: they are drawn otherwise. */
static void outline_flow(an_scene *x, an_actor *who, uint32_t flow,
                         const uint32_t *nodes)
{
    const ct_plan *plan = who->an->plan;
    mt_str id = who->an->model->flows[flow].id;
    mt_picture_node node = {.name = an_draw_name(x, who, "flow/%.*s", MT_ARG(id)),
                            .label = mt_strf(x->a, "flow %.*s", MT_ARG(id)),
                            .group = who->box,
                            .persona = MT_PICTURE_NONE,
                            .role = MT_ROLE_FLOW};
    who->begin[flow] = mt_picture_add_node(x->p, node);
    for (uint32_t e = 0; nodes && e < who->an->model->entity_count; e++) {
        if (ct_bit(plan->graphs[flow].entities, e)) {
            mt_picture_edge moves = {.from = who->begin[flow],
                                     .to = nodes[e],
                                     .label = MT_STR("moves"),
                                     .persona = MT_PICTURE_NONE,
                                     .line = MT_DOTTED};
            mt_picture_add_edge(x->p, moves);
        }
    }
}

/* By entity of the member's model its node; `shared`
 * has those of the System, by its own numbers. */
static const uint32_t *outline_entities(an_scene *x, const an_actor *who,
                                        const uint32_t *shared)
{
    const ct_model *m = who->an->model;
    const uint32_t *entities =
        an_in_order(x->a, ct_entity, m->entities, m->entity_count);
    uint32_t *nodes = mt_new_array(x->a, uint32_t, m->entity_count + 1);
    for (uint32_t i = 0; i < m->entity_count; i++) {
        uint32_t e = entities[i], common = an_draw_shared(x, who, e);
        mt_str id = m->entities[e].id;
        nodes[e] =
            common != CT_NONE
                ? shared[common]
                : outline_entity(x, who->box,
                                 an_draw_name(x, who, "entity/%.*s", MT_ARG(id)), id);
    }
    return nodes;
}

/* A trigger starts from the flow itself here, as its ends are not drawn. */
static void outline_flows(an_scene *x, an_actor *who, const uint32_t *nodes)
{
    const ct_model *m = who->an->model;
    const uint32_t *flows = an_in_order(x->a, ct_flow, m->flows, m->flow_count);
    for (uint32_t i = 0; i < m->flow_count; i++) {
        outline_flow(x, who, flows[i], nodes);
    }
    for (uint32_t i = 0; i < x->system->trigger_count; i++) {
        const an_sys_trigger *t = &x->system->triggers[i];
        uint32_t flow = &x->actors[t->source] == who
                            ? ct_model_find(m, CT_KIND_FLOW, t->source_flow)
                            : CT_NONE;
        x->fires[i] = flow != CT_NONE ? who->begin[flow] : x->fires[i];
    }
}

void an_draw_outline(an_scene *x, bool entities, bool flows)
{
    uint32_t *shared = mt_new_array(x->a, uint32_t, x->system->entity_count + 1);
    for (uint32_t i = 0; entities && i < x->system->entity_count; i++) {
        const an_sys_shared *s = &x->system->entities[i];
        shared[i] = outline_entity(x, MT_PICTURE_NONE,
                                   mt_strf(x->a, "entity/%.*s", MT_ARG(s->name)),
                                   shared_title(x, s));
    }
    for (uint32_t i = 0; i < x->actor_count; i++) {
        an_actor *who = &x->actors[i];
        const uint32_t *nodes =
            who->an && entities ? outline_entities(x, who, shared) : NULL;
        if (who->an && flows) {
            outline_flows(x, who, nodes);
        }
    }
}

/* A trigger one end of which is not drawn is left out: it has nowhere to lead. */
void an_draw_triggers(an_scene *x)
{
    for (uint32_t i = 0; i < x->system->trigger_count; i++) {
        const an_sys_trigger *t = &x->system->triggers[i];
        const an_actor *target = &x->actors[t->target];
        uint32_t flow =
            target->an ? ct_model_find(target->an->model, CT_KIND_FLOW, t->target_flow)
                       : CT_NONE;
        if (x->fires[i] == MT_PICTURE_NONE || flow == CT_NONE ||
            target->begin[flow] == MT_PICTURE_NONE) {
            continue;
        }
        mt_picture_edge edge = {
            .from = x->fires[i],
            .to = target->begin[flow],
            .label = mt_strf(x->a, "trigger on %.*s, as %.*s", MT_ARG(t->on),
                             MT_ARG(t->persona)),
            .tooltip = mt_strf(x->a, "%.*s.%.*s on %.*s starts %.*s.%.*s as %.*s",
                               MT_ARG(x->actors[t->source].id), MT_ARG(t->source_flow),
                               MT_ARG(t->on), MT_ARG(target->id),
                               MT_ARG(t->target_flow), MT_ARG(t->persona)),
            .persona = mt_picture_persona(x->p, t->persona),
            .line = MT_BOLD};
        mt_picture_add_edge(x->p, edge);
    }
}
