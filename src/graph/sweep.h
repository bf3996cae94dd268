/* graph/sweep.h - a pass over a large graph in runs of equal steps.
 * Room: graph. Internal to it.
 * The order of a pass shows only in the order of effects and in which fault is first.
 * So everything but Actions may run level by level, equal steps together, which costs a
 * fraction of jumping from op to op; Actions follow in their own order. When a step
 * cannot give a finite result the sweep only says so, and the executor runs the pass
 * again in the specified order to find the first fault. */
#ifndef GR_SWEEP_H
#define GR_SWEEP_H

#include "graph/compile.h"

/* Graphs below this size gain nothing. */
enum { GR_SWEEP_LEAST = 48 };

/* Runs everything but Actions. False: some step failed. `scratch` holds new series. */
bool gr_sweep(const gr_code *code, gr_value *slots, const gr_value *context,
              mt_arena *scratch);

#endif
