/* api/ledger.c - copies of ledgers and receipts, verified from bytes and public keys.
 *
 * Nothing is asked but the bytes: no file, no server, no clock. A ledger is read line
 * by line, whole or in pieces as they come, in constant memory. What is said names what
 * was checked. Where witnesses are asked for, the caller says what time it is: a
 * cosignature of a time that has not come says nothing yet. */
#include <stdlib.h>

#include "api/api.h"
#include "base/limits.h"
#include "ledger/tell.h"

/* What the caller trusts beforehand. Everything
 * else comes from bytes that may be forged. */
typedef struct ledger_options {
    const mt_json *keys, *witnesses, *checkpoints;
    mt_str domain, origin, checkpoint, note, ledger;
    bool require_signature, complete;
    size_t quorum;
    int64_t now; /* seconds since 1970; -1: not said */
} ledger_options;

static const ledger_options INITIAL = {.now = -1};

/* clang-format off */
#define OWNER \
    MT_FORM_TEXTS(ledger_options, keys, "keys", 0, 1000, 0), \
    MT_FORM_TEXT(ledger_options, domain, "domain", 0)
#define BOTH OWNER, \
    MT_FORM_TEXTS(ledger_options, witnesses, "witnesses", 0, LG_WITNESSES_MOST, 0), \
    MT_FORM_SIZE(ledger_options, quorum, "witness_quorum", 1, LG_WITNESSES_MOST, 0), \
    MT_FORM_INT(ledger_options, now, "now", 0, INT64_MAX, 0), \
    MT_FORM_TEXT(ledger_options, origin, "origin", 0)
static const mt_form_row LEDGER[] = {BOTH,
    MT_FORM_TEXT(ledger_options, checkpoint, "checkpoint", 0),
    MT_FORM_TEXT(ledger_options, note, "note", 0),
    MT_FORM_FLAG(ledger_options, require_signature, "require_signature", 0)};
static const mt_form_row RECEIPT[] = {BOTH,
    MT_FORM_TEXT(ledger_options, ledger, "ledger", 0),
    MT_FORM_FLAG(ledger_options, complete, "complete", 0)};
static const mt_form_row PROOF[] = {OWNER,
    MT_FORM_TEXTS(ledger_options, checkpoints, "checkpoints", 1, 2, 0)};
/* clang-format on */

/* ---- keys ---- */

/* Those who may sign. *out has `count` of them, in the reply's arena. */
static int read_keys(const mt_json *list, const mt_sign_public **out, size_t *count,
                     aw_reply *r)
{
    *count = list ? list->count : 0;
    mt_sign_public *keys = mt_new_array(&r->arena, mt_sign_public, *count + 1);
    for (size_t i = 0; i < *count; i++) {
        if (!mt_sign_public_read(mt_json_text(&list->as.items[i]), &keys[i])) {
            return aw_fail(r, AW_USAGE,
                           "`keys[%zu]` must be a public key: 64 hex digits or base64",
                           i);
        }
    }
    *out = keys;
    return AW_HOLDS;
}

/* NAME+ID+KEY (lg_note_key_read), or a key
 * alone, which then counts whatever name signs. */
static bool read_witness(mt_str text, lg_note_key *out)
{
    if (!lg_note_key_read(text, out)) {
        return out->type == LG_WITNESS_KEY;
    }
    *out = (lg_note_key){.type = LG_WITNESS_KEY};
    return mt_sign_public_read(text, &out->key);
}

/* One key given twice would count as two of a quorum. */
static bool is_twice(const lg_note_key *keys, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (memcmp(&keys[i].key, &keys[at].key, sizeof keys[at].key) == 0) {
            return true;
        }
    }
    return false;
}

/* Without a quorum all of them must have signed. Neither keys nor time have a default:
 * both are what the check rests on. */
static int read_witnesses(const ledger_options *o, lg_cosigners *out, aw_reply *r)
{
    size_t count = o->witnesses ? o->witnesses->count : 0;
    lg_note_key *keys = mt_new_array(&r->arena, lg_note_key, count + 1);
    for (size_t i = 0; i < count; i++) {
        if (!read_witness(mt_json_text(&o->witnesses->as.items[i]), &keys[i])) {
            return aw_fail(r, AW_USAGE, "`witnesses[%zu]` must be NAME+ID+KEY or a key",
                           i);
        }
        if (is_twice(keys, i)) {
            return aw_fail(r, AW_USAGE, "`witnesses` has one key twice");
        }
    }
    if (o->quorum > count) {
        return aw_fail(r, AW_USAGE,
                       "`witness_quorum` is from 1 to the number of `witnesses`");
    }
    if (count && o->now < 0) {
        return aw_fail(
            r, AW_USAGE,
            "`witnesses` need `now`, in seconds since 1970: a cosignature of "
            "a time that has not come does not count");
    }
    *out = (lg_cosigners){keys, count, o->quorum ? o->quorum : count, o->now};
    return AW_HOLDS;
}

