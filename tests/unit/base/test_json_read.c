/* The strict reader: what it accepts, what it refuses and where it says so. Every row
 * is also read with the pull reader, which must agree. */
#include "../rows.h"

#include "base/json_write.h"
#include "pull_walk.h"

static const struct good {
    const char *name, *text, *want; /* canonical; NULL: the text itself */
} GOOD[] = {
    {"reads null", "null", NULL},
    {"reads true", "true", NULL},
    {"reads false with space around", " \t\r\n false\n ", "false"},
    {"reads an empty string", "\"\"", NULL},
    {"reads an empty array", "[ ]", "[]"},
    {"reads an empty object", "{\n}", "{}"},
    {"keeps the text of numbers",
     "[0,-0,1.50,1E+2,1e-7,123456789012345678901234567890.5]", NULL},
    {"keeps numbers of many digits", "[1.00000000000000000000000000000000000001,-12.5]",
     NULL},
    {"sorts keys by bytes", "{\"b\":1,\"a\":2,\"\":3,\"\xC3\xA9\":4,\"B\":5}",
     "{\"\":3,\"B\":5,\"a\":2,\"b\":1,\"\xC3\xA9\":4}"},
    {"decodes the short escapes", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
     "\"\\\"\\\\/\\b\\f\\n\\r\\t\""},
    {"decodes \\u to UTF-8", "\"\\u0041\\u00e9\\u20AC\"", "\"A\xC3\xA9\xE2\x82\xAC\""},
    {"decodes surrogate pairs", "\"\\ud83d\\ude00\\uDBFF\\uDFFF\"",
     "\"\xF0\x9F\x98\x80\xF4\x8F\xBF\xBF\""},
    {"keeps an escaped NUL inside of a string", "\"a\\u0000b\"", NULL},
    {"takes DEL and characters beyond ASCII raw", "\"\x7F\xE2\x80\xA8\"", NULL},
    {"reads strings longer than a block",
     "\"0123456789012345678901234567890123456789\\n0123456789012345678901234\xC3\xA9\"",
     NULL},
    {"nests", "[[[{\"a\":[{}]}]],[]]", NULL},
    {"tells keys with one summary apart", "{\"ab\":1,\"axb\":2,\"ba\":3,\"abb\":4}",
     "{\"ab\":1,\"abb\":4,\"axb\":2,\"ba\":3}"},
    {"spaces everywhere", " { \"a\" : [ 1 , 2 ] , \"b\" : { } } ",
     "{\"a\":[1,2],\"b\":{}}"},
    {"indentation of more than a block",
     "[\n                                     1\n,\t\t2]", "[1,2]"},
};

static void reads(void **state)
{
    const struct good *r = *state;
    mt_arena a = {0};
    mt_str text = fenced(mt_str_z(r->text));
    mt_json tree, pulled;
    mt_json_error error;
    assert_int_equal(mt_json_read(&a, text, NULL, &tree, &error), MT_OK);
    mt_buf out = {0};
    mt_json_write(&out, &tree, false);
    assert_text(mt_buf_str(&out), mt_str_z(r->want ? r->want : r->text));
    assert_int_equal(pull_walk(&a, text, NULL, &pulled, &error), MT_OK);
    assert_true(mt_json_equal(&tree, &pulled));
    mt_buf_free(&out);
    fenced_free(text);
    mt_arena_free(&a);
}

