/* agent/draw.c - what is drawn of an agent's routes.
 *
 * A receiver stands between the states of its route: sources lead into it, it leads to
 * targets and to those labels that are states somewhere else. A sender hangs on every
 * receiver it hears (ag_route_accepts), as the cycle decides it.
 *
 * Order: start states, receivers, labels (when all states are known), senders; each in
 * order of registration. A state is one node, however many routes name it. Timed
 * senders have a start mark of their own. Nothing can fail: a route that did not parse
 * is drawn without states, faded. */
#include "agent/draw.h"

typedef struct sketch {
    mt_arena *a;
    const ag_file *file;
    mt_picture p;
    mt_map states; /* text to node */
    uint32_t group;
    uint32_t *receivers, *senders; /* nodes */
} sketch;

/* One node per text, made where it is first mentioned. */
static uint32_t state_of(sketch *s, mt_str text)
{
    bool added;
    mt_map_entry *entry = mt_map_add(s->a, &s->states, text, &added);
    if (added) {
        mt_picture_node node = {.name = mt_strf(s->a, "state/%.*s", MT_ARG(text)),
                                .label = text,
                                .group = s->group,
                                .persona = MT_PICTURE_NONE,
                                .role = MT_ROLE_STATE};
        entry->value = mt_picture_add_node(&s->p, node);
    }
    return (uint32_t)entry->value;
}

static void connect(sketch *s, uint32_t from, uint32_t to, mt_line line,
                    const char *label)
{
    mt_picture_edge edge = {.from = from,
                            .to = to,
                            .label = mt_str_z(label),
                            .persona = MT_PICTURE_NONE,
                            .line = line};
    mt_picture_add_edge(&s->p, edge);
}

/* ---- receivers ---- */

static mt_str receiver_label(sketch *s, const ag_receiver *r)
{
    mt_buf text = {0};
    const ag_node *labels = r->parsed ? ag_route_part(&r->route, AG_LABEL) : NULL;
    mt_buf_adds(&text, r->name);
    for (uint32_t i = 0; r->parsed && i < r->route.count[AG_LABEL]; i++) {
        mt_buf_addf(&text, "%s%.*s", i ? ", " : "\n", MT_ARG(labels[i].text));
    }
    if (!r->parsed) {
        mt_buf_addf(&text, "\n(%s)", ag_why_unparsed(&s->file->agent));
    }
    return mt_picture_keep(s->a, &text);
}

static mt_str route_tip(sketch *s, const char *what, mt_str name, mt_str text,
                        const ag_route *route, bool parsed)
{
    return mt_strf(s->a, "%s %.*s\n%.*s", what, MT_ARG(name),
                   MT_ARG(parsed ? route->canonical : text));
}

/* Sources lead in, targets out; a route that did not parse is faded and has neither. */
static void draw_receiver(sketch *s, uint32_t index)
{
    const ag_receiver *r = &s->file->agent.receivers[index];
    mt_picture_node node = {
        .name = mt_strf(s->a, "receiver/%u/%.*s", index, MT_ARG(r->name)),
        .label = receiver_label(s, r),
        .tooltip = route_tip(s, "receiver", r->name, r->text, &r->route, r->parsed),
        .group = s->group,
        .persona = MT_PICTURE_NONE,
        .role = MT_ROLE_RECEIVER,
        .faded = !r->parsed && !s->file->agent.flow_off};
    s->receivers[index] = mt_picture_add_node(&s->p, node);
    for (uint32_t i = 0; r->parsed && i < r->route.count[AG_SOURCE]; i++) {
        connect(s, state_of(s, ag_route_part(&r->route, AG_SOURCE)[i].text),
                s->receivers[index], MT_SOLID, "");
    }
    for (uint32_t i = 0; r->parsed && i < r->route.count[AG_TARGET]; i++) {
        connect(s, s->receivers[index],
                state_of(s, ag_route_part(&r->route, AG_TARGET)[i].text), MT_SOLID, "");
    }
}

/* A label is activated like a target; it is drawn as a state where it is one. */
static void draw_labels(sketch *s, uint32_t index)
{
    const ag_receiver *r = &s->file->agent.receivers[index];
    for (uint32_t i = 0; r->parsed && i < r->route.count[AG_LABEL]; i++) {
        mt_map_entry *state =
            mt_map_find(&s->states, ag_route_part(&r->route, AG_LABEL)[i].text);
        if (state) {
            connect(s, s->receivers[index], (uint32_t)state->value, MT_DOTTED, "");
        }
    }
}

/* ---- senders ---- */

