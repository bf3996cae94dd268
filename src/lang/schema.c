/* lang/schema.c - shapes written as a JSON Schema.
 * In order: the shapes a bundle leads to are counted; those that are named more than
 * once become definitions, the others are written where they are used. Keys are in byte
 * order throughout.
 * INVARIANT: a validator's work is linear in the value. No alternative is tried: which
 * one is meant is decided by `if` on a key or a JSON type, without looking deeper. */
#include "lang/schema.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/json_write.h"
#include "lang/shape.h"

/* Rows of nodes.def decide how many there are, so too few is our fault and asserts;
 * the test that compares the schema meets it first. */
enum { MOST_SHAPES = 128, MOST_FIELDS = 16 };

typedef struct writer {
    mt_jw w;
    const ln_shape *shapes[MOST_SHAPES];
    unsigned uses[MOST_SHAPES];
    size_t count;
} writer;

static void write_shape(writer *x, const ln_shape *s);

/* ---- What is defined, what is written in place ---- */

static void count_uses(writer *x, const ln_shape *s);

static void count_fields(writer *x, const ln_field *fields)
{
    for (; fields && fields->key; fields++) {
        count_uses(x, fields->shape);
    }
}

static void count_parts(writer *x, const ln_shape *s)
{
    count_fields(x, s->fields);
    for (const ln_case *c = s->cases; c && c->family == s; c++) {
        count_fields(x, c->fields);
    }
    for (const ln_when *when = s->whens; when && when->shape; when++) {
        count_uses(x, when->shape);
    }
    if (s->element) {
        count_uses(x, s->element);
    }
}

static size_t place_of(const writer *x, const ln_shape *s)
{
    size_t i = 0;
    while (i < x->count && x->shapes[i] != s) {
        i++;
    }
    return i;
}

/* Shapes lead back to themselves (expressions); counting ends where one is known. */
static void count_uses(writer *x, const ln_shape *s)
{
    size_t i = place_of(x, s);
    if (i < x->count) {
        x->uses[i]++;
        if (s->element) { /* written wherever the list is */
            count_uses(x, s->element);
        }
        return;
    }
    MT_ASSERT(x->count < MOST_SHAPES);
    x->shapes[i] = s;
    x->uses[i] = 1;
    x->count++;
    count_parts(x, s);
}

/* Texts, numbers, lists and maps are as short as a reference to them. */
static bool is_defined(const writer *x, const ln_shape *s)
{
    bool large = s->kind == LN_SHAPE_OBJECT || s->kind == LN_SHAPE_FAMILY ||
                 s->kind == LN_SHAPE_CHOICE;
    return large && x->uses[place_of(x, s)] > 1;
}

/* ---- Pieces ---- */

static void name(writer *x, const char *key)
{
    mt_jw_key(&x->w, mt_str_z(key));
}

static void text(writer *x, const char *key, const char *value)
{
    name(x, key);
    mt_jw_str(&x->w, mt_str_z(value));
}

static void open_object(writer *x, const char *key)
{
    name(x, key);
    mt_jw_begin_object(&x->w);
}

static void open_array(writer *x, const char *key)
{
    name(x, key);
    mt_jw_begin_array(&x->w);
}

static void close_object(writer *x)
{
    mt_jw_end_object(&x->w);
}

static void close_array(writer *x)
{
    mt_jw_end_array(&x->w);
}

/* "required": [one key] */
static void required_key(writer *x, const char *key)
{
    open_array(x, "required");
    mt_jw_str(&x->w, mt_str_z(key));
    close_array(x);
}

/* ---- Objects ---- */

static int by_key(const void *a, const void *b)
{
    return strcmp((*(const ln_field *const *)a)->key,
                  (*(const ln_field *const *)b)->key);
}

typedef struct field_list {
    const ln_field *items[MOST_FIELDS];
    size_t count;
} field_list;

static field_list in_order(const ln_field *fields)
{
    field_list list = {.count = 0};
    for (; fields && fields->key; fields++) {
        MT_ASSERT(list.count < MOST_FIELDS);
        list.items[list.count++] = fields;
    }
    qsort(list.items, list.count, sizeof *list.items, by_key);
    return list;
}

