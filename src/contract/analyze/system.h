/* contract/analyze/system.h - what the members of a System can do together.
 * Room: contract. May include base/ and contract/ only.
 * Beyond what elaboration checks (spec §12, AL62, AL64, AL65): whether triggers can
 * fire and their persona begin, how flows continue across contracts, who has authority
 * in several members, and whether members agree on how a shared entity moves.
 * Ownership: everything lives in the arena given and borrows from the bundle's tree and
 * the members' analyses. */
#ifndef CT_ANALYZE_SYSTEM_H
#define CT_ANALYZE_SYSTEM_H

#include "contract/analyze/report.h"

typedef struct ct_sys_member {
    mt_str id, path;
    const ct_analysis *an; /* set by the caller; NULL: its contract is not there */
} ct_sys_member;

/* A persona or entity that several members share. */
typedef struct ct_sys_shared {
    mt_str name;
    const uint32_t *members;
    uint32_t count;
} ct_sys_shared;

typedef struct ct_sys_trigger {
    uint32_t source, target; /* members */
    mt_str source_flow, target_flow, on, persona;
} ct_sys_trigger;

typedef struct ct_sys {
    mt_str id;
    ct_origin origin;
    ct_sys_member *members;
    const ct_sys_shared *personas, *entities;
    const ct_sys_trigger *triggers;
    uint32_t member_count, persona_count, entity_count, trigger_count;
} ct_sys;

/* Reads the System of a bundle. MT_OK; MT_E_NOTFOUND: it has none; MT_E_REJECTED: it
 * names members it does not have. */
mt_err ct_sys_read(mt_arena *a, const mt_json *bundle, ct_sys *out);

/* One persona's part in one member. */
typedef struct ct_sys_authority {
    uint32_t persona, member; /* of ct_sys.personas */
    uint32_t operations;      /* admissible ones it may invoke */
} ct_sys_authority;

/* A shared entity as all members together move it. States and transitions are those of
 * the first member that has it. */
typedef struct ct_sys_entity {
    const ct_entity *entity; /* NULL: no member has it */
    const uint64_t *reached; /* by operations of all members */
} ct_sys_entity;

/* How a flow goes on behind a trigger. */
typedef struct ct_sys_chain {
    bool can_fire;
    ct_count paths; /* of the source flow into the trigger, times the target's */
} ct_sys_chain;

typedef struct ct_sys_analysis {
    const ct_sys *system;
    const ct_sys_authority *authorities;
    uint32_t authority_count;
    const ct_sys_entity *entities; /* as ct_sys.entities */
    const ct_sys_chain *chains;    /* as ct_sys.triggers */
    bool flows; /* the members' flows are counted, so chains mean something */
} ct_sys_analysis;

/* The members' analyses have S6 when triggers are to be judged. Adds findings. */
const ct_sys_analysis *ct_sys_analyze(mt_arena *a, const ct_sys *s, ct_findings *fs);

void ct_sys_text(mt_buf *out, const ct_sys_analysis *x);
/* One object. */
void ct_sys_json(mt_jw *w, const ct_sys_analysis *x);

#endif
