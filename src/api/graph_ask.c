/* api/graph_ask.c - what can be asked of a graph with texts: events, captures.
 *
 * A command is a row: its options and what it does with the text that came with it.
 * Nothing touches a file: events and captures are bytes, what is printed is bytes, and
 * intents are derived, never sent. */
#include "api/graph.h"
#include "graph/draw.h"
#include "host/graph_tell.h"
#include "host/graph_trace.h"

typedef struct graph_options {
    bool pump, skip_duplicates, capture, pretty, ports;
    const mt_json *skip_kinds;
    uint64_t max_per_window, rate_window, deadline, max_in_flight, max_events;
    bool any_in_flight; /* max_in_flight was given */
    uint32_t max_retries;
    size_t until;
    mt_str event, output;
    const mt_json *instead;
    int format;
} graph_options;

/* ORDER of PICTURES: the first is what nobody asked for. */
static const char *const PICTURES[] = {"json", "dot", "mermaid", NULL};

/* 0 in flight means something, so that it was said is noted: the
 * number alone cannot tell. Reads the value through a row of its
 * own, to have the same limits and words as other numbers. */
static bool read_in_flight(mt_form *f, const mt_form_row *row, const mt_json *v,
                           void *to)
{
    static const mt_form_row COUNT =
        MT_FORM_U64(graph_options, max_in_flight, "max_in_flight", 0, INT64_MAX, 0);
    graph_options *o = (graph_options *)((char *)to - row->offset);
    mt_json_member member = {MT_STR("max_in_flight"), *v};
    mt_json object = {.type = MT_JSON_OBJECT, .count = 1, .as.members = &member};
    o->any_in_flight = true;
    return mt_form_field(f, &object, &COUNT, o);
}

/* clang-format off */
#define FLAG(field) MT_FORM_FLAG(graph_options, field, #field, 0)
#define COUNT(field) MT_FORM_U64(graph_options, field, #field, 0, INT64_MAX, 0)
#define SPAN(field) MT_FORM_SPAN(graph_options, field, #field, 0, INT64_MAX, 0)
static const mt_form_row CHECK[] = {MT_FORM_NOTE("json")};
static const mt_form_row RUN[] = {
    FLAG(pump), FLAG(skip_duplicates), FLAG(capture), FLAG(pretty),
    MT_FORM_TEXTS(graph_options, skip_kinds, "skip_kinds", 0, 100000, 0),
    COUNT(max_per_window), SPAN(rate_window), SPAN(deadline), COUNT(max_events),
    MT_FORM_OWN(graph_options, max_in_flight, "max_in_flight", read_in_flight, 0),
    MT_FORM_U32(graph_options, max_retries, "max_retries", 0, UINT32_MAX, 0)};
static const mt_form_row REPLAY[] = {
    MT_FORM_TEXT(graph_options, event, "event", 0),
    MT_FORM_SIZE(graph_options, until, "until", 0, UINT32_MAX, 0)};
static const mt_form_row LOOK[] = {MT_FORM_TEXT(graph_options, output, "output", 0)};
static const mt_form_row WHATIF[] = {
    FLAG(capture), FLAG(pretty), MT_FORM_OBJECT(graph_options, instead, "instead", 0)};
static const mt_form_row DRAW[] = {
    FLAG(ports), MT_FORM_CHOICE(graph_options, format, "format", PICTURES, 0)};
/* clang-format on */

/* One call. `input` is borrowed for it: events for run, a capture for replay. */
typedef struct asking {
    const motet_graph *graph;
    graph_options o;
    mt_str input;
    aw_reply *r;
} asking;

/* ---- check ---- */

