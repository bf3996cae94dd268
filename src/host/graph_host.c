/* host/graph_host.c - one step after the other.
 *
 * A step builds the event (merge, schema), notes its id, asks the supervisor, which
 * runs the graph through run_graph(), checks the effects, writes the journal line,
 * applies the writes and sends the intents, each of them recorded before the next.
 * Three ways lead through what was recorded: replay() runs the graph again, for who
 * compares; follow() takes the record's word, for who goes on; carry() and the option
 * `carried` hand what the supervisor holds to the next capture.
 *
 * INVARIANT: nothing is applied or sent that is not in the journal, and an intent
 * leaves only after its line is on disk. Before the first step nothing is written.
 * May fail: events that are refused (MT_E_REJECTED, nothing happened), channels
 * (MT_E_CLOSED), the journal and the id keeper (anything else; the run must end). */
#include "host/graph_host.h"

#include <stdlib.h>

#include "base/json_write.h"
#include "base/map.h"
#include "host/graph_lanes.h"
#include "host/graph_merge.h"
#include "host/graph_windows.h"
#include "os/clock.h"

/* One event on its way through the supervisor. */
typedef struct pending {
    mt_str event_id;
    const gr_value *context; /* the snapshot the event came with */
    mt_str payload;          /* what the context was read from */
    mt_arena *own; /* a deferred event's own memory, NULL while it is being stepped */
} pending;

struct ho_graph_host {
    ho_graph_options o;
    gr_supervisor *supervisor; /* of the lane, if there are lanes */
    ho_lanes *lanes;           /* NULL: the graph has one history */
    ho_lane *lane;             /* the one whose turn it is */
    gr_supervisor *shared;     /* serves every lane while nothing is held back */
    gr_episode *episode;
    ho_windows *windows; /* NULL: none are declared, or a replay has their values */
    mt_arena ids;        /* keys of `seen` */
    mt_map seen;         /* HST-9: event ids; value: how often a journal has it */
    mt_arena scratch;    /* one step */
    mt_arena *retired;   /* a deferred event that has just run */
    mt_buf payload, text;
    uint32_t runs; /* of the graph in this step: HST-3 */
    bool begun;    /* the journal has its head */
    const gr_decision *recorded;
    mt_arena due; /* the pump that ho_graph_host_due() gave last */
    ho_graph_counts counts;
    ho_graph_problem problem;
    mt_arena problem_arena;
};

static mt_err refuse(ho_graph_host *h, const char *code, mt_str message)
{
    mt_arena_reset(&h->problem_arena);
    h->problem = (ho_graph_problem){code, mt_str_dup(&h->problem_arena, message)};
    return MT_E_REJECTED;
}

/* ---- what the supervisor asks ---- */

static bool too_late(const gr_time_option *deadline, uint64_t started)
{
    gr_time d = deadline->at;
    return d.secs < UINT64_MAX / 2000000000u &&
           os_clock_ns(CLOCK_MONOTONIC) - started > d.secs * 1000000000u + d.nanos;
}

static gr_termination termination_of(gr_fault_code code)
{
    switch (gr_fault_class_of(code)) {
    case GR_FAULT_NOTHING: return (gr_termination){.end = GR_END_COMPLETED};
    case GR_FAULT_SEMANTIC:
        return (gr_termination){GR_END_FAILED, GR_FAILURE_SEMANTIC_ERROR};
    case GR_FAULT_RUNTIME: break;
    }
    return (gr_termination){GR_END_FAILED, GR_FAILURE_RUNTIME_ERROR};
}

/* The supervisor's way to run an episode. The deadline is measured after the fact: a
 * pass cannot be interrupted, and its effects are dropped if it was late. */
static gr_termination run_graph(void *state, void *handle, uint32_t attempt)
{
    ho_graph_host *h = state;
    const pending *p = handle;
    const gr_time_option *deadline = &h->o.limits.deadline;
    bool measured = deadline->set && !h->recorded;
    uint64_t started = measured ? os_clock_ns(CLOCK_MONOTONIC) : 0;
    (void)attempt;
    h->runs++;
    gr_fault_code code = gr_run(h->episode, p->context, p->event_id);
    /* Only the clock knows this, so a replay takes it from the record. */
    bool late = measured ? too_late(deadline, started)
                         : h->recorded && h->recorded->ran &&
                               h->recorded->termination.end == GR_END_TIMED_OUT;
    return late ? (gr_termination){.end = GR_END_TIMED_OUT} : termination_of(code);
}

/* A deferred episode keeps the snapshot it came with (§6.3), not what is stored later.
 */
static void *keep_event(void *state, void *handle)
{
    ho_graph_host *h = state;
    const pending *p = handle;
    mt_arena *own = mt_xmalloc(sizeof *own);
    *own = (mt_arena){0};
    uint32_t count = h->o.graph->key_count;
    gr_value *context = mt_new_array(own, gr_value, count);
    for (uint32_t i = 0; i < count; i++) {
        context[i] = gr_value_dup(own, p->context[i]);
    }
    pending *kept = mt_new(own, pending);
    *kept = (pending){mt_str_dup(own, p->event_id), context,
                      mt_str_dup(own, p->payload), own};
    return kept;
}

