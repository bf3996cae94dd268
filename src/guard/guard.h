/* guard/guard.h - a contract before the tools of another server.
 * Room: guard. Above exec (what is decided and kept), mcp (messages) and os (the other
 * server's process); doors open the executor and give it here.
 *
 *     client --line--> gd_serve() --begin--> executor: decided, recorded, claimed
 *                          |                     |
 *                          |<------ allowed -----+
 *                          +--line--> the other server --line--> result
 *                          +--end--> executor: effects and record
 *
 * Nobody calls the other server's tool before its record is durable. What a call does
 * when this process dies in between: docs/adr/0032-guard.md.
 * Threads: one thread uses a desk. */
#ifndef GD_GUARD_H
#define GD_GUARD_H

#include "guard/map.h"
#include "mcp/protocol.h"
#include "os/process.h"
#include "os/report.h"

/* ---- One call (desk.c) ---- */

typedef struct gd_desk {
    ex_executor *executor;
    const gd_map *map;
    mt_str contract, persona;
    const ex_caller *caller; /* with this persona, the map's facts, and what it makes */
    bool observes;           /* refuses nothing */
    bool receipts;           /* what is recorded is promised: there is a key */
} gd_desk;

/* What was decided about a call. */
typedef struct gd_decision {
    bool goes_on;   /* the tool is to be called */
    bool refused;   /* by the contract (it goes on when the desk only observes) */
    bool fault;     /* neither: the world failed, or the request could not be put */
    mt_str call;    /* to be ended; empty: nothing is open */
    mt_str words;   /* why not; for people and models */
    mt_str problem; /* the same as JSON; empty: none */
    mt_str meta;    /* members of `_meta` of a refusal: its record and receipt */
} gd_decision;

typedef struct gd_call {
    mt_str tool;
    const mt_json *arguments; /* an object, or NULL */
    mt_str raw;               /* its text */
    bool closes;              /* nobody will tell how it ended */
} gd_call;

/* Decides, records, claims; waits until that is durable. Texts live in `a`. */
gd_decision gd_begin(const gd_desk *d, mt_arena *a, const gd_call *call);

/* How it ended. */
typedef struct gd_end_of {
    mt_str call, tool;
    ex_ended ended;
    mt_str raw;            /* the result's text, or empty */
    const mt_json *result; /* for outcome and facts, or NULL */
    mt_str outcome;        /* named by an operator; empty: by the map */
    mt_str why;
} gd_end_of;
/* What is recorded of that. */
typedef struct gd_ended {
    mt_str words; /* which end it is, or why it could not be recorded */
    mt_str meta;  /* members of `_meta`: its record and receipt; a flow that began */
} gd_ended;
/* True: it is settled, and durable. False: it is one whose outcome is unknown, or the
 * store failed; the words say which. */
bool gd_end(const gd_desk *d, mt_arena *a, const gd_end_of *e, gd_ended *out);

/* ---- Lines (wire.c) ---- */

/* The text of a value inside the text that it was read from. */
mt_str gd_raw(mt_str text, const mt_json *value);
/* The text of a message with spaces where JSON may have carriage returns. */
mt_str gd_one_line(mt_arena *a, mt_str text);
/* A key of the object that is one of the names but for the case of its letters; empty:
 * there is none. `names` ends with NULL. */
mt_str gd_twin_of(const mt_json *object, const char *const *names);
/* The object with one member's text replaced; `with` empty: left out. */
void gd_copy(mt_buf *out, mt_str text, const mt_json *object, const char *member,
             mt_str with);
/* The object with these members in its `_meta`, or none, in place of what it has there
 * under names of ours; all other bytes are as they came. One whose `_meta` is not an
 * object stays as it is. */
void gd_with_meta(mt_buf *out, mt_str text, const mt_json *object, mt_str members);
/* The message with another id (empty: as it has none). */
void gd_with_id(mt_buf *out, mt_str text, const mt_json *all, mt_str id);

/* ---- The proxy (proxy.c) ---- */

typedef struct gd_options {
    const gd_desk *desk;
    const char *const *command;          /* ends with NULL */
    int in, out;                         /* the client's descriptors */
    size_t client_bytes, upstream_bytes; /* of one message */
    size_t depth;
    unsigned grace_ms; /* for what is under way when the client goes */
    os_report *report; /* what is worth a line */
    void *report_state;
    const volatile int *stop; /* told to end, when not 0 */
} gd_options;
/* Until the client's input ends. MT_E_NOTFOUND, MT_E_IO: the command cannot be started.
 */
mt_err gd_serve(const gd_options *o);

#endif
