/* bench/bench_elaborate.c - from source text in memory to compact interchange. */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "contract/elaborate.h"
#include "os/file.h"

typedef struct contract {
    mt_memory_file file;
    mt_memory memory;
    mt_arena arena;
} contract;

static void elaborate(contract *c)
{
    mt_provider files = mt_memory_provider(&c->memory);
    mt_arena_reset(&c->arena);
    mt_diags ds = {.arena = &c->arena};
    const ct_elaboration *e;
    if (ct_elaborate(&c->arena, c->file.path, &files, NULL, &ds, &e) != MT_OK) {
        const mt_diag *d = ct_first_error(&ds);
        fprintf(stderr, "bench: %.*s:%u: %.*s\n", MT_ARG(d->file), d->line,
                MT_ARG(d->message));
        exit(1);
    }
    bench_keep(e->bundle.ptr);
}

static void work(void *state, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        elaborate(state);
    }
}

static void prepare(contract *c, mt_str text)
{
    c->file = (mt_memory_file){MT_STR("bench.tenor"), text};
    c->memory = (mt_memory){&c->file, 1};
}

/* ---- generated contracts: facts, rules, operations and flows ---- */

static void add_group(mt_buf *b, unsigned n)
{
    mt_buf_addf(b,
                "fact quantity_%u {\n  type:    Int(min: 0, max: 1000)\n"
                "  source:  \"orders.quantity_%u\"\n  default: 1\n}\n\n"
                "fact limit_%u {\n  type:   Decimal(precision: 10, scale: 2)\n"
                "  source: \"orders.limit_%u\"\n}\n\n",
                n, n, n, n);
    mt_buf_addf(
        b,
        "rule small_%u {\n  stratum: 0\n  when:    quantity_%u * 3 <= limit_%u\n"
        "         and quantity_%u > 0\n"
        "  produce: verdict small_%u { payload: Bool = true }\n}\n\n"
        "rule fine_%u {\n  stratum: 1\n  when:    verdict_present(small_%u)\n"
        "  produce: verdict fine_%u { payload: Text(10) = \"fine\" }\n}\n\n",
        n, n, n, n, n, n, n, n);
    mt_buf_addf(b,
                "entity Order_%u {\n  states:  [draft, sent, done]\n"
                "  initial: draft\n  transitions: [(draft, sent), (sent, done)]\n}\n\n"
                "operation send_%u {\n  allowed_personas: [clerk]\n"
                "  precondition:     verdict_present(fine_%u)\n"
                "  effects:          [(Order_%u, draft, sent)]\n"
                "  outcomes:         [sent]\n"
                "  error_contract:   [precondition_failed, persona_rejected]\n}\n\n",
                n, n, n, n);
    mt_buf_addf(b,
                "flow process_%u {\n  snapshot: at_initiation\n  entry:    check\n\n"
                "  steps: {\n    check: BranchStep {\n"
                "      condition: verdict_present(small_%u)\n      persona:   clerk\n"
                "      if_true:   send\n      if_false:  Terminal(failure)\n    }\n\n"
                "    send: OperationStep {\n      op:      send_%u\n"
                "      persona: clerk\n      outcomes: { sent: Terminal(success) }\n"
                "      on_failure: Terminate(outcome: failure)\n    }\n  }\n}\n\n",
                n, n, n);
}

/* About `size` bytes, never less. */
static mt_str generate(size_t size)
{
    mt_buf b = {0};
    mt_buf_addz(&b, "persona clerk\n\n");
    for (unsigned n = 0; b.len < size; n++) {
        add_group(&b, n);
    }
    return mt_buf_str(&b);
}

static double ns_per_byte(size_t size)
{
    contract c = {0};
    mt_str text = generate(size);
    prepare(&c, text);
    double ns = bench_ns(work, &c) / (double)text.len;
    mt_arena_free(&c.arena);
    free((void *)(uintptr_t)text.ptr);
    return ns;
}

/* ---- figures ---- */

static void bench_escrow(const char *path)
{
    contract c = {0};
    mt_arena a = {0};
    mt_str text;
    if (os_read_file(&a, path, 1 << 20, &text) != MT_OK) {
        fprintf(stderr, "bench: cannot read %s\n", path);
        exit(1);
    }
    prepare(&c, text);
    bench_report("elaborate.escrow", bench_ns(work, &c) / 1000, "us", NULL, 0, 25,
                 BENCH_LOWER);
    mt_arena_free(&c.arena);
    mt_arena_free(&a);
}

/* The most memory this process has held since reset_peak(), in bytes. A process started
 * by a larger one inherits its parent's ru_maxrss, so that figure tells nothing here.
 */
static double peak_bytes(void)
{
    char line[256];
    unsigned long kib = 0;
    FILE *f = fopen("/proc/self/status", "re");
    while (f && fgets(line, sizeof line, f) && sscanf(line, "VmHWM: %lu", &kib) != 1) {
    }
    if (f) {
        fclose(f);
    }
    return (double)kib * 1024;
}

static void reset_peak(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "we");
    if (f) {
        fputs("5", f);
        fclose(f);
    }
}

static void bench_memory(void)
{
    enum { SOURCE = 1 << 20 };
    contract c = {0};
    mt_str text = generate(SOURCE);
    prepare(&c, text);
    reset_peak();
    double before = peak_bytes();
    elaborate(&c);
    double peak = peak_bytes() - before;
    bench_report("elaborate.memory", peak / (double)text.len, "times source", NULL, 0,
                 40 + (double)(1 << 20) / (double)text.len, BENCH_LOWER);
    mt_arena_free(&c.arena);
    free((void *)(uintptr_t)text.ptr);
}

static void bench_growth(void)
{
    double small = ns_per_byte(10 << 10), large = ns_per_byte(10 << 20);
    bench_report("elaborate.growth", large / small, "times", NULL, 0, 1.5, BENCH_LOWER);
}

int main(int argc, char **argv)
{
    bench_memory(); /* first: while the process is small */
    /* `make bench` runs at the root of the project. */
    bench_escrow(argc > 1 ? argv[1] : "examples/escrow/escrow.tenor");
    bench_report("elaborate.large", 1000 / ns_per_byte(1 << 20), "MB/s", NULL, 0, 100,
                 BENCH_HIGHER);
    bench_growth();
    return 0;
}
