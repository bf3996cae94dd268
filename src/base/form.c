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

#include "base/duration.h"
#include "base/json_write.h"
#include "base/nearest.h"
#include "base/vec.h"

const char *mt_form_name(const mt_json *node)
{
    static const char *const NAMES[] = {
        [MT_JSON_NULL] = "null",       [MT_JSON_BOOL] = "true or false",
        [MT_JSON_NUMBER] = "a number", [MT_JSON_STRING] = "text",
        [MT_JSON_ARRAY] = "a list",    [MT_JSON_OBJECT] = "an object",
    };
    MT_TABLE_COVERS(NAMES, MT_JSON_OBJECT + 1);
    return node ? NAMES[node->type] : "absent";
}

/* ---- Reporting ---- */

static void add_path(mt_buf *out, const mt_form *f)
{
    if (!f->around) {
        mt_buf_adds(out, f->path);
        return;
    }
    add_path(out, f->around);
    mt_buf_addf(out, "%s%.*s", out->len && f->name.len ? "." : "", MT_ARG(f->name));
    if (f->is_item) {
        mt_buf_addf(out, "[%zu]", f->index);
    }
}

static mt_str path_to(const mt_form *f, mt_str key)
{
    mt_buf path = {0};
    add_path(&path, f);
    mt_buf_addf(&path, "%s%.*s", path.len && key.len ? "." : "", MT_ARG(key));
    mt_str kept = mt_str_dup(f->arena, mt_buf_str(&path));
    mt_buf_free(&path);
    return kept;
}

/* What has a path is named by it, the outermost object by what it is. */
static bool report(mt_form *f, mt_form_fault fault)
{
    /* A warning counts as good, which is why this answer goes back to the caller. */
    fault.warning = fault.wrong == MT_FORM_UNKNOWN_KEY && f->unknown == MT_FORM_WARNED;
    if (!f->report) {
        return fault.warning;
    }
    fault.offset = fault.node ? fault.node->offset : 0;
    fault.what = f->what;
    fault.path = path_to(f, fault.key);
    fault.message =
        fault.path.len || fault.wrong == MT_FORM_UNKNOWN_KEY
            ? mt_strf(f->arena, "`%.*s` %.*s", MT_ARG(fault.path), MT_ARG(fault.said))
            : mt_strf(f->arena, "%s %.*s", f->what, MT_ARG(fault.said));
    f->report(f->state, &fault);
    return fault.warning;
}

static mt_str did_you_mean(mt_arena *a, const mt_nearest *near)
{
    return near->best.len ? mt_strf(a, "did you mean `%.*s`?", MT_ARG(near->best))
                          : MT_STR("");
}

