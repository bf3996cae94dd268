/* cli/render.h - results as text, shared by several commands.
 * Room: cli. */
#ifndef CLI_RENDER_H
#define CLI_RENDER_H

#include "contract/flow/action_space.h"
#include "contract/flow/run.h"

/* "2 verdict(s):" and one line each; nothing when there is none. */
void cli_verdicts_text(mt_buf *out, const ct_model *m, const ct_verdicts *v);
/* Flow, outcome, persona, steps, state changes, verdicts. */
void cli_run_text(mt_buf *out, const ct_run *run);
/* One line per open and per blocked flow, with its reasons. */
void cli_actions_text(mt_buf *out, const ct_plan *p, const ct_action_space *space);

#endif
