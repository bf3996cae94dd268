/* http/witness_server.c - see witness_server.h.
 *
 * libmicrohttpd's one thread reads the body of a request piece by piece into a buffer
 * with a ceiling, asks the witness at its end, and sends the answer. A request that is
 * too large or of no known path is answered at its head.
 *
 * Invariants: the witness is asked by that thread only; a status is logged with why it
 * is not 200. Connections are few, small and short: the library's own limits do.
 * May fail: opening, with one sentence. */
#include "http/witness_server.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/late_microhttpd.h"
#include "os/address.h"

/* A log asks once for each checkpoint. PER_ADDRESS keeps one peer from taking all
 * places, and leaves room for several logs behind one address. */
enum { CONNECTIONS = 256, PER_ADDRESS = 64, SECONDS = 30, CONNECTION_BYTES = 16 << 10 };

struct ht_witness_server {
    ht_witness_options o;
    struct MHD_Daemon *daemon;
    char address[OS_ADDRESS_TEXT];
};

/* ---- One request ---- */

static enum MHD_Result reply(struct MHD_Connection *c, int status, const char *type,
                             mt_buf *body)
{
    struct MHD_Response *answer = MHD_create_response_from_buffer(
        body->len, body->ptr,
        /* The library frees with free(), which is what mt_buf allocates with. */
        body->ptr ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
    if (!answer) {
        mt_buf_free(body);
        return MHD_NO;
    }
    *body = (mt_buf){0};
    MHD_add_response_header(answer, "Content-Type", type);
    MHD_add_response_header(answer, "X-Content-Type-Options", "nosniff");
    enum MHD_Result result = MHD_queue_response(c, (unsigned)status, answer);
    MHD_destroy_response(answer);
    return result;
}

static enum MHD_Result say(struct MHD_Connection *c, int status, const char *sentence)
{
    mt_buf body = {0};
    mt_buf_addf(&body, "%s\n", sentence);
    return reply(c, status, "text/plain; charset=utf-8", &body);
}

static void log_refusal(const ht_witness_server *s, int status, mt_str why)
{
    mt_buf json = {0};
    mt_jw w = mt_jw_start(&json, false);
    mt_jw_begin_object(&w);
    mt_jw_key_i64(&w, "status", status);
    mt_jw_key_str(&w, "why", why);
    mt_jw_end_object(&w);
    ht_log_write(s->o.log, status == 500 ? HT_ERROR : HT_WARN, MT_STR("refused"),
                 mt_buf_str(&json));
    mt_buf_free(&json);
}

static enum MHD_Result add_checkpoint(ht_witness_server *s, struct MHD_Connection *c,
                                      mt_str body)
{
    mt_buf answer = {0}, why = {0};
    int status =
        ex_witness_answer(s->o.witness, body, (int64_t)time(NULL), &answer, &why);
    if (status != LG_COSIGN) {
        log_refusal(s, status, mt_buf_str(&why));
    }
    mt_buf_free(&why);
    return reply(c, status, ex_witness_type(status), &answer);
}

static enum MHD_Result show(ht_witness_server *s, struct MHD_Connection *c)
{
    mt_buf body = {0};
    mt_buf_adds(&body, s->o.about);
    ex_witness_show(s->o.witness, &body);
    return reply(c, 200, "text/plain; charset=utf-8", &body);
}

/* NULL: go on. */
static const char *refusal(const char *method, const char *url, int *status)
{
    bool root = strcmp(url, "/") == 0;
    bool add = strcmp(url, "/add-checkpoint") == 0;
    *status = root || add ? 405 : 404;
    if (!root && !add) {
        return "there is POST /add-checkpoint and GET /";
    }
    return strcmp(method, root ? "GET" : "POST") == 0 ? NULL
           : root                                     ? "GET it"
                                                      : "POST to it";
}

/* Called for the head (no buffer yet), for each piece, and at the end. */
static enum MHD_Result go_on(void *state, struct MHD_Connection *c, const char *url,
                             const char *method, const char *version,
                             const char *upload, size_t *upload_size, void **request)
{
    ht_witness_server *s = state;
    mt_buf *body = *request;
    int status;
    (void)version;
    if (!body) {
        const char *no = refusal(method, url, &status);
        if (no) {
            return say(c, status, no);
        }
        body = mt_xmalloc(sizeof *body);
        *body = (mt_buf){.ceiling = LG_WITNESS_BYTES};
        *request = body;
        return MHD_YES;
    }
    if (*upload_size) {
        /* Beyond the ceiling nothing is kept; the rest is read and dropped, for the
         * library can answer only at the end. */
        mt_buf_add(body, upload, *upload_size);
        *upload_size = 0;
        return MHD_YES;
    }
    return strcmp(method, "GET") == 0 ? show(s, c)
           : body->full               ? say(c, 413, "the request is too large")
                                      : add_checkpoint(s, c, mt_buf_str(body));
}

static void end_request(void *state, struct MHD_Connection *c, void **request,
                        enum MHD_RequestTerminationCode how)
{
    mt_buf *body = *request;
    (void)state, (void)c, (void)how;
    if (body) {
        mt_buf_free(body);
        free(body);
        *request = NULL;
    }
}

/* ---- Life ---- */

__attribute__((format(printf, 2, 0))) static void
log_library(void *state, const char *format, va_list args)
{
    const ht_witness_server *s = state;
    mt_buf text = {0};
    mt_buf_addfv(&text, format, args);
    ht_log_text(s->o.log, HT_DEBUG, "http_library", "message",
                mt_str_trim(mt_buf_str(&text), MT_STR("\n")));
    mt_buf_free(&text);
}

static struct MHD_Daemon *start_daemon(ht_witness_server *s, int fd)
{
    return MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG, 0, NULL,
                            NULL, go_on, s, MHD_OPTION_EXTERNAL_LOGGER, log_library, s,
                            MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
                            (unsigned)CONNECTIONS, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
                            (unsigned)PER_ADDRESS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                            (size_t)CONNECTION_BYTES, MHD_OPTION_CONNECTION_TIMEOUT,
                            (unsigned)SECONDS, MHD_OPTION_NOTIFY_COMPLETED, end_request,
                            s, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
}

static mt_err start(ht_witness_server *s, mt_buf *why)
{
    os_address at, bound;
    const char *missing = mt_late_load(&mt_late_microhttpd);
    if (missing) {
        mt_buf_addz(why, missing);
        return MT_E_IO;
    }
    if (os_address_find(s->o.listen, &at)) {
        mt_buf_addf(why, "%s is not an address to listen on (HOST:PORT)", s->o.listen);
        return MT_E_USAGE;
    }
    int fd = os_listen(&at, 128);
    if (fd < 0) {
        mt_buf_addf(why, "cannot listen on %s: %s", s->o.listen, strerror(errno));
        return MT_E_IO;
    }
    (void)os_address_of(fd, &bound);
    os_address_print(&bound, s->address);
    /* From here on the library owns the socket, unless it could not start. */
    s->daemon = start_daemon(s, fd);
    if (!s->daemon) {
        close(fd);
        mt_buf_addf(why, "cannot serve on %s", s->address);
        return MT_E_IO;
    }
    return MT_OK;
}

mt_err ht_witness_open(const ht_witness_options *options, ht_witness_server **out,
                       mt_buf *why)
{
    ht_witness_server *s = mt_xmalloc(sizeof *s);
    *s = (ht_witness_server){.o = *options};
    mt_err err = start(s, why);
    if (err) {
        ht_witness_close(s);
        return err;
    }
    *out = s;
    return MT_OK;
}

const char *ht_witness_address(const ht_witness_server *s)
{
    return s->address;
}

void ht_witness_close(ht_witness_server *s)
{
    if (s->daemon) {
        MHD_stop_daemon(s->daemon);
    }
    free(s);
}
