/* http/local.c - the local Studio's door: who may come in, and to what.
 *
 * A request is judged at its head, before anything of its body is taken: the form of
 * the head, the host (names that others own lead here too, if they say so to a
 * browser), the route, where the page is from, the session. Then the body comes in, up
 * to the route's ceiling, and the route answers with a status and JSON.
 *
 * Whoever connects and says nothing holds nobody up: when many are open, who waited
 * longest is sent away for a newcomer (http/peers.h).
 *
 * Invariants: nothing of the folder is told, and nothing is done, for a request without
 * the session; the secret is compared in constant time and wiped when it was used.
 * May fail: opening, with one sentence. */
#include "http/local.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <sodium.h>

#include "http/local_state.h"
#include "http/studio.h"
#include "os/address.h"
#include "os/clock.h"

#define API "/studio/local/"
/* From half of them on, newcomers take the place of who says nothing. The library's own
 * limit is above it: at that it would accept nobody, and nobody could be sent away. */
enum { CONNECTIONS = 128, SPARE = 16, CONNECTION_BYTES = 32 << 10, SMALL = 4 << 10 };
static const ht_peer_limits PEERS = {
    .connections = CONNECTIONS,
    .seconds = {[HT_WAITING] = 60, [HT_SENDING] = 30, [HT_READING] = 120}};

const char *const HT_LOCAL_SUFFIXES[] = {".tenor", ".json", ".yaml", ".yml", NULL};

/* ---- Routes ---- */

static int begin_session(ht_visit *v);

struct ht_local_route {
    const char *method, *path;
    int (*answer)(ht_visit *v);
    size_t body;        /* bytes at most */
    bool needs_session; /* all but the one that begins it */
};

/* JSON writes a byte as six at most. */
static const ht_local_route ROUTES[] = {
    {"POST", API "session", begin_session, SMALL, false},
    {"GET", API "files", ht_local_list, 0, true},
    {"POST", API "read", ht_local_read, HT_LOCAL_FILES *(OS_FOLDER_NAME_BYTES + 8),
     true},
    {"PUT", API "file", ht_local_save, 6 * HT_LOCAL_FILE_BYTES + SMALL, true},
    {"POST", API "ask", ht_local_ask, 2 * HT_LOCAL_TOTAL_BYTES, true},
};
enum { ROUTE_COUNT = sizeof ROUTES / sizeof *ROUTES };

/* ---- Answers ---- */

int ht_local_problem(ht_visit *v, int status, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    mt_str detail = mt_strfv(&v->arena, format, args);
    va_end(args);
    mt_buf_clear(&v->out);
    mt_jw w = mt_jw_start(&v->out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "code", mt_str_z(code));
    mt_jw_key_str(&w, "detail", detail);
    mt_jw_end_object(&w);
    return status;
}

static void add(struct MHD_Response *answer, const char *name, const char *value)
{
    MHD_add_response_header(answer, name, value);
}

static void now_is(const ht_visit *v, ht_doing doing)
{
    ht_peers_now(v->server->peers, v->peer, doing, os_now_ms());
}

static enum MHD_Result queue(const ht_visit *v, int status, struct MHD_Response *answer)
{
    if (!answer) {
        return MHD_NO;
    }
    now_is(v, HT_READING);
    enum MHD_Result result =
        MHD_queue_response(v->connection, (unsigned)status, answer);
    MHD_destroy_response(answer);
    return result;
}

