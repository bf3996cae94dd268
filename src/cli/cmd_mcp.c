/* cli/cmd_mcp.c - motet mcp: a contract as tools for an agent, over standard input and
 * output.
 *
 * The executor lives inside this process, on a store of its own, or the tools are a
 * server's (cli/mcp_client.h); one persona of one contract is served. Messages come as
 * lines and are answered in order, one at a time.
 * Nothing but answers goes to standard output, whatever happens; what there is to say
 * goes to standard error. It ends when its input does, or by SIGTERM or SIGINT.
 *
 * The caller is the user of the machine with this persona, the facts of --may-assert
 * and the rights of --right; --persona alone lets nobody state a fact.
 * Order of opening: settings, log, store, executor; of closing the other way round.
 * Exit status 1 for a contract with faults, 2 for settings that cannot be, 3 for what
 * the world refuses. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/vec.h"
#include "cli/commands.h"
#include "cli/engine.h"
#include "cli/inside.h"
#include "cli/mcp_client.h"
#include "tool/tool.h"

/* clang-format off */
const cli_option CMD_MCP_OPTIONS[] = {
    {"persona",     "P",         "who the agent is; it can do what this persona may, and nothing else"},
    {"contract",    "NAME",      "which contract, if the file has several"},
    {"may-assert",  "FACT",      "the agent may state this fact; source:NAME those of a source, * all; may repeat"},
    {"right",       "RIGHT",     "a further right, such as ledger:read; may repeat"},
    {"instance",    "ENTITY/ID", "make this instance if there is none; may repeat"},
    {"store",       "URL",       "where everything is kept (sqlite:motet.db)"},
    {"signing-key", "FILE",      "sign the ledger, and give a receipt with each call"},
    {"config",      "FILE",      "settings as of motet serve: sources, executor, distinct"},
    {"server",      "URL",       "the tools of a running server; FILE or --contract only names the contract"},
    {"token-file",  "FILE",      "with --server: a file with the token, that nobody else may read (else $MOTET_TOKEN)"},
    {"ca",          "FILE",      "with --server, TLS: trust this authority (PEM)"},
    {"timeout",     "SECONDS",   "with --server: how long an answer is waited for (120)"},
    {"list",        NULL,        "print the names of the tools, and do not serve"},
    {NULL, NULL, NULL},
};
const char CMD_MCP_DETAILS[] =
    "Speaks the Model Context Protocol, revisions 2026-07-28 and 2025-11-25, on standard "
    "input and output. The tools are the operations and flows that the persona may ever "
    "perform, and a few of our own: actions, why, dry_run, ask, explain, resume, cancel.\n\n"
    "--persona grants no fact: what --may-assert does not name comes from its source, a "
    "default, or what was stated before. A refusal is an answer with its reasons and is "
    "recorded. Every decision is in the ledger of the store, which motet ledger, audit and "
    "serve read afterwards.\n\n"
    "With --server nothing is kept here: messages go to the tools of a running server, as "
    "whoever the token is. What writes goes with an idempotency key, so a request whose "
    "connection broke is sent again and done once. A server that does not answer is told as "
    "a result of the tool.";
/* clang-format on */

typedef struct service {
    cli_inside in;
    tl_desk *desk;
    ex_view view;
    ex_caller caller;
    tl_visit visit;
    tl_session session;
    mt_json_limits message;
    bool far; /* the tools are a server's */
    cli_mcp_client client;
    mt_buf waiting; /* read and not yet a whole line */
    bool too_long;  /* the line that is being read is dropped */
} service;

static volatile sig_atomic_t told_to_stop;

static void stop(int signal_number)
{
    (void)signal_number;
    told_to_stop = 1;
}

/* ---- Opening ---- */

static int read_settings(service *s)
{
    int code = cli_inside_read(&s->in, s->in.args->operands[0]);
    if (!code && !cli_value(s->in.args, "persona")) {
        code = cli_fail(s->in.args, CLI_USAGE, "--persona P is required");
    }
    return code;
}

/* Without --contract it is the executor's default contract. A persona that is nearly
 * right is suggested. */
static int find_persona(service *s)
{
    const char *contract = cli_value(s->in.args, "contract");
    mt_str persona = mt_str_z(cli_value(s->in.args, "persona"));
    if (!ex_view_of(s->in.executor, mt_str_z(contract ? contract : ""), &s->view)) {
        return cli_fail(s->in.args, CLI_USAGE, "there is no contract '%s'",
                        contract ? contract : "");
    }
    const ct_model *m = s->view.plan->model;
    return ct_model_find(m, CT_KIND_PERSONA, persona) != CT_NONE
               ? CLI_HOLDS
               : cli_fail(s->in.args, CLI_USAGE,
                          "persona '%.*s' not found in contract%s", MT_ARG(persona),
                          aw_near(&s->in.arena, m, CT_KIND_PERSONA, persona));
}

