/* cli/cmd_agent_run.c - motet agent run: an agent file at a relay, until it ends.
 *
 * Everything that was given is read and checked before anything is connected: relays,
 * journeys, the agent, the tape to start with. Then the kept state is opened (or a
 * tape in memory), the agent made, and net/runner.c keeps it connected until a trigger
 * ends it, a signal stops it or attempts run out.
 *
 * Handlers run in the directory of the agent file. The struct `run` owns everything
 * and is released in one place, whatever happened. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "agent/dna.h"
#include "cli/commands.h"
#include "cli/document.h"
#include "cli/keys.h"
#include "net/runner.h"
#include "os/address.h"

/* clang-format off */
const cli_option CMD_AGENT_RUN_OPTIONS[] = {
    {"connect",   "HOST:PORT", "the relay; repeated: others to try when it is away"},
    {"state",     "FILE",      "keep tape, memory and unsent messages there"},
    {"upload",    "FILE",      "start with this tape (JSON) instead of the kept one"},
    {"download",  "FILE",      "write the tape there whenever it changes"},
    {"quit-on",   "TRIGGER",   "end when a receiver answers with this trigger"},
    {"travel-on", "TRIGGER=HOST:PORT", "go to another relay on this trigger; repeats"},
    {"durable",   NULL,        "hear and be heard once, over a relay with --durable"},
    {"as",        "NAME",      "the name for --durable (the agent's own)"},
    {"from",      "WHERE",     "durable, at first: new, first, none, a sequence or a UTC time (new)"},
    {"retries",   "COUNT",     "failures in a row before giving up (0: never)"},
    {"pause",     "MILLIS",    "first pause between attempts, then longer (100)"},
    {"tls",       NULL,        "speak TLS and check the relay's certificate"},
    {"ca",        "FILE",      "TLS: trust this authority instead of the system's"},
    {"cert",      "FILE",      "TLS: the agent's certificate chain (PEM)"},
    {"key",       "FILE",      "TLS: its private key (PEM)"},
    {"sign-key",  "FILE",      "sign what is sent with this key (motet agent dna keygen)"},
    {"require-pin", "PIN",     "run only if the agent's DNA has this pin"},
    {"trace",     "FILE",      "append what the agent does, message by message"},
    {"verbose",   NULL,        "say what the agent does, message by message"},
    {"inspect",   "SOCKET",    "show the agent at this local socket (motet agent inspect)"},
    {"json",      NULL,        "write events as JSON lines"},
    {NULL, NULL, NULL},
};
/* clang-format on */

enum { MOST_RELAYS = 32, MOST_TRAVELS = 32 };

/* Everything one run needs, released together. */
typedef struct run {
    const cli_args *args;
    mt_limits limits; /* of frames, tapes and handlers */
    mt_arena arena;
    ag_file file;                              /* points into `arena` */
    char *directory;                           /* of the agent file; on the heap */
    const char *relays[MOST_RELAYS + 1];       /* ends with NULL; tried in this order */
    const char *travels[2 * MOST_TRAVELS + 1]; /* trigger, address, …; ends with NULL */
    mt_json upload;                            /* null unless --upload was given */
    mt_sign_key key;                           /* of --sign-key; wiped at the end */
    ho_watch *watch;                           /* NULL: nobody watches */
    int trace;                                 /* the file of --trace; -1: none */
    const mt_str *digests; /* of handlers' files, when the pin was checked; NULL: not */
    nt_hello durable;      /* of --durable */
    ho_agent *agent;       /* NULL until the state is open */
    mt_buf why;            /* the last reason; of whatever room failed */
} run;

static nt_runner *running;

/* A signal handler; nt_runner_stop() may be called from one. */
static void stop(int signal_number)
{
    (void)signal_number;
    nt_runner_stop(running);
}

/* The reason is gathered in r->why by whatever failed, so that net and host rooms need
 * not print. */
static int fail(run *r, int code)
{
    cli_fail(r->args, code, "%.*s", MT_ARG(mt_buf_str(&r->why)));
    return code;
}

static os_report *reporter(const run *r)
{
    return cli_flag(r->args, "json") ? cli_report_json : cli_report_text;
}

