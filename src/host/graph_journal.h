/* host/graph_journal.h - the file a run appends to.
 * Room: host. Lines go to the file in order and reach the disk at least every 100 ms
 * while lines come, and at once on ho_journal_sync(). A killed run leaves whole lines
 * and at most one torn one at the end; graph/capture.h reads up to it.
 * One process at a time has a journal: the file itself is locked, whatever name it was
 * opened by, until it is closed or the process is gone. What the file held stays as it
 * is until the first line is on its way there. */
#ifndef HO_GRAPH_JOURNAL_H
#define HO_GRAPH_JOURNAL_H

#include "base/str.h"

typedef struct ho_journal ho_journal;

/* Opens the file and locks it; creates an empty one. MT_E_BUSY: another process has it;
 * otherwise MT_E_IO and errno. */
mt_err ho_journal_open(const char *path, ho_journal **out);
/* Does a process write this journal now? */
bool ho_journal_busy(const char *path);
/* How many bytes the file held when it was opened. */
uint64_t ho_journal_held(const ho_journal *j);
/* Before the first line: it goes behind the first `bytes` of the file, and what was
 * behind them goes. Without this, the file begins anew. */
void ho_journal_keep(ho_journal *j, uint64_t bytes);
/* Room for one more line: append to it, then call ho_journal_commit(). */
mt_buf *ho_journal_line(ho_journal *j);
/* The line is complete; it is on disk a moment later, see ho_journal_sync(). */
mt_err ho_journal_commit(ho_journal *j);
/* Everything so far is on disk when this returns. */
mt_err ho_journal_sync(ho_journal *j);
/* Everything so far is out of this process, so that killing it loses nothing. */
mt_err ho_journal_flush(ho_journal *j);
/* No line came for a while: what is still only in memory goes to disk. */
mt_err ho_journal_idle(ho_journal *j);
/* Removes the file, when it is still the one that was opened. False: it is still there,
 * and errno says why. */
bool ho_journal_remove(const ho_journal *j);
/* Syncs and closes; frees it whatever happens. A file that never got a line and held
 * nothing goes. */
mt_err ho_journal_close(ho_journal *j);

#endif
