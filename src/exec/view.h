/* exec/view.h - what front doors show of the executor: contracts as they are served,
 * how it goes, what there is to call.
 * Room: exec. Part of its door, executor.h. */
#ifndef EX_VIEW_H
#define EX_VIEW_H

#include "base/figures.h"
#include "base/str.h"
#include "exec/caller.h"

/* The manifest as served, with capabilities and trust; text lives while `hold` is held.
 */
typedef struct ex_manifest {
    mt_str text, etag;
    const void *hold;
} ex_manifest;
mt_err ex_executor_manifest(ex_executor *x, mt_str contract, ex_manifest *out);
void ex_executor_release(ex_executor *x, ex_manifest *m);

/* Other programs may have queued records (of tokens): they are chained soon, with the
 * next group at the latest. */
void ex_executor_take_up(ex_executor *x);
/* Is the store reachable, the committer alive and the ledger the one that was signed?
 * `why` gets the reason if not. */
bool ex_executor_ready(ex_executor *x, mt_buf *why);
/* How each witness of the configuration stands, at `now_s` seconds since 1970. */
typedef struct ex_witness_state {
    mt_str name;
    uint64_t size;               /* records it has signed for */
    uint64_t behind;             /* signed by us since */
    int64_t age_s;               /* of its last signature; -1: there is none */
    unsigned long long failures; /* since the start */
    bool failing, contradicts;   /* it cannot be had; it says something else */
} ex_witness_state;
/* At most `most`; how many. */
size_t ex_witness_states(ex_executor *x, int64_t now_s, ex_witness_state *out,
                         size_t most);
/* Tells what the executor counts and measures. */
void ex_executor_figures(ex_executor *x, mt_figures *f);
/* For a description of the API. Writes the JSON Schemas of what calls of each contract
 * take, as members of the open object, and tells of each: "facts", "act", "evaluate",
 * "explain" of the contract (`name` is empty), "operation", "flow", "fact", "entity".
 * The key is CONTRACT.KIND or CONTRACT.KIND.NAME; components/schemas has what they
 * refer to: ExpectedVersions, Names, Outcome, Params, Time. */
struct mt_jw;
typedef void ex_api_see(void *state, mt_str kind, mt_str contract, mt_str name);
void ex_executor_api(ex_executor *x, struct mt_jw *w, ex_api_see *see, void *state);
/* A contract as it is served now. All of it lives until the executor closes; a later
 * version is another view. */
struct ct_plan;
struct ex_version;
typedef struct ex_view {
    mt_str contract, etag;
    const struct ct_plan *plan;
    const struct ex_version *version; /* the executor's own */
} ex_view;
/* False: no such contract. */
bool ex_view_of(ex_executor *x, mt_str contract, ex_view *out);
/* May the caller assert the fact with a call, if an adapter serves it, too? */
bool ex_view_may_give(const ex_view *view, const ex_caller *who, uint32_t fact);
/* Operations and flows of all contracts, and the agents that `who` (NULL: nobody) may
 * talk to, as items of the open array: skills of A2A. */
void ex_executor_skills(ex_executor *x, const ex_caller *who, struct mt_jw *w);
/* The trust domain; may be empty. */
mt_str ex_executor_domain(const ex_executor *x);
/* The codes of all problems, as items of the open array. */
void ex_problem_codes(struct mt_jw *w);
/* Called from the committer or a poller whenever new records are chained, so that event
 * streams can be written; `last` is the newest seq. */
typedef void ex_news(void *state, int64_t last);
void ex_executor_on_news(ex_executor *x, ex_news *news, void *state);

#endif
