/* Forms read from text: every kind, bounds at the limit and one beyond, places. */
#include "../rows.h"

#include "base/form_pull.h"

typedef struct sample {
    mt_str text, raw;
    bool flag;
    int64_t number;
    const mt_json *object, *any;
} sample;

static const mt_form_row ROWS[] = {
    MT_FORM_NAME(sample, text, "text", 4, 0),
    MT_FORM_FLAG(sample, flag, "flag", 0),
    MT_FORM_INT(sample, number, "number", -5, 5, 0),
    MT_FORM_OBJECT(sample, object, "object", 0),
    MT_FORM_ANY(sample, any, "any", 0),
    MT_FORM_RAW(sample, raw, "raw", 0),
};

typedef struct trial {
    mt_arena arena;
    mt_jp j;
    mt_str key;
    sample out;
    mt_err err;
} trial;

static trial pull(const char *text)
{
    trial t = {0};
    mt_jp_start(&t.j, &t.arena, mt_str_z(text), NULL);
    t.err = mt_form_pull(&t.j, ROWS, mt_form_count(ROWS), &t.out, &t.key);
    return t;
}

static void every_kind_is_read(void **state)
{
    (void)state;
    trial t =
        pull("{\"text\":\"four\",\"flag\":true,\"number\":-5,\"object\":{\"a\":1},"
             "\"any\":[1],\"raw\":{ \"b\" : [2] }}");
    assert_int_equal(t.err, MT_OK);
    assert_text(t.out.text, MT_STR("four"));
    assert_true(t.out.flag);
    assert_int_equal(t.out.number, -5);
    assert_int_equal(t.out.object->count, 1);
    assert_int_equal(t.out.any->type, MT_JSON_ARRAY);
    assert_text(t.out.raw, MT_STR("{ \"b\" : [2] }"));
    mt_arena_free(&t.arena);
}

static void what_is_absent_stays_as_it_was(void **state)
{
    (void)state;
    trial t = pull("{}");
    assert_int_equal(t.err, MT_OK);
    assert_null(t.out.text.ptr);
    assert_null(t.out.any);
    mt_arena_free(&t.arena);
}

static const struct row {
    const char *name, *text;
    mt_err err;
    size_t offset;
    const char *key, *message;
} FAULTS[] = {
    {"the most of a number is good", "{\"number\":5}", MT_OK, 0, "number", NULL},
    {"one more is not", "{\"number\":6}", MT_E_RANGE, 10, "number",
     "expected a whole number from -5 to 5"},
    {"one less than the least is not", "{\"number\":-6}", MT_E_RANGE, 10, "number",
     "expected a whole number from -5 to 5"},
    {"a number beyond all numbers is not", "{\"number\":1e999}", MT_E_RANGE, 10,
     "number", "expected a whole number from -5 to 5"},
    {"half a number is not", "{\"number\":1.5}", MT_E_RANGE, 10, "number",
     "expected a whole number from -5 to 5"},
    {"text is not a number", "{\"number\":\"1\"}", MT_E_TYPE, 10, "number",
     "expected a number"},
    {"one byte of text is good", "{\"text\":\"f\"}", MT_OK, 0, "text", NULL},
    {"no byte is not", "{\"text\":\"\"}", MT_E_RANGE, 8, "text",
     "expected text of 1 to 4 bytes"},
    {"five bytes are not", "{\"text\":\"fives\"}", MT_E_RANGE, 8, "text",
     "expected text of 1 to 4 bytes"},
    {"a number is not text", "{\"text\":1}", MT_E_TYPE, 8, "text", "expected a string"},
    {"a list is not an object", "{\"object\":[]}", MT_E_TYPE, 10, "object",
     "expected an object"},
    {"a text is not a flag", "{\"flag\":\"true\"}", MT_E_TYPE, 8, "flag",
     "expected a boolean"},
    {"a list is not a form", "[]", MT_E_TYPE, 0, "", "expected an object"},
    {"a key nobody knows ends it", "{\"flag\":true,\"nmber\":1}", MT_E_NOTFOUND, 0,
     "nmber", NULL},
    {"a key given twice ends it", "{\"flag\":true,\"flag\":true}", MT_E_SYNTAX, 13,
     "flag", NULL},
    {"text that ends too soon ends it", "{\"raw\":[1", MT_E_SYNTAX, 9, "raw", NULL},
    {"text behind it ends it", "{} x", MT_E_SYNTAX, 3, "", NULL},
};

static void faults(void **state)
{
    const struct row *r = *state;
    trial t = pull(r->text);
    mt_json_error error = {0};
    assert_int_equal(t.err, r->err);
    assert_text(t.key, mt_str_z(r->key));
    if (r->err && r->err != MT_E_NOTFOUND) {
        mt_jp_finish(&t.j, &error);
        assert_int_equal(error.offset, r->offset);
        if (r->message) {
            assert_string_equal(error.message, r->message);
        }
    }
    mt_arena_free(&t.arena);
}

int main(void)
{
    rows_list l = {0};
    rows_test(&l, every_kind_is_read);
    rows_test(&l, what_is_absent_stays_as_it_was);
    rows_add(&l, FAULTS, faults);
    return rows_run(&l, "base/form_pull");
}
