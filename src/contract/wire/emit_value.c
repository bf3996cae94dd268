/* contract/wire/emit_value.c - types and literal values. */
#include "contract/front/types.h"
#include "contract/wire/emit.h"

/* Has one of eight bytes to be escaped? A few that have not may be found too. */
static bool word_needs_escape(uint64_t word)
{
    const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    uint64_t quote = word ^ ones * '"', slash = word ^ ones * '\\';
    uint64_t control = (word - ones * 0x20) & ~word;
    return ((control | ((quote - ones) & ~quote) | ((slash - ones) & ~slash)) & tops) !=
           0;
}

static bool needs_escape(mt_str s)
{
    size_t i = 0;
    for (; s.len - i >= 8; i += 8) {
        uint64_t word;
        memcpy(&word, s.ptr + i, 8);
        if (word_needs_escape(word)) {
            return true;
        }
    }
    for (; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (c < 0x20 || c == '"' || c == '\\') {
            return true;
        }
    }
    return false;
}

static void add_escaped(mt_buf *b, char c)
{
    static const char SHORT[] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
    unsigned char u = (unsigned char)c;
    if (c == '"' || c == '\\') {
        mt_buf_addc(b, '\\');
        mt_buf_addc(b, c);
    } else if (u >= 0x20) {
        mt_buf_addc(b, c);
    } else if (u < sizeof SHORT && SHORT[u]) {
        mt_buf_addc(b, '\\');
        mt_buf_addc(b, SHORT[u]);
    } else {
        mt_buf_addf(b, "\\u%04x", u);
    }
}

void ct_emit_text(ct_emit *e, mt_str text)
{
    mt_buf_addc(e->b, '"');
    if (!needs_escape(text)) {
        mt_buf_adds(e->b, text);
    } else {
        for (size_t i = 0; i < text.len; i++) {
            add_escaped(e->b, text.ptr[i]);
        }
    }
    mt_buf_addc(e->b, '"');
}

void ct_emit_names(ct_emit *e, const ct_names *names)
{
    mt_buf_addc(e->b, '[');
    for (size_t i = 0; i < names->len; i++) {
        if (i) {
            mt_buf_addc(e->b, ',');
        }
        ct_emit_name(e, names->items[i].sym);
    }
    mt_buf_addc(e->b, ']');
}

/* ---- types ---- */

static void emit_fields(ct_emit *e, const ct_type *t)
{
    mt_buf_addc(e->b, '{');
    for (uint32_t i = 0; i < t->field_count; i++) {
        if (i) {
            mt_buf_addc(e->b, ',');
        }
        ct_emit_name(e, t->fields[i].name);
        mt_buf_addc(e->b, ':');
        ct_emit_type(e, t->fields[i].type);
    }
    CT_PUT(e, "}}");
}

static void emit_enum(ct_emit *e, const ct_type *t)
{
    CT_PUT(e, "{\"base\":\"Enum\",\"values\":[");
    for (uint32_t i = 0; i < t->value_count; i++) {
        if (i) {
            mt_buf_addc(e->b, ',');
        }
        ct_emit_text(e, ct_str(e->u, t->values[i]));
    }
    CT_PUT(e, "]}");
}

static void emit_range(ct_emit *e, const ct_type *t)
{
    mt_buf_add_i64(e->b, t->max);
    CT_PUT(e, ",\"min\":");
    mt_buf_add_i64(e->b, t->min);
}

