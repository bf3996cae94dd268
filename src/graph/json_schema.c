/* graph/json_schema.c - the subset of JSON Schema 2020-12 that adapters use.
 *
 * gr_schema_compile() turns a schema into a graph of gr_schema once; gr_schema_check()
 * walks an instance against it. A `$ref` may only point into its own document, and a
 * schema that refers to itself is one node: `known` maps the address of a source node
 * to what it compiled to. Keywords that would change the meaning and are not
 * implemented are refused by name, never passed over.
 *
 * Bounds, since schemas and instances come from outside: nesting of the schema and of
 * the check (DEEPEST), length of a pattern, items compared for uniqueItems, and steps
 * of one check (MOST_STEPS), which stops schemas that branch at every level. Patterns
 * are PCRE2 in UTF mode without `\C`, with PCRE2's own limits. A check that runs into a
 * limit is over: it says neither yes nor no, which `not`, `if` and `oneOf` would turn
 * into the other, and the instance is refused with the limit as the reason.
 *
 * What may fail: MT_E_SYNTAX or MT_E_LIMIT with path and keyword when compiling,
 * MT_E_REJECTED with the first violation when checking. Memory is the arena's, except
 * compiled patterns: they are PCRE2's, hang in a list at the root, and
 * gr_schema_free() releases them. */
#include "graph/json_schema.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <math.h>
#include <pcre2.h>

#include "base/map.h"
#include "base/number.h"
#include "base/utf8.h"
#include "base/vec.h"

enum {
    DEEPEST = 100,
    LONGEST_PATTERN = 4096,
    MOST_UNIQUE = 4096,
    MOST_STEPS = 4000000
};

typedef struct named_schema {
    mt_str name;
    pcre2_code *pattern; /* patternProperties */
    const gr_schema *schema;
} named_schema;

typedef struct schema_list {
    const gr_schema **items;
    uint32_t count;
} schema_list;

typedef struct pattern_link {
    pcre2_code *code;
    struct pattern_link *next;
} pattern_link;

enum {
    T_NULL = 1,
    T_BOOL = 2,
    T_NUMBER = 4,
    T_STRING = 8,
    T_ARRAY = 16,
    T_OBJECT = 32,
    T_INTEGER = 64
};

struct gr_schema {
    bool never;     /* the schema `false` */
    unsigned types; /* 0: any */
    const mt_json *one_of_these, *exactly;
    double minimum, maximum, above, below, multiple; /* NAN: none */
    int64_t min_length, max_length, min_items, max_items, min_members, max_members;
    bool unique;
    pcre2_code *pattern;
    named_schema *properties, *patterned;
    uint32_t property_count, patterned_count;
    mt_map property_index; /* name -> index */
    const gr_schema *additional, *names, *items, *negated, *when, *then, *otherwise,
        *ref;
    schema_list prefix, all, any, one;
    const mt_json *required;
    pattern_link *patterns; /* of the whole tree; root only */
};

/* ---- compiling ---- */

typedef struct compiler {
    mt_arena *a;
    const mt_json *root;
    mt_map known; /* address of a source node -> its schema */
    pattern_link *patterns;
    gr_schema_error *error;
    mt_err err;
    unsigned depth;
} compiler;

static const gr_schema *compile(compiler *c, const mt_json *node, mt_str path);

/* Keeps the first fault only; what comes after is mostly its echo. */
static bool refuse(compiler *c, mt_err err, mt_str path, const char *keyword,
                   const char *message)
{
    if (!c->err) {
        c->err = err;
        *c->error =
            (gr_schema_error){mt_str_dup(c->a, path), keyword, mt_str_z(message)};
    }
    return false;
}

static mt_str inside(compiler *c, mt_str path, mt_str key)
{
    return mt_strf(c->a, "%.*s.%.*s", MT_ARG(path), MT_ARG(key));
}

static const gr_schema *sub(compiler *c, const mt_json *node, mt_str key, mt_str path)
{
    const mt_json *value = mt_json_get(node, key);
    return value ? compile(c, value, inside(c, path, key)) : NULL;
}

