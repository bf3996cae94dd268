/* The front against nodes.def.
 * What pass 6 writes is what it states: random programs of every construct are
 * elaborated, and every object of their bundles has the keys of its shape, all that it
 * needs and no other, in byte order. At the end every key and every alternative of
 * every shape has been written, so neither can nodes.def have one that the emitters
 * forget. What the parser takes is what it states, but for the differences between
 * source and interchange, which are listed here: a body knows the keys of its shape and
 * no other key of the language. */
#include "elaborate_fixture.h"

#include "../rows.h"

#include "base/json_read.h"
#include "base/map.h"
#include "contract/front/symbols.h"
#include "lang/shape.h"
#include "random_source.h"

enum { PROGRAMS = 1000 };

typedef struct walk {
    mt_arena names, scratch;
    mt_map written; /* "TYPE.Int.max", "TARGET 0" */
    mt_str bundle;  /* for messages */
} walk;

static mt_str key_name(mt_arena *a, const ln_shape *s, const ln_case *c,
                       const char *key)
{
    return mt_strf(a, "%s%s%s.%s", s->id, c ? "." : "", c ? c->text : "", key);
}

static mt_str alternative_name(mt_arena *a, const ln_shape *s, const ln_when *when)
{
    return mt_strf(a, "%s %zu", s->id, (size_t)(when - s->whens));
}

static mt_str word_name(mt_arena *a, const ln_shape *s, const char *word)
{
    return mt_strf(a, "%s \"%s\"", s->id, word);
}

/* `name` is in the scratch. */
static void note(walk *w, mt_str name)
{
    if (!mt_map_find(&w->written, name)) {
        mt_map_put(&w->names, &w->written, mt_str_dup(&w->names, name), 1);
    }
    mt_arena_reset(&w->scratch);
}

/* ---- Values against shapes ---- */

static void walk_shape(walk *w, const ln_shape *s, const mt_json *value);

/* The field of this key, in the family's or in the case's list. A key that makes
 * another unnecessary is known, too, and anything may stand there. */
static const ln_shape *known_key(const ln_field *fields, mt_str key)
{
    static const ln_shape ANY = {.kind = LN_SHAPE_ANY};
    for (; fields && fields->key; fields++) {
        if (mt_str_eq(key, mt_str_z(fields->key))) {
            return fields->shape;
        }
        if (fields->other && mt_str_eq(key, mt_str_z(fields->other))) {
            return &ANY;
        }
    }
    return NULL;
}

static void needs_are_there(walk *w, const ln_field *fields, const mt_json *object)
{
    for (; fields && fields->key; fields++) {
        bool needed = fields->demand == LN_NEED || fields->demand == LN_FORM ||
                      (fields->demand == LN_UNLESS &&
                       !mt_json_get(object, mt_str_z(fields->other)));
        if (needed && !mt_json_get(object, mt_str_z(fields->key))) {
            fail_msg("\"%s\" is missing in %.*s", fields->key, MT_ARG(w->bundle));
        }
    }
}

static void walk_object(walk *w, const ln_shape *s, const ln_case *c,
                        const mt_json *object)
{
    assert_int_equal(object->type, MT_JSON_OBJECT);
    for (uint32_t i = 0; i < object->count; i++) {
        const mt_json_member *m = &object->as.members[i];
        const ln_shape *own = c ? known_key(c->fields, m->key) : NULL;
        const ln_shape *common = known_key(s->fields, m->key);
        note(w, key_name(&w->scratch, s, own ? c : NULL,
                         mt_str_dup(&w->scratch, m->key).ptr));
        if (own || common) {
            walk_shape(w, own ? own : common, &m->value);
        } else if (!s->key || !mt_str_eq(m->key, mt_str_z(s->key))) {
            fail_msg("%s has no key \"%.*s\": %.*s", s->id, MT_ARG(m->key),
                     MT_ARG(w->bundle));
        }
    }
    needs_are_there(w, s->fields, object);
    needs_are_there(w, c ? c->fields : NULL, object);
}

