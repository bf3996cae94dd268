/* What a guard does with the texts of strangers. The first byte says which: a message
 * is passed on with another id and is otherwise the same, and each of its members is
 * found again as text; a map is read or its faults are told; a path made plain stays
 * plain and a pattern that is the text matches it; what a server says about its tools
 * gives a map that is read. */
#include "base/json_write.h"
#include "base/yaml_read.h"
#include "guard/guard.h"
#include "guard/init.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void pass_on(mt_arena *a, mt_str text)
{
    mt_json all, again, one;
    mt_buf out = {0};
    if (mt_json_read(a, text, NULL, &all, NULL) || all.type != MT_JSON_OBJECT) {
        return;
    }
    gd_with_id(&out, text, &all, MT_STR("\"other\""));
    MT_ASSERT(mt_json_read(a, mt_buf_str(&out), NULL, &again, NULL) == MT_OK);
    MT_ASSERT(again.count == all.count);
    for (uint32_t i = 0; i < all.count; i++) {
        const mt_json_member *m = &all.as.members[i];
        mt_str raw = gd_raw(text, &m->value);
        MT_ASSERT(mt_json_read(a, raw, NULL, &one, NULL) == MT_OK);
        MT_ASSERT(mt_json_equal(&one, &m->value));
        const mt_json *there = mt_json_get(&again, m->key);
        MT_ASSERT(mt_str_is(m->key, "id") ? mt_str_is(mt_json_text(there), "other")
                                          : mt_json_equal(there, &m->value));
    }
    mt_buf_free(&out);
}

/* Every member is what it was, but for `_meta`, which has one of ours. */
static void add_meta(mt_arena *a, mt_str text)
{
    mt_json all, again;
    mt_buf out = {0};
    if (mt_json_read(a, text, NULL, &all, NULL) || all.type != MT_JSON_OBJECT) {
        return;
    }
    gd_with_meta(&out, text, &all, MT_STR("\"motet/record\":7"));
    MT_ASSERT(mt_json_read(a, mt_buf_str(&out), NULL, &again, NULL) == MT_OK);
    for (uint32_t i = 0; i < all.count; i++) {
        const mt_json_member *m = &all.as.members[i];
        MT_ASSERT(mt_str_is(m->key, "_meta") ||
                  mt_json_equal(mt_json_get(&again, m->key), &m->value));
    }
    const mt_json *meta = mt_json_at(&again, "_meta");
    MT_ASSERT(!mt_json_is(meta, MT_JSON_OBJECT) || mt_json_at(meta, "motet/record"));
    mt_buf_free(&out);
}

static void read_map(mt_arena *a, mt_str text, bool must)
{
    mt_json tree;
    gd_map map;
    mt_buf why = {0};
    mt_form form = {.arena = a, .report = mt_form_join, .state = &why};
    if (!mt_yaml_read(a, text, NULL, &tree, NULL)) {
        bool good = gd_map_read(&form, &tree, &map);
        MT_ASSERT(good == !why.len);
        MT_ASSERT(good || !must);
    } else {
        MT_ASSERT(!must);
    }
    mt_buf_free(&why);
}

static void make_plain(mt_arena *a, mt_str text)
{
    mt_str once = gd_path_plain(a, text);
    MT_ASSERT(mt_str_eq(gd_path_plain(a, once), once));
    MT_ASSERT(mt_str_find(text, '*') < text.len || gd_matches(text, text) ||
              mt_str_find(text, '?') < text.len);
    size_t half = text.len / 2;
    (void)gd_matches(mt_str_from(text.ptr, half), mt_str_skip(text, half));
}

static void begin_with(mt_arena *a, mt_str text)
{
    mt_json all;
    mt_buf contract = {0}, map = {0}, scenarios = {0};
    if (mt_json_read(a, text, NULL, &all, NULL) || all.type != MT_JSON_ARRAY) {
        return;
    }
    const mt_json **items = mt_new_array(a, const mt_json *, all.count + 1);
    gd_tools tools = {items, 0, 0};
    for (uint32_t i = 0; i < all.count; i++) {
        if (gd_is_writable(mt_json_text(mt_json_at(&all.as.items[i], "name")))) {
            items[tools.count++] = &all.as.items[i];
        }
    }
    gd_init_contract(&contract, a, &tools);
    gd_init_map(&map, a, &tools);
    gd_init_scenarios(&scenarios, a, &tools);
    read_map(a, mt_buf_str(&map), map.len < 1000000);
    mt_buf_free(&contract);
    mt_buf_free(&map);
    mt_buf_free(&scenarios);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_arena a = {0};
    if (size < 1) {
        return 0;
    }
    mt_str text = mt_str_from((const char *)data + 1, size - 1);
    switch (data[0] % 4) {
    case 0:
        pass_on(&a, text);
        add_meta(&a, text);
        break;
    case 1: read_map(&a, text, false); break;
    case 2: make_plain(&a, text); break;
    default: begin_with(&a, text); break;
    }
    mt_arena_free(&a);
    return 0;
}
