/* analyze/prove/ask.h - questions about a contract or a System, in a few words.
 * Room: analyze, in the library analyze_prove. May include base/ and contract/.
 * AN_QUESTION_MAP is the one table of what can be asked: the parser reads its texts,
 * `motet ask --help` and the suggestions of a wrong question show them. An answer is
 * yes, no or unknown; it is shown by facts the evaluator confirmed or a run the engine
 * executed, or it is proven, and then says for what.
 * Ownership: a reply lives in the arena it is asked with; an asker borrows the union.
 * Threads: an asker belongs to one thread. */
#ifndef AN_ANALYZE_ASK_H
#define AN_ANALYZE_ASK_H

#include "analyze/facts/union.h"
#include "analyze/prove/prove.h"
#include "base/json_write.h"

/* Name, text, example, what it asks. Words in capitals stand for names:
 *   PERSONA    a persona, or anyone
 *   GOAL       reach ENTITY.STATE, move ENTITY from STATE to STATE, perform OPERATION
 *   EVENT      an operation, or ENTITY.STATE for entering it
 *   CONDITION  verdicts, Bool facts, operations (their preconditions), ENTITY.STATE and
 *              comparisons, with and, or, not and parentheses
 * In a System a name may have its member before it: MEMBER.NAME. A question mark at the
 * end is ignored. */
/* clang-format off */
#define AN_QUESTION_MAP(X) \
    X(CAN, "can PERSONA GOAL", "can buyer reach EscrowAccount.released", \
      "can the persona do it, after others if need be?") \
    X(WHO, "who can GOAL", "who can perform refund_escrow", \
      "every persona that can, each with a way") \
    X(ALONE, "what can PERSONA do alone", "what can seller do alone", \
      "the operations and states it gets to without anybody else") \
    X(HOLD, "can CONDITION hold", "can release_approved hold", \
      "is there a fact set, and a run to such states?") \
    X(POSSIBLE, "is CONDITION possible", "is refund_approved possible", \
      "the same") \
    X(IS_ALWAYS, "is CONDITION always", "is within_threshold always", \
      "does it hold for all of them?") \
    X(IMPLIED, "is CONDITION implied by CONDITION", \
      "is within_threshold implied by release_approved", \
      "does the first hold wherever the second does?") \
    X(SAME, "is CONDITION the same as CONDITION", \
      "is release_escrow the same as release_approved", \
      "do both hold for the same fact sets and states?") \
    X(WHEN_IS, "when is CONDITION", "when is release_approved", \
      "the weakest condition over facts, shortened") \
    X(WHEN_CAN, "when can CONDITION", "when can refund_escrow", \
      "the same") \
    X(NEVER, "never CONDITION", \
      "never EscrowAccount.released and EscrowAccount.refunded", \
      "does it hold in no joint state and for no facts?") \
    X(NEVER_WHILE, "never CONDITION while CONDITION", \
      "never EscrowAccount.refunded while DeliveryRecord.confirmed", \
      "the same for both together") \
    X(NEVER_STEP, "never GOAL", "never reach EscrowAccount.disputed", \
      "does nobody ever do it?") \
    X(NEVER_STEP_WHILE, "never GOAL while CONDITION", \
      "never perform release_escrow while not release_approved", \
      "is it never done in such states, for such facts?") \
    X(ALWAYS, "always CONDITION", "always EscrowAccount.held or not delivery_failed", \
      "does it hold in every joint state, for all facts?") \
    X(BEFORE, "always EVENT before EVENT", "always confirm_delivery before release_escrow", \
      "does the second never happen unless the first did?") \
    X(BEFORE_EACH, "always EVENT before EVENT for each ENTITY", \
      "always flag_dispute before refund_escrow for each EscrowAccount", \
      "the same for one instance of the entity") \
    X(EVERY_FLOW, "every flow ends", "every flow ends", \
      "does every run of every flow come to an outcome?") \
    X(FLOW, "flow FLOW ends", "flow refund_flow ends", \
      "the same for one flow") \
    X(TERMINAL, "from every state a terminal is reachable", \
      "from every state a terminal is reachable", \
      "can every instance of every entity still come to a state without exit?") \
    X(TERMINAL_OF, "from every state of ENTITY a terminal is reachable", \
      "from every state of EscrowAccount a terminal is reachable", \
      "the same for one entity") \
    X(REACHABLE, "from every state CONDITION is reachable", \
      "from every state EscrowAccount.released or EscrowAccount.refunded is reachable", \
      "can such states always still be reached?") \
    X(DUTIES, "nobody can both OPERATION and OPERATION", \
      "nobody can both confirm_delivery and release_escrow", \
      "is there no persona that is able to do either?") \
    X(DUTIES_SAME, "nobody can both OPERATION and OPERATION the same ENTITY", \
      "nobody can both flag_dispute and refund_escrow the same EscrowAccount", \
      "does no persona do both in one run, to one instance?") \
    X(CAUSE, "who can cause VERDICT", "who can cause release_approved", \
      "the sources whose facts can make the difference") \
    X(WHY_NOT, "why not QUESTION", "why not can buyer reach EscrowAccount.released", \
      "the same answer; for a no, the least that stands in the way")
/* clang-format on */

typedef enum an_question {
#define AN_QUESTION_ENUM(name, text, example, means) AN_ASK_##name,
    AN_QUESTION_MAP(AN_QUESTION_ENUM)
#undef AN_QUESTION_ENUM
        AN_QUESTION_COUNT
} an_question;

typedef enum an_reply_kind {
    AN_REPLY_YES,     /* also: somebody can, there is a condition */
    AN_REPLY_NO,      /* also: nobody, never */
    AN_REPLY_UNKNOWN, /* a limit was reached; the text says which */
    AN_REPLY_FAULT    /* the question was not understood: `text` says why */
} an_reply_kind;

typedef struct an_reply {
    an_reply_kind kind;
    mt_str text;  /* for people, whole lines */
    mt_str json;  /* one object; empty for AN_REPLY_FAULT */
    size_t place; /* AN_REPLY_FAULT: offset in the question */
} an_reply;

typedef struct an_asker an_asker;

/* `limits` NULL: the defaults. What a question finds out is kept for the next ones. */
an_asker *an_asker_new(const an_union *u, const mt_limits *limits);
void an_asker_free(an_asker *q);
/* Of each entity, where a question does not say; 1 to AN_MOST_INSTANCES. */
void an_asker_instances(an_asker *q, uint32_t instances);
/* From now on what the solver is asked, and what searches rest on, is written to `out`
 * as SMT-LIB 2. */
void an_asker_smt2(an_asker *q, mt_buf *out);
/* Fact sets that were promised and refused: our fault. */
unsigned an_asker_disagreements(const an_asker *q);
an_reply an_ask(an_asker *q, mt_arena *a, mt_str question);

/* ---- invariants ---- */

/* What a contract promises: a question, and yes is the only answer that will do. */
typedef struct an_invariant {
    mt_str question;
    an_reply reply;
} an_invariant;

/* Asks each; how many are not answered with yes. "Unknown" is not yes. */
size_t an_invariants_ask(an_asker *q, mt_arena *a, an_invariant *list, size_t count);
/* "invariant 'Q' does not hold", or why it was not decided or understood: one line;
 * then what shows it, indented. */
void an_invariant_text(mt_buf *out, const an_invariant *i);
/* One object: of one that was not understood `reason` alone, else the reply's. */
void an_invariant_json(mt_jw *w, const an_invariant *i);

#endif
