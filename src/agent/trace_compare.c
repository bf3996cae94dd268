/* agent/trace_compare.c - do two traces say the same, and where do they diverge?
 *
 * Compared are, per message, fate, hooks, receivers, delta, tape and senders, and the
 * last tape. With `final` only emissions and the last tape count, in any order. A
 * projection keeps the named nodes on tapes, and the receivers and senders that have
 * to do with them, so agents can be compared that share only a part.
 *
 * The first difference is named by its path (message 3, receivers[1].action) with both
 * values. What may fail: MT_E_SYNTAX for text that is not a trace, with which of the
 * two and which line; a difference is not a failure. Depth is bounded by the reader. */
#include <stdlib.h>

#include "agent/trace.h"
#include "agent/value.h"
#include "base/utf8.h"
#include "base/vec.h"

enum { SHOWN_MOST = 200 };

typedef struct trace {
    MT_VEC(mt_json) messages;
    mt_json end;
    bool ended; /* it has its end record */
} trace;

/* Header, routes and what timed senders said are commentary: no message caused it. */
static mt_err read_line(mt_arena *a, mt_str line, trace *out)
{
    mt_json record;
    if (mt_json_read(a, line, NULL, &record, NULL)) {
        return MT_E_SYNTAX;
    }
    mt_str kind = mt_json_text(mt_json_at(&record, "record"));
    if (mt_str_is(kind, "message")) {
        mt_vec_push(a, &out->messages, record);
    } else if (mt_str_is(kind, "end")) {
        out->end = record;
        out->ended = true;
    } else if (!mt_str_is(kind, "header") && !mt_str_is(kind, "route") &&
               !mt_str_is(kind, "tick")) {
        return MT_E_SYNTAX;
    }
    return MT_OK;
}

/* A trace without its end was cut off and cannot be compared. */
static mt_err read_trace(mt_arena *a, mt_str text, const char *which, trace *out,
                         mt_str *where)
{
    uint32_t number = 1;
    for (; text.len; number++) {
        size_t length = mt_str_find(text, '\n');
        mt_str line = mt_str_from(text.ptr, length);
        text = mt_str_skip(text, length + 1);
        if (line.len && read_line(a, line, out)) {
            *where = mt_strf(a, "%s trace, line %u: this is not a record of a trace",
                             which, number);
            return MT_E_SYNTAX;
        }
    }
    if (!out->ended) {
        *where = mt_strf(a, "%s trace: it has no end record", which);
        return MT_E_SYNTAX;
    }
    return MT_OK;
}

/* ---- projection ---- */

static bool kept(const ag_compare *how, mt_str node)
{
    for (size_t i = 0; i < how->only_count; i++) {
        if (mt_str_eq(how->only[i], node)) {
            return true;
        }
    }
    return !how->only_count;
}

/* The texts of the list that are kept. */
static mt_json project_texts(mt_arena *a, const ag_compare *how, const mt_json *list)
{
    MT_VEC(mt_json) out = {0};
    for (uint32_t i = 0; mt_json_is(list, MT_JSON_ARRAY) && i < list->count; i++) {
        if (kept(how, mt_json_text(&list->as.items[i]))) {
            mt_vec_push(a, &out, list->as.items[i]);
        }
    }
    return ag_list_value(out.items, out.len);
}

/* A tape: a list of texts, or a list of [key, texts]. */
static mt_json project_tape(mt_arena *a, const ag_compare *how, const mt_json *tape)
{
    MT_VEC(mt_json) out = {0};
    bool indexed = mt_json_is(tape, MT_JSON_ARRAY) && tape->count &&
                   mt_json_is(tape->as.items, MT_JSON_ARRAY);
    if (!indexed || !how->only_count) {
        return indexed ? *tape : project_texts(a, how, tape);
    }
    for (uint32_t i = 0; i < tape->count; i++) {
        const mt_json *row = &tape->as.items[i];
        if (row->count == 2) {
            mt_json *pair = mt_new_array(a, mt_json, 2);
            pair[0] = row->as.items[0];
            pair[1] = project_texts(a, how, &row->as.items[1]);
            mt_vec_push(a, &out, ag_list_value(pair, 2));
        }
    }
    return ag_list_value(out.items, out.len);
}

static bool any_kept(const ag_compare *how, const mt_json *list)
{
    for (uint32_t i = 0; list && i < list->count; i++) {
        if (kept(how, mt_json_text(&list->as.items[i]))) {
            return true;
        }
    }
    return false;
}

/* A canonical route that does not parse is one of compat and mentions nothing that was
 * asked for. */
