/* exec/feeds.c - served graphs whose events are fetched: a thread for each source, and
 * one for a graph whose deferred events run by themselves (`pump`): it looks at what
 * the store says is due, for all keys and of all nodes, and lets it go. Room: exec.
 * `ingress` of a graph in the configuration names its sources (host/graph_source.h). A
 * thread takes one event at a time and gives it to the executor like anybody else, as a
 * caller of the system's own; when it is committed the source is told, so that a
 * message comes again until then.
 *
 * A source that cannot be opened or read is opened again, after pauses that double up
 * to PAUSE_MOST_MS. An event that the graph refuses is kept where the source's
 * `refused` says; without that the source ends there, and the log says so. A store that
 * fails is waited for: the same event is given again, with the same id.
 * Order of closing: before the committer stops. */
#include <stdlib.h>

#include "exec/executor_internal.h"
#include "exec/machine.h"
#include "exec/voices.h"
#include "host/graph_source.h"

enum { LOOK_MS = 200, PAUSE_MS = 500, PAUSE_MOST_MS = 60000 };

struct ex_feed {
    ex_executor *x;
    mt_str graph;
    ho_graph_service *service;
    ho_source *source; /* the graph's; NULL: this one pumps */
    ex_caller caller;
    mt_str right;
    mt_str code, reason; /* of a refusal; in `arena` */
    pthread_t thread;
    bool running;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stop;      /* under the lock, as the answers are: */
    size_t awaited; /* calls that are not answered */
    size_t taken;   /* calls that were, and not with a refusal */
    int status;     /* of the last answer */
    mt_arena arena; /* one event */
    int64_t pause_ms;
};

static bool stopped(ex_feed *f)
{
    pthread_mutex_lock(&f->lock);
    bool stop = f->stop;
    pthread_mutex_unlock(&f->lock);
    return stop;
}

/* True: it is time to go on; false: stop. */
static bool rest(ex_feed *f)
{
    int64_t end = mt_wait_end(f->pause_ms);
    f->pause_ms = f->pause_ms < PAUSE_MOST_MS / 2 ? f->pause_ms * 2 : PAUSE_MOST_MS;
    pthread_mutex_lock(&f->lock);
    while (!f->stop && mt_cond_wait(&f->changed, &f->lock, end)) {
    }
    bool go_on = !f->stop;
    pthread_mutex_unlock(&f->lock);
    return go_on;
}

/* ---- one event ---- */

static mt_str event_json(mt_arena *a, const ho_graph_event *event)
{
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "at");
    mt_jw_begin_object(&w);
    mt_jw_key_i64(&w, "nanos", event->at.nanos);
    mt_jw_key_i64(&w, "secs", (int64_t)event->at.secs);
    mt_jw_end_object(&w);
    mt_jw_key_str(&w, "id", event->id);
    mt_jw_key_str(&w, "kind", mt_str_z(gr_signal_kind_name(event->kind)));
    mt_jw_keyz(&w, "payload");
    mt_jw_json(&w, event->payload);
    mt_jw_key_str(&w, "semantic_kind", event->semantic_kind);
    mt_jw_end_object(&w);
    mt_str body = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return body;
}

/* Why the graph does not take it: a code of the host, and a sentence. */
static void read_refusal(ex_feed *f, mt_str body)
{
    mt_json node;
    f->code = MT_STR("host.refused");
    f->reason = MT_STR("the event was refused");
    if (!mt_json_read(&f->arena, mt_str_dup(&f->arena, body), NULL, &node, NULL)) {
        mt_str code = mt_text_at(&node, "reason");
        mt_str said = mt_text_at(&node, "detail");
        f->code = code.len ? code : f->code;
        f->reason = said.len ? said : f->reason;
    }
}

static void answer(void *state, ex_reply *reply)
{
    ex_feed *f = state;
    pthread_mutex_lock(&f->lock);
    f->status = reply->status;
    f->awaited--;
    f->taken += reply->status < 400;
    if (reply->status >= 400) {
        read_refusal(f, mt_buf_str(&reply->body));
    }
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
}

