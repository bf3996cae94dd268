/* lsp/mend.h - what would mend a document, or make it better.
 * Room: lsp.
 * An action is a name and edits; its file says for which faults it is meant, and the
 * tests apply it and check again: the fault is gone. */
#ifndef LS_MEND_H
#define LS_MEND_H

#include "base/map.h"
#include "lsp/server.h"

/* One request for actions. */
typedef struct ls_mender {
    ls_call *c;
    const ls_view *v;
    ls_range asked;
    mt_map *told; /* actions that are written: two faults may want the same */
} ls_mender;

/* One edit of a file of the view. */
typedef struct ls_mend_edit {
    mt_str file;
    ls_range at;
    mt_str text;
} ls_mend_edit;

/* Writes an action. Edits of one file stand together, in the order of its text;
 * files that the view does not have make it nothing. */
void ls_mend(const ls_mender *m, const char *kind, bool is_preferred, mt_str title,
             const ls_mend_edit *edits, size_t count);
/* Does the editor want actions of that kind? */
bool ls_mend_wants(const ls_call *c, const char *kind);

/* ---- tokens of a file ---- */

/* The first that ends behind the offset. */
fr_tok ls_token_from(const fr_file *f, size_t offset);
mt_str ls_token_text(const fr_file *f, fr_tok tok);
bool ls_token_is(const fr_file *f, fr_tok tok, fr_token_kind kind);
size_t ls_token_end(const fr_file *f, fr_tok tok);
/* The bracket that closes the one at `open`; the last token if none does. */
fr_tok ls_token_close(const fr_file *f, fr_tok open);
/* The value of `field:` directly inside the brackets at `open`; 0: it is not there. */
fr_tok ls_token_field(const fr_file *f, fr_tok open, mt_str field);
/* The bracket that opens the body of what is named at the token; 0: there is none near.
 */
fr_tok ls_token_body(const fr_file *f, fr_tok name);
/* An edit that puts `field: value` first into the brackets at `open`, on a line of its
 * own where the others have one. */
ls_mend_edit ls_put_field(mt_arena *a, const fr_file *f, fr_tok open, mt_str field,
                          mt_str value);
/* An edit that puts a name last into the list at `open`. */
ls_mend_edit ls_put_item(mt_arena *a, const fr_file *f, fr_tok open, mt_str item);

/* The step that a diagnostic's field names, "steps.NAME.…"; NULL: it names none. */
const fr_step *ls_step_of(const fr_unit *u, const mt_diag *d);

/* ---- actions ---- */

void ls_mend_field(const ls_mender *m, const mt_diag *d);
void ls_mend_declare(const ls_mender *m, const mt_diag *d);
void ls_mend_extract(const ls_mender *m);
void ls_mend_scenario(const ls_mender *m);

#endif
