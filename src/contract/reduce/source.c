/* contract/reduce/source.c - values and expressions as the language writes them.
 *
 * As few parentheses as the binding strength needs (BINDS), and the same text for equal
 * expressions: reports compare it. Quantifier variables have their names from the
 * source; the model knows them by depth only, so a scope on the C stack carries the
 * names.
 *
 * Values are written as literals: what is written is read again as the same value, for
 * every type that a condition can have a literal of.
 *
 * Nothing can fail. Depth is bounded by the loader's limit on nesting. */
#include "contract/reduce/source.h"

/* ---- Values ---- */

/* The language knows four escapes. */
static void quoted(mt_buf *out, mt_str text)
{
    mt_buf_addc(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        char escape = c == '\n' ? 'n' : c == '\t' ? 't' : c == '"' || c == '\\' ? c : 0;
        if (escape) {
            mt_buf_addc(out, '\\');
        }
        mt_buf_addc(out, escape ? escape : c);
    }
    mt_buf_addc(out, '"');
}

static void decimal(mt_buf *out, const ct_type *type, mt_decimal d)
{
    char text[MT_DECIMAL_TEXT];
    size_t len = mt_decimal_print(d, text);
    if (!ct_has(type, LN_CURRENCY)) {
        mt_buf_add(out, text, len);
        return;
    }
    mt_buf_addf(out, "Money { amount: \"%.*s\", currency: \"%.*s\" }", (int)len, text,
                MT_ARG(type->as.currency));
}

static void whole(mt_buf *out, const ct_type *type, int64_t n)
{
    char date[CT_DATE_TEXT];
    if (ct_is_day(type)) {
        quoted(out, mt_str_from(date, ct_date_print(n, date)));
    } else if (ct_has(type, LN_UNIT)) {
        mt_buf_addf(out, "Duration { value: %lld, unit: \"%s\" }", (long long)n,
                    CT_UNIT_NAMES[type->unit]);
    } else {
        mt_buf_add_i64(out, n);
    }
}

static void record(mt_buf *out, const ct_type *type, const ct_value *value)
{
    mt_buf_addz(out, type->count ? "{ " : "{");
    for (uint32_t i = 0; i < type->count; i++) {
        const ct_field *f = &type->as.fields[i];
        mt_buf_addf(out, "%s%.*s: ", i ? ", " : "", MT_ARG(f->name));
        ct_value_source(out, f->type, value + f->offset);
    }
    mt_buf_addz(out, type->count ? " }" : "}");
}

static void list(mt_buf *out, const ct_type *type, const ct_value *value)
{
    const ct_type *element = type->as.list.element;
    mt_buf_addc(out, '[');
    for (uint32_t i = 0; i < value->list.count; i++) {
        mt_buf_addz(out, i ? ", " : "");
        ct_value_source(out, element, value->list.items + (size_t)i * element->slots);
    }
    mt_buf_addc(out, ']');
}

void ct_value_source(mt_buf *out, const ct_type *type, const ct_value *value)
{
    char time[CT_TIME_TEXT];
    const ct_field *variant;
    switch (ct_held(type)) {
    case LN_BOOLEAN: mt_buf_addz(out, value->boolean ? "true" : "false"); break;
    case LN_INTEGER: whole(out, type, value->integer); break;
    case LN_DECIMAL: decimal(out, type, value->decimal); break;
    case LN_TEXT: quoted(out, value->text); break;
    case LN_CHOICE: quoted(out, type->as.values[value->choice]); break;
    case LN_TIME:
        quoted(out, mt_str_from(time, ct_time_print(value->time, time)));
        break;
    case LN_RECORD: record(out, type, value); break;
    case LN_VARIANT:
        variant = &type->as.variants[value->variant.tag];
        mt_buf_addf(out, "%.*s(", MT_ARG(variant->name));
        ct_value_source(out, variant->type, value->variant.payload);
        mt_buf_addc(out, ')');
        break;
    case LN_LIST: list(out, type, value); break;
    }
}

/* ---- Expressions ---- */

enum { LOOSE, OR, AND, NOT, COMPARE, SUM, PRODUCT, ATOM };

