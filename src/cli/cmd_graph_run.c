/* cli/cmd_graph_run.c - motet graph run: events in, effects out, a capture on disk.
 *
 * Order: options, the files that are there already (is a journal in the way, is the
 * capture a plain file), the graph with its adapter and egress, the journal, then the
 * source of events, then the run. The journal is appended step by step and synced; the
 * capture is assembled from it at the end, whatever way the run ends, and only then
 * the journal goes.
 *
 * INVARIANT: what an earlier run left is not touched before this run has committed its
 * first event. A journal of a killed run is only replaced by --overwrite and only
 * continued by --resume; a capture that is there becomes CAPTURE.previous.
 *
 * With --resume the journal is replayed and compared, the trace is written beside the
 * old one until the replay has held. Signals set a flag that the host looks at between
 * events. Exit status 1 when something broke the run or a journal is in the way, 3 for
 * files. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/vec.h"
#include "cli/commands.h"
#include "cli/graph.h"
#include "cli/keys.h"
#include "host/graph_capture.h"
#include "host/graph_resume.h"
#include "host/graph_source.h"
#include "host/graph_tell.h"
#include "host/graph_trace.h"
#include "os/file.h"

/* clang-format off */
const cli_option CMD_GRAPH_RUN_OPTIONS[] = {
    CLI_GRAPH_OPTIONS,
    {"egress",          "FILE",     "channels and routes for intents (YAML or JSON)"},
    {"fixture",         "FILE",     "take the events from this file (JSON lines; -: stdin)"},
    {"driver",          "PROGRAM",  "take the events from this program"},
    {"driver-arg",      "WORD",     "an argument for the driver (repeats)"},
    {"ingress",         "FILE",     "take the events from this source (YAML; {…}: the text itself)"},
    {"capture",         "FILE",     "write the capture there (GRAPH-capture.json)"},
    {"sign",            "FILE",     "sign the capture with this key (motet agent dna keygen)"},
    {"resume",          NULL,       "go on with the journal that a killed run left"},
    {"overwrite",       NULL,       "discard such a journal, keep no capture that is replaced"},
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
    {"pump",            NULL,       "supervisor: what was deferred runs as soon as its time has come"},
    {"skip-kind",       "KIND",     "supervisor: skip events of this semantic kind (repeats)"},
    {"skip-duplicates", NULL,       "supervisor: skip a repeated event id, do not refuse it"},
    {"json",            NULL,       "print every decision with its outcomes as a JSON line"},
    {NULL, NULL, NULL},
};
const char CMD_GRAPH_RUN_DETAILS[] =
    "Exactly one of --fixture, --driver and --ingress says where events come from: a file of "
    "recorded events, a program, or a source (a file or stdin of JSON lines or CSV, a NATS "
    "subject, a timer). The run appends "
    "to CAPTURE.journal and assembles the capture (v3, with a checksum in CAPTURE.sum) at "
    "its end, whatever way it ends. A capture that is there stays as it is until this run "
    "has committed its first event; then it becomes CAPTURE.previous. A journal that a "
    "killed run left is never touched unless you say --resume or --overwrite. With "
    "--resume the journal is replayed and compared, a fixture must have the events it "
    "has, events that a driver sends again are passed over, and intents without a "
    "recorded acknowledgement are sent again with the same ids. One run at a time writes "
    "a capture. Exit status 0 when the events ended or you stopped the run (Ctrl-C, "
    "--max-events, --max-duration), 1 when something broke it or a journal is in the way.";
/* clang-format on */

static volatile sig_atomic_t stop_requested;

/* Nothing but a flag: the run looks at it between events. */
static void request_stop(int signal_number)
{
    (void)signal_number;
    stop_requested = 1;
}

