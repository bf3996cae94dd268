/* contract/wire/load_report.c - what every part of the loader asks: faults with their
 * path, and members of an object. */
#include "contract/wire/load_internal.h"
#include "contract/wire/validate.h"

/* ---- Reporting ---- */

static void report(ct_loader *l, mt_diags *ds, mt_severity severity, const char *code,
                   const mt_json *at, const char *format, va_list args)
    __attribute__((format(printf, 6, 0)));

/* A full list only counts: of many faults neither text nor place is made. */
__attribute__((format(printf, 6, 0))) static void
report(ct_loader *l, mt_diags *ds, mt_severity severity, const char *code,
       const mt_json *at, const char *format, va_list args)
{
    mt_diag d = {.severity = severity, .code = code, .pass = -1, .file = l->file};
    if (!mt_diags_full(ds)) {
        mt_str text = mt_strfv(ds->arena, format, args);
        d.construct_kind = l->construct_kind;
        d.construct_id = l->construct_id;
        d.message = l->path.len ? mt_strf(ds->arena, "%.*s: %.*s", (int)l->path.len,
                                          l->path.ptr, MT_ARG(text))
                                : text;
        if (at) {
            mt_json_place(l->text, at->offset, &d.line, &d.column);
        }
    }
    mt_diag_add(ds, &d);
}

void ct_load_error(ct_loader *l, const char *code, const mt_json *at,
                   const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(l, l->ds, MT_ERROR, code, at, format, args);
    va_end(args);
}

void ct_load_warning(ct_loader *l, const char *code, const mt_json *at,
                     const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(l, l->ds, MT_WARNING, code, at, format, args);
    va_end(args);
}

void ct_load_passed(ct_loader *l, const mt_json *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(l, &l->passed, l->is_newer ? MT_NOTE : MT_WARNING, CT_CODE_BUNDLE_SURPLUS,
           at, format, args);
    va_end(args);
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

/* ---- Members: their form was checked ---- */

int64_t ct_i64_at_key(const mt_json *object, mt_str key)
{
    int64_t n = 0;
    return mt_json_i64(mt_json_get(object, key), &n) == MT_OK ? n : 0;
}

const mt_json *ct_list_at_key(const mt_json *object, mt_str key)
{
    static const mt_json NOTHING = {.type = MT_JSON_ARRAY};
    const mt_json *v = mt_json_get(object, key);
    return mt_json_is(v, MT_JSON_ARRAY) ? v : &NOTHING;
}

const mt_str *ct_texts(ct_loader *l, const mt_json *list)
{
    mt_str *texts = mt_new_array(l->keep, mt_str, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        texts[i] = mt_json_text(&list->as.items[i]);
    }
    return texts;
}
