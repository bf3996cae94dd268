/* cli/prove.c - proofs about a loaded contract, with progress.
 *
 * Ctrl-C interrupts the solver once: what was found until then is reported, with the
 * rest marked as open; a second Ctrl-C ends the program as usual. `asked` is what the
 * handler sees, and only while a prover is asked. */
#include "cli/prove.h"

/* ---- Ctrl-C ---- */

static an_prover *volatile asked; /* while it is asked */

/* an_prover_interrupt() may be called from a handler. `asked` is NULL outside a
 * proof. */
static void interrupt(int number)
{
    (void)number;
    if (asked) {
        an_prover_interrupt(asked);
    }
}

typedef struct handlers {
    struct sigaction old_int, old_term;
} handlers;

/* A second signal ends the program as usual. */
static handlers catch_for(an_prover *p)
{
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
    handlers h;
    asked = p;
    sigaction(SIGINT, &action, &h.old_int);
    sigaction(SIGTERM, &action, &h.old_term);
    return h;
}

/* `asked` is cleared last: until the old handlers are back ours may still run. */
static void release(const handlers *h)
{
    sigaction(SIGINT, &h->old_int, NULL);
    sigaction(SIGTERM, &h->old_term, NULL);
    asked = NULL;
}

/* ---- Findings ---- */

/* Signals are caught while the solver works, since it does not look up by itself; the
 * old handlers come back before anything is printed. */
static void asks(void *state, an_prover *p)
{
    handlers *before = state;
    if (p) {
        *before = catch_for(p);
    } else {
        release(before);
    }
}

aw_patience cli_patience(cli_progress *progress)
{
    static handlers before; /* signals have handlers once in a process */
    return (aw_patience){{cli_progress_step, progress}, asks, &before};
}

mt_err cli_prove_diagnostics(const cli_args *args, cli_contract *c, bool all)
{
    cli_progress progress;
    cli_progress_start(&progress, args);
    aw_patience patience = cli_patience(&progress);
    mt_err err = aw_prove_diagnostics(c, &patience, all);
    cli_progress_end(&progress);
    return err;
}
