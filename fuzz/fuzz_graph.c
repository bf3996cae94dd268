/* Sections separated by a line "%%": manifests, an adapter, and last a graph. What
 * loads must run, twice alike, and compose or be refused, never crash. */
#include "graph/adapter.h"
#include "graph/execute.h"

static void run(const gr_graph *g)
{
    gr_episode *e = gr_episode_new(g);
    mt_buf first = {0}, second = {0};
    for (int pass = 0; pass < 2; pass++) {
        mt_buf *out = pass ? &second : &first;
        gr_fault_code code = gr_run(e, NULL, MT_STR("evt"));
        mt_buf_addf(out, "%d %u", code, e->ran);
        for (uint32_t i = 0; i < e->effect_count; i++) {
            gr_effect_json(out, &e->effects[i]);
        }
        for (uint32_t i = 1; i < g->slot_count && !code; i++) {
            MT_ASSERT(e->slots[i].type == (uint32_t)g->slot_types[i]);
            MT_ASSERT(gr_value_finite(&e->slots[i]));
        }
        MT_ASSERT(!code || !e->effect_count);
    }
    MT_ASSERT(mt_str_eq(mt_buf_str(&first), mt_buf_str(&second)));
    mt_buf_free(&first);
    mt_buf_free(&second);
    gr_episode_free(e);
}

static mt_str next_section(mt_str *rest)
{
    for (size_t i = 0; i + 4 <= rest->len; i++) {
        if (memcmp(rest->ptr + i, "\n%%\n", 4) == 0) {
            mt_str section = mt_str_from(rest->ptr, i);
            *rest = mt_str_skip(*rest, i + 4);
            return section;
        }
    }
    mt_str section = *rest;
    rest->len = 0;
    return section;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_arena a = {0};
    mt_diags ds = {.arena = &a, .limit = 50};
    mt_limits limits = MT_LIMITS_DEFAULT;
    mt_str rest = {(const char *)data, size};
    gr_registry *registry = gr_registry_new();
    gr_adapter *adapter = NULL;
    gr_graph *g = NULL;
    limits.graph_nodes = 5000;
    for (int i = 0; i < 8 && rest.len; i++) {
        gr_text text = {MT_STR("f"), next_section(&rest)};
        if (rest.len) {
            gr_registry_add(registry, text.file, text.text, NULL, NULL, &ds);
            if (!adapter) {
                gr_adapter_read(text, &ds, &adapter);
            }
        } else if (gr_graph_load(registry, text, NULL, &limits, &ds, &g) == MT_OK) {
            MT_ASSERT(g->provenance.len == 76);
            run(g);
            if (adapter) {
                gr_adapter_compose(adapter, g, &ds);
            }
        } else {
            MT_ASSERT(ds.errors > 0);
        }
    }
    gr_graph_free(g);
    gr_adapter_free(adapter);
    gr_registry_free(registry);
    mt_arena_free(&a);
    return 0;
}
