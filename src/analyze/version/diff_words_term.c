/* analyze/version/diff_words_term.c - values, and conditions with their terms.
 *
 * A value is known by its members and not by its kind: literals of conditions have the
 * same ones without a kind. A condition has as few parentheses as its operators need.
 * An operator that no table knows is written as a call, so nothing is left out.
 *
 * Nothing can fail. Recursion follows the JSON trees. */
#include "analyze/version/diff_words_internal.h"

#include "contract/wire/value.h"

/* ---- Values ---- */

/* Digits stand for themselves, whether they are written as a number or as text. */
static void say_digits(mt_buf *out, const mt_json *digits)
{
    if (mt_json_is(digits, MT_JSON_STRING)) {
        mt_buf_adds(out, mt_json_text(digits));
    } else {
        an_say_scalar(out, digits, true);
    }
}

/* "20000.00 EUR", "30 days": an amount, itself a value, and what it counts. */
static bool said_measure(mt_buf *out, const mt_json *v, mt_str amount, mt_str unit)
{
    const mt_json *n = mt_json_get(v, amount);
    const mt_json *of = mt_json_get(v, unit);
    n = mt_json_is(n, MT_JSON_OBJECT) ? mt_json_at(n, "value") : n;
    if (!an_is_scalar(n) || !an_is_scalar(of)) {
        return false;
    }
    say_digits(out, n);
    mt_buf_addc(out, ' ');
    an_say_text(out, mt_json_text(of), false);
    return true;
}

static void say_parts(mt_buf *out, const mt_json *object)
{
    mt_buf_addz(out, object->count ? "" : "{ ");
    for (uint32_t i = 0; i < object->count; i++) {
        mt_buf_addz(out, i ? ", " : "{ ");
        an_say_text(out, object->as.members[i].key, false);
        mt_buf_addz(out, ": ");
        an_say_value(out, NULL, &object->as.members[i].value);
    }
    mt_buf_addz(out, " }");
}

static void say_values(mt_buf *out, const mt_json *list)
{
    mt_buf_addc(out, '[');
    for (uint32_t i = 0; i < list->count; i++) {
        mt_buf_addz(out, i ? ", " : "");
        an_say_value(out, NULL, &list->as.items[i]);
    }
    mt_buf_addc(out, ']');
}

static void say_value_object(mt_buf *out, const ln_shape *shape, const mt_json *v)
{
    const mt_json *fields = mt_json_at(v, "fields"), *list = mt_json_at(v, "elements");
    const mt_json *tag = mt_json_at(v, "tag"), *payload = mt_json_at(v, "payload");
    const mt_json *plain = mt_json_at(v, "value");
    if (said_measure(out, v, MT_STR("amount"), MT_STR("currency")) ||
        said_measure(out, v, MT_STR("value"), MT_STR("unit"))) {
        return;
    }
    if (mt_json_is(fields, MT_JSON_OBJECT)) {
        say_parts(out, fields);
    } else if (mt_json_is(list, MT_JSON_ARRAY)) {
        say_values(out, list);
    } else if (tag && payload && an_is_scalar(tag)) {
        an_say_scalar(out, tag, false);
        mt_buf_addc(out, '(');
        an_say_value(out, NULL, payload);
        mt_buf_addc(out, ')');
    } else if (plain && an_is_scalar(plain)) {
        say_digits(out, plain);
    } else {
        an_say_braced(out, shape, v, true);
    }
}

void an_say_value(mt_buf *out, const ln_shape *shape, const mt_json *value)
{
    if (value->type == MT_JSON_OBJECT) {
        say_value_object(out, shape, value);
    } else if (value->type == MT_JSON_ARRAY) {
        say_values(out, value);
    } else {
        an_say_scalar(out, value, true);
    }
}

/* ---- Conditions and terms ---- */

/* How tightly a node holds together, ascending; a place asks for at least one of
 * these. */
enum { LOOSE, OR, AND, NOT, COMPARE, SUM, PRODUCT, ATOM };

static void say_term(mt_buf *out, const mt_json *e, int least);

