/* contract/reduce/expr.c - making and comparing expressions.
 *
 * A new node has no name but what it is given: variables are known by depth, so two
 * quantifiers that differ in the name of their variable are the same. Types count where
 * they decide a value: the bounds of a sum, the variants of a union.
 *
 * Nothing fails. Recursion follows expressions, whose depth the loader has bounded. */
#include "contract/reduce/expr.h"

static const ct_value YES = {.boolean = true}, NO = {.boolean = false};
const ct_expr CT_EXPR_TRUE = {.op = CT_LITERAL, .type = &CT_TYPE_BOOL, .value = &YES};
const ct_expr CT_EXPR_FALSE = {.op = CT_LITERAL, .type = &CT_TYPE_BOOL, .value = &NO};

const uint8_t CT_COMPARE_NOT[6] = {
    [CT_EQ] = CT_NE, [CT_NE] = CT_EQ, [CT_LT] = CT_GE,
    [CT_LE] = CT_GT, [CT_GT] = CT_LE, [CT_GE] = CT_LT,
};
MT_TABLE_COVERS(CT_COMPARE_NOT, CT_COMPARES);

const uint8_t CT_COMPARE_TURNED[6] = {
    [CT_EQ] = CT_EQ, [CT_NE] = CT_NE, [CT_LT] = CT_GT,
    [CT_LE] = CT_GE, [CT_GT] = CT_LT, [CT_GE] = CT_LE,
};
MT_TABLE_COVERS(CT_COMPARE_TURNED, CT_COMPARES);

/* ---- Making ---- */

ct_expr *ct_expr_new(mt_arena *a, ct_op op, const ct_expr *left, const ct_expr *right)
{
    ct_expr *e = mt_alloc(a, sizeof *e);
    *e = (ct_expr){
        .op = (uint8_t)op, .type = &CT_TYPE_BOOL, .left = left, .right = right};
    return e;
}

/* Nodes are never changed, so what did not change is shared. */
const ct_expr *ct_expr_with(mt_arena *a, const ct_expr *e, const ct_expr *left,
                            const ct_expr *right)
{
    if (left == e->left && right == e->right) {
        return e;
    }
    ct_expr *copy = mt_alloc(a, sizeof *copy);
    *copy = *e;
    copy->left = left;
    copy->right = right;
    return copy;
}

const ct_expr *ct_expr_literal(mt_arena *a, const ct_type *type, ct_value value)
{
    struct {
        ct_value value;
        ct_expr e;
    } *both = mt_alloc(a, sizeof *both);
    both->value = value;
    both->e = (ct_expr){.op = CT_LITERAL, .type = type, .value = &both->value};
    return &both->e;
}

const ct_expr *ct_expr_compare(mt_arena *a, const ct_expr *left, ct_compare compare,
                               const ct_expr *right)
{
    ct_expr *e = ct_expr_new(a, CT_COMPARE, left, right);
    e->compare = (uint8_t)compare;
    return e;
}

static const ct_expr *whole_number(mt_arena *a, int64_t n)
{
    ct_type *type = mt_new(a, ct_type);
    *type = ct_int_type(n, n);
    return ct_expr_literal(a, type, (ct_value){.integer = n});
}

const ct_expr *ct_expr_element(mt_arena *a, const ct_expr *list, uint32_t i)
{
    ct_expr *e = ct_expr_new(a, CT_INDEX, list, whole_number(a, i));
    e->type = list->type->as.list.element;
    return e;
}

const ct_expr *ct_expr_length(mt_arena *a, const ct_expr *list, ct_compare compare,
                              int64_t n)
{
    ct_expr *len = ct_expr_new(a, CT_LEN, list, NULL);
    ct_type *type = mt_new(a, ct_type);
    *type = ct_int_type(0, (int64_t)list->type->as.list.max);
    len->type = type;
    return ct_expr_compare(a, len, compare, whole_number(a, n));
}

