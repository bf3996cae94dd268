/* base/form.c - see form.h.
 *
 * Order: rows first, each by its kind and bounds, then the keys that no row knows. So
 * a reader sees the wrong values before the misspelt keys, and both in one run.
 *
 * A row goes through READERS by its kind. A reader checks the JSON kind, then the
 * bounds of the row, then writes the field at the row's offset with the type that the
 * kind stands for; form.h lists these pairs. A bound that cannot be said in general
 * (two fields that exclude each other) is the caller's, by mt_form_say(), which uses
 * the same path and wording.
 *
 * Invariant: a field is written only by a value that passed every check of its row.
 * What is absent, null where null may stand, or wrong keeps the default it had.
 *
 * Nothing here can fail but by reporting: the functions answer false when they have
 * called mt_form.report at least once. Messages live in the form's arena. */
#include "base/form.h"

#include <stdarg.h>

#include "base/nearest.h"

const char *mt_form_name(const mt_json *node)
{
    static const char *const NAMES[] = {
        [MT_JSON_NULL] = "null",       [MT_JSON_BOOL] = "true or false",
        [MT_JSON_NUMBER] = "a number", [MT_JSON_STRING] = "text",
        [MT_JSON_ARRAY] = "a list",    [MT_JSON_OBJECT] = "an object",
    };
    return node ? NAMES[node->type] : "absent";
}

/* ---- Reporting ------------------------------------------------------------------- */

static mt_str path_to(const mt_form *f, mt_str key)
{
    return f->path.len ? mt_strf(f->arena, "%.*s.%.*s", MT_ARG(f->path), MT_ARG(key))
                       : key;
}

static bool report(mt_form *f, mt_form_wrong wrong, const mt_json *at, mt_str key,
                   mt_str message, mt_str hint)
{
    mt_form_fault fault = {.wrong = wrong,
                           .offset = at ? at->offset : 0,
                           .path = path_to(f, key),
                           .key = key,
                           .message = message,
                           .hint = hint};
    f->report(f->state, &fault);
    return false;
}

bool mt_form_say(mt_form *f, mt_form_wrong wrong, const mt_json *at, const char *key,
                 const char *format, ...)
{
    va_list args;
    va_start(args, format);
    mt_str said = mt_strfv(f->arena, format, args);
    va_end(args);
    mt_str path = path_to(f, mt_str_z(key));
    return report(f, wrong, at, mt_str_z(key),
                  mt_strf(f->arena, "`%.*s` %.*s", MT_ARG(path), MT_ARG(said)),
                  MT_STR(""));
}

static bool wrong_kind(mt_form *f, const mt_form_row *row, const mt_json *v,
                       const char *wanted)
{
    return mt_form_say(f, MT_FORM_WRONG_KIND, v, row->key, "must be %s, not %s", wanted,
                       mt_form_name(v));
}

/* Both bounds are said, also when only one was crossed: the author sees the whole
 * range. */
static bool out_of_range(mt_form *f, const mt_form_row *row, const mt_json *v,
                         const char *unit)
{
    if (row->most == INT64_MAX) {
        return mt_form_say(f, MT_FORM_OUT_OF_RANGE, v, row->key,
                           "must be %s of at least %lld", unit, (long long)row->least);
    }
    return mt_form_say(f, MT_FORM_OUT_OF_RANGE, v, row->key,
                       "must be %s from %lld to %lld", unit, (long long)row->least,
                       (long long)row->most);
}

/* ---- Kinds ----------------------------------------------------------------------- */

static bool within(const mt_form_row *row, int64_t n)
{
    return n >= row->least && n <= row->most;
}

