/* lsp/trials.h - the scenarios of a contract, run as `motet test` runs them.
 * Room: lsp.
 * The files are NAME.scenarios.* beside NAME.tenor, and those that are open and name
 * the contract. Open texts count before those of the disk. */
#ifndef LS_TRIALS_H
#define LS_TRIALS_H

#include "contract/flow/property.h"
#include "lsp/server.h"

/* A contract that can be run. */
typedef struct ls_trials {
    ls_view *view;
    bool is_own; /* the view is to be freed with it */
    const ct_plan *plan;
    ct_bench bench;
} ls_trials;

/* False: it has errors, or is a System. Where the contract is open its view is made
 * anew, checked. */
bool ls_trials_open(ls_server *s, mt_str contract, ls_trials *out);
void ls_trials_close(ls_trials *t);

/* One scenario that was run. */
typedef struct ls_trial {
    mt_str file, name, why; /* why: what differs, line by line; or what was tried */
    mt_str flow, operation; /* what it does; both empty: only rules */
    size_t offset;          /* where it stands in the file */
    bool passes;
} ls_trial;

typedef struct ls_tested {
    MT_VEC(ls_trial) list;
    ct_coverage *coverage;
    size_t files;
    int64_t runs;
    bool is_cut; /* there were more than may be run for one answer */
} ls_tested;

/* Is there a file? */
bool ls_has_trials(ls_call *c, mt_str contract);
/* How many runs an answer may take, of which a property takes one for each case: for
 * what is shown beside the text, and for who has asked. */
enum { LS_RUNS_SHOWN = 2000, LS_RUNS_ASKED = 1000000 };
/* Runs all scenarios of all files, or as many as `most` runs are; everything lives in
 * the call's arena. */
void ls_trials_run(ls_call *c, ls_trials *t, int64_t most, ls_tested *out);

/* "motet.test": runs the scenarios of a contract or of a file. */
void ls_test_command(ls_call *c, const mt_json *args);

#endif
