/* lsp/spot.c - see spot.h.
 *
 * Line by line. Outside of brackets the column of a line says which objects and lists
 * it belongs to: frames that are further in are left. Inside brackets, of YAML and of
 * JSON alike, lines do not matter. What stands below `|` or `>` is passed over.
 *
 * Whoever wants to know a place gives its offset: the first text that touches it is the
 * answer, or, where there is only white space, what the frames say could stand there.
 *
 * INVARIANT: no frame is entered beyond LS_SPOT_DEPTH; what lies deeper is scanned
 * with the path of what is around it. */
#include "lsp/spot.h"

typedef struct frame {
    size_t indent; /* of an object or list without brackets */
    bool is_flow, is_list, has_key;
    mt_str key;
    uint32_t index;
} frame;

typedef struct scan {
    mt_str text;
    frame frames[LS_SPOT_DEPTH];
    size_t depth, skipped; /* brackets that were too deep */
    size_t below;          /* lines further in than this are the text of a `|` */
    bool is_literal;
    ls_spot_each *each;
    void *context;
    size_t cursor; /* SIZE_MAX: nobody asks */
    bool is_over;
} scan;

/* ---- frames ---- */

static void push(scan *s, frame f)
{
    if (s->depth < LS_SPOT_DEPTH - 1) {
        s->frames[s->depth++] = f;
    } else {
        s->skipped += f.is_flow;
    }
}

static frame *top(scan *s)
{
    return s->depth ? &s->frames[s->depth - 1] : NULL;
}

static ls_spot spot_of(const scan *s, size_t depth)
{
    ls_spot out = {.is_flow = depth && s->frames[depth - 1].is_flow};
    for (size_t i = 0; i < depth; i++) {
        const frame *f = &s->frames[i];
        if (f->is_list || f->has_key) {
            out.path[out.depth++] = (ls_step){f->key, f->index, f->is_list};
        }
    }
    return out;
}

/* ---- telling ---- */

static void tell(scan *s, ls_spot *spot, size_t from, size_t to)
{
    spot->range = (ls_range){from, to};
    spot->text = mt_str_from(s->text.ptr + from, to - from);
    if (spot->is_key) {
        /* the key itself is the last step, whatever the frame knows by now */
        spot->path[spot->depth++] = (ls_step){.key = spot->text};
    }
    bool is_asked = s->cursor == SIZE_MAX || (from <= s->cursor && s->cursor <= to);
    if (!s->is_over && is_asked) {
        s->is_over = !s->each(s->context, spot) || s->cursor != SIZE_MAX;
    }
}

/* White space from `from` to `to`: is the cursor in it? */
static bool is_gap(const scan *s, size_t from, size_t to)
{
    return !s->is_over && s->cursor != SIZE_MAX && from <= s->cursor && s->cursor <= to;
}

static void tell_gap(scan *s, ls_spot spot)
{
    tell(s, &spot, s->cursor, s->cursor);
}

/* Of a line that has nothing yet, with the cursor at the column. */
static void tell_blank(scan *s, size_t column)
{
    size_t d = s->depth;
    while (d && (s->frames[d - 1].indent > column ||
                 (s->frames[d - 1].is_list && s->frames[d - 1].indent == column))) {
        d--;
    }
    const frame *f = d ? &s->frames[d - 1] : NULL;
    bool is_key = !f || (!f->is_list && f->indent == column);
    ls_spot spot = spot_of(s, is_key && d ? d - 1 : d);
    spot.is_key = is_key;
    spot.may_be_key = !is_key;
    tell_gap(s, spot);
}

/* ---- texts ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static size_t skip_blank(const scan *s, size_t at, size_t end)
{
    while (at < end && is_blank(s->text.ptr[at])) {
        at++;
    }
    return at;
}

/* A colon that ends a key: a space or the end of the line follows. */
static bool is_colon(const scan *s, size_t at, size_t end)
{
    return at < end && s->text.ptr[at] == ':' &&
           (at + 1 >= end || is_blank(s->text.ptr[at + 1]) ||
            s->text.ptr[at + 1] == '\n');
}

