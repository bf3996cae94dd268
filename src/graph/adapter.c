/* Reading an adapter and its identity; the rules are adapter_check.c's. */
#include "graph/adapter.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/json_write.h"
#include "base/vec.h"
#include "graph/adapter_check.h"
#include "graph/report.h"

static const char SHAPE[] = "adapter.decode";

typedef struct reader {
    gr_adapter *ad;
    gr_subject subject;
    bool ok;
} reader;

static void wrong(reader *r, const mt_json *node, const char *path,
                  const char *expected)
{
    r->ok = gr_report_shape(&r->subject, SHAPE, node, path,
                            "see docs/graphs.md for the form of an adapter", expected);
}

static mt_str text_in(reader *r, const mt_json *object, mt_str key, const char *path)
{
    const mt_json *node = mt_json_get(object, key);
    if (node && !mt_json_is(node, MT_JSON_STRING)) {
        wrong(r, node, path, "text");
    }
    return mt_json_is(node, MT_JSON_STRING) ? mt_json_text(node) : MT_STR("");
}

static const mt_json *list_in(reader *r, const mt_json *object, mt_str key,
                              const char *path, mt_json_type of, uint32_t *count)
{
    const mt_json *node = mt_json_get(object, key);
    *count = 0;
    if (!node || node->type == MT_JSON_NULL) {
        return NULL;
    }
    if (!mt_json_is(node, MT_JSON_ARRAY) ||
        node->count > MT_LIMITS_DEFAULT.graph_ports) {
        wrong(r, node, path, "a list of bounded length");
        return NULL;
    }
    for (uint32_t i = 0; i < node->count; i++) {
        if (!mt_json_is(&node->as.items[i], of)) {
            wrong(r, &node->as.items[i], path, "entries of another type");
            return NULL;
        }
    }
    *count = node->count;
    return node->as.items;
}

static bool flag_in(reader *r, const mt_json *object, mt_str key, const char *path,
                    bool *given)
{
    const mt_json *node = mt_json_get(object, key);
    *given = node && node->type != MT_JSON_NULL;
    if (*given && !mt_json_is(node, MT_JSON_BOOL)) {
        wrong(r, node, path, "true or false");
    }
    return *given && node->boolean;
}

static void keys(reader *r, const mt_json *root)
{
    const char *path = "$.context_keys";
    gr_adapter *ad = r->ad;
    const mt_json *items =
        list_in(r, root, MT_STR("context_keys"), path, MT_JSON_OBJECT, &ad->key_count);
    gr_context_key *out = mt_new_array(&ad->arena, gr_context_key, ad->key_count);
    for (uint32_t i = 0; i < ad->key_count; i++) {
        const mt_json *node = &items[i];
        const mt_json *description = mt_json_at(node, "description");
        bool given;
        gr_type type = gr_type_of(text_in(r, node, MT_STR("type"), path));
        out[i] = (gr_context_key){.name = text_in(r, node, MT_STR("name"), path),
                                  .type = type == GR_EVENT ? GR_NONE : type,
                                  .at = node->offset};
        out[i].required = flag_in(r, node, MT_STR("required"), path, &given);
        out[i].writable =
            flag_in(r, node, MT_STR("writable"), path, &out[i].has_writable);
        if (mt_json_is(description, MT_JSON_STRING)) {
            out[i].description = mt_json_text(description);
        }
    }
    ad->keys = out;
}

/* A schema that does not compile stays NULL; ADP-8 and ADP-13 say so. */
static const gr_adapter_schema *schemas(reader *r, const mt_json *object, mt_str key,
                                        const char *path, uint32_t *count)
{
    const mt_json *items = list_in(r, object, key, path, MT_JSON_OBJECT, count);
    gr_adapter_schema *out = mt_new_array(&r->ad->arena, gr_adapter_schema, *count);
    for (uint32_t i = 0; i < *count; i++) {
        out[i].name = text_in(r, &items[i], MT_STR("name"), path);
        out[i].source = mt_json_at(&items[i], "payload_schema");
        out[i].at = items[i].offset;
        if (mt_json_is(out[i].source, MT_JSON_NULL)) {
            out[i].source = NULL;
        }
        if (out[i].source) {
            gr_schema_compile(&r->ad->arena, out[i].source, &out[i].schema, NULL);
        }
    }
    return out;
}