/* NaN for absent and for a fault; the fault is in c->err. */
static double number(compiler *c, const mt_json *node, mt_str key, mt_str path)
{
    const mt_json *value = mt_json_get(node, key);
    double n = NAN;
    if (value && (!mt_json_is(value, MT_JSON_NUMBER) ||
                  mt_number_parse(mt_json_text(value), &n))) {
        refuse(c, MT_E_SYNTAX, inside(c, path, key), "type", "must be a number");
    }
    return n;
}

/* A count: a whole number that is not negative. */
static int64_t size(compiler *c, const mt_json *node, mt_str key, int64_t otherwise,
                    mt_str path)
{
    const mt_json *value = mt_json_get(node, key);
    double n = number(c, node, key, path);
    if (!value || c->err) {
        return otherwise;
    }
    if (!(n >= 0 && n == floor(n) && n < 9e15)) {
        refuse(c, MT_E_SYNTAX, inside(c, path, key), "type",
               "must be an integer that is not negative");
        return otherwise;
    }
    return (int64_t)n;
}

/* NEVER_BACKSLASH_C and UTF: a pattern cannot match half a character. Each is linked,
 * because the arena does not free it. */
static pcre2_code *pattern(compiler *c, mt_str text, mt_str path)
{
    int code = 0;
    PCRE2_SIZE offset = 0;
    pcre2_code *compiled =
        text.len > LONGEST_PATTERN
            ? NULL
            : pcre2_compile((PCRE2_SPTR)text.ptr, text.len,
                            PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C,
                            &code, &offset, NULL);
    if (!compiled) {
        refuse(c, MT_E_SYNTAX, path, "pattern", "is not a regular expression");
        return NULL;
    }
    pattern_link *link = mt_new(c->a, pattern_link);
    *link = (pattern_link){compiled, c->patterns};
    c->patterns = link;
    return compiled;
}

/* 0: no such type. */
static unsigned type_bit(mt_str name)
{
    static const struct {
        const char *name;
        unsigned bit;
    } TYPES[] = {{"null", T_NULL},      {"boolean", T_BOOL}, {"number", T_NUMBER},
                 {"string", T_STRING},  {"array", T_ARRAY},  {"object", T_OBJECT},
                 {"integer", T_INTEGER}};
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
        if (mt_str_eq(name, mt_str_z(TYPES[i].name))) {
            return TYPES[i].bit;
        }
    }
    return 0;
}

/* A list of types is their union. All names are looked at before it is refused. */
static void types(compiler *c, const mt_json *node, mt_str path, gr_schema *s)
{
    const mt_json *type = mt_json_at(node, "type");
    bool ok = true;
    if (!type) {
        return;
    }
    bool list = mt_json_is(type, MT_JSON_ARRAY);
    uint32_t count = list ? type->count : 1;
    for (uint32_t i = 0; i < count; i++) {
        const mt_json *one = list ? &type->as.items[i] : type;
        unsigned bit =
            mt_json_is(one, MT_JSON_STRING) ? type_bit(mt_json_text(one)) : 0;
        ok = ok && bit;
        s->types |= bit;
    }
    if (!ok || !count) {
        refuse(c, MT_E_SYNTAX, inside(c, path, MT_STR("type")), "type",
               "is not a type name or a list of them");
    }
}

/* Also for patternProperties, where each name is a pattern as well. */
static named_schema *named(compiler *c, const mt_json *node, mt_str key, mt_str path,
                           bool patterns, uint32_t *count)
{
    const mt_json *object = mt_json_get(node, key);
    if (!object) {
        return NULL;
    }
    if (!mt_json_is(object, MT_JSON_OBJECT)) {
        refuse(c, MT_E_SYNTAX, inside(c, path, key), "type", "must be an object");
        return NULL;
    }
    named_schema *out = mt_new_array(c->a, named_schema, object->count);
    mt_str here = inside(c, path, key);
    for (uint32_t i = 0; i < object->count && !c->err; i++) {
        const mt_json_member *m = &object->as.members[i];
        out[i].name = m->key;
        out[i].pattern = patterns ? pattern(c, m->key, here) : NULL;
        out[i].schema = compile(c, &m->value, inside(c, here, m->key));
    }
    *count = object->count;
    return out;
}

