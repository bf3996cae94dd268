/* bench/bench_eval.c - facts to verdicts: the escrow contract beside hand-written C,
 * growth with rules and elements, threads, allocations. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "contract/eval/facts.h"
#include "contract/eval/program.h"
#include "contract/reduce/partial.h"
#include "escrow_by_hand.h"

#ifndef TEST_DATA
#define TEST_DATA "tests/data" /* when run from the project's directory */
#endif

/* Every call of the allocator is counted. */
extern void *__libc_malloc(size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_calloc(size_t count, size_t size);
static _Atomic uint64_t allocations;

void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *realloc(void *old, size_t size)
{
    allocations++;
    return __libc_realloc(old, size);
}

void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

static _Noreturn void die(const char *what, mt_str detail)
{
    fprintf(stderr, "bench_eval: %s: %.*s\n", what, MT_ARG(detail));
    exit(1);
}

typedef struct run {
    mt_arena arena;
    const ct_model *model;
    const ct_program *program;
    ct_facts *facts, *copy;
    ct_verdicts *verdicts;
    mt_str json;
    mt_buf out;
    ct_partial *partial;
    bool *unknown;
    hand_facts hand;
    hand_verdicts hand_verdicts;
} run;

static void start(run *r, mt_str bundle, mt_str json)
{
    mt_diags ds = {.arena = &r->arena};
    ct_fault fault = {0};
    if (ct_load(&r->arena, bundle, MT_STR("bench"), NULL, &ds, &r->model)) {
        die("bundle", ds.items[0].message);
    }
    r->program = ct_compile(&r->arena, r->model);
    r->facts = ct_facts_new(r->model);
    r->copy = ct_facts_new(r->model);
    r->verdicts = ct_verdicts_new(r->program);
    r->partial = ct_partial_new(r->program);
    r->unknown = mt_new_array(&r->arena, bool, r->model->fact_count + 1);
    r->json = json;
    if (ct_facts_read(r->facts, json, NULL, false, &fault) ||
        ct_evaluate(r->program, r->facts, r->verdicts, &r->arena, &fault)) {
        die("facts", fault.message);
    }
}

static void stop(run *r)
{
    ct_facts_free(r->facts);
    ct_facts_free(r->copy);
    ct_verdicts_free(r->verdicts);
    ct_partial_free(r->partial);
    mt_buf_free(&r->out);
    mt_arena_free(&r->arena);
}

/* ---- What is measured ---- */

static void typed(void *state, uint64_t n)
{
    run *r = state;
    ct_fault fault;
    for (uint64_t i = 0; i < n; i++) {
        ct_evaluate(r->program, r->facts, r->verdicts, &r->arena, &fault);
        bench_keep(r->verdicts);
    }
}

static void typed_by_hand(void *state, uint64_t n)
{
    run *r = state;
    for (uint64_t i = 0; i < n; i++) {
        bench_keep(&r->hand);
        hand_decide(&r->hand, &r->hand_verdicts);
        bench_keep(&r->hand_verdicts);
    }
}

/* From the values a host holds (those of one set) to another set, checked. */
static void assemble(void *state, uint64_t n)
{
    run *r = state;
    ct_fault fault;
    for (uint64_t i = 0; i < n; i++) {
        ct_facts_begin(r->copy);
        for (uint32_t k = 0; k < r->model->fact_count; k++) {
            ct_facts_set(r->copy, k, ct_facts_value(r->facts, k), &fault);
        }
        ct_facts_end(r->copy, &fault);
        bench_keep(r->copy);
    }
}

static void json_to_json(void *state, uint64_t n)
{
    run *r = state;
    ct_fault fault;
    for (uint64_t i = 0; i < n; i++) {
        mt_buf_clear(&r->out);
        ct_facts_read(r->facts, r->json, NULL, false, &fault);
        ct_evaluate(r->program, r->facts, r->verdicts, &r->arena, &fault);
        ct_verdicts_json(&r->out, r->verdicts);
        bench_keep(r->out.ptr);
    }
}

/* What is left to decide, with some facts unknown. */
static void partly(void *state, uint64_t n)
{
    run *r = state;
    ct_fault fault;
    for (uint64_t i = 0; i < n; i++) {
        ct_partial_evaluate(r->partial, r->facts, r->unknown, &fault);
        bench_keep(r->partial);
    }
}

static void forget(run *r, const char *fact)
{
    uint32_t i = ct_model_find(r->model, CT_KIND_FACT, mt_str_z(fact));
    if (i == CT_NONE) {
        die("no fact", mt_str_z(fact));
    }
    r->unknown[i] = true;
}

/* At most 15 times what evaluating everything takes: two facts of five, one more, and a
 * list of a hundred whose elements are compared with what is unknown. */
static void partial_escrow(run *two, run *hundred, double all)
{
    forget(two, "escrow_amount");
    forget(two, "delivery_status");
    forget(hundred, "escrow_amount");
    forget(hundred, "delivery_status");
    bench_report("eval.partial", bench_ns(partly, two), "ns", "eval.typed_2", all,
                 15 * all, BENCH_LOWER);
    forget(two, "line_items");
    bench_report("eval.partial_list", bench_ns(partly, two), "ns", "eval.typed_2", all,
                 15 * all, BENCH_LOWER);
    double all_100 = bench_ns(typed, hundred);
    bench_report("eval.partial_100", bench_ns(partly, hundred), "ns", "eval.typed_100",
                 all_100, 15 * all_100, BENCH_LOWER);
}

static void json_by_hand(void *state, uint64_t n)
{
    run *r = state;
    for (uint64_t i = 0; i < n; i++) {
        mt_buf_clear(&r->out);
        hand_read(r->json, &r->hand);
        hand_decide(&r->hand, &r->hand_verdicts);
        hand_print(&r->out, &r->hand_verdicts);
        bench_keep(r->out.ptr);
    }
}

/* ---- Escrow ---- */

static mt_str escrow_facts(mt_arena *a, int items)
{
    mt_buf b = {0};
    mt_buf_addz(&b, "{\n  \"escrow_amount\": {\"amount\": \"8500.00\", \"currency\": "
                    "\"USD\"},\n  \"delivery_status\": \"confirmed\",\n"
                    "  \"compliance_threshold\": {\"amount\": \"10000.00\", "
                    "\"currency\": \"USD\"},\n  \"buyer_requested_refund\": false,\n"
                    "  \"line_items\": [\n");
    for (int i = 0; i < items; i++) {
        mt_buf_addf(&b,
                    "%s    {\"id\": \"L%d\", \"description\": \"Widget %c\", "
                    "\"amount\": {\"amount\": \"%d.00\", \"currency\": \"USD\"}, "
                    "\"valid\": true}",
                    i ? ",\n" : "", i + 1, 'A' + i % 26, 3500 + 1500 * !i);
    }
    mt_buf_addz(&b, "\n  ]\n}\n");
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

static mt_str read_file(mt_arena *a, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        die("cannot open", mt_str_z(path));
    }
    char *text = mt_alloc(a, 1 << 20);
    size_t len = fread(text, 1, 1 << 20, f);
    fclose(f);
    return mt_str_from(text, len);
}

/* Engine and hand must print the same bytes, typed and from JSON. */
static void assert_equal(run *r)
{
    json_to_json(r, 1);
    mt_str engine = mt_str_dup(&r->arena, mt_buf_str(&r->out));
    json_by_hand(r, 1);
    if (!mt_str_eq(engine, mt_buf_str(&r->out))) {
        die("results differ", engine);
    }
}

static uint64_t count_allocations(run *r)
{
    json_to_json(r, 100);
    uint64_t before = allocations;
    json_to_json(r, 1000);
    typed(r, 1000);
    return allocations - before;
}

static double by_two_threads(run *r);

static void escrow(mt_str bundle)
{
    run two = {0}, hundred = {0};
    start(&two, bundle, escrow_facts(&two.arena, 2));
    start(&hundred, bundle, escrow_facts(&hundred.arena, 100));
    assert_equal(&two);
    assert_equal(&hundred);
    json_to_json(&two, 1);
    double hand_typed = bench_ns(typed_by_hand, &two);
    double engine_typed = bench_ns(typed, &two);
    double limit = hand_typed * 6 < 80 ? hand_typed * 6 : 80;
    bench_report("eval.c_typed_2", hand_typed, "ns", NULL, NAN, NAN, BENCH_LOWER);
    bench_report("eval.typed_2", engine_typed, "ns", "eval.c_typed_2", hand_typed,
                 limit, BENCH_LOWER);
    bench_report("eval.typed_100", bench_ns(typed, &hundred), "ns", NULL, NAN, NAN,
                 BENCH_LOWER);
    bench_report("eval.assemble_2", bench_ns(assemble, &two), "ns", NULL, NAN, NAN,
                 BENCH_LOWER);
    double hand_json = bench_ns(json_by_hand, &two);
    double engine_json = bench_ns(json_to_json, &two);
    limit = hand_json * 2 < 1500 ? hand_json * 2 : 1500;
    bench_report("eval.c_json_2", hand_json, "ns", NULL, NAN, NAN, BENCH_LOWER);
    bench_report("eval.json_2", engine_json, "ns", "eval.c_json_2", hand_json, limit,
                 BENCH_LOWER);
    double hand_json_100 = bench_ns(json_by_hand, &hundred);
    bench_report("eval.json_100", bench_ns(json_to_json, &hundred), "ns",
                 "eval.c_json_100", hand_json_100, NAN, BENCH_LOWER);
    bench_report("eval.allocations", (double)count_allocations(&two), "calls", NULL,
                 NAN, 0, BENCH_LOWER);
    bench_report("eval.threads", by_two_threads(&two), "times", NULL, NAN, 1.8,
                 BENCH_HIGHER);
    partial_escrow(&two, &hundred, engine_typed);
    stop(&two);
    stop(&hundred);
}

/* ---- Growth ---- */

static double rules_ns(int rules)
{
    run r = {0};
    mt_buf b = {0};
    mt_buf_addz(&b,
                "{\"id\":\"g\",\"kind\":\"Bundle\",\"tenor\":\"1.0\","
                "\"tenor_version\":\"1.0.0\",\"constructs\":[{\"id\":\"x\",\"kind\":"
                "\"Fact\",\"source\":\"s\",\"tenor\":\"1.0\",\"type\":{\"base\":"
                "\"Int\",\"max\":100000,\"min\":0}}");
    for (int i = 0; i < rules; i++) {
        mt_buf_addf(
            &b,
            ",{\"id\":\"r%d\",\"kind\":\"Rule\",\"stratum\":%d,\"tenor\":\"1.0\","
            "\"body\":{\"produce\":{\"payload\":{\"type\":{\"base\":\"Bool\"},"
            "\"value\":true},\"verdict_type\":\"v%d\"},\"when\":",
            i, i % 2, i);
        if (i % 2) {
            mt_buf_addf(&b, "{\"verdict_present\":\"v%d\"}}}", i - 1);
        } else {
            mt_buf_addf(
                &b,
                "{\"left\":{\"fact_ref\":\"x\"},\"op\":\"<\",\"right\":{"
                "\"literal\":%d,\"type\":{\"base\":\"Int\",\"max\":%d,\"min\":%d}"
                "}}}}",
                i, i, i);
        }
    }
    mt_buf_addz(&b, "]}");
    start(&r, mt_buf_str(&b), MT_STR("{\"x\": 50}"));
    double ns = bench_ns(typed, &r);
    stop(&r);
    mt_buf_free(&b);
    return ns;
}

static double list_ns(int elements)
{
    static const char BUNDLE[] =
        "{\"id\":\"g\",\"kind\":\"Bundle\",\"tenor\":\"1.0\",\"tenor_version\":\"1.0."
        "0\","
        "\"constructs\":[{\"id\":\"xs\",\"kind\":\"Fact\",\"source\":\"s\",\"tenor\":"
        "\"1.0\",\"type\":{\"base\":\"List\",\"element_type\":{\"base\":\"Record\","
        "\"fields\":{\"n\":{\"base\":\"Int\",\"max\":1000000,\"min\":0}}},\"max\":"
        "100000}}"
        ",{\"id\":\"r\",\"kind\":\"Rule\",\"stratum\":0,\"tenor\":\"1.0\",\"body\":{"
        "\"produce\":{\"payload\":{\"type\":{\"base\":\"Bool\"},\"value\":true},"
        "\"verdict_type\":\"v\"},\"when\":{\"body\":{\"left\":{\"field_ref\":{"
        "\"field\":"
        "\"n\",\"var\":\"i\"}},\"op\":\">=\",\"right\":{\"literal\":0,\"type\":{"
        "\"base\":"
        "\"Int\",\"max\":0,\"min\":0}}},\"domain\":{\"fact_ref\":\"xs\"},"
        "\"quantifier\":"
        "\"forall\",\"variable\":\"i\"}}}]}";
    run r = {0};
    mt_buf b = {0};
    mt_buf_addz(&b, "{\"xs\":[");
    for (int i = 0; i < elements; i++) {
        mt_buf_addf(&b, "%s{\"n\":%d}", i ? "," : "", i);
    }
    mt_buf_addz(&b, "]}");
    start(&r, mt_str_z(BUNDLE), mt_buf_str(&b));
    double ns = bench_ns(typed, &r);
    stop(&r);
    mt_buf_free(&b);
    return ns;
}

/* What one more costs at the end of the range, against the beginning. */
static void growth(const char *name, double (*measure)(int), const int sizes[],
                   int count)
{
    double first = 0, last = 0, before = 0;
    for (int i = 0; i < count; i++) {
        char label[64];
        double ns = measure(sizes[i]);
        snprintf(label, sizeof label, "%s_%d", name, sizes[i]);
        bench_report(label, ns, "ns", NULL, NAN, NAN, BENCH_LOWER);
        if (i) {
            last = (ns - before) / (sizes[i] - sizes[i - 1]);
            first = i == 1 ? last : first;
        }
        before = ns;
    }
    bench_report(name, last / first, "times the first slope", NULL, NAN, 2.5,
                 BENCH_LOWER);
}

/* ---- Threads ---- */

enum { THREAD_ROUNDS = 200000 };

typedef struct worker {
    pthread_t thread;
    run r;
} worker;

static void *work(void *state)
{
    json_to_json(&((worker *)state)->r, THREAD_ROUNDS);
    return NULL;
}

static double throughput(const ct_model *m, const ct_program *p, mt_str json, int count)
{
    worker workers[2] = {0};
    for (int i = 0; i < count; i++) {
        workers[i].r = (run){.model = m,
                             .program = p,
                             .facts = ct_facts_new(m),
                             .verdicts = ct_verdicts_new(p),
                             .json = json};
    }
    uint64_t from = bench_now();
    for (int i = 0; i < count; i++) {
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    }
    for (int i = 0; i < count; i++) {
        pthread_join(workers[i].thread, NULL);
    }
    double seconds = (double)(bench_now() - from) / 1e9;
    for (int i = 0; i < count; i++) {
        stop(&workers[i].r);
    }
    return count * (double)THREAD_ROUNDS / seconds;
}

/* Best of a few: how much more two threads do on one shared program. */
static double by_two_threads(run *r)
{
    double one = 0, two = 0;
    for (int i = 0; i < 5; i++) {
        double a = throughput(r->model, r->program, r->json, 1);
        double b = throughput(r->model, r->program, r->json, 2);
        one = a > one ? a : one;
        two = b > two ? b : two;
    }
    return two / one;
}

int main(void)
{
    static const int RULES[] = {10, 100, 1000, 10000};
    static const int ELEMENTS[] = {1, 100, 10000, 100000};
    mt_arena a = {0};
    escrow(read_file(&a, TEST_DATA "/escrow.bundle.json"));
    growth("eval.rules_growth", rules_ns, RULES, 4);
    growth("eval.list_growth", list_ns, ELEMENTS, 4);
    mt_arena_free(&a);
    return 0;
}