void ct_emit_type(ct_emit *e, const ct_type *t)
{
    if (e->b->full) {
        return; /* a type bomb ends here */
    }
    switch ((ct_base)t->base) {
    case CT_TYPE_BOOL: CT_PUT(e, "{\"base\":\"Bool\"}"); break;
    case CT_TYPE_DATE: CT_PUT(e, "{\"base\":\"Date\"}"); break;
    case CT_TYPE_DATETIME: CT_PUT(e, "{\"base\":\"DateTime\"}"); break;
    case CT_TYPE_INT:
        CT_PUT(e, "{\"base\":\"Int\",\"max\":");
        emit_range(e, t);
        mt_buf_addc(e->b, '}');
        break;
    case CT_TYPE_DECIMAL:
        CT_PUT(e, "{\"base\":\"Decimal\",\"precision\":");
        mt_buf_add_u64(e->b, t->precision);
        CT_PUT(e, ",\"scale\":");
        mt_buf_add_u64(e->b, t->scale);
        mt_buf_addc(e->b, '}');
        break;
    case CT_TYPE_TEXT:
        CT_PUT(e, "{\"base\":\"Text\",\"max_length\":");
        mt_buf_add_i64(e->b, t->length);
        mt_buf_addc(e->b, '}');
        break;
    case CT_TYPE_MONEY:
        CT_PUT(e, "{\"base\":\"Money\",\"currency\":");
        ct_emit_text(e, ct_str(e->u, t->name));
        mt_buf_addc(e->b, '}');
        break;
    case CT_TYPE_DURATION:
        CT_PUT(e, "{\"base\":\"Duration\",\"max\":");
        emit_range(e, t);
        CT_PUT(e, ",\"unit\":");
        ct_emit_text(e, ct_str(e->u, t->name));
        mt_buf_addc(e->b, '}');
        break;
    case CT_TYPE_ENUM: emit_enum(e, t); break;
    case CT_TYPE_LIST:
        CT_PUT(e, "{\"base\":\"List\",\"element_type\":");
        ct_emit_type(e, t->element);
        CT_PUT(e, ",\"max\":");
        mt_buf_add_u64(e->b, t->limit);
        mt_buf_addc(e->b, '}');
        break;
    case CT_TYPE_RECORD:
        CT_PUT(e, "{\"base\":\"Record\",\"fields\":");
        emit_fields(e, t);
        break;
    case CT_TYPE_UNION:
        CT_PUT(e, "{\"base\":\"TaggedUnion\",\"variants\":");
        emit_fields(e, t);
        break;
    case CT_TYPE_REF:
    case CT_TYPE_ERROR: MT_BUG("unresolved type in the interchange");
    }
}

/* ---- literal values ---- */

void ct_emit_decimal(ct_emit *e, mt_str text, uint32_t precision, uint32_t scale)
{
    CT_PUT(e, "{\"kind\":\"decimal_value\",\"precision\":");
    mt_buf_add_u64(e->b, precision);
    CT_PUT(e, ",\"scale\":");
    mt_buf_add_u64(e->b, scale);
    CT_PUT(e, ",\"value\":");
    ct_emit_text(e, text);
    mt_buf_addc(e->b, '}');
}

void ct_emit_money(ct_emit *e, const ct_expr *x, bool as_value, bool rounded)
{
    mt_str amount = ct_str(e->u, x->sym);
    CT_PUT(e, "{\"amount\":");
    ct_emit_decimal(e, rounded ? ct_round_text(e->u->keep, amount, 2) : amount, 10, 2);
    CT_PUT(e, ",\"currency\":");
    ct_emit_text(e, ct_str(e->u, x->sym2));
    if (as_value) {
        CT_PUT(e, ",\"kind\":\"money_value\"");
    }
    mt_buf_addc(e->b, '}');
}

static void emit_written_decimal(ct_emit *e, mt_str text)
{
    uint32_t precision, scale;
    ct_decimal_literal(text, &precision, &scale);
    ct_emit_decimal(e, text, precision, scale);
}

static void emit_duration(ct_emit *e, const ct_expr *x)
{
    e->extended = true;
    CT_PUT(e, "{\"kind\":\"duration_value\",\"unit\":");
    ct_emit_text(e, ct_str(e->u, x->sym2));
    CT_PUT(e, ",\"value\":");
    mt_buf_add_i64(e->b, ct_int_value(&e->u->syms, x->sym));
    mt_buf_addc(e->b, '}');
}

/* The fields of the literal are sorted and complete: pass 4 has seen to it. */
static void emit_record(ct_emit *e, const ct_type *t, const ct_expr *x)
{
    e->extended = true;
    CT_PUT(e, "{\"fields\":{");
    for (uint32_t i = 0; i < t->field_count; i++) {
        if (i) {
            mt_buf_addc(e->b, ',');
        }
        ct_emit_name(e, t->fields[i].name);
        mt_buf_addc(e->b, ':');
        ct_emit_value(e, t->fields[i].type, x->items[i]->left);
    }
    CT_PUT(e, "},\"kind\":\"record_value\"}");
}

static void emit_union(ct_emit *e, const ct_type *t, const ct_expr *x)
{
    const ct_type *variant = ct_type_field_of(e->u, t, x->sym);
    e->extended = true;
    CT_PUT(e, "{\"kind\":\"tagged_union_value\",\"payload\":");
    if (x->kind == CT_X_ENTRY) {
        ct_emit_value(e, variant, x->left);
    } else {
        emit_record(e, variant, x);
    }
    CT_PUT(e, ",\"tag\":");
    ct_emit_name(e, x->sym);
    mt_buf_addc(e->b, '}');
}

