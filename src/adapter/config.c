/* adapter/config.c - the settings of sources and facts, one table each.
 * Room: adapter.
 * A key that is not in the table, or not for this kind of source, is a fault: what is
 * written in a configuration has an effect or is refused. */
#include <errno.h>
#include <stddef.h>

#include "adapter/impl.h"
#include "base/duration.h"

typedef enum setting_kind {
    TEXT,     /* mt_str */
    FILENAME, /* mt_str, from the directory of the configuration */
    DURATION, /* uint64_t milliseconds, written "5s" */
    SIZE,     /* size_t */
    SWITCH,   /* bool */
    TREE,     /* const mt_json *, read by the adapter */
    ON_ERROR, /* ad_on_error by name */
    RESPONSE  /* digest or keep */
} setting_kind;

enum {
    WEB = 1 << AD_HTTP | 1 << AD_GRAPHQL,
    DATABASE = 1 << AD_SQLITE | 1 << AD_POSTGRES,
    POOLED = DATABASE | 1 << AD_PROCESS,
    REMOTE = WEB | POOLED,
    CACHED = REMOTE | 1 << AD_STATIC,
    ALL = (1 << AD_ADAPTER_COUNT) - 1
};

typedef struct setting {
    const char *key;
    setting_kind kind;
    unsigned adapters; /* 1 << ad_adapter_kind */
    size_t offset;
    int64_t most; /* SIZE; zero is refused where it makes no sense */
} setting;

/* clang-format off */
#define AT(field) offsetof(ad_source, field), 0
#define UP_TO(field, most) offsetof(ad_source, field), most
static const setting SOURCE_SETTINGS[] = {
    {"base_url",        TEXT,     1 << AD_HTTP,        AT(base_url)},
    {"endpoint",        TEXT,     1 << AD_GRAPHQL,     AT(base_url)},
    {"auth",            TREE,     WEB,                 AT(auth)},
    {"headers",         TREE,     WEB,                 AT(headers)},
    {"connect_timeout", DURATION, WEB,                 AT(connect_timeout)},
    {"redirects",       SIZE,     WEB,                 UP_TO(redirects, 100)},
    {"proxy",           TEXT,     WEB,                 AT(proxy)},
    {"ca_file",         FILENAME, WEB,                 AT(ca_file)},
    {"timeout",         DURATION, REMOTE,              AT(timeout)},
    {"max_bytes",       SIZE,     CACHED,              UP_TO(max_bytes, (int64_t)1 << 32)},
    {"connections",     SIZE,     DATABASE,            UP_TO(connections, 1000)},
    {"connection",      TREE,     1 << AD_POSTGRES,    AT(connection)},
    {"file",            FILENAME, 1 << AD_SQLITE | 1 << AD_STATIC, AT(file)},
    {"environment",     SWITCH,   1 << AD_STATIC,      AT(environment)},
    {"environment",     TREE,     1 << AD_PROCESS,     AT(variables)},
    {"values",          TREE,     1 << AD_STATIC,      AT(values)},
    {"command",         TREE,     1 << AD_PROCESS,     AT(command)},
    {"directory",       FILENAME, 1 << AD_PROCESS,     AT(working_directory)},
    {"processes",       SIZE,     1 << AD_PROCESS,     UP_TO(connections, 1000)},
    {"fixed",           TEXT,     1 << AD_CLOCK,       AT(fixed)},
    {"max_age",         DURATION, CACHED | 1 << AD_MANUAL, AT(max_age)},
    {"stale_for",       DURATION, CACHED,              AT(stale_for)},
    {"on_error",        ON_ERROR, ALL,                 AT(on_error)},
    {"response",        RESPONSE, ALL,                 AT(keep_response)},
    {"facts",           TREE,     ALL,                 AT(facts)},
    {"instances",       TREE,     ALL,                 AT(instances)},
};
#undef AT
#define AT(field) offsetof(ad_fact_plan, field), 0
static const setting FACT_SETTINGS[] = {
    {"resource",   TEXT, 1 << AD_HTTP,                     AT(resource_text)},
    {"select",     TEXT, WEB | 1 << AD_STATIC,             AT(select_text)},
    {"query",      TEXT, DATABASE | 1 << AD_GRAPHQL,       AT(query)},
    {"parameters", TREE, DATABASE | 1 << AD_GRAPHQL | 1 << AD_PROCESS, AT(parameters)},
    {"variable",   TEXT, 1 << AD_STATIC,                   AT(variable)},
};
#undef AT
/* clang-format on */

