/* contract/flow/possible.c - a truth table over the questions.
 * Room: contract. */
#include "contract/flow/possible.h"

#include "contract/reduce/expr.h"

enum { MAX_QUESTIONS = 10 }; /* more are not tried: taken as possible */

typedef struct questions {
    const ct_expr *items[MAX_QUESTIONS];
    size_t len, asked; /* different ones; all of them */
    bool too_many;
} questions;

/* Equal questions get one number; when there are too many, nothing is ruled out. */
static size_t number_of(questions *q, const ct_expr *e)
{
    size_t i = 0;
    q->asked++;
    while (i < q->len && !ct_expr_same(q->items[i], e)) {
        i++;
    }
    if (i == q->len && q->len < MAX_QUESTIONS) {
        q->items[q->len++] = e;
    } else if (i == q->len) {
        q->too_many = true;
    }
    return i;
}

/* The predicate under one assignment; also how the questions are collected. */
static bool value(questions *q, const ct_expr *e, unsigned answers)
{
    if (e->op == CT_AND || e->op == CT_OR) {
        bool l = value(q, e->left, answers), r = value(q, e->right, answers);
        return e->op == CT_AND ? l && r : l || r;
    }
    if (e->op == CT_NOT) {
        return !value(q, e->left, answers);
    }
    if (e->op == CT_LITERAL) {
        q->asked++; /* it is not a free question, so the short cut does not hold */
        return e->value->boolean;
    }
    return (answers >> number_of(q, e)) & 1;
}

bool ct_possible(const ct_demand *demands, size_t count)
{
    questions q = {.len = 0};
    for (size_t i = 0; i < count; i++) {
        value(&q, demands[i].predicate, 0);
    }
    if (q.too_many || q.asked == q.len) {
        return true; /* nothing is asked twice: every answer is possible */
    }
    for (unsigned answers = 0; answers < 1u << q.len; answers++) {
        size_t met = 0;
        while (met < count &&
               value(&q, demands[met].predicate, answers) == demands[met].value) {
            met++;
        }
        if (met == count) {
            return true;
        }
    }
    return false;
}
