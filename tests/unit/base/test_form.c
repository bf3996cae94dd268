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
    uint32_t count;
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
    MT_FORM_U32(sample, count, "count", 0, UINT32_MAX, 0),
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
     "9 `words` must not contain a NUL character"},
    {"three words where two may be", "{\"words\":[\"a\",\"b\",\"c\"]}",
     "9 `words` must have 1 to 2 items"},
    {"an empty key", "{\"\":1}", "4 `` is not a key of a sample"},
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

/* ---- What is inside: parts, lists and maps of objects, readers of their own ---- */

typedef struct wheel {
    mt_str name;
    uint32_t at, spokes;
    bool spare;
} wheel;

typedef struct cart {
    uint64_t weight;
    const wheel *wheels, *named;
    const mt_str *words;
    uint32_t wheel_count, named_count, word_count;
    bool covered;
    int paint;
    wheel fifth;
} cart;

static bool read_paint(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    if (!mt_json_is(v, MT_JSON_STRING)) {
        return mt_form_say(f, MT_FORM_WRONG_KIND, v, row->key, "must be a paint");
    }
    *(int *)to = (int)mt_json_text(v).len;
    return true;
}

static const mt_form_row WHEEL_ROWS[] = {
    MT_FORM_TEXT(wheel, name, "name", 0),
    MT_FORM_U32(wheel, spokes, "spokes", 0, 32, 0),
    MT_FORM_FLAG(wheel, spare, "spare", 0),
    MT_FORM_PLACE(wheel, at),
};
static const wheel NEW_WHEEL = {.spokes = 12};
static const mt_form_table WHEEL =
    MT_FORM_TABLE("a wheel", WHEEL_ROWS, wheel, &NEW_WHEEL);
static const mt_form_row NAMED_ROWS[] = {
    MT_FORM_LABEL(wheel, name),
    MT_FORM_U32(wheel, spokes, "spokes", 0, 32, 0),
};
static const mt_form_table NAMED = MT_FORM_TABLE("a wheel", NAMED_ROWS, wheel, NULL);
static const mt_form_row ROOF_ROWS[] = {MT_FORM_FLAG(cart, covered, "covered", 0)};
static const mt_form_table ROOF = MT_FORM_TABLE("a roof", ROOF_ROWS, cart, NULL);
static const mt_form_row CART[] = {
    MT_FORM_U64(cart, weight, "weight", 0, INT64_MAX, 0),
    MT_FORM_EACH(cart, wheels, wheel_count, "wheels", &WHEEL, 4, MT_FORM_NULLABLE),
    MT_FORM_MAP(cart, named, named_count, "named", &NAMED, 2, 0),
    MT_FORM_STRS(cart, words, word_count, "words", 2, 0),
    MT_FORM_PART("roof", &ROOF, 0),
    MT_FORM_INSIDE(cart, fifth, "fifth", &WHEEL, 0),
    MT_FORM_OWN(cart, paint, "paint", read_paint, 0),
    MT_FORM_NOTE("note"),
};

static const struct cart_row {
    const char *name, *json, *want;
    mt_form_unknown unknown;
    bool good;
} CARTS[] = {
    {"a note is anything", "{\"note\":[1]}", "", 0, true},
    {"a list that is null", "{\"wheels\":null}", "", 0, true},
    {"a list of other things", "{\"wheels\":[{},1]}",
     "14 `wheels[1]` must be an object, not a number", 0, false},
    {"as many as may be", "{\"wheels\":[{},{},{},{}]}", "", 0, true},
    {"one more", "{\"wheels\":[{},{},{},{},{}]}", "10 `wheels` must have 0 to 4 items",
     0, false},
    {"a fault inside a list", "{\"wheels\":[{},{\"spokes\":33}]}",
     "24 `wheels[1].spokes` must be a whole number from 0 to 32", 0, false},
    {"a misspelt key inside a list", "{\"wheels\":[{\"spoke\":3}]}",
     "20 `wheels[0].spoke` is not a key of a wheel (did you mean `spokes`?)", 0, false},
    {"the same as a warning", "{\"wheels\":[{\"spoke\":3}]}",
     "20 `wheels[0].spoke` is not a key of a wheel (did you mean `spokes`?)",
     MT_FORM_WARNED, true},
    {"the same where it is allowed", "{\"wheels\":[{\"spoke\":3}]}", "",
     MT_FORM_ALLOWED, true},
    {"a warning and a fault", "{\"wieght\":1,\"weight\":-1}",
     "21 `weight` must be a whole number of at least 0\n"
     "10 `wieght` is not a key of a cart (did you mean `weight`?)",
     MT_FORM_WARNED, false},
    {"a fault inside a map", "{\"named\":{\"left\":{\"spokes\":\"x\"}}}",
     "27 `named.left.spokes` must be a whole number, not text", 0, false},
    {"another thing in a map", "{\"named\":{\"left\":1}}",
     "17 `named.left` must be an object, not a number", 0, false},
    {"a map of three where two may be", "{\"named\":{\"a\":{},\"b\":{},\"c\":{}}}",
     "9 `named` must have 0 to 2 items", 0, false},
    {"three words where two may be", "{\"words\":[\"a\",\"b\",\"c\"]}",
     "9 `words` must have 0 to 2 items", 0, false},
    {"a word that is a number", "{\"words\":[1]}", "9 `words` must be a list of texts",
     0, false},
    {"a misspelt key of a part", "{\"roof\":{\"coverd\":true}}",
     "18 `roof.coverd` is not a key of a roof (did you mean `covered`?)", 0, false},
    {"a reader's own fault", "{\"paint\":1}", "9 `paint` must be a paint", 0, false},
    {"2^32 where 32 bits are filled", "{\"fifth\":{\"spokes\":4294967296}}",
     "19 `fifth.spokes` must be a whole number from 0 to 32", 0, false},
};

