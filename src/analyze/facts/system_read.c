/* analyze/facts/system_read.c - the System of a bundle: members, what they share,
 * triggers. Room: analyze. First the construct is read by its form into a draft, where
 * members are named by their ids; then the names become indices of `members`. A bundle
 * was validated before it came here, so a fault is not explained: a name that is not a
 * member's, or a value of another type, is MT_E_REJECTED; a bundle without a System is
 * MT_E_NOTFOUND. INVARIANT: after MT_OK every index is below member_count. Texts point
 * into the bundle, lists are in the arena. */
#include "analyze/facts/system.h"

#include "base/form.h"

/* Of anything in one System; the size of the bundle bounds it further. */
enum { MOST = 1000000 };

/* ---- The form ---- */

static const mt_form_row MEMBER_ROWS[] = {
    MT_FORM_TEXT(an_sys_member, id, "id", 0),
    MT_FORM_TEXT(an_sys_member, path, "path", 0),
};
static const mt_form_table MEMBER =
    MT_FORM_TABLE("a member", MEMBER_ROWS, an_sys_member, NULL);

/* Contracts are still names here; take_shared() makes indices of them. */
typedef struct draft_shared {
    mt_str name;
    const mt_str *contracts;
    uint32_t count;
} draft_shared;
static const mt_form_row PERSONA_ROWS[] = {
    MT_FORM_TEXT(draft_shared, name, "persona", 0),
    MT_FORM_STRS(draft_shared, contracts, count, "contracts", MOST, 0),
};
static const mt_form_table PERSONA =
    MT_FORM_TABLE("a shared persona", PERSONA_ROWS, draft_shared, NULL);
static const mt_form_row ENTITY_ROWS[] = {
    MT_FORM_TEXT(draft_shared, name, "entity", 0),
    MT_FORM_STRS(draft_shared, contracts, count, "contracts", MOST, 0),
};
static const mt_form_table ENTITY =
    MT_FORM_TABLE("a shared entity", ENTITY_ROWS, draft_shared, NULL);

/* The names of both contracts beside the trigger, whose indices are set later. */
typedef struct draft_trigger {
    an_sys_trigger trigger;
    mt_str source, target;
} draft_trigger;
static const mt_form_row TRIGGER_ROWS[] = {
    MT_FORM_TEXT(draft_trigger, source, "source_contract", 0),
    MT_FORM_TEXT(draft_trigger, trigger.source_flow, "source_flow", 0),
    MT_FORM_TEXT(draft_trigger, trigger.on, "on", 0),
    MT_FORM_TEXT(draft_trigger, target, "target_contract", 0),
    MT_FORM_TEXT(draft_trigger, trigger.target_flow, "target_flow", 0),
    MT_FORM_TEXT(draft_trigger, trigger.persona, "persona", 0),
};
static const mt_form_table TRIGGER =
    MT_FORM_TABLE("a trigger", TRIGGER_ROWS, draft_trigger, NULL);

typedef struct draft {
    an_sys s;
    const an_sys_member *members;
    const draft_shared *personas, *entities;
    const draft_trigger *triggers;
    int64_t line; /* as large as interchange admits */
} draft;

static const mt_form_row ORIGIN_ROWS[] = {
    MT_FORM_TEXT(draft, s.origin.file, "file", 0),
    MT_FORM_INT(draft, line, "line", 0, INT64_MAX, 0),
};
static const mt_form_table ORIGIN =
    MT_FORM_TABLE("a provenance", ORIGIN_ROWS, draft, NULL);
static const mt_form_row SYSTEM[] = {
    MT_FORM_TEXT(draft, s.id, "id", 0),
    MT_FORM_PART("provenance", &ORIGIN, 0),
    MT_FORM_EACH(draft, members, s.member_count, "members", &MEMBER, MOST, 0),
    MT_FORM_EACH(draft, personas, s.persona_count, "shared_personas", &PERSONA, MOST,
                 0),
    MT_FORM_EACH(draft, entities, s.entity_count, "shared_entities", &ENTITY, MOST, 0),
    MT_FORM_EACH(draft, triggers, s.trigger_count, "triggers", &TRIGGER, MOST, 0),
};

/* ---- Reading ---- */

typedef struct reader {
    mt_arena *a;
    const an_sys *s;
    bool wrong; /* some name is not a member's */
} reader;

/* 0 for an unknown one keeps indices in range; `wrong` refuses the System. */
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

/* A copy that can be written: the caller adds each member's analysis. */
static an_sys_member *take_members(mt_arena *a, const draft *d)
{
    an_sys_member *out = mt_new_array(a, an_sys_member, d->s.member_count);
    for (uint32_t i = 0; i < d->s.member_count; i++) {
        out[i] = d->members[i];
    }
    return out;
}

static const an_sys_shared *take_shared(reader *r, const draft_shared *list,
                                        uint32_t count)
{
    an_sys_shared *out = mt_new_array(r->a, an_sys_shared, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *members = mt_new_array(r->a, uint32_t, list[i].count);
        for (uint32_t k = 0; k < list[i].count; k++) {
            members[k] = member(r, list[i].contracts[k]);
        }
        out[i] = (an_sys_shared){list[i].name, members, list[i].count};
    }
    return out;
}

static const an_sys_trigger *take_triggers(reader *r, const draft *d)
{
    an_sys_trigger *out = mt_new_array(r->a, an_sys_trigger, d->s.trigger_count);
    for (uint32_t i = 0; i < d->s.trigger_count; i++) {
        out[i] = d->triggers[i].trigger;
        out[i].source = member(r, d->triggers[i].source);
        out[i].target = member(r, d->triggers[i].target);
    }
    return out;
}

/* The first, and by C-SYS-05 the only one. */
static const mt_json *find_system(const mt_json *bundle)
{
    const mt_json *list = mt_json_at(bundle, "constructs");
    for (uint32_t i = 0; mt_json_is(list, MT_JSON_ARRAY) && i < list->count; i++) {
        const mt_json *kind = mt_json_at(&list->as.items[i], "kind");
        if (mt_json_is(kind, MT_JSON_STRING) &&
            mt_str_is(mt_json_text(kind), "System")) {
            return &list->as.items[i];
        }
    }
    return NULL;
}

/* Goes on after a fault of the form, since lists that could not be read are empty. */
mt_err an_sys_read(mt_arena *a, const mt_json *bundle, an_sys *out)
{
    const mt_json *system = find_system(bundle);
    mt_form f = {.arena = a, .what = "a system", .unknown = MT_FORM_ALLOWED};
    draft d = {0};
    if (!system) {
        return MT_E_NOTFOUND;
    }
    bool good = mt_form_read(&f, system, SYSTEM, mt_form_count(SYSTEM), &d);
    *out = d.s;
    out->origin.line = d.line <= UINT32_MAX ? (uint32_t)d.line : 0;
    reader r = {a, out, !good};
    out->members = take_members(a, &d);
    out->personas = take_shared(&r, d.personas, d.s.persona_count);
    out->entities = take_shared(&r, d.entities, d.s.entity_count);
    out->triggers = take_triggers(&r, &d);
    return r.wrong ? MT_E_REJECTED : MT_OK;
}
