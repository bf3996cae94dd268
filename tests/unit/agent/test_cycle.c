/* agent/cycle: execution semantics (profile, section 6), step by step.
 * An agent is written as a scenario; the trace is asked for what must be in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "agent/scenario.h"
#include "agent/trace.h"

static mt_str trace_of(mt_arena *a, const char *scenario, ag_answers answers)
{
    mt_json *tree = mt_new(a, mt_json);
    mt_diags ds = {.arena = a};
    ag_scenario s;
    mt_buf out = {0};
    mt_str text = mt_str_dup(a, mt_str_z(scenario));
    for (size_t i = 0; i < text.len; i++) { /* rows are written with ' for " */
        char *c = (char *)(uintptr_t)text.ptr + i;
        *c = *c == '\'' ? '"' : *c;
    }
    mt_json_error fault = {0};
    if (mt_json_read(a, text, NULL, tree, &fault)) {
        print_error("%s at %zu\n", fault.message, fault.offset);
        fail();
    }
    if (ag_scenario_read(a, MT_STR("test"), text, tree, MT_STR(""), MT_STR(""), NULL,
                         &ds, &s)) {
        for (size_t i = 0; i < ds.len; i++) {
            print_error("%s %.*s\n", ds.items[i].code, MT_ARG(ds.items[i].message));
        }
        fail();
    }
    ag_scenario_run(&s, NULL, answers, NULL, NULL, &out);
    mt_str trace = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return trace;
}

/* What of one message is asked for: receivers `name:ACTION@key/state`, tape, sends. */
static void summarise(mt_buf *out, const mt_json *m)
{
    const mt_json *receivers = mt_json_at(m, "receivers"),
                  *senders = mt_json_at(m, "senders");
    mt_str fate = mt_json_text(mt_json_at(m, "fate"));
    if (!mt_str_is(fate, "finished")) {
        mt_buf_addf(out, "%.*s ", MT_ARG(fate));
    }
    for (uint32_t i = 0; i < receivers->count; i++) {
        const mt_json *r = &receivers->as.items[i];
        const mt_json *failed = mt_json_at(r, "failed"), *key = mt_json_at(r, "key");
        mt_buf_addf(
            out, "%.*s:%.*s@%.*s/%.*s%s ", MT_ARG(mt_json_text(mt_json_at(r, "name"))),
            MT_ARG(mt_json_text(mt_json_at(r, "action"))),
            MT_ARG(mt_json_is(key, MT_JSON_NULL) ? MT_STR("null") : mt_json_text(key)),
            MT_ARG(mt_json_text(mt_json_at(r, "state"))),
            mt_json_is(failed, MT_JSON_NULL) ? "" : "!");
    }
    mt_buf_addz(out, "=> ");
    mt_json_write(out, mt_json_at(m, "tape_after"), false);
    for (uint32_t i = 0; i < senders->count; i++) {
        const mt_json *s = &senders->as.items[i], *key = mt_json_at(s, "key");
        const mt_json *emissions = mt_json_at(s, "emissions");
        mt_buf_addf(
            out, " %.*s@%.*s", MT_ARG(mt_json_text(mt_json_at(s, "name"))),
            MT_ARG(mt_json_is(key, MT_JSON_NULL) ? MT_STR("null") : mt_json_text(key)));
        for (uint32_t e = 0; e < emissions->count; e++) {
            mt_buf_addc(out, '=');
            mt_json_write(out, mt_json_at(&emissions->as.items[e], "payload"), false);
        }
    }
}

static void summary_of(mt_arena *a, mt_str trace, mt_buf *out)
{
    while (trace.len) {
        size_t length = mt_str_find(trace, '\n');
        mt_json record;
        assert_int_equal(
            mt_json_read(a, mt_str_from(trace.ptr, length), NULL, &record, NULL),
            MT_OK);
        if (mt_str_is(mt_json_text(mt_json_at(&record, "record")), "message")) {
            mt_buf_addz(out, out->len ? " ; " : "");
            summarise(out, &record);
        }
        trace = mt_str_skip(trace, length + 1);
    }
    mt_buf_addc(out, 0);
}

typedef struct row {
    const char *name, *scenario, *want;
} row;

