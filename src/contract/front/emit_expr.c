/* contract/front/emit_expr.c - terms and conditions as interchange.
 *
 * The text is written straight into the bundle, key by key in byte order, without a
 * tree between. Which nodes 1.0 has and which are ours is the table in
 * docs/reference/interchange.md; where both could say a thing, the node of 1.0 is
 * chosen, and its spelling is the conformance suite's, down to products that name the
 * literal on the right although it was written on the left.
 *
 * Pass 4 has given every expression its type and refused what cannot be written, so
 * nothing here can fail; a buffer that is full writes nothing more and is noticed by
 * pass 6. Recursion follows the tree, whose depth source_depth bounds. */
#include "contract/front/emit.h"
#include "contract/front/types.h"

/* §13.5: the type of a literal is the range of this one number. */
static void emit_int_literal(fr_emit *e, int64_t n)
{
    FR_PUT(e, "{\"literal\":");
    mt_buf_add_i64(e->b, n);
    FR_PUT(e, ",\"type\":{\"base\":\"Int\",\"max\":");
    mt_buf_add_i64(e->b, n);
    FR_PUT(e, ",\"min\":");
    mt_buf_add_i64(e->b, n);
    FR_PUT(e, "}}");
}

/* As text, never as a JSON number (§14.2, pass 6). */
static void emit_decimal_literal(fr_emit *e, mt_str text)
{
    fr_type t = FR_DECIMAL;
    fr_decimal_literal(text, &t.precision, &t.scale);
    FR_PUT(e, "{\"literal\":");
    fr_emit_text(e, text);
    FR_PUT(e, ",\"type\":");
    fr_emit_type(e, &t);
    mt_buf_addc(e->b, '}');
}

/* The amount as it was written: only the default of a fact is rounded to cents. */
static void emit_money_literal(fr_emit *e, const fr_expr *x)
{
    FR_PUT(e, "{\"literal\":");
    fr_emit_money(e, x, false, false);
    FR_PUT(e, ",\"type\":{\"base\":\"Money\",\"currency\":");
    fr_emit_text(e, fr_str(e->u, x->sym2));
    FR_PUT(e, "}}");
}

/* The literal's own type is the range of this one value in its own unit. */
static void emit_duration_literal(fr_emit *e, const fr_expr *x)
{
    int64_t n = fr_int_value(&e->u->syms, x->sym);
    fr_type t = FR_DURATION;
    t.min = t.max = n;
    t.name = x->sym2;
    e->extended = true;
    FR_PUT(e, "{\"literal\":{\"unit\":");
    fr_emit_text(e, fr_str(e->u, x->sym2));
    FR_PUT(e, ",\"value\":");
    mt_buf_add_i64(e->b, n);
    FR_PUT(e, "},\"type\":");
    fr_emit_type(e, &t);
    mt_buf_addc(e->b, '}');
}

static void emit_bool_literal(fr_emit *e, const fr_expr *x)
{
    if (x->op) {
        FR_PUT(e, "{\"literal\":true,\"type\":{\"base\":\"Bool\"}}");
    } else {
        FR_PUT(e, "{\"literal\":false,\"type\":{\"base\":\"Bool\"}}");
    }
}

/* Variables are written like facts; the loader tells them by scope. */
static void emit_ref(fr_emit *e, const fr_expr *x)
{
    if (x->op == FR_REF_VERDICT) {
        e->extended = true;
        FR_PUT(e, "{\"verdict_ref\":");
    } else {
        FR_PUT(e, "{\"fact_ref\":");
    }
    fr_emit_name(e, x->sym);
    mt_buf_addc(e->b, '}');
}

/* A field of a fact or a variable is interchange 1.0; of anything else it is an
 * extension. */
static void emit_field(fr_emit *e, const fr_expr *x)
{
    const fr_expr *base = x->left;
    if (base->kind == FR_X_REF && base->op != FR_REF_VERDICT) {
        FR_PUT(e, "{\"field_ref\":{\"field\":");
        fr_emit_name(e, x->sym);
        FR_PUT(e, ",\"var\":");
        fr_emit_name(e, base->sym);
    } else {
        e->extended = true;
        FR_PUT(e, "{\"field_of\":{\"field\":");
        fr_emit_name(e, x->sym);
        FR_PUT(e, ",\"of\":");
        fr_emit_term(e, base);
    }
    FR_PUT(e, "}}");
}

