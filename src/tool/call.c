/* tool/call.c - tools/call: arguments to a call of the executor, its answer to a
 * result. Room: tool. Arguments are read by one form; each kind of tool says which of
 * them it has. What it does not have is refused by name: a fact that was put beside
 * `facts`, or that comes from a source, is told where it belongs. Everything else is
 * the executor's to judge, and its refusals become results with reasons. A false
 * precondition is asked about once more (explain), so that the result says what would
 * have to change. May fail: nothing; an unknown tool is the one fault of the protocol
 * here. */
#include "tool/turn.h"

#include <stdio.h>

/* ---- Arguments ---- */

/* ORDER: bits of ALLOWED below. */
static const mt_form_row ARGUMENTS[] = {
    MT_FORM_OBJECT(tl_arguments, bindings, "bindings", 0),
    MT_FORM_OBJECT(tl_arguments, facts, "facts", 0),
    MT_FORM_OBJECT(tl_arguments, params, "params", 0),
    MT_FORM_OBJECT(tl_arguments, expected, "expected_versions", 0),
    MT_FORM_ANY(tl_arguments, outcome, "outcome", 0),
    MT_FORM_TEXT(tl_arguments, operation, "operation", 0),
    MT_FORM_TEXT(tl_arguments, flow, "flow", 0),
    MT_FORM_TEXT(tl_arguments, verdict, "verdict", 0),
    MT_FORM_TEXT(tl_arguments, tool, "tool", 0),
    MT_FORM_OBJECT(tl_arguments, arguments, "arguments", 0),
    MT_FORM_TEXT(tl_arguments, name, "name", 0),
    MT_FORM_TEXT(tl_arguments, execution, "execution", 0),
    MT_FORM_TEXT(tl_arguments, reason, "reason", 0),
    MT_FORM_TEXT(tl_arguments, question, "question", 0),
};

enum {
    BINDINGS = 1 << 0,
    FACTS = 1 << 1,
    PARAMS = 1 << 2,
    EXPECTED = 1 << 3,
    OUTCOME = 1 << 4,
    OF_OPERATION = 1 << 5,
    OF_FLOW = 1 << 6,
    OF_VERDICT = 1 << 7,
    TOOL = 1 << 8,
    INNER = 1 << 9,
    NAME = 1 << 10,
    EXECUTION = 1 << 11,
    REASON = 1 << 12,
    QUESTION = 1 << 13,
    ASKS = BINDINGS | FACTS | PARAMS
};

static const unsigned ALLOWED[] = {
    [TL_OPERATION] = ASKS | EXPECTED | OUTCOME,
    [TL_FLOW] = ASKS | EXPECTED | OUTCOME,
    [TL_ACTIONS] = ASKS,
    [TL_WHY] = ASKS | OF_OPERATION | OF_FLOW | OF_VERDICT,
    [TL_DRY_RUN] = TOOL | INNER,
    [TL_ASK] = QUESTION,
    [TL_EXPLAIN] = NAME,
    [TL_RESUME] = EXECUTION | OUTCOME,
    [TL_CANCEL] = EXECUTION | REASON,
};
_Static_assert(sizeof ALLOWED / sizeof *ALLOWED == TL_KIND_COUNT, "all kinds");

/* Bits of ALLOWED are in the order of ARGUMENTS. */
static bool is_allowed(tl_kind kind, mt_str key)
{
    for (size_t i = 0; i < mt_form_count(ARGUMENTS); i++) {
        if (mt_str_eq(mt_str_z(ARGUMENTS[i].key), key)) {
            return ALLOWED[kind] >> i & 1;
        }
    }
    return false;
}

/* Of a fact it is said where it belongs, or where it comes from. */
static void refuse_argument(tl_turn *t, const tl_tool *tool, mt_str key)
{
    const ct_model *m = t->set->plan->model;
    uint32_t fact = ct_model_find(m, CT_KIND_FACT, key);
    mt_buf source = {0};
    if (fact == CT_NONE) {
        tl_refuse(t, "unknown_argument", "the tool %.*s has no argument '%.*s'",
                  MT_ARG(tool->name), MT_ARG(key));
    } else if (ex_view_may_give(&t->view, &t->as, fact)) {
        tl_refuse(t, "unknown_argument",
                  "'%.*s' is a fact: facts are given inside `facts`", MT_ARG(key));
    } else {
        tl_source_words(&source, m, fact);
        tl_refuse(t, "fact_forbidden",
                  "'%.*s' is a fact that comes from %.*s; the caller cannot give it",
                  MT_ARG(key), MT_ARG(mt_buf_str(&source)));
    }
    mt_buf_free(&source);
}

