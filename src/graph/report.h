/* graph/report.h - one violation: rule id, place, path, sentence, remedy.
 * Room: graph. May include base/ only.
 * The rule id is the diagnostic's code, the JSON path its `field`. */
#ifndef GR_REPORT_H
#define GR_REPORT_H

#include "base/diag.h"
#include "base/json_read.h"

/* Who is reported about: the file and its text, and the construct in it. */
typedef struct gr_subject {
    mt_diags *ds;
    mt_str file, text; /* text empty: no lines known */
    const char *kind;  /* "cluster", "compute", "adapter"; NULL: none */
    mt_str id;
} gr_subject;

/* Path and sentence are formatted; `fix` is static text. Always returns false. */
bool gr_report(const gr_subject *s, const char *rule, uint32_t at, mt_str path,
               const char *fix, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* "expected X, found Y": the node (NULL: none) has the wrong shape. Returns false. */
bool gr_report_shape(const gr_subject *s, const char *rule, const mt_json *node,
                     const char *path, const char *fix, const char *expected);

/* Reads YAML or JSON into a tree. A text that begins like a JSON object is tried as
 * JSON first. False: reported under `code` (NUM-FINITE-1 for .inf and .nan). */
bool gr_read_tree(mt_arena *a, const gr_subject *s, const char *code,
                  const mt_json_limits *limits, mt_json *out);

#endif
