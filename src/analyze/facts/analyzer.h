/* analyze/facts/analyzer.h - what the obligations share while an analysis is made.
 * Room: analyze. Private to analyze/facts.
 * analyze.c runs them and is the only file that knows them all; an obligation knows
 * what is here and the fields of the analysis that those before it have filled. */
#ifndef AN_ANALYZE_ANALYZER_H
#define AN_ANALYZE_ANALYZER_H

#include "analyze/facts/analyze.h"

typedef struct an_analyzer {
    mt_arena *keep;   /* of the result */
    mt_arena scratch; /* of one obligation */
    an_analysis *an;
    an_findings *fs;
    an_watcher watcher;
    const uint64_t *shared; /* as in the options */
    an_graph_paths *graphs; /* an->graphs, while it is made */
    an_edges transitions;   /* of all entities; the tag is the entity */
    an_edges effects;       /* of all operations; the tag is the operation */
} an_analyzer;

void an_s1_states(an_analyzer *z);
void an_s2_reach(an_analyzer *z);
void an_s3_truths(an_analyzer *z);
void an_s3_admissible(an_analyzer *z);
void an_s4_authority(an_analyzer *z);
void an_s5_space(an_analyzer *z);
void an_s6_count(an_analyzer *z);
void an_s6_states(an_analyzer *z); /* after S2, S3a and the count */
void an_s6_findings(an_analyzer *z);
void an_s7_bounds(an_analyzer *z);
void an_s8_unique(an_analyzer *z);

/* Was it asked for? */
static inline bool an_wants(const an_analyzer *z, an_obligation o)
{
    return (z->an->only >> o) & 1;
}

static inline bool an_is_shared(const an_analyzer *z, uint32_t entity)
{
    return z->shared && ct_bit(z->shared, entity);
}

/* false: stop. */
bool an_go_on(an_analyzer *z, const char *what, uint64_t done, uint64_t all);

/* Adds a finding about a construct; `hint` is the code's. */
void an_report_finding(an_analyzer *z, const char *code, mt_severity severity,
                       const char *kind, mt_str construct, mt_str part,
                       ct_origin origin, const char *format, ...)
    __attribute__((format(printf, 8, 9)));

/* The steps of a graph that its entry leads to, each before those it leads to. Plan
 * indices in `a`. */
uint32_t an_steps_in_order(mt_arena *a, const ct_plan *p, uint32_t graph,
                           const uint32_t **steps);

#endif
