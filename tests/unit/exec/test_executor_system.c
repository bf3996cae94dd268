/* Systems on every store: one flow's end begins another (§17.3). */
#include "exec_fixture.h"

#include <time.h>

#include "base/yaml_read.h"

#define PLATFORM EXAMPLES "/trade_platform/trade_platform.tenor"

static mt_arena arena;

CALLER(OPS, "tok-ops", LIST(T("warehouse_ops")), LIST(T("facts:*")));
CALLER(BOSS, "tok-boss", LIST(T("admin")), LIST(T("facts:*")));

static const mt_json *ask_in(desk *d, const ex_caller *who, const char *contract,
                             ex_action action, const char *name, const char *id,
                             const char *body)
{
    ex_call call = {.action = action,
                    .caller = who,
                    .contract = mt_str_z(contract),
                    .name = mt_str_z(name),
                    .id = mt_str_z(id),
                    .body = mt_str_z(body)};
    return ask_call(d, &call);
}

static ex_executor_options with_shipment(const char *instance)
{
    mt_json *tree = mt_new(&arena, mt_json);
    mt_str text = mt_strf(&arena,
                          "executor: {trigger_attempts: 2, trigger_pause_ms: 20}\n"
                          "systems:\n  trade_platform:\n    bindings:\n"
                          "      fulfillment: {Shipment: %s}\n",
                          instance);
    assert_fine(mt_yaml_read(&arena, text, NULL, tree, NULL));
    return (ex_executor_options){.settings = tree};
}

static desk platform(void **state, const ex_executor_options *o)
{
    desk d = desk_open(state, PLATFORM, o);
    ask_in(&d, &ANYONE, "order_mgmt", EX_INSTANCE_CREATE, "Order", "",
           "{\"id\":\"o1\"}");
    expect(&d, 201);
    ask_in(&d, &ANYONE, "fulfillment", EX_INSTANCE_CREATE, "Shipment", "",
           "{\"id\":\"s1\"}");
    expect(&d, 201);
    return d;
}

static void weigh(desk *d)
{
    ask_in(d, &ANYONE, "fulfillment", EX_FACT_ASSERT, "parcel_weight_grams", "",
           "{\"value\":900}");
    expect(d, 200);
}

static const mt_json *order(desk *d, const char *payable)
{
    mt_str body = mt_strf(&arena,
                          "{\"persona\":\"admin\",\"facts\":{\"payment_received\":%s,"
                          "\"items_in_stock\":true},\"bindings\":{\"Order\":\"o1\"}}",
                          payable);
    const mt_json *r =
        ask_in(d, &BOSS, "order_mgmt", EX_FLOW_START, "order_processing", "", body.ptr);
    expect(d, 200);
    return r;
}

static uint32_t listed(desk *d, const char *status)
{
    ad_param q[] = {{MT_STR("status"), mt_str_z(status)}};
    const mt_json *r = ask_query(d, EX_TRIGGER_LIST, "trade_platform", "", q, 1);
    expect(d, 200);
    return count_at(r, "items");
}

