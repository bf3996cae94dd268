/* analyze/prove/ask_invariant.c - questions whose answer must be yes.
 * Room: analyze. */
#include "analyze/prove/ask.h"

size_t an_invariants_ask(an_asker *q, mt_arena *a, an_invariant *list, size_t count)
{
    size_t broken = 0;
    for (size_t i = 0; i < count; i++) {
        list[i].reply = an_ask(q, a, list[i].question);
        broken += list[i].reply.kind != AN_REPLY_YES;
    }
    return broken;
}

/* The reply's first line is the bare answer; what follows shows it. */
static mt_str shown(mt_str text)
{
    return mt_str_skip(text, mt_str_find(text, '\n') + 1);
}

void an_invariant_text(mt_buf *out, const an_invariant *i)
{
    static const char *const WHAT[] = {
        [AN_REPLY_YES] = "holds",
        [AN_REPLY_NO] = "does not hold",
        [AN_REPLY_UNKNOWN] = "was not decided",
        [AN_REPLY_FAULT] = "was not understood",
    };
    MT_TABLE_COVERS(WHAT, AN_REPLY_FAULT + 1);
    const an_reply *r = &i->reply;
    bool inline_text = r->kind == AN_REPLY_UNKNOWN || r->kind == AN_REPLY_FAULT;
    mt_str text = mt_str_trim(r->text, MT_STR("\n"));
    if (r->kind == AN_REPLY_UNKNOWN) {
        text = mt_str_skip(text, sizeof "unknown: " - 1);
    }
    mt_buf_addf(out, "invariant '%.*s' %s", MT_ARG(i->question), WHAT[r->kind]);
    if (inline_text) {
        mt_buf_addf(out, ": %.*s\n", MT_ARG(text));
    } else {
        mt_buf_addf(out, "\n%.*s", MT_ARG(shown(r->text)));
    }
}

void an_invariant_json(mt_jw *w, const an_invariant *i)
{
    if (i->reply.json.len) {
        mt_jw_raw(w, i->reply.json);
        return;
    }
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "question", i->question);
    mt_jw_key_str(w, "reason", i->reply.text);
    mt_jw_key_str(w, "reply", MT_STR("not understood"));
    mt_jw_end_object(w);
}
