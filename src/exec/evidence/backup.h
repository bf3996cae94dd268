/* exec/evidence/backup.h - a store copied to a file, and a store made from one.
 * Room: exec. The copy is one consistent moment (store/store.h, st_dump), taken
 * beside a running server. Before anything is written back, the whole file is checked:
 * its digest by the store, and here the ledger in it, record after record.
 * A directory of copies gives points in time: each is named after the moment and the
 * length of its ledger, so that the newest one not after a given point can be found. */
#ifndef EX_BACKUP_H
#define EX_BACKUP_H

#include "store/store.h"

typedef struct ex_backup_info {
    int64_t records; /* in its ledger */
    int64_t last_ms; /* time of the last one; 0: none */
    int64_t rows;
} ex_backup_info;

/* Writes the copy: whole or not at all, readable by its owner only. */
mt_err ex_backup_write(st_store *s, const char *path, mt_buf *why);
/* Reads all of it. MT_E_CORRUPT, MT_E_IO, MT_E_NOTFOUND with one sentence. */
mt_err ex_backup_check(const char *path, ex_backup_info *info, mt_buf *why);
/* Fills an empty store. The file must have passed ex_backup_check(). */
mt_err ex_backup_restore(st_store *s, const char *path, mt_buf *why);

/* A name for a copy in a directory: "motet-20261116T014500.123Z-000000012345.backup".
 */
mt_str ex_backup_name(mt_arena *a, int64_t now_ms, int64_t records);
/* The newest copy in the directory with at most `records` records (-1: any number) that
 * was made not after `at_ms` (INT64_MAX: whenever). MT_E_NOTFOUND: there is none. */
mt_err ex_backup_find(mt_arena *a, const char *directory, int64_t records,
                      int64_t at_ms, mt_str *path);

#endif
