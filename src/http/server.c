/* http/server.c - the front door's life: opening, keeping house, draining, closing.
 *
 * Order of opening: tokens of the store, address, descriptors, socket, peers, streams,
 * workers, the library's threads, the house keeper. The house keeper wakes every
 * KEEP_HOUSE_MS: it refreshes tokens, sends idle connections away and feeds event
 * streams.
 *
 * Invariants: the network's threads end before anything they touch is closed or freed,
 * the listening socket included; a call under way is answered before the workers go.
 * While it drains nobody new connects and new requests get 503.
 *
 * What may fail: opening, with one sentence (the address, the certificate, the tokens
 * of the store). Draining may leave calls behind, and says so. libmicrohttpd is loaded
 * here. */
#include "http/server.h"

#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <sodium.h>

#include "base/wait.h"
#include "http/server_state.h"
#include "os/address.h"

enum { KEEP_HOUSE_MS = 250, CONNECTION_BYTES = 32 << 10, OWN_FILES = 128 };

/* TLS 1.2 and 1.3; ciphers that authenticate what they encrypt, keys that are agreed
 * upon anew each time, so that a stolen private key opens no recorded conversation. */
static char TLS_PRIORITIES[] =
    "NONE:+VERS-TLS1.3:+VERS-TLS1.2:+ECDHE-ECDSA:+ECDHE-RSA:+AES-256-GCM:"
    "+CHACHA20-POLY1305:+AES-128-GCM:+AEAD:+GROUP-X25519:+GROUP-SECP256R1:"
    "+GROUP-SECP384R1:+GROUP-SECP521R1:+SIGN-ALL:-SIGN-RSA-SHA1:-SIGN-ECDSA-SHA1:"
    "-SIGN-RSA-SHA224:-SIGN-ECDSA-SHA224:+CTYPE-X509:%SERVER_PRECEDENCE";

const ht_options HT_OPTIONS_DEFAULT = {
    .listen = "127.0.0.1:8440",
    .threads = 1,
    .max_body = 1 << 20,
    .max_streams = 1000,
    .heartbeat_seconds = 15,
    .peers = {.connections = 16384,
              .seconds = {[HT_WAITING] = 60, [HT_SENDING] = 30, [HT_READING] = 120}},
};

/* ---- What libmicrohttpd calls ---- */

static enum MHD_Result admit(void *state, const struct sockaddr *from, socklen_t len)
{
    (void)len;
    ht_server *s = state;
    return ht_peers_admit(s->peers, from, ht_now_ms()) ? MHD_YES : MHD_NO;
}

/* The context of a connection is its peer; each request finds it there. Called on the
 * thread that owns the connection. */
static void notice_connection(void *state, struct MHD_Connection *c, void **context,
                              enum MHD_ConnectionNotificationCode code)
{
    ht_server *s = state;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (*context) {
            ht_identity_drop(((ht_peer *)*context)->certificate);
            ht_peers_remove(s->peers, *context);
            *context = NULL;
        }
        return;
    }
    const union MHD_ConnectionInfo *fd =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    const union MHD_ConnectionInfo *from =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    *context = ht_peers_add(s->peers, fd->connect_fd, from->client_addr, ht_now_ms());
}

/* Escapes are decoded by http/path.c, once. */
static size_t keep_escapes(void *state, struct MHD_Connection *c, char *text)
{
    (void)state, (void)c;
    return strlen(text);
}

__attribute__((format(printf, 2, 0))) static void
log_library(void *state, const char *format, va_list args)
{
    const ht_server *s = state;
    mt_buf text = {0};
    mt_buf_addfv(&text, format, args);
    ht_log_text(s->options.log, HT_DEBUG, "http_library", "message",
                mt_str_trim(mt_buf_str(&text), MT_STR("\n")));
    mt_buf_free(&text);
}

/* ---- Keeping house ---- */

/* One thread beside the network: streams as soon as there is news, connections and
 * tokens once per KEEP_HOUSE_MS. A revoked token is refused after that time at the
 * latest. */
