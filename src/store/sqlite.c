/* store/sqlite.c - the driver for one file.
 *
 * One connection writes, others read beside it: in WAL mode neither waits for the
 * other. A commit is one write and one fsync of the log (synchronous FULL). A server
 * claims the file by a lock inside it, so whatever name the file is opened by, and by
 * one on FILE.lock, which programs before this lock know. Both die with the process;
 * commands that work beside it go through SQLite's own locks.
 *
 * Order of opening: the file is made (mode 0600, before SQLite would make it
 * readable), claimed, connected to once so that faults are said in SQLite's words, and
 * its schema is looked at and, if it may be, brought up to date. A file that is only a
 * copy, on a medium without room for a log, is read as immutable. Order of closing:
 * readers, writer (the last connection folds the log into the file), then the claims,
 * since closing any descriptor of the file drops all locks this process holds on it.
 *
 * Invariants: there is one writer in the pool, so writers queue in this process and
 * need no row locks; statements are prepared once per connection, and a walker that
 * uses its own statement gets a second one.
 *
 * What may fail: err_of() maps SQLite's codes; `why` names the file as the user wrote
 * it. */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store/driver.h"

typedef struct conn {
    st_conn head;
    sqlite3 *db;
    sqlite3_stmt *begin, *commit, *rollback; /* they frame transactions */
    sqlite3_stmt *prepared[ST_STATEMENT_COUNT];
} conn;

typedef struct backend {
    st_pool readers, writer; /* the writer's pool has one place */
    char *path;              /* as given to SQLite: never looks like a URI */
    bool immutable;          /* no directory to put a log into: read the file alone */
    int claim;               /* descriptor of FILE.lock, or -1 */
    int inside;          /* descriptor of the file itself, for the lock in it, or -1 */
    struct owned *owned; /* this process's claim, or NULL */
} backend;

/* A file this process has claimed, whatever its name. */
typedef struct owned {
    struct owned *next;
    dev_t device;
    ino_t inode;
} owned;

static pthread_mutex_t owned_lock = PTHREAD_MUTEX_INITIALIZER;
static owned *owned_files;

/* The byte behind those SQLite locks (0x40000000 and 511 more); nothing is stored
 * there. */
enum { CLAIM_BYTE = 0x40000200, LOCK_STEP_MS = 10, LOCK_STEPS = 50 };

/* Bytes of page cache of a connection, in KiB and negative as SQLite wants it. The
 * log is written back to the file after this many pages. */
#define WRITER_SETTINGS                                                                \
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"                            \
    "PRAGMA wal_autocheckpoint = 8000; PRAGMA journal_size_limit = 67108864;"          \
    "PRAGMA cache_size = -32768; PRAGMA secure_delete = OFF;"
#define READER_SETTINGS "PRAGMA query_only = ON; PRAGMA cache_size = -4096;"
#define COMMON_SETTINGS                                                                \
    "PRAGMA foreign_keys = OFF; PRAGMA mmap_size = 0; PRAGMA trusted_schema = OFF;"    \
    "PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY;"

/* ---- Errors ---- */

/* The primary code decides; extended ones only differ in words. */
static mt_err err_of(int code)
{
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return MT_E_BUSY;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR: return MT_E_CORRUPT; /* our statements fit our tables */
    case SQLITE_TOOBIG: return MT_E_LIMIT;
    case SQLITE_CONSTRAINT: return MT_E_CONFLICT;
    default: return MT_E_IO;
    }
}

static mt_err fail(st_tx *tx, const conn *c, int code)
{
    return st_fail(tx, err_of(code), "SQLite: %s", sqlite3_errmsg(c->db));
}

static conn *conn_of(st_tx *tx)
{
    return (conn *)((char *)tx - offsetof(st_conn, tx));
}

/* ---- Connections ---- */

/* Statements first: a connection with open ones does not close. */
static void conn_close(conn *c)
{
    if (!c) {
        return;
    }
    for (size_t i = 0; i < ST_STATEMENT_COUNT; i++) {
        sqlite3_finalize(c->prepared[i]);
    }
    sqlite3_finalize(c->begin);
    sqlite3_finalize(c->commit);
    sqlite3_finalize(c->rollback);
    sqlite3_close(c->db);
    st_tx_free(&c->head.tx);
    free(c);
}

