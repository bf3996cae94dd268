/* contract/wire/shape.c - a JSON value against a shape of nodes.def. The walk follows
 * the shape and not the value: what a shape does not name is never looked at, so keys
 * of a newer minor version pass (§14.2.1); that they are there is a warning. Whether an
 * object has any is known by counting the keys that were met, so an object without
 * costs no search. Every fault is reported with its path, kept
 * in one buffer that grows and shrinks with the walk; a value of the wrong JSON type is
 * one fault, its parts are not entered. Faults come in the order of nodes.def.
 * Recursion is bounded by the depth of the JSON. What refers to what is not asked here:
 * load.c does. */
#include "contract/wire/shape.h"

#include "base/nearest.h"
#include "base/utf8.h"
#include "contract/wire/load_internal.h"
#include "contract/wire/validate.h"

static void shape_report(ct_shape_walk *w, mt_severity severity, const char *code,
                         const mt_json *value, mt_str message, mt_str hint)
{
    if (mt_diags_full(w->ds)) {
        mt_diag_add(w->ds, &(mt_diag){.severity = severity}); /* is counted */
        return;
    }
    mt_diag d = {.severity = severity,
                 .code = w->is_loose ? CT_L_SHAPE : code,
                 .pass = -1,
                 .file = w->file,
                 .field = mt_str_dup(w->ds->arena, mt_buf_str(&w->path)),
                 .message = message,
                 .hint = hint};
    mt_json_place(w->text, value->offset, &d.line, &d.column);
    mt_diag_add(w->ds, &d);
}

void ct_shape_fault(ct_shape_walk *w, const char *code, const mt_json *value,
                    mt_str message)
{
    shape_report(w, MT_ERROR, code, value, message, (mt_str){0});
}

static const char *path_or_top(ct_shape_walk *w)
{
    mt_str copy = mt_str_dup(w->ds->arena, mt_buf_str(&w->path));
    return copy.len ? copy.ptr : "the document";
}

static void expected(ct_shape_walk *w, const mt_json *value, const char *what)
{
    ct_shape_fault(w, CT_CODE_BUNDLE_VALUE, value,
                   mt_strf(w->ds->arena, "%s: expected %s, found %s %s", path_or_top(w),
                           what, strchr("ao", mt_json_type_name(value)[0]) ? "an" : "a",
                           mt_json_type_name(value)));
}

static const char *name_or(const ln_shape *shape, const char *otherwise)
{
    return shape->name ? shape->name : otherwise;
}

/* Loosely (when a model is loaded) what only the form demands may be missing, and
 * null counts as absent; `motet validate` is strict. */
static bool is_ignored(const ct_shape_walk *w, const ln_field *field,
                       const mt_json *object, const mt_json *value)
{
    if (w->is_loose && field->demand == LN_FORM) {
        return !value || mt_json_is(value, MT_JSON_NULL);
    }
    if (field->demand == LN_UNLESS) {
        return mt_json_get(object, mt_str_z(field->other)) != NULL;
    }
    bool absent = !value || (w->is_loose && mt_json_is(value, MT_JSON_NULL));
    return absent && field->demand == LN_MAY;
}

/* How many keys of the object the field speaks of. */
static uint32_t check_key(ct_shape_walk *w, const ln_field *field,
                          const mt_json *object)
{
    const mt_json *value = mt_json_get(object, mt_str_z(field->key));
    uint32_t met = value != NULL;
    if (field->demand == LN_UNLESS) {
        met += mt_json_get(object, mt_str_z(field->other)) != NULL;
    }
    if (is_ignored(w, field, object, value)) {
        return met;
    }
    if (!value) {
        ct_shape_fault(w, CT_CODE_BUNDLE_KEY, object,
                       mt_strf(w->ds->arena, "%s: %s\"%s\" is missing", path_or_top(w),
                               w->is_loose ? "" : "key ", field->key));
        return met;
    }
    size_t before = w->path.len;
    mt_buf_addz(&w->path, before ? "." : "");
    mt_buf_addz(&w->path, field->key);
    ct_shape_check(w, field->shape, value);
    w->path.len = before;
    return met;
}

