/* adapter/adapter.c - which adapter serves which source, decided once.
 * Room: adapter. Fetching is in adapter_fetch.c, each kind in a file of its own. */
#include "adapter/impl.h"

#include <stdlib.h>
#include <time.h>

enum {
    DEFAULT_TIMEOUT = 5000,
    DEFAULT_CONNECT_TIMEOUT = 2000,
    DEFAULT_BYTES = 1 << 20,
    DEFAULT_CONNECTIONS = 4
};

/* ORDER ad_adapter_kind, which is also the order of asking: first what can be waited
 * for together, then what answers at once. */
const ad_adapter AD_ADAPTERS[AD_ADAPTER_COUNT] = {
    [AD_HTTP] = {MT_STR_INIT("motet.http"), ad_http_set_up, ad_http_plan, ad_http_ask,
                 ad_http_close},
    [AD_GRAPHQL] = {MT_STR_INIT("motet.graphql"), ad_http_set_up, ad_graphql_plan,
                    ad_graphql_ask, ad_http_close},
    [AD_POSTGRES] = {MT_STR_INIT("motet.postgres"), ad_postgres_set_up,
                     ad_database_plan, ad_postgres_ask, ad_postgres_close},
    [AD_PROCESS] = {MT_STR_INIT("motet.process"), ad_process_set_up, ad_process_plan,
                    ad_process_ask, ad_process_close},
    [AD_SQLITE] = {MT_STR_INIT("motet.sqlite"), ad_sqlite_set_up, ad_database_plan,
                   ad_sqlite_ask, ad_sqlite_close},
    [AD_STATIC] = {MT_STR_INIT("motet.static"), ad_static_set_up, ad_static_plan,
                   ad_static_ask, NULL},
    [AD_MANUAL] = {MT_STR_INIT("motet.manual"), NULL, NULL, ad_manual_ask, NULL},
    [AD_CLOCK] = {MT_STR_INIT("motet.clock"), ad_clock_set_up, ad_clock_plan,
                  ad_clock_ask, NULL},
};
MT_TABLE_COVERS(AD_ADAPTERS, AD_ADAPTER_COUNT);

static const struct protocol {
    mt_str protocol, dialect; /* empty dialect: any */
    ad_adapter_kind kind;
} PROTOCOLS[] = {
    {MT_STR_INIT("http"), {0}, AD_HTTP},
    {MT_STR_INIT("graphql"), {0}, AD_GRAPHQL},
    {MT_STR_INIT("database"), MT_STR_INIT("postgres"), AD_POSTGRES},
    {MT_STR_INIT("database"), MT_STR_INIT("postgresql"), AD_POSTGRES},
    {MT_STR_INIT("database"), MT_STR_INIT("sqlite"), AD_SQLITE},
    {MT_STR_INIT("database"), MT_STR_INIT("sqlite3"), AD_SQLITE},
    {MT_STR_INIT("static"), {0}, AD_STATIC},
    {MT_STR_INIT("manual"), {0}, AD_MANUAL},
    {MT_STR_INIT("x_motet.clock"), {0}, AD_CLOCK},
};

/* ---- Sources ---- */

static bool choose_adapter(ad_opening *o, ad_source *s, const mt_json *settings)
{
    mt_str protocol = s->decl->protocol;
    mt_str dialect = mt_json_text(mt_json_at(&s->fields, "dialect"));
    if (mt_json_at(settings, "command")) {
        s->kind = AD_PROCESS;
        return true;
    }
    for (size_t i = 0; i < sizeof PROTOCOLS / sizeof *PROTOCOLS; i++) {
        const struct protocol *p = &PROTOCOLS[i];
        if (mt_str_eq(p->protocol, protocol) &&
            (!p->dialect.len || mt_str_eq(p->dialect, dialect))) {
            s->kind = p->kind;
            return true;
        }
    }
    return ad_source_fault(
        o, s, AD_F_NO_ADAPTER,
        "no adapter serves source '%.*s' (protocol %.*s%s%.*s): configure a command "
        "that does",
        MT_ARG(s->decl->id), MT_ARG(protocol), dialect.len ? ", dialect " : "",
        MT_ARG(dialect));
}

