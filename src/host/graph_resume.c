/* host/graph_resume.c - the journal replayed onto the host of the run that goes on.
 * Room: host. In this order: the head must be the one this run would write (same
 * graph, adapter, egress and limits); every event is run again and its decision
 * compared; then the journal is cut behind its last whole line and goes on from there.
 * With a fixture, each of its events must be the one in the journal, so that the run
 * does not take an event twice or skip one.
 *
 * The last step's acknowledgements are kept beside the replay's memory, so that the
 * run can send again what has none: an intent may have been sent without the answer
 * being written. What may fail: the file, a line that is not as it was written, a
 * decision that comes out otherwise, a fixture that ends too early; `why` has one
 * sentence from whoever knows best. */
#include "host/graph_resume.h"

#include "host/graph_capture.h"

typedef struct resume {
    mt_arena *arena;
    const ho_run_options *run;
    ho_resumed *out;
    ho_ingress_fault broke;
} resume;

bool ho_journal_holds(const char *path)
{
    mt_arena a = {0};
    mt_buf why = {0};
    ho_capture_file f;
    gr_capture_event event;
    gr_capture_decision decision;
    gr_capture_fault fault;
    mt_err err = ho_capture_open(&a, path, UINT32_MAX, &f, &why);
    /* The run that was killed did not even get its head to the file. */
    bool torn = err == MT_E_CORRUPT && mt_str_ends(mt_buf_str(&why), MT_STR("is torn"));
    bool holds = !torn;
    if (!err) {
        err = gr_capture_next(f.reader, &event, &decision, &fault);
        holds = err != MT_E_NOTFOUND;
        ho_capture_close(&f);
    }
    mt_buf_free(&why);
    mt_arena_free(&a);
    return holds;
}

/* Pumps of the host's own are in no fixture. */
static bool is_own_pump(const gr_capture_event *recorded)
{
    return recorded->kind == GR_PUMP && mt_str_starts(recorded->id, MT_STR("pump:"));
}

/* The fixture's next event must be the one in the journal. */
static mt_err meet(void *user, const gr_capture_event *recorded)
{
    resume *r = user;
    ho_graph_event event;
    if (r->run->pump && is_own_pump(recorded)) {
        return MT_OK;
    }
    switch (ho_ingress_next(r->run->ingress, 0, &event)) {
    case HO_INGRESS_EVENT: return ho_graph_host_same(r->run->host, &event, recorded);
    case HO_INGRESS_BROKEN: r->broke = ho_ingress_problem(r->run->ingress); break;
    case HO_INGRESS_END:
    case HO_INGRESS_WAIT:
        r->broke = (ho_ingress_fault){
            "resume.other_event", MT_STR("the fixture ends before the journal does")};
        break;
    }
    return MT_E_REJECTED;
}

static mt_str keep(mt_arena *a, mt_str s)
{
    return s.ptr ? mt_str_dup(a, s) : s;
}

/* The step lives in the host until the next one; what it has from the journal does not,
 * and is kept. */
static void note(void *user, size_t index, const ho_graph_step *step,
                 const gr_capture_decision *recorded)
{
    resume *r = user;
    (void)index;
    mt_arena_reset(&r->out->acks);
    gr_capture_ack *acks =
        mt_new_array(&r->out->acks, gr_capture_ack, recorded->ack_count);
    for (size_t i = 0; i < recorded->ack_count; i++) {
        const gr_capture_ack *from = &recorded->acks[i];
        acks[i] = (gr_capture_ack){
            keep(&r->out->acks, from->intent_id), keep(&r->out->acks, from->channel),
            keep(&r->out->acks, from->status), keep(&r->out->acks, from->acceptance),
            keep(&r->out->acks, from->egress_ref)};
    }
    r->out->last = *step;
    r->out->last.event = (gr_capture_event){.id = keep(&r->out->acks, step->event.id)};
    r->out->last.decision.event_id = r->out->last.event.id;
    r->out->last.decision.acks = acks;
    r->out->last.decision.ack_count = recorded->ack_count;
    r->out->events++;
    if (r->run->observe) {
        r->run->observe(r->run->user, step);
    }
}

/* One sentence, from whoever knows best: the source of events, the comparison, or the
 * error. */
static mt_err refuse(resume *r, const ho_replay_result *result, mt_err err)
{
    const ho_divergence *d = &result->divergence;
    if (r->broke.code) {
        r->out->why =
            mt_strf(r->arena, "%s: %.*s", r->broke.code, MT_ARG(r->broke.message));
    } else if (d->code && d->event != SIZE_MAX) {
        r->out->why = mt_strf(r->arena, "%s: event %zu (%.*s): %.*s", d->code, d->event,
                              MT_ARG(d->event_id), MT_ARG(d->message));
    } else if (d->code) {
        r->out->why = mt_strf(r->arena, "%s: %.*s", d->code, MT_ARG(d->message));
    } else {
        r->out->why = mt_strf(r->arena, "%.*s: %.*s", MT_ARG(result->fault.path),
                              MT_ARG(result->fault.message));
    }
    return err;
}

/* The head must be the very one this run would write; then every event is run again
 * and compared. */
static mt_err replay_journal(resume *r, const ho_graph_options *options,
                             gr_capture_reader *reader, bool fixture)
{
    ho_replay_result result;
    ho_replay_options o = {.graph = options->graph,
                           .adapter = options->adapter,
                           .observe = note,
                           .user = r};
    const gr_capture_start *start = gr_capture_start_of(reader);
    gr_capture_head mine = ho_graph_host_head(r->run->host);
    if (gr_graph_is(options->graph, start->head.runtime_provenance)) {
        mine.runtime_provenance = start->head.runtime_provenance;
    }
    if (!start->journal || !ho_capture_same_head(&mine, &start->head)) {
        r->out->why = MT_STR("it was written with another graph, adapter, egress "
                             "configuration, primitives or limits");
        return MT_E_REJECTED;
    }
    mt_err err = ho_replay_onto(r->arena, r->run->host, reader, &o,
                                fixture ? meet : NULL, &result);
    return err ? refuse(r, &result, err) : MT_OK;
}

mt_err ho_graph_resume(mt_arena *a, const ho_graph_options *options, const char *path,
                       const ho_run_options *run, bool fixture, ho_resumed *out)
{
    resume r = {.arena = a, .run = run, .out = out};
    ho_capture_file f;
    mt_buf why = {0};
    *out = (ho_resumed){0};
    mt_err err = ho_capture_open(a, path, UINT32_MAX, &f, &why);
    out->why = mt_str_dup(a, mt_buf_str(&why));
    if (!err) {
        err = replay_journal(&r, options, f.reader, fixture);
        if (!err) {
            ho_journal_keep(run->journal, gr_capture_whole(f.reader));
            ho_graph_host_resumed(run->host);
        }
        ho_capture_close(&f);
    }
    mt_buf_free(&why);
    return err;
}

void ho_resumed_free(ho_resumed *r)
{
    mt_arena_free(&r->acks);
}
