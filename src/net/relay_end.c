/* net/relay_end.c - the end of a connection: first marked, then buried.
 * Room: net. Any part may mark one while others still hold it; the loop buries them
 * when nobody does. */
#include "net/relay_state.h"

#include <stdlib.h>

void nt_relay_kill(nt_relay *r, nt_conn *c)
{
    if (!c->dead) {
        c->dead = true;
        mt_vec_push(&r->arena, &r->dead, c);
    }
}

static void remove_full(nt_relay *r, const nt_conn *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->full.len; i++) {
        if (r->full.items[i] != c) {
            r->full.items[kept++] = r->full.items[i];
        }
    }
    r->full.len = kept;
}

static void remove_ready(nt_relay *r, const nt_conn *c)
{
    nt_conn **link = &r->ready_first, *last = NULL;
    while (*link) {
        if (*link == c) {
            *link = c->next_ready;
            r->ready_count--;
        } else {
            last = *link;
            link = &(*link)->next_ready;
        }
    }
    r->ready_last = last;
}

static void bury_one(nt_relay *r, nt_conn *c)
{
    size_t waiting = c->out.len - c->out_head;
    r->stats.queued_bytes -= waiting;
    r->busy_count -= waiting > 0;
    r->stats.slow_readers -= c->slow;
    r->stats.connections--;
    if (c->who) {
        nt_durable_leave(r->durable, c->who);
        r->stats.durable_agents--;
    }
    r->flush_next = r->flush_next == c ? NULL : r->flush_next;
    if (c->full) {
        remove_full(r, c);
    }
    if (c->ready) {
        remove_ready(r, c);
    }
    nt_conn *last = r->conns.items[--r->conns.len];
    r->conns.items[c->index] = last;
    last->index = c->index;
    nt_stream_close(&c->stream);
    ag_framer_free(&c->framer);
    mt_buf_free(&c->out);
    free(c);
}

void nt_relay_bury(nt_relay *r)
{
    for (size_t i = 0; i < r->dead.len; i++) {
        bury_one(r, r->dead.items[i]);
    }
    r->dead.len = 0;
}
