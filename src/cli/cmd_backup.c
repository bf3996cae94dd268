/* cli/cmd_backup.c - motet backup and motet restore.
 *
 * Both check everything before they say that it is done. A backup is copied in one
 * reading transaction and then read back: its digest and every record of the ledger in
 * it must hold, or it is not kept. A restore checks the copy first and fills an empty
 * store in one transaction.
 *
 * A directory of copies is a history: names hold time and number of records, and --to
 * chooses the newest copy that is not after the point. An existing file is never
 * replaced. What happened after the copy is not brought back; the text of the command
 * says so. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/commands.h"
#include "contract/wire/value.h"
#include "exec/evidence/backup.h"
#include "http/config.h"

/* clang-format off */
const cli_option CMD_BACKUP_OPTIONS[] = {
    {"store", "URL",  "what to copy (sqlite:motet.db)"},
    {"out",   "FILE", "write the copy there; an existing file is never replaced"},
    {"dir",   "DIR",  "write it into this directory, named after time and length"},
    {"check", "FILE", "copy nothing: check this copy"},
    {NULL, NULL, NULL},
};
const char CMD_BACKUP_DETAILS[] =
    "Copies a whole store, of one moment, beside a running server: instances, flows, "
    "the ledger, contracts, tokens (hashed), graphs and agents. The copy is then read "
    "back: its digest and every record of its ledger must hold. Whether instances, flows "
    "and documents say what the ledger says is not looked at: motet store check does "
    "that. Run it as often as you want points in time to return to.";

const cli_option CMD_RESTORE_OPTIONS[] = {
    {"store", "URL",   "the store to fill; it must be empty (sqlite:motet.db)"},
    {"to",    "POINT", "from a directory: the newest copy not after this time or length"},
    {NULL, NULL, NULL},
};
const char CMD_RESTORE_DETAILS[] =
    "Fills an empty store from a copy that `motet backup` made, on either kind of "
    "database. The copy is checked first; a copy that was changed, cut off or does not "
    "verify is refused and nothing is written. BACKUP may be a directory of copies: "
    "then --to takes a time (2026-11-16T01:45:00Z) or a number of ledger records, and "
    "the newest copy not after it is used; without --to the newest one. What happened "
    "between that copy and the point is not brought back: it is as exact as the copies "
    "are frequent. When it was signed for, `motet ledger accept` decides that the older "
    "ledger is signed again.";
/* clang-format on */

/* A copy is read from a store that has to exist; a restore may make one. */
static int open_store(const cli_args *args, bool read_only, st_store **out)
{
    const char *url = cli_value(args, "store");
    st_options options = {.pool = 1, .read_only = read_only, .must_exist = read_only};
    mt_buf why = {0};
    int code = CLI_HOLDS;
    if (st_open(url ? url : HT_CONFIG_DEFAULT.store, &options, out, &why)) {
        code = cli_fail(args, CLI_WORLD, "%.*s", MT_ARG(mt_buf_str(&why)));
    }
    mt_buf_free(&why);
    return code;
}

/* A damaged copy and one of another version are answers about the copy; everything else
 * is the machine's fault. */
static int fault(const cli_args *args, mt_err err, mt_buf *why)
{
    int code = err == MT_E_CORRUPT || err == MT_E_VERSION ? CLI_FAILS : CLI_WORLD;
    if (!why->len) {
        mt_buf_addz(why, mt_err_text(err));
    }
    cli_fail(args, code, "%.*s", MT_ARG(mt_buf_str(why)));
    mt_buf_free(why);
    return code;
}

/* The whole file is read: rows are counted, the ledger in it is verified record by
 * record. */
static int check(const cli_args *args, const char *path, ex_backup_info *info)
{
    mt_buf why = {0};
    mt_err err = ex_backup_check(path, info, &why);
    return err ? fault(args, err, &why) : CLI_HOLDS;
}

/* Only after check(), so that "all verified" is true of the bytes on the disk. */
static int tell(const char *what, const char *path, const ex_backup_info *info)
{
    mt_buf out = {0};
    mt_buf_addf(&out, "%s %s: %lld rows, ledger of %lld records, all verified\n", what,
                path, (long long)info->rows, (long long)info->records);
    int code = cli_print(mt_buf_str(&out));
    mt_buf_free(&out);
    return code;
}

/* ---- backup ---- */

