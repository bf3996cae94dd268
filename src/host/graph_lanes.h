/* host/graph_lanes.h - one context, clock and windows for each value of a key.
 * Room: host. A graph whose adapter has `key:` keeps a lane per value of that payload
 * field. A lane is small (about 100 bytes and 24 for each value it holds), because
 * there are a million of them; what only some need is allocated where it is needed.
 * Ownership: ho_lanes_free() frees the lanes and what they own. Threads: one. */
#ifndef HO_GRAPH_LANES_H
#define HO_GRAPH_LANES_H

#include "graph/supervisor.h"
#include "host/graph_context.h"
#include "host/graph_windows.h"

typedef struct ho_lanes ho_lanes;

typedef struct ho_lane {
    ho_lanes *all;
    gr_supervisor_clock clock;  /* while the lane has no supervisor of its own */
    gr_supervisor *supervisor;  /* NULL: nothing is ever held back */
    ho_windows *windows;        /* NULL: none, or not yet */
    struct ho_lane_slot *slots; /* the context */
    uint32_t slot_count;
    uint32_t key_len;
    uint32_t
        waits;  /* its place among those in which something waits, from 1; 0: none */
    char key[]; /* not terminated */
} ho_lane;

ho_lanes *ho_lanes_new(void);
void ho_lanes_free(ho_lanes *lanes);
/* The lane of `key`, a new one if it was not there. */
ho_lane *ho_lane_of(ho_lanes *lanes, mt_str key);
size_t ho_lanes_count(const ho_lanes *lanes);
/* After a step of the lane: when the first of what waits in its supervisor may run. */
void ho_lane_waits(ho_lane *lane);
/* The lane in which something waits that may run first, of equal ones that with the
 * least key; NULL: nothing waits. */
ho_lane *ho_lanes_first(const ho_lanes *lanes);
/* The context of a lane; it lives as long as the lane does. */
ho_context ho_lane_context(ho_lane *lane);

#endif
