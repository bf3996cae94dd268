/* http/token_table.h - the tokens of the store, kept at hand.
 * Room: http. All tokens are read at once into a table that never changes; when the
 * store's stamp moves, the next refresh puts a new table in its place, and a request
 * that came in under the old one keeps it until it is answered. So nothing is asked of
 * the store while a request is looked at, and a revoked token is refused as soon as the
 * next refresh (every 250 ms) has seen it.
 * Threads: any. */
#ifndef HT_TOKEN_TABLE_H
#define HT_TOKEN_TABLE_H

#include "http/identity.h"
#include "http/token.h"

typedef struct ht_tokens ht_tokens;

/* A caller let in. Give it back with ht_pass_end(). */
typedef struct ht_pass {
    const ex_caller *caller;
    struct ht_token_table *table;
    int64_t version;       /* of the token's document */
    ht_identity *identity; /* of somebody whom another vouches for */
} ht_pass;

typedef enum ht_verdict {
    HT_LET_IN,
    HT_NO_TOKEN,        /* none was shown, and one is needed */
    HT_BAD_TOKEN,       /* malformed, unknown, expired or revoked: which is not told */
    HT_BAD_CERTIFICATE, /* not trusted, over, or none where one is needed */
    HT_FORGED,          /* a browser's cookie, but not from our page */
    HT_ASK_PROVIDER     /* its key is not known: ask, and judge again */
} ht_verdict;

/* `store` NULL: no tokens ever. MT_OK, or the store's fault with `why`. */
mt_err ht_tokens_open(st_store *store, ht_tokens **out, mt_buf *why);
void ht_tokens_free(ht_tokens *t);
/* Looks whether the store has other tokens by now, and writes down which have expired:
 * once seen expired, a token stays so though the clock may go back. On failure the old
 * ones stay. *changed: it has. */
mt_err ht_tokens_refresh(ht_tokens *t, bool *changed);
/* No token has ever been made: everyone may do everything. Once false, it stays so. */
bool ht_tokens_open_to_all(ht_tokens *t);

/* There are other ways to come in: the server is not open although it has no token. */
void ht_tokens_close(ht_tokens *t);

/* Judges the value of an Authorization field (ptr NULL: none). */
ht_verdict ht_tokens_check(ht_tokens *t, mt_str authorization, ht_pass *out);
/* What a token that is good was granted; nothing of any other. */
void ht_tokens_granted(ht_tokens *t, mt_arena *a, mt_str id, ex_subject_of *out);
/* The table the pass came from may now go. */
void ht_pass_end(ht_pass *p);
/* A second pass of the same caller, for what outlasts the request. */
ht_pass ht_pass_again(const ht_pass *p);
/* Is the pass still good, with the grants it has? For connections that last. */
bool ht_tokens_still(ht_tokens *t, const ht_pass *p);

#endif
