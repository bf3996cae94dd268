/* contract/front/parser_type.c - types.
 *
 * Scalars are a table of word, base and reader of parameters; parameters may be named
 * or stand in order. Records and unions are sorted by name when they are complete; of
 * equal names the last stays and pass 3 reports. A name nobody knows is a reference,
 * resolved in pass 3.
 *
 * Numbers that do not fit become 2^32-1, which pass 4 refuses with the right words.
 * Depth is bounded by source_depth; NULL means a fault was reported. */
#include <stdlib.h>

#include "contract/front/parser.h"

/* Depth 1: what is nested inside raises it, and a limit bounds it. */
static fr_type *new_type(fr_parser *p, fr_base base, fr_tok tok)
{
    fr_type *t = mt_new(p->a, fr_type);
    t->base = (uint8_t)base;
    t->tok = tok;
    t->depth = 1;
    return t;
}

/* An integer behind an optional `name:`. */
static bool take_param(fr_parser *p, fr_sym name, int64_t *out)
{
    fr_accept_label(p, name);
    return fr_take_int(p, out);
}

/* Without names in this order; with names in any. */
static bool take_two(fr_parser *p, fr_sym first, int64_t *a, fr_sym second, int64_t *b)
{
    bool swapped = fr_is_word(p, second) && fr_peek_at(p, 1) == FR_T_COLON;
    if (!take_param(p, swapped ? second : first, swapped ? b : a)) {
        return false;
    }
    fr_accept(p, FR_T_COMMA);
    return take_param(p, swapped ? first : second, swapped ? a : b) &&
           fr_take(p, FR_T_RPAREN);
}

/* A bare Int has the whole range. A bare Text has length 0, which as the type of a
 * payload means the length of its literal. */
static bool read_int(fr_parser *p, fr_type *t)
{
    t->min = INT64_MIN;
    t->max = INT64_MAX;
    return !fr_accept(p, FR_T_LPAREN) ||
           take_two(p, FR_W_min, &t->min, FR_W_max, &t->max);
}

