/* host/graph_replay.c - a capture run again and compared.
 *
 * A good capture takes one pass: each event is checked, run and compared. Only one
 * that does not hold is gone through again, all checks before anything runs, because
 * which of several faults is named first follows the order of checks (REP-1, REP-8,
 * REP-7).
 *
 * Compared are decisions (verdict, times, ends, retries), effects by their hash and
 * text, and with a trace what every node said, so that the first node that differs is
 * found and not only the effect it ended up in.
 *
 * INVARIANT: at any time one event with its decision is held, and nothing that grows
 * with their number but the notes of ids, which are bounded (graph_ids.c).
 *
 * May fail: the capture's bytes, and a capture that is not one (result->fault); a
 * divergence is a result with code, event and both values. */
#include "host/graph_replay.h"

#include <stdlib.h>

#include "base/json_write.h"
#include "host/graph_ids.h"
#include "host/graph_trace.h"

typedef struct replay {
    mt_arena *arena;
    gr_capture_reader *capture;
    const gr_capture_start *start;
    const ho_replay_options *o;
    ho_divergence *d; /* where the first difference goes */
    gr_capture_fault *fault;
    ho_replay_meet *meet; /* called with each event before it runs */
    struct checks *along; /* made while running; NULL: they were made before */
    mt_buf line;
    char *traced; /* a line of the trace, for getline() */
    size_t traced_room;
} replay;

static bool diverges(replay *r, const char *code, mt_str message)
{
    r->d->code = code;
    r->d->message = message;
    return true;
}

static bool differs(replay *r, const char *code, const char *field, mt_str recorded,
                    mt_str replayed)
{
    if (mt_str_eq(recorded, replayed)) {
        return false;
    }
    r->d->field = mt_str_z(field);
    r->d->recorded = mt_str_dup(r->arena, recorded);
    r->d->replayed = mt_str_dup(r->arena, replayed);
    return diverges(r, code, mt_strf(r->arena, "%s differs", field));
}

/* ---- before the first event ---- */

static bool emittable(const gr_graph *g, mt_str kind)
{
    for (uint32_t i = 0; i < g->effect_kind_count; i++) {
        if (mt_str_eq(g->effect_kinds[i], kind)) {
            return true;
        }
    }
    return false;
}

/* The kind of an effect. Most are context writes, which show in their first bytes. */
static mt_str effect_kind(replay *r, mt_str effect)
{
    mt_json node;
    if (mt_str_starts(effect, MT_STR("{\"kind\":\"" GR_SET_CONTEXT "\","))) {
        return MT_STR(GR_SET_CONTEXT);
    }
    return mt_json_read(r->arena, effect, NULL, &node, NULL)
               ? (mt_str){0}
               : mt_json_text(mt_json_at(&node, "kind"));
}

/* REP-7: an effect that neither graph nor adapter can have is not replayed but named.
 */
static bool kinds_unknown(replay *r, const gr_capture_decision *d)
{
    for (size_t n = 0; n < d->effect_count; n++) {
        mt_mark mark = mt_arena_mark(r->arena);
        mt_str kind = effect_kind(r, d->effects[n].effect);
        bool known = mt_str_is(kind, GR_SET_CONTEXT) ||
                     (emittable(r->o->graph, kind) && r->o->adapter &&
                      gr_adapter_effect(r->o->adapter, kind));
        if (!known) {
            return diverges(
                r, "replay.external_effect_kind_unrepresentable",
                mt_strf(r->arena,
                        "the capture has an effect '%.*s' that this graph and "
                        "adapter cannot produce",
                        MT_ARG(kind)));
        }
        mt_arena_rewind(r->arena, mark);
    }
    return false;
}

static bool hash_wrong(replay *r, mt_str payload, mt_str recorded)
{
    char hex[MT_SHA256_HEX];
    mt_sha256 digest = mt_sha256_of(payload);
    mt_hex(digest.bytes, MT_SHA256_BYTES, hex);
    return differs(r, "replay.hash_mismatch", "payload_hash", recorded,
                   mt_str_from(hex, sizeof hex));
}

static void place(replay *r, size_t index, mt_str event_id)
{
    r->d->event = index;
    r->d->event_id = mt_str_dup(r->arena, event_id);
}

