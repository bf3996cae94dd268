/* Systems: triggers that can fire and begin, paths across contracts, authority in
 * several members, shared entities that members move together. */
#include "analyze/facts/union.h"
#include "analyze_fixture.h"

#define SYSTEM(triggers)                                                               \
    "system sys { members: [sales: \"sales.tenor\", store: \"store.tenor\"]\n"         \
    "  shared_personas: [{ persona: clerk, contracts: [sales, store] }]\n"             \
    "  triggers: [" triggers "]\n"                                                     \
    "  shared_entities: [{ entity: Order, contracts: [sales, store] }] }\n"
#define TRIGGER(on, persona)                                                           \
    "{ source: sales.sell, on: " on ", target: store.send, persona: " persona " }"

#define ORDER(transitions)                                                             \
    "entity Order { states: [open, paid, sent, lost] initial: open transitions: "      \
    "[" transitions "] }\n"
#define SALES(order, end)                                                              \
    "persona clerk\n" order                                                            \
    "operation pay { allowed_personas: [clerk] precondition: true\n"                   \
    "  effects: [(Order, open, paid)] error_contract: [] }\n"                          \
    "flow sell { snapshot: at_initiation entry: a steps: { a: OperationStep { op: pay" \
    " persona: clerk outcomes: { success: Terminal(" end ") } on_failure: "            \
    "Terminal(failure) } } }\n"
#define STORE(order, entry)                                                            \
    "persona clerk\npersona porter\nfact f { type: Bool source: \"x.f\" }\n" order     \
    "operation ship { allowed_personas: [porter] precondition: true\n"                 \
    "  effects: [(Order, paid, sent)] error_contract: [] }\n"                          \
    "operation pack { allowed_personas: [clerk, porter] precondition: true\n"          \
    "  effects: [] error_contract: [] }\n"                                             \
    "flow send { snapshot: at_initiation entry: " entry " steps: {\n"                  \
    "  b: BranchStep { condition: f persona: clerk if_true: s if_false: t }\n"         \
    "  s: OperationStep { op: ship persona: porter outcomes: { success: "              \
    "Terminal(success) } on_failure: Terminal(failure) }\n"                            \
    "  t: OperationStep { op: pack persona: clerk outcomes: { success: s }\n"          \
    "    on_failure: Terminal(failure) } } }\n"

/* The same operations inside a sub-flow and inside branches. */
#define INSIDE(order, entry)                                                           \
    "persona clerk\npersona porter\n" order                                            \
    "entity Box { states: [empty, full] initial: empty transitions: [(empty, full)] "  \
    "}\n"                                                                              \
    "operation ship { allowed_personas: [porter] precondition: true\n"                 \
    "  effects: [(Order, paid, sent)] error_contract: [] }\n"                          \
    "operation pack { allowed_personas: [clerk, porter] precondition: true\n"          \
    "  effects: [(Box, empty, full)] error_contract: [] }\n"                           \
    "flow inner { snapshot: at_initiation entry: i steps: {\n"                         \
    "  i: " DO(                                                                        \
        "ship",                                                                        \
        "porter") " } }\n"                                                             \
                  "flow send { snapshot: at_initiation entry: " entry " steps: {\n"    \
                  "  c: SubFlowStep { flow: inner persona: clerk on_success: "         \
                  "Terminal(success)\n"                                                \
                  "    on_failure: Terminal(failure) }\n"                              \
                  "  d: ParallelStep { branches: [\n"                                  \
                  "    Branch { id: one entry: x steps: { x: " DO(                     \
                      "pack",                                                          \
                      "clerk") " } },\n"                                               \
                               "    Branch { id: two entry: y steps: { y: " DO(        \
                                   "ship",                                             \
                                   "porter") " } }]\n"                                 \
                                             "    join: JoinPolicy { on_all_success: " \
                                             "Terminal(success)\n"                     \
                                             "      on_any_failure: "                  \
                                             "Terminal(failure) on_all_complete: "     \
                                             "null } } } }\n"