static void capture(reader *r, const mt_json *root)
{
    gr_adapter *ad = r->ad;
    const mt_json *block = mt_json_at(root, "capture");
    const mt_json *items = list_in(r, block, MT_STR("fields"), "$.capture.fields",
                                   MT_JSON_STRING, &ad->capture_field_count);
    mt_str *out = mt_new_array(&ad->arena, mt_str, ad->capture_field_count);
    for (uint32_t i = 0; i < ad->capture_field_count; i++) {
        out[i] = mt_json_text(&items[i]);
    }
    ad->capture_fields = out;
    /* The version 1 is easily written without quotes. */
    ad->capture_format = mt_json_text(mt_json_at(block, "format_version"));
}

/* ---- identity ---- */

static bool is_integer(mt_str s)
{
    return mt_str_find(s, '.') == s.len && mt_str_find(s, 'e') == s.len &&
           mt_str_find(s, 'E') == s.len;
}

/* Keys sorted, numbers by value, so that spelling does not change the identity. */
static void canonical(mt_arena *a, mt_buf *out, const mt_json *n)
{
    gr_value v;
    switch ((mt_json_type)n->type) {
    case MT_JSON_NULL: mt_buf_addz(out, "null"); break;
    case MT_JSON_BOOL: mt_buf_addz(out, n->boolean ? "true" : "false"); break;
    case MT_JSON_STRING: mt_json_quote(out, mt_json_text(n)); break;
    case MT_JSON_NUMBER:
        if (!is_integer(mt_json_text(n)) && gr_value_from_json(a, n, &v)) {
            gr_number_text(out, v.as.number);
        } else {
            mt_buf_adds(out, mt_json_text(n));
        }
        break;
    case MT_JSON_ARRAY:
        mt_buf_addc(out, '[');
        for (uint32_t i = 0; i < n->count; i++) {
            mt_buf_addz(out, i ? "," : "");
            canonical(a, out, &n->as.items[i]);
        }
        mt_buf_addc(out, ']');
        break;
    case MT_JSON_OBJECT: {
        const mt_json_member **order =
            mt_new_array(a, const mt_json_member *, n->count);
        mt_json_sort(n, order);
        mt_buf_addc(out, '{');
        for (uint32_t i = 0; i < n->count; i++) {
            mt_buf_addz(out, i ? "," : "");
            mt_json_quote(out, order[i]->key);
            mt_buf_addc(out, ':');
            canonical(a, out, &order[i]->value);
        }
        mt_buf_addc(out, '}');
        break;
    }
    }
}

static void schemas_json(mt_arena *a, mt_buf *out, const gr_adapter_schema *list,
                         uint32_t count)
{
    mt_buf_addc(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        mt_buf_addf(out, "%s{\"name\":", i ? "," : "");
        mt_json_quote(out, list[i].name);
        mt_buf_addz(out, ",\"payload_schema\":");
        if (list[i].source) {
            canonical(a, out, list[i].source);
        } else {
            mt_buf_addz(out, "null");
        }
        mt_buf_addc(out, '}');
    }
    mt_buf_addc(out, ']');
}

static void key_json(mt_buf *out, const gr_context_key *k)
{
    mt_buf_addz(out, "{\"description\":");
    if (k->description.ptr) {
        mt_json_quote(out, k->description);
    } else {
        mt_buf_addz(out, "null");
    }
    mt_buf_addz(out, ",\"name\":");
    mt_json_quote(out, k->name);
    mt_buf_addf(out, ",\"required\":%s,\"type\":\"%s\",\"writable\":%s}",
                k->required ? "true" : "false", gr_type_name(k->type),
                !k->has_writable ? "null"
                : k->writable    ? "true"
                                 : "false");
}

static void manifest_json(mt_arena *a, mt_buf *out, const gr_adapter *ad)
{
    mt_buf_addz(out, "{\"accepts\":");
    if (ad->has_accepts) {
        mt_buf_addz(out, "{\"effects\":");
        schemas_json(a, out, ad->effects, ad->effect_count);
        mt_buf_addc(out, '}');
    } else {
        mt_buf_addz(out, "null");
    }
    mt_buf_addz(out, ",\"capture\":{\"fields\":[");
    for (uint32_t i = 0; i < ad->capture_field_count; i++) {
        mt_buf_addz(out, i ? "," : "");
        mt_json_quote(out, ad->capture_fields[i]);
    }
    mt_buf_addz(out, "],\"format_version\":");
    mt_json_quote(out, ad->capture_format);
    mt_buf_addz(out, "},\"context_keys\":[");
    for (uint32_t i = 0; i < ad->key_count; i++) {
        mt_buf_addz(out, i ? "," : "");
        key_json(out, &ad->keys[i]);
    }
    mt_buf_addz(out, "],\"event_kinds\":");
    schemas_json(a, out, ad->events, ad->event_count);
    mt_buf_addz(out, ",\"id\":");
    mt_json_quote(out, ad->id);
    mt_buf_addz(out, ",\"runtime_compatibility\":");
    mt_json_quote(out, ad->runtime_compatibility);
    mt_buf_addz(out, ",\"version\":");
    mt_json_quote(out, ad->version);
    mt_buf_addc(out, '}');
}

