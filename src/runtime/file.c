#include "runtime/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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

mt_err rt_read_open(mt_arena *a, int fd, size_t limit, mt_str *out)
{
    struct stat st;
    if (fstat(fd, &st) != 0) {
        return MT_E_IO;
    }
    return read_all(a, fd, st.st_size > 0 ? (size_t)st.st_size : 0, limit, out);
}

mt_err rt_read_file(mt_arena *a, const char *path, size_t limit, mt_str *out)
{
    if (strcmp(path, "-") == 0) {
        return read_all(a, STDIN_FILENO, 4096, limit, out);
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return from_errno();
    }
    mt_err err = rt_read_open(a, fd, limit, out);
    int why = errno;
    close(fd);
    errno = why;
    return err;
}

mt_err rt_write_all(int fd, mt_str bytes)
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

mt_err rt_write_file(const char *path, mt_str bytes, unsigned mode)
{
    char temp[4096];
    if (snprintf(temp, sizeof temp, "%s.tmp-XXXXXX", path) >= (int)sizeof temp) {
        errno = ENAMETOOLONG;
        return MT_E_IO;
    }
    int fd = mkostemp(temp, O_CLOEXEC);
    if (fd < 0) {
        return from_errno();
    }
    bool ok =
        !rt_write_all(fd, bytes) && fchmod(fd, (mode_t)mode) == 0 && fsync(fd) == 0;
    int why = errno;
    ok = (close(fd) == 0) && ok;
    if (!ok || rename(temp, path) != 0) {
        why = ok ? errno : why;
        unlink(temp);
        errno = why;
        return MT_E_IO;
    }
    return MT_OK;
}
