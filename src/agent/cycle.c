/* agent/cycle.c - see cycle.h: the stages of one message.
 *
 *   hooks in, one after the other
 *   receivers, one priority group after the other
 *   tape
 *   senders, all at once
 *   hooks out, one after the other per emission
 *
 * The engine never calls a handler. ag_cycle_due() says which calls are due, the host
 * answers them in any order and any time (ag_cycle_answer()), and when all of a batch
 * are answered the next comes. So handlers may run side by side, and the result does
 * not depend on which was faster.
 *
 * Invariants: receivers and senders see the tape before the message; the profile
 * changes it once, after the last group, compat mode after each; a limit that is met
 * ends the message as if it had never come (`over_limit`), with the tape unchanged.
 * Answers for another batch or a second time are refused.
 *
 * A failing hook drops the message (profile) or passes it on (compat); a failing
 * receiver counts as not run. Everything a message needs is in one arena, reset when
 * the next begins; answers are borrowed until then. */
#include "agent/cycle_impl.h"

#include <stdlib.h>

#include "base/utf8.h"

ag_cycle *ag_cycle_new(const ag_program *p, ag_tape *tape)
{
    ag_cycle *c = mt_xmalloc(sizeof *c);
    memset(c, 0, sizeof *c);
    c->p = p;
    c->tape = tape;
    c->stage = AG_STAGE_OVER;
    return c;
}

void ag_cycle_free(ag_cycle *c)
{
    if (c) {
        mt_arena_free(&c->arena);
        free(c->answered);
        free(c->seen);
        free(c);
    }
}

#define FORGET(v) memset(&(v), 0, sizeof(v))

/* Everything of the last message is forgotten, its record included: whoever needs it
 * has copied it. The message is borrowed until the next begin. */
void ag_cycle_begin(ag_cycle *c, const ag_message *message)
{
    mt_arena_reset(&c->arena);
    FORGET(c->calls);
    FORGET(c->hooks_in);
    FORGET(c->hooks_out);
    FORGET(c->activations);
    FORGET(c->batches);
    FORGET(c->deltas);
    FORGET(c->candidates);
    FORGET(c->sends);
    FORGET(c->emissions);
    FORGET(c->arms);
    c->message = *message;
    c->payload = message->payload;
    c->stage = AG_STAGE_HOOKS_IN;
    c->fate = AG_FINISHED;
    c->limit = NULL;
    c->hook_at = c->next = c->pending = 0;
    c->sent = NULL;
}

/* ---- many messages ---- */

static mt_json text_item(mt_str text)
{
    return (mt_json){
        .type = MT_JSON_STRING, .count = (uint32_t)text.len, .as.text = text.ptr};
}

static uint32_t characters(mt_json *items, mt_str text)
{
    uint32_t count = 0;
    size_t len;
    for (size_t i = 0; i < text.len; i += len) {
        mt_utf8_decode(text.ptr + i, &len);
        items[count++] = text_item(mt_str_from(text.ptr + i, len));
    }
    return count;
}

const mt_json *ag_many(mt_arena *a, ag_mode mode, const mt_json *answer,
                       const char **failed)
{
    if (mode == AG_PROFILE || !answer || mt_json_is(answer, MT_JSON_NULL) ||
        mt_json_is(answer, MT_JSON_ARRAY)) {
        return answer;
    }
    if (mt_json_is(answer, MT_JSON_NUMBER) || mt_json_is(answer, MT_JSON_BOOL)) {
        *failed = "a sender that may send many returned neither a list nor text";
        return NULL;
    }
    mt_json *list = mt_new(a, mt_json);
    mt_json *items = mt_new_array(a, mt_json, answer->count);
    uint32_t count = answer->count;
    if (mt_json_is(answer, MT_JSON_STRING)) {
        count = characters(items, mt_json_text(answer));
    }
    for (uint32_t i = 0; mt_json_is(answer, MT_JSON_OBJECT) && i < count; i++) {
        items[i] = text_item(answer->as.members[i].key);
    }
    *list = (mt_json){.type = MT_JSON_ARRAY, .count = count, .as.items = items};
    return list;
}

