/* host/graph_capture.c - captures and journals on disk.
 *
 * Reading: the bytes are asked for by position, so what is not a file is first copied
 * to one without a name. Writing: a document has all events before all decisions and a
 * journal has them line by line, so the journal is gone through twice.
 *
 * What vouches for a capture stands beside it: CAPTURE.sum (the digest) and
 * CAPTURE.sig (a signature over text of our own with the digest in it).
 *
 * INVARIANT: CAPTURE.sum never stands beside a capture it does not belong to; it goes
 * first and comes last. A capture gets its name only when all of it is on disk. A
 * capture that is replaced becomes CAPTURE.previous with everything beside it.
 *
 * May fail: the disk, and journals that are broken; `why` names file and place. */
#include "host/graph_capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/limits.h"
#include "host/graph_host.h"
#include "os/file.h"

enum { PIECE = 1 << 20 };

/* ---- reading ---- */

static mt_err read_at(void *state, uint64_t at, char *to, size_t most, size_t *got)
{
    ssize_t n;
    do {
        n = pread((int)(intptr_t)state, to, most, (off_t)at);
    } while (n < 0 && errno == EINTR);
    *got = n > 0 ? (size_t)n : 0;
    return n < 0 ? MT_E_IO : MT_OK;
}

/* Everything that comes from a pipe, in a file without a name. */
static int spool(int from)
{
    FILE *temporary = tmpfile();
    int to = temporary ? dup(fileno(temporary)) : -1;
    char *piece = mt_xmalloc(PIECE);
    ssize_t n = to < 0 ? -1 : 1;
    while (n > 0) {
        n = read(from, piece, PIECE);
        if (n > 0 && os_write_all(to, mt_str_from(piece, (size_t)n))) {
            n = -1;
        }
    }
    free(piece);
    if (temporary) {
        fclose(temporary);
    }
    if (n < 0 && to >= 0) {
        close(to);
    }
    return n < 0 ? -1 : to;
}

/* A pipe cannot be read by position: it is copied first. */
static int open_seekable(const char *path)
{
    bool given = strcmp(path, "-") == 0;
    int fd = given ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || lseek(fd, 0, SEEK_SET) == 0) {
        return fd;
    }
    int copy = spool(fd);
    int why = errno;
    close(fd);
    errno = why;
    return copy;
}

mt_err ho_capture_file_open(const char *path, ho_capture_file *out)
{
    int fd = open_seekable(path);
    *out = (ho_capture_file){.fd = fd, .open = fd >= 0};
    return fd >= 0 ? MT_OK : errno == ENOENT ? MT_E_NOTFOUND : MT_E_IO;
}

mt_err ho_capture_file_read(mt_arena *a, const char *path, size_t most,
                            ho_capture_file *f, mt_buf *why)
{
    gr_capture_fault fault;
    gr_bytes bytes = {(void *)(intptr_t)f->fd, read_at};
    mt_err err = gr_capture_open(a, bytes, most, &f->reader, &fault);
    if (err) {
        mt_buf_addf(why, "%s, %.*s: %.*s", path, MT_ARG(fault.path),
                    MT_ARG(fault.message));
    }
    return err;
}

mt_err ho_capture_open(mt_arena *a, const char *path, size_t most, ho_capture_file *out,
                       mt_buf *why)
{
    mt_err err = ho_capture_file_open(path, out);
    if (err) {
        mt_buf_addf(why, "cannot read %s: %s", path, strerror(errno));
        return err;
    }
    err = ho_capture_file_read(a, path, most, out, why);
    if (err) {
        ho_capture_close(out);
    }
    return err;
}

void ho_capture_close(ho_capture_file *f)
{
    if (f->open) {
        gr_capture_close(f->reader);
        close(f->fd);
        *f = (ho_capture_file){0};
    }
}

mt_err ho_capture_digest(const ho_capture_file *f, mt_sha256 *out)
{
    mt_sha256_stream *s = mt_sha256_stream_new();
    char *piece = mt_xmalloc(PIECE);
    uint64_t at = 0;
    size_t got = 0;
    mt_err err;
    mt_sha256_start(s);
    do {
        err = read_at((void *)(intptr_t)f->fd, at, piece, PIECE, &got);
        mt_sha256_add(s, mt_str_from(piece, got));
        at += got;
    } while (!err && got);
    *out = mt_sha256_end(s);
    mt_sha256_stream_free(s);
    free(piece);
    return err;
}

/* ---- what vouches for a capture ---- */

static mt_str beside(mt_arena *a, const char *capture, const char *suffix)
{
    return mt_strf(a, "%s%s", capture, suffix);
}

