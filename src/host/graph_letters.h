/* host/graph_letters.h - a file of intents that could not be delivered.
 * Room: host. JSON lines, appended and on disk before anybody goes on:
 *   {"dead":{"attempts":N,"channel":…,"code":…,"fields":{…},"intent_id":…,"kind":…,
 *            "reason":…}}
 *   {"sent":{"channel":…,"intent_id":…}}      it was sent again, and taken
 * A letter is one intent id: the last line about it counts. A torn last line is
 * nobody's word and is passed over. */
#ifndef HO_GRAPH_LETTERS_H
#define HO_GRAPH_LETTERS_H

#include "host/graph_channel.h"

typedef struct ho_dead_letter {
    ho_letter letter;
    mt_str channel, code, reason;
    uint32_t attempts;
} ho_dead_letter;

/* MT_E_IO with errno. Makes the file if it is not there. */
mt_err ho_letters_add(const char *path, const ho_dead_letter *dead);
mt_err ho_letters_sent(const char *path, mt_str channel, mt_str intent_id);

/* Those that wait, in the order in which they first failed; in `a`. MT_E_NOTFOUND,
 * MT_E_IO with errno, MT_E_CORRUPT with `why`: a line is not one of these. */
mt_err ho_letters_read(mt_arena *a, const char *path, size_t limit,
                       ho_dead_letter **out, size_t *count, mt_buf *why);

#endif