/* ---- Who the agent is ---- */

typedef MT_VEC(mt_str) texts;

/* Over this contract alone. */
static mt_str right_over(service *s, const char *kind, mt_str name)
{
    return mt_strf(&s->in.arena, "%.*s/%s%.*s", MT_ARG(s->view.contract), kind,
                   MT_ARG(name));
}

/* "*" all facts, "source:NAME" those of a source, else one fact by its name; a name
 * that the contract does not have is a fault, or a slip would grant nothing
 * silently. */
static int add_fact(service *s, texts *rights, mt_str name)
{
    const ct_model *m = s->view.plan->model;
    bool source = mt_str_starts(name, MT_STR("source:"));
    mt_str id = mt_str_skip(name, source ? sizeof "source:" - 1 : 0);
    ct_kind kind = source ? CT_KIND_SOURCE : CT_KIND_FACT;
    if (!mt_str_is(name, "*") && ct_model_find(m, kind, id) == CT_NONE) {
        return cli_fail(s->in.args, CLI_USAGE, "--may-assert: there is no %s '%.*s'%s",
                        source ? "source" : "fact", MT_ARG(id),
                        aw_near(&s->in.arena, m, kind, id));
    }
    mt_vec_push(&s->in.arena, rights, right_over(s, source ? "" : "facts:", name));
    return CLI_HOLDS;
}

/* Facts are granted in one way only, so that nobody overlooks one. */
static int add_right(service *s, texts *rights, mt_str name)
{
    bool fact =
        mt_str_starts(name, MT_STR("facts:")) && !mt_str_is(name, "facts:override");
    if (fact || mt_str_starts(name, MT_STR("source:"))) {
        return cli_fail(s->in.args, CLI_USAGE, "--right: facts are for --may-assert");
    }
    mt_str right = right_over(s, "", name);
    if (!ex_right_known(right)) {
        return cli_fail(s->in.args, CLI_USAGE, "--right: there is no right '%.*s'",
                        MT_ARG(name));
    }
    mt_vec_push(&s->in.arena, rights, right);
    return CLI_HOLDS;
}

/* Always granted is evaluating this contract, which tools that only look need. Receipts
 * are given when there is a key, since without one nothing can be promised. */
static int make_caller(service *s)
{
    texts rights = {0};
    int code = CLI_HOLDS;
    const char *name;
    mt_str *persona = mt_new(&s->in.arena, mt_str);
    mt_str asked = mt_str_z(cli_value(s->in.args, "persona"));
    *persona =
        mt_strf(&s->in.arena, "%.*s:%.*s", MT_ARG(s->view.contract), MT_ARG(asked));
    mt_vec_push(&s->in.arena, &rights, right_over(s, "evaluate", MT_STR("")));
    for (int i = 0; !code && (name = cli_value_at(s->in.args, "may-assert", i)); i++) {
        code = add_fact(s, &rights, mt_str_z(name));
    }
    for (int i = 0; !code && (name = cli_value_at(s->in.args, "right", i)); i++) {
        code = add_right(s, &rights, mt_str_z(name));
    }
    s->caller = (ex_caller){.id = mt_strf(&s->in.arena, "uid:%u", (unsigned)getuid()),
                            .name = MT_STR("motet mcp"),
                            .by = EX_BY_OPERATOR,
                            .actor = EX_ACTOR_MACHINE,
                            .personas = persona,
                            .persona_count = 1,
                            .rights = rights.items,
                            .right_count = rights.len};
    tl_session_begin(&s->session);
    s->message = (mt_json_limits){s->in.limits.mcp_bytes, s->in.limits.json_depth};
    s->visit = (tl_visit){.caller = &s->caller,
                          .contract = s->view.contract,
                          .persona = asked,
                          .receipts = s->in.config.signing_key != NULL,
                          .door = {.limits = &s->message},
                          .session = &s->session};
    return code;
}

/* ---- Waiting for answers ---- */

/* The executor answers from another thread; this one waits, so messages are answered in
 * the order they came. */
typedef struct answer {
    pthread_mutex_t lock;
    pthread_cond_t given;
    bool here;
    int status;
    mt_buf body;
} answer;

