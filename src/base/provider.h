/* base/provider.h - where texts come from: files to whoever has some, by path.
 * Room: base. May include base/ only. An interface, so that what reads sources needs to
 * know no file system; here is the one over texts in memory, `os` has the one over
 * files. */
#ifndef MT_BASE_PROVIDER_H
#define MT_BASE_PROVIDER_H

#include "base/err.h"
#include "base/str.h"

/* Where sources come from. A file id is a canonical path: no `.`, `..` or symbolic link
 * in it, two ways to one file give one id. What precedes its last '/' is the directory
 * its own imports are resolved in. */
typedef struct mt_provider {
    void *state;
    /* The id of the file that `path` names when written in directory `dir` (the
     * directory part of an id; empty for the root, whose path the caller gave).
     * MT_E_NOTFOUND or MT_E_IO; *why is then the system's words, as in "No such file or
     * directory (os error 2)". */
    mt_err (*find)(void *state, mt_arena *a, mt_str dir, mt_str path, mt_str *id,
                   mt_str *why);
    /* The whole text. MT_E_IO, MT_E_NOTFOUND (it vanished), MT_E_LIMIT when it has more
     * than `limit` bytes; *why as above. */
    mt_err (*read)(void *state, mt_arena *a, mt_str id, size_t limit, mt_str *text,
                   mt_str *why);
} mt_provider;

/* A provider over texts in memory; paths are joined and normalised as text. */
typedef struct mt_memory_file {
    mt_str path, text;
} mt_memory_file;

typedef struct mt_memory {
    const mt_memory_file *files;
    size_t count;
} mt_memory;

/* Borrows *files. */
mt_provider mt_memory_provider(const mt_memory *files);
/* dir/path without `.` and inner `..`, as text; leading `..` stay. */
mt_str mt_path_join(mt_arena *a, mt_str dir, mt_str path);
/* What precedes the last '/', empty if there is none ("/" for a file in the root). */
mt_str mt_path_dir(mt_str path);

#endif
