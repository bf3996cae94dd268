/* contract/front/pass6_emit.c - the checked tree as one compact bundle.
 *
 * Order: personas, sources, facts, entities, rules by stratum, operations, flows,
 * systems; within a group by id. Every construct carries its provenance (file and
 * line), of which the part that is the same for a file is made once.
 *
 * Most bundles fit in three times their source: the arena is asked for that much and
 * the bundle written in place; if it does not fit, it is written again into a buffer
 * that grows up to json_bytes. Equal contracts give equal bytes: the etag is a hash of
 * them.
 *
 * What may fail: the bundle is too large, which is a diagnostic of the whole file. */
#include <stdlib.h>

#include "contract/front/emit.h"

/* The part of the provenance that is the same for all constructs of a file. The base
 * name only (§14.2, pass 6), so a bundle does not depend on where it was made. */
static void prepare_provenance(fr_emit *e, const fr_file *file)
{
    mt_buf text = {0}, *out = e->b;
    e->b = &text;
    FR_PUT(e, ",\"provenance\":{\"file\":");
    fr_emit_text(e, file->name);
    FR_PUT(e, ",\"line\":");
    e->b = out;
    e->file = file;
    e->provenance = mt_str_dup(e->u->keep, mt_buf_str(&text));
    mt_buf_free(&text);
}

void fr_emit_provenance(fr_emit *e, const fr_construct *c)
{
    if (MT_UNLIKELY(e->file != c->file)) {
        prepare_provenance(e, c->file);
    }
    mt_buf_adds(e->b, e->provenance);
    mt_buf_add_u64(e->b, fr_line(c->file, c->tok));
    mt_buf_addc(e->b, '}');
}

/* The smallest construct, and the pattern of the others: keys in byte order, the
 * language version last or next to last. */
static void emit_persona(fr_emit *e, const fr_construct *c)
{
    FR_PUT(e, "{\"id\":");
    fr_emit_name(e, c->id);
    FR_PUT(e, ",\"kind\":\"Persona\"");
    fr_emit_provenance(e, c);
    FR_PUT(e, ",\"tenor\":\"1.0\"}");
}

static int compare_source_fields(const void *a, const void *b, void *unit)
{
    const fr_source_field *x = a, *y = b;
    int order = fr_sym_cmp(unit, x->name.sym, y->name.sym);
    return order ? order : x->name.tok < y->name.tok ? -1 : 1;
}

/* Keys of an object are sorted; of a field that stands twice the last one counts. */
static void emit_source_fields(fr_emit *e, const fr_source_decl *s)
{
    size_t count = s->fields.len, written = 0;
    mt_buf_addc(e->b, '{');
    if (count > 1) {
        qsort_r(s->fields.items, count, sizeof *s->fields.items, compare_source_fields,
                e->u);
    }
    for (size_t i = 0; i < count; i++) {
        const fr_source_field *f = &s->fields.items[i];
        bool replaced = i + 1 < count && f[1].name.sym == f->name.sym;
        if (replaced) {
            continue;
        }
        if (written++) {
            mt_buf_addc(e->b, ',');
        }
        fr_emit_name(e, f->name.sym);
        mt_buf_addc(e->b, ':');
        fr_emit_text(e, fr_str(e->u, f->value));
    }
    mt_buf_addc(e->b, '}');
}

static void emit_source(fr_emit *e, const fr_construct *c)
{
    const fr_source_decl *s = (const fr_source_decl *)c;
    mt_buf_addc(e->b, '{');
    if (s->description) {
        FR_PUT(e, "\"description\":");
        fr_emit_text(e, fr_str(e->u, s->description));
        mt_buf_addc(e->b, ',');
    }
    FR_PUT(e, "\"fields\":");
    emit_source_fields(e, s);
    FR_PUT(e, ",\"id\":");
    fr_emit_name(e, c->id);
    FR_PUT(e, ",\"kind\":\"Source\",\"protocol\":");
    fr_emit_name(e, s->protocol);
    fr_emit_provenance(e, c);
    FR_PUT(e, ",\"tenor\":\"1.0\"}");
}

/* Free text with a dot is split at the first into system and field, as the suite has
 * it; without one it stays text. */
static void emit_fact_source(fr_emit *e, const fr_fact *f)
{
    mt_str text = fr_str(e->u, f->source.sym);
    size_t dot = mt_str_find(text, '.');
    if (f->structured) {
        FR_PUT(e, "{\"path\":");
        fr_emit_text(e, fr_str(e->u, f->path.sym));
        FR_PUT(e, ",\"source_id\":");
        fr_emit_name(e, f->source.sym);
        mt_buf_addc(e->b, '}');
    } else if (dot < text.len) {
        FR_PUT(e, "{\"field\":");
        fr_emit_text(e, mt_str_skip(text, dot + 1));
        FR_PUT(e, ",\"system\":");
        fr_emit_text(e, mt_str_from(text.ptr, dot));
        mt_buf_addc(e->b, '}');
    } else {
        fr_emit_text(e, text);
    }
}

