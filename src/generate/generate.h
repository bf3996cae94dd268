/* generate/generate.h - a contract as code of other languages.
 * Room: generate. May include base/, lang/ and contract/ only.
 * Output is stable: the same contract gives the same bytes, whatever the machine, and
 * names the etag it was made from. Ownership: texts live in the arena given. */
#ifndef GN_GENERATE_H
#define GN_GENERATE_H

#include "base/diag.h"
#include "contract/wire/model.h"

/* What all targets get. Everything is borrowed for the call. */
typedef struct gn_input {
    const ct_model *model;
    mt_str etag;
    mt_str prefix; /* what files and names begin with; a name of the language */
} gn_input;

typedef struct gn_file {
    mt_str name, text;
} gn_file;

/* Room that the caller has in `files`: no target writes more. */
enum { GN_MOST_FILES = 2 };

/* A language. To add one, write its function, add a
 * row to targets.c, and name it in docs/generate.md. */
typedef struct gn_target {
    const char *name, *what;
    /* Writes the files and gives their number; 0: `ds` says why not. */
    size_t (*generate)(mt_arena *a, const gn_input *in, mt_diags *ds, gn_file *files);
} gn_target;

extern const gn_target GN_TARGETS[];
extern const size_t GN_TARGET_COUNT;

/* The contract's id as a prefix: letters, digits and underscores, never a digit first.
 * It may still be one that a target refuses. */
mt_str gn_prefix_of(mt_arena *a, mt_str id);
/* May a prefix be this? At most 64 bytes, a name of every language here. Asked of what
 * a person gives with --prefix, before it becomes part of the names of files. */
bool gn_is_prefix(mt_str prefix);

#endif
