/* agent/triggers.c - see triggers.h.
 *
 * A tree of trigger names, from an indented text or from JSON. Levels are opened by a
 * deeper indent and closed by going back to one that is open; an indent between two
 * levels is refused, with the line number. Tabs go to multiples of eight.
 *
 * A trigger's path is the indices from the root, so covering (an ancestor accepts what
 * its descendants signal) is a comparison of prefixes. Names must be such that a
 * Python agent could use them as attributes (RESERVED). A name may occur twice in a
 * tree; the later one is found.
 *
 * What may fail: MT_E_SYNTAX with a sentence; names live in the caller's arena. */
#include "agent/triggers.h"

#include "agent/chars.h"
#include "base/vec.h"

/* Names a Python agent could not use as attributes. */
static const char *const RESERVED[] = {
    "False",   "None",     "True",     "and",     "as",   "assert", "async",  "await",
    "break",   "class",    "continue", "def",     "del",  "elif",   "else",   "except",
    "finally", "for",      "from",     "global",  "if",   "import", "in",     "is",
    "lambda",  "nonlocal", "not",      "or",      "pass", "raise",  "return", "try",
    "while",   "with",     "yield",    "name_of",
};

static bool reserved(mt_str name)
{
    for (size_t i = 0; i < sizeof RESERVED / sizeof *RESERVED; i++) {
        if (mt_str_eq(mt_str_z(RESERVED[i]), name)) {
            return true;
        }
    }
    return name.len && name.ptr[0] == '_';
}

static mt_err refused_name(mt_arena *a, mt_str name, mt_str *why)
{
    *why = mt_strf(a, "`%.*s` cannot be a trigger's name", MT_ARG(name));
    return MT_E_SYNTAX;
}

/* Siblings differ; its path is its parent's and its own number. Only lines of text
 * have to be identifiers: a tree may have any name that is not reserved. */
static mt_err add_trigger(mt_arena *a, ag_triggers *t, mt_str name, uint32_t parent,
                          mt_str *why)
{
    if (reserved(name)) {
        return refused_name(a, name, why);
    }
    uint32_t roots = 0;
    for (size_t i = 0; i < t->len; i++) {
        roots += t->items[i].depth == 1;
        if (t->items[i].parent == parent && mt_str_eq(t->items[i].name, name)) {
            *why = mt_strf(a, "`%.*s` is there twice", MT_ARG(name));
            return MT_E_SYNTAX;
        }
    }
    uint32_t depth = parent == UINT32_MAX ? 0 : t->items[parent].depth;
    uint32_t *path = mt_new_array(a, uint32_t, depth + 1);
    if (depth) {
        memcpy(path, t->items[parent].path, depth * sizeof *path);
        path[depth] = t->items[parent].children++;
    } else {
        path[0] = roots;
    }
    mt_vec_push(a, t, ((ag_trigger){name, path, depth + 1, parent, 0}));
    return MT_OK;
}

/* The line without its comment and ends; *indent in columns, tabs to multiples of 8. */
static mt_str cut_line(mt_str line, size_t *indent)
{
    line.len = mt_str_find(line, '#');
    size_t at = 0;
    for (*indent = 0; at < line.len && ag_is_space(line.ptr[at]); at++) {
        *indent = line.ptr[at] == '\t' ? (*indent / 8 + 1) * 8 : *indent + 1;
    }
    line = mt_str_skip(line, at);
    while (line.len && ag_is_space(line.ptr[line.len - 1])) {
        line.len--;
    }
    return line;
}

enum { MAX_LEVELS = 64 };
typedef struct levels {
    size_t indent[MAX_LEVELS];
    uint32_t last[MAX_LEVELS]; /* the trigger last read at that level */
    size_t depth;              /* of the line before */
} levels;

/* Finds the level of a line; false: no such level is open. */
static bool enter_level(levels *l, size_t indent, bool first)
{
    if (indent > l->indent[l->depth]) {
        if (first || l->depth + 1 == MAX_LEVELS) {
            return false;
        }
        l->indent[++l->depth] = indent;
        return true;
    }
    while (l->depth && indent < l->indent[l->depth]) {
        l->depth--;
    }
    return indent == l->indent[l->depth];
}

/* Indented lines, a level deeper for what is inside. The first line is not indented;
 * going back must meet a level that is open. */
mt_err ag_triggers_read(mt_arena *a, mt_str text, ag_triggers *out, mt_str *why)
{
    levels l = {.depth = 0};
    for (uint32_t number = 1; text.len; number++) {
        size_t length = mt_str_find(text, '\n'), indent;
        mt_str name = cut_line(mt_str_from(text.ptr, length), &indent);
        text = mt_str_skip(text, length + 1);
        if (!name.len) {
            continue;
        }
        if (!enter_level(&l, indent, out->len == 0)) {
            *why =
                mt_strf(a, "line %u: this indent opens no level that is known", number);
            return MT_E_SYNTAX;
        }
        uint32_t parent = l.depth ? l.last[l.depth - 1] : UINT32_MAX;
        mt_err err = ag_is_identifier(name) ? add_trigger(a, out, name, parent, why)
                                            : refused_name(a, name, why);
        if (err) {
            *why = mt_strf(a, "line %u: %.*s", number, MT_ARG(*why));
            return err;
        }
        l.last[l.depth] = (uint32_t)out->len - 1;
    }
    return MT_OK;
}

/* Depth is bounded by the reader that made the tree. */
static mt_err add_children(mt_arena *a, const mt_json *tree, uint32_t parent,
                           ag_triggers *out, mt_str *why)
{
    for (uint32_t i = 0; i < tree->count; i++) {
        const mt_json_member *m = &tree->as.members[i];
        bool leaf = mt_json_is(&m->value, MT_JSON_NULL);
        if (!leaf && !mt_json_is(&m->value, MT_JSON_OBJECT)) {
            *why = mt_strf(a, "`%.*s` must be null or an object", MT_ARG(m->key));
            return MT_E_SYNTAX;
        }
        mt_err err = add_trigger(a, out, m->key, parent, why);
        if (!err && !leaf) {
            err = add_children(a, &m->value, (uint32_t)out->len - 1, out, why);
        }
        if (err) {
            return err;
        }
    }
    return MT_OK;
}

mt_err ag_triggers_from_tree(mt_arena *a, const mt_json *tree, ag_triggers *out,
                             mt_str *why)
{
    if (!mt_json_is(tree, MT_JSON_OBJECT)) {
        *why = MT_STR("a tree of triggers is an object");
        return MT_E_SYNTAX;
    }
    return add_children(a, tree, UINT32_MAX, out, why);
}

const ag_trigger *ag_trigger_find(const ag_triggers *t, mt_str name)
{
    for (size_t i = t->len; i-- > 0;) {
        if (mt_str_eq(t->items[i].name, name)) {
            return &t->items[i];
        }
    }
    return NULL;
}

bool ag_trigger_covers(const ag_trigger *a, const ag_trigger *b)
{
    return a->depth <= b->depth &&
           memcmp(a->path, b->path, a->depth * sizeof *a->path) == 0;
}
