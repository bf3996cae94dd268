/* analyze/prove/ask_internal.h - shared by the kinds of questions.
 * Room: analyze, private to ask*.c.
 * A question goes through three stages: words (ask_words.c, ask_forms.c,
 * ask_condition.c) make an ask_said of it; one of the answering files decides, by the
 * solver or by a search (ask_search.c); what was found is executed and shown
 * (ask_way.c). */
#ifndef AN_ANALYZE_ASK_INTERNAL_H
#define AN_ANALYZE_ASK_INTERNAL_H

#include "analyze/facts/joint.h"
#include "analyze/prove/ask.h"
#include "base/json_write.h"
#include "base/vec.h"
#include "contract/flow/scenario.h"

/* ---- what lives as long as the asker ---- */

typedef struct ask_space ask_space;

struct an_asker {
    mt_arena keep;
    const an_union *u;
    const ct_plan *plan; /* the union's */
    mt_limits limits;
    uint32_t instances;
    an_prover **provers; /* by member; made when first needed */
    ct_bench *benches;   /* likewise: plan NULL until then */
    an_answer *possible; /* by operation: can its precondition hold? */
    bool *asked;
    an_outline outline; /* by structure alone */
    an_outline proven;  /* without what the solver rules out; made when first needed */
    MT_VEC(ask_space *) spaces; /* searches that may be taken up again */
    mt_buf *smt2;               /* NULL: nobody reads it */
};

/* The solver of a member. */
an_prover *ask_prover_of(an_asker *q, uint32_t member);
/* Working room of a member, for executing. */
ct_bench *ask_bench_of(an_asker *q, uint32_t member);
/* Asks once per operation. */
const an_answer *ask_can_hold(an_asker *q, uint32_t operation);
const ct_model *ask_model_of(const an_asker *q, uint32_t member);

/* ---- words ---- */

typedef enum ask_token_kind {
    ASK_WORD,
    ASK_TEXT,
    ASK_NUMBER,
    ASK_SIGN,
    ASK_END
} ask_token_kind;

typedef struct ask_token {
    ask_token_kind kind;
    mt_str text; /* of ASK_TEXT without its quotes */
    size_t at;
} ask_token;

/* A state in a condition: an expression whose value is set before it is evaluated. */
typedef struct ask_atom {
    uint32_t entity, state;
    const ct_expr *expr;
    ct_value *value;
} ask_atom;

typedef struct ask_key {
    mt_str name, json;
} ask_key;

typedef struct asker {
    mt_arena *a;
    an_asker *q;
    const ct_model *m; /* of the member whose facts are read; NULL: not known yet */
    uint32_t member;   /* CT_NONE: not known yet */
    MT_VEC(ask_token) tokens;
    size_t next;  /* the token to be read */
    mt_str error; /* the first fault; empty: none */
    size_t place, fault_at;
    unsigned depth;
    MT_VEC(ask_atom) atoms; /* of all conditions of the question */
    bool reads_facts;       /* a condition does */
    mt_buf text;            /* the reply for people */
    MT_VEC(ask_key) keys;   /* the reply's object: what there is of it */
    const char *proof;      /* "proven", "facts", "trace" or "none" */
    bool why;               /* a no is to be explained */
} asker;

