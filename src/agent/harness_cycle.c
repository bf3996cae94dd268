/* agent/harness_cycle.c - the harness's `cycle` and `dna`: scripted handlers driven
 * through the real engine, its record written as the recorded answers are.
 *
 * First the script: registrations and what their handlers answer. Then each message
 * goes through a cycle, and its record is written as events in the SDK's order: hooks,
 * receivers batch by batch with the tape handed down, the bridge, senders.
 * INVARIANT: the trace says nothing that the engine's record does not hold.
 * May fail: a route (profile mode only), an action or a tape that cannot be read. */
#include <stdlib.h>

#include "agent/chars.h"
#include "agent/dna.h"
#include "agent/harness_impl.h"
#include "agent/message.h"
#include "agent/python.h"
#include "agent/tape_impl.h"
#include "agent/value.h"
#include "base/form.h"

typedef enum hook_do { HOOK_PASS, HOOK_DROP, HOOK_RAISE, HOOK_TAG } hook_do;

/* The scripted agent: registrations and what their handlers answer. */
typedef struct script {
    ag_agent agent;
    ag_event *events;        /* by receiver */
    const mt_json **payload; /* by sender; NULL: none */
    hook_do *hooks;
    mt_arena *a; /* of the message under way */
} script;

/* ---- reading ---- */

/* Recorded questions are read as the SDK reads its arguments: what has another kind is
 * as if it were absent, and members that we do not know are not looked at. */
static mt_form lenient(const ag_question *q)
{
    return (mt_form){.arena = q->a, .unknown = MT_FORM_ALLOWED};
}

/* A registration and what its handler answers. */
typedef struct scripted {
    mt_str name, route, action, trigger, hook_does, dir, direction;
    const mt_json *data, *payload, *on_actions, *on_triggers;
    bool multi, use_data;
} scripted;

static const mt_form_row SCRIPTED[] = {
    MT_FORM_TEXT(scripted, name, "name", 0),
    MT_FORM_TEXT(scripted, route, "route", 0),
    MT_FORM_TEXT(scripted, action, "action", 0),
    MT_FORM_TEXT(scripted, trigger, "trigger", 0),
    MT_FORM_ANY(scripted, data, "data", 0),
    MT_FORM_ANY(scripted, payload, "payload", 0),
    MT_FORM_LIST(scripted, on_actions, "on_actions", 0, UINT32_MAX, 0),
    MT_FORM_LIST(scripted, on_triggers, "on_triggers", 0, UINT32_MAX, 0),
    MT_FORM_FLAG(scripted, multi, "multi", 0),
    MT_FORM_FLAG(scripted, use_data, "use_data", 0),
    MT_FORM_TEXT(scripted, hook_does, "do", 0),
    MT_FORM_TEXT(scripted, dir, "dir", 0),
    MT_FORM_TEXT(scripted, direction, "direction", 0),
};

static scripted scripted_at(const ag_question *q, const mt_json *at, const char *role,
                            uint32_t i)
{
    mt_form f = lenient(q);
    scripted s = {.action = MT_STR("NONE"), .trigger = MT_STR("ok")};
    mt_form_read(&f, at, SCRIPTED, mt_form_count(SCRIPTED), &s);
    if (!mt_json_is(mt_json_at(at, "name"), MT_JSON_STRING)) {
        s.name = mt_strf(q->a, "%s%u", role, i);
    }
    return s;
}

typedef struct asked {
    const mt_json *receivers, *senders, *hooks, *messages;
    bool flow;
} asked;

static const mt_form_row ASKED[] = {
    MT_FORM_LIST(asked, receivers, "receivers", 0, UINT32_MAX, 0),
    MT_FORM_LIST(asked, senders, "senders", 0, UINT32_MAX, 0),
    MT_FORM_LIST(asked, hooks, "hooks", 0, UINT32_MAX, 0),
    MT_FORM_LIST(asked, messages, "messages", 0, UINT32_MAX, 0),
    MT_FORM_FLAG(asked, flow, "flow", 0),
};

static asked asked_of(const ag_question *q)
{
    static const mt_json EMPTY = {.type = MT_JSON_ARRAY};
    mt_form f = lenient(q);
    asked in = {&EMPTY, &EMPTY, &EMPTY, &EMPTY, true};
    mt_form_read(&f, q->in, ASKED, mt_form_count(ASKED), &in);
    return in;
}