/* Waits until nothing is pending, ten seconds at most. */
static void settle(desk *d)
{
    for (int i = 0; i < 1000 && listed(d, "pending"); i++) {
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    assert_int_equal(listed(d, "pending"), 0);
}

static void assert_state_in(desk *d, const char *contract, const char *entity,
                            const char *id, const char *state)
{
    const mt_json *r = ask_in(d, &ANYONE, contract, EX_INSTANCE_GET, entity, id, "");
    expect(d, 200);
    assert_text(mt_json_text(at(r, "state")), mt_str_z(state));
}

static const mt_json *trigger_record(desk *d)
{
    ad_param q[] = {{MT_STR("kind"), MT_STR("trigger")},
                    {MT_STR("pending"), MT_STR("true")}};
    const mt_json *r = ask_query(d, EX_LEDGER_LIST, "", "", q, 2);
    assert_int_equal(count_at(r, "items"), 1);
    return at(r, "items.0.body");
}

static void E_SYS_01_a_trigger_starts_its_flow_and_says_so(void **state)
{
    ex_executor_options o = with_shipment("s1");
    o.trust_domain = MT_STR("acme.test");
    desk d = platform(state, &o);
    weigh(&d);
    const mt_json *source = order(&d, "true");
    assert_at(source, "outcome", "success");
    settle(&d);
    const mt_json *r = trigger_record(&d);
    assert_at(r, "status", "initiated");
    assert_at(r, "source_contract", "order_mgmt");
    assert_at(r, "source_flow", "order_processing");
    assert_at(r, "source_outcome", "success");
    assert_at(r, "target_contract", "fulfillment");
    assert_at(r, "target_flow", "shipment_flow");
    assert_at(r, "persona", "warehouse_ops");
    assert_at(r, "trust_domain", "acme.test");
    assert_text(mt_json_text(at(r, "source_execution")),
                mt_json_text(at(source, "id")));
    mt_str started = mt_json_text(at(r, "initiated_at"));
    r = ask_in(&d, &ANYONE, "", EX_FLOW_GET, "", mt_str_dup(&arena, started).ptr, "");
    expect(&d, 200);
    assert_at(r, "outcome", "success");
    assert_state_in(&d, "fulfillment", "Shipment", "s1", "sent");
    desk_close(&d);
}

static void E_SYS_01_a_another_outcome_triggers_nothing(void **state)
{
    ex_executor_options o = with_shipment("s1");
    desk d = platform(state, &o);
    weigh(&d);
    const mt_json *r = order(&d, "false");
    assert_false(mt_str_is(mt_json_text(at(r, "outcome")), "success"));
    assert_int_equal(listed(&d, ""), 0);
    assert_int_equal(records(&d, "trigger"), 0);
    desk_close(&d);
}

static void E_SYS_01_b_a_trigger_fires_once_however_often_we_start(void **state)
{
    ex_executor_options o = with_shipment("s1");
    desk d = platform(state, &o);
    weigh(&d);
    order(&d, "true");
    for (int i = 0; i < 3; i++) {
        d = desk_again(state, &d, &o); /* at once: perhaps before it was delivered */
    }
    settle(&d);
    assert_int_equal(records(&d, "trigger"), 1);
    assert_int_equal(records(&d, "flow_started"), 2);
    assert_state_in(&d, "fulfillment", "Shipment", "s1", "sent");
    desk_close(&d);
}

/* A promise that this executor's committer did not write. */
static void promise(st_store *s, int64_t due_ms)
{
    static const char BODY[] =
        "{\"bindings\":{\"Order\":\"o1\"},\"persona\":\"warehouse_ops\","
        "\"source_contract\":\"order_mgmt\",\"source_execution\":\"f-0\","
        "\"source_flow\":\"order_processing\",\"source_outcome\":\"success\","
        "\"system\":\"trade_platform\",\"target_contract\":\"fulfillment\","
        "\"target_flow\":\"shipment_flow\",\"type\":\"trigger\"}";
    st_trigger row = {.id = MT_STR("f-0/trade_platform/0"),
                      .status = MT_STR("pending"),
                      .body = mt_str_z(BODY),
                      .due_ms = due_ms};
    st_tx *tx = begin(s, ST_WRITE);
    assert_fine(st_trigger_add(tx, &row));
    assert_fine(st_commit(tx));
}

static int64_t ms_from_now(int64_t ms)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000 + ms;
}

/* While this one runs where the store is shared, else before it starts; at once or when
 * the time has come. */
static void E_SYS_01_what_another_process_promised_is_kept(void **state)
{
    ex_executor_options o = with_shipment("s1");
    for (int later = 0; later < 2; later++) {
        desk d = platform(state, &o);
        weigh(&d);
        if (!st_is_shared(d.store)) {
            desk_close(&d);
            st_store *s = again(state, NULL);
            promise(s, ms_from_now(later * 300));
            d = desk_on(s, NULL, &o);
        } else {
            promise(d.store, ms_from_now(later * 300));
        }
        settle(&d);
        assert_int_equal(listed(&d, "done"), 1);
        /* Nobody paid, so the flow ends there. */
        assert_state_in(&d, "fulfillment", "Shipment", "s1", "packed");
        desk_close(&d);
    }
}

static void E_SYS_01_d_a_failure_is_recorded_and_hurts_nobody(void **state)
{
    static const struct {
        const char *shipment, *reason;
        bool weighed;
    } ROWS[] = {
        {"nowhere", "unknown_instance", true}, /* no such instance */
        {"\"\"", "missing_binding", true},     /* none configured */
        {"s1", "missing_fact", false},         /* no manual fact */
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        ex_executor_options o = with_shipment(ROWS[i].shipment);
        desk d = platform(state, &o);
        if (ROWS[i].weighed) {
            weigh(&d);
        }
        const mt_json *source = order(&d, "true");
        assert_at(source, "outcome", "success");
        settle(&d);
        const mt_json *r = trigger_record(&d);
        assert_at(r, "status", "failed");
        mt_str why = mt_json_text(at(r, "failure_reason"));
        if (!mt_str_starts(why, mt_str_z(ROWS[i].reason))) {
            fail_msg("%.*s", MT_ARG(why));
        }
        assert_int_equal(listed(&d, "failed"), 1);
        assert_state_in(&d, "order_mgmt", "Order", "o1", "paid");
        assert_state_in(&d, "fulfillment", "Shipment", "s1", "waiting");
        desk_close(&d);
    }
}

/* ---- A target whose source fails for a while ---- */

