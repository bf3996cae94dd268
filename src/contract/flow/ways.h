/* contract/flow/ways.h - every way through a flow, one after the other.
 * Room: contract. May include base/ and contract/ only.
 * A way is a list of words: what each step came to, failures, compensation and
 * escalation included, up to the terminal. Ways are handed to a visitor as they are
 * found and forgotten again, so memory does not grow with their number.
 * Not expanded, a sub-flow or parallel step is one word (`success` or `failed`).
 * Expanded, the words of its inside stand between an ENTER and that word; of a parallel
 * step one way through each branch, in the order of the branches. */
#ifndef CT_FLOW_WAYS_H
#define CT_FLOW_WAYS_H

#include "contract/flow/plan.h"

typedef enum ct_word_kind {
    CT_WORD_STEP,   /* a step and its result */
    CT_WORD_UNDO,   /* one compensation and its result */
    CT_WORD_ENTER,  /* into a sub-flow or parallel step */
    CT_WORD_BRANCH, /* the next branch of the parallel step begins: `graph` */
    CT_WORD_END     /* of the graph: `terminal`, CT_NONE when the run breaks off */
} ct_word_kind;

typedef struct ct_word {
    ct_word_kind kind;
    uint32_t step; /* of the plan; of END: CT_NONE */
    /* CT_NONE where there is none. `outcome` of the plan: the operation succeeded with
     * it; an undo that is done has none, it may be any of its operation. */
    uint32_t op, outcome, graph, terminal;
    uint32_t persona; /* who acts: of the step, of an UNDO its own */
    mt_str result;    /* how the step went, as text */
    bool done;        /* UNDO: it succeeded */
} ct_word;

typedef struct ct_way {
    const ct_plan *plan;
    const ct_word *words; /* the last is the END of the flow */
    size_t len;
    uint32_t steps;    /* words that are steps or compensations */
    uint32_t terminal; /* CT_NONE: the run breaks off */
    bool possible;     /* some snapshot may allow it, see flow/possible.h */
} ct_way;

typedef struct ct_ways_options {
    bool expand; /* into sub-flows and branches */
    bool
        only_possible; /* leave out ways no snapshot allows, and those that break off */
    size_t most;       /* ways at most */
    /* false: enough. */
    bool (*visit)(void *context, const ct_way *way);
    void *context;
} ct_ways_options;

/* Visits the ways of one graph, in the order of outcomes, then failure. false: there
 * may be more (`most`, too long a way, too much effort, or the visitor had enough). */
bool ct_ways(const ct_plan *p, uint32_t graph, const ct_ways_options *options);

/* "a=ok > pay(b=done > success)=success > success" */
void ct_way_text(mt_buf *out, const ct_way *way);
/* One word of it, without what stands between words: "a=ok", "comp:undo=error". */
void ct_word_text(mt_buf *out, const char *prefix, mt_str step, mt_str result);

/* What the words of a run and of a way call results. */
#define CT_RESULT_DONE    MT_STR("done")
#define CT_RESULT_ERROR   MT_STR("error")
#define CT_RESULT_SUCCESS MT_STR("success")
#define CT_RESULT_FAILED  MT_STR("failed")

/* Is the target there at all? */
static inline bool ct_target_given(ct_plan_target t)
{
    return t.step != CT_NONE || t.terminal != CT_NONE;
}

#endif
