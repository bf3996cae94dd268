/* Paths, templates and conditions of agent files, row by row. */
#include "../rows.h"
#include "agent/template.h"
#include "base/json_write.h"

static mt_arena arena;

static mt_json json(const char *text)
{
    mt_json tree;
    mt_str kept = mt_str_dup(&arena, mt_str_z(text));
    assert_int_equal(mt_json_read(&arena, kept, NULL, &tree, NULL), MT_OK);
    return tree;
}

static ag_scope scope(void)
{
    static mt_json message, memory, data;
    message = json("{\"content\":{\"n\":5,\"word\":\"abc\",\"list\":[1,\"two\",null],"
                   "\"none\":null},\"remote_addr\":\"10.0.0.1\"}");
    memory = json("{\"step\":2,\"half\":0.5}");
    data = json("[7]");
    return (ag_scope){.message = &message,
                      .memory = &memory,
                      .data = &data,
                      .key = MT_STR("k"),
                      .agent = MT_STR("bob"),
                      .trigger = MT_STR("ok"),
                      .action = AG_MOVE,
                      .entropy = MT_STR("seed")};
}

static const struct render_row {
    const char *name, *template, *want;
} RENDERS[] = {
    {"a value of its own kind", "\"{{content.n}}\"", "5"},
    {"text around it", "\"n={{content.n}}!\"", "\"n=5!\""},
    {"two holes", "\"{{content.n}}{{content.word}}\"", "\"5abc\""},
    {"text before only", "\"x{{key}}\"", "\"xk\""},
    {"text behind only", "\"{{key}}x\"", "\"kx\""},
    {"spaces inside", "\"{{ content.n }}\"", "5"},
    {"a hole that is not closed", "\"{{content.n}\"", "\"{{content.n}\""},
    {"one brace", "\"{content.n}\"", "\"{content.n}\""},
    {"nothing at all", "\"\"", "\"\""},
    {"a path that leads nowhere", "\"{{content.zzz}}\"", "null"},
    {"such a path in text", "\"<{{content.zzz}}>\"", "\"<>\""},
    {"no such root", "\"{{nobody.x}}\"", "null"},
    {"an item of a list", "\"{{content.list.1}}\"", "\"two\""},
    {"the first item", "\"{{content.list.0}}\"", "1"},
    {"the last item", "\"{{content.list.2}}\"", "null"},
    {"behind the last item", "\"<{{content.list.3}}>\"", "\"<>\""},
    {"not an index", "\"<{{content.list.x}}>\"", "\"<>\""},
    {"characters around the digits", "\"<{{content.list./}}{{content.list.:}}>\"",
     "\"<>\""},
    {"an index of ten digits", "\"<{{content.list.0000000001}}>\"", "\"<>\""},
    {"an index of nine digits", "\"{{content.list.000000001}}\"", "\"two\""},
    {"a sum", "\"{{content.n + 5}}\"", "10"},
    {"a difference", "\"{{content.n - memory.step}}\"", "3"},
    {"a sum of decimals", "\"{{memory.half + 0.5}}\"", "1.0"},
    {"a number first", "\"{{1 + content.n}}\"", "6"},
    {"a sum without spaces is a path", "\"{{content.n+5}}\"", "null"},
    {"a sum of a word", "\"{{content.word + 5}}\"", "null"},
    {"a sum with a word", "\"{{content.n + content.word}}\"", "null"},
    {"a list is filled in", "[\"{{key}}\",1]", "[\"k\",1]"},
    {"an object is filled in", "{\"a\":\"{{key}}\",\"b\":{\"c\":\"{{agent}}\"}}",
     "{\"a\":\"k\",\"b\":{\"c\":\"bob\"}}"},
    {"an object in text", "\"{{memory}}!\"", "\"{\\\"half\\\":0.5,\\\"step\\\":2}!\""},
    {"who sent it", "\"{{from}}\"", "\"10.0.0.1\""},
    {"what was triggered", "\"{{action}} {{trigger}}\"", "\"MOVE ok\""},
    {"no state", "\"{{state}}\"", "null"},
    {"data of the event", "\"{{data.0}}\"", "7"},
};

static void renders(void **state)
{
    const struct render_row *r = *state;
    ag_scope s = scope();
    mt_json template = json(r->template), got = ag_render(&arena, &s, &template);
    mt_buf out = {0};
    mt_json_write(&out, &got, false);
    assert_text(mt_buf_str(&out), mt_str_z(r->want));
    mt_buf_free(&out);
    mt_arena_reset(&arena);
}