/* Its name and what it waits for. */
static mt_str sender_label(sketch *s, const ag_sender *sender)
{
    mt_buf text = {0};
    mt_buf_adds(&text, sender->name);
    if (sender->has_actions) {
        mt_buf_addz(&text, "\non");
        for (ag_action action = AG_TEST; action <= AG_MOVE; action++) {
            if ((sender->actions >> action) & 1) {
                mt_buf_addf(&text, " %s", ag_action_name(action));
            }
        }
    }
    for (uint32_t i = 0; i < sender->trigger_count; i++) {
        mt_buf_addf(&text, "%s%.*s", i ? ", " : "\ntrigger ",
                    MT_ARG(sender->triggers[i]));
    }
    if (sender->every_ms) {
        mt_buf_addf(&text, "\n%s %llu ms", sender->once ? "once after" : "every",
                    (unsigned long long)sender->every_ms);
    }
    if (!sender->parsed) {
        mt_buf_addf(&text, "\n(%s)", ag_why_unparsed(&s->file->agent));
    }
    return mt_picture_keep(s->a, &text);
}

/* Edges come from every receiver it would hear. */
static void draw_sender(sketch *s, uint32_t index)
{
    const ag_agent *agent = &s->file->agent;
    const ag_sender *sender = &agent->senders[index];
    mt_picture_node node = {
        .name = mt_strf(s->a, "sender/%u/%.*s", index, MT_ARG(sender->name)),
        .label = sender_label(s, sender),
        .tooltip = route_tip(s, "sender", sender->name, sender->text, &sender->route,
                             sender->parsed),
        .group = s->group,
        .persona = MT_PICTURE_NONE,
        .role = MT_ROLE_SENDER,
        .faded = !sender->parsed && !s->file->agent.flow_off};
    s->senders[index] = mt_picture_add_node(&s->p, node);
    if (sender->every_ms) {
        mt_picture_add_start(
            &s->p, s->senders[index], mt_strf(s->a, "sender/%u//start", index),
            mt_strf(s->a, "%s %llu ms", sender->once ? "once after" : "every",
                    (unsigned long long)sender->every_ms));
        return;
    }
    for (uint32_t i = 0; i < agent->receiver_count && sender->parsed; i++) {
        const ag_receiver *r = &agent->receivers[i];
        if (r->parsed && ag_route_accepts(agent->mode, &sender->route, &r->route)) {
            connect(s, s->receivers[i], s->senders[index], MT_DASHED, "");
        }
    }
}

/* ---- start ---- */

/* Text, a list of texts, or such lists by key. */
static void draw_start(sketch *s, const mt_json *start)
{
    if (mt_json_is(start, MT_JSON_STRING)) {
        mt_str text = mt_json_text(start);
        mt_picture_add_start(&s->p, state_of(s, text),
                             mt_strf(s->a, "state/%.*s//start", MT_ARG(text)),
                             MT_STR("on the start tape"));
    }
    for (uint32_t i = 0; mt_json_is(start, MT_JSON_ARRAY) && i < start->count; i++) {
        draw_start(s, &start->as.items[i]);
    }
    for (uint32_t i = 0; mt_json_is(start, MT_JSON_OBJECT) && i < start->count; i++) {
        draw_start(s, &start->as.members[i].value);
    }
}

/* ORDER: nodes before edges, in the order of registration; the picture is the same for
 * the same file. */
mt_picture ag_draw(mt_arena *a, const ag_file *file)
{
    const ag_agent *agent = &file->agent;
    mt_str title = agent->name.len ? agent->name : MT_STR("agent");
    sketch s = {.a = a,
                .file = file,
                .p = mt_picture_new(a, title),
                .receivers = mt_new_array(a, uint32_t, agent->receiver_count + 1),
                .senders = mt_new_array(a, uint32_t, agent->sender_count + 1)};
    mt_picture_group box = {.name = MT_STR("agent"),
                            .label = mt_strf(a, "agent %.*s", MT_ARG(title)),
                            .parent = MT_PICTURE_NONE,
                            .persona = MT_PICTURE_NONE};
    s.group = mt_picture_add_group(&s.p, box);
    if (file->start) {
        draw_start(&s, file->start);
    }
    for (uint32_t i = 0; i < agent->receiver_count; i++) {
        draw_receiver(&s, i);
    }
    for (uint32_t i = 0; i < agent->receiver_count; i++) {
        draw_labels(&s, i);
    }
    for (uint32_t i = 0; i < agent->sender_count; i++) {
        draw_sender(&s, i);
    }
    return s.p;
}