/* An empty list is refused: anyOf of nothing would never hold, allOf of nothing
 * always. */
static schema_list list(compiler *c, const mt_json *node, mt_str key, mt_str path)
{
    const mt_json *array = mt_json_get(node, key);
    schema_list out = {0};
    if (!array) {
        return out;
    }
    if (!mt_json_is(array, MT_JSON_ARRAY) || !array->count) {
        refuse(c, MT_E_SYNTAX, inside(c, path, key), "type",
               "must be a list of schemas");
        return out;
    }
    out.items = mt_new_array(c->a, const gr_schema *, array->count);
    out.count = array->count;
    for (uint32_t i = 0; i < array->count && !c->err; i++) {
        mt_str here = mt_strf(c->a, "%.*s.%.*s[%u]", MT_ARG(path), MT_ARG(key), i);
        out.items[i] = compile(c, &array->as.items[i], here);
    }
    return out;
}

/* The list is checked here, so that the checker may trust it. */
static void required(compiler *c, const mt_json *node, mt_str path, gr_schema *s)
{
    const mt_json *names = mt_json_at(node, "required");
    bool ok = !names || mt_json_is(names, MT_JSON_ARRAY);
    for (uint32_t i = 0; ok && names && i < names->count; i++) {
        ok = mt_json_is(&names->as.items[i], MT_JSON_STRING);
    }
    if (!ok) {
        refuse(c, MT_E_SYNTAX, inside(c, path, MT_STR("required")), "type",
               "must be a list of names");
        return;
    }
    s->required = names;
}

/* One step of a JSON pointer: ~1 is '/', ~0 is '~'. */
static bool segment_is(mt_str segment, mt_str key)
{
    size_t k = 0;
    for (size_t i = 0; i < segment.len; i++, k++) {
        char ch = segment.ptr[i];
        if (ch == '~' && i + 1 < segment.len) {
            ch = segment.ptr[++i] == '1' ? '/' : '~';
        }
        if (k >= key.len || key.ptr[k] != ch) {
            return false;
        }
    }
    return k == key.len;
}

/* One segment of a JSON pointer. An index is bounded before it could overflow. */
static const mt_json *step(const mt_json *node, mt_str segment)
{
    if (mt_json_is(node, MT_JSON_OBJECT)) {
        for (uint32_t i = 0; i < node->count; i++) {
            if (segment_is(segment, node->as.members[i].key)) {
                return &node->as.members[i].value;
            }
        }
    }
    uint32_t index = 0;
    for (size_t i = 0; i < segment.len && index < 100000; i++) {
        if (segment.ptr[i] < '0' || segment.ptr[i] > '9') {
            return NULL;
        }
        index = index * 10 + (uint32_t)(segment.ptr[i] - '0');
    }
    return mt_json_is(node, MT_JSON_ARRAY) && segment.len && index < node->count
               ? &node->as.items[index]
               : NULL;
}

/* Only inside this document: a schema never makes the program open a file or a
 * connection. Circles are met by compile(), which knows what it has begun. */
static const gr_schema *reference(compiler *c, const mt_json *node, mt_str path)
{
    const mt_json *ref = mt_json_at(node, "$ref");
    mt_str pointer = mt_json_text(ref);
    const mt_json *at = c->root;
    if (!ref) {
        return NULL;
    }
    bool local =
        mt_json_is(ref, MT_JSON_STRING) && pointer.len && pointer.ptr[0] == '#';
    pointer = mt_str_skip(pointer, 1);
    while (local && at && pointer.len) {
        local = pointer.ptr[0] == '/';
        pointer = mt_str_skip(pointer, 1);
        size_t n = mt_str_find(pointer, '/');
        at = step(at, mt_str_from(pointer.ptr, n));
        pointer = mt_str_skip(pointer, n);
    }
    if (!local || !at) {
        refuse(c, MT_E_SYNTAX, path, "$ref", "must point to a schema in this document");
        return NULL;
    }
    return compile(c, at, inside(c, path, MT_STR("$ref")));
}

