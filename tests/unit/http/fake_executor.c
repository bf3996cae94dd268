#include "fake_executor.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json_write.h"

enum { RECORDS = 1000 };
ex_executor fake = {.lock = PTHREAD_MUTEX_INITIALIZER};
fake_token fake_tokens[8];
size_t fake_token_count;
int64_t fake_stamp;
atomic_int fake_transactions;
bool fake_store_fails;
static st_record records[RECORDS];
static int64_t record_count;

static const char *const NAMES[] = {
#define NAME(name, writes) #name,
    EX_ACTION_MAP(NAME)
#undef NAME
};

void fake_reset(void)
{
    pthread_mutex_lock(&fake.lock);
    fake.last[0] = '\0';
    fake.calls = 0;
    fake.status = 200;
    fake.body = "{\"ok\":true}";
    fake.etag = fake.location = "";
    fake.replayed = false;
    fake.digest[0] = '\0';
    fake.later_ms = 0;
    fake.ready = true;
    fake_token_count = 0;
    fake_stamp++;
    record_count = 0;
    pthread_mutex_unlock(&fake.lock);
}

void fake_later(unsigned ms)
{
    pthread_mutex_lock(&fake.lock);
    fake.later_ms = ms;
    pthread_mutex_unlock(&fake.lock);
}

bool ex_quota_take(ex_executor *x, const ex_caller *who, ex_quota what,
                   unsigned *seconds)
{
    (void)x, (void)who, (void)what;
    *seconds = 0;
    return true;
}

bool ex_quota_open_stream(ex_executor *x, const ex_caller *who)
{
    (void)x, (void)who;
    return true;
}

void ex_quota_close_stream(ex_executor *x, const ex_caller *who)
{
    (void)x, (void)who;
}

void ex_executor_take_up(ex_executor *x)
{
    (void)x;
}

typedef struct promise {
    ex_done *done;
    void *state;
    unsigned after_ms;
    int status;
} promise;

static void answer(ex_done *done, void *state)
{
    ex_reply reply = {0};
    pthread_mutex_lock(&fake.lock);
    reply.status = fake.status;
    reply.problem = fake.status >= 400;
    mt_buf_addz(&reply.body, fake.body);
    reply.etag = mt_str_z(fake.etag);
    reply.replayed = fake.replayed;
    reply.location = mt_str_z(fake.location);
    pthread_mutex_unlock(&fake.lock);
    done(state, &reply);
    mt_buf_free(&reply.body);
}

static void *answer_later(void *state)
{
    promise *p = state;
    usleep(p->after_ms * 1000);
    answer(p->done, p->state);
    free(p);
    return NULL;
}

void ex_executor_call(ex_executor *x, const ex_call *call, ex_done *done, void *state)
{
    pthread_mutex_lock(&x->lock);
    snprintf(x->last, sizeof x->last, "%s [%.*s] [%.*s] [%.*s] %.*s|%.*s|%.*s",
             NAMES[call->action], MT_ARG(call->contract), MT_ARG(call->name),
             MT_ARG(call->id), MT_ARG(call->body), MT_ARG(call->idempotency_key),
             MT_ARG(call->caller->name));
    snprintf(x->digest, sizeof x->digest, "%.*s", MT_ARG(call->request_digest));
    x->calls++;
    unsigned later = x->later_ms;
    pthread_mutex_unlock(&x->lock);
    if (!later) {
        answer(done, state);
        return;
    }
    promise *p = mt_xmalloc(sizeof *p);
    *p = (promise){.done = done, .state = state, .after_ms = later};
    pthread_t thread;
    pthread_create(&thread, NULL, answer_later, p);
    pthread_detach(thread);
}

mt_err ex_executor_manifest(ex_executor *x, mt_str contract, ex_manifest *out)
{
    (void)x;
    *out = (ex_manifest){.text = MT_STR("{\"etag\":\"abc\"}"), .etag = MT_STR("abc")};
    return contract.len && !mt_str_is(contract, "escrow") ? MT_E_NOTFOUND : MT_OK;
}

void ex_executor_release(ex_executor *x, ex_manifest *m)
{
    (void)x, (void)m;
}

bool ex_view_of(ex_executor *x, mt_str contract, ex_view *out)
{
    (void)x, (void)contract;
    *out = (ex_view){0};
    return false;
}

bool ex_view_may_give(const ex_view *view, const ex_caller *who, uint32_t fact)
{
    (void)view, (void)who, (void)fact;
    return false;
}

bool ex_executor_ready(ex_executor *x, mt_buf *why)
{
    if (!x->ready) {
        mt_buf_addz(why, "the store is gone");
    }
    return x->ready;
}