/* With flow off a route is a label and is not read. */
static bool read_route(ag_question *q, const ag_agent *agent, mt_str written,
                       mt_str *text, ag_route *route, bool *parsed)
{
    *text = written.ptr ? written : MT_STR("");
    *parsed = !agent->flow_off &&
              !ag_route_parse(q->a, q->mode, agent->styles, *text, route, NULL);
    return *parsed || q->mode == AG_COMPAT || agent->flow_off ||
           ag_refuse(q, "route `%.*s` is malformed", MT_ARG(*text));
}

/* An event without an action has no trigger, whatever the script says. */
static bool read_event(ag_question *q, const scripted *at, ag_event *out)
{
    *out = (ag_event){.data = at->data};
    if (!ag_action_from(at->action, &out->action)) {
        return ag_refuse(q, "no such action");
    }
    if (out->action != AG_NONE) {
        out->trigger = at->trigger;
    }
    return true;
}

static bool read_receivers(ag_question *q, script *s, const mt_json *list)
{
    ag_receiver *out = mt_new_array(q->a, ag_receiver, list->count);
    s->events = mt_new_array(q->a, ag_event, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        const mt_json *at = &list->as.items[i];
        scripted d = scripted_at(q, at, "recv", i);
        out[i].name = d.name;
        out[i].module = MT_STR("__main__");
        if (!read_route(q, &s->agent, d.route, &out[i].text, &out[i].route,
                        &out[i].parsed) ||
            !ag_read_priority(q, at, &out[i].priority) ||
            !read_event(q, &d, &s->events[i])) {
            return false;
        }
    }
    s->agent.receivers = out;
    s->agent.receiver_count = list->count;
    return true;
}

static bool read_filters(ag_question *q, const scripted *at, ag_sender *s)
{
    const mt_json *actions = at->on_actions, *triggers = at->on_triggers;
    s->has_actions = actions != NULL;
    s->has_triggers = triggers != NULL;
    for (uint32_t i = 0; actions && i < actions->count; i++) {
        ag_action action;
        if (!ag_action_from(mt_json_text(&actions->as.items[i]), &action)) {
            return ag_refuse(q, "no such action");
        }
        s->actions |= (uint8_t)(1u << action);
    }
    s->trigger_count = triggers ? triggers->count : 0;
    mt_str *names = mt_new_array(q->a, mt_str, s->trigger_count);
    for (uint32_t i = 0; i < s->trigger_count; i++) {
        names[i] = mt_json_text(&triggers->as.items[i]);
    }
    s->triggers = names;
    return true;
}

static bool read_senders(ag_question *q, script *s, const mt_json *list)
{
    ag_sender *out = mt_new_array(q->a, ag_sender, list->count);
    s->payload = mt_new_array(q->a, const mt_json *, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        const mt_json *at = &list->as.items[i];
        scripted d = scripted_at(q, at, "send", i);
        out[i].name = d.name;
        out[i].module = MT_STR("__main__");
        out[i].multi = d.multi;
        out[i].use_data = d.use_data;
        s->payload[i] = d.payload;
        if (!read_route(q, &s->agent, d.route, &out[i].text, &out[i].route,
                        &out[i].parsed) ||
            !ag_read_priority(q, at, &out[i].priority) ||
            !read_filters(q, &d, &out[i])) {
            return false;
        }
    }
    s->agent.senders = out;
    s->agent.sender_count = list->count;
    return true;
}

/* An unknown word passes the payload on, as a hook that does nothing would. */
static hook_do hook_named(mt_str name)
{
    static const char *const DOES[] = {[HOOK_PASS] = "pass",
                                       [HOOK_DROP] = "drop",
                                       [HOOK_RAISE] = "raise",
                                       [HOOK_TAG] = "tag"};
    MT_TABLE_COVERS(DOES, HOOK_TAG + 1);
    for (hook_do k = HOOK_PASS; k <= HOOK_TAG; k++) {
        if (mt_str_eq(mt_str_z(DOES[k]), name)) {
            return k;
        }
    }
    return HOOK_PASS;
}

