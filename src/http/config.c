#include "http/config.h"

#include <stddef.h>

#include "base/yaml_read.h"
#include "http/log.h"
#include "os/address.h"

/* clang-format off */
const ht_config HT_CONFIG_DEFAULT = {
#define SETTING_DEFAULT(key, option, kind, type, initial, least, most, arg, help) \
    .key = initial,
    HT_SETTING_MAP(SETTING_DEFAULT)
#undef SETTING_DEFAULT
};

const ht_setting HT_SETTINGS[] = {
#define SETTING_ROW(key, option, kind, type, initial, least, most, arg, help) \
    {#key, option, HT_##kind, offsetof(ht_config, key), least, most, arg, help},
    HT_SETTING_MAP(SETTING_ROW)
#undef SETTING_ROW
};
/* clang-format on */
const size_t HT_SETTING_COUNT = sizeof HT_SETTINGS / sizeof *HT_SETTINGS;

typedef struct reading {
    mt_arena *arena;
    mt_str name, text;
    ht_config *config;
    mt_buf *faults;
} reading;

static void *place(ht_config *config, const ht_setting *s)
{
    return (char *)config + s->offset;
}

__attribute__((format(printf, 3, 4))) static void fault(reading *r, size_t offset,
                                                        const char *format, ...)
{
    uint32_t line, column;
    va_list args;
    mt_json_place(r->text, offset, &line, &column);
    mt_buf_addf(r->faults, "%.*s:%u:%u: ", MT_ARG(r->name), line, column);
    va_start(args, format);
    mt_buf_addfv(r->faults, format, args);
    va_end(args);
    mt_buf_addc(r->faults, '\n');
}

static const ht_setting *find_key(mt_str key)
{
    for (size_t i = 0; i < HT_SETTING_COUNT; i++) {
        if (mt_str_eq(mt_str_z(HT_SETTINGS[i].key), key)) {
            return &HT_SETTINGS[i];
        }
    }
    return NULL;
}

/* A C string: what a file name or an address must be. */
static const char *word_of(mt_arena *a, const mt_json *value)
{
    mt_str text = mt_json_text(value);
    bool good =
        mt_json_is(value, MT_JSON_STRING) && mt_str_find(text, '\0') == text.len;
    return good ? mt_str_dup(a, text).ptr : NULL;
}

static void add_item(mt_arena *a, ht_list *list, const char *item)
{
    const char **items = mt_new_array(a, const char *, list->count + 2);
    if (list->count) {
        memcpy(items, list->items, list->count * sizeof *items);
    }
    items[list->count++] = item;
    list->items = items;
}

static bool read_list(reading *r, const mt_json *value, ht_list *to)
{
    *to = (ht_list){0};
    if (!mt_json_is(value, MT_JSON_ARRAY)) {
        return false;
    }
    for (uint32_t i = 0; i < value->count; i++) {
        const char *item = word_of(r->arena, &value->as.items[i]);
        if (!item) {
            return false;
        }
        add_item(r->arena, to, item);
    }
    return true;
}

static bool fits(const ht_setting *s, int64_t number)
{
    return number >= 0 && (size_t)number >= s->least && (size_t)number <= s->most;
}

static void read_count(reading *r, const ht_setting *s, const mt_json *value)
{
    int64_t number;
    if (mt_json_i64(value, &number) || !fits(s, number)) {
        fault(r, value->offset, "%s is a whole number from %zu to %zu", s->key,
              s->least, s->most);
        return;
    }
    *(size_t *)place(r->config, s) = (size_t)number;
}

static void read_value(reading *r, const ht_setting *s, const mt_json *value)
{
    void *to = place(r->config, s);
    switch (s->kind) {
    case HT_TEXT:
        if (!(*(const char **)to = word_of(r->arena, value))) {
            fault(r, value->offset, "%s is a text", s->key);
        }
        return;
    case HT_COUNT: read_count(r, s, value); return;
    case HT_FLAG:
        *(bool *)to = value->boolean;
        if (!mt_json_is(value, MT_JSON_BOOL)) {
            fault(r, value->offset, "%s is true or false", s->key);
        }
        return;
    case HT_LIST:
        if (!read_list(r, value, to)) {
            fault(r, value->offset, "%s is a list of texts", s->key);
        }
        return;
    case HT_TREE:
        *(const mt_json **)to = value;
        if (!mt_json_is(value, MT_JSON_OBJECT)) {
            fault(r, value->offset, "%s is an object", s->key);
        }
        return;
    }
}

/* Where a key stands is not kept by the reader; it is found before its value. */
static size_t key_offset(const reading *r, const mt_json_member *m)
{
    size_t at = m->value.offset < r->text.len ? m->value.offset : r->text.len;
    while (at > 0) {
        at--;
        if (r->text.len - at >= m->key.len &&
            memcmp(r->text.ptr + at, m->key.ptr, m->key.len) == 0) {
            return at;
        }
    }
    return m->value.offset;
}

static void read_all(reading *r, const mt_json *tree)
{
    if (mt_json_is(tree, MT_JSON_NULL)) {
        return; /* an empty file */
    }
    if (!mt_json_is(tree, MT_JSON_OBJECT)) {
        fault(r, tree->offset, "a configuration is an object");
        return;
    }
    for (uint32_t i = 0; i < tree->count; i++) {
        const mt_json_member *m = &tree->as.members[i];
        const ht_setting *s = find_key(m->key);
        if (s) {
            read_value(r, s, &m->value);
        } else {
            fault(r, key_offset(r, m), "there is no setting %.*s", MT_ARG(m->key));
        }
    }
}

mt_err ht_config_read(mt_arena *a, mt_str name, mt_str text, bool yaml,
                      ht_config *config, mt_buf *faults)
{
    reading r = {a, name, text, config, faults};
    mt_json *tree = mt_new(a, mt_json);
    mt_json_error error = {0};
    size_t before = faults->len;
    mt_err err = yaml ? mt_yaml_read(a, text, NULL, tree, &error)
                      : mt_json_read(a, text, NULL, tree, &error);
    if (err) {
        fault(&r, error.offset, "%s%s%.*s", error.message ? error.message : "malformed",
              error.detail.len ? ": " : "", MT_ARG(error.detail));
        return MT_E_REJECTED;
    }
    config->all = tree;
    read_all(&r, tree);
    return faults->len == before ? MT_OK : MT_E_REJECTED;
}

static const ht_setting *find_option(const char *option)
{
    for (size_t i = 0; i < HT_SETTING_COUNT; i++) {
        if (HT_SETTINGS[i].option && strcmp(HT_SETTINGS[i].option, option) == 0) {
            return &HT_SETTINGS[i];
        }
    }
    return NULL;
}

static mt_err set_count(ht_config *config, const ht_setting *s, const char *text)
{
    mt_json number = {.type = MT_JSON_NUMBER, .count = (uint32_t)strlen(text)};
    int64_t value;
    number.as.text = text;
    if (text[0] < '0' || text[0] > '9' || mt_json_i64(&number, &value) ||
        !fits(s, value)) {
        return MT_E_RANGE;
    }
    *(size_t *)place(config, s) = (size_t)value;
    return MT_OK;
}

mt_err ht_config_set(mt_arena *a, ht_config *config, const char *option,
                     const char *text)
{
    const ht_setting *s = find_option(option);
    if (!s) {
        return MT_E_NOTFOUND;
    }
    switch (s->kind) {
    case HT_TEXT: *(const char **)place(config, s) = text; return MT_OK;
    case HT_COUNT: return set_count(config, s, text);
    case HT_FLAG: *(bool *)place(config, s) = true; return MT_OK;
    case HT_LIST: add_item(a, place(config, s), text); return MT_OK;
    case HT_TREE: break;
    }
    return MT_E_NOTFOUND;
}

mt_err ht_config_check(const ht_config *c, mt_buf *faults)
{
    size_t before = faults->len;
    char host[OS_HOST_TEXT], port[8];
    ht_level level;
    if (!os_address_split(c->listen, host, port)) {
        mt_buf_addf(faults, "listen: %s is not HOST:PORT\n", c->listen);
    }
    if (!c->tls_cert != !c->tls_key) {
        mt_buf_addz(faults, "tls_cert and tls_key go together\n");
    }
    if (c->outgoing && !c->sources) {
        mt_buf_addz(faults,
                    "outgoing has no effect without sources; `sources: {}` lets "
                    "contracts fetch\n");
    }
    if (strcmp(c->log, "text") != 0 && strcmp(c->log, "json") != 0) {
        mt_buf_addf(faults, "log: %s is neither text nor json\n", c->log);
    }
    if (!ht_level_read(mt_str_z(c->log_level), &level)) {
        mt_buf_addf(faults, "log_level: %s is not debug, info, warn or error\n",
                    c->log_level);
    }
    return faults->len == before ? MT_OK : MT_E_REJECTED;
}
