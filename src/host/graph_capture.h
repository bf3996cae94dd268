/* host/graph_capture.h - captures and journals on disk, of any length.
 * Room: host. Nothing here holds a whole capture: files are read and written an
 * event at a time. Beside CAPTURE stand CAPTURE.sum (the digest and name, as sha256sum
 * writes and checks them) and, signed, CAPTURE.sig (public key and Ed25519 signature of
 * the digest, in hex). */
#ifndef HO_GRAPH_CAPTURE_H
#define HO_GRAPH_CAPTURE_H

#include "base/hash.h"
#include "base/sign.h"
#include "graph/capture.h"

/* An open capture or journal. Zero-initialised: none. */
typedef struct ho_capture_file {
    int fd;
    bool open;
    gr_capture_reader *reader; /* reads from the descriptor by position */
} ho_capture_file;

/* "-" is standard input. MT_E_NOTFOUND, MT_E_IO, and errno. */
mt_err ho_capture_file_open(const char *path, ho_capture_file *out);
/* Makes its reader. `most` bounds one event (0: json_bytes). MT_E_SYNTAX, MT_E_CORRUPT,
 * MT_E_LIMIT: no capture; `why` gets a sentence. Faults of later reading live in `a`.
 */
mt_err ho_capture_file_read(mt_arena *a, const char *path, size_t most,
                            ho_capture_file *f, mt_buf *why);
/* Both. */
mt_err ho_capture_open(mt_arena *a, const char *path, size_t most, ho_capture_file *out,
                       mt_buf *why);
void ho_capture_close(ho_capture_file *f);
/* Of all its bytes. */
mt_err ho_capture_digest(const ho_capture_file *f, mt_sha256 *out);

/* Reads a journal and writes the capture v3 of it and what vouches for it. A capture
 * that was there is replaced only when the new one is whole and on disk. Of a journal
 * with a history for each value of a key, the one of `value` (NULL elsewhere):
 * MT_E_REJECTED when only one of the two has a key, MT_E_NOTFOUND when it has no event.
 */
mt_err ho_capture_export(const char *journal, const char *capture, bool pretty,
                         const char *value, const mt_sign_key *key, mt_buf *why);
/* Can every event of it be read? */
mt_err ho_capture_check(const char *capture, mt_buf *why);
/* Are graph, adapter, egress configuration and limits the same? */
bool ho_capture_same_head(const gr_capture_head *a, const gr_capture_head *b);
/* Does the capture hold what the journal holds, and no more? */
bool ho_capture_is_of(const char *capture, const char *journal);
/* Takes a capture away, with what stands beside it: to CAPTURE.previous, or for good.
 */
mt_err ho_capture_retire(const char *capture, bool keep);

typedef enum ho_sum_state {
    HO_SUM_ABSENT,
    HO_SUM_GOOD,
    HO_SUM_BAD,
    HO_SUM_UNREAD /* the machine failed: nobody knows */
} ho_sum_state;

/* Is there a CAPTURE.sum or a CAPTURE.sig? */
bool ho_capture_vouched(const char *capture);
/* Does CAPTURE.sum, if there is one, agree with this digest? */
ho_sum_state ho_capture_sum(const char *capture, mt_sha256 digest);
/* Does CAPTURE.sig, if there is one, sign this digest, by this key (NULL: any)? */
ho_sum_state ho_capture_signature(const char *capture, mt_sha256 digest,
                                  const mt_sign_public *expected);

#endif