static int prepare(conn *c, const char *sql, sqlite3_stmt **out)
{
    return sqlite3_prepare_v3(c->db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL);
}

static int prepare_frame(conn *c, bool writer)
{
    int code = prepare(c, writer ? "BEGIN IMMEDIATE" : "BEGIN", &c->begin);
    code = code ? code : prepare(c, "COMMIT", &c->commit);
    return code ? code : prepare(c, "ROLLBACK", &c->rollback);
}

/* Defensive mode before anything else: a file that was made to harm cannot use its
 * schema for it. */
static int open_database(const st_store *s, conn *c, bool writer)
{
    const backend *b = s->backend;
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                (b->immutable ? SQLITE_OPEN_URI : 0) |
                (s->options.read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE);
    int code = sqlite3_open_v2(b->path, &c->db, flags, NULL);
    if (!c->db) {
        return code; /* no memory even for a handle */
    }
    sqlite3_busy_timeout(c->db, (int)s->options.wait_ms);
    sqlite3_db_config(c->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    if (!code && writer && sqlite3_db_readonly(c->db, "main") == 1) {
        code = SQLITE_READONLY; /* opened all the same, but not for us */
    }
    code = code ? code : sqlite3_exec(c->db, COMMON_SETTINGS, NULL, NULL, NULL);
    return code ? code
                : sqlite3_exec(c->db, writer ? WRITER_SETTINGS : READER_SETTINGS, NULL,
                               NULL, NULL);
}

/* The words of SQLite go to whoever opens the store; later connections only have a
 * code. */
static mt_err conn_open(const st_store *s, bool writer, conn **out, mt_buf *why)
{
    conn *c = mt_xmalloc(sizeof *c);
    memset(c, 0, sizeof *c);
    int code = open_database(s, c, writer);
    code = code ? code : prepare_frame(c, writer);
    if (code) {
        if (why) {
            mt_buf_addf(why, "cannot open the store %.*s: %s", MT_ARG(s->shown_url),
                        sqlite3_errcode(c->db) ? sqlite3_errmsg(c->db)
                                               : sqlite3_errstr(code));
        }
        conn_close(c);
        c = NULL;
    }
    *out = c;
    return code ? err_of(code) : MT_OK;
}

/* ---- Transactions ---- */

/* BEGIN, COMMIT, ROLLBACK: statements that are reset at once. */
static int step_frame(sqlite3_stmt *frame)
{
    int code = sqlite3_step(frame);
    sqlite3_reset(frame);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static st_pool *pool_for(st_store *s, st_mode mode)
{
    backend *b = s->backend;
    return mode == ST_WRITE ? &b->writer : &b->readers;
}

static void give_back(st_tx *tx)
{
    st_tx_clear(tx);
    st_pool_give(pool_for(tx->store, tx->mode), &conn_of(tx)->head);
}

/* The writer takes the database's lock at once (BEGIN IMMEDIATE), so it never has to
 * give up halfway. */
static mt_err sqlite_begin(st_store *s, st_mode mode, st_tx **out)
{
    st_pool *pool = pool_for(s, mode);
    st_conn *head = NULL;
    mt_err err = st_pool_take(pool, s->options.wait_ms, &head);
    if (err) {
        return err;
    }
    conn *c = (conn *)head;
    err = c ? MT_OK : conn_open(s, mode == ST_WRITE, &c, NULL);
    if (err) {
        st_pool_drop(pool);
        return err;
    }
    st_tx_start(&c->head.tx, s, mode);
    int code = step_frame(c->begin);
    if (code) {
        give_back(&c->head.tx);
        return err_of(code);
    }
    *out = &c->head.tx;
    return MT_OK;
}

static void sqlite_rollback(st_tx *tx)
{
    conn *c = conn_of(tx);
    if (!sqlite3_get_autocommit(c->db)) {
        step_frame(c->rollback);
    }
    give_back(tx);
}

/* A commit that fails has changed nothing; the transaction is over either way. */
static mt_err sqlite_commit(st_tx *tx)
{
    conn *c = conn_of(tx);
    int code = step_frame(c->commit);
    if (code) {
        mt_err err = fail(tx, c, code);
        sqlite_rollback(tx);
        return err;
    }
    give_back(tx);
    return MT_OK;
}

/* ---- Statements ---- */

/* Walkers may use the statement they are called from: they get one of their own. */
static int take_statement(conn *c, st_statement_id id, sqlite3_stmt **out, bool *own)
{
    sqlite3_stmt **slot = &c->prepared[id];
    int code = *slot ? SQLITE_OK : prepare(c, ST_STATEMENTS[id].sqlite, slot);
    *own = !code && sqlite3_stmt_busy(*slot);
    *out = *slot;
    return *own ? prepare(c, ST_STATEMENTS[id].sqlite, out) : code;
}

/* Texts are not copied: they live until the statement is reset, which sqlite_run()
 * does. */
static int bind_all(sqlite3_stmt *stmt, const char *letters, const st_value *params)
{
    int code = SQLITE_OK;
    for (int i = 0; letters[i] && !code; i++) {
        const char *ptr = params[i].text.len ? params[i].text.ptr : "";
        size_t len = params[i].text.len;
        char kind = st_kind(letters[i]);
        if (kind == 'i') {
            code = sqlite3_bind_int64(stmt, i + 1, params[i].number);
        } else if (kind == 'b') {
            code = sqlite3_bind_blob64(stmt, i + 1, ptr, len, SQLITE_STATIC);
        } else {
            code =
                sqlite3_bind_text64(stmt, i + 1, ptr, len, SQLITE_STATIC, SQLITE_UTF8);
        }
    }
    return code;
}

static void read_cells(sqlite3_stmt *stmt, const char *letters, st_value *cells)
{
    for (int i = 0; letters[i]; i++) {
        if (letters[i] == 'i') {
            cells[i].number = sqlite3_column_int64(stmt, i);
            continue;
        }
        const void *ptr = sqlite3_column_blob(stmt, i);
        cells[i].text = mt_str_from(ptr, (size_t)sqlite3_column_bytes(stmt, i));
    }
}

/* Ends at the first error of the walker or the database; the statement is reset either
 * way. */
static mt_err sqlite_run(st_tx *tx, st_statement_id id, const st_value *params,
                         st_each *each, void *state, int64_t *changed)
{
    conn *c = conn_of(tx);
    const st_statement *st = &ST_STATEMENTS[id];
    sqlite3_stmt *stmt = NULL;
    bool own = false;
    st_value cells[ST_MAX_CELLS] = {0};
    mt_err err = MT_OK;
    int code = take_statement(c, id, &stmt, &own);
    code = code ? code : bind_all(stmt, st->params, params);
    while (!code && (code = sqlite3_step(stmt)) == SQLITE_ROW && !err) {
        code = SQLITE_OK;
        if (each) {
            read_cells(stmt, st->results, cells);
            err = each(state, cells);
        }
    }
    if (code != SQLITE_DONE && code != SQLITE_ROW && code != SQLITE_OK) {
        err = fail(tx, c, code);
    } else if (changed) {
        *changed = sqlite3_changes64(c->db);
    }
    if (own) {
        sqlite3_finalize(stmt);
    } else {
        sqlite3_reset(stmt);
    }
    return err;
}

/* A write that changed no row means what the caller said: lost, or there already. */
static mt_err send_row(st_tx *tx, st_statement_id id, const st_value *params,
                       mt_err if_none)
{
    int64_t changed = 0;
    mt_err err = sqlite_run(tx, id, params, NULL, NULL, &changed);
    if (!err && changed != 1) {
        err = st_fail(tx, if_none, "%s",
                      if_none == MT_E_CONFLICT ? "somebody else changed the row first"
                                               : mt_err_text(if_none));
    }
    return err;
}

static mt_err sqlite_send(st_tx *tx, st_statement_id id, const st_value *params,
                          size_t rows, mt_err if_none)
{
    size_t columns = strlen(ST_STATEMENTS[id].params);
    mt_err err = MT_OK;
    for (size_t i = 0; i < rows && !err; i++) {
        err = send_row(tx, id, params + i * columns, if_none);
    }
    return err;
}

/* Nothing is gained by waiting: the rows come at once. Whoever writes is alone, so
 * reading is locking. */
static mt_err sqlite_ask(st_tx *tx, st_statement_id id, const st_value *params,
                         size_t rows, st_each *each, void *state)
{
    size_t columns = strlen(ST_STATEMENTS[id].params);
    mt_err err = MT_OK;
    for (size_t i = 0; i < rows && !err; i++) {
        err = sqlite_run(tx, id, params + i * columns, each, state, NULL);
    }
    return err;
}

static mt_err sqlite_settle(st_tx *tx)
{
    return tx->broken;
}

static mt_err sqlite_script(st_tx *tx, const char *sql)
{
    conn *c = conn_of(tx);
    int code = sqlite3_exec(c->db, sql, NULL, NULL, NULL);
    return code ? fail(tx, c, code) : MT_OK;
}

/* ---- Opening ---- */

/* Before the first connection, once per process. */
static void start_library(void)
{
    /* Counting every byte it allocates costs SQLite a lock each time. */
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite3_initialize();
}

static char *plain_path(mt_str path)
{
    char *copy = mt_xmalloc(path.len + 3);
    bool rooted = path.len && *path.ptr == '/';
    memcpy(copy, "./", 2);
    memcpy(copy + (rooted ? 0 : 2), path.ptr, path.len);
    copy[path.len + (rooted ? 0 : 2)] = 0;
    return copy;
}

/* SQLite would make it readable by others; the log and its index get the same mode. */
static mt_err create_file(const st_store *s, const backend *b, mt_buf *why)
{
    int flags = O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC;
    struct stat info;
    bool there = stat(b->path, &info) == 0;
    if (there && (S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode))) {
        mt_buf_addf(why, "cannot open the store %.*s: it is not a file",
                    MT_ARG(s->shown_url)); /* SQLite would wait for who writes to it */
        return MT_E_IO;
    }
    if (s->options.must_exist || s->options.read_only) {
        if (there) {
            return MT_OK;
        }
    } else {
        int fd = open(b->path, flags, 0600);
        if (fd >= 0) {
            close(fd);
            return MT_OK;
        }
        if (errno == EEXIST) {
            return MT_OK;
        }
    }
    mt_err err = errno == ENOENT ? MT_E_NOTFOUND : MT_E_IO;
    mt_buf_addf(why, "cannot open the store %.*s: %s", MT_ARG(s->shown_url),
                strerror(errno));
    return err;
}

/* A file this process has claimed must not even be opened again: closing any descriptor
 * of a file drops the locks that SQLite holds on it in this process. */
static bool own_file(backend *b, const struct stat *info)
{
    pthread_mutex_lock(&owned_lock);
    const owned *o = owned_files;
    while (o && (o->device != info->st_dev || o->inode != info->st_ino)) {
        o = o->next;
    }
    if (!o) {
        b->owned = mt_xmalloc(sizeof *b->owned);
        *b->owned = (owned){owned_files, info->st_dev, info->st_ino};
        owned_files = b->owned;
    }
    pthread_mutex_unlock(&owned_lock);
    return !o;
}

/* The list is the process's, so a store that is closed by another thread finds it as
 * well. */
static void disown_file(owned *own)
{
    pthread_mutex_lock(&owned_lock);
    owned **at = &owned_files;
    while (*at && *at != own) {
        at = &(*at)->next;
    }
    if (*at) {
        *at = own->next;
    }
    pthread_mutex_unlock(&owned_lock);
    free(own);
}

static bool lock_byte(int fd)
{
    struct flock byte = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = CLAIM_BYTE, .l_len = 1};
    return fcntl(fd, F_OFD_SETLK, &byte) == 0;
}

