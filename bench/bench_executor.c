/* bench_executor.c - calls to the executor without a front door, on a SQLite file.
 * executor.evaluate and executor.dry_run: nanoseconds of the caller's thread for one
 * call on the escrow example; 60 % of a bare HTTP POST leaves about 6 microseconds.
 * executor.sqlite_N: durable operations a second with N calls in flight. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "exec/executor.h"

#ifndef EXAMPLES
#define EXAMPLES "examples"
#endif

static const ex_caller ANYONE = {.anyone = true};

#define FACTS                                                                          \
    "\"facts\":{\"escrow_amount\":{\"amount\":\"500.00\",\"currency\":\"USD\"},"       \
    "\"delivery_status\":\"confirmed\",\"line_items\":[{\"id\":\"a\",\"description\":" \
    "\"b\",\"amount\":{\"amount\":\"500.00\",\"currency\":\"USD\"},\"valid\":true}]}"

static const char WHEEL[] =
    "persona driver\nfact go { type: Bool source: \"road.go\" default: true }\n"
    "entity Wheel { states: [n, e] initial: n transitions: [(n, e), (e, n)] }\n"
    "operation turn { allowed_personas: [driver] precondition: go = true\n"
    "  effects: [(Wheel, n, e), (Wheel, e, n)] }\n";

typedef struct bed {
    char dir[64], url[128];
    st_store *store;
    ex_executor *x;
} bed;

static void fail(const char *what, const mt_buf *why)
{
    fprintf(stderr, "bench_executor: %s: %.*s\n", what, (int)why->len, why->ptr);
    exit(1);
}

static bed bed_open(const char *const *files)
{
    bed b = {.dir = "/tmp/motet-bench-XXXXXX"};
    mt_buf why = {0};
    if (!mkdtemp(b.dir)) {
        fail("mkdtemp", &why);
    }
    snprintf(b.url, sizeof b.url, "sqlite:%s/store.db", b.dir);
    if (st_open(b.url, NULL, &b.store, &why)) {
        fail("store", &why);
    }
    ex_executor_options o = {.store = b.store, .files = files};
    if (ex_executor_open(&o, &b.x, &why)) {
        fail("open", &why);
    }
    return b;
}

static void bed_close(bed *b)
{
    static const char *const NAMES[] = {"store.db", "store.db-wal", "store.db-shm",
                                        "store.db.lock", "wheel.tenor"};
    ex_executor_close(b->x);
    st_close(b->store);
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", b->dir, NAMES[i]);
        unlink(path);
    }
    rmdir(b->dir);
}

/* ---- Calls that are answered on the caller's thread ---- */

typedef struct loop {
    ex_executor *x;
    ex_call call;
    int want;
} loop;

static void expect_status(void *state, ex_reply *reply)
{
    const loop *l = state;
    if (reply->status != l->want) {
        fail("answer", &reply->body);
    }
}

static void repeat(void *state, uint64_t n)
{
    loop *l = state;
    for (uint64_t i = 0; i < n; i++) {
        ex_executor_call(l->x, &l->call, expect_status, l);
    }
}

/* ---- Durable operations ---- */

typedef struct pipe {
    pthread_mutex_t lock;
    pthread_cond_t some;
    unsigned in_flight;
    unsigned long long done;
} pipe_t;

static void count(void *state, ex_reply *reply)
{
    pipe_t *p = state;
    if (reply->status >= 300) {
        fail("answer", &reply->body);
    }
    pthread_mutex_lock(&p->lock);
    p->in_flight--;
    p->done++;
    pthread_cond_signal(&p->some);
    pthread_mutex_unlock(&p->lock);
}

static void send(bed *b, pipe_t *p, const ex_call *call, unsigned most)
{
    pthread_mutex_lock(&p->lock);
    while (p->in_flight >= most) {
        pthread_cond_wait(&p->some, &p->lock);
    }
    p->in_flight++;
    pthread_mutex_unlock(&p->lock);
    ex_executor_call(b->x, call, count, p);
}