static uint32_t check_fields(ct_shape_walk *w, const ln_field *fields,
                             const mt_json *object)
{
    uint32_t met = 0;
    for (; fields && fields->key; fields++) {
        met += check_key(w, fields, object);
    }
    return met;
}

/* ---- Keys that nobody knows ---- */

/* All that an object may have: the fields of its shape, the key that tells the case of
 * a family and that case's fields. */
typedef struct known_keys {
    const ln_field *lists[2];
    const char *key; /* of a family; NULL: it is none */
} known_keys;

static bool is_known(const known_keys *k, mt_str key)
{
    bool is = k->key && mt_str_eq(key, mt_str_z(k->key));
    for (int i = 0; i < 2; i++) {
        for (const ln_field *f = k->lists[i]; f && f->key && !is; f++) {
            is = mt_str_eq(key, mt_str_z(f->key)) ||
                 (f->demand == LN_UNLESS && mt_str_eq(key, mt_str_z(f->other)));
        }
    }
    return is;
}

/* "did you mean `x`?", or empty. */
static mt_str nearest_to(mt_arena *a, const known_keys *k, mt_str key)
{
    mt_nearest near = mt_nearest_to(key);
    for (int i = 0; i < 2; i++) {
        for (const ln_field *f = k->lists[i]; f && f->key; f++) {
            mt_nearest_offer(&near, mt_str_z(f->key));
            if (f->other) {
                mt_nearest_offer(&near, mt_str_z(f->other));
            }
        }
    }
    return near.best.len ? mt_strf(a, "did you mean `%.*s`?", MT_ARG(near.best))
                         : (mt_str){0};
}

/* Of a later version it may mean something: then it is only a note. */
static void tell_unknown(ct_shape_walk *w, const known_keys *k, const mt_json_member *m)
{
    mt_severity severity = w->is_newer ? MT_NOTE : MT_WARNING;
    mt_arena *a = w->ds->arena;
    mt_str message = {0}, hint = {0};
    if (!mt_diags_full(w->ds)) {
        mt_buf key = {0};
        mt_utf8_show_name(&key, m->key);
        hint = nearest_to(a, k, m->key);
        message = mt_strf(a, "%s: unknown key \"%.*s\"", path_or_top(w),
                          MT_ARG(mt_buf_str(&key)));
        mt_buf_free(&key);
    }
    shape_report(w, severity, CT_CODE_BUNDLE_SURPLUS, &m->value, message, hint);
}

/* The first walk notices that there are some. */
static void check_unknown(ct_shape_walk *w, const known_keys *k, const mt_json *object,
                          uint32_t met)
{
    if (met >= object->count) {
        return;
    }
    w->has_unknown = true;
    for (uint32_t i = 0; w->tells_unknown && i < object->count; i++) {
        if (!is_known(k, object->as.members[i].key)) {
            tell_unknown(w, k, &object->as.members[i]);
        }
    }
}

/* ---- Kinds of shapes ---- */

static void list_cases(mt_buf *out, const ln_shape *family)
{
    for (const ln_case *c = family->cases; c->family == family; c++) {
        mt_buf_addf(out, "%s%s", c == family->cases ? "" : ", ", c->text);
    }
}

/* §14.2.1: a later minor version may add kinds of constructs. Of steps, types and
 * expressions nothing can be left out without changing what is left. */
static bool is_of_later(const ct_shape_walk *w, const ln_shape *shape,
                        const mt_json *object)
{
    const mt_json *tag = mt_json_get(object, mt_str_z(shape->key));
    return w->is_newer && strcmp(shape->id, "CONSTRUCT") == 0 &&
           mt_json_is(tag, MT_JSON_STRING) && !ln_case_find(shape, mt_json_text(tag));
}

static void tell_later(ct_shape_walk *w, const ln_shape *shape, const mt_json *object)
{
    if (!w->tells_unknown) {
        mt_str kind = mt_json_text(mt_json_get(object, mt_str_z(shape->key)));
        shape_report(w, MT_NOTE, CT_CODE_BUNDLE_LATER, object,
                     mt_strf(w->ds->arena,
                             "%s: a \"%.*s\" of a later version is passed over",
                             path_or_top(w), MT_ARG(kind)),
                     (mt_str){0});
    }
}

