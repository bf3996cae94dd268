/* agent/trace.c - see trace.h: writing. Keys are written in byte order.
 *
 * A trace is lines of JSON: a header, the routes, one record per message, the end. A
 * record says what came of a message in the order in which it happened; lists whose
 * order means nothing (deltas, tapes) are sorted, so equal runs give equal bytes. The
 * header names the fields that a comparison looks at (COMPARED); the rest is
 * commentary.
 *
 * The conformance statement (ag_statement()) says in which points each mode leaves the
 * profile; it is the place to add a line when a deviation is found.
 *
 * Nothing can fail. The cycle's record is read in place, so it must be written before
 * the next message begins. */
#include "agent/trace.h"

#include <stdlib.h>

#include "agent/agent_file.h"
#include "base/vec.h"

/* Where a rule is declared: order of receivers and senders, in words. */
static const char *order_rule(ag_mode mode)
{
    return mode == AG_COMPAT
               ? "receivers: priority, registration, key insertion, state, gate; "
                 "senders: first registration of the route, registration"
               : "receivers: priority, canonical route, key, state, registration; "
                 "senders: priority, canonical route, registration, key";
}

/* What ag_trace_compare() looks at; everything else is commentary. */
static const char *const COMPARED[] = {
    "fate", "receive_hooks", "receivers", "delta", "tape_after", "senders", "tape"};

static void end_line(mt_jw *w)
{
    mt_jw_end_object(w);
    mt_buf_addc(w->out, '\n');
}

static void write_key(mt_jw *w, mt_str key)
{
    if (key.ptr) {
        mt_jw_str(w, key);
    } else {
        mt_jw_null(w);
    }
}

static void write_nodes(mt_jw *w, const ag_node *nodes, uint32_t count)
{
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < count; i++) {
        mt_jw_str(w, nodes[i].text);
    }
    mt_jw_end_array(w);
}

/* Says what is compared and by which order (§8), so a trace can be judged without this
 * program. `nondeterminism` is an empty list: none is declared. */
static void write_header(mt_buf *out, const ag_agent *agent, ag_shape shape)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "agent", agent->name);
    mt_jw_keyz(&w, "compared");
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < sizeof COMPARED / sizeof *COMPARED; i++) {
        mt_jw_str(&w, mt_str_z(COMPARED[i]));
    }
    mt_jw_end_array(&w);
    mt_jw_key_str(&w, "format", MT_STR(AG_TRACE_FORMAT));
    mt_jw_key_str(&w, "mode", mt_str_z(ag_mode_name(agent->mode)));
    mt_jw_keyz(&w, "nondeterminism");
    mt_jw_begin_array(&w);
    mt_jw_end_array(&w);
    mt_jw_key_str(&w, "order", mt_str_z(order_rule(agent->mode)));
    mt_jw_key_str(&w, "profile", MT_STR(AG_PROFILE_ID));
    mt_jw_key_str(&w, "record", MT_STR("header"));
    mt_jw_key_str(&w, "shape", mt_str_z(ag_shape_name(shape)));
    mt_jw_key_str(&w, "tape_rule",
                  agent->mode == AG_COMPAT ? MT_STR("fresh tape per priority group")
                  : agent->rule == AG_ADD  ? MT_STR("add")
                                           : MT_STR("replace"));
    end_line(&w);
}

/* A route that does not parse is in the trace with its text and no canonical form. */
static void write_route(mt_buf *out, const char *kind, mt_str name, mt_str text,
                        const ag_route *r, bool parsed)
{
    static const ag_route NONE = {0};
    r = parsed ? r : &NONE;
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "canonical");
    write_key(&w, parsed ? r->canonical : AG_NULL_KEY);
    mt_jw_key_str(&w, "kind", mt_str_z(kind));
    mt_jw_keyz(&w, "label");
    write_nodes(&w, ag_route_part(r, AG_LABEL), r->count[AG_LABEL]);
    mt_jw_key_str(&w, "name", name);
    mt_jw_key_bool(&w, "parsed", parsed);
    mt_jw_key_str(&w, "record", MT_STR("route"));
    mt_jw_keyz(&w, "source");
    write_nodes(&w, r->nodes, r->count[AG_SOURCE]);
    mt_jw_keyz(&w, "target");
    write_nodes(&w, ag_route_part(r, AG_TARGET), r->count[AG_TARGET]);
    mt_jw_key_str(&w, "text", text);
    end_line(&w);
}

