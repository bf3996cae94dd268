/* exec/evidence/backup.c - see backup.h.
 *
 * Out: what the store dumps goes to a new file, which gets its name only when it is
 * whole. In: the file is read in pieces and cut into lines; first all of it is checked
 * (the store's digest, and here the chain of its ledger), then it is read once more
 * into an empty store. INVARIANT: a copy never replaces another. May fail: the store,
 * the disk, a file that is not a copy; `why` says which. */
#include "exec/evidence/backup.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ledger/chain.h"
#include "os/file.h"
#include "store/copy.h"

/* ---- Out ---- */

static mt_err write_piece(void *state, mt_str bytes)
{
    return os_new_file_add(state, bytes);
}

static mt_err say_errno(mt_buf *why, const char *what, const char *path)
{
    mt_buf_addf(why, "cannot %s %s: %s", what, path, strerror(errno));
    return errno == ENOENT ? MT_E_NOTFOUND : MT_E_IO;
}

/* A copy never replaces another. */
mt_err ex_backup_write(st_store *s, const char *path, mt_buf *why)
{
    os_new_file f;
    mt_err err = os_new_file_begin(&f, path, 0600);
    err = err ? err : st_dump(s, write_piece, &f, why);
    err = os_new_file_end(&f, err, false);
    return err && !why->len ? say_errno(why, "write", path) : err;
}

/* ---- Lines ---- */

typedef struct lines {
    FILE *file;
    char *line;
    size_t room;
} lines;

static mt_err open_lines(const char *path, lines *l, mt_buf *why)
{
    *l = (lines){.file = fopen(path, "re")};
    return l->file ? MT_OK : say_errno(why, "read", path);
}

static void close_lines(lines *l)
{
    if (l->file) {
        fclose(l->file);
    }
    free(l->line);
}

/* As st_load() asks: without the newline; MT_E_NOTFOUND after the last. */
static mt_err next_line(void *state, mt_str *line)
{
    lines *l = state;
    ssize_t n = getline(&l->line, &l->room, l->file);
    if (n < 0) {
        return feof(l->file) ? MT_E_NOTFOUND : MT_E_IO; /* or no memory */
    }
    size_t len = (size_t)n;
    *line = mt_str_from(l->line, len && l->line[len - 1] == '\n' ? len - 1 : len);
    return MT_OK;
}

/* ---- Checking ---- */

typedef struct checking {
    lg_chain chain;
    ex_backup_info *info;
    bool has_head; /* the row that says where the chain ends was seen */
} checking;

/* ORDER of the columns of a copied ledger row. */
enum { SEQ = 1, TIME = 6, BODY = 7, HASH = 8, COLUMNS = 9 };

static const char *check_record(checking *c, const mt_json *row)
{
    lg_entry e = {.prev = c->chain.head};
    int64_t seq;
    if (row->count != COLUMNS || mt_json_i64(&row->as.items[SEQ], &seq) ||
        mt_json_i64(&row->as.items[TIME], &c->info->last_ms) ||
        !mt_unhex(mt_json_text(&row->as.items[HASH]), e.hash.bytes, MT_SHA256_BYTES)) {
        return "it is not a record of a ledger";
    }
    e.seq = (uint64_t)seq;
    e.body = mt_json_text(&row->as.items[BODY]);
    c->info->records++;
    return lg_chain_accept(&c->chain, &e) ? "the ledger was changed there" : NULL;
}

/* Checkpoints and the head come behind the records. */
static const char *check_checkpoint(const checking *c, const mt_json *row)
{
    int64_t size;
    if (row->count != 2 || mt_json_i64(&row->as.items[0], &size)) {
        return "it is not a checkpoint";
    }
    return size > c->info->records
               ? "records are missing at the end: a checkpoint is over more than there "
                 "are"
               : NULL;
}

