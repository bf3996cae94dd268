/* agent/agent_file.h - agents written as data: YAML or JSON.
 * Room: agent. May include base/ only.
 * Receivers, senders and hooks are declarative (rules on message fields, templates) or
 * name an external handler, which the host runs. docs/agents.md has the format.
 * Ownership: an agent file and all it points to live in the arena it was read into. */
#ifndef AG_AGENT_FILE_H
#define AG_AGENT_FILE_H

#include "agent/cycle.h"
#include "agent/identity.h"
#include "base/form.h"

/* How long a handler may take where its group does not say. */
enum { AG_HANDLER_MS = 1000 };

/* A child process that answers for a group of handlers, in JSON lines. */
typedef struct ag_group {
    mt_str name;
    const mt_str *command; /* program and arguments */
    uint32_t command_count;
    uint64_t time_limit_ms; /* per call */
    uint32_t restarts;      /* allowed before the group is given up */
} ag_group;

/* Who answers a registration. */
typedef struct ag_binding {
    const mt_json *rules;   /* declarative: list of rules; NULL: external */
    const mt_json *message; /* declarative sender: the template */
    const ag_group *group;  /* external */
    mt_str function;        /* its name there */
} ag_binding;

typedef struct ag_file {
    ag_agent agent;
    ag_shape shape;
    const mt_json *start;        /* start tape; NULL: empty */
    const mt_json *memory;       /* initial memory of each key; NULL: none */
    mt_str key;                  /* path to the message's tape key; empty: none */
    bool reset_when_empty;       /* put the start states back when a key runs empty */
    mt_str seed;                 /* of {{fresh}} */
    const ag_identity *identity; /* whose messages are taken; NULL: anybody's */
    const ag_group *groups;
    uint32_t group_count;
    const ag_binding *receivers, *senders, *hooks; /* beside agent.receivers, … */
} ag_file;

/* The keys of the file. */
extern const mt_form_table AG_FILE_FORM;

/* `tree` is the document, from base/json_read.h or base/yaml_read.h; `name` names it
 * in diagnostics. MT_E_REJECTED: see `ds`. */
mt_err ag_file_read(mt_arena *a, mt_str name, mt_str text, const mt_json *tree,
                    mt_diags *ds, ag_file *out);

/* An agent at work: program, tape, memory. */
typedef struct ag_actor ag_actor;
/* The file must outlive the actor. It starts with the file's tape, before any message.
 */
ag_actor *ag_actor_new(const ag_file *file, const mt_limits *limits);
void ag_actor_free(ag_actor *x);
const ag_program *ag_actor_program(const ag_actor *x);
ag_tape *ag_actor_tape(ag_actor *x);
ag_cycle *ag_actor_cycle(ag_actor *x);

/* Whether the message is taken, and from whom: ag_verify(). Anything is, from nobody,
 * where the file has no `identity`. */
const char *ag_actor_verify(ag_actor *x, mt_arena *a, const ag_inbound *in,
                            int64_t now_ms, mt_str *signer);

/* Begins a message: finds its key, adds the start states of a new key. The payload
 * must live until the next begin. */
void ag_actor_begin(ag_actor *x, const mt_json *payload);
/* Answers a call that is declarative; false: it is external, ask its group. */
bool ag_actor_answer(ag_actor *x, const ag_call *call, ag_answer *answer);
/* After the cycle: resets keys that ran empty. */
void ag_actor_end(ag_actor *x);
/* All calls of the message, external ones by `external`; between begin and end. */
void ag_actor_calls(ag_actor *x, ag_handler *external, void *host);
/* begin, all calls (external ones by `external`, which may be NULL: they fail), end. */
void ag_actor_run(ag_actor *x, const mt_json *payload, ag_handler *external,
                  void *host);

/* Timed senders (every_ms). Does its clock run: has it no filters, or is it armed, and
 * has it not fired, if it fires once? */
bool ag_actor_ticks(const ag_actor *x, uint32_t sender);
/* A tick is due: the calls it makes, good until ag_actor_tick_end(). None when
 * `run_while` does not hold (which disarms one with filters), no data wait, or, of one
 * that is gated, no key is on its route. */
uint32_t ag_actor_tick_begin(ag_actor *x, uint32_t sender, const ag_call **calls);
/* One call of a tick; the send hooks are the caller's business through ag_actor_answer.
 * NULL: no message, external or failed. */
const mt_json *ag_actor_tick(ag_actor *x, const ag_call *call);
/* All calls are made. */
void ag_actor_tick_end(ag_actor *x, uint32_t sender);
/* Data of the last message for which timed senders had no room. */
uint32_t ag_actor_timed_lost(const ag_actor *x);

/* Tape, memory and armed timers as one JSON document, and back, so that a restarted
 * agent goes on where it was. MT_E_SYNTAX, MT_E_LIMIT. */
void ag_actor_save(const ag_actor *x, mt_buf *out);
/* What ag_actor_save() wrote, also of an earlier form of the file. The actor is not to
 * be used after an error. */
mt_err ag_actor_load(ag_actor *x, const mt_json *saved);

#endif
