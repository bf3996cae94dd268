/* store/statements.h - every statement of the store, in one table for both backends.
 * Room: store, private.
 * A row: name, letters of the parameters, letters of the result, text, and PostgreSQL's
 * own text where it differs ("": the same). Letters: i number, k key text, s long key
 * text, t text, b bytes. A capital: a statement for many rows; SQLite runs it once for
 * each, PostgreSQL once for all, the parameter being the list of the rows' values, and
 * it fails (MT_E_CONFLICT) unless every row is written. Next to it in the table stands
 * what PostgreSQL does faster for a single row. Parameters must first appear in the
 * order $1, $2, …: SQLite numbers them by appearance. */
#ifndef ST_STATEMENTS_H
#define ST_STATEMENTS_H

#include <stdbool.h>

/* clang-format off */
#define ST_INSTANCE_COLUMNS                                                            \
    "scope, entity, id, state, version, created_ms, updated_ms, deleted, last_flow, "  \
    "last_operation"
#define ST_INSTANCE_LETTERS "kkkkiiiikk"
#define ST_FLOW_COLUMNS                                                                \
    "id, contract, etag, flow, persona, initiator, status, outcome, waiting_step, "    \
    "waiting_persona, bindings, facts, position, extra, version, started_ms, "         \
    "updated_ms"
#define ST_FLOW_LETTERS "kkkkkkkkkkttttiii"
#define ST_RECORD_COLUMNS                                                              \
    "id, seq, kind, contract, flow, subject, time_ms, body, hash"
#define ST_RECORD_LETTERS "iikkksitb"
#define ST_PENDING_COLUMNS "id, kind, contract, flow, subject, time_ms, body"
#define ST_PENDING_LETTERS "ikkksit"
#define ST_TRIGGER_COLUMNS "id, status, body, attempts, due_ms, created_ms"
#define ST_TRIGGER_LETTERS "sktiii"
#define ST_ANSWER_COLUMNS "caller, key, request, status, body, created_ms"
#define ST_ANSWER_LETTERS "kktiti"
#define ST_DOC_COLUMNS "kind, id, tag, body, version, updated_ms"
#define ST_DOC_LETTERS "kkktii"

#define ST_LOCK_KEY "hashtextextended('motet ' || $1, 0)"
/* Ends with an error, and so with it the transaction, unless `done` has all rows. */
#define ST_ALL_DONE " SELECT 1 / (count(*) = cardinality($1))::int::bigint FROM done"

/* Empty means any. */
#define ST_ANY(column, n) " AND ($" #n " = '' OR " column " = $" #n ")"
#define ST_OPEN_FLOWS " AND status IN ('running', 'waiting')"
#define ST_FLOW_WHERE                                                                  \
    "SELECT " ST_FLOW_COLUMNS " FROM flows WHERE id > $1" ST_ANY("contract", 2)        \
    ST_ANY("etag", 3) ST_ANY("flow", 4) ST_ANY("status", 5) ST_ANY("outcome", 6)       \
    ST_ANY("persona", 7) ST_ANY("waiting_persona", 8)
#define ST_LEDGER_WHERE(path, order)                                                   \
    "SELECT " ST_RECORD_COLUMNS " FROM ledger WHERE seq > $1 AND seq < $2"             \
    ST_ANY("kind", 3) ST_ANY("contract", 4) ST_ANY("flow", 5) ST_ANY("subject", 6)     \
    " AND time_ms >= $7 AND time_ms < $8" path " ORDER BY seq " order " LIMIT $9"
#define ST_PENDING_WHERE(also, order)                                                  \
    "SELECT " ST_PENDING_COLUMNS " FROM pending WHERE id > $1 AND id < $2"             \
    ST_ANY("kind", 3) ST_ANY("contract", 4) ST_ANY("flow", 5)                          \
    " AND ($6 = '' OR subject = $6" also ")"                                           \
    " AND time_ms >= $7 AND time_ms < $8 ORDER BY id " order " LIMIT $9"
#define ST_PENDING_ALSO                                                                \
    " OR id IN (SELECT number FROM pending_subjects WHERE about = $6)"
