/* http/log_writer.c - the queue of a log, and the thread that writes it.
 * Room: http.
 *
 * Who logs appends to `waiting` under a lock and goes on. The writer takes all of it at
 * once, so that two buffers of `most` bytes are the most there ever is, and writes it
 * in pieces that a pipe takes whole, each after asking whether there is room. Whatever
 * is at the other end, only the writer waits for it.
 *
 * Invariants: lines get out in the order they came. Once a line had to be dropped, the
 * following ones are, too, until the writer takes the queue: so what is missing is one
 * stretch, and the line that tells of it stands where it was. A line of which only a
 * part was written is ended before the next one begins.
 *
 * What may fail: writing (a reader that went away, a full disk, a closed descriptor).
 * Those lines are dropped and counted like the others. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/wait.h"
#include "http/log.h"

enum { LOOK_MS = 50, FLUSH_MS = 1000 };

typedef struct ht_log_writer {
    int fd;
    bool json;
    size_t most; /* bytes that may wait */
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows, up to `ended` */
    pthread_cond_t more, idle;
    mt_buf waiting;
    uint64_t lost; /* since the queue was last taken */
    bool writing, ended;
    atomic_bool closing;
    atomic_uint_fast64_t dropped; /* ever */
    /* Of the writer alone. */
    mt_buf batch;
    uint64_t untold; /* dropped, and not yet said in the log */
    bool torn;       /* the last line was cut off */
} writer;

/* ---- Writing ---- */

/* As many whole lines as a pipe takes at once, or a piece of a longer one. */
static size_t next_piece(mt_str text)
{
    size_t most = text.len < PIPE_BUF ? text.len : PIPE_BUF, end = most;
    while (end && text.ptr[end - 1] != '\n') {
        end--;
    }
    return end ? end : most;
}

/* False when it is time to end. */
static bool wait_for_room(writer *w)
{
    struct pollfd room = {.fd = w->fd, .events = POLLOUT};
    while (poll(&room, 1, LOOK_MS) <= 0) {
        if (atomic_load(&w->closing)) {
            return false;
        }
    }
    return true; /* or broken, as writing will tell */
}

/* A socket that has room for some bytes may not have it for all of them. */
static ssize_t put_some(const writer *w, mt_str piece)
{
    ssize_t put = send(w->fd, piece.ptr, piece.len, MSG_DONTWAIT | MSG_NOSIGNAL);
    return put < 0 && errno == ENOTSOCK ? write(w->fd, piece.ptr, piece.len) : put;
}

/* EINTR and EAGAIN are not failures: the caller asks for room again. Whether a line was
 * cut is remembered, so that the next begins on its own. */
static bool put_piece(writer *w, mt_str *text)
{
    mt_str piece = {text->ptr, next_piece(*text)};
    ssize_t put = put_some(w, piece);
    if (put < 0) {
        return errno == EINTR || errno == EAGAIN;
    }
    if (put > 0) {
        w->torn = piece.ptr[put - 1] != '\n';
    }
    *text = mt_str_skip(*text, (size_t)put);
    return true;
}

static bool put(writer *w, mt_str *text)
{
    bool ok = w->fd >= 0;
    while (ok && text->len) {
        ok = wait_for_room(w) && put_piece(w, text);
    }
    return ok;
}

static void drop(writer *w, mt_str lines)
{
    uint64_t count = 0;
    for (; lines.len; count++) {
        lines = mt_str_skip(lines, mt_str_find(lines, '\n') + 1);
    }
    w->untold += count;
    atomic_fetch_add(&w->dropped, count);
}

/* Says how many lines are missing here; they stay untold when that cannot be written
 * either. */
static bool tell(writer *w)
{
    mt_buf fields = {0}, line = {0};
    mt_buf_addf(&fields,
                "{\"count\":%llu,\"message\":\"%llu lines were dropped: the log could "
                "not be written\"}",
                (unsigned long long)w->untold, (unsigned long long)w->untold);
    ht_log_line(&line, w->json, HT_WARN, MT_STR("log_dropped"), mt_buf_str(&fields));
    mt_str text = mt_buf_str(&line);
    bool ok = put(w, &text);
    w->untold = ok ? 0 : w->untold;
    mt_buf_free(&fields);
    mt_buf_free(&line);
    return ok;
}

/* ORDER: finish a torn line, say what was lost before this batch, write the batch,
 * then say what was lost behind it. The place of the notice is where the lines are
 * missing. */
