/* net/relay_deliver.c - from the batch to the sockets, and what happens to those who
 * do not read.
 *
 * Marks of an agent's queue: above `high` it is full and the relay stops reading until
 * it has taken some; below `low` all is well again. An agent may hold the others back
 * only while it makes progress and has credit; credit is charged while somebody else
 * waits, and grows back at one part in a hundred. Without credit it is slow: what does
 * not fit `queue_bytes` is dropped for it alone, counted, and it is told how much it
 * missed once it has caught up.
 *
 * A batch is written straight from its buffer where nothing waits (an agent does not
 * hear itself, so it is at most two ranges); only what the socket does not take is
 * copied. All queues together stay below `memory_bytes`. */
#include "net/relay_state.h"

#include <stdio.h>

enum { KEEP_BYTES = 16384, COMPACT_BYTES = 65536, CREDIT_SHARE = 100 };

static size_t pending(const nt_conn *c)
{
    return c->out.len - c->out_head;
}

static size_t high_mark(const nt_relay *r)
{
    return r->config.queue_bytes / 2;
}

static size_t low_mark(const nt_relay *r)
{
    return r->config.queue_bytes / 4;
}

static void mark_full(nt_relay *r, nt_conn *c)
{
    if (!c->full && !c->who && pending(c) > high_mark(r)) {
        c->full = true;
        mt_vec_push(&r->arena, &r->full, c);
    }
}

static void unmark_full(nt_relay *r, nt_conn *c)
{
    for (size_t i = 0; c->full && i < r->full.len; i++) {
        if (r->full.items[i] == c) {
            r->full.items[i] = r->full.items[--r->full.len];
            c->full = false;
        }
    }
}

static void enqueue(nt_relay *r, nt_conn *c, const char *bytes, size_t len)
{
    if (!len) {
        return;
    }
    if (!pending(c)) {
        r->busy_count++;
        c->progress_ms = r->now_ms;
    }
    if (c->out_head > COMPACT_BYTES && c->out_head > c->out.len / 2) {
        memmove(c->out.ptr, c->out.ptr + c->out_head, pending(c));
        c->out.len -= c->out_head;
        c->out_head = 0;
    }
    mt_buf_add(&c->out, bytes, len);
    r->stats.queued_bytes += len;
    mark_full(r, c);
}

/* Forgets `taken` bytes at the head of the queue. */
static void dequeue(nt_relay *r, nt_conn *c, size_t taken)
{
    c->out_head += taken;
    r->stats.queued_bytes -= taken;
    if (pending(c)) {
        return;
    }
    r->busy_count--;
    c->out_head = 0;
    if (c->out.cap > KEEP_BYTES) {
        mt_buf_free(&c->out);
    }
    mt_buf_clear(&c->out);
}

static void become_slow(nt_relay *r, nt_conn *c)
{
    c->slow = true;
    r->stats.slow_readers++;
    nt_relay_say(r, "%s reads too slowly; it may lose lines", c->address);
}

/* It has caught up: tell it what it missed, and count on it again. */
static void recover(nt_relay *r, nt_conn *c)
{
    unmark_full(r, c);
    if (!c->slow) {
        return;
    }
    c->slow = false;
    r->stats.slow_readers--;
    if (c->missed) {
        char text[120];
        int len = snprintf(text, sizeof text,
                           "Warning: %llu messages were not delivered because you read "
                           "too slowly.\n",
                           (unsigned long long)c->missed);
        nt_relay_say(r, "%s missed %llu lines", c->address,
                     (unsigned long long)c->missed);
        c->missed = 0;
        enqueue(r, c, text, (size_t)len);
    }
}

static void wrote(nt_relay *r, nt_conn *c, size_t bytes)
{
    r->stats.bytes_out += bytes;
    c->progress_ms = r->now_ms;
}

void nt_relay_flush(nt_relay *r, nt_conn *c)
{
    while (!c->dead && c->joined && pending(c)) {
        ssize_t n = nt_stream_write(&c->stream, c->out.ptr + c->out_head, pending(c));
        if (n == NT_STREAM_WAIT) {
            break;
        }
        if (n <= 0) {
            nt_relay_kill(r, c);
            return;
        }
        wrote(r, c, (size_t)n);
        dequeue(r, c, (size_t)n);
        if ((c->full || c->slow) && pending(c) <= low_mark(r)) {
            recover(r, c);
        }
    }
}

void nt_relay_queue(nt_relay *r, nt_conn *c, mt_str text)
{
    enqueue(r, c, text.ptr, text.len);
}

void nt_relay_tell(nt_relay *r, nt_conn *c, mt_str text)
{
    enqueue(r, c, text.ptr, text.len);
    nt_relay_flush(r, c);
}