/* What one pass over the capture finds, in the order in which it is told. */
struct checks {
    ho_id_notes *ids;
    ho_divergence kind, hash;
};
typedef struct checks checks;

/* Events that were carried over count for ids and hashes as those of the capture do. */
static mt_err check_waiting(replay *r, checks *c)
{
    const gr_capture_carried *carried = &r->start->carried;
    mt_err err = MT_OK;
    r->d = &c->hash;
    for (size_t i = 0; i < carried->waiting_count && !err && !r->d->code; i++) {
        const gr_capture_waiting *w = &carried->waiting[i];
        r->d->event_id = w->event_id;
        (void)hash_wrong(r, w->payload, w->payload_hash);
        err = ho_id_notes_add(c->ids, w->event_id, false);
    }
    return err;
}

/* Notes what is wrong; which of several faults is told is decided by the caller. */
static mt_err check_pair(replay *r, checks *c, size_t index,
                         const gr_capture_event *event, const gr_capture_decision *d)
{
    r->d = &c->kind;
    if (kinds_unknown(r, d)) {
        return MT_OK;
    }
    r->d = &c->hash;
    if (!r->d->code && hash_wrong(r, event->payload, event->payload_hash)) {
        place(r, index, event->id);
    }
    /* A skipped duplicate is the one thing that may repeat an id. */
    return ho_id_notes_add(c->ids, event->id, d->decision.verdict == GR_SKIP);
}

/* All pairs, then back to the beginning: the run comes after. */
static mt_err check_pairs(replay *r, checks *c)
{
    gr_capture_event event;
    gr_capture_decision d;
    mt_err err = check_waiting(r, c);
    for (size_t i = 0; !err && !c->kind.code; i++) {
        err = gr_capture_next(r->capture, &event, &d, r->fault);
        err = err ? err : check_pair(r, c, i, &event, &d);
    }
    gr_capture_rewind(r->capture);
    return err == MT_E_NOTFOUND ? MT_OK : err;
}

/* The id that was added as number `index`; of an event, or of one that waits. */
static mt_err id_at(replay *r, size_t index, mt_str *id)
{
    const gr_capture_carried *carried = &r->start->carried;
    gr_capture_event event = {0};
    gr_capture_decision d;
    mt_err err = MT_OK;
    if (index < carried->waiting_count) {
        *id = carried->waiting[index].event_id;
        return MT_OK;
    }
    gr_capture_rewind(r->capture);
    for (size_t i = carried->waiting_count; i <= index && !err; i++) {
        err = gr_capture_next(r->capture, &event, &d, r->fault);
    }
    *id = mt_str_dup(r->arena, event.id);
    gr_capture_rewind(r->capture);
    return err;
}

/* Is there really an earlier one? The hash alone does not say. */
static mt_err stands_before(replay *r, size_t index, mt_str id, bool *yes)
{
    const gr_capture_carried *carried = &r->start->carried;
    gr_capture_event event;
    gr_capture_decision d;
    mt_err err = MT_OK;
    *yes = false;
    for (size_t i = 0; i < index && !err && !*yes; i++) {
        bool waits = i < carried->waiting_count;
        err = waits ? MT_OK : gr_capture_next(r->capture, &event, &d, r->fault);
        *yes = !err && mt_str_eq(waits ? carried->waiting[i].event_id : event.id, id);
    }
    gr_capture_rewind(r->capture);
    return err;
}

/* REP-8. */
static mt_err check_ids(replay *r, ho_id_notes *ids)
{
    size_t index = 0, waiting = r->start->carried.waiting_count;
    bool twice = false;
    mt_str id;
    mt_err err = ho_id_notes_suspect(ids, 0, &index);
    while (!err && index != SIZE_MAX && !twice) {
        err = id_at(r, index, &id);
        err = err ? err : stands_before(r, index, id, &twice);
        if (!err && !twice) {
            err = ho_id_notes_suspect(ids, index + 1, &index);
        }
    }
    if (!err && twice) {
        place(r, index < waiting ? SIZE_MAX : index - waiting, id);
        (void)diverges(r, "replay.duplicate_event_id",
                       mt_strf(r->arena, "event id '%.*s' appears twice", MT_ARG(id)));
    }
    return err;
}

/* With or without an adapter comes first: comparing provenances would only say that
 * they differ. */