/* The name of a copy carries the wall clock, so that copies sort by age. */
static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Named by time and number of records, so that a restore can choose by either. */
static mt_err name_copy(const cli_args *args, mt_arena *a, st_store *s,
                        const char **path)
{
    int64_t records = 0;
    mt_str tail;
    st_tx *tx;
    if (cli_value(args, "out")) {
        *path = cli_value(args, "out");
        return MT_OK;
    }
    int64_t now = now_ms(); /* before the copy: it has at least what was there then */
    mt_err err = st_begin(s, ST_READ, &tx);
    if (err) {
        return err;
    }
    err = st_ledger_tail(tx, a, &records, &tail);
    st_rollback(tx);
    mt_str name = ex_backup_name(a, now, records);
    *path = mt_strf(a, "%s/%.*s", cli_value(args, "dir"), MT_ARG(name)).ptr;
    return err == MT_E_NOTFOUND ? MT_OK : err;
}

/* A copy is checked after it was written, from the file, before anybody is told that it
 * is there. */
static int copy(const cli_args *args, st_store *s)
{
    mt_arena a = {0};
    mt_buf why = {0};
    const char *path = NULL;
    ex_backup_info info;
    mt_err err = name_copy(args, &a, s, &path);
    err = err ? err : ex_backup_write(s, path, &why);
    int code = err ? fault(args, err, &why) : check(args, path, &info);
    code = code ? code : tell("copied to", path, &info);
    mt_arena_free(&a);
    return code;
}

/* --check needs no store: a copy is judged by itself. */
int cmd_backup(const cli_args *args)
{
    const char *copy_path = cli_value(args, "check");
    st_store *s;
    ex_backup_info info;
    int given = !!copy_path + !!cli_value(args, "out") + !!cli_value(args, "dir");
    if (given != 1) {
        return cli_fail(args, CLI_USAGE, "give one of --out, --dir and --check");
    }
    if (copy_path) {
        int code = check(args, copy_path, &info);
        return code ? code : tell("checked", copy_path, &info);
    }
    int code = open_store(args, true, &s);
    if (!code) {
        code = copy(args, s);
        st_close(s);
    }
    return code;
}

/* ---- restore ---- */

/* A plain number counts records; anything else must be a time. */
static bool read_point(const char *text, int64_t *records, int64_t *at_ms)
{
    char *end;
    ct_time t;
    *records = -1;
    *at_ms = INT64_MAX;
    if (!text) {
        return true;
    }
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (!errno && end != text && !*end && number >= 0) {
        *records = number;
        return true;
    }
    if (!ct_time_parse(mt_str_z(text), &t)) {
        return false;
    }
    *at_ms = t.seconds * 1000 + t.nanos / 1000000;
    return true;
}

/* A directory: the newest copy that is not beyond the point asked for. A file: itself.
 */
static int choose(const cli_args *args, mt_arena *a, const char **path)
{
    struct stat st;
    int64_t records, at_ms;
    mt_str found;
    const char *to = cli_value(args, "to");
    if (!read_point(to, &records, &at_ms)) {
        return cli_fail(args, CLI_USAGE,
                        "--to needs a time such as 2026-11-16T01:45:00Z or a number of "
                        "records, not '%s'",
                        to);
    }
    if (stat(*path, &st) || !S_ISDIR(st.st_mode)) {
        return to ? cli_fail(args, CLI_USAGE, "--to needs a directory of copies")
                  : CLI_HOLDS;
    }
    if (ex_backup_find(a, *path, records, at_ms, &found)) {
        return cli_fail(args, CLI_WORLD, "%s has no copy %s%s", *path,
                        to ? "at or before " : "", to ? to : "at all");
    }
    *path = found.ptr;
    return CLI_HOLDS;
}

/* Not as a shared tool: on SQLite a running server keeps it out. */
static int fill(const cli_args *args, const char *path, const ex_backup_info *info)
{
    mt_buf why = {0};
    st_store *s;
    int code = open_store(args, false, &s);
    if (code) {
        return code;
    }
    mt_err err = ex_backup_restore(s, path, &why);
    st_close(s);
    return err ? fault(args, err, &why) : tell("restored from", path, info);
}

/* ORDER: nothing of the store is touched before the whole copy was checked. */
int cmd_restore(const cli_args *args)
{
    mt_arena a = {0};
    const char *path = args->operands[0];
    ex_backup_info info;
    int code = choose(args, &a, &path);
    code = code ? code : check(args, path, &info);
    code = code ? code : fill(args, path, &info);
    mt_arena_free(&a);
    return code;
}
