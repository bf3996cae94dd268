/* cli/client.c - one question to a running server, for the commands that need one.
 *
 * One request per command: the URL from the option or MOTET_SERVER, a token from a
 * file or the environment and never from an option (others can read those), an
 * idempotency key for whatever writes, so that repeating a command by hand acts once.
 * The answer is printed as it came, laid out when a person reads it; a problem of the
 * server (RFC 9457) becomes our one-line error.
 *
 * Exit status: 0 for 2xx, 1 for every other answer below 500, 3 for 5xx and when there
 * was no answer. Answers are bounded in bytes and time. libcurl is loaded here, on
 * first use. */
#include "cli/client.h"

#include <stdio.h>
#include <stdlib.h>

#include <sodium.h>

#include "base/hash.h"
#include "base/late_curl.h"
#include "base/percent.h"
#include "os/file.h"

enum { ANSWER_BYTES = 256 << 20, TOKEN_BYTES = 4096, TIMEOUT_SECONDS = 120 };

typedef struct question {
    const cli_args *args;
    const char *method;
    mt_str path, body; /* path: escaped already; body: ptr NULL sends none */
    mt_arena arena;    /* texts of the request; freed with the answer */
    CURL *curl;
    struct curl_slist *fields;  /* header lines; the library copies them */
    mt_buf answer;              /* bounded by its ceiling */
    char why[CURL_ERROR_SIZE];  /* the library's sentence, when no answer came */
    cli_teller *tell, *refused; /* for people; NULL: as JSON, not at all */
} question;

void cli_add_segment(mt_buf *path, mt_str text)
{
    mt_buf_addc(path, '/');
    mt_percent_segment(path, text);
}

/* The value is escaped here; the name is ours. */
void cli_add_query(mt_buf *path, const cli_args *args, const char *option,
                   const char *name)
{
    const char *value = cli_value(args, option);
    if (!value) {
        return;
    }
    bool first = mt_str_find(mt_buf_str(path), '?') == path->len;
    mt_buf_addf(path, "%c%s=", first ? '?' : '&', name);
    mt_percent_encode(path, mt_str_z(value));
}

/* A value that is not JSON is taken as text: `--fact name=Alice` needs no quotes,
 * `--fact n=3` is a number. */
static void add_value(mt_jw *w, mt_str text, bool json)
{
    mt_arena arena = {0};
    mt_json tree;
    if (json && mt_json_read(&arena, text, NULL, &tree, NULL) == MT_OK) {
        mt_jw_json(w, &tree);
    } else {
        mt_jw_str(w, text);
    }
    mt_arena_free(&arena);
}

/* A value may be empty, a name may not. The value is all that follows the first equals
 * sign. */
bool cli_pairs(const cli_args *args, mt_jw *w, const char *option, bool json)
{
    const char *pair;
    mt_jw_begin_unsorted(w);
    for (int n = 0; (pair = cli_value_at(args, option, n)); n++) {
        mt_str text = mt_str_z(pair);
        size_t equals = mt_str_find(text, '=');
        if (!equals || equals == text.len) {
            cli_fail(args, CLI_USAGE, "--%s takes NAME=VALUE, not %s", option, pair);
            return false;
        }
        mt_jw_key(w, mt_str_from(text.ptr, equals));
        add_value(w, mt_str_skip(text, equals + 1), json);
    }
    mt_jw_end_object(w);
    return true;
}

/* Returning less than it was given makes the library end the transfer with an error. */
static size_t keep(char *data, size_t size, size_t count, void *state)
{
    question *q = state;
    mt_buf_add(&q->answer, data, size * count);
    return q->answer.full ? 0 : size * count;
}

/* The list keeps a copy of the line. */
static void add_field(question *q, const char *name, mt_str value)
{
    mt_str line = mt_strf(&q->arena, "%s: %.*s", name, MT_ARG(value));
    q->fields = curl_slist_append(q->fields, line.ptr);
}

/* The token, or nothing. False after saying why its file cannot be read. */
static int add_token(question *q)
{
    const char *path = cli_value(q->args, "token-file");
    mt_str token = mt_str_z(getenv("MOTET_TOKEN"));
    if (path) {
        int code = cli_read_text(q->args, &q->arena, path, TOKEN_BYTES, &token);
        if (code) {
            return code;
        }
    }
    token = mt_str_trim(token, MT_STR(" \t\r\n"));
    if (token.len) {
        add_field(q, "Authorization", mt_strf(&q->arena, "Bearer %.*s", MT_ARG(token)));
    }
    return CLI_HOLDS;
}

/* Writes carry a key, so that whoever repeats one by hand can act once. */
static void add_key(question *q)
{
    const char *given = cli_value(q->args, "key");
    unsigned char random[16];
    char hex[sizeof random * 2];
    if (strcmp(q->method, "GET") == 0) {
        return;
    }
    randombytes_buf(random, sizeof random);
    mt_hex(random, sizeof random, hex);
    add_field(q, "Idempotency-Key",
              given ? mt_str_z(given) : mt_str_from(hex, sizeof hex));
}

/* An empty variable counts as unset. */
static const char *server_of(const cli_args *args)
{
    const char *server = cli_value(args, "server");
    server = server ? server : getenv("MOTET_SERVER");
    return server && server[0] ? server : "http://127.0.0.1:8440";
}

