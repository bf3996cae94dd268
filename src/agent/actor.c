/* agent/actor.c - an agent file at work: program, tape, memory; see agent_file.h.
 *
 * Order of one message: ag_actor_begin() finds the key and gives a new key its start
 * states; the cycle asks for handlers in batches; each call is answered by the first
 * rule that holds (ag_actor_answer()) or by the host where a handler is a process;
 * ag_actor_end() writes what was remembered, arms timers and starts again what was
 * left empty.
 *
 * Rules read the memory as it was before the message's receivers (or senders) ran;
 * what they remember is written after the stage, in the order of the calls, so the
 * order in which handlers answer changes nothing.
 *
 * Invariants: memory of a key is an object of its own arena, replaced as a whole when
 * it changes; the one before lives on until the next message, since answers may show
 * it. Entropy (`fresh`) depends on agent, message and call alone, so a replay draws
 * the same.
 *
 * ag_actor_save() and ag_actor_load() are the whole durable state: tape, memory, armed
 * timers, number of messages. What may fail: loading (MT_E_SYNTAX, MT_E_TYPE,
 * MT_E_LIMIT); everything else is decided by the cycle. An actor belongs to one
 * thread. */
#include <stdlib.h>

#include "agent/agent_file.h"
#include "agent/template.h"
#include "agent/timers.h"
#include "agent/value.h"
#include "base/map.h"
#include "base/vec.h"

/* One key's memory: an object in an arena of its own, replaced when it changes. What a
 * call was answered with may still point into the one before, so that lives on until
 * the next message. */
typedef struct record {
    mt_str key;
    mt_arena arena;
    mt_json value;
    uint64_t writing; /* in which it came to be */
} record;

typedef struct effect {
    uint32_t batch, call, rank; /* order of writing */
    mt_str key, field;
    mt_json value;
    int64_t add; /* `count`: add to the field instead */
    bool counts;
} effect;

struct ag_actor {
    const ag_file *file;
    ag_program *program;
    ag_tape *tape;
    ag_cycle *cycle;
    ag_timers *timers;
    ag_verifier *verifier; /* NULL: anybody's messages are taken */
    uint32_t timed_lost;   /* data of the last message that timers had no room for */
    mt_arena ticking;      /* of the tick that is under way */
    MT_VEC(ag_call) tick_calls;
    mt_arena arena; /* of the current message */
    uint64_t messages;
    mt_str key; /* of the message; ptr NULL: none */
    bool keyed;
    bool receivers_written; /* what receivers remember is in the memory */
    MT_VEC(effect) effects;
    MT_VEC(mt_arena) retired; /* of memory that answers of this message may show */
    uint64_t writing;         /* number of the last run of write_effects() */
    mt_arena keep;            /* keys of the records */
    mt_map index;             /* key to record + 1 */
    record *records;
    size_t record_count, record_cap; /* memory by key */
};

/* `file` is borrowed and has to outlive the actor. A tape with a key is not started
 * here: each key gets its start states with its first message. */
ag_actor *ag_actor_new(const ag_file *file, const mt_limits *limits)
{
    ag_actor *x = mt_xmalloc(sizeof *x);
    memset(x, 0, sizeof *x);
    x->file = file;
    x->program = ag_program_new(&file->agent, limits);
    x->tape = ag_tape_new(x->program, file->shape);
    x->cycle = ag_cycle_new(x->program, x->tape);
    x->timers = ag_timers_new(&file->agent, limits);
    x->verifier = file->identity ? ag_verifier_new(file->identity) : NULL;
    if (file->start && !file->key.len) {
        ag_tape_read(x->tape, file->start);
    }
    return x;
}

/* Forgets the message before. */
static void begin_anew(ag_actor *x)
{
    for (size_t i = 0; i < x->retired.len; i++) {
        mt_arena_free(&x->retired.items[i]);
    }
    memset(&x->retired, 0, sizeof x->retired);
    memset(&x->effects, 0, sizeof x->effects);
    mt_arena_reset(&x->arena);
    x->keyed = false;
}

