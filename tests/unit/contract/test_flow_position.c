/* Positions: written after every step, taken up again, and hostile ones refused. */
#include "../rows.h"
#include "flow_fixture.h"
#include "position_bundle.h"

static int open_outer(void **state)
{
    fixture *f = malloc(sizeof *f);
    fixture_open(f, POSITION_BUNDLE);
    fixture_facts(f, "{'go':true,'no':false}");
    fixture_states(f, "{}");
    *state = f;
    return 0;
}

static int close_outer(void **state)
{
    fixture_close(*state);
    free(*state);
    return 0;
}

static mt_str position(fixture *f, const ct_run *run)
{
    mt_buf out = {0};
    ct_position_write(&out, run);
    mt_str text = mt_str_dup(&f->a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

static mt_err take_up(fixture *f, ct_run *run, const ct_run_input *in, mt_str text,
                      mt_str *why)
{
    mt_json tree;
    assert_int_equal(mt_json_read(&f->a, text, NULL, &tree, NULL), MT_OK);
    return ct_position_read(run, in, &tree, why);
}

static const char EVERY_STEP[] =
    "ask=true | call=failure | call=escalated to bob | finish=ok";

/* However many steps were done before the break, the end is the same. */
static void resume_at_every_step_equals_run_through(void **state)
{
    fixture *f = *state;
    assert_string_equal(fixture_run(f, "outer", "ann"), "rescued");
    assert_string_equal(fixture_steps(f), EVERY_STEP);
    mt_buf whole = {0};
    ct_run_json(&whole, &f->run);
    ct_run_input in = fixture_input(f, "outer", "ann");
    for (int before = 0; before < 12; before++) {
        ct_run first = {0}, second = {0};
        mt_str why;
        ct_run_start(&first, &in);
        for (int i = 0; i < before; i++) {
            ct_run_step(&first);
        }
        mt_str text = position(f, &first);
        mt_json tree;
        assert_int_equal(mt_json_read(&f->a, text, NULL, &tree, NULL), MT_OK);
        assert_int_equal(ct_position_operation(in.plan, &tree), ct_run_next_op(&first));
        assert_int_equal(take_up(f, &second, &in, text, &why), MT_OK);
        ct_run_all(&second);
        mt_buf rest = {0};
        ct_run_json(&rest, &second);
        assert_true(mt_str_eq(mt_buf_str(&whole), mt_buf_str(&rest)));
        mt_buf_free(&rest);
        ct_run_free(&first);
        ct_run_free(&second);
    }
    mt_buf_free(&whole);
}

static bool is_ann(void *context, const ct_run *run, uint32_t persona)
{
    (void)context;
    return mt_str_is(ct_persona_id(run->plan, persona), "ann");
}

static void a_waiting_run_says_for_whom_and_goes_on(void **state)
{
    fixture *f = *state;
    ct_run_input in = fixture_input(f, "outer", "ann");
    in.host.may_act = is_ann;
    ct_run_start(&f->run, &in);
    assert_int_equal(ct_run_all(&f->run), CT_RUN_WAITING);
    mt_str text = position(f, &f->run);
    assert_non_null(strstr(text.ptr, "\"status\":\"waiting\""));
    assert_non_null(strstr(text.ptr, "\"waiting_for\":\"bob\""));
    ct_run again = {0};
    mt_str why;
    in.host.may_act = NULL;
    assert_int_equal(take_up(f, &again, &in, text, &why), MT_OK);
    assert_int_equal(again.status, CT_RUN_MORE);
    assert_int_equal(ct_run_all(&again), CT_RUN_DONE);
    ct_run_free(&again);
}

/* A position in the middle, with one text replaced by another, must be refused. */
static void a_position_that_does_not_fit_is_refused(void **state)
{
    static const struct row {
        const char *from, *to, *why;
    } ROWS[] = {
        {"\"version\":1", "\"version\":2", "position: has another version"},
        {"\"contract\":\"t\"", "\"contract\":\"u\"",
         "position: belongs to contract 'u'"},
        {"\"flow\":\"outer\"", "\"flow\":\"other\"", "position: unknown 'other'"},
        {"\"flow\":\"outer\"", "\"flow\":\"inner\"", "position: unknown step 'ask'"},
        {"\"step\":\"r2\"", "\"step\":\"zz\"", "position: unknown step 'zz'"},
        {"\"status\":\"running\"", "\"status\":\"done\"",
         "position: status, frames and outcome disagree"},
        {"\"status\":\"running\"", "\"status\":\"odd\"",
         "position: unknown status 'odd'"},
        {"\"record\":1", "\"record\":0",
         "position: a frame does not have its own record"},
        {"\"record\":1", "\"record\":77", "position: out of range: 'record'"},
        {"\"parent\":1", "\"parent\":0",
         "position: a record lies inside a step that has no inside"},
        {"\"op\":\"x_on\"", "\"op\":\"y_on\"",
         "position: a record does not fit its step"},
        {"\"result\":\"ok\"", "\"result\":\"no\"", "position: unknown outcome 'no'"},
        {"\"X\":\"b\"", "\"X\":\"q\"", "position: unknown state 'q'"},
        {"\"X\":\"_default\"", "\"X\":\"\"", "position: an instance has an empty name"},
        {"\"X\":\"_default\",", "", "position: binds no instance to entity 'X'"},
        {"\"index\":1", "\"index\":2", "position: out of range: 'index'"},
        {"\"phase\":\"step\"", "\"phase\":\"inside\"",
         "position: frames are not nested as steps are"},
        {"\"phase\":\"step\"", "\"index\":0,\"phase\":\"compensate\"",
         "position: out of range: 'index'"},
        {"\"kind\":\"branch\"", "\"kind\":\"bench\"",
         "position: unknown kind of record 'bench'"},
        {"\"branch\":\"left\"", "\"branch\":\"up\"", "position: unknown branch 'up'"},
        {"\"steps_left\":", "\"steps_left\":-", "position: lacks 'steps_left'"},
        /* clang-format off */
        {"\"version\":1", "\"versions\":1", "position: has another version"},
        {"\"flow\":\"outer\",", "", "position: lacks 'flow'"},
        {"\"persona\":\"ann\",\"records\"", "\"persona\":7,\"records\"", "position: `persona` must be text, not a number"},
        {"\"X\":\"_default\"", "\"Q\":\"_default\"", "position: unknown entity 'Q'"},
        {"\"X\":\"_default\"", "\"X\":7", "position: must be a string: 'X'"},
        {"\"status\":\"running\"", "\"status\":\"failed\"", "position: status, frames and outcome disagree"},
        {"\"status\":\"running\"", "\"fault\":\"x\",\"status\":\"running\"", "position: status, frames and outcome disagree"},
        {"\"status\":\"running\"", "\"outcome\":\"odd\",\"status\":\"running\"", "position: unknown outcome 'odd'"},
        {"\"phase\":\"step\"", "\"phase\":\"odd\"", "position: unknown phase 'odd'"},
        {"\"index\":0,", "", "position: a frame lacks its index"},
        {"\"index\":1,\"phase\":\"inside\",\"record\":3", "\"phase\":\"step\"", "position: frames are not nested as steps are"},
        {"\"phase\":\"inside\",\"record\":1", "\"phase\":\"inside\"", "position: a frame does not have its own record"},
        {"\"record\":1", "\"record\":6", "position: out of range: 'record'"},
        {"{\"kind\":\"handoff\",\"parent\":1,\"persona\":\"ann\",\"step\":\"hand\"},{\"branches\":[{\"outcome\":\"success\"},{}],\"kind\":\"parallel\",\"parent\":1", "{\"kind\":\"sub_flow\",\"persona\":\"ann\",\"step\":\"call\"},{\"branches\":[{\"outcome\":\"success\"},{}],\"kind\":\"parallel\",\"parent\":2", "position: a frame does not have its own record"},
        {"\"parent\":1", "\"parent\":2", "position: out of range: 'parent'"},
        {"\"branch\":\"left\",", "", "position: lacks 'branch'"},
        {"\"persona\":\"ann\",\"result\":\"true\"", "\"result\":\"true\"", "position: a record does not fit its step"},
        {"\"persona\":\"ann\",\"step\":\"call\"", "\"persona\":\"zed\",\"step\":\"call\"", "position: unknown 'zed'"},
        {"\"result\":\"true\"", "\"result\":\"maybe\"", "position: a branch is neither true nor false"},
        {"\"result\":\"true\",", "", "position: a record lacks its result"},
        {"\"result\":\"ok\",", "", "position: a record lacks its result"},
        {"\"step\":\"hand\"", "\"result\":\"ok\",\"step\":\"hand\"", "position: a record has a result it cannot have"},
        {"\"persona\":\"ann\",\"step\":\"call\"", "\"persona\":\"ann\",\"result\":\"odd\",\"step\":\"call\"", "position: unknown outcome 'odd'"},
        {"\"kind\":\"sub_flow\"", "\"kind\":\"sub_flow\",\"state\":\"a\"", "position: a state without its entity"},
        {"\"kind\":\"sub_flow\"", "\"entity\":\"X\",\"kind\":\"sub_flow\",\"state\":\"q\"", "position: unknown state 'q'"},
        {"\"kind\":\"sub_flow\"", "\"entity\":\"Q\",\"kind\":\"sub_flow\"", "position: unknown 'Q'"},
        {"\"kind\":\"sub_flow\"", "\"error\":\"odd\",\"kind\":\"sub_flow\",\"message\":\"x\"", "position: unknown error 'odd'"},
        {"\"kind\":\"sub_flow\"", "\"error\":\"none\",\"kind\":\"sub_flow\",\"message\":\"x\"", "position: unknown error 'none'"},
        {"\"kind\":\"sub_flow\"", "\"error\":\"persona_rejected\",\"kind\":\"sub_flow\"", "position: an error lacks its message"},
        {"\"kind\":\"sub_flow\"", "\"changes\":[],\"kind\":\"sub_flow\"", "position: changes that are none"},
        {"{\"entity\":\"X\",\"from\"", "{\"from\"", "position: a change of an entity that is not bound"},
        {"{\"entity\":\"X\",\"from\"", "{\"entity\":\"Q\",\"from\"", "position: unknown 'Q'"},
        {"\"from\":\"a\"", "\"from\":\"q\"", "position: unknown state 'q'"},
        {"\"to\":\"b\"", "\"to\":\"q\"", "position: unknown state 'q'"},
        {"\"from\":\"a\",", "", "position: lacks 'from'"},
        {"\"branches\":[{\"outcome\":\"success\"},{}],\"kind\"", "\"kind\"", "position: lacks 'branches'"},
        {"{\"outcome\":\"success\"},{}", "{\"outcome\":\"success\"}", "position: a parallel record has another number of branches"},
        {"{\"outcome\":\"success\"},{}", "{\"outcome\":\"odd\"},{}", "position: unknown outcome 'odd'"},
        /* clang-format on */
    };
    fixture *f = *state;
    ct_run_input in = fixture_input(f, "outer", "ann");
    ct_run_start(&f->run, &in);
    for (int i = 0; i < 6; i++) {
        ct_run_step(&f->run);
    }
    mt_str good = position(f, &f->run);
    ct_run run = {0};
    mt_str why = {0};
    assert_int_equal(take_up(f, &run, &in, good, &why), MT_OK);
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const char *at = strstr(good.ptr, ROWS[i].from);
        if (!at) {
            fail_msg("%s is not in %s", ROWS[i].from, good.ptr);
        }
        mt_str bad = mt_strf(&f->a, "%.*s%s%s", (int)(at - good.ptr), good.ptr,
                             ROWS[i].to, at + strlen(ROWS[i].from));
        assert_int_not_equal(take_up(f, &run, &in, bad, &why), MT_OK);
        assert_string_equal(mt_str_dup(&f->a, why).ptr, ROWS[i].why);
        assert_int_equal(ct_run_step(&run), CT_RUN_FAILED);
    }
    ct_run_free(&run);
}

/* A position cannot raise the limit of the run that takes it up. */
static void steps_that_are_left_only_become_fewer(void **state)
{
    static const struct {
        const char *left;
        size_t limit, want;
    } ROWS[] = {{"9", 20, 9}, {"20", 20, 20}, {"21", 20, 20}, {"0", 20, 0}};
    fixture *f = *state;
    ct_run_input in = fixture_input(f, "outer", "ann");
    ct_run_start(&f->run, &in);
    ct_run_step(&f->run);
    mt_str good = position(f, &f->run);
    const char *at = strstr(good.ptr, "\"steps_left\":");
    assert_non_null(at);
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        ct_run run = {0};
        mt_str why;
        in.max_steps = ROWS[i].limit;
        mt_str text = mt_strf(&f->a, "%.*s\"steps_left\":%s,\"version\":1}",
                              (int)(at - good.ptr), good.ptr, ROWS[i].left);
        assert_int_equal(take_up(f, &run, &in, text, &why), MT_OK);
        assert_int_equal(run.steps_left, ROWS[i].want);
        ct_run_free(&run);
    }
}

