/* store/store.h - everything that must outlive the process, behind one interface.
 * Room: store. May include base/ only: it knows rows, never what they mean.
 * Two backends, the same promises: SQLite (one process, one writer, WAL, synchronous
 * FULL) and PostgreSQL (any number of processes). A transaction is serializable as used
 * here: whoever writes a row has locked it with st_instances_lock() or st_flow_lock()
 * first, and nothing is decided on a row that was read without a lock.
 *
 * Ownership: texts handed out live in the arena of the call, or, for walkers, until the
 * walker returns. Threads: an st_store is shared; an st_tx belongs to one thread.
 * Errors: MT_E_CONFLICT (lost a race; try the transaction again), MT_E_EXISTS,
 * MT_E_NOTFOUND, MT_E_BUSY (pool or lock not to be had in time), MT_E_CLOSED (database
 * gone; a later transaction connects again), MT_E_IO (disk full, read-only, …),
 * MT_E_CORRUPT, MT_E_LIMIT. Where rows are locked first, a backend may send writes
 * ahead and report their failure with a later call, at the latest with st_commit().
 * After any error but NOTFOUND, EXISTS and those of the door the transaction can only
 * be rolled back.
 *
 * The door: texts are UTF-8 without NUL bytes (MT_E_TYPE); keys and names have at most
 * 800 bytes, ids of triggers and subjects 1601, other texts 256 MiB (MT_E_LIMIT). A
 * text refused at the door changes nothing; when reading, such a key is not found. */
#ifndef ST_STORE_H
#define ST_STORE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

typedef struct st_store st_store;
typedef struct st_tx st_tx;

typedef struct st_options {
    unsigned pool;    /* connections at most; 0: 8 */
    unsigned wait_ms; /* for a connection or a lock; 0: 5000 */
    bool read_only;   /* opens an existing store, migrates nothing, takes no lock */
    bool must_exist;  /* do not create it */
    bool shared_tool; /* SQLite: a command beside a running server (tokens, ledger):
                         does not claim the file, waits for its turn to write */
} st_options;

/* "sqlite:PATH", a bare path, or "postgresql://…" / "postgres://…". Creates and
 * migrates the schema. A SQLite file is claimed by one server at a time: MT_E_BUSY
 * otherwise. MT_E_VERSION: made by a newer program. `why` gets one sentence without
 * secrets. */
mt_err st_open(const char *url, const st_options *options, st_store **out, mt_buf *why);
void st_close(st_store *s);
/* May several processes write at once? Then records are queued and chained later. */
bool st_is_shared(const st_store *s);
/* How many transactions may be open at once. */
unsigned st_connections(const st_store *s);
/* "SQLite 3.40.1, schema 1"; for logs. */
mt_str st_describe(const st_store *s);
/* The URL without its password; for logs. */
mt_str st_shown_url(const st_store *s);
/* Is the database there? One round trip. */
mt_err st_ping(st_store *s);
/* The clock of a shared database, in ms since 1970: the one that all its processes can
 * go by. It was read before this returns. MT_E_NOTFOUND: the store is not shared. */
mt_err st_clock(st_store *s, int64_t *now_ms);
/* Tables made before version `to` exist as they were; 0 is an empty database. */
int st_schema_version(const st_store *s);

/* ---- Transactions ---- */

typedef enum st_mode { ST_READ, ST_WRITE } st_mode;

/* ST_READ sees one moment: what was committed before its first read, all of it. */
mt_err st_begin(st_store *s, st_mode mode, st_tx **out);
/* Durable when it returns MT_OK. Otherwise nothing happened, with one exception: when
 * the connection breaks during the commit it is unknown (MT_E_CLOSED), and the caller
 * finds out by reading (idempotency row, record). The transaction is gone either way.
 */
mt_err st_commit(st_tx *tx);
/* Begins to commit: the caller may do other things until st_commit() tells how it went,
 * but nothing in this transaction. An error is told by st_commit(), too; one other than
 * MT_E_CLOSED leaves nothing unknown, and the transaction may be rolled back instead.
 */
