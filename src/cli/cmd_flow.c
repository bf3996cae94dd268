/* cli/cmd_flow.c - motet flow: flows of a running server.
 *
 * Every subcommand is one request (cli/client.c): the words of the command become the
 * path, options the members of the body or the query. What the server answers is what
 * is printed. Nothing is checked here that the server checks, so that both cannot
 * disagree. */
#include "base/form.h"
#include "base/json_read.h"
#include "cli/client.h"
#include "cli/commands.h"
#include "cli/document.h"
#include "cli/table.h"

/* clang-format off */
static const cli_option START_OPTIONS[] = {
    CLI_WRITE_OPTIONS,
    {"persona", "NAME",        "who acts"},
    {"bind",    "ENTITY=ID",   "the instance of an entity; may be repeated"},
    {"fact",    "NAME=VALUE",  "assert a fact, JSON or text; may be repeated"},
    {"facts",   "FILE",        "assert the facts of this document"},
    {"param",   "NAME=VALUE",  "for {name} in paths of sources; may be repeated"},
    {"outcome", "NAME",        "the outcome, where several match"},
    {"dry-run", NULL,          "only try it"},
    {NULL, NULL, NULL},
};
static const cli_option RESUME_OPTIONS[] = {
    CLI_WRITE_OPTIONS,
    {"persona", "NAME",   "who acts"},
    {"outcome", "NAME",   "the outcome, where several match"},
    {"reason",  "TEXT",   "why, for the record"},
    {"dry-run", NULL,     "only try it"},
    {NULL, NULL, NULL},
};
static const cli_option CANCEL_OPTIONS[] = {
    CLI_WRITE_OPTIONS,
    {"persona", "NAME",   "who acts"},
    {"outcome", "NAME",   "the outcome, where several match"},
    {"reason",  "TEXT",   "why, for the record"},
    {NULL, NULL, NULL},
};
static const cli_option SHOW_OPTIONS[] = {CLI_CLIENT_OPTIONS, {NULL, NULL, NULL}};
static const cli_option LIST_OPTIONS[] = {
    CLI_CLIENT_OPTIONS,
    {"contract", "ID",     "only of this contract"},
    {"flow",     "NAME",   "only of this flow"},
    {"status",   "WORD",   "only in this status (waiting, done, failed, …)"},
    {"persona",  "NAME",   "only those begun by this persona"},
    {"after",    "KEY",    "the page after this one (`next` of the page before)"},
    {"rows", "COUNT", "rows of one page (100)"},
    {NULL, NULL, NULL},
};
/* clang-format on */

/* Option and member have the same name. */
static void add_text(const cli_args *args, mt_jw *w, const char *option)
{
    const char *value = cli_value(args, option);
    if (value) {
        mt_jw_key(w, mt_str_z(option));
        mt_jw_str(w, mt_str_z(value));
    }
}

/* Absent unless asked for: a body without it acts. */
static void add_dry_run(const cli_args *args, mt_jw *w)
{
    if (cli_flag(args, "dry-run")) {
        mt_jw_key_bool(w, "dry_run", true);
    }
}

/* Without the option the member is absent, which is not the same as empty. */
static int add_pairs(const cli_args *args, mt_jw *w, const char *option,
                     const char *member, bool json)
{
    if (!cli_value(args, option)) {
        return CLI_HOLDS;
    }
    mt_jw_key(w, mt_str_z(member));
    return cli_pairs(args, w, option, json) ? CLI_HOLDS : CLI_USAGE;
}

/* From a file or one by one, never both: which of two values holds would be a guess. */
static int add_facts(const cli_args *args, mt_arena *a, mt_jw *w)
{
    const char *path = cli_value(args, "facts");
    cli_document document;
    if (!path) {
        return add_pairs(args, w, "fact", "facts", true);
    }
    if (cli_value(args, "fact")) {
        return cli_fail(args, CLI_USAGE, "--fact and --facts do not go together");
    }
    int code = cli_read_document(args, a, path, &document);
    if (!code) {
        mt_jw_keyz(w, "facts");
        mt_jw_json(w, &document.tree);
    }
    return code;
}

/* Members stand in the order of the options, so the object is begun unsorted. */
static int write_start(const cli_args *args, mt_arena *a, mt_buf *body)
{
    mt_jw w = mt_jw_start(body, false);
    mt_jw_begin_unsorted(&w);
    add_text(args, &w, "persona");
    add_text(args, &w, "outcome");
    int code = add_pairs(args, &w, "bind", "bindings", false);
    code = code ? code : add_pairs(args, &w, "param", "params", false);
    code = code ? code : add_facts(args, a, &w);
    add_dry_run(args, &w);
    mt_jw_end_object(&w);
    return code;
}

/* What begins: a flow or one operation alone, by the word in the path. */
static int begin(const cli_args *args, const char *what)
{
    mt_arena arena = {0};
    mt_buf path = {0}, body = {0};
    mt_buf_addz(&path, "/v1/contracts");
    cli_add_segment(&path, mt_str_z(args->operands[0]));
    mt_buf_addf(&path, "/%s", what);
    cli_add_segment(&path, mt_str_z(args->operands[1]));
    int code = write_start(args, &arena, &body);
    if (!code) {
        code = cli_ask(args, "POST", mt_buf_str(&path), mt_buf_str(&body));
    }
    mt_buf_free(&path);
    mt_buf_free(&body);
    mt_arena_free(&arena);
    return code;
}