static void free_retired(ho_graph_host *h)
{
    if (h->retired) {
        mt_arena_free(h->retired);
        free(h->retired);
        h->retired = NULL;
    }
}

/* The effects of its run still borrow from it, so it goes with the next step. */
static void drop_event(void *state, void *handle)
{
    ho_graph_host *h = state;
    free_retired(h);
    h->retired = ((pending *)handle)->own;
}

static void begin_step(ho_graph_host *h)
{
    free_retired(h);
    mt_arena_reset(&h->scratch);
}

/* ---- construction ---- */

static void complain(mt_diags *ds, const char *code, mt_str message, mt_str hint)
{
    mt_diag_add(ds, &(mt_diag){.severity = MT_ERROR,
                               .code = code,
                               .pass = -1,
                               .message = message,
                               .hint = hint});
}

/* RUN-CANON-2. */
static void check_adapter_need(const ho_graph_options *o, mt_diags *ds)
{
    const gr_graph *g = o->graph;
    if (o->adapter) {
        return;
    }
    if (gr_needs_adapter(g)) {
        complain(ds, "adapter.required_for_graph",
                 MT_STR("this graph reads required context keys or has effects, so it "
                        "needs an adapter"),
                 MT_STR("give one with --adapter FILE"));
    } else if (o->production) {
        complain(ds, "adapter.production_requires_adapter",
                 MT_STR("a graph driven by a process needs an adapter"),
                 MT_STR("give one with --adapter FILE, or run it on a fixture"));
    }
}

/* HST-5: every effect kind the graph can emit has exactly one owner. */
static void check_coverage(const ho_graph_options *o, mt_diags *ds)
{
    bool routes = o->adapter && !o->replay && !o->unrouted;
    for (uint32_t i = 0; routes && i < o->graph->effect_kind_count; i++) {
        mt_str kind = o->graph->effect_kinds[i];
        bool handled = mt_str_is(kind, GR_SET_CONTEXT);
        bool routed = o->egress && ho_egress_routes(o->egress, kind);
        if (handled && routed) {
            complain(ds, "HST-5",
                     MT_STR("set_context is applied by the host and cannot be routed"),
                     MT_STR("remove the route from the egress configuration"));
        } else if (!handled && !routed) {
            complain(
                ds, "HST-5",
                mt_strf(ds->arena, "nothing takes the intent '%.*s'", MT_ARG(kind)),
                MT_STR("route it to a channel in the egress configuration"));
        }
    }
}

/* A route the adapter does not know could never be used: more likely a misspelt one. */
static void check_routes(const ho_graph_options *o, mt_diags *ds)
{
    for (size_t i = 0; o->egress && i < ho_egress_route_count(o->egress); i++) {
        mt_str kind = ho_egress_route_at(o->egress, i);
        if (!o->adapter || !gr_adapter_effect(o->adapter, kind)) {
            complain(ds, "host.configuration_invalid",
                     mt_strf(ds->arena,
                             "the adapter does not accept '%.*s', which the "
                             "egress configuration routes",
                             MT_ARG(kind)),
                     MT_STR("accept it in the adapter or remove the route"));
        }
    }
}

gr_capture_head ho_graph_host_head(const ho_graph_host *h)
{
    return (gr_capture_head){
        .key = h->o.key,
        .primitives = h->o.primitives,
        .graph_id = h->o.graph->id,
        .config = h->o.limits,
        .adapter_provenance = h->o.adapter ? h->o.adapter->fingerprint : MT_STR("none"),
        .runtime_provenance = h->o.graph->provenance,
        .egress_provenance =
            h->o.egress ? ho_egress_provenance(h->o.egress) : (mt_str){0},
    };
}

/* The event whose payload was recorded, as it was before the supervisor. */
static mt_err pend(ho_graph_host *h, mt_str event_id, mt_str payload, pending *out,
                   mt_json *recorded)
{
    mt_json object = {.type = MT_JSON_OBJECT};
    mt_json_error why;
    payload = mt_str_dup(&h->scratch, payload); /* intents borrow from it */
    if (payload.len && (mt_json_read(&h->scratch, payload, NULL, &object, &why) ||
                        object.type != MT_JSON_OBJECT)) {
        return refuse(h, "replay.invalid_payload",
                      MT_STR("the recorded payload is not a JSON object"));
    }
    mt_json sorted = ho_graph_merge(&h->scratch, NULL, NULL, &h->o.context, &object);
    *out = (pending){event_id, ho_graph_snapshot(&h->scratch, h->o.graph, &sorted),
                     payload, NULL};
    if (recorded) {
        *recorded = sorted;
    }
    return MT_OK;
}

/* Events that waited when the capture before ended wait on, with the snapshots they
 * had. */
