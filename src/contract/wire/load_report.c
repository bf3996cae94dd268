/* contract/wire/load_report.c - what every part of the loader asks: faults with their
 * path, and members of an object. */
#include "contract/wire/load_internal.h"

/* ---- Reporting ----------------------------------------------------------------- */

/* The message lives with the diagnostics, not with the model: a caller may throw away
 * the arena of a refused model and still print why. The line is found by a scan of the
 * text, which only faults pay for. */
void ct_load_error(ct_loader *l, const char *code, const mt_json *at,
                   const char *format, ...)
{
    va_list args;
    va_start(args, format);
    mt_str message = mt_strfv(l->ds->arena, format, args);
    va_end(args);
    if (l->path.len) {
        message = mt_strf(l->ds->arena, "%.*s: %.*s", (int)l->path.len, l->path.ptr,
                          MT_ARG(message));
    }
    mt_diag d = {.severity = MT_ERROR,
                 .code = code,
                 .pass = -1,
                 .file = l->file,
                 .construct_kind = l->construct_kind,
                 .construct_id = l->construct_id,
                 .message = message};
    if (at) {
        mt_json_place(l->text, at->offset, &d.line, &d.column);
    }
    mt_diag_add(l->ds, &d);
}

size_t ct_path_key(ct_loader *l, mt_str key)
{
    size_t mark = l->path.len;
    if (mark) {
        mt_buf_addc(&l->path, '.');
    }
    mt_buf_adds(&l->path, key);
    return mark;
}

/* The mark may be dropped when the index follows a key: popping to the key's mark
 * removes both. */
size_t ct_path_index(ct_loader *l, size_t index)
{
    size_t mark = l->path.len;
    mt_buf_addf(&l->path, "[%zu]", index);
    return mark;
}

void ct_path_pop(ct_loader *l, size_t mark)
{
    l->path.len = mark;
}

/* ---- Members ------------------------------------------------------------------- */

/* `object` may be NULL or not an object: then the key is missing as well, and the
 * readers need no check of their own before they ask. */
const mt_json *ct_want(ct_loader *l, const mt_json *object, mt_str key,
                       mt_json_type type)
{
    const mt_json *v = mt_json_get(object, key);
    if (!v) {
        ct_load_error(l, CT_L_SHAPE, object, "\"%.*s\" is missing", MT_ARG(key));
        return NULL;
    }
    if (!mt_json_is(v, type)) {
        mt_json example = {.type = (uint8_t)type};
        ct_load_error(l, CT_L_SHAPE, v, "\"%.*s\" must be %s %s, not %s", MT_ARG(key),
                      type == MT_JSON_ARRAY || type == MT_JSON_OBJECT ? "an" : "a",
                      mt_json_type_name(&example), mt_json_type_name(v));
        return NULL;
    }
    return v;
}

bool ct_want_str(ct_loader *l, const mt_json *object, mt_str key, mt_str *out)
{
    const mt_json *v = ct_want(l, object, key, MT_JSON_STRING);
    *out = mt_json_text(v);
    return v != NULL;
}

/* A number with a fraction or an exponent is refused even where its value is whole
 * (1e3): bundles are compared by their bytes and an integer has one spelling. */
bool ct_want_i64(ct_loader *l, const mt_json *object, mt_str key, int64_t *out)
{
    const mt_json *v = ct_want(l, object, key, MT_JSON_NUMBER);
    if (v && mt_json_i64(v, out) != MT_OK) {
        ct_load_error(l, CT_L_SHAPE, v, "\"%.*s\" must be a 64-bit integer",
                      MT_ARG(key));
        return false;
    }
    return v != NULL;
}

/* NULL also after an error, which the count of errors tells from a missing array. */
const mt_json *ct_want_array_opt(ct_loader *l, const mt_json *object, mt_str key)
{
    const mt_json *v = mt_json_get(object, key);
    if (!v || mt_json_is(v, MT_JSON_NULL)) {
        return NULL;
    }
    return ct_want(l, object, key, MT_JSON_ARRAY);
}

/* The texts themselves are borrowed from the JSON tree; only the array of them is
 * new. */
bool ct_want_strs(ct_loader *l, const mt_json *array, mt_str key, const mt_str **out,
                  uint32_t *count)
{
    mt_str *strs = mt_new_array(l->keep, mt_str, array->count);
    for (uint32_t i = 0; i < array->count; i++) {
        if (!mt_json_is(&array->as.items[i], MT_JSON_STRING)) {
            ct_load_error(l, CT_L_SHAPE, &array->as.items[i],
                          "\"%.*s\" must hold strings only", MT_ARG(key));
            return false;
        }
        strs[i] = mt_json_text(&array->as.items[i]);
    }
    *out = strs;
    *count = array->count;
    return true;
}
