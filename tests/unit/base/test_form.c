/* Checked reading: kinds, bounds at the limit and one beyond, unknown keys, places. */
#include "../rows.h"

#include "base/form.h"

typedef struct sample {
    mt_str text, name;
    const char *word;
    bool flag;
    int64_t number;
    size_t size;
    int choice;
    const mt_json *texts, *list, *object, *any;
    unsigned count;
    uint64_t span;
    mt_form_words words;
} sample;

static const char *const COLOURS[] = {"red", "green", "blue", NULL};
static const mt_form_row ROWS[] = {
    MT_FORM_TEXT(sample, text, "text", 0),
    MT_FORM_NAME(sample, name, "name", 4, 0),
    MT_FORM_WORD(sample, word, "word", 0),
    MT_FORM_FLAG(sample, flag, "flag", MT_FORM_NULLABLE),
    MT_FORM_INT(sample, number, "number", -5, 5, 0),
    MT_FORM_SIZE(sample, size, "size", 1, 10, 0),
    MT_FORM_CHOICE(sample, choice, "choice", COLOURS, 0),
    MT_FORM_TEXTS(sample, texts, "texts", 1, 2, 0),
    MT_FORM_LIST(sample, list, "list", 0, 2, 0),
    MT_FORM_OBJECT(sample, object, "object", 0),
    MT_FORM_ANY(sample, any, "any", 0),
    MT_FORM_COUNT(sample, count, "count", 0, UINT32_MAX, 0),
    MT_FORM_SPAN(sample, span, "span", 1, 7200000, 0),
    MT_FORM_WORDS(sample, words, "words", 1, 2, 0),
};

typedef struct heard {
    mt_buf text;
    size_t count;
} heard;

static void hear(void *state, const mt_form_fault *fault)
{
    heard *h = state;
    mt_buf_addf(&h->text, "%s%zu %.*s", h->count++ ? "\n" : "", fault->offset,
                MT_ARG(fault->message));
    if (fault->hint.len) {
        mt_buf_addf(&h->text, " (%.*s)", MT_ARG(fault->hint));
    }
}

typedef struct trial {
    mt_arena arena;
    heard heard;
    mt_form form;
    mt_json tree;
    sample out;
    bool good;
} trial;

static void try_rows(trial *t, const char *text, const mt_form_row *rows, size_t count)
{
    *t = (trial){.out = {.number = 77, .size = 77, .choice = 77}};
    assert_int_equal(mt_json_read(&t->arena, mt_str_z(text), NULL, &t->tree, NULL),
                     MT_OK);
    t->form = (mt_form){
        .arena = &t->arena, .what = "a sample", .report = hear, .state = &t->heard};
    t->good = mt_form_read(&t->form, &t->tree, rows, count, &t->out);
    assert_int_equal(t->good, t->heard.count == 0);
}

static void finish(trial *t)
{
    mt_buf_free(&t->heard.text);
    mt_arena_free(&t->arena);
}

