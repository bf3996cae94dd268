/* contract/front/parser_type.c - types. */
#include <stdlib.h>

#include "contract/front/parser.h"

static ct_type *new_type(ct_parser *p, ct_base base, ct_tok tok)
{
    ct_type *t = mt_new(p->a, ct_type);
    t->base = (uint8_t)base;
    t->tok = tok;
    t->depth = 1;
    return t;
}

/* An integer behind an optional `name:`. */
static bool take_param(ct_parser *p, ct_sym name, int64_t *out)
{
    ct_accept_label(p, name);
    return ct_take_int(p, out);
}

static bool take_two(ct_parser *p, ct_sym first, int64_t *a, ct_sym second, int64_t *b)
{
    if (!take_param(p, first, a)) {
        return false;
    }
    ct_accept(p, CT_T_COMMA);
    return take_param(p, second, b) && ct_take(p, CT_T_RPAREN);
}

static bool read_int(ct_parser *p, ct_type *t)
{
    t->min = INT64_MIN;
    t->max = INT64_MAX;
    return !ct_accept(p, CT_T_LPAREN) ||
           take_two(p, CT_W_min, &t->min, CT_W_max, &t->max);
}

/* Parameters that do not fit become 2^32-1, which pass 4 refuses. */
static uint32_t narrow(int64_t n)
{
    return n < 0 || n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

static bool read_decimal(ct_parser *p, ct_type *t)
{
    int64_t precision, scale;
    if (!ct_take(p, CT_T_LPAREN) ||
        !take_two(p, CT_W_precision, &precision, CT_W_scale, &scale)) {
        return false;
    }
    t->precision = narrow(precision);
    t->scale = narrow(scale);
    return true;
}

static bool read_text(ct_parser *p, ct_type *t)
{
    return !ct_accept(p, CT_T_LPAREN) ||
           (take_param(p, CT_W_max_length, &t->length) && ct_take(p, CT_T_RPAREN));
}

static bool read_money(ct_parser *p, ct_type *t)
{
    ct_name currency = {0};
    if (!ct_take(p, CT_T_LPAREN)) {
        return false;
    }
    ct_accept_label(p, CT_W_currency);
    bool ok = ct_take_str(p, &currency) && ct_take(p, CT_T_RPAREN);
    t->name = currency.sym;
    return ok;
}

typedef struct value_list {
    ct_sym *items;
    size_t len, cap;
} value_list;

static bool read_value(ct_parser *p, void *list)
{
    ct_name value;
    if (!ct_take_str(p, &value)) {
        return false;
    }
    value_list *values = list;
    *mt_vec_add(p->a, values) = value.sym;
    return true;
}

static bool read_enum(ct_parser *p, ct_type *t)
{
    value_list values = {0};
    if (!ct_take(p, CT_T_LPAREN)) {
        return false;
    }
    ct_accept_label(p, CT_W_values);
    if (!ct_read_list(p, read_value, &values)) {
        return false;
    }
    t->values = values.items;
    t->value_count = (uint32_t)values.len;
    return ct_take(p, CT_T_RPAREN);
}

static ct_field_result read_duration_param(ct_parser *p, void *node, ct_sym field,
                                           ct_tok tok)
{
    (void)tok;
    ct_type *t = node;
    ct_name unit;
    switch (field) {
    case CT_W_min: return CT_READ(ct_take_int(p, &t->min));
    case CT_W_max: return CT_READ(ct_take_int(p, &t->max));
    case CT_W_unit:
        if (!ct_take_str(p, &unit)) {
            return CT_FIELD_FAILED;
        }
        t->name = unit.sym;
        return CT_FIELD_OK;
    default: return CT_FIELD_UNKNOWN;
    }
}

static bool read_duration(ct_parser *p, ct_type *t)
{
    static const ct_body BODY = {.unknown = "Duration param",
                                 .read = read_duration_param,
                                 .close = CT_T_RPAREN,
                                 .commas = true};
    ct_seen seen = {0};
    t->max = INT64_MAX;
    t->name = CT_W_empty;
    return ct_take(p, CT_T_LPAREN) && ct_read_body(p, &BODY, t, &seen);
}

static ct_field_result read_list_param(ct_parser *p, void *node, ct_sym field,
                                       ct_tok tok)
{
    (void)tok;
    ct_type *t = node;
    int64_t max;
    switch (field) {
    case CT_W_element_type: return CT_READ((t->element = ct_parse_type(p)) != NULL);
    case CT_W_max:
        if (!ct_take_int(p, &max)) {
            return CT_FIELD_FAILED;
        }
        t->limit = narrow(max);
        return CT_FIELD_OK;
    default: return CT_FIELD_UNKNOWN;
    }
}

static bool read_list(ct_parser *p, ct_type *t)
{
    static const ct_body BODY = {.unknown = "List param",
                                 .read = read_list_param,
                                 .close = CT_T_RPAREN,
                                 .commas = true};
    ct_seen seen = {0};
    if (!ct_take(p, CT_T_LPAREN) || !ct_read_body(p, &BODY, t, &seen)) {
        return false;
    }
    return t->element || ct_missing(p, ct_here(p), "List", "element_type");
}

/* ---- records and unions ---- */

static int compare_fields(const void *a, const void *b, void *unit)
{
    const ct_type_field *x = a, *y = b;
    int order = ct_sym_cmp(unit, x->name, y->name);
    return order ? order : x->tok < y->tok ? -1 : x->tok > y->tok;
}

/* Sorted by name; of equal names the last declared stays. */
static void settle_fields(ct_parser *p, ct_type *t)
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
    ct_type_field *items;
    size_t len, cap;
} field_list;