static bool provenance_differs(replay *r)
{
    const gr_capture_head *head = &r->start->head;
    bool captured = !mt_str_is(head->adapter_provenance, "none");
    if (captured && !r->o->adapter) {
        return diverges(r, "replay.adapter_required",
                        MT_STR("the capture was made with an adapter; give it"));
    }
    if (!captured && r->o->adapter) {
        return diverges(r, "replay.unexpected_adapter",
                        MT_STR("the capture was made without an adapter"));
    }
    /* The history of one value has no key and is that of an adapter without one. */
    mt_str key = r->start->head.key;
    if (key.len && (!captured || !mt_str_eq(key, r->o->adapter->key))) {
        return diverges(
            r, "replay.key_mismatch",
            mt_strf(r->arena,
                    "the journal has a history for each '%.*s'; the adapter "
                    "must say so, too",
                    MT_ARG(key)));
    }
    return (captured &&
            differs(r, "replay.adapter_provenance_mismatch", "adapter_provenance",
                    head->adapter_provenance, r->o->adapter->fingerprint)) ||
           (!gr_graph_is(r->o->graph, head->runtime_provenance) &&
            differs(r, "replay.runtime_provenance_mismatch", "runtime_provenance",
                    head->runtime_provenance, r->o->graph->provenance));
}

/* Everything that can be said before anything runs; r->d has a code when it diverges.
 */
static mt_err check_capture(replay *r)
{
    ho_divergence *result = r->d;
    checks c = {.kind = {.event = SIZE_MAX}, .hash = {.event = SIZE_MAX}};
    if (differs(r, "replay.graph_id_mismatch", "graph_id", r->start->head.graph_id,
                r->o->graph->id)) {
        return MT_OK;
    }
    c.ids = ho_id_notes_new();
    mt_err err = check_pairs(r, &c);
    r->d = result;
    if (!err && c.kind.code) {
        *result = c.kind;
    } else if (!err && !differs(r, "replay.unsupported_capture_version",
                                "capture_version", r->start->version, MT_STR("v3"))) {
        *result = c.hash;
        err = result->code ? MT_OK : check_ids(r, c.ids);
        if (!err && !result->code) {
            (void)provenance_differs(r);
        }
    }
    ho_id_notes_free(c.ids);
    return err;
}

/* ---- event by event ---- */

static mt_str time_text(mt_arena *a, gr_time_option t)
{
    return t.set ? mt_strf(a, "%llu.%09us", (unsigned long long)t.at.secs, t.at.nanos)
                 : MT_STR("none");
}

static mt_str end_text(mt_arena *a, const gr_decision *d)
{
    if (!d->ran) {
        return MT_STR("none");
    }
    return d->termination.end == GR_END_FAILED
               ? mt_strf(a, "Failed(%s)", gr_failure_name(d->termination.fault))
               : mt_str_z(gr_end_name(d->termination.end));
}

static mt_str count_text(mt_arena *a, uint64_t n)
{
    return mt_strf(a, "%llu", (unsigned long long)n);
}

static bool same_time(gr_time_option a, gr_time_option b)
{
    return a.set == b.set && (!a.set || gr_time_cmp(a.at, b.at) == 0);
}

static bool same_decision(const gr_decision *a, const gr_decision *b)
{
    return a->verdict == b->verdict && same_time(a->schedule_at, b->schedule_at) &&
           a->episode_id == b->episode_id && same_time(a->deadline, b->deadline) &&
           a->ran == b->ran &&
           (!a->ran || gr_termination_equal(a->termination, b->termination)) &&
           a->retry_count == b->retry_count;
}

/* Field by field in the order of the format, so the first difference is the same
 * everywhere. */
static bool decision_differs(replay *r, const gr_capture_decision *was,
                             const ho_graph_step *now)
{
    static const char CODE[] = "replay.decision_mismatch";
    const gr_decision *a = &was->decision, *b = &now->decision.decision;
    mt_arena *t = r->arena;
    if (differs(r, CODE, "event_id", was->event_id, now->decision.event_id)) {
        return true;
    }
    /* Texts are made only for the field that differs. */
    return !same_decision(a, b) &&
           (differs(r, CODE, "decision", mt_str_z(gr_verdict_name(a->verdict)),
                    mt_str_z(gr_verdict_name(b->verdict))) ||
            differs(r, CODE, "schedule_at", time_text(t, a->schedule_at),
                    time_text(t, b->schedule_at)) ||
            differs(r, CODE, "episode_id", count_text(t, a->episode_id),
                    count_text(t, b->episode_id)) ||
            differs(r, CODE, "deadline", time_text(t, a->deadline),
                    time_text(t, b->deadline)) ||
            differs(r, CODE, "termination", end_text(t, a), end_text(t, b)) ||
            differs(r, CODE, "retry_count", count_text(t, a->retry_count),
                    count_text(t, b->retry_count)));
}

