/* tool/turn.h - one message on its way, and the tools of a persona.
 * Room: tool. Private to it.
 *
 * A method or a tool is a function of the turn. It ends its step in one of three ways:
 * with a result in `members` (tl_result and its like), with a call that is to be made
 * (tl_call), or with a fault of the protocol (mc_spoil). tl_go_on() then does what was
 * set. Nothing of a turn outlives done(): what a client has to keep is given to it. */
#ifndef TL_TURN_H
#define TL_TURN_H

#include <pthread.h>

#include "base/form.h"
#include "base/map.h"
#include "contract/flow/plan.h"
#include "tool/tool.h"

/* A set is found by "ETAG CONTRACT PERSONA", so that a new version of a contract has
 * sets of its own; those of older ones stay until the desk goes. */
struct tl_desk {
    ex_executor *executor;
    mc_server server;
    pthread_mutex_t lock;
    mt_arena arena; /* of the sets */
    mt_map sets;    /* "ETAG PERSONA" to tl_set, under lock */
};

/* ---- Tools ---- */

/* Columns: name, tool, does it only read, sentence. Operations and flows come before
 * them, by their own names. */
/* clang-format off */
#define TL_OWN_MAP(X)                                                                      \
    X(ACTIONS, "actions", true,  "What can be done now as this persona, and what stands "    \
                                 "in the way of the rest. Facts that nobody knows yet "      \
                                 "are left open: the answer says what depends on them.")     \
    X(WHY,     "why",     true,  "Why a verdict holds or not, or why an operation or flow "  \
                                 "is possible or refused: down to the facts, with what "     \
                                 "would have to change. Name one of them.")                  \
    X(DRY_RUN, "dry_run", true,  "Try another tool; nothing changes. An operation is "        \
                                 "answered as the call would be; a flow is followed to "     \
                                 "its end, as if everybody it waits for did their part.")    \
    X(ASK,     "ask",     true,  "What the contract can and can never do, with what shows "  \
                                 "it: \"can PERSONA reach ENTITY.STATE\", \"can PERSONA "    \
                                 "perform OPERATION\", \"who can perform OPERATION\", "      \
                                 "\"never CONDITION\", \"when is VERDICT\", "                \
                                 "\"is CONDITION possible\".")                               \
    X(EXPLAIN, "explain", true,  "What the contract lets this persona do, in words; or, "    \
                                 "with a name, what that operation, flow, verdict, fact "    \
                                 "or entity is.")                                            \
    X(RESUME,  "resume",  false, "Go on with a flow that waits for this persona. Where it "  \
                                 "waits for an outcome, name it.")                           \
    X(CANCEL,  "cancel",  false, "Cancel a flow that this caller began.")
/* clang-format on */

/* ORDER: tools of the contract before our own.
 * `kind > TL_FLOW` asks whether it is one of ours. */
typedef enum tl_kind {
    TL_OPERATION,
    TL_FLOW,
#define TL_OWN_ENUM(id, ...) TL_##id,
    TL_OWN_MAP(TL_OWN_ENUM)
#undef TL_OWN_ENUM
        TL_KIND_COUNT
} tl_kind;

typedef struct tl_tool {
    mt_str name;
    tl_kind kind;
    uint32_t what; /* of the model */
} tl_tool;

/* Immutable; lives as long as the desk. */
typedef struct tl_set {
    const ct_plan *plan;
    mt_str contract;
    uint32_t persona;
    const tl_tool *tools;
    size_t count;
} tl_set;

/* The tools of a persona: S4 for operations, who may begin for flows. */
const tl_set *tl_set_make(mt_arena *keep, const ex_view *view, uint32_t persona);
const tl_tool *tl_set_find(const tl_set *s, mt_str name);
/* The tool of an operation or a flow; NULL: the persona has none. */
const tl_tool *tl_set_of(const tl_set *s, tl_kind kind, uint32_t what);
/* Does it only read? */
bool tl_only_reads(const tl_tool *t);

/* ---- Turns ---- */

/* Arguments of a tool; ptr NULL, NULL: not given. */
typedef struct tl_arguments {
    const mt_json *facts, *bindings, *params, *expected, *outcome, *arguments, *flows;
    mt_str operation, flow, verdict, name, tool, execution, reason, question;
} tl_arguments;

typedef struct tl_turn tl_turn;
struct tl_turn {
    mt_arena arena;
    tl_desk *desk;
    const tl_visit *visit;
    tl_done *done;
    void *state;
    mc_message m;
    ex_view view;
    const tl_set *set;
    ex_caller as; /* the visitor, with this persona alone */
    /* A call that is to be made, and what becomes of its answer. */
    bool calls;
    ex_call call;
    void (*then)(tl_turn *t);
    char digest[64];
    /* The answer to it; `reply` is its JSON, NULL: it is none. */
    int status;
    bool replayed;
    const mt_json *reply;
    mt_str reply_text;
    /* Of tools/call. */
    const tl_tool *tool;
    tl_arguments given;
    bool dry_run;
    mt_str asked; /* the input request whose answer counts; empty: none was made */
    const mt_json *kept[3]; /* earlier answers of the same turn */
    /* The result; members and meta grow until it is written. */
    const char *type;
    mt_buf members, meta;
};

