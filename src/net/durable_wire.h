/* net/durable_wire.h - what an agent and a durable relay say to each other.
 * Room: net. Pure: text in, values out; docs/adr/0027 has the lines and their meaning.
 * Lines that begin with {"_relay": are theirs; the agent also writes "ack SEQ" and
 * "NUMBER LINE", the relay adds "seq" to what it delivers. */
#ifndef NT_DURABLE_WIRE_H
#define NT_DURABLE_WIRE_H

#include "host/keep.h"

enum { NT_NAME_TEXT = 64 };

/* From where an agent wants to hear. */
typedef enum nt_from {
    NT_FROM_NONE, /* it hears nothing */
    NT_FROM_NEW,
    NT_FROM_FIRST,
    NT_FROM_AFTER,
    NT_FROM_SINCE
} nt_from;

typedef struct nt_hello {
    char name[NT_NAME_TEXT + 1];
    char id[HO_SENDER_TEXT + 1];     /* its numbers are counted under name and id */
    char stream[HO_STREAM_TEXT + 1]; /* of `after`; "": of any */
    nt_from from;
    uint64_t after;   /* NT_FROM_AFTER: the last sequence it has */
    int64_t since_ms; /* NT_FROM_SINCE: since the epoch */
} nt_hello;

typedef enum nt_said_kind { NT_WELCOME, NT_KEPT, NT_REFUSED } nt_said_kind;

/* What the relay says. */
typedef struct nt_said {
    nt_said_kind kind;
    char stream[HO_STREAM_TEXT + 1]; /* the others of this group: NT_WELCOME */
    uint64_t after;                  /* what comes next has a sequence above this */
    uint64_t first;                  /* the oldest sequence that is still there */
    uint64_t number; /* NT_WELCOME, NT_KEPT: the sender's last line that is stored */
    char why[160];   /* NT_REFUSED */
} nt_said;

/* Letters, digits, '_' and '-', at most NT_NAME_TEXT of them. */
bool nt_is_name(mt_str text);
bool nt_is_relay_line(mt_str line);

void nt_hello_write(mt_buf *out, const nt_hello *hello);
/* NULL, or why it is none. */
const char *nt_hello_read(mt_str line, nt_hello *out);
void nt_said_write(mt_buf *out, const nt_said *said);
/* False: it is nothing a relay says. */
bool nt_said_read(mt_str line, nt_said *out);

/* Digits and nothing else, up to 2^63 - 1. */
bool nt_number_read(mt_str text, uint64_t *out);
/* "ack SEQ". */
bool nt_ack_read(mt_str line, uint64_t *seq);
/* "NUMBER LINE". */
bool nt_numbered_read(mt_str line, uint64_t *number, mt_str *rest);
/* A relayed line (agent/frame.h) with its sequence, newline included. */
void nt_sequenced_write(mt_buf *out, mt_str line, uint64_t seq);

#endif
