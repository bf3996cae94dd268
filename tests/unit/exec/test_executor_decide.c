/* Decisions for others: on every store they are recorded, and nothing else is. */
#include "exec_fixture.h"

#include "../rows.h"

#define RECORDS EXAMPLES "/records/records.tenor"
#define ASK(subject, action, resource)                                                 \
    "{\"subject\":" subject ",\"action\":{\"name\":\"" action "\"},\"resource\":"      \
    "{\"type\":\"record\",\"id\":\"" resource "\"}}"
#define WRITER "{\"type\":\"persona\",\"id\":\"writer\"}"
#define READER "{\"type\":\"persona\",\"id\":\"reader\"}"

CALLER(GATEWAY, "tok-gateway", LIST(T("clerk")), LIST(T("records/decide")));
CALLER(MAKER, "tok-maker", LIST(T("clerk")), LIST(T("instances:create")));

CALLER(ASKER, "tok-asker", LIST(T("clerk")),
       LIST(T("decide"), T("evaluate"), T("facts:*")));
CALLER(WRITING, "tok-writing", LIST(T("writer")), LIST(T("read")));
CALLER(PERSON, "tok-writing", LIST(T("clerk")), LIST(T("read"))); /* with a login */

static desk open_desk(void **state)
{
    desk d = desk_open(state, RECORDS, NULL);
    ask(&d, &MAKER, EX_INSTANCE_CREATE, "record", "", "{\"id\":\"one\"}");
    assert_int_equal(d.status, 201);
    return d;
}

static bool allowed(desk *d, const char *body)
{
    const mt_json *r = ask(d, &GATEWAY, EX_DECIDE, "", "", body);
    assert_int_equal(d->status, 200);
    return mt_json_at(r, "decision")->boolean;
}

static uint32_t recorded(desk *d, const char *kind)
{
    ad_param q[] = {{MT_STR("limit"), MT_STR("100")},
                    {MT_STR("kind"), mt_str_z(kind)},
                    {MT_STR("pending"), MT_STR("true")}};
    return mt_json_at(ask_query(d, EX_LEDGER_LIST, "", "", q, 3), "items")->count;
}

static void a_decision_is_recorded_and_moves_nothing(void **state)
{
    desk d = open_desk(state);
    assert_true(allowed(&d, ASK(WRITER, "write", "one")));
    assert_false(allowed(&d, ASK(READER, "write", "one")));
    assert_false(allowed(&d, ASK(WRITER, "write", "two")));
    assert_int_equal(recorded(&d, "decision"), 3);
    assert_int_equal(recorded(&d, "operation"), 0);
    const mt_json *r = ask(&d, &ANYONE, EX_INSTANCE_GET, "record", "one", "");
    int64_t version;
    assert_int_equal(mt_json_i64(mt_json_at(r, "version"), &version), MT_OK);
    assert_int_equal(version, 0);
    desk_close(&d);
}

static void many_are_recorded_each(void **state)
{
    desk d = open_desk(state);
    const mt_json *r =
        ask(&d, &GATEWAY, EX_DECIDE_MANY, "", "",
            "{\"subject\":" WRITER ",\"resource\":{\"type\":\"record\",\"id\":\"one\"},"
            "\"evaluations\":[{\"action\":{\"name\":\"read\"}},{},"
            "{\"action\":{\"name\":\"delete\"}}]}");
    assert_int_equal(d.status, 200);
    const mt_json *list = mt_json_at(r, "evaluations");
    assert_int_equal(list->count, 3);
    assert_true(mt_json_at(&list->as.items[0], "decision")->boolean);
    assert_false(mt_json_at(&list->as.items[1], "decision")->boolean);
    assert_false(mt_json_at(&list->as.items[2], "decision")->boolean);
    assert_int_equal(recorded(&d, "decision"), 2);
    desk_close(&d);
}

