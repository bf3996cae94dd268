/* net/relay_config.c - see relay_config.h.
 *
 * Order: the document, hyper_parameters, its backpressure_policy, then `motet`, whose
 * keys come last and so win. Each group is one table; its notes are in the order of the
 * file.
 * Invariant: what is wrong leaves the setting as it was: a relay starts with any
 * object. May fail: only when the document is not an object. */
#include "net/relay_config.h"

#include "base/form.h"

#define HYPER  "hyper_parameters"
#define POLICY "backpressure_policy"
/* Seconds and milliseconds: in range for an int after no more than one
 * multiplication in 64 bits. Sizes are judged once more by relay.c, whoever gave
 * them. */
#define SMALL_MOST (1 << 30)
#define SIZE_MOST  ((int64_t)1 << 40)

/* What a document is read into. */
typedef struct relay_file {
    nt_relay_config config;
    mt_str host;
    int64_t port; /* -1: not given */
    bool holds, disconnects;
    const mt_json *hyper, *policy, *motet;
} relay_file;

/* clang-format off */
#define WORD(field, key)  MT_FORM_WORD(relay_file, config.field, key, MT_FORM_NULLABLE)
#define SMALL(field, key) MT_FORM_U32(relay_file, config.field, key, 0, SMALL_MOST, 0)
#define SIZE(field, key)  MT_FORM_SIZE(relay_file, config.field, key, 0, SIZE_MOST, 0)

static const mt_form_row DOCUMENT[] = {
    MT_FORM_TEXT(relay_file, host, "host", MT_FORM_NULLABLE),
    MT_FORM_INT(relay_file, port, "port", 0, 65535, MT_FORM_NULLABLE),
    MT_FORM_NOTE("version"),
    MT_FORM_NOTE("logger"),
    MT_FORM_OBJECT(relay_file, hyper, HYPER, 0),
    MT_FORM_OBJECT(relay_file, motet, "motet", 0),
};

static const mt_form_row HYPER_ROWS[] = {
    MT_FORM_U32(relay_file, config.idle_seconds, "client_timeout_secs", 0, SMALL_MOST,
                  MT_FORM_NULLABLE),
    SMALL(rate_per_minute, "rate_limit_msgs_per_minute"),
    SMALL(quarantine_seconds, "quarantine_cooldown_secs"),
    SMALL(hold_ms, "flow_control_delay_ms"),
    MT_FORM_OBJECT(relay_file, policy, POLICY, 0),
    /* Settings of other relays that have no meaning here: known, so that a file made
     * for them is read without a warning, and without effect. */
    MT_FORM_NOTE("connection_buffer_size"),
    MT_FORM_NOTE("command_buffer_size"),
    MT_FORM_NOTE("control_channel_capacity"),
    MT_FORM_NOTE("queue_monitor_capacity"),
    MT_FORM_NOTE("timeout_check_interval_secs"),
    MT_FORM_NOTE("accept_error_backoff_ms"),
    MT_FORM_NOTE("quarantine_cleanup_interval_secs"),
    MT_FORM_NOTE("throttle_delay_ms"),
    MT_FORM_NOTE("worker_threads"),
};

static const mt_form_row POLICY_ROWS[] = {
    MT_FORM_FLAG(relay_file, holds, "enable_flow_control", 0),
    MT_FORM_FLAG(relay_file, disconnects, "enable_disconnect", 0),
    MT_FORM_NOTE("enable_throttle"),
    MT_FORM_NOTE("throttle_threshold"),
    MT_FORM_NOTE("flow_control_threshold"),
    MT_FORM_NOTE("disconnect_threshold"),
};

static const mt_form_row MOTET_ROWS[] = {
    WORD(listen, "listen"),
    WORD(metrics, "metrics"),
    WORD(metrics_file, "metrics_file"),
    WORD(log, "log"),
    WORD(cert, "cert"),
    WORD(key, "key"),
    WORD(client_ca, "client_ca"),
    WORD(bus, "bus"),
    WORD(room, "room"),
    MT_FORM_FLAG(relay_file, config.durable, "durable", 0),
    SIZE(keep_seconds, "keep_secs"),
    SIZE(bus_pending, "bus_pending"),
    SIZE(max_line, "max_line"),
    SIZE(queue_bytes, "queue_bytes"),
    SIZE(memory_bytes, "memory_bytes"),
    SIZE(max_clients, "max_clients"),
    SMALL(stall_seconds, "stall_secs"),
    SMALL(strikes, "strikes"),
};
/* clang-format on */

