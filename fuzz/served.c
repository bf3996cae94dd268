#include "served.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_read.h"
#include "base/yaml_read.h"

#ifndef EXAMPLES
#define EXAMPLES "examples" /* the build gives the full path */
#endif

static const char CONTRACT[] =
    "persona p\n"
    "persona q\n"
    "fact n { type: Int(min: 0, max: 9) source: \"a.b\" default: 1 }\n"
    "fact m { type: Money(currency: \"EUR\") source: \"a.b\" default: Money { amount: "
    "\"1.00\", currency: \"EUR\" } }\n"
    "fact t { type: Text(max_length: 8) source: \"a.c\" default: \"x\" }\n"
    "entity Dot { states: [a, b] initial: a transitions: [(a, b), (b, a)] }\n"
    "rule r { stratum: 0 when: n > 2 produce: r(true) }\n"
    "operation go { allowed_personas: [p] precondition: n >= 1 effects: [(Dot, a, b), "
    "(Dot, b, a)] outcomes: [done] }\n"
    "operation and_back { allowed_personas: [q] precondition: n >= 1 effects: [(Dot, "
    "a, b), (Dot, b, a)] outcomes: [done] }\n"
    "flow f { snapshot: at_initiation entry: x steps: { x: OperationStep { op: go "
    "persona: p outcomes: { done: Terminal(success) } on_failure: Terminate(outcome: "
    "failure) } } }\n"
    "flow two { snapshot: at_initiation entry: x steps: {\n"
    "  x: OperationStep { op: go persona: p outcomes: { done: y } on_failure: "
    "Terminate(outcome: failure) }\n"
    "  y: OperationStep { op: and_back persona: q outcomes: { done: Terminal(success) "
    "} on_failure: Terminate(outcome: failure) }\n"
    "} }\n";

static const char SETTINGS[] =
    "executor: {trigger_attempts: 2, trigger_pause_ms: 20}\n"
    "systems: {trade_platform: {bindings: {fulfillment: {Shipment: s1}}}}\n"
    "graphs: {fx: {graph: " EXAMPLES "/crossover/crossover.yaml, adapter: " EXAMPLES
    "/crossover/adapter.yaml, egress: %s/egress.yaml}}\n"
    "agents: {seller: {file: " EXAMPLES "/agents/seller.yaml}}\n";

/* A broker that never says what it is to say. */
static const char EGRESS[] = "default_ack_timeout: 1s\n"
                             "channels: {broker: {type: process, command: [cat]}}\n"
                             "routes: {place_order: {channel: broker}}\n";

enum { FRESH_AFTER = 5000 }; /* calls */

static served now;
static unsigned calls;
static char directory[200];

static void remove_files(void)
{
    static const char *const NAMES[] = {"c.tenor",  "egress.yaml", "s.db",
                                        "s.db-wal", "s.db-shm",    "s.db.lock"};
    char path[300];
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, NAMES[i]);
        unlink(path);
    }
    rmdir(directory);
}

static void make_directory(void)
{
    const char *top = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/motet-fuzz-XXXXXX",
             top && *top ? top : "/tmp");
    MT_ASSERT(mkdtemp(directory) != NULL);
}

