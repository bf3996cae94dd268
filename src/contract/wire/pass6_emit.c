/* contract/wire/pass6_emit.c - the checked tree as one compact bundle.
 * Order: personas, sources, facts, entities, rules by stratum, operations, flows,
 * systems; within a group by id. */
#include <stdlib.h>

#include "contract/wire/emit.h"

/* The part of the provenance that is the same for all constructs of a file. */
static void prepare_provenance(ct_emit *e, const ct_file *file)
{
    mt_buf text = {0}, *out = e->b;
    e->b = &text;
    CT_PUT(e, ",\"provenance\":{\"file\":");
    ct_emit_text(e, file->name);
    CT_PUT(e, ",\"line\":");
    e->b = out;
    e->file = file;
    e->provenance = mt_str_dup(e->u->keep, mt_buf_str(&text));
    mt_buf_free(&text);
}

void ct_emit_provenance(ct_emit *e, const ct_construct *c)
{
    if (MT_UNLIKELY(e->file != c->file)) {
        prepare_provenance(e, c->file);
    }
    mt_buf_adds(e->b, e->provenance);
    mt_buf_add_u64(e->b, ct_line(c->file, c->tok));
    mt_buf_addc(e->b, '}');
}

static void emit_persona(ct_emit *e, const ct_construct *c)
{
    CT_PUT(e, "{\"id\":");
    ct_emit_name(e, c->id);
    CT_PUT(e, ",\"kind\":\"Persona\"");
    ct_emit_provenance(e, c);
    CT_PUT(e, ",\"tenor\":\"1.0\"}");
}

static int compare_source_fields(const void *a, const void *b, void *unit)
{
    const ct_source_field *x = a, *y = b;
    int order = ct_sym_cmp(unit, x->name.sym, y->name.sym);
    return order ? order : x->name.tok < y->name.tok ? -1 : 1;
}

static void emit_source_fields(ct_emit *e, const ct_source_decl *s)
{
    size_t count = s->fields.len, written = 0;
    mt_buf_addc(e->b, '{');
    if (count > 1) {
        qsort_r(s->fields.items, count, sizeof *s->fields.items, compare_source_fields,
                e->u);
    }
    for (size_t i = 0; i < count; i++) {
        const ct_source_field *f = &s->fields.items[i];
        bool replaced = i + 1 < count && f[1].name.sym == f->name.sym;
        if (replaced) {
            continue;
        }
        if (written++) {
            mt_buf_addc(e->b, ',');
        }
        ct_emit_name(e, f->name.sym);
        mt_buf_addc(e->b, ':');
        ct_emit_text(e, ct_str(e->u, f->value));
    }
    mt_buf_addc(e->b, '}');
}

static void emit_source(ct_emit *e, const ct_construct *c)
{
    const ct_source_decl *s = (const ct_source_decl *)c;
    mt_buf_addc(e->b, '{');
    if (s->description) {
        CT_PUT(e, "\"description\":");
        ct_emit_text(e, ct_str(e->u, s->description));
        mt_buf_addc(e->b, ',');
    }
    CT_PUT(e, "\"fields\":");
    emit_source_fields(e, s);
    CT_PUT(e, ",\"id\":");
    ct_emit_name(e, c->id);
    CT_PUT(e, ",\"kind\":\"Source\",\"protocol\":");
    ct_emit_name(e, s->protocol);
    ct_emit_provenance(e, c);
    CT_PUT(e, ",\"tenor\":\"1.0\"}");
}

static void emit_fact_source(ct_emit *e, const ct_fact *f)
{
    mt_str text = ct_str(e->u, f->source.sym);
    size_t dot = mt_str_find(text, '.');
    if (f->structured) {
        CT_PUT(e, "{\"path\":");
        ct_emit_text(e, ct_str(e->u, f->path.sym));
        CT_PUT(e, ",\"source_id\":");
        ct_emit_name(e, f->source.sym);
        mt_buf_addc(e->b, '}');
    } else if (dot < text.len) {
        CT_PUT(e, "{\"field\":");
        ct_emit_text(e, mt_str_skip(text, dot + 1));
        CT_PUT(e, ",\"system\":");
        ct_emit_text(e, mt_str_from(text.ptr, dot));
        mt_buf_addc(e->b, '}');
    } else {
        ct_emit_text(e, text);
    }
}