static mt_err take_over(ho_graph_host *h, const gr_capture_carried *c)
{
    gr_waiting *waiting = mt_new_array(&h->ids, gr_waiting, c->waiting_count);
    size_t count = 0;
    mt_err err = MT_OK;
    for (; count < c->waiting_count && !err; count++) {
        pending p;
        err = pend(h, c->waiting[count].event_id, c->waiting[count].payload, &p, NULL);
        if (err) {
            break;
        }
        waiting[count] = (gr_waiting){.schedule_at = c->waiting[count].schedule_at,
                                      .kept = keep_event(h, &p)};
        mt_arena_reset(&h->scratch);
    }
    gr_supervisor_restore(
        h->supervisor,
        &(gr_supervisor_state){c->now, c->runs, c->run_count, waiting, count});
    return err ? MT_E_CORRUPT : MT_OK;
}

static gr_supervisor *new_supervisor(ho_graph_host *h)
{
    return gr_supervisor_new(
        h->o.limits, (gr_supervisor_host){h, run_graph, keep_event, drop_event});
}

/* ---- lanes ---- */

enum { KEY_MOST = 1000 };

bool ho_graph_key_of(const mt_json *payload, mt_str key, mt_str *value)
{
    const mt_json *node = payload ? mt_json_get(payload, key) : NULL;
    *value = mt_json_is(node, MT_JSON_STRING) ? mt_json_text(node) : MT_STR("");
    return value->len >= 1 && value->len <= KEY_MOST;
}

/* What the host works with becomes that of the lane; the one before keeps its own. */
static void enter_lane(ho_graph_host *h, ho_lane *lane)
{
    bool holds = gr_constraints_hold(&h->o.limits);
    if (holds && !lane->supervisor) {
        lane->supervisor = new_supervisor(h);
    } else if (!holds) {
        gr_supervisor_clock before = gr_supervisor_turn(h->shared, lane->clock);
        if (h->lane) {
            h->lane->clock = before;
        }
    }
    if (!lane->windows && !h->o.replay) {
        lane->windows = ho_windows_new(h->o.adapter);
    }
    h->supervisor = holds ? lane->supervisor : h->shared;
    h->windows = lane->windows;
    h->o.context = ho_lane_context(lane);
    h->lane = lane;
}

/* Whose event it is: told by the event itself, never by the context. */
static mt_err choose_lane(ho_graph_host *h, const mt_json *payload)
{
    mt_str value;
    if (!h->lanes) {
        return MT_OK;
    }
    if (!ho_graph_key_of(payload, h->o.key, &value)) {
        return refuse(h, "host.missing_key",
                      mt_strf(&h->scratch,
                              "the event has no '%.*s', text of 1 to %d bytes",
                              MT_ARG(h->o.key), KEY_MOST));
    }
    ho_lane *lane = ho_lane_of(h->lanes, value);
    if (lane != h->lane) {
        enter_lane(h, lane);
    }
    return MT_OK;
}

mt_err ho_graph_host_new(const ho_graph_options *options, mt_diags *ds,
                         ho_graph_host **out)
{
    size_t before = ds->errors;
    *out = NULL;
    check_adapter_need(options, ds);
    if (options->adapter) {
        (void)gr_adapter_compose(options->adapter, options->graph, ds);
    }
    check_coverage(options, ds);
    check_routes(options, ds);
    if (ds->errors > before) {
        return MT_E_REJECTED;
    }
    ho_graph_host *h = mt_xmalloc(sizeof *h);
    *h = (ho_graph_host){.o = *options};
    h->episode = gr_episode_new(options->graph);
    bool windows =
        !options->replay && !options->key.len; /* else each lane has its own */
    h->windows = windows ? ho_windows_new(options->adapter) : NULL;
    h->shared = h->supervisor = new_supervisor(h);
    h->lanes = options->key.len ? ho_lanes_new() : NULL;
    *out = h;
    return options->carried ? take_over(h, options->carried) : MT_OK;
}

void ho_graph_host_free(ho_graph_host *h)
{
    if (!h) {
        return;
    }
    gr_supervisor_free(h->shared);
    if (h->lanes) {
        ho_lanes_free(h->lanes);
    } else {
        ho_windows_free(h->windows);
    }
    free_retired(h);
    gr_episode_free(h->episode);
    mt_arena_free(&h->ids);
    mt_arena_free(&h->scratch);
    mt_arena_free(&h->due);
    mt_arena_free(&h->problem_arena);
    mt_buf_free(&h->payload);
    mt_buf_free(&h->text);
    free(h);
}

/* ---- building the event ---- */

/* Kind, payload, merge with the context, schema: in this order, each with its own
 * code. */