static void walk_family(walk *w, const ln_shape *s, const mt_json *object)
{
    mt_str text = mt_json_text(mt_json_get(object, mt_str_z(s->key)));
    const ln_case *c = ln_case_find(s, text);
    if (!c) {
        fail_msg("%s has no case \"%.*s\": %.*s", s->id, MT_ARG(text),
                 MT_ARG(w->bundle));
        return;
    }
    walk_object(w, s, c, object);
    note(w, key_name(&w->scratch, s, c, ""));
}

static bool is_meant(const ln_when *when, const mt_json *value)
{
    switch (when->test) {
    case LN_IS_TEXT: return value->type == MT_JSON_STRING;
    case LN_IS_SCALAR:
        return value->type != MT_JSON_OBJECT && value->type != MT_JSON_ARRAY;
    case LN_HAS_KEY: return mt_json_get(value, mt_str_z(when->key)) != NULL;
    case LN_IS_OBJECT: return value->type == MT_JSON_OBJECT;
    }
    return false;
}

static void walk_choice(walk *w, const ln_shape *s, const mt_json *value)
{
    const ln_when *when = s->whens;
    while (when->shape && !is_meant(when, value)) {
        when++;
    }
    if (!when->shape) {
        fail_msg("%s: none is meant: %.*s", s->id, MT_ARG(w->bundle));
        return;
    }
    note(w, alternative_name(&w->scratch, s, when));
    walk_shape(w, when->shape, value);
}

static void walk_text(walk *w, const ln_shape *s, const mt_json *value)
{
    assert_int_equal(value->type, MT_JSON_STRING);
    bool known = !s->words;
    for (const char *const *word = s->words; word && *word; word++) {
        if (mt_str_eq(mt_json_text(value), mt_str_z(*word))) {
            known = true;
            note(w, word_name(&w->scratch, s, *word));
        }
    }
    assert_true(known);
}

static void walk_elements(walk *w, const ln_shape *s, const mt_json *value)
{
    bool list = s->kind == LN_SHAPE_LIST;
    assert_int_equal(value->type, list ? MT_JSON_ARRAY : MT_JSON_OBJECT);
    for (uint32_t i = 0; i < value->count; i++) {
        walk_shape(w, s->element,
                   list ? &value->as.items[i] : &value->as.members[i].value);
    }
}

static void walk_shape(walk *w, const ln_shape *s, const mt_json *value)
{
    int64_t n;
    switch (s->kind) {
    case LN_SHAPE_ANY: break;
    case LN_SHAPE_STRING: walk_text(w, s, value); break;
    case LN_SHAPE_INT:
        assert_int_equal(mt_json_i64(value, &n), MT_OK);
        assert_true(!s->is_natural || n >= 0);
        break;
    case LN_SHAPE_BOOL: assert_int_equal(value->type, MT_JSON_BOOL); break;
    case LN_SHAPE_OBJECT: walk_object(w, s, NULL, value); break;
    case LN_SHAPE_FAMILY: walk_family(w, s, value); break;
    case LN_SHAPE_LIST:
    case LN_SHAPE_MAP: walk_elements(w, s, value); break;
    case LN_SHAPE_CHOICE: walk_choice(w, s, value); break;
    }
}

/* Keys in byte order, each once, at every depth. */
static void keys_ascend(const walk *w, const mt_json *value)
{
    for (uint32_t i = 0; i < value->count && value->type == MT_JSON_ARRAY; i++) {
        keys_ascend(w, &value->as.items[i]);
    }
    for (uint32_t i = 0; i < value->count && value->type == MT_JSON_OBJECT; i++) {
        const mt_json_member *m = &value->as.members[i];
        if (i && mt_str_cmp(m[-1].key, m->key) >= 0) {
            fail_msg("\"%.*s\" stands behind \"%.*s\": %.*s", MT_ARG(m->key),
                     MT_ARG(m[-1].key), MT_ARG(w->bundle));
        }
        keys_ascend(w, &m->value);
    }
}