void ag_trace_begin(mt_buf *out, const ag_agent *agent, ag_shape shape)
{
    write_header(out, agent, shape);
    for (uint32_t i = 0; i < agent->receiver_count; i++) {
        const ag_receiver *r = &agent->receivers[i];
        write_route(out, "receiver", r->name, r->text, &r->route, r->parsed);
    }
    for (uint32_t i = 0; i < agent->sender_count; i++) {
        const ag_sender *s = &agent->senders[i];
        write_route(out, "sender", s->name, s->text, &s->route, s->parsed);
    }
}

mt_str ag_trace_tape(mt_arena *a, const ag_tape *tape)
{
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    ag_tape_write(tape, &w);
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* ---- one message ---- */

static void write_failed(mt_jw *w, const char *failed)
{
    mt_jw_keyz(w, "failed");
    write_key(w, mt_str_z(failed));
}

static void write_hooks(mt_jw *w, const ag_agent *agent, const ag_hook_record *records,
                        uint32_t count)
{
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < count; i++) {
        const ag_hook_record *h = &records[i];
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "name", agent->hooks[h->hook].name);
        mt_jw_key_str(w, "result",
                      h->failed    ? MT_STR("failed")
                      : h->dropped ? MT_STR("dropped")
                                   : MT_STR("kept"));
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
}

/* A failed receiver activated nothing, whatever its route could do. State and gate are
 * shown only for routes that have gates. */
static void write_activation(mt_jw *w, const ag_agent *agent, const ag_activation *x)
{
    const ag_receiver *r = &agent->receivers[x->receiver];
    bool gated = r->parsed && r->route.count[AG_SOURCE] && x->state.ptr;
    uint32_t count = 0;
    const ag_node *nodes =
        r->parsed ? ag_route_activates(&r->route, x->event.action, &count) : NULL;
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "action", mt_str_z(ag_action_name(x->event.action)));
    mt_jw_keyz(w, "activated");
    write_nodes(w, nodes, x->failed ? 0 : count);
    write_failed(w, x->failed);
    mt_jw_keyz(w, "gate");
    write_key(w, gated ? r->route.nodes[x->gate].text : AG_NULL_KEY);
    mt_jw_keyz(w, "key");
    write_key(w, x->key);
    mt_jw_key_str(w, "name", r->name);
    mt_jw_key_str(w, "route", r->parsed ? r->route.canonical : r->text);
    mt_jw_keyz(w, "state");
    write_key(w, gated ? x->state : AG_NULL_KEY);
    mt_jw_keyz(w, "trigger");
    write_key(w, x->event.action == AG_NONE ? AG_NULL_KEY : x->event.trigger);
    mt_jw_end_object(w);
}

/* Deltas are sets in a trace; the order inside a key is the tape's business. */
static void write_sorted(mt_arena *a, mt_jw *w, const mt_str *texts, uint32_t count)
{
    mt_str *sorted = mt_new_array(a, mt_str, count);
    if (count) {
        memcpy(sorted, texts, count * sizeof *texts);
        mt_str_sort(sorted, count);
    }
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < count; i++) {
        mt_jw_str(w, sorted[i]);
    }
    mt_jw_end_array(w);
}

/* The tape without a key comes before all that have one. */
static int by_key(const void *x, const void *y)
{
    mt_str a = ((const ag_delta *)x)->key, b = ((const ag_delta *)y)->key;
    if (!a.ptr || !b.ptr) {
        return (a.ptr != NULL) - (b.ptr != NULL);
    }
    return mt_str_cmp(a, b);
}

