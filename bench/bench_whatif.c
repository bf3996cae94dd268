/* bench/bench_whatif.c - recorded decisions decided again.
 * prove.whatif: records a second of a ledger of random decisions of the escrow contract
 * (flows of about four records, operations on their own), split from their lines and
 * replayed under a candidate with another default, by which about a fifth differ.
 * prove.whatif_same: under the contract itself. */
#include <math.h>

#include "../tests/unit/whatif/whatif_ledger.h"
#include "bench.h"
#include "ledger/chain.h"
#include "ledger/source.h"
#include "whatif/whatif.h"

#ifndef EXAMPLES
#define EXAMPLES "examples"
#endif

enum { DECISIONS = 4000 };

typedef struct work {
    mt_buf lines;
    lg_chain chain;
    const ct_plan *candidate;
    uint64_t records, differing;
} work;

static void add_line(void *state, mt_str body)
{
    work *w = state;
    lg_entry e = lg_chain_append(&w->chain, body);
    lg_entry_write(&w->lines, &e);
    w->records++;
}

static void stop(const char *why)
{
    fprintf(stderr, "bench_whatif: %s\n", why);
    exit(1);
}

static void replay(work *w)
{
    wi_whatif_options o = {.candidate = w->candidate};
    wi_whatif *replayed = wi_whatif_new(&o);
    lg_text text = {mt_buf_str(&w->lines)};
    lg_source source = lg_text_source(&text);
    mt_str line;
    while (!source.next(source.state, &line)) {
        lg_line parts;
        if (lg_line_split(line, &parts) ||
            wi_whatif_record(replayed, parts.seq, parts.body)) {
            stop("a record is not understood");
        }
    }
    w->differing = wi_whatif_result(replayed)->differing;
    if (wi_whatif_result(replayed)->records != w->records) {
        stop("records are missing");
    }
    wi_whatif_free(replayed);
}

static void repeat(void *state, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        replay(state);
    }
}

static double per_second(work *w, const contract *c)
{
    w->candidate = c->plan;
    return (double)w->records * 1e9 / bench_ns(repeat, w);
}

int main(void)
{
    work w = {0};
    mt_arena a = {0};
    mt_str source;
    uint64_t seed = 7;
    if (os_read_file(&a, EXAMPLES "/escrow/escrow.tenor", 1 << 20, &source)) {
        stop("the example cannot be read");
    }
    contract old = contract_load(source);
    for (unsigned i = 0; i < DECISIONS; i++) {
        decision d = decision_random(&seed, &a);
        decision_record(&old, &d, i, add_line, &w);
    }
    const char *at = memmem(source.ptr, source.len, "10000.00", 8);
    if (!at) {
        stop("the example has changed");
    }
    contract new = contract_load(
        mt_strf(&a, "%.*s5000.00%s", (int)(at - source.ptr), source.ptr, at + 8));
    double changed = per_second(&w, &new);
    if (!w.differing) {
        stop("nothing differs");
    }
    bench_report("prove.whatif", changed, "records/s", NULL, 0, 200000, BENCH_HIGHER);
    double same = per_second(&w, &old);
    if (w.differing) {
        stop("a contract differs from itself");
    }
    bench_report("prove.whatif_same", same, "records/s", NULL, 0, 200000, BENCH_HIGHER);
    contract_free(&old);
    contract_free(&new);
    mt_buf_free(&w.lines);
    mt_arena_free(&a);
    return 0;
}
