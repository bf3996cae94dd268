/* contract/front/format.c - prints the tree of format_tree.h in canonical layout.
 *
 * In this order: elaborate the text (it has to parse), build the tree, print it,
 * elaborate the result, compare the two (format_check.h). A result that is not the
 * same program is refused, never returned.
 *
 * An item that fits its line stays on it; otherwise its brackets open, one item per
 * line, and conditions break before `and` and `or`. Neighbouring one-line fields have
 * their values in one column. The author's empty lines stay, one at most.
 *
 * INVARIANT: printing moves white space only, and nothing but white space at the ends
 * of comments' lines is lost. Formatting what is formatted changes nothing.
 *
 * What may fail: MT_E_REJECTED with the diagnostics of pass 0, or T018 for brackets
 * nested too deeply. Both elaborations see the same files: what was read once is kept.
 */
#include "contract/front/format.h"

#include "base/map.h"
#include "base/utf8.h"
#include "contract/front/format_check.h"
#include "contract/front/format_tree.h"

/* Width of a line, indentation of a level, of a line that goes on. */
enum { COLUMNS = 88, STEP = 2, CONTINUED = 4 };

typedef struct printer {
    const fr_ftree *tree;
    mt_buf *out;
    size_t column; /* characters on the current line */
    size_t indent; /* of the current line */
} printer;

/* Columns are characters, so that text of other scripts is not broken too early. */
static void put(printer *p, mt_str text)
{
    mt_buf_adds(p->out, text);
    p->column += mt_utf8_count(text);
}

static void put_spaces(printer *p, size_t count)
{
    while (count--) {
        put(p, MT_STR(" "));
    }
}

static void new_line(printer *p, size_t indent)
{
    mt_buf_addc(p->out, '\n');
    p->column = 0;
    p->indent = indent;
    put_spaces(p, indent);
}

/* Comments keep their lines; only white space at the ends of lines goes. */
static void put_comment(printer *p, const fr_token *t)
{
    mt_str text = fr_ftree_text(p->tree, t);
    while (text.len) {
        size_t end = mt_str_find(text, '\n');
        mt_str line = mt_str_from(text.ptr, end);
        while (line.len && strchr(" \t\r", line.ptr[line.len - 1])) {
            line.len--;
        }
        put(p, line);
        text = mt_str_skip(text, end);
        if (text.len) {
            mt_buf_addc(p->out, '\n');
            p->column = 0;
            text = mt_str_skip(text, 1);
        }
    }
}

static void print_group(printer *p, const fr_fgroup *g, size_t behind);
static void print_item(printer *p, const fr_fitem *item, size_t pad);

static mt_str token_text(const printer *p, const fr_token *t)
{
    return fr_ftree_text(p->tree, t);
}

/* Behind `//` nothing may follow on the line. */
static bool ends_line(const printer *p, const fr_token *t)
{
    return t->kind == FR_T_COMMENT && p->tree->text.ptr[t->start + 1] == '/';
}

static void print_tail(printer *p, const fr_fitem *item)
{
    for (size_t i = 0; i < item->tail.len; i++) {
        put_spaces(p, 2);
        put_comment(p, item->tail.items[i]);
    }
}

/* Everything on this line; the caller knows that it fits. */
static void print_flat(printer *p, const fr_fitem *item)
{
    for (size_t i = 0; i < item->nodes.len; i++) {
        const fr_fnode *n = &item->nodes.items[i];
        put_spaces(p, i && fr_ftree_spaced(n - 1, n));
        if (n->t) {
            put(p, fr_ftree_node_text(p->tree, n));
        } else {
            print_group(p, n->group, 0);
        }
    }
}

static void print_group_flat(printer *p, const fr_fgroup *g)
{
    bool padded = g->open->kind == FR_T_LBRACE && g->items.len;
    put(p, token_text(p, g->open));
    put_spaces(p, padded);
    for (size_t i = 0; i < g->items.len; i++) {
        put_spaces(p, i > 0);
        print_flat(p, &g->items.items[i]);
    }
    put_spaces(p, padded);
    put(p, token_text(p, g->close));
}