static void write_deltas(mt_arena *a, mt_jw *w, const ag_record *r)
{
    ag_delta *sorted = mt_new_array(a, ag_delta, r->delta_count);
    if (r->delta_count) {
        memcpy(sorted, r->deltas, r->delta_count * sizeof *sorted);
        qsort(sorted, r->delta_count, sizeof *sorted, by_key);
    }
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < r->delta_count; i++) {
        mt_jw_begin_object(w);
        mt_jw_keyz(w, "added");
        write_sorted(a, w, sorted[i].added, sorted[i].added_count);
        mt_jw_keyz(w, "key");
        write_key(w, sorted[i].key);
        mt_jw_keyz(w, "removed");
        write_sorted(a, w, sorted[i].removed, sorted[i].removed_count);
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
}

/* The same distinction as in DNA: null stands for no filter, [] lets nothing through.
 */
static void write_filters(mt_jw *w, const ag_sender *s)
{
    mt_jw_keyz(w, "on_actions");
    if (!s->has_actions) {
        mt_jw_null(w);
    } else {
        mt_jw_begin_array(w);
        for (ag_action action = AG_TEST; action <= AG_MOVE; action++) {
            if ((s->actions >> action) & 1) {
                mt_jw_str(w, mt_str_z(ag_action_name(action)));
            }
        }
        mt_jw_end_array(w);
    }
    mt_jw_keyz(w, "on_triggers");
    if (!s->has_triggers) {
        mt_jw_null(w);
    } else {
        mt_jw_begin_array(w);
        for (uint32_t i = 0; i < s->trigger_count; i++) {
            mt_jw_str(w, s->triggers[i]);
        }
        mt_jw_end_array(w);
    }
}

static void write_emission(mt_jw *w, const ag_agent *agent, const ag_record *r,
                           const ag_emission *e)
{
    mt_jw_begin_object(w);
    mt_jw_key_bool(w, "dropped", !e->payload);
    mt_jw_keyz(w, "hooks");
    write_hooks(w, agent, e->hooks ? r->send_hooks + e->hook_at : NULL, e->hooks);
    mt_jw_keyz(w, "payload");
    if (e->payload) {
        mt_jw_json(w, e->payload);
    } else {
        mt_jw_null(w);
    }
    mt_jw_end_object(w);
}

static void write_sends(mt_jw *w, const ag_agent *agent, const ag_record *r)
{
    uint32_t e = 0;
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < r->send_count; i++) {
        const ag_sender *s = &agent->senders[r->sends[i].sender];
        mt_jw_begin_object(w);
        mt_jw_keyz(w, "emissions");
        mt_jw_begin_array(w);
        /* Emissions stand in the order of their sends, so one walk over both is
         * enough. */
        for (; e < r->emission_count && r->emissions[e].send == i; e++) {
            write_emission(w, agent, r, &r->emissions[e]);
        }
        mt_jw_end_array(w);
        write_failed(w, r->sends[i].failed);
        mt_jw_keyz(w, "key");
        write_key(w, r->sends[i].key);
        mt_jw_key_bool(w, "multi", s->multi);
        mt_jw_key_str(w, "name", s->name);
        write_filters(w, s);
        mt_jw_key_str(w, "route", s->parsed ? s->route.canonical : s->text);
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
}

static const char *const FATES[] = {
    [AG_FINISHED] = "finished",
    [AG_DROPPED] = "dropped",
    [AG_HOOK_FAILED] = "hook_failed",
    [AG_OVER_LIMIT] = "over_limit",
};
MT_TABLE_COVERS(FATES, AG_OVER_LIMIT + 1);