/* A Decimal that comes of a literal factor has a type of its own (§13.2). A product of
 * two variables has none: it is as exact as 28 digits allow. */
static bool is_scaled(const fr_expr *x)
{
    return fr_is_decimal(x->type) &&
           (x->left->kind == FR_X_FLOAT || x->right->kind == FR_X_FLOAT);
}

/* A product by an integer literal, the literal on either side. */
static void emit_scaled(fr_emit *e, const fr_expr *x, const fr_expr *factor,
                        const fr_expr *literal)
{
    bool plain_fact = factor->kind == FR_X_REF && factor->op == FR_REF_FACT;
    FR_PUT(e, "{\"left\":");
    fr_emit_term(e, factor);
    FR_PUT(e, ",\"literal\":");
    mt_buf_add_i64(e->b, fr_int_value(&e->u->syms, literal->sym));
    FR_PUT(e, ",\"op\":\"*\",\"result_type\":");
    fr_emit_type(e, x->type);
    e->extended |= !plain_fact;
    mt_buf_addc(e->b, '}');
}

/* Two literals or none: the general form. */
static void emit_product(fr_emit *e, const fr_expr *x)
{
    bool left = x->left->kind == FR_X_INT, right = x->right->kind == FR_X_INT;
    if (left != right) {
        emit_scaled(e, x, left ? x->right : x->left, left ? x->left : x->right);
        return;
    }
    FR_PUT(e, "{\"left\":");
    fr_emit_term(e, x->left);
    FR_PUT(e, ",\"op\":\"*\"");
    if (is_scaled(x)) {
        FR_PUT(e, ",\"result_type\":");
        fr_emit_type(e, x->type);
    }
    FR_PUT(e, ",\"right\":");
    fr_emit_term(e, x->right);
    mt_buf_addc(e->b, '}');
}

/* 1.0 knows products by a literal only; sums and differences are ours, and say their
 * type. */
static void emit_sum(fr_emit *e, const fr_expr *x)
{
    e->extended = true;
    FR_PUT(e, "{\"left\":");
    fr_emit_term(e, x->left);
    FR_PUT(e, ",\"op\":\"");
    mt_buf_addc(e->b, x->kind == FR_X_ADD ? '+' : '-');
    FR_PUT(e, "\",\"result_type\":");
    fr_emit_type(e, x->type);
    FR_PUT(e, ",\"right\":");
    fr_emit_term(e, x->right);
    mt_buf_addc(e->b, '}');
}

/* `index` sorts before `op`, so the two nodes cannot share their beginning. */
static void emit_list_term(fr_emit *e, const fr_expr *x)
{
    e->extended = true;
    if (x->kind == FR_X_INDEX) {
        FR_PUT(e, "{\"index\":");
        fr_emit_term(e, x->right);
        FR_PUT(e, ",\"op\":\"index\",\"operand\":");
    } else {
        FR_PUT(e, "{\"op\":\"len\",\"operand\":");
    }
    fr_emit_term(e, x->left);
    mt_buf_addc(e->b, '}');
}

/* ---- structured values ---- */

static void emit_made(fr_emit *e, const fr_type *t, const fr_expr *x);

/* A part takes the type it stands for: quoted digits are a Decimal there. */
static void emit_part(fr_emit *e, const fr_type *t, const fr_expr *x)
{
    if (x->kind == FR_X_LIST || x->kind == FR_X_RECORD || x->kind == FR_X_ENTRY) {
        emit_made(e, t, x);
        mt_buf_addc(e->b, '}');
    } else if (x->kind == FR_X_STR && fr_is_decimal(t)) {
        emit_decimal_literal(e, fr_str(e->u, x->sym));
    } else {
        fr_emit_term(e, x);
    }
}

/* Items of the literal are in the order of the type's fields since pass 4. */
static void emit_made_record(fr_emit *e, const fr_type *t, const fr_expr *x)
{
    FR_PUT(e, "{\"record\":{");
    for (uint32_t i = 0; i < t->field_count; i++) {
        if (i) {
            mt_buf_addc(e->b, ',');
        }
        fr_emit_name(e, t->fields[i].name);
        mt_buf_addc(e->b, ':');
        emit_part(e, t->fields[i].type, x->items[i]->left);
    }
    mt_buf_addc(e->b, '}');
}

