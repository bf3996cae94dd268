/* contract/flow/action_space.h - what a persona can do now, and what it cannot and why.
 * Room: contract. May include base/ and contract/ only.
 * For each flow the operations it reaches first are found on the snapshot: branches are
 * decided, hand-offs passed, sub-flows and parallel branches entered; where these end
 * at once with a failure, its compensation begins. The flow is open
 * to a persona when one of these operations is to be done by it, each such operation
 * allows it, has a precondition that holds and instances in a source state.
 * Grouping is lossless: an action stands for every combination of one instance from
 * each of its sets, and a set is a list of groups (entity, state), each of which has
 * all instances in that state. A hundred thousand instances cost one pass. Ownership:
 * lives in the arena given, borrows from states, plan and snapshot. */
#ifndef CT_FLOW_ACTION_SPACE_H
#define CT_FLOW_ACTION_SPACE_H

#include "contract/flow/operation.h"
#include "contract/flow/states.h"
#include "contract/flow/why.h"

/* All instances of one entity in one state; indices into the entity's instances. */
typedef struct ct_group {
    uint32_t entity, state;
    const uint32_t *members; /* indices into the sorted instances */
    uint32_t count;
} ct_group;

/* Instances one entity may be bound to: the members of several groups. */
typedef struct ct_choice_set {
    uint32_t entity;
    const ct_group **groups;
    uint32_t group_count;
    uint32_t count; /* instances in all */
} ct_choice_set;

/* An operation a flow reaches first. */
typedef struct ct_entry {
    uint32_t step, op, persona; /* who may perform what first */
} ct_entry;

typedef struct ct_action {
    uint32_t flow;
    const ct_entry *entries; /* those of the persona; more than one: parallel */
    uint32_t entry_count;
    const uint32_t *outcomes; /* of plan->outcomes that lead here, per entry or more */
    uint32_t outcome_count;
    const ct_choice_set *bindings; /* one per entity the entries change */
    uint32_t binding_count;
    const uint32_t *verdicts; /* rules: present ones the preconditions read */
    uint32_t verdict_count;
} ct_action;

typedef enum ct_block_kind {
    CT_BLOCK_PERSONA,      /* another persona has to begin */
    CT_BLOCK_PRECONDITION, /* `reasons` are its false parts */
    CT_BLOCK_STATE,        /* the instances of `group` are in no source state */
    CT_BLOCK_INSTANCE,     /* `entity` has no instance */
    CT_BLOCK_EVALUATION,   /* a condition has no value: `message` */
    CT_BLOCK_NOTHING       /* the flow ends without any operation: `terminal` */
} ct_block_kind;

typedef struct ct_blocked {
    uint32_t flow;
    ct_block_kind kind;
    uint32_t op; /* PERSONA, PRECONDITION, STATE: the operation in question */
    uint32_t entity, terminal;
    const ct_group *group; /* whose state is in the way */
    ct_reasons reasons;    /* of a precondition that does not hold */
    mt_str message;        /* of an evaluation that failed */
} ct_blocked;

typedef struct ct_action_space {
    uint32_t persona; /* CT_NONE: the contract never names it */
    mt_str persona_name;
    const ct_states *states;
    MT_VEC(ct_action) actions;
    MT_VEC(ct_blocked) blocked;
    const ct_group *const *groups; /* per entity: one group per state */
} ct_action_space;

/* Flows in the order of the bundle. `states` is sealed. */
void ct_actions(mt_arena *a, const ct_frozen *z, const ct_states *states,
                mt_str persona, ct_action_space *out);

/* Who says what a condition comes to: the snapshot, or somebody else. */
typedef struct ct_asker {
    const ct_plan *plan;
    const ct_frozen *z; /* NULL: `ask` is asked */
    mt_err (*ask)(void *context, uint32_t condition, bool *holds, ct_fault *fault);
    void *context;
} ct_asker;

/* Of one flow. `out` is zero, or one of these states, whose groups are used again. Of a
 * precondition that somebody else answers, reasons and verdicts are not told. */
void ct_actions_of(mt_arena *a, const ct_asker *k, const ct_states *states,
                   mt_str persona, uint32_t flow, ct_action_space *out);

/* The operations a flow reaches first. MT_OK; an error of ct_holds() with *message. An
 * empty list: the flow ends with *terminal before any operation. */
mt_err ct_flow_entries(mt_arena *a, const ct_frozen *z, uint32_t flow,
                       const ct_entry **entries, uint32_t *count, uint32_t *terminal,
                       mt_str *message);

/* {"actions","blocked_actions","current_verdicts","persona_id"}; compact, sorted. */
void ct_actions_json(mt_buf *out, const ct_frozen *z, const ct_action_space *space);
/* "PersonaNotAuthorized", "PreconditionNotMet", … */
mt_str ct_block_name(ct_block_kind kind);

#endif