static void ask(ex_feed *f, const ex_call *call)
{
    pthread_mutex_lock(&f->lock);
    f->awaited++;
    pthread_mutex_unlock(&f->lock);
    ex_executor_call(f->x, call, answer, f);
}

static void await(ex_feed *f)
{
    pthread_mutex_lock(&f->lock);
    while (f->awaited) {
        pthread_cond_wait(&f->changed, &f->lock);
    }
    pthread_mutex_unlock(&f->lock);
}

static int give(ex_feed *f, mt_str body, const ho_graph_event *event)
{
    ex_call call = {.action = EX_GRAPH_EVENT,
                    .caller = &f->caller,
                    .name = f->graph,
                    .body = body,
                    .event = event};
    ask(f, &call);
    await(f);
    return f->status;
}

/* The graph said no. True: the source goes on. */
static bool turned_down(ex_feed *f)
{
    mt_str code = mt_str_dup(&f->arena, f->code);
    mt_err err = ho_source_settle(f->source, HO_TURNED_DOWN, code.ptr, f->reason);
    if (err) {
        ex_log(f->x, 3, "ingress_stopped",
               "graph %.*s refused an event of its ingress, and nothing keeps it "
               "(%.*s: %.*s)",
               MT_ARG(f->graph), MT_ARG(f->code), MT_ARG(f->reason));
    }
    return !err;
}

/* Until it is committed or refused. False: the source is at its end here. */
static bool deliver(ex_feed *f, const ho_graph_event *event)
{
    mt_arena_reset(&f->arena);
    mt_str body = event_json(&f->arena, event);
    int status = give(f, body, event);
    while (status >= 500 || status == 409 || status == 429) {
        if (!rest(f)) {
            return false;
        }
        status = give(f, body, event);
    }
    f->pause_ms = PAUSE_MS;
    if (status >= 400) {
        return turned_down(f);
    }
    (void)ho_source_settle(f->source, HO_TAKEN, NULL, (mt_str){0});
    return true;
}

/* ---- the thread ---- */

static void say_trouble(ex_feed *f)
{
    ho_ingress_fault fault = ho_source_problem(f->source);
    ex_log(f->x, 2, "ingress_failing", "graph %.*s: %s: %.*s", MT_ARG(f->graph),
           fault.code, MT_ARG(fault.message));
}

/* What can be mended by opening it again; a line that cannot be read is not. */
static bool may_mend(const ex_feed *f)
{
    const char *code = ho_source_problem(f->source).code;
    return strcmp(code, "ingress.open_failed") == 0 ||
           strcmp(code, "ingress.read_failed") == 0;
}

/* Events while it is open. True: open it again. */
static bool pour(ex_feed *f)
{
    ho_graph_event event;
    while (!stopped(f)) {
        switch (ho_source_next(f->source, LOOK_MS, &event)) {
        case HO_INGRESS_WAIT: break;
        case HO_INGRESS_END: return false;
        case HO_INGRESS_BROKEN: say_trouble(f); return may_mend(f);
        case HO_INGRESS_EVENT:
            if (!deliver(f, &event)) {
                return false;
            }
        }
    }
    return false;
}

static void *run_feed(void *state)
{
    ex_feed *f = state;
    bool again = true;
    while (again && !stopped(f)) {
        mt_err err = ho_source_open(f->source);
        if (err) {
            say_trouble(f);
        }
        again = err || pour(f);
        ho_source_close(f->source);
        again = again && rest(f);
    }
    return NULL;
}

/* ---- what was deferred ---- */

/* Histories that are let go at a time: they commit together. */
enum { PUMPS = 64 };

typedef struct due_page {
    mt_arena *arena;
    mt_str rows[PUMPS];
    size_t count;
} due_page;

static mt_err note_row(void *state, mt_str row)
{
    due_page *p = state;
    p->rows[p->count++] = mt_str_dup(p->arena, row);
    return MT_OK;
}

