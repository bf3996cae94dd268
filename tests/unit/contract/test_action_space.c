/* The action space: what a flow reaches first, why it is closed, and that grouping
 * instances by state says neither more nor less than asking about each of them. */
#include "contract/flow/action_space.h"
#include "flow_fixture.h"

#define FAIL TERMINATE("failure")
#define DO(id, op, persona, then)                                                      \
    OP_STEP(id, op, persona, ON("done", TERMINAL(then)), FAIL)

/* clang-format off */
static const char CONTRACT[] = BUNDLE(
    PERSONA("ann") PERSONA("bob") FACT("go", BOOL) FACT("left", BOOL)
    ENTITY("Box", "new", "'new','open','shut'", ARC("new", "open") ARC("open", "shut"))
    ENTITY("Lid", "on", "'on','off'", ARC("on", "off"))
    ENTITY("Tag", "blank", "'blank','printed'", ARC("blank", "printed"))
    RULE("may_go", 0, "allowed", IS_TRUE("go"))
    OPERATION("open_box", "'ann'", PRESENT("allowed"),
              EFFECT("Box", "new", "open"), "'done'", "")
    OPERATION("close_box", "'ann','bob'", PRESENT("allowed"),
              EFFECT("Box", "open", "shut"), "'done'", "")
    OPERATION("lift_lid", "'ann'", PRESENT("allowed"),
              EFFECT("Lid", "on", "off"), "'done'", "")
    OPERATION("print_tag", "'bob'",
              AND(PRESENT("allowed"), OR(IS_TRUE("left"), NOT(IS_TRUE("go")))),
              EFFECT("Tag", "blank", "printed"), "'done'", "")
    FLOW("branching", "decide",
         BRANCH_STEP("decide", "ann", IS_TRUE("left"), STEP("open"), STEP("close"))
         DO("open", "open_box", "ann", "success")
         DO("close", "close_box", "bob", "success"))
    FLOW("ending", "decide",
         BRANCH_STEP("decide", "ann", IS_TRUE("left"), TERMINAL("success"),
                     TERMINAL("failure")))
    FLOW("handed", "pass",
         HANDOFF_STEP("pass", "ann", "bob", "print")
         DO("print", "print_tag", "bob", "success"))
    FLOW("nested", "enter",
         SUBFLOW_STEP("enter", "branching", "ann", TERMINAL("success"), FAIL))
    FLOW("passed", "enter",
         SUBFLOW_STEP("enter", "ending", "ann", STEP("lift"), ESCALATE("bob", "close"))
         DO("lift", "lift_lid", "ann", "success")
         DO("close", "close_box", "bob", "success"))
    FLOW("undone", "enter",
         SUBFLOW_STEP("enter", "ending", "ann", TERMINAL("success"),
                      COMPENSATE(UNDO("close_box", "bob", "failure"), "failure")))
    FLOW("at_once", "fork",
         PARALLEL_STEP("fork",
             BRANCH("x", "in", SUBFLOW_STEP("in", "ending", "ann", TERMINAL("success"),
                                            FAIL))
             BRANCH("y", "in", SUBFLOW_STEP("in", "ending", "bob", TERMINAL("success"),
                                            FAIL)),
             "'on_all_success':'lift','on_any_failure':"
             COMPENSATE(UNDO("close_box", "bob", "failure"), "failure"))
         DO("lift", "lift_lid", "ann", "success"))
    FLOW("together", "fork",
         PARALLEL_STEP("fork",
             BRANCH("boxes", "open", DO("open", "open_box", "ann", "success"))
             BRANCH("lids", "lift", DO("lift", "lift_lid", "ann", "success"))
             BRANCH("tags", "print", DO("print", "print_tag", "bob", "success")),
             "'on_all_success':" TERMINAL("success") ",'on_any_failure':" FAIL)));
/* clang-format on */

static int open_boxes(void **state)
{
    fixture *f = malloc(sizeof *f);
    fixture_open(f, CONTRACT);
    fixture_facts(f, "{'go':true,'left':true}");
    fixture_states(f, "{}");
    *state = f;
    return 0;
}

static int close_boxes(void **state)
{
    fixture_close(*state);
    free(*state);
    return 0;
}

/* Only the instances named: an entity may have none. */
static void only_states(fixture *f, const char *json)
{
    mt_json tree;
    mt_str why = {0};
    f->states = ct_states_new(&f->a, f->model);
    assert_int_equal(mt_json_read(&f->a, fixture_json(&f->a, json), NULL, &tree, NULL),
                     MT_OK);
    assert_int_equal(ct_states_read(&f->a, &f->states, &tree, &why), MT_OK);
    ct_states_seal(&f->states);
}