/* ---- reading what was given ---- */

/* DNA has registrations without programs: the counts are there, the lists of handlers
 * are not. */
static int read_agent(run *r)
{
    int code = cli_read_agent(r->args, &r->arena, r->args->operands[0], &r->file);
    const ag_file *f = &r->file;
    bool dna = (f->agent.receiver_count && !f->receivers) ||
               (f->agent.sender_count && !f->senders) ||
               (f->agent.hook_count && !f->hooks);
    if (!code && dna) {
        mt_buf_addz(&r->why,
                    "DNA says what an agent does, not how; run its agent file");
        return fail(r, CLI_FAILS);
    }
    if (!code) {
        cli_advise(&r->arena, r->args->operands[0], f, reporter(r));
    }
    return code;
}

/* As the files are now. */
static int digest_handlers(run *r)
{
    const ag_file *f = &r->file;
    mt_str *digests = mt_new_array(&r->arena, mt_str, f->group_count + 1u);
    for (uint32_t i = 0; i < f->group_count; i++) {
        if (cli_digest_group(&r->arena, r->args->operands[0], &f->groups[i],
                             &digests[i])) {
            mt_buf_addf(&r->why, "cannot read the files of the handlers %.*s",
                        MT_ARG(f->groups[i].name));
            return fail(r, CLI_WORLD);
        }
    }
    r->digests = digests;
    return CLI_HOLDS;
}

/* A ho_guard. A program may have been replaced since the pin was checked, and is then
 * another agent's. */
static const char *still_pinned(void *state, const ag_group *group)
{
    const run *r = state;
    mt_arena a = {0};
    mt_str now;
    const mt_str *was = &r->digests[group - r->file.groups];
    bool same = !cli_digest_group(&a, r->args->operands[0], group, &now) &&
                mt_str_eq(now, *was);
    mt_arena_free(&a);
    return same ? NULL : "its files are not those of the pin any more";
}

/* The pin covers what the agent does, the files of its handlers included. They are
 * digested before the pin is worked out and again before each start: who replaces one
 * in between is found out. */
static int check_pin(run *r)
{
    const char *wanted = cli_value(r->args, "require-pin");
    ag_agent agent;
    if (!wanted) {
        return CLI_HOLDS;
    }
    int code = digest_handlers(r);
    code = code ? code : cli_read_dna(r->args, &r->arena, r->args->operands[0], &agent);
    if (code) {
        return code;
    }
    mt_str pin = ag_dna_pin(&r->arena, &agent);
    if (!mt_str_eq(pin, mt_str_z(wanted))) {
        mt_buf_addf(&r->why, "its pin is %.*s, not %s", MT_ARG(pin), wanted);
        return fail(r, CLI_FAILS);
    }
    return CLI_HOLDS;
}

/* One relay at a time; the others are tried when it is away. The list ends with
 * NULL. */
static int read_relays(run *r)
{
    for (int i = 0; cli_value_at(r->args, "connect", i); i++) {
        if (i == MOST_RELAYS) {
            mt_buf_addf(&r->why, "at most %d relays", MOST_RELAYS);
            return fail(r, CLI_USAGE);
        }
        r->relays[i] = cli_value_at(r->args, "connect", i);
    }
    if (!r->relays[0]) {
        mt_buf_addz(&r->why, "--connect HOST:PORT says where the relay is");
        return fail(r, CLI_USAGE);
    }
    return CLI_HOLDS;
}

/* Its form only: whether somebody is there is found out by connecting. */
static bool is_address(const char *text)
{
    char host[OS_HOST_TEXT], port[8];
    return os_address_split(text, host, port);
}

/* Pairs of trigger and address; the list ends with NULL. */
static int read_travels(run *r)
{
    for (int i = 0; cli_value_at(r->args, "travel-on", i); i++) {
        mt_str text = mt_str_z(cli_value_at(r->args, "travel-on", i));
        size_t at = mt_str_find(text, '=');
        if (i == MOST_TRAVELS || !at || at == text.len ||
            !is_address(text.ptr + at + 1)) {
            mt_buf_addf(&r->why,
                        "--travel-on needs TRIGGER=HOST:PORT, at most %d times",
                        MOST_TRAVELS);
            return fail(r, CLI_USAGE);
        }
        r->travels[2 * i] = mt_str_dup(&r->arena, mt_str_from(text.ptr, at)).ptr;
        r->travels[2 * i + 1] = text.ptr + at + 1;
    }
    return CLI_HOLDS;
}

