/* connect/config.h - new settings of sources in the text of a configuration.
 * Room: connect. What is not touched keeps its text, comments and order.
 * Ownership: what is made lives in the arena, and borrows keys and values from what was
 * given; nothing is freed one by one. */
#ifndef CN_CONFIG_H
#define CN_CONFIG_H

#include "base/json_read.h"

/* An object with one member set or replaced, which keeps its place; a new one comes
 * last. `object` is not changed; NULL, or what is not an object, counts as an empty
 * one. The copy is shallow: values are shared with `object` and `value`. */
mt_json cn_with(mt_arena *a, const mt_json *object, mt_str key, const mt_json *value);
/* A JSON string that borrows the text. */
mt_json cn_text_node(mt_str text);

/* Appends the text of a YAML configuration in which every source of `changed` (an
 * object, source -> all its settings) is written anew and nothing else has changed,
 * which is read back and compared before it is returned. MT_E_SYNTAX: `text` is not
 * such a configuration, or it is written in a way that cannot be kept; `why` gets a
 * sentence. */
mt_err cn_config_patch(mt_arena *a, mt_str text, const mt_json *changed, mt_buf *out,
                       mt_buf *why);

#endif
