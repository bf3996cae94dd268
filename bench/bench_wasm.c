/* The engine as WebAssembly in Node, beside itself as machine code; and what its
 * modules weigh. Needs `make wasm` and the compiled sdk/js; says so where they are not
 * there. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "bench.h"
#include "motet.h"
#include "os/file.h"

#define FACTS    TEST_DATA "/escrow.facts.json"
#define CONTRACT TEST_DATA "/escrow.bundle.json"
#define NODE     "node " BENCH "/wasm.mjs " SDK "/dist/index.js " CONTRACT " " FACTS

typedef struct evaluation {
    motet_facts *facts;
    motet_verdicts *verdicts;
    motet_str json;
} evaluation;

static void evaluate(void *state, uint64_t n)
{
    evaluation *e = state;
    for (uint64_t i = 0; i < n; i++) {
        if (motet_facts_read(e->facts, e->json, false) ||
            motet_evaluate(e->facts, e->verdicts)) {
            abort();
        }
        bench_keep(motet_verdicts_json(e->verdicts).ptr);
    }
}

static double native_ns(void)
{
    mt_arena a = {0};
    mt_str text;
    motet_contract *c;
    if (os_read_file(&a, FACTS, 1 << 20, &text) || motet_contract_open(CONTRACT, &c)) {
        abort();
    }
    evaluation e = {motet_facts_new(c), motet_verdicts_new(c), {text.ptr, text.len}};
    double ns = bench_ns(evaluate, &e);
    motet_facts_free(e.facts);
    motet_verdicts_free(e.verdicts);
    motet_contract_free(c);
    mt_arena_free(&a);
    return ns;
}

/* What a command prints as numbers. */
static bool numbers(const char *command, double *one, double *two)
{
    FILE *pipe = popen(command, "r");
    int got = pipe ? fscanf(pipe, "%lf %lf", one, two) : 0;
    return pipe && pclose(pipe) == 0 && got > 0;
}

static void weigh(const char *name, const char *command)
{
    double bytes, none;
    if (numbers(command, &bytes, &none) && bytes > 0) { /* of a module that is there */
        bench_report(name, bytes / 1000, "KB", NULL, 0, 450, BENCH_LOWER);
    }
}

int main(void)
{
    double alone, packaged, native = native_ns();
    if (!numbers(NODE, &alone, &packaged)) {
        fprintf(stderr, "bench_wasm: build the modules and sdk/js (make wasm)\n");
        return 1;
    }
    bench_report("wasm.eval", alone, "ns", "native", native, 3 * native, BENCH_LOWER);
    bench_report("js.eval", packaged, "ns", "native", native, NAN, BENCH_LOWER);
    weigh("wasm.size", "gzip -9 <" SDK "/dist/motet.wasm | wc -c");
    weigh("wasm.size_graph", "gzip -9 <" SDK "/dist/motet-graph.wasm | wc -c");
    return 0;
}
