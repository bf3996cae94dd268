/* contract/flow/run.h - one execution of a flow, step by step.
 * Room: contract. May include base/ and contract/ only.
 * ct_run_step() does one thing (an operation, a decision, a hand-off, one compensation,
 * entering a sub-flow or a branch) and leaves the run at a position that can be written
 * down (flow/position.h) and taken up again, here or elsewhere. The engine changes no
 * state: it proposes the changes of one operation to the host's `apply`. Without a host
 * the changes are kept in the run, which is a whole flow in memory.
 *
 * A durable host opens its transaction, sets the current states of the bound instances,
 * calls ct_run_step(), writes the position and commits. If the commit fails it drops
 * the run and takes up the last position again.
 *
 * Ownership: a run owns its memory; ct_run_free() releases it, ct_run_start() uses it
 * again without allocating. Names given to it are borrowed until it ends or starts
 * anew. Threads: a run belongs to one thread at a time; plan and snapshot may be
 * shared. */
#ifndef CT_FLOW_RUN_H
#define CT_FLOW_RUN_H

#include "base/vec.h"
#include "contract/flow/operation.h"

typedef enum ct_run_status {
    CT_RUN_MORE,    /* there is another step */
    CT_RUN_DONE,    /* ended with an outcome */
    CT_RUN_FAILED,  /* ended without one: see run->fault */
    CT_RUN_WAITING, /* for a host that may act as run->waiting_for, or knows which of
                       several outcomes it is to be; nothing was done */
    CT_RUN_STOPPED  /* the host's apply failed with run->host_error; nothing was done */
} ct_run_status;

typedef enum ct_record_kind {
    CT_RECORD_OPERATION,
    CT_RECORD_BRANCH,
    CT_RECORD_HANDOFF,
    CT_RECORD_SUBFLOW,
    CT_RECORD_PARALLEL,
    CT_RECORD_COMPENSATION,
    CT_RECORD_ESCALATION
} ct_record_kind;

/* What one step did. Records are in the order in which steps began. */
typedef struct ct_record {
    ct_record_kind kind;
    ct_op_error error; /* operation, compensation */
    uint32_t step;     /* of plan->steps; for a handler's records the failed step */
    uint32_t parent; /* record of the enclosing sub-flow or parallel step, or CT_NONE */
    uint32_t graph;  /* in which the step lies */
    uint32_t op;     /* operation, compensation */
    uint32_t persona; /* who acted; escalation: to whom */
    /* operation, compensation: outcome of plan->outcomes; branch: 1 or 0; sub-flow:
     * terminal. CT_NONE: error, or not ended yet. */
    uint32_t result;
    uint32_t first_change, change_count; /* of run->changes */
    uint32_t first_branch, branch_count; /* parallel: of run->branches */
    uint32_t entity, state;              /* of an E2 error */
    uint32_t message;                    /* of run->messages, or CT_NONE */
} ct_record;

/* How one branch of a parallel step ended. */
typedef struct ct_branch_end {
    uint32_t graph;    /* the branch */
    uint32_t terminal; /* CT_NONE: by an error, or not yet */
    uint32_t message;  /* of run->messages, or CT_NONE */
} ct_branch_end;

typedef enum ct_phase {
    CT_AT_STEP,      /* the step is due */
    CT_COMPENSATING, /* compensation `index` of the step's handler is due */
    CT_INSIDE        /* a child frame is running */
} ct_phase;

typedef struct ct_frame {
    uint32_t graph, step;
    ct_phase phase;  /* at its step, compensating, or inside a graph */
    uint32_t index;  /* compensation, or branch of a parallel step */
    uint32_t record; /* of the sub-flow or parallel step while inside it */
    uint32_t parent; /* record that encloses this frame, or CT_NONE */
} ct_frame;

typedef struct ct_run ct_run;

/* What `choose` says when nobody has named an outcome yet: the run waits. */
#define CT_UNDECIDED (CT_NONE - 1)

