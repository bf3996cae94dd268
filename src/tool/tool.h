/* tool/tool.h - a contract as a server of tools, for one persona.
 * Room: tool. Above mcp (the protocol) and exec (calls); doors give it messages.
 *
 *     message --mc_read--> method --> call of the executor --> result --> done()
 *                             ^            |
 *                             +-- again ---+   (why it was refused, what is left)
 *
 * A visitor acts as one persona of one contract and as nothing else, whatever its
 * identity holds besides: personas are taken from it before the executor sees it.
 * docs/adr/0022-mcp.md says what is listed, what may be given and what waits.
 * Threads: all functions may be called from any thread. */
#ifndef TL_TOOL_H
#define TL_TOOL_H

#include "exec/executor.h"
#include "mcp/protocol.h"

typedef struct tl_desk tl_desk;

/* Borrows the executor; `version` is the program's. */
tl_desk *tl_desk_new(ex_executor *x, const char *version);
/* After the last message was answered, before the executor closes. */
void tl_desk_free(tl_desk *d);

/* A connection of the older revision that began with `initialize`. */
typedef struct tl_session {
    bool began;
    char nonce[33]; /* hex, one for each connection; with an id it is a key */
} tl_session;
void tl_session_begin(tl_session *s);
/* The idempotency key of a request in it: ids are used once in a session. */
mt_str tl_session_key(mt_arena *a, const tl_session *s, mt_str id);

/* Who speaks, as whom, and how it came. */
typedef struct tl_visit {
    const ex_caller *caller;
    mt_str contract, persona;
    mt_str key;          /* idempotency key that came with it; empty: none */
    bool receipts;       /* every call that writes is to have one */
    mc_door door;        /* `began` is the session's */
    tl_session *session; /* NULL: none is kept */
    tr_trace *trace;     /* or NULL */
} tl_visit;

/* Is there such a contract with such a persona, and does the caller hold it? One answer
 * for all of it, so that nobody learns which is missing. */
bool tl_admits(tl_desk *d, const tl_visit *v);

/* Called exactly once; `body` is one JSON object without a line's end and may be moved
 * out, empty: nothing is to be said. `status` is of HTTP. */
typedef void tl_done(void *state, int status, mt_buf *body);
/* Hears one message of a visitor that is admitted. Visit and text are borrowed until
 * done() was called, on this thread or another. */
void tl_hear(tl_desk *d, const tl_visit *v, mt_str text, tl_done *done, void *state);

/* Members of a tool's result, inside an open object: words for people and the model,
 * and the same as data (a JSON object). */
void tl_tool_result(mt_jw *w, bool is_error, mt_str words, mt_str data);

/* The names of the tools of a persona, in their order, one in each line. */
void tl_names(tl_desk *d, mt_str contract, mt_str persona, mt_buf *out);

#endif