/* begin_anew() frees the retired memories, which are owned by the current message and
 * not by a record. */
void ag_actor_free(ag_actor *x)
{
    if (!x) {
        return;
    }
    begin_anew(x);
    for (size_t i = 0; i < x->record_count; i++) {
        mt_arena_free(&x->records[i].arena);
    }
    free(x->records);
    ag_timers_free(x->timers);
    ag_verifier_free(x->verifier);
    ag_cycle_free(x->cycle);
    ag_tape_free(x->tape);
    ag_program_free(x->program);
    mt_arena_free(&x->arena);
    mt_arena_free(&x->ticking);
    mt_arena_free(&x->keep);
    free(x);
}

const ag_program *ag_actor_program(const ag_actor *x)
{
    return x->program;
}

ag_tape *ag_actor_tape(ag_actor *x)
{
    return x->tape;
}

ag_cycle *ag_actor_cycle(ag_actor *x)
{
    return x->cycle;
}

/* ---- memory ---- */

/* A key that never remembered anything shows the memory the file begins with. */
static const mt_json *memory_of(const ag_actor *x, mt_str key)
{
    uintptr_t at = mt_map_get(&x->index, key, 0);
    return at ? &x->records[at - 1].value : x->file->memory;
}

/* Made when a key first remembers something. */
static record *record_of(ag_actor *x, mt_str key)
{
    uintptr_t at = mt_map_get(&x->index, key, 0);
    if (at) {
        return &x->records[at - 1];
    }
    if (x->record_count == x->record_cap) {
        x->record_cap = x->record_cap ? x->record_cap * 2 : 8;
        x->records = mt_xrealloc(x->records, x->record_cap * sizeof *x->records);
    }
    record *r = &x->records[x->record_count++];
    *r = (record){.key = mt_str_dup(&x->keep, key)};
    r->value = x->file->memory ? ag_copy_value(&r->arena, x->file->memory)
                               : ag_object_value(NULL, 0);
    mt_map_put(&x->keep, &x->index, r->key, x->record_count);
    return r;
}

/* Answers of this message may still show the old value, so it is retired and not
 * freed. */
static void replace_memory(ag_actor *x, record *r, const mt_json *value)
{
    mt_arena fresh = {0};
    mt_json copy = ag_copy_value(&fresh, value);
    if (r->writing == x->writing) { /* nobody has seen it yet */
        mt_arena_free(&r->arena);
    } else {
        mt_vec_push(&x->arena, &x->retired, r->arena);
    }
    r->arena = fresh;
    r->value = copy;
    r->writing = x->writing;
}

/* The order of calls, not of answers: handlers may answer in any order, and what is
 * remembered must not depend on it (§8). */
