/* http/path.h - the target of a request, taken apart strictly.
 * Room: http. Pure: bytes in, segments and parameters out.
 * Only the origin form is accepted ("/a/b?c=d"). Percent escapes are decoded once,
 * after the split, and what they hide is looked at again: a segment that is empty, "."
 * or
 * "..", holds a slash, a control character or invalid UTF-8 is refused, so no two
 * spellings of a path can mean different things here and in a proxy.
 * Ownership: decoded texts live in the arena, others borrow the target. */
#ifndef HT_PATH_H
#define HT_PATH_H

#include "exec/executor.h"

enum { HT_PATH_SEGMENTS = 12, HT_QUERY_PARAMS = 32, HT_TARGET_BYTES = 8192 };

typedef struct ht_target {
    mt_str path; /* as written, without the query */
    mt_str segments[HT_PATH_SEGMENTS];
    size_t segment_count;
    ad_param query[HT_QUERY_PARAMS];
    size_t query_count;
} ht_target;

/* MT_OK; MT_E_SYNTAX or MT_E_LIMIT, *why is then a static sentence without its full
 * stop. */
mt_err ht_target_read(mt_arena *a, mt_str text, ht_target *out, const char **why);

/* The value of a parameter; ptr NULL when it is not there. */
mt_str ht_target_param(const ht_target *t, mt_str name);

#endif
