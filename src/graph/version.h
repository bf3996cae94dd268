/* graph/version.h - semantic versions and requirements on them.
 * Room: graph. May include base/ only.
 * Requirements: comma-separated, all must hold; bare means caret; ^ ~ = > >= < <= and
 * wildcards (*, 1.*, 1.2.*). A pre-release matches only where a requirement names a
 * pre-release of the same major.minor.patch. */
#ifndef GR_VERSION_H
#define GR_VERSION_H

#include "base/str.h"

typedef struct gr_version {
    uint64_t part[3]; /* major, minor, patch */
    mt_str pre;       /* without the '-', empty if none */
} gr_version;

/* Strict: three numbers without leading zeros, [-pre], [+build]. */
bool gr_version_read(mt_str text, gr_version *out);
/* By precedence; build data does not count. */
int gr_version_cmp(const gr_version *a, const gr_version *b);

typedef enum gr_match { GR_MATCH, GR_NO_MATCH, GR_BAD_SELECTOR } gr_match;

/* An exact version matches only itself; anything else is a requirement. */
gr_match gr_version_match(mt_str selector, const gr_version *v);

#endif
