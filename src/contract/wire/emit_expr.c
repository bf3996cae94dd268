/* contract/wire/emit_expr.c - terms and conditions. Which nodes 1.0 has and which are
 * ours is the table in docs/interchange.md. */
#include "contract/front/types.h"
#include "contract/wire/emit.h"

static void emit_int_literal(ct_emit *e, int64_t n)
{
    CT_PUT(e, "{\"literal\":");
    mt_buf_add_i64(e->b, n);
    CT_PUT(e, ",\"type\":{\"base\":\"Int\",\"max\":");
    mt_buf_add_i64(e->b, n);
    CT_PUT(e, ",\"min\":");
    mt_buf_add_i64(e->b, n);
    CT_PUT(e, "}}");
}

static void emit_decimal_literal(ct_emit *e, mt_str text)
{
    ct_type t = {.base = CT_TYPE_DECIMAL};
    ct_decimal_literal(text, &t.precision, &t.scale);
    CT_PUT(e, "{\"literal\":");
    ct_emit_text(e, text);
    CT_PUT(e, ",\"type\":");
    ct_emit_type(e, &t);
    mt_buf_addc(e->b, '}');
}

static void emit_money_literal(ct_emit *e, const ct_expr *x)
{
    CT_PUT(e, "{\"literal\":");
    ct_emit_money(e, x, false, false);
    CT_PUT(e, ",\"type\":{\"base\":\"Money\",\"currency\":");
    ct_emit_text(e, ct_str(e->u, x->sym2));
    CT_PUT(e, "}}");
}

static void emit_duration_literal(ct_emit *e, const ct_expr *x)
{
    int64_t n = ct_int_value(&e->u->syms, x->sym);
    ct_type t = {.base = CT_TYPE_DURATION, .min = n, .max = n, .name = x->sym2};
    e->extended = true;
    CT_PUT(e, "{\"literal\":{\"unit\":");
    ct_emit_text(e, ct_str(e->u, x->sym2));
    CT_PUT(e, ",\"value\":");
    mt_buf_add_i64(e->b, n);
    CT_PUT(e, "},\"type\":");
    ct_emit_type(e, &t);
    mt_buf_addc(e->b, '}');
}

static void emit_bool_literal(ct_emit *e, const ct_expr *x)
{
    if (x->op) {
        CT_PUT(e, "{\"literal\":true,\"type\":{\"base\":\"Bool\"}}");
    } else {
        CT_PUT(e, "{\"literal\":false,\"type\":{\"base\":\"Bool\"}}");
    }
}

static void emit_ref(ct_emit *e, const ct_expr *x)
{
    if (x->op == CT_REF_VERDICT) {
        e->extended = true;
        CT_PUT(e, "{\"verdict_ref\":");
    } else {
        CT_PUT(e, "{\"fact_ref\":");
    }
    ct_emit_name(e, x->sym);
    mt_buf_addc(e->b, '}');
}

static void emit_field(ct_emit *e, const ct_expr *x)
{
    const ct_expr *base = x->left;
    if (base->kind == CT_X_REF && base->op != CT_REF_VERDICT) {
        CT_PUT(e, "{\"field_ref\":{\"field\":");
        ct_emit_name(e, x->sym);
        CT_PUT(e, ",\"var\":");
        ct_emit_name(e, base->sym);
    } else {
        e->extended = true;
        CT_PUT(e, "{\"field_of\":{\"field\":");
        ct_emit_name(e, x->sym);
        CT_PUT(e, ",\"of\":");
        ct_emit_term(e, base);
    }
    CT_PUT(e, "}}");
}

/* A product by an integer literal, the literal on either side. */
static void emit_scaled(ct_emit *e, const ct_expr *x, const ct_expr *factor,
                        const ct_expr *literal)
{
    bool plain_fact = factor->kind == CT_X_REF && factor->op == CT_REF_FACT;
    CT_PUT(e, "{\"left\":");
    ct_emit_term(e, factor);
    CT_PUT(e, ",\"literal\":");
    mt_buf_add_i64(e->b, ct_int_value(&e->u->syms, literal->sym));
    CT_PUT(e, ",\"op\":\"*\"");
    if (!plain_fact || factor->type->base == CT_TYPE_INT) {
        CT_PUT(e, ",\"result_type\":");
        ct_emit_type(e, x->type);
    }
    e->extended |= !plain_fact;
    mt_buf_addc(e->b, '}');
}

static void emit_product(ct_emit *e, const ct_expr *x)
{
    bool left = x->left->kind == CT_X_INT, right = x->right->kind == CT_X_INT;
    if (left != right) {
        emit_scaled(e, x, left ? x->right : x->left, left ? x->left : x->right);
        return;
    }
    CT_PUT(e, "{\"left\":");
    ct_emit_term(e, x->left);
    CT_PUT(e, ",\"op\":\"*\",\"right\":");
    ct_emit_term(e, x->right);
    mt_buf_addc(e->b, '}');
}

static void emit_sum(ct_emit *e, const ct_expr *x)
{
    e->extended = true;
    CT_PUT(e, "{\"left\":");
    ct_emit_term(e, x->left);
    CT_PUT(e, ",\"op\":\"");
    mt_buf_addc(e->b, x->kind == CT_X_ADD ? '+' : '-');
    CT_PUT(e, "\",\"result_type\":");
    ct_emit_type(e, x->type);
    CT_PUT(e, ",\"right\":");
    ct_emit_term(e, x->right);
    mt_buf_addc(e->b, '}');
}

static void emit_list_term(ct_emit *e, const ct_expr *x)
{
    e->extended = true;
    if (x->kind == CT_X_INDEX) {
        CT_PUT(e, "{\"index\":");
        ct_emit_term(e, x->right);
        CT_PUT(e, ",\"op\":\"index\",\"operand\":");
    } else {
        CT_PUT(e, "{\"op\":\"len\",\"operand\":");
    }
    ct_emit_term(e, x->left);
    mt_buf_addc(e->b, '}');
}