static void add_group(mt_buf *out, const fixture *f, const ct_group *g)
{
    const ct_instances *list = &f->states.entities[g->entity];
    for (uint32_t i = 0; i < g->count; i++) {
        assert_int_equal(list->items[g->members[i]].state, g->state);
        mt_buf_addf(out, " %.*s", MT_ARG(list->items[g->members[i]].id));
    }
}

/* "open open_box+lift_lid -> done done, Box: b1 b2, Lid: _default" */
static void add_action(mt_buf *out, const fixture *f, const ct_action *action)
{
    mt_buf_addz(out, "open ");
    for (uint32_t i = 0; i < action->entry_count; i++) {
        mt_str op = ct_operation_id(f->plan, action->entries[i].op);
        mt_buf_addf(out, "%s%.*s", i ? "+" : "", MT_ARG(op));
    }
    mt_buf_addz(out, " ->");
    for (uint32_t i = 0; i < action->outcome_count; i++) {
        mt_str label = f->plan->outcomes[action->outcomes[i]].label;
        mt_buf_addf(out, " %.*s", MT_ARG(label));
    }
    for (uint32_t i = 0; i < action->binding_count; i++) {
        const ct_choice_set *set = &action->bindings[i];
        mt_buf_addf(out, ", %.*s:", MT_ARG(ct_entity_id(f->plan, set->entity)));
        for (uint32_t g = 0; g < set->group_count; g++) {
            add_group(out, f, set->groups[g]);
        }
    }
}

/* "EntityNotInSourceState open_box Box=shut: b3", "PreconditionNotMet op (…)" */
static void add_blocked(mt_buf *out, const fixture *f, const ct_blocked *b)
{
    mt_buf_addf(out, "%.*s", MT_ARG(ct_block_name(b->kind)));
    if (b->op != CT_NONE) {
        mt_buf_addf(out, " %.*s", MT_ARG(ct_operation_id(f->plan, b->op)));
    }
    if (b->entity != CT_NONE) {
        mt_buf_addf(out, " %.*s", MT_ARG(ct_entity_id(f->plan, b->entity)));
    }
    if (b->group) {
        mt_str id = ct_plan_state_id(f->plan, b->entity, b->group->state);
        mt_buf_addf(out, "=%.*s:", MT_ARG(id));
        add_group(out, f, b->group);
    }
    if (b->terminal != CT_NONE) {
        mt_str name = f->plan->terminals[b->terminal].name;
        mt_buf_addf(out, " %.*s", MT_ARG(name));
    }
    if (b->kind == CT_BLOCK_PRECONDITION) {
        mt_buf_addz(out, " (");
        fixture_reasons(out, f, &b->reasons);
        mt_buf_addc(out, ')');
    }
}

/* Everything the action space says of one flow, parts separated by " | ". */
static const char *said(fixture *f, const char *flow, const char *persona)
{
    mt_buf out = {0};
    ct_action_space space;
    uint32_t index = ct_model_find(f->model, CT_KIND_FLOW, mt_str_z(flow));
    assert_int_not_equal(index, CT_NONE);
    ct_actions(&f->a, &f->frozen, &f->states, mt_str_z(persona), &space);
    for (size_t i = 0; i < space.actions.len; i++) {
        if (space.actions.items[i].flow == index) {
            mt_buf_addz(&out, out.len ? " | " : "");
            add_action(&out, f, &space.actions.items[i]);
        }
    }
    for (size_t i = 0; i < space.blocked.len; i++) {
        if (space.blocked.items[i].flow == index) {
            mt_buf_addz(&out, out.len ? " | " : "");
            add_blocked(&out, f, &space.blocked.items[i]);
        }
    }
    const char *text = mt_str_dup(&f->a, mt_buf_str(&out)).ptr;
    mt_buf_free(&out);
    return text;
}

typedef struct row {
    const char *facts, *states, *flow, *persona, *said;
} row;

static void check_rows(fixture *f, const row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fixture_facts(f, rows[i].facts);
        only_states(f, rows[i].states);
        const char *got = said(f, rows[i].flow, rows[i].persona);
        if (strcmp(got, rows[i].said) != 0) {
            fail_msg("row %zu, %s for %s: %s", i, rows[i].flow, rows[i].persona, got);
        }
    }
}

#define LEFT        "{'go':true,'left':true}"
#define RIGHT       "{'go':true,'left':false}"
#define STUCK       "{'go':false,'left':false}"
#define FIRST       "{'Box':{'b':'new'},'Lid':{'l':'on'},'Tag':{'t':'blank'}}"
#define CHECK(rows) check_rows(*state, rows, sizeof rows / sizeof *rows)

