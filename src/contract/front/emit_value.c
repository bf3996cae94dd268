/* contract/front/emit_value.c - types and literal values as interchange.
 *
 * A literal is written in the form of the type it is a value of: a decimal with
 * precision and scale, rounded to the scale (half to even), money with its amount as a
 * decimal, records and unions with sorted fields. The same literal has three
 * spellings, by where it stands: as a value, in a condition, as a payload; they are
 * the suite's.
 *
 * Types that contain types many times over could make a bundle without end; the
 * buffer's ceiling (limit json_bytes) stops them, and fr_emit_type() looks at it
 * first. */
#include "contract/front/emit.h"
#include "contract/front/types.h"

/* Has one of eight bytes to be escaped? A few that have not may be found too. */
static bool word_needs_escape(uint64_t word)
{
    const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    uint64_t quote = word ^ ones * '"', slash = word ^ ones * '\\';
    uint64_t control = (word - ones * 0x20) & ~word;
    return ((control | ((quote - ones) & ~quote) | ((slash - ones) & ~slash)) & tops) !=
           0;
}

/* Eight bytes at a time: nearly all text needs none. */
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

/* The short forms where JSON has them, \u00XX otherwise; bytes from 0x20 on stand for
 * themselves. */
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

void fr_emit_text(fr_emit *e, mt_str text)
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

void fr_emit_names(fr_emit *e, const fr_names *names)
{
    mt_buf_addc(e->b, '[');
    for (size_t i = 0; i < names->len; i++) {
        if (i) {
            mt_buf_addc(e->b, ',');
        }
        fr_emit_name(e, names->items[i].sym);
    }
    mt_buf_addc(e->b, ']');
}

/* ---- types ---- */

/* Sorted by the parser. Closes the type around the fields as well. */
static void emit_fields(fr_emit *e, const fr_type *t)
{
    mt_buf_addc(e->b, '{');
    for (uint32_t i = 0; i < t->field_count; i++) {
        if (i) {
            mt_buf_addc(e->b, ',');
        }
        fr_emit_name(e, t->fields[i].name);
        mt_buf_addc(e->b, ':');
        fr_emit_type(e, t->fields[i].type);
    }
    FR_PUT(e, "}}");
}

static void emit_enum(fr_emit *e, const fr_type *t)
{
    FR_PUT(e, "{\"base\":\"Enum\",\"values\":[");
    for (uint32_t i = 0; i < t->value_count; i++) {
        if (i) {
            mt_buf_addc(e->b, ',');
        }
        fr_emit_text(e, fr_str(e->u, t->values[i]));
    }
    FR_PUT(e, "]}");
}

/* Behind `"max":` already, as `max` sorts before `min`. */
static void emit_range(fr_emit *e, const fr_type *t)
{
    mt_buf_add_i64(e->b, t->max);
    FR_PUT(e, ",\"min\":");
    mt_buf_add_i64(e->b, t->min);
}

/* Named types are written out wherever they are used (§4.5): a type that uses another
 * twice, which uses another twice, doubles with every level. */
void fr_emit_type(fr_emit *e, const fr_type *t)
{
    if (e->b->full) {
        return; /* a type bomb ends here */
    }
    switch ((fr_base)t->base) {
    case FR_TYPE_BOOL: FR_PUT(e, "{\"base\":\"Bool\"}"); break;
    case FR_TYPE_DATE: FR_PUT(e, "{\"base\":\"Date\"}"); break;
    case FR_TYPE_DATETIME: FR_PUT(e, "{\"base\":\"DateTime\"}"); break;
    case FR_TYPE_INT:
        FR_PUT(e, "{\"base\":\"Int\",\"max\":");
        emit_range(e, t);
        mt_buf_addc(e->b, '}');
        break;
    case FR_TYPE_DECIMAL:
        FR_PUT(e, "{\"base\":\"Decimal\",\"precision\":");
        mt_buf_add_u64(e->b, t->precision);
        FR_PUT(e, ",\"scale\":");
        mt_buf_add_u64(e->b, t->scale);
        mt_buf_addc(e->b, '}');
        break;
    case FR_TYPE_TEXT:
        FR_PUT(e, "{\"base\":\"Text\",\"max_length\":");
        mt_buf_add_i64(e->b, t->length);
        mt_buf_addc(e->b, '}');
        break;
    case FR_TYPE_MONEY:
        FR_PUT(e, "{\"base\":\"Money\",\"currency\":");
        fr_emit_text(e, fr_str(e->u, t->name));
        mt_buf_addc(e->b, '}');
        break;
    case FR_TYPE_DURATION:
        FR_PUT(e, "{\"base\":\"Duration\",\"max\":");
        emit_range(e, t);
        FR_PUT(e, ",\"unit\":");
        fr_emit_text(e, fr_str(e->u, t->name));
        mt_buf_addc(e->b, '}');
        break;
    case FR_TYPE_ENUM: emit_enum(e, t); break;
    case FR_TYPE_LIST:
        FR_PUT(e, "{\"base\":\"List\",\"element_type\":");
        fr_emit_type(e, t->element);
        FR_PUT(e, ",\"max\":");
        mt_buf_add_u64(e->b, t->limit);
        mt_buf_addc(e->b, '}');
        break;
    case FR_TYPE_RECORD:
        FR_PUT(e, "{\"base\":\"Record\",\"fields\":");
        emit_fields(e, t);
        break;
    case FR_TYPE_UNION:
        FR_PUT(e, "{\"base\":\"TaggedUnion\",\"variants\":");
        emit_fields(e, t);
        break;
    case FR_TYPE_REF:
    case FR_TYPE_ERROR: MT_BUG("unresolved type in the interchange");
    }
}

