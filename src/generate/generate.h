/* generate/generate.h - a contract as code of other languages.
 * Room: generate. May include base/, lang/ and contract/ only.
 * Output is stable: the same contract gives the same bytes, whatever the machine, and
 * names the etag it was made from. Ownership: texts live in the arena given. */
#ifndef GN_GENERATE_H
#define GN_GENERATE_H

#include "base/diag.h"
#include "contract/wire/model.h"

typedef struct gn_input {
    const ct_model *model;
    mt_str etag;
    mt_str prefix; /* what files and names begin with; a name of the language */
} gn_input;

typedef struct gn_file {
    mt_str name, text;
} gn_file;

enum { GN_MOST_FILES = 2 };

typedef struct gn_target {
    const char *name, *what;
    /* Writes the files and gives their number; 0: `ds` says why not. */
    size_t (*generate)(mt_arena *a, const gn_input *in, mt_diags *ds, gn_file *files);
} gn_target;

extern const gn_target GN_TARGETS[];
extern const size_t GN_TARGET_COUNT;

/* The contract's id as a prefix: letters, digits and underscores. */
mt_str gn_prefix_of(mt_arena *a, mt_str id);
/* May a prefix be this? */
bool gn_is_prefix(mt_str prefix);

#endif