/* ORDER: "else" before "if" before "properties" and "required"; one such field per
 * object, since a schema has one "if". */
static void write_unless(writer *x, const field_list *fields)
{
    for (size_t i = 0; i < fields->count; i++) {
        const ln_field *f = fields->items[i];
        if (f->demand == LN_UNLESS) {
            open_object(x, "else");
            open_object(x, "properties");
            name(x, f->key);
            write_shape(x, f->shape);
            close_object(x);
            required_key(x, f->key);
            close_object(x);
            open_object(x, "if");
            required_key(x, f->other);
            close_object(x);
        }
    }
}

static const ln_case *last_case(const ln_shape *family)
{
    const ln_case *c = family->cases;
    while (c[1].family == family) {
        c++;
    }
    return c;
}

/* The family's key has one of these texts. */
static void write_texts(writer *x, const ln_case *first, const ln_case *last)
{
    open_object(x, first->family->key);
    open_array(x, "enum");
    for (const ln_case *c = first; c <= last; c++) {
        mt_jw_str(&x->w, mt_str_z(c->text));
    }
    close_array(x);
    close_object(x);
}

static void write_properties(writer *x, const field_list *fields,
                             const ln_shape *family)
{
    open_object(x, "properties");
    /* The tag is not a field of the table, but has its place among the keys in byte
     * order. */
    bool tagged = !family;
    for (size_t i = 0; i <= fields->count; i++) {
        const ln_field *f = i < fields->count ? fields->items[i] : NULL;
        if (!tagged && (!f || strcmp(family->key, f->key) < 0)) {
            tagged = true;
            write_texts(x, family->cases, last_case(family));
        }
        if (f && f->demand != LN_UNLESS) {
            name(x, f->key);
            write_shape(x, f->shape);
        }
    }
    close_object(x);
}

static void write_required(writer *x, const field_list *fields, const char *tag)
{
    open_array(x, "required");
    for (size_t i = 0; i < fields->count; i++) {
        const ln_field *f = fields->items[i];
        if (f->demand == LN_NEED || f->demand == LN_FORM) {
            mt_jw_str(&x->w, mt_str_z(f->key));
        }
    }
    if (tag) {
        mt_jw_str(&x->w, mt_str_z(tag));
    }
    close_array(x);
}

/* The members of a schema that ask for the fields. */
static void write_fields(writer *x, const ln_field *fields, const ln_shape *family)
{
    field_list list = in_order(fields);
    write_unless(x, &list);
    write_properties(x, &list, family);
    write_required(x, &list, family ? family->key : NULL);
}

static bool fields_alike(const ln_field *a, const ln_field *b)
{
    for (; a->key && b->key; a++, b++) {
        if (strcmp(a->key, b->key) || a->shape != b->shape || a->demand != b->demand) {
            return false;
        }
    }
    return a->key == b->key;
}

/* Cases in a row that look alike are one for the schema. */
static const ln_case *last_alike(const ln_case *c)
{
    while (c[1].family == c->family && c[1].since == c->since &&
           fields_alike(c->fields, c[1].fields)) {
        c++;
    }
    return c;
}

static void write_cases(writer *x, const ln_case *first, const ln_case *last)
{
    mt_jw_begin_object(&x->w);
    open_object(x, "if");
    open_object(x, "properties");
    write_texts(x, first, last);
    close_object(x);
    required_key(x, first->family->key);
    close_object(x);
    open_object(x, "then");
    if (first->since) {
        mt_buf since = {0};
        mt_buf_addf(&since, "since 1.%u", first->since);
        name(x, "$comment");
        mt_jw_str(&x->w, mt_buf_str(&since));
        mt_buf_free(&since);
    }
    write_fields(x, first->fields, NULL);
    close_object(x);
    close_object(x);
}

