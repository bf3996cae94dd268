/* exec/graphs.c - graphs that are served.
 * Room: exec. Only the committer's thread runs events; everybody may read. */
#include "exec/executor_internal.h"
#include "exec/machine.h"
#include "exec/voices.h"

mt_err ex_graphs_open(ex_executor *x, mt_buf *why)
{
    const mt_json *all = mt_json_at(x->settings, "graphs");
    for (uint32_t i = 0; mt_json_is(all, MT_JSON_OBJECT) && i < all->count; i++) {
        const mt_json_member *m = &all->as.members[i];
        ho_graph_service *g = NULL;
        mt_buf reason = {0};
        mt_err err = ho_graph_service_open(m->key, &m->value, &x->limits,
                                           &x->outside.gate, &g, &reason);
        if (!err && (err = ho_graph_service_prepare(g, x->store, ex_now(x)))) {
            mt_buf_addf(&reason, "its events in the store cannot be read: %s",
                        mt_err_text(err));
            ho_graph_service_close(g);
        }
        if (err) {
            mt_buf_addf(why, "graph '%.*s': %.*s", MT_ARG(m->key), MT_ARG(reason));
        } else {
            mt_vec_push(&x->arena, &x->graphs, g);
        }
        mt_buf_free(&reason);
        if (err) {
            return err;
        }
    }
    return MT_OK;
}

void ex_graphs_close(ex_executor *x)
{
    for (size_t i = 0; i < x->graphs.len; i++) {
        ho_graph_service_close(x->graphs.items[i]);
    }
    x->graphs.len = 0;
}

ho_graph_service *ex_graph_named(ex_executor *x, mt_str name)
{
    for (size_t i = 0; i < x->graphs.len; i++) {
        if (mt_str_eq(ho_graph_service_name(x->graphs.items[i]), name)) {
            return x->graphs.items[i];
        }
    }
    return NULL;
}
