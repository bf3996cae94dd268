/* runtime/whatif.h - recorded decisions, decided again by another contract.
 * Room: runtime. Reads bodies of ledger records and evaluates; touches no file, store
 * or clock.
 *     record, record, … --rt_whatif_record--> differences, counts
 * An operation on its own is decided again from its facts, persona and the states it
 * found. A flow is kept from its first record to its last and then run again as a
 * whole, from its facts, persona, bindings and states; where others moved its instances
 * while it waited, they are moved at the same step. Facts the old contract filled in
 * take the candidate's default. Facts, verdict names and states are matched by name.
 * Memory: one record, and the records of the flows that are under way.
 * Threads: a replay belongs to one thread; the plan may be shared. */
#ifndef RT_WHATIF_H
#define RT_WHATIF_H

#include "base/limits.h"
#include "contract/flow/plan.h"

/* ORDER of weight: a decision that differs in several ways counts as the first. */
/* clang-format off */
#define RT_WHATIF_MAP(X)                                                              \
    X(MISSING,    "missing",    "the candidate has no such operation or flow")        \
    X(FACTS,      "facts",      "the candidate does not take the facts")              \
    X(EVALUATION, "evaluation", "the candidate's rules have no value")                \
    X(REFUSED,    "refused",    "done, would be refused")                             \
    X(ALLOWED,    "allowed",    "refused, would be done")                             \
    X(OUTCOME,    "outcome",    "another outcome")                                    \
    X(EFFECTS,    "effects",    "instances end in other states")                      \
    X(ERROR,      "error",      "refused for another reason")                         \
    X(STEPS,      "steps",      "other steps to the same end")                        \
    X(VERDICTS,   "verdicts",   "other verdicts, the same decision")
/* clang-format on */

typedef enum rt_whatif_kind {
#define RT_WHATIF_ENUM(name, text, help) RT_WHATIF_##name,
    RT_WHATIF_MAP(RT_WHATIF_ENUM)
#undef RT_WHATIF_ENUM
        RT_WHATIF_KIND_COUNT
} rt_whatif_kind;

/* "refused" and "done, would be refused". */
const char *rt_whatif_kind_name(rt_whatif_kind kind);
const char *rt_whatif_kind_help(rt_whatif_kind kind);

typedef struct rt_whatif_difference {
    uint64_t seq; /* of the operation's record, or of the one that began the flow */
    rt_whatif_kind kind;
    unsigned differs;            /* bit set of kinds */
    bool unnumbered;             /* there is no such record */
    bool is_flow;                /* otherwise an operation on its own */
    mt_str name;                 /* of the flow or operation */
    mt_str execution;            /* of a flow */
    mt_str persona;              /* who asked */
    mt_str was, now;             /* outcome or error type; a flow: outcome or status */
    mt_str step;                 /* of a flow: the first that differs; empty: none */
    mt_str reason;               /* sentences; empty beyond rt_whatif_options.explain */
    const mt_str *lost, *gained; /* verdicts */
    size_t lost_count, gained_count;
} rt_whatif_difference;

typedef struct rt_whatif_options {
    const ct_plan *candidate;
    const mt_limits *limits; /* NULL: the defaults */
    mt_str contract;         /* whose decisions; empty: the candidate's id */
    mt_str etag;             /* of this version only; empty: of any */
    size_t explain;          /* so many differences get reasons */
    uint64_t most_steps;     /* what may take longer to evaluate is not decided again:
                                MT_E_LIMIT; 0: everything is */
    /* Called for each difference; it is valid during the call only. May be NULL. */
    void (*found)(void *state, const rt_whatif_difference *d);
    void *state;
} rt_whatif_options;

typedef struct rt_whatif_counts {
    uint64_t records;           /* given */
    uint64_t operations, flows; /* decided again */
    uint64_t differing;         /* of these */
    uint64_t kinds[RT_WHATIF_KIND_COUNT];
    uint64_t foreign;   /* decisions of other contracts or versions */
    uint64_t orphans;   /* records of flows that began before the first record */
    uint64_t unknown;   /* flows that cannot be decided again: states not recorded */
    uint64_t under_way; /* of `flows`: not ended; what they did so far was compared */
} rt_whatif_counts;

typedef struct rt_whatif rt_whatif;

rt_whatif *rt_whatif_new(const rt_whatif_options *options);
void rt_whatif_free(rt_whatif *w);

/* The next record. Kinds that are no decisions are ignored. MT_E_SYNTAX, MT_E_TYPE,
 * MT_E_LIMIT: the body is not one the executor writes, or too many flows are under way
 * (limit whatif_flows). */
mt_err rt_whatif_record(rt_whatif *w, uint64_t seq, mt_str body);
/* No more records: compares the flows that are under way, in the order they began. */
mt_err rt_whatif_end(rt_whatif *w);

const rt_whatif_counts *rt_whatif_result(const rt_whatif *w);
/* The contract of the first decision that was left out; empty: there was none. */
mt_str rt_whatif_foreign(const rt_whatif *w);

/* {"differs":[…],"kind":…,"now":…,"reason":…,"seq":…,"was":…}; keys sorted. */
void rt_whatif_json(mt_buf *out, const rt_whatif_difference *d);
/* Lines for people. */
void rt_whatif_text(mt_buf *out, const rt_whatif_difference *d);

#endif
