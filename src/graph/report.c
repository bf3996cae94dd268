/* graph/report.c - how a graph's faults are told, and how its files become trees.
 * Room: graph. Every violation has the id of its rule, a JSON path and a remedy.
 * gr_report() answers false so that a check ends with `return gr_report(…)`. Nothing
 * here can fail: what goes beyond the limit of diagnostics is counted and dropped.
 * Texts are copied into the list's arena, so a diagnostic outlives the file it is
 * about. */
#include "graph/report.h"

#include "base/yaml_read.h"
#include "graph/value.h"

/* Counted but dropped: a broken graph may have a hundred thousand faults. */
static bool is_full(const mt_diags *ds)
{
    return ds->limit && ds->len >= ds->limit;
}

static void say(mt_severity severity, const gr_subject *s, const char *rule,
                uint32_t at, mt_str path, const char *fix, const char *format,
                va_list args) __attribute__((format(printf, 7, 0)));

static void say(mt_severity severity, const gr_subject *s, const char *rule,
                uint32_t at, mt_str path, const char *fix, const char *format,
                va_list args)
{
    mt_diag d = {.severity = severity,
                 .code = rule,
                 .pass = -1,
                 .file = s->file,
                 .field = path,
                 .construct_kind = mt_str_z(s->kind),
                 .construct_id = s->id,
                 .hint = mt_str_z(fix)};
    if (!is_full(s->ds)) {
        d.message = mt_strfv(s->ds->arena, format, args);
        d.field = mt_str_dup(s->ds->arena, path);
        d.construct_id = mt_str_dup(s->ds->arena, s->id);
        d.file = mt_str_dup(s->ds->arena, s->file);
        /* Finding a line walks the text from its start; only for what will be shown. */
        if (s->text.len) {
            mt_json_place(s->text, at, &d.line, &d.column);
        }
    }
    mt_diag_add(s->ds, &d);
}

const char *gr_meant(const gr_subject *s, const mt_nearest *near, const char *fix)
{
    if (!near->best.len || is_full(s->ds)) {
        return fix;
    }
    return mt_strf(s->ds->arena, "did you mean `%.*s`?", MT_ARG(near->best)).ptr;
}

bool gr_report(const gr_subject *s, const char *rule, uint32_t at, mt_str path,
               const char *fix, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(MT_ERROR, s, rule, at, path, fix, format, args);
    va_end(args);
    return false;
}

void gr_warn(const gr_subject *s, const char *rule, uint32_t at, mt_str path,
             const char *fix, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(MT_WARNING, s, rule, at, path, fix, format, args);
    va_end(args);
}

/* What to do, where the form itself has nothing to suggest. */
static mt_str remedy(const gr_form_report *to, const mt_form_fault *fault)
{
    return fault->hint.len ? fault->hint
           : fault->wrong == MT_FORM_UNKNOWN_KEY
               ? MT_STR("remove it or correct its name")
               : mt_str_z(to->fix);
}

void gr_report_fault(void *state, const mt_form_fault *fault)
{
    const gr_form_report *to = state;
    const gr_subject *s = to->subject;
    mt_arena *a = s->ds->arena;
    mt_str path =
        mt_strf(a, "$%s%.*s", fault->path.len ? "." : "", MT_ARG(fault->path));
    /* Numbers of graph files are checked by their readers, so a range that is left
     * by anything but text is that of a list or map. */
    if (fault->wrong == MT_FORM_OUT_OF_RANGE &&
        !mt_json_is(fault->node, MT_JSON_STRING)) {
        gr_report(s, "LIMIT", (uint32_t)fault->offset, path, to->split,
                  "more entries than graph_ports allows");
        return;
    }
    mt_diag d =
        mt_form_diag(fault, to->code, s->file, is_full(s->ds) ? MT_STR("") : s->text);
    d.file = mt_str_dup(a, s->file);
    d.field = path;
    d.construct_kind = mt_str_z(s->kind);
    d.construct_id = mt_str_dup(a, s->id);
    d.message = mt_str_dup(a, fault->message);
    d.hint = mt_str_dup(a, remedy(to, fault));
    mt_diag_add(s->ds, &d);
}

mt_form gr_form(mt_arena *a, gr_form_report *to, const char *what)
{
    return (mt_form){.arena = a,
                     .what = what,
                     .report = gr_report_fault,
                     .state = to,
                     .unknown = MT_FORM_WARNED};
}

bool gr_read_type(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    mt_str name;
    if (!mt_form_text(f, row, v, &name)) {
        return false;
    }
    *(gr_type *)to = gr_type_of(name);
    return true;
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
    /* YAML allows what JSON does, and a flow mapping begins with a brace too. So
     * JSON is only tried, and when YAML cannot read it either, its message is the
     * better one: who wrote a brace meant JSON. */
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