bool mt_form_say(mt_form *f, mt_form_wrong wrong, const mt_json *at, const char *key,
                 const char *format, ...)
{
    va_list args;
    va_start(args, format);
    mt_str said = mt_strfv(f->arena, format, args);
    va_end(args);
    return report(f,
                  (mt_form_fault){
                      .wrong = wrong, .node = at, .key = mt_str_z(key), .said = said});
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

static bool not_an_object(mt_form *f, const mt_json *v)
{
    return mt_form_say(f, MT_FORM_WRONG_KIND, v, "", "must be an object, not %s",
                       mt_form_name(v));
}

/* ---- Keeping ---- */

void mt_form_keep(void *faults, const mt_form_fault *fault)
{
    mt_form_faults *all = faults;
    mt_vec_push(all->arena, all, *fault);
}

/* By insertion: there are few, and those of one place keep their order. */
void mt_form_sort(mt_form_faults *faults)
{
    for (size_t i = 1; i < faults->len; i++) {
        mt_form_fault fault = faults->items[i];
        size_t at = i;
        for (; at && faults->items[at - 1].offset > fault.offset; at--) {
            faults->items[at] = faults->items[at - 1];
        }
        faults->items[at] = fault;
    }
}

static void write_with_hint(mt_buf *out, mt_str text, mt_str hint)
{
    mt_buf_adds(out, text);
    if (hint.len) {
        mt_buf_addf(out, " (%.*s)", MT_ARG(hint));
    }
}

void mt_form_write(mt_buf *out, const mt_form_fault *fault)
{
    write_with_hint(out, fault->message, fault->hint);
}

void mt_form_write_said(mt_buf *out, const mt_form_fault *fault)
{
    write_with_hint(out, fault->said, fault->hint);
}

void mt_form_join(void *buf, const mt_form_fault *fault)
{
    mt_buf *out = buf;
    if (out->len) {
        mt_buf_addz(out, "; ");
    }
    mt_form_write(out, fault);
}

/* ---- Kinds ---- */

static bool within(const mt_form_row *row, int64_t n)
{
    return n >= row->least && n <= row->most;
}

static bool has_nul(mt_str text)
{
    return mt_str_find(text, '\0') != text.len;
}

bool mt_form_text(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
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
    *(mt_str *)to = text;
    return true;
}

static bool read_word(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    mt_str text;
    if (!mt_form_text(f, row, v, &text)) {
        return false;
    }
    if (has_nul(text)) {
        return mt_form_say(f, MT_FORM_OUT_OF_RANGE, v, row->key,
                           "must not contain a NUL character");
    }
    *(const char **)to = mt_str_dup(f->arena, text).ptr;
    return true;
}

static void put_number(const mt_form_row *row, int64_t n, void *to)
{
    if (row->kind == MT_FORM_K_INT) {
        *(int64_t *)to = n;
        return;
    }
    /* A row with a negative least for a field without a sign is our fault, not the
     * file's. */
    MT_ASSERT(n >= 0);
    if (row->kind == MT_FORM_K_SIZE) {
        *(size_t *)to = (size_t)n;
    } else if (row->kind == MT_FORM_K_U64) {
        *(uint64_t *)to = (uint64_t)n;
    } else {
        MT_ASSERT(n <= UINT32_MAX);
        *(uint32_t *)to = (uint32_t)n;
    }
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
    put_number(row, n, to);
    return true;
}

static bool read_span(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    uint64_t ms = 0;
    mt_buf least = {0}, most = {0};
    if (!mt_json_is(v, MT_JSON_STRING)) {
        return wrong_kind(f, row, v, "a time such as 250ms, 5s, 2m or 1h");
    }
    mt_err err = mt_duration_parse(mt_json_text(v), &ms);
    if (!err && ms <= INT64_MAX && within(row, (int64_t)ms)) {
        *(uint64_t *)to = ms;
        return true;
    }
    mt_duration_print_short(&least, (uint64_t)row->least);
    mt_duration_print_short(&most, (uint64_t)row->most);
    mt_form_say(f, MT_FORM_OUT_OF_RANGE, v, row->key,
                "must be a time from %.*s to %.*s, such as 250ms, 5s, 2m or 1h",
                MT_ARG(least), MT_ARG(most));
    mt_buf_free(&least);
    mt_buf_free(&most);
    return false;
}

static bool read_flag(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    if (!mt_json_is(v, MT_JSON_BOOL)) {
        return wrong_kind(f, row, v, "true or false");
    }
    if (row->kind == MT_FORM_K_SAYS) {
        *(int *)to = v->boolean;
    } else {
        *(bool *)to = v->boolean;
    }
    return true;
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
    return report(
        f,
        (mt_form_fault){.wrong = MT_FORM_OUT_OF_RANGE,
                        .node = v,
                        .key = mt_str_z(row->key),
                        .said = mt_strf(f->arena, "must be %.*s, not `%.*s`",
                                        MT_ARG(mt_form_choices(f->arena, row->choices)),
                                        MT_ARG(text)),
                        .hint = did_you_mean(f->arena, &near)});
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

static bool few_enough(mt_form *f, const mt_form_row *row, const mt_json *v)
{
    return within(row, v->count) ||
           mt_form_say(f, MT_FORM_OUT_OF_RANGE, v, row->key,
                       "must have %lld to %lld items", (long long)row->least,
                       (long long)row->most);
}

static bool is_list(mt_form *f, const mt_form_row *row, const mt_json *v, bool texts)
{
    if (!mt_json_is(v, MT_JSON_ARRAY)) {
        return wrong_kind(f, row, v, texts ? "a list of texts" : "a list");
    }
    if (texts && !all_texts(v)) {
        return mt_form_say(f, MT_FORM_WRONG_KIND, v, row->key,
                           "must be a list of texts");
    }
    return few_enough(f, row, v);
}

static bool read_list(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    bool good = is_list(f, row, v, row->kind == MT_FORM_K_TEXTS);
    if (good) {
        *(const mt_json **)to = v;
    }
    return good;
}

static bool read_words(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    if (!is_list(f, row, v, true)) {
        return false;
    }
    mt_form_words words = {mt_new_array(f->arena, const char *, v->count + 1),
                           v->count};
    for (uint32_t i = 0; i < v->count; i++) {
        mt_str text = mt_json_text(&v->as.items[i]);
        if (has_nul(text)) {
            return mt_form_say(f, MT_FORM_OUT_OF_RANGE, v, row->key,
                               "must not contain a NUL character");
        }
        words.items[i] = mt_str_dup(f->arena, text).ptr;
    }
    *(mt_form_words *)to = words;
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

/* From a tree the text is written anew, compact; form_pull.c gives the bytes that
 * were sent. */
static bool read_raw(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    (void)row;
    mt_buf text = {0};
    mt_json_write(&text, v, false);
    *(mt_str *)to = mt_str_dup(f->arena, mt_buf_str(&text));
    mt_buf_free(&text);
    return true;
}

bool mt_form_ignore(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    (void)f, (void)row, (void)v, (void)to;
    return true;
}

static bool read_own(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    return row->read(f, row, v, to);
}

/* ---- Arrays and what is inside ---- */

/* Pointers to any type look the same in memory; only their types differ. */
static void put_array(const mt_form_row *row, const void *items, uint32_t count,
                      void *to)
{
    /* The count stands elsewhere in the same structure, which begins `offset` before
     * the field. */
    char *object = (char *)to - row->offset;
    memcpy(to, &items, sizeof items);
    memcpy(object + row->count_offset, &count, sizeof count);
}

static bool read_strs(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    if (!is_list(f, row, v, true)) {
        return false;
    }
    mt_str *texts = mt_new_array(f->arena, mt_str, v->count);
    for (uint32_t i = 0; i < v->count; i++) {
        texts[i] = mt_json_text(&v->as.items[i]);
    }
    put_array(row, texts, v->count, to);
    return true;
}

static bool read_inside(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    mt_form in = mt_form_inside(f, row->key, row->table->what);
    return mt_form_read(&in, v, row->table->rows, row->table->count, to);
}

/* Where one is not an object nothing is made of all. */
static bool all_objects(mt_form *f, const mt_form_row *row, const mt_json *many)
{
    bool good = true;
    mt_form map = mt_form_inside(f, row->key, row->table->what);
    for (uint32_t i = 0; i < many->count; i++) {
        bool list = mt_json_is(many, MT_JSON_ARRAY);
        const mt_json *one = list ? &many->as.items[i] : &many->as.members[i].value;
        if (!mt_json_is(one, MT_JSON_OBJECT)) {
            mt_form in = list ? mt_form_item(f, row->key, i, map.what)
                              : mt_form_member(&map, many->as.members[i].key, map.what);
            good = not_an_object(&in, one);
        }
    }
    return good;
}

static void *new_array(mt_form *f, const mt_form_table *table, uint32_t count)
{
    char *items = mt_alloc(f->arena, table->size * count);
    for (uint32_t i = 0; i < count; i++) {
        if (table->initial) {
            memcpy(items + i * table->size, table->initial, table->size);
        } else {
            memset(items + i * table->size, 0, table->size);
        }
    }
    return items;
}

static bool read_each(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    const mt_form_table *table = row->table;
    bool good = true;
    if (!is_list(f, row, v, false) || !all_objects(f, row, v)) {
        return false;
    }
    char *items = new_array(f, table, v->count);
    for (uint32_t i = 0; i < v->count; i++) {
        mt_form in = mt_form_item(f, row->key, i, table->what);
        good &= mt_form_read(&in, &v->as.items[i], table->rows, table->count,
                             items + i * table->size);
    }
    put_array(row, items, v->count, to);
    return good;
}

static bool read_map(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    const mt_form_table *table = row->table;
    bool good = true;
    if (!mt_json_is(v, MT_JSON_OBJECT)) {
        return wrong_kind(f, row, v, "an object");
    }
    if (!few_enough(f, row, v) || !all_objects(f, row, v)) {
        return false;
    }
    mt_form map = mt_form_inside(f, row->key, table->what);
    char *items = new_array(f, table, v->count);
    for (uint32_t i = 0; i < v->count; i++) {
        const mt_json_member *m = &v->as.members[i];
        mt_form in = mt_form_member(&map, m->key, table->what);
        good &= mt_form_read(&in, &m->value, table->rows, table->count,
                             items + i * table->size);
    }
    put_array(row, items, v->count, to);
    return good;
}

static mt_form_reader *const READERS[] = {
    [MT_FORM_K_TEXT] = mt_form_text,  [MT_FORM_K_WORD] = read_word,
    [MT_FORM_K_FLAG] = read_flag,     [MT_FORM_K_SAYS] = read_flag,
    [MT_FORM_K_INT] = read_number,    [MT_FORM_K_SIZE] = read_number,
    [MT_FORM_K_U32] = read_number,    [MT_FORM_K_U64] = read_number,
    [MT_FORM_K_CHOICE] = read_choice, [MT_FORM_K_TEXTS] = read_list,
    [MT_FORM_K_LIST] = read_list,     [MT_FORM_K_OBJECT] = read_tree,
    [MT_FORM_K_ANY] = read_tree,      [MT_FORM_K_STRS] = read_strs,
    [MT_FORM_K_INSIDE] = read_inside, [MT_FORM_K_EACH] = read_each,
    [MT_FORM_K_MAP] = read_map,       [MT_FORM_K_OWN] = read_own,
    [MT_FORM_K_LABEL] = NULL,         [MT_FORM_K_PLACE] = NULL,
    [MT_FORM_K_SPAN] = read_span,     [MT_FORM_K_WORDS] = read_words,
    [MT_FORM_K_RAW] = read_raw,
};
_Static_assert(sizeof READERS / sizeof *READERS == MT_FORM_KIND_COUNT,
               "one reader per kind");

/* ---- Objects ---- */

static mt_str key_of(const mt_form_row *row)
{
    return row->length ? mt_str_from(row->key, row->length) : mt_str_z(row->key);
}

static bool has_key(const mt_form_row *row, mt_str key)
{
    return row->key && mt_str_eq(key_of(row), key);
}

/* Looks first behind the member that was found last: an object that is written in the
 * order of its table is read in one pass. */
static const mt_json *find(const mt_json *object, mt_str key, uint32_t *next)
{
    uint32_t at = *next;
    for (uint32_t left = object->count; left; left--, at++) {
        at = at < object->count ? at : 0;
        if (mt_str_eq(object->as.members[at].key, key)) {
            *next = at + 1;
            return &object->as.members[at].value;
        }
    }
    return NULL;
}

/* Rows without a key are about the object itself. */
static bool read_self(const mt_form *f, const mt_json *object, const mt_form_row *row,
                      void *out)
{
    char *to = (char *)out + row->offset;
    if (row->kind == MT_FORM_K_LABEL) {
        *(mt_str *)(void *)to = f->name;
    } else {
        *(uint32_t *)(void *)to = object->offset;
    }
    return true;
}

static bool read_row(mt_form *f, const mt_json *object, const mt_form_row *row,
                     const mt_json *v, void *out)
{
    if (!row->key) {
        return read_self(f, object, row, out);
    }
    if (v && !(mt_json_is(v, MT_JSON_NULL) && (row->flags & MT_FORM_NULLABLE))) {
        /* INVARIANT: rows without a key never come here, so LABEL and PLACE need no
         * reader. */
        return READERS[row->kind](f, row, v, (char *)out + row->offset);
    }
    return !(row->flags & MT_FORM_REQUIRED) ||
           report(f, (mt_form_fault){.wrong = MT_FORM_MISSING,
                                     .node = object,
                                     .row = row,
                                     .key = key_of(row),
                                     .said = MT_STR("is missing")});
}

bool mt_form_field(mt_form *f, const mt_json *object, const mt_form_row *row, void *out)
{
    return read_row(f, object, row, mt_json_get(object, key_of(row)), out);
}

bool mt_form_knows(const mt_form_row *rows, size_t count, mt_str key)
{
    for (size_t i = 0; i < count; i++) {
        if (has_key(&rows[i], key)) {
            return true;
        }
    }
    return false;
}

mt_str mt_form_hint(mt_arena *a, const mt_form_row *rows, size_t count, mt_str key)
{
    mt_nearest near = mt_nearest_to(key);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].key) {
            mt_nearest_offer(&near, key_of(&rows[i]));
        }
    }
    return did_you_mean(a, &near);
}

