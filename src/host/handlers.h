/* host/handlers.h - handlers that are programs of their own.
 * Room: host. One child process per group of an agent file, started when first
 * needed, spoken to in JSON lines, one call at a time:
 *   -> {"call":"receive","function":F,"id":N,"key":K,"message":M,"payload":P,"state":S}
 *      {"call":"send","cause":{"action":A,"data":D,"trigger":T},"function":F,...}
 *      {"call":"hook","direction":"receive"|"send","function":F,"id":N,"payload":P}
 *   <- {"id":N,"action":"move","trigger":"ok","data":D}        to receive
 *      {"id":N,"payload":P}                   to send and hook; without: none, drop
 *      {"id":N,"error":"why"}                                  to any
 * Any answer may also hold "travel":"HOST:PORT" or "quit":true. Lines that are not an
 * answer to the call are reported and skipped. A child that dies, answers too late or
 * says too much is killed with its whole process group; the call fails, and the next
 * one starts it anew as long as the group's restarts last. */
#ifndef HO_HANDLERS_H
#define HO_HANDLERS_H

#include "agent/handler.h"
#include "os/report.h"

typedef struct ho_handlers ho_handlers;

enum { HO_TRAVEL_BYTES = AG_TRAVEL_BYTES, HO_MESSAGE_TEXT = 64 };

/* What a handler asked of the host since the last message. */
typedef struct ho_wish {
    bool quit;
    char travel[HO_TRAVEL_BYTES]; /* "" : nowhere */
} ho_wish;

/* May this group's program be started now? NULL, or why not. */
typedef const char *ho_guard(void *state, const ag_group *group);

/* `directory`: where the children run (NULL: here). The file must outlive it. */
ho_handlers *ho_handlers_new(const ag_file *file, const char *directory,
                             os_report *report, void *report_state);
/* Asked before each start of a child; none is asked where this is not called. */
void ho_handlers_guard(ho_handlers *h, ho_guard *guard, void *state);
/* Forgets the answers given so far, and the message: call before each. */
void ho_handlers_begin(ho_handlers *h);
/* What the message is known by, however often it comes: calls have it as "message". */
void ho_handlers_about(ho_handlers *h, mt_str message);
/* An ag_handler; the host is the ho_handlers. */
void ho_handlers_call(void *handlers, const ag_call *call, ag_answer *answer);
/* What answers asked for; it stays until somebody acts on it. */
ho_wish *ho_handlers_wish(ho_handlers *h);
/* Closes the children's input, waits a moment, kills what remains. Accepts NULL. */
void ho_handlers_free(ho_handlers *h);

#endif
