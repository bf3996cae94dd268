/* analyze/prove/prove_plain.c - the fact set that is shown: plain, or near the
 * boundary.
 *
 * The solver gives any values for which a claim is true. What is shown should be what a
 * person would have written: amounts with the digits of their currency, nothing
 * negative that need not be, zero, false and empty where that will do, and otherwise
 * the value nearest to that, which lies on the boundary of the condition. Each wish is
 * put to the solver beside those it has granted; one that cannot be granted is dropped.
 *
 * Order: wishes about all values together (one question), or one by one if that fails;
 * then the defaults of facts; then lengths of lists, outer ones first, because an
 * element that is plain already would be kept and the list made longer; then value by
 * value in the order of the facts, the plain one, else the nearest, found by halving
 * the distance. Bounded by MOST_TRIES questions; beyond, values stay as they are. The
 * result is a model of the same formulas, so nothing that was proven changes.
 */
#include "analyze/prove/prove_internal.h"
#include "contract/wire/currency.h"

enum {
    MOST_TRIES = 400, /* questions for one fact set */
    FARTHEST = 13     /* powers of ten that are tried around the plain value */
};

typedef struct wisher {
    an_prover *p;
    Z3_solver s;
    Z3_model m;
    unsigned tries;
} wisher;

static bool is_so(wisher *w, Z3_ast wish)
{
    Z3_ast now;
    return w->m && Z3_model_eval(w->p->z, w->m, wish, true, &now) &&
           Z3_get_bool_value(w->p->z, now) == Z3_L_TRUE;
}

static void take_model(wisher *w)
{
    Z3_model m = Z3_solver_get_model(w->p->z, w->s);
    if (m) {
        Z3_model_inc_ref(w->p->z, m);
    }
    if (w->m) {
        Z3_model_dec_ref(w->p->z, w->m);
    }
    w->m = m;
}

/* Can it be? The model is then one of it, but nothing is asserted. A question that
 * used up the solver's patience is the last: those after it would cost as much. */
static bool can_be(wisher *w, const Z3_ast *wishes, unsigned count)
{
    if (w->tries >= MOST_TRIES || w->p->broken) {
        return false;
    }
    w->tries++;
    Z3_lbool said = Z3_solver_check_assumptions(w->p->z, w->s, count, wishes);
    if (said != Z3_L_TRUE) {
        w->tries = said == Z3_L_UNDEF ? MOST_TRIES : w->tries;
        return false;
    }
    take_model(w);
    return w->m != NULL;
}

/* Granted: it holds from now on. */
static bool granted(wisher *w, Z3_ast wish)
{
    if (!is_so(w, wish) && !can_be(w, &wish, 1)) {
        return false;
    }
    Z3_solver_assert(w->p->z, w->s, wish);
    return true;
}

/* ---- Wishes about numbers ---- */

/* Steps between two amounts that people write: cents, or what the currency has. */
static unsigned steps_digits(const pv_sym *s)
{
    unsigned digits = ct_has(s->type, LN_CURRENCY)
                          ? ct_currency_digits(s->type->as.currency)
                          : s->scale;
    return s->scale > digits ? s->scale - digits : 0;
}

static bool is_number(const pv_sym *s)
{
    ln_held held = ct_held(s->type);
    return held == LN_INTEGER || held == LN_DECIMAL || held == LN_TIME ||
           held == LN_LIST;
}

static bool may_be_negative(const pv_sym *s)
{
    return ct_held(s->type) == LN_DECIMAL ||
           (ct_has(s->type, LN_RANGED) && s->type->as.range.min < 0 &&
            s->type->as.range.max >= 0);
}

typedef MT_VEC(Z3_ast) wish_list;

static void add_wishes(an_prover *p, const pv_sym *s, wish_list *out)
{
    unsigned spare = ct_held(s->type) == LN_DECIMAL ? steps_digits(s) : 0;
    if (may_be_negative(s)) {
        mt_vec_push(&p->tmp, out, pv_le(p, p->zero, s->v));
    }
    if (spare) {
        mt_vec_push(&p->tmp, out, pv_divisible(p, s->v, spare));
    }
}

/* All together, which is one question, or each by itself. */
static void ask_wishes(wisher *w, const wish_list *wishes)
{
    bool all = wishes->len && can_be(w, wishes->items, (unsigned)wishes->len);
    for (size_t i = 0; i < wishes->len; i++) {
        if (all) {
            Z3_solver_assert(w->p->z, w->s, wishes->items[i]);
        } else {
            (void)granted(w, wishes->items[i]);
        }
    }
}

/* ---- Plain values ---- */

