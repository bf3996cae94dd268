/* base/yaml_read.c - YAML to the same tree that JSON makes.
 *
 * Graphs, agents and configurations are written in YAML; what they mean is checked on
 * the JSON tree, so this reader only decides what a scalar is. Plain scalars follow
 * the YAML 1.2 core schema (null, true, false, numbers, also 0x and 0o), without the
 * words that 1.1 took for booleans; everything quoted is text. Tags are refused, so
 * are infinity and NaN, keys that are not scalars, equal keys, and a second document.
 *
 * Aliases share what the anchor made; they are counted with everything below them, so
 * a document that multiplies itself (ten anchors, each of ten aliases) meets the limit
 * of nodes before it costs anything. Depth counts through aliases as well.
 *
 * Invariants: offsets are bytes of the input although libyaml counts characters
 * (offset_of()); after the first fault nothing more is read and only that fault is
 * kept. What may fail: MT_E_LIMIT (bytes, depth, nodes), MT_E_SYNTAX, MT_E_RANGE. The
 * tree lives in the arena; libyaml's own memory is released before returning. */
#include "base/yaml_read.h"

#include <yaml.h>

#include "base/limits.h"
#include "base/map.h"
#include "base/utf8.h"
#include "base/vec.h"

/* What a walk over a subtree would meet. */
typedef struct extent {
    size_t nodes, height; /* values in it; how deep they nest */
} extent;

typedef struct anchored {
    mt_json value;
    extent size;
} anchored;

typedef struct reader {
    yaml_parser_t parser;
    yaml_event_t event; /* the current one, owned */
    bool has_event;
    mt_arena *arena;
    mt_str text;
    size_t skipped;          /* bytes of a byte order mark */
    size_t at_char, at_byte; /* a place both units know, for offset_of() */
    mt_map anchors;          /* name -> anchored* */
    mt_yaml_limits limits;
    size_t nodes; /* so far, aliases counted in full */
    mt_err err;
    mt_json_error *error;
} reader;

/* libyaml counts characters. Marks mostly grow, so the walk goes on where it ended. */
static size_t offset_of(reader *r, yaml_mark_t mark)
{
    if (mark.index < r->at_char) {
        r->at_char = 0;
        r->at_byte = r->skipped;
    }
    while (r->at_char < mark.index && r->at_byte < r->text.len) {
        size_t len;
        mt_utf8_decode(r->text.ptr + r->at_byte, &len);
        r->at_byte += len;
        r->at_char++;
    }
    return r->at_byte;
}

static bool fail(reader *r, mt_err err, size_t offset, const char *message,
                 mt_str detail)
{
    if (!r->err) {
        r->err = err;
        *r->error = (mt_json_error){offset, message, mt_str_dup(r->arena, detail)};
    }
    return false;
}

static bool fail_here(reader *r, mt_err err, const char *message)
{
    return fail(r, err, offset_of(r, r->event.start_mark), message, MT_STR(""));
}

/* Moves to the next event. */
static bool next(reader *r)
{
    if (r->has_event) {
        yaml_event_delete(&r->event);
        r->has_event = false;
    }
    if (!yaml_parser_parse(&r->parser, &r->event)) {
        if (r->parser.error == YAML_MEMORY_ERROR) {
            MT_BUG("out of memory in libyaml");
        }
        const char *why = r->parser.problem ? r->parser.problem : "malformed YAML";
        return fail(r, MT_E_SYNTAX, offset_of(r, r->parser.problem_mark), why,
                    MT_STR(""));
    }
    r->has_event = true;
    return true;
}

/* ---- scalars ---- */

static bool is_one_of(mt_str s, const char *const *words)
{
    for (; *words; words++) {
        if (mt_str_eq(s, mt_str_z(*words))) {
            return true;
        }
    }
    return false;
}

