/* graph/effect.c - intents, their ids, and effects as JSON.
 *
 * The id of an intent is "eid1:sha256:" and the hash of graph, event, node, kind and
 * ordinal, each with its length before it, so that no two different lists give the
 * same bytes. It is what a receiver deduplicates by: the same event always gives the
 * same ids.
 *
 * The JSON of an effect is canonical (fixed order of keys, shortest numbers) and
 * hashed as it is: captures compare these hashes. Reading accepts exactly what is
 * written, and says false for everything else; values live in the caller's arena. */
#include "graph/effect.h"

#include "base/json_write.h"
#include "graph/compile.h"

static const char ID_PREFIX[] = "eid1:sha256:";

/* Lengths stand before the parts (gr_add_counted), so no two lists of parts give one
 * text. The same event gives the same id when a run is repeated: a channel can
 * recognise an intent it has done already. */
void gr_intent_id_of(mt_str graph_id, mt_str event_id, mt_str node_id, mt_str kind,
                     uint32_t ordinal, char out[GR_INTENT_ID_LEN])
{
    mt_buf text = {0}, digits = {0};
    mt_buf_add_u64(&digits, ordinal);
    gr_add_counted(&text, MT_STR("eid1"));
    gr_add_counted(&text, graph_id);
    gr_add_counted(&text, event_id);
    gr_add_counted(&text, node_id);
    gr_add_counted(&text, kind);
    gr_add_counted(&text, mt_buf_str(&digits));
    mt_sha256 digest = mt_sha256_of(mt_buf_str(&text));
    memcpy(out, ID_PREFIX, sizeof ID_PREFIX - 1);
    mt_hex(digest.bytes, MT_SHA256_BYTES, out + sizeof ID_PREFIX - 1);
    mt_buf_free(&text);
    mt_buf_free(&digits);
}

static void named_value(mt_buf *out, bool first, const char *key, mt_str name,
                        const gr_value *value)
{
    mt_buf_addz(out, first ? "{\"" : ",{\"");
    mt_buf_addz(out, key);
    mt_buf_addz(out, "\":");
    mt_json_quote(out, name);
    mt_buf_addz(out, ",\"value\":");
    gr_value_json(out, value);
    mt_buf_addc(out, '}');
}

/* The order of keys is the format's. */
static void intent_json(mt_buf *out, const gr_intent *i)
{
    mt_buf_addz(out, ",\"intents\":[{\"kind\":");
    mt_json_quote(out, i->kind);
    mt_buf_addz(out, ",\"intent_id\":\"");
    mt_buf_adds(out, gr_intent_id(i));
    mt_buf_addz(out, "\",\"fields\":[");
    for (uint32_t k = 0; k < i->field_count; k++) {
        named_value(out, k == 0, "name", i->fields[k].name, &i->fields[k].value);
    }
    mt_buf_addz(out, "]}]");
}

/* The text that is hashed: member order is fixed, an effect without an intent has no
 * such member. */
void gr_effect_json(mt_buf *out, const gr_effect *e)
{
    mt_buf_addz(out, "{\"kind\":");
    mt_json_quote(out, e->kind);
    mt_buf_addz(out, ",\"writes\":[");
    for (uint32_t i = 0; i < e->write_count; i++) {
        named_value(out, i == 0, "key", e->writes[i].key, &e->writes[i].value);
    }
    mt_buf_addc(out, ']');
    if (e->intent) {
        intent_json(out, e->intent);
    }
    mt_buf_addc(out, '}');
}

/* Of the text gr_effect_json() writes; `scratch` is reused from effect to effect. */
void gr_effect_hash(const gr_effect *e, mt_buf *scratch, char out[MT_SHA256_HEX])
{
    mt_buf_clear(scratch);
    gr_effect_json(scratch, e);
    mt_sha256 digest = mt_sha256_of(mt_buf_str(scratch));
    mt_hex(digest.bytes, MT_SHA256_BYTES, out);
}

/* ---- reading ---- */

/* {"Number":1.0}: the tag has to agree with the value's own type, or the effect was
 * edited. */
static bool tagged_value(mt_arena *a, const mt_json *node, gr_value *out)
{
    if (!mt_json_is(node, MT_JSON_OBJECT) || node->count != 1) {
        return false;
    }
    const mt_json_member *m = &node->as.members[0];
    return gr_value_from_json(a, &m->value, out) &&
           mt_str_eq(m->key, mt_str_z(gr_type_name((gr_type)out->type)));
}

static bool string_member(const mt_json *node, mt_str key, mt_str *out)
{
    const mt_json *text = mt_json_get(node, key);
    *out = mt_json_text(text);
    return mt_json_is(text, MT_JSON_STRING);
}

/* A list of {key: name, "value": tagged}, as writes or fields (same layout). */
static bool value_list(mt_arena *a, const mt_json *list, mt_str key,
                       gr_effect_write **out, uint32_t *count)
{
    if (!mt_json_is(list, MT_JSON_ARRAY)) {
        return false;
    }
    *count = list->count;
    *out = mt_new_array(a, gr_effect_write, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        const mt_json *item = &list->as.items[i];
        if (!mt_json_is(item, MT_JSON_OBJECT) || item->count != 2 ||
            !string_member(item, key, &(*out)[i].key) ||
            !tagged_value(a, mt_json_at(item, "value"), &(*out)[i].value)) {
            return false;
        }
    }
    return true;
}

/* Exactly what intent_json() writes, nothing more. */
static bool intent_from_json(mt_arena *a, const mt_json *list, gr_effect *out)
{
    gr_effect_write *rows;
    gr_intent *intent = mt_new(a, gr_intent);
    mt_str id;
    if (!mt_json_is(list, MT_JSON_ARRAY) || list->count != 1) {
        return false;
    }
    const mt_json *node = &list->as.items[0];
    if (!mt_json_is(node, MT_JSON_OBJECT) || node->count != 3 ||
        !string_member(node, MT_STR("kind"), &intent->kind) ||
        !string_member(node, MT_STR("intent_id"), &id) || id.len != GR_INTENT_ID_LEN ||
        !value_list(a, mt_json_at(node, "fields"), MT_STR("name"), &rows,
                    &intent->field_count)) {
        return false;
    }
    memcpy(intent->id, id.ptr, GR_INTENT_ID_LEN);
    gr_effect_field *fields = mt_new_array(a, gr_effect_field, intent->field_count);
    for (uint32_t i = 0; i < intent->field_count; i++) {
        fields[i] = (gr_effect_field){rows[i].key, rows[i].value};
    }
    intent->fields = fields;
    out->intent = intent;
    return true;
}

/* Strict: exactly the members the writer writes. Values keep pointing into `node`. */
bool gr_effect_from_json(mt_arena *a, const mt_json *node, gr_effect *out)
{
    gr_effect_write *writes;
    const mt_json *intents = mt_json_at(node, "intents");
    *out = (gr_effect){0};
    if (!mt_json_is(node, MT_JSON_OBJECT) || node->count != (intents ? 3u : 2u) ||
        !string_member(node, MT_STR("kind"), &out->kind) ||
        !value_list(a, mt_json_at(node, "writes"), MT_STR("key"), &writes,
                    &out->write_count)) {
        return false;
    }
    out->writes = writes;
    return !intents || intent_from_json(a, intents, out);
}
