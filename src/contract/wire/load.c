/* contract/wire/load.c - a bundle to a model: the envelope and the order of reading.
 *
 * Names are indexed first, so constructs may stand in any order; then facts, entities
 * and rule heads, then everything that refers to them: rule bodies, operations, flows;
 * at the end the checks that need the whole model (load_check.c). Rules are sorted by
 * stratum, in bundle order inside a stratum.
 *
 * A fault is reported with the path in the JSON that leads to it, kept in one buffer
 * that grows and shrinks with the walk, and loading goes on with the next construct:
 * many faults per run. Kinds that are not evaluated are passed over.
 *
 * What may fail: MT_E_REJECTED with diagnostics, MT_E_VERSION, MT_E_SYNTAX and
 * MT_E_LIMIT of the JSON. A model lives in `keep`, borrows texts from the bundle's
 * copy there, and is immutable. */
#include "base/json_write.h"
#include "contract/elaborate.h"
#include "contract/wire/load_internal.h"
#include "contract/wire/shape.h"

/* ---- Constructs ---- */

/* A construct of the bundle and its place in it. */
typedef struct item {
    const mt_json *json;
    uint32_t position;
} item;

typedef MT_VEC(item) item_list;

/* The parts of a bundle, by kind. */
typedef struct parts {
    item_list of[LN_CONSTRUCT_COUNT];
} parts;

/* Everything that is reported from here on is about this construct. */
static void enter(ct_loader *l, const item *it)
{
    mt_buf_clear(&l->path);
    mt_buf_addf(&l->path, "constructs[%u]", it->position);
    l->construct_kind = mt_json_text(mt_json_at(it->json, "kind"));
    l->construct_id = mt_json_text(mt_json_at(it->json, "id"));
}

static void add_name(ct_loader *l, ct_kind kind, mt_str id, size_t index,
                     const mt_json *at)
{
    bool added;
    mt_map_entry *e = mt_map_add(l->keep, &l->m->names[kind], id, &added);
    if (!added) {
        ct_load_error(l, CT_L_NAME, at, "\"%.*s\" is declared twice", MT_ARG(id));
        return;
    }
    e->value = index + 1;
}

/* Systems are for whoever runs several contracts; kinds of later versions are for
 * nobody here. */
static bool is_evaluated(ln_construct kind)
{
    return kind != LN_CONSTRUCT_COUNT && kind != LN_CONSTRUCT_SYSTEM;
}

/* Sorts the constructs by kind; kinds we do not evaluate are passed over. */
static void sort_out(ct_loader *l, const mt_json *constructs, parts *p)
{
    for (uint32_t i = 0; i < constructs->count; i++) {
        item it = {&constructs->as.items[i], i};
        ln_construct kind = ln_construct_named(ct_text_at(it.json, "kind"));
        enter(l, &it);
        if (!is_evaluated(kind)) {
            continue;
        }
        if (kind != LN_CONSTRUCT_RULE) { /* rules are numbered by stratum, later */
            add_name(l, (ct_kind)kind, l->construct_id, p->of[kind].len, it.json);
        }
        mt_vec_push(l->keep, &p->of[kind], it);
    }
}

static ct_origin origin_of(const mt_json *json)
{
    const mt_json *p = mt_json_at(json, "provenance");
    int64_t line = 0;
    if (mt_json_i64(mt_json_at(p, "line"), &line) != MT_OK || line < 0 ||
        line > UINT32_MAX) {
        line = 0;
    }
    return (ct_origin){mt_json_text(mt_json_at(p, "file")), (uint32_t)line};
}

