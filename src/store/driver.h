/* store/driver.h - what a backend does, and what all groups of calls share.
 * Room: store, private. A driver knows connections and statements; instances.c,
 * flows.c and the others know rows; neither knows the other's business.
 * Ownership: cells given to an st_each live until it returns. */
#ifndef ST_DRIVER_H
#define ST_DRIVER_H

#include "base/vec.h"
#include "store/pool.h"
#include "store/statements.h"
#include "store/store.h"

/* One parameter or one cell of a result; the statement's letters say which half. */
typedef struct st_value {
    mt_str text;
    int64_t number;
} st_value;

#define ST_T(s) ((st_value){.text = (s)})
#define ST_I(n) ((st_value){.number = (n)})

/* An error ends the statement and is given back as it is. */
typedef mt_err st_each(void *state, const st_value *cells);

typedef struct st_driver {
    const char *name;
    bool shared;    /* several processes may write */
    uint32_t chunk; /* rows of one statement of a walk; 0: rows come one by one */
    mt_err (*open)(st_store *s, mt_str url, mt_buf *why);
    void (*close)(st_store *s);
    mt_err (*begin)(st_store *s, st_mode mode, st_tx **out);
    void (*commit_soon)(st_tx *tx); /* NULL: nothing is gained by it */
    mt_err (*commit)(st_tx *tx);
    void (*rollback)(st_tx *tx);
    mt_err (*run)(st_tx *tx, st_statement_id id, const st_value *params, st_each *each,
                  void *state, int64_t *changed);
    /* Writes `rows` rows, one unless the statement is for many; any other number of
     * changed rows is `if_none` (MT_OK: does not matter), perhaps later. */
    mt_err (*send)(st_tx *tx, st_statement_id id, const st_value *params, size_t rows,
                   mt_err if_none);
    /* Reads; the rows come when settle() returns, at the latest. `each` must not use
     * the transaction. */
    mt_err (*ask)(st_tx *tx, st_statement_id id, const st_value *params, size_t rows,
                  st_each *each, void *state);
    mt_err (*settle)(st_tx *tx);
    /* Several statements without parameters or rows. */
    mt_err (*script)(st_tx *tx, const char *sql);
} st_driver;

extern const st_driver ST_SQLITE, ST_POSTGRES;

struct st_tx {
    st_store *store;
    st_mode mode;
    mt_err broken; /* why it can only be rolled back */
    bool ending;   /* st_commit_soon() was called */
    mt_buf why;
    /* Numbers of records, drawn after the last lock was taken. */
    MT_VEC(int64_t) ids;
    size_t ids_used;      /* of the ids drawn */
    bool ids_follow;      /* all that follow the last are free, too */
    int64_t next_seq;     /* -1: not asked yet */
    mt_arena scratch;     /* until the transaction ends */
    MT_VEC(mt_str) kinds; /* of documents that changed */
};

/* The head of every connection. */
struct st_conn {
    st_conn *next;
    st_tx tx;
};

struct st_store {
    const st_driver *driver;
    st_options options;
    mt_arena arena;
    mt_str shown_url, description;
    int schema;
    void *backend; /* the driver's */
};

/* Records the fault; the transaction can only be rolled back. Returns err. */
mt_err st_fail(st_tx *tx, mt_err err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Makes a transaction fresh; and gives back what it held. */
void st_tx_start(st_tx *tx, st_store *s, st_mode mode);
void st_tx_clear(st_tx *tx);
/* Frees what a connection's transaction keeps between uses. */
void st_tx_free(st_tx *tx);

/* ---- For the groups of calls ---- */

/* Would the store take this text? MT_E_TYPE (NUL byte, not UTF-8), MT_E_LIMIT. */
mt_err st_check_text(char letter, mt_str text);
/* Asks and waits: what was sent before is answered first. */
mt_err st_run(st_tx *tx, st_statement_id id, const st_value *params, st_each *each,
              void *state, int64_t *changed);
/* Like st_run(), but the rows may come later: at the latest with st_settle(). */
mt_err st_ask(st_tx *tx, st_statement_id id, const st_value *params, size_t rows,
              st_each *each, void *state);
/* A write of one row; when there is none, `if_none`, perhaps with a later call. */
mt_err st_send(st_tx *tx, st_statement_id id, const st_value *params, mt_err if_none);
/* A statement for many rows, or its form for one: `rows` times the parameters of one
 * row; when not all are written, `if_none`, perhaps with a later call. */
mt_err st_send_many(st_tx *tx, st_statement_id id, const st_value *params, size_t rows,
                    mt_err if_none);
/* A write of one row; MT_E_EXISTS or MT_E_NOTFOUND at once, the transaction goes on. */
mt_err st_write(st_tx *tx, st_statement_id id, const st_value *params, mt_err if_none);

/* Fills *out from cells; texts are copied unless `a` is NULL. */
typedef void st_reader(mt_arena *a, const st_value *cells, void *out);
/* MT_E_NOTFOUND: there is no such row, or could never be one by this key. */
mt_err st_get(st_tx *tx, st_statement_id id, const st_value *params, st_reader *read,
              mt_arena *a, void *out);
/* The same later; *found tells whether there was such a row. */
mt_err st_get_soon(st_tx *tx, st_statement_id id, const st_value *params,
                   st_reader *read, mt_arena *a, void *out, bool *found);
/* All rows, `size` bytes each, in the arena. */
mt_err st_list(st_tx *tx, st_statement_id id, const st_value *params, st_reader *read,
               mt_arena *a, size_t size, void **rows, size_t *count);

/* The statement for so many rows. */
static inline st_statement_id st_form(const st_tx *tx, st_statement_id many,
                                      size_t rows)
{
    return rows == 1 && tx->store->driver->shared ? many + 1 : many;
}

/* Is the statement one for many rows? What kind is a parameter? */
static inline bool st_is_many(const char *letters)
{
    return *letters >= 'A' && *letters <= 'Z';
}

static inline char st_kind(char letter)
{
    return (char)(letter | 0x20);
}

static inline mt_str st_keep(mt_arena *a, mt_str s)
{
    return a ? mt_str_dup(a, s) : s;
}

/* A walk in key order: after each chunk, cell key_cell[i] of its last row becomes
 * parameter key_param[i]. */
typedef struct st_walk {
    st_statement_id id;
    st_value *params;
    size_t limit_param; /* which parameter is the number of rows */
    size_t key_count, key_cell[2], key_param[2];
} st_walk;
/* 0 means all. */
static inline uint64_t st_page_limit(st_page page)
{
    return page.limit ? page.limit : (uint64_t)INT64_MAX;
}
/* *left: what of the limit is left. */
mt_err st_walk_run(st_tx *tx, const st_walk *walk, st_each *each, void *state,
                   uint64_t *left);

/* Locks were taken: numbers drawn before are stale. */
void st_ids_forget(st_tx *tx);

/* The step of the schema that made the tables of subjects. */
enum { ST_SCHEMA_SUBJECTS = 2 };

/* store/schema.c: brings the tables to this program's version. */
/* `empty`: there are no tables yet. */
mt_err st_migrate(st_tx *tx, bool empty, bool may_change, int *version);

#endif