static bool route_mentions(mt_arena *a, const ag_compare *how, mt_str canonical)
{
    ag_route r;
    if (ag_route_parse(a, AG_PROFILE, NULL, canonical, &r, NULL)) {
        return false;
    }
    for (uint32_t i = 0; i < ag_route_nodes(&r); i++) {
        if (kept(how, r.nodes[i].text)) {
            return true;
        }
    }
    return false;
}

static bool entry_kept(mt_arena *a, const ag_compare *how, const mt_json *entry,
                       bool receiver)
{
    if (receiver) {
        return kept(how, mt_json_text(mt_json_at(entry, "state"))) ||
               any_kept(how, mt_json_at(entry, "activated"));
    }
    return route_mentions(a, how, mt_json_text(mt_json_at(entry, "route")));
}

static mt_json project_entries(mt_arena *a, const ag_compare *how, const mt_json *list,
                               bool receivers)
{
    MT_VEC(mt_json) out = {0};
    for (uint32_t i = 0; list && i < list->count; i++) {
        if (entry_kept(a, how, &list->as.items[i], receivers)) {
            mt_vec_push(a, &out, list->as.items[i]);
        }
    }
    return ag_list_value(out.items, out.len);
}

/* Deltas that have nothing left are left out. */
static mt_json project_deltas(mt_arena *a, const ag_compare *how, const mt_json *list)
{
    MT_VEC(mt_json) out = {0};
    for (uint32_t i = 0; list && i < list->count; i++) {
        const mt_json *delta = &list->as.items[i];
        mt_json added = project_texts(a, how, mt_json_at(delta, "added"));
        mt_json removed = project_texts(a, how, mt_json_at(delta, "removed"));
        if (added.count || removed.count) {
            mt_json changed = ag_with_member(a, delta, MT_STR("added"), &added);
            mt_vec_push(a, &out,
                        ag_with_member(a, &changed, MT_STR("removed"), &removed));
        }
    }
    return ag_list_value(out.items, out.len);
}

/* The field as it counts for the comparison. */
static mt_json projected(mt_arena *a, const ag_compare *how, const mt_json *record,
                         const char *field)
{
    const mt_json *value = mt_json_get(record, mt_str_z(field));
    if (!value) {
        return ag_null_value();
    }
    if (!how->only_count) {
        return *value;
    }
    mt_str name = mt_str_z(field);
    if (mt_str_is(name, "receivers") || mt_str_is(name, "senders")) {
        return project_entries(a, how, value, mt_str_is(name, "receivers"));
    }
    if (mt_str_is(name, "delta")) {
        return project_deltas(a, how, value);
    }
    return mt_str_is(name, "tape_after") ? project_tape(a, how, value) : *value;
}

/* ---- where two values diverge ---- */

/* For a message: at most 200 bytes, and whole characters. */
static mt_str shown(mt_arena *a, const mt_json *value)
{
    mt_buf out = {0};
    if (value) {
        mt_json_write(&out, value, false);
    } else {
        mt_buf_addz(&out, "nothing");
    }
    mt_str begun = mt_utf8_cut(mt_buf_str(&out), SHOWN_MOST);
    mt_str text = mt_strf(a, "%.*s%s", MT_ARG(begun), begun.len < out.len ? "…" : "");
    mt_buf_free(&out);
    return text;
}

/* Appends the path to the first difference; true: there is one. Depth is bounded by
 * the reader. */
static bool find_difference(mt_arena *a, const mt_json *x, const mt_json *y,
                            mt_buf *path, const mt_json **left, const mt_json **right)
{
    if (x && y && mt_json_equal(x, y)) {
        return false;
    }
    *left = x;
    *right = y;
    size_t mark = path->len;
    if (mt_json_is(x, MT_JSON_ARRAY) && mt_json_is(y, MT_JSON_ARRAY)) {
        for (uint32_t i = 0; i < x->count || i < y->count; i++) {
            mt_buf_addf(path, "[%u]", i);
            if (find_difference(a, i < x->count ? &x->as.items[i] : NULL,
                                i < y->count ? &y->as.items[i] : NULL, path, left,
                                right)) {
                return true;
            }
            path->len = mark;
        }
    }
    if (mt_json_is(x, MT_JSON_OBJECT) && mt_json_is(y, MT_JSON_OBJECT)) {
        for (uint32_t i = 0; i < x->count; i++) {
            mt_str key = x->as.members[i].key;
            mt_buf_addf(path, ".%.*s", MT_ARG(key));
            if (find_difference(a, &x->as.members[i].value, mt_json_get(y, key), path,
                                left, right)) {
                return true;
            }
            path->len = mark;
        }
    }
    return true;
}

