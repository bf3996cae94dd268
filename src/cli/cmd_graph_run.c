/* cli/cmd_graph_run.c - motet graph run: events in, effects out, a capture on disk.
 * Room: cli. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/vec.h"
#include "cli/commands.h"
#include "cli/graph.h"
#include "cli/keys.h"
#include "runtime/duration.h"
#include "runtime/graph_run.h"
#include "runtime/graph_trace.h"

/* clang-format off */
const cli_option CMD_GRAPH_RUN_OPTIONS[] = {
    CLI_GRAPH_OPTIONS,
    {"egress",          "FILE",     "channels and routes for intents (YAML or JSON)"},
    {"fixture",         "FILE",     "take the events from this file (JSON lines; -: stdin)"},
    {"driver",          "PROGRAM",  "take the events from this program"},
    {"driver-arg",      "WORD",     "an argument for the driver (repeats)"},
    {"capture",         "FILE",     "write the capture there (GRAPH-capture.json)"},
    {"sign",            "FILE",     "sign the capture with this key (motet agent dna keygen)"},
    {"journal-only",    NULL,       "leave the journal, assemble no capture"},
    {"pretty",          NULL,       "write the capture indented"},
    {"trace",           NULL,       "also write what every node said to CAPTURE.trace.jsonl"},
    {"max-events",      "COUNT",    "stop after so many events"},
    {"max-duration",    "TIME",     "stop after so long (250ms, 5s, 2m, 1h)"},
    {"max-per-window",  "COUNT",    "supervisor: runs allowed in one rate window"},
    {"rate-window",     "TIME",     "supervisor: length of the rate window"},
    {"max-in-flight",   "COUNT",    "supervisor: runs at once (0 defers every event)"},
    {"deadline",        "TIME",     "supervisor: longest run of the graph"},
    {"max-retries",     "COUNT",    "supervisor: attempts after a retryable failure (0)"},
    {"skip-kind",       "KIND",     "supervisor: skip events of this semantic kind (repeats)"},
    {"skip-duplicates", NULL,       "supervisor: skip a repeated event id, do not refuse it"},
    {"json",            NULL,       "print every decision with its outcomes as a JSON line"},
    {NULL, NULL, NULL},
};
const char CMD_GRAPH_RUN_DETAILS[] =
    "Exactly one of --fixture and --driver says where events come from. The run appends "
    "to CAPTURE.journal and assembles the capture (v3, with a checksum in CAPTURE.sum) at "
    "its end, whatever way it ends. Exit status 0 when the events ended or you stopped the "
    "run (Ctrl-C, --max-events, --max-duration), 1 when something broke it.";
/* clang-format on */

static volatile sig_atomic_t stop_requested;

static void request_stop(int signal_number)
{
    (void)signal_number;
    stop_requested = 1;
}

typedef struct runner {
    const cli_args *args;
    cli_graph graph;
    rt_graph_options options;
    const char *capture; /* path */
    mt_str journal_path, trace_path;
    mt_str fixture;
    rt_ingress *ingress;
    mt_sign_key key; /* of --sign */
    FILE *trace;
    mt_buf line;
    bool out_failed;
} runner;

/* ---- options ---- */

static bool read_count(const cli_args *args, const char *name, gr_count_option *out)
{
    const char *text = cli_value(args, name);
    *out = (gr_count_option){.set = text != NULL};
    if (!text) {
        return true;
    }
    char *end;
    errno = 0;
    out->count = strtoull(text, &end, 10);
    if (errno || *end || end == text || text[0] == '-') {
        cli_fail(args, CLI_USAGE, "--%s needs a whole number, not '%s'", name, text);
        return false;
    }
    return true;
}

static bool read_span(const cli_args *args, const char *name, uint64_t *ms)
{
    const char *text = cli_value(args, name);
    *ms = 0;
    if (text && rt_duration_parse(mt_str_z(text), ms)) {
        cli_fail(args, CLI_USAGE,
                 "--%s needs a duration such as 250ms, 5s or 2m, not '%s'", name, text);
        return false;
    }
    return true;
}