/* One text; *next is behind it, with its quotes. */
typedef struct piece {
    size_t from, to, next;
    bool is_quoted;
} piece;

static piece quoted_at(const scan *s, size_t at, size_t end)
{
    char quote = s->text.ptr[at];
    piece p = {.from = at + 1, .is_quoted = true};
    size_t i = at + 1;
    while (i < end && s->text.ptr[i] != quote) {
        i += quote == '"' && s->text.ptr[i] == '\\' && i + 1 < end ? 2 : 1;
    }
    p.to = i < end ? i : end;
    p.next = i < end ? i + 1 : end;
    return p;
}

static piece plain_at(const scan *s, size_t at, size_t end, bool is_flow)
{
    size_t i = at;
    while (i < end && !is_colon(s, i, end)) {
        char c = s->text.ptr[i];
        if ((c == '#' && i > at && is_blank(s->text.ptr[i - 1])) ||
            (is_flow && (c == ',' || c == '{' || c == '}' || c == '[' || c == ']'))) {
            break;
        }
        i++;
    }
    piece p = {.from = at, .to = i, .next = i};
    while (p.to > p.from && is_blank(s->text.ptr[p.to - 1])) {
        p.to--;
    }
    return p;
}

static piece piece_at(const scan *s, size_t at, size_t end, bool is_flow)
{
    char c = s->text.ptr[at];
    return c == '"' || c == '\'' ? quoted_at(s, at, end)
                                 : plain_at(s, at, end, is_flow);
}

/* A value that goes on being written: blanks up to the cursor belong to it. */
static size_t end_of_value(const scan *s, piece p)
{
    bool is_behind = s->cursor != SIZE_MAX && p.to < s->cursor && s->cursor <= p.next;
    return is_behind && !p.is_quoted ? s->cursor : p.to;
}

/* ---- inside brackets ---- */

static void flow_text(scan *s, size_t *at, size_t end)
{
    piece p = piece_at(s, *at, end, true);
    size_t behind = skip_blank(s, p.next, end);
    frame *f = top(s);
    bool has_colon = is_colon(s, behind, end) ||
                     (p.is_quoted && behind < end && s->text.ptr[behind] == ':');
    bool is_key = f && !f->is_list && (has_colon || !f->has_key);
    ls_spot spot = spot_of(s, is_key ? s->depth - 1 : s->depth);
    spot.is_key = is_key;
    spot.is_flow = true;
    spot.is_quoted = p.is_quoted;
    tell(s, &spot, p.from, is_key ? p.to : end_of_value(s, p));
    if (is_key && has_colon) {
        f->key = mt_str_from(s->text.ptr + p.from, p.to - p.from);
        f->has_key = true;
    }
    *at = p.next > *at ? p.next : *at + 1;
}

static void flow_gap(scan *s)
{
    const frame *f = &s->frames[s->depth - 1];
    bool is_key = !f->is_list && !f->has_key;
    ls_spot spot = spot_of(s, is_key ? s->depth - 1 : s->depth);
    spot.is_key = is_key;
    spot.is_flow = true;
    tell_gap(s, spot);
}

static void flow_sign(scan *s, char c)
{
    frame *f = &s->frames[s->depth - 1];
    if (c == '{' || c == '[') {
        push(s, (frame){.is_flow = true, .is_list = c == '['});
    } else if (c == '}' || c == ']') {
        if (s->skipped) {
            s->skipped--;
        } else {
            s->depth--;
        }
    } else if (c == ',' && f->is_list) {
        f->index++;
    } else if (c == ',') {
        f->has_key = false;
    }
}