typedef struct runner {
    const cli_args *args;
    cli_graph graph;
    ho_graph_options options; /* handed to the host; owns its context */
    const char *capture;      /* path */
    /* All beside the capture; new_trace becomes trace_path at the end. */
    mt_str journal_path, trace_path, new_trace;
    ho_ingress *ingress; /* NULL until the journal is ours */
    ho_journal *journal; /* its lock is what makes a run the only one */
    mt_sign_key key;     /* of --sign */
    FILE *trace;         /* NULL without --trace */
    mt_buf line;         /* scratch for one trace line */
    bool fixture;        /* events come from one */
    bool begun;          /* something is committed */
    bool resuming;       /* steps are those of the journal */
    bool out_failed;     /* standard output, or the capture's old file */
    bool trace_failed;   /* the trace; told at the end */
} runner;

/* ---- options ---- */

/* strtoull() takes a minus sign; this does not. */
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

/* A missing option is 0, which leaves the default of the host. */
static bool read_span(const cli_args *args, const char *name, uint64_t *ms)
{
    const char *text = cli_value(args, name);
    *ms = 0;
    if (text && mt_duration_parse(mt_str_z(text), ms)) {
        cli_fail(args, CLI_USAGE,
                 "--%s needs a duration such as 250ms, 5s or 2m, not '%s'", name, text);
        return false;
    }
    return true;
}

/* `set` tells an option that was not given from one of zero, which means no time at
 * all. */
static bool read_time(const cli_args *args, const char *name, gr_time_option *out)
{
    uint64_t ms;
    bool good = read_span(args, name, &ms);
    *out = (gr_time_option){cli_value(args, name) != NULL, gr_time_of_ms(ms)};
    return good;
}

/* Constraints that cannot hold together are refused here, in words of options. */
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
    if (cli_flag(args, "pump") && out->max_in_flight.set && !out->max_in_flight.count) {
        cli_fail(args, CLI_USAGE,
                 "--pump cannot let go what --max-in-flight 0 holds back for good");
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
    r->fixture = true;
    r->ingress = ho_ingress_file(path, r->options.adapter != NULL);
    return r->ingress ? CLI_HOLDS
                      : cli_fail(r->args, CLI_WORLD, "cannot read %s: %s", path,
                                 strerror(errno));
}

/* A driver is a live source: events then carry real effects, hence production. */
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
    r->ingress = ho_ingress_process(argv.items);
    return CLI_HOLDS;
}

/* A source is live, too. A plain file is read through before anything runs. */
static int open_source(runner *r, const char *config)
{
    ho_source *source;
    mt_buf why = {0};
    r->options.production = true;
    mt_err err = ho_source_load(config, r->options.adapter, &source, &why);
    int code = err ? cli_fail(r->args, err == MT_E_REJECTED ? CLI_FAILS : CLI_WORLD,
                              "--ingress: %.*s", MT_ARG(why))
                   : CLI_HOLDS;
    mt_buf_free(&why);
    if (!code) {
        ho_source_name(source, r->options.graph->id, false);
        err = ho_source_open(source);
        err = err ? err : ho_source_check(source);
        r->ingress = ho_ingress_source(source);
    }
    if (!code && err) {
        ho_ingress_fault fault = ho_source_problem(source);
        code = cli_fail(r->args, err == MT_E_REJECTED ? CLI_FAILS : CLI_WORLD,
                        "%s: %.*s", fault.code, MT_ARG(fault.message));
    }
    return code;
}

/* Exactly one source of events: mixing a file and a program would make their order a
 * matter of luck. */
static int open_ingress(runner *r)
{
    const char *fixture = cli_value(r->args, "fixture");
    const char *driver = cli_value(r->args, "driver");
    const char *source = cli_value(r->args, "ingress");
    if ((fixture != NULL) + (driver != NULL) + (source != NULL) != 1) {
        return cli_fail(r->args, CLI_USAGE,
                        "give one of --fixture FILE, --driver PROGRAM and --ingress "
                        "FILE");
    }
    return fixture  ? open_fixture(r, fixture)
           : source ? open_source(r, source)
                    : open_driver(r, driver);
}

/* ---- output ---- */

