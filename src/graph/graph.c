/* graph/graph.c - a graph from its texts, and names in it.
 * Room: graph.
 * Loading reads the root, links the clusters it uses, expands them, wires, validates,
 * orders and compiles. Validation goes on to find all faults; what comes after it runs
 * without any. Diagnostics are sorted, and repeats dropped, since a cluster that is
 * used twice reports twice.
 *
 * INVARIANT: a graph that comes out has no fault; of one that was refused nothing is
 * left but its diagnostics, which live in the caller's arena. May fail: faults of the
 * author (MT_E_REJECTED), limits. */
#include "graph/graph.h"

#include <stdlib.h>

#include "graph/compile.h"

/* The same fault of a cluster used twice is one fault. */
static void drop_repeats(mt_diags *ds, size_t from)
{
    size_t kept = from;
    for (size_t i = from; i < ds->len; i++) {
        const mt_diag *d = &ds->items[i];
        bool repeat = false;
        for (size_t k = from; k < kept && !repeat; k++) {
            const mt_diag *other = &ds->items[k];
            repeat = other->line == d->line && other->column == d->column &&
                     strcmp(other->code, d->code) == 0 &&
                     mt_str_eq(other->file, d->file) &&
                     mt_str_eq(other->message, d->message);
        }
        if (!repeat) {
            ds->items[kept++] = ds->items[i];
        } else if (d->severity == MT_ERROR) {
            ds->errors--;
        }
    }
    ds->len = kept;
}

/* Link, expand, wire, validate, order, compile. Validation goes on to find all faults;
 * what comes after it only runs without any. */
static bool build(gr_library *lib, const gr_cluster *root, gr_graph *g)
{
    mt_diags *ds = lib->ds;
    gr_flat *flat = mt_new(&g->arena, gr_flat);
    const gr_linked *linked = gr_link(lib, root, 1);
    if (lib->bottomless || !gr_expand(lib, linked, flat)) {
        return false;
    }
    gr_wiring w = gr_wire(&g->arena, flat);
    uint32_t *order = mt_new_array(&g->arena, uint32_t, flat->nodes.len);
    gr_validate(&g->arena, flat, &w, lib->alone, ds);
    if (!gr_order(&g->arena, flat, ds, order) || ds->errors || lib->err) {
        return false;
    }
    gr_compile(g, flat, &w, order);
    return true;
}

/* What a caller asks for beside the file. */
typedef struct wish {
    bool alone;
    const gr_set *sets;
    size_t set_count;
} wish;

static mt_err load(const gr_registry *registry, gr_text root, const gr_finder *finder,
                   const mt_limits *limits, wish w, mt_diags *ds, gr_graph **out)
{
    gr_graph *g = mt_xmalloc(sizeof *g);
    *g = (gr_graph){0};
    *out = NULL;
    /* In the caller's arena: diagnostics outlive a graph that was refused. */
    mt_diags own = {.arena = ds->arena,
                    .limit =
                        limits ? limits->diagnostics : MT_LIMITS_DEFAULT.diagnostics};
    gr_library lib = {.arena = &g->arena,
                      .registry = registry,
                      .finder = finder,
                      .limits = limits ? *limits : MT_LIMITS_DEFAULT,
                      .alone = w.alone,
                      .sets = w.sets,
                      .set_used = mt_new_array(&g->arena, bool, w.set_count),
                      .set_count = w.set_count,
                      .ds = &own};
    mt_json_limits reading = {lib.limits.yaml_bytes, lib.limits.json_depth};
    mt_str file = mt_str_dup(&g->arena, root.file);
    mt_str text = mt_str_dup(&g->arena, root.text);
    const gr_cluster *c = gr_cluster_read(&g->arena, file, text, &reading, &own);
    bool built = c && build(&lib, c, g);
    mt_diags_sort(&own);
    drop_repeats(&own, 0);
    for (size_t i = 0; i < own.len; i++) {
        mt_diag_add(ds, &own.items[i]);
    }
    if (built) {
        *out = g;
        return MT_OK;
    }
    gr_graph_free(g);
    return lib.err ? lib.err : MT_E_REJECTED;
}

