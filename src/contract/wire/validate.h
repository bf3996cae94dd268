/* contract/wire/validate.h - is this JSON text interchange? Structure and version.
 * Room: contract. May include base/ and contract/ only.
 * The rules are those of schema/interchange-schema.json and
 * schema/manifest-schema.json; unknown keys are passed over (spec §14.2.1) with a
 * warning. References between constructs are checked when a bundle is loaded, not here.
 * Ownership: the document lives in the arena; `text` is borrowed as long. */
#ifndef CT_WIRE_VALIDATE_H
#define CT_WIRE_VALIDATE_H

#include "base/diag.h"
#include "base/json_read.h"
#include "base/limits.h"
#include "contract/elaborate.h"

/* Codes of what is wrong with a bundle; ct_bundle_code_at() explains them. */
#define CT_CODE_BUNDLE_READ    "B001"
#define CT_CODE_BUNDLE_LIMIT   "B002"
#define CT_CODE_BUNDLE_JSON    "B003"
#define CT_CODE_BUNDLE_VERSION "B004"
#define CT_CODE_BUNDLE_KEY     "B005"
#define CT_CODE_BUNDLE_VALUE   "B006"
#define CT_CODE_BUNDLE_KIND    "B007"
#define CT_CODE_BUNDLE_TWICE   "B008"
#define CT_CODE_BUNDLE_ETAG    "B009"
#define CT_CODE_BUNDLE_LATER   "B010"
#define CT_CODE_BUNDLE_SURPLUS "B011"

/* Explanations of these and of the loader's codes, in order; NULL past the end. */
const ct_code_info *ct_bundle_code_at(size_t index);

/* Does a bundle hold a System? It joins contracts and has no rules of its own. */
bool ct_is_system(const mt_json *bundle);

typedef struct ct_document {
    bool is_manifest;    /* it has an etag around the bundle (§19.1) */
    const mt_json *tree; /* of the bundle; NULL when the text is not JSON */
    mt_str bundle;       /* compact, keys sorted; empty when rejected */
} ct_document;

/* MT_OK; MT_E_REJECTED: `ds` holds at least one error, each with its line, column and,
 * as `field`, its JSON path. `limits` may be NULL. */
mt_err ct_validate(mt_arena *a, mt_str file, mt_str text, const mt_limits *limits,
                   mt_diags *ds, ct_document *out);
/* The same for who may find errors yet: keys that are passed over (B011) go to a list
 * of their own, to be told where there is no error. */
mt_err ct_validate_apart(mt_arena *a, mt_str file, mt_str text, const mt_limits *limits,
                         mt_diags *ds, mt_diags *passed, ct_document *out);

#endif
