/* whatif/impl.h - shared by whatif*.c.
 * Room: runtime, private to the replay. */
#ifndef WI_WHATIF_IMPL_H
#define WI_WHATIF_IMPL_H

#include "contract/eval/facts.h"
#include "contract/flow/run.h"
#include "whatif/body.h"
#include "whatif/whatif.h"

/* A record kept until its flow ends: bytes of wi_flow.text. */
typedef struct wi_part {
    size_t at, len;
    bool waiting; /* flow_waiting; otherwise an operation (the first: flow_started) */
} wi_part;

/* A flow under way. */
typedef struct wi_flow {
    struct wi_flow *next; /* of the same bucket, or of the spare ones */
    uint64_t hash, seq;   /* of the id; the record that started it */
    mt_buf id, text;
    mt_buf parts; /* wi_part each */
} wi_flow;

typedef struct wi_flows {
    wi_flow **buckets;
    size_t size, len; /* size is a power of two, or 0 */
    wi_flow *spare;
} wi_flows;

/* NULL: it is not there. */
wi_flow *wi_flow_find(const wi_flows *f, mt_str id);
/* Adds it, or empties the one of that id. */
wi_flow *wi_flow_add(wi_flows *f, mt_str id, uint64_t seq);
void wi_flow_keep(wi_flow *flow, mt_str body, bool waiting);
void wi_flow_drop(wi_flows *f, wi_flow *flow);
size_t wi_flow_part_count(const wi_flow *flow);
mt_str wi_flow_part(const wi_flow *flow, size_t i, bool *waiting);
void wi_flows_free(wi_flows *f);

/* Others moved an instance while the flow waited: before this step. */
typedef struct wi_shift {
    mt_str step, entity, state;
    bool done;
} wi_shift;

struct wi_whatif {
    wi_whatif_options options;
    const ct_plan *plan;
    const ct_model *model;
    /* The one that is replayed, and the first other one that was met. */
    mt_str contract, foreign;
    wi_whatif_counts counts;
    bool too_long; /* the decision at hand is not decided again */
    wi_flows flows;
    /* Working room, reused. */
    wi_head head;
    wi_body start, now; /* the flow's first record; the record, or what it did */
    ct_facts *facts;
    ct_verdicts *verdicts, *scratch;
    ct_run run;
    uint32_t *states;  /* per entity */
    mt_str *instances; /* per entity */
    ct_change *changes;
    uint64_t *expected; /* bit set of rules */
    MT_VEC(wi_shift) shifts;
    MT_VEC(wi_pair) tracked;
    mt_arena memory, texts; /* `texts`: of one difference */
    mt_buf reason;
    ct_fault fault;
    ct_attempt attempt; /* of an operation on its own */
};

static inline ct_snapshot wi_snapshot(const wi_whatif *w)
{
    return (ct_snapshot){w->plan->program, w->facts, w->verdicts};
}

/* How a record of the run came out: outcome, "true", error type. */
mt_str wi_result(const ct_run *run, const ct_record *r, bool *error);
/* Does the run's record say the same as the recorded step? */
bool wi_same_step(const wi_whatif *w, const wi_step *s, const ct_record *r);
bool wi_same_moves(const wi_whatif *w, const wi_step *s, const ct_change *changes,
                   uint32_t count);

/* Reasons, appended to w->reason. */
void wi_why_operation(wi_whatif *w, const wi_whatif_difference *d);
void wi_why_flow(wi_whatif *w, const wi_whatif_difference *d, const wi_step *recorded,
                 const ct_record *candidate);

#endif
