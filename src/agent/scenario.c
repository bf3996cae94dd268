/* agent/scenario.c - see scenario.h. Diagnostics have codes AG3xx. */
#include "agent/scenario.h"

#include "agent/trace.h"
#include "agent/value.h"

mt_str ag_scenario_agent(const mt_json *tree)
{
    const mt_json *agent = mt_json_at(tree, "agent");
    return mt_json_is(agent, MT_JSON_STRING) ? mt_json_text(agent) : MT_STR("");
}

typedef struct reading {
    mt_arena *a;
    mt_str name, text;
    mt_diags *ds;
} reading;

static void complain(reading *r, const char *code, const mt_json *at,
                     const char *message, const char *hint)
{
    mt_diag d = {.severity = MT_ERROR,
                 .code = code,
                 .pass = -1,
                 .file = r->name,
                 .message = mt_str_z(message),
                 .hint = mt_str_z(hint)};
    if (at && r->text.ptr) {
        mt_json_place(r->text, at->offset, &d.line, &d.column);
    }
    mt_diag_add(r->ds, &d);
}

static void check_messages(reading *r, const mt_json *list)
{
    if (!mt_json_is(list, MT_JSON_ARRAY)) {
        complain(r, "AG301", list, "`messages` must be a list", "");
        return;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const mt_json *m = &list->as.items[i];
        if (!mt_json_at(m, "content") && !mt_json_at(m, "payload")) {
            complain(r, "AG302", m, "a message has `content` or `payload`",
                     "`{from: alice, content: {text: hello}}`");
        }
    }
}

/* A seed, mode or tape of the scenario's own stands in for the agent file's. */
static const mt_json *overridden(reading *r, const mt_json *tree, const mt_json *agent)
{
    mt_json *out = mt_new(r->a, mt_json);
    const mt_json *mode = mt_json_at(tree, "mode"), *seed = mt_json_at(tree, "seed");
    const mt_json *tape = mt_json_at(tree, "tape");
    *out = *agent;
    if (mode) {
        *out = ag_with_member(r->a, out, MT_STR("mode"), mode);
    }
    if (seed) {
        *out = ag_with_member(r->a, out, MT_STR("seed"), seed);
    }
    if (tape) {
        mt_json given = ag_object_value(NULL, 0);
        const mt_json *own = mt_json_at(agent, "tape");
        given = own ? *own : given;
        for (uint32_t i = 0; i < tape->count && mt_json_is(tape, MT_JSON_OBJECT); i++) {
            given = ag_with_member(r->a, &given, tape->as.members[i].key,
                                   &tape->as.members[i].value);
        }
        *out = ag_with_member(r->a, out, MT_STR("tape"), &given);
    }
    return out;
}

static void check_keys(reading *r, const mt_json *tree)
{
    static const char *const KEYS[] = {"scenario", "agent",    "mode", "tape",
                                       "seed",     "messages", "note"};
    for (uint32_t i = 0; i < tree->count; i++) {
        size_t k = 0;
        while (k < 7 && !mt_str_eq(mt_str_z(KEYS[k]), tree->as.members[i].key)) {
            k++;
        }
        if (k == 7) {
            complain(r, "AG303", &tree->as.members[i].value,
                     "a scenario has no such key",
                     "scenario, agent, mode, tape, seed, messages, note");
        }
    }
}

mt_err ag_scenario_read(mt_arena *a, mt_str name, mt_str text, const mt_json *tree,
                        mt_str agent_name, mt_str agent_text, const mt_json *agent_tree,
                        mt_diags *ds, ag_scenario *out)
{
    reading r = {a, name, text, ds};
    size_t before = ds->errors;
    memset(out, 0, sizeof *out);
    if (!mt_json_is(tree, MT_JSON_OBJECT)) {
        complain(&r, "AG300", tree, "a scenario is an object",
                 "it has an agent and messages");
        return MT_E_REJECTED;
    }
    check_keys(&r, tree);
    out->name = mt_json_text(mt_json_at(tree, "scenario"));
    out->messages = mt_json_at(tree, "messages");
    check_messages(&r, out->messages);
    if (!agent_tree) {
        agent_tree = mt_json_at(tree, "agent");
        agent_name = name;
        agent_text = text;
    }
    if (!agent_tree) {
        complain(&r, "AG304", tree, "the scenario names no `agent`",
                 "write it inside, or give the path of its file");
        return MT_E_REJECTED;
    }
    mt_err err = ag_file_read(a, agent_name, agent_text,
                              overridden(&r, tree, agent_tree), ds, &out->file);
    return ds->errors > before ? MT_E_REJECTED : err;
}

/* --- running
 * -------------------------------------------------------------------------------------
 */

static mt_json *payload_of(mt_arena *a, const mt_json *message)
{
    const mt_json *whole = mt_json_at(message, "payload");
    const mt_json *from = mt_json_at(message, "from");
    if (whole) {
        return ag_payload(a, AG_NULL_KEY, whole);
    }
    return ag_payload(a, from ? mt_json_text(from) : MT_STR("127.0.0.1:1"),
                      mt_json_at(message, "content"));
}

/* Which of the calls that are due is answered `at`-th. 7919 is prime, so the steps
 * visit each once unless it divides the count. */
static uint32_t turn(ag_answers answers, uint32_t at, uint32_t count)
{
    switch (answers) {
    case AG_FORWARD: return at;
    case AG_REVERSE: return count - 1 - at;
    case AG_SHUFFLED:
        return count % 7919 ? (uint32_t)(((uint64_t)at * 7919 + 13) % count) : at;
    }
    return at;
}

typedef struct show {
    const ag_scenario *s;
    ag_actor *x;
    ag_answers answers;
    ag_handler *outside;
    void *host;
} show;

static void answer_call(const show *w, const ag_call *call)
{
    ag_answer answer;
    if (!ag_actor_answer(w->x, call, &answer)) {
        answer.failed = w->outside ? NULL : "no handler process";
        if (w->outside) {
            w->outside(w->host, call, &answer);
        }
    }
    ag_cycle_answer(ag_actor_cycle(w->x), call->id, &answer);
}

static void run_message(const show *w, mt_arena *a, uint32_t number, mt_buf *out)
{
    const mt_json *payload = payload_of(a, &w->s->messages->as.items[number - 1]);
    const ag_call *calls;
    uint32_t count;
    ag_cycle *c = ag_actor_cycle(w->x);
    ag_actor_begin(w->x, payload);
    mt_str before = ag_trace_tape(a, ag_actor_tape(w->x));
    while ((count = ag_cycle_due(c, &calls))) {
        for (uint32_t i = 0; i < count; i++) {
            answer_call(w, &calls[turn(w->answers, i, count)]);
        }
    }
    ag_trace_message(out, number, before, ag_actor_program(w->x), c,
                     ag_actor_tape(w->x));
    ag_actor_end(w->x);
}

void ag_scenario_run(const ag_scenario *s, const mt_limits *limits, ag_answers answers,
                     ag_handler *outside, void *host, mt_buf *out)
{
    mt_arena a = {0};
    show w = {s, ag_actor_new(&s->file, limits), answers, outside, host};
    ag_trace_begin(out, &s->file.agent, s->file.shape);
    for (uint32_t i = 0; i < s->messages->count; i++) {
        mt_arena_reset(&a);
        run_message(&w, &a, i + 1, out);
    }
    ag_trace_end(out, ag_actor_tape(w.x), s->messages->count);
    ag_actor_free(w.x);
    mt_arena_free(&a);
}
