/* cli/cmd_agent_relay.c - motet agent relay: run a relay until told to stop.
 *
 * Settings come from the file first, options win; every number has its bounds in
 * net/relay_config.c, so both are checked in one place. The first line on standard
 * output says where the relay listens, for scripts that let it choose a port. SIGTERM
 * and SIGINT stop it after what waits was sent; `running` is the only global, for the
 * handler.
 *
 * Exit status 2 for settings that cannot be, 3 when the address or a file cannot be
 * had. */
#include <signal.h>
#include <stdio.h>

#include "cli/commands.h"
#include "cli/document.h"
#include "net/relay_config.h"

/* clang-format off */
const cli_option CMD_AGENT_RELAY_OPTIONS[] = {
    {"config",       "FILE",      "read settings (JSON or YAML); options come first"},
    {"listen",       "HOST:PORT", "where agents connect (127.0.0.1:8888; port 0: any)"},
    {"cert",         "FILE",      "TLS: the relay's certificate chain (PEM)"},
    {"key",          "FILE",      "TLS: its private key (PEM)"},
    {"client-ca",    "FILE",      "TLS: agents must show a certificate of this authority"},
    {"bus",          "URL",       "join the other relays on this NATS server"},
    {"room",         "NAME",      "relays of one room hear each other (default)"},
    {"durable",      NULL,        "keep what is said (JetStream); agents hear it once, also later"},
    {"keep",         "SECONDS",   "for so long, when the stream is made (604800; 0: for ever)"},
    {"bus-pending",  "LINES",     "lines of other relays that may wait (65536)"},
    {"metrics",      "HOST:PORT", "answer GET /metrics there"},
    {"metrics-file", "FILE",      "write the metrics there every second"},
    {"log",          "FILE",      "append every message to this file"},
    {"max-line",     "BYTES",     "longest line, as agents get it (65536)"},
    {"queue",        "BYTES",     "waiting for one agent at most (1048576)"},
    {"memory",       "BYTES",     "waiting for all agents at most (268435456)"},
    {"max-clients",  "COUNT",     "agents at once (10000)"},
    {"rate",         "COUNT",     "lines a minute from one agent (0: no limit)"},
    {"idle",         "SECONDS",   "disconnect an agent silent for so long (a quiet hour; 0: never)"},
    {"stall",        "SECONDS",   "disconnect an agent that has not read for so long (30)"},
    {"strikes",      "COUNT",     "offences a minute that lead to quarantine (5)"},
    {"quarantine",   "SECONDS",   "refuse an offender's address for so long (300; 0: off)"},
    {"hold",         "MILLIS",    "how long a full agent may hold back the others (200)"},
    {"json",         NULL,        "write events as JSON lines"},
    {NULL, NULL, NULL},
};
/* clang-format on */

static nt_relay *running;

/* A signal handler; nt_relay_stop() may be called from one. */
static void stop(int signal_number)
{
    (void)signal_number;
    nt_relay_stop(running);
}

/* Options for the net room are `unsigned`; 2^30 is far above any sensible value and
 * keeps the cast exact. */
static bool read_small(const cli_args *args, const char *name, unsigned *to)
{
    size_t value = *to;
    bool ok = cli_number(args, name, 1u << 30, &value);
    *to = (unsigned)value;
    return ok;
}

/* Most values are what the machine can hold, not what is sensible; the relay's own
 * defaults are sensible. */
