/* graph/adapter_check.c - the rules ADP-1 to ADP-19: is an adapter manifest one that
 * can be trusted to bound a graph? Room: graph. In this order: header, context keys,
 * events, capture, effects. All faults are reported, not only the first.
 *
 * Why schemas are restricted: an event's payload becomes context values key by key,
 * and an effect is judged by its fields. So objects must be closed, without
 * alternatives and without references to other documents; then the type of every field
 * is known without an event at hand. INVARIANT: the manifest is only read; what does
 * not hold is said with rule, place, and what to write instead. Nesting is bounded by
 * 100. */
#include "graph/adapter_check.h"

#include "graph/version.h"

typedef struct checker {
    const gr_adapter *ad;
    const gr_subject *s;
    bool ok;
} checker;

#define BREAK(c, rule, at, path, fix, ...)                                             \
    ((c)->ok = gr_report((c)->s, (rule), (at), MT_STR(path), (fix), __VA_ARGS__))

/* Id, version, and whether this program is new enough for it. */
static void check_header(checker *c)
{
    const gr_adapter *ad = c->ad;
    gr_version version, needed, runtime;
    gr_version_read(MT_STR(GR_RUNTIME_VERSION), &runtime);
    if (!gr_id_ok(ad->id)) {
        BREAK(c, "ADP-1", 0, "$.id",
              "use lower-case letters, digits and _, beginning with a letter",
              "id \"%.*s\" is not a valid id", MT_ARG(ad->id));
    }
    if (!gr_version_read(ad->version, &version)) {
        BREAK(c, "ADP-2", 0, "$.version", "write three numbers, like 1.0.0",
              "version \"%.*s\" is not a semantic version", MT_ARG(ad->version));
    }
    if (!gr_version_read(ad->runtime_compatibility, &needed) ||
        gr_version_cmp(&runtime, &needed) < 0) {
        BREAK(c, "ADP-3", 0, "$.runtime_compatibility",
              "name a runtime version up to " GR_RUNTIME_VERSION,
              "the adapter needs runtime \"%.*s\"", MT_ARG(ad->runtime_compatibility));
    }
    if (!ad->key_count && !ad->event_count) {
        BREAK(c, "ADP-4", 0, "$", "declare a context key or an event kind",
              "the adapter declares neither context keys nor event kinds");
    }
}

/* All keys are looked at, whatever is wrong with one. */
static void check_keys(checker *c)
{
    bool writable = false;
    for (uint32_t i = 0; i < c->ad->key_count; i++) {
        const gr_context_key *k = &c->ad->keys[i];
        writable = writable || k->writable;
        if (gr_adapter_key(c->ad, k->name) != k) {
            BREAK(c, "ADP-5", k->at, "$.context_keys", "declare every key once",
                  "key \"%.*s\" is declared twice", MT_ARG(k->name));
        }
        if (k->type == GR_NONE) {
            BREAK(c, "ADP-6", k->at, "$.context_keys",
                  "use Number, Series, Bool or String",
                  "key \"%.*s\" has no legal type", MT_ARG(k->name));
        }
        if (!k->has_writable) {
            BREAK(c, "ADP-11", k->at, "$.context_keys", "say writable: true or false",
                  "key \"%.*s\" does not say whether it is writable", MT_ARG(k->name));
        }
        if (k->writable && k->required) {
            BREAK(c, "ADP-17", k->at, "$.context_keys",
                  "make the key optional or not writable",
                  "key \"%.*s\" is writable and required", MT_ARG(k->name));
        }
    }
    if (writable && !gr_adapter_effect(c->ad, MT_STR("set_context"))) {
        BREAK(c, "ADP-14", 0, "$.accepts.effects", "accept the effect set_context",
              "there are writable keys, but set_context is not accepted");
    }
}

/* ---- schemas ---- */

static bool is_text(const mt_json *node, const char *text)
{
    return mt_json_is(node, MT_JSON_STRING) &&
           mt_str_eq(mt_json_text(node), mt_str_z(text));
}

/* Absent means open, as in JSON Schema. */
static bool closed(const mt_json *schema)
{
    const mt_json *more = mt_json_at(schema, "additionalProperties");
    return mt_json_is(more, MT_JSON_BOOL) && !more->boolean;
}

/* oneOf, anyOf, references out of the document and open objects, at any depth. NULL:
 * all is well. Enum and const hold values, not schemas. */
