/* elaborate_fixture.h - elaborates texts in memory, for tests. */
#ifndef ELABORATE_FIXTURE_H
#define ELABORATE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "contract/elaborate.h"

typedef struct elaborated {
    mt_arena arena;
    mt_diags ds;
    const ct_elaboration *e;
    mt_err err;
} elaborated;

static inline elaborated elaborate_files(const mt_memory_file *files, size_t count,
                                         bool strict)
{
    elaborated r = {0};
    mt_memory memory = {files, count};
    mt_provider provider = mt_memory_provider(&memory);
    ct_options options = {.strict = strict};
    static mt_arena arena; /* one at a time; released by done() */
    r.ds.arena = &arena;
    r.err = ct_elaborate(&arena, files[0].path, &provider, &options, &r.ds, &r.e);
    r.arena = arena;
    return r;
}

static inline elaborated elaborate_text(const char *text, bool strict)
{
    mt_memory_file file = {MT_STR("t.tenor"), mt_str_z(text)};
    return elaborate_files(&file, 1, strict);
}

static inline void done(elaborated *r)
{
    mt_arena_reset(r->ds.arena);
}

/* The first error as the conformance suite has it. */
static inline const mt_diag *suite_error(const elaborated *r)
{
    const mt_diag *d = ct_first_error(&r->ds);
    assert_non_null(d);
    return d->suite ? d->suite : d;
}

static inline const char *first_code(const elaborated *r)
{
    const mt_diag *d = ct_first_error(&r->ds);
    return d ? d->code : "none";
}

static inline bool has_code(const elaborated *r, const char *code)
{
    for (size_t i = 0; i < r->ds.len; i++) {
        if (strcmp(r->ds.items[i].code, code) == 0) {
            return true;
        }
    }
    return false;
}

#endif