/* Until the brackets are closed or the line ends; where it stopped. */
static size_t scan_flow(scan *s, size_t at, size_t end)
{
    while (!s->is_over && s->depth && top(s)->is_flow) {
        size_t next = skip_blank(s, at, end);
        bool is_text = next < end && !strchr("{}[],:#", s->text.ptr[next]);
        if (is_gap(s, at, is_text ? next - (next > at) : next) &&
            !(is_text && s->cursor == next)) {
            flow_gap(s);
        }
        at = next;
        if (at >= end ||
            (s->text.ptr[at] == '#' && at && is_blank(s->text.ptr[at - 1]))) {
            return end;
        }
        if (is_text || s->text.ptr[at] == '#') {
            flow_text(s, &at, end);
        } else {
            flow_sign(s, s->text.ptr[at]);
            at++;
        }
    }
    return at;
}

/* ---- by indentation ---- */

static void block_value(scan *s, size_t at, size_t end, size_t column)
{
    size_t next = skip_blank(s, at, end);
    bool is_empty = next >= end || (s->text.ptr[next] == '#' && next > at);
    if (is_empty) {
        if (is_gap(s, at, end)) {
            tell_gap(s, spot_of(s, s->depth));
        }
        return;
    }
    char c = s->text.ptr[next];
    if (c == '{' || c == '[') {
        push(s, (frame){.is_flow = true, .is_list = c == '['});
        scan_flow(s, next + 1, end);
    } else if (c == '|' || c == '>') {
        s->is_literal = true;
        s->below = column;
    } else {
        piece p = piece_at(s, next, end, false);
        ls_spot spot = spot_of(s, s->depth);
        spot.is_quoted = p.is_quoted;
        tell(s, &spot, p.from, end_of_value(s, p));
    }
}

static void block_key(scan *s, piece p, size_t column)
{
    frame *f = top(s);
    if (!f || f->is_list || f->indent != column) {
        push(s, (frame){.indent = column});
        f = &s->frames[s->depth - 1];
    }
    ls_spot spot = spot_of(s, s->depth - 1);
    spot.is_key = true;
    spot.is_quoted = p.is_quoted;
    tell(s, &spot, p.from, p.to);
    f->key = mt_str_from(s->text.ptr + p.from, p.to - p.from);
    f->has_key = true;
}

/* No colon follows: a key that is being written, or a value. */
static void block_text(scan *s, piece p, size_t column)
{
    frame *f = top(s);
    bool is_key = !f || (!f->is_list && f->indent == column);
    ls_spot spot = spot_of(s, is_key && f ? s->depth - 1 : s->depth);
    spot.is_key = is_key;
    spot.may_be_key = !is_key;
    spot.is_quoted = p.is_quoted;
    tell(s, &spot, p.from, is_key ? p.to : end_of_value(s, p));
}

/* `- ` and what follows it on its line. */
static size_t enter_item(scan *s, size_t at, size_t start, size_t end)
{
    size_t column = at - start;
    frame *f = top(s);
    if (f && f->is_list && f->indent == column) {
        f->index++;
    } else {
        push(s, (frame){.indent = column, .is_list = true});
    }
    size_t next = skip_blank(s, at + 1, end);
    if (is_gap(s, at + 1, next >= end ? end : next - 1)) {
        ls_spot spot = spot_of(s, s->depth);
        spot.may_be_key = true;
        tell_gap(s, spot);
    }
    return next;
}

static void leave_until(scan *s, size_t column, bool is_item)
{
    while (s->depth && (s->frames[s->depth - 1].indent > column ||
                        (!is_item && s->frames[s->depth - 1].is_list &&
                         s->frames[s->depth - 1].indent == column))) {
        s->depth--;
    }
}

