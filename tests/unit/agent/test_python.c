/* What Python prints, decodes and casts; every expectation is what Python 3 says. */
#include "../rows.h"

#include "agent/chars.h"
#include "agent/python.h"
#include "base/json_write.h"
#include "base/utf8.h"

static mt_arena arena;

static mt_json read_json(const char *text)
{
    mt_json value;
    assert_int_equal(mt_json_read(&arena, mt_str_z(text), NULL, &value, NULL), MT_OK);
    return value;
}

static void is_dumped(const mt_json *value, const char *want)
{
    mt_buf out = {0};
    ag_py_dumps(&out, value);
    assert_text(mt_buf_str(&out), mt_str_z(want));
    mt_buf_free(&out);
}

/* json.dumps(json.loads(text)) */
static const struct row {
    const char *name, *text, *want;
} DUMPS[] = {
    {"words", "[null,true,false]", "[null, true, false]"},
    {"an empty list and object", "[[],{}]", "[[], {}]"},
    {"members", "{\"b\":1,\"a\":{\"c\":[2]}}", "{\"b\": 1, \"a\": {\"c\": [2]}}"},
    {"integers of any size", "[0,-0,-7,123456789012345678901234567890]",
     "[0, 0, -7, 123456789012345678901234567890]"},
    {"floats", "[0.0,-0.0,1.0,12.5,1E2,0.1]", "[0.0, -0.0, 1.0, 12.5, 100.0, 0.1]"},
    {"large floats", "[1e15,9999999999999998.0,1e16,1.2345678901234568e17,1e300]",
     "[1000000000000000.0, 9999999999999998.0, 1e+16, 1.2345678901234568e+17, 1e+300]"},
    {"small floats", "[0.0001,0.00012345,0.00001,1.5e-7,5e-324]",
     "[0.0001, 0.00012345, 1e-05, 1.5e-07, 5e-324]"},
    {"escapes", "\"\\u0000\\u001f \\\"\\\\\\n\\r\\t\\b\\f/~\\u007f\"",
     "\"\\u0000\\u001f \\\"\\\\\\n\\r\\t\\b\\f/~\\u007f\""},
    {"letters beyond ASCII", "\"\xC2\x80\xC3\xA9\xEF\xBF\xBF\"",
     "\"\\u0080\\u00e9\\uffff\""},
    {"letters beyond the basic plane",
     "\"\xF0\x90\x80\x80\xF0\x9F\x98\x80\xF4\x8F\xBF\xBF\"",
     "\"\\ud800\\udc00\\ud83d\\ude00\\udbff\\udfff\""},
};

static void dumps(void **state)
{
    const struct row *row = *state;
    mt_json value = read_json(row->text);
    is_dumped(&value, row->want);
}

/* repr(text) */
static const struct row REPRS[] = {
    {"nothing", "", "''"},
    {"a word", "word", "'word'"},
    {"a single quote", "a'b", "\"a'b\""},
    {"a double quote", "a\"b", "'a\"b'"},
    {"both quotes", "a'b\"", "'a\\'b\"'"},
    {"a backslash and line ends", "\\\n\r\t", "'\\\\\\n\\r\\t'"},
    {"control characters", "\x01\x1f ~\x7f", "'\\x01\\x1f ~\\x7f'"},
    {"what is not printed, of one byte", "\xC2\x80\xC2\xA0\xC2\xAD",
     "'\\x80\\xa0\\xad'"},
    {"what is printed", "\xC3\xA9\xC4\x80\xF0\x9F\x98\x80",
     "'\xC3\xA9\xC4\x80\xF0\x9F\x98\x80'"},
    {"what is not printed, of more",
     "\xE2\x80\x8B\xE2\x80\xA8\xEE\x80\x80\xF3\xA0\x80\x81",
     "'\\u200b\\u2028\\ue000\\U000e0001'"},
};

static void reprs(void **state)
{
    const struct row *row = *state;
    mt_buf out = {0};
    ag_py_repr(&out, mt_str_z(row->text));
    assert_text(mt_buf_str(&out), mt_str_z(row->want));
    mt_buf_free(&out);
}

