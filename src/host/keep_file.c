/* host/keep_file.c - an agent's memory in one file, appended to and seldom rewritten.
 *
 * File: lines "<16 hex digits> <body>\n"; the digits begin the SHA-256 of the body.
 * The first body is {"motet_agent_state":1}; then {"out":[line...],"state":S} for a
 * commit ("state" absent: unchanged) and {"sent":N}. With a durable relay a commit also
 * has "stand":{"sender":T,"seq":N,"stream":T}, and the first one of a file that was
 * written anew "done":N, the number of messages sent before. A commit is synced before
 * it counts. When the file is several times what it has to hold, it is written anew
 * beside itself and renamed into place. FILE.lock is locked while the file is in use.
 *
 * Opening replays the records; what does not verify at the end is a write that was cut
 * off and is taken back, anywhere else it is MT_E_CORRUPT. A write that fails is taken
 * back as well, so the file always ends with a whole record. {"sent":N} is not synced:
 * losing it means sending again, never losing. Nor is a stand alone: losing it means
 * taking messages again that had no effect. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/json_write.h"
#include "host/keep.h"
#include "os/file.h"

enum { DIGITS = 16, PATH_BYTES = 4096, SMALL_FILE = 1 << 20, GROWTH = 4 };
#define FILE_LIMIT ((size_t)1 << 30)
#define HEADER     "{\"motet_agent_state\":1}"

typedef struct keep_file {
    ho_keep keep; /* first: the interface points here */
    char path[PATH_BYTES];
    int fd, lock_fd;
    off_t size; /* of what is good in the file */
    mt_buf record;
} keep_file;

/* ---- records ---- */

static void checksum(mt_str body, char digits[2 * MT_SHA256_BYTES])
{
    mt_sha256 digest = mt_sha256_of(body);
    mt_hex(digest.bytes, DIGITS / 2, digits);
}

/* Appends the line of a body. */
static void add_record(mt_buf *out, mt_str body)
{
    char digits[2 * MT_SHA256_BYTES];
    checksum(body, digits);
    mt_buf_add(out, digits, DIGITS);
    mt_buf_addc(out, ' ');
    mt_buf_adds(out, body);
    mt_buf_addc(out, '\n');
}

static bool open_record(mt_str line, mt_str *body)
{
    char digits[2 * MT_SHA256_BYTES];
    if (line.len < DIGITS + 1 || line.ptr[DIGITS] != ' ') {
        return false;
    }
    *body = mt_str_skip(line, DIGITS + 1);
    checksum(*body, digits);
    return memcmp(digits, line.ptr, DIGITS) == 0;
}

static void add_stand(mt_buf *out, const ho_stand *stand)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "sender", mt_str_z(stand->sender));
    mt_jw_key_i64(&w, "seq", (int64_t)stand->seq);
    mt_jw_key_str(&w, "stream", mt_str_z(stand->stream));
    mt_jw_end_object(&w);
}

/* State only when it changed: an agent's memory may be large. */
static void add_commit(mt_buf *out, mt_str state, mt_str lines, const ho_stand *stand,
                       uint64_t done)
{
    mt_buf body = {0};
    mt_buf_addc(&body, '{');
    if (done) {
        mt_buf_addf(&body, "\"done\":%llu,", (unsigned long long)done);
    }
    mt_buf_addz(&body, "\"out\":[");
    for (bool first = true; lines.len; first = false) {
        size_t end = mt_str_find(lines, '\n');
        mt_buf_addz(&body, first ? "" : ",");
        mt_json_quote(&body, mt_str_from(lines.ptr, end));
        lines = mt_str_skip(lines, end + 1);
    }
    mt_buf_addc(&body, ']');
    if (stand) {
        mt_buf_addz(&body, ",\"stand\":");
        add_stand(&body, stand);
    }
    if (state.ptr) {
        mt_buf_addz(&body, ",\"state\":");
        mt_buf_adds(&body, state);
    }
    mt_buf_addc(&body, '}');
    add_record(out, mt_buf_str(&body));
    mt_buf_free(&body);
}

/* ---- writing ---- */

static bool put_all(int fd, mt_str bytes)
{
    while (bytes.len) {
        ssize_t n = write(fd, bytes.ptr, bytes.len);
        if (n < 0 && errno != EINTR) {
            return false;
        }
        bytes = mt_str_skip(bytes, n > 0 ? (size_t)n : 0);
    }
    return true;
}

/* After a rewrite the name leads to another file. */
static mt_err open_for_append(keep_file *f)
{
    struct stat st;
    int fd = open(f->path, O_RDWR | O_APPEND | O_CLOEXEC);
    if (fd < 0) {
        return MT_E_IO;
    }
    if (fstat(fd, &st) != 0) {
        close(fd);
        return MT_E_IO;
    }
    f->fd = fd;
    f->size = st.st_size;
    return MT_OK;
}