static bool read_time(const cli_args *args, const char *name, gr_time_option *out)
{
    uint64_t ms;
    bool good = read_span(args, name, &ms);
    *out = (gr_time_option){cli_value(args, name) != NULL, gr_time_of_ms(ms)};
    return good;
}

static bool read_limits(const cli_args *args, gr_constraints *out)
{
    gr_count_option retries;
    if (!read_count(args, "max-per-window", &out->max_per_window) ||
        !read_count(args, "max-in-flight", &out->max_in_flight) ||
        !read_count(args, "max-retries", &retries) ||
        !read_time(args, "rate-window", &out->rate_window) ||
        !read_time(args, "deadline", &out->deadline)) {
        return false;
    }
    if (!gr_constraints_fit(out)) {
        cli_fail(args, CLI_USAGE,
                 "--max-per-window (at least 1) and --rate-window go together");
        return false;
    }
    out->max_retries =
        retries.count > UINT32_MAX ? UINT32_MAX : (uint32_t)retries.count;
    return true;
}

static void read_skips(runner *r)
{
    MT_VEC(mt_str) kinds = {0};
    const char *kind;
    for (int i = 0; (kind = cli_value_at(r->args, "skip-kind", i)); i++) {
        mt_vec_push(&r->graph.arena, &kinds, mt_str_z(kind));
    }
    r->options.skip_kinds = kinds.items;
    r->options.skip_kind_count = kinds.len;
    r->options.skip_duplicates = cli_flag(r->args, "skip-duplicates");
}

/* ---- ingress ---- */

static int open_fixture(runner *r, const char *path)
{
    int code = cli_read_record(r->args, &r->graph.arena, path, &r->fixture);
    if (code) {
        return code;
    }
    r->ingress = rt_ingress_fixture(r->fixture, r->options.adapter != NULL);
    return CLI_HOLDS;
}

static int open_driver(runner *r, const char *program)
{
    MT_VEC(const char *) argv = {0};
    const char *word;
    mt_vec_push(&r->graph.arena, &argv, program);
    for (int i = 0; (word = cli_value_at(r->args, "driver-arg", i)); i++) {
        mt_vec_push(&r->graph.arena, &argv, word);
    }
    mt_vec_push(&r->graph.arena, &argv, NULL);
    r->options.production = true;
    r->ingress = rt_ingress_process(argv.items);
    return CLI_HOLDS;
}

static int open_ingress(runner *r)
{
    const char *fixture = cli_value(r->args, "fixture");
    const char *driver = cli_value(r->args, "driver");
    if ((fixture != NULL) == (driver != NULL)) {
        return cli_fail(r->args, CLI_USAGE,
                        "give either --fixture FILE or --driver PROGRAM");
    }
    return fixture ? open_fixture(r, fixture) : open_driver(r, driver);
}

/* ---- output ---- */

static void print_decision(mt_buf *out, const rt_graph_step *s)
{
    const gr_decision *d = &s->decision.decision;
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "decision", mt_str_z(gr_verdict_name(d->verdict)));
    mt_jw_keyz(&w, "effects");
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < s->decision.effect_count; i++) {
        mt_jw_raw(&w, s->decision.effects[i].effect);
    }
    mt_jw_end_array(&w);
    mt_jw_key_str(&w, "event_id", s->event.id);
    if (s->fault.len) {
        mt_jw_key_str(&w, "fault", s->fault);
    }
    mt_jw_keyz(&w, "outcomes");
    mt_buf outcomes = {0};
    rt_graph_trace_outcomes(&outcomes, s);
    mt_jw_raw(&w, mt_buf_str(&outcomes));
    mt_buf_free(&outcomes);
    rt_graph_trace_termination(&w, d);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

