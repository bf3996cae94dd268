#include "cli/graph.h"

#include <unistd.h>

#include "base/vec.h"
#include "runtime/file.h"

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

static mt_err load_egress(const char *path, cli_graph *g)
{
    mt_str text;
    mt_err err = rt_read_file(&g->arena, path, 1 << 20, &text);
    if (err) {
        mt_diag_add(&g->ds,
                    &(mt_diag){.severity = MT_ERROR,
                               .code = "egress.config_read_failed",
                               .pass = -1,
                               .file = mt_str_z(path),
                               .message = mt_strf(&g->arena, "cannot read %s: %s", path,
                                                  cli_why(err))});
        return err;
    }
    return rt_egress_read(mt_str_z(path), text, &g->ds, &g->egress);
}

int cli_graph_load(const cli_args *args, const char *path, cli_graph *out)
{
    *out = (cli_graph){0};
    out->ds = (mt_diags){.arena = &out->arena};
    mt_limits limits = cli_limits(args);
    out->ds.limit = limits.diagnostics;
    words clusters = values_of(&out->arena, args, "cluster-path");
    words manifests = values_of(&out->arena, args, "manifest");
    rt_graph_paths paths = {
        .graph = path,
        .adapter = cli_value(args, "adapter"),
        .cluster_paths = clusters.items,
        .cluster_path_count = clusters.len,
        .manifests = manifests.items,
        .manifest_count = manifests.len,
    };
    mt_err err = rt_graph_files_load(&paths, &limits, &out->ds, &out->files);
    const char *egress = cli_value(args, "egress");
    if (egress) {
        mt_err also = load_egress(egress, out);
        err = err ? err : also;
    }
    return exit_of(err);
}

void cli_graph_free(cli_graph *g)
{
    rt_egress_free(g->egress);
    rt_graph_files_free(&g->files);
    mt_arena_free(&g->arena);
}

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
        (void)rt_write_all(STDERR_FILENO, mt_buf_str(&out));
    }
    mt_buf_free(&out);
    return code;
}
