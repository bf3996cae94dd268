#include "host/graph_tell.h"

#include "base/json_write.h"

void ho_tell_run(mt_buf *out, const ho_run_result *result, const ho_graph_counts *n,
                 uint64_t episodes, const char *capture, uint64_t dead)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "capture");
    if (capture) {
        mt_jw_str(&w, mt_str_z(capture));
    } else {
        mt_jw_null(&w);
    }
    if (dead) {
        mt_jw_key_i64(&w, "dead_letters", (int64_t)dead);
    }
    mt_jw_key_i64(&w, "deferred", (int64_t)n->deferred);
    mt_jw_key_i64(&w, "episodes", (int64_t)episodes);
    mt_jw_key_i64(&w, "events", (int64_t)n->events);
    mt_jw_key_i64(&w, "failed", (int64_t)n->failed);
    mt_jw_key_i64(&w, "invoked", (int64_t)n->invoked);
    if (result->reason) {
        mt_jw_key_str(&w, "message", result->message);
        mt_jw_key_str(&w, "reason", mt_str_z(result->reason));
    }
    mt_jw_key_i64(&w, "skipped", (int64_t)n->skipped);
    mt_jw_key_str(&w, "status",
                  result->reason ? MT_STR("interrupted") : MT_STR("completed"));
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

/* The first place where what was recorded and what comes out now diverge. */
static void write_divergence(mt_jw *w, const ho_divergence *d)
{
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "code", mt_str_z(d->code));
    if (d->event != SIZE_MAX) {
        mt_jw_key_i64(w, "event", (int64_t)d->event);
        mt_jw_key_str(w, "event_id", d->event_id);
    }
    mt_jw_key_str(w, "field", d->field);
    mt_jw_key_str(w, "message", d->message);
    mt_jw_key_str(w, "node", d->node);
    mt_jw_key_str(w, "recorded", d->recorded);
    mt_jw_key_str(w, "replayed", d->replayed);
    mt_jw_end_object(w);
}

/* "verified" says that the replay took the same steps, "checksum" that the file is the
 * one that was written. One without the other proves less. */
void ho_tell_replay(mt_buf *out, const gr_capture_reader *c,
                    const ho_replay_result *result, ho_sum_state sum)
{
    static const char *const SUMS[] = {
        [HO_SUM_ABSENT] = "absent",
        [HO_SUM_GOOD] = "good",
        [HO_SUM_BAD] = "bad",
        [HO_SUM_UNREAD] = "unread",
    };
    MT_TABLE_COVERS(SUMS, HO_SUM_UNREAD + 1);
    mt_jw w = mt_jw_start(out, true);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "checksum", mt_str_z(SUMS[sum]));
    mt_jw_key_i64(&w, "deferred", (int64_t)result->counts.deferred);
    mt_jw_keyz(&w, "divergence");
    if (result->divergence.code) {
        write_divergence(&w, &result->divergence);
    } else {
        mt_jw_null(&w);
    }
    mt_jw_key_i64(&w, "events", (int64_t)result->counts.events);
    mt_jw_key_str(&w, "graph_id", gr_capture_start_of(c)->head.graph_id);
    mt_jw_key_i64(&w, "invoked", (int64_t)result->counts.invoked);
    mt_jw_key_i64(&w, "skipped", (int64_t)result->counts.skipped);
    mt_jw_key_bool(&w, "truncated", gr_capture_truncated(c));
    mt_jw_key_bool(&w, "verified", !result->divergence.code);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

void ho_tell_change(mt_buf *out, const ho_graph_change *c)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_i64(&w, "event", (int64_t)c->event);
    mt_jw_key_str(&w, "event_id", c->event_id);
    if (c->node.len) {
        mt_jw_key_str(&w, "node", c->node);
        mt_jw_key_str(&w, "node_now", c->node_now);
        mt_jw_key_str(&w, "node_was", c->node_was);
    }
    mt_jw_key_str(&w, "now", c->now);
    mt_jw_key_str(&w, "was", c->was);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

void ho_tell_whatif(mt_buf *out, const ho_whatif_result *r)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_i64(&w, "changed", (int64_t)r->changed);
    mt_jw_key_i64(&w, "events", (int64_t)r->events);
    mt_jw_key_i64(&w, "passed", (int64_t)r->passed);
    mt_jw_key_i64(&w, "refused", (int64_t)r->refused);
    mt_jw_key_i64(&w, "same", (int64_t)r->same);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}