static void emit_list(ct_emit *e, const ct_type *t, const ct_expr *x)
{
    e->extended = true;
    CT_PUT(e, "{\"elements\":[");
    for (uint32_t i = 0; i < x->sym2; i++) {
        if (i) {
            mt_buf_addc(e->b, ',');
        }
        ct_emit_value(e, t->element, x->items[i]);
    }
    CT_PUT(e, "],\"kind\":\"list_value\"}");
}

void ct_emit_value(ct_emit *e, const ct_type *t, const ct_expr *x)
{
    mt_str text = ct_str(e->u, x->sym);
    bool decimal =
        t->base == CT_TYPE_DECIMAL && (x->kind == CT_X_FLOAT || x->kind == CT_X_STR);
    if (decimal) {
        ct_emit_decimal(e, ct_round_text(e->u->keep, text, t->scale), t->precision,
                        t->scale);
        return;
    }
    switch ((ct_expr_kind)x->kind) {
    case CT_X_BOOL:
        mt_buf_addz(e->b, x->op ? "{\"kind\":\"bool_literal\",\"value\":true}"
                                : "{\"kind\":\"bool_literal\",\"value\":false}");
        break;
    case CT_X_INT:
        CT_PUT(e, "{\"kind\":\"int_literal\",\"value\":");
        mt_buf_add_i64(e->b, ct_int_value(&e->u->syms, x->sym));
        mt_buf_addc(e->b, '}');
        break;
    case CT_X_FLOAT: emit_written_decimal(e, text); break;
    case CT_X_STR: ct_emit_text(e, text); break;
    case CT_X_MONEY: ct_emit_money(e, x, true, t->base == CT_TYPE_MONEY); break;
    case CT_X_DURATION: emit_duration(e, x); break;
    case CT_X_LIST: emit_list(e, t, x); break;
    case CT_X_RECORD:
    case CT_X_ENTRY:
        if (t->base == CT_TYPE_UNION) {
            emit_union(e, t, x);
        } else {
            emit_record(e, t, x);
        }
        break;
    case CT_X_REF:
    case CT_X_FIELD:
    case CT_X_INDEX:
    case CT_X_LEN:
    case CT_X_MUL:
    case CT_X_ADD:
    case CT_X_SUB:
    case CT_X_COMPARE:
    case CT_X_AND:
    case CT_X_OR:
    case CT_X_NOT:
    case CT_X_VERDICT:
    case CT_X_PRESENT:
    case CT_X_FORALL:
    case CT_X_EXISTS:
    case CT_X_ERROR: MT_BUG("a default is a literal");
    }
}

void ct_emit_payload(ct_emit *e, const ct_type *t, const ct_expr *x)
{
    CT_PUT(e, "{\"type\":");
    mt_str text = ct_str(e->u, x->sym);
    if (t->base == CT_TYPE_TEXT && t->length == 0 && x->kind == CT_X_STR) {
        ct_type sized = {.base = CT_TYPE_TEXT, .length = (int64_t)text.len};
        ct_emit_type(e, &sized);
    } else {
        ct_emit_type(e, t);
    }
    CT_PUT(e, ",\"value\":");
    switch ((ct_expr_kind)x->kind) {
    case CT_X_BOOL: mt_buf_addz(e->b, x->op ? "true" : "false"); break;
    case CT_X_INT: mt_buf_add_i64(e->b, ct_int_value(&e->u->syms, x->sym)); break;
    case CT_X_STR: ct_emit_text(e, text); break;
    case CT_X_FLOAT: emit_written_decimal(e, text); break;
    case CT_X_MONEY: ct_emit_money(e, x, true, false); break;
    case CT_X_MUL: ct_emit_term(e, x); break;
    case CT_X_DURATION:
    case CT_X_REF:
    case CT_X_FIELD:
    case CT_X_INDEX:
    case CT_X_LEN:
    case CT_X_ADD:
    case CT_X_SUB:
        e->extended = true;
        ct_emit_term(e, x);
        break;
    case CT_X_COMPARE:
    case CT_X_AND:
    case CT_X_OR:
    case CT_X_NOT:
    case CT_X_VERDICT:
    case CT_X_PRESENT:
    case CT_X_FORALL:
    case CT_X_EXISTS:
    case CT_X_LIST:
    case CT_X_RECORD:
    case CT_X_ENTRY:
    case CT_X_ERROR: MT_BUG("a payload is a value");
    }
    mt_buf_addc(e->b, '}');
}
