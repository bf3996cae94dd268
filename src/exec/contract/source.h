/* exec/contract/source.h - what files give, and what a configuration lets a contract
 * ask of the world. Room: exec. Threads: any. */
#ifndef EX_SOURCE_H
#define EX_SOURCE_H

#include "adapter/adapter.h"
#include "adapter/gate.h"
#include "exec/executor.h"

typedef struct ex_version ex_version;

/* A contract: of a file, of a request, or as the store has it. */
typedef struct ex_source {
    mt_str id, bundle;
    mt_str trust; /* of a signed manifest: its trust section, or empty */
    bool stored;  /* it was accepted before */
} ex_source;

/* What a file gives: its contracts (members of a System each) and the System itself. */
typedef struct ex_sources {
    ex_source *items;
    size_t len, cap;
    ex_source system; /* id empty: none */
} ex_sources;
/* The trust section of a manifest, verified; empty when it has none. `why`: it does not
 * verify. */
mt_err ex_manifest_trust(mt_arena *a, mt_str text, const mt_limits *limits,
                         mt_str *trust, mt_buf *why);
mt_err ex_source_read(mt_arena *a, const char *path, const mt_limits *limits,
                      ex_sources *out, mt_buf *why);

/* What a configuration says about the world outside: `sources` and `outgoing`. */
typedef struct ex_outside {
    const mt_json *sources; /* NULL: nothing is fetched */
    mt_str directory;       /* what relative file names in it start from */
    ad_gate gate;
} ex_outside;

/* MT_E_REJECTED: `why` has a sentence. */
mt_err ex_outside_read(mt_arena *a, const ex_executor_options *o, ex_outside *out,
                       mt_buf *why);
/* The adapters of a contract, or none when no `sources` are configured; `v` is who
 * looks up manual facts, or NULL; `accepted`: as ad_adapter_options says.
 * MT_E_REJECTED: `ds` says why. */
mt_err ex_adapters_open(const ex_outside *outside, const ct_model *m, ex_version *v,
                        bool accepted, mt_diags *ds, ad_adapters **out);

#endif