/* Names first, then kinds: an argument that does not belong here is told as such, not
 * as one of the wrong kind. */
static bool refused_arguments(tl_turn *t, const tl_tool *tool, const mt_json *given)
{
    mt_buf why = {0};
    mt_form form = {.arena = &t->arena,
                    .what = "the arguments",
                    .report = mt_form_join,
                    .state = &why};
    for (uint32_t i = 0; given && i < given->count; i++) {
        if (!is_allowed(tool->kind, given->as.members[i].key)) {
            refuse_argument(t, tool, given->as.members[i].key);
            return true;
        }
    }
    t->given = (tl_arguments){0};
    bool good = !given || mt_form_read(&form, given, ARGUMENTS,
                                       mt_form_count(ARGUMENTS), &t->given);
    if (!good) {
        tl_refuse(t, "bad_argument", "%.*s", MT_ARG(mt_buf_str(&why)));
    }
    mt_buf_free(&why);
    return !good;
}

/* ---- Bodies of calls ---- */

/* A dry run leaves no record, so there is nothing to give a receipt of (E13). */
bool tl_wants_receipt(const tl_turn *t)
{
    const mt_json *asked = mt_json_get(t->m.meta, MT_STR("motet/receipt"));
    return !t->dry_run &&
           (t->visit->receipts || (mt_json_is(asked, MT_JSON_BOOL) && asked->boolean));
}

/* What HTTP's body of an operation or a flow has, too. */
static mt_str acting_body(tl_turn *t)
{
    mt_buf b = {0};
    mt_jw w = tl_body_begin(t, &b);
    tl_add_text(&w, "persona", tl_persona(t));
    tl_add_json(&w, "expected_versions", t->given.expected);
    tl_add_outcome(t, &w);
    if (t->dry_run) {
        mt_jw_key_bool(&w, "dry_run", true);
    }
    if (tl_wants_receipt(t)) {
        mt_jw_key_bool(&w, "receipt", true);
    }
    return tl_body_end(t, &w, &b);
}

/* ---- Operations ---- */

/* Why it was refused is known; what would have to change, if it can be told. */
static void told_changes(tl_turn *t)
{
    const mt_json *why = t->status == 200 ? mt_json_at(t->reply, "why") : NULL;
    tl_refused_with(t, t->kept[0], mt_json_at(why, "changes"));
}

/* The refusal is kept while the executor is asked a second time. */
static void ask_for_changes(tl_turn *t)
{
    mt_buf b = {0};
    mt_jw w = tl_body_begin(t, &b);
    tl_add_text(&w, "persona", tl_persona(t));
    tl_add_text(&w, "operation", t->set->plan->model->operations[t->tool->what].id);
    t->kept[0] = t->reply;
    tl_call(t, EX_EXPLAIN, (mt_str){0}, (mt_str){0}, tl_body_end(t, &w, &b),
            told_changes);
}

/* Several outcomes fit: a client that can be asked is asked, any other is told which
 * there are. */
void tl_answer_problem(tl_turn *t)
{
    mt_str code = mt_text_at(t->reply, "code");
    bool ambiguous = mt_str_is(code, "ambiguous_outcome");
    if (ambiguous && !t->dry_run &&
        tl_asks_for_outcome(t, mt_json_at(t->reply, "outcomes"), NULL)) {
        return;
    }
    tl_note_record(t);
    if (mt_str_is(code, "precondition_failed") && t->tool->kind == TL_OPERATION) {
        ask_for_changes(t);
    } else {
        tl_refused_with(t, t->reply, NULL);
    }
}

