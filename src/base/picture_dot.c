/* base/picture_dot.c - a picture for Graphviz, and the style sheet of its SVG.
 *
 * Every line is a quoted name or a number, so nothing of a model reaches the syntax:
 * names that are not plain are replaced by their number, labels are escaped. Colours
 * are those of light ground; the classes let the style sheet change them.
 *
 * Order of the text: defaults of graph, nodes and edges; groups with their nodes as
 * they nest; invisible edges that keep groups in declaration order; edges. Shapes are
 * a table by role, and its size is asserted.
 *
 * The style sheet is written once and is the same for all pictures: one rule per role
 * and per persona colour, inside a media query for dark ground. It must use selectors
 * only that Graphviz' own classes can match. */
#include "base/picture.h"

/* ORDER mt_role: attributes beside those of every node. */
static const char *const SHAPES[] = {
    [MT_ROLE_START] = "circle, fixedsize=true, width=0.16, style=filled",
    [MT_ROLE_STATE] = "box",
    [MT_ROLE_FINAL] = "box, peripheries=2",
    [MT_ROLE_OPERATION] = "box",
    [MT_ROLE_CHOICE] = "hexagon",
    [MT_ROLE_HANDOFF] = "cds, margin=\"0.3,0.1\"",
    [MT_ROLE_FLOW] = "box, peripheries=2",
    [MT_ROLE_PARALLEL] = "octagon",
    [MT_ROLE_SUCCESS] = "ellipse",
    [MT_ROLE_FAILURE] = "ellipse",
    [MT_ROLE_PERSONA] = "ellipse",
    [MT_ROLE_ENTITY] = "box",
    [MT_ROLE_FACT] = "ellipse",
    [MT_ROLE_RULE] = "box",
    [MT_ROLE_VERDICT] = "hexagon",
    [MT_ROLE_SOURCE] = "ellipse",
    [MT_ROLE_COMPUTE] = "box",
    [MT_ROLE_TRIGGER] = "diamond",
    [MT_ROLE_ACTION] = "box, peripheries=2",
    [MT_ROLE_RECEIVER] = "box",
    [MT_ROLE_SENDER] = "cds, margin=\"0.3,0.1\"",
};
MT_TABLE_COVERS(SHAPES, MT_ROLE_COUNT);

/* Verdana is as wide as DejaVu Sans: what was measured with one fits with the other. */
#define FACE "DejaVu Sans,Verdana,sans-serif"

typedef struct pen {
    mt_buf *out;
    const mt_picture *p;
    mt_arena a; /* of the thing being written */
} pen;

static void indent(pen *x, uint32_t depth)
{
    mt_buf_addf(x->out, "%*s", (int)(2 * depth + 2), "");
}

/* Graphviz reads backslashes and entities in labels and tooltips. */
static void add_escaped(mt_buf *out, mt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        switch (text.ptr[i]) {
        case '"': mt_buf_addz(out, "\\\""); break;
        case '\\': mt_buf_addz(out, "\\\\"); break;
        case '&': mt_buf_addz(out, "&amp;"); break;
        case '\n': mt_buf_addz(out, "\\n"); break;
        default: mt_buf_addc(out, text.ptr[i]);
        }
    }
}

static void add_label(pen *x, mt_str label)
{
    mt_buf_addz(x->out, "label=\"");
    add_escaped(x->out, mt_picture_lines(&x->a, label));
    mt_buf_addc(x->out, '"');
}

static void add_tooltip(pen *x, mt_str tooltip)
{
    if (tooltip.len) {
        mt_buf_addz(x->out, ", tooltip=\"");
        add_escaped(x->out, mt_picture_text(&x->a, tooltip, MT_PICTURE_TOOLTIP));
        mt_buf_addc(x->out, '"');
    }
}

