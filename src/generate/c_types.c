/* generate/c_types.c - the header's own part: types of facts, verdicts, states.
 *
 * Every field is a slot of 16 bytes, as the evaluator has them, so each is aligned to
 * that. A part of a fact is named by the way to it: `escrow_line_items_item`. A type
 * that several facts share is written once, by the name of the first.
 *
 * Layouts are asserted in the generated source, so a compiler that lays structs out in
 * another way says so.
 *
 * Types are written to the header as they are met, parts before wholes; what is made of
 * them (a struct's fields) waits in a buffer meanwhile. Nothing can fail: names that
 * collide are told apart by gn_unique(). */
#include "generate/c.h"

static mt_str type_name(gn_c *c, const ct_type *t, mt_str path);

static void add_name(gn_c *c, const ct_type *t, mt_str name)
{
    mt_vec_push(c->a, &c->names, name);
    mt_map_put(c->a, &c->type_names, gn_c_key(c, t), c->names.len);
}

static mt_str joined(gn_c *c, mt_str path, mt_str more)
{
    mt_str plain = gn_plain(c->a, more);
    return mt_strf(c->a, "%.*s_%.*s", MT_ARG(path), MT_ARG(plain));
}

/* A name that the whole header shares; C has one
 * scope for types, functions and enumerators. */
static mt_str global(gn_c *c, mt_str name)
{
    return gn_unique(&c->globals, name);
}

/* ---- Types of values ---- */

/* The numbers are the engine's choices. COUNT_ has an underscore behind it, so that a
 * value `count` of the contract does not meet it. */
static void add_enum(gn_c *c, const mt_str *values, uint32_t count, mt_str name)
{
    mt_buf *out = &c->header;
    mt_str upper = gn_upper(c->a, name);
    mt_buf_addf(out, "typedef enum %.*s {", MT_ARG(name));
    for (uint32_t i = 0; i < count; i++) {
        mt_str one = gn_upper(c->a, values[i]);
        mt_str full = mt_strf(c->a, "%.*s_%.*s", MT_ARG(upper), MT_ARG(one));
        full = global(c, full);
        mt_buf_addf(out, "\n    %.*s = %u,", MT_ARG(full), i);
    }
    mt_buf_addf(out, "\n    %.*s_COUNT_ = %u\n} %.*s;\n\n", MT_ARG(upper), count,
                MT_ARG(name));
}

/* A record lies in its slots itself, without a pointer, one field after the other. */
static void add_record(gn_c *c, const ct_type *t, mt_str name)
{
    gn_scope fields = {.a = c->a, .words = GN_C_WORDS};
    mt_buf body = {0};
    for (uint32_t i = 0; i < t->count; i++) {
        const ct_field *f = &t->as.fields[i];
        mt_str type = type_name(c, f->type, joined(c, name, f->name));
        mt_str field = gn_unique(&fields, gn_plain(c->a, f->name));
        mt_buf_addf(&body, "    _Alignas(16) %.*s %.*s; /* ", MT_ARG(type),
                    MT_ARG(field));
        gn_remark(&body, ct_type_spell(c->a, f->type));
        mt_buf_addz(&body, " */\n");
    }
    mt_buf_addf(&c->header, "typedef struct %.*s {\n%.*s} %.*s;\n\n", MT_ARG(name),
                MT_ARG(mt_buf_str(&body)), MT_ARG(name));
    mt_buf_free(&body);
}

/* A tag, and a pointer to what it says: the engine's own layout of a union value.
 * `payload_` is the same pointer without a type. */
static void add_union(gn_c *c, const ct_type *t, mt_str name)
{
    gn_scope fields = {.a = c->a, .words = GN_C_WORDS};
    mt_buf body = {0};
    mt_str *tags = mt_new_array(c->a, mt_str, t->count);
    for (uint32_t i = 0; i < t->count; i++) {
        const ct_field *f = &t->as.variants[i];
        mt_str type = type_name(c, f->type, joined(c, name, f->name));
        mt_str field = gn_unique(&fields, gn_plain(c->a, f->name));
        mt_buf_addf(&body, "        const %.*s *%.*s;\n", MT_ARG(type), MT_ARG(field));
        tags[i] = f->name;
    }
    mt_str tag = global(c, mt_strf(c->a, "%.*s_tag", MT_ARG(name)));
    add_enum(c, tags, t->count, tag);
    mt_buf_addf(&c->header,
                "typedef struct %.*s {\n    union {\n%.*s        const void "
                "*payload_;\n    };\n    %.*s tag;\n} %.*s;\n\n",
                MT_ARG(name), MT_ARG(mt_buf_str(&body)), MT_ARG(tag), MT_ARG(name));
    mt_buf_free(&body);
}

