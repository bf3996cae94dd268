/* runtime/graph_journal.h - the file a run appends to.
 * Room: runtime. Lines go to the file in order and reach the disk at least every 100 ms
 * while lines come, and at once on rt_journal_sync(). A killed run leaves whole lines
 * and at most one torn one at the end; graph/capture.h reads up to it. */
#ifndef RT_GRAPH_JOURNAL_H
#define RT_GRAPH_JOURNAL_H

#include "base/str.h"

typedef struct rt_journal rt_journal;

/* Creates the file, refusing one that exists unless `replace`. errno on failure. */
mt_err rt_journal_open(const char *path, bool replace, rt_journal **out);
/* Room for one more line: append to it, then call rt_journal_commit(). */
mt_buf *rt_journal_line(rt_journal *j);
mt_err rt_journal_commit(rt_journal *j);
/* Everything so far is on disk when this returns. */
mt_err rt_journal_sync(rt_journal *j);
/* No line came for a while: what is still only in memory goes to disk. */
mt_err rt_journal_idle(rt_journal *j);
/* Syncs and closes; frees it whatever happens. */
mt_err rt_journal_close(rt_journal *j);

#endif