/* Operators that stand between their operands; others are written as calls. */
static int binds(mt_str op)
{
    /* clang-format off */
    static const struct {
        const char *op;
        int binds;
    } ROWS[] = {
        {"or", OR}, {"and", AND}, {"not", NOT},
        {"=", COMPARE}, {"!=", COMPARE}, {"<", COMPARE}, {"<=", COMPARE},
        {">", COMPARE}, {">=", COMPARE}, {"in", COMPARE},
        {"+", SUM}, {"-", SUM}, {"*", PRODUCT},
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        if (mt_str_eq(op, mt_str_z(ROWS[i].op))) {
            return ROWS[i].binds;
        }
    }
    return ATOM;
}

/* A decimal literal is text in interchange and a number in the language. */
static void say_literal(mt_buf *out, const mt_json *e)
{
    const mt_json *v = mt_json_at(e, "literal");
    mt_str base = mt_json_text(mt_json_at(mt_json_at(e, "type"), "base"));
    bool digits = false;
    for (int i = 0; i < LN_BASE_COUNT; i++) {
        digits |= mt_str_eq(base, mt_str_z(LN_BASES[i].name)) &&
                  (LN_BASES[i].traits & LN_NUMBER);
    }
    if (digits && an_is_scalar(v)) {
        say_digits(out, v);
    } else {
        an_say_value(out, NULL, v);
    }
}

static void say_between(mt_buf *out, mt_str op, const mt_json *left,
                        const mt_json *right)
{
    int strength = binds(op);
    say_term(out, left, strength);
    mt_buf_addf(out, " %.*s ", MT_ARG(op));
    /* Operators lean to the left: a - (b - c) keeps its parentheses, (a - b) - c
     * needs none. */
    say_term(out, right, strength + 1);
}

/* Operands in a list, as a flat chain has them. */
static void say_chain(mt_buf *out, mt_str op, const mt_json *operands)
{
    for (uint32_t i = 0; i < operands->count; i++) {
        if (i) {
            mt_buf_addf(out, " %.*s ", MT_ARG(op));
        }
        say_term(out, &operands->as.items[i], binds(op) + 1);
    }
}

/* name(operand, …) of whatever operands there are. */
static void say_function(mt_buf *out, mt_str op, const mt_json *e)
{
    const char *between = "(";
    mt_buf_adds(out, op);
    for (uint32_t i = 0; i < e->count; i++) {
        const mt_json_member *m = &e->as.members[i];
        /* "result_type" and its like say what follows from the operands. */
        bool derived = m->key.len > 5 && mt_str_ends(m->key, MT_STR("_type"));
        if (!mt_str_is(m->key, "op") && !derived) {
            mt_buf_addz(out, between);
            say_term(out, &m->value, LOOSE);
            between = ", ";
        }
    }
    mt_buf_addz(out, *between == ',' ? ")" : "()");
}

static void say_operator(mt_buf *out, mt_str op, const mt_json *e)
{
    const mt_json *left = mt_json_at(e, "left"), *right = mt_json_at(e, "right");
    const mt_json *operand = mt_json_at(e, "operand"), *index = mt_json_at(e, "index");
    const mt_json *operands = mt_json_at(e, "operands");
    right = right ? right : mt_json_at(e, "literal"); /* of a product */
    if (left && right) {
        say_between(out, op, left, right);
    } else if (mt_json_is(operands, MT_JSON_ARRAY) && operands->count > 1) {
        say_chain(out, op, operands);
    } else if (operand && index) {
        say_term(out, operand, ATOM);
        mt_buf_addc(out, '[');
        say_term(out, index, LOOSE);
        mt_buf_addc(out, ']');
    } else if (operand && binds(op) == NOT) {
        mt_buf_addf(out, "%.*s ", MT_ARG(op));
        say_term(out, operand, NOT);
    } else {
        say_function(out, op, e);
    }
}

static void say_quantifier(mt_buf *out, const mt_json *e)
{
    const mt_json *domain = mt_json_at(e, "domain"), *body = mt_json_at(e, "body");
    mt_buf_addf(out, "%.*s %.*s in ", MT_ARG(mt_json_text(mt_json_at(e, "quantifier"))),
                MT_ARG(mt_json_text(mt_json_at(e, "variable"))));
    an_words(out, LN_SHAPE_EXPRESSION, domain);
    mt_buf_addz(out, " . ");
    an_words(out, LN_SHAPE_EXPRESSION, body);
}

