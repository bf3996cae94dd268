/* net/relay_config.h - a relay's configuration file.
 * Room: net. The keys of existing relays are read and mean what
 * docs/reference/relay.md says;
 * what has no meaning here is accepted. Keys of our own stand under "motet". */
#ifndef NT_RELAY_CONFIG_H
#define NT_RELAY_CONFIG_H

#include "base/json_read.h"
#include "net/relay.h"

/* Changes what the document names; texts live in `a`. A value of the wrong type is left
 * out, an unknown key passed over; each adds a line to `notes`. MT_E_TYPE when the
 * document is not an object. */
mt_err nt_relay_config_read(mt_arena *a, const mt_json *tree, nt_relay_config *config,
                            mt_buf *notes);
/* The keys that unknown ones may have been meant for, a line each: "prot: did you mean
 * `port`?". */
void nt_relay_config_hints(mt_arena *a, const mt_json *tree, mt_buf *hints);

#endif
