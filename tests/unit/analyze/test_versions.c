/* Versions, the parts: how types change, what of a snapshot is carried over, and the
 * plan that comes of it. */
#include "analyze/version/migrate.h"
#include "contract/flow/text.h"
#include "version_fixture.h"

/* ---- Types ---- */

typedef struct type_row {
    const char *name, *before, *after, *want; /* "widen", "narrow", "base", … */
} type_row;

/* clang-format off */
#define RECORD(fields) "Record { " fields " }"
static const type_row TYPES[] = {
    {"an Int with a lower minimum is wider", "Int(min: 0, max: 9)", "Int(min: -1, max: 9)", "widen"},
    {"an Int that moved is narrower and wider", "Int(min: 0, max: 9)", "Int(min: 1, max: 10)", "narrow widen"},
    {"a Decimal with more digits is wider", "Decimal(precision: 8, scale: 2)", "Decimal(precision: 10, scale: 2)", "widen"},
    {"a Decimal whose scale takes whole digits is both", "Decimal(precision: 8, scale: 2)", "Decimal(precision: 8, scale: 3)", "narrow widen"},
    {"a Decimal with scale and digits for it is wider", "Decimal(precision: 8, scale: 2)", "Decimal(precision: 9, scale: 3)", "widen"},
    {"a shorter Text is narrower", "Text(max_length: 9)", "Text(max_length: 8)", "narrow"},
    {"another currency is another type", "Money(currency: \"USD\")", "Money(currency: \"EUR\")", "base"},
    {"a longer Duration is wider", "Duration(unit: \"days\", min: 0, max: 9)", "Duration(unit: \"days\", min: 0, max: 10)", "widen"},
    {"another unit is another type", "Duration(unit: \"days\", min: 0, max: 9)", "Duration(unit: \"hours\", min: 0, max: 9)", "base"},
    {"an Enum in another order is the same", "Enum(values: [\"a\", \"b\"])", "Enum(values: [\"b\", \"a\"])", ""},
    {"an Enum that swaps a value is both", "Enum(values: [\"a\", \"b\"])", "Enum(values: [\"a\", \"c\"])", "narrow widen"},
    {"a longer list is wider", "List(element_type: Bool, max: 3)", "List(element_type: Bool, max: 4)", "widen"},
    {"a list of narrower elements is narrower", "List(element_type: Int(min: 0, max: 9), max: 3)", "List(element_type: Int(min: 0, max: 8), max: 3)", "narrow"},
    {"a list of other elements is another type", "List(element_type: Bool, max: 3)", "List(element_type: Date, max: 3)", "base"},
    {"a wider field makes a wider record", RECORD("a: Int(min: 0, max: 1)"), RECORD("a: Int(min: 0, max: 2)"), "widen"},
    {"one more field is another type", RECORD("a: Bool"), RECORD("a: Bool b: Bool"), "base"},
    {"one field less is another type", RECORD("a: Bool b: Bool"), RECORD("a: Bool"), "base"},
    {"one more variant is wider", "TaggedUnion { A: Bool }", "TaggedUnion { A: Bool B: Date }", "widen"},
    {"one variant less is narrower", "TaggedUnion { A: Bool B: Date }", "TaggedUnion { A: Bool }", "narrow"},
    {"a record field named line is compared", RECORD("line: Int(min: 0, max: 1)"), RECORD("line: Int(min: 0, max: 2)"), "widen"},
};
/* clang-format on */
enum { TYPE_COUNT = sizeof TYPES / sizeof *TYPES };

/* A type in a fact: records and unions by name. */
static mt_str with_type(mt_arena *a, const char *type)
{
    return mt_strf(a, "persona p\ntype T = %s\nfact f { type: T source: \"x.f\" }\n",
                   type);
}

static mt_str plain_type(mt_arena *a, const char *type)
{
    return mt_strf(a, "persona p\nfact f { type: %s source: \"x.f\" }\n", type);
}

/* Of the first construct that changed, "" if none did. */
static void assert_parts(mt_arena *a, version *before, version *after, const char *want)
{
    version_read(before);
    version_read(after);
    const an_diff *d = an_diff_bundles(a, (an_diff_side){&before->tree, NULL},
                                       (an_diff_side){&after->tree, NULL});
    mt_buf got = {0};
    for (uint32_t i = 0; d->entry_count && i < d->entries[0].fields[0].part_count;
         i++) {
        mt_buf_addf(&got, "%s%s", i ? " " : "",
                    d->entries[0].fields[0].parts[i].taxon->change);
    }
    mt_buf_addc(&got, '\0');
    assert_string_equal(got.ptr, want);
    mt_buf_free(&got);
}

