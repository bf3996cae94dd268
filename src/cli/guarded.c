/* cli/guarded.c - opening what a guard needs.
 * Room: cli.
 * The caller is the user of the machine, or who --as says; it is the one persona that
 * the map has for it, may state the facts of the map and no others, and may make the
 * instances that the map makes. What fails is told with the file and the line. */
#include "cli/guarded.h"

#include <unistd.h>

#include "base/vec.h"
#include "base/yaml_read.h"
#include "cli/executor_settings.h"
#include "cli/serve_reload.h"

/* ---- Executor ---- */

static int read_settings(cli_guarded *g)
{
    const cli_args *args = g->args;
    const char *store = cli_value(args, "store"), *key = cli_value(args, "signing-key");
    const char *contract = cli_value(args, "contract");
    g->limits = cli_limits(args);
    g->config = HT_CONFIG_DEFAULT;
    int code = cli_read_config(args, &g->arena, cli_value(args, "config"),
                               g->limits.yaml_bytes, &g->config, &g->text);
    g->config.store = store ? store : g->config.store;
    g->config.signing_key = key ? key : g->config.signing_key;
    const char **files = mt_new_array(&g->arena, const char *, 2);
    files[0] = contract;
    g->config.files = (ht_list){files, contract != NULL};
    return code;
}

static int open_log(cli_guarded *g)
{
    g->log = (ht_log){.fd = STDERR_FILENO};
    atomic_store(&g->log.least, (int)HT_WARN);
    return ht_log_open(&g->log, g->limits.log_bytes)
               ? cli_fail(g->args, CLI_WORLD, "no thread can be had for the log")
               : CLI_HOLDS;
}

/* That nobody signs is what the caller of this command chose. */
static void write_log(void *log, int level, mt_str event, mt_str fields)
{
    if (!mt_str_is(event, "ledger_unsigned")) {
        ht_log_write(log, level, event, fields);
    }
}

static int say_why(cli_guarded *g, int code, mt_buf *why)
{
    ht_log_flush(&g->log);
    cli_fail(g->args, code, "%.*s", MT_ARG(mt_buf_str(why)));
    mt_buf_free(why);
    return code;
}

enum { TRY_AGAIN_MS = 5 };

/* A file has one owner at a time: another command may be about to end. */
static mt_err open_store(cli_guarded *g, unsigned wait_ms, mt_buf *why)
{
    st_options options = {.pool = (unsigned)g->config.pool,
                          .must_exist = g->must_exist};
    mt_err err = st_open(g->config.store, &options, &g->store, why);
    for (unsigned waited = 0; err == MT_E_BUSY && waited < wait_ms;
         waited += TRY_AGAIN_MS) {
        usleep(TRY_AGAIN_MS * 1000);
        mt_buf_clear(why);
        err = st_open(g->config.store, &options, &g->store, why);
    }
    return err;
}

static int open_executor(cli_guarded *g, unsigned wait_ms)
{
    mt_buf why = {0};
    if (open_store(g, wait_ms, &why)) {
        return say_why(g, CLI_WORLD, &why);
    }
    ex_executor_options o = cli_executor_options(&g->arena, &g->config, &g->limits,
                                                 serve_directory(g->args));
    /* A contract is edited between two runs of a guard; flows that others began on it
     * go on as they began. */
    static const mt_str AS_THEY_BEGAN[] = {MT_STR_INIT("blue_green")};
    if (!o.policy_count) {
        o.policies = AS_THEY_BEGAN;
        o.policy_count = 1;
    }
    o.store = g->store;
    o.log = write_log;
    o.log_state = &g->log;
    mt_err err = ex_executor_open(&o, &g->executor, &why);
    int code = err == MT_E_REJECTED ? CLI_FAILS
               : err == MT_E_USAGE  ? CLI_USAGE
                                    : CLI_WORLD;
    return err ? say_why(g, code, &why) : CLI_HOLDS;
}

/* ---- The map ---- */

static void tell_fault(void *state, const mt_form_fault *fault)
{
    cli_guarded *g = state;
    uint32_t line, column;
    mt_buf text = {0};
    mt_json_place(g->map_text, fault->offset, &line, &column);
    mt_form_write(&text, fault);
    cli_fail(g->args, CLI_FAILS, "%s:%u:%u: %.*s", cli_value(g->args, "map"), line,
             column, MT_ARG(mt_buf_str(&text)));
    mt_buf_free(&text);
}