/* Both names of the member are read: `dir` is what older scripts have. */
static bool read_hooks(ag_question *q, script *s, const mt_json *list)
{
    ag_hook *out = mt_new_array(q->a, ag_hook, list->count);
    s->hooks = mt_new_array(q->a, hook_do, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        const mt_json *at = &list->as.items[i];
        scripted d = scripted_at(q, at, "hook", i);
        mt_str direction = mt_json_at(at, "dir") ? d.dir : d.direction;
        out[i].name = d.name;
        out[i].module = MT_STR("__main__");
        out[i].direction = mt_str_is(direction, "SEND") ? AG_SEND : AG_RECEIVE;
        s->hooks[i] = hook_named(d.hook_does);
        if (!ag_read_priority(q, at, &out[i].priority)) {
            return false;
        }
    }
    s->agent.hooks = out;
    s->agent.hook_count = list->count;
    return true;
}

static bool read_script(ag_question *q, script *s)
{
    asked in = asked_of(q);
    s->agent.mode = q->mode;
    s->agent.name = MT_STR("agent");
    s->agent.styles = q->styles.count ? &q->styles : NULL;
    s->agent.flow_off = !in.flow;
    return read_receivers(q, s, in.receivers) && read_senders(q, s, in.senders) &&
           read_hooks(q, s, in.hooks);
}

/* ---- scripted handlers ---- */

static const mt_json *tagged(const script *s, const mt_json *payload, mt_str name)
{
    if (!mt_json_is(payload, MT_JSON_STRING)) {
        return payload;
    }
    mt_json *out = mt_new(s->a, mt_json);
    *out = ag_text_value(
        mt_strf(s->a, "%.*s|%.*s", MT_ARG(mt_json_text(payload)), MT_ARG(name)));
    return out;
}

/* NULL drops the message (§6.1); a hook that raises has failed, which the mode decides
 * about. */
static void answer_hook(const script *s, const ag_call *call, ag_answer *answer)
{
    answer->payload = call->payload;
    switch (s->hooks[call->index]) {
    case HOOK_PASS: break;
    case HOOK_DROP: answer->payload = NULL; break;
    case HOOK_RAISE: answer->failed = "raised"; break;
    case HOOK_TAG:
        answer->payload = tagged(s, call->payload, s->agent.hooks[call->index].name);
        break;
    }
}

static void answer(void *host, const ag_call *call, ag_answer *out)
{
    const script *s = host;
    switch (call->kind) {
    case AG_CALL_RECEIVE_HOOK:
    case AG_CALL_SEND_HOOK: answer_hook(s, call, out); break;
    case AG_CALL_RECEIVER: out->event = s->events[call->index]; break;
    case AG_CALL_SENDER:
        out->payload = s->payload[call->index];
        if (!out->payload && s->agent.senders[call->index].use_data && call->cause) {
            out->payload = call->cause->data;
        }
        break;
    }
}

/* ---- the answer's trace ---- */

static void begin_event(mt_jw *w, const char *kind)
{
    mt_jw_begin_unsorted(w);
    mt_jw_key_str(w, "ev", mt_str_z(kind));
}

static void write_json(mt_jw *w, const mt_json *value)
{
    mt_buf text = {0};
    ag_py_dumps(&text, value); /* member order matters in tapes */
    mt_jw_raw(w, mt_buf_str(&text));
    mt_buf_free(&text);
}

static void write_hooks(mt_jw *w, const script *s, const ag_hook_record *records,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const ag_hook *h = &s->agent.hooks[records[i].hook];
        begin_event(w, "hook");
        mt_jw_key_str(w, "dir",
                      h->direction == AG_SEND ? MT_STR("SEND") : MT_STR("RECEIVE"));
        mt_jw_key_str(w, "name", h->name);
        mt_jw_end_object(w);
    }
}

static void write_receive(mt_jw *w, const script *s, const ag_activation *x)
{
    begin_event(w, "receive");
    mt_jw_key_str(w, "name", s->agent.receivers[x->receiver].name);
    mt_jw_key_str(w, "action", mt_str_z(ag_action_name(x->event.action)));
    mt_jw_keyz(w, "trigger");
    ag_write_key(w, x->event.trigger);
    mt_jw_end_object(w);
}

/* What the batch hands to download: every uploaded key emptied, then what was
 * activated; the null key only when an initial route ran. */
