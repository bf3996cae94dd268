/* New versions of contracts on every store (§18.3, M1 to M8; §18.4; §18.6.12). */
#include "exec_fixture.h"

#include <time.h>

#include "base/yaml_read.h"

static mt_arena arena;

CALLER(WRITER, "tok-writer", LIST(T("clerk")), LIST(T("facts:*")));
CALLER(BOSS, "tok-boss", LIST(T("boss")), LIST(T("facts:*")));
CALLER(CHIEF, "tok-chief", LIST(T("chief")), LIST(T("facts:*")));
CALLER(OPERATOR, "tok-operator", LIST(T("nobody")), LIST(T("deploy")));

/* Two flows: `publish` is begun by the clerk and waits for the boss with its document
 * in review; `pack` waits for the boss at once. */
static const char OFFICE[] =
    "persona clerk\npersona boss\npersona chief\n"
    "source desk { protocol: manual }\n"
    "fact fine { type: Bool source: desk { path: \"fine\" } default: true }\n"
    "entity Doc { states: [draft, review, done] initial: draft\n"
    "  transitions: [(draft, review), (review, done)] }\n"
    "entity Box { states: [open, shut] initial: open transitions: [(open, shut)] }\n"
    "rule ok { stratum: 0 when: fine = true produce: ok(true) }\n"
    "operation submit { allowed_personas: [clerk] precondition: ok present\n"
    "  effects: [(Doc, draft, review)] outcomes: [done] }\n"
    "operation approve { allowed_personas: [boss] precondition: ok present\n"
    "  effects: [(Doc, review, done)] outcomes: [done] }\n"
    "operation close { allowed_personas: [boss] precondition: ok present\n"
    "  effects: [(Box, open, shut)] outcomes: [done] }\n"
    "flow publish { snapshot: at_initiation entry: a steps: {\n"
    "  a: OperationStep { op: submit persona: clerk outcomes: { done: b }\n"
    "    on_failure: Terminate(outcome: failure) }\n"
    "  b: OperationStep { op: approve persona: boss outcomes: { done: "
    "Terminal(success) }\n"
    "    on_failure: Terminate(outcome: failure) }\n} }\n"
    "flow pack { snapshot: at_initiation entry: z steps: {\n"
    "  z: OperationStep { op: close persona: boss outcomes: { done: Terminal(success) "
    "}\n"
    "    on_failure: Terminate(outcome: failure) }\n} }\n";

/* ---- Versions ---- */

/* OFFICE with every pair (what, instead) replaced; NULL ends them. */
static mt_str office_with(const char *const *changes)
{
    mt_str text = mt_str_dup(&arena, mt_str_z(OFFICE));
    for (; *changes; changes += 2) {
        mt_buf b = {0};
        const char *from = text.ptr, *found;
        size_t len = strlen(changes[0]), hits = 0;
        while ((found = strstr(from, changes[0])) != NULL) {
            mt_buf_add(&b, from, (size_t)(found - from));
            mt_buf_addz(&b, changes[1]);
            from = found + len;
            hits++;
        }
        mt_buf_addz(&b, from);
        if (!hits) {
            fail_msg("the contract has no '%s'", changes[0]);
        }
        text = mt_str_dup(&arena, mt_buf_str(&b));
        mt_buf_free(&b);
    }
    return text;
}
#define VERSION(...) office_with((const char *const[]){__VA_ARGS__, NULL})

static mt_str office(void)
{
    return mt_str_dup(&arena, mt_str_z(OFFICE));
}
static mt_str harmless(void)
{
    return VERSION("persona chief\n", "persona chief\npersona guest\n");
}
/* `pack` breaks: its operation does something else. */
static mt_str other_box(void)
{
    return VERSION("states: [open, shut]", "states: [open, shut, gone]",
                   "transitions: [(open, shut)]", "transitions: [(open, gone)]",
                   "(Box, open, shut)", "(Box, open, gone)");
}
/* `publish` breaks, but who waits in it can go on: for somebody else. */
static mt_str other_boss(void)
{
    return VERSION("operation approve { allowed_personas: [boss]",
                   "operation approve { allowed_personas: [chief]",
                   "op: approve persona: boss", "op: approve persona: chief");
}
/* The step where `publish` waits is another one. */
static mt_str other_step(void)
{
    return VERSION("{ done: b }", "{ done: c }", "  b: Op", "  c: Op");
}
/* Behind the step where `publish` waits comes a branch that `fine` decides; its other
 * side approves once more, what nobody can. */
static mt_str another_side(void)
{
    return VERSION("op: approve persona: boss outcomes: { done: Terminal(success) }\n"
                   "    on_failure: Terminate(outcome: failure) }\n",
                   "op: approve persona: boss outcomes: { done: c }\n"
                   "    on_failure: Terminate(outcome: failure) }\n"
                   "  c: BranchStep { condition: fine = true persona: boss\n"
                   "    if_true: Terminal(success) if_false: d }\n"
                   "  d: OperationStep { op: approve persona: boss\n"
                   "    outcomes: { done: Terminal(success) }\n"
                   "    on_failure: Terminate(outcome: failure) }\n");
}
/* A state is gone. */
static mt_str no_review(void)
{
    return VERSION("states: [draft, review, done]", "states: [draft, checking, done]",
                   "(draft, review), (review, done)",
                   "(draft, checking), (checking, done)", "(Doc, draft, review)",
                   "(Doc, draft, checking)", "(Doc, review, done)",
                   "(Doc, checking, done)");
}

/* ---- Asking ---- */