static void emit_fact(fr_emit *e, const fr_construct *c)
{
    const fr_fact *f = (const fr_fact *)c;
    mt_buf_addc(e->b, '{');
    if (f->initial) {
        FR_PUT(e, "\"default\":");
        fr_emit_value(e, f->type, f->initial);
        mt_buf_addc(e->b, ',');
    }
    FR_PUT(e, "\"id\":");
    fr_emit_name(e, c->id);
    FR_PUT(e, ",\"kind\":\"Fact\"");
    fr_emit_provenance(e, c);
    FR_PUT(e, ",\"source\":");
    emit_fact_source(e, f);
    FR_PUT(e, ",\"tenor\":\"1.0\",\"type\":");
    fr_emit_type(e, f->type);
    mt_buf_addc(e->b, '}');
}

/* States and transitions keep the order of declaration: arrays are never sorted. */
static void emit_entity(fr_emit *e, const fr_construct *c)
{
    const fr_entity *n = (const fr_entity *)c;
    FR_PUT(e, "{\"id\":");
    fr_emit_name(e, c->id);
    FR_PUT(e, ",\"initial\":");
    fr_emit_name(e, n->initial.sym);
    FR_PUT(e, ",\"kind\":\"Entity\"");
    if (n->parent.sym) {
        FR_PUT(e, ",\"parent\":");
        fr_emit_name(e, n->parent.sym);
    }
    fr_emit_provenance(e, c);
    FR_PUT(e, ",\"states\":");
    fr_emit_names(e, &n->states);
    FR_PUT(e, ",\"tenor\":\"1.0\",\"transitions\":[");
    for (size_t i = 0; i < n->transitions.len; i++) {
        if (i) {
            mt_buf_addc(e->b, ',');
        }
        FR_PUT(e, "{\"from\":");
        fr_emit_name(e, n->transitions.items[i].from.sym);
        FR_PUT(e, ",\"to\":");
        fr_emit_name(e, n->transitions.items[i].to.sym);
        mt_buf_addc(e->b, '}');
    }
    FR_PUT(e, "]}");
}

/* `stratum` is that of the source; whether it is the least possible is a remark
 * elsewhere. */
static void emit_rule(fr_emit *e, const fr_construct *c)
{
    const fr_rule *r = (const fr_rule *)c;
    FR_PUT(e, "{\"body\":{\"produce\":{\"payload\":");
    fr_emit_payload(e, r->payload_type, r->payload);
    FR_PUT(e, ",\"verdict_type\":");
    fr_emit_name(e, r->verdict.sym);
    FR_PUT(e, "},\"when\":");
    fr_emit_condition(e, r->when);
    FR_PUT(e, "},\"id\":");
    fr_emit_name(e, c->id);
    FR_PUT(e, ",\"kind\":\"Rule\"");
    fr_emit_provenance(e, c);
    FR_PUT(e, ",\"stratum\":");
    mt_buf_add_i64(e->b, r->stratum);
    FR_PUT(e, ",\"tenor\":\"1.0\"}");
}

/* As they were written: the loader reads them in this order. */
static void emit_effects(fr_emit *e, const fr_operation *o)
{
    mt_buf_addc(e->b, '[');
    for (size_t i = 0; i < o->effects.len; i++) {
        const fr_effect *f = &o->effects.items[i];
        if (i) {
            mt_buf_addc(e->b, ',');
        }
        FR_PUT(e, "{\"entity_id\":");
        fr_emit_name(e, f->entity.sym);
        FR_PUT(e, ",\"from\":");
        fr_emit_name(e, f->from.sym);
        if (f->outcome.sym) {
            FR_PUT(e, ",\"outcome\":");
            fr_emit_name(e, f->outcome.sym);
        }
        FR_PUT(e, ",\"to\":");
        fr_emit_name(e, f->to.sym);
        mt_buf_addc(e->b, '}');
    }
    mt_buf_addc(e->b, ']');
}

/* Without declared outcomes the key is left out; the loader has the same rule for what
 * that means. */
static void emit_operation(fr_emit *e, const fr_construct *c)
{
    const fr_operation *o = (const fr_operation *)c;
    FR_PUT(e, "{\"allowed_personas\":");
    fr_emit_names(e, &o->personas);
    FR_PUT(e, ",\"effects\":");
    emit_effects(e, o);
    FR_PUT(e, ",\"error_contract\":");
    fr_emit_names(e, &o->errors);
    FR_PUT(e, ",\"id\":");
    fr_emit_name(e, c->id);
    FR_PUT(e, ",\"kind\":\"Operation\"");
    if (o->outcomes.len) {
        FR_PUT(e, ",\"outcomes\":");
        fr_emit_names(e, &o->outcomes);
    }
    FR_PUT(e, ",\"precondition\":");
    fr_emit_condition(e, o->precondition);
    fr_emit_provenance(e, c);
    FR_PUT(e, ",\"tenor\":\"1.0\"}");
}

static void emit_flow(fr_emit *e, const fr_construct *c)
{
    fr_emit_flow(e, (const fr_flow *)c);
}

