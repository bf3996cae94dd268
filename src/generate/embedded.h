/* generate/embedded.h - texts that amalgamate.py embeds.
 * Room: generate, private to it. Made while building, from runtime.c and the *.in files
 * beside it; what is defined here is in no file of this directory. */
#ifndef GN_EMBEDDED_H
#define GN_EMBEDDED_H

#include <stdbool.h>
#include <stddef.h>

/* A part of the runtime; one that acts is left out where a contract only decides. */
typedef struct gn_part {
    const char *text;
    size_t len;
    bool acts;
} gn_part;

extern const gn_part GN_RUNTIME[];
extern const size_t GN_RUNTIME_PARTS;

/* Templates: `@p@` stands for the prefix, `@P@` for the same in capitals. */
extern const char GN_C_TYPES_H[], GN_C_API_H[], GN_C_ACT_H[], GN_C_API_C[],
    GN_C_ACT_C[];
/* The same for every contract. */
extern const char GN_CLIENT_TS[], GN_HEAD_PY[], GN_CLIENT_PY[], GN_HEAD_GO[],
    GN_CLIENT_GO[];

#endif
