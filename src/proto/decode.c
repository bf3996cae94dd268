/* proto/decode.c - bytes of a message to a JSON tree.
 *
 * A message is gone through once: what it has of each field is put in a list per field.
 * Then every field becomes a member, in the order of the numbers: the last value of a
 * scalar, all of a repeated one (packed or not), and the parts of a message together,
 * as the format demands. Unknown fields are passed over.
 *
 * Bounds: PB_MOST_DEPTH for recursion; PB_MOST_VALUES for the tree, which may be larger
 * than the bytes, since a missing field has a value. */
#include "base/base64.h"
#include "base/calendar.h"
#include "base/number.h"
#include "base/utf8.h"
#include "proto/message.h"
#include "proto/wire.h"

#include <stdlib.h>

/* One message with all that is inside it. `why`
 * is always a constant, so nobody frees it. */
typedef struct decoding {
    mt_arena *arena;
    size_t values;
    mt_err err;
    const char *why;
} decoding;

/* One occurrence of a field; `next` is its follower's index + 1. */
typedef struct seen {
    pb_part part;
    uint32_t next;
} seen;

typedef MT_VEC(seen) seen_list;

static bool fault(decoding *d, mt_err err, const char *why)
{
    if (!d->err) {
        d->err = err;
        d->why = why;
    }
    return false;
}

/* Counted before anything is allocated for the values. */
static bool count_values(decoding *d, size_t more)
{
    d->values += more;
    return d->values <= PB_MOST_VALUES ||
           fault(d, MT_E_LIMIT, "it has more values than are read");
}

/* ---- Leaves ---- */

/* A node borrows its text. Lengths are 32 bits
 * in a tree: pb_decode() refuses more bytes. */
static mt_json text_node(mt_str s)
{
    return (mt_json){.type = MT_JSON_STRING,
                     .count = (uint32_t)s.len,
                     .as.text = s.ptr ? s.ptr : ""};
}

static mt_json number_node(mt_str s)
{
    return (mt_json){
        .type = MT_JSON_NUMBER, .count = (uint32_t)s.len, .as.text = s.ptr};
}