static void emit_made_list(fr_emit *e, const fr_type *t, const fr_expr *x)
{
    FR_PUT(e, "{\"list\":[");
    for (uint32_t i = 0; i < x->sym2; i++) {
        if (i) {
            mt_buf_addc(e->b, ',');
        }
        emit_part(e, t->element, x->items[i]);
    }
    mt_buf_addc(e->b, ']');
}

/* `type` stands before `union` and behind the others, so the caller closes the node. */
static void emit_made_union(fr_emit *e, const fr_type *t, const fr_expr *x)
{
    const fr_type *variant = fr_type_field_of(e->u, t, x->sym);
    FR_PUT(e, "\"union\":{\"payload\":");
    if (x->kind == FR_X_ENTRY) {
        emit_part(e, variant, x->left);
    } else {
        emit_made_record(e, variant, x);
        mt_buf_addc(e->b, '}');
    }
    FR_PUT(e, ",\"tag\":");
    fr_emit_name(e, x->sym);
    mt_buf_addc(e->b, '}');
}

/* Without its closing brace and without its type, which the place gives. */
static void emit_made(fr_emit *e, const fr_type *t, const fr_expr *x)
{
    e->extended = true;
    if (x->kind == FR_X_LIST) {
        emit_made_list(e, t, x);
    } else if (fr_holds(t, LN_VARIANT)) {
        mt_buf_addc(e->b, '{');
        emit_made_union(e, t, x);
    } else {
        emit_made_record(e, t, x);
    }
}

/* In a condition the node says its type itself. */
static void emit_typed(fr_emit *e, const fr_expr *x)
{
    e->extended = true;
    if (fr_holds(x->type, LN_VARIANT)) {
        FR_PUT(e, "{\"type\":");
        fr_emit_type(e, x->type);
        mt_buf_addc(e->b, ',');
        emit_made_union(e, x->type, x);
    } else {
        emit_made(e, x->type, x);
        FR_PUT(e, ",\"type\":");
        fr_emit_type(e, x->type);
    }
    mt_buf_addc(e->b, '}');
}

void fr_emit_structure(fr_emit *e, const fr_type *t, const fr_expr *x)
{
    emit_part(e, t, x);
}

/* What is a condition cannot come here: pass 4 has refused it. */
void fr_emit_term(fr_emit *e, const fr_expr *x)
{
    switch ((fr_expr_kind)x->kind) {
    case FR_X_BOOL: emit_bool_literal(e, x); break;
    case FR_X_INT: emit_int_literal(e, fr_int_value(&e->u->syms, x->sym)); break;
    case FR_X_FLOAT: emit_decimal_literal(e, fr_str(e->u, x->sym)); break;
    case FR_X_STR:
        FR_PUT(e, "{\"literal\":");
        fr_emit_text(e, fr_str(e->u, x->sym));
        mt_buf_addc(e->b, '}');
        break;
    case FR_X_MONEY: emit_money_literal(e, x); break;
    case FR_X_DURATION: emit_duration_literal(e, x); break;
    case FR_X_REF: emit_ref(e, x); break;
    case FR_X_FIELD: emit_field(e, x); break;
    case FR_X_INDEX:
    case FR_X_LEN: emit_list_term(e, x); break;
    case FR_X_MUL: emit_product(e, x); break;
    case FR_X_ADD:
    case FR_X_SUB: emit_sum(e, x); break;
    case FR_X_LIST:
    case FR_X_RECORD:
    case FR_X_ENTRY: emit_typed(e, x); break;
    case FR_X_COMPARE:
    case FR_X_AND:
    case FR_X_OR:
    case FR_X_NOT:
    case FR_X_VERDICT:
    case FR_X_PRESENT:
    case FR_X_FORALL:
    case FR_X_EXISTS:
    case FR_X_ERROR: MT_BUG("no term");
    }
}

/* ---- conditions ---- */

/* Beside such a fact the suite writes the literal with the type of the Enum. */
static bool is_enum_fact(const fr_expr *x)
{
    return x->kind == FR_X_REF && x->op == FR_REF_FACT && fr_holds(x->type, LN_CHOICE);
}

