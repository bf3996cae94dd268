/* http/identity.h - somebody whom another vouches for, held by requests and streams.
 * Room: http. Counted: it lives as long as anyone holds it.
 * Threads: any. */
#ifndef HT_IDENTITY_H
#define HT_IDENTITY_H

#include "auth/oidc.h"
#include "exec/executor.h"

typedef struct ht_identity ht_identity;

/* A copy, held once. */
ht_identity *ht_identity_new(const au_identity *who, ex_known_by by);
ht_identity *ht_identity_hold(ht_identity *i);
void ht_identity_drop(ht_identity *i); /* NULL is fine */
const ex_caller *ht_identity_caller(const ht_identity *i);
/* Is its time not over (milliseconds since 1970)? */
bool ht_identity_lives(const ht_identity *i, int64_t now_ms);
/* From now on it counts as over, for all who hold it: a session that was ended. */
void ht_identity_end(ht_identity *i);

/* Tokens that were found good, by their digest, so that a signature is checked once. At
 * most MOST of them; when there are more, all are forgotten. */
typedef struct ht_believed ht_believed;
ht_believed *ht_believed_new(void);
void ht_believed_free(ht_believed *b);
/* Held for the caller; NULL: not known, or over. */
ht_identity *ht_believed_find(ht_believed *b, mt_str token, int64_t now_ms);
void ht_believed_add(ht_believed *b, mt_str token, ht_identity *i);
void ht_believed_forget(ht_believed *b);

#endif
