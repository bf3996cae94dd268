/* base/picture.h - one description of what is drawn, and the languages it is written
 * in. Room: base. May include base/ only. A picture is lists: groups (boxes and lanes),
 * nodes, edges, and the personas that colours stand for. The rooms that own a model
 * fill it (analyze/explain/draw.h, graph/draw.h, agent/draw.h); writers differ in
 * syntax alone. What a thing is (its role) decides how it looks, by one table. Names
 * and labels may be any bytes: no text can break the syntax of a writer, and what a
 * reader could not see (control characters, broken UTF-8, marks that turn the direction
 * of text) is shown as U+FFFD. Order: things stand in the order in which they were
 * added, so the same model gives the same bytes. Ownership: everything lives in the
 * arena given to mt_picture_new(); texts are borrowed and must live as long. */
#ifndef MT_BASE_PICTURE_H
#define MT_BASE_PICTURE_H

#include "base/map.h"
#include "base/vec.h"

/* No group, no persona. */
#define MT_PICTURE_NONE ((uint32_t)-1)

/* ORDER ROLES in picture.c. */
typedef enum mt_role {
    MT_ROLE_START, /* a mark: here it begins */
    MT_ROLE_STATE,
    MT_ROLE_FINAL, /* a state nothing leads out of */
    MT_ROLE_OPERATION,
    MT_ROLE_CHOICE,
    MT_ROLE_HANDOFF,
    MT_ROLE_FLOW,     /* as one thing: a sub-flow, a flow of a System */
    MT_ROLE_PARALLEL, /* begins several ways at once */
    MT_ROLE_SUCCESS,  /* ends of a flow */
    MT_ROLE_FAILURE,
    MT_ROLE_PERSONA,
    MT_ROLE_ENTITY,
    MT_ROLE_FACT,
    MT_ROLE_RULE,
    MT_ROLE_VERDICT,
    MT_ROLE_SOURCE,
    MT_ROLE_COMPUTE,
    MT_ROLE_TRIGGER,
    MT_ROLE_ACTION,
    MT_ROLE_RECEIVER,
    MT_ROLE_SENDER
} mt_role;
enum { MT_ROLE_COUNT = MT_ROLE_SENDER + 1 };

typedef enum mt_line { MT_SOLID, MT_DASHED, MT_DOTTED, MT_BOLD } mt_line;
enum { MT_LINE_COUNT = MT_BOLD + 1 };

typedef enum mt_frame { MT_BOX, MT_LANE } mt_frame;
enum { MT_FRAME_COUNT = MT_LANE + 1 };

/* Whether something happened, in pictures of what was tried. ORDER MARKS in
 * picture.c. */
typedef enum mt_seen { MT_UNMARKED, MT_SEEN, MT_NEVER_SEEN } mt_seen;
enum { MT_SEEN_COUNT = MT_NEVER_SEEN + 1 };

typedef struct mt_picture_group {
    mt_str name; /* unique among groups, stable: "flow/refund/lane/clerk" */
    mt_str label, tooltip;
    uint32_t parent; /* an earlier group, or MT_PICTURE_NONE */
    uint32_t persona;
    mt_frame frame;
} mt_picture_group;

typedef struct mt_picture_node {
    mt_str name;  /* unique among nodes, stable: "entity/Order/open" */
    mt_str label; /* lines; a long one is broken by the writers */
    mt_str tooltip;
    uint32_t group;
    uint32_t persona; /* whose colour it has */
    mt_role role;
    bool faded; /* never happens */
    mt_seen seen;
} mt_picture_node;

typedef struct mt_picture_edge {
    uint32_t from, to; /* nodes */
    mt_str label, tooltip;
    uint32_t persona;
    mt_line line;
    mt_seen seen;
} mt_picture_edge;

typedef struct mt_picture {
    mt_arena *arena;
    mt_str title;
    MT_VEC(mt_picture_group) groups;
    MT_VEC(mt_picture_node) nodes;
    MT_VEC(mt_picture_edge) edges;
    mt_map personas;                /* in the order of their colours */
    mt_map group_names, node_names; /* to indices */
} mt_picture;

mt_picture mt_picture_new(mt_arena *a, mt_str title);

