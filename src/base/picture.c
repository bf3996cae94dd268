/* base/picture.c - building a picture, its colours, and texts that fit into one.
 *
 * A room that owns a model adds groups, nodes and edges in the order of its
 * declarations; a writer then visits them group by group. Personas get colours in the
 * order in which they are first named, so one contract has the same colours in every
 * picture.
 *
 * Texts come from authors: control characters and what XML refuses are replaced by a
 * mark, labels are broken into a few lines at spaces and end with an ellipsis where
 * something was left out.
 *
 * INVARIANT: names of nodes are unique, and so are names of groups; a parent stands
 * before its groups. Writers (picture_dot.c, picture_mermaid.c, picture_json.c) rely
 * on it. The order in which a visitor meets things depends on the order of the calls
 * alone.
 *
 * Nothing here can fail. Everything lives in the arena of the picture; texts given to
 * it are borrowed. */
#include "base/picture.h"

#include "base/utf8.h"

/* ---- building ---- */

mt_picture mt_picture_new(mt_arena *a, mt_str title)
{
    return (mt_picture){.arena = a, .title = title};
}

/* The name itself, or with the first number behind it that nobody has. */
static mt_str take_name(mt_arena *a, mt_map *taken, mt_str name, size_t index)
{
    mt_str free = name;
    for (uint32_t i = 2; mt_map_find(taken, free); i++) {
        free = mt_strf(a, "%.*s~%u", MT_ARG(name), i);
    }
    mt_map_put(a, taken, free, index);
    return free;
}

uint32_t mt_picture_add_group(mt_picture *p, mt_picture_group group)
{
    MT_ASSERT(group.parent == MT_PICTURE_NONE || group.parent < p->groups.len);
    group.name = take_name(p->arena, &p->group_names, group.name, p->groups.len);
    mt_vec_push(p->arena, &p->groups, group);
    return (uint32_t)p->groups.len - 1;
}

uint32_t mt_picture_add_node(mt_picture *p, mt_picture_node node)
{
    MT_ASSERT(node.group == MT_PICTURE_NONE || node.group < p->groups.len);
    node.name = take_name(p->arena, &p->node_names, node.name, p->nodes.len);
    mt_vec_push(p->arena, &p->nodes, node);
    return (uint32_t)p->nodes.len - 1;
}

uint32_t mt_picture_find(const mt_picture *p, mt_str name)
{
    return (uint32_t)mt_map_get(&p->node_names, name, MT_PICTURE_NONE);
}

void mt_picture_add_edge(mt_picture *p, mt_picture_edge edge)
{
    MT_ASSERT(edge.from < p->nodes.len && edge.to < p->nodes.len);
    mt_vec_push(p->arena, &p->edges, edge);
}

uint32_t mt_picture_add_start(mt_picture *p, uint32_t node, mt_str name, mt_str tooltip)
{
    mt_picture_node mark = {.name = name,
                            .tooltip = tooltip,
                            .group = p->nodes.items[node].group,
                            .persona = MT_PICTURE_NONE,
                            .role = MT_ROLE_START};
    uint32_t start = mt_picture_add_node(p, mark);
    mt_picture_edge edge = {.from = start, .to = node, .persona = MT_PICTURE_NONE};
    mt_picture_add_edge(p, edge);
    return start;
}

uint32_t mt_picture_persona(mt_picture *p, mt_str name)
{
    bool added;
    mt_map_entry *entry = mt_map_add(p->arena, &p->personas, name, &added);
    if (added) {
        entry->value = p->personas.len - 1;
    }
    return (uint32_t)entry->value;
}

mt_str mt_picture_keep(mt_arena *a, mt_buf *text)
{
    mt_str kept = mt_str_dup(a, mt_buf_str(text));
    mt_buf_free(text);
    return kept;
}

/* ---- looks ---- */

