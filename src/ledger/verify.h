/* ledger/verify.h - is a copy of a ledger what it claims to be?
 * Room: ledger. May include base/ only.
 * A ledger has one record or checkpoint per line. Every record must follow the one
 * before it, have a canonical body and stay in its trust domain; every checkpoint must
 * be signed by a key that may (ledger/keyring.h) and agree with the records before it.
 * A line may also be a document that records name by its digest (ledger/document.h).
 * With a checkpoint from elsewhere, nothing before it may have been changed, removed,
 * reordered or cut off either, even if the whole file was made anew.
 * Reads line by line in constant memory. */
#ifndef LG_VERIFY_H
#define LG_VERIFY_H

#include "ledger/chain.h"
#include "ledger/keyring.h"
#include "ledger/note.h"
#include "ledger/source.h"

typedef struct lg_finding {
    const char *problem; /* static text; NULL: nothing was found */
    uint64_t line;       /* 1-based; 0: the ledger as a whole */
    uint64_t seq;        /* the first record that is bad, or that is not there */
    bool about_record;   /* seq says something */
    mt_err world;        /* the lines could not be read on: MT_E_IO, MT_E_LIMIT, … */
    uint64_t records, checkpoints, documents, bytes;
    bool any_attested;     /* some checkpoint counts ... */
    uint64_t attested;     /* ... for the records [0, attested) */
    bool believed;         /* the signer's key was taken from the ledger itself */
    mt_sign_public signer; /* of the last checkpoint, when there is one */
    lg_chain end;          /* where the good part ends */
} lg_finding;

typedef struct lg_expectation {
    const lg_checkpoint *trusted; /* a checkpoint from elsewhere; NULL: none */
    const mt_sign_public *keys;   /* who may sign; none: the first signer is believed */
    size_t key_count;
    mt_str domain; /* the trust domain it must have; ptr NULL: any */
    /* A head that others co-signed (their signatures are the caller's business): the
     * records must have this root there, and a key that may sign the ledger must have
     * signed it. NULL: none. */
    const lg_note *witnessed;
} lg_expectation;

typedef struct lg_verifier {
    const lg_expectation *expect;
    lg_finding *found;
    lg_keyring keys;
    mt_arena scratch; /* of one checkpoint */
    mt_buf domain; /* the trust domain so far, as written in JSON; empty: undeclared */
    char head[MT_SHA256_HEX];  /* of found->end, as text */
    const char *trusted_fault; /* what is wrong with the signer of expect->trusted */
} lg_verifier;

/* Line by line: what a caller with lines of its own does. `expect` may be NULL. After
 * a problem was found more lines change nothing. */
void lg_verify_start(lg_verifier *v, const lg_expectation *expect, lg_finding *out);
/* False: something is wrong, and `found` says what; later lines change nothing. */
bool lg_verify_line(lg_verifier *v, mt_str line);
/* Why there is no next line: what lg_source's next() said. MT_E_NOTFOUND is the good
 * end, MT_E_CORRUPT a last line that is cut off. */
void lg_verify_stop(lg_verifier *v, mt_err err);
/* How many lines were good. */
uint64_t lg_lines_read(const lg_finding *f);
/* The trust domain of the records so far, in the arena; empty: none declared. */
mt_str lg_verify_domain(const lg_verifier *v, mt_arena *a);
/* MT_OK, or MT_E_CORRUPT and what was found first. Releases the verifier. */
mt_err lg_verify_end(lg_verifier *v);

/* All lines of a source. */
mt_err lg_verify_source(const lg_source *source, const lg_expectation *expect,
                        lg_finding *out);
/* All lines of the text. */
mt_err lg_verify(mt_str text, const lg_expectation *expect, lg_finding *out);

#endif
