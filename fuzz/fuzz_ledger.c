/* Ledgers: arbitrary bytes crash nothing, and a tampered ledger is never called good.
 * The first byte chooses: 'v' the rest is a ledger to verify, 'p' a proof document, 'c'
 * a checkpoint, 'b' a body; anything else is a program of changes to a good ledger. */
#include <stdlib.h>
#include <string.h>

#include "base/json_canonical.h"
#include "base/json_write.h"
#include "ledger/proof.h"
#include "ledger/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds, const char *what)
{
    if (!holds) {
        MT_BUG(what);
    }
}

/* ---- arbitrary bytes ---- */

/* What is called good is what writing it again gives. */
static void check_good(mt_str text)
{
    mt_buf again = {0};
    mt_arena a = {0};
    lg_text lines = {text};
    lg_source source = lg_text_source(&lines);
    mt_str line;
    while (!source.next(source.state, &line)) {
        lg_entry e;
        lg_checkpoint c;
        mt_arena_reset(&a);
        if (!lg_entry_read(line, &e)) {
            lg_entry_write(&again, &e);
        } else {
            demand(!lg_checkpoint_read(&a, line, &c), "a good ledger has a bad line");
            lg_checkpoint_write(&again, &c);
        }
    }
    demand(mt_str_eq(mt_buf_str(&again), text), "a good ledger is written otherwise");
    mt_buf_free(&again);
    mt_arena_free(&a);
}

static void verify(mt_str text)
{
    lg_finding found;
    if (!lg_verify(text, NULL, &found)) {
        demand(found.bytes == text.len, "bytes were not looked at");
        check_good(text);
    } else {
        demand(found.problem != NULL, "refused without a reason");
    }
}

static void read_proof(mt_str text)
{
    mt_arena a = {0};
    lg_statement s, back;
    if (!lg_statement_read(&a, text, &s)) {
        mt_buf out = {0};
        lg_checkpoint none = {.size = s.size};
        lg_statement_write(&out, &s);
        demand(!lg_statement_read(&a, mt_buf_str(&out), &back),
               "a proof is not stable");
        demand(lg_statement_fault(&s, NULL, &none) || (!s.inclusion && !s.from),
               "a proof holds for a made-up checkpoint");
        mt_buf_free(&out);
    }
    mt_arena_free(&a);
}

static void read_checkpoint(mt_str text)
{
    mt_arena a = {0};
    lg_checkpoint c;
    lg_chain chain;
    if (!lg_checkpoint_read(&a, text, &c)) {
        lg_checkpoint_verify(&c);
    }
    lg_chain_read(text, 1 + text.len / 65, &chain);
    mt_arena_free(&a);
}

/* The fast way and the long way say the same. */
static void read_body(mt_str text)
{
    mt_arena a = {0};
    mt_buf again = {0};
    mt_json node;
    bool good =
        !mt_json_read(&a, text, NULL, &node, NULL) && node.type == MT_JSON_OBJECT;
    if (good) {
        mt_json_write(&again, &node, false);
        good = mt_str_eq(mt_buf_str(&again), text);
    }
    demand(good == mt_json_canonical(text, NULL, 0), "canonical or not?");
    mt_buf_free(&again);
    mt_arena_free(&a);
}

/* ---- a good ledger, changed ---- */

enum { RECORDS = 6, MOST = 8192 };

static mt_sign_key key;
static lg_checkpoint last;
static char original[MOST];
static size_t original_len;

static void make(void)
{
    unsigned char seed[MT_SIGN_SEED] = {1, 2, 3};
    lg_chain chain = {0};
    mt_buf out = {0};
    mt_sign_from_seed(seed, &key);
    for (int i = 0; i < RECORDS; i++) {
        mt_buf body = {0};
        mt_buf_addf(&body, "{\"kind\":\"k\",\"n\":%d}", i);
        lg_entry e = lg_chain_append(&chain, mt_buf_str(&body));
        lg_entry_write(&out, &e);
        mt_buf_free(&body);
        if (i % 2) {
            last = lg_chain_checkpoint(&chain, MT_STR(""));
            lg_checkpoint_sign(&last, &key);
            lg_checkpoint_write(&out, &last);
        }
    }
    original_len = out.len;
    memcpy(original, out.ptr, out.len);
    mt_buf_free(&out);
}

