/* agent/value.h - making JSON values.
 * Room: agent. May include base/ only.
 * Ownership: nodes live in the arena; texts are borrowed unless said otherwise. */
#ifndef AG_VALUE_H
#define AG_VALUE_H

#include "base/json_read.h"

mt_json ag_text_value(mt_str text);
mt_json ag_bool_value(bool value);
mt_json ag_null_value(void);
/* `text` is a JSON number. */
mt_json ag_number_value(mt_str text);
mt_json ag_i64_value(mt_arena *a, int64_t value);
mt_json ag_list_value(const mt_json *items, size_t count);
mt_json ag_object_value(const mt_json_member *members, size_t count);
/* Everything copied, texts too. */
mt_json ag_copy_value(mt_arena *a, const mt_json *value);
/* Canonical JSON; empty for NULL. Equal texts are equal values. */
mt_str ag_value_text(mt_arena *a, const mt_json *value);
/* What handlers are given for a message: {"remote_addr":…,"content":…}; the content
 * alone when nobody is named (ptr NULL). */
mt_json *ag_payload(mt_arena *a, mt_str address, const mt_json *content);
/* The object with one member set. */
mt_json ag_with_member(mt_arena *a, const mt_json *object, mt_str key,
                       const mt_json *value);

#endif