/* Elements take whole slots, so a scalar gets a struct around it. */
static void add_list(gn_c *c, const ct_type *t, mt_str name)
{
    const ct_type *element = t->as.list.element;
    mt_str item = joined(c, name, MT_STR("item"));
    if (ct_held(element) == LN_RECORD) {
        item = type_name(c, element, item);
    } else {
        mt_str of = type_name(c, element, joined(c, name, MT_STR("value")));
        item = global(c, item);
        mt_buf_addf(&c->header,
                    "typedef struct %.*s {\n    _Alignas(16) %.*s value; /* ",
                    MT_ARG(item), MT_ARG(of));
        gn_remark(&c->header, ct_type_spell(c->a, element));
        mt_buf_addf(&c->header, " */\n} %.*s;\n\n", MT_ARG(item));
    }
    mt_buf_addf(&c->header,
                "typedef struct %.*s {\n    const %.*s *items;\n    uint32_t count; /* "
                "at most %zu */\n} %.*s;\n\n",
                MT_ARG(name), MT_ARG(item), t->as.list.max, MT_ARG(name));
}

/* Types that need no declaration of the contract's own; ptr NULL for all others. A
 * Duration and a Date are their number of units and of days. */
static mt_str scalar_name(gn_c *c, const ct_type *t)
{
    switch (ct_held(t)) {
    case LN_BOOLEAN: return MT_STR("bool");
    case LN_INTEGER: return MT_STR("int64_t");
    case LN_DECIMAL: return mt_strf(c->a, "%.*s_decimal", MT_ARG(c->prefix));
    case LN_TEXT: return mt_strf(c->a, "%.*s_text", MT_ARG(c->prefix));
    case LN_TIME: return mt_strf(c->a, "%.*s_moment", MT_ARG(c->prefix));
    case LN_CHOICE:
    case LN_RECORD:
    case LN_VARIANT:
    case LN_LIST: break;
    }
    return (mt_str){0};
}

/* Its name; a type that has none yet is written, with `path` for a name. */
static mt_str type_name(gn_c *c, const ct_type *t, mt_str path)
{
    mt_str scalar = scalar_name(c, t);
    size_t known = mt_map_get(&c->type_names, gn_c_key(c, t), 0);
    if (scalar.ptr || known) {
        return scalar.ptr ? scalar : c->names.items[known - 1];
    }
    mt_str name = global(c, path);
    if (ct_held(t) == LN_CHOICE) {
        add_enum(c, t->as.values, t->count, name);
    } else if (ct_held(t) == LN_RECORD) {
        add_record(c, t, name);
    } else if (ct_held(t) == LN_VARIANT) {
        add_union(c, t, name);
    } else {
        add_list(c, t, name);
    }
    add_name(c, t, name);
    return name;
}

/* ---- Facts ---- */

/* NAME_FACT_AMOUNT = 0: the index of a fact in `given`. */
static void add_fact_numbers(gn_c *c)
{
    mt_buf_addf(&c->header, "/* Facts by number, for `given`. */\nenum {");
    for (uint32_t i = 0; i < c->m->fact_count; i++) {
        mt_str one = gn_upper(c->a, c->m->facts[i].id);
        mt_str full =
            global(c, mt_strf(c->a, "%.*s_FACT_%.*s", MT_ARG(c->upper), MT_ARG(one)));
        mt_buf_addf(&c->header, "\n    %.*s = %u,", MT_ARG(full), i);
    }
    mt_buf_addf(&c->header, "\n    %.*s_FACT_COUNT = %u\n};\n\n", MT_ARG(c->upper),
                c->m->fact_count);
}

/* One more than there are in `given`, because C has no empty arrays. */
void gn_c_header_types(gn_c *c)
{
    gn_scope fields = {.a = c->a, .words = GN_C_WORDS};
    mt_buf body = {0}, asserts = {0};
    for (uint32_t i = 0; i < c->m->fact_count; i++) {
        const ct_fact *f = &c->m->facts[i];
        mt_str path = joined(c, c->prefix, f->id);
        mt_str type = type_name(c, f->type, path);
        mt_str field = gn_unique(&fields, gn_plain(c->a, f->id));
        mt_buf_addf(&body, "    _Alignas(16) %.*s %.*s; /* ", MT_ARG(type),
                    MT_ARG(field));
        gn_remark(&body, ct_type_spell(c->a, f->type));
        mt_buf_addz(&body, f->otherwise ? ", has a default */\n" : " */\n");
        mt_buf_addf(&asserts,
                    "_Static_assert(offsetof(%.*s_facts, %.*s) == %zu, \"a fact is "
                    "where the evaluator reads it\");\n",
                    MT_ARG(c->prefix), MT_ARG(field), (size_t)f->slot * 16);
    }
    add_fact_numbers(c);
    mt_buf_addf(&c->header,
                "/* One set of facts. A fact whose `given` is 0 gets its default, or "
                "is missing. */\ntypedef struct %.*s_facts {\n%.*s    _Alignas(16) "
                "uint8_t given[%u];\n} %.*s_facts;\n\n",
                MT_ARG(c->prefix), MT_ARG(mt_buf_str(&body)), c->m->fact_count + 1,
                MT_ARG(c->prefix));
    mt_buf_adds(&c->source, mt_buf_str(&asserts));
    mt_buf_free(&body);
    mt_buf_free(&asserts);
}