static bool read_cart(trial *t, const char *text, mt_form_unknown unknown, cart *out)
{
    *t = (trial){0};
    assert_int_equal(mt_json_read(&t->arena, mt_str_z(text), NULL, &t->tree, NULL),
                     MT_OK);
    t->form = (mt_form){.arena = &t->arena,
                        .what = "a cart",
                        .report = hear,
                        .state = &t->heard,
                        .unknown = unknown};
    return mt_form_read(&t->form, &t->tree, CART, mt_form_count(CART), out);
}

static void carts(void **state)
{
    const struct cart_row *r = *state;
    trial t;
    cart out = {0};
    assert_int_equal(read_cart(&t, r->json, r->unknown, &out), r->good);
    assert_text(mt_buf_str(&t.heard.text), mt_str_z(r->want));
    finish(&t);
}

static void arrays_maps_and_parts_arrive(void **state)
{
    (void)state;
    trial t;
    cart out = {0};
    assert_true(
        read_cart(&t,
                  "{\"weight\":9223372036854775807,\"wheels\":[{\"name\":\"a\"},"
                  "{\"spokes\":8,\"spare\":true}],\"named\":{\"left\":{}},"
                  "\"words\":[\"x\",\"y\"],\"roof\":{\"covered\":true},"
                  "\"fifth\":{\"spokes\":3},\"paint\":\"red\"}",
                  MT_FORM_REFUSED, &out));
    assert_int_equal(out.weight, INT64_MAX);
    assert_int_equal(out.wheel_count, 2);
    assert_text(out.wheels[0].name, MT_STR("a"));
    assert_int_equal(out.wheels[0].spokes, 12);
    assert_int_equal(out.wheels[0].at, 40);
    assert_int_equal(out.wheels[1].spokes, 8);
    assert_true(out.wheels[1].spare);
    assert_int_equal(out.named_count, 1);
    assert_text(out.named[0].name, MT_STR("left"));
    assert_int_equal(out.word_count, 2);
    assert_text(out.words[1], MT_STR("y"));
    assert_true(out.covered);
    assert_int_equal(out.fifth.spokes, 3);
    assert_int_equal(out.paint, 3);
    finish(&t);
}

static const struct diag_row {
    const char *name, *json;
    uint32_t line, column;
} DIAGS[] = {
    {"an unknown key's place is the key's", "{\n  \"fla\":\n    1}", 2, 4},
    {"a wrong value's place is its own", "{\n  \"flag\":\n    1}", 3, 5},
    {"a key with escapes has its value's place", "{\n  \"fla\\u0061\":\n    1}", 3, 5},
};

static void keep_diag(void *state, const mt_form_fault *fault)
{
    mt_diags *ds = state;
    mt_diag d = mt_form_diag(fault, "F1", MT_STR("f.json"), ds->items[0].message);
    mt_diag_add(ds, &d);
}

static void places(void **state)
{
    const struct diag_row *r = *state;
    trial t;
    mt_diags ds;
    sample out = {0};
    try_rows(&t, "{}", ROWS, mt_form_count(ROWS));
    ds = (mt_diags){.arena = &t.arena};
    mt_diag_add(&ds, &(mt_diag){.severity = MT_NOTE, .message = mt_str_z(r->json)});
    mt_form f = {.arena = &t.arena, .what = "x", .report = keep_diag, .state = &ds};
    assert_int_equal(mt_json_read(&t.arena, mt_str_z(r->json), NULL, &t.tree, NULL),
                     MT_OK);
    assert_false(mt_form_read(&f, &t.tree, ROWS, mt_form_count(ROWS), &out));
    assert_int_equal(ds.len, 2);
    assert_int_equal(ds.items[1].line, r->line);
    assert_int_equal(ds.items[1].column, r->column);
    finish(&t);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, CARTS, carts);
    rows_add(&list, DIAGS, places);
    rows_test(&list, arrays_maps_and_parts_arrive);
    rows_add(&list, FAULTS, reports);
    rows_test(&list, values_arrive_where_their_rows_say);
    rows_test(&list, what_is_wrong_or_absent_leaves_the_default);
    rows_test(&list, a_required_key_is_missed_at_its_object);
    rows_test(&list, paths_lead_inside);
    rows_test(&list, words_are_copied_and_end_with_null);
    rows_test(&list, kept_faults_are_sorted_by_place);
    return rows_run(&list, "base/form");
}
