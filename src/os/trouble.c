#include "os/trouble.h"

#include "os/clock.h"

enum { CHANGES_EVERY_MS = 1000 };

void os_trouble_make(os_trouble *t)
{
    pthread_mutex_init(&t->lock, NULL);
    atomic_init(&t->reason, 0);
}

void os_trouble_drop(os_trouble *t)
{
    pthread_mutex_destroy(&t->lock);
}

static os_turn turn_of(os_trouble *t, int reason, int64_t now)
{
    int before = atomic_load_explicit(&t->reason, memory_order_relaxed);
    if (!before && !reason) {
        return OS_AS_BEFORE;
    }
    if (!reason) {
        return OS_ENDED;
    }
    if (!before) {
        t->since_ms = t->said_ms = now;
        t->failures = 0;
        return OS_BEGAN;
    }
    if (before != reason && now - t->said_ms >= CHANGES_EVERY_MS) {
        t->said_ms = now;
        return OS_CHANGED;
    }
    return OS_AS_BEFORE;
}

/* What works as before costs one look. */
os_told os_trouble_note(os_trouble *t, int reason)
{
    if (!reason && !atomic_load_explicit(&t->reason, memory_order_relaxed)) {
        return (os_told){.turn = OS_AS_BEFORE};
    }
    int64_t now = os_now_ms();
    pthread_mutex_lock(&t->lock);
    os_turn turn = turn_of(t, reason, now);
    t->failures += reason != 0;
    /* A change that was too soon to be said is said later, if it lasts. */
    if (turn != OS_AS_BEFORE) {
        atomic_store(&t->reason, reason);
    }
    os_told told = {turn, t->failures, now - t->since_ms};
    pthread_mutex_unlock(&t->lock);
    return told;
}
