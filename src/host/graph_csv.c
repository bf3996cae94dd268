/* host/graph_csv.c - a table as a fixture: one event per row.
 *
 * The first row has the names of the fields. Cells are quoted or plain (RFC 4180:
 * doubled quotes, commas and line breaks inside quotes); a cell that is a number, true
 * or false becomes that, anything else text. Which columns are taken, and what kind
 * of event a row is, is said by the options.
 *
 * What may fail: MT_E_SYNTAX with the line: text that is not UTF-8, a quote that never
 * closes or has text behind it, names that are empty or repeated, rows of another
 * length. */
#include "host/graph_csv.h"

#include "base/json_write.h"
#include "base/number.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "host/graph_time.h"

typedef MT_VEC(mt_str) row;

typedef struct table {
    mt_arena arena; /* the current row */
    mt_str rest;
    size_t line;
    const char *fault; /* of the row; NULL: none */
} table;

/* A comma, the end of a line in either form, or the end. */
static bool at_cell_end(mt_str rest)
{
    size_t at = rest.len && rest.ptr[0] == '\r';
    return rest.len == at || rest.ptr[at] == '\n' || (!at && rest.ptr[0] == ',');
}

/* A quoted cell, doubled quotes undone; the opening quote is already gone. */
static mt_str quoted_cell(table *t)
{
    mt_buf cell = {0};
    size_t i = 0;
    bool closed = false;
    for (; i < t->rest.len && !closed; i++) {
        char c = t->rest.ptr[i];
        bool doubled = c == '"' && i + 1 < t->rest.len && t->rest.ptr[i + 1] == '"';
        closed = c == '"' && !doubled;
        if (!closed) {
            mt_buf_addc(&cell, c);
        }
        i += doubled;
        t->line += c == '\n';
    }
    t->rest = mt_str_skip(t->rest, i);
    if (!closed) {
        t->fault = "a quoted cell is not closed";
    } else if (!at_cell_end(t->rest)) {
        t->fault = "there is text behind the closing quote of a cell";
    }
    mt_str copy = mt_str_dup(&t->arena, mt_buf_str(&cell));
    mt_buf_free(&cell);
    return copy;
}

/* A carriage return belongs to the end of the line, not to the cell. */
static mt_str plain_cell(table *t)
{
    size_t end = 0;
    while (end < t->rest.len && t->rest.ptr[end] != ',' && t->rest.ptr[end] != '\n') {
        end++;
    }
    mt_str cell = mt_str_from(t->rest.ptr, end);
    t->rest = mt_str_skip(t->rest, end);
    if (cell.len && cell.ptr[cell.len - 1] == '\r') {
        cell.len--;
    }
    return cell;
}

static bool take(table *t, char c)
{
    bool there = t->rest.len && t->rest.ptr[0] == c;
    t->rest = mt_str_skip(t->rest, there);
    return there;
}

/* Either line ending; an empty line is a row with one empty cell. */
static row next_row(table *t)
{
    row cells = {0};
    do {
        mt_str cell = take(t, '"') ? quoted_cell(t) : plain_cell(t);
        mt_vec_push(&t->arena, &cells, cell);
    } while (take(t, ','));
    (void)take(t, '\r');
    (void)take(t, '\n');
    t->line++;
    return cells;
}

/* Numbers are printed as the graph prints them, so 1 becomes 1.0. */
static void write_cell(mt_buf *out, mt_str cell, bool text_only)
{
    double number;
    char text[MT_NUMBER_TEXT];
    if (text_only) {
        mt_json_quote(out, cell);
    } else if (mt_str_is(cell, "true") || mt_str_is(cell, "false")) {
        mt_buf_adds(out, cell);
    } else if (mt_number_parse(cell, &number) == MT_OK) {
        mt_buf_add(out, text, mt_number_print(number, text));
    } else {
        mt_json_quote(out, cell);
    }
}

/* Takes the first name off a list with commas. */
static mt_str next_name(mt_str *list)
{
    mt_str one = mt_str_from(list->ptr, mt_str_find(*list, ','));
    *list = mt_str_skip(*list, one.len + 1);
    return one;
}

static bool listed(mt_str list, mt_str name)
{
    bool found = false;
    while (!found && list.len) {
        found = mt_str_eq(next_name(&list), name);
    }
    return found;
}

/* The time of an event is not part of it, unless it is asked for. */
static bool wanted(const ho_csv_options *o, mt_str name)
{
    return o->columns.ptr ? listed(o->columns, name)
                          : !o->at.ptr || !mt_str_eq(name, o->at);
}

/* A column that is asked for and not there; its text is NULL if there is none. */
static mt_str column_without(mt_str list, const row *names)
{
    for (mt_str rest = list; rest.len;) {
        mt_str one = next_name(&rest);
        size_t i = 0;
        while (i < names->len && !mt_str_eq(names->items[i], one)) {
            i++;
        }
        if (i == names->len) {
            return one;
        }
    }
    return (mt_str){0};
}

const char *ho_csv_cells(mt_arena *a, mt_str record, const mt_str **cells,
                         size_t *count)
{
    table t = {.arena = *a, .rest = record};
    const char *fault =
        mt_utf8_check(record) == record.len ? NULL : "it is not valid UTF-8";
    row found = fault ? (row){0} : next_row(&t);
    *a = t.arena;
    *cells = found.items;
    *count = found.len;
    return fault ? fault : t.fault;
}

