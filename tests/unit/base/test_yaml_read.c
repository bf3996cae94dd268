/* YAML gives the tree JSON would give; bombs and oddities are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/yaml_read.h"

/* The tree as compact JSON in document order, so order is tested too. */
static void show(mt_buf *out, const mt_json *n)
{
    switch ((mt_json_type)n->type) {
    case MT_JSON_NULL: mt_buf_addz(out, "null"); break;
    case MT_JSON_BOOL: mt_buf_addz(out, n->boolean ? "true" : "false"); break;
    case MT_JSON_NUMBER: mt_buf_add(out, n->as.text, n->count); break;
    case MT_JSON_STRING: mt_buf_addf(out, "\"%.*s\"", (int)n->count, n->as.text); break;
    case MT_JSON_ARRAY:
        mt_buf_addc(out, '[');
        for (uint32_t i = 0; i < n->count; i++) {
            mt_buf_addz(out, i ? "," : "");
            show(out, &n->as.items[i]);
        }
        mt_buf_addc(out, ']');
        break;
    case MT_JSON_OBJECT:
        mt_buf_addc(out, '{');
        for (uint32_t i = 0; i < n->count; i++) {
            mt_buf_addf(out, "%s\"%.*s\":", i ? "," : "", MT_ARG(n->as.members[i].key));
            show(out, &n->as.members[i].value);
        }
        mt_buf_addc(out, '}');
        break;
    }
}

static const struct row {
    const char *name, *yaml, *want;
} GOOD[] = {
    {"an empty document is null", "", "null"},
    {"a comment alone is null", "# nothing\n", "null"},
    {"block collections keep their order", "b: 1\na: [x, y]\n",
     "{\"b\":1,\"a\":[\"x\",\"y\"]}"},
    {"null has its three spellings", "[~, null, NULL]", "[null,null,null]"},
    {"an absent value is null", "a:\nb: 1", "{\"a\":null,\"b\":1}"},
    {"booleans are true and false only", "[true, False, yes, on, No]",
     "[true,false,\"yes\",\"on\",\"No\"]"},
    {"numbers keep their exact text", "[1, 1.0, 1.50, -0, 1e5, 12345678901234567890]",
     "[1,1.0,1.50,-0,1e5,12345678901234567890]"},
    {"numbers become JSON numbers", "[+7, 007, .5, 5., -.5, 1E+3, 0x1F, 0o17]",
     "[7,7,0.5,5.0,-0.5,1e+3,31,15]"},
    {"what only looks like a number is a string", "[1_000, 1.2.3, 0xZZ, -, 1e, .]",
     "[\"1_000\",\"1.2.3\",\"0xZZ\",\"-\",\"1e\",\".\"]"},
    {"quotes make strings", "['1', \"true\", !!str 1, ! 2]",
     "[\"1\",\"true\",\"1\",\"2\"]"},
    {"keys are their text", "1: a\ntrue: b\n", "{\"1\":\"a\",\"true\":\"b\"}"},
    {"JSON is read as it stands", "{\"a\": [1, {\"b\": null}], \"c\": \"d\\n\"}",
     "{\"a\":[1,{\"b\":null}],\"c\":\"d\n\"}"},
    {"block scalars keep their lines", "a: |\n  x\n  y\n", "{\"a\":\"x\ny\n\"}"},
    {"an alias shares its anchor", "a: &x {k: 1}\nb: *x\n",
     "{\"a\":{\"k\":1},\"b\":{\"k\":1}}"},
    {"the last anchor of a name counts", "[&x 1, *x, &x 2, *x]", "[1,1,2,2]"},
    {"a byte order mark is skipped",
     "\xef\xbb\xbf"
     "a: 1",
     "{\"a\":1}"},
    {"an edge arrow is a plain string", "- a.out -> b.in\n- $x -> b.in",
     "[\"a.out -> b.in\",\"$x -> b.in\"]"},
};

static void reads(void **state)
{
    const struct row *r = *state;
    mt_arena a = {0};
    mt_buf out = {0};
    mt_json tree;
    mt_json_error error;
    mt_err err = mt_yaml_read(&a, mt_str_z(r->yaml), NULL, &tree, &error);
    if (err) {
        print_message("%s at %zu\n", error.message, error.offset);
    }
    assert_int_equal(err, MT_OK);
    show(&out, &tree);
    mt_buf_addc(&out, '\0');
    assert_string_equal(out.ptr, r->want);
    mt_buf_free(&out);
    mt_arena_free(&a);
}