static bool read_numbers(const cli_args *args, nt_relay_config *c)
{
    const size_t most = (size_t)1 << 40;
    c->idle_both_ways &= !cli_value(args, "idle");
    c->durable |= cli_flag(args, "durable");
    return cli_number(args, "bus-pending", 1u << 30, &c->bus_pending) &&
           cli_number(args, "keep", 1u << 30, &c->keep_seconds) &&
           cli_number(args, "max-line", 1u << 28, &c->max_line) &&
           cli_number(args, "queue", most, &c->queue_bytes) &&
           cli_number(args, "memory", most, &c->memory_bytes) &&
           cli_number(args, "max-clients", 1u << 24, &c->max_clients) &&
           read_small(args, "rate", &c->rate_per_minute) &&
           read_small(args, "idle", &c->idle_seconds) &&
           read_small(args, "stall", &c->stall_seconds) &&
           read_small(args, "strikes", &c->strikes) &&
           read_small(args, "quarantine", &c->quarantine_seconds) &&
           read_small(args, "hold", &c->hold_ms);
}

/* Options replace what the file said. */
static void read_texts(const cli_args *args, nt_relay_config *c)
{
    const struct {
        const char *name, **to;
    } rows[] = {
        {"listen", &c->listen},
        {"cert", &c->cert},
        {"key", &c->key},
        {"client-ca", &c->client_ca},
        {"bus", &c->bus},
        {"room", &c->room},
        {"metrics", &c->metrics},
        {"log", &c->log},
        {"metrics-file", &c->metrics_file},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *value = cli_value(args, rows[i].name);
        *rows[i].to = value ? value : *rows[i].to;
    }
}

/* Settings of the file; options are read after it and win. */
static int read_config(const cli_args *args, mt_arena *a, nt_relay_config *c)
{
    const char *path = cli_value(args, "config");
    cli_document document;
    mt_buf notes = {0};
    int code = path ? cli_read_document(args, a, path, &document) : CLI_HOLDS;
    if (path && !code && nt_relay_config_read(a, &document.tree, c, &notes)) {
        code = cli_fail(args, CLI_FAILS, "%s: a configuration is an object", path);
    } else if (path && !code) {
        nt_relay_config_hints(a, &document.tree, &notes);
    }
    for (mt_str rest = mt_buf_str(&notes); rest.len;) {
        size_t end = mt_str_find(rest, '\n');
        c->report(NULL, mt_strf(a, "%s: %.*s", path, (int)end, rest.ptr).ptr);
        rest = mt_str_skip(rest, end + 1);
    }
    mt_buf_free(&notes);
    return code;
}

/* On stdout and at once: scripts wait for this line and read the port that the system
 * chose. */
static int say_where(const nt_relay *r)
{
    mt_buf text = {0};
    mt_buf_addf(&text, "listening on %s\n", nt_relay_address(r));
    if (nt_relay_metrics_address(r)[0]) {
        mt_buf_addf(&text, "metrics on http://%s/metrics\n",
                    nt_relay_metrics_address(r));
    }
    int code = cli_print(mt_buf_str(&text));
    mt_buf_free(&text);
    return code;
}

/* Without SA_RESTART, so that a call that waits comes back and sees the stop. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = stop};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
}

/* The file first, then options over it, then the relay checks the whole. */
static int run_relay(const cli_args *args, mt_arena *a)
{
    nt_relay_config config = NT_RELAY_DEFAULT;
    config.report = cli_flag(args, "json") ? cli_report_json : cli_report_text;
    int code = read_config(args, a, &config);
    if (code) {
        return code;
    }
    read_texts(args, &config);
    if (!read_numbers(args, &config)) {
        return CLI_USAGE;
    }
    mt_buf why = {0};
    mt_err err = nt_relay_open(&config, &running, &why);
    if (err) {
        code = err == MT_E_USAGE || err == MT_E_NOTFOUND ? CLI_USAGE : CLI_WORLD;
        cli_fail(args, code, "%.*s", MT_ARG(mt_buf_str(&why)));
        mt_buf_free(&why);
        return code;
    }
    catch_signals();
    code = say_where(running);
    if (!code) {
        nt_relay_run(running);
    }
    nt_relay_free(running);
    return code;
}

int cmd_agent_relay(const cli_args *args)
{
    mt_arena arena = {0};
    int code = run_relay(args, &arena);
    mt_arena_free(&arena);
    return code;
}