mt_err st_commit_soon(st_tx *tx);
/* NULL is fine. Also ends a transaction that only read. */
void st_rollback(st_tx *tx);
/* What went wrong last in this transaction, one sentence without secrets. */
mt_str st_why(const st_tx *tx);
/* A named lock held until the transaction ends. False: another has it. */
bool st_try_lock(st_tx *tx, const char *name);

/* Calls named …_soon send a question without waiting for its answer, so that several
 * travel together. What they write to must live, and is good, when st_settle() returns;
 * any other call that reads settles, too. */
mt_err st_settle(st_tx *tx);
/* A named lock, waited for; several may hold it when they share it. */
mt_err st_lock_soon(st_tx *tx, const char *name, bool shared);

/* Pages: rows after `after` (the last key of the page before; empty: from the start),
 * at most `limit` of them (0: all; they are streamed, never gathered). Order is the
 * key's byte order unless said otherwise. A walker's error ends the walk and is given
 * back; the transaction goes on. Walkers may use the transaction they are called in. */
typedef struct st_page {
    mt_str after;
    uint32_t limit;
} st_page;

/* ---- Entity instances ---- */

/* (scope, entity, id) is the key. Scope is the contract, or what members of a System
 * share. Version is 0 at creation and grows by one with each change. */
typedef struct st_instance {
    mt_str scope, entity, id;
    mt_str state;
    int64_t version;
    int64_t created_ms, updated_ms;
    bool deleted; /* the row stays for ever: an id is never used again */
    mt_str last_flow, last_operation;
} st_instance;

/* MT_E_EXISTS when the id is or was in use. */
mt_err st_instance_add(st_tx *tx, const st_instance *row);
/* Without a lock. MT_E_NOTFOUND; deleted rows are found. */
mt_err st_instance_get(st_tx *tx, mt_arena *a, mt_str scope, mt_str entity, mt_str id,
                       st_instance *out);
/* Locks and reads `count` rows (their keys filled in) until the end of the transaction,
 * in key order whatever order they are given in, so two callers never wait for each
 * other. found[i] says whether row i exists. */
mt_err st_instances_lock(st_tx *tx, mt_arena *a, st_instance *rows, bool *found,
                         size_t count);
/* In key order, whatever the order of the rows; the answer is there after st_settle().
 */
mt_err st_instances_lock_soon(st_tx *tx, mt_arena *a, st_instance *rows, bool *found,
                              size_t count);
/* Writes state, version, updated_ms, deleted and last_* of locked rows, each named
 * once. MT_E_CONFLICT unless their stored versions are `was`. */
mt_err st_instances_put(st_tx *tx, const st_instance *rows, const int64_t *was,
                        size_t count);
/* One row, from version row->version - 1. */
mt_err st_instance_put(st_tx *tx, const st_instance *row);
typedef struct st_instance_filter {
    mt_str scope;
    mt_str entity; /* empty: all, key is then "entity/id" */
    mt_str state;  /* empty: any */
    bool deleted;  /* deleted ones too */
} st_instance_filter;
typedef mt_err st_instance_walker(void *state, const st_instance *row);
mt_err st_instance_walk(st_tx *tx, const st_instance_filter *filter, st_page page,
                        st_instance_walker *each, void *state);
/* How many of the entity's instances are in each state; deleted ones do not count. At
 * most `most` are looked at. */
typedef mt_err st_state_counter(void *state, mt_str in, int64_t count);
mt_err st_instance_count(st_tx *tx, mt_str scope, mt_str entity, int64_t most,
                         st_state_counter *each, void *state);

/* Rows of all scopes in order of their keys, deleted ones too: those behind the key of
 * `after`, at most `limit`. For whoever looks at everything. */
mt_err st_instances_page(st_tx *tx, mt_arena *a, const st_instance *after,
                         uint32_t limit, st_instance **rows, size_t *count);

/* ---- Flow executions ---- */