static void a_type_tree_names_every_leaf(void **state)
{
    (void)state;
    mt_json value =
        read_json("{\"a\":[1,1.0,1e0,2E1,\"x\",null,true],\"b\":{\"c\":{}},\"d\":[]}");
    mt_json type = ag_py_type(&arena, &value);
    is_dumped(&type, "{\"a\": [\"int\", \"float\", \"float\", \"float\", \"str\", "
                     "\"null\", \"bool\"], \"b\": {\"c\": {}}, \"d\": []}");
}

/* A payload that is cast to a type; the payload is decoded first, as often as it can
 * be. */
static const struct cast {
    const char *name, *payload, *type, *want;
} CASTS[] = {
    {"a number to text", "5", "\"str\"", "\"5\""},
    {"a float to text", "1e5", "\"str\"", "\"100000.0\""},
    {"a list to text", "[1,\"a'b\",null,true,false,{\"k\":1.5}]", "\"str\"",
     "\"[1, \\\"a'b\\\", None, True, False, {'k': 1.5}]\""},
    {"text stays text", "\"x y\"", "\"str\"", "\"x y\""},
    {"text that is JSON is decoded", "\"[1, 2]\"", "[\"int\",\"int\"]", "[1, 2]"},
    {"text in text in text", "\"\\\"\\\\\\\"7\\\\\\\"\\\"\"", "\"int\"", "7"},
    {"members are decoded, too", "{\"a\":\"[\\\"1\\\"]\"}", "{}", "{\"a\": [1]}"},
    {"not a number", "\"NaN\"", "\"float\"", "NaN"},
    {"no end", "[\"Infinity\",\" -Infinity \"]", "[\"float\",\"float\"]",
     "[Infinity, -Infinity]"},
    {"no end as text", "[\"Infinity\",\"-Infinity\",\"NaN\"]", "\"str\"",
     "\"[inf, -inf, nan]\""},
    {"truth of numbers", "[0,-0,0.0,1,0.5,\"NaN\"]",
     "[\"bool\",\"bool\",\"bool\",\"bool\",\"bool\",\"bool\"]",
     "[false, false, false, true, true, true]"},
    {"truth of others", "[\"\",\"x\",[],[0],{},{\"a\":0},null,true,false]",
     "[\"bool\",\"bool\",\"bool\",\"bool\",\"bool\",\"bool\",\"bool\",\"bool\","
     "\"bool\"]",
     "[false, true, false, true, false, true, false, true, false]"},
    {"a truth to an int", "[true,false]", "[\"int\",\"int\"]", "[1, 0]"},
    {"a truth to a float", "[true,false]", "[\"float\",\"float\"]", "[1.0, 0.0]"},
    {"a float to an int", "[1.9,-1.9,1e15,-0.5,8e15]",
     "[\"int\",\"int\",\"int\",\"int\",\"int\"]",
     "[1, -1, 1000000000000000, 0, 8000000000000000]"},
    {"a large float to an int", "[1e16,-1e22]", "[\"int\",\"int\"]",
     "[10000000000000000, -10000000000000000000000]"},
    {"no end is no int", "\"Infinity\"", "\"int\"", "Infinity"},
    {"int of a text",
     "[\" 7 \",\"+7\",\"1_000\",\"0_0\",\"007\",\"-007\",\"-0\",\"00\"]",
     "[\"int\",\"int\",\"int\",\"int\",\"int\",\"int\",\"int\",\"int\"]",
     "[7, 7, 1000, 0, 7, -7, 0, 0]"},
    {"no int of a text",
     "[\"_1\",\"1_\",\"1__0\",\"--1\",\"+\",\"- 1\",\"1 0\",\"x1\",\"/\","
     "\":\",\"1:\"]",
     "[\"int\",\"int\",\"int\",\"int\",\"int\",\"int\",\"int\",\"int\",\"int\",\"int\","
     "\"int\"]",
     "[\"_1\", \"1_\", \"1__0\", \"--1\", \"+\", \"- 1\", \"1 0\", \"x1\", \"/\", "
     "\":\", "
     "\"1:\"]"},
    {"an int stays as it is", "123456789012345678901", "\"int\"",
     "123456789012345678901"},
    {"a list is no int", "[]", "\"int\"", "[]"},
    {"float of a text",
     "[\" +1.5 \",\"1_0.5_0\",\".5\",\"5.\",\"inf\",\"-Inf\",\"nan\",\"1e+3\"]",
     "[\"float\",\"float\",\"float\",\"float\",\"float\",\"float\",\"float\","
     "\"float\"]",
     "[1.5, 10.5, 0.5, 5.0, Infinity, -Infinity, NaN, 1000.0]"},
    {"no float of a text",
     "[\"\",\"1_\",\"_1\",\"1__0\",\"1_.5\",\"1._5\",\"1_e5\",\"0x10\",\"0X1\",\"nan(1)"
     "\",\"1 0\"]",
     "[\"float\",\"float\",\"float\",\"float\",\"float\",\"float\",\"float\",\"float\","
     "\"float\",\"float\",\"float\"]",
     "[\"\", \"1_\", \"_1\", \"1__0\", \"1_.5\", \"1._5\", \"1_e5\", \"0x10\", "
     "\"0X1\", "
     "\"nan(1)\", \"1 0\"]"},
    {"an int to a float", "[3,9007199254740993]", "[\"float\",\"float\"]",
     "[3.0, 9007199254740992.0]"},
    {"a list is no float", "[]", "\"float\"", "[]"},
    {"another word casts nothing", "[1,null]", "[\"number\",\"null\"]", "[1, null]"},
    {"members come in the order of the type", "{\"c\":3,\"a\":1,\"b\":2}",
     "{\"a\":\"str\",\"x\":\"int\",\"b\":\"float\"}",
     "{\"a\": \"1\", \"b\": 2.0, \"c\": 3}"},
    {"a list longer than its type", "[1,2,3]", "[\"str\"]", "[\"1\", 2, 3]"},
    {"a list shorter than its type", "[1]", "[\"str\",\"str\"]", "[\"1\"]"},
    {"another shape is left alone", "[1]", "{\"a\":\"str\"}", "[1]"},
    {"and another", "{\"a\":1}", "[\"str\"]", "{\"a\": 1}"},
};

