/* motet.h - the whole public C API of Motet.
 *
 * Handles are opaque and each is released with its own _free() function, which accepts
 * NULL. Strings are (pointer, length) pairs in UTF-8 and may be borrowed: each function
 * says how long they live. Functions that can fail return a motet_status; MOTET_OK is
 * 0.
 *
 * Threads: distinct handles may be used by distinct threads at the same time. A handle
 * that is documented as immutable may be shared by any number of threads. */
#ifndef MOTET_H
#define MOTET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MOTET_API __attribute__((visibility("default")))

/* The version of this library, "0.1.0", and of the contract language, "1.0". */
MOTET_API const char *motet_version(void);
MOTET_API const char *motet_language_version(void);

typedef struct motet_str {
    const char *ptr;
    size_t len;
} motet_str;

/* What a call came to. The names say it; motet_status_text() says it in a sentence. */
typedef enum motet_status {
    MOTET_OK = 0,
    MOTET_E_REJECTED,
    MOTET_E_LIMIT,
    MOTET_E_SYNTAX,
    MOTET_E_TYPE,
    MOTET_E_RANGE,
    MOTET_E_OVERFLOW,
    MOTET_E_VERSION,
    MOTET_E_NOTFOUND,
    MOTET_E_EXISTS,
    MOTET_E_CONFLICT,
    MOTET_E_DENIED,
    MOTET_E_BUSY,
    MOTET_E_TIMEOUT,
    MOTET_E_IO,
    MOTET_E_CLOSED,
    MOTET_E_CORRUPT,
    MOTET_E_USAGE
} motet_status;

MOTET_API const char *motet_status_text(motet_status status);

/* ---- Contracts ----------------------------------------------------------------------
 * A loaded contract is immutable: any number of threads may evaluate with it at once.
 * Free it after the last fact set and verdict set made from it. */
typedef struct motet_contract motet_contract;

/* Loads contract source (imports and all) or an interchange bundle from a file.
 * MOTET_OK; MOTET_E_REJECTED, MOTET_E_VERSION, MOTET_E_LIMIT: it has faults;
 * MOTET_E_NOTFOUND, MOTET_E_IO: it cannot be read. *out is set in every case: after a
 * failure it can be asked for its faults, and must be freed. */
MOTET_API motet_status motet_contract_open(const char *path, motet_contract **out);
/* The same from text in memory, which is copied; source must not import anything.
 * `name` is what faults call it. */
MOTET_API motet_status motet_contract_load(motet_str text, const char *name,
                                           motet_contract **out);
MOTET_API void motet_contract_free(motet_contract *contract);

/* Faults and warnings, "FILE:LINE:COLUMN: error CODE: …", in order; empty past the end.
 * They live as long as the contract. */
MOTET_API motet_str motet_contract_message(const motet_contract *contract,
                                           size_t index);
/* The interchange bundle, compact. */
MOTET_API motet_str motet_contract_bundle(const motet_contract *contract);

/* ---- Facts --------------------------------------------------------------------------
 * A fact set is filled, then read. One thread fills it; after that any number may
 * evaluate it. Reuse one for many inputs: it keeps its memory. */
typedef struct motet_facts motet_facts;

/* Why a call on a fact set or an evaluation failed. The texts live until the next call
 * on the same handle. */
typedef struct motet_fault {
    const char *kind;  /* "missing_fact", "type_mismatch", "overflow", … */
    motet_str path;    /* "line_items[3].amount", or empty */
    motet_str rule;    /* the rule being evaluated, or empty */
    motet_str message; /* one line */
} motet_fault;

MOTET_API motet_facts *motet_facts_new(const motet_contract *contract);
MOTET_API void motet_facts_free(motet_facts *facts);

/* Fills the set from a JSON object. `json` is borrowed until the set is filled again or
 * freed. Facts that are not given take their default; `strict` refuses facts and fields
 * the contract does not declare. */
MOTET_API motet_status motet_facts_read(motet_facts *facts, motet_str json,
                                        bool strict);

/* Fills the set from typed values. After begin, name a fact, then put its value; a list
 * is put as its length followed by its elements, a record as its fields in byte order
 * of their names, a union as its tag followed by the payload:
 *
 *     motet_facts_begin(f);
 *     motet_facts_name(f, "line_items");
 *     motet_put_list(f, 1);
 *       motet_put_record(f);
 *         motet_put_money(f, "5.00");  motet_put_bool(f, true);
 *     status = motet_facts_end(f);
 *
 * The first failure sticks: it is enough to look at what motet_facts_end() says. Texts
 * are copied. */
MOTET_API void motet_facts_begin(motet_facts *facts);
MOTET_API motet_status motet_facts_name(motet_facts *facts, const char *fact);
MOTET_API motet_status motet_put_bool(motet_facts *facts, bool value);
/* An Int, or a Duration in the unit the contract counts it in. */
MOTET_API motet_status motet_put_int(motet_facts *facts, int64_t value);
/* A Decimal as text; Money's amount, in the contract's currency. */
MOTET_API motet_status motet_put_decimal(motet_facts *facts, const char *value);
MOTET_API motet_status motet_put_money(motet_facts *facts, const char *amount);
/* A Text or Enum value, a Date ("2026-01-31") or DateTime (RFC 3339, with offset). */
MOTET_API motet_status motet_put_text(motet_facts *facts, motet_str value);
MOTET_API motet_status motet_put_list(motet_facts *facts, size_t length);
MOTET_API motet_status motet_put_record(motet_facts *facts);
MOTET_API motet_status motet_put_union(motet_facts *facts, const char *tag);
MOTET_API motet_status motet_facts_end(motet_facts *facts);

/* Why the last call on the set failed. */
MOTET_API motet_fault motet_facts_fault(const motet_facts *facts);

/* ---- Verdicts -----------------------------------------------------------------------
 * Room for the result of evaluations, one at a time; belongs to one thread. It borrows
 * from the fact set evaluated last. */
typedef struct motet_verdicts motet_verdicts;

MOTET_API motet_verdicts *motet_verdicts_new(const motet_contract *contract);
MOTET_API void motet_verdicts_free(motet_verdicts *verdicts);

/* Evaluates all rules. The fact set must have been filled without failure. A fault is
 * never turned into an absent verdict: after one there are no verdicts at all. */
MOTET_API motet_status motet_evaluate(const motet_facts *facts,
                                      motet_verdicts *verdicts);
MOTET_API bool motet_verdict_present(const motet_verdicts *verdicts, const char *name);
/* {"verdicts":[…]} with payloads and provenance; lives until the next call on the
 * handle. */
MOTET_API motet_str motet_verdicts_json(motet_verdicts *verdicts);
MOTET_API motet_fault motet_verdicts_fault(const motet_verdicts *verdicts);

#ifdef __cplusplus
}
#endif

#endif
