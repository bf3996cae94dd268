/* answer/contract.h - a contract that was read, source or interchange alike, with
 * everything that is wrong with it.
 * Room: answer. May include base/, lang/, contract/ and analyze/. Opens no file: text
 * comes from a provider.
 * Ownership: everything lives in the contract until aw_contract_free(); a view borrows
 * from the contract it is of. */
#ifndef AW_CONTRACT_H
#define AW_CONTRACT_H

#include "base/json_write.h"
#include "contract/wire/admit.h"

/* Text that diagnostics point into. */
typedef struct aw_source {
    mt_str name; /* as diagnostics call it, or a path that ends in that name */
    mt_str text;
} aw_source;

typedef struct aw_sources {
    const aw_source *items;
    size_t len;
} aw_sources;

typedef struct aw_contract aw_contract;

/* The bundle of a System's member that a bundle names by its path: *bundle in `a`,
 * empty when there is no such file. False: it has faults, which were said. */
typedef bool aw_member_reader(void *state, const aw_contract *c, mt_arena *a,
                              mt_str path, mt_str *bundle);

struct aw_contract {
    mt_arena arena;
    mt_diags ds;
    mt_str path;             /* as given; stdin.tenor for "-" */
    const ct_elaboration *e; /* NULL when it was interchange */
    bool is_manifest;        /* it was interchange inside a manifest */
    mt_str bundle;           /* compact interchange, empty when rejected */
    ct_admitted admitted;    /* its tree and model; no model when rejected */
    mt_str error;            /* the suite's object for the first error, or empty */
    aw_sources sources;      /* what diagnostics point into */
    mt_limits limits;
    aw_member_reader *member; /* of a System's bundle; NULL: none can be read */
    void *member_state;
};

/* Nothing is read yet. `path` is borrowed; `limits` NULL: the defaults. */
void aw_contract_start(aw_contract *c, mt_str path, const mt_limits *limits);
/* Elaborates c->path; what comes out takes the gate of all bundles. `config` (may be
 * NULL) is one more text that diagnostics point into. MT_OK, or c->ds says why not. */
mt_err aw_contract_source(aw_contract *c, const mt_provider *files,
                          const ct_options *options, const aw_source *config);
/* Interchange or a manifest; `text` is borrowed. */
mt_err aw_contract_interchange(aw_contract *c, mt_str text);
/* A fault of the whole file, in the words every unreadable file gets. */
void aw_contract_unread(aw_contract *c, const char *code, mt_str message);
/* A contract that shares everything with `of` and has an arena and a list of
 * diagnostics of its own: what is asked of one that threads share is asked of a view.
 */
void aw_contract_view(const aw_contract *of, aw_contract *out);
void aw_contract_free(aw_contract *c);

/* Contract source never begins with a brace, JSON objects always do. */
bool aw_is_interchange(mt_str text);

/* The bundle as `motet elaborate` prints it, in the arena, with a newline. */
mt_str aw_bundle_text(mt_arena *a, mt_str bundle, bool manifest, bool compact);

/* What `motet check --json` prints: everything that is in c->ds. */
void aw_check_json(mt_buf *out, const aw_contract *c, bool holds, bool index);
/* The keys "diagnostics", "error" (the suite's object, null if empty) and "errors" of
 * an open object, in this order. */
void aw_diags_keys(mt_jw *w, const mt_diags *ds, mt_str error);

#endif
