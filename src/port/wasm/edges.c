/* port/wasm/edges.c - egress and journals of graphs, of which a page has none. Nothing
 * here makes one, so that whoever has one to call with is our fault. */
#include "host/graph_egress.h"
#include "host/graph_journal.h"

#pragma clang diagnostic ignored "-Wunused-parameter"

#define NEVER(type, name, ...)                                                         \
    type name(__VA_ARGS__)                                                             \
    {                                                                                  \
        MT_BUG("a page has no egress and no journal");                                 \
    }

/* clang-format off */
NEVER(mt_str, ho_egress_provenance, const ho_egress *e)
NEVER(bool, ho_egress_routes, const ho_egress *e, mt_str kind)
NEVER(size_t, ho_egress_route_count, const ho_egress *e)
NEVER(mt_str, ho_egress_route_at, const ho_egress *e, size_t index)
NEVER(void, ho_egress_stop_when, ho_egress *e, const volatile sig_atomic_t *stop)
NEVER(mt_err, ho_egress_start, ho_egress *e)
NEVER(mt_err, ho_egress_send, ho_egress *e, mt_arena *a, const gr_intent *intent,
      gr_capture_ack *ack)
NEVER(mt_err, ho_egress_stop, ho_egress *e)
NEVER(ho_egress_problem, ho_egress_last_problem, const ho_egress *e)
NEVER(mt_buf *, ho_journal_line, ho_journal *j)
NEVER(mt_err, ho_journal_commit, ho_journal *j)
NEVER(mt_err, ho_journal_sync, ho_journal *j)
NEVER(mt_err, ho_journal_flush, ho_journal *j)
NEVER(mt_err, ho_journal_idle, ho_journal *j)
NEVER(mt_err, ho_journal_close, ho_journal *j)
/* clang-format on */
