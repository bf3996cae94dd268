/* exec/call/list.c - one page of a list, read in one transaction.
 * Room: exec. One row more than the page holds is asked for, so `next` is there
 * exactly while there is more. */
#include "exec/call/list.h"

#include "exec/call/request.h"

bool ex_refused_list(ex_list *l, ex_job *job)
{
    *l = (ex_list){.job = job};
    if (ex_refused_page(job, &l->page)) {
        return true;
    }
    mt_err err = st_begin(job->x->store, ST_READ, &l->tx);
    if (err) {
        return ex_refuse_store(job, err);
    }
    l->left = l->page.limit++;
    l->w = ex_reply_with(job, 200);
    mt_jw_keyz(&l->w, "items");
    mt_jw_begin_array(&l->w);
    return false;
}

bool ex_list_take(ex_list *l)
{
    l->more = !l->left;
    l->left -= !l->more;
    return !l->more;
}

bool ex_list_close(ex_list *l, mt_err err)
{
    st_rollback(l->tx);
    if (err == MT_E_RANGE) {
        return ex_refuse(l->job, EX_BAD_REQUEST, "`after` is not a place in this list");
    }
    if (err) {
        return ex_refuse_store(l->job, err);
    }
    mt_jw_end_array(&l->w);
    if (l->more) {
        mt_jw_key_str(&l->w, "next", l->last);
    }
    ex_reply_end(&l->w);
    return true;
}
