/* Questions of AuthZEN: what is read, what takes a default's place, what is lacking. */
#include "../rows.h"
#include "exec/kinds/decide.h"

static mt_arena arena;

static mt_json tree(const char *text)
{
    mt_json out;
    assert_int_equal(mt_json_read(&arena, mt_str_z(text), NULL, &out, NULL), MT_OK);
    return out;
}

/* ---- Whole or not ---- */

typedef struct whole_row {
    const char *name, *body;
    ex_lacks lacks;
    const char *want; /* "": it is whole; "?": it is not, whatever is said */
} whole_row;

#define SUBJECT  "\"subject\":{\"type\":\"user\",\"id\":\"alice\"}"
#define ACTION   "\"action\":{\"name\":\"read\"}"
#define RESOURCE "\"resource\":{\"type\":\"record\",\"id\":\"r\"}"

/* clang-format off */
static const whole_row WHOLE[] = {
    {"all of it is whole", "{" SUBJECT "," ACTION "," RESOURCE "}", EX_LACKS_NOTHING, ""},
    {"what nobody knows is for others", "{" SUBJECT "," ACTION "," RESOURCE ",\"x\":[{}]}", EX_LACKS_NOTHING, ""},
    {"properties may be null", "{\"subject\":{\"type\":\"u\",\"id\":\"a\",\"properties\":null}," ACTION "," RESOURCE ",\"context\":null}", EX_LACKS_NOTHING, ""},
    {"everything that lacks is told at once", "{}", EX_LACKS_NOTHING,
     "`subject.type` is missing; `subject.id` is missing; `action.name` is missing; `resource.type` is missing; `resource.id` is missing"},
    {"an empty text is no name", "{" SUBJECT ",\"action\":{\"name\":\"\"}," RESOURCE "}", EX_LACKS_NOTHING, "?"},
    {"a number is no name", "{" SUBJECT ",\"action\":{\"name\":1}," RESOURCE "}", EX_LACKS_NOTHING, "?"},
    {"a text is no subject", "{\"subject\":\"alice\"," ACTION "," RESOURCE "}", EX_LACKS_NOTHING, "?"},
    {"null is no subject", "{\"subject\":null," ACTION "," RESOURCE "}", EX_LACKS_NOTHING, "?"},
    {"a list is no context", "{" SUBJECT "," ACTION "," RESOURCE ",\"context\":[]}", EX_LACKS_NOTHING, "?"},
    {"what is ours is known to its last member", "{" SUBJECT "," ACTION "," RESOURCE ",\"context\":{\"motet\":{\"receit\":true}}}", EX_LACKS_NOTHING, "?"},
    {"a search for subjects has no id of one", "{\"subject\":{\"type\":\"user\"}," ACTION "," RESOURCE "}", EX_LACKS_SUBJECT, ""},
    {"but their type", "{" ACTION "," RESOURCE "}", EX_LACKS_SUBJECT, "`subject.type` is missing"},
    {"a search for resources has no id of one", "{" SUBJECT "," ACTION ",\"resource\":{\"type\":\"record\"}}", EX_LACKS_RESOURCE, ""},
    {"a search for actions has none", "{" SUBJECT "," RESOURCE "}", EX_LACKS_ACTION, ""},
    {"but all else", "{}", EX_LACKS_RESOURCE,
     "`subject.type` is missing; `subject.id` is missing; `action.name` is missing; `resource.type` is missing"},
    {"so do others", "{}", EX_LACKS_SUBJECT,
     "`subject.type` is missing; `action.name` is missing; `resource.type` is missing; `resource.id` is missing"},
    {"a name with a zero character names two things",
     "{\"subject\":{\"type\":\"u\\u0000\",\"id\":\"\\u0000\"},\"action\":{\"name\":\"a\\u0000b\"},"
     "\"resource\":{\"type\":\"\\u0000t\",\"id\":\"r\\u0000\"}}", EX_LACKS_NOTHING,
     "`subject.type` has a zero character; `subject.id` has a zero character; `action.name` has a zero character; "
     "`resource.type` has a zero character; `resource.id` has a zero character"},
    {"one of them is enough", "{" SUBJECT "," ACTION ",\"resource\":{\"type\":\"t\",\"id\":\"r\\u0000\"}}", EX_LACKS_NOTHING,
     "`resource.id` has a zero character"},
    {"and knows who would act", "{\"subject\":{\"type\":\"user\"}," RESOURCE "}", EX_LACKS_ACTION, "`subject.id` is missing"},
};
/* clang-format on */

