/* exec/evidence/witness.h - a witness: what it has seen of each log, and its signature.
 * Room: exec. Knows no executor and no network: a body in, a status and a body out.
 * The decision is ledger/witness.h's; here is the file it rests on.
 *
 * File: one JSON line per log, {"origin":O,"root":HEX,"size":N}, behind a first line
 * {"key":HEX,"witness":1}. It is replaced as a whole and is on the disk before anything
 * is signed, so a witness that is killed at any moment has signed nothing that it does
 * not remember. A file that is missing is not made anew unless that is asked for: a
 * witness that forgot would sign a second history. One process at a time may have it
 * (FILE.lock). What looks like a second history is kept in FILE.conflicts.
 *
 * Threads: one at a time. */
#ifndef EX_WITNESS_H
#define EX_WITNESS_H

#include "ledger/witness.h"

enum { EX_WITNESS_LOGS = 1024 };

typedef struct ex_witness ex_witness;

typedef struct ex_witness_options {
    mt_str name;
    const mt_sign_key *key;  /* borrowed */
    const char *state;       /* the file */
    bool is_new;             /* there must be no file, and an empty one is made */
    const lg_note_key *logs; /* borrowed; at most EX_WITNESS_LOGS */
    size_t log_count;
} ex_witness_options;

/* `why` gets one sentence. MT_E_BUSY: another process has the file; MT_E_NOTFOUND,
 * MT_E_EXISTS, MT_E_CORRUPT, MT_E_CONFLICT (another key's), MT_E_IO. */
mt_err ex_witness_open(const ex_witness_options *options, ex_witness **out,
                       mt_buf *why);
void ex_witness_close(ex_witness *w);

/* Answers a request of tlog-witness at `now` (seconds since 1970): the status, and in
 * `answer` what follows it (signature lines of 200, the size of 409, a sentence of
 * others). 500: the file cannot be written, nothing was signed. `why` gets a sentence
 * for the log, empty for 200. */
int ex_witness_answer(ex_witness *w, mt_str body, int64_t now, mt_buf *answer,
                      mt_buf *why);
/* The type of the body of such an answer. */
const char *ex_witness_type(int status);

/* What it has signed last of each log: "ORIGIN SIZE" lines, in order of origin. */
void ex_witness_show(const ex_witness *w, mt_buf *out);

#endif