static void types_compare(void **state)
{
    const type_row *r = *state;
    mt_arena a = {0};
    bool named = strncmp(r->before, "Record", 6) == 0 || strstr(r->before, "Union");
    mt_str (*source)(mt_arena *, const char *) = named ? with_type : plain_type;
    version v1, v2;
    version_elaborate(&v1, source(&a, r->before).ptr);
    version_elaborate(&v2, source(&a, r->after).ptr);
    assert_parts(&a, &v1, &v2, r->want);
    mt_arena_free(&a);
    version_close(&v1);
    version_close(&v2);
}

/* Without a base nobody knows what the parameters mean, so their change may be any. */
static void types_without_a_base_are_different(void **state)
{
    static const char *const TYPES_OF[] = {"Int(min: 0, max: 9)",
                                           "Int(min: 0, max: 10)"};
    mt_arena a = {0};
    version v[2];
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        version_elaborate(&v[i], plain_type(&a, TYPES_OF[i]).ptr);
        char *base = strstr(v[i].text, "\"base\"");
        assert_non_null(base);
        base[1] = 'c';
    }
    assert_parts(&a, &v[0], &v[1], "base");
    mt_arena_free(&a);
    version_close(&v[0]);
    version_close(&v[1]);
}

/* ---- Snapshots ---- */

typedef struct carry_row {
    const char *name, *before, *after, *facts, *want;
} carry_row;

/* clang-format off */
#define FACT(type) "fact f { type: " type " source: \"x.f\" }\n"
static const carry_row CARRIES[] = {
    {"an Enum value keeps its name in another order", FACT("Enum(values: [\"a\", \"b\", \"c\"])"),
     FACT("Enum(values: [\"c\", \"b\", \"a\"])"), "{\"f\":\"c\"}", "0 \"c\""},
    {"an Enum value that is gone does not fit", FACT("Enum(values: [\"a\", \"b\"])"),
     FACT("Enum(values: [\"a\"])"), "{\"f\":\"b\"}", "3"},
    {"an Int out of the new range does not fit", FACT("Int(min: 0, max: 9)"),
     FACT("Int(min: 0, max: 5)"), "{\"f\":6}", "3"},
    {"a Duration takes the new unit", FACT("Duration(unit: \"days\", min: 0, max: 9)"),
     FACT("Duration(unit: \"hours\", min: 0, max: 999)"),
     "{\"f\":{\"value\":2,\"unit\":\"days\"}}", "0 48 hours"},
    {"a Duration that is no whole number of units does not fit",
     FACT("Duration(unit: \"hours\", min: 0, max: 99)"),
     FACT("Duration(unit: \"days\", min: 0, max: 9)"),
     "{\"f\":{\"value\":25,\"unit\":\"hours\"}}", "3"},
    {"a Decimal that needs more scale does not fit", FACT("Decimal(precision: 9, scale: 3)"),
     FACT("Decimal(precision: 9, scale: 2)"), "{\"f\":\"1.005\"}", "3"},
    {"records in a list are carried field by field",
     "type T { b: Bool a: Enum(values: [\"x\", \"y\"]) }\n" FACT("List(element_type: T, max: 3)"),
     "type T { a: Enum(values: [\"y\", \"x\"]) b: Bool }\n" FACT("List(element_type: T, max: 4)"),
     "{\"f\":[{\"a\":\"x\",\"b\":true},{\"a\":\"y\",\"b\":false}]}",
     "0 [{a: \"x\", b: true}, {a: \"y\", b: false}]"},
    {"a record with one more field does not fit", "type T { a: Bool }\n" FACT("T"),
     "type T { a: Bool b: Bool }\n" FACT("T"), "{\"f\":{\"a\":true}}", "3"},
    {"a union keeps its variant", "type T = TaggedUnion { B: Bool }\n" FACT("T"),
     "type T = TaggedUnion { A: Date B: Bool }\n" FACT("T"),
     "{\"f\":{\"tag\":\"B\",\"payload\":true}}", NULL},
    {"a variant that is gone does not fit", "type T = TaggedUnion { A: Date B: Bool }\n" FACT("T"),
     "type T = TaggedUnion { A: Date }\n" FACT("T"), "{\"f\":{\"tag\":\"B\",\"payload\":true}}", "3"},
    {"another currency does not fit", FACT("Money(currency: \"USD\")"),
     FACT("Money(currency: \"EUR\")"), "{\"f\":{\"amount\":\"5\",\"currency\":\"USD\"}}", "3"},
    {"a new fact has its default", "", "fact f { type: Bool source: \"x.f\" default: true }\n",
     "{}", "1 true"},
    {"a new fact without one has nothing", "", FACT("Bool"), "{}", "2"},
};
/* clang-format on */
enum { CARRY_COUNT = sizeof CARRIES / sizeof *CARRIES };

static void evaluate(version *v, const char *facts)
{
    ct_fault fault;
    if (ct_facts_read(v->facts, mt_str_z(facts), NULL, false, &fault) ||
        ct_evaluate(v->plan->program, v->facts, v->verdicts, &v->a, &fault)) {
        fail_msg("facts: %.*s", MT_ARG(fault.message));
    }
}

