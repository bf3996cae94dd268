/* runtime/adapter_local.c - facts from files, variables, people and the clock.
 * Room: runtime. What is answered at once. */
#include <stdlib.h>

#include "base/yaml_read.h"
#include "runtime/adapter_impl.h"
#include "runtime/file.h"

/* ---- static ---- */

bool rt_static_set_up(rt_opening *o, rt_source *s)
{
    int ways = (s->file.len > 0) + s->environment + (s->values != NULL);
    return ways == 1 || rt_source_fault(o, s, RT_F_SETTING,
                                        "source '%.*s' needs one of file, environment: "
                                        "true and values",
                                        MT_ARG(s->decl->id));
}

bool rt_static_plan(rt_opening *o, const rt_source *s, rt_fact_plan *p)
{
    mt_str select = p->select_text.len ? p->select_text : p->path_text;
    if (s->environment && !p->variable.len && o->adapters->options.gate) {
        return rt_source_refuse(
            o, p->source,
            "fact '%.*s' of the contract names a variable of the environment, which is "
            "for the configuration to do: set variable of sources.%.*s.facts.%.*s",
            MT_ARG(p->fact->id), MT_ARG(s->decl->id), MT_ARG(p->fact->id));
    }
    if (s->environment) {
        mt_str name = p->variable.len ? p->variable : p->path_text;
        p->variable = name;
        return name.len && !memchr(name.ptr, '=', name.len) && !p->names.len
                   ? true
                   : rt_fact_fault(o, p, RT_F_FACT,
                                   "fact '%.*s' needs the name of a variable",
                                   MT_ARG(p->fact->id));
    }
    return rt_selector_parse(&o->adapters->arena, select, &p->names, &p->select) ||
           rt_fact_fault(o, p, RT_F_FACT,
                         "the path of fact '%.*s' is no way into a document",
                         MT_ARG(p->fact->id));
}

static void ask_environment(rt_fetching *f, rt_question *q)
{
    const char *value = getenv(q->plan->variable.ptr);
    if (value) {
        rt_answer_text(f, q, mt_str_z(value), mt_str_z(value));
    } else {
        rt_answer_error(f, q, RT_FACT_NOT_FOUND,
                        "variable %.*s of fact '%.*s' is not set",
                        MT_ARG(q->plan->variable), MT_ARG(q->plan->fact->id));
    }
}

static bool is_yaml(mt_str name)
{
    return mt_str_ends(name, MT_STR(".yaml")) || mt_str_ends(name, MT_STR(".yml"));
}

/* The document of the source; false after every question was answered. */
static bool read_document(rt_fetching *f, const rt_source *s, rt_question **questions,
                          size_t count, mt_json *out, mt_str *raw)
{
    rt_fact_error error = RT_FACT_MALFORMED;
    mt_err err = rt_read_file(f->arena, s->file.ptr, s->max_bytes, raw);
    if (err) {
        error = err == MT_E_LIMIT ? RT_FACT_TOO_LARGE : RT_FACT_UNREACHABLE;
    } else if (is_yaml(s->file)) {
        err = mt_yaml_read(f->arena, *raw, NULL, out, NULL);
    } else {
        err = mt_json_read(f->arena, *raw, NULL, out, NULL);
    }
    for (size_t i = 0; err && i < count; i++) {
        rt_answer_error(f, questions[i], error, "the file of source '%.*s': %s",
                        MT_ARG(s->decl->id), mt_err_text(err));
    }
    return err == MT_OK;
}

void rt_static_ask(rt_fetching *f, rt_source *s, rt_question **questions, size_t count)
{
    mt_json document;
    mt_str raw = {0};
    if (s->values) {
        document = *s->values;
    } else if (!s->environment &&
               !read_document(f, s, questions, count, &document, &raw)) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        rt_question *q = questions[i];
        if (s->environment) {
            ask_environment(f, q);
            continue;
        }
        const mt_json *value = rt_select(&document, &q->plan->select, q->values);
        mt_buf text = {0};
        if (!raw.ptr && value) {
            mt_json_write(&text, value, false);
        }
        rt_answer_json(f, q, value, raw.ptr ? raw : mt_buf_str(&text));
        mt_buf_free(&text);
    }
}