/* All members may be NULL. */
typedef struct ct_host {
    void *context;
    /* May the host act as this persona now? Otherwise the run waits. */
    bool (*may_act)(void *context, const ct_run *run, uint32_t persona);
    /* Applies all changes of one operation or none. MT_E_CONFLICT: a source state was
     * not what the run believed, the operation fails (E2); any other error stops. */
    mt_err (*apply)(void *context, const ct_run *run, const ct_record *record);
    /* Picks one of several matching outcomes; CT_NONE: the operation fails as
     * ambiguous; CT_UNDECIDED: the run waits until it can be asked again. */
    uint32_t (*choose)(void *context, const ct_run *run, uint32_t step, uint32_t op,
                       const uint32_t *matching, uint32_t count);
} ct_host;

struct ct_run {
    const ct_plan *plan;
    ct_frozen frozen;
    ct_host host;
    uint32_t flow;     /* its graph */
    mt_str persona;    /* who began it; the contract need not know the name */
    mt_str *instances; /* per entity: the bound instance; ptr NULL: none */
    uint32_t *states;  /* per entity: its state; CT_NONE: none */
    ct_run_status status;
    uint32_t outcome;     /* terminal, once DONE */
    uint32_t waiting_for; /* persona, while WAITING */
    mt_err host_error;    /* while STOPPED */
    mt_str fault;         /* why it FAILED */
    bool simulation;      /* printed with every record */
    size_t steps_left;
    MT_VEC(ct_frame) frames;   /* open graphs, the innermost last */
    MT_VEC(ct_record) records; /* what happened, in order */
    MT_VEC(ct_change) changes; /* of all records, one after the other */
    MT_VEC(ct_branch_end) branches;
    MT_VEC(mt_str) messages; /* records refer to them by index */
    ct_change *proposed;     /* scratch for one operation */
    uint32_t *matching;      /* likewise */
    mt_arena memory, texts;
    ct_verdicts *scratch;     /* for asking conditions; the snapshot is read only */
    const ct_plan *sized_for; /* plan the arrays were made for */
};

/* The first of the record's changes; NULL when it changed nothing. */
static inline const ct_change *ct_record_changes(const ct_run *run, const ct_record *r)
{
    return r->change_count ? &run->changes.items[r->first_change] : NULL;
}

/* What a run needs to begin. */
typedef struct ct_run_input {
    const ct_plan *plan;
    ct_snapshot snapshot;
    uint32_t flow;
    mt_str persona;
    const mt_str *instances; /* per entity; ptr NULL: not bound */
    const uint32_t *states;  /* per entity: state of the bound instance, or CT_NONE */
    ct_host host;
    bool simulation;  /* every record says so */
    size_t max_steps; /* 0: the default of base/limits.h */
} ct_run_input;

/* Begins a run at the flow's entry. Every entity the flow can change must be bound to
 * an instance that exists and the persona must be one the contract knows; otherwise the
 * run is FAILED before its first step. */
ct_run_status ct_run_start(ct_run *run, const ct_run_input *input);
/* The same without checks and without a frame: flow/position.h fills in the rest. */
void ct_run_prepare(ct_run *run, const ct_run_input *input);
/* One thing that matters; see run.c for what that is. */
ct_run_status ct_run_step(ct_run *run);
/* Steps until it is no longer MORE. */
ct_run_status ct_run_all(ct_run *run);
/* What ct_run_step() will do next: the step of plan->steps, CT_NONE when there is none;
 * *undo is the operation if it is a compensation, else CT_NONE. */
uint32_t ct_run_next(const ct_run *run, uint32_t *undo);
/* Which operation that is, a compensation included; CT_NONE: it is none. */
uint32_t ct_run_next_op(const ct_run *run);
/* After WAITING or STOPPED: the host can go on now. */
void ct_run_resume(ct_run *run);
/* What the host read: the current state of the instance bound to `entity`. */
void ct_run_set_state(ct_run *run, uint32_t entity, uint32_t state);
void ct_run_free(ct_run *run);

#endif
