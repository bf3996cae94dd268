/* graph/adapter.c - reading an adapter, and its identity; the rules are
 * adapter_check.c's.
 *
 * The kind and the id first, because whatever is reported names them; then the rest by
 * the tables below; then the schemas are compiled, the rules checked and, when all
 * hold, the identity taken from the manifest with sorted keys and absent optionals as
 * null. INVARIANT: a schema that does not compile stays NULL; ADP-8 and ADP-13 say so.
 * May fail: text that is neither YAML nor JSON, another shape (adapter.decode), a rule
 * (ADP-*), a limit (LIMIT). A key that nobody knows is only a warning. */
#include "graph/adapter.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/json_write.h"
#include "base/vec.h"
#include "graph/adapter_check.h"
#include "graph/adapter_window.h"
#include "graph/report.h"

static const char SHAPE[] = "adapter.decode";
enum { MOST = MT_INITIAL_graph_ports };

/* ---- The form ---- */

typedef struct draft_key {
    gr_context_key key;
    int writable; /* -1: not said */
    const mt_json *description;
} draft_key;

static const mt_form_row KEY_ROWS[] = {
    MT_FORM_PLACE(draft_key, key.at),
    MT_FORM_TEXT(draft_key, key.name, "name", 0),
    MT_FORM_OWN(draft_key, key.type, "type", gr_read_type, 0),
    MT_FORM_FLAG(draft_key, key.required, "required", MT_FORM_NULLABLE),
    MT_FORM_SAYS(draft_key, writable, "writable", MT_FORM_NULLABLE),
    MT_FORM_ANY(draft_key, description, "description", 0),
};
static const draft_key NEW_KEY = {.writable = -1};
static const mt_form_table KEY =
    MT_FORM_TABLE("a context key", KEY_ROWS, draft_key, &NEW_KEY);

/* Of events and of effects. */
static const mt_form_row SCHEMA_ROWS[] = {
    MT_FORM_PLACE(gr_adapter_schema, at),
    MT_FORM_TEXT(gr_adapter_schema, name, "name", 0),
    MT_FORM_ANY(gr_adapter_schema, source, "payload_schema", MT_FORM_NULLABLE),
    MT_FORM_NOTE("description"),
};
static const mt_form_table EVENT =
    MT_FORM_TABLE("an event kind", SCHEMA_ROWS, gr_adapter_schema, NULL);
static const mt_form_table EFFECT =
    MT_FORM_TABLE("an effect", SCHEMA_ROWS, gr_adapter_schema, NULL);

typedef struct draft {
    mt_str id, version, kind, runtime_compatibility, key;
    const draft_key *keys;
    const gr_adapter_schema *events, *effects;
    const mt_str *capture_fields;
    const mt_json *capture_format, *accepts;
    const gr_window_draft *windows;
    uint32_t key_count, event_count, effect_count, capture_field_count, window_count;
} draft;

static const mt_form_row ACCEPTS_ROWS[] = {
    MT_FORM_EACH(draft, effects, effect_count, "effects", &EFFECT, MOST,
                 MT_FORM_NULLABLE),
};
static const mt_form_table ACCEPTS =
    MT_FORM_TABLE("`accepts`", ACCEPTS_ROWS, draft, NULL);
static const mt_form_row CAPTURE_ROWS[] = {
    MT_FORM_STRS(draft, capture_fields, capture_field_count, "fields", MOST,
                 MT_FORM_NULLABLE),
    /* The version 1 is easily written without quotes. */
    MT_FORM_ANY(draft, capture_format, "format_version", 0),
};
static const mt_form_table CAPTURE =
    MT_FORM_TABLE("`capture`", CAPTURE_ROWS, draft, NULL);

static const mt_form_row HEAD[] = {
    MT_FORM_TEXT(draft, kind, "kind", 0),
    MT_FORM_TEXT(draft, id, "id", 0),
};
static const mt_form_row ADAPTER[] = {
    MT_FORM_NOTE("kind"), /* both are read before, see HEAD */
    MT_FORM_NOTE("id"),
    MT_FORM_NOTE("description"),
    MT_FORM_TEXT(draft, version, "version", 0),
    MT_FORM_TEXT(draft, runtime_compatibility, "runtime_compatibility", 0),
    MT_FORM_TEXT(draft, key, "key", MT_FORM_NULLABLE),
    MT_FORM_EACH(draft, keys, key_count, "context_keys", &KEY, MOST, MT_FORM_NULLABLE),
    MT_FORM_EACH(draft, events, event_count, "event_kinds", &EVENT, MOST,
                 MT_FORM_NULLABLE),
    MT_FORM_OBJECT_OF(draft, accepts, "accepts", &ACCEPTS, MT_FORM_NULLABLE),
    MT_FORM_PART("capture", &CAPTURE, MT_FORM_NULLABLE),
    MT_FORM_EACH(draft, windows, window_count, "windows", &GR_WINDOW_TABLE, MOST,
                 MT_FORM_NULLABLE),
};
const mt_form_table GR_ADAPTER_FORM = MT_FORM_TABLE("an adapter", ADAPTER, draft, NULL);

/* ---- Reading ---- */

/* A key of type event cannot be kept in a context; it is stored as no type, which ADP-6
 * reports with the key's own place. */
static const gr_context_key *settle_keys(mt_arena *a, const draft *d)
{
    gr_context_key *out = mt_new_array(a, gr_context_key, d->key_count);
    for (uint32_t i = 0; i < d->key_count; i++) {
        const draft_key *from = &d->keys[i];
        out[i] = from->key;
        out[i].type = from->key.type == GR_EVENT ? GR_NONE : from->key.type;
        out[i].has_writable = from->writable >= 0;
        out[i].writable = from->writable > 0;
        if (mt_json_is(from->description, MT_JSON_STRING)) {
            out[i].description = mt_json_text(from->description);
        }
    }
    return out;
}