/* What is told is for this page only, and for now. */
static enum MHD_Result send_json(ht_visit *v, int status)
{
    struct MHD_Response *answer = MHD_create_response_from_buffer(
        v->out.len, v->out.ptr,
        /* The library frees with free(), which is what mt_buf allocates with. */
        v->out.ptr ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
    if (answer) {
        v->out = (mt_buf){0};
        add(answer, "Content-Type",
            status < 400 ? "application/json" : "application/problem+json");
        add(answer, "Cache-Control", "no-store");
        add(answer, "Cross-Origin-Resource-Policy", "same-origin");
        add(answer, "X-Content-Type-Options", "nosniff");
        if (v->cookie) {
            add(answer, "Set-Cookie", v->cookie);
        }
    }
    return queue(v, status, answer);
}

/* The page: the same bytes for everybody. It learns from Server-Timing, which scripts
 * can read of their own page, that there are files to be asked for; so it asks no other
 * server in vain. That must not come from a cache. */
static enum MHD_Result send_page(ht_visit *v, mt_str name)
{
    const ht_file *f = ht_studio_find(name);
    if (!f) {
        return send_json(
            v, ht_local_problem(v, 404, "not_found", "the page has no such file"));
    }
    bool known = f->lasts && ht_head_has_etag(&v->head, mt_str_z(f->etag));
    struct MHD_Response *answer = ht_studio_response(f, known);
    if (answer && !f->lasts) {
        add(answer, "Server-Timing", "motet-local");
    }
    return queue(v, known ? 304 : 200, answer);
}

static enum MHD_Result send_to_page(ht_visit *v)
{
    struct MHD_Response *answer =
        MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    if (answer) {
        add(answer, "Location", "/studio/");
    }
    return queue(v, 303, answer);
}

bool ht_local_form(ht_visit *v, const mt_form_row *rows, size_t count, void *out)
{
    mt_json *tree = mt_new(&v->arena, mt_json);
    mt_form form = {.arena = &v->arena, .what = "a request"};
    return !mt_json_read(&v->arena, mt_buf_str(&v->body), NULL, tree, NULL) &&
           mt_form_read(&form, tree, rows, count, out);
}

/* ---- The session ---- */

typedef struct opener {
    mt_str secret;
} opener;
static const mt_form_row OPENER[] = {
    MT_FORM_TEXT(opener, secret, "secret", MT_FORM_REQUIRED)};

/* The name has the port: two Studios on one machine do not take each other's. */
static mt_str cookie_name(ht_visit *v)
{
    return mt_strf(&v->arena, "motet_studio_%u", v->server->port);
}

static void tell_session(ht_visit *v)
{
    ht_local *s = v->server;
    mt_jw w = mt_jw_start(&v->out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "key", mt_str_z(s->key.text));
    mt_jw_end_object(&w);
    v->cookie =
        mt_strf(&v->arena, "%s=%s; Path=/studio/local; HttpOnly; SameSite=Strict",
                cookie_name(v).ptr, s->cookie.text)
            .ptr;
}

static int exchange(ht_visit *v, mt_str shown)
{
    ht_local *s = v->server;
    if (s->used) {
        return ht_local_problem(v, 410, "used",
                                "this address was used already; it is good once. End "
                                "motet studio and start it again for another");
    }
    if (!ht_text_is(&s->secret, shown)) {
        return ht_local_problem(v, 403, "wrong_secret",
                                "this is not the secret that motet studio printed");
    }
    s->used = true;
    sodium_memzero(&s->secret, sizeof s->secret);
    ht_text_make(&s->cookie);
    ht_text_make(&s->key);
    tell_session(v);
    return 200;
}

static int begin_session(ht_visit *v)
{
    opener s = {0};
    if (!ht_local_form(v, OPENER, mt_form_count(OPENER), &s)) {
        return ht_local_problem(v, 400, "bad_request", "send {\"secret\": TEXT}");
    }
    pthread_mutex_lock(&v->server->lock);
    int status = exchange(v, s.secret);
    pthread_mutex_unlock(&v->server->lock);
    return status;
}

static bool has_session(ht_visit *v)
{
    ht_local *s = v->server;
    mt_str cookie = ht_head_cookie(&v->head, cookie_name(v));
    pthread_mutex_lock(&s->lock);
    bool has =
        s->used && ht_text_is(&s->cookie, cookie) && ht_text_is(&s->key, v->head.csrf);
    pthread_mutex_unlock(&s->lock);
    return has;
}

/* ---- The head ---- */

static enum MHD_Result add_field(void *state, enum MHD_ValueKind kind, const char *name,
                                 size_t name_len, const char *value, size_t value_len)
{
    ht_visit *v = state;
    (void)kind;
    ht_head_add(&v->head, mt_str_from(name, name_len), mt_str_from(value, value_len));
    return MHD_YES;
}

/* Exactly as the address that was printed, or as people call this machine. A name that
 * somebody else has pointed here is neither. */
static bool is_our_host(const ht_visit *v)
{
    unsigned port = v->server->port;
    return ht_head_host_is(&v->head, MT_STR("127.0.0.1"), port) ||
           ht_head_host_is(&v->head, MT_STR("localhost"), port);
}

/* 0: go on; else the status of a refusal. */
static int judge_route(ht_visit *v, const char *method, const char *url)
{
    bool known = false;
    for (size_t i = 0; i < ROUTE_COUNT && !v->route; i++) {
        bool here = strcmp(ROUTES[i].path, url) == 0;
        known = known || here;
        v->route = here && strcmp(ROUTES[i].method, method) == 0 ? &ROUTES[i] : NULL;
    }
    if (!v->route) {
        return ht_local_problem(v, known ? 405 : 404, "not_found", "%s",
                                known ? "not by this method"
                                      : "there is no such thing");
    }
    if (!ht_head_is_own_origin(&v->head)) {
        return ht_local_problem(v, 403, "foreign_page",
                                "this was sent by another page than Studio");
    }
    if (v->route->needs_session && !has_session(v)) {
        return ht_local_problem(v, 401, "no_session",
                                "open the address that motet studio printed");
    }
    if (ht_head_length(&v->head, 0) > v->route->body) {
        return ht_local_problem(v, 413, "too_large", "more than %zu bytes",
                                v->route->body);
    }
    return 0;
}

/* Files of the page are GET (or HEAD, which the library makes of it). */
static enum MHD_Result go_to_page(ht_visit *v, const char *method, const char *url)
{
    mt_str folder = MT_STR("/studio/"), at = mt_str_z(url);
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) {
        return send_json(v, ht_local_problem(v, 405, "not_found", "GET it"));
    }
    if (mt_str_is(at, "/") || mt_str_is(at, "/studio")) {
        return send_to_page(v);
    }
    at = ht_studio_target(at);
    return mt_str_starts(at, folder)
               ? send_page(v, mt_str_skip(at, folder.len))
               : send_json(v, ht_local_problem(v, 404, "not_found",
                                               "there is /studio/ and nothing else"));
}

