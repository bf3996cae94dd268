/* agent/automaton.c - see automaton.h.
 *
 * One node per state that a route or the start tape names; a form such as `/all` is a
 * node of its own text, since what it accepts depends on the tape. An arrow is an edge
 * from each of its sources to each of its targets (MOVE), and a dotted one to its
 * labels where those are states elsewhere; an object route is a loop. An initial arrow
 * leads from a mark. With a trace, edges that MOVE took are seen, those it never took
 * are never seen; a loop is taken by STAY and MOVE.
 *
 * Receivers are told apart by name and route, as traces have them. Nothing can fail but
 * reading a trace. */
#include "agent/automaton.h"

#include "agent/value.h"

/* ---- what was taken ---- */

struct ag_taken {
    mt_map counts; /* "name\nroute\nACTION" to how often */
};

static mt_str identity(mt_arena *a, mt_str name, mt_str route, const char *action)
{
    return mt_strf(a, "%.*s\n%.*s\n%s", MT_ARG(name), MT_ARG(route), action);
}

static void take_receivers(mt_arena *a, const mt_json *receivers, ag_taken *t)
{
    for (uint32_t i = 0; mt_json_is(receivers, MT_JSON_ARRAY) && i < receivers->count;
         i++) {
        const mt_json *r = &receivers->as.items[i];
        mt_str action = mt_json_text(mt_json_at(r, "action"));
        mt_str key =
            identity(a, mt_json_text(mt_json_at(r, "name")),
                     mt_json_text(mt_json_at(r, "route")), mt_str_dup(a, action).ptr);
        bool added;
        mt_map_add(a, &t->counts, key, &added)->value++;
    }
}

mt_err ag_taken_read(mt_arena *a, mt_str trace, ag_taken **taken, mt_str *why)
{
    *taken = *taken ? *taken : mt_new(a, ag_taken);
    for (uint32_t number = 1; trace.len; number++) {
        size_t length = mt_str_find(trace, '\n');
        mt_str line = mt_str_from(trace.ptr, length);
        mt_json record;
        trace = mt_str_skip(trace, length + 1);
        if (line.len && (mt_json_read(a, line, NULL, &record, NULL) ||
                         !mt_json_at(&record, "record"))) {
            *why = mt_strf(a, "line %u is not a record of a trace", number);
            return MT_E_SYNTAX;
        }
        if (line.len) {
            take_receivers(a, mt_json_at(&record, "receivers"), *taken);
        }
    }
    return MT_OK;
}

/* ---- drawing ---- */

typedef struct sketch {
    mt_arena *a;
    const ag_file *file;
    const ag_taken *taken;
    mt_picture p;
    mt_map states; /* text to node */
} sketch;

static uint32_t state_of(sketch *s, mt_str text)
{
    bool added;
    mt_map_entry *entry = mt_map_add(s->a, &s->states, text, &added);
    if (added) {
        entry->value = mt_picture_add_node(
            &s->p, (mt_picture_node){.name = mt_strf(s->a, "state/%.*s", MT_ARG(text)),
                                     .label = text,
                                     .group = MT_PICTURE_NONE,
                                     .persona = MT_PICTURE_NONE,
                                     .role = MT_ROLE_STATE});
    }
    return (uint32_t)entry->value;
}

static uintptr_t times(const sketch *s, const ag_receiver *r, const char *action)
{
    mt_str route = ag_known_route(r->parsed, &r->route, r->text);
    return s->taken ? mt_map_get(&s->taken->counts,
                                 identity(s->a, r->name, route, action), 0)
                    : 0;
}

static void edge(sketch *s, uint32_t from, uint32_t to, const ag_receiver *r,
                 mt_line line, uintptr_t count)
{
    mt_str tip = s->taken ? mt_strf(s->a, "%.*s\ntaken %zu times",
                                    MT_ARG(r->route.canonical), (size_t)count)
                          : r->route.canonical;
    mt_seen seen = !s->taken ? MT_UNMARKED : count ? MT_SEEN : MT_NEVER_SEEN;
    mt_picture_add_edge(
        &s->p, (mt_picture_edge){.from = from,
                                 .to = to,
                                 .label = line == MT_DOTTED ? MT_STR("") : r->name,
                                 .tooltip = tip,
                                 .persona = MT_PICTURE_NONE,
                                 .line = line,
                                 .seen = seen});
}