static void without_anybody_to_ask_only_personas_are_known(void **state)
{
    desk d = open_desk(state);
    assert_false(allowed(&d, ASK("{\"type\":\"user\",\"id\":\"a\"}", "read", "one")));
    ask(&d, &GATEWAY, EX_SEARCH_SUBJECT, "", "",
        ASK("{\"type\":\"user\"}", "read", "one"));
    assert_int_equal(d.status, 200);
    assert_true(mt_str_is(d.text, "{\"results\":[]}"));
    ask(&d, &MAKER, EX_DECIDE, "", "", ASK(WRITER, "read", "one"));
    assert_int_equal(d.status, 403);
    desk_close(&d);
}

/* ---- What is asked ---- */

static const char SHELF[] =
    "persona writer\npersona reader\n"
    "fact open { type: Bool source: \"d.open\" default: true }\n"
    "entity record { states: [a, b] initial: a transitions: [(a, b)] }\n"
    "entity box { states: [x, y] initial: x transitions: [(x, y)] }\n"
    "rule seen { stratum: 0 when: open = true produce: seen(true) }\n"
    "operation write { allowed_personas: [writer] precondition: open = true\n"
    "  effects: [(record, a, b)] }\n"
    "operation pack { allowed_personas: [writer] precondition: seen present\n"
    "  effects: [(record, a, b), (box, x, y)] }\n"
    "flow write { snapshot: at_initiation entry: one\n"
    "  steps: { one: OperationStep { op: pack persona: writer outcomes: { success: "
    "Terminal(success) } on_failure: Terminate(outcome: failure) } } }\n";

/* clang-format off */
#define ABOUT(subject, action, resource, more) \
    "{\"subject\":" subject ",\"action\":{\"name\":\"" action "\"},\"resource\":" resource ",\"context\":" more "}"
#define ONE "{\"type\":\"record\",\"id\":\"one\"}"
#define BIND(bindings) "{\"motet\":{\"bindings\":" bindings "}}"

