/* Windows against a naive recomputation by their definition: all numbers of the window
 * are added up, squared and sorted anew for each event, in whole numbers of any length
 * that share no code with the sums under test. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "graph/exact.h"
#include "graph/ranks.h"
#include "graph/window.h"

/* ---- whole numbers, the simplest way ---- */

/* Digits of 16 bits, least first: sign and magnitude. */
enum { DIGITS = 700 };
typedef struct big {
    uint32_t d[DIGITS];
    int len;
    bool negative;
} big;

static void big_trim(big *a)
{
    while (a->len && !a->d[a->len - 1]) {
        a->len--;
    }
}

static int big_cmp(const big *a, const big *b)
{
    if (a->len != b->len) {
        return a->len < b->len ? -1 : 1;
    }
    for (int i = a->len; i-- > 0;) {
        if (a->d[i] != b->d[i]) {
            return a->d[i] < b->d[i] ? -1 : 1;
        }
    }
    return 0;
}

static uint32_t digit(const big *a, int i)
{
    return i < a->len ? a->d[i] : 0;
}

/* |a| + |b| */
static big big_sum(const big *a, const big *b)
{
    big out = {.len = (a->len > b->len ? a->len : b->len) + 1};
    uint32_t carry = 0;
    for (int i = 0; i < out.len; i++) {
        carry += digit(a, i) + digit(b, i);
        out.d[i] = carry & 0xffff;
        carry >>= 16;
    }
    big_trim(&out);
    return out;
}

/* |a| - |b|, where |a| is not less */
static big big_difference(const big *a, const big *b)
{
    big out = {.len = a->len};
    int32_t borrow = 0;
    for (int i = 0; i < out.len; i++) {
        int32_t v = (int32_t)a->d[i] - (int32_t)digit(b, i) - borrow;
        borrow = v < 0;
        out.d[i] = (uint32_t)(v + (borrow << 16));
    }
    big_trim(&out);
    return out;
}

static big big_add(const big *a, const big *b)
{
    big out;
    if (a->negative == b->negative) {
        out = big_sum(a, b);
        out.negative = a->negative;
    } else {
        bool more = big_cmp(a, b) >= 0;
        out = more ? big_difference(a, b) : big_difference(b, a);
        out.negative = (more ? a : b)->negative;
    }
    return out;
}

static big big_times(const big *a, const big *b)
{
    big out = {.len = a->len + b->len, .negative = a->negative != b->negative};
    assert_true(out.len <= DIGITS);
    for (int i = 0; i < a->len; i++) {
        uint64_t carry = 0;
        for (int k = 0; k < b->len || carry; k++) {
            carry += out.d[i + k] + (uint64_t)a->d[i] * digit(b, k);
            out.d[i + k] = carry & 0xffff;
            carry >>= 16;
        }
    }
    big_trim(&out);
    return out;
}

static big big_shifted(const big *a, int bits)
{
    big out = {.negative = a->negative, .len = a->len + bits / 16 + 1};
    assert_true(out.len <= DIGITS);
    for (int i = 0; i < a->len; i++) {
        uint32_t v = a->d[i] << (bits % 16);
        out.d[i + bits / 16] |= v & 0xffff;
        out.d[i + bits / 16 + 1] = v >> 16;
    }
    big_trim(&out);
    return out;
}

static big big_of(uint64_t n)
{
    big out = {.len = 4};
    for (int i = 0; i < 4; i++) {
        out.d[i] = n >> (16 * i) & 0xffff;
    }
    big_trim(&out);
    return out;
}

/* x in units of 2^-1074 */
static big big_of_double(double x)
{
    int e;
    double f = frexp(fabs(x), &e);
    int shift = e - 53 + 1074;
    big m = big_of((uint64_t)ldexp(f, 53));
    if (shift < 0) { /* its last bits are zero */
        m = big_of((uint64_t)ldexp(f, 53) >> -shift);
        shift = 0;
    }
    big out = big_shifted(&m, shift);
    out.negative = x < 0;
    return out;
}

