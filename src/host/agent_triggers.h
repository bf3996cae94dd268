/* host/agent_triggers.h - the TRIGGERS file that an agent file names.
 * Room: host. `triggers: FILE` in an agent file means the lines of that file, which
 * lies beside it; the engine reads no files, so a host puts them there. */
#ifndef HO_AGENT_TRIGGERS_H
#define HO_AGENT_TRIGGERS_H

#include "base/json_read.h"

/* Replaces the name by the lines, in `tree` itself; `document` is the agent file's
 * path. Nothing happens where no file is named. MT_E_IO and so on, with `why`. */
mt_err ho_agent_triggers(mt_arena *a, const char *document, mt_json *tree, mt_buf *why);

#endif