static mt_err build_checked(ho_graph_host *h, const ho_graph_event *event,
                            mt_json *merged)
{
    mt_arena *a = &h->scratch;
    if (!event->semantic_kind.ptr) {
        return refuse(
            h, "host.missing_semantic_kind",
            MT_STR("an event needs a semantic_kind when there is an adapter"));
    }
    const gr_adapter_schema *kind =
        gr_adapter_event(h->o.adapter, event->semantic_kind);
    if (!kind) {
        return refuse(h, "host.unknown_semantic_kind",
                      mt_strf(a, "the adapter has no event kind '%.*s'",
                              MT_ARG(event->semantic_kind)));
    }
    if (!event->payload) {
        return refuse(h, "host.missing_payload",
                      MT_STR("an event needs a payload when there is an adapter"));
    }
    *merged = ho_graph_merge(a, h->o.adapter, kind, &h->o.context, event->payload);
    gr_schema_error why;
    if (kind->schema && gr_schema_check(kind->schema, a, merged, &why)) {
        return refuse(h, "host.event_build_failed",
                      mt_strf(a,
                              "the payload breaks the schema of '%.*s' at %.*s: %.*s",
                              MT_ARG(event->semantic_kind), MT_ARG(why.path),
                              MT_ARG(why.message)));
    }
    *merged = ho_graph_merge_derived(a, h->o.graph, &h->o.context, merged);
    return MT_OK;
}

/* Without an adapter nothing is declared, so only the form of the payload is checked.
 */
static mt_err build(ho_graph_host *h, const ho_graph_event *event, mt_json *merged)
{
    if (event->payload && event->payload->type != MT_JSON_OBJECT) {
        return refuse(h, "host.payload_must_be_object",
                      mt_strf(&h->scratch, "the payload must be an object, not a %s",
                              mt_json_type_name(event->payload)));
    }
    if (h->o.adapter && !event->own) {
        return build_checked(h, event, merged);
    }
    *merged = ho_graph_merge(&h->scratch, NULL, NULL, &h->o.context, event->payload);
    return MT_OK;
}

static bool filtered(const ho_graph_host *h, const ho_graph_event *event)
{
    for (size_t i = 0; event->semantic_kind.ptr && i < h->o.skip_kind_count; i++) {
        if (mt_str_eq(h->o.skip_kinds[i], event->semantic_kind)) {
            return true;
        }
    }
    return false;
}

static mt_map_entry *note_here(ho_graph_host *h, mt_str id, bool *again)
{
    bool added;
    mt_map_entry *e = mt_map_add(&h->ids, &h->seen, id, &added);
    if (added) {
        e->key = mt_str_dup(&h->ids, id); /* the event's own text does not last */
    }
    *again = !added;
    return e;
}

/* Was it an event of a version that called it otherwise? What was noted before it was
 * even stored is another one that had the same name. */
static mt_err was_former(ho_graph_host *h, const ho_graph_event *event, bool *again)
{
    const ho_event_ids *ids = &h->o.ids;
    if (ids->noted_since) {
        return ids->noted_since(ids->state, event->former_id, event->stored, again);
    }
    *again = mt_map_find(&h->seen, event->former_id) != NULL;
    return MT_OK;
}

static mt_err is_used(ho_graph_host *h, mt_str id, bool *used)
{
    if (h->o.ids.note) {
        return h->o.ids.note(h->o.ids.state, id, used);
    }
    *used = mt_map_find(&h->seen, id) != NULL;
    return MT_OK;
}

/* A pump of the host's own is never one that was: what it lets go would wait no more.
 * If somebody has called an event so, it gets a number behind its name. */
static mt_err name_own(ho_graph_host *h, ho_graph_event *pump)
{
    mt_str name = pump->id;
    bool used = false;
    mt_err err = is_used(h, pump->id, &used);
    for (uint64_t n = 2; used && !err; n++) {
        mt_str number = mt_strf(&h->scratch, "%llu", (unsigned long long)n);
        pump->id = ho_graph_pump_name(&h->scratch, name, number);
        err = is_used(h, pump->id, &used);
    }
    return err;
}

/* HST-9. *again when the id was seen and the configuration skips such events. */
static mt_err note_id(ho_graph_host *h, const ho_graph_event *event, bool *again)
{
    mt_str id = event->id;
    mt_err err = MT_OK;
    if (h->o.ids.note) {
        err = h->o.ids.note(h->o.ids.state, id, again);
    } else {
        (void)note_here(h, id, again);
    }
    if (!err && !*again && event->former_id.ptr) {
        err = was_former(h, event, again);
    }
    if (!err && *again && !h->o.skip_duplicates) {
        return refuse(
            h, "host.duplicate_event_id",
            mt_strf(&h->scratch, "event id '%.*s' was used before", MT_ARG(id)));
    }
    return err;
}

/* ---- effects ---- */

/* HST-2, and all of it before anything is applied. */
static mt_err check_writes(ho_graph_host *h)
{
    const gr_episode *e = h->episode;
    for (uint32_t i = 0; i < e->effect_count; i++) {
        for (uint32_t w = 0; w < e->effects[i].write_count; w++) {
            const gr_effect_write *write = &e->effects[i].writes[w];
            const gr_context_key *key =
                h->o.adapter ? gr_adapter_key(h->o.adapter, write->key) : NULL;
            const char *fault = NULL;
            if (!gr_value_finite(&write->value)) {
                fault = "is not a finite number";
            } else if (key && !key->writable) {
                fault = "is not writable";
            } else if (key && key->type != (gr_type)write->value.type) {
                fault = "has another type in the adapter";
            }
            if (fault) {
                return refuse(h, "HST-2",
                              mt_strf(&h->scratch, "context key '%.*s' %s",
                                      MT_ARG(write->key), fault));
            }
        }
    }
    return MT_OK;
}