/* Parameters that do not fit become 2^32-1, which pass 4 refuses. */
static uint32_t narrow(int64_t n)
{
    return n < 0 || n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

static bool read_decimal(fr_parser *p, fr_type *t)
{
    int64_t precision, scale;
    if (!fr_take(p, FR_T_LPAREN) ||
        !take_two(p, FR_W_precision, &precision, FR_W_scale, &scale)) {
        return false;
    }
    t->precision = narrow(precision);
    t->scale = narrow(scale);
    return true;
}

static bool read_text(fr_parser *p, fr_type *t)
{
    t->bare = !fr_accept(p, FR_T_LPAREN);
    return t->bare ||
           (take_param(p, FR_W_max_length, &t->length) && fr_take(p, FR_T_RPAREN));
}

/* That a code is three capital letters is asked in pass 4. */
static bool read_money(fr_parser *p, fr_type *t)
{
    fr_name currency = {0};
    if (!fr_take(p, FR_T_LPAREN)) {
        return false;
    }
    fr_accept_label(p, FR_W_currency);
    bool ok = fr_take_str(p, &currency) && fr_take(p, FR_T_RPAREN);
    t->name = currency.sym;
    return ok;
}

typedef struct value_list {
    fr_sym *items;
    size_t len, cap;
} value_list;

static bool read_value(fr_parser *p, void *list)
{
    fr_name value;
    if (!fr_take_str(p, &value)) {
        return false;
    }
    value_list *values = list;
    *mt_vec_add(p->a, values) = value.sym;
    return true;
}

/* Values keep the order they are written in, which is part of the type; doubles are
 * pass 4's to find. */
static bool read_enum(fr_parser *p, fr_type *t)
{
    value_list values = {0};
    if (!fr_take(p, FR_T_LPAREN)) {
        return false;
    }
    fr_accept_label(p, FR_W_values);
    if (!fr_read_list(p, read_value, &values)) {
        return false;
    }
    t->values = values.items;
    t->value_count = (uint32_t)values.len;
    return fr_take(p, FR_T_RPAREN);
}

static fr_field_result read_duration_param(fr_parser *p, void *node, fr_sym field,
                                           fr_tok tok)
{
    (void)tok;
    fr_type *t = node;
    fr_name unit;
    switch (field) {
    case FR_W_min: return FR_READ(fr_take_int(p, &t->min));
    case FR_W_max: t->bare = false; return FR_READ(fr_take_int(p, &t->max));
    case FR_W_unit:
        if (!fr_take_str(p, &unit)) {
            return FR_FIELD_FAILED;
        }
        t->name = unit.sym;
        return FR_FIELD_OK;
    default: return FR_FIELD_UNKNOWN;
    }
}

/* min is 0 unless given; pass 4 checks the unit. */
static bool read_duration(fr_parser *p, fr_type *t)
{
    static const fr_sym FIELDS[] = {FR_W_unit, FR_W_min, FR_W_max, FR_W_none};
    static const fr_body BODY = {.unknown = "Duration param",
                                 .fields = FIELDS,
                                 .read = read_duration_param,
                                 .close = FR_T_RPAREN,
                                 .commas = true};
    fr_seen seen = {0};
    t->max = INT64_MAX;
    t->bare = true;
    t->name = FR_W_empty;
    return fr_take(p, FR_T_LPAREN) && fr_read_body(p, &BODY, t, &seen);
}

static fr_field_result read_list_param(fr_parser *p, void *node, fr_sym field,
                                       fr_tok tok)
{
    (void)tok;
    fr_type *t = node;
    int64_t max;
    switch (field) {
    case FR_W_element_type: return FR_READ((t->element = fr_parse_type(p)) != NULL);
    case FR_W_max:
        if (!fr_take_int(p, &max)) {
            return FR_FIELD_FAILED;
        }
        t->limit = narrow(max);
        return FR_FIELD_OK;
    default: return FR_FIELD_UNKNOWN;
    }
}

/* That the element is not a list itself (§4.1) is for pass 4, after names are
 * resolved. */
static bool read_list(fr_parser *p, fr_type *t)
{
    static const fr_sym FIELDS[] = {FR_W_element_type, FR_W_max, FR_W_none};
    static const fr_body BODY = {.unknown = "List param",
                                 .fields = FIELDS,
                                 .read = read_list_param,
                                 .close = FR_T_RPAREN,
                                 .commas = true};
    fr_seen seen = {0};
    if (!fr_take(p, FR_T_LPAREN) || !fr_read_body(p, &BODY, t, &seen)) {
        return false;
    }
    fr_lack lack = {"List", FR_W_none, FR_W_element_type, {t->tok, t->tok}};
    return t->element || (!p->broken && fr_missing(p, fr_here(p), &lack));
}

/* ---- records and unions ---- */

/* Equal names keep the order of the text, so the last is the one that stays. */
static int compare_fields(const void *a, const void *b, void *unit)
{
    const fr_type_field *x = a, *y = b;
    int order = fr_sym_cmp(unit, x->name, y->name);
    return order ? order : x->tok < y->tok ? -1 : x->tok > y->tok;
}

/* Sorted by name; of equal names the last declared stays. Most records are written in
 * order already, which is seen without sorting. */
static void settle_fields(fr_parser *p, fr_type *t)
{
    for (uint32_t i = 1; i < t->field_count; i++) {
        if (compare_fields(&t->fields[i - 1], &t->fields[i], p->u) > 0) {
            qsort_r(t->fields, t->field_count, sizeof *t->fields, compare_fields, p->u);
            break;
        }
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->field_count; i++) {
        if (kept && t->fields[kept - 1].name == t->fields[i].name) {
            t->twice = t->fields[i].name;
            kept--;
        }
        t->fields[kept++] = t->fields[i];
    }
    t->field_count = kept;
}

typedef struct field_list {
    fr_type_field *items;
    size_t len, cap;
} field_list;

static bool read_type_field(fr_parser *p, field_list *list)
{
    fr_name name;
    if (!fr_take_word(p, &name) || !fr_take(p, FR_T_COLON)) {
        return false;
    }
    fr_type *type = fr_parse_type(p);
    if (!type) {
        return false;
    }
    *mt_vec_add(p->a, list) = (fr_type_field){name.sym, name.tok, type};
    fr_accept(p, FR_T_COMMA);
    return true;
}

/* A fault ends the type and not only the field: half a record would be of another
 * type. */
static fr_type *parse_fields(fr_parser *p, fr_base base)
{
    fr_type *t = new_type(p, base, fr_here(p));
    field_list list = {0};
    if (!fr_take(p, FR_T_LBRACE)) {
        return NULL;
    }
    while (fr_peek(p) != FR_T_RBRACE) {
        if (!read_type_field(p, &list)) {
            return NULL;
        }
    }
    fr_advance(p);
    t->fields = list.items;
    t->field_count = (uint32_t)list.len;
    settle_fields(p, t);
    return t;
}

fr_type *fr_parse_record(fr_parser *p)
{
    return parse_fields(p, FR_TYPE_RECORD);
}

/* `{...}`, `({...})` or `(label: {...})`. */
static fr_type *parse_structure(fr_parser *p, fr_base base, fr_sym label)
{
    if (fr_peek(p) == FR_T_LBRACE) {
        return parse_fields(p, base);
    }
    if (base == FR_TYPE_UNION && fr_peek(p) != FR_T_LPAREN) {
        fr_expected(p, "'{'");
        return NULL;
    }
    if (!fr_take(p, FR_T_LPAREN)) {
        return NULL;
    }
    fr_accept_label(p, label);
    fr_type *t = parse_fields(p, base);
    return t && fr_take(p, FR_T_RPAREN) ? t : NULL;
}

/* Also for a misspelled base type; pass 3 reports that nobody declares the name. */
static fr_type *parse_reference(fr_parser *p, fr_name name)
{
    fr_type *t = new_type(p, FR_TYPE_REF, name.tok);
    t->ref = name.sym;
    return t;
}

static bool read_nothing(fr_parser *p, fr_type *t)
{
    (void)p, (void)t;
    return true;
}

/* How the parameters of a type are read; NULL: as a structure of fields. By base and
 * not by how values are held, unlike the tables of contract/wire: each base has its own
 * spelling of parameters. */
static bool (*const READERS[])(fr_parser *p, fr_type *t) = {
    [FR_TYPE_BOOL] = read_nothing,    [FR_TYPE_INT] = read_int,
    [FR_TYPE_DECIMAL] = read_decimal, [FR_TYPE_TEXT] = read_text,
    [FR_TYPE_DATE] = read_nothing,    [FR_TYPE_DATETIME] = read_nothing,
    [FR_TYPE_MONEY] = read_money,     [FR_TYPE_DURATION] = read_duration,
    [FR_TYPE_ENUM] = read_enum,       [FR_TYPE_LIST] = read_list,
    [FR_TYPE_RECORD] = NULL,          [FR_TYPE_UNION] = NULL,
};
MT_TABLE_COVERS(READERS, LN_BASE_COUNT);

static fr_type *parse_named(fr_parser *p, fr_name name)
{
    fr_base base = (fr_base)fr_base_of_word(name.sym);
    if (base == (fr_base)LN_BASE_COUNT) {
        return parse_reference(p, name);
    }
    if (!READERS[base]) {
        return parse_structure(p, base,
                               base == FR_TYPE_RECORD ? FR_W_fields : FR_W_variants);
    }
    fr_type *t = new_type(p, base, name.tok);
    return READERS[base](p, t) ? t : NULL;
}

/* The place of a structure is its word and not its brace. */
fr_type *fr_parse_type(fr_parser *p)
{
    fr_name name;
    if (!fr_enter(p)) {
        return NULL;
    }
    fr_type *t = fr_take_word(p, &name) ? parse_named(p, name) : NULL;
    if (t) {
        t->tok = name.tok;
    }
    fr_leave(p);
    return t;
}
