/* agent/route_sdk.c - see route_sdk.h.
 *
 * Styles are tried in registration order; per style six forms are tried in order and
 * the first that fits is final. Scanning is linear: every search below only moves
 * forward. Empty tokens are dropped, list items are not checked.
 *
 * This is what the existing library accepts, not what would be sensible: text that
 * fits no style is one object route, names may hold letters of any script, an arrow
 * style may be registered with glyphs of its own. Deviations from the profile are
 * listed in the conformance statement (trace.c).
 *
 * What may fail: MT_E_SYNTAX with the offset, for text that is not UTF-8 and for
 * tokens the library refuses. */
#include "agent/route_sdk.h"

#include "agent/chars.h"
#include "base/utf8.h"
#include "base/vec.h"

typedef struct shape {
    mt_str part[AG_PARTS]; /* source, label, target, as written */
} shape;

static const size_t NOWHERE = (size_t)-1;

static size_t find_from(mt_str text, mt_str glyph, size_t from)
{
    if (from > text.len) {
        return NOWHERE;
    }
    const char *p = memmem(text.ptr + from, text.len - from, glyph.ptr, glyph.len);
    return p ? (size_t)(p - text.ptr) : NOWHERE;
}

static mt_str between(mt_str text, size_t from, size_t to)
{
    return ag_strip(mt_str_from(text.ptr + from, to - from));
}

/* A segment fits when it has no newline inside. */
static bool one_line(mt_str segment)
{
    return mt_str_find(segment, '\n') == segment.len;
}

/* A target reaches to the end of the text: it must not be empty, nor span lines. */
static bool target_fits(mt_str text, size_t from, mt_str *target)
{
    *target = between(text, from, text.len);
    return target->len && one_line(*target);
}

/* First glyph at or after `from` that leaves a fitting target. What follows a later
 * glyph is shorter, so once one fits all do. */
static size_t first_with_target(mt_str text, mt_str glyph, size_t from)
{
    mt_str target;
    size_t at = find_from(text, glyph, from);
    while (at != NOWHERE && !target_fits(text, at + glyph.len, &target)) {
        at = find_from(text, glyph, at + 1);
    }
    return at;
}

/* Every opening glyph is tried, the closing one after it only moves forward: linear. */
static bool labelled_with_target(mt_str text, const ag_style *s, shape *out)
{
    size_t fitting = first_with_target(text, s->close, 0), close = fitting;
    for (size_t open = find_from(text, s->open, 1);
         open != NOWHERE && fitting != NOWHERE;
         open = find_from(text, s->open, open + 1)) {
        size_t label = open + s->open.len;
        out->part[AG_SOURCE] = between(text, 0, open);
        if (!one_line(out->part[AG_SOURCE])) {
            return false;
        }
        if (close < label) {
            close = find_from(text, s->close, label);
        }
        if (close == NOWHERE ||
            !target_fits(text, close + s->close.len, &out->part[AG_TARGET])) {
            return false;
        }
        out->part[AG_LABEL] = between(text, label, close);
        if (one_line(out->part[AG_LABEL])) {
            return true;
        }
    }
    return false;
}

/* Without a source: the text begins with the opening glyph. */
static bool initial_labelled(mt_str text, const ag_style *s, shape *out)
{
    if (!mt_str_starts(text, s->open)) {
        return false;
    }
    size_t close = first_with_target(text, s->close, s->open.len);
    if (close == NOWHERE) {
        return false;
    }
    out->part[AG_LABEL] = between(text, s->open.len, close);
    return one_line(out->part[AG_LABEL]) &&
           target_fits(text, close + s->close.len, &out->part[AG_TARGET]);
}

/* The closing glyph ends the text. */
static bool labelled_without_target(mt_str text, const ag_style *s, shape *out)
{
    if (!mt_str_ends(text, s->close)) {
        return false;
    }
    size_t close = text.len - s->close.len;
    for (size_t open = find_from(text, s->open, 1);
         open != NOWHERE && open + s->open.len <= close;
         open = find_from(text, s->open, open + 1)) {
        out->part[AG_SOURCE] = between(text, 0, open);
        if (!one_line(out->part[AG_SOURCE])) {
            return false;
        }
        out->part[AG_LABEL] = between(text, open + s->open.len, close);
        if (one_line(out->part[AG_LABEL])) {
            return true;
        }
    }
    return false;
}

static bool bare_with_target(mt_str text, const ag_style *s, shape *out)
{
    size_t at = first_with_target(text, s->bare, 1);
    if (at == NOWHERE) {
        return false;
    }
    out->part[AG_SOURCE] = between(text, 0, at);
    return one_line(out->part[AG_SOURCE]) &&
           target_fits(text, at + s->bare.len, &out->part[AG_TARGET]);
}

