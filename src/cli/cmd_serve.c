/* cli/cmd_serve.c - motet serve: contracts that run, until told to stop.
 *
 * Order of opening: settings (file, then options), TLS files, log, store, executor,
 * server; of closing the other way round, so nothing answers that can no longer be
 * done. Signals are blocked before any thread is made and waited for here; SIGTERM and
 * SIGINT let what runs finish, SIGHUP reads certificate, key and log level again.
 *
 * Options and keys of the configuration are one table (HT_OPTION_MAP), so each has its
 * type, default and bounds once. --check-config does everything short of starting: it
 * reads files, elaborates contracts and checks sources, and prints one line per fault.
 *
 * The first line on standard output says where the server listens. Exit status 2 for
 * settings that cannot be, 3 for what the world refuses. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/contract.h"
#include "cli/executor_settings.h"
#include "cli/serve_reload.h"
#include "http/tls.h"
#include "os/address.h"
#include "os/file.h"
#include "os/secret.h"

/* clang-format off */
const cli_option CMD_SERVE_OPTIONS[] = {
    {"config", "FILE", "read settings (YAML or JSON); options come first"},
    {"check-config", NULL, "check everything, start nothing"},
#define OPTION_ROW(key, option, kind, type, initial, least, most, argument, help) \
    {option, argument, help},
    HT_OPTION_MAP(OPTION_ROW)
#undef OPTION_ROW
    {NULL, NULL, NULL},
};
const char CMD_SERVE_DETAILS[] =
    "Files are .tenor sources, bundles, manifests or Systems; without any, what the store "
    "has is served. Every option is a key of the configuration file, too (underscores for "
    "dashes).\n\n"
    "Without tokens (motet token create) everyone may do everything, so the server then "
    "listens on this machine only. The first line on standard output says where it "
    "listens. SIGTERM and SIGINT stop it after what runs is finished; SIGHUP makes it read "
    "the certificate, its key and the log level again.";
/* clang-format on */

enum { PEM_BYTES = 1 << 20 };

typedef struct service {
    const cli_args *args;
    mt_arena arena;   /* settings, contracts' names, certificates: all until the end */
    ht_config config; /* the file, with the options over it */
    bool usable;      /* settings could be read, though some may be wrong */
    mt_str text;      /* of the configuration file */
    ht_log log;       /* opened first, closed last */
    mt_limits limits;
    st_store *store;               /* closed after the executor */
    ex_executor *executor;         /* closed after the server has drained */
    ht_server *server;             /* NULL until it listens */
    mt_str tls_cert, tls_key;      /* PEM; empty without TLS */
    au_oidc *oidc;                 /* NULL: none */
    au_certificates *certificates; /* likewise */
    ht_people *people;             /* likewise */
    tr_settings otlp;              /* if there is `otlp` */
} service;

/* ---- Settings ---- */

static int read_file(service *s)
{
    return cli_read_config(s->args, &s->arena, cli_value(s->args, "config"),
                           s->limits.yaml_bytes, &s->config, &s->text);
}

/* Only numbers have a range. */
static int out_of_range(const cli_args *args, const char *option, const char *value)
{
    const ht_setting *s = HT_SETTINGS;
    while (!s->option || strcmp(s->option, option) != 0) {
        s++; /* the command's options are those of the settings */
    }
    return cli_fail(args, CLI_USAGE, "--%s is a whole number from %zu to %zu, not %s",
                    option, s->least, s->most, value);
}

static int read_options(service *s)
{
    const cli_args *args = s->args;
    int bad = serve_options(&s->arena, args, &s->config);
    return bad < 0 ? CLI_HOLDS
                   : out_of_range(args, args->given[2 * bad], args->given[2 * bad + 1]);
}

/* All faults are told, each as a line of its own with the name of the program before
 * it. */
static int check_together(service *s)
{
    mt_buf faults = {0};
    mt_err err = ht_config_check(&s->config, &faults);
    for (mt_str rest = mt_buf_str(&faults); rest.len;) {
        size_t end = mt_str_find(rest, '\n');
        cli_fail(s->args, CLI_USAGE, "%.*s", (int)end, rest.ptr);
        rest = mt_str_skip(rest, end + 1);
    }
    mt_buf_free(&faults);
    return err ? CLI_USAGE : CLI_HOLDS;
}

/* Read before the server starts; it borrows both for as long as it lives. */
static int read_tls(service *s)
{
    const ht_config *c = &s->config;
    if (!c->tls_cert || !c->tls_key) {
        return CLI_HOLDS;
    }
    const char *exposed = os_secret_exposed(c->tls_key);
    if (exposed) {
        return cli_fail(s->args, CLI_USAGE, "tls_key: %s %s", c->tls_key, exposed);
    }
    int code = cli_read_text(s->args, &s->arena, c->tls_cert, PEM_BYTES, &s->tls_cert);
    return code ? code
                : cli_read_text(s->args, &s->arena, c->tls_key, PEM_BYTES, &s->tls_key);
}

