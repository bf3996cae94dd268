/* analyze/prove/prove_findings_internal.h - shared by what looks for findings.
 * Room: analyze, private to prove_findings.c and prove_flows.c. */
#ifndef AN_ANALYZE_PROVE_FINDINGS_INTERNAL_H
#define AN_ANALYZE_PROVE_FINDINGS_INTERNAL_H

#include "analyze/prove/prove_findings.h"

typedef struct pf_finder {
    mt_arena *a;
    an_prover *p;
    const ct_model *m;
    an_findings *fs;
    mt_str member;
    an_watcher watcher;
    bool *rule_dead, *operation_dead; /* proven never to hold */
    size_t asked, open, pairs;
    bool stopped;
} pf_finder;

/* The predicate holds; is false, without a fault. */
const an_claim *pf_holds(pf_finder *f, const ct_expr *e);
const an_claim *pf_fails(pf_finder *f, const ct_expr *e);
/* Counts what stays open, and tells the watcher. */
an_answer pf_ask(pf_finder *f, const an_claim *c);
/* True only if it was proven. */
bool pf_never(pf_finder *f, const an_claim *c);
/* Completes the finding; `facts` may be empty. */
void pf_report(pf_finder *f, an_finding finding, mt_str facts, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A predicate, cut where it is long. */
mt_str pf_text(pf_finder *f, const ct_expr *e);

/* prove_flows.c */
void pf_flows(pf_finder *f);

#endif
