/* host/graph_resume.h - a run goes on where a killed one stopped.
 * Room: host. The journal is replayed onto the new run's host and compared, so the
 * run continues only from what it would have done itself. A fixture is read along and
 * must have the very events of the journal; a program begins where it likes, and what
 * it sends again is passed over. Intents of the last step that were not acknowledged on
 * record are sent again, with their ids: a channel sees an id twice only when the run
 * was killed between its acknowledgement and the record of it. */
#ifndef HO_GRAPH_RESUME_H
#define HO_GRAPH_RESUME_H

#include "host/graph_replay.h"
#include "host/graph_run.h"

/* Does this journal hold anything that was committed? What cannot be read does. */
bool ho_journal_holds(const char *path);

typedef struct ho_resumed {
    ho_graph_step last; /* as ho_run_options wants it */
    uint64_t events;
    mt_str why;    /* when it is refused */
    mt_arena acks; /* of the last step */
} ho_resumed;
void ho_resumed_free(ho_resumed *r);

/* `fixture`: run->ingress is read along. run->observe sees every step again. MT_OK: the
 * journal goes on behind its last whole line. Otherwise *out says why, nothing was
 * changed, and the host must not be used. */
mt_err ho_graph_resume(mt_arena *a, const ho_graph_options *options, const char *path,
                       const ho_run_options *run, bool fixture, ho_resumed *out);

#endif
