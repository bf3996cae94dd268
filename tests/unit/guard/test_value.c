/* Paths, patterns, values and the texts of messages: what an agent writes is compared
 * as it is meant, and what is passed on is what was written. */
#include "../rows.h"

#include "guard/guard.h"

static const struct row {
    const char *name, *in, *want;
} PATHS[] = {
    {"a plain path stays", "/srv/a", "/srv/a"},
    {"a doubled slash is one", "/srv//a/", "/srv/a"},
    {"a dot is nothing", "/./srv/./a/.", "/srv/a"},
    {"two dots go up", "/srv/x/../a", "/srv/a"},
    {"nothing is above the root", "/../../etc", "/etc"},
    {"a relative path may go up", "../a/../../b", "../../b"},
    {"nothing is here", "", "."},
    {"the root stays", "/", "/"},
    {"three dots are a name", "/srv/...", "/srv/..."},
};

static void a_path_is_plain(void **state)
{
    const struct row *r = *state;
    mt_arena a = {0};
    mt_str got = gd_path_plain(&a, mt_str_z(r->in));
    assert_text(got, mt_str_z(r->want));
    mt_arena_free(&a);
}

static const struct match {
    const char *name, *pattern, *text;
    bool want;
} MATCHES[] = {
    {"the same text", "abc", "abc", true},
    {"a longer text", "abc", "abcd", false},
    {"a star is any characters", "a*c", "abbbc", true},
    {"a star is no characters, too", "a*c", "ac", true},
    {"a star stops at a slash", "/a/*", "/a/b/c", false},
    {"two stars do not", "/a/**", "/a/b/c", true},
    {"two stars in the middle", "/a/**/z", "/a/b/c/z", true},
    {"stars after stars", "**/*.py", "src/x/y.py", true},
    {"one star behind two", "/**/x*", "/a/xb/c", false},
    {"a question mark is one character", "a?c", "abc", true},
    {"a question mark is not a slash", "a?c", "a/c", false},
    {"no pattern, no text", "", "", true},
    {"no pattern, text", "", "a", false},
    {"a star for nothing", "*", "", true},
    {"many stars end soon", "*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     false},
};

static void a_pattern_matches(void **state)
{
    const struct match *r = *state;
    assert_int_equal(gd_matches(mt_str_z(r->pattern), mt_str_z(r->text)), r->want);
}

/* The map's row as it would be read, and the arguments. */
static const struct made {
    const char *name;
    gd_value value;
    const char *list, *arguments, *want; /* want NULL: it is not there */
} VALUES[] = {
    {"as it is", {.from = MT_STR_INIT("a")}, NULL, "{\"a\":[1,2]}", "[1,2]"},
    {"inside", {.from = MT_STR_INIT("a.b")}, NULL, "{\"a\":{\"b\":7}}", "7"},
    {"not there", {.from = MT_STR_INIT("a.b")}, NULL, "{\"a\":3}", NULL},
    {"a length",
     {.from = MT_STR_INIT("a"), .as = GD_AS_LENGTH},
     NULL,
     "{\"a\":\"xyz\"}",
     "3"},
    {"no length of a number",
     {.from = MT_STR_INIT("a"), .as = GD_AS_LENGTH},
     NULL,
     "{\"a\":7}",
     "null"},
    {"a count",
     {.from = MT_STR_INIT("a"), .as = GD_AS_COUNT},
     NULL,
     "{\"a\":[1]}",
     "1"},
    {"no count of text",
     {.from = MT_STR_INIT("a"), .as = GD_AS_COUNT},
     NULL,
     "{\"a\":\"x\"}",
     "null"},
    {"is it there",
     {.from = MT_STR_INIT("a"), .as = GD_AS_PRESENT},
     NULL,
     "{}",
     "false"},
    {"it is",
     {.from = MT_STR_INIT("a"), .as = GD_AS_PRESENT},
     NULL,
     "{\"a\":null}",
     "true"},
    {"a number as text",
     {.from = MT_STR_INIT("a"), .as = GD_AS_TEXT},
     NULL,
     "{\"a\":1.50}",
     "\"1.50\""},
    {"a path",
     {.from = MT_STR_INIT("a"), .as = GD_AS_PATH},
     NULL,
     "{\"a\":\"/x/../y\"}",
     "\"/y\""},
    {"under", {.from = MT_STR_INIT("a")}, "[\"/srv\"]", "{\"a\":\"/srv/x\"}", "true"},
    {"the directory itself",
     {.from = MT_STR_INIT("a")},
     "[\"/srv/\"]",
     "{\"a\":\"/srv\"}",
     "true"},
    {"a name that begins alike",
     {.from = MT_STR_INIT("a")},
     "[\"/srv\"]",
     "{\"a\":\"/srvx\"}",
     "false"},
    {"out of it",
     {.from = MT_STR_INIT("a")},
     "[\"/srv\"]",
     "{\"a\":\"/srv/../etc\"}",
     "false"},
    {"a list is under nothing",
     {.from = MT_STR_INIT("a")},
     "[\"/\"]",
     "{\"a\":[\"/srv\"]}",
     "null"},
    {"what is not there is not compared",
     {.from = MT_STR_INIT("a")},
     "[\"/\"]",
     "{}",
     NULL},
    {"text with a zero is under nothing",
     {.from = MT_STR_INIT("a")},
     "[\"/srv\"]",
     "{\"a\":\"/srv/../etc/x\\u0000/../../srv/a\"}",
     "null"},
    {"a path with a zero",
     {.from = MT_STR_INIT("a"), .as = GD_AS_PATH},
     NULL,
     "{\"a\":\"/srv/a\\u0000\"}",
     "null"},
    {"another member that may be taken for it",
     {.from = MT_STR_INIT("a.key")},
     NULL,
     "{\"a\":{\"key\":1,\"Key\":2}}",
     "null"},
    {"the sign of Kelvin is a k, too",
     {.from = MT_STR_INIT("a.key"), .as = GD_AS_PRESENT},
     NULL,
     "{\"a\":{\"\xe2\x84\xaa"
     "ey\":2}}",
     "null"},
    {"a name that begins like another is another",
     {.from = MT_STR_INIT("key")},
     NULL,
     "{\"key\":1,\"Keys\":2,\"ke\":3}",
     "1"},
    {"here", {.from = MT_STR_INIT("a")}, "[\".\"]", "{\"a\":\"x/../.y\"}", "true"},
    {"not here but above",
     {.from = MT_STR_INIT("a")},
     "[\".\"]",
     "{\"a\":\"x/../../y\"}",
     "false"},
    {"not here but at home",
     {.from = MT_STR_INIT("a")},
     "[\".\"]",
     "{\"a\":\"~/y\"}",
     "false"},
    {"not here but at the root",
     {.from = MT_STR_INIT("a")},
     "[\".\"]",
     "{\"a\":\"/y\"}",
     "false"},
    {"one above", {.from = MT_STR_INIT("a")}, "[\"..\"]", "{\"a\":\"../y\"}", "true"},
    {"here is here", {.from = MT_STR_INIT("a")}, "[\".\"]", "{\"a\":\"\"}", "true"},
    {"above is not here",
     {.from = MT_STR_INIT("a")},
     "[\".\"]",
     "{\"a\":\"..\"}",
     "false"},
    {"a name of two dots and more is here",
     {.from = MT_STR_INIT("a")},
     "[\".\"]",
     "{\"a\":\"..x/y\"}",
     "true"},
    {"the root has all from the root",
     {.from = MT_STR_INIT("a")},
     "[\"/\"]",
     "{\"a\":\"/x\"}",
     "true"},
    {"and nothing else",
     {.from = MT_STR_INIT("a")},
     "[\"/\"]",
     "{\"a\":\"x\"}",
     "false"},
    {"the second of two directories",
     {.from = MT_STR_INIT("a")},
     "[\"/a\",\"/b\"]",
     "{\"a\":\"/b/c\"}",
     "true"},
    {"the first of two directories",
     {.from = MT_STR_INIT("a")},
     "[\"/a\",\"/b\"]",
     "{\"a\":\"/a/c\"}",
     "true"},
    {"of no directories", {.from = MT_STR_INIT("a")}, "[]", "{\"a\":\"/a\"}", "false"},
    {"a directory that only begins above",
     {.from = MT_STR_INIT("a")},
     "[\"..\"]",
     "{\"a\":\"..\"}",
     "true"},
    {"a truth as text",
     {.from = MT_STR_INIT("a"), .as = GD_AS_TEXT},
     NULL,
     "{\"a\":true}",
     "\"true\""},
    {"no truth as text",
     {.from = MT_STR_INIT("a"), .as = GD_AS_TEXT},
     NULL,
     "{\"a\":false}",
     "\"false\""},
    {"text as text",
     {.from = MT_STR_INIT("a"), .as = GD_AS_TEXT},
     NULL,
     "{\"a\":\"\"}",
     "\"\""},
    {"no text of a list",
     {.from = MT_STR_INIT("a"), .as = GD_AS_TEXT},
     NULL,
     "{\"a\":[]}",
     "null"},
    {"no path of a number",
     {.from = MT_STR_INIT("a"), .as = GD_AS_PATH},
     NULL,
     "{\"a\":1}",
     "null"},
    {"members are counted",
     {.from = MT_STR_INIT("a"), .as = GD_AS_COUNT},
     NULL,
     "{\"a\":{\"b\":1,\"c\":2}}",
     "2"},
    {"nothing is counted",
     {.from = MT_STR_INIT("a"), .as = GD_AS_COUNT},
     NULL,
     "{\"a\":[]}",
     "0"},
    {"no length of a list",
     {.from = MT_STR_INIT("a"), .as = GD_AS_LENGTH},
     NULL,
     "{\"a\":[1]}",
     "null"},
    {"no count of what is missing",
     {.from = MT_STR_INIT("a"), .as = GD_AS_COUNT},
     NULL,
     "{}",
     NULL},
    {"deep inside",
     {.from = MT_STR_INIT("a.b.c")},
     NULL,
     "{\"a\":{\"b\":{\"c\":7}}}",
     "7"},
    {"all of it", {.from = MT_STR_INIT("a.b")}, NULL, "{\"a\":[{\"b\":1}]}", NULL},
    {"two above is not one above",
     {.from = MT_STR_INIT("a")},
     "[\"..\"]",
     "{\"a\":\"../../y\"}",
     "false"},
};

static void a_value_is_made(void **state)
{
    const struct made *r = *state;
    mt_arena a = {0};
    mt_buf out = {0};
    mt_json arguments, list;
    gd_value v = r->value;
    assert_int_equal(mt_json_read(&a, mt_str_z(r->arguments), NULL, &arguments, NULL),
                     0);
    if (r->list) {
        assert_int_equal(mt_json_read(&a, mt_str_z(r->list), NULL, &list, NULL), 0);
        v.under = &list;
    }
    bool there = gd_value_write(&out, &v, &arguments);
    assert_int_equal(there, r->want != NULL);
    if (there) {
        assert_text(mt_buf_str(&out), mt_str_z(r->want));
    }
    mt_buf_free(&out);
    mt_arena_free(&a);
}

/* A plain path is what patterns are held against, if the map says so. */
static void a_path_is_plain_before_it_matches(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_json list, arguments;
    static const char *const WAYS[] = {"p/.env", "p/.env/", "p/.env/.", "p//./.env"};
    assert_int_equal(mt_json_read(&a, MT_STR("[\"**/.env\"]"), NULL, &list, NULL), 0);
    for (size_t i = 0; i < sizeof WAYS / sizeof *WAYS; i++) {
        mt_buf out = {0};
        gd_value v = {.from = MT_STR("a"), .as = GD_AS_PATH, .matches = &list};
        mt_str text = mt_strf(&a, "{\"a\":\"%s\"}", WAYS[i]);
        assert_int_equal(mt_json_read(&a, text, NULL, &arguments, NULL), 0);
        assert_true(gd_value_write(&out, &v, &arguments));
        assert_text(mt_buf_str(&out), MT_STR("true"));
        mt_buf_free(&out);
    }
    mt_arena_free(&a);
}

/* What is one number for a server is one instance, or none. */
static const struct row IDS[] = {
    {"text", "\"x\"", "x"},
    {"a whole number", "17", "17"},
    {"a number of 15 digits", "123456789012345", "123456789012345"},
    {"a number of 16 digits", "1234567890123456", NULL},
    {"the same with a fraction", "17.0", NULL},
    {"the same with an exponent", "17e0", NULL},
    {"nothing, negative", "-0", NULL},
    {"a flag", "true", "true"},
    {"a list", "[1]", NULL},
    {"not true", "false", "false"},
    {"nothing", "0", "0"},
    {"null", "null", NULL},
    {"empty text", "\"\"", NULL},
    {"an object", "{}", NULL},
    {"digits that are text", "\"1234567890123456\"", "1234567890123456"},
    {"the same with a sign", "-5", NULL},
};

static void an_id_is_written_in_one_way(void **state)
{
    const struct row *r = *state;
    mt_arena a = {0};
    mt_json arguments;
    mt_str id, text = mt_strf(&a, "{\"a\":%s}", r->in);
    gd_bind b = {.from = MT_STR("a")};
    assert_int_equal(mt_json_read(&a, text, NULL, &arguments, NULL), 0);
    bool there = gd_bind_id(&a, &b, &arguments, &id);
    assert_int_equal(there, r->want != NULL);
    if (there) {
        assert_text(id, mt_str_z(r->want));
    }
    mt_arena_free(&a);
}

static void a_message_is_one_line(void **state)
{
    (void)state;
    mt_arena a = {0};
    assert_text(gd_one_line(&a, MT_STR("{\r\"a\":\r{}}")), MT_STR("{ \"a\": {}}"));
    mt_arena_free(&a);
}

static const struct row RAWS[] = {
    {"text with a quote at its end", "{\"a\": \"x\\\\\" ,\"b\":1}", "\"x\\\\\""},
    {"text with brackets", "{\"a\":\"}]\\\"\",\"b\":1}", "\"}]\\\"\""},
    {"a number before a brace", "{\"a\":-1.5e3}", "-1.5e3"},
    {"a number before a comma", "{\"a\":12 , \"b\":1}", "12"},
    {"a word", "{\"a\":null}", "null"},
    {"an object", "{\"a\":{\"x\":[{}, \"]\"]} ,\"b\":[]}", "{\"x\":[{}, \"]\"]}"},
    {"an empty list", "{\"a\":[]}", "[]"},
    {"empty text", "{\"a\":\"\"}", "\"\""},
    {"a word before a line's end", "{\"a\":true\n}", "true"},
    {"a word before a return", "{\"a\":false\r,\"b\":1}", "false"},
    {"a number before a tab", "{\"a\":0\t}", "0"},
    {"lists in lists", "{\"a\":[[1], [[]],{}],\"b\":[]}", "[[1], [[]],{}]"},
    {"text with a backslash before its end", "{\"a\":\"\\\\\\\"\",\"b\":1}",
     "\"\\\\\\\"\""},
};

static void the_text_of_a_value(void **state)
{
    const struct row *r = *state;
    mt_arena a = {0};
    mt_json all;
    mt_str text = mt_str_z(r->in);
    assert_int_equal(mt_json_read(&a, text, NULL, &all, NULL), 0);
    mt_str got = gd_raw(text, mt_json_at(&all, "a"));
    assert_text(got, mt_str_z(r->want));
    mt_arena_free(&a);
}

static void a_member_is_replaced_or_left_out(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_json all;
    mt_buf out = {0};
    mt_str text = MT_STR("{\"z\": 1.0, \"id\":7,\"a\":\"\\u0041\"}");
    assert_int_equal(mt_json_read(&a, text, NULL, &all, NULL), 0);
    gd_with_id(&out, text, &all, MT_STR("\"x\""));
    assert_string_equal(mt_strf(&a, "%.*s", MT_ARG(mt_buf_str(&out))).ptr,
                        "{\"z\":1.0,\"id\":\"x\",\"a\":\"\\u0041\"}");
    mt_buf_clear(&out);
    gd_copy(&out, text, &all, "z", (mt_str){0});
    assert_string_equal(mt_strf(&a, "%.*s", MT_ARG(mt_buf_str(&out))).ptr,
                        "{\"id\":7,\"a\":\"\\u0041\"}");
    mt_buf_free(&out);
    mt_arena_free(&a);
}

/* clang-format off */
static const struct twin_row {
    const char *name, *a, *b;
    bool want;
} TWINS[] = {
    {"the same is no twin", "Key", "Key", false},
    {"other letters are", "KEY", "key", true},
    {"the last letter counts", "keY", "keZ", false},
    {"letters from A to Z", "AZaz", "azAZ", true},
    {"the signs around them are none", "@[`{", "`{@[", false},
    {"a longer one is another", "key", "KEYS", false},
    {"a shorter one is another", "key", "KE", false},
    {"the long s", "\xc5\xbf" "et", "Set", true},
    {"the sign of Kelvin", "\xe2\x84\xaa" "ey", "Key", true},
    {"a letter beside them", "\xc5\xbe" "et", "set", false},
    {"nothing has no twin", "", "", false},
};

static const struct meta_row {
    const char *name, *text, *members, *want;
} METAS[] = {
    {"nothing to add", "{\"a\": 1}", "", "{\"a\": 1}"},
    {"to an object without", "{ \"a\": 1.0 }", "\"x\":1", "{ \"a\": 1.0 ,\"_meta\":{\"x\":1}}"},
    {"to an empty object", "{}", "\"x\":1", "{\"_meta\":{\"x\":1}}"},
    {"to one that is there", "{\"_meta\": {\"b\": 1.0 }, \"a\": 1}", "\"x\":1", "{\"_meta\": {\"b\": 1.0 ,\"x\":1}, \"a\": 1}"},
    {"to one that is empty", "{\"a\":1,\"_meta\":{}}", "\"x\":1", "{\"a\":1,\"_meta\":{\"x\":1}}"},
    {"nothing to add to one that is there", "{\"_meta\":{\"b\":1}}", "", "{\"_meta\":{\"b\":1}}"},
    {"one that is no object stays", "{\"_meta\":[1]}", "\"x\":1", "{\"_meta\":[1]}"},
    {"what is no object stays", "[{\"a\":1}]", "\"x\":1", "[{\"a\":1}]"},
    {"what only a guard says goes", "{\"_meta\":{\"motet/flow\":1,\"b\": 2,\"motet/queued\":3,\"c\":4,\"motet/receipt\":5,"
     "\"motet/record\":6,\"motet/other\":7}}", "", "{\"_meta\":{\"b\":2,\"c\":4,\"motet/other\":7}}"},
    {"and ours comes instead", "{\"_meta\":{\"motet/flow\":1,\"b\":2}, \"a\":1}", "\"motet/flow\":9", "{\"_meta\":{\"b\":2,\"motet/flow\":9}, \"a\":1}"},
    {"where there was nothing else", "{\"_meta\":{\"motet/flow\":1}}", "\"x\":1", "{\"_meta\":{\"x\":1}}"},
    {"nothing is left", "{\"_meta\":{\"motet/record\":1}}", "", "{\"_meta\":{}}"},
};
/* clang-format on */

static void is_a_twin(void **state)
{
    const struct twin_row *r = *state;
    const char *const NAMES[] = {"other", r->b, NULL};
    mt_arena a = {0};
    mt_json object;
    mt_str key = fenced(mt_str_z(r->a)), name = fenced(mt_str_z(r->b));
    assert_int_equal(gd_is_twin(key, name), r->want);
    assert_int_equal(gd_is_twin(name, key), r->want);
    mt_str text = mt_strf(&a, "{\"x\":1,\"%s\":2}", r->a);
    assert_int_equal(mt_json_read(&a, text, NULL, &object, NULL), 0);
    assert_text(gd_twin_of(&object, NAMES), r->want ? key : MT_STR(""));
    fenced_free(key);
    fenced_free(name);
    mt_arena_free(&a);
}

static void meta_is_said(void **state)
{
    const struct meta_row *r = *state;
    mt_arena a = {0};
    mt_buf out = {0};
    mt_json object;
    mt_str text = mt_str_z(r->text);
    assert_int_equal(mt_json_read(&a, text, NULL, &object, NULL), 0);
    gd_with_meta(&out, text, &object, mt_str_z(r->members));
    assert_text(mt_buf_str(&out), mt_str_z(r->want));
    mt_buf_free(&out);
    mt_arena_free(&a);
}

/* A fixed value, one for what is missing, a path as an id. */
static void what_the_map_says_comes_first(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_buf out = {0};
    mt_json fixed, arguments;
    mt_str id;
    assert_int_equal(mt_json_read(&a, MT_STR("[1]"), NULL, &fixed, NULL), 0);
    assert_int_equal(mt_json_read(&a,
                                  MT_STR("{\"a\":\"/x/../y\",\"n\":5,\"z\":"
                                         "\"a\\u0000\"}"),
                                  NULL, &arguments, NULL),
                     0);
    gd_value values[] = {
        {.from = MT_STR("a"), .value = &fixed, .as = GD_AS_PRESENT},
        {.from = MT_STR("b"), .otherwise = &fixed, .as = GD_AS_PRESENT},
        {.from = MT_STR("a"), .otherwise = &fixed, .as = GD_AS_LENGTH},
    };
    for (size_t i = 0; i < rows_count(values); i++) {
        assert_true(gd_value_write(&out, &values[i], &arguments));
        mt_buf_addc(&out, ' ');
    }
    assert_text(mt_buf_str(&out), MT_STR("[1] [1] 7 "));
    mt_buf_free(&out);
    assert_true(gd_bind_id(&a, &(gd_bind){.from = MT_STR("a"), .as = GD_AS_PATH},
                           &arguments, &id));
    assert_text(id, MT_STR("/y"));
    assert_true(gd_bind_id(&a, &(gd_bind){.from = MT_STR("a"), .id = MT_STR("own")},
                           &arguments, &id));
    assert_text(id, MT_STR("own"));
    assert_false(gd_bind_id(&a, &(gd_bind){.from = MT_STR("n"), .as = GD_AS_PATH},
                            &arguments, &id));
    assert_false(gd_bind_id(&a, &(gd_bind){.from = MT_STR("z"), .as = GD_AS_PATH},
                            &arguments, &id));
    assert_false(gd_bind_id(&a, &(gd_bind){.from = MT_STR("b")}, &arguments, &id));
    mt_arena_free(&a);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, PATHS, a_path_is_plain);
    rows_add(&list, MATCHES, a_pattern_matches);
    rows_add(&list, VALUES, a_value_is_made);
    rows_test(&list, a_path_is_plain_before_it_matches);
    rows_add(&list, IDS, an_id_is_written_in_one_way);
    rows_add(&list, TWINS, is_a_twin);
    rows_add(&list, METAS, meta_is_said);
    rows_test(&list, what_the_map_says_comes_first);
    rows_test(&list, a_message_is_one_line);
    rows_add(&list, RAWS, the_text_of_a_value);
    rows_test(&list, a_member_is_replaced_or_left_out);
    return rows_run(&list, "guard/value");
}
