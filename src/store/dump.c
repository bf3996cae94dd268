/* store/dump.c - the whole store as lines of JSON, and back.
 *
 *     {"motet_store":1,"schema":1}
 *     {"row":["escrow","Account","a-1","held",3,…],"table":"instances"}
 *     {"rows":1,"sha256":"…"}
 *
 * Tables in the order of ST_TABLE_MAP, rows in key order, cells in column order; bytes
 * are hex. The digest is over every byte of the lines before it. Equal stores give
 * equal copies, whichever backend holds them.
 *
 * Out: one reading transaction, so the copy is of one moment although the server works
 * on. In: the store must be empty, and everything arrives in one writing transaction,
 * so a copy that is cut off or changed leaves nothing behind. A line is checked in
 * three steps: JSON, the table it names, a cell of the right kind for every column.
 *
 * What may fail: what st_begin() and the callbacks say, MT_E_EXISTS for a store that
 * is not empty, MT_E_CORRUPT for a copy that does not verify; `why` gets one sentence
 * with the line number. */
#include "base/hash.h"
#include "base/json_write.h"
#include "store/copy.h"
#include "store/driver.h"

typedef struct table {
    mt_str name;
    const char *letters; /* kinds of its columns, as in statements.h */
    st_statement_id dump, load;
} table;

#define TABLE(name, from, order, table, columns, letters, places)                      \
    {MT_STR_INIT(table), letters, ST_SQL_DUMP_##name, ST_SQL_LOAD_##name},
static const table TABLES[] = {ST_TABLE_MAP(TABLE)};
enum { TABLE_COUNT = sizeof TABLES / sizeof *TABLES };

/* ---- Out ---- */

typedef struct writer {
    mt_err (*write)(void *state, mt_str bytes);
    void *state;
    mt_sha256_stream *digest;
    const table *table;
    int64_t rows;
    mt_buf line;
} writer;

static mt_err write_line(writer *w)
{
    mt_buf_addc(&w->line, '\n');
    mt_sha256_add(w->digest, mt_buf_str(&w->line));
    mt_err err = w->write(w->state, mt_buf_str(&w->line));
    mt_buf_clear(&w->line);
    return err;
}

static void write_bytes(mt_buf *out, mt_str bytes)
{
    mt_buf_addc(out, '"');
    if (mt_buf_room(out, 2 * bytes.len)) {
        mt_hex((const unsigned char *)bytes.ptr, bytes.len, out->ptr + out->len);
        out->len += 2 * bytes.len;
    }
    mt_buf_addc(out, '"');
}

/* Cells by their letters, so that a row reads back into the same types. */
static mt_err write_row(void *state, const st_value *cells)
{
    writer *w = state;
    mt_buf_addz(&w->line, "{\"row\":[");
    for (size_t i = 0; w->table->letters[i]; i++) {
        mt_buf_addz(&w->line, i ? "," : "");
        switch (w->table->letters[i]) {
        case 'i': mt_buf_add_i64(&w->line, cells[i].number); break;
        case 'b': write_bytes(&w->line, cells[i].text); break;
        default: mt_json_quote(&w->line, cells[i].text); break;
        }
    }
    mt_buf_addf(&w->line, "],\"table\":\"%.*s\"}", MT_ARG(w->table->name));
    w->rows++;
    return write_line(w);
}

/* The step of the schema that made the table. */
static int since(const table *t)
{
    bool second =
        mt_str_is(t->name, "subjects") || mt_str_is(t->name, "pending_subjects");
    return second ? ST_SCHEMA_SUBJECTS : 1;
}

/* The last line is not part of its own digest. */
static mt_err write_all(writer *w, st_tx *tx)
{
    mt_buf_addf(&w->line, "{\"motet_store\":%d,\"schema\":%d}", ST_COPY_FORMAT,
                tx->store->schema);
    mt_err err = write_line(w);
    for (size_t i = 0; i < TABLE_COUNT && !err; i++) {
        w->table = &TABLES[i];
        err = since(w->table) <= tx->store->schema
                  ? st_run(tx, w->table->dump, NULL, write_row, w, NULL)
                  : MT_OK;
    }
    mt_sha256 digest = mt_sha256_end(w->digest);
    char hex[MT_SHA256_HEX];
    mt_hex(digest.bytes, sizeof digest.bytes, hex);
    mt_buf_addf(&w->line, "{\"rows\":%lld,\"sha256\":\"%.*s\"}\n", (long long)w->rows,
                MT_SHA256_HEX, hex);
    return err ? err : w->write(w->state, mt_buf_str(&w->line));
}

static void explain(mt_buf *why, const char *what, const st_tx *tx, mt_err err)
{
    mt_str said = tx ? st_why(tx) : (mt_str){0};
    said = said.len ? said : mt_str_z(mt_err_text(err));
    if (why) {
        mt_buf_addf(why, "%s: %.*s", what, MT_ARG(said));
    }
}

mt_err st_dump(st_store *s, mt_err (*write)(void *state, mt_str bytes), void *state,
               mt_buf *why)
{
    st_tx *tx = NULL;
    mt_err err = st_begin(s, ST_READ, &tx);
    if (!err) {
        writer w = {.write = write, .state = state, .digest = mt_sha256_stream_new()};
        mt_sha256_start(w.digest);
        err = write_all(&w, tx);
        mt_sha256_stream_free(w.digest);
        mt_buf_free(&w.line);
    }
    if (err) {
        explain(why, "cannot copy the store", tx, err);
    }
    st_rollback(tx);
    return err;
}

/* ---- In ---- */

static const table *table_named(mt_str name)
{
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        if (mt_str_eq(name, TABLES[i].name)) {
            return &TABLES[i];
        }
    }
    return NULL;
}