static const struct hold_row {
    const char *name, *condition;
    bool holds;
} HOLDS[] = {
    {"the value itself", "{\"content.n\":5}", true},
    {"another value", "{\"content.n\":6}", false},
    {"a path that leads nowhere", "{\"content.zzz\":5}", false},
    {"both must hold", "{\"content.n\":5,\"key\":\"z\"}", false},
    {"both hold", "{\"content.n\":5,\"key\":\"k\"}", true},
    {"nothing is asked", "{}", true},
    {"not", "{\"content.n\":{\"not\":6}}", true},
    {"not, and it is", "{\"content.n\":{\"not\":5}}", false},
    {"it exists", "{\"content.n\":{\"exists\":true}}", true},
    {"null does not", "{\"content.none\":{\"exists\":true}}", false},
    {"it is absent", "{\"content.zzz\":{\"exists\":false}}", true},
    {"it is not absent", "{\"content.n\":{\"exists\":false}}", false},
    {"one of them", "{\"content.n\":{\"in\":[4,5]}}", true},
    {"none of them", "{\"content.n\":{\"in\":[4,6]}}", false},
    {"text contains", "{\"content.word\":{\"contains\":\"bc\"}}", true},
    {"text contains all of itself", "{\"content.word\":{\"contains\":\"abc\"}}", true},
    {"text contains nothing", "{\"content.word\":{\"contains\":\"\"}}", true},
    {"text does not contain more", "{\"content.word\":{\"contains\":\"abcd\"}}", false},
    {"a list contains", "{\"content.list\":{\"contains\":\"two\"}}", true},
    {"a list does not contain", "{\"content.list\":{\"contains\":\"three\"}}", false},
    {"a number contains nothing", "{\"content.n\":{\"contains\":\"5\"}}", false},
    {"five is above 4", "{\"content.n\":{\"above\":4}}", true},
    {"five is above 5", "{\"content.n\":{\"above\":5}}", false},
    {"five is above 6", "{\"content.n\":{\"above\":6}}", false},
    {"five is below 4", "{\"content.n\":{\"below\":4}}", false},
    {"five is below 5", "{\"content.n\":{\"below\":5}}", false},
    {"five is below 6", "{\"content.n\":{\"below\":6}}", true},
    {"five is at least 4", "{\"content.n\":{\"at_least\":4}}", true},
    {"five is at least 5", "{\"content.n\":{\"at_least\":5}}", true},
    {"five is at least 6", "{\"content.n\":{\"at_least\":6}}", false},
    {"five is at most 4", "{\"content.n\":{\"at_most\":4}}", false},
    {"five is at most 5", "{\"content.n\":{\"at_most\":5}}", true},
    {"five is at most 6", "{\"content.n\":{\"at_most\":6}}", true},
    {"a word compares with nothing", "{\"content.word\":{\"at_most\":9}}", false},
    {"nothing compares with a word", "{\"content.n\":{\"at_most\":\"9\"}}", false},
    {"text starts", "{\"content.word\":{\"starts\":\"ab\"}}", true},
    {"text starts otherwise", "{\"content.word\":{\"starts\":\"bc\"}}", false},
    {"a number starts nothing", "{\"content.n\":{\"starts\":\"5\"}}", false},
    {"two operators", "{\"content.n\":{\"above\":4,\"below\":6}}", true},
    {"two operators, the second fails", "{\"content.n\":{\"above\":4,\"below\":5}}",
     false},
    {"a value that is filled in", "{\"content.n\":\"{{memory.step + 3}}\"}", true},
    {"all of them", "{\"all\":[{\"content.n\":5},{\"key\":\"k\"}]}", true},
    {"all but one", "{\"all\":[{\"content.n\":5},{\"key\":\"z\"}]}", false},
    {"any of them", "{\"any\":[{\"content.n\":6},{\"key\":\"k\"}]}", true},
    {"not any of them", "{\"any\":[{\"content.n\":6},{\"key\":\"z\"}]}", false},
    {"none of two", "{\"none\":[{\"content.n\":6},{\"key\":\"z\"}]}", true},
    {"one of two is not none", "{\"none\":[{\"content.n\":6},{\"key\":\"k\"}]}", false},
    {"a second member after a list", "{\"any\":[{\"key\":\"k\"}],\"content.n\":6}",
     false},
};

