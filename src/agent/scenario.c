/* agent/scenario.c - see scenario.h.
 *
 * Reading: the scenario by its table, its messages, then the agent it holds or names,
 * with the scenario's own mode, seed and tape in place of the agent's. Running: one
 * message after the other through one actor, every stage answered before the next.
 * INVARIANT: the trace does not depend on the order in which handlers answer.
 * May fail: reading only, by reporting (codes AG3xx, and the agent file's AG1xx). */
#include "agent/scenario.h"

#include "agent/document.h"
#include "agent/trace.h"
#include "agent/value.h"

mt_str ag_scenario_agent(const mt_json *tree)
{
    const mt_json *agent = mt_json_at(tree, "agent");
    return mt_json_is(agent, MT_JSON_STRING) ? mt_json_text(agent) : MT_STR("");
}

typedef struct draft {
    const mt_json *name, *agent, *mode, *seed, *tape, *messages;
} draft;

/* Read where a message is sent; here for whoever asks about the form. */
typedef struct draft_message {
    const mt_json *from, *content, *payload;
} draft_message;
static const mt_form_row MESSAGE_ROWS[] = {
    MT_FORM_ANY(draft_message, from, "from", 0),
    MT_FORM_ANY(draft_message, content, "content", 0),
    MT_FORM_ANY(draft_message, payload, "payload", 0),
};
static const mt_form_table MESSAGE =
    MT_FORM_TABLE("a message", MESSAGE_ROWS, draft_message, NULL);

static const mt_form_row SCENARIO[] = {
    MT_FORM_ANY(draft, name, "scenario", 0),
    MT_FORM_ANY(draft, agent, "agent", 0),
    MT_FORM_ANY(draft, mode, "mode", 0), /* these three are checked as the agent's */
    MT_FORM_ANY(draft, seed, "seed", 0),
    MT_FORM_ANY(draft, tape, "tape", 0),
    MT_FORM_LIST_OF(draft, messages, "messages", &MESSAGE, 0, UINT32_MAX,
                    MT_FORM_REQUIRED),
    MT_FORM_NOTE("note"),
};
const mt_form_table AG_SCENARIO_FORM =
    MT_FORM_TABLE("a scenario", SCENARIO, draft, NULL);

static const char *code_of(const mt_form_fault *fault)
{
    return fault->wrong == MT_FORM_UNKNOWN_KEY ? "AG303" : "AG301";
}

static void check_messages(ag_document *doc, const mt_json *list)
{
    for (uint32_t i = 0; list && i < list->count; i++) {
        const mt_json *m = &list->as.items[i];
        if (!mt_json_at(m, "content") && !mt_json_at(m, "payload")) {
            ag_complain(doc, "AG302", m, MT_STR("a message has `content` or `payload`"),
                        "`{from: alice, content: {text: hello}}`");
        }
    }
}

/* A seed, mode or tape of the scenario's own stands in for the agent file's. The agent
 * itself: nothing does. */
static const mt_json *overridden(mt_arena *a, const draft *d, const mt_json *agent)
{
    if (!d->mode && !d->seed && !d->tape) {
        return agent;
    }
    mt_json *out = mt_new(a, mt_json);
    const mt_json *tape = d->tape;
    *out = *agent;
    if (d->mode) {
        *out = ag_with_member(a, out, MT_STR("mode"), d->mode);
    }
    if (d->seed) {
        *out = ag_with_member(a, out, MT_STR("seed"), d->seed);
    }
    if (tape) {
        const mt_json *own = mt_json_at(agent, "tape");
        mt_json given = own ? *own : ag_object_value(NULL, 0);
        for (uint32_t i = 0; mt_json_is(tape, MT_JSON_OBJECT) && i < tape->count; i++) {
            given = ag_with_member(a, &given, tape->as.members[i].key,
                                   &tape->as.members[i].value);
        }
        *out = ag_with_member(a, out, MT_STR("tape"), &given);
    }
    return out;
}

/* The agent is either inside, or a file whose tree the caller has read; faults in it
 * are reported with its own name and lines. */
mt_err ag_scenario_read(mt_arena *a, mt_str name, mt_str text, const mt_json *tree,
                        mt_str agent_name, mt_str agent_text, const mt_json *agent_tree,
                        mt_diags *ds, ag_scenario *out)
{
    ag_document doc = {a, name, text, ds, code_of, "docs/agents.md lists the keys"};
    mt_form form = ag_form(&doc, "a scenario");
    draft d = {0};
    size_t before = ds->errors;
    memset(out, 0, sizeof *out);
    if (!mt_json_is(tree, MT_JSON_OBJECT)) {
        ag_complain(&doc, "AG300", tree, MT_STR("a scenario is an object"),
                    "it has an agent and messages");
        return MT_E_REJECTED;
    }
    mt_form_read(&form, tree, SCENARIO, mt_form_count(SCENARIO), &d);
    out->name = mt_json_text(d.name);
    out->messages = d.messages;
    check_messages(&doc, out->messages);
    if (!agent_tree) {
        agent_tree = d.agent;
        agent_name = name;
        agent_text = text;
    }
    if (!agent_tree) {
        ag_complain(&doc, "AG304", tree, MT_STR("the scenario names no `agent`"),
                    "write it inside, or give the path of its file");
        return MT_E_REJECTED;
    }
    const mt_json *whole = overridden(a, &d, agent_tree);
    if (whole != agent_tree && agent_text.ptr != text.ptr) {
        /* What is wrong with the agent alone is in its file; what is wrong then, here.
         */
        mt_err err =
            ag_file_read(a, agent_name, agent_text, agent_tree, ds, &out->file);
        if (err) {
            return err;
        }
        agent_name = name;
        agent_text = text;
    }
    mt_err err = ag_file_read(a, agent_name, agent_text, whole, ds, &out->file);
    return ds->errors > before ? MT_E_REJECTED : err;
}

/* ---- Running ---- */

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

/* The order of answers is the caller's choice, to show that the trace does not depend
 * on it. */
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

/* The trace is the same for the same scenario whatever `answers` is (§8); tests compare
 * the bytes. */
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
