/* adapter/config.c - the settings of sources and facts, one table each.
 * Room: adapter.
 *
 * Order: the rows that are for this kind of source are picked and read by a form; every
 * fault is a diagnostic about the source or fact, by name. What must hold between
 * settings is checked after that.
 * Invariant: a key that is not in the table, or not for this kind of source, is a
 * fault: what is written in a configuration has an effect or is refused.
 * May fail: only by diagnostics. */
#include "adapter/impl.h"

enum {
    JSON_WEB = 1 << AD_HTTP | 1 << AD_GRAPHQL,
    WEB = JSON_WEB | 1 << AD_GRPC,
    DATABASE = 1 << AD_SQLITE | 1 << AD_POSTGRES,
    POOLED = DATABASE | 1 << AD_PROCESS,
    REMOTE = WEB | POOLED,
    CACHED = REMOTE | 1 << AD_STATIC,
    ALL = (1 << AD_ADAPTER_COUNT) - 1,
    MOST_ROWS = 32
};
#define MOST_BYTES ((int64_t)1 << 32)
#define MOST_MS    ((int64_t)3660 * 24 * 3600 * 1000)

typedef struct setting {
    unsigned adapters; /* 1 << ad_adapter_kind */
    mt_form_row row;
} setting;

static mt_form_reader read_plain, read_file_name, read_names;
static const char *const ON_ERROR[] = {[AD_ON_ERROR_FAIL] = "fail",
                                       [AD_ON_ERROR_DEFAULT] = "default",
                                       [AD_ON_ERROR_STALE] = "stale",
                                       NULL};
MT_TABLE_COVERS(ON_ERROR, AD_ON_ERROR_STALE + 2);
static const char *const RESPONSE[] = {"digest", "keep", NULL}; /* keep_response */

/* clang-format off */
#define PLAIN(field, key)     MT_FORM_OWN(ad_source, field, key, read_plain, 0)
#define FILE_NAME(field, key) MT_FORM_OWN(ad_source, field, key, read_file_name, 0)
#define SPAN(field, key)      MT_FORM_SPAN(ad_source, field, key, 0, MOST_MS, 0)
#define SIZE(field, key, most) MT_FORM_SIZE(ad_source, field, key, 0, most, 0)
#define ANY(field, key)       MT_FORM_ANY(ad_source, field, key, 0)
#define OBJECT(field, key)    MT_FORM_OBJECT(ad_source, field, key, 0)
/* What is zero by mistake has a sentence of its own, below. */
static const setting SOURCE_SETTINGS[] = {
    {1 << AD_HTTP,     PLAIN(base_url, "base_url")},
    {1 << AD_GRAPHQL | 1 << AD_GRPC, PLAIN(base_url, "endpoint")},
    {1 << AD_GRPC,     FILE_NAME(proto, "proto")},
    {1 << AD_GRPC,     FILE_NAME(proto_root, "proto_root")},
    {WEB,              ANY(auth, "auth")},
    {WEB,              OBJECT(headers, "headers")},
    {WEB,              SPAN(connect_timeout, "connect_timeout")},
    {JSON_WEB,         SIZE(redirects, "redirects", 10)},
    {WEB,              PLAIN(proxy, "proxy")},
    {WEB,              FILE_NAME(ca_file, "ca_file")},
    {REMOTE,           SPAN(timeout, "timeout")},
    {CACHED,           SIZE(max_bytes, "max_bytes", MOST_BYTES)},
    {DATABASE,         SIZE(connections, "connections", 1000)},
    {1 << AD_POSTGRES, OBJECT(connection, "connection")},
    {1 << AD_SQLITE | 1 << AD_STATIC, FILE_NAME(file, "file")},
    {1 << AD_STATIC,   MT_FORM_FLAG(ad_source, environment, "environment", 0)},
    {1 << AD_PROCESS,  MT_FORM_OWN(ad_source, variables, "environment", read_names, 0)},
    {1 << AD_STATIC,   ANY(values, "values")},
    {1 << AD_PROCESS,  MT_FORM_WORDS(ad_source, command, "command", 1, 4096, 0)},
    {1 << AD_PROCESS,  FILE_NAME(working_directory, "directory")},
    {1 << AD_PROCESS,  SIZE(connections, "processes", 1000)},
    {1 << AD_CLOCK,    PLAIN(fixed, "fixed")},
    {CACHED | 1 << AD_MANUAL, SPAN(max_age, "max_age")},
    {CACHED,           SPAN(stale_for, "stale_for")},
    {ALL,              MT_FORM_CHOICE(ad_source, on_error, "on_error", ON_ERROR, 0)},
    {ALL, MT_FORM_CHOICE(ad_source, keep_response, "response", RESPONSE, 0)},
    {ALL,              OBJECT(facts, "facts")},
    {ALL,              OBJECT(instances, "instances")},
};

