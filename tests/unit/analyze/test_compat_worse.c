/* Obstacles that the new version is not to blame for (FMC3): the same run, judged as if
 * nothing had changed, meets them too, and nothing on the ways to them changed. */
#include "analyze/version/migrate.h"
#include "version_fixture.h"

#define OP(name, entity, from, to)                                                     \
    "operation " name                                                                  \
    " { allowed_personas: [ann] precondition: true effects: [(" entity ", " from       \
    ", " to ")] outcomes: [done] error_contract: [] }\n"
#define STEP(id, op, next)                                                             \
    id ": OperationStep { op: " op " persona: ann outcomes: { done: " next             \
       " } on_failure: Terminate(outcome: failure) }\n"
#define END "Terminal(success)"

/* Box is shut for good, so `close` cannot be performed any more; the run stands before
 * the branch. */
static const char V1[] =
    "persona ann\npersona bob\n"
    "fact small { type: Bool source: \"x.small\" default: true }\n"
    "entity Doc { states: [draft, sent] initial: draft transitions: [(draft, sent)] }\n"
    "entity Box { states: [open, shut] initial: open transitions: [(open, shut)] }\n"
    "operation send { allowed_personas: [ann, bob] precondition: true effects: [(Doc, "
    "draft, sent)] outcomes: [done] error_contract: [] }\n" OP(
        "close", "Box", "open",
        "shut") "flow f { snapshot: at_initiation entry: s1 steps: {\n"
                "s1: BranchStep { condition: small = true persona: ann if_true: s2 "
                "if_false: s3 }\n" STEP("s2", "send", END) STEP("s3", "close", "s4")
                    STEP(
                        "s4", "send",
                        END) "} }\n"
                             "flow twice { snapshot: at_initiation entry: t1 steps: {\n"
                             "t1: SubFlowStep { flow: part persona: ann on_success: t2 "
                             "on_failure: "
                             "Terminate(outcome: failure) }\n"
                             "t2: SubFlowStep { flow: part persona: ann on_success: t3 "
                             "on_failure: "
                             "Terminate(outcome: failure) }\n" STEP(
                                 "t3", "send",
                                 END) "} }\n"
                                      "flow part { snapshot: at_initiation entry: p1 "
                                      "steps: {\n" STEP(
                                          "p1", "close",
                                          END) "} }\n"
                                               "flow wide { snapshot: at_initiation "
                                               "entry: w1 steps: {\n"
                                               "w1: ParallelStep { branches: [\n"
                                               "Branch { id: one entry: a1 steps: "
                                               "{ " STEP(
                                                   "a1", "close",
                                                   END) "} }\n"
                                                        "Branch { id: two entry: b1 "
                                                        "steps: { " STEP(
                                                            "b1", "send",
                                                            END) "} }\n"
                                                                 "] join: JoinPolicy { "
                                                                 "on_all_success: "
                                                                 "Terminal(success) "
                                                                 "on_any_failure: "
                                                                 "Terminate(outcome: "
                                                                 "failure) } }\n} }\n";

static const struct row {
    const char *name, *flow, *find, *replace;
    bool worse;
} ROWS[] = {
    {"FMC3_an_unused_persona_is_not_to_blame", "f", "persona bob\n",
     "persona bob\npersona eve\n", false},
    {"FMC3_nor_is_a_rule", "f", "entity Doc",
     "rule r { stratum: 0 when: small = true produce: verdict v { payload: Bool = true "
     "} }\nentity Doc",
     false},
    {"FMC3_nor_is_a_step_behind_the_obstacle", "f",
     "s4: OperationStep { op: send persona: ann",
     "s4: OperationStep { op: send persona: bob", false},
    {"FMC3_a_way_that_leads_there_from_elsewhere_is", "f", "if_true: s2 if_false: s3",
     "if_true: s3 if_false: s2", true},
    {"FMC3_so_is_another_condition_on_the_way", "f", "condition: small = true",
     "condition: small = false", true},
    {"FMC3_so_is_the_operation_itself", "f",
     "operation close { allowed_personas: [ann]",
     "operation close { allowed_personas: [ann, bob]", true},
    {"FMC3_so_is_its_entity", "f", "[(open, shut)]", "[(open, shut), (open, open)]",
     true},
    {"FMC3_so_is_a_flow_that_is_gone", "f", "flow f {", "flow g {", true},
    {"FMC3_in_a_sub_flow_that_is_run_twice_what_follows_counts", "twice",
     "t3: OperationStep { op: send persona: ann",
     "t3: OperationStep { op: send persona: bob", true},
    {"FMC3_in_a_sub_flow_an_unused_persona_is_not_to_blame", "twice", "persona bob\n",
     "persona bob\npersona eve\n", false},
    {"FMC3_in_a_branch_an_unused_persona_is_not_to_blame", "wide", "persona bob\n",
     "persona bob\npersona eve\n", false},
    {"FMC3_another_branch_belongs_to_the_same_step", "wide",
     "b1: OperationStep { op: send persona: ann",
     "b1: OperationStep { op: send persona: bob", true},
};

static mt_str edited(mt_arena *a, const struct row *r)
{
    const char *at = strstr(V1, r->find);
    assert_non_null(at);
    return mt_strf(a, "%.*s%s%s", (int)(at - V1), V1, r->replace, at + strlen(r->find));
}