/* Takes the body over: the giver's buffer is empty afterwards. */
static void give(answer *a, int status, mt_buf *body)
{
    pthread_mutex_lock(&a->lock);
    a->status = status;
    a->body = *body;
    *body = (mt_buf){0};
    a->here = true;
    pthread_cond_signal(&a->given);
    pthread_mutex_unlock(&a->lock);
}

static void wait_for(answer *a)
{
    pthread_mutex_lock(&a->lock);
    while (!a->here) {
        pthread_cond_wait(&a->given, &a->lock);
    }
    pthread_mutex_unlock(&a->lock);
}

#define NO_ANSWER_YET                                                                  \
    {                                                                                  \
        .lock = PTHREAD_MUTEX_INITIALIZER, .given = PTHREAD_COND_INITIALIZER           \
    }

/* ---- Instances ---- */

static void made(void *state, ex_reply *reply)
{
    give(state, reply->status, &reply->body);
}

/* What is there already is fine; what was deleted is not made again. The right to do it
 * is lent for this one call; the agent itself does not get it. */
static int make_instance(service *s, mt_str text)
{
    size_t slash = mt_str_find(text, '/');
    mt_str entity = mt_str_from(text.ptr, slash), id = mt_str_skip(text, slash + 1);
    static const mt_str RIGHT[] = {MT_STR_INIT("instances:create")};
    ex_caller maker = s->caller;
    maker.rights = RIGHT;
    maker.right_count = 1;
    mt_buf body = {0};
    mt_jw w = mt_jw_start(&body, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "id", id);
    mt_jw_end_object(&w);
    ex_call call = {.action = EX_INSTANCE_CREATE,
                    .caller = &maker,
                    .contract = s->view.contract,
                    .name = entity,
                    .body = mt_buf_str(&body)};
    answer a = NO_ANSWER_YET;
    ex_executor_call(s->in.executor, &call, made, &a);
    wait_for(&a);
    int code = CLI_HOLDS;
    if (a.status >= 400 && a.status != 409) {
        code = cli_fail(s->in.args, a.status < 500 ? CLI_USAGE : CLI_WORLD,
                        "--instance %.*s: %.*s", MT_ARG(text),
                        MT_ARG(mt_buf_str(&a.body)));
    }
    mt_buf_free(&a.body);
    mt_buf_free(&body);
    return code;
}

static int make_instances(service *s)
{
    const char *text;
    int code = CLI_HOLDS;
    for (int i = 0; !code && (text = cli_value_at(s->in.args, "instance", i)); i++) {
        code = strchr(text, '/') ? make_instance(s, mt_str_z(text))
                                 : cli_fail(s->in.args, CLI_USAGE,
                                            "--instance is ENTITY/ID, not '%s'", text);
    }
    return code;
}

/* ---- Messages ---- */

static void answered(void *state, int status, mt_buf *body)
{
    give(state, status, body);
}

/* Written without buffering, since the other side waits for it. A signal in the middle
 * does not cut a line. */
static int write_line(service *s, mt_buf *line)
{
    mt_buf_addc(line, '\n');
    for (mt_str rest = mt_buf_str(line); rest.len;) {
        ssize_t n = write(STDOUT_FILENO, rest.ptr, rest.len);
        if (n < 0 && errno == EPIPE) { /* nobody hears: nothing more is done */
            told_to_stop = 1;
            return CLI_HOLDS;
        }
        if (n < 0 && errno != EINTR) {
            return cli_fail(s->in.args, CLI_WORLD, "standard output: %s",
                            cli_why(MT_E_IO));
        }
        rest = mt_str_skip(rest, n > 0 ? (size_t)n : 0);
    }
    return CLI_HOLDS;
}

static void hear_here(service *s, mt_str text, mt_buf *out)
{
    answer a = NO_ANSWER_YET;
    tl_hear(s->desk, &s->visit, text, answered, &a);
    wait_for(&a);
    *out = a.body;
}

/* A notification has no answer, and then nothing is written. */
static int hear(service *s, mt_str text)
{
    mt_buf line = {0};
    if (s->far) {
        cli_mcp_hear(&s->client, text, &line);
    } else {
        hear_here(s, text, &line);
    }
    int code = line.len ? write_line(s, &line) : CLI_HOLDS;
    mt_buf_free(&line);
    return code;
}

/* An empty line is nothing, and so is the end of one that was too long. */
static int take_line(service *s, mt_str line)
{
    mt_str text = mt_str_trim(line, MT_STR(" \t\r"));
    bool rest_of_long = s->too_long;
    s->too_long = false;
    return text.len && !rest_of_long ? hear(s, text) : CLI_HOLDS;
}

/* Every whole line that was read. What is left is the begin of a line that is not whole
 * yet. One that grows beyond the limit is given to the reader once, for its answer that
 * it is too large; the rest of it is dropped up to the end of its line. */