/* What a plain fact set would have here. */
static Z3_ast plain_value(an_prover *p, const pv_sym *s)
{
    const ct_type *t = s->type;
    if (s->plain) {
        return s->plain;
    }
    switch (ct_held(t)) {
    case LN_BOOLEAN: return p->no;
    case LN_CHOICE: return pv_text(p, t->as.values[0]);
    case LN_VARIANT: return pv_text(p, t->as.variants[0].name);
    case LN_TEXT: return pv_text(p, MT_STR(""));
    case LN_TIME: return pv_digits(p, MT_STR(PV_PLAIN_NANOS));
    case LN_INTEGER:
        return ct_is_day(t) ? pv_int(p, PV_PLAIN_DAY)
                            : pv_int(p, t->as.range.min > 0   ? t->as.range.min
                                        : t->as.range.max < 0 ? t->as.range.max
                                                              : 0);
    case LN_DECIMAL:
    case LN_LIST:
    case LN_RECORD: break;
    }
    return pv_int(p, 0);
}

static bool number_of(wisher *w, Z3_ast v, int64_t *out)
{
    Z3_ast now;
    return w->m && Z3_model_eval(w->p->z, w->m, v, true, &now) &&
           Z3_get_numeral_int64(w->p->z, now, out);
}

/* A second of a moment, a cent of an amount: what the distance is counted in. */
static int64_t step_of(const pv_sym *s)
{
    int64_t step = 1;
    unsigned digits = ct_held(s->type) == LN_TIME      ? 9
                      : ct_held(s->type) == LN_DECIMAL ? steps_digits(s)
                                                       : 0;
    for (unsigned i = 0; i < digits && i < 18; i++) {
        step *= 10;
    }
    return step;
}

/* |v - wanted| <= far */
static Z3_ast within(an_prover *p, Z3_ast v, Z3_ast wanted, int64_t far)
{
    Z3_ast d = pv_int(p, far);
    return pv_between(p, v, pv_sub(p, wanted, d), pv_add(p, wanted, d));
}

/* A distance within which there is a value, tried from near to far; 0: none was found.
 */
static int64_t some_distance(wisher *w, Z3_ast v, Z3_ast wanted, int64_t step)
{
    int64_t far = step;
    for (unsigned i = 0; i < FARTHEST; i++) {
        Z3_ast wish = within(w->p, v, wanted, far);
        if (can_be(w, &wish, 1)) {
            return far;
        }
        if (__builtin_mul_overflow(far, (int64_t)10, &far) || far > INT64_MAX / 4) {
            return 0;
        }
    }
    return 0;
}

/* The value nearest to the wanted one, in steps: it is on a boundary of the claim. */
static void go_near(wisher *w, const pv_sym *s, Z3_ast wanted)
{
    int64_t step = step_of(s), far = some_distance(w, s->v, wanted, step), now, goal;
    int64_t near = 0; /* nothing is so near */
    while (far && far - near > step) {
        int64_t middle = near + (far - near) / 2 / step * step;
        middle = middle > near ? middle : near + step;
        Z3_ast wish = within(w->p, s->v, wanted, middle);
        if (!can_be(w, &wish, 1)) {
            near = middle;
        } else {
            far = middle;
            if (number_of(w, s->v, &now) && number_of(w, wanted, &goal)) {
                int64_t reached = now > goal ? now - goal : goal - now;
                far = reached < far && reached > near ? reached : far;
            }
        }
        if (w->tries >= MOST_TRIES) {
            break;
        }
    }
    if (far && granted(w, within(w->p, s->v, wanted, far)) &&
        number_of(w, s->v, &now)) {
        (void)granted(w, pv_eq(w->p, s->v, pv_int(w->p, now)));
    }
}

static void make_plain(wisher *w, const pv_sym *leaf)
{
    Z3_ast wanted = leaf->near ? leaf->near : plain_value(w->p, leaf);
    if (!granted(w, pv_eq(w->p, leaf->v, wanted)) && is_number(leaf)) {
        go_near(w, leaf, wanted);
    }
}

Z3_model pv_make_plain(an_prover *p, Z3_solver s, Z3_model m)
{
    wisher w = {.p = p, .s = s, .m = m};
    wish_list wishes = {0};
    for (size_t i = 0; i < p->leaves.len; i++) {
        if (is_number(p->leaves.items[i])) {
            add_wishes(p, p->leaves.items[i], &wishes);
        }
    }
    ask_wishes(&w, &wishes);
    for (size_t i = 0; w.m && i < p->leaves.len; i++) {
        if (p->leaves.items[i]->plain) {
            (void)granted(&w,
                          pv_eq(p, p->leaves.items[i]->v, p->leaves.items[i]->plain));
        }
    }
    /* A list stands behind its elements. */
    for (size_t i = p->leaves.len; w.m && i-- > 0;) {
        if (ct_held(p->leaves.items[i]->type) == LN_LIST) {
            make_plain(&w, p->leaves.items[i]);
        }
    }
    for (size_t i = 0; w.m && i < p->leaves.len; i++) {
        make_plain(&w, p->leaves.items[i]);
    }
    return w.m;
}

void pv_set_near(an_prover *p, pv_sym *s, const pv_sym *given)
{
    if (!given) {
        return;
    }
    if (s->v && given->v && given->scale <= s->scale) {
        s->near = pv_scaled(p, given, s->scale);
    }
    for (uint32_t i = 0; i < s->count && i < given->count; i++) {
        if (s->parts[i]) {
            pv_set_near(p, s->parts[i], given->parts[i]);
        }
    }
}
