/* connect/yaml.h - a tree as YAML that people edit. Room: connect. */
#ifndef CN_YAML_H
#define CN_YAML_H

#include "base/json_read.h"

/* Appends the members of an object, one a line, from this column on; objects inside
 * below them, lists and what is deeper than `blocks` in one line. */
void cn_yaml_put(mt_buf *out, const mt_json *object, size_t indent, size_t blocks);
/* Appends text so that YAML reads the same text. */
void cn_yaml_text(mt_buf *out, mt_str text);

#endif
