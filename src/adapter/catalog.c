/* adapter/catalog.c - the tables of a live database, as text. Room: adapter. */
#include "adapter/catalog.h"

#include <sqlite3.h>

#include "base/late_pq.h"

#define SQLITE "sqlite:"

bool ad_catalog_is(mt_str url)
{
    return mt_str_starts(url, MT_STR(SQLITE)) ||
           mt_str_starts(url, MT_STR("postgresql://")) ||
           mt_str_starts(url, MT_STR("postgres://"));
}

static mt_err full(mt_buf *why)
{
    mt_buf_addz(why, "its tables take more text than is read (limit connect_bytes)");
    return MT_E_LIMIT;
}

/* ---- SQLite: it keeps the text itself ---- */

static mt_err read_rows(sqlite3_stmt *rows, mt_buf *out)
{
    int code;
    while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *sql = (const char *)sqlite3_column_text(rows, 0);
        if (sql) {
            mt_buf_addf(out, "%s;\n", sql);
        }
    }
    return code == SQLITE_DONE ? MT_OK : MT_E_IO;
}

static mt_err read_sqlite(const char *file, mt_buf *out, mt_buf *why)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *rows = NULL;
    mt_err err = MT_E_IO;
    if (!sqlite3_open_v2(file, &db, SQLITE_OPEN_READONLY, NULL) &&
        !sqlite3_prepare_v2(
            db,
            "SELECT sql FROM sqlite_master WHERE type = 'table' AND name "
            "NOT LIKE 'sqlite_%' ORDER BY name",
            -1, &rows, NULL)) {
        err = read_rows(rows, out);
    }
    if (err) {
        mt_buf_addf(why, "%s: %s", file, db ? sqlite3_errmsg(db) : "no memory");
    }
    sqlite3_finalize(rows);
    sqlite3_close_v2(db);
    return err;
}

/* ---- PostgreSQL: it is made from the catalog ---- */

static const char TABLES[] =
    "BEGIN READ ONLY; "
    "SELECT 0, t.typname, format('CREATE TYPE %I AS ENUM (%s);', t.typname, "
    "string_agg(quote_literal(e.enumlabel), ', ' ORDER BY e.enumsortorder)) "
    "FROM pg_type t JOIN pg_enum e ON e.enumtypid = t.oid GROUP BY t.typname "
    "UNION ALL "
    "SELECT 1, n.nspname || '.' || c.relname, format('CREATE TABLE %s%I (%s%s);', "
    "CASE n.nspname WHEN 'public' THEN '' ELSE quote_ident(n.nspname) || '.' END, "
    "c.relname, string_agg(format('%I %s%s', a.attname, "
    "format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN ' NOT NULL' "
    "ELSE '' END), ', ' ORDER BY a.attnum), "
    "(SELECT string_agg(', ' || pg_get_constraintdef(k.oid), '' ORDER BY k.conname) "
    "FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype IN ('p', 'c'))) "
    "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped "
    "WHERE c.relkind IN ('r', 'p', 'v', 'm') AND n.nspname NOT IN "
    "('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg_%' "
    "GROUP BY c.oid, n.nspname, c.relname "
    "UNION ALL "
    "SELECT 2, c.relname || '.' || a.attname, format('COMMENT ON COLUMN %I.%I IS %L;', "
    "c.relname, a.attname, d.description) "
    "FROM pg_description d JOIN pg_class c ON c.oid = d.objoid "
    "JOIN pg_namespace n ON n.oid = c.relnamespace "
    "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.objsubid "
    "WHERE d.objsubid > 0 AND n.nspname NOT IN ('pg_catalog', 'information_schema') "
    "ORDER BY 1, 2";

/* A reason of libpq's may repeat the host, never the password. */
static mt_err read_postgres(mt_arena *a, mt_str url, mt_buf *out, mt_buf *why)
{
    const char *missing = mt_late_load(&mt_late_pq);
    const char *const keys[] = {"dbname", "connect_timeout", "application_name", NULL};
    const char *const values[] = {mt_str_dup(a, url).ptr, "10", "motet connect", NULL};
    if (missing) {
        mt_buf_addz(why, missing);
        return MT_E_IO;
    }
    PGconn *db = PQconnectdbParams(keys, values, 1);
    PGresult *rows = PQstatus(db) == CONNECTION_OK ? PQexec(db, TABLES) : NULL;
    bool good = rows && PQresultStatus(rows) == PGRES_TUPLES_OK;
    for (int i = 0; good && i < PQntuples(rows); i++) {
        mt_buf_addf(out, "%s\n", PQgetvalue(rows, i, 2));
    }
    if (!good) {
        mt_str told = mt_str_trim(mt_str_z(PQerrorMessage(db)), MT_STR(" \n"));
        mt_buf_adds(why, told.len ? told : MT_STR("the database does not answer"));
    }
    if (rows) {
        PQclear(rows);
    }
    PQfinish(db);
    return good ? MT_OK : MT_E_IO;
}

mt_err ad_catalog_read(mt_arena *a, mt_str url, size_t most, mt_str *ddl, mt_buf *why)
{
    mt_buf out = {.ceiling = most};
    bool sqlite = mt_str_starts(url, MT_STR(SQLITE));
    mt_str file = mt_str_dup(a, mt_str_skip(url, sizeof SQLITE - 1));
    mt_err err =
        sqlite ? read_sqlite(file.ptr, &out, why) : read_postgres(a, url, &out, why);
    err = err || !out.full ? err : full(why);
    *ddl = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return err;
}
