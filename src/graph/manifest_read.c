/* The file form of a manifest: shape only; the rules are manifest_check.c's. */
#include "base/limits.h"
#include "base/vec.h"
#include "graph/manifest.h"
#include "graph/report.h"

static const char SHAPE[] = "manifest.decode";

typedef struct reader {
    mt_arena *arena;
    gr_subject subject;
    bool ok;
} reader;

static void wrong(reader *r, const mt_json *node, const char *path,
                  const char *expected)
{
    r->ok = gr_report_shape(&r->subject, SHAPE, node, path,
                            "see docs/graphs.md for the form of a manifest", expected);
}

static mt_str text_at(reader *r, const mt_json *object, mt_str key, const char *path)
{
    const mt_json *node = mt_json_get(object, key);
    if (!node) {
        return MT_STR("");
    }
    if (!mt_json_is(node, MT_JSON_STRING)) {
        wrong(r, node, path, "a string");
        return MT_STR("");
    }
    return mt_json_text(node);
}

static bool flag_at(reader *r, const mt_json *object, mt_str key, bool otherwise,
                    const char *path)
{
    const mt_json *node = mt_json_get(object, key);
    if (!node) {
        return otherwise;
    }
    if (!mt_json_is(node, MT_JSON_BOOL)) {
        wrong(r, node, path, "true or false");
        return otherwise;
    }
    return node->boolean;
}

/* The list at `key`; NULL (and *count 0) when absent. */
static const mt_json *list_at(reader *r, const mt_json *object, mt_str key,
                              const char *path, uint32_t *count)
{
    const mt_json *node = mt_json_get(object, key);
    *count = 0;
    if (!node || node->type == MT_JSON_NULL) {
        return NULL;
    }
    if (!mt_json_is(node, MT_JSON_ARRAY)) {
        wrong(r, node, path, "a list");
        return NULL;
    }
    if (node->count > MT_LIMITS_DEFAULT.graph_ports) {
        r->ok =
            gr_report(&r->subject, "LIMIT", node->offset, mt_str_z(path),
                      "split the primitive", "more entries than graph_ports allows");
        return NULL;
    }
    for (uint32_t i = 0; i < node->count; i++) {
        if (!mt_json_is(&node->as.items[i], MT_JSON_OBJECT)) {
            wrong(r, &node->as.items[i], path, "a mapping");
            return NULL;
        }
    }
    *count = node->count;
    return node->as.items;
}

#define TEXT(object, key, path) text_at(r, (object), MT_STR(key), path)
#define FLAG(object, key, otherwise, path)                                             \
    flag_at(r, (object), MT_STR(key), otherwise, path)

static bool is_multiple(mt_str cardinality)
{
    return cardinality.len && !mt_str_is(cardinality, "single") &&
           !mt_str_is(cardinality, "Single");
}

static const gr_port *ports(reader *r, const mt_json *root, mt_str key,
                            const char *path, uint32_t *count)
{
    const mt_json *items = list_at(r, root, key, path, count);
    gr_port *out = mt_new_array(r->arena, gr_port, *count);
    for (uint32_t i = 0; i < *count; i++) {
        out[i] =
            (gr_port){.name = TEXT(&items[i], "name", path),
                      .type = gr_type_of(TEXT(&items[i], "type", path)),
                      .required = FLAG(&items[i], "required", true, path),
                      .multiple = is_multiple(TEXT(&items[i], "cardinality", path)),
                      .from = TEXT(&items[i], "from", path),
                      .at = items[i].offset};
    }
    return out;
}

static gr_literal initial_value(reader *r, const mt_json *node, gr_param_type type)
{
    gr_literal raw, cast;
    if (!node || node->type == MT_JSON_NULL) {
        return (gr_literal){.type = GR_P_NONE};
    }
    mt_err err = gr_literal_from_json(node, &raw);
    if (err == MT_E_RANGE) {
        r->ok = gr_report(&r->subject, "NUM-FINITE-1", node->offset,
                          MT_STR("$.parameters"), "write a number a double can hold",
                          "the default is not a finite number");
    } else if (err) {
        wrong(r, node, "$.parameters", "a number, boolean or string");
    }
    /* A default of the wrong type stays as it is for SRC-15 and its sisters. */
    return gr_literal_cast(&raw, type, &cast) == MT_OK ? cast : raw;
}

