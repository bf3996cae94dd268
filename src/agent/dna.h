/* agent/dna.h - DNA: an agent's registrations as a portable document.
 * Room: agent. May include base/ only.
 * profile form: {"profile","registrations":[{kind,route,priority,module,function,…}]},
 * canonical JSON, sorted. sdk form: the array existing agents exchange.
 * Ownership: everything lives in the arena given. */
#ifndef AG_DNA_H
#define AG_DNA_H

#include "agent/program.h"
#include "base/diag.h"
#include "base/sign.h"

typedef enum ag_dna_form { AG_DNA_PROFILE, AG_DNA_SDK } ag_dna_form;

/* What an agent registers. */
void ag_dna_write(mt_arena *a, const ag_agent *agent, ag_dna_form form, mt_buf *out);
/* The profile form as one text: equal texts are equal registrations. */
mt_str ag_dna_text(mt_arena *a, const ag_agent *agent);

/* Either form into an agent; the form is found by looking. MT_E_REJECTED: see `ds`. */
mt_err ag_dna_read(mt_arena *a, mt_str name, mt_str text, const mt_json *tree,
                   mt_diags *ds, ag_agent *out);

/* One difference. Breaking: one who talks to the agent may notice. */
typedef struct ag_dna_change {
    char sign; /* '+', '-', '~' */
    bool breaking;
    mt_str what; /* "receiver A--[f]-->B main.on_f" */
    mt_str why;  /* one sentence */
} ag_dna_change;

typedef struct ag_dna_changes {
    ag_dna_change *items;
    size_t len, cap;
    bool breaking;
} ag_dna_changes;

void ag_dna_diff(mt_arena *a, const ag_agent *before, const ag_agent *after,
                 ag_dna_changes *out);
/* All registrations of all agents in order, the same registration once. MT_E_CONFLICT
 * and *why when two of one identity differ. */
mt_err ag_dna_merge(mt_arena *a, const ag_agent *agents, size_t count, ag_agent *out,
                    mt_str *why);

/* "sha256:…" of the canonical profile form: what a pin names. */
mt_str ag_dna_pin(mt_arena *a, const ag_agent *agent);
/* Signed document, one JSON object: dna, pin, profile, public_key, signature, version.
 * The signature covers the canonical bytes of {dna, profile, version}. */
void ag_dna_sign(mt_arena *a, const ag_agent *agent, mt_str version,
                 const mt_sign_key *key, mt_buf *out);
/* MT_OK; MT_E_CORRUPT and *why when it does not verify; `expected` NULL: whatever key
 * the document names. */
mt_err ag_dna_verify(mt_arena *a, const mt_json *document,
                     const mt_sign_public *expected, const char **why);

#endif