/* ---- Notes ---- */

typedef struct reading {
    mt_arena *arena;
    relay_file file;
    mt_buf *notes;
    void (*note)(mt_buf *notes, const mt_form_fault *fault);
} reading;

static bool is_group(mt_str key)
{
    return mt_str_is(key, HYPER) || mt_str_is(key, POLICY) || mt_str_is(key, "motet");
}

static void note_fault(mt_buf *notes, const mt_form_fault *fault)
{
    const char *what = fault->wrong == MT_FORM_UNKNOWN_KEY
                           ? "is not a setting of a relay; passed over"
                       : is_group(fault->key) ? "is not an object; left out"
                                              : "has the wrong type or range; left out";
    mt_buf_addf(notes, "%.*s %s\n", MT_ARG(fault->path), what);
}

static void note_hint(mt_buf *notes, const mt_form_fault *fault)
{
    if (fault->hint.len) {
        mt_buf_addf(notes, "%.*s: %.*s\n", MT_ARG(fault->path), MT_ARG(fault->hint));
    }
}

/* ---- Reading ---- */

/* A group that is absent, or was noted as wrong, is NULL and has nothing to say. */
static void read_group(reading *r, const char *path, const mt_json *object,
                       const mt_form_row *rows, size_t count)
{
    mt_form_faults faults = {.arena = r->arena};
    mt_form form = {.arena = r->arena,
                    .path = mt_str_z(path),
                    .what = "a relay",
                    .report = mt_form_keep,
                    .state = &faults};
    if (object) {
        (void)mt_form_read(&form, object, rows, count, &r->file);
    }
    mt_form_sort(&faults);
    for (size_t i = 0; i < faults.len; i++) {
        r->note(r->notes, &faults.items[i]);
    }
}

static void set_listen(reading *r)
{
    const relay_file *file = &r->file;
    if (file->host.ptr || file->port >= 0) {
        mt_str host = file->host.ptr ? file->host : MT_STR("127.0.0.1");
        bool six = mt_str_find(host, ':') < host.len;
        r->file.config.listen =
            mt_strf(r->arena, six ? "[%.*s]:%d" : "%.*s:%d", MT_ARG(host),
                    file->port >= 0 ? (int)file->port : 8888)
                .ptr;
    }
}

static void read_hyper(reading *r)
{
    relay_file *file = &r->file;
    const mt_json *timeout = mt_json_at(file->hyper, "client_timeout_secs");
    read_group(r, HYPER, file->hyper, HYPER_ROWS, mt_form_count(HYPER_ROWS));
    read_group(r, HYPER "." POLICY, file->policy, POLICY_ROWS,
               mt_form_count(POLICY_ROWS));
    if (timeout && mt_json_is(timeout, MT_JSON_NULL)) {
        file->config.idle_seconds = 0; /* never */
    }
    /* A file that names the time-out means it as its relay does: only what the agent
     * says counts. */
    file->config.idle_both_ways &= !timeout;
    if (!file->holds) {
        file->config.hold_ms = 0;
    }
    if (!file->disconnects) {
        file->config.stall_seconds = 0;
    }
}

static void read_file(reading *r, const mt_json *tree)
{
    relay_file *file = &r->file;
    read_group(r, "", tree, DOCUMENT, mt_form_count(DOCUMENT));
    read_hyper(r);
    set_listen(r);
    read_group(r, "motet", file->motet, MOTET_ROWS, mt_form_count(MOTET_ROWS));
}

static reading start(mt_arena *a, const nt_relay_config *config, mt_buf *notes)
{
    relay_file file = {
        .config = *config, .port = -1, .holds = true, .disconnects = true};
    return (reading){.arena = a, .file = file, .notes = notes, .note = note_fault};
}

mt_err nt_relay_config_read(mt_arena *a, const mt_json *tree, nt_relay_config *config,
                            mt_buf *notes)
{
    if (!mt_json_is(tree, MT_JSON_OBJECT)) {
        return MT_E_TYPE;
    }
    reading r = start(a, config, notes);
    read_file(&r, tree);
    *config = r.file.config;
    return MT_OK;
}

void nt_relay_config_hints(mt_arena *a, const mt_json *tree, mt_buf *hints)
{
    reading r = start(a, &NT_RELAY_DEFAULT, hints);
    r.note = note_hint;
    if (mt_json_is(tree, MT_JSON_OBJECT)) {
        read_file(&r, tree);
    }
}