static void check_family(ct_shape_walk *w, const ln_shape *shape, const mt_json *object)
{
    if (is_of_later(w, shape, object)) {
        tell_later(w, shape, object);
        return;
    }
    uint32_t met = check_fields(w, shape->fields, object);
    const mt_json *tag = mt_json_get(object, mt_str_z(shape->key));
    if (!mt_json_is(tag, MT_JSON_STRING)) {
        /* The tag that is missing or not text is told like any other field. */
        static const ln_shape STRING = {.kind = LN_SHAPE_STRING};
        check_key(w, &(ln_field){shape->key, &STRING, LN_NEED, NULL}, object);
        return;
    }
    const ln_case *c = ln_case_find(shape, mt_json_text(tag));
    if (c) {
        met += check_fields(w, c->fields, object);
        check_unknown(w, &(known_keys){{shape->fields, c->fields}, shape->key}, object,
                      met + 1);
        return;
    }
    if (w->is_loose) {
        return; /* whoever reads the node says what he makes of it */
    }
    mt_buf tags = {0};
    list_cases(&tags, shape);
    ct_shape_fault(w, CT_CODE_BUNDLE_KIND, tag,
                   mt_strf(w->ds->arena, "%s: unknown %s \"%.*s\"; known are %.*s",
                           path_or_top(w), shape->key, MT_ARG(mt_json_text(tag)),
                           MT_ARG(mt_buf_str(&tags))));
    mt_buf_free(&tags);
}

static void check_string(ct_shape_walk *w, const ln_shape *shape, const mt_json *value)
{
    if (!mt_json_is(value, MT_JSON_STRING)) {
        expected(w, value, name_or(shape, "a string"));
        return;
    }
    if (!shape->words) {
        return;
    }
    mt_buf words = {0};
    bool known = false;
    for (size_t i = 0; shape->words[i]; i++) {
        known = known || mt_str_eq(mt_json_text(value), mt_str_z(shape->words[i]));
        mt_buf_addf(&words, "%s%s", i ? ", " : "", shape->words[i]);
    }
    if (!known) {
        ct_shape_fault(w, CT_CODE_BUNDLE_VALUE, value,
                       mt_strf(w->ds->arena, "%s: \"%.*s\" is not one of %.*s",
                               path_or_top(w), MT_ARG(mt_json_text(value)),
                               MT_ARG(mt_buf_str(&words))));
    }
    mt_buf_free(&words);
}

static void check_int(ct_shape_walk *w, const ln_shape *shape, const mt_json *value)
{
    int64_t n = 0;
    if (mt_json_i64(value, &n) != MT_OK) {
        bool number = mt_json_is(value, MT_JSON_NUMBER);
        if (!number) {
            expected(w, value, "an integer");
            return;
        }
        ct_shape_fault(w, CT_CODE_BUNDLE_VALUE, value,
                       mt_strf(w->ds->arena, "%s: %.*s is not a 64-bit integer",
                               path_or_top(w), MT_ARG(mt_json_text(value))));
        return;
    }
    if (shape->is_natural && n < 0 && !w->is_loose) {
        ct_shape_fault(w, CT_CODE_BUNDLE_VALUE, value,
                       mt_strf(w->ds->arena, "%s: %lld is less than 0", path_or_top(w),
                               (long long)n));
    }
}

static void check_list(ct_shape_walk *w, const ln_shape *shape, const mt_json *value)
{
    size_t before = w->path.len;
    for (uint32_t i = 0; i < value->count; i++) {
        mt_buf_addf(&w->path, "[%u]", i);
        ct_shape_check(w, shape->element, &value->as.items[i]);
        w->path.len = before;
    }
}

static void check_map(ct_shape_walk *w, const ln_shape *shape, const mt_json *value)
{
    size_t before = w->path.len;
    for (uint32_t i = 0; i < value->count; i++) {
        mt_buf_addc(&w->path, '.');
        mt_buf_adds(&w->path, value->as.members[i].key);
        ct_shape_check(w, shape->element, &value->as.members[i].value);
        w->path.len = before;
    }
}