/* Notes the fault (the first counts) at the token; always false. */
bool ask_fault(asker *k, const ask_token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool ask_tokenise(asker *k, mt_str question);
/* The token that is next; never NULL, the last one is ASK_END. */
const ask_token *ask_peek(const asker *k);
/* Takes the next token if it is this word or sign. */
bool ask_take(asker *k, const char *word);
/* The same; a fault otherwise. */
bool ask_want(asker *k, const char *word);
bool ask_want_name(asker *k, ask_token *out);
/* Nothing follows, or a fault. */
bool ask_at_end(asker *k);

/* A name of the union: a persona, entity or operation; of a System perhaps with its
 * member before it. false: a fault that suggests the nearest. */
bool ask_read_union(asker *k, ct_kind kind, uint32_t *out);
/* Is there one of this name here? Moves behind it if so. */
bool ask_try_union(asker *k, ct_kind kind, uint32_t *out);
/* The same for a name of one member: a fact, verdict, flow. */
bool ask_read_member(asker *k, ct_kind kind, uint32_t *member, uint32_t *out);
bool ask_try_member(asker *k, ct_kind kind, uint32_t *member, uint32_t *out);
/* "; did you mean 'x'?", of the nearest name of these kinds (bits); or empty. */
mt_str ask_hint(const asker *k, mt_str word, unsigned kinds);
/* The fault that nothing of the kind has the name that is next. */
bool ask_no_such(asker *k, ct_kind kind);
bool ask_read_state(asker *k, uint32_t entity, uint32_t *out);
/* ENTITY.STATE, if it is one. */
bool ask_try_state(asker *k, uint32_t *entity, uint32_t *state);
const char *ask_kind_name(ct_kind kind);

/* ---- what a question says ---- */

/* To reach `to`, to go from `from` to `to`, or to perform. */
typedef struct ask_goal {
    uint32_t entity;    /* of a performed operation: the first it moves, or CT_NONE */
    uint32_t from, to;  /* CT_NONE: any */
    uint32_t operation; /* CT_NONE: any */
} ask_goal;

typedef struct ask_said {
    an_question form;
    uint32_t persona; /* CT_NONE: anyone */
    ask_goal goals[2];
    uint32_t goal_count;
    const ct_expr *conditions[2];
    uint32_t condition_count;
    uint32_t entity, rule, flow, member; /* CT_NONE: not said */
    uint32_t instances;
} ask_said;

/* Reads the whole question by the table of forms. false: k->error says why not. */
bool ask_read(asker *k, ask_said *out);
/* ask_condition.c: NULL after a fault. */
const ct_expr *ask_condition(asker *k);
ct_expr *ask_expr(mt_arena *a, ct_op op, const ct_expr *left, const ct_expr *right);
/* From here on facts are those of the member; a fault if they are another's already. */
bool ask_use_member(asker *k, const ask_token *at, uint32_t member);

/* ---- the reply ---- */

void ask_put(asker *k, const char *key, mt_str json);
void ask_put_text(asker *k, const char *key, mt_str text);
/* What was written to the buffer, kept in the reply's arena; the buffer is freed. */
mt_str ask_kept(asker *k, mt_buf *b);
mt_str ask_expr_text(asker *k, const ct_expr *e);
/* Says why; never says no. */
an_reply_kind ask_unknown(asker *k, mt_str reason);
/* "  for: {...}", and `facts` in the object. */
void ask_say_facts(asker *k, const char *label, mt_str facts);

/* ---- searching: ask_search.c ---- */

/* Who does what in a search. */
typedef struct ask_scope {
    uint32_t instances;
    uint32_t persona;     /* who acts; CT_NONE: everybody */
    const uint64_t *only; /* bit per operation; NULL: each */
    bool guess;           /* an operation that is not decided counts as possible */
    uint32_t apart;       /* as in an_setting */
    bool unlike;
    uint32_t (*mark)(void *space, uint32_t marks, const an_joint_step *step);
    void *data; /* of `mark`; a search with one is not kept */
    const uint32_t *groups;
    uint32_t group_count;
} ask_scope;

struct ask_space {
    an_asker *q;
    ask_scope scope;
    an_setting scene;
    an_joint *j;
    bool unsure; /* an operation that nobody could decide was met */
    mt_str reason;
    uint32_t looked; /* at so many nodes, by the last hunt */
};

/* A search that was begun before, or a new one (in `a` if it cannot be kept). */
ask_space *ask_space_open(an_asker *q, mt_arena *a, const ask_scope *wanted);
/* Why it does not decide what was not found; empty: it does. */
mt_str ask_space_gap(const ask_space *s);

/* Looks at every joint state in breadth-first order, and at every step from it, until
 * one of them says true. NULL: not looked at. */
typedef bool ask_node_test(void *context, ask_space *s, uint32_t node);
typedef bool ask_step_test(void *context, ask_space *s, uint32_t node,
                           const an_joint_step *step);
bool ask_hunt(ask_space *s, ask_node_test *node, ask_step_test *step, void *context);

/* The groups of these entities, each once; returns how many. */
uint32_t ask_groups(asker *k, const uint32_t *entities, uint32_t count,
                    const uint32_t **out);
const an_outline *ask_proven(an_asker *q);
bool ask_allows(const an_asker *q, uint32_t operation, uint32_t persona);
/* Does it move the first instance of the entity? CT_NONE: whatever it moves. */
bool ask_moves_first(const an_joint_step *step, uint32_t entity);

/* What an answer rests on. */
typedef struct ask_cover {
    uint32_t instances;
    bool any;            /* however many instances */
    uint64_t *entities;  /* bit per entity: searched */
    size_t joint_states; /* of the widest search */
} ask_cover;

ask_cover ask_cover_new(asker *k, uint32_t instances);
void ask_cover_add(ask_cover *c, const ask_space *s);
void ask_cover_json(asker *k, const ask_cover *c);
/* "  holds for: ..." */
void ask_cover_say(asker *k, const ask_cover *c, const char *lead);

/* ---- ways: ask_way.c ---- */

typedef struct ask_step {
    an_joint_step step;
    uint32_t persona;
    bool named; /* several outcomes match, so the caller names this one */
} ask_step;

/* How somebody gets there. */
typedef struct ask_way {
    bool found;            /* the engine executed every step */
    bool alone;            /* nobody else acts */
    bool alone_open, open; /* not decided: without others; at all */
    bool begins;           /* so it is from the first; no step is needed */
    ask_step *steps;
    uint32_t count;
    mt_str reason; /* why it is open */
} ask_way;

/* The way to the node and, if there is one, the step from it; executed. `persona`
 * performs what it may; CT_NONE: nobody in particular. `facts` of the last step replace
 * those that were found for its operation; empty: they do not. */
ask_way ask_way_to(asker *k, ask_space *s, uint32_t node, const an_joint_step *step,
                   uint32_t persona, mt_str last_facts);
/* Numbered lines with facts, and an array of objects. `entity` is the one that was
 * asked about, CT_NONE: none. */
typedef struct ask_shown {
    uint32_t entity, instances;
    mt_str last_facts; /* of the last step, where they are not its operation's */
} ask_shown;
void ask_way_say(asker *k, const ask_shown *h, const ask_way *w, const char *indent,
                 bool facts);
void ask_step_say(asker *k, const ask_shown *h, const ask_step *x);
void ask_way_json(asker *k, const ask_shown *h, mt_jw *w, const ask_way *way);
/* The way, "executed step by step: ...", `path`. */
void ask_way_show(asker *k, const ask_shown *h, const ask_way *w);
void ask_instances_say(asker *k, uint32_t instances);
/* {"Claim":{"_default":"open"}}, and "Claim is open, ..." in words. */
mt_str ask_states_json(asker *k, const ask_space *s, uint32_t node);
mt_str ask_states_text(asker *k, const ask_space *s, uint32_t node);

/* ---- goals: ask_reach.c ---- */

bool ask_serves(const ask_goal *g, const an_joint_step *step);
bool ask_outcome_serves(const an_asker *q, const an_outline *o, const ask_goal *g,
                        uint32_t outcome);
/* Proven for however many instances? */
bool ask_never(asker *k, const ask_goal *g, uint32_t persona);
/* The way of one persona (CT_NONE: of anybody), alone if that can be. */
ask_way ask_way_of(asker *k, const ask_goal *g, uint32_t persona, uint32_t instances,
                   ask_cover *c);
/* The same of every persona, by index. */
ask_way *ask_ways(asker *k, const ask_goal *g, uint32_t instances, ask_cover *c);

an_reply_kind ask_reply_can(asker *k, const ask_said *q);
an_reply_kind ask_reply_who(asker *k, const ask_said *q);
an_reply_kind ask_reply_alone(asker *k, const ask_said *q);

/* ---- conditions on states and facts: ask_state.c ---- */

/* A claim whose atoms are states; see ask_atom. */
typedef struct ask_mix {
    const an_claim *claim;
    bool reads_facts;
    mt_map known; /* answers by the truth of the atoms, and operation */
} ask_mix;

/* Can it be in this joint state (for facts under which the operation may be performed;
 * CT_NONE: for any)? AN_NEVER, AN_UNKNOWN, or AN_POSSIBLE with facts if it reads any.
 */
const an_answer *ask_mix_at(asker *k, ask_mix *x, ask_space *s, uint32_t node,
                            uint32_t operation);
/* Is the claim possible at all? The whole reply: `wanted` is whether possible is yes;
 * `label` stands before facts. */
an_reply_kind ask_reply_claim(asker *k, const ask_said *q, const an_claim *claim,
                              bool wanted, const char *label);
an_reply_kind ask_reply_condition(asker *k, const ask_said *q);
an_reply_kind ask_reply_never_step(asker *k, const ask_said *q);
an_reply_kind ask_reply_before(asker *k, const ask_said *q);

/* ---- as SMT-LIB 2: ask_smt.c; nothing where nobody reads it ---- */

/* What must not be, in a search that is complete. */
typedef struct ask_smt_bad {
    bool (*step)(const void *context, const an_joint_step *step); /* NULL: no step */
    const void *context;
    const ask_mix *mix; /* where; without a step: of a joint state itself */
    uint32_t marks;     /* that a run must not have; 0: none */
    /* Of each entity by itself: what would have to be so, at least; NULL: nothing. */
    const an_claim *least;
} ask_smt_bad;
void ask_smt_search(asker *k, ask_space *s, const char *about, const ask_smt_bad *bad);
/* The same of each entity by itself, for any number of instances. */
void ask_smt_outline(asker *k, const an_outline *o, const char *about,
                     const ask_smt_bad *bad);

/* How what is wanted is reached from every joint state. */
typedef struct ask_smt_rank {
    const ask_mix *mix; /* what is wanted; NULL: a terminal of the entity */
    uint32_t entity, state_count;
    const bool *terminal;       /* by state */
    const uint32_t *rank;       /* by node: steps that are left */
    const an_joint_step *steps; /* by node: the next of them, unless its rank is 0 */
} ask_smt_rank;
void ask_smt_progress(asker *k, ask_space *s, const char *about, const ask_smt_rank *r);

/* ---- the others ---- */

an_reply_kind ask_reply_when(asker *k, const ask_said *q);     /* ask_when.c */
an_reply_kind ask_reply_flows(asker *k, const ask_said *q);    /* ask_flow.c */
an_reply_kind ask_reply_progress(asker *k, const ask_said *q); /* ask_progress.c */
an_reply_kind ask_reply_duties(asker *k, const ask_said *q);   /* ask_duty.c */
an_reply_kind ask_reply_cause(asker *k, const ask_said *q);    /* ask_cause.c */

/* The parts of a condition that never holds, none too many: ask_when.c. */
void ask_conflict(asker *k, const ct_expr *e);
/* ask_why.c: adds what stands in the way to a no that was said. */
void ask_explain(asker *k, const ask_said *q);

#endif