static const struct bad {
    const char *name, *text;
    size_t offset;
    const char *message;
} BAD[] = {
    {"refuses nothing at all", "", 0, "unexpected end of the text"},
    {"refuses space alone", "  ", 2, "unexpected end of the text"},
    {"refuses a second value", "1 2", 2, "text after the value"},
    {"refuses a comma after the value", "{},", 2, "text after the value"},
    {"refuses an unknown word", "nil", 0, "not a JSON value"},
    {"refuses a cut word", "tru", 0, "not a JSON value"},
    {"refuses other spellings", "True", 0, "not a JSON value"},
    {"refuses a byte order mark", "\xEF\xBB\xBF{}", 0,
     "byte order mark before the value"},
    {"refuses an open array", "[1,2", 4, "unexpected end of the text"},
    {"refuses an open object", "{\"a\":1", 6, "unexpected end of the text"},
    {"refuses a trailing comma in an array", "[1,]", 3, "not a JSON value"},
    {"refuses a leading comma in an array", "[,1]", 1, "not a JSON value"},
    {"refuses a trailing comma in an object", "{\"a\":1,}", 7,
     "expected a key in quotes"},
    {"refuses a missing comma", "[1 2]", 3, "expected ',' or the end of the container"},
    {"refuses the wrong bracket", "[1}", 2, "expected ',' or the end of the container"},
    {"refuses the wrong brace", "{\"a\":1]", 6,
     "expected ',' or the end of the container"},
    {"refuses a bare key", "{a:1}", 1, "expected a key in quotes"},
    {"refuses a key without value", "{\"a\"}", 4, "expected ':' after a key"},
    {"refuses a key without colon", "{\"a\" 1}", 5, "expected ':' after a key"},
    {"refuses single quotes", "'a'", 0, "not a JSON value"},
    {"refuses comments", "[1 /* x */]", 3, "expected ',' or the end of the container"},
    {"refuses a leading zero", "01", 0, "number starts with a superfluous zero"},
    {"refuses a plus sign", "+1", 0, "not a JSON value"},
    {"refuses a lone minus", "[-]", 2, "number has no digits"},
    {"refuses a point without digits", "[1.]", 3,
     "number has no digits after the point"},
    {"refuses a number that starts with a point", ".5", 0, "not a JSON value"},
    {"refuses an empty exponent", "1e+", 3, "number has no digits in the exponent"},
    {"refuses NaN", "NaN", 0, "not a JSON value"},
    {"refuses an open string", "\"abc", 4, "string has no end"},
    {"refuses an open escape", "\"abc\\", 5, "string has no end"},
    {"refuses a tab in a string", "\"a\tb\"", 2, "control character in a string"},
    {"refuses a line break in a string", "\"a\nb\"", 2,
     "control character in a string"},
    {"refuses an unknown escape", "\"\\x41\"", 1, "unknown escape in a string"},
    {"refuses a short \\u", "\"\\u12\"", 1, "\\u needs four hexadecimal digits"},
    {"refuses a \\u with other letters", "\"\\u12G4\"", 1,
     "\\u needs four hexadecimal digits"},
    {"refuses a lone high surrogate", "\"x\\ud800\"", 2, "lone surrogate in a string"},
    {"refuses a lone low surrogate", "\"\\udc00\"", 1, "lone surrogate in a string"},
    {"refuses two high surrogates", "\"\\ud800\\ud800\"", 1,
     "lone surrogate in a string"},
    {"refuses a high surrogate before text", "\"\\ud800abcdef\"", 1,
     "lone surrogate in a string"},
    {"refuses invalid UTF-8", "\"ab\xC3(\"", 3, "invalid UTF-8 in a string"},
    {"refuses an encoded surrogate", "\"\xED\xA0\x80\"", 1,
     "invalid UTF-8 in a string"},
    {"refuses invalid UTF-8 in a key", "{\"\xFF\":1}", 2, "invalid UTF-8 in a string"},
    {"refuses invalid UTF-8 outside of strings", "[1\xFF]", 2,
     "expected ',' or the end of the container"},
    {"refuses a duplicate key", "{\"a\":1,\"b\":2,\"a\":3}", 13, "duplicate key"},
    {"refuses a duplicate written with escapes", "{\"a\":1, \"\\u0061\" : 3}", 8,
     "duplicate key"},
    {"refuses a duplicate empty key", "{\"\":1,\"\":2}", 6, "duplicate key"},
    {"refuses a duplicate deep inside", "[{\"a\":{\"b\":1,\"b\":1}}]", 13,
     "duplicate key"},
};

