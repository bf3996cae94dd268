/* cli/cmd_guard_run.c - motet guard run: stands before another MCP server.
 * Room: cli. Nothing but messages goes to standard output, whatever happens. It ends
 * when its input does, or by SIGTERM or SIGINT. Calls that a guard before this one left
 * behind are found first, and said to be of unknown outcome: on a store of its own
 * nobody else can be at them.
 *
 * Order: signals are blocked, store and executor opened, calls left behind settled,
 * signals let in, messages served. Everything before the first message may fail with a
 * code of its own: 1 for a contract or map with faults, 2 for options, 3 for the
 * rest. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/vec.h"
#include "cli/commands.h"
#include "cli/guarded.h"
#include "exec/evidence/guarded.h"

/* clang-format off */
const cli_option CMD_GUARD_RUN_OPTIONS[] = {
    {"contract",    "FILE", "the contract that decides"},
    {"map",         "FILE", "which tool is which operation (YAML or JSON)"},
    {"upstream",    "URL",  "the server is reached over HTTP, in place of COMMAND"},
    {"token-file",  "FILE", "a file with the token that the server at URL wants"},
    {"ca",          "FILE", "TLS: trust this authority (PEM), for URL"},
    {"store",       "URL",  "where everything is kept (sqlite:motet.db)"},
    {"observe",     NULL,   "decide and record, but refuse nothing"},
    {"as",          "ID",   "who calls, for the map's identities (uid:NUMBER)"},
    {"signing-key", "FILE", "sign the ledger"},
    {"config",      "FILE", "settings as of motet serve: sources, executor, distinct"},
    {NULL, NULL, NULL},
};
const char CMD_GUARD_RUN_DETAILS[] =
    "Starts COMMAND, an MCP server on standard input and output, and speaks for it, in "
    "both revisions. Each call of a tool is decided by the contract as the map says. What "
    "is allowed is recorded, and its instances are claimed, before the tool is called; "
    "its effects are committed with its result. What is refused never reaches the "
    "server; the answer says why.\n\n"
    "A call of which it is not known what became of it (the guard or the server died, "
    "or said nothing in time) is listed by motet guard pending and settled by motet "
    "guard resolve; it is never tried again by itself.";
/* clang-format on */

static volatile sig_atomic_t told_to_stop;

static void stop(int signal_number)
{
    (void)signal_number;
    told_to_stop = 1;
}

/* ---- What was left behind ---- */

/* Calls and their tools, in the same order: a read transaction cannot write, so they
 * are gathered first. */
typedef struct left {
    mt_arena *a;
    MT_VEC(mt_str) calls, tools;
} left;

/* Those that are unknown already were told about before and wait for an operator. */
static mt_err note_left(void *state, const st_doc *row)
{
    left *l = state;
    mt_json tree;
    mt_str body = mt_str_dup(l->a, row->body), id = mt_str_dup(l->a, row->id);
    if (mt_json_read(l->a, body, NULL, &tree, NULL)) {
        return MT_E_CORRUPT;
    }
    if (!mt_str_is(mt_text_at(&tree, "status"), EX_CALL_UNKNOWN)) {
        mt_str tool = mt_text_at(&tree, "tool");
        mt_vec_push(l->a, &l->calls, id);
        mt_vec_push(l->a, &l->tools, tool);
    }
    return MT_OK;
}

/* That one of them cannot be settled does not keep the guard from serving: it stays
 * pending and is found again next time. */
static int find_left(cli_guarded *g)
{
    left l = {.a = &g->in.arena};
    st_tx *tx;
    if (st_is_shared(g->in.store)) {
        return CLI_HOLDS; /* others may be at work */
    }
    mt_err err = st_begin(g->in.store, ST_READ, &tx);
    if (!err) {
        err = st_doc_walk(tx, EX_GUARDED_KIND, MT_STR(""), (st_page){0}, note_left, &l);
        st_rollback(tx);
    }
    for (size_t i = 0; i < l.calls.len && !err; i++) {
        gd_ended told;
        gd_end_of e = {.call = l.calls.items[i],
                       .tool = l.tools.items[i],
                       .ended = EX_ENDED_UNKNOWN,
                       .why = MT_STR("the guard ended before the tool had answered")};
        (void)gd_end(&g->desk, &g->in.arena, &e, &told);
        fprintf(stderr, "motet guard: call %.*s was left behind: outcome_unknown\n",
                MT_ARG(l.calls.items[i]));
    }
    return err ? cli_fail(g->in.args, CLI_WORLD, "the store: %s", cli_why(err))
               : CLI_HOLDS;
}

/* ---- All of it ---- */

static void report(void *state, const char *text)
{
    (void)state;
    fprintf(stderr, "motet guard: %s\n", text);
}

/* The server's command: the one given, or this program as a bridge to its address. The
 * bridge is a process like any other server, so the guard has only one way to speak
 * with one. Values go as --name=value, so that one which begins with a dash is not read
 * as an option; the array has room for all of it and the NULL at the end. */
static const char *const *command_of(cli_guarded *g)
{
    const char *url = cli_value(g->in.args, "upstream"), *value;
    static const char *const PASSED[] = {"token-file", "ca"};
    const char **words = mt_new_array(&g->in.arena, const char *, 10);
    size_t n = 0;
    if (!url) {
        return g->in.args->operands;
    }
    words[n++] = "/proc/self/exe";
    words[n++] = "guard";
    words[n++] = "connect";
    for (size_t i = 0; i < sizeof PASSED / sizeof *PASSED; i++) {
        if ((value = cli_value(g->in.args, PASSED[i]))) {
            words[n++] = mt_strf(&g->in.arena, "--%s=%s", PASSED[i], value).ptr;
        }
    }
    words[n++] = "--";
    words[n++] = url;
    return words;
}

/* Messages of the client are bounded as those of any MCP server of ours; what the other
 * server says may be larger, as results of tools are. GRACE_MS: how long it is waited
 * for when it is told to end. */
static int serve(cli_guarded *g)
{
    enum { GRACE_MS = 5000 };
    gd_options o = {.desk = &g->desk,
                    .command = command_of(g),
                    .in = STDIN_FILENO,
                    .out = STDOUT_FILENO,
                    .client_bytes = g->in.limits.mcp_bytes,
                    .upstream_bytes = g->in.limits.guard_bytes,
                    .depth = g->in.limits.json_depth,
                    .grace_ms = GRACE_MS,
                    .report = report,
                    .stop = &told_to_stop};
    mt_err err = gd_serve(&o);
    return err ? cli_fail(g->in.args, CLI_WORLD, "%s: %s", o.command[0], cli_why(err))
               : CLI_HOLDS;
}

int cmd_guard_run(const cli_args *args)
{
    cli_guarded g;
    sigset_t signals;
    if ((args->count > 0) == cli_flag(args, "upstream")) {
        return cli_fail(args, CLI_USAGE,
                        "say which server: -- COMMAND..., or --upstream URL");
    }
    signal(SIGPIPE, SIG_IGN);
    cli_inside_signals(stop, &signals, SIG_BLOCK);
    int code = cli_guarded_open(&g, args, 0);
    code = code ? code : find_left(&g);
    if (!code) {
        cli_inside_signals(stop, &signals, SIG_UNBLOCK);
        code = serve(&g);
    }
    cli_guarded_close(&g);
    return code;
}