static const char *check_head(checking *c, const mt_json *row)
{
    mt_buf due = {0};
    int64_t size;
    if (row->count != 3 || mt_json_i64(&row->as.items[1], &size)) {
        return "it is not a row of the store";
    }
    if (!mt_str_is(mt_json_text(&row->as.items[0]), "ledger")) {
        return NULL;
    }
    lg_chain_write(&due, &c->chain);
    c->has_head = size == c->info->records &&
                  mt_str_eq(mt_json_text(&row->as.items[2]), mt_buf_str(&due));
    mt_buf_free(&due);
    return c->has_head ? NULL : "the head of the chain does not agree with the records";
}

static const char *check_row(checking *c, const mt_json *line)
{
    mt_str table = mt_json_text(mt_json_at(line, "table"));
    const mt_json *row = mt_json_at(line, "row");
    return mt_str_is(table, "ledger")        ? check_record(c, row)
           : mt_str_is(table, "checkpoints") ? check_checkpoint(c, row)
           : mt_str_is(table, "meta")        ? check_head(c, row)
                                             : NULL;
}

/* The ledger's rows; the rest is the store's business. */
static mt_err check_rows(checking *c, st_copy *copy)
{
    mt_json line;
    mt_err err;
    while (!(err = st_copy_next(copy, &line))) {
        copy->fault = check_row(c, &line);
        if (copy->fault) {
            return MT_E_CORRUPT;
        }
    }
    if (err == MT_E_NOTFOUND && c->info->records && !c->has_head) {
        copy->fault = "the head of the chain is missing";
        return MT_E_CORRUPT;
    }
    c->info->rows = copy->rows;
    return err == MT_E_NOTFOUND ? MT_OK : err;
}

mt_err ex_backup_check(const char *path, ex_backup_info *info, mt_buf *why)
{
    *info = (ex_backup_info){0};
    checking c = {.info = info};
    lines l;
    mt_err err = open_lines(path, &l, why);
    if (!err) {
        st_copy copy;
        err = st_copy_begin(&copy, next_line, &l);
        err = err ? err : check_rows(&c, &copy);
        if (err) {
            mt_buf_addf(why, "%s, line %zu: %s", path, copy.line, copy.fault);
        }
        st_copy_end(&copy);
    }
    close_lines(&l);
    return err;
}

mt_err ex_backup_restore(st_store *s, const char *path, mt_buf *why)
{
    lines l;
    mt_err err = open_lines(path, &l, why);
    err = err ? err : st_load(s, next_line, &l, why);
    close_lines(&l);
    return err;
}

/* ---- Points in time ---- */

mt_str ex_backup_name(mt_arena *a, int64_t now_ms, int64_t records)
{
    struct tm t;
    time_t seconds = (time_t)(now_ms / 1000);
    char text[32];
    gmtime_r(&seconds, &t);
    strftime(text, sizeof text, "%Y%m%dT%H%M%S", &t);
    return mt_strf(a, "motet-%s.%03dZ-%012lld.backup", text, (int)(now_ms % 1000),
                   (long long)records);
}

static bool read_name(const char *name, int64_t *at_ms, int64_t *records)
{
    struct tm t = {0};
    int ms, end = 0;
    long long n;
    if (sscanf(name, "motet-%4d%2d%2dT%2d%2d%2d.%3dZ-%12lld.backup%n", &t.tm_year,
               &t.tm_mon, &t.tm_mday, &t.tm_hour, &t.tm_min, &t.tm_sec, &ms, &n,
               &end) != 8 ||
        !end || name[end]) {
        return false;
    }
    t.tm_year -= 1900;
    t.tm_mon -= 1;
    *at_ms = (int64_t)timegm(&t) * 1000 + ms;
    *records = n;
    return true;
}

mt_err ex_backup_find(mt_arena *a, const char *directory, int64_t records,
                      int64_t at_ms, mt_str *path)
{
    DIR *d = opendir(directory);
    int64_t best = -1;
    *path = (mt_str){0};
    for (const struct dirent *e; d && (e = readdir(d));) {
        int64_t at, size;
        if (read_name(e->d_name, &at, &size) && at <= at_ms && at > best &&
            (records < 0 || size <= records)) {
            best = at;
            *path = mt_strf(a, "%s/%s", directory, e->d_name);
        }
    }
    if (d) {
        closedir(d);
    }
    return path->len ? MT_OK : MT_E_NOTFOUND;
}
