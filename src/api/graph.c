/* api/graph.c - the public API's graphs: primitives in C, loading, episodes.
 *
 * Primitives are registered with a manifest and a function; the kernel calls it
 * through a trampoline with a motet_call that shows inputs, parameters and context,
 * and takes outputs, which are copied at once. Loading checks everything and keeps its
 * messages; a graph that was refused has no episode.
 *
 * An episode holds the context values set so far (copies, one allocation per key,
 * freed when replaced) and runs pass after pass. Values that are handed out are valid
 * until the next pass. Indexes out of range are answered with nothing rather than
 * trusted. */
#include <stdlib.h>

#include "graph/adapter.h"
#include "graph/execute.h"
#include "motet.h"

_Static_assert((int)MOTET_EVENT == (int)GR_EVENT, "types follow gr_type");
_Static_assert((int)MOTET_SKIPPED == (int)GR_SKIPPED, "events follow gr_event");

/* What a primitive was registered with; handed to the kernel as its user data. */
typedef struct registered {
    motet_primitive run;
    void *user;
} registered;

struct motet_primitives {
    gr_registry *registry;
    mt_arena arena; /* diagnostics and `registered` */
    mt_diags ds;
    mt_str message; /* what motet_primitives_message() handed out last */
};

struct motet_graph {
    gr_graph *graph;     /* NULL: it was refused */
    gr_adapter *adapter; /* NULL: none was given */
    mt_arena arena;
    const motet_str *messages; /* made at loading, in `arena` */
    size_t message_count;
};

struct motet_episode {
    gr_episode *episode;
    bool unadapted;    /* the graph needs an adapter (§6.3) and had none */
    gr_value *context; /* one per context key of the graph; GR_NONE: not set */
    void **owned;      /* per key: the copy its value points to */
    mt_buf text;
};

/* What a primitive gets to see, on the stack of the trampoline: it is void after the
 * call. */
struct motet_call {
    gr_call *call;
    const gr_manifest *manifest;
};

static motet_str out_str(mt_str s)
{
    return (motet_str){s.ptr ? s.ptr : "", s.len};
}

static mt_str in_str(motet_str s)
{
    return mt_str_from(s.ptr, s.len);
}

/* ---- values ---- */

/* Members that do not belong to the type are zero, so a caller that asks for the wrong
 * one gets nothing and never a stray pointer. */
static motet_value out_value(const gr_value *v)
{
    motet_value out = {.type = (motet_type)v->type};
    switch ((gr_type)v->type) {
    case GR_NUMBER: out.number = v->as.number; break;
    case GR_BOOL: out.boolean = v->as.boolean != 0; break;
    case GR_EVENT: out.event = (motet_event)v->as.event; break;
    case GR_SERIES:
        out.series = v->as.series;
        out.len = v->len;
        break;
    case GR_STRING:
        out.text = v->as.text;
        out.len = v->len;
        break;
    case GR_NONE: break;
    }
    return out;
}

/* Borrows what `v` points to. A length no graph can hold becomes nothing. */
static gr_value in_value(motet_value v)
{
    if (v.len > UINT32_MAX) {
        return (gr_value){.type = GR_NONE};
    }
    switch (v.type) {
    case MOTET_NUMBER: return gr_number(v.number);
    case MOTET_BOOL: return gr_bool(v.boolean);
    case MOTET_EVENT: return gr_event_value((gr_event)v.event);
    case MOTET_SERIES: return gr_series(v.series, v.len);
    case MOTET_STRING: return gr_string(mt_str_from(v.text, v.len));
    case MOTET_NONE: break;
    }
    return (gr_value){.type = GR_NONE};
}

/* ---- primitives ---- */

/* The index comes from the embedder's code. */
static motet_value value_at(const gr_value *values, size_t count, size_t index)
{
    return index < count ? out_value(&values[index])
                         : (motet_value){.type = MOTET_NONE};
}

motet_value motet_call_input(const motet_call *call, size_t index)
{
    return value_at(call->call->inputs, call->manifest->input_count, index);
}

motet_value motet_call_param(const motet_call *call, size_t index)
{
    return value_at(call->call->params, call->manifest->param_count, index);
}

motet_value motet_call_context(const motet_call *call, size_t index)
{
    return value_at(call->call->context, call->manifest->need_count, index);
}

/* Copied into the pass's arena, so the primitive may give a buffer of its own stack.
 * The kernel checks type and finiteness after the call. */
void motet_call_output(motet_call *call, size_t index, motet_value value)
{
    if (index < call->manifest->output_count) {
        call->call->outputs[index] = gr_value_dup(call->call->arena, in_value(value));
    }
}

void motet_call_error(motet_call *call, const char *text)
{
    call->call->error = text;
}

/* One function for all primitives of the embedder; which one is meant is in `user`. */
static bool trampoline(void *user, gr_call *call)
{
    const registered *r = user;
    motet_call public = {call, call->manifest};
    return r->run(r->user, &public);
}

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
        mt_arena_free(&p->arena);
        free(p);
    }
}

