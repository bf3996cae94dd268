/* graph/draw.c - what is drawn of a graph.
 * Room: graph.
 * First the nodes, in the order of their declaration, each making the boxes around it;
 * then their inputs. Boxes are as deep as clusters may be nested. Nothing can fail. */
#include "graph/draw.h"

#include <stdlib.h>

#include "graph/feeds.h"

typedef struct sketch {
    mt_arena *a;
    const gr_graph *g;
    const gr_draw_options *options;
    mt_picture p;
    mt_map boxes;      /* path of a cluster to its group */
    uint32_t *nodes;   /* per node of the graph */
    uint32_t *outside; /* per input of a cluster that is drawn alone */
} sketch;

/* The part of a path before its last '/', empty if it has none. */
static mt_str outer_path(mt_str path)
{
    while (path.len && path.ptr[path.len - 1] != '/') {
        path.len--;
    }
    path.len -= path.len > 0;
    return path;
}

/* What a box is headed by: the name of the node, and of a formula the formula. */
static mt_str box_label(sketch *s, mt_str path, mt_str formula)
{
    enum { LONGEST = 60 };
    mt_str name = mt_str_basename(path);
    return formula.len ? mt_strf(s->a, "%.*s = %.*s", MT_ARG(name),
                                 MT_ARG(mt_picture_text(s->a, formula, LONGEST)))
                       : name;
}

static mt_str box_tip(sketch *s, mt_str path, mt_str formula)
{
    return formula.len
               ? mt_strf(s->a, "formula %.*s = %.*s", MT_ARG(path), MT_ARG(formula))
               : mt_strf(s->a, "cluster %.*s", MT_ARG(path));
}

/* The box of a cluster, and of those around it; `formula` is empty for a cluster. */
static uint32_t box_of(sketch *s, mt_str path, mt_str formula)
{
    bool added;
    if (!path.len) {
        return MT_PICTURE_NONE;
    }
    mt_map_entry *entry = mt_map_find(&s->boxes, path);
    if (entry) {
        return (uint32_t)entry->value;
    }
    mt_picture_group box = {.name = path,
                            .label = box_label(s, path, formula),
                            .tooltip = box_tip(s, path, formula),
                            .parent = box_of(s, outer_path(path), (mt_str){0}),
                            .persona = MT_PICTURE_NONE};
    uint32_t group = mt_picture_add_group(&s->p, box);
    mt_map_add(s->a, &s->boxes, path, &added)->value = group;
    return group;
}

/* ---- what was said ---- */

/* A line: the end of a long series is what changed last. */
static void add_short(mt_buf *out, const gr_value *v)
{
    enum { FEW = 4 };
    if (v->type == GR_EVENT) {
        mt_buf_addz(out, gr_event_name((gr_event)v->as.event));
    } else if (v->type == GR_SERIES && v->len > FEW) {
        mt_buf_addf(out, "%u values, last ", v->len);
        gr_value last = gr_number(v->as.series[v->len - 1]);
        gr_value_plain_json(out, &last);
    } else {
        gr_value_plain_json(out, v);
    }
}

static gr_spoke spoke_of(const gr_value *v)
{
    if (v->type != GR_EVENT) {
        return GR_SPOKE_UNKNOWN;
    }
    switch ((gr_event)v->as.event) {
    case GR_EMITTED:
    case GR_ATTEMPTED:
    case GR_COMPLETED: return GR_SPOKE;
    case GR_REJECTED:
    case GR_CANCELLED:
    case GR_FAILED: return GR_SPOKE_FAILED;
    case GR_NOT_EMITTED:
    case GR_SKIPPED: break;
    }
    return GR_SPOKE_NOT;
}

/* Several outputs have their names. */
static gr_said said_by(mt_arena *a, const gr_node *n, const gr_value *values)
{
    enum { LONGEST = 60 };
    const gr_manifest *m = &n->primitive->manifest;
    mt_buf line = {0}, whole = {0};
    for (uint32_t i = 0; i < m->output_count; i++) {
        if (m->output_count > 1) {
            mt_buf_addf(&line, "%s%.*s = ", i ? ", " : "", MT_ARG(m->outputs[i].name));
        }
        add_short(&line, &values[i]);
        mt_buf_addf(&whole, "\n%.*s: ", MT_ARG(m->outputs[i].name));
        gr_value_plain_json(&whole, &values[i]);
    }
    gr_said said = {.line = mt_picture_text(a, mt_buf_str(&line), LONGEST),
                    .whole = mt_picture_keep(a, &whole),
                    .spoke = m->output_count ? spoke_of(&values[0]) : GR_SPOKE_UNKNOWN};
    mt_buf_free(&line);
    return said;
}

