/* cli/cmd_deploy.c - motet deploy: give a running server a contract or a new version.
 *
 * The file is elaborated here, so that imports and diagnostics are those of the
 * author's machine; what travels is the bundle. Policies for flows in flight and maps
 * of removed states go with it as they were given: the server judges them, since it
 * knows the flows.
 *
 * --status and --complete speak of a migration under way; FILE is then the id of a
 * contract. --dry-run asks for the plan and changes nothing. */
#include "cli/client.h"
#include "cli/commands.h"
#include "cli/contract.h"
#include "cli/deploy_words.h"
#include "cli/invariants.h"
#include "exec/executor.h"

/* clang-format off */
const cli_option CMD_DEPLOY_OPTIONS[] = {
    CLI_WRITE_OPTIONS,
    {"contract",  "ID",     "serve it under this id (the bundle's own)"},
    {"policy",    "POLICY", "for flows in flight: blue_green, force_migrate or abort, or FLOW=POLICY; may be repeated"},
    {"state-map", "ENTITY.OLD=NEW", "move instances out of a removed state; may be repeated"},
    {"scenarios", "FILE",   "its invariants must hold, or the server refuses"},
    {"dry-run",   NULL,     "only say what would happen"},
    {"status",    NULL,     "show the migration under way; FILE is then a contract's id"},
    {"complete",  NULL,     "end it; FILE is then a contract's id"},
    {NULL, NULL, NULL},
};
const char CMD_DEPLOY_DETAILS[] =
    "FILE is source or a bundle; it is elaborated here. A change that breaks flows in "
    "flight is refused unless a policy says what becomes of them. --policy and "
    "--state-map also go with --complete.";
/* clang-format on */

/* Refused here already, before the server is asked, with the word that is wrong. */
static int add_policy(const cli_args *args, mt_arena *a, mt_jw *w)
{
    mt_buf text = {0};
    mt_str bad;
    mt_str *all = mt_new_array(a, mt_str, (size_t)args->given_count);
    size_t count = 0;
    for (const char *one; (one = cli_value_at(args, "policy", (int)count)) != NULL;) {
        all[count++] = mt_str_z(one);
    }
    int code = CLI_HOLDS;
    if (count && ex_policy_json(&text, all, count, &bad)) {
        code = cli_fail(args, CLI_USAGE,
                        "--policy %.*s: blue_green, force_migrate or abort, alone or "
                        "after FLOW=",
                        MT_ARG(bad));
    } else if (count) {
        mt_jw_keyz(w, "policy");
        mt_jw_raw(w, mt_str_dup(a, mt_buf_str(&text)));
    }
    mt_buf_free(&text);
    return code;
}

/* One ENTITY.OLD=NEW. */
typedef struct move {
    mt_str entity, from, to;
} move;

/* The first dot ends the entity, the first equals sign the old state. An entity has to
 * be named. */
static int read_move(const cli_args *args, const char *text, move *out)
{
    mt_str all = mt_str_z(text);
    size_t dot = mt_str_find(all, '.'), equals = mt_str_find(all, '=');
    if (!dot || dot >= equals || equals >= all.len) {
        return cli_fail(args, CLI_USAGE, "--state-map %s is not ENTITY.OLD=NEW", text);
    }
    *out = (move){mt_str_from(all.ptr, dot),
                  mt_str_from(all.ptr + dot + 1, equals - dot - 1),
                  mt_str_skip(all, equals + 1)};
    return CLI_HOLDS;
}

/* {"Entity":{"old":"new"}}; an entity may be named several times. */
static void moves_json(mt_jw *w, const move *moves, size_t count)
{
    mt_jw_begin_unsorted(w);
    for (size_t i = 0; i < count; i++) {
        size_t first = 0;
        while (!mt_str_eq(moves[first].entity, moves[i].entity)) {
            first++;
        }
        if (first < i) {
            continue;
        }
        mt_jw_key(w, moves[i].entity);
        mt_jw_begin_unsorted(w);
        for (size_t k = i; k < count; k++) {
            if (mt_str_eq(moves[k].entity, moves[i].entity)) {
                mt_jw_key(w, moves[k].from);
                mt_jw_str(w, moves[k].to);
            }
        }
        mt_jw_end_object(w);
    }
    mt_jw_end_object(w);
}

