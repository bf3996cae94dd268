/* analyze/facts/system.h - what the members of a System can do together.
 * Room: analyze. May include base/ and contract/ only.
 * Beyond what elaboration checks (spec §12, AL62, AL64, AL65): whether triggers can
 * fire and their persona begin, how flows continue across contracts, who has authority
 * in several members, and whether members agree on how a shared entity moves.
 * Ownership: everything lives in the arena given and borrows from the bundle's tree and
 * the members' analyses. */
#ifndef AN_ANALYZE_SYSTEM_H
#define AN_ANALYZE_SYSTEM_H

#include "analyze/facts/report.h"

typedef struct an_sys_member {
    mt_str id, path;
    const an_analysis *an; /* set by the caller; NULL: its contract is not there */
} an_sys_member;

/* A persona or entity that several members share. */
typedef struct an_sys_shared {
    mt_str name;
    const uint32_t *members;
    uint32_t count;
} an_sys_shared;

typedef struct an_sys_trigger {
    uint32_t source, target; /* members */
    mt_str source_flow, target_flow, on, persona;
} an_sys_trigger;

typedef struct an_sys {
    mt_str id;
    ct_origin origin;
    an_sys_member *members;
    const an_sys_shared *personas, *entities;
    const an_sys_trigger *triggers;
    uint32_t member_count, persona_count, entity_count, trigger_count;
} an_sys;

/* Reads the System of a bundle. MT_OK; MT_E_NOTFOUND: it has none; MT_E_REJECTED: it
 * names members it does not have, or has another shape. */
mt_err an_sys_read(mt_arena *a, const mt_json *bundle, an_sys *out);

/* One persona's part in one member. */
typedef struct an_sys_authority {
    uint32_t persona, member; /* of an_sys.personas */
    uint32_t operations;      /* admissible ones it may invoke */
} an_sys_authority;

/* A shared entity as all members together move it. States and transitions are those of
 * the first member that has it. */
typedef struct an_sys_entity {
    const ct_entity *entity; /* NULL: no member has it */
    const uint64_t *reached; /* by operations of all members */
} an_sys_entity;

/* How a flow goes on behind a trigger. */
typedef struct an_sys_chain {
    bool can_fire;  /* some path of the source ends so */
    an_count paths; /* of the source flow into the trigger, times the target's */
} an_sys_chain;

typedef struct an_sys_analysis {
    const an_sys *system;
    const an_sys_authority *authorities;
    uint32_t authority_count;
    const an_sys_entity *entities; /* as an_sys.entities */
    const an_sys_chain *chains;    /* as an_sys.triggers */
    bool flows; /* the members' flows are counted, so chains mean something */
} an_sys_analysis;

/* The members' analyses have S6 when triggers are to be judged. Adds findings. */
const an_sys_analysis *an_sys_analyze(mt_arena *a, const an_sys *s, an_findings *fs);

void an_sys_text(mt_buf *out, const an_sys_analysis *x);
/* One object. */
void an_sys_json(mt_jw *w, const an_sys_analysis *x);

#endif