static bool read_text(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    mt_str text = mt_json_text(v);
    if (!mt_json_is(v, MT_JSON_STRING)) {
        return wrong_kind(f, row, v, "text");
    }
    if (!text.len && row->least > 0) {
        return mt_form_say(f, MT_FORM_OUT_OF_RANGE, v, row->key, "must not be empty");
    }
    if (!within(row, (int64_t)text.len)) {
        return mt_form_say(f, MT_FORM_OUT_OF_RANGE, v, row->key,
                           "must have %lld to %lld bytes", (long long)row->least,
                           (long long)row->most);
    }
    if (row->kind == MT_FORM_K_TEXT) {
        *(mt_str *)to = text;
        return true;
    }
    if (mt_str_find(text, '\0') != text.len) {
        return mt_form_say(f, MT_FORM_OUT_OF_RANGE, v, row->key,
                           "must not contain a NUL character");
    }
    *(const char **)to = mt_str_dup(f->arena, text).ptr;
    return true;
}

static bool read_number(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    int64_t n = 0;
    mt_err err = mt_json_i64(v, &n);
    if (err == MT_E_TYPE) {
        return mt_json_is(v, MT_JSON_NUMBER) ? out_of_range(f, row, v, "a whole number")
                                             : wrong_kind(f, row, v, "a whole number");
    }
    if (err || !within(row, n)) {
        return out_of_range(f, row, v, "a whole number");
    }
    if (row->kind == MT_FORM_K_INT) {
        *(int64_t *)to = n;
    } else {
        MT_ASSERT(n >= 0);
        *(size_t *)to = (size_t)n;
    }
    return true;
}

static bool read_flag(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    if (!mt_json_is(v, MT_JSON_BOOL)) {
        return wrong_kind(f, row, v, "true or false");
    }
    *(bool *)to = v->boolean;
    return true;
}

static mt_str list_choices(mt_form *f, const mt_form_row *row)
{
    mt_buf text = {0};
    for (size_t i = 0; row->choices[i]; i++) {
        mt_buf_addf(&text, "%s`%s`",
                    !i                    ? ""
                    : row->choices[i + 1] ? ", "
                                          : " or ",
                    row->choices[i]);
    }
    mt_str kept = mt_str_dup(f->arena, mt_buf_str(&text));
    mt_buf_free(&text);
    return kept;
}

static bool read_choice(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    mt_str text = mt_json_text(v);
    mt_nearest near = mt_nearest_to(text);
    if (!mt_json_is(v, MT_JSON_STRING)) {
        return wrong_kind(f, row, v, "text");
    }
    for (int i = 0; row->choices[i]; i++) {
        mt_str choice = mt_str_z(row->choices[i]);
        if (mt_str_eq(choice, text)) {
            *(int *)to = i;
            return true;
        }
        mt_nearest_offer(&near, choice);
    }
    mt_str path = path_to(f, mt_str_z(row->key));
    return report(f, MT_FORM_OUT_OF_RANGE, v, mt_str_z(row->key),
                  mt_strf(f->arena, "`%.*s` must be %.*s, not `%.*s`", MT_ARG(path),
                          MT_ARG(list_choices(f, row)), MT_ARG(text)),
                  near.best.len
                      ? mt_strf(f->arena, "did you mean `%.*s`?", MT_ARG(near.best))
                      : MT_STR(""));
}

/* Of an array; the items of other kinds are what the caller complains about. */
static bool all_texts(const mt_json *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (!mt_json_is(&list->as.items[i], MT_JSON_STRING)) {
            return false;
        }
    }
    return true;
}

static bool read_list(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    bool texts = row->kind == MT_FORM_K_TEXTS;
    if (!mt_json_is(v, MT_JSON_ARRAY)) {
        return wrong_kind(f, row, v, texts ? "a list of texts" : "a list");
    }
    if (texts && !all_texts(v)) {
        return mt_form_say(f, MT_FORM_WRONG_KIND, v, row->key,
                           "must be a list of texts");
    }
    if (!within(row, v->count)) {
        return mt_form_say(f, MT_FORM_OUT_OF_RANGE, v, row->key,
                           "must have %lld to %lld items", (long long)row->least,
                           (long long)row->most);
    }
    *(const mt_json **)to = v;
    return true;
}

static bool read_tree(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    if (row->kind == MT_FORM_K_OBJECT && !mt_json_is(v, MT_JSON_OBJECT)) {
        return wrong_kind(f, row, v, "an object");
    }
    *(const mt_json **)to = v;
    return true;
}

