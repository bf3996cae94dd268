/* host/graph_egress_internal.h - what an egress is made of.
 * Room: host. For graph_egress.c, which runs it, and graph_egress_config.c, which reads
 * it; nobody else. */
#ifndef HO_GRAPH_EGRESS_INTERNAL_H
#define HO_GRAPH_EGRESS_INTERNAL_H

#include "host/graph_channel.h"
#include "host/graph_egress.h"

typedef struct ho_route {
    mt_str kind;
    uint32_t channel;
    uint64_t timeout_ms; /* of this route, or the default */
    bool own_timeout;
} ho_route;

struct ho_egress {
    mt_arena arena; /* configuration */
    ho_channel *channels;
    ho_route *routes;
    size_t channel_count, route_count;
    uint64_t default_timeout_ms;
    const char *dead_letters; /* a file; NULL: what cannot be sent ends the run */
    mt_str provenance;
    bool once; /* the caller tries again, and keeps what cannot be sent */
    const volatile sig_atomic_t *stop;
    bool running;
    uint64_t dead; /* letters given up so far */
    mt_arena problem_arena;
    ho_egress_problem problem;
};

#endif