/* A schema that does not compile stays NULL here; gr_adapter_check() reports it with
 * its rule. */
static const gr_adapter_schema *compiled(mt_arena *a, const gr_adapter_schema *from,
                                         uint32_t count)
{
    gr_adapter_schema *out = mt_new_array(a, gr_adapter_schema, count);
    for (uint32_t i = 0; i < count; i++) {
        out[i] = from[i];
        if (out[i].source) {
            gr_schema_compile(a, out[i].source, &out[i].schema, NULL);
        }
    }
    return out;
}

static void settle(gr_adapter *ad, const draft *d)
{
    ad->version = d->version;
    ad->key = d->key;
    ad->runtime_compatibility = d->runtime_compatibility;
    ad->keys = settle_keys(&ad->arena, d);
    ad->key_count = d->key_count;
    ad->events = compiled(&ad->arena, d->events, d->event_count);
    ad->event_count = d->event_count;
    ad->has_accepts = d->accepts != NULL;
    ad->effects = compiled(&ad->arena, d->effects, d->effect_count);
    ad->effect_count = d->effect_count;
    ad->capture_fields = d->capture_fields;
    ad->capture_field_count = d->capture_field_count;
    ad->capture_format = mt_json_text(d->capture_format);
}

/* The head is read first, so that later faults can name the adapter. Unknown forms are
 * reported before the rules are asked: a rule about a member that was misread would
 * mislead. */
static bool read_adapter(gr_adapter *ad, gr_subject *subject)
{
    gr_form_report to = {subject, SHAPE,
                         "see docs/graphs.md for the form of an adapter",
                         "split the adapter"};
    mt_form f = gr_form(&ad->arena, &to, "an adapter");
    mt_json *root = mt_new(&ad->arena, mt_json);
    draft d = {0};
    if (!gr_read_tree(&ad->arena, subject, SHAPE, NULL, root)) {
        return false;
    }
    bool ok = true;
    for (size_t i = 0; i < mt_form_count(HEAD); i++) {
        ok &= mt_form_field(&f, root, &HEAD[i], &d);
    }
    if (!mt_str_is(d.kind, "adapter")) {
        return gr_report(subject, SHAPE, root->offset, MT_STR("$.kind"),
                         "see docs/graphs.md for the form of an adapter",
                         "expected a mapping with kind: adapter");
    }
    subject->id = ad->id = d.id;
    ok &= mt_form_read(&f, root, ADAPTER, mt_form_count(ADAPTER), &d);
    if (d.accepts) {
        mt_form in = mt_form_inside(&f, "accepts", "`accepts`");
        ok &=
            mt_form_read(&in, d.accepts, ACCEPTS_ROWS, mt_form_count(ACCEPTS_ROWS), &d);
    }
    settle(ad, &d);
    ad->windows_source = mt_json_at(root, "windows");
    ok &= gr_windows_settle(ad, d.windows, d.window_count, subject);
    return gr_adapter_check(ad, subject) && ok;
}

/* ---- Identity ---- */

/* JSON has one kind of number; whether it was written as an integer decides how it is
 * written again. */
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

/* Part of the fingerprint: schemas are written canonically, so their layout does not
 * change it. */
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

/* null and false are different: whether `writable` was said at all is part of the
 * document. */
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

/* Keys ascend; every member is written, absent ones as null, so no two adapters have
 * one text. `key` is left out: the history of one value is that of an adapter without
 * it. */
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
    if (ad->window_count) { /* without any, the identity is what it was before */
        mt_buf_addz(out, ",\"windows\":");
        canonical(a, out, ad->windows_source);
    }
    mt_buf_addc(out, '}');
}

/* id, version and the hash of everything that has a meaning. Captures carry it, so that
 * a replay sees whether the adapter changed. */
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

/* Of the canonical text, so the layout of the egress file does not matter. */
mt_str gr_egress_provenance(mt_arena *a, mt_str canonical_json)
{
    mt_str hex = mt_sha256_hex(a, mt_sha256_of(canonical_json));
    return mt_strf(a, "epv1:sha256:%.*s", MT_ARG(hex));
}

/* ---- The door ---- */

/* File and text are copied: diagnostics of a later run still show lines of it. */
mt_err gr_adapter_read(gr_text text, mt_diags *ds, gr_adapter **out)
{
    gr_adapter *ad = mt_xmalloc(sizeof *ad);
    *ad = (gr_adapter){0};
    *out = NULL;
    ad->file = mt_str_dup(&ad->arena, text.file);
    ad->text = mt_str_dup(&ad->arena, text.text);
    gr_subject subject = {ds, ad->file, ad->text, "adapter", MT_STR("")};
    if (!read_adapter(ad, &subject)) {
        gr_adapter_free(ad);
        return MT_E_REJECTED;
    }
    ad->fingerprint = fingerprint(ad);
    *out = ad;
    return MT_OK;
}

/* Schemas own compiled patterns outside the arena. The arena is copied out before the
 * struct that holds it is freed. */
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

/* Linear: adapters declare few keys, and graphs resolve them once. */
const gr_context_key *gr_adapter_key(const gr_adapter *a, mt_str name)
{
    for (uint32_t i = 0; i < a->key_count; i++) {
        if (mt_str_eq(a->keys[i].name, name)) {
            return &a->keys[i];
        }
    }
    return NULL;
}

const gr_window_decl *gr_adapter_window(const gr_adapter *a, mt_str name)
{
    for (uint32_t i = 0; i < a->window_count; i++) {
        if (mt_str_eq(a->windows[i].name, name)) {
            return &a->windows[i];
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
