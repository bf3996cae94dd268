/* whatif/flows.c - the flows a replay has begun to read.
 * Room: whatif.
 * A hash of execution ids. A flow that ended gives its buffers to the next one, so
 * after warm-up nothing is allocated. */
#include <stdlib.h>

#include "base/map.h"
#include "whatif/impl.h"

/* The link that points to the flow of that id, or the empty link at the end of its
 * bucket, where a new one goes. Needs size > 0. */
static wi_flow **place(const wi_flows *f, uint64_t hash, mt_str id)
{
    wi_flow **at = &f->buckets[hash & (f->size - 1)];
    while (*at && ((*at)->hash != hash || !mt_str_eq(mt_buf_str(&(*at)->id), id))) {
        at = &(*at)->next;
    }
    return at;
}

wi_flow *wi_flow_find(const wi_flows *f, mt_str id)
{
    return f->size ? *place(f, mt_hash(id), id) : NULL;
}

/* Hashes are kept with the flows, so nothing is hashed again. */
static void grow(wi_flows *f)
{
    size_t size = f->size ? f->size * 2 : 256;
    wi_flow **buckets = mt_xmalloc(mt_array_bytes(size, sizeof *buckets));
    memset(buckets, 0, size * sizeof *buckets);
    for (size_t i = 0; i < f->size; i++) {
        for (wi_flow *flow = f->buckets[i], *next; flow; flow = next) {
            next = flow->next;
            wi_flow **at = &buckets[flow->hash & (size - 1)];
            flow->next = *at;
            *at = flow;
        }
    }
    free(f->buckets);
    f->buckets = buckets;
    f->size = size;
}

/* Flows that have ended give their buffers to the next one. */
static wi_flow *take(wi_flows *f)
{
    wi_flow *flow = f->spare;
    if (flow) {
        f->spare = flow->next;
        return flow;
    }
    flow = mt_xmalloc(sizeof *flow);
    *flow = (wi_flow){0};
    return flow;
}

wi_flow *wi_flow_add(wi_flows *f, mt_str id, uint64_t seq)
{
    if (f->len >= f->size) {
        grow(f);
    }
    uint64_t hash = mt_hash(id);
    wi_flow **at = place(f, hash, id);
    if (!*at) {
        wi_flow *flow = take(f);
        flow->next = NULL;
        flow->hash = hash;
        mt_buf_clear(&flow->id);
        mt_buf_adds(&flow->id, id);
        *at = flow;
        f->len++;
    }
    (*at)->seq = seq;
    mt_buf_clear(&(*at)->text);
    mt_buf_clear(&(*at)->parts);
    return *at;
}

void wi_flow_keep(wi_flow *flow, mt_str body, bool waiting)
{
    wi_part part = {flow->text.len, body.len, waiting};
    mt_buf_adds(&flow->text, body);
    mt_buf_add(&flow->parts, (const char *)&part, sizeof part);
}

void wi_flow_drop(wi_flows *f, wi_flow *flow)
{
    wi_flow **at = place(f, flow->hash, mt_buf_str(&flow->id));
    *at = flow->next;
    flow->next = f->spare;
    f->spare = flow;
    f->len--;
}

size_t wi_flow_part_count(const wi_flow *flow)
{
    return flow->parts.len / sizeof(wi_part);
}

mt_str wi_flow_part(const wi_flow *flow, size_t i, bool *waiting)
{
    wi_part part;
    memcpy(&part, flow->parts.ptr + i * sizeof part, sizeof part);
    *waiting = part.waiting;
    return mt_str_from(flow->text.ptr + part.at, part.len);
}

static void free_list(wi_flow *flow)
{
    for (wi_flow *next; flow; flow = next) {
        next = flow->next;
        mt_buf_free(&flow->id);
        mt_buf_free(&flow->text);
        mt_buf_free(&flow->parts);
        free(flow);
    }
}

void wi_flows_free(wi_flows *f)
{
    for (size_t i = 0; i < f->size; i++) {
        free_list(f->buckets[i]);
    }
    free_list(f->spare);
    free(f->buckets);
}