static void facts_are_carried(void **state)
{
    const carry_row *r = *state;
    mt_arena a = {0};
    version v1, v2;
    version_open(&v1, mt_strf(&a, "persona p\n%s", r->before).ptr);
    version_open(&v2, mt_strf(&a, "persona p\n%s", r->after).ptr);
    evaluate(&v1, r->facts);
    ct_snapshot frozen = version_snapshot(&v1);
    ct_carry c =
        ct_snapshot_carry(&a, &frozen, v2.plan->program, v2.facts, v2.verdicts);
    mt_buf got = {0};
    mt_buf_addf(&got, "%u", c.facts[0]);
    if (c.facts[0] <= CT_CARRIED_DEFAULT) {
        mt_buf_addc(&got, ' ');
        ct_value_text(&got, v2.model->facts[0].type, ct_facts_value(v2.facts, 0));
    }
    mt_buf_addc(&got, '\0');
    if (r->want) {
        assert_string_equal(got.ptr, r->want);
    } else { /* the union: tag 1 of the new type, payload true */
        const ct_value *value = ct_facts_value(v2.facts, 0);
        assert_int_equal(c.facts[0], CT_CARRIED);
        assert_int_equal(value->variant.tag, 1);
        assert_true(value->variant.payload->boolean);
    }
    mt_buf_free(&got);
    mt_arena_free(&a);
    version_close(&v1);
    version_close(&v2);
}

#define RULE(id, when, verdict, payload)                                               \
    "rule " id " { stratum: 0 when: " when " produce: verdict " verdict                \
    " { payload: " payload " } }\n"

/* The new rules are not asked: what was frozen stays, by verdict type. */
static void verdicts_are_carried_not_evaluated(void **state)
{
    (void)state;
    mt_arena a = {0};
    version v1, v2;
    version_open(&v1, "persona p\nfact f { type: Bool source: \"x.f\" }\n" RULE(
                          "one", "f = true", "kept", "Int(min: 0, max: 9) = 7")
                          RULE("two", "f = false", "absent", "Bool = true")
                              RULE("three", "f = true", "reshaped", "Bool = true"));
    version_open(&v2, "persona p\nfact f { type: Bool source: \"x.f\" }\n" RULE(
                          "uno", "f = false", "kept", "Int(min: 0, max: 99) = 1")
                          RULE("due", "f = true", "absent", "Bool = true")
                              RULE("tre", "f = true", "reshaped", "Text = \"x\"")
                                  RULE("new", "f = true", "fresh", "Bool = true"));
    evaluate(&v1, "{\"f\":true}");
    ct_snapshot frozen = version_snapshot(&v1);
    ct_carry c =
        ct_snapshot_carry(&a, &frozen, v2.plan->program, v2.facts, v2.verdicts);
    uint32_t kept = ct_model_find(v2.model, CT_KIND_VERDICT, MT_STR("kept"));
    uint32_t absent = ct_model_find(v2.model, CT_KIND_VERDICT, MT_STR("absent"));
    uint32_t reshaped = ct_model_find(v2.model, CT_KIND_VERDICT, MT_STR("reshaped"));
    uint32_t fresh = ct_model_find(v2.model, CT_KIND_VERDICT, MT_STR("fresh"));
    assert_int_equal(ct_verdict_payload(v2.verdicts, kept)->integer, 7);
    assert_false(ct_verdict_present(v2.verdicts, absent));
    assert_false(ct_verdict_present(v2.verdicts, fresh));
    assert_true(ct_verdict_present(v2.verdicts, reshaped));
    assert_true(c.payload_misfits[reshaped]);
    assert_false(c.payload_misfits[kept]);
    mt_arena_free(&a);
    version_close(&v1);
    version_close(&v2);
}

/* ---- Plans ---- */

#define STEP(id, op)                                                                   \
    id ": OperationStep { op: " op " persona: p outcomes: { success: "                 \
       "Terminal(success) } on_failure: Terminate(outcome: failure) }"
#define TWO_FLOWS(states, transitions)                                                 \
    "persona p\nentity E { states: [" states "] initial: a transitions: "              \
    "[" transitions "] }\nentity F { states: [x, y] initial: x transitions: "          \
    "[(x, y)] }\n"                                                                     \
    "operation move { allowed_personas: [p] precondition: true effects: [(E, a, b)] "  \
    "}\n"                                                                              \
    "operation other { allowed_personas: [p] precondition: true effects: [(F, x, y)] " \
    "}\n"                                                                              \
    "flow one { snapshot: at_initiation entry: s steps: { " STEP(                      \
        "s", "move") " } }\nflow two { snapshot: at_initiation entry: s steps: "       \
                     "{ " STEP("s", "other") " } }\n"

