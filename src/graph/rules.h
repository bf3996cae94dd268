/* graph/rules.h - every rule id a graph, manifest or adapter can break, in one
 * sentence. Room: graph. `motet help RULE` prints them. */
#ifndef GR_RULES_H
#define GR_RULES_H

#include "base/str.h"

typedef struct gr_rule {
    const char *id, *says; /* what must hold */
} gr_rule;

extern const gr_rule GR_RULES[];
extern const size_t GR_RULE_COUNT;

/* NULL if there is none. Case counts. */
const gr_rule *gr_rule_find(mt_str id);

#endif