/* What is signed: a name of our own before the digest, so that a signature of something
 * else can never pass for one of a capture. */
static mt_str signed_text(mt_arena *a, mt_sha256 digest)
{
    return mt_strf(a, "motet-capture %.*s", MT_ARG(mt_sha256_hex(a, digest)));
}

static mt_err write_sum(mt_arena *a, const char *capture, mt_sha256 digest)
{
    mt_str line = mt_strf(a, "%.*s  %.*s\n", MT_ARG(mt_sha256_hex(a, digest)),
                          MT_ARG(mt_str_basename(mt_str_z(capture))));
    return os_write_file(beside(a, capture, ".sum").ptr, line, 0644);
}

/* One line: key and signature, both hexadecimal. */
static mt_err write_signature(mt_arena *a, const char *capture, mt_sha256 digest,
                              const mt_sign_key *key)
{
    char line[2 * MT_SIGN_PUBLIC + 1 + 2 * MT_SIGN_BYTES + 1];
    mt_signature signature = mt_sign(key, signed_text(a, digest));
    mt_hex(key->open.bytes, MT_SIGN_PUBLIC, line);
    line[2 * MT_SIGN_PUBLIC] = ' ';
    mt_hex(signature.bytes, MT_SIGN_BYTES, line + 2 * MT_SIGN_PUBLIC + 1);
    line[sizeof line - 1] = '\n';
    return os_write_file(beside(a, capture, ".sig").ptr, mt_str_from(line, sizeof line),
                         0644);
}

bool ho_capture_vouched(const char *capture)
{
    mt_arena a = {0};
    bool vouched = access(beside(&a, capture, ".sum").ptr, F_OK) == 0 ||
                   access(beside(&a, capture, ".sig").ptr, F_OK) == 0;
    mt_arena_free(&a);
    return vouched;
}

static ho_sum_state judged(mt_err read, bool good)
{
    return read == MT_E_NOTFOUND ? HO_SUM_ABSENT
           : read == MT_E_IO     ? HO_SUM_UNREAD
           : good                ? HO_SUM_GOOD
                                 : HO_SUM_BAD;
}

ho_sum_state ho_capture_sum(const char *capture, mt_sha256 digest)
{
    mt_arena a = {0};
    mt_str stored;
    mt_err err = os_read_file(&a, beside(&a, capture, ".sum").ptr, 4096, &stored);
    /* The digest decides; the name in it may be that of an earlier place. */
    bool good = !err && mt_str_starts(stored, mt_sha256_hex(&a, digest));
    mt_arena_free(&a);
    return judged(err, good);
}

/* The key must be the expected one, if there is one; otherwise any key that has
 * signed. */
static bool signature_good(mt_arena *a, mt_str line, mt_sha256 digest,
                           const mt_sign_public *expected)
{
    mt_sign_public key;
    mt_signature signature;
    mt_str hex = mt_str_from(line.ptr, mt_str_find(line, ' '));
    mt_str rest = mt_str_skip(line, hex.len + 1);
    rest.len -= rest.len && rest.ptr[rest.len - 1] == '\n';
    return mt_unhex(hex, key.bytes, MT_SIGN_PUBLIC) &&
           mt_unhex(rest, signature.bytes, MT_SIGN_BYTES) &&
           (!expected || memcmp(expected->bytes, key.bytes, MT_SIGN_PUBLIC) == 0) &&
           mt_sign_verify(&key, signed_text(a, digest), &signature);
}

ho_sum_state ho_capture_signature(const char *capture, mt_sha256 digest,
                                  const mt_sign_public *expected)
{
    mt_arena a = {0};
    mt_str line;
    mt_err err = os_read_file(&a, beside(&a, capture, ".sig").ptr, 4096, &line);
    bool good = !err && signature_good(&a, line, digest, expected);
    mt_arena_free(&a);
    return judged(err, good);
}

/* ---- writing ---- */

typedef struct export
{
    gr_capture_reader *reader;
    mt_str value; /* of the key: only its events; ptr NULL: all */
    bool found;   /* there was one */
    bool missing; /* there was none, so nothing is written */
    os_new_file file;
    mt_sha256_stream *hash;
    mt_buf text;
    gr_capture_fault fault;
}
export;

/* What is written so far leaves memory. */
static mt_err drain(export *x, size_t unless_below)
{
    mt_err err = MT_OK;
    if (x->text.len >= unless_below) {
        mt_sha256_add(x->hash, mt_buf_str(&x->text));
        err = os_new_file_add(&x->file, mt_buf_str(&x->text));
        mt_buf_clear(&x->text);
    }
    return err;
}

