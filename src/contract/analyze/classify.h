/* contract/analyze/classify.h - how much a change of a contract may break.
 * Room: contract. May include base/ only.
 * The taxonomy of spec §18.2 as one table: (construct kind, field, change) gives a
 * class, a reason and what it means for new flows and for flows under way. It is
 * total: what no row names is REQUIRES_ANALYSIS. Immutable, no state. */
#ifndef CT_ANALYZE_CLASSIFY_H
#define CT_ANALYZE_CLASSIFY_H

#include "base/str.h"

/* ORDER of severity: a construct's class is the greatest of its fields'. */
typedef enum ct_class {
    CT_NON_BREAKING,
    CT_INFRASTRUCTURE,
    CT_REQUIRES_ANALYSIS,
    CT_BREAKING
} ct_class;
enum { CT_CLASS_COUNT = CT_BREAKING + 1 };

/* "NON_BREAKING", … */
extern const mt_str CT_CLASS_NAMES[CT_CLASS_COUNT];

typedef struct ct_taxon {
    const char *kind, *field, *change; /* "Fact", "type", "narrow" */
    ct_class class;
    const char *reason;                /* one sentence, no full stop */
    const char *action;                /* what to do before deploying; NULL: nothing */
    const char *new_flows, *in_flight; /* impact, one sentence each */
} ct_taxon;

/* The rows in order; NULL past the end. */
const ct_taxon *ct_taxon_at(size_t index);
/* The row of a change; never NULL: the last row of the table stands for all that no
 * other names. */
const ct_taxon *ct_classify(mt_str kind, mt_str field, mt_str change);

#endif