static void is_whole(void **state)
{
    const whole_row *r = *state;
    mt_json body = tree(r->body);
    ex_question ask = {0};
    mt_buf why = {0};
    bool good = ex_question_read(&arena, &body, &ask, &why) &&
                ex_question_whole(&ask, r->lacks, &why);
    assert_int_equal(good, !r->want[0]);
    assert_int_equal(why.len > 0, !good);
    if (r->want[0] && r->want[0] != '?') {
        assert_true(mt_str_eq(mt_buf_str(&why), mt_str_z(r->want)));
    }
    mt_buf_free(&why);
}

/* ---- Defaults ---- */

typedef struct merge_row {
    const char *name, *usual, *own;
    const char *type, *id;
    bool properties;
} merge_row;

static const merge_row MERGES[] = {
    {"the default stands where nothing is given",
     "{\"resource\":{\"type\":\"t\",\"id\":\"i\",\"properties\":{}}}", "{}", "t", "i",
     true},
    {"what is given takes its place whole",
     "{\"resource\":{\"type\":\"t\",\"id\":\"i\",\"properties\":{}}}",
     "{\"resource\":{\"type\":\"T\",\"id\":\"I\"}}", "T", "I", false},
    {"but for a type it has not",
     "{\"resource\":{\"type\":\"t\",\"id\":\"i\",\"properties\":{}}}",
     "{\"resource\":{\"id\":\"I\"}}", "t", "I", false},
    {"and an id", "{\"resource\":{\"type\":\"t\",\"id\":\"i\"}}",
     "{\"resource\":{\"properties\":{}}}", "t", "i", true},
};

static void merges(void **state)
{
    const merge_row *r = *state;
    mt_json usual = tree(r->usual), own = tree(r->own);
    ex_question ask = {0};
    mt_buf why = {0};
    assert_true(ex_question_read(&arena, &usual, &ask, &why));
    assert_true(ex_question_read(&arena, &own, &ask, &why));
    assert_true(mt_str_eq(ask.resource.type, mt_str_z(r->type)));
    assert_true(mt_str_eq(ask.resource.id, mt_str_z(r->id)));
    assert_int_equal(ask.resource.properties != NULL, r->properties);
    mt_buf_free(&why);
}

static const struct more_row {
    const char *name, *own;
    bool subject, action, resource, context; /* which properties stay */
    int receipt;
} MORES[] = {
    {"nothing is given, and all of it stays", "{}", true, true, true, true, true},
    {"another subject", "{\"subject\":{\"id\":\"b\"}}", false, true, true, true, true},
    {"no subject", "{\"subject\":{\"properties\":null}}", false, true, true, true,
     true},
    {"another action", "{\"action\":{}}", true, false, true, true, true},
    {"another resource", "{\"resource\":{}}", true, true, false, true, true},
    {"another context asks for no receipt", "{\"context\":{}}", true, true, true, true,
     false},
    {"no context", "{\"context\":null}", true, true, true, false, false},
};

static void of_a_default_stays_what_is_not_given(void **state)
{
    const struct more_row *r = *state;
    mt_json usual = tree("{\"subject\":{\"type\":\"u\",\"properties\":{}},\"action\":{"
                         "\"properties\":{}},\"resource\":{\"properties\":{}},"
                         "\"context\":{\"motet\":{\"receipt\":true}}}"),
            own = tree(r->own);
    ex_question ask = {0};
    mt_buf why = {0};
    assert_true(ex_question_read(&arena, &usual, &ask, &why));
    assert_true(ask.more.receipt);
    assert_true(ex_question_read(&arena, &own, &ask, &why));
    assert_int_equal(ask.subject.properties != NULL, r->subject);
    assert_int_equal(ask.action.properties != NULL, r->action);
    assert_int_equal(ask.resource.properties != NULL, r->resource);
    assert_int_equal(ask.context != NULL, r->context);
    assert_int_equal(ask.more.receipt, r->receipt);
    mt_buf_free(&why);
}

/* ---- Facts ---- */

static const struct facts_row {
    const char *name, *body;
    const char *facts, *why; /* why: then there are none */
} GIVEN[] = {
    {"nothing is given", "{}", "{}", ""},
    {"one of each",
     "{\"context\":{\"a\":true},\"subject\":{\"properties\":{\"b\":\"x\"}},\"action\":{"
     "\"properties\":{\"c\":1}},\"resource\":{\"properties\":{\"d\":[]}}}",
     "{ \"a\":true,\"b\":\"x\",\"c\":1,\"d\":[]}", ""},
    {"what is no fact is for others",
     "{\"context\":{\"x\":1,\"d\":2,\"y\":1},\"subject\":{\"properties\":{\"x\":1}}}",
     "{ \"d\":2}", ""},
    {"no fact has two places",
     "{\"context\":{\"a\":true},\"subject\":{\"properties\":{\"b\":1,\"a\":true}}}",
     NULL, "the fact 'a' is given twice, in context and in subject.properties"},
    {"not the last of them either",
     "{\"action\":{\"properties\":{\"d\":1}},\"resource\":{\"properties\":{\"d\":1}}}",
     NULL,
     "the fact 'd' is given twice, in action.properties and in resource.properties"},
    {"only one slip is told",
     "{\"context\":{\"a\":1,\"b\":1},\"subject\":{\"properties\":{\"a\":1,\"b\":1}}}",
     NULL, "the fact 'a' is given twice, in context and in subject.properties"},
};

