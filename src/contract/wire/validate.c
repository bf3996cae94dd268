/* contract/wire/validate.c - see validate.h.
 *
 * The order: JSON within its limits; the version, since another version's rules are not
 * ours; the shape of every object; ids that are unique; then the compact form, and the
 * etag over it; at the end, keys that are passed over.
 *
 * Invariant: a document that was rejected has no compact form. Keys that are passed
 * over are told only where there is no error, in a list of their own: a list that they
 * have filled would have no room for what the loader refuses.
 *
 * What may fail: the text; each fault is a diagnostic with its place, none ends the
 * walk but the first two kinds. */
#include "contract/wire/validate.h"

#include "base/json_write.h"
#include "base/map.h"
#include "contract/wire/shape.h"

/* The reader has two limits and one error code for both; the length of the text tells
 * which of them it was. */
static void syntax_error(const ct_shape_walk *w, mt_err err, const mt_json_error *error,
                         const mt_limits *limits)
{
    mt_arena *a = w->ds->arena;
    bool limit = err == MT_E_LIMIT;
    const char *name = w->text.len > limits->json_bytes ? "json_bytes" : "bundle_depth";
    mt_str detail = limit               ? mt_strf(a, " (limit %s)", name)
                    : error->detail.len ? mt_strf(a, " \"%.*s\"", MT_ARG(error->detail))
                                        : MT_STR("");
    mt_diag d = {.severity = MT_ERROR,
                 .code = limit ? CT_CODE_BUNDLE_LIMIT : CT_CODE_BUNDLE_JSON,
                 .pass = -1,
                 .file = w->file,
                 .message = mt_strf(a, "%s%s%.*s", limit ? "" : "not JSON: ",
                                    error->message ? error->message : mt_err_text(err),
                                    MT_ARG(detail))};
    mt_json_place(w->text, error->offset, &d.line, &d.column);
    mt_diag_add(w->ds, &d);
}

/* A version that is not text is treated as a missing one (§14.2.1). */
static void check_version(ct_shape_walk *w, const mt_json *bundle)
{
    const mt_json *version = mt_json_at(bundle, "tenor_version");
    mt_str text =
        mt_json_is(version, MT_JSON_STRING) ? mt_json_text(version) : (mt_str){0};
    mt_str why;
    if (ct_check_version(w->ds->arena, text, &why) != MT_OK) {
        ct_shape_fault(w, CT_CODE_BUNDLE_VERSION, version ? version : bundle, why);
    }
    w->is_newer = ct_version_is_newer(text);
}

/* Ids are unique within a kind (spec §14.1, pass 2). Known kinds have no space, so
 * "kind id" names the pair without doubt; an unknown kind is refused by the shape
 * anyway, as are objects without either key. */
static void check_unique(ct_shape_walk *w, mt_arena *a, const mt_json *constructs)
{
    mt_map seen = {0};
    for (uint32_t i = 0; i < constructs->count; i++) {
        const mt_json *construct = &constructs->as.items[i];
        mt_str kind = mt_json_text(mt_json_at(construct, "kind"));
        mt_str id = mt_json_text(mt_json_at(construct, "id"));
        bool added = true;
        if (kind.len && id.len) {
            mt_map_add(a, &seen, mt_strf(a, "%.*s %.*s", MT_ARG(kind), MT_ARG(id)),
                       &added);
        }
        if (!added) {
            ct_shape_fault(
                w, CT_CODE_BUNDLE_TWICE, construct,
                mt_strf(a, "%.*s '%.*s' is declared twice", MT_ARG(kind), MT_ARG(id)));
        }
    }
}

static mt_str compact(mt_arena *a, const mt_json *tree)
{
    mt_buf text = {0};
    mt_json_write(&text, tree, false);
    mt_str kept = mt_str_dup(a, mt_buf_str(&text));
    mt_buf_free(&text);
    return kept;
}

/* The etag is taken over the compact bytes with sorted keys (§19.2), so a manifest that
 * was laid out for reading still matches. It guards against a mix-up, not against an
 * attacker, who can compute it too. `manifest` is NULL for a bare bundle, which has
 * none. */