/* {"diagnostics": …, "error": …, "errors": …, "ok": false} */
static void diags_json(mt_buf *out, const mt_diags *ds, bool good)
{
    mt_jw w = mt_jw_start(out, true);
    mt_jw_begin_object(&w);
    aw_diags_keys(&w, ds, (mt_str){0});
    mt_jw_key_bool(&w, "ok", good);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

/* Composition and ownership, as a run would check them. */
static bool fits(const motet_graph *g, mt_diags *ds)
{
    ho_graph_options o = {.graph = g->graph,
                          .adapter = g->adapter,
                          .context = ho_context_in_memory(),
                          .replay = true};
    ho_graph_host *host = NULL;
    bool good = !ho_graph_host_new(&o, ds, &host);
    ho_graph_host_free(host);
    o.context.free(o.context.state);
    return good;
}

/* What loading found, and with an adapter what a run would find. */
static int check(asking *k)
{
    const motet_graph *g = k->graph;
    mt_diags ds = {.arena = &k->r->arena};
    for (size_t i = 0; i < g->ds.len; i++) {
        mt_diag_add(&ds, &g->ds.items[i]);
    }
    bool good = g->graph && !g->ds.errors;
    if (good && g->adapter) {
        gr_adapter_advise(g->adapter, g->graph, &ds);
        good = fits(g, &ds);
    }
    diags_json(&k->r->text, &ds, good);
    return good ? AW_HOLDS : AW_FAILS;
}

/* ---- run ---- */

typedef struct recording {
    asking *k;
    mt_buf journal; /* its lines, if a capture is wanted */
} recording;

/* A capture is made of journal lines at the end;
 * otherwise each decision is printed as it is made. */
static void keep_step(void *user, const ho_graph_step *step)
{
    gr_journal_step(&((recording *)user)->journal, &step->event, &step->decision);
}

static void hear_step(void *user, const ho_graph_step *step)
{
    recording *rec = user;
    if (rec->k->o.capture) {
        keep_step(rec, step);
    } else {
        ho_graph_trace_decision(&rec->k->r->text, step);
        mt_buf_addc(&rec->k->r->text, '\n');
    }
}

/* 0 is how options say "not given". */
static gr_time_option span_of(uint64_t ms)
{
    return (gr_time_option){ms != 0, gr_time_of_ms(ms)};
}

static const mt_str *texts_of(mt_arena *a, const mt_json *list, size_t *count)
{
    *count = list ? list->count : 0;
    mt_str *texts = mt_new_array(a, mt_str, *count + 1);
    for (size_t i = 0; i < *count; i++) {
        texts[i] = mt_json_text(&list->as.items[i]);
    }
    return texts;
}

/* As `motet graph run` makes them, but intents
 * are held and nothing has to have a route. */
static ho_graph_options host_options(const asking *k)
{
    const graph_options *o = &k->o;
    ho_graph_options h = {
        .graph = k->graph->graph,
        .adapter = k->graph->adapter,
        .context = ho_context_in_memory(),
        .key = k->graph->adapter ? k->graph->adapter->key : (mt_str){0},
        .hold_intents = true,
        .unrouted = true,
        .skip_duplicates = o->skip_duplicates,
        .limits = {.max_per_window = {o->max_per_window != 0, o->max_per_window},
                   .rate_window = span_of(o->rate_window),
                   .deadline = span_of(o->deadline),
                   .max_in_flight = {o->any_in_flight, o->max_in_flight},
                   .max_retries = o->max_retries}};
    h.skip_kinds = texts_of(&k->r->arena, o->skip_kinds, &h.skip_kind_count);
    return h;
}

/* The document a run would write, from the lines a run would write first. */
static int write_capture(recording *rec, const gr_capture_head *head,
                         const gr_capture_carried *carried)
{
    aw_reply *r = rec->k->r;
    gr_capture capture;
    gr_capture_fault fault;
    mt_buf whole = {0};
    gr_journal_head(&whole, head);
    if (carried && gr_carries(carried)) {
        gr_journal_carried(&whole, carried);
        for (size_t i = 0; i < carried->waiting_count; i++) {
            gr_journal_waiting(&whole, &carried->waiting[i]);
        }
    }
    mt_buf_adds(&whole, mt_buf_str(&rec->journal));
    if (gr_capture_read(&r->arena, mt_buf_str(&whole), &capture, &fault)) {
        MT_BUG("a journal that was written cannot be read");
    }
    gr_capture_write(&r->text, &capture, rec->k->o.pretty);
    mt_buf_free(&whole);
    return AW_HOLDS;
}

/* All lines are read before the first event runs, as a run does with a file. */
static bool fixture_reads(const asking *k, ho_run_result *result)
{
    ho_ingress *in = ho_ingress_fixture(k->input, k->graph->adapter != NULL);
    ho_graph_event event;
    ho_ingress_result last = HO_INGRESS_EVENT;
    while (last == HO_INGRESS_EVENT) {
        last = ho_ingress_next(in, 0, &event);
    }
    if (last == HO_INGRESS_BROKEN) {
        ho_ingress_fault fault = ho_ingress_problem(in);
        *result =
            (ho_run_result){fault.code, mt_str_dup(&k->r->arena, fault.message), false};
    }
    ho_ingress_free(in);
    return last != HO_INGRESS_BROKEN;
}

/* A run that is interrupted by a fault still tells
 * what it has done, or gives its capture so far. */
static int run_host(asking *k, ho_graph_host *host)
{
    recording rec = {.k = k};
    ho_run_options run = {.host = host,
                          .ingress =
                              ho_ingress_fixture(k->input, k->graph->adapter != NULL),
                          .pump = k->o.pump,
                          .max_events = k->o.max_events,
                          .observe = hear_step,
                          .user = &rec};
    ho_run_result result;
    if (fixture_reads(k, &result)) {
        result = ho_graph_run(&k->r->arena, &run);
    }
    int code = result.reason && !result.asked ? AW_FAILS : AW_HOLDS;
    if (code) {
        aw_fail(k->r, code, "interrupted: %s: %.*s", result.reason,
                MT_ARG(result.message));
    }
    if (k->o.capture) {
        gr_capture_head head = ho_graph_host_head(host);
        write_capture(&rec, &head, NULL);
    } else {
        ho_graph_counts n = ho_graph_host_counts(host);
        ho_tell_run(&k->r->text, &result, &n, ho_ingress_episodes(run.ingress), NULL,
                    0);
    }
    mt_buf_free(&rec.journal);
    ho_ingress_free(run.ingress);
    return code;
}

/* Options that contradict each other are told before a host is made. Intents are held
 * back by the host's options: asking a graph something sends nothing. */
static int run(asking *k)
{
    ho_graph_options o = host_options(k);
    mt_diags ds = {.arena = &k->r->arena};
    ho_graph_host *host = NULL;
    int code = AW_HOLDS;
    if (!gr_constraints_fit(&o.limits)) {
        code = aw_fail(k->r, AW_USAGE,
                       "`max_per_window` (at least 1) and `rate_window` go together");
    } else if (k->o.pump && o.limits.max_in_flight.set &&
               !o.limits.max_in_flight.count) {
        code =
            aw_fail(k->r, AW_USAGE,
                    "`pump` cannot let go what `max_in_flight` 0 holds back for good");
    } else if (k->o.capture && o.key.len) {
        code = aw_fail(k->r, AW_USAGE,
                       "the adapter has a `key:`, and a capture has one history");
    } else if (ho_graph_host_new(&o, &ds, &host)) {
        diags_json(&k->r->text, &ds, false);
        k->r->refused = true;
        code = AW_FAILS;
    } else {
        code = run_host(k, host);
    }
    ho_graph_host_free(host);
    o.context.free(o.context.state);
    return code;
}

/* ---- captures ---- */

/* NULL: the reply says what is wrong with it. */
static gr_capture_reader *open_capture(mt_str *text, aw_reply *r)
{
    gr_capture_reader *reader = NULL;
    gr_capture_fault fault = {0};
    if (gr_capture_open(&r->arena, gr_bytes_of(text), 0, &reader, &fault)) {
        aw_fail(r, AW_FAILS, "%.*s: %.*s", MT_ARG(fault.path), MT_ARG(fault.message));
        return NULL;
    }
    return reader;
}

/* Looks for the event that `event` names while a replay goes through all of them. */
typedef struct watching {
    asking *k;
    bool found;
} watching;

static void hear_replayed(void *user, size_t index, const ho_graph_step *step,
                          const gr_capture_decision *recorded)
{
    watching *w = user;
    (void)index;
    (void)recorded;
    if (w->k->o.event.ptr && mt_str_eq(step->event.id, w->k->o.event)) {
        w->found = true;
        ho_graph_trace_line(&w->k->r->text, step);
    }
}

/* A divergence (MT_E_REJECTED) is an answer: the
 * replay's text says it, and the code is AW_FAILS. */
static int replay(asking *k)
{
    gr_capture_reader *reader = open_capture(&k->input, k->r);
    watching w = {.k = k};
    ho_replay_options o = {.graph = k->graph->graph,
                           .adapter = k->graph->adapter,
                           .until = k->o.until,
                           .observe = hear_replayed,
                           .user = &w};
    ho_replay_result result;
    if (!reader) {
        return AW_FAILS;
    }
    mt_err err = ho_replay(&k->r->arena, reader, &o, &result);
    int code = err ? AW_FAILS : AW_HOLDS;
    if (err && err != MT_E_REJECTED) {
        aw_fail(k->r, code, "%.*s: %.*s", MT_ARG(result.fault.path),
                MT_ARG(result.fault.message));
    } else if (!err && k->o.event.ptr && !w.found) {
        code = aw_fail(k->r, AW_FAILS, "the capture has no event '%.*s'",
                       MT_ARG(k->o.event));
    } else {
        ho_tell_replay(&k->r->text, reader, &result, HO_SUM_ABSENT);
    }
    gr_capture_close(reader);
    return code;
}

static int look(asking *k)
{
    return api_graph_look(k->graph, k->input, k->o.output, k->r);
}

/* Painted with what the nodes say over an event, if there is one. */
static int draw(asking *k)
{
    static void (*const WRITERS[])(mt_buf *, const mt_picture *) = {
        mt_picture_json, mt_picture_dot, mt_picture_mermaid};
    gr_draw_options o = {.ports = k->o.ports};
    if (k->input.len) {
        o.said = api_graph_said(k->graph, k->input, k->r);
        if (!o.said) {
            return AW_USAGE;
        }
    }
    mt_picture p = gr_draw(&k->r->arena, k->graph->graph, &o);
    WRITERS[k->o.format](&k->r->text, &p);
    return AW_HOLDS;
}

/* ---- another graph ---- */

static void hear_change(void *user, const ho_graph_change *change)
{
    ho_tell_change(&((aw_reply *)user)->text, change);
}

/* A node of a graph that made other decisions would be a wrong reason. Both must be the
 * capture's: the graph and the adapter, or the lack of one. */
static bool made_it(const motet_graph *g, const gr_capture_reader *reader)
{
    const gr_capture_head *head = &gr_capture_start_of(reader)->head;
    return g && g->graph && gr_graph_is(g->graph, head->runtime_provenance) &&
           mt_str_eq(head->adapter_provenance,
                     g->adapter ? g->adapter->fingerprint : MT_STR("none"));
}

/* Fills in what the hosts need. Any change fails the answer, so that a script can ask
 * "does nothing change?"; a capture is what was asked for, whatever is in it. */
static int run_whatif(recording *rec, gr_capture_reader *reader, ho_whatif_options *o)
{
    aw_reply *r = rec->k->r;
    bool capture = rec->k->o.capture;
    ho_whatif_result result;
    o->user = capture ? (void *)rec : r;
    o->changed = capture ? NULL : hear_change;
    o->stepped = capture ? keep_step : NULL;
    mt_err err = ho_graph_whatif(&r->arena, reader, o, &result);
    if (err == MT_E_REJECTED && result.diags.errors) {
        mt_buf_clear(&r->text);
        diags_json(&r->text, &result.diags, false);
        r->refused = true;
        return AW_FAILS;
    }
    if (err) {
        return aw_fail(r, AW_FAILS, "%.*s: %.*s", MT_ARG(result.fault.path),
                       MT_ARG(result.fault.message));
    }
    if (capture) {
        return write_capture(rec, &result.head, &gr_capture_start_of(reader)->carried);
    }
    ho_tell_whatif(&r->text, &result);
    return result.changed + result.refused ? AW_FAILS : AW_HOLDS;
}

/* `older` NULL: changes are told without the nodes that caused them. */
static int whatif_than(const motet_graph *older, asking *k)
{
    gr_capture_reader *reader = open_capture(&k->input, k->r);
    recording rec = {.k = k};
    if (!reader) {
        return AW_FAILS;
    }
    bool known = made_it(older, reader);
    ho_whatif_options o = {.old_graph = known ? older->graph : NULL,
                           .old_adapter = known ? older->adapter : NULL,
                           .graph = k->graph->graph,
                           .adapter = k->graph->adapter,
                           .instead = k->o.instead};
    int code = older && !known
                   ? aw_fail(k->r, AW_FAILS,
                             "the graph and its adapter are not those of the capture")
                   : run_whatif(&rec, reader, &o);
    mt_buf_free(&rec.journal);
    gr_capture_close(reader);
    return code;
}

static int whatif(asking *k)
{
    for (uint32_t i = 0; k->o.instead && i < k->o.instead->count; i++) {
        const mt_json_member *m = &k->o.instead->as.members[i];
        if (!mt_json_is(&m->value, MT_JSON_OBJECT)) {
            return aw_fail(k->r, AW_USAGE, "`instead`: '%.*s' is not a JSON object",
                           MT_ARG(m->key));
        }
    }
    return whatif_than(NULL, k);
}

/* ---- commands ---- */

static const struct command {
    api_command about;
    int (*run)(asking *k);
} COMMANDS[] = {
    {API_COMMAND("check", CHECK), check},    {API_COMMAND("run", RUN), run},
    {API_COMMAND("replay", REPLAY), replay}, {API_COMMAND("look", LOOK), look},
    {API_COMMAND("whatif", WHATIF), whatif}, {API_COMMAND("draw", DRAW), draw},
};

/* A graph that was refused answers "check"; to
 * all else it answers with its diagnostics. */
motet_status motet_graph_ask(const motet_graph *graph, const char *command,
                             motet_str options, motet_str input, motet_answer **out)
{
    aw_reply r = {0};
    asking k = {.graph = graph, .input = api_in_str(input), .r = &r};
    const struct command *row =
        API_NAMED(COMMANDS, command, "graph", graph != NULL, &r);
    int code =
        row ? api_options_read(options, row->about.rows, row->about.count, &k.o, &r)
            : AW_USAGE;
    if (!code && !graph->graph && row->run != check) {
        diags_json(&r.text, &graph->ds, false);
        r.refused = true;
        code = AW_FAILS;
    }
    code = code ? code : row->run(&k);
    return api_answer(&r, code, out);
}

motet_status motet_graph_whatif(const motet_graph *older, const motet_graph *newer,
                                motet_str capture, motet_answer **out)
{
    aw_reply r = {0};
    asking k = {.graph = newer, .input = api_in_str(capture), .r = &r};
    int code = newer && newer->graph ? whatif_than(older, &k)
                                     : aw_fail(&r, AW_USAGE, "there is no graph");
    return api_answer(&r, code, out);
}
