/* exec/kinds/decide.h - may somebody do something? Asked by who enforces the answer.
 * Room: exec, private to kinds/decide*.c and the table of kinds.
 *
 *     decide_question  a question as it is sent (AuthZEN 1.0), read and checked
 *     decide_one       one question answered, by the kinds that do the thing
 *     decide           one or many, recorded and told
 *     decide_search    who may, on what, and what
 *
 * docs/authzen.md has the mapping, docs/adr/0030-authzen.md says why. */
#ifndef EX_KIND_DECIDE_H
#define EX_KIND_DECIDE_H

#include "exec/commit/commit.h"

/* Rows of the table of kinds: one question, many, and the searches. Each answers the
 * job itself (true), or leaves records to its commit (false). */
bool ex_decide_prepare(ex_job *job);
bool ex_decide_many_prepare(ex_job *job);
mt_err ex_decide_commit(ex_job *job, ex_group *g);
bool ex_search_subject(ex_job *job);
bool ex_search_resource(ex_job *job);
bool ex_search_action(ex_job *job);

/* ---- Questions ---- */

enum { EX_QUESTION_NAME_MOST = 256 }; /* bytes of a type, an id, a name */

typedef struct ex_thing {
    mt_str type, id;
    const mt_json *properties; /* NULL: none */
} ex_thing;

typedef struct ex_doing {
    mt_str name;
    const mt_json *properties;
} ex_doing;

/* What no member of AuthZEN says: `context.motet`. */
typedef struct ex_question_more {
    const mt_json *bindings; /* of further entities, or NULL */
    const mt_json *outcome;
    bool receipt;
} ex_question_more;

typedef struct ex_question {
    ex_thing subject, resource;
    ex_doing action;
    const mt_json *context;
    ex_question_more more;
} ex_question;

/* What a question may lack: it is what is searched for. */
typedef enum ex_lacks {
    EX_LACKS_NOTHING,
    EX_LACKS_SUBJECT, /* its id */
    EX_LACKS_RESOURCE,
    EX_LACKS_ACTION /* all of it */
} ex_lacks;

/* The call's body as an object. */
bool ex_refused_question_body(ex_job *job, mt_json *out);
/* Reads a question over what *out has: defaults, or zeroes. False: `why` has a
 * sentence. A part that is given takes the place of the default, but for its type and
 * id where it has none. Members nobody knows are for others. */
bool ex_question_read(mt_arena *a, const mt_json *from, ex_question *out, mt_buf *why);
/* Is everything there that has to be? */
bool ex_question_whole(const ex_question *ask, ex_lacks lacks, mt_buf *why);
/* "contract.Entity", or "Entity" of the default contract. */
void ex_question_resource(const ex_executor *x, mt_str type, mt_str *contract,
                          mt_str *entity);
/* {"fact":value} of everything in the question that has the name of a fact. False: one
 * is there twice; `why` has a sentence. */
bool ex_question_facts(mt_arena *a, const ct_model *m, const ex_question *ask,
                       mt_str *facts, mt_buf *why);

/* ---- Answers ---- */

/* Texts live in the job's arena. */
typedef struct ex_decision {
    bool allowed;
    int fault_status; /* 0: it was decided; else of HTTP, as it could not be */
    mt_str fault;
    mt_str told;   /* members of the context, but for the record's number */
    mt_str record; /* members of the record, before its time; empty: none */
    mt_str contract, bindings;
    int64_t number;
} ex_decision;

/* Decides. `alone`: the job is answered with what is wrong, if something is. False:
 * it would take long, and this thread may not. */
bool ex_decide_one(ex_job *job, const ex_question *ask, bool alone, ex_decision *out);
/* May the caller ask this? The answer does not depend on what exists. */
bool ex_refused_to_ask(ex_job *job, const ex_question *ask);
/* The same for a question that could not be read. */
void ex_decide_none(ex_decision *out, int status, mt_str why);

#endif