static const gr_param *params(reader *r, const mt_json *root, gr_kind kind,
                              uint32_t *count)
{
    const char *path = "$.parameters";
    const mt_json *items = list_at(r, root, MT_STR("parameters"), path, count);
    gr_param *out = mt_new_array(r->arena, gr_param, *count);
    for (uint32_t i = 0; i < *count; i++) {
        gr_param p = {.name = TEXT(&items[i], "name", path),
                      .type = gr_param_type_of(TEXT(&items[i], "type", path)),
                      .bounds = TEXT(&items[i], "bounds", path),
                      .at = items[i].offset};
        /* In Compute files int is another word for number. */
        if (kind == GR_COMPUTE && p.type == GR_P_INT) {
            p.type = GR_P_NUMBER;
        }
        p.initial = initial_value(r, mt_json_at(&items[i], "default"), p.type);
        bool has_default = p.initial.type != GR_P_NONE;
        p.required = kind == GR_SOURCE
                         ? !has_default
                         : FLAG(&items[i], "required", !has_default, path);
        out[i] = p;
    }
    return out;
}

static void needs(reader *r, const mt_json *root, gr_manifest *m)
{
    const char *path = "$.requires.context";
    const mt_json *items = list_at(r, mt_json_at(root, "requires"), MT_STR("context"),
                                   path, &m->need_count);
    gr_need *out = mt_new_array(r->arena, gr_need, m->need_count);
    for (uint32_t i = 0; i < m->need_count; i++) {
        out[i] = (gr_need){.name = TEXT(&items[i], "name", path),
                           .type = gr_type_of(TEXT(&items[i], "type", path)),
                           .required = FLAG(&items[i], "required", true, path),
                           .at = items[i].offset};
    }
    m->needs = out;
}

static const gr_write *writes(reader *r, const mt_json *object, mt_str key, mt_str from,
                              const char *path, uint32_t *count)
{
    const mt_json *items = list_at(r, object, key, path, count);
    gr_write *out = mt_new_array(r->arena, gr_write, *count);
    for (uint32_t i = 0; i < *count; i++) {
        out[i] = (gr_write){.name = TEXT(&items[i], "name", path),
                            .type = gr_type_of(TEXT(&items[i], "type", path)),
                            .from = text_at(r, &items[i], from, path),
                            .at = items[i].offset};
    }
    return out;
}

static const gr_field *fields(reader *r, const mt_json *intent, uint32_t *count)
{
    const char *path = "$.effects.intents[].fields";
    const mt_json *items = list_at(r, intent, MT_STR("fields"), path, count);
    gr_field *out = mt_new_array(r->arena, gr_field, *count);
    for (uint32_t i = 0; i < *count; i++) {
        out[i] = (gr_field){.name = TEXT(&items[i], "name", path),
                            .type = gr_type_of(TEXT(&items[i], "type", path)),
                            .from_input = TEXT(&items[i], "from_input", path),
                            .from_param = TEXT(&items[i], "from_param", path),
                            .at = items[i].offset};
    }
    return out;
}

static void effects(reader *r, const mt_json *root, gr_manifest *m)
{
    const mt_json *block = mt_json_at(root, "effects");
    m->writes = writes(r, block, MT_STR("writes"), MT_STR("from_input"),
                       "$.effects.writes", &m->write_count);
    const char *path = "$.effects.intents";
    const mt_json *items = list_at(r, block, MT_STR("intents"), path, &m->intent_count);
    gr_intent_decl *out = mt_new_array(r->arena, gr_intent_decl, m->intent_count);
    for (uint32_t i = 0; i < m->intent_count; i++) {
        out[i].name = TEXT(&items[i], "name", path);
        out[i].at = items[i].offset;
        out[i].fields = fields(r, &items[i], &out[i].field_count);
        out[i].mirrors =
            writes(r, &items[i], MT_STR("mirror_writes"), MT_STR("from_field"),
                   "$.effects.intents[].mirror_writes", &out[i].mirror_count);
    }
    m->intents = out;
}

