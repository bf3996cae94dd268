#include "host/graph_trace.h"

/* Values as the graph prints them, in the order of the ports. */
static void write_node(mt_buf *out, const gr_episode *e, const gr_node *node)
{
    const gr_manifest *m = &node->primitive->manifest;
    mt_buf_addz(out, "{\"id\":");
    mt_json_quote(out, node->id);
    mt_buf_addz(out, ",\"path\":");
    mt_json_quote(out, node->path);
    mt_buf_addz(out, ",\"outputs\":{");
    for (uint32_t i = 0; i < m->output_count; i++) {
        if (i) {
            mt_buf_addc(out, ',');
        }
        mt_json_quote(out, m->outputs[i].name);
        mt_buf_addc(out, ':');
        gr_value_plain_json(out, &e->slots[node->slot + i]);
    }
    mt_buf_addz(out, "}}");
}

static void write_outcomes(mt_buf *out, const ho_graph_step *step, bool named)
{
    const gr_episode *e = step->episode;
    mt_buf_addc(out, '[');
    for (uint32_t i = 0; e && !e->fault.code && i < e->graph->action_count; i++) {
        if (i) {
            mt_buf_addc(out, ',');
        }
        const gr_node *n = &e->graph->nodes[e->graph->actions[i]];
        mt_buf_addz(out, "{\"node\":");
        mt_json_quote(out, n->id);
        mt_buf_addf(out, ",\"outcome\":\"%s\"", gr_event_name(gr_outcome(e, i)));
        if (named) {
            mt_buf_addz(out, ",\"path\":");
            mt_json_quote(out, n->path);
        }
        mt_buf_addc(out, '}');
    }
    mt_buf_addc(out, ']');
}

void ho_graph_trace_outcomes(mt_buf *out, const ho_graph_step *step)
{
    write_outcomes(out, step, true);
}

void ho_graph_trace_line(mt_buf *out, const ho_graph_step *step)
{
    const gr_episode *e = step->episode;
    mt_buf_addz(out, "{\"event_id\":");
    mt_json_quote(out, step->event.id);
    mt_buf_addz(out, ",\"nodes\":[");
    for (uint32_t i = 0; e && i < e->ran; i++) {
        if (i) {
            mt_buf_addc(out, ',');
        }
        write_node(out, e, &e->graph->nodes[i]);
    }
    mt_buf_addz(out, "],\"outcomes\":");
    write_outcomes(out, step, false); /* the nodes have been named */
    mt_buf_addz(out, "}\n");
}

void ho_graph_trace_termination(mt_jw *w, const gr_decision *d, bool captured)
{
    mt_jw_keyz(w, "termination");
    if (!d->ran) {
        mt_jw_null(w);
    } else if (d->termination.end != GR_END_FAILED) {
        mt_jw_str(w, mt_str_z(gr_end_name(d->termination.end)));
    } else if (!captured) {
        mt_jw_str(w, mt_str_z(gr_failure_name(d->termination.fault)));
    } else {
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "Failed", mt_str_z(gr_failure_name(d->termination.fault)));
        mt_jw_end_object(w);
    }
}

void ho_graph_trace_decision(mt_buf *out, const ho_graph_step *s)
{
    const gr_decision *d = &s->decision.decision;
    mt_buf outcomes = {0};
    mt_jw w = mt_jw_start(out, false);
    ho_graph_trace_outcomes(&outcomes, s);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "decision", mt_str_z(gr_verdict_name(d->verdict)));
    mt_jw_keyz(&w, "effects");
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < s->decision.effect_count; i++) {
        mt_jw_raw(&w, s->decision.effects[i].effect);
    }
    mt_jw_end_array(&w);
    mt_jw_key_str(&w, "event_id", s->event.id);
    if (s->fault.len) {
        mt_jw_key_str(&w, "fault", s->fault);
    }
    mt_jw_keyz(&w, "outcomes");
    mt_jw_raw(&w, mt_buf_str(&outcomes));
    ho_graph_trace_termination(&w, d, true);
    mt_jw_end_object(&w);
    mt_buf_free(&outcomes);
}
