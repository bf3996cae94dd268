/* cli/cmd_witness.c - motet witness: co-signs what logs of others say of themselves.
 *
 * `serve` listens, `sign` answers one request from standard input, `key` prints a
 * public key as witnesses and logs exchange it. The first two share options: name, key,
 * file of what was seen, and the logs that are known. The key is read last and wiped on
 * every way out. Exit status 0 signed (or stopped as told), 1 refused, 2 used wrongly,
 * 3 the machine failed. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/keys.h"
#include "cli/notes.h"
#include "http/witness_server.h"
#include "os/file.h"
#include "os/key_file.h"

/* clang-format off */
#define WITNESS_OPTIONS                                                                \
    {"name",  "NAME", "what the witness is called, such as witness.example.org/w1"},   \
    {"key",   "FILE", "its secret key (motet keygen)"},                                \
    {"state", "FILE", "what it has seen of each log; on the disk before it signs"},    \
    {"new",   NULL,   "begin with an empty file of --state"},                          \
    {"log",   "KEY",  "a log it signs for: NAME+ID+KEY or a file with it (repeats)"}

static const cli_option SERVE_OPTIONS[] = {
    WITNESS_OPTIONS,
    {"listen",     "HOST:PORT", "where to listen (127.0.0.1:8441; port 0: any)"},
    {"ready-file", "FILE",      "write the address there once it listens"},
    {"log-format", "FORM",      "text or json"},
    {NULL, NULL, NULL},
};
static const cli_option SIGN_OPTIONS[] = {
    WITNESS_OPTIONS,
    {NULL, NULL, NULL},
};
static const cli_option KEY_OPTIONS[] = {
    {"name",  "NAME", "the name that belongs to the key"},
    {"key",   "KEY",  "the public key: file, hex or base64 (or the file of a secret one)"},
    {"as-log", NULL,  "the key signs a log (motet serve), not for a witness"},
    {NULL, NULL, NULL},
};

static const char SERVE_DETAILS[] =
"Answers POST /add-checkpoint of c2sp.org/tlog-witness: signs checkpoints of logs it\n"
"knows when they extend what it has signed before, and refuses two histories, smaller\n"
"sizes, and logs it was not told of. Run it where whoever runs the log cannot reach its\n"
"key and its file. GET / shows its public key and the sizes it has signed.";
static const char SIGN_DETAILS[] =
"Answers one request from standard input as the server does, and prints the body of\n"
"the answer: for a witness without a network. Exit status 1: refused.";
static const char KEY_DETAILS[] =
"Prints NAME+ID+KEY, as `witnesses` of a configuration, --log of a witness and\n"
"--witness of motet ledger verify take it.";

const cli_command CMD_WITNESS_COMMANDS[] = {
    {"serve", NULL, "Listen, and co-sign checkpoints that extend what was seen",
     cmd_witness_serve, SERVE_OPTIONS, NULL, 0, 0, SERVE_DETAILS},
    {"sign", NULL, "Answer one request from standard input",
     cmd_witness_sign, SIGN_OPTIONS, NULL, 0, 0, SIGN_DETAILS},
    {"key", NULL, "Print the public key of a witness or a log for others",
     cmd_witness_key, KEY_OPTIONS, NULL, 0, 0, KEY_DETAILS},
    {NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL},
};
/* clang-format on */

/* What both `serve` and `sign` need as long as they are a witness. */
typedef struct standing {
    const cli_args *args;
    mt_arena arena;
    mt_sign_key key;
    ex_witness_options options;
    ex_witness *witness;
} standing;

/* ---- Options ---- */

static int needed(const cli_args *args, const char *option, const char **out)
{
    *out = cli_value(args, option);
    return *out ? CLI_HOLDS : cli_fail(args, CLI_USAGE, "--%s is needed", option);
}