/* The double nearest to (a / by) * 2^-unit, found by asking of each double whether the
 * quotient is beyond the middle between it and the next: a search over doubles. */
static bool is_at_most(const big *a, const big *by, int unit, uint64_t rank_low)
{
    /* middle = (x + next(x)) / 2 = (2 m + 1) * 2^(e - 1) for |x| = m * 2^e */
    double x = gr_rank_value(rank_low | (uint64_t)1 << 63);
    int e;
    double f = frexp(x, &e);
    int low = e - 53 < -1074 ? -1074 : e - 53;
    uint64_t m = x == 0 ? 0 : (uint64_t)ldexp(f, e - low);
    low = x == 0 ? -1074 : low;
    big twice = big_of(2 * m + 1);
    big right = big_times(&twice, by);
    right = big_shifted(&right, low - 1 + 2148 + 1);
    big left = big_shifted(a, 2148 + 1 - unit);
    int order = big_cmp(&left, &right);
    return order < 0 || (order == 0 && !(m & 1));
}

static double nearest_to(const big *a, const big *by, int unit)
{
    uint64_t low = 0, high = (uint64_t)0x7ff << 52; /* infinity */
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (is_at_most(a, by, unit, middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    double x = gr_rank_value(low | (uint64_t)1 << 63);
    return a->negative ? -x : x;
}

/* ---- the naive window ---- */

typedef struct seen {
    gr_time at;
    double x;
    bool there; /* it has a number */
} seen;

enum { LONGEST = 64 };

static int by_rank(const void *a, const void *b)
{
    uint64_t x = gr_rank_of(*(const double *)a), y = gr_rank_of(*(const double *)b);
    return (x > y) - (x < y);
}

static int64_t ns(gr_time t)
{
    return (int64_t)t.secs * 1000000000 + t.nanos;
}

/* The numbers in the window after the events so far, in no order. */
static int numbers_in(const gr_window_decl *d, const seen *events, int count,
                      double *out)
{
    int n = 0;
    if (d->events) {
        for (int i = count; i-- > 0 && n < (int)d->events;) {
            if (events[i].there) {
                out[n++] = events[i].x;
            }
        }
        return n;
    }
    int64_t now = 0;
    bool taken[LONGEST] = {0};
    for (int i = 0; i < count; i++) {
        now = ns(events[i].at) > now ? ns(events[i].at) : now;
        taken[i] = events[i].there &&
                   ns(events[i].at) + (int64_t)d->lateness_ms * 1000000 >= now;
    }
    for (int i = 0; i < count; i++) {
        if (taken[i] && ns(events[i].at) + (int64_t)d->span_ms * 1000000 > now) {
            out[n++] = events[i].x;
        }
    }
    return n;
}

static double naive_sum(const double *x, int n, uint64_t by)
{
    big total = {0}, divisor = big_of(by);
    for (int i = 0; i < n; i++) {
        big one = big_of_double(x[i]);
        total = big_add(&total, &one);
    }
    return total.len ? nearest_to(&total, &divisor, 1074) : 0;
}

static double naive_variance(const double *x, int n)
{
    big total = {0}, squares = {0}, count = big_of((uint64_t)n);
    for (int i = 0; i < n; i++) {
        big one = big_of_double(x[i]);
        big square = big_times(&one, &one);
        total = big_add(&total, &one);
        squares = big_add(&squares, &square);
    }
    big left = big_times(&count, &squares), right = big_times(&total, &total);
    right.negative = true;
    big spread = big_add(&left, &right);
    big divisor = big_of((uint64_t)n * (uint64_t)(n - 1));
    return spread.len ? nearest_to(&spread, &divisor, 2148) : 0;
}

/* The least number with at least the part q at or below it. q is a hundredth. */
static double naive_quantile(double *x, int n, int hundredths)
{
    qsort(x, (size_t)n, sizeof *x, by_rank);
    /* q is the double nearest to hundredths / 100: exact products of it are compared in
     * long double, which holds 64 bits; n is small. */
    long double q = (double)hundredths / 100.0;
    int k = 1;
    while (k < n && (long double)k < q * n) {
        k++;
    }
    return x[k - 1];
}

/* False: it says nothing. */
static bool naive(const gr_window_decl *d, const seen *events, int count, double *out)
{
    double x[LONGEST];
    if (d->take == GR_TAKE_EMA || d->take == GR_TAKE_LAG) {
        int n = 0;
        double average = 0;
        for (int i = 0; i < count; i++) {
            if (events[i].there) {
                average =
                    n ? d->alpha * events[i].x + (1 - d->alpha) * average : events[i].x;
                x[n++] = events[i].x;
            }
        }
        bool lag = d->take == GR_TAKE_LAG;
        bool there = lag ? n > (int)d->back : n > 0;
        *out = !there ? 0 : lag ? x[n - 1 - (int)d->back] : average;
        return there;
    }
    int n = numbers_in(d, events, count, x);
    switch (d->take) {
    case GR_TAKE_COUNT: *out = n; return true;
    case GR_TAKE_RATE: *out = n / ((double)d->span_ms / 1000.0); return true;
    case GR_TAKE_SUM: *out = naive_sum(x, n, 1); return isfinite(*out);
    case GR_TAKE_VARIANCE:
    case GR_TAKE_DEVIATION:
        *out = n < 2 ? 0 : naive_variance(x, n);
        *out = d->take == GR_TAKE_DEVIATION ? sqrt(*out) : *out;
        return n >= 2 && isfinite(*out);
    case GR_TAKE_MEAN: *out = n ? naive_sum(x, n, (uint64_t)n) : 0; return n > 0;
    case GR_TAKE_QUANTILE:
        *out = n ? naive_quantile(x, n, (int)(d->q * 100 + 0.5)) : 0;
        return n > 0;
    case GR_TAKE_MIN:
    case GR_TAKE_MAX:
        qsort(x, (size_t)n, sizeof *x, by_rank);
        *out = !n ? 0 : d->take == GR_TAKE_MIN ? x[0] : x[n - 1];
        return n > 0;
    case GR_TAKE_LAG:
    case GR_TAKE_EMA:
    case GR_TAKE_EQUALS:
    case GR_TAKE_IN: break;
    }
    fail_msg("not a window of numbers");
    return false;
}

/* ---- random series ---- */

static uint64_t state_of_random;

static uint64_t next_random(void)
{
    uint64_t z = state_of_random += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static uint32_t below(uint32_t n)
{
    return (uint32_t)(next_random() % n);
}

/* Prices, whole numbers, both zeros, tiny and huge ones, any bits at all. */
static double random_number(uint32_t flavour)
{
    double x;
    uint64_t bits;
    switch (flavour) {
    case 0: return 100 + below(10000) / 100.0;
    case 1: return (int)below(7) - 3;
    case 2: return below(2) ? 0.0 : -0.0;
    case 3: return ldexp((double)below(1000) - 500, (int)below(200) - 1074);
    case 4: return ldexp((double)below(1000) - 500, 1000 + (int)below(15));
    default: break;
    }
    do {
        bits = next_random();
        memcpy(&x, &bits, sizeof x);
    } while (!isfinite(x));
    return x;
}

static gr_window_decl random_window(void)
{
    static const uint32_t HUNDREDTHS[] = {0, 1, 25, 33, 50, 75, 90, 95, 99, 100};
    gr_window_decl d = {.take = (gr_take)below(GR_TAKE_QUANTILE + 1), .most = 1000};
    bool by_time = d.take == GR_TAKE_RATE || below(2);
    d.events = by_time ? 0 : 1 + below(12);
    d.span_ms = 1 + below(5000);
    d.lateness_ms = below(3) ? 0 : below(3000);
    d.back = 1 + below(8);
    d.alpha = (1 + below(100)) / 100.0;
    d.q = HUNDREDTHS[below(10)] / 100.0;
    return d;
}

static void random_series(seen *events, int count)
{
    uint64_t now = 1000000 + below(1000000);
    uint32_t flavour = below(7);
    for (int i = 0; i < count; i++) {
        now += below(4) ? below(900) : 0;
        uint64_t late = below(5) ? 0 : below(4000);
        events[i] =
            (seen){gr_time_of_ms(now - late),
                   random_number(flavour == 6 ? below(6) : flavour), below(10) != 0};
    }
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static gr_window *saved_and_read(gr_window *w, const gr_window_decl *d)
{
    mt_arena a = {0};
    mt_buf text = {0};
    mt_jw out = mt_jw_start(&text, false);
    gr_window_save(w, &out);
    mt_json node;
    assert_int_equal(mt_json_read(&a, mt_buf_str(&text), NULL, &node, NULL), MT_OK);
    gr_window_free(w);
    w = gr_window_new(d);
    assert_true(gr_window_load(w, &node));
    mt_buf_free(&text);
    mt_arena_free(&a);
    return w;
}

static void one_series(uint64_t number)
{
    seen events[LONGEST];
    gr_window_decl d = random_window();
    int count = 1 + (int)below(LONGEST - 1);
    int saved = below(4) ? -1 : (int)below((uint32_t)count);
    gr_window *w = gr_window_new(&d);
    random_series(events, count);
    for (int i = 0; i < count; i++) {
        double said, wanted;
        gr_window_add(w, events[i].at, events[i].there ? &events[i].x : NULL);
        w = i == saved ? saved_and_read(w, &d) : w;
        bool says = gr_window_value(w, &said);
        bool wants = naive(&d, events, i + 1, &wanted);
        if (says != wants || (says && !same_bits(said, wanted))) {
            fail_msg("series %llu, event %d, %s over %u or %llu ms: %d %a, not %d %a",
                     (unsigned long long)number, i, gr_take_name(d.take), d.events,
                     (unsigned long long)d.span_ms, says, said, wants, wanted);
        }
    }
    gr_window_free(w);
}

static void windows_say_what_a_naive_recomputation_says(void **state)
{
    (void)state;
    const char *seed = getenv("MOTET_SEED");
    uint64_t series = getenv("MOTET_SOAK") ? 100000 : 1000;
    state_of_random = seed ? strtoull(seed, NULL, 10) : 1;
    for (uint64_t i = 0; i < series; i++) {
        one_series(i);
    }
}

/* ---- edges ---- */

static double mean_of(const double *x, size_t n)
{
    gr_sum s = {{0}};
    for (size_t i = 0; i < n; i++) {
        gr_sum_add(&s, x[i]);
    }
    return gr_sum_over(&s, n);
}

static void a_sum_is_exact_until_it_is_read(void **state)
{
    (void)state;
    gr_sum s = {{0}};
    double x[] = {1e308, 1.0, 5e-324, -1e308, 1e308, -1e308};
    for (size_t i = 0; i < 6; i++) {
        gr_sum_add(&s, x[i]);
    }
    assert_true(gr_sum_over(&s, 1) == 1.0);
    gr_sum_take(&s, 1.0);
    assert_true(gr_sum_over(&s, 1) == 5e-324);
    gr_sum_take(&s, 5e-324);
    assert_true(same_bits(gr_sum_over(&s, 1), 0.0));
    gr_sum_add(&s, -5e-324);
    assert_true(gr_sum_over(&s, 1) == -5e-324);
    assert_true(same_bits(gr_sum_over(&s, 2), -0.0)); /* half of it goes to even */
    double top[] = {1.7976931348623157e308, 1.7976931348623157e308};
    assert_true(mean_of(top, 2) == top[0]);
    gr_sum_add(&s, top[0]);
    gr_sum_add(&s, top[1]);
    assert_true(isinf(gr_sum_over(&s, 1)));
    double tenths[] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
    assert_true(mean_of(tenths, 10) == 0.1);
}

static void ranks_stay_in_order_whatever_comes(void **state)
{
    (void)state;
    enum { MANY = 3000 };
    gr_ranks r = {0};
    for (int i = 0; i < MANY; i++) { /* ascending: the worst case of a plain tree */
        gr_ranks_add(&r, i / 3);
    }
    assert_int_equal(gr_ranks_count(&r), MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_true(gr_ranks_at(&r, i) == i / 3);
    }
    for (int i = 0; i < MANY; i += 2) {
        gr_ranks_take(&r, i / 3);
    }
    assert_int_equal(gr_ranks_count(&r), MANY / 2);
    for (uint32_t i = 0; i < MANY / 2; i++) {
        assert_true(gr_ranks_at(&r, i) == (2 * i + 1) / 3);
    }
    gr_ranks_free(&r);
}

static void a_window_by_time_keeps_at_most_so_many(void **state)
{
    (void)state;
    gr_window_decl d = {.take = GR_TAKE_MIN, .span_ms = 1000, .most = 3};
    gr_window *w = gr_window_new(&d);
    double said;
    for (int i = 0; i < 5; i++) {
        double x = i;
        gr_window_add(w, gr_time_of_ms(10), &x);
        assert_true(gr_window_value(w, &said));
        assert_true(said == (i < 3 ? 0 : i - 2));
    }
    gr_window_free(w);
}

static void a_window_ends_where_its_span_does(void **state)
{
    (void)state;
    gr_window_decl d = {
        .take = GR_TAKE_COUNT, .span_ms = 1000, .lateness_ms = 500, .most = 10};
    gr_window *w = gr_window_new(&d);
    double x = 1, said;
    static const struct {
        uint64_t ms;
        double count;
    } ROWS[] = {{1000, 1}, {1999, 2}, {2000, 2}, /* the first has just left */
                {1500, 3},                       /* late, and not too late */
                {1499, 3},                       /* too late */
                {2500, 3}};                      /* 1999, 2000 and itself */
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        gr_window_add(w, gr_time_of_ms(ROWS[i].ms), &x);
        assert_true(gr_window_value(w, &said));
        assert_true(said == ROWS[i].count);
    }
    gr_window_add(w, gr_time_of_ms(9000), NULL); /* time goes on without a number */
    assert_true(gr_window_value(w, &said) && said == 0);
    gr_window_free(w);
}

static void what_is_not_a_window_is_not_read(void **state)
{
    (void)state;
    static const char *const BAD[] = {
        "{}",
        "{\"now\":[1,2]}",
        "{\"now\":[1],\"numbers\":[]}",
        "{\"now\":[-1,0],\"numbers\":[]}",
        "{\"now\":[0,1000000000],\"numbers\":[]}",
        "{\"now\":[0,0],\"numbers\":[[0,0]]}",
        "{\"now\":[0,0],\"numbers\":[[0,0,\"x\"]]}",
        "{\"average\":true,\"now\":[0,0],\"numbers\":[]}"};
    gr_window_decl d = {.take = GR_TAKE_MEAN, .events = 3};
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        mt_arena a = {0};
        mt_json node;
        gr_window *w = gr_window_new(&d);
        assert_int_equal(mt_json_read(&a, mt_str_z(BAD[i]), NULL, &node, NULL), MT_OK);
        assert_false(gr_window_load(w, &node));
        gr_window_free(w);
        mt_arena_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_say_what_a_naive_recomputation_says),
        cmocka_unit_test(a_sum_is_exact_until_it_is_read),
        cmocka_unit_test(ranks_stay_in_order_whatever_comes),
        cmocka_unit_test(a_window_by_time_keeps_at_most_so_many),
        cmocka_unit_test(a_window_ends_where_its_span_does),
        cmocka_unit_test(what_is_not_a_window_is_not_read),
    };
    return cmocka_run_group_tests_name("graph/window", tests, NULL, NULL);
}
