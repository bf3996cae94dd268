/* cli/cmd_agent_inspect.c - motet agent inspect: a running agent, as it is now.
 * Room: cli. It asks over the socket that the agent listens on and prints what came
 * back; the agent goes on meanwhile. What answers may be another program, so nothing in
 * it is taken for granted: members that are missing or of another type are left out.
 * Exit status 1 when the answer is not JSON, 3 when nobody answers. */
#include "base/json_read.h"
#include "base/json_write.h"
#include "cli/commands.h"
#include "net/inspect.h"

/* clang-format off */
const cli_option CMD_AGENT_INSPECT_OPTIONS[] = {
    {"json", NULL, "print it as JSON"},
    {NULL, NULL, NULL},
};
const char CMD_AGENT_INSPECT_DETAILS[] =
    "SOCKET is the path that motet agent run --inspect was given. Shown are where the agent is,\n"
    "its tape and memory by key, timers that are armed, and what it has counted.";
/* clang-format on */

/* "armed     [...]": a name in ten columns, then the value as JSON. */
static void show_value(mt_buf *out, const char *name, const mt_json *value)
{
    mt_buf_addf(out, "%-10s", name);
    mt_json_write(out, value, false);
    mt_buf_addc(out, '\n');
}

/* Rows of [key, value]; the null key has no name. */
static void show_rows(mt_buf *out, const char *name, const mt_json *rows)
{
    for (uint32_t i = 0; mt_json_is(rows, MT_JSON_ARRAY) && i < rows->count; i++) {
        const mt_json *row = &rows->as.items[i];
        if (mt_json_is(row, MT_JSON_ARRAY) && row->count == 2) {
            mt_buf_addf(out, "%-10s%.*s%s", i ? "" : name,
                        MT_ARG(mt_json_text(&row->as.items[0])),
                        mt_json_text(&row->as.items[0]).len ? "  " : "");
            mt_json_write(out, &row->as.items[1], false);
            mt_buf_addc(out, '\n');
        }
    }
}

/* "counts    again 0, commits 12, ...": whatever the agent counts, in its order. */
static void show_counts(mt_buf *out, const mt_json *counts)
{
    mt_buf_addz(out, "counts    ");
    for (uint32_t i = 0; mt_json_is(counts, MT_JSON_OBJECT) && i < counts->count; i++) {
        mt_buf_addf(out, "%s%.*s %.*s", i ? ", " : "",
                    MT_ARG(counts->as.members[i].key),
                    MT_ARG(mt_json_text(&counts->as.members[i].value)));
    }
    mt_buf_addc(out, '\n');
}

/* First line: name, phase and relay, as in "greeter, connected 127.0.0.1:8888"; phases
 * are away, connecting, opening and connected. */
static void show(mt_buf *out, const mt_json *seen)
{
    const mt_json *agent = mt_json_at(seen, "agent");
    const mt_json *state = mt_json_at(agent, "state");
    mt_buf_addf(out, "%.*s, %.*s %.*s\n",
                MT_ARG(mt_json_text(mt_json_at(state, "agent"))),
                MT_ARG(mt_json_text(mt_json_at(seen, "phase"))),
                MT_ARG(mt_json_text(mt_json_at(seen, "relay"))));
    show_rows(out, "tape", mt_json_at(mt_json_at(state, "tape"), "keys"));
    show_rows(out, "memory", mt_json_at(state, "memory"));
    if (mt_json_at(state, "armed")) {
        show_value(out, "armed", mt_json_at(state, "armed"));
    }
    show_counts(out, mt_json_at(agent, "counts"));
    show_value(out, "unsent", mt_json_at(agent, "unsent_bytes"));
}

int cmd_agent_inspect(const cli_args *args)
{
    mt_arena a = {0};
    mt_buf answer = {0}, why = {0}, out = {0};
    mt_json seen;
    mt_err err = nt_inspect_ask(args->operands[0], &answer, &why);
    int code = err ? cli_fail(args, err == MT_E_USAGE ? CLI_USAGE : CLI_WORLD, "%.*s",
                              MT_ARG(mt_buf_str(&why)))
                   : CLI_HOLDS;
    if (!code && mt_json_read(&a, mt_buf_str(&answer), NULL, &seen, NULL)) {
        code = cli_fail(args, CLI_FAILS, "what answers at %s is not an agent",
                        args->operands[0]);
    } else if (!code) {
        if (cli_flag(args, "json")) {
            mt_buf_adds(&out, mt_buf_str(&answer));
        } else {
            show(&out, &seen);
        }
        code = cli_print(mt_buf_str(&out));
    }
    mt_buf_free(&answer);
    mt_buf_free(&why);
    mt_buf_free(&out);
    mt_arena_free(&a);
    return code;
}
