/* answer/lint.h - levels of warnings: from a project's file, from words.
 * Room: answer.
 * What cannot be understood becomes warnings (T710). Ownership: rules and texts live in
 * the arena. */
#ifndef AW_LINT_H
#define AW_LINT_H

#include "base/form.h"
#include "base/vec.h"
#include "contract/elaborate.h"

/* The file beside a contract that has them. */
#define AW_LINT_FILE "motet.yaml"
enum { AW_LINT_FILE_BYTES = 1 << 20, AW_LINT_VERB_COUNT = CT_LINT_DENY + 1 };
/* By level: "allow", "warn", "deny"; NULL: none. */
extern const char *const AW_LINT_VERBS[AW_LINT_VERB_COUNT];

/* Those of its keys that are about warnings. */
extern const mt_form_table AW_PROJECT_FORM;

typedef struct aw_lint {
    mt_arena *a;
    mt_diags *ds;
    mt_str file, text; /* what is read; text empty: a place in it is not known */
    MT_VEC(ct_lint_rule) rules;
} aw_lint;

/* The text of AW_LINT_FILE at `path`. */
void aw_lint_config(aw_lint *r, mt_str path, mt_str text);
/* CODE,CODE; `where` is how faults call it. */
void aw_lint_codes(aw_lint *r, ct_lint_level level, const char *where, mt_str codes);
void aw_lint_warn(aw_lint *r, size_t offset, mt_str message, mt_str hint);

#endif
