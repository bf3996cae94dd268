/* runtime/exec_flow.h - what the two halves of flows share: beginning, and going on.
 * Room: runtime, private to exec_flow*.c and what starts flows. */
#ifndef RT_EXEC_FLOW_H
#define RT_EXEC_FLOW_H

#include "runtime/exec.h"

/* One turn of one flow in one transaction. */
typedef struct rx_turn {
    rx_job *job;
    rx_group *g;
    ct_run *run; /* NULL: none was taken up (a cancellation) */
    const rt_caller *who;
    st_flow row;
    bool is_new;
    int64_t record; /* the last one written */
    mt_err err;     /* the store's, out of a host's callback */
} rx_turn;

/* One more turn of a flow whose row the group has locked; the job has its snapshot. */
mt_err rx_flow_turn(rx_job *job, rx_group *g, rx_flow_row *f, const rt_caller *who);
/* The same for a job whose flow is not finished. */
mt_err rx_flow_continue(rx_job *job, rx_group *g);
/* Binds the job's snap as the row says. True: refused. */
bool rx_flow_bind(rx_job *job, const st_flow *row);
/* The end of a flow: its record, and what follows from it (x->flow_ended). */
mt_err rx_record_flow_ended(rx_turn *t, mt_str error);
/* A flow's row as JSON: its members; a whole answer. */
void rx_flow_members(mt_jw *w, const st_flow *row);
void rx_reply_flow(rx_job *job, const st_flow *row);

#endif
