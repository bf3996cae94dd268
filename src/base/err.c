#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const TEXTS[MT_ERR_COUNT] = {[MT_OK] = "ok",
#define MT_ERR_TEXT(name, text) [MT_E_##name] = text,
                                                MT_ERR_MAP(MT_ERR_TEXT)
#undef MT_ERR_TEXT
};

/* clang-format off */
static const char *const NAMES[MT_ERR_COUNT] = {
    [MT_OK] = "ok",
    [MT_E_REJECTED] = "rejected", [MT_E_LIMIT] = "limit",
    [MT_E_SYNTAX] = "syntax",     [MT_E_TYPE] = "type",
    [MT_E_RANGE] = "range",       [MT_E_OVERFLOW] = "overflow",
    [MT_E_VERSION] = "version",   [MT_E_NOTFOUND] = "not_found",
    [MT_E_EXISTS] = "exists",     [MT_E_CONFLICT] = "conflict",
    [MT_E_DENIED] = "denied",     [MT_E_BUSY] = "busy",
    [MT_E_TIMEOUT] = "timeout",   [MT_E_IO] = "io",
    [MT_E_CLOSED] = "closed",     [MT_E_CORRUPT] = "corrupt",
    [MT_E_USAGE] = "usage",
};
/* clang-format on */

const char *mt_err_name(mt_err err)
{
    return (unsigned)err < MT_ERR_COUNT ? NAMES[err] : "unknown";
}

const char *mt_err_text(mt_err err)
{
    return (unsigned)err < MT_ERR_COUNT ? TEXTS[err] : "unknown error";
}

_Noreturn void mt_bug_at(const char *file, int line, const char *what)
{
    fprintf(stderr, "motet: bug at %s:%d: %s\n", file, line, what);
    abort();
}