static bool initial_bare(mt_str text, const ag_style *s, shape *out)
{
    return mt_str_starts(text, s->bare) &&
           target_fits(text, s->bare.len, &out->part[AG_TARGET]);
}

static bool bare_without_target(mt_str text, const ag_style *s, shape *out)
{
    if (!mt_str_ends(text, s->bare) || text.len == s->bare.len) {
        return false;
    }
    out->part[AG_SOURCE] = between(text, 0, text.len - s->bare.len);
    return out->part[AG_SOURCE].len && one_line(out->part[AG_SOURCE]);
}

/* ORDER: the first that fits is final. */
static bool (*const SHAPES[])(mt_str, const ag_style *, shape *) = {
    labelled_with_target, initial_labelled, labelled_without_target,
    bare_with_target,     initial_bare,     bare_without_target,
};

/* Text that fits nothing is an object route: all of it is the source. */
static const ag_style *find_shape(const ag_styles *styles, mt_str text, shape *out)
{
    for (size_t s = 0; s < styles->count; s++) {
        for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++) {
            memset(out, 0, sizeof *out);
            if (SHAPES[i](text, &styles->items[s], out)) {
                return &styles->items[s];
            }
        }
    }
    memset(out, 0, sizeof *out);
    out->part[AG_SOURCE] = text;
    return NULL;
}

static void add_piece(mt_arena *a, ag_pieces *out, mt_str piece)
{
    piece = ag_strip(piece);
    if (piece.len) {
        mt_vec_push(a, out, piece);
    }
}

/* Separators inside parentheses do not count; a closing one too many is ignored, as the
 * SDK does. */
void ag_split_tokens(mt_arena *a, mt_str text, mt_str separator, ag_pieces *out)
{
    size_t depth = 0, start = 0, len;
    if (!text.len) {
        return;
    }
    for (size_t i = 0; i < text.len; i += len) {
        mt_utf8_decode(text.ptr + i, &len);
        char c = text.ptr[i];
        if (c == '(') {
            depth++;
        } else if (c == ')') {
            depth -= depth > 0;
        } else if (!depth && len == separator.len &&
                   memcmp(text.ptr + i, separator.ptr, len) == 0) {
            add_piece(a, out, mt_str_from(text.ptr + start, i - start));
            start = i + len;
        }
    }
    add_piece(a, out, mt_str_skip(text, start));
}

/* Items between the parentheses: at commas, raw, empties dropped. */
static void split_items(mt_arena *a, mt_str text, ag_pieces *out)
{
    size_t start = 0;
    for (size_t i = 0; i <= text.len; i++) {
        if (i == text.len || text.ptr[i] == ',') {
            add_piece(a, out, mt_str_from(text.ptr + start, i - start));
            start = i + 1;
        }
    }
}

static mt_err malformed(ag_fault *fault, size_t offset, const char *message)
{
    if (fault) {
        *fault = (ag_fault){.offset = offset, .message = message};
    }
    return MT_E_SYNTAX;
}

/* The canonical text is made from the items, so white space between them does not
 * matter. */
static void make_list(mt_arena *a, mt_str name, mt_str inside, ag_node *out)
{
    ag_pieces pieces = {0};
    split_items(a, inside, &pieces);
    ag_node *items = mt_new_array(a, ag_node, pieces.len);
    mt_buf text = {0};
    mt_buf_adds(&text, name);
    mt_buf_addc(&text, '(');
    for (size_t i = 0; i < pieces.len; i++) {
        items[i].text = pieces.items[i];
        mt_buf_addz(&text, i ? "," : "");
        mt_buf_adds(&text, pieces.items[i]);
    }
    mt_buf_addc(&text, ')');
    out->text = mt_str_dup(a, mt_buf_str(&text));
    mt_buf_free(&text);
    out->items = items;
    out->count = (uint32_t)pieces.len;
}

