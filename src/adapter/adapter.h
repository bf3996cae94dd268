/* adapter/adapter.h - facts from the outside: what fetches the value of a fact whose
 * source is structured (spec §5A), within a deadline, and says where it came from.
 * Room: adapter. The engine never sees an adapter: it gets JSON text and checks it.
 *
 * Built once per contract version from its model and the `sources` part of the
 * configuration (docs/reference/facts.md); a source nobody can serve is refused there,
 * by name.
 * Ownership: an ad_adapters keeps its own copy of the configuration and borrows the
 * model. Everything an answer points at lives in the arena of its fetch, or with the
 * model.
 * Threads: any number may fetch from one ad_adapters at the same time, each with an
 * arena of its own. Credentials are in here and in nothing that comes out. */
#ifndef AD_ADAPTER_H
#define AD_ADAPTER_H

#include "adapter/param.h"
#include "base/json_write.h"
#include "contract/wire/model.h"

typedef struct ad_adapters ad_adapters;
struct ad_gate;

/* A value somebody asserted for a fact of a `manual` source. Times are milliseconds
 * since 1970 UTC. */
typedef struct ad_manual {
    mt_str value; /* JSON text */
    mt_str asserted_by;
    int64_t asserted_at;
    int64_t expires_at; /* 0: never */
} ad_manual;

typedef struct ad_adapter_options {
    const ct_model *model;
    const mt_json *sources; /* an object, source id -> settings; NULL: none */
    mt_str directory;       /* what relative file names start from; empty: here */
    /* Sources the contract does not declare are a fault, unless several contracts
     * share one configuration. */
    bool shared;
    /* What the contract's own text may have fetched, borrowed; NULL: everything, since
     * the contract is the caller's own. */
    const struct ad_gate *gate;
    /* The contract was accepted before, perhaps under another configuration: a source
     * that the gate refuses is a warning, and answers nothing but that. */
    bool accepted;
    /* The last asserted value of a fact: MT_OK, MT_E_NOTFOUND, or the store's fault.
     * Called from any fetching thread. NULL: nobody asserts anything here. */
    mt_err (*lookup_manual)(void *context, mt_arena *a, uint32_t fact, ad_manual *out);
    /* Wall clock in milliseconds since 1970 UTC; NULL: the system's. */
    int64_t (*now_ms)(void *context);
    void *context;
} ad_adapter_options;

/* MT_OK: *out is set. MT_E_REJECTED: `ds` holds at least one error (codes F1xx). Opens
 * no connection and starts no process, but reads the credentials. */
mt_err ad_adapters_open(const ad_adapter_options *options, mt_diags *ds,
                        ad_adapters **out);
/* After the last fetch has returned. Accepts NULL. */
void ad_adapters_free(ad_adapters *a);

/* Has this fact a structured source, so that ad_adapters_fetch() answers for it? */
bool ad_adapters_serves(const ad_adapters *a, uint32_t fact);
/* And is that source manual, so that a person may assert it? */
bool ad_adapters_is_manual(const ad_adapters *a, uint32_t fact);
/* Until when does an assertion hold: as long as it says, and no longer than its
 * source's max_age. 0: for ever. */
int64_t ad_adapters_manual_until(const ad_adapters *a, uint32_t fact,
                                 const ad_manual *m);

/* clang-format off */
#define AD_FACT_ERROR_MAP(X)                                                           \
    X(NO_SOURCE,     "no_source",     "the fact has no structured source")             \
    X(PARAM_MISSING, "param_missing", "a {name} of the path has no value")             \
    X(PARAM_REFUSED, "param_refused", "a {name} of the path has an unusable value")    \
    X(NOT_ALLOWED,   "not_allowed",   "the configuration does not allow the source")   \
    X(UNREACHABLE,   "unreachable",   "the source could not be reached")               \
    X(TIMEOUT,       "timeout",       "the source did not answer in time")             \
    X(TOO_LARGE,     "too_large",     "the answer is larger than allowed")             \
    X(STATUS,        "status",        "the source answered with an error status")      \
    X(REDIRECT,      "redirect",      "the source answered with a redirect")           \
    X(MALFORMED,     "malformed",     "the answer is not what it should be")           \
    X(NOT_FOUND,     "not_found",     "the answer has no such value")                  \
    X(AMBIGUOUS,     "ambiguous",     "the answer has several values")                 \
    X(REFUSED,       "refused",       "the source refused the question")               \
    X(NOT_ASSERTED,  "not_asserted",  "nobody asserted a value")                       \
    X(EXPIRED,       "expired",       "the asserted value has expired")
