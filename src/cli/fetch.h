/* cli/fetch.h - the facts of a command: given in a file, fetched by adapters, or both.
 * Room: cli. */
#ifndef CLI_FETCH_H
#define CLI_FETCH_H

#include "adapter/adapter.h"
#include "cli/cli.h"
#include "contract/wire/model.h"

/* The facts as one JSON object: those of --facts and, with --sources CONFIG, what the
 * adapters fetch for facts with a structured source that are not in the file. {name} in
 * a path comes from --param NAME=VALUE, else from --bind E=INST. --provenance FILE gets
 * where each came from. CLI_HOLDS, or reported already. The text lives in `a`. */
int cli_facts_text(const cli_args *args, mt_arena *a, const ct_model *m,
                   const mt_limits *limits, mt_str *text);

/* Fetches every fact that has a source which is not manual, as CONFIG says, and tells
 * what became of each; `fault` is why its value does not fit its type, or empty.
 * CLI_HOLDS: all have a value that fits; otherwise the worst of what happened. */
typedef void cli_tried(void *state, const ct_fact *fact, const ad_fact_answer *answer,
                       mt_str fault);
int cli_try_sources(const cli_args *args, mt_arena *a, const ct_model *m,
                    const char *config, const mt_limits *limits, cli_tried *each,
                    void *state);

#endif
