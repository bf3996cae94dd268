/* runtime/graph_capture.h - captures and journals on disk, of any length.
 * Room: runtime. Nothing here holds a whole capture: files are read and written an
 * event at a time. Beside CAPTURE stand CAPTURE.sum (the digest and name, as sha256sum
 * writes and checks them) and, signed, CAPTURE.sig (public key and Ed25519 signature of
 * the digest, in hex). */
#ifndef RT_GRAPH_CAPTURE_H
#define RT_GRAPH_CAPTURE_H

#include "base/hash.h"
#include "base/sign.h"
#include "graph/capture.h"

/* An open capture or journal. Zero-initialised: none. */
typedef struct rt_capture_file {
    int fd;
    bool open;
    gr_capture_reader *reader;
} rt_capture_file;

/* "-" is standard input. MT_E_NOTFOUND, MT_E_IO, and errno. */
mt_err rt_capture_file_open(const char *path, rt_capture_file *out);
/* Makes its reader. `most` bounds one event (0: json_bytes). MT_E_SYNTAX, MT_E_CORRUPT,
 * MT_E_LIMIT: no capture; `why` gets a sentence. Faults of later reading live in `a`.
 */
mt_err rt_capture_file_read(mt_arena *a, const char *path, size_t most,
                            rt_capture_file *f, mt_buf *why);
/* Both. */
mt_err rt_capture_open(mt_arena *a, const char *path, size_t most, rt_capture_file *out,
                       mt_buf *why);
void rt_capture_close(rt_capture_file *f);
/* Of all its bytes. */
mt_err rt_capture_digest(const rt_capture_file *f, mt_sha256 *out);

/* Reads a journal and writes the capture v3 of it and what vouches for it. A capture
 * that was there is replaced only when the new one is whole and on disk. */
mt_err rt_capture_export(const char *journal, const char *capture, bool pretty,
                         const mt_sign_key *key, mt_buf *why);
/* Can every event of it be read? */
mt_err rt_capture_check(const char *capture, mt_buf *why);
/* Are graph, adapter, egress configuration and limits the same? */
bool rt_capture_same_head(const gr_capture_head *a, const gr_capture_head *b);
/* Does the capture hold what the journal holds, and no more? */
bool rt_capture_is_of(const char *capture, const char *journal);
/* Takes a capture away, with what stands beside it: to CAPTURE.previous, or for good.
 */
mt_err rt_capture_retire(const char *capture, bool keep);

typedef enum rt_sum_state { RT_SUM_ABSENT, RT_SUM_GOOD, RT_SUM_BAD } rt_sum_state;

/* Is there a CAPTURE.sum or a CAPTURE.sig? */
bool rt_capture_vouched(const char *capture);
/* Does CAPTURE.sum, if there is one, agree with this digest? */
rt_sum_state rt_capture_sum(const char *capture, mt_sha256 digest);
/* Does CAPTURE.sig, if there is one, sign this digest, by this key (NULL: any)? */
rt_sum_state rt_capture_signature(const char *capture, mt_sha256 digest,
                                  const mt_sign_public *expected);

#endif
