/* graph/capture.h - what a run observed, as capture v3 and as journal lines.
 * Room: graph. Pure: text in, text out; hosts do the files.
 *
 * Capture v3 is one JSON document:
 *   {"capture_version":"v3","graph_id":…,"config":{…},"events":[…],"decisions":[…],
 *    "adapter_provenance":…,"runtime_provenance":…[,"egress_provenance":…]}
 * with each payload as an array of byte values. Unknown top-level fields are refused.
 * A capture that goes on from another one has one field more, "carried": what its
 * supervisor took over. Other readers of v3 refuse it, as they must: without it the
 * decisions cannot be repeated.
 *
 * A journal is what a run appends while it goes: a head line with everything but events
 * and decisions, then one line per event with its decision, and lines of
 * acknowledgements after intents were sent, each with all of the step so far. A line
 * torn by a crash at the end is ignored; anything else malformed is corruption.
 * Payloads stand there as the JSON they are: their bytes are canonical, so the text
 * between the quotes is what was hashed. What was carried over stands after the head.
 *
 * Both may be longer than memory: a gr_capture_reader holds one event with its decision
 * at a time, and so does a gr_capture_writer. */
#ifndef GR_CAPTURE_H
#define GR_CAPTURE_H

#include "base/json_write.h"
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
    /* Journals only: */
    mt_str key;        /* each value of it has a history; empty: one for all */
    mt_str primitives; /* digests of the user's code that runs; empty: none does */
} gr_capture_head;

/* An event that an earlier capture deferred: it runs with this snapshot. */
typedef struct gr_capture_waiting {
    mt_str event_id;
    gr_time schedule_at;
    mt_str payload; /* as in gr_capture_event */
    mt_str payload_hash;
} gr_capture_waiting;

/* What the supervisor of a capture begins with. Nothing, unless the capture goes on
 * from one that ended with events deferred or runs within the rate window. */
typedef struct gr_capture_carried {
    gr_time now;
    const gr_time *runs; /* oldest first */
    size_t run_count;
    const gr_capture_waiting *waiting; /* in the order of their release */
    size_t waiting_count;
} gr_capture_carried;
bool gr_carries(const gr_capture_carried *c);

typedef struct gr_capture {
    mt_str version; /* "v3" */
    gr_capture_head head;
    gr_capture_carried carried;
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

/* The same piece by piece: begin, all events, turn, all decisions, end. The caller may
 * take away what is in `out` after any of them. */
typedef struct gr_capture_writer {
    mt_jw w;
} gr_capture_writer;
gr_capture_writer gr_capture_begin(mt_buf *out, const gr_capture_head *head,
                                   const gr_capture_carried *carried, bool pretty);
void gr_capture_add_event(gr_capture_writer *w, const gr_capture_event *event);
void gr_capture_turn(gr_capture_writer *w);
void gr_capture_add_decision(gr_capture_writer *w, const gr_capture_decision *decision);
void gr_capture_end(gr_capture_writer *w, const gr_capture_head *head);

/* Reads a v3 document or a journal, whichever the text is, into the arena. MT_E_SYNTAX,
 * MT_E_LIMIT, MT_E_CORRUPT for a broken journal; *fault says what. The version is not
 * judged. */
mt_err gr_capture_read(mt_arena *a, mt_str text, gr_capture *out,
                       gr_capture_fault *fault);

/* Bytes that need not be in memory: up to `most` of them from `at` on; *got 0 at their
 * end. */
typedef struct gr_bytes {
    void *state;
    mt_err (*read)(void *state, uint64_t at, char *to, size_t most, size_t *got);
} gr_bytes;
gr_bytes gr_bytes_of(mt_str *text); /* borrows it */

/* A capture or journal, one event at a time. `most` bounds the bytes of one item: an
 * event, a decision, a line of a journal, everything else of a document together. */
typedef struct gr_capture_reader gr_capture_reader;
/* 0: json_bytes. Texts of faults, also of later ones, live in `faults`. */
mt_err gr_capture_open(mt_arena *faults, gr_bytes bytes, size_t most,
                       gr_capture_reader **out, gr_capture_fault *fault);
void gr_capture_close(gr_capture_reader *r);

/* Everything that is known before the first event. Lives with the reader. */
typedef struct gr_capture_start {
    mt_str version; /* a journal's is "v3" */
    gr_capture_head head;
    gr_capture_carried carried;
    bool journal;
} gr_capture_start;
const gr_capture_start *gr_capture_start_of(const gr_capture_reader *r);

/* The next event with its decision; MT_E_NOTFOUND after the last pair. Both are good
 * until the next call. Errors as of gr_capture_read(), and of the bytes. */
mt_err gr_capture_next(gr_capture_reader *r, gr_capture_event *event,
                       gr_capture_decision *decision, gr_capture_fault *fault);
/* Back to the first event. */
void gr_capture_rewind(gr_capture_reader *r);
/* Events without a decision, or decisions without an event, after the last pair. */
uint64_t gr_capture_events(const gr_capture_reader *r);
uint64_t gr_capture_decisions(const gr_capture_reader *r);
/* After the last pair of a journal: its last line is torn; where the whole ones end. */
bool gr_capture_truncated(const gr_capture_reader *r);
uint64_t gr_capture_whole(const gr_capture_reader *r);

/* One line of a journal, read without its newline. */
typedef struct gr_journal_record {
    enum {
        GR_JOURNAL_HEAD,
        GR_JOURNAL_CARRIED,
        GR_JOURNAL_WAITING,
        GR_JOURNAL_STEP,
        GR_JOURNAL_ACKS
    } kind;
    gr_capture_head head;
    gr_capture_carried carried; /* without those that wait */
    gr_capture_waiting waiting;
    gr_capture_event event;
    gr_capture_decision decision; /* of acks: event_id, acks and interruption only */
} gr_journal_record;

/* For reading a long journal line by line. The record lives in `keep` and borrows from
 * the line; `tree` is reset and used for parsing. MT_E_CORRUPT when the line is not
 * what a run writes. */
mt_err gr_journal_read(mt_arena *keep, mt_arena *tree, mt_str line,
                       gr_journal_record *out, gr_capture_fault *fault);

/* Journal lines, each ending in a newline. */
void gr_journal_head(mt_buf *out, const gr_capture_head *head);
void gr_journal_step(mt_buf *out, const gr_capture_event *event,
                     const gr_capture_decision *decision);
/* What was carried over: one line, then one for each that waits. */
void gr_journal_carried(mt_buf *out, const gr_capture_carried *carried);
void gr_journal_waiting(mt_buf *out, const gr_capture_waiting *waiting);
/* What became of the intents of the last step so far. */
void gr_journal_acks(mt_buf *out, const gr_capture_decision *decision);

#endif