const ct_expr *ct_expr_part_read(mt_arena *a, const ct_model *m, const ct_expr *e)
{
    if (e->op != CT_FIELD || e->left->op != CT_PAYLOAD) {
        return NULL;
    }
    const ct_expr *whole = m->rules[e->left->index].payload;
    if (whole->op == CT_MAKE) {
        const ct_expr *part = ct_part_of(whole, e->index);
        /* A part that is fitted to its field is rounded there, so the term and what
         * is read are not the same value. */
        return part->op == CT_FIT || part->op == CT_MAKE ? NULL : part;
    }
    const ct_field *f = &e->left->type->as.fields[e->index];
    if (whole->op != CT_LITERAL || ct_held(f->type) >= LN_RECORD) {
        return NULL;
    }
    ct_expr *part = mt_alloc(a, sizeof *part);
    *part =
        (ct_expr){.op = CT_LITERAL, .type = f->type, .value = whole->value + f->offset};
    return part;
}

/* ---- Comparing ---- */

/* The bounds of a result decide whether it overflows. */
static bool same_bounds(const ct_type *x, const ct_type *y)
{
    if (x == y) {
        return true;
    }
    if (x->base != y->base || x->unit != y->unit) {
        return false;
    }
    if (ct_has(x, LN_RANGED)) {
        return x->as.range.min == y->as.range.min && x->as.range.max == y->as.range.max;
    }
    return !ct_is_decimal(x) || (x->as.decimal.precision == y->as.decimal.precision &&
                                 x->as.decimal.scale == y->as.decimal.scale);
}

static bool same_literal(const ct_expr *x, const ct_expr *y)
{
    return x->value == y->value ||
           (ct_type_comparable(x->type, y->type) &&
            ct_value_equal(x->type, x->value, y->type, y->value));
}

bool ct_expr_same(const ct_expr *x, const ct_expr *y)
{
    if (x == y) {
        return true;
    }
    if (!x || !y || x->op != y->op || x->index != y->index ||
        x->compare != y->compare) {
        return false;
    }
    if (x->op == CT_LITERAL) {
        return same_literal(x, y);
    }
    /* Elsewhere the type follows from the operands, which are compared. */
    bool bounded =
        x->op == CT_ADD || x->op == CT_SUB || x->op == CT_MUL || x->op == CT_FIT;
    bool made = x->op == CT_MAKE;
    return (!bounded || same_bounds(x->type, y->type)) &&
           (!made || ct_type_comparable(x->type, y->type)) &&
           ct_expr_same(x->left, y->left) && ct_expr_same(x->right, y->right);
}

static uint64_t mixed(uint64_t h, uint64_t more)
{
    h = (h ^ more) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

/* Of a literal only what equal values share whatever their form: 1.5 is 1.50, and 60
 * minutes are an hour. */
static uint64_t hash_literal(const ct_expr *e)
{
    switch (ct_held(e->type)) {
    case LN_BOOLEAN: return e->value->boolean;
    case LN_INTEGER: return ct_is_day(e->type) ? (uint64_t)e->value->integer : 0;
    case LN_TEXT: return e->value->text.len;
    case LN_CHOICE: return e->type->as.values[e->value->choice].len;
    case LN_TIME: return (uint64_t)e->value->time.seconds;
    case LN_DECIMAL:
    case LN_RECORD:
    case LN_VARIANT:
    case LN_LIST: break;
    }
    return 0;
}

uint64_t ct_expr_hash(const ct_expr *e)
{
    if (!e) {
        return 1;
    }
    uint64_t h = mixed(e->op, (uint64_t)e->index << 8 | e->compare);
    if (e->op == CT_LITERAL) {
        return mixed(h, hash_literal(e));
    }
    return e->left ? mixed(mixed(h, ct_expr_hash(e->left)), ct_expr_hash(e->right)) : h;
}

/* Counts no further than `most`: callers ask whether something is too large. */
size_t ct_expr_size(const ct_expr *e, size_t most)
{
    if (!e || !most) {
        return 0;
    }
    size_t n = 1 + ct_expr_size(e->left, most - 1);
    return n < most ? n + ct_expr_size(e->right, most - n) : n;
}
