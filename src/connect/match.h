/* connect/match.h - which place of a document may be meant by which fact.
 * Room: connect. Names, types, units and words of enums decide; no model, no network.
 * The same input gives the same proposals, whatever the machine: there are only whole
 * numbers, and of two that are equal the earlier in the document wins.
 * Ownership: everything lives in the arena and borrows from model and document. */
#ifndef CN_MATCH_H
#define CN_MATCH_H

#include "connect/document.h"
#include "contract/wire/model.h"

/* ORDER CN_LEVEL_NAMES: a greater level is
 * more certain. CN_NONE is never a proposal's. */
typedef enum cn_level { CN_NONE, CN_LOW, CN_MEDIUM, CN_HIGH } cn_level;
enum { CN_LEVEL_COUNT = CN_HIGH + 1 };
extern const char *const CN_LEVEL_NAMES[CN_LEVEL_COUNT];

typedef struct cn_proposal {
    const cn_place *place;
    cn_level level;
    unsigned score;  /* thousandths */
    mt_str settings; /* JSON, with the names of the contract's path */
    mt_str convert;  /* JSON, or empty */
    const mt_str *reasons;
    size_t reason_count;
} cn_proposal;

enum { CN_MOST_PROPOSALS = 4 };

typedef struct cn_match_of {
    uint32_t fact;
    cn_proposal proposals[CN_MOST_PROPOSALS]; /* the best first */
    size_t count;
    mt_str nearest; /* with none: what came nearest by name, and why it cannot be */
} cn_match_of;

typedef struct cn_instance { /* {name} of requests is this entity's instance */
    mt_str name, entity;
} cn_instance;

typedef struct cn_matches {
    uint32_t source;
    const cn_match_of *facts; /* of this source, in the order of the contract */
    size_t count;
    const cn_instance *instances; /* for the parameters of the best proposals */
    size_t instance_count;
} cn_matches;

/* Compares every fact of one source with every place. Cannot fail; a fact for which
 * nothing was found has count 0. The levels say how sure the comparison is, not that it
 * is right: somebody has to look (review.h). */
void cn_match(mt_arena *a, const ct_model *m, uint32_t source, const cn_document *d,
              cn_matches *out);

#endif
