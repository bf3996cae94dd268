/* analyze/version/diff_words_parts.c - what of a long value changed.
 *
 * A change that fits on a line is both values. Otherwise the value is taken apart: an
 * object by its members, a list whose elements have ids by those, a chain of conditions
 * by its operands, of which the ones that stay are left out. What cannot be taken apart
 * any more has a line for each value. So nothing is cut.
 *
 * Nothing can fail. Recursion follows the JSON trees. */
#include "analyze/version/diff_internal.h"
#include "analyze/version/diff_words_internal.h"

enum { MAX_VALUE = 48 }; /* bytes of each value on one line */

static bool both_fit(const mt_buf *x, const mt_buf *y)
{
    return x->len <= MAX_VALUE && y->len <= MAX_VALUE;
}

bool an_words_change(mt_buf *out, const ln_shape *shape, const mt_json *before,
                     const mt_json *after)
{
    mt_buf x = {0}, y = {0};
    an_words(&x, shape, before);
    an_words(&y, shape, after);
    bool fits = both_fit(&x, &y);
    if (fits) {
        mt_buf_addf(out, "%.*s -> %.*s", MT_ARG(mt_buf_str(&x)),
                    MT_ARG(mt_buf_str(&y)));
    }
    mt_buf_free(&x);
    mt_buf_free(&y);
    return fits;
}

/* A part on its way: where it is and what begins its lines. */
typedef struct part {
    mt_arena *a;
    mt_buf *out;
    const char *indent;
    mt_str path;
} part;

static part inside(const part *p, mt_str key)
{
    part in = *p;
    in.path = mt_strf(p->a, "%.*s%s%.*s", MT_ARG(p->path), p->path.len ? "." : "",
                      MT_ARG(key));
    return in;
}

static void begin_line(const part *p)
{
    mt_buf_addf(p->out, "%s%.*s%s", p->indent, MT_ARG(p->path),
                p->path.len ? ": " : "");
}

/* Long ones have a line each. */
static void two_texts(const part *p, const mt_buf *x, const mt_buf *y, mt_str more)
{
    mt_str was = mt_buf_str(x), now = mt_buf_str(y);
    if (both_fit(x, y)) {
        begin_line(p);
        mt_buf_addf(p->out, "%.*s -> %.*s%.*s\n", MT_ARG(was), MT_ARG(now),
                    MT_ARG(more));
        return;
    }
    const char *deeper = p->path.len ? "    " : "";
    if (p->path.len) {
        mt_buf_addf(p->out, "%s%.*s:%.*s\n", p->indent, MT_ARG(p->path), MT_ARG(more));
        more = MT_STR("");
    }
    mt_buf_addf(p->out, "%s%sbefore: %.*s\n%s%safter:  %.*s%.*s\n", p->indent, deeper,
                MT_ARG(was), p->indent, deeper, MT_ARG(now), MT_ARG(more));
}

static void leaf(const part *p, const ln_shape *shape, const mt_json *before,
                 const mt_json *after)
{
    mt_buf x = {0}, y = {0};
    an_words(&x, shape, before);
    an_words(&y, shape, after);
    two_texts(p, &x, &y, MT_STR(""));
    mt_buf_free(&x);
    mt_buf_free(&y);
}

/* ---- Chains of conditions ---- */

typedef struct chain {
    const mt_json **items;
    size_t len, cap;
} chain;

static mt_str connective(const mt_json *e)
{
    mt_str op = mt_json_text(mt_json_at(e, "op"));
    return mt_str_is(op, "and") || mt_str_is(op, "or") ? op : (mt_str){0};
}

/* The operands of one connective from left to right, however they are nested. */
static void flatten(mt_arena *a, const mt_json *e, mt_str op, chain *out)
{
    const mt_json *list = mt_json_at(e, "operands");
    if (!mt_str_eq(connective(e), op)) {
        mt_vec_push(a, out, e);
        return;
    }
    for (uint32_t i = 0; mt_json_is(list, MT_JSON_ARRAY) && i < list->count; i++) {
        flatten(a, &list->as.items[i], op, out);
    }
    if (mt_json_at(e, "left") && mt_json_at(e, "right")) {
        flatten(a, mt_json_at(e, "left"), op, out);
        flatten(a, mt_json_at(e, "right"), op, out);
    }
}

