/* http/home.h - the plain page at "/".
 * Room: http. */
#ifndef HT_HOME_H
#define HT_HOME_H

#include "exec/executor.h"

/* Who looks. */
typedef struct ht_home {
    ex_executor *executor;
    const ex_caller *caller; /* NULL: nobody who was let in */
    bool open;               /* the server has no tokens */
    bool public_manifest;    /* anybody may see which contract is served */
    mt_str host;             /* as the request names it; for the lines to copy */
    bool tls;
    bool login; /* people log in with a browser */
} ht_home;

/* Writes the page: HTML without script, with nothing that the caller may not ask for.
 * Reads the store, so not on a thread that others wait for. */
void ht_home_write(mt_buf *out, const ht_home *h);

/* What a browser may do with it: show it with its own style, and nothing else. */
mt_str ht_home_policy(mt_arena *a);

#endif
