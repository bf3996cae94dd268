/* store/schema.c - the tables, as numbered steps from an empty database to today's.
 *
 * A step that has been released is never changed: a store made by it exists somewhere.
 * A new one is a new row. All missing steps run in one transaction.
 *
 * The two texts of a step differ in how bytes and byte order are spelled, and in the
 * keys: SQLite gets small rows in key order (WITHOUT ROWID) and its own row number as
 * the ledger's seq, so that walking the chain is one scan without an index. PostgreSQL
 * gets COLLATE "C" for every key, because order is by bytes in every output, and a
 * fill factor where rows are updated in place.
 *
 * A reader, who may change nothing, reads what there is of an older store: steps so far
 * only added tables, and whoever reads the ledger needs none of them.
 *
 * What may fail: MT_E_VERSION when the store is newer than the program; MT_E_CORRUPT
 * when it has tables and no version. */
#include "store/driver.h"

typedef struct step {
    const char *sqlite, *postgres;
} step;

static const step STEPS[] = {
    {
        "CREATE TABLE meta (name TEXT PRIMARY KEY, number INTEGER NOT NULL,"
        " text TEXT NOT NULL) STRICT, WITHOUT ROWID;"
        "CREATE TABLE instances (scope TEXT NOT NULL, entity TEXT NOT NULL,"
        " id TEXT NOT NULL, state TEXT NOT NULL, version INTEGER NOT NULL,"
        " created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL,"
        " deleted INTEGER NOT NULL, last_flow TEXT NOT NULL,"
        " last_operation TEXT NOT NULL,"
        " PRIMARY KEY (scope, entity, id)) STRICT, WITHOUT ROWID;"
        "CREATE TABLE flows (id TEXT PRIMARY KEY, contract TEXT NOT NULL,"
        " etag TEXT NOT NULL, flow TEXT NOT NULL, persona TEXT NOT NULL,"
        " initiator TEXT NOT NULL, status TEXT NOT NULL, outcome TEXT NOT NULL,"
        " waiting_step TEXT NOT NULL, waiting_persona TEXT NOT NULL,"
        " bindings TEXT NOT NULL, facts TEXT NOT NULL, position TEXT NOT NULL,"
        " extra TEXT NOT NULL, version INTEGER NOT NULL,"
        " started_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL) STRICT;"
        "CREATE INDEX flows_open ON flows (id)"
        " WHERE status IN ('running', 'waiting');"
        "CREATE TABLE ledger (seq INTEGER PRIMARY KEY, id INTEGER NOT NULL UNIQUE,"
        " kind TEXT NOT NULL, contract TEXT NOT NULL, flow TEXT NOT NULL,"
        " subject TEXT NOT NULL, time_ms INTEGER NOT NULL, body TEXT NOT NULL,"
        " hash BLOB NOT NULL) STRICT;"
        "CREATE INDEX ledger_subject ON ledger (subject) WHERE subject <> '';"
        "CREATE INDEX ledger_flow ON ledger (flow) WHERE flow <> '';"
        "CREATE TABLE pending (id INTEGER PRIMARY KEY, kind TEXT NOT NULL,"
        " contract TEXT NOT NULL, flow TEXT NOT NULL, subject TEXT NOT NULL,"
        " time_ms INTEGER NOT NULL, body TEXT NOT NULL) STRICT;"
        "CREATE TABLE checkpoints (size INTEGER PRIMARY KEY, text TEXT NOT NULL)"
        " STRICT;"
        "CREATE TABLE triggers (id TEXT PRIMARY KEY, status TEXT NOT NULL,"
        " body TEXT NOT NULL, attempts INTEGER NOT NULL, due_ms INTEGER NOT NULL,"
        " created_ms INTEGER NOT NULL) STRICT;"
        "CREATE INDEX triggers_due ON triggers (due_ms, id) WHERE status = 'pending';"
        "CREATE TABLE answers (caller TEXT NOT NULL, key TEXT NOT NULL,"
        " request TEXT NOT NULL, status INTEGER NOT NULL, body TEXT NOT NULL,"
        " created_ms INTEGER NOT NULL, PRIMARY KEY (caller, key)) STRICT;"
        "CREATE TABLE docs (kind TEXT NOT NULL, id TEXT NOT NULL, tag TEXT NOT NULL,"
        " body TEXT NOT NULL, version INTEGER NOT NULL, updated_ms INTEGER NOT NULL,"
        " PRIMARY KEY (kind, id)) STRICT;"
        "CREATE INDEX docs_tag ON docs (kind, tag, id) WHERE tag <> '';"
        "CREATE TABLE stamps (kind TEXT PRIMARY KEY, stamp INTEGER NOT NULL)"
        " STRICT, WITHOUT ROWID;",

        "CREATE TABLE meta (name TEXT COLLATE \"C\" PRIMARY KEY,"
        " number BIGINT NOT NULL, text TEXT NOT NULL);"
        "CREATE TABLE instances (scope TEXT COLLATE \"C\" NOT NULL,"
        " entity TEXT COLLATE \"C\" NOT NULL, id TEXT COLLATE \"C\" NOT NULL,"
        " state TEXT COLLATE \"C\" NOT NULL, version BIGINT NOT NULL,"
        " created_ms BIGINT NOT NULL, updated_ms BIGINT NOT NULL,"
        " deleted BIGINT NOT NULL, last_flow TEXT NOT NULL,"
        " last_operation TEXT NOT NULL, PRIMARY KEY (scope, entity, id))"
        " WITH (fillfactor = 80);"
        "CREATE TABLE flows (id TEXT COLLATE \"C\" PRIMARY KEY,"
        " contract TEXT COLLATE \"C\" NOT NULL, etag TEXT COLLATE \"C\" NOT NULL,"
        " flow TEXT COLLATE \"C\" NOT NULL, persona TEXT COLLATE \"C\" NOT NULL,"
        " initiator TEXT COLLATE \"C\" NOT NULL, status TEXT COLLATE \"C\" NOT NULL,"
        " outcome TEXT COLLATE \"C\" NOT NULL, waiting_step TEXT NOT NULL,"
        " waiting_persona TEXT COLLATE \"C\" NOT NULL, bindings TEXT NOT NULL,"
        " facts TEXT NOT NULL, position TEXT NOT NULL, extra TEXT NOT NULL,"
        " version BIGINT NOT NULL, started_ms BIGINT NOT NULL,"
        " updated_ms BIGINT NOT NULL) WITH (fillfactor = 80);"
        "CREATE INDEX flows_open ON flows (id)"
        " WHERE status IN ('running', 'waiting');"
        "CREATE SEQUENCE record_ids;"
        "CREATE TABLE ledger (seq BIGINT PRIMARY KEY, id BIGINT NOT NULL UNIQUE,"
        " kind TEXT COLLATE \"C\" NOT NULL, contract TEXT COLLATE \"C\" NOT NULL,"
        " flow TEXT COLLATE \"C\" NOT NULL, subject TEXT COLLATE \"C\" NOT NULL,"
        " time_ms BIGINT NOT NULL, body TEXT NOT NULL, hash BYTEA NOT NULL);"
        "CREATE INDEX ledger_subject ON ledger (subject, seq) WHERE subject <> '';"
        "CREATE INDEX ledger_flow ON ledger (flow, seq) WHERE flow <> '';"
        "CREATE TABLE pending (id BIGINT PRIMARY KEY,"
        " kind TEXT COLLATE \"C\" NOT NULL, contract TEXT COLLATE \"C\" NOT NULL,"
        " flow TEXT COLLATE \"C\" NOT NULL, subject TEXT COLLATE \"C\" NOT NULL,"
        " time_ms BIGINT NOT NULL, body TEXT NOT NULL);"
        "CREATE TABLE checkpoints (size BIGINT PRIMARY KEY, text TEXT NOT NULL);"
        "CREATE TABLE triggers (id TEXT COLLATE \"C\" PRIMARY KEY,"
        " status TEXT COLLATE \"C\" NOT NULL, body TEXT NOT NULL,"
        " attempts BIGINT NOT NULL, due_ms BIGINT NOT NULL,"
        " created_ms BIGINT NOT NULL);"
        "CREATE INDEX triggers_due ON triggers (due_ms, id) WHERE status = 'pending';"
        "CREATE TABLE answers (caller TEXT COLLATE \"C\" NOT NULL,"
        " key TEXT COLLATE \"C\" NOT NULL, request TEXT NOT NULL,"
        " status BIGINT NOT NULL, body TEXT NOT NULL, created_ms BIGINT NOT NULL,"
        " PRIMARY KEY (caller, key));"
        "CREATE INDEX answers_age ON answers (created_ms);"
        "CREATE TABLE docs (kind TEXT COLLATE \"C\" NOT NULL,"
        " id TEXT COLLATE \"C\" NOT NULL, tag TEXT COLLATE \"C\" NOT NULL,"
        " body TEXT NOT NULL, version BIGINT NOT NULL, updated_ms BIGINT NOT NULL,"
        " PRIMARY KEY (kind, id));"
        "CREATE INDEX docs_tag ON docs (kind, tag, id) WHERE tag <> '';"
        "CREATE TABLE stamps (kind TEXT COLLATE \"C\" PRIMARY KEY,"
        " stamp BIGINT NOT NULL);",
    },
    /* What else a record is about than its subject: chained ones, and queued ones. */
    {
        "CREATE TABLE subjects (about TEXT NOT NULL, place INTEGER NOT NULL,"
        " PRIMARY KEY (about, place)) STRICT, WITHOUT ROWID;"
        "CREATE TABLE pending_subjects (about TEXT NOT NULL, number INTEGER NOT NULL,"
        " PRIMARY KEY (number, about)) STRICT, WITHOUT ROWID;",

        "CREATE TABLE subjects (about TEXT COLLATE \"C\" NOT NULL,"
        " place BIGINT NOT NULL, PRIMARY KEY (about, place));"
        "CREATE TABLE pending_subjects (about TEXT COLLATE \"C\" NOT NULL,"
        " number BIGINT NOT NULL, PRIMARY KEY (number, about));",
    },
};