/* ---- a ledger ---- */

/* lg_expectation with room for what it points to; lives for one call. */
typedef struct expecting {
    lg_expectation expect;
    lg_checkpoint trusted;
    lg_cosigners by;
    lg_cosigned_note got;
} expecting;

/* One that the caller kept. Its own signature is checked at once; one line end behind
 * it is allowed. */
static int read_point(const char *option, mt_str text, lg_checkpoint *out, aw_reply *r)
{
    text.len -= text.len && text.ptr[text.len - 1] == '\n';
    return lg_checkpoint_read(&r->arena, text, out)
               ? aw_fail(r, AW_FAILS, "`%s`: this is not a checkpoint", option)
           : !lg_checkpoint_verify(out)
               ? aw_fail(r, AW_FAILS, "`%s`: the signature is wrong", option)
               : AW_HOLDS;
}

/* The ledger must still contain what it is of. */
static int read_checkpoint(const ledger_options *o, expecting *x, aw_reply *r)
{
    if (!o->checkpoint.ptr) {
        return AW_HOLDS;
    }
    x->expect.trusted = &x->trusted;
    return read_point("checkpoint", o->checkpoint, &x->trusted, r);
}

static int too_few(const lg_cosigners *by, const lg_cosigned_note *got, aw_reply *r)
{
    return aw_fail(r, AW_FAILS,
                   "the note is not co-signed by %zu of these %zu witnesses%s",
                   by->quorum, by->count,
                   got->ahead ? ": a cosignature of a time that has not come does not "
                                "count"
                              : "");
}

/* What a note says of size and root is then what the records are compared with. */
static int read_note(const ledger_options *o, expecting *x, aw_reply *r)
{
    bool wanted = x->by.count || o->origin.ptr;
    if (!wanted || !o->note.ptr) {
        return wanted ? aw_fail(r, AW_USAGE, "`witnesses` and `origin` need `note`")
               : o->note.ptr
                   ? aw_fail(r, AW_USAGE, "`note` needs `witnesses` or `origin`")
                   : AW_HOLDS;
    }
    x->got.note = o->note;
    if (o->note.len > LG_NOTE_BYTES || lg_note_read(o->note, &x->got.read)) {
        return aw_fail(r, AW_FAILS,
                       "`note`: this is not a checkpoint in the format of "
                       "c2sp.org/tlog-checkpoint");
    }
    x->got.lines = x->got.read.signatures;
    if (lg_cosigned_count(&x->got, &x->by) < x->by.quorum) {
        return too_few(&x->by, &x->got, r);
    }
    if (o->origin.ptr && !mt_str_eq(x->got.read.head.origin, o->origin)) {
        return aw_fail(r, AW_FAILS, "its note is of another log than `origin`");
    }
    x->expect.witnessed = &x->got.read;
    return AW_HOLDS;
}

/* What is trusted beforehand is read and checked
 * first; only then the ledger is compared with it. */
static int read_demand(motet_str options, ledger_options *o, expecting *x, aw_reply *r)
{
    int code = api_options_read(options, LEDGER, mt_form_count(LEDGER), o, r);
    x->expect.domain = o->domain;
    code = code ? code : read_keys(o->keys, &x->expect.keys, &x->expect.key_count, r);
    code = code ? code : read_checkpoint(o, x, r);
    code = code ? code : read_witnesses(o, &x->by, r);
    return code ? code : read_note(o, x, r);
}

static int tell(const lg_finding *f, const ledger_options *o, const expecting *x,
                aw_reply *r)
{
    lg_tell_finding(&r->text, f, o->origin.ptr ? &x->got : NULL,
                    x->by.count ? &x->got : NULL);
    bool holds = !f->problem && (f->any_attested || !o->require_signature);
    return holds ? AW_HOLDS : AW_FAILS;
}