#define FACT_PLAIN(field, key) MT_FORM_OWN(ad_fact_plan, field, key, read_plain, 0)
static const setting FACT_SETTINGS[] = {
    {1 << AD_HTTP,               FACT_PLAIN(resource_text, "resource")},
    {WEB | 1 << AD_STATIC,       FACT_PLAIN(select_text, "select")},
    {DATABASE | 1 << AD_GRAPHQL, FACT_PLAIN(query, "query")},
    {POOLED | 1 << AD_GRAPHQL,
     MT_FORM_OWN(ad_fact_plan, parameters, "parameters", read_names, 0)},
    {1 << AD_STATIC,             FACT_PLAIN(variable, "variable")},
    {1 << AD_GRPC,               FACT_PLAIN(resource_text, "method")},
    {1 << AD_GRPC,               MT_FORM_OBJECT(ad_fact_plan, request, "request", 0)},
    {CACHED, MT_FORM_OWN(ad_fact_plan, convert, "convert", ad_convert_read, 0)},
};
/* clang-format on */
_Static_assert(mt_form_count(SOURCE_SETTINGS) <= MOST_ROWS, "they are picked");

/* ---- Faults ---- */

/* The answer is what the caller returns: true for a warning, which does not stop the
 * opening. */
static bool add_fault(ad_opening *o, mt_severity severity, const char *code,
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
    return add_fault(o, MT_ERROR, code, "Source", s->decl->id, message);
}

bool ad_source_refuse(ad_opening *o, ad_source *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    s->refused = mt_strfv(&o->adapters->arena, format, args);
    va_end(args);
    return add_fault(o, o->adapters->options.accepted ? MT_WARNING : MT_ERROR,
                     AD_F_ORIGIN, "Source", s->decl->id,
                     mt_str_dup(o->ds->arena, s->refused));
}

bool ad_fact_fault(ad_opening *o, const ad_fact_plan *p, const char *code,
                   const char *format, ...)
{
    va_list args;
    va_start(args, format);
    mt_str message = mt_strfv(o->ds->arena, format, args);
    va_end(args);
    return add_fault(o, MT_ERROR, code, "Fact", p->fact->id, message);
}

/* 'key' of source 's' must be …; a whole that is wrong has no key. */
static void say(void *state, const mt_form_fault *fault)
{
    const ad_subject *s = state;
    mt_str id = s->fact ? s->fact->fact->id : s->source->decl->id;
    mt_buf text = {0};
    if (fault->path.len) {
        mt_buf_addf(&text, "'%.*s'", MT_ARG(fault->path));
    } else {
        mt_buf_addz(&text, "the settings");
    }
    mt_buf_addf(&text, " of %s '%.*s' ", s->fact ? "fact" : "source", MT_ARG(id));
    mt_form_write_said(&text, fault);
    add_fault(s->o, MT_ERROR, AD_F_SETTING, s->fact ? "Fact" : "Source", id,
              mt_str_dup(s->o->ds->arena, mt_buf_str(&text)));
    mt_buf_free(&text);
}

mt_form ad_form(ad_subject *subject, const char *path, const char *what)
{
    return (mt_form){.arena = &subject->o->adapters->arena,
                     .path = mt_str_z(path),
                     .what = what,
                     .report = say,
                     .state = subject};
}

bool ad_source_loads(ad_opening *o, const ad_source *s, mt_late_library *library)
{
    const char *why = mt_late_load(library);
    return !why || ad_source_fault(o, s, AD_F_NO_ADAPTER, "source '%.*s': %s",
                                   MT_ARG(s->decl->id), why);
}