static bool lock_whole(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* A child that a killed server had just forked holds its locks until it becomes another
 * program. A server that is started again at once waits that long. */
static bool locks_soon(bool (*lock)(int fd), int fd)
{
    const struct timespec step = {.tv_nsec = LOCK_STEP_MS * 1000000};
    bool locked = fd >= 0 && lock(fd);
    for (int i = 0; fd >= 0 && !locked && errno == EWOULDBLOCK && i < LOCK_STEPS; i++) {
        nanosleep(&step, NULL);
        locked = lock(fd);
    }
    return locked;
}

/* By device and inode: another name, a link or a lock file taken away do not help. A
 * lock of the open file, not of the process, so SQLite's own do not disturb it. */
static bool lock_inside(backend *b)
{
    struct stat info;
    if (stat(b->path, &info) != 0) {
        return false;
    }
    if (!own_file(b, &info)) {
        errno = EWOULDBLOCK;
        return false;
    }
    b->inside = open(b->path, O_RDWR | O_CLOEXEC);
    return locks_soon(lock_byte, b->inside);
}

static bool lock_beside(backend *b)
{
    mt_buf name = {0};
    mt_buf_addf(&name, "%s.lock", b->path);
    mt_buf_addc(&name, 0);
    b->claim = open(name.ptr, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    mt_buf_free(&name);
    return locks_soon(lock_whole, b->claim);
}

/* Readers and tools that work beside a server claim nothing. */
static mt_err claim_file(const st_store *s, backend *b, mt_buf *why)
{
    if (s->options.read_only || s->options.shared_tool) {
        return MT_OK;
    }
    if (lock_inside(b) && lock_beside(b)) {
        return MT_OK;
    }
    bool held = errno == EWOULDBLOCK;
    mt_buf_addf(why, "the store %.*s %s%s", MT_ARG(s->shown_url),
                held ? "is in use by another server" : "cannot be locked: ",
                held ? "" : strerror(errno));
    return held ? MT_E_BUSY : MT_E_IO;
}

/* A copy on a medium without room for a log is read as it is. */
static bool only_a_copy(const st_store *s, const backend *b)
{
    if (!s->options.read_only) {
        return false;
    }
    mt_buf log = {0};
    mt_buf_addf(&log, "%s-wal", b->path);
    mt_buf_addc(&log, 0);
    struct stat info;
    bool has_log = stat(log.ptr, &info) == 0 && info.st_size > 0;
    mt_buf_free(&log);
    return !has_log;
}

/* A URI, with what would end a path escaped: only so SQLite takes the option. */
static void make_immutable(backend *b)
{
    mt_buf uri = {0};
    mt_buf_addz(&uri, "file:");
    for (const char *p = b->path; *p; p++) {
        bool plain = *p != '?' && *p != '#' && *p != '%';
        mt_buf_addf(&uri, plain ? "%c" : "%%%02X", (unsigned char)*p);
    }
    mt_buf_addz(&uri, "?immutable=1");
    mt_buf_addc(&uri, 0);
    free(b->path);
    b->path = uri.ptr;
    b->immutable = true;
}

static mt_err count_tables(void *state, const st_value *cells)
{
    *(int64_t *)state = cells[0].number;
    return MT_OK;
}

/* 0: empty, 1: ours; anything else is somebody else's file. */
static mt_err look_inside(st_tx *tx, int64_t *tables, bool *ours)
{
    int64_t found = 0;
    mt_err err = sqlite_run(tx, ST_SQL_TABLE_COUNT, NULL, count_tables, tables, NULL);
    err = err ? err : sqlite_run(tx, ST_SQL_HAS_META, NULL, count_tables, &found, NULL);
    *ours = found != 0;
    return err;
}

/* A file that is not empty and not ours is left alone, whatever was asked. */
static mt_err settle_in(st_store *s, st_mode mode, mt_buf *why)
{
    st_tx *tx;
    bool ours = false, may_change = mode == ST_WRITE;
    int64_t tables = 0;
    mt_err err = sqlite_begin(s, mode, &tx);
    if (err) {
        mt_buf_addf(why, "cannot open the store %.*s: %s", MT_ARG(s->shown_url),
                    mt_err_text(err));
        return err;
    }
    err = look_inside(tx, &tables, &ours);
    if (!err && !ours && (tables || !may_change)) {
        err = st_fail(tx, MT_E_CORRUPT, "it is not a Motet store");
    }
    err = err ? err : st_migrate(tx, !ours, may_change, &s->schema);
    if (err) {
        mt_buf_addf(why, "cannot open the store %.*s: %.*s", MT_ARG(s->shown_url),
                    MT_ARG(st_why(tx)));
        sqlite_rollback(tx);
        return err;
    }
    err = sqlite_commit(tx);
    if (err) {
        mt_buf_addf(why, "cannot write the store %.*s", MT_ARG(s->shown_url));
    }
    return err;
}

/* Looks first: a store that is as it should be is opened beside one who writes. */
static mt_err settle_schema(st_store *s, mt_buf *why)
{
    mt_buf said = {0};
    mt_err err = settle_in(s, ST_READ, &said);
    bool settled = !err || s->options.read_only;
    if (settled) {
        mt_buf_adds(why, mt_buf_str(&said));
    }
    mt_buf_free(&said);
    return settled ? err : settle_in(s, ST_WRITE, why);
}

/* The first connection, so that what is wrong is said in SQLite's words. */
static mt_err open_first(st_store *s, mt_buf *why)
{
    conn *first = NULL;
    bool writer = !s->options.read_only;
    mt_err err = conn_open(s, writer, &first, why);
    if (err) {
        return err;
    }
    st_pool *pool = pool_for(s, writer ? ST_WRITE : ST_READ);
    st_conn *none;
    st_pool_take(pool, 0, &none);
    st_pool_give(pool, &first->head);
    return settle_schema(s, why);
}

static void close_all(st_pool *pool)
{
    st_conn *head;
    while ((head = st_pool_drain(pool))) {
        conn_close((conn *)head);
    }
}

/* The order matters: see the head. */
static void sqlite_close(st_store *s)
{
    backend *b = s->backend;
    /* The writer last: the last connection out folds the log into the file. */
    close_all(&b->readers);
    close_all(&b->writer);
    st_pool_free(&b->readers);
    st_pool_free(&b->writer);
    if (b->claim >= 0) {
        close(b->claim);
    }
    if (b->inside >= 0) {
        close(b->inside); /* after SQLite's: it drops all locks on the file */
    }
    if (b->owned) {
        disown_file(b->owned);
    }
    free(b->path);
    free(b);
}

/* Two tries: as a store, then as a copy that can only be read. The first try's words
 * are kept when both fail. */
static mt_err sqlite_open(st_store *s, mt_str path, mt_buf *why)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_library);
    if (path.len == 0) {
        mt_buf_addz(why, "the store needs a file name");
        return MT_E_USAGE;
    }
    backend *b = mt_xmalloc(sizeof *b);
    *b = (backend){.path = plain_path(path), .claim = -1, .inside = -1};
    st_pool_start(&b->readers, s->options.pool);
    st_pool_start(&b->writer, 1);
    s->backend = b;
    s->shown_url = mt_strf(&s->arena, "sqlite:%.*s", MT_ARG(path));
    mt_err err = create_file(s, b, why);
    err = err ? err : claim_file(s, b, why);
    size_t said = why->len;
    mt_err first = err ? err : open_first(s, why);
    if (!err && first && only_a_copy(s, b)) {
        close_all(&b->readers);
        make_immutable(b);
        why->len = said;
        first = open_first(s, why);
    }
    if (first) {
        sqlite_close(s);
        return first;
    }
    s->description =
        mt_strf(&s->arena, "SQLite %s, schema %d", sqlite3_libversion(), s->schema);
    return MT_OK;
}

const st_driver ST_SQLITE = {
    .name = "SQLite",
    .open = sqlite_open,
    .close = sqlite_close,
    .begin = sqlite_begin,
    .commit = sqlite_commit,
    .rollback = sqlite_rollback,
    .run = sqlite_run,
    .send = sqlite_send,
    .ask = sqlite_ask,
    .settle = sqlite_settle,
    .script = sqlite_script,
};