/* ---- Verdicts ---- */

/* Sizes are those that the compiler has found: working memory is in the struct, so that
 * a typed evaluation needs no other. Those by rule have one more than is needed, as C
 * has no empty arrays. */
void gn_c_verdict_header(gn_c *c)
{
    const ct_program *p = c->p;
    mt_buf access = {0};
    for (uint32_t i = 0; i < c->m->rule_count; i++) {
        const ct_rule *r = &c->m->rules[i];
        mt_str path = joined(c, joined(c, c->prefix, r->verdict), MT_STR("payload"));
        mt_str type = type_name(c, r->payload_type, path);
        mt_str plain = gn_plain(c->a, r->verdict);
        mt_str name = global(
            c, mt_strf(c->a, "%.*s_verdict_%.*s", MT_ARG(c->prefix), MT_ARG(plain)));
        mt_buf_addz(&access, "/* ");
        gn_remark(&access, ct_type_spell(c->a, r->payload_type));
        mt_buf_addz(&access, ", by rule ");
        gn_remark(&access, r->id);
        mt_buf_addf(&access,
                    " */\nstatic inline const %.*s *%.*s(const %.*s_verdicts *v)\n{\n  "
                    "  return v->present[%u] >> %u & 1 ? (const %.*s *)v->payload[%u] "
                    ": NULL;\n}\n\n",
                    MT_ARG(type), MT_ARG(name), MT_ARG(c->prefix), i / 64, i % 64,
                    MT_ARG(type), i);
    }
    mt_buf_addf(&c->header,
                "/* What an evaluation found. Its members are the evaluator's; ask "
                "with the functions below.\n * It borrows from the facts and from the "
                "room. */\ntypedef struct %.*s_verdicts {\n    uint64_t present[%u], "
                "used[%u];\n    const void *payload[%u];\n    uint32_t order[%u];\n    "
                "uint64_t seen[%u];\n    _Alignas(16) unsigned char store[%u][16], "
                "temps[%u][16];\n} %.*s_verdicts;\n\n"
                "/* Each: the payload of the verdict, NULL if it is absent. */\n\n",
                MT_ARG(c->prefix), p->present_words, c->m->rule_count + 1,
                c->m->rule_count + 1, p->order_room, p->seen_words,
                c->m->rule_count + 1, p->temps, MT_ARG(c->prefix));
    mt_buf_adds(&c->header, mt_buf_str(&access));
    mt_buf_free(&access);
}

/* ---- Entities, operations, flows ---- */

/* typedef enum NAME_flow { NAME_FLOW_RELEASE = 0, …, NAME_FLOW_COUNT = 3 }. */
static void add_numbers(gn_c *c, const char *what, const mt_str *ids, uint32_t count)
{
    mt_str name = mt_strf(c->a, "%.*s_%s", MT_ARG(c->prefix), what);
    mt_str upper = gn_upper(c->a, name);
    mt_buf_addf(&c->header, "typedef enum %.*s {", MT_ARG(name));
    for (uint32_t i = 0; i < count; i++) {
        mt_str one = gn_upper(c->a, ids[i]);
        mt_str full = global(c, mt_strf(c->a, "%.*s_%.*s", MT_ARG(upper), MT_ARG(one)));
        mt_buf_addf(&c->header, "\n    %.*s = %u,", MT_ARG(full), i);
    }
    mt_buf_addf(&c->header, "\n    %.*s_COUNT = %u\n} %.*s;\n\n", MT_ARG(upper), count,
                MT_ARG(name));
}

/* Names begin each of these rows, so one walk does for all. */
static const mt_str *ids_of(gn_c *c, const void *rows, size_t size, uint32_t count)
{
    mt_str *ids = mt_new_array(c->a, mt_str, count);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(&ids[i], (const char *)rows + i * size, sizeof ids[i]);
    }
    return ids;
}

_Static_assert(offsetof(ct_entity, id) == 0 && offsetof(ct_operation, id) == 0 &&
                   offsetof(ct_flow, id) == 0,
               "rows begin with their names");

/* MOST_CHANGES is at least 1, as it is the length of an array. */
void gn_c_act_header(gn_c *c)
{
    const ct_model *m = c->m;
    add_numbers(c, "entity", ids_of(c, m->entities, sizeof(ct_entity), m->entity_count),
                m->entity_count);
    for (uint32_t i = 0; i < m->entity_count; i++) {
        const ct_entity *e = &m->entities[i];
        mt_str name = joined(c, joined(c, c->prefix, e->id), MT_STR("state"));
        add_enum(c, e->states, e->state_count, global(c, name));
    }
    add_numbers(c, "operation",
                ids_of(c, m->operations, sizeof(ct_operation), m->operation_count),
                m->operation_count);
    add_numbers(c, "flow", ids_of(c, m->flows, sizeof(ct_flow), m->flow_count),
                m->flow_count);
    mt_buf_addf(&c->header, "enum { %.*s_MOST_CHANGES = %u };\n\n", MT_ARG(c->upper),
                c->plan->max_changes ? c->plan->max_changes : 1);
}