static void holds(void **state)
{
    const struct hold_row *r = *state;
    ag_scope s = scope();
    mt_json condition = json(r->condition);
    const mt_json *where;
    const char *wrong = ag_check_condition(&arena, &condition, &where);
    if (wrong) {
        fail_msg("%s", wrong);
    }
    assert_int_equal(ag_holds(&arena, &s, &condition), r->holds);
    mt_arena_reset(&arena);
}

/* What is wrong with a condition, and at which value: the first, the last, inside. */
static const struct refused_row {
    const char *name, *condition, *why, *at;
} REFUSED[] = {
    {"not an object", "[]", "a condition is an object of path and value", "[]"},
    {"the first path", "{\"bad\":1,\"key\":2}", "`bad` is not a path", "1"},
    {"the last path", "{\"key\":1,\"bad\":2}", "`bad` is not a path", "2"},
    {"a list that is none", "{\"all\":3}", "a list of conditions is needed here", "3"},
    {"first of a list", "{\"all\":[{\"bad\":1},{\"key\":2}]}", "`bad` is not a path",
     "1"},
    {"last of a list", "{\"any\":[{\"key\":1},{\"bad\":2}]}", "`bad` is not a path",
     "2"},
    {"inside none", "{\"none\":[[]]}", "a condition is an object", "[]"},
    {"the first operator", "{\"key\":{\"bad\":1,\"is\":2}}", "`bad` is not an operator",
     "1"},
    {"the last operator", "{\"key\":{\"is\":1,\"bad\":2}}", "`bad` is not an operator",
     "2"},
    {"in without a list", "{\"key\":{\"in\":1}}", "`in` takes a list", "1"},
    {"exists without a boolean", "{\"key\":{\"exists\":1}}", "`exists` takes a boolean",
     "1"},
    {"a hole in a value", "{\"key\":\"{{bad}}\"}", "`bad` is not a path",
     "\"{{bad}}\""},
    {"a hole in an operator's value", "{\"key\":{\"is\":[\"{{bad}}\"]}}",
     "`bad` is not a path", "\"{{bad}}\""},
    {"the second hole", "{\"key\":\"{{key}} {{bad}}\"}", "`bad` is not a path",
     "\"{{key}} {{bad}}\""},
    {"the left of a sum", "{\"key\":\"{{bad + 1}}\"}", "`bad` is not a path",
     "\"{{bad + 1}}\""},
    {"the right of a sum", "{\"key\":\"{{1 + bad}}\"}", "`bad` is not a path",
     "\"{{1 + bad}}\""},
};

static void is_refused(void **state)
{
    const struct refused_row *r = *state;
    mt_json condition = json(r->condition);
    const mt_json *where = NULL;
    const char *why = ag_check_condition(&arena, &condition, &where);
    assert_non_null(why);
    assert_int_equal(strncmp(why, r->why, strlen(r->why)), 0);
    mt_buf at = {0};
    mt_json_write(&at, where, false);
    assert_text(mt_buf_str(&at), mt_str_z(r->at));
    mt_buf_free(&at);
    mt_arena_reset(&arena);
}

/* Ten digits, another each time, the same for the same entropy. */
static void what_is_fresh_is_another_each_time(void **state)
{
    (void)state;
    ag_scope s = scope(), again = scope();
    mt_str first = mt_json_text(ag_lookup(&arena, &s, MT_STR("fresh")));
    mt_str second = mt_json_text(ag_lookup(&arena, &s, MT_STR("fresh")));
    assert_int_equal(first.len, 10);
    assert_false(mt_str_eq(first, second));
    assert_text(mt_json_text(ag_lookup(&arena, &again, MT_STR("fresh"))), first);
    assert_int_equal(s.drawn, 2);
    mt_arena_reset(&arena);
}

static void no_condition_holds(void **state)
{
    (void)state;
    ag_scope s = scope();
    assert_true(ag_holds(&arena, &s, NULL));
    mt_arena_reset(&arena);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, RENDERS, renders);
    rows_add(&list, HOLDS, holds);
    rows_add(&list, REFUSED, is_refused);
    rows_test(&list, what_is_fresh_is_another_each_time);
    rows_test(&list, no_condition_holds);
    int failed = rows_run(&list, "agent/template");
    mt_arena_free(&arena);
    return failed;
}
