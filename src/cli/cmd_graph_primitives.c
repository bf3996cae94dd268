/* cli/cmd_graph_primitives.c - motet graph primitives: the catalogue.
 * Room: cli. What is built in and what the options name, from the registry that
 * graphs are checked with, so the catalogue cannot say other than what holds. A `?`
 * behind a port says that it need not be connected; a parameter without a
 * value behind `=` must be given. */
#include "base/json_write.h"
#include "base/yaml_read.h"
#include "cli/commands.h"
#include "cli/graph.h"
#include "graph/cluster.h"
#include "graph/library.h"

/* clang-format off */
const cli_option CMD_GRAPH_PRIMITIVES_OPTIONS[] = {
    {"json",       NULL,   "print the catalogue as JSON"},
    {"clusters",   NULL,   "only the ready-made clusters"},
    {"manifest",   "PATH", "a primitive manifest, or a directory of them (repeats)"},
    {"primitives", "FILE", "a shared object with primitives of your own (repeats)"},
    {NULL, NULL, NULL},
};
/* clang-format on */

static void show_ports(mt_buf *out, const gr_port *ports, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        mt_buf_addf(out, "%s%.*s: %s%s", i ? ", " : "", MT_ARG(ports[i].name),
                    gr_type_name(ports[i].type), ports[i].required ? "" : "?");
    }
}

static void show_params(mt_buf *out, const gr_manifest *m)
{
    for (uint32_t i = 0; i < m->param_count; i++) {
        const gr_param *p = &m->params[i];
        mt_buf_addf(out, "%s%.*s: %s", i ? ", " : "", MT_ARG(p->name),
                    gr_param_type_name(p->type));
        if (p->initial.type != GR_P_NONE) {
            gr_value initial = gr_literal_value(&p->initial);
            mt_buf_addz(out, " = ");
            gr_value_plain_json(out, &initial);
        }
    }
}

/* Five lines at most: name and kind, summary, in, with, out. `in` and `with` are left
 * out where there is nothing to say. */
static void show_text(mt_buf *out, const gr_manifest *m)
{
    mt_buf_addf(out, "%.*s@%.*s  (%s)\n", MT_ARG(m->id), MT_ARG(m->version),
                gr_kind_name(m->kind));
    mt_buf_addf(out, "    %.*s\n", MT_ARG(m->summary));
    if (m->input_count) {
        mt_buf_addz(out, "    in   ");
        show_ports(out, m->inputs, m->input_count);
        mt_buf_addc(out, '\n');
    }
    if (m->param_count) {
        mt_buf_addz(out, "    with ");
        show_params(out, m);
        mt_buf_addc(out, '\n');
    }
    mt_buf_addz(out, "    out  ");
    show_ports(out, m->outputs, m->output_count);
    mt_buf_addz(out, "\n\n");
}

/* Keys ascend; ports keep the order of the manifest, which is the order of
 * arguments. */
static void write_ports(mt_jw *w, const gr_port *ports, uint32_t count)
{
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < count; i++) {
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "name", ports[i].name);
        mt_jw_key_bool(w, "required", ports[i].required);
        mt_jw_key_str(w, "type", mt_str_z(gr_type_name(ports[i].type)));
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
}

/* A parameter without "default" must be given. Values are written as plain JSON, as a
 * graph file has them. */
static void write_json(mt_jw *w, const gr_manifest *m)
{
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "id", m->id);
    mt_jw_keyz(w, "inputs");
    write_ports(w, m->inputs, m->input_count);
    mt_jw_key_str(w, "kind", mt_str_z(gr_kind_name(m->kind)));
    mt_jw_keyz(w, "outputs");
    write_ports(w, m->outputs, m->output_count);
    mt_jw_keyz(w, "parameters");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < m->param_count; i++) {
        mt_jw_begin_object(w);
        if (m->params[i].initial.type != GR_P_NONE) {
            mt_buf text = {0};
            gr_value initial = gr_literal_value(&m->params[i].initial);
            gr_value_plain_json(&text, &initial);
            mt_jw_keyz(w, "default");
            mt_jw_raw(w, mt_buf_str(&text));
            mt_buf_free(&text);
        }
        mt_jw_key_str(w, "name", m->params[i].name);
        mt_jw_key_str(w, "type", mt_str_z(gr_param_type_name(m->params[i].type)));
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
    mt_jw_key_str(w, "summary", m->summary);
    mt_jw_key_str(w, "version", m->version);
    mt_jw_end_object(w);
}

/* ---- ready-made clusters ---- */

/* What the text says of itself; the reader of clusters keeps no descriptions. */
static mt_str description_of(mt_arena *a, mt_str text)
{
    mt_json root;
    bool read = !mt_yaml_read(a, text, NULL, &root, NULL);
    return read ? mt_json_text(mt_json_at(&root, "description")) : (mt_str){0};
}

/* A parameter that is derived from its place need not be given: it is a key that the
 * graph makes of where the cluster is used. */
