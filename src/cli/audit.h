/* cli/audit.h - what a ledger tells an auditor, gathered from verified lines.
 * Room: cli. cmd_audit.c reads, audit_text.c and audit_page.c write. Ownership: texts
 * and models live in `arena`, versions in `versions`; rules point into both.
 * cmd_audit.c makes and frees all of it; writers only read. The writers below never
 * fail: what could be wrong with a ledger was found while it was read. */
#ifndef CLI_AUDIT_H
#define CLI_AUDIT_H

#include "cli/decision_words.h"
#include "cli/ledger.h"
#include "cli/named_versions.h"
#include "contract/wire/model.h"

/* One record that decides something, in the order of the ledger. */
typedef struct cli_audited {
    uint64_t seq;
    cli_decision said;
    mt_str decision; /* canonical JSON */
} cli_audited;

/* A version that records name, and its rules if they were found. */
typedef struct cli_rules {
    const cli_named_version *version;
    const ct_model *model; /* NULL: the contract is not in the export */
} cli_rules;

typedef struct cli_audit {
    const char *name; /* of what was read */
    mt_arena arena;
    lg_finding found;
    mt_sha256 ledger; /* hash of record 0 */
    MT_VEC(cli_audited) decisions;
    cli_named versions;
    MT_VEC(cli_rules) rules; /* as many, in the same order */
    size_t refused;
} cli_audit;

/* "escrow_agent, admin": who may do the operation. */
void cli_allowed(mt_buf *out, const ct_model *m, const ct_operation *op);
/* Its precondition as text; nothing when it has none. */
void cli_condition(mt_buf *out, const ct_model *m, const ct_operation *op);
/* "cda4…, all of them", "cda4…, the first 12", "nobody": who signed for how much. A key
 * that only the ledger itself names is said to be such. */
void cli_signed_words(mt_buf *out, const lg_finding *f);

/* For a terminal; keys and texts of the ledger are shown so that it obeys none of
 * them. */
void cli_audit_text(mt_buf *out, const cli_audit *a);
/* For programs: {"contracts","decisions","refused","verified"}, etags in full. */
void cli_audit_json(mt_buf *out, const cli_audit *a);
/* For a browser: one file of HTML that loads nothing and runs nothing. */
void cli_audit_page(mt_buf *out, const cli_audit *a);

#endif
