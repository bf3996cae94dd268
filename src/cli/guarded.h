/* cli/guarded.h - what the commands of `motet guard` share: an executor inside this
 * process, the map, and who calls. Room: cli.
 * Order of opening: settings, map, log, store, executor, caller; of closing the other
 * way round. */
#ifndef CLI_GUARDED_H
#define CLI_GUARDED_H

#include "cli/inside.h"
#include "guard/guard.h"

typedef struct cli_guarded {
    cli_inside in;
    ex_view view;
    mt_json tree; /* of the map */
    mt_str map_text;
    gd_map map;
    ex_caller caller;
    gd_desk desk;
} cli_guarded;

/* Opens everything that --contract, --map, --store, --config and --as say. Another code
 * than CLI_HOLDS: it was told. To be closed in every case. `wait_ms`: for a store that
 * another command has. */
int cli_guarded_open(cli_guarded *g, const cli_args *args, unsigned wait_ms);
/* The same without a map: for who ends calls. */
int cli_guarded_open_store(cli_guarded *g, const cli_args *args);
void cli_guarded_close(cli_guarded *g);

#endif