void ex_executor_figures(ex_executor *x, mt_figures *f)
{
    (void)x;
    mt_gauge(f, "fake", "Nothing.", 1);
}

/* One contract with one operation. */
void ex_executor_api(ex_executor *x, mt_jw *w, ex_api_see *see, void *state)
{
    (void)x;
    mt_jw_key(w, MT_STR("shop.operation.sell"));
    mt_jw_raw(w, MT_STR("{\"type\":\"object\"}"));
    see(state, MT_STR("operation"), MT_STR("shop"), MT_STR("sell"));
}

void ex_problem_codes(mt_jw *w)
{
    mt_jw_str(w, MT_STR("busy"));
}

void ex_executor_on_news(ex_executor *x, ex_news *news, void *state)
{
    x->news = news;
    x->news_state = state;
}

void fake_record(const char *kind, const char *subject, const char *body)
{
    pthread_mutex_lock(&fake.lock);
    int64_t seq = record_count++;
    records[seq] = (st_record){.seq = seq,
                               .kind = mt_str_z(kind),
                               .contract = MT_STR("escrow"),
                               .subject = mt_str_z(subject),
                               .body = mt_str_z(body)};
    pthread_mutex_unlock(&fake.lock);
    if (fake.news) {
        fake.news(fake.news_state, seq);
    }
}

/* ---- The store ---- */

mt_err st_begin(st_store *s, st_mode mode, st_tx **out)
{
    (void)mode;
    *out = (st_tx *)(void *)s;
    fake_transactions += !fake_store_fails;
    return fake_store_fails ? MT_E_IO : MT_OK;
}

void st_rollback(st_tx *tx)
{
    (void)tx;
    fake_transactions--;
}

mt_err st_doc_stamp(st_tx *tx, mt_str kind, int64_t *stamp)
{
    (void)tx, (void)kind;
    pthread_mutex_lock(&fake.lock);
    *stamp = fake_stamp;
    pthread_mutex_unlock(&fake.lock);
    return MT_OK;
}

mt_err st_doc_walk(st_tx *tx, mt_str kind, mt_str tag, st_page page,
                   st_doc_walker *each, void *state)
{
    (void)tx, (void)tag, (void)page;
    for (size_t i = 0; i < fake_token_count; i++) {
        st_doc row = {
            .kind = kind, .id = fake_tokens[i].id, .body = fake_tokens[i].body};
        mt_err err = each(state, &row);
        if (err) {
            return err;
        }
    }
    return MT_OK;
}

mt_err st_commit(st_tx *tx)
{
    (void)tx;
    fake_transactions--;
    return MT_OK;
}

mt_err st_doc_get(st_tx *tx, mt_arena *a, mt_str kind, mt_str id, st_doc *out)
{
    (void)tx, (void)a, (void)kind, (void)id, (void)out;
    return MT_E_NOTFOUND;
}

/* Bodies written here live until the program ends; there are few. */
mt_err st_doc_put(st_tx *tx, const st_doc *row)
{
    static mt_arena kept;
    (void)tx;
    pthread_mutex_lock(&fake.lock);
    for (size_t i = 0; i < fake_token_count; i++) {
        if (mt_str_eq(fake_tokens[i].id, row->id)) {
            fake_tokens[i].body = mt_str_dup(&kept, row->body);
            fake_stamp++;
        }
    }
    pthread_mutex_unlock(&fake.lock);
    return MT_OK;
}

mt_err st_ledger_tail(st_tx *tx, mt_arena *a, int64_t *size, mt_str *tail)
{
    (void)tx, (void)a;
    pthread_mutex_lock(&fake.lock);
    *size = record_count;
    pthread_mutex_unlock(&fake.lock);
    *tail = MT_STR("");
    return MT_OK;
}

mt_err st_record_walk(st_tx *tx, const st_record_filter *filter, st_page page,
                      st_record_walker *each, void *state)
{
    (void)tx;
    pthread_mutex_lock(&fake.lock);
    mt_err err = MT_OK;
    for (int64_t i = filter->from_seq;
         !err && i < record_count && i < filter->from_seq + (int64_t)page.limit; i++) {
        err = each(state, &records[i]);
    }
    pthread_mutex_unlock(&fake.lock);
    return err;
}

void ex_executor_skills(ex_executor *x, const ex_caller *who, mt_jw *w)
{
    (void)x, (void)who, (void)w;
}

mt_str ex_executor_domain(const ex_executor *x)
{
    (void)x;
    return MT_STR("");
}
