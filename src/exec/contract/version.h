/* exec/contract/version.h - one version of a contract, compiled once and kept until the
 * executor closes, and room to work on it.
 * Room: exec. Threads: any. */
#ifndef EX_VERSION_H
#define EX_VERSION_H

#include <pthread.h>

#include "adapter/adapter.h"
#include "contract/eval/facts.h"
#include "contract/flow/run.h"
#include "contract/reduce/partial.h"
#include "exec/contract/source.h"

typedef struct ex_executor ex_executor;
typedef struct ex_version ex_version;
typedef struct ex_snap ex_snap;

/* Where a fact's value came from. */
typedef enum ex_from {
    EX_FROM_CONTRACT, /* its default */
    EX_FROM_CALLER,   /* asserted with the request */
    EX_FROM_OVERRIDE, /* likewise, though an adapter serves it */
    EX_FROM_MANUAL,   /* asserted earlier, kept in the store */
    EX_FROM_ADAPTER
} ex_from;

/* Facts and verdicts of one call and room for one operation; belongs to one job. */
struct ex_snap {
    ex_snap *next; /* free ones of a version */
    ct_facts *facts;
    ct_verdicts *verdicts, *scratch;
    ct_partial *partial;            /* for fact sets with holes; NULL until one comes */
    uint8_t *from;                  /* ex_from per fact */
    const ad_fact_answer **answers; /* per fact; NULL: not fetched */
    mt_str *instances;              /* per entity: bound instance; ptr NULL: none */
    int64_t *versions;              /* per entity: of that instance */
    uint32_t *states;               /* per entity: of that instance; CT_NONE */
    ct_change *changes;
    void *room; /* all the arrays */
};

/* One version of a contract, compiled. Immutable; lives until the executor closes,
 * since flows are pinned to the version they began with. */
struct ex_version {
    ex_version *next; /* all that are loaded */
    ex_executor *x;
    mt_arena arena;
    mt_str contract, etag, bundle, manifest;
    int64_t number; /* 1 for the first version */
    int64_t deployed_ms;
    const ct_model *model;
    const ct_plan *plan;
    const mt_str *scopes;     /* per entity: ex_scope_of() */
    const mt_str *fact_heads; /* per fact: "id":…,"source":…,"value": */
    bool sorted;              /* entities are in byte order of their names */
    ad_adapters *adapters;    /* NULL: none */
    bool may_be_long;         /* to evaluate, with the longest lists */
    pthread_mutex_t lock;
    ex_snap *free; /* under lock */
};

enum { EX_SHORT_STEPS = 20000 }; /* of an evaluation that holds up nobody: < 0.1 ms */

/* Compiles a version; *out is not in any list yet, so it may be freed. */
mt_err ex_version_make(ex_executor *x, const ex_source *s, int64_t number,
                       int64_t deployed_ms, ex_version **out, mt_buf *why);
void ex_version_free(ex_version *v);
ex_snap *ex_snap_take(ex_version *v);
void ex_snap_give(ex_version *v, ex_snap *s);

#endif