/* Keywords that change what others mean are refused rather than ignored; unknown ones
 * are annotations and ignored, as the standard asks. */
static bool keywords_ok(compiler *c, const mt_json *node, mt_str path)
{
    static const char *const REFUSED[] = {
        "contains",         "minContains",           "maxContains",
        "unevaluatedItems", "unevaluatedProperties", "dependentRequired",
        "dependentSchemas", "$dynamicRef",           "$dynamicAnchor",
        "$anchor",          "$vocabulary",           "additionalItems",
        "dependencies",     "$recursiveRef",         "$recursiveAnchor"};
    for (uint32_t i = 0; i < node->count; i++) {
        for (size_t k = 0; k < sizeof REFUSED / sizeof *REFUSED; k++) {
            if (mt_str_eq(node->as.members[i].key, mt_str_z(REFUSED[k]))) {
                return refuse(c, MT_E_SYNTAX, path, REFUSED[k],
                              "this keyword is not supported");
            }
        }
    }
    return true;
}

#define NUM(key)             number(c, node, MT_STR(key), path)
#define SIZE(key, otherwise) size(c, node, MT_STR(key), otherwise, path)
#define SUB(key)             sub(c, node, MT_STR(key), path)
#define LIST(key)            list(c, node, MT_STR(key), path)

/* NaN stands for absent: no comparison with it is true. So a multiple that is absent is
 * not "<= 0". */
static void numbers_and_sizes(compiler *c, const mt_json *node, mt_str path,
                              gr_schema *s)
{
    s->minimum = NUM("minimum");
    s->maximum = NUM("maximum");
    s->above = NUM("exclusiveMinimum");
    s->below = NUM("exclusiveMaximum");
    s->multiple = NUM("multipleOf");
    if (s->multiple <= 0) {
        refuse(c, MT_E_SYNTAX, path, "multipleOf", "must be above zero");
    }
    s->min_length = SIZE("minLength", 0);
    s->max_length = SIZE("maxLength", INT64_MAX);
    s->min_items = SIZE("minItems", 0);
    s->max_items = SIZE("maxItems", INT64_MAX);
    s->min_members = SIZE("minProperties", 0);
    s->max_members = SIZE("maxProperties", INT64_MAX);
}

/* enum and const point into the source document, which has to outlive the schema. */
static void pattern_and_enum(compiler *c, const mt_json *node, mt_str path,
                             gr_schema *s)
{
    const mt_json *text = mt_json_at(node, "pattern");
    const mt_json *unique = mt_json_at(node, "uniqueItems");
    s->one_of_these = mt_json_at(node, "enum");
    s->exactly = mt_json_at(node, "const");
    s->unique = unique && unique->boolean;
    if (s->one_of_these && !mt_json_is(s->one_of_these, MT_JSON_ARRAY)) {
        refuse(c, MT_E_SYNTAX, path, "enum", "must be a list");
    }
    if (unique && !mt_json_is(unique, MT_JSON_BOOL)) {
        refuse(c, MT_E_SYNTAX, path, "uniqueItems", "must be true or false");
    }
    if (text && !mt_json_is(text, MT_JSON_STRING)) {
        refuse(c, MT_E_SYNTAX, path, "pattern", "must be text");
    } else if (text) {
        s->pattern = pattern(c, mt_json_text(text), path);
    }
}

/* Properties get a map, since a payload may have many; patterns have to be tried one by
 * one. */