/* ---- literal values ---- */

void fr_emit_decimal(fr_emit *e, mt_str text, uint32_t precision, uint32_t scale)
{
    FR_PUT(e, "{\"kind\":\"decimal_value\",\"precision\":");
    mt_buf_add_u64(e->b, precision);
    FR_PUT(e, ",\"scale\":");
    mt_buf_add_u64(e->b, scale);
    FR_PUT(e, ",\"value\":");
    fr_emit_text(e, text);
    mt_buf_addc(e->b, '}');
}

/* Precision 10 and scale 2 whatever the amount is: the suite's bytes. The loader takes
 * the amount by its digits. */
void fr_emit_money(fr_emit *e, const fr_expr *x, bool as_value, bool rounded)
{
    mt_str amount = fr_str(e->u, x->sym);
    FR_PUT(e, "{\"amount\":");
    fr_emit_decimal(
        e, rounded ? ct_round_text(e->u->keep, amount, FR_MONEY_SCALE) : amount, 10, 2);
    FR_PUT(e, ",\"currency\":");
    fr_emit_text(e, fr_str(e->u, x->sym2));
    if (as_value) {
        FR_PUT(e, ",\"kind\":\"money_value\"");
    }
    mt_buf_addc(e->b, '}');
}

/* Precision and scale are those of the digits as they stand in the source. */
static void emit_written_decimal(fr_emit *e, mt_str text)
{
    uint32_t precision, scale;
    fr_decimal_literal(text, &precision, &scale);
    fr_emit_decimal(e, text, precision, scale);
}

/* In its own unit; 1.0 has no values of this type. */
static void emit_duration(fr_emit *e, const fr_expr *x)
{
    e->extended = true;
    FR_PUT(e, "{\"kind\":\"duration_value\",\"unit\":");
    fr_emit_text(e, fr_str(e->u, x->sym2));
    FR_PUT(e, ",\"value\":");
    mt_buf_add_i64(e->b, fr_int_value(&e->u->syms, x->sym));
    mt_buf_addc(e->b, '}');
}

/* The fields of the literal are sorted and complete: pass 4 has seen to it. */
static void emit_record(fr_emit *e, const fr_type *t, const fr_expr *x)
{
    e->extended = true;
    FR_PUT(e, "{\"fields\":{");
    for (uint32_t i = 0; i < t->field_count; i++) {
        if (i) {
            mt_buf_addc(e->b, ',');
        }
        fr_emit_name(e, t->fields[i].name);
        mt_buf_addc(e->b, ':');
        fr_emit_value(e, t->fields[i].type, x->items[i]->left);
    }
    FR_PUT(e, "},\"kind\":\"record_value\"}");
}

/* Pass 4 has found the variant, so it is there. */
static void emit_union(fr_emit *e, const fr_type *t, const fr_expr *x)
{
    const fr_type *variant = fr_type_field_of(e->u, t, x->sym);
    e->extended = true;
    FR_PUT(e, "{\"kind\":\"tagged_union_value\",\"payload\":");
    if (x->kind == FR_X_ENTRY) {
        fr_emit_value(e, variant, x->left);
    } else {
        emit_record(e, variant, x);
    }
    FR_PUT(e, ",\"tag\":");
    fr_emit_name(e, x->sym);
    mt_buf_addc(e->b, '}');
}

