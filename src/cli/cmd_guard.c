/* cli/cmd_guard.c - the table of `motet guard` commands, and those that look after
 * calls whose outcome is not known: pending, resolve. Room: cli.
 *
 * A guarded call is a document of the store from the moment it is allowed until its end
 * is recorded (exec/executor.h). `pending` lists these documents; `resolve` ends one as
 * an operator says, with a record of its own that names who said it. Exit status 1 when
 * a call cannot be resolved, 3 when the store cannot be opened. */
#include "base/vec.h"
#include "cli/commands.h"
#include "cli/guarded.h"
#include "contract/wire/value.h"
#include "exec/evidence/guarded.h"

/* clang-format off */
static const cli_option PENDING_OPTIONS[] = {
    {"store", "URL", "where everything is kept (sqlite:motet.db)"},
    {"json",  NULL,  "one JSON object for each"},
    {NULL, NULL, NULL},
};
static const cli_option RESOLVE_OPTIONS[] = {
    {"done",        NULL,   "the tool did it: its effects are committed"},
    {"failed",      NULL,   "the tool did not do it: nothing moves"},
    {"outcome",     "NAME", "which outcome, where several are possible"},
    {"reason",      "TEXT", "how it was found out, for the record"},
    {"store",       "URL",  "where everything is kept (sqlite:motet.db)"},
    {"config",      "FILE", "settings as of motet serve"},
    {"signing-key", "FILE", "sign the ledger"},
    {"as",          "ID",   "who you are, for the record (uid:NUMBER)"},
    {NULL, NULL, NULL},
};

const cli_command CMD_GUARD_COMMANDS[] = {
    {"connect", "URL", "Speak lines with an MCP server that is reached over HTTP",
     cmd_guard_connect, CMD_GUARD_CONNECT_OPTIONS, NULL, 1, 1, CMD_GUARD_CONNECT_DETAILS},
    {"decide", NULL, "Decide one call of a tool, for the hook of a coding agent",
     cmd_guard_decide, CMD_GUARD_DECIDE_OPTIONS, NULL, 0, 0, CMD_GUARD_DECIDE_DETAILS},
    {"init", "-- COMMAND...", "Write a contract, a map and scenarios for a server's tools",
     cmd_guard_init, CMD_GUARD_INIT_OPTIONS, NULL, 1, -1, CMD_GUARD_INIT_DETAILS},
    {"pending", NULL, "List calls that are under way, or whose outcome is not known",
     cmd_guard_pending, PENDING_OPTIONS, NULL, 0, 0, NULL},
    {"resolve", "CALL", "Say what became of a call whose outcome is not known",
     cmd_guard_resolve, RESOLVE_OPTIONS, NULL, 1, 1, NULL},
    {"run", "[-- COMMAND...]", "Stand before another MCP server and decide every call",
     cmd_guard_run, CMD_GUARD_RUN_OPTIONS, NULL, 0, -1, CMD_GUARD_RUN_DETAILS},
    {"suggest", "[LEDGER]", "Narrow contract and map by what was seen, as a diff to look at",
     cmd_guard_suggest, CMD_GUARD_SUGGEST_OPTIONS, NULL, 0, 1, CMD_GUARD_SUGGEST_DETAILS},
    {NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL},
};
/* clang-format on */

/* ---- pending ---- */

/* The arena is for one row at a time. */
typedef struct listing {
    mt_arena arena;
    mt_buf out;
    bool json;
} listing;

/* A document that is not JSON is damage, not a row to pass over: it would look as if
 * nothing were pending. Times are kept in milliseconds and shown in whole seconds. The
 * tool is a name from outside, so it is shown escaped. */