/* Moves are gathered before they are written because the body groups them by entity. */
static int add_moves(const cli_args *args, mt_arena *a, mt_jw *w)
{
    move *moves = mt_new_array(a, move, (size_t)args->given_count);
    size_t count = 0;
    for (const char *one; (one = cli_value_at(args, "state-map", (int)count));) {
        int code = read_move(args, one, &moves[count++]);
        if (code) {
            return code;
        }
    }
    if (count) {
        mt_jw_keyz(w, "state_map");
        moves_json(w, moves, count);
    }
    return CLI_HOLDS;
}

/* Members of the body in no particular order; the server reads them by name. */
static int add_migration(const cli_args *args, mt_arena *a, mt_jw *w)
{
    int code = add_policy(args, a, w);
    code = code ? code : add_moves(args, a, w);
    if (!code && cli_flag(args, "dry-run")) {
        mt_jw_key_bool(w, "dry_run", true);
    }
    return code;
}

/* The server decides them, since it serves what it is sent. Without --scenarios none
 * are sent: a file that happens to lie beside is not asked for. */
static int add_invariants(const cli_args *args, mt_arena *a, mt_jw *w)
{
    cli_invariants list;
    if (!cli_value(args, "scenarios")) {
        return CLI_HOLDS;
    }
    int code = cli_invariants_read(args, a, MT_STR(""), &list);
    if (!code) {
        mt_jw_keyz(w, "invariants");
        mt_jw_begin_array(w);
        for (size_t i = 0; i < list.len; i++) {
            mt_jw_str(w, list.items[i].question);
        }
        mt_jw_end_array(w);
    }
    return code;
}

/* The contract is elaborated here and sent as a bundle: the server sees what was
 * checked here. */
static int deploy(const cli_args *args, const cli_contract *contract)
{
    mt_arena arena = {0};
    mt_buf body = {0};
    mt_jw w = mt_jw_start(&body, false);
    mt_jw_begin_unsorted(&w);
    mt_jw_keyz(&w, "bundle");
    mt_jw_raw(&w, contract->bundle);
    if (cli_value(args, "contract")) {
        mt_jw_key_str(&w, "contract", mt_str_z(cli_value(args, "contract")));
    }
    int code = add_migration(args, &arena, &w);
    code = code ? code : add_invariants(args, &arena, &w);
    mt_jw_end_object(&w);
    if (!code) {
        code = cli_ask_told(args, "POST", MT_STR("/v1/contracts"), mt_buf_str(&body),
                            cli_deploy_told, cli_deploy_refused);
    }
    mt_buf_free(&body);
    mt_arena_free(&arena);
    return code;
}

/* GET shows what is left, POST .../complete goes on with it. */
static int ask_migration(const cli_args *args, const char *method, const char *after)
{
    mt_arena arena = {0};
    mt_buf path = {0}, body = {0};
    bool post = strcmp(method, "POST") == 0;
    mt_buf_addz(&path, "/v1/contracts");
    cli_add_segment(&path, mt_str_z(args->operands[0]));
    mt_buf_addf(&path, "/migration%s", after);
    mt_jw w = mt_jw_start(&body, false);
    mt_jw_begin_unsorted(&w);
    int code = post ? add_migration(args, &arena, &w) : CLI_HOLDS;
    mt_jw_end_object(&w);
    if (!code) {
        code = cli_ask(args, method, mt_buf_str(&path),
                       post ? mt_buf_str(&body) : (mt_str){0});
    }
    mt_buf_free(&path);
    mt_buf_free(&body);
    mt_arena_free(&arena);
    return code;
}

/* --status and --complete are about a migration under way and load no contract. */
int cmd_deploy(const cli_args *args)
{
    if (cli_flag(args, "status")) {
        return ask_migration(args, "GET", "");
    }
    if (cli_flag(args, "complete")) {
        return ask_migration(args, "POST", "/complete");
    }
    cli_contract contract = {0};
    int code = cli_contract_load(args, args->operands[0], false, &contract);
    if (code) {
        cli_contract_show_text(args, &contract);
    } else {
        code = deploy(args, &contract);
    }
    cli_contract_free(&contract);
    return code;
}
