/* agent/ticks.c - timed senders at work.
 * Room: agent.
 * One run goes through all senders in their order. A clock that has just begun to run
 * is set; one that is due fires, unless the host has no room, and is set anew from now,
 * so that missed ticks are never caught up; one that no longer runs stands at 0. To
 * fire is: ask the actor for the calls, get the message of each (declarative first,
 * else from outside), take a list apart, lead each item through the send hooks, emit.
 *
 * INVARIANT: due_ms is 0 exactly while a clock stands. What fails is told to the host
 * and costs that message alone; nothing here fails by itself. */
#include "agent/ticks.h"

#include <stdlib.h>

struct ag_ticks {
    const ag_file *file;
    ag_actor *actor;
    uint32_t *send_hooks; /* in the order they run */
    uint32_t send_hook_count;
    int64_t *due_ms; /* of each sender; timed ones only */
};

typedef struct ticking {
    ag_ticks *t;
    mt_arena *scratch;
    const ag_tick_host *host;
} ticking;

ag_ticks *ag_ticks_new(const ag_file *file, ag_actor *actor)
{
    const ag_agent *agent = &file->agent;
    ag_ticks *t = mt_xmalloc(sizeof *t);
    size_t clocks = mt_array_bytes(agent->sender_count + 1u, sizeof(int64_t));
    *t = (ag_ticks){.file = file, .actor = actor};
    t->send_hooks =
        mt_xmalloc(mt_array_bytes(agent->hook_count + 1u, sizeof(uint32_t)));
    t->send_hook_count = ag_hook_order(agent->mode, agent->hooks, agent->hook_count,
                                       AG_SEND, t->send_hooks);
    t->due_ms = mt_xmalloc(clocks);
    memset(t->due_ms, 0, clocks);
    return t;
}

void ag_ticks_free(ag_ticks *t)
{
    if (t) {
        free(t->send_hooks);
        free(t->due_ms);
        free(t);
    }
}

/* For messages of timed senders, which have no cycle: the same hooks in the same
 * order. Declarative first, else who is outside. */
static const mt_json *through_hooks(const ticking *k, const mt_json *payload)
{
    for (uint32_t i = 0; payload && i < k->t->send_hook_count; i++) {
        ag_call call = {.kind = AG_CALL_SEND_HOOK,
                        .index = k->t->send_hooks[i],
                        .payload = payload};
        ag_answer answer = {0};
        if (!ag_actor_answer(k->t->actor, &call, &answer)) {
            k->host->call(k->host->state, &call, &answer);
        }
        if (answer.failed) {
            k->host->failed(k->host->state, "a send hook", answer.failed);
        }
        payload = answer.failed ? NULL : answer.payload;
    }
    return payload;
}

/* A handler outside is asked only for data that its sender wants. */
static void answer_tick(const ticking *k, const ag_call *call, ag_answer *answer)
{
    if (!ag_actor_answer(k->t->actor, call, answer)) {
        ag_call asked = *call;
        bool gated = k->t->file->agent.senders[call->index].gated;
        asked.key = gated ? call->key : AG_NULL_KEY; /* a clock has no key */
        memset(answer, 0, sizeof *answer);
        k->host->call(k->host->state, &asked, answer);
    }
}

/* NULL: it has nothing to say, or failed, which is not the same to the host. */
static const mt_json *tick_message(const ticking *k, const ag_call *call)
{
    if (!k->t->file->senders[call->index].group) {
        return ag_actor_tick(k->t->actor, call);
    }
    ag_answer answer = {0};
    answer_tick(k, call, &answer);
    if (answer.failed) {
        k->host->failed(k->host->state, "a timed sender", answer.failed);
    }
    return answer.failed ? NULL : answer.payload;
}

/* A list from a sender that may send many is one message for each item. */
static void fire_once(const ticking *k, const ag_call *call)
{
    const ag_agent *agent = &k->t->file->agent;
    const ag_sender *sender = &agent->senders[call->index];
    k->host->begin(k->host->state);
    const mt_json *message = tick_message(k, call);
    bool many = sender->multi;
    if (many) {
        const char *failed = NULL;
        message = ag_many(k->scratch, agent->mode, message, &failed);
        many = mt_json_is(message, MT_JSON_ARRAY);
        if (failed) {
            k->host->failed(k->host->state, "a timed sender", NULL);
        }
    }
    uint32_t count = many ? message->count : message ? 1 : 0;
    for (uint32_t i = 0; i < count; i++) {
        const mt_json *out = through_hooks(k, many ? &message->as.items[i] : message);
        if (out) {
            k->host->emit(k->host->state, sender, out);
        }
    }
}

static void fire(const ticking *k, uint32_t sender)
{
    const ag_call *calls;
    uint32_t count = ag_actor_tick_begin(k->t->actor, sender, &calls);
    for (uint32_t i = 0; i < count; i++) {
        fire_once(k, &calls[i]);
    }
    ag_actor_tick_end(k->t->actor, sender);
}

/* When a clock that has just begun to run is due: at once, and one that fires once
 * after its time. */
static void set_clock(ag_ticks *t, uint32_t sender, int64_t now_ms)
{
    const ag_sender *s = &t->file->agent.senders[sender];
    if (!t->due_ms[sender]) {
        t->due_ms[sender] = now_ms + (s->once ? (int64_t)s->every_ms : 0);
    }
}

int64_t ag_ticks_run(ag_ticks *t, int64_t now_ms, mt_arena *scratch,
                     const ag_tick_host *host, bool *fired)
{
    const ag_agent *agent = &t->file->agent;
    ticking k = {t, scratch, host};
    int64_t next = -1;
    *fired = false;
    for (uint32_t i = 0; i < agent->sender_count; i++) {
        if (ag_actor_ticks(t->actor, i)) {
            set_clock(t, i, now_ms);
        }
        if (ag_actor_ticks(t->actor, i) && now_ms >= t->due_ms[i]) {
            if (!host->full || !host->full(host->state)) {
                fire(&k, i);
                *fired = true;
            }
            /* Missed ticks are not caught up. */
            t->due_ms[i] = now_ms + (int64_t)agent->senders[i].every_ms;
        }
        if (!ag_actor_ticks(t->actor, i)) {
            t->due_ms[i] = 0; /* its clock stands */
            continue;
        }
        int64_t left = t->due_ms[i] - now_ms;
        next = next < 0 || left < next ? left : next;
    }
    return next;
}