/* ---- Whether every node was written ---- */

typedef struct wanted {
    const ln_shape *met[128];
    size_t count;
    const walk *w;
    mt_arena a;
    mt_buf missing;
} wanted;

static void want(wanted *x, mt_str name)
{
    if (!mt_map_find(&x->w->written, name)) {
        mt_buf_addf(&x->missing, " %.*s;", MT_ARG(name));
    }
}

static void want_shape(wanted *x, const ln_shape *s);

static void want_fields(wanted *x, const ln_shape *s, const ln_case *c,
                        const ln_field *fields)
{
    for (; fields && fields->key; fields++) {
        want(x, key_name(&x->a, s, c, fields->key));
        want_shape(x, fields->shape);
    }
}

static void want_shape(wanted *x, const ln_shape *s)
{
    for (size_t i = 0; i < x->count; i++) {
        if (x->met[i] == s) {
            return;
        }
    }
    assert_in_range(x->count, 0, 127);
    x->met[x->count++] = s;
    want_fields(x, s, NULL, s->fields);
    for (const ln_case *c = s->cases; c && c->family == s; c++) {
        want(x, key_name(&x->a, s, c, ""));
        want_fields(x, s, c, c->fields);
    }
    for (const ln_when *when = s->whens; when && when->shape; when++) {
        want(x, alternative_name(&x->a, s, when));
        want_shape(x, when->shape);
    }
    for (const char *const *word = s->words; word && *word; word++) {
        want(x, word_name(&x->a, s, *word));
    }
    if (s->element) {
        want_shape(x, s->element);
    }
}

/* ---- Programs ---- */

static void check_program(walk *w, mt_arena *a, const mt_memory *memory)
{
    mt_diags ds = {.arena = a};
    mt_provider provider = mt_memory_provider(memory);
    mt_json_limits bounds = {0, MT_LIMITS_DEFAULT.bundle_depth};
    const ct_elaboration *e;
    mt_json tree;
    mt_json_error error;
    if (ct_elaborate(a, memory->files[0].path, &provider, NULL, &ds, &e) == MT_OK) {
        w->bundle = e->bundle;
        assert_int_equal(mt_json_read(a, e->bundle, &bounds, &tree, &error), MT_OK);
        keys_ascend(w, &tree);
        walk_shape(w, LN_SHAPE_BUNDLE, &tree);
    }
}

static void check_random(walk *w, uint64_t seed)
{
    mt_arena a = {0};
    random_program p = random_source(&a, seed, RANDOM_PLAIN);
    check_program(w, &a, &(mt_memory){p.files, p.count});
    mt_arena_free(&a);
}

/* Random programs have no source without a dot. */
static void check_plain_source(walk *w)
{
    mt_arena a = {0};
    mt_memory_file file = {MT_STR("t.tenor"),
                           MT_STR("fact f { type: Bool source: \"plain\" }")};
    check_program(w, &a, &(mt_memory){&file, 1});
    mt_arena_free(&a);
}

/* The seeds are fixed: whether a node was written must not depend on luck. */
static void every_object_has_the_keys_of_its_shape(void **state)
{
    (void)state;
    walk w = {0};
    check_plain_source(&w);
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        check_random(&w, seed);
    }
    wanted x = {.w = &w};
    want_shape(&x, LN_SHAPE_BUNDLE);
    assert_in_range(x.count, 40, 128);
    if (x.missing.len) {
        fail_msg("never written:%.*s", MT_ARG(mt_buf_str(&x.missing)));
    }
    mt_arena_free(&x.a);
    mt_arena_free(&w.names);
    mt_arena_free(&w.scratch);
}

/* ---- Bodies of the source against shapes ---- */

typedef struct body_row {
    const char *name; /* of the shape, or of the family and the case */
    const char *text; /* the body with a field; @ is its key */
    const char *more; /* words that only the source has */
    const char *less; /* keys that only interchange has */
} body_row;