static int take_lines(service *s)
{
    int code = CLI_HOLDS;
    mt_str rest = mt_buf_str(&s->waiting);
    for (size_t end;
         !code && !told_to_stop && (end = mt_str_find(rest, '\n')) < rest.len;) {
        code = take_line(s, mt_str_from(rest.ptr, end));
        rest = mt_str_skip(rest, end + 1);
    }
    if (!code &&
        rest.len > s->in.limits.mcp_bytes) { /* refused as it is, then dropped */
        code = s->too_long ? CLI_HOLDS : hear(s, rest);
        s->too_long = true;
        rest.len = 0;
    }
    if (rest.len) {
        memmove(s->waiting.ptr, rest.ptr, rest.len);
    }
    s->waiting.len = rest.len;
    return code;
}

/* Reads blocking: a signal ends read() with EINTR, and the loop sees that it was told
 * to stop. */
static int serve(service *s)
{
    enum { CHUNK = 64 << 10 };
    int code = CLI_HOLDS;
    while (!code && !told_to_stop) {
        if (!mt_buf_room(&s->waiting, CHUNK)) {
            return CLI_WORLD;
        }
        ssize_t n = read(STDIN_FILENO, s->waiting.ptr + s->waiting.len, CHUNK);
        if (n == 0) { /* the last line may lack its end; half a message is not JSON */
            return take_line(s, mt_buf_str(&s->waiting));
        }
        if (n < 0 && errno != EINTR) {
            return cli_fail(s->in.args, CLI_WORLD, "standard input: %s",
                            cli_why(MT_E_IO));
        }
        s->waiting.len += n > 0 ? (size_t)n : 0;
        code = n > 0 ? take_lines(s) : CLI_HOLDS;
    }
    return code;
}

static int list_tools(service *s)
{
    mt_buf names = {0};
    tl_names(s->desk, s->view.contract, s->visit.persona, &names);
    int code = cli_print(mt_buf_str(&names));
    mt_buf_free(&names);
    return code;
}

/* ---- All of it ---- */

/* Signals are let in when everything is open: a signal before that would end the
 * process in the middle of opening. */
static int run_here(service *s, sigset_t *signals)
{
    int code = read_settings(s);
    code = code ? code : cli_inside_open(&s->in, 0);
    code = code ? code : find_persona(s);
    code = code ? code : make_caller(s);
    code = code ? code : make_instances(s);
    if (!code) {
        s->desk = tl_desk_new(s->in.executor, MOTET_VERSION);
        cli_inside_signals(stop, signals, SIG_UNBLOCK);
        code = cli_flag(s->in.args, "list") ? list_tools(s) : serve(s);
    }
    tl_desk_free(s->desk);
    cli_inside_close(&s->in);
    return code;
}

static bool is_over(void)
{
    return told_to_stop;
}

/* Nothing is opened here but a connection, so there is nothing to protect from
 * signals. */
static int run_far(service *s, sigset_t *signals)
{
    s->far = true;
    s->in.limits = cli_limits(s->in.args);
    cli_inside_signals(stop, signals, SIG_UNBLOCK);
    int code = cli_mcp_connect(s->in.args, &s->in.arena, is_over, &s->client);
    if (!code) {
        code = cli_flag(s->in.args, "list") ? cli_mcp_list(&s->client) : serve(s);
    }
    cli_mcp_disconnect(&s->client);
    return code;
}

/* Options that mean nothing without --server are refused rather than ignored: who gives
 * a token expects that it is used. */
static int refused_words(const cli_args *args)
{
    static const char *const FAR[] = {"token-file", "ca", "timeout"};
    for (size_t i = 0; i < sizeof FAR / sizeof *FAR; i++) {
        if (cli_flag(args, FAR[i])) {
            return cli_fail(args, CLI_USAGE, "--%s is for --server", FAR[i]);
        }
    }
    return args->count ? CLI_HOLDS
                       : cli_fail(args, CLI_USAGE, "expected FILE or --server URL");
}

int cmd_mcp(const cli_args *args)
{
    service s = {.in = {.args = args}};
    sigset_t signals;
    signal(SIGPIPE, SIG_IGN);
    cli_inside_signals(stop, &signals, SIG_BLOCK);
    bool far = cli_value(args, "server") != NULL;
    int code = far ? CLI_HOLDS : refused_words(args);
    code = code ? code : far ? run_far(&s, &signals) : run_here(&s, &signals);
    mt_buf_free(&s.waiting);
    mt_arena_free(&s.in.arena);
    return code;
}
