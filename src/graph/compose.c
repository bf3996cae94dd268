/* graph/compose.c - can this graph run under this adapter? COMP-*, before anything
 * runs.
 *
 * For every node: each context key it needs must be declared by the adapter with the
 * same type, each key it writes must be writable, each intent accepted with a payload
 * schema that describes its fields. Keys that the engine derives itself (memory of
 * clusters) need no declaration.
 *
 * A schema that combines others cannot be judged field by field and is refused. All
 * clashes are reported, each at the node and with what to do; MT_E_REJECTED if there
 * was one. */
#include "graph/adapter_check.h"

typedef struct composer {
    const gr_adapter *ad;
    const gr_node *node;
    gr_subject subject;
    bool ok;
} composer;

#define CLASH(c, rule, path, fix, ...)                                                 \
    ((c)->ok = gr_report(&(c)->subject, (rule), (c)->node ? (c)->node->at : 0,         \
                         MT_STR(path), (fix), __VA_ARGS__))

/* An optional key may be missing; if it is there its type counts. */
static void check_need(composer *c, const gr_need *need)
{
    bool derived;
    mt_str name = gr_node_key(c->node, need->name, &derived);
    const gr_context_key *k = gr_adapter_key(c->ad, name);
    const gr_window_decl *w = gr_adapter_window(c->ad, name);
    if (!name.len) {
        return;
    }
    if (w && gr_take_type(w->take) != need->type) {
        CLASH(c, "COMP-2", "$.windows", "make both the same type",
              "node \"%.*s\" reads \"%.*s\" as %s, the window is %s",
              MT_ARG(c->node->path), MT_ARG(name), gr_type_name(need->type),
              gr_type_name(gr_take_type(w->take)));
    }
    if (!k && !w && need->required && !derived) {
        CLASH(c, "COMP-1", "$.context_keys", "declare the key in the adapter",
              "node \"%.*s\" requires context key \"%.*s\", which the adapter lacks",
              MT_ARG(c->node->path), MT_ARG(name));
    }
    if (k && k->type != need->type) {
        CLASH(c, "COMP-2", "$.context_keys", "make both the same type",
              "node \"%.*s\" reads \"%.*s\" as %s, the adapter declares %s",
              MT_ARG(c->node->path), MT_ARG(name), gr_type_name(need->type),
              gr_type_name(k->type));
    }
}

/* A derived key is the engine's own and need not be declared. */
static void check_write(composer *c, const gr_write *w)
{
    bool derived;
    mt_str name = gr_node_key(c->node, w->name, &derived);
    const gr_context_key *k = gr_adapter_key(c->ad, name);
    if (!k) {
        if (!derived && name.len) {
            CLASH(c, "COMP-11", "$.context_keys", "declare the key in the adapter",
                  "node \"%.*s\" writes \"%.*s\", which the adapter does not declare",
                  MT_ARG(c->node->path), MT_ARG(name));
        }
        return;
    }
    if (!k->writable) {
        CLASH(c, "COMP-12", "$.context_keys", "say writable: true",
              "node \"%.*s\" writes \"%.*s\", which is not writable",
              MT_ARG(c->node->path), MT_ARG(name));
    }
    if (k->type != w->type) {
        CLASH(c, "COMP-13", "$.context_keys", "make both the same type",
              "node \"%.*s\" writes \"%.*s\" as %s, the adapter declares %s",
              MT_ARG(c->node->path), MT_ARG(name), gr_type_name(w->type),
              gr_type_name(k->type));
    }
}

static const gr_field *field_named(const gr_intent_decl *i, mt_str name)
{
    for (uint32_t k = 0; k < i->field_count; k++) {
        if (mt_str_eq(i->fields[k].name, name)) {
            return &i->fields[k];
        }
    }
    return NULL;
}

/* NULL: it describes the intent. What it requires must be there, and types must agree.
 */
static const char *schema_misfit(const mt_json *schema, const gr_intent_decl *intent)
{
    static const char *const BANNED[] = {"$ref", "oneOf", "anyOf", "allOf",
                                         "not",  "if",    "then",  "else"};
    const mt_json *properties = mt_json_at(schema, "properties");
    const mt_json *required = mt_json_at(schema, "required");
    const mt_json *type = mt_json_at(schema, "type");
    for (size_t i = 0; i < sizeof BANNED / sizeof *BANNED; i++) {
        if (mt_json_get(schema, mt_str_z(BANNED[i]))) {
            return "combines schemas";
        }
    }
    if (!mt_str_is(mt_json_text(type), "object") ||
        !mt_json_is(properties, MT_JSON_OBJECT)) {
        return "is not an object with properties";
    }
    for (uint32_t i = 0; required && i < required->count; i++) {
        if (!field_named(intent, mt_json_text(&required->as.items[i]))) {
            return "requires a field the intent does not have";
        }
    }
    for (uint32_t i = 0; i < intent->field_count; i++) {
        const mt_json *p = mt_json_get(properties, intent->fields[i].name);
        if (!p || gr_schema_type(p, true) != intent->fields[i].type) {
            return "has no property of the type of each field";
        }
    }
    return NULL;
}