static bool read_type_field(ct_parser *p, field_list *list)
{
    ct_name name;
    if (!ct_take_word(p, &name) || !ct_take(p, CT_T_COLON)) {
        return false;
    }
    ct_type *type = ct_parse_type(p);
    if (!type) {
        return false;
    }
    *mt_vec_add(p->a, list) = (ct_type_field){name.sym, name.tok, type};
    ct_accept(p, CT_T_COMMA);
    return true;
}

ct_type *ct_parse_fields(ct_parser *p, ct_base base)
{
    ct_type *t = new_type(p, base, ct_here(p));
    field_list list = {0};
    if (!ct_take(p, CT_T_LBRACE)) {
        return NULL;
    }
    while (ct_peek(p) != CT_T_RBRACE) {
        if (!read_type_field(p, &list)) {
            return NULL;
        }
    }
    ct_advance(p);
    t->fields = list.items;
    t->field_count = (uint32_t)list.len;
    settle_fields(p, t);
    return t;
}

/* `{...}`, `({...})` or `(label: {...})`. */
static ct_type *parse_structure(ct_parser *p, ct_base base, ct_sym label)
{
    if (ct_peek(p) == CT_T_LBRACE) {
        return ct_parse_fields(p, base);
    }
    if (base == CT_TYPE_UNION && ct_peek(p) != CT_T_LPAREN) {
        ct_expected(p, "'{'");
        return NULL;
    }
    if (!ct_take(p, CT_T_LPAREN)) {
        return NULL;
    }
    ct_accept_label(p, label);
    ct_type *t = ct_parse_fields(p, base);
    return t && ct_take(p, CT_T_RPAREN) ? t : NULL;
}

static ct_type *parse_reference(ct_parser *p, ct_name name)
{
    ct_type *t = new_type(p, CT_TYPE_REF, name.tok);
    t->ref = name.sym;
    return t;
}

static ct_type *parse_named(ct_parser *p, ct_name name)
{
    static const struct {
        ct_sym word;
        ct_base base;
        bool (*read)(ct_parser *p, ct_type *t);
    } SCALARS[] = {
        {CT_W_Bool, CT_TYPE_BOOL, NULL},
        {CT_W_Date, CT_TYPE_DATE, NULL},
        {CT_W_DateTime, CT_TYPE_DATETIME, NULL},
        {CT_W_Int, CT_TYPE_INT, read_int},
        {CT_W_Decimal, CT_TYPE_DECIMAL, read_decimal},
        {CT_W_Text, CT_TYPE_TEXT, read_text},
        {CT_W_Money, CT_TYPE_MONEY, read_money},
        {CT_W_Duration, CT_TYPE_DURATION, read_duration},
        {CT_W_Enum, CT_TYPE_ENUM, read_enum},
        {CT_W_List, CT_TYPE_LIST, read_list},
    };
    for (size_t i = 0; i < sizeof SCALARS / sizeof *SCALARS; i++) {
        if (SCALARS[i].word == name.sym) {
            ct_type *t = new_type(p, SCALARS[i].base, name.tok);
            return !SCALARS[i].read || SCALARS[i].read(p, t) ? t : NULL;
        }
    }
    if (name.sym == CT_W_Record) {
        return parse_structure(p, CT_TYPE_RECORD, CT_W_fields);
    }
    if (name.sym == CT_W_TaggedUnion) {
        return parse_structure(p, CT_TYPE_UNION, CT_W_variants);
    }
    return parse_reference(p, name);
}

ct_type *ct_parse_type(ct_parser *p)
{
    ct_name name;
    if (!ct_enter(p)) {
        return NULL;
    }
    ct_type *t = ct_take_word(p, &name) ? parse_named(p, name) : NULL;
    if (t) {
        t->tok = name.tok;
    }
    ct_leave(p);
    return t;
}
