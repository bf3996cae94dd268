/* analyze/version/diff_fields.c - the fields of every construct and how they compare.
 *
 * The fields are those of lang/nodes.def. The shape a field has there decides by which
 * function it is compared, which names the changes in the words of the taxonomy
 * (classify.c). Lists that are sets by meaning are compared as sets, expressions and
 * values by meaning (diff_same.c), the rest as JSON. Fields that nodes.def does not
 * have are compared too, so nothing is passed over silently.
 *
 * INVARIANT: a comparison is called only for fields whose JSON differs; naming no part
 * means that the meaning is the same. Nothing fails. */
#include "analyze/version/diff_internal.h"
#include "lang/shape.h"

typedef void compare_field(an_cmp *c, const mt_json *before, const mt_json *after);

/* ---- Building blocks ---- */

/* A part is a kind of change with the names it concerns; no names, no part. */
static void part_if(an_cmp *c, const char *change, const an_diff_names *names)
{
    if (names->len) {
        an_cmp_part(c, change, names);
    }
}

static void add_set_parts(an_cmp *c, const an_set_change *s)
{
    part_if(c, "add", &s->added);
    part_if(c, "change", &s->changed);
    part_if(c, "remove", &s->removed);
}

/* For fields that may be missing: coming and going are classified apart from change. */
static void presence(an_cmp *c, const mt_json *before, const mt_json *after)
{
    an_cmp_part(c, !before ? "add" : !after ? "remove" : "change", NULL);
}

/* ---- Comparisons ---- */

/* Any difference is the same change; that there is one the caller has found out. */
static void compare_plain(an_cmp *c, const mt_json *before, const mt_json *after)
{
    (void)before;
    (void)after;
    an_cmp_part(c, "change", NULL);
}

static void compare_optional(an_cmp *c, const mt_json *before, const mt_json *after)
{
    presence(c, before, after);
}

/* 1.0 and 1.00 are the same default. */
static void compare_default(an_cmp *c, const mt_json *before, const mt_json *after)
{
    if (!an_same_value(before, after)) {
        presence(c, before, after);
    }
}

static void compare_expr(an_cmp *c, const mt_json *before, const mt_json *after)
{
    if (!an_same_expr(before, after)) {
        an_cmp_part(c, "change", NULL);
    }
}

/* Both narrower and wider is possible (another range that overlaps): then both parts
 * are named, and the worse class decides. */
static void compare_type(an_cmp *c, const mt_json *before, const mt_json *after)
{
    unsigned how = an_type_compare(c->a, before, after);
    if (how & AN_TYPE_REBASED) {
        an_cmp_part(c, "base", NULL);
        return;
    }
    if (how & AN_TYPE_NARROWED) {
        an_cmp_part(c, "narrow", NULL);
    }
    if (how & AN_TYPE_WIDENED) {
        an_cmp_part(c, "widen", NULL);
    }
}

/* For whoever reads a verdict any change counts, a wider type too. */
static void compare_payload_type(an_cmp *c, const mt_json *before, const mt_json *after)
{
    if (an_type_compare(c->a, before, after)) {
        an_cmp_part(c, "change", NULL);
    }
}

/* §18.2 classifies a change of the form apart from one of the id or the path. */
static void compare_source(an_cmp *c, const mt_json *before, const mt_json *after)
{
    const mt_json *old_id = mt_json_at(before, "source_id");
    const mt_json *new_id = mt_json_at(after, "source_id");
    if (!old_id || !new_id) {
        an_cmp_part(c,
                    new_id   ? "to_structured"
                    : old_id ? "to_freetext"
                             : "freetext",
                    NULL);
        return;
    }
    if (!an_same_json(old_id, new_id)) {
        an_cmp_part(c, "source_id", NULL);
    }
    if (!an_same_json(mt_json_at(before, "path"), mt_json_at(after, "path"))) {
        an_cmp_part(c, "path", NULL);
    }
}

static void compare_texts(an_cmp *c, const mt_json *before, const mt_json *after)
{
    an_set_change s = an_set_compare(c->a, before, after, an_key_text, NULL);
    add_set_parts(c, &s);
}