/* 1.0 has no lists as values; the loader reads ours. */
static void emit_list(fr_emit *e, const fr_type *t, const fr_expr *x)
{
    e->extended = true;
    FR_PUT(e, "{\"elements\":[");
    for (uint32_t i = 0; i < x->sym2; i++) {
        if (i) {
            mt_buf_addc(e->b, ',');
        }
        fr_emit_value(e, t->element, x->items[i]);
    }
    FR_PUT(e, "],\"kind\":\"list_value\"}");
}

/* By the literal's kind, except that a Decimal is always written with the scale of its
 * type (§13.4). */
void fr_emit_value(fr_emit *e, const fr_type *t, const fr_expr *x)
{
    mt_str text = fr_str(e->u, x->sym);
    bool decimal =
        t->base == FR_TYPE_DECIMAL && (x->kind == FR_X_FLOAT || x->kind == FR_X_STR);
    if (decimal) {
        fr_emit_decimal(e, ct_round_text(e->u->keep, text, t->scale), t->precision,
                        t->scale);
        return;
    }
    switch ((fr_expr_kind)x->kind) {
    case FR_X_BOOL:
        mt_buf_addz(e->b, x->op ? "{\"kind\":\"bool_literal\",\"value\":true}"
                                : "{\"kind\":\"bool_literal\",\"value\":false}");
        break;
    case FR_X_INT:
        FR_PUT(e, "{\"kind\":\"int_literal\",\"value\":");
        mt_buf_add_i64(e->b, fr_int_value(&e->u->syms, x->sym));
        mt_buf_addc(e->b, '}');
        break;
    case FR_X_FLOAT: emit_written_decimal(e, text); break;
    case FR_X_STR: fr_emit_text(e, text); break;
    case FR_X_MONEY: fr_emit_money(e, x, true, t->base == FR_TYPE_MONEY); break;
    case FR_X_DURATION: emit_duration(e, x); break;
    case FR_X_LIST: emit_list(e, t, x); break;
    case FR_X_RECORD:
    case FR_X_ENTRY:
        if (t->base == FR_TYPE_UNION) {
            emit_union(e, t, x);
        } else {
            emit_record(e, t, x);
        }
        break;
    case FR_X_REF:
    case FR_X_FIELD:
    case FR_X_INDEX:
    case FR_X_LEN:
    case FR_X_MUL:
    case FR_X_ADD:
    case FR_X_SUB:
    case FR_X_COMPARE:
    case FR_X_AND:
    case FR_X_OR:
    case FR_X_NOT:
    case FR_X_VERDICT:
    case FR_X_PRESENT:
    case FR_X_FORALL:
    case FR_X_EXISTS:
    case FR_X_ERROR: MT_BUG("a default is a literal");
    }
}

/* A bare Text takes the length of its literal, in bytes as the suite counts. Literals
 * are written plainly, all else as terms. */
void fr_emit_payload(fr_emit *e, const fr_type *t, const fr_expr *x)
{
    FR_PUT(e, "{\"type\":");
    mt_str text = fr_str(e->u, x->sym);
    if (t->base == FR_TYPE_TEXT && t->length == 0 && x->kind == FR_X_STR) {
        fr_type sized = {.base = FR_TYPE_TEXT, .length = (int64_t)text.len};
        fr_emit_type(e, &sized);
    } else {
        fr_emit_type(e, t);
    }
    FR_PUT(e, ",\"value\":");
    switch ((fr_expr_kind)x->kind) {
    case FR_X_BOOL: mt_buf_addz(e->b, x->op ? "true" : "false"); break;
    case FR_X_INT: mt_buf_add_i64(e->b, fr_int_value(&e->u->syms, x->sym)); break;
    case FR_X_STR: fr_emit_text(e, text); break;
    case FR_X_FLOAT: emit_written_decimal(e, text); break;
    case FR_X_MONEY: fr_emit_money(e, x, true, false); break;
    case FR_X_MUL: fr_emit_term(e, x); break;
    case FR_X_DURATION:
    case FR_X_REF:
    case FR_X_FIELD:
    case FR_X_INDEX:
    case FR_X_LEN:
    case FR_X_ADD:
    case FR_X_SUB:
        e->extended = true;
        fr_emit_term(e, x);
        break;
    case FR_X_LIST:
    case FR_X_RECORD:
    case FR_X_ENTRY: fr_emit_structure(e, t, x); break;
    case FR_X_COMPARE:
    case FR_X_AND:
    case FR_X_OR:
    case FR_X_NOT:
    case FR_X_VERDICT:
    case FR_X_PRESENT:
    case FR_X_FORALL:
    case FR_X_EXISTS:
    case FR_X_ERROR: MT_BUG("a payload is a value");
    }
    mt_buf_addc(e->b, '}');
}
