/* exec/call/list.h - pages of what the store has.
 * Room: exec. */
#ifndef EX_LIST_H
#define EX_LIST_H

#include "exec/call/problem.h"

/* One page on its way into the reply. */
typedef struct ex_list {
    ex_job *job;
    st_tx *tx;
    mt_jw w;      /* inside `items` */
    st_page page; /* with room for one row more */
    uint32_t left;
    bool more;
    mt_str last; /* key of the page's last row: set it when `left` is 0 */
} ex_list;
/* Refused, and nothing is open; or a transaction and a reply are. */
bool ex_refused_list(ex_list *l, ex_job *job);
/* Is there room for this row? */
bool ex_list_take(ex_list *l);
/* Ends transaction and reply; always true. */
bool ex_list_close(ex_list *l, mt_err err);
/* A record, as far as the caller may read it. One page of them; `scope`: only those of
 * contracts that share the subject there. */
void ex_record_json(mt_jw *w, const ex_job *job, const st_record *r);
bool ex_list_records(ex_job *job, st_record_filter *f, mt_str scope);
/* The same for who reads the ledger: records of contracts that it may not read are left
 * out. */
bool ex_list_ledger(ex_job *job, st_record_filter *f);

#endif
