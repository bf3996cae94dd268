/* tool/body.c - bodies of calls, from the arguments
 * of a tool. Room: tool. What was not given is not
 * written, so that the executor's defaults hold. */
#include "tool/turn.h"

void tl_add_json(mt_jw *w, const char *key, const mt_json *value)
{
    if (value) {
        mt_jw_key(w, mt_str_z(key));
        mt_jw_json(w, value);
    }
}

void tl_add_text(mt_jw *w, const char *key, mt_str value)
{
    if (value.ptr) {
        mt_jw_key(w, mt_str_z(key));
        mt_jw_str(w, value);
    }
}

void tl_add_outcome(const tl_turn *t, mt_jw *w)
{
    if (t->given.outcome) {
        tl_add_json(w, "outcome", t->given.outcome);
    } else {
        tl_add_text(w, "outcome", tl_outcome_given(t));
    }
}

/* Not sorted: callers add members of their own behind these. */
mt_jw tl_body_begin(tl_turn *t, mt_buf *b)
{
    mt_jw w = mt_jw_start(b, false);
    mt_jw_begin_unsorted(&w);
    tl_add_json(&w, "bindings", t->given.bindings);
    tl_add_json(&w, "facts", t->given.facts);
    tl_add_json(&w, "params", t->given.params);
    return w;
}

mt_str tl_body_end(tl_turn *t, mt_jw *w, mt_buf *b)
{
    mt_jw_end_object(w);
    return tl_keep(t, b);
}
