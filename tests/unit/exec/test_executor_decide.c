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

int main(void)
{
    static rows_list l;
    both(&l, a_decision_is_recorded_and_moves_nothing);
    both(&l, many_are_recorded_each);
    both(&l, without_anybody_to_ask_only_personas_are_known);
    int failed = rows_run(&l, "exec/executor_decide");
    backends_stop();
    return failed;
}