bool ho_csv_value(mt_buf *out, mt_str cell, mt_str type)
{
    double number;
    bool said = mt_str_is(cell, "true") || mt_str_is(cell, "false");
    bool good = mt_str_is(type, "number") || mt_str_is(type, "integer")
                    ? mt_number_parse(cell, &number) == MT_OK
                    : !mt_str_is(type, "boolean") || said;
    if (good) {
        write_cell(out, cell, mt_str_is(type, "string"));
    }
    return good;
}

/* The event time of a row; false: the cell does not have one. */
static bool row_time(const ho_csv_options *o, const row *names, const row *cells,
                     gr_time *out)
{
    for (size_t i = 0; o->at.ptr && i < names->len; i++) {
        if (mt_str_eq(names->items[i], o->at)) {
            return !ho_time_of_cell(cells->items[i], out);
        }
    }
    return true;
}

/* Ids are numbered, so a table gives the same fixture every time. */
static void write_event(mt_buf *out, const ho_csv_options *o, const row *names,
                        const row *cells, size_t number, gr_time at)
{
    mt_buf_addf(out,
                "{\"kind\":\"event\",\"event\":{\"type\":\"%s\",\"id\":\"csv_evt_%zu\"",
                gr_signal_kind_name(o->event_kind), number);
    if (o->at.ptr) {
        mt_buf_addf(out, ",\"at\":{\"secs\":%llu,\"nanos\":%u}",
                    (unsigned long long)at.secs, at.nanos);
    }
    if (o->semantic_kind.ptr) {
        mt_buf_addz(out, ",\"semantic_kind\":");
        mt_json_quote(out, o->semantic_kind);
    }
    mt_buf_addz(out, ",\"payload\":{");
    bool first = true;
    for (size_t i = 0; i < names->len; i++) {
        if (cells->items[i].len && wanted(o, names->items[i])) {
            mt_buf_addz(out, first ? "" : ",");
            mt_json_quote(out, names->items[i]);
            mt_buf_addc(out, ':');
            write_cell(out, cells->items[i], listed(o->text, names->items[i]));
            first = false;
        }
    }
    mt_buf_addz(out, "}}}\n");
}

const char *ho_csv_names_fault(const mt_str *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!names[i].len) {
            return "a column has no name";
        }
        for (size_t n = 0; n < i; n++) {
            if (mt_str_eq(names[i], names[n])) {
                return "two columns have the same name";
            }
        }
    }
    return NULL;
}

/* Every row has as many cells as there are names, or the line is named. */
static mt_err write_rows(table *t, const ho_csv_options *o, const row *names,
                         mt_buf *out, mt_buf *why)
{
    mt_mark mark = mt_arena_mark(&t->arena);
    for (size_t number = 1; t->rest.len; number++) {
        size_t line = t->line;
        row cells = next_row(t);
        if (t->fault) {
            mt_buf_addf(why, "line %zu: %s", line, t->fault);
            return MT_E_SYNTAX;
        }
        if (cells.len != names->len) {
            mt_buf_addf(why, "line %zu: %zu cells, but %zu columns are named", line,
                        cells.len, names->len);
            return MT_E_SYNTAX;
        }
        gr_time at = {0, 0};
        if (!row_time(o, names, &cells, &at)) {
            mt_buf_addf(why,
                        "line %zu: '%.*s' must be seconds, like 1700000000 or "
                        "1700000000.25",
                        line, MT_ARG(o->at));
            return MT_E_SYNTAX;
        }
        write_event(out, o, names, &cells, number, at);
        mt_arena_rewind(&t->arena, mark);
    }
    return MT_OK;
}

mt_err ho_csv_to_fixture(mt_str csv, const ho_csv_options *options, mt_buf *out,
                         mt_buf *why)
{
    table t = {.rest = csv, .line = 1};
    mt_err err = MT_E_SYNTAX;
    if (mt_utf8_check(csv) != csv.len) {
        mt_buf_addf(why, "byte %zu is not valid UTF-8", mt_utf8_check(csv));
        return err;
    }
    row names = next_row(&t);
    const char *fault = t.fault ? t.fault : ho_csv_names_fault(names.items, names.len);
    mt_str lacking = fault ? (mt_str){0} : column_without(options->columns, &names);
    lacking = fault || lacking.ptr ? lacking : column_without(options->text, &names);
    lacking = fault || lacking.ptr ? lacking : column_without(options->at, &names);
    if (fault) {
        mt_buf_addf(why, "line 1: %s", fault);
    } else if (lacking.ptr) {
        mt_buf_addf(why, "line 1: there is no column '%.*s'", MT_ARG(lacking));
    } else if (!t.rest.len) {
        mt_buf_addz(why, "there are no rows");
    } else {
        mt_buf_addz(out, "{\"kind\":\"episode_start\",\"id\":");
        mt_json_quote(out, options->episode);
        mt_buf_addz(out, "}\n");
        err = write_rows(&t, options, &names, out, why);
    }
    mt_arena_free(&t.arena);
    return err;
}
