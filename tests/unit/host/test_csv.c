/* Tables as fixtures: cells, line ends, columns, and what is said of a broken table. */
#include "../rows.h"

#include "host/graph_csv.h"

#define HEAD "{\"kind\":\"episode_start\",\"id\":\"E1\"}\n"
#define EVENT(n, payload)                                                              \
    "{\"kind\":\"event\",\"event\":{\"type\":\"Command\",\"id\":\"csv_evt_" n          \
    "\",\"payload\":{" payload "}}}\n"

#define TIMED(n, secs, nanos, payload)                                                 \
    "{\"kind\":\"event\",\"event\":{\"type\":\"Command\",\"id\":\"csv_evt_" n          \
    "\",\"at\":{\"secs\":" secs ",\"nanos\":" nanos "},\"payload\":{" payload "}}}\n"

static const struct row {
    const char *name, *csv, *columns; /* NULL: all */
    const char *want, *why;           /* one of them */
} ROWS[] = {
    {"one row, one column", "a\n1\n", NULL, HEAD EVENT("1", "\"a\":1.0"), NULL},
    {"a table without a last line end", "a\n1", NULL, HEAD EVENT("1", "\"a\":1.0"),
     NULL},
    {"lines may end in either way", "a,b\r\n1,x\r\n2,y\r\n", NULL,
     HEAD EVENT("1", "\"a\":1.0,\"b\":\"x\"") EVENT("2", "\"a\":2.0,\"b\":\"y\""),
     NULL},
    {"a return alone belongs to the cell", "a\nx\ry\n", NULL,
     HEAD EVENT("1", "\"a\":\"x\\ry\""), NULL},
    {"true and false are no texts", "a,b\ntrue,false\n", NULL,
     HEAD EVENT("1", "\"a\":true,\"b\":false"), NULL},
    {"numbers are numbers", "a,b,c\n-2.50,1e3,0x10\n", NULL,
     HEAD EVENT("1", "\"a\":-2.5,\"b\":1000.0,\"c\":\"0x10\""), NULL},
    {"an empty cell is left out", "a,b,c\n,2,\n", NULL, HEAD EVENT("1", "\"b\":2.0"),
     NULL},
    {"quotes hold commas, quotes and line ends", "a\n\"x, \"\"y\"\"\nz\"\n", NULL,
     HEAD EVENT("1", "\"a\":\"x, \\\"y\\\"\\nz\""), NULL},
    {"a quoted cell may end the table", "a,b\n1,\"x\"", NULL,
     HEAD EVENT("1", "\"a\":1.0,\"b\":\"x\""), NULL},
    {"a quoted cell may end a line in either way", "a\n\"x\"\r\n\"y\"\r\n", NULL,
     HEAD EVENT("1", "\"a\":\"x\"") EVENT("2", "\"a\":\"y\""), NULL},
    {"names may be quoted", "\"a,b\"\n1\n", NULL, HEAD EVENT("1", "\"a,b\":1.0"), NULL},
    {"columns are chosen by name", "a,b,c\n1,2,3\n", "c,a",
     HEAD EVENT("1", "\"a\":1.0,\"c\":3.0"), NULL},
    {"one column is chosen", "a,b\n1,2\n", "b", HEAD EVENT("1", "\"b\":2.0"), NULL},
    {"a column that is not there", "a,b\n1,2\n", "a,x", NULL,
     "line 1: there is no column 'x'"},
    {"a column without a name", "a,,c\n1,2,3\n", NULL, NULL,
     "line 1: a column has no name"},
    {"two columns of one name", "a,b,a\n1,2,3\n", NULL, NULL,
     "line 1: two columns have the same name"},
    {"no rows", "a,b\n", NULL, NULL, "there are no rows"},
    {"a cell too few", "a,b\n1,2\n3\n", NULL, NULL,
     "line 3: 1 cells, but 2 columns are named"},
    {"a cell too many", "a\n1,2\n", NULL, NULL,
     "line 2: 2 cells, but 1 columns are named"},
    {"a quote that never closes", "a\n\"x\n", NULL, NULL,
     "line 2: a quoted cell is not closed"},
    {"a quote that never closes, in the names", "\"a\n", NULL, NULL,
     "line 1: a quoted cell is not closed"},
    {"text behind a quote", "a,b\n1,2\n\"x\"y,2\n", NULL, NULL,
     "line 3: there is text behind the closing quote of a cell"},
    {"a comma behind a return behind a quote", "a,b\n\"x\"\r,2\n", NULL, NULL,
     "line 2: there is text behind the closing quote of a cell"},
    {"lines inside quotes are counted", "a\n\"x\ny\"\n\"z", NULL, NULL,
     "line 4: a quoted cell is not closed"},
    {"bytes that are no text", "a\nx\xff\n", NULL, NULL, "byte 3 is not valid UTF-8"},
    {"a return alone ends the table", "a\n\"x\"\r", NULL,
     HEAD EVENT("1", "\"a\":\"x\""), NULL},
};