static bool open_source(ad_opening *o, ad_source *s, const mt_json *settings)
{
    *s = (ad_source){.decl = s->decl,
                     .adapters = o->adapters,
                     .timeout = DEFAULT_TIMEOUT,
                     .connect_timeout = DEFAULT_CONNECT_TIMEOUT,
                     .max_bytes = DEFAULT_BYTES,
                     .connections = DEFAULT_CONNECTIONS};
    mt_json_read(&o->adapters->arena, s->decl->fields, NULL, &s->fields, NULL);
    if (!choose_adapter(o, s, settings)) {
        return false;
    }
    const ad_adapter *adapter = &AD_ADAPTERS[s->kind];
    s->adapter_id = adapter->id;
    return ad_source_settings(o, s, settings) &&
           (!adapter->set_up || adapter->set_up(o, s));
}

/* ---- Facts ---- */

static bool check_policy(ad_opening *o, const ad_fact_plan *p)
{
    if (p->source->on_error == AD_ON_ERROR_DEFAULT && !p->fact->otherwise) {
        return ad_fact_fault(o, p, AD_F_POLICY,
                             "source '%.*s' says on_error: default, but fact '%.*s' "
                             "has no default",
                             MT_ARG(p->source->decl->id), MT_ARG(p->fact->id));
    }
    return true;
}

static bool open_fact(ad_opening *o, ad_fact_plan *p)
{
    mt_arena *a = &o->adapters->arena;
    mt_json declared;
    const mt_json *settings = mt_json_get(p->source->facts, p->fact->id);
    mt_json_read(a, p->fact->source, NULL, &declared, NULL);
    p->path_text = mt_str_dup(a, mt_json_text(mt_json_at(&declared, "path")));
    if (!ad_template_parse(a, p->path_text, &p->names, &p->path)) {
        return ad_fact_fault(o, p, AD_F_FACT,
                             "the path '%.*s' of fact '%.*s' has a brace too many",
                             MT_ARG(p->path_text), MT_ARG(p->fact->id));
    }
    const ad_adapter *adapter = &AD_ADAPTERS[p->source->kind];
    return ad_fact_settings(o, p, settings) && check_policy(o, p) &&
           (!adapter->plan || adapter->plan(o, p->source, p));
}

/* Settings for facts that are not of this source would have no effect. */
static void check_fact_names(ad_opening *o, const ad_source *s)
{
    const ad_adapters *all = o->adapters;
    if (s->facts && !mt_json_is(s->facts, MT_JSON_OBJECT)) {
        ad_source_fault(o, s, AD_F_SETTING, "'facts' of source '%.*s' is no object",
                        MT_ARG(s->decl->id));
        return;
    }
    for (uint32_t i = 0; s->facts && i < s->facts->count; i++) {
        mt_str key = s->facts->as.members[i].key;
        uint32_t fact = ct_model_find(all->model, CT_KIND_FACT, key);
        if (fact == CT_NONE || all->plans[fact].source != s) {
            ad_source_fault(o, s, AD_F_SETTING, "'%.*s' is no fact of source '%.*s'",
                            MT_ARG(key), MT_ARG(s->decl->id));
        }
    }
}

/* ---- The whole ---- */

static void check_source_names(ad_opening *o, const mt_json *sources)
{
    for (uint32_t i = 0; sources && i < sources->count; i++) {
        ct_source_decl unknown = {.id = sources->as.members[i].key};
        if (ct_model_find(o->adapters->model, CT_KIND_SOURCE, unknown.id) == CT_NONE) {
            ad_source_fault(o, &(ad_source){.decl = &unknown}, AD_F_SETTING,
                            "the contract declares no source '%.*s'",
                            MT_ARG(unknown.id));
        }
    }
}

/* The caller's tree need not live on. */
static const mt_json *copy_tree(mt_arena *a, const mt_json *tree)
{
    mt_buf text = {0};
    mt_json *copy = mt_new(a, mt_json);
    mt_json_write(&text, tree, false);
    mt_err err = mt_json_read(a, mt_str_dup(a, mt_buf_str(&text)), NULL, copy, NULL);
    mt_buf_free(&text);
    return err ? NULL : copy;
}

static void open_all(ad_opening *o, const mt_json *sources)
{
    ad_adapters *all = o->adapters;
    const ct_model *m = all->model;
    bool *usable = mt_new_array(&all->arena, bool, m->source_count + 1);
    for (uint32_t i = 0; i < m->fact_count; i++) {
        if (m->facts[i].source_id != CT_NONE) {
            ad_source *s = &all->sources[m->facts[i].source_id];
            all->plans[i] = (ad_fact_plan){.fact = &m->facts[i], .index = i};
            all->plans[i].source = s;
            s->decl = &m->sources[m->facts[i].source_id];
        }
    }
    for (uint32_t i = 0; i < m->source_count; i++) {
        ad_source *s = &all->sources[i];
        usable[i] = s->decl && open_source(o, s, mt_json_get(sources, s->decl->id));
        if (usable[i]) {
            check_fact_names(o, s);
        }
    }
    for (uint32_t i = 0; i < m->fact_count; i++) {
        ad_fact_plan *p = &all->plans[i];
        if (p->source && usable[p->source - all->sources]) {
            open_fact(o, p);
        }
    }
}

