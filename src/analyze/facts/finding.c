/* analyze/facts/finding.c - lists of findings: sorted, compared with a baseline, cut,
 * printed.
 *
 * The order of use is fixed by the command: add, sort (by member, code, construct,
 * part, so runs are comparable byte for byte), leave out what a baseline knows, cut to
 * so many per code, print. A finding is recognised again by its key, which holds no
 * line number: moving a construct in its file does not make it new.
 *
 * A baseline that was cut itself counted the rest per code; an_findings_against()
 * takes as many unknown ones of that code for known. `warnings` counts what is left
 * and decides the exit status, `known` what the baseline took away.
 *
 * What may fail: MT_E_TYPE for a baseline that is not an analysis report; the list is
 * then unchanged. Texts live in the arena of the list. */
#include "analyze/facts/finding.h"

#include <stdlib.h>

#include "base/vec.h"

void an_finding_add(an_findings *fs, const an_finding *f)
{
    mt_vec_push(fs->arena, fs, *f);
    fs->warnings += f->severity == MT_WARNING;
}

static int compare(const void *a, const void *b)
{
    const an_finding *x = a, *y = b;
    int order = mt_str_cmp(x->member, y->member);
    order = order ? order : strcmp(x->code, y->code);
    order = order ? order : strcmp(x->kind, y->kind);
    order = order ? order : mt_str_cmp(x->construct, y->construct);
    order = order ? order : mt_str_cmp(x->part, y->part);
    return order ? order : mt_str_cmp(x->message, y->message);
}

void an_findings_sort(an_findings *fs)
{
    if (fs->len) {
        qsort(fs->items, fs->len, sizeof *fs->items, compare);
    }
}

mt_str an_finding_key(mt_arena *a, const an_finding *f)
{
    return mt_strf(a, "%.*s%s%s/%s/%.*s%s%.*s", MT_ARG(f->member),
                   f->member.len ? "/" : "", f->code, f->kind, MT_ARG(f->construct),
                   f->part.len ? "/" : "", MT_ARG(f->part));
}

/* ---- baseline ---- */

static mt_err read_keys(mt_arena *a, const mt_json *baseline, mt_map *keys)
{
    const mt_json *list = mt_json_at(baseline, "findings");
    if (!mt_json_is(list, MT_JSON_ARRAY)) {
        return MT_E_TYPE;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const mt_json *key = mt_json_at(&list->as.items[i], "key");
        if (!mt_json_is(key, MT_JSON_STRING)) {
            return MT_E_TYPE;
        }
        mt_map_put(a, keys, mt_json_text(key), 1);
    }
    return MT_OK;
}

static mt_err read_more(mt_arena *a, const mt_json *baseline, mt_map *more)
{
    const mt_json *all = mt_json_at(baseline, "findings_more");
    for (uint32_t i = 0; mt_json_is(all, MT_JSON_OBJECT) && i < all->count; i++) {
        int64_t count;
        if (mt_json_i64(&all->as.members[i].value, &count) || count < 0) {
            return MT_E_TYPE;
        }
        mt_map_put(a, more, all->as.members[i].key, (uintptr_t)count);
    }
    return MT_OK;
}

/* Takes one of those the baseline only counted. */
static bool take_more(mt_map *more, const char *code)
{
    mt_map_entry *e = mt_map_find(more, mt_str_z(code));
    return e && e->value && e->value--;
}

mt_err an_findings_against(an_findings *fs, const mt_json *baseline)
{
    mt_arena scratch = {0};
    mt_map keys = {0}, more = {0};
    mt_err err = read_keys(&scratch, baseline, &keys);
    err = err ? err : read_more(&scratch, baseline, &more);
    size_t kept = 0;
    for (size_t i = 0; i < fs->len && !err; i++) {
        const an_finding *f = &fs->items[i];
        if (mt_map_find(&keys, an_finding_key(&scratch, f)) ||
            take_more(&more, f->code)) {
            fs->known += f->severity == MT_WARNING;
            fs->warnings -= f->severity == MT_WARNING;
        } else {
            fs->items[kept++] = *f;
        }
    }
    fs->len = err ? fs->len : kept;
    mt_arena_free(&scratch);
    return err;
}