static void is_cast(void **state)
{
    const struct cast *row = *state;
    mt_str line = mt_strf(&arena,
                          "{\"remote_addr\":\"r\",\"content\":{\"_version\":1,"
                          "\"_payload\":%s,\"_type\":%s}}",
                          row->payload, row->type);
    mt_json got = ag_py_recover(&arena, line);
    is_dumped(mt_json_at(&got, "content"), row->want);
    is_dumped(mt_json_at(&got, "remote_addr"), "\"r\"");
}

static const struct row LINES[] = {
    {"what is no JSON is text", "hello [\n", "\"hello [\""},
    {"without a line end, too", "hello", "\"hello\""},
    {"nothing is text", "", "\"\""},
    {"one line end only", "x\n\n", "\"x\\n\""},
    {"a special number", "NaN", "NaN"},
    {"escapes with a name", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
     "\"\\\"\\\\/\\b\\f\\n\\r\\t\""},
    {"an escape without one is text", "[\"\\x\"]", "\"[\\\"\\\\x\\\"]\""},
    {"a pair of halves", "[\"\\ud83d\\ude00\"]", "[\"\\ud83d\\ude00\"]"},
    {"a half and no second is text", "[\"\\ud83d\\u12\"]",
     "\"[\\\"\\\\ud83d\\\\u12\\\"]\""},
    {"a half and another letter", "[\"\\ud83dx\"]", "[\"\\ud83dx\"]"},
    {"a half and an escape that is no half", "[\"\\ud83d\\u0041\"]", "[\"\\ud83dA\"]"},
    {"exponents", "[1e2,1E+2,1e-2,-1.5e1]", "[100.0, 100.0, 0.01, -15.0]"},
    {"an exponent without digits is text", "[1e]", "\"[1e]\""},
    {"an exponent with a sign alone is text", "[1e+]", "\"[1e+]\""},
    {"a point without digits is text", "[1.]", "\"[1.]\""},
    {"a zero before digits is text", "[01]", "\"[01]\""},
    {"a minus alone is text", "[-]", "\"[-]\""},
    {"a list that does not end is text", "[1", "\"[1\""},
    {"a list without a comma is text", "[1 2]", "\"[1 2]\""},
    {"a list with a bad item is text", "[1,x]", "\"[1,x]\""},
    {"a text that does not end in a list", "[\"a", "\"[\\\"a\""},
    {"an object that does not end is text", "{\"a\":1", "\"{\\\"a\\\":1\""},
    {"an object with a bare key is text", "{a:1}", "\"{a:1}\""},
    {"the last value of a key, at its first place", "{\"a\":1,\"b\":2,\"a\":3}",
     "{\"a\": 3, \"b\": 2}"},
    {"an empty object and an empty list", "[{},[]]", "[{}, []]"},
    {"no end in a list", "[Infinity,-Infinity]", "[Infinity, -Infinity]"},
    {"a value alone", "{\"a\":\"1\"}", "{\"a\": 1}"},
    {"without an address nothing is unpacked",
     "{\"content\":{\"_version\":1,\"_payload\":1,\"_type\":\"str\"}}",
     "{\"content\": {\"_version\": 1, \"_payload\": 1, \"_type\": \"str\"}}"},
    {"without content nothing is", "{\"remote_addr\":\"r\",\"x\":1}",
     "{\"remote_addr\": \"r\", \"x\": 1}"},
    {"an envelope leaves the rest out",
     "{\"x\":0,\"content\":{\"a\":1},\"remote_addr\":\"r\"}",
     "{\"remote_addr\": \"r\", \"content\": {\"a\": 1}}"},
    {"a part of an envelope stays",
     "{\"remote_addr\":\"r\",\"content\":{\"_payload\":1,\"_type\":\"str\"}}",
     "{\"remote_addr\": \"r\", \"content\": {\"_payload\": 1, \"_type\": \"str\"}}"},
    {"and so does another part",
     "{\"remote_addr\":\"r\",\"content\":{\"_version\":1,\"_payload\":1}}",
     "{\"remote_addr\": \"r\", \"content\": {\"_version\": 1, \"_payload\": 1}}"},
};