/* Printable ASCII that a quoted name can hold as it is. */
static bool is_plain(mt_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (c < ' ' || c > '~' || c == '"' || c == '\\') {
            return false;
        }
    }
    return name.len && name.len <= 200 && name.ptr[0] != '#';
}

/* n7: a letter and digits, which Graphviz reads without quotes. */
static bool is_bare(mt_str name)
{
    for (size_t i = 1; i < name.len; i++) {
        if (name.ptr[i] < '0' || name.ptr[i] > '9') {
            return false;
        }
    }
    return name.len > 1 && name.ptr[0] >= 'a' && name.ptr[0] <= 'z';
}

static void add_name(pen *x, uint32_t node)
{
    mt_str name = x->p->nodes.items[node].name;
    if (!is_plain(name)) {
        mt_buf_addf(x->out, "\"#%u\"", node);
    } else if (is_bare(name)) {
        mt_buf_adds(x->out, name);
    } else {
        mt_buf_addf(x->out, "\"%.*s\"", MT_ARG(name));
    }
}

static const mt_paint *persona_paint(uint32_t persona)
{
    return &MT_PALETTE[persona % MT_PALETTE_COUNT];
}

/* A class, the colour's if there is a persona, and whether it was seen. */
static void add_classes(pen *x, const char *what, uint32_t persona, bool faded,
                        mt_seen seen)
{
    mt_buf_addf(x->out, ", class=\"%s", what);
    if (persona != MT_PICTURE_NONE) {
        mt_buf_addf(x->out, " p%u", persona % MT_PALETTE_COUNT);
    }
    if (seen != MT_UNMARKED) {
        mt_buf_addf(x->out, " %s", mt_seen_name(seen));
    }
    mt_buf_addz(x->out, faded ? " faded\"" : "\"");
}

static void add_class(pen *x, const char *what, uint32_t persona, bool faded)
{
    add_classes(x, what, persona, faded, MT_UNMARKED);
}

/* The line of what is marked: Graphviz takes the last colour it is given. */
static void add_mark(pen *x, mt_seen seen)
{
    if (seen != MT_UNMARKED) {
        mt_buf_addf(x->out, ", color=\"%s\", penwidth=2",
                    mt_seen_paint(seen)->light.line);
    }
}

static void begin_group(void *context, uint32_t group, uint32_t depth)
{
    pen *x = context;
    const mt_picture_group *g = &x->p->groups.items[group];
    mt_mark mark = mt_arena_mark(&x->a);
    bool lane = g->frame == MT_LANE;
    indent(x, depth);
    mt_buf_addf(x->out, "subgraph cluster_%u {\n", group);
    indent(x, depth + 1);
    mt_buf_addz(x->out, "graph [");
    add_label(x, g->label);
    add_class(x, lane ? "lane" : "box", g->persona, false);
    if (lane) {
        const char *line = g->persona != MT_PICTURE_NONE
                               ? persona_paint(g->persona)->light.line
                               : MT_PAINT_PLAIN.light.line;
        mt_buf_addf(x->out,
                    ", style=\"rounded,filled\", fillcolor=\"%s\", color=\"%s\"",
                    MT_PAINT_PLAIN.light.fill, line);
    }
    /* Of its own, or Graphviz takes over that of the group around it. */
    add_tooltip(x, g->tooltip.len ? g->tooltip : g->label);
    mt_buf_addz(x->out, "];\n");
    mt_arena_rewind(&x->a, mark);
}

static void end_group(void *context, uint32_t group, uint32_t depth)
{
    pen *x = context;
    (void)group;
    indent(x, depth);
    mt_buf_addz(x->out, "}\n");
}

