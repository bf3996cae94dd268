/* graph/capture_write.c - a capture to v3, a step to a journal line.
 *
 * A document is written in one order: head, what was carried over from the run before,
 * all events, all decisions, provenances. It can be written piece by piece
 * (gr_capture_begin() to gr_capture_end()), so a host need not hold it. A journal has
 * one line per step, with event and decision side by side and what is null, zero or
 * empty left out.
 *
 * The order of keys is that of the format, not of bytes: captures are the Execution
 * Model's documents and must be equal to those of other implementations. Payloads are
 * lists of numbers in a document and raw JSON in a journal.
 *
 * Acknowledgements come after their step, when the intents were sent: in a journal as
 * a line of their own, in a document inside the decision. Nothing can fail but the
 * buffer. */
#include "base/json_write.h"
#include "graph/capture.h"

/* Without the writer's i64: times and counts use all 64 bits. */
static void write_u64(mt_jw *w, uint64_t value)
{
    char digits[24];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    mt_jw_raw(w, mt_str_from(digits + at, sizeof digits - at));
}

static void write_time(mt_jw *w, gr_time t)
{
    mt_jw_begin_unsorted(w);
    mt_jw_keyz(w, "secs");
    write_u64(w, t.secs);
    mt_jw_key_i64(w, "nanos", t.nanos);
    mt_jw_end_object(w);
}

static void write_time_option(mt_jw *w, gr_time_option t)
{
    if (t.set) {
        write_time(w, t.at);
    } else {
        mt_jw_null(w);
    }
}

static void write_count_option(mt_jw *w, gr_count_option c)
{
    if (c.set) {
        write_u64(w, c.count);
    } else {
        mt_jw_null(w);
    }
}

/* Members in the order of the format, which is not sorted. */
static void write_config(mt_jw *w, const gr_constraints *c)
{
    mt_jw_begin_unsorted(w);
    mt_jw_keyz(w, "max_in_flight");
    write_count_option(w, c->max_in_flight);
    mt_jw_keyz(w, "max_per_window");
    write_count_option(w, c->max_per_window);
    mt_jw_keyz(w, "rate_window");
    write_time_option(w, c->rate_window);
    mt_jw_keyz(w, "deadline");
    write_time_option(w, c->deadline);
    mt_jw_key_i64(w, "max_retries", c->max_retries);
    mt_jw_end_object(w);
}

/* null: it was not run. A failure names its kind, so a replay can compare it. */
static void write_termination(mt_jw *w, const gr_decision *d)
{
    if (!d->ran) {
        mt_jw_null(w);
    } else if (d->termination.end != GR_END_FAILED) {
        mt_jw_str(w, mt_str_z(gr_end_name(d->termination.end)));
    } else {
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "Failed", mt_str_z(gr_failure_name(d->termination.fault)));
        mt_jw_end_object(w);
    }
}

static void write_ack(mt_jw *w, const gr_capture_ack *ack)
{
    mt_jw_begin_unsorted(w);
    mt_jw_key_str(w, "intent_id", ack->intent_id);
    mt_jw_key_str(w, "channel", ack->channel);
    mt_jw_key_str(w, "status", ack->status);
    mt_jw_key_str(w, "acceptance", ack->acceptance);
    if (ack->egress_ref.ptr) {
        mt_jw_key_str(w, "egress_ref", ack->egress_ref);
    }
    mt_jw_end_object(w);
}

/* The part of a decision that is known only after its intents were sent. */
static void write_dispatch(mt_jw *w, const gr_capture_decision *d)
{
    if (d->ack_count) {
        mt_jw_keyz(w, "intent_acks");
        mt_jw_begin_array(w);
        for (size_t i = 0; i < d->ack_count; i++) {
            write_ack(w, &d->acks[i]);
        }
        mt_jw_end_array(w);
    }
    if (d->interruption.ptr) {
        mt_jw_key_str(w, "interruption", d->interruption);
    }
}