static int start(const cli_args *args)
{
    return begin(args, "flows");
}

static int operate(const cli_args *args)
{
    return begin(args, "operations");
}

/* The caller frees the path. The id is escaped, since it comes from the command
 * line. */
static mt_buf path_of(const cli_args *args, const char *after)
{
    mt_buf path = {0};
    mt_buf_addz(&path, "/v1/flows");
    cli_add_segment(&path, mt_str_z(args->operands[0]));
    mt_buf_addz(&path, after);
    return path;
}

/* The same body for resume and cancel; the server ignores nothing, so only what was
 * given is sent, in the order of the options. */
static int send_on(const cli_args *args, const char *after)
{
    mt_buf path = path_of(args, after), body = {0};
    mt_jw w = mt_jw_start(&body, false);
    mt_jw_begin_unsorted(&w);
    add_text(args, &w, "persona");
    add_text(args, &w, "outcome");
    add_text(args, &w, "reason");
    add_dry_run(args, &w);
    mt_jw_end_object(&w);
    int code = cli_ask(args, "POST", mt_buf_str(&path), mt_buf_str(&body));
    mt_buf_free(&path);
    mt_buf_free(&body);
    return code;
}

static int resume(const cli_args *args)
{
    return send_on(args, "/resume");
}

static int cancel(const cli_args *args)
{
    return send_on(args, "/cancel");
}

static int show(const cli_args *args)
{
    mt_buf path = path_of(args, "");
    int code = cli_ask(args, "GET", mt_buf_str(&path), (mt_str){0});
    mt_buf_free(&path);
    return code;
}

/* Who is waited for, and at what; or how it ended. */
static mt_str standing(mt_arena *a, const mt_json *flow)
{
    const mt_json *w = mt_json_at(flow, "waiting");
    mt_str at = mt_text_at(w, mt_json_at(w, "operation") ? "operation" : "step");
    return w ? mt_strf(a, "%.*s at %.*s", MT_ARG(mt_text_at(w, "persona")), MT_ARG(at))
             : mt_text_at(flow, "outcome");
}

/* Columns: ID, CONTRACT/FLOW, STATUS, outcome or who is waited for, STARTED. Ids are
 * whole, since they are copied into the next command. */
static void tell_list(mt_buf *out, mt_arena *a, const mt_json *answer)
{
    const mt_json *items = mt_json_at(answer, "items");
    cli_table t = {
        .titles = {"ID", "FLOW", "STATUS", "OUTCOME, OR WAITS FOR", "STARTED"},
        .whole = 1u << 0};
    for (uint32_t i = 0; items && i < items->count; i++) {
        const mt_json *one = &items->as.items[i];
        cli_table_cell(&t, mt_text_at(one, "id"));
        cli_table_cell(&t, mt_strf(a, "%.*s/%.*s", MT_ARG(mt_text_at(one, "contract")),
                                   MT_ARG(mt_text_at(one, "flow"))));
        cli_table_cell(&t, mt_text_at(one, "status"));
        cli_table_cell(&t, standing(a, one));
        cli_table_cell(&t, cli_table_time(a, mt_text_at(one, "started_at")));
    }
    mt_buf_addz(out, t.cells.len ? "" : "no flow executions\n");
    cli_table_write(&t, out);
    cli_tell_next(out, answer);
    cli_table_free(&t);
}

/* Empty options add nothing; names of options and of query parameters are the same but
 * for the number of rows. */
static int list(const cli_args *args)
{
    static const char *const FILTERS[] = {"contract", "flow", "status", "persona",
                                          "after"};
    mt_buf path = {0};
    mt_buf_addz(&path, "/v1/flows");
    for (size_t i = 0; i < sizeof FILTERS / sizeof *FILTERS; i++) {
        cli_add_query(&path, args, FILTERS[i], FILTERS[i]);
    }
    cli_add_query(&path, args, "rows", "limit");
    int code =
        cli_ask_told(args, "GET", mt_buf_str(&path), (mt_str){0}, tell_list, NULL);
    mt_buf_free(&path);
    return code;
}

/* clang-format off */
const cli_command CMD_FLOW_COMMANDS[] = {
    {"start", "CONTRACT FLOW", "Start a flow, or try it with --dry-run", start, START_OPTIONS,
     NULL, 2, 2, NULL},
    {"operation", "CONTRACT OPERATION", "Execute one operation, or try it with --dry-run",
     operate, START_OPTIONS, NULL, 2, 2, NULL},
    {"list", NULL, "List flow executions", list, LIST_OPTIONS, NULL, 0, 0, NULL},
    {"show", "ID", "Show one flow execution", show, SHOW_OPTIONS, NULL, 1, 1, NULL},
    {"resume", "ID", "Go on with a waiting flow, or try it with --dry-run", resume,
     RESUME_OPTIONS, NULL, 1, 1, NULL},
    {"cancel", "ID", "Cancel a flow", cancel, CANCEL_OPTIONS, NULL, 1, 1, NULL},
    {NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL},
};
/* clang-format on */
