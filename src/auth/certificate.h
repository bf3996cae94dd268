/* auth/certificate.h - who a client certificate says somebody is.
 * Room: auth. libmicrohttpd asks a client for a certificate and lets through what it
 * sends, trusted or not: here the chain is verified, for the purpose of a client, and
 * what the certificate says becomes claims for rules (rules.h):
 *
 *     {"cn":…,"dns":[…],"email":[…],"issuer":…,"subject":…,"uri":[…]}
 *
 * Ownership: texts of an identity live in the arena given. Threads: a session is used
 * by one at a time. */
#ifndef AU_CERTIFICATE_H
#define AU_CERTIFICATE_H

#include "auth/oidc.h"

typedef struct au_certificates au_certificates;

/* `certificates` of the configuration. As au_oidc_read(). */
size_t au_certificates_read(const au_settings *s, au_certificates **out);
void au_certificates_free(au_certificates *c);
/* PEM of those that are trusted, followed by a NUL. */
mt_str au_certificates_trusted(const au_certificates *c);
/* How many those are, and until when (seconds since 1970) the first and the last of
 * them are good. */
size_t au_certificates_until(const au_certificates *c, int64_t *first, int64_t *last);
/* Who has none is refused. */
bool au_certificates_required(const au_certificates *c);

typedef enum au_shown {
    AU_NONE_SHOWN,
    AU_TRUSTED,
    AU_NOT_TRUSTED /* *why says it, for the log */
} au_shown;
/* `session`: a gnutls_session_t after its handshake. */
au_shown au_certificate_check(const au_certificates *c, void *session, mt_arena *a,
                              au_identity *out, const char **why);

#endif
