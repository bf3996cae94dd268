/* host/graph_ids.h - REP-8: is every event id of a capture there once?
 * Room: host. In bounded memory: ids are noted as keyed hashes, a few million of
 * them at a time in a table, the rest in a file without a name. A hash that repeats is
 * only a suspicion; who asks looks at the ids themselves.
 * Threads: one at a time. */
#ifndef HO_GRAPH_IDS_H
#define HO_GRAPH_IDS_H

#include "base/str.h"

typedef struct ho_id_notes ho_id_notes;

ho_id_notes *ho_id_notes_new(void);
void ho_id_notes_free(ho_id_notes *n);
/* `excused`: this one may repeat an earlier id. MT_E_IO: the file, and errno. */
mt_err ho_id_notes_add(ho_id_notes *n, mt_str id, bool excused);
/* The first id from `from` on, counted as added, that is not excused and whose hash was
 * there before; SIZE_MAX in *index: none. */
mt_err ho_id_notes_suspect(ho_id_notes *n, size_t from, size_t *index);

#endif