/* The answer to EX_OPERATION: done, or why not. */
static void did_operation(tl_turn *t)
{
    mt_buf words = {0};
    if (t->status >= 400) {
        tl_answer_problem(t);
        return;
    }
    tl_note_record(t);
    tl_done_words(&words, t->reply);
    tl_result(t, false, mt_buf_str(&words), tl_data(t, t->reply, NULL));
    mt_buf_free(&words);
}

/* An input request about a flow that was started comes back with its execution. */
static void act(tl_turn *t)
{
    const ct_model *m = t->set->plan->model;
    if (t->tool->kind == TL_OPERATION) {
        t->asked = tl_input_key(t, NULL);
    }
    if (tl_was_declined(t)) {
        tl_refuse_declined(t);
    } else if (t->tool->kind == TL_OPERATION) {
        tl_call(t, EX_OPERATION, m->operations[t->tool->what].id, (mt_str){0},
                acting_body(t), did_operation);
    } else if (t->m.params.state.ptr && !t->dry_run) {
        tl_go_on_asked(t);
    } else {
        tl_call(t, EX_FLOW_START, m->flows[t->tool->what].id, (mt_str){0},
                acting_body(t), tl_moved_flow);
    }
}

/* ---- Tools of our own ---- */

/* "It is so" and "it is not so" fit all three: a verdict that is present, an operation
 * or a flow that is open. `message` says which, if the executor has one. */
static void told_why(tl_turn *t)
{
    mt_buf words = {0};
    const mt_json *open = mt_json_at(t->reply, "open");
    const mt_json *present = mt_json_at(t->reply, "present");
    const mt_json *changes = mt_json_at(mt_json_at(t->reply, "why"), "changes");
    if (t->status >= 400) {
        tl_refused_with(t, t->reply, NULL);
        return;
    }
    bool good = (open && open->boolean) || (present && present->boolean);
    mt_str message = mt_text_at(t->reply, "message");
    mt_buf_addz(&words, good ? "It is so" : "It is not so");
    mt_buf_addf(&words, "%s%.*s.\n", message.len ? ": " : "", MT_ARG(message));
    for (uint32_t i = 0; mt_json_is(changes, MT_JSON_ARRAY) && i < changes->count;
         i++) {
        mt_buf_addf(&words, "%s- %.*s\n",
                    i ? "" : "It would be otherwise with one of these:\n",
                    MT_ARG(mt_text_at(&changes->as.items[i], "condition")));
    }
    tl_result(t, false, mt_buf_str(&words), tl_data(t, t->reply, NULL));
    mt_buf_free(&words);
}

/* What the persona cannot do is not its to ask about. */
static bool refused_subject(tl_turn *t)
{
    const ct_model *m = t->set->plan->model;
    const tl_arguments *g = &t->given;
    if (!!g->operation.len + !!g->flow.len + !!g->verdict.len != 1) {
        tl_refuse(t, "bad_argument", "name one of `operation`, `flow` and `verdict`");
        return true;
    }
    if (g->verdict.len && ct_model_find(m, CT_KIND_VERDICT, g->verdict) == CT_NONE) {
        tl_refuse(t, "unknown_name", "there is no verdict '%.*s'", MT_ARG(g->verdict));
        return true;
    }
    tl_kind kind = g->operation.len ? TL_OPERATION : TL_FLOW;
    mt_str id = g->operation.len ? g->operation : g->flow;
    uint32_t what =
        ct_model_find(m, kind == TL_OPERATION ? CT_KIND_OPERATION : CT_KIND_FLOW, id);
    bool mine = g->verdict.len || (what != CT_NONE && tl_set_of(t->set, kind, what));
    if (!mine) {
        tl_refuse(t, "unknown_name", "this persona has no %s '%.*s'",
                  kind == TL_OPERATION ? "operation" : "flow", MT_ARG(id));
    }
    return !mine;
}

/* A verdict is asked about without a persona: it holds for everybody or nobody. */
static void why(tl_turn *t)
{
    mt_buf b = {0};
    if (refused_subject(t)) {
        return;
    }
    mt_jw w = tl_body_begin(t, &b);
    if (t->given.verdict.len) {
        tl_add_text(&w, "verdict", t->given.verdict);
    } else {
        tl_add_text(&w, "persona", tl_persona(t));
        tl_add_text(&w, t->given.flow.len ? "flow" : "operation",
                    t->given.flow.len ? t->given.flow : t->given.operation);
    }
    tl_call(t, EX_EXPLAIN, (mt_str){0}, (mt_str){0}, tl_body_end(t, &w, &b), told_why);
}

