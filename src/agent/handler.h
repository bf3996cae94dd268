/* agent/handler.h - what a handler outside is asked and what it answers, as JSON.
 * Room: agent. May include base/ only; pure. Who carries the lines (a child process, a
 * function of an embedder) is the host's business. docs/reference/agents.md has the
 * protocol:
 *   {"call":"receive","function":F,"id":N,"key":K,"message":M,"payload":P,"state":S}
 *   {"call":"send","cause":{"action":A,"data":D,"trigger":T},"function":F,...}
 *   {"call":"hook","direction":"receive"|"send","function":F,"id":N,"payload":P}
 * Ownership: an answer borrows from its tree. */
#ifndef AG_HANDLER_H
#define AG_HANDLER_H

#include "agent/agent_file.h"
#include "base/form.h"
#include "base/json_write.h"

enum { AG_TRAVEL_BYTES = 256 };

/* Who answers the call. */
const ag_binding *ag_binding_of(const ag_file *f, const ag_call *call);
/* Appends the question, newline included. `message` (may be empty) is what the message
 * is known by. */
void ag_call_write(mt_buf *out, const ag_call *call, mt_str function, int64_t id,
                   mt_str message);

/* What an answer says. A program may answer all calls alike, so what is for another
 * kind of call may stand there, too. */
typedef struct ag_reply {
    mt_str error, trigger;
    const char *travel;
    bool quit;
    ag_action action; /* AG_NONE before it is read */
    const mt_json *data, *payload;
} ag_reply;
/* False: the form has reported what is wrong. */
bool ag_reply_read(mt_form *form, const mt_json *answer, ag_reply *out);
/* What it means to the call. */
void ag_reply_answer(const ag_call *call, const ag_reply *r, ag_answer *out);

#endif
