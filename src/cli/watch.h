/* cli/watch.h - waits until one of some files changes (inotify).
 * Room: cli.
 * Directories are watched, not files: editors replace a file by renaming a new one over
 * it. SIGINT and SIGTERM end the wait and are the caller's again after the stop. */
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include <signal.h>

#include "base/vec.h"
#include "cli/cli.h"

typedef struct cli_watched {
    int directory; /* inotify's watch descriptor */
    mt_str name;   /* of the file in it */
} cli_watched;

typedef struct cli_watch {
    mt_arena arena;
    int fd;                    /* of inotify; not blocking */
    MT_VEC(cli_watched) files; /* names, with the number of their directory's watch */
    struct sigaction old_int, old_term; /* put back by cli_watch_stop() */
} cli_watch;

/* MT_E_IO: errno says why. The first file is watched even while it does not exist. */
mt_err cli_watch_start(cli_watch *w, mt_str path);
/* One more file; what cannot be watched is left out. */
void cli_watch_add(cli_watch *w, mt_str path);
/* Blocks until a file changed (true) or a signal asks to stop (false). */
bool cli_watch_wait(cli_watch *w);
void cli_watch_stop(cli_watch *w);

#endif