/* clang-format off */
#define STEP(kind) "flow f { steps: { s: " kind " { @: } } }"
#define HANDLER(kind) "flow f { steps: { s: OperationStep { on_failure: " kind "(@: ) } } }"
#define PARALLEL(body) "flow f { steps: { s: ParallelStep { " body " } } }"
static const body_row BODIES[] = {
    {"CONSTRUCT Fact", "fact f { @: }", "", ""},
    {"CONSTRUCT Entity", "entity E { @: }", "", ""},
    {"CONSTRUCT Rule", "rule r { @: }", "when produce", "body"},
    {"CONSTRUCT Operation", "operation o { @: }", "personas require", ""},
    {"CONSTRUCT Flow", "flow f { @: }", "", ""},
    {"CONSTRUCT System", "system s { @: }", "", ""},
    {"STEP OperationStep", STEP("OperationStep"), "", ""},
    {"STEP BranchStep", STEP("BranchStep"), "", ""},
    {"STEP HandoffStep", STEP("HandoffStep"), "", ""},
    {"STEP SubFlowStep", STEP("SubFlowStep"), "", ""},
    {"STEP ParallelStep", STEP("ParallelStep"), "", ""},
    {"STEP Terminal", STEP("Terminal"), "", ""},
    {"HANDLER Compensate", HANDLER("Compensate"), "", ""},
    {"HANDLER Escalate", HANDLER("Escalate"), "to", ""},
    {"COMPENSATION", "flow f { steps: { s: OperationStep { on_failure: Compensate(steps: [{ @: }]) } } }", "", ""},
    {"BRANCH", PARALLEL("branches: [Branch { @: }]"), "", ""},
    {"JOIN", PARALLEL("join: JoinPolicy { @: }"), "", ""},
    {"SHARED_PERSONA", "system s { shared_personas: [{ @: }] }", "", ""},
    {"SHARED_ENTITY", "system s { shared_entities: [{ @: }] }", "", ""},
    {"TRIGGER", "system s { triggers: [{ @: }] }", "source target",
     "source_contract source_flow target_contract target_flow"},
    {"TYPE Duration", "fact f { type: Duration(@: ) }", "", ""},
    {"TYPE List", "fact f { type: List(@: ) }", "", ""},
};
/* clang-format on */

/* Cases that the source writes in another way than as a body of fields. */
static const char *const NO_BODIES[] = {
    "CONSTRUCT Persona", /* a name alone */
    "CONSTRUCT Source",  /* whatever fields its protocol has */
    "HANDLER Terminate", /* an outcome alone */
    "TYPE Bool",         "TYPE Date",    "TYPE DateTime", "TYPE Int",
    "TYPE Text",         "TYPE Decimal", /* parameters in order */
    "TYPE Money",        "TYPE Enum",    "TYPE Record",   "TYPE TaggedUnion",
};

static bool is_among(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at++) {
        bool begins = at == words || at[-1] == ' ';
        if (begins && (at[length] == ' ' || !at[length])) {
            return true;
        }
    }
    return false;
}

static const ln_shape *shape_named(const wanted *x, mt_str id)
{
    for (size_t i = 0; i < x->count; i++) {
        if (x->met[i]->id && mt_str_eq(id, mt_str_z(x->met[i]->id))) {
            return x->met[i];
        }
    }
    fail_msg("nodes.def has no %.*s", MT_ARG(id));
    return NULL;
}

/* "STEP BranchStep" or "JOIN". */
static const ln_field *fields_named(const wanted *x, const char *name)
{
    mt_str whole = mt_str_z(name);
    size_t blank = mt_str_find(whole, ' ');
    const ln_shape *s = shape_named(x, mt_str_from(name, blank));
    if (blank == whole.len) {
        return s->fields;
    }
    const ln_case *c = ln_case_find(s, mt_str_skip(whole, blank + 1));
    assert_non_null(c);
    return c->fields;
}

