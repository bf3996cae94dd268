/* adapter/adapter.c - which adapter serves which source, decided once.
 *
 * ad_adapters_open() goes through the sources of a contract: the protocol (and
 * dialect) chooses the kind, the configuration's settings are read and checked
 * (config.c), the kind sets itself up; then every fact with a structured source gets a
 * plan of what to ask. All faults are reported, and a source that the configuration
 * refuses to serve is remembered with the reason, so that a fetch can say it.
 *
 * What a kind can do, and which protocol it speaks, is in the tables of kinds.c. Only
 * processes are known by name here: the configuration chooses them, not the protocol.
 *
 * Memory: one arena for all that lives as long as the adapters. Secrets are listed and
 * wiped when they are freed. Threads: fetches may run side by side; what they share
 * (pools, multi handles, the cache) is behind locks. libcurl, libpq and others are
 * loaded when a source first needs them. */
#include "adapter/impl.h"

#include <stdlib.h>
#include <time.h>

enum {
    DEFAULT_TIMEOUT = 5000,
    DEFAULT_CONNECT_TIMEOUT = 2000,
    DEFAULT_BYTES = 1 << 20,
    DEFAULT_CONNECTIONS = 4
};

/* ---- Sources ---- */

/* A configured command serves any protocol: that is how a source gets an adapter that
 * motet does not have. */
static bool choose_adapter(ad_opening *o, ad_source *s, const mt_json *settings)
{
    mt_str protocol = s->decl->protocol;
    mt_str dialect = mt_json_text(mt_json_at(&s->fields, "dialect"));
    if (mt_json_at(settings, "command")) {
        s->kind = AD_PROCESS;
        return true;
    }
    if (ad_kind_find(protocol, dialect, &s->kind)) {
        return true;
    }
    return ad_source_fault(
        o, s, AD_F_NO_ADAPTER,
        "no adapter serves source '%.*s' (protocol %.*s%s%.*s): configure a command "
        "that does",
        MT_ARG(s->decl->id), MT_ARG(protocol), dialect.len ? ", dialect " : "",
        MT_ARG(dialect));
}

/* Defaults first, settings over them, then the kind's own set-up. */
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

/* A default that the contract does not have cannot be fallen back on. */
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

/* ORDER: the path is taken apart before settings are read, since they may speak of its
 * parameters. */
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
    for (uint32_t i = 0; s->facts && i < s->facts->count; i++) {
        mt_str key = s->facts->as.members[i].key;
        uint32_t fact = ct_model_find(all->model, CT_KIND_FACT, key);
        if (fact == CT_NONE || all->plans[fact].source != s) {
            ad_source_fault(o, s, AD_F_SETTING, "'%.*s' is not a fact of source '%.*s'",
                            MT_ARG(key), MT_ARG(s->decl->id));
        }
    }
}

/* ---- The whole ---- */

/* Settings for a source nobody declares would silently do nothing; a name mistyped is
 * found here. A server that serves several contracts with one configuration cannot ask
 * this (options->shared). */
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

/* Only sources that a fact names are opened: an unused one needs no configuration. */
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

/* Everything that can be known before the first question is checked here, and all
 * faults are told. After MT_OK the adapters are read-only but for cache and pools,
 * which have locks: any thread may fetch. The settings are copied, so the caller's tree
 * may go. */
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
                        "`sources` is not an object");
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

/* No fetch may be under way. Secrets are wiped before their arena is freed; copies that
 * libraries hold are wiped by the kinds' own close(). */
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

int64_t ad_adapters_wall_ms(const ad_adapters *a)
{
    struct timespec now;
    if (a->options.now_ms) {
        return a->options.now_ms(a->options.context);
    }
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