/* Without a function the manifest has to say itself what the primitive does; whether it
 * does is checked by the registry. */
motet_status motet_primitives_add(motet_primitives *p, motet_str manifest,
                                  motet_primitive run, void *user)
{
    registered *r = NULL;
    if (run) {
        r = mt_new(&p->arena, registered);
        *r = (registered){run, user};
    }
    return (motet_status)gr_registry_add(p->registry, MT_STR("manifest"),
                                         in_str(manifest), run ? trampoline : NULL, r,
                                         &p->ds);
}

static mt_str message_text(mt_arena *a, const mt_diag *d)
{
    return mt_strf(a, "%.*s:%u:%u: %s: %.*s (%.*s)", MT_ARG(d->file), d->line,
                   d->column, d->code, MT_ARG(d->message), MT_ARG(d->hint));
}

/* Made anew on each call, since diagnostics may be added at any time. */
motet_str motet_primitives_message(motet_primitives *p, size_t index)
{
    if (index >= p->ds.len) {
        return (motet_str){"", 0};
    }
    p->message = message_text(&p->arena, &p->ds.items[index]);
    return out_str(p->message);
}

/* ---- graphs ---- */

static void keep_messages(motet_graph *g, const mt_diags *ds)
{
    motet_str *messages = mt_new_array(&g->arena, motet_str, ds->len);
    for (size_t i = 0; i < ds->len; i++) {
        messages[i] = out_str(message_text(&g->arena, &ds->items[i]));
    }
    g->messages = messages;
    g->message_count = ds->len;
}

/* All violations are kept, not only the first: graph documents are often made by
 * programs, whose authors want the whole list. */
motet_status motet_graph_load(const motet_primitives *p, motet_str text,
                              const char *name, motet_graph **out)
{
    motet_graph *g = mt_xmalloc(sizeof *g);
    *g = (motet_graph){0};
    mt_diags ds = {.arena = &g->arena};
    gr_text root = {mt_str_z(name), in_str(text)};
    mt_err err = gr_graph_load(p->registry, root, NULL, NULL, &ds, &g->graph);
    keep_messages(g, &ds);
    *out = g;
    return (motet_status)err;
}

motet_status motet_graph_adapt(motet_graph *g, motet_str text, const char *name)
{
    mt_diags ds = {.arena = &g->arena};
    gr_text file = {mt_str_z(name), in_str(text)};
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
    return index < g->message_count ? g->messages[index] : (motet_str){"", 0};
}

/* Empty for a graph that was refused: it has no identity. */
motet_str motet_graph_identity(const motet_graph *g)
{
    return g->graph ? out_str(g->graph->provenance) : (motet_str){"", 0};
}

/* ---- episodes ---- */

/* An all-zero gr_value is GR_NONE, so every key starts as not set. */
motet_episode *motet_episode_new(const motet_graph *g)
{
    if (!g->graph) {
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
    int i = gr_graph_key(e->episode->graph, mt_str_z(key));
    gr_value v = in_value(value);
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
    if (e->unadapted) {
        return MOTET_E_REJECTED;
    }
    return gr_run(e->episode, e->context, in_str(event_id)) ? MOTET_E_REJECTED
                                                            : MOTET_OK;
}

/* Nodes run in the order of their indices, so `ran` tells whether this one was reached
 * in the last pass; a slot behind it may hold the value of an earlier pass. */
motet_value motet_episode_value(const motet_episode *e, const char *node,
                                const char *port)
{
    const gr_graph *g = e->episode->graph;
    int n = gr_graph_node(g, mt_str_z(node));
    int o =
        n < 0 ? -1 : gr_output_index(&g->nodes[n].primitive->manifest, mt_str_z(port));
    if (o < 0 || (uint32_t)n >= e->episode->ran) {
        return (motet_value){.type = MOTET_NONE};
    }
    return out_value(&e->episode->slots[g->nodes[n].slot + (uint32_t)o]);
}

motet_str motet_episode_effects(motet_episode *e)
{
    mt_buf_clear(&e->text);
    mt_buf_addc(&e->text, '[');
    for (uint32_t i = 0; i < e->episode->effect_count; i++) {
        mt_buf_addz(&e->text, i ? "," : "");
        gr_effect_json(&e->text, &e->episode->effects[i]);
    }
    mt_buf_addc(&e->text, ']');
    return out_str(mt_buf_str(&e->text));
}

/* Shares its buffer with motet_episode_effects(): a pass has effects or a fault. */
motet_str motet_episode_fault(motet_episode *e)
{
    mt_arena scratch = {0};
    mt_str text = e->unadapted
                      ? MT_STR("adapter.required_for_graph: this graph reads required "
                               "context keys or has effects, so it needs an adapter; "
                               "give it one with motet_graph_adapt()")
                      : gr_fault_text(&scratch, e->episode);
    mt_buf_clear(&e->text);
    mt_buf_adds(&e->text, text);
    mt_arena_free(&scratch);
    return out_str(mt_buf_str(&e->text));
}