/* The parts of the batch that somebody else sent: at most two. */
static size_t ranges_for(const nt_relay *r, const nt_conn *c, struct iovec out[2])
{
    size_t cut = r->batch.len, resume = r->batch.len, count = 0;
    if (c->segment) {
        cut = r->segments.items[c->segment - 1].start;
        resume = r->segments.items[c->segment - 1].end;
    }
    if (cut) {
        out[count++] = (struct iovec){r->batch.ptr, cut};
    }
    if (resume < r->batch.len) {
        out[count++] = (struct iovec){r->batch.ptr + resume, r->batch.len - resume};
    }
    return count;
}

/* Straight from the batch to the socket; what it does not take is queued. */
static void send_now(nt_relay *r, nt_conn *c, struct iovec *ranges, size_t count)
{
    ssize_t n = count == 1
                    ? nt_stream_write(&c->stream, ranges[0].iov_base, ranges[0].iov_len)
                    : nt_stream_gather(&c->stream, ranges, count);
    if (n == NT_STREAM_BROKEN) {
        nt_relay_kill(r, c);
        return;
    }
    size_t taken = n > 0 ? (size_t)n : 0;
    if (taken) {
        wrote(r, c, taken);
    }
    for (size_t i = 0; i < count; i++) {
        size_t part = taken < ranges[i].iov_len ? taken : ranges[i].iov_len;
        taken -= part;
        enqueue(r, c, (const char *)ranges[i].iov_base + part,
                ranges[i].iov_len - part);
    }
}

static bool must_drop(const nt_relay *r, const nt_conn *c, size_t size)
{
    if (!pending(c)) {
        return false;
    }
    return (c->slow && pending(c) + size > r->config.queue_bytes) ||
           r->stats.queued_bytes + size > r->config.memory_bytes;
}

static void deliver_to(nt_relay *r, nt_conn *c, uint64_t lines)
{
    struct iovec ranges[2];
    size_t count = ranges_for(r, c, ranges), size = 0;
    for (size_t i = 0; i < count; i++) {
        size += ranges[i].iov_len;
    }
    if (!size) {
        return;
    }
    if (must_drop(r, c, size)) {
        r->stats.lines_dropped += lines;
        c->missed += lines;
        if (!c->slow) {
            become_slow(r, c);
        }
        return;
    }
    r->stats.lines_out += lines;
    if (!pending(c) && !c->stream.ssl) {
        send_now(r, c, ranges, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        enqueue(r, c, ranges[i].iov_base, ranges[i].iov_len);
    }
    if (c->stream.ssl) {
        nt_relay_flush(r, c);
    }
}

void nt_relay_deliver(nt_relay *r)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < r->segments.len; i++) {
        lines += r->segments.items[i].lines;
    }
    for (size_t i = 0; lines && i < r->conns.len; i++) {
        nt_conn *c = r->conns.items[i];
        if (c->joined && !c->dead && !c->who) { /* those have it from the stream */
            uint64_t own = c->segment ? r->segments.items[c->segment - 1].lines : 0;
            deliver_to(r, c, lines - own);
        }
        c->segment = 0;
    }
    mt_buf_clear(&r->batch);
    r->segments.len = 0;
}

static int64_t full_credit_us(const nt_relay *r)
{
    return (int64_t)r->config.hold_ms * 1000;
}

/* May this full agent hold the others back for `elapsed` more? */
static bool may_hold(nt_relay *r, nt_conn *c, int64_t elapsed_ms, bool others_wait)
{
    if (c->slow) {
        return false;
    }
    c->credit_us += (r->now_ms - c->credit_at_ms) * 1000 / CREDIT_SHARE;
    c->credit_at_ms = r->now_ms;
    if (c->credit_us > full_credit_us(r)) {
        c->credit_us = full_credit_us(r);
    }
    if (others_wait) {
        c->credit_us -= elapsed_ms * 1000;
    }
    if (c->credit_us <= 0 || r->now_ms - c->progress_ms > r->config.hold_ms) {
        become_slow(r, c);
        return false;
    }
    return true;
}

bool nt_relay_held(nt_relay *r)
{
    /* Whoever is neither behind nor speaking is waiting to be spoken to. */
    bool others_wait = r->conns.len > r->busy_count + r->ready_count;
    int64_t elapsed = r->holding ? r->now_ms - r->hold_ms : 0;
    bool hold = false;
    for (size_t i = 0; i < r->full.len; i++) {
        hold |= may_hold(r, r->full.items[i], elapsed, others_wait);
    }
    if (hold && !r->holding) {
        r->stats.holds++;
    }
    r->holding = hold;
    r->hold_ms = r->now_ms;
    return hold;
}