static void write_family(writer *x, const ln_shape *s)
{
    open_array(x, "allOf");
    for (const ln_case *c = s->cases; c->family == s; c++) {
        const ln_case *last = last_alike(c);
        /* A case without fields of its own demands nothing beyond the family's. */
        if (c->fields->key) {
            write_cases(x, c, last);
        }
        c = last;
    }
    close_array(x);
    write_fields(x, s->fields, s);
    text(x, "type", "object");
}

/* ---- Choices ---- */

static bool is_possible(const ln_shape *s, ln_test test)
{
    for (const ln_when *when = s->whens; when->shape; when++) {
        if (when->test == test) {
            return true;
        }
    }
    return false;
}

/* The JSON types a value of the choice may have. */
static void write_types(writer *x, bool scalar, bool string)
{
    open_array(x, "type");
    if (scalar) {
        mt_jw_str(&x->w, MT_STR("boolean"));
        mt_jw_str(&x->w, MT_STR("null"));
        mt_jw_str(&x->w, MT_STR("number"));
    }
    mt_jw_str(&x->w, MT_STR("object"));
    if (string || scalar) {
        mt_jw_str(&x->w, MT_STR("string"));
    }
    close_array(x);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "properties": none of the keys */
static void forbid_keys(writer *x, const char **keys, size_t count)
{
    qsort(keys, count, sizeof *keys, by_text);
    open_object(x, "properties");
    for (size_t i = 0; i < count; i++) {
        name(x, keys[i]);
        mt_jw_bool(&x->w, false);
    }
    close_object(x);
}

/* An alternative for objects is meant when no key of an earlier one is there. */
static void write_test(writer *x, const ln_when *first, const ln_when *when)
{
    const char *keys[MOST_FIELDS];
    size_t count = 0;
    for (const ln_when *w = first; w < when; w++) {
        if (w->test == LN_HAS_KEY) {
            MT_ASSERT(count < MOST_FIELDS);
            keys[count++] = w->key;
        }
    }
    open_object(x, "if");
    forbid_keys(x, keys, count);
    if (when->shape && when->test == LN_HAS_KEY) {
        required_key(x, when->key);
    }
    text(x, "type", "object");
    close_object(x);
}

/* Its shape, and no key of a later one that it excludes. */
static void write_meant(writer *x, const ln_when *when)
{
    const char *rivals[MOST_FIELDS];
    size_t count = 0;
    for (const ln_when *w = when + 1; w->shape; w++) {
        if (ln_when_excludes(when, w)) {
            MT_ASSERT(count < MOST_FIELDS);
            rivals[count++] = w->key;
        }
    }
    if (!count) {
        write_shape(x, when->shape);
        return;
    }
    mt_jw_begin_object(&x->w);
    open_array(x, "allOf");
    write_shape(x, when->shape);
    close_array(x);
    forbid_keys(x, rivals, count);
    mt_jw_end_object(&x->w);
}

static void write_alternative(writer *x, const ln_shape *s, const ln_when *when)
{
    mt_jw_begin_object(&x->w);
    write_test(x, s->whens, when);
    name(x, "then");
    if (when->shape) {
        write_meant(x, when);
    } else {
        mt_jw_bool(&x->w, false); /* none is meant */
    }
    close_object(x);
}

/* Alternatives that are not objects are told by their type alone. */
static void write_choice(writer *x, const ln_shape *s)
{
    open_array(x, "allOf");
    const ln_when *when = s->whens;
    for (; when->shape; when++) {
        if (when->test >= LN_HAS_KEY) {
            write_alternative(x, s, when);
        }
    }
    if (!is_possible(s, LN_IS_OBJECT)) {
        write_alternative(x, s, when); /* the end of the list: none of them */
    }
    close_array(x);
    write_types(x, is_possible(s, LN_IS_SCALAR), is_possible(s, LN_IS_TEXT));
}

/* ---- Shapes ---- */

static void write_string(writer *x, const ln_shape *s)
{
    if (!s->words) {
        if (s->pattern) {
            text(x, "pattern", s->pattern);
        }
        text(x, "type", "string");
        return;
    }
    open_array(x, "enum");
    for (const char *const *word = s->words; *word; word++) {
        mt_jw_str(&x->w, mt_str_z(*word));
    }
    close_array(x);
}

static void write_int(writer *x, const ln_shape *s)
{
    name(x, "maximum");
    mt_jw_i64(&x->w, INT64_MAX);
    name(x, "minimum");
    mt_jw_i64(&x->w, s->is_natural ? 0 : INT64_MIN);
    text(x, "type", "integer");
}

static void write_elements(writer *x, const ln_shape *s)
{
    bool list = s->kind == LN_SHAPE_LIST;
    name(x, list ? "items" : "additionalProperties");
    write_shape(x, s->element);
    text(x, "type", list ? "array" : "object");
}

static void write_body(writer *x, const ln_shape *s)
{
    switch (s->kind) {
    case LN_SHAPE_ANY: break;
    case LN_SHAPE_STRING: write_string(x, s); break;
    case LN_SHAPE_INT: write_int(x, s); break;
    case LN_SHAPE_BOOL: text(x, "type", "boolean"); break;
    case LN_SHAPE_OBJECT:
        write_fields(x, s->fields, NULL);
        text(x, "type", "object");
        break;
    case LN_SHAPE_FAMILY: write_family(x, s); break;
    case LN_SHAPE_LIST:
    case LN_SHAPE_MAP: write_elements(x, s); break;
    case LN_SHAPE_CHOICE: write_choice(x, s); break;
    }
}

/* "TYPE" is the definition `type`. */
static void add_definition_name(mt_buf *out, const ln_shape *s)
{
    for (const char *c = s->id; *c; c++) {
        mt_buf_addc(out, (char)tolower((unsigned char)*c));
    }
}

static void write_shape(writer *x, const ln_shape *s)
{
    mt_jw_begin_object(&x->w);
    if (is_defined(x, s)) {
        mt_buf ref = {0};
        mt_buf_addz(&ref, "#/$defs/");
        add_definition_name(&ref, s);
        name(x, "$ref");
        mt_jw_str(&x->w, mt_buf_str(&ref));
        mt_buf_free(&ref);
    } else {
        write_body(x, s);
    }
    mt_jw_end_object(&x->w);
}

static int by_id(const void *a, const void *b)
{
    return strcmp((*(const ln_shape *const *)a)->id, (*(const ln_shape *const *)b)->id);
}

static void write_definitions(writer *x)
{
    const ln_shape *defined[MOST_SHAPES];
    size_t count = 0;
    for (size_t i = 0; i < x->count; i++) {
        if (is_defined(x, x->shapes[i])) {
            defined[count++] = x->shapes[i];
        }
    }
    qsort(defined, count, sizeof *defined, by_id);
    open_object(x, "$defs");
    for (size_t i = 0; i < count; i++) {
        mt_buf id = {0};
        add_definition_name(&id, defined[i]);
        mt_jw_key(&x->w, mt_buf_str(&id));
        mt_buf_free(&id);
        mt_jw_begin_object(&x->w);
        write_body(x, defined[i]);
        mt_jw_end_object(&x->w);
    }
    close_object(x);
}

void ln_schema_write(mt_buf *out)
{
    writer x = {.w = mt_jw_start(out, true)};
    count_uses(&x, LN_SHAPE_BUNDLE);
    mt_jw_begin_object(&x.w);
    write_definitions(&x);
    text(&x, "$id", "interchange-schema.json");
    text(&x, "$schema", "https://json-schema.org/draft/2020-12/schema");
    text(&x, "description",
         "What `motet elaborate` prints and every command reads. Unknown keys are "
         "allowed: a newer minor version may add them. The nodes beyond 1.0 are those "
         "of docs/reference/interchange.md.");
    write_fields(&x, LN_SHAPE_BUNDLE->fields, NULL);
    text(&x, "title", "Contract interchange bundle");
    text(&x, "type", "object");
    mt_jw_end_object(&x.w);
    mt_buf_addc(out, '\n');
}
