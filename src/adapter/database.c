/* adapter/database.c - facts from a database: what both dialects share.
 * Room: adapter.
 * The query is in the configuration, with $1, $2 … for the names in `parameters`.
 * Values are bound, never made part of a query. */
#include "adapter/impl.h"

bool ad_plan_parameters(ad_opening *o, ad_fact_plan *p)
{
    mt_arena *a = &o->adapters->arena;
    const mt_json *list = p->parameters;
    bool ok = !list || mt_json_is(list, MT_JSON_ARRAY);
    size_t count = ok && list ? list->count : 0;
    uint32_t *bound = mt_new_array(a, uint32_t, count + 1);
    for (size_t i = 0; ok && i < count; i++) {
        mt_str name = mt_json_text(&list->as.items[i]);
        ok = mt_json_is(&list->as.items[i], MT_JSON_STRING) && name.len;
        bound[i] = ok ? ad_name_index(a, &p->names, name) : 0;
    }
    p->bound = bound;
    p->bound_count = count;
    return ok || ad_fact_fault(o, p, AD_F_SETTING,
                               "'parameters' of fact '%.*s' must be a list of names",
                               MT_ARG(p->fact->id));
}

bool ad_database_plan(ad_opening *o, const ad_source *s, ad_fact_plan *p)
{
    if (!p->query.len) {
        return ad_fact_fault(o, p, AD_F_FACT,
                             "fact '%.*s' of database source '%.*s' needs a query",
                             MT_ARG(p->fact->id), MT_ARG(s->decl->id));
    }
    return ad_plan_parameters(o, p);
}