/* Appends; what cannot be written whole is taken back. */
static mt_err append(keep_file *f, mt_str text, bool sync)
{
    if (f->fd < 0 && open_for_append(f) != MT_OK) {
        return MT_E_IO;
    }
    if (put_all(f->fd, text) && (!sync || fdatasync(f->fd) == 0)) {
        f->size += (off_t)text.len;
        return MT_OK;
    }
    int why = errno;
    if (ftruncate(f->fd, f->size) != 0) {
        MT_BUG("a half-written record cannot be taken back");
    }
    errno = why;
    return MT_E_IO;
}

/* Writes what is remembered, and nothing else, as a new file. */
static mt_err rewrite(keep_file *f)
{
    mt_str state = mt_buf_str(&f->keep.state);
    mt_buf_clear(&f->record);
    add_record(&f->record, MT_STR(HEADER));
    const ho_stand *stand = f->keep.stand.sender[0] ? &f->keep.stand : NULL;
    if (state.len || f->keep.unsent.len || stand) {
        add_commit(&f->record, state.len ? state : (mt_str){0},
                   mt_buf_str(&f->keep.unsent), stand, stand ? f->keep.done : 0);
    }
    mt_err err = os_write_file(f->path, mt_buf_str(&f->record), 0600);
    if (err) {
        return err;
    }
    os_sync_name(f->path); /* the rename itself must survive a crash too */
    if (f->fd >= 0) {      /* nobody finds that file any more: nothing may go there */
        close(f->fd);
        f->fd = -1;
    }
    return open_for_append(f);
}

/* Saves room and nothing else: where it fails, all is still in a file that is found by
 * its name, and it is tried again after the next commit. */
static void rewrite_if_large(keep_file *f)
{
    size_t needed = f->keep.state.len + f->keep.unsent.len;
    if (f->size > SMALL_FILE && (size_t)f->size > GROWTH * needed) {
        rewrite(f);
    }
}

/* Memory follows the file: what could not be written was never there. */
static mt_err file_commit(ho_keep *k, mt_str state, mt_str lines, const ho_stand *stand)
{
    keep_file *f = (keep_file *)k;
    mt_buf_clear(&f->record);
    add_commit(&f->record, state, lines, stand, 0);
    bool whole = state.ptr || lines.len ||
                 (stand && strcmp(stand->sender, k->stand.sender) != 0);
    mt_err err = append(f, mt_buf_str(&f->record), whole);
    if (err) {
        return err;
    }
    ho_keep_remember(k, state, lines, stand);
    rewrite_if_large(f);
    return MT_OK;
}

static mt_err file_sent(ho_keep *k, size_t count)
{
    keep_file *f = (keep_file *)k;
    char body[48];
    int len = snprintf(body, sizeof body, "{\"sent\":%zu}", count);
    mt_buf_clear(&f->record);
    add_record(&f->record, mt_str_from(body, (size_t)len));
    ho_keep_forget_sent(k, count);
    return append(f, mt_buf_str(&f->record), false);
}

static void file_close(ho_keep *k)
{
    keep_file *f = (keep_file *)k;
    if (f->fd >= 0) {
        fdatasync(f->fd);
        close(f->fd);
    }
    if (f->lock_fd >= 0) {
        close(f->lock_fd);
    }
    mt_buf_free(&f->record);
}

/* ---- reading ---- */

static bool copy_text(const mt_json *node, char *to, size_t size)
{
    mt_str text = mt_json_text(node);
    if (!mt_json_is(node, MT_JSON_STRING) || text.len >= size) {
        return false;
    }
    memcpy(to, text.ptr, text.len);
    to[text.len] = '\0';
    return true;
}

static bool apply_stand(ho_keep *k, const mt_json *stand)
{
    int64_t seq;
    ho_stand read;
    bool ok = mt_json_i64(mt_json_at(stand, "seq"), &seq) == MT_OK && seq >= 0 &&
              copy_text(mt_json_at(stand, "sender"), read.sender, sizeof read.sender) &&
              copy_text(mt_json_at(stand, "stream"), read.stream, sizeof read.stream);
    if (ok) {
        read.seq = (uint64_t)seq;
        k->stand = read;
    }
    return ok;
}

