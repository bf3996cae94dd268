#include "agent/handler.h"

const ag_binding *ag_binding_of(const ag_file *f, const ag_call *call)
{
    switch (call->kind) {
    case AG_CALL_RECEIVER: return &f->receivers[call->index];
    case AG_CALL_SENDER: return &f->senders[call->index];
    case AG_CALL_RECEIVE_HOOK:
    case AG_CALL_SEND_HOOK: return &f->hooks[call->index];
    }
    MT_BUG("no such kind of call");
}

static void write_text_or_null(mt_jw *w, mt_str text)
{
    if (text.ptr) {
        mt_jw_str(w, text);
    } else {
        mt_jw_null(w);
    }
}

/* Why a sender is called; null for one that runs by the clock. */
static void write_cause(mt_jw *w, const ag_event *cause)
{
    mt_jw_keyz(w, "cause");
    if (!cause) {
        mt_jw_null(w);
        return;
    }
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "action", mt_str_z(ag_action_name(cause->action)));
    if (cause->data) {
        mt_jw_keyz(w, "data");
        mt_jw_json(w, cause->data);
    }
    mt_jw_key_str(w, "trigger", cause->trigger);
    mt_jw_end_object(w);
}

/* Keys in byte order. A hook is told the direction, the others their key and state. */
void ag_call_write(mt_buf *out, const ag_call *call, mt_str function, int64_t id,
                   mt_str message)
{
    static const char *const NAMES[] = {[AG_CALL_RECEIVE_HOOK] = "hook",
                                        [AG_CALL_RECEIVER] = "receive",
                                        [AG_CALL_SENDER] = "send",
                                        [AG_CALL_SEND_HOOK] = "hook"};
    MT_TABLE_COVERS(NAMES, AG_CALL_SEND_HOOK + 1);
    bool hook = call->kind == AG_CALL_RECEIVE_HOOK || call->kind == AG_CALL_SEND_HOOK;
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "call", mt_str_z(NAMES[call->kind]));
    if (call->kind == AG_CALL_SENDER) {
        write_cause(&w, call->cause);
    }
    if (hook) {
        bool in = call->kind == AG_CALL_RECEIVE_HOOK;
        mt_jw_key_str(&w, "direction", in ? MT_STR("receive") : MT_STR("send"));
    }
    mt_jw_key_str(&w, "function", function);
    mt_jw_key_i64(&w, "id", id);
    if (!hook) {
        mt_jw_keyz(&w, "key");
        write_text_or_null(&w, call->key);
    }
    if (message.len) {
        mt_jw_key_str(&w, "message", message);
    }
    mt_jw_keyz(&w, "payload");
    if (call->payload) {
        mt_jw_json(&w, call->payload);
    } else {
        mt_jw_null(&w);
    }
    if (call->kind == AG_CALL_RECEIVER) {
        mt_jw_keyz(&w, "state");
        write_text_or_null(&w, call->state);
    }
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

static bool read_action(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    return ag_action_from(mt_json_text(v), to) ||
           mt_form_say(f, MT_FORM_OUT_OF_RANGE, v, row->key,
                       "must be move, stay or test");
}

static const mt_form_row REPLY[] = {
    MT_FORM_NOTE("id"),
    MT_FORM_OWN(ag_reply, action, "action", read_action, MT_FORM_NULLABLE),
    MT_FORM_TEXT(ag_reply, trigger, "trigger", MT_FORM_NULLABLE),
    MT_FORM_ANY(ag_reply, data, "data", MT_FORM_NULLABLE),
    MT_FORM_ANY(ag_reply, payload, "payload", MT_FORM_NULLABLE),
    MT_FORM_TEXT(ag_reply, error, "error", MT_FORM_NULLABLE),
    MT_FORM_ROW(ag_reply, travel, "travel", MT_FORM_K_WORD, 0, AG_TRAVEL_BYTES - 1,
                MT_FORM_NULLABLE),
    MT_FORM_FLAG(ag_reply, quit, "quit", MT_FORM_NULLABLE),
};

bool ag_reply_read(mt_form *form, const mt_json *answer, ag_reply *out)
{
    return mt_form_read(form, answer, REPLY, mt_form_count(REPLY), out);
}

void ag_reply_answer(const ag_call *call, const ag_reply *r, ag_answer *out)
{
    if (call->kind == AG_CALL_RECEIVER) {
        out->event = (ag_event){.action = r->action,
                                .trigger = r->trigger.len ? r->trigger : MT_STR("ok"),
                                .data = r->data};
    } else {
        out->payload = r->payload;
    }
}