/* The first of several codes that says more than "holds". */
static int first_of(int a, int b)
{
    return a ? a : b;
}

static void set_level(service *s, const char *name)
{
    ht_level level = HT_INFO;
    (void)ht_level_read(mt_str_z(name), &level);
    atomic_store(&s->log.least, (int)level);
}

/* One line per fault, with the place of the key where it is in the file. */
static void say_fault(void *state, mt_str key, size_t offset, mt_str reason)
{
    const service *s = state;
    const char *path = cli_value(s->args, "config");
    uint32_t line, column;
    if (!path || offset == EX_NO_PLACE) {
        cli_fail(s->args, CLI_FAILS, "%.*s: %.*s", MT_ARG(key), MT_ARG(reason));
        return;
    }
    mt_json_place(s->text, offset, &line, &column);
    fprintf(stderr, "%s:%u:%u: %.*s: %.*s\n", path, line, column, MT_ARG(key),
            MT_ARG(reason));
}

static void say_form_fault(void *state, const mt_form_fault *f)
{
    mt_buf said = {0};
    mt_form_write_said(&said, f);
    say_fault(state, f->path.len ? f->path : f->key, f->offset, mt_buf_str(&said));
    mt_buf_free(&said);
}

static int read_otlp(service *s)
{
    mt_form form = {.arena = &s->arena,
                    .path = MT_STR("otlp"),
                    .what = "`otlp`",
                    .report = say_form_fault,
                    .state = s};
    bool good = !s->config.otlp || tr_settings_read(&form, s->config.otlp,
                                                    serve_directory(s->args), &s->otlp);
    return good ? CLI_HOLDS : CLI_FAILS;
}

/* A URL with a password belongs into a file that others cannot read: arguments are seen
 * by everybody on the machine. */
static int read_store(service *s)
{
    mt_str url;
    if (!s->config.store_file) {
        return CLI_HOLDS;
    }
    const char *why = os_secret_read(&s->arena, NULL, s->config.store_file, &url);
    if (why) {
        return cli_fail(s->args, CLI_USAGE, "store_file: %s %s", s->config.store_file,
                        why);
    }
    s->config.store = mt_str_dup(&s->arena, url).ptr;
    return CLI_HOLDS;
}

/* A check goes on after a fault in the file, with the settings that are good, to tell
 * the rest; a start does not. */
static int read_settings(service *s)
{
    bool check = cli_flag(s->args, "check-config");
    s->config = HT_CONFIG_DEFAULT;
    s->limits = cli_limits(s->args);
    int file = read_file(s);
    int code = file && !(check && s->config.all) ? file : read_options(s);
    if (code) {
        return code;
    }
    s->usable = true;
    code = first_of(file, check_together(s));
    if (code && !check) {
        return code;
    }
    s->log = (ht_log){.json = strcmp(s->config.log, "json") == 0};
    set_level(s, s->config.log_level);
    code = first_of(code, read_otlp(s));
    code = first_of(code, read_store(s));
    return first_of(code, read_tls(s));
}

/* All but the store. */
static ex_executor_options executor_options(service *s)
{
    ex_executor_options o = cli_executor_options(&s->arena, &s->config, &s->limits,
                                                 serve_directory(s->args));
    o.log = ht_log_write;
    o.log_state = &s->log;
    return o;
}

/* ---- --check-config ---- */

static void say_fault(void *state, mt_str key, size_t offset, mt_str reason);

/* Whom others vouch for, and ask about: `oidc`, `certificates` and `authzen`. */
static int read_identities(service *s)
{
    au_settings in = {.all = s->config.all,
                      .directory = serve_directory(s->args),
                      .persona_known = ex_persona_known,
                      .right_known = ex_right_known,
                      .fault = say_fault,
                      .state = s};
    size_t faults = 0;
    if (s->config.all) {
        faults += au_oidc_read(&in, &s->oidc);
        faults += au_certificates_read(&in, &s->certificates);
        faults += ht_people_read(&in, &s->people);
    }
    return faults ? CLI_FAILS : CLI_HOLDS;
}

/* Tells what is wrong with each; `good` gets the others, ended by NULL. */
static int check_files(service *s, const char **good)
{
    int worst = CLI_HOLDS;
    for (size_t i = 0; i < s->config.files.count; i++) {
        cli_contract contract = {0};
        int code =
            cli_contract_load(s->args, s->config.files.items[i], false, &contract);
        if (code) {
            cli_contract_show_text(s->args, &contract);
        } else {
            *good++ = s->config.files.items[i];
        }
        cli_contract_free(&contract);
        worst = code > worst ? code : worst;
    }
    return worst;
}

