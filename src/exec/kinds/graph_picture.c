/* exec/kinds/graph_picture.c - a graph as it runs: its picture, and how often each node
 * spoke.
 * Room: exec. Counts are of this process since it began; what a graph has decided is in
 * its captures. */
#include "exec/call/request.h"
#include "exec/kinds/graph.h"
#include "graph/draw.h"

typedef enum picture_form {
    FORM_JSON,
    FORM_MERMAID,
    FORM_DOT,
    FORM_COUNT
} picture_form;
static const char *const FORMS[] = {
    [FORM_JSON] = "json", [FORM_MERMAID] = "mermaid", [FORM_DOT] = "dot"};
_Static_assert(sizeof FORMS / sizeof *FORMS == FORM_COUNT, "one name per form");

static bool refused_form(ex_job *job, picture_form *out)
{
    mt_str asked = ex_query(job, "format");
    for (int i = 0; i < FORM_COUNT; i++) {
        if (asked.len ? mt_str_eq(asked, mt_str_z(FORMS[i])) : i == FORM_JSON) {
            *out = (picture_form)i;
            return false;
        }
    }
    return ex_refuse(job, EX_BAD_REQUEST, "`format` is json, mermaid or dot");
}

/* "118" for a node that says something each time, "3 of 118" for one that may not. */
static mt_str label(mt_arena *a, ho_node_count n)
{
    return n.speaks ? mt_strf(a, "%llu of %llu", (unsigned long long)n.spoke,
                              (unsigned long long)n.ran)
                    : mt_strf(a, "%llu", (unsigned long long)n.ran);
}

/* Nodes that have not run yet are drawn plainly: nothing is known of them. */
static mt_picture picture_of(ex_job *job, const ho_graph_service *g)
{
    const gr_graph *graph = ho_graph_service_graph(g);
    gr_said *said = mt_new_array(&job->arena, gr_said, graph->node_count + 1);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        ho_node_count n = ho_graph_service_count(g, i);
        said[i].line = label(&job->arena, n);
        if (n.ran && n.speaks) {
            said[i].spoke = n.spoke ? GR_SPOKE : GR_SPOKE_NOT;
        }
    }
    gr_draw_options o = {.said = said};
    return gr_draw(&job->arena, graph, &o);
}

/* In the order they run. `spoke` is there only for nodes that may say nothing. */
static void nodes_json(mt_jw *w, const ho_graph_service *g)
{
    const gr_graph *graph = ho_graph_service_graph(g);
    mt_jw_keyz(w, "nodes");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        ho_node_count n = ho_graph_service_count(g, i);
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "id", graph->nodes[i].id);
        mt_jw_key_str(w, "path", graph->nodes[i].path);
        mt_jw_key_i64(w, "ran", (int64_t)n.ran);
        if (n.speaks) {
            mt_jw_key_i64(w, "spoke", (int64_t)n.spoke);
        }
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
}

/* The description as it is, or as text for a program that draws. */
static void picture_json(mt_jw *w, const mt_picture *p, picture_form form)
{
    mt_buf text = {0};
    mt_jw_key(w, form == FORM_JSON ? MT_STR("picture") : MT_STR("text"));
    if (form == FORM_JSON) {
        mt_picture_json(&text, p);
        mt_jw_raw(w, mt_str_trim(mt_buf_str(&text), MT_STR("\n")));
    } else {
        (form == FORM_DOT ? mt_picture_dot : mt_picture_mermaid)(&text, p);
        mt_jw_str(w, mt_buf_str(&text));
    }
    mt_buf_free(&text);
}

bool ex_graph_picture(ex_job *job)
{
    ho_graph_service *g;
    picture_form form = FORM_JSON;
    if (ex_refused_graph(job, &g) || refused_form(job, &form)) {
        return true;
    }
    mt_picture p = picture_of(job, g);
    mt_jw w = ex_reply_with(job, 200);
    mt_jw_key_i64(&w, "events", (int64_t)ho_graph_service_seen(g));
    mt_jw_key_str(&w, "graph", ho_graph_service_name(g));
    nodes_json(&w, g);
    picture_json(&w, &p, form);
    ex_reply_end(&w);
    return true;
}
