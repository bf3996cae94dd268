/* host/graph_journal.c - appending, syncing and locking.
 *
 * Lines are collected and written when there are many, and synced at the latest
 * SYNC_NS after the oldest of them was appended, or when somebody needs them on disk
 * (ho_journal_sync(): before an intent leaves). The name of the file is synced with
 * the first bytes.
 *
 * The lock is taken on the open file, then the name is looked at again: a run that
 * ended well has removed the file it had locked, and who waited for that one must not
 * go on with it. What the file held is cut off only when the first bytes follow, so a
 * run that commits nothing changes nothing.
 *
 * What may fail: MT_E_BUSY when another process has it, MT_E_IO; after a failed write
 * the run must end. */
#include "host/graph_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/file.h"

enum { FLUSH_BYTES = 256 * 1024, SYNC_NS = 100 * 1000 * 1000 };

struct ho_journal {
    int fd;
    char *path;
    mt_buf pending;      /* lines not yet given to the system */
    uint64_t held, keep; /* bytes found; of them, those that stay */
    bool begun;          /* what is not kept is gone */
    bool named;          /* its name is on disk, too */
    bool unsynced;
    uint64_t first_unsynced_ns; /* when the oldest byte not on disk was appended */
};

/* Is this still the file of that name? A run that ended well has removed it. */
static bool named(int fd, const char *path, off_t *size)
{
    struct stat mine, there;
    bool same = fstat(fd, &mine) == 0 && stat(path, &there) == 0 &&
                mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
    *size = same ? mine.st_size : 0;
    return same;
}

/* -1 and errno; EWOULDBLOCK: another process has it. */
static int open_locked(const char *path, off_t *size)
{
    for (int tries = 0; tries < 100; tries++) {
        int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        if (fd < 0) {
            return -1;
        }
        bool mine = os_lock(fd);
        int why = errno;
        if (mine && named(fd, path, size)) {
            return fd;
        }
        close(fd);
        if (!mine) {
            errno = why;
            return -1;
        }
    }
    errno = EWOULDBLOCK; /* others come and go faster than we do */
    return -1;
}

mt_err ho_journal_open(const char *path, ho_journal **out)
{
    off_t size;
    int fd = open_locked(path, &size);
    if (fd < 0) {
        return errno == EWOULDBLOCK ? MT_E_BUSY : MT_E_IO;
    }
    ho_journal *j = mt_xmalloc(sizeof *j);
    *j = (ho_journal){.fd = fd, .held = (uint64_t)size};
    j->path = mt_xmalloc(strlen(path) + 1);
    memcpy(j->path, path, strlen(path) + 1);
    *out = j;
    return MT_OK;
}

bool ho_journal_busy(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool busy = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0) {
        close(fd);
    }
    return busy;
}

uint64_t ho_journal_held(const ho_journal *j)
{
    return j->held;
}

void ho_journal_keep(ho_journal *j, uint64_t bytes)
{
    j->keep = bytes;
}

mt_buf *ho_journal_line(ho_journal *j)
{
    return &j->pending;
}

mt_err ho_journal_flush(ho_journal *j)
{
    mt_err err = MT_OK;
    if (j->pending.len && !j->begun && j->held > j->keep &&
        ftruncate(j->fd, (off_t)j->keep) != 0) {
        err = MT_E_IO;
    }
    j->begun |= j->pending.len && !err;
    err = err ? err : os_write_all(j->fd, mt_buf_str(&j->pending));
    mt_buf_clear(&j->pending);
    return err;
}

mt_err ho_journal_commit(ho_journal *j)
{
    uint64_t now = os_clock_ns(CLOCK_MONOTONIC_COARSE);
    if (!j->unsynced) {
        j->unsynced = true;
        j->first_unsynced_ns = now;
    }
    if (now - j->first_unsynced_ns >= SYNC_NS) {
        return ho_journal_sync(j);
    }
    return j->pending.len >= FLUSH_BYTES ? ho_journal_flush(j) : MT_OK;
}

mt_err ho_journal_sync(ho_journal *j)
{
    mt_err err = ho_journal_flush(j);
    if (!err && fdatasync(j->fd) != 0 && errno != EINVAL) {
        err = MT_E_IO; /* EINVAL: a pipe or terminal, which has no disk */
    }
    if (!err && j->begun && !j->named) {
        os_sync_name(j->path);
        j->named = true;
    }
    j->unsynced = false;
    return err;
}

mt_err ho_journal_idle(ho_journal *j)
{
    return j && j->unsynced ? ho_journal_sync(j) : MT_OK;
}

bool ho_journal_remove(const ho_journal *j)
{
    off_t size;
    errno = 0;
    return named(j->fd, j->path, &size) ? unlink(j->path) == 0 : !errno;
}

mt_err ho_journal_close(ho_journal *j)
{
    if (!j) {
        return MT_OK;
    }
    mt_err err = ho_journal_sync(j);
    int why = errno;
    if (!j->begun && !j->held) {
        (void)ho_journal_remove(j); /* an empty one is in nobody's way */
    }
    if (close(j->fd) != 0 && !err) {
        err = MT_E_IO;
        why = errno;
    }
    mt_buf_free(&j->pending);
    free(j->path);
    free(j);
    errno = why;
    return err;
}