/* A record is found by its own subject, and by those it is about besides. */
#define ST_SUBJECT_WHERE(order)                                                        \
    "SELECT " ST_RECORD_COLUMNS " FROM ledger WHERE seq > $1 AND seq < $2"             \
    ST_ANY("kind", 3) ST_ANY("contract", 4) ST_ANY("flow", 5)                          \
    ST_BY_SUBJECT " AND time_ms >= $7 AND time_ms < $8 "                               \
    "UNION ALL SELECT id, place, kind, contract, flow, subject, time_ms, body, hash "  \
    "FROM subjects, ledger WHERE about = $6 AND place > $1 AND place < $2 "            \
    "AND seq = place" ST_ANY("kind", 3) ST_ANY("contract", 4) ST_ANY("flow", 5)        \
    " AND time_ms >= $7 AND time_ms < $8 ORDER BY seq " order " LIMIT $9"
/* The indexes leave out empty texts; the second term says so to the planner. */
#define ST_BY_SUBJECT " AND subject = $6 AND subject <> ''"
#define ST_BY_FLOW " AND flow = $5 AND flow <> ''"
#define ST_RECORD_FILTER "iikkksiii"

#define ST_INSTANCE_PUT                                                                \
    "UPDATE instances SET state = $1, version = $2, updated_ms = $3, deleted = $4, "   \
    "last_flow = $5, last_operation = $6 "                                             \
    "WHERE scope = $7 AND entity = $8 AND id = $9 AND version = $10"
#define ST_INSERT_6 "($1, $2, $3, $4, $5, $6)"
#define ST_INSERT_7 "($1, $2, $3, $4, $5, $6, $7)"
#define ST_INSERT_9 "($1, $2, $3, $4, $5, $6, $7, $8, $9)"
#define ST_INSERT_10 "($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
#define ST_INSERT_17                                                                   \
    "($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)"