gr_said *gr_said_in(mt_arena *a, const gr_episode *e)
{
    gr_said *list = mt_new_array(a, gr_said, e->graph->node_count + 1);
    for (uint32_t i = 0; i < e->graph->node_count; i++) {
        const gr_node *n = &e->graph->nodes[i];
        if (i < e->ran) {
            list[i] = said_by(a, n, &e->slots[n->slot]);
        } else if (i == e->ran) {
            list[i] = (gr_said){.line = MT_STR("failed"), .spoke = GR_SPOKE_FAILED};
        } else {
            list[i].spoke = GR_SPOKE_NOT;
        }
    }
    return list;
}

/* Nothing, where nothing is painted. */
static gr_said said_of(const sketch *s, uint32_t node)
{
    return s->options->said ? s->options->said[node] : (gr_said){0};
}

static mt_seen seen_of(gr_spoke spoke)
{
    return spoke == GR_SPOKE          ? MT_SEEN
           : spoke == GR_SPOKE_FAILED ? MT_NEVER_SEEN
                                      : MT_UNMARKED;
}

/* ---- nodes ---- */

static mt_str tip_of(sketch *s, const gr_node *n, mt_str whole)
{
    const gr_manifest *m = &n->primitive->manifest;
    mt_buf text = {0};
    if (gr_node_is_nameless(n)) {
        mt_buf_addf(&text, "part of %.*s: ", MT_ARG(n->formula));
    } else {
        mt_buf_addf(&text, "%.*s: ", MT_ARG(n->name));
    }
    mt_buf_addf(&text, "%s %.*s@%.*s", gr_kind_name(m->kind), MT_ARG(m->id),
                MT_ARG(n->resolved));
    for (uint32_t i = 0; i < m->param_count; i++) {
        if (n->params[i].type != GR_P_NONE) {
            gr_value value = gr_literal_value(&n->params[i]);
            mt_buf_addf(&text, "\n%.*s = ", MT_ARG(m->params[i].name));
            gr_value_plain_json(&text, &value);
        }
    }
    mt_buf_adds(&text, whole);
    return mt_picture_keep(s->a, &text);
}

/* Nodes inside a cluster are drawn in its box under their own name, others under their
 * whole path. Parts of a formula have no name that anybody gave them. */
static void draw_node(sketch *s, uint32_t index)
{
    static const mt_role ROLES[] = {[GR_SOURCE] = MT_ROLE_SOURCE,
                                    [GR_COMPUTE] = MT_ROLE_COMPUTE,
                                    [GR_TRIGGER] = MT_ROLE_TRIGGER,
                                    [GR_ACTION] = MT_ROLE_ACTION};
    MT_TABLE_COVERS(ROLES, GR_ACTION + 1);
    const gr_node *n = &s->g->nodes[index];
    const gr_manifest *m = &n->primitive->manifest;
    gr_said said = said_of(s, index);
    uint32_t box = box_of(s, outer_path(n->path), n->formula);
    bool called = !gr_node_is_nameless(n);
    mt_str name = box == MT_PICTURE_NONE ? n->path : mt_str_basename(n->name);
    mt_picture_node node = {
        .name = n->id,
        .label = mt_strf(s->a, "%.*s%s%.*s%s%.*s", MT_ARG(called ? name : (mt_str){0}),
                         called ? "\n" : "", MT_ARG(m->id), said.line.len ? "\n" : "",
                         MT_ARG(said.line)),
        .tooltip = tip_of(s, n, said.whole),
        .group = box,
        .persona = MT_PICTURE_NONE,
        .role = ROLES[m->kind],
        .faded = said.spoke == GR_SPOKE_NOT,
        .seen = seen_of(said.spoke)};
    s->nodes[index] = mt_picture_add_node(&s->p, node);
}

/* What gates an action is bold, what it carries dashed (§6.5); elsewhere lines are
 * alike. */
static mt_line line_into(const gr_manifest *m, uint32_t input)
{
    if (m->kind != GR_ACTION) {
        return MT_SOLID;
    }
    return m->inputs[input].type == GR_EVENT ? MT_BOLD : MT_DASHED;
}

