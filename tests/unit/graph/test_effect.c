/* An effect is read only if it is exactly what is written: one member more, less or of
 * another type, and it is none. */
#include "../rows.h"
#include "graph/effect.h"

#define ID                                                                             \
    "eid1:sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define WRITE  "{\"key\":\"x\",\"value\":{\"Number\":1.0}}"
#define FIELD  "{\"name\":\"f\",\"value\":{\"Bool\":true}}"
#define INTENT "{\"kind\":\"order\",\"intent_id\":\"" ID "\",\"fields\":[" FIELD "]}"

/* clang-format off */
static const struct row {
    const char *name, *json;
    bool good;
} ROWS[] = {
    {"writes", "{\"kind\":\"set_context\",\"writes\":[" WRITE "," WRITE "]}", true},
    {"no writes", "{\"kind\":\"set_context\",\"writes\":[]}", true},
    {"an intent", "{\"kind\":\"order\",\"writes\":[],\"intents\":[" INTENT "]}", true},
    {"an intent without fields", "{\"kind\":\"order\",\"writes\":[],\"intents\":[{\"kind\":\"order\",\"intent_id\":\"" ID "\",\"fields\":[]}]}", true},
    {"a list", "[]", false},
    {"no kind", "{\"writes\":[]}", false},
    {"a kind that is a number", "{\"kind\":1,\"writes\":[]}", false},
    {"no list of writes", "{\"kind\":\"set_context\",\"writes\":{}}", false},
    {"a member more", "{\"kind\":\"set_context\",\"writes\":[],\"more\":1}", false},
    {"a write that is text", "{\"kind\":\"set_context\",\"writes\":[\"x\"]}", false},
    {"a write with more", "{\"kind\":\"set_context\",\"writes\":[{\"key\":\"x\",\"more\":1,\"value\":{\"Number\":1.0}}]}", false},
    {"a write without a key", "{\"kind\":\"set_context\",\"writes\":[{\"name\":\"x\",\"value\":{\"Number\":1.0}}]}", false},
    {"a value of another type", "{\"kind\":\"set_context\",\"writes\":[{\"key\":\"x\",\"value\":{\"Number\":true}}]}", false},
    {"a value of two types", "{\"kind\":\"set_context\",\"writes\":[{\"key\":\"x\",\"value\":{\"Number\":1.0,\"Bool\":true}}]}", false},
    {"a value without a type", "{\"kind\":\"set_context\",\"writes\":[{\"key\":\"x\",\"value\":1.0}]}", false},
    {"the second of two is wrong", "{\"kind\":\"set_context\",\"writes\":[" WRITE ",1]}", false},
    {"two intents", "{\"kind\":\"order\",\"writes\":[],\"intents\":[" INTENT "," INTENT "]}", false},
    {"no intent", "{\"kind\":\"order\",\"writes\":[],\"intents\":[]}", false},
    {"an intent that is text", "{\"kind\":\"order\",\"writes\":[],\"intents\":[\"x\"]}", false},
    {"intents that are none", "{\"kind\":\"order\",\"writes\":[],\"intents\":{}}", false},
    {"intents that are one object", "{\"kind\":\"order\",\"writes\":[],\"intents\":{\"a\":" INTENT "}}", false},
    {"intents that are one letter", "{\"kind\":\"order\",\"writes\":[],\"intents\":\"x\"}", false},
    {"an intent without a kind", "{\"kind\":\"order\",\"writes\":[],\"intents\":[{\"x\":\"order\",\"intent_id\":\"" ID "\",\"fields\":[]}]}", false},
    {"an intent without an id", "{\"kind\":\"order\",\"writes\":[],\"intents\":[{\"kind\":\"order\",\"x\":\"" ID "\",\"fields\":[]}]}", false},
    {"an id that is too short", "{\"kind\":\"order\",\"writes\":[],\"intents\":[{\"kind\":\"order\",\"intent_id\":\"eid1\",\"fields\":[]}]}", false},
    {"an intent without a list of fields", "{\"kind\":\"order\",\"writes\":[],\"intents\":[{\"kind\":\"order\",\"intent_id\":\"" ID "\",\"fields\":{}}]}", false},
    {"a field that is a write", "{\"kind\":\"order\",\"writes\":[],\"intents\":[{\"kind\":\"order\",\"intent_id\":\"" ID "\",\"fields\":[" WRITE "]}]}", false},
    {"an intent with more", "{\"kind\":\"order\",\"writes\":[],\"intents\":[{\"kind\":\"order\",\"intent_id\":\"" ID "\",\"fields\":[],\"more\":1}]}", false},
};
/* clang-format on */

/* What is read is written as it was. */
static void is_exact(void **state)
{
    const struct row *row = *state;
    mt_arena a = {0};
    mt_json tree;
    gr_effect e;
    assert_int_equal(mt_json_read(&a, mt_str_z(row->json), NULL, &tree, NULL), MT_OK);
    assert_int_equal(gr_effect_from_json(&a, &tree, &e), row->good);
    if (row->good) {
        mt_buf out = {0};
        gr_effect_json(&out, &e);
        assert_text(mt_buf_str(&out), mt_str_z(row->json));
        mt_buf_free(&out);
    }
    mt_arena_free(&a);
}

int main(void)
{
    rows_list l = {0};
    rows_add(&l, ROWS, is_exact);
    return rows_run(&l, "graph/effect");
}
