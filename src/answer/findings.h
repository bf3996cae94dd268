/* answer/findings.h - what proofs find wrong with a contract.
 * Room: answer.
 * Ownership: findings live in their list's arena, diagnostics in the contract's. */
#ifndef AW_FINDINGS_H
#define AW_FINDINGS_H

#include "analyze/facts/analyze.h"
#include "analyze/prove/prove.h"
#include "answer/contract.h"

/* How whoever asks follows what takes longer. All zero: it waits to the end. */
typedef struct aw_patience {
    an_watcher watcher;
    /* Told of a prover while it is asked, then of NULL: for whoever interrupts it. */
    void (*asks)(void *state, an_prover *p);
    void *state;
} aw_patience;

/* Adds what proofs find wrong with the contract, or with the members of a System, to
 * `fs`. *complete: nobody stopped it. MT_E_REJECTED: a bundle does not load, c->ds says
 * why. */
mt_err aw_prove_contract(aw_contract *c, const aw_patience *patience, an_findings *fs,
                         bool *complete);
/* The same, as diagnostics of the contract; not `all`: only what legal facts can end in
 * an error. */
mt_err aw_prove_diagnostics(aw_contract *c, const aw_patience *patience, bool all);

#endif