static bool unknown_key(mt_form *f, const mt_json_member *m, const mt_form_row *rows,
                        size_t count)
{
    return report(
        f, (mt_form_fault){.wrong = MT_FORM_UNKNOWN_KEY,
                           .node = &m->value,
                           .key = m->key,
                           .said = mt_strf(f->arena, "is not a key of %s", f->what),
                           .hint = mt_form_hint(f->arena, rows, count, m->key)});
}

bool mt_form_keys(mt_form *f, const mt_json *object, const mt_form_row *rows,
                  size_t count)
{
    bool good = true;
    if (f->unknown == MT_FORM_ALLOWED || !mt_json_is(object, MT_JSON_OBJECT)) {
        return true;
    }
    for (uint32_t i = 0; i < object->count; i++) {
        const mt_json_member *m = &object->as.members[i];
        good &= mt_form_knows(rows, count, m->key) || unknown_key(f, m, rows, count);
    }
    return good;
}

bool mt_form_read(mt_form *f, const mt_json *object, const mt_form_row *rows,
                  size_t count, void *out)
{
    uint32_t next = 0;
    bool good = true;
    if (!mt_json_is(object, MT_JSON_OBJECT)) {
        return not_an_object(f, object);
    }
    for (size_t i = 0; i < count; i++) {
        const mt_form_row *row = &rows[i];
        const mt_json *v = row->key ? find(object, key_of(row), &next) : NULL;
        good &= read_row(f, object, row, v, out);
    }
    return (f->unknown == MT_FORM_ALLOWED || mt_form_keys(f, object, rows, count)) &&
           good;
}