static void fill(compiler *c, const mt_json *node, mt_str path, gr_schema *s)
{
    bool added;
    types(c, node, path, s);
    numbers_and_sizes(c, node, path, s);
    pattern_and_enum(c, node, path, s);
    required(c, node, path, s);
    s->ref = reference(c, node, path);
    s->properties =
        named(c, node, MT_STR("properties"), path, false, &s->property_count);
    s->patterned =
        named(c, node, MT_STR("patternProperties"), path, true, &s->patterned_count);
    for (uint32_t i = 0; i < s->property_count; i++) {
        mt_map_add(c->a, &s->property_index, s->properties[i].name, &added)->value = i;
    }
    s->additional = SUB("additionalProperties");
    s->names = SUB("propertyNames");
    s->items = SUB("items");
    s->negated = SUB("not");
    s->when = SUB("if");
    s->then = SUB("then");
    s->otherwise = SUB("else");
    s->prefix = LIST("prefixItems");
    s->all = LIST("allOf");
    s->any = LIST("anyOf");
    s->one = LIST("oneOf");
    uint32_t unused;
    named(c, node, MT_STR("$defs"), path, false,
          &unused); /* so that they are checked */
}

/* The node is known before its parts are compiled, so a cycle of `$ref` ends at it. */
static const gr_schema *compile(compiler *c, const mt_json *node, mt_str path)
{
    bool added;
    mt_str address = mt_str_dup(c->a, mt_str_from((const char *)&node, sizeof node));
    mt_map_entry *e = mt_map_add(c->a, &c->known, address, &added);
    if (!added) {
        return (const gr_schema *)e->value;
    }
    gr_schema *s = mt_new(c->a, gr_schema);
    e->value = (uintptr_t)s;
    *s = (gr_schema){.minimum = NAN,
                     .maximum = NAN,
                     .above = NAN,
                     .below = NAN,
                     .multiple = NAN,
                     .max_length = INT64_MAX,
                     .max_items = INT64_MAX,
                     .max_members = INT64_MAX};
    if (mt_json_is(node, MT_JSON_BOOL)) {
        s->never = !node->boolean;
        return s;
    }
    if (!mt_json_is(node, MT_JSON_OBJECT)) {
        refuse(c, MT_E_SYNTAX, path, "type", "a schema is an object, true or false");
        return s;
    }
    if (++c->depth > DEEPEST) {
        refuse(c, MT_E_LIMIT, path, "depth", "the schema is nested too deeply");
    } else if (keywords_ok(c, node, path)) {
        fill(c, node, path, s);
    }
    c->depth--;
    return s;
}

static void free_patterns(pattern_link *link)
{
    for (; link; link = link->next) {
        pcre2_code_free(link->code);
    }
}

/* On failure patterns compiled so far are freed. The root is copied to carry the list
 * of patterns, since a root may be shared by references. */
mt_err gr_schema_compile(mt_arena *a, const mt_json *source, gr_schema **out,
                         gr_schema_error *error)
{
    gr_schema_error ignored = {0};
    compiler c = {.a = a, .root = source, .error = error ? error : &ignored};
    *out = NULL;
    const gr_schema *root = compile(&c, source, MT_STR("$"));
    if (c.err) {
        free_patterns(c.patterns);
        return c.err;
    }
    gr_schema *copy = mt_new(a, gr_schema);
    *copy = *root;
    copy->patterns = c.patterns;
    *out = copy;
    return MT_OK;
}

/* Patterns only: the rest belongs to the arena it was compiled into. Freeing twice does
 * no harm. */
void gr_schema_free(gr_schema *s)
{
    if (s) {
        free_patterns(s->patterns);
        s->patterns = NULL;
    }
}

/* ---- checking ---- */

/* Where the check is in the instance: a chain up the stack, made text only when
 * something is wrong there. */
typedef struct place {
    const struct place *up;
    mt_str key;     /* ptr NULL: an item */
    uint32_t index; /* of an item */
} place;

typedef struct checker {
    mt_arena *a;
    const place *at;        /* NULL: the whole instance */
    gr_schema_error *error; /* NULL while only yes or no is asked */
    gr_schema_error limit;  /* with a keyword: nobody can say any more */
    unsigned depth, steps;
} checker;