motet_status motet_ledger_verify(motet_str ledger, motet_str options,
                                 motet_answer **out)
{
    aw_reply r = {0};
    lg_finding f;
    ledger_options o = INITIAL;
    expecting x = {0};
    int code = read_demand(options, &o, &x, &r);
    if (!code) {
        lg_verify(api_in_str(ledger), &x.expect, &f);
        code = tell(&f, &o, &x, &r);
    }
    return api_answer(&r, code, out);
}

/* ---- the same in pieces ---- */

struct motet_ledger_check {
    aw_reply r; /* what the options say lives in its arena */
    ledger_options o;
    expecting x;
    lg_finding found;
    lg_verifier v;
    mt_buf rest; /* of a line that is not whole yet */
    int code;    /* of the options; not AW_HOLDS: nothing was started */
    bool over;
};

motet_status motet_ledger_check_new(motet_str options, motet_ledger_check **out)
{
    motet_ledger_check *c = mt_xmalloc(sizeof *c);
    *c = (motet_ledger_check){.o = INITIAL};
    *out = c;
    c->code = read_demand(options, &c->o, &c->x, &c->r);
    if (!c->code) {
        lg_verify_start(&c->v, &c->x.expect, &c->found);
    }
    return c->code == AW_HOLDS   ? MOTET_OK
           : c->code == AW_USAGE ? MOTET_E_USAGE
                                 : MOTET_E_REJECTED;
}

/* The bytes of one line that have come; `whole`: and its end. Only what is cut by the
 * end of a piece is copied. */
static void take(motet_ledger_check *c, mt_str part, bool whole)
{
    if (c->rest.len + part.len > MT_LIMITS_DEFAULT.ledger_line_bytes) {
        lg_verify_stop(&c->v, MT_E_LIMIT);
        return;
    }
    if (!whole || c->rest.len) {
        mt_buf_adds(&c->rest, part);
        part = mt_buf_str(&c->rest);
    }
    if (whole) {
        lg_verify_line(&c->v, part);
        mt_buf_clear(&c->rest);
    }
}

motet_status motet_ledger_check_feed(motet_ledger_check *c, motet_str bytes)
{
    if (!c || c->over || c->code) {
        return MOTET_E_USAGE;
    }
    mt_str rest = api_in_str(bytes);
    while (rest.len && !c->found.problem) {
        size_t end = mt_str_find(rest, '\n');
        take(c, mt_str_from(rest.ptr, end), end < rest.len);
        rest = mt_str_skip(rest, end + 1);
    }
    return c->found.problem ? MOTET_E_REJECTED : MOTET_OK;
}

uint64_t motet_ledger_check_lines(const motet_ledger_check *c)
{
    return c ? lg_lines_read(&c->found) : 0;
}

uint64_t motet_ledger_check_bytes(const motet_ledger_check *c)
{
    return c ? c->found.bytes : 0;
}

/* As the command line has it: what is too long to be read is not called tampering. */
static int too_long(const lg_finding *f, aw_reply *r)
{
    return aw_fail(r, AW_FAILS, "line %llu: more than %zu bytes",
                   (unsigned long long)f->line, MT_LIMITS_DEFAULT.ledger_line_bytes);
}

static int finish(motet_ledger_check *c)
{
    if (!c->found.problem && c->rest.len) {
        lg_verify_stop(&c->v, MT_E_CORRUPT);
    }
    lg_verify_end(&c->v);
    return c->found.world ? too_long(&c->found, &c->r)
                          : tell(&c->found, &c->o, &c->x, &c->r);
}

/* Once only: what the expectation rests on goes with the answer. */
motet_status motet_ledger_check_end(motet_ledger_check *c, motet_answer **out)
{
    if (!c || c->over) {
        *out = NULL;
        return MOTET_E_USAGE;
    }
    c->over = true;
    return api_answer(&c->r, c->code ? c->code : finish(c), out);
}

void motet_ledger_check_free(motet_ledger_check *c)
{
    if (!c) {
        return;
    }
    if (!c->over && !c->code) {
        lg_verify_end(&c->v);
    }
    mt_buf_free(&c->rest);
    aw_reply_free(&c->r);
    free(c);
}

/* ---- proofs ---- */