static void emit_right_operand(fr_emit *e, const fr_expr *left, const fr_expr *right)
{
    if (right->kind != FR_X_STR || !is_enum_fact(left)) {
        fr_emit_term(e, right);
        return;
    }
    FR_PUT(e, "{\"literal\":");
    fr_emit_text(e, fr_str(e->u, right->sym));
    FR_PUT(e, ",\"type\":");
    fr_emit_type(e, left->type);
    mt_buf_addc(e->b, '}');
}

/* Operands stay in the order of the source (§14.2, pass 6). */
static void emit_comparison(fr_emit *e, const fr_expr *x)
{
    /* SPARSE: of all tokens only these compare. */
    static const char *const OPS[] = {
        [FR_T_EQ] = "=",   [FR_T_NEQ] = "!=", [FR_T_LT] = "<",
        [FR_T_LTE] = "<=", [FR_T_GT] = ">",   [FR_T_GTE] = ">=",
    };
    mt_buf_addc(e->b, '{');
    if (x->type) {
        FR_PUT(e, "\"comparison_type\":");
        fr_emit_type(e, x->type);
        mt_buf_addc(e->b, ',');
    }
    FR_PUT(e, "\"left\":");
    fr_emit_term(e, x->left);
    FR_PUT(e, ",\"op\":\"");
    mt_buf_addz(e->b, OPS[x->op]);
    FR_PUT(e, "\",\"right\":");
    emit_right_operand(e, x->left, x->right);
    mt_buf_addc(e->b, '}');
}

/* Over a declared fact it is 1.0; over any other list it is an extension. */
static void emit_quantifier(fr_emit *e, const fr_expr *x)
{
    const fr_expr *domain = x->left;
    e->extended |= domain->kind != FR_X_REF || domain->op != FR_REF_FACT;
    FR_PUT(e, "{\"body\":");
    fr_emit_condition(e, x->right);
    FR_PUT(e, ",\"domain\":");
    fr_emit_term(e, domain);
    if (x->kind == FR_X_FORALL) {
        FR_PUT(e, ",\"quantifier\":\"forall\",\"variable\":");
    } else {
        FR_PUT(e, ",\"quantifier\":\"exists\",\"variable\":");
    }
    fr_emit_name(e, x->sym);
    FR_PUT(e, ",\"variable_type\":");
    fr_emit_type(e, x->type);
    mt_buf_addc(e->b, '}');
}

static void emit_connective(fr_emit *e, const fr_expr *x)
{
    FR_PUT(e, "{\"left\":");
    fr_emit_condition(e, x->left);
    if (x->kind == FR_X_AND) {
        FR_PUT(e, ",\"op\":\"and\",\"right\":");
    } else {
        FR_PUT(e, ",\"op\":\"or\",\"right\":");
    }
    fr_emit_condition(e, x->right);
    mt_buf_addc(e->b, '}');
}

/* A bare Bool as a condition is ours: 1.0 has only comparisons. */
void fr_emit_condition(fr_emit *e, const fr_expr *x)
{
    switch ((fr_expr_kind)x->kind) {
    case FR_X_COMPARE: emit_comparison(e, x); break;
    case FR_X_AND:
    case FR_X_OR: emit_connective(e, x); break;
    case FR_X_NOT:
        FR_PUT(e, "{\"op\":\"not\",\"operand\":");
        fr_emit_condition(e, x->left);
        mt_buf_addc(e->b, '}');
        break;
    case FR_X_VERDICT:
        FR_PUT(e, "{\"verdict_present\":");
        fr_emit_name(e, x->sym);
        mt_buf_addc(e->b, '}');
        break;
    case FR_X_FORALL:
    case FR_X_EXISTS: emit_quantifier(e, x); break;
    case FR_X_BOOL:
    case FR_X_REF:
    case FR_X_FIELD:
    case FR_X_INDEX:
        e->extended = true;
        fr_emit_term(e, x);
        break;
    case FR_X_INT:
    case FR_X_FLOAT:
    case FR_X_STR:
    case FR_X_MONEY:
    case FR_X_DURATION:
    case FR_X_LEN:
    case FR_X_MUL:
    case FR_X_ADD:
    case FR_X_SUB:
    case FR_X_PRESENT:
    case FR_X_LIST:
    case FR_X_RECORD:
    case FR_X_ENTRY:
    case FR_X_ERROR: MT_BUG("no condition");
    }
}