static const char *banned(const mt_json *node, int depth)
{
    if (depth > 100) {
        return "is nested too deeply";
    }
    if (mt_json_is(node, MT_JSON_ARRAY)) {
        for (uint32_t i = 0; i < node->count; i++) {
            const char *why = banned(&node->as.items[i], depth + 1);
            if (why) {
                return why;
            }
        }
    }
    if (!mt_json_is(node, MT_JSON_OBJECT)) {
        return NULL;
    }
    const mt_json *ref = mt_json_at(node, "$ref");
    if (mt_json_at(node, "oneOf") || mt_json_at(node, "anyOf")) {
        return "uses oneOf or anyOf";
    }
    if (mt_json_is(ref, MT_JSON_STRING) &&
        !mt_str_starts(mt_json_text(ref), MT_STR("#"))) {
        return "refers out of the document";
    }
    if ((mt_json_is(mt_json_at(node, "properties"), MT_JSON_OBJECT) ||
         is_text(mt_json_at(node, "type"), "object")) &&
        !closed(node)) {
        return "has an object without additionalProperties: false";
    }
    for (uint32_t i = 0; i < node->count; i++) {
        const mt_json_member *m = &node->as.members[i];
        /* Property names are not keywords: look at their schemas one by one. */
        bool names = mt_str_is(m->key, "properties") || mt_str_is(m->key, "$defs");
        for (uint32_t k = 0; names && k < m->value.count; k++) {
            const char *why = m->value.type == MT_JSON_OBJECT
                                  ? banned(&m->value.as.members[k].value, depth + 1)
                                  : NULL;
            if (why) {
                return why;
            }
        }
        const char *why =
            names || mt_str_is(m->key, "enum") || mt_str_is(m->key, "const")
                ? NULL
                : banned(&m->value, depth + 1);
        if (why) {
            return why;
        }
    }
    return NULL;
}

/* ---- keywords ---- */

/* What a member of a schema holds. */
typedef enum holding {
    HOLDS_VALUE,  /* anything else */
    HOLDS_SCHEMA, /* a schema, or a list of them */
    HOLDS_NAMED   /* schemas by name */
} holding;

/* JSON Schema 2020-12, as far as anybody may mean it. */
static const struct {
    const char *name;
    holding holds;
} KEYWORDS[] = {
    {"$anchor", HOLDS_VALUE},
    {"$comment", HOLDS_VALUE},
    {"$defs", HOLDS_NAMED},
    {"$dynamicAnchor", HOLDS_VALUE},
    {"$dynamicRef", HOLDS_VALUE},
    {"$id", HOLDS_VALUE},
    {"$ref", HOLDS_VALUE},
    {"$schema", HOLDS_VALUE},
    {"$vocabulary", HOLDS_VALUE},
    {"additionalProperties", HOLDS_SCHEMA},
    {"allOf", HOLDS_SCHEMA},
    {"anyOf", HOLDS_SCHEMA},
    {"const", HOLDS_VALUE},
    {"contains", HOLDS_SCHEMA},
    {"contentEncoding", HOLDS_VALUE},
    {"contentMediaType", HOLDS_VALUE},
    {"contentSchema", HOLDS_SCHEMA},
    {"default", HOLDS_VALUE},
    {"definitions", HOLDS_NAMED},
    {"dependentRequired", HOLDS_VALUE},
    {"dependentSchemas", HOLDS_NAMED},
    {"deprecated", HOLDS_VALUE},
    {"description", HOLDS_VALUE},
    {"else", HOLDS_SCHEMA},
    {"enum", HOLDS_VALUE},
    {"examples", HOLDS_VALUE},
    {"exclusiveMaximum", HOLDS_VALUE},
    {"exclusiveMinimum", HOLDS_VALUE},
    {"format", HOLDS_VALUE},
    {"if", HOLDS_SCHEMA},
    {"items", HOLDS_SCHEMA},
    {"maxContains", HOLDS_VALUE},
    {"maxItems", HOLDS_VALUE},
    {"maxLength", HOLDS_VALUE},
    {"maxProperties", HOLDS_VALUE},
    {"maximum", HOLDS_VALUE},
    {"minContains", HOLDS_VALUE},
    {"minItems", HOLDS_VALUE},
    {"minLength", HOLDS_VALUE},
    {"minProperties", HOLDS_VALUE},
    {"minimum", HOLDS_VALUE},
    {"multipleOf", HOLDS_VALUE},
    {"not", HOLDS_SCHEMA},
    {"oneOf", HOLDS_SCHEMA},
    {"pattern", HOLDS_VALUE},
    {"patternProperties", HOLDS_NAMED},
    {"prefixItems", HOLDS_SCHEMA},
    {"properties", HOLDS_NAMED},
    {"propertyNames", HOLDS_SCHEMA},
    {"readOnly", HOLDS_VALUE},
    {"required", HOLDS_VALUE},
    {"then", HOLDS_SCHEMA},
    {"title", HOLDS_VALUE},
    {"type", HOLDS_VALUE},
    {"unevaluatedItems", HOLDS_SCHEMA},
    {"unevaluatedProperties", HOLDS_SCHEMA},
    {"uniqueItems", HOLDS_VALUE},
    {"writeOnly", HOLDS_VALUE},
};

