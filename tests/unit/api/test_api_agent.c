/* Agents through motet.h: what is wrong with a file is said by its code, and an actor
 * with a clock of its own says what it has to, tick by tick. */
#include <stdio.h>

#include "../rows.h"
#include "base/json_read.h"

#include <motet.h>

static motet_str str(const char *text)
{
    return (motet_str){text, strlen(text)};
}

/* ---- files ---- */

#define HEAD "agent: a\n"
#define DNA                                                                            \
    "{\"format\":\"motet-agent-dna/2\",\"profile\":\"summoner-standard-profile/0.1\","
#define HOOK(direction)                                                                \
    "{\"kind\":\"hook\",\"function\":\"h\",\"module\":\"m\",\"priority\":[],"          \
    "\"direction\":\"" direction "\",\"behaviour\":{\"rules\":[{\"drop\":true}]}}"

/* clang-format off */
static const struct file_row {
    const char *name, *file, *text, *message; /* the first; "": it is taken */
} FILES[] = {
    {"a receiver without a route", "a.yaml", HEAD "receivers: [{name: r, do: move}]\n", "AG111: a `route` is missing"},
    {"a tape rule that is none", "a.yaml", HEAD "tape: {shape: many, rule: keep}\n", "AG142: `rule` names no tape rule"},
    {"a tape rule", "a.yaml", HEAD "tape: {shape: many, rule: add}\n", ""},
    {"a tape shape that is none", "a.yaml", HEAD "tape: {shape: odd}\n", "AG141: `shape` names no tape shape"},
    {"a receiver that is a number", "a.yaml", HEAD "receivers: [7]\n", "AG1"},
    {"a template of nothing", "a.yaml", HEAD "senders: [{name: s, route: A, message: '{{}}'}]\n", "AG120"},
    {"an operator that takes a list", "a.yaml", HEAD "receivers: [{route: A, rules: [{when: {content: {in: a}}, do: move}]}]\n", "`in` takes a list"},
    {"an operator that takes a boolean", "a.yaml", HEAD "receivers: [{route: A, rules: [{when: {content: {exists: a}}, do: move}]}]\n", "`exists` takes a boolean"},
    {"an operator that is none", "a.yaml", HEAD "receivers: [{route: A, rules: [{when: {content: {over: 1}}, do: move}]}]\n", "`over` is not an operator"},
    {"a trigger that is not declared", "a.yaml", HEAD "triggers: {ok: {fine: null}}\nreceivers: [{name: r, route: A, do: move, trigger: good}]\n", "AG112: `good` is none of the agent's triggers"},
    {"a sender's trigger that is not declared", "a.yaml", HEAD "triggers: {ok: {fine: null}}\nsenders: [{name: s, route: A, on_triggers: [ok, good], message: hi}]\n", "AG112: `good` is none of the agent's triggers"},
    {"triggers that are declared", "a.yaml", HEAD "triggers: {ok: {fine: null}}\nsenders: [{name: s, route: A, on_triggers: [ok, fine], message: hi}]\n", ""},
    {"a trigger where none are declared", "a.yaml", HEAD "receivers: [{name: r, route: A, do: move, trigger: good}]\n", ""},
    {"documents of DNA", "a.json", DNA "\"registrations\":[]}", ""},
    {"another format", "a.json", "{\"format\":\"motet-agent-dna/9\",\"registrations\":[]}", "AG214: `format` must be motet-agent-dna/2"},
    {"another profile", "a.json", "{\"format\":\"motet-agent-dna/2\",\"profile\":\"x\",\"registrations\":[]}", "AG210: `profile` must be"},
    {"registrations that are no list", "a.json", DNA "\"registrations\":{}}", "AG211: `registrations` must be a list"},
    {"others that are no list", "a.json", DNA "\"others\":{},\"registrations\":[]}", "AG216: `others` must be a list"},
    {"another that is unknown", "a.json", DNA "\"others\":[{\"type\":\"x\"}],\"registrations\":[]}", "AG216: no such entry"},
    {"another that is known", "a.json", DNA "\"others\":[{\"type\":\"upload_states\"}],\"registrations\":[]}", ""},
    {"a kind that is unknown", "a.json", DNA "\"registrations\":[{\"kind\":\"x\"}]}", "AG209: `x` is not a kind of registration"},
    {"a registration that is a number", "a.json", DNA "\"registrations\":[1]}", "AG208: a registration is an object"},
    {"a hook that receives", "a.json", DNA "\"registrations\":[" HOOK("receive") "]}", ""},
    {"a hook that sends", "a.json", DNA "\"registrations\":[" HOOK("SEND") "]}", ""},
    {"a hook of another direction", "a.json", DNA "\"registrations\":[" HOOK("up") "]}", "AG207: a hook's direction is receive or send"},
    {"a style that is none", "a.json", DNA "\"registrations\":[],\"settings\":{\"styles\":[{\"stem\":\"\"}]}}", "AG218: this is not an arrow style"},
};

