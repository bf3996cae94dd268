/* analyze/facts/analyze.c - runs the obligations in their order.
 * Room: analyze.
 * INVARIANT: S1 to S3a are always computed, the others lean on them; `only` decides
 * what is computed beyond that and which findings are kept. */
#include "analyze/facts/analyzer.h"

/* ORDER: each may read what those before it wrote. */
static const struct part {
    const char *what;
    void (*run)(an_analyzer *z);
    uint32_t for_any_of; /* 0: always */
} PARTS[] = {
    {"states", an_s1_states, 0},
    {"conditions", an_s3_truths, 0},
    {"admissible operations", an_s3_admissible, 0},
    {"reachable states", an_s2_reach, 0},
    {"authority", an_s4_authority, 1 << AN_S4},
    {"verdicts", an_s5_space, 1 << AN_S5},
    {"flow paths", an_s6_count, 1 << AN_S6 | 1 << AN_S7},
    {"states of flows", an_s6_states, 1 << AN_S6},
    {"flows", an_s6_findings, 1 << AN_S6},
    {"bounds", an_s7_bounds, 1 << AN_S7},
    {"verdict types", an_s8_unique, 1 << AN_S8},
};

const an_analysis *an_analyze(mt_arena *keep, const ct_plan *p,
                              const an_analyze_options *options, an_findings *fs)
{
    an_analysis *an = mt_new(keep, an_analysis);
    an_analyzer z = {.keep = keep, .an = an, .fs = fs};
    if (options) {
        z.watcher = options->watcher;
        z.shared = options->shared;
    }
    an->plan = p;
    an->model = p->model;
    an->only = options && options->only ? options->only : AN_ALL;
    an->complete = true;
    an->reach_states = options && options->reach_states
                           ? options->reach_states
                           : MT_LIMITS_DEFAULT.reach_states;
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS && an->complete; i++) {
        const struct part *part = &PARTS[i];
        if (!part->for_any_of || (part->for_any_of & an->only)) {
            part->run(&z);
            an_go_on(&z, part->what, 1, 1);
            mt_arena_reset(&z.scratch);
        }
    }
    mt_arena_free(&z.scratch);
    an_findings_sort(fs);
    return an;
}