static void *keep_house(void *state)
{
    ht_server *s = state;
    int64_t refreshed = 0;
    while (!atomic_load(&s->stopping)) {
        pthread_mutex_lock(&s->lock);
        (void)mt_cond_wait(&s->wake, &s->lock, mt_wait_end(KEEP_HOUSE_MS));
        pthread_mutex_unlock(&s->lock);
        int64_t now = ht_now_ms();
        ht_streams_tend(s->streams, now);
        if (now - refreshed >= KEEP_HOUSE_MS) {
            refreshed = now;
            ht_peers_sweep(s->peers, now);
            bool changed;
            if (!ht_tokens_refresh(s->tokens, &changed) && changed) {
                ex_executor_take_up(s->options.executor);
            }
        }
    }
    return NULL;
}

/* ---- Opening ---- */

static bool is_loopback(const os_address *a)
{
    if (a->at.ss_family == AF_INET) {
        const struct sockaddr_in *four = (const struct sockaddr_in *)&a->at;
        return ntohl(four->sin_addr.s_addr) >> 24 == 127;
    }
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&a->at;
    return a->at.ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

/* As many files as the system lets us have; fewer connections if that is too few. */
static void fit_connections(ht_server *s)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0) {
        return;
    }
    rlim_t wanted = s->options.peers.connections + OWN_FILES;
    if (files.rlim_cur < wanted) {
        files.rlim_cur = wanted < files.rlim_max ? wanted : files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    if (files.rlim_cur < wanted) {
        size_t fits =
            files.rlim_cur > 2 * OWN_FILES ? files.rlim_cur - OWN_FILES : OWN_FILES;
        char text[64];
        int len = snprintf(text, sizeof text, "%zu instead of %zu", fits,
                           s->options.peers.connections);
        ht_log_text(s->options.log, HT_WARN, "fewer_connections", "limit",
                    mt_str_from(text, (size_t)len));
        s->options.peers.connections = fits;
    }
}

/* A server without tokens lets everybody do everything; it therefore listens on this
 * machine only, unless told otherwise in words. */
static mt_err find_address(const ht_server *s, os_address *out, mt_buf *why)
{
    mt_err err = os_address_find(s->options.listen, out);
    if (err) {
        mt_buf_addf(why, "%s is not an address to listen on (HOST:PORT)",
                    s->options.listen);
        return err;
    }
    if (ht_tokens_open_to_all(s->tokens) && !is_loopback(out) && !s->options.insecure) {
        mt_buf_addf(why,
                    "there are no tokens, so anyone who can reach %s could do "
                    "anything; make one (motet token create), listen on 127.0.0.1, "
                    "or say --insecure",
                    s->options.listen);
        return MT_E_DENIED;
    }
    return MT_OK;
}

/* The port may be 0; what the system chose is printed from the socket, not from the
 * setting. */
static mt_err bind_socket(ht_server *s, const os_address *at, int *fd, mt_buf *why)
{
    os_address bound;
    *fd = os_listen(at, 4096);
    if (*fd < 0) {
        mt_buf_addf(why, "cannot listen on %s: %s", s->options.listen, strerror(errno));
        return MT_E_IO;
    }
    (void)os_address_of(*fd, &bound);
    os_address_print(&bound, s->address);
    return MT_OK;
}

/* The certificate is asked for with each handshake (http/tls.h). The library knows one
 * time-out for a connection; http/peers.c has one for each thing a connection may be
 * doing. */