/* The text that was hashed is written raw, next to its hash. */
static void write_effects(mt_jw *w, const gr_capture_decision *d)
{
    mt_jw_begin_array(w);
    for (size_t i = 0; i < d->effect_count; i++) {
        mt_jw_begin_object(w);
        mt_jw_keyz(w, "effect");
        mt_jw_raw(w, d->effects[i].effect);
        mt_jw_key_str(w, "effect_hash", d->effects[i].hash);
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
}

static void write_decision(mt_jw *w, const gr_capture_decision *d)
{
    mt_jw_begin_unsorted(w);
    mt_jw_key_str(w, "event_id", d->event_id);
    mt_jw_key_str(w, "decision", mt_str_z(gr_verdict_name(d->decision.verdict)));
    mt_jw_keyz(w, "schedule_at");
    write_time_option(w, d->decision.schedule_at);
    mt_jw_keyz(w, "episode_id");
    write_u64(w, d->decision.episode_id);
    mt_jw_keyz(w, "deadline");
    write_time_option(w, d->decision.deadline);
    mt_jw_keyz(w, "termination");
    write_termination(w, &d->decision);
    mt_jw_key_i64(w, "retry_count", d->decision.retry_count);
    mt_jw_keyz(w, "effects");
    write_effects(w, d);
    write_dispatch(w, d);
    mt_jw_end_object(w);
}

/* In a journal: the same without what is null, zero or empty, and without the event's
 * id, which stands beside it. */
static void write_terse_decision(mt_jw *w, const gr_capture_decision *d)
{
    mt_jw_begin_unsorted(w);
    mt_jw_key_str(w, "decision", mt_str_z(gr_verdict_name(d->decision.verdict)));
    if (d->decision.schedule_at.set) {
        mt_jw_keyz(w, "schedule_at");
        write_time(w, d->decision.schedule_at.at);
    }
    mt_jw_keyz(w, "episode_id");
    write_u64(w, d->decision.episode_id);
    if (d->decision.deadline.set) {
        mt_jw_keyz(w, "deadline");
        write_time(w, d->decision.deadline.at);
    }
    if (d->decision.ran) {
        mt_jw_keyz(w, "termination");
        write_termination(w, &d->decision);
    }
    if (d->decision.retry_count) {
        mt_jw_key_i64(w, "retry_count", d->decision.retry_count);
    }
    if (d->effect_count) {
        mt_jw_keyz(w, "effects");
        write_effects(w, d);
    }
    mt_jw_end_object(w);
}

/* [123,34,…]: by far the most of a v3 document, so written without the writer. */
static void write_bytes(mt_jw *w, mt_str bytes)
{
    mt_jw_begin_array(w);
    if (w->pretty) {
        for (size_t i = 0; i < bytes.len; i++) {
            mt_jw_i64(w, (unsigned char)bytes.ptr[i]);
        }
    } else if (bytes.len && mt_buf_room(w->out, 4 * bytes.len)) {
        for (size_t i = 0; i < bytes.len; i++) {
            mt_buf_add_u64(w->out, (unsigned char)bytes.ptr[i]);
            mt_buf_addc(w->out, ',');
        }
        w->out->len--;
    }
    mt_jw_end_array(w);
}

/* A journal leaves out a time of zero, which the reader takes for granted. */
static void write_event_head(mt_jw *w, const gr_capture_event *e, bool terse)
{
    mt_jw_key_str(w, "event_id", e->id);
    if (!terse || e->at.secs || e->at.nanos) {
        mt_jw_keyz(w, "event_time");
        write_time(w, e->at);
    }
    mt_jw_key_str(w, "kind", mt_str_z(gr_signal_kind_name(e->kind)));
}

static void write_event(mt_jw *w, const gr_capture_event *e)
{
    mt_jw_begin_object(w);
    write_event_head(w, e, false);
    mt_jw_keyz(w, "payload");
    write_bytes(w, e->payload);
    mt_jw_key_str(w, "payload_hash", e->payload_hash);
    mt_jw_end_object(w);
}

static void write_provenances(mt_jw *w, const gr_capture_head *head)
{
    mt_jw_key_str(w, "adapter_provenance", head->adapter_provenance);
    mt_jw_key_str(w, "runtime_provenance", head->runtime_provenance);
    if (head->egress_provenance.ptr) {
        mt_jw_key_str(w, "egress_provenance", head->egress_provenance);
    }
}

bool gr_carries(const gr_capture_carried *c)
{
    return c->run_count || c->waiting_count;
}

static void write_waiting(mt_jw *w, const gr_capture_waiting *x)
{
    mt_jw_begin_unsorted(w);
    mt_jw_key_str(w, "event_id", x->event_id);
    mt_jw_keyz(w, "schedule_at");
    write_time(w, x->schedule_at);
    mt_jw_keyz(w, "payload");
    write_bytes(w, x->payload);
    mt_jw_key_str(w, "payload_hash", x->payload_hash);
    mt_jw_end_object(w);
}

/* The members before "waiting". */
static void write_runs(mt_jw *w, const gr_capture_carried *c)
{
    mt_jw_keyz(w, "now");
    write_time(w, c->now);
    mt_jw_keyz(w, "runs");
    mt_jw_begin_array(w);
    for (size_t i = 0; i < c->run_count; i++) {
        write_time(w, c->runs[i]);
    }
    mt_jw_end_array(w);
}

/* What a run takes over from the one before, so that a capture can be replayed on its
 * own. */
static void write_carried(mt_jw *w, const gr_capture_carried *c)
{
    mt_jw_begin_object(w);
    write_runs(w, c);
    mt_jw_keyz(w, "waiting");
    mt_jw_begin_array(w);
    for (size_t i = 0; i < c->waiting_count; i++) {
        write_waiting(w, &c->waiting[i]);
    }
    mt_jw_end_array(w);
    mt_jw_end_object(w);
}

/* The writer is streaming: events, gr_capture_turn(), decisions, end. An unfinished one
 * is not JSON, which is how a cut capture is noticed. */
gr_capture_writer gr_capture_begin(mt_buf *out, const gr_capture_head *head,
                                   const gr_capture_carried *carried, bool pretty)
{
    mt_jw w = mt_jw_start(out, pretty);
    mt_jw_begin_unsorted(&w);
    mt_jw_key_str(&w, "capture_version", MT_STR("v3"));
    mt_jw_key_str(&w, "graph_id", head->graph_id);
    mt_jw_keyz(&w, "config");
    write_config(&w, &head->config);
    if (gr_carries(carried)) {
        mt_jw_keyz(&w, "carried");
        write_carried(&w, carried);
    }
    mt_jw_keyz(&w, "events");
    mt_jw_begin_array(&w);
    return (gr_capture_writer){w};
}

void gr_capture_add_event(gr_capture_writer *w, const gr_capture_event *event)
{
    write_event(&w->w, event);
}

/* Exactly once, between the last event and the first decision. */
void gr_capture_turn(gr_capture_writer *w)
{
    mt_jw_end_array(&w->w);
    mt_jw_keyz(&w->w, "decisions");
    mt_jw_begin_array(&w->w);
}

void gr_capture_add_decision(gr_capture_writer *w, const gr_capture_decision *decision)
{
    write_decision(&w->w, decision);
}

/* The provenances stand at the end, as the format has them; only with them a capture is
 * complete. */
void gr_capture_end(gr_capture_writer *w, const gr_capture_head *head)
{
    mt_jw_end_array(&w->w);
    write_provenances(&w->w, head);
    mt_jw_end_object(&w->w);
    mt_buf_addc(w->w.out, '\n');
}

void gr_capture_write(mt_buf *out, const gr_capture *capture, bool pretty)
{
    gr_capture_writer w =
        gr_capture_begin(out, &capture->head, &capture->carried, pretty);
    for (size_t i = 0; i < capture->events.len; i++) {
        gr_capture_add_event(&w, &capture->events.items[i]);
    }
    gr_capture_turn(&w);
    for (size_t i = 0; i < capture->decisions.len; i++) {
        gr_capture_add_decision(&w, &capture->decisions.items[i]);
    }
    gr_capture_end(&w, &capture->head);
}

/* ---- journal ---- */

/* The first line of a journal has all that a resumed run must agree with. */
void gr_journal_head(mt_buf *out, const gr_capture_head *head)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_unsorted(&w);
    mt_jw_key_str(&w, "journal", MT_STR("motet-graph/1"));
    mt_jw_key_str(&w, "graph_id", head->graph_id);
    mt_jw_keyz(&w, "config");
    write_config(&w, &head->config);
    write_provenances(&w, head);
    if (head->key.len) {
        mt_jw_key_str(&w, "key", head->key);
    }
    if (head->primitives.len) {
        mt_jw_key_str(&w, "primitives", head->primitives);
    }
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

/* A payload is JSON already and stands in a journal as it is; an absent one is
 * empty. */
static void write_raw_payload(mt_jw *w, mt_str payload, mt_str hash)
{
    if (payload.len) {
        mt_jw_keyz(w, "payload");
        mt_jw_raw(w, payload);
    }
    mt_jw_key_str(w, "payload_hash", hash);
}

/* Event and decision are one line: after a crash a step is there as a whole or not at
 * all. */
void gr_journal_step(mt_buf *out, const gr_capture_event *event,
                     const gr_capture_decision *decision)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_unsorted(&w);
    mt_jw_keyz(&w, "event");
    mt_jw_begin_object(&w);
    write_event_head(&w, event, true);
    write_raw_payload(&w, event->payload, event->payload_hash);
    mt_jw_end_object(&w);
    mt_jw_keyz(&w, "decision");
    write_terse_decision(&w, decision);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

void gr_journal_carried(mt_buf *out, const gr_capture_carried *carried)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "carried");
    mt_jw_begin_object(&w);
    write_runs(&w, carried);
    mt_jw_end_object(&w);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

void gr_journal_waiting(mt_buf *out, const gr_capture_waiting *waiting)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "waiting");
    mt_jw_begin_unsorted(&w);
    mt_jw_key_str(&w, "event_id", waiting->event_id);
    mt_jw_keyz(&w, "schedule_at");
    write_time(&w, waiting->schedule_at);
    write_raw_payload(&w, waiting->payload, waiting->payload_hash);
    mt_jw_end_object(&w);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

/* Written after the dispatch, as a line of its own: the step's line is durable before
 * anything leaves. */
void gr_journal_acks(mt_buf *out, const gr_capture_decision *decision)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "dispatched", decision->event_id);
    write_dispatch(&w, decision);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}
