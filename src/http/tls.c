/* http/tls.c - see tls.h.
 *
 * An identity is a certificate chain and its key, as GnuTLS wants them in a handshake.
 * Checking makes credentials of the two, which fails unless they belong together, and
 * looks at the time; making an identity imports them once more for handshakes.
 * Order: check, make, put in front. A handshake under way may still use the identity
 * before, so identities are kept, the last KEPT of them.
 *
 * What may fail: whatever is wrong with the files; the library cannot be loaded. */
#include "http/tls.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/late_gnutls.h"

/* A chain of a public authority has three. KEPT: a certificate is replaced every few
 * weeks, or a few times in a row by somebody who tries; a handshake takes seconds. */
enum { CHAIN_MOST = 16, KEPT = 16 };

typedef struct identity {
    struct identity *before;
    gnutls_pcert_st chain[CHAIN_MOST];
    unsigned count;
    gnutls_privkey_t key;
} identity;

struct ht_tls {
    pthread_mutex_t lock;
    identity *newest; /* under the lock, but for handshakes */
};

/* The library's callback has no argument for our state, so there is one per process. */
static _Atomic(identity *) served; /* what handshakes are given */
static atomic_bool taken;

static gnutls_datum_t datum(mt_str text)
{
    return (gnutls_datum_t){(unsigned char *)(uintptr_t)text.ptr, (unsigned)text.len};
}

static mt_err reject(mt_buf *why, const char *what, int code)
{
    mt_buf_addf(why, "%s: %s", what, gnutls_strerror(code));
    return MT_E_REJECTED;
}

static mt_err load_library(mt_buf *why)
{
    const char *missing = mt_late_load(&mt_late_gnutls);
    mt_buf_addz(why, missing ? missing : "");
    return missing ? MT_E_IO : MT_OK;
}

/* ---- Checking ---- */

static mt_err read_chain(mt_str cert, gnutls_x509_crt_t **chain, unsigned *count,
                         mt_buf *why)
{
    gnutls_datum_t text = datum(cert);
    int code = gnutls_x509_crt_list_import2(chain, count, &text, GNUTLS_X509_FMT_PEM,
                                            GNUTLS_X509_CRT_LIST_FAIL_IF_UNSORTED);
    return code < 0 ? reject(why, "the certificate cannot be read", code) : MT_OK;
}

static void free_chain(gnutls_x509_crt_t *chain, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        gnutls_x509_crt_deinit(chain[i]);
    }
    if (count) {
        free(chain); /* the library's allocator is malloc() */
    }
}

static mt_err check_pair(mt_str cert, mt_str key, mt_buf *why)
{
    gnutls_certificate_credentials_t both;
    gnutls_datum_t c = datum(cert), k = datum(key);
    int code = gnutls_certificate_allocate_credentials(&both);
    if (code < 0) {
        return reject(why, "the certificate cannot be used", code);
    }
    code = gnutls_certificate_set_x509_key_mem(both, &c, &k, GNUTLS_X509_FMT_PEM);
    gnutls_certificate_free_credentials(both);
    return code < 0 ? reject(why, "the certificate and its key", code) : MT_OK;
}

mt_err ht_tls_check(mt_str cert, mt_str key, int64_t *until, mt_buf *why)
{
    gnutls_x509_crt_t *chain = NULL;
    unsigned count = 0;
    mt_err err = load_library(why);
    err = err ? err : read_chain(cert, &chain, &count, why);
    if (err) {
        return err;
    }
    time_t expires = gnutls_x509_crt_get_expiration_time(chain[0]);
    bool long_chain = count > CHAIN_MOST;
    free_chain(chain, count);
    *until = (int64_t)expires;
    if (long_chain) {
        mt_buf_addf(why, "the chain has more than %d certificates", CHAIN_MOST);
        return MT_E_REJECTED;
    }
    err = check_pair(cert, key, why);
    if (!err && expires <= time(NULL)) {
        mt_buf_addz(why, "the certificate has expired");
        return MT_E_REJECTED;
    }
    return err;
}

/* ---- Identities ---- */