/* The pair is the identity: a transition cannot change, only go and come. */
static mt_str key_transition(mt_arena *a, const mt_json *t)
{
    return mt_strf(a, "%.*s -> %.*s", MT_ARG(mt_json_text(mt_json_at(t, "from"))),
                   MT_ARG(mt_json_text(mt_json_at(t, "to"))));
}

static void compare_transitions(an_cmp *c, const mt_json *before, const mt_json *after)
{
    an_set_change s = an_set_compare(c->a, before, after, key_transition, NULL);
    add_set_parts(c, &s);
}

static void compare_steps(an_cmp *c, const mt_json *before, const mt_json *after)
{
    an_set_change s = an_set_compare(c->a, before, after, an_key_id, an_same_step);
    add_set_parts(c, &s);
}

/* An operation that declares no outcome has one: the label of its first effect, or
 * "success". */
static mt_str implicit_outcome(const mt_json *operation)
{
    const mt_json *effects = mt_json_at(operation, "effects");
    for (uint32_t i = 0; mt_json_is(effects, MT_JSON_ARRAY) && i < effects->count;
         i++) {
        mt_str label = mt_json_text(mt_json_at(&effects->as.items[i], "outcome"));
        if (label.len) {
            return label;
        }
    }
    return MT_STR("success");
}

/* The same rule as the loader's, so that declaring the implicit outcome does not change
 * behaviour and is not reported. */
static const mt_json *outcomes_of(mt_arena *a, const mt_json *operation,
                                  const mt_json *declared)
{
    if (mt_json_is(declared, MT_JSON_ARRAY) && declared->count) {
        return declared;
    }
    mt_str label = implicit_outcome(operation);
    mt_json *list = mt_new_array(a, mt_json, 2);
    list[0] = (mt_json){.type = MT_JSON_ARRAY, .count = 1, .as.items = &list[1]};
    list[1] = (mt_json){
        .type = MT_JSON_STRING, .count = (uint32_t)label.len, .as.text = label.ptr};
    return list;
}

static void compare_outcomes(an_cmp *c, const mt_json *before, const mt_json *after)
{
    compare_texts(c, outcomes_of(c->a, c->before, before),
                  outcomes_of(c->a, c->after, after));
}

/* ---- Effects ---- */

static mt_str key_effect(mt_arena *a, const mt_json *e)
{
    mt_str outcome = mt_json_text(mt_json_at(e, "outcome"));
    mt_str way = key_transition(a, e);
    return mt_strf(a, "%.*s: %.*s%s%.*s",
                   MT_ARG(mt_json_text(mt_json_at(e, "entity_id"))), MT_ARG(way),
                   outcome.len ? " on " : "", MT_ARG(outcome));
}

/* Undoes key_effect(): ids of the language have no colon. */
static mt_str entity_of(mt_str effect_key)
{
    return mt_str_from(effect_key.ptr, mt_str_find(effect_key, ':'));
}

static void note_entities(mt_arena *a, mt_map *to, const mt_json *effects)
{
    for (uint32_t i = 0; mt_json_is(effects, MT_JSON_ARRAY) && i < effects->count;
         i++) {
        mt_map_put(a, to, mt_json_text(mt_json_at(&effects->as.items[i], "entity_id")),
                   1);
    }
}

/* An effect on an entity the operation knew before (or still knows) changes how that
 * entity moves; one on an entity of its own is added or removed. */
static void compare_effects(an_cmp *c, const mt_json *before, const mt_json *after)
{
    an_set_change s = an_set_compare(c->a, before, after, key_effect, NULL);
    an_diff_names added = {0}, changed = {0}, removed = {0};
    mt_map old = {0}, now = {0};
    note_entities(c->a, &old, before);
    note_entities(c->a, &now, after);
    for (size_t i = 0; i < s.added.len; i++) {
        mt_str key = s.added.items[i];
        bool known = mt_map_find(&old, entity_of(key)) != NULL;
        mt_vec_push(c->a, known ? &changed : &added, key);
    }
    for (size_t i = 0; i < s.removed.len; i++) {
        mt_str key = s.removed.items[i];
        bool known = mt_map_find(&now, entity_of(key)) != NULL;
        mt_vec_push(c->a, known ? &changed : &removed, key);
    }
    part_if(c, "add", &added);
    part_if(c, "change", &changed);
    part_if(c, "remove", &removed);
}

/* ---- Systems ---- */