/* The request's first call. */
static enum MHD_Result take_head(ht_visit *v, const char *method, const char *url)
{
    MHD_get_connection_values_n(v->connection, MHD_HEADER_KIND, add_field, v);
    if (!ht_head_check(&v->head)) {
        return send_json(v,
                         ht_local_problem(v, 400, "bad_request", "%s", v->head.fault));
    }
    if (!is_our_host(v)) {
        return send_json(v, ht_local_problem(v, 421, "foreign_host",
                                             "this is not an address of Studio"));
    }
    if (!mt_str_starts(mt_str_z(url), MT_STR(API))) {
        return go_to_page(v, method, url);
    }
    int status = judge_route(v, method, url);
    if (status) {
        return send_json(v, status);
    }
    v->body.ceiling = v->route->body ? v->route->body : 1;
    if (v->route->needs_session) { /* anybody can promise a body and not send it */
        now_is(v, HT_SENDING);
    }
    return MHD_YES;
}

static ht_peer *peer_of(struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *i =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return i->socket_context;
}

/* Called for the head, for each piece of the body, and at the end. */
static enum MHD_Result go_on(void *state, struct MHD_Connection *c, const char *url,
                             const char *method, const char *version,
                             const char *upload, size_t *upload_size, void **request)
{
    ht_visit *v = *request;
    (void)version;
    if (!v) {
        v = mt_xmalloc(sizeof *v);
        *v = (ht_visit){.server = state, .connection = c, .peer = peer_of(c)};
        *request = v;
        return take_head(v, method, url);
    }
    if (*upload_size) {
        mt_buf_add(&v->body, upload, *upload_size); /* beyond the ceiling: dropped */
        *upload_size = 0;
        return MHD_YES;
    }
    if (v->body.full) {
        return send_json(v, ht_local_problem(v, 413, "too_large", "more than %zu bytes",
                                             v->route->body));
    }
    now_is(v, HT_SERVED);
    return send_json(v, v->route->answer(v));
}

static void end_request(void *state, struct MHD_Connection *c, void **request,
                        enum MHD_RequestTerminationCode how)
{
    ht_visit *v = *request;
    (void)state, (void)c, (void)how;
    if (v) {
        now_is(v, HT_WAITING);
        mt_buf_free(&v->body);
        mt_buf_free(&v->out);
        mt_arena_free(&v->arena);
        free(v);
        *request = NULL;
    }
}

/* ---- Connections ---- */

/* Who took too long goes when somebody else comes: until then it is in nobody's way. */
static enum MHD_Result admit(void *state, const struct sockaddr *from, socklen_t len)
{
    const ht_local *s = state;
    int64_t now = os_now_ms();
    (void)len;
    ht_peers_sweep(s->peers, now);
    return ht_peers_admit(s->peers, from, now) ? MHD_YES : MHD_NO;
}

