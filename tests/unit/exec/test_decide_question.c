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

/* ---- Lengths ---- */

static void a_name_has_so_many_bytes(void **state)
{
    (void)state;
    for (int over = 0; over < 2; over++) {
        char id[EX_QUESTION_NAME_MOST + 2] = {0};
        memset(id, 'x', (size_t)(EX_QUESTION_NAME_MOST + over));
        mt_json body = tree(
            mt_strf(&arena, "{\"subject\":{\"type\":\"u\",\"id\":\"%s\"}}", id).ptr);
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
    rows_test(&l, a_name_has_so_many_bytes);
    rows_add(&l, TYPES, names_a_resource);
    int failed = rows_run(&l, "exec/decide_question");
    mt_arena_free(&arena);
    return failed;
}
