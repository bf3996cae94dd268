/* analyze/version/classify.h - how much a change of a contract may break.
 * Room: analyze. May include base/ only.
 * The taxonomy of spec §18.2 as one table: (construct kind, field, change) gives a
 * class, a reason and what it means for new flows and for flows under way. It is
 * total: what no row names is REQUIRES_ANALYSIS. Immutable, no state. */
#ifndef AN_ANALYZE_CLASSIFY_H
#define AN_ANALYZE_CLASSIFY_H

#include "base/str.h"

/* ORDER of severity: a construct's class is the greatest of its fields'. */
typedef enum an_class {
    AN_NON_BREAKING,
    AN_INFRASTRUCTURE,
    AN_REQUIRES_ANALYSIS,
    AN_BREAKING
} an_class;
enum { AN_CLASS_COUNT = AN_BREAKING + 1 };

/* "NON_BREAKING", … */
extern const mt_str AN_CLASS_NAMES[AN_CLASS_COUNT];

typedef struct an_taxon {
    const char *kind, *field, *change; /* "Fact", "type", "narrow" */
    an_class class;
    const char *reason;                /* one sentence, no full stop */
    const char *action;                /* what to do before deploying; NULL: nothing */
    const char *new_flows, *in_flight; /* impact, one sentence each */
} an_taxon;

/* The rows in order; NULL past the end. */
const an_taxon *an_taxon_at(size_t index);
/* The row of a change; never NULL: the last row of the table stands for all that no
 * other names. */
const an_taxon *an_classify(mt_str kind, mt_str field, mt_str change);

#endif