static void scan_block(scan *s, size_t at, size_t start, size_t end)
{
    const char *text = s->text.ptr;
    bool is_item = text[at] == '-' && (at + 1 >= end || is_blank(text[at + 1]));
    leave_until(s, at - start, is_item);
    while (is_item && !s->is_over) {
        at = enter_item(s, at, start, end);
        if (at >= end || text[at] == '#') {
            return;
        }
        is_item = text[at] == '-' && (at + 1 >= end || is_blank(text[at + 1]));
    }
    if (text[at] == '{' || text[at] == '[' || text[at] == '|' || text[at] == '>') {
        block_value(s, at, end, at - start);
        return;
    }
    piece p = piece_at(s, at, end, false);
    size_t colon = skip_blank(s, p.next, end);
    if (!is_colon(s, colon, end)) {
        block_text(s, p, at - start);
        return;
    }
    block_key(s, p, at - start);
    block_value(s, colon + 1, end, at - start);
}

static void scan_line(scan *s, size_t start, size_t end)
{
    size_t at = skip_blank(s, start, end);
    bool is_blank_line = at >= end || s->text.ptr[at] == '#';
    if (s->depth && top(s)->is_flow) {
        scan_flow(s, start, end);
        return;
    }
    if (s->is_literal && (at >= end || at - start > s->below)) {
        s->is_over |= is_gap(s, start, end);
        return;
    }
    s->is_literal = false;
    if (is_gap(s, start, is_blank_line ? end : at) && s->cursor != at) {
        tell_blank(s, s->cursor - start);
    } else if (is_blank_line && is_gap(s, start, end)) {
        tell_blank(s, at - start);
    } else if (!is_blank_line &&
               !mt_str_starts(mt_str_skip(s->text, at), MT_STR("---"))) {
        scan_block(s, at, start, end);
    }
}

static void scan_all(scan *s)
{
    for (size_t start = 0; start <= s->text.len && !s->is_over;) {
        size_t end = start + mt_str_find(mt_str_skip(s->text, start), '\n');
        scan_line(s, start, end);
        start = end + 1;
    }
}

void ls_spots(mt_str text, ls_spot_each *each, void *context)
{
    scan s = {.text = text.len ? text : MT_STR(""),
              .each = each,
              .context = context,
              .cursor = SIZE_MAX};
    scan_all(&s);
}

/* ---- one place ---- */

typedef struct taken {
    ls_spot *out;
    bool is_found;
} taken;

static bool take(void *context, const ls_spot *s)
{
    taken *t = context;
    *t->out = *s;
    t->is_found = true;
    return false;
}

bool ls_spot_at(mt_str text, size_t offset, ls_spot *out)
{
    taken t = {.out = out};
    scan s = {.text = text.len ? text : MT_STR(""),
              .each = take,
              .context = &t,
              .cursor = offset};
    scan_all(&s);
    return t.is_found;
}

/* ---- paths ---- */

static bool step_is(const ls_step *step, mt_str word)
{
    return mt_str_is(word, "#")   ? step->is_item
           : mt_str_is(word, "*") ? !step->is_item
                                  : !step->is_item && mt_str_eq(step->key, word);
}

bool ls_spot_is(const ls_spot *s, const char *pattern)
{
    bool is_whole = pattern[0] == '/';
    mt_str rest = mt_str_z(pattern + is_whole);
    size_t words = 1, at;
    for (size_t i = 0; i < rest.len; i++) {
        words += rest.ptr[i] == '/';
    }
    if (words > s->depth || (is_whole && words != s->depth)) {
        return false;
    }
    for (at = s->depth - words; rest.len; at++) {
        size_t end = mt_str_find(rest, '/');
        if (!step_is(&s->path[at], mt_str_from(rest.ptr, end))) {
            return false;
        }
        rest = mt_str_skip(rest, end + 1);
    }
    return true;
}

bool ls_spot_shares(const ls_spot *a, const ls_spot *b, size_t depth)
{
    for (size_t i = 0; i < depth; i++) {
        const ls_step *x = &a->path[i], *y = &b->path[i];
        if (i >= a->depth || i >= b->depth || x->is_item != y->is_item ||
            (x->is_item ? x->index != y->index : !mt_str_eq(x->key, y->key))) {
            return false;
        }
    }
    return true;
}
