/* os/folder.c - files below one folder: listed, read, written.
 *
 * A name is taken apart here and each part is opened in the descriptor of the one
 * before, without following links: there is no moment at which a path is resolved as a
 * whole, so neither `..` nor a link nor a directory that is moved leads outside.
 *
 * Writing: a new file beside the old one, with a name that begins with a dot (which is
 * never listed), owner and mode of the old one, synced; then it takes the name, and
 * the directory is synced. Killed in between it leaves that file and nothing else; the
 * next write in the same directory removes it once it is STALE.
 *
 * What may fail: see folder.h; errno is kept for the caller. */
#include "os/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "base/vec.h"
#include "os/clock.h"
#include "os/file.h"

enum { INSIDE = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

mt_err os_folder_open(mt_arena *a, const char *path, os_folder *out)
{
    char real[PATH_MAX];
    *out = (os_folder){.fd = -1};
    if (!realpath(path, real)) {
        return errno == ENOENT ? MT_E_NOTFOUND : MT_E_IO;
    }
    out->fd = open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    out->path = mt_str_dup(a, mt_str_z(real));
    return out->fd < 0 ? MT_E_IO : MT_OK;
}

void os_folder_close(os_folder *f)
{
    if (f->fd >= 0) {
        close(f->fd);
        f->fd = -1;
    }
}

/* ---- Names ---- */

static bool has_control(mt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7f) {
            return true;
        }
    }
    return false;
}

const char *os_folder_name_fault(mt_str name)
{
    size_t parts = 0;
    if (!name.len || name.len > OS_FOLDER_NAME_BYTES) {
        return "is not a name of 1 to 512 bytes";
    }
    if (name.ptr[0] == '/') {
        return "begins with a slash: names are relative to the folder";
    }
    if (mt_utf8_check(name) != name.len || has_control(name)) {
        return "has characters that are not text";
    }
    for (mt_str rest = name; rest.len;) {
        size_t end = mt_str_find(rest, '/');
        if (end == 0 || rest.ptr[0] == '.') {
            return "has a part that is empty or begins with a dot";
        }
        if (++parts > OS_FOLDER_DEPTH) {
            return "leads through too many folders";
        }
        rest = mt_str_skip(rest, end + 1);
    }
    return name.ptr[name.len - 1] == '/' ? "ends with a slash" : NULL;
}

/* Opens the directory that the file is in; *last is the file's own name in it. The name
 * has no fault. */
static int open_parent(const os_folder *f, mt_str name, char last[NAME_MAX + 1])
{
    int at = dup(f->fd);
    for (mt_str rest = name; at >= 0;) {
        size_t end = mt_str_find(rest, '/');
        if (end > NAME_MAX) {
            close(at);
            errno = ENAMETOOLONG;
            return -1;
        }
        memcpy(last, rest.ptr, end);
        last[end] = '\0';
        if (end == rest.len) {
            return at;
        }
        int next = openat(at, last, INSIDE), why = errno;
        close(at);
        errno = why;
        at = next;
        rest = mt_str_skip(rest, end + 1);
    }
    return -1;
}

/* A part of the way that is a link, or no directory, is refused like a link at its end.
 */
static mt_err world(int why)
{
    return why == ENOENT                    ? MT_E_NOTFOUND
           : why == ELOOP || why == ENOTDIR ? MT_E_DENIED
                                            : MT_E_IO;
}

/* ---- Listing ---- */

typedef struct listing {
    mt_arena *arena;
    const char *const *suffixes;
    size_t most, seen;
    MT_VEC(mt_str) names;
    MT_VEC(os_folder_odd) odd;
    bool cut;
} listing;

static bool is_wanted(const listing *l, mt_str name)
{
    for (const char *const *s = l->suffixes; *s; s++) {
        if (mt_str_ends(name, mt_str_z(*s))) {
            return true;
        }
    }
    return false;
}

static mt_str as_text(mt_arena *a, mt_str name)
{
    mt_buf out = {0};
    bool is_text = mt_utf8_check(name) == name.len;
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i];
        bool plain = c >= 0x20 && c != 0x7f && (c < 0x80 || is_text);
        mt_buf_addf(&out, plain ? "%c" : "\\x%02x", c);
    }
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

static void take_name(listing *l, mt_str name)
{
    const char *fault = os_folder_name_fault(name);
    if ((fault ? l->odd.len : l->names.len) == l->most) {
        l->cut = true;
    } else if (fault) {
        mt_vec_push(l->arena, &l->odd,
                    ((os_folder_odd){as_text(l->arena, name), fault}));
    } else {
        mt_vec_push(l->arena, &l->names, name);
    }
}

static void list_inside(listing *l, int fd, mt_str before, unsigned depth);