#define ONE_MESSAGE "'messages':[{'content':'x'}]"
/* clang-format off */
static const row ROWS[] = {
    {"MUST 6.1: a receive hook that drops keeps receivers from running",
     "{'agent':{'tape':{'start':['A']},'hooks':[{'name':'h','direction':'receive','drop':true}],"
     "'receivers':[{'name':'r','route':'A','do':'stay'}]}," ONE_MESSAGE "}",
     "dropped => [\"A\"]"},
    {"MUST 6.1: a send hook that drops drops the emission",
     "{'agent':{'tape':{'start':['A']},'hooks':[{'direction':'send','when':{'message':'no'},'drop':true}],"
     "'receivers':[{'name':'r','route':'A','do':'stay'}],"
     "'senders':[{'name':'s','route':'A','message':'no'},{'name':'t','route':'A','message':'yes'}]},"
     ONE_MESSAGE "}",
     "r:STAY@tape/A => [\"A\"] s@tape=null t@tape=\"yes\""},
    {"MUST 6.1: hooks run by priority, then registration, none is lost",
     "{'agent':{'tape':{'start':['A']},'hooks':["
     "{'direction':'send','priority':[1],'replace':'{{message}}3'},"
     "{'direction':'send','priority':[0],'replace':'{{message}}1'},"
     "{'direction':'send','priority':[0],'replace':'{{message}}2'},"
     "{'direction':'send','priority':[],'replace':'{{message}}0'}],"
     "'receivers':[{'name':'r','route':'A','do':'stay'}],"
     "'senders':[{'name':'s','route':'A','message':'m'}]}," ONE_MESSAGE "}",
     "r:STAY@tape/A => [\"A\"] s@tape=\"m0123\""},
    {"a hook that fails drops the message",
     "{'agent':{'tape':{'start':['A']},'hooks':[{'direction':'receive','fail':'boom'}],"
     "'receivers':[{'name':'r','route':'A','do':'stay'}]}," ONE_MESSAGE "}",
     "hook_failed => [\"A\"]"},
    {"MUST 6.2: one accepting gate makes a receiver eligible",
     "{'agent':{'tape':{'start':['B']},'receivers':[{'name':'r','route':'A,B,C--[f]-->X','do':'move'}]},"
     ONE_MESSAGE "}",
     "r:MOVE@tape/B => [\"X\",\"f\"]"},
    {"MUST 6.2: without an accepting gate it is not",
     "{'agent':{'tape':{'start':['D']},'receivers':[{'name':'r','route':'A,B,C--[f]-->X','do':'move'}]},"
     ONE_MESSAGE "}",
     "=> [\"D\"]"},
    {"several accepting gates are one call",
     "{'agent':{'tape':{'start':['A']},'receivers':[{'name':'r','route':'A,/all,/oneof(A,B)','do':'test'}]},"
     ONE_MESSAGE "}",
     "r:TEST@tape/A => []"},
    {"equal states under one key count once",
     "{'agent':{'tape':{'start':['A','A']},'receivers':[{'name':'r','route':'A','do':'stay'}]},"
     ONE_MESSAGE "}",
     "r:STAY@tape/A => [\"A\"]"},
    {"MUST 6.2: an initial route runs exactly once per cycle, even on an empty tape",
     "{'agent':{'receivers':[{'name':'boot','route':'-->R','do':'move'}]},"
     "'messages':[{'content':1},{'content':2}]}",
     "boot:MOVE@null/ => [\"R\"] ; boot:MOVE@null/ => [\"R\"]"},
    {"MUST 6.2: an initial route runs once whatever the tape holds",
     "{'agent':{'tape':{'shape':'index-many','start':{'k':['A'],'l':['A']}},"
     "'receivers':[{'name':'boot','route':'-->R','do':'move'}]}," ONE_MESSAGE "}",
     "boot:MOVE@null/ => [[null,[\"R\"]],[\"k\",[\"A\"]],[\"l\",[\"A\"]]]"},
    {"MUST 6.2: order is priority, route, key, state, registration",
     "{'agent':{'tape':{'shape':'index-many','start':{'k2':['A'],'k1':['B','A']}},'receivers':["
     "{'name':'z','route':'B','do':'stay','priority':[0]},"
     "{'name':'y','route':'/all','do':'none','priority':[-1,5]},"
     "{'name':'x2','route':'A','do':'stay'},{'name':'x1','route':'A','do':'stay'}]}," ONE_MESSAGE "}",
     "x2:STAY@k1/A x1:STAY@k1/A x2:STAY@k2/A x1:STAY@k2/A y:NONE@k1/A y:NONE@k1/B y:NONE@k2/A "
     "z:STAY@k1/B => [[\"k1\",[\"A\",\"B\"]],[\"k2\",[\"A\"]]]"},
    {"eligibility comes from the tape before the first receiver",
     "{'agent':{'tape':{'start':['A']},'receivers':[{'name':'a','route':'A-->B','do':'move'},"
     "{'name':'b','route':'B','do':'stay','priority':[9]}]},'messages':[{'content':1},{'content':2}]}",
     "a:MOVE@tape/A => [\"B\"] ; b:STAY@tape/B => [\"B\"]"},
    {"MUST 6.3: activated nodes go to the key that made it eligible",
     "{'agent':{'tape':{'shape':'index-many','start':{'k':['A'],'l':['B']}},"
     "'receivers':[{'name':'r','route':'A--[f]-->C','do':'move'}]}," ONE_MESSAGE "}",
     "r:MOVE@k/A => [[\"k\",[\"C\",\"f\"]],[\"l\",[\"B\"]]]"},
    {"the tape of a key is what was activated, each node once",
     "{'agent':{'tape':{'start':['A','Q']},'receivers':[{'name':'r','route':'A--[f]-->B','do':'move'},"
     "{'name':'s','route':'A--[f]-->C','do':'move'}]}," ONE_MESSAGE "}",
     "r:MOVE@tape/A s:MOVE@tape/A => [\"B\",\"C\",\"f\"]"},
    {"tape rule add keeps what was there",
     "{'agent':{'tape':{'rule':'add','start':['A','Q']},'receivers':[{'name':'r','route':'A--[f]-->B','do':'move'}]},"
     ONE_MESSAGE "}",
     "r:MOVE@tape/A => [\"A\",\"B\",\"Q\",\"f\"]"},
    {"a single tape that receives several nodes is a list",
     "{'agent':{'tape':{'shape':'single','start':'A'},'receivers':[{'name':'r','route':'A--[f]-->B','do':'move'}]},"
     ONE_MESSAGE "}",
     "r:MOVE@tape/A => [\"B\",\"f\"]"},
    {"STAY puts the gates back, not the state",
     "{'agent':{'tape':{'start':['A']},'receivers':[{'name':'r','route':'/oneof(A,B)','do':'stay'}]},"
     "'messages':[{'content':1},{'content':2}]}",
     "r:STAY@tape/A => [\"/oneof(A,B)\"] ; r:STAY@tape//oneof(A,B) => [\"/oneof(A,B)\"]"},
    {"MUST 6.4: both filters must match",
     "{'agent':{'tape':{'start':['A']},'receivers':[{'name':'r','route':'A','do':'stay','trigger':'t'}],"
     "'senders':[{'name':'s1','route':'A','on_actions':['stay'],'on_triggers':['u'],'message':1},"
     "{'name':'s2','route':'A','on_actions':['move'],'on_triggers':['t'],'message':2},"
     "{'name':'s3','route':'A','on_actions':['stay'],'on_triggers':['t'],'message':3}]}," ONE_MESSAGE "}",
     "r:STAY@tape/A => [\"A\"] s3@tape=3"},
    {"absent filters match every outcome, an empty one none",
     "{'agent':{'tape':{'start':['A']},'receivers':[{'name':'r','route':'A','do':'test'}],"
     "'senders':[{'name':'s1','route':'A','message':1},{'name':'s2','route':'A','on_actions':[],'message':2},"
     "{'name':'s3','route':'A','on_triggers':[],'message':3}]}," ONE_MESSAGE "}",
     "r:TEST@tape/A => [] s1@tape=1"},
    {"MUST 6.4: a sender's route must be compatible with the receiver's",
     "{'agent':{'tape':{'start':['A']},'receivers':[{'name':'r','route':'A--[f]-->B','do':'move'}],"
     "'senders':[{'name':'s1','route':'A','message':1},{'name':'s2','route':'A-->B','message':2},"
     "{'name':'s3','route':'B','message':3},{'name':'s4','route':'/all--[/all]-->/all','message':4},"
     "{'name':'s5','route':'A--[f,g]-->B','message':5}]}," ONE_MESSAGE "}",
     "r:MOVE@tape/A => [\"B\",\"f\"] s4@tape=4 s1@tape=1 s2@tape=2"},
    {"MUST 6.4: at most once per (route, key) unless multi",
     "{'agent':{'tape':{'shape':'index-many','start':{'k':['A','B'],'l':['A']}},"
     "'receivers':[{'name':'r','route':'/oneof(A,B)','do':'test'}],"
     "'senders':[{'name':'one','route':'/all','message':1},{'name':'all','route':'/all','multi':true,'message':2}]},"
     ONE_MESSAGE "}",
     "r:TEST@k/A r:TEST@k/B r:TEST@l/A => [[\"k\",[]],[\"l\",[]]] one@k=1 one@l=1 all@k=2 all@k=2 all@l=2"},
    {"multi may return a list, which becomes several messages",
     "{'agent':{'tape':{'start':['A']},'receivers':[{'name':'r','route':'A','do':'stay'}],"
     "'senders':[{'name':'s','route':'A','multi':true,'message':[1,2]},{'name':'t','route':'A','message':[1,2]}]},"
     ONE_MESSAGE "}",
     "r:STAY@tape/A => [\"A\"] s@tape=1=2 t@tape=[1,2]"},
    {"MUST 6.4: senders are ordered by priority, route, registration, key",
     "{'agent':{'tape':{'shape':'index-many','start':{'l':['A'],'k':['A']}},"
     "'receivers':[{'name':'r','route':'A-->B','do':'move'}],'senders':["
     "{'name':'late','route':'A','priority':[2],'message':1},{'name':'b','route':'A-->B','message':2},"
     "{'name':'a2','route':'A','message':3},{'name':'a1','route':'A','message':4}]}," ONE_MESSAGE "}",
     "r:MOVE@k/A r:MOVE@l/A => [[\"k\",[\"B\"]],[\"l\",[\"B\"]]] a2@k=3 a2@l=3 a1@k=4 a1@l=4 b@k=2 b@l=2 late@k=1 late@l=1"},
    {"a failing receiver is recorded, wakes no sender and empties nothing",
     "{'agent':{'tape':{'start':['A']},'receivers':[{'name':'r','route':'A-->B','fail':'boom'}],"
     "'senders':[{'name':'s','route':'/all','message':1}]}," ONE_MESSAGE "}",
     "r:NONE@tape/A! => [\"A\"]"},
    {"a failing sender does not keep the others from sending",
     "{'agent':{'tape':{'start':['A']},'receivers':[{'name':'r','route':'A','do':'stay'}],"
     "'senders':[{'name':'s','route':'A','fail':'boom'},{'name':'t','route':'A','message':1}]}," ONE_MESSAGE "}",
     "r:STAY@tape/A => [\"A\"] s@tape t@tape=1"},
    {"a message with a key runs only that key",
     "{'agent':{'tape':{'shape':'index-many','key':'content.from','start':['A']},"
     "'receivers':[{'name':'r','route':'A-->B','do':'move'}]},"
     "'messages':[{'content':{'from':'x'}},{'content':{'from':'y'}},{'content':'Warning: none'}]}",
     "r:MOVE@x/A => [[\"x\",[\"B\"]]] ; r:MOVE@y/A => [[\"x\",[\"B\"]],[\"y\",[\"B\"]]] ; "
     "=> [[\"x\",[\"B\"]],[\"y\",[\"B\"]]]"},
    {"what receivers remember is written after the last, in order",
     "{'agent':{'tape':{'start':['A']},'memory':{'n':1},'receivers':["
     "{'name':'a','route':'A','do':'stay','count':{'n':1},'remember':{'seen':'{{memory.n}}'}},"
     "{'name':'b','route':'A','do':'stay','count':{'n':10},'remember':{'last':'{{memory.n}}'}}],"
     "'senders':[{'name':'s','route':'A','message':'{{memory}}'}]}," ONE_MESSAGE "}",
     "a:STAY@tape/A b:STAY@tape/A => [\"A\"] s@tape={\"last\":1,\"n\":12,\"seen\":1}"},
    {"compat: one call per accepting gate, priority groups download in turn",
     "{'agent':{'mode':'compat','tape':{'start':['A']},'receivers':[{'name':'r','route':'A,/all','do':'stay'},"
     "{'name':'s','route':'/all-->B','do':'move','priority':[1]}]}," ONE_MESSAGE "}",
     "r:STAY@tape/A r:STAY@tape/A s:MOVE@tape/A => [\"B\"]"},
    {"compat: a failing hook passes the message on, the last of equal hooks remains",
     "{'agent':{'mode':'compat','tape':{'start':['A']},'hooks':[{'direction':'receive','drop':true},"
     "{'direction':'receive','fail':'boom'}],'receivers':[{'name':'r','route':'A','do':'stay'}]}," ONE_MESSAGE "}",
     "r:STAY@tape/A => [\"A\"]"},
    {"compat: of two receivers on one route the later remains, in the first's place",
     "{'agent':{'mode':'compat','tape':{'start':['A']},'receivers':[{'name':'r','route':'A','do':'stay'},"
     "{'name':'q','route':'/all','do':'none'},{'name':'s','route':' A ','do':'test'}]}," ONE_MESSAGE "}",
     "s:TEST@tape/A q:NONE@tape/A => []"},
    {"compat: senders come in the order of their routes' first, those of one route as registered",
     "{'agent':{'mode':'compat','tape':{'start':['A']},'receivers':[{'name':'r','route':'A','do':'stay'}],'senders':["
     "{'name':'s1','route':'/all','on_actions':['stay'],'message':1},"
     "{'name':'s2','route':'A','on_actions':['stay'],'message':2},"
     "{'name':'s3','route':'/all','on_actions':['stay'],'on_triggers':['ok'],'message':3},"
     "{'name':'s4','route':'A','on_actions':['stay'],'on_triggers':['ok'],'message':4}]}," ONE_MESSAGE "}",
     "r:STAY@tape/A => [\"A\"] s1@tape=1 s3@tape=3 s2@tape=2 s4@tape=4"},
    {"compat: a sender without filters runs although the message was dropped",
     "{'agent':{'mode':'compat','tape':{'start':['A']},'hooks':[{'direction':'receive','drop':true}],"
     "'receivers':[{'name':'r','route':'A','do':'stay'}],'senders':[{'name':'s','route':'Q','message':1}]},"
     ONE_MESSAGE "}",
     "dropped => [\"A\"] s@null=1"},
};
/* clang-format on */