typedef struct text {
    char bytes[MOST];
    size_t len;
} text;

static void cut(text *t, size_t at, size_t count)
{
    count = count < t->len - at ? count : t->len - at;
    memmove(t->bytes + at, t->bytes + at + count, t->len - at - count);
    t->len -= count;
}

/* Puts a copy of [from, from + count) before `at`. */
static void repeat(text *t, size_t from, size_t count, size_t at)
{
    char piece[MOST];
    count = count < t->len - from ? count : t->len - from;
    if (t->len + count <= MOST) {
        memcpy(piece, t->bytes + from, count);
        memmove(t->bytes + at + count, t->bytes + at, t->len - at);
        memcpy(t->bytes + at, piece, count);
        t->len += count;
    }
}

/* The start of the line that place `at` is in. */
static size_t line_start(const text *t, size_t at)
{
    while (at && t->bytes[at - 1] != '\n') {
        at--;
    }
    return at;
}

static size_t line_len(const text *t, size_t start)
{
    mt_str rest = mt_str_from(t->bytes + start, t->len - start);
    size_t len = mt_str_find(rest, '\n');
    return len < rest.len ? len + 1 : len;
}

/* One change: what, where (two bytes), with what. */
static void change(text *t, const uint8_t *op)
{
    if (!t->len) {
        return;
    }
    size_t at = ((size_t)op[1] << 8 | op[2]) % t->len, line = line_start(t, at);
    switch (op[0] % 6) {
    case 0: t->bytes[at] = (char)(t->bytes[at] ^ op[3]); break;
    case 1: cut(t, at, op[3]); break;
    case 2: cut(t, line, line_len(t, line)); break;
    case 3:
        repeat(t, line, line_len(t, line), line_start(t, op[3] * t->len / 256));
        break;
    case 4: repeat(t, at, op[3], op[3] % t->len); break;
    default: t->len = at; break;
    }
}

/* The record lines of a text, without checkpoints. */
static void record_lines(mt_str all, mt_buf *out)
{
    lg_text lines = {all};
    lg_source source = lg_text_source(&lines);
    mt_str line;
    lg_line parts;
    while (!source.next(source.state, &line)) {
        if (!lg_line_split(line, &parts)) {
            mt_buf_adds(out, line);
            mt_buf_addc(out, '\n');
        }
    }
}

/* Checkpoints may come and go, the records behind the last one may not. */
static void tamper(const uint8_t *data, size_t size)
{
    static text t;
    memcpy(t.bytes, original, original_len);
    t.len = original_len;
    for (; size >= 4; data += 4, size -= 4) {
        change(&t, data);
    }
    lg_expectation expect = {.trusted = &last, .keys = &key.open, .key_count = 1};
    lg_finding found;
    mt_str tampered = mt_str_from(t.bytes, t.len);
    if (!lg_verify(tampered, &expect, &found)) {
        mt_buf now = {0}, then = {0};
        record_lines(tampered, &now);
        record_lines(mt_str_from(original, original_len), &then);
        demand(mt_str_eq(mt_buf_str(&now), mt_buf_str(&then)),
               "a tampered ledger was called good");
        mt_buf_free(&now);
        mt_buf_free(&then);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool made;
    if (!made) {
        make();
        made = true;
    }
    if (!size) {
        return 0;
    }
    mt_str rest = mt_str_from((const char *)data + 1, size - 1);
    switch (data[0]) {
    case 'v': verify(rest); break;
    case 'p': read_proof(rest); break;
    case 'c': read_checkpoint(rest); break;
    case 'b': read_body(rest); break;
    default: tamper(data + 1, size - 1); break;
    }
    return 0;
}