static void name_node(replay *r, const ho_graph_step *now, size_t effect)
{
    if (now->episode && effect < now->episode->effect_count) {
        uint32_t node = now->episode->effects[effect].node;
        r->d->node = now->episode->graph->nodes[node].path;
    }
}

/* Position by position; a missing or surplus effect is told last. */
static bool effects_differ(replay *r, const gr_capture_decision *was,
                           const ho_graph_step *now)
{
    static const char CODE[] = "replay.effect_mismatch";
    const gr_capture_decision *b = &now->decision;
    size_t both =
        was->effect_count < b->effect_count ? was->effect_count : b->effect_count;
    for (size_t i = 0; i < both; i++) {
        const gr_capture_effect *x = &was->effects[i], *y = &b->effects[i];
        if (!mt_str_eq(x->effect, y->effect)) {
            name_node(r, now, i);
            return differs(r, CODE, mt_strf(r->arena, "effects[%zu]", i).ptr, x->effect,
                           y->effect);
        }
        if (!mt_str_eq(x->hash, y->hash)) {
            return differs(r, CODE,
                           mt_strf(r->arena, "effects[%zu].effect_hash", i).ptr,
                           x->hash, y->hash);
        }
    }
    if (was->effect_count == b->effect_count) {
        return false;
    }
    name_node(r, now, both);
    return differs(r, CODE, "effect count", count_text(r->arena, was->effect_count),
                   count_text(r->arena, b->effect_count));
}

static bool is_intent_of(const ho_graph_step *now, mt_str id)
{
    const gr_episode *e = now->episode;
    for (uint32_t i = 0; e && i < e->effect_count; i++) {
        const gr_intent *intent = e->effects[i].intent;
        if (intent && mt_str_eq(gr_intent_id(intent), id)) {
            return true;
        }
    }
    return false;
}

/* What an acknowledgement may say (graph_egress.c says it). */
static bool in_its_words(const gr_capture_ack *ack)
{
    static const struct {
        const char *status, *acceptance;
    } WORDS[] = {
        {"accepted", "durable"},
        {"accepted", "written"},
        {"rejected", "dead_letter"},
        {"failed", "dead_letter"},
    };
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        if (mt_str_eq(ack->status, mt_str_z(WORDS[i].status)) &&
            mt_str_eq(ack->acceptance, mt_str_z(WORDS[i].acceptance))) {
            return true;
        }
    }
    return false;
}

/* What a channel acknowledged cannot be had again, but it must be about intents of this
 * very decision, each once, and in the only words there are. */
static bool acks_differ(replay *r, const gr_capture_decision *was,
                        const ho_graph_step *now)
{
    static const char CODE[] = "replay.ack_mismatch";
    for (size_t i = 0; i < was->ack_count; i++) {
        const gr_capture_ack *ack = &was->acks[i];
        bool good = is_intent_of(now, ack->intent_id);
        for (size_t k = 0; k < i; k++) {
            good = good && !mt_str_eq(was->acks[k].intent_id, ack->intent_id);
        }
        if (!good) {
            return differs(r, CODE, mt_strf(r->arena, "intent_acks[%zu]", i).ptr,
                           ack->intent_id, MT_STR("not an intent of this decision"));
        }
        if (!in_its_words(ack) &&
            (differs(r, CODE, "status", ack->status, MT_STR("accepted")) ||
             differs(r, CODE, "acceptance", ack->acceptance, MT_STR("durable")))) {
            return true;
        }
    }
    return false;
}

/* With a node trace the first node that said something else is found, not only the
 * effect in which it ended up. */