/* Is it an event of the history that is exported? */
static bool wanted(const export *x, const gr_capture_event *event)
{
    mt_arena a = {0};
    mt_json payload;
    mt_str value;
    bool is =
        !x->value.ptr ||
        (!mt_json_read(&a, event->payload, NULL, &payload, NULL) &&
         ho_graph_key_of(&payload, gr_capture_start_of(x->reader)->head.key, &value) &&
         mt_str_eq(value, x->value));
    mt_arena_free(&a);
    return is;
}

/* Goes through the journal once, for the events or for the decisions. */
static mt_err write_list(export *x, gr_capture_writer *w, bool events)
{
    gr_capture_event event;
    gr_capture_decision decision;
    mt_err err;
    gr_capture_rewind(x->reader);
    while (!(err = gr_capture_next(x->reader, &event, &decision, &x->fault))) {
        if (!wanted(x, &event)) {
            continue;
        }
        x->found = true;
        if (events) {
            gr_capture_add_event(w, &event);
        } else {
            gr_capture_add_decision(w, &decision);
        }
        err = drain(x, PIECE / 4);
        if (err) {
            return err;
        }
    }
    return err == MT_E_NOTFOUND ? MT_OK : err;
}

/* Events, then decisions: two passes over the journal. */
static mt_err write_document(export *x, bool pretty)
{
    const gr_capture_start *start = gr_capture_start_of(x->reader);
    gr_capture_writer w =
        gr_capture_begin(&x->text, &start->head, &start->carried, pretty);
    mt_err err = write_list(x, &w, true);
    gr_capture_turn(&w);
    err = err ? err : write_list(x, &w, false);
    gr_capture_end(&w, &start->head);
    x->missing = !err && x->value.ptr && !x->found;
    return err ? err : x->missing ? MT_E_REJECTED : drain(x, 0);
}

/* The capture, then what vouches for it. Of an earlier one that goes first. */
static mt_err write_capture(mt_arena *a, export *x, const char *capture, bool pretty,
                            const mt_sign_key *key, mt_sha256 *digest)
{
    mt_err err = os_new_file_begin(&x->file, capture, 0644);
    if (err) {
        return err;
    }
    mt_sha256_start(x->hash);
    err = write_document(x, pretty);
    *digest = mt_sha256_end(x->hash);
    if (!err) {
        unlink(beside(a, capture, ".sig").ptr);
        unlink(beside(a, capture, ".sum").ptr);
    }
    err = os_new_file_end(&x->file, err, true);
    err = err ? err : write_sum(a, capture, *digest);
    return err || !key ? err : write_signature(a, capture, *digest, key);
}

/* v3 has one history: a journal with many gives one of them. */
static bool refused_value(const gr_capture_start *start, const char *journal,
                          const char *value, mt_buf *why)
{
    mt_str key = start->head.key;
    if (key.len && !value) {
        mt_buf_addf(
            why,
            "%s has a history for each '%.*s', and a capture (v3) has one: name "
            "it with --key, or replay the journal as it is",
            journal, MT_ARG(key));
    } else if (!key.len && value) {
        mt_buf_addf(why, "%s has one history, without a key", journal);
    }
    return (key.len > 0) != (value != NULL);
}

mt_err ho_capture_export(const char *journal, const char *capture, bool pretty,
                         const char *value, const mt_sign_key *key, mt_buf *why)
{
    mt_arena a = {0};
    ho_capture_file in;
    mt_sha256 digest;
    mt_err err = ho_capture_open(&a, journal, UINT32_MAX, &in, why);
    if (!err) {
        export x = {.reader = in.reader,
                    .value = mt_str_z(value),
                    .hash = mt_sha256_stream_new()};
        errno = 0;
        bool refused =
            refused_value(gr_capture_start_of(in.reader), journal, value, why);
        err = refused ? MT_E_REJECTED
                      : write_capture(&a, &x, capture, pretty, key, &digest);
        if (refused) {
            err = MT_E_REJECTED;
        } else if (x.missing) {
            mt_buf_addf(why, "%s has no events of '%s'", journal, value);
        } else if (err && x.fault.message.ptr) {
            mt_buf_addf(why, "%s, %.*s: %.*s", journal, MT_ARG(x.fault.path),
                        MT_ARG(x.fault.message));
        } else if (err) {
            mt_buf_addf(why, "cannot write %s: %s", capture, strerror(errno));
        }
        mt_sha256_stream_free(x.hash);
        mt_buf_free(&x.text);
        ho_capture_close(&in);
    }
    mt_arena_free(&a);
    return err;
}

