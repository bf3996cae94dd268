#include "graph/report.h"

#include "base/yaml_read.h"

bool gr_report(const gr_subject *s, const char *rule, uint32_t at, mt_str path,
               const char *fix, const char *format, ...)
{
    mt_diag d = {.severity = MT_ERROR,
                 .code = rule,
                 .pass = -1,
                 .file = s->file,
                 .field = path,
                 .construct_kind = mt_str_z(s->kind),
                 .construct_id = s->id,
                 .hint = mt_str_z(fix)};
    va_list args;
    /* Counted but dropped: a broken graph may have a hundred thousand faults. */
    bool dropped = s->ds->limit && s->ds->len >= s->ds->limit;
    if (!dropped) {
        va_start(args, format);
        d.message = mt_strfv(s->ds->arena, format, args);
        va_end(args);
        d.field = mt_str_dup(s->ds->arena, path);
        d.construct_id = mt_str_dup(s->ds->arena, s->id);
        d.file = mt_str_dup(s->ds->arena, s->file);
        if (s->text.len) {
            mt_json_place(s->text, at, &d.line, &d.column);
        }
    }
    mt_diag_add(s->ds, &d);
    return false;
}

bool gr_report_shape(const gr_subject *s, const char *rule, const mt_json *node,
                     const char *path, const char *fix, const char *expected)
{
    return gr_report(s, rule, node ? node->offset : 0, mt_str_z(path), fix,
                     "expected %s, found %s", expected,
                     node ? mt_json_type_name(node) : "nothing");
}

static bool looks_like_json(mt_str text)
{
    size_t i = 0;
    while (i < text.len && strchr(" \t\r\n", text.ptr[i])) {
        i++;
    }
    return i < text.len && text.ptr[i] == '{';
}

bool gr_read_tree(mt_arena *a, const gr_subject *s, const char *code,
                  const mt_json_limits *limits, mt_json *out)
{
    mt_json_error json_error = {0}, error;
    bool json = looks_like_json(s->text);
    if (json && mt_json_read(a, s->text, limits, out, &json_error) == MT_OK) {
        return true;
    }
    mt_yaml_limits bounds = {0};
    if (limits) {
        bounds.bytes = limits->bytes;
        bounds.depth = limits->depth;
    }
    mt_err err = mt_yaml_read(a, s->text, &bounds, out, &error);
    if (err == MT_OK) {
        return true;
    }
    if (json && err != MT_E_RANGE) {
        error = json_error;
    }
    return gr_report(s, err == MT_E_RANGE ? "NUM-FINITE-1" : code,
                     (uint32_t)error.offset, MT_STR("$"),
                     "write one YAML or JSON document", "%s%s%.*s", error.message,
                     error.detail.len ? ": " : "", MT_ARG(error.detail));
}