enum { NEWEST = (int)(sizeof STEPS / sizeof *STEPS) };

static mt_err read_number(void *state, const st_value *cells)
{
    *(int64_t *)state = cells[0].number;
    return MT_OK;
}

/* The version is written last, in the same transaction: half of a step is never seen.
 */
static mt_err run_steps(st_tx *tx, int from)
{
    bool sqlite = tx->store->driver == &ST_SQLITE;
    mt_err err = MT_OK;
    for (int i = from; i < NEWEST && !err; i++) {
        err =
            tx->store->driver->script(tx, sqlite ? STEPS[i].sqlite : STEPS[i].postgres);
    }
    st_value to[] = {ST_I(NEWEST)};
    return err ? err : st_send(tx, ST_SQL_SET_VERSION, to, MT_E_CORRUPT);
}

mt_err st_migrate(st_tx *tx, bool empty, bool may_change, int *version)
{
    int64_t stored = 0;
    mt_err err =
        empty ? MT_OK : st_run(tx, ST_SQL_VERSION, NULL, read_number, &stored, NULL);
    if (err) {
        return err;
    }
    if (stored > NEWEST) {
        return st_fail(
            tx, MT_E_VERSION,
            "the store has schema %lld, this program knows schema %d at most",
            (long long)stored, NEWEST);
    }
    if (stored < (empty ? 0 : 1)) {
        return st_fail(tx, MT_E_CORRUPT, "the store has no schema version");
    }
    *version = may_change ? NEWEST : (int)stored;
    if (stored == NEWEST || (!may_change && tx->store->options.read_only)) {
        return MT_OK;
    }
    return may_change ? run_steps(tx, (int)stored)
                      : st_fail(tx, MT_E_VERSION, "the store has schema %lld, not %d",
                                (long long)stored, NEWEST);
}