static int read_name(const cli_args *args, mt_str *out)
{
    const char *name = NULL;
    int code = needed(args, "name", &name);
    *out = mt_str_z(name);
    return code                    ? code
           : lg_name_is_good(*out) ? CLI_HOLDS
                                   : cli_fail(args, CLI_USAGE,
                                              "--name is 1 to %d bytes of text without "
                                              "spaces, plus signs and control "
                                              "characters, such as witness.example.org",
                                              LG_NAME_BYTES);
}

/* At least one, at most EX_WITNESS_LOGS: a witness that knows no log could only
 * refuse. */
static int read_logs(standing *s)
{
    int count = 0;
    while (cli_value_at(s->args, "log", count)) {
        count++;
    }
    if (!count || count > EX_WITNESS_LOGS) {
        return cli_fail(s->args, CLI_USAGE, "--log KEY is needed, at most %d times",
                        EX_WITNESS_LOGS);
    }
    lg_note_key *logs = mt_new_array(&s->arena, lg_note_key, (size_t)count);
    int code = CLI_HOLDS;
    for (int i = 0; !code && i < count; i++) {
        code = cli_read_note_key(s->args, &s->arena, "log", i, LG_LOG_KEY, &logs[i]);
    }
    s->options.logs = logs;
    s->options.log_count = (size_t)count;
    return code;
}

/* The key last: nothing that can fail by usage holds a secret. */
static int begin(standing *s)
{
    mt_buf why = {0};
    ex_witness_options *o = &s->options;
    int code = read_name(s->args, &o->name);
    code = code ? code : needed(s->args, "state", &o->state);
    code = code ? code : read_logs(s);
    code = code ? code : cli_read_key(s->args, "key", &s->key);
    if (code) {
        return code;
    }
    o->key = &s->key;
    o->is_new = cli_flag(s->args, "new");
    mt_err err = ex_witness_open(o, &s->witness, &why);
    if (err) {
        /* The file of what was seen is not what was asked for; everything else is
         * the machine. */
        bool input = err == MT_E_EXISTS || err == MT_E_CORRUPT || err == MT_E_CONFLICT;
        code = cli_fail(s->args, input ? CLI_FAILS : CLI_WORLD, "%.*s",
                        MT_ARG(mt_buf_str(&why)));
    }
    mt_buf_free(&why);
    return code;
}

/* However far begin() came. Takes the code through, so that it is one line to
 * return. */
static int end(standing *s, int code)
{
    ex_witness_close(s->witness);
    mt_sign_wipe(&s->key);
    mt_arena_free(&s->arena);
    return code;
}

/* ---- sign ---- */

static int answer_one(standing *s)
{
    mt_str body;
    mt_buf answer = {0}, why = {0};
    int code = cli_read_input(s->args, &s->arena, "-", LG_WITNESS_BYTES, &body);
    if (code) {
        return code;
    }
    int status =
        ex_witness_answer(s->witness, body, (int64_t)time(NULL), &answer, &why);
    /* A conflict has a body too: the size that was signed last, which the log needs. */
    if (status == LG_COSIGN || status == LG_CONFLICT) {
        code = cli_print(mt_buf_str(&answer));
    }
    if (status != LG_COSIGN) {
        code = cli_fail(s->args, status == 500 ? CLI_WORLD : CLI_FAILS,
                        "refused (%d): %.*s", status, MT_ARG(mt_buf_str(&why)));
    }
    mt_buf_free(&answer);
    mt_buf_free(&why);
    return code;
}

int cmd_witness_sign(const cli_args *args)
{
    standing s = {.args = args};
    int code = begin(&s);
    return end(&s, code ? code : answer_one(&s));
}

/* ---- serve ---- */

/* The public key is what others need, so it is said first. */
static mt_str about(standing *s)
{
    mt_buf text = {0};
    lg_note_key own = {s->options.name, LG_WITNESS_KEY, s->key.open};
    lg_note_key_write(&text, &own);
    mt_buf_addc(&text, '\n');
    mt_str copy = mt_str_dup(&s->arena, mt_buf_str(&text));
    mt_buf_free(&text);
    return copy;
}

