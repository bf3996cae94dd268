/* host/graph_whatif.c - the events of a capture under another graph.
 *
 * Two hosts go side by side. The first replays the old graph, if it is at hand, so that
 * what every node said can be compared. The second steps the new graph: the recorded
 * payload without what the context, the windows and derived keys had added, under the
 * first event kind whose schema takes it. The old context is kept from the recorded
 * effects, so that it is known what it had added.
 *
 * INVARIANT: what is shown of the new graph is what it did in this order of events; an
 * event that was skipped when it was recorded is passed over. An elapsed deadline is
 * not measured: only a deadline of zero counts. May fail: the capture, and a graph that
 * cannot run under its adapter. */
#include "host/graph_whatif.h"

#include <stdlib.h>

#include "base/json_write.h"
#include "host/graph_merge.h"
#include "host/graph_windows.h"

typedef struct whatif {
    mt_arena *arena;
    const ho_whatif_options *o;
    ho_whatif_result *result;
    ho_context was, now; /* contexts of the old and the new graph */
    ho_graph_host *old, *host;
    mt_buf text; /* scratch */
} whatif;

/* ---- the event as it came ---- */

static bool same_value(const gr_value *stored, mt_arena *a, const mt_json *node)
{
    gr_value v;
    if (!stored || !gr_value_from_json(a, node, &v)) {
        return false;
    }
    mt_buf x = {0}, y = {0};
    gr_value_json(&x, stored);
    gr_value_json(&y, &v);
    bool same = mt_str_eq(mt_buf_str(&x), mt_buf_str(&y));
    mt_buf_free(&x);
    mt_buf_free(&y);
    return same;
}

static bool is_derived(const gr_graph *g, mt_str key)
{
    for (uint32_t i = 0; g && i < g->written_count; i++) {
        if (g->written[i].derived && mt_str_eq(g->written[i].name, key)) {
            return true;
        }
    }
    return mt_str_starts(key, MT_STR("__ergo/"));
}

static bool is_window(const gr_adapter *ad, mt_str key)
{
    return ad && gr_adapter_window(ad, key);
}

/* Without what the host had added. */
static mt_json as_it_came(const whatif *w, mt_arena *a, const mt_json *payload)
{
    mt_json out = {.type = MT_JSON_OBJECT};
    mt_json_member *members = mt_new_array(a, mt_json_member, payload->count);
    for (uint32_t i = 0; i < payload->count; i++) {
        const mt_json_member *m = &payload->as.members[i];
        const gr_value *stored = w->was.get(w->was.state, m->key);
        if (!w->o->adapter || !(is_window(w->o->adapter, m->key) ||
                                is_window(w->o->old_adapter, m->key) ||
                                is_derived(w->o->old_graph, m->key) ||
                                same_value(stored, a, &m->value))) {
            members[out.count++] = *m;
        }
    }
    out.as.members = members;
    return out;
}

/* A capture does not have the event's kind: the first whose schema takes the payload,
 * with what the new context adds; NULL: none. */
static const gr_adapter_schema *kind_of(const whatif *w, mt_arena *a,
                                        const mt_json *payload)
{
    for (uint32_t i = 0; i < w->o->adapter->event_count; i++) {
        const gr_adapter_schema *kind = &w->o->adapter->events[i];
        mt_json merged = ho_graph_merge(a, w->o->adapter, kind, &w->now, payload);
        gr_schema_error why;
        if (!kind->schema || !gr_schema_check(kind->schema, a, &merged, &why)) {
            return kind;
        }
    }
    return NULL;
}

/* ---- what was decided, in words ---- */

static void add_effect(mt_buf *out, const mt_json *effect)
{
    const mt_json *writes = mt_json_at(effect, "writes");
    const mt_json *intents = mt_json_at(effect, "intents");
    for (uint32_t i = 0; writes && i < writes->count; i++) {
        const mt_json *one = &writes->as.items[i];
        mt_buf_addz(out, "; ");
        gr_key_words(out, mt_json_text(mt_json_at(one, "key")));
        mt_buf_addz(out, " = ");
        mt_json_write(out, &mt_json_at(one, "value")->as.members[0].value, false);
    }
    for (uint32_t i = 0; intents && i < intents->count; i++) {
        const mt_json *one = &intents->as.items[i];
        const mt_json *fields = mt_json_at(one, "fields");
        mt_buf_addf(out, "; %.*s(", MT_ARG(mt_json_text(mt_json_at(one, "kind"))));
        for (uint32_t k = 0; fields && k < fields->count; k++) {
            const mt_json *f = &fields->as.items[k];
            mt_buf_addf(out, "%s%.*s: ", k ? ", " : "",
                        MT_ARG(mt_json_text(mt_json_at(f, "name"))));
            mt_json_write(out, &mt_json_at(f, "value")->as.members[0].value, false);
        }
        mt_buf_addc(out, ')');
    }
}