static void show_cluster(mt_buf *out, const gr_cluster *c, mt_str description)
{
    mt_buf_addf(out, "%.*s@%.*s  (cluster)\n    %.*s\n    in   ", MT_ARG(c->id),
                MT_ARG(c->version), MT_ARG(description));
    for (uint32_t i = 0; i < c->input_count; i++) {
        mt_buf_addf(out, "%s%.*s: %s", i ? ", " : "", MT_ARG(c->inputs[i].name),
                    gr_type_name(c->inputs[i].type));
    }
    mt_buf_addz(out, "\n    with ");
    for (uint32_t i = 0; i < c->param_count; i++) {
        mt_buf_addf(out, "%s%.*s: %s%s", i ? ", " : "", MT_ARG(c->params[i].name),
                    gr_param_type_name(c->params[i].type),
                    c->params[i].slot.ptr ? " = derived from its place" : "");
    }
    mt_buf_addz(out, "\n    out  ");
    for (uint32_t i = 0; i < c->output_count; i++) {
        mt_buf_addf(out, "%s%.*s", i ? ", " : "", MT_ARG(c->outputs[i].name));
    }
    mt_buf_addz(out, "\n\n");
}

static void write_cluster(mt_jw *w, const gr_cluster *c, mt_str description)
{
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "id", c->id);
    mt_jw_keyz(w, "inputs");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < c->input_count; i++) {
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "name", c->inputs[i].name);
        mt_jw_key_str(w, "type", mt_str_z(gr_type_name(c->inputs[i].type)));
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
    mt_jw_key_str(w, "kind", MT_STR("cluster"));
    mt_jw_keyz(w, "outputs");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < c->output_count; i++) {
        mt_jw_str(w, c->outputs[i].name);
    }
    mt_jw_end_array(w);
    mt_jw_keyz(w, "parameters");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < c->param_count; i++) {
        mt_jw_begin_object(w);
        mt_jw_key_bool(w, "derived", c->params[i].slot.ptr != NULL);
        mt_jw_key_str(w, "name", c->params[i].name);
        mt_jw_key_str(w, "type", mt_str_z(gr_param_type_name(c->params[i].type)));
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
    mt_jw_key_str(w, "summary", description);
    mt_jw_key_str(w, "version", c->version);
    mt_jw_end_object(w);
}

/* ---- the catalogue ---- */

/* What is asked for and what was found of it, while both lists are walked. */
typedef struct catalogue {
    const char *wanted; /* NULL: all */
    bool json, found;
    mt_buf out;
    mt_jw w;
} catalogue;

/* Notes that something was found: who asks for a name that is nowhere is told so. */
static bool is_wanted(catalogue *c, mt_str id)
{
    bool wanted = !c->wanted || mt_str_eq(id, mt_str_z(c->wanted));
    c->found = c->found || wanted;
    return wanted;
}

static void list_primitives(catalogue *c, const gr_registry *registry)
{
    for (size_t i = 0; i < gr_registry_count(registry); i++) {
        const gr_manifest *m = &gr_registry_at(registry, i)->manifest;
        if (!is_wanted(c, m->id)) {
            continue;
        }
        if (c->json) {
            write_json(&c->w, m);
        } else {
            show_text(&c->out, m);
        }
    }
}

/* They are compiled in, so one that cannot be read is a bug of ours. Each has an arena
 * of its own, since nothing of it is needed afterwards. */
static void list_clusters(catalogue *c)
{
    for (size_t i = 0; i < GR_READY_COUNT; i++) {
        mt_arena a = {0};
        mt_diags ds = {.arena = &a};
        const gr_cluster *def =
            gr_cluster_read(&a, GR_READY[i].file, GR_READY[i].text, NULL, &ds);
        MT_ASSERT(def);
        mt_str description = description_of(&a, GR_READY[i].text);
        if (is_wanted(c, def->id)) {
            if (c->json) {
                write_cluster(&c->w, def, description);
            } else {
                show_cluster(&c->out, def, description);
            }
        }
        mt_arena_free(&a);
    }
}

/* Order is that of the registry, which is filled from one table, so it is the same
 * everywhere; then clusters. The JSON of all primitives has none of these, since it had
 * none before there were any. */
static int show(const cli_args *args, const gr_registry *registry)
{
    bool only = cli_flag(args, "clusters");
    catalogue c = {.wanted = args->count ? args->operands[0] : NULL,
                   .json = cli_flag(args, "json")};
    c.w = mt_jw_start(&c.out, true);
    if (c.json) {
        mt_jw_begin_array(&c.w);
    }
    if (!only) {
        list_primitives(&c, registry);
    }
    if (only || c.wanted || !c.json) {
        list_clusters(&c);
    }
    if (c.json) {
        mt_jw_end_array(&c.w);
        mt_buf_addc(&c.out, '\n');
    }
    int code = c.found ? cli_print(mt_buf_str(&c.out))
                       : cli_fail(args, CLI_FAILS, "there is no primitive '%s'",
                                  args->operands[0]);
    mt_buf_free(&c.out);
    return code;
}

int cmd_graph_primitives(const cli_args *args)
{
    cli_graph g;
    int code = cli_primitives_load(args, &g);
    code = code ? cli_graph_report(args, &g, code) : show(args, g.files.registry);
    cli_graph_free(&g);
    return code;
}