/* Of a cluster that is drawn alone. */
static void draw_outside(sketch *s, uint32_t index)
{
    const gr_node *n = &s->g->nodes[index];
    const gr_manifest *m = &n->primitive->manifest;
    for (uint32_t i = 0; i < m->input_count; i++) {
        if (n->outside[i]) {
            mt_str port = m->inputs[i].name;
            mt_picture_edge edge = {.from = s->outside[n->outside[i] - 1],
                                    .to = s->nodes[index],
                                    .label = s->options->ports ? port : (mt_str){0},
                                    .tooltip = port,
                                    .persona = MT_PICTURE_NONE,
                                    .line = line_into(m, i)};
            mt_picture_add_edge(&s->p, edge);
        }
    }
}

static void draw_input(sketch *s, uint32_t index)
{
    const gr_input *in = &s->g->inputs[index];
    mt_picture_node node = {
        .name = mt_strf(s->a, "in%u", index),
        .label = mt_strf(s->a, "$%.*s\n%s", MT_ARG(in->name), gr_type_name(in->type)),
        .tooltip = mt_strf(s->a, "input %.*s of the cluster", MT_ARG(in->name)),
        .group = MT_PICTURE_NONE,
        .persona = MT_PICTURE_NONE,
        .role = MT_ROLE_FACT};
    s->outside[index] = mt_picture_add_node(&s->p, node);
}

static void draw_inputs(sketch *s, const gr_feeds *feeds, uint32_t index)
{
    const gr_node *n = &s->g->nodes[index];
    const gr_manifest *m = &n->primitive->manifest;
    for (uint32_t i = 0; i < m->input_count; i++) {
        gr_feed from;
        if (!gr_feed_into(feeds, n, i, &from)) {
            continue;
        }
        mt_str ports =
            mt_strf(s->a, "%.*s → %.*s", MT_ARG(from.port), MT_ARG(m->inputs[i].name));
        gr_spoke spoke = said_of(s, from.node).spoke;
        bool silent = spoke != GR_SPOKE && spoke != GR_SPOKE_UNKNOWN;
        mt_picture_edge edge = {.from = s->nodes[from.node],
                                .to = s->nodes[index],
                                .label = s->options->ports ? ports : (mt_str){0},
                                .tooltip = ports,
                                .persona = MT_PICTURE_NONE,
                                .line = silent ? MT_DOTTED : line_into(m, i),
                                .seen = spoke == GR_SPOKE ? MT_SEEN : MT_UNMARKED};
        mt_picture_add_edge(&s->p, edge);
    }
}

/* ---- order of declaration ---- */

typedef struct placed {
    const gr_node *node;
    uint32_t index;
} placed;

/* By file, then by place in the file, then by path for what one line makes several
 * times. */
static int by_place(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    int order = mt_str_cmp(x->node->source.file, y->node->source.file);
    order = order ? order : (x->node->at > y->node->at) - (x->node->at < y->node->at);
    return order ? order : mt_str_cmp(x->node->path, y->node->path);
}

static const placed *in_order(mt_arena *a, const gr_graph *g)
{
    placed *list = mt_new_array(a, placed, g->node_count + 1);
    for (uint32_t i = 0; i < g->node_count; i++) {
        list[i] = (placed){&g->nodes[i], i};
    }
    qsort(list, g->node_count, sizeof *list, by_place);
    return list;
}

/* In the order of the files, not of evaluation: a change somewhere in a graph moves
 * little in its picture. */
mt_picture gr_draw(mt_arena *a, const gr_graph *g, const gr_draw_options *options)
{
    static const gr_draw_options PLAIN = {0};
    sketch s = {.a = a,
                .g = g,
                .options = options ? options : &PLAIN,
                .p = mt_picture_new(a, g->id),
                .nodes = mt_new_array(a, uint32_t, g->node_count + 1),
                .outside = mt_new_array(a, uint32_t, g->input_count + 1)};
    gr_feeds feeds = gr_feeds_of(a, g);
    const placed *order = in_order(a, g);
    for (uint32_t i = 0; i < g->input_count; i++) {
        draw_input(&s, i);
    }
    for (uint32_t i = 0; i < g->node_count; i++) {
        draw_node(&s, order[i].index);
    }
    for (uint32_t i = 0; i < g->node_count; i++) {
        draw_inputs(&s, &feeds, order[i].index);
        draw_outside(&s, order[i].index);
    }
    return s.p;
}