mt_err gr_graph_load(const gr_registry *registry, gr_text root, const gr_finder *finder,
                     const mt_limits *limits, mt_diags *ds, gr_graph **out)
{
    return load(registry, root, finder, limits, (wish){0}, ds, out);
}

mt_err gr_graph_load_set(const gr_registry *registry, gr_text root,
                         const gr_finder *finder, const mt_limits *limits,
                         const gr_set *sets, size_t set_count, mt_diags *ds,
                         gr_graph **out)
{
    wish w = {.sets = sets, .set_count = set_count};
    return load(registry, root, finder, limits, w, ds, out);
}

mt_err gr_cluster_load(const gr_registry *registry, gr_text root,
                       const gr_finder *finder, const mt_limits *limits, mt_diags *ds,
                       gr_graph **out)
{
    return load(registry, root, finder, limits, (wish){.alone = true}, ds, out);
}

/* The arena is copied out, since the struct that holds it goes first. */
void gr_graph_free(gr_graph *g)
{
    if (g) {
        mt_arena arena = g->arena;
        free(g);
        mt_arena_free(&arena);
    }
}

bool gr_graph_is(const gr_graph *g, mt_str provenance)
{
    return mt_str_eq(provenance, g->provenance) ||
           mt_str_eq(provenance, g->provenance_as_bound);
}

/* Either the id ("n12") or the path of names. Linear, for commands only. */
int gr_graph_node(const gr_graph *g, mt_str id_or_path)
{
    for (uint32_t i = 0; i < g->node_count; i++) {
        if (mt_str_eq(g->nodes[i].id, id_or_path) ||
            mt_str_eq(g->nodes[i].path, id_or_path) ||
            mt_str_eq(g->nodes[i].name, id_or_path)) {
            return (int)i;
        }
    }
    return -1;
}

/* "/4:once" of a derived key; false: it is not one. */
static bool take_segment(mt_str *rest, mt_str *text)
{
    size_t at = 1, len = 0;
    while (at < rest->len && rest->ptr[at] >= '0' && rest->ptr[at] <= '9' &&
           len < rest->len) {
        len = len * 10 + (size_t)(rest->ptr[at++] - '0');
    }
    if (!rest->len || rest->ptr[0] != '/' || at == 1 || at >= rest->len ||
        rest->ptr[at] != ':' || rest->len - at - 1 < len) {
        return false;
    }
    *text = mt_str_from(rest->ptr + at + 1, len);
    *rest = mt_str_skip(*rest, at + 1 + len);
    return true;
}

/* After the prefix stand a cluster's id and the name of a node in it for each level,
 * then the slot; one of the graph's own has no node, and the graph's id in its place.
 * A key that only looks like one is shown as it is. */
void gr_key_words(mt_buf *out, mt_str key)
{
    static const mt_str PREFIX = MT_STR_INIT("__ergo");
    mt_str rest = mt_str_skip(key, PREFIX.len), segment, graph = {0}, slot = {0};
    size_t before = out->len, count = 0;
    bool derived = mt_str_starts(key, PREFIX);
    for (; derived && rest.len; count++) {
        derived = take_segment(&rest, &segment) && segment.len;
        if (derived && count % 2 && rest.len) {
            mt_buf_addz(out, count > 1 ? "/" : "");
            mt_buf_adds(out, segment);
        }
        graph = count ? graph : segment;
        slot = segment;
    }
    if (!derived || count < 2) {
        out->len = before;
        mt_buf_adds(out, key);
        return;
    }
    mt_buf_adds(out, out->len > before ? (mt_str){0} : graph);
    mt_buf_addc(out, '.');
    mt_buf_adds(out, slot);
}
