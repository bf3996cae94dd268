/* contract/elaborate.h - contract source to interchange, the whole way.
 * Room: contract. May include base/ and contract/ only. Opens no file: text comes from
 * a provider.
 * Passes: 0 lex and parse, 1 imports, 2 index, 3 types, 4 expressions, 5 constructs,
 * 6 interchange. Errors are found in the order of the conformance suite first, every
 * further check of the specification after them, warnings last: so the first error in
 * the list, before mt_diags_sort(), is the suite's.
 * Ownership: an elaboration and all its texts live in the arena `keep`. */
#ifndef CT_ELABORATE_H
#define CT_ELABORATE_H

#include "base/diag.h"
#include "base/limits.h"
#include "base/provider.h"
#include "base/str.h"

/* How severe a warning or a note is. Errors have no level. */
typedef enum ct_lint_level {
    CT_LINT_DEFAULT,
    CT_LINT_ALLOW, /* not reported */
    CT_LINT_WARN,
    CT_LINT_DENY /* an error */
} ct_lint_level;

/* Levels by code; of several for one code the last counts. A comment in the source
 * (contract/front/lint.h) wins over all of them. */
typedef struct ct_lint_rule {
    mt_str code;
    ct_lint_level level;
} ct_lint_rule;

typedef struct ct_lint {
    const ct_lint_rule *rules;
    size_t count;
} ct_lint;

typedef struct ct_options {
    bool strict;             /* tolerated things become errors */
    bool no_warnings;        /* skip what only warns */
    const mt_limits *limits; /* NULL: MT_LIMITS_DEFAULT */
    const ct_lint *lint;     /* NULL: none; must outlive the elaboration */
} ct_options;

typedef struct ct_elaboration ct_elaboration;

/* A source that was read, for carets: a diagnostic's `file` is such a path. */
typedef struct ct_source {
    mt_str path; /* as a user would write it: the root's path as given, imports joined
                    to the directory of the importing file */
    mt_str id;   /* the provider's */
    mt_str text;
} ct_source;

typedef struct ct_member {
    mt_str id, path;                /* as declared */
    mt_str file;                    /* path joined to the system file's directory */
    const ct_elaboration *contract; /* NULL: no such file (tolerated, see C-SYS-02) */
} ct_member;

struct ct_elaboration {
    mt_str id;     /* the bundle's: the root's name without its last extension */
    mt_str bundle; /* compact interchange, no newline; empty when rejected */
    bool is_system;
    const ct_member *members; /* sorted by id; only for a System */
    size_t member_count;
    const ct_source *sources; /* [0] is the root; members have their own */
    size_t source_count;
    const struct fr_unit *unit; /* the checked tree, for contract/front only */
};

/* Elaborates the contract or System at `root`, a path as the user gave it. `opts` may
 * be NULL. MT_OK: (*out)->bundle is set; `ds` may hold warnings. MT_E_REJECTED: `ds`
 * holds at least one error; *out is set, its bundle empty. MT_E_NOTFOUND, MT_E_IO,
 * MT_E_LIMIT: the root itself could not be read; `ds` holds one error, *out is set.
 * ds->arena must be set; ds->limit 0 is replaced by limits->diagnostics. */
mt_err ct_elaborate(mt_arena *keep, mt_str root, const mt_provider *files,
                    const ct_options *opts, mt_diags *ds, const ct_elaboration **out);

/* The first error in the order of the checks, NULL if there is none. Call it before
 * mt_diags_sort(). */
const mt_diag *ct_first_error(const mt_diags *ds);
/* The suite's error object of seven keys, sorted, no newline at the end: its place and
 * its words, which are not always those that people are shown. */
mt_str ct_error_json(mt_arena *a, const mt_diag *d, bool pretty);

/* Any JSON text we wrote, laid out in the 2-space form of `elaborate`; no newline at
 * the end. */
mt_str ct_json_pretty(mt_arena *a, mt_str compact);
/* Lower-case hex SHA-256 of the compact bundle. */
mt_str ct_bundle_etag(mt_arena *a, mt_str bundle);
/* The manifest around a compact bundle, compact: what `elaborate --manifest` prints. */
mt_str ct_manifest(mt_arena *a, mt_str bundle);
/* The same from its parts, each compact JSON with sorted keys. The etag is the bundle's
 * alone: neither capabilities nor trust change it. */
typedef struct ct_manifest_parts {
    mt_str bundle;
    mt_str capabilities; /* empty: left out, as a static file does */
    mt_str trust;        /* empty: left out, nobody attests the bundle */
} ct_manifest_parts;
mt_str ct_manifest_of(mt_arena *a, const ct_manifest_parts *parts);

/* tenor_version of a bundle that is read: MT_OK; MT_E_VERSION when it is missing,
 * malformed or of a higher major version; *why then says so in one sentence. Pass an
 * mt_str with ptr NULL when the field is missing or no string. */
mt_err ct_check_version(mt_arena *a, mt_str tenor_version, mt_str *why);
/* Of our major version, but a later minor one than this program knows? */
bool ct_version_is_newer(mt_str tenor_version);

/* The level of a diagnostic that somebody else made about the contract, by its code and
 * line: what comments and options say. */
ct_lint_level ct_lint_of(const ct_elaboration *e, const mt_diag *d);
/* Why a level cannot be set for what stands there, empty if it can; *hint is advice. */
mt_str ct_lint_fault(mt_arena *a, mt_str code, mt_str *hint);
/* The code of such a fault. */
#define CT_CODE_LINT "T710"

/* Restratification: new stratum numbers for rules that read verdicts of their own or a
 * higher stratum, when the references are acyclic. Works on a rejected elaboration too;
 * no edits when there is nothing to do or a cycle forbids it. Sorted by file, offset.
 */
size_t ct_fix_strata(mt_arena *a, const ct_elaboration *e, const mt_edit **edits);

/* What a diagnostic code means, for `motet help CODE`. */
typedef struct ct_code_info {
    const char *code; /* "T401" */
    const char *rule; /* place in the specification: "C-SRC-03", "9.4" */
    const char *title, *explanation, *hint;
} ct_code_info;

/* The codes in order; NULL past the end. ct_code_find() ignores case. */
const ct_code_info *ct_code_at(size_t index);
const ct_code_info *ct_code_find(mt_str code);

#endif