/* Standard output belongs to a channel that writes there. */
static int print_beside(const runner *r, mt_str text)
{
    const ho_egress *e = r->graph.files.egress;
    if (e && ho_egress_prints(e)) {
        return os_write_all(STDERR_FILENO, text) ? CLI_WORLD : CLI_HOLDS;
    }
    return cli_print(text);
}

/* An empty file is left by a run that never began and holds nothing worth keeping. */
static bool holds_something(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && st.st_size > 0;
}

/* The first commit of this run: from here on the files are its own. */
static void begin_outputs(runner *r)
{
    bool keep = !cli_flag(r->args, "overwrite");
    bool there = holds_something(r->capture);
    r->begun = true;
    if (ho_capture_retire(r->capture, keep)) {
        cli_fail(r->args, CLI_WORLD, "cannot take %s away: %s", r->capture,
                 strerror(errno));
        r->out_failed = true;
        stop_requested = 1;
    } else if (there && keep) {
        cli_fail(r->args, CLI_HOLDS,
                 "the capture that was there is kept as %s.previous", r->capture);
    }
}

/* A journal that is replayed may still be refused: its trace is made beside the one
 * that is there, and takes its place with settle_trace(). */
static void open_trace(runner *r)
{
    if (cli_flag(r->args, "trace") && !r->trace) {
        r->trace = fopen(r->resuming ? r->new_trace.ptr : r->trace_path.ptr, "we");
        r->trace_failed |= !r->trace;
    }
}

/* After a crash: is the capture that is there the one of this run? Then only clearing
 * up was left. The trace takes its name last, when it is complete. */
static void settle_trace(runner *r)
{
    bool there = holds_something(r->capture);
    bool own = there && ho_capture_is_of(r->capture, r->journal_path.ptr);
    if (own || !there) {
        unlink(r->trace_path.ptr); /* of the run that was killed, not of a capture */
    }
    if (own) {
        r->begun = true; /* killed when only its journal was left to remove */
    } else {
        begin_outputs(r);
    }
    if (r->trace) {
        r->trace_failed |= rename(r->new_trace.ptr, r->trace_path.ptr) != 0;
    }
}

/* Outputs are opened at the first event: a run that is refused at its start leaves no
 * empty files. While resuming nothing is printed twice. */
static void observe(void *user, const ho_graph_step *step)
{
    runner *r = user;
    if (!r->begun && !r->resuming) {
        begin_outputs(r);
    }
    open_trace(r);
    if (r->trace) {
        mt_buf_clear(&r->line);
        ho_graph_trace_line(&r->line, step);
        r->trace_failed |= fwrite(r->line.ptr, 1, r->line.len, r->trace) != r->line.len;
    }
    if (cli_flag(r->args, "json") && !r->resuming) {
        mt_buf_clear(&r->line);
        ho_graph_trace_decision(&r->line, step);
        mt_buf_addc(&r->line, '\n');
        r->out_failed |= print_beside(r, mt_buf_str(&r->line)) != CLI_HOLDS;
    }
}

/* The summary is about this run; a capture of an earlier one that is still there is
 * named as such. */
static void print_summary(runner *r, const ho_run_result *result,
                          const ho_graph_counts *n, const char *artifact)
{
    mt_buf out = {0};
    uint64_t dead = r->graph.files.egress ? ho_egress_dead(r->graph.files.egress) : 0;
    if (cli_flag(r->args, "json")) {
        ho_tell_run(&out, result, n, ho_ingress_episodes(r->ingress), artifact, dead);
    } else {
        mt_buf_addf(&out, "status=%s", result->reason ? "interrupted" : "completed");
        if (result->reason) {
            mt_buf_addf(&out, " reason=%s", result->reason);
        }
        mt_buf_addf(
            &out,
            " episodes=%llu events=%llu invoked=%llu deferred=%llu skipped=%llu "
            "failed=%llu",
            (unsigned long long)ho_ingress_episodes(r->ingress),
            (unsigned long long)n->events, (unsigned long long)n->invoked,
            (unsigned long long)n->deferred, (unsigned long long)n->skipped,
            (unsigned long long)n->failed);
        if (dead) {
            mt_buf_addf(&out, " dead_letters=%llu", (unsigned long long)dead);
        }
        mt_buf_addf(&out, "\ncapture: %s%s\n", artifact ? artifact : "none written; ",
                    artifact ? "" : "the one that was there is as it was");
    }
    r->out_failed |= print_beside(r, mt_buf_str(&out)) != CLI_HOLDS;
    mt_buf_free(&out);
}