static const struct row {
    const char *name, *json, *want;
} FAULTS[] = {
    {"nothing at all is good", "{}", ""},
    {"not an object", "[]", "0 a sample must be an object, not a list"},
    {"a number at its least", "{\"number\":-5}", ""},
    {"a number at its most", "{\"number\":5}", ""},
    {"one below the least", "{\"number\":-6}",
     "10 `number` must be a whole number from -5 to 5"},
    {"one above the most", "{\"number\":6}",
     "10 `number` must be a whole number from -5 to 5"},
    {"2^63 - 1", "{\"number\":9223372036854775807}",
     "10 `number` must be a whole number from -5 to 5"},
    {"2^64", "{\"number\":18446744073709551616}",
     "10 `number` must be a whole number from -5 to 5"},
    {"a fraction", "{\"number\":1.5}",
     "10 `number` must be a whole number from -5 to 5"},
    {"an exponent", "{\"number\":1e2}",
     "10 `number` must be a whole number from -5 to 5"},
    {"text where a number belongs", "{\"number\":\"5\"}",
     "10 `number` must be a whole number, not text"},
    {"a size of nothing", "{\"size\":0}",
     "8 `size` must be a whole number from 1 to 10"},
    {"a negative size", "{\"size\":-1}",
     "8 `size` must be a whole number from 1 to 10"},
    {"a size at its most", "{\"size\":10}", ""},
    {"a number where text belongs", "{\"text\":5}",
     "8 `text` must be text, not a number"},
    {"an empty text is text", "{\"text\":\"\"}", ""},
    {"an empty name", "{\"name\":\"\"}", "8 `name` must not be empty"},
    {"a name at its most", "{\"name\":\"abcd\"}", ""},
    {"a name one byte too long", "{\"name\":\"abcde\"}",
     "8 `name` must have 1 to 4 bytes"},
    {"a word with a NUL", "{\"word\":\"a\\u0000b\"}",
     "8 `word` must not contain a NUL character"},
    {"a flag in quotes", "{\"flag\":\"yes\"}",
     "8 `flag` must be true or false, not text"},
    {"null is absent where a row says so", "{\"flag\":null}", ""},
    {"null is a value elsewhere", "{\"size\":null}",
     "8 `size` must be a whole number, not null"},
    {"a choice that is near one", "{\"choice\":\"gren\"}",
     "10 `choice` must be `red`, `green` or `blue`, not `gren` (did you mean "
     "`green`?)"},
    {"a choice that is near none", "{\"choice\":\"yellowish\"}",
     "10 `choice` must be `red`, `green` or `blue`, not `yellowish`"},
    {"no item where one is needed", "{\"texts\":[]}",
     "9 `texts` must have 1 to 2 items"},
    {"three items where two may be", "{\"texts\":[\"a\",\"b\",\"c\"]}",
     "9 `texts` must have 1 to 2 items"},
    {"a list of texts with a number", "{\"texts\":[\"a\",1]}",
     "9 `texts` must be a list of texts"},
    {"text where a list belongs", "{\"list\":\"a\"}",
     "8 `list` must be a list, not text"},
    {"three items in a list of two", "{\"list\":[1,2,3]}",
     "8 `list` must have 0 to 2 items"},
    {"a list where an object belongs", "{\"object\":[]}",
     "10 `object` must be an object, not a list"},
    {"a misspelt key", "{\"nubmer\":1}",
     "10 `nubmer` is not a key of a sample (did you mean `number`?)"},
    {"a key near none", "{\"zzzzzzzz\":1}", "12 `zzzzzzzz` is not a key of a sample"},
    {"a count at its most", "{\"count\":4294967295}", ""},
    {"a count one beyond", "{\"count\":4294967296}",
     "9 `count` must be a whole number from 0 to 4294967295"},
    {"a time at its least", "{\"span\":\"1ms\"}", ""},
    {"a time at its most", "{\"span\":\"2h\"}", ""},
    {"no time at all", "{\"span\":\"0s\"}",
     "8 `span` must be a time from 1ms to 2h, such as 250ms, 5s, 2m or 1h"},
    {"a time one beyond its most", "{\"span\":\"7200001ms\"}",
     "8 `span` must be a time from 1ms to 2h, such as 250ms, 5s, 2m or 1h"},
    {"a time without a unit", "{\"span\":\"5\"}",
     "8 `span` must be a time from 1ms to 2h, such as 250ms, 5s, 2m or 1h"},
    {"a time beyond every number", "{\"span\":\"99999999999999999999h\"}",
     "8 `span` must be a time from 1ms to 2h, such as 250ms, 5s, 2m or 1h"},
    {"a number where a time belongs", "{\"span\":5}",
     "8 `span` must be a time such as 250ms, 5s, 2m or 1h, not a number"},
    {"words", "{\"words\":[\"a\",\"b\"]}", ""},
    {"words with a NUL", "{\"words\":[\"a\\u0000b\"]}",
     "9 `words` must be a list of texts"},
    {"three words where two may be", "{\"words\":[\"a\",\"b\",\"c\"]}",
     "9 `words` must have 1 to 2 items"},
    {"everything at once", "{\"siez\":1,\"size\":99,\"flag\":1}",
     "27 `flag` must be true or false, not a number\n"
     "17 `size` must be a whole number from 1 to 10\n"
     "8 `siez` is not a key of a sample (did you mean `size`?)"},
};

static void reports(void **state)
{
    const struct row *r = *state;
    trial t;
    try_rows(&t, r->json, ROWS, mt_form_count(ROWS));
    assert_text(mt_buf_str(&t.heard.text), mt_str_z(r->want));
    finish(&t);
}

