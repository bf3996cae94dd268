/* cli/inside.c - see inside.h. Room: cli. */
#include "cli/inside.h"

#include <pthread.h>
#include <unistd.h>

#include "cli/executor_settings.h"
#include "cli/serve_reload.h"

/* Options outweigh the configuration. The array of files ends with NULL; of a
 * configuration's own files none is taken, since the command says which contract it is
 * for. */
int cli_inside_read(cli_inside *in, const char *contract)
{
    const cli_args *args = in->args;
    const char *store = cli_value(args, "store"), *key = cli_value(args, "signing-key");
    in->limits = cli_limits(args);
    in->config = HT_CONFIG_DEFAULT;
    int code = cli_read_config(args, &in->arena, cli_value(args, "config"),
                               in->limits.yaml_bytes, &in->config, &in->text);
    in->config.store = store ? store : in->config.store;
    in->config.signing_key = key ? key : in->config.signing_key;
    const char **files = mt_new_array(&in->arena, const char *, 2);
    files[0] = contract;
    in->config.files = (ht_list){files, contract != NULL};
    return code;
}

/* Warnings and worse, on standard error: standard output is for messages. */
static int open_log(cli_inside *in)
{
    in->log = (ht_log){.fd = STDERR_FILENO};
    atomic_store(&in->log.least, (int)HT_WARN);
    return ht_log_open(&in->log, in->limits.log_bytes)
               ? cli_fail(in->args, CLI_WORLD, "no thread can be had for the log")
               : CLI_HOLDS;
}

/* That nobody signs is what the caller of such a command chose. */
static void write_log(void *log, int level, mt_str event, mt_str fields)
{
    if (!mt_str_is(event, "ledger_unsigned")) {
        ht_log_write(log, level, event, fields);
    }
}

/* What the log still has comes first, so that lines are in the order things
 * happened. */
static int say_why(cli_inside *in, int code, mt_buf *why)
{
    ht_log_flush(&in->log);
    cli_fail(in->args, code, "%.*s", MT_ARG(mt_buf_str(why)));
    mt_buf_free(why);
    return code;
}

enum { TRY_AGAIN_MS = 5 };

/* A file has one owner at a time: another command may be about to end. */
static mt_err open_store(cli_inside *in, unsigned wait_ms, mt_buf *why)
{
    st_options options = {.pool = (unsigned)in->config.pool,
                          .must_exist = in->must_exist};
    mt_err err = st_open(in->config.store, &options, &in->store, why);
    for (unsigned waited = 0; err == MT_E_BUSY && waited < wait_ms;
         waited += TRY_AGAIN_MS) {
        usleep(TRY_AGAIN_MS * 1000);
        mt_buf_clear(why);
        err = st_open(in->config.store, &options, &in->store, why);
    }
    return err;
}

/* A contract with faults is exit status 1, settings that contradict each other 2. */
static int open_executor(cli_inside *in, unsigned wait_ms)
{
    mt_buf why = {0};
    if (open_store(in, wait_ms, &why)) {
        return say_why(in, CLI_WORLD, &why);
    }
    ex_executor_options o = cli_executor_options(&in->arena, &in->config, &in->limits,
                                                 serve_directory(in->args));
    /* Flows that others began on a contract that is edited go on as they began. */
    static const mt_str AS_THEY_BEGAN[] = {MT_STR_INIT("blue_green")};
    if (in->edited && !o.policy_count) {
        o.policies = AS_THEY_BEGAN;
        o.policy_count = 1;
    }
    o.store = in->store;
    o.log = write_log;
    o.log_state = &in->log;
    mt_err err = ex_executor_open(&o, &in->executor, &why);
    int code = err == MT_E_REJECTED ? CLI_FAILS
               : err == MT_E_USAGE  ? CLI_USAGE
                                    : CLI_WORLD;
    return err ? say_why(in, code, &why) : CLI_HOLDS;
}

int cli_inside_open(cli_inside *in, unsigned wait_ms)
{
    int code = open_log(in);
    return code ? code : open_executor(in, wait_ms);
}

/* The executor first: its workers use store and log until they have ended. */
void cli_inside_close(cli_inside *in)
{
    ex_executor_close(in->executor);
    if (in->store) {
        st_close(in->store);
    }
    ht_log_close(&in->log);
}

void cli_inside_signals(void (*stop)(int), sigset_t *signals, int how)
{
    struct sigaction action = {.sa_handler = stop};
    sigemptyset(signals);
    sigaddset(signals, SIGTERM);
    sigaddset(signals, SIGINT);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    pthread_sigmask(how, signals, NULL);
}