/* "Invoke Completed; last = 3.0; place_order(side: "buy")" */
static mt_str words_of(whatif *w, mt_arena *a, const gr_capture_decision *d)
{
    const gr_decision *x = &d->decision;
    mt_buf_clear(&w->text);
    mt_buf_addz(&w->text, gr_verdict_name(x->verdict));
    if (x->ran) {
        mt_buf_addf(&w->text, " %s", gr_end_name(x->termination.end));
    }
    if (x->ran && x->termination.end == GR_END_FAILED) {
        mt_buf_addf(&w->text, " (%s)", gr_failure_name(x->termination.fault));
    }
    for (size_t i = 0; i < d->effect_count; i++) {
        mt_json node;
        if (!mt_json_read(a, d->effects[i].effect, NULL, &node, NULL)) {
            add_effect(&w->text, &node);
        }
    }
    return mt_str_dup(a, mt_buf_str(&w->text));
}

/* ---- why ---- */

static mt_str said(whatif *w, mt_arena *a, const gr_episode *e, uint32_t node)
{
    const gr_node *n = &e->graph->nodes[node];
    mt_buf_clear(&w->text);
    for (uint32_t i = 0; i < n->primitive->manifest.output_count; i++) {
        mt_buf_addz(&w->text, i ? ", " : "");
        gr_value_plain_json(&w->text, &e->slots[n->slot + i]);
    }
    return mt_str_dup(a, mt_buf_str(&w->text));
}

/* The first node, in the order they run, that both graphs have by its name and that
 * said something else. */
static void explain(whatif *w, mt_arena *a, const ho_graph_step *before,
                    const ho_graph_step *after, ho_graph_change *change)
{
    const gr_episode *x = before->episode, *y = after->episode;
    for (uint32_t i = 0; x && y && i < y->ran; i++) {
        int other = gr_graph_node(x->graph, y->graph->nodes[i].name);
        if (other < 0 || (uint32_t)other >= x->ran ||
            gr_node_is_nameless(&y->graph->nodes[i])) {
            continue;
        }
        mt_str was = said(w, a, x, (uint32_t)other), now = said(w, a, y, i);
        if (!mt_str_eq(was, now)) {
            change->node = y->graph->nodes[i].name;
            change->node_was = was;
            change->node_now = now;
            return;
        }
    }
}

/* ---- event by event ---- */

static void tell(whatif *w, const ho_graph_change *change)
{
    w->result->changed += !change->refused;
    w->result->refused += change->refused;
    if (w->o->changed) {
        w->o->changed(w->o->user, change);
    }
}

/* The context of the old graph goes on as it was recorded. */
static void follow(whatif *w, mt_arena *a, const gr_capture_decision *d)
{
    for (size_t i = 0; i < d->effect_count; i++) {
        mt_json node;
        gr_effect effect;
        if (!mt_json_read(a, d->effects[i].effect, NULL, &node, NULL) &&
            gr_effect_from_json(a, &node, &effect)) {
            (void)w->was.apply(w->was.state, effect.writes, effect.write_count);
        }
    }
}

/* The event under the new graph; false: it is not taken. */
static bool step_new(whatif *w, mt_arena *a, const gr_capture_event *recorded,
                     ho_graph_step *step)
{
    mt_json object = {.type = MT_JSON_OBJECT};
    ho_graph_event event = {
        .id = recorded->id, .kind = recorded->kind, .at = recorded->at};
    const mt_json *other =
        w->o->instead ? mt_json_get(w->o->instead, recorded->id) : NULL;
    if (other) {
        object = *other;
    } else if (recorded->payload.len &&
               mt_json_read(a, recorded->payload, NULL, &object, NULL)) {
        return false;
    }
    mt_json came = as_it_came(w, a, &object);
    event.payload = other || recorded->payload.len || w->o->adapter ? &came : NULL;
    if (w->o->adapter) {
        const gr_adapter_schema *kind = kind_of(w, a, &came);
        event.semantic_kind = kind ? kind->name
                              : w->o->adapter->event_count
                                  ? w->o->adapter->events[0].name
                                  : MT_STR("");
    }
    bool taken = !ho_graph_host_step(w->host, &event, step);
    if (taken && w->o->stepped) {
        w->o->stepped(w->o->user, step);
    }
    return taken;
}

