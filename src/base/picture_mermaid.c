/* base/picture_mermaid.c - a picture for Mermaid.
 *
 * Names are numbers, since Mermaid reads words like `end` and `style` in them. In
 * quoted labels it still reads quotes, entities, Markdown, HTML and, anywhere in the
 * text, %%{directives}%%: those characters are written by their number.
 *
 * Order of the text: groups with their nodes, edges, then classes for the roles and
 * personas that occurred, then colours of groups and edges, which Mermaid knows only
 * by index, then what is faded or marked as seen. What Mermaid cannot say is left out:
 * it has no tooltips here and one kind of broken line. */
#include "base/picture.h"

/* ORDER mt_role. */
static const struct {
    const char *open, *close;
} SHAPES[] = {
    [MT_ROLE_START] = {"((", "))"},   [MT_ROLE_STATE] = {"(", ")"},
    [MT_ROLE_FINAL] = {"[[", "]]"},   [MT_ROLE_OPERATION] = {"(", ")"},
    [MT_ROLE_CHOICE] = {"{", "}"},    [MT_ROLE_HANDOFF] = {">", "]"},
    [MT_ROLE_FLOW] = {"[[", "]]"},    [MT_ROLE_PARALLEL] = {"{{", "}}"},
    [MT_ROLE_SUCCESS] = {"([", "])"}, [MT_ROLE_FAILURE] = {"([", "])"},
    [MT_ROLE_PERSONA] = {"([", "])"}, [MT_ROLE_ENTITY] = {"(", ")"},
    [MT_ROLE_FACT] = {"([", "])"},    [MT_ROLE_RULE] = {"(", ")"},
    [MT_ROLE_VERDICT] = {"{{", "}}"}, [MT_ROLE_SOURCE] = {"([", "])"},
    [MT_ROLE_COMPUTE] = {"(", ")"},   [MT_ROLE_TRIGGER] = {"{", "}"},
    [MT_ROLE_ACTION] = {"[[", "]]"},  [MT_ROLE_RECEIVER] = {"(", ")"},
    [MT_ROLE_SENDER] = {">", "]"},
};
MT_TABLE_COVERS(SHAPES, MT_ROLE_COUNT);
_Static_assert(MT_ROLE_COUNT <= 32, "a bit for every role");

/* Mermaid has one broken line. */
static const char *const LINES[] = {
    [MT_SOLID] = "-->", [MT_DASHED] = "-.->", [MT_DOTTED] = "-.->", [MT_BOLD] = "==>"};
MT_TABLE_COVERS(LINES, MT_LINE_COUNT);

/* What Mermaid reads inside quotes. */
static const char READ[] = "\"#&<>\\`%{}|$";

typedef struct pen {
    mt_buf *out;
    const mt_picture *p;
    mt_arena a;     /* of the label being written */
    uint32_t roles; /* bit per role that needs its colour */
    uint32_t marks; /* bit per mt_seen that needs its colour */
    bool fades;     /* something is faded */
} pen;

static void indent(pen *x, uint32_t depth)
{
    mt_buf_addf(x->out, "%*s", (int)(2 * depth + 2), "");
}

static void add_label(pen *x, mt_str label)
{
    mt_mark mark = mt_arena_mark(&x->a);
    mt_str text = mt_picture_lines(&x->a, label);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '\n') {
            mt_buf_addz(x->out, "<br/>");
        } else if (memchr(READ, c, sizeof READ - 1)) {
            mt_buf_addf(x->out, "#%d;", c);
        } else {
            mt_buf_addc(x->out, c);
        }
    }
    mt_arena_rewind(&x->a, mark);
}

static void begin_group(void *context, uint32_t group, uint32_t depth)
{
    pen *x = context;
    indent(x, depth);
    mt_buf_addf(x->out, "subgraph g%u [\"", group);
    add_label(x, x->p->groups.items[group].label);
    mt_buf_addz(x->out, "\"]\n");
}

static void end_group(void *context, uint32_t group, uint32_t depth)
{
    pen *x = context;
    (void)group;
    indent(x, depth);
    mt_buf_addz(x->out, "end\n");
}

/* The class of a node: its persona's colour, or its role's. */
static void add_class(pen *x, const mt_picture_node *n)
{
    if (n->persona != MT_PICTURE_NONE) {
        mt_buf_addf(x->out, ":::p%u", n->persona % MT_PALETTE_COUNT);
    } else {
        mt_buf_addf(x->out, ":::%s", mt_role_name(n->role));
        x->roles |= 1u << n->role;
    }
}