/* *where gets path and both values, only if there is a difference. */
static bool parts_at(mt_arena *a, mt_str place, const mt_json *x, const mt_json *y,
                     mt_str *where)
{
    const mt_json *left, *right;
    mt_buf path = {0};
    mt_buf_adds(&path, place);
    bool differs = find_difference(a, x, y, &path, &left, &right);
    if (differs) {
        *where = mt_strf(a, "%.*s: %.*s against %.*s", MT_ARG(mt_buf_str(&path)),
                         MT_ARG(shown(a, left)), MT_ARG(shown(a, right)));
    }
    mt_buf_free(&path);
    return differs;
}

/* ---- comparing ---- */

/* Field after field of a message, then the next message: the earliest difference is
 * told. */
static bool messages_part(mt_arena *a, const trace *l, const trace *r,
                          const ag_compare *how, mt_str *where)
{
    static const char *const FIELDS[] = {"fate",  "receive_hooks", "receivers",
                                         "delta", "tape_after",    "senders"};
    for (size_t i = 0; i < l->messages.len && i < r->messages.len; i++) {
        for (size_t f = 0; f < sizeof FIELDS / sizeof *FIELDS; f++) {
            mt_json x = projected(a, how, &l->messages.items[i], FIELDS[f]);
            mt_json y = projected(a, how, &r->messages.items[i], FIELDS[f]);
            mt_str place = mt_strf(a, "message %zu, %s", i + 1, FIELDS[f]);
            if (parts_at(a, place, &x, &y, where)) {
                return true;
            }
        }
    }
    if (l->messages.len != r->messages.len) {
        *where = mt_strf(a, "their lengths: the first has %zu messages, the second %zu",
                         l->messages.len, r->messages.len);
        return true;
    }
    return false;
}

typedef struct texts {
    mt_str *items;
    size_t len, cap;
} texts;

/* Only what was sent: not what a hook dropped. */
static void add_emissions(mt_arena *a, const mt_json *senders, texts *out)
{
    for (uint32_t s = 0; s < senders->count; s++) {
        const mt_json *list = mt_json_at(&senders->as.items[s], "emissions");
        for (uint32_t e = 0; list && e < list->count; e++) {
            const mt_json *payload = mt_json_at(&list->as.items[e], "payload");
            const mt_json *dropped = mt_json_at(&list->as.items[e], "dropped");
            if (payload && dropped && !dropped->boolean) {
                mt_buf text = {0};
                mt_json_write(&text, payload, false);
                mt_vec_push(a, out, mt_str_dup(a, mt_buf_str(&text)));
                mt_buf_free(&text);
            }
        }
    }
}

static texts emissions_of(mt_arena *a, const trace *t, const ag_compare *how)
{
    texts out = {0};
    for (size_t i = 0; i < t->messages.len; i++) {
        mt_json senders = projected(a, how, &t->messages.items[i], "senders");
        add_emissions(a, &senders, &out);
    }
    mt_str_sort(out.items, out.len);
    return out;
}

/* Both lists are sorted, so the first place at which they differ names what one side
 * lacks. */
static bool emissions_part(mt_arena *a, const trace *l, const trace *r,
                           const ag_compare *how, mt_str *where)
{
    texts x = emissions_of(a, l, how), y = emissions_of(a, r, how);
    size_t i = 0;
    while (i < x.len && i < y.len && mt_str_eq(x.items[i], y.items[i])) {
        i++;
    }
    if (i == x.len && i == y.len) {
        return false;
    }
    bool first = i < x.len && (i == y.len || mt_str_cmp(x.items[i], y.items[i]) < 0);
    *where =
        mt_strf(a, "emissions: only the %s trace sends %.*s",
                first ? "first" : "second", MT_ARG(first ? x.items[i] : y.items[i]));
    return true;
}

/* An error is a trace that cannot be read; a difference is *same false, and *where says
 * the first place. With `final` only emissions and the last tape count, not the way
 * there. */
mt_err ag_trace_compare(mt_arena *a, mt_str left, mt_str right, const ag_compare *how,
                        bool *same, mt_str *where)
{
    trace l = {0}, r = {0};
    mt_err err = read_trace(a, left, "first", &l, where);
    if (!err) {
        err = read_trace(a, right, "second", &r, where);
    }
    if (err) {
        return err;
    }
    mt_json x = project_tape(a, how, mt_json_at(&l.end, "tape"));
    mt_json y = project_tape(a, how, mt_json_at(&r.end, "tape"));
    *same = !(how->final ? emissions_part(a, &l, &r, how, where)
                         : messages_part(a, &l, &r, how, where)) &&
            !parts_at(a, MT_STR("final tape"), &x, &y, where);
    return MT_OK;
}
