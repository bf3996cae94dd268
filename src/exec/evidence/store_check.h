/* exec/evidence/store_check.h - does the rest of a store say what its ledger says?
 * Room: exec. Knows bodies of records, no executor.
 *
 * Whoever owns the database can change an instance, a flow, a fact or the columns that
 * records are found by; the ledger does not change with them. Here everything that the
 * ledger decides is worked out anew from its records, and compared:
 *
 *     index      kind, contract, flow, subject and time of each record: from its body
 *     subjects   what else each record is found by
 *     chain      numbers, hashes, the roots of blocks, the notes, the end
 *     signed     checkpoints, their notes and their number
 *     instances  which there are, state, version, deleted, last operation and flow
 *     flows      which there are, version of the contract, who, bindings, facts,
 *                status, outcome, what they wait for
 *     documents  facts asserted by hand; versions of contracts, their numbers and
 *                times, and which is served; migrations; what tokens were granted; who
 *                acted as which persona; calls of tools that are under way, and what
 *                they hold
 *
 * Not compared, because the ledger does not have it: the position inside a flow, the
 * outbox, kept answers, the numbers under which records were queued, secrets of
 * tokens and their hashes, Systems, contexts and captures of graphs, tapes of agents.
 * Signatures are the business of motet ledger verify.
 *
 * Memory is bounded: what is worked out lives in a store of its own in a directory for
 * temporary files, and both are read in order, page by page, of one moment.
 *
 *     store_check    the walk and the comparison
 *     store_checking what each part needs
 *     store_expect   what a record means for instances, flows and documents
 *     store_identities   the same for tokens, and for who acted as whom
 *     store_guarded  the same for calls of tools elsewhere
 *     store_signed   checkpoints and notes
 *     store_index    what the columns of a record must be
 *     store_subjects what a record is about */
#ifndef EX_STORE_CHECK_H
#define EX_STORE_CHECK_H

#include "base/json_read.h"
#include "store/store.h"

typedef struct ex_check_options {
    st_store *store;
    const char *scratch; /* a directory; NULL: $TMPDIR, /tmp */
    /* One difference: the part it is in, of what, and what differs. */
    void (*found)(void *state, mt_str part, mt_str name, mt_str text);
    /* False: stop (MT_E_CLOSED). May be NULL. */
    bool (*progress)(void *state, const char *what, uint64_t done, uint64_t all);
    void *found_state, *progress_state;
} ex_check_options;

typedef struct ex_check_result {
    uint64_t records, instances, flows, documents; /* compared */
    uint64_t differences;
} ex_check_result;

/* MT_OK, whatever was found. Otherwise `why` gets one sentence: the store could not be
 * read, or there is no room for temporary files. */
mt_err ex_store_check(const ex_check_options *options, ex_check_result *out,
                      mt_buf *why);

/* ---- Between the files ---- */

typedef struct ex_checking ex_checking;

/* Tells of a difference. */
void ex_check_differs(ex_checking *c, const char *part, mt_str name, const char *format,
                      ...) __attribute__((format(printf, 4, 5)));
/* Of this record: body has been read. */
void ex_check_index(ex_checking *c, st_tx *tx, mt_arena *a, const st_record *row,
                    const mt_json *body);
/* What it is about: its column, and in the store of what is expected the rows that are
 * due. */
mt_err ex_expect_subjects(ex_checking *c, st_tx *tx, st_tx *expected, mt_arena *a,
                          const st_record *row, const mt_json *body);
/* Those rows and the store's. */
mt_err ex_check_subjects(ex_checking *c, st_tx *tx, st_tx *expected);
/* Was a record seen that older programs did not write? */
bool *ex_check_newer(ex_checking *c);
/* MT_E_CLOSED when it is to stop. */
mt_err ex_check_step(ex_checking *c, const char *what, uint64_t done);
/* "record 7", "queued record 7". */
mt_str ex_check_record_name(mt_arena *a, const st_record *row);
/* What follows from it, in the store of what is expected. */
mt_err ex_expect_record(ex_checking *c, st_tx *expected, mt_arena *a,
                        const st_record *row, const mt_json *body);
mt_err ex_expect_identities(ex_checking *c, st_tx *expected, mt_arena *a,
                            const st_record *row, const mt_json *body);
mt_err ex_expect_guarded(ex_checking *c, st_tx *expected, mt_arena *a,
                         const st_record *row, const mt_json *body);
void ex_compare_guarded(ex_checking *c, mt_str name, const st_doc *is,
                        const st_doc *must);
void ex_compare_claim(ex_checking *c, mt_str name, const st_doc *is,
                      const st_doc *must);
/* What is there beside what is expected, once all records are read. */
mt_err ex_check_identities(ex_checking *c);
/* Are checkpoints, their notes and their number there together? */
mt_err ex_check_signed(ex_checking *c);
/* A record says that somebody decided about checkpoints (motet ledger accept). */
void ex_check_accepted(ex_checking *c);
/* One member of a document: what it is, and what record `number` says it must be. */
void ex_check_member(ex_checking *c, mt_str name, const char *what, mt_str is,
                     mt_str must, int64_t number);
/* A member in milliseconds as records write a time; empty: it is 0 or not there. */
mt_str ex_check_moment(mt_arena *a, const mt_json *body, const char *key);
/* One document more was compared. MT_E_CLOSED: stop. */
mt_err ex_check_counted(ex_checking *c);
/* Both stores, and memory for one row. */
typedef struct ex_sides {
    st_tx *store, *expected;
    mt_arena *scratch;
    bool shared;       /* records are known by what they were queued as */
    uint64_t newer_at; /* from so many records on programs keep notes; 0: not yet */
    bool accepted;     /* somebody decided that a ledger is signed as it is */
} ex_sides;
ex_sides ex_check_sides(ex_checking *c);
/* The scope of an entity's instances: the contract's, or the System's that shares it.
 */
mt_str ex_check_scope(ex_checking *c, mt_arena *a, mt_str contract, mt_str entity);
/* A part of a body as canonical text; empty when it is absent. */
mt_str ex_check_text(mt_arena *a, const mt_json *node);

/* Documents of what is expected: the kinds of the store, with bodies of our own. */
#define EX_EXPECT_FACT      MT_STR("fact")
#define EX_EXPECT_VERSION   MT_STR("contract")
#define EX_EXPECT_CURRENT   MT_STR("contract.current")
#define EX_EXPECT_MIGRATION MT_STR("migration")

#endif