/* A step is R and a line that is received, or T and the time of a tick; what is sent
 * stands in `want`, a step in each line. */
static const struct talk_row {
    const char *name, *agent;
    const char *steps[10];
    const char *want;
} TALKS[] = {
    {"a timer", HEAD "tape: {start: [A]}\nsenders: [{name: s, route: A, every_ms: 100, message: hi}]\n",
     {"T0", "T99", "T100", "T150", "T200"}, "hi||hi||hi|"},
    {"a timer that fires once", HEAD "tape: {start: [A]}\nsenders: [{name: s, route: A, after_ms: 100, message: hi}]\n",
     {"T0", "T100", "T200", "T300"}, "|hi|||"},
    {"a timer for those on its route", HEAD
     "tape: {shape: index-many, key: content.from, start: [known]}\n"
     "receivers:\n"
     "  - {route: known --> invited, rules: [{when: {content.say: ask}, do: move, remember: {who: '{{content.from}}'}}, {do: stay}]}\n"
     "  - {route: invited --> here, rules: [{when: {content.say: here}, do: move}, {do: stay}]}\n"
     "senders: [{name: s, route: invited, every_ms: 100, gated: true, message: '{{memory.who}} {{key}} {{state}}'}]\n",
     {"T0", "R{\"from\":\"ann\",\"say\":\"ask\"}", "R{\"from\":\"bob\",\"say\":\"hello\"}", "T100", "R{\"from\":\"bob\",\"say\":\"ask\"}", "T200",
      "R{\"from\":\"ann\",\"say\":\"here\"}", "T300"},
     "|||ann ann invited||ann ann invited,bob bob invited||bob bob invited|"},
    {"a gated timer without a source", HEAD "tape: {start: [A]}\nsenders: [{name: s, route: '--> B', every_ms: 100, gated: true, message: hi}]\n",
     {"T0", "T100"}, "hi|hi|"},
    {"a timer of data", HEAD "tape: {start: [A]}\nreceivers: [{route: A, do: stay, data: '{{content}}'}]\n"
     "senders: [{name: s, route: A, on_actions: [stay], use_data: true, when_data: {data.price: {above: 90}}, every_ms: 100, message: '{{data.price}}'}]\n",
     {"T0", "R{\"price\":95}", "R{\"price\":5}", "R{\"price\":99}", "T200", "T300"}, "||||95,99||"},
    {"a timer while a condition holds", HEAD "memory: {n: 0}\ntape: {start: [A]}\nreceivers: [{route: A, do: stay, count: {n: 1}}]\n"
     "senders: [{name: s, route: A, on_actions: [stay], every_ms: 100, run_while: {memory.n: {below: 2}}, message: '{{memory.n}}'}]\n",
     {"T0", "R{}", "T200", "R{}", "T300", "T400"}, "||1||||"},
    {"a condition that failed disarms", HEAD "memory: {n: 0}\ntape: {start: [A]}\n"
     "receivers: [{route: A, rules: [{when: {content.say: reset}, do: move, remember: {n: 0}}, {do: stay, count: {n: 1}}]}]\n"
     "senders: [{name: s, route: A, on_actions: [stay], every_ms: 100, run_while: {memory.n: {below: 2}}, message: '{{memory.n}}'}]\n",
     {"T0", "R{}", "R{}", "T200", "R{\"say\":\"reset\"}", "T400", "R{}", "T600", "T700"}, "|||||||1|1|"},
    {"a hook that sets", HEAD "tape: {start: [A]}\nhooks: [{name: h, direction: receive, set: {x: 7, y: '{{content.x}}'}}]\n"
     "receivers: [{route: A, do: stay}]\nsenders: [{name: s, route: A, on_actions: [stay], message: '{{content.x}} {{content.y}} {{content.z}}'}]\n",
     {"R{\"x\":1,\"z\":3}"}, "7 1 3|"},
    {"a hook that replaces", HEAD "tape: {start: [A]}\nhooks: [{name: h, direction: send, replace: gone}]\n"
     "receivers: [{route: A, do: stay}]\nsenders: [{name: s, route: A, on_actions: [stay], message: hi}]\n",
     {"R{}"}, "gone|"},
    {"a key that starts again", HEAD "tape: {shape: index-single, key: content.from, start: A}\n"
     "receivers: [{route: 'A --> B', do: move, data: 1}, {route: 'B', do: stay}]\nsenders: [{name: s, route: '/all', message: '{{state}}'}]\n",
     {"R{\"from\":\"ann\"}"}, "A|"},
};
/* clang-format on */