static void one_event(whatif *w, mt_arena *a, size_t index,
                      const gr_capture_event *event, const gr_capture_decision *was)
{
    ho_graph_change change = {.event = index, .event_id = event->id};
    ho_graph_step before = {0}, after = {0};
    if (was->decision.verdict == GR_SKIP) {
        w->result->passed++;
        return;
    }
    if (w->old) {
        (void)ho_graph_host_replay(w->old, event, &was->decision, &before);
    }
    change.was = words_of(w, a, was);
    change.refused = !step_new(w, a, event, &after);
    change.now = change.refused
                     ? mt_strf(a, "refused: %.*s",
                               MT_ARG(ho_graph_host_problem(w->host).message))
                     : words_of(w, a, &after.decision);
    if (mt_str_eq(change.was, change.now)) {
        w->result->same++;
    } else {
        if (!change.refused) {
            explain(w, a, &before, &after, &change);
        }
        tell(w, &change);
    }
    follow(w, a, was);
}

static mt_err all_events(whatif *w, gr_capture_reader *capture)
{
    gr_capture_event event;
    gr_capture_decision was;
    mt_err err = MT_OK;
    for (size_t i = 0; !err; i++) {
        mt_arena a = {0};
        err = gr_capture_next(capture, &event, &was, &w->result->fault);
        if (!err) {
            w->result->events++;
            one_event(w, &a, i, &event, &was);
        }
        mt_arena_free(&a);
    }
    return err == MT_E_NOTFOUND ? MT_OK : err;
}

/* ---- the hosts ---- */

/* Only a deadline of zero is decided without a clock. */
static gr_constraints limits_of(const gr_capture_start *start)
{
    gr_constraints limits = start->head.config;
    gr_time none = {0, 0};
    limits.deadline.set = limits.deadline.set && !gr_time_cmp(limits.deadline.at, none);
    return limits;
}

/* Contexts are kept once here: a journal with a history for each value has many. */
static bool refused_key(whatif *w, const gr_capture_start *start)
{
    if (start->head.key.len) {
        mt_diag_add(&w->result->diags,
                    &(mt_diag){.severity = MT_ERROR,
                               .code = "replay.key_mismatch",
                               .pass = -1,
                               .message = MT_STR("the journal has a history for each "
                                                 "value of a key"),
                               .hint = MT_STR("export one: motet graph export JOURNAL "
                                              "--key VALUE --out FILE")});
    }
    return start->head.key.len > 0;
}

static mt_err new_hosts(whatif *w, const gr_capture_start *start, ho_context *replayed)
{
    ho_graph_options old = {.graph = w->o->old_graph,
                            .adapter = w->o->old_adapter,
                            .context = *replayed,
                            .carried = &start->carried,
                            .limits = start->head.config,
                            .replay = true};
    ho_graph_options o = {.graph = w->o->graph,
                          .adapter = w->o->adapter,
                          .context = w->now,
                          .carried = &start->carried,
                          .limits = limits_of(start),
                          .hold_intents = true,
                          .unrouted = true};
    mt_err err = ho_graph_host_new(&o, &w->result->diags, &w->host);
    if (!err && w->o->old_graph) {
        err = ho_graph_host_new(&old, &w->result->diags, &w->old);
    }
    return err;
}

mt_err ho_graph_whatif(mt_arena *a, gr_capture_reader *capture,
                       const ho_whatif_options *options, ho_whatif_result *result)
{
    whatif w = {.arena = a,
                .o = options,
                .result = result,
                .was = ho_context_in_memory(),
                .now = ho_context_in_memory()};
    ho_context replayed = ho_context_in_memory();
    *result = (ho_whatif_result){.diags = {.arena = a}};
    const gr_capture_start *start = gr_capture_start_of(capture);
    mt_err err =
        refused_key(&w, start) ? MT_E_REJECTED : new_hosts(&w, start, &replayed);
    if (!err) {
        result->head = ho_graph_host_head(w.host);
        err = all_events(&w, capture);
    }
    ho_graph_host_free(w.old);
    ho_graph_host_free(w.host);
    w.was.free(w.was.state);
    w.now.free(w.now.state);
    replayed.free(replayed.state);
    mt_buf_free(&w.text);
    return err;
}