/* A word that is none is passed over by JSON Schema: a misspelt rule holds for nobody.
 * Words that begin with x- are somebody's own. */
static holding keyword(checker *c, const gr_adapter_schema *s, const mt_json_member *m)
{
    mt_nearest near = mt_nearest_to(m->key);
    for (size_t i = 0; i < sizeof KEYWORDS / sizeof *KEYWORDS; i++) {
        if (mt_str_eq(m->key, mt_str_z(KEYWORDS[i].name))) {
            return KEYWORDS[i].holds;
        }
        mt_nearest_offer(&near, mt_str_z(KEYWORDS[i].name));
    }
    if (!mt_str_starts(m->key, MT_STR("x-"))) {
        gr_warn(c->s, "adapter.decode", m->value.offset, MT_STR("$.payload_schema"),
                gr_meant(c->s, &near, "remove it or correct its name"),
                "`%.*s` is not a word of JSON Schema, in the schema of \"%.*s\"",
                MT_ARG(m->key), MT_ARG(s->name));
    }
    return HOLDS_VALUE;
}

/* Depth was judged before (banned()). */
static void check_keywords(checker *c, const gr_adapter_schema *s, const mt_json *node)
{
    for (uint32_t i = 0; mt_json_is(node, MT_JSON_ARRAY) && i < node->count; i++) {
        check_keywords(c, s, &node->as.items[i]);
    }
    for (uint32_t i = 0; mt_json_is(node, MT_JSON_OBJECT) && i < node->count; i++) {
        const mt_json_member *m = &node->as.members[i];
        holding holds = keyword(c, s, m);
        bool named = holds == HOLDS_NAMED && mt_json_is(&m->value, MT_JSON_OBJECT);
        if (holds == HOLDS_SCHEMA) {
            check_keywords(c, s, &m->value);
        }
        for (uint32_t k = 0; named && k < m->value.count; k++) {
            check_keywords(c, s, &m->value.as.members[k].value);
        }
    }
}

/* Only schemas that can be judged field by field: closed, without alternatives. */
static bool check_schema(checker *c, const gr_adapter_schema *s, const char *rule,
                         const char *path)
{
    const char *why = NULL;
    if (!s->source || !s->schema) {
        why = "is not a JSON Schema this adapter may use";
    } else {
        why = banned(s->source, 0);
    }
    if (s->source && !why) {
        check_keywords(c, s, s->source);
    }
    if (why) {
        c->ok =
            gr_report(c->s, rule, s->at, mt_str_z(path),
                      "use closed objects without oneOf, anyOf and outside references",
                      "the schema of \"%.*s\" %s", MT_ARG(s->name), why);
    }
    return !why;
}

/* Which context type a property of a schema stands for; GR_NONE: none. Strict: an
 * integer does not count as a number. */
gr_type gr_schema_type(const mt_json *property, bool strict)
{
    const mt_json *type = mt_json_at(property, "type");
    if (is_text(type, "number") || (!strict && is_text(type, "integer"))) {
        return GR_NUMBER;
    }
    if (is_text(type, "boolean")) {
        return GR_BOOL;
    }
    if (is_text(type, "string")) {
        return GR_STRING;
    }
    const mt_json *item = mt_json_at(mt_json_at(property, "items"), "type");
    bool numbers = is_text(item, "number") || (!strict && is_text(item, "integer"));
    return is_text(type, "array") && numbers ? GR_SERIES : GR_NONE;
}

