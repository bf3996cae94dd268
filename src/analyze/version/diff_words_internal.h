/* analyze/version/diff_words_internal.h - what the files of diff_words share.
 * Room: analyze. Private to analyze/version/diff_words*.c. */
#ifndef AN_ANALYZE_DIFF_WORDS_INTERNAL_H
#define AN_ANALYZE_DIFF_WORDS_INTERNAL_H

#include "analyze/version/diff_words.h"

/* What a choice is for this value: its first alternative that holds; NULL: none. Any
 * other shape is itself. */
const ln_shape *an_words_chosen(const ln_shape *shape, const mt_json *value);
/* The case of a family that the value says it is; NULL: none. */
const ln_case *an_words_case(const ln_shape *shape, const mt_json *value);
/* The shape of a member; NULL: the shape around it does not know the key. */
const ln_shape *an_words_member(const ln_shape *shape, const mt_json *value,
                                mt_str key);

/* Text in quotes, or bare if it is a name and `quoted` is false. */
void an_say_text(mt_buf *out, mt_str text, bool quoted);
void an_say_scalar(mt_buf *out, const mt_json *value, bool quoted);
/* { key: value, … } of any object. */
void an_say_braced(mt_buf *out, const ln_shape *shape, const mt_json *value,
                   bool quoted);
/* Values and conditions; the shape is only used for objects that are neither. */
void an_say_value(mt_buf *out, const ln_shape *shape, const mt_json *value);
void an_say_condition(mt_buf *out, const ln_shape *shape, const mt_json *value);

static inline bool an_is_scalar(const mt_json *v)
{
    return v && v->type != MT_JSON_OBJECT && v->type != MT_JSON_ARRAY;
}

#endif