/* ORDER ct_op: how tightly each node binds. */
static const uint8_t BINDS[] = {
    [CT_LITERAL] = ATOM, [CT_FACT] = ATOM,       [CT_VARIABLE] = ATOM,
    [CT_PAYLOAD] = ATOM, [CT_FIELD] = ATOM,      [CT_VARIANT] = ATOM,
    [CT_TAG] = ATOM,     [CT_AMOUNT] = ATOM,     [CT_LEN] = ATOM,
    [CT_INDEX] = ATOM,   [CT_ADD] = SUM,         [CT_SUB] = SUM,
    [CT_MUL] = PRODUCT,  [CT_MAKE] = ATOM,       [CT_PARTS] = ATOM,
    [CT_FIT] = LOOSE,    [CT_COMPARE] = COMPARE, [CT_PRESENT] = ATOM,
    [CT_AND] = AND,      [CT_OR] = OR,           [CT_NOT] = NOT,
    [CT_FORALL] = LOOSE, [CT_EXISTS] = LOOSE,
};
MT_TABLE_COVERS(BINDS, CT_EXISTS + 1);

/* Names of the quantifier variables around an expression, innermost first. */
typedef struct scope {
    const struct scope *outer;
    uint32_t depth;
    mt_str name;
} scope;

typedef struct printer {
    mt_buf *out;
    const ct_model *m;
    ct_value_writer *value;
} printer;

static void expr(printer p, const scope *s, const ct_expr *e, uint8_t least);

static mt_str variable_name(const scope *s, uint32_t depth)
{
    while (s && s->depth != depth) {
        s = s->outer;
    }
    return s ? s->name : MT_STR("?");
}

static void infix(printer p, const scope *s, const ct_expr *e, const char *sign)
{
    uint8_t binds = BINDS[e->op];
    expr(p, s, e->left, binds);
    mt_buf_addf(p.out, " %s ", sign);
    expr(p, s, e->right, (uint8_t)(binds + 1));
}

/* A number beside which arithmetic is done says that it is a Decimal. */
static void operand(printer p, const scope *s, const ct_expr *e, uint8_t least)
{
    bool bare = p.value == ct_value_source && e->op == CT_LITERAL &&
                ct_is_decimal(e->type) && !e->value->decimal.scale;
    mt_buf_addz(p.out, bare ? "Decimal(" : "");
    expr(p, s, e, least);
    mt_buf_addz(p.out, bare ? ")" : "");
}

static void arithmetic(printer p, const scope *s, const ct_expr *e, const char *sign)
{
    uint8_t binds = BINDS[e->op];
    operand(p, s, e->left, binds);
    mt_buf_addf(p.out, " %s ", sign);
    operand(p, s, e->right, (uint8_t)(binds + 1));
}

/* Is there a fact, or a verdict's payload, of that name in the expression? */
static bool reads_name(const ct_model *m, const ct_expr *e, mt_str name)
{
    return e && ((e->op == CT_FACT && mt_str_eq(m->facts[e->index].id, name)) ||
                 (e->op == CT_PAYLOAD && mt_str_eq(m->rules[e->index].verdict, name)) ||
                 reads_name(m, e->left, name) || reads_name(m, e->right, name));
}

/* An element that took the place of a variable may read a fact that the inner variable
 * would hide: then that one is called otherwise. */
static void quantifier(printer p, const scope *s, const ct_expr *e)
{
    mt_arena a = {0};
    mt_str name = e->name;
    for (unsigned i = 1; reads_name(p.m, e->right, name); i++) {
        name = mt_strf(&a, "%.*s_%u", MT_ARG(e->name), i);
    }
    mt_buf_addf(p.out, "%s %.*s in ", e->op == CT_FORALL ? "forall" : "exists",
                MT_ARG(name));
    expr(p, s, e->left, ATOM);
    mt_buf_addz(p.out, " . ");
    scope inner = {s, e->index, name};
    expr(p, &inner, e->right, LOOSE);
    mt_arena_free(&a);
}

/* The field's or variant's name: `left` says of which type. */
static mt_str member_name(const ct_expr *e)
{
    const ct_type *t = e->left->type;
    return ct_held(t) == LN_RECORD ? t->as.fields[e->index].name
                                   : t->as.variants[e->index].name;
}

