/* agent/cycle.h - one message through hooks, receivers, tape and senders.
 * Room: agent. May include base/ only.
 * The cycle calls nobody itself: it says which calls are due, in order, and takes the
 * answers in any order. What it then does depends only on the answers. ag_cycle_run()
 * is the driver for handlers that answer at once.
 *     ag_cycle_begin(c, message);
 *     while ((n = ag_cycle_due(c, &calls)))       one stage
 *         for each call: ag_cycle_answer(c, call->id, &answer);
 *     ag_cycle_emission(c, i) ...
 * Ownership: a cycle is reused for many messages; what it holds lives until the next
 * begin. Payloads are borrowed and must live as long. One thread at a time. */
#ifndef AG_CYCLE_H
#define AG_CYCLE_H

#include "agent/tape.h"

typedef struct ag_event {
    ag_action action; /* AG_NONE: the receiver returned nothing */
    mt_str trigger;
    const mt_json *data; /* NULL: none */
} ag_event;

typedef enum ag_call_kind {
    AG_CALL_RECEIVE_HOOK,
    AG_CALL_RECEIVER,
    AG_CALL_SENDER,
    AG_CALL_SEND_HOOK
} ag_call_kind;

typedef struct ag_call {
    uint32_t id; /* answer with this */
    ag_call_kind kind;
    uint32_t index;         /* of the registration among its kind */
    mt_str key;             /* receivers, senders; AG_NULL_KEY for initial routes */
    mt_str state;           /* receivers: what made it eligible; empty when initial */
    const mt_json *payload; /* message; send hooks: the emission */
    const ag_event *cause;  /* senders: the receiver's answer; NULL for a tick */
    uint32_t cause_index;   /* senders: index of that receiver */
} ag_call;

typedef struct ag_answer {
    const char *failed;     /* static or arena text: why the handler failed; NULL: did
                               not */
    const mt_json *payload; /* hooks: what to go on with, NULL: drop. Senders: the
                               message, NULL: none; a list for `multi` */
    ag_event event;         /* receivers */
} ag_answer;

typedef struct ag_cycle ag_cycle;

/* Program and tape are borrowed; the tape is changed by every message. */
ag_cycle *ag_cycle_new(const ag_program *p, ag_tape *tape);
void ag_cycle_free(ag_cycle *c);

typedef struct ag_message {
    const mt_json *payload;
    const mt_str *only_key; /* the tape's other keys do not take part; NULL: all do */
} ag_message;

/* Starts a message. A cycle that was under way is forgotten. */
void ag_cycle_begin(ag_cycle *c, const ag_message *message);
/* The calls of the next stage: a hook, a priority group of receivers, the senders, a
 * send hook. 0: the cycle is over. Asking again before all are answered returns the
 * same calls. */
uint32_t ag_cycle_due(ag_cycle *c, const ag_call **calls);
/* The answer of call `id` of the batch that is due; it is borrowed until the next
 * message begins. */
void ag_cycle_answer(ag_cycle *c, uint32_t id, const ag_answer *answer);

/* Synchronous handlers. `answer` is zeroed before the call. */
typedef void ag_handler(void *host, const ag_call *call, ag_answer *answer);
/* All of it at once, with a handler that answers each call. */
void ag_cycle_run(ag_cycle *c, const ag_message *message, ag_handler *handler,
                  void *host);

/* Why a message went no further. */
typedef enum ag_fate { AG_FINISHED, AG_DROPPED, AG_HOOK_FAILED, AG_OVER_LIMIT } ag_fate;
ag_fate ag_cycle_fate(const ag_cycle *c);

/* What came out: messages to send, in order. */
uint32_t ag_cycle_emissions(const ag_cycle *c);
/* What is to be sent, after all hooks; NULL: a hook dropped it. */
const mt_json *ag_cycle_emission(const ag_cycle *c, uint32_t i);

/* The record, for traces. Arrays live until the next begin. */
typedef struct ag_hook_record {
    uint32_t hook;
    bool dropped; /* it answered null */
    const char *failed;
} ag_hook_record;

typedef struct ag_activation {
    uint32_t receiver;
    ag_symbol symbol;
    uint32_t slot; /* of the tape */
    uint32_t gate; /* index of the (first) accepting gate */
    uint32_t order;
    mt_str key, state;
    ag_event event;
    const char *failed;
} ag_activation;

typedef struct ag_emission {
    uint32_t send;    /* index into sends */
    uint32_t hook_at; /* first of its hook records */
    uint32_t hooks;
    const mt_json *payload; /* after the hooks; NULL: dropped */
} ag_emission;

typedef struct ag_send {
    uint32_t sender;
    uint32_t activation; /* UINT32_MAX: a tick */
    mt_str key;
    const char *failed;
} ag_send;

/* A timed sender that an outcome arms instead of calling it now (timers.h). */
typedef struct ag_arm {
    uint32_t sender, activation; /* whose clock is set, and by which activation */
} ag_arm;

typedef struct ag_delta {
    mt_str key;
    mt_str *added, *removed; /* canonical texts, in order */
    uint32_t added_count, removed_count;
} ag_delta;

/* compat: what each priority group handed to download. */
typedef struct ag_batch {
    uint32_t first, count; /* activations */
} ag_batch;

typedef struct ag_record {
    const ag_hook_record *receive_hooks, *send_hooks;
    const ag_activation *activations;
    const ag_batch *batches;
    const ag_delta *deltas; /* keys that a receiver ran on and that changed */
    const ag_send *sends;
    const ag_emission *emissions; /* dropped ones too */
    const ag_arm *arms;           /* in order of activations; one may be there twice */
    uint32_t receive_hook_count, send_hook_count, activation_count, batch_count,
        delta_count, send_count, emission_count, arm_count;
    const char *limit; /* name of the limit that was hit, NULL */
} ag_record;

/* What the last message did; good until the next one begins. */
ag_record ag_cycle_record(const ag_cycle *c);

/* What a `multi` sender answered, as a list where it is many messages. Compat goes
 * through it as Python does: the characters of text, the keys of an object; of what
 * has no parts *failed says so and the answer is NULL. */
const mt_json *ag_many(mt_arena *a, ag_mode mode, const mt_json *answer,
                       const char **failed);

/* Does the sender's filter let the event through? An absent filter lets everything
 * through, an empty one nothing. (Compat: a sender of which no filter lists anything
 * does not wait for events and is never asked.) */
bool ag_sender_matches(ag_mode mode, const ag_sender *s, const ag_event *event);

#endif