mt_form mt_form_member(const mt_form *f, mt_str key, const char *what)
{
    mt_form in = *f;
    in.around = f;
    in.what = what;
    in.name = key;
    in.is_item = false;
    return in;
}

mt_form mt_form_inside(const mt_form *f, const char *key, const char *what)
{
    return mt_form_member(f, mt_str_z(key), what);
}

mt_form mt_form_item(const mt_form *f, const char *key, size_t index, const char *what)
{
    mt_form in = mt_form_inside(f, key, what);
    in.index = index;
    in.is_item = true;
    return in;
}

/* ---- Diagnostics ---- */

/* A key stands right before its value; where it is written otherwise (with escapes, or
 * behind an alias) the value's place must do. */
static size_t key_before(mt_str text, size_t value, mt_str key)
{
    /* Keys are short and stand near; a search of the whole text for each fault would
     * make a large file with many faults slow. */
    enum { FARTHEST = 4096 };
    size_t first = value > FARTHEST ? value - FARTHEST : 0;
    for (size_t at = value; at-- > first && key.len;) {
        if (mt_str_starts(mt_str_skip(text, at), key)) {
            return at;
        }
    }
    return value;
}

mt_diag mt_form_diag(const mt_form_fault *fault, const char *code, mt_str file,
                     mt_str text)
{
    mt_diag d = {.severity = fault->warning ? MT_WARNING : MT_ERROR,
                 .code = code,
                 .pass = -1,
                 .file = file,
                 .message = fault->message,
                 .hint = fault->hint};
    if (text.len && fault->node) {
        size_t at = fault->wrong == MT_FORM_UNKNOWN_KEY
                        ? key_before(text, fault->offset, fault->key)
                        : fault->offset;
        mt_json_place(text, at, &d.line, &d.column);
    }
    return d;
}