/* `[{ ... }]`: a bracket around nothing but a bracket adds no level. */
static const fr_fgroup *only_group(const fr_fgroup *g)
{
    if (g->items.len != 1 || g->head.len || g->block) {
        return NULL;
    }
    const fr_fitem *item = &g->items.items[0];
    return item->nodes.len == 1 && !item->tail.len ? item->nodes.items[0].group : NULL;
}

/* `word: value`, the value being at least one node. */
static bool is_field(const fr_fitem *item)
{
    return item->nodes.len > 2 && item->nodes.items[0].t && item->nodes.items[1].t &&
           item->nodes.items[0].t->kind == FR_T_WORD &&
           item->nodes.items[1].t->kind == FR_T_COLON;
}

static bool fits_line(const fr_fitem *item, size_t indent)
{
    return item->width != FR_F_WIDE && indent + item->width <= COLUMNS;
}

static size_t key_width(const printer *p, const fr_fitem *item)
{
    return mt_utf8_count(token_text(p, item->nodes.items[0].t));
}

/* Neighbouring one-line fields have their values in one column. */
typedef struct column {
    size_t end;    /* index of the first item that is not in it */
    size_t widest; /* key */
} column;

static bool is_aligned(const fr_fitem *item, size_t indent)
{
    return is_field(item) && fits_line(item, indent);
}

/* Neighbours whose values stand in one column: a blank line or an item that does not
 * fit the pattern ends it. */
static column column_from(const printer *p, const fr_fgroup *g, size_t at,
                          size_t indent)
{
    const fr_fitem *items = g->items.items;
    column c = {at + 1, 0};
    if (!is_aligned(&items[at], indent)) {
        return c;
    }
    c.widest = key_width(p, &items[at]);
    for (; c.end < g->items.len && !items[c.end].blank_before &&
           is_aligned(&items[c.end], indent);
         c.end++) {
        size_t width = key_width(p, &items[c.end]);
        c.widest = width > c.widest ? width : c.widest;
    }
    return c;
}

/* A group that has only a group inside shares its lines, so that ([ ... ]) is not
 * indented twice. */
static void print_group_lines(printer *p, const fr_fgroup *g)
{
    size_t outer = p->indent, inner = outer + STEP;
    put(p, token_text(p, g->open));
    const fr_fgroup *only = only_group(g);
    if (only) {
        print_group_lines(p, only);
        put(p, token_text(p, g->close));
        return;
    }
    for (size_t i = 0; i < g->head.len; i++) {
        put_spaces(p, 2);
        put_comment(p, g->head.items[i]);
    }
    column c = {0};
    for (size_t i = 0; i < g->items.len; i++) {
        const fr_fitem *item = &g->items.items[i];
        if (i && item->blank_before) {
            mt_buf_addc(p->out, '\n');
        }
        c = i < c.end ? c : column_from(p, g, i, inner);
        size_t pad = c.widest ? c.widest - key_width(p, item) : 0;
        bool padded = pad && inner + item->width + pad <= COLUMNS;
        new_line(p, inner);
        print_item(p, item, padded ? pad : 0);
    }
    new_line(p, outer);
    put(p, token_text(p, g->close));
}

/* `behind`: characters that follow the group on its last line at least. */
static void print_group(printer *p, const fr_fgroup *g, size_t behind)
{
    bool flat = g->width != FR_F_WIDE && p->column + g->width + behind <= COLUMNS;
    if (flat || (g->width != FR_F_WIDE && !g->items.len)) {
        print_group_flat(p, g);
    } else {
        print_group_lines(p, g);
    }
}

static bool has_logical(const fr_fitem *item)
{
    for (size_t i = 0; i < item->nodes.len; i++) {
        if (item->nodes.items[i].role == FR_F_LOGICAL) {
            return true;
        }
    }
    return false;
}

/* A node in the middle of an item that takes several lines. */
static void print_node(printer *p, const fr_fitem *item, size_t i, size_t continued)
{
    const fr_fnode *n = &item->nodes.items[i], *last = i ? n - 1 : NULL;
    bool broken = last && last->t && ends_line(p, last->t);
    bool own_line =
        n->role == FR_F_COMMENT && last && (!last->t || n->t->line > last->t->line);
    if (broken || own_line || (n->role == FR_F_LOGICAL && i)) {
        new_line(p, continued);
    } else {
        put_spaces(p, last && fr_ftree_spaced(last, n));
    }
    if (!n->t) {
        bool comma = i + 1 < item->nodes.len;
        print_group(p, n->group, comma);
    } else if (n->t->kind == FR_T_COMMENT) {
        put_comment(p, n->t);
    } else {
        put(p, fr_ftree_node_text(p->tree, n));
    }
}