/* Those that are due, after a row that was tried; in the feed's arena. */
static mt_err read_due(ex_feed *f, mt_str after, due_page *out)
{
    st_tx *tx;
    st_page page = {.after = after, .limit = PUMPS};
    *out = (due_page){.arena = &f->arena};
    mt_err err = st_begin(f->x->store, ST_READ, &tx);
    if (err) {
        return err;
    }
    err = ho_graph_service_dues(f->service, tx, ex_now(f->x), page, note_row, out);
    st_rollback(tx);
    return err;
}

static void pump_page(ex_feed *f, const due_page *page)
{
    ex_call calls[PUMPS];
    for (size_t i = 0; i < page->count; i++) {
        calls[i] = (ex_call){.action = EX_GRAPH_PUMP,
                             .caller = &f->caller,
                             .name = f->graph,
                             .id = page->rows[i]};
        ask(f, &calls[i]);
    }
    await(f);
}

/* Each history that is due, once: one that cannot go on (the store fails, its lines are
 * damaged) keeps nobody behind it waiting. True: something ran. */
static bool pump_all(ex_feed *f)
{
    due_page page = {.count = PUMPS};
    mt_buf after = {0};
    f->taken = 0;
    while (page.count == PUMPS && !stopped(f)) {
        mt_arena_reset(&f->arena);
        if (read_due(f, mt_buf_str(&after), &page)) {
            break;
        }
        if (page.count) {
            mt_buf_clear(&after);
            mt_buf_adds(&after, page.rows[page.count - 1]);
            pump_page(f, &page);
        }
    }
    mt_buf_free(&after);
    return f->taken > 0;
}

/* Lets go what waits as soon as it is due. */
static void *run_pump(void *state)
{
    ex_feed *f = state;
    do {
        f->pause_ms = LOOK_MS;
        while (!stopped(f) && pump_all(f)) {
        }
    } while (rest(f));
    return NULL;
}

/* ---- opening and closing ---- */

static mt_err start_feed(ex_executor *x, ho_graph_service *g, ho_source *source)
{
    ex_feed *f = mt_new(&x->arena, ex_feed);
    f->x = x;
    f->graph = ho_graph_service_name(g);
    f->service = g;
    f->source = source;
    f->pause_ms = PAUSE_MS;
    f->right = mt_strf(&x->arena, "graphs:%.*s", MT_ARG(f->graph));
    f->caller = (ex_caller){.id = MT_STR("ingress"),
                            .by = EX_BY_SYSTEM,
                            .actor = EX_ACTOR_MACHINE,
                            .rights = &f->right,
                            .right_count = 1};
    pthread_mutex_init(&f->lock, NULL);
    mt_cond_init(&f->changed);
    mt_vec_push(&x->arena, &x->feeds, f);
    f->running = pthread_create(&f->thread, NULL, source ? run_feed : run_pump, f) == 0;
    return f->running ? MT_OK : MT_E_BUSY;
}

mt_err ex_feeds_start(ex_executor *x)
{
    mt_err err = MT_OK;
    for (size_t i = 0; i < x->graphs.len && !err; i++) {
        size_t count;
        ho_source **sources = ho_graph_service_sources(x->graphs.items[i], &count);
        for (size_t k = 0; k < count && !err; k++) {
            err = start_feed(x, x->graphs.items[i], sources[k]);
        }
        if (!err && ho_graph_service_pumps(x->graphs.items[i])) {
            err = start_feed(x, x->graphs.items[i], NULL);
        }
    }
    return err;
}

void ex_feeds_stop(ex_executor *x)
{
    for (size_t i = 0; i < x->feeds.len; i++) {
        ex_feed *f = x->feeds.items[i];
        pthread_mutex_lock(&f->lock);
        f->stop = true;
        pthread_cond_broadcast(&f->changed);
        pthread_mutex_unlock(&f->lock);
    }
    for (size_t i = 0; i < x->feeds.len; i++) {
        ex_feed *f = x->feeds.items[i];
        if (f->running) {
            pthread_join(f->thread, NULL);
        }
        mt_arena_free(&f->arena);
        pthread_mutex_destroy(&f->lock);
        pthread_cond_destroy(&f->changed);
    }
    x->feeds.len = 0;
}