static void write_batch(writer *w, uint64_t lost)
{
    static const mt_str END = MT_STR_INIT("\n");
    mt_str text = mt_buf_str(&w->batch), end = END;
    bool ok = (!w->torn || put(w, &end)) && (!w->untold || tell(w)) && put(w, &text);
    if (!ok) {
        drop(w, text);
    }
    w->untold += lost;
    if (ok && w->untold) {
        (void)tell(w);
    }
    mt_buf_clear(&w->batch);
}

/* ---- The thread ---- */

/* Waits for lines and takes them; false when none will come. */
static bool take(writer *w, uint64_t *lost)
{
    pthread_mutex_lock(&w->lock);
    w->writing = false;
    pthread_cond_broadcast(&w->idle);
    while (!w->waiting.len && !w->lost && !atomic_load(&w->closing)) {
        pthread_cond_wait(&w->more, &w->lock);
    }
    bool more = w->waiting.len || w->lost;
    mt_buf taken = w->waiting;
    w->waiting = w->batch;
    w->batch = taken;
    *lost = w->lost;
    w->lost = 0;
    w->writing = more;
    pthread_mutex_unlock(&w->lock);
    return more;
}

/* Ends only when closing and empty. `ended` is set under the lock as the last thing:
 * whoever sees it may free the writer. */
static void *run(void *state)
{
    writer *w = state;
    for (uint64_t lost; take(w, &lost);) {
        write_batch(w, lost);
    }
    pthread_mutex_lock(&w->lock);
    w->ended = true;
    pthread_cond_broadcast(&w->idle);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void writer_free(writer *w)
{
    mt_buf_free(&w->waiting);
    mt_buf_free(&w->batch);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->more);
    pthread_cond_destroy(&w->idle);
    free(w);
}

/* Without the thread there would be nobody to write; the log then stays closed and its
 * lines go nowhere. */
mt_err ht_log_open(ht_log *log, size_t most)
{
    writer *w = mt_xmalloc(sizeof *w);
    *w = (writer){.fd = log->fd, .json = log->json, .most = most};
    pthread_mutex_init(&w->lock, NULL);
    mt_cond_init(&w->more);
    mt_cond_init(&w->idle);
    if (pthread_create(&w->thread, NULL, run, w)) {
        writer_free(w);
        return MT_E_BUSY;
    }
    log->writer = w;
    return MT_OK;
}

/* ---- Logging ---- */

/* Never waits for the reader of the log: a full pipe must not stop a server. Once a
 * line is lost, the following ones are too, until the writer has taken the queue; so
 * the gap is in one place. `w->lost` is not atomic, it has the lock. */
void ht_log_write(void *state, int level, mt_str event, mt_str fields)
{
    const ht_log *log = state;
    if (!log || !log->writer || level < (int)log->least || level > HT_ERROR) {
        return;
    }
    writer *w = log->writer;
    mt_buf line = {0};
    ht_log_line(&line, log->json, level, event, fields);
    pthread_mutex_lock(&w->lock);
    if (w->lost || w->waiting.len + line.len > w->most) {
        w->lost++;
        atomic_fetch_add(&w->dropped, 1);
    } else {
        mt_buf_adds(&w->waiting, mt_buf_str(&line));
    }
    pthread_cond_signal(&w->more);
    pthread_mutex_unlock(&w->lock);
    mt_buf_free(&line);
}

uint64_t ht_log_dropped(const ht_log *log)
{
    return log && log->writer ? atomic_load(&log->writer->dropped) : 0;
}

/* ---- Ending ---- */

/* At most FLUSH_MS. `writing` covers the batch that is out of the queue but not in the
 * file yet. */
void ht_log_flush(const ht_log *log)
{
    writer *w = log->writer;
    int64_t until = mt_wait_end(FLUSH_MS);
    if (!w) {
        return;
    }
    pthread_mutex_lock(&w->lock);
    while ((w->waiting.len || w->lost || w->writing) &&
           mt_cond_wait(&w->idle, &w->lock, until)) {
    }
    pthread_mutex_unlock(&w->lock);
}

void ht_log_close(ht_log *log)
{
    writer *w = log->writer;
    if (!w) {
        return;
    }
    ht_log_flush(log);
    log->writer = NULL;
    int64_t until = mt_wait_end(FLUSH_MS);
    pthread_mutex_lock(&w->lock);
    atomic_store(&w->closing, true);
    pthread_cond_signal(&w->more);
    while (!w->ended && mt_cond_wait(&w->idle, &w->lock, until)) {
    }
    bool ended = w->ended;
    pthread_mutex_unlock(&w->lock);
    if (!ended) {
        /* Somebody else filled the pipe between our question and our writing: the
         * thread is stuck there and keeps what it needs until the process ends. */
        pthread_detach(w->thread);
        return;
    }
    pthread_join(w->thread, NULL);
    writer_free(w);
}
