/* net/stream.c - a connection, plain or TLS, that never blocks.
 *
 * Reading and writing answer a count, NT_STREAM_WAIT, or the end; a handshake is a
 * step like them. TLS is 1.2 or 1.3 with ciphers that authenticate what they encrypt
 * and keys agreed upon anew; a client checks certificate and name (an address as an
 * address), a server may demand a certificate of its agents.
 *
 * OpenSSL's error queue belongs to the thread, so it is cleared before and read after
 * each call. What may fail: making a context, with the library's first complaint in
 * `why`; a connection fails by ending. Closing says goodbye once and waits for nobody.
 */
#include "net/stream.h"

#include <errno.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/x509_vfy.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/late_ssl.h"

struct nt_tls {
    SSL_CTX *context;
};

void nt_tls_complaint(char *out, size_t size)
{
    unsigned long code = ERR_get_error();
    out[0] = '\0';
    if (code) {
        ERR_error_string_n(code, out, size);
    }
    ERR_clear_error();
}

static void explain(mt_buf *why, const char *what)
{
    char text[256];
    nt_tls_complaint(text, sizeof text);
    mt_buf_addf(why, "%s%s%s", what, text[0] ? ": " : "", text);
}

/* Of TLS 1.2: ciphers that authenticate what they encrypt, keys agreed upon anew. */
#define TLS_12_CIPHERS "ECDHE+AESGCM:ECDHE+CHACHA20"

static nt_tls *tls_new(bool is_server, mt_buf *why)
{
    const char *missing = mt_late_load(&mt_late_ssl);
    if (missing) {
        mt_buf_addf(why, "%s; ", missing);
        return NULL;
    }
    SSL_CTX *context =
        SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method());
    if (!context || !SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) ||
        !SSL_CTX_set_cipher_list(context, TLS_12_CIPHERS)) {
        SSL_CTX_free(context);
        return NULL;
    }
    /* Not SSL_OP_IGNORE_UNEXPECTED_EOF: an end that the peer did not announce may be
     * anybody's who can reset the connection, and is NT_STREAM_BROKEN. */
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE |
                                  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
    nt_tls *tls = mt_xmalloc(sizeof *tls);
    tls->context = context;
    return tls;
}

void nt_tls_free(nt_tls *tls)
{
    if (tls) {
        SSL_CTX_free(tls->context);
        free(tls);
    }
}

static nt_tls *give_up(nt_tls *tls, mt_buf *why, const char *what)
{
    explain(why, what);
    nt_tls_free(tls);
    return NULL;
}

static bool load_identity(nt_tls *tls, const char *cert, const char *key)
{
    return SSL_CTX_use_certificate_chain_file(tls->context, cert) == 1 &&
           SSL_CTX_use_PrivateKey_file(tls->context, key, SSL_FILETYPE_PEM) == 1 &&
           SSL_CTX_check_private_key(tls->context) == 1;
}

nt_tls *nt_tls_server(const char *cert, const char *key, const char *client_ca,
                      mt_buf *why)
{
    nt_tls *tls = tls_new(true, why);
    if (!tls || !load_identity(tls, cert, key)) {
        return give_up(tls, why, "the certificate or its key cannot be used");
    }
    if (client_ca) {
        if (SSL_CTX_load_verify_locations(tls->context, client_ca, NULL) != 1) {
            return give_up(tls, why,
                           "the agents' certificate authority cannot be read");
        }
        SSL_CTX_set_verify(tls->context,
                           SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    }
    return tls;
}

nt_tls *nt_tls_client(const char *ca, const char *cert, const char *key, mt_buf *why)
{
    nt_tls *tls = tls_new(false, why);
    bool trust = tls && (ca ? SSL_CTX_load_verify_locations(tls->context, ca, NULL) == 1
                            : SSL_CTX_set_default_verify_paths(tls->context) == 1);
    if (!trust) {
        return give_up(tls, why, "the certificate authority cannot be read");
    }
    if (cert && !load_identity(tls, cert, key)) {
        return give_up(tls, why, "the certificate or its key cannot be used");
    }
    SSL_CTX_set_verify(tls->context, SSL_VERIFY_PEER, NULL);
    return tls;
}

/* A name is checked as a name, an address as an address. */
static bool demand_name(SSL *ssl, const char *host)
{
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1) {
        return true;
    }
    ERR_clear_error();
    /* SSL_set_tlsext_host_name() without its cast; the library only reads. */
    return SSL_set1_host(ssl, host) == 1 &&
           SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                    (void *)(uintptr_t)host) == 1;
}

bool nt_stream_open(nt_stream *s, int fd, nt_tls *tls, const char *host)
{
    *s = (nt_stream){.fd = fd};
    if (!tls) {
        return true;
    }
    SSL *ssl = SSL_new(tls->context);
    s->ssl = ssl;
    s->handshaking = true;
    if (!ssl || SSL_set_fd(ssl, fd) != 1 || (host && !demand_name(ssl, host))) {
        return false;
    }
    if (host) {
        SSL_set_connect_state(ssl);
    } else {
        SSL_set_accept_state(ssl);
    }
    return true;
}

void nt_stream_close(nt_stream *s)
{
    if (s->ssl) {
        if (!s->handshaking) {
            SSL_shutdown(s->ssl); /* says goodbye once; nobody waits for the answer */
        }
        SSL_free(s->ssl);
        ERR_clear_error();
    }
    if (s->fd >= 0) {
        close(s->fd);
    }
    *s = (nt_stream){.fd = -1};
}

mt_err nt_stream_handshake(nt_stream *s)
{
    if (!s->handshaking) {
        return MT_OK;
    }
    ERR_clear_error();
    int done = SSL_do_handshake(s->ssl);
    if (done == 1) {
        s->handshaking = false;
        return MT_OK;
    }
    int why = SSL_get_error(s->ssl, done);
    return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE ? MT_E_BUSY
                                                                     : MT_E_DENIED;
}

static ssize_t plain_result(ssize_t n)
{
    if (n >= 0) {
        return n;
    }
    return errno == EAGAIN || errno == EINTR ? NT_STREAM_WAIT : NT_STREAM_BROKEN;
}

static ssize_t tls_result(nt_stream *s, int n)
{
    if (n > 0) {
        return n;
    }
    int why = SSL_get_error(s->ssl, n);
    if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) {
        return NT_STREAM_WAIT;
    }
    ERR_clear_error();
    return why == SSL_ERROR_ZERO_RETURN ? NT_STREAM_END : NT_STREAM_BROKEN;
}

static int as_int(size_t size)
{
    return size < INT_MAX ? (int)size : INT_MAX;
}

ssize_t nt_stream_read(nt_stream *s, char *to, size_t size)
{
    if (s->ssl) {
        return tls_result(s, SSL_read(s->ssl, to, as_int(size)));
    }
    return plain_result(recv(s->fd, to, size, 0));
}

ssize_t nt_stream_write(nt_stream *s, const char *from, size_t size)
{
    if (s->ssl) {
        return tls_result(s, SSL_write(s->ssl, from, as_int(size)));
    }
    return plain_result(send(s->fd, from, size, MSG_NOSIGNAL));
}

ssize_t nt_stream_gather(nt_stream *s, struct iovec *pieces, size_t count)
{
    struct msghdr message = {.msg_iov = pieces, .msg_iovlen = count};
    return plain_result(sendmsg(s->fd, &message, MSG_NOSIGNAL));
}
