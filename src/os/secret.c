/* os/secret.c - see secret.h. Room: os. */
#include "os/secret.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "os/file.h"

enum { MOST_BYTES = 16 * 1024 };

bool os_is_open_to_others(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 &&
           (about.st_mode & (S_IROTH | S_IWOTH | S_IWGRP)) != 0;
}

/* Nothing that would end a header line or a C string. */
static bool is_clean(mt_str value, const char **why)
{
    *why = "is empty or has control characters";
    for (size_t i = 0; i < value.len; i++) {
        if ((unsigned char)value.ptr[i] < 0x20 || value.ptr[i] == 0x7f) {
            return false;
        }
    }
    return value.len > 0;
}

bool os_secret_file(mt_arena *a, const char *path, mt_str *out, const char **why)
{
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) {
        *why = "cannot be read";
        return false;
    }
    if (os_is_open_to_others(path)) {
        *why = "can be read or changed by others: chmod 600";
        return false;
    }
    *why = "cannot be read or is too long";
    if (os_read_file(a, path, MOST_BYTES, out)) {
        return false;
    }
    while (out->len && strchr("\r\n", out->ptr[out->len - 1])) {
        out->len--;
    }
    return is_clean(*out, why);
}

bool os_secret_variable(mt_arena *a, const char *name, mt_str *out, const char **why)
{
    const char *value = getenv(name);
    *why = "is not set";
    *out = value ? mt_str_dup(a, mt_str_z(value)) : (mt_str){0};
    return value && is_clean(*out, why);
}