/* What a directory entry is has to be asked where the file system does not say. */
static void list_entry(listing *l, int fd, const struct dirent *e, mt_str before,
                       unsigned depth)
{
    struct stat st;
    if (fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        return; /* gone meanwhile */
    }
    mt_str name = mt_strf(l->arena, "%.*s%s", MT_ARG(before), e->d_name);
    if (S_ISDIR(st.st_mode) && strcmp(e->d_name, "node_modules") != 0 &&
        depth < OS_FOLDER_DEPTH) {
        int inside = openat(fd, e->d_name, INSIDE);
        list_inside(l, inside, mt_strf(l->arena, "%.*s/", MT_ARG(name)), depth + 1);
    } else if ((S_ISREG(st.st_mode) || S_ISLNK(st.st_mode)) && is_wanted(l, name)) {
        take_name(l, name);
    }
}

/* Takes the descriptor; NULL when that is none, or not to be read. */
static DIR *entries_of(int fd)
{
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir && fd >= 0) {
        close(fd);
    }
    return dir;
}

/* Takes the descriptor. A folder that cannot be read has no names for us. */
static void list_inside(listing *l, int fd, mt_str before, unsigned depth)
{
    DIR *dir = entries_of(fd);
    if (!dir) {
        return;
    }
    const struct dirent *e;
    while (!l->cut && (e = readdir(dir))) {
        l->cut = ++l->seen > OS_FOLDER_ENTRIES;
        if (e->d_name[0] != '.' && !l->cut) {
            list_entry(l, dirfd(dir), e, before, depth);
        }
    }
    closedir(dir);
}

mt_err os_folder_list(const os_folder *f, mt_arena *a, const char *const *suffixes,
                      size_t most, os_folder_names *out)
{
    listing l = {.arena = a, .suffixes = suffixes, .most = most};
    int fd = openat(f->fd, ".", INSIDE);
    if (fd < 0) {
        return MT_E_IO;
    }
    list_inside(&l, fd, MT_STR(""), 0);
    mt_str_sort(l.names.items, l.names.len);
    *out = (os_folder_names){.items = l.names.items,
                             .count = l.names.len,
                             .odd = l.odd.items,
                             .odd_count = l.odd.len,
                             .cut = l.cut};
    return MT_OK;
}

/* ---- Reading ---- */

/* Not blocking: a pipe of that name is refused, not waited for. */
static mt_err read_at(int parent, mt_arena *a, const char *name, size_t limit,
                      mt_str *text)
{
    struct stat st;
    int fd =
        openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) {
        return world(errno);
    }
    mt_err err = fstat(fd, &st) != 0          ? MT_E_IO
                 : !S_ISREG(st.st_mode)       ? MT_E_DENIED
                 : (size_t)st.st_size > limit ? MT_E_LIMIT
                                              : os_read_open(a, fd, limit, text);
    int why = errno;
    close(fd);
    errno = why;
    return err;
}

mt_err os_folder_read(const os_folder *f, mt_arena *a, mt_str name, size_t limit,
                      mt_str *text)
{
    char last[NAME_MAX + 1];
    if (os_folder_name_fault(name)) {
        return MT_E_USAGE;
    }
    int parent = open_parent(f, name, last);
    if (parent < 0) {
        return world(errno);
    }
    mt_err err = read_at(parent, a, last, limit, text);
    int why = errno;
    close(parent);
    errno = why;
    return err;
}

/* ---- Marks ---- */

/* The coarsest times in use are those of FAT. */
#define SECOND  INT64_C(1000000000)
#define SETTLED (2 * SECOND)

static int64_t in_ns(struct timespec t)
{
    return (int64_t)t.tv_sec * SECOND + t.tv_nsec;
}

mt_err os_folder_look(const os_folder *f, mt_str name, os_file_mark *out)
{
    char last[NAME_MAX + 1];
    struct stat st;
    if (os_folder_name_fault(name)) {
        return MT_E_USAGE;
    }
    int parent = open_parent(f, name, last);
    if (parent < 0) {
        return world(errno);
    }
    mt_err err = fstatat(parent, last, &st, AT_SYMLINK_NOFOLLOW) != 0 ? world(errno)
                 : !S_ISREG(st.st_mode)                               ? MT_E_DENIED
                                                                      : MT_OK;
    int why = errno;
    close(parent);
    errno = why;
    if (!err) {
        *out = (os_file_mark){.device = (uint64_t)st.st_dev,
                              .inode = (uint64_t)st.st_ino,
                              .size = (uint64_t)st.st_size,
                              .changed_ns = in_ns(st.st_ctim),
                              .modified_ns = in_ns(st.st_mtim)};
    }
    return err;
}

/* By the wall clock, as file systems do. A change in the future is never settled. */
bool os_file_mark_is_settled(const os_file_mark *mark)
{
    return (int64_t)os_clock_ns(CLOCK_REALTIME) - mark->changed_ns > SETTLED;
}

bool os_file_mark_eq(const os_file_mark *a, const os_file_mark *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->changed_ns == b->changed_ns && a->modified_ns == b->modified_ns;
}

