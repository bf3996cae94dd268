/* auth/oidc.h - people and programs that an OpenID provider vouches for.
 * Room: auth. The configuration names providers; each has an issuer, keys (a JWK set in
 * a file, at a URL, or where the issuer's own document says), whom its tokens are for,
 * and rules that make grants of claims (rules.h). A token is believed when a key of its
 * issuer signed it, with an algorithm that the provider is allowed, for our audience,
 * and now. docs/reference/rights.md has the settings.
 *
 * Threads: checking from any; what asks the provider (au_oidc_ask and the login) blocks
 * and is for a thread of its own.
 * Ownership: texts of an identity live in the arena given. */
#ifndef AU_OIDC_H
#define AU_OIDC_H

#include "auth/rules.h"

typedef struct au_oidc au_oidc;

/* Something in the configuration that is wrong; as ex_config_fault. */
typedef void au_fault(void *state, mt_str key, size_t offset, mt_str reason);
typedef struct au_settings {
    const mt_json *all; /* the configuration; must live as long as the providers */
    mt_str directory;   /* what file names in it start from */
    bool (*persona_known)(mt_str text);
    bool (*right_known)(mt_str text);
    au_fault *fault;
    void *state;
} au_settings;

/* Faults are told and counted in one way by all who read these settings. */
typedef struct au_telling {
    const au_settings *in;
    size_t faults;
} au_telling;
void au_tell(au_telling *t, mt_str key, size_t offset, mt_str what);
/* For forms; the state is an au_telling. */
void au_tell_form(void *telling, const mt_form_fault *fault);

/* `oidc` of the configuration. How many faults; *out is NULL when there are any, or no
 * provider. */
size_t au_oidc_read(const au_settings *s, au_oidc **out);
/* For the end: whoever waits for a provider is told that it does not answer, within a
 * second, and so is whoever asks one from now on. */
void au_oidc_hang_up(au_oidc *o);
void au_oidc_free(au_oidc *o);

typedef struct au_identity {
    mt_str id;   /* "oidc:PROVIDER:SUBJECT" */
    mt_str name; /* for people; may be empty */
    bool human;
    au_grants grants;
    int64_t until_ms; /* since 1970: no longer than this */
} au_identity;

typedef enum au_verdict {
    AU_GOOD,
    AU_BAD,         /* *why says it, for the log */
    AU_ASK_FOR_KEYS /* its key is not known, and the provider may be asked now */
} au_verdict;
au_verdict au_oidc_check(au_oidc *o, mt_str token, int64_t now_ms, mt_arena *a,
                         au_identity *out, const char **why);
/* Asks the provider of this token for its keys, unless that was just done. */
void au_oidc_ask(au_oidc *o, mt_str token, mt_buf *why);
/* Asks every provider whose keys are old. */
void au_oidc_tend(au_oidc *o, mt_buf *why);

/* What a provider says when it is asked for its keys now. */
typedef struct au_looked {
    mt_str provider;
    bool file;   /* its keys are in one */
    size_t keys; /* that can be used */
    mt_err
        err; /* MT_E_SYNTAX: not a set of keys; MT_E_DENIED: the gate; else no answer */
    mt_str why;
} au_looked;
/* Asks all of them, one after the other: for who wants to know before a server does. */
void au_oidc_look(au_oidc *o, void (*each)(void *state, const au_looked *l),
                  void *state);
/* The issuers, in the order of the configuration, in the arena. NULL: none. */
size_t au_oidc_issuers(const au_oidc *o, mt_arena *a, const mt_str **out);

/* ---- Logging in by a browser: code flow with PKCE (RFC 7636) ---- */

typedef struct au_login {
    mt_str provider;
    mt_str state, nonce;
    mt_str verifier; /* 43 to 128 characters */
} au_login;

/* The provider that people log in with; empty `name`: the first. NULL ptr: none. */
mt_str au_login_provider(const au_oidc *o, mt_str name);
/* Where to send the browser. */
mt_err au_login_begin(au_oidc *o, const au_login *l, mt_buf *url, mt_buf *why);
/* The browser came back with a code: who is it? */
mt_err au_login_end(au_oidc *o, const au_login *l, mt_str code, int64_t now_ms,
                    mt_arena *a, au_identity *out, mt_buf *why);
/* "https" or "http" of the address that browsers use; and its host with port. */
mt_str au_login_origin(const au_oidc *o, mt_str provider);

#endif