static int by_call(const void *a, const void *b)
{
    const effect *x = a, *y = b;
    if (x->batch != y->batch) {
        return x->batch < y->batch ? -1 : 1;
    }
    if (x->call != y->call) {
        return x->call < y->call ? -1 : 1;
    }
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* In the order of the calls, whatever order they were answered in; counters add to
 * what is there then. */
static void write_effects(ag_actor *x)
{
    x->writing++;
    if (x->effects.len) {
        qsort(x->effects.items, x->effects.len, sizeof *x->effects.items, by_call);
    }
    for (size_t i = 0; i < x->effects.len; i++) {
        const effect *e = &x->effects.items[i];
        record *r = record_of(x, e->key);
        mt_json value = e->value;
        if (e->counts) {
            int64_t old = 0, sum;
            mt_json_i64(mt_json_get(&r->value, e->field), &old);
            if (__builtin_add_overflow(old, e->add, &sum)) {
                sum = old;
            }
            value = ag_i64_value(&x->arena, sum);
        }
        mt_json changed = ag_with_member(&x->arena, &r->value, e->field, &value);
        replace_memory(x, r, &changed);
    }
    x->effects.len = 0;
}

/* ---- one message ---- */

const char *ag_actor_verify(ag_actor *x, mt_arena *a, const ag_inbound *in,
                            int64_t now_ms, mt_str *signer)
{
    *signer = (mt_str){0};
    return x->verifier ? ag_verify(x->verifier, a, in, now_ms, signer) : NULL;
}

static ag_scope scope_for(const ag_actor *x, const mt_json *message)
{
    return (ag_scope){.message = message, .agent = x->file->agent.name};
}

/* The key is taken from the payload as it arrived, before hooks may change it. */
static void find_key(ag_actor *x, const mt_json *payload)
{
    ag_scope scope = scope_for(x, payload);
    const mt_json *found = ag_lookup(&x->arena, &scope, x->file->key);
    x->keyed = true;
    x->key = mt_json_is(found, MT_JSON_STRING) ? mt_json_text(found) : AG_NULL_KEY;
}

/* A key that is new, or was left empty, gets the start states of the file. */
static void set_start(ag_actor *x, mt_str key)
{
    const mt_json *start = x->file->start;
    mt_str *texts;
    size_t count = 1;
    if (mt_json_is(start, MT_JSON_ARRAY)) {
        count = start->count;
        texts = mt_new_array(&x->arena, mt_str, count);
        for (size_t i = 0; i < count; i++) {
            texts[i] = mt_json_text(&start->as.items[i]);
        }
    } else {
        texts = mt_new_array(&x->arena, mt_str, 1);
        texts[0] = mt_json_text(start);
    }
    ag_tape_set(x->tape, key, texts, count);
}

/* ORDER: what the last message left is dropped first, so answers of it must not be used
 * any longer. Only the key's own cells take part when the tape has one. */
void ag_actor_begin(ag_actor *x, const mt_json *payload)
{
    begin_anew(x);
    x->messages++;
    x->receivers_written = false;
    x->key = AG_NULL_KEY;
    if (x->file->key.len) {
        find_key(x, payload);
        if (x->key.ptr && x->file->start && !ag_tape_has(x->tape, x->key)) {
            set_start(x, x->key);
        }
    }
    ag_cycle_begin(x->cycle, &(ag_message){.payload = payload,
                                           .only_key = x->keyed ? &x->key : NULL});
}

/* The memory a call reads and writes: its message's key, or its own. */
static mt_str memory_key(const ag_actor *x, const ag_call *call)
{
    mt_str key = x->keyed ? x->key : call->key;
    return key.ptr ? key : MT_STR("");
}

/* The same for the same agent, message and call, and for nothing else. */
static mt_str entropy_of(ag_actor *x, const ag_call *call)
{
    return mt_strf(&x->arena, "%.*s|%.*s|%llu|%d|%u|%u|%.*s|%.*s",
                   MT_ARG(x->file->seed), MT_ARG(x->file->agent.name),
                   (unsigned long long)x->messages, (int)call->kind, call->index,
                   call->id, MT_ARG(call->key), MT_ARG(call->state));
}

/* What a rule may see: the message, its key's memory before the stage, and what caused
 * the call. */
static ag_scope scope_of(ag_actor *x, const ag_call *call)
{
    ag_scope s = scope_for(x, call->payload);
    s.memory = memory_of(x, memory_key(x, call));
    s.key = x->keyed ? x->key : call->key;
    s.state = call->state;
    s.entropy = entropy_of(x, call);
    if (call->cause) {
        s.data = call->cause->data;
        s.action = call->cause->action;
        s.trigger = call->cause->trigger;
    }
    return s;
}

static void add_effect(ag_actor *x, const ag_call *call, mt_str field, effect e)
{
    e.batch = ag_cycle_record(x->cycle).batch_count;
    e.call = call->id;
    e.rank = (uint32_t)x->effects.len;
    e.key = memory_key(x, call);
    e.field = field;
    mt_vec_push(&x->arena, &x->effects, e);
}

/* Rendered now, written after the stage. */
static void remember(ag_actor *x, const ag_call *call, ag_scope *s, const mt_json *rule)
{
    const mt_json *fields = mt_json_at(rule, "remember");
    for (uint32_t i = 0; fields && i < fields->count; i++) {
        const mt_json_member *m = &fields->as.members[i];
        add_effect(x, call, m->key,
                   (effect){.value = ag_render(&x->arena, s, &m->value)});
    }
    const mt_json *counts = mt_json_at(rule, "count");
    for (uint32_t i = 0; counts && i < counts->count; i++) {
        effect e = {.counts = true};
        mt_json_i64(&counts->as.members[i].value, &e.add);
        add_effect(x, call, counts->as.members[i].key, e);
    }
}

static const mt_json *first_rule(ag_actor *x, ag_scope *s, const mt_json *rules)
{
    for (uint32_t i = 0; i < rules->count; i++) {
        if (ag_holds(&x->arena, s, mt_json_at(&rules->as.items[i], "when"))) {
            return &rules->as.items[i];
        }
    }
    return NULL;
}

static const mt_json *rendered(ag_actor *x, ag_scope *s, const mt_json *template)
{
    mt_json *out = mt_new(&x->arena, mt_json);
    *out = ag_render(&x->arena, s, template);
    return out;
}

static void answer_receiver(ag_actor *x, ag_scope *s, const mt_json *rule,
                            ag_answer *answer)
{
    const mt_json *data = mt_json_at(rule, "data"),
                  *trigger = mt_json_at(rule, "trigger");
    ag_action_from(mt_json_text(mt_json_at(rule, "do")), &answer->event.action);
    answer->event.trigger = trigger ? mt_json_text(trigger) : MT_STR("ok");
    answer->event.data = data ? rendered(x, s, data) : NULL;
}

/* The payload with members of its content set. */
static const mt_json *with_fields(ag_actor *x, ag_scope *s, const mt_json *payload,
                                  const mt_json *fields)
{
    const mt_json *inner = mt_json_at(payload, "content");
    mt_json content = *(inner ? inner : payload), *out = mt_new(&x->arena, mt_json);
    for (uint32_t i = 0; i < fields->count; i++) {
        mt_json value = ag_render(&x->arena, s, &fields->as.members[i].value);
        content =
            ag_with_member(&x->arena, &content, fields->as.members[i].key, &value);
    }
    *out = inner ? ag_with_member(&x->arena, payload, MT_STR("content"), &content)
                 : content;
    return out;
}

/* drop, replace, set: the first that the rule has. */
static void answer_hook(ag_actor *x, ag_scope *s, const ag_call *call,
                        const mt_json *rule, ag_answer *answer)
{
    const mt_json *drop = mt_json_at(rule, "drop"), *set = mt_json_at(rule, "set"),
                  *replace = mt_json_at(rule, "replace");
    answer->payload = call->payload;
    if (drop && drop->boolean) {
        answer->payload = NULL;
    } else if (replace) {
        answer->payload = rendered(x, s, replace);
    } else if (set) {
        answer->payload = with_fields(x, s, call->payload, set);
    }
}

static const ag_binding *binding_for(const ag_file *f, const ag_call *call)
{
    switch (call->kind) {
    case AG_CALL_RECEIVER: return &f->receivers[call->index];
    case AG_CALL_SENDER: return &f->senders[call->index];
    case AG_CALL_RECEIVE_HOOK:
    case AG_CALL_SEND_HOOK: break;
    }
    return &f->hooks[call->index];
}

static void answer_sender(ag_actor *x, ag_scope *s, const mt_json *rule,
                          ag_answer *answer)
{
    const mt_json *message = mt_json_at(rule, "message");
    if (message) {
        answer->payload = rendered(x, s, message);
    } else {
        answer->payload = s->data; /* use_data without a template: the data itself */
    }
}

/* A rule that fails on purpose is for testing what then happens. */
static void answer_by_rule(ag_actor *x, const ag_call *call, ag_scope *s,
                           const mt_json *rule, ag_answer *answer)
{
    const mt_json *fail = mt_json_at(rule, "fail");
    if (fail) {
        answer->failed = mt_str_dup(&x->arena, mt_json_text(fail)).ptr;
        return;
    }
    if (call->kind == AG_CALL_RECEIVER) {
        answer_receiver(x, s, rule, answer);
    } else if (call->kind == AG_CALL_SENDER) {
        answer_sender(x, s, rule, answer);
    } else {
        answer_hook(x, s, call, rule, answer);
    }
    remember(x, call, s, rule);
}

/* Does the sender want data like these? */
static bool is_about(ag_actor *x, const ag_call *call)
{
    const mt_json *wanted = x->file->agent.senders[call->index].when_data;
    ag_scope s = scope_of(x, call);
    return !wanted || ag_holds(&x->arena, &s, wanted);
}

/* False: the call belongs to a handler process; the caller asks it. Receivers' memory
 * is written when the first sender is called: senders see what all receivers of the
 * message remembered, receivers see none of it. */
bool ag_actor_answer(ag_actor *x, const ag_call *call, ag_answer *answer)
{
    const ag_binding *b = binding_for(x->file, call);
    memset(answer, 0, sizeof *answer);
    if (call->kind == AG_CALL_SENDER && !x->receivers_written) {
        x->receivers_written = true;
        write_effects(x);
    }
    if (call->kind == AG_CALL_SENDER && !is_about(x, call)) {
        return true; /* nothing to say, and nobody to ask */
    }
    if (b->group) {
        return false;
    }
    ag_scope s = scope_of(x, call);
    const mt_json *rule = first_rule(x, &s, b->rules);
    if (rule) {
        answer_by_rule(x, call, &s, rule, answer);
    } else if (call->kind != AG_CALL_RECEIVER && call->kind != AG_CALL_SENDER) {
        answer->payload = call->payload;
    }
    return true;
}

/* A message that was dropped or hit a limit arms nothing, as it changes nothing. */
static void arm_timers(ag_actor *x)
{
    x->timed_lost = 0;
    if (ag_cycle_fate(x->cycle) == AG_FINISHED) {
        ag_record done = ag_cycle_record(x->cycle);
        x->timed_lost = ag_timers_arm(x->timers, &done);
    }
}

uint32_t ag_actor_timed_lost(const ag_actor *x)
{
    return x->timed_lost;
}

/* Keys the message's receivers left empty start again. */
void ag_actor_end(ag_actor *x)
{
    write_effects(x);
    arm_timers(x);
    if (!x->file->reset_when_empty || !x->file->start) {
        return;
    }
    if (x->keyed) {
        size_t count;
        ag_tape_states(x->tape, &x->arena, x->key, &count);
        if (!count && x->key.ptr) {
            set_start(x, x->key);
        }
    } else if (!ag_tape_size(x->tape)) {
        ag_tape_read(x->tape, x->file->start);
    }
}

/* For hosts without concurrency. A handler outside that nobody can ask fails its call,
 * which is an outcome and not an error of the cycle. */
void ag_actor_calls(ag_actor *x, ag_handler *outside, void *host)
{
    const ag_call *calls;
    uint32_t count;
    while ((count = ag_cycle_due(x->cycle, &calls))) {
        for (uint32_t i = 0; i < count; i++) {
            ag_answer answer;
            if (!ag_actor_answer(x, &calls[i], &answer)) {
                answer.failed = "no handler process";
                if (outside) {
                    answer.failed = NULL;
                    outside(host, &calls[i], &answer);
                }
            }
            ag_cycle_answer(x->cycle, calls[i].id, &answer);
        }
    }
}

void ag_actor_run(ag_actor *x, const mt_json *payload, ag_handler *outside, void *host)
{
    ag_actor_begin(x, payload);
    ag_actor_calls(x, outside, host);
    ag_actor_end(x);
}

/* ---- timed senders ---- */

bool ag_actor_ticks(const ag_actor *x, uint32_t sender)
{
    const ag_agent *agent = &x->file->agent;
    const ag_sender *s = &agent->senders[sender];
    return s->every_ms && !ag_timer_done(x->timers, sender) &&
           (!ag_sender_waits(agent, s) || ag_timer_armed(x->timers, sender));
}

/* No message, so no key: on a tape with keys a tick sees the memory of the null key, on
 * one without the memory that receivers have, too. */
static ag_call tick_call(const ag_actor *x, uint32_t sender)
{
    return (ag_call){.kind = AG_CALL_SENDER,
                     .index = sender,
                     .key = ag_shape_indexed(x->file->shape) ? AG_NULL_KEY : AG_LIST};
}

static void add_tick(ag_actor *x, ag_call call)
{
    call.id = (uint32_t)x->tick_calls.len;
    mt_vec_push(&x->ticking, &x->tick_calls, call);
}

/* The first state of the key that a source of the sender's route accepts; ptr NULL:
 * none does. */
static mt_str state_on_route(ag_actor *x, const ag_route *route, mt_str key)
{
    size_t count;
    ag_mode mode = x->file->agent.mode;
    const mt_str *states = ag_tape_states(x->tape, &x->ticking, key, &count);
    for (size_t i = 0; i < count; i++) {
        ag_node state;
        bool read = !ag_node_parse(&x->ticking, mode, states[i], &state, NULL);
        for (uint32_t k = 0; read && k < route->count[AG_SOURCE]; k++) {
            if (ag_accepts(mode, &route->nodes[k], &state)) {
                return states[i];
            }
        }
    }
    return (mt_str){0};
}

/* A call for each key that is on the route, with that key's memory. A route without a
 * source is not gated by anything. */
static void add_gated(ag_actor *x, uint32_t sender)
{
    const ag_route *route = &x->file->agent.senders[sender].route;
    size_t count;
    const mt_str *keys = ag_tape_key_list(x->tape, &x->ticking, &count);
    if (!route->count[AG_SOURCE]) {
        add_tick(x, tick_call(x, sender));
        return;
    }
    for (size_t i = 0; i < count; i++) {
        ag_call call = tick_call(x, sender);
        call.key = keys[i];
        call.state = state_on_route(x, route, keys[i]);
        if (call.state.ptr) {
            add_tick(x, call);
        }
    }
}

static void add_causes(ag_actor *x, uint32_t sender)
{
    const ag_event *causes;
    uint32_t count = ag_timer_waiting(x->timers, sender, &causes);
    for (uint32_t i = 0; i < count; i++) {
        ag_call call = tick_call(x, sender);
        call.cause = &causes[i];
        add_tick(x, call);
    }
}

/* A condition that is true or false needs no scope. Evaluating one begins a message of
 * its own, so answers of the message before are gone afterwards. */
static bool runs_on(ag_actor *x, const ag_call *call)
{
    const mt_json *condition = x->file->agent.senders[call->index].run_while;
    if (mt_json_is(condition, MT_JSON_BOOL)) {
        return condition->boolean;
    }
    begin_anew(x);
    ag_scope s = scope_of(x, call);
    return ag_holds(&x->arena, &s, condition);
}

/* Leaves the calls whose condition holds; how many there were. */
static uint32_t keep_those_that_run(ag_actor *x)
{
    uint32_t kept = 0, count = (uint32_t)x->tick_calls.len;
    for (uint32_t i = 0; i < count; i++) {
        if (runs_on(x, &x->tick_calls.items[i])) {
            x->tick_calls.items[kept++] = x->tick_calls.items[i];
        }
    }
    x->tick_calls.len = kept;
    return count;
}

/* A condition that no longer holds also disarms a sender that waits, so what it waited
 * with is not sent later. One that is gated and finds no key keeps waiting. */
uint32_t ag_actor_tick_begin(ag_actor *x, uint32_t sender, const ag_call **calls)
{
    const ag_agent *agent = &x->file->agent;
    const ag_sender *s = &agent->senders[sender];
    bool waits = ag_sender_waits(agent, s), of_data = waits && s->use_data;
    mt_arena_reset(&x->ticking);
    memset(&x->tick_calls, 0, sizeof x->tick_calls);
    if (s->gated) {
        add_gated(x, sender);
    } else {
        add_tick(x, tick_call(x, sender));
    }
    uint32_t before = keep_those_that_run(x);
    if (before && !x->tick_calls.len && waits) {
        ag_timer_disarm(x->timers, sender);
    } else if (of_data) {
        x->tick_calls.len = 0;
        add_causes(x, sender);
    }
    *calls = x->tick_calls.items;
    return (uint32_t)x->tick_calls.len;
}

void ag_actor_tick_end(ag_actor *x, uint32_t sender)
{
    ag_timer_told(x->timers, sender);
    if (x->file->agent.senders[sender].once && x->tick_calls.len) {
        ag_timer_fired(x->timers, sender);
    }
}

/* NULL: the handler failed, or is outside. A tick is a message without a payload: it
 * changes the memory and never the tape. */
const mt_json *ag_actor_tick(ag_actor *x, const ag_call *call)
{
    ag_answer answer;
    begin_anew(x);
    x->messages++;
    if (!ag_actor_answer(x, call, &answer) || answer.failed) {
        return NULL;
    }
    write_effects(x);
    return answer.payload;
}

/* ---- saving ---- */

/* Everything that outlives a message; what happens after a crash is decided by whether
 * these bytes were committed. Records stand in the order they were made, so that the
 * same history gives the same bytes. */
void ag_actor_save(const ag_actor *x, mt_buf *out)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "agent", x->file->agent.name);
    if (ag_timers_any_armed(x->timers)) {
        mt_jw_keyz(&w, "armed");
        ag_timers_save(x->timers, &w);
    }
    if (ag_timers_any_done(x->timers)) {
        mt_jw_keyz(&w, "fired");
        ag_timers_save_done(x->timers, &w);
    }
    mt_jw_keyz(&w, "memory");
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < x->record_count; i++) {
        mt_jw_begin_array(&w);
        mt_jw_str(&w, x->records[i].key);
        mt_jw_json(&w, &x->records[i].value);
        mt_jw_end_array(&w);
    }
    mt_jw_end_array(&w);
    mt_jw_key_i64(&w, "messages", (int64_t)x->messages);
    if (x->verifier && ag_verifier_has_any(x->verifier)) {
        mt_jw_keyz(&w, "peers");
        ag_verifier_save(x->verifier, &w);
    }
    mt_jw_keyz(&w, "tape");
    ag_tape_save(x->tape, &w);
    mt_jw_end_object(&w);
}

