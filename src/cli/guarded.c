/* cli/guarded.c - opening what a guard needs.
 * Room: cli.
 * The caller is the user of the machine, or who --as says; it is the one persona that
 * the map has for it, may state the facts of the map and no others, and may make the
 * instances that the map makes. What fails is told with the file and the line. */
#include "cli/guarded.h"

#include <unistd.h>

#include "base/vec.h"
#include "base/yaml_read.h"

/* ---- The map ---- */

/* "map.yaml:12:3: ...": the place is that of the value that is wrong. Called once for
 * each fault, so all are told. */
static void tell_fault(void *state, const mt_form_fault *fault)
{
    cli_guarded *g = state;
    uint32_t line, column;
    mt_buf text = {0};
    mt_json_place(g->map_text, fault->offset, &line, &column);
    mt_form_write(&text, fault);
    cli_fail(g->in.args, CLI_FAILS, "%s:%u:%u: %.*s", cli_value(g->in.args, "map"),
             line, column, MT_ARG(mt_buf_str(&text)));
    mt_buf_free(&text);
}

/* JSON is YAML, too, so one reader is enough. */
static int read_map(cli_guarded *g)
{
    const char *path = cli_value(g->in.args, "map");
    mt_json_error error = {0};
    mt_yaml_limits limits = {.bytes = g->in.limits.yaml_bytes};
    if (!path) {
        return cli_fail(g->in.args, CLI_USAGE, "--map FILE is required");
    }
    int code = cli_read_input(g->in.args, &g->in.arena, path, g->in.limits.yaml_bytes,
                              &g->map_text);
    if (!code && mt_yaml_read(&g->in.arena, g->map_text, &limits, &g->tree, &error)) {
        uint32_t line, column;
        mt_json_place(g->map_text, error.offset, &line, &column);
        code =
            cli_fail(g->in.args, CLI_FAILS, "%s:%u:%u: %s%s%.*s", path, line, column,
                     error.message, error.detail.len ? " " : "", MT_ARG(error.detail));
    }
    mt_form form = {.arena = &g->in.arena, .report = tell_fault, .state = g};
    return code ? code : gd_map_read(&form, &g->tree, &g->map) ? CLI_HOLDS : CLI_FAILS;
}

/* ---- Who calls ---- */

typedef MT_VEC(mt_str) texts;

/* Rights are over this contract alone: "escrow/facts:amount". */
static void add_right(cli_guarded *g, texts *rights, const char *kind, mt_str name)
{
    mt_str right = mt_strf(&g->in.arena, "%.*s/%s%.*s", MT_ARG(g->view.contract), kind,
                           MT_ARG(name));
    mt_vec_push(&g->in.arena, rights, right);
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
    const char *as = cli_value(g->in.args, "as");
    return as ? mt_str_z(as) : mt_strf(&g->in.arena, "uid:%u", (unsigned)getuid());
}

/* It may state every fact that some tool of the map gives, from its arguments or its
 * result, and no other. */
static void make_caller(cli_guarded *g, mt_str who, mt_str persona)
{
    texts rights = {0};
    mt_str *personas = mt_new(&g->in.arena, mt_str);
    *personas =
        mt_strf(&g->in.arena, "%.*s:%.*s", MT_ARG(g->view.contract), MT_ARG(persona));
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

/* Now that the contract is there, names in the map are held against it. The executor
 * must be open, since it has the contract. */
static int check_map(cli_guarded *g)
{
    mt_str who = identity(g), persona = gd_map_persona(&g->map, who);
    mt_form form = {
        .arena = &g->in.arena, .what = "a map", .report = tell_fault, .state = g};
    if (!ex_view_of(g->in.executor, g->map.contract, &g->view)) {
        return cli_fail(g->in.args, CLI_FAILS, "there is no contract '%.*s'",
                        MT_ARG(g->map.contract));
    }
    if (!persona.len) {
        return cli_fail(g->in.args, CLI_FAILS,
                        "the map has no persona for the identity '%.*s'", MT_ARG(who));
    }
    if (!gd_map_check(&form, &g->tree, &g->map, &g->view, persona)) {
        return CLI_FAILS;
    }
    make_caller(g, who, persona);
    g->desk = (gd_desk){.executor = g->in.executor,
                        .map = &g->map,
                        .contract = g->view.contract,
                        .persona = persona,
                        .caller = &g->caller,
                        .observes = cli_flag(g->in.args, "observe"),
                        .receipts = g->in.config.signing_key != NULL};
    return CLI_HOLDS;
}

/* ---- All of it ---- */

/* The map is read before anything is opened: a slip in its form must not make a
 * store. */
int cli_guarded_open(cli_guarded *g, const cli_args *args, unsigned wait_ms)
{
    *g = (cli_guarded){.in = {.args = args, .edited = true}};
    if (!cli_value(args, "contract")) {
        return cli_fail(args, CLI_USAGE, "--contract FILE is required");
    }
    int code = cli_inside_read(&g->in, cli_value(args, "contract"));
    code = code ? code : read_map(g);
    code = code ? code : cli_inside_open(&g->in, wait_ms);
    return code ? code : check_map(g);
}

/* The caller has no persona and no rights: enough to end calls. It is a person, and the
 * record says so. */
int cli_guarded_open_store(cli_guarded *g, const cli_args *args)
{
    *g = (cli_guarded){.in = {.args = args, .edited = true, .must_exist = true}};
    int code = cli_inside_read(&g->in, cli_value(args, "contract"));
    code = code ? code : cli_inside_open(&g->in, 0);
    g->caller = (ex_caller){.id = identity(g),
                            .name = MT_STR("motet guard"),
                            .by = EX_BY_OPERATOR,
                            .actor = EX_ACTOR_HUMAN};
    g->map = (gd_map){.record_bytes = 0};
    g->desk =
        (gd_desk){.executor = g->in.executor, .map = &g->map, .caller = &g->caller};
    return code;
}

void cli_guarded_close(cli_guarded *g)
{
    cli_inside_close(&g->in);
    mt_arena_free(&g->in.arena);
}
