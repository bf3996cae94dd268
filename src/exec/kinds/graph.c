/* exec/kinds/graph.c - an event of a graph is one job of the committer.
 * Room: exec. The episode runs inside the group's transaction (it is pure and
 * short), so its journal line, its context, its intents and its ledger record commit
 * together. When they do not, the graph forgets the episode and reads its journal
 * again. May fail: the event (422 with the graph's reason), the store. */
#include "exec/kinds/graph.h"

#include "exec/call/list.h"
#include "exec/call/request.h"
#include "exec/call/rights.h"
#include "exec/commit/ledger.h"
#include "exec/machine.h"
#include "exec/voices.h"
#include "host/graph_time.h"
#include "host/graph_trace.h"

/* ---- Which graphs ---- */

bool ex_refused_graph(ex_job *job, ho_graph_service **out)
{
    mt_str name = job->call->name;
    *out = ex_graph_named(job->x, name);
    if (!*out) {
        return ex_refuse(job, EX_NOT_FOUND, "no graph '%.*s' is served", MT_ARG(name));
    }
    return ex_refused_without(job, (mt_str){0},
                              mt_strf(&job->arena, "graphs:%.*s", MT_ARG(name)));
}

/* ---- Events ---- */

/* {"id"?,"kind"?,"at"?,"semantic_kind"?,"payload"?}. */
typedef struct event_body {
    mt_str id, kind, semantic_kind;
    const mt_json *at, *payload;
} event_body;

static const mt_form_row EVENT[] = {
    MT_FORM_NAME(event_body, id, "id", INT64_MAX, 0),
    MT_FORM_TEXT(event_body, kind, "kind", 0),
    MT_FORM_TEXT(event_body, semantic_kind, "semantic_kind", 0),
    MT_FORM_ANY(event_body, at, "at", 0),
    MT_FORM_ANY(event_body, payload, "payload", 0),
};

static const mt_form_row MOMENT[] = {
    MT_FORM_U64(gr_time, secs, "secs", 0, 253402300799, MT_FORM_REQUIRED), /* 9999 */
    MT_FORM_U32(gr_time, nanos, "nanos", 0, 999999999, 0),
};

static void refuse_member(void *job, const mt_form_fault *fault)
{
    ex_refuse(job, EX_BAD_REQUEST, "%.*s", MT_ARG(fault->message));
}

/* The time of an event is the sender's where given; otherwise the server's, in whole
 * seconds. It decides about rates and deadlines, never about the ledger's time. */
static bool refused_time(ex_job *job, const mt_json *at, gr_time *out)
{
    static const mt_form_row AT = {.key = "at"};
    mt_form form = {.arena = &job->arena,
                    .what = "`at`",
                    .report = refuse_member,
                    .state = job,
                    .unknown = MT_FORM_ALLOWED};
    *out = (gr_time){.secs = (uint64_t)ex_now(job->x) / 1000};
    if (at && !mt_json_is(at, MT_JSON_OBJECT)) {
        return !ho_time_read_text(&form, &AT, at, out);
    }
    form.path = MT_STR("at");
    return at && !mt_form_read(&form, at, MOMENT, mt_form_count(MOMENT), out);
}

/* An id that is not given is made here, once, so that the same job gives the same
 * intents when its group is repeated. */
static bool refused_event(ex_job *job, ho_graph_event *event)
{
    event_body body = {0};
    if (!job->call->body.len) {
        return ex_refuse(job, EX_BAD_REQUEST, "the body must be a JSON object");
    }
    if (ex_refused_body(job, EVENT, mt_form_count(EVENT), &body)) {
        return true;
    }
    *event =
        (ho_graph_event){.id = body.id.len ? body.id : ex_new_id(&job->arena, "event"),
                         .kind = GR_DATA_AVAILABLE,
                         .semantic_kind = body.semantic_kind,
                         .payload = body.payload};
    if (job->call->event) {
        event->former_id = job->call->event->former_id;
        event->stored = job->call->event->stored;
    }
    if (body.kind.ptr && !gr_signal_kind_parse(body.kind, &event->kind)) {
        return ex_refuse(job, EX_BAD_REQUEST,
                         "`kind` is Pump, DataAvailable or Command");
    }
    return refused_time(job, body.at, &event->at);
}

/* The event is parsed on the caller's thread; whether the graph takes it is decided in
 * the group, where its context is known. */
bool ex_graph_event_prepare(ex_job *job)
{
    ho_graph_service *g;
    ho_graph_event *event = mt_new(&job->arena, ho_graph_event);
    job->work = event;
    return ex_refused_graph(job, &g) || refused_event(job, event);
}

/* Of the server's own: which event it is, the graph says in the group. */
bool ex_graph_pump_prepare(ex_job *job)
{
    ho_graph_service *g;
    return ex_refused_graph(job, &g);
}

