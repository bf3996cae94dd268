/* api/api.h - what is behind the handles of motet.h.
 * Room: api, private to it.
 *
 * Every function of motet.h that takes a handle also takes NULL, and answers it as
 * nothing or MOTET_E_USAGE: bindings of other languages pass on what they have. Nothing
 * prints, exits (but for want of memory) or keeps state outside a handle. */
#ifndef API_API_H
#define API_API_H

#include "answer/contract.h"
#include "answer/reply.h"
#include "base/form.h"
#include "contract/eval/facts.h"
#include "contract/eval/program.h"
#include "motet.h"

/* Immutable once api_contract_finish() has returned, so that
 * threads may share it. Facts, verdicts, runs and answers'
 * views borrow from it; whoever made them frees them first. */
struct motet_contract {
    aw_contract x;             /* what was read; does not change after loading */
    const motet_str *messages; /* one per diagnostic */
    const ct_model *model;     /* NULL when refused */
    const ct_program *program; /* NULL when refused, or when there is no model */
    mt_str etag;
};

/* Never NULL: the allocation ends the process when there is no memory. Every load
 * answers with an object, so that a refused one can say why. `name` is copied; `limits`
 * NULL are the defaults. */
motet_contract *api_contract_new(const char *name, const mt_limits *limits);
/* Makes the program and the messages, after a failure `err` only the latter. The end of
 * every load; answers `err` as a status. */
motet_status api_contract_finish(motet_contract *c, mt_err err);

/* The sentences as one text, a line each. */
void api_join_lines(mt_buf *out, const mt_str *lines, size_t count);
/* An answer takes over what the reply has; *reply is empty afterwards. */
motet_answer *api_answer_new(aw_reply *reply, int code);
/* Reads options by the rows of a form into *out, which has what holds without them.
 * AW_USAGE: the reply says all that is wrong. Texts live in the reply's arena. */
int api_options_read(motet_str text, const mt_form_row *rows, size_t count, void *out,
                     aw_reply *r);
/* The same for any object that is not optional; `what` names it in messages ("the
 * members of the event"), and texts live in the arena. */
int api_form_read(const char *what, mt_arena *a, mt_str text, const mt_form_row *rows,
                  size_t count, void *out, aw_reply *r);
/* What every row of a table of commands begins with: its name and its options. */
typedef struct api_command {
    const char *name;
    const mt_form_row *rows;
    size_t count;
} api_command;
#define API_COMMAND(name, rows)                                                        \
    {                                                                                  \
        name, rows, mt_form_count(rows)                                                \
    }
/* The row of that name. NULL: there is none, or nothing that could be asked; then the
 * reply says so, and AW_USAGE is due. `subject` names what is asked, `there` says
 * whether it is. */
const void *api_command_named(const void *table, size_t rows, size_t row_size,
                              const char *name, const char *subject, bool there,
                              aw_reply *r);
#define API_NAMED(table, ...)                                                          \
    api_command_named(table, sizeof(table) / sizeof *(table), sizeof *(table),         \
                      __VA_ARGS__)
/* The end of every function that answers: what the reply and its code come to. */
motet_status api_answer(aw_reply *r, int code, motet_answer **out);
/* What a code of a reply means to a caller. */
motet_status api_answer_status(const motet_answer *answer);

/* What is inside a fact set and a set of verdicts. The handles are api/eval.c's alone,
 * so that other files cannot reach a set that is half filled. */
const ct_facts *api_facts_inside(const motet_facts *facts);
const ct_verdicts *api_verdicts_inside(const motet_verdicts *verdicts);
/* Are both filled without failure, of this contract, so that a flow may stand on them?
 */
bool api_evaluated(const motet_contract *contract, const motet_facts *facts,
                   const motet_verdicts *verdicts);

/* Borrowed. A NULL pointer is empty text, whatever length came with it. */
static inline mt_str api_in_str(motet_str s)
{
    return mt_str_from(s.ptr, s.ptr ? s.len : 0);
}

/* Copies a structure that begins with its size, as far as the caller
 * has it; the rest is zero. MOTET_E_USAGE: its size is none or not to
 * be believed (more than 64 KiB); MOTET_E_VERSION: a member that is not
 * known here is not zero. So a caller that was compiled against a newer
 * motet.h works with an older library as long as it uses nothing new. */
motet_status api_take(void *to, size_t known, const void *from);
/* The other way: as much of `from` as the caller
 * has room for; its size is left as it was. */
void api_give(void *to, const void *from, size_t known);
#define API_TAKE(to, from) api_take((to), sizeof *(to), (from))

/* Texts of callers may be NULL. */
static inline mt_str api_in_z(const char *text)
{
    return mt_str_z(text ? text : "");
}

/* Never NULL: an embedder may print what it gets without a check. */
static inline motet_str api_out_str(mt_str s)
{
    return (motet_str){s.ptr ? s.ptr : "", s.len};
}

#endif