/* ---- the run ---- */

/* The journal goes only when the capture of it is there and can be read. */
static int make_capture(runner *r, const char **artifact)
{
    mt_buf why = {0};
    int code = CLI_HOLDS;
    *artifact = r->capture;
    if (ho_capture_export(r->journal_path.ptr, r->capture, cli_flag(r->args, "pretty"),
                          NULL, cli_value(r->args, "sign") ? &r->key : NULL, &why) ||
        ho_capture_check(r->capture, &why)) {
        code = cli_fail(r->args, CLI_WORLD, "%.*s; the journal %s is kept", MT_ARG(why),
                        r->journal_path.ptr);
        *artifact = r->journal_path.ptr;
    } else if (!ho_journal_remove(r->journal)) {
        code = cli_fail(r->args, CLI_WORLD, "cannot remove %s: %s", r->journal_path.ptr,
                        strerror(errno));
    }
    mt_buf_free(&why);
    return code;
}

/* A capture has one history: with a key the journal is what there is. */
static bool keeps_journal(const runner *r)
{
    return cli_flag(r->args, "journal-only") || r->options.key.len;
}

/* A run that committed nothing leaves what is there; where nothing is, it says so. */
static int make_nothing(runner *r, ho_graph_host *host, const char **artifact)
{
    bool journal_only = keeps_journal(r);
    *artifact = journal_only ? r->journal_path.ptr : NULL;
    if (ho_journal_held(r->journal) || (!journal_only && holds_something(r->capture))) {
        *artifact = NULL;
        return CLI_HOLDS;
    }
    if (ho_graph_host_begin(host)) {
        return cli_fail(r->args, CLI_WORLD, "cannot write %s: %s", r->journal_path.ptr,
                        strerror(errno));
    }
    return journal_only ? CLI_HOLDS : make_capture(r, artifact);
}

/* A run without events leaves an empty capture, unless one is there already. */
static int finish(runner *r, ho_graph_host *host, const ho_run_result *result)
{
    const char *artifact = r->journal_path.ptr;
    int code = result->reason && !result->asked ? CLI_FAILS : CLI_HOLDS;
    int made = CLI_HOLDS;
    if (!r->begun) {
        made = make_nothing(r, host, &artifact);
    } else if (!keeps_journal(r)) {
        made = make_capture(r, &artifact);
    }
    code = made ? made : code;
    if (result->reason && !result->asked) {
        cli_fail(r->args, code, "interrupted: %s: %.*s", result->reason,
                 MT_ARG(result->message));
    }
    ho_graph_counts counts = ho_graph_host_counts(host);
    print_summary(r, result, &counts, artifact);
    return r->out_failed ? CLI_WORLD : code;
}

/* Comes to where the killed run was. */
static int catch_up(runner *r, const ho_run_options *run, ho_resumed *resumed)
{
    r->resuming = true;
    mt_err err = ho_graph_resume(&r->graph.arena, &r->options, r->journal_path.ptr, run,
                                 r->fixture, resumed);
    r->resuming = false;
    if (err) {
        unlink(r->new_trace.ptr);
    } else {
        settle_trace(r);
    }
    return err ? cli_fail(r->args, CLI_FAILS, "cannot resume from %s: %.*s",
                          r->journal_path.ptr, MT_ARG(resumed->why))
               : CLI_HOLDS;
}

/* All lines are read before the first event runs: a bad one in the middle would come
 * when orders are out already. What is not a file (a pipe) is read once, as it comes.
 * False: `result` says what is wrong. */
