/* Walks any document with the pull reader, refusing duplicates as a caller would.
 * Used to hold json_pull against json_read: both must accept and refuse the same. */
#ifndef MT_TEST_PULL_WALK_H
#define MT_TEST_PULL_WALK_H

#include "base/json_pull.h"

static inline void pull_any(mt_jp *j, mt_json *out, unsigned depth);

static inline void pull_object(mt_jp *j, mt_json *out, unsigned depth)
{
    mt_map seen = {0};
    mt_jp_object(j);
    for (mt_str key; mt_jp_key(j, &key);) {
        bool added;
        mt_map_add(j->arena, &seen, key, &added);
        if (!added) {
            mt_jp_duplicate(j, key);
            return;
        }
        mt_json *value = mt_new(j->arena, mt_json);
        pull_any(j, value, depth);
        mt_map_put(j->arena, &seen, key, (uintptr_t)value);
    }
    mt_json_member *members = mt_new_array(j->arena, mt_json_member, seen.len);
    for (uint32_t i = 0; !j->err && i < seen.len; i++) {
        members[i].key = seen.entries[i].key;
        members[i].value = *(const mt_json *)seen.entries[i].value;
    }
    out->count = seen.len;
    out->as.members = members;
}

static inline void pull_array(mt_jp *j, mt_json *out, unsigned depth)
{
    mt_json *items = NULL;
    uint32_t count = 0, cap = 0;
    mt_jp_array(j);
    while (mt_jp_item(j)) {
        if (count == cap) {
            cap = cap * 2 + 4;
            mt_json *wider = mt_new_array(j->arena, mt_json, cap);
            if (count) {
                memcpy(wider, items, count * sizeof *items);
            }
            items = wider;
        }
        pull_any(j, &items[count++], depth);
    }
    out->count = count;
    out->as.items = items;
}

static inline void pull_any(mt_jp *j, mt_json *out, unsigned depth)
{
    mt_str text = {"", 0};
    MT_ASSERT(depth <= MT_JSON_MAX_DEPTH + 1);
    *out =
        (mt_json){.type = (uint8_t)mt_jp_type(j), .offset = (uint32_t)mt_jp_offset(j)};
    switch (mt_jp_type(j)) {
    case MT_JSON_NULL: mt_jp_null(j); return;
    case MT_JSON_BOOL: mt_jp_bool(j, &out->boolean); return;
    case MT_JSON_NUMBER: mt_jp_number(j, &text); break;
    case MT_JSON_STRING: mt_jp_str(j, &text); break;
    case MT_JSON_ARRAY: pull_array(j, out, depth + 1); return;
    case MT_JSON_OBJECT: pull_object(j, out, depth + 1); return;
    }
    out->as.text = text.ptr;
    out->count = (uint32_t)text.len;
}

static inline mt_err pull_walk(mt_arena *a, mt_str text, const mt_json_limits *limits,
                               mt_json *out, mt_json_error *error)
{
    mt_jp j;
    if (mt_jp_start(&j, a, text, limits)) {
        pull_any(&j, out, 0);
    }
    return mt_jp_finish(&j, error);
}

#endif
