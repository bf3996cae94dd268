/* cli/mcp_client.c - messages from standard input to a server's /mcp/CONTRACT/PERSONA,
 * and its answers back.
 *
 * A message is read and judged here as the embedded server would (mcp/protocol.h): what
 * is malformed is refused here, a notification goes no further, and what is sent has
 * the header fields that its revision wants. Whatever writes is sent with an
 * idempotency key: the one that the message names, in a session of the older revision
 * session and id, else one made for this message. So a request whose connection broke
 * is sent once more without fear, and never without its key.
 *
 * The token is read for every message: who rotates it replaces the file. A file that
 * others may read is refused.
 * INVARIANT: every request is answered with one line, in its revision, with its id.
 * What the server did not answer is told as the result of the tool, for whoever decides
 * what to do next, and as an error of the protocol to all other requests. It says
 * whether something may have come of it. */
#include "cli/mcp_client.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/form.h"
#include "base/percent.h"
#include "os/secret.h"

enum { TRIES = 3, PAUSE_MS = 200, PAGES = 1000 };

/* ---- One exchange ---- */

/* NULL, or what is wrong with the token. */
static mt_str take_token(cli_mcp_client *c, cli_exchange *x)
{
    const char *file = cli_value(c->args, "token-file");
    if (!file && !getenv("MOTET_TOKEN")) {
        return (mt_str){0};
    }
    const char *why =
        os_secret_read(&x->arena, file ? NULL : "MOTET_TOKEN", file, &x->token);
    x->token = why ? (mt_str){0} : mt_str_trim(x->token, MT_STR(" \t"));
    return why ? mt_strf(&x->arena, "%s %s", file ? file : "MOTET_TOKEN", why)
               : (mt_str){0};
}

/* The message may bring a key of its own; then it is the sender who says what is the
 * same call. */
static bool names_a_key(const mc_message *m)
{
    return mt_json_get(m->meta, MT_STR("motet/callId")) != NULL;
}

/* Questions get none: asking twice does no harm. In the older revision ids are of one
 * session, so session and id together name a call; the newer one has no sessions, and
 * every message gets a key of its own. */
static void add_key(cli_mcp_client *c, cli_exchange *x, const mc_message *m)
{
    tl_session once;
    if (mc_only_asks(m) || names_a_key(m)) {
        return;
    }
    const tl_session *s = &c->session;
    if (m->revision != MC_2025_11_25) {
        tl_session_begin(&once);
        s = &once;
    }
    cli_exchange_field(x, "Idempotency-Key", tl_session_key(&x->arena, s, m->id));
}

/* `initialize` comes before a version is agreed upon. */
static void add_fields(cli_mcp_client *c, cli_exchange *x, const mc_message *m)
{
    mt_str named = mc_named(m);
    cli_exchange_field(x, "Accept", MT_STR("application/json, text/event-stream"));
    if (m->method != MC_INITIALIZE) {
        cli_exchange_field(x, "MCP-Protocol-Version", mc_revision_name(m->revision));
    }
    if (m->revision != MC_2025_11_25) {
        cli_exchange_field(x, "Mcp-Method", mc_method_name(m));
    }
    if (m->revision != MC_2025_11_25 && named.ptr) {
        cli_exchange_field(x, "Mcp-Name", mc_header_value(&x->arena, named));
    }
    add_key(c, x, m);
}

/* Longer each time, so that a server that starts again has time to. */
static void pause_before(int attempt)
{
    int64_t ms = PAUSE_MS * attempt;
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    (void)nanosleep(&t, NULL); /* a signal ends it */
}

/* A connection that broke is made again; who was waited for too long is not asked
 * again. */
static bool answered(cli_mcp_client *c, cli_exchange *x)
{
    for (int attempt = 1;; attempt++) {
        if (cli_exchange_run(&c->connection, x)) {
            return true;
        }
        bool over = c->connection.is_over && c->connection.is_over();
        if (x->late || over || attempt == TRIES) {
            return false;
        }
        pause_before(attempt);
    }
}