static int judge_proof(mt_str text, const ledger_options *o, aw_reply *r)
{
    lg_checkpoint points[2];
    size_t count = o->checkpoints ? o->checkpoints->count : 0;
    lg_expectation expect = {.domain = o->domain};
    lg_statement s;
    int code = count ? read_keys(o->keys, &expect.keys, &expect.key_count, r)
                     : aw_fail(r, AW_USAGE, "`checkpoints` say what it is a proof of");
    for (size_t i = 0; !code && i < count; i++) {
        mt_str point = mt_json_text(&o->checkpoints->as.items[i]);
        code = read_point("checkpoints", point, &points[i], r);
    }
    if (!code && lg_statement_read(&r->arena, text, &s)) {
        code = aw_fail(r, AW_FAILS, "this is not a proof");
    }
    if (code) {
        return code;
    }
    const char *fault = lg_proof_fault(&s, points, count, &expect);
    lg_tell_proof(&r->text, &s, fault);
    return fault ? AW_FAILS : AW_HOLDS;
}

motet_status motet_proof_verify(motet_str proof, motet_str options, motet_answer **out)
{
    aw_reply r = {0};
    ledger_options o = INITIAL;
    int code = api_options_read(options, PROOF, mt_form_count(PROOF), &o, &r);
    code = code ? code : judge_proof(api_in_str(proof), &o, &r);
    return api_answer(&r, code, out);
}

/* ---- receipts ---- */

/* Tells the receipt in either case. `ahead` counts
 * cosignatures of a time that has not come. */
static int judge(const lg_receipt *receipt, const lg_receipt_check *check, aw_reply *r)
{
    size_t ahead;
    const char *fault = lg_receipt_check_one(receipt, check, &ahead);
    lg_tell_receipt(&r->text, receipt, fault, check->by.count ? &ahead : NULL);
    return fault ? AW_FAILS : AW_HOLDS;
}

/* The arena is emptied for each line: a file of receipts may be long. */
static int judge_lines(mt_str text, const lg_receipt_check *check, aw_reply *r)
{
    mt_arena a = {0};
    int code = AW_HOLDS;
    for (size_t line = 1; text.len && !code; line++) {
        mt_str one = mt_str_from(text.ptr, mt_str_find(text, '\n'));
        lg_receipt receipt;
        mt_arena_reset(&a);
        text = mt_str_skip(text, one.len + 1);
        code = lg_receipt_or_answer(&a, one, &receipt)
                   ? aw_fail(r, AW_FAILS, "line %zu: this is not a receipt", line)
                   : judge(&receipt, check, r);
    }
    mt_arena_free(&a);
    return code;
}

/* One document, or else one on each line, up to the first that does not hold. */
static int judge_all(mt_str text, const lg_receipt_check *check, aw_reply *r)
{
    lg_receipt receipt;
    return !lg_receipt_or_answer(&r->arena, text, &receipt) ? judge(&receipt, check, r)
           : text.len ? judge_lines(text, check, r)
                      : aw_fail(r, AW_FAILS, "line 1: this is not a receipt");
}

static int read_ledger(const ledger_options *o, mt_sha256 *hash,
                       lg_receipt_demand *demand, aw_reply *r)
{
    if (!o->ledger.ptr) {
        return AW_HOLDS;
    }
    demand->ledger = hash;
    return mt_unhex(o->ledger, hash->bytes, MT_SHA256_BYTES)
               ? AW_HOLDS
               : aw_fail(r, AW_USAGE,
                         "`ledger` takes the hash of a ledger's record 0: 64 hex "
                         "digits");
}

/* Whose receipt it is must be said: anybody can sign one with a key of his own. */
motet_status motet_receipt_verify(motet_str receipts, motet_str options,
                                  motet_answer **out)
{
    aw_reply r = {0};
    ledger_options o = INITIAL;
    lg_receipt_check check = {0};
    mt_sha256 ledger;
    int code = api_options_read(options, RECEIPT, mt_form_count(RECEIPT), &o, &r);
    check.must_be_complete = o.complete;
    check.demand.domain = o.domain;
    check.demand.origin = o.origin;
    code = code ? code
                : read_keys(o.keys, &check.demand.keys, &check.demand.key_count, &r);
    if (!code && !check.demand.key_count) {
        code = aw_fail(&r, AW_USAGE, "`keys` say whose receipt it must be");
    }
    code = code ? code : read_ledger(&o, &ledger, &check.demand, &r);
    code = code ? code : read_witnesses(&o, &check.by, &r);
    code = code ? code : judge_all(api_in_str(receipts), &check, &r);
    return api_answer(&r, code, out);
}
