/* os/sources.h - contract sources from the file system, for ct_elaborate().
 * Room: os.
 * A file's id is its real path: symbolic links are resolved when it is found and
 * refused when it is read, so what was checked is what is opened. Only regular files
 * are read. The elaborator keeps imports inside the root's directory; this provider
 * bounds how much is read in all. */
#ifndef OS_SOURCES_H
#define OS_SOURCES_H

#include "base/limits.h"
#include "base/provider.h"

typedef struct os_sources {
    size_t bytes_left;     /* limits.source_total_bytes, counted down */
    mt_str standard_input; /* given: the text of the root named OS_STDIN_NAME */
    /* The world's fault, if one happened: a file that was there and could not be read.
     */
    mt_err failure;
} os_sources;

/* What a contract from standard input is called. */
#define OS_STDIN_NAME "stdin.tenor"

/* `limits` may be NULL. The provider borrows *sources. */
mt_provider os_sources_provider(os_sources *sources, const mt_limits *limits);

#endif
