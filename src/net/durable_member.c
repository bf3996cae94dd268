/* net/durable_member.c - see durable_member.h.
 * Invariants: acked <= passed <= heard; marks are in the order of their deliveries, so
 * `need` never falls; the backlog's first line has the number kept + 1 as soon as one
 * was stored. */
#include "net/durable_member.h"

#include <stdio.h>

/* ---- hearing ---- */

/* $JS.ACK.STREAM.CONSUMER.TIMES.SEQ.COUNT.TIME.PENDING, with two more words before the
 * stream and one at the end where the server has a domain. */
bool nt_delivery_read(mt_str reply, nt_delivery *out)
{
    mt_str words[13];
    size_t n = 0;
    if (!mt_str_starts(reply, MT_STR("$JS.ACK."))) {
        return false;
    }
    for (; reply.len && n < 13; n++) {
        words[n] = mt_str_from(reply.ptr, mt_str_find(reply, '.'));
        reply = mt_str_skip(reply, words[n].len + 1);
    }
    size_t at = n == 9 ? 4 : 6;
    if (n < 9) {
        return false;
    }
    out->consumer = words[at - 1];
    return (n == 9 || n == 11 || n == 12) && nt_number_read(words[at], &out->times) &&
           nt_number_read(words[at + 1], &out->seq) &&
           nt_number_read(words[at + 2], &out->count) && out->seq && out->count;
}

/* The last mark moves along with what is delivered until it is a full step ahead of the
 * one before. */
static void add_mark(nt_member *m, uint64_t need, mt_str reply)
{
    if (reply.len >= NT_REPLY_TEXT) {
        return;
    }
    bool step = !m->mark_count || m->since_mark >= NT_MARK_EVERY;
    if (step && m->mark_count < NT_MARKS) {
        m->mark_count++;
        m->since_mark = 0;
    }
    m->since_mark++;
    nt_mark *last = &m->marks[(m->first_mark + m->mark_count - 1) % NT_MARKS];
    last->need = need;
    memcpy(last->reply, reply.ptr, reply.len);
    last->reply[reply.len] = '\0';
}

bool nt_member_owns(const nt_member *m, mt_str subject)
{
    return mt_str_starts(subject, mt_str_from(m->subject, m->own));
}

nt_verdict nt_member_hear(nt_member *m, bool skip, mt_str reply, const nt_delivery *at)
{
    if (at->count != m->delivered + 1) {
        return NT_GAP;
    }
    m->delivered = at->count;
    bool known = at->seq <= m->acked;
    if (at->seq > m->heard) {
        m->heard = at->seq;
        m->passed = skip ? m->passed : at->seq;
    }
    add_mark(m, m->passed, reply);
    return skip || known ? NT_SKIP : NT_PASS;
}

const nt_mark *nt_member_due(nt_member *m)
{
    const nt_mark *due = NULL;
    while (m->mark_count && m->marks[m->first_mark].need <= m->acked) {
        due = &m->marks[m->first_mark];
        m->first_mark = (m->first_mark + 1) % NT_MARKS;
        m->mark_count--;
    }
    return due;
}

void nt_member_new_consumer(nt_member *m)
{
    m->round++;
    m->delivered = 0;
    m->mark_count = 0;
    m->consumer[0] = '\0';
}

/* ---- speaking ---- */

/* Words come in the order of the lines; one that comes before its turn follows one that
 * was refused, and will come again with it. */
bool nt_member_stored(nt_member *m, uint64_t number)
{
    if (number != nt_backlog_first(&m->backlog) || m->backlog.head == m->backlog.next) {
        return false;
    }
    nt_backlog_confirm(&m->backlog);
    m->kept = number;
    m->careful = false;
    m->hole &= m->backlog.text.len > m->backlog.head;
    return true;
}

void nt_member_settle(nt_member *m, uint64_t number)
{
    nt_backlog *b = &m->backlog;
    while (b->head < b->text.len && nt_backlog_first(b) <= number) {
        m->kept = nt_backlog_first(b);
        if (b->next == b->head) {
            nt_backlog_done(b); /* it was to be published again */
        }
        nt_backlog_confirm(b);
    }
}

void nt_member_again(nt_member *m, uint64_t number, int64_t again_ms)
{
    nt_backlog_rewind(&m->backlog, number);
    m->careful = true;
    m->again_ms = again_ms;
}
