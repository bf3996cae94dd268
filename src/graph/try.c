/* graph/try.c - a manifest tried without a graph.
 * Room: graph. What a manifest says it does is compiled where a graph uses it: formulas
 * when they are registered, clusters when they are linked. To try it, a graph is made
 * whose one node is the primitive, with the manifest's own inputs and parameters. */
#include "base/json_write.h"
#include "graph/graph.h"
#include "graph/report.h"

static void item(mt_jw *w, mt_str name, const char *type)
{
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "name", name);
    mt_jw_key_str(w, "type", mt_str_z(type));
    mt_jw_end_object(w);
}

static void ports(mt_jw *w, mt_arena *a, const gr_manifest *m)
{
    mt_jw_keyz(w, "inputs");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < m->input_count; i++) {
        item(w, m->inputs[i].name, gr_type_name(m->inputs[i].type));
    }
    mt_jw_end_array(w);
    mt_jw_keyz(w, "edges");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < m->input_count; i++) {
        mt_jw_str(w, mt_strf(a, "$%.*s -> it.%.*s", MT_ARG(m->inputs[i].name),
                             MT_ARG(m->inputs[i].name)));
    }
    mt_jw_end_array(w);
}

static void params(mt_jw *w, const gr_manifest *m)
{
    mt_jw_keyz(w, "parameters");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < m->param_count; i++) {
        item(w, m->params[i].name, gr_param_type_name(m->params[i].type));
    }
    mt_jw_end_array(w);
}

static void node(mt_jw *w, mt_arena *a, const gr_manifest *m)
{
    mt_jw_keyz(w, "nodes");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "it");
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "impl",
                  mt_strf(a, "%.*s@%.*s", MT_ARG(m->id), MT_ARG(m->version)));
    mt_jw_keyz(w, "params");
    mt_jw_begin_unsorted(w);
    for (uint32_t i = 0; i < m->param_count; i++) {
        mt_jw_key(w, m->params[i].name);
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "exposed", m->params[i].name);
        mt_jw_end_object(w);
    }
    mt_jw_end_object(w);
    mt_jw_end_object(w);
    mt_jw_end_object(w);
}

/* One node, everything from outside.
 * As text, read like a user's: what is tried is what a graph of files would get. */
static mt_str graph_around(mt_arena *a, const gr_manifest *m)
{
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    mt_jw_begin_unsorted(&w);
    mt_jw_key_str(&w, "kind", MT_STR("cluster"));
    mt_jw_key_str(&w, "id", MT_STR("try"));
    mt_jw_key_str(&w, "version", MT_STR("1.0.0"));
    ports(&w, a, m);
    params(&w, m);
    node(&w, a, m);
    mt_jw_end_object(&w);
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* Existing manifests have no more: the code is the host's. */
static void note_silence(const gr_manifest *m, mt_diags *ds)
{
    bool source = m->kind == GR_SOURCE;
    mt_diag_add(
        ds,
        &(mt_diag){
            .severity = MT_NOTE,
            .code = "manifest.decode",
            .pass = -1,
            .file = m->file,
            .line = 1,
            .field = MT_STR("$"),
            .message = mt_strf(ds->arena,
                               "nothing says what this %s does: a host has to bring "
                               "the code, and a graph of files alone cannot use it",
                               gr_kind_name(m->kind)),
            .hint = source
                        ? MT_STR("say `from:` for its outputs, if it takes them from "
                                 "the context or from parameters")
                        : MT_STR("add `expression:` or `cluster:`"),
        });
}

mt_err gr_manifest_try(gr_registry *registry, gr_text text, const gr_finder *finder,
                       mt_diags *ds)
{
    mt_err err = gr_registry_declare(registry, text.file, text.text, ds);
    if (err) {
        return err;
    }
    /* What was declared just now stands last. */
    const gr_primitive *p = gr_registry_at(registry, gr_registry_count(registry) - 1);
    if (p->declared) {
        note_silence(&p->manifest, ds);
        return MT_OK;
    }
    if (p->manifest.kind == GR_SOURCE || p->manifest.kind == GR_ACTION) {
        return MT_OK; /* all of it was read when it was registered */
    }
    mt_arena a = {0};
    gr_graph *g = NULL;
    gr_text around = {text.file, graph_around(&a, &p->manifest)};
    err = gr_cluster_load(registry, around, finder, NULL, ds, &g);
    gr_graph_free(g);
    mt_arena_free(&a);
    return err;
}
