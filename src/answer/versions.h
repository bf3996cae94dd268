/* answer/versions.h - two versions of one contract, compared.
 * Room: answer.
 * Ownership: everything lives in the arena of the new version's contract. */
#ifndef AW_VERSIONS_H
#define AW_VERSIONS_H

#include "analyze/version/diff.h"
#include "answer/contract.h"
#include "answer/reply.h"
#include "contract/flow/plan.h"

typedef struct aw_version {
    aw_contract contract;     /* loaded by whoever compares */
    mt_json bundle, manifest; /* the latter null unless it was one */
    const ct_model *model;    /* of the bundle */
    const ct_plan *plan;      /* for flows under way */
} aw_version;

/* Two members of the same name in two Systems. */
typedef struct aw_member_diff {
    mt_str id;
    an_diff *diff;
} aw_member_diff;

typedef struct aw_versions {
    aw_version old, new;
    an_diff *diff; /* from old to new; of Systems: what the System itself says */
    aw_member_diff *members; /* only when both are Systems given as source */
    size_t member_count;     /* members that both have */
    bool policy_required;    /* by the diff or by one of a member */
} aw_versions;

/* Makes what is compared of the version's contract, which holds. AW_FAILS: its flows
 * cannot be planned, and its diagnostics say why. */
int aw_version_open(aw_version *v, aw_reply *r);
/* Compares both, which are open. AW_FAILS: they are not versions of one contract. */
int aw_versions_compare(aw_versions *v, aw_reply *r);
/* Resolves by proof what the diff leaves to analysis, in the members of Systems too.
 * AW_FAILS: a member does not load. */
int aw_versions_prove(aw_versions *v, aw_reply *r);

/* Members of the open object of `motet diff --json`, all that the diff itself has. */
void aw_versions_json(mt_jw *w, const aw_versions *v);

#endif
