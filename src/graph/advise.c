/* graph/advise.c - keys that are legal and hardly meant.
 * Room: graph. A Source gives a default where its key is missing, and the host hands a
 * stored key to an episode only if the event's schema has it (§6.3). So a misspelt key
 * is a constant, and memory that a schema leaves out is forgotten, both in silence.
 * `motet graph check --adapter` says so; nothing is refused. */
#include "base/nearest.h"
#include "graph/adapter_check.h"

typedef struct adviser {
    const gr_adapter *ad;
    const gr_graph *g;
    const gr_node *node;
    gr_subject subject;
} adviser;

/* How many event kinds let the key through; *without: the first that does not. */
static uint32_t kinds_with(const gr_adapter *ad, mt_str key, mt_str *without)
{
    uint32_t with = 0;
    *without = MT_STR("");
    for (uint32_t i = 0; i < ad->event_count; i++) {
        if (gr_adapter_event_allows(&ad->events[i], key)) {
            with++;
        } else if (!without->len) {
            *without = ad->events[i].name;
        }
    }
    return with;
}

/* What the author may have meant: a key or a property of an event. */
static mt_str meant(const adviser *v, mt_str key)
{
    mt_nearest n = mt_nearest_to(key);
    for (uint32_t i = 0; i < v->ad->key_count; i++) {
        mt_nearest_offer(&n, v->ad->keys[i].name);
    }
    for (uint32_t i = 0; i < v->ad->window_count; i++) {
        mt_nearest_offer(&n, v->ad->windows[i].name);
    }
    for (uint32_t i = 0; i < v->ad->event_count; i++) {
        const mt_json *p = mt_json_at(v->ad->events[i].source, "properties");
        for (uint32_t k = 0; mt_json_is(p, MT_JSON_OBJECT) && k < p->count; k++) {
            mt_nearest_offer(&n, p->as.members[k].key);
        }
    }
    return n.best;
}

static bool is_written(const gr_graph *g, mt_str key)
{
    for (uint32_t i = 0; i < g->written_count; i++) {
        if (mt_str_eq(g->written[i].name, key)) {
            return true;
        }
    }
    return false;
}

#define ADVISE(v, fix, ...)                                                            \
    gr_warn(&(v)->subject, "advice.key", (v)->node->at, MT_STR("$.nodes"), (fix),      \
            __VA_ARGS__)

static void advise_read(const adviser *v, mt_str key)
{
    mt_str without;
    uint32_t with = kinds_with(v->ad, key, &without);
    bool declared = gr_adapter_key(v->ad, key) != NULL;
    mt_str near = declared || with ? MT_STR("") : meant(v, key);
    if (!with && !declared) {
        ADVISE(
            v, "correct the name, or add it to an event's schema",
            "node \"%.*s\" reads \"%.*s\", which no event and no context key has: it "
            "is always the default%s%.*s%s",
            MT_ARG(v->node->path), MT_ARG(key), near.len ? "; did you mean \"" : "",
            MT_ARG(near), near.len ? "\"?" : "");
    } else if (!with) {
        ADVISE(v, "add it to the events' schemas, as an optional property",
               "node \"%.*s\" reads context key \"%.*s\", which no event's schema has: "
               "it is always the default",
               MT_ARG(v->node->path), MT_ARG(key));
    } else if (without.len && is_written(v->g, key)) {
        ADVISE(v, "add it to that event's schema, as an optional property",
               "node \"%.*s\" reads \"%.*s\", which the graph writes; at an event "
               "\"%.*s\", whose schema does not have it, it is the default",
               MT_ARG(v->node->path), MT_ARG(key), MT_ARG(without));
    }
}

/* A stored value becomes part of the payload: where an event's schema has another type
 * for it, the event is refused from the first write on. */
static void advise_types(const adviser *v, mt_str key, const gr_context_key *declared)
{
    for (uint32_t i = 0; i < v->ad->event_count; i++) {
        const gr_adapter_schema *e = &v->ad->events[i];
        const mt_json *p = mt_json_get(mt_json_at(e->source, "properties"), key);
        if (p && gr_schema_type(p, false) != declared->type) {
            ADVISE(v, "give both the same type",
                   "node \"%.*s\" writes \"%.*s\" as %s, which the schema of event "
                   "\"%.*s\" does not let through: after that it is refused",
                   MT_ARG(v->node->path), MT_ARG(key), gr_type_name(declared->type),
                   MT_ARG(e->name));
        }
    }
}

static void advise_written(const adviser *v, mt_str key)
{
    mt_str without;
    const gr_context_key *declared = gr_adapter_key(v->ad, key);
    if (declared) {
        advise_types(v, key, declared);
    }
    if (declared && !kinds_with(v->ad, key, &without)) {
        ADVISE(v, "add it to the events' schemas, as an optional property",
               "node \"%.*s\" writes \"%.*s\", which no event's schema has: no episode "
               "can read it",
               MT_ARG(v->node->path), MT_ARG(key));
    }
}

/* Derived keys are the engine's own: they need no declaration. */
static void advise_writes(const adviser *v, const gr_write *writes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        bool derived;
        mt_str key = gr_node_key(v->node, writes[i].name, &derived);
        if (!derived && key.len) {
            advise_written(v, key);
        }
    }
}

static void advise_node(const adviser *v)
{
    const gr_manifest *m = &v->node->primitive->manifest;
    for (uint32_t i = 0; i < m->need_count; i++) {
        bool derived;
        mt_str key = gr_node_key(v->node, m->needs[i].name, &derived);
        /* A key that is required and not declared is refused (COMP-1). */
        if (!derived && key.len && key.ptr[0] != '$' &&
            !gr_adapter_window(v->ad, key) &&
            !(m->needs[i].required && !gr_adapter_key(v->ad, key))) {
            advise_read(v, key);
        }
    }
    advise_writes(v, m->writes, m->write_count);
    for (uint32_t i = 0; i < m->intent_count; i++) {
        advise_writes(v, m->intents[i].mirrors, m->intents[i].mirror_count);
    }
}

void gr_adapter_advise(const gr_adapter *a, const gr_graph *g, mt_diags *ds)
{
    for (uint32_t i = 0; i < g->node_count; i++) {
        const gr_node *n = &g->nodes[i];
        adviser v = {a, g, n, {ds, n->source.file, n->source.text, "cluster", g->id}};
        advise_node(&v);
    }
}
