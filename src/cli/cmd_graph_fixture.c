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
    {"adapter", "[FILE]", "the events are for a graph with an adapter: semantic_kind is needed; with FILE, kinds and payloads are held against it"},
    {"json",    NULL,     "print the figures as JSON"},
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

/* ---- events against an adapter ---- */

/* May an episode before have stored the member, so that the event need not bring it? */
static bool left_to_context(const gr_adapter *ad, const mt_json *payload, mt_str name)
{
    const gr_context_key *key = gr_adapter_key(ad, name);
    return key && key->writable && !mt_json_get(payload, name);
}

/* Of these words alone, no member matters to another: what the context adds can break
 * the schema, but never mend what is wrong without it. */
static bool judges_each_alone(const mt_json *schema)
{
    static const char *const WORDS[] = {
        "type",     "properties", "required", "additionalProperties", "title",
        "$comment", "$schema",    "$id",      "description",          "examples"};
    for (uint32_t i = 0; i < schema->count; i++) {
        bool known = false;
        for (size_t k = 0; k < sizeof WORDS / sizeof *WORDS; k++) {
            known = known || mt_str_eq(schema->as.members[i].key, mt_str_z(WORDS[k]));
        }
        if (!known) {
            return false;
        }
    }
    return true;
}

/* The schema, but for the members that are left to the context: required no more. */
static mt_json without_stored(mt_arena *a, const gr_adapter *ad, const mt_json *schema,
                              const mt_json *payload)
{
    mt_json out = *schema;
    mt_json_member *members = mt_new_array(a, mt_json_member, schema->count);
    memcpy(members, schema->as.members, schema->count * sizeof *members);
    out.as.members = members;
    for (uint32_t i = 0; i < schema->count; i++) {
        mt_json *list = &members[i].value;
        if (!mt_str_is(members[i].key, "required") || list->type != MT_JSON_ARRAY) {
            continue;
        }
        mt_json *items = mt_new_array(a, mt_json, list->count + 1);
        uint32_t count = 0;
        for (uint32_t k = 0; k < list->count; k++) {
            items[count] = list->as.items[k];
            count += !left_to_context(ad, payload, mt_json_text(&items[count]));
        }
        list->as.items = items;
        list->count = count;
    }
    return out;
}

/* Does the payload break the schema, whatever the context has? */
static bool breaks(mt_arena *a, const gr_adapter *ad, const gr_adapter_schema *kind,
                   const mt_json *payload, gr_schema_error *why)
{
    bool left = false;
    for (uint32_t i = 0; i < ad->key_count; i++) {
        left = left || left_to_context(ad, payload, ad->keys[i].name);
    }
    if (!left) {
        return gr_schema_check(kind->schema, a, payload, why) != MT_OK;
    }
    if (!judges_each_alone(kind->source)) {
        return false; /* what the event will be is not known before a run */
    }
    mt_arena mine = {0}; /* there may be a million events */
    gr_schema *lenient = NULL;
    mt_json rest = without_stored(&mine, ad, kind->source, payload);
    bool broken = !gr_schema_compile(&mine, &rest, &lenient, NULL) &&
                  gr_schema_check(lenient, a, payload, why);
    gr_schema_free(lenient);
    mt_arena_free(&mine);
    return broken;
}

/* Why a run would refuse the event; empty: nothing is known against it. */
static mt_str refusal_of(mt_arena *a, const gr_adapter *ad, const ho_graph_event *e)
{
    const gr_adapter_schema *kind = gr_adapter_event(ad, e->semantic_kind);
    gr_schema_error why;
    mt_str key;
    if (!kind) {
        return mt_strf(a, "the adapter has no event kind '%.*s'",
                       MT_ARG(e->semantic_kind));
    }
    if (!mt_json_is(e->payload, MT_JSON_OBJECT)) {
        return MT_STR("it needs a payload, an object");
    }
    if (ad->key.len && !ho_graph_key_of(e->payload, ad->key, &key)) {
        return mt_strf(a, "it has no '%.*s', text of 1 to 1000 bytes", MT_ARG(ad->key));
    }
    if (kind->schema && breaks(a, ad, kind, e->payload, &why)) {
        return mt_strf(a, "the payload breaks the schema of '%.*s' at %.*s: %.*s",
                       MT_ARG(kind->name), MT_ARG(why.path), MT_ARG(why.message));
    }
    return MT_STR("");
}

