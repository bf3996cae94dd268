/* cli/show_text.c - diagnostics for people.
 *
 *     error[CODE]: message
 *       --> file.tenor:3:9 in Rule r, body.when
 *        |
 *      3 |   when: paid > true
 *        |         ^^^^^^^^^^^
 *        = hint: what to do
 *
 * Source text is the author's: control characters never reach the terminal, and a very
 * long line is shown only around the place. Columns are characters. Lines are found
 * going on from the last one, since diagnostics mostly come in order; a file whose
 * text is not at hand is shown without its line.
 *
 * Colours only where the caller says so. When a limit cut the list off, the total is
 * said. */
#include <stdio.h>

#include "base/utf8.h"
#include "cli/show.h"

enum { WINDOW = 100, LEAD = 40, MESSAGE = 2000 };

static const char *const LEVEL_COLOUR[] = {
    [MT_ERROR] = "\033[1;31m", [MT_WARNING] = "\033[1;33m", [MT_NOTE] = "\033[1;36m"};
MT_TABLE_COVERS(LEVEL_COLOUR, MT_NOTE + 1);
static const char BOLD[] = "\033[1m", BLUE[] = "\033[34m", PLAIN[] = "\033[0m";

typedef struct painter {
    mt_buf *out;
    cli_sources sources;
    bool colour;
    /* Where the last line was found: diagnostics mostly come in line order. */
    const cli_source *last;
    size_t last_offset;
    uint32_t last_line;
} painter;

/* Without colour nothing at all is written, so plain output has no escape sequences. */
static void paint(painter *p, const char *code)
{
    if (p->colour) {
        mt_buf_addz(p->out, code);
    }
}

/* The next character of `text`; bytes that are not UTF-8 and what is not seen become
 * U+FFFD, a tab a space. Returns the bytes consumed. */
static size_t next_safe(mt_str text, mt_str *shown)
{
    static const char REPLACEMENT[] = "\xEF\xBF\xBD";
    unsigned char c = (unsigned char)text.ptr[0];
    if (c == '\t') {
        *shown = MT_STR(" ");
        return 1;
    }
    *shown = mt_str_from(REPLACEMENT, 3);
    if (c < 0x20 || c == 0x7F) {
        return 1;
    }
    size_t len = c < 0x80 ? 1 : c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
    if (len > text.len || mt_utf8_check(mt_str_from(text.ptr, len)) != len) {
        return 1;
    }
    if (!mt_utf8_is_unseen(mt_utf8_decode(text.ptr, &len))) {
        *shown = mt_str_from(text.ptr, len);
    }
    return len;
}

/* Characters [from, from + count) of the text, made safe. Returns how many there were.
 */
static size_t add_window(mt_buf *out, mt_str text, size_t from, size_t count)
{
    size_t at = 0, added = 0;
    while (text.len && added < count) {
        mt_str shown;
        text = mt_str_skip(text, next_safe(text, &shown));
        if (at++ >= from) {
            mt_buf_adds(out, shown);
            added++;
        }
    }
    return added;
}

void cli_add_safe(mt_buf *out, mt_str text)
{
    add_window(out, text, 0, SIZE_MAX);
}

/* Messages quote what an author wrote: long ones are cut, and characters a terminal
 * obeys are replaced by add_window(). */
static void add_safe(mt_buf *out, mt_str text)
{
    if (add_window(out, text, 0, MESSAGE) == MESSAGE) {
        mt_buf_addz(out, "...");
    }
}

/* First by the whole name, then by its last part: diagnostics of imported files name
 * them as the import did. */
static const cli_source *find_source(cli_sources sources, mt_str file)
{
    for (size_t i = 0; i < sources.len; i++) {
        if (mt_str_eq(sources.items[i].name, file)) {
            return &sources.items[i];
        }
    }
    for (size_t i = 0; i < sources.len; i++) {
        if (mt_str_eq(mt_str_basename(sources.items[i].name), mt_str_basename(file))) {
            return &sources.items[i];
        }
    }
    return NULL;
}

/* The text of a line, without its newline. */
static bool find_line(painter *p, const mt_diag *d, mt_str *line)
{
    const cli_source *source = find_source(p->sources, d->file);
    if (!source || !d->line) {
        return false;
    }
    if (source != p->last || d->line < p->last_line) {
        p->last = source;
        p->last_offset = 0;
        p->last_line = 1;
    }
    mt_str rest = mt_str_skip(source->text, p->last_offset);
    while (p->last_line < d->line) {
        size_t skip = mt_str_find(rest, '\n') + 1;
        if (skip > rest.len) {
            return false;
        }
        rest = mt_str_skip(rest, skip);
        p->last_line++;
    }
    p->last_offset = source->text.len - rest.len;
    *line = mt_str_from(rest.ptr, mt_str_find(rest, '\n'));
    if (line->len && line->ptr[line->len - 1] == '\r') {
        line->len--;
    }
    return true;
}

static void gutter(painter *p, int width, const char *number)
{
    paint(p, BLUE);
    mt_buf_addf(p->out, "%*s |", width, number);
    paint(p, PLAIN);
}