static size_t digits(mt_str s, size_t at)
{
    size_t n = 0;
    while (at + n < s.len && s.ptr[at + n] >= '0' && s.ptr[at + n] <= '9') {
        n++;
    }
    return n;
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* 0x1F and 0o17 up to 64 bits, as decimal text; false when `s` is not of that form. */
static bool radix_number(mt_arena *a, mt_str s, mt_str *out)
{
    if (s.len < 3 || s.ptr[0] != '0' || (s.ptr[1] != 'x' && s.ptr[1] != 'o')) {
        return false;
    }
    unsigned base = s.ptr[1] == 'x' ? 16 : 8;
    uint64_t value = 0;
    for (size_t i = 2; i < s.len; i++) {
        unsigned digit = (unsigned)digit_value(s.ptr[i]);
        if (digit >= base || __builtin_mul_overflow(value, base, &value) ||
            __builtin_add_overflow(value, digit, &value)) {
            return false;
        }
    }
    *out = mt_strf(a, "%llu", (unsigned long long)value);
    return true;
}

/* The parts of [-+]? digits [. digits] [e [+-] digits]. */
typedef struct number_parts {
    bool negative, has_dot, has_exponent;
    mt_str whole, fraction, exponent; /* exponent with its sign */
} number_parts;

/* Only the parts; whether they are a number of JSON is made so by number_text(). */
static bool split_number(mt_str s, number_parts *p)
{
    size_t at = 0;
    if (s.len && (s.ptr[0] == '-' || s.ptr[0] == '+')) {
        p->negative = s.ptr[at++] == '-';
    }
    p->whole = mt_str_from(s.ptr + at, digits(s, at));
    at += p->whole.len;
    if (at < s.len && s.ptr[at] == '.') {
        p->has_dot = true;
        p->fraction = mt_str_from(s.ptr + at + 1, digits(s, at + 1));
        at += 1 + p->fraction.len;
    }
    if (!p->whole.len && !p->fraction.len) {
        return false;
    }
    if (at < s.len && (s.ptr[at] == 'e' || s.ptr[at] == 'E')) {
        size_t start = ++at;
        at += at < s.len && (s.ptr[at] == '-' || s.ptr[at] == '+');
        size_t n = digits(s, at);
        at += n;
        p->has_exponent = true;
        p->exponent = mt_str_from(s.ptr + start, at - start);
        if (!n) {
            return false;
        }
    }
    return at == s.len;
}

/* The JSON text of a YAML number; false when `s` is not one. */
static bool number_text(mt_arena *a, mt_str s, mt_str *out)
{
    number_parts p = {0};
    if (radix_number(a, s, out)) {
        return true;
    }
    if (!split_number(s, &p)) {
        return false;
    }
    while (p.whole.len > 1 && p.whole.ptr[0] == '0') {
        p.whole = mt_str_skip(p.whole, 1);
    }
    if (!p.whole.len) {
        p.whole = MT_STR("0");
    }
    if (p.has_dot && !p.fraction.len) {
        p.fraction = MT_STR("0");
    }
    *out = mt_strf(a, "%s%.*s%s%.*s%s%.*s", p.negative ? "-" : "", MT_ARG(p.whole),
                   p.has_dot ? "." : "", MT_ARG(p.fraction), p.has_exponent ? "e" : "",
                   MT_ARG(p.exponent));
    return true;
}

static mt_json text_node(uint8_t type, mt_str text)
{
    return (mt_json){.type = type, .count = (uint32_t)text.len, .as.text = text.ptr};
}

/* The YAML 1.2 core schema; `yes`, `no`, `on` and `off` are texts. */
static bool plain_scalar(reader *r, mt_str s, mt_json *out)
{
    static const char *const NULLS[] = {"", "~", "null", "Null", "NULL", NULL};
    static const char *const TRUES[] = {"true", "True", "TRUE", NULL};
    static const char *const FALSES[] = {"false", "False", "FALSE", NULL};
    static const char *const ENDLESS[] = {".inf",  ".Inf",  ".INF",  "+.inf", "+.Inf",
                                          "+.INF", "-.inf", "-.Inf", "-.INF", ".nan",
                                          ".NaN",  ".NAN",  NULL};
    mt_str number;
    if (is_one_of(s, NULLS)) {
        *out = (mt_json){.type = MT_JSON_NULL};
    } else if (is_one_of(s, TRUES) || is_one_of(s, FALSES)) {
        *out = (mt_json){.type = MT_JSON_BOOL, .boolean = is_one_of(s, TRUES)};
    } else if (is_one_of(s, ENDLESS)) {
        return fail_here(r, MT_E_RANGE, "infinity and NaN are not values");
    } else if (number_text(r->arena, s, &number)) {
        *out = text_node(MT_JSON_NUMBER, number);
    } else {
        *out = text_node(MT_JSON_STRING, mt_str_dup(r->arena, s));
    }
    return true;
}

static bool tag_is(const yaml_char_t *tag, const char *name)
{
    return tag && strcmp((const char *)tag, name) == 0;
}

/* A tag that says text makes anything text; any other tag is refused rather than
 * ignored. */
static bool scalar(reader *r, mt_json *out)
{
    const yaml_char_t *tag = r->event.data.scalar.tag;
    mt_str s = {(const char *)r->event.data.scalar.value, r->event.data.scalar.length};
    bool plain = r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (!tag && plain) {
        return plain_scalar(r, s, out);
    }
    if (tag && !tag_is(tag, YAML_STR_TAG) && !tag_is(tag, "!")) {
        return fail_here(r, MT_E_SYNTAX, "tags are not supported");
    }
    *out = text_node(MT_JSON_STRING, mt_str_dup(r->arena, s));
    return true;
}

/* ---- nodes ---- */

static bool node(reader *r, size_t depth, mt_json *out, extent *size);

static void absorb(extent *whole, extent part)
{
    whole->nodes += part.nodes;
    whole->height = part.height + 1 > whole->height ? part.height + 1 : whole->height;
}

/* The current event is its end when it returns. */
static bool sequence(reader *r, size_t depth, mt_json *out, extent *size)
{
    MT_VEC(mt_json) items = {0};
    while (next(r) && r->event.type != YAML_SEQUENCE_END_EVENT) {
        mt_json item;
        extent part;
        if (!node(r, depth + 1, &item, &part)) {
            return false;
        }
        absorb(size, part);
        mt_vec_push(r->arena, &items, item);
    }
    *out = (mt_json){
        .type = MT_JSON_ARRAY, .count = (uint32_t)items.len, .as.items = items.items};
    return !r->err;
}

/* Keys are the text as written: `1:` and `"1":` are the same key. */
static bool key(reader *r, mt_map *seen, mt_str *out)
{
    if (r->event.type != YAML_SCALAR_EVENT || r->event.data.scalar.anchor) {
        return fail_here(r, MT_E_SYNTAX, "a key must be a plain scalar");
    }
    mt_str text = {(const char *)r->event.data.scalar.value,
                   r->event.data.scalar.length};
    bool added;
    *out = mt_str_dup(r->arena, text);
    mt_map_add(r->arena, seen, *out, &added);
    if (!added) {
        return fail(r, MT_E_SYNTAX, offset_of(r, r->event.start_mark), "duplicate key",
                    *out);
    }
    return true;
}

/* Keys and values in turn; equal keys are refused by key(). */
static bool mapping(reader *r, size_t depth, mt_json *out, extent *size)
{
    MT_VEC(mt_json_member) members = {0};
    mt_map seen = {0};
    while (next(r) && r->event.type != YAML_MAPPING_END_EVENT) {
        mt_json_member member;
        extent part;
        if (!key(r, &seen, &member.key) || !next(r) ||
            !node(r, depth + 1, &member.value, &part)) {
            return false;
        }
        absorb(size, part);
        mt_vec_push(r->arena, &members, member);
    }
    *out = (mt_json){.type = MT_JSON_OBJECT,
                     .count = (uint32_t)members.len,
                     .as.members = members.items};
    return !r->err;
}

/* Costs what the anchored value would cost written out, in depth and in nodes, before
 * it is shared. */
static bool alias(reader *r, size_t depth, mt_json *out, extent *size)
{
    mt_str name = mt_str_z((const char *)r->event.data.alias.anchor);
    const anchored *a = (const anchored *)mt_map_get(&r->anchors, name, 0);
    if (!a) {
        return fail(r, MT_E_SYNTAX, offset_of(r, r->event.start_mark),
                    "alias of an unknown or unfinished anchor", name);
    }
    if (depth + a->size.height > r->limits.depth) {
        return fail_here(r, MT_E_LIMIT, "nested too deeply");
    }
    *out = a->value;
    *size = a->size;
    r->nodes += a->size.nodes;
    return true;
}

/* The name of the anchor at the current event, copied; ptr NULL if it has none. */
static mt_str anchor_name(reader *r, const yaml_char_t *anchor)
{
    return anchor ? mt_str_dup(r->arena, mt_str_z((const char *)anchor))
                  : mt_str_from(NULL, 0);
}

static void remember(reader *r, mt_str name, const mt_json *value, extent size)
{
    anchored *a = mt_new(r->arena, anchored);
    *a = (anchored){*value, size};
    mt_map_put(r->arena, &r->anchors, name, (uintptr_t)a);
}

static bool collection_tag_ok(reader *r, const yaml_char_t *tag, const char *core)
{
    return !tag || tag_is(tag, core) || tag_is(tag, "!") ||
           fail_here(r, MT_E_SYNTAX, "tags are not supported");
}

/* The node at the current event; leaves its last event current. */
static bool node(reader *r, size_t depth, mt_json *out, extent *size)
{
    size_t offset = offset_of(r, r->event.start_mark);
    mt_str anchor = {0};
    bool ok;
    *size = (extent){1, 0};
    if (depth > r->limits.depth) {
        return fail_here(r, MT_E_LIMIT, "nested too deeply");
    }
    if (r->event.type == YAML_ALIAS_EVENT) {
        ok = alias(r, depth, out, size);
    } else if (r->event.type == YAML_SCALAR_EVENT) {
        anchor = anchor_name(r, r->event.data.scalar.anchor);
        ok = scalar(r, out);
        r->nodes++;
    } else if (r->event.type == YAML_SEQUENCE_START_EVENT) {
        anchor = anchor_name(r, r->event.data.sequence_start.anchor);
        ok = collection_tag_ok(r, r->event.data.sequence_start.tag, YAML_SEQ_TAG) &&
             sequence(r, depth, out, size);
        r->nodes++;
    } else if (r->event.type == YAML_MAPPING_START_EVENT) {
        anchor = anchor_name(r, r->event.data.mapping_start.anchor);
        ok = collection_tag_ok(r, r->event.data.mapping_start.tag, YAML_MAP_TAG) &&
             mapping(r, depth, out, size);
        r->nodes++;
    } else {
        return fail_here(r, MT_E_SYNTAX, "expected a value");
    }
    if (ok && r->nodes > r->limits.nodes) {
        ok = fail_here(r, MT_E_LIMIT, "too many nodes");
    }
    if (ok) {
        out->offset = (uint32_t)offset;
        if (anchor.ptr) {
            remember(r, anchor, out, *size);
        }
    }
    return ok;
}

/* An empty stream is null; a second document is an error, since nobody would see it. */
static bool document(reader *r, mt_json *out)
{
    extent size;
    *out = (mt_json){.type = MT_JSON_NULL};
    if (!next(r) || !next(r)) { /* stream start, then document start or stream end */
        return false;
    }
    if (r->event.type == YAML_STREAM_END_EVENT) {
        return true;
    }
    if (!next(r) || !node(r, 1, out, &size) || !next(r) || !next(r)) {
        return false;
    }
    return r->event.type == YAML_STREAM_END_EVENT ||
           fail_here(r, MT_E_SYNTAX, "more than one document");
}

static mt_yaml_limits effective(const mt_yaml_limits *given)
{
    mt_yaml_limits l = given ? *given : (mt_yaml_limits){0};
    l.bytes = l.bytes ? l.bytes : MT_LIMITS_DEFAULT.yaml_bytes;
    l.depth = l.depth ? l.depth : MT_LIMITS_DEFAULT.json_depth;
    l.depth = l.depth < MT_JSON_MAX_DEPTH ? l.depth : MT_JSON_MAX_DEPTH;
    l.nodes = l.nodes ? l.nodes : MT_LIMITS_DEFAULT.yaml_nodes;
    return l;
}

static bool acceptable(reader *r)
{
    if (r->text.len > r->limits.bytes || r->text.len > UINT32_MAX) {
        return fail(r, MT_E_LIMIT, 0, "too many bytes", MT_STR(""));
    }
    size_t bad = mt_utf8_check(r->text);
    return bad == r->text.len ||
           fail(r, MT_E_SYNTAX, bad, "not valid UTF-8", MT_STR(""));
}

mt_err mt_yaml_read(mt_arena *a, mt_str text, const mt_yaml_limits *limits,
                    mt_json *out, mt_json_error *error)
{
    mt_json_error ignored = {0};
    reader r = {.arena = a,
                .text = text,
                .limits = effective(limits),
                .error = error ? error : &ignored};
    *r.error = (mt_json_error){0};
    *out = (mt_json){.type = MT_JSON_NULL};
    if (!acceptable(&r)) {
        return r.err;
    }
    r.skipped = mt_str_starts(text, MT_STR("\xef\xbb\xbf")) ? 3 : 0;
    r.at_byte = r.skipped;
    if (!yaml_parser_initialize(&r.parser)) {
        MT_BUG("out of memory in libyaml");
    }
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text.ptr + r.skipped,
                                 text.len - r.skipped);
    document(&r, out);
    if (r.has_event) {
        yaml_event_delete(&r.event);
    }
    yaml_parser_delete(&r.parser);
    return r.err;
}