/* Nothing is looked at beyond its form: the checksum has vouched for the bytes. */
static bool apply_commit(ho_keep *k, const mt_json *body)
{
    const mt_json *out = mt_json_at(body, "out"), *state = mt_json_at(body, "state");
    const mt_json *stand = mt_json_at(body, "stand"), *done = mt_json_at(body, "done");
    int64_t sent = (int64_t)k->done;
    if (!mt_json_is(out, MT_JSON_ARRAY) || (stand && !apply_stand(k, stand)) ||
        (done && (mt_json_i64(done, &sent) || sent < 0))) {
        return false;
    }
    k->done = (uint64_t)sent;
    if (state) {
        mt_buf_clear(&k->state);
        mt_json_write(&k->state, state, false);
    }
    for (uint32_t i = 0; i < out->count; i++) {
        mt_buf_adds(&k->unsent, mt_json_text(&out->as.items[i]));
        mt_buf_addc(&k->unsent, '\n');
    }
    return true;
}

/* A record of another form is corrupt, not ignored: it would change what follows. */
static bool apply(ho_keep *k, mt_str text)
{
    mt_arena a = {0};
    mt_json body;
    int64_t sent;
    bool ok = mt_json_read(&a, text, NULL, &body, NULL) == MT_OK;
    if (ok && mt_json_at(&body, "sent")) {
        ok = mt_json_i64(mt_json_at(&body, "sent"), &sent) == MT_OK && sent >= 0;
        if (ok) {
            ho_keep_forget_sent(k, (size_t)sent);
        }
    } else if (ok) {
        ok = apply_commit(k, &body);
    }
    mt_arena_free(&a);
    return ok;
}

/* Reads record after record; *good is the length of what verifies. */
static mt_err replay(keep_file *f, mt_str text, size_t *good, mt_buf *why)
{
    *good = 0;
    for (size_t number = 1; *good < text.len; number++) {
        mt_str rest = mt_str_skip(text, *good), body;
        size_t end = mt_str_find(rest, '\n');
        bool whole = end < rest.len, last = !whole || end + 1 == rest.len;
        bool verifies = whole && open_record(mt_str_from(rest.ptr, end), &body);
        if (!verifies && last && number > 1) {
            return MT_OK; /* cut short by a crash: it never counted */
        }
        bool ok =
            verifies && (number == 1 ? mt_str_is(body, HEADER) : apply(&f->keep, body));
        if (!ok) {
            mt_buf_addf(why, "%s: line %zu does not verify", f->path, number);
            return MT_E_CORRUPT;
        }
        *good += end + 1;
    }
    return MT_OK;
}

/* A file of its own, since the state is renamed away when it is rewritten. */
static mt_err take_lock(keep_file *f, mt_buf *why)
{
    char path[PATH_BYTES + 8];
    snprintf(path, sizeof path, "%s.lock", f->path);
    f->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (f->lock_fd < 0) {
        mt_buf_addf(why, "cannot open %s: %s", path, strerror(errno));
        return MT_E_IO;
    }
    if (!os_lock(f->lock_fd)) {
        mt_buf_addf(why, "%s is in use by another agent", f->path);
        return MT_E_BUSY;
    }
    return MT_OK;
}

/* A torn end is cut off and said; everything before it counts. */
static mt_err read_existing(keep_file *f, mt_str text, mt_buf *why)
{
    size_t good;
    mt_err err = replay(f, text, &good, why);
    err = err ? err : open_for_append(f);
    if (!err && good < text.len) {
        mt_buf_addf(why, "%s: dropped %zu bytes of an unfinished record", f->path,
                    text.len - good);
        err = ftruncate(f->fd, (off_t)good) == 0 ? MT_OK : MT_E_IO;
        f->size = (off_t)good;
    }
    return err;
}

/* An empty file is a new one. */
static mt_err open_file(keep_file *f, mt_buf *why)
{
    mt_err err = take_lock(f, why);
    if (err) {
        return err;
    }
    mt_arena a = {0};
    mt_str text;
    err = os_read_file(&a, f->path, FILE_LIMIT, &text);
    if (err == MT_E_NOTFOUND || (!err && !text.len)) {
        err = rewrite(f);
    } else if (!err) {
        err = read_existing(f, text, why);
    }
    if (err && !why->len) {
        mt_buf_addf(why, "cannot use %s: %s", f->path, strerror(errno));
    }
    mt_arena_free(&a);
    return err;
}

mt_err ho_keep_open_file(const char *path, ho_keep **out, mt_buf *why)
{
    keep_file *f = mt_xmalloc(sizeof *f);
    *f = (keep_file){
        .keep = {.commit = file_commit, .sent = file_sent, .close = file_close},
        .fd = -1,
        .lock_fd = -1};
    *out = NULL;
    mt_err err = MT_E_IO;
    if (snprintf(f->path, sizeof f->path, "%s", path) >= (int)sizeof f->path) {
        mt_buf_addz(why, "the path is too long");
    } else {
        err = open_file(f, why);
    }
    if (err) {
        ho_keep_close(&f->keep);
        return err;
    }
    *out = &f->keep;
    return MT_OK;
}