static void observe(void *user, const rt_graph_step *step)
{
    runner *r = user;
    if (r->trace) {
        mt_buf_clear(&r->line);
        rt_graph_trace_line(&r->line, step);
        r->out_failed |= fwrite(r->line.ptr, 1, r->line.len, r->trace) != r->line.len;
    }
    if (cli_flag(r->args, "json")) {
        mt_buf_clear(&r->line);
        print_decision(&r->line, step);
        r->out_failed |= cli_print(mt_buf_str(&r->line)) != CLI_HOLDS;
    }
}

static void print_summary(runner *r, const rt_run_result *result,
                          const rt_graph_counts *n, const char *artifact)
{
    mt_buf out = {0};
    if (cli_flag(r->args, "json")) {
        mt_jw w = mt_jw_start(&out, false);
        mt_jw_begin_object(&w);
        mt_jw_key_str(&w, "capture", mt_str_z(artifact));
        mt_jw_key_i64(&w, "deferred", (int64_t)n->deferred);
        mt_jw_key_i64(&w, "episodes", (int64_t)rt_ingress_episodes(r->ingress));
        mt_jw_key_i64(&w, "events", (int64_t)n->events);
        mt_jw_key_i64(&w, "failed", (int64_t)n->failed);
        mt_jw_key_i64(&w, "invoked", (int64_t)n->invoked);
        if (result->reason) {
            mt_jw_key_str(&w, "message", result->message);
            mt_jw_key_str(&w, "reason", mt_str_z(result->reason));
        }
        mt_jw_key_i64(&w, "skipped", (int64_t)n->skipped);
        mt_jw_key_str(&w, "status",
                      result->reason ? MT_STR("interrupted") : MT_STR("completed"));
        mt_jw_end_object(&w);
        mt_buf_addc(&out, '\n');
    } else {
        mt_buf_addf(&out, "status=%s", result->reason ? "interrupted" : "completed");
        if (result->reason) {
            mt_buf_addf(&out, " reason=%s", result->reason);
        }
        mt_buf_addf(
            &out,
            " episodes=%llu events=%llu invoked=%llu deferred=%llu skipped=%llu "
            "failed=%llu\ncapture: %s\n",
            (unsigned long long)rt_ingress_episodes(r->ingress),
            (unsigned long long)n->events, (unsigned long long)n->invoked,
            (unsigned long long)n->deferred, (unsigned long long)n->skipped,
            (unsigned long long)n->failed, artifact);
    }
    r->out_failed |= cli_print(mt_buf_str(&out)) != CLI_HOLDS;
    mt_buf_free(&out);
}

/* ---- the run ---- */

static int finish(runner *r, const rt_run_result *result, const rt_graph_counts *counts)
{
    const char *artifact = r->capture;
    int code = result->reason && !result->asked ? CLI_FAILS : CLI_HOLDS;
    mt_buf why = {0};
    if (cli_flag(r->args, "journal-only")) {
        artifact = r->journal_path.ptr;
    } else if (rt_capture_export(r->journal_path.ptr, r->capture,
                                 cli_flag(r->args, "pretty"),
                                 cli_value(r->args, "sign") ? &r->key : NULL, &why)) {
        cli_fail(r->args, CLI_WORLD, "%.*s; the journal %s is kept", MT_ARG(why),
                 r->journal_path.ptr);
        artifact = r->journal_path.ptr;
        code = CLI_WORLD;
    } else {
        unlink(r->journal_path.ptr);
    }
    mt_buf_free(&why);
    if (result->reason && !result->asked) {
        cli_fail(r->args, code, "interrupted: %s: %.*s", result->reason,
                 MT_ARG(result->message));
    }
    print_summary(r, result, counts, artifact);
    return r->out_failed ? CLI_WORLD : code;
}