/* ---- Writing ---- */

/* May it be written there? `old` is what is there, if something is. */
static mt_err may_write(int parent, const char *name, bool is_new, struct stat *old)
{
    bool there = fstatat(parent, name, old, AT_SYMLINK_NOFOLLOW) == 0;
    if (!there && errno != ENOENT) {
        return MT_E_IO;
    }
    if (is_new || !there) {
        return there ? MT_E_EXISTS : is_new ? MT_OK : MT_E_NOTFOUND;
    }
    if (!S_ISREG(old->st_mode)) {
        return MT_E_DENIED;
    }
    /* The directory would let us replace what its owner made read-only. */
    return faccessat(parent, name, W_OK, 0) == 0 ? MT_OK : MT_E_IO;
}

/* Owner first: changing it may take bits from the mode. Whoever is not allowed to give
 * files away keeps it. */
static mt_err fill(int fd, mt_str text, const struct stat *old)
{
    struct stat own;
    if (old && fstat(fd, &own) == 0 &&
        (own.st_uid != old->st_uid || own.st_gid != old->st_gid)) {
        int ignored = fchown(fd, old->st_uid, old->st_gid);
        (void)ignored;
    }
    if (old && fchmod(fd, old->st_mode & 07777) != 0) {
        return MT_E_IO;
    }
    mt_err err = os_write_all(fd, text);
    return err ? err : fsync(fd) == 0 ? MT_OK : MT_E_IO;
}

/* link() instead of rename() where nothing may be replaced. */
static mt_err put_in_place(int parent, const char *temp, const char *name, bool is_new)
{
    if (!is_new) {
        return renameat(parent, temp, parent, name) == 0 ? MT_OK : MT_E_IO;
    }
    if (linkat(parent, temp, parent, name, 0) != 0) {
        return errno == EEXIST ? MT_E_EXISTS : MT_E_IO;
    }
    unlinkat(parent, temp, 0);
    return MT_OK;
}

#define TEMP_NAME  ".motet-"
#define TEMP_DIGIT "0123456789abcdef"
enum { TEMP_DIGITS = 16 };
/* No write takes so long: what is older was left by somebody who is gone. */
#define STALE (600 * SECOND)

static bool is_temp_name(const char *name)
{
    size_t before = strlen(TEMP_NAME);
    return strncmp(name, TEMP_NAME, before) == 0 &&
           strspn(name + before, TEMP_DIGIT) == TEMP_DIGITS &&
           strlen(name) == before + TEMP_DIGITS;
}

static bool is_left_behind(int parent, const char *name)
{
    struct stat st;
    return is_temp_name(name) && fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
           (int64_t)os_clock_ns(CLOCK_REALTIME) - in_ns(st.st_mtim) > STALE;
}

/* What a write that was killed left in this directory. Whatever fails here, the write
 * itself is done. */
static void clear_up(int parent)
{
    DIR *dir = entries_of(openat(parent, ".", INSIDE));
    if (!dir) {
        return;
    }
    const struct dirent *e;
    for (size_t seen = 0; seen < OS_FOLDER_ENTRIES && (e = readdir(dir)); seen++) {
        if (is_left_behind(parent, e->d_name)) {
            unlinkat(parent, e->d_name, 0);
        }
    }
    closedir(dir);
}

static mt_err write_at(int parent, const char *name, mt_str text, bool is_new)
{
    struct stat old;
    uint64_t random;
    char temp[32];
    mt_err err = may_write(parent, name, is_new, &old);
    if (err) {
        return err;
    }
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random) {
        return MT_E_IO;
    }
    snprintf(temp, sizeof temp, TEMP_NAME "%016llx", (unsigned long long)random);
    /* What the old one hides, the new one does not show for a moment either. */
    int fd = openat(parent, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                    is_new ? 0666 : 0600);
    if (fd < 0) {
        return MT_E_IO;
    }
    err = fill(fd, text, is_new ? NULL : &old);
    int why = errno;
    if (close(fd) != 0 && !err) {
        err = MT_E_IO;
        why = errno;
    }
    if (!err && (err = put_in_place(parent, temp, name, is_new))) {
        why = errno;
    }
    if (err) {
        unlinkat(parent, temp, 0);
    } else {
        clear_up(parent);
        (void)fsync(parent); /* not every file system can */
    }
    errno = why;
    return err;
}

mt_err os_folder_write(const os_folder *f, mt_str name, mt_str text, bool is_new)
{
    char last[NAME_MAX + 1];
    if (os_folder_name_fault(name)) {
        return MT_E_USAGE;
    }
    int parent = open_parent(f, name, last);
    if (parent < 0) {
        return world(errno);
    }
    mt_err err = write_at(parent, last, text, is_new);
    int why = errno;
    close(parent);
    errno = why;
    return err;
}
