/* host/graph_service_config.c - an entry of `graphs`: its members, its files, its
 * sources. Nothing is asked of the store here, and nothing is opened that a check of
 * the configuration should not open. */
#include "base/form.h"
#include "host/graph_service_internal.h"

enum {
    WINDOW_MOST = 1000000000,
    RETRIES_MOST = 1000000,
    FILES_MOST = 10000,
    LIBRARIES_MOST = 100,
    SOURCES_MOST = 64
};
#define SPAN_MOST_MS ((int64_t)3660 * 24 * 3600 * 1000)

/* An entry of `graphs`. */
typedef struct entry {
    const char *graph, *adapter, *egress;
    mt_form_words clusters, manifests, primitives, skip_kinds;
    int64_t max_per_window;         /* -1: not given */
    uint64_t rate_window, deadline; /* UINT64_MAX: not given */
    uint32_t max_retries;
    bool skip_duplicates, pump;
    const mt_json *ingress; /* NULL: none */
} entry;

static const mt_form_row ENTRY[] = {
    MT_FORM_WORD(entry, graph, "graph", MT_FORM_REQUIRED),
    MT_FORM_WORD(entry, adapter, "adapter", 0),
    MT_FORM_WORD(entry, egress, "egress", 0),
    MT_FORM_WORDS(entry, clusters, "clusters", 0, FILES_MOST, 0),
    MT_FORM_WORDS(entry, manifests, "manifests", 0, FILES_MOST, 0),
    MT_FORM_WORDS(entry, primitives, "primitives", 0, LIBRARIES_MOST, 0),
    MT_FORM_INT(entry, max_per_window, "max_per_window", 0, WINDOW_MOST, 0),
    MT_FORM_SPAN(entry, rate_window, "rate_window", 0, SPAN_MOST_MS, 0),
    MT_FORM_SPAN(entry, deadline, "deadline", 0, SPAN_MOST_MS, 0),
    MT_FORM_U32(entry, max_retries, "max_retries", 0, RETRIES_MOST, 0),
    MT_FORM_FLAG(entry, skip_duplicates, "skip_duplicates", 0),
    MT_FORM_WORDS(entry, skip_kinds, "skip_kinds", 0, FILES_MOST, 0),
    MT_FORM_LIST(entry, ingress, "ingress", 0, SOURCES_MOST, 0),
    MT_FORM_FLAG(entry, pump, "pump", 0),
};

static mt_err read_entry(ho_graph_service *g, const mt_json *config, entry *out,
                         mt_buf *why)
{
    mt_form form = {
        .arena = &g->arena, .what = "a graph", .report = mt_form_join, .state = why};
    *out = (entry){
        .max_per_window = -1, .rate_window = UINT64_MAX, .deadline = UINT64_MAX};
    return mt_form_read(&form, config, ENTRY, mt_form_count(ENTRY), out)
               ? MT_OK
               : MT_E_REJECTED;
}

static gr_time_option span_of(uint64_t ms)
{
    bool given = ms != UINT64_MAX;
    return (gr_time_option){given, gr_time_of_ms(given ? ms : 0)};
}

static mt_err set_limits(const entry *e, gr_constraints *out, mt_buf *why)
{
    bool given = e->max_per_window >= 0;
    out->max_per_window =
        (gr_count_option){given, given ? (uint64_t)e->max_per_window : 0};
    out->rate_window = span_of(e->rate_window);
    out->deadline = span_of(e->deadline);
    out->max_retries = e->max_retries;
    if (!gr_constraints_fit(out)) {
        mt_buf_addz(why, "max_per_window (at least 1) and rate_window go together");
        return MT_E_REJECTED;
    }
    return MT_OK;
}

static mt_err load_files(ho_graph_service *g, const entry *e, const mt_limits *limits,
                         mt_diags *ds)
{
    ho_graph_paths paths = {
        .graph = e->graph,
        .adapter = e->adapter,
        .egress = e->egress,
        .cluster_paths = e->clusters.items,
        .cluster_path_count = e->clusters.count,
        .manifests = e->manifests.items,
        .manifest_count = e->manifests.count,
        .primitives = e->primitives.items,
        .primitive_count = e->primitives.count,
    };
    return ho_graph_files_load(&paths, limits, ds, &g->files);
}

static void set_skips(ho_graph_service *g, const entry *e)
{
    mt_str *kinds = mt_new_array(&g->arena, mt_str, e->skip_kinds.count);
    for (size_t i = 0; i < e->skip_kinds.count; i++) {
        kinds[i] = mt_str_z(e->skip_kinds.items[i]);
    }
    g->options.skip_kinds = kinds;
    g->options.skip_kind_count = e->skip_kinds.count;
    g->options.skip_duplicates = e->skip_duplicates;
}

/* A server has no standard input, and a consumer of a stream is the graph's own. */
static mt_err read_source(ho_graph_service *g, const mt_json *node, mt_buf *why)
{
    mt_buf said = {0};
    ho_source *source;
    mt_err err = ho_source_read(node, g->files.adapter, &source, &said);
    if (!err && ho_source_is_stdin(source)) {
        mt_buf_addz(&said, "a server does not read its standard input");
        err = MT_E_REJECTED;
        ho_source_free(source);
    }
    if (err) {
        mt_buf_addf(why, "ingress[%zu]: %.*s", g->source_count, MT_ARG(said));
    } else {
        ho_source_name(source, g->name, true);
        g->sources[g->source_count++] = source;
    }
    mt_buf_free(&said);
    return err;
}

static mt_err read_sources(ho_graph_service *g, const entry *e, mt_buf *why)
{
    mt_err err = MT_OK;
    uint32_t count = e->ingress ? e->ingress->count : 0;
    g->sources = mt_new_array(&g->arena, ho_source *, count);
    for (uint32_t i = 0; i < count && !err; i++) {
        err = read_source(g, &e->ingress->as.items[i], why);
    }
    return err;
}

mt_err ho_graph_service_configure(ho_graph_service *g, const mt_json *config,
                                  const mt_limits *limits, mt_diags *ds, mt_buf *why)
{
    entry e;
    mt_err err = read_entry(g, config, &e, why);
    err = err ? err : set_limits(&e, &g->options.limits, why);
    err = err ? err : load_files(g, &e, limits, ds);
    err = err ? err : read_sources(g, &e, why);
    if (err) {
        return err;
    }
    g->pumps = e.pump;
    set_skips(g, &e);
    return MT_OK;
}