/* The context of a connection is its peer. */
static void notice_connection(void *state, struct MHD_Connection *c, void **context,
                              enum MHD_ConnectionNotificationCode code)
{
    const ht_local *s = state;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        ht_peers_remove(s->peers, *context);
        return;
    }
    int fd = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    const struct sockaddr *from =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
    *context = ht_peers_add(s->peers, fd, from, os_now_ms());
}

/* ---- Life ---- */

/* Escapes stay: no name of ours has one. */
static size_t keep_escapes(void *state, struct MHD_Connection *c, char *text)
{
    (void)state, (void)c;
    return strlen(text);
}

/* A thread for each connection: a question may take long, and others go on. */
static struct MHD_Daemon *start_daemon(ht_local *s, int fd)
{
    return MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION, 0, admit, s,
        go_on, s, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)(CONNECTIONS + SPARE), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CONNECTION_BYTES, MHD_OPTION_CONNECTION_TIMEOUT,
        PEERS.seconds[HT_WAITING], MHD_OPTION_NOTIFY_COMPLETED, end_request, s,
        MHD_OPTION_NOTIFY_CONNECTION, notice_connection, s,
        MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, s, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_END);
}

static mt_err listen_here(ht_local *s, int *fd, mt_buf *why)
{
    os_address at, bound;
    char text[32], host[OS_HOST_TEXT], port[8];
    snprintf(text, sizeof text, "127.0.0.1:%u", s->o.port);
    *fd = os_address_find(text, &at) ? -1 : os_listen(&at, CONNECTIONS);
    if (*fd < 0) {
        mt_buf_addf(why, "cannot listen on %s: %s", text, strerror(errno));
        return errno == EADDRINUSE ? MT_E_EXISTS : MT_E_IO;
    }
    char shown[OS_ADDRESS_TEXT];
    (void)os_address_of(*fd, &bound);
    os_address_print(&bound, shown);
    (void)os_address_split(shown, host, port);
    s->port = (unsigned)strtoul(port, NULL, 10);
    return MT_OK;
}

static mt_err start(ht_local *s, mt_buf *why)
{
    int fd;
    const char *missing = mt_late_load(&mt_late_microhttpd);
    if (missing) {
        mt_buf_addz(why, missing);
        return MT_E_IO;
    }
    mt_err err = listen_here(s, &fd, why);
    if (err) {
        return err;
    }
    ht_text_make(&s->secret);
    s->address = mt_strf(&s->arena, "http://127.0.0.1:%u/studio/#/source?key=%s",
                         s->port, s->secret.text);
    /* From here on the library owns the socket, unless it could not start. */
    s->daemon = start_daemon(s, fd);
    if (!s->daemon) {
        close(fd);
        mt_buf_addf(why, "cannot serve on 127.0.0.1:%u", s->port);
        return MT_E_IO;
    }
    return MT_OK;
}

mt_err ht_local_open(const ht_local_options *options, ht_local **out, mt_buf *why)
{
    if (sodium_init() < 0) {
        MT_BUG("libsodium cannot be used");
    }
    ht_local *s = mt_xmalloc(sizeof *s);
    *s = (ht_local){.o = *options, .peers = ht_peers_new(&PEERS)};
    pthread_mutex_init(&s->lock, NULL);
    pthread_mutex_init(&s->write, NULL);
    pthread_mutex_init(&s->looking, NULL);
    pthread_mutex_init(&s->asking, NULL);
    mt_err err = start(s, why);
    if (err) {
        ht_local_close(s);
        return err;
    }
    *out = s;
    return MT_OK;
}

mt_str ht_local_address(const ht_local *s)
{
    return s->address;
}

/* ORDER: what a connection waits for ends first, or stopping would wait for it. */
void ht_local_close(ht_local *s)
{
    if (!s) {
        return;
    }
    ht_local_ask_stop(s);
    if (s->daemon) {
        MHD_stop_daemon(s->daemon);
    }
    ht_peers_free(s->peers);
    pthread_mutex_destroy(&s->lock);
    pthread_mutex_destroy(&s->write);
    pthread_mutex_destroy(&s->looking);
    pthread_mutex_destroy(&s->asking);
    mt_arena_free(&s->seen_arena);
    mt_arena_free(&s->arena);
    free(s);
}
