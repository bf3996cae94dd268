/* cli/cmd_instance.c - motet instance: entity instances of a running server.
 * Room: cli. Every subcommand is one request (cli/client.c), as in cmd_flow.c: operands
 * become the path, options the query, and what the server answers is printed. Nothing
 * is checked here that the server checks. */
#include "base/form.h"
#include "cli/client.h"
#include "cli/commands.h"
#include "cli/table.h"

/* clang-format off */
static const cli_option CREATE_OPTIONS[] = {CLI_WRITE_OPTIONS, {NULL, NULL, NULL}};
static const cli_option SHOW_OPTIONS[] = {CLI_CLIENT_OPTIONS, {NULL, NULL, NULL}};
static const cli_option LIST_OPTIONS[] = {
    CLI_CLIENT_OPTIONS,
    {"state",   "NAME",  "only those in this state"},
    {"deleted", "WHICH", "true: also those deleted"},
    {"after",   "KEY",   "the page after this one (`next` of the page before)"},
    {"rows", "COUNT", "rows of one page (100)"},
    {NULL, NULL, NULL},
};
/* clang-format on */

/* "/v1/contracts/C/instances" and as many operands after it as there are. */
static mt_buf path_of(const cli_args *args)
{
    mt_buf path = {0};
    mt_buf_addz(&path, "/v1/contracts");
    cli_add_segment(&path, mt_str_z(args->operands[0]));
    mt_buf_addz(&path, "/instances");
    for (int i = 1; i < args->count && i < 3; i++) {
        cli_add_segment(&path, mt_str_z(args->operands[i]));
    }
    return path;
}

/* Takes the path. */
static int ask_path(const cli_args *args, const char *method, mt_buf *path)
{
    int code = cli_ask(args, method, mt_buf_str(path), (mt_str){0});
    mt_buf_free(path);
    return code;
}

/* Without an id the server chooses one. Segments are escaped, so an id may have any
 * character. */
static int create(const cli_args *args)
{
    mt_buf path = {0}, body = {0};
    mt_buf_addz(&path, "/v1/contracts");
    cli_add_segment(&path, mt_str_z(args->operands[0]));
    mt_buf_addz(&path, "/instances");
    cli_add_segment(&path, mt_str_z(args->operands[1]));
    mt_jw w = mt_jw_start(&body, false);
    mt_jw_begin_object(&w);
    if (args->count > 2) {
        mt_jw_key_str(&w, "id", mt_str_z(args->operands[2]));
    }
    mt_jw_end_object(&w);
    int code = cli_ask(args, "POST", mt_buf_str(&path), mt_buf_str(&body));
    mt_buf_free(&path);
    mt_buf_free(&body);
    return code;
}

/* A deleted instance has no state any more; it is listed only with --deleted true. */
static void tell_list(mt_buf *out, mt_arena *a, const mt_json *answer)
{
    const mt_json *items = mt_json_at(answer, "items");
    cli_table t = {.titles = {"ENTITY", "ID", "STATE", "VERSION", "UPDATED", "LAST"},
                   .whole = 1u << 1};
    for (uint32_t i = 0; items && i < items->count; i++) {
        const mt_json *one = &items->as.items[i];
        bool deleted = mt_json_at(one, "deleted") != NULL;
        cli_table_cell(&t, mt_text_at(one, "entity"));
        cli_table_cell(&t, mt_text_at(one, "id"));
        cli_table_cell(&t, deleted ? MT_STR("(deleted)") : mt_text_at(one, "state"));
        cli_table_cell(&t, mt_json_text(mt_json_at(one, "version")));
        cli_table_cell(&t, cli_table_time(a, mt_text_at(one, "updated_at")));
        cli_table_cell(&t, mt_text_at(one, "last_operation"));
    }
    mt_buf_addz(out, t.cells.len ? "" : "no instances\n");
    cli_table_write(&t, out);
    cli_tell_next(out, answer);
    cli_table_free(&t);
}

static int list(const cli_args *args)
{
    mt_buf path = path_of(args);
    cli_add_query(&path, args, "state", "state");
    cli_add_query(&path, args, "deleted", "deleted");
    cli_add_query(&path, args, "after", "after");
    cli_add_query(&path, args, "rows", "limit");
    int code =
        cli_ask_told(args, "GET", mt_buf_str(&path), (mt_str){0}, tell_list, NULL);
    mt_buf_free(&path);
    return code;
}

static int show(const cli_args *args)
{
    mt_buf path = path_of(args);
    return ask_path(args, "GET", &path);
}

static int history(const cli_args *args)
{
    mt_buf path = path_of(args);
    mt_buf_addz(&path, "/history");
    return ask_path(args, "GET", &path);
}

/* The server keeps the row of a deleted instance (E16); deleting twice is therefore not
 * found. */
static int delete_one(const cli_args *args)
{
    mt_buf path = path_of(args);
    return ask_path(args, "DELETE", &path);
}

/* clang-format off */
const cli_command CMD_INSTANCE_COMMANDS[] = {
    {"create", "CONTRACT ENTITY [ID]", "Create an instance in its initial state", create,
     CREATE_OPTIONS, NULL, 2, 3, NULL},
    {"list", "CONTRACT [ENTITY]", "List instances", list, LIST_OPTIONS, NULL, 1, 2, NULL},
    {"show", "CONTRACT ENTITY ID", "Show one instance", show, SHOW_OPTIONS, NULL, 3, 3, NULL},
    {"history", "CONTRACT ENTITY ID", "Show what happened to an instance", history,
     SHOW_OPTIONS, NULL, 3, 3, NULL},
    {"delete", "CONTRACT ENTITY ID", "Delete an instance; its history stays", delete_one,
     CREATE_OPTIONS, NULL, 3, 3, NULL},
    {NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL},
};
/* clang-format on */