static bool fixture_reads(runner *r, ho_run_result *result)
{
    const char *path = cli_value(r->args, "fixture");
    struct stat st;
    if (!path || stat(path, &st) != 0 || !S_ISREG(st.st_mode)) {
        return true;
    }
    ho_ingress *in = ho_ingress_file(path, r->options.adapter != NULL);
    ho_graph_event event;
    ho_ingress_result last = in ? HO_INGRESS_EVENT : HO_INGRESS_END;
    while (last == HO_INGRESS_EVENT) {
        last = ho_ingress_next(in, 0, &event);
    }
    if (last == HO_INGRESS_BROKEN) {
        ho_ingress_fault fault = ho_ingress_problem(in);
        *result = (ho_run_result){fault.code,
                                  mt_str_dup(&r->graph.arena, fault.message), false};
    }
    ho_ingress_free(in);
    return last != HO_INGRESS_BROKEN;
}

/* Signals only ask: the event under way is finished and written, then the run ends as
 * interrupted. A journal that cannot be synced turns a good result into a failure,
 * since it could not be replayed. */
static int run_events(runner *r, ho_run_options *run)
{
    signal(SIGINT, request_stop);
    signal(SIGTERM, request_stop);
    ho_run_result result;
    if (fixture_reads(r, &result)) {
        result = ho_graph_run(&r->graph.arena, run);
    }
    if (ho_journal_sync(r->journal) && !result.reason) {
        result = (ho_run_result){"capture.write_failed",
                                 MT_STR("the journal cannot be written"), false};
    }
    return finish(r, run->host, &result);
}

/* What the journal already has is replayed first; the run goes on behind it. */
static int run_host(runner *r, bool resume)
{
    ho_run_options run = {.ingress = r->ingress,
                          .journal = r->journal,
                          .egress = r->graph.files.egress,
                          .stop = &stop_requested,
                          .pump = cli_flag(r->args, "pump"),
                          .observe = observe,
                          .user = r};
    ho_resumed resumed = {0};
    gr_count_option events;
    if (!read_count(r->args, "max-events", &events) ||
        !read_span(r->args, "max-duration", &run.max_ms)) {
        return CLI_USAGE;
    }
    run.max_events = events.count;
    r->options.journal = r->journal;
    int code = CLI_HOLDS;
    if (ho_graph_host_new(&r->options, &r->graph.ds, &run.host)) {
        code = cli_graph_report(r->args, &r->graph, CLI_FAILS);
    }
    if (!code && resume) {
        code = catch_up(r, &run, &resumed);
        run.last = &resumed.last;
        run.repeats = !r->fixture; /* a fixture was read along */
    }
    code = code ? code : run_events(r, &run);
    ho_graph_host_free(run.host);
    ho_resumed_free(&resumed);
    return code;
}

/* ---- what is there already ---- */

/* The file itself, not a link to it: one capture has one journal. */
static const char *real_path(mt_arena *a, const char *path)
{
    struct stat st;
    char *real =
        lstat(path, &st) == 0 && S_ISLNK(st.st_mode) ? realpath(path, NULL) : NULL;
    const char *out = real ? mt_str_dup(a, mt_str_z(real)).ptr : path;
    free(real);
    return out;
}

/* All names follow from the capture's real path, so two runs that reach one file by
 * different links meet at one lock. */
static void name_outputs(runner *r)
{
    mt_arena *a = &r->graph.arena;
    r->capture = cli_value(r->args, "capture");
    if (!r->capture) {
        mt_str stem = mt_str_stem(mt_str_z(r->args->operands[0]));
        r->capture = mt_strf(a, "%.*s-capture.json", MT_ARG(stem)).ptr;
    }
    r->capture = real_path(a, r->capture);
    r->journal_path = mt_strf(a, "%s.journal", r->capture);
    r->trace_path = mt_strf(a, "%s.trace.jsonl", r->capture);
    r->new_trace = mt_strf(a, "%s.new", r->trace_path.ptr);
}

/* A directory or device of that name would be moved away for the capture. */
static int check_capture(runner *r)
{
    struct stat st;
    return stat(r->capture, &st) != 0 || S_ISREG(st.st_mode)
               ? CLI_HOLDS
               : cli_fail(r->args, CLI_WORLD, "cannot write %s: it is not a file",
                          r->capture);
}

