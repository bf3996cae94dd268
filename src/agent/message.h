/* agent/message.h - the messages agents exchange, as they are written on the wire.
 * Room: agent. May include base/ only; pure.
 * Out: {"_payload":P,"_type":T,"_version":"1.3.0"}, one line; T mirrors P with "str",
 * "bool", "int", "float", "null" at its leaves. In: whatever comes. A relay's envelope
 * and a typed one inside it are opened; any other JSON is taken as it is, and what is
 * not JSON (a relay's warnings) is text. */
#ifndef AG_MESSAGE_H
#define AG_MESSAGE_H

#include "agent/node.h"
#include "base/json_read.h"

#define AG_WIRE_VERSION "1.3.0"

/* Appends the typed envelope of a payload, newline included. */
void ag_frame_message(mt_buf *out, const mt_json *payload);

/* The same with the member "_signed", whose JSON text is given (identity.h). */
void ag_frame_signed(mt_buf *out, const mt_json *payload, mt_str signature);

/* One inbound line, understood. */
typedef struct ag_inbound {
    mt_str address;  /* who sent it; ptr NULL: the line named nobody */
    mt_json payload; /* a string when the line, or its content, is not JSON */
    bool typed;      /* it came in a typed envelope */
    bool relayed;    /* it came in a relay's envelope */
    bool is_signed;  /* its typed envelope has "_signed", whatever that is */
    mt_json signature;
    uint64_t sequence; /* the relay's number for it; 0: it gave none */
} ag_inbound;

/* Compat takes what Python takes for JSON, as values that JSON has (python.h).
 * Never fails: what is not JSON is text, what has no envelope is taken as it is.
 * `content` is decoded once; strings inside the payload stay as they are. The result
 * lives in `a` and borrows from `line`. MT_E_LIMIT when the line or what it holds is
 * deeper or longer than `limits` (may be NULL) allow, MT_E_SYNTAX when it is not
 * UTF-8. */
mt_err ag_frame_read(mt_arena *a, ag_mode mode, mt_str line,
                     const mt_json_limits *limits, ag_inbound *out);

#endif