static void is_read(void **state)
{
    const struct file_row *row = *state;
    motet_agent *a;
    motet_status status = motet_agent_load(str(row->text), row->file, &a);
    motet_str said = motet_agent_message(a, 0);
    if ((status == MOTET_OK) != !*row->message ||
        (*row->message &&
         !memmem(said.ptr, said.len, row->message, strlen(row->message)))) {
        fail_msg("%d: %.*s", status, (int)said.len, said.ptr);
    }
    motet_agent_free(a);
}

/* What is said in a step, a comma between the payloads. */
static void add_sent(mt_buf *out, motet_str sends)
{
    mt_arena a = {0};
    const char *gap = "";
    for (mt_str rest = mt_str_from(sends.ptr, sends.len); rest.len;) {
        mt_json line;
        mt_str text = mt_str_from(rest.ptr, mt_str_find(rest, '\n'));
        assert_int_equal(mt_json_read(&a, text, NULL, &line, NULL), MT_OK);
        mt_buf_addz(out, gap);
        mt_buf_adds(out, mt_json_text(mt_json_at(&line, "_payload")));
        rest = mt_str_skip(rest, text.len + 1);
        gap = ",";
    }
    mt_arena_free(&a);
}

static void talks(void **state)
{
    const struct talk_row *row = *state;
    motet_agent *a;
    motet_actor *x;
    mt_buf said = {0};
    motet_status loaded = motet_agent_load(str(row->agent), "a.yaml", &a);
    if (loaded) {
        fail_msg("%.*s", (int)motet_agent_message(a, 0).len,
                 motet_agent_message(a, 0).ptr);
    }
    assert_int_equal(motet_actor_new(a, NULL, &x), MOTET_OK);
    for (size_t i = 0; i < 10 && row->steps[i]; i++) {
        int64_t next;
        const char *step = row->steps[i] + 1;
        motet_status status = row->steps[i][0] == 'T'
                                  ? motet_actor_tick(x, atoi(step), &next)
                                  : motet_actor_receive(x, str(step), 0);
        assert_int_equal(status, MOTET_OK);
        add_sent(&said, motet_actor_sends(x));
        mt_buf_addc(&said, '|');
    }
    assert_text(mt_buf_str(&said), mt_str_z(row->want));
    mt_buf_free(&said);
    motet_actor_free(x);
    motet_agent_free(a);
}

int main(void)
{
    rows_list l = {0};
    rows_add(&l, FILES, is_read);
    rows_add(&l, TALKS, talks);
    return rows_run(&l, "api/agent");
}
