/* tests/e2e/faults.c - the world that fails at the n-th call. Loaded before the C
 * library (LD_PRELOAD), so that the program under test is the one that is shipped.
 *
 * MOTET_FAULT=CLASS:N fails the n-th call of a class once, CLASS:N+ that one and all
 * that follow; MOTET_FAULT_BOARD names a file in which calls are counted for whoever
 * looks: struct board. Programs that are started by the program are left alone.
 *
 *     memory    malloc, calloc, realloc by the program itself
 *     library   the same by the libraries it uses, except libcrypto
 *     file      open, read, write, fsync, rename, ...; SQLite's, too
 *     short     read and write, which then do half of what was asked: not a fault
 *     socket    socket, connect, accept, send, recv, ...; libpq's, too
 *     process   fork, pipe, threads
 *     database  SQLite: open, prepare, step, exec
 *
 * MOTET_CLOCK=synchronised is what the kernel says of its clock then; any other word:
 * that it is not. */
/* Both names of every call are defined here: none may be another in disguise. */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timex.h>
#include <unistd.h>

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
enum { SQLITE_NOMEM = 7, SQLITE_IOERR = 10 };

#define EXPORT __attribute__((visibility("default")))

typedef enum class {
    MEMORY,
    LIBRARY,
    FILES,
    SHORT,
    SOCKET,
    PROCESS,
    DATABASE,
    CLASSES
} class;
static const char *const NAMES[CLASSES] = {
    [MEMORY] = "memory",    [LIBRARY] = "library", [FILES] = "file",
    [SHORT] = "short",      [SOCKET] = "socket",   [PROCESS] = "process",
    [DATABASE] = "database"};

struct board {
    atomic_uint calls[CLASSES], struck;
    char by[52]; /* the call that failed */
};

static struct board nobody, *board = &nobody;
static class wanted = CLASSES;
static unsigned from;
static bool for_good;
static uintptr_t program_start, program_end;

/* ---- Which call fails ---- */

static bool fails(class c, const char *name)
{
    unsigned n = atomic_fetch_add(&board->calls[c], 1) + 1;
    if (c != wanted || (for_good ? n < from : n != from)) {
        return false;
    }
    if (!atomic_fetch_add(&board->struck, 1)) {
        strncpy(board->by, name, sizeof board->by - 1);
    }
    return true;
}

static bool is_program(void *caller)
{
    return (uintptr_t)caller >= program_start && (uintptr_t)caller < program_end;
}

/* SQLite calls itself, too; what it makes of that is its own affair. */
static bool meant(class c, void *caller)
{
    return c != DATABASE || is_program(caller);
}

static uintptr_t crypto_start, crypto_end;

/* libcrypto crashes by itself when it has no memory to start with. */
static bool is_crypto(void *caller)
{
    return (uintptr_t)caller >= crypto_start && (uintptr_t)caller < crypto_end;
}

static uintptr_t end_of(const struct dl_phdr_info *info)
{
    uintptr_t end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t last = info->dlpi_addr + p->p_vaddr + p->p_memsz;
        end = p->p_type == PT_LOAD && last > end ? last : end;
    }
    return end;
}

static int where_the_program_is(struct dl_phdr_info *info, size_t size, void *state)
{
    (void)size;
    (void)state;
    if (!program_end) { /* the first is the program */
        program_start = info->dlpi_addr;
        program_end = end_of(info);
    } else if (strstr(info->dlpi_name, "libcrypto")) {
        crypto_start = info->dlpi_addr;
        crypto_end = end_of(info);
    }
    return 0;
}

static void read_wish(const char *text)
{
    for (int c = 0; c < CLASSES; c++) {
        size_t n = strlen(NAMES[c]);
        if (!strncmp(text, NAMES[c], n) && text[n] == ':') {
            from = (unsigned)strtoul(text + n + 1, NULL, 10);
            for_good = strchr(text, '+') != NULL;
            wanted = (class)c;
        }
    }
}

static void __attribute__((constructor)) begin(void)
{
    const char *path = getenv("MOTET_FAULT_BOARD"), *wish = getenv("MOTET_FAULT");
    unsetenv("LD_PRELOAD");
    dl_iterate_phdr(where_the_program_is, NULL);
    int fd = path ? open(path, O_RDWR) : -1;
    void *map =
        fd < 0 ? MAP_FAILED
               : mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0) {
        close(fd);
    }
    if (map != MAP_FAILED) {
        memset(map, 0, sizeof *board);
        board = map; /* what was counted until now was not the program's */
        if (wish) {
            read_wish(wish);
        }
    }
}

/* ---- Memory ---- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static bool no_memory(const char *name, void *caller)
{
    if (!is_crypto(caller) && fails(is_program(caller) ? MEMORY : LIBRARY, name)) {
        errno = ENOMEM;
        return true;
    }
    return false;
}

EXPORT void *malloc(size_t size)
{
    return no_memory("malloc", __builtin_return_address(0)) ? NULL
                                                            : __libc_malloc(size);
}

EXPORT void *calloc(size_t count, size_t size)
{
    return no_memory("calloc", __builtin_return_address(0))
               ? NULL
               : __libc_calloc(count, size);
}

EXPORT void *realloc(void *old, size_t size)
{
    return no_memory("realloc", __builtin_return_address(0))
               ? NULL
               : __libc_realloc(old, size);
}

/* ---- Everything that answers -1 and errno ---- */

