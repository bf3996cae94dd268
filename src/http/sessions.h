/* http/sessions.h - people who logged in by a browser, and logins under way.
 * Room: http. What a browser holds is a cookie of 256 random bits; what it stands for
 * is here, in this process, under the cookie's digest: bounded in number, and for a
 * time. When there are too many, the one that would end first is ended. Threads: any.
 */
#ifndef HT_SESSIONS_H
#define HT_SESSIONS_H

#include "http/identity.h"

typedef struct ht_sessions ht_sessions;

enum {
    HT_COOKIE_TEXT = 43, /* base64url of 32 bytes */
    HT_SESSIONS_MOST = 10000,
    HT_LOGINS_MOST = 10000,
    HT_LOGIN_SECONDS = 600,
    HT_SESSION_SECONDS = 8 * 3600,
    HT_RETURN_MOST = 512
};

typedef struct ht_text {
    char text[HT_COOKIE_TEXT + 1];
} ht_text;

ht_sessions *ht_sessions_new(void);
void ht_sessions_free(ht_sessions *s);

/* ---- Logins ---- */

/* A login under way; all but `provider` and `back` are ours. */
typedef struct ht_login {
    ht_text state, nonce, verifier;
    ht_text cookie; /* the browser that began it has this */
    char provider[64];
    char back[HT_RETURN_MOST]; /* path to go to in the end */
} ht_login;

/* False: a name is too long. */
bool ht_login_begin(ht_sessions *s, mt_str provider, mt_str back, ht_login *out);
/* Takes it away: each is good once. False: there is none with this state, it is over,
 * or another browser began it. */
bool ht_login_take(ht_sessions *s, mt_str state, mt_str cookie, ht_login *out);

/* ---- Sessions ---- */

/* `who` is held. */
void ht_session_begin(ht_sessions *s, ht_identity *who, ht_text *cookie);
/* Held for the caller; NULL: no such session. `csrf` gets what writes must show. */
ht_identity *ht_session_find(ht_sessions *s, mt_str cookie, ht_text *csrf);
/* Nobody is logged in with this cookie any more. */
void ht_session_end(ht_sessions *s, mt_str cookie);

/* A new one, 256 random bits. */
void ht_text_make(ht_text *out);
/* Are the two texts the same? In constant time. */
bool ht_text_is(const ht_text *t, mt_str shown);

#endif
