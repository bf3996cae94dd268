/* answer/analysis.h - a contract or a System, analysed.
 * Room: answer.
 * Ownership: everything lives in it until aw_analysis_free(); it borrows the contract.
 */
#ifndef AW_ANALYSIS_H
#define AW_ANALYSIS_H

#include "analyze/explain/draw.h"
#include "answer/findings.h"
#include "answer/topic.h"

typedef struct aw_analysis {
    /* Asked for; set before it is run. */
    uint32_t only;
    size_t paths; /* to list of each flow */
    bool prove;   /* what proofs find, too */
    aw_patience patience;
    aw_contract *contract; /* its diagnostics say what is wrong when it is refused */
    /* What came out. */
    mt_arena arena;                /* models, findings and members' bundles */
    const an_analysis *an;         /* of a contract; NULL for a System */
    an_sys *system;                /* NULL for a contract */
    const an_sys_analysis *across; /* what holds across members; NULL for a contract */
    an_findings fs;                /* of all members together */
    bool complete;     /* false: it was stopped in the middle of something */
    bool has_baseline; /* known findings were left out */
} aw_analysis;

/* Where a report goes while it is written: `flush` (may be NULL: it stays in `out`)
 * takes what is there, and answers false to stop. */
typedef struct aw_listing {
    mt_buf *out;
    bool (*flush)(void *state, mt_buf *out);
    void *state;
} aw_listing;

/* Analyses x->contract. Another code than AW_HOLDS: *r says why. To be freed in every
 * case. */
int aw_analyze(aw_analysis *x, aw_reply *r);
void aw_analysis_free(aw_analysis *x);
/* Leaves out what an earlier report has. MT_E_TYPE: it is none. */
mt_err aw_analysis_baseline(aw_analysis *x, const mt_json *earlier);

/* The whole report, as it is listed. */
void aw_analysis_text(aw_analysis *x, const aw_listing *to);
void aw_analysis_json(aw_analysis *x, const aw_listing *to);
/* AW_HOLDS: nothing to warn of; AW_FAILS: warnings; AW_WORLD: it was stopped. */
int aw_analysis_code(const aw_analysis *x);
/* What can be drawn of it. */
an_subject aw_analysis_subject(const aw_analysis *x);

#endif
