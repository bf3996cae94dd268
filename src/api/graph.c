/* api/graph.c - the public API's graphs: primitives in C, loading, episodes.
 *
 * Primitives are registered with a manifest and a function, which is called as those of
 * shared objects are (host/graph_own.h). Loading checks everything and keeps its
 * messages; a graph that was refused has no episode.
 *
 * An episode holds the context values set so far (copies, one allocation per key,
 * freed when replaced) and runs pass after pass. Values that are handed out are valid
 * until the next pass. Indexes out of range are answered with nothing rather than
 * trusted. */
#include <stdlib.h>

#include "api/graph.h"
#include "base/vec.h"

struct motet_primitives {
    gr_registry *registry;
    mt_arena arena; /* diagnostics, functions, the list of libraries */
    MT_VEC(ho_own_library *) libraries;
    mt_diags ds;
    mt_str message; /* what motet_primitives_message() handed out last */
};

struct motet_episode {
    gr_episode *episode;
    bool unadapted;    /* the graph needs an adapter (§6.3) and had none */
    gr_value *context; /* one per context key of the graph; GR_NONE: not set */
    void **owned;      /* per key: the copy its value points to */
    mt_buf text;
};

/* ---- primitives ---- */

motet_primitives *motet_primitives_new(void)
{
    motet_primitives *p = mt_xmalloc(sizeof *p);
    *p = (motet_primitives){.registry = gr_registry_new()};
    p->ds.arena = &p->arena;
    p->ds.limit = MT_LIMITS_DEFAULT.diagnostics;
    return p;
}

void motet_primitives_free(motet_primitives *p)
{
    if (p) {
        gr_registry_free(p->registry);
        for (size_t i = 0; i < p->libraries.len; i++) {
            ho_own_free(p->libraries.items[i]);
        }
        mt_arena_free(&p->arena);
        free(p);
    }
}

/* Without a function the manifest has to say itself what the primitive does; whether it
 * does is checked by the registry. */
motet_status motet_primitives_add(motet_primitives *p, motet_str manifest,
                                  motet_primitive run, void *user)
{
    if (!p) {
        return MOTET_E_USAGE;
    }
    ho_own_function *f = mt_new(&p->arena, ho_own_function);
    *f = (ho_own_function){run, user, NULL};
    return (motet_status)gr_registry_add(p->registry, MT_STR("manifest"),
                                         api_in_str(manifest), run ? ho_own_run : NULL,
                                         f, &p->ds);
}

/* One that failed in part is kept: what of it was added is there. */
motet_status motet_primitives_load(motet_primitives *p, const char *path)
{
    if (!p) {
        return MOTET_E_USAGE;
    }
    ho_own_library *library;
    mt_err err = ho_own_load(path, p->registry, &p->ds, &library);
    if (library) {
        mt_vec_push(&p->arena, &p->libraries, library);
    }
    return (motet_status)err;
}

/* FILE:LINE:COLUMN: CODE: what is wrong (what to do). */
static mt_str message_text(mt_arena *a, const mt_diag *d)
{
    return mt_strf(a, "%.*s:%u:%u: %s: %.*s (%.*s)", MT_ARG(d->file), d->line,
                   d->column, d->code, MT_ARG(d->message), MT_ARG(d->hint));
}

/* Made anew on each call, since diagnostics may be added at any time. */
motet_str motet_primitives_message(motet_primitives *p, size_t index)
{
    if (!p) {
        return (motet_str){"", 0};
    }
    if (index >= p->ds.len) {
        return (motet_str){"", 0};
    }
    p->message = message_text(&p->arena, &p->ds.items[index]);
    return api_out_str(p->message);
}

/* ---- graphs ---- */

/* The messages of the call before are replaced, their memory stays with the graph:
 * loading and adapting happen a few times. */
static void keep_messages(motet_graph *g, const mt_diags *ds)
{
    motet_str *messages = mt_new_array(&g->arena, motet_str, ds->len);
    for (size_t i = 0; i < ds->len; i++) {
        messages[i] = api_out_str(message_text(&g->arena, &ds->items[i]));
    }
    g->messages = messages;
    g->message_count = ds->len;
    g->ds = (mt_diags){.arena = &g->arena, .limit = ds->limit};
    for (size_t i = 0; i < ds->len; i++) {
        mt_diag d = ds->items[i];
        d.file = mt_str_dup(&g->arena, d.file); /* the caller's may go */
        mt_diag_add(&g->ds, &d);
    }
}

/* The files behind the first, for gr_finder. */
typedef struct cluster_files {
    const motet_file *files;
    size_t count;
} cluster_files;

