/* base/form_pull.h - the rows of a form, read from text without a tree.
 * Room: base. May include base/ only.
 * For bodies of requests: what most members hold is read later, by others, and stays
 * text (MT_FORM_K_RAW). The first fault ends it, with its place in the text, since who
 * sent a request wants an answer at once. Rows may be of the kinds TEXT, FLAG, INT,
 * OBJECT, ANY and RAW, at most 64 of them, and none is required.
 * Ownership: as json_pull.h: texts borrow from the text or live in the cursor's arena.
 */
#ifndef MT_BASE_FORM_PULL_H
#define MT_BASE_FORM_PULL_H

#include "base/form.h"
#include "base/json_pull.h"

/* Reads the object at the cursor into *out. MT_OK; MT_E_NOTFOUND: *key is in no row;
 * otherwise the cursor has the fault (mt_jp_finish()), and *key is the member it is in,
 * or empty. */
mt_err mt_form_pull(mt_jp *j, const mt_form_row *rows, size_t count, void *out,
                    mt_str *key);

#endif