/* ---- Faults ---- */

static bool fault(ad_opening *o, mt_severity severity, const char *code,
                  const char *kind, mt_str id, mt_str message)
{
    mt_diag_add(o->ds, &(mt_diag){.severity = severity,
                                  .code = code,
                                  .pass = -1,
                                  .file = MT_STR("sources"),
                                  .construct_kind = mt_str_z(kind),
                                  .construct_id = mt_str_dup(o->ds->arena, id),
                                  .message = message});
    return severity != MT_ERROR;
}

bool ad_source_fault(ad_opening *o, const ad_source *s, const char *code,
                     const char *format, ...)
{
    va_list args;
    va_start(args, format);
    mt_str message = mt_strfv(o->ds->arena, format, args);
    va_end(args);
    return fault(o, MT_ERROR, code, "Source", s->decl->id, message);
}

bool ad_source_refuse(ad_opening *o, ad_source *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    s->refused = mt_strfv(&o->adapters->arena, format, args);
    va_end(args);
    return fault(o, o->adapters->options.accepted ? MT_WARNING : MT_ERROR, AD_F_ORIGIN,
                 "Source", s->decl->id, mt_str_dup(o->ds->arena, s->refused));
}

bool ad_fact_fault(ad_opening *o, const ad_fact_plan *p, const char *code,
                   const char *format, ...)
{
    va_list args;
    va_start(args, format);
    mt_str message = mt_strfv(o->ds->arena, format, args);
    va_end(args);
    return fault(o, MT_ERROR, code, "Fact", p->fact->id, message);
}

mt_str ad_beside(ad_opening *o, mt_str name)
{
    bool absolute = name.len && name.ptr[0] == '/';
    mt_arena *a = &o->adapters->arena;
    return absolute || !o->directory.len
               ? mt_str_dup(a, name)
               : mt_strf(a, "%.*s/%.*s", MT_ARG(o->directory), MT_ARG(name));
}

/* ---- One setting ---- */

static bool set_text(ad_opening *o, const setting *s, const mt_json *value, void *to)
{
    mt_str text = mt_json_text(value);
    if (!mt_json_is(value, MT_JSON_STRING) || !text.len ||
        memchr(text.ptr, 0, text.len)) {
        return false;
    }
    *(mt_str *)to = s->kind == FILENAME ? ad_beside(o, text)
                                        : mt_str_dup(&o->adapters->arena, text);
    return true;
}

static bool set_size(const setting *s, const mt_json *value, void *to)
{
    int64_t number;
    if (mt_json_i64(value, &number) || number < 0 || number > s->most) {
        return false;
    }
    *(size_t *)to = (size_t)number;
    return true;
}

static bool set_duration(const mt_json *value, void *to)
{
    return mt_json_is(value, MT_JSON_STRING) &&
           mt_duration_parse(mt_json_text(value), to) == MT_OK &&
           *(const uint64_t *)to <= UINT64_C(3660) * 24 * 3600 * 1000;
}

static bool set_switch(const mt_json *value, void *to)
{
    *(bool *)to = mt_json_is(value, MT_JSON_BOOL) && value->boolean;
    return mt_json_is(value, MT_JSON_BOOL);
}

static bool set_on_error(const mt_json *value, void *to)
{
    static const char *const NAMES[] = {"fail", "default", "stale"}; /* ad_on_error */
    for (uint8_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (mt_str_eq(mt_json_text(value), mt_str_z(NAMES[i]))) {
            *(uint8_t *)to = i;
            return true;
        }
    }
    return false;
}

static bool set_response(const mt_json *value, void *to)
{
    *(bool *)to = mt_str_is(mt_json_text(value), "keep");
    return *(bool *)to || mt_str_is(mt_json_text(value), "digest");
}

static bool set(ad_opening *o, const setting *s, const mt_json *value, void *target)
{
    void *to = (char *)target + s->offset;
    switch (s->kind) {
    case TEXT:
    case FILENAME: return set_text(o, s, value, to);
    case DURATION: return set_duration(value, to);
    case SIZE: return set_size(s, value, to);
    case SWITCH: return set_switch(value, to);
    case TREE: *(const mt_json **)to = value; return true;
    case ON_ERROR: return set_on_error(value, to);
    case RESPONSE: return set_response(value, to);
    }
    return false;
}

