/* host/keep.c - what all keeps have in common, and the one without a place.
 * Room: host. */
#include "host/keep.h"

#include <stdlib.h>

void ho_keep_remember(ho_keep *k, mt_str state, mt_str lines, const ho_stand *stand)
{
    if (state.ptr) {
        mt_buf_clear(&k->state);
        mt_buf_adds(&k->state, state);
    }
    mt_buf_adds(&k->unsent, lines);
    if (stand) {
        k->stand = *stand;
    }
}

void ho_keep_forget_sent(ho_keep *k, size_t count)
{
    mt_str rest = mt_buf_str(&k->unsent);
    for (; count && rest.len; count--, k->done++) {
        rest = mt_str_skip(rest, mt_str_find(rest, '\n') + 1);
    }
    if (rest.len) {
        memmove(k->unsent.ptr, rest.ptr, rest.len);
    }
    k->unsent.len = rest.len;
}

void ho_keep_close(ho_keep *k)
{
    if (k) {
        k->close(k);
        mt_buf_free(&k->state);
        mt_buf_free(&k->unsent);
        free(k);
    }
}

/* ---- In memory ---- */

static mt_err memory_commit(ho_keep *k, mt_str state, mt_str lines,
                            const ho_stand *stand)
{
    ho_keep_remember(k, state, lines, stand);
    return MT_OK;
}

static mt_err memory_sent(ho_keep *k, size_t count)
{
    ho_keep_forget_sent(k, count);
    return MT_OK;
}

static void memory_close(ho_keep *k)
{
    (void)k;
}

ho_keep *ho_keep_open_memory(void)
{
    ho_keep *k = mt_xmalloc(sizeof *k);
    *k = (ho_keep){.commit = memory_commit, .sent = memory_sent, .close = memory_close};
    return k;
}
