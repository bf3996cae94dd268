/* exec/evidence/decision.c - see decision.h. */
#include "exec/evidence/decision.h"

#include "base/json_write.h"
#include "base/vec.h"

/* Members of a body that say who, what and why. Facts, states and the trace of a flow
 * are left to the record: they are long, and not everybody may read them. */
static const char *const OWN[] = {
    "asked_as", "bindings", "caller",    "candidate", "contract",  "entity",
    "error",    "etag",     "execution", "expires",   "fact",      "flow",
    "instance", "key",      "kind",      "name",      "operation", "outcome",
    "persona",  "personas", "reason",    "refusal",   "rights",    "state",
    "status",   "step",     "time",      "token",     "verdicts",
};
/* Of an operation's provenance, and what they are called in other records. */
static const struct {
    const char *from, *to;
} PROVENANCE[] = {
    {"instance_binding", "bindings"},
    {"op", "operation"},
    {"outcome", "outcome"},
    {"persona", "persona"},
};

typedef MT_VEC(mt_json_member) members;

static void add(mt_arena *a, members *all, const mt_json *from, const char *key,
                const char *as)
{
    const mt_json *value = from ? mt_json_get(from, mt_str_z(key)) : NULL;
    if (value) {
        mt_json_member m = {mt_str_z(as), *value};
        mt_vec_push(a, all, m);
    }
}

mt_err ex_decision_of(mt_arena *a, mt_str body, mt_str *out)
{
    mt_json tree;
    members all = {0};
    if (mt_json_read(a, body, NULL, &tree, NULL) || tree.type != MT_JSON_OBJECT) {
        return MT_E_CORRUPT;
    }
    for (size_t i = 0; i < sizeof OWN / sizeof *OWN; i++) {
        add(a, &all, &tree, OWN[i], OWN[i]);
    }
    const mt_json *provenance = mt_json_at(&tree, "provenance");
    for (size_t i = 0; i < sizeof PROVENANCE / sizeof *PROVENANCE; i++) {
        if (!mt_json_get(&tree, mt_str_z(PROVENANCE[i].to))) {
            add(a, &all, provenance, PROVENANCE[i].from, PROVENANCE[i].to);
        }
    }
    mt_json object = {.type = MT_JSON_OBJECT, .count = (uint32_t)all.len};
    object.as.members = all.items;
    mt_buf text = {0};
    mt_json_write(&text, &object, false);
    *out = mt_str_dup(a, mt_buf_str(&text));
    mt_buf_free(&text);
    return MT_OK;
}

/* {"Entity":"instance"} */
static bool map_binds(const mt_json *map, mt_str entity, mt_str instance)
{
    for (uint32_t i = 0; mt_json_is(map, MT_JSON_OBJECT) && i < map->count; i++) {
        const mt_json_member *m = &map->as.members[i];
        if ((!entity.len || mt_str_eq(m->key, entity)) &&
            (!instance.len || mt_str_eq(mt_json_text(&m->value), instance))) {
            return true;
        }
    }
    return false;
}

bool ex_body_binds(const mt_json *body, mt_str entity, mt_str instance)
{
    const mt_json *provenance = mt_json_at(body, "provenance");
    return map_binds(mt_json_at(body, "bindings"), entity, instance) ||
           map_binds(mt_json_at(provenance, "instance_binding"), entity, instance);
}
