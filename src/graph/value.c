/* graph/value.c - values of graphs: numbers, series, booleans, texts, events; and
 * parameters.
 *
 * A value is plain data of 16 bytes; series and texts are borrowed from an arena or
 * the context. Numbers are doubles, compared and hashed by their bits: two values are
 * the same if replay would see no difference. JSON has two forms, plain and tagged
 * with the type; numbers are printed the shortest way that reads back.
 *
 * A parameter (gr_literal) keeps what was written: Int and Number are different until
 * one is cast to the other, which must be exact (up to 2^53). Numbers that are not
 * finite are refused at every door: MT_E_RANGE or false. */
#include "graph/value.h"

#include <math.h>

#include "base/json_write.h"
#include "base/number.h"

static const char *const TYPE_NAMES[] = {
    [GR_NONE] = "none", [GR_NUMBER] = "Number", [GR_SERIES] = "Series",
    [GR_BOOL] = "Bool", [GR_STRING] = "String", [GR_EVENT] = "Event",
};
MT_TABLE_COVERS(TYPE_NAMES, GR_EVENT + 1);
static const char *const EVENT_NAMES[] = {
    [GR_NOT_EMITTED] = "NotEmitted", [GR_EMITTED] = "Emitted",
    [GR_ATTEMPTED] = "Attempted",    [GR_COMPLETED] = "Completed",
    [GR_REJECTED] = "Rejected",      [GR_CANCELLED] = "Cancelled",
    [GR_FAILED] = "Failed",          [GR_SKIPPED] = "Skipped",
};
MT_TABLE_COVERS(EVENT_NAMES, GR_SKIPPED + 1);
static const char *const PARAM_NAMES[] = {
    [GR_P_NONE] = "none", [GR_P_INT] = "Int",       [GR_P_NUMBER] = "Number",
    [GR_P_BOOL] = "Bool", [GR_P_STRING] = "String", [GR_P_ENUM] = "Enum",
};
MT_TABLE_COVERS(PARAM_NAMES, GR_P_ENUM + 1);

#define COUNT(names) (sizeof(names) / sizeof *(names))

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_word(mt_str s, const char *word)
{
    size_t i = 0;
    while (i < s.len && word[i] && lower(s.ptr[i]) == lower(word[i])) {
        i++;
    }
    return i == s.len && !word[i];
}

/* Index of `name` in names[1 ..], 0 when it is none of them. */
static size_t word_index(mt_str name, const char *const *names, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (same_word(name, names[i])) {
            return i;
        }
    }
    return 0;
}

const char *gr_type_name(gr_type type)
{
    return TYPE_NAMES[type];
}

gr_type gr_type_of(mt_str name)
{
    return (gr_type)word_index(name, TYPE_NAMES, COUNT(TYPE_NAMES));
}

const char *gr_event_name(gr_event event)
{
    return EVENT_NAMES[event];
}

const char *gr_param_type_name(gr_param_type type)
{
    return PARAM_NAMES[type];
}

gr_param_type gr_param_type_of(mt_str name)
{
    return (gr_param_type)word_index(name, PARAM_NAMES, COUNT(PARAM_NAMES));
}

gr_value gr_type_zero(gr_type type)
{
    switch (type) {
    case GR_NUMBER: return gr_number(0.0);
    case GR_SERIES: return gr_series(NULL, 0);
    case GR_BOOL: return gr_bool(false);
    case GR_STRING: return gr_string(MT_STR(""));
    case GR_EVENT: return gr_event_value(GR_NOT_EMITTED);
    case GR_NONE: break;
    }
    return (gr_value){.type = GR_NONE};
}

/* Values that are not finite end a pass where they arise; events, booleans and texts
 * always are. */
bool gr_value_finite(const gr_value *v)
{
    if (v->type == GR_NUMBER) {
        return isfinite(v->as.number);
    }
    for (uint32_t i = 0; v->type == GR_SERIES && i < v->len; i++) {
        if (!isfinite(v->as.series[i])) {
            return false;
        }
    }
    return true;
}

/* Bit by bit: -0 and 0 differ here, as they do in the text that is hashed. */
bool gr_value_same(const gr_value *a, const gr_value *b)
{
    if (a->type != b->type) {
        return false;
    }
    if (a->type == GR_SERIES) {
        return a->len == b->len && (!a->len || !memcmp(a->as.series, b->as.series,
                                                       a->len * sizeof(double)));
    }
    if (a->type == GR_STRING) {
        return mt_str_eq(gr_text_of(a), gr_text_of(b));
    }
    return a->type == GR_NONE || memcmp(&a->as, &b->as, sizeof a->as) == 0;
}

/* Only texts and series own memory. */
gr_value gr_value_dup(mt_arena *a, gr_value v)
{
    if (v.type == GR_SERIES) {
        double *copy = mt_alloc(a, mt_array_bytes(v.len, sizeof *copy));
        if (v.len) {
            memcpy(copy, v.as.series, v.len * sizeof *copy);
        }
        v.as.series = copy;
    } else if (v.type == GR_STRING) {
        v.as.text = mt_str_dup(a, gr_text_of(&v)).ptr;
    }
    return v;
}

void gr_number_text(mt_buf *out, double n)
{
    char text[MT_NUMBER_TEXT];
    mt_buf_add(out, text, mt_number_print(n, text));
}