/* The lock is the journal's; it is released by the end of the process, however that
 * comes. */
static int open_journal(runner *r)
{
    mt_err err = ho_journal_open(r->journal_path.ptr, &r->journal);
    if (err == MT_E_BUSY) {
        return cli_fail(r->args, CLI_WORLD,
                        "another run is writing %s (it has %s locked)", r->capture,
                        r->journal_path.ptr);
    }
    return err ? cli_fail(r->args, CLI_WORLD, "cannot write %s: %s",
                          r->journal_path.ptr, strerror(errno))
               : CLI_HOLDS;
}

/* Is there a journal to go on with, or one that is in the way? */
static int judge_journal(runner *r, bool *resume)
{
    bool asked = cli_flag(r->args, "resume"), anew = cli_flag(r->args, "overwrite");
    bool holds = ho_journal_held(r->journal) && ho_journal_holds(r->journal_path.ptr);
    *resume = asked && holds;
    if (asked && anew) {
        return cli_fail(r->args, CLI_USAGE, "give either --resume or --overwrite");
    }
    if (holds && !asked && !anew) {
        return cli_fail(r->args, CLI_FAILS,
                        "%s holds what a run had committed when it was cut off; go on "
                        "with it by --resume, discard it by --overwrite, or make a "
                        "capture of it with 'motet graph export' and move it away",
                        r->journal_path.ptr);
    }
    if (asked && !holds && holds_something(r->capture)) {
        return cli_fail(r->args, CLI_FAILS,
                        "there is nothing to resume: %s is there and has no journal",
                        r->capture);
    }
    return CLI_HOLDS;
}

static mt_str key_of(const gr_adapter *adapter)
{
    return adapter ? adapter->key : (mt_str){0};
}

/* ORDER: what only reads first. From open_journal() on the outputs are ours alone, so
 * the question whether an older run is to be resumed is asked under the lock. */
static int run(runner *r)
{
    bool resume = false;
    int code = cli_graph_load(r->args, r->args->operands[0], &r->graph);
    if (code) {
        return cli_graph_report(r->args, &r->graph, code);
    }
    r->options = (ho_graph_options){.graph = r->graph.files.graph,
                                    .adapter = r->graph.files.adapter,
                                    .context = ho_context_in_memory(),
                                    .key = key_of(r->graph.files.adapter),
                                    .primitives = r->graph.files.own_used,
                                    .egress = r->graph.files.egress};
    read_skips(r);
    code = read_limits(r->args, &r->options.limits) ? CLI_HOLDS : CLI_USAGE;
    if (!code && cli_value(r->args, "sign")) {
        code = cli_read_key(r->args, "sign", &r->key);
    }
    name_outputs(r);
    code = code ? code : check_capture(r);
    code = code ? code : open_journal(r);
    code = code ? code : judge_journal(r, &resume);
    code = code ? code : open_ingress(r);
    return code ? code : run_host(r, resume);
}

/* Closing the journal may be the moment a full disk is noticed, so its answer counts.
 * The key is wiped on every way. */
int cmd_graph_run(const cli_args *args)
{
    runner r = {.args = args};
    int code = run(&r);
    if (ho_journal_close(r.journal) && !code) {
        code = cli_fail(args, CLI_WORLD, "cannot write %s", r.journal_path.ptr);
    }
    bool closed = !r.trace || fclose(r.trace) == 0;
    if (r.begun && cli_flag(args, "trace") && (!r.trace || !closed || r.trace_failed)) {
        code = cli_fail(args, CLI_WORLD, "cannot write %s", r.trace_path.ptr);
    }
    if (r.options.context.free) {
        r.options.context.free(r.options.context.state);
    }
    mt_sign_wipe(&r.key);
    ho_ingress_free(r.ingress);
    mt_buf_free(&r.line);
    cli_graph_free(&r.graph);
    return code;
}
