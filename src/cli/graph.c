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

static int exit_of(mt_err err)
{
    return !err ? CLI_HOLDS : err == MT_E_REJECTED ? CLI_FAILS : CLI_WORLD;
}

typedef mt_err loader(const ho_graph_paths *paths, const mt_limits *limits,
                      mt_diags *ds, ho_graph_files *out);

/* Relative paths of clusters and manifests are those of the command line. */
static int load(const cli_args *args, const char *path, bool look, loader *how,
                cli_graph *out)
{
    *out = (cli_graph){0};
    out->ds = (mt_diags){.arena = &out->arena};
    mt_limits limits = cli_limits(args);
    out->ds.limit = limits.diagnostics;
    words clusters = values_of(&out->arena, args, "cluster-path");
    words manifests = values_of(&out->arena, args, "manifest");
    ho_graph_paths paths = {
        .graph = path,
        .look = look,
        .adapter = cli_value(args, "adapter"),
        .egress = cli_value(args, "egress"),
        .cluster_paths = clusters.items,
        .cluster_path_count = clusters.len,
        .manifests = manifests.items,
        .manifest_count = manifests.len,
    };
    return exit_of(how(&paths, &limits, &out->ds, &out->files));
}

int cli_graph_load(const cli_args *args, const char *path, cli_graph *out)
{
    return load(args, path, false, ho_graph_files_load, out);
}

int cli_graph_look(const cli_args *args, const char *path, cli_graph *out)
{
    return load(args, path, true, ho_graph_files_load, out);
}

int cli_manifest_load(const cli_args *args, const char *path, cli_graph *out)
{
    return load(args, path, false, ho_manifest_try, out);
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
        cli_show_json_keys(&w, &g->ds, (mt_str){0});
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