/* ---- What the server said ---- */

/* Ids are compared as JSON is written, since 1 and "1" are two ids. */
static bool has_id(const mt_json *id, const mc_message *m)
{
    mt_buf text = {0};
    if (!id) {
        return false;
    }
    mt_json_write(&text, id, false);
    bool same = mt_str_eq(mt_buf_str(&text), m->id);
    mt_buf_free(&text);
    return same;
}

/* A message that answers this one; only an error may lack its id. */
static bool is_answer(const mt_json *tree, const mc_message *m)
{
    const mt_json *error = mt_json_at(tree, "error"), *id = mt_json_at(tree, "id");
    bool complete = mt_json_is(mt_json_at(tree, "result"), MT_JSON_OBJECT) !=
                    mt_json_is(error, MT_JSON_OBJECT);
    return mt_str_is(mt_text_at(tree, "jsonrpc"), "2.0") && complete &&
           (has_id(id, m) || (error && !id));
}

/* What to say of an answer that is none of the protocol. */
static mt_str why_not(cli_exchange *x, const mt_json *tree)
{
    mt_str detail = mt_text_at(tree, "detail");
    if (x->status == 401) {
        return MT_STR("the server does not know this caller (401): see --token-file");
    }
    if (detail.len) {
        return mt_strf(&x->arena, "the server refuses (%ld): %.*s", x->status,
                       MT_ARG(detail));
    }
    return mt_strf(&x->arena, "the server's answer (%ld) is not of the protocol",
                   x->status);
}

/* Nothing came of what a server refused; of what it did not answer something may. */
static mt_str unanswered(cli_mcp_client *c, cli_exchange *x, const mc_message *m)
{
    bool unknown = !x->refused && !mc_only_asks(m);
    return mt_strf(&x->arena, "%s does not answer: %s%s", c->connection.server, x->why,
                   unknown ? "; whether it was done is not known" : "");
}

/* ---- Answers of our own ---- */

/* "Not done (no_answer): ...": text for the model, and the same as data for
 * programs. */
static void tool_error(mt_buf *members, const char *code, mt_str why)
{
    mt_buf data = {0}, words = {0};
    mt_jw d = mt_jw_start(&data, false), w = mt_jw_start(members, false);
    mt_jw_begin_object(&d);
    mt_jw_key_str(&d, "code", mt_str_z(code));
    mt_jw_key_str(&d, "detail", why);
    mt_jw_end_object(&d);
    mt_buf_addf(&words, "Not done (%s): %.*s.\n", code, MT_ARG(why));
    tl_tool_result(&w, true, mt_buf_str(&words), mt_buf_str(&data));
    mt_buf_free(&data);
    mt_buf_free(&words);
}

/* A call of a tool gets a result that says it failed, which models read; any other
 * request an error of the protocol. */
static void tell(mt_buf *answer, mc_message *m, const char *code, mt_str why)
{
    mc_server us = {MT_STR("motet"), MT_STR(MOTET_VERSION)};
    mt_buf members = {0};
    if (m->method == MC_TOOLS_CALL) {
        tool_error(&members, code, why);
        mc_result r = {.type = "complete", .members = mt_buf_str(&members)};
        mc_answer(answer, &us, m, &r);
    } else {
        mc_spoil(m, MC_INTERNAL, why, (mt_str){0});
        mc_refuse(answer, m);
    }
    mt_buf_free(&members);
}

/* As it came, but on one line. */
static void pass_on(mt_buf *answer, const cli_exchange *x, const mt_json *tree)
{
    mt_str text = mt_buf_str(&x->answer);
    if (mt_str_find(text, '\n') == text.len && mt_str_find(text, '\r') == text.len) {
        mt_buf_adds(answer, text);
    } else {
        mt_json_write(answer, tree, false);
    }
}

