/* contract/flow/coverage.h - which rules, operations, outcomes and paths were seen.
 * Room: contract. May include base/ and contract/ only.
 * Seen means: a rule produced its verdict, an operation succeeded, an outcome was
 * produced, a path was taken to its end. Besides, and not counted in the percentage: a
 * verdict was absent, a step was on a path that was taken, and it was left by this
 * result (an edge). Ownership: lives in the arena given to new. */
#ifndef CT_FLOW_COVERAGE_H
#define CT_FLOW_COVERAGE_H

#include "base/json_write.h"
#include "contract/flow/paths.h"

typedef enum ct_cover_kind {
    CT_COVER_RULES,
    CT_COVER_OPERATIONS,
    CT_COVER_OUTCOMES,
    CT_COVER_PATHS,
    CT_COVER_ABSENT, /* by rule */
    CT_COVER_STEPS,  /* "flow: step" */
    CT_COVER_EDGES   /* "flow: step=result" */
} ct_cover_kind;
enum { CT_COVER_COUNT = CT_COVER_EDGES + 1, CT_COVER_COUNTED = CT_COVER_PATHS + 1 };
extern const char *const CT_COVER_NAMES[CT_COVER_COUNT];

typedef struct ct_coverage ct_coverage;

ct_coverage *ct_coverage_new(mt_arena *a, const ct_plan *p);
void ct_coverage_verdicts(ct_coverage *c, const ct_verdicts *v);
void ct_coverage_run(ct_coverage *c, const ct_run *run);
/* An operation that succeeded on its own. */
void ct_coverage_outcome(ct_coverage *c, uint32_t op, uint32_t outcome);

/* One thing that can be seen. */
typedef struct ct_cover_item {
    mt_str name;
    bool seen;
} ct_cover_item;
size_t ct_coverage_total(const ct_coverage *c, ct_cover_kind kind);
size_t ct_coverage_seen(const ct_coverage *c, ct_cover_kind kind);
ct_cover_item ct_coverage_item(const ct_coverage *c, ct_cover_kind kind, size_t i);
/* By name; NULL: there is no such thing. */
const ct_cover_item *ct_coverage_find(const ct_coverage *c, ct_cover_kind kind,
                                      mt_str name);
const ct_plan *ct_coverage_plan(const ct_coverage *c);

/* Parts of a thousand, rounded down, of all that counts together; 1000 when there is
 * nothing to cover. */
unsigned ct_coverage_permille(const ct_coverage *c);

/* A table, then what was never seen. */
void ct_coverage_text(mt_buf *out, const ct_coverage *c);
void ct_coverage_json(mt_jw *w, const ct_coverage *c);

#endif
