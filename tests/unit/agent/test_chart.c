/* Traces of several agents as one conversation. */
#include "../rows.h"

#include "agent/chart.h"

/* clang-format off */
#define AGENT(name) "{\"record\":\"header\",\"agent\":\"" name "\"}\n"
#define TICK(at, said) "{\"record\":\"tick\",\"at\":\"" at "\",\"payload\":\"" said "\"}\n"
#define HEARD(at, from, said, rest) \
    "{\"record\":\"message\",\"at\":\"" at "\",\"heard\":{\"remote_addr\":\"" from "\",\"content\":\"" said "\"}" rest "}\n"
#define SENT(payload) ",\"senders\":[{\"emissions\":[{\"payload\":" payload "}]}]"
#define MADE(name, action) "{\"name\":\"" name "\",\"action\":\"" action "\"}"

static const struct row {
    const char *name;
    const char *traces[3];
    const char *text, *mermaid; /* mermaid NULL: not looked at */
} ROWS[] = {
    {"nobody", {""}, "", "sequenceDiagram\n"},
    {"one who speaks into the void", {AGENT("ann") TICK("1", "hi; #1\\r\\n2") "\n{\"record\":\"end\"}\n"},
     "1  ann -> relay: \"hi, ,1\\r\\n2\"\n",
     "sequenceDiagram\n    participant p0 as ann\n    participant p1 as relay\n    p0->>p1: \"hi, ,1\\r\\n2\"\n"},
    {"strangers keep their addresses, and without one it was the relay",
     {AGENT("ann") HEARD("1", "10.0.0.1:5", "a", "") HEARD("2", "", "b", "")},
     "1  10.0.0.1:5 -> ann: \"a\"\n2  relay -> ann: \"b\"\n",
     "sequenceDiagram\n    participant p0 as 10.0.0.1:5\n    participant p1 as ann\n    participant p2 as relay\n"
     "    p0->>p1: \"a\"\n    p2->>p1: \"b\"\n"},
    {"what the receivers made of it",
     {AGENT("ann") HEARD("1", "x", "a", ",\"receivers\":[" MADE("go", "MOVE") "," MADE("no", "NONE") "," MADE("keep", "STAY") "]")
      HEARD("2", "x", "b", ",\"receivers\":[" MADE("no", "NONE") "]")},
     "1  x -> ann: \"a\"  [go MOVE, keep STAY]\n2  x -> ann: \"b\"\n",
     "sequenceDiagram\n    participant p0 as x\n    participant p1 as ann\n    p0->>p1: \"a\"\n"
     "    Note over p1: go MOVE, keep STAY\n    p0->>p1: \"b\"\n"},
    {"who said it is known by what was said, and an answer follows",
     {AGENT("ann") TICK("2", "hi") HEARD("3", "b:1", "yes", ""),
      AGENT("bob") HEARD("1", "a:1", "hi", SENT("\"yes\""))},
     "1  ann -> bob: \"hi\"\n3  bob -> ann: \"yes\"\n",
     "sequenceDiagram\n    participant p0 as ann\n    participant p1 as bob\n    p0->>p1: \"hi\"\n    p1->>p0: \"yes\"\n"},
    {"from then on its address is known", {AGENT("ann") TICK("1", "hi"), AGENT("bob") HEARD("2", "a:1", "hi", "") HEARD("3", "a:1", "ho", "")},
     "2  ann -> bob: \"hi\"\n3  ann -> bob: \"ho\"\n", NULL},
    {"two might have said it", {AGENT("ann") TICK("1", "hi"), AGENT("bob") TICK("2", "hi"), AGENT("eve") HEARD("3", "a:1", "hi", "")},
     "1  ann -> relay: \"hi\"\n2  bob -> relay: \"hi\"\n3  a:1 -> eve: \"hi\"\n", NULL},
    {"nobody hears himself", {AGENT("ann") TICK("1", "hi") HEARD("2", "a:1", "hi", "")},
     "1  ann -> relay: \"hi\"\n2  a:1 -> ann: \"hi\"\n", NULL},
    {"said twice and heard twice",
     {AGENT("ann") TICK("1", "hi") TICK("4", "hi"), AGENT("bob") HEARD("2", "a:1", "hi", "") HEARD("3", "a:1", "hi", "")},
     "2  ann -> bob: \"hi\"\n3  ann -> bob: \"hi\"\n", NULL},
    {"said twice and heard once", {AGENT("ann") TICK("1", "hi") TICK("4", "hi"), AGENT("bob") HEARD("2", "a:1", "hi", "")},
     "2  ann -> bob: \"hi\"\n4  ann -> relay: \"hi\"\n", NULL},
    {"one saying reaches everybody", {AGENT("ann") TICK("1", "hi"), AGENT("bob") HEARD("2", "a:1", "hi", ""), AGENT("eve") HEARD("3", "a:2", "hi", "")},
     "2  ann -> bob: \"hi\"\n3  ann -> eve: \"hi\"\n", NULL},
    {"moments stand in the order of time", {AGENT("ann") TICK("2", "b") TICK("4", "d"), AGENT("bob") TICK("1", "a") TICK("3", "c")},
     "1  bob -> relay: \"a\"\n2  ann -> relay: \"b\"\n3  bob -> relay: \"c\"\n4  ann -> relay: \"d\"\n", NULL},
    {"a clock that went back changes no order of its own", {AGENT("ann") TICK("5", "a") TICK("2", "b"), AGENT("bob") TICK("3", "c")},
     "3  bob -> relay: \"c\"\n5  ann -> relay: \"a\"\n5  ann -> relay: \"b\"\n", NULL},
    {"what was dropped was not said", {AGENT("ann") HEARD("1", "x", "a", SENT("null"))}, "1  x -> ann: \"a\"\n", NULL},
};

