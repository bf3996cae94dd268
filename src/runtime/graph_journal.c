#include "runtime/graph_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/clock.h"
#include "runtime/file.h"

enum { FLUSH_BYTES = 256 * 1024, SYNC_NS = 100 * 1000 * 1000 };

struct rt_journal {
    int fd;
    mt_buf pending;
    bool unsynced;
    uint64_t first_unsynced_ns; /* when the oldest byte not on disk was appended */
};

mt_err rt_journal_open(const char *path, bool replace, rt_journal **out)
{
    int flags =
        O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (replace ? O_TRUNC : O_EXCL);
    int fd = open(path, flags, 0644);
    if (fd < 0) {
        return errno == EEXIST ? MT_E_EXISTS : MT_E_IO;
    }
    rt_journal *j = mt_xmalloc(sizeof *j);
    *j = (rt_journal){.fd = fd};
    *out = j;
    return MT_OK;
}

mt_buf *rt_journal_line(rt_journal *j)
{
    return &j->pending;
}

static mt_err flush(rt_journal *j)
{
    mt_err err = rt_write_all(j->fd, mt_buf_str(&j->pending));
    mt_buf_clear(&j->pending);
    return err;
}

mt_err rt_journal_commit(rt_journal *j)
{
    uint64_t now = rt_clock_ns(CLOCK_MONOTONIC_COARSE);
    if (!j->unsynced) {
        j->unsynced = true;
        j->first_unsynced_ns = now;
    }
    if (now - j->first_unsynced_ns >= SYNC_NS) {
        return rt_journal_sync(j);
    }
    return j->pending.len >= FLUSH_BYTES ? flush(j) : MT_OK;
}

mt_err rt_journal_sync(rt_journal *j)
{
    mt_err err = flush(j);
    if (!err && fdatasync(j->fd) != 0 && errno != EINVAL) {
        err = MT_E_IO; /* EINVAL: a pipe or terminal, which has no disk */
    }
    j->unsynced = false;
    return err;
}

mt_err rt_journal_idle(rt_journal *j)
{
    return j && j->unsynced ? rt_journal_sync(j) : MT_OK;
}

mt_err rt_journal_close(rt_journal *j)
{
    if (!j) {
        return MT_OK;
    }
    mt_err err = rt_journal_sync(j);
    int why = errno;
    if (close(j->fd) != 0 && !err) {
        err = MT_E_IO;
        why = errno;
    }
    mt_buf_free(&j->pending);
    free(j);
    errno = why;
    return err;
}