static mt_str signed_text(mt_arena *a, int64_t value)
{
    mt_buf b = {0};
    mt_buf_add_i64(&b, value);
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

static mt_str unsigned_text(mt_arena *a, uint64_t value)
{
    char digits[20], *end = digits + sizeof digits, *from = mt_put_digits(value, end);
    return mt_str_dup(a, mt_str_from(from, (size_t)(end - from)));
}

/* What JSON has no number for is text: "NaN", "Infinity", "-Infinity", as the JSON
 * mapping of Protocol Buffers writes them. */
static mt_json double_node(mt_arena *a, double value, mt_str shortest)
{
    if (value != value) {
        return text_node(MT_STR("NaN"));
    }
    if (value - value != 0) {
        return text_node(value > 0 ? MT_STR("Infinity") : MT_STR("-Infinity"));
    }
    return number_node(mt_str_dup(a, shortest));
}

static mt_json read_double(mt_arena *a, uint64_t bits)
{
    double value;
    char text[MT_NUMBER_TEXT];
    memcpy(&value, &bits, sizeof value);
    return double_node(a, value, mt_str_from(text, mt_number_print(value, text)));
}

/* The fewest digits that give the same float, not those of the double it equals. */
static mt_json read_float(mt_arena *a, uint64_t bits)
{
    uint32_t half = (uint32_t)bits;
    float value;
    memcpy(&value, &half, sizeof value);
    if (value != value || value - value != 0) {
        return double_node(a, (double)value, MT_STR(""));
    }
    char text[MT_NUMBER_TEXT];
    double shown = (double)value;
    for (int digits = 6; digits < 10; digits++) {
        mt_str tried = mt_strf(a, "%.*g", digits, (double)value);
        if (strtof(tried.ptr, NULL) == value && !mt_number_parse(tried, &shown)) {
            break;
        }
    }
    return double_node(a, shown, mt_str_from(text, mt_number_print(shown, text)));
}

static mt_json read_enum(mt_arena *a, const pb_enum *e, int32_t number)
{
    for (size_t i = 0; i < e->count; i++) {
        if (e->values[i].number == number) {
            return text_node(e->values[i].name);
        }
    }
    return number_node(signed_text(a, number)); /* as JSON writes those of tomorrow */
}

/* sint32 and sint64: 0, -1, 1, -2 are sent as 0, 1, 2, 3. */
static int64_t zigzag(uint64_t value)
{
    return (int64_t)(value >> 1 ^ (~(value & 1) + 1));
}

/* What a single value of the kind has on the
 * wire; a packed list has PB_SPAN instead. */
static pb_wire wire_of(pb_kind kind)
{
    switch (kind) {
    case PB_DOUBLE:
    case PB_FIXED64:
    case PB_SFIXED64: return PB_EIGHT;
    case PB_FLOAT:
    case PB_FIXED32:
    case PB_SFIXED32: return PB_FOUR;
    case PB_STRING:
    case PB_BYTES:
    case PB_MESSAGE:
    case PB_GROUP: return PB_SPAN;
    case PB_INT64:
    case PB_UINT64:
    case PB_INT32:
    case PB_BOOL:
    case PB_UINT32:
    case PB_ENUM:
    case PB_SINT32:
    case PB_SINT64: return PB_VARINT;
    }
    return PB_SPAN;
}

/* `v` is what stood on the wire, extended with zeros; the
 * casts take the low half for kinds of 32 bits, as the format
 * demands of a varint that is too long. 64 bits become text. */
static mt_json read_number(mt_arena *a, const pb_field *f, uint64_t v)
{
    switch (f->kind) {
    case PB_DOUBLE: return read_double(a, v);
    case PB_FLOAT: return read_float(a, v);
    case PB_INT64:
    case PB_SFIXED64: return text_node(signed_text(a, (int64_t)v));
    case PB_SINT64: return text_node(signed_text(a, zigzag(v)));
    case PB_UINT64:
    case PB_FIXED64: return text_node(unsigned_text(a, v));
    case PB_INT32:
    case PB_SFIXED32: return number_node(signed_text(a, (int32_t)v));
    case PB_SINT32: return number_node(signed_text(a, (int32_t)zigzag((uint32_t)v)));
    case PB_UINT32:
    case PB_FIXED32: return number_node(unsigned_text(a, (uint32_t)v));
    case PB_BOOL: return (mt_json){.type = MT_JSON_BOOL, .boolean = v != 0};
    case PB_ENUM: return read_enum(a, f->choices, (int32_t)v);
    case PB_STRING:
    case PB_BYTES:
    case PB_MESSAGE:
    case PB_GROUP: break;
    }
    MT_BUG("a field that is not a number");
}

static bool read_message(decoding *d, const pb_message *m, mt_str bytes, size_t depth,
                         mt_json *out);

/* One value of a field whose wire type fits(); the tree below it is counted, too. */
static bool read_value(decoding *d, const pb_field *f, const pb_part *p, size_t depth,
                       mt_json *out)
{
    if (!count_values(d, 1)) {
        return false;
    }
    if (f->kind == PB_MESSAGE) {
        return read_message(d, f->message, p->span, depth + 1, out);
    }
    if (f->kind == PB_STRING) {
        *out = text_node(p->span);
        return mt_utf8_check(p->span) == p->span.len ||
               fault(d, MT_E_SYNTAX, "a string is not UTF-8");
    }
    *out = f->kind == PB_BYTES
               ? text_node(mt_base64(d->arena, (const unsigned char *)p->span.ptr,
                                     p->span.len))
               : read_number(d->arena, f, p->value);
    return true;
}

/* ---- Fields ---- */

typedef MT_VEC(mt_json) node_list;

/* Packed lists have numbers only, so `depth` does not matter for what is inside. */
static bool read_packed(decoding *d, const pb_field *f, mt_str span, node_list *list)
{
    pb_wire wire = wire_of(f->kind);
    while (span.len) {
        pb_part p = {.wire = wire};
        bool good = wire == PB_VARINT  ? pb_varint(&span, &p.value)
                    : wire == PB_EIGHT ? pb_fixed(&span, 8, &p.value)
                                       : pb_fixed(&span, 4, &p.value);
        mt_json node;
        if (!good) {
            return fault(d, MT_E_SYNTAX, "a packed list is cut short");
        }
        if (!read_value(d, f, &p, 0, &node)) {
            return false;
        }
        mt_vec_push(d->arena, list, node);
    }
    return true;
}

/* Packed and single values may be mixed, also for a field that is declared otherwise:
 * the format demands that both are read. */
static bool read_list(decoding *d, const pb_field *f, const seen *all, uint32_t first,
                      size_t depth, mt_json *out)
{
    node_list list = {0};
    for (uint32_t at = first; at; at = all[at - 1].next) {
        const pb_part *p = &all[at - 1].part;
        if (p->wire == PB_SPAN && wire_of(f->kind) != PB_SPAN) {
            if (!read_packed(d, f, p->span, &list)) {
                return false;
            }
            continue;
        }
        mt_json node;
        if (!read_value(d, f, p, depth, &node)) {
            return false;
        }
        mt_vec_push(d->arena, &list, node);
    }
    *out = (mt_json){
        .type = MT_JSON_ARRAY, .count = (uint32_t)list.len, .as.items = list.items};
    return true;
}

/* A list of {key, value} as an object; of equal keys the last
 * counts. `offset`, which a tree that was not read from text
 * has no use for, remembers the order while members are sorted. */
static void entries_to_object(decoding *d, mt_json *node)
{
    MT_VEC(mt_json_member) members = {0};
    for (uint32_t i = 0; i < node->count; i++) {
        const mt_json *entry = &node->as.items[i];
        const mt_json *key = mt_json_at(entry, "key"),
                      *value = mt_json_at(entry, "value");
        mt_str name = mt_json_is(key, MT_JSON_BOOL)
                          ? (key->boolean ? MT_STR("true") : MT_STR("false"))
                          : mt_json_text(key);
        mt_json_member m = {name, value ? *value : (mt_json){.type = MT_JSON_NULL}};
        mt_vec_push(d->arena, &members, m);
    }
    /* Sorted, so that equal keys stand together without comparing all with all. */
    size_t kept = 0;
    for (size_t i = 0; i < members.len; i++) {
        members.items[i].value.offset = (uint32_t)i;
    }
    if (members.len) {
        mt_sort_by(members.items, members.len, key);
    }
    for (size_t i = 0; i < members.len; i++) {
        bool same =
            kept && mt_str_eq(members.items[kept - 1].key, members.items[i].key);
        if (!same) {
            members.items[kept++] = members.items[i];
        } else if (members.items[i].value.offset >
                   members.items[kept - 1].value.offset) {
            members.items[kept - 1] = members.items[i];
        }
    }
    *node = (mt_json){
        .type = MT_JSON_OBJECT, .count = (uint32_t)kept, .as.members = members.items};
}

/* A message that comes in several parts is what they are together, and joining their
 * bytes is the same as merging the messages. Of a scalar the last one counts. */
static bool read_parts(decoding *d, const pb_field *f, const seen *all, uint32_t first,
                       uint32_t last, size_t depth, mt_json *out)
{
    mt_buf joined = {0};
    if (f->kind != PB_MESSAGE || first == last) {
        return read_value(d, f, &all[last - 1].part, depth, out);
    }
    for (uint32_t at = first; at; at = all[at - 1].next) {
        mt_buf_adds(&joined, all[at - 1].part.span);
    }
    pb_part p = {.wire = PB_SPAN, .span = mt_str_dup(d->arena, mt_buf_str(&joined))};
    mt_buf_free(&joined);
    return read_value(d, f, &p, depth, out);
}

/* What a field without presence has when it is missing. A single message always has
 * presence (link.c), so it is never asked for here. */
static mt_json default_of(mt_arena *a, const pb_field *f)
{
    if (pb_is_map(f)) {
        return (mt_json){.type = MT_JSON_OBJECT};
    }
    if (f->repeated) {
        return (mt_json){.type = MT_JSON_ARRAY};
    }
    if (f->kind == PB_STRING || f->kind == PB_BYTES) {
        return text_node(MT_STR(""));
    }
    if (f->kind == PB_ENUM && f->choices->count && f->choices->values[0].number) {
        return text_node(f->choices->values[0].name); /* proto2 begins where it likes */
    }
    return f->kind == PB_MESSAGE ? (mt_json){.type = MT_JSON_NULL}
                                 : read_number(a, f, 0);
}

/* A part of another wire type than the field's is an unknown field, but for packed
 * lists. */
static bool fits(const pb_field *f, const pb_part *p)
{
    return p->wire == wire_of(f->kind) || (f->repeated && p->wire == PB_SPAN);
}

/* ---- Messages that JSON writes in their own way ---- */

/* From the member of a Timestamp or a Duration, whichever way it was written: `seconds`
 * is text of 64 bits, `nanos` a number. Missing is 0. */
static int64_t whole_of(const mt_json *object, const char *key)
{
    const mt_json *node = mt_json_get(object, mt_str_z(key));
    mt_str text = mt_json_text(node);
    int64_t value = 0;
    bool negative = text.len && text.ptr[0] == '-';
    for (size_t i = negative; i < text.len; i++) {
        /* Its own text of 64 bits, so this cannot overflow but for the least. */
        value = (int64_t)((uint64_t)value * 10 + (uint64_t)(text.ptr[i] - '0'));
    }
    return negative ? (int64_t)(0 - (uint64_t)value) : value;
}

/* The years that RFC 3339 can write are also those that a Timestamp may have. */
static bool to_timestamp(decoding *d, mt_json *node)
{
    int64_t nanos = whole_of(node, "nanos");
    mt_moment t = {whole_of(node, "seconds"), (uint32_t)nanos};
    char text[MT_MOMENT_TEXT];
    if (nanos < 0 || nanos > 999999999 || !mt_moment_valid(t)) {
        return fault(d, MT_E_SYNTAX, "a Timestamp is outside of the years 1 to 9999");
    }
    *node =
        text_node(mt_str_dup(d->arena, mt_str_from(text, mt_moment_print(t, text))));
    return true;
}

/* Both parts have one sign. "3.000000001s", trailing zeros dropped. */
static bool to_duration(decoding *d, mt_json *node)
{
    const int64_t most = 315576000000;
    int64_t seconds = whole_of(node, "seconds"), nanos = whole_of(node, "nanos");
    bool negative = seconds < 0 || nanos < 0;
    if (seconds > most || seconds < -most || nanos > 999999999 || nanos < -999999999 ||
        (negative && (seconds > 0 || nanos > 0))) {
        return fault(d, MT_E_SYNTAX, "a Duration is out of its range");
    }
    mt_str text = mt_strf(d->arena, "%s%lld.%09lld", negative ? "-" : "",
                          (long long)(negative ? -seconds : seconds),
                          (long long)(negative ? -nanos : nanos));
    while (text.ptr[text.len - 1] == '0') {
        text.len--;
    }
    text.len -= text.ptr[text.len - 1] == '.';
    *node = text_node(mt_strf(d->arena, "%.*ss", MT_ARG(text)));
    return true;
}

/* The value itself: of a wrapper, of Struct and ListValue their only member, of Value
 * the one that is set. */
static void to_inside(const pb_message *m, mt_json *node)
{
    mt_json inside = {.type = MT_JSON_NULL};
    if (node->count) {
        const mt_json_member *last = &node->as.members[node->count - 1];
        bool null = m->count > 1 && mt_str_is(last->key, "null_value");
        inside = null ? inside : last->value;
    }
    *node = inside;
}

/* After the message was read like any other:
 * its members are then replaced by one value. */
static bool to_known(decoding *d, const pb_message *m, mt_json *node)
{
    switch (pb_known_of(m)) {
    case PB_TIMESTAMP: return to_timestamp(d, node);
    case PB_DURATION: return to_duration(d, node);
    case PB_INSIDE: to_inside(m, node); return true;
    case PB_PLAIN: return true;
    }
    return true;
}

/* ---- Messages ---- */

typedef struct heads {
    uint32_t first, last; /* index + 1 of what was seen */
} heads;

/* Of a oneof the field that came last is set, and no other. */
static void settle_oneof(heads *of, uint32_t *set, const pb_field *f, uint32_t field)
{
    if (f->oneof && set[f->oneof] && set[f->oneof] != field + 1) {
        of[set[f->oneof] - 1] = (heads){0};
    }
    set[f->oneof] = field + 1;
}

/* One pass over the bytes. `of` has the chain of each field,
 * by its index in the message; a part that no field fits is
 * passed over, as the format demands of unknown fields. */
static bool scan(decoding *d, const pb_message *m, mt_str bytes, heads *of,
                 seen_list *all)
{
    pb_part p;
    bool bad = false;
    uint32_t *set = mt_new_array(d->arena, uint32_t, m->oneofs + 1);
    while (pb_next(&bytes, &p, &bad)) {
        const pb_field *f = pb_field_numbered(m, p.number);
        if (!f || !fits(f, &p)) {
            continue;
        }
        heads *h = &of[f - m->fields];
        settle_oneof(of, set, f, (uint32_t)(f - m->fields));
        mt_vec_push(d->arena, all, ((seen){.part = p}));
        if (h->last) {
            all->items[h->last - 1].next = (uint32_t)all->len;
        }
        h->first = h->first ? h->first : (uint32_t)all->len;
        h->last = (uint32_t)all->len;
    }
    return !bad || fault(d, MT_E_SYNTAX, "it is cut short or not a message");
}

static bool read_field(decoding *d, const pb_field *f, const heads *h,
                       const seen_list *all, size_t depth, mt_json *out)
{
    bool good = f->repeated
                    ? read_list(d, f, all->items, h->first, depth, out)
                    : read_parts(d, f, all->items, h->first, h->last, depth, out);
    if (good && pb_is_map(f)) {
        entries_to_object(d, out);
    }
    return good;
}

static bool read_message(decoding *d, const pb_message *m, mt_str bytes, size_t depth,
                         mt_json *out)
{
    seen_list all = {0};
    MT_VEC(mt_json_member) members = {0};
    if (depth > PB_MOST_DEPTH) {
        return fault(d, MT_E_LIMIT, "it is nested too deep");
    }
    if (!count_values(d, m->count + m->oneofs)) {
        return false;
    }
    heads *of = mt_new_array(d->arena, heads, m->count + 1);
    if (!scan(d, m, bytes, of, &all)) {
        return false;
    }
    for (size_t i = 0; i < m->count; i++) {
        const pb_field *f = &m->fields[i];
        mt_json node;
        if (!of[i].first && f->presence) {
            continue;
        }
        if (of[i].first && !read_field(d, f, &of[i], &all, depth, &node)) {
            return false;
        }
        if (!of[i].first) {
            node = default_of(d->arena, f);
        }
        mt_vec_push(d->arena, &members, ((mt_json_member){f->name, node}));
    }
    *out = (mt_json){.type = MT_JSON_OBJECT,
                     .count = (uint32_t)members.len,
                     .as.members = members.items};
    return to_known(d, m, out);
}

/* 4 GiB because lengths in a tree have 32 bits. */
mt_err pb_decode(mt_arena *a, const pb_message *m, mt_str bytes, mt_json *out,
                 const char **why)
{
    decoding d = {.arena = a};
    *why = NULL;
    if (bytes.len > UINT32_MAX) {
        fault(&d, MT_E_LIMIT, "it is larger than 4 GiB");
    } else {
        read_message(&d, m, bytes, 0, out);
    }
    *why = d.why;
    return d.err;
}