static const struct wrong {
    const char *name, *trace, *why;
} WRONG[] = {
    {"no JSON", AGENT("ann") "\nx\n", "trace 2: line 3 is not of the trace of an agent at work (motet agent run --trace)"},
    {"no record", "{}\n", "trace 2: line 1 is not of the trace of an agent at work (motet agent run --trace)"},
    {"a trace of a scenario", AGENT("ann") "{\"record\":\"message\"}",
     "trace 2: line 2 is not of the trace of an agent at work (motet agent run --trace)"},
};
/* clang-format on */

static void a_conversation_is_drawn(void **state)
{
    const struct row *r = *state;
    mt_arena a = {0};
    mt_str traces[3], why = {0};
    mt_buf out = {0};
    size_t count = 0;
    for (; count < 3 && r->traces[count]; count++) {
        traces[count] = mt_str_z(r->traces[count]);
    }
    assert_int_equal(ag_chart(&a, traces, count, AG_CHART_TEXT, &out, &why), MT_OK);
    assert_text(mt_buf_str(&out), mt_str_z(r->text));
    mt_buf_clear(&out);
    assert_int_equal(ag_chart(&a, traces, count, AG_CHART_MERMAID, &out, &why), MT_OK);
    if (r->mermaid) {
        assert_text(mt_buf_str(&out), mt_str_z(r->mermaid));
    }
    mt_buf_free(&out);
    mt_arena_free(&a);
}

static void what_is_none_is_refused(void **state)
{
    const struct wrong *r = *state;
    mt_arena a = {0};
    mt_buf out = {0};
    mt_str traces[] = {MT_STR(""), mt_str_z(r->trace)}, why = {0};
    assert_int_equal(ag_chart(&a, traces, 2, AG_CHART_TEXT, &out, &why), MT_E_SYNTAX);
    assert_text(why, mt_str_z(r->why));
    assert_int_equal(out.len, 0);
    mt_buf_free(&out);
    mt_arena_free(&a);
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, ROWS, a_conversation_is_drawn);
    rows_add(&list, WRONG, what_is_none_is_refused);
    return rows_run(&list, "agent/chart");
}