/* {"source":…,"contract":"office",MORE}, unless MORE names another contract. */
static mt_str body_of(mt_str source, const char *more)
{
    mt_buf b = {0};
    mt_buf_addz(&b, "{\"source\":");
    mt_json_quote(&b, source);
    if (!strstr(more, "\"contract\"")) {
        mt_buf_addz(&b, ",\"contract\":\"office\"");
    }
    mt_buf_addf(&b, "%s%s}", *more ? "," : "", more);
    mt_str text = mt_str_dup(&arena, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

static const mt_json *deploy_as(desk *d, const ex_caller *who, mt_str source,
                                const char *more)
{
    return ask(d, who, EX_CONTRACT_DEPLOY, "", "", body_of(source, more).ptr);
}

static const mt_json *deploy(desk *d, mt_str source, const char *more)
{
    return deploy_as(d, &OPERATOR, source, more);
}

#define POLICY(name) "\"policy\":\"" name "\""

static desk office_desk(void **state)
{
    desk d = desk_open(state, contract_file("office.tenor", OFFICE), NULL);
    create(&d, "Doc", "d1");
    create(&d, "Box", "b1");
    return d;
}

static const char *begin_flow(desk *d, const char *flow, const char *bindings)
{
    mt_str body =
        mt_strf(&arena, "{\"persona\":\"clerk\",\"bindings\":{%s}}", bindings);
    const mt_json *r = ask(d, &WRITER, EX_FLOW_START, flow, "", body.ptr);
    expect(d, 200);
    assert_at(r, "status", "waiting");
    return mt_str_dup(&arena, mt_json_text(at(r, "id"))).ptr;
}

static const char *begin_publish(desk *d)
{
    return begin_flow(d, "publish", "\"Doc\":\"d1\"");
}

static const char *begin_pack(desk *d)
{
    return begin_flow(d, "pack", "\"Box\":\"b1\"");
}

static const mt_json *flow_now(desk *d, const char *id)
{
    const mt_json *r = ask(d, &ANYONE, EX_FLOW_GET, "", id, "");
    expect(d, 200);
    return r;
}

static mt_str etag_now(desk *d)
{
    const mt_json *r = ask(d, &ANYONE, EX_CONTRACT_GET, "", "", "");
    expect(d, 200);
    return mt_json_text(at(r, "etag"));
}

/* What the answer says about a flow. */
static const mt_json *told(const mt_json *r, const char *id)
{
    const mt_json *list = at(r, "flows");
    for (uint32_t i = 0; list && i < list->count; i++) {
        if (mt_str_eq(mt_json_text(mt_json_at(&list->as.items[i], "id")),
                      mt_str_z(id))) {
            return &list->as.items[i];
        }
    }
    fail_msg("the answer says nothing about flow %s", id);
    return NULL;
}

static void assert_number(const mt_json *r, const char *path, int64_t want)
{
    int64_t got = -1;
    mt_json_i64(at(r, path), &got);
    if (got != want) {
        fail_msg("%s is %lld, want %lld", path, (long long)got, (long long)want);
    }
}

static const mt_json *last_record(desk *d, const char *kind)
{
    ad_param q[] = {{MT_STR("kind"), mt_str_z(kind)},
                    {MT_STR("limit"), MT_STR("1000")},
                    {MT_STR("pending"), MT_STR("true")}};
    const mt_json *r = ask_query(d, EX_LEDGER_LIST, "", "", q, 3);
    uint32_t count = count_at(r, "items");
    assert_true(count > 0);
    return at(r, mt_strf(&arena, "items.%u.body", count - 1).ptr);
}

static const mt_json *migration(desk *d)
{
    const mt_json *r = ask(d, &ANYONE, EX_MIGRATION_GET, "", "", "");
    expect(d, 200);
    return r;
}

static const mt_json *complete(desk *d, const char *body)
{
    return ask(d, &OPERATOR, EX_MIGRATION_COMPLETE, "", "", body);
}

/* ---- M1 to M3: detection and declaration ---- */

static void M1_a_change_is_found_and_classified(void **state)
{
    desk d = office_desk(state);
    const mt_json *r = deploy(&d, harmless(), "");
    expect(&d, 200);
    assert_at(r, "class", "NON_BREAKING");
    assert_at(r, "status", "complete");
    assert_number(r, "number", 2);
    r = deploy(&d, no_review(), "\"dry_run\":true," POLICY("blue_green"));
    expect(&d, 200);
    assert_at(r, "class", "BREAKING");
    assert_int_equal(flag_at(r, "diff.policy_required"), 1);
    assert_int_equal(flag_at(r, "simulation"), 1);
    desk_close(&d);
}

static void M1_a_System_is_compared_too(void **state)
{
    desk d = desk_open(state, EXAMPLES "/trade_platform/trade_platform.tenor", NULL);
    desk_close(&d);
    /* The same members without the trigger: its removal breaks (§18.2.7). */
    mt_buf why = {0};
    const char *changed = temp_path("trade_platform.tenor");
    FILE *in = fopen(EXAMPLES "/trade_platform/trade_platform.tenor", "r");
    char text[8192] = {0};
    assert_non_null(in);
    size_t n = fread(text, 1, sizeof text - 1, in);
    fclose(in);
    assert_true(n > 0);
    char *name = strstr(text, "on: success");
    assert_non_null(name);
    memcpy(name, "on: failure", 11);
    /* Members are found beside the System's file. */
    char command[1024];
    snprintf(command, sizeof command, "cp -r '%s/trade_platform/contracts' '%s/'",
             EXAMPLES, temp_dir());
    assert_int_equal(system(command), 0);
    FILE *out = fopen(changed, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    assert_err(desk_try(&d, again(state, NULL), changed, NULL, &why), MT_E_REJECTED);
    assert_non_null(strstr(mt_buf_str(&why).ptr, "trade_platform"));
    st_close(d.store);
    mt_buf_clear(&why);
    mt_str policy = MT_STR("blue_green");
    ex_executor_options o = {.policies = &policy, .policy_count = 1};
    d = desk_on(again(state, NULL), changed, &o);
    desk_close(&d);
    mt_buf_free(&why);
}

static void M2_a_breaking_change_needs_a_policy_for_every_flow_in_flight(void **state)
{
    desk d = office_desk(state);
    begin_publish(&d);
    begin_pack(&d);
    const mt_json *r = deploy(&d, other_box(), "\"policy\":{\"pack\":\"abort\"}");
    expect_code(&d, r, 409, "migration_policy_required");
    assert_at(r, "flows.0", "publish");
    assert_int_equal(count_at(r, "flows"), 1);
    r = deploy(&d, other_box(), "\"policy\":{\"pack\":\"abort\",\"*\":\"blue_green\"}");
    expect(&d, 200);
    assert_number(r, "fates.aborted", 1);
    assert_number(r, "fates.kept", 1);
    desk_close(&d);
}

static void M3_nothing_that_breaks_is_deployed_in_silence(void **state)
{
    desk d = office_desk(state);
    mt_str before = etag_now(&d);
    uint32_t so_far = records(&d, "");
    /* No flow is in flight, and still it must be declared. */
    const mt_json *r = deploy(&d, no_review(), "");
    expect_code(&d, r, 409, "migration_policy_required");
    assert_at(r, "diff.class", "BREAKING");
    assert_true(mt_json_text(at(r, "detail")).len > 0);
    r = deploy(&d, no_review(), "\"policy\":{}");
    expect_code(&d, r, 409, "migration_policy_required");
    assert_text(etag_now(&d), before);
    assert_int_equal(records(&d, ""), so_far);
    desk_close(&d);
}

static void M3_a_file_at_the_start_is_a_deployment_like_any_other(void **state)
{
    desk d = office_desk(state);
    const char *id = begin_publish(&d);
    desk_close(&d);
    mt_buf why = {0};
    mt_str changed = no_review();
    assert_err(desk_try(&d, again(state, NULL),
                        contract_file("office.tenor", changed.ptr), NULL, &why),
               MT_E_REJECTED);
    assert_non_null(strstr(mt_buf_str(&why).ptr, "policy"));
    st_close(d.store);
    mt_str policy = MT_STR("sudden");
    ex_executor_options o = {.policies = &policy, .policy_count = 1};
    mt_buf_clear(&why);
    assert_err(desk_try(&d, again(state, NULL),
                        contract_file("office.tenor", changed.ptr), &o, &why),
               MT_E_USAGE);
    st_close(d.store);
    policy = MT_STR("publish=blue_green");
    d = desk_on(again(state, NULL), contract_file("office.tenor", changed.ptr), &o);
    assert_at(migration(&d), "status", "migrating");
    assert_at(flow_now(&d, id), "status", "waiting");
    assert_at(last_record(&d, "contract_deployed"), "policy.publish", "blue_green");
    desk_close(&d);
    /* What breaks nothing is taken without a word. */
    mt_str more = mt_strf(&arena, "%.*spersona guest\n", MT_ARG(changed));
    d = desk_on(again(state, NULL), contract_file("office.tenor", more.ptr), NULL);
    assert_int_equal(records(&d, "contract_deployed"), 3);
    desk_close(&d);
    mt_buf_free(&why);
}

/* ---- M4: instances in removed states ---- */

static void submit(desk *d, const char *doc)
{
    mt_str body =
        mt_strf(&arena, "{\"persona\":\"clerk\",\"bindings\":{\"Doc\":\"%s\"}}", doc);
    ask(d, &WRITER, EX_OPERATION, "submit", "", body.ptr);
    expect(d, 200);
}

#define MAP "\"state_map\":{\"Doc\":{\"review\":\"checking\"}}"

static void M4_instances_in_removed_states_hold_up_the_end(void **state)
{
    desk d = office_desk(state);
    submit(&d, "d1");
    create(&d, "Doc", "d2");
    const mt_json *r = deploy(&d, no_review(), POLICY("blue_green"));
    expect(&d, 200);
    assert_at(r, "status", "migrating");
    assert_number(r, "instances.left", 1);
    assert_at(r, "instances.items.0.id", "d1");
    /* New flows use the new version meanwhile. */
    submit(&d, "d2");
    assert_state(&d, "Doc", "d2", "checking");
    r = complete(&d, "");
    expect_code(&d, r, 409, "migration_incomplete");
    /* A crash in between changes nothing. */
    d = desk_again(state, &d, NULL);
    r = migration(&d);
    assert_at(r, "status", "migrating");
    assert_number(r, "instances_left", 1);
    assert_at(r, "instances.0.state", "review");
    assert_number(r, "flows_left", 0);
    r = complete(&d, "{" MAP "}");
    expect(&d, 200);
    assert_at(r, "status", "complete");
    assert_state(&d, "Doc", "d1", "checking");
    r = last_record(&d, "instance_migrated");
    assert_at(r, "state_before", "review");
    assert_at(r, "state_after", "checking");
    assert_at(r, "instance", "d1");
    r = ask(&d, &ANYONE, EX_INSTANCE_GET, "Doc", "d1", "");
    assert_number(r, "version", 2);
    assert_at(migration(&d), "status", "complete");
    r = complete(&d, "");
    expect(&d, 200);
    assert_at(r, "status", "complete");
    /* It lives on. */
    ask(&d, &BOSS, EX_OPERATION, "approve", "",
        "{\"persona\":\"boss\",\"bindings\":{\"Doc\":\"d1\"}}");
    expect(&d, 200);
    assert_state(&d, "Doc", "d1", "done");
    desk_close(&d);
}

static void M4_a_state_map_moves_them_with_the_deployment(void **state)
{
    desk d = office_desk(state);
    submit(&d, "d1");
    const mt_json *r = deploy(&d, no_review(), POLICY("abort") "," MAP);
    expect(&d, 200);
    assert_at(r, "status", "complete");
    assert_number(r, "instances.moved", 1);
    assert_state(&d, "Doc", "d1", "checking");
    r = last_record(&d, "contract_deployed");
    assert_number(r, "instances_moved", 1);
    desk_close(&d);
}

static void
M4_an_instance_is_not_moved_from_under_a_flow_of_the_old_version(void **state)
{
    desk d = office_desk(state);
    const char *id = begin_publish(&d); /* d1 is in review */
    const mt_json *r = deploy(&d, no_review(), POLICY("blue_green") "," MAP);
    expect(&d, 200);
    assert_at(r, "status", "migrating");
    assert_number(r, "instances.left", 1);
    assert_text(mt_json_text(at(r, "instances.items.0.flow")), mt_str_z(id));
    assert_state(&d, "Doc", "d1", "review");
    r = complete(&d, "");
    expect_code(&d, r, 409, "migration_incomplete");
    ask(&d, &BOSS, EX_FLOW_RESUME, "", id, "");
    expect(&d, 200);
    assert_state(&d, "Doc", "d1", "done");
    r = complete(&d, ""); /* the map of the deployment is remembered */
    expect(&d, 200);
    assert_at(r, "status", "complete");
    desk_close(&d);
}

static void M4_a_state_map_must_fit(void **state)
{
    static const char *const BAD[] = {"{\"Doc\":{\"review\":\"nowhere\"}}",
                                      "{\"Doc\":{\"draft\":\"checking\"}}",
                                      "{\"Doc\":{\"unknown\":\"checking\"}}",
                                      "{\"Nothing\":{\"review\":\"checking\"}}",
                                      "{\"Doc\":\"checking\"}",
                                      "{\"Doc\":{\"review\":3}}"};
    desk d = office_desk(state);
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        mt_str more = mt_strf(&arena, POLICY("abort") ",\"state_map\":%s", BAD[i]);
        const mt_json *r = deploy(&d, no_review(), more.ptr);
        expect_code(&d, r, 422, "invalid_state_map");
    }
    desk_close(&d);
}

static void M4_what_an_unfinished_migration_left_is_not_forgotten(void **state)
{
    desk d = office_desk(state);
    submit(&d, "d1");
    deploy(&d, no_review(), POLICY("blue_green"));
    expect(&d, 200);
    d = desk_again(state, &d, NULL);
    mt_str more = mt_strf(&arena, "%.*spersona guest\n", MT_ARG(no_review()));
    const mt_json *r = deploy(&d, more, "");
    expect(&d, 200);
    assert_at(r, "status", "migrating");
    assert_number(r, "instances.left", 1);
    r = complete(&d, "{" MAP "}");
    expect(&d, 200);
    assert_state(&d, "Doc", "d1", "checking");
    desk_close(&d);
}

/* ---- M5: every flow in flight is accounted for ---- */

static void M5_blue_green_lets_flows_end_where_they_began(void **state)
{
    desk d = office_desk(state);
    const char *one = begin_publish(&d), *two = begin_pack(&d);
    mt_str old = etag_now(&d);
    const mt_json *r = deploy(&d, other_boss(), POLICY("blue_green"));
    expect(&d, 200);
    assert_int_equal(count_at(r, "flows"), 2);
    assert_at(told(r, one), "fate", "kept");
    assert_at(told(r, two), "fate", "kept");
    assert_at(r, "status", "migrating");
    assert_text(mt_json_text(at(flow_now(&d, one), "etag")), old);
    /* What begins now is of the new version, what began ends under the old one. */
    create(&d, "Doc", "d2");
    const char *three = begin_flow(&d, "publish", "\"Doc\":\"d2\"");
    assert_at(flow_now(&d, three), "waiting.persona", "chief");
    d = desk_again(state, &d, NULL);
    ask(&d, &CHIEF, EX_FLOW_RESUME, "", one, "");
    expect(&d, 403);
    r = ask(&d, &BOSS, EX_FLOW_RESUME, "", one, "");
    expect(&d, 200);
    assert_at(r, "outcome", "success");
    r = migration(&d);
    assert_number(r, "flows_left", 1);
    assert_text(mt_json_text(at(r, "flows.0.id")), mt_str_z(two));
    expect_code(&d, complete(&d, ""), 409, "migration_incomplete");
    ask(&d, &BOSS, EX_FLOW_RESUME, "", two, "");
    expect(&d, 200);
    r = complete(&d, "");
    expect(&d, 200);
    assert_at(r, "status", "complete");
    desk_close(&d);
}

static void M5_force_migrate_carries_a_compatible_flow_over(void **state)
{
    desk d = office_desk(state);
    const char *id = begin_publish(&d);
    const mt_json *r = deploy(&d, other_boss(), POLICY("force_migrate"));
    expect(&d, 200);
    assert_at(told(r, id), "fate", "migrated");
    assert_int_equal(flag_at(told(r, id), "compatibility.compatible"), 1);
    assert_at(r, "status", "complete");
    r = flow_now(&d, id);
    assert_text(mt_json_text(at(r, "etag")), etag_now(&d));
    assert_at(flow_now(&d, id), "waiting.persona", "chief");
    r = last_record(&d, "flow_migrated");
    assert_text(mt_json_text(at(r, "execution")), mt_str_z(id));
    d = desk_again(state, &d, NULL);
    ask(&d, &BOSS, EX_FLOW_RESUME, "", id, "");
    expect(&d, 403);
    r = ask(&d, &CHIEF, EX_FLOW_RESUME, "", id, "");
    expect(&d, 200);
    assert_at(r, "outcome", "success");
    assert_state(&d, "Doc", "d1", "done");
    desk_close(&d);
}

static void M5_a_migrated_flow_keeps_its_frozen_verdicts(void **state)
{
    /* Under the new rule there would be no verdict; a fact is new, too. */
    mt_str next = VERSION("when: fine = true", "when: fine = false", "entity Doc",
                          "fact extra { type: Int(min: 0, max: 9) source: "
                          "desk { path: \"extra\" } default: 3 }\nentity Doc");
    desk d = office_desk(state);
    const char *id = begin_publish(&d);
    const mt_json *r = deploy(&d, next, POLICY("force_migrate"));
    expect(&d, 200);
    assert_at(told(r, id), "fate", "migrated");
    d = desk_again(state, &d, NULL);
    /* And over to a third version, from one that it did not begin with. */
    mt_str third = mt_strf(&arena, "%.*spersona guest\n", MT_ARG(next));
    r = deploy(&d, third, POLICY("force_migrate"));
    expect(&d, 200);
    assert_at(told(r, id), "fate", "migrated");
    r = ask(&d, &BOSS, EX_FLOW_RESUME, "", id, "");
    expect(&d, 200);
    assert_at(r, "outcome", "success");
    desk_close(&d);
}

static void M5_an_incompatible_flow_stays_and_is_reported(void **state)
{
    desk d = office_desk(state);
    const char *id = begin_publish(&d), *other = begin_pack(&d);
    mt_str old = etag_now(&d);
    const mt_json *r = deploy(&d, other_step(), POLICY("force_migrate"));
    expect(&d, 200);
    const mt_json *f = told(r, id);
    assert_at(f, "fate", "incompatible");
    assert_at(f, "compatibility.obstacles.0.condition", "FMC1");
    assert_number(f, "compatibility.obstacles.0.layer", 3);
    assert_true(mt_json_text(at(f, "compatibility.obstacles.0.reason")).len > 0);
    assert_at(told(r, other), "fate", "migrated");
    assert_at(r, "status", "migrating");
    assert_text(mt_json_text(at(flow_now(&d, id), "etag")), old);
    r = ask(&d, &BOSS, EX_FLOW_RESUME, "", id, "");
    expect(&d, 200);
    assert_at(r, "outcome", "success");
    r = ask(&d, &BOSS, EX_FLOW_RESUME, "", other, "");
    expect(&d, 200);
    assert_at(r, "outcome", "success");
    expect(&d, 200);
    complete(&d, "");
    expect(&d, 200);
    desk_close(&d);
}

/* §18.6.11: what the manifest says (E14) is what a deployment does. */
static void analysis_is_told_and_used(void **state, bool aggressive)
{
    const char *mode = aggressive ? "aggressive" : "conservative";
    ex_executor_options options = {.aggressive = aggressive};
    desk d = desk_open(state, contract_file("office.tenor", OFFICE), &options);
    ex_manifest m;
    mt_json tree;
    mt_json_limits limits = {0, 500};
    assert_fine(ex_executor_manifest(d.x, MT_STR(""), &m));
    assert_fine(mt_json_read(&arena, mt_str_dup(&arena, m.text), &limits, &tree, NULL));
    ex_executor_release(d.x, &m);
    assert_text(mt_json_text(at(&tree, "capabilities.migration_analysis_mode")),
                mt_str_z(mode));
    create(&d, "Doc", "d1");
    const char *id = begin_publish(&d);
    const mt_json *r = deploy(&d, another_side(), POLICY("force_migrate"));
    expect(&d, 200);
    const mt_json *f = told(r, id);
    assert_text(mt_json_text(at(f, "fate")),
                aggressive ? MT_STR("migrated") : MT_STR("incompatible"));
    assert_int_equal(flag_at(f, "compatibility.compatible"), aggressive);
    if (aggressive) {
        assert_text(mt_json_text(at(r, "analysis")), mt_str_z(mode));
        r = last_record(&d, "contract_deployed");
        assert_text(mt_json_text(at(r, "analysis")), mt_str_z(mode));
    } else {
        assert_at(f, "compatibility.obstacles.0.condition", "FMC4");
        assert_at(f, "compatibility.obstacles.0.step", "d");
        assert_null(at(r, "analysis"));
    }
    /* Either way it ends as it should. */
    r = ask(&d, &BOSS, EX_FLOW_RESUME, "", id, "");
    expect(&d, 200);
    assert_at(r, "outcome", "success");
    desk_close(&d);
}

static void S18_6_11_conservative_analysis_counts_both_sides(void **state)
{
    analysis_is_told_and_used(state, false);
}

static void S18_6_11_aggressive_analysis_follows_what_is_decided(void **state)
{
    analysis_is_told_and_used(state, true);
}

static void M5_abort_ends_what_meets_the_change_and_nothing_else(void **state)
{
    desk d = office_desk(state);
    const char *id = begin_publish(&d), *hit = begin_pack(&d);
    const mt_json *r = deploy(&d, other_box(), POLICY("abort"));
    expect(&d, 200);
    assert_at(told(r, hit), "fate", "aborted");
    assert_at(told(r, hit), "changes.0.kind", "Entity");
    assert_at(told(r, id), "fate", "migrated");
    assert_at(r, "status", "complete");
    r = flow_now(&d, hit);
    assert_at(r, "status", "aborted");
    assert_at(r, "outcome", "migration_aborted");
    r = last_record(&d, "flow_ended");
    assert_at(r, "outcome", "migration_aborted");
    assert_text(mt_json_text(at(r, "execution")), mt_str_z(hit));
    r = ask(&d, &BOSS, EX_FLOW_RESUME, "", hit, "");
    expect_code(&d, r, 409, "not_resumable");
    r = ask(&d, &BOSS, EX_FLOW_RESUME, "", id, "");
    expect(&d, 200);
    assert_at(r, "outcome", "success");
    desk_close(&d);
}

static void M5_a_policy_can_be_changed_while_the_migration_is_under_way(void **state)
{
    desk d = office_desk(state);
    const char *id = begin_publish(&d), *two = begin_pack(&d);
    deploy(&d, other_step(), POLICY("blue_green"));
    expect(&d, 200);
    const mt_json *r = complete(&d, "{\"policy\":{\"pack\":\"force_migrate\"}}");
    expect(&d, 202);
    assert_at(told(r, two), "fate", "migrated");
    assert_at(told(r, id), "fate", "kept");
    assert_at(r, "status", "migrating");
    r = complete(&d, "{\"policy\":\"abort\"}");
    expect(&d, 200);
    assert_at(told(r, id), "fate", "aborted");
    assert_at(told(r, two), "fate", "current");
    assert_at(migration(&d), "status", "complete");
    desk_close(&d);
}

static void M5_pending_triggers_without_a_target_have_failed(void **state)
{
    mt_json *tree = mt_new(&arena, mt_json);
    /* A source that never answers keeps the trigger pending. */
    assert_fine(mt_yaml_read(
        &arena, MT_STR("executor: {trigger_attempts: 9, trigger_pause_ms: 60000}\n"),
        NULL, tree, NULL));
    ex_executor_options o = {.settings = tree};
    desk d = desk_open(state, contract_file("office.tenor", OFFICE), &o);
    st_tx *tx = begin(d.store, ST_WRITE);
    static const char *const FLOWS[] = {"pack", "publish"};
    for (size_t i = 0; i < 2; i++) {
        st_trigger t = {.id = mt_strf(&arena, "f-1/sys/%zu", i),
                        .status = MT_STR("pending"),
                        .body =
                            mt_strf(&arena,
                                    "{\"bindings\":{},\"persona\":\"boss\","
                                    "\"source_contract\":\"s\",\"source_execution\":"
                                    "\"f-1\",\"source_flow\":\"g\",\"source_outcome\":"
                                    "\"success\",\"system\":\"sys\","
                                    "\"target_contract\":\"office\",\"target_flow\":"
                                    "\"%s\",\"type\":\"trigger\"}",
                                    FLOWS[i]),
                        .due_ms = INT64_C(4000000000000)};
        assert_fine(st_trigger_add(tx, &t));
    }
    assert_fine(st_commit(tx));
    size_t from = (size_t)(strstr(OFFICE, "flow pack") - OFFICE);
    mt_str next = mt_str_dup(&arena, mt_str_from(OFFICE, from));
    const mt_json *r = deploy(&d, next, POLICY("blue_green"));
    expect(&d, 200);
    assert_number(r, "triggers_failed", 1);
    r = last_record(&d, "trigger");
    assert_at(r, "status", "failed");
    assert_at(r, "target_flow", "pack");
    tx = begin(d.store, ST_WRITE);
    st_trigger row;
    assert_fine(st_trigger_lock(tx, &arena, MT_STR("f-1/sys/0"), &row));
    assert_str(row.status, "failed");
    assert_fine(st_trigger_lock(tx, &arena, MT_STR("f-1/sys/1"), &row));
    assert_str(row.status, "pending");
    st_rollback(tx);
    desk_close(&d);
}

/* ---- M6 to M8 ---- */

static void M6_what_is_not_proven_safe_counts_as_breaking(void **state)
{
    desk d = office_desk(state);
    mt_str next = VERSION("when: fine = true", "when: fine = false");
    const mt_json *r = deploy(&d, next, "");
    expect_code(&d, r, 409, "migration_policy_required");
    assert_at(r, "diff.class", "REQUIRES_ANALYSIS");
    desk_close(&d);
}

static void M7_other_lines_are_no_change(void **state)
{
    desk d = office_desk(state);
    mt_str next = mt_strf(&arena, "\n\n%s", OFFICE);
    const mt_json *r = deploy(&d, next, "");
    expect(&d, 200);
    assert_at(r, "class", "NON_BREAKING");
    assert_int_equal(flag_at(r, "diff.policy_required"), 0);
    desk_close(&d);
}

static void M8_the_order_of_a_set_is_no_change(void **state)
{
    desk d = office_desk(state);
    const char *id = begin_publish(&d);
    mt_str next =
        VERSION("states: [draft, review, done]", "states: [done, review, draft]");
    const mt_json *r = deploy(&d, next, POLICY("force_migrate"));
    expect(&d, 200);
    assert_at(r, "class", "NON_BREAKING");
    assert_at(told(r, id), "fate", "migrated");
    r = ask(&d, &BOSS, EX_FLOW_RESUME, "", id, "");
    expect(&d, 200);
    assert_state(&d, "Doc", "d1", "done");
    desk_close(&d);
}

/* ---- The rest ---- */

static void infrastructure_changes_are_told_to_the_operator(void **state)
{
    desk d = office_desk(state);
    mt_str next = VERSION("path: \"fine\"", "path: \"finer\"");
    const mt_json *r = deploy(&d, next, "");
    expect(&d, 200);
    assert_at(r, "class", "INFRASTRUCTURE");
    assert_int_equal(count_at(r, "infrastructure"), 1);
    assert_at(r, "infrastructure.0.id", "fine");
    assert_at(last_record(&d, "infrastructure_changed"), "changes.0.id", "fine");
    desk_close(&d);
}

static void the_same_version_again_is_no_deployment(void **state)
{
    desk d = office_desk(state);
    uint32_t so_far = records(&d, "");
    const mt_json *r = deploy(&d, office(), "");
    expect(&d, 200);
    assert_at(r, "status", "unchanged");
    assert_int_equal(records(&d, ""), so_far);
    desk_close(&d);
}

static void an_old_version_can_come_back(void **state)
{
    desk d = office_desk(state);
    mt_str first = etag_now(&d);
    const char *id = begin_publish(&d);
    deploy(&d, other_boss(), POLICY("blue_green"));
    expect(&d, 200);
    const mt_json *r = deploy(&d, office(), POLICY("force_migrate"));
    expect(&d, 200);
    assert_number(r, "number", 1);
    assert_at(told(r, id), "fate", "current");
    assert_at(r, "status", "complete");
    assert_text(etag_now(&d), first);
    r = ask(&d, &ANYONE, EX_CONTRACT_VERSIONS, "", "", "");
    assert_int_equal(count_at(r, "items"), 2);
    desk_close(&d);
}

static void a_new_contract_is_created(void **state)
{
    desk d = office_desk(state);
    const mt_json *r =
        deploy(&d, MT_STR("persona someone\n"), "\"contract\":\"second\"");
    expect(&d, 201);
    assert_number(r, "number", 1);
    assert_at(r, "contract", "second");
    ex_call call = {
        .action = EX_CONTRACT_GET, .caller = &ANYONE, .contract = MT_STR("second")};
    ask_call(&d, &call);
    expect(&d, 200);
    d = desk_again(state, &d, NULL);
    ask_call(&d, &call);
    expect(&d, 200);
    desk_close(&d);
}

static void a_bundle_is_as_good_as_its_source(void **state)
{
    desk d = office_desk(state);
    const mt_json *r = ask(&d, &ANYONE, EX_CONTRACT_GET, "", "", "");
    mt_buf b = {0};
    mt_buf_addz(&b, "{\"bundle\":");
    mt_json_write(&b, at(r, "bundle"), false);
    mt_buf_addz(&b, "}");
    mt_str same = mt_str_dup(&arena, mt_buf_str(&b));
    mt_buf_free(&b);
    r = ask(&d, &OPERATOR, EX_CONTRACT_DEPLOY, "", "", same.ptr);
    expect(&d, 200);
    assert_at(r, "status", "unchanged");
    desk_close(&d);
}

static void a_dry_run_changes_nothing(void **state)
{
    desk d = office_desk(state);
    const char *id = begin_pack(&d);
    submit(&d, "d1");
    mt_str before = etag_now(&d);
    uint32_t so_far = records(&d, "");
    const mt_json *r =
        deploy(&d, no_review(), POLICY("abort") "," MAP ",\"dry_run\":true");
    expect(&d, 200);
    assert_int_equal(flag_at(r, "simulation"), 1);
    assert_number(r, "instances.moved", 1);
    assert_at(told(r, id), "fate", "migrated");
    r = deploy(&d, no_review(), "\"dry_run\":true");
    expect_code(&d, r, 409, "migration_policy_required");
    assert_text(etag_now(&d), before);
    assert_int_equal(records(&d, ""), so_far);
    assert_state(&d, "Doc", "d1", "review");
    assert_at(migration(&d), "status", "none");
    desk_close(&d);
}

static void only_who_may_deploy_deploys(void **state)
{
    desk d = office_desk(state);
    expect_code(&d, deploy_as(&d, &WRITER, harmless(), ""), 403, "forbidden");
    expect_code(&d, deploy_as(&d, &BOSS, MT_STR("not a contract"), ""), 403,
                "forbidden");
    const mt_json *r = ask(&d, &WRITER, EX_MIGRATION_COMPLETE, "", "", "");
    expect_code(&d, r, 403, "forbidden");
    desk_close(&d);
}

static void what_is_malformed_is_refused_with_its_reason(void **state)
{
    static const struct {
        const char *body, *code;
        int status;
    } BAD[] = {
        {"", "bad_request", 400},
        {"{}", "bad_request", 400},
        {"[]", "bad_request", 400},
        {"{\"source\":\"persona a\",\"bundle\":{}}", "bad_request", 400},
        {"{\"source\":\"persona a\",\"policy\":\"maybe\"}", "bad_request", 400},
        {"{\"source\":\"persona a\",\"policy\":3}", "bad_request", 400},
        {"{\"source\":\"persona a\",\"policy\":{\"x\":\"maybe\"}}", "bad_request", 400},
        {"{\"source\":\"persona a\",\"state_map\":[]}", "bad_request", 400},
        {"{\"source\":\"persona a\",\"polices\":\"abort\"}", "bad_request", 400},
        {"{\"source\":\"persona a\",\"contract\":\"../x\"}", "bad_request", 400},
        {"{\"source\":\"persona a\"}", "bad_request", 400},
        {"{\"source\":\"persona a\",\"contract\":\"office\",\"policy\":{\"nonsense\":"
         "\"abort\"}}",
         "invalid_policy", 422},
        {"{\"source\":\"entity {\",\"contract\":\"office\"}", "invalid_contract", 422},
        {"{\"source\":\"import \\\"other.tenor\\\"\\n\",\"contract\":\"office\"}",
         "invalid_contract", 422},
        {"{\"bundle\":{}}", "invalid_contract", 422},
        {"{\"bundle\":3}", "invalid_contract", 422},
    };
    desk d = office_desk(state);
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        const mt_json *r = ask(&d, &OPERATOR, EX_CONTRACT_DEPLOY, "", "", BAD[i].body);
        if (d.status != BAD[i].status) {
            fail_msg("%s: %d %.*s", BAD[i].body, d.status, MT_ARG(d.text));
        }
        expect_code(&d, r, BAD[i].status, BAD[i].code);
    }
    const mt_json *r = deploy(&d, MT_STR("entity Doc {"), "");
    expect_code(&d, r, 422, "invalid_contract");
    assert_true(count_at(r, "diagnostics") > 0);
    assert_true(mt_json_text(at(r, "diagnostics.0.message")).len > 0);
    desk_close(&d);
}

static void a_System_is_not_deployed_as_a_bundle(void **state)
{
    desk d = office_desk(state);
    const mt_json *r =
        ask(&d, &OPERATOR, EX_CONTRACT_DEPLOY, "", "",
            "{\"bundle\":{\"constructs\":[{\"id\":\"shop\",\"kind\":\"System\","
            "\"members\":[{\"id\":\"m1\",\"path\":\"m1.tenor\"}],"
            "\"provenance\":{\"file\":\"shop.tenor\",\"line\":1},"
            "\"shared_entities\":[],\"shared_personas\":[],\"tenor\":\"1.0\","
            "\"triggers\":[]}],\"id\":\"shop\",\"kind\":\"Bundle\",\"tenor\":\"1.0\","
            "\"tenor_version\":\"1.0.0\"}}");
    expect_code(&d, r, 422, "invalid_contract");
    assert_non_null(strstr(d.text.ptr, "its members can be deployed one by one"));
    desk_close(&d);
}

static void a_repeated_deployment_has_one_effect(void **state)
{
    desk d = office_desk(state);
    mt_str body = body_of(harmless(), "");
    ask_once(&d, &OPERATOR, EX_CONTRACT_DEPLOY, "", body.ptr, "k1");
    expect(&d, 200);
    const mt_json *r = ask_once(&d, &OPERATOR, EX_CONTRACT_DEPLOY, "", body.ptr, "k1");
    expect(&d, 200);
    assert_true(d.replayed);
    assert_number(r, "number", 2);
    desk_close(&d);
}

static void another_process_takes_the_version_up(void **state)
{
    desk d = office_desk(state);
    if (!st_is_shared(d.store)) {
        desk_close(&d); /* one process at a time */
        return;
    }
    desk other = desk_on(again(state, NULL), NULL, NULL);
    const char *id = begin_publish(&d);
    deploy(&d, other_boss(), POLICY("force_migrate"));
    expect(&d, 200);
    const mt_json *r = ask(&other, &CHIEF, EX_FLOW_RESUME, "", id, "");
    expect(&other, 200);
    assert_at(r, "outcome", "success");
    /* And deploys over what the first one did. */
    deploy(&other, office(), POLICY("blue_green"));
    expect(&other, 200);
    r = deploy(&d, office(), "");
    expect(&d, 200);
    assert_at(r, "status", "unchanged");
    desk_close(&other);
    desk_close(&d);
}

/* Pages of any size have each version once; exactly one is current. */
static void versions_are_listed_page_by_page(void **state)
{
    desk d = office_desk(state);
    deploy(&d, harmless(), POLICY("blue_green"));
    expect(&d, 200);
    mt_str second = mt_str_dup(
        &arena,
        mt_json_text(at(ask(&d, &ANYONE, EX_CONTRACT_GET, "", "", ""), "etag")));
    deploy(&d, other_boss(), POLICY("blue_green"));
    expect(&d, 200);
    for (int size = 1; size <= 4; size++) {
        char limit[8], numbers[8] = {0};
        mt_str after = MT_STR("");
        unsigned seen = 0, current = 0, pages = 0;
        snprintf(limit, sizeof limit, "%d", size);
        do {
            ad_param q[] = {{MT_STR("limit"), mt_str_z(limit)},
                            {MT_STR("after"), after}};
            const mt_json *r = ask_query(&d, EX_CONTRACT_VERSIONS, "", "", q, 2);
            expect(&d, 200);
            const mt_json *items = at(r, "items");
            for (uint32_t i = 0; items && i < items->count; i++) {
                const mt_json *one = &items->as.items[i];
                int64_t number = 0;
                mt_json_i64(at(one, "version"), &number);
                assert_in_range(number, 1, 3);
                assert_int_equal(numbers[number]++, 0);
                assert_int_equal(flag_at(one, "current"), number == 3);
                assert_int_equal(mt_str_eq(mt_json_text(at(one, "etag")), second),
                                 number == 2);
                current += flag_at(one, "current") == 1;
                seen++;
            }
            after = mt_json_text(at(r, "next"));
            pages++;
        } while (after.len);
        assert_int_equal(seen, 3);
        assert_int_equal(current, 1);
        assert_int_equal(pages, (3 + size - 1) / size);
    }
    ad_param old[] = {{MT_STR("etag"), second}},
             none[] = {{MT_STR("etag"), MT_STR("x")}};
    const mt_json *r = ask_query(&d, EX_CONTRACT_GET, "", "", old, 1);
    expect(&d, 200);
    assert_text(mt_json_text(at(r, "etag")), second);
    r = ask_query(&d, EX_CONTRACT_GET, "", "", none, 1);
    expect_code(&d, r, 404, "not_found");
    assert_at(r, "detail", "the contract has no such version");
    r = ask(&d, &ANYONE, EX_CONTRACT_LIST, "", "", "");
    assert_int_equal(count_at(r, "items"), 1);
    assert_int_equal(flag_at(r, "items.0.default"), 1);
    assert_at(r, "items.0.id", "office");
    assert_at(r, "items.0.version", "3");
    assert_at(r, "items.0.entities.1", "Doc");
    assert_at(r, "items.0.flows.0", "pack");
    assert_at(r, "items.0.operations.2", "submit");
    assert_at(r, "items.0.personas.0", "boss");
    assert_at(r, "items.0.facts.0", "fine");
    desk_close(&d);
}

/* Letters, digits, _ and -, 1 to 128 of them: no guess is made. */
static void a_contract_has_a_plain_name(void **state)
{
    static const struct {
        const char *name;
        bool good;
    } NAMES[] = {{"azAZ09_-", true}, {"a.b", false}, {"a/b", false}, {"a:", false},
                 {"@", false},       {"[", false},   {"`", false},   {"{", false},
                 {"a b", false},     {"", false}};
    char name[130], more[200];
    desk d = desk_open(state, contract_file("office.tenor", OFFICE), NULL);
    memset(name, 'x', sizeof name);
    for (size_t i = 0; i < rows_count(NAMES) + 2; i++) {
        bool given = i < rows_count(NAMES);
        bool good = given ? NAMES[i].good : i == rows_count(NAMES);
        name[good ? 128 : 129] = '\0';
        snprintf(more, sizeof more, "\"dry_run\":true,\"contract\":\"%s\"",
                 given ? NAMES[i].name : name);
        name[good ? 128 : 129] = 'x';
        const mt_json *r = deploy(&d, office(), more);
        if (good) {
            expect(&d, 200);
        } else {
            expect_code(&d, r, 400, "bad_request");
            assert_at(r, "detail",
                      "`contract` must name the contract (letters, digits, _ and -)");
        }
    }
    desk_close(&d);
}

int main(void)
{
    static rows_list l;
    both(&l, a_contract_has_a_plain_name);
    both(&l, versions_are_listed_page_by_page);
    both(&l, M1_a_change_is_found_and_classified);
    both(&l, M1_a_System_is_compared_too);
    both(&l, M2_a_breaking_change_needs_a_policy_for_every_flow_in_flight);
    both(&l, M3_nothing_that_breaks_is_deployed_in_silence);
    both(&l, M3_a_file_at_the_start_is_a_deployment_like_any_other);
    both(&l, M4_instances_in_removed_states_hold_up_the_end);
    both(&l, M4_a_state_map_moves_them_with_the_deployment);
    both(&l, M4_an_instance_is_not_moved_from_under_a_flow_of_the_old_version);
    both(&l, M4_a_state_map_must_fit);
    both(&l, M4_what_an_unfinished_migration_left_is_not_forgotten);
    both(&l, M5_blue_green_lets_flows_end_where_they_began);
    both(&l, M5_force_migrate_carries_a_compatible_flow_over);
    both(&l, M5_a_migrated_flow_keeps_its_frozen_verdicts);
    both(&l, M5_an_incompatible_flow_stays_and_is_reported);
    both(&l, S18_6_11_conservative_analysis_counts_both_sides);
    both(&l, S18_6_11_aggressive_analysis_follows_what_is_decided);
    both(&l, M5_abort_ends_what_meets_the_change_and_nothing_else);
    both(&l, M5_a_policy_can_be_changed_while_the_migration_is_under_way);
    both(&l, M5_pending_triggers_without_a_target_have_failed);
    both(&l, M6_what_is_not_proven_safe_counts_as_breaking);
    both(&l, M7_other_lines_are_no_change);
    both(&l, M8_the_order_of_a_set_is_no_change);
    both(&l, infrastructure_changes_are_told_to_the_operator);
    both(&l, the_same_version_again_is_no_deployment);
    both(&l, an_old_version_can_come_back);
    both(&l, a_new_contract_is_created);
    both(&l, a_bundle_is_as_good_as_its_source);
    both(&l, a_dry_run_changes_nothing);
    both(&l, only_who_may_deploy_deploys);
    both(&l, what_is_malformed_is_refused_with_its_reason);
    both(&l, a_System_is_not_deployed_as_a_bundle);
    both(&l, a_repeated_deployment_has_one_effect);
    both(&l, another_process_takes_the_version_up);
    int failed = rows_run(&l, "exec/executor_deploy");
    backends_stop();
    mt_arena_free(&arena);
    return failed;
}