static mt_json download_of(ag_question *q, const script *s, const ag_tape *t,
                           const ag_record *r, ag_batch batch, bool *has_null)
{
    size_t keys;
    const mt_str *names = ag_tape_key_list(t, q->a, &keys);
    mt_json_member *members = mt_new_array(q->a, mt_json_member, keys + 1);
    ag_pieces *lists = mt_new_array(q->a, ag_pieces, keys + 1);
    size_t count = 0;
    *has_null = false;
    for (size_t k = 0; k < keys; k++) {
        if (names[k].ptr) {
            members[count++].key = mt_str_dup(q->a, names[k]); /* outlives the tape */
        }
    }
    for (uint32_t i = batch.first; i < batch.first + batch.count; i++) {
        const ag_activation *x = &r->activations[i];
        uint32_t nodes;
        const ag_node *node = ag_route_activates(&s->agent.receivers[x->receiver].route,
                                                 x->event.action, &nodes);
        size_t at = 0;
        while (at < count && !(x->key.ptr && mt_str_eq(members[at].key, x->key))) {
            at++;
        }
        *has_null |= at == count;
        for (uint32_t n = 0; n < nodes; n++) {
            mt_vec_push(q->a, &lists[at], node[n].text);
        }
    }
    for (size_t k = 0; k <= count; k++) {
        mt_json *items = mt_new_array(q->a, mt_json, lists[k].len);
        for (size_t n = 0; n < lists[k].len; n++) {
            items[n] = ag_text_value(lists[k].items[n]);
        }
        members[k].value = ag_list_value(items, lists[k].len);
    }
    members[count].key = AG_NULL_KEY;
    return ag_object_value(members, count + *has_null);
}

/* The lists of an object one after the other: how single and many tapes are shown. */
static mt_json flattened(ag_question *q, const mt_json *object)
{
    MT_VEC(mt_json) all = {0};
    for (uint32_t i = 0; i < object->count; i++) {
        const mt_json *list = &object->as.members[i].value;
        for (uint32_t k = 0; k < list->count; k++) {
            mt_vec_push(q->a, &all, list->as.items[k]);
        }
    }
    return ag_list_value(all.items, all.len);
}

/* Rows and not an object: a null key and one that is text have to be told apart. */
static void write_rows(mt_jw *w, const mt_json *object)
{
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < object->count; i++) {
        mt_jw_begin_array(w);
        ag_write_key(w, object->as.members[i].key);
        write_json(w, &object->as.members[i].value);
        mt_jw_end_array(w);
    }
    mt_jw_end_array(w);
}

/* Writes the download event; returns the tape as the application then holds it. */
static mt_json write_download(ag_question *q, const script *s, const ag_tape *t,
                              const ag_record *r, ag_batch batch)
{
    bool has_null;
    mt_json object = download_of(q, s, t, r, batch, &has_null), list;
    begin_event(q->w, "download");
    mt_jw_keyz(q->w, "tape");
    if (ag_shape_indexed(ag_tape_shape(t))) {
        write_rows(q->w, &object);
        mt_jw_end_object(q->w);
        return object;
    }
    list = flattened(q, &object);
    write_json(q->w, &list);
    mt_jw_end_object(q->w);
    return list;
}

static void write_bridge(ag_question *q, const script *s, const ag_tape *t,
                         const ag_record *r)
{
    /* SPARSE: no action is null. */
    static const char *const KINDS[] = {
        [AG_TEST] = "Test",
        [AG_STAY] = "Stay",
        [AG_MOVE] = "Move",
        [AG_EVENT] = "Event",
    };
    MT_TABLE_COVERS(KINDS, AG_EVENT + 1);
    mt_jw *w = q->w;
    begin_event(w, "bridge");
    mt_jw_keyz(w, "events");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < r->activation_count && !s->agent.flow_off; i++) {
        const ag_activation *x = &r->activations[i];
        const ag_receiver *at = &s->agent.receivers[x->receiver];
        mt_jw_begin_unsorted(w);
        mt_jw_keyz(w, "priority");
        ag_write_priority(w, at->priority);
        mt_jw_keyz(w, "key");
        ag_write_key(w, ag_raw_key(q->a, t, x->key));
        mt_jw_key_str(w, "route", at->route.canonical);
        mt_jw_keyz(w, "action");
        ag_write_key(w, mt_str_z(KINDS[x->event.action]));
        mt_jw_keyz(w, "trigger");
        ag_write_key(w, x->event.trigger);
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
    mt_jw_end_object(w);
}

