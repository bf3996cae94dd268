/* agent/value.c - see value.h. */
#include "agent/value.h"

#include "base/json_write.h"

mt_json ag_text_value(mt_str text)
{
    return (mt_json){
        .type = MT_JSON_STRING, .count = (uint32_t)text.len, .as.text = text.ptr};
}

mt_json ag_bool_value(bool value)
{
    return (mt_json){.type = MT_JSON_BOOL, .boolean = value};
}

mt_json ag_null_value(void)
{
    return (mt_json){.type = MT_JSON_NULL};
}

mt_json ag_number_value(mt_str text)
{
    mt_json out = ag_text_value(text);
    out.type = MT_JSON_NUMBER;
    return out;
}

mt_json ag_i64_value(mt_arena *a, int64_t value)
{
    return ag_number_value(mt_strf(a, "%lld", (long long)value));
}

mt_json ag_list_value(const mt_json *items, size_t count)
{
    return (mt_json){
        .type = MT_JSON_ARRAY, .count = (uint32_t)count, .as.items = items};
}

mt_json ag_object_value(const mt_json_member *members, size_t count)
{
    return (mt_json){
        .type = MT_JSON_OBJECT, .count = (uint32_t)count, .as.members = members};
}

/* Depth is bounded by the reader that made the value. */
mt_json ag_copy_value(mt_arena *a, const mt_json *value)
{
    mt_json out = *value;
    if (mt_json_is(value, MT_JSON_STRING) || mt_json_is(value, MT_JSON_NUMBER)) {
        out.as.text = mt_str_dup(a, mt_json_text(value)).ptr;
    } else if (mt_json_is(value, MT_JSON_ARRAY)) {
        mt_json *items = mt_new_array(a, mt_json, value->count);
        for (uint32_t i = 0; i < value->count; i++) {
            items[i] = ag_copy_value(a, &value->as.items[i]);
        }
        out.as.items = items;
    } else if (mt_json_is(value, MT_JSON_OBJECT)) {
        mt_json_member *members = mt_new_array(a, mt_json_member, value->count);
        for (uint32_t i = 0; i < value->count; i++) {
            members[i].key = mt_str_dup(a, value->as.members[i].key);
            members[i].value = ag_copy_value(a, &value->as.members[i].value);
        }
        out.as.members = members;
    }
    return out;
}

/* Without an address the payload is the content alone, as for messages that did not
 * come over a relay. */
mt_json *ag_payload(mt_arena *a, mt_str address, const mt_json *content)
{
    mt_json *out = mt_new(a, mt_json);
    *out = *content;
    if (address.ptr) {
        mt_json_member *members = mt_new_array(a, mt_json_member, 2);
        members[0] = (mt_json_member){MT_STR("remote_addr"), ag_text_value(address)};
        members[1] = (mt_json_member){MT_STR("content"), *content};
        *out = ag_object_value(members, 2);
    }
    return out;
}

/* A new object; the old one is unchanged and shares its values. The place of a key that
 * was there stays. */
mt_json ag_with_member(mt_arena *a, const mt_json *object, mt_str key,
                       const mt_json *value)
{
    uint32_t count = mt_json_is(object, MT_JSON_OBJECT) ? object->count : 0, at = 0;
    mt_json_member *members = mt_new_array(a, mt_json_member, count + 1);
    if (count) {
        memcpy(members, object->as.members, count * sizeof *members);
    }
    while (at < count && !mt_str_eq(members[at].key, key)) {
        at++;
    }
    members[at] = (mt_json_member){key, *value};
    return ag_object_value(members, at == count ? count + 1 : count);
}

mt_str ag_value_text(mt_arena *a, const mt_json *value)
{
    mt_buf out = {0};
    if (value) {
        mt_json_write(&out, value, false);
    }
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}