#define DO(op, persona)                                                                \
    "OperationStep { op: " op " persona: " persona                                     \
    " outcomes: { success: Terminal(success) } on_failure: Terminal(failure) }"

#define SALES_ORDER ORDER("(open, paid)")
#define STORE_ORDER ORDER("(paid, sent)")

typedef struct joined {
    mt_arena a;
    mt_diags ds;
    mt_json tree;
    an_sys system;
    an_findings fs;
    const an_sys_analysis *x;
    const ct_program *programs[2];
    char *keys;
} joined;

static void join(joined *x, const char *system, const char *sales, const char *store)
{
    mt_memory_file files[] = {{MT_STR("sys.tenor"), mt_str_z(system)},
                              {MT_STR("sales.tenor"), mt_str_z(sales)},
                              {MT_STR("store.tenor"), mt_str_z(store)}};
    elaborated e = elaborate_files(files, store ? 3 : 2, false);
    if (e.err) {
        fail_msg("%.*s", MT_ARG(ct_first_error(&e.ds)->message));
    }
    *x = (joined){0};
    x->ds.arena = x->fs.arena = &x->a;
    assert_int_equal(
        mt_json_read(&x->a, mt_str_dup(&x->a, e.e->bundle), NULL, &x->tree, NULL),
        MT_OK);
    assert_int_equal(an_sys_read(&x->a, &x->tree, &x->system), MT_OK);
    for (uint32_t i = 0; i < x->system.member_count; i++) {
        const ct_model *m;
        const ct_plan *p;
        an_findings own = {.arena = &x->a};
        if (!e.e->members[i].contract) {
            continue;
        }
        assert_int_equal(ct_load(&x->a, e.e->members[i].contract->bundle, MT_STR("m"),
                                 NULL, &x->ds, &m),
                         MT_OK);
        x->programs[i] = ct_compile(&x->a, m);
        assert_int_equal(ct_plan_of_model(&x->a, m, &x->ds, &p), MT_OK);
        uint64_t shared = UINT64_MAX;
        an_analyze_options options = {.shared = &shared};
        x->system.members[i].an = an_analyze(&x->a, p, &options, &own);
        for (size_t f = 0; f < own.len; f++) { /* others move the entity, too */
            assert_true(strcmp(own.items[f].code, "S601") == 0 ||
                        own.items[f].severity == MT_NOTE);
        }
    }
    x->x = an_sys_analyze(&x->a, &x->system, &x->fs);
    done(&e);
}

/* What was found valid is read, whatever line it says it is from. */
static void a_line_may_be_any_number(void **state)
{
    (void)state;
    static const char HEAD[] =
        "{\"constructs\":[{\"id\":\"s\",\"kind\":\"System\",\"members\":[],"
        "\"provenance\":{\"file\":\"f\",\"line\":";
    static const struct {
        const char *line;
        uint32_t read;
    } ROWS[] = {
        {"7", 7},
        {"4294967295", UINT32_MAX},
        {"4294967296", 0},
        {"9223372036854775807", 0},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        mt_arena a = {0};
        mt_json tree;
        an_sys s;
        mt_str text = mt_strf(&a, "%s%s}}]}", HEAD, ROWS[i].line);
        assert_int_equal(mt_json_read(&a, text, NULL, &tree, NULL), MT_OK);
        assert_int_equal(an_sys_read(&a, &tree, &s), MT_OK);
        assert_int_equal(s.origin.line, ROWS[i].read);
        mt_arena_free(&a);
    }
}

/* "S901 sales.sell on success", one per line. */
static mt_str codes(joined *x)
{
    mt_buf out = {0};
    for (size_t i = 0; i < x->fs.len; i++) {
        mt_buf_addf(&out, "%s %.*s\n", x->fs.items[i].code,
                    MT_ARG(x->fs.items[i].part));
    }
    mt_str kept = mt_str_dup(&x->a, mt_buf_str(&out));
    mt_buf_free(&out);
    return kept;
}

