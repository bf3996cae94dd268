/* os/file.c - reading whole files, and writing them so that nobody sees half of one.
 *
 * Reading: up to a limit, into an arena, followed by a NUL; "-" is standard input. The
 * size that the system states is a hint only: files grow, shrink and are pipes.
 *
 * Writing: into a temporary file beside the target, in pieces; then mode, fsync,
 * close, and only then the name, by rename() or, where nothing may be replaced, by
 * link(). Last the directory is synced, so the name survives a crash as well. Whatever
 * fails, the temporary file goes and the old one stays.
 *
 * What may fail: MT_E_NOTFOUND, MT_E_LIMIT or MT_E_IO, with errno kept for the
 * caller's message through all the closing. os_new_file_end() must be called once for
 * every os_new_file_begin(), whatever happened between; it gets the fault so far and
 * passes it on. */
#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "os/clock.h"

enum { LOCK_MS = 500, LOCK_STEP_MS = 5 };

static mt_err from_errno(void)
{
    return errno == ENOENT || errno == ENOTDIR ? MT_E_NOTFOUND : MT_E_IO;
}

/* Reads until the end, straight into the arena: size is only a hint, files grow, shrink
 * and are pipes. */
static mt_err read_all(mt_arena *a, int fd, size_t hint, size_t limit, mt_str *out)
{
    size_t cap = (hint < limit ? hint : limit) + 1; /* one more, to see the end */
    size_t len = 0;
    cap = cap < 4096 ? 4096 : cap;
    char *text = mt_alloc(a, cap + 1);
    for (;;) {
        if (len == cap) {
            char *wider = mt_alloc(a, 2 * cap + 1);
            memcpy(wider, text, len);
            text = wider;
            cap *= 2;
        }
        ssize_t got = read(fd, text + len, cap - len);
        if (got < 0 && errno != EINTR) {
            return MT_E_IO;
        }
        if (got == 0) {
            text[len] = '\0';
            *out = mt_str_from(text, len);
            return MT_OK;
        }
        len += got > 0 ? (size_t)got : 0;
        if (len > limit) {
            errno = 0;
            return MT_E_LIMIT;
        }
    }
}

mt_err os_read_open(mt_arena *a, int fd, size_t limit, mt_str *out)
{
    struct stat st;
    if (fstat(fd, &st) != 0) {
        return MT_E_IO;
    }
    return read_all(a, fd, st.st_size > 0 ? (size_t)st.st_size : 0, limit, out);
}

/* Only opening must not wait: once somebody writes, all of it is read. */
int os_open_ready(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0) {
        (void)fcntl(fd, F_SETFL, 0);
    }
    return fd;
}

static mt_err read_from(mt_arena *a, int fd, size_t limit, mt_str *out)
{
    if (fd < 0) {
        return from_errno();
    }
    mt_err err = os_read_open(a, fd, limit, out);
    int why = errno;
    close(fd);
    errno = why;
    return err;
}

mt_err os_read_file(mt_arena *a, const char *path, size_t limit, mt_str *out)
{
    return strcmp(path, "-") == 0
               ? read_all(a, STDIN_FILENO, 4096, limit, out)
               : read_from(a, open(path, O_RDONLY | O_CLOEXEC), limit, out);
}

mt_err os_read_ready(mt_arena *a, const char *path, size_t limit, mt_str *out)
{
    return read_from(a, os_open_ready(path), limit, out);
}

mt_err os_write_all(int fd, mt_str bytes)
{
    while (bytes.len) {
        ssize_t put = write(fd, bytes.ptr, bytes.len);
        if (put < 0 && errno != EINTR) {
            return MT_E_IO;
        }
        bytes = mt_str_skip(bytes, put > 0 ? (size_t)put : 0);
    }
    return MT_OK;
}

/* ---- New files ---- */

enum { PIECE = 1 << 18 };

mt_err os_new_file_begin(os_new_file *f, const char *path, unsigned mode)
{
    *f = (os_new_file){.path = path, .fd = -1, .mode = mode};
    if (snprintf(f->temp, sizeof f->temp, "%s.tmp-XXXXXX", path) >=
        (int)sizeof f->temp) {
        errno = ENAMETOOLONG;
        return MT_E_IO;
    }
    f->fd = mkostemp(f->temp, O_CLOEXEC);
    return f->fd < 0 ? from_errno() : MT_OK;
}

