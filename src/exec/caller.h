/* exec/caller.h - who calls: identities, what they were granted, and how much of it.
 * Room: exec. Part of its door, executor.h. */
#ifndef EX_CALLER_H
#define EX_CALLER_H

#include "base/str.h"

typedef struct ex_executor ex_executor;

/* How an identity is known. */
typedef enum ex_known_by {
    EX_BY_NOTHING, /* a server without tokens */
    EX_BY_TOKEN,
    EX_BY_OIDC,
    EX_BY_CERTIFICATE,
    EX_BY_SYSTEM,  /* the server itself: triggers, intents */
    EX_BY_OPERATOR /* a command on the store: the user of the machine */
} ex_known_by;
/* "token", "oidc", … */
const char *ex_known_by_name(ex_known_by how);

typedef enum ex_actor { EX_ACTOR_UNKNOWN, EX_ACTOR_HUMAN, EX_ACTOR_MACHINE } ex_actor;

/* An identity: who calls, and what it was granted. docs/reference/rights.md has the
 * grammar: personas are "PERSONA" (of every contract) or "CONTRACT:PERSONA"; rights are
 * "RIGHT" (over every contract) or "CONTRACT/RIGHT". Immutable while in use. */
typedef struct ex_caller {
    mt_str id; /* a token's id, never its secret; empty: nobody (open server) */
    mt_str name;
    ex_known_by by;
    ex_actor actor;
    const mt_str *personas;
    size_t persona_count;
    const mt_str *rights;
    size_t right_count;
    bool anyone; /* server without tokens, loopback only: may act as every persona */
} ex_caller;

/* Is the text a persona, or a right, of the grammar? Whether there is such a contract,
 * fact or graph is not asked: they come and go. */
bool ex_persona_known(mt_str text);
bool ex_right_known(mt_str text);
/* What a right includes, for people: "admin" gives a sentence; NULL: only itself. */
const char *ex_right_includes(mt_str text);
/* Does one grant of a persona cover this persona of this contract? */
bool ex_persona_covers(mt_str grant, mt_str contract, mt_str persona);
/* Does one of several? */
bool ex_personas_cover(const mt_str *grants, size_t count, mt_str contract,
                       mt_str persona);

bool ex_caller_holds(const ex_caller *who, mt_str contract, mt_str persona);
/* Over this contract, by a right over it or over all, or by `admin` where that includes
 * it. `contract` empty: over all. */
bool ex_caller_may(const ex_caller *who, mt_str contract, mt_str right);
/* Over one contract at least. */
bool ex_caller_may_somewhere(const ex_caller *who, mt_str right);

/* Somebody a decision is asked about (docs/reference/authzen.md). The front door knows
 * who they are: personas as in ex_caller, and the id that records know it by (empty:
 * none). */
typedef struct ex_subject_of {
    mt_str id;
    const mt_str *personas;
    size_t persona_count;
} ex_subject_of;
struct mt_json;
typedef struct ex_people {
    /* `subject`: {"id","properties","type"}. Nobody known has no personas. */
    void (*find)(void *state, mt_arena *a, const struct mt_json *subject,
                 ex_subject_of *out);
    /* All ids of a type. MT_E_NOTFOUND: there is no such type; MT_E_RANGE: they cannot
     * be listed, since what they come with decides who they are. */
    mt_err (*list)(void *state, mt_arena *a, mt_str type, const mt_str **ids,
                   size_t *count);
    void *state;
} ex_people;

/* ---- Quotas ---- */

/* What one identity may have so much of in a while (docs/reference/rights.md, quotas).
 */
typedef enum ex_quota {
    EX_QUOTA_REQUESTS,
    EX_QUOTA_INSTANCES, /* made */
    EX_QUOTA_ANSWERS,   /* kept for an Idempotency-Key */
    EX_QUOTA_REFUSALS,  /* recorded */
    EX_QUOTA_STREAMS,   /* at once: ex_quota_open_stream() */
    EX_QUOTA_COUNT
} ex_quota;
/* One more. False: it is used up for so many seconds. */
bool ex_quota_take(ex_executor *x, const ex_caller *who, ex_quota what,
                   unsigned *seconds);
/* What was taken was not used. */
void ex_quota_give_back(ex_executor *x, const ex_caller *who, ex_quota what);
/* False: it has as many as it may have. Else close it. */
bool ex_quota_open_stream(ex_executor *x, const ex_caller *who);
void ex_quota_close_stream(ex_executor *x, const ex_caller *who);

#endif