enum { MAX_COMPARED = 1 << 20 }; /* pairs; beyond, a chain is written whole */

/* Takes what both have out of both and counts it. */
static size_t take_common(chain *x, chain *y)
{
    size_t kept = 0, common = 0;
    for (size_t i = 0; i < x->len; i++) {
        size_t k = 0;
        while (k < y->len && !an_same_expr(x->items[i], y->items[k])) {
            k++;
        }
        if (k == y->len) {
            x->items[kept++] = x->items[i];
            continue;
        }
        /* Each operand is taken once: one that stands twice before and once after is
         * a change. */
        memmove(&y->items[k], &y->items[k + 1],
                (y->len - k - 1) * sizeof(const mt_json *));
        y->len--;
        common++;
    }
    x->len = kept;
    return common;
}

static void chain_words(mt_buf *out, const chain *c, mt_str op)
{
    for (size_t i = 0; i < c->len; i++) {
        if (i) {
            mt_buf_addf(out, " %.*s ", MT_ARG(op));
        }
        an_words(out, LN_SHAPE_EXPRESSION, c->items[i]);
    }
    mt_buf_addz(out, c->len ? "" : "nothing");
}

/* false: the two are not chains of one connective with something in common. */
static bool chains_differ(const part *p, const mt_json *before, const mt_json *after)
{
    mt_str op = connective(before).len ? connective(before) : connective(after);
    chain x = {0}, y = {0};
    if (!op.len) {
        return false;
    }
    flatten(p->a, before, op, &x);
    flatten(p->a, after, op, &y);
    if (x.len > MAX_COMPARED / (y.len + 1)) {
        return false;
    }
    size_t common = take_common(&x, &y);
    if (!common || !(x.len | y.len)) { /* the order alone is shown whole */
        return false;
    }
    mt_buf was = {0}, now = {0};
    chain_words(&was, &x, op);
    chain_words(&now, &y, op);
    two_texts(p, &was, &now,
              mt_strf(p->a, "  (%zu joined by '%.*s' stay%s)", common, MT_ARG(op),
                      common == 1 ? "s" : ""));
    mt_buf_free(&was);
    mt_buf_free(&now);
    return true;
}

/* ---- Objects and lists ---- */

static void change(const part *p, const ln_shape *shape, const mt_json *before,
                   const mt_json *after);

static bool same(const mt_json *before, const mt_json *after)
{
    return an_same_json(before, after) ||
           (before && after && an_same_expr(before, after));
}

static void members_differ(const part *p, const ln_shape *shape, const mt_json *before,
                           const mt_json *after)
{
    uint32_t count;
    const an_member_pair *pairs = an_member_pairs(p->a, before, after, &count);
    for (uint32_t i = 0; i < count; i++) {
        /* Where a construct stands in its file is not what it says. */
        bool noise =
            mt_str_is(pairs[i].key, "provenance") || mt_str_is(pairs[i].key, "line");
        if (!noise && !same(pairs[i].before, pairs[i].after)) {
            part in = inside(p, pairs[i].key);
            change(&in, an_words_member(shape, after, pairs[i].key), pairs[i].before,
                   pairs[i].after);
        }
    }
}

static const mt_json *with_id(const mt_json *list, mt_str id)
{
    for (uint32_t i = 0; mt_json_is(list, MT_JSON_ARRAY) && i < list->count; i++) {
        if (mt_str_eq(mt_json_text(mt_json_at(&list->as.items[i], "id")), id)) {
            return &list->as.items[i];
        }
    }
    return NULL;
}

static bool have_ids(const mt_json *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (!mt_json_text(mt_json_at(&list->as.items[i], "id")).len) {
            return false;
        }
    }
    return true;
}