static struct MHD_Daemon *start_daemon(ht_server *s, int fd)
{
    const ht_options *o = &s->options;
    unsigned threads = o->threads ? o->threads : 1;
    struct MHD_OptionItem extra[6] = {{MHD_OPTION_END, 0, NULL}};
    size_t n = 0;
    if (threads > 1) {
        extra[n++] = (struct MHD_OptionItem){MHD_OPTION_THREAD_POOL_SIZE,
                                             (intptr_t)threads, NULL};
    }
    if (o->tls_cert.len) {
        extra[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_CERT_CALLBACK, 0,
                                             ht_tls_callback()};
        extra[n++] =
            (struct MHD_OptionItem){MHD_OPTION_HTTPS_PRIORITIES, 0, TLS_PRIORITIES};
    }
    if (o->tls_cert.len && o->certificates) {
        mt_str trusted = au_certificates_trusted(o->certificates);
        extra[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_TRUST, 0,
                                             (void *)(uintptr_t)trusted.ptr};
    }
    extra[n] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
                     MHD_USE_ERROR_LOG | (o->tls_cert.len ? MHD_USE_TLS : 0);
    /* Connections are counted by http/peers.c, over all threads; the library divides
     * its own limit among them, so it gets a larger one. */
    unsigned most = (unsigned)(o->peers.connections + OWN_FILES) * threads;
    return MHD_start_daemon(
        flags, 0, admit, s, ht_request_go_on, s, MHD_OPTION_EXTERNAL_LOGGER,
        log_library, s, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, most,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
        MHD_OPTION_CONNECTION_TIMEOUT, o->peers.seconds[HT_READING],
        MHD_OPTION_NOTIFY_COMPLETED, ht_request_end, s, MHD_OPTION_NOTIFY_CONNECTION,
        notice_connection, s, MHD_OPTION_URI_LOG_CALLBACK, ht_request_begin, s,
        MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, s, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_ARRAY, extra, MHD_OPTION_END);
}

/* Before the first request, so that nobody has to ask whether it is there. */
static mt_err open_exporter(ht_server *s, mt_buf *why)
{
    tr_exporter_options o = {.settings = s->options.otlp,
                             .version = s->options.version,
                             .tell = ht_server_tell,
                             .tell_state = s,
                             .log = ht_log_write,
                             .log_state = (void *)(uintptr_t)s->options.log};
    return s->options.otlp ? tr_exporter_open(&o, &s->exporter, why) : MT_OK;
}

/* ORDER: tokens before the address, since without tokens some addresses are refused;
 * everything a request needs before the daemon, since it may call at once. */
static mt_err start(ht_server *s, mt_buf *why)
{
    os_address at;
    int fd = -1;
    const char *missing = mt_late_load(&mt_late_microhttpd);
    if (missing) {
        mt_buf_addz(why, missing);
        return MT_E_IO;
    }
    mt_err err = ht_tokens_open(s->options.store, &s->tokens, why);
    if (!err && (s->options.oidc || s->options.certificates)) {
        ht_tokens_close(s->tokens);
    }
    s->known = (ht_known){s->options.people, s->tokens};
    s->ask = (ex_people){ht_people_find, ht_people_list, &s->known};
    err = err ? err : find_address(s, &at, why);
    if (err) {
        return err;
    }
    s->started_open = ht_tokens_open_to_all(s->tokens);
    fit_connections(s);
    err = bind_socket(s, &at, &fd, why);
    if (err) {
        return err;
    }
    s->peers = ht_peers_new(&s->options.peers);
    s->streams = ht_streams_new(s);
    s->workers = s->options.workers ? ht_workers_start(s, s->options.workers) : NULL;
    if (s->options.oidc) {
        s->believed = ht_believed_new();
        s->sessions = ht_sessions_new();
        s->outside = ht_outside_start(s, ht_request_turn_away);
    }
    err = s->options.tls_cert.len
              ? ht_tls_open(s->options.tls_cert, s->options.tls_key, &s->tls, why)
              : MT_OK;
    err = err ? err : open_exporter(s, why);
    s->daemon = err ? NULL : start_daemon(s, fd);
    if (err) {
        close(fd);
        return err;
    }
    if (!s->daemon) {
        close(fd);
        mt_buf_addf(why, "cannot serve on %s", s->address);
        return MT_E_IO;
    }
    ex_executor_take_up(s->options.executor); /* what commands queued meanwhile */
    s->keeper_runs = pthread_create(&s->keeper, NULL, keep_house, s) == 0;
    return MT_OK;
}

/* On failure everything that was made so far is freed by the same function that ends a
 * running server. */
mt_err ht_server_open(const ht_options *options, ht_server **out, mt_buf *why)
{
    if (sodium_init() < 0) {
        MT_BUG("libsodium cannot be used");
    }
    ht_server *s = mt_xmalloc(sizeof *s);
    memset(s, 0, sizeof *s);
    s->options = *options;
    s->listener = MHD_INVALID_SOCKET;
    s->options.peers.seconds[HT_SERVED] = 0;
    pthread_mutex_init(&s->lock, NULL);
    pthread_mutex_init(&s->tell_lock, NULL);
    s->figures = ht_figures_new();
    s->tools = tl_desk_new(options->executor, options->version.ptr);
    mt_cond_init(&s->wake);
    randombytes_buf(&s->id_start, sizeof s->id_start);
    mt_err err = start(s, why);
    if (err) {
        ht_server_free(s);
        return err;
    }
    *out = s;
    return MT_OK;
}