/* Files with faults are left out of the second check, so that their faults are not told
 * twice. */
static int check_executor(service *s)
{
    size_t count = s->config.files.count;
    const char **good = mt_new_array(&s->arena, const char *, count + 1);
    int code = check_files(s, good);
    ex_executor_options options = executor_options(s);
    options.files = good;
    code = first_of(code, read_identities(s));
    return first_of(code,
                    ex_executor_check(&options, say_fault, s) ? CLI_FAILS : CLI_HOLDS);
}

/* Resolved, not only split: what is not an address shows here, not at the start. */
static int check_listen(service *s)
{
    os_address at;
    return os_address_find(s->config.listen, &at)
               ? cli_fail(s->args, CLI_FAILS, "listen: %s cannot be listened on",
                          s->config.listen)
               : CLI_HOLDS;
}

static int check_tls(service *s)
{
    mt_buf why = {0};
    int64_t until;
    int code = CLI_HOLDS;
    if (s->tls_cert.len && s->tls_key.len &&
        ht_tls_check(s->tls_cert, s->tls_key, &until, &why)) {
        code = cli_fail(s->args, CLI_FAILS, "tls_cert: %.*s", MT_ARG(mt_buf_str(&why)));
    }
    mt_buf_free(&why);
    return code;
}

/* All faults at once: of the settings (`code`, and told), then of what they name. */
static int check_config(service *s, int code)
{
    if (s->usable) {
        code = first_of(code, check_listen(s));
        code = first_of(code, check_tls(s));
    }
    code = first_of(code, s->usable ? check_executor(s) : CLI_HOLDS);
    return code ? code : cli_print(MT_STR("the configuration holds\n"));
}

/* ---- Opening ---- */

/* The log has a thread of its own: flushing keeps its lines before the message on
 * stderr. */
static int say_why(service *s, int code, mt_buf *why)
{
    ht_log_flush(&s->log);
    cli_fail(s->args, code, "%.*s", MT_ARG(mt_buf_str(why)));
    mt_buf_free(why);
    return code;
}

/* What is logged names the database and its schema, not where it is. */
static int open_store(service *s)
{
    mt_buf why = {0};
    st_options options = {.pool = (unsigned)s->config.pool};
    mt_err err = st_open(s->config.store, &options, &s->store, &why);
    if (err) {
        return say_why(s, CLI_WORLD, &why);
    }
    ht_log_text(&s->log, HT_INFO, "store_open", "store", st_describe(s->store));
    return CLI_HOLDS;
}

/* What is wrong with a contract, with the call and with the world end in three exit
 * codes. */
static int open_executor(service *s)
{
    mt_buf why = {0};
    ex_executor_options options = executor_options(s);
    options.store = s->store;
    mt_err err = ex_executor_open(&options, &s->executor, &why);
    int code = err == MT_E_REJECTED ? CLI_FAILS
               : err == MT_E_USAGE  ? CLI_USAGE
                                    : CLI_WORLD;
    return err ? say_why(s, code, &why) : CLI_HOLDS;
}

/* A call may wait for the network when the database is somewhere else, or when facts
 * are fetched. */
static unsigned workers_of(const service *s)
{
    bool waits = st_is_shared(s->store) || s->config.sources;
    return s->config.workers ? (unsigned)s->config.workers : waits ? 32 : 0;
}

/* Last of all: nobody is let in before everything behind the door is open. */
static int open_server(service *s)
{
    const ht_config *c = &s->config;
    mt_buf why = {0};
    ht_options o = {
        .executor = s->executor,
        .store = s->store,
        .log = &s->log,
        .listen = c->listen,
        .tls_cert = s->tls_cert,
        .tls_key = s->tls_key,
        .threads = (unsigned)c->threads,
        .workers = workers_of(s),
        .max_body = c->max_body,
        .message = {s->limits.mcp_bytes, s->limits.json_depth},
        .max_streams = c->max_streams,
        .heartbeat_seconds = (unsigned)c->heartbeat,
        .insecure = c->insecure,
        .private_manifest = c->private_manifest,
        .access_log = c->access_log,
        .otlp = c->otlp ? &s->otlp : NULL,
        .version = MT_STR(MOTET_VERSION),
        .oidc = s->oidc,
        .certificates = s->certificates,
        .people = s->people,
        .public_url = c->public_url ? mt_str_z(c->public_url) : (mt_str){0},
        .peers = {.connections = c->max_connections,
                  .per_address = c->max_per_address,
                  .rate_per_minute = (unsigned)c->rate,
                  .rate_local = c->rate_local,
                  .seconds = {[HT_WAITING] = (unsigned)c->idle,
                              [HT_SENDING] = (unsigned)c->request_timeout,
                              [HT_READING] = (unsigned)c->answer_timeout}},
    };
    mt_err err = ht_server_open(&o, &s->server, &why);
    bool usage = err == MT_E_USAGE || err == MT_E_NOTFOUND || err == MT_E_DENIED;
    return err ? say_why(s, usage ? CLI_USAGE : CLI_WORLD, &why) : CLI_HOLDS;
}