static an_migration plan_of(mt_arena *a, version *v1, version *v2, an_flight *flights,
                            uint32_t count)
{
    an_migration m;
    const an_diff *d = an_diff_bundles(a, (an_diff_side){&v1->tree, NULL},
                                       (an_diff_side){&v2->tree, NULL});
    an_migrate(a, d, v1->plan, v2->plan, flights, count, (an_migrate_options){0}, &m);
    return m;
}

static void a_plan_advises_every_flow_and_moves_states(void **state)
{
    (void)state;
    mt_arena a = {0};
    version v1, v2;
    version_open(&v1, TWO_FLOWS("a, b, old", "(a, b), (old, b)"));
    version_open(&v2, TWO_FLOWS("a, b", "(a, b)"));
    an_migration m = plan_of(&a, &v1, &v2, NULL, 0);
    assert_int_equal(m.policy, AN_BLUE_GREEN);
    assert_int_equal(m.flows[0].policy, AN_BLUE_GREEN);
    assert_int_equal(m.flows[1].policy, AN_POLICY_NONE);
    assert_int_equal(m.move_count, 1);
    assert_true(mt_str_is(m.moves[0].from, "old"));
    assert_true(mt_str_is(m.moves[0].to, "b"));
    m = plan_of(&a, &v1, &v1, NULL, 0);
    assert_int_equal(m.policy, AN_POLICY_NONE);
    mt_arena_free(&a);
    version_close(&v1);
    version_close(&v2);
}

static void instances_decide_between_force_migrate_and_blue_green(void **state)
{
    (void)state;
    mt_arena a = {0};
    version v1, v2;
    version_open(&v1, TWO_FLOWS("a, b, old", "(a, b), (old, b)"));
    version_open(&v2, TWO_FLOWS("a, b", "(a, b)"));
    version_begin(&v1, "{}", "one", "p");
    an_flight flight = {.id = MT_STR("i"), .run = &v1.run};
    an_migration m = plan_of(&a, &v1, &v2, &flight, 1);
    assert_int_equal(m.policy, AN_FORCE_MIGRATE);
    assert_int_equal(flight.policy, AN_FORCE_MIGRATE);
    uint32_t e = ct_model_find(v1.model, CT_KIND_ENTITY, MT_STR("E"));
    ct_run_set_state(&v1.run, e, ct_state_find(&v1.model->entities[e], MT_STR("old")));
    m = plan_of(&a, &v1, &v2, &flight, 1);
    assert_int_equal(m.policy, AN_BLUE_GREEN);
    assert_int_equal(m.incompatible, 1);
    assert_int_equal(flight.compat.obstacles.items[0].kind, AN_STATE_REMOVED);
    mt_arena_free(&a);
    version_close(&v1);
    version_close(&v2);
}

/* Everything a step can meet: personas, each in one place, an operation, another flow,
 * and what is done when it fails. */
static const char MEETING[] =
    "persona p\npersona from\npersona to\npersona mover\npersona undoer\npersona "
    "caller\npersona helper\n"
    "entity E { states: [a, b] initial: a transitions: [(a, b), (b, a)] }\n"
    "operation move { allowed_personas: [mover, helper] precondition: true effects: "
    "[(E, a, b)] }\n"
    "operation undo { allowed_personas: [p, undoer] precondition: true effects: [(E, "
    "b, a)] }\n"
    "flow inner { snapshot: at_initiation entry: s steps: { " STEP(
        "s", "undo") " } }\n"
                     "flow outer { snapshot: at_initiation entry: h steps: {\n"
                     "h: HandoffStep { from_persona: from to_persona: to next: m }\n"
                     "m: OperationStep { op: move persona: mover outcomes: { success: "
                     "c } on_failure: "
                     "Compensate(steps: [{ op: undo persona: undoer on_failure: "
                     "Terminal(failure) }] "
                     "then: Terminal(failure)) }\n"
                     "c: SubFlowStep { flow: inner persona: caller on_success: "
                     "Terminal(success) "
                     "on_failure: Escalate(to: helper next: y) }\n"
                     "y: OperationStep { op: move persona: helper outcomes: { success: "
                     "Terminal(failure) } "
                     "on_failure: Terminate(outcome: failure) } } }\n";

