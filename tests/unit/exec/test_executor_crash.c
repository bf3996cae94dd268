/* Killed under load, again and again; and a disk that is full. After every crash: no
 * state without its record, no record without its state, everything acknowledged is
 * there, the ledger verifies, each request was done once, every flow ends.
 * MOTET_SOAK=1 kills more often; MOTET_SEED repeats a run. */
#include "exec_fixture.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec/evidence/ledger_store.h"
#include "ledger/verify.h"

enum { WORKERS = 6, WHEELS = 4 };

static const char WHEEL[] =
    "persona driver\n"
    "fact go { type: Bool source: \"road.go\" default: true }\n"
    "entity Wheel { states: [n, e] initial: n transitions: [(n, e), (e, n)] }\n"
    "entity Trip { states: [a, b, c, d] initial: a transitions: [(a, b), (b, c), (c, "
    "d)] "
    "}\n"
    "operation turn { allowed_personas: [driver] precondition: go = true\n"
    "  effects: [(Wheel, n, e), (Wheel, e, n)] outcomes: [done] }\n"
    "operation ab { allowed_personas: [driver] precondition: go = true effects: "
    "[(Trip, "
    "a, b)] outcomes: [done] }\n"
    "operation bc { allowed_personas: [driver] precondition: go = true effects: "
    "[(Trip, "
    "b, c)] outcomes: [done] }\n"
    "operation cd { allowed_personas: [driver] precondition: go = true effects: "
    "[(Trip, "
    "c, d)] outcomes: [done] }\n"
    "flow trip { snapshot: at_initiation entry: x steps: {\n"
    "  x: OperationStep { op: ab persona: driver outcomes: { done: y } on_failure: "
    "Terminate(outcome: failure) }\n"
    "  y: OperationStep { op: bc persona: driver outcomes: { done: z } on_failure: "
    "Terminate(outcome: failure) }\n"
    "  z: OperationStep { op: cd persona: driver outcomes: { done: Terminal(success) } "
    "on_failure: Terminate(outcome: failure) }\n"
    "} }\n";

/* One request of one worker, as it is sent and sent again. */
typedef struct request {
    ex_call call;
    char body[120], key[40];
} request;

static void make_turn(request *r, unsigned worker, unsigned n)
{
    snprintf(r->key, sizeof r->key, "turn-%u-%u", worker, n);
    snprintf(r->body, sizeof r->body,
             "{\"persona\":\"driver\",\"bindings\":{\"Wheel\":\"w%u\"}}",
             (worker + n) % WHEELS);
    r->call = (ex_call){.action = EX_OPERATION,
                        .caller = &ANYONE,
                        .name = MT_STR("turn"),
                        .body = mt_str_z(r->body),
                        .idempotency_key = mt_str_z(r->key),
                        .request_digest = mt_str_z(r->key)};
}

static void make_trip(request *r, unsigned n)
{
    snprintf(r->key, sizeof r->key, "trip-%u", n);
    snprintf(r->body, sizeof r->body,
             "{\"persona\":\"driver\",\"bindings\":{\"Trip\":\"t%u\"}}", n);
    r->call = (ex_call){.action = EX_FLOW_START,
                        .caller = &ANYONE,
                        .name = MT_STR("trip"),
                        .body = mt_str_z(r->body),
                        .idempotency_key = mt_str_z(r->key),
                        .request_digest = mt_str_z(r->key)};
}

/* ---- The child that is killed ---- */

/* What a worker had answered, told to the parent through a pipe. */
typedef struct acknowledged {
    unsigned worker, n;
    long long record;
} acknowledged;

typedef struct worker {
    ex_executor *x;
    unsigned number, next;
    int out;
} worker;

static void *labour(void *state)
{
    worker *w = state;
    for (;; w->next++) {
        request r;
        answer a;
        if (w->number) {
            make_turn(&r, w->number, w->next);
        } else {
            make_trip(&r, w->next);
        }
        call_and_wait(w->x, &r.call, &a);
        if (a.status == 404 && !w->number) {
            return NULL; /* no more trips */
        }
        if (a.status != 200) {
            _exit(3);
        }
        mt_buf_addc(&a.body, '\0');
        const char *record = strstr(a.body.ptr, "\"record\":");
        acknowledged done = {w->number, w->next, record ? atoll(record + 9) : 0};
        if (write(w->out, &done, sizeof done) != (ssize_t)sizeof done) {
            _exit(4);
        }
        mt_buf_free(&a.body);
    }
    return NULL;
}

