/* analyze/facts/report.h - an analysis as text and JSON.
 * Room: analyze. May include base/ and contract/ only.
 * Output is written as it is found: after each piece the sink may take what is there
 * and empty the buffer, so a long listing needs no memory. */
#ifndef AN_ANALYZE_REPORT_H
#define AN_ANALYZE_REPORT_H

#include "analyze/facts/analyze.h"

typedef struct an_sink {
    mt_buf *out;
    /* May empty the buffer. false: stop listing; what was begun is still closed. NULL:
     * everything stays in the buffer. */
    bool (*flush)(void *context, mt_buf *out);
    void *context;
    size_t paths;   /* listed of each flow at most */
    size_t entries; /* of one relation (authority, admissibility) at most */
    size_t steps;   /* of all listed paths together at most; counted down */
    bool stopped;   /* flush said so */
} an_sink;

/* false: stop. */
bool an_sink_go_on(an_sink *s);
/* A path of so many steps was listed. false: no further one. */
bool an_sink_listed(an_sink *s, uint32_t steps);
/* How many paths of the next flow may be listed. */
static inline size_t an_sink_paths(const an_sink *s)
{
    return s->steps ? s->paths : 0;
}

/* Was it asked for, and did the analysis come that far? */
bool an_analysis_has(const an_analysis *an, an_obligation o);
/* Every obligation that was asked for, for people. */
void an_analysis_text(an_sink *s, const an_analysis *an);
/* Their keys of an open object: "s1_state_space" … "s8_verdict_uniqueness"; null where
 * it was not asked for. */
void an_analysis_json_keys(an_sink *s, mt_jw *w, const an_analysis *an);

#endif