static void identity_free(identity *id)
{
    for (unsigned i = 0; i < id->count; i++) {
        gnutls_pcert_deinit(&id->chain[i]);
    }
    if (id->key) {
        gnutls_privkey_deinit(id->key);
    }
    free(id);
}

static int import_chain(identity *id, gnutls_x509_crt_t *chain, unsigned count)
{
    int code = 0;
    for (unsigned i = 0; i < count && code >= 0; i++) {
        code = gnutls_pcert_import_x509(&id->chain[i], chain[i], 0);
        id->count += code >= 0;
    }
    return code;
}

static int import_key(identity *id, mt_str key)
{
    gnutls_datum_t k = datum(key);
    int code = gnutls_privkey_init(&id->key);
    return code < 0 ? code
                    : gnutls_privkey_import_x509_raw(id->key, &k, GNUTLS_X509_FMT_PEM,
                                                     NULL, 0);
}

static mt_err identity_make(mt_str cert, mt_str key, identity **out, mt_buf *why)
{
    gnutls_x509_crt_t *chain = NULL;
    unsigned count = 0;
    mt_err err = read_chain(cert, &chain, &count, why);
    if (err) {
        return err;
    }
    identity *id = mt_xmalloc(sizeof *id);
    memset(id, 0, sizeof *id);
    int code = import_chain(id, chain, count);
    code = code < 0 ? code : import_key(id, key);
    free_chain(chain, count);
    if (code < 0) {
        identity_free(id);
        return reject(why, "the certificate cannot be used", code);
    }
    *out = id;
    return MT_OK;
}

/* No handshake is as old as KEPT certificates. */
static void forget_old(ht_tls *t)
{
    identity *id = t->newest;
    for (int i = 1; i < KEPT && id; i++) {
        id = id->before;
    }
    while (id && id->before) {
        identity *old = id->before;
        id->before = old->before;
        identity_free(old);
    }
}

mt_err ht_tls_replace(ht_tls *t, mt_str cert, mt_str key, mt_buf *why)
{
    int64_t until;
    identity *id = NULL;
    mt_err err = ht_tls_check(cert, key, &until, why);
    err = err ? err : identity_make(cert, key, &id, why);
    if (!err) {
        pthread_mutex_lock(&t->lock);
        id->before = t->newest;
        t->newest = id;
        /* ORDER: served before the old ones are freed; a handshake that read the
         * pointer before uses one of those that are kept. */
        atomic_store(&served, id);
        forget_old(t);
        pthread_mutex_unlock(&t->lock);
    }
    return err;
}

mt_err ht_tls_open(mt_str cert, mt_str key, ht_tls **out, mt_buf *why)
{
    bool free_now = false;
    if (!atomic_compare_exchange_strong(&taken, &free_now, true)) {
        mt_buf_addz(why, "another server of this process has a certificate");
        return MT_E_BUSY;
    }
    ht_tls *t = mt_xmalloc(sizeof *t);
    *t = (ht_tls){0};
    pthread_mutex_init(&t->lock, NULL);
    mt_err err = ht_tls_replace(t, cert, key, why);
    if (err) {
        ht_tls_free(t);
        return err;
    }
    *out = t;
    return MT_OK;
}

void ht_tls_free(ht_tls *t)
{
    if (!t) {
        return;
    }
    atomic_store(&served, NULL);
    for (identity *id; (id = t->newest);) {
        t->newest = id->before;
        identity_free(id);
    }
    pthread_mutex_destroy(&t->lock);
    free(t);
    atomic_store(&taken, false);
}

/* The library frees nothing of what it is given here. */
static int retrieve(gnutls_session_t session, const gnutls_datum_t *authorities,
                    int authority_count, const gnutls_pk_algorithm_t *algorithms,
                    int algorithm_count, gnutls_pcert_st **chain, unsigned *count,
                    gnutls_privkey_t *key)
{
    (void)session, (void)authorities, (void)authority_count;
    (void)algorithms, (void)algorithm_count;
    identity *id = atomic_load(&served);
    if (!id) {
        return -1;
    }
    *chain = id->chain;
    *count = id->count;
    *key = id->key;
    return 0;
}

void *ht_tls_callback(void)
{
    return (void *)(uintptr_t)retrieve;
}