static bool same_path(const mt_json *a, const mt_json *b)
{
    return an_same_json(mt_json_at(a, "path"), mt_json_at(b, "path"));
}

static void compare_members(an_cmp *c, const mt_json *before, const mt_json *after)
{
    an_set_change s = an_set_compare(c->a, before, after, an_key_id, same_path);
    add_set_parts(c, &s);
}

/* As sets: the order of members says nothing. */
static bool same_contracts(const mt_json *a, const mt_json *b)
{
    mt_arena scratch = {0};
    an_set_change s = an_set_compare(&scratch, mt_json_at(a, "contracts"),
                                     mt_json_at(b, "contracts"), an_key_text, NULL);
    mt_arena_free(&scratch);
    return !(s.added.len | s.removed.len);
}

static mt_str key_persona(mt_arena *a, const mt_json *element)
{
    (void)a;
    return mt_json_text(mt_json_at(element, "persona"));
}

static mt_str key_entity(mt_arena *a, const mt_json *element)
{
    (void)a;
    return mt_json_text(mt_json_at(element, "entity"));
}

static void compare_shared_personas(an_cmp *c, const mt_json *before,
                                    const mt_json *after)
{
    an_set_change s = an_set_compare(c->a, before, after, key_persona, same_contracts);
    add_set_parts(c, &s);
}

static void compare_shared_entities(an_cmp *c, const mt_json *before,
                                    const mt_json *after)
{
    an_set_change s = an_set_compare(c->a, before, after, key_entity, same_contracts);
    add_set_parts(c, &s);
}

/* One flow may have a trigger per outcome, so `on` belongs to the key. */
static mt_str key_trigger(mt_arena *a, const mt_json *t)
{
    return mt_strf(a, "%.*s.%.*s -> %.*s.%.*s on %.*s",
                   MT_ARG(mt_json_text(mt_json_at(t, "source_contract"))),
                   MT_ARG(mt_json_text(mt_json_at(t, "source_flow"))),
                   MT_ARG(mt_json_text(mt_json_at(t, "target_contract"))),
                   MT_ARG(mt_json_text(mt_json_at(t, "target_flow"))),
                   MT_ARG(mt_json_text(mt_json_at(t, "on"))));
}

static bool same_persona(const mt_json *a, const mt_json *b)
{
    return an_same_json(mt_json_at(a, "persona"), mt_json_at(b, "persona"));
}

/* Only the persona can change; everything else is in the key. */
static void compare_triggers(an_cmp *c, const mt_json *before, const mt_json *after)
{
    an_set_change s = an_set_compare(c->a, before, after, key_trigger, same_persona);
    add_set_parts(c, &s);
}

/* ---- How a field compares ---- */

/* By the shape nodes.def gives it. Other shapes are compared as JSON, objects member by
 * member. */
static const struct {
    const char *shape;
    compare_field *compare;
} SHAPES[] = {
    {"DEFAULT", compare_default},
    {"EFFECTS", compare_effects},
    {"EXPRESSION", compare_expr},
    {"FACT_SOURCE", compare_source},
    {"MEMBERS", compare_members},
    {"PAYLOAD_VALUE", compare_expr},
    {"SHARED_ENTITIES", compare_shared_entities},
    {"SHARED_PERSONAS", compare_shared_personas},
    {"STEPS", compare_steps},
    {"STRINGS", compare_texts},
    {"TRANSITIONS", compare_transitions},
    {"TRIGGERS", compare_triggers},
    {"TYPE", compare_type},
};

/* Fields that the taxonomy tells apart from others of their shape. */
static const struct {
    const char *kind, *field;
    compare_field *compare;
} FIELDS[] = {
    {"Entity", "parent", compare_optional},
    {"Operation", "outcomes", compare_outcomes},
    {"Rule", "body.produce.payload.type", compare_payload_type},
};

static compare_field *comparison_of(const an_cmp *c, const ln_shape *shape)
{
    for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; i++) {
        if (mt_str_eq(c->kind, mt_str_z(FIELDS[i].kind)) &&
            mt_str_eq(c->field, mt_str_z(FIELDS[i].field))) {
            return FIELDS[i].compare;
        }
    }
    for (size_t i = 0; shape && shape->id && i < sizeof SHAPES / sizeof *SHAPES; i++) {
        if (!strcmp(shape->id, SHAPES[i].shape)) {
            return SHAPES[i].compare;
        }
    }
    return compare_plain;
}