static void emit_fact(ct_emit *e, const ct_construct *c)
{
    const ct_fact *f = (const ct_fact *)c;
    mt_buf_addc(e->b, '{');
    if (f->initial) {
        CT_PUT(e, "\"default\":");
        ct_emit_value(e, f->type, f->initial);
        mt_buf_addc(e->b, ',');
    }
    CT_PUT(e, "\"id\":");
    ct_emit_name(e, c->id);
    CT_PUT(e, ",\"kind\":\"Fact\"");
    ct_emit_provenance(e, c);
    CT_PUT(e, ",\"source\":");
    emit_fact_source(e, f);
    CT_PUT(e, ",\"tenor\":\"1.0\",\"type\":");
    ct_emit_type(e, f->type);
    mt_buf_addc(e->b, '}');
}

static void emit_entity(ct_emit *e, const ct_construct *c)
{
    const ct_entity *n = (const ct_entity *)c;
    CT_PUT(e, "{\"id\":");
    ct_emit_name(e, c->id);
    CT_PUT(e, ",\"initial\":");
    ct_emit_name(e, n->initial.sym);
    CT_PUT(e, ",\"kind\":\"Entity\"");
    if (n->parent.sym) {
        CT_PUT(e, ",\"parent\":");
        ct_emit_name(e, n->parent.sym);
    }
    ct_emit_provenance(e, c);
    CT_PUT(e, ",\"states\":");
    ct_emit_names(e, &n->states);
    CT_PUT(e, ",\"tenor\":\"1.0\",\"transitions\":[");
    for (size_t i = 0; i < n->transitions.len; i++) {
        if (i) {
            mt_buf_addc(e->b, ',');
        }
        CT_PUT(e, "{\"from\":");
        ct_emit_name(e, n->transitions.items[i].from.sym);
        CT_PUT(e, ",\"to\":");
        ct_emit_name(e, n->transitions.items[i].to.sym);
        mt_buf_addc(e->b, '}');
    }
    CT_PUT(e, "]}");
}

static void emit_rule(ct_emit *e, const ct_construct *c)
{
    const ct_rule *r = (const ct_rule *)c;
    CT_PUT(e, "{\"body\":{\"produce\":{\"payload\":");
    ct_emit_payload(e, r->payload_type, r->payload);
    CT_PUT(e, ",\"verdict_type\":");
    ct_emit_name(e, r->verdict.sym);
    CT_PUT(e, "},\"when\":");
    ct_emit_condition(e, r->when);
    CT_PUT(e, "},\"id\":");
    ct_emit_name(e, c->id);
    CT_PUT(e, ",\"kind\":\"Rule\"");
    ct_emit_provenance(e, c);
    CT_PUT(e, ",\"stratum\":");
    mt_buf_add_i64(e->b, r->stratum);
    CT_PUT(e, ",\"tenor\":\"1.0\"}");
}

static void emit_effects(ct_emit *e, const ct_operation *o)
{
    mt_buf_addc(e->b, '[');
    for (size_t i = 0; i < o->effects.len; i++) {
        const ct_effect *f = &o->effects.items[i];
        if (i) {
            mt_buf_addc(e->b, ',');
        }
        CT_PUT(e, "{\"entity_id\":");
        ct_emit_name(e, f->entity.sym);
        CT_PUT(e, ",\"from\":");
        ct_emit_name(e, f->from.sym);
        if (f->outcome.sym) {
            CT_PUT(e, ",\"outcome\":");
            ct_emit_name(e, f->outcome.sym);
        }
        CT_PUT(e, ",\"to\":");
        ct_emit_name(e, f->to.sym);
        mt_buf_addc(e->b, '}');
    }
    mt_buf_addc(e->b, ']');
}

static void emit_operation(ct_emit *e, const ct_construct *c)
{
    const ct_operation *o = (const ct_operation *)c;
    CT_PUT(e, "{\"allowed_personas\":");
    ct_emit_names(e, &o->personas);
    CT_PUT(e, ",\"effects\":");
    emit_effects(e, o);
    CT_PUT(e, ",\"error_contract\":");
    ct_emit_names(e, &o->errors);
    CT_PUT(e, ",\"id\":");
    ct_emit_name(e, c->id);
    CT_PUT(e, ",\"kind\":\"Operation\"");
    if (o->outcomes.len) {
        CT_PUT(e, ",\"outcomes\":");
        ct_emit_names(e, &o->outcomes);
    }
    CT_PUT(e, ",\"precondition\":");
    ct_emit_condition(e, o->precondition);
    ct_emit_provenance(e, c);
    CT_PUT(e, ",\"tenor\":\"1.0\"}");
}