/* The index of what was added. A name that is taken gets a number behind it. */
uint32_t mt_picture_add_group(mt_picture *p, mt_picture_group group);
/* A name that is taken gets a number behind it. Returns the node's index. */
uint32_t mt_picture_add_node(mt_picture *p, mt_picture_node node);
void mt_picture_add_edge(mt_picture *p, mt_picture_edge edge);
/* The node of this name, or MT_PICTURE_NONE. */
uint32_t mt_picture_find(const mt_picture *p, mt_str name);
/* A start mark in front of the node, in the same group. Returns the mark. */
uint32_t mt_picture_add_start(mt_picture *p, uint32_t node, mt_str name,
                              mt_str tooltip);
/* The persona's index; its colour is MT_PALETTE[index % MT_PALETTE_COUNT]. Personas
 * get their colours in the order in which they are first asked for. */
uint32_t mt_picture_persona(mt_picture *p, mt_str name);

/* The text of the buffer, kept; the buffer is freed. */
mt_str mt_picture_keep(mt_arena *a, mt_buf *text);

const char *mt_role_name(mt_role role);
/* As Graphviz calls it: "solid", … */
const char *mt_line_name(mt_line line);

/* ---- colours ---- */

typedef struct mt_colours {
    const char *fill, *line; /* "#rrggbb" */
} mt_colours;

/* On light and on dark ground. */
typedef struct mt_paint {
    mt_colours light, dark;
} mt_paint;

/* Texts are readable on every fill (contrast at least 7), lines stand out from the
 * ground (at least 3), in both modes; base/picture's test measures it. */
enum { MT_PALETTE_COUNT = 8 };
extern const mt_paint MT_PALETTE[MT_PALETTE_COUNT];
/* Of what has no persona; `light.fill` is a fill, as above. */
extern const mt_paint MT_PAINT_PLAIN, MT_PAINT_SUCCESS, MT_PAINT_FAILURE;
/* fill: the ground; line: text. */
extern const mt_paint MT_PAINT_PAGE;

/* The colours of a node without persona. */
const mt_paint *mt_role_paint(mt_role role);
/* "seen" or "never", a class; NULL: it is not marked. */
const char *mt_seen_name(mt_seen seen);
/* Whose lines have which colour; NULL: it is not marked. */
const mt_paint *mt_seen_paint(mt_seen seen);

/* ---- writers ---- */

/* Graphviz. One digraph; groups are clusters. Classes on everything, for
 * mt_picture_css(). */
void mt_picture_dot(mt_buf *out, const mt_picture *p);
/* One flowchart; groups are subgraphs. Mermaid has no tooltips without links, so there
 * are none. */
void mt_picture_mermaid(mt_buf *out, const mt_picture *p);
/* The description itself, canonical JSON: edges, groups, nodes, personas with their
 * colours, title, version. Labels are whole there. */
void mt_picture_json(mt_buf *out, const mt_picture *p);
/* The style sheet of an SVG that Graphviz made of mt_picture_dot(): dark colours where
 * the reader's system asks for them. */
void mt_picture_css(mt_buf *out);

/* ---- for the writers and their tests ---- */

/* Lines of at most this many characters, and at most so many of them; a tooltip has so
 * many characters. What is left out is marked by "…". */
enum { MT_PICTURE_LINE = 36, MT_PICTURE_LINES = 6, MT_PICTURE_TOOLTIP = 1000 };
/* Breaks a label: at its newlines, at spaces where a line would be too long; inside a
 * word where there is none, behind `_`, `/`, `-`, `.` or `,` if it has one. Characters
 * that cannot be seen become U+FFFD. */
mt_str mt_picture_lines(mt_arena *a, mt_str label);
/* One text of at most `most` characters, newlines kept; characters likewise. */
mt_str mt_picture_text(mt_arena *a, mt_str text, size_t most);

/* Visits every group with what is in it: begin, its nodes, its groups, end. First the
 * nodes that are in no group. `depth` is 0 outside of groups. */
typedef struct mt_picture_visitor {
    void (*begin)(void *context, uint32_t group, uint32_t depth);
    void (*node)(void *context, uint32_t node, uint32_t depth);
    void (*end)(void *context, uint32_t group, uint32_t depth);
    void *context;
} mt_picture_visitor;
/* Groups in order of nesting, nodes of a group before the groups in it. */
void mt_picture_visit(const mt_picture *p, const mt_picture_visitor *v);

#endif
