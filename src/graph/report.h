/* graph/report.h - one violation: rule id, place, path, sentence, remedy.
 * Room: graph. May include base/ only.
 * The rule id is the diagnostic's code, the JSON path its `field`. */
#ifndef GR_REPORT_H
#define GR_REPORT_H

#include "base/form.h"
#include "base/nearest.h"

/* Who is reported about: the file and its text, and the construct in it. */
typedef struct gr_subject {
    mt_diags *ds;
    mt_str file, text; /* text empty: no lines known */
    const char *kind;  /* "cluster", "compute", "adapter"; NULL: none */
    mt_str id;
} gr_subject;

/* Path and sentence are formatted; `fix` lasts, gr_meant() or static text. Always
 * returns false. */
bool gr_report(const gr_subject *s, const char *rule, uint32_t at, mt_str path,
               const char *fix, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* The same as a warning: nothing is refused. */
void gr_warn(const gr_subject *s, const char *rule, uint32_t at, mt_str path,
             const char *fix, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* "did you mean `x`?", if something near was offered, else `fix`. */
const char *gr_meant(const gr_subject *s, const mt_nearest *near, const char *fix);
/* How faults of a file's form are reported: the state of gr_report_fault(). */
typedef struct gr_form_report {
    gr_subject *subject;
    const char *code, *fix; /* of what has another shape */
    const char *split;      /* what to do about more entries than graph_ports */
} gr_form_report;
void gr_report_fault(void *state, const mt_form_fault *fault);
/* A form for such a file: unknown keys are warned of at every level. */
mt_form gr_form(mt_arena *a, gr_form_report *to, const char *what);

/* For rows: the name of a type, another word is GR_NONE. */
mt_form_reader gr_read_type;

/* Reads YAML or JSON into a tree. Text that begins like a JSON object is tried as
 * JSON first. False: reported under `code` (NUM-FINITE-1 for .inf and .nan). */
bool gr_read_tree(mt_arena *a, const gr_subject *s, const char *code,
                  const mt_json_limits *limits, mt_json *out);

#endif