static void write_file(const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "w");
    MT_ASSERT(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void must(mt_err err, const mt_buf *why)
{
    if (err) {
        fprintf(stderr, "%.*s\n", MT_ARG(mt_buf_str(why)));
        MT_BUG("the executor does not open");
    }
}

static void fill(void)
{
    static const ex_caller ANYONE = {.anyone = true};
    static const struct {
        const char *contract, *entity, *id;
    } ROWS[] = {{"c", "Dot", "{\"id\":\"d\"}"},
                {"order_mgmt", "Order", "{\"id\":\"o1\"}"},
                {"fulfillment", "Shipment", "{\"id\":\"s1\"}"},
                {"escrow", "EscrowAccount", "{\"id\":\"e1\"}"},
                {"escrow", "DeliveryRecord", "{\"id\":\"d1\"}"}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        ex_call call = {.action = EX_INSTANCE_CREATE,
                        .caller = &ANYONE,
                        .contract = mt_str_z(ROWS[i].contract),
                        .name = mt_str_z(ROWS[i].entity),
                        .body = mt_str_z(ROWS[i].id)};
        MT_ASSERT(served_ask(&call) == 201);
    }
}

static void open_it(served *s)
{
    static mt_arena arena;
    mt_buf why = {0};
    char path[300], url[320];
    mt_arena_reset(&arena);
    if (now.round == 1) {
        atexit(remove_files);
    }
    make_directory();
    snprintf(path, sizeof path, "%s/c.tenor", directory);
    snprintf(url, sizeof url, "sqlite:%s/s.db", directory);
    write_file("c.tenor", CONTRACT);
    write_file("egress.yaml", EGRESS);
    const char *files[] = {path, EXAMPLES "/escrow/escrow.tenor",
                           EXAMPLES "/trade_platform/trade_platform.tenor", NULL};
    mt_json *settings = mt_new(&arena, mt_json);
    MT_ASSERT(!mt_yaml_read(&arena, mt_strf(&arena, SETTINGS, directory), NULL,
                            settings, NULL));
    must(st_open(url, NULL, &s->store, &why), &why);
    ex_executor_options o = {.files = files, .store = s->store, .settings = settings};
    must(ex_executor_open(&o, &s->x, &why), &why);
}

static void close_it(served *s)
{
    ex_executor_close(s->x);
    st_close(s->store);
    remove_files();
}

const served *served_open(void)
{
    if (now.x && calls < FRESH_AFTER) {
        return &now;
    }
    if (now.x) {
        close_it(&now);
    }
    calls = 0;
    now.round++;
    open_it(&now);
    fill();
    return &now;
}

/* ---- Calls ---- */

static char last_flow[80];

static void keep_id(const mt_json *reply)
{
    mt_str id = mt_json_text(mt_json_at(reply, "id"));
    if (id.len < sizeof last_flow) {
        memcpy(last_flow, id.ptr, id.len);
        last_flow[id.len] = '\0';
    }
}

typedef struct waiter {
    ex_action action;
    pthread_mutex_t lock;
    pthread_cond_t given;
    int status; /* 0: not yet */
} waiter;

static void check(const ex_reply *reply, ex_action action)
{
    mt_arena a = {0};
    mt_json tree;
    MT_ASSERT(reply->status >= 200 && reply->status < 500);
    MT_ASSERT(mt_json_read(&a, mt_buf_str(&reply->body), NULL, &tree, NULL) == MT_OK);
    MT_ASSERT(reply->problem == (reply->status >= 400));
    MT_ASSERT(!reply->problem || mt_json_text(mt_json_at(&tree, "code")).len);
    if (action == EX_FLOW_START && !reply->problem && mt_json_at(&tree, "id")) {
        keep_id(&tree);
    }
    mt_arena_free(&a);
}

static void hear(void *state, ex_reply *reply)
{
    waiter *w = state;
    check(reply, w->action);
    pthread_mutex_lock(&w->lock);
    w->status = reply->status;
    pthread_cond_signal(&w->given);
    pthread_mutex_unlock(&w->lock);
}

int served_ask(const ex_call *call)
{
    waiter w = {call->action, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
    char id[sizeof last_flow];
    ex_call c = *call;
    if (mt_str_is(c.id, "last")) {
        memcpy(id, last_flow, sizeof id);
        c.id = mt_str_z(id);
    }
    calls++;
    ex_executor_call(now.x, &c, hear, &w);
    pthread_mutex_lock(&w.lock);
    while (!w.status) {
        pthread_cond_wait(&w.given, &w.lock);
    }
    pthread_mutex_unlock(&w.lock);
    return w.status;
}