#define UNDECLARED                                                                     \
    "S904 Order: open to paid, sales and store\n"                                      \
    "S904 Order: paid to sent, store and sales\n"
#define DEAD "S910 Order in lost\n"

static const struct system_row {
    const char *name, *system, *sales, *store, *want;
} SYSTEMS[] = {
    {"a trigger that fires and begins", SYSTEM(TRIGGER("success", "porter")),
     SALES(SALES_ORDER, "success"), STORE(STORE_ORDER, "s"),
     "S903 clerk\n" UNDECLARED "S906 sales.sell on success\n" DEAD},
    {"no path ends as the trigger wants", SYSTEM(TRIGGER("escalation", "porter")),
     SALES(SALES_ORDER, "success"), STORE(STORE_ORDER, "s"),
     "S901 sales.sell on escalation\nS903 clerk\n" UNDECLARED DEAD},
    {"behind a branch the persona may not begin", SYSTEM(TRIGGER("success", "clerk")),
     SALES(SALES_ORDER, "success"), STORE(STORE_ORDER, "b"),
     "S902 sales.sell on success\nS903 clerk\n" UNDECLARED
     "S906 sales.sell on success\n" DEAD},
    {"behind a branch everyone who begins may", SYSTEM(TRIGGER("success", "porter")),
     SALES(SALES_ORDER, "success"), STORE(STORE_ORDER, "b"),
     "S903 clerk\n" UNDECLARED "S906 sales.sell on success\n" DEAD},
    {"in a sub-flow the persona may not begin", SYSTEM(TRIGGER("success", "clerk")),
     SALES(SALES_ORDER, "success"), INSIDE(STORE_ORDER, "c"),
     "S902 sales.sell on success\nS903 clerk\n" UNDECLARED
     "S906 sales.sell on success\n" DEAD},
    {"in a sub-flow the persona may begin", SYSTEM(TRIGGER("success", "porter")),
     SALES(SALES_ORDER, "success"), INSIDE(STORE_ORDER, "c"),
     "S903 clerk\n" UNDECLARED "S906 sales.sell on success\n" DEAD},
    {"in the second branch the persona may not begin",
     SYSTEM(TRIGGER("success", "clerk")), SALES(SALES_ORDER, "success"),
     INSIDE(STORE_ORDER, "d"),
     "S902 sales.sell on success\nS903 clerk\n" UNDECLARED
     "S906 sales.sell on success\n" DEAD},
    {"in all branches the persona may begin", SYSTEM(TRIGGER("success", "porter")),
     SALES(SALES_ORDER, "success"), INSIDE(STORE_ORDER, "d"),
     "S903 clerk\n" UNDECLARED "S906 sales.sell on success\n" DEAD},
    {"members disagree on the initial state", SYSTEM(""), SALES(SALES_ORDER, "success"),
     STORE("entity Order { states: [open, paid, sent, lost] initial: paid transitions: "
           "[(paid, sent), (open, paid), (sent, lost)] }\n",
           "s"),
     "S903 clerk\nS904 Order: paid to sent, store and sales\nS905 Order in store\n"
     "S908 Order in sent\n"},
    {"what one cannot reach another member can", SYSTEM(""),
     SALES(ORDER("(open, paid), (paid, sent), (sent, lost)"), "success"),
     STORE(ORDER("(open, paid), (paid, sent), (sent, lost)"), "s"),
     "S903 clerk\nS908 Order in sent\n"},
};

static void judges(void **state)
{
    const struct system_row *row = *state;
    joined x;
    join(&x, row->system, row->sales, row->store);
    assert_text(codes(&x), mt_str_z(row->want));
    mt_arena_free(&x.a);
}

