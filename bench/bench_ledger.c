/* The ledger: verifying a copy of it from a file, everything checked: chain, tree,
 * canonical bodies, trust domain, checkpoints and their signatures; and a complete
 * receipt from its bytes (receipt.verify, us, at most 150). */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "ledger/receipt.h"
#include "ledger/verify.h"

enum { RECORDS = 20000, CHECKPOINT_EVERY = 1000, LINE_LIMIT = 1 << 24 };

typedef struct copy {
    int fd;
    size_t bytes;
    lg_expectation expect;
} copy;

/* What an executed operation leaves: about 700 bytes. */
static void add_body(mt_buf *out, unsigned i)
{
    mt_buf_addf(
        out,
        "{\"contract\":\"escrow\",\"etag\":"
        "\"9393a9fe5c412162fa647c2513449d9a94f162bcaa06a265de519e00adcd015e\","
        "\"facts_used\":[{\"fact\":\"delivery_status\",\"value\":\"confirmed\"},"
        "{\"fact\":\"escrow_amount\",\"value\":{\"amount\":\"%u.00\","
        "\"currency\":\"USD\"}}],\"flow\":\"f-%08x\",\"instance_binding\":"
        "{\"EscrowAccount\":\"acc-%u\"},\"kind\":\"operation\",\"op\":"
        "\"release_escrow\",\"outcome\":\"released\",\"persona\":\"escrow_agent\","
        "\"state_after\":{\"EscrowAccount\":\"released\"},\"state_before\":"
        "{\"EscrowAccount\":\"held\"},\"time\":\"2026-01-01T00:%02u:%02u.%03uZ\","
        "\"token\":\"t-12\",\"trust_domain\":\"acme.prod.eu\",\"verdicts_used\":"
        "[\"delivery_confirmed\",\"within_threshold\"]}",
        i, i * 2654435761u, i % 500, i / 60 % 60, i % 60, i % 1000);
}

static void make(mt_buf *out, const mt_sign_key *key)
{
    lg_chain chain = {0};
    mt_buf body = {0};
    for (unsigned i = 0; i < RECORDS; i++) {
        mt_buf_clear(&body);
        add_body(&body, i);
        lg_entry e = lg_chain_append(&chain, mt_buf_str(&body));
        lg_entry_write(out, &e);
        if ((i + 1) % CHECKPOINT_EVERY == 0) {
            lg_checkpoint c = lg_chain_checkpoint(&chain, MT_STR("acme.prod.eu"));
            lg_checkpoint_sign(&c, key);
            lg_checkpoint_write(out, &c);
        }
    }
    mt_buf_free(&body);
}

static void verify(void *state, uint64_t n)
{
    copy *c = state;
    for (uint64_t i = 0; i < n; i++) {
        lg_finding found;
        lseek(c->fd, 0, SEEK_SET);
        lg_file *file = lg_file_new(c->fd, LINE_LIMIT);
        lg_source source = lg_file_source(file);
        if (lg_verify_source(&source, &c->expect, &found)) {
            MT_BUG(found.problem);
        }
        lg_file_free(file);
    }
}

/* ---- Receipts ---- */

typedef struct paper {
    mt_str text;
    lg_receipt_demand demand;
} paper;

/* From its bytes: both signatures and the proof. */
static void verify_receipt(void *state, uint64_t n)
{
    const paper *p = state;
    mt_arena a = {0};
    for (uint64_t i = 0; i < n; i++) {
        lg_receipt r;
        mt_arena_reset(&a);
        if (lg_receipt_read(&a, p->text, &r) || lg_receipt_fault(&r, &p->demand)) {
            MT_BUG("a good receipt does not hold");
        }
    }
    mt_arena_free(&a);
}

static void bench_receipt(const mt_sign_key *key)
{
    static mt_sha256 leaves[RECORDS];
    lg_chain chain = {0};
    lg_proof path;
    lg_receipt r = {.domain = MT_STR("acme.prod.eu"), .seq = 7777, .complete = true};
    mt_buf body = {0}, text = {0};
    for (unsigned i = 0; i < RECORDS; i++) {
        mt_buf_clear(&body);
        add_body(&body, i);
        lg_entry e = lg_chain_append(&chain, mt_buf_str(&body));
        leaves[i] = lg_leaf(&e.hash);
        r.ledger = i ? r.ledger : e.hash;
        r.hash = i == r.seq ? e.hash : r.hash;
    }
    r.decision = mt_buf_str(&body);
    r.checkpoint = lg_chain_checkpoint(&chain, r.domain);
    lg_checkpoint_sign(&r.checkpoint, key);
    lg_prove_inclusion(leaves, RECORDS, r.seq, &path);
    r.path = &path;
    lg_receipt_sign(&r, key);
    lg_receipt_write(&text, &r);
    paper p = {mt_buf_str(&text), {.keys = &key->open, .key_count = 1}};
    bench_report("receipt.verify", bench_ns(verify_receipt, &p) / 1e3, "us", NULL, 0,
                 150, BENCH_LOWER);
    mt_buf_free(&body);
    mt_buf_free(&text);
}

int main(void)
{
    mt_sign_key key;
    mt_buf text = {0};
    char path[] = "/tmp/motet-bench-XXXXXX";
    copy c = {.fd = mkstemp(path)};
    mt_sign_generate(&key);
    make(&text, &key);
    unlink(path);
    if (c.fd < 0 || write(c.fd, text.ptr, text.len) != (ssize_t)text.len) {
        return 1;
    }
    c.expect = (lg_expectation){.keys = &key.open, .key_count = 1};
    c.bytes = text.len;
    double ns = bench_ns(verify, &c);
    bench_report("serve.verify", (double)c.bytes * 1e3 / ns, "MB/s", NULL, 0, 300,
                 BENCH_HIGHER);
    bench_receipt(&key);
    mt_buf_free(&text);
    close(c.fd);
    return 0;
}