#define AT_CALL   "{'index':0,'phase':'inside','step':'call'},"
#define AT_PAR(i) AT_CALL "{'index':" i ",'phase':'inside','step':'par'},"
#define UNDOES(i) AT_CALL "{'index':" i ",'phase':'compensate','step':'par'}"

/* Nothing is checked but what is used: what leads nowhere is no operation. */
static void the_next_operation_is_read_from_any_text(void **state)
{
    static const struct {
        const char *flow, *frames, *op;
    } ROWS[] = {
        {"outer", "{'phase':'step','step':'finish'}", "z_on"},
        {"outer", "{'phase':'step','step':'ask'}", ""},
        {"outer", "{'phase':'step','step':'call'}", ""},
        {"outer", "{'phase':'step','step':'l1'}", ""},
        {"inner", "{'phase':'step','step':'finish'}", ""},
        {"none", "{'phase':'step','step':'finish'}", ""},
        {"outer", "", ""},
        {"outer", AT_CALL "{'phase':'step','step':'hand'}", ""},
        {"outer", AT_PAR("0") "{'phase':'step','step':'l1'}", "x_on"},
        {"outer", AT_PAR("0") "{'phase':'step','step':'r1'}", ""},
        {"outer", AT_PAR("1") "{'phase':'step','step':'r1'}", "y_on"},
        {"outer", AT_PAR("1") "{'phase':'step','step':'r2'}", "refused"},
        {"outer", AT_PAR("2") "{'phase':'step','step':'r2'}", ""},
        {"outer", AT_PAR("-1") "{'phase':'step','step':'finish'}", ""},
        {"outer", AT_PAR("true") "{'phase':'step','step':'l1'}", ""},
        {"outer", "{'phase':'inside','step':'finish'},{'phase':'step','step':'ask'}",
         ""},
        {"outer", UNDOES("0"), "x_back"},
        {"outer", UNDOES("1"), "y_back"},
        {"outer", UNDOES("2"), ""},
        {"outer", UNDOES("-1"), ""},
    };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        mt_json tree;
        mt_str text = fixture_json(&f->a, mt_strf(&f->a, "{'flow':'%s','frames':[%s]}",
                                                  ROWS[i].flow, ROWS[i].frames)
                                              .ptr);
        assert_int_equal(mt_json_read(&f->a, text, NULL, &tree, NULL), MT_OK);
        uint32_t op = ct_position_operation(f->plan, &tree);
        assert_text(op == CT_NONE ? MT_STR("") : ct_operation_id(f->plan, op),
                    mt_str_z(ROWS[i].op));
    }
}