static void paths_go_on_behind_a_trigger(void **state)
{
    (void)state;
    joined x;
    join(&x, SYSTEM(TRIGGER("success", "porter")), SALES(SALES_ORDER, "success"),
         STORE(STORE_ORDER, "b"));
    /* One path of `sell` succeeds; `send` has two ways through s alone and three by t.
     */
    assert_true(x.x->chains[0].can_fire);
    assert_int_equal(x.x->chains[0].paths.low, 5);
    mt_arena_free(&x.a);
}

static void a_shared_entity_is_moved_by_all_members(void **state)
{
    (void)state;
    joined x;
    join(&x, SYSTEM(""), SALES(SALES_ORDER, "success"), STORE(STORE_ORDER, "s"));
    const an_sys_entity *e = &x.x->entities[0];
    const char *want[] = {"open", "paid", "sent"};
    for (size_t i = 0; i < 3; i++) {
        assert_true(ct_bit(e->reached, ct_state_find(e->entity, mt_str_z(want[i]))));
    }
    assert_false(ct_bit(e->reached, ct_state_find(e->entity, MT_STR("lost"))));
    mt_arena_free(&x.a);
}

static void authority_counts_operations_in_every_member(void **state)
{
    (void)state;
    joined x;
    join(&x, SYSTEM(""), SALES(SALES_ORDER, "success"), STORE(STORE_ORDER, "s"));
    assert_int_equal(x.x->authority_count, 2);
    assert_int_equal(x.x->authorities[0].operations, 1); /* pay */
    assert_int_equal(x.x->authorities[1].operations, 1); /* pack */
    mt_arena_free(&x.a);
}

static const struct told_row {
    const char *name, *store, *text, *json;
} TOLD[] = {
    {"a System as a whole", STORE(STORE_ORDER, "b"),
     "\n"
     "System sys\n"
     "  clerk has 1 operation in sales\n"
     "  clerk has 1 operation in store\n"
     "  sales.sell on success starts store.send as porter: 5 paths through both\n"
     "  Order is brought to {open, paid, sent} by all members together\n"
     "sys.tenor:1: S903 note: System sys: persona clerk has operations in 2 contracts: "
     "sales (1), store (1)\n"
     "sys.tenor:1: S904 note: System sys: sales.pay moves Order from 'open' to 'paid', "
     "which store does not declare\n"
     "  hint: declare the transition there too if the member is to allow for it\n"
     "sys.tenor:1: S904 note: System sys: store.ship moves Order from 'paid' to "
     "'sent', which sales does not declare\n"
     "  hint: declare the transition there too if the member is to allow for it\n"
     "sys.tenor:1: S906 note: System sys: sales.sell starts store.send as porter when "
     "it ends with success: 5 paths\n"
     "sys.tenor:1: S910 warning: System sys: state 'lost' of Order is unreachable by "
     "the transitions of all members together\n"
     "  hint: add a transition into the state to a member, or remove the state from "
     "all\n",
     "{\"cross_contract_authorities\":[{\"contract_id\":\"sales\","
     "\"operation_count\":1,\"persona_id\":\"clerk\",\"system_id\":\"sys\"},"
     "{\"contract_id\":\"store\",\"operation_count\":1,"
     "\"persona_id\":\"clerk\",\"system_id\":\"sys\"}],"
     "\"cross_contract_paths\":[{\"can_fire\":true,\"on\":\"success\","
     "\"path_count\":\"5\",\"persona\":\"porter\","
     "\"source_contract\":\"sales\",\"source_flow\":\"sell\","
     "\"system_id\":\"sys\",\"target_contract\":\"store\","
     "\"target_flow\":\"send\"}],"
     "\"shared_entities\":{\"Order\":{\"contracts\":[\"sales\",\"store\"],"
     "\"operated_states\":[\"open\",\"paid\",\"sent\"]}},"
     "\"system_id\":\"sys\"}"},
};

