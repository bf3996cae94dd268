/* whatif/whatif.h - recorded decisions, decided again by another contract.
 * Room: whatif. Reads bodies of ledger records and evaluates; touches no file, store
 * or clock.
 *     record, record, … --wi_whatif_record--> differences, counts
 * An operation on its own is decided again from its facts, persona and the states it
 * found. A flow is kept from its first record to its last and then run again as a
 * whole, from its facts, persona, bindings and states; where others moved its instances
 * while it waited, they are moved at the same step. Facts the old contract filled in
 * take the candidate's default. Facts, verdict names and states are matched by name.
 * Memory: one record, and the records of the flows that are under way.
 * Threads: a replay belongs to one thread; the plan may be shared. */
#ifndef WI_WHATIF_H
#define WI_WHATIF_H

#include "base/limits.h"
#include "contract/flow/plan.h"

/* ORDER of weight: a decision that differs in several ways counts as the first. */
/* clang-format off */
#define WI_WHATIF_MAP(X)                                                              \
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

typedef enum wi_whatif_kind {
#define WI_WHATIF_ENUM(name, text, help) WI_WHATIF_##name,
    WI_WHATIF_MAP(WI_WHATIF_ENUM)
#undef WI_WHATIF_ENUM
        WI_WHATIF_KIND_COUNT
} wi_whatif_kind;

/* "refused" and "done, would be refused". */
const char *wi_whatif_kind_name(wi_whatif_kind kind);
const char *wi_whatif_kind_help(wi_whatif_kind kind);

typedef struct wi_whatif_difference {
    uint64_t seq; /* of the operation's record, or of the one that began the flow */
    wi_whatif_kind kind;
    unsigned differs;            /* bit set of kinds */
    bool unnumbered;             /* there is no such record */
    bool is_flow;                /* otherwise an operation on its own */
    mt_str name;                 /* of the flow or operation */
    mt_str execution;            /* of a flow */
    mt_str persona;              /* who asked */
    mt_str was, now;             /* outcome or error type; a flow: outcome or status */
    mt_str step;                 /* of a flow: the first that differs; empty: none */
    mt_str reason;               /* sentences; empty beyond wi_whatif_options.explain */
    const mt_str *lost, *gained; /* verdicts */
    size_t lost_count, gained_count;
} wi_whatif_difference;

typedef struct wi_whatif_options {
    const ct_plan *candidate;
    const mt_limits *limits; /* NULL: the defaults */
    mt_str contract;         /* whose decisions; empty: the candidate's id */
    mt_str etag;             /* of this version only; empty: of any */
    size_t explain;          /* so many differences get reasons */
    uint64_t most_steps;     /* what may take longer to evaluate is not decided again:
                                MT_E_LIMIT; 0: everything is */
    /* Called for each difference; it is valid during the call only. May be NULL. */
    void (*found)(void *state, const wi_whatif_difference *d);
    void *state;
} wi_whatif_options;

typedef struct wi_whatif_counts {
    uint64_t records;           /* given */
    uint64_t operations, flows; /* decided again */
    uint64_t differing;         /* of these */
    uint64_t kinds[WI_WHATIF_KIND_COUNT];
    uint64_t foreign;   /* decisions of other contracts or versions */
    uint64_t asked;     /* decisions given to who asked (AuthZEN): not decided again */
    uint64_t orphans;   /* records of flows that began before the first record */
    uint64_t unknown;   /* flows that cannot be decided again: states not recorded */
    uint64_t under_way; /* of `flows`: not ended; what they did so far was compared */
} wi_whatif_counts;

typedef struct wi_whatif wi_whatif;

/* The candidate is borrowed. Records then come in ledger order. */
wi_whatif *wi_whatif_new(const wi_whatif_options *options);
void wi_whatif_free(wi_whatif *w);

/* The next record. Kinds that are not decisions are ignored. MT_E_SYNTAX, MT_E_TYPE,
 * MT_E_LIMIT: the body is not one the executor writes, or too many flows are under way
 * (limit whatif_flows). */
mt_err wi_whatif_record(wi_whatif *w, uint64_t seq, mt_str body);
/* No more records: compares the flows that are under way, in the order they began. */
mt_err wi_whatif_end(wi_whatif *w);

/* So far; final after wi_whatif_end(). */
const wi_whatif_counts *wi_whatif_result(const wi_whatif *w);
/* The contract of the first decision that was left out; empty: there was none. */
mt_str wi_whatif_foreign(const wi_whatif *w);

/* {"differs":[…],"kind":…,"now":…,"reason":…,"seq":…,"was":…}; keys sorted. */
void wi_whatif_json(mt_buf *out, const wi_whatif_difference *d);
/* Lines for people. */
void wi_whatif_text(mt_buf *out, const wi_whatif_difference *d);

#endif