/* On one line if it fits; else broken at `and` and `or`. An item without those stays
 * on its line however long, since there is no place to break it. */
static void print_item(printer *p, const fr_fitem *item, size_t pad)
{
    size_t start = p->indent, continued = start + CONTINUED;
    bool flat = item->width != FR_F_WIDE &&
                (p->column + item->width <= COLUMNS || !has_logical(item));
    for (size_t i = 0; i < item->nodes.len; i++) {
        const fr_fnode *n = &item->nodes.items[i];
        if (flat && n->t) {
            put_spaces(p, i && fr_ftree_spaced(n - 1, n));
            put(p, fr_ftree_node_text(p->tree, n));
        } else if (flat) {
            put_spaces(p, i && fr_ftree_spaced(n - 1, n));
            print_group(p, n->group, i + 1 < item->nodes.len);
        } else {
            print_node(p, item, i, continued);
        }
        put_spaces(p, i == 1 ? pad : 0);
    }
    print_tail(p, item);
}

/* An empty line stands between constructs with a body, and where the author left one.
 */
static bool blank_between(const fr_fitem *before, const fr_fitem *item)
{
    if (item->blank_before) {
        return true;
    }
    return before->has_body || (item->has_body && !before->is_comment);
}

static void print_file(printer *p)
{
    const fr_fgroup *file = p->tree->file;
    for (size_t i = 0; i < file->items.len; i++) {
        const fr_fitem *item = &file->items.items[i];
        if (i && blank_between(item - 1, item)) {
            mt_buf_addc(p->out, '\n');
        }
        p->column = p->indent = 0;
        print_item(p, item, 0);
        mt_buf_addc(p->out, '\n');
    }
}

/* ---- Checks before and after ---- */

/* The files around the one that is formatted, with another text for this one. What was
 * read once is kept, so that both elaborations see the same files. */
typedef struct overlay {
    const mt_provider *files;
    mt_map *known;     /* id -> mt_str * of the other files */
    mt_str text, root; /* id of the file, once it was looked for */
} overlay;

/* Relies on the elaborator asking for the root before any import. */
static mt_err overlay_find(void *state, mt_arena *a, mt_str dir, mt_str path,
                           mt_str *id, mt_str *why)
{
    overlay *o = state;
    mt_err err = o->files->find(o->files->state, a, dir, path, id, why);
    if (!err && !o->root.ptr) {
        o->root = *id; /* the root is looked for first */
    }
    return err;
}

/* The text being formatted is read from memory under its own name; other files once,
 * so that both elaborations of the check see the same bytes. */
static mt_err overlay_read(void *state, mt_arena *a, mt_str id, size_t limit,
                           mt_str *text, mt_str *why)
{
    overlay *o = state;
    const mt_str *known = (const mt_str *)mt_map_get(o->known, id, 0);
    if (mt_str_eq(id, o->root) || known) {
        *text = known ? *known : o->text;
        return text->len > limit ? MT_E_LIMIT : MT_OK;
    }
    mt_err err = o->files->read(o->files->state, a, id, limit, text, why);
    if (!err) {
        mt_str *kept = mt_new(a, mt_str);
        *kept = *text;
        mt_map_put(a, o->known, mt_str_dup(a, id), (uintptr_t)kept);
    }
    return err;
}

typedef struct job {
    mt_arena *keep;
    mt_str file;
    const mt_provider *files; /* NULL: the file stands alone */
    const mt_limits *limits;
    mt_diags *ds;
    mt_map *known; /* see overlay */
} job;

/* Elaborates `text` in place of the file's own. Errors of pass 0 mean that it does not
 * parse and are handed on; what other files and passes say is not the business of the
 * layout. Warnings are left out, and faults of imports too: a file can be formatted
 * while others are broken. */
