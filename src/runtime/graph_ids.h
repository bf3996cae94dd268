/* runtime/graph_ids.h - REP-8: is every event id of a capture there once?
 * Room: runtime. In bounded memory: ids are noted as keyed hashes, a few million of
 * them at a time in a table, the rest in a file without a name. A hash that repeats is
 * only a suspicion; who asks looks at the ids themselves.
 * Threads: one at a time. */
#ifndef RT_GRAPH_IDS_H
#define RT_GRAPH_IDS_H

#include "base/str.h"

typedef struct rt_id_notes rt_id_notes;

rt_id_notes *rt_id_notes_new(void);
void rt_id_notes_free(rt_id_notes *n);
/* `excused`: this one may repeat an earlier id. MT_E_IO: the file, and errno. */
mt_err rt_id_notes_add(rt_id_notes *n, mt_str id, bool excused);
/* The first id from `from` on, counted as added, that is not excused and whose hash was
 * there before; SIZE_MAX in *index: none. */
mt_err rt_id_notes_suspect(rt_id_notes *n, size_t from, size_t *index);

#endif