typedef bool reader(mt_form *f, const mt_form_row *row, const mt_json *v, void *to);
static reader *const READERS[] = {
    [MT_FORM_K_TEXT] = read_text,   [MT_FORM_K_WORD] = read_text,
    [MT_FORM_K_FLAG] = read_flag,   [MT_FORM_K_INT] = read_number,
    [MT_FORM_K_SIZE] = read_number, [MT_FORM_K_CHOICE] = read_choice,
    [MT_FORM_K_TEXTS] = read_list,  [MT_FORM_K_LIST] = read_list,
    [MT_FORM_K_OBJECT] = read_tree, [MT_FORM_K_ANY] = read_tree,
};
_Static_assert(sizeof READERS / sizeof *READERS == MT_FORM_KIND_COUNT,
               "one reader per kind");

/* ---- Objects --------------------------------------------------------------------- */

bool mt_form_field(mt_form *f, const mt_json *object, const mt_form_row *row, void *out)
{
    const mt_json *v = mt_json_get(object, mt_str_z(row->key));
    if (v && mt_json_is(v, MT_JSON_NULL) && (row->flags & MT_FORM_NULLABLE)) {
        v = NULL;
    }
    if (v) {
        return READERS[row->kind](f, row, v, (char *)out + row->offset);
    }
    return !(row->flags & MT_FORM_REQUIRED) ||
           mt_form_say(f, MT_FORM_MISSING, object, row->key, "is missing");
}

static bool is_known(const mt_form_row *rows, size_t count, mt_str key)
{
    for (size_t i = 0; i < count; i++) {
        if (mt_str_eq(key, mt_str_z(rows[i].key))) {
            return true;
        }
    }
    return false;
}

static bool unknown_key(mt_form *f, const mt_json_member *m, const mt_form_row *rows,
                        size_t count)
{
    mt_nearest near = mt_nearest_to(m->key);
    for (size_t i = 0; i < count; i++) {
        mt_nearest_offer(&near, mt_str_z(rows[i].key));
    }
    return report(f, MT_FORM_UNKNOWN_KEY, &m->value, m->key,
                  mt_strf(f->arena, "`%.*s` is not a key of %s",
                          MT_ARG(path_to(f, m->key)), f->what),
                  near.best.len
                      ? mt_strf(f->arena, "did you mean `%.*s`?", MT_ARG(near.best))
                      : MT_STR(""));
}

bool mt_form_keys(mt_form *f, const mt_json *object, const mt_form_row *rows,
                  size_t count)
{
    bool good = true;
    for (uint32_t i = 0; mt_json_is(object, MT_JSON_OBJECT) && i < object->count; i++) {
        const mt_json_member *m = &object->as.members[i];
        if (!is_known(rows, count, m->key)) {
            good = unknown_key(f, m, rows, count);
        }
    }
    return good;
}

bool mt_form_read(mt_form *f, const mt_json *object, const mt_form_row *rows,
                  size_t count, void *out)
{
    bool good = true;
    if (!mt_json_is(object, MT_JSON_OBJECT)) {
        mt_str where = f->path.len ? f->path : mt_str_z(f->what);
        return report(f, MT_FORM_WRONG_KIND, object, MT_STR(""),
                      mt_strf(f->arena, "%.*s must be an object, not %s", MT_ARG(where),
                              mt_form_name(object)),
                      MT_STR(""));
    }
    for (size_t i = 0; i < count; i++) {
        good &= mt_form_field(f, object, &rows[i], out);
    }
    return mt_form_keys(f, object, rows, count) && good;
}

mt_form mt_form_inside(const mt_form *f, const char *key, const char *what)
{
    mt_form in = *f;
    in.path = path_to(f, mt_str_z(key));
    in.what = what;
    return in;
}

mt_form mt_form_item(const mt_form *f, const char *key, size_t index, const char *what)
{
    mt_form in = mt_form_inside(f, key, what);
    in.path = mt_strf(f->arena, "%.*s[%zu]", MT_ARG(in.path), index);
    return in;
}
