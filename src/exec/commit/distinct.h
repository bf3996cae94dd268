/* exec/commit/distinct.h - personas that are to be different people.
 * Room: exec. */
#ifndef EX_DISTINCT_H
#define EX_DISTINCT_H

#include "exec/commit/commit.h"

/* A rule: personas of a contract that one identity cannot both act as. */
struct ex_distinct {
    mt_str contract;
    const mt_str *personas;
    size_t count;
};

/* Somebody acts as a persona: on the instances that an operation changes, on a flow. */
typedef struct ex_act {
    mt_str persona, who;
    mt_str flow; /* empty: none */
    uint32_t op; /* CT_NONE: none */
} ex_act;
/* What it did before that forbids it. */
typedef struct ex_other {
    mt_str persona; /* empty: nothing forbids it */
    mt_str on;      /* "instance 'E/i'", "flow 'f'" */
    int64_t record;
} ex_other;
/* Does some rule speak of this persona of the job's contract? */
bool ex_distinct_applies(const ex_job *job, mt_str persona);
/* Looks at what was done; `lock`: in the group's transaction. */
mt_err ex_distinct_look(const ex_job *job, mt_arena *a, st_tx *tx, const ex_act *act,
                        bool lock, ex_other *out);
/* The same, and the job is answered if it may not (job->answered). `tx` NULL: in a
 * transaction of its own, for a dry run. */
mt_err ex_distinct_refused(ex_job *job, st_tx *tx, const ex_act *act, bool lock);
/* It has acted; `record` says so. */
mt_err ex_distinct_note(const ex_job *job, ex_group *g, const ex_act *act,
                        const ct_change *done, uint32_t count, int64_t record);

#endif