static void runs_as_written(void **state)
{
    const row *r = *state;
    mt_arena a = {0};
    for (int answers = AG_FORWARD; answers <= AG_SHUFFLED; answers++) {
        mt_buf got = {0};
        summary_of(&a, trace_of(&a, r->scenario, (ag_answers)answers), &got);
        assert_string_equal(got.ptr, r->want);
        mt_buf_free(&got);
    }
    mt_arena_free(&a);
}

static void the_trace_names_mode_profile_rules_and_what_is_compared(void **state)
{
    (void)state;
    static const char *const NEEDED[] = {
        "\"mode\":\"profile\"",  "\"profile\":\"summoner-standard-profile/0.1\"",
        "\"tape_rule\":\"add\"", "\"order\":",
        "\"nondeterminism\":[]", "\"compared\":["};
    mt_arena a = {0};
    mt_str trace =
        trace_of(&a, "{'agent':{'tape':{'rule':'add'},'receivers':[]},'messages':[]}",
                 AG_FORWARD);
    for (size_t i = 0; i < sizeof NEEDED / sizeof *NEEDED; i++) {
        assert_non_null(strstr(trace.ptr, NEEDED[i]));
    }
    mt_arena_free(&a);
}

static void two_runs_give_the_same_bytes(void **state)
{
    (void)state;
    mt_arena a = {0};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        mt_str once = trace_of(&a, ROWS[i].scenario, AG_FORWARD);
        assert_string_equal(once.ptr, trace_of(&a, ROWS[i].scenario, AG_FORWARD).ptr);
        assert_string_equal(once.ptr, trace_of(&a, ROWS[i].scenario, AG_REVERSE).ptr);
        assert_string_equal(once.ptr, trace_of(&a, ROWS[i].scenario, AG_SHUFFLED).ptr);
    }
    mt_arena_free(&a);
}

int main(void)
{
    struct CMUnitTest tests[64];
    size_t count = 0;
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        union {
            const void *in;
            void *out;
        } u = {&ROWS[i]};
        tests[count++] =
            (struct CMUnitTest){ROWS[i].name, runs_as_written, NULL, NULL, u.out};
    }
    const struct CMUnitTest rest[] = {
        cmocka_unit_test(the_trace_names_mode_profile_rules_and_what_is_compared),
        cmocka_unit_test(two_runs_give_the_same_bytes),
    };
    tests[count++] = rest[0];
    tests[count++] = rest[1];
    return _cmocka_run_group_tests("cycle", tests, count, NULL, NULL);
}
