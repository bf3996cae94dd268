/* os/file.h - whole files in and out.
 * Room: os. The engines never open a file; hosts do it here. */
#ifndef OS_FILE_H
#define OS_FILE_H

#include "base/str.h"

/* Reads a whole file ("-": standard input) into the arena; the text is followed by a
 * NUL. MT_E_NOTFOUND, MT_E_IO, or MT_E_LIMIT when it has more than `limit` bytes. On
 * failure errno says why (0 for a limit). */
mt_err os_read_file(mt_arena *a, const char *path, size_t limit, mt_str *out);

/* The same of a file that must be there already: a pipe that nobody writes to is empty,
 * and is not waited for. For what a server reads while it serves, and for whoever looks
 * after it. */
mt_err os_read_ready(mt_arena *a, const char *path, size_t limit, mt_str *out);
/* Opens such a file; negative: errno says why. */
int os_open_ready(const char *path);

/* The same from an open descriptor, which stays open. */
mt_err os_read_open(mt_arena *a, int fd, size_t limit, mt_str *out);

/* Writes a new file beside `path`, syncs it and renames it into place: readers see the
 * old bytes or the new ones, never half. `mode` as in open(2). */
mt_err os_write_file(const char *path, mt_str bytes, unsigned mode);

/* The same piece by piece, for what is too large to be held:
 *     os_new_file f;
 *     mt_err err = os_new_file_begin(&f, path, 0644);
 *     err = err ? err : os_new_file_add(&f, bytes);   // as often as needed
 *     err = os_new_file_end(&f, err, true);
 * Ending it with an error takes away what there is of it and gives the error back. With
 * `replace` false a file that is there stays, MT_E_IO and EEXIST. On failure errno says
 * why. */
typedef struct os_new_file {
    const char *path; /* borrowed */
    char temp[4096];  /* where it is until its end */
    int fd;
    unsigned mode;
    mt_buf waiting; /* not yet written */
} os_new_file;

/* A temporary file beside `path`; nobody sees it until it is complete. */
mt_err os_new_file_begin(os_new_file *f, const char *path, unsigned mode);
mt_err os_new_file_add(os_new_file *f, mt_str bytes);
/* Passes `err` on; without one the file gets its name, else it goes. `replace` false:
 * never over a file that is there. */
mt_err os_new_file_end(os_new_file *f, mt_err err, bool replace);

/* A new name outlives a crash once its directory is on disk, too. Not every file system
 * can do it; then the name is as safe as it gets. */
void os_sync_name(const char *path);

/* Bytes that may still be written where the directory is. MT_E_IO with errno. */
mt_err os_disk_free(const char *directory, uint64_t *bytes);

/* Locks a whole file for this process (flock). False: another one has it, or errno says
 * why not. Waits a moment for one that was killed: a child that it had just forked
 * holds the lock until the child is killed, too, or has become another program. */
bool os_lock(int fd);

/* Takes away what follows the last newline of a file of lines that is open for reading
 * and writing: a crash has torn it. Lines are shorter than 64 MiB. MT_E_IO with errno.
 */
mt_err os_cut_torn_line(int fd);

/* A line, newline included, at the end of a file of lines, which is made (mode 0600) if
 * it is not there; a torn line before it is taken away. MT_OK: it is on disk, and so is
 * the file's name. MT_E_IO with errno. */
mt_err os_append_line(const char *path, mt_str line);

/* Writes all bytes to a descriptor; MT_E_IO with errno. */
mt_err os_write_all(int fd, mt_str bytes);

#endif