static bool is_digits(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

/* "2026-11-17T12:00:00Z", the seconds and what is before them being there. */
static bool read_moment(const char *text, int64_t *ms)
{
    struct tm t = {0};
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &t);
    *ms = (int64_t)timegm(&t) * 1000;
    return end && !*end && *ms >= 0;
}

static bool read_from(const char *where, nt_hello *hello)
{
    if (!where || strcmp(where, "new") == 0) {
        hello->from = NT_FROM_NEW;
    } else if (strcmp(where, "none") == 0) {
        hello->from = NT_FROM_NONE;
    } else if (strcmp(where, "first") == 0) {
        hello->from = NT_FROM_FIRST;
    } else if (is_digits(where)) {
        hello->from = NT_FROM_AFTER;
        if (!nt_number_read(mt_str_z(where), &hello->after)) {
            return false;
        }
        hello->after -= hello->after > 0; /* it is to be heard itself */
    } else {
        hello->from = NT_FROM_SINCE;
        return read_moment(where, &hello->since_ms);
    }
    return true;
}

static int read_durable(run *r)
{
    const char *as = cli_value(r->args, "as"), *from = cli_value(r->args, "from");
    mt_str name = as ? mt_str_z(as) : r->file.agent.name;
    if (!cli_flag(r->args, "durable")) {
        if (as || from) {
            mt_buf_addf(&r->why, "--%s goes with --durable", as ? "as" : "from");
            return fail(r, CLI_USAGE);
        }
        return CLI_HOLDS;
    }
    if (!nt_is_name(name)) {
        mt_buf_addf(&r->why,
                    "'%.*s' is not a name for --durable; a name is 1 to %d letters, "
                    "digits, '_' and "
                    "'-' (--as NAME)",
                    MT_ARG(name), NT_NAME_TEXT);
        return fail(r, CLI_USAGE);
    }
    if (!read_from(from, &r->durable)) {
        mt_buf_addz(&r->why, "--from is new, first, none, a sequence or a time like "
                             "2026-11-17T12:00:00Z");
        return fail(r, CLI_USAGE);
    }
    memcpy(r->durable.name, name.ptr, name.len);
    return CLI_HOLDS;
}

static int read_upload(run *r)
{
    const char *path = cli_value(r->args, "upload");
    cli_document document;
    if (!path) {
        return CLI_HOLDS;
    }
    int code = cli_read_document(r->args, &r->arena, path, &document);
    r->upload = document.tree;
    return code;
}

/* ---- running ---- */

static void find_directory(run *r)
{
    /* Handlers are named relative to the file that names them. */
    mt_str path = mt_str_z(r->args->operands[0]);
    size_t len = path.len - mt_str_basename(path).len;
    mt_str directory = len ? mt_str_from(path.ptr, len) : MT_STR(".");
    r->directory = mt_xmalloc(directory.len + 1);
    memcpy(r->directory, directory.ptr, directory.len);
    r->directory[directory.len] = '\0';
}

/* A state file that ends in a torn line is used and reported, not refused: that is
 * what a crash leaves. */
static int open_keep(run *r, ho_keep **keep)
{
    const char *path = cli_value(r->args, "state");
    if (!path) {
        *keep = ho_keep_open_memory();
        return CLI_HOLDS;
    }
    mt_err err = ho_keep_open_file(path, keep, &r->why);
    if (err) {
        return fail(r, CLI_WORLD);
    }
    if (r->why.len) {
        mt_buf_addc(&r->why, 0);
        reporter(r)(NULL, r->why.ptr);
        mt_buf_clear(&r->why);
    }
    return CLI_HOLDS;
}