static void write_emit(ag_question *q, const mt_json *payload)
{
    mt_json_member members[] = {{MT_STR("_version"), ag_text_value(MT_STR("1.3.0"))},
                                {MT_STR("_payload"), *payload},
                                {MT_STR("_type"), ag_py_type(q->a, payload)}};
    mt_json line = ag_object_value(members, 3);
    begin_event(q->w, "emit");
    mt_jw_keyz(q->w, "line");
    write_json(q->w, &line);
    mt_jw_end_object(q->w);
}

/* Emissions stand in the order of their sends, so one index walks through them. */
static void write_sends(ag_question *q, const script *s, const ag_record *r)
{
    uint32_t e = 0;
    for (uint32_t i = 0; i < r->send_count; i++) {
        const ag_sender *sender = &s->agent.senders[r->sends[i].sender];
        begin_event(q->w, "send");
        mt_jw_key_str(q->w, "name", sender->name);
        if (sender->use_data && r->sends[i].activation != UINT32_MAX) {
            const mt_json *data = r->activations[r->sends[i].activation].event.data;
            mt_jw_keyz(q->w, "data");
            if (data) {
                write_json(q->w, data);
            } else {
                mt_jw_null(q->w);
            }
        }
        mt_jw_end_object(q->w);
        for (; e < r->emission_count && r->emissions[e].send == i; e++) {
            const ag_emission *x = &r->emissions[e];
            write_hooks(q->w, s, x->hooks ? r->send_hooks + x->hook_at : NULL,
                        x->hooks);
            if (x->payload) {
                write_emit(q, x->payload);
            }
        }
    }
}

/* ---- one message after the other ---- */

/* A message given as text is a line as it came from the network; anything else is
 * written as one first, so both take the same way. */
static bool payload_of(ag_question *q, const mt_json *message, mt_json *out)
{
    mt_buf line = {0};
    if (mt_json_is(message, MT_JSON_STRING)) {
        mt_buf_adds(&line, mt_json_text(message));
    } else {
        ag_py_dumps(&line, message);
    }
    mt_str text = mt_str_dup(q->a, mt_buf_str(&line));
    mt_buf_free(&line);
    if (q->mode == AG_COMPAT) {
        *out = ag_py_recover(q->a, text);
        return true;
    }
    ag_inbound in;
    if (ag_frame_read(q->a, AG_PROFILE, text, NULL, &in)) {
        return ag_refuse(q, "a message is not a line");
    }
    *out = *ag_payload(q->a, in.address, &in.payload);
    return true;
}

/* The canonical encoding as a value. */
static mt_json canonical_tape(ag_question *q, const ag_tape *t)
{
    mt_buf text = {0};
    mt_jw w = mt_jw_start(&text, false);
    mt_json out;
    ag_tape_write(t, &w);
    mt_str kept = mt_str_dup(q->a, mt_buf_str(&text));
    mt_buf_free(&text);
    if (mt_json_read(q->a, kept, NULL, &out, NULL)) {
        MT_BUG("a tape wrote no JSON");
    }
    return out;
}

static void write_tape_event(ag_question *q, const char *kind, const mt_json *tape)
{
    begin_event(q->w, kind);
    mt_jw_keyz(q->w, "tape");
    write_json(q->w, tape);
    mt_jw_end_object(q->w);
}

/* Receive side of the record. *tape is replaced by what download was handed. In profile
 * mode there is one update, and the download event shows the tape after it. */
static void write_receive_side(ag_question *q, const script *s, const ag_tape *t,
                               const ag_record *r, mt_json *tape)
{
    mt_json uploaded = *tape;
    if (!s->agent.flow_off) {
        write_tape_event(q, "upload", &uploaded);
    }
    for (uint32_t b = 0; b < r->batch_count; b++) {
        ag_batch batch = r->batches[b];
        for (uint32_t i = batch.first; i < batch.first + batch.count; i++) {
            write_receive(q->w, s, &r->activations[i]);
        }
        if (!s->agent.flow_off && q->mode == AG_COMPAT) {
            *tape = write_download(q, s, t, r, batch);
        }
    }
    if (q->mode == AG_PROFILE && r->batch_count) {
        *tape = canonical_tape(q, t);
        write_tape_event(q, "download", tape);
    }
}