static void tells(void **state)
{
    const struct told_row *row = *state;
    joined x;
    mt_buf text = {0}, json = {0};
    mt_jw w = mt_jw_start(&json, false);
    join(&x, SYSTEM(TRIGGER("success", "porter")), SALES(SALES_ORDER, "success"),
         row->store);
    an_sys_text(&text, x.x);
    an_findings_text(&text, &x.fs);
    an_sys_json(&w, x.x);
    assert_text(mt_buf_str(&text), mt_str_z(row->text));
    assert_text(mt_buf_str(&json), mt_str_z(row->json));
    mt_buf_free(&text);
    mt_buf_free(&json);
    mt_arena_free(&x.a);
}

static void a_missing_member_is_said_to_be_missing(void **state)
{
    (void)state;
    joined x;
    join(&x, SYSTEM(TRIGGER("success", "porter")), SALES(SALES_ORDER, "success"), NULL);
    assert_text(codes(&x),
                MT_STR("S907 store\nS910 Order in lost\nS910 Order in sent\n"));
    mt_arena_free(&x.a);
}

/* ---- what a persona brings about through triggers ---- */

/* The clerk pays; if that fails the porter takes it back, which may get stuck. */
#define UNDONE                                                                         \
    "persona clerk\npersona porter\n" SALES_ORDER                                      \
    "operation pay { allowed_personas: [clerk] precondition: true\n"                   \
    "  effects: [(Order, open, paid)] error_contract: [] }\n"                          \
    "operation back { allowed_personas: [porter] precondition: true\n"                 \
    "  effects: [] error_contract: [] }\n"                                             \
    "flow sell { snapshot: at_initiation entry: a steps: { a: OperationStep { op: pay" \
    " persona: clerk outcomes: { success: Terminal(success) } on_failure: "            \
    "Compensate(steps: [{ op: back persona: porter on_failure: Terminal(failure) }] "  \
    "then: Terminal(escalation)) } } }\n"
/* The same with the porter's compensation in the flow that is started. */
#define STORE_UNDO                                                                     \
    "persona clerk\npersona porter\n" STORE_ORDER                                      \
    "operation ship { allowed_personas: [porter] precondition: true\n"                 \
    "  effects: [(Order, paid, sent)] error_contract: [] }\n"                          \
    "operation pack { allowed_personas: [clerk, porter] precondition: true\n"          \
    "  effects: [] error_contract: [] }\n"                                             \
    "flow send { snapshot: at_initiation entry: t steps: { t: OperationStep { op: "    \
    "pack persona: clerk outcomes: { success: Terminal(success) } on_failure: "        \
    "Compensate(steps: [{ op: ship persona: porter on_failure: Terminal(failure) }] "  \
    "then: Terminal(failure)) } } }\n"

/* The first step of all calls the flow that acts. */
#define STORE_CALL                                                                     \
    "persona clerk\npersona porter\n" STORE_ORDER                                      \
    "operation ship { allowed_personas: [porter] precondition: true\n"                 \
    "  effects: [(Order, paid, sent)] error_contract: [] }\n"                          \
    "operation pack { allowed_personas: [clerk] precondition: true\n"                  \
    "  effects: [] error_contract: [] }\n"                                             \
    "flow send { snapshot: at_initiation entry: c steps: { c: SubFlowStep { flow: "    \
    "work persona: clerk on_success: Terminal(success) on_failure: "                   \
    "Terminal(failure) } } }\n"                                                        \
    "flow work { snapshot: at_initiation entry: w steps: { w: " DO("ship",             \
                                                                   "porter") " } }\n"

