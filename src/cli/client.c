/* cli/client.c - one question to a running server, for the commands that need one.
 *
 * One request per command: the URL from the option or MOTET_SERVER, a token from a
 * file or the environment and never from an option (others can read those), an
 * idempotency key for whatever writes, so that repeating a command by hand acts once.
 * The answer is printed as it came, laid out when a person reads it; a problem of the
 * server (RFC 9457) becomes our one-line error.
 *
 * Exit status: 0 for 2xx, 1 for every other answer below 500, 3 for 5xx and when there
 * was no answer. */
#include "cli/client.h"

#include <stdlib.h>

#include <sodium.h>

#include "base/hash.h"
#include "base/percent.h"
#include "cli/connection.h"
#include "os/file.h"

enum { TOKEN_BYTES = 4096 };

typedef struct question {
    const cli_args *args;
    cli_connection connection;
    cli_exchange exchange;      /* its arena has the texts of the request */
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

/* The token, or nothing. False after saying why its file cannot be read. */
static int add_token(question *q)
{
    const char *path = cli_value(q->args, "token-file");
    mt_str token = mt_str_z(getenv("MOTET_TOKEN"));
    if (path) {
        int code =
            cli_read_text(q->args, &q->exchange.arena, path, TOKEN_BYTES, &token);
        if (code) {
            return code;
        }
    }
    q->exchange.token = mt_str_trim(token, MT_STR(" \t\r\n"));
    return CLI_HOLDS;
}

/* Writes carry a key, so that whoever repeats one by hand can act once. */
static void add_key(question *q)
{
    const char *given = cli_value(q->args, "key");
    unsigned char random[16];
    char hex[sizeof random * 2];
    if (strcmp(q->exchange.method, "GET") == 0) {
        return;
    }
    randombytes_buf(random, sizeof random);
    mt_hex(random, sizeof random, hex);
    cli_exchange_field(&q->exchange, "Idempotency-Key",
                       given ? mt_str_z(given) : mt_str_from(hex, sizeof hex));
}

static int print_told(question *q, cli_teller *tell, const mt_json *tree)
{
    mt_buf out = {0};
    tell(&out, &q->exchange.arena, tree);
    int code = out.len ? cli_print(mt_buf_str(&out)) : CLI_HOLDS;
    mt_buf_free(&out);
    return code;
}

/* The server's own words with its code: below 500 the request is at fault, from 500 on
 * the world is. */
static int show_problem(question *q, long status)
{
    mt_json tree;
    mt_buf *answer = &q->exchange.answer;
    bool read = mt_json_read(&q->exchange.arena, mt_buf_str(answer), NULL, &tree,
                             NULL) == MT_OK;
    mt_str code = mt_json_text(read ? mt_json_at(&tree, "code") : NULL);
    mt_str detail = mt_json_text(read ? mt_json_at(&tree, "detail") : NULL);
    if (cli_flag(q->args, "json") && read) {
        mt_buf_addc(answer, '\n');
        (void)cli_print(mt_buf_str(answer));
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
    mt_str text = mt_buf_str(&q->exchange.answer);
    if (!text.len) {
        return CLI_HOLDS;
    }
    if (mt_json_read(&q->exchange.arena, text, NULL, &tree, NULL)) {
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
    int code = add_token(q);
    if (code) {
        return code;
    }
    add_key(q);
    cli_exchange *x = &q->exchange;
    if (!cli_exchange_run(&q->connection, x)) {
        return cli_fail(q->args, CLI_WORLD, "%s: %s", q->connection.server, x->why);
    }
    return x->status >= 200 && x->status < 300 ? show_answer(q)
                                               : show_problem(q, x->status);
}

/* One request per process; the connection is released here on every way out. */
int cli_ask_told(const cli_args *args, const char *method, mt_str path, mt_str body,
                 cli_teller *tell, cli_teller *refused)
{
    question q = {.args = args,
                  .exchange = {.method = method, .path = path, .body = body},
                  .tell = tell,
                  .refused = refused};
    if (sodium_init() < 0) {
        return cli_fail(args, CLI_WORLD, "no randomness can be had");
    }
    int code = cli_connect(args, &q.connection);
    code = code ? code : ask(&q);
    cli_exchange_end(&q.exchange);
    cli_disconnect(&q.connection);
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