static void emit_flow(ct_emit *e, const ct_construct *c)
{
    ct_emit_flow(e, (const ct_flow *)c);
}

static void emit_system(ct_emit *e, const ct_construct *c)
{
    ct_emit_system(e, (const ct_system *)c);
}

static int compare_strata(const void *a, const void *b, void *unit)
{
    const ct_rule *x = *(const ct_rule *const *)a, *y = *(const ct_rule *const *)b;
    if (x->stratum != y->stratum) {
        return x->stratum < y->stratum ? -1 : 1;
    }
    return ct_sym_cmp(unit, x->head.id, y->head.id);
}

/* Sorted copies, so that indices into the unit's lists stay valid. */
static ct_construct **in_order(ct_unit *u, ct_kind kind)
{
    size_t count = u->kinds[kind].len;
    ct_construct **items = mt_alloc(u->keep, mt_array_bytes(count, sizeof *items));
    if (!count) {
        return items;
    }
    memcpy(items, u->kinds[kind].items, count * sizeof *items);
    ct_sort_by_id(u, items, count);
    for (size_t i = 1; kind == CT_RULE && i < count; i++) {
        if (compare_strata(&items[i - 1], &items[i], u) > 0) {
            qsort_r(items, count, sizeof *items, compare_strata, u);
            break;
        }
    }
    return items;
}

static void emit_constructs(ct_emit *e)
{
    static const struct {
        ct_kind kind;
        void (*emit)(ct_emit *e, const ct_construct *c);
    } GROUPS[] = {
        {CT_PERSONA, emit_persona}, {CT_SOURCE, emit_source},
        {CT_FACT, emit_fact},       {CT_ENTITY, emit_entity},
        {CT_RULE, emit_rule},       {CT_OPERATION, emit_operation},
        {CT_FLOW, emit_flow},       {CT_SYSTEM, emit_system},
    };
    bool first = true;
    for (size_t g = 0; g < sizeof GROUPS / sizeof *GROUPS; g++) {
        ct_construct **items = in_order(e->u, GROUPS[g].kind);
        for (size_t i = 0; i < e->u->kinds[GROUPS[g].kind].len; i++) {
            if (!first) {
                mt_buf_addc(e->b, ',');
            }
            first = false;
            GROUPS[g].emit(e, items[i]);
        }
    }
}

static void emit_bundle(ct_emit *e)
{
    const ct_file *root = e->u->files.items[0];
    CT_PUT(e, "{\"constructs\":[");
    emit_constructs(e);
    CT_PUT(e, "],\"id\":");
    ct_emit_text(e, mt_str_stem(root->path));
    CT_PUT(e, ",\"kind\":\"Bundle\",\"tenor\":\"1.0\",\"tenor_version\":");
    mt_buf_addz(e->b, e->extended ? "\"1.1.0\"}" : "\"1.0.0\"}");
    e->u->extended = e->extended;
}

/* Most bundles fit in three times their source: written in place, no copy. */
static bool emit_in_place(ct_unit *u, mt_str *bundle)
{
    size_t room = 4096;
    for (size_t i = 0; i < u->files.len; i++) {
        room += u->files.items[i]->text.len * 3;
    }
    if (room > u->limits->json_bytes) {
        return false;
    }
    mt_buf b = {.ptr = mt_alloc(u->keep, room), .cap = room, .ceiling = room};
    ct_emit e = {.u = u, .b = &b};
    emit_bundle(&e);
    *bundle = mt_buf_str(&b);
    mt_buf_addc(&b, '\0'); /* behind it, as behind every text in an arena */
    return !b.full;
}

mt_str ct_pass6_emit(ct_unit *u)
{
    mt_str bundle = MT_STR("");
    if (emit_in_place(u, &bundle)) {
        return bundle;
    }
    mt_buf b = {.ceiling = u->limits->json_bytes};
    ct_emit e = {.u = u, .b = &b};
    emit_bundle(&e);
    bundle = MT_STR("");
    if (b.full) {
        ct_report_file(u, CT_E_OUTPUT_LIMIT, u->files.items[0]->path,
                       "the bundle has more than %zu bytes", u->limits->json_bytes);
    } else {
        bundle = mt_str_dup(u->keep, mt_buf_str(&b));
    }
    mt_buf_free(&b);
    return bundle;
}