/* Text and hash, because both are compared in a replay. */
static const gr_capture_effect *describe_effects(ho_graph_host *h)
{
    const gr_episode *e = h->episode;
    mt_arena *a = &h->scratch;
    gr_capture_effect *list = mt_new_array(a, gr_capture_effect, e->effect_count);
    for (uint32_t i = 0; i < e->effect_count; i++) {
        mt_buf_clear(&h->text);
        gr_effect_json(&h->text, &e->effects[i]);
        list[i].effect = mt_str_dup(a, mt_buf_str(&h->text));
        list[i].hash = mt_sha256_hex(a, mt_sha256_of(list[i].effect));
    }
    return list;
}

static mt_err apply_writes(ho_graph_host *h)
{
    const gr_episode *e = h->episode;
    mt_err err = MT_OK;
    for (uint32_t i = 0; i < e->effect_count && !err; i++) {
        err = h->o.context.apply(h->o.context.state, e->effects[i].writes,
                                 e->effects[i].write_count);
    }
    return err;
}

static bool has_ack(const gr_capture_decision *d, mt_str intent_id)
{
    for (size_t i = 0; i < d->ack_count; i++) {
        if (mt_str_eq(d->acks[i].intent_id, intent_id)) {
            return true;
        }
    }
    return false;
}

/* Out of this process at once: an acknowledgement that a kill loses is an intent that
 * is sent again. */
static mt_err record_acks(ho_graph_host *h, const gr_capture_decision *d)
{
    if (!h->o.journal) {
        return MT_OK;
    }
    gr_journal_acks(ho_journal_line(h->o.journal), d);
    mt_err err = ho_journal_commit(h->o.journal);
    return err ? err : ho_journal_flush(h->o.journal);
}

/* Sends what has no acknowledgement yet, one after the other, each recorded before the
 * next leaves. */
static mt_err send_rest(ho_graph_host *h, ho_graph_step *step, gr_capture_ack *acks)
{
    gr_capture_decision *d = &step->decision;
    const gr_episode *e = h->episode;
    mt_err err = h->o.journal ? ho_journal_sync(h->o.journal) : MT_OK;
    for (uint32_t i = 0; i < e->effect_count && !err; i++) {
        const gr_intent *intent = e->effects[i].intent;
        if (!intent || has_ack(d, gr_intent_id(intent))) {
            continue;
        }
        if (ho_egress_send(h->o.egress, &h->scratch, intent, &acks[d->ack_count])) {
            d->interruption =
                mt_strf(&h->scratch, "egress dispatch failed: %.*s",
                        MT_ARG(ho_egress_last_problem(h->o.egress).message));
            err = record_acks(h, d);
            return err ? err : MT_E_CLOSED;
        }
        d->ack_count++;
        err = record_acks(h, d);
    }
    return err;
}

/* Intents leave only after their record is on disk. */
static mt_err send_intents(ho_graph_host *h, ho_graph_step *step)
{
    gr_capture_decision *d = &step->decision;
    uint32_t intents = 0;
    for (uint32_t i = 0; i < h->episode->effect_count; i++) {
        intents += h->episode->effects[i].intent != NULL;
    }
    if (!intents) {
        return MT_OK;
    }
    gr_capture_ack *acks =
        mt_new_array(&h->scratch, gr_capture_ack, intents + d->ack_count);
    for (size_t i = 0; i < d->ack_count; i++) {
        acks[i] = d->acks[i];
    }
    d->acks = acks;
    d->interruption = (mt_str){0};
    return send_rest(h, step, acks);
}

/* ---- one step ---- */

static void count(ho_graph_host *h, const gr_decision *d)
{
    h->counts.events++;
    h->counts.invoked += d->verdict == GR_INVOKE;
    h->counts.deferred += d->verdict == GR_DEFER;
    h->counts.skipped += d->verdict == GR_SKIP;
    h->counts.failed += d->ran && d->termination.end != GR_END_COMPLETED;
}

/* Fills the step from the decision; effects only of a completed run. */
static mt_err conclude(ho_graph_host *h, ho_graph_step *step)
{
    const gr_decision *d = &step->decision.decision;
    uint32_t due =
        d->ran && d->termination.end != GR_END_ABORTED ? d->retry_count + 1 : 0;
    if (h->runs != due) {
        MT_BUG("the supervisor's decision and the runs of the graph differ (HST-3)");
    }
    count(h, d);
    if (!due) {
        return MT_OK;
    }
    step->episode = h->episode;
    if (d->termination.end == GR_END_FAILED) {
        step->fault = gr_fault_text(&h->scratch, h->episode);
    }
    if (d->termination.end != GR_END_COMPLETED) {
        return MT_OK;
    }
    mt_err err = check_writes(h);
    if (!err) {
        step->decision.effects = describe_effects(h);
        step->decision.effect_count = h->episode->effect_count;
    }
    return err;
}