static bool is_meant(const ln_when *when, const mt_json *value)
{
    switch (when->test) {
    case LN_IS_TEXT: return mt_json_is(value, MT_JSON_STRING);
    case LN_IS_SCALAR:
        return !mt_json_is(value, MT_JSON_OBJECT) && !mt_json_is(value, MT_JSON_ARRAY);
    case LN_HAS_KEY: return mt_json_get(value, mt_str_z(when->key)) != NULL;
    case LN_IS_OBJECT: return mt_json_is(value, MT_JSON_OBJECT);
    }
    return false;
}

const ln_when *ct_shape_meant(const ln_shape *choice, const mt_json *value)
{
    const ln_when *when = choice->whens;
    while (when->shape && !is_meant(when, value)) {
        when++;
    }
    return when->shape ? when : NULL;
}

/* Loosely, a value may be written as facts are: its type judges it. Only a term has a
 * shape of its own then. */
static bool is_judged_by_type(const ln_shape *shape, const ln_when *when,
                              const mt_json *value)
{
    bool term = when && when->shape->kind == LN_SHAPE_CHOICE &&
                ct_shape_meant(when->shape, value);
    return shape->is_value && !term;
}

/* Another alternative that the value tells as well, so that nobody can say which is
 * meant; NULL if there is none. */
static const ln_when *rival_of(const ln_when *meant, const mt_json *value)
{
    for (const ln_when *other = meant + 1; other->shape; other++) {
        if (ln_when_excludes(meant, other) && is_meant(other, value)) {
            return other;
        }
    }
    return NULL;
}

static void check_choice(ct_shape_walk *w, const ln_shape *shape, const mt_json *value)
{
    const ln_when *when = ct_shape_meant(shape, value);
    if (w->is_loose && is_judged_by_type(shape, when, value)) {
        return;
    }
    const ln_when *rival = when ? rival_of(when, value) : NULL;
    if (rival) {
        ct_shape_fault(
            w, CT_CODE_BUNDLE_VALUE, value,
            mt_strf(w->ds->arena,
                    "%s: %s has both \"%s\" and \"%s\", which say two things",
                    path_or_top(w), shape->name, when->key, rival->key));
    } else if (when) {
        ct_shape_check(w, when->shape, value);
    } else {
        expected(w, value, shape->name);
    }
}

typedef void check_function(ct_shape_walk *, const ln_shape *, const mt_json *);

static void check_object(ct_shape_walk *w, const ln_shape *shape, const mt_json *value)
{
    uint32_t met = check_fields(w, shape->fields, value);
    check_unknown(w, &(known_keys){{shape->fields, NULL}, NULL}, value, met);
}

/* What each kind demands of the value before its own check runs. */
static const struct row {
    const char *what;
    check_function *check;
    mt_json_type type;
    bool typed;
} ROWS[] = {
    [LN_SHAPE_ANY] = {NULL, NULL, MT_JSON_NULL, false},
    [LN_SHAPE_STRING] = {NULL, check_string, MT_JSON_STRING, false},
    [LN_SHAPE_INT] = {NULL, check_int, MT_JSON_NUMBER, false},
    [LN_SHAPE_BOOL] = {"true or false", NULL, MT_JSON_BOOL, true},
    [LN_SHAPE_OBJECT] = {"an object", check_object, MT_JSON_OBJECT, true},
    [LN_SHAPE_FAMILY] = {"an object", check_family, MT_JSON_OBJECT, true},
    [LN_SHAPE_LIST] = {"an array", check_list, MT_JSON_ARRAY, true},
    [LN_SHAPE_MAP] = {"an object", check_map, MT_JSON_OBJECT, true},
    [LN_SHAPE_CHOICE] = {NULL, check_choice, MT_JSON_NULL, false},
};
MT_TABLE_COVERS(ROWS, LN_SHAPE_KINDS);

void ct_shape_check(ct_shape_walk *w, const ln_shape *shape, const mt_json *value)
{
    const struct row *row = &ROWS[shape->kind];
    if (row->typed && !mt_json_is(value, row->type)) {
        expected(w, value, name_or(shape, row->what));
        return;
    }
    if (row->check) {
        row->check(w, shape, value);
    }
}