/* The kind literal, exactly; another spelling of one is that kind's own rule. */
static bool kind_of(reader *r, const mt_json *root, gr_kind *out)
{
    static const struct {
        const char *name, *title, *rule;
    } KINDS[] = {{"source", "Source", "SRC-3"},
                 {"compute", "Compute", "CMP-3"},
                 {"trigger", "Trigger", "TRG-3"},
                 {"action", "Action", "ACT-3"}};
    mt_str kind = TEXT(root, "kind", "$.kind");
    const char *rule = "X.1";
    for (size_t i = 0; i < 4; i++) {
        if (mt_str_eq(kind, mt_str_z(KINDS[i].name))) {
            *out = (gr_kind)i;
            return true;
        }
        rule = mt_str_eq(kind, mt_str_z(KINDS[i].title)) ? KINDS[i].rule : rule;
    }
    const mt_json *node = mt_json_at(root, "kind");
    return r->ok =
               gr_report(&r->subject, rule, node ? node->offset : 0, MT_STR("$.kind"),
                         "write source, compute, trigger or action",
                         "unknown kind \"%.*s\"", MT_ARG(kind));
}

static void promises(reader *r, const mt_json *root, gr_manifest *m)
{
    const mt_json *run = mt_json_at(root, "execution");
    const mt_json *state = mt_json_at(root, "state");
    const mt_json *errors = mt_json_at(root, "errors");
    mt_str cadence = TEXT(run, "cadence", "$.execution.cadence");
    m->deterministic = FLAG(run, "deterministic", true, "$.execution.deterministic");
    m->continuous = !cadence.len || mt_str_is(cadence, "continuous");
    m->retryable = FLAG(run, "retryable", false, "$.execution.retryable");
    m->state_allowed = FLAG(state, "allowed", false, "$.state.allowed");
    m->state_resettable = FLAG(state, "resettable", false, "$.state.resettable");
    m->errors_allowed = FLAG(errors, "allowed", false, "$.errors.allowed");
    m->errors_deterministic =
        FLAG(errors, "deterministic", true, "$.errors.deterministic");
    m->side_effects =
        FLAG(root, "side_effects", m->kind == GR_ACTION, "$.side_effects");
}

static void outcome(reader *r, const mt_json *root, gr_manifest *m)
{
    mt_str name = TEXT(root, "outcome", "$.outcome");
    m->outcome = GR_ATTEMPTED;
    for (gr_event e = GR_ATTEMPTED; name.len && e <= GR_FAILED; e++) {
        if (mt_str_eq(name, mt_str_z(gr_event_name(e)))) {
            m->outcome = e;
            return;
        }
    }
    if (name.len) {
        wrong(r, mt_json_at(root, "outcome"), "$.outcome",
              "Attempted, Completed, Rejected, Cancelled or Failed");
    }
}

mt_err gr_manifest_from_json(mt_arena *a, mt_str file, mt_str text, const mt_json *root,
                             mt_diags *ds, gr_manifest *out)
{
    reader state = {a, {ds, file, text, "manifest", MT_STR("")}, true}, *r = &state;
    *out = (gr_manifest){.file = file, .text = text};
    if (!mt_json_is(root, MT_JSON_OBJECT)) {
        wrong(r, root, "$", "a mapping");
        return MT_E_REJECTED;
    }
    out->id = TEXT(root, "id", "$.id");
    r->subject.id = out->id;
    if (!kind_of(r, root, &out->kind)) {
        return MT_E_REJECTED;
    }
    r->subject.kind = gr_kind_name(out->kind);
    out->version = TEXT(root, "version", "$.version");
    out->summary = TEXT(root, "summary", "$.summary");
    out->expression = TEXT(root, "expression", "$.expression");
    out->body = TEXT(root, "cluster", "$.cluster");
    out->inputs = ports(r, root, MT_STR("inputs"), "$.inputs", &out->input_count);
    out->outputs = ports(r, root, MT_STR("outputs"), "$.outputs", &out->output_count);
    out->params = params(r, root, out->kind, &out->param_count);
    needs(r, root, out);
    effects(r, root, out);
    promises(r, root, out);
    outcome(r, root, out);
    bool holds = gr_manifest_check(out, ds);
    return r->ok && holds ? MT_OK : MT_E_REJECTED;
}

mt_err gr_manifest_read(mt_arena *a, mt_str file, mt_str text, mt_diags *ds,
                        gr_manifest *out)
{
    gr_subject subject = {ds, file, text, "manifest", MT_STR("")};
    mt_json root;
    if (!gr_read_tree(a, &subject, SHAPE, NULL, &root)) {
        return MT_E_REJECTED;
    }
    return gr_manifest_from_json(a, file, text, &root, ds, out);
}