static void is_recovered(void **state)
{
    const struct row *row = *state;
    mt_json got = ag_py_recover(&arena, mt_str_z(row->text));
    is_dumped(&got, row->want);
}

/* json.loads(text), then json.dumps() as for DUMPS; want NULL: an error. */
static const struct row LOADS[] = {
    {"hexadecimal digits of either case", "\"\\u00fF\\u0aBc\\uABCD\"",
     "\"\\u00ff\\u0abc\\uabcd\""},
    {"a pair is one letter", "\"\\uD83d\\uDe00\"", "\"\\ud83d\\ude00\""},
    {"the first and the last pair", "\"\\ud800\\udc00\\udbff\\udfff\"",
     "\"\\ud800\\udc00\\udbff\\udfff\""},
    {"what is below and above the halves", "\"\\ud7ff\\ue000\"", "\"\\ud7ff\\ue000\""},
    {"three digits", "\"\\u00f\"", NULL},
    {"letters that are no digits", "\"\\u00fg\"", NULL},
    {"more of them", "\"\\u00f/\"", NULL},
    {"and more", "\"\\u00f:\"", NULL},
    {"capitals that are no digits", "\"\\u00fG\"", NULL},
    {"signs before the letters", "\"\\u00f@\"", NULL},
    {"signs before the small letters", "\"\\u00f`\"", NULL},
    {"a second half that is cut off", "\"\\ud83d\\ude0\"", NULL},
    {"every escape", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\\"\\\\/\\b\\f\\n\\r\\t\""},
    {"no such escape", "\"\\x\"", NULL},
    {"a backslash at the end", "\"\\", NULL},
    {"numbers", "[0, -0, -7, 1.5, 1e5, 1E+5, 1e-5, 1.25e2, 10]",
     "[0, 0, -7, 1.5, 100000.0, 100000.0, 1e-05, 125.0, 10]"},
    {"no end in numbers", "[NaN, Infinity, -Infinity]", "[NaN, Infinity, -Infinity]"},
    {"nothing", "", NULL},
    {"blanks alone", " \t\r\n", NULL},
    {"blanks around", " \t\r\n[ 1 , { \"a\" : 2 } ] \n", "[1, {\"a\": 2}]"},
    {"something behind", "[] x", NULL},
    {"a comma at the end", "[1,]", NULL},
    {"a comma at the end of an object", "{\"a\":1,}", NULL},
    {"a key without a colon", "{\"a\" 1}", NULL},
    {"words that begin alike", "[nul]", NULL},
    {"true and false and nothing", "[true, false, null]", "[true, false, null]"},
};