static void *next_of(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

#define REAL(name)                                                                     \
    static __typeof__(&name) real;                                                     \
    if (!real) {                                                                       \
        *(void **)&real = next_of(#name);                                              \
    }

#define CALL(result, name, parameters, arguments, which, error, failed)                \
    EXPORT result name parameters                                                      \
    {                                                                                  \
        REAL(name)                                                                     \
        if (meant(which, __builtin_return_address(0)) && fails(which, #name)) {        \
            errno = error;                                                             \
            return failed;                                                             \
        }                                                                              \
        return real arguments;                                                         \
    }

/* The mode is there or not; taking it from the registers does no harm. */
#define OPEN(name, parameters, arguments)                                              \
    EXPORT int name parameters                                                         \
    {                                                                                  \
        REAL(name)                                                                     \
        va_list more;                                                                  \
        va_start(more, flags);                                                         \
        mode_t mode = va_arg(more, mode_t);                                            \
        va_end(more);                                                                  \
        if (fails(FILES, #name)) {                                                     \
            errno = flags & O_CREAT ? ENOSPC : EIO;                                    \
            return -1;                                                                 \
        }                                                                              \
        return real arguments;                                                         \
    }

OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
OPEN(openat, (int dir, const char *path, int flags, ...), (dir, path, flags, mode))
OPEN(openat64, (int dir, const char *path, int flags, ...), (dir, path, flags, mode))

/* Threads wake one another through counters (eventfd): these take eight bytes, no
 * system moves half of that, and no disk that is full keeps a thread asleep. */
enum { EVENT = 8 };

static bool is_counter(int fd, size_t size)
{
    char path[32], what[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t n = size == EVENT ? readlink(path, what, sizeof what) : -1;
    return n > 0 && !strncmp(what, "anon_inode:[eventfd]", (size_t)n);
}

#define TRANSFER(name, parameters, arguments, error)                                   \
    EXPORT ssize_t name parameters                                                     \
    {                                                                                  \
        REAL(name)                                                                     \
        if (is_counter(fd, size)) {                                                    \
            return real arguments;                                                     \
        }                                                                              \
        if (fd != STDERR_FILENO && fails(FILES, #name)) {                              \
            errno = error;                                                             \
            return -1;                                                                 \
        }                                                                              \
        if (size > EVENT && fails(SHORT, #name)) {                                     \
            size /= 2;                                                                 \
        }                                                                              \
        return real arguments;                                                         \
    }

TRANSFER(read, (int fd, void *to, size_t size), (fd, to, size), EIO)
TRANSFER(write, (int fd, const void *of, size_t size), (fd, of, size), ENOSPC)
TRANSFER(pread, (int fd, void *to, size_t size, off_t at), (fd, to, size, at),
         ETIMEDOUT)
TRANSFER(pread64, (int fd, void *to, size_t size, off64_t at), (fd, to, size, at),
         ETIMEDOUT)
TRANSFER(pwrite, (int fd, const void *of, size_t size, off_t at), (fd, of, size, at),
         ENOSPC)
TRANSFER(pwrite64, (int fd, const void *of, size_t size, off64_t at),
         (fd, of, size, at), ENOSPC)

/* The same as a hardened build calls them. */
ssize_t __read_chk(int fd, void *to, size_t size, size_t room);
ssize_t __pread64_chk(int fd, void *to, size_t size, off64_t at, size_t room);
char *__realpath_chk(const char *path, char *out, size_t room);
int __open64_2(const char *path, int flags);
TRANSFER(__read_chk, (int fd, void *to, size_t size, size_t room), (fd, to, size, room),
         EIO)
TRANSFER(__pread64_chk, (int fd, void *to, size_t size, off64_t at, size_t room),
         (fd, to, size, at, room), ETIMEDOUT)
CALL(char *, __realpath_chk, (const char *path, char *out, size_t room),
     (path, out, room), FILES, EIO, NULL)
CALL(int, __open64_2, (const char *path, int flags), (path, flags), FILES, EIO, -1)

CALL(int, fsync, (int fd), (fd), FILES, EIO, -1)
CALL(int, fdatasync, (int fd), (fd), FILES, EIO, -1)
CALL(int, rename, (const char *a, const char *b), (a, b), FILES, EIO, -1)
CALL(int, link, (const char *a, const char *b), (a, b), FILES, EIO, -1)
CALL(int, mkdir, (const char *path, mode_t mode), (path, mode), FILES, ENOSPC, -1)
CALL(int, ftruncate, (int fd, off_t size), (fd, size), FILES, EIO, -1)
CALL(int, ftruncate64, (int fd, off64_t size), (fd, size), FILES, EIO, -1)
CALL(int, mkostemp64, (char *path, int flags), (path, flags), FILES, ENOSPC, -1)
CALL(int, fstat64, (int fd, struct stat64 *out), (fd, out), FILES, EIO, -1)
CALL(FILE *, fopen64, (const char *path, const char *mode), (path, mode), FILES, EIO,
     NULL)
CALL(FILE *, tmpfile64, (void), (), FILES, ENOSPC, NULL)
CALL(DIR *, opendir, (const char *path), (path), FILES, EIO, NULL)
CALL(char *, realpath, (const char *path, char *out), (path, out), FILES, EIO, NULL)

/* It is closed all the same, as on a disk that reports late. */
EXPORT int close(int fd)
{
    REAL(close)
    bool late = fails(FILES, "close");
    int said = real(fd);
    if (late && !said) {
        errno = EIO;
    }
    return late ? -1 : said;
}

CALL(int, socket, (int domain, int type, int protocol), (domain, type, protocol),
     SOCKET, EMFILE, -1)
CALL(int, connect, (int fd, const struct sockaddr *to, socklen_t len), (fd, to, len),
     SOCKET, ECONNREFUSED, -1)
CALL(int, bind, (int fd, const struct sockaddr *to, socklen_t len), (fd, to, len),
     SOCKET, EADDRINUSE, -1)
CALL(int, listen, (int fd, int backlog), (fd, backlog), SOCKET, EADDRINUSE, -1)
CALL(int, accept4, (int fd, struct sockaddr *who, socklen_t *len, int flags),
     (fd, who, len, flags), SOCKET, EMFILE, -1)
/* A connection that was reset is gone both ways: who then waits for an answer on it (as
 * libpq does, for the other side's last words) finds its end. */
#define CARRY(name, parameters, arguments)                                             \
    EXPORT ssize_t name parameters                                                     \
    {                                                                                  \
        REAL(name)                                                                     \
        if (fails(SOCKET, #name)) {                                                    \
            (void)shutdown(fd, SHUT_RDWR);                                             \
            errno = ECONNRESET;                                                        \
            return -1;                                                                 \
        }                                                                              \
        return real arguments;                                                         \
    }

CARRY(send, (int fd, const void *of, size_t size, int flags), (fd, of, size, flags))
CARRY(recv, (int fd, void *to, size_t size, int flags), (fd, to, size, flags))
CARRY(sendmsg, (int fd, const struct msghdr *m, int flags), (fd, m, flags))

EXPORT int adjtimex(struct timex *state)
{
    const char *word = getenv("MOTET_CLOCK");
    int (*real)(struct timex *) = (int (*)(struct timex *))next_of("adjtimex");
    if (!word) {
        return real(state);
    }
    bool good = strcmp(word, "synchronised") == 0;
    *state = (struct timex){.status = good ? 0 : STA_UNSYNC};
    return good ? TIME_OK : TIME_ERROR;
}

CALL(pid_t, fork, (void), (), PROCESS, EAGAIN, -1)
CALL(int, pipe2, (int fds[2], int flags), (fds, flags), PROCESS, EMFILE, -1)
CALL(int, pthread_create,
     (pthread_t * id, const pthread_attr_t *how, void *(*run)(void *), void *state),
     (id, how, run, state), PROCESS, EAGAIN, EAGAIN)

int sqlite3_open_v2(const char *path, sqlite3 **out, int flags, const char *vfs);
int sqlite3_prepare_v2(sqlite3 *db, const char *sql, int len, sqlite3_stmt **out,
                       const char **rest);
int sqlite3_prepare_v3(sqlite3 *db, const char *sql, int len, unsigned flags,
                       sqlite3_stmt **out, const char **rest);
int sqlite3_step(sqlite3_stmt *statement);
int sqlite3_exec(sqlite3 *db, const char *sql,
                 int (*each)(void *, int, char **, char **), void *state, char **why);
CALL(int, sqlite3_prepare_v2,
     (sqlite3 * db, const char *sql, int len, sqlite3_stmt **out, const char **rest),
     (db, sql, len, out, rest), DATABASE, EIO, SQLITE_IOERR)
CALL(int, sqlite3_prepare_v3,
     (sqlite3 * db, const char *sql, int len, unsigned flags, sqlite3_stmt **out,
      const char **rest),
     (db, sql, len, flags, out, rest), DATABASE, EIO, SQLITE_IOERR)
CALL(int, sqlite3_step, (sqlite3_stmt * statement), (statement), DATABASE, EIO,
     SQLITE_IOERR)
CALL(int, sqlite3_exec,
     (sqlite3 * db, const char *sql, int (*each)(void *, int, char **, char **),
      void *state, char **why),
     (db, sql, each, state, why), DATABASE, EIO, SQLITE_IOERR)

/* SQLite's own answer when there is no memory for a handle. */
EXPORT int sqlite3_open_v2(const char *path, sqlite3 **out, int flags, const char *vfs)
{
    REAL(sqlite3_open_v2)
    if (fails(DATABASE, "sqlite3_open_v2")) {
        *out = NULL;
        return SQLITE_NOMEM;
    }
    return real(path, out, flags, vfs);
}