static const struct asked_row {
    const ex_caller *who;
    const char *body;
    const char *want;
} ASKED[] = {
    {&ASKER, ABOUT(WRITER, "write", ONE, "{}"), "yes, writer"},
    {&ASKER, ABOUT(WRITER, "operation:write", ONE, "{}"), "yes, writer"},
    {&ASKER, ABOUT(WRITER, "flow:write", ONE, BIND("{\"box\":\"b\"}")), "yes, writer"},
    {&ASKER, ABOUT(WRITER, "flow:pack", ONE, "{}"), "no, unknown_operation"},
    {&ASKER, ABOUT(WRITER, "verdict:write", ONE, "{}"), "no, unknown_operation"},
    {&ASKER, ABOUT(READER, "verdict:seen", ONE, "{}"), "yes"},
    {&ASKER, ABOUT(READER, "seen", ONE, "{\"open\":false}"), "no, precondition_failed"},
    {&ASKER, ABOUT(READER, "operation:seen", ONE, "{}"), "no, unknown_operation"},
    {&ASKER, ABOUT(WRITER, "nothing", ONE, "{}"), "no, unknown_operation"},
    {&ASKER, ABOUT(WRITER, "operation:flow:write", ONE, "{}"), "no, unknown_operation"},
    {&ASKER, ABOUT(WRITER, "operation:verdict:seen", ONE, "{}"), "no, unknown_operation"},
    {&ASKER, ABOUT(WRITER, "flow:verdict:seen", ONE, "{}"), "no, unknown_operation"},
    {&ASKER, ABOUT(READER, "write", ONE, "{}"), "no, persona_rejected"},
    {&ASKER, ABOUT(WRITER, "write", "{\"type\":\"pot\",\"id\":\"one\"}", "{}"), "no, unknown_entity"},
    {&ASKER, ABOUT(WRITER, "write", "{\"type\":\"record\",\"id\":\"two\"}", "{}"), "no, unknown_instance"},
    {&ASKER, ABOUT(WRITER, "pack", ONE, BIND("{\"box\":\"b\"}")), "yes, writer"},
    {&ASKER, ABOUT(WRITER, "pack", ONE, "{}"), "no, missing_binding"},
    {&ASKER, ABOUT(WRITER, "pack", ONE, BIND("{\"record\":\"one\"}")), "400 `context.motet.bindings`: 'record' is the resource"},
    {&ASKER, ABOUT(WRITER, "pack", ONE, BIND("{\"pot\":\"b\"}")), "400 `context.motet.bindings`: 'pot' is not an entity of the contract"},
    {&ASKER, ABOUT(WRITER, "pack", ONE, BIND("{\"box\":\"\"}")), "400 `context.motet.bindings`: 'box' must be bound to the id of an instance"},
    {&ASKER, ABOUT(WRITER, "pack", ONE, BIND("{\"box\":7}")), "400 `context.motet.bindings`: 'box' must be bound to the id of an instance"},
    {&ASKER, ABOUT(WRITER, "pack", ONE, BIND("{\"box\":\"b\\u0000\"}")), "400 `context.motet.bindings`: 'box' must be bound to the id of an instance"},
    {&ASKER, ABOUT(WRITER, "write", ONE, "{\"open\":false}"), "no, precondition_failed"},
    {&ASKER, ABOUT(WRITER, "write", ONE, "{\"open\":7}"), "no, invalid_fact"},
    {&ASKER, ABOUT(WRITER, "write", ONE, "{\"open\":true}"), "yes, writer"},
    /* About itself: by a persona that it holds, or by its own token. */
    {&WRITING, ABOUT(WRITER, "write", ONE, "{}"), "yes, writer"},
    {&WRITING, ABOUT(READER, "write", ONE, "{}"), "403 the caller lacks the right 'decide' over contract 'records'"},
    {&WRITING, ABOUT("{\"type\":\"token\",\"id\":\"tok-writing\"}", "write", ONE, "{}"), "no, persona_rejected"},
    {&WRITING, ABOUT("{\"type\":\"token\",\"id\":\"tok-other\"}", "write", ONE, "{}"), "403 the caller lacks the right 'decide' over contract 'records'"},
    {&WRITING, ABOUT("{\"type\":\"user\",\"id\":\"tok-writing\"}", "write", ONE, "{}"), "403 the caller lacks the right 'decide' over contract 'records'"},
    {&PERSON, ABOUT("{\"type\":\"token\",\"id\":\"tok-writing\"}", "write", ONE, "{}"), "403 the caller lacks the right 'decide' over contract 'records'"},
    {&ASKER, "[]", "400 the body must be an object"},
    {&ASKER, "{", "400 body, line 1, column 2: expected a key in quotes"},
    {&ASKER, "{}", "400 `subject.type` is missing; `subject.id` is missing; `action.name` is missing; `resource.type` is missing; `resource.id` is missing"},
};
#define MANY(rest) "{\"subject\":" WRITER ",\"resource\":" ONE ",\"action\":{\"name\":\"write\"}," rest "}"
#define READS "{\"subject\":" READER "}"
#define STOP(word) "\"options\":{\"evaluations_semantic\":" word "}"