static void values_arrive_where_their_rows_say(void **state)
{
    (void)state;
    trial t;
    try_rows(
        &t,
        "{\"text\":\"t\",\"name\":\"n\",\"word\":\"w\",\"flag\":true,\"number\":-3,"
        "\"size\":4,\"choice\":\"blue\",\"texts\":[\"a\"],\"list\":[1],"
        "\"object\":{},\"any\":7}",
        ROWS, mt_form_count(ROWS));
    assert_true(t.good);
    assert_text(t.out.text, MT_STR("t"));
    assert_text(t.out.name, MT_STR("n"));
    assert_string_equal(t.out.word, "w");
    assert_true(t.out.flag);
    assert_int_equal(t.out.number, -3);
    assert_int_equal(t.out.size, 4);
    assert_int_equal(t.out.choice, 2);
    assert_int_equal(t.out.texts->count, 1);
    assert_int_equal(t.out.list->count, 1);
    assert_true(mt_json_is(t.out.object, MT_JSON_OBJECT));
    assert_true(mt_json_is(t.out.any, MT_JSON_NUMBER));
    finish(&t);
}

static void what_is_wrong_or_absent_leaves_the_default(void **state)
{
    (void)state;
    trial t;
    try_rows(&t, "{\"number\":99,\"choice\":\"nn\"}", ROWS, mt_form_count(ROWS));
    assert_false(t.good);
    assert_int_equal(t.out.number, 77);
    assert_int_equal(t.out.size, 77);
    assert_int_equal(t.out.choice, 77);
    finish(&t);
}

static void a_required_key_is_missed_at_its_object(void **state)
{
    (void)state;
    static const mt_form_row NEEDED[] = {
        MT_FORM_TEXT(sample, text, "text", MT_FORM_REQUIRED)};
    trial t;
    try_rows(&t, "  {}", NEEDED, 1);
    assert_text(mt_buf_str(&t.heard.text), MT_STR("2 `text` is missing"));
    finish(&t);
}

static void paths_lead_inside(void **state)
{
    (void)state;
    trial t;
    try_rows(&t, "{}", ROWS, mt_form_count(ROWS));
    mt_form item = mt_form_item(&t.form, "senders", 2, "a sender");
    mt_form in = mt_form_inside(&item, "limits", "limits");
    sample out = {0};
    assert_int_equal(
        mt_json_read(&t.arena, MT_STR("{\"size\":0}"), NULL, &t.tree, NULL), MT_OK);
    assert_false(mt_form_read(&in, &t.tree, ROWS, mt_form_count(ROWS), &out));
    assert_text(
        mt_buf_str(&t.heard.text),
        MT_STR("8 `senders[2].limits.size` must be a whole number from 1 to 10"));
    finish(&t);
}

static void words_are_copied_and_end_with_null(void **state)
{
    (void)state;
    trial t;
    try_rows(&t, "{\"words\":[\"a\",\"bc\"],\"span\":\"2m\",\"count\":7}", ROWS,
             mt_form_count(ROWS));
    assert_true(t.good);
    assert_int_equal(t.out.words.count, 2);
    assert_string_equal(t.out.words.items[1], "bc");
    assert_null(t.out.words.items[2]);
    assert_int_equal(t.out.span, 120000);
    assert_int_equal(t.out.count, 7);
    finish(&t);
}

static void kept_faults_are_sorted_by_place(void **state)
{
    (void)state;
    trial t;
    try_rows(&t, "{}", ROWS, mt_form_count(ROWS));
    mt_form_faults kept = {.arena = &t.arena};
    mt_buf text = {0};
    t.form.report = mt_form_keep;
    t.form.state = &kept;
    mt_str json = MT_STR("{\"siez\":1,\"size\":99,\"flag\":1}");
    assert_int_equal(mt_json_read(&t.arena, json, NULL, &t.tree, NULL), MT_OK);
    assert_false(mt_form_read(&t.form, &t.tree, ROWS, mt_form_count(ROWS), &t.out));
    mt_form_sort(&kept);
    for (size_t i = 0; i < kept.len; i++) {
        mt_form_join(&text, &kept.items[i]);
    }
    assert_text(mt_buf_str(&text),
                MT_STR("`siez` is not a key of a sample (did you mean `size`?); "
                       "`size` must be a whole number from 1 to 10; "
                       "`flag` must be true or false, not a number"));
    assert_text(kept.items[1].said, MT_STR("must be a whole number from 1 to 10"));
    mt_buf_free(&text);
    finish(&t);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, FAULTS, reports);
    rows_test(&list, values_arrive_where_their_rows_say);
    rows_test(&list, what_is_wrong_or_absent_leaves_the_default);
    rows_test(&list, a_required_key_is_missed_at_its_object);
    rows_test(&list, paths_lead_inside);
    rows_test(&list, words_are_copied_and_end_with_null);
    rows_test(&list, kept_faults_are_sorted_by_place);
    return rows_run(&list, "base/form");
}
