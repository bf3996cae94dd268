/* contract/flow/coverage.h - which rules, operations, outcomes and paths were seen.
 * Room: contract. May include base/ and contract/ only.
 * Seen means: a rule produced its verdict, an operation succeeded, an outcome was
 * produced, a path was taken to its end. Ownership: lives in the arena given to new. */
#ifndef CT_FLOW_COVERAGE_H
#define CT_FLOW_COVERAGE_H

#include "base/json_write.h"
#include "contract/flow/paths.h"

typedef enum ct_cover_kind {
    CT_COVER_RULES,
    CT_COVER_OPERATIONS,
    CT_COVER_OUTCOMES,
    CT_COVER_PATHS
} ct_cover_kind;
enum { CT_COVER_COUNT = CT_COVER_PATHS + 1 };

typedef struct ct_coverage ct_coverage;

ct_coverage *ct_coverage_new(mt_arena *a, const ct_plan *p);
void ct_coverage_verdicts(ct_coverage *c, const ct_verdicts *v);
void ct_coverage_run(ct_coverage *c, const ct_run *run);
/* An operation that succeeded on its own. */
void ct_coverage_outcome(ct_coverage *c, uint32_t op, uint32_t outcome);

/* Parts of a thousand, rounded down, of everything together; 1000 when there is nothing
 * to cover. */
unsigned ct_coverage_permille(const ct_coverage *c);

/* A table, then what was never seen. */
void ct_coverage_text(mt_buf *out, const ct_coverage *c);
void ct_coverage_json(mt_jw *w, const ct_coverage *c);

#endif
