/* agent/trace.h - normalized traces: what a scenario did, in canonical JSON.
 * Room: agent. May include base/ only.
 * One JSON line per record: a header (mode, profile id, tape rule, order rule, what is
 * compared), one per message, one at the end. docs/agents.md has every field. */
#ifndef AG_TRACE_H
#define AG_TRACE_H

#include "agent/cycle.h"

/* {"trace":"motet-agent-trace/1", …}: what the trace is about. */
void ag_trace_header(mt_buf *out, const ag_agent *agent, ag_shape shape);
/* One line per registration: text, parts, canonical form; unparsed ones say so. */
void ag_trace_routes(mt_buf *out, const ag_agent *agent);
/* Call after begin with the tape still untouched, then after the cycle. */
void ag_trace_before(mt_buf *out, const ag_tape *tape);
void ag_trace_cycle(mt_buf *out, uint32_t number, mt_str tape_before,
                    const ag_program *p, const ag_cycle *c, const ag_tape *after);
void ag_trace_end(mt_buf *out, const ag_tape *tape);

typedef struct ag_compare {
    bool final;         /* final tape and multiset of emissions only */
    const mt_str *only; /* project on these nodes; count 0: no projection */
    size_t only_count;
} ag_compare;

/* Reads two traces. MT_OK and *same; when they part, *where says at which record and
 * field (in `a`). MT_E_SYNTAX: *where names the trace that is malformed. */
mt_err ag_trace_compare(mt_arena *a, mt_str left, mt_str right, const ag_compare *how,
                        bool *same, mt_str *where);

/* The machine-readable conformance statement. */
void ag_statement(mt_buf *out, bool pretty);

#endif