static void is_loaded(void **state)
{
    const struct row *row = *state;
    mt_json got;
    mt_str text = fenced(mt_str_z(row->text));
    mt_json_limits limits = {.bytes = 1000, .depth = 10};
    mt_err err = ag_py_loads(&arena, text, &limits, AG_PY_AS_IS, &got);
    assert_int_equal(err, row->want ? MT_OK : MT_E_SYNTAX);
    if (row->want) {
        is_dumped(&got, row->want);
    }
    fenced_free(text);
}

/* Lists in lists are followed, but not for ever: what stands deeper stays text. */
static void depth_is_bounded(void **state)
{
    (void)state;
    for (int depth = 64; depth <= 65; depth++) {
        mt_buf text = {0}, want = {0};
        for (int i = 0; i < depth; i++) {
            mt_buf_addc(&text, '[');
            mt_buf_addc(&want, '[');
        }
        mt_buf_addz(&text, "\"1\"");
        mt_buf_addz(&want, depth > 64 ? "\"1\"" : "1");
        for (int i = 0; i < depth; i++) {
            mt_buf_addc(&text, ']');
            mt_buf_addc(&want, ']');
        }
        mt_json got = ag_py_recover(&arena, mt_buf_str(&text));
        mt_buf_addc(&want, '\0');
        is_dumped(&got, want.ptr);
        mt_buf_free(&text);
        mt_buf_free(&want);
    }
}

/* str.isspace() of Python 3 is true for these and no others. */
static const struct range {
    uint32_t first, last;
} SPACES[] = {{9, 13},          {28, 32},         {0x85, 0x85},     {0xA0, 0xA0},
              {0x1680, 0x1680}, {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F},
              {0x205F, 0x205F}, {0x3000, 0x3000}};

static bool is_space(uint32_t c)
{
    for (size_t i = 0; i < sizeof SPACES / sizeof *SPACES; i++) {
        if (c >= SPACES[i].first && c <= SPACES[i].last) {
            return true;
        }
    }
    return false;
}

static void strip_takes_every_space_and_nothing_else(void **state)
{
    (void)state;
    for (uint32_t c = 1; c <= 0x10FFFF; c++) {
        if (c >= 0xD800 && c <= 0xDFFF) {
            continue;
        }
        char text[16];
        size_t len = mt_utf8_encode(c, text);
        memcpy(text + len, "x", 1);
        size_t twice = len + 1 + mt_utf8_encode(c, text + len + 1);
        size_t left = ag_strip(mt_str_from(text, twice)).len;
        if (left != (is_space(c) ? 1 : twice)) {
            fail_msg("U+%04X", c);
        }
    }
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, DUMPS, dumps);
    rows_add(&list, REPRS, reprs);
    rows_test(&list, a_type_tree_names_every_leaf);
    rows_add(&list, CASTS, is_cast);
    rows_add(&list, LINES, is_recovered);
    rows_add(&list, LOADS, is_loaded);
    rows_test(&list, depth_is_bounded);
    rows_test(&list, strip_takes_every_space_and_nothing_else);
    int failed = rows_run(&list, "agent/python");
    mt_arena_free(&arena);
    return failed;
}
