/* analyze/facts/system_read.c - the System of a bundle.
 * Room: analyze. */
#include "analyze/facts/system.h"

typedef struct reader {
    mt_arena *a;
    an_sys *s;
    bool wrong; /* some name is not a member */
} reader;

static mt_str text_at(const mt_json *object, const char *key)
{
    const mt_json *v = mt_json_get(object, mt_str_z(key));
    return mt_json_is(v, MT_JSON_STRING) ? mt_json_text(v) : (mt_str){0};
}

static uint32_t length_of(const mt_json *list)
{
    return mt_json_is(list, MT_JSON_ARRAY) ? list->count : 0;
}

static uint32_t member(reader *r, mt_str id)
{
    for (uint32_t i = 0; i < r->s->member_count; i++) {
        if (mt_str_eq(r->s->members[i].id, id)) {
            return i;
        }
    }
    r->wrong = true;
    return 0;
}

static void read_members(reader *r, const mt_json *list)
{
    r->s->member_count = length_of(list);
    r->s->members = mt_new_array(r->a, an_sys_member, r->s->member_count);
    for (uint32_t i = 0; i < r->s->member_count; i++) {
        const mt_json *m = &list->as.items[i];
        r->s->members[i] =
            (an_sys_member){.id = text_at(m, "id"), .path = text_at(m, "path")};
    }
}

static const an_sys_shared *read_shared(reader *r, const mt_json *list, const char *key,
                                        uint32_t *count)
{
    *count = length_of(list);
    an_sys_shared *out = mt_new_array(r->a, an_sys_shared, *count);
    for (uint32_t i = 0; i < *count; i++) {
        const mt_json *item = &list->as.items[i];
        const mt_json *contracts = mt_json_at(item, "contracts");
        uint32_t *members = mt_new_array(r->a, uint32_t, length_of(contracts));
        for (uint32_t k = 0; k < length_of(contracts); k++) {
            const mt_json *c = &contracts->as.items[k];
            members[k] = member(r, mt_json_is(c, MT_JSON_STRING) ? mt_json_text(c)
                                                                 : (mt_str){0});
        }
        out[i] = (an_sys_shared){text_at(item, key), members, length_of(contracts)};
    }
    return out;
}

static void read_triggers(reader *r, const mt_json *list)
{
    r->s->trigger_count = length_of(list);
    an_sys_trigger *out = mt_new_array(r->a, an_sys_trigger, r->s->trigger_count);
    for (uint32_t i = 0; i < r->s->trigger_count; i++) {
        const mt_json *t = &list->as.items[i];
        out[i] = (an_sys_trigger){.source = member(r, text_at(t, "source_contract")),
                                  .target = member(r, text_at(t, "target_contract")),
                                  .source_flow = text_at(t, "source_flow"),
                                  .target_flow = text_at(t, "target_flow"),
                                  .on = text_at(t, "on"),
                                  .persona = text_at(t, "persona")};
    }
    r->s->triggers = out;
}

static const mt_json *find_system(const mt_json *bundle)
{
    const mt_json *list = mt_json_at(bundle, "constructs");
    for (uint32_t i = 0; i < length_of(list); i++) {
        if (mt_str_is(text_at(&list->as.items[i], "kind"), "System")) {
            return &list->as.items[i];
        }
    }
    return NULL;
}

mt_err an_sys_read(mt_arena *a, const mt_json *bundle, an_sys *out)
{
    const mt_json *system = find_system(bundle);
    if (!system) {
        return MT_E_NOTFOUND;
    }
    *out = (an_sys){.id = text_at(system, "id")};
    reader r = {a, out, false};
    const mt_json *origin = mt_json_at(system, "provenance");
    int64_t line;
    out->origin.file = text_at(origin, "file");
    if (origin && mt_json_i64(mt_json_at(origin, "line"), &line) == MT_OK) {
        out->origin.line = (uint32_t)line;
    }
    read_members(&r, mt_json_at(system, "members"));
    out->personas = read_shared(&r, mt_json_at(system, "shared_personas"), "persona",
                                &out->persona_count);
    out->entities = read_shared(&r, mt_json_at(system, "shared_entities"), "entity",
                                &out->entity_count);
    read_triggers(&r, mt_json_at(system, "triggers"));
    return r.wrong ? MT_E_REJECTED : MT_OK;
}