/* ---- making calls ---- */

static void start_calls(ag_cycle *c)
{
    c->calls.len = 0;
    c->pending = 0;
}

/* Ids count from zero in every batch; an answer for another batch is refused by its
 * id. */
static ag_call *add_call(ag_cycle *c, ag_call_kind kind, uint32_t index)
{
    ag_call *call = mt_vec_add(&c->arena, &c->calls);
    memset(call, 0, sizeof *call);
    call->id = c->pending++;
    call->kind = kind;
    call->index = index;
    call->payload = c->payload;
    if (c->pending > c->answered_cap) {
        c->answered_cap = c->pending * 2;
        c->answered = mt_xrealloc(c->answered, c->answered_cap);
    }
    c->answered[call->id] = 0;
    return call;
}

static void over(ag_cycle *c, ag_fate fate)
{
    c->fate = fate;
    c->stage = AG_STAGE_OVER;
}

/* Compat: senders that wait for nothing run although the message was dropped. */
static void begin_senders(ag_cycle *c)
{
    ag_cycle_select(c);
    c->stage = AG_STAGE_SENDERS;
    c->next = 0;
    c->sent = mt_new_array(&c->arena, const mt_json *, c->sends.len);
    for (uint32_t i = 0; i < c->sends.len; i++) {
        const ag_send *s = &c->sends.items[i];
        ag_call *call = add_call(c, AG_CALL_SENDER, s->sender);
        call->key = s->key;
        if (s->activation != UINT32_MAX) {
            call->cause = &c->activations.items[s->activation].event;
            call->cause_index = c->activations.items[s->activation].receiver;
            call->state = c->activations.items[s->activation].state;
        }
    }
}

static void drop(ag_cycle *c, ag_fate fate)
{
    over(c, fate);
    if (c->p->agent->mode == AG_COMPAT) {
        begin_senders(c);
    }
}

static void begin_receivers(ag_cycle *c)
{
    c->stage = AG_STAGE_RECEIVERS;
    c->next = 0;
    if (!ag_cycle_collect(c)) {
        c->activations.len = 0;
        over(c, AG_OVER_LIMIT);
    }
}

static uint32_t batch_of(const ag_cycle *c, uint32_t activation)
{
    return c->p->places[c->activations.items[activation].receiver].batch;
}

/* Receivers of one batch are called together and see the same tape, whatever order they
 * answer in. */
static void call_batch(ag_cycle *c)
{
    uint32_t first = c->next, batch = batch_of(c, first);
    for (; c->next < c->activations.len && batch_of(c, c->next) == batch; c->next++) {
        const ag_activation *x = &c->activations.items[c->next];
        ag_call *call = add_call(c, AG_CALL_RECEIVER, x->receiver);
        call->key = x->key;
        call->state = x->state;
    }
    mt_vec_push(&c->arena, &c->batches, ((ag_batch){first, c->next - first}));
}

/* Profile: one update after the last group; compat: one after each. */
static bool update_tape(ag_cycle *c)
{
    if (c->p->agent->mode == AG_PROFILE) {
        return ag_cycle_apply(c, 0, (uint32_t)c->activations.len);
    }
    for (size_t i = 0; i < c->batches.len && !c->p->agent->flow_off; i++) {
        ag_batch b = c->batches.items[i];
        if (!ag_cycle_apply(c, b.first, b.count)) {
            return false;
        }
    }
    return true;
}

static void after_receivers(ag_cycle *c)
{
    if (update_tape(c)) {
        begin_senders(c);
    } else {
        over(c, AG_OVER_LIMIT);
    }
}

/* Beyond the limit the rest is left out and the record names the limit; what was
 * emitted before stays. */
static void add_emission(ag_cycle *c, uint32_t send, const mt_json *payload)
{
    if (!payload || mt_json_is(payload, MT_JSON_NULL)) {
        return;
    }
    if (c->emissions.len == c->p->limits.agent_emissions) {
        c->limit = "agent_emissions";
        return;
    }
    mt_vec_push(&c->arena, &c->emissions, ((ag_emission){send, 0, 0, payload}));
}

