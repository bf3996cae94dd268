/* tool/input.c - outcomes that a client is asked for, and its answers.
 * Room: tool.
 *
 * The server keeps nothing while a client is asked: the request carries a key that
 * names the step, and the answer comes with a new call that has the same key. What does
 * not fit is passed over, and then the client is asked again. */
#include "tool/turn.h"

/* "outcome", or "outcome:STEP" of a flow. */
mt_str tl_input_key(tl_turn *t, const mt_json *waiting)
{
    return waiting
               ? mt_strf(&t->arena, "outcome:%.*s", MT_ARG(mt_text_at(waiting, "step")))
               : MT_STR("outcome");
}

/* {"inputRequests": {KEY: {"method": "elicitation/create",
 * "params": …}}}, with a form of one choice. */
void tl_input_request(tl_turn *t, mt_jw *w, const mt_json *waiting,
                      const mt_json *outcomes)
{
    mt_jw_keyz(w, "inputRequests");
    mt_jw_begin_object(w);
    mt_jw_key(w, tl_input_key(t, waiting));
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "method", MT_STR("elicitation/create"));
    mt_jw_keyz(w, "params");
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "message", MT_STR("Which outcome is it to have?"));
    mt_jw_key_str(w, "mode", MT_STR("form"));
    mt_jw_keyz(w, "requestedSchema");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "properties");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "outcome");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "enum");
    mt_jw_json(w, outcomes);
    mt_jw_key_str(w, "type", MT_STR("string"));
    mt_jw_end_object(w);
    mt_jw_end_object(w);
    mt_jw_keyz(w, "required");
    mt_jw_raw(w, MT_STR("[\"outcome\"]"));
    mt_jw_key_str(w, "type", MT_STR("object"));
    mt_jw_end_object(w);
    mt_jw_end_object(w);
    mt_jw_end_object(w);
    mt_jw_end_object(w);
}

/* True: the request is the turn's result. False for clients that cannot be asked and
 * for the older revision, which has no such results; the caller then says it in words.
 * `requestState` is the execution, by which the flow is found when the answer comes. */
bool tl_asks_for_outcome(tl_turn *t, const mt_json *outcomes, const mt_json *flow)
{
    bool asks = (t->m.can & MC_CAN_BE_ASKED) && t->m.revision != MC_2025_11_25 &&
                mt_json_is(outcomes, MT_JSON_ARRAY) && outcomes->count;
    if (asks) {
        mt_jw w = mt_jw_start(&t->members, false);
        t->type = "input_required";
        tl_input_request(t, &w, mt_json_at(flow, "waiting"), outcomes);
        if (flow) {
            mt_jw_key_str(&w, "requestState", mt_text_at(flow, "id"));
        }
    }
    return asks;
}

/* The answer to the request that was made: accepted with a name, or declined, or
 * cancelled. What was asked about another step, and what nobody asked for, is passed
 * over. */
static const mt_json *answer(const tl_turn *t)
{
    return t->asked.len ? mt_json_get(t->m.params.input, t->asked) : NULL;
}

mt_str tl_outcome_given(const tl_turn *t)
{
    const mt_json *given = answer(t);
    const mt_json *named = mt_json_at(mt_json_at(given, "content"), "outcome");
    bool accepted = mt_str_is(mt_text_at(given, "action"), "accept") &&
                    mt_json_is(named, MT_JSON_STRING);
    return accepted ? mt_json_text(named) : (mt_str){0};
}

bool tl_was_declined(const tl_turn *t)
{
    mt_str action = mt_text_at(answer(t), "action");
    return mt_str_is(action, "decline") || mt_str_is(action, "cancel");
}

void tl_refuse_declined(tl_turn *t)
{
    tl_refuse(t, "no_outcome", "nobody named an outcome; nothing was done");
}
