/* slope.c - a primitive of one's own: how steeply a series rises.
 *
 *     cc -shared -fPIC -O2 -ffp-contract=off -o slope.so slope.c
 *
 * The slope of the straight line that fits best (least squares), per element. It
 * depends on nothing but its input, so a capture replays. */
#include <motet.h>

static const char MANIFEST[] =
    "kind: compute\n"
    "id: slope\n"
    "version: 1.0.0\n"
    "summary: The slope of the line that fits a series best, 0.0 for fewer than two.\n"
    "inputs: [{name: series, type: series}]\n"
    "outputs: [{name: result, type: number}]\n";

static double slope_of(const double *y, size_t count)
{
    double middle = ((double)count - 1) / 2, rise = 0, run = 0;
    for (size_t i = 0; i < count; i++) {
        double x = (double)i - middle;
        rise += x * y[i];
        run += x * x;
    }
    return count < 2 ? 0 : rise / run;
}

static bool slope(void *user, motet_call *call)
{
    motet_value series = motet_call_input(call, 0);
    (void)user;
    motet_call_output(call, 0,
                      (motet_value){.type = MOTET_NUMBER,
                                    .number = slope_of(series.series, series.len)});
    return true;
}

static const motet_own_primitive OWN[] = {{MANIFEST, slope, NULL}};
MOTET_OWN_PRIMITIVES(OWN);
