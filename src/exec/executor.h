/* exec/executor.h - contracts that run: the one place where engines meet the store.
 * Room: exec. Front doors (http, cli) turn what they hear into an ex_call and what
 * comes back into words; everything between is here.
 *
 *     call --prepare--> snapshot --committer--> effects + provenance + record +
 * triggers
 *
 * Prepare runs on the caller's thread and touches no row that is written: it checks the
 * caller's rights, gathers facts (asserted, adapters, manual) and evaluates them once.
 * What writes is then queued to the committer, one thread per process: it takes all
 * that wait (up to a group), locks their instances, tries each against the live states,
 * writes effects, provenance, ledger records, triggers and idempotency answers, commits
 * once, and only then answers. A call that is refused writes nothing, so a group never
 * needs undoing in part; when the database itself fails, the whole group is answered
 * as not done.
 *
 * Of two operations racing for one instance the first in the group or the first to get
 * the row lock wins; the other sees the new state: 409 with the type of §17 E2, or the
 * version conflict when the caller named the version it expected.
 *
 * Threads: all functions may be called from any thread. */
#ifndef EX_EXECUTOR_H
#define EX_EXECUTOR_H

#include "base/limits.h"
#include "exec/action.h"
#include "exec/caller.h"
#include "exec/view.h"
#include "store/store.h"

/* What to serve: text of a .tenor file, a bundle, a System, or nothing new (what the
 * store has). */
typedef struct ex_executor_options {
    st_store *store;             /* borrowed */
    const mt_limits *limits;     /* NULL: the defaults */
    const char *const *files;    /* .tenor, bundle or System files; ends with NULL */
    mt_str default_contract;     /* empty: the first file's */
    mt_str trust_domain;         /* empty: none */
    const char *signing_key;     /* file of the executor's key, or NULL */
    const char *previous_key;    /* file of the key that signed until now, to hand over;
                                    NULL: no handing over */
    const char *signer_memory;   /* file of the last checkpoint signed, outside of the
                                    store; NULL: signing_key with ".memory" */
    mt_str origin;               /* the log's name for witnesses; empty: made from
                                    its first record */
    size_t witness_quorum;       /* cosignatures that a complete receipt needs */
    const char *shadow;          /* file of a candidate that looks on, or NULL */
    const mt_str *auto_personas; /* act for the system */
    size_t auto_persona_count;
    const struct mt_json *adapters; /* configuration subtree, or NULL */
    mt_str directory; /* what relative file names in it start from; empty: here */
    const struct mt_json *settings; /* all of the configuration, or NULL */
    /* What becomes of flows in flight when a file is another version than the store
     * has: "POLICY" or "FLOW=POLICY" each (docs/how-to/deploy.md). */
    const mt_str *policies;
    size_t policy_count;
    /* Whether they can go on is judged by the aggressive analysis (§18.6.11); the
     * manifest says so. */
    bool aggressive;
    unsigned group;              /* calls per commit at most; 0: 256 */
    unsigned checkpoint_every;   /* records; 0: 1000 */
    unsigned checkpoint_seconds; /* a record is signed after so long; 0: 60 */
    unsigned workers; /* threads for what takes long to evaluate; 0: as many as cores */
    void (*log)(void *state, int level, mt_str event, mt_str json);
    void *log_state;
} ex_executor_options;

/* Such a list as the `policy` of a deployment. MT_E_SYNTAX: one is none; *bad. */
mt_err ex_policy_json(mt_buf *out, const mt_str *policies, size_t count, mt_str *bad);

mt_err ex_executor_open(const ex_executor_options *options, ex_executor **out,
                        mt_buf *why);

/* Something in the configuration that opening would refuse. `key`: "graphs.pricing";
 * `offset`: of its value in the text of the configuration. */
typedef void ex_config_fault(void *state, mt_str key, size_t offset, mt_str reason);
#define EX_NO_PLACE SIZE_MAX /* the offset is not known */
/* All of them, as far as they show without the store; starts nothing. How many. */
size_t ex_executor_check(const ex_executor_options *options, ex_config_fault *fault,
                         void *state);
/* Is this file's the key that signs? If not, `why` has a sentence. */
bool ex_executor_has_key(ex_executor *x, const char *path, mt_buf *why);
/* Takes no more calls, finishes or checkpoints what runs, answers all that wait. */
void ex_executor_close(ex_executor *x);

#endif
