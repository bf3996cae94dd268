#include "os/secret.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "os/file.h"

enum { MOST_BYTES = 16 * 1024 };

const char *os_secret_exposed(const char *path)
{
    struct stat about;
    bool exposed =
        stat(path, &about) == 0 && (about.st_mode & (S_IROTH | S_IWOTH | S_IWGRP));
    return exposed ? "can be read or changed by others: chmod 600" : NULL;
}

/* A file that others may read is not a secret any more. */
static const char *from_file(mt_arena *a, const char *path, mt_str *out)
{
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) {
        return "cannot be read";
    }
    if (os_secret_exposed(path)) {
        return os_secret_exposed(path);
    }
    if (os_read_file(a, path, MOST_BYTES, out)) {
        return "cannot be read or is too long";
    }
    while (out->len && strchr("\r\n", out->ptr[out->len - 1])) {
        out->len--;
    }
    return NULL;
}

static const char *from_environment(mt_arena *a, const char *name, mt_str *out)
{
    const char *value = getenv(name);
    *out = value ? mt_str_dup(a, mt_str_z(value)) : (mt_str){0};
    return value ? NULL : "is not set";
}

static bool is_clean(mt_str value)
{
    for (size_t i = 0; i < value.len; i++) {
        if ((unsigned char)value.ptr[i] < 0x20 || value.ptr[i] == 0x7f) {
            return false;
        }
    }
    return value.len > 0;
}

const char *os_secret_read(mt_arena *a, const char *variable, const char *file,
                           mt_str *out)
{
    const char *why =
        variable ? from_environment(a, variable, out) : from_file(a, file, out);
    return why || is_clean(*out) ? why : "is empty or has control characters";
}
