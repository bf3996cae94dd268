#include "base/diag.h"

#include "base/vec.h"

void mt_diag_add(mt_diags *ds, const mt_diag *d)
{
    ds->errors += d->severity == MT_ERROR;
    ds->warnings += d->severity == MT_WARNING;
    if (!mt_diags_full(ds)) {
        mt_vec_push(ds->arena, ds, *d);
    }
}

void mt_diags_append(mt_diags *to, const mt_diags *from)
{
    to->errors += from->errors;
    to->warnings += from->warnings;
    for (size_t i = 0; i < from->len; i++) {
        mt_diag_add(to, &from->items[i]);
        to->errors -= from->items[i].severity == MT_ERROR;
        to->warnings -= from->items[i].severity == MT_WARNING;
    }
}

const char *mt_severity_name(mt_severity s)
{
    static const char *const NAMES[] = {
        [MT_ERROR] = "error",
        [MT_WARNING] = "warning",
        [MT_NOTE] = "note",
    };
    MT_TABLE_COVERS(NAMES, MT_NOTE + 1);
    return NAMES[s];
}

/* Rank of a file: the index of the first diagnostic that names it. */
static size_t file_rank(const mt_diags *ds, mt_str file)
{
    size_t i = 0;
    while (i < ds->len && !mt_str_eq(ds->items[i].file, file)) {
        i++;
    }
    return i;
}

typedef struct ranked {
    size_t rank;
    mt_diag diag;
} ranked;

static bool after(const ranked *a, const ranked *b)
{
    if (a->rank != b->rank) {
        return a->rank > b->rank;
    }
    if (a->diag.line != b->diag.line) {
        return a->diag.line > b->diag.line;
    }
    return a->diag.column > b->diag.column;
}

/* Insertion sort: lists are short (bounded by limits.diagnostics) and nearly sorted. */
void mt_diags_sort(mt_diags *ds)
{
    ranked *rows = mt_new_array(ds->arena, ranked, ds->len);
    for (size_t i = 0; i < ds->len; i++) {
        ranked row = {file_rank(ds, ds->items[i].file), ds->items[i]};
        size_t at = i;
        for (; at > 0 && after(&rows[at - 1], &row); at--) {
            rows[at] = rows[at - 1];
        }
        rows[at] = row;
    }
    for (size_t i = 0; i < ds->len; i++) {
        ds->items[i] = rows[i].diag;
    }
}