static void add_node(void *context, uint32_t node, uint32_t depth)
{
    pen *x = context;
    const mt_picture_node *n = &x->p->nodes.items[node];
    mt_mark mark = mt_arena_mark(&x->a);
    const mt_paint *paint = n->persona != MT_PICTURE_NONE ? persona_paint(n->persona)
                                                          : mt_role_paint(n->role);
    indent(x, depth);
    add_name(x, node);
    mt_buf_addf(x->out, " [shape=%s", SHAPES[n->role]);
    add_classes(x, mt_role_name(n->role), n->persona, n->faded, n->seen);
    if (n->role == MT_ROLE_START) {
        mt_buf_addf(x->out, ", fillcolor=\"%s\"", paint->light.line);
    } else if (paint != &MT_PAINT_PLAIN) {
        mt_buf_addf(x->out, ", fillcolor=\"%s\", color=\"%s\"", paint->light.fill,
                    paint->light.line);
    }
    add_mark(x, n->seen);
    bool dashed = n->faded || n->seen == MT_NEVER_SEEN;
    mt_buf_addz(x->out, dashed ? ", style=\"rounded,filled,dashed\", " : ", ");
    add_label(x, n->label);
    add_tooltip(x, n->tooltip);
    mt_buf_addz(x->out, "];\n");
    mt_arena_rewind(&x->a, mark);
}

static void add_edge(pen *x, const mt_picture_edge *e)
{
    mt_mark mark = mt_arena_mark(&x->a);
    indent(x, 0);
    add_name(x, e->from);
    mt_buf_addz(x->out, " -> ");
    add_name(x, e->to);
    mt_buf_addf(x->out, " [style=%s", mt_line_name(e->line));
    if (e->persona != MT_PICTURE_NONE || e->seen != MT_UNMARKED) {
        add_classes(x, mt_line_name(e->line), e->persona, false, e->seen);
    }
    if (e->persona != MT_PICTURE_NONE) {
        mt_buf_addf(x->out, ", color=\"%s\"", persona_paint(e->persona)->light.line);
    }
    add_mark(x, e->seen);
    add_tooltip(x, e->tooltip);
    if (e->label.len) {
        mt_buf_addz(x->out, ", ");
        add_label(x, e->label);
    }
    mt_buf_addz(x->out, "];\n");
    mt_arena_rewind(&x->a, mark);
}

static void add_head(pen *x)
{
    const mt_colours *plain = &MT_PAINT_PLAIN.light, *page = &MT_PAINT_PAGE.light;
    mt_buf_addf(x->out, "digraph \"%.*s\" {\n",
                MT_ARG(is_plain(x->p->title) ? x->p->title : MT_STR("picture")));
    mt_buf_addf(x->out,
                "  graph [rankdir=LR, bgcolor=transparent, fontname=\"" FACE
                "\", fontsize=10, fontcolor=\"%s\", color=\"%s\", style=rounded, "
                "labeljust=l, nodesep=0.3, ranksep=0.45];\n",
                page->line, plain->line);
    mt_buf_addf(x->out,
                "  node [fontname=\"" FACE
                "\", fontsize=10, fontcolor=\"%s\", color=\"%s\", "
                "fillcolor=\"%s\", style=\"rounded,filled\", margin=\"0.14,0.07\"];\n",
                page->line, plain->line, plain->fill);
    mt_buf_addf(x->out,
                "  edge [fontname=\"" FACE
                "\", fontsize=8, fontcolor=\"%s\", color=\"%s\", arrowsize=0.7];\n",
                page->line, plain->line);
}

/* Graphviz puts what is not connected from the bottom up. Invisible edges from one
 * invisible node to the first of every outermost group turn that round. */
static void add_order(pen *x)
{
    const mt_picture *p = x->p;
    uint32_t *outermost = mt_new_array(&x->a, uint32_t, p->groups.len + 1);
    bool *tied = mt_new_array(&x->a, bool, p->groups.len + 1);
    for (uint32_t i = 0; i < p->groups.len; i++) {
        uint32_t parent = p->groups.items[i].parent;
        outermost[i] = parent == MT_PICTURE_NONE ? i : outermost[parent];
    }
    mt_buf_addz(x->out, "  \"#top\" [shape=point, style=invis, width=0];\n");
    for (uint32_t i = 0; i < p->nodes.len; i++) {
        uint32_t group = p->nodes.items[i].group;
        if (group != MT_PICTURE_NONE && !tied[outermost[group]]) {
            tied[outermost[group]] = true;
            mt_buf_addz(x->out, "  \"#top\" -> ");
            add_name(x, i);
            mt_buf_addz(x->out, " [style=invis];\n");
        }
    }
}

