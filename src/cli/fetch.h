/* cli/fetch.h - the facts of a command: given in a file, fetched by adapters, or both.
 * Room: cli. */
#ifndef CLI_FETCH_H
#define CLI_FETCH_H

#include "cli/cli.h"
#include "contract/wire/model.h"

/* The facts as one JSON object: those of --facts and, with --sources CONFIG, what the
 * adapters fetch for facts with a structured source that are not in the file. {name} in
 * a path comes from --param NAME=VALUE, else from --bind E=INST. --provenance FILE gets
 * where each came from. CLI_HOLDS, or reported already. The text lives in `a`. */
int cli_facts_text(const cli_args *args, mt_arena *a, const ct_model *m,
                   const mt_limits *limits, mt_str *text);

#endif