/* The adapter that --adapter names, if it names one. --adapter without a file gives
 * none; then only semantic_kind is asked for. The first fault is enough here: motet
 * graph check tells all. */
static int read_adapter(const cli_args *args, mt_arena *a, gr_adapter **out)
{
    const char *path = cli_value(args, "adapter");
    mt_diags ds = {.arena = a, .limit = 100};
    mt_str text;
    *out = NULL;
    int code = path ? cli_read_record(args, a, path, &text) : CLI_HOLDS;
    if (path && !code && gr_adapter_read((gr_text){mt_str_z(path), text}, &ds, out)) {
        return cli_fail(args, CLI_FAILS, "%s: %.*s; see motet graph check %s", path,
                        MT_ARG(ds.items[0].message), path);
    }
    return code;
}

/* ---- check ---- */

/* What was found against the fixture, with its code; empty: nothing. */
typedef struct finding {
    const char *code;
    mt_str message;
} finding;

/* Reads it all, or up to what a run would refuse. An id that stands twice is a fault:
 * by its id a resumed run knows what it has seen. */
static finding count_events(mt_arena *a, ho_ingress *in, const gr_adapter *ad,
                            figures *f)
{
    mt_map ids = {0};
    ho_graph_event event;
    ho_ingress_result ended;
    while ((ended = ho_ingress_next(in, 0, &event)) == HO_INGRESS_EVENT) {
        bool added;
        mt_map_add(a, &ids, mt_str_dup(a, event.id), &added);
        if (!added) {
            return (finding){
                "fixture.duplicate_event_id",
                mt_strf(a, "event id '%.*s' appears twice", MT_ARG(event.id))};
        }
        mt_str refusal = ad ? refusal_of(a, ad, &event) : MT_STR("");
        if (refusal.len) {
            return (finding){
                "host.event_build_failed",
                mt_strf(a, "event '%.*s': %.*s", MT_ARG(event.id), MT_ARG(refusal))};
        }
        f->events++;
        f->by_kind[event.kind]++;
    }
    ho_ingress_fault fault = ho_ingress_problem(in);
    return ended == HO_INGRESS_BROKEN
               ? (finding){fault.code, mt_str_dup(a, fault.message)}
               : (finding){0};
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

/* Only the first fault is told, with the code that a run would end with. */
static int check_events(const cli_args *args, mt_arena *a, mt_str text,
                        const gr_adapter *ad)
{
    ho_ingress *in = ho_ingress_fixture(text, cli_flag(args, "adapter"));
    figures f = {0};
    mt_buf out = {0};
    finding found = count_events(a, in, ad, &f);
    int code;
    if (found.code) {
        code = cli_fail(args, CLI_FAILS, "%s: %.*s", found.code, MT_ARG(found.message));
    } else {
        print_figures(&out, args, &f, ho_ingress_episodes(in));
        code = cli_print(mt_buf_str(&out));
    }
    mt_buf_free(&out);
    ho_ingress_free(in);
    return code;
}

static int cmd_graph_fixture_check(const cli_args *args)
{
    mt_arena a = {0};
    mt_str text;
    gr_adapter *adapter = NULL;
    int code = cli_read_record(args, &a, args->operands[0], &text);
    code = code ? code : read_adapter(args, &a, &adapter);
    code = code ? code : check_events(args, &a, text, adapter);
    gr_adapter_free(adapter);
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