/* of.field; `of` is a name or a term. */
static void say_part(mt_buf *out, const mt_json *part)
{
    const mt_json *var = mt_json_at(part, "var"), *of = mt_json_at(part, "of");
    if (of) {
        say_term(out, of, ATOM);
    } else {
        mt_buf_adds(out, mt_json_text(var));
    }
    mt_buf_addf(out, ".%.*s", MT_ARG(mt_json_text(mt_json_at(part, "field"))));
}

/* A record, list or union whose parts are terms. */
static bool said_made(mt_buf *out, const mt_json *e)
{
    const mt_json *record = mt_json_at(e, "record"), *list = mt_json_at(e, "list");
    const mt_json *variant = mt_json_at(e, "union");
    if (mt_json_is(record, MT_JSON_OBJECT)) {
        mt_buf_addz(out, "{");
        for (uint32_t i = 0; i < record->count; i++) {
            mt_buf_addf(out, "%s%.*s: ", i ? ", " : " ",
                        MT_ARG(record->as.members[i].key));
            say_term(out, &record->as.members[i].value, LOOSE);
        }
        mt_buf_addz(out, " }");
    } else if (mt_json_is(list, MT_JSON_ARRAY)) {
        mt_buf_addc(out, '[');
        for (uint32_t i = 0; i < list->count; i++) {
            mt_buf_addz(out, i ? ", " : "");
            say_term(out, &list->as.items[i], LOOSE);
        }
        mt_buf_addc(out, ']');
    } else if (mt_json_at(variant, "tag") && mt_json_at(variant, "payload")) {
        mt_buf_addf(out, "%.*s(", MT_ARG(mt_json_text(mt_json_at(variant, "tag"))));
        say_term(out, mt_json_at(variant, "payload"), LOOSE);
        mt_buf_addc(out, ')');
    } else {
        return false;
    }
    return true;
}

static int strength_of(const mt_json *e)
{
    return mt_json_at(e, "quantifier") ? LOOSE
           : mt_json_at(e, "op")       ? binds(mt_json_text(mt_json_at(e, "op")))
                                       : ATOM;
}

/* ORDER of the questions: nodes.def, EXPRESSION. */
static void say_node(mt_buf *out, const mt_json *e)
{
    const mt_json *part = mt_json_at(e, "field_ref");
    part = part ? part : mt_json_at(e, "field_of");
    if (mt_json_at(e, "verdict_present")) {
        mt_buf_addf(out, "verdict_present(%.*s)",
                    MT_ARG(mt_json_text(mt_json_at(e, "verdict_present"))));
    } else if (mt_json_at(e, "fact_ref")) {
        mt_buf_adds(out, mt_json_text(mt_json_at(e, "fact_ref")));
    } else if (mt_json_at(e, "verdict_ref")) {
        mt_buf_adds(out, mt_json_text(mt_json_at(e, "verdict_ref")));
    } else if (part) {
        say_part(out, part);
    } else if (mt_json_at(e, "quantifier")) {
        say_quantifier(out, e);
    } else if (mt_json_at(e, "op")) {
        say_operator(out, mt_json_text(mt_json_at(e, "op")), e);
    } else if (mt_json_at(e, "literal")) {
        say_literal(out, e);
    } else if (!said_made(out, e)) {
        an_say_value(out, NULL, e);
    }
}

/* Parentheses where the place asks for more than the node gives. */
static void say_term(mt_buf *out, const mt_json *e, int least)
{
    if (e->type != MT_JSON_OBJECT) {
        an_say_value(out, NULL, e);
        return;
    }
    bool wrap = strength_of(e) < least;
    mt_buf_addz(out, wrap ? "(" : "");
    say_node(out, e);
    mt_buf_addz(out, wrap ? ")" : "");
}

void an_say_condition(mt_buf *out, const ln_shape *shape, const mt_json *value)
{
    (void)shape;
    say_term(out, value, LOOSE);
}
