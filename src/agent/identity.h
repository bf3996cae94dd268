/* agent/identity.h - messages that say who signed them, and who is believed.
 * Room: agent. May include base/ only; pure: the time and the key come from the host.
 * A signed message is a typed envelope with one member more, which agents that know
 * nothing of it do not look at:
 *   "_signed":{"as":NAME,"at":MS,"key":BASE64,"n":COUNT,"room":TEXT,"session":HEX,
 *              "signature":BASE64}
 * The signature covers all of it but itself and key, and the payload, behind a prefix
 * of its own. `session` is new with each start of the sender, `n` counts in it, so that
 * whoever has heard a message knows it again.
 * Ownership: a verifier owns what it remembers. One thread at a time. */
#ifndef AG_IDENTITY_H
#define AG_IDENTITY_H

#include "agent/message.h"
#include "base/json_write.h"
#include "base/sign.h"

/* One who is believed. */
typedef struct ag_trusted {
    mt_str name;
    mt_sign_public key;
} ag_trusted;

/* What an agent file says about it. */
typedef struct ag_identity {
    bool required;             /* what is not signed is refused */
    bool pin_first;            /* the first key that signs as a name has that name */
    const ag_trusted *trusted; /* only these; count 0: whoever signs */
    uint32_t trusted_count;
    uint64_t window_ms; /* how old a message may be, or how far ahead */
    mt_str room;        /* signed with each message; those of another are refused */
} ag_identity;

enum { AG_WINDOW_MS = 300000, AG_WINDOW_LEAST_MS = 1000, AG_WINDOW_MOST_MS = 86400000 };

/* A key as text: 64 hex digits or base64. */
bool ag_key_read(mt_str text, mt_sign_public *out);

/* ---- signing ---- */

typedef struct ag_signer {
    const mt_sign_key *key;
    mt_str name, room;
    char session[33]; /* 32 hex digits */
    uint64_t count;   /* of messages signed in it */
} ag_signer;

/* Appends the signed envelope of a payload, newline included. False: the key could not
 * sign, and nothing was appended. */
bool ag_sign_message(ag_signer *s, int64_t now_ms, const mt_json *payload, mt_buf *out);

/* ---- verifying ---- */

typedef struct ag_verifier ag_verifier;
ag_verifier *ag_verifier_new(const ag_identity *identity);
void ag_verifier_free(ag_verifier *v);

/* NULL: it is taken, and remembered. Otherwise why not, and nothing has changed.
 * *signer is who signed it (the name that is trusted or pinned, else the key in base64,
 * in `a`); ptr NULL: nobody. */
const char *ag_verify(ag_verifier *v, mt_arena *a, const ag_inbound *in, int64_t now_ms,
                      mt_str *signer);

/* What it remembers, as a list, and back: MT_E_SYNTAX. */
bool ag_verifier_has_any(const ag_verifier *v);
void ag_verifier_save(const ag_verifier *v, mt_jw *w);
mt_err ag_verifier_load(ag_verifier *v, const mt_json *rows);

#endif