/* What was undone must be what the step undoes. */
static void an_undoing_of_another_operation_is_refused(void **state)
{
    static const char DONE[] = "\"op\":\"x_back\"";
    fixture *f = *state;
    ct_run_input in = fixture_input(f, "outer", "ann");
    ct_run run = {0};
    mt_str why = {0}, good = {0};
    const char *at = NULL;
    ct_run_start(&f->run, &in);
    for (ct_run_status s = CT_RUN_MORE; !at && s == CT_RUN_MORE;) {
        s = ct_run_step(&f->run);
        good = position(f, &f->run);
        at = strstr(good.ptr, DONE);
    }
    assert_non_null(at);
    assert_int_equal(take_up(f, &run, &in, good, &why), MT_OK);
    mt_str bad = mt_strf(&f->a, "%.*s\"op\":\"z_on\"%s", (int)(at - good.ptr), good.ptr,
                         at + strlen(DONE));
    assert_int_not_equal(take_up(f, &run, &in, bad, &why), MT_OK);
    assert_string_equal(mt_str_dup(&f->a, why).ptr,
                        "position: a record does not fit its step");
    ct_run_free(&run);
}

static void positions_are_canonical(void **state)
{
    fixture *f = *state;
    ct_run_input in = fixture_input(f, "outer", "ann");
    ct_run_start(&f->run, &in);
    for (ct_run_status s = CT_RUN_MORE; s == CT_RUN_MORE; s = ct_run_step(&f->run)) {
        mt_json tree;
        mt_buf sorted = {0};
        mt_str text = position(f, &f->run);
        mt_json_read(&f->a, text, NULL, &tree, NULL);
        mt_json_write(&sorted, &tree, false);
        assert_true(mt_str_eq(mt_buf_str(&sorted), text));
        mt_buf_free(&sorted);
    }
}

int main(void)
{
#define ROW(test) cmocka_unit_test_setup_teardown(test, open_outer, close_outer)
    const struct CMUnitTest tests[] = {
        ROW(resume_at_every_step_equals_run_through),
        ROW(a_waiting_run_says_for_whom_and_goes_on),
        ROW(a_position_that_does_not_fit_is_refused),
        ROW(steps_that_are_left_only_become_fewer),
        ROW(the_next_operation_is_read_from_any_text),
        ROW(an_undoing_of_another_operation_is_refused),
        ROW(positions_are_canonical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