static void repeat(mt_buf *out, char c, size_t times)
{
    while (times--) {
        mt_buf_addc(out, c);
    }
}

/* A long line is shown through a window around the fault, so that a bundle on one line
 * does not fill the terminal. Columns are code points; carets never go beyond what is
 * shown. */
static void add_source(painter *p, const mt_diag *d, mt_str line, int width)
{
    char number[16];
    snprintf(number, sizeof number, "%u", d->line);
    size_t place = d->column ? d->column - 1 : 0;
    size_t from = place > WINDOW - LEAD ? place - LEAD : 0;
    gutter(p, width, "");
    mt_buf_addc(p->out, '\n');
    gutter(p, width, number);
    mt_buf_addz(p->out, from ? " ..." : " ");
    size_t shown = add_window(p->out, line, from, WINDOW);
    mt_buf_addc(p->out, '\n');
    if (!d->column) {
        return;
    }
    gutter(p, width, "");
    size_t offset = place - from;
    size_t room = shown > offset ? shown - offset : 1;
    size_t carets = d->length ? d->length : 1;
    repeat(p->out, ' ', 1 + (from ? 3u : 0u) + offset);
    paint(p, LEVEL_COLOUR[d->severity]);
    repeat(p->out, '^', carets < room ? carets : room);
    paint(p, PLAIN);
    mt_buf_addc(p->out, '\n');
}

/* Where a message may not say it: which construct, and which of its fields. */
static void add_construct(painter *p, const mt_diag *d)
{
    if (!d->construct_id.len || !d->construct_kind.len) {
        return;
    }
    mt_buf_addz(p->out, " in ");
    add_safe(p->out, d->construct_kind);
    mt_buf_addc(p->out, ' ');
    add_safe(p->out, d->construct_id);
    if (d->field.len && !mt_str_is(d->field, "id")) {
        mt_buf_addz(p->out, ", ");
        add_safe(p->out, d->field);
    }
}

static void add_place(painter *p, const mt_diag *d, int width)
{
    if (!d->file.len) {
        return;
    }
    paint(p, BLUE);
    mt_buf_addf(p->out, "%*s-->", width, "");
    paint(p, PLAIN);
    mt_buf_addc(p->out, ' ');
    add_safe(p->out, d->file);
    if (d->line) {
        mt_buf_addf(p->out, ":%u", d->line);
    }
    if (d->line && d->column) {
        mt_buf_addf(p->out, ":%u", d->column);
    }
    add_construct(p, d);
    mt_buf_addc(p->out, '\n');
}

/* Text of the author passes add_safe(), which takes away what a terminal would obey. */
static void add_diag(painter *p, const mt_diag *d)
{
    char digits[16];
    int width = snprintf(digits, sizeof digits, "%u", d->line) + 1;
    paint(p, LEVEL_COLOUR[d->severity]);
    mt_buf_addz(p->out, mt_severity_name(d->severity));
    if (d->code && *d->code) {
        mt_buf_addf(p->out, "[%s]", d->code);
    }
    paint(p, PLAIN);
    paint(p, BOLD);
    mt_buf_addz(p->out, ": ");
    add_safe(p->out, d->message);
    paint(p, PLAIN);
    mt_buf_addc(p->out, '\n');
    add_place(p, d, width);
    mt_str line;
    if (find_line(p, d, &line)) {
        add_source(p, d, line, width);
    }
    if (d->hint.len) {
        paint(p, BLUE);
        mt_buf_addf(p->out, "%*s =", width, "");
        paint(p, PLAIN);
        mt_buf_addz(p->out, " hint: ");
        add_safe(p->out, d->hint);
        mt_buf_addc(p->out, '\n');
    }
    mt_buf_addc(p->out, '\n');
}

static void add_count(mt_buf *out, size_t n, const char *what)
{
    if (n) {
        mt_buf_addf(out, "%s%zu %s%s", out->len ? ", " : "", n, what,
                    n == 1 ? "" : "s");
    }
}

/* "2 errors, 1 warning"; empty when there are neither. */
static void show_counts(mt_buf *out, const mt_diags *ds)
{
    mt_buf text = {0};
    add_count(&text, ds->errors, "error");
    add_count(&text, ds->warnings, "warning");
    mt_buf_adds(out, mt_buf_str(&text));
    mt_buf_free(&text);
}

/* Counts are of all diagnostics, those beyond the limit included; what was left out is
 * said. */
void cli_show_text(mt_buf *out, const mt_diags *ds, cli_sources sources, bool colour)
{
    painter p = {.out = out, .sources = sources, .colour = colour};
    for (size_t i = 0; i < ds->len; i++) {
        add_diag(&p, &ds->items[i]);
    }
    if (!ds->errors && !ds->warnings) {
        return;
    }
    show_counts(out, ds);
    size_t notes = 0;
    for (size_t i = 0; i < ds->len; i++) {
        notes += ds->items[i].severity == MT_NOTE;
    }
    size_t shown = ds->len - notes;
    if (shown < ds->errors + ds->warnings) {
        mt_buf_addf(out, " (the first %zu are shown; --limit diagnostics=N shows more)",
                    shown);
    }
    mt_buf_addc(out, '\n');
}