/* A list from a sender that may send many is one emission for each item. */
static void begin_hooks_out(ag_cycle *c)
{
    for (uint32_t i = 0; i < c->sends.len; i++) {
        ag_send *send = &c->sends.items[i];
        bool multi = c->p->agent->senders[send->sender].multi;
        const mt_json *result =
            multi ? ag_many(&c->arena, c->p->agent->mode, c->sent[i], &send->failed)
                  : c->sent[i];
        bool list = multi && mt_json_is(result, MT_JSON_ARRAY);
        for (uint32_t k = 0; list && k < result->count; k++) {
            add_emission(c, i, &result->as.items[k]);
        }
        if (!list) {
            add_emission(c, i, result);
        }
    }
    c->stage = AG_STAGE_HOOKS_OUT;
    c->next = c->hook_at = 0;
}

static void call_hook_in(ag_cycle *c)
{
    const ag_agent *agent = c->p->agent;
    if (agent->mode == AG_COMPAT && !agent->receiver_count) {
        drop(c, AG_DROPPED); /* nobody reads it, so no hook sees it either */
    } else if (c->hook_at < c->p->hook_count[AG_RECEIVE]) {
        add_call(c, AG_CALL_RECEIVE_HOOK, c->p->hooks[AG_RECEIVE][c->hook_at++]);
    } else {
        begin_receivers(c);
    }
}

/* One hook after the other, then the next emission; what a hook dropped skips the
 * rest. */
static void call_hook_out(ag_cycle *c)
{
    uint32_t hooks = c->p->hook_count[AG_SEND];
    while (c->next < c->emissions.len &&
           (c->hook_at == hooks || !c->emissions.items[c->next].payload)) {
        c->next++;
        c->hook_at = 0;
        if (!hooks) {
            c->next = (uint32_t)c->emissions.len;
        }
    }
    if (c->next == c->emissions.len) {
        c->stage = AG_STAGE_OVER;
        return;
    }
    if (!c->hook_at) {
        c->emissions.items[c->next].hook_at = (uint32_t)c->hooks_out.len;
    }
    ag_call *call = add_call(c, AG_CALL_SEND_HOOK, c->p->hooks[AG_SEND][c->hook_at++]);
    call->payload = c->emissions.items[c->next].payload;
}

/* The state machine of §6: hooks in, batches of receivers, senders, hooks out. It goes
 * on until calls are open or the cycle is over; 0 is the end. Calling again while
 * answers are missing gives the same calls. */
uint32_t ag_cycle_due(ag_cycle *c, const ag_call **calls)
{
    if (!c->pending) {
        start_calls(c);
    }
    while (!c->pending && c->stage != AG_STAGE_OVER) {
        switch (c->stage) {
        case AG_STAGE_HOOKS_IN: call_hook_in(c); break;
        case AG_STAGE_RECEIVERS:
            if (c->next < c->activations.len) {
                call_batch(c);
            } else {
                after_receivers(c);
            }
            break;
        case AG_STAGE_SENDERS: begin_hooks_out(c); break;
        case AG_STAGE_HOOKS_OUT: call_hook_out(c); break;
        case AG_STAGE_OVER: break;
        }
    }
    *calls = c->calls.items;
    return c->pending ? (uint32_t)c->calls.len : 0;
}

/* ---- taking answers ---- */

/* The payload to go on with. A failing hook drops (profile) or passes (compat). */
static const mt_json *hook_result(const ag_cycle *c, const ag_call *call,
                                  const ag_answer *answer)
{
    if (!answer->failed) {
        return answer->payload;
    }
    return c->p->agent->mode == AG_COMPAT ? call->payload : NULL;
}

static void hooked_in(ag_cycle *c, const ag_call *call, const ag_answer *answer)
{
    c->payload = hook_result(c, call, answer);
    mt_vec_push(&c->arena, &c->hooks_in,
                ((ag_hook_record){call->index, !c->payload, answer->failed}));
    if (!c->payload) {
        start_calls(c);
        drop(c, answer->failed ? AG_HOOK_FAILED : AG_DROPPED);
    }
}

