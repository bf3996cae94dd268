/* analyze/version/diff_words.h - interchange as the language writes it, for people.
 * Room: analyze. May include base/, lang/ and contract/ only.
 * 20000.00 EUR, score >= 620, Int(min: 0, max: 9), Terminal(success): never JSON. What
 * a value is follows from the shapes of nodes.def, so a field or a node that is added
 * there is written too. Values may be hostile: what has not the shape it should have is
 * written by what it is. */
#ifndef AN_ANALYZE_DIFF_WORDS_H
#define AN_ANALYZE_DIFF_WORDS_H

#include "base/json_write.h"
#include "lang/shape.h"

/* What the field of a construct looks like; `field` is a path as the diff names it
 * ("body.when"). NULL: nodes.def does not know it. */
const ln_shape *an_words_shape(mt_str kind, mt_str field);

/* Appends the value; NULL is "nothing". `shape` NULL: nothing is known of it. */
void an_words(mt_buf *out, const ln_shape *shape, const mt_json *value);

/* ---- What changed ---- */

/* Appends "x -> y". false, and nothing appended: that is too long for a line. */
bool an_words_change(mt_buf *out, const ln_shape *shape, const mt_json *before,
                     const mt_json *after);
/* Appends one line for each part that differs, every line begun by `indent`: the part's
 * path and both values; of a chain of conditions only those that differ. */
void an_words_parts(mt_buf *out, const char *indent, const ln_shape *shape,
                    const mt_json *before, const mt_json *after);
/* The same for the elements of two lists that have these ids; of a list whose elements
 * have none, what only one of the two has. */
void an_words_elements(mt_buf *out, const char *indent, const ln_shape *shape,
                       const mt_json *before, const mt_json *after, const mt_str *ids,
                       uint32_t count);

#endif