static bool has_several_groups(const mt_picture *p)
{
    uint32_t count = 0;
    for (size_t i = 0; i < p->groups.len; i++) {
        count += p->groups.items[i].parent == MT_PICTURE_NONE;
    }
    return count > 1;
}

void mt_picture_dot(mt_buf *out, const mt_picture *p)
{
    pen x = {.out = out, .p = p};
    mt_picture_visitor v = {begin_group, add_node, end_group, &x};
    add_head(&x);
    mt_picture_visit(p, &v);
    if (has_several_groups(p)) {
        add_order(&x);
    }
    for (size_t i = 0; i < p->edges.len; i++) {
        add_edge(&x, &p->edges.items[i]);
    }
    mt_buf_addz(out, "}\n");
    mt_arena_free(&x.a);
}

/* ---- the style sheet ---- */

#define TAGS ":is(path,polygon,polyline,ellipse)"

/* The nodes of a class. What Graphviz leaves open (the outer of two lines) stays so. */
static void css_nodes(mt_buf *out, const char *class, const mt_colours *c)
{
    mt_buf_addf(out,
                ".node%s " TAGS "{stroke:%s}\n.node%s " TAGS
                ":not([fill=none]){fill:%s}\n",
                class, c->line, class, c->fill);
}

static void css_lines(mt_buf *out, const char *class, const char *line)
{
    mt_buf_addf(out,
                ".edge%s path,.cluster%s :is(path,polygon){stroke:%s}\n"
                ".edge%s polygon{fill:%s;stroke:%s}\n",
                class, class, line, class, line, line);
}

void mt_picture_css(mt_buf *out)
{
    const mt_colours *plain = &MT_PAINT_PLAIN.dark, *page = &MT_PAINT_PAGE.dark;
    mt_buf_addf(out, "svg{background:%s}\n@media (prefers-color-scheme: dark){\n",
                MT_PAINT_PAGE.light.fill);
    mt_buf_addf(out, "svg{background:%s}\ntext{fill:%s}\n", page->fill, page->line);
    css_nodes(out, "", plain);
    css_lines(out, "", plain->line);
    for (mt_role role = 0; role <= MT_ROLE_SENDER; role++) {
        char class[32] = ".";
        if (mt_role_paint(role) != &MT_PAINT_PLAIN) {
            strncat(class, mt_role_name(role), sizeof class - 2);
            css_nodes(out, class, &mt_role_paint(role)->dark);
        }
    }
    for (int i = 0; i < MT_PALETTE_COUNT; i++) {
        char class[] = ".p0";
        class[2] = (char)('0' + i);
        css_nodes(out, class, &MT_PALETTE[i].dark);
        css_lines(out, class, MT_PALETTE[i].dark.line);
    }
    for (mt_seen seen = MT_SEEN; seen <= MT_NEVER_SEEN; seen++) {
        const char *line = mt_seen_paint(seen)->dark.line, *name = mt_seen_name(seen);
        mt_buf_addf(out,
                    ".node.%s " TAGS ",.edge.%s path{stroke:%s}\n"
                    ".edge.%s polygon{fill:%s;stroke:%s}\n",
                    name, name, line, name, line, line);
    }
    /* Lanes keep the plain fill, so that nodes stand out from them. */
    mt_buf_addf(out, ".cluster.lane :is(path,polygon){fill:%s}\n", plain->fill);
    mt_buf_addf(out, ".node.start ellipse:not([fill=none]){fill:%s}\n}\n", plain->line);
}