/* ---- Running ---- */

/* The ready file has the address only when it can be called; whoever waits for it need
 * not try. */
static int say_where(service *s)
{
    mt_buf line = {0};
    mt_buf_addf(&line, "listening on %s://%s\n", s->tls_cert.len ? "https" : "http",
                ht_server_address(s->server));
    int code = cli_print(mt_buf_str(&line));
    if (!code && s->config.ready_file) {
        mt_str address = mt_str_skip(mt_buf_str(&line), strlen("listening on "));
        code = cli_write_text(s->args, s->config.ready_file, address);
    }
    mt_buf_free(&line);
    ht_log_text(&s->log, HT_INFO, "listening", "address",
                mt_str_z(ht_server_address(s->server)));
    if (ht_server_is_open_to_all(s->server)) {
        ht_log_text(&s->log, HT_WARN, "open_to_all", "warning",
                    MT_STR("there are no tokens: everyone who reaches this address may "
                           "do everything (motet token create)"));
    }
    return code;
}

/* Signals are blocked in every thread, so exactly this one takes them. */
static void wait_for_signal(const sigset_t *signals, service *s)
{
    int which = 0;
    while (sigwait(signals, &which) == 0 && which == SIGHUP) {
        serve_reload(&(serve_reloading){.args = s->args,
                                        .running = &s->config,
                                        .log = &s->log,
                                        .executor = s->executor,
                                        .server = s->server,
                                        .limits = &s->limits,
                                        .certificates = s->certificates});
    }
    ht_log_text(&s->log, HT_INFO, "stopping", "signal",
                which == SIGTERM ? MT_STR("SIGTERM") : MT_STR("SIGINT"));
}

/* ORDER: stop taking, finish what was taken, close the executor, then the store. A call
 * that does not end in time is answered by the closing executor, and so the server has
 * to live until then. */
static void close_all(service *s)
{
    bool drained =
        !s->server || ht_server_drain(s->server, (unsigned)s->config.stop_timeout);
    if (s->server && drained) {
        ht_server_free(s->server);
    }
    if (s->executor) {
        ex_executor_close(s->executor);
    }
    if (s->server && !drained) { /* closing has answered the rest */
        ht_server_free(s->server);
    }
    if (s->store) {
        st_close(s->store);
    }
}

static void free_identities(service *s)
{
    au_oidc_free(s->oidc);
    au_certificates_free(s->certificates);
    ht_people_free(s->people);
}

/* A closed standard error stays unwritten (cli_main has taken its number). */
static int open_log(service *s)
{
    bool closed = (fcntl(STDERR_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY;
    s->log.fd = closed ? -1 : STDERR_FILENO;
    return ht_log_open(&s->log, s->limits.log_bytes)
               ? cli_fail(s->args, CLI_WORLD, "no thread can be had for the log")
               : CLI_HOLDS;
}

/* ORDER: log, store, executor, server. Closing goes the other way, also when opening
 * failed half-way. */
static int serve(service *s, const sigset_t *signals)
{
    int code = open_log(s);
    code = code ? code : read_identities(s);
    code = code ? code : open_store(s);
    code = code ? code : open_executor(s);
    code = code ? code : open_server(s);
    code = code ? code : say_where(s);
    if (!code) {
        wait_for_signal(signals, s);
    }
    close_all(s);
    if (!code) {
        ht_log_write(&s->log, HT_INFO, MT_STR("stopped"), MT_STR("{}"));
    }
    ht_log_close(&s->log);
    return code;
}

int cmd_serve(const cli_args *args)
{
    service s = {.args = args};
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    bool check = cli_flag(args, "check-config");
    if (!check) { /* before anything takes time: who asks to reload must not kill */
        sigset_t hangup;
        sigemptyset(&hangup);
        sigaddset(&hangup, SIGHUP);
        pthread_sigmask(SIG_BLOCK, &hangup, NULL);
    }
    int code = read_settings(&s);
    if (check) {
        code = check_config(&s, code);
    } else if (!code) {
        /* Before any thread is made, so that all of them leave signals to us. */
        pthread_sigmask(SIG_BLOCK, &signals, NULL);
        signal(SIGPIPE, SIG_IGN);
        code = serve(&s, &signals);
    }
    free_identities(&s);
    mt_arena_free(&s.arena);
    return code;
}