static void told_answer(tl_turn *t)
{
    mt_buf words = {0};
    if (t->status >= 400) {
        tl_refused_with(t, t->reply, NULL);
        return;
    }
    mt_str answer = mt_text_at(t->reply, "answer"), text = mt_text_at(t->reply, "text");
    if (!mt_str_starts(text, answer)) { /* it is said there mostly */
        mt_buf_addf(&words, "%.*s\n", MT_ARG(answer));
    }
    mt_buf_adds(&words, text);
    tl_result(t, false, mt_buf_str(&words), tl_data(t, t->reply, NULL));
    mt_buf_free(&words);
}

static void ask(tl_turn *t)
{
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    mt_jw_begin_object(&w);
    tl_add_text(&w, "question", t->given.question);
    tl_call(t, EX_ASK, (mt_str){0}, (mt_str){0}, tl_body_end(t, &w, &b), told_answer);
}

/* Made of the contract alone, so nothing is asked of the executor. */
static void explain(tl_turn *t)
{
    mt_buf words = {0}, data = {0};
    if (!t->given.name.len) {
        tl_set_words(&words, t);
    } else if (!tl_name_words(&words, t, t->given.name)) {
        tl_refuse(t, "unknown_name", "there is nothing called '%.*s' here",
                  MT_ARG(t->given.name));
        return;
    }
    mt_jw w = mt_jw_start(&data, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "words", mt_buf_str(&words));
    mt_jw_end_object(&w);
    tl_result(t, false, mt_buf_str(&words), mt_buf_str(&data));
    mt_buf_free(&words);
    mt_buf_free(&data);
}

/* ---- All of them ---- */

/* From here on it is the call of that tool; only its body
 * says that it is a trial. Arguments are checked twice:
 * those of dry_run before, those of the tool it tries here. */
static void dry_run(tl_turn *t)
{
    const tl_tool *tool = tl_set_find(t->set, t->given.tool);
    if (!tool || tool->kind > TL_FLOW) {
        tl_refuse(t, "unknown_tool", "there is no operation or flow '%.*s' to try",
                  MT_ARG(t->given.tool));
        return;
    }
    t->tool = tool;
    t->dry_run = true;
    if (!refused_arguments(t, tool, t->given.arguments)) {
        act(t);
    }
}

static void resume_given(tl_turn *t)
{
    tl_resume(t, t->given.execution);
}

static void (*const TOOLS[])(tl_turn *t) = {
    [TL_OPERATION] = act,      [TL_FLOW] = act,
    [TL_ACTIONS] = tl_actions, [TL_WHY] = why,
    [TL_DRY_RUN] = dry_run,    [TL_ASK] = ask,
    [TL_EXPLAIN] = explain,    [TL_RESUME] = resume_given,
    [TL_CANCEL] = tl_cancel,
};
_Static_assert(sizeof TOOLS / sizeof *TOOLS == TL_KIND_COUNT, "all kinds");

/* Before anything is asked: what cannot be an id would only be logged by the store. */
static bool refused_execution(tl_turn *t)
{
    bool needs = t->tool->kind == TL_RESUME || t->tool->kind == TL_CANCEL;
    if (needs && !tl_is_name(t->given.execution)) {
        tl_refuse(t, "bad_argument", "`execution` must be the id of an execution");
        return true;
    }
    return false;
}

/* A tool of another persona, or of nobody: there is no difference in the answer. */
void tl_tools_call(tl_turn *t)
{
    t->tool = tl_set_find(t->set, t->m.params.name);
    if (!t->tool) {
        mc_spoil(&t->m, MC_BAD_PARAMS, MT_STR("there is no such tool"), (mt_str){0});
        return;
    }
    if (!refused_arguments(t, t->tool, t->m.params.arguments) &&
        !refused_execution(t)) {
        TOOLS[t->tool->kind](t);
    }
}
