/* adapter/database.c - facts from a database: what both dialects share.
 * Room: adapter.
 * The query is in the configuration, with $1, $2 … for the names in `parameters`.
 * Values are bound, never made part of a query. */
#include "adapter/impl.h"

void ad_plan_parameters(ad_opening *o, ad_fact_plan *p)
{
    mt_arena *a = &o->adapters->arena;
    uint32_t *bound = mt_new_array(a, uint32_t, p->parameters.count + 1);
    for (size_t i = 0; i < p->parameters.count; i++) {
        bound[i] = ad_name_index(a, &p->names, mt_str_z(p->parameters.items[i]));
    }
    p->bound = bound;
    p->bound_count = p->parameters.count;
}

bool ad_database_plan(ad_opening *o, const ad_source *s, ad_fact_plan *p)
{
    if (!p->query.len) {
        return ad_fact_fault(o, p, AD_F_FACT,
                             "fact '%.*s' of database source '%.*s' needs a query",
                             MT_ARG(p->fact->id), MT_ARG(s->decl->id));
    }
    ad_plan_parameters(o, p);
    return true;
}