static int read_map(cli_guarded *g)
{
    const char *path = cli_value(g->args, "map");
    mt_json_error error = {0};
    mt_yaml_limits limits = {.bytes = g->limits.yaml_bytes};
    if (!path) {
        return cli_fail(g->args, CLI_USAGE, "--map FILE is required");
    }
    int code =
        cli_read_input(g->args, &g->arena, path, g->limits.yaml_bytes, &g->map_text);
    if (!code && mt_yaml_read(&g->arena, g->map_text, &limits, &g->tree, &error)) {
        uint32_t line, column;
        mt_json_place(g->map_text, error.offset, &line, &column);
        code =
            cli_fail(g->args, CLI_FAILS, "%s:%u:%u: %s%s%.*s", path, line, column,
                     error.message, error.detail.len ? " " : "", MT_ARG(error.detail));
    }
    mt_form form = {.arena = &g->arena, .report = tell_fault, .state = g};
    return code ? code : gd_map_read(&form, &g->tree, &g->map) ? CLI_HOLDS : CLI_FAILS;
}

/* ---- Who calls ---- */

typedef MT_VEC(mt_str) texts;

static void add_right(cli_guarded *g, texts *rights, const char *kind, mt_str name)
{
    mt_str right =
        mt_strf(&g->arena, "%.*s/%s%.*s", MT_ARG(g->view.contract), kind, MT_ARG(name));
    mt_vec_push(&g->arena, rights, right);
}

static void add_facts(cli_guarded *g, texts *rights, const gd_value *facts,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        add_right(g, rights, "facts:", facts[i].name);
    }
}

static mt_str identity(cli_guarded *g)
{
    const char *as = cli_value(g->args, "as");
    return as ? mt_str_z(as) : mt_strf(&g->arena, "uid:%u", (unsigned)getuid());
}

static void make_caller(cli_guarded *g, mt_str who, mt_str persona)
{
    texts rights = {0};
    mt_str *personas = mt_new(&g->arena, mt_str);
    *personas =
        mt_strf(&g->arena, "%.*s:%.*s", MT_ARG(g->view.contract), MT_ARG(persona));
    add_right(g, &rights, "evaluate", MT_STR(""));
    add_right(g, &rights, "instances:create", MT_STR(""));
    for (uint32_t i = 0; i < g->map.tool_count; i++) {
        const gd_tool *t = &g->map.tools[i];
        add_facts(g, &rights, t->facts, t->fact_count);
        add_facts(g, &rights, t->result.facts, t->result.fact_count);
    }
    g->caller = (ex_caller){.id = who,
                            .name = MT_STR("motet guard"),
                            .by = EX_BY_OPERATOR,
                            .actor = EX_ACTOR_MACHINE,
                            .personas = personas,
                            .persona_count = persona.len > 0,
                            .rights = rights.items,
                            .right_count = rights.len};
}

static int check_map(cli_guarded *g)
{
    mt_str who = identity(g), persona = gd_map_persona(&g->map, who);
    mt_form form = {
        .arena = &g->arena, .what = "a map", .report = tell_fault, .state = g};
    if (!ex_view_of(g->executor, g->map.contract, &g->view)) {
        return cli_fail(g->args, CLI_FAILS, "there is no contract '%.*s'",
                        MT_ARG(g->map.contract));
    }
    if (!persona.len) {
        return cli_fail(g->args, CLI_FAILS,
                        "the map has no persona for the identity '%.*s'", MT_ARG(who));
    }
    if (!gd_map_check(&form, &g->tree, &g->map, &g->view, persona)) {
        return CLI_FAILS;
    }
    make_caller(g, who, persona);
    g->desk = (gd_desk){.executor = g->executor,
                        .map = &g->map,
                        .contract = g->view.contract,
                        .persona = persona,
                        .caller = &g->caller,
                        .observes = cli_flag(g->args, "observe")};
    return CLI_HOLDS;
}

/* ---- All of it ---- */

int cli_guarded_open(cli_guarded *g, const cli_args *args, unsigned wait_ms)
{
    *g = (cli_guarded){.args = args};
    if (!cli_value(args, "contract")) {
        return cli_fail(args, CLI_USAGE, "--contract FILE is required");
    }
    int code = read_settings(g);
    code = code ? code : read_map(g);
    code = code ? code : open_log(g);
    code = code ? code : open_executor(g, wait_ms);
    return code ? code : check_map(g);
}

int cli_guarded_open_store(cli_guarded *g, const cli_args *args)
{
    *g = (cli_guarded){.args = args, .must_exist = true};
    int code = read_settings(g);
    code = code ? code : open_log(g);
    code = code ? code : open_executor(g, 0);
    g->caller = (ex_caller){.id = identity(g),
                            .name = MT_STR("motet guard"),
                            .by = EX_BY_OPERATOR,
                            .actor = EX_ACTOR_HUMAN};
    g->map = (gd_map){.record_bytes = 0};
    g->desk = (gd_desk){.executor = g->executor, .map = &g->map, .caller = &g->caller};
    return code;
}

void cli_guarded_close(cli_guarded *g)
{
    ex_executor_close(g->executor);
    if (g->store) {
        st_close(g->store);
    }
    ht_log_close(&g->log);
    mt_arena_free(&g->arena);
}