/* The tape before is text, since the tape itself has changed by now. Keys ascend. */
void ag_trace_heard(mt_buf *out, uint32_t number, mt_str tape_before,
                    const ag_program *p, const ag_cycle *c, const ag_tape *after,
                    const ag_heard *heard)
{
    mt_arena a = {0};
    const ag_agent *agent = ag_program_agent(p);
    ag_record r = ag_cycle_record(c);
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    if (heard) {
        mt_jw_key_str(&w, "at", heard->at);
    }
    mt_jw_keyz(&w, "delta");
    write_deltas(&a, &w, &r);
    mt_jw_key_str(&w, "fate", mt_str_z(FATES[ag_cycle_fate(c)]));
    if (heard) {
        mt_jw_keyz(&w, "heard");
        mt_jw_json(&w, heard->payload);
    }
    mt_jw_keyz(&w, "limit");
    write_key(&w, mt_str_z(r.limit));
    mt_jw_key_i64(&w, "number", number);
    mt_jw_keyz(&w, "receive_hooks");
    write_hooks(&w, agent, r.receive_hooks, r.receive_hook_count);
    mt_jw_keyz(&w, "receivers");
    mt_jw_begin_array(&w);
    for (uint32_t i = 0; i < r.activation_count; i++) {
        write_activation(&w, agent, &r.activations[i]);
    }
    mt_jw_end_array(&w);
    mt_jw_key_str(&w, "record", MT_STR("message"));
    mt_jw_keyz(&w, "senders");
    write_sends(&w, agent, &r);
    mt_jw_keyz(&w, "tape_after");
    ag_tape_write(after, &w);
    mt_jw_keyz(&w, "tape_before");
    mt_jw_raw(&w, tape_before);
    end_line(&w);
    mt_arena_free(&a);
}

void ag_trace_message(mt_buf *out, uint32_t number, mt_str tape_before,
                      const ag_program *p, const ag_cycle *c, const ag_tape *after)
{
    ag_trace_heard(out, number, tape_before, p, c, after, NULL);
}

void ag_trace_tick(mt_buf *out, mt_str at, mt_str sender, const mt_json *sent)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "at", at);
    mt_jw_keyz(&w, "payload");
    mt_jw_json(&w, sent);
    mt_jw_key_str(&w, "record", MT_STR("tick"));
    mt_jw_key_str(&w, "sender", sender);
    end_line(&w);
}

void ag_trace_end(mt_buf *out, const ag_tape *tape, uint32_t messages)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_i64(&w, "messages", messages);
    mt_jw_key_str(&w, "record", MT_STR("end"));
    mt_jw_keyz(&w, "tape");
    ag_tape_write(tape, &w);
    end_line(&w);
}

/* ---- the conformance statement ---- */

static void write_list(mt_jw *w, const char *key, const char *const *texts)
{
    mt_jw_key(w, mt_str_z(key));
    mt_jw_begin_array(w);
    for (; *texts; texts++) {
        mt_jw_str(w, mt_str_z(*texts));
    }
    mt_jw_end_array(w);
}

/* What one mode is, and where it leaves the document it follows. */
typedef struct mode_words {
    ag_mode mode;
    const char *tape_rule;
    const char *const *deviations; /* from the profile, by section */
    const char *const *runtime;    /* of `motet agent run`, from existing agents */
} mode_words;

static void write_mode(mt_jw *w, const mode_words *m)
{
    mt_jw_key(w, mt_str_z(ag_mode_name(m->mode)));
    mt_jw_begin_object(w);
    write_list(w, "deviations", m->deviations);
    mt_jw_key_str(w, "order", mt_str_z(order_rule(m->mode)));
    write_list(w, "runtime", m->runtime);
    mt_jw_key_str(w, "tape_rule", mt_str_z(m->tape_rule));
    mt_jw_end_object(w);
}

/* Others rely on this statement: a line that is no longer true goes with the code that
 * made it so. */
static const char *const PROFILE_DEVIATIONS[] = {
    "3.1: white space between two characters of names is refused, not ignored",
    "3.1: a route in which source, label and target are all empty is refused",
    NULL,
};
static const char *const COMPAT_DEVIATIONS[] = {
    "3.1: identifiers may go on with Unicode letters and digits; list items are not "
    "checked; an agent file may name other arrow styles (`styles`)",
    "3.2: empty tokens are dropped; each arrow style keeps its own canonical text; a "
    "route that does not parse is kept as text and never fires",
    "4: non-plain states are matched as the existing SDK does",
    "6.1: a failing hook passes the payload on; of hooks of equal priority the last "
    "registered remains; without receivers no hook runs",
    "6.2: a receiver runs once per accepting gate; of receivers on one route the last "
    "registered remains; with `flow: false` routes are labels and every receiver runs",
    "6.3: the tape is updated after each priority group; a key that was uploaded and "
    "not activated is emptied",
    "6.4: a sender runs at most once per message, with `use_data` once per outcome; "
    "one "
    "of which no filter lists anything does not wait for outcomes; `multi` goes "
    "through "
    "what was returned, also the characters of text",
    NULL,
};
static const char *const ANY_RUNTIME[] = {
    "timed senders run outside the cycle; the tape gates those that say `gated`",
    NULL,
};
static const char *const COMPAT_RUNTIME[] = {
    "senders are chosen once per message, not by a loop that polls: a burst of "
    "messages is not answered as one, and a sender without filters and without a timer "
    "runs once per message",
    "messages leave in the order of senders, as with one worker",
    "a handler that fails is reported; the agent goes on",
    "texts inside a payload are not decoded again",
    "NaN, Infinity and -Infinity reach handlers as texts, half of a surrogate pair as "
    "U+FFFD: JSON has neither",
    "arrow styles are tried in the order they are listed",
    "conditions that DNA has as source code are kept and not run",
    "timed senders run outside the cycle; the tape does not gate them",
    NULL,
};

