#include "os/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/file.h"

/* "No such file or directory (os error 2)". */
static mt_str os_words(mt_arena *a, int error)
{
    const char *words = strerrordesc_np(error);
    return mt_strf(a, "%s (os error %d)", words ? words : "Unknown error", error);
}

static mt_err refuse(mt_arena *a, int error, mt_str *why)
{
    *why = os_words(a, error);
    return error == ENOENT || error == ENOTDIR || error == ELOOP ? MT_E_NOTFOUND
                                                                 : MT_E_IO;
}

static mt_err failed(os_sources *sources, mt_arena *a, int error, mt_str *why)
{
    sources->failure = refuse(a, error, why);
    return sources->failure;
}

/* The id is the real path: the same file by two names is one file. A NUL in a path
 * would be another path to the system. */
static mt_err find(void *state, mt_arena *a, mt_str dir, mt_str path, mt_str *id,
                   mt_str *why)
{
    os_sources *sources = state;
    if (sources->standard_input.ptr && !dir.len && mt_str_is(path, OS_STDIN_NAME)) {
        path = MT_STR(".");
    }
    if (memchr(path.ptr ? path.ptr : "", '\0', path.len)) {
        return refuse(a, ENOENT, why);
    }
    bool joined = dir.len && !mt_str_starts(path, MT_STR("/"));
    mt_str full = joined ? mt_strf(a, "%.*s/%.*s", MT_ARG(dir), MT_ARG(path))
                         : mt_str_dup(a, path);
    char real[PATH_MAX];
    if (!realpath(full.ptr, real)) {
        return errno == EIO || errno == ENOMEM ? failed(sources, a, errno, why)
                                               : refuse(a, errno, why);
    }
    bool is_input = sources->standard_input.ptr && mt_str_is(path, ".");
    *id = is_input ? mt_strf(a, "%s/" OS_STDIN_NAME, real)
                   : mt_str_dup(a, mt_str_z(real));
    return MT_OK;
}

/* Opens without following any link: the id was real when it was found. */
static int open_real(const char *path)
{
    /* NONBLOCK: opening a FIFO must not wait for a writer. */
    struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK,
                           .resolve = RESOLVE_NO_SYMLINKS};
    long fd = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
    if (fd < 0 && (errno == ENOSYS || errno == EPERM)) {
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    }
    return (int)fd;
}

/* 0, or the errno that refuses the file. */
static int check_regular(int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0) {
        return errno;
    }
    if (S_ISDIR(st.st_mode)) {
        return EISDIR;
    }
    return S_ISREG(st.st_mode) ? 0 : EINVAL;
}

static mt_err over_limit(mt_arena *a, size_t limit, bool total, mt_str *why)
{
    *why = mt_strf(a, "more than %zu bytes%s (limit %s)", limit,
                   total ? " left for all sources" : "",
                   total ? "source_total_bytes" : "source_bytes");
    return MT_E_LIMIT;
}

/* Opened without following links, checked to be a plain file, read up to what is left
 * of both limits. */
static mt_err read_text(void *state, mt_arena *a, mt_str id, size_t limit, mt_str *text,
                        mt_str *why)
{
    os_sources *sources = state;
    if (sources->standard_input.ptr && mt_str_ends(id, MT_STR("/" OS_STDIN_NAME))) {
        *text = sources->standard_input;
        return text->len > limit ? over_limit(a, limit, false, why) : MT_OK;
    }
    bool total = limit > sources->bytes_left;
    size_t most = total ? sources->bytes_left : limit;
    int fd = open_real(mt_str_dup(a, id).ptr);
    if (fd < 0) {
        return failed(sources, a, errno, why);
    }
    int error = check_regular(fd);
    if (error) {
        close(fd);
        return failed(sources, a, error, why);
    }
    mt_err err = os_read_open(a, fd, most, text);
    error = errno;
    close(fd);
    if (err == MT_E_LIMIT) {
        return over_limit(a, most, total, why);
    }
    if (err) {
        return failed(sources, a, error, why);
    }
    sources->bytes_left -= text->len;
    return MT_OK;
}

mt_provider os_sources_provider(os_sources *sources, const mt_limits *limits)
{
    sources->bytes_left = (limits ? limits : &MT_LIMITS_DEFAULT)->source_total_bytes;
    return (mt_provider){.state = sources, .find = find, .read = read_text};
}
