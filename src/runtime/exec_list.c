/* runtime/exec_list.c - one page of a list, read in one transaction.
 * Room: runtime. One row more than the page holds is asked for, so `next` is there
 * exactly while there is more. */
#include "runtime/exec.h"

bool rx_list_open(rx_list *l, rx_job *job)
{
    *l = (rx_list){.job = job};
    if (rx_query_page(job, &l->page)) {
        return true;
    }
    mt_err err = st_begin(job->x->store, ST_READ, &l->tx);
    if (err) {
        return rx_refuse_store(job, err);
    }
    l->left = l->page.limit++;
    l->w = rx_reply(job, 200);
    mt_jw_keyz(&l->w, "items");
    mt_jw_begin_array(&l->w);
    return false;
}

bool rx_list_take(rx_list *l)
{
    l->more = !l->left;
    l->left -= !l->more;
    return !l->more;
}

bool rx_list_close(rx_list *l, mt_err err)
{
    st_rollback(l->tx);
    if (err == MT_E_RANGE) {
        return rx_refuse(l->job, RX_BAD_REQUEST, "`after` is not a place in this list");
    }
    if (err) {
        return rx_refuse_store(l->job, err);
    }
    mt_jw_end_array(&l->w);
    if (l->more) {
        mt_jw_key_str(&l->w, "next", l->last);
    }
    rx_reply_end(&l->w);
    return true;
}
