/* cli/holes.h - --unknown and --partial: commands that go on without some facts.
 * Room: cli. */
#ifndef CLI_HOLES_H
#define CLI_HOLES_H

#include "cli/engine.h"

/* The rows of both options, for the tables of the commands that have them. */
#define CLI_HOLES_OPTIONS                                                              \
    {"unknown", "F,F", "facts that are not known; may repeat"},                        \
    {                                                                                  \
        "partial", NULL,                                                               \
            "facts that are not given are not known, unless they have a default"       \
    }

typedef struct cli_holes {
    aw_holes x;
    os_deadline deadline;
    mt_arena arena;     /* of what is surplus */
    ct_surplus surplus; /* of all fact sets; to be reported in the end */
    size_t line;        /* of the fact set, for that; 0: there is only one */
} cli_holes;

/* Was either option given? */
bool cli_has_holes(const cli_args *args);
/* Which facts --unknown names. CLI_HOLDS, or reported. To be freed in every case. */
int cli_holes_open(const cli_args *args, const cli_contract *c, const ct_program *p,
                   cli_holes *out);
void cli_holes_free(cli_holes *h);
/* Reads one fact set and evaluates it as far as it goes. False: *fault says why not.
 * `text` must live as long as what is left is read. */
bool cli_holes_evaluate(const cli_args *args, cli_holes *h, mt_str text,
                        const mt_limits *limits, ct_fault *fault);
/* The same with the facts of a command (--facts, --sources); a fault is reported. */
int cli_holes_facts(cli_engine *e, cli_holes *h);

#endif
