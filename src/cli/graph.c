/* cli/graph.c - a graph as the command line names it, for all `motet graph`
 * commands.
 * Room: cli. Options become paths, paths go to the host's loader, its diagnostics
 * are shown here. Every load ends in one of three exit codes: CLI_HOLDS, CLI_FAILS
 * when the author has to mend something, CLI_WORLD when a file could not be read.
 * What was loaded is freed by cli_graph_free(), also after a failure: diagnostics
 * live in it. */
#include "cli/graph.h"

#include <unistd.h>

#include "base/vec.h"
#include "os/file.h"

typedef MT_VEC(const char *) words;

static words values_of(mt_arena *a, const cli_args *args, const char *option)
{
    words list = {0};
    const char *value;
    for (int i = 0; (value = cli_value_at(args, option, i)); i++) {
        mt_vec_push(a, &list, value);
    }
    return list;
}

/* Only what the author can mend is "does not hold"; everything else is the world's. */
static int exit_of(mt_err err)
{
    return !err ? CLI_HOLDS : err == MT_E_REJECTED ? CLI_FAILS : CLI_WORLD;
}

typedef mt_err loader(const ho_graph_paths *paths, const mt_limits *limits,
                      mt_diags *ds, ho_graph_files *out);

/* Relative paths of clusters and manifests are those of the command line. */
static int load(const cli_args *args, ho_graph_paths paths, loader *how, cli_graph *out)
{
    mt_limits limits = cli_limits(args);
    /* Before the loader runs: a file with a hundred thousand faults must not fill
     * memory. */
    out->ds.limit = limits.diagnostics;
    words clusters = values_of(&out->arena, args, "cluster-path");
    words manifests = values_of(&out->arena, args, "manifest");
    words own = values_of(&out->arena, args, "primitives");
    paths.primitives = own.items;
    paths.primitive_count = own.len;
    paths.cluster_paths = clusters.items;
    paths.cluster_path_count = clusters.len;
    paths.manifests = manifests.items;
    paths.manifest_count = manifests.len;
    return exit_of(how(&paths, &limits, &out->ds, &out->files));
}

/* The list of diagnostics points into the arena beside it, so a cli_graph is never
 * copied. */
static void begin(cli_graph *out)
{
    *out = (cli_graph){0};
    out->ds = (mt_diags){.arena = &out->arena};
}

static ho_graph_paths paths_of(const cli_args *args, const char *path)
{
    return (ho_graph_paths){.graph = path,
                            .adapter = cli_value(args, "adapter"),
                            .egress = cli_value(args, "egress")};
}

int cli_graph_load(const cli_args *args, const char *path, cli_graph *out)
{
    begin(out);
    return load(args, paths_of(args, path), ho_graph_files_load, out);
}

int cli_graph_look(const cli_args *args, const char *path, cli_graph *out)
{
    ho_graph_paths paths = paths_of(args, path);
    paths.look = true;
    begin(out);
    return load(args, paths, ho_graph_files_load, out);
}

int cli_graph_load_plain(const cli_args *args, const char *path, const char *adapter,
                         cli_graph *out)
{
    const char *own = cli_value(args, adapter);
    ho_graph_paths paths = {.graph = path,
                            .adapter = own ? own : cli_value(args, "adapter")};
    begin(out);
    return load(args, paths, ho_graph_files_load, out);
}

/* NAME=VALUE; a value that is not a number or a boolean is text. */
static bool read_set(mt_arena *a, const char *word, gr_set *out)
{
    mt_str text = mt_str_z(word);
    size_t equals = mt_str_find(text, '=');
    mt_str value = mt_str_skip(text, equals + 1);
    mt_json node;
    out->name = mt_str_from(text.ptr, equals);
    if (mt_json_read(a, value, NULL, &node, NULL) ||
        gr_literal_from_json(&node, &out->value)) {
        out->value = (gr_literal){.type = GR_P_STRING, .text = value};
    }
    return equals > 0 && equals < text.len;
}

int cli_graph_load_set(const cli_args *args, const char *path, cli_graph *out)
{
    ho_graph_paths paths = paths_of(args, path);
    begin(out);
    words given = values_of(&out->arena, args, "set");
    gr_set *sets = mt_new_array(&out->arena, gr_set, given.len);
    for (size_t i = 0; i < given.len; i++) {
        if (!read_set(&out->arena, given.items[i], &sets[i])) {
            return cli_fail(args, CLI_USAGE, "--set needs NAME=VALUE, not '%s'",
                            given.items[i]);
        }
    }
    paths.sets = sets;
    paths.set_count = given.len;
    return load(args, paths, ho_graph_files_load, out);
}

int cli_manifest_load(const cli_args *args, const char *path, cli_graph *out)
{
    begin(out);
    return load(args, paths_of(args, path), ho_manifest_try, out);
}

int cli_primitives_load(const cli_args *args, cli_graph *out)
{
    begin(out);
    return load(args, (ho_graph_paths){0}, ho_primitives_load, out);
}

void cli_graph_free(cli_graph *g)
{
    ho_graph_files_free(&g->files);
    mt_arena_free(&g->arena);
}

/* JSON is printed even when all is good, text only when there is something to say. */
int cli_graph_report(const cli_args *args, const cli_graph *g, int code)
{
    mt_buf out = {0};
    if (cli_flag(args, "json")) {
        mt_jw w = mt_jw_start(&out, true);
        mt_jw_begin_object(&w);
        aw_diags_keys(&w, &g->ds, (mt_str){0});
        mt_jw_key_bool(&w, "ok", code == CLI_HOLDS);
        mt_jw_end_object(&w);
        mt_buf_addc(&out, '\n');
        int printed = cli_print(mt_buf_str(&out));
        code = printed ? printed : code;
    } else if (g->ds.len) {
        cli_show_text(&out, &g->ds, (cli_sources){0}, cli_wants_colour(args, 2));
        (void)os_write_all(STDERR_FILENO, mt_buf_str(&out));
    }
    mt_buf_free(&out);
    return code;
}
