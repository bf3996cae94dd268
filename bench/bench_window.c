/* What a number costs in a window, and whether that grows with the window's length. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "graph/window.h"

typedef struct load {
    gr_window *window;
    uint64_t at, seed;
} load;

static double next_number(load *l)
{
    l->seed = l->seed * 6364136223846793005u + 1442695040888963407u;
    return 100 + (double)(l->seed >> 40) / 65536.0;
}

static void numbers(void *state, uint64_t n)
{
    load *l = state;
    for (uint64_t i = 0; i < n; i++) {
        double x = next_number(l), said = 0;
        gr_window_add(l->window, gr_time_of_ms(l->at++), &x);
        (void)gr_window_value(l->window, &said);
        bench_keep(&said);
    }
}

/* Filled first, so that every number pushes one out. */
static double cost(gr_take take, uint32_t length, double q)
{
    gr_window_decl d = {.take = take, .events = length, .q = q, .most = length};
    load l = {.window = gr_window_new(&d), .at = 1, .seed = 7};
    numbers(&l, length);
    double ns = bench_ns(numbers, &l);
    gr_window_free(l.window);
    return ns;
}

/* The worst of count, min, max and mean: its cost at 10,000 against that at 10. */
int main(void)
{
    static const gr_take FLAT[] = {GR_TAKE_COUNT, GR_TAKE_MIN, GR_TAKE_MAX,
                                   GR_TAKE_MEAN};
    double worst = 0, at_worst = 0, at_ten = 1;
    for (size_t i = 0; i < sizeof FLAT / sizeof *FLAT; i++) {
        double ten = cost(FLAT[i], 10, 0), many = cost(FLAT[i], 10000, 0);
        fprintf(stderr, "%s: %.1f ns at 10, %.1f ns at 10,000\n", gr_take_name(FLAT[i]),
                ten, many);
        if (many / ten > worst) {
            worst = many / ten;
            at_worst = many;
            at_ten = ten;
        }
    }
    bench_report("graph.window", at_worst, "ns per number, window of 10,000",
                 "window of 10", at_ten, at_ten * 1.5, BENCH_LOWER);
    bench_report("graph.window_quantile", cost(GR_TAKE_QUANTILE, 10000, 0.95),
                 "ns per number, window of 10,000", "window of 10",
                 cost(GR_TAKE_QUANTILE, 10, 0.95), NAN, BENCH_LOWER);
    bench_report("graph.window_variance", cost(GR_TAKE_VARIANCE, 10000, 0),
                 "ns per number, window of 10,000", "window of 10",
                 cost(GR_TAKE_VARIANCE, 10, 0), NAN, BENCH_LOWER);
    return 0;
}