/* Two lines on standard output: "witness NAME+ID+KEY" and "listening on http://...".
 * The file of --ready-file has the address alone, and is written last, when it
 * listens. */
static int say_where(standing *s, const ht_witness_server *server)
{
    const char *ready = cli_value(s->args, "ready-file");
    mt_str address = mt_strf(&s->arena, "http://%s\n", ht_witness_address(server));
    mt_str line = mt_strf(&s->arena, "witness %.*slistening on %s", MT_ARG(about(s)),
                          address.ptr);
    int code = cli_print(line);
    return code || !ready ? code : cli_write_text(s->args, ready, address);
}

/* Serves until a signal comes; the server's own threads do the work meanwhile. */
static int listen_on(standing *s, ht_log *log, const sigset_t *signals)
{
    const char *at = cli_value(s->args, "listen");
    mt_buf why = {0};
    ht_witness_server *server;
    ht_witness_options o = {.witness = s->witness,
                            .log = log,
                            .listen = at ? at : "127.0.0.1:8441",
                            .about = about(s)};
    mt_err err = ht_witness_open(&o, &server, &why);
    int code = CLI_HOLDS, which;
    if (err) {
        code = cli_fail(s->args, err == MT_E_USAGE ? CLI_USAGE : CLI_WORLD, "%.*s",
                        MT_ARG(mt_buf_str(&why)));
        mt_buf_free(&why);
        return code;
    }
    code = say_where(s, server);
    if (!code) {
        sigwait(signals, &which);
        ht_log_text(log, HT_INFO, "stopping", "signal",
                    which == SIGTERM ? MT_STR("SIGTERM") : MT_STR("SIGINT"));
    }
    ht_witness_close(server);
    return code;
}

static int serve(standing *s)
{
    const char *form = cli_value(s->args, "log-format");
    sigset_t signals;
    ht_log log = {.fd = STDERR_FILENO, .least = HT_INFO};
    if (form && strcmp(form, "text") != 0 && strcmp(form, "json") != 0) {
        return cli_fail(s->args, CLI_USAGE, "--log-format is text or json");
    }
    log.json = form && strcmp(form, "json") == 0;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, NULL); /* before any thread is made */
    signal(SIGPIPE, SIG_IGN);
    if (ht_log_open(&log, cli_limits(s->args).log_bytes)) {
        return cli_fail(s->args, CLI_WORLD, "no thread can be had for the log");
    }
    int code = listen_on(s, &log, &signals);
    ht_log_close(&log);
    return code;
}

int cmd_witness_serve(const cli_args *args)
{
    standing s = {.args = args};
    int code = begin(&s);
    return end(&s, code ? code : serve(&s));
}

/* ---- key ---- */

/* A secret key has the same form in its file as a public one: what is in a file of
 * that name is never printed. */
static int read_either(const cli_args *args, mt_sign_public *out)
{
    const char *text = NULL;
    bool given;
    int code = needed(args, "key", &text);
    if (code || !mt_str_ends(mt_str_z(text), MT_STR(".secret"))) {
        return code ? code : cli_read_public(args, "key", out, &given);
    }
    mt_sign_key key;
    code = cli_read_key(args, "key", &key);
    *out = key.open;
    mt_sign_wipe(&key);
    return code;
}

int cmd_witness_key(const cli_args *args)
{
    mt_buf text = {0};
    lg_note_key key = {.type = cli_flag(args, "as-log") ? LG_LOG_KEY : LG_WITNESS_KEY};
    int code = read_name(args, &key.name);
    code = code ? code : read_either(args, &key.key);
    if (!code) {
        lg_note_key_write(&text, &key);
        mt_buf_addc(&text, '\n');
        code = cli_print(mt_buf_str(&text));
    }
    mt_buf_free(&text);
    return code;
}
