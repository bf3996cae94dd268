/* runtime/file.h - whole files in and out.
 * Room: runtime. The engines never open a file; hosts do it here. */
#ifndef RT_FILE_H
#define RT_FILE_H

#include "base/str.h"

/* Reads a whole file ("-": standard input) into the arena; the text is followed by a
 * NUL. MT_E_NOTFOUND, MT_E_IO, or MT_E_LIMIT when it has more than `limit` bytes. On
 * failure errno says why (0 for a limit). */
mt_err rt_read_file(mt_arena *a, const char *path, size_t limit, mt_str *out);

/* The same from an open descriptor, which stays open. */
mt_err rt_read_open(mt_arena *a, int fd, size_t limit, mt_str *out);

/* Writes a new file beside `path`, syncs it and renames it into place: readers see the
 * old bytes or the new ones, never half. `mode` as in open(2). */
mt_err rt_write_file(const char *path, mt_str bytes, unsigned mode);

/* Writes all bytes to a descriptor; MT_E_IO with errno. */
mt_err rt_write_all(int fd, mt_str bytes);

#endif