/* A file is the cluster of its own name. */
static mt_err find_cluster(void *user, mt_arena *a, mt_str id, mt_str from,
                           gr_text **texts, size_t *count, mt_str *trail)
{
    const cluster_files *c = user;
    (void)from;
    *texts = mt_new_array(a, gr_text, c->count);
    *count = 0;
    for (size_t i = 0; i < c->count; i++) {
        mt_str name = api_in_z(c->files[i].path);
        if (mt_str_eq(mt_str_stem(mt_str_basename(name)), id)) {
            (*texts)[(*count)++] = (gr_text){name, api_in_str(c->files[i].text)};
        }
    }
    *trail = MT_STR("the files that were given");
    return MT_OK;
}

typedef struct set_list {
    gr_set *items;
    size_t len;
} set_list;

/* Literals as the loader takes them; false: one is a list, an object or null. */
static bool read_sets(mt_arena *a, mt_str text, set_list *out)
{
    mt_json tree;
    if (mt_json_read(a, mt_str_dup(a, text), NULL, &tree, NULL) ||
        !mt_json_is(&tree, MT_JSON_OBJECT)) {
        return false;
    }
    out->items = mt_new_array(a, gr_set, tree.count);
    for (; out->len < tree.count; out->len++) {
        const mt_json_member *m = &tree.as.members[out->len];
        gr_set *set = &out->items[out->len];
        set->name = m->key;
        if (gr_literal_from_json(&m->value, &set->value)) {
            return false;
        }
    }
    return true;
}

/* All violations are kept, not only the first: graph documents are often made by
 * programs, whose authors want the whole list. `parameters` may be NULL. */
static motet_status load(const motet_primitives *p, const motet_file *files,
                         size_t count, const motet_str *parameters, motet_graph **out)
{
    motet_graph *g = mt_xmalloc(sizeof *g);
    *g = (motet_graph){0};
    *out = g;
    set_list sets = {0};
    if (!p || !files || !count ||
        (parameters && !read_sets(&g->arena, api_in_str(*parameters), &sets))) {
        return MOTET_E_USAGE;
    }
    mt_diags ds = {.arena = &g->arena};
    gr_text root = {api_in_z(files[0].path), api_in_str(files[0].text)};
    cluster_files clusters = {files + 1, count - 1};
    gr_finder finder = {&clusters, find_cluster};
    mt_err err = gr_graph_load_set(p->registry, root, &finder, NULL, sets.items,
                                   sets.len, &ds, &g->graph);
    keep_messages(g, &ds);
    return (motet_status)err;
}

motet_status motet_graph_load_files(const motet_primitives *p, const motet_file *files,
                                    size_t count, motet_graph **out)
{
    return load(p, files, count, NULL, out);
}

motet_status motet_graph_load_set(const motet_primitives *p, const motet_file *files,
                                  size_t count, motet_str parameters, motet_graph **out)
{
    return load(p, files, count, &parameters, out);
}

motet_status motet_graph_load(const motet_primitives *p, motet_str text,
                              const char *name, motet_graph **out)
{
    motet_file root = {name, text};
    return motet_graph_load_files(p, &root, 1, out);
}

/* Once, and only for a graph that was not refused. An adapter that does not fit is
 * dropped, and the graph stays as it was. */
motet_status motet_graph_adapt(motet_graph *g, motet_str text, const char *name)
{
    if (!g) {
        return MOTET_E_USAGE;
    }
    mt_diags ds = {.arena = &g->arena};
    gr_text file = {api_in_z(name), api_in_str(text)};
    gr_adapter *adapter = NULL;
    if (!g->graph || g->adapter) {
        return MOTET_E_REJECTED;
    }
    mt_err err = gr_adapter_read(file, &ds, &adapter);
    err = err ? err : gr_adapter_compose(adapter, g->graph, &ds);
    keep_messages(g, &ds);
    if (err) {
        gr_adapter_free(adapter);
        return (motet_status)err;
    }
    g->adapter = adapter;
    return MOTET_OK;
}

void motet_graph_free(motet_graph *g)
{
    if (g) {
        gr_adapter_free(g->adapter);
        gr_graph_free(g->graph);
        mt_arena_free(&g->arena);
        free(g);
    }
}

motet_str motet_graph_message(const motet_graph *g, size_t index)
{
    if (!g) {
        return (motet_str){"", 0};
    }
    return index < g->message_count ? g->messages[index] : (motet_str){"", 0};
}

/* Empty for a graph that was refused: it has no identity. */
motet_str motet_graph_identity(const motet_graph *g)
{
    if (!g) {
        return (motet_str){"", 0};
    }
    return g->graph ? api_out_str(g->graph->provenance) : (motet_str){"", 0};
}

/* ---- episodes ---- */