static mt_err supervise(ho_graph_host *h, const gr_signal *signal, ho_graph_step *step)
{
    h->runs = 0;
    step->decision.event_id = step->event.id;
    step->decision.decision = gr_supervise(h->supervisor, signal);
    if (h->lane) {
        ho_lane_waits(h->lane);
    }
    return conclude(h, step);
}

static void hash_payload(ho_graph_host *h, ho_graph_step *step)
{
    step->event.payload_hash =
        mt_sha256_hex(&h->scratch, mt_sha256_of(step->event.payload));
}

static bool completed(const ho_graph_step *step)
{
    const gr_decision *d = &step->decision.decision;
    return d->ran && d->termination.end == GR_END_COMPLETED;
}

static void begin_journal(ho_graph_host *h)
{
    gr_capture_head head = ho_graph_host_head(h);
    if (!h->begun) {
        gr_journal_head(ho_journal_line(h->o.journal), &head);
    }
    h->begun = true;
}

/* The journal first, then writes, then intents: see the invariant. */
static mt_err record_and_dispatch(ho_graph_host *h, ho_graph_step *step)
{
    mt_err err = MT_OK;
    if (h->o.journal) {
        begin_journal(h);
        gr_journal_step(ho_journal_line(h->o.journal), &step->event, &step->decision);
        err = ho_journal_commit(h->o.journal);
    }
    if (!err && completed(step)) {
        err = apply_writes(h);
    }
    if (err || !completed(step) || h->o.hold_intents) {
        return err;
    }
    return send_intents(h, step);
}

/* A step that ran nothing has no intents: what the host still holds then is of a step
 * before it. */
mt_err ho_graph_host_dispatch(ho_graph_host *h, ho_graph_step *step)
{
    mt_err err = h->o.egress ? ho_egress_start(h->o.egress) : MT_OK;
    return err || !completed(step) ? err : send_intents(h, step);
}

/* Does this event move the windows on? A replay must find the same from the record. */
static bool counts(const ho_graph_host *h, gr_signal_kind kind, bool skipped)
{
    return h->windows && kind != GR_PUMP && !skipped;
}

/* The event as it will be recorded, in h->payload. */
static void write_payload(ho_graph_host *h, const ho_graph_event *event, bool skipped,
                          mt_json *merged)
{
    mt_buf_clear(&h->payload);
    if (event->payload) {
        if (counts(h, event->kind, skipped)) {
            *merged = ho_windows_apply(h->windows, &h->scratch, event->at, merged);
        }
        mt_json_write(&h->payload, merged, false);
    }
}

mt_err ho_graph_host_step(ho_graph_host *h, const ho_graph_event *given,
                          ho_graph_step *step)
{
    mt_json merged;
    ho_graph_event named = *given, *event = &named;
    *step = (ho_graph_step){0};
    begin_step(h);
    mt_err err = event->own ? name_own(h, event) : MT_OK;
    err = err ? err : choose_lane(h, event->payload);
    err = err ? err : build(h, event, &merged);
    err = err ? err : note_id(h, event, &step->again);
    if (!err && h->o.egress && !h->o.hold_intents) {
        err = ho_egress_start(h->o.egress);
    }
    if (err) {
        return err;
    }
    bool skipped = step->again || filtered(h, event);
    write_payload(h, event, skipped, &merged);
    step->event = (gr_capture_event){.id = event->id,
                                     .kind = event->kind,
                                     .at = event->at,
                                     .payload = mt_buf_str(&h->payload)};
    hash_payload(h, step);
    pending p = {event->id, ho_graph_snapshot(&h->scratch, h->o.graph, &merged),
                 step->event.payload, NULL};
    gr_signal signal = {.id = event->id,
                        .kind = event->kind,
                        .at = event->at,
                        .filtered = skipped,
                        .handle = &p};
    err = supervise(h, &signal, step);
    return err ? err : record_and_dispatch(h, step);
}

/* ---- what waits ---- */

/* A key is any text, so nothing that ends at a NUL may copy it. */
mt_str ho_graph_pump_name(mt_arena *a, mt_str name, mt_str key)
{
    if (!key.len) {
        return name;
    }
    char *text = mt_alloc(a, name.len + 1 + key.len);
    memcpy(text, name.ptr, name.len);
    text[name.len] = ':';
    memcpy(text + name.len + 1, key.ptr, key.len);
    return mt_str_from(text, name.len + 1 + key.len);
}

/* Whose supervisor has what may run first; NULL: there are no lanes, or it is nobody's.
 */
static const ho_lane *first_lane(const ho_graph_host *h, ho_due when)
{
    return h->lanes && when != HO_DUE_HERE ? ho_lanes_first(h->lanes) : h->lane;
}

static bool next_release(const ho_graph_host *h, const ho_lane *lane, ho_due when,
                         gr_next_release *out)
{
    if (h->lanes && when != HO_DUE_HERE) {
        return lane && gr_supervisor_next(lane->supervisor, out);
    }
    return h->supervisor && gr_supervisor_next(h->supervisor, out);
}