static mt_err elaborate(const job *j, mt_str text, fr_layout *out)
{
    mt_memory_file only = {j->file, text};
    mt_memory memory = {&only, 1};
    mt_provider alone = mt_memory_provider(&memory);
    overlay o = {j->files ? j->files : &alone, j->known, text, {0}};
    mt_provider provider = {&o, overlay_find, overlay_read};
    ct_options options = {.no_warnings = true, .limits = j->limits};
    mt_diags found = {.arena = j->keep};
    *out = (fr_layout){.text = text};
    ct_elaborate(j->keep, j->file, &provider, &options, &found, &out->e);
    size_t before = j->ds->errors;
    for (size_t i = 0; i < found.len; i++) {
        mt_diag d = found.items[i];
        const mt_diag *s = d.suite ? d.suite : &d; /* which file it is a fault of */
        bool ours = mt_str_eq(s->file, j->file) || mt_str_eq(s->file, o.root);
        bool unreadable = s->pass == 1 && s->line == 0 && !s->field.ptr;
        if (d.severity == MT_ERROR && ours && (d.pass == 0 || unreadable)) {
            d.file = j->file;
            mt_diag_add(j->ds, &d);
        }
    }
    return j->ds->errors > before ? MT_E_REJECTED : MT_OK;
}

/* A parallel step in a parallel step opens so many for one level of source_depth. */
enum { BRACKETS = 4 };

/* Depth is bounded by what the parser accepts: deeper text has been refused before. */
static mt_err layout(const job *j, mt_str text, mt_buf *out)
{
    fr_symbols syms;
    fr_tokens tokens;
    fr_symbols_init(&syms, j->keep);
    fr_lex(j->keep, &syms, text, j->limits, FR_LEX_COMMENTS, &tokens);
    fr_ftree tree = {.a = j->keep, .text = text};
    size_t depth = (j->limits->source_depth + 1) * BRACKETS;
    if (tokens.fault_count || !fr_ftree_build(&tree, &tokens, depth)) {
        return MT_E_LIMIT;
    }
    printer p = {.tree = &tree, .out = out};
    print_file(&p);
    return MT_OK;
}

static mt_err refuse(const job *j, const char *code, mt_str message)
{
    const ct_code_info *info = ct_code_find(mt_str_z(code));
    mt_diag d = {.severity = MT_ERROR,
                 .code = code,
                 .file = j->file,
                 .message = message,
                 .hint = info ? mt_str_z(info->hint) : MT_STR("")};
    mt_diag_add(j->ds, &d);
    return MT_E_REJECTED;
}

/* Our own promise, kept at run time. */
static mt_err check_result(const job *j, const fr_layout *before, mt_str text)
{
    fr_layout after;
    mt_diags ignored = {.arena = j->keep};
    job again = *j;
    again.ds = &ignored; /* they would be shown against the wrong text */
    mt_str fault = elaborate(&again, text, &after) != MT_OK
                       ? MT_STR("whether it parses")
                       : fr_layout_fault(j->keep, before, &after, j->limits);
    return !fault.len
               ? MT_OK
               : refuse(j, FR_CODE_LAYOUT,
                        mt_strf(j->ds->arena,
                                "formatting would change %.*s, so nothing was changed",
                                MT_ARG(fault)));
}

/* `out` is set before the check, but a caller must not use it after an error. */
mt_err fr_format(mt_arena *keep, mt_str file, mt_str text, const mt_provider *files,
                 const mt_limits *limits, mt_diags *ds, mt_str *out)
{
    mt_map known = {0};
    job j = {keep, file, files, limits ? limits : &MT_LIMITS_DEFAULT, ds, &known};
    fr_layout before;
    mt_err err = elaborate(&j, text, &before);
    if (err) {
        return err;
    }
    mt_buf laid = {0};
    if (layout(&j, text, &laid) != MT_OK) {
        err = refuse(&j, "T018", MT_STR("nested too deeply (limit source_depth)"));
    } else {
        *out = mt_str_dup(keep, laid.len ? mt_buf_str(&laid) : MT_STR(""));
        err = check_result(&j, &before, *out);
    }
    mt_buf_free(&laid);
    return err;
}