static const setting *find(const setting *table, size_t count, mt_str key,
                           ad_adapter_kind kind)
{
    for (size_t i = 0; i < count; i++) {
        if (mt_str_eq(mt_str_z(table[i].key), key) && table[i].adapters >> kind & 1) {
            return &table[i];
        }
    }
    return NULL;
}

/* ---- All of them ---- */

/* {name: Entity}: whose bound instance fills {name}. */
static bool check_instances(ad_opening *o, const ad_source *s)
{
    const mt_json *map = s->instances;
    bool ok = !map || mt_json_is(map, MT_JSON_OBJECT);
    for (uint32_t i = 0; ok && map && i < map->count; i++) {
        mt_str entity = mt_json_text(&map->as.members[i].value);
        ok = ct_model_find(o->adapters->model, CT_KIND_ENTITY, entity) != CT_NONE;
    }
    return ok || ad_source_fault(o, s, AD_F_SETTING,
                                 "'instances' of source '%.*s' must be names and "
                                 "entities of the contract",
                                 MT_ARG(s->decl->id));
}

static bool check_source(ad_opening *o, const ad_source *s)
{
    if (s->on_error == AD_ON_ERROR_STALE && !s->stale_for) {
        return ad_source_fault(o, s, AD_F_POLICY,
                               "on_error: stale of source '%.*s' needs stale_for",
                               MT_ARG(s->decl->id));
    }
    if (!s->timeout || !s->connect_timeout || !s->max_bytes || !s->connections) {
        return ad_source_fault(o, s, AD_F_SETTING,
                               "a limit of source '%.*s' is zero: timeout, "
                               "connect_timeout, max_bytes, connections and processes "
                               "must be more",
                               MT_ARG(s->decl->id));
    }
    return true;
}

bool ad_source_settings(ad_opening *o, ad_source *s, const mt_json *settings)
{
    size_t count = sizeof SOURCE_SETTINGS / sizeof *SOURCE_SETTINGS;
    bool ok = true;
    if (settings && !mt_json_is(settings, MT_JSON_OBJECT)) {
        return ad_source_fault(o, s, AD_F_SETTING,
                               "the settings of source '%.*s' are no object",
                               MT_ARG(s->decl->id));
    }
    for (uint32_t i = 0; settings && i < settings->count; i++) {
        const mt_json_member *m = &settings->as.members[i];
        const setting *row = find(SOURCE_SETTINGS, count, m->key, s->kind);
        if (!row || !set(o, row, &m->value, s)) {
            ok = ad_source_fault(
                o, s, AD_F_SETTING,
                row ? "'%.*s' of source '%.*s' has the wrong type or value"
                    : "'%.*s' is no setting of source '%.*s', served by %.*s",
                MT_ARG(m->key), MT_ARG(s->decl->id), MT_ARG(AD_ADAPTERS[s->kind].id));
        }
        s->on_error_given |= row && row->kind == ON_ERROR;
    }
    return ok && check_source(o, s) && check_instances(o, s);
}

bool ad_fact_settings(ad_opening *o, ad_fact_plan *p, const mt_json *settings)
{
    size_t count = sizeof FACT_SETTINGS / sizeof *FACT_SETTINGS;
    bool ok = true;
    if (settings && !mt_json_is(settings, MT_JSON_OBJECT)) {
        return ad_fact_fault(o, p, AD_F_SETTING,
                             "the settings of fact '%.*s' are no object",
                             MT_ARG(p->fact->id));
    }
    for (uint32_t i = 0; settings && i < settings->count; i++) {
        const mt_json_member *m = &settings->as.members[i];
        const setting *row = find(FACT_SETTINGS, count, m->key, p->source->kind);
        if (!row || !set(o, row, &m->value, p)) {
            ok = ad_fact_fault(
                o, p, AD_F_SETTING,
                row ? "'%.*s' of fact '%.*s' has the wrong type or value"
                    : "'%.*s' is no setting of fact '%.*s', served by %.*s",
                MT_ARG(m->key), MT_ARG(p->fact->id),
                MT_ARG(AD_ADAPTERS[p->source->kind].id));
        }
    }
    return ok;
}
