/* cli/cmd_graph_replay.c - motet graph replay and capture: run a capture again and
 * compare, export a journal.
 *
 * Order: what vouches for the capture (checksum, signature) is looked at before
 * anything is run; then every event is run again and decisions and effects are
 * compared byte for byte; with a trace beside the capture the first node that said
 * something else is named. Intents are derived again, never sent.
 *
 * Captures are read event by event, so their length does not matter. Exit status 1: it
 * diverges, or the checksum does not match. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <unistd.h>

#include "cli/commands.h"
#include "cli/graph.h"
#include "cli/graph_stored.h"
#include "cli/keys.h"
#include "host/graph_capture.h"
#include "host/graph_journal.h"
#include "host/graph_replay.h"
#include "host/graph_tell.h"
#include "host/graph_trace.h"

/* clang-format off */
const cli_option CMD_GRAPH_REPLAY_OPTIONS[] = {
    {"graph",        "FILE",  "the graph the capture was made with"},
    CLI_GRAPH_OPTIONS,
    {"key",          "HEX",   "demand a signature by this public key"},
    {"until",        "COUNT", "stop after so many events"},
    {"event",        "ID",    "print what every node said at this event"},
    {"json",         NULL,    "print the result as JSON"},
    {NULL, NULL, NULL},
};
const char CMD_GRAPH_REPLAY_DETAILS[] =
    "Reads a capture (v3) or a journal, checks CAPTURE.sum and CAPTURE.sig when they are there, runs every "
    "event again and compares decisions and effects byte for byte. The first difference is "
    "shown with its event, the node concerned and both values; with CAPTURE.trace.jsonl "
    "beside the capture, down to the first node that said something else. Intents are "
    "derived again, never sent.";
const cli_option CMD_GRAPH_CAPTURE_OPTIONS[] = {
    {"out",    "FILE", "where to write the capture (JOURNAL without .journal)"},
    {"key",    "VALUE", "the history of this value of the adapter's key"},
    {"store",  "URL",  "JOURNAL is the name of a served graph, and its captures are in this store"},
    {"number", "N",    "with --store: which of its captures (the last)"},
    {"pretty", NULL,   "write it indented"},
    {"sign",   "FILE", "sign it with this key (motet agent dna keygen)"},
    {NULL, NULL, NULL},
};
const char CMD_GRAPH_CAPTURE_DETAILS[] =
    "A run that was killed leaves its journal, and so does one whose adapter has a key. This "
    "assembles the capture (v3) and its checksum from what the journal holds: all of it, or "
    "with --key the history of one value, which replays like any other capture. With --store it "
    "takes a capture of a graph that 'motet serve' runs, or ran, from the server's store.";
/* clang-format on */

typedef struct replayer {
    const cli_args *args;
    cli_graph graph;
    mt_arena arena; /* of the capture's head and of the result */
    mt_buf out;     /* the report; with --event after the trace line */
    ho_capture_file capture;
    const char *wanted; /* --event */
    size_t until;       /* --until; 0: to the end */
    bool found;         /* the wanted event went by */
} replayer;

/* Called for each event as it is replayed; only the wanted one is written, so a long
 * capture needs no memory for it. */
static void observe(void *user, size_t index, const ho_graph_step *step,
                    const gr_capture_decision *recorded)
{
    replayer *r = user;
    (void)index;
    (void)recorded;
    if (r->wanted && mt_str_eq(step->event.id, mt_str_z(r->wanted))) {
        r->found = true;
        ho_graph_trace_line(&r->out, step);
    }
}

/* SIZE_MAX: the divergence is not about one event, as when the graph is another. */
static void show_divergence(mt_buf *out, const ho_divergence *d)
{
    mt_buf_addf(out, "%s: %.*s\n", d->code, MT_ARG(d->message));
    if (d->event != SIZE_MAX) {
        mt_buf_addf(out, "  event     %zu (%.*s)\n", d->event, MT_ARG(d->event_id));
    }
    if (d->node.len) {
        mt_buf_addf(out, "  node      %.*s\n", MT_ARG(d->node));
    }
    if (d->field.len) {
        mt_buf_addf(out, "  recorded  %.*s\n  replayed  %.*s\n", MT_ARG(d->recorded),
                    MT_ARG(d->replayed));
    }
}