typedef struct st_flow {
    mt_str id; /* chosen by the caller */
    mt_str contract, etag, flow;
    mt_str persona, initiator; /* who began it: persona and token id */
    mt_str status;             /* running waiting done failed cancelled aborted */
    mt_str outcome;            /* once ended */
    mt_str waiting_step, waiting_persona;
    mt_str bindings; /* JSON {"E":"instance"} */
    mt_str facts;    /* JSON snapshot: every fact as it was */
    mt_str position; /* contract/flow/position.h */
    mt_str extra;    /* JSON: verdicts, fact provenance, trigger that began it, … */
    int64_t version;
    int64_t started_ms, updated_ms;
} st_flow;

/* MT_E_CONFLICT when the id is in use. */
mt_err st_flow_add(st_tx *tx, const st_flow *row);
mt_err st_flow_get(st_tx *tx, mt_arena *a, mt_str id, st_flow *out);
/* The row is ours until the transaction ends. */
mt_err st_flow_lock(st_tx *tx, mt_arena *a, mt_str id, st_flow *out);
mt_err st_flow_lock_soon(st_tx *tx, mt_arena *a, mt_str id, st_flow *out, bool *found);
/* Writes everything but id, facts, bindings, persona, initiator, started_ms. Version
 * as with instances. */
mt_err st_flow_put(st_tx *tx, const st_flow *row);
typedef struct st_flow_filter {
    mt_str contract, etag, flow, status, outcome, persona,
        waiting_persona; /* empty: any */
    bool in_flight;      /* only running and waiting */
} st_flow_filter;
typedef mt_err st_flow_walker(void *state, const st_flow *row);
mt_err st_flow_walk(st_tx *tx, const st_flow_filter *filter, st_page page,
                    st_flow_walker *each, void *state);

/* ---- Ledger ---- */

/* A record's body and what it is found by. */
typedef struct st_record {
    int64_t id;  /* given by the store */
    int64_t seq; /* place in the chain; -1: not chained yet */
    mt_str kind, contract, flow;
    mt_str subject; /* "Entity/instance" or what else it is about; may be empty */
    int64_t time_ms;
    mt_str body; /* canonical JSON */
    mt_str hash; /* 32 bytes; empty before it is chained */
    /* Whatever else it is found by, each once and not the subject itself. Written, and
     * given back by st_pending_take() only. */
    const mt_str *also;
    size_t also_count;
} st_record;

/* The next id of a record. To be drawn while the rows are locked that it is about: then
 * records about one instance have ids in the order of their commits. */
mt_err st_record_id(st_tx *tx, int64_t *id);
/* Has this many at hand with the next settling. */
mt_err st_record_ids_soon(st_tx *tx, uint32_t count);
/* Numbers ahead of time, on a shared store: `first` and all up to `last`. `first` above
 * `last`: others drew in between. */
typedef struct st_id_block {
    int64_t first, last;
} st_id_block;
mt_err st_record_block_soon(st_tx *tx, uint32_t count, st_id_block *out);
/* The transaction's next `count` numbers are these, drawn ahead. Good only while nobody
 * else has drawn: st_unchanged_soon(). */
void st_record_ids_use(st_tx *tx, int64_t first, uint32_t count);
/* What a decision that locked nothing depends on, asked once its rows are written:
 * unless two kinds of documents have these stamps and no number after `last_id` was
 * drawn, the transaction fails (MT_E_CONFLICT). Of a shared store. */
typedef struct st_unchanged {
    mt_str kinds[2];
    int64_t stamps[2];
    int64_t last_id;
} st_unchanged;
mt_err st_unchanged_soon(st_tx *tx, const st_unchanged *u);
/* Queues records (shared stores): they commit with the rest and are chained later.
 * row->id 0: the store gives one and writes it back. */
mt_err st_pending_add(st_tx *tx, st_record *rows, size_t count);
/* Takes up to `limit` queued records in order of id, removing them from the queue. */
mt_err st_pending_take(st_tx *tx, uint32_t limit, mt_arena *a, st_record **rows,
                       size_t *count);
/* Appends chained records; seq must be the next ones (MT_E_CONFLICT). Ids likewise. */
mt_err st_ledger_add(st_tx *tx, st_record *rows, size_t count);
/* What a record is found by besides its subject: `also` of a record, a row each. */
typedef struct st_about {
    mt_str subject;
    int64_t record; /* seq; of a queued one its id */
} st_about;