/* Effects as they were hashed, so a reader can check them. */
static void effects_json(mt_jw *w, const gr_capture_decision *d)
{
    mt_jw_keyz(w, "effects");
    mt_jw_begin_array(w);
    for (size_t i = 0; i < d->effect_count; i++) {
        mt_jw_begin_object(w);
        mt_jw_keyz(w, "effect");
        mt_jw_raw(w, d->effects[i].effect);
        mt_jw_key_str(w, "hash", d->effects[i].hash);
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
}

/* What the record and the answer have in common, between "caller" and "time". */
static void episode_json(mt_jw *w, const ho_graph_service *g, const ho_graph_done *done)
{
    const ho_graph_step *s = &done->step;
    mt_buf outcomes = {0};
    mt_jw_key_str(w, "capture", done->capture);
    mt_jw_key_str(w, "decision",
                  mt_str_z(gr_verdict_name(s->decision.decision.verdict)));
    effects_json(w, &s->decision);
    mt_jw_key_str(w, "event", s->event.id);
    if (s->fault.len) {
        mt_jw_key_str(w, "fault", s->fault);
    }
    mt_jw_key_str(w, "graph", ho_graph_service_name(g));
    mt_jw_key_str(w, "kind", MT_STR("episode"));
    mt_jw_key_i64(w, "number", done->number);
    ho_graph_trace_outcomes(&outcomes, s);
    mt_jw_keyz(w, "outcomes");
    mt_jw_raw(w, mt_buf_str(&outcomes));
    mt_buf_free(&outcomes);
    mt_jw_key_str(w, "payload_hash", s->event.payload_hash);
}

/* Digests of code that the user has brought; most graphs have none. */
static void primitives_json(mt_jw *w, const ho_graph_service *g)
{
    mt_str own = ho_graph_service_primitives(g);
    if (own.len) {
        mt_jw_key_str(w, "primitives", own);
    }
}

/* The provenance of the graph is in each record: which graph decided can be told long
 * after it was replaced. */
static mt_err record_episode(ex_job *job, ex_group *group, const ho_graph_service *g,
                             const ho_graph_done *done, int64_t *id)
{
    mt_jw w = ex_record_begin(group);
    ex_caller_json(&w, job);
    episode_json(&w, g, done);
    primitives_json(&w, g);
    mt_jw_key_str(&w, "runtime_provenance", ho_graph_service_graph(g)->provenance);
    ho_graph_trace_termination(&w, &done->step.decision.decision, false);
    ex_record_time(&w, group);
    ex_record r = {
        .kind = "episode", .subject = ho_graph_service_name(g), .unsorted = true};
    return ex_record_end(group, &w, &r, id);
}

/* Effects that only write the context are done with the commit; intents go to the
 * outbox. */
static bool has_intents(const ho_graph_step *s)
{
    for (size_t i = 0; i < s->decision.effect_count; i++) {
        if (s->episode->effects[i].intent) {
            return true;
        }
    }
    return false;
}

/* The episode runs here, inside the transaction: it is pure, so when the group is
 * rolled back nothing has happened; the service's memory is told to forget it and reads
 * its journal again. */
mt_err ex_graph_event_commit(ex_job *job, ex_group *group)
{
    ho_graph_service *g = ex_graph_named(job->x, job->call->name);
    ho_graph_done done;
    int64_t record;
    mt_err err =
        job->call->action == EX_GRAPH_PUMP
            ? ho_graph_service_pump(g, group->tx, group->now_ms, job->call->id, &done)
            : ho_graph_service_event(g, group->tx, group->now_ms, job->work, &done);
    if (!err && done.refused) {
        mt_jw w = ex_problem_open(job, EX_EVENT_REFUSED, done.problem.message);
        mt_jw_key_str(&w, "reason", mt_str_z(done.problem.code));
        ex_problem_close(&w);
        return MT_OK;
    }
    err = err ? err : record_episode(job, group, g, &done, &record);
    if (err) {
        ho_graph_service_forget(g);
        return err;
    }
    group->outbox = group->outbox || has_intents(&done.step);
    mt_jw w = ex_reply_with(job, 200);
    episode_json(&w, g, &done);
    ex_reply_record(&w, job, record);
    ho_graph_trace_termination(&w, &done.step.decision.decision, false);
    ex_reply_end(&w);
    return MT_OK;
}

/* ---- Reading ---- */

/* Graphs are those of the configuration and do not change while the server runs; who
 * may use one sees it. */
bool ex_graph_list(ex_job *job)
{
    mt_jw w = ex_reply_with(job, 200);
    mt_jw_keyz(&w, "items");
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < job->x->graphs.len; i++) {
        const ho_graph_service *g = job->x->graphs.items[i];
        if (!ex_may_use(job, "graphs:", ho_graph_service_name(g))) {
            continue;
        }
        mt_jw_begin_object(&w);
        mt_jw_key_str(&w, "graph", ho_graph_service_graph(g)->id);
        mt_jw_key_str(&w, "id", ho_graph_service_name(g));
        primitives_json(&w, g);
        mt_jw_key_str(&w, "runtime_provenance", ho_graph_service_graph(g)->provenance);
        mt_jw_end_object(&w);
    }
    mt_jw_end_array(&w);
    ex_reply_end(&w);
    return true;
}