/* Items of a list are not checked in compat, only their parentheses. */
mt_err ag_node_parse_sdk(mt_arena *a, mt_str text, ag_node *out, ag_fault *fault)
{
    static const struct form {
        mt_str name;
        ag_kind kind;
    } FORMS[] = {{MT_STR_INIT("/not"), AG_NOT}, {MT_STR_INIT("/oneof"), AG_ONEOF}};
    mt_str token = ag_strip(text);
    *out = (ag_node){.text = token, .kind = AG_PLAIN};
    if (mt_str_is(token, "/all")) {
        out->kind = AG_ALL;
        return MT_OK;
    }
    for (size_t i = 0; i < 2; i++) {
        mt_str rest = mt_str_skip(token, FORMS[i].name.len);
        if (!mt_str_starts(token, FORMS[i].name) || rest.len < 2 ||
            rest.ptr[0] != '(' || mt_str_find(rest, ')') != rest.len - 1) {
            continue;
        }
        out->kind = (uint8_t)FORMS[i].kind;
        make_list(a, FORMS[i].name, mt_str_from(rest.ptr + 1, rest.len - 2), out);
        return MT_OK;
    }
    size_t length = ag_unicode_identifier(token);
    if (!length || length != token.len) {
        return malformed(fault, (size_t)(token.ptr - text.ptr) + length,
                         "no name, /all, /oneof(...) or /not(...)");
    }
    return MT_OK;
}

/* The outer filter: `/`? name, then at most one group without `)` inside. */
static size_t token_length(mt_str s)
{
    size_t slash = s.len && s.ptr[0] == '/';
    size_t name = ag_unicode_identifier(mt_str_skip(s, slash));
    size_t at = slash + name;
    if (!name || at == s.len || s.ptr[at] != '(') {
        return name ? at : 0;
    }
    size_t close = mt_str_find(mt_str_skip(s, at), ')');
    return at + close < s.len ? at + close + 1 : at;
}

const char AG_NO_TOKEN[] = "a token cannot hold this character";

static mt_err bad_piece(ag_fault *fault, mt_str piece)
{
    if (fault) {
        fault->token = piece;
    }
    return MT_E_SYNTAX;
}

/* The outer filter first, as the library has it; then what the token is. */
static mt_err make_nodes(mt_arena *a, mt_str text, const ag_pieces *pieces,
                         ag_node *nodes, ag_fault *fault)
{
    for (size_t i = 0; i < pieces->len; i++) {
        mt_str piece = pieces->items[i];
        size_t offset = (size_t)(piece.ptr - text.ptr), length = token_length(piece);
        if (length != piece.len) {
            malformed(fault, offset + length, AG_NO_TOKEN);
            return bad_piece(fault, piece);
        }
        ag_fault inner = {0};
        mt_err err = ag_node_parse_sdk(a, piece, &nodes[i], &inner);
        if (err) {
            malformed(fault, offset + inner.offset, inner.message);
            return bad_piece(fault, piece);
        }
    }
    return MT_OK;
}

static void put_list(mt_buf *out, const ag_node *nodes, uint32_t count, mt_str between)
{
    for (uint32_t i = 0; i < count; i++) {
        mt_buf_adds(out, i ? between : MT_STR(""));
        mt_buf_adds(out, nodes[i].text);
    }
}

/* In the style the route was written in: each keeps its own canonical text. */
static mt_str canonical_of(mt_arena *a, const ag_route *r)
{
    mt_buf out = {0};
    bool arrow = ag_route_is_arrow(r);
    mt_str separator = arrow ? r->style->separator : MT_STR(",");
    put_list(&out, r->nodes, r->count[AG_SOURCE], separator);
    if (arrow) {
        mt_buf_adds(&out, r->style->open);
        put_list(&out, ag_route_part(r, AG_LABEL), r->count[AG_LABEL], separator);
        mt_buf_adds(&out, r->style->close);
        put_list(&out, ag_route_part(r, AG_TARGET), r->count[AG_TARGET], separator);
    }
    mt_str kept = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return kept;
}

/* Styles are tried in order. Without an arrow there is a source only. */
mt_err ag_route_parse_sdk(mt_arena *a, const ag_styles *styles, mt_str text,
                          ag_route *out, ag_fault *fault)
{
    shape parts;
    memset(out, 0, sizeof *out);
    size_t bad = mt_utf8_check(text);
    if (bad != text.len) {
        return malformed(fault, bad, "not valid UTF-8");
    }
    out->style = find_shape(styles, ag_strip(text), &parts);
    mt_str separator = out->style ? out->style->separator : MT_STR(",");
    ag_pieces pieces = {0};
    for (ag_part p = AG_SOURCE; p < AG_PARTS; p++) {
        size_t before = pieces.len;
        ag_split_tokens(a, parts.part[p], separator, &pieces);
        out->count[p] = (uint32_t)(pieces.len - before);
    }
    ag_node *nodes = mt_new_array(a, ag_node, pieces.len);
    out->nodes = nodes;
    mt_err err = make_nodes(a, text, &pieces, nodes, fault);
    if (!err) {
        out->canonical = canonical_of(a, out);
    }
    return err;
}
