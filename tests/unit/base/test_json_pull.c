/* The cursor: asking for what is there, for what is not, and skipping. */
#include "../rows.h"

#include "base/json_pull.h"

static void a_document_is_read_in_one_pass(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_str text =
        MT_STR("{\"id\": \"x\\ty\", \"n\":-12.5,\"ok\":false,\"list\":[1,2, 3],"
               "\"none\":null,\"extra\":{\"deep\":[{}]}}");
    mt_str id = {0}, number = {0}, key;
    bool ok = true, none = false;
    int64_t sum = 0;
    mt_map unknown = {0};
    mt_jp j;
    assert_true(mt_jp_start(&j, &a, text, NULL));
    assert_true(mt_jp_object(&j));
    while (mt_jp_key(&j, &key)) {
        if (mt_str_is(key, "id")) {
            mt_jp_str(&j, &id);
        } else if (mt_str_is(key, "n")) {
            mt_jp_number(&j, &number);
        } else if (mt_str_is(key, "ok")) {
            mt_jp_bool(&j, &ok);
        } else if (mt_str_is(key, "none")) {
            none = mt_jp_null(&j);
        } else if (mt_str_is(key, "list")) {
            mt_jp_array(&j);
            for (int64_t n = 0; mt_jp_item(&j);) {
                mt_jp_i64(&j, &n);
                sum += n;
            }
        } else {
            mt_jp_unknown(&j, &unknown, key);
        }
    }
    assert_int_equal(mt_jp_finish(&j, NULL), MT_OK);
    assert_text(id, MT_STR("x\ty"));
    assert_text(number, MT_STR("-12.5"));
    assert_true(number.ptr > text.ptr && number.ptr < text.ptr + text.len);
    assert_false(ok);
    assert_true(none);
    assert_int_equal(sum, 6);
    assert_int_equal(unknown.len, 1);
    mt_arena_free(&a);
}

typedef enum wish { STRING, NUMBER, BOOL, NUL, ARRAY, OBJECT, I64, SKIP } wish;

static bool ask(mt_jp *j, wish w)
{
    mt_str text;
    bool flag;
    int64_t whole;
    switch (w) {
    case STRING: return mt_jp_str(j, &text);
    case NUMBER: return mt_jp_number(j, &text);
    case BOOL: return mt_jp_bool(j, &flag);
    case NUL: return mt_jp_null(j);
    case ARRAY: return mt_jp_array(j);
    case OBJECT: return mt_jp_object(j);
    case I64: return mt_jp_i64(j, &whole);
    case SKIP: return mt_jp_skip(j);
    }
    return false;
}

static const struct row {
    const char *name, *text;
    wish wish;
    mt_err err;
    const char *message;
    size_t offset;
} ROWS[] = {
    {"a number is no string", " 12", STRING, MT_E_TYPE, "expected a string", 1},
    {"a string is no number", "\"12\"", NUMBER, MT_E_TYPE, "expected a number", 0},
    {"null is no boolean", "null", BOOL, MT_E_TYPE, "expected a boolean", 0},
    {"true is not null", "true", NUL, MT_E_TYPE, "expected null", 0},
    {"an object is no array", "{}", ARRAY, MT_E_TYPE, "expected an array", 0},
    {"an array is no object", "[]", OBJECT, MT_E_TYPE, "expected an object", 0},
    {"a fraction is no integer", "1.5", I64, MT_E_TYPE, "expected an integer", 0},
    {"a large integer does not fit", "9999999999999999999", I64, MT_E_RANGE,
     "integer does not fit 64 bits", 0},
    {"a broken value is a fault of the text", "[1,}", STRING, MT_E_SYNTAX,
     "not a JSON value", 3},
    {"no value is a fault of the text", "", STRING, MT_E_SYNTAX,
     "unexpected end of the text", 0},
    {"a misspelt word is a fault of the text", "tru", BOOL, MT_E_SYNTAX,
     "not a JSON value", 0},
    {"skipping checks strings", "\"\\x\"", SKIP, MT_E_SYNTAX,
     "unknown escape in a string", 1},
    {"skipping checks numbers", "01", SKIP, MT_E_SYNTAX,
     "number starts with a superfluous zero", 0},
    {"skipping finds duplicates", "{\"a\":{\"b\":1,\"b\":2}}", SKIP, MT_E_SYNTAX,
     "duplicate key", 12},
    {"skipping ends at the value's end", "[1] 2", SKIP, MT_E_SYNTAX,
     "text after the value", 4},
};

static void faults(void **state)
{
    const struct row *r = *state;
    mt_arena a = {0};
    mt_jp j;
    mt_json_error error;
    mt_str text = fenced(mt_str_z(r->text));
    mt_jp_start(&j, &a, text, NULL);
    ask(&j, r->wish);
    assert_int_equal(mt_jp_finish(&j, &error), r->err);
    assert_string_equal(error.message, r->message);
    assert_int_equal(error.offset, r->offset);
    /* The first fault sticks. */
    for (int w = STRING; w <= SKIP; w++) {
        assert_false(ask(&j, (wish)w));
    }
    assert_int_equal(mt_jp_finish(&j, &error), r->err);
    assert_string_equal(error.message, r->message);
    fenced_free(text);
    mt_arena_free(&a);
}