static int run_host(runner *r, rt_journal *journal)
{
    rt_run_options run = {.ingress = r->ingress,
                          .journal = journal,
                          .egress = r->graph.files.egress,
                          .stop = &stop_requested,
                          .observe = observe,
                          .user = r};
    gr_count_option events;
    if (!read_count(r->args, "max-events", &events) ||
        !read_span(r->args, "max-duration", &run.max_ms)) {
        rt_journal_close(journal);
        return CLI_USAGE;
    }
    run.max_events = events.count;
    r->options.journal = journal;
    mt_err err = rt_graph_host_new(&r->options, &r->graph.ds, &run.host);
    if (err) {
        rt_journal_close(journal);
        unlink(r->journal_path.ptr);
        rt_graph_host_free(run.host);
        return err == MT_E_REJECTED
                   ? cli_graph_report(r->args, &r->graph, CLI_FAILS)
                   : cli_fail(r->args, CLI_WORLD, "cannot write %s: %s",
                              r->journal_path.ptr, strerror(errno));
    }
    signal(SIGINT, request_stop);
    signal(SIGTERM, request_stop);
    rt_run_result result = rt_graph_run(&r->graph.arena, &run);
    rt_graph_counts counts = rt_graph_host_counts(run.host);
    rt_graph_host_free(run.host);
    if (rt_journal_close(journal) && !result.reason) {
        result = (rt_run_result){"capture.write_failed",
                                 MT_STR("the journal cannot be written"), false};
    }
    return finish(r, &result, &counts);
}

static int open_outputs(runner *r, rt_journal **journal)
{
    mt_arena *a = &r->graph.arena;
    r->capture = cli_value(r->args, "capture");
    if (!r->capture) {
        mt_str stem = mt_str_stem(mt_str_z(r->args->operands[0]));
        r->capture = mt_strf(a, "%.*s-capture.json", MT_ARG(stem)).ptr;
    }
    r->journal_path = mt_strf(a, "%s.journal", r->capture);
    if (rt_journal_open(r->journal_path.ptr, true, journal)) {
        return cli_fail(r->args, CLI_WORLD, "cannot write %s: %s", r->journal_path.ptr,
                        strerror(errno));
    }
    if (cli_flag(r->args, "trace")) {
        r->trace_path = mt_strf(a, "%s.trace.jsonl", r->capture);
        r->trace = fopen(r->trace_path.ptr, "we");
        if (!r->trace) {
            rt_journal_close(*journal);
            return cli_fail(r->args, CLI_WORLD, "cannot write %s: %s",
                            r->trace_path.ptr, strerror(errno));
        }
    }
    return CLI_HOLDS;
}

static int run(runner *r)
{
    rt_journal *journal;
    int code = cli_graph_load(r->args, r->args->operands[0], &r->graph);
    if (code) {
        return cli_graph_report(r->args, &r->graph, code);
    }
    r->options = (rt_graph_options){.graph = r->graph.files.graph,
                                    .adapter = r->graph.files.adapter,
                                    .context = rt_context_in_memory(),
                                    .egress = r->graph.files.egress};
    read_skips(r);
    code = read_limits(r->args, &r->options.limits) ? CLI_HOLDS : CLI_USAGE;
    if (!code && cli_value(r->args, "sign")) {
        code = cli_read_key(r->args, "sign", &r->key);
    }
    code = code ? code : open_ingress(r);
    code = code ? code : open_outputs(r, &journal);
    return code ? code : run_host(r, journal);
}

int cmd_graph_run(const cli_args *args)
{
    runner r = {.args = args};
    int code = run(&r);
    if (r.trace && (fclose(r.trace) != 0 || r.out_failed)) {
        code = cli_fail(args, CLI_WORLD, "cannot write %s", r.trace_path.ptr);
    }
    if (r.options.context.free) {
        r.options.context.free(r.options.context.state);
    }
    mt_sign_wipe(&r.key);
    rt_ingress_free(r.ingress);
    mt_buf_free(&r.line);
    cli_graph_free(&r.graph);
    return code;
}
