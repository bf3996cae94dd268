#include "ledger/cosigned.h"

/* A key counts once, however often its lines stand there. */
size_t lg_cosigned_count(lg_cosigned_note *got, const lg_cosigners *by)
{
    got->count = got->ahead = 0;
    got->time = INT64_MAX;
    for (size_t i = 0; i < by->count; i++) {
        int64_t time = 0;
        lg_signed s =
            lg_note_cosigned(got->read.text, got->lines, &by->keys[i], by->now, &time);
        got->ahead += s == LG_AHEAD;
        if (s == LG_SIGNED) {
            got->count++;
            got->time = time < got->time ? time : got->time;
        }
    }
    return got->count;
}