/* Whose history is asked for: of a graph with a key, `key` says it. */
static bool refused_history(ex_job *job, const ho_graph_service *g, mt_str *out)
{
    mt_str name = ho_graph_service_key(g), key = ex_query(job, "key");
    if (name.len && !key.len) {
        return ex_refuse(
            job, EX_BAD_REQUEST,
            "the graph has a history for each `%.*s`: say which with `key`",
            MT_ARG(name));
    }
    if (key.len && !name.len) {
        return ex_refuse(job, EX_BAD_REQUEST, "the graph has one history, and no key");
    }
    *out = ho_graph_service_history(g, &job->arena, key);
    return false;
}

/* What is durable, read in its own transaction, not the memory of the service. */
bool ex_graph_context(ex_job *job)
{
    ho_graph_service *g;
    st_tx *tx;
    mt_str history;
    if (ex_refused_graph(job, &g) || refused_history(job, g, &history)) {
        return true;
    }
    mt_err err = st_begin(job->x->store, ST_READ, &tx);
    if (!err) {
        mt_jw w = ex_reply_with(job, 200);
        mt_jw_keyz(&w, "context");
        err = ho_graph_service_context(tx, history, &w);
        mt_jw_key_str(&w, "graph", ho_graph_service_name(g));
        ex_reply_end(&w);
        st_rollback(tx);
    }
    return err ? ex_refuse_store(job, err) : true;
}

/* A history of no value of the key is not listed, and the place to go on from moves all
 * the same. */
static mt_err list_key(void *state, mt_str history, mt_str key, mt_str capture)
{
    ex_list *l = state;
    if (!ex_list_take(l)) {
        return MT_OK;
    }
    l->last = mt_str_dup(&l->job->arena, history);
    if (key.len) {
        mt_jw_begin_object(&l->w);
        mt_jw_key_str(&l->w, "capture", capture);
        mt_jw_key_str(&l->w, "key", key);
        mt_jw_end_object(&l->w);
    }
    return MT_OK;
}

/* Whose histories there are. */
bool ex_graph_keys(ex_job *job)
{
    ho_graph_service *g;
    ex_list l;
    if (ex_refused_graph(job, &g)) {
        return true;
    }
    if (!ho_graph_service_key(g).len) {
        return ex_refuse(job, EX_BAD_REQUEST, "the graph has one history, and no key");
    }
    return ex_refused_list(&l, job) ||
           ex_list_close(&l, ho_graph_service_keys(g, l.tx, l.page, list_key, &l));
}

/* Only ids: a capture may be large and is fetched one by one. */
static mt_err list_capture(void *state, const st_doc *row)
{
    ex_list *l = state;
    if (!ex_list_take(l)) {
        return MT_OK;
    }
    l->last = mt_str_dup(&l->job->arena, row->id);
    mt_jw_begin_object(&l->w);
    mt_jw_key_str(&l->w, "id", row->id);
    mt_jw_end_object(&l->w);
    return MT_OK;
}

bool ex_capture_list(ex_job *job)
{
    ho_graph_service *g;
    ex_list l;
    mt_str history;
    if (ex_refused_graph(job, &g) || refused_history(job, g, &history) ||
        ex_refused_list(&l, job)) {
        return true;
    }
    return ex_list_close(
        &l, ho_graph_service_captures(l.tx, history, l.page, list_capture, &l));
}

bool ex_capture_get(ex_job *job)
{
    ho_graph_service *g;
    st_tx *tx;
    if (ex_refused_graph(job, &g)) {
        return true;
    }
    mt_err err = st_begin(job->x->store, ST_READ, &tx);
    if (!err) {
        (void)ex_reply_body(job, 200);
        err = ho_graph_service_capture(g, tx, job->call->id, &job->reply.body);
        st_rollback(tx);
    }
    if (err == MT_E_NOTFOUND) {
        return ex_refuse(job, EX_NOT_FOUND, "graph '%.*s' has no capture '%.*s'",
                         MT_ARG(job->call->name), MT_ARG(job->call->id));
    }
    return err ? ex_refuse_store(job, err) : true;
}