static mt_str told_plan(mt_arena *a, const an_migration *m)
{
    mt_buf out = {0};
    an_migration_text(&out, m);
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

static void expect_told(mt_str got, const char *want)
{
    if (!mt_str_eq(got, mt_str_z(want))) {
        fprintf(stderr, "%.*s\n",
                MT_ARG(got)); /* longer than fail_msg() has room for */
        fail_msg("it is not\n%s", want);
    }
}

static void a_plan_is_told_with_all_that_flows_meet(void **state)
{
    (void)state;
    mt_arena a = {0};
    version v1, v2;
    version_open(&v1, MEETING);
    version_open(&v2, TWO_FLOWS("a, b", "(a, b)"));
    an_migration m = plan_of(&a, &v1, &v2, NULL, 0);
    expect_told(
        told_plan(&a, &m),
        "Migration: t -> t\n"
        "16 changes: 11 breaking, 0 requires analysis, 0 infrastructure, 5 "
        "non-breaking\n"
        "\n"
        "BREAKING:\n"
        "  ~ Entity E .transitions (remove b -> a) — operations using the transition "
        "are invalid\n"
        "  - Flow inner — sub-flow steps that refer to it are invalid\n"
        "  - Flow outer — sub-flow steps that refer to it are invalid\n"
        "  ~ Operation move .allowed_personas (remove helper, mover) — steps that act "
        "as the persona fail authorisation\n"
        "  - Operation undo — flows with steps that invoke it are invalid\n"
        "  - Persona caller — operations and steps that name the persona are invalid\n"
        "  - Persona from — operations and steps that name the persona are invalid\n"
        "  - Persona helper — operations and steps that name the persona are invalid\n"
        "  - Persona mover — operations and steps that name the persona are invalid\n"
        "  - Persona to — operations and steps that name the persona are invalid\n"
        "  - Persona undoer — operations and steps that name the persona are invalid\n"
        "\n"
        "NON_BREAKING:\n"
        "  + Entity F — no existing construct refers to a new entity\n"
        "  + Flow one — no existing construct refers to a new flow\n"
        "  + Flow two — no existing construct refers to a new flow\n"
        "  ~ Operation move .allowed_personas (add p) — whoever was authorised remains "
        "so\n"
        "  + Operation other — no existing flow refers to a new operation\n"
        "\n"
        "a migration policy must be declared to deploy this\n"
        "\n"
        "Recommended policy: blue_green\n"
        "  no instance is given, so none is known to go on safely; both versions side "
        "by side disturb no flow under way\n"
        "\n"
        "Flow types:\n"
        "  inner: blue_green\n"
        "      it meets breaking changes, and whether an instance can go on depends on "
        "where it stands\n"
        "      meets Entity E at s\n"
        "      meets Flow inner\n"
        "      meets Operation undo at s\n"
        "  outer: blue_green\n"
        "      it meets breaking changes, and whether an instance can go on depends on "
        "where it stands\n"
        "      meets Entity E at s\n"
        "      meets Flow inner at c\n"
        "      meets Flow outer\n"
        "      meets Operation move at m\n"
        "      meets Operation undo at s\n"
        "      meets Persona caller at c\n"
        "      meets Persona from at h\n"
        "      meets Persona helper at c\n"
        "      meets Persona mover at m\n"
        "      meets Persona to at h\n"
        "      meets Persona undoer at m\n");
    mt_arena_free(&a);
    version_close(&v1);
    version_close(&v2);
}

/* Two instances of flow `one`: of `other` E is in the state `old`. */
static void begin_two(version *v1, version *other, const char *source)
{
    version_open(v1, source);
    version_open(other, source);
    version_begin(v1, "{}", "one", "p");
    version_begin(other, "{}", "one", "p");
    uint32_t e = ct_model_find(v1->model, CT_KIND_ENTITY, MT_STR("E"));
    ct_run_set_state(&other->run, e,
                     ct_state_find(&v1->model->entities[e], MT_STR("old")));
}

static an_migration plan_of_two(mt_arena *a, version *v1, version *other, version *v2,
                                an_migrate_options how)
{
    an_flight *flights = mt_new_array(a, an_flight, 2); /* the plan borrows them */
    flights[0] = (an_flight){.id = MT_STR("i"), .run = &v1->run};
    flights[1] = (an_flight){.id = MT_STR("k"), .run = &other->run};
    const an_diff *d = an_diff_bundles(a, (an_diff_side){&v1->tree, NULL},
                                       (an_diff_side){&v2->tree, NULL});
    an_migration m;
    an_migrate(a, d, v1->plan, v2->plan, flights, 2, how, &m);
    return m;
}

/* One instance that can go on, and one in a state that is gone. */
static void a_plan_is_told_with_its_instances(void **state)
{
    static const an_migrate_options HOW[] = {{0}, {.only_worse = true}};
    static const char *const WANT[] = {
        "Migration: t -> t\n"
        "2 changes: 2 breaking, 0 requires analysis, 0 infrastructure, 0 non-breaking\n"
        "\n"
        "BREAKING:\n"
        "  ~ Entity E .states (remove old) — instances in a removed state are "
        "orphaned\n"
        "  ~ Entity E .transitions (remove old -> b) — operations using the transition "
        "are invalid\n"
        "\n"
        "a migration policy must be declared to deploy this\n"
        "\n"
        "Recommended policy: blue_green\n"
        "  1 of 2 instances given cannot go on under the new version; they end under "
        "the old one while new flows, and those that can, use the new one\n"
        "\n"
        "Flow types:\n"
        "  one: blue_green\n"
        "      1 of 2 instances given cannot go on under the new version: they end "
        "under the old one, the others may migrate\n"
        "      meets Entity E at s\n"
        "  two: none\n"
        "      no breaking change lies on its way\n"
        "\n"
        "Instances (conservative analysis):\n"
        "  i: one at s: compatible\n"
        "      the policy abort would end it\n"
        "  k: one at s: INCOMPATIBLE\n"
        "      layer 2, FMC3, step s: entity 'E' is in state 'old', which the new "
        "contract does not have\n"
        "      the policy abort would end it\n"
        "\n"
        "Coexistence: new flows and compatible instances use the new version, the "
        "others\n"
        "end under the old one.\n"
        "\n"
        "Instances in these states must be moved before the transition ends:\n"
        "  E: old -> b\n",
        "Migration: t -> t\n"
        "2 changes: 2 breaking, 0 requires analysis, 0 infrastructure, 0 non-breaking\n"
        "\n"
        "BREAKING:\n"
        "  ~ Entity E .states (remove old) — instances in a removed state are "
        "orphaned\n"
        "  ~ Entity E .transitions (remove old -> b) — operations using the transition "
        "are invalid\n"
        "\n"
        "a migration policy must be declared to deploy this\n"
        "\n"
        "Recommended policy: blue_green\n"
        "  1 of 2 instances given cannot go on under the new version; they end under "
        "the old one while new flows, and those that can, use the new one\n"
        "\n"
        "Flow types:\n"
        "  one: blue_green\n"
        "      1 of 2 instances given cannot go on under the new version: they end "
        "under the old one, the others may migrate\n"
        "      meets Entity E at s\n"
        "  two: none\n"
        "      no breaking change lies on its way\n"
        "\n"
        "Instances (conservative analysis):\n"
        "  k: one at s: WORSE\n"
        "      layer 2, FMC3, step s: entity 'E' is in state 'old', which the new "
        "contract does not have\n"
        "      the policy abort would end it\n"
        "  1 of 2 worse off under the new version; 1 compatible\n"
        "\n"
        "Instances in these states must be moved before the transition ends:\n"
        "  E: old -> b\n"};
    (void)state;
    mt_arena a = {0};
    version v1, v2, other;
    begin_two(&v1, &other, TWO_FLOWS("a, b, old", "(a, b), (old, b)"));
    version_open(&v2, TWO_FLOWS("a, b", "(a, b)"));
    for (size_t i = 0; i < sizeof HOW / sizeof *HOW; i++) {
        an_migration m = plan_of_two(&a, &v1, &other, &v2, HOW[i]);
        expect_told(told_plan(&a, &m), WANT[i]);
    }
    mt_arena_free(&a);
    version_close(&v1);
    version_close(&v2);
    version_close(&other);
}

/* Everything but the diff, whose report has tests of its own. */
static mt_str written_plan(mt_arena *a, const an_migration *m)
{
    mt_buf out = {0};
    mt_json tree;
    mt_jw w = mt_jw_start(&out, false);
    an_migration_json(&w, m);
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    assert_int_equal(mt_json_read(a, text, NULL, &tree, NULL), MT_OK);
    assert_non_null(mt_json_at(&tree, "diff"));
    mt_buf_clear(&out);
    for (uint32_t i = 0; i < tree.count; i++) {
        if (!mt_str_is(tree.as.members[i].key, "diff")) {
            mt_buf_addf(&out, "%.*s: ", MT_ARG(tree.as.members[i].key));
            mt_json_write(&out, &tree.as.members[i].value, false);
            mt_buf_addc(&out, '\n');
        }
    }
    text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* Three states are gone: from one a single way leads on, from one two, from one
 * none. */
static void a_plan_is_written_with_its_instances(void **state)
{
    static const an_migrate_options HOW[] = {{0},
                                             {.aggressive = true, .only_worse = true}};
    static const char *const WANT[] = {
        "analysis: \"conservative\"\n"
        "entity_state_mappings: [{\"entity_id\":\"E\",\"from_state\":\"old\","
        "\"suggested_state\":\"b\"},{\"entity_id\":\"E\",\"from_state\":\"left\","
        "\"suggested_state\":null},{\"entity_id\":\"E\",\"from_state\":\"end\","
        "\"suggested_state\":null}]\n"
        "flow_compatibility: [{\"aborted_by_policy\":true,"
        "\"compatibility\":{\"compatible\":true,"
        "\"layer_results\":{\"layer1_verdict_isolation\":true,"
        "\"layer2_entity_state\":true,\"layer3_structure\":true},\"notes\":[],"
        "\"obstacles\":[]},\"flow_id\":\"one\",\"instance_id\":\"i\","
        "\"policy\":\"force_migrate\",\"position\":\"s\","
        "\"touches\":[{\"construct_id\":\"E\",\"construct_kind\":\"Entity\","
        "\"step\":\"s\"}]},{\"aborted_by_policy\":true,"
        "\"compatibility\":{\"compatible\":false,"
        "\"layer_results\":{\"layer1_verdict_isolation\":true,"
        "\"layer2_entity_state\":false,\"layer3_structure\":true},\"notes\":[],"
        "\"obstacles\":[{\"condition\":\"FMC3\",\"flow\":\"one\","
        "\"kind\":\"state_removed\",\"layer\":2,"
        "\"reason\":\"entity 'E' is in state 'old',"
        " which the new contract does not have\",\"step\":\"s\","
        "\"subject\":\"E\"}]},\"flow_id\":\"one\",\"instance_id\":\"k\","
        "\"policy\":\"blue_green\",\"position\":\"s\","
        "\"touches\":[{\"construct_id\":\"E\",\"construct_kind\":\"Entity\","
        "\"step\":\"s\"}]}]\n"
        "flow_types: [{\"compatible_instances\":1,\"flow_id\":\"one\","
        "\"instances\":2,\"policy\":\"blue_green\","
        "\"reason\":\"1 of 2 instances given cannot go on under the new version: they "
        "end under the old one,"
        " the others may migrate\",\"touches\":[{\"construct_id\":\"E\","
        "\"construct_kind\":\"Entity\",\"step\":\"s\"}]},"
        "{\"compatible_instances\":0,\"flow_id\":\"two\",\"instances\":0,"
        "\"policy\":\"none\",\"reason\":\"no breaking change lies on its way\","
        "\"touches\":[]}]\n"
        "policy_required: true\n"
        "reason: \"1 of 2 instances given cannot go on under the new version; they end "
        "under the old one while new flows,"
        " and those that can, use the new one\"\n"
        "recommended_policy: \"blue_green\"\n",
        "analysis: \"aggressive\"\n"
        "entity_state_mappings: [{\"entity_id\":\"E\",\"from_state\":\"old\","
        "\"suggested_state\":\"b\"},{\"entity_id\":\"E\",\"from_state\":\"left\","
        "\"suggested_state\":null},{\"entity_id\":\"E\",\"from_state\":\"end\","
        "\"suggested_state\":null}]\n"
        "flow_compatibility: [{\"aborted_by_policy\":true,"
        "\"compatibility\":{\"compatible\":true,"
        "\"layer_results\":{\"layer1_verdict_isolation\":true,"
        "\"layer2_entity_state\":true,\"layer3_structure\":true},\"notes\":[],"
        "\"obstacles\":[]},\"flow_id\":\"one\",\"instance_id\":\"i\","
        "\"policy\":\"force_migrate\",\"position\":\"s\","
        "\"touches\":[{\"construct_id\":\"E\",\"construct_kind\":\"Entity\","
        "\"step\":\"s\"}],\"worse\":false},{\"aborted_by_policy\":true,"
        "\"compatibility\":{\"compatible\":false,"
        "\"layer_results\":{\"layer1_verdict_isolation\":true,"
        "\"layer2_entity_state\":false,\"layer3_structure\":true},\"notes\":[],"
        "\"obstacles\":[{\"condition\":\"FMC3\",\"flow\":\"one\","
        "\"kind\":\"state_removed\",\"layer\":2,"
        "\"reason\":\"entity 'E' is in state 'old',"
        " which the new contract does not have\",\"step\":\"s\","
        "\"subject\":\"E\"}]},\"flow_id\":\"one\",\"instance_id\":\"k\","
        "\"policy\":\"blue_green\",\"position\":\"s\","
        "\"touches\":[{\"construct_id\":\"E\",\"construct_kind\":\"Entity\","
        "\"step\":\"s\"}],\"worse\":true}]\n"
        "flow_types: [{\"compatible_instances\":1,\"flow_id\":\"one\","
        "\"instances\":2,\"policy\":\"blue_green\","
        "\"reason\":\"1 of 2 instances given cannot go on under the new version: they "
        "end under the old one,"
        " the others may migrate\",\"touches\":[{\"construct_id\":\"E\","
        "\"construct_kind\":\"Entity\",\"step\":\"s\"}]},"
        "{\"compatible_instances\":0,\"flow_id\":\"two\",\"instances\":0,"
        "\"policy\":\"none\",\"reason\":\"no breaking change lies on its way\","
        "\"touches\":[]}]\n"
        "policy_required: true\n"
        "reason: \"1 of 2 instances given cannot go on under the new version; they end "
        "under the old one while new flows,"
        " and those that can, use the new one\"\n"
        "recommended_policy: \"blue_green\"\n"
        "worse: 1\n"};
    (void)state;
    mt_arena a = {0};
    version v1, v2, other;
    begin_two(
        &v1, &other,
        TWO_FLOWS("a, b, old, left, end",
                  "(a, b), (old, b), (old, end), (left, a), (left, b), (left, old)"));
    version_open(&v2, TWO_FLOWS("a, b", "(a, b)"));
    for (size_t i = 0; i < sizeof HOW / sizeof *HOW; i++) {
        an_migration m = plan_of_two(&a, &v1, &other, &v2, HOW[i]);
        expect_told(written_plan(&a, &m), WANT[i]);
    }
    an_migration none;
    const an_diff *same = an_diff_bundles(&a, (an_diff_side){&v1.tree, NULL},
                                          (an_diff_side){&v1.tree, NULL});
    an_flight flight = {.id = MT_STR("i"), .run = &v1.run};
    an_migrate(&a, same, v1.plan, v1.plan, &flight, 1, HOW[1], &none);
    expect_told(told_plan(&a, &none),
                "Migration: t -> t\n"
                "0 changes: 0 breaking, 0 requires analysis, 0 infrastructure,"
                " 0 non-breaking\n"
                "\n"
                "Recommended policy: none\n"
                "  nothing breaking changed\n"
                "\n"
                "Flow types:\n"
                "  one: none\n"
                "      every instance given can go on under the new version\n"
                "  two: none\n"
                "      no breaking change lies on its way\n"
                "\n"
                "Instances (aggressive analysis):\n"
                "  0 of 1 worse off under the new version; 1 compatible\n");
    mt_arena_free(&a);
    version_close(&v1);
    version_close(&v2);
    version_close(&other);
}

/* Names of fields that mean something else in a node of interchange. */
#define WRITTEN_OUT(condition, payload)                                                \
    "persona p\ntype T { type: Int(0, 9) literal: Int(0, 9) result_type: Int(0, 9) "   \
    "}\n"                                                                              \
    "fact f { type: T source: \"x.f\" }\nfact i { type: Int(0, 9) source: \"x.i\" }\n" \
    "rule r { stratum: 0 when: f = { " condition " } produce: verdict v { payload: T " \
    "= { " payload " } } }\n"

static bool differ(const char *before, const char *after)
{
    mt_arena a = {0};
    version v1, v2;
    version_elaborate(&v1, before);
    version_elaborate(&v2, after);
    version_read(&v1);
    version_read(&v2);
    const an_diff *d = an_diff_bundles(&a, (an_diff_side){&v1.tree, NULL},
                                       (an_diff_side){&v2.tree, NULL});
    bool changed = an_diff_find(d, MT_STR("Rule"), MT_STR("r")) != NULL;
    mt_arena_free(&a);
    version_close(&v1);
    version_close(&v2);
    return changed;
}

static void FL27_every_part_of_a_written_value_is_compared(void **state)
{
    (void)state;
#define SAME "type: 1, literal: i, result_type: 2"
    static const char *const OTHER[] = {
        "type: 3, literal: i, result_type: 2", "type: 1, literal: 4, result_type: 2",
        "type: 1, literal: i, result_type: i", "type: i, literal: i, result_type: 2"};
    const char *same = WRITTEN_OUT(SAME, SAME);
    assert_false(differ(same, same));
    assert_false(
        differ(same, WRITTEN_OUT("result_type: 2, type: 1, literal: i", SAME)));
    for (size_t i = 0; i < sizeof OTHER / sizeof *OTHER; i++) {
        mt_arena a = {0};
        mt_str condition = mt_strf(&a, WRITTEN_OUT("%s", SAME), OTHER[i]);
        mt_str payload = mt_strf(&a, WRITTEN_OUT(SAME, "%s"), OTHER[i]);
        assert_true(differ(same, condition.ptr));
        assert_true(differ(same, payload.ptr));
        mt_arena_free(&a);
    }
}

static struct CMUnitTest test_of(const char *name, CMUnitTestFunction run,
                                 const void *state)
{
    return (struct CMUnitTest){
        .name = name, .test_func = run, .initial_state = (void *)(uintptr_t)state};
}

int main(void)
{
    enum { SINGLES = 8 };
    struct CMUnitTest tests[SINGLES + TYPE_COUNT + CARRY_COUNT] = {
        cmocka_unit_test(types_without_a_base_are_different),
        cmocka_unit_test(verdicts_are_carried_not_evaluated),
        cmocka_unit_test(a_plan_advises_every_flow_and_moves_states),
        cmocka_unit_test(instances_decide_between_force_migrate_and_blue_green),
        cmocka_unit_test(a_plan_is_told_with_all_that_flows_meet),
        cmocka_unit_test(a_plan_is_told_with_its_instances),
        cmocka_unit_test(a_plan_is_written_with_its_instances),
        cmocka_unit_test(FL27_every_part_of_a_written_value_is_compared),
    };
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        tests[SINGLES + i] = test_of(TYPES[i].name, types_compare, &TYPES[i]);
    }
    for (size_t i = 0; i < CARRY_COUNT; i++) {
        tests[SINGLES + TYPE_COUNT + i] =
            test_of(CARRIES[i].name, facts_are_carried, &CARRIES[i]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
