#include "net/relay_config.h"

#include <stddef.h>

typedef enum setting_kind {
    IGNORED,  /* known, without meaning here */
    GROUP,    /* an object with rows of its own */
    TEXT,     /* const char * */
    SMALL,    /* unsigned */
    NULLABLE, /* unsigned; null is 0, "never" */
    SIZE,     /* size_t */
    HOST,     /* part of `listen` */
    PORT,
    SWITCH /* unsigned, put to 0 by false */
} setting_kind;

typedef struct setting {
    const char *group, *key; /* group "": the document itself */
    setting_kind kind;
    size_t offset; /* in nt_relay_config */
} setting;

#define AT(field) offsetof(nt_relay_config, field)
#define HYPER     "hyper_parameters"
#define POLICY    "hyper_parameters.backpressure_policy"

/* clang-format off */
static const setting SETTINGS[] = {
    {"", "host", HOST, 0},
    {"", "port", PORT, 0},
    {"", "version", IGNORED, 0},
    {"", "logger", IGNORED, 0},
    {"", HYPER, GROUP, 0},
    {"", "motet", GROUP, 0},
    {HYPER, "client_timeout_secs", NULLABLE, AT(idle_seconds)},
    {HYPER, "rate_limit_msgs_per_minute", SMALL, AT(rate_per_minute)},
    {HYPER, "quarantine_cooldown_secs", SMALL, AT(quarantine_seconds)},
    {HYPER, "flow_control_delay_ms", SMALL, AT(hold_ms)},
    {HYPER, "backpressure_policy", GROUP, 0},
    {HYPER, "connection_buffer_size", IGNORED, 0},
    {HYPER, "command_buffer_size", IGNORED, 0},
    {HYPER, "control_channel_capacity", IGNORED, 0},
    {HYPER, "queue_monitor_capacity", IGNORED, 0},
    {HYPER, "timeout_check_interval_secs", IGNORED, 0},
    {HYPER, "accept_error_backoff_ms", IGNORED, 0},
    {HYPER, "quarantine_cleanup_interval_secs", IGNORED, 0},
    {HYPER, "throttle_delay_ms", IGNORED, 0},
    {HYPER, "worker_threads", IGNORED, 0},
    {POLICY, "enable_flow_control", SWITCH, AT(hold_ms)},
    {POLICY, "enable_disconnect", SWITCH, AT(stall_seconds)},
    {POLICY, "enable_throttle", IGNORED, 0},
    {POLICY, "throttle_threshold", IGNORED, 0},
    {POLICY, "flow_control_threshold", IGNORED, 0},
    {POLICY, "disconnect_threshold", IGNORED, 0},
    {"motet", "listen", TEXT, AT(listen)},
    {"motet", "metrics", TEXT, AT(metrics)},
    {"motet", "metrics_file", TEXT, AT(metrics_file)},
    {"motet", "log", TEXT, AT(log)},
    {"motet", "cert", TEXT, AT(cert)},
    {"motet", "key", TEXT, AT(key)},
    {"motet", "client_ca", TEXT, AT(client_ca)},
    {"motet", "bus", TEXT, AT(bus)},
    {"motet", "room", TEXT, AT(room)},
    {"motet", "bus_pending", SIZE, AT(bus_pending)},
    {"motet", "max_line", SIZE, AT(max_line)},
    {"motet", "queue_bytes", SIZE, AT(queue_bytes)},
    {"motet", "memory_bytes", SIZE, AT(memory_bytes)},
    {"motet", "max_clients", SIZE, AT(max_clients)},
    {"motet", "stall_secs", SMALL, AT(stall_seconds)},
    {"motet", "strikes", SMALL, AT(strikes)},
};
/* clang-format on */

typedef struct reading {
    mt_arena *arena;
    nt_relay_config *config;
    mt_buf *notes;
    mt_str host;
    int64_t port;
} reading;

static const setting *find_setting(mt_str group, mt_str key)
{
    for (size_t i = 0; i < sizeof SETTINGS / sizeof *SETTINGS; i++) {
        if (mt_str_eq(mt_str_z(SETTINGS[i].group), group) &&
            mt_str_eq(mt_str_z(SETTINGS[i].key), key)) {
            return &SETTINGS[i];
        }
    }
    return NULL;
}

static void note(reading *r, mt_str group, mt_str key, const char *what)
{
    mt_buf_addf(r->notes, "%.*s%s%.*s %s\n", MT_ARG(group), group.len ? "." : "",
                MT_ARG(key), what);
}

