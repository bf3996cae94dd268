/* tests/unit/exec/exec_fixture.h - an executor, callers, and calls that wait.
 *     desk d = desk_open(state, ESCROW, NULL);
 *     mt_json *r = ask(&d, &AGENT, EX_OPERATION, "release_escrow", "", BODY);
 *     assert_int_equal(d.status, 200);
 * Runs on every backend of tests/unit/store/store_fixture.h. */
#ifndef MT_TEST_EXEC_FIXTURE_H
#define MT_TEST_EXEC_FIXTURE_H

#include "../store/store_fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json_write.h"
#include "exec/executor.h"

/* ---- Callers ---- */

#define CALLER(name_, token_, personas_, rights_)                                      \
    static const mt_str name_##_personas[] = personas_;                                \
    static const mt_str name_##_rights[] = rights_;                                    \
    static const ex_caller name_ __attribute__((unused)) = {                           \
        .id = MT_STR_INIT(token_),                                                     \
        .by = EX_BY_TOKEN,                                                             \
        .name = MT_STR_INIT(token_),                                                   \
        .personas = name_##_personas,                                                  \
        .persona_count = sizeof name_##_personas / sizeof(mt_str),                     \
        .rights = name_##_rights,                                                      \
        .right_count = sizeof name_##_rights / sizeof(mt_str)}
#define LIST(...)                                                                      \
    {                                                                                  \
        __VA_ARGS__                                                                    \
    }
#define T(text) MT_STR_INIT(text)

static const ex_caller ANYONE = {.anyone = true};
CALLER(SELLER, "tok-seller", LIST(T("seller")), LIST(T("facts:*"), T("evaluate")));
CALLER(BUYER, "tok-buyer", LIST(T("buyer")),
       LIST(T("source:buyer_portal"), T("evaluate")));
CALLER(AGENT, "tok-agent", LIST(T("escrow_agent")), LIST(T("facts:*")));
CALLER(OFFICER, "tok-officer", LIST(T("compliance_officer")), LIST(T("facts:*")));
CALLER(CLERK, "tok-clerk", LIST(T("clerk")), LIST(T("instances:create")));
CALLER(ADMIN, "tok-admin", LIST(T("nobody")), LIST(T("admin"), T("instances:delete")));

/* ---- The desk ---- */

typedef struct desk {
    st_store *store;
    ex_executor *x;
    mt_arena arena;
    int status; /* of the last answer */
    bool problem, replayed;
    mt_str text; /* its body */
    mt_str location;
} desk;

/* Opens an executor on this store, which the desk takes over. */
static inline mt_err desk_try(desk *d, st_store *s, const char *file,
                              const ex_executor_options *more, mt_buf *why)
{
    const char *files[] = {file, NULL};
    ex_executor_options o = more ? *more : (ex_executor_options){0};
    o.store = s;
    o.files = file ? files : NULL;
    *d = (desk){.store = s};
    return ex_executor_open(&o, &d->x, why);
}

static inline desk desk_on(st_store *s, const char *file,
                           const ex_executor_options *more)
{
    desk d;
    mt_buf why = {0};
    if (desk_try(&d, s, file, more, &why)) {
        fail_msg("%.*s", MT_ARG(mt_buf_str(&why)));
    }
    mt_buf_free(&why);
    return d;
}

/* A fresh store is another ledger than the one a key may have signed before. */
static inline void forget_signed(const ex_executor_options *more)
{
    char path[4096];
    if (more && more->signing_key) {
        snprintf(path, sizeof path, "%s.memory", more->signing_key);
        unlink(path);
    }
}

static inline desk desk_open(void **state, const char *file,
                             const ex_executor_options *more)
{
    forget_signed(more);
    return desk_on(fresh(state), file, more);
}

static inline void desk_close(desk *d)
{
    ex_executor_close(d->x);
    st_close(d->store);
    mt_arena_free(&d->arena);
}

/* Closes it and opens the same store again. */
static inline desk desk_again(void **state, desk *d, const ex_executor_options *more)
{
    desk_close(d);
    return desk_on(again(state, NULL), NULL, more);
}

/* ---- Calls ---- */

typedef struct answer {
    pthread_mutex_t lock;
    pthread_cond_t given;
    bool here, problem, replayed;
    int status;
    mt_buf body;
    char location[2048];
} answer;

static inline void hear(void *state, ex_reply *reply)
{
    answer *a = state;
    pthread_mutex_lock(&a->lock);
    a->status = reply->status;
    a->problem = reply->problem;
    a->replayed = reply->replayed;
    mt_buf_adds(&a->body, mt_buf_str(&reply->body));
    snprintf(a->location, sizeof a->location, "%.*s", MT_ARG(reply->location));
    a->here = true;
    pthread_cond_signal(&a->given);
    pthread_mutex_unlock(&a->lock);
}

static inline void call_and_wait(ex_executor *x, const ex_call *call, answer *a)
{
    *a = (answer){.lock = PTHREAD_MUTEX_INITIALIZER, .given = PTHREAD_COND_INITIALIZER};
    ex_executor_call(x, call, hear, a);
    pthread_mutex_lock(&a->lock);
    while (!a->here) {
        pthread_cond_wait(&a->given, &a->lock);
    }
    pthread_mutex_unlock(&a->lock);
}

static inline const mt_json *ask_call(desk *d, const ex_call *call)
{
    answer a;
    call_and_wait(d->x, call, &a);
    d->status = a.status;
    d->problem = a.problem;
    d->replayed = a.replayed;
    d->text = mt_str_dup(&d->arena, mt_buf_str(&a.body));
    d->location = mt_str_dup(&d->arena, mt_str_z(a.location));
    mt_buf_free(&a.body);
    mt_json *tree = mt_new(&d->arena, mt_json);
    if (mt_json_read(&d->arena, d->text, NULL, tree, NULL)) {
        fail_msg("the answer is no JSON: %.*s", MT_ARG(d->text));
    }
    assert_int_equal(d->problem, d->status >= 400);
    return tree;
}

static inline const mt_json *ask(desk *d, const ex_caller *who, ex_action action,
                                 const char *name, const char *id, const char *body)
{
    ex_call call = {.action = action,
                    .caller = who,
                    .name = mt_str_z(name),
                    .id = mt_str_z(id),
                    .body = mt_str_z(body)};
    return ask_call(d, &call);
}

/* The same with an Idempotency-Key. */
static inline const mt_json *ask_once(desk *d, const ex_caller *who, ex_action action,
                                      const char *name, const char *body,
                                      const char *key)
{
    ex_call call = {.action = action,
                    .caller = who,
                    .name = mt_str_z(name),
                    .body = mt_str_z(body),
                    .idempotency_key = mt_str_z(key),
                    .request_digest = mt_str_z(body)};
    return ask_call(d, &call);
}

static inline const mt_json *ask_query(desk *d, ex_action action, const char *name,
                                       const char *id, const ad_param *query,
                                       size_t count)
{
    ex_call call = {.action = action,
                    .caller = &ANYONE,
                    .name = mt_str_z(name),
                    .id = mt_str_z(id),
                    .query = query,
                    .query_count = count};
    return ask_call(d, &call);
}

/* ---- Looking at answers ---- */

/* "a.b.0.c" into a tree; empty text when it is not there. */
static inline const mt_json *at(const mt_json *tree, const char *path)
{
    mt_str rest = mt_str_z(path);
    while (tree && rest.len) {
        size_t dot = mt_str_find(rest, '.');
        mt_str key = mt_str_from(rest.ptr, dot);
        if (tree->type == MT_JSON_ARRAY) {
            size_t i = (size_t)strtoul(key.ptr, NULL, 10);
            tree = i < tree->count ? &tree->as.items[i] : NULL;
        } else {
            tree = mt_json_get(tree, key);
        }
        rest = mt_str_skip(rest, dot + 1);
    }
    return tree;
}

/* 1, 0, or -1 when there is no such boolean. */
static inline int flag_at(const mt_json *tree, const char *path)
{
    const mt_json *f = at(tree, path);
    return f && f->type == MT_JSON_BOOL ? f->boolean : -1;
}

#define assert_at(tree, path, want)                                                    \
    assert_text(mt_json_text(at(tree, path)), MT_STR(want))

/* The record an answer names, as a path names it. */
static inline const char *record_of(desk *d, const mt_json *r)
{
    const mt_json *queued = at(r, "queued");
    return queued ? mt_strf(&d->arena, "q%.*s", MT_ARG(mt_json_text(queued))).ptr
                  : mt_str_dup(&d->arena, mt_json_text(at(r, "record"))).ptr;
}

static inline void expect(const desk *d, int status)
{
    if (d->status != status) {
        fail_msg("status %d, want %d: %.*s", d->status, status, MT_ARG(d->text));
    }
}

static inline void expect_code(const desk *d, const mt_json *r, int status,
                               const char *code)
{
    expect(d, status);
    assert_text(mt_json_text(at(r, "code")), mt_str_z(code));
}

static inline uint32_t count_at(const mt_json *r, const char *path)
{
    const mt_json *list = at(r, path);
    return mt_json_is(list, MT_JSON_ARRAY) ? list->count : 0;
}

/* How many records of a kind the ledger has; "": all. Waits until they are chained. */
static inline uint32_t records(desk *d, const char *kind)
{
    ad_param q[] = {{MT_STR("kind"), mt_str_z(kind)},
                    {MT_STR("limit"), MT_STR("1000")},
                    {MT_STR("pending"), MT_STR("true")}};
    const mt_json *r = ask_query(d, EX_LEDGER_LIST, "", "", q, 3);
    expect(d, 200);
    return count_at(r, "items");
}

static inline void create(desk *d, const char *entity, const char *id)
{
    char body[200];
    snprintf(body, sizeof body, "{\"id\":\"%s\"}", id);
    ask(d, &ANYONE, EX_INSTANCE_CREATE, entity, "", body);
    expect(d, 201);
}

static inline void assert_state(desk *d, const char *entity, const char *id,
                                const char *state)
{
    const mt_json *r = ask(d, &ANYONE, EX_INSTANCE_GET, entity, id, "");
    expect(d, 200);
    assert_text(mt_json_text(at(r, "state")), mt_str_z(state));
}

/* A contract in a file of its own. */
static inline const char *contract_file(const char *name, const char *text)
{
    const char *path = temp_path(name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return path;
}

#ifndef EXAMPLES
#define EXAMPLES "examples"
#endif
#define ESCROW EXAMPLES "/escrow/escrow.tenor"
#define ESCROW_FACTS                                                                   \
    "\"facts\":{\"escrow_amount\":{\"amount\":\"500.00\",\"currency\":\"USD\"},"       \
    "\"delivery_status\":\"confirmed\",\"line_items\":[{\"id\":\"a\",\"description\":" \
    "\"b\",\"amount\":{\"amount\":\"500.00\",\"currency\":\"USD\"},\"valid\":true}]}"
#define ESCROW_LARGE                                                                   \
    "\"facts\":{\"escrow_amount\":{\"amount\":\"50000.00\",\"currency\":\"USD\"},"     \
    "\"delivery_status\":\"confirmed\",\"line_items\":[{\"id\":\"a\",\"description\":" \
    "\"b\",\"amount\":{\"amount\":\"500.00\",\"currency\":\"USD\"},\"valid\":true}]}"
#define ESCROW_BOUND "\"bindings\":{\"EscrowAccount\":\"e1\",\"DeliveryRecord\":\"d1\"}"
#define RELEASE                                                                        \
    "{\"persona\":\"escrow_agent\"," ESCROW_FACTS                                      \
    ",\"bindings\":{\"EscrowAccount\":\"e1\"}}"

#endif