/* clang-format off */
const mt_paint MT_PALETTE[MT_PALETTE_COUNT] = {
    {{"#dbeafe", "#1d4ed8"}, {"#1e3a5f", "#7ab0ff"}}, /* blue */
    {{"#fdecc8", "#92500a"}, {"#4a3410", "#f0b84a"}}, /* amber */
    {{"#d9f2e0", "#17693a"}, {"#173d27", "#6fcf97"}}, /* green */
    {{"#eadffb", "#6b2fb3"}, {"#3b2757", "#c4a1f5"}}, /* violet */
    {{"#d2f1f0", "#0b6466"}, {"#0f3e40", "#62cfd1"}}, /* teal */
    {{"#fde0e6", "#a81c45"}, {"#521d2d", "#f78fa7"}}, /* rose */
    {{"#eef0c8", "#5c6200"}, {"#393c10", "#cdd35c"}}, /* olive */
    {{"#e2e6ec", "#44505f"}, {"#2d3540", "#aab6c5"}}, /* slate */
};
const mt_paint MT_PAINT_PLAIN =   {{"#f6f7f9", "#5b6675"}, {"#1c232d", "#9aa7b6"}};
const mt_paint MT_PAINT_SUCCESS = {{"#e3f5e6", "#1a7f37"}, {"#12351d", "#4ac26b"}};
const mt_paint MT_PAINT_FAILURE = {{"#fce8e6", "#b42318"}, {"#47150f", "#ff8a7a"}};
const mt_paint MT_PAINT_PAGE =    {{"#ffffff", "#1b2330"}, {"#11161d", "#eef2f7"}};

static const char *const ROLES[] = {
    [MT_ROLE_START] = "start",       [MT_ROLE_STATE] = "state",
    [MT_ROLE_FINAL] = "final",       [MT_ROLE_OPERATION] = "operation",
    [MT_ROLE_CHOICE] = "choice",     [MT_ROLE_HANDOFF] = "handoff",
    [MT_ROLE_FLOW] = "flow",         [MT_ROLE_PARALLEL] = "parallel",
    [MT_ROLE_SUCCESS] = "success",   [MT_ROLE_FAILURE] = "failure",
    [MT_ROLE_PERSONA] = "persona",   [MT_ROLE_ENTITY] = "entity",
    [MT_ROLE_FACT] = "fact",         [MT_ROLE_RULE] = "rule",
    [MT_ROLE_VERDICT] = "verdict",   [MT_ROLE_SOURCE] = "source",
    [MT_ROLE_COMPUTE] = "compute",   [MT_ROLE_TRIGGER] = "trigger",
    [MT_ROLE_ACTION] = "action",     [MT_ROLE_RECEIVER] = "receiver",
    [MT_ROLE_SENDER] = "sender",
};
/* clang-format on */
MT_TABLE_COVERS(ROLES, MT_ROLE_COUNT);

static const char *const LINES[] = {[MT_SOLID] = "solid",
                                    [MT_DASHED] = "dashed",
                                    [MT_DOTTED] = "dotted",
                                    [MT_BOLD] = "bold"};
MT_TABLE_COVERS(LINES, MT_LINE_COUNT);

const char *mt_line_name(mt_line line)
{
    return LINES[line];
}

const char *mt_role_name(mt_role role)
{
    return ROLES[role];
}

const mt_paint *mt_role_paint(mt_role role)
{
    /* Where there are no personas, colours tell roles apart. SPARSE: most are plain. */
    static const mt_paint *const PAINTS[MT_ROLE_COUNT] = {
        [MT_ROLE_SUCCESS] = &MT_PAINT_SUCCESS, [MT_ROLE_FAILURE] = &MT_PAINT_FAILURE,
        [MT_ROLE_SOURCE] = &MT_PALETTE[2],     [MT_ROLE_TRIGGER] = &MT_PALETTE[1],
        [MT_ROLE_ACTION] = &MT_PALETTE[0],     [MT_ROLE_RECEIVER] = &MT_PALETTE[0],
        [MT_ROLE_SENDER] = &MT_PALETTE[1],
    };
    return PAINTS[role] ? PAINTS[role] : &MT_PAINT_PLAIN;
}

/* ORDER mt_seen. */
static const struct {
    const char *name;
    const mt_paint *paint;
} MARKS[] = {
    [MT_UNMARKED] = {NULL, NULL},
    [MT_SEEN] = {"seen", &MT_PAINT_SUCCESS},
    [MT_NEVER_SEEN] = {"never", &MT_PAINT_FAILURE},
};
MT_TABLE_COVERS(MARKS, MT_SEEN_COUNT);

const char *mt_seen_name(mt_seen seen)
{
    return MARKS[seen].name;
}

const mt_paint *mt_seen_paint(mt_seen seen)
{
    return MARKS[seen].paint;
}

/* ---- texts ---- */

/* The next character of s, as it is shown; 0 at the end. */
static uint32_t next_character(mt_str *s)
{
    if (!s->len) {
        return 0;
    }
    size_t len = mt_utf8_sequence(s->ptr, s->len);
    uint32_t c = len ? mt_utf8_decode(s->ptr, &len) : 0xfffd;
    *s = mt_str_skip(*s, len ? len : 1);
    return c == '\n' || c == '\t' ? c : mt_utf8_is_unseen(c) ? 0xfffd : c;
}