/* Only a successful initialize begins a session: keys are made of it from then on. */
static void note_beginning(cli_mcp_client *c, const mc_message *m, const mt_json *tree)
{
    if (m->method == MC_INITIALIZE && mt_json_at(tree, "result")) {
        tl_session_begin(&c->session);
        c->session.began = true;
    }
}

/* ---- Messages ---- */

/* `tree` is the answer, in the exchange's arena, if it is one. True: *tree answers the
 * message. False: *code and *why say what to tell. The exchange is to be ended in both
 * cases. */
static bool asked(cli_mcp_client *c, mt_str text, mc_message *m, cli_exchange *x,
                  mt_json *tree, const char **code, mt_str *why)
{
    *x = (cli_exchange){.method = "POST", .path = c->path, .body = text};
    *code = "no_token";
    *why = take_token(c, x);
    if (why->len) {
        return false;
    }
    add_fields(c, x, m);
    if (!answered(c, x)) {
        *code = x->refused ? "server_unreachable" : "no_answer";
        *why = unanswered(c, x, m);
        return false;
    }
    bool read = !mt_json_read(&x->arena, mt_buf_str(&x->answer), NULL, tree, NULL);
    if (!read || !is_answer(tree, m)) {
        *code = x->status == 401 || x->status == 403 ? "forbidden" : "server_refuses";
        *why = why_not(x, read ? tree : NULL);
        return false;
    }
    return true;
}

void cli_mcp_hear(cli_mcp_client *c, mt_str text, mt_buf *answer)
{
    mt_arena a = {0};
    mc_message m;
    mc_door door = {.began = c->session.began, .limits = &c->limits};
    mc_read(&a, text, &door, &m);
    if (m.kind == MC_FAULTY) {
        mc_refuse(answer, &m);
    } else if (m.kind == MC_REQUEST) {
        cli_exchange x;
        mt_json tree;
        const char *code;
        mt_str why;
        if (asked(c, text, &m, &x, &tree, &code, &why)) {
            note_beginning(c, &m, &tree);
            pass_on(answer, &x, &tree);
        } else {
            tell(answer, &m, code, why);
        }
        cli_exchange_end(&x);
    }
    mt_arena_free(&a);
}

/* ---- The beginning ---- */

#define NEWER                                                                          \
    "\"_meta\":{\"io.modelcontextprotocol/clientCapabilities\":{},"                    \
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}"

/* A question of our own; `tree` is its answer. The exit status after saying why there
 * is none. */
static int ask(cli_mcp_client *c, cli_exchange *x, mt_str text, mt_json *tree)
{
    mt_arena a = {0};
    mc_message m;
    const char *code;
    mt_str why;
    mc_read(&a, text, &(mc_door){0}, &m);
    bool good = asked(c, text, &m, x, tree, &code, &why);
    const mt_json *error = good ? mt_json_at(tree, "error") : NULL;
    why = error ? mt_text_at(error, "message") : why;
    bool world = !good && (!x->status || x->status >= 500);
    int exit = good && !error ? CLI_HOLDS
                              : cli_fail(c->args, world ? CLI_WORLD : CLI_FAILS, "%.*s",
                                         MT_ARG(why));
    mt_arena_free(&a);
    return exit;
}

/* Asked once at the beginning, so that a wrong address, token or persona ends the
 * program instead of failing at the first call. */
static int discover(cli_mcp_client *c)
{
    cli_exchange x;
    mt_json tree;
    int code = ask(c, &x,
                   MT_STR("{\"id\":0,\"jsonrpc\":\"2.0\",\"method\":"
                          "\"server/discover\",\"params\":{" NEWER "}}"),
                   &tree);
    cli_exchange_end(&x);
    return code;
}

/* A file only names its contract: what the server has may be another version. */
static mt_str contract_of(const cli_args *args)
{
    const char *given = cli_value(args, "contract");
    mt_str file = mt_str_z(args->count ? args->operands[0] : "");
    for (size_t i; (i = mt_str_find(file, '/')) < file.len;) {
        file = mt_str_skip(file, i + 1);
    }
    for (size_t i = 0; i < 2; i++) {
        mt_str end = i ? MT_STR(".json") : MT_STR(".tenor");
        file.len -= mt_str_ends(file, end) ? end.len : 0;
    }
    return given ? mt_str_z(given) : file;
}