static void a_first_branch_is_decided_on_the_snapshot(void **state)
{
    static const row ROWS[] = {
        {LEFT, FIRST, "branching", "ann", "open open_box -> done, Box: b"},
        {LEFT, FIRST, "branching", "bob", "PersonaNotAuthorized open_box"},
        {RIGHT, FIRST, "branching", "ann", "PersonaNotAuthorized close_box"},
        {RIGHT, FIRST, "branching", "bob",
         "EntityNotInSourceState close_box Box=new: b"},
        {RIGHT, "{'Box':{'b':'open'}}", "branching", "bob",
         "open close_box -> done, Box: b"},
        {LEFT, FIRST, "ending", "ann", "NoOperationReached success"},
        {RIGHT, FIRST, "ending", "bob", "NoOperationReached failure"},
    };
    CHECK(ROWS);
}

static void a_first_handoff_is_passed(void **state)
{
    static const row ROWS[] = {
        {LEFT, FIRST, "handed", "ann", "PersonaNotAuthorized print_tag"},
        {LEFT, FIRST, "handed", "bob", "open print_tag -> done, Tag: t"},
    };
    CHECK(ROWS);
}

static void a_first_subflow_is_entered_or_left_behind(void **state)
{
    static const row ROWS[] = {
        {LEFT, FIRST, "nested", "ann", "open open_box -> done, Box: b"},
        {RIGHT, FIRST, "nested", "ann", "PersonaNotAuthorized close_box"},
        {RIGHT, "{'Box':{'b':'open'}}", "nested", "bob",
         "open close_box -> done, Box: b"},
        {LEFT, FIRST, "passed", "ann", "open lift_lid -> done, Lid: l"},
        {RIGHT, "{'Box':{'b':'open'},'Lid':{'l':'on'}}", "passed", "bob",
         "open close_box -> done, Box: b"},
    };
    CHECK(ROWS);
}

static void a_first_parallel_step_opens_the_branches_of_the_persona(void **state)
{
    static const row ROWS[] = {
        {LEFT, FIRST, "together", "ann",
         "open open_box+lift_lid -> done done, Box: b, Lid: l"},
        {LEFT, FIRST, "together", "bob", "open print_tag -> done, Tag: t"},
        {LEFT, "{'Box':{'b':'new'},'Lid':{'l':'off'},'Tag':{'t':'blank'}}", "together",
         "ann", "EntityNotInSourceState lift_lid Lid=off: l"},
        {LEFT, FIRST, "together", "carl", "PersonaNotAuthorized open_box"},
    };
    CHECK(ROWS);
}

static void what_ends_at_once_leads_on_or_to_its_compensation(void **state)
{
    static const char OPEN[] = "{'Box':{'b':'open'},'Lid':{'l':'on'}}";
    const row rows[] = {
        {LEFT, OPEN, "undone", "bob", "NoOperationReached success"},
        {RIGHT, OPEN, "undone", "bob", "open close_box -> done, Box: b"},
        {RIGHT, OPEN, "undone", "ann", "PersonaNotAuthorized close_box"},
        {LEFT, OPEN, "at_once", "ann", "open lift_lid -> done, Lid: l"},
        {RIGHT, OPEN, "at_once", "bob", "open close_box -> done, Box: b"},
    };
    CHECK(rows);
    fixture *f = *state;
    fixture_states(f, "{'Box':'open'}");
    assert_string_equal(fixture_run(f, "undone", "bob"), "failure");
    assert_string_equal(fixture_state(f, "Box"), "shut");
}

static void a_closed_precondition_names_its_false_parts(void **state)
{
    static const row ROWS[] = {
        {STUCK, FIRST, "nested", "bob",
         "PreconditionNotMet close_box (verdict_present(allowed) is false)"},
        {RIGHT, FIRST, "handed", "bob",
         "PreconditionNotMet print_tag (left = true is false; not go = true is "
         "false)"},
        {STUCK, FIRST, "handed", "bob",
         "PreconditionNotMet print_tag (verdict_present(allowed) is false)"},
        {STUCK, FIRST, "together", "ann",
         "PreconditionNotMet open_box (verdict_present(allowed) is false) | "
         "PreconditionNotMet lift_lid (verdict_present(allowed) is false)"},
    };
    CHECK(ROWS);
}