static void is_worse(void **state)
{
    const struct row *r = *state;
    mt_arena a = {0};
    version v1, v2;
    version_open(&v1, V1);
    version_open(&v2, edited(&a, r).ptr);
    version_begin(&v1, "{}", r->flow, "ann");
    uint32_t box = ct_model_find(v1.model, CT_KIND_ENTITY, MT_STR("Box"));
    ct_run_set_state(&v1.run, box,
                     ct_state_find(&v1.model->entities[box], MT_STR("shut")));
    an_diff *d = an_diff_bundles(&a, (an_diff_side){&v1.tree, NULL},
                                 (an_diff_side){&v2.tree, NULL});
    assert_true(d->entry_count > 0);
    an_compatibility c;
    an_compat(&a, &v1.run, v2.plan, NULL, &c);
    assert_false(c.compatible);
    an_compat_worse(&a, &v1.run, d, NULL, &c);
    assert_int_equal(c.worse, r->worse);
    for (size_t i = 0; i < c.obstacles.len; i++) {
        assert_true(r->worse || c.obstacles.items[i].inherited);
    }
    version_close(&v1);
    version_close(&v2);
    mt_arena_free(&a);
}

/* What is compatible is not worse, whatever was in the structure before. */
static void what_is_compatible_is_not_worse(void **state)
{
    (void)state;
    mt_arena a = {0};
    version v1, v2;
    version_open(&v1, V1);
    version_open(&v2, V1);
    version_begin(&v1, "{}", "f", "ann");
    an_diff *d = an_diff_bundles(&a, (an_diff_side){&v1.tree, NULL},
                                 (an_diff_side){&v2.tree, NULL});
    an_compatibility c;
    an_compat(&a, &v1.run, v2.plan, NULL, &c);
    c.worse = true;
    an_compat_worse(&a, &v1.run, d, NULL, &c);
    assert_true(c.compatible);
    assert_false(c.worse);
    version_close(&v1);
    version_close(&v2);
    mt_arena_free(&a);
}

/* What stands in the way of the old version, too, is counted and not told. */
static void a_plan_tells_of_those_who_are_no_worse_off(void **state)
{
    static const char WANT[] =
        "Recommended policy: blue_green\n"
        "  1 of 1 instances given cannot go on under the new version; they end under "
        "the old one while new flows, and those that can, use the new one\n"
        "\n"
        "Flow types:\n"
        "  f: blue_green\n"
        "      1 of 1 instances given meet obstacles that the old version has, too; "
        "none is worse off under the new one\n"
        "      meets Flow f\n"
        "  part: none\n"
        "      no breaking change lies on its way\n"
        "  twice: none\n"
        "      no breaking change lies on its way\n"
        "  wide: none\n"
        "      no breaking change lies on its way\n"
        "\n"
        "Instances (conservative analysis):\n"
        "  0 of 1 worse off under the new version; 0 compatible, 1 meet only what the "
        "old version has, too\n"
        "Migration: t -> t\n"
        "1 change: 1 breaking, 0 requires analysis, 0 infrastructure, 0 non-breaking\n"
        "\n"
        "BREAKING:\n"
        "  ~ Flow f .steps (change s4) — paths, authority or the operation differ\n"
        "\n"
        "a migration policy must be declared to deploy this\n"
        "\n"
        "Recommended policy: blue_green\n"
        "  1 of 1 instances given cannot go on under the new version; they end under "
        "the old one while new flows, and those that can, use the new one\n"
        "\n"
        "Flow types:\n"
        "  f: blue_green\n"
        "      1 of 1 instances given meet obstacles that the old version has, too; "
        "none is worse off under the new one\n"
        "      meets Flow f\n"
        "  part: none\n"
        "      no breaking change lies on its way\n"
        "  twice: none\n"
        "      no breaking change lies on its way\n"
        "  wide: none\n"
        "      no breaking change lies on its way\n"
        "\n"
        "Instances (conservative analysis):\n"
        "  i: f at s1: INCOMPATIBLE\n"
        "      1 more as under the old version\n"
        "      the policy abort would end it\n";
    (void)state;
    mt_arena a = {0};
    mt_buf out = {0};
    version v1, v2;
    version_open(&v1, V1);
    version_open(&v2, edited(&a, &ROWS[2]).ptr);
    version_begin(&v1, "{}", "f", "ann");
    uint32_t box = ct_model_find(v1.model, CT_KIND_ENTITY, MT_STR("Box"));
    ct_run_set_state(&v1.run, box,
                     ct_state_find(&v1.model->entities[box], MT_STR("shut")));
    an_diff *d = an_diff_bundles(&a, (an_diff_side){&v1.tree, NULL},
                                 (an_diff_side){&v2.tree, NULL});
    an_flight flight = {.id = MT_STR("i"), .run = &v1.run};
    an_migration m;
    an_migrate(&a, d, v1.plan, v2.plan, &flight, 1,
               (an_migrate_options){.only_worse = true}, &m);
    an_migration_text(&out, &m);
    m.options.only_worse = false;
    an_migration_text(&out, &m);
    mt_buf_addc(&out, '\0');
    const char *told = strstr(out.ptr, "Recommended policy");
    assert_non_null(told);
    assert_string_equal(told, WANT);
    mt_buf_free(&out);
    version_close(&v1);
    version_close(&v2);
    mt_arena_free(&a);
}

int main(void)
{
    enum { COUNT = sizeof ROWS / sizeof *ROWS };
    struct CMUnitTest tests[COUNT + 2];
    tests[0] = (struct CMUnitTest)cmocka_unit_test(what_is_compatible_is_not_worse);
    tests[COUNT + 1] =
        (struct CMUnitTest)cmocka_unit_test(a_plan_tells_of_those_who_are_no_worse_off);
    for (size_t i = 0; i < COUNT; i++) {
        union {
            const struct row *row;
            void *state;
        } u = {.row = &ROWS[i]};
        tests[i + 1] = (struct CMUnitTest){ROWS[i].name, is_worse, NULL, NULL, u.state};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