/* Appended, because what an agent did before it was started again is part of it. */
static int open_watch(run *r)
{
    const char *path = cli_value(r->args, "trace");
    bool words = cli_flag(r->args, "verbose");
    if (path) {
        r->trace = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
        if (r->trace < 0) {
            mt_buf_addf(&r->why, "cannot write %s: %s", path, strerror(errno));
            return fail(r, CLI_WORLD);
        }
    }
    if (path || words) {
        r->watch = ho_watch_new(&(ho_watch_options){.file = &r->file,
                                                    .trace = r->trace,
                                                    .words = words,
                                                    .report = reporter(r)});
    }
    return CLI_HOLDS;
}

/* The state is opened, and after a crash brought to its last commit, before anything is
 * connected. */
static int open_agent(run *r)
{
    ho_keep *keep;
    int code = open_keep(r, &keep);
    if (code) {
        return code;
    }
    ho_agent_options options = {
        .file = &r->file,
        .limits = &r->limits,
        .directory = r->directory,
        .keep = keep,
        .upload = cli_value(r->args, "upload") ? &r->upload : NULL,
        .download = cli_value(r->args, "download"),
        .quit_on = cli_value(r->args, "quit-on"),
        .travel_on = r->travels,
        .sign_key = cli_value(r->args, "sign-key") ? &r->key : NULL,
        .guard = r->digests ? still_pinned : NULL,
        .guard_state = r,
        .watch = r->watch,
        .report = reporter(r),
    };
    return ho_agent_open(&options, &r->agent, &r->why) ? fail(r, CLI_WORLD) : CLI_HOLDS;
}

/* A pause of 0 would be a busy loop; the least is 1 ms. */
static int read_config(run *r, nt_runner_config *c)
{
    size_t retries = 0, pause = c->pause_ms;
    if (!cli_number(r->args, "retries", 1u << 20, &retries) ||
        !cli_number(r->args, "pause", 1u << 20, &pause)) {
        return CLI_USAGE;
    }
    c->relays = r->relays;
    c->retries = (unsigned)retries;
    c->pause_ms = pause ? (unsigned)pause : 1;
    c->tls = cli_flag(r->args, "tls");
    c->ca = cli_value(r->args, "ca");
    c->cert = cli_value(r->args, "cert");
    c->key = cli_value(r->args, "key");
    c->max_line = r->limits.agent_message_bytes;
    c->inspect = cli_value(r->args, "inspect");
    c->durable = cli_flag(r->args, "durable") ? &r->durable : NULL;
    c->report = reporter(r);
    return CLI_HOLDS;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = stop};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
}

/* Signals are caught only when there is something to stop. */
static int run_agent(run *r)
{
    nt_runner_config config = NT_RUNNER_DEFAULT;
    int code = read_config(r, &config);
    if (code) {
        return code;
    }
    mt_err err = nt_runner_open(&config, r->agent, &running, &r->why);
    if (err) {
        return fail(r, err == MT_E_USAGE ? CLI_USAGE : CLI_WORLD);
    }
    catch_signals();
    err = nt_runner_run(running);
    nt_runner_free(running);
    return err ? CLI_WORLD : CLI_HOLDS;
}

/* ORDER: what only reads words and files first, then the state, then the network.
 * Freeing copes with whatever was reached. */
int cmd_agent_run(const cli_args *args)
{
    run r = {.args = args, .limits = cli_limits(args), .trace = -1};
    int code = read_relays(&r);
    code = code ? code : read_travels(&r);
    code = code ? code : read_agent(&r);
    code = code ? code : check_pin(&r);
    if (!code && cli_value(args, "sign-key")) {
        code = cli_read_key(args, "sign-key", &r.key);
    }
    code = code ? code : read_durable(&r);
    code = code ? code : read_upload(&r);
    find_directory(&r);
    code = code ? code : open_watch(&r);
    code = code ? code : open_agent(&r);
    code = code ? code : run_agent(&r);
    ho_watch_free(r.watch, r.agent ? ho_agent_actor(r.agent) : NULL);
    ho_agent_free(r.agent);
    mt_sign_wipe(&r.key);
    if (r.trace >= 0) {
        close(r.trace);
    }
    free(r.directory);
    mt_buf_free(&r.why);
    mt_arena_free(&r.arena);
    return code;
}