static void instances_are_grouped_by_state(void **state)
{
    static const row ROWS[] = {
        {LEFT, "{'Box':{'b4':'new','b1':'shut','b3':'open','b2':'new','b5':'shut'}}",
         "branching", "ann",
         "open open_box -> done, Box: b2 b4 | "
         "EntityNotInSourceState open_box Box=open: b3 | "
         "EntityNotInSourceState open_box Box=shut: b1 b5"},
    };
    CHECK(ROWS);
}

static void an_entity_without_instances_blocks_where_it_is_needed(void **state)
{
    static const row ROWS[] = {
        {LEFT, "{}", "branching", "ann", "NoInstance open_box Box"},
        {LEFT, "{'Box':{}}", "branching", "ann", "NoInstance open_box Box"},
        {LEFT, "{'Box':{'b':'new'}}", "handed", "bob", "NoInstance print_tag Tag"},
        /* reached later: no operation is to blame yet */
        {LEFT, "{'Lid':{'l':'on'}}", "passed", "ann", "NoInstance Box"},
        {LEFT, "{'Box':{'b':'new'}}", "together", "ann",
         "NoInstance lift_lid Lid | NoInstance Tag"},
    };
    CHECK(ROWS);
}

/* ---- grouping ---- */

/* clang-format off */
static const char MANY[] = BUNDLE(
    PERSONA("ann") FACT("go", BOOL)
    ENTITY("A", "s0", "'s0','s1','s2','s3'",
           ARC("s0", "s1") ARC("s1", "s2") ARC("s2", "s3") ARC("s0", "s3"))
    ENTITY("B", "s0", "'s0','s1','s2'", ARC("s0", "s1") ARC("s1", "s2") ARC("s0", "s2"))
    ENTITY("C", "s0", "'s0','s1'", ARC("s0", "s1"))
    OPERATION("one", "'ann'", IS_TRUE("go"), EFFECT("A", "s0", "s1"), "'done'", "")
    OPERATION("some", "'ann'", IS_TRUE("go"),
              EFFECT("A", "s0", "s1") EFFECT("A", "s2", "s3") EFFECT("B", "s1", "s2"),
              "'done'", "")
    OPERATION("choice", "'ann'", IS_TRUE("go"),
              EFFECT_FOR("A", "s0", "s1", "x") EFFECT_FOR("B", "s0", "s1", "x")
              EFFECT_FOR("A", "s0", "s3", "y") EFFECT_FOR("B", "s0", "s2", "y")
              EFFECT_FOR("A", "s1", "s2", "z") EFFECT_FOR("C", "s0", "s1", "z"),
              "'x','y','z'", "")
    FLOW("one", "s", DO("s", "one", "ann", "success"))
    FLOW("some", "s", DO("s", "some", "ann", "success"))
    FLOW("choice", "s",
         OP_STEP("s", "choice", "ann", ON("x", TERMINAL("success"))
                 ON("y", TERMINAL("success")) ON("z", TERMINAL("success")), FAIL)));
/* clang-format on */

enum { MANY_ENTITIES = 3, MANY_INSTANCES = 9 };

static void random_states(fixture *f, uint32_t *seed)
{
    f->states = ct_states_new(&f->a, f->model);
    for (uint32_t e = 0; e < MANY_ENTITIES; e++) {
        for (int i = 0; i < MANY_INSTANCES; i++) {
            *seed = *seed * 1664525 + 1013904223;
            ct_states_put(&f->a, &f->states, e, mt_strf(&f->a, "i%d", i),
                          (*seed >> 16) % f->model->entities[e].state_count);
        }
    }
    ct_states_seal(&f->states);
}

static bool group_has(const ct_group *g, uint32_t instance)
{
    for (uint32_t i = 0; i < g->count; i++) {
        if (g->members[i] == instance) {
            return true;
        }
    }
    return false;
}

/* Does the action stand for this combination of instances? */
static bool covers(const ct_action *action, const uint32_t *combination)
{
    bool all = true;
    for (uint32_t i = 0; i < action->binding_count; i++) {
        const ct_choice_set *set = &action->bindings[i];
        bool in = false;
        for (uint32_t g = 0; g < set->group_count; g++) {
            in |= group_has(set->groups[g], combination[set->entity]);
        }
        all &= in;
    }
    return all;
}

/* Outcomes as bits, said by the groups. */
static uint64_t grouped(const ct_action_space *space, uint32_t flow,
                        const uint32_t *combination)
{
    uint64_t outcomes = 0;
    for (size_t i = 0; i < space->actions.len; i++) {
        const ct_action *action = &space->actions.items[i];
        if (action->flow == flow && covers(action, combination)) {
            for (uint32_t k = 0; k < action->outcome_count; k++) {
                outcomes |= (uint64_t)1 << action->outcomes[k];
            }
        }
    }
    return outcomes;
}