void ho_graph_host_enter(ho_graph_host *h, const mt_json *payload)
{
    mt_str key;
    if (h->lanes && ho_graph_key_of(payload, h->o.key, &key)) {
        ho_lane *lane = ho_lane_of(h->lanes, key);
        if (lane != h->lane) {
            enter_lane(h, lane);
        }
    }
}

const mt_json *ho_graph_key_payload(mt_arena *a, mt_str key, mt_str value)
{
    mt_json_member *member = mt_new(a, mt_json_member);
    mt_json *payload = mt_new(a, mt_json);
    mt_str text = mt_str_dup(a, value);
    *member = (mt_json_member){
        key,
        {.type = MT_JSON_STRING, .count = (uint32_t)text.len, .as.text = text.ptr}};
    *payload = (mt_json){.type = MT_JSON_OBJECT, .count = 1, .as.members = member};
    return payload;
}

/* Named after the episode and the time it is due, so that a run that goes on after a
 * crash has the same pumps. */
bool ho_graph_host_due(ho_graph_host *h, ho_due when, gr_time at, ho_graph_event *pump)
{
    const ho_lane *lane = first_lane(h, when);
    gr_next_release next;
    if (!next_release(h, lane, when, &next) ||
        (when != HO_DUE_EVER && gr_time_cmp(next.may_run_at, at) > 0)) {
        return false;
    }
    mt_arena_reset(&h->due);
    mt_str key = lane ? mt_str_from(lane->key, lane->key_len) : MT_STR("");
    *pump = (ho_graph_event){
        .id = ho_graph_pump_name(
            &h->due,
            mt_strf(&h->due, "pump:%llu:%llu.%09u", (unsigned long long)next.episode_id,
                    (unsigned long long)next.may_run_at.secs, next.may_run_at.nanos),
            key),
        .kind = GR_PUMP,
        .at = next.may_run_at,
        .payload = lane ? ho_graph_key_payload(&h->due, h->o.key, key) : NULL,
        .own = true};
    return true;
}

/* ---- what was recorded ---- */

static gr_signal signal_of(const gr_capture_event *event, pending *p)
{
    return (gr_signal){
        .id = event->id, .kind = event->kind, .at = event->at, .handle = p};
}

/* The windows go on from what was recorded, and must come to what it says they did. */
static mt_err follow_windows(ho_graph_host *h, const gr_capture_event *event,
                             bool skipped, const mt_json *recorded)
{
    if (!event->payload.len || !counts(h, event->kind, skipped)) {
        return MT_OK;
    }
    mt_json stripped = ho_windows_strip(h->windows, &h->scratch, recorded);
    mt_json again = ho_windows_apply(h->windows, &h->scratch, event->at, &stripped);
    mt_buf_clear(&h->payload);
    mt_json_write(&h->payload, &again, false);
    return mt_str_eq(mt_buf_str(&h->payload), event->payload)
               ? MT_OK
               : refuse(h, "resume.other_window",
                        mt_strf(&h->scratch,
                                "the windows of event '%.*s' say something else now",
                                MT_ARG(event->id)));
}

mt_err ho_graph_host_replay(ho_graph_host *h, const gr_capture_event *event,
                            const gr_decision *recorded, ho_graph_step *step)
{
    pending p;
    bool again;
    mt_json payload;
    *step = (ho_graph_step){.event = *event};
    begin_step(h);
    mt_err err = pend(h, event->id, event->payload, &p, &payload);
    err = err ? err : choose_lane(h, &payload);
    err = err ? err
              : follow_windows(h, event, recorded && recorded->verdict == GR_SKIP,
                               &payload);
    if (err) {
        return err;
    }
    if (!h->o.replay && !h->o.ids.note) {
        note_here(h, event->id, &again)->value++;
    }
    gr_signal signal = signal_of(event, &p);
    signal.filtered = recorded && recorded->verdict == GR_SKIP;
    h->recorded = recorded;
    err = supervise(h, &signal, step);
    h->recorded = NULL;
    return err || !completed(step) ? err : apply_writes(h);
}

static bool read_write(mt_arena *a, const mt_json *node, gr_effect_write *out)
{
    const mt_json *value = mt_json_at(node, "value");
    out->key = mt_json_text(mt_json_at(node, "key"));
    return mt_json_is(value, MT_JSON_OBJECT) && value->count == 1 &&
           gr_value_from_json(a, &value->as.members[0].value, &out->value);
}

/* The writes of an effect, from its text. */
static mt_err apply_recorded(ho_graph_host *h, mt_str effect)
{
    mt_json node;
    mt_arena *a = &h->scratch;
    if (mt_json_read(a, effect, NULL, &node, NULL)) {
        return MT_E_CORRUPT;
    }
    const mt_json *list = mt_json_at(&node, "writes");
    uint32_t count = mt_json_is(list, MT_JSON_ARRAY) ? list->count : 0;
    gr_effect_write *writes = mt_new_array(a, gr_effect_write, count);
    for (uint32_t i = 0; i < count; i++) {
        if (!read_write(a, &list->as.items[i], &writes[i])) {
            return MT_E_CORRUPT;
        }
    }
    return h->o.context.apply(h->o.context.state, writes, count);
}