/* Guesses right, wrong, with space, at the end and at a wrong place. */
static void a_guessed_key_is_read_or_left_alone(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_jp j;
    mt_str key, value;
    mt_str text = fenced(MT_STR("{\"a\":\"1\",\"bb\":\"2\",\"c\": \"3\",\"d\":\"4\"}"));
    mt_jp_start(&j, &a, text, NULL);
    mt_jp_object(&j);
    assert_false(mt_jp_expect(&j, MT_STR("\"bb\":")));
    assert_true(mt_jp_expect(&j, MT_STR("\"a\":")));
    assert_true(mt_jp_str(&j, &value));
    assert_false(mt_jp_expect(&j, MT_STR("\"b\":")));
    assert_true(mt_jp_expect(&j, MT_STR("\"bb\":")));
    assert_true(mt_jp_str(&j, &value));
    assert_text(value, MT_STR("2"));
    assert_false(mt_jp_expect(&j, MT_STR("\"c\":")));
    assert_true(mt_jp_key(&j, &key));
    assert_text(key, MT_STR("c"));
    assert_true(mt_jp_str(&j, &value));
    assert_true(mt_jp_expect(&j, MT_STR("\"d\":")));
    assert_true(mt_jp_str(&j, &value));
    assert_false(mt_jp_expect(&j, MT_STR("\"e\":")));
    assert_false(mt_jp_key(&j, &key));
    assert_int_equal(mt_jp_finish(&j, NULL), MT_OK);
    fenced_free(text);
    /* No comma between two members: the guess must not step over it. */
    mt_jp_start(&j, &a, MT_STR("{\"a\":\"1\"\"b\":\"2\",\"c\":\"3\"}"), NULL);
    mt_jp_object(&j);
    assert_true(mt_jp_expect(&j, MT_STR("\"a\":")));
    assert_true(mt_jp_str(&j, &value));
    assert_false(mt_jp_expect(&j, MT_STR("\"b\":")));
    assert_false(mt_jp_key(&j, &key));
    assert_int_equal(mt_jp_finish(&j, NULL), MT_E_SYNTAX);
    mt_arena_free(&a);
}

static void what_is_left_open_is_a_fault(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_jp j;
    mt_jp_start(&j, &a, MT_STR("[1,2]"), NULL);
    assert_true(mt_jp_array(&j));
    assert_true(mt_jp_item(&j));
    assert_true(mt_jp_skip(&j));
    assert_int_equal(mt_jp_finish(&j, NULL), MT_E_SYNTAX);
    mt_arena_free(&a);
}

static void duplicates_are_refused_for_known_and_unknown_keys(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {"{\"a\":1,\"b\":[],\"a\":3}",
                                        "{\"u\":1,\"b\":[],\"u\":3}"};
    for (size_t i = 0; i < rows_count(TEXTS); i++) {
        mt_arena a = {0};
        mt_jp j;
        mt_json_error error;
        mt_map unknown = {0};
        int seen = 0;
        mt_jp_start(&j, &a, mt_str_z(TEXTS[i]), NULL);
        mt_jp_object(&j);
        for (mt_str key; mt_jp_key(&j, &key);) {
            if (!mt_str_is(key, "a")) {
                mt_jp_unknown(&j, &unknown, key);
            } else if (seen++) {
                mt_jp_duplicate(&j, key);
            } else {
                mt_jp_skip(&j);
            }
        }
        assert_int_equal(mt_jp_finish(&j, &error), MT_E_SYNTAX);
        assert_string_equal(error.message, "duplicate key");
        assert_int_equal(error.offset, 14);
        assert_int_equal(error.detail.len, 1);
        mt_arena_free(&a);
    }
}

static void a_value_can_be_taken_as_a_tree(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_jp j;
    mt_json tree;
    mt_str key;
    mt_json_limits two = {.depth = 2};
    mt_str text = MT_STR("{\"a\":[1,{\"b\":2}],\"c\":true}");
    mt_jp_start(&j, &a, text, NULL);
    mt_jp_object(&j);
    assert_true(mt_jp_key(&j, &key));
    assert_int_equal(mt_jp_offset(&j), 5);
    assert_true(mt_jp_tree(&j, &tree));
    assert_int_equal(tree.count, 2);
    assert_int_equal(tree.as.items[1].offset, 8);
    assert_true(mt_jp_key(&j, &key));
    assert_text(key, MT_STR("c"));
    /* Depth counts from the top of the document. */
    mt_jp_start(&j, &a, text, &two);
    mt_jp_object(&j);
    mt_jp_key(&j, &key);
    assert_false(mt_jp_tree(&j, &tree));
    assert_int_equal(mt_jp_finish(&j, NULL), MT_E_LIMIT);
    mt_arena_free(&a);
}

static void skipping_leaves_no_memory_behind(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_jp j;
    mt_alloc(&a, 1);
    mt_mark before = mt_arena_mark(&a);
    mt_jp_start(&j, &a, MT_STR("[{\"a\":[1,2,\"\\n\"]},[[[]]]]"), NULL);
    assert_true(mt_jp_skip(&j));
    assert_ptr_equal(mt_arena_mark(&a).cur, before.cur);
    mt_arena_free(&a);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, ROWS, faults);
    rows_test(&list, a_document_is_read_in_one_pass);
    rows_test(&list, a_guessed_key_is_read_or_left_alone);
    rows_test(&list, what_is_left_open_is_a_fault);
    rows_test(&list, duplicates_are_refused_for_known_and_unknown_keys);
    rows_test(&list, a_value_can_be_taken_as_a_tree);
    rows_test(&list, skipping_leaves_no_memory_behind);
    return rows_run(&list, "base/json_pull");
}
