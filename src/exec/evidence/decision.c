/* exec/evidence/decision.c - what a record decided, taken from its body.
 * Room: exec.
 * What may be told is listed, never what may not: OWN for a body, PROVENANCE for what
 * an operation calls otherwise, SAID for a refusal and its reasons. So a member that a
 * body gets later is left out until somebody names it here.
 *
 * INVARIANT: no value of a fact is in a decision, and of a question about somebody else
 * its asker gets code and status of the refusal alone. Trees are copied shallowly:
 * members borrow from the body that was read. May fail: the body is not an object. */
#include "exec/evidence/decision.h"

#include "base/json_write.h"
#include "base/vec.h"

/* ---- What was refused, without values of facts ---- */

static bool is_in(mt_str key, const char *const *names)
{
    while (*names && !mt_str_eq(key, mt_str_z(*names))) {
        names++;
    }
    return *names != NULL;
}

/* The members of `from` that `names` has (or, if `except`, has not). */
static mt_json chosen(mt_arena *a, const mt_json *from, const char *const *names,
                      bool except)
{
    mt_json_member *kept = mt_new_array(a, mt_json_member, from->count);
    mt_json out = {.type = MT_JSON_OBJECT};
    for (uint32_t i = 0; i < from->count; i++) {
        if (is_in(from->as.members[i].key, names) != except) {
            kept[out.count++] = from->as.members[i];
        }
    }
    out.as.members = kept;
    return out;
}

mt_json ex_members_but(mt_arena *a, const mt_json *from, const char *const *names)
{
    return chosen(a, from, names, true);
}

static mt_json chosen_reasons(mt_arena *a, const mt_json *list)
{
    static const char *const SAID[] = {"condition", "facts",    "rests_on",
                                       "value",     "verdicts", NULL};
    mt_json out = *list;
    mt_json *items = mt_new_array(a, mt_json, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        items[i] = mt_json_is(&list->as.items[i], MT_JSON_OBJECT)
                       ? chosen(a, &list->as.items[i], SAID, false)
                       : (mt_json){.type = MT_JSON_NULL};
    }
    out.as.items = items;
    return out;
}

/* These say in words what a fact was, or what the caller named that is not there. */
static bool tells_values(const mt_json *problem)
{
    static const char *const CODES[] = {"invalid_fact", "evaluation_error",
                                        "invalid_binding", NULL};
    return is_in(mt_json_text(mt_json_at(problem, "code")), CODES);
}

/* Reasons are named by members that hold no value of a fact; one that a problem has of
 * its own later is left out until it is named here. */
mt_json ex_refusal_without_values(mt_arena *a, const mt_json *problem)
{
    static const char *const SAID[] = {
        "code",    "detail",     "entity",  "expected", "fact",  "facts",
        "fault",   "instance",   "missing", "needs",    "other", "outcomes",
        "persona", "reasons",    "right",   "rule",     "state", "status",
        "step",    "undeclared", "version", NULL};
    static const char *const WORDS[] = {"detail", NULL};
    mt_json out = chosen(a, problem, SAID, false);
    if (tells_values(problem)) {
        out = chosen(a, &out, WORDS, true);
    }
    mt_json_member *told = mt_new_array(a, mt_json_member, out.count);
    for (uint32_t i = 0; i < out.count; i++) {
        mt_json_member m = out.as.members[i];
        bool reasons = mt_str_is(m.key, "reasons") && m.value.type == MT_JSON_ARRAY;
        m.value = reasons ? chosen_reasons(a, &m.value) : m.value;
        told[i] = m;
    }
    out.as.members = told;
    return out;
}

/* ---- Decisions ---- */

/* Members of a body that say who, what and why. Facts, states and the trace of a flow
 * are left to the record: they are long, and not everybody may read them. So is the
 * error of a condition that had no value: it says in words which one did not fit. */
static const char *const OWN[] = {
    "allowed",   "asked_about", "asked_as", "bindings",  "caller",  "candidate",
    "contract",  "entity",      "etag",     "execution", "expires", "fact",
    "flow",      "instance",    "key",      "kind",      "name",    "of_verdict",
    "operation", "outcome",     "persona",  "personas",  "reason",  "rights",
    "state",     "status",      "step",     "time",      "token",   "verdicts",
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

/* A record may have every word of it (refusals: all). Who asked about somebody else may
 * learn that it is denied, and not which condition was false: that tells of facts. */
static void add_refusal(mt_arena *a, members *all, const mt_json *body, bool to_asker)
{
    static const char *const BARE[] = {"code", "status", NULL};
    const mt_json *refusal = mt_json_at(body, "refusal");
    bool bare =
        to_asker && mt_str_is(mt_json_text(mt_json_at(body, "kind")), "decision");
    if (mt_json_is(refusal, MT_JSON_OBJECT)) {
        mt_json_member m = {MT_STR("refusal"),
                            bare ? chosen(a, refusal, BARE, false)
                                 : ex_refusal_without_values(a, refusal)};
        mt_vec_push(a, all, m);
    }
}

static mt_err decision_of(mt_arena *a, mt_str body, bool to_asker, mt_str *out)
{
    mt_json tree;
    members all = {0};
    if (mt_json_read(a, body, NULL, &tree, NULL) || tree.type != MT_JSON_OBJECT) {
        return MT_E_CORRUPT;
    }
    for (size_t i = 0; i < sizeof OWN / sizeof *OWN; i++) {
        add(a, &all, &tree, OWN[i], OWN[i]);
    }
    if (!mt_str_is(mt_json_text(mt_json_at(&tree, "status")), "failed")) {
        add(a, &all, &tree, "error", "error");
    }
    const mt_json *guard = mt_json_at(&tree, "guard");
    add(a, &all, guard, "event", "event");
    add(a, &all, guard, "tool", "tool");
    add_refusal(a, &all, &tree, to_asker);
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

mt_err ex_decision_of(mt_arena *a, mt_str body, mt_str *out)
{
    return decision_of(a, body, false, out);
}

mt_err ex_decision_for_asker(mt_arena *a, mt_str body, mt_str *out)
{
    return decision_of(a, body, true, out);
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
