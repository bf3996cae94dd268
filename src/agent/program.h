/* agent/program.h - an agent's registrations, and their compiled form.
 * Room: agent. May include base/ only.
 * ag_agent is what was registered; ag_program adds interned nodes, an index from state
 * to the receivers it makes eligible, and one from receiver nodes to senders, so that
 * neither is found by scanning.
 * Ownership: a program borrows the agent it was compiled from; both are immutable
 * afterwards, so threads may share them. Tapes and cycles borrow the program. */
#ifndef AG_PROGRAM_H
#define AG_PROGRAM_H

#include "agent/hook.h"
#include "base/json_read.h"
#include "base/limits.h"

typedef struct ag_receiver {
    mt_str name, module;
    mt_str text; /* the route as written */
    ag_route route;
    bool parsed; /* compat: false when it does not parse, and then it never fires; or
                    when flow is off, and then routes are labels and everything fires */
    ag_priority priority;
    const mt_json *behaviour; /* for DNA (behaviour.h); NULL: not stated */
} ag_receiver;

typedef struct ag_sender {
    mt_str name, module;
    mt_str text;
    ag_route route;
    bool parsed; /* as for receivers */
    ag_priority priority;
    bool has_actions, has_triggers; /* was the filter given at all? */
    uint8_t actions;                /* bit 1 << ag_action */
    const mt_str *triggers;
    uint32_t trigger_count;
    bool multi, use_data;     /* one message for each item of its answer */
    uint64_t every_ms;        /* a timed sender: fires outside the cycle; 0: no */
    bool once;                /* timed: fires once, every_ms after it was armed */
    bool gated;               /* timed: fires for each key on its route's source only */
    const mt_json *run_while; /* timed: true, false or a condition; NULL: always */
    const mt_json *when_data; /* use_data: a condition on the data; NULL: any data */
    mt_str data_mode;         /* as the SDK calls it; ptr NULL: not said */
    const mt_json *behaviour; /* for DNA (behaviour.h); NULL: not stated */
} ag_sender;

typedef enum ag_shape { AG_SINGLE, AG_MANY, AG_INDEX_SINGLE, AG_INDEX_MANY } ag_shape;
/* "single", "many", "index-single", "index-many". */
const char *ag_shape_name(ag_shape shape);
bool ag_shape_from(mt_str name, ag_shape *out);
static inline bool ag_shape_indexed(ag_shape s)
{
    return s == AG_INDEX_SINGLE || s == AG_INDEX_MANY;
}

/* How a cycle changes the tape. replace: the nodes activated on a key are what it then
 * holds. add: they join what it held. */
typedef enum ag_tape_rule { AG_REPLACE, AG_ADD } ag_tape_rule;

typedef struct ag_agent {
    mt_str name;
    ag_mode mode;
    const ag_styles *styles; /* NULL: the canonical one */
    bool flow_off;           /* compat: routes are labels, everything runs */
    ag_tape_rule rule;
    const ag_receiver *receivers;
    const ag_sender *senders;
    const ag_hook *hooks;
    uint32_t receiver_count, sender_count, hook_count;
    const mt_json
        *settings; /* for DNA: tape, memory, … (behaviour.h); NULL: not stated */
    const mt_json *others; /* from DNA of other libraries: what registers nothing */
    uint32_t other_count;
} ag_agent;

/* What a registration is known by: its canonical route, or the text as written where
 * the route does not parse or, with flow off, is a label. */
mt_str ag_known_route(bool parsed, const ag_route *route, mt_str text);
/* Why a route of this agent is not parsed, in words for people. */
const char *ag_why_unparsed(const ag_agent *agent);

/* A timed sender with filters: it fires only once an outcome has armed it (timers.h).
 */
bool ag_sender_waits(const ag_agent *agent, const ag_sender *s);

typedef struct ag_program ag_program;

/* `limits` NULL: the defaults. Release with ag_program_free(). */
ag_program *ag_program_new(const ag_agent *agent, const mt_limits *limits);
void ag_program_free(ag_program *p);
const ag_agent *ag_program_agent(const ag_program *p);

/* Compiled nodes. A symbol is a known node; AG_UNKNOWN is any other plain state. */
typedef uint32_t ag_symbol;
#define AG_UNKNOWN ((ag_symbol)-1)
/* AG_UNKNOWN for text that no route mentions. */
ag_symbol ag_program_symbol(const ag_program *p, mt_str canonical);

/* A compiled gate: one table lookup per question. Symbols below form_count are forms,
 * the others plain names. */
typedef struct ag_gate {
    const uint64_t *bits;  /* answers for symbols low .. low + width - 1 */
    const uint64_t *forms; /* answers for forms */
    uint32_t low, width, form_count;
    bool otherwise; /* for every other name, AG_UNKNOWN too */
} ag_gate;

/* Its answers, by symbol. */
const ag_gate *ag_program_gate(const ag_program *p, ag_symbol gate);

/* Without branches: both kinds of symbol take the same steps. A row of bits has at
 * least one word. */
static inline bool ag_gate_accepts(const ag_gate *g, ag_symbol state)
{
    bool form = state < g->form_count;
    const uint64_t *bits = form ? g->forms : g->bits;
    uint32_t at = state - (form ? 0 : g->low);
    bool known = at < (form ? g->form_count : g->width);
    uint64_t bit = bits[known ? at >> 6 : 0] >> (at & 63);
    return (known ? bit : (uint64_t)g->otherwise) & 1;
}

#endif