const char *ht_server_address(const ht_server *s)
{
    return s->address;
}

bool ht_server_is_open_to_all(const ht_server *s)
{
    return ht_tokens_open_to_all(s->tokens);
}

mt_err ht_server_certify(ht_server *s, mt_str cert, mt_str key, mt_buf *why)
{
    return ht_tls_replace(s->tls, cert, key, why);
}

/* ---- Stopping ---- */

/* Is anybody still sending a request or reading an answer? */
static bool is_busy(ht_server *s)
{
    ht_peer_counts counts;
    ht_peers_count(s->peers, &counts);
    return counts.doing[HT_SENDING] || counts.doing[HT_SERVED] ||
           counts.doing[HT_READING];
}

/* The answers are there; give them a moment to be read. */
static void let_read(ht_server *s, int64_t until)
{
    int64_t moment = os_now_ms() + 1000;
    until = moment < until ? moment : until;
    while (is_busy(s) && os_now_ms() < until) {
        usleep(2000);
    }
}

/* From here on nobody is let in, and the executor is not asked for figures. */
static void stop_telling(ht_server *s)
{
    pthread_mutex_lock(&s->tell_lock);
    atomic_store(&s->draining, true);
    pthread_mutex_unlock(&s->tell_lock);
}

/* True: no call is left and the executor may be closed after the server. New calls are
 * refused from the first line on; those that were admitted get `seconds`. */
bool ht_server_drain(ht_server *s, unsigned seconds)
{
    int64_t until = os_now_ms() + (int64_t)seconds * 1000;
    stop_telling(s);
    /* The library's threads may still touch the socket, so its number stays taken until
     * they have ended; nobody can connect to it from here on. */
    s->listener = MHD_quiesce_daemon(s->daemon);
    if (s->listener != MHD_INVALID_SOCKET) {
        (void)shutdown(s->listener, SHUT_RDWR);
    }
    ht_streams_end(s->streams);
    while (atomic_load(&s->under_way) && os_now_ms() < until) {
        usleep(2000);
    }
    let_read(s, until);
    return atomic_load(&s->under_way) == 0;
}

/* Safe at every point of start(). ORDER: house keeper, streams, workers, daemon,
 * exporter; each uses what follows it. Requests of the pool are freed after the daemon,
 * which gives them back. */
void ht_server_free(ht_server *s)
{
    stop_telling(s);
    atomic_store(&s->stopping, true);
    if (s->keeper_runs) {
        pthread_cond_signal(&s->wake);
        pthread_join(s->keeper, NULL);
    }
    if (s->streams) {
        ht_streams_end(s->streams);
    }
    /* Whoever came before `stopping` still needs the workers; who comes after it is
     * turned away. */
    for (int i = 0; atomic_load(&s->under_way) && i < 1000; i++) {
        usleep(2000);
    }
    ht_workers_stop(s->workers);
    ht_outside_stop(s->outside);
    if (s->daemon) {
        let_read(s, INT64_MAX); /* what closing has answered, too */
        MHD_stop_daemon(s->daemon);
    }
    if (s->listener != MHD_INVALID_SOCKET) {
        close(s->listener);
    }
    ht_tls_free(s->tls);
    tr_exporter_close(
        s->exporter); /* until here it asks for figures of all the others */
    ht_workers_free(s->workers);
    if (s->streams) {
        ht_streams_free(s->streams);
    }
    for (ht_request *r; (r = s->pool);) {
        s->pool = r->next;
        ht_request_free(r);
    }
    if (s->peers) {
        ht_peers_free(s->peers);
    }
    ht_tokens_free(s->tokens);
    ht_figures_free(s->figures);
    tl_desk_free(s->tools);
    pthread_mutex_destroy(&s->tell_lock);
    ht_believed_free(s->believed);
    ht_sessions_free(s->sessions);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->wake);
    free(s);
}