/* The text inside of an array and far from the end, where the readers take their fast
 * paths. */
static mt_str surrounded(mt_str text)
{
    mt_buf b = {0};
    mt_buf_addc(&b, '[');
    mt_buf_adds(&b, text);
    mt_buf_addz(&b, ",\"0123456789012345678901234567890123456789\"]");
    mt_str copy = fenced(mt_buf_str(&b));
    mt_buf_free(&b);
    return copy;
}

static void reads_far_from_the_end(void **state)
{
    const struct good *r = *state;
    mt_arena a = {0};
    mt_str text = mt_str_z(r->text), wrapped = surrounded(text);
    mt_json tree, alone, pulled;
    assert_int_equal(mt_json_read(&a, text, NULL, &alone, NULL), MT_OK);
    assert_int_equal(mt_json_read(&a, wrapped, NULL, &tree, NULL), MT_OK);
    assert_true(mt_json_equal(&alone, &tree.as.items[0]));
    assert_int_equal(pull_walk(&a, wrapped, NULL, &pulled, NULL), MT_OK);
    assert_true(mt_json_equal(&tree, &pulled));
    fenced_free(wrapped);
    mt_arena_free(&a);
}

static void refuses_far_from_the_end(void **state)
{
    const struct bad *r = *state;
    mt_arena a = {0};
    mt_str wrapped = surrounded(mt_str_z(r->text));
    mt_json tree;
    assert_int_equal(mt_json_read(&a, wrapped, NULL, &tree, NULL), MT_E_SYNTAX);
    assert_int_equal(pull_walk(&a, wrapped, NULL, &tree, NULL), MT_E_SYNTAX);
    fenced_free(wrapped);
    mt_arena_free(&a);
}

static void control_characters_are_refused_in_strings(void **state)
{
    (void)state;
    for (int c = 0; c < 0x20; c++) {
        char text[] = "\"a?b\"";
        text[2] = (char)c;
        mt_str alone = mt_str_from(text, sizeof text - 1), wrapped = surrounded(alone);
        mt_arena a = {0};
        mt_json tree;
        assert_int_equal(mt_json_read(&a, alone, NULL, &tree, NULL), MT_E_SYNTAX);
        assert_int_equal(mt_json_read(&a, wrapped, NULL, &tree, NULL), MT_E_SYNTAX);
        assert_int_equal(pull_walk(&a, wrapped, NULL, &tree, NULL), MT_E_SYNTAX);
        fenced_free(wrapped);
        mt_arena_free(&a);
    }
}

static void refuses(void **state)
{
    const struct bad *r = *state;
    mt_arena a = {0};
    mt_str text = fenced(mt_str_z(r->text));
    mt_json tree;
    mt_json_error error;
    assert_int_equal(mt_json_read(&a, text, NULL, &tree, &error), MT_E_SYNTAX);
    assert_string_equal(error.message, r->message);
    assert_int_equal(error.offset, r->offset);
    assert_int_equal(pull_walk(&a, text, NULL, &tree, &error), MT_E_SYNTAX);
    assert_string_equal(error.message, r->message);
    assert_int_equal(error.offset, r->offset);
    fenced_free(text);
    mt_arena_free(&a);
}

static void a_raw_nul_is_refused_everywhere(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t len;
    } TEXTS[] = {
        {"\0", 1}, {"[1\0]", 4}, {"\"a\0b\"", 5}, {"{}\0", 3}, {"{\"a\0\":1}", 8}};
    for (size_t i = 0; i < rows_count(TEXTS); i++) {
        mt_arena a = {0};
        mt_json tree;
        mt_str text = mt_str_from(TEXTS[i].text, TEXTS[i].len);
        assert_int_equal(mt_json_read(&a, text, NULL, &tree, NULL), MT_E_SYNTAX);
        assert_int_equal(pull_walk(&a, text, NULL, &tree, NULL), MT_E_SYNTAX);
        mt_arena_free(&a);
    }
}