/* One line when it verifies; the divergence otherwise. */
static void show_text(mt_buf *out, const gr_capture_reader *c,
                      const ho_replay_result *result, ho_sum_state sum)
{
    const ho_graph_counts *n = &result->counts;
    if (result->divergence.code) {
        show_divergence(out, &result->divergence);
        return;
    }
    mt_buf_addf(out,
                "replay graph_id=%.*s events=%llu invoked=%llu deferred=%llu "
                "skipped=%llu verified%s\n",
                MT_ARG(gr_capture_start_of(c)->head.graph_id),
                (unsigned long long)n->events, (unsigned long long)n->invoked,
                (unsigned long long)n->deferred, (unsigned long long)n->skipped,
                sum == HO_SUM_GOOD ? ", checksum good" : "");
    if (gr_capture_truncated(c)) {
        mt_buf_addz(out,
                    "the journal ends in the middle of a line: the run was cut off "
                    "there\n");
    }
}

/* Does everything beside the capture vouch for it? */
static int check_witnesses(replayer *r, const char *path, ho_sum_state *sum)
{
    mt_sign_public key;
    mt_sha256 digest;
    bool demanded;
    int code = cli_read_public(r->args, "key", &key, &demanded);
    if (code) {
        return code;
    }
    /* Without a checksum and a demand for a signature nothing is claimed about the
     * file; the replay itself still compares every decision. */
    if (!demanded && !ho_capture_vouched(path)) {
        return CLI_HOLDS; /* nothing to compare with: its bytes need not be read */
    }
    if (ho_capture_digest(&r->capture, &digest)) {
        return cli_fail(r->args, CLI_WORLD, "cannot read %s: %s", path,
                        strerror(errno));
    }
    *sum = ho_capture_sum(path, digest);
    if (*sum == HO_SUM_UNREAD) {
        return cli_fail(r->args, CLI_WORLD, "cannot read %s.sum", path);
    }
    if (*sum == HO_SUM_BAD) {
        return cli_fail(r->args, CLI_FAILS,
                        "%s was changed: it does not match its checksum %s.sum", path,
                        path);
    }
    /* A signature that is there is checked even when nobody demanded one; by which key,
     * only --key can say. */
    ho_sum_state signature = ho_capture_signature(path, digest, demanded ? &key : NULL);
    if (signature == HO_SUM_UNREAD) {
        return cli_fail(r->args, CLI_WORLD, "cannot read %s.sig", path);
    }
    if (signature == HO_SUM_BAD) {
        return cli_fail(r->args, CLI_FAILS,
                        "%s.sig is not a signature of %s by this key", path, path);
    }
    return demanded && signature == HO_SUM_ABSENT
               ? cli_fail(r->args, CLI_FAILS, "%s is not signed", path)
               : CLI_HOLDS;
}

/* Witnesses are checked before the capture is read, let alone replayed. */
static int load(replayer *r, ho_sum_state *sum)
{
    const char *path = r->args->operands[0];
    const char *graph = cli_value(r->args, "graph");
    mt_buf why = {0};
    if (!graph) {
        return cli_fail(r->args, CLI_USAGE, "--graph FILE is needed");
    }
    int code =
        ho_capture_file_open(path, &r->capture)
            ? cli_fail(r->args, CLI_WORLD, "cannot read %s: %s", path, strerror(errno))
            : check_witnesses(r, path, sum);
    /* A capture is bounded by item, not as a whole: json_bytes limits one event or
     * decision. */
    mt_err err =
        code ? MT_OK
             : ho_capture_file_read(&r->arena, path, cli_limits(r->args).json_bytes,
                                    &r->capture, &why);
    if (err) {
        code = cli_fail(r->args, err == MT_E_IO ? CLI_WORLD : CLI_FAILS, "%.*s",
                        MT_ARG(why));
    }
    mt_buf_free(&why);
    if (code) {
        return code;
    }
    code = cli_graph_load(r->args, graph, &r->graph);
    return code ? cli_graph_report(r->args, &r->graph, code) : CLI_HOLDS;
}

/* The node trace beside the capture, if there is one. */
static int open_trace(replayer *r, FILE **trace)
{
    mt_str path = mt_strf(&r->arena, "%s.trace.jsonl", r->args->operands[0]);
    *trace = fopen(path.ptr, "re");
    return *trace || errno == ENOENT
               ? CLI_HOLDS
               : cli_fail(r->args, CLI_WORLD, "cannot read %s", path.ptr);
}