static bool wants_cache(const ad_adapters *a)
{
    for (size_t i = 0; i < a->source_count; i++) {
        if (a->sources[i].max_age || a->sources[i].stale_for) {
            return true;
        }
    }
    return false;
}

bool ad_source_loads(ad_opening *o, const ad_source *s, mt_late_library *library)
{
    const char *why = mt_late_load(library);
    return !why || ad_source_fault(o, s, AD_F_NO_ADAPTER, "source '%.*s': %s",
                                   MT_ARG(s->decl->id), why);
}

static void start_curl(void)
{
    curl_global_init(CURL_GLOBAL_ALL);
}

bool ad_source_waits(ad_opening *o, const ad_source *s)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!ad_source_loads(o, s, &mt_late_curl)) {
        return false;
    }
    pthread_once(&once, start_curl);
    o->adapters->waits = true;
    return true;
}

mt_err ad_adapters_open(const ad_adapter_options *options, mt_diags *ds,
                        ad_adapters **out)
{
    *out = NULL;
    const ct_model *m = options->model;
    ad_adapters *a = mt_xmalloc(sizeof *a);
    *a = (ad_adapters){.model = m, .options = *options};
    pthread_mutex_init(&a->lock, NULL);
    a->source_count = m->source_count;
    a->sources = mt_new_array(&a->arena, ad_source, m->source_count + 1);
    a->plans = mt_new_array(&a->arena, ad_fact_plan, m->fact_count + 1);
    const mt_json *sources =
        options->sources ? copy_tree(&a->arena, options->sources) : NULL;
    a->options.sources = NULL;
    size_t before = ds->errors;
    ad_opening o = {a, options->directory, ds};
    if (sources && !mt_json_is(sources, MT_JSON_OBJECT)) {
        ct_source_decl all = {.id = MT_STR("sources")};
        ad_source_fault(&o, &(ad_source){.decl = &all}, AD_F_SETTING,
                        "`sources` is no object");
        sources = NULL;
    }
    if (!options->shared) {
        check_source_names(&o, sources);
    }
    open_all(&o, sources);
    if (ds->errors > before) {
        ad_adapters_free(a);
        return MT_E_REJECTED;
    }
    a->cache = wants_cache(a) ? ad_cache_new() : NULL;
    *out = a;
    return MT_OK;
}

void ad_adapters_free(ad_adapters *a)
{
    if (!a) {
        return;
    }
    for (size_t i = 0; i < a->source_count; i++) {
        ad_source *s = &a->sources[i];
        if (s->decl && AD_ADAPTERS[s->kind].close) {
            AD_ADAPTERS[s->kind].close(s);
        }
    }
    for (size_t i = 0; i < a->multi_count; i++) {
        curl_multi_cleanup(a->multis[i]);
    }
    free(a->multis);
    for (size_t i = 0; i < a->secrets.len; i++) {
        explicit_bzero((void *)(uintptr_t)a->secrets.items[i].ptr,
                       a->secrets.items[i].len);
    }
    ad_cache_free(a->cache);
    pthread_mutex_destroy(&a->lock);
    mt_arena_free(&a->arena);
    free(a);
}

bool ad_adapters_serves(const ad_adapters *a, uint32_t fact)
{
    return fact < a->model->fact_count && a->plans[fact].source;
}

bool ad_adapters_is_manual(const ad_adapters *a, uint32_t fact)
{
    return ad_adapters_serves(a, fact) && a->plans[fact].source->kind == AD_MANUAL;
}

int64_t ad_adapters_manual_until(const ad_adapters *a, uint32_t fact,
                                 const ad_manual *m)
{
    bool bounded = ad_adapters_is_manual(a, fact) && a->plans[fact].source->max_age;
    int64_t aged =
        bounded ? m->asserted_at + (int64_t)a->plans[fact].source->max_age : 0;
    return !aged || (m->expires_at && m->expires_at < aged) ? m->expires_at : aged;
}

int64_t ad_adapters_wall_ms(const ad_adapters *a)
{
    struct timespec now;
    if (a->options.now_ms) {
        return a->options.now_ms(a->options.context);
    }
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
