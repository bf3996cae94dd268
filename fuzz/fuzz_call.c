/* fuzz/fuzz_call.c - any bytes as the body of a call to the executor: an answer in
 * JSON, a problem exactly when the status says so, with its code. The first byte picks
 * the action. The store is a file of its own that is removed at once. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json_read.h"
#include "runtime/executor.h"

static const char CONTRACT[] =
    "persona p\n"
    "fact n { type: Int(min: 0, max: 9) source: \"a.b\" default: 1 }\n"
    "fact m { type: Money(currency: \"EUR\") source: \"a.b\" default: Money { amount: "
    "\"1.00\", currency: \"EUR\" } }\n"
    "entity Dot { states: [a, b] initial: a transitions: [(a, b), (b, a)] }\n"
    "rule r { stratum: 0 when: n > 2 produce: r(true) }\n"
    "operation go { allowed_personas: [p] precondition: n >= 1 effects: [(Dot, a, b), "
    "(Dot, b, a)] outcomes: [done] }\n"
    "flow f { snapshot: at_initiation entry: x steps: { x: OperationStep { op: go "
    "persona: "
    "p outcomes: { done: Terminal(success) } on_failure: Terminate(outcome: failure) } "
    "} "
    "}\n";

static const struct {
    rt_action action;
    mt_str name;
} CALLS[] = {
    {RT_EVALUATE, MT_STR_INIT("")},        {RT_ACTIONS, MT_STR_INIT("")},
    {RT_OPERATION, MT_STR_INIT("go")},     {RT_FLOW_START, MT_STR_INIT("f")},
    {RT_FACT_ASSERT, MT_STR_INIT("m")},    {RT_INSTANCE_CREATE, MT_STR_INIT("Dot")},
    {RT_FLOW_RESUME, MT_STR_INIT("none")}, {RT_FLOW_CANCEL, MT_STR_INIT("none")},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static rt_executor *open_executor(void)
{
    static st_store *store;
    char dir[] = "/tmp/motet-fuzz-XXXXXX", path[64], url[80];
    mt_buf why = {0};
    rt_executor *x = NULL;
    MT_ASSERT(mkdtemp(dir) != NULL);
    snprintf(path, sizeof path, "%s/c.tenor", dir);
    snprintf(url, sizeof url, "sqlite:%s/s.db", dir);
    FILE *f = fopen(path, "w");
    MT_ASSERT(f && fputs(CONTRACT, f) >= 0 && fclose(f) == 0);
    const char *files[] = {path, NULL};
    rt_executor_options o = {.files = files};
    MT_ASSERT(st_open(url, NULL, &store, &why) == MT_OK);
    o.store = store;
    MT_ASSERT(rt_executor_open(&o, &x, &why) == MT_OK);
    static const char *const NAMES[] = {"c.tenor", "s.db", "s.db-wal", "s.db-shm",
                                        "s.db.lock"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, NAMES[i]);
        unlink(path);
    }
    rmdir(dir);
    return x;
}

typedef struct waiter {
    pthread_mutex_t lock;
    pthread_cond_t given;
    bool here;
} waiter;

static void hear(void *state, rt_reply *reply)
{
    waiter *w = state;
    mt_arena a = {0};
    mt_json tree;
    MT_ASSERT(reply->status >= 200 && reply->status < 600);
    MT_ASSERT(mt_json_read(&a, mt_buf_str(&reply->body), NULL, &tree, NULL) == MT_OK);
    MT_ASSERT(reply->problem == (reply->status >= 400));
    MT_ASSERT(!reply->problem || mt_json_text(mt_json_at(&tree, "code")).len);
    mt_arena_free(&a);
    pthread_mutex_lock(&w->lock);
    w->here = true;
    pthread_cond_signal(&w->given);
    pthread_mutex_unlock(&w->lock);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const rt_caller WHO = {.anyone = true};
    static rt_executor *x;
    if (!size || size > 1 << 16) {
        return 0;
    }
    x = x ? x : open_executor();
    size_t pick = data[0] % (sizeof CALLS / sizeof *CALLS);
    rt_call call = {.action = CALLS[pick].action,
                    .caller = &WHO,
                    .name = CALLS[pick].name,
                    .id = CALLS[pick].action == RT_FLOW_RESUME ||
                                  CALLS[pick].action == RT_FLOW_CANCEL
                              ? CALLS[pick].name
                              : (mt_str){0},
                    .body = mt_str_from((const char *)data + 1, size - 1)};
    waiter w = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
    rt_executor_call(x, &call, hear, &w);
    pthread_mutex_lock(&w.lock);
    while (!w.here) {
        pthread_cond_wait(&w.given, &w.lock);
    }
    pthread_mutex_unlock(&w.lock);
    return 0;
}