/* What a store of one's own would be opened with. */
static int refused_options(const cli_args *args)
{
    static const char *const OWN[] = {"may-assert", "right",       "instance",
                                      "store",      "signing-key", "config"};
    for (size_t i = 0; i < sizeof OWN / sizeof *OWN; i++) {
        if (cli_flag(args, OWN[i])) {
            return cli_fail(args, CLI_USAGE,
                            "--%s is not for --server: there the rights of the token "
                            "and the settings of the server count",
                            OWN[i]);
        }
    }
    return contract_of(args).len && cli_value(args, "persona")
               ? CLI_HOLDS
               : cli_fail(args, CLI_USAGE,
                          "--server needs --contract NAME and --persona P");
}

static void make_path(cli_mcp_client *c, mt_arena *a)
{
    mt_buf path = {0};
    mt_buf_addz(&path, "/mcp/");
    mt_percent_segment(&path, contract_of(c->args));
    mt_buf_addc(&path, '/');
    mt_percent_segment(&path, mt_str_z(cli_value(c->args, "persona")));
    c->path = mt_str_dup(a, mt_buf_str(&path));
    mt_buf_free(&path);
}

int cli_mcp_connect(const cli_args *args, mt_arena *a, bool (*is_over)(void),
                    cli_mcp_client *out)
{
    mt_limits limits = cli_limits(args);
    *out =
        (cli_mcp_client){.args = args, .limits = {limits.mcp_bytes, limits.json_depth}};
    int code = refused_options(args);
    if (!code && !cli_number(args, "timeout", 3600, &out->connection.seconds)) {
        code = CLI_USAGE;
    }
    size_t seconds = out->connection.seconds;
    code = code ? code : cli_connect(args, &out->connection);
    out->connection.seconds = seconds ? seconds : CLI_CONNECTION_SECONDS;
    out->connection.is_over = is_over;
    if (!code) {
        make_path(out, a);
    }
    return code ? code : discover(out);
}

void cli_mcp_disconnect(cli_mcp_client *c)
{
    cli_disconnect(&c->connection);
}

/* ---- Names ---- */

static mt_str list_text(mt_arena *a, mt_str cursor)
{
    mt_buf b = {0};
    mt_buf_addz(&b,
                "{\"id\":0,\"jsonrpc\":\"2.0\",\"method\":\"tools/list\",\"params\":"
                "{" NEWER);
    if (cursor.len) {
        mt_buf_addz(&b, ",\"cursor\":");
        mt_json_quote(&b, cursor);
    }
    mt_buf_addz(&b, "}}");
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* Pages are followed up to PAGES, so a server that never ends cannot hold us. */
int cli_mcp_list(cli_mcp_client *c)
{
    mt_arena a = {0};
    mt_buf names = {0};
    mt_str cursor = {0};
    int code = CLI_HOLDS, pages = 0;
    do {
        cli_exchange x;
        mt_json tree;
        code = ask(c, &x, list_text(&a, cursor), &tree);
        const mt_json *result = code ? NULL : mt_json_at(&tree, "result");
        const mt_json *tools = mt_json_at(result, "tools");
        for (uint32_t i = 0; mt_json_is(tools, MT_JSON_ARRAY) && i < tools->count;
             i++) {
            mt_buf_addf(&names, "%.*s\n",
                        MT_ARG(mt_text_at(&tools->as.items[i], "name")));
        }
        cursor = mt_str_dup(&a, mt_text_at(result, "nextCursor"));
        cli_exchange_end(&x);
    } while (!code && cursor.len && ++pages < PAGES);
    code = code ? code : cli_print(mt_buf_str(&names));
    mt_buf_free(&names);
    mt_arena_free(&a);
    return code;
}