static _Noreturn void child(void **state, const unsigned *next, int out,
                            const ex_executor_options *o)
{
    pthread_t threads[WORKERS];
    worker workers[WORKERS];
    desk d = desk_on(again(state, NULL), NULL, o);
    for (unsigned i = 0; i < WORKERS; i++) {
        workers[i] = (worker){d.x, i, next[i], out};
        pthread_create(&threads[i], NULL, labour, &workers[i]);
    }
    pthread_join(threads[1], NULL);
    _exit(5);
}

/* Runs a child for a while; next[i] becomes the first request not acknowledged. */
static unsigned run_and_kill(void **state, unsigned *next, unsigned ms,
                             long long *records, const ex_executor_options *o)
{
    int ends[2], status;
    unsigned count = 0;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t pid = fork();
    if (!pid) {
        close(ends[0]);
        child(state, next, ends[1], o);
    }
    close(ends[1]);
    usleep(ms * 1000);
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    assert_true(WIFSIGNALED(status));
    for (acknowledged a; read(ends[0], &a, sizeof a) == (ssize_t)sizeof a; count++) {
        next[a.worker] = a.n + 1;
        records[a.worker] = a.record;
    }
    close(ends[0]);
    return count;
}

/* ---- The look afterwards ---- */

typedef struct tally {
    unsigned operations, flows_started, flows_ended;
    int64_t versions;
} tally;

static mt_err count_record(void *state, const st_record *row)
{
    tally *t = state;
    t->operations += mt_str_is(row->kind, "operation");
    t->flows_started += mt_str_is(row->kind, "flow_started");
    t->flows_ended += mt_str_is(row->kind, "flow_ended");
    return MT_OK;
}

static mt_err count_version(void *state, const st_instance *row)
{
    ((tally *)state)->versions += row->version;
    return MT_OK;
}

static tally look(desk *d)
{
    tally t = {0};
    st_tx *tx = begin(d->store, ST_READ);
    st_record_filter all = {.pending = true};
    st_instance_filter of = {.scope = MT_STR("wheel")};
    st_page page = {.limit = UINT32_MAX};
    assert_fine(st_record_walk(tx, &all, page, count_record, &t));
    assert_fine(st_instance_walk(tx, &of, page, count_version, &t));
    st_rollback(tx);
    return t;
}

static void wait_for_flows(desk *d)
{
    ad_param q[] = {{MT_STR("in_flight"), MT_STR("true")}};
    for (int i = 0; i < 500; i++) {
        if (!count_at(ask_query(d, EX_FLOW_LIST, "", "", q, 1), "items")) {
            return;
        }
        usleep(10000);
    }
    fail_msg("a flow does not end");
}

static void assert_ledger(desk *d)
{
    ex_ledger *l;
    lg_finding found;
    assert_fine(ex_ledger_open(d->store, 0, &l));
    lg_source source = ex_ledger_source(l);
    if (lg_verify_source(&source, NULL, &found)) {
        fail_msg("line %llu: %s", (unsigned long long)found.line, found.problem);
    }
    ex_ledger_close(l);
}

static void inspect(void **state, const unsigned *next, const long long *newest,
                    const ex_executor_options *o)
{
    desk d = desk_on(again(state, NULL), NULL, o);
    wait_for_flows(&d);
    for (unsigned i = 0; i < WORKERS; i++) {
        if (newest[i]) {
            char id[24];
            snprintf(id, sizeof id, "%lld", newest[i]);
            ask(&d, &ANYONE, EX_LEDGER_GET, "", id, "");
            expect(&d, 200);
        }
        /* The last acknowledged request, sent again, changes nothing. */
        if (next[i]) {
            request r;
            if (i) {
                make_turn(&r, i, next[i] - 1);
            } else {
                make_trip(&r, next[i] - 1);
            }
            ask_call(&d, &r.call);
            expect(&d, 200);
            assert_true(d.replayed);
        }
    }
    tally t = look(&d);
    assert_int_equal(t.operations, t.versions);
    assert_int_equal(t.flows_started, t.flows_ended);
    assert_ledger(&d);
    desk_close(&d);
}

