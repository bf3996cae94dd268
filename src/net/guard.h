/* net/guard.h - who may come in, and how much one peer may say.
 * Room: net. Pure bookkeeping: the caller supplies the time.
 * Quarantine goes by address without port, so reconnecting does not help. The table is
 * bounded: when it is full, the entry with the oldest offence makes room. 127.0.0.1 and
 * ::1 are never quarantined: all agents of one machine would suffer for one. */
#ifndef NT_GUARD_H
#define NT_GUARD_H

#include "base/str.h"

enum { NT_GUARD_ENTRIES = 1024, NT_GUARD_HOST = 48, NT_STRIKE_WINDOW_MS = 60000 };

typedef struct nt_guard_entry {
    char host[NT_GUARD_HOST]; /* "" when free */
    unsigned strikes;
    int64_t last_ms;  /* of the last strike */
    int64_t until_ms; /* quarantined until then; 0: not */
} nt_guard_entry;

typedef struct nt_guard {
    unsigned strikes;    /* that lead to quarantine, within NT_STRIKE_WINDOW_MS */
    int64_t cooldown_ms; /* 0: no quarantine */
    size_t len;          /* entries in use */
    nt_guard_entry *entries;
} nt_guard;

void nt_guard_free(nt_guard *g);
/* One offence. True when it has put the host in quarantine now. */
bool nt_guard_strike(nt_guard *g, mt_str host, int64_t now_ms);
/* Is the address in quarantine? */
bool nt_guard_is_out(nt_guard *g, mt_str host, int64_t now_ms);
/* Forgets what has expired; returns how many are in quarantine. */
size_t nt_guard_sweep(nt_guard *g, int64_t now_ms);

#endif