/* Makes the call that is to be made, or ends the turn, which
 * is then gone. Either way the caller must not touch the
 * turn again: the answer may come on another thread at once. */
void tl_go_on(tl_turn *t);
/* The key that `_meta` names is malformed; the message is then spoilt. */
bool tl_spoilt_key(tl_turn *t);
/* A call of the executor is to be made; `then` is called with
 * its answer in t->status and t->reply. `name`, `id` and `body`
 * must live in the turn, or be constant. One call at a time. */
void tl_call(tl_turn *t, ex_action action, mt_str name, mt_str id, mt_str body,
             void (*then)(tl_turn *t));
/* What was read, as text in the turn's arena; frees the buffer. */
mt_str tl_keep(tl_turn *t, mt_buf *b);
mt_str tl_persona(const tl_turn *t);
/* Can it be a name or an id at all? Else it is not looked for. */
bool tl_is_name(mt_str text);

/* Methods, each in its file; they end the turn's step by setting a call or a result. */
void tl_tools_list(tl_turn *t);
void tl_tools_call(tl_turn *t);
void tl_resources_list(tl_turn *t);
void tl_templates_list(tl_turn *t);
void tl_resources_read(tl_turn *t);
void tl_tasks_get(tl_turn *t);
void tl_tasks_update(tl_turn *t);
void tl_tasks_cancel(tl_turn *t);

/* ---- Results of tools ---- */

/* tl_tool_result() as the turn's result. */
void tl_result(tl_turn *t, bool is_error, mt_str words, mt_str data);
/* The tool refuses by itself, before any call. `code` is stable. */
void tl_refuse(tl_turn *t, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A reply as data: as it came, but for what `_meta` has; `changes` is added, or NULL.
 */
mt_str tl_data(tl_turn *t, const mt_json *reply, const mt_json *changes);
/* "motet/record" and "motet/receipt" of the reply go into `_meta`. */
void tl_note_record(tl_turn *t);

/* The problem as a result, with changes that would mend it, or NULL. */
void tl_refused_with(tl_turn *t, const mt_json *problem, const mt_json *changes);

/* ---- Bodies of calls ---- */

/* What every question about facts has; the writer stands inside the open object. */
mt_jw tl_body_begin(tl_turn *t, mt_buf *b);
mt_str tl_body_end(tl_turn *t, mt_jw *w, mt_buf *b);
/* A member, if there is one: NULL, or text whose ptr is NULL, writes nothing. */
void tl_add_json(mt_jw *w, const char *key, const mt_json *value);
void tl_add_text(mt_jw *w, const char *key, mt_str value);
/* The outcome that an argument names, or an answer to an input request. */
void tl_add_outcome(const tl_turn *t, mt_jw *w);

/* The tool actions. */
void tl_actions(tl_turn *t);
/* The tools resume and cancel. */
void tl_resume(tl_turn *t, mt_str execution);
/* A flow that had an input request for an answer is called again. */
void tl_go_on_asked(tl_turn *t);
void tl_cancel(tl_turn *t);
/* A refusal of the executor as a result, with what would have to change. */
void tl_answer_problem(tl_turn *t);
bool tl_wants_receipt(const tl_turn *t);
/* A flow that was started, resumed or asked about is in the reply. */
void tl_flow_result(tl_turn *t);
/* The same of what was to move it: a refusal, or how it stands. */
void tl_moved_flow(tl_turn *t);
/* "inputRequests" with one request, for one of the outcomes; `waiting` is what a flow
 * waits for, NULL: an operation asks. A key for each step: a flow has no cycles, so no
 * request comes twice. */
void tl_input_request(tl_turn *t, mt_jw *w, const mt_json *waiting,
                      const mt_json *outcomes);
/* Of outcomes that could be named: is an input request the answer? */
bool tl_asks_for_outcome(tl_turn *t, const mt_json *outcomes, const mt_json *flow);
/* The key of such a request; answers to any other count for nothing. */
mt_str tl_input_key(tl_turn *t, const mt_json *waiting);
/* The outcome that the client named when it was asked; ptr NULL: none. */
mt_str tl_outcome_given(const tl_turn *t);
bool tl_was_declined(const tl_turn *t);
void tl_refuse_declined(tl_turn *t);
/* There is no such execution, or it is of another contract: one and the same. */
bool tl_lost_execution(const tl_turn *t);

/* ---- Words ---- */

void tl_tool_words(mt_buf *out, const tl_set *s, const tl_tool *tool);
void tl_set_words(mt_buf *out, const tl_turn *t);
/* What a name of the contract is; false: nothing this persona is told about. */
bool tl_name_words(mt_buf *out, const tl_turn *t, mt_str name);
void tl_problem_words(mt_buf *out, const mt_json *problem, const mt_json *changes);
void tl_done_words(mt_buf *out, const mt_json *reply);
void tl_flow_words(mt_buf *out, const mt_json *flow);
/* Where a fact comes from, for people: "the source escrow_service (accounts.{id})". */
void tl_source_words(mt_buf *out, const ct_model *m, uint32_t fact);

#endif
