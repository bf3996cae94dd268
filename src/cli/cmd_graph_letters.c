/* cli/cmd_graph_letters.c - motet graph letters: intents that could not be delivered.
 * Room: cli. They are in the file that `dead_letters` of an egress configuration names.
 *
 * A letter is an intent that a channel did not take after all its attempts. `list` only
 * reads. `send` tries each again and notes in the same file which were taken, so that
 * it can be stopped and called again. INVARIANT: an intent keeps its id, by which a
 * channel knows one that it has already taken; and the file is locked while letters are
 * sent.
 *
 * What may fail: a file that is damaged or is not one of dead letters (exit status 1),
 * one that cannot be read, locked or written (3), a channel that refuses again (1, and
 * the next letter is tried). */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/json_write.h"
#include "cli/commands.h"
#include "host/graph_egress.h"
#include "host/graph_letters.h"
#include "os/file.h"

static int cmd_graph_letters_list(const cli_args *args);
static int cmd_graph_letters_send(const cli_args *args);

/* clang-format off */
const cli_option CMD_GRAPH_LETTERS_LIST_OPTIONS[] = {
    {"json", NULL, "print each letter as a JSON line"},
    {NULL, NULL, NULL},
};
const cli_option CMD_GRAPH_LETTERS_SEND_OPTIONS[] = {
    {"egress", "FILE", "channels and routes to send them by (YAML or JSON)"},
    {"only",   "ID",   "send only this intent (repeats)"},
    {NULL, NULL, NULL},
};
const cli_command CMD_GRAPH_LETTERS_COMMANDS[] = {
    {"list", "FILE", "Show the intents that wait in a file of dead letters",
     cmd_graph_letters_list, CMD_GRAPH_LETTERS_LIST_OPTIONS, NULL, 1, 1,
     "One line for each: the intent's id and kind, the channel, how often it was tried and what "
     "happened last. What was sent again since is not shown."},
    {"send", "FILE", "Send such intents again", cmd_graph_letters_send,
     CMD_GRAPH_LETTERS_SEND_OPTIONS, NULL, 1, 1,
     "Each intent goes to the channel that --egress routes its kind to, with the id it always "
     "had, and is tried as often as that channel says. One that is taken is noted as sent in the "
     "file; one that is not stays. Exit status 0 when all were taken, 1 otherwise."},
    {NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL},
};
/* clang-format on */

/* Those that wait, in the order in which they first failed. errno is cleared first:
 * where it stays 0 the file was too large, which the system knows nothing of. */
static int read_letters(const cli_args *args, mt_arena *a, ho_dead_letter **letters,
                        size_t *count)
{
    mt_buf why = {0};
    int code = CLI_HOLDS;
    mt_limits limits = cli_limits(args);
    errno = 0;
    mt_err err =
        ho_letters_read(a, args->operands[0], limits.json_bytes, letters, count, &why);
    if (err == MT_E_CORRUPT) {
        code = cli_fail(args, CLI_FAILS, "%s: %.*s", args->operands[0], MT_ARG(why));
    } else if (err) {
        code = cli_fail(args, CLI_WORLD, "cannot read %s: %s", args->operands[0],
                        errno ? strerror(errno) : "it is too large");
    }
    mt_buf_free(&why);
    return code;
}

