/* http/server.h - the HTTP front door.
 * Room: http. Turns requests into calls of the executor and their replies into answers;
 * what a call means is not known here.
 *
 * Threads: `threads` network threads wait for sockets and never for anything else. A
 * call runs on the network thread when that cannot block (an embedded store, no
 * adapters: workers = 0), otherwise on one of `workers` threads; what takes long is
 * taken over by the executor's own workers, what writes is answered by its committer. A
 * connection whose answer is not there yet is suspended and costs nothing. One more
 * thread keeps house four times a second: it sends away who took too long, reads new
 * tokens, and feeds event streams. */
#ifndef HT_SERVER_H
#define HT_SERVER_H

#include "auth/certificate.h"
#include "http/log.h"
#include "http/peers.h"
#include "http/people.h"
#include "http/token_table.h"
#include "trace/exporter.h"

typedef struct ht_server ht_server;

typedef struct ht_options {
    ex_executor *executor;    /* borrowed */
    st_store *store;          /* borrowed; NULL: no tokens and no events */
    const ht_log *log;        /* borrowed; NULL: silent */
    const char *listen;       /* "127.0.0.1:8440"; port 0: any */
    mt_str tls_cert, tls_key; /* PEM text, each followed by a NUL; empty: no TLS;
                                 needed until ht_server_open() returns */
    unsigned threads;         /* 0: 1 */
    unsigned workers;         /* 0: calls run on the network threads */
    size_t max_body;
    mt_json_limits message; /* of the Model Context Protocol; 0: the defaults */
    size_t max_streams;
    ht_peer_limits peers;
    unsigned heartbeat_seconds; /* of event streams */
    const tr_settings *otlp;    /* borrowed; NULL: nothing is sent to a collector */
    mt_str version;             /* of the program, for the collector */
    bool insecure;              /* open to all although others can reach it */
    bool private_manifest;      /* discovery needs a token, too */
    bool access_log;
    au_oidc *oidc;                 /* borrowed; NULL: no providers */
    au_certificates *certificates; /* borrowed; NULL: none are asked for */
    const ht_people *people;       /* borrowed; NULL: no subjects but tokens */
    mt_str public_url;             /* where clients reach it; empty: as they say */
} ht_options;

extern const ht_options HT_OPTIONS_DEFAULT;

/* MT_OK: it listens. MT_E_USAGE, MT_E_NOTFOUND: the address; MT_E_DENIED: it would be
 * open to all on an address that others can reach; MT_E_IO. `why` gets one sentence. */
mt_err ht_server_open(const ht_options *options, ht_server **out, mt_buf *why);
/* "127.0.0.1:8440", with the port it got. */
const char *ht_server_address(const ht_server *s);
bool ht_server_is_open_to_all(const ht_server *s);
/* Another certificate, from the next connection on; for a server that has one. On
 * failure `why` has a sentence, and the one before stays. */
mt_err ht_server_certify(ht_server *s, mt_str cert, mt_str key, mt_buf *why);
/* Takes no more connections, answers new requests with 503, ends streams, and waits up
 * to `seconds` for the calls under way; false when some are left. */
bool ht_server_drain(ht_server *s, unsigned seconds);
/* After ht_server_drain(), and after the executor was closed if that said false. */
void ht_server_free(ht_server *s);

#endif