/* Outcomes as bits, by asking the operation about these very instances. */
static uint64_t asked(const fixture *f, uint32_t op, const uint32_t *combination)
{
    uint32_t states[MANY_ENTITIES], matching[8];
    for (uint32_t e = 0; e < MANY_ENTITIES; e++) {
        states[e] = f->states.entities[e].items[combination[e]].state;
    }
    uint64_t outcomes = 0;
    uint32_t n = ct_op_matching(f->plan, op, states, matching, 8);
    for (uint32_t i = 0; i < n; i++) {
        outcomes |= (uint64_t)1 << matching[i];
    }
    return outcomes;
}

static void compare_combinations(const fixture *f, const ct_action_space *space,
                                 uint32_t flow, uint32_t op)
{
    for (uint32_t i = 0; i < MANY_INSTANCES * MANY_INSTANCES * MANY_INSTANCES; i++) {
        uint32_t combination[MANY_ENTITIES] = {i % MANY_INSTANCES,
                                               i / MANY_INSTANCES % MANY_INSTANCES,
                                               i / MANY_INSTANCES / MANY_INSTANCES};
        assert_int_equal(grouped(space, flow, combination), asked(f, op, combination));
    }
}

/* An instance is blocked for its state exactly when no effect begins there. */
static void compare_blocked(const fixture *f, const ct_action_space *space,
                            uint32_t flow, uint32_t op, uint32_t entity)
{
    const ct_operation *o = &f->model->operations[op];
    for (uint32_t i = 0; i < MANY_INSTANCES; i++) {
        bool changed = false, begins = false;
        int blocked = 0;
        for (uint32_t k = 0; k < o->effect_count; k++) {
            bool here = o->effects[k].entity == entity;
            changed |= here;
            begins |=
                here && o->effects[k].from == f->states.entities[entity].items[i].state;
        }
        for (size_t k = 0; k < space->blocked.len; k++) {
            const ct_blocked *b = &space->blocked.items[k];
            assert_int_equal(b->kind, CT_BLOCK_STATE);
            blocked += b->flow == flow && b->entity == entity && group_has(b->group, i);
        }
        assert_int_equal(blocked, changed && !begins);
    }
}

static void groups_expanded_are_what_each_combination_says(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"one", "some", "choice"};
    fixture f;
    uint32_t seed = 7;
    fixture_open(&f, MANY);
    fixture_facts(&f, "{'go':true}");
    for (int round = 0; round < 20; round++) {
        ct_action_space space;
        random_states(&f, &seed);
        ct_actions(&f.a, &f.frozen, &f.states, MT_STR("ann"), &space);
        for (size_t i = 0; i < 3; i++) {
            mt_str id = mt_str_z(NAMES[i]);
            uint32_t flow = ct_model_find(f.model, CT_KIND_FLOW, id);
            uint32_t op = ct_model_find(f.model, CT_KIND_OPERATION, id);
            compare_combinations(&f, &space, flow, op);
            for (uint32_t e = 0; e < MANY_ENTITIES; e++) {
                compare_blocked(&f, &space, flow, op, e);
            }
        }
    }
    fixture_close(&f);
}

static void outcomes_that_ask_for_the_same_instances_are_one_action(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, MANY);
    fixture_facts(&f, "{'go':true}");
    only_states(&f, "{'A':{'a1':'s0','a2':'s1'},'B':{'b':'s0'},'C':{'c':'s0'}}");
    assert_string_equal(
        said(&f, "choice", "ann"),
        "open choice -> x y, A: a1, B: b | open choice -> z, A: a2, C: c");
    fixture_close(&f);
}

#define ON_BOXES(t) cmocka_unit_test_setup_teardown(t, open_boxes, close_boxes)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOXES(a_first_branch_is_decided_on_the_snapshot),
        ON_BOXES(a_first_handoff_is_passed),
        ON_BOXES(a_first_subflow_is_entered_or_left_behind),
        ON_BOXES(a_first_parallel_step_opens_the_branches_of_the_persona),
        ON_BOXES(what_ends_at_once_leads_on_or_to_its_compensation),
        ON_BOXES(a_closed_precondition_names_its_false_parts),
        ON_BOXES(instances_are_grouped_by_state),
        ON_BOXES(an_entity_without_instances_blocks_where_it_is_needed),
        cmocka_unit_test(groups_expanded_are_what_each_combination_says),
        cmocka_unit_test(outcomes_that_ask_for_the_same_instances_are_one_action),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