/* Written by ag_actor_save(); another form is refused as a whole. */
static mt_err load_memory(ag_actor *x, const mt_json *memory)
{
    for (uint32_t i = 0; i < memory->count; i++) {
        const mt_json *row = &memory->as.items[i];
        if (!mt_json_is(row, MT_JSON_ARRAY) || row->count != 2 ||
            !mt_json_is(&row->as.items[0], MT_JSON_STRING) ||
            !mt_json_is(&row->as.items[1], MT_JSON_OBJECT)) {
            return MT_E_SYNTAX;
        }
        replace_memory(x, record_of(x, mt_json_text(&row->as.items[0])),
                       &row->as.items[1]);
    }
    return MT_OK;
}

/* Into a fresh actor. On an error it is half loaded and has to be freed. A saved state
 * of another shape is refused (MT_E_TYPE) instead of being bent. */
mt_err ag_actor_load(ag_actor *x, const mt_json *saved)
{
    int64_t messages;
    const mt_json *memory = mt_json_at(saved, "memory");
    if (!mt_json_is(memory, MT_JSON_ARRAY) ||
        mt_json_i64(mt_json_at(saved, "messages"), &messages) || messages < 0) {
        return MT_E_SYNTAX;
    }
    mt_err err = ag_tape_load(x->tape, mt_json_at(saved, "tape"));
    if (!err) {
        err = load_memory(x, memory);
    }
    if (!err) {
        err = ag_timers_load(x->timers, mt_json_at(saved, "armed"));
    }
    if (!err) {
        err = ag_timers_load_done(x->timers, mt_json_at(saved, "fired"));
    }
    if (!err && x->verifier) {
        err = ag_verifier_load(x->verifier, mt_json_at(saved, "peers"));
    }
    if (!err) {
        x->messages = (uint64_t)messages;
    }
    return err;
}