static void drain(pipe_t *p)
{
    pthread_mutex_lock(&p->lock);
    while (p->in_flight) {
        pthread_cond_wait(&p->some, &p->lock);
    }
    pthread_mutex_unlock(&p->lock);
}

enum { WHEELS = 256 };

static double durable(bed *b, unsigned most, double seconds)
{
    static char bodies[WHEELS][80];
    static ex_call calls[WHEELS];
    static bool made;
    pipe_t p = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
    for (int i = 0; i < WHEELS && !made; i++) {
        snprintf(bodies[i], sizeof bodies[i], "{\"id\":\"w%d\"}", i);
        calls[i] = (ex_call){.action = EX_INSTANCE_CREATE,
                             .caller = &ANYONE,
                             .name = MT_STR("Wheel"),
                             .body = mt_str_z(bodies[i])};
        send(b, &p, &calls[i], 256);
    }
    drain(&p);
    made = true;
    for (int i = 0; i < WHEELS; i++) {
        snprintf(bodies[i], sizeof bodies[i],
                 "{\"persona\":\"driver\",\"bindings\":{\"Wheel\":\"w%d\"}}", i);
        calls[i] = (ex_call){.action = EX_OPERATION,
                             .caller = &ANYONE,
                             .name = MT_STR("turn"),
                             .body = mt_str_z(bodies[i])};
    }
    p.done = 0;
    uint64_t start = bench_now(), end = start + (uint64_t)(seconds * 1e9);
    for (unsigned i = 0; bench_now() < end; i++) {
        send(b, &p, &calls[i % WHEELS], most);
    }
    drain(&p);
    return (double)p.done * 1e9 / (double)(bench_now() - start);
}

int main(void)
{
    const char *escrow[] = {EXAMPLES "/escrow/escrow.tenor", NULL};
    bed b = bed_open(escrow);
    loop create = {b.x,
                   {.action = EX_INSTANCE_CREATE,
                    .caller = &ANYONE,
                    .name = MT_STR("EscrowAccount"),
                    .body = MT_STR("{\"id\":\"e1\"}")},
                   201};
    repeat(&create, 1);
    usleep(50000);
    loop evaluate = {
        b.x,
        {.action = EX_EVALUATE, .caller = &ANYONE, .body = MT_STR("{" FACTS "}")},
        200};
    loop dry = {b.x,
                {.action = EX_OPERATION,
                 .caller = &ANYONE,
                 .name = MT_STR("release_escrow"),
                 .body = MT_STR("{\"persona\":\"escrow_agent\",\"dry_run\":true," FACTS
                                ",\"bindings\":{\"EscrowAccount\":\"e1\"}}")},
                200};
    bench_report("executor.evaluate", bench_ns(repeat, &evaluate), "ns", NULL, 0, 6000,
                 BENCH_LOWER);
    bench_report("executor.dry_run", bench_ns(repeat, &dry), "ns", NULL, 0, 6000,
                 BENCH_LOWER);
    bed_close(&b);

    char path[128] = "/tmp/motet-bench-wheel-XXXXXX.tenor";
    int fd = mkstemps(path, 6);
    if (fd < 0 || write(fd, WHEEL, sizeof WHEEL - 1) != (ssize_t)sizeof WHEEL - 1) {
        return 1;
    }
    close(fd);
    const char *wheel[] = {path, NULL};
    b = bed_open(wheel);
    bench_report("executor.sqlite_1", durable(&b, 1, 1), "operations/s", NULL, 0, NAN,
                 BENCH_HIGHER);
    bench_report("executor.sqlite_8", durable(&b, 8, 1), "operations/s", NULL, 0, NAN,
                 BENCH_HIGHER);
    bench_report("executor.sqlite_64", durable(&b, 64, 2), "operations/s", NULL, 0,
                 20000, BENCH_HIGHER);
    bed_close(&b);
    unlink(path);
    return 0;
}