static void dotted(printer p, const scope *s, const ct_expr *e, mt_str name)
{
    expr(p, s, e->left, ATOM);
    mt_buf_addf(p.out, ".%.*s", MT_ARG(name));
}

/* A value of terms is written as one of literals is; conversions are not written, they
 * follow from its type. */
static void made(printer p, const scope *s, const ct_expr *e)
{
    const ct_type *t = e->type;
    ln_held held = ct_held(t);
    if (held == LN_VARIANT) {
        mt_buf_addf(p.out, "%.*s(", MT_ARG(t->as.variants[e->index].name));
    } else {
        mt_buf_addz(p.out, held == LN_RECORD ? "{ " : "[");
    }
    for (uint32_t i = 0; i < ct_part_count(e); i++) {
        mt_buf_addz(p.out, i ? ", " : "");
        if (held == LN_RECORD) {
            mt_buf_addf(p.out, "%.*s: ", MT_ARG(t->as.fields[i].name));
        }
        expr(p, s, ct_part_of(e, i), LOOSE);
    }
    mt_buf_addz(p.out, held == LN_VARIANT ? ")" : held == LN_RECORD ? " }" : "]");
}

/* Without parentheses around it; those are expr()'s. */
static void node(printer p, const scope *s, const ct_expr *e)
{
    switch ((ct_op)e->op) {
    case CT_LITERAL: p.value(p.out, e->type, e->value); break;
    case CT_FACT: mt_buf_adds(p.out, p.m->facts[e->index].id); break;
    case CT_VARIABLE: mt_buf_adds(p.out, variable_name(s, e->index)); break;
    case CT_PAYLOAD: mt_buf_adds(p.out, p.m->rules[e->index].verdict); break;
    case CT_FIELD:
    case CT_VARIANT: dotted(p, s, e, member_name(e)); break;
    case CT_TAG: dotted(p, s, e, MT_STR("tag")); break;
    case CT_AMOUNT: dotted(p, s, e, MT_STR("amount")); break;
    case CT_LEN:
        mt_buf_addz(p.out, "len(");
        expr(p, s, e->left, LOOSE);
        mt_buf_addc(p.out, ')');
        break;
    case CT_INDEX:
        expr(p, s, e->left, ATOM);
        mt_buf_addc(p.out, '[');
        expr(p, s, e->right, LOOSE);
        mt_buf_addc(p.out, ']');
        break;
    case CT_ADD: arithmetic(p, s, e, "+"); break;
    case CT_SUB: arithmetic(p, s, e, "-"); break;
    case CT_MUL: arithmetic(p, s, e, "*"); break;
    case CT_MAKE: made(p, s, e); break;
    case CT_FIT: expr(p, s, e->left, LOOSE); break;
    case CT_PARTS: MT_BUG("parts without their whole");
    case CT_COMPARE: infix(p, s, e, CT_COMPARE_TEXT[e->compare]); break;
    case CT_PRESENT:
        mt_buf_addf(p.out, "verdict_present(%.*s)",
                    MT_ARG(p.m->rules[e->index].verdict));
        break;
    case CT_AND: infix(p, s, e, "and"); break;
    case CT_OR: infix(p, s, e, "or"); break;
    case CT_NOT:
        mt_buf_addz(p.out, "not ");
        expr(p, s, e->left, NOT);
        break;
    case CT_FORALL:
    case CT_EXISTS: quantifier(p, s, e); break;
    }
}

/* Parentheses when the place asks for more than the node gives. */
static void expr(printer p, const scope *s, const ct_expr *e, uint8_t least)
{
    bool wrap = BINDS[e->op] < least;
    mt_buf_addz(p.out, wrap ? "(" : "");
    node(p, s, e);
    mt_buf_addz(p.out, wrap ? ")" : "");
}

void ct_expr_write(mt_buf *out, const ct_model *m, const ct_expr *e,
                   ct_value_writer *value)
{
    expr((printer){out, m, value}, NULL, e, LOOSE);
}

void ct_expr_source(mt_buf *out, const ct_model *m, const ct_expr *e)
{
    ct_expr_write(out, m, e, ct_value_source);
}