static void the_duplicate_key_is_named(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_json tree;
    mt_json_error error;
    mt_json_read(&a, MT_STR("{\"k\\n\":1,\"k\\n\":2}"), NULL, &tree, &error);
    assert_text(error.detail, MT_STR("k\n"));
    mt_arena_free(&a);
}

static void values_know_their_place(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_json tree;
    mt_str text = MT_STR("{\"\xC3\xA9\":\n [10, \"x\"]}");
    assert_int_equal(mt_json_read(&a, text, NULL, &tree, NULL), MT_OK);
    const mt_json *list = mt_json_at(&tree, "\xC3\xA9");
    uint32_t line, column;
    assert_int_equal(list->offset, 8);
    assert_int_equal(list->as.items[1].offset, 13);
    mt_json_place(text, 13, &line, &column);
    assert_int_equal(line, 2);
    assert_int_equal(column, 7);
    mt_json_place(text, 5, &line, &column);
    assert_int_equal(line, 1);
    assert_int_equal(column, 5);
    mt_json_place(text, 999, &line, &column);
    assert_int_equal(line, 2);
    mt_arena_free(&a);
}

static const struct whole {
    const char *name, *text;
    mt_err err;
    int64_t value;
} WHOLES[] = {
    {"an integer is one", "42", MT_OK, 42},
    {"minus zero is zero", "-0", MT_OK, 0},
    {"the largest integer fits", "9223372036854775807", MT_OK, INT64_MAX},
    {"the smallest integer fits", "-9223372036854775808", MT_OK, INT64_MIN},
    {"one more does not", "9223372036854775808", MT_E_RANGE, 0},
    {"one less does not", "-9223372036854775809", MT_E_RANGE, 0},
    {"what wraps around does not", "18446744073709551617", MT_E_RANGE, 0},
    {"a hundred digits do not",
     "100000000000000000000000000000000000000000000000000000000000000000000000000000000"
     "0000",
     MT_E_RANGE, 0},
    {"a fraction is no integer", "1.0", MT_E_TYPE, 0},
    {"an exponent makes no integer", "1e2", MT_E_TYPE, 0},
    {"a string is no integer", "\"1\"", MT_E_TYPE, 0},
};

static void reads_integers(void **state)
{
    const struct whole *r = *state;
    mt_arena a = {0};
    mt_json tree;
    mt_jp j;
    int64_t value = 0, pulled = 0;
    assert_int_equal(mt_json_read(&a, mt_str_z(r->text), NULL, &tree, NULL), MT_OK);
    assert_int_equal(mt_json_i64(&tree, &value), r->err);
    assert_int_equal(value, r->value);
    mt_jp_start(&j, &a, mt_str_z(r->text), NULL);
    assert_int_equal(mt_jp_i64(&j, &pulled), r->err == MT_OK);
    assert_int_equal(mt_jp_finish(&j, NULL), r->err);
    assert_int_equal(pulled, r->value);
    mt_arena_free(&a);
}