static const struct cause_row {
    const char *name, *system, *sales, *store, *persona, *want;
} CAUSES[] = {
    {"a flow that is started acts for others", SYSTEM(TRIGGER("success", "porter")),
     SALES(SALES_ORDER, "success"), STORE(STORE_ORDER, "s"), "clerk",
     "more: sales.pay store.pack store.ship"},
    {"who cannot end the flow starts nothing", SYSTEM(TRIGGER("success", "porter")),
     SALES(SALES_ORDER, "success"), STORE(STORE_ORDER, "s"), "porter",
     "store.pack store.ship"},
    {"another end starts nothing", SYSTEM(TRIGGER("escalation", "porter")),
     SALES(SALES_ORDER, "success"), STORE(STORE_ORDER, "s"), "clerk",
     "sales.pay store.pack"},
    {"what is done in a sub-flow", SYSTEM(TRIGGER("success", "porter")),
     SALES(SALES_ORDER, "success"), INSIDE(STORE_ORDER, "c"), "clerk",
     "more: sales.pay store.pack store.ship"},
    {"what is done in a flow that the first step calls",
     SYSTEM(TRIGGER("success", "porter")), SALES(SALES_ORDER, "success"), STORE_CALL,
     "clerk", "more: sales.pay store.pack store.ship"},
    {"what is done in a branch", SYSTEM(TRIGGER("success", "porter")),
     SALES(SALES_ORDER, "success"), INSIDE(STORE_ORDER, "d"), "clerk",
     "more: sales.pay store.pack store.ship"},
    {"what takes back", SYSTEM(TRIGGER("success", "porter")),
     SALES(SALES_ORDER, "success"), STORE_UNDO, "clerk",
     "more: sales.pay store.pack store.ship"},
    {"the flow acts as the trigger says", SYSTEM(TRIGGER("success", "clerk")),
     SALES(SALES_ORDER, "success"), STORE_UNDO, "clerk", "sales.pay store.pack"},
    {"an end by taking back", SYSTEM(TRIGGER("escalation", "porter")), UNDONE,
     STORE(STORE_ORDER, "s"), "clerk", "more: sales.pay store.pack store.ship"},
    {"an end because that got stuck", SYSTEM(TRIGGER("failure", "porter")), UNDONE,
     STORE(STORE_ORDER, "s"), "clerk", "more: sales.pay store.pack store.ship"},
};

static void causes(void **state)
{
    const struct cause_row *row = *state;
    joined x;
    an_union u;
    bool more;
    mt_buf got = {0};
    join(&x, row->system, row->sales, row->store);
    assert_int_equal(an_union_of_system(&x.a, &x.system, x.programs, &x.ds, &u), MT_OK);
    const ct_model *m = u.plan->model;
    uint32_t persona = ct_model_find(m, CT_KIND_PERSONA, mt_str_z(row->persona));
    for (uint32_t p = 0; persona == CT_NONE && p < m->persona_count; p++) {
        persona = mt_str_ends(m->personas[p].id, mt_str_z(row->persona)) ? p : CT_NONE;
    }
    assert_true(persona != CT_NONE);
    const uint64_t *caused = an_union_caused(&x.a, &u, persona, &more);
    mt_buf_addz(&got, more ? "more:" : "");
    for (uint32_t i = 0; i < m->operation_count; i++) {
        if (ct_bit(caused, i)) {
            mt_buf_addf(&got, "%s%.*s", got.len ? " " : "",
                        MT_ARG(m->operations[i].id));
        }
    }
    assert_text(mt_buf_str(&got), mt_str_z(row->want));
    mt_buf_free(&got);
    mt_arena_free(&x.a);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, CAUSES, causes);
    rows_add(&list, SYSTEMS, judges);
    rows_add(&list, TOLD, tells);
    rows_test(&list, paths_go_on_behind_a_trigger);
    rows_test(&list, a_shared_entity_is_moved_by_all_members);
    rows_test(&list, authority_counts_operations_in_every_member);
    rows_test(&list, a_missing_member_is_said_to_be_missing);
    rows_test(&list, a_line_may_be_any_number);
    return rows_run(&list, "analyze/analyze_system");
}
