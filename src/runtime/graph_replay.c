#include "runtime/graph_replay.h"

#include "base/json_write.h"
#include "base/map.h"
#include "runtime/graph_trace.h"

typedef struct replay {
    mt_arena *arena;
    const gr_capture *capture;
    const rt_replay_options *o;
    rt_divergence *d;
    mt_str trace; /* what is left of it */
    mt_buf line;
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

static bool kinds_unknown(replay *r)
{
    for (size_t i = 0; i < r->capture->decisions.len; i++) {
        const gr_capture_decision *d = &r->capture->decisions.items[i];
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
    }
    return false;
}

static bool hashes_wrong(replay *r)
{
    for (size_t i = 0; i < r->capture->events.len; i++) {
        const gr_capture_event *e = &r->capture->events.items[i];
        char hex[MT_SHA256_HEX];
        mt_sha256 digest = mt_sha256_of(e->payload);
        mt_hex(digest.bytes, MT_SHA256_BYTES, hex);
        r->d->event = i;
        r->d->event_id = e->id;
        if (differs(r, "replay.hash_mismatch", "payload_hash", e->payload_hash,
                    mt_str_from(hex, sizeof hex))) {
            return true;
        }
    }
    r->d->event = SIZE_MAX;
    r->d->event_id = (mt_str){0};
    return false;
}

/* REP-8. A skipped duplicate is the one thing that may repeat an id. */
static bool ids_repeat(replay *r)
{
    mt_arena table = {0};
    mt_map seen = {0};
    bool repeat = false;
    for (size_t i = 0; i < r->capture->events.len && !repeat; i++) {
        bool skipped = i < r->capture->decisions.len &&
                       r->capture->decisions.items[i].decision.verdict == GR_SKIP;
        bool added;
        mt_str id = r->capture->events.items[i].id;
        mt_map_add(&table, &seen, id, &added);
        if (!added && !skipped) {
            r->d->event = i;
            r->d->event_id = id;
            repeat = diverges(
                r, "replay.duplicate_event_id",
                mt_strf(r->arena, "event id '%.*s' appears twice", MT_ARG(id)));
        }
    }
    mt_arena_free(&table);
    return repeat;
}

static bool provenance_differs(replay *r)
{
    const gr_capture_head *head = &r->capture->head;
    bool captured = !mt_str_is(head->adapter_provenance, "none");
    if (captured && !r->o->adapter) {
        return diverges(r, "replay.adapter_required",
                        MT_STR("the capture was made with an adapter; give it"));
    }
    if (!captured && r->o->adapter) {
        return diverges(r, "replay.unexpected_adapter",
                        MT_STR("the capture was made without an adapter"));
    }
    return (captured &&
            differs(r, "replay.adapter_provenance_mismatch", "adapter_provenance",
                    head->adapter_provenance, r->o->adapter->fingerprint)) ||
           differs(r, "replay.runtime_provenance_mismatch", "runtime_provenance",
                   head->runtime_provenance, r->o->graph->provenance);
}

static bool fails_before_running(replay *r)
{
    const gr_capture *c = r->capture;
    return differs(r, "replay.graph_id_mismatch", "graph_id", c->head.graph_id,
                   r->o->graph->id) ||
           kinds_unknown(r) ||
           differs(r, "replay.unsupported_capture_version", "capture_version",
                   c->version, MT_STR("v3")) ||
           hashes_wrong(r) || ids_repeat(r) || provenance_differs(r);
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

static bool decision_differs(replay *r, const gr_capture_decision *was,
                             const rt_graph_step *now)
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

static void name_node(replay *r, const rt_graph_step *now, size_t effect)
{
    if (now->episode && effect < now->episode->effect_count) {
        uint32_t node = now->episode->effects[effect].node;
        r->d->node = now->episode->graph->nodes[node].path;
    }
}

static bool effects_differ(replay *r, const gr_capture_decision *was,
                           const rt_graph_step *now)
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

/* With a node trace the first node that said something else is found, not only the
 * effect in which it ended up. */
static bool trace_differs(replay *r, const rt_graph_step *now)
{
    if (!r->o->trace.ptr) {
        return false;
    }
    mt_str line = mt_str_from(r->trace.ptr, mt_str_find(r->trace, '\n'));
    r->trace = mt_str_skip(r->trace, line.len + 1);
    mt_buf_clear(&r->line);
    rt_graph_trace_line(&r->line, now);
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
            r->d->node = mt_json_text(mt_json_at(y, "path"));
            bool differ = differs(r, "replay.trace_mismatch", "outputs of the node",
                                  mt_buf_str(&before), mt_buf_str(&after));
            mt_buf_free(&before);
            mt_buf_free(&after);
            return differ;
        }
    }
    return differs(r, "replay.trace_mismatch", "node trace", line, copy);
}

static bool step_differs(replay *r, rt_graph_host *host, size_t i)
{
    const gr_capture_event *event = &r->capture->events.items[i];
    const gr_capture_decision *was = &r->capture->decisions.items[i];
    rt_graph_step now;
    mt_mark mark = mt_arena_mark(r->arena);
    r->d->event = i;
    r->d->event_id = event->id;
    if (rt_graph_host_replay(host, event, &was->decision, &now)) {
        rt_graph_problem p = rt_graph_host_problem(host);
        bool payload = strcmp(p.code, "replay.invalid_payload") == 0;
        return diverges(r, payload ? p.code : "replay.host_step_failed",
                        mt_str_dup(r->arena, p.message));
    }
    if (trace_differs(r, &now) || decision_differs(r, was, &now) ||
        effects_differ(r, was, &now)) {
        return true;
    }
    mt_arena_rewind(r->arena, mark);
    if (r->o->observe) {
        r->o->observe(r->o->user, i, &now);
    }
    return false;
}

static void run_events(replay *r, rt_graph_host *host)
{
    size_t events = r->capture->events.len, decisions = r->capture->decisions.len;
    size_t most = r->o->until && r->o->until < events ? r->o->until : events;
    for (size_t i = 0; i < most && i < decisions; i++) {
        if (step_differs(r, host, i)) {
            return;
        }
    }
    r->d->event = SIZE_MAX;
    r->d->event_id = (mt_str){0};
    if (events != decisions) {
        (void)differs(r, "replay.decision_mismatch", "number of decisions",
                      count_text(r->arena, decisions), count_text(r->arena, events));
    }
}

mt_err rt_replay(mt_arena *a, const gr_capture *capture,
                 const rt_replay_options *options, rt_replay_result *result)
{
    *result =
        (rt_replay_result){.divergence = {.event = SIZE_MAX}, .diags = {.arena = a}};
    replay r = {.arena = a,
                .capture = capture,
                .o = options,
                .d = &result->divergence,
                .trace = options->trace};
    if (fails_before_running(&r)) {
        return MT_E_REJECTED;
    }
    rt_graph_options host_options = {.graph = options->graph,
                                     .adapter = options->adapter,
                                     .context = rt_context_in_memory(),
                                     .limits = capture->head.config,
                                     .replay = true};
    rt_graph_host *host = NULL;
    if (rt_graph_host_new(&host_options, &result->diags, &host)) {
        diverges(&r, "replay.host_setup_failed",
                 MT_STR("the graph cannot run under this adapter"));
    } else {
        run_events(&r, host);
        result->counts = rt_graph_host_counts(host);
    }
    rt_graph_host_free(host);
    host_options.context.free(host_options.context.state);
    mt_buf_free(&r.line);
    return r.d->code ? MT_E_REJECTED : MT_OK;
}