#define ST_STATEMENT_MAP(X)                                                            \
    X(VERSION, "", "i", "SELECT number FROM meta WHERE name = 'schema'", "")           \
    X(SET_VERSION, "i", "",                                                            \
      "INSERT INTO meta (name, number, text) VALUES ('schema', $1, '') "               \
      "ON CONFLICT (name) DO UPDATE SET number = excluded.number", "")                 \
    X(TABLE_COUNT, "", "i", "SELECT count(*) FROM sqlite_schema WHERE type = 'table'", \
      "SELECT count(*) FROM pg_tables WHERE schemaname = 'motet'")                     \
    X(HAS_META, "", "i",                                                               \
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'meta'",     \
      "SELECT count(*) FROM pg_tables WHERE schemaname = 'motet' "                     \
      "AND tablename = 'meta'")                                                        \
    X(PING, "", "i", "SELECT CAST(1 AS BIGINT)", "")                                   \
    /* A file is on this machine: its clock is ours, and 0 says so. */                 \
    X(CLOCK, "", "i", "SELECT CAST(0 AS BIGINT)",                                      \
      "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")                 \
    /* Locks with names are for databases that several nodes share; a file has         \
     * one writer, who holds everything. */                                            \
    X(TRY_LOCK, "k", "i", "SELECT 1 WHERE $1 <> ''",                                   \
      "SELECT pg_try_advisory_xact_lock(" ST_LOCK_KEY ")::int::bigint")                \
    X(LOCK, "k", "i", "SELECT 1 WHERE $1 <> ''",                                       \
      "SELECT 1::bigint FROM pg_advisory_xact_lock(" ST_LOCK_KEY ")")                  \
    X(LOCK_SHARED, "k", "i", "SELECT 1 WHERE $1 <> ''",                                \
      "SELECT 1::bigint FROM pg_advisory_xact_lock_shared(" ST_LOCK_KEY ")")           \
    /* Instances */                                                                    \
    X(INSTANCE_ADD, ST_INSTANCE_LETTERS, "",                                           \
      "INSERT INTO instances (" ST_INSTANCE_COLUMNS ") VALUES " ST_INSERT_10           \
      " ON CONFLICT DO NOTHING", "")                                                   \
    X(INSTANCE_GET, "kkk", ST_INSTANCE_LETTERS,                                        \
      "SELECT " ST_INSTANCE_COLUMNS " FROM instances "                                 \
      "WHERE scope = $1 AND entity = $2 AND id = $3", "")                              \
    /* Rows are locked in the order of their keys, so two transactions that want       \
     * the same ones never wait for each other in a circle. */                         \
    X(INSTANCE_LOCK, "KKK", ST_INSTANCE_LETTERS,                                       \
      "SELECT " ST_INSTANCE_COLUMNS " FROM instances "                                 \
      "WHERE scope = $1 AND entity = $2 AND id = $3",                                  \
      "SELECT " ST_INSTANCE_COLUMNS " FROM unnest($1, $2, $3) AS k (s, e, i) "     \
      "JOIN instances ON scope = s AND entity = e AND id = i "                         \
      "ORDER BY scope, entity, id FOR UPDATE OF instances")                            \
    X(INSTANCE_LOCK_ONE, "kkk", ST_INSTANCE_LETTERS,                                   \
      "SELECT " ST_INSTANCE_COLUMNS " FROM instances "                                 \
      "WHERE scope = $1 AND entity = $2 AND id = $3",                                  \
      "SELECT " ST_INSTANCE_COLUMNS " FROM instances "                                 \
      "WHERE scope = $1 AND entity = $2 AND id = $3 FOR UPDATE")                       \
    /* A row of another version is not written. PostgreSQL is asked without            \
     * waiting, so it has to fail by itself: it divides by zero, which ends the        \
     * transaction. */                                                                 \
    X(INSTANCE_PUT, "KIIIKKKKKI", "", ST_INSTANCE_PUT,                                 \
      "WITH done AS (UPDATE instances AS i SET state = n.state, version = n.version, " \
      "updated_ms = n.updated_ms, deleted = n.deleted, last_flow = n.last_flow, "      \
      "last_operation = n.last_operation "                                             \
      "FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS n (state, version, "    \
      "updated_ms, deleted, last_flow, last_operation, scope, entity, id, was) "       \
      "WHERE i.scope = n.scope AND i.entity = n.entity AND i.id = n.id "               \
      "AND i.version = n.was RETURNING 1)" ST_ALL_DONE)                                \
    X(INSTANCE_PUT_ONE, "kiiikkkkki", "", ST_INSTANCE_PUT,                             \
      "WITH done AS (" ST_INSTANCE_PUT " RETURNING 1) SELECT 1 / count(*) FROM done")  \
    X(INSTANCE_WALK, "kkkkii", ST_INSTANCE_LETTERS,                                    \
      "SELECT " ST_INSTANCE_COLUMNS " FROM instances WHERE scope = $1 "                \
      "AND entity = $2 AND id > $3" ST_ANY("state", 4)                                 \
      " AND deleted <= $5 ORDER BY id LIMIT $6", "")                                   \
    X(INSTANCE_WALK_ALL, "kkkkii", ST_INSTANCE_LETTERS,                                \
      "SELECT " ST_INSTANCE_COLUMNS " FROM instances WHERE scope = $1 "                \
      "AND (entity, id) > ($2, $3)" ST_ANY("state", 4)                                 \
      " AND deleted <= $5 ORDER BY entity, id LIMIT $6", "")                           \
    X(INSTANCE_PAGE, "kkki", ST_INSTANCE_LETTERS,                                      \
      "SELECT " ST_INSTANCE_COLUMNS " FROM instances "                                 \
      "WHERE (scope, entity, id) > ($1, $2, $3) ORDER BY scope, entity, id LIMIT $4",  \
      "")                                                                              \
    /* The inner LIMIT bounds the work: beyond it counts are of a part. */             \
    X(INSTANCE_COUNT, "kki", "ki",                                                     \
      "SELECT state, count(*) FROM (SELECT state FROM instances WHERE scope = $1 "     \
      "AND entity = $2 AND deleted = 0 LIMIT $3) AS counted "                          \
      "GROUP BY state ORDER BY state", "")                                             \
    /* Flow executions */                                                              \
    X(FLOW_ADD, ST_FLOW_LETTERS, "",                                                   \
      "INSERT INTO flows (" ST_FLOW_COLUMNS ") VALUES " ST_INSERT_17                   \
      " ON CONFLICT DO NOTHING", "")                                                   \
    X(FLOW_GET, "k", ST_FLOW_LETTERS,                                                  \
      "SELECT " ST_FLOW_COLUMNS " FROM flows WHERE id = $1", "")                       \
    X(FLOW_LOCK, "k", ST_FLOW_LETTERS,                                                 \
      "SELECT " ST_FLOW_COLUMNS " FROM flows WHERE id = $1",                           \
      "SELECT " ST_FLOW_COLUMNS " FROM flows WHERE id = $1 FOR UPDATE")                \
    X(FLOW_PUT, "kkkkkkkttiik", "",                                                    \
      "UPDATE flows SET contract = $1, etag = $2, flow = $3, status = $4, "            \
      "outcome = $5, waiting_step = $6, waiting_persona = $7, position = $8, "         \
      "extra = $9, version = $10, updated_ms = $11 "                                   \
      "WHERE id = $12 AND version = $10 - 1", "")                                      \
    X(FLOW_WALK, "kkkkkkkki", ST_FLOW_LETTERS,                                         \
      ST_FLOW_WHERE " ORDER BY id LIMIT $9", "")                                       \
    X(FLOW_WALK_OPEN, "kkkkkkkki", ST_FLOW_LETTERS,                                    \
      ST_FLOW_WHERE ST_OPEN_FLOWS " ORDER BY id LIMIT $9", "")                         \
    /* Ledger */                                                                       \
    /* A sequence leaves gaps and never repeats; a file's one writer goes on           \
     * behind the last number. ids order what is queued, seq is the place in the       \
     * chain. */                                                                       \
    X(RECORD_IDS, "i", "i",                                                            \
      "SELECT max(coalesce((SELECT max(id) FROM ledger), 0), "                         \
      "coalesce((SELECT max(id) FROM pending), 0)) + 1 WHERE $1 > 0",                  \
      "SELECT nextval('record_ids') FROM generate_series(1, $1)")                      \
    /* Numbers ahead of time: they follow each other if nobody else drew any. */        \
    X(RECORD_BLOCK, "i", "iii", "SELECT 0, 0, 0 WHERE $1 < 0",                          \
      "SELECT min(n), max(n), count(*) FROM (SELECT nextval('record_ids') AS n "       \
      "FROM generate_series(1, $1)) AS drawn")                                         \
    /* Ends with an error unless both stamps, and the last number, are these. */       \
    X(UNCHANGED, "kikii", "i", "SELECT 1 WHERE $1 = $2 AND $3 = $4 AND $5 = 0",        \
      "SELECT 1 / (coalesce((SELECT stamp FROM stamps WHERE kind = $1), 0) = $2 "      \
      "AND coalesce((SELECT stamp FROM stamps WHERE kind = $3), 0) = $4 "              \
      "AND last_value = $5)::int::bigint FROM record_ids")                             \
    X(PENDING_ADD, "IKKKSIT", "",                                                      \
      "INSERT INTO pending (" ST_PENDING_COLUMNS ") VALUES " ST_INSERT_7,              \
      "INSERT INTO pending (" ST_PENDING_COLUMNS ") "                                  \
      "SELECT * FROM unnest" ST_INSERT_7)                                              \
    X(PENDING_ADD_ONE, ST_PENDING_LETTERS, "",                                         \
      "INSERT INTO pending (" ST_PENDING_COLUMNS ") VALUES " ST_INSERT_7, "")          \
    X(PENDING_GET, "i", ST_PENDING_LETTERS,                                            \
      "SELECT " ST_PENDING_COLUMNS " FROM pending WHERE id = $1", "")                  \
    /* Taken and deleted in one statement, where a round trip costs; a file            \
     * deletes by PENDING_DROP. */                                                     \
    X(PENDING_TAKE, "i", ST_PENDING_LETTERS,                                           \
      "SELECT " ST_PENDING_COLUMNS " FROM pending ORDER BY id LIMIT $1",               \
      "WITH taken AS (DELETE FROM pending WHERE id = ANY (ARRAY("                      \
      "SELECT id FROM pending ORDER BY id LIMIT $1 FOR UPDATE)) "                      \
      "RETURNING " ST_PENDING_COLUMNS ") SELECT * FROM taken ORDER BY id")             \
    X(PENDING_DROP, "i", "", "DELETE FROM pending WHERE id <= $1", "")                 \
    X(PENDING_WALK_UP, ST_RECORD_FILTER, ST_PENDING_LETTERS,                           \
      ST_PENDING_WHERE(ST_PENDING_ALSO, ""), "")                                       \
    X(PENDING_WALK_DOWN, ST_RECORD_FILTER, ST_PENDING_LETTERS,                         \
      ST_PENDING_WHERE(ST_PENDING_ALSO, "DESC"), "")                                   \
    /* Of a store that is only read and has no table of subjects yet. */               \
    X(PENDING_FIRST_UP, ST_RECORD_FILTER, ST_PENDING_LETTERS,                          \
      ST_PENDING_WHERE("", ""), "")                                                    \
    X(PENDING_FIRST_DOWN, ST_RECORD_FILTER, ST_PENDING_LETTERS,                        \
      ST_PENDING_WHERE("", "DESC"), "")                                                \
    X(LEDGER_NEXT, "", "i", "SELECT coalesce(max(seq), -1) + 1 FROM ledger", "")       \
    /* A place that is taken: SQLite writes fewer rows than were sent, PostgreSQL      \
     * refuses the statement. Both are a fault of whoever chains. */                   \
    X(LEDGER_ADD, "IIKKKSITB", "",                                                     \
      "INSERT INTO ledger (" ST_RECORD_COLUMNS ") VALUES " ST_INSERT_9                 \
      " ON CONFLICT DO NOTHING",                                                       \
      "INSERT INTO ledger (" ST_RECORD_COLUMNS ") SELECT * FROM unnest" ST_INSERT_9)   \
    X(LEDGER_TAIL, "", "it", "SELECT number, text FROM meta WHERE name = 'ledger'", "")\
    X(LEDGER_SET_TAIL, "it", "",                                                       \
      "INSERT INTO meta (name, number, text) VALUES ('ledger', $1, $2) "               \
      "ON CONFLICT (name) DO UPDATE SET number = excluded.number, "                    \
      "text = excluded.text", "")                                                      \
    X(RECORD_GET, "i", ST_RECORD_LETTERS,                                              \
      "SELECT " ST_RECORD_COLUMNS " FROM ledger WHERE id = $1", "")                    \
    X(RECORD_AT, "i", ST_RECORD_LETTERS,                                               \
      "SELECT " ST_RECORD_COLUMNS " FROM ledger WHERE seq = $1", "")                   \
    X(RECORD_WALK_UP, ST_RECORD_FILTER, ST_RECORD_LETTERS, ST_LEDGER_WHERE("", ""), "")\
    X(RECORD_WALK_DOWN, ST_RECORD_FILTER, ST_RECORD_LETTERS,                           \
      ST_LEDGER_WHERE("", "DESC"), "")                                                 \
    X(SUBJECT_WALK_UP, ST_RECORD_FILTER, ST_RECORD_LETTERS, ST_SUBJECT_WHERE(""), "")  \
    X(SUBJECT_WALK_DOWN, ST_RECORD_FILTER, ST_RECORD_LETTERS,                          \
      ST_SUBJECT_WHERE("DESC"), "")                                                    \
    X(SUBJECTS_ADD, "SI", "",                                                          \
      "INSERT INTO subjects (about, place) VALUES ($1, $2)",                           \
      "INSERT INTO subjects (about, place) SELECT * FROM unnest($1, $2)")              \
    X(PENDING_SUBJECTS_ADD, "SI", "",                                                  \
      "INSERT INTO pending_subjects (about, number) VALUES ($1, $2)",                  \
      "INSERT INTO pending_subjects (about, number) SELECT * FROM unnest($1, $2)")     \
    X(PENDING_SUBJECTS_TAKE, "I", "si",                                                \
      "DELETE FROM pending_subjects WHERE number = $1 RETURNING about, number",        \
      "WITH taken AS (DELETE FROM pending_subjects WHERE number = ANY ($1) "           \
      "RETURNING about, number) SELECT about, number FROM taken ORDER BY 2, 1")        \
    X(SUBJECTS_PAGE, "sii", "si",                                                      \
      "SELECT about, place FROM subjects WHERE (about, place) > ($1, $2) "             \
      "ORDER BY about, place LIMIT $3", "")                                            \
    X(PENDING_SUBJECTS_PAGE, "isi", "si",                                              \
      "SELECT about, number FROM pending_subjects WHERE (number, about) > ($1, $2) "   \
      "ORDER BY number, about LIMIT $3", "")                                           \
    X(SUBJECTS_DROP, "si", "",                                                         \
      "DELETE FROM subjects WHERE about = $1 AND place = $2", "")                      \
    X(PENDING_SUBJECTS_DROP, "si", "",                                                 \
      "DELETE FROM pending_subjects WHERE about = $1 AND number = $2", "")             \
    X(RECORD_FLOW_UP, ST_RECORD_FILTER, ST_RECORD_LETTERS,                             \
      ST_LEDGER_WHERE(ST_BY_FLOW, ""), "")                                             \
    X(RECORD_FLOW_DOWN, ST_RECORD_FILTER, ST_RECORD_LETTERS,                           \
      ST_LEDGER_WHERE(ST_BY_FLOW, "DESC"), "")                                         \
    X(CHECKPOINT_ADD, "it", "",                                                        \
      "INSERT INTO checkpoints (size, text) VALUES ($1, $2) ON CONFLICT DO NOTHING",   \
      "")                                                                              \
    X(CHECKPOINT_GET, "i", "t",                                                        \
      "SELECT text FROM checkpoints WHERE size <= $1 ORDER BY size DESC LIMIT 1", "")  \
    X(CHECKPOINT_WALK, "iii", "it",                                                    \
      "SELECT size, text FROM checkpoints WHERE size > $1 AND size <= $2 "             \
      "ORDER BY size LIMIT $3", "")                                                    \
    X(CHECKPOINT_DROP, "i", "", "DELETE FROM checkpoints WHERE size = $1", "")         \
    /* One more than there were; of a store from before they were counted, all. */     \
    X(CHECKPOINT_COUNT, "", "",                                                        \
      "INSERT INTO meta (name, number, text) "                                         \
      "SELECT 'checkpoints', count(*), '' FROM checkpoints WHERE true "                \
      "ON CONFLICT (name) DO UPDATE SET number = meta.number + 1", "")                 \
    X(CHECKPOINT_RECOUNT, "", "",                                                      \
      "INSERT INTO meta (name, number, text) "                                         \
      "SELECT 'checkpoints', count(*), '' FROM checkpoints WHERE true "                \
      "ON CONFLICT (name) DO UPDATE SET number = excluded.number", "")                 \
    X(LEDGER_BOUNDS, "", "iiiiii",                                                     \
      "SELECT coalesce((SELECT min(seq) FROM ledger), 0), "                            \
      "coalesce((SELECT max(seq) FROM ledger), -1) + 1, "                              \
      "coalesce((SELECT min(size) FROM checkpoints), 1), "                             \
      "coalesce((SELECT max(size) FROM checkpoints), 0), "                             \
      "(SELECT count(*) FROM checkpoints), "                                           \
      "coalesce((SELECT number FROM meta WHERE name = 'checkpoints'), -1)", "")        \
    /* Triggers */                                                                     \
    X(TRIGGER_ADD, ST_TRIGGER_LETTERS, "",                                             \
      "INSERT INTO triggers (" ST_TRIGGER_COLUMNS ") VALUES "                          \
      ST_INSERT_6 " ON CONFLICT DO NOTHING", "")                                      \
    /* SKIP LOCKED: nodes take different triggers instead of waiting for one. */       \
    X(TRIGGER_TAKE, "ii", ST_TRIGGER_LETTERS,                                          \
      "SELECT " ST_TRIGGER_COLUMNS " FROM triggers WHERE status = 'pending' "          \
      "AND due_ms <= $1 ORDER BY due_ms, id LIMIT $2",                                 \
      "SELECT " ST_TRIGGER_COLUMNS " FROM triggers WHERE status = 'pending' "          \
      "AND due_ms <= $1 ORDER BY due_ms, id LIMIT $2 FOR UPDATE SKIP LOCKED")          \
    X(TRIGGER_DUE, "ii", ST_TRIGGER_LETTERS,                                           \
      "SELECT " ST_TRIGGER_COLUMNS " FROM triggers WHERE status = 'pending' "          \
      "AND due_ms <= $1 ORDER BY due_ms, id LIMIT $2", "")                             \
    X(TRIGGER_LOCK, "s", ST_TRIGGER_LETTERS,                                           \
      "SELECT " ST_TRIGGER_COLUMNS " FROM triggers WHERE id = $1",                     \
      "SELECT " ST_TRIGGER_COLUMNS " FROM triggers WHERE id = $1 FOR UPDATE")          \
    X(TRIGGER_PUT, "ktiis", "",                                                        \
      "UPDATE triggers SET status = $1, body = $2, attempts = $3, due_ms = $4 "        \
      "WHERE id = $5", "")                                                             \
    X(TRIGGER_WALK, "ski", ST_TRIGGER_LETTERS,                                         \
      "SELECT " ST_TRIGGER_COLUMNS " FROM triggers WHERE id > $1" ST_ANY("status", 2)  \
      " ORDER BY id LIMIT $3", "")                                                     \
    /* Idempotency */                                                                  \
    X(ANSWER_GET, "kk", ST_ANSWER_LETTERS,                                             \
      "SELECT " ST_ANSWER_COLUMNS " FROM answers WHERE caller = $1 AND key = $2", "")  \
    X(ANSWER_ADD, "KKTITI", "",                                                        \
      "INSERT INTO answers (" ST_ANSWER_COLUMNS ") VALUES "                            \
      ST_INSERT_6 " ON CONFLICT DO NOTHING",                                          \
      "INSERT INTO answers (" ST_ANSWER_COLUMNS ") SELECT * FROM unnest" ST_INSERT_6)  \
    /* In a file, rows lie in the order of their making: no index is needed. */        \
    X(ANSWERS_FORGET, "i", "",                                                         \
      "DELETE FROM answers WHERE rowid < coalesce((SELECT rowid FROM answers "         \
      "WHERE created_ms >= $1 ORDER BY rowid LIMIT 1), 9223372036854775807)",          \
      "DELETE FROM answers WHERE created_ms < $1")                                     \
    /* Documents */                                                                    \
    X(DOC_ADD, ST_DOC_LETTERS, "",                                                     \
      "INSERT INTO docs (" ST_DOC_COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6) "         \
      "ON CONFLICT DO NOTHING", "")                                                    \
    X(DOC_PUT, "ktiikk", "",                                                           \
      "UPDATE docs SET tag = $1, body = $2, version = $3, updated_ms = $4 "            \
      "WHERE kind = $5 AND id = $6 AND version = $3 - 1", "")                          \
    X(DOC_SET, ST_DOC_LETTERS, "",                                                     \
      "INSERT INTO docs (" ST_DOC_COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6) "         \
      "ON CONFLICT (kind, id) DO UPDATE SET tag = excluded.tag, "                      \
      "body = excluded.body, version = docs.version + 1, "                             \
      "updated_ms = excluded.updated_ms", "")                                          \
    X(DOC_GET, "kk", ST_DOC_LETTERS,                                                   \
      "SELECT " ST_DOC_COLUMNS " FROM docs WHERE kind = $1 AND id = $2", "")           \
    X(DOC_LOCK, "kk", ST_DOC_LETTERS,                                                  \
      "SELECT " ST_DOC_COLUMNS " FROM docs WHERE kind = $1 AND id = $2",               \
      "SELECT " ST_DOC_COLUMNS " FROM docs WHERE kind = $1 AND id = $2 FOR UPDATE")    \
    X(DOC_DELETE, "kk", "", "DELETE FROM docs WHERE kind = $1 AND id = $2", "")        \
    X(DOC_WALK, "kki", ST_DOC_LETTERS,                                                 \
      "SELECT " ST_DOC_COLUMNS " FROM docs WHERE kind = $1 AND id > $2 "               \
      "ORDER BY id LIMIT $3", "")                                                      \
    /* The index leaves out empty tags; the second term says so to the planner. */     \
    X(DOC_WALK_TAG, "kkki", ST_DOC_LETTERS,                                            \
      "SELECT " ST_DOC_COLUMNS " FROM docs WHERE kind = $1 AND tag = $2 "              \
      "AND tag <> '' AND id > $3 ORDER BY id LIMIT $4", "")                            \
    X(STAMP_GET, "k", "i", "SELECT stamp FROM stamps WHERE kind = $1", "")             \
    X(STAMP_PAIR, "kk", "ii",                                                          \
      "SELECT coalesce((SELECT stamp FROM stamps WHERE kind = $1), 0), "               \
      "coalesce((SELECT stamp FROM stamps WHERE kind = $2), 0)", "")                   \
    X(STAMP_GROW, "k", "",                                                             \
      "INSERT INTO stamps (kind, stamp) VALUES ($1, 1) "                               \
      "ON CONFLICT (kind) DO UPDATE SET stamp = stamps.stamp + 1", "")                 \
    /* Whole store */                                                                  \
    /* Stamps and meta do not count: a store that was only opened has them. */         \
    X(ANY_ROW, "", "i",                                                                \
      "SELECT CAST(CASE WHEN EXISTS (SELECT 1 FROM instances) "                        \
      "OR EXISTS (SELECT 1 FROM flows) OR EXISTS (SELECT 1 FROM ledger) "              \
      "OR EXISTS (SELECT 1 FROM pending) OR EXISTS (SELECT 1 FROM checkpoints) "       \
      "OR EXISTS (SELECT 1 FROM triggers) OR EXISTS (SELECT 1 FROM answers) "          \
      "OR EXISTS (SELECT 1 FROM docs) THEN 1 ELSE 0 END AS BIGINT)", "")               \
    /* After a restore the sequence goes on behind the highest number there is. */     \
    X(SETTLE_IDS, "i", "i", "SELECT $1",                                               \
      "SELECT setval('record_ids', greatest($1, (SELECT max(id) FROM ledger), "        \
      "(SELECT max(id) FROM pending)))")

/* Every table, for copies of the whole store: name, rows to copy, order, table,
 * columns, letters, places. */
#define ST_TABLE_MAP(X)                                                                \
    X(INSTANCES, "instances", "scope, entity, id", "instances", ST_INSTANCE_COLUMNS,   \
      ST_INSTANCE_LETTERS, ST_INSERT_10)                                               \
    X(FLOWS, "flows", "id", "flows", ST_FLOW_COLUMNS, ST_FLOW_LETTERS, ST_INSERT_17)   \
    X(LEDGER, "ledger", "seq", "ledger", ST_RECORD_COLUMNS, ST_RECORD_LETTERS,         \
      ST_INSERT_9)                                                                     \
    X(PENDING, "pending", "id", "pending", ST_PENDING_COLUMNS, ST_PENDING_LETTERS,     \
      ST_INSERT_7)                                                                     \
    X(CHECKPOINTS, "checkpoints", "size", "checkpoints", "size, text", "it",           \
      "($1, $2)")                                                                      \
    X(TRIGGERS, "triggers", "id", "triggers", ST_TRIGGER_COLUMNS, ST_TRIGGER_LETTERS,  \
      ST_INSERT_6)                                                                     \
    X(ANSWERS, "answers", "caller, key", "answers", ST_ANSWER_COLUMNS,                 \
      ST_ANSWER_LETTERS, ST_INSERT_6)                                                  \
    X(DOCS, "docs", "kind, id", "docs", ST_DOC_COLUMNS, ST_DOC_LETTERS, ST_INSERT_6)   \
    X(STAMPS, "stamps", "kind", "stamps", "kind, stamp", "ki", "($1, $2)")             \
    X(SUBJECTS, "subjects", "about, place", "subjects", "about, place", "si",          \
      "($1, $2)")                                                                      \
    X(PENDING_SUBJECTS, "pending_subjects", "about, number", "pending_subjects",       \
      "about, number", "si", "($1, $2)")                                               \
    X(META, "meta WHERE name <> 'schema'", "name", "meta", "name, number, text",       \
      "kit", "($1, $2, $3)")
/* clang-format on */

typedef enum st_statement_id {
#define ST_STATEMENT_ENUM(name, params, results, sql, postgres) ST_SQL_##name,
    ST_STATEMENT_MAP(ST_STATEMENT_ENUM)
#undef ST_STATEMENT_ENUM
#define ST_DUMP_ENUM(name, from, order, table, columns, letters, places)               \
    ST_SQL_DUMP_##name,
        ST_TABLE_MAP(ST_DUMP_ENUM)
#undef ST_DUMP_ENUM
#define ST_LOAD_ENUM(name, from, order, table, columns, letters, places)               \
    ST_SQL_LOAD_##name,
            ST_TABLE_MAP(ST_LOAD_ENUM)
#undef ST_LOAD_ENUM
                ST_STATEMENT_COUNT
} st_statement_id;

enum { ST_MAX_PARAMS = 17, ST_MAX_CELLS = 17 };

typedef struct st_statement {
    const char *params, *results;
    const char *sqlite, *postgres; /* empty: this backend has no such statement */
} st_statement;

extern const st_statement ST_STATEMENTS[ST_STATEMENT_COUNT];

#endif