static const struct pair {
    const char *name, *a, *b;
    bool want;
} PAIRS[] = {
    {"numbers are equal by value", "1.50", "15e-1", true},
    {"trailing zeros do not matter", "100", "1E2", true},
    {"leading zeros do not matter", "0.0010", "1e-3", true},
    {"zero has no sign and no exponent", "-0.00", "0e99", true},
    {"the point may move", "12.5", "0.125e2", true},
    {"long numbers are compared exactly", "100000000000000000000000000001",
     "100000000000000000000000000002", false},
    {"signs matter", "1", "-1", false},
    {"magnitudes matter", "1", "10", false},
    {"the point matters", "0.01", "0.1", false},
    {"huge exponents are equal as text", "1e99999999999999999999",
     "1e99999999999999999999", true},
    {"huge exponents are not guessed", "1e99999999999999999999",
     "1e99999999999999999998", false},
    {"a number is no string", "1", "\"1\"", false},
    {"key order does not matter", "{\"a\":1,\"b\":[2]}", "{\"b\":[2.0],\"a\":1}", true},
    {"keys matter", "{\"a\":1}", "{\"b\":1}", false},
    {"a missing member matters", "{\"a\":1}", "{\"a\":1,\"b\":2}", false},
    {"item order matters", "[1,2]", "[2,1]", false},
    {"lengths matter", "[1]", "[1,2]", false},
    {"escapes do not matter", "\"\\u0061\"", "\"a\"", true},
    {"booleans differ", "true", "false", false},
};

static void compares(void **state)
{
    const struct pair *r = *state;
    mt_arena a = {0};
    mt_json x, y;
    assert_int_equal(mt_json_read(&a, mt_str_z(r->a), NULL, &x, NULL), MT_OK);
    assert_int_equal(mt_json_read(&a, mt_str_z(r->b), NULL, &y, NULL), MT_OK);
    assert_int_equal(mt_json_equal(&x, &y), r->want);
    assert_int_equal(mt_json_equal(&y, &x), r->want);
    mt_arena_free(&a);
}

static void looking_at_nothing_finds_nothing(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_json tree;
    mt_json_read(&a, MT_STR("{\"a\":[]}"), NULL, &tree, NULL);
    assert_null(mt_json_at(NULL, "a"));
    assert_null(mt_json_at(&tree, "b"));
    assert_null(mt_json_at(mt_json_at(&tree, "a"), "b"));
    assert_int_equal(mt_json_text(NULL).len, 0);
    assert_int_equal(mt_json_text(&tree).len, 0);
    assert_false(mt_json_is(NULL, MT_JSON_NULL));
    assert_string_equal(mt_json_type_name(&tree), "object");
    mt_arena_free(&a);
}

static void depth_and_size_are_limited(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_json tree;
    mt_json_error error;
    mt_json_limits three = {.depth = 3}, bytes = {.bytes = 4};
    assert_int_equal(mt_json_read(&a, MT_STR("[[[1]]]"), &three, &tree, NULL), MT_OK);
    assert_int_equal(mt_json_read(&a, MT_STR("[{\"a\":[[1]]}]"), &three, &tree, &error),
                     MT_E_LIMIT);
    assert_int_equal(error.offset, 7);
    assert_int_equal(pull_walk(&a, MT_STR("[[[[1]]]]"), &three, &tree, NULL),
                     MT_E_LIMIT);
    assert_int_equal(mt_json_read(&a, MT_STR("[12]"), &bytes, &tree, NULL), MT_OK);
    assert_int_equal(mt_json_read(&a, MT_STR("[123]"), &bytes, &tree, NULL),
                     MT_E_LIMIT);
    assert_int_equal(pull_walk(&a, MT_STR("[123]"), &bytes, &tree, NULL), MT_E_LIMIT);
    mt_arena_free(&a);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, GOOD, reads);
    rows_add(&list, BAD, refuses);
    rows_add(&list, GOOD, reads_far_from_the_end);
    rows_add(&list, BAD, refuses_far_from_the_end);
    rows_test(&list, control_characters_are_refused_in_strings);
    rows_add(&list, WHOLES, reads_integers);
    rows_add(&list, PAIRS, compares);
    rows_test(&list, a_raw_nul_is_refused_everywhere);
    rows_test(&list, the_duplicate_key_is_named);
    rows_test(&list, values_know_their_place);
    rows_test(&list, looking_at_nothing_finds_nothing);
    rows_test(&list, depth_and_size_are_limited);
    return rows_run(&list, "base/json_read");
}