static bool trace_differs(replay *r, const ho_graph_step *now)
{
    if (!r->o->trace) {
        return false;
    }
    ssize_t got = getline(&r->traced, &r->traced_room, r->o->trace);
    mt_str line =
        mt_str_trim(mt_str_from(r->traced, got > 0 ? (size_t)got : 0), MT_STR("\n"));
    mt_buf_clear(&r->line);
    ho_graph_trace_line(&r->line, now);
    mt_str again = mt_str_from(r->line.ptr, r->line.len - 1);
    if (mt_str_eq(line, again)) {
        return false;
    }
    mt_json was, is;
    const mt_json *a = NULL, *b = NULL;
    mt_str copy = mt_str_dup(r->arena, again);
    if (!mt_json_read(r->arena, line, NULL, &was, NULL) &&
        !mt_json_read(r->arena, copy, NULL, &is, NULL)) {
        a = mt_json_at(&was, "nodes");
        b = mt_json_at(&is, "nodes");
    }
    for (uint32_t i = 0; a && b && i < a->count && i < b->count; i++) {
        const mt_json *x = &a->as.items[i], *y = &b->as.items[i];
        if (!mt_json_equal(x, y)) {
            mt_buf before = {0}, after = {0};
            mt_json_write(&before, mt_json_at(x, "outputs"), false);
            mt_json_write(&after, mt_json_at(y, "outputs"), false);
            r->d->node = r->o->graph->nodes[i].name;
            bool differ = differs(r, "replay.trace_mismatch", "outputs of the node",
                                  mt_buf_str(&before), mt_buf_str(&after));
            mt_buf_free(&before);
            mt_buf_free(&after);
            return differ;
        }
    }
    return differs(r, "replay.trace_mismatch", "node trace", line, copy);
}

/* Without a problem of the host's it was the one who met the event who refused it, and
 * who knows why. */
static bool host_refuses(replay *r, const ho_graph_host *host)
{
    ho_graph_problem p = ho_graph_host_problem(host);
    bool told = p.code && (strncmp(p.code, "replay.", 7) == 0 ||
                           strncmp(p.code, "resume.", 7) == 0);
    return diverges(r, told ? p.code : "replay.host_step_failed",
                    mt_str_dup(r->arena, p.message));
}

/* The checks of one event. What they find is told again, and in order, by replay(). */
static bool pair_fails(replay *r, size_t index, const gr_capture_event *event,
                       const gr_capture_decision *d)
{
    ho_divergence *result = r->d;
    mt_err err = check_pair(r, r->along, index, event, d);
    r->d = result;
    if (!err && r->along->kind.code) {
        *result = r->along->kind;
    } else if (!err && r->along->hash.code) {
        *result = r->along->hash;
    }
    return err ? diverges(r, "replay.host_step_failed", mt_str_z(mt_err_text(err)))
               : result->code != NULL;
}

/* What the arena holds of one event goes before the next. */
static bool step_differs(replay *r, ho_graph_host *host, size_t i,
                         const gr_capture_event *event, const gr_capture_decision *was)
{
    ho_graph_step now;
    mt_mark mark = mt_arena_mark(r->arena);
    if (r->along && pair_fails(r, i, event, was)) {
        return true;
    }
    if ((r->meet && r->meet(r->o->user, event)) ||
        ho_graph_host_replay(host, event, &was->decision, &now)) {
        place(r, i, event->id);
        return host_refuses(r, host);
    }
    if (trace_differs(r, &now) || decision_differs(r, was, &now) ||
        effects_differ(r, was, &now) || acks_differ(r, was, &now)) {
        place(r, i, event->id);
        return true;
    }
    mt_arena_rewind(r->arena, mark);
    if (r->o->observe) {
        r->o->observe(r->o->user, i, &now, was);
    }
    return false;
}

/* Ends at the first difference, at `until`, or when events and decisions are used up
 * together. */
static mt_err run_events(replay *r, ho_graph_host *host)
{
    gr_capture_event event;
    gr_capture_decision was;
    mt_err err = MT_OK;
    for (size_t i = 0; !err && (!r->o->until || i < r->o->until); i++) {
        err = gr_capture_next(r->capture, &event, &was, r->fault);
        if (!err && step_differs(r, host, i, &event, &was)) {
            return MT_OK;
        }
    }
    uint64_t events = gr_capture_events(r->capture);
    uint64_t decisions = gr_capture_decisions(r->capture);
    if ((!err || err == MT_E_NOTFOUND) && events != decisions) {
        (void)differs(r, "replay.decision_mismatch", "number of decisions",
                      count_text(r->arena, decisions), count_text(r->arena, events));
    }
    return err == MT_E_NOTFOUND ? MT_OK : err;
}

