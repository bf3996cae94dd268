/* agent/behaviour.h - what an agent file's registrations do, for DNA.
 * Room: agent. May include base/ only; the files that commands name are the host's to
 * read.
 * A registration's behaviour is one JSON object:
 *   {"rules":[…]}                                    rules, as they decide
 *   {"command":[…],"files":{WORD:"sha256:…"},"function":…,"group":…,"restarts":…,
 *    "time_limit_ms":…}                              an external handler
 *   {"source":TEXT,…}                                from DNA of other libraries
 * The agent's settings are
 * {"agent","flow","identity","memory","mode","order","seed","styles", "tape":{…}}.
 * Notes, and the order of keys, are not behaviour. */
#ifndef AG_BEHAVIOUR_H
#define AG_BEHAVIOUR_H

#include "agent/agent_file.h"

/* "sha256:…" of the file that word `index` of a group's command names; ptr NULL when it
 * names none. An error ends it all. */
typedef mt_err ag_digest(void *host, const ag_group *group, uint32_t index,
                         mt_str *out);

/* Writes behaviour and settings into `file->agent`. */
mt_err ag_behaviour_of(mt_arena *a, ag_file *file, ag_digest *digest, void *host);

#endif
