/* http/tls.h - the server's certificate: checked, given to who connects, exchanged.
 * Room: http. libmicrohttpd asks for the certificate with each handshake, so a new one
 * is used from the next connection on; connections that are open keep theirs.
 * A certificate that cannot be used (malformed, expired, not of this key) is refused as
 * a whole, and the one before stays.
 * One server with TLS per process: the library's question does not say who is asked. */
#ifndef HT_TLS_H
#define HT_TLS_H

#include "base/err.h"
#include "base/str.h"

typedef struct ht_tls ht_tls;

/* Can this certificate (a chain, PEM, followed by a NUL) be served with this key?
 * MT_E_REJECTED: `why` has a sentence. *until: when it expires, seconds since 1970. */
mt_err ht_tls_check(mt_str cert, mt_str key, int64_t *until, mt_buf *why);
/* MT_E_BUSY: another server has one. */
mt_err ht_tls_open(mt_str cert, mt_str key, ht_tls **out, mt_buf *why);
/* On failure the one before stays. */
mt_err ht_tls_replace(ht_tls *t, mt_str cert, mt_str key, mt_buf *why);
/* After the last connection has ended. Accepts NULL. */
void ht_tls_free(ht_tls *t);
/* A gnutls_certificate_retrieve_function2, for MHD_OPTION_HTTPS_CERT_CALLBACK. */
void *ht_tls_callback(void);

#endif