/* Those after `after`, at most `limit`: chained ones in order of subject and record,
 * queued ones of record and subject. For whoever looks at everything. A store that is
 * only read and was made before there were any has none. */
mt_err st_abouts_page(st_tx *tx, mt_arena *a, bool queued, const st_about *after,
                      uint32_t limit, st_about **rows, size_t *count);
/* MT_E_CONFLICT when it is there. */
mt_err st_about_add(st_tx *tx, bool queued, const st_about *row);
/* MT_E_NOTFOUND. */
mt_err st_about_drop(st_tx *tx, bool queued, const st_about *row);
/* The chain's end as the last writer left it: an opaque text (head and frontier); 0 and
 * empty in a new store. */
mt_err st_ledger_tail(st_tx *tx, mt_arena *a, int64_t *size, mt_str *tail);
/* With the records it covers, in one transaction. */
mt_err st_ledger_set_tail(st_tx *tx, int64_t size, mt_str tail);
/* By id, chained or not; by seq. */
mt_err st_record_get(st_tx *tx, mt_arena *a, int64_t id, st_record *out);
mt_err st_record_at(st_tx *tx, mt_arena *a, int64_t seq, st_record *out);
typedef struct st_record_filter {
    mt_str kind, contract, flow, subject; /* empty: any */
    int64_t from_seq, to_seq;             /* [from, to); to 0: the end */
    int64_t from_ms, to_ms;               /* likewise */
    bool newest_first;
    bool pending; /* those not chained yet, too, at the end */
} st_record_filter;
typedef mt_err st_record_walker(void *state, const st_record *row);
/* In order of seq, then those not chained yet in order of id; newest first the other
 * way round. */
mt_err st_record_walk(st_tx *tx, const st_record_filter *filter, st_page page,
                      st_record_walker *each, void *state);
/* The `after` of the page that follows one which began after `after` and ended with
 * this record; in the transaction that read it. However records are chained between two
 * pages, what was there at the first is listed once. What is committed meanwhile may be
 * missing: it is at the latest in a walk that begins anew. Newest first, a record may
 * come twice when one with a smaller id is committed later. */
mt_err st_record_after(st_tx *tx, mt_arena *a, mt_str after, int64_t id, int64_t seq,
                       mt_str *out);
/* Signed checkpoints, one text for each size. */
mt_err st_checkpoint_add(st_tx *tx, int64_t size, mt_str text);
/* The newest at or below `size` (-1: of all). */
mt_err st_checkpoint_get(st_tx *tx, mt_arena *a, int64_t size, mt_str *text);
/* Those over more than `after` and at most `upto` records, smallest first. `size` is
 * the row's own; what the text says is the reader's business. */
typedef mt_err st_checkpoint_walker(void *state, int64_t size, mt_str text);
mt_err st_checkpoint_walk(st_tx *tx, int64_t after, int64_t upto,
                          st_checkpoint_walker *each, void *state);
/* For one that the records contradict. MT_E_NOTFOUND. */
mt_err st_checkpoint_drop(st_tx *tx, int64_t size);
/* After somebody decided about those that were missing: they count as they are. */
mt_err st_checkpoint_recount(st_tx *tx);
/* How far the rows reach, whatever the head of the chain says. */
typedef struct st_ledger_bounds {
    int64_t first, end;        /* seqs are in [first, end); 0, 0 without any */
    int64_t smallest, largest; /* sizes of checkpoints; 1, 0 without any */
    int64_t checkpoints;       /* how many there are */
    int64_t counted; /* how many were added; -1: none since the store counts them */
} st_ledger_bounds;
mt_err st_ledger_bounds_get(st_tx *tx, st_ledger_bounds *out);

/* ---- Outbox of triggers ---- */

typedef struct st_trigger {
    mt_str id;     /* unique: source flow execution and trigger, so it fires once */
    mt_str status; /* pending done failed */
    mt_str body;   /* JSON */
    int32_t attempts;
    int64_t due_ms, created_ms;
} st_trigger;

