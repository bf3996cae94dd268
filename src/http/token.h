/* http/token.h - tokens: who may come in, as kept in the store.
 * Room: http. A token is "mt_<id>_<secret>": 16 and 64 hex digits, the secret 256
 * random bits. The store has documents of kind "token", id the token's id, body
 *     {"actor":…,"created_ms":…,"expired_ms":…,"expires_ms":…,"grammar":2,"hash":…,
 *      "name":…,"personas":[…],"previous_hash":…,"previous_until_ms":…,
 *      "revoked_ms":…,"rights":[…]}
 * where hash is SHA-256 of the secret: enough, because nobody can guess 256 bits. The
 * secret itself is shown once, when it is made, and kept nowhere. A document without
 * `grammar` was written before `read` and `evaluate` were rights: its token has both.
 * Ownership: a token's texts live in the arena given or where its maker had them. */
#ifndef HT_TOKEN_H
#define HT_TOKEN_H

#include "exec/executor.h"

enum { HT_TOKEN_ID = 16, HT_TOKEN_SECRET = 64, HT_TOKEN_TEXT = 3 + 16 + 1 + 64 };
#define HT_TOKEN_KIND MT_STR("token")

typedef struct ht_token {
    mt_str id, name;
    mt_str hash;          /* hex */
    mt_str previous_hash; /* of the secret before a rotation; empty: none */
    int64_t previous_until_ms;
    ex_actor actor;
    const mt_str *personas, *rights;
    size_t persona_count, right_count;
    int64_t created_ms;
    int64_t expires_ms; /* 0: never */
    int64_t revoked_ms; /* 0: not */
    int64_t expired_ms; /* it was seen expired then, and stays so; 0: not */
} ht_token;

/* Fills id and hash of `t` and writes the whole token's text, once. */
void ht_token_make(mt_arena *a, ht_token *t, char text[HT_TOKEN_TEXT + 1]);
/* Takes a presented text apart; false when it cannot be one of ours. */
bool ht_token_split(mt_str text, mt_str *id, mt_str *secret);
/* The same for a token that exists: a new secret; the old one is good until then. */
void ht_token_rotate(mt_arena *a, ht_token *t, int64_t until_ms,
                     char text[HT_TOKEN_TEXT + 1]);
/* Is this its secret, or the one before while that is good? In constant time. */
bool ht_token_fits(const ht_token *t, mt_str secret, int64_t now_ms);
/* Is it good at this time (milliseconds since 1970)? */
bool ht_token_lives(const ht_token *t, int64_t now_ms);
void ht_token_write(mt_buf *out, const ht_token *t);
/* MT_E_SYNTAX: the document is not a token's. */
mt_err ht_token_read(mt_arena *a, mt_str id, mt_str body, ht_token *out);

#endif