void gr_value_plain_json(mt_buf *out, const gr_value *v)
{
    switch ((gr_type)v->type) {
    case GR_NUMBER: gr_number_text(out, v->as.number); break;
    case GR_BOOL: mt_buf_addz(out, v->as.boolean ? "true" : "false"); break;
    case GR_STRING: mt_json_quote(out, gr_text_of(v)); break;
    case GR_EVENT: mt_buf_addf(out, "\"%s\"", EVENT_NAMES[v->as.event]); break;
    case GR_NONE: mt_buf_addz(out, "null"); break;
    case GR_SERIES:
        mt_buf_addc(out, '[');
        for (uint32_t i = 0; i < v->len; i++) {
            if (i) {
                mt_buf_addc(out, ',');
            }
            gr_number_text(out, v->as.series[i]);
        }
        mt_buf_addc(out, ']');
        break;
    }
}

void gr_value_json(mt_buf *out, const gr_value *v)
{
    mt_buf_addf(out, "{\"%s\":", TYPE_NAMES[v->type]);
    gr_value_plain_json(out, v);
    mt_buf_addc(out, '}');
}

static bool read_finite(const mt_json *node, double *out)
{
    return mt_json_is(node, MT_JSON_NUMBER) &&
           mt_number_parse(mt_json_text(node), out) == MT_OK && isfinite(*out);
}

/* A list of numbers; anything else in it makes the whole no value. */
static bool series_from_json(mt_arena *a, const mt_json *node, gr_value *out)
{
    double *items = mt_alloc(a, mt_array_bytes(node->count, sizeof *items));
    for (uint32_t i = 0; i < node->count; i++) {
        if (!read_finite(&node->as.items[i], &items[i])) {
            return false;
        }
    }
    *out = gr_series(items, node->count);
    return true;
}

/* Texts point into the document. null is not a value: a key that is absent is said by
 * leaving it out. */
bool gr_value_from_json(mt_arena *a, const mt_json *node, gr_value *out)
{
    switch ((mt_json_type)node->type) {
    case MT_JSON_BOOL: *out = gr_bool(node->boolean); return true;
    case MT_JSON_STRING: *out = gr_string(mt_json_text(node)); return true;
    case MT_JSON_ARRAY: return series_from_json(a, node, out);
    case MT_JSON_NUMBER: *out = gr_number(0); return read_finite(node, &out->as.number);
    case MT_JSON_NULL:
    case MT_JSON_OBJECT: break;
    }
    return false;
}

/* ---- parameters ---- */

static bool is_integer_text(mt_str s)
{
    for (size_t i = s.len && s.ptr[0] == '-'; i < s.len; i++) {
        if (s.ptr[i] < '0' || s.ptr[i] > '9') {
            return false;
        }
    }
    return true;
}

static mt_err literal_number(const mt_json *node, gr_literal *out)
{
    if (is_integer_text(mt_json_text(node))) {
        out->type = GR_P_INT;
        return mt_json_i64(node, &out->integer);
    }
    out->type = GR_P_NUMBER;
    return read_finite(node, &out->number) ? MT_OK : MT_E_RANGE;
}

mt_err gr_literal_from_json(const mt_json *node, gr_literal *out)
{
    *out = (gr_literal){.type = GR_P_NONE};
    switch ((mt_json_type)node->type) {
    case MT_JSON_NUMBER: return literal_number(node, out);
    case MT_JSON_BOOL:
        *out = (gr_literal){.type = GR_P_BOOL, .boolean = node->boolean};
        return MT_OK;
    case MT_JSON_STRING:
        *out = (gr_literal){.type = GR_P_STRING, .text = mt_json_text(node)};
        return MT_OK;
    case MT_JSON_NULL:
    case MT_JSON_ARRAY:
    case MT_JSON_OBJECT: break;
    }
    return MT_E_TYPE;
}

void gr_literal_json(mt_buf *out, const gr_literal *l)
{
    mt_buf_addf(out, "{\"kind\":\"%s\",\"value\":", PARAM_NAMES[l->type]);
    switch (l->type) {
    case GR_P_INT: mt_buf_add_i64(out, l->integer); break;
    case GR_P_NUMBER: gr_number_text(out, l->number); break;
    case GR_P_BOOL: mt_buf_addz(out, l->boolean ? "true" : "false"); break;
    case GR_P_STRING:
    case GR_P_ENUM: mt_json_quote(out, l->text); break;
    case GR_P_NONE: mt_buf_addz(out, "null"); break;
    }
    mt_buf_addc(out, '}');
}

static const int64_t EXACT = (int64_t)1 << 53;

/* Only casts that lose nothing: a whole number is a number as long as a double holds it
 * exactly. */
mt_err gr_literal_cast(const gr_literal *l, gr_param_type type, gr_literal *out)
{
    *out = *l;
    if (l->type == type) {
        return MT_OK;
    }
    out->type = type;
    if (l->type == GR_P_INT && type == GR_P_NUMBER) {
        out->number = (double)l->integer;
        return l->integer >= -EXACT && l->integer <= EXACT ? MT_OK : MT_E_RANGE;
    }
    return l->type == GR_P_STRING && type == GR_P_ENUM ? MT_OK : MT_E_TYPE;
}

/* A whole number becomes a double, exactly, since larger ones were refused. */
gr_value gr_literal_value(const gr_literal *l)
{
    switch (l->type) {
    case GR_P_INT: return gr_number((double)l->integer);
    case GR_P_NUMBER: return gr_number(l->number);
    case GR_P_BOOL: return gr_bool(l->boolean);
    case GR_P_STRING:
    case GR_P_ENUM: return gr_string(l->text);
    case GR_P_NONE: break;
    }
    return (gr_value){.type = GR_NONE};
}