static mt_err add_row(void *state, const st_doc *row)
{
    listing *l = state;
    mt_json tree;
    mt_arena_reset(&l->arena);
    if (mt_json_read(&l->arena, mt_str_dup(&l->arena, row->body), NULL, &tree, NULL)) {
        return MT_E_CORRUPT;
    }
    char text[CT_TIME_TEXT];
    int64_t ms = 0, record = 0;
    mt_json_i64(mt_json_at(&tree, "time"), &ms);
    mt_json_i64(mt_json_at(&tree, "allowed"), &record);
    mt_str time = mt_str_from(text, ct_time_print((ct_time){ms / 1000, 0}, text));
    if (l->json) {
        mt_jw w = mt_jw_start(&l->out, false);
        mt_jw_begin_object(&w);
        mt_jw_keyz(&w, "bindings");
        mt_jw_json(&w, mt_json_at(&tree, "bindings"));
        mt_jw_key_str(&w, "call", row->id);
        if (mt_json_at(&tree, "flow")) {
            mt_jw_key_str(&w, "flow", mt_text_at(&tree, "flow"));
        } else {
            mt_jw_key_str(&w, "operation", mt_text_at(&tree, "operation"));
        }
        mt_jw_key_str(&w, "persona", mt_text_at(&tree, "persona"));
        mt_jw_key_i64(&w, "record", record);
        mt_jw_key_str(&w, "status", mt_text_at(&tree, "status"));
        mt_jw_key_str(&w, "time", time);
        mt_jw_key_str(&w, "tool", mt_text_at(&tree, "tool"));
        mt_jw_end_object(&w);
        mt_buf_addc(&l->out, '\n');
    } else {
        mt_buf_addf(&l->out, "%.*s  %.*s  %.*s  ", MT_ARG(row->id), MT_ARG(time),
                    MT_ARG(mt_text_at(&tree, "status")));
        mt_json_show(&l->out, mt_text_at(&tree, "tool"));
        mt_buf_addf(&l->out, "  record %lld\n", (long long)record);
    }
    return MT_OK;
}

/* A store is only read, so a guard may be at work on it. */
int cmd_guard_pending(const cli_args *args)
{
    const char *url = cli_value(args, "store");
    listing l = {.json = cli_flag(args, "json")};
    mt_buf why = {0};
    st_store *store = NULL;
    st_tx *tx;
    st_options options = {.read_only = true, .must_exist = true};
    mt_err err = st_open(url ? url : "sqlite:motet.db", &options, &store, &why);
    if (err) {
        cli_fail(args, CLI_WORLD, "%.*s", MT_ARG(mt_buf_str(&why)));
        mt_buf_free(&why);
        return CLI_WORLD;
    }
    err = st_begin(store, ST_READ, &tx);
    if (!err) {
        err = st_doc_walk(tx, EX_GUARDED_KIND, MT_STR(""), (st_page){0}, add_row, &l);
        st_rollback(tx);
    }
    st_close(store);
    int code = err ? cli_fail(args, CLI_WORLD, "the store: %s", cli_why(err))
                   : cli_print(mt_buf_str(&l.out));
    mt_buf_free(&l.out);
    mt_arena_free(&l.arena);
    return code;
}

/* ---- resolve ---- */

/* There is no map here, so the tool has no name and its result is not looked into:
 * without --outcome the executor takes the outcome that matches. */
static int resolve(cli_guarded *g, const cli_args *args, bool done)
{
    const char *outcome = cli_value(args, "outcome"),
               *reason = cli_value(args, "reason");
    gd_ended told;
    gd_end_of e = {.call = mt_str_z(args->operands[0]),
                   .tool = MT_STR(""),
                   .ended = done ? EX_ENDED_DONE : EX_ENDED_FAILED,
                   .outcome = mt_str_z(outcome ? outcome : ""),
                   .why = mt_str_z(reason ? reason : "an operator says so")};
    bool settled = gd_end(&g->desk, &g->in.arena, &e, &told);
    return settled ? CLI_HOLDS
                   : cli_fail(args, CLI_FAILS, "call %s is not resolved: %.*s",
                              args->operands[0], MT_ARG(told.words));
}

/* Neither or both of --done and --failed is a fault of usage: nothing is assumed about
 * what became of a call. The store is opened for writing, so a guard that has the same
 * file must end first. */
int cmd_guard_resolve(const cli_args *args)
{
    bool done = cli_flag(args, "done");
    if (done == cli_flag(args, "failed")) {
        return cli_fail(args, CLI_USAGE, "say --done or --failed");
    }
    cli_guarded g;
    int code = cli_guarded_open_store(&g, args);
    code = code ? code : resolve(&g, args, done);
    cli_guarded_close(&g);
    return code;
}