static const char TILL[] =
    "persona clerk\n"
    "entity Order { states: [open, sold, sent] initial: open transitions: [(open, "
    "sold), "
    "(sold, sent)] }\n"
    "operation pay { allowed_personas: [clerk] precondition: true effects: [(Order, "
    "open, sold)] outcomes: [done] }\n"
    "flow sell { snapshot: at_initiation entry: a steps: { a: OperationStep { op: pay "
    "persona: clerk outcomes: { done: Terminal(success) } on_failure: "
    "Terminate(outcome: failure) } } }\n";
static const char DEPOT[] =
    "persona clerk\n"
    "source books { protocol: database dialect: sqlite }\n"
    "fact stock { type: Int(min: 0, max: 99) source: books { path: \"stock.items\" } "
    "}\n"
    "entity Order { states: [open, sold, sent] initial: open transitions: [(open, "
    "sold), "
    "(sold, sent)] }\n"
    "operation send { allowed_personas: [clerk] precondition: stock > 0 effects: "
    "[(Order, sold, sent)] outcomes: [done] }\n"
    "flow ship { snapshot: at_initiation entry: a steps: { a: OperationStep { op: send "
    "persona: clerk outcomes: { done: Terminal(success) } on_failure: "
    "Terminate(outcome: failure) } } }\n";
static const char SHOP[] =
    "system shop {\n"
    "  members: [till: \"till.tenor\", depot: \"depot.tenor\"]\n"
    "  shared_personas: [{ persona: clerk, contracts: [till, depot] }]\n"
    "  shared_entities: [{ entity: Order, contracts: [till, depot] }]\n"
    "  triggers: [{ source: till.sell, on: success, target: depot.ship, persona: clerk "
    "}]\n"
    "}\n";
CALLER(SALES, "tok-clerk", LIST(T("clerk")), LIST(T("facts:*")));

static mt_json *yaml(const char *text)
{
    mt_json *tree = mt_new(&arena, mt_json);
    assert_fine(mt_yaml_read(&arena, mt_str_z(text), NULL, tree, NULL));
    return tree;
}

/* Sells one order; how often its trigger was tried until it was given up. */
static int attempts_made(void **state, const char *settings)
{
    contract_file("till.tenor", TILL);
    contract_file("depot.tenor", DEPOT);
    ex_executor_options o = {
        .settings = yaml(settings),
        .adapters = yaml("books: {file: nowhere.db, facts: {stock: {query: \"select "
                         "1\"}}}")};
    desk d = desk_open(state, contract_file("shop.tenor", SHOP), &o);
    ask_in(&d, &ANYONE, "till", EX_INSTANCE_CREATE, "Order", "", "{\"id\":\"o1\"}");
    expect(&d, 201);
    const mt_json *r =
        ask_in(&d, &SALES, "till", EX_FLOW_START, "sell", "",
               "{\"persona\":\"clerk\",\"bindings\":{\"Order\":\"o1\"}}");
    expect(&d, 200);
    mt_str id = mt_strf(&arena, "%.*s/shop/0", MT_ARG(mt_json_text(at(r, "id"))));
    st_trigger row = {.status = MT_STR("pending")};
    for (int i = 0; i < 1000 && mt_str_is(row.status, "pending"); i++) {
        nanosleep(&(struct timespec){0, 10000000}, NULL);
        st_tx *tx = begin(d.store, ST_WRITE);
        assert_fine(st_trigger_lock(tx, &arena, id, &row));
        st_rollback(tx);
    }
    assert_str(row.status, "failed");
    assert_state_in(&d, "till", "Order", "o1", "sold");
    desk_close(&d);
    return row.attempts;
}

static void
E_SYS_01_what_may_succeed_later_is_tried_as_often_as_configured(void **state)
{
    assert_int_equal(
        attempts_made(state, "executor: {trigger_attempts: 1, trigger_pause_ms: 10}"),
        1);
    assert_int_equal(
        attempts_made(state, "executor: {trigger_attempts: 2, trigger_pause_ms: 10}"),
        2);
    assert_int_equal(
        attempts_made(state, "executor: {trigger_attempts: 4, trigger_pause_ms: 10}"),
        4);
}