/* Everything the receiver leads to from one place. */
static void edges_from(sketch *s, const ag_receiver *r, uint32_t from)
{
    uintptr_t moved = times(s, r, "MOVE"), tested = times(s, r, "TEST");
    const ag_node *targets = ag_route_part(&r->route, AG_TARGET);
    const ag_node *labels = ag_route_part(&r->route, AG_LABEL);
    bool only_labels = !r->route.count[AG_TARGET];
    for (uint32_t i = 0; i < r->route.count[AG_TARGET]; i++) {
        edge(s, from, state_of(s, targets[i].text), r, MT_SOLID, moved);
    }
    for (uint32_t i = 0; i < r->route.count[AG_LABEL]; i++) {
        if (only_labels || mt_map_find(&s->states, labels[i].text)) {
            edge(s, from, state_of(s, labels[i].text), r,
                 only_labels ? MT_SOLID : MT_DOTTED, moved + tested);
        }
    }
}

static void draw_receiver(sketch *s, uint32_t index)
{
    const ag_receiver *r = &s->file->agent.receivers[index];
    if (!r->parsed) {
        return;
    }
    for (uint32_t i = 0; i < r->route.count[AG_SOURCE]; i++) {
        uint32_t from = state_of(s, r->route.nodes[i].text);
        if (ag_route_is_arrow(&r->route)) {
            edges_from(s, r, from);
        } else {
            edge(s, from, from, r, MT_DASHED,
                 times(s, r, "STAY") + times(s, r, "MOVE"));
        }
    }
    if (ag_route_is_initial(&r->route)) {
        mt_picture_node mark = {.name = mt_strf(s->a, "initial/%u", index),
                                .label = r->name,
                                .group = MT_PICTURE_NONE,
                                .persona = MT_PICTURE_NONE,
                                .role = MT_ROLE_RECEIVER};
        edges_from(s, r, mt_picture_add_node(&s->p, mark));
    }
}

/* Text, a list of texts, or such lists by key. */
static void draw_start(sketch *s, const mt_json *start)
{
    bool object = mt_json_is(start, MT_JSON_OBJECT);
    if (mt_json_is(start, MT_JSON_STRING)) {
        mt_str text = mt_json_text(start);
        mt_picture_add_start(&s->p, state_of(s, text),
                             mt_strf(s->a, "state/%.*s//start", MT_ARG(text)),
                             MT_STR("on the start tape"));
        return;
    }
    for (uint32_t i = 0;
         (object || mt_json_is(start, MT_JSON_ARRAY)) && i < start->count; i++) {
        draw_start(s, object ? &start->as.members[i].value : &start->as.items[i]);
    }
}

/* Sources and targets first, so that every label knows whether it is a state. */
static void collect_states(sketch *s)
{
    const ag_agent *agent = &s->file->agent;
    for (uint32_t i = 0; i < agent->receiver_count; i++) {
        const ag_route *r = &agent->receivers[i].route;
        const ag_node *targets = ag_route_part(r, AG_TARGET);
        for (uint32_t k = 0; agent->receivers[i].parsed && k < r->count[AG_SOURCE];
             k++) {
            state_of(s, r->nodes[k].text);
        }
        for (uint32_t k = 0; agent->receivers[i].parsed && k < r->count[AG_TARGET];
             k++) {
            state_of(s, targets[k].text);
        }
    }
}

mt_picture ag_draw_automaton(mt_arena *a, const ag_file *file, const ag_taken *taken)
{
    mt_str title = file->agent.name.len ? file->agent.name : MT_STR("agent");
    sketch s = {.a = a, .file = file, .taken = taken, .p = mt_picture_new(a, title)};
    if (file->start) {
        draw_start(&s, file->start);
    }
    collect_states(&s);
    for (uint32_t i = 0; i < file->agent.receiver_count; i++) {
        draw_receiver(&s, i);
    }
    return s.p;
}