/* A divergence has a report of its own; that something cannot be read is said here. */
static int compare(replayer *r, FILE *trace, ho_replay_result *result)
{
    ho_replay_options o = {.graph = r->graph.files.graph,
                           .adapter = r->graph.files.adapter,
                           .trace = trace,
                           .until = r->until,
                           .observe = observe,
                           .user = r};
    mt_err err = ho_replay(&r->arena, r->capture.reader, &o, result);
    return !err ? CLI_HOLDS
           : err == MT_E_REJECTED
               ? CLI_FAILS
               : cli_fail(r->args, err == MT_E_IO ? CLI_WORLD : CLI_USAGE,
                          "%s, %.*s: %.*s", r->args->operands[0],
                          MT_ARG(result->fault.path), MT_ARG(result->fault.message));
}

/* The trace is opened last and may be absent: it only helps to name the node. */
static int replay(replayer *r)
{
    ho_sum_state sum = HO_SUM_ABSENT;
    ho_replay_result result;
    FILE *trace = NULL;
    if (!cli_number(r->args, "until", UINT32_MAX, &r->until)) {
        return CLI_USAGE;
    }
    int code = load(r, &sum);
    code = code ? code : open_trace(r, &trace);
    if (code) {
        return code;
    }
    code = compare(r, trace, &result);
    if (trace) {
        fclose(trace);
    }
    /* CLI_USAGE stands for a fault of the file in compare(); users see the code of a
     * file with errors. */
    if (code == CLI_USAGE || code == CLI_WORLD) { /* it cannot be read; that was said */
        return code == CLI_USAGE ? CLI_FAILS : code;
    }
    if (r->wanted && !r->found && !code) {
        return cli_fail(r->args, CLI_FAILS, "the capture has no event '%s'", r->wanted);
    }
    (cli_flag(r->args, "json") ? ho_tell_replay : show_text)(&r->out, r->capture.reader,
                                                             &result, sum);
    int printed = cli_print(mt_buf_str(&r->out));
    return printed ? printed : code;
}

int cmd_graph_replay(const cli_args *args)
{
    replayer r = {.args = args, .wanted = cli_value(args, "event")};
    int code = replay(&r);
    cli_graph_free(&r.graph);
    ho_capture_close(&r.capture);
    mt_buf_free(&r.out);
    mt_arena_free(&r.arena);
    return code;
}

/* Makes a capture of a journal that a killed run left behind. A journal in use is
 * refused: its last line may be half a line. */
/* One history of the journal, or all of it; a journal of the store has only one. */
static int export_journal(const cli_args *args, const char *journal, const char *out,
                          const char *history)
{
    mt_buf why = {0};
    bool sign = cli_value(args, "sign") != NULL;
    mt_sign_key key = {0};
    int code = sign ? cli_read_key(args, "sign", &key) : CLI_HOLDS;
    if (!code) {
        mt_err err = ho_capture_export(journal, out, cli_flag(args, "pretty"), history,
                                       sign ? &key : NULL, &why);
        bool broken = err == MT_E_CORRUPT || err == MT_E_SYNTAX || err == MT_E_REJECTED;
        code = err ? cli_fail(args, broken ? CLI_FAILS : CLI_WORLD, "%.*s", MT_ARG(why))
                   : CLI_HOLDS;
    }
    mt_sign_wipe(&key);
    mt_buf_free(&why);
    return code;
}

static int export_stored(const cli_args *args, mt_arena *a, const char *out)
{
    const char *journal = mt_strf(a, "%s.stored", out).ptr;
    int code = cli_graph_stored(args, args->operands[0], journal);
    code = code ? code : export_journal(args, journal, out, NULL);
    unlink(journal);
    return code;
}

int cmd_graph_capture(const cli_args *args)
{
    mt_arena a = {0};
    mt_str journal = mt_str_z(args->operands[0]);
    bool stored = cli_value(args, "store") != NULL;
    const char *out = cli_value(args, "out");
    int code = CLI_HOLDS;
    if (!out && !stored && mt_str_ends(journal, MT_STR(".journal"))) {
        out = mt_str_dup(&a, mt_str_from(journal.ptr, journal.len - 8)).ptr;
    }
    if (!out || (cli_value(args, "number") && !stored)) {
        code = cli_fail(args, CLI_USAGE,
                        out ? "--number needs --store URL" : "give --out FILE");
    } else if (stored) {
        code = export_stored(args, &a, out);
    } else if (ho_journal_busy(journal.ptr)) {
        code = cli_fail(args, CLI_WORLD, "a run is writing %s", journal.ptr);
    } else {
        code = export_journal(args, journal.ptr, out, cli_value(args, "key"));
    }
    if (!code) {
        code = cli_print(mt_strf(&a, "capture: %s\n", out));
    }
    mt_arena_free(&a);
    return code;
}