/* clang-format on */

typedef enum ad_fact_error {
    AD_FACT_OK = 0,
#define AD_FACT_ERROR_ENUM(name, text, meaning) AD_FACT_##name,
    AD_FACT_ERROR_MAP(AD_FACT_ERROR_ENUM)
#undef AD_FACT_ERROR_ENUM
        AD_FACT_ERROR_COUNT
} ad_fact_error;

/* "param_missing"; "ok" for AD_FACT_OK. */
const char *ad_fact_error_name(ad_fact_error e);

/* A source that was asked. Times are nanoseconds since 1970 UTC. */
typedef struct ad_asked {
    mt_str source;
    int64_t began_ns, ended_ns;
    ad_fact_error failed; /* the source's fault, not the question's; AD_FACT_OK: none */
} ad_asked;

typedef struct ad_fetch {
    const uint32_t *facts; /* wanted, each once; indices into the model */
    size_t fact_count;
    const ad_param *params; /* of the request, for `{name}` */
    size_t param_count;
    /* One per entity of the model: the instance the request is bound to, ptr NULL where
     * none is. NULL: none at all. */
    const mt_str *instances;
    int64_t deadline;   /* as os_now_ms() counts; nothing is waited for beyond it */
    mt_str traceparent; /* goes with every request over HTTP; empty: none */
    /* Told of every source that was asked, once all have answered; NULL: nobody is. */
    void (*asked)(void *state, const struct ad_asked *what);
    void *asked_state;
} ad_fetch;

/* What became of one wanted fact. */
typedef struct ad_fact_answer {
    uint32_t fact;
    ad_fact_error error;
    /* The fetch failed and the source's policy is `on_error: default`: leave the fact
     * out, its default holds (assertion_source "contract"). `error` says why. */
    bool use_default;
    bool cached;        /* the value is from an earlier fetch, young enough */
    bool stale;         /* ... or too old, but `on_error: stale` lets it pass */
    mt_str value;       /* JSON text, set unless there is an error */
    mt_str message;     /* one sentence, set when there is or was an error */
    mt_str adapter_id;  /* "motet.http" */
    mt_str path;        /* as declared, with every {name} filled in */
    mt_str digest;      /* "sha256:" and the hex digest of the raw response */
    mt_str response;    /* the raw response, when the source says `response: keep` */
    mt_str asserted_by; /* manual only */
    int64_t fetched_at; /* milliseconds since 1970 UTC; manual: when asserted */
    int64_t expires_at; /* manual only; 0: never */
} ad_fact_answer;

/* True when the answer stops an evaluation: no value and no leave to do without. */
static inline bool ad_fact_failed(const ad_fact_answer *answer)
{
    return answer->error != AD_FACT_OK && !answer->use_default;
}

/* Fetches all wanted facts at the same time; answers[0 .. fact_count) are in their
 * order. Always answers, at the latest shortly after the deadline. */
void ad_adapters_fetch(ad_adapters *a, const ad_fetch *fetch, mt_arena *arena,
                       ad_fact_answer *answers);

/* Writes one EnrichedFactProvenance (spec §5A.10), exactly its fields: adapter_id,
 * assertion_source, fetch_timestamp, id, source, source_response, value.
 * source_response is the raw response if it was kept, otherwise its digest. Only for
 * answers that have a value. */
void ad_fact_provenance_json(mt_jw *w, const ct_model *m, const ad_fact_answer *answer);
/* What else is known about a fetch, for logs and audits: {cached, error?, fact,
 * message?, path, protocol, response_digest, source, stale}. */
void ad_fact_fetch_json(mt_jw *w, const ct_model *m, const ad_fact_answer *answer);

/* The facts for ct_facts_read(): the members of `given` (an object or NULL) and the
 * fetched values, as one JSON object. A fact that was given is not overwritten. */
void ad_facts_join(mt_buf *out, const ct_model *m, const mt_json *given,
                   const ad_fact_answer *answers, size_t count);

#endif
