/* agent/dna.h - DNA: an agent's registrations, and what they do, as a portable
 * document. Room: agent. May include base/ only. profile form:
 * {"format","others","profile","registrations":[{behaviour,kind,route,
 * priority,module,function,…}],"settings"}, canonical JSON, sorted; behaviour.h says
 * what behaviour and settings are. Documents of the first form have no "format" and
 * state neither. sdk form: the array existing agents exchange, where `source` holds the
 * behaviour.
 * Ownership: everything lives in the arena given. */
#ifndef AG_DNA_H
#define AG_DNA_H

#include "agent/program.h"
#include "base/diag.h"
#include "base/sign.h"

#define AG_DNA_FORMAT "motet-agent-dna/2"

typedef enum ag_dna_form { AG_DNA_PROFILE, AG_DNA_SDK } ag_dna_form;

/* What an agent registers, and what that does as far as it is stated. */
void ag_dna_write(mt_arena *a, const ag_agent *agent, ag_dna_form form, mt_buf *out);
/* The profile form as one text: equal texts are equal agents, as far as stated. */
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
    uint32_t silent;      /* registrations of both whose behaviour neither states */
    bool silent_settings; /* one of them does not state its settings */
} ag_dna_changes;

/* How many registrations do not state what they do. */
uint32_t ag_dna_silent(const ag_agent *agent);

void ag_dna_diff(mt_arena *a, const ag_agent *before, const ag_agent *after,
                 ag_dna_changes *out);
/* All registrations of all agents in order, the same registration once; settings only
 * when all have the same. MT_E_CONFLICT and *why when two of one identity differ. */
mt_err ag_dna_merge(mt_arena *a, const ag_agent *agents, size_t count, ag_agent *out,
                    mt_str *why);

/* "dna2:sha256:…" of the canonical profile form: what a pin names. Pins of the first
 * form are "sha256:…" and covered registrations only. */
mt_str ag_dna_pin(mt_arena *a, const ag_agent *agent);
/* Signed document, one JSON object: dna, pin, profile, public_key, signature, version.
 * The signature covers the canonical bytes of {dna, profile, version}. */
void ag_dna_sign(mt_arena *a, const ag_agent *agent, mt_str version,
                 const mt_sign_key *key, mt_buf *out);
/* MT_OK; MT_E_CORRUPT and *why when it does not verify, or is of the first form, whose
 * signature does not cover what the agent does; `expected` NULL: whatever key the
 * document names. */
mt_err ag_dna_verify(mt_arena *a, const mt_json *document,
                     const mt_sign_public *expected, const char **why);

#endif
