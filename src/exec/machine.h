/* exec/machine.h - time, identifiers, the log; how it goes with the store and sources.
 * Room: exec. Private to exec/. */
#ifndef EX_MACHINE_H
#define EX_MACHINE_H

#include "base/figures.h"
#include "exec/executor.h"

/* Time in ms since 1970 UTC that never goes back; it is at least `ms` from now on. Of a
 * shared store it is the database's clock, on every node: what this machine's own clock
 * says is only compared with it. */
int64_t ex_now(ex_executor *x);
/* Asks the database for the time; first of all when opening, then every few seconds. */
mt_err ex_clock_sync(ex_executor *x);
void ex_now_at_least(ex_executor *x, int64_t ms);
/* A new identifier: PREFIX, '-', 32 hex digits; unguessable. */
mt_str ex_new_id(mt_arena *a, const char *prefix);
void ex_log(ex_executor *x, int level, const char *event, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* How it went with the store, to be logged when it begins to fail, and when it works
 * again. `why`: what the store says, or empty. */
void ex_store_read(ex_executor *x, mt_err err, mt_str why);
void ex_store_written(ex_executor *x, mt_err err, mt_str why);
/* A source of facts was asked; `failed`: why, or NULL. Logged likewise. */
void ex_source_asked(ex_executor *x, mt_str source, uint64_t ns, const char *failed);
/* An intent of a graph was handed to its channel; `failed`: why it was not taken, or
 * empty. Logged likewise. */
void ex_intent_sent(ex_executor *x, mt_str graph, mt_str failed);
void ex_sources_figures(ex_executor *x, mt_figures *f);
void ex_sources_free(ex_executor *x);
/* Something was put into the outbox, or can be done now. */
void ex_outbox_wake(ex_executor *x);

#endif