static bool read_number(const mt_json *value, int64_t most, int64_t *to)
{
    return mt_json_i64(value, to) == MT_OK && *to >= 0 && *to <= most;
}

static bool set_text(reading *r, const setting *s, const mt_json *value)
{
    if (!mt_json_is(value, MT_JSON_STRING)) {
        return mt_json_is(value, MT_JSON_NULL);
    }
    mt_str text = mt_str_dup(r->arena, mt_json_text(value));
    if (s->kind == HOST) {
        r->host = text;
    } else {
        memcpy((char *)r->config + s->offset, &text.ptr, sizeof text.ptr);
    }
    return true;
}

static bool set_small(reading *r, const setting *s, const mt_json *value)
{
    int64_t number = 0;
    bool never = s->kind == NULLABLE && mt_json_is(value, MT_JSON_NULL);
    if (!never && !read_number(value, 1 << 30, &number)) {
        return false;
    }
    unsigned small = (unsigned)number;
    memcpy((char *)r->config + s->offset, &small, sizeof small);
    return true;
}

static bool set_size(reading *r, const setting *s, const mt_json *value)
{
    int64_t number;
    if (!read_number(value, (int64_t)1 << 40, &number)) {
        return false;
    }
    size_t size = (size_t)number;
    memcpy((char *)r->config + s->offset, &size, sizeof size);
    return true;
}

static bool set_port(reading *r, const mt_json *value)
{
    int64_t number;
    if (mt_json_is(value, MT_JSON_NULL)) {
        return true;
    }
    bool fits = read_number(value, 65535, &number);
    r->port = fits ? number : r->port;
    return fits;
}

static bool switch_off(reading *r, const setting *s, const mt_json *value)
{
    const unsigned off = 0;
    if (mt_json_is(value, MT_JSON_BOOL) && !value->boolean) {
        memcpy((char *)r->config + s->offset, &off, sizeof off);
    }
    return mt_json_is(value, MT_JSON_BOOL);
}

/* False: the value has the wrong type or range. */
static bool set(reading *r, const setting *s, const mt_json *value)
{
    switch (s->kind) {
    case IGNORED:
    case GROUP: return true;
    case TEXT:
    case HOST: return set_text(r, s, value);
    case NULLABLE:
    case SMALL: return set_small(r, s, value);
    case SIZE: return set_size(r, s, value);
    case SWITCH: return switch_off(r, s, value);
    case PORT: return set_port(r, value);
    }
    return false;
}

/* Three levels and no more, so it need not recurse: each group is found by its path. */
static void read_group(reading *r, mt_str group, const mt_json *object)
{
    for (uint32_t i = 0; object && i < object->count; i++) {
        const mt_json_member *m = &object->as.members[i];
        const setting *s = find_setting(group, m->key);
        if (!s) {
            note(r, group, m->key, "is no setting of a relay; passed over");
        } else if (s->kind == GROUP && !mt_json_is(&m->value, MT_JSON_OBJECT)) {
            note(r, group, m->key, "is no object; left out");
        } else if (!set(r, s, &m->value)) {
            note(r, group, m->key, "has the wrong type or range; left out");
        }
    }
}

static const mt_json *object_at(const mt_json *tree, mt_str key)
{
    const mt_json *found = mt_json_get(tree, key);
    return mt_json_is(found, MT_JSON_OBJECT) ? found : NULL;
}

mt_err nt_relay_config_read(mt_arena *a, const mt_json *tree, nt_relay_config *config,
                            mt_buf *notes)
{
    if (!mt_json_is(tree, MT_JSON_OBJECT)) {
        return MT_E_TYPE;
    }
    reading r = {.arena = a, .config = config, .notes = notes, .port = -1};
    const mt_json *hyper = object_at(tree, MT_STR(HYPER));
    read_group(&r, MT_STR(""), tree);
    read_group(&r, MT_STR(HYPER), hyper);
    read_group(&r, MT_STR(POLICY), object_at(hyper, MT_STR("backpressure_policy")));
    if (r.host.ptr || r.port >= 0) {
        mt_str host = r.host.ptr ? r.host : MT_STR("127.0.0.1");
        bool six = mt_str_find(host, ':') < host.len;
        config->listen = mt_strf(a, six ? "[%.*s]:%d" : "%.*s:%d", MT_ARG(host),
                                 r.port >= 0 ? (int)r.port : 8888)
                             .ptr;
    }
    read_group(&r, MT_STR("motet"), object_at(tree, MT_STR("motet")));
    return MT_OK;
}