static bool holds(checker *k, const gr_schema *s, const mt_json *v);

static mt_str path_text(mt_arena *a, const place *at)
{
    if (!at) {
        return MT_STR("$");
    }
    mt_str up = path_text(a, at->up); /* as deep as the instance, which is limited */
    return at->key.ptr ? mt_strf(a, "%.*s.%.*s", MT_ARG(up), MT_ARG(at->key))
                       : mt_strf(a, "%.*s[%u]", MT_ARG(up), at->index);
}

/* A limit stands in the way: neither yes nor no, so that `not` cannot turn it round.
 * From here on nothing is looked at, and the instance is refused with this as the
 * reason. */
static bool exceeded(checker *k, const char *keyword, const char *message)
{
    if (!k->limit.keyword) {
        k->limit =
            (gr_schema_error){path_text(k->a, k->at), keyword, mt_str_z(message)};
    }
    return false;
}

static bool violated(checker *k, const char *keyword, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool violated(checker *k, const char *keyword, const char *format, ...)
{
    if (k->error && !k->error->keyword) {
        va_list args;
        va_start(args, format);
        k->error->message = mt_strfv(k->a, format, args);
        va_end(args);
        k->error->keyword = keyword;
        k->error->path = path_text(k->a, k->at);
    }
    return false;
}

/* Yes or no, without keeping what is wrong. */
static bool quietly(checker *k, const gr_schema *s, const mt_json *v)
{
    gr_schema_error *kept = k->error;
    const place *at = k->at;
    k->error = NULL;
    bool ok = holds(k, s, v);
    k->error = kept;
    k->at = at;
    return ok;
}

/* Every call has its own match data: schemas are shared between threads. */
static bool matches(checker *k, const pcre2_code *code, mt_str text)
{
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    pcre2_match_context *limits = pcre2_match_context_create(NULL);
    if (!data || !limits) {
        MT_BUG("out of memory in libpcre2");
    }
    pcre2_set_match_limit(limits, 1000000);
    pcre2_set_depth_limit(limits, 10000);
    pcre2_set_heap_limit(limits, 16384);
    int found = pcre2_match(code, (PCRE2_SPTR)(text.ptr ? text.ptr : ""), text.len, 0,
                            PCRE2_NO_UTF_CHECK, data, limits);
    pcre2_match_context_free(limits);
    pcre2_match_data_free(data);
    return found >= 0 || (found != PCRE2_ERROR_NOMATCH &&
                          exceeded(k, "pattern", "takes too long to match"));
}

/* Is the value of one of these types? A number is parsed only for "integer". */
static bool has_type(unsigned types, const mt_json *v)
{
    static const unsigned BITS[] = {
        [MT_JSON_NULL] = T_NULL,     [MT_JSON_BOOL] = T_BOOL,
        [MT_JSON_NUMBER] = T_NUMBER, [MT_JSON_STRING] = T_STRING,
        [MT_JSON_ARRAY] = T_ARRAY,   [MT_JSON_OBJECT] = T_OBJECT,
    };
    MT_TABLE_COVERS(BITS, MT_JSON_OBJECT + 1);
    double n;
    return (types & BITS[v->type]) ||
           ((types & T_INTEGER) && v->type == MT_JSON_NUMBER &&
            !mt_number_parse(mt_json_text(v), &n) && n == floor(n));
}

static bool check_value(checker *k, const gr_schema *s, const mt_json *v)
{
    if (s->types && !has_type(s->types, v)) {
        return violated(k, "type", "has type %s", mt_json_type_name(v));
    }
    if (s->exactly && !mt_json_equal(s->exactly, v)) {
        return violated(k, "const", "is not the expected value");
    }
    bool found = !s->one_of_these;
    for (uint32_t i = 0; !found && i < s->one_of_these->count; i++) {
        found = mt_json_equal(&s->one_of_these->as.items[i], v);
    }
    return found || violated(k, "enum", "is not one of the expected values");
}

/* Within a few units in the last place: 0.0075 is meant to be a multiple of 0.0001. */
static bool is_multiple(double n, double of)
{
    return fmod(n, of) == 0 || fabs(round(n / of) * of - n) <= 1e-15 * fabs(n);
}

/* Bounds that are absent are NaN. Numbers beyond a double are refused: no graph could
 * hold them. */
static bool check_number(checker *k, const gr_schema *s, const mt_json *v)
{
    double n;
    if (mt_number_parse(mt_json_text(v), &n)) {
        return exceeded(k, "type", "is beyond the largest double");
    }
    if (n < s->minimum) {
        return violated(k, "minimum", "is below the minimum");
    }
    if (n > s->maximum) {
        return violated(k, "maximum", "is above the maximum");
    }
    if (n <= s->above) {
        return violated(k, "exclusiveMinimum", "is not above the bound");
    }
    if (n >= s->below) {
        return violated(k, "exclusiveMaximum", "is not below the bound");
    }
    return isnan(s->multiple) || is_multiple(n, s->multiple) ||
           violated(k, "multipleOf", "is not a multiple");
}

/* Length in characters, as the standard has it, not in bytes. */
static bool check_string(checker *k, const gr_schema *s, const mt_json *v)
{
    mt_str text = mt_json_text(v);
    int64_t length = (int64_t)mt_utf8_count(text);
    if (length < s->min_length) {
        return violated(k, "minLength", "is too short");
    }
    if (length > s->max_length) {
        return violated(k, "maxLength", "is too long");
    }
    return !s->pattern || matches(k, s->pattern, text) ||
           violated(k, "pattern", "does not match the pattern");
}

/* Quadratic; MOST_UNIQUE bounds the list before. */
static bool all_different(const mt_json *v)
{
    for (uint32_t i = 1; i < v->count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (mt_json_equal(&v->as.items[i], &v->as.items[k])) {
                return false;
            }
        }
    }
    return true;
}