static mt_str canonical(ct_loader *l, const mt_json *json)
{
    mt_buf b = {0};
    mt_json_write(&b, json, false);
    mt_str text = mt_str_dup(l->keep, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

static void load_sources(ct_loader *l, const item_list *items)
{
    ct_source_decl *sources = mt_new_array(l->keep, ct_source_decl, items->len);
    for (size_t i = 0; i < items->len; i++) {
        const mt_json *json = items->items[i].json;
        const mt_json *fields = mt_json_at(json, "fields");
        enter(l, &items->items[i]);
        sources[i] = (ct_source_decl){
            .id = l->construct_id,
            .protocol = mt_json_text(mt_json_at(json, "protocol")),
            .description = mt_json_text(mt_json_at(json, "description")),
            .fields = fields ? canonical(l, fields) : MT_STR("{}"),
            .origin = origin_of(json)};
    }
    l->m->sources = sources;
    l->m->source_count = (uint32_t)items->len;
}

static void load_personas(ct_loader *l, const item_list *items)
{
    for (size_t i = 0; i < items->len; i++) {
        enter(l, &items->items[i]);
        mt_vec_push(
            l->keep, &l->personas,
            ((ct_persona){l->construct_id, true, origin_of(items->items[i].json)}));
    }
    l->m->personas_declared = (uint32_t)items->len;
}

static void load_fact_source(ct_loader *l, const mt_json *json, ct_fact *f)
{
    const mt_json *source = mt_json_at(json, "source");
    const mt_json *id = mt_json_at(source, "source_id");
    f->source = source ? canonical(l, source) : MT_STR("null");
    f->source_id = CT_NONE;
    if (id) {
        f->source_id = ct_model_find(l->m, CT_KIND_SOURCE, mt_json_text(id));
        if (f->source_id == CT_NONE) {
            ct_load_error(l, CT_L_NAME, id,
                          "source references undeclared source \"%.*s\"",
                          MT_ARG(mt_json_text(id)));
        }
    }
}

static void load_fact(ct_loader *l, const mt_json *json, ct_fact *f)
{
    *f = (ct_fact){.id = l->construct_id, .origin = origin_of(json)};
    load_fact_source(l, json, f);
    size_t mark = ct_path_key(l, MT_STR("type"));
    f->type = ct_load_type(l, mt_json_at(json, "type"));
    ct_path_pop(l, mark);
    const mt_json *otherwise = mt_json_at(json, "default");
    if (f->type && otherwise) {
        ct_value *v = mt_new_array(l->keep, ct_value, f->type->slots + 1);
        mark = ct_path_key(l, MT_STR("default"));
        f->otherwise = ct_load_value(l, f->type, otherwise, v) ? v : NULL;
        ct_path_pop(l, mark);
    }
}

static void load_facts(ct_loader *l, const item_list *items)
{
    ct_fact *facts = mt_new_array(l->keep, ct_fact, items->len);
    for (size_t i = 0; i < items->len; i++) {
        enter(l, &items->items[i]);
        load_fact(l, items->items[i].json, &facts[i]);
        /* One row of values holds all facts; each begins where the one before ends. */
        facts[i].slot = l->m->slot_count;
        l->m->slot_count += facts[i].type ? facts[i].type->slots : 0;
    }
    l->m->facts = facts;
    l->m->fact_count = (uint32_t)items->len;
}

static void load_entities(ct_loader *l, const item_list *items)
{
    ct_entity *entities = mt_new_array(l->keep, ct_entity, items->len);
    l->m->entities = entities;
    l->m->entity_count = (uint32_t)items->len;
    for (size_t i = 0; i < items->len; i++) {
        enter(l, &items->items[i]);
        ct_load_entity(l, items->items[i].json, &entities[i]);
        entities[i].origin = origin_of(items->items[i].json);
    }
}

/* ---- Rules ---- */

static int64_t stratum_of(const item *it)
{
    return ct_i64_at(it->json, "stratum");
}

/* Stable merge sort by stratum: bundle order inside a stratum. */
static void sort_rules(item *items, item *room, size_t count)
{
    if (count < 2) {
        return;
    }
    size_t half = count / 2, a = 0, b = half;
    sort_rules(items, room, half);
    sort_rules(items + half, room, count - half);
    for (size_t i = 0; i < count; i++) {
        bool left =
            b == count || (a < half && stratum_of(&items[a]) <= stratum_of(&items[b]));
        room[i] = items[left ? a++ : b++];
    }
    memcpy(items, room, count * sizeof *items);
}

static void load_rule_head(ct_loader *l, const mt_json *json, ct_rule *r)
{
    int64_t stratum = ct_i64_at(json, "stratum");
    const mt_json *produce = mt_json_at(mt_json_at(json, "body"), "produce");
    const mt_json *payload = mt_json_at(produce, "payload");
    *r = (ct_rule){.id = l->construct_id,
                   .verdict = ct_text_at(produce, "verdict_type"),
                   .origin = origin_of(json)};
    if (stratum < 0 || (uint64_t)stratum > l->limits->stratum) {
        ct_load_error(l, CT_L_STRATUM, json,
                      "stratum %lld is out of range 0 .. %zu (limit stratum)",
                      (long long)stratum, l->limits->stratum);
        stratum = 0;
    }
    r->stratum = (uint32_t)stratum;
    size_t mark = ct_path_key(l, MT_STR("body.produce.payload.type"));
    r->payload_type = ct_load_type(l, mt_json_at(payload, "type"));
    ct_path_pop(l, mark);
}

static void load_rule_body(ct_loader *l, const mt_json *json, ct_rule *r)
{
    const mt_json *body = mt_json_at(json, "body");
    const mt_json *when = mt_json_at(body, "when");
    const mt_json *payload = mt_json_at(mt_json_at(body, "produce"), "payload");
    if (!r->payload_type) {
        return;
    }
    l->stratum_limit = r->stratum;
    size_t mark = ct_path_key(l, MT_STR("body.when"));
    r->when = ct_load_predicate(l, when);
    ct_path_pop(l, mark);
    mark = ct_path_key(l, MT_STR("body.produce.payload.value"));
    r->payload = ct_load_payload(l, r->payload_type, mt_json_at(payload, "value"));
    ct_path_pop(l, mark);
    l->stratum_limit = UINT32_MAX;
}

static void load_rules(ct_loader *l, const item_list *items)
{
    ct_rule *rules = mt_new_array(l->keep, ct_rule, items->len);
    sort_rules(items->items, mt_new_array(l->keep, item, items->len), items->len);
    l->m->rules = rules;
    l->m->rule_count = (uint32_t)items->len;
    for (size_t i = 0; i < items->len; i++) {
        const mt_json *json = items->items[i].json;
        enter(l, &items->items[i]);
        add_name(l, CT_KIND_RULE, l->construct_id, i, json);
        load_rule_head(l, json, &rules[i]);
        /* A verdict without a type cannot be read; its users would only repeat the
         * fault. */
        if (rules[i].payload_type) {
            add_name(l, CT_KIND_VERDICT, rules[i].verdict, i, json);
        }
    }
    for (size_t i = 0; i < items->len; i++) {
        enter(l, &items->items[i]);
        load_rule_body(l, items->items[i].json, &rules[i]);
    }
}

static void load_operations(ct_loader *l, const item_list *items)
{
    ct_operation *ops = mt_new_array(l->keep, ct_operation, items->len);
    l->m->operations = ops;
    l->m->operation_count = (uint32_t)items->len;
    for (size_t i = 0; i < items->len; i++) {
        enter(l, &items->items[i]);
        ct_load_operation(l, items->items[i].json, &ops[i]);
        ops[i].origin = origin_of(items->items[i].json);
    }
}

static void load_flows(ct_loader *l, const item_list *items)
{
    ct_flow *flows = mt_new_array(l->keep, ct_flow, items->len);
    l->m->flows = flows;
    l->m->flow_count = (uint32_t)items->len;
    for (size_t i = 0; i < items->len; i++) {
        enter(l, &items->items[i]);
        ct_load_flow(l, items->items[i].json, &flows[i]);
        flows[i].origin = origin_of(items->items[i].json);
    }
}

/* ---- Entry ---- */

static mt_err load_version(ct_loader *l, const mt_json *bundle)
{
    const mt_json *v = mt_json_at(bundle, "tenor_version");
    mt_str why;
    l->m->version =
        mt_json_is(v, MT_JSON_STRING) ? mt_json_text(v) : mt_str_from(NULL, 0);
    mt_err err = ct_check_version(l->keep, l->m->version, &why);
    if (err != MT_OK) {
        ct_load_error(l, CT_L_VERSION, v ? v : bundle, "%.*s", MT_ARG(why));
    }
    return err;
}

static void load_constructs(ct_loader *l, const mt_json *constructs)
{
    parts p = {0};
    sort_out(l, constructs, &p);
    load_sources(l, &p.of[LN_CONSTRUCT_SOURCE]);
    load_personas(l, &p.of[LN_CONSTRUCT_PERSONA]);
    load_facts(l, &p.of[LN_CONSTRUCT_FACT]);
    load_entities(l, &p.of[LN_CONSTRUCT_ENTITY]);
    load_rules(l, &p.of[LN_CONSTRUCT_RULE]);
    load_operations(l, &p.of[LN_CONSTRUCT_OPERATION]);
    load_flows(l, &p.of[LN_CONSTRUCT_FLOW]);
    l->m->personas = l->personas.items;
    l->m->persona_count = (uint32_t)l->personas.len;
    l->m->conditions = l->conditions.items;
    l->m->condition_count = (uint32_t)l->conditions.len;
}

static mt_err load_bundle(ct_loader *l, const mt_json *bundle)
{
    mt_err err = load_version(l, bundle);
    if (err != MT_OK) {
        return err;
    }
    l->m->id = ct_text_at(bundle, "id");
    size_t before = l->ds->errors;
    load_constructs(l, mt_json_at(bundle, "constructs"));
    if (l->ds->errors == before) {
        ct_check_model(l);
    }
    return l->ds->errors == before ? MT_OK : MT_E_REJECTED;
}

mt_err ct_load_json(mt_arena *keep, const mt_json *bundle, mt_str text, mt_str file,
                    const mt_limits *limits, mt_diags *ds, const ct_model **out)
{
    ct_loader l = {.keep = keep,
                   .text = text,
                   .file = file,
                   .limits = limits ? limits : &MT_LIMITS_DEFAULT,
                   .ds = ds,
                   .passed = {.arena = ds->arena, .limit = ds->limit},
                   .is_newer = ct_version_is_newer(ct_text_at(bundle, "tenor_version")),
                   .m = mt_new(keep, ct_model),
                   .stratum_limit = UINT32_MAX};
    mt_err err = load_bundle(&l, bundle);
    if (!err) {
        mt_diags_append(ds, &l.passed);
    }
    mt_buf_free(&l.path);
    *out = err == MT_OK ? l.m : NULL;
    return err;
}

static mt_err not_json(mt_str text, mt_str file, mt_diags *ds, mt_err err,
                       const mt_json_error *error)
{
    mt_diag d = {.severity = MT_ERROR, .code = CT_L_JSON, .pass = -1, .file = file};
    d.message = error->detail.len ? mt_strf(ds->arena, "%s: %.*s", error->message,
                                            MT_ARG(error->detail))
                                  : mt_strf(ds->arena, "%s", error->message);
    mt_json_place(text, error->offset, &d.line, &d.column);
    mt_diag_add(ds, &d);
    return err == MT_E_LIMIT ? MT_E_LIMIT : MT_E_REJECTED;
}

/* What a model needs; a bundle of another version is left to load_version(). */
static mt_err check_form(const mt_json *bundle, mt_str text, mt_str file, mt_diags *ds)
{
    ct_shape_walk w = {.ds = ds, .file = file, .text = text, .is_loose = true};
    mt_str why, version = mt_json_text(mt_json_at(bundle, "tenor_version"));
    size_t before = ds->errors;
    if (mt_json_is(bundle, MT_JSON_OBJECT) &&
        ct_check_version(ds->arena, version, &why) != MT_OK) {
        return MT_OK;
    }
    w.is_newer = ct_version_is_newer(version);
    ct_shape_check(&w, LN_SHAPE_BUNDLE, bundle);
    mt_buf_free(&w.path);
    return ds->errors == before ? MT_OK : MT_E_REJECTED;
}

mt_err ct_load(mt_arena *keep, mt_str text, mt_str file, const mt_limits *limits,
               mt_diags *ds, const ct_model **out)
{
    const mt_limits *lim = limits ? limits : &MT_LIMITS_DEFAULT;
    mt_json_limits bounds = {.bytes = lim->json_bytes, .depth = lim->bundle_depth};
    mt_json *bundle = mt_new(keep, mt_json);
    mt_json_error error = {0};
    *out = NULL;
    /* A model outlives the caller's text. What is too long is refused next,
     * uncopied. */
    mt_str copy = text.len <= lim->json_bytes ? mt_str_dup(keep, text) : text;
    mt_err err = mt_json_read(keep, copy, &bounds, bundle, &error);
    if (err != MT_OK) {
        return not_json(copy, file, ds, err, &error);
    }
    err = check_form(bundle, copy, file, ds);
    if (err) {
        return err;
    }
    return ct_load_json(keep, bundle, copy, file, lim, ds, out);
}
