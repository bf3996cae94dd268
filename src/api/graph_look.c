/* api/graph_look.c - single passes of a graph over payloads as captures have them.
 *
 * What a graph says at an event follows from the event's payload alone: a capture has
 * there what the context, the windows and derived keys had added. So any event can be
 * looked at without those before it, which is what somebody needs who goes through a
 * long capture in any order. No supervisor, no context, no effect: an event that was
 * deferred runs at a later pump, with its own payload. */
#include "api/graph.h"
#include "host/graph_merge.h"
#include "host/graph_trace.h"

typedef struct seen_event {
    mt_str id;
    const mt_json *payload; /* NULL: none */
} seen_event;
static const mt_form_row EVENT[] = {
    MT_FORM_TEXT(seen_event, id, "event_id", MT_FORM_REQUIRED),
    MT_FORM_OBJECT(seen_event, payload, "payload", MT_FORM_NULLABLE)};

/* Reads one line and runs the graph over its payload. False: the reply says why not. */
static bool pass(gr_episode *e, mt_arena *a, mt_str line, mt_str *id, aw_reply *r)
{
    seen_event event = {0};
    const mt_json none = {.type = MT_JSON_OBJECT};
    if (api_form_read("the members of an event", a, line, EVENT, mt_form_count(EVENT),
                      &event, r)) {
        return false;
    }
    mt_json sorted =
        ho_graph_merge(a, NULL, NULL, NULL, event.payload ? event.payload : &none);
    (void)gr_run(e, ho_graph_snapshot(a, e->graph, &sorted), event.id);
    *id = event.id;
    return true;
}

/* "NODE.PORT"; SIZE_MAX: there is no such output. */
static size_t slot_of(const gr_graph *g, mt_str name, uint32_t *node)
{
    size_t dot = name.len;
    while (dot && name.ptr[dot - 1] != '.') {
        dot--;
    }
    int n = dot ? gr_graph_node(g, mt_str_from(name.ptr, dot - 1)) : -1;
    int port = n < 0 ? -1
                     : gr_output_index(&g->nodes[n].primitive->manifest,
                                       mt_str_skip(name, dot));
    *node = n < 0 ? 0 : (uint32_t)n;
    return port < 0 ? SIZE_MAX : g->nodes[n].slot + (size_t)port;
}

int api_graph_look(const motet_graph *graph, mt_str lines, mt_str output, aw_reply *r)
{
    uint32_t node = 0;
    size_t slot = output.ptr ? slot_of(graph->graph, output, &node) : 0;
    int code = AW_HOLDS;
    if (slot == SIZE_MAX) {
        return aw_fail(r, AW_USAGE, "no node has the output '%.*s'", MT_ARG(output));
    }
    gr_episode *e = gr_episode_new(graph->graph);
    while (lines.len && !code) {
        mt_arena a = {0};
        ho_graph_step step = {.episode = e};
        size_t end = mt_str_find(lines, '\n');
        if (!pass(e, &a, mt_str_from(lines.ptr, end), &step.event.id, r)) {
            code = AW_USAGE;
        } else if (!output.ptr) {
            ho_graph_trace_line(&r->text, &step);
        } else {
            if (node < e->ran) {
                gr_value_plain_json(&r->text, &e->slots[slot]);
            } else {
                mt_buf_addz(&r->text, "null");
            }
            mt_buf_addc(&r->text, '\n');
        }
        lines = mt_str_skip(lines, end + 1);
        mt_arena_free(&a);
    }
    gr_episode_free(e);
    return code;
}

const gr_said *api_graph_said(const motet_graph *graph, mt_str line, aw_reply *r)
{
    gr_episode *e = gr_episode_new(graph->graph);
    mt_str id;
    const gr_said *said =
        pass(e, &r->arena, line, &id, r) ? gr_said_in(&r->arena, e) : NULL;
    gr_episode_free(e);
    return said;
}