static void emit_system(fr_emit *e, const fr_construct *c)
{
    fr_emit_system(e, (const fr_system *)c);
}

/* §14.2, pass 6: by id, rules by ascending stratum before that. Sorted copies, so that
 * indices into the unit's lists stay valid. */
static fr_construct **in_order(fr_unit *u, fr_kind kind)
{
    size_t count = u->kinds[kind].len;
    fr_construct **items = mt_alloc(u->keep, mt_array_bytes(count, sizeof *items));
    if (!count) {
        return items;
    }
    memcpy(items, u->kinds[kind].items, count * sizeof *items);
    fr_sort_by_id(u, items, count);
    if (kind == FR_RULE) {
        fr_sort_by_stratum(u, items, count);
    }
    return items;
}

/* In the order of ids every construct is far from the one before. Each of these reads
 * what was asked for some steps ago: the construct, then its line and its name, then
 * the text behind the name, where its strings are. */
FR_HINT void ask_ahead(const fr_unit *u, fr_construct **items, size_t count, size_t at)
{
    enum { NODE = 9, NAME = 4, TEXT = 2, NODE_BYTES = 768 };
    fr_ask_ahead(items, count, at, NODE, NODE_BYTES);
    if (NAME < count - at) {
        const fr_construct *c = items[at + NAME];
        const fr_symbol *name = &u->syms.items[c->id];
        fr_ask(fr_token_at(c->file, c->tok), 0);
        fr_ask(name, 0);
        fr_ask(name, 64);
        fr_ask(u->syms.items[items[at + TEXT]->id].ptr, 64);
    }
}

/* The order of the groups is that of nodes.def. */
static void emit_constructs(fr_emit *e)
{
    static void (*const EMITTERS[])(fr_emit *, const fr_construct *) = {
        [FR_PERSONA] = emit_persona, [FR_SOURCE] = emit_source,
        [FR_FACT] = emit_fact,       [FR_ENTITY] = emit_entity,
        [FR_RULE] = emit_rule,       [FR_OPERATION] = emit_operation,
        [FR_FLOW] = emit_flow,       [FR_SYSTEM] = emit_system,
    };
    MT_TABLE_COVERS(EMITTERS, LN_CONSTRUCT_COUNT);
    bool first = true;
    for (unsigned k = 0; k < LN_CONSTRUCT_COUNT; k++) {
        fr_construct **items = in_order(e->u, (fr_kind)k);
        size_t count = e->u->kinds[k].len;
        for (size_t i = 0; i < count; i++) {
            ask_ahead(e->u, items, count, i);
            if (!first) {
                mt_buf_addc(e->b, ',');
            }
            first = false;
            EMITTERS[k](e, items[i]);
        }
    }
}

/* The version is known at the end, when all nodes were written; its key is the last of
 * the object, so that costs nothing. A contract that needs nothing of ours is 1.0.0. */
static void emit_bundle(fr_emit *e)
{
    const fr_file *root = e->u->files.items[0];
    FR_PUT(e, "{\"constructs\":[");
    emit_constructs(e);
    FR_PUT(e, "],\"id\":");
    fr_emit_text(e, mt_str_stem(root->path));
    FR_PUT(e, ",\"kind\":\"Bundle\",\"tenor\":\"1.0\",\"tenor_version\":");
    mt_buf_addz(e->b, e->extended ? "\"1.1.0\"}" : "\"1.0.0\"}");
    e->u->extended = e->extended;
}

/* Most bundles fit in three times their source: written in place, no copy. What was
 * written is thrown away when it did not fit; the arena keeps the room. */
static bool emit_in_place(fr_unit *u, mt_str *bundle)
{
    size_t room = 4096;
    for (size_t i = 0; i < u->files.len; i++) {
        room += u->files.items[i]->text.len * 3;
    }
    if (room > u->limits->json_bytes) {
        return false;
    }
    mt_buf b = {.ptr = mt_alloc(u->keep, room), .cap = room, .ceiling = room};
    fr_emit e = {.u = u, .b = &b};
    emit_bundle(&e);
    *bundle = mt_buf_str(&b);
    mt_buf_addc(&b, '\0'); /* behind it, as behind every text in an arena */
    return !b.full;
}

/* A full buffer writes nothing more and says so at the end, so no writer checks. */
mt_str fr_pass6_emit(fr_unit *u)
{
    mt_str bundle = MT_STR("");
    if (emit_in_place(u, &bundle)) {
        return bundle;
    }
    mt_buf b = {.ceiling = u->limits->json_bytes};
    fr_emit e = {.u = u, .b = &b};
    emit_bundle(&e);
    bundle = MT_STR("");
    if (b.full) {
        mt_str path = u->files.items[0]->path;
        fr_file_fault fault = {.file = path, .path = path};
        fr_report_file(u, FR_E_OUTPUT_LIMIT, &fault,
                       "the bundle has more than %zu bytes", u->limits->json_bytes);
    } else {
        bundle = mt_str_dup(u->keep, mt_buf_str(&b));
    }
    mt_buf_free(&b);
    return bundle;
}