static void hooked_out(ag_cycle *c, const ag_call *call, const ag_answer *answer)
{
    ag_emission *e = &c->emissions.items[c->next];
    e->payload = hook_result(c, call, answer);
    e->hooks++;
    mt_vec_push(&c->arena, &c->hooks_out,
                ((ag_hook_record){call->index, !e->payload, answer->failed}));
}

static void received(ag_cycle *c, const ag_call *call, const ag_answer *answer)
{
    ag_activation *x =
        &c->activations.items[c->batches.items[c->batches.len - 1].first + call->id];
    x->event = answer->event;
    x->failed = answer->failed;
    if (answer->failed) {
        x->event = (ag_event){0};
    }
}

static void sent(ag_cycle *c, const ag_call *call, const ag_answer *answer)
{
    c->sends.items[call->id].failed = answer->failed;
    c->sent[call->id] = answer->failed ? NULL : answer->payload;
}

/* The call is copied first: what an answer leads to may grow the list it stands in. */
void ag_cycle_answer(ag_cycle *c, uint32_t id, const ag_answer *answer)
{
    if (id >= c->calls.len || c->answered[id] || !c->pending) {
        return; /* late or twice: the first answer counts */
    }
    const ag_call call = c->calls.items[id];
    c->answered[id] = 1;
    c->pending--;
    switch (call.kind) {
    case AG_CALL_RECEIVE_HOOK: hooked_in(c, &call, answer); break;
    case AG_CALL_RECEIVER: received(c, &call, answer); break;
    case AG_CALL_SENDER: sent(c, &call, answer); break;
    case AG_CALL_SEND_HOOK: hooked_out(c, &call, answer); break;
    }
}

/* Answers come in the order of the calls here; the result is the same in any other
 * (§8). */
void ag_cycle_run(ag_cycle *c, const ag_message *message, ag_handler *handler,
                  void *host)
{
    const ag_call *calls;
    uint32_t count;
    ag_cycle_begin(c, message);
    while ((count = ag_cycle_due(c, &calls))) {
        for (uint32_t i = 0; i < count; i++) {
            ag_answer answer = {0};
            handler(host, &calls[i], &answer);
            ag_cycle_answer(c, i, &answer);
        }
    }
}

/* ---- results ---- */

ag_fate ag_cycle_fate(const ag_cycle *c)
{
    return c->fate;
}

uint32_t ag_cycle_emissions(const ag_cycle *c)
{
    uint32_t kept = 0;
    for (size_t i = 0; i < c->emissions.len; i++) {
        kept += c->emissions.items[i].payload != NULL;
    }
    return kept;
}

const mt_json *ag_cycle_emission(const ag_cycle *c, uint32_t i)
{
    for (size_t k = 0; k < c->emissions.len; k++) {
        if (c->emissions.items[k].payload && i-- == 0) {
            return c->emissions.items[k].payload;
        }
    }
    return NULL;
}

#define COUNT(v) (uint32_t)(v).len

/* A view, valid until the next ag_cycle_begin(). Indexes in it are those of the agent's
 * registrations. */
ag_record ag_cycle_record(const ag_cycle *c)
{
    return (ag_record){
        .receive_hooks = c->hooks_in.items,
        .send_hooks = c->hooks_out.items,
        .activations = c->activations.items,
        .batches = c->batches.items,
        .deltas = c->deltas.items,
        .sends = c->sends.items,
        .emissions = c->emissions.items,
        .arms = c->arms.items,
        .receive_hook_count = COUNT(c->hooks_in),
        .send_hook_count = COUNT(c->hooks_out),
        .activation_count = COUNT(c->activations),
        .batch_count = COUNT(c->batches),
        .delta_count = COUNT(c->deltas),
        .send_count = COUNT(c->sends),
        .emission_count = COUNT(c->emissions),
        .arm_count = COUNT(c->arms),
        .limit = c->limit,
    };
}