mt_err ho_graph_host_follow(ho_graph_host *h, const gr_capture_event *event,
                            const gr_capture_decision *recorded)
{
    pending p;
    mt_json payload;
    begin_step(h);
    mt_err err =
        pend(h, event->id, event->payload, &p, &payload) || choose_lane(h, &payload)
            ? MT_E_CORRUPT
            : MT_OK;
    bool skipped = recorded->decision.verdict == GR_SKIP;
    if (!err && event->payload.len && counts(h, event->kind, skipped)) {
        /* Declarations may be others now: what is recorded is not compared. */
        mt_json stripped = ho_windows_strip(h->windows, &h->scratch, &payload);
        (void)ho_windows_apply(h->windows, &h->scratch, event->at, &stripped);
    }
    gr_signal signal = signal_of(event, &p);
    if (!err && !gr_supervisor_follow(h->supervisor, &signal, &recorded->decision)) {
        err = MT_E_CORRUPT;
    }
    if (h->lane) {
        ho_lane_waits(h->lane);
    }
    for (size_t i = 0; i < recorded->effect_count && !err; i++) {
        err = apply_recorded(h, recorded->effects[i].effect);
    }
    return err;
}

gr_capture_carried ho_graph_host_carry(ho_graph_host *h, mt_arena *a)
{
    gr_supervisor_state s = gr_supervisor_state_of(h->supervisor, a);
    gr_capture_waiting *list = mt_new_array(a, gr_capture_waiting, s.waiting_count);
    for (size_t i = 0; i < s.waiting_count; i++) {
        const pending *p = s.waiting[i].kept;
        list[i] = (gr_capture_waiting){
            .event_id = mt_str_dup(a, p->event_id),
            .schedule_at = s.waiting[i].schedule_at,
            .payload = mt_str_dup(a, p->payload),
            .payload_hash = mt_sha256_hex(a, mt_sha256_of(p->payload)),
        };
    }
    return (gr_capture_carried){s.now, s.runs, s.run_count, list, s.waiting_count};
}

/* What the event itself brought; ho_graph_host_replay() compares the rest. */
static mt_str without_windows(ho_graph_host *h, const gr_capture_event *event)
{
    mt_json object;
    if (!h->windows || !event->payload.len ||
        mt_json_read(&h->scratch, event->payload, NULL, &object, NULL) ||
        object.type != MT_JSON_OBJECT) {
        return event->payload;
    }
    mt_json stripped = ho_windows_strip(h->windows, &h->scratch, &object);
    mt_buf_clear(&h->text);
    mt_json_write(&h->text, &stripped, false);
    return mt_buf_str(&h->text);
}

mt_err ho_graph_host_same(ho_graph_host *h, const ho_graph_event *event,
                          const gr_capture_event *recorded)
{
    mt_json merged;
    begin_step(h);
    mt_err err = choose_lane(h, event->payload);
    err = err ? err : build(h, event, &merged);
    mt_buf_clear(&h->payload);
    if (!err && event->payload) {
        mt_json_write(&h->payload, &merged, false);
    }
    bool same = !err && mt_str_eq(event->id, recorded->id) &&
                event->kind == recorded->kind &&
                gr_time_cmp(event->at, recorded->at) == 0 &&
                mt_str_eq(mt_buf_str(&h->payload), without_windows(h, recorded));
    if (err || same) {
        return err;
    }
    bool named = mt_str_eq(event->id, recorded->id);
    return refuse(h, "resume.other_event",
                  named
                      ? mt_strf(&h->scratch,
                                "the journal has event '%.*s' with another kind, time "
                                "or payload",
                                MT_ARG(recorded->id))
                      : mt_strf(&h->scratch,
                                "the journal has event '%.*s' where '%.*s' comes now",
                                MT_ARG(recorded->id), MT_ARG(event->id)));
}

bool ho_graph_host_pass(ho_graph_host *h, mt_str id)
{
    mt_map_entry *e = mt_map_find(&h->seen, id);
    bool pass = e && e->value;
    if (pass) {
        e->value--;
    }
    return pass;
}

void ho_graph_host_resumed(ho_graph_host *h)
{
    h->begun = true;
}

mt_err ho_graph_host_begin(ho_graph_host *h)
{
    begin_journal(h);
    return ho_journal_sync(h->o.journal);
}

size_t ho_graph_host_lanes(const ho_graph_host *h)
{
    return h->lanes ? ho_lanes_count(h->lanes) : 0;
}

ho_windows *ho_graph_host_windows(ho_graph_host *h)
{
    return h->windows;
}

ho_graph_problem ho_graph_host_problem(const ho_graph_host *h)
{
    return h->problem;
}

ho_graph_counts ho_graph_host_counts(const ho_graph_host *h)
{
    return h->counts;
}