static void add_character(mt_buf *out, uint32_t c)
{
    char bytes[4];
    mt_buf_add(out, bytes, mt_utf8_encode(c, bytes));
}

mt_str mt_picture_text(mt_arena *a, mt_str text, size_t most)
{
    mt_buf out = {0};
    size_t count = 0;
    for (; text.len && count < most; count++) {
        uint32_t c = next_character(&text);
        add_character(&out, c == '\t' ? ' ' : c);
    }
    mt_buf_addz(&out, text.len ? "…" : "");
    return mt_picture_keep(a, &out);
}

/* Characters that a long name may be broken behind. */
static bool joins_words(uint32_t c)
{
    return c == '_' || c == '/' || c == '-' || c == '.' || c == ',';
}

/* Takes the first line off: up to its newline, the last space that fits, behind the
 * last part of a name that fills half of it, or the room. */
static mt_str take_line(mt_str *rest)
{
    mt_str at = *rest;
    size_t fits = 0, space = 0, part = 0;
    for (size_t count = 0; count <= MT_PICTURE_LINE; count++) {
        mt_str before = at;
        fits = (size_t)(before.ptr - rest->ptr);
        uint32_t c = next_character(&at);
        if (!before.len || c == '\n') {
            mt_str line = mt_str_from(rest->ptr, fits);
            *rest = at;
            return line;
        }
        space = c == ' ' && count ? fits : space;
        bool half = count >= MT_PICTURE_LINE / 2 && count < MT_PICTURE_LINE;
        part = half && joins_words(c) ? (size_t)(at.ptr - rest->ptr) : part;
    }
    fits = space ? space : part ? part : fits;
    mt_str line = mt_str_from(rest->ptr, fits);
    *rest = mt_str_skip(*rest, fits + (space != 0));
    return line;
}

mt_str mt_picture_lines(mt_arena *a, mt_str label)
{
    /* Beyond this nothing is shown; one more, so that there is something to leave out.
     */
    label = mt_picture_text(a, label, MT_PICTURE_LINE * MT_PICTURE_LINES + 1);
    mt_buf out = {0};
    for (int i = 0; i < MT_PICTURE_LINES && label.len; i++) {
        mt_buf_addz(&out, i ? "\n" : "");
        mt_buf_adds(&out, take_line(&label));
    }
    mt_buf_addz(&out, label.len ? "…" : "");
    return mt_picture_keep(a, &out);
}

/* ---- visiting ---- */

/* Lists by group, the last row for those in no group: first is an index + 1, 0: none.
 */
typedef struct lists {
    uint32_t *first, *last, *next;
} lists;

static lists lists_new(mt_arena *a, size_t rows, size_t items)
{
    return (lists){mt_new_array(a, uint32_t, rows + 1),
                   mt_new_array(a, uint32_t, rows + 1),
                   mt_new_array(a, uint32_t, items + 1)};
}

static void list_add(lists *l, uint32_t row, uint32_t item)
{
    if (l->last[row]) {
        l->next[l->last[row] - 1] = item + 1;
    } else {
        l->first[row] = item + 1;
    }
    l->last[row] = item + 1;
}

typedef struct visit {
    const mt_picture_visitor *v;
    lists groups, nodes;
} visit;

/* Nodes of a group before the groups in it; depth is that of nesting. */
static void visit_row(const visit *x, uint32_t row, uint32_t depth)
{
    for (uint32_t n = x->nodes.first[row]; n; n = x->nodes.next[n - 1]) {
        x->v->node(x->v->context, n - 1, depth);
    }
    for (uint32_t g = x->groups.first[row]; g; g = x->groups.next[g - 1]) {
        x->v->begin(x->v->context, g - 1, depth);
        visit_row(x, g - 1, depth + 1);
        x->v->end(x->v->context, g - 1, depth);
    }
}

void mt_picture_visit(const mt_picture *p, const mt_picture_visitor *v)
{
    mt_arena a = {0};
    uint32_t rows = (uint32_t)p->groups.len;
    visit x = {v, lists_new(&a, rows, rows), lists_new(&a, rows, p->nodes.len)};
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t parent = p->groups.items[i].parent;
        list_add(&x.groups, parent == MT_PICTURE_NONE ? rows : parent, i);
    }
    for (uint32_t i = 0; i < p->nodes.len; i++) {
        uint32_t group = p->nodes.items[i].group;
        list_add(&x.nodes, group == MT_PICTURE_NONE ? rows : group, i);
    }
    visit_row(&x, rows, 0);
    mt_arena_free(&a);
}