static void facts_are_given(void **state)
{
#define FACT(id)                                                                       \
    "{\"id\":\"" id "\",\"kind\":\"Fact\",\"provenance\":{\"file\":\"f\",\"line\":1}," \
    "\"source\":{\"field\":\"f\",\"system\":\"s\"},\"tenor\":\"1.0\",\"type\":{"       \
    "\"base\":"                                                                        \
    "\"Bool\"}}"
    static const char BUNDLE[] = "{\"constructs\":[" FACT("a") "," FACT("b") "," FACT(
        "c") "," FACT("d") "],"
                           "\"id\":\"c\",\"kind\":\"Bundle\",\"tenor\":\"1.0\",\"tenor_"
                           "version\":\"1.0.0\"}";
    const struct facts_row *r = *state;
    const ct_model *m;
    mt_diags ds = {.arena = &arena};
    mt_json body = tree(r->body);
    ex_question ask = {0};
    mt_buf why = {0};
    mt_str facts;
    assert_int_equal(
        ct_load(&arena, mt_str_z(BUNDLE), MT_STR("f"), &MT_LIMITS_DEFAULT, &ds, &m),
        MT_OK);
    assert_true(ex_question_read(&arena, &body, &ask, &why));
    assert_int_equal(ex_question_facts(&arena, m, &ask, &facts, &why),
                     r->facts != NULL);
    if (r->facts) {
        assert_text(facts, mt_str_z(r->facts));
    }
    assert_text(mt_buf_str(&why), mt_str_z(r->why));
    mt_buf_free(&why);
}

/* ---- Lengths ---- */

static void a_name_has_so_many_bytes(void **state)
{
    (void)state;
    static const char *const PARTS[][2] = {{"subject", "type"},
                                           {"subject", "id"},
                                           {"action", "name"},
                                           {"resource", "type"},
                                           {"resource", "id"}};
    for (size_t i = 0; i < 2 * rows_count(PARTS); i++) {
        char id[EX_QUESTION_NAME_MOST + 2] = {0};
        int over = i % 2;
        memset(id, 'x', (size_t)(EX_QUESTION_NAME_MOST + over));
        mt_json body = tree(mt_strf(&arena, "{\"%s\":{\"%s\":\"%s\"}}", PARTS[i / 2][0],
                                    PARTS[i / 2][1], id)
                                .ptr);
        ex_question ask = {0};
        mt_buf why = {0};
        assert_int_equal(ex_question_read(&arena, &body, &ask, &why), !over);
        mt_buf_free(&why);
    }
}

/* ---- Resources ---- */

static const struct type_row {
    const char *name, *type, *contract, *entity;
} TYPES[] = {
    {"an entity is of the default contract", "Bed", "usual", "Bed"},
    {"a contract stands before the dot", "ward.Bed", "ward", "Bed"},
    {"the last one, since contracts may have some", "ward.v2.Bed", "ward.v2", "Bed"},
    {"nothing behind it is no entity", "ward.", "ward", ""},
    {"nothing before it is no contract", ".Bed", "usual", ".Bed"},
};

static void names_a_resource(void **state)
{
    const struct type_row *r = *state;
    mt_str contract, entity;
    ex_executor *x = mt_new(&arena, ex_executor);
    x->default_contract = MT_STR("usual");
    ex_question_resource(x, mt_str_z(r->type), &contract, &entity);
    assert_true(mt_str_eq(contract, mt_str_z(r->contract)));
    assert_true(mt_str_eq(entity, mt_str_z(r->entity)));
}

int main(void)
{
    static rows_list l;
    rows_add(&l, WHOLE, is_whole);
    rows_add(&l, MERGES, merges);
    rows_add(&l, MORES, of_a_default_stays_what_is_not_given);
    rows_add(&l, GIVEN, facts_are_given);
    rows_test(&l, a_name_has_so_many_bytes);
    rows_add(&l, TYPES, names_a_resource);
    int failed = rows_run(&l, "exec/decide_question");
    mt_arena_free(&arena);
    return failed;
}
