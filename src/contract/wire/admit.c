#include "contract/wire/admit.h"

/* The tree that was validated is the tree that is loaded: the text is not read twice,
 * so no difference between two readers can be used to pass one and deceive the
 * other. */
mt_err ct_admit(mt_arena *a, mt_str file, mt_str text, const mt_limits *limits,
                mt_diags *ds, ct_admitted *out)
{
    mt_diags passed = {.arena = ds->arena, .limit = ds->limit};
    out->model = NULL;
    mt_err err = ct_validate_apart(a, file, text, limits, ds, &passed, &out->document);
    err =
        err ? err
            : ct_load_json(a, out->document.tree, text, file, limits, ds, &out->model);
    if (!err) {
        mt_diags_append(ds, &passed);
    }
    return err;
}

/* The construct a fault is about: its path begins with constructs[i]. Validation gives
 * the path as `field`, the loader in front of its message. The path was written by us,
 * so what follows the bracket are digits; an index that wrapped is caught by the
 * comparison at the end. */
static const mt_json *construct_of(const ct_document *document, const mt_diag *d)
{
    static const char HEAD[] = "constructs[";
    const mt_json *all = mt_json_at(document->tree, "constructs");
    mt_str path = d->field.len ? d->field : d->message;
    uint32_t index = 0;
    if (!mt_str_starts(path, mt_str_z(HEAD)) || !mt_json_is(all, MT_JSON_ARRAY)) {
        return NULL;
    }
    for (size_t i = sizeof HEAD - 1; i < path.len && path.ptr[i] != ']'; i++) {
        index = index * 10 + (uint32_t)(path.ptr[i] - '0');
    }
    return index < all->count ? &all->as.items[index] : NULL;
}

/* Provenance names a file without its directory. Two files of one name in different
 * directories cannot be told apart; the first is taken. A fault without provenance is
 * shown at the file that was asked for. */
static mt_str path_of(const ct_elaboration *e, mt_str name)
{
    for (size_t i = 0; i < e->source_count; i++) {
        if (mt_str_eq(mt_str_basename(e->sources[i].path), name)) {
            return e->sources[i].path;
        }
    }
    return e->sources[0].path;
}

/* The fault at its construct in the source, instead of its place in the bundle. */
static void point_at_source(const ct_elaboration *e, const ct_document *document,
                            mt_diag *d)
{
    const mt_json *from = mt_json_at(construct_of(document, d), "provenance");
    int64_t line = 0;
    mt_json_i64(mt_json_at(from, "line"), &line);
    d->file = path_of(e, mt_json_text(mt_json_at(from, "file")));
    d->line = (uint32_t)line;
    d->column = d->line ? 1 : 0;
}

/* A member whose file is missing has no contract; elaboration tolerates that (C-SYS-02)
 * and there is nothing to admit. */
static mt_err admit_members(mt_arena *a, const ct_elaboration *e,
                            const mt_limits *limits, mt_diags *ds)
{
    mt_err err = MT_OK;
    for (size_t i = 0; i < e->member_count && !err; i++) {
        ct_admitted member;
        err = e->members[i].contract
                  ? ct_admit_source(a, e->members[i].contract, limits, ds, &member)
                  : MT_OK;
    }
    return err;
}

/* A fault found here is one of the elaborator: it wrote what the loader does not take.
 * Faults go to a list of their own first, since their places have to be rewritten.
 * Warnings of the loader have been given by the elaborator, at better places. */
mt_err ct_admit_source(mt_arena *a, const ct_elaboration *e, const mt_limits *limits,
                       mt_diags *ds, ct_admitted *out)
{
    mt_diags found = {.arena = ds->arena, .limit = ds->limit};
    mt_err err = ct_admit(a, e->sources[0].path, e->bundle, limits, &found, out);
    for (size_t i = 0; i < found.len; i++) {
        if (found.items[i].severity != MT_ERROR) {
            continue;
        }
        point_at_source(e, &out->document, &found.items[i]);
        mt_diag_add(ds, &found.items[i]);
    }
    return err ? err : admit_members(a, e, limits, ds);
}