mt_err ho_capture_check(const char *capture, mt_buf *why)
{
    mt_arena a = {0};
    ho_capture_file in;
    gr_capture_event event;
    gr_capture_decision decision;
    gr_capture_fault fault;
    mt_sha256 digest;
    mt_err err = ho_capture_open(&a, capture, UINT32_MAX, &in, why);
    bool opened = !err;
    while (!err) {
        err = gr_capture_next(in.reader, &event, &decision, &fault);
    }
    if (opened && err != MT_E_NOTFOUND) {
        mt_buf_addf(why, "%s, %.*s: %.*s", capture, MT_ARG(fault.path),
                    MT_ARG(fault.message));
    } else if (opened) {
        err = ho_capture_digest(&in, &digest);
        ho_sum_state sum = err ? HO_SUM_BAD : ho_capture_sum(capture, digest);
        if (sum == HO_SUM_BAD) {
            mt_buf_addf(why, "%s does not match %s.sum", capture, capture);
            err = MT_E_CORRUPT;
        } else if (sum == HO_SUM_UNREAD) {
            mt_buf_addf(why, "%s.sum cannot be read", capture);
            err = MT_E_IO;
        }
    }
    ho_capture_close(&in);
    mt_arena_free(&a);
    return err;
}

bool ho_capture_same_head(const gr_capture_head *a, const gr_capture_head *b)
{
    mt_buf one = {0}, other = {0};
    gr_journal_head(&one, a);
    gr_journal_head(&other, b);
    bool same = mt_str_eq(mt_buf_str(&one), mt_buf_str(&other));
    mt_buf_free(&one);
    mt_buf_free(&other);
    return same;
}

/* The next event with its decision, as a line; none at the end, or where it breaks. */
static void next_as_line(const ho_capture_file *f, mt_buf *out)
{
    gr_capture_event event;
    gr_capture_decision decision;
    gr_capture_fault fault;
    mt_buf_clear(out);
    mt_err err = gr_capture_next(f->reader, &event, &decision, &fault);
    if (!err) {
        gr_journal_step(out, &event, &decision);
    }
    mt_buf_addz(out, err ? mt_err_text(err) : "");
}

/* As lines, which are canonical; both must end at the same event. */
static bool same_events(const ho_capture_file *a, const ho_capture_file *b)
{
    mt_buf one = {0}, other = {0};
    bool same = true, more = true;
    while (same && more) {
        next_as_line(a, &one);
        next_as_line(b, &other);
        same = mt_str_eq(mt_buf_str(&one), mt_buf_str(&other));
        more = mt_str_ends(mt_buf_str(&one), MT_STR("\n"));
    }
    mt_buf_free(&one);
    mt_buf_free(&other);
    return same;
}

bool ho_capture_is_of(const char *capture, const char *journal)
{
    mt_arena a = {0};
    mt_buf why = {0};
    ho_capture_file made = {0}, from = {0};
    bool same = !ho_capture_open(&a, capture, UINT32_MAX, &made, &why) &&
                !ho_capture_open(&a, journal, UINT32_MAX, &from, &why) &&
                ho_capture_same_head(&gr_capture_start_of(made.reader)->head,
                                     &gr_capture_start_of(from.reader)->head) &&
                same_events(&made, &from);
    ho_capture_close(&made);
    ho_capture_close(&from);
    mt_buf_free(&why);
    mt_arena_free(&a);
    return same;
}

/* What stands beside the capture follows it. Killed between the two, it is found alone
 * the next time and follows then; what an earlier one left never stays with it. */
static void retire_beside(mt_arena *a, const char *capture, const char *suffix,
                          bool moved)
{
    mt_str from = beside(a, capture, suffix);
    mt_str to = mt_strf(a, "%s.previous%s", capture, suffix);
    if (!moved && access(to.ptr, F_OK) == 0) {
        unlink(from.ptr);
    } else if (rename(from.ptr, to.ptr) != 0 && moved) {
        unlink(to.ptr);
    }
}

mt_err ho_capture_retire(const char *capture, bool keep)
{
    static const char *const SUFFIXES[] = {".sum", ".sig", ".trace.jsonl"};
    mt_arena a = {0};
    bool gone = keep ? rename(capture, beside(&a, capture, ".previous").ptr) == 0
                     : unlink(capture) == 0;
    mt_err err = gone || errno == ENOENT ? MT_OK : MT_E_IO;
    for (size_t i = 0; i < sizeof SUFFIXES / sizeof *SUFFIXES && !err; i++) {
        if (keep) {
            retire_beside(&a, capture, SUFFIXES[i], gone);
        } else {
            unlink(beside(&a, capture, SUFFIXES[i]).ptr);
        }
    }
    mt_arena_free(&a);
    return err;
}