/* An all-zero gr_value is GR_NONE, so every key starts as not set. */
motet_episode *motet_episode_new(const motet_graph *g)
{
    if (!g || !g->graph) {
        return NULL;
    }
    motet_episode *e = mt_xmalloc(sizeof *e);
    size_t keys = g->graph->key_count;
    *e = (motet_episode){.episode = gr_episode_new(g->graph),
                         .unadapted = !g->adapter && gr_needs_adapter(g->graph),
                         .context = mt_xmalloc(keys * sizeof(gr_value)),
                         .owned = mt_xmalloc(keys * sizeof(void *))};
    memset(e->context, 0, keys * sizeof(gr_value));
    memset(e->owned, 0, keys * sizeof(void *));
    return e;
}

void motet_episode_free(motet_episode *e)
{
    if (!e) {
        return;
    }
    for (uint32_t i = 0; i < e->episode->graph->key_count; i++) {
        free(e->owned[i]);
    }
    free(e->owned);
    free(e->context);
    mt_buf_free(&e->text);
    gr_episode_free(e->episode);
    free(e);
}

/* An empty text has an allocation too, so that a set value is never NULL. */
static void *copy_of(const void *bytes, size_t size)
{
    void *copy = mt_xmalloc(size);
    if (size) {
        memcpy(copy, bytes, size);
    }
    return copy;
}

/* The new copy is made before the old one is freed: `value` may point into the value it
 * replaces. MOTET_NONE takes the key away. */
motet_status motet_episode_set(motet_episode *e, const char *key, motet_value value)
{
    if (!e) {
        return MOTET_E_USAGE;
    }
    int i = gr_graph_key(e->episode->graph, mt_str_z(key));
    gr_value v = ho_own_in(value);
    if (i < 0) {
        return MOTET_E_NOTFOUND;
    }
    void *copy = NULL;
    if (v.type == GR_SERIES) {
        v.as.series = copy = copy_of(v.as.series, v.len * sizeof(double));
    } else if (v.type == GR_STRING) {
        v.as.text = copy = copy_of(v.as.text, v.len);
    }
    free(e->owned[i]);
    e->owned[i] = copy;
    e->context[i] = v;
    return MOTET_OK;
}

/* The reason of an aborted pass is asked from motet_episode_fault(); the status is one
 * for all of them. */
motet_status motet_episode_run(motet_episode *e, motet_str event_id)
{
    if (!e) {
        return MOTET_E_USAGE;
    }
    if (e->unadapted) {
        return MOTET_E_REJECTED;
    }
    return gr_run(e->episode, e->context, api_in_str(event_id)) ? MOTET_E_REJECTED
                                                                : MOTET_OK;
}

/* Nodes run in the order of their indices, so `ran` tells whether this one was reached
 * in the last pass; a slot behind it may hold the value of an earlier pass. */
motet_value api_node_value(const gr_episode *e, const char *node, const char *port)
{
    const gr_graph *g = e->graph;
    int n = gr_graph_node(g, mt_str_z(node));
    int o =
        n < 0 ? -1 : gr_output_index(&g->nodes[n].primitive->manifest, mt_str_z(port));
    if (o < 0 || (uint32_t)n >= e->ran) {
        return (motet_value){.type = MOTET_NONE};
    }
    return ho_own_out(&e->slots[g->nodes[n].slot + (uint32_t)o]);
}

motet_value motet_episode_value(const motet_episode *e, const char *node,
                                const char *port)
{
    if (!e) {
        return (motet_value){.type = MOTET_NONE};
    }
    return api_node_value(e->episode, node, port);
}

/* A JSON list of the effects of the last pass, in the order they were emitted. */
motet_str motet_episode_effects(motet_episode *e)
{
    if (!e) {
        return (motet_str){"", 0};
    }
    mt_buf_clear(&e->text);
    mt_buf_addc(&e->text, '[');
    for (uint32_t i = 0; i < e->episode->effect_count; i++) {
        mt_buf_addz(&e->text, i ? "," : "");
        gr_effect_json(&e->text, &e->episode->effects[i]);
    }
    mt_buf_addc(&e->text, ']');
    return api_out_str(mt_buf_str(&e->text));
}

/* Shares its buffer with motet_episode_effects(): a pass has effects or a fault. */
motet_str motet_episode_fault(motet_episode *e)
{
    if (!e) {
        return (motet_str){"", 0};
    }
    mt_arena scratch = {0};
    mt_str text = e->unadapted
                      ? MT_STR("adapter.required_for_graph: this graph reads required "
                               "context keys or has effects, so it needs an adapter; "
                               "give it one with motet_graph_adapt()")
                      : gr_fault_text(&scratch, e->episode);
    mt_buf_clear(&e->text);
    mt_buf_adds(&e->text, text);
    mt_arena_free(&scratch);
    return api_out_str(mt_buf_str(&e->text));
}
