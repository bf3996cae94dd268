/* cli/table.c - columns that fit.
 *
 * Widths first: each column's widest cell. If they do not fit, the widest column gives
 * way, one place at a time: down to its longest word, then further but for ids, then
 * down to LEAST. Then rows: a cell that
 * is longer than its column goes on below, broken at a blank, a comma or a slash where
 * there is one. INVARIANT: no line is wider than the table, and no character is lost,
 * as long as the width allows LEAST for each column. Nothing can fail. */
#include "cli/table.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/utf8.h"

enum { LEAST = 8, GAP = 2, WHOLE = 40, USUAL = 100, NARROWEST = 40, WIDEST = 400 };

/* ---- Width ---- */

/* A window of three columns or a COLUMNS of a million is taken for the nearest that
 * makes sense. */
static size_t within(long width)
{
    return width < NARROWEST ? NARROWEST : width > WIDEST ? WIDEST : (size_t)width;
}

/* A pipe has no width; then COLUMNS counts, so that tests and scripts can say one. */
static size_t line_width(void)
{
    struct winsize size = {0};
    const char *given = getenv("COLUMNS");
    if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) &&
        size.ws_col) {
        return within(size.ws_col);
    }
    long columns = given ? strtol(given, NULL, 10) : 0;
    return columns > 0 ? within(columns) : USUAL;
}

static size_t column_count(const cli_table *t)
{
    size_t count = 0;
    while (count < CLI_TABLE_COLUMNS && t->titles[count]) {
        count++;
    }
    return count;
}

static bool is_break(char c)
{
    return c == ' ' || c == ',' || c == '/';
}

/* Of the longest word in it, with what ends the word. */
static size_t longest_word(mt_str text)
{
    size_t best = 0, start = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (is_break(text.ptr[i]) || i + 1 == text.len) {
            size_t end = text.ptr[i] == ' ' ? i : i + 1;
            size_t wide = mt_utf8_count(mt_str_from(text.ptr + start, end - start));
            best = wide > best ? wide : best;
            start = i + 1;
        }
    }
    return best;
}

/* How narrow a column may become in each round: its words stay whole, except long ones;
 * then words are broken, but not ids; then everything is. */
static size_t least_width(const cli_table *t, size_t c, size_t word, int round)
{
    bool id = t->whole >> c & 1 && word <= WHOLE;
    return round == 0 ? (word < WHOLE ? word : WHOLE) : round == 1 && id ? word : LEAST;
}

/* The widest column gives way, one place at a time. */
static void narrow(cli_table *t, size_t columns, const size_t *words, size_t sum)
{
    size_t most = line_width();
    for (int round = 0; round < 3 && sum > most;) {
        size_t widest = columns;
        for (size_t c = 0; c < columns; c++) {
            bool can = t->widths[c] > least_width(t, c, words[c], round);
            if (can && (widest == columns || t->widths[c] > t->widths[widest])) {
                widest = c;
            }
        }
        if (widest == columns) {
            round++;
        } else {
            t->widths[widest]--;
            sum--;
        }
    }
}

/* Titles count like cells. */
static void measure(cli_table *t, size_t columns)
{
    size_t sum = 0, words[CLI_TABLE_COLUMNS] = {0};
    for (size_t c = 0; c < columns; c++) {
        t->widths[c] = strlen(t->titles[c]);
        words[c] = longest_word(mt_str_z(t->titles[c]));
        for (size_t i = c; i < t->cells.len; i += columns) {
            size_t wide = mt_utf8_count(t->cells.items[i]);
            size_t word = longest_word(t->cells.items[i]);
            t->widths[c] = wide > t->widths[c] ? wide : t->widths[c];
            words[c] = word > words[c] ? word : words[c];
        }
        sum += t->widths[c] + (c ? GAP : 0);
    }
    narrow(t, columns, words, sum);
}

/* ---- Rows ---- */

/* How many bytes of the cell stand in a line of this width. */
static size_t fitting(mt_str text, size_t width)
{
    size_t end = 0, seen = 0, good = 0;
    while (end < text.len && seen < width) {
        char c = text.ptr[end];
        do {
            end++;
        } while (end < text.len && mt_utf8_goes_on(text.ptr[end]));
        seen++;
        good = is_break(c) ? end : good;
    }
    bool whole = end == text.len || text.ptr[end] == ' ';
    return whole || !good ? end : good;
}

static void pad(mt_buf *out, size_t count)
{
    while (count--) {
        mt_buf_addc(out, ' ');
    }
}

/* Takes off each cell what stands in this line; `rest` has what is left for the
 * next. */
static void write_line(const cli_table *t, size_t columns, mt_str *rest, mt_buf *out)
{
    size_t blank = 0;
    for (size_t c = 0; c < columns; c++) {
        mt_str part =
            mt_str_from(rest[c].ptr, rest[c].len ? fitting(rest[c], t->widths[c]) : 0);
        rest[c] = mt_str_skip(rest[c], part.len);
        while (rest[c].len && rest[c].ptr[0] == ' ') {
            rest[c] = mt_str_skip(rest[c], 1);
        }
        part = mt_str_trim(part, MT_STR(" "));
        if (part.len) { /* blanks only before something: none at the end of a line */
            pad(out, blank);
            mt_buf_adds(out, part);
            blank = 0;
        }
        blank += t->widths[c] - mt_utf8_count(part) + GAP;
    }
    mt_buf_addc(out, '\n');
}

static void write_row(const cli_table *t, size_t columns, const mt_str *cells,
                      mt_buf *out)
{
    mt_str rest[CLI_TABLE_COLUMNS];
    bool more = true;
    for (size_t c = 0; c < columns; c++) {
        rest[c] = cells[c];
    }
    while (more) {
        more = false;
        write_line(t, columns, rest, out);
        for (size_t c = 0; c < columns; c++) {
            more |= rest[c].len > 0;
        }
    }
}

void cli_table_cell(cli_table *t, mt_str text)
{
    mt_buf b = {0};
    mt_json_show(&b, text);
    mt_vec_push(&t->a, &t->cells, mt_str_dup(&t->a, mt_buf_str(&b)));
    mt_buf_free(&b);
}

/* A table without rows prints no titles either: who calls says in words that there is
 * nothing. */
void cli_table_write(cli_table *t, mt_buf *out)
{
    size_t columns = column_count(t);
    if (!t->begun && t->cells.len) {
        mt_str titles[CLI_TABLE_COLUMNS];
        measure(t, columns);
        for (size_t c = 0; c < columns; c++) {
            titles[c] = mt_str_z(t->titles[c]);
        }
        write_row(t, columns, titles, out);
        t->begun = true;
    }
    for (size_t i = 0; i + columns <= t->cells.len; i += columns) {
        write_row(t, columns, &t->cells.items[i], out);
    }
    mt_arena_reset(&t->a);
    t->cells.items = NULL;
    t->cells.len = t->cells.cap = 0;
}

void cli_table_free(cli_table *t)
{
    mt_arena_free(&t->a);
}

/* To the second; the zone is left out, as all times are UTC. */
mt_str cli_table_time(mt_arena *a, mt_str time)
{
    size_t t = mt_str_find(time, 'T');
    mt_str rest = mt_str_skip(time, t + 1);
    return mt_strf(a, "%.*s %.*s", (int)t, time.ptr, (int)(rest.len < 8 ? rest.len : 8),
                   rest.ptr ? rest.ptr : "");
}
