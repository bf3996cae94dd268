/* connect/review.h - proposals as a file that a person reads,
 * edits and applies. Room: connect. The same proposals give
 * the same bytes, so a review can be kept in version control
 * and compared. Ownership: what is read borrows from the tree
 * and lives as long as the form's arena. */
#ifndef CN_REVIEW_H
#define CN_REVIEW_H

#include "base/form.h"
#include "connect/match.h"

/* One source with the document it was compared with. */
typedef struct cn_reviewed {
    mt_str document; /* as it was named */
    cn_format format;
    cn_matches matches;
} cn_reviewed;

/* YAML. Proposals of high confidence are accepted unless the
 * reader says otherwise; of all others `accept` is false.
 * `m` must be the model that the matches were made from. */
void cn_review_write(mt_buf *out, const ct_model *m, const cn_reviewed *list,
                     size_t count);

/* What a person decided of one fact. Everything else in the file (place, confidence,
 * because, instead, …) is for people, and may be changed or removed. */
typedef struct cn_decided {
    mt_str fact;
    bool accept;
    const mt_json *settings; /* an object; NULL: nothing was proposed */
} cn_decided;

typedef struct cn_decided_source {
    mt_str source, document;
    int format;               /* cn_format */
    const mt_json *instances; /* an object or NULL */
    const cn_decided *facts;
    uint32_t fact_count;
} cn_decided_source;

typedef struct cn_review {
    int64_t version;
    mt_str contract;
    const cn_decided_source *sources;
    uint32_t source_count;
} cn_review;

/* False: the form has said what is wrong, with its place.
 * True says that the file has this form, not that its sources
 * and facts exist: that is for the caller, who has the model. */
bool cn_review_read(mt_form *f, const mt_json *tree, cn_review *out);

/* Is what was accepted still good: does the document have this place,
 * and does it give the fact's type with this conversion? `why` gets a
 * sentence when not. A place is known by its settings, in which
 * parameters may be called otherwise and keys be in another order. */
bool cn_review_check(mt_arena *a, const cn_document *d, const ct_type *type,
                     const mt_json *settings, mt_buf *why);

#endif