/* Places are linked on the stack, so that a path costs nothing unless something is
 * wrong. */
static bool check_array(checker *k, const gr_schema *s, const mt_json *v)
{
    if (v->count < s->min_items) {
        return violated(k, "minItems", "has too few items");
    }
    if (v->count > s->max_items) {
        return violated(k, "maxItems", "has too many items");
    }
    if (s->unique && v->count > MOST_UNIQUE) {
        return exceeded(k, "uniqueItems", "has too many items to compare");
    }
    if (s->unique && !all_different(v)) {
        return violated(k, "uniqueItems", "has equal items");
    }
    for (uint32_t i = 0; i < v->count; i++) {
        const gr_schema *item = i < s->prefix.count ? s->prefix.items[i] : s->items;
        place here = {.up = k->at, .index = i};
        k->at = &here;
        bool ok = !item || holds(k, item, &v->as.items[i]);
        k->at = here.up;
        if (!ok) {
            return false;
        }
    }
    return true;
}

/* One member against everything that speaks about it. */
static bool check_member(checker *k, const gr_schema *s, const mt_json_member *m)
{
    const mt_map_entry *e = mt_map_find(&s->property_index, m->key);
    bool spoken = e != NULL;
    if (e && !holds(k, s->properties[e->value].schema, &m->value)) {
        return false;
    }
    for (uint32_t i = 0; i < s->patterned_count; i++) {
        if (matches(k, s->patterned[i].pattern, m->key)) {
            spoken = true;
            if (!holds(k, s->patterned[i].schema, &m->value)) {
                return false;
            }
        }
    }
    if (!spoken && s->additional) {
        if (s->additional->never) {
            return violated(k, "additionalProperties", "is not allowed here");
        }
        if (!holds(k, s->additional, &m->value)) {
            return false;
        }
    }
    mt_json key = {
        .type = MT_JSON_STRING, .count = (uint32_t)m->key.len, .as.text = m->key.ptr};
    return !s->names || quietly(k, s->names, &key) ||
           violated(k, "propertyNames", "has a name that is not allowed");
}