void ct_emit_term(ct_emit *e, const ct_expr *x)
{
    switch ((ct_expr_kind)x->kind) {
    case CT_X_BOOL: emit_bool_literal(e, x); break;
    case CT_X_INT: emit_int_literal(e, ct_int_value(&e->u->syms, x->sym)); break;
    case CT_X_FLOAT: emit_decimal_literal(e, ct_str(e->u, x->sym)); break;
    case CT_X_STR:
        CT_PUT(e, "{\"literal\":");
        ct_emit_text(e, ct_str(e->u, x->sym));
        mt_buf_addc(e->b, '}');
        break;
    case CT_X_MONEY: emit_money_literal(e, x); break;
    case CT_X_DURATION: emit_duration_literal(e, x); break;
    case CT_X_REF: emit_ref(e, x); break;
    case CT_X_FIELD: emit_field(e, x); break;
    case CT_X_INDEX:
    case CT_X_LEN: emit_list_term(e, x); break;
    case CT_X_MUL: emit_product(e, x); break;
    case CT_X_ADD:
    case CT_X_SUB: emit_sum(e, x); break;
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
    case CT_X_ERROR: MT_BUG("no term");
    }
}

/* ---- conditions ---- */

static bool is_enum_fact(const ct_expr *x)
{
    return x->kind == CT_X_REF && x->op == CT_REF_FACT && x->type->base == CT_TYPE_ENUM;
}

static void emit_right_operand(ct_emit *e, const ct_expr *left, const ct_expr *right)
{
    if (right->kind != CT_X_STR || !is_enum_fact(left)) {
        ct_emit_term(e, right);
        return;
    }
    CT_PUT(e, "{\"literal\":");
    ct_emit_text(e, ct_str(e->u, right->sym));
    CT_PUT(e, ",\"type\":");
    ct_emit_type(e, left->type);
    mt_buf_addc(e->b, '}');
}

static void emit_comparison(ct_emit *e, const ct_expr *x)
{
    static const char *const OPS[] = {
        [CT_T_EQ] = "=",   [CT_T_NEQ] = "!=", [CT_T_LT] = "<",
        [CT_T_LTE] = "<=", [CT_T_GT] = ">",   [CT_T_GTE] = ">=",
    };
    mt_buf_addc(e->b, '{');
    if (x->type) {
        CT_PUT(e, "\"comparison_type\":");
        ct_emit_type(e, x->type);
        mt_buf_addc(e->b, ',');
    }
    CT_PUT(e, "\"left\":");
    ct_emit_term(e, x->left);
    CT_PUT(e, ",\"op\":\"");
    mt_buf_addz(e->b, OPS[x->op]);
    CT_PUT(e, "\",\"right\":");
    emit_right_operand(e, x->left, x->right);
    mt_buf_addc(e->b, '}');
}

static void emit_quantifier(ct_emit *e, const ct_expr *x)
{
    const ct_expr *domain = x->left;
    e->extended |= domain->kind != CT_X_REF || domain->op != CT_REF_FACT;
    CT_PUT(e, "{\"body\":");
    ct_emit_condition(e, x->right);
    CT_PUT(e, ",\"domain\":");
    ct_emit_term(e, domain);
    if (x->kind == CT_X_FORALL) {
        CT_PUT(e, ",\"quantifier\":\"forall\",\"variable\":");
    } else {
        CT_PUT(e, ",\"quantifier\":\"exists\",\"variable\":");
    }
    ct_emit_name(e, x->sym);
    CT_PUT(e, ",\"variable_type\":");
    ct_emit_type(e, x->type);
    mt_buf_addc(e->b, '}');
}

static void emit_connective(ct_emit *e, const ct_expr *x)
{
    CT_PUT(e, "{\"left\":");
    ct_emit_condition(e, x->left);
    if (x->kind == CT_X_AND) {
        CT_PUT(e, ",\"op\":\"and\",\"right\":");
    } else {
        CT_PUT(e, ",\"op\":\"or\",\"right\":");
    }
    ct_emit_condition(e, x->right);
    mt_buf_addc(e->b, '}');
}

void ct_emit_condition(ct_emit *e, const ct_expr *x)
{
    switch ((ct_expr_kind)x->kind) {
    case CT_X_COMPARE: emit_comparison(e, x); break;
    case CT_X_AND:
    case CT_X_OR: emit_connective(e, x); break;
    case CT_X_NOT:
        CT_PUT(e, "{\"op\":\"not\",\"operand\":");
        ct_emit_condition(e, x->left);
        mt_buf_addc(e->b, '}');
        break;
    case CT_X_VERDICT:
        CT_PUT(e, "{\"verdict_present\":");
        ct_emit_name(e, x->sym);
        mt_buf_addc(e->b, '}');
        break;
    case CT_X_FORALL:
    case CT_X_EXISTS: emit_quantifier(e, x); break;
    case CT_X_BOOL:
    case CT_X_REF:
    case CT_X_FIELD:
    case CT_X_INDEX:
        e->extended = true;
        ct_emit_term(e, x);
        break;
    case CT_X_INT:
    case CT_X_FLOAT:
    case CT_X_STR:
    case CT_X_MONEY:
    case CT_X_DURATION:
    case CT_X_LEN:
    case CT_X_MUL:
    case CT_X_ADD:
    case CT_X_SUB:
    case CT_X_PRESENT:
    case CT_X_LIST:
    case CT_X_RECORD:
    case CT_X_ENTRY:
    case CT_X_ERROR: MT_BUG("no condition");
    }
}