/* Only http and https, whatever address was given. */
static void set_up(question *q)
{
    mt_str base = mt_str_trim(mt_str_z(server_of(q->args)), MT_STR("/"));
    mt_str url = mt_strf(&q->arena, "%.*s%.*s", MT_ARG(base), MT_ARG(q->path));
    const char *ca = cli_value(q->args, "ca");
    curl_easy_setopt(q->curl, CURLOPT_URL, url.ptr);
    curl_easy_setopt(q->curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(q->curl, CURLOPT_CUSTOMREQUEST, q->method);
    curl_easy_setopt(q->curl, CURLOPT_PATH_AS_IS, 1L); /* ids may be ".." */
    curl_easy_setopt(q->curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(q->curl, CURLOPT_TIMEOUT, (long)TIMEOUT_SECONDS);
    curl_easy_setopt(q->curl, CURLOPT_ERRORBUFFER, q->why);
    curl_easy_setopt(q->curl, CURLOPT_WRITEFUNCTION, keep);
    curl_easy_setopt(q->curl, CURLOPT_WRITEDATA, q);
    if (ca) {
        curl_easy_setopt(q->curl, CURLOPT_CAINFO, ca);
    }
    if (q->body.ptr) {
        add_field(q, "Content-Type", MT_STR("application/json"));
        curl_easy_setopt(q->curl, CURLOPT_POSTFIELDS, q->body.ptr);
        curl_easy_setopt(q->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)q->body.len);
    }
    curl_easy_setopt(q->curl, CURLOPT_HTTPHEADER, q->fields);
}

static int print_told(question *q, cli_teller *tell, const mt_json *tree)
{
    mt_buf out = {0};
    tell(&out, &q->arena, tree);
    int code = out.len ? cli_print(mt_buf_str(&out)) : CLI_HOLDS;
    mt_buf_free(&out);
    return code;
}

/* The server's own words with its code: below 500 the request is at fault, from 500 on
 * the world is. */
static int show_problem(question *q, long status)
{
    mt_json tree;
    mt_str text = mt_buf_str(&q->answer);
    bool read = mt_json_read(&q->arena, text, NULL, &tree, NULL) == MT_OK;
    mt_str code = mt_json_text(read ? mt_json_at(&tree, "code") : NULL);
    mt_str detail = mt_json_text(read ? mt_json_at(&tree, "detail") : NULL);
    if (cli_flag(q->args, "json") && read) {
        mt_buf_addc(&q->answer, '\n');
        (void)cli_print(mt_buf_str(&q->answer));
    }
    int exit = cli_fail(q->args, status < 500 ? CLI_FAILS : CLI_WORLD,
                        "%ld%s%.*s%s%.*s", status, code.len ? " " : "", MT_ARG(code),
                        detail.len ? ": " : "", MT_ARG(detail));
    if (q->refused && read && !cli_flag(q->args, "json")) {
        (void)print_told(q, q->refused, &tree);
    }
    return exit;
}

/* Pretty for people, one line for programs; an answer that is not JSON came from
 * something else than motet. */
static int show_answer(question *q)
{
    mt_json tree;
    mt_buf out = {0};
    if (!q->answer.len) {
        return CLI_HOLDS;
    }
    if (mt_json_read(&q->arena, mt_buf_str(&q->answer), NULL, &tree, NULL)) {
        return cli_fail(q->args, CLI_WORLD, "the server's answer is not JSON");
    }
    bool ours = mt_json_is(&tree, MT_JSON_OBJECT) &&
                tree.count; /* there is something to tell */
    if (q->tell && ours && !cli_flag(q->args, "json")) {
        return print_told(q, q->tell, &tree);
    }
    mt_json_write(&out, &tree, !cli_flag(q->args, "json"));
    mt_buf_addc(&out, '\n');
    int code = cli_print(mt_buf_str(&out));
    mt_buf_free(&out);
    return code;
}

/* The exit status tells what to do: 1 change the request, 3 try again. */
static int ask(question *q)
{
    long status = 0;
    int code = add_token(q);
    if (code) {
        return code;
    }
    add_key(q);
    set_up(q);
    CURLcode result = curl_easy_perform(q->curl);
    if (result != CURLE_OK) {
        return cli_fail(q->args, CLI_WORLD, "%s: %s", server_of(q->args),
                        q->why[0] ? q->why : curl_easy_strerror(result));
    }
    curl_easy_getinfo(q->curl, CURLINFO_RESPONSE_CODE, &status);
    return status >= 200 && status < 300 ? show_answer(q) : show_problem(q, status);
}

/* One request per process; the handle and the library are released here on every way
 * out. The answer has a ceiling: a server that never stops sending is cut off. */
int cli_ask_told(const cli_args *args, const char *method, mt_str path, mt_str body,
                 cli_teller *tell, cli_teller *refused)
{
    question q = {.args = args,
                  .method = method,
                  .path = path,
                  .body = body,
                  .tell = tell,
                  .refused = refused};
    q.answer.ceiling = ANSWER_BYTES;
    const char *why = mt_late_load(&mt_late_curl);
    if (why) {
        return cli_fail(args, CLI_WORLD, "%s", why);
    }
    if (sodium_init() < 0 || curl_global_init(CURL_GLOBAL_DEFAULT) ||
        !(q.curl = curl_easy_init())) {
        return cli_fail(args, CLI_WORLD, "libcurl cannot be used");
    }
    int code = ask(&q);
    curl_slist_free_all(q.fields);
    curl_easy_cleanup(q.curl);
    curl_global_cleanup();
    mt_buf_free(&q.answer);
    mt_arena_free(&q.arena);
    return code;
}

int cli_ask(const cli_args *args, const char *method, mt_str path, mt_str body)
{
    return cli_ask_told(args, method, path, body, NULL, NULL);
}

void cli_tell_next(mt_buf *out, const mt_json *answer)
{
    mt_str next = mt_json_text(mt_json_at(answer, "next"));
    if (next.len) {
        mt_buf_addf(out, "more: --after '%.*s'\n", MT_ARG(next));
    }
}
