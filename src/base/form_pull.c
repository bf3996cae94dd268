/* base/form_pull.c - the rows of a form, read from text without a tree.
 * Room: base. One pass over the object: a key finds its row, the row's kind reads
 * the value, bounds are checked before the field is written. The cursor keeps the
 * first fault and its place; after it nothing more is read.
 * INVARIANT: a key that comes twice is refused, as everywhere else: two readers of
 * one body must not see two values. Seen rows are bits of one word, hence at most
 * 64. */
#include "base/form_pull.h"

/* Whole, and within the row's bounds: 1e999 and 2^63 are refused like -5. */
static bool pull_number(mt_jp *j, const mt_form_row *row, int64_t *out)
{
    /* Read on a copy, so that a number out of range is blamed where it begins. */
    mt_jp probe = *j;
    int64_t n = 0;
    if (mt_jp_type(j) != MT_JSON_NUMBER) {
        return mt_jp_mismatch(j, MT_JSON_NUMBER);
    }
    if (!mt_jp_i64(&probe, &n) || n < row->least || n > row->most) {
        mt_str what = mt_strf(j->arena, "expected a whole number from %lld to %lld",
                              (long long)row->least, (long long)row->most);
        return mt_jp_fail(j, MT_E_RANGE, j->p, what.ptr);
    }
    *j = probe;
    *out = n;
    return true;
}

static bool pull_text(mt_jp *j, const mt_form_row *row, mt_str *out)
{
    const char *start = j->p;
    mt_str text;
    if (!mt_jp_str(j, &text)) {
        return false;
    }
    if ((int64_t)text.len < row->least || (int64_t)text.len > row->most) {
        mt_str what = row->least == 1 && row->most == INT64_MAX
                          ? MT_STR("expected text that is not empty")
                          : mt_strf(j->arena, "expected text of %lld to %lld bytes",
                                    (long long)row->least, (long long)row->most);
        return mt_jp_fail(j, MT_E_RANGE, start, what.ptr);
    }
    *out = text;
    return true;
}

static bool pull_tree(mt_jp *j, const mt_form_row *row, const mt_json **out)
{
    if (row->kind == MT_FORM_K_OBJECT && mt_jp_type(j) != MT_JSON_OBJECT) {
        return mt_jp_mismatch(j, MT_JSON_OBJECT);
    }
    mt_json *tree = mt_new(j->arena, mt_json);
    *out = tree;
    return mt_jp_tree(j, tree);
}

static bool pull_raw(mt_jp *j, mt_str *out)
{
    const char *start = j->p;
    if (!mt_jp_skip(j)) {
        return false;
    }
    *out = mt_str_from(start, (size_t)(j->p - start));
    return true;
}

static bool pull(mt_jp *j, const mt_form_row *row, void *to)
{
    switch ((int)row->kind) {
    case MT_FORM_K_TEXT: return pull_text(j, row, to);
    case MT_FORM_K_FLAG: return mt_jp_bool(j, to);
    case MT_FORM_K_INT: return pull_number(j, row, to);
    case MT_FORM_K_OBJECT:
    case MT_FORM_K_ANY: return pull_tree(j, row, to);
    case MT_FORM_K_RAW: return pull_raw(j, to);
    default: MT_BUG("a kind that is not pulled");
    }
}

static const mt_form_row *find(const mt_form_row *rows, size_t count, mt_str key)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = rows[i].key;
        /* The first byte decides almost always, without counting the name. */
        if (key.len && name[0] == key.ptr[0] && mt_str_eq(mt_str_z(name), key)) {
            return &rows[i];
        }
    }
    return NULL;
}

mt_err mt_form_pull(mt_jp *j, const mt_form_row *rows, size_t count, void *out,
                    mt_str *key)
{
    uint64_t seen = 0;
    MT_ASSERT(count <= 64);
    *key = (mt_str){0};
    mt_jp_object(j);
    while (mt_jp_key(j, key)) {
        const mt_form_row *row = find(rows, count, *key);
        if (!row) {
            return MT_E_NOTFOUND;
        }
        uint64_t bit = (uint64_t)1 << (row - rows);
        if (seen & bit) {
            mt_jp_duplicate(j, *key);
            break;
        }
        seen |= bit;
        if (!pull(j, row, (char *)out + row->offset)) {
            break;
        }
    }
    mt_jp probe = *j;
    return mt_jp_finish(&probe, NULL);
}