static void E_SYS_02_members_see_one_state_of_a_shared_entity(void **state)
{
    ex_executor_options o = with_shipment("nowhere");
    desk d = platform(state, &o);
    assert_state_in(&d, "fulfillment", "Order", "o1", "placed");
    order(&d, "true");
    assert_state_in(&d, "fulfillment", "Order", "o1", "paid");
    const mt_json *r =
        ask_in(&d, &OPS, "fulfillment", EX_OPERATION, "ship", "",
               "{\"persona\":\"warehouse_ops\",\"facts\":{\"parcel_weight_grams\":1},"
               "\"bindings\":{\"Order\":\"o1\",\"Shipment\":\"s1\"}}");
    expect_code(&d, r, 409, "invalid_source_state"); /* the shipment is not packed */
    assert_state_in(&d, "order_mgmt", "Order", "o1", "paid"); /* (c): all or nothing */
    ask_in(&d, &OPS, "fulfillment", EX_OPERATION, "pack", "",
           "{\"persona\":\"warehouse_ops\",\"facts\":{\"parcel_weight_grams\":1},"
           "\"bindings\":{\"Shipment\":\"s1\"}}");
    expect(&d, 200);
    ask_in(&d, &OPS, "fulfillment", EX_OPERATION, "ship", "",
           "{\"persona\":\"warehouse_ops\",\"facts\":{\"parcel_weight_grams\":1},"
           "\"bindings\":{\"Order\":\"o1\",\"Shipment\":\"s1\"}}");
    expect(&d, 200);
    assert_state_in(&d, "order_mgmt", "Order", "o1", "shipped");
    r = ask_in(&d, &BOSS, "order_mgmt", EX_OPERATION, "cancel_order", "",
               "{\"persona\":\"admin\",\"facts\":{\"payment_received\":false,"
               "\"items_in_stock\":true},\"bindings\":{\"Order\":\"o1\"}}");
    expect_code(&d, r, 409, "invalid_source_state"); /* (b): the shared state decides */
    r = ask_in(&d, &ANYONE, "fulfillment", EX_INSTANCE_CREATE, "Order", "",
               "{\"id\":\"o1\"}");
    expect_code(&d, r, 409, "instance_exists");
    desk_close(&d);
}

static void
E_SYS_03_a_shared_persona_is_one_actor_with_each_contracts_rights(void **state)
{
    ex_executor_options o = with_shipment("s1");
    desk d = platform(state, &o);
    /* (a), (b): one token, both contracts. */
    ask_in(&d, &OPS, "fulfillment", EX_OPERATION, "pack", "",
           "{\"persona\":\"warehouse_ops\",\"facts\":{\"parcel_weight_grams\":1},"
           "\"bindings\":{\"Shipment\":\"s1\"}}");
    expect(&d, 200);
    ask_in(&d, &OPS, "order_mgmt", EX_OPERATION, "cancel_order", "",
           "{\"persona\":\"warehouse_ops\",\"facts\":{\"payment_received\":false,"
           "\"items_in_stock\":true},\"bindings\":{\"Order\":\"o1\"}}");
    expect(&d, 200);
    /* (c): identity is not authority. */
    const mt_json *r =
        ask_in(&d, &OPS, "order_mgmt", EX_OPERATION, "accept_payment", "",
               "{\"persona\":\"warehouse_ops\",\"facts\":{\"payment_received\":true,"
               "\"items_in_stock\":true},\"bindings\":{\"Order\":\"o1\"}}");
    expect_code(&d, r, 403, "persona_rejected");
    desk_close(&d);
}

static void E_SYS_04_the_target_flow_has_a_snapshot_of_its_own(void **state)
{
    ex_executor_options o = with_shipment("s1");
    desk d = platform(state, &o);
    weigh(&d);
    order(&d, "true");
    settle(&d);
    mt_str started =
        mt_str_dup(&arena, mt_json_text(at(trigger_record(&d), "initiated_at")));
    ad_param q[] = {{MT_STR("flow"), started},
                    {MT_STR("kind"), MT_STR("flow_started")},
                    {MT_STR("pending"), MT_STR("true")}};
    const mt_json *r = ask_query(&d, EX_LEDGER_LIST, "", "", q, 3);
    assert_int_equal(count_at(r, "items"), 1);
    /* Its own facts only, taken at or after the end of the source. */
    assert_int_equal(count_at(r, "items.0.body.facts"), 1);
    assert_at(r, "items.0.body.facts.0.id", "parcel_weight_grams");
    desk_close(&d);
}

int main(void)
{
    static rows_list l;
    both(&l, E_SYS_01_a_trigger_starts_its_flow_and_says_so);
    both(&l, E_SYS_01_a_another_outcome_triggers_nothing);
    both(&l, E_SYS_01_b_a_trigger_fires_once_however_often_we_start);
    both(&l, E_SYS_01_what_another_process_promised_is_kept);
    both(&l, E_SYS_01_d_a_failure_is_recorded_and_hurts_nobody);
    both(&l, E_SYS_01_what_may_succeed_later_is_tried_as_often_as_configured);
    both(&l, E_SYS_02_members_see_one_state_of_a_shared_entity);
    both(&l, E_SYS_03_a_shared_persona_is_one_actor_with_each_contracts_rights);
    both(&l, E_SYS_04_the_target_flow_has_a_snapshot_of_its_own);
    int failed = rows_run(&l, "exec/executor_system");
    backends_stop();
    mt_arena_free(&arena);
    return failed;
}