static bool check_object(checker *k, const gr_schema *s, const mt_json *v)
{
    if (v->count < s->min_members) {
        return violated(k, "minProperties", "has too few members");
    }
    if (v->count > s->max_members) {
        return violated(k, "maxProperties", "has too many members");
    }
    for (uint32_t i = 0; i < v->count; i++) {
        const mt_json_member *m = &v->as.members[i];
        place here = {.up = k->at, .key = m->key.ptr ? m->key : MT_STR("")};
        k->at = &here;
        bool ok = check_member(k, s, m);
        k->at = here.up;
        if (!ok) {
            return false;
        }
    }
    for (uint32_t i = 0; s->required && i < s->required->count; i++) {
        mt_str name = mt_json_text(&s->required->as.items[i]);
        if (!mt_json_get(v, name)) {
            return violated(k, "required", "lacks \"%.*s\"", MT_ARG(name));
        }
    }
    return true;
}

/* Alternatives are tried quietly: their violations are not the message. `all` is not,
 * since its violation is the real one. */
static bool check_combined(checker *k, const gr_schema *s, const mt_json *v)
{
    uint32_t hits = 0;
    for (uint32_t i = 0; i < s->all.count; i++) {
        if (!holds(k, s->all.items[i], v)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < s->any.count && !hits; i++) {
        hits = quietly(k, s->any.items[i], v);
    }
    if (s->any.count && !hits) {
        return violated(k, "anyOf", "matches none of the alternatives");
    }
    hits = 0;
    for (uint32_t i = 0; i < s->one.count; i++) {
        hits += quietly(k, s->one.items[i], v);
    }
    if (s->one.count && hits != 1) {
        return violated(k, "oneOf", "matches %u of the alternatives, not one", hits);
    }
    if (s->negated && quietly(k, s->negated, v)) {
        return violated(k, "not", "matches what it must not");
    }
    if (s->when) {
        const gr_schema *branch = quietly(k, s->when, v) ? s->then : s->otherwise;
        return !branch || holds(k, branch, v);
    }
    return true;
}

static bool check_by_type(checker *k, const gr_schema *s, const mt_json *v)
{
    switch ((mt_json_type)v->type) {
    case MT_JSON_NUMBER: return check_number(k, s, v);
    case MT_JSON_STRING: return check_string(k, s, v);
    case MT_JSON_ARRAY: return check_array(k, s, v);
    case MT_JSON_OBJECT: return check_object(k, s, v);
    case MT_JSON_NULL:
    case MT_JSON_BOOL: break;
    }
    return true;
}

/* The one place where depth and steps are counted. */
static bool holds(checker *k, const gr_schema *s, const mt_json *v)
{
    if (k->limit.keyword) {
        return false;
    }
    if (s->never) {
        return violated(k, "false", "is not allowed");
    }
    /* Alternatives that refer to each other double with every level. */
    if (k->depth >= DEEPEST || k->steps++ >= MOST_STEPS) {
        return exceeded(k, "$ref", "needs too many nested checks");
    }
    k->depth++;
    bool ok = check_value(k, s, v) && check_by_type(k, s, v) &&
              check_combined(k, s, v) && (!s->ref || holds(k, s->ref, v));
    k->depth--;
    return ok;
}

/* `instance` has been read with limits, which bound the recursion. */
mt_err gr_schema_check(const gr_schema *s, mt_arena *a, const mt_json *instance,
                       gr_schema_error *error)
{
    gr_schema_error ignored = {0};
    checker k = {.a = a, .error = error ? error : &ignored};
    gr_schema_error *told = k.error;
    *told = (gr_schema_error){0};
    bool good = holds(&k, s, instance);
    if (k.limit.keyword) {
        *told = k.limit;
        return MT_E_REJECTED;
    }
    return good ? MT_OK : MT_E_REJECTED;
}
