/* runtime/graph_resume.h - a run goes on where a killed one stopped.
 * Room: runtime. The journal is replayed onto the new run's host and compared, so the
 * run continues only from what it would have done itself. A fixture is read along and
 * must have the very events of the journal; a program begins where it likes, and what
 * it sends again is passed over. Intents of the last step that were not acknowledged on
 * record are sent again, with their ids: a channel sees an id twice only when the run
 * was killed between its acknowledgement and the record of it. */
#ifndef RT_GRAPH_RESUME_H
#define RT_GRAPH_RESUME_H

#include "runtime/graph_replay.h"
#include "runtime/graph_run.h"

/* Does this journal hold anything that was committed? What cannot be read does. */
bool rt_journal_holds(const char *path);

typedef struct rt_resumed {
    rt_graph_step last; /* as rt_run_options wants it */
    uint64_t events;
    mt_str why;    /* when it is refused */
    mt_arena acks; /* of the last step */
} rt_resumed;
void rt_resumed_free(rt_resumed *r);

/* `fixture`: run->ingress is read along. run->observe sees every step again. MT_OK: the
 * journal goes on behind its last whole line. Otherwise *out says why, nothing was
 * changed, and the host must not be used. */
mt_err rt_graph_resume(mt_arena *a, const rt_graph_options *options, const char *path,
                       const rt_run_options *run, bool fixture, rt_resumed *out);

#endif