static mt_str fingerprint(gr_adapter *ad)
{
    mt_buf out = {0};
    mt_arena scratch = {0};
    manifest_json(&scratch, &out, ad);
    mt_str hex = mt_sha256_hex(&scratch, mt_sha256_of(mt_buf_str(&out)));
    mt_str id = mt_strf(&ad->arena, "adapter:%.*s@%.*s;sha256:%.*s", MT_ARG(ad->id),
                        MT_ARG(ad->version), MT_ARG(hex));
    mt_buf_free(&out);
    mt_arena_free(&scratch);
    return id;
}

mt_str gr_egress_provenance(mt_arena *a, mt_str canonical_json)
{
    mt_str hex = mt_sha256_hex(a, mt_sha256_of(canonical_json));
    return mt_strf(a, "epv1:sha256:%.*s", MT_ARG(hex));
}

/* ---- entry ---- */

static bool read_adapter(reader *r)
{
    gr_adapter *ad = r->ad;
    mt_json *root = mt_new(&ad->arena, mt_json);
    if (!gr_read_tree(&ad->arena, &r->subject, SHAPE, NULL, root)) {
        return false;
    }
    if (!mt_json_is(root, MT_JSON_OBJECT) ||
        !mt_str_is(text_in(r, root, MT_STR("kind"), "$.kind"), "adapter")) {
        wrong(r, root, "$.kind", "a mapping with kind: adapter");
        return false;
    }
    ad->id = text_in(r, root, MT_STR("id"), "$.id");
    r->subject.id = ad->id;
    ad->version = text_in(r, root, MT_STR("version"), "$.version");
    ad->runtime_compatibility =
        text_in(r, root, MT_STR("runtime_compatibility"), "$.runtime_compatibility");
    keys(r, root);
    ad->events =
        schemas(r, root, MT_STR("event_kinds"), "$.event_kinds", &ad->event_count);
    const mt_json *accepts = mt_json_at(root, "accepts");
    ad->has_accepts = mt_json_is(accepts, MT_JSON_OBJECT);
    ad->effects =
        schemas(r, accepts, MT_STR("effects"), "$.accepts.effects", &ad->effect_count);
    capture(r, root);
    return gr_adapter_check(ad, &r->subject) && r->ok;
}

mt_err gr_adapter_read(gr_text text, mt_diags *ds, gr_adapter **out)
{
    gr_adapter *ad = mt_xmalloc(sizeof *ad);
    *ad = (gr_adapter){0};
    *out = NULL;
    ad->file = mt_str_dup(&ad->arena, text.file);
    ad->text = mt_str_dup(&ad->arena, text.text);
    reader r = {ad, {ds, ad->file, ad->text, "adapter", MT_STR("")}, true};
    if (!read_adapter(&r)) {
        gr_adapter_free(ad);
        return MT_E_REJECTED;
    }
    ad->fingerprint = fingerprint(ad);
    *out = ad;
    return MT_OK;
}

void gr_adapter_free(gr_adapter *ad)
{
    if (!ad) {
        return;
    }
    for (uint32_t i = 0; i < ad->event_count; i++) {
        gr_schema_free(ad->events[i].schema);
    }
    for (uint32_t i = 0; i < ad->effect_count; i++) {
        gr_schema_free(ad->effects[i].schema);
    }
    mt_arena arena = ad->arena;
    free(ad);
    mt_arena_free(&arena);
}

const gr_context_key *gr_adapter_key(const gr_adapter *a, mt_str name)
{
    for (uint32_t i = 0; i < a->key_count; i++) {
        if (mt_str_eq(a->keys[i].name, name)) {
            return &a->keys[i];
        }
    }
    return NULL;
}

static const gr_adapter_schema *named(const gr_adapter_schema *list, uint32_t count,
                                      mt_str name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (mt_str_eq(list[i].name, name)) {
            return &list[i];
        }
    }
    return NULL;
}

const gr_adapter_schema *gr_adapter_event(const gr_adapter *a, mt_str kind)
{
    return named(a->events, a->event_count, kind);
}

const gr_adapter_schema *gr_adapter_effect(const gr_adapter *a, mt_str kind)
{
    return named(a->effects, a->effect_count, kind);
}

bool gr_adapter_event_allows(const gr_adapter_schema *event, mt_str key)
{
    return mt_json_get(mt_json_at(event->source, "properties"), key) != NULL;
}
