/* store/statements.c - the table of statements, filled in. */
#include "store/statements.h"

#define STATEMENT(name, params, results, sql, postgres)                                \
    [ST_SQL_##name] = {params, results, sql, sizeof(postgres) > 1 ? postgres : sql},
#define DUMP(name, from, order, table, columns, letters, places)                       \
    [ST_SQL_DUMP_##name] = {"", letters,                                               \
                            "SELECT " columns " FROM " from " ORDER BY " order,        \
                            "SELECT " columns " FROM " from " ORDER BY " order},
#define LOAD(name, from, order, table, columns, letters, places)                       \
    [ST_SQL_LOAD_##name] = {letters, "",                                               \
                            "INSERT INTO " table " (" columns ") VALUES " places,      \
                            "INSERT INTO " table " (" columns ") VALUES " places},

const st_statement ST_STATEMENTS[ST_STATEMENT_COUNT] = {
    ST_STATEMENT_MAP(STATEMENT) ST_TABLE_MAP(DUMP) ST_TABLE_MAP(LOAD)};