static void write_limits(mt_jw *w)
{
    const mt_limits *most = &MT_LIMITS_DEFAULT;
    mt_jw_begin_object(w);
    mt_jw_key_i64(w, "activations_per_message", (int64_t)most->agent_activations);
    mt_jw_key_i64(w, "emissions_per_message", (int64_t)most->agent_emissions);
    mt_jw_key_i64(w, "handler_ms", AG_HANDLER_MS);
    mt_jw_key_i64(w, "list_depth", (int64_t)most->agent_route_depth);
    mt_jw_key_i64(w, "message_bytes", (int64_t)most->agent_message_bytes);
    mt_jw_key_i64(w, "registrations", (int64_t)most->agent_registrations);
    mt_jw_key_i64(w, "route_bytes", (int64_t)most->agent_route_bytes);
    mt_jw_key_i64(w, "tape_nodes", (int64_t)most->agent_tape_nodes);
    mt_jw_key_i64(w, "waiting_bytes_per_timed_sender",
                  (int64_t)most->agent_waiting_bytes);
    mt_jw_end_object(w);
}

/* What this implementation does where the profile leaves a choice, and where compat
 * leaves the profile, by section. */
void ag_statement(mt_buf *out, bool pretty)
{
    static const char *const SHAPES[] = {"single", "many", "index-single", "index-many",
                                         NULL};
    static const char *const STYLES[] = {
        "A--[f]-->B (canonical)", "A-->B (read as A--[]-->B)",
        "compat: those an agent file lists under `styles` instead", NULL};
    static const char *const NONE[] = {NULL};
    static const mode_words COMPAT = {AG_COMPAT, "fresh tape per priority group",
                                      COMPAT_DEVIATIONS, COMPAT_RUNTIME};
    static const mode_words PROFILE = {AG_PROFILE,
                                       "replace (add when the agent file says so)",
                                       PROFILE_DEVIATIONS, ANY_RUNTIME};
    mt_jw w = mt_jw_start(out, pretty);
    mt_jw_begin_unsorted(&w);
    write_list(&w, "arrow_styles", STYLES);
    write_list(&w, "compared",
               (const char *const[]){COMPARED[0], COMPARED[1], COMPARED[2], COMPARED[3],
                                     COMPARED[4], COMPARED[5], COMPARED[6], NULL});
    mt_jw_key_bool(&w, "conformance_mode_forces_schedule", true);
    mt_jw_key_str(&w, "default_mode", MT_STR("profile"));
    write_list(&w, "declared_nondeterminism", NONE);
    mt_jw_keyz(&w, "limits");
    write_limits(&w);
    mt_jw_keyz(&w, "modes");
    mt_jw_begin_object(&w);
    write_mode(&w, &COMPAT);
    write_mode(&w, &PROFILE);
    mt_jw_end_object(&w);
    mt_jw_key_str(&w, "profile", MT_STR(AG_PROFILE_ID));
    mt_jw_key_str(&w, "profile_version", MT_STR("0.1.0"));
    write_list(&w, "tape_shapes", SHAPES);
    mt_jw_key_str(&w, "trace_format", MT_STR(AG_TRACE_FORMAT));
    mt_jw_key_str(&w, "trigger_matching", MT_STR("exact name"));
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}
