/* net/stream.h - a non-blocking byte stream: a TCP socket, with or without TLS.
 * Room: net. TLS 1.2 and newer, by libssl; a client checks the name of its server. */
#ifndef NT_STREAM_H
#define NT_STREAM_H

#include <sys/uio.h>

#include "base/str.h"

/* What reading or writing answers instead of a count of bytes. END is what the peer
 * said; over TLS nobody else can say it. */
enum { NT_STREAM_END = 0, NT_STREAM_WAIT = -1, NT_STREAM_BROKEN = -2 };

typedef struct nt_tls nt_tls; /* keys and trust, shared by many streams */

typedef struct nt_stream {
    int fd;
    void *ssl;        /* NULL: plain */
    bool handshaking; /* TLS only: nothing may be read or written yet */
} nt_stream;

/* NULL on failure, `why` then says what is wrong. `client_ca` may be NULL: agents need
 * no certificate. */
nt_tls *nt_tls_server(const char *cert, const char *key, const char *client_ca,
                      mt_buf *why);
/* `ca` NULL: the system's certificates. `cert` and `key` may be NULL. */
nt_tls *nt_tls_client(const char *ca, const char *cert, const char *key, mt_buf *why);
void nt_tls_free(nt_tls *tls);

/* Takes over the descriptor. `host`: the name a client demands of its server; NULL on
 * the server's side. `tls` NULL: plain. */
bool nt_stream_open(nt_stream *s, int fd, nt_tls *tls, const char *host);
void nt_stream_close(nt_stream *s);
/* MT_OK: done; MT_E_BUSY: wait for the socket; MT_E_DENIED: failed. */
mt_err nt_stream_handshake(nt_stream *s);
/* The last TLS failure of this thread as text ("" when there was none). */
void nt_tls_complaint(char *out, size_t size);

/* A count, NT_STREAM_WAIT, or 0 and less at the end; never blocks. */
ssize_t nt_stream_read(nt_stream *s, char *to, size_t size);
ssize_t nt_stream_write(nt_stream *s, const char *from, size_t size);
/* Several pieces at once; plain streams only. */
ssize_t nt_stream_gather(nt_stream *s, struct iovec *pieces, size_t count);

#endif