/* Its mirrors are writes like others. */
static void check_intent(composer *c, const gr_intent_decl *intent)
{
    const gr_adapter_schema *e = gr_adapter_effect(c->ad, intent->name);
    for (uint32_t i = 0; i < intent->mirror_count; i++) {
        check_write(c, &intent->mirrors[i]);
    }
    if (!e) {
        CLASH(c, "COMP-17", "$.accepts.effects", "accept the effect in the adapter",
              "node \"%.*s\" intends \"%.*s\", which the adapter does not accept",
              MT_ARG(c->node->path), MT_ARG(intent->name));
    } else if (!e->source) {
        CLASH(c, "COMP-18", "$.accepts.effects", "give the effect a payload_schema",
              "effect \"%.*s\" has no payload schema", MT_ARG(intent->name));
    } else {
        const char *why = schema_misfit(e->source, intent);
        if (why) {
            CLASH(
                c, "COMP-19", "$.accepts.effects",
                "describe each field of the intent as number, boolean, string or array "
                "of number",
                "the schema of \"%.*s\" %s", MT_ARG(intent->name), why);
        }
    }
}

/* Mirrors are writes too: they need set_context as well. */
static bool writes_anything(const gr_manifest *m)
{
    bool any = m->write_count > 0;
    for (uint32_t i = 0; i < m->intent_count; i++) {
        any = any || m->intents[i].mirror_count > 0;
    }
    return any;
}

/* Needs, writes, intents: each clash is reported by itself. */
static void check_node(composer *c)
{
    const gr_manifest *m = &c->node->primitive->manifest;
    for (uint32_t i = 0; i < m->need_count; i++) {
        check_need(c, &m->needs[i]);
    }
    for (uint32_t i = 0; i < m->write_count; i++) {
        check_write(c, &m->writes[i]);
    }
    for (uint32_t i = 0; i < m->intent_count; i++) {
        check_intent(c, &m->intents[i]);
    }
    if (writes_anything(m) && !gr_adapter_effect(c->ad, MT_STR("set_context"))) {
        CLASH(c, "COMP-14", "$.accepts.effects", "accept the effect set_context",
              "node \"%.*s\" writes context, but set_context is not accepted",
              MT_ARG(c->node->path));
    }
}

/* Can this adapter feed this graph? All clashes are reported, each with the file of the
 * node it concerns (§6.3, checked before a run). */
mt_err gr_adapter_compose(const gr_adapter *a, const gr_graph *g, mt_diags *ds)
{
    composer c = {
        .ad = a, .subject = {ds, a->file, a->text, "adapter", a->id}, .ok = true};
    if (!mt_str_is(a->capture_format, "1")) {
        CLASH(&c, "COMP-3", "$.capture.format_version", "write format_version: \"1\"",
              "capture format \"%.*s\" is not supported", MT_ARG(a->capture_format));
    }
    for (uint32_t i = 0; i < g->node_count; i++) {
        c.node = &g->nodes[i];
        c.subject.file = c.node->source.file;
        c.subject.text = c.node->source.text;
        check_node(&c);
    }
    return c.ok ? MT_OK : MT_E_REJECTED;
}

/* As a node whose parameters all have their defaults. */
mt_err gr_adapter_compose_primitive(const gr_adapter *a, const gr_primitive *p,
                                    mt_diags *ds)
{
    const gr_manifest *m = &p->manifest;
    mt_arena scratch = {0};
    gr_literal *params = mt_new_array(&scratch, gr_literal, m->param_count);
    for (uint32_t i = 0; i < m->param_count; i++) {
        params[i] = m->params[i].initial;
    }
    gr_node node = {.path = m->id,
                    .name = m->id,
                    .primitive = p,
                    .params = params,
                    .source = {m->file, m->text}};
    gr_graph one = {.nodes = &node, .node_count = 1};
    mt_err err = gr_adapter_compose(a, &one, ds);
    mt_arena_free(&scratch);
    return err;
}