static const struct more {
    const char *name, *at, *text, *csv, *columns, *want, *why;
} MORE[] = {
    {"columns that are text, whatever they look like", NULL, "c,b", "a,b,c\n1,2,true\n",
     NULL, HEAD EVENT("1", "\"a\":1.0,\"b\":\"2\",\"c\":\"true\""), NULL},
    {"a column that would be text", NULL, "a,x", "a\n1\n", NULL, NULL,
     "line 1: there is no column 'x'"},
    {"the time is not part of the event", "t", NULL, "a,t,b\n1,1700000000.25,2\n,3,\n",
     NULL,
     HEAD TIMED("1", "1700000000", "250000000", "\"a\":1.0,\"b\":2.0")
         TIMED("2", "3", "0", ""),
     NULL},
    {"the time as well if it is asked for", "t", NULL, "t,b\n3,2\n", "t",
     HEAD TIMED("1", "3", "0", "\"t\":3.0"), NULL},
    {"a time that is none", "t", NULL, "t,b\n1,2\nx,2\n", NULL, NULL,
     "line 3: 't' must be seconds, like 1700000000 or 1700000000.25"},
    {"a column that would be the time", "t", NULL, "a,b\n1,2\n", NULL, NULL,
     "line 1: there is no column 't'"},
};

static mt_str text_of(const char *text)
{
    return text ? mt_str_z(text) : (mt_str){0};
}

static void more_becomes(void **state)
{
    const struct more *row = *state;
    ho_csv_options o = {.event_kind = GR_COMMAND,
                        .episode = MT_STR("E1"),
                        .columns = text_of(row->columns),
                        .at = text_of(row->at),
                        .text = text_of(row->text)};
    mt_buf out = {0}, why = {0};
    assert_int_equal(ho_csv_to_fixture(mt_str_z(row->csv), &o, &out, &why),
                     row->want ? MT_OK : MT_E_SYNTAX);
    assert_text(mt_buf_str(&why), text_of(row->why));
    if (row->want) {
        assert_text(mt_buf_str(&out), mt_str_z(row->want));
    }
    mt_buf_free(&out);
    mt_buf_free(&why);
}

static void becomes(void **state)
{
    const struct row *row = *state;
    ho_csv_options o = {.event_kind = GR_COMMAND, .episode = MT_STR("E1")};
    mt_buf out = {0}, why = {0};
    o.columns = row->columns ? mt_str_z(row->columns) : (mt_str){0};
    mt_str csv = fenced(mt_str_z(row->csv));
    assert_int_equal(ho_csv_to_fixture(csv, &o, &out, &why),
                     row->want ? MT_OK : MT_E_SYNTAX);
    assert_text(mt_buf_str(&why), mt_str_z(row->why ? row->why : ""));
    if (row->want) {
        assert_text(mt_buf_str(&out), mt_str_z(row->want));
    }
    fenced_free(csv);
    mt_buf_free(&out);
    mt_buf_free(&why);
}

static void a_row_is_of_the_kind_that_is_asked_for(void **state)
{
    (void)state;
    ho_csv_options o = {.event_kind = GR_PUMP,
                        .episode = MT_STR("a \"b\""),
                        .semantic_kind = MT_STR("p\"q")};
    mt_buf out = {0}, why = {0};
    assert_int_equal(ho_csv_to_fixture(MT_STR("a\n1\n"), &o, &out, &why), MT_OK);
    assert_text(mt_buf_str(&out),
                MT_STR("{\"kind\":\"episode_start\",\"id\":\"a \\\"b\\\"\"}\n"
                       "{\"kind\":\"event\",\"event\":{\"type\":\"Pump\",\"id\":"
                       "\"csv_evt_1\",\"semantic_kind\":\"p\\\"q\",\"payload\":"
                       "{\"a\":1.0}}}\n"));
    mt_buf_free(&out);
    mt_buf_free(&why);
}

/* A cell as a value of the type that a schema says. */
static void a_cell_is_a_value_of_its_type(void **state)
{
    static const struct {
        const char *cell, *type, *want; /* NULL: it is not one */
    } CELLS[] = {
        {"1", "", "1.0"},
        {"1", "number", "1.0"},
        {"x", "number", NULL},
        {"true", "number", NULL},
        {"2", "integer", "2.0"},
        {"x", "integer", NULL},
        {"true", "boolean", "true"},
        {"false", "boolean", "false"},
        {"1", "boolean", NULL},
        {"1", "string", "\"1\""},
        {"true", "string", "\"true\""},
        {"x", "", "\"x\""},
        {"false", "", "false"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof CELLS / sizeof *CELLS; i++) {
        mt_buf out = {0};
        assert_int_equal(
            ho_csv_value(&out, mt_str_z(CELLS[i].cell), mt_str_z(CELLS[i].type)),
            CELLS[i].want != NULL);
        assert_text(mt_buf_str(&out), mt_str_z(CELLS[i].want ? CELLS[i].want : ""));
        mt_buf_free(&out);
    }
}

static void a_record_is_its_cells(void **state)
{
    (void)state;
    mt_arena a = {0};
    const mt_str *cells;
    size_t count;
    assert_null(ho_csv_cells(&a, MT_STR("a,\"b\n,\",\n"), &cells, &count));
    assert_int_equal(count, 3);
    assert_text(cells[0], MT_STR("a"));
    assert_text(cells[1], MT_STR("b\n,"));
    assert_text(cells[2], MT_STR(""));
    assert_string_equal(ho_csv_cells(&a, MT_STR("a,\xff"), &cells, &count),
                        "it is not valid UTF-8");
    assert_int_equal(count, 0);
    assert_string_equal(ho_csv_cells(&a, MT_STR("a,\"b"), &cells, &count),
                        "a quoted cell is not closed");
    mt_arena_free(&a);
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, ROWS, becomes);
    rows_add(&list, MORE, more_becomes);
    rows_test(&list, a_row_is_of_the_kind_that_is_asked_for);
    rows_test(&list, a_cell_is_a_value_of_its_type);
    rows_test(&list, a_record_is_its_cells);
    return rows_run(&list, "host/csv");
}
