/* cli/cmd_graph_fixture.c - motet graph fixture: look at, check and make fixtures.
 * Room: cli. `check` reads a fixture as a run would, by the same reader, so what
 * passes here is not refused there. `import` makes one from a CSV file, whole or not
 * at all. Exit status 0 good, 1 something is wrong with the file, 2 used wrongly, 3
 * it cannot be read. Ids are kept in memory to find one that stands twice. */
#include "base/json_write.h"
#include "base/map.h"
#include "base/number.h"
#include "cli/commands.h"
#include "host/graph_csv.h"
#include "host/graph_ingress.h"

static int cmd_graph_fixture_check(const cli_args *args);
static int cmd_graph_fixture_import(const cli_args *args);

/* clang-format off */
const cli_option CMD_GRAPH_FIXTURE_CHECK_OPTIONS[] = {
    {"adapter", NULL, "the events are for a graph with an adapter: semantic_kind is needed"},
    {"json",    NULL, "print the figures as JSON"},
    {NULL, NULL, NULL},
};
const cli_option CMD_GRAPH_FIXTURE_IMPORT_OPTIONS[] = {
    {"out",           "FILE", "where to write the fixture (standard output)"},
    {"semantic-kind", "KIND", "semantic kind of the events (none)"},
    {"event-kind",    "KIND", "DataAvailable, Command or Pump (DataAvailable)"},
    {"episode",       "ID",   "id of the one episode (E1)"},
    {"columns",       "LIST", "take only these columns, separated by commas"},
    {"text",          "LIST", "these columns are text, even where they look like numbers"},
    {"at",            "NAME", "this column is the event time, in seconds"},
    {NULL, NULL, NULL},
};
const cli_command CMD_GRAPH_FIXTURE_COMMANDS[] = {
    {"check", "FILE", "Check a fixture and count its events", cmd_graph_fixture_check,
     CMD_GRAPH_FIXTURE_CHECK_OPTIONS, NULL, 1, 1, NULL},
    {"import", "FILE.csv", "Make a fixture from a CSV file", cmd_graph_fixture_import,
     CMD_GRAPH_FIXTURE_IMPORT_OPTIONS, NULL, 1, 1,
     "The first row names the columns; every other row becomes one event whose payload has "
     "one member per column: a number where the cell is one, true and false as such, text "
     "otherwise; columns of --text are text. Empty cells are left out. With --at the event time is that column's, "
     "which is then no part of the payload unless --columns has it. Events are numbered csv_evt_1, csv_evt_2, …"},
    {NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL},
};
/* clang-format on */

typedef struct figures {
    uint64_t events, by_kind[3];
} figures;

/* Reads it all; the id that appears twice, or empty. */
static mt_str count_events(mt_arena *a, ho_ingress *in, figures *f,
                           ho_ingress_result *ended)
{
    mt_map ids = {0};
    ho_graph_event event;
    while ((*ended = ho_ingress_next(in, 0, &event)) == HO_INGRESS_EVENT) {
        bool added;
        mt_map_add(a, &ids, mt_str_dup(a, event.id), &added);
        if (!added) {
            return mt_str_dup(a, event.id);
        }
        f->events++;
        f->by_kind[event.kind]++;
    }
    return (mt_str){0};
}

/* The same figures in both forms. */
static void print_figures(mt_buf *out, const cli_args *args, const figures *f,
                          uint64_t episodes)
{
    if (!cli_flag(args, "json")) {
        mt_buf_addf(out, "episodes=%llu events=%llu", (unsigned long long)episodes,
                    (unsigned long long)f->events);
        for (int i = 0; i < 3; i++) {
            mt_buf_addf(out, " %s=%llu", gr_signal_kind_name((gr_signal_kind)i),
                        (unsigned long long)f->by_kind[i]);
        }
        mt_buf_addc(out, '\n');
        return;
    }
    mt_jw w = mt_jw_start(out, true);
    mt_jw_begin_object(&w);
    mt_jw_key_i64(&w, "Command", (int64_t)f->by_kind[GR_COMMAND]);
    mt_jw_key_i64(&w, "DataAvailable", (int64_t)f->by_kind[GR_DATA_AVAILABLE]);
    mt_jw_key_i64(&w, "Pump", (int64_t)f->by_kind[GR_PUMP]);
    mt_jw_key_i64(&w, "episodes", (int64_t)episodes);
    mt_jw_key_i64(&w, "events", (int64_t)f->events);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

/* An id that stands twice is a fault: by its id a resumed run knows what it has seen.
 */
static int cmd_graph_fixture_check(const cli_args *args)
{
    mt_arena a = {0};
    mt_str text;
    int code = cli_read_record(args, &a, args->operands[0], &text);
    if (!code) {
        ho_ingress *in = ho_ingress_fixture(text, cli_flag(args, "adapter"));
        figures f = {0};
        ho_ingress_result ended;
        mt_buf out = {0};
        mt_str twice = count_events(&a, in, &f, &ended);
        if (twice.ptr) {
            code = cli_fail(args, CLI_FAILS,
                            "fixture.duplicate_event_id: event id '%.*s' appears twice",
                            MT_ARG(twice));
        } else if (ended == HO_INGRESS_BROKEN) {
            ho_ingress_fault fault = ho_ingress_problem(in);
            code = cli_fail(args, CLI_FAILS, "%s: %.*s", fault.code,
                            MT_ARG(fault.message));
        } else {
            print_figures(&out, args, &f, ho_ingress_episodes(in));
            code = cli_print(mt_buf_str(&out));
        }
        mt_buf_free(&out);
        ho_ingress_free(in);
    }
    mt_arena_free(&a);
    return code;
}

/* The fixture is printed only when every row could be read. */
static int cmd_graph_fixture_import(const cli_args *args)
{
    mt_arena a = {0};
    mt_buf fixture = {0}, why = {0};
    mt_str csv;
    const char *kind = cli_value(args, "event-kind");
    const char *semantic = cli_value(args, "semantic-kind");
    const char *episode = cli_value(args, "episode");
    ho_csv_options o = {.event_kind = GR_DATA_AVAILABLE,
                        .semantic_kind = mt_str_z(semantic),
                        .episode = mt_str_z(episode ? episode : "E1"),
                        .columns = mt_str_z(cli_value(args, "columns")),
                        .text = mt_str_z(cli_value(args, "text")),
                        .at = mt_str_z(cli_value(args, "at"))};
    if (kind && !gr_signal_kind_parse(mt_str_z(kind), &o.event_kind)) {
        return cli_fail(args, CLI_USAGE,
                        "--event-kind must be DataAvailable, Command or Pump");
    }
    int code = cli_read_record(args, &a, args->operands[0], &csv);
    if (!code && ho_csv_to_fixture(csv, &o, &fixture, &why)) {
        code = cli_fail(args, CLI_FAILS, "%s: %.*s", args->operands[0], MT_ARG(why));
    }
    code = code ? code : cli_write_out(args, mt_buf_str(&fixture));
    mt_buf_free(&fixture);
    mt_buf_free(&why);
    mt_arena_free(&a);
    return code;
}