/* Does the parser know the key in this body? It says so of those it does not know. */
static bool parser_knows(const body_row *r, const char *key)
{
    char text[256];
    size_t at = mt_str_find(mt_str_z(r->text), '@');
    snprintf(text, sizeof text, "%.*s%s%s", (int)at, r->text, key, r->text + at + 1);
    elaborated got = elaborate_text(text, false);
    assert_int_equal(got.err, MT_E_REJECTED);
    bool known = !has_code(&got, "T013");
    done(&got);
    return known;
}

static void check_body(wanted *x, const body_row *r, const mt_map *keys)
{
    const ln_field *fields = fields_named(x, r->name);
    for (uint32_t i = 0; i < keys->len; i++) {
        const char *key = mt_str_dup(&x->a, keys->entries[i].key).ptr;
        bool stated = known_key(fields, mt_str_z(key)) && !is_among(r->less, key);
        bool wants = stated || is_among(r->more, key);
        if (parser_knows(r, key) != wants) {
            fail_msg("%s: the parser %s \"%s\"", r->name,
                     wants ? "does not know" : "knows", key);
        }
    }
}

/* Every key of interchange and every word the parser has a number for. */
static void note_keys(mt_arena *a, const wanted *x, mt_map *keys)
{
    for (size_t i = 0; i < x->count; i++) {
        const ln_shape *s = x->met[i];
        for (const ln_field *f = s->fields; f && f->key; f++) {
            mt_map_put(a, keys, mt_str_z(f->key), 1);
        }
        for (const ln_case *c = s->cases; c && c->family == s; c++) {
            for (const ln_field *f = c->fields; f->key; f++) {
                mt_map_put(a, keys, mt_str_z(f->key), 1);
            }
        }
    }
    fr_symbols words;
    fr_symbols_init(&words, a);
    for (fr_sym w = FR_W_FIRST_CONSTRUCT; w < FR_WORD_COUNT; w++) {
        mt_map_put(a, keys, fr_text(&words, w), 1);
    }
}

static void the_parser_knows_the_keys_of_each_shape(void **state)
{
    (void)state;
    walk nothing = {0};
    wanted x = {.w = &nothing};
    mt_map keys = {0};
    want_shape(&x, LN_SHAPE_BUNDLE);
    note_keys(&x.a, &x, &keys);
    assert_in_range(keys.len, FR_WORD_COUNT, 300);
    for (size_t i = 0; i < rows_count(BODIES); i++) {
        check_body(&x, &BODIES[i], &keys);
    }
    mt_buf_free(&x.missing);
    mt_arena_free(&x.a);
}

/* A new construct, step, handler or type has a row above. */
static void every_case_has_a_row(void **state)
{
    (void)state;
    walk nothing = {0};
    wanted x = {.w = &nothing};
    want_shape(&x, LN_SHAPE_BUNDLE);
    static const char *const FAMILIES[] = {"CONSTRUCT", "STEP", "HANDLER", "TYPE"};
    for (size_t f = 0; f < rows_count(FAMILIES); f++) {
        const ln_shape *s = shape_named(&x, mt_str_z(FAMILIES[f]));
        for (const ln_case *c = s->cases; c->family == s; c++) {
            const char *name = mt_strf(&x.a, "%s %s", s->id, c->text).ptr;
            unsigned rows = 0;
            for (size_t i = 0; i < rows_count(BODIES); i++) {
                rows += strcmp(BODIES[i].name, name) == 0;
            }
            for (size_t i = 0; i < rows_count(NO_BODIES); i++) {
                rows += strcmp(NO_BODIES[i], name) == 0;
            }
            assert_int_equal(rows, 1);
        }
    }
    mt_buf_free(&x.missing);
    mt_arena_free(&x.a);
}

int main(void)
{
    rows_list list = {0};
    rows_test(&list, every_object_has_the_keys_of_its_shape);
    rows_test(&list, the_parser_knows_the_keys_of_each_shape);
    rows_test(&list, every_case_has_a_row);
    return rows_run(&list, "contract/nodes");
}