/* False for a value of another kind than its column; range is for the database to
 * refuse. */
static bool read_cell(mt_arena *a, char letter, const mt_json *node, st_value *out)
{
    if (letter == 'i') {
        return mt_json_i64(node, &out->number) == MT_OK;
    }
    if (!mt_json_is(node, MT_JSON_STRING)) {
        return false;
    }
    out->text = mt_json_text(node);
    if (letter != 'b') {
        return true;
    }
    unsigned char *bytes = mt_alloc(a, out->text.len / 2);
    bool fine = mt_unhex(out->text, bytes, out->text.len / 2);
    out->text = mt_str_from((const char *)bytes, out->text.len / 2);
    return fine;
}

static mt_err bad_line(st_tx *tx, const st_copy *c, mt_err err, const char *what)
{
    return st_fail(tx, err, "line %zu: %s", c->line, what);
}

/* A fault names the line; a transaction that is broken keeps the database's own words.
 */
static mt_err read_row(st_tx *tx, st_copy *c, const mt_json *line)
{
    const table *t = table_named(mt_json_text(mt_json_at(line, "table")));
    const mt_json *row = mt_json_at(line, "row");
    st_value cells[ST_MAX_PARAMS] = {0};
    if (!t || row->count != strlen(t->letters)) {
        return bad_line(tx, c, MT_E_CORRUPT, "it is not a row of a table");
    }
    for (size_t i = 0; t->letters[i]; i++) {
        if (!read_cell(&c->arena, t->letters[i], &row->as.items[i], &cells[i])) {
            return bad_line(tx, c, MT_E_CORRUPT, "a cell has the wrong type");
        }
    }
    mt_err err = st_send(tx, t->load, cells, MT_E_CORRUPT);
    return err && !tx->broken ? bad_line(tx, c, MT_E_CORRUPT, "a cell is out of range")
                              : err;
}

static mt_err note_number(void *state, const st_value *cells)
{
    *(int64_t *)state = cells[0].number;
    return MT_OK;
}

/* Filling what holds something would mix two histories. */
static mt_err must_be_empty(st_tx *tx)
{
    int64_t any = 0;
    mt_err err = st_run(tx, ST_SQL_ANY_ROW, NULL, note_number, &any, NULL);
    return err ? err : any ? st_fail(tx, MT_E_EXISTS, "the store is not empty") : MT_OK;
}

/* Up to the end line, which st_copy_next() has checked. */
static mt_err read_rows(st_tx *tx, st_copy *c)
{
    mt_json line;
    mt_err err;
    while (!(err = st_copy_next(c, &line))) {
        err = read_row(tx, c, &line);
        if (err) {
            return err;
        }
    }
    return err == MT_E_NOTFOUND ? MT_OK : bad_line(tx, c, err, c->fault);
}

/* Copies made before are read: a step may add tables, and until one changes a column
 * their rows fit. Of a newer schema they would by chance at best. Then numbers drawn
 * later are made to follow those that were loaded. */
static mt_err read_all(st_tx *tx, st_copy *c, mt_err (*read)(void *state, mt_str *line),
                       void *state)
{
    mt_err err = st_copy_begin(c, read, state);
    if (err) {
        return bad_line(tx, c, err, c->fault);
    }
    if (c->schema < 1 || c->schema > tx->store->schema) {
        return bad_line(tx, c, MT_E_VERSION, "the copy was made by another version");
    }
    err = read_rows(tx, c);
    st_value least[] = {ST_I(1)};
    return err ? err : st_run(tx, ST_SQL_SETTLE_IDS, least, NULL, NULL, NULL);
}

mt_err st_load(st_store *s, mt_err (*read)(void *state, mt_str *line), void *state,
               mt_buf *why)
{
    st_tx *tx = NULL;
    mt_err err = st_begin(s, ST_WRITE, &tx);
    err = err ? err : must_be_empty(tx);
    if (!err) {
        st_copy c;
        err = read_all(tx, &c, read, state);
        st_copy_end(&c);
    }
    if (err) {
        explain(why, "cannot fill the store", tx, err);
        st_rollback(tx);
        return err;
    }
    err = st_commit(tx);
    if (err) {
        explain(why, "cannot fill the store", NULL, err);
    }
    return err;
}