static const struct bad {
    const char *name, *yaml;
    mt_err err;
    size_t offset;
} BAD[] = {
    {"refuses a duplicate key", "a: 1\nb: 2\na: 3\n", MT_E_SYNTAX, 10},
    {"refuses two spellings of one key", "1: a\n\"1\": b", MT_E_SYNTAX, 5},
    {"refuses a second document", "a: 1\n---\nb: 2\n", MT_E_SYNTAX, 5},
    {"refuses an unknown alias", "a: *x", MT_E_SYNTAX, 3},
    {"refuses an alias of its own anchor", "&x [*x]", MT_E_SYNTAX, 4},
    {"refuses a foreign tag", "a: !!python/object x", MT_E_SYNTAX, 3},
    {"refuses a tag on a collection", "a: !set [x]", MT_E_SYNTAX, 3},
    {"refuses a collection as a key", "[a]: 1", MT_E_SYNTAX, 0},
    {"refuses infinity", "a: .inf", MT_E_RANGE, 3},
    {"refuses not-a-number", "a: .nan", MT_E_RANGE, 3},
    {"refuses broken UTF-8", "a: \xff", MT_E_SYNTAX, 3},
    {"refuses an unclosed bracket", "a: [1, 2", MT_E_SYNTAX, 8},
    {"refuses a tab as indentation", "a:\n\tb: 1", MT_E_SYNTAX, 3},
    {"counts offsets in bytes, not characters", "\xc3\xa9: 1\n\xc3\xa9: 2", MT_E_SYNTAX,
     6},
};

static void refuses(void **state)
{
    const struct bad *r = *state;
    mt_arena a = {0};
    mt_json tree;
    mt_json_error error;
    assert_int_equal(mt_yaml_read(&a, mt_str_z(r->yaml), NULL, &tree, &error), r->err);
    assert_int_equal(error.offset, r->offset);
    assert_non_null(error.message);
    mt_arena_free(&a);
}

static void values_know_their_place(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_json tree;
    assert_int_equal(
        mt_yaml_read(&a, MT_STR("\xc3\xa9: 1\nb:\n  - x\n"), NULL, &tree, NULL), MT_OK);
    assert_int_equal(tree.as.members[0].value.offset, 4);
    assert_int_equal(tree.as.members[1].value.as.items[0].offset, 13);
    mt_arena_free(&a);
}

/* Ten levels of nine aliases each: 9^10 nodes for a walker, a few hundred bytes. */
static void a_bomb_of_aliases_is_refused_at_once(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_buf text = {0};
    mt_json tree;
    mt_json_error error;
    mt_buf_addz(&text, "a0: &a0 [x,x,x,x,x,x,x,x,x]\n");
    for (int i = 1; i <= 10; i++) {
        mt_buf_addf(&text, "a%d: &a%d [", i, i);
        for (int k = 0; k < 9; k++) {
            mt_buf_addf(&text, "%s*a%d", k ? ", " : "", i - 1);
        }
        mt_buf_addz(&text, "]\n");
    }
    assert_int_equal(mt_yaml_read(&a, mt_buf_str(&text), NULL, &tree, &error),
                     MT_E_LIMIT);
    assert_string_equal(error.message, "too many nodes");
    mt_buf_free(&text);
    mt_arena_free(&a);
}

static void depth_is_limited_also_through_aliases(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_json tree;
    mt_yaml_limits four = {.depth = 4};
    assert_int_equal(mt_yaml_read(&a, MT_STR("[[[x]]]"), &four, &tree, NULL), MT_OK);
    assert_int_equal(mt_yaml_read(&a, MT_STR("[[[[x]]]]"), &four, &tree, NULL),
                     MT_E_LIMIT);
    assert_int_equal(mt_yaml_read(&a, MT_STR("[&a [[x]], [*a]]"), &four, &tree, NULL),
                     MT_E_LIMIT);
    mt_arena_free(&a);
}

static void deep_brackets_do_not_exhaust_the_stack(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_buf text = {0};
    mt_json tree;
    for (int i = 0; i < 100000; i++) {
        mt_buf_addc(&text, '[');
    }
    assert_int_not_equal(mt_yaml_read(&a, mt_buf_str(&text), NULL, &tree, NULL), MT_OK);
    mt_buf_free(&text);
    mt_arena_free(&a);
}

static void bytes_are_limited(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_json tree;
    mt_yaml_limits three = {.bytes = 3};
    assert_int_equal(mt_yaml_read(&a, MT_STR("abc"), &three, &tree, NULL), MT_OK);
    assert_int_equal(mt_yaml_read(&a, MT_STR("abcd"), &three, &tree, NULL), MT_E_LIMIT);
    mt_arena_free(&a);
}

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

int main(void)
{
    struct CMUnitTest tests[COUNT(GOOD) + COUNT(BAD) + 5] = {{0}};
    size_t n = 0;
    for (size_t i = 0; i < COUNT(GOOD); i++) {
        tests[n++] = (struct CMUnitTest){GOOD[i].name, reads, NULL, NULL,
                                         (void *)(uintptr_t)&GOOD[i]};
    }
    for (size_t i = 0; i < COUNT(BAD); i++) {
        tests[n++] = (struct CMUnitTest){BAD[i].name, refuses, NULL, NULL,
                                         (void *)(uintptr_t)&BAD[i]};
    }
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(values_know_their_place);
    tests[n++] =
        (struct CMUnitTest)cmocka_unit_test(a_bomb_of_aliases_is_refused_at_once);
    tests[n++] =
        (struct CMUnitTest)cmocka_unit_test(depth_is_limited_also_through_aliases);
    tests[n++] =
        (struct CMUnitTest)cmocka_unit_test(deep_brackets_do_not_exhaust_the_stack);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(bytes_are_limited);
    return cmocka_run_group_tests_name("base/yaml_read", tests, NULL, NULL);
}
