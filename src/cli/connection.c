/* cli/connection.c - see connection.h.
 * Room: cli.
 *
 * A request is made of an exchange, sent with libcurl, and its answer kept in memory up
 * to ANSWER_BYTES. Why no answer came is one sentence in `why`, with two cases told
 * apart: `refused` (nobody took it, so it may be sent again without a thought) and
 * `late`. The handle outlives an exchange: where to write errors is taken back after
 * each, the rest of what it points to is set again by the next. */
#include "cli/connection.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/late_curl.h"

enum { ANSWER_BYTES = 256 << 20 };

/* An empty variable counts as unset. */
const char *cli_server_of(const cli_args *args)
{
    const char *server = cli_value(args, "server");
    server = server ? server : getenv("MOTET_SERVER");
    return server && server[0] ? server : "http://127.0.0.1:8440";
}

/* libcurl is loaded when it is first needed: commands that speak with nobody start
 * without it, and run where it is not installed. */
int cli_connect(const cli_args *args, cli_connection *out)
{
    *out = (cli_connection){.server = cli_server_of(args),
                            .ca = cli_value(args, "ca"),
                            .seconds = CLI_CONNECTION_SECONDS};
    const char *why = mt_late_load(&mt_late_curl);
    if (why) {
        return cli_fail(args, CLI_WORLD, "%s", why);
    }
    bool good = !curl_global_init(CURL_GLOBAL_DEFAULT);
    out->curl = good ? curl_easy_init() : NULL;
    return out->curl ? CLI_HOLDS : cli_fail(args, CLI_WORLD, "libcurl cannot be used");
}

void cli_disconnect(cli_connection *c)
{
    if (c->curl) {
        curl_easy_cleanup(c->curl);
        curl_global_cleanup();
    }
    c->curl = NULL;
}

/* The list keeps a copy of the line. */
void cli_exchange_field(cli_exchange *x, const char *name, mt_str value)
{
    mt_str line = mt_strf(&x->arena, "%s: %.*s", name, MT_ARG(value));
    x->fields = curl_slist_append(x->fields, line.ptr);
}

/* Returning less than it was given makes the library end the transfer with an error. */
static size_t keep(char *data, size_t size, size_t count, void *state)
{
    cli_exchange *x = state;
    mt_buf_add(&x->answer, data, size * count);
    return x->answer.full ? 0 : size * count;
}

/* Called by the library several times a second; other than 0 ends the transfer. */
static int see_progress(void *state, curl_off_t a, curl_off_t b, curl_off_t c,
                        curl_off_t d)
{
    const cli_connection *connection = state;
    (void)a, (void)b, (void)c, (void)d;
    return connection->is_over && connection->is_over();
}

/* Without a body none is sent, not an empty one: `ptr` says which. */
static void set_body(CURL *curl, const cli_exchange *x)
{
    if (!x->body.ptr) { /* nor that of the exchange before */
        curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);
        return;
    }
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, x->body.ptr);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)x->body.len);
}

/* Only http and https, whatever address was given; nobody is followed elsewhere. */
static void set_up(cli_connection *c, cli_exchange *x)
{
    CURL *curl = c->curl;
    mt_str base = mt_str_trim(mt_str_z(c->server), MT_STR("/"));
    mt_str url = mt_strf(&x->arena, "%.*s%.*s", MT_ARG(base), MT_ARG(x->path));
    curl_easy_setopt(curl, CURLOPT_URL, url.ptr);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, x->method);
    curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L); /* ids may be ".." */
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)c->seconds);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, x->why);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, keep);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, x);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, see_progress);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, c);
    if (c->ca) {
        curl_easy_setopt(curl, CURLOPT_CAINFO, c->ca);
    }
    set_body(curl, x);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, x->fields);
}

/* Only at the first sending: the lines stay in the list when the same is sent again. */
static void add_common_fields(cli_exchange *x)
{
    if (x->token.len) {
        cli_exchange_field(x, "Authorization",
                           mt_strf(&x->arena, "Bearer %.*s", MT_ARG(x->token)));
    }
    if (x->body.ptr) {
        cli_exchange_field(x, "Content-Type", MT_STR("application/json"));
    }
    x->token = (mt_str){0}; /* once, though it is sent again */
}

_Static_assert(sizeof((cli_exchange *)0)->why >= CURL_ERROR_SIZE, "room for it");

/* A ceiling that is not set yet tells the first sending from one that repeats it. An
 * answer with an error status is an answer: true, and `status` says so. */
bool cli_exchange_run(cli_connection *c, cli_exchange *x)
{
    bool first = !x->answer.ceiling;
    x->answer.ceiling = ANSWER_BYTES;
    x->answer.len = 0;
    x->answer.full = false;
    x->why[0] = '\0';
    if (first) {
        add_common_fields(x);
    }
    set_up(c, x);
    CURLcode result = curl_easy_perform(c->curl);
    x->refused =
        result == CURLE_COULDNT_CONNECT || result == CURLE_COULDNT_RESOLVE_HOST;
    x->late = result == CURLE_OPERATION_TIMEDOUT;
    if (result != CURLE_OK && !x->why[0]) {
        snprintf(x->why, sizeof x->why, "%s", curl_easy_strerror(result));
    }
    curl_easy_setopt(c->curl, CURLOPT_ERRORBUFFER, NULL); /* it outlives the exchange */
    curl_easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, &x->status);
    return result == CURLE_OK;
}

void cli_exchange_end(cli_exchange *x)
{
    if (x->fields) {
        curl_slist_free_all(x->fields);
    }
    mt_buf_free(&x->answer);
    mt_arena_free(&x->arena);
    *x = (cli_exchange){0};
}
