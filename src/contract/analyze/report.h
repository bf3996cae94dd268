/* contract/analyze/report.h - an analysis as text and JSON.
 * Room: contract. May include base/ and contract/ only.
 * Output is written as it is found: after each piece the sink may take what is there
 * and empty the buffer, so a long listing needs no memory. */
#ifndef CT_ANALYZE_REPORT_H
#define CT_ANALYZE_REPORT_H

#include "contract/analyze/analyze.h"

typedef struct ct_sink {
    mt_buf *out;
    /* May empty the buffer. false: stop listing; what was begun is still closed. NULL:
     * everything stays in the buffer. */
    bool (*flush)(void *context, mt_buf *out);
    void *context;
    size_t paths;   /* listed of each flow at most */
    size_t entries; /* of one relation (authority, admissibility) at most */
    size_t steps;   /* of all listed paths together at most; counted down */
    bool stopped;   /* flush said so */
} ct_sink;

/* false: stop. */
bool ct_sink_go_on(ct_sink *s);
/* A path of so many steps was listed. false: no further one. */
bool ct_sink_listed(ct_sink *s, uint32_t steps);
/* How many paths of the next flow may be listed. */
static inline size_t ct_sink_paths(const ct_sink *s)
{
    return s->steps ? s->paths : 0;
}

/* Was it asked for, and did the analysis come that far? */
bool ct_analysis_has(const ct_analysis *an, ct_obligation o);
/* Every obligation that was asked for, for people. */
void ct_analysis_text(ct_sink *s, const ct_analysis *an);
/* Their keys of an open object: "s1_state_space" … "s8_verdict_uniqueness"; null where
 * it was not asked for. */
void ct_analysis_json_keys(ct_sink *s, mt_jw *w, const ct_analysis *an);

#endif
