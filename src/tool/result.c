/* tool/result.c - what a tool answers: words, the same as data, and notes in `_meta`.
 * Room: tool.
 *
 * A result says everything twice: in words for a model that reads, as structuredContent
 * for a program. The data is text in `content` as well, for clients that do not know
 * the other member. Refusals are results with isError, not faults of the protocol: the
 * model is to read them. */
#include "tool/turn.h"

static void content_json(mt_jw *w, mt_str words, mt_str data)
{
    mt_jw_begin_array(w);
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "text", words);
    mt_jw_key_str(w, "type", MT_STR("text"));
    mt_jw_end_object(w);
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "text", data);
    mt_jw_key_str(w, "type", MT_STR("text"));
    mt_jw_end_object(w);
    mt_jw_end_array(w);
}

void tl_tool_result(mt_jw *w, bool is_error, mt_str words, mt_str data)
{
    mt_jw_keyz(w, "content");
    content_json(w, words, data);
    mt_jw_key_bool(w, "isError", is_error);
    mt_jw_keyz(w, "structuredContent");
    mt_jw_raw(w, data);
}

void tl_result(tl_turn *t, bool is_error, mt_str words, mt_str data)
{
    mt_jw w = mt_jw_start(&t->members, false);
    tl_tool_result(&w, is_error, words, data);
}

void tl_refuse(tl_turn *t, const char *code, const char *format, ...)
{
    va_list args;
    mt_buf words = {0}, data = {0};
    va_start(args, format);
    mt_str detail = mt_strfv(&t->arena, format, args);
    va_end(args);
    mt_buf_addf(&words, "Refused (%s): %.*s.\n", code, MT_ARG(detail));
    mt_jw w = mt_jw_start(&data, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "code", mt_str_z(code));
    mt_jw_key_str(&w, "detail", detail);
    mt_jw_end_object(&w);
    tl_result(t, true, mt_buf_str(&words), mt_buf_str(&data));
    mt_buf_free(&words);
    mt_buf_free(&data);
}

/* What proves the change goes to `_meta`, where clients keep it from the model. */
void tl_note_record(tl_turn *t)
{
    static const char *const KEYS[] = {"queued", "receipt", "record"};
    mt_jw w = mt_jw_start(&t->meta, false);
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) {
        const mt_json *v = mt_json_get(t->reply, mt_str_z(KEYS[i]));
        if (v) {
            mt_jw_key(&w, mt_strf(&t->arena, "motet/%s", KEYS[i]));
            mt_jw_json(&w, v);
        }
    }
    if (t->replayed) {
        mt_jw_keyz(&w, "motet/replayed");
        mt_jw_bool(&w, true);
    }
}

/* The receipt is in `_meta` only: it is long, and nothing that a model could use. */
mt_str tl_data(tl_turn *t, const mt_json *reply, const mt_json *changes)
{
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    mt_jw_begin_unsorted(&w);
    for (uint32_t i = 0; reply && i < reply->count; i++) {
        const mt_json_member *m = &reply->as.members[i];
        if (!mt_str_is(m->key, "receipt")) {
            mt_jw_key(&w, m->key);
            mt_jw_json(&w, &m->value);
        }
    }
    if (changes) {
        mt_jw_keyz(&w, "changes");
        mt_jw_json(&w, changes);
    }
    mt_jw_end_object(&w);
    return tl_keep(t, &b);
}

void tl_refused_with(tl_turn *t, const mt_json *problem, const mt_json *changes)
{
    mt_buf words = {0};
    tl_problem_words(&words, problem, changes);
    tl_result(t, true, mt_buf_str(&words), tl_data(t, problem, changes));
    mt_buf_free(&words);
}
