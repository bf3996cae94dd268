/* lsp/lsp.h - the language server without its pipes.
 * Room: lsp. May include base/, lang/, contract/, analyze/, graph/ and agent/ only.
 * Bytes of the Language Server Protocol (3.17) go in, bytes come out. Texts come from
 * the editor and, where a file is not open, from a provider; there is no clock and no
 * file here, so the same server runs behind standard input and in a page.
 *
 * Whoever carries the bytes feeds what has come and then lets it work until nothing is
 * left. Nothing is computed while more is waiting to be fed, so what became stale on
 * its way (a document that has changed again, a request that was taken back) costs
 * nothing.
 *
 * Ownership: a server owns everything it holds. Threads: one at a time. */
#ifndef LS_LSP_H
#define LS_LSP_H

#include "base/form.h"
#include "base/limits.h"
#include "base/provider.h"

typedef struct ls_server ls_server;

/* Told the path of a file; false: enough. */
typedef bool ls_each(void *context, mt_str path);

typedef struct ls_world {
    mt_provider files; /* of what is not open */
    /* Calls `each` for every file below a folder whose name ends so, in the order of
     * the bytes of their paths; NULL: nobody knows which files there are. */
    void *state;
    void (*list)(void *state, mt_str folder, mt_str suffix, ls_each *each,
                 void *context);
    const mt_limits *limits; /* NULL: the defaults */
    /* What motet.yaml may hold besides levels of warnings; NULL: nobody knows. */
    const mt_form_table *project;
} ls_world;

/* *world is copied; what it points to must outlive the server. */
ls_server *ls_new(const ls_world *world);
void ls_free(ls_server *s);

/* Bytes from the editor, in any portions. */
void ls_feed(ls_server *s, mt_str bytes);
/* So much waits that some of it should be worked on before more is fed. */
bool ls_is_full(const ls_server *s);
/* Does the next thing there is to do and appends what is to be sent. False: nothing was
 * left to do. */
bool ls_work(ls_server *s, mt_buf *out);
/* Has the editor said `exit`, or bytes that no message can be found in? *code is then
 * the exit status. */
bool ls_has_ended(const ls_server *s, int *code);

#endif
