/* cli/table.h - rows for people, on a terminal of any width.
 * Room: cli.
 * Columns are as wide as what stands in them while that fits; then the wide ones give
 * way and their cells go on in the next line. Nothing is ever cut: programs have
 * --json. The width is the terminal's, else $COLUMNS, else 100. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "base/vec.h"
#include "cli/cli.h"

enum { CLI_TABLE_COLUMNS = 8, CLI_TABLE_BATCH = 256 };

typedef struct cli_table {
    const char *titles[CLI_TABLE_COLUMNS]; /* ends with NULL */
    unsigned whole; /* bits of columns that are copied from: broken last */
    mt_arena a;
    MT_VEC(mt_str) cells; /* row by row */
    size_t widths[CLI_TABLE_COLUMNS];
    bool begun; /* titles were printed; widths are settled */
} cli_table;

/* The next cell, from left to right; control characters are escaped. */
void cli_table_cell(cli_table *t, mt_str text);
/* Appends what there is, titles first, and forgets it: for lists of any length, batch
 * by batch. Widths are those of the first batch. */
void cli_table_write(cli_table *t, mt_buf *out);
void cli_table_free(cli_table *t);
/* "2026-03-01 12:00:05" of a time stamp. */
mt_str cli_table_time(mt_arena *a, mt_str time);

#endif
