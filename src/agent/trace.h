/* agent/trace.h - normalized traces: what a scenario did, in canonical JSON.
 * Room: agent. May include base/ only.
 * One JSON object per line, keys sorted: a header (mode, profile id, tape rule, order,
 * what is compared), one per registration's route, one per message, one at the end.
 * docs/reference/agents.md lists every field. */
#ifndef AG_TRACE_H
#define AG_TRACE_H

#include "agent/cycle.h"

#define AG_TRACE_FORMAT "motet-agent-trace/1"

/* Header and routes: what the trace is about. */
void ag_trace_begin(mt_buf *out, const ag_agent *agent, ag_shape shape);
/* The canonical text of a tape, to be taken before the message and handed back. */
mt_str ag_trace_tape(mt_arena *a, const ag_tape *tape);
/* One message, after its cycle; `number` counts from 1. */
void ag_trace_message(mt_buf *out, uint32_t number, mt_str tape_before,
                      const ag_program *p, const ag_cycle *c, const ag_tape *after);
/* The same for an agent at work: also when it came and what it was, for those who want
 * to see a conversation (chart.h). Neither is compared. */
typedef struct ag_heard {
    mt_str at;              /* "2026-01-31T12:00:00.000Z" */
    const mt_json *payload; /* as handlers are given it */
} ag_heard;
void ag_trace_heard(mt_buf *out, uint32_t number, mt_str tape_before,
                    const ag_program *p, const ag_cycle *c, const ag_tape *after,
                    const ag_heard *heard);
/* A timed sender fired; `sent` is one message of it after the hooks. */
void ag_trace_tick(mt_buf *out, mt_str at, mt_str sender, const mt_json *sent);
void ag_trace_end(mt_buf *out, const ag_tape *tape, uint32_t messages);

typedef struct ag_compare {
    bool final;         /* final tape and multiset of emissions only */
    const mt_str *only; /* project on these nodes; count 0: no projection */
    size_t only_count;
} ag_compare;

/* Reads two traces. MT_OK and *same; when they part, *where says at which record and
 * field (in `a`). MT_E_SYNTAX: *where says which trace is malformed. */
mt_err ag_trace_compare(mt_arena *a, mt_str left, mt_str right, const ag_compare *how,
                        bool *same, mt_str *where);

/* The machine-readable conformance statement. */
void ag_statement(mt_buf *out, bool pretty);

#endif
