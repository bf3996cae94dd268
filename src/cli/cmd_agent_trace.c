/* cli/cmd_agent_trace.c - motet agent trace, compare, statement.
 * Room: cli. `trace` runs a scripted conversation in memory: no relay, no handler
 * programs, so its bytes are the same on every machine. `compare` reads two
 * traces, whoever made them. `statement` prints what the implementation claims to
 * conform to. Exit status 1 when a file has faults or traces diverge, 2 for an option,
 * 3 for what cannot be read. */
#include "agent/scenario.h"
#include "agent/trace.h"
#include "base/vec.h"
#include "cli/commands.h"
#include "cli/document.h"

/* clang-format off */
const cli_option CMD_AGENT_TRACE_OPTIONS[] = {
    {"answers", "ORDER", "handlers answer forward (default), reverse or shuffled"},
    {NULL, NULL, NULL},
};
const cli_option CMD_AGENT_COMPARE_OPTIONS[] = {
    {"final", NULL,    "compare the final tape and the messages sent, in any order"},
    {"only",  "NODES", "compare only what has to do with these nodes: A,B"},
    {NULL, NULL, NULL},
};
/* clang-format on */

/* Without a name: forward. */
static bool answers_from(const char *name, ag_answers *out)
{
    static const char *const NAMES[] = {
        [AG_FORWARD] = "forward",
        [AG_REVERSE] = "reverse",
        [AG_SHUFFLED] = "shuffled",
    };
    MT_TABLE_COVERS(NAMES, AG_SHUFFLED + 1);
    for (int i = 0; i < 3; i++) {
        if (!name || strcmp(NAMES[i], name) == 0) {
            *out = (ag_answers)i;
            return true;
        }
    }
    return false;
}

/* Reads the scenario and, when it names one, its agent file. Paths in a scenario are
 * relative to its file. Faults may be in either of the two, so both texts are kept for
 * the places. */
static int read_scenario(const cli_args *args, mt_arena *a, const char *path,
                         ag_scenario *out)
{
    cli_document documents[2];
    mt_diags ds = {.arena = a};
    size_t count = 1;
    int code = cli_read_document(args, a, path, &documents[0]);
    if (code) {
        return code;
    }
    mt_str agent = ag_scenario_agent(&documents[0].tree);
    if (agent.len) {
        count = 2;
        code = cli_read_agent_document(args, a, cli_beside(a, documents[0].name, agent),
                                       &documents[1]);
    }
    if (code) {
        return code;
    }
    const cli_document *d = &documents[count - 1];
    mt_err err =
        ag_scenario_read(a, documents[0].name, documents[0].text, &documents[0].tree,
                         d->name, d->text, count == 2 ? &d->tree : NULL, &ds, out);
    return err ? cli_show_faults(&ds, documents, count) : CLI_HOLDS;
}

/* The order in which answers of handlers arrive is part of the scenario, not of chance:
 * the same order gives the same bytes. */
int cmd_agent_trace(const cli_args *args)
{
    mt_arena a = {0};
    mt_buf out = {0};
    ag_scenario scenario;
    ag_answers answers;
    if (!answers_from(cli_value(args, "answers"), &answers)) {
        return cli_fail(args, CLI_USAGE, "--answers is forward, reverse or shuffled");
    }
    int code = read_scenario(args, &a, args->operands[0], &scenario);
    if (!code) {
        mt_limits limits = cli_limits(args);
        ag_scenario_run(&scenario, &limits, answers, NULL, NULL, &out);
        code = cli_print(mt_buf_str(&out));
    }
    mt_buf_free(&out);
    mt_arena_free(&a);
    return code;
}

/* A trace that cannot be read is a failure of its own and says where. */
static int show_comparison(const cli_args *args, mt_arena *a, mt_str left, mt_str right,
                           const ag_compare *how)
{
    bool same;
    mt_str where = MT_STR("");
    if (ag_trace_compare(a, left, right, how, &same, &where)) {
        return cli_fail(args, CLI_FAILS, "%.*s", MT_ARG(where));
    }
    if (same) {
        return cli_print(MT_STR("the traces agree\n"));
    }
    int code = cli_print(mt_strf(a, "the traces diverge at %.*s\n", MT_ARG(where)));
    return code ? code : CLI_FAILS;
}

/* A list of tokens, as routes have them. */
static bool nodes_of(mt_arena *a, const char *text, ag_compare *how)
{
    ag_route r;
    if (!text) {
        return true;
    }
    if (ag_route_parse(a, AG_PROFILE, NULL, mt_str_z(text), &r, NULL) ||
        ag_route_is_arrow(&r)) {
        return false;
    }
    mt_str *only = mt_new_array(a, mt_str, r.count[AG_SOURCE]);
    for (uint32_t i = 0; i < r.count[AG_SOURCE]; i++) {
        only[i] = r.nodes[i].text;
    }
    how->only = only;
    how->only_count = r.count[AG_SOURCE];
    return true;
}

/* Both operands are whole traces; what is left out of the comparison is chosen by
 * --only and --final. */
int cmd_agent_compare(const cli_args *args)
{
    mt_arena a = {0};
    mt_str left, right;
    ag_compare how = {.final = cli_flag(args, "final")};
    if (!nodes_of(&a, cli_value(args, "only"), &how)) {
        mt_arena_free(&a);
        return cli_fail(args, CLI_USAGE, "--only takes nodes with commas: A,B");
    }
    const size_t most = MT_LIMITS_DEFAULT.json_bytes;
    int code = cli_read_text(args, &a, args->operands[0], most, &left);
    code = code ? code : cli_read_text(args, &a, args->operands[1], most, &right);
    code = code ? code : show_comparison(args, &a, left, right, &how);
    mt_arena_free(&a);
    return code;
}

int cmd_agent_statement(const cli_args *args)
{
    (void)args;
    mt_buf out = {0};
    ag_statement(&out, true);
    int code = cli_print(mt_buf_str(&out));
    mt_buf_free(&out);
    return code;
}