static void elements_differ(const part *p, const ln_shape *shape, const mt_json *before,
                            const mt_json *after)
{
    const ln_shape *element = shape ? shape->element : NULL;
    for (uint32_t i = 0; i < before->count; i++) {
        mt_str id = mt_json_text(mt_json_at(&before->as.items[i], "id"));
        const mt_json *now = with_id(after, id);
        if (!now || !an_same_step(&before->as.items[i], now)) {
            part in = inside(p, id);
            change(&in, element, &before->as.items[i], now);
        }
    }
    for (uint32_t i = 0; i < after->count; i++) {
        mt_str id = mt_json_text(mt_json_at(&after->as.items[i], "id"));
        if (!with_id(before, id)) {
            part in = inside(p, id);
            change(&in, element, NULL, &after->as.items[i]);
        }
    }
}

/* Objects of one case, or without cases: their members can be told apart. A condition
 * or a value is one thing; so is what only one side has. */
static bool can_be_opened(const ln_shape *shape, const mt_json *before,
                          const mt_json *after)
{
    return mt_json_is(before, MT_JSON_OBJECT) && mt_json_is(after, MT_JSON_OBJECT) &&
           shape && shape->id && shape->kind != LN_SHAPE_CHOICE &&
           strcmp(shape->id, "VALUE") && an_words_chosen(shape, before) == shape &&
           an_words_case(shape, before) == an_words_case(shape, after);
}

static void open_up(const part *p, const ln_shape *shape, const mt_json *before,
                    const mt_json *after)
{
    const ln_shape *is = after ? an_words_chosen(shape, after) : shape;
    bool lists = mt_json_is(before, MT_JSON_ARRAY) && mt_json_is(after, MT_JSON_ARRAY);
    if (can_be_opened(is, before, after)) {
        members_differ(p, is, before, after);
    } else if (lists && have_ids(before) && have_ids(after)) {
        elements_differ(p, is, before, after);
    } else if (is != LN_SHAPE_EXPRESSION || !chains_differ(p, before, after)) {
        leaf(p, shape, before, after);
    }
}

static void change(const part *p, const ln_shape *shape, const mt_json *before,
                   const mt_json *after)
{
    mt_buf text = {0};
    if (an_words_change(&text, shape, before, after)) {
        begin_line(p);
        mt_buf_addf(p->out, "%.*s\n", MT_ARG(mt_buf_str(&text)));
    } else {
        open_up(p, shape, before, after);
    }
    mt_buf_free(&text);
}

void an_words_parts(mt_buf *out, const char *indent, const ln_shape *shape,
                    const mt_json *before, const mt_json *after)
{
    mt_arena a = {0};
    open_up(&(part){&a, out, indent, MT_STR("")}, shape, before, after);
    mt_arena_free(&a);
}

/* The elements that the other list has not. */
static mt_json rest_of(mt_arena *a, const mt_json *list, const mt_json *other)
{
    mt_json *items = mt_new_array(a, mt_json, list->count);
    mt_json rest = {.type = MT_JSON_ARRAY, .as.items = items};
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t k = 0;
        while (k < other->count && !same(&list->as.items[i], &other->as.items[k])) {
            k++;
        }
        if (k == other->count) {
            items[rest.count++] = list->as.items[i];
        }
    }
    return rest;
}

/* Elements without ids: those that went against those that came. */
static void rest_differs(const part *p, const ln_shape *shape, const mt_json *before,
                         const mt_json *after)
{
    if (mt_json_is(before, MT_JSON_ARRAY) && mt_json_is(after, MT_JSON_ARRAY) &&
        before->count <= MAX_COMPARED / (after->count + 1)) {
        mt_json was = rest_of(p->a, before, after), now = rest_of(p->a, after, before);
        leaf(p, shape, &was, &now);
    }
}

void an_words_elements(mt_buf *out, const char *indent, const ln_shape *shape,
                       const mt_json *before, const mt_json *after, const mt_str *ids,
                       uint32_t count)
{
    mt_arena a = {0};
    part p = {&a, out, indent, MT_STR("")};
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        const mt_json *was = with_id(before, ids[i]), *now = with_id(after, ids[i]);
        if (was && now) {
            part in = inside(&p, ids[i]);
            open_up(&in, shape ? shape->element : NULL, was, now);
            found++;
        }
    }
    if (!found) {
        rest_differs(&p, shape, before, after);
    }
    mt_arena_free(&a);
}