/* Indexed tapes are objects again for the next upload; the null key is named null. */
static void name_null_key(mt_json *tape)
{
    if (mt_json_is(tape, MT_JSON_OBJECT) && tape->count &&
        !tape->as.members[tape->count - 1].key.ptr) {
        union {
            const mt_json_member *in;
            mt_json_member *out;
        } u = {tape->as.members};
        u.out[tape->count - 1].key = MT_STR("null");
    }
}

/* One message is one cycle; the tape goes on from message to message, the record does
 * not. */
static bool run_message(ag_question *q, script *s, ag_cycle *c, const ag_tape *t,
                        const mt_json *message, mt_json *tape)
{
    mt_json payload;
    if (!payload_of(q, message, &payload)) {
        return false;
    }
    ag_cycle_run(c, &(ag_message){.payload = &payload}, answer, s);
    ag_record r = ag_cycle_record(c);
    begin_event(q->w, "message");
    mt_jw_end_object(q->w);
    write_hooks(q->w, s, r.receive_hooks, r.receive_hook_count);
    if (ag_cycle_fate(c) == AG_FINISHED && s->agent.receiver_count) {
        write_receive_side(q, s, t, &r, tape);
    }
    write_bridge(q, s, t, &r);
    write_sends(q, s, &r);
    return true;
}

/* Compat: a tape is asked for only when receivers may be called; until then it does not
 * matter what is in it. */
static bool uploads(const script *s, const ag_cycle *c)
{
    return ag_cycle_fate(c) == AG_FINISHED && s->agent.receiver_count &&
           !s->agent.flow_off;
}

/* A profile tape lives on when it is committed; otherwise each message has its own,
 * read from what the application uploads. */
static bool run_messages(ag_question *q, script *s, const ag_program *p)
{
    const mt_json *given = mt_json_at(q->in, "tape");
    const mt_json *commit = mt_json_at(given, "$commit");
    const mt_json *messages = asked_of(q).messages;
    mt_json null = ag_null_value(), tape = commit ? *commit : given ? *given : null;
    ag_tape *t = NULL;
    bool ok = true, good = true;
    mt_jw_keyz(q->w, "trace");
    mt_jw_begin_array(q->w);
    for (uint32_t i = 0; ok && i < messages->count; i++) {
        mt_json next = tape;
        if (!t) {
            good = ag_read_tape(q, p, &tape, &t);
        }
        ok = good || q->mode == AG_COMPAT;
        if (ok) {
            ag_cycle *c = ag_cycle_new(p, t);
            ok = run_message(q, s, c, t, &messages->as.items[i], &next) &&
                 (good || !uploads(s, c));
            ag_cycle_free(c);
        }
        if (commit) {
            name_null_key(&next);
            tape = next;
        }
        if (!commit || q->mode == AG_COMPAT) {
            ag_tape_free(t);
            t = NULL;
        }
    }
    ag_tape_free(t);
    mt_jw_end_array(q->w);
    mt_jw_keyz(q->w, "final_tape");
    write_json(q->w, &tape);
    return ok;
}

/* Order of keys is told beside the entries, because comparing JSON values loses it. */
bool ag_harness_dna(ag_question *q)
{
    script s = {.a = q->a};
    if (!read_script(q, &s)) {
        return false;
    }
    mt_buf text = {0};
    ag_dna_write(q->a, &s.agent, AG_DNA_SDK, &text);
    mt_str kept = mt_str_dup(q->a, mt_buf_str(&text));
    mt_buf_free(&text);
    mt_json entries;
    if (mt_json_read(q->a, kept, NULL, &entries, NULL)) {
        MT_BUG("DNA is not JSON");
    }
    mt_jw_keyz(q->w, "entries");
    write_json(q->w, &entries);
    mt_jw_keyz(q->w, "key_order");
    mt_jw_begin_array(q->w);
    for (uint32_t i = 0; i < entries.count; i++) {
        const mt_json *e = &entries.as.items[i];
        mt_jw_begin_array(q->w);
        for (uint32_t k = 0; k < e->count; k++) {
            mt_jw_str(q->w, e->as.members[k].key);
        }
        mt_jw_end_array(q->w);
    }
    mt_jw_end_array(q->w);
    return true;
}

bool ag_harness_cycle(ag_question *q)
{
    script s = {.a = q->a};
    if (!read_script(q, &s)) {
        return false;
    }
    ag_program *p = ag_program_new(&s.agent, NULL);
    bool ok = run_messages(q, &s, p);
    ag_program_free(p);
    return ok;
}