/* ---- manual ---- */

static void take_manual(rt_fetching *f, rt_question *q, const rt_manual *m)
{
    int64_t until = rt_adapters_manual_until(f->adapters, q->plan->index, m);
    mt_json value;
    if (until && f->wall_ms >= until) {
        rt_answer_error(f, q, RT_FACT_EXPIRED,
                        "what was asserted for fact '%.*s' has "
                        "expired",
                        MT_ARG(q->plan->fact->id));
        return;
    }
    q->answer->asserted_by = m->asserted_by;
    q->answer->fetched_at = m->asserted_at;
    q->answer->expires_at = m->expires_at;
    if (mt_json_read(f->arena, m->value, NULL, &value, NULL)) {
        rt_answer_error(f, q, RT_FACT_MALFORMED,
                        "what was asserted for fact '%.*s' is "
                        "no JSON",
                        MT_ARG(q->plan->fact->id));
        return;
    }
    rt_answer_json(f, q, &value, m->value);
}

void rt_manual_ask(rt_fetching *f, rt_source *s, rt_question **questions, size_t count)
{
    const rt_adapter_options *options = &f->adapters->options;
    for (size_t i = 0; i < count; i++) {
        rt_question *q = questions[i];
        rt_manual manual = {0};
        mt_err err = options->lookup_manual
                         ? options->lookup_manual(options->context, f->arena,
                                                  q->plan->index, &manual)
                         : MT_E_NOTFOUND;
        if (err == MT_OK) {
            take_manual(f, q, &manual);
        } else {
            rt_answer_error(
                f, q, err == MT_E_NOTFOUND ? RT_FACT_NOT_ASSERTED : RT_FACT_UNREACHABLE,
                err == MT_E_NOTFOUND
                    ? "nobody asserted fact '%.*s' of source '%.*s'"
                    : "fact '%.*s' of source '%.*s' cannot be looked up",
                MT_ARG(q->plan->fact->id), MT_ARG(s->decl->id));
        }
    }
}

/* ---- clock ---- */

bool rt_clock_set_up(rt_opening *o, rt_source *s)
{
    ct_time fixed;
    if (!s->fixed.len) {
        return true;
    }
    if (!ct_time_parse(s->fixed, &fixed)) {
        return rt_source_fault(o, s, RT_F_SETTING,
                               "'fixed' of source '%.*s' is no DateTime",
                               MT_ARG(s->decl->id));
    }
    s->fixed_ms = fixed.seconds * 1000 + fixed.nanos / 1000000;
    return true;
}

bool rt_clock_plan(rt_opening *o, const rt_source *s, rt_fact_plan *p)
{
    uint8_t base = p->fact->type->base;
    bool ok = (base == CT_DATETIME && mt_str_is(p->path_text, "now")) ||
              (base == CT_DATE && mt_str_is(p->path_text, "today"));
    return ok || rt_fact_fault(o, p, RT_F_FACT,
                               "clock '%.*s' has a DateTime `now` and a Date `today`, "
                               "not what fact '%.*s' wants",
                               MT_ARG(s->decl->id), MT_ARG(p->fact->id));
}

void rt_clock_ask(rt_fetching *f, rt_source *s, rt_question **questions, size_t count)
{
    int64_t now = s->fixed.len ? s->fixed_ms : f->wall_ms;
    for (size_t i = 0; i < count; i++) {
        bool date = questions[i]->plan->fact->type->base == CT_DATE;
        mt_str text = date ? rt_date_text(f->arena, now) : rt_time_text(f->arena, now);
        rt_answer_text(f, questions[i], text, text);
    }
}
