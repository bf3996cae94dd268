/* connect/yaml.h - a tree as YAML that people edit. Room: connect. What is written
 * reads back as the same tree: keys, values and their types. */
#ifndef CN_YAML_H
#define CN_YAML_H

#include "base/json_read.h"

/* Appends the members of an object, one a line, from this
 * column on; objects inside below them, lists and what is
 * deeper than `blocks` in one line. Keys keep their order. */
void cn_yaml_put(mt_buf *out, const mt_json *object, size_t indent, size_t blocks);
/* Appends text so that YAML reads the same text. */
void cn_yaml_text(mt_buf *out, mt_str text);

#endif
