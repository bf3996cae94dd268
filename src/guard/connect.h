/* guard/connect.h - a server over HTTP as one that speaks lines.
 * Room: guard. Streamable HTTP of both revisions: each line is a POST; an answer is one
 * JSON object or a stream of events, and becomes lines again. What broke off on its way
 * is answered with an error that says so in its data (GD_UNKNOWN), since nobody knows
 * whether the server did it. Not served: the stream that a client may open with GET. */
#ifndef GD_CONNECT_H
#define GD_CONNECT_H

#include "base/str.h"
#include "os/report.h"

/* In `data` of an error: it may have happened. */
#define GD_UNKNOWN_KEY "motet/outcome"
#define GD_UNKNOWN     "unknown"

typedef struct gd_connect_options {
    const char *url;
    const char *ca_file; /* PEM; NULL: the system's authorities */
    mt_str token;        /* sent as a bearer's; empty: none */
    int in, out;
    size_t line_bytes, answer_bytes; /* of one message */
    unsigned connect_ms;
    os_report *report;
    void *report_state;
} gd_connect_options;

/* Until the input ends and everything was answered, or its reader is gone. MT_E_USAGE:
 * the address is not one; MT_E_IO: the library is missing; *why. */
mt_err gd_connect(const gd_connect_options *o, mt_buf *why);

#endif