/* MT_E_EXISTS: it has fired already. */
mt_err st_trigger_add(st_tx *tx, const st_trigger *row);
/* Locks up to `limit` pending ones that are due and that nobody else has locked. */
mt_err st_trigger_take(st_tx *tx, int64_t now_ms, uint32_t limit, mt_arena *a,
                       st_trigger **rows, size_t *count);
/* The same without locking any. */
mt_err st_trigger_due(st_tx *tx, int64_t now_ms, uint32_t limit, mt_arena *a,
                      st_trigger **rows, size_t *count);
/* Locks the one with this id, whatever its status. */
mt_err st_trigger_lock(st_tx *tx, mt_arena *a, mt_str id, st_trigger *out);
mt_err st_trigger_put(st_tx *tx, const st_trigger *row);
typedef mt_err st_trigger_walker(void *state, const st_trigger *row);
mt_err st_trigger_walk(st_tx *tx, mt_str status, st_page page, st_trigger_walker *each,
                       void *state);

/* ---- Idempotency ---- */

typedef struct st_answer {
    mt_str caller, key;
    mt_str request; /* digest of method, path and body */
    int32_t status;
    mt_str body;
    int64_t created_ms;
} st_answer;

mt_err st_answer_get(st_tx *tx, mt_arena *a, mt_str caller, mt_str key, st_answer *out);
mt_err st_answer_get_soon(st_tx *tx, mt_arena *a, mt_str caller, mt_str key,
                          st_answer *out, bool *found);
/* MT_E_CONFLICT, perhaps with a later call: somebody was faster. Tried again, the
 * transaction finds the answer. */
mt_err st_answers_add(st_tx *tx, const st_answer *rows, size_t count);
/* Keys may be used again after that. */
mt_err st_answers_forget(st_tx *tx, int64_t older_than_ms);

/* ---- Documents ---- */

/* Everything else that is one text under one name: contract versions, tokens, manual
 * facts, graph contexts, captures, agent tapes and messages, settings. Version as with
 * instances; (kind, id) is the key, `tag` a second way to find it. */
typedef struct st_doc {
    mt_str kind, id, tag;
    mt_str body;
    int64_t version;
    int64_t updated_ms;
} st_doc;

/* Inserts when version is 0 (MT_E_EXISTS), else replaces version - 1 (MT_E_CONFLICT).
 */
mt_err st_doc_put(st_tx *tx, const st_doc *row);
/* Inserts (version 0) or replaces whatever is there (its version grows by one);
 * row->version is not used. */
mt_err st_doc_set(st_tx *tx, const st_doc *row);
mt_err st_doc_get(st_tx *tx, mt_arena *a, mt_str kind, mt_str id, st_doc *out);
/* MT_E_NOTFOUND locks nothing. */
mt_err st_doc_lock(st_tx *tx, mt_arena *a, mt_str kind, mt_str id, st_doc *out);
mt_err st_doc_delete(st_tx *tx, mt_str kind, mt_str id);
typedef mt_err st_doc_walker(void *state, const st_doc *row);
mt_err st_doc_walk(st_tx *tx, mt_str kind, mt_str tag, st_page page,
                   st_doc_walker *each, void *state);

/* A number that grows whenever documents of this kind change, for caches: cheap. 0:
 * none ever changed. */
mt_err st_doc_stamp(st_tx *tx, mt_str kind, int64_t *stamp);
/* Of two kinds at once. */
mt_err st_doc_stamps_soon(st_tx *tx, mt_str first, mt_str second, int64_t stamps[2]);

/* ---- Whole store ---- */

/* A consistent copy of everything, as JSON lines given to `write`, a digest last.
 */
mt_err st_dump(st_store *s, mt_err (*write)(void *state, mt_str bytes), void *state,
               mt_buf *why);
/* Fills an empty store; nothing is written unless everything checks. `read` gives one
 * line without its newline, good until the next call; MT_E_NOTFOUND after the last. */
mt_err st_load(st_store *s, mt_err (*read)(void *state, mt_str *line), void *state,
               mt_buf *why);

#endif
