/* os/folder.h - files below one folder, and nothing outside it.
 * Room: os. For whoever opens a folder to somebody else (a page): names are relative,
 * no part of them begins with a dot, and no link is followed on the way, so what is
 * read and written is below the folder whatever a name says and whoever moves
 * directories meanwhile. What is written is there whole or not at all, and keeps its
 * mode.
 * Threads: any; a folder is only read. Ownership: texts and names live in the arena. */
#ifndef OS_FOLDER_H
#define OS_FOLDER_H

#include "base/str.h"

enum {
    OS_FOLDER_NAME_BYTES = 512,
    OS_FOLDER_DEPTH = 16,      /* folders inside folders */
    OS_FOLDER_ENTRIES = 50000, /* looked at while listing */
};

typedef struct os_folder {
    int fd;
    mt_str path; /* real, with a NUL; in the arena it was opened with */
} os_folder;

/* MT_E_NOTFOUND, MT_E_IO: errno says why. */
mt_err os_folder_open(mt_arena *a, const char *path, os_folder *out);
void os_folder_close(os_folder *f);

/* What is wrong with a name of a file in it, to stand behind the name; NULL: nothing.
 */
const char *os_folder_name_fault(mt_str name);

/* A name that would be wanted, and has a fault. */
typedef struct os_folder_odd {
    mt_str shown; /* as text: \xHH for a byte that is none */
    const char *fault;
} os_folder_odd;

typedef struct os_folder_names {
    const mt_str *items; /* sorted by their bytes; each followed by a NUL */
    size_t count;
    const os_folder_odd *odd; /* likewise at most as many as were wanted */
    size_t odd_count;
    bool cut; /* there are more than OS_FOLDER_ENTRIES, or more than were wanted */
} os_folder_names;

/* The names of files, links included, that end in one of `suffixes` (which ends with
 * NULL), at most `most`. Folders that begin with a dot and `node_modules` are left out.
 * MT_E_IO: errno says why. */
mt_err os_folder_list(const os_folder *f, mt_arena *a, const char *const *suffixes,
                      size_t most, os_folder_names *out);

/* The text of a regular file. MT_E_USAGE: the name; MT_E_NOTFOUND; MT_E_LIMIT: more
 * than `limit` bytes; MT_E_DENIED: it is a link, or something else than a file; MT_E_IO
 * with errno. */
mt_err os_folder_read(const os_folder *f, mt_arena *a, mt_str name, size_t limit,
                      mt_str *text);

/* One state of a file, told without reading it. */
typedef struct os_file_mark {
    uint64_t device, inode, size;
    int64_t changed_ns, modified_ns;
} os_file_mark;

/* The mark of a regular file, as it is now; fails as reading does. */
mt_err os_folder_look(const os_folder *f, mt_str name, os_file_mark *out);
/* Is the file's last change so long ago that the next one will leave another mark,
 * however coarse the times of the file system are? Then what is read from now on goes
 * with this mark. */
bool os_file_mark_is_settled(const os_file_mark *mark);
bool os_file_mark_eq(const os_file_mark *a, const os_file_mark *b);

/* Writes beside it, syncs, and puts it in its place; what a write that was killed left
 * there more than ten minutes ago is removed. `is_new`: never over a file that
 * is there (MT_E_EXISTS); else only over one that is (MT_E_NOTFOUND), and which may be
 * written (MT_E_IO, EACCES). MT_E_USAGE, MT_E_DENIED as above. */
mt_err os_folder_write(const os_folder *f, mt_str name, mt_str text, bool is_new);

#endif