static void add_node(void *context, uint32_t node, uint32_t depth)
{
    pen *x = context;
    const mt_picture_node *n = &x->p->nodes.items[node];
    indent(x, depth);
    mt_buf_addf(x->out, "v%u%s\"", node, SHAPES[n->role].open);
    add_label(x, n->label.len ? n->label : MT_STR(" "));
    mt_buf_addf(x->out, "\"%s", SHAPES[n->role].close);
    add_class(x, n);
    mt_buf_addc(x->out, '\n');
    x->marks |= 1u << n->seen;
    x->fades = x->fades || n->faded;
}

static void add_edge(pen *x, const mt_picture_edge *e)
{
    mt_buf_addf(x->out, "  v%u %s", e->from, LINES[e->line]);
    if (e->label.len) {
        mt_buf_addz(x->out, "|\"");
        add_label(x, e->label);
        mt_buf_addz(x->out, "\"|");
    }
    mt_buf_addf(x->out, " v%u\n", e->to);
}

static void add_paint(pen *x, const char *name, const mt_colours *c)
{
    mt_buf_addf(x->out, "  classDef %s fill:%s,stroke:%s,color:%s\n", name, c->fill,
                c->line, MT_PAINT_PAGE.light.line);
}

/* Of what is marked. */
static void add_stroke(pen *x, mt_seen seen)
{
    mt_buf_addf(x->out, "stroke:%s,stroke-width:3px\n",
                mt_seen_paint(seen)->light.line);
}

/* Classes beside the first are given by name, all nodes of one together. */
static void add_members(pen *x, const char *name, mt_seen seen)
{
    const char *before = "  class ";
    for (uint32_t i = 0; i < x->p->nodes.len; i++) {
        const mt_picture_node *n = &x->p->nodes.items[i];
        if (seen == MT_UNMARKED ? n->faded : n->seen == seen) {
            mt_buf_addf(x->out, "%sv%u", before, i);
            before = ",";
        }
    }
    mt_buf_addf(x->out, " %s\n", name);
}

static void add_marks(pen *x)
{
    for (mt_seen seen = MT_SEEN; seen <= MT_NEVER_SEEN; seen++) {
        if ((x->marks >> seen) & 1) {
            mt_buf_addf(x->out, "  classDef %s ", mt_seen_name(seen));
            add_stroke(x, seen);
            add_members(x, mt_seen_name(seen), seen);
        }
    }
    if (x->fades) {
        mt_buf_addz(x->out, "  classDef faded stroke-dasharray:5 4\n");
        add_members(x, "faded", MT_UNMARKED);
    }
    for (uint32_t i = 0; i < x->p->edges.len; i++) {
        if (x->p->edges.items[i].seen != MT_UNMARKED) {
            mt_buf_addf(x->out, "  linkStyle %u ", i);
            add_stroke(x, x->p->edges.items[i].seen);
        }
    }
}

static void add_paints(pen *x)
{
    for (mt_role role = 0; role <= MT_ROLE_SENDER; role++) {
        mt_colours c = mt_role_paint(role)->light;
        c.fill = role == MT_ROLE_START ? c.line : c.fill;
        if ((x->roles >> role) & 1) {
            add_paint(x, mt_role_name(role), &c);
        }
    }
    for (uint32_t i = 0; i < x->p->personas.len && i < MT_PALETTE_COUNT; i++) {
        char name[] = "p0";
        name[1] = (char)('0' + i);
        add_paint(x, name, &MT_PALETTE[i].light);
    }
    for (uint32_t i = 0; i < x->p->groups.len; i++) {
        uint32_t persona = x->p->groups.items[i].persona;
        if (persona != MT_PICTURE_NONE) {
            mt_buf_addf(x->out, "  style g%u stroke:%s\n", i,
                        MT_PALETTE[persona % MT_PALETTE_COUNT].light.line);
        }
    }
    for (uint32_t i = 0; i < x->p->edges.len; i++) {
        uint32_t persona = x->p->edges.items[i].persona;
        if (persona != MT_PICTURE_NONE) {
            mt_buf_addf(x->out, "  linkStyle %u stroke:%s\n", i,
                        MT_PALETTE[persona % MT_PALETTE_COUNT].light.line);
        }
    }
}

void mt_picture_mermaid(mt_buf *out, const mt_picture *p)
{
    pen x = {.out = out, .p = p};
    mt_picture_visitor v = {begin_group, add_node, end_group, &x};
    mt_buf_addz(out, "flowchart LR\n");
    mt_picture_visit(p, &v);
    for (size_t i = 0; i < p->edges.len; i++) {
        add_edge(&x, &p->edges.items[i]);
    }
    add_paints(&x);
    add_marks(&x);
    mt_arena_free(&x.a);
}