static const struct many_row {
    const char *body;
    const char *want;
} MANIES[] = {
    {MANY("\"evaluations\":[{}," READS ",{}]"), "yes, writer; no, persona_rejected; yes, writer"},
    {MANY(STOP("\"execute_all\"") ",\"evaluations\":[{}," READS ",{}]"), "yes, writer; no, persona_rejected; yes, writer"},
    {MANY(STOP("\"deny_on_first_deny\"") ",\"evaluations\":[{}," READS ",{}]"), "yes, writer; no, persona_rejected"},
    {MANY(STOP("\"permit_on_first_permit\"") ",\"evaluations\":[" READS ",{}," READS "]"), "no, persona_rejected; yes, writer"},
    {MANY(STOP("\"permit_on_first_permit\"") ",\"evaluations\":[" READS "," READS "]"), "no, persona_rejected; no, persona_rejected"},
    {MANY(STOP("\"deny_on_first_deny\"") ",\"evaluations\":[{},{}]"), "yes, writer; yes, writer"},
    {MANY("\"evaluations\":[]"), "yes, writer"},
    {MANY("\"evaluations\":[7,{\"context\":{\"motet\":{\"receipt\":true}}},{\"action\":{\"name\":\"\"}}]"), "no, 400 an evaluation must be an object; no, 400 the receipts of many decisions are fetched by their records; no, 400 `action.name` must not be empty"},
    {MANY("\"evaluations\":{}"), "400 `evaluations` must be a list"},
    {MANY(STOP("\"all\"") ",\"evaluations\":[{}]"), "400 `options.evaluations_semantic` must be execute_all, deny_on_first_deny or permit_on_first_permit"},
    {MANY(STOP("1") ",\"evaluations\":[{}]"), "400 `options.evaluations_semantic` must be execute_all, deny_on_first_deny or permit_on_first_permit"},
    {MANY("\"options\":[],\"evaluations\":[{}]"), "400 `options` must be an object"},
    {MANY("\"options\":{},\"evaluations\":[{}]"), "yes, writer"},
};
/* clang-format on */

static void tell_decision(mt_buf *out, const mt_json *r)
{
    mt_str code = mt_json_text(at(r, "context.code")),
           persona = mt_json_text(at(r, "context.persona"));
    mt_buf_addz(out, flag_at(r, "decision") ? "yes" : "no");
    if (code.len || persona.len) {
        mt_buf_addf(out, ", %.*s", MT_ARG(code.len ? code : persona));
    } else if (at(r, "context.error")) {
        mt_buf_addf(out, ", %.*s %.*s",
                    MT_ARG(mt_json_text(at(r, "context.error.status"))),
                    MT_ARG(mt_json_text(at(r, "context.error.message"))));
    }
}

static void assert_told(const desk *d, const mt_json *r, const char *want)
{
    mt_buf got = {0};
    const mt_json *list = at(r, "evaluations");
    for (uint32_t i = 0; list && i < list->count; i++) {
        mt_buf_addz(&got, i ? "; " : "");
        tell_decision(&got, &list->as.items[i]);
    }
    if (d->status != 200) {
        mt_buf_addf(&got, "%d %.*s", d->status, MT_ARG(mt_json_text(at(r, "detail"))));
    } else if (!list) {
        tell_decision(&got, r);
    }
    assert_text(mt_buf_str(&got), mt_str_z(want));
    mt_buf_free(&got);
}

static void what_is_asked_is_answered_with_its_reason(void **state)
{
    ex_caller person = PERSON;
    person.by = EX_BY_OIDC;
    desk d = desk_open(state, contract_file("records.tenor", SHELF), NULL);
    create(&d, "record", "one");
    create(&d, "box", "b");
    for (size_t i = 0; i < rows_count(ASKED); i++) {
        const ex_caller *who = ASKED[i].who == &PERSON ? &person : ASKED[i].who;
        assert_told(&d, ask(&d, who, EX_DECIDE, "", "", ASKED[i].body), ASKED[i].want);
    }
    for (size_t i = 0; i < rows_count(MANIES); i++) {
        assert_told(&d, ask(&d, &ASKER, EX_DECIDE_MANY, "", "", MANIES[i].body),
                    MANIES[i].want);
    }
    desk_close(&d);
}

int main(void)
{
    static rows_list l;
    both(&l, a_decision_is_recorded_and_moves_nothing);
    both(&l, many_are_recorded_each);
    both(&l, without_anybody_to_ask_only_personas_are_known);
    both(&l, what_is_asked_is_answered_with_its_reason);
    int failed = rows_run(&l, "exec/executor_decide");
    backends_stop();
    return failed;
}