/* ---- Constructs ---- */

/* The shape of a member; NULL for keys of later minor versions, whose change is shown
 * although it is not understood. */
static const ln_shape *shape_of(const ln_field *fields, mt_str key)
{
    for (; fields && fields->key; fields++) {
        if (mt_str_eq(key, mt_str_z(fields->key))) {
            return fields->shape;
        }
    }
    return NULL;
}

/* id and kind are the identity of a construct, provenance and line are noise (M7). */
static bool is_compared(mt_str within, mt_str key)
{
    static const char *const COMMON[] = {"id", "kind", "provenance", "line"};
    for (size_t i = 0; !within.len && i < sizeof COMMON / sizeof *COMMON; i++) {
        if (mt_str_eq(key, mt_str_z(COMMON[i]))) {
            return false;
        }
    }
    return true;
}

/* Equal JSON is equal without a closer look; the comparison runs only where bytes
 * differ, and may still find that the meaning does not. Fields of an object inside are
 * named "body.when". */
static void compare_object(an_cmp *c, mt_str within, const ln_field *fields,
                           const mt_json *before, const mt_json *after)
{
    uint32_t count;
    const an_member_pair *pairs = an_member_pairs(c->a, before, after, &count);
    for (uint32_t i = 0; i < count; i++) {
        const an_member_pair *p = &pairs[i];
        if (!is_compared(within, p->key) || an_same_json(p->before, p->after)) {
            continue;
        }
        const ln_shape *shape = shape_of(fields, p->key);
        mt_str name = mt_strf(c->a, "%.*s%s%.*s", MT_ARG(within), within.len ? "." : "",
                              MT_ARG(p->key));
        if (shape && shape->kind == LN_SHAPE_OBJECT) {
            compare_object(c, name, shape->fields, p->before, p->after);
            continue;
        }
        c->field = name;
        comparison_of(c, shape)(c, p->before, p->after);
        an_cmp_end_field(c, p->before, p->after);
    }
}

/* Kinds of later versions have no fields that are known. */
void an_cmp_fields(an_cmp *c)
{
    const ln_case *kind = ln_case_find(LN_SHAPE_CONSTRUCT, c->kind);
    compare_object(c, MT_STR(""), kind ? kind->fields : NULL, c->before, c->after);
}

/* ---- Trust ---- */

/* trust_domain and attestation_format have rows of their own. What is left is the
 * attestation itself and the key it was made with. */
static bool rest_of_trust_same(mt_arena *a, const mt_json *before, const mt_json *after)
{
    uint32_t count;
    const an_member_pair *pairs = an_member_pairs(a, before, after, &count);
    for (uint32_t i = 0; i < count; i++) {
        bool own = mt_str_is(pairs[i].key, "trust_domain") ||
                   mt_str_is(pairs[i].key, "attestation_format");
        if (!own && !an_same_json(pairs[i].before, pairs[i].after)) {
            return false;
        }
    }
    return true;
}

static void compare_trust_key(an_cmp *c, mt_str field, const mt_json *before,
                              const mt_json *after)
{
    if (!an_same_json(before, after)) {
        c->field = field;
        presence(c, before, after);
        an_cmp_end_field(c, before, after);
    }
}

/* §18.2.9. A document without a trust section has nothing to compare. */
void an_cmp_trust(an_cmp *c, const mt_json *before, const mt_json *after)
{
    const mt_json *old = mt_json_at(before, "trust"), *now = mt_json_at(after, "trust");
    old = mt_json_is(old, MT_JSON_OBJECT) ? old : NULL;
    now = mt_json_is(now, MT_JSON_OBJECT) ? now : NULL;
    if ((old != NULL) != (now != NULL) ||
        (old && !rest_of_trust_same(c->a, old, now))) {
        c->field = MT_STR("trust");
        presence(c, old, now);
        an_cmp_end_field(c, old, now);
    }
    compare_trust_key(c, MT_STR("trust.attestation_format"),
                      mt_json_at(old, "attestation_format"),
                      mt_json_at(now, "attestation_format"));
    compare_trust_key(c, MT_STR("trust.trust_domain"), mt_json_at(old, "trust_domain"),
                      mt_json_at(now, "trust_domain"));
}
