/* host/agent_service.h - an agent whose tape, memory and messages are in the store.
 * Room: host. A message is one cycle: it runs first, outside of any transaction,
 * because handlers may be programs of their own; then the new state, the message and
 * what the agent said commit together. When the commit fails, or another node was
 * faster (MT_E_CONFLICT), the agent goes back to the stored state and the message is
 * handled again: its handlers may be called twice, its effects are kept once. How it is
 * kept: keep_store.c. Threads: one at a time. */
#ifndef HO_AGENT_SERVICE_H
#define HO_AGENT_SERVICE_H

#include "base/json_write.h"
#include "host/agent_host.h"
#include "store/store.h"

typedef struct ho_agent_service ho_agent_service;

/* Configuration: {file: AGENT}; handlers run in the file's directory. `why` gets one
 * sentence for each thing wrong. */
mt_err ho_agent_service_open(mt_str name, const mt_json *config,
                             const mt_limits *limits, os_report *report,
                             void *report_state, ho_agent_service **out, mt_buf *why);
void ho_agent_service_close(ho_agent_service *s);
mt_str ho_agent_service_name(const ho_agent_service *s);

/* What a message led to; valid until the next one. */
typedef struct ho_agent_done {
    mt_str trace;   /* the cycle as one JSON object (agent/trace.h) */
    mt_str sent;    /* lines, each with its newline; once kept */
    int64_t number; /* of the message, once kept */
} ho_agent_done;

/* Runs the cycle of one message, from the stored state. MT_E_SYNTAX: the line is not a
 * message; MT_E_DENIED: the agent does not believe it (`identity`); nothing happened.
 */
mt_err ho_agent_service_receive(ho_agent_service *s, st_store *store, mt_str line,
                                ho_agent_done *done);
/* Keeps it. MT_E_CONFLICT: the stored state is another by now. */
mt_err ho_agent_service_keep(ho_agent_service *s, st_tx *tx, int64_t now_ms,
                             ho_agent_done *done);
/* What was received last was not committed. */
void ho_agent_service_forget(ho_agent_service *s);

/* Tape and memory as they are stored; "null" before the first message. */
mt_err ho_agent_service_tape(const ho_agent_service *s, st_tx *tx, mt_jw *w);
/* The messages, oldest first; a row's body is one. */
mt_err ho_agent_service_log(const ho_agent_service *s, st_tx *tx, st_page page,
                            st_doc_walker *each, void *state);

#endif