/* The result is empty and means "holds" until something is found. */
static replay begin_replay(mt_arena *a, gr_capture_reader *capture,
                           const ho_replay_options *options, ho_replay_result *result)
{
    *result =
        (ho_replay_result){.divergence = {.event = SIZE_MAX}, .diags = {.arena = a}};
    return (replay){.arena = a,
                    .capture = capture,
                    .start = gr_capture_start_of(capture),
                    .o = options,
                    .d = &result->divergence,
                    .fault = &result->fault};
}

static mt_err end_replay(replay *r, mt_err err)
{
    mt_buf_free(&r->line);
    free(r->traced);
    return err ? err : r->d->code ? MT_E_REJECTED : MT_OK;
}

/* Checks and runs in one pass. Whether it holds is right; when it does not, which of
 * several faults is named first is not what the order of checks says. */
static mt_err run_along(replay *r, ho_graph_host *host)
{
    ho_divergence *result = r->d;
    checks c = {.ids = ho_id_notes_new(),
                .kind = {.event = SIZE_MAX},
                .hash = {.event = SIZE_MAX}};
    mt_err err = check_waiting(r, &c);
    r->d = result;
    *result = c.hash;
    if (!err && !result->code &&
        !differs(r, "replay.graph_id_mismatch", "graph_id", r->start->head.graph_id,
                 r->o->graph->id) &&
        !differs(r, "replay.unsupported_capture_version", "capture_version",
                 r->start->version, MT_STR("v3")) &&
        !provenance_differs(r)) {
        r->along = &c;
        err = run_events(r, host);
        r->along = NULL;
    }
    if (!err && !result->code) {
        err = check_ids(r, c.ids);
    }
    ho_id_notes_free(c.ids);
    return err;
}

mt_err ho_replay_onto(mt_arena *a, ho_graph_host *host, gr_capture_reader *journal,
                      const ho_replay_options *options, ho_replay_meet *meet,
                      ho_replay_result *result)
{
    replay r = begin_replay(a, journal, options, result);
    r.meet = meet;
    return end_replay(&r, run_along(&r, host));
}

typedef mt_err replay_runner(replay *r, ho_graph_host *host);

/* On a host of its own. */
static mt_err replay_alone(replay *r, replay_runner *runner, ho_replay_result *result)
{
    ho_graph_options o = {.graph = r->o->graph,
                          .adapter = r->o->adapter,
                          .context = ho_context_in_memory(),
                          .carried = &r->start->carried,
                          .limits = r->start->head.config,
                          .key = r->start->head.key,
                          .replay = true};
    ho_graph_host *host = NULL;
    mt_err err = ho_graph_host_new(&o, &result->diags, &host);
    if (err == MT_E_CORRUPT) {
        err = MT_OK;
        diverges(r, "replay.invalid_payload",
                 MT_STR("the payload of an event that waits is not a JSON object"));
    } else if (err) {
        err = MT_OK;
        diverges(r, "replay.host_setup_failed",
                 MT_STR("the graph cannot run under this adapter"));
    } else {
        err = runner(r, host);
        result->counts = ho_graph_host_counts(host);
    }
    ho_graph_host_free(host);
    o.context.free(o.context.state);
    return err;
}

/* A capture that does not hold is gone through again, all checks first. */
static mt_err replay_in_order(replay *r, ho_replay_result *result)
{
    gr_capture_rewind(r->capture);
    if (r->o->trace) {
        rewind(r->o->trace);
    }
    mt_err err = check_capture(r);
    return err || r->d->code ? err : replay_alone(r, run_events, result);
}

mt_err ho_replay(mt_arena *a, gr_capture_reader *capture,
                 const ho_replay_options *options, ho_replay_result *result)
{
    replay r = begin_replay(a, capture, options, result);
    mt_err err = end_replay(&r, replay_alone(&r, run_along, result));
    if (!err) {
        return MT_OK;
    }
    ho_replay_options quiet = *options;
    quiet.observe = NULL; /* it has seen what there is */
    r = begin_replay(a, capture, &quiet, result);
    return end_replay(&r, replay_in_order(&r, result));
}