/* "ID KIND CHANNEL attempts=3 CODE: REASON", or the same as one line of JSON. */
static void show(mt_buf *out, const ho_dead_letter *d, bool as_json)
{
    if (!as_json) {
        mt_buf_addf(out, "%.*s %.*s %.*s attempts=%u %.*s: %.*s\n",
                    MT_ARG(d->letter.id), MT_ARG(d->letter.kind), MT_ARG(d->channel),
                    d->attempts, MT_ARG(d->code), MT_ARG(d->reason));
        return;
    }
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_i64(&w, "attempts", d->attempts);
    mt_jw_key_str(&w, "channel", d->channel);
    mt_jw_key_str(&w, "code", d->code);
    mt_jw_keyz(&w, "fields");
    mt_jw_raw(&w, d->letter.fields);
    mt_jw_key_str(&w, "intent_id", d->letter.id);
    mt_jw_key_str(&w, "kind", d->letter.kind);
    mt_jw_key_str(&w, "reason", d->reason);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

static int cmd_graph_letters_list(const cli_args *args)
{
    mt_arena a = {0};
    mt_buf out = {0};
    ho_dead_letter *letters;
    size_t count;
    int code = read_letters(args, &a, &letters, &count);
    for (size_t i = 0; !code && i < count; i++) {
        show(&out, &letters[i], cli_flag(args, "json"));
    }
    code = code ? code : cli_print(mt_buf_str(&out));
    mt_buf_free(&out);
    mt_arena_free(&a);
    return code;
}

/* ---- send ---- */

/* Without --only all are. */
static bool chosen(const cli_args *args, mt_str id)
{
    const char *only;
    for (int i = 0; (only = cli_value_at(args, "only", i)); i++) {
        if (mt_str_eq(mt_str_z(only), id)) {
            return true;
        }
    }
    return !cli_value(args, "only");
}

/* Only the first fault is told: motet graph check --egress tells all of them. */
static int load_egress(const cli_args *args, mt_arena *a, ho_egress **out)
{
    const char *path = cli_value(args, "egress");
    mt_str text;
    mt_diags ds = {.arena = a, .limit = cli_limits(args).diagnostics};
    *out = NULL;
    if (!path) {
        return cli_fail(args, CLI_USAGE, "give the channels with --egress FILE");
    }
    int code = cli_read_record(args, a, path, &text);
    if (!code && ho_egress_read(mt_str_z(path), text, &ds, out)) {
        code = cli_fail(args, CLI_FAILS, "%s: %.*s", path, MT_ARG(ds.items[0].message));
    }
    return code;
}

/* It would only be buried where it is already. A kind that no route takes is refused
 * before it is tried. */
static int send_one(const cli_args *args, mt_arena *a, ho_egress *e,
                    const ho_dead_letter *d)
{
    gr_capture_ack ack;
    if (!ho_egress_routes(e, d->letter.kind)) {
        return cli_fail(args, CLI_FAILS, "%.*s: nothing takes the intent '%.*s'",
                        MT_ARG(d->letter.id), MT_ARG(d->letter.kind));
    }
    if (ho_egress_resend(e, a, &d->letter, &ack)) {
        return cli_fail(args, CLI_FAILS, "%.*s: %.*s", MT_ARG(d->letter.id),
                        MT_ARG(ho_egress_last_problem(e).message));
    }
    return ho_letters_sent(args->operands[0], ack.channel, d->letter.id)
               ? cli_fail(args, CLI_WORLD, "cannot write %s: %s", args->operands[0],
                          strerror(errno))
               : CLI_HOLDS;
}

/* A file that cannot be written ends it, since what is sent after that would be sent
 * again next time. A refused letter does not. The summary goes to standard error where
 * a channel itself writes to standard output, so that the two are not mixed. */
static int send_all(const cli_args *args, mt_arena *a, ho_egress *e,
                    const ho_dead_letter *letters, size_t count)
{
    size_t sent = 0, failed = 0;
    int code = CLI_HOLDS;
    for (size_t i = 0; i < count && code != CLI_WORLD; i++) {
        if (chosen(args, letters[i].letter.id)) {
            int one = send_one(args, a, e, &letters[i]);
            sent += !one;
            failed += one != 0;
            code = one ? one : code;
        }
    }
    (void)ho_egress_stop(e); /* what counts is in the file already */
    mt_buf out = {0};
    mt_buf_addf(&out, "sent=%zu failed=%zu\n", sent, failed);
    int printed =
        ho_egress_prints(e)
            ? (os_write_all(STDERR_FILENO, mt_buf_str(&out)) ? CLI_WORLD : CLI_HOLDS)
            : cli_print(mt_buf_str(&out));
    mt_buf_free(&out);
    return code ? code : printed;
}

/* Two senders at once would deliver twice, so the file is locked. */
static int cmd_graph_letters_send(const cli_args *args)
{
    mt_arena a = {0};
    ho_egress *e = NULL;
    ho_dead_letter *letters = NULL;
    size_t count = 0;
    int code = load_egress(args, &a, &e);
    int fd = code ? -1 : open(args->operands[0], O_RDONLY | O_CLOEXEC);
    if (!code && (fd < 0 || !os_lock(fd))) {
        code = cli_fail(args, CLI_WORLD, "cannot %s %s: %s", fd < 0 ? "read" : "lock",
                        args->operands[0],
                        fd < 0 ? strerror(errno) : "somebody else sends its letters");
    }
    code = code ? code : read_letters(args, &a, &letters, &count);
    code = code ? code : send_all(args, &a, e, letters, count);
    if (fd >= 0) {
        close(fd);
    }
    ho_egress_free(e);
    mt_arena_free(&a);
    return code;
}
