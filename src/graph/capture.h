/* graph/capture.h - what a run observed, as capture v3 and as journal lines.
 * Room: graph. Pure: text in, text out; hosts do the files.
 *
 * Capture v3 is one JSON document:
 *   {"capture_version":"v3","graph_id":…,"config":{…},"events":[…],"decisions":[…],
 *    "adapter_provenance":…,"runtime_provenance":…[,"egress_provenance":…]}
 * with each payload as an array of byte values. Unknown top-level fields are refused.
 *
 * A journal is what a run appends while it goes: a head line with everything but events
 * and decisions, then one line per event with its decision, and a line of
 * acknowledgements after intents were sent. A line torn by a crash at the end is
 * ignored; anything else malformed is corruption. Payloads stand there as the JSON they
 * are: their bytes are canonical, so the text between the quotes is what was hashed.
 *
 * Ownership: a capture read from text lives in the arena and borrows from the text. */
#ifndef GR_CAPTURE_H
#define GR_CAPTURE_H

#include "base/json_read.h"
#include "base/vec.h"
#include "graph/supervisor.h"

typedef struct gr_capture_effect {
    mt_str effect; /* compact JSON: kind, writes, intents */
    mt_str hash;   /* 64 hex digits */
} gr_capture_effect;

typedef struct gr_capture_ack {
    mt_str intent_id, channel, status, acceptance;
    mt_str egress_ref; /* ptr NULL: none */
} gr_capture_ack;

typedef struct gr_capture_event {
    mt_str id;
    gr_signal_kind kind;
    gr_time at;
    mt_str payload; /* the bytes after the merge; empty: none */
    mt_str payload_hash;
} gr_capture_event;

typedef struct gr_capture_decision {
    mt_str event_id;
    gr_decision decision;
    const gr_capture_effect *effects;
    size_t effect_count;
    const gr_capture_ack *acks;
    size_t ack_count;
    mt_str interruption; /* ptr NULL: none */
} gr_capture_decision;

typedef struct gr_capture_head {
    mt_str graph_id;
    gr_constraints config;
    mt_str adapter_provenance; /* "none" or a fingerprint */
    mt_str runtime_provenance;
    mt_str egress_provenance; /* ptr NULL: none */
} gr_capture_head;

typedef struct gr_capture {
    mt_str version; /* "v3" */
    gr_capture_head head;
    MT_VEC(gr_capture_event) events;
    MT_VEC(gr_capture_decision) decisions;
    bool truncated; /* from a journal whose last line was torn */
} gr_capture;

/* What is wrong with a capture or journal: the place and a sentence. */
typedef struct gr_capture_fault {
    mt_str path; /* "$.events[3].payload_hash", "line 7" */
    mt_str message;
} gr_capture_fault;

/* Appends the v3 document, compact or pretty, newline-terminated. */
void gr_capture_write(mt_buf *out, const gr_capture *capture, bool pretty);
/* Reads a v3 document or a journal, whichever the text is. MT_E_SYNTAX, MT_E_LIMIT,
 * MT_E_CORRUPT for a broken journal; *fault says what. The version is not judged. */
mt_err gr_capture_read(mt_arena *a, mt_str text, gr_capture *out,
                       gr_capture_fault *fault);

/* One line of a journal, read without its newline. */
typedef struct gr_journal_record {
    enum { GR_JOURNAL_HEAD, GR_JOURNAL_STEP, GR_JOURNAL_ACKS } kind;
    gr_capture_head head;
    gr_capture_event event;
    gr_capture_decision decision; /* of acks: event_id, acks and interruption only */
} gr_journal_record;

bool gr_is_journal(mt_str text);
/* For reading a long journal line by line. The record lives in `keep` and borrows from
 * the line; `tree` is reset and used for parsing. MT_E_CORRUPT when the line is not
 * what a run writes. */
mt_err gr_journal_read(mt_arena *keep, mt_arena *tree, mt_str line,
                       gr_journal_record *out, gr_capture_fault *fault);

/* Journal lines, each ending in a newline. */
void gr_journal_head(mt_buf *out, const gr_capture_head *head);
void gr_journal_step(mt_buf *out, const gr_capture_event *event,
                     const gr_capture_decision *decision);
/* What became of the intents of the last step, once known. */
void gr_journal_acks(mt_buf *out, const gr_capture_decision *decision);

#endif