/* ADP-19 and ADP-18: what an event carries must have a place in the context. */
static void check_event_shape(checker *c, const gr_adapter_schema *e)
{
    const mt_json *properties = mt_json_at(e->source, "properties");
    const mt_json *required = mt_json_at(e->source, "required");
    if (!is_text(mt_json_at(e->source, "type"), "object")) {
        BREAK(c, "ADP-19", e->at, "$.event_kinds", "say type: object",
              "the payload of \"%.*s\" is not an object", MT_ARG(e->name));
        return;
    }
    for (uint32_t i = 0; properties && i < properties->count; i++) {
        const mt_json_member *m = &properties->as.members[i];
        if (gr_schema_type(&m->value, false) == GR_NONE) {
            BREAK(c, "ADP-19", e->at, "$.event_kinds",
                  "use number, integer, boolean, string or an array of numbers",
                  "property \"%.*s\" of \"%.*s\" cannot become a context value",
                  MT_ARG(m->key), MT_ARG(e->name));
        }
    }
    for (uint32_t i = 0; required && i < required->count; i++) {
        mt_str name = mt_json_text(&required->as.items[i]);
        const gr_context_key *k = gr_adapter_key(c->ad, name);
        const mt_json *p = mt_json_get(properties, name);
        if (!k || !p || k->type != gr_schema_type(p, false)) {
            BREAK(
                c, "ADP-18", e->at, "$.event_kinds",
                "declare it as a context key of the same type",
                "required field \"%.*s\" of \"%.*s\" is not a context key of its type",
                MT_ARG(name), MT_ARG(e->name));
        }
    }
}

/* A lookup by name finds the first; an entry that is not the first of its name is the
 * repeated one. */
static void check_events(checker *c)
{
    for (uint32_t i = 0; i < c->ad->event_count; i++) {
        const gr_adapter_schema *e = &c->ad->events[i];
        if (gr_adapter_event(c->ad, e->name) != e) {
            BREAK(c, "ADP-7", e->at, "$.event_kinds", "declare every kind once",
                  "event kind \"%.*s\" is declared twice", MT_ARG(e->name));
        }
        if (check_schema(c, e, "ADP-8", "$.event_kinds")) {
            check_event_shape(c, e);
        }
    }
}

static void check_effects(checker *c)
{
    for (uint32_t i = 0; i < c->ad->effect_count; i++) {
        const gr_adapter_schema *e = &c->ad->effects[i];
        if (gr_adapter_effect(c->ad, e->name) != e) {
            BREAK(c, "ADP-12", e->at, "$.accepts.effects", "accept every effect once",
                  "effect \"%.*s\" is accepted twice", MT_ARG(e->name));
        }
        if (e->source) {
            check_schema(c, e, "ADP-13", "$.accepts.effects");
        }
    }
}

/* What is to be captured must be an event kind or one of the three meta fields. */
static void check_capture(checker *c)
{
    static const char *const META[] = {"meta.adapter_id", "meta.adapter_version",
                                       "meta.timestamp"};
    if (!c->ad->capture_format.len) {
        BREAK(c, "ADP-9", 0, "$.capture.format_version", "write format_version: \"1\"",
              "the capture format has no version");
    }
    for (uint32_t i = 0; i < c->ad->capture_field_count; i++) {
        mt_str f = c->ad->capture_fields[i];
        bool known = mt_str_starts(f, MT_STR("event.")) &&
                     gr_adapter_event(c->ad, mt_str_skip(f, 6));
        for (size_t k = 0; k < 3 && !known; k++) {
            known = mt_str_eq(f, mt_str_z(META[k]));
        }
        if (!known) {
            BREAK(
                c, "ADP-10", 0, "$.capture.fields",
                "use event.KIND, meta.adapter_id, meta.adapter_version, meta.timestamp",
                "\"%.*s\" cannot be captured", MT_ARG(f));
        }
    }
}

static bool requires(const gr_adapter_schema *e, mt_str name)
{
    const mt_json *required = mt_json_at(e->source, "required");
    for (uint32_t i = 0; required && i < required->count; i++) {
        if (mt_str_eq(mt_json_text(&required->as.items[i]), name)) {
            return true;
        }
    }
    return false;
}

/* KEY-1: every event says whose it is, and no episode can change it. */
static void check_key(checker *c)
{
    mt_str key = c->ad->key;
    const gr_context_key *k = gr_adapter_key(c->ad, key);
    bool ok = k && k->type == GR_STRING && !k->writable;
    for (uint32_t i = 0; i < c->ad->event_count; i++) {
        ok = ok && requires(&c->ad->events[i], key);
    }
    if (key.ptr && !ok) {
        BREAK(c, "KEY-1", 0, "$.key",
              "name a String that every event requires, a context key that is not "
              "writable",
              "\"%.*s\" cannot be the key", MT_ARG(key));
    }
}

/* All rules are asked, whatever the ones before found. */
bool gr_adapter_check(const gr_adapter *ad, const gr_subject *s)
{
    checker c = {ad, s, true};
    check_header(&c);
    check_keys(&c);
    check_events(&c);
    check_capture(&c);
    check_effects(&c);
    check_key(&c);
    return c.ok;
}
