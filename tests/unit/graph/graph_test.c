#include "graph_test.h"

#include <stdlib.h>

gt *gt_begin(void)
{
    gt *t = mt_xmalloc(sizeof *t);
    *t = (gt){0};
    t->ds.arena = &t->arena;
    t->registry = gr_registry_new();
    return t;
}

void gt_end(gt *t)
{
    gr_episode_free(t->episode);
    gr_graph_free(t->graph);
    gr_registry_free(t->registry);
    mt_arena_free(&t->arena);
    free(t);
}

bool gt_manifest(gt *t, const char *text)
{
    return gr_registry_add(t->registry, MT_STR("m.yaml"), mt_str_z(text), NULL, NULL,
                           &t->ds) == MT_OK;
}

static mt_err find(void *user, mt_arena *a, mt_str id, mt_str from, gr_text **texts,
                   size_t *count, mt_str *trail)
{
    const gt *t = user;
    (void)from;
    *texts = mt_new_array(a, gr_text, t->file_count);
    *trail = MT_STR("the files of this test");
    for (size_t i = 0; i < t->file_count; i++) {
        if (mt_str_eq(mt_str_stem(t->files[i].file), id)) {
            (*texts)[(*count)++] = t->files[i];
        }
    }
    return MT_OK;
}

bool gt_load(gt *t, const char *text)
{
    gr_finder finder = {t, find};
    gr_text root = {MT_STR("root.yaml"), mt_str_z(text)};
    gr_episode_free(t->episode);
    gr_graph_free(t->graph);
    t->episode = NULL;
    t->graph = NULL;
    if (gr_graph_load(t->registry, root, &finder, t->limits, &t->ds, &t->graph)) {
        return false;
    }
    t->episode = gr_episode_new(t->graph);
    t->context = mt_new_array(&t->arena, gr_value, t->graph->key_count + 1);
    return true;
}

void gt_print(gt *t)
{
    for (size_t i = 0; i < t->ds.len; i++) {
        const mt_diag *d = &t->ds.items[i];
        print_message("%.*s:%u:%u %s %.*s (%.*s)\n", MT_ARG(d->file), d->line,
                      d->column, d->code, MT_ARG(d->message), MT_ARG(d->hint));
    }
}

void gt_must_load(gt *t, const char *text)
{
    if (!gt_load(t, text)) {
        gt_print(t);
        fail_msg("the graph was refused");
    }
}

void gt_set(gt *t, const char *key, gr_value v)
{
    int i = gr_graph_key(t->graph, mt_str_z(key));
    if (i >= 0) {
        t->context[i] = gr_value_dup(&t->arena, v);
    }
}

void gt_clear(gt *t)
{
    memset(t->context, 0, t->graph->key_count * sizeof *t->context);
}

gr_fault_code gt_run(gt *t, const char *event_id)
{
    return gr_run(t->episode, t->context, mt_str_z(event_id));
}

gr_fault_code gt_episode(gt *t, const char *event_id)
{
    gr_fault_code code = gt_run(t, event_id);
    for (uint32_t i = 0; i < t->episode->effect_count; i++) {
        const gr_effect *e = &t->episode->effects[i];
        for (uint32_t k = 0; k < e->write_count; k++) {
            int key = gr_graph_key(t->graph, e->writes[k].key);
            if (key >= 0) {
                t->context[key] = gr_value_dup(&t->arena, e->writes[k].value);
            }
        }
    }
    return code;
}

const gr_value *gt_value(gt *t, const char *path, const char *port)
{
    int n = gr_graph_node(t->graph, mt_str_z(path));
    assert_true(n >= 0);
    int o = gr_output_index(&t->graph->nodes[n].primitive->manifest, mt_str_z(port));
    assert_true(o >= 0);
    return &t->episode->slots[t->graph->nodes[n].slot + (uint32_t)o];
}

gr_event gt_event(gt *t, const char *path, const char *port)
{
    return (gr_event)gt_value(t, path, port)->as.event;
}

const char *gt_effects(gt *t)
{
    mt_buf out = {0};
    for (uint32_t i = 0; i < t->episode->effect_count; i++) {
        gr_effect_json(&out, &t->episode->effects[i]);
    }
    const char *text = mt_str_dup(&t->arena, mt_buf_str(&out)).ptr;
    mt_buf_free(&out);
    return text;
}

bool gt_has_code(gt *t, const char *code)
{
    for (size_t i = 0; i < t->ds.len; i++) {
        if (t->ds.items[i].severity == MT_ERROR && !strcmp(t->ds.items[i].code, code)) {
            return true;
        }
    }
    return false;
}

const char *gt_codes(gt *t)
{
    mt_buf out = {0};
    for (size_t i = 0; i < t->ds.len; i++) {
        const char *code = t->ds.items[i].code;
        bool again = false;
        for (size_t k = 0; k < i; k++) {
            again = again || !strcmp(t->ds.items[k].code, code);
        }
        if (!again && t->ds.items[i].severity == MT_ERROR) {
            mt_buf_addf(&out, "%s%s", out.len ? " " : "", code);
        }
    }
    const char *text = mt_str_dup(&t->arena, mt_buf_str(&out)).ptr;
    mt_buf_free(&out);
    return text;
}
