/* cli/explain.h - what motet explain asks the solver.
 * Room: cli. */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include "analyze/explain/explain.h"
#include "cli/engine.h"

/* One of them; the other is CT_NONE. */
typedef struct cli_subject {
    uint32_t rule, operation;
} cli_subject;

/* --all: every minimal reason. */
int cli_explain_all(cli_engine *e, const cli_subject *what, bool json,
                    an_explain_form form);
/* --change: the smallest change of facts under which it holds. */
int cli_explain_change(cli_engine *e, const cli_subject *what, bool json);

#endif