/* What waits is written; the buffer keeps its memory. */
static mt_err flush(os_new_file *f)
{
    mt_err err = os_write_all(f->fd, mt_buf_str(&f->waiting));
    mt_buf_clear(&f->waiting);
    return err;
}

mt_err os_new_file_add(os_new_file *f, mt_str bytes)
{
    if (f->waiting.len + bytes.len < PIECE) {
        mt_buf_adds(&f->waiting, bytes);
        return MT_OK;
    }
    mt_err err = flush(f);
    return err ? err : os_write_all(f->fd, bytes);
}

bool os_lock(int fd)
{
    const struct timespec step = {.tv_nsec = LOCK_STEP_MS * 1000000};
    int64_t end = os_now_ms() + LOCK_MS;
    int got = flock(fd, LOCK_EX | LOCK_NB);
    while (got != 0 && (errno == EWOULDBLOCK || errno == EINTR) && os_now_ms() < end) {
        nanosleep(&step, NULL);
        got = flock(fd, LOCK_EX | LOCK_NB);
    }
    return got == 0;
}

void os_sync_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) : 0;
    char *directory = mt_xmalloc(len + 2);
    memcpy(directory, path, len);
    memcpy(directory + len, len ? "" : slash ? "/" : ".", len ? 1 : 2);
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
    free(directory);
}

/* link() instead of rename(): what is there is never replaced. */
static mt_err put_in_place(const os_new_file *f, bool replace)
{
    if (replace) {
        return rename(f->temp, f->path) == 0 ? MT_OK : MT_E_IO;
    }
    if (link(f->temp, f->path) != 0) {
        return MT_E_IO;
    }
    unlink(f->temp);
    return MT_OK;
}

mt_err os_new_file_end(os_new_file *f, mt_err err, bool replace)
{
    int why = errno;
    if (f->fd >= 0) {
        err = err ? err : flush(f);
        err = !err && (fchmod(f->fd, (mode_t)f->mode) || fsync(f->fd)) ? MT_E_IO : err;
        why = errno;
        if (close(f->fd) != 0 && !err) {
            err = MT_E_IO;
            why = errno;
        }
        if (!err && (err = put_in_place(f, replace))) {
            why = errno;
        }
        if (err) {
            unlink(f->temp);
        } else {
            os_sync_name(f->path);
        }
    }
    mt_buf_free(&f->waiting);
    errno = why;
    return err;
}

mt_err os_write_file(const char *path, mt_str bytes, unsigned mode)
{
    os_new_file f;
    mt_err err = os_new_file_begin(&f, path, mode);
    err = err ? err : os_new_file_add(&f, bytes);
    return os_new_file_end(&f, err, true);
}

mt_err os_disk_free(const char *directory, uint64_t *bytes)
{
    struct statvfs disk;
    if (statvfs(directory, &disk) != 0) {
        return MT_E_IO;
    }
    *bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
    return MT_OK;
}

/* Backwards, a block at a time. */
mt_err os_cut_torn_line(int fd)
{
    enum { BLOCK = 4096, LINE_MOST = 64 << 20 };
    char bytes[BLOCK];
    off_t end = lseek(fd, 0, SEEK_END), at = end;
    if (end < 0) {
        return MT_E_IO;
    }
    while (at > 0 && end - at <= LINE_MOST) {
        size_t size = at < BLOCK ? (size_t)at : BLOCK;
        if (pread(fd, bytes, size, at - (off_t)size) != (ssize_t)size) {
            return MT_E_IO;
        }
        for (size_t i = size; i > 0; i--, at--) {
            if (bytes[i - 1] == '\n') {
                return at == end || ftruncate(fd, at) == 0 ? MT_OK : MT_E_IO;
            }
        }
    }
    return at > 0 || end == 0 || ftruncate(fd, 0) == 0 ? MT_OK : MT_E_IO;
}

/* One write for one line: others may append meanwhile. */
mt_err os_append_line(const char *path, mt_str line)
{
    int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    mt_err err = fd < 0 ? MT_E_IO : os_cut_torn_line(fd);
    err = err ? err : os_write_all(fd, line);
    err = err || fdatasync(fd) == 0 ? err : MT_E_IO;
    int why = errno;
    if (fd >= 0) {
        close(fd);
    }
    os_sync_name(path);
    errno = why;
    return err;
}