mt_str ad_beside(ad_opening *o, mt_str name)
{
    bool absolute = name.len && name.ptr[0] == '/';
    mt_arena *a = &o->adapters->arena;
    return absolute || !o->directory.len
               ? mt_str_dup(a, name)
               : mt_strf(a, "%.*s/%.*s", MT_ARG(o->directory), MT_ARG(name));
}

/* ---- Readers of our own ---- */

static bool is_plain(const mt_json *value)
{
    mt_str text = mt_json_text(value);
    return mt_json_is(value, MT_JSON_STRING) && text.len &&
           mt_str_find(text, '\0') == text.len;
}

static bool read_plain(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    if (!is_plain(v)) {
        return mt_form_say(f, MT_FORM_WRONG_KIND, v, row->key,
                           "must be text, neither empty nor with a NUL character");
    }
    *(mt_str *)to = mt_str_dup(f->arena, mt_json_text(v));
    return true;
}

static bool read_file_name(mt_form *f, const mt_form_row *row, const mt_json *v,
                           void *to)
{
    const ad_subject *s = f->state;
    bool good = read_plain(f, row, v, to);
    if (good) {
        *(mt_str *)to = ad_beside(s->o, *(const mt_str *)to);
    }
    return good;
}

/* Names become C strings because they are handed to systems that take those; is_plain()
 * has refused what would be cut at a NUL. */
static bool read_names(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    mt_form_words names = {0};
    bool good = mt_json_is(v, MT_JSON_ARRAY);
    names.items = mt_new_array(f->arena, const char *, good ? v->count + 1 : 1);
    for (; good && names.count < v->count; names.count++) {
        const mt_json *item = &v->as.items[names.count];
        good = is_plain(item);
        names.items[names.count] = mt_str_dup(f->arena, mt_json_text(item)).ptr;
    }
    if (!good) {
        return mt_form_say(f, MT_FORM_WRONG_KIND, v, row->key,
                           "must be a list of names");
    }
    *(mt_form_words *)to = names;
    return true;
}

/* ---- All of them ---- */

/* The rows for one kind of source. */
static size_t pick(const setting *all, size_t count, ad_adapter_kind kind,
                   mt_form_row *rows)
{
    size_t picked = 0;
    for (size_t i = 0; i < count; i++) {
        if (all[i].adapters >> kind & 1) {
            rows[picked++] = all[i].row;
        }
    }
    return picked;
}

/* Of a table for all kinds the rows for this one are picked, so a setting of another
 * kind is reported as unknown. No settings at all are good: every row has a default, or
 * its adapter asks for it. */
static bool read_settings(ad_subject *subject, const mt_json *settings,
                          const setting *all, size_t count, void *out)
{
    mt_form_row rows[MOST_ROWS];
    const ad_source *s = subject->source;
    const char *what = mt_strf(&subject->o->adapters->arena, "a %s served by %.*s",
                               subject->fact ? "fact" : "source", MT_ARG(s->adapter_id))
                           .ptr;
    mt_form form = ad_form(subject, "", what);
    return !settings ||
           mt_form_read(&form, settings, rows, pick(all, count, s->kind, rows), out);
}

/* {name: Entity}: whose bound instance fills {name}. */
static bool check_instances(ad_opening *o, const ad_source *s)
{
    const mt_json *map = s->instances;
    bool ok = true;
    for (uint32_t i = 0; ok && map && i < map->count; i++) {
        mt_str entity = mt_json_text(&map->as.members[i].value);
        ok = ct_model_find(o->adapters->model, CT_KIND_ENTITY, entity) != CT_NONE;
    }
    return ok || ad_source_fault(o, s, AD_F_SETTING,
                                 "'instances' of source '%.*s' must be names and "
                                 "entities of the contract",
                                 MT_ARG(s->decl->id));
}

/* What no single row can tell: settings that need each other. */
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
    ad_subject subject = {.o = o, .source = s};
    s->on_error_given = mt_json_at(settings, "on_error") != NULL;
    return read_settings(&subject, settings, SOURCE_SETTINGS,
                         mt_form_count(SOURCE_SETTINGS), s) &&
           check_source(o, s) && check_instances(o, s);
}

bool ad_fact_settings(ad_opening *o, ad_fact_plan *p, const mt_json *settings)
{
    ad_subject subject = {.o = o, .source = p->source, .fact = p};
    return read_settings(&subject, settings, FACT_SETTINGS,
                         mt_form_count(FACT_SETTINGS), p);
}