static void check_etag(ct_shape_walk *w, mt_arena *a, const mt_json *manifest,
                       mt_str bundle)
{
    const mt_json *etag = mt_json_at(manifest, "etag");
    mt_str real = ct_bundle_etag(a, bundle);
    if (mt_json_is(etag, MT_JSON_STRING) && !mt_str_eq(mt_json_text(etag), real)) {
        ct_shape_fault(w, CT_CODE_BUNDLE_ETAG, etag,
                       mt_strf(a, "etag does not match the bundle, whose etag is %.*s",
                               MT_ARG(real)));
    }
}

static const ln_shape *shape_of(const ct_document *d)
{
    return d->is_manifest ? LN_SHAPE_MANIFEST : LN_SHAPE_BUNDLE;
}

/* Of what is wrong only the errors are told; keys that are passed over matter once
 * there are none. */
static void tell_unknown(ct_shape_walk *w, const ct_document *d, const mt_json *root,
                         mt_diags *passed)
{
    if (w->has_unknown) {
        w->tells_unknown = true;
        w->ds = passed;
        ct_shape_check(w, shape_of(d), root);
    }
}

/* What has an etag is a manifest (§19.1): a bundle never has that key. */
static void check_document(ct_shape_walk *w, mt_arena *a, const mt_json *root,
                           ct_document *out)
{
    out->is_manifest = mt_json_at(root, "etag") != NULL;
    out->tree = out->is_manifest ? mt_json_at(root, "bundle") : root;
    if (mt_json_is(out->tree, MT_JSON_OBJECT)) {
        size_t before = w->ds->errors;
        check_version(w, out->tree);
        if (w->ds->errors > before) {
            return; /* the rest of another version's rules is not ours to judge */
        }
    }
    ct_shape_check(w, shape_of(out), root);
    const mt_json *constructs = mt_json_at(out->tree, "constructs");
    if (mt_json_is(constructs, MT_JSON_ARRAY)) {
        check_unique(w, a, constructs);
    }
}

/* The compact form is made only of what has passed, and withdrawn when the etag does
 * not match: nobody can go on with a rejected document by mistake. */
mt_err ct_validate_apart(mt_arena *a, mt_str file, mt_str text, const mt_limits *limits,
                         mt_diags *ds, mt_diags *passed, ct_document *out)
{
    limits = limits ? limits : &MT_LIMITS_DEFAULT;
    ct_shape_walk w = {.ds = ds, .file = file, .text = text};
    mt_json_limits bounds = {limits->json_bytes, limits->bundle_depth};
    mt_json_error error = {0};
    mt_json *root = mt_new(a, mt_json);
    size_t before = ds->errors;
    *out = (ct_document){0};
    mt_err err = mt_json_read(a, text, &bounds, root, &error);
    if (err) {
        syntax_error(&w, err, &error, limits);
        return MT_E_REJECTED;
    }
    check_document(&w, a, root, out);
    if (ds->errors == before) {
        out->bundle = compact(a, out->tree);
        check_etag(&w, a, out->is_manifest ? root : NULL, out->bundle);
    }
    bool good = ds->errors == before;
    if (good) {
        tell_unknown(&w, out, root, passed);
    } else {
        out->bundle = (mt_str){0};
    }
    mt_buf_free(&w.path);
    return good ? MT_OK : MT_E_REJECTED;
}

mt_err ct_validate(mt_arena *a, mt_str file, mt_str text, const mt_limits *limits,
                   mt_diags *ds, ct_document *out)
{
    mt_diags passed = {.arena = ds->arena, .limit = ds->limit};
    mt_err err = ct_validate_apart(a, file, text, limits, ds, &passed, out);
    mt_diags_append(ds, &passed);
    return err;
}

bool ct_is_system(const mt_json *bundle)
{
    const mt_json *list = mt_json_at(bundle, "constructs");
    for (uint32_t i = 0; mt_json_is(list, MT_JSON_ARRAY) && i < list->count; i++) {
        if (mt_str_is(mt_json_text(mt_json_at(&list->as.items[i], "kind")), "System")) {
            return true;
        }
    }
    return false;
}