/* Whatever was under way is asked for once more: then each request was done once. */
static void finish(void **state, const unsigned *next, const ex_executor_options *o)
{
    desk d = desk_on(again(state, NULL), NULL, o);
    unsigned turns = 0, trips = next[0] + 1;
    for (unsigned i = 0; i < WORKERS; i++) {
        request r;
        if (i) {
            make_turn(&r, i, next[i]);
            turns += next[i] + 1;
        } else {
            make_trip(&r, next[0]);
        }
        ask_call(&d, &r.call);
        expect(&d, 200);
    }
    wait_for_flows(&d);
    tally t = look(&d);
    assert_int_equal(t.operations, t.versions);
    assert_int_equal(t.operations, turns + 3 * trips);
    assert_int_equal(t.flows_ended, trips);
    print_message("%u operations, %u flows\n", t.operations, t.flows_ended);
    assert_ledger(&d);
    desk_close(&d);
}

static void nothing_is_lost_or_done_twice_however_often_it_is_killed(void **state)
{
    dice luck = dice_from_environment();
    mt_arena a = {0};
    mt_json settings;
    unsigned next[WORKERS] = {0}, acked = 0;
    long long newest[WORKERS] = {0};
    assert_fine(mt_json_read(&a, MT_STR("{\"executor\":{\"flow_turn\":1}}"), NULL,
                             &settings, NULL));
    ex_executor_options o = {.settings = &settings, .group = 16};
    desk d = desk_open(state, contract_file("wheel.tenor", WHEEL), &o);
    for (unsigned i = 0; i < WHEELS; i++) {
        char id[16];
        snprintf(id, sizeof id, "w%u", i);
        create(&d, "Wheel", id);
    }
    size_t kills = soak_or(200, 6);
    for (unsigned i = 0; i < soak_or(20000, 300); i++) {
        char id[16];
        snprintf(id, sizeof id, "t%u", i);
        create(&d, "Trip", id);
    }
    desk_close(&d);
    /* A slow machine gets more time, until at least something was acknowledged. */
    unsigned least_ms = 40;
    for (size_t i = 0; i < kills || (!acked && i < 10 * kills); i++) {
        acked += run_and_kill(state, next, least_ms + (unsigned)dice_below(&luck, 120),
                              newest, &o);
        least_ms += acked ? 0 : 200;
        inspect(state, next, newest, &o);
    }
    assert_true(acked > 0);
    finish(state, next, &o);
    mt_arena_free(&a);
}

/* ---- A full disk ---- */

static void a_full_disk_refuses_and_forgives(void **state)
{
    desk d = desk_open(state, contract_file("wheel.tenor", WHEEL), NULL);
    create(&d, "Wheel", "w0");
    if (st_is_shared(d.store)) {
        desk_close(&d);
        return;
    }
    request r;
    struct rlimit was, none;
    make_turn(&r, 0, 0);
    r.call.idempotency_key = (mt_str){0};
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &was);
    none = (struct rlimit){4096, was.rlim_max};
    setrlimit(RLIMIT_FSIZE, &none);
    const mt_json *problem = ask_call(&d, &r.call);
    int status = d.status;
    mt_str code = mt_json_text(at(problem, "code"));
    setrlimit(RLIMIT_FSIZE, &was);
    assert_int_equal(status, 503);
    assert_str(code, "store_unavailable");
    assert_state(&d, "Wheel", "w0", "n");
    ask_call(&d, &r.call);
    expect(&d, 200);
    assert_state(&d, "Wheel", "w0", "e");
    tally t = look(&d);
    assert_int_equal(t.operations, 1);
    assert_ledger(&d);
    desk_close(&d);
}

int main(void)
{
    static rows_list l;
    both(&l, nothing_is_lost_or_done_twice_however_often_it_is_killed);
    both(&l, a_full_disk_refuses_and_forgives);
    int failed = rows_run(&l, "exec/executor_crash");
    backends_stop();
    return failed;
}