/* ---- not too many ---- */

/* The row of the code; it is the place of the code in the table that orders them. */
static size_t row_of(const char *code)
{
    size_t row = 0;
    while (an_finding_code_at(row) &&
           strcmp(an_finding_code_at(row)->code, code) != 0) {
        row++;
    }
    return row;
}

void an_findings_cut(an_findings *fs, size_t most)
{
    size_t rows = 0, kept = 0;
    while (an_finding_code_at(rows)) {
        rows++;
    }
    size_t *seen = mt_new_array(fs->arena, size_t, rows + 1);
    for (size_t i = 0; i < fs->len; i++) {
        if (++seen[row_of(fs->items[i].code)] <= most) {
            fs->items[kept++] = fs->items[i];
        }
    }
    fs->len = kept;
    for (size_t row = 0; row < rows; row++) {
        if (seen[row] > most) {
            an_more more = {an_finding_code_at(row)->code, seen[row] - most};
            mt_vec_push(fs->arena, &fs->more, more);
        }
    }
}

/* ---- output ---- */

void an_findings_text(mt_buf *out, const an_findings *fs)
{
    for (size_t i = 0; i < fs->len; i++) {
        const an_finding *f = &fs->items[i];
        if (f->origin.line) {
            mt_buf_addf(out, "%.*s:%u: ", MT_ARG(f->origin.file), f->origin.line);
        }
        mt_buf_addf(out, "%s %s: %.*s%s%s %.*s: %.*s\n", f->code,
                    mt_severity_name(f->severity), MT_ARG(f->member),
                    f->member.len ? "." : "", f->kind, MT_ARG(f->construct),
                    MT_ARG(f->message));
        if (f->hint.len) {
            mt_buf_addf(out, "  hint: %.*s\n", MT_ARG(f->hint));
        }
    }
    for (size_t i = 0; i < fs->more.len; i++) {
        mt_buf_addf(out, "%s: and %zu more\n", fs->more.items[i].code,
                    fs->more.items[i].count);
    }
}

static void key_or_null(mt_jw *w, mt_str value)
{
    if (value.len) {
        mt_jw_str(w, value);
    } else {
        mt_jw_null(w);
    }
}

static void finding_json(mt_jw *w, const an_finding *f)
{
    mt_arena scratch = {0};
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "analysis", mt_str_z(f->analysis));
    mt_jw_key_str(w, "code", mt_str_z(f->code));
    mt_jw_key_str(w, "construct_id", f->construct);
    mt_jw_key_str(w, "construct_kind", mt_str_z(f->kind));
    mt_jw_keyz(w, "details");
    if (f->details.len) {
        mt_jw_raw(w, f->details);
    } else {
        mt_jw_null(w);
    }
    mt_jw_keyz(w, "file");
    key_or_null(w, f->origin.file);
    mt_jw_keyz(w, "hint");
    key_or_null(w, f->hint);
    mt_jw_key_str(w, "key", an_finding_key(&scratch, f));
    mt_jw_key_i64(w, "line", f->origin.line);
    mt_jw_keyz(w, "member");
    key_or_null(w, f->member);
    mt_jw_key_str(w, "message", f->message);
    mt_jw_keyz(w, "part");
    key_or_null(w, f->part);
    mt_jw_key_str(w, "severity", mt_str_z(mt_severity_name(f->severity)));
    mt_jw_end_object(w);
    mt_arena_free(&scratch);
}

void an_findings_json(mt_jw *w, const an_findings *fs)
{
    mt_jw_begin_array(w);
    for (size_t i = 0; i < fs->len; i++) {
        finding_json(w, &fs->items[i]);
    }
    mt_jw_end_array(w);
}

void an_findings_more_json(mt_jw *w, const an_findings *fs)
{
    mt_jw_begin_object(w);
    for (size_t i = 0; i < fs->more.len; i++) {
        mt_jw_key(w, mt_str_z(fs->more.items[i].code));
        mt_jw_i64(w, (int64_t)fs->more.items[i].count);
    }
    mt_jw_end_object(w);
}
