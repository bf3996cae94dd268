/* adapter/local.c - facts from files, variables, people and the clock: what is
 * answered at once.
 *
 * static: a JSON or YAML file, read for every fetch, or values in the configuration,
 * or variables of the environment. A contract must not name variables itself when
 * there is a gate: the environment holds credentials. manual: what people asserted,
 * looked up by the host, until it expires. clock: the wall clock of the fetch, or a
 * fixed time for tests; `now` is a DateTime, `today` a Date.
 *
 * Each answers all questions of its source before it returns. A file that is missing,
 * too large or malformed answers all of them with that error. */
#include <stdlib.h>

#include "adapter/impl.h"
#include "base/yaml_read.h"
#include "os/file.h"

/* ---- static ---- */

bool ad_static_set_up(ad_opening *o, ad_source *s)
{
    int ways = (s->file.len > 0) + s->environment + (s->values != NULL);
    return ways == 1 || ad_source_fault(o, s, AD_F_SETTING,
                                        "source '%.*s' needs one of file, environment: "
                                        "true and values",
                                        MT_ARG(s->decl->id));
}

/* Which variable is read is for whoever runs the server: a contract that could name one
 * would publish any secret of the environment as a fact. */
bool ad_static_plan(ad_opening *o, const ad_source *s, ad_fact_plan *p)
{
    mt_str select = p->select_text.len ? p->select_text : p->path_text;
    if (s->environment && !p->variable.len && o->adapters->options.gate) {
        return ad_source_refuse(
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
                   : ad_fact_fault(o, p, AD_F_FACT,
                                   "fact '%.*s' needs the name of a variable",
                                   MT_ARG(p->fact->id));
    }
    return ad_selector_parse(&o->adapters->arena, select, &p->names, &p->select) ||
           ad_fact_fault(o, p, AD_F_FACT,
                         "the path of fact '%.*s' is no way into a document",
                         MT_ARG(p->fact->id));
}

/* Read at each fetch. Nobody in this program changes the environment once threads
 * run. */
static void ask_environment(ad_fetching *f, ad_question *q)
{
    const char *value = getenv(q->plan->variable.ptr);
    if (value) {
        ad_answer_text(f, q, mt_str_z(value), mt_str_z(value));
    } else {
        ad_answer_error(f, q, AD_FACT_NOT_FOUND,
                        "variable %.*s of fact '%.*s' is not set",
                        MT_ARG(q->plan->variable), MT_ARG(q->plan->fact->id));
    }
}

static bool is_yaml(mt_str name)
{
    return mt_str_ends(name, MT_STR(".yaml")) || mt_str_ends(name, MT_STR(".yml"));
}

/* The document of the source; false after every question was answered. */
static bool read_document(ad_fetching *f, const ad_source *s, ad_question **questions,
                          size_t count, mt_json *out, mt_str *raw)
{
    ad_fact_error error = AD_FACT_MALFORMED;
    mt_err err = os_read_file(f->arena, s->file.ptr, s->max_bytes, raw);
    if (err) {
        error = err == MT_E_LIMIT ? AD_FACT_TOO_LARGE : AD_FACT_UNREACHABLE;
    } else if (is_yaml(s->file)) {
        err = mt_yaml_read(f->arena, *raw, NULL, out, NULL);
    } else {
        err = mt_json_read(f->arena, *raw, NULL, out, NULL);
    }
    for (size_t i = 0; err && i < count; i++) {
        ad_answer_error(f, questions[i], error, "the file of source '%.*s': %s",
                        MT_ARG(s->decl->id), mt_err_text(err));
    }
    return err == MT_OK;
}

/* One reading of the document for all its questions. Values written in the
 * configuration have no bytes of their own; what is recorded as the response is then
 * the value itself. */
void ad_static_ask(ad_fetching *f, ad_source *s, ad_question **questions, size_t count)
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
        ad_question *q = questions[i];
        if (s->environment) {
            ask_environment(f, q);
            continue;
        }
        const mt_json *value = ad_select(&document, &q->plan->select, q->values);
        mt_buf text = {0};
        if (!raw.ptr && value) {
            mt_json_write(&text, value, false);
        }
        ad_answer_json(f, q, value, raw.ptr ? raw : mt_buf_str(&text));
        mt_buf_free(&text);
    }
}

/* ---- manual ---- */

/* NULL: the fact has another source, or none. */
static const ad_source *manual_source(const ad_adapters *a, uint32_t fact)
{
    const ad_source *s = fact < a->model->fact_count ? a->plans[fact].source : NULL;
    return s && s->kind == AD_MANUAL ? s : NULL;
}

bool ad_adapters_is_manual(const ad_adapters *a, uint32_t fact)
{
    return manual_source(a, fact) != NULL;
}

int64_t ad_adapters_manual_until(const ad_adapters *a, uint32_t fact,
                                 const ad_manual *m)
{
    const ad_source *s = manual_source(a, fact);
    int64_t aged = s && s->max_age ? m->asserted_at + (int64_t)s->max_age : 0;
    return !aged || (m->expires_at && m->expires_at < aged) ? m->expires_at : aged;
}

/* An expired assertion is an error, not absence: a default would hide that somebody
 * must assert it again. */
static void take_manual(ad_fetching *f, ad_question *q, const ad_manual *m)
{
    int64_t until = ad_adapters_manual_until(f->adapters, q->plan->index, m);
    mt_json value;
    if (until && f->wall_ms >= until) {
        ad_answer_error(f, q, AD_FACT_EXPIRED,
                        "what was asserted for fact '%.*s' has "
                        "expired",
                        MT_ARG(q->plan->fact->id));
        return;
    }
    q->answer->asserted_by = m->asserted_by;
    q->answer->fetched_at = m->asserted_at;
    q->answer->expires_at = m->expires_at;
    if (mt_json_read(f->arena, m->value, NULL, &value, NULL)) {
        ad_answer_error(f, q, AD_FACT_MALFORMED,
                        "what was asserted for fact '%.*s' is "
                        "no JSON",
                        MT_ARG(q->plan->fact->id));
        return;
    }
    ad_answer_json(f, q, &value, m->value);
}

/* That nobody asserted it and that it cannot be looked up are two answers; the second
 * is the host's fault, not the caller's. */
void ad_manual_ask(ad_fetching *f, ad_source *s, ad_question **questions, size_t count)
{
    const ad_adapter_options *options = &f->adapters->options;
    for (size_t i = 0; i < count; i++) {
        ad_question *q = questions[i];
        ad_manual manual = {0};
        mt_err err = options->lookup_manual
                         ? options->lookup_manual(options->context, f->arena,
                                                  q->plan->index, &manual)
                         : MT_E_NOTFOUND;
        if (err == MT_OK) {
            take_manual(f, q, &manual);
        } else {
            ad_answer_error(
                f, q, err == MT_E_NOTFOUND ? AD_FACT_NOT_ASSERTED : AD_FACT_UNREACHABLE,
                err == MT_E_NOTFOUND
                    ? "nobody asserted fact '%.*s' of source '%.*s'"
                    : "fact '%.*s' of source '%.*s' cannot be looked up",
                MT_ARG(q->plan->fact->id), MT_ARG(s->decl->id));
        }
    }
}

/* ---- clock ---- */

/* For tests and demonstrations; checked when opening, so that a fetch cannot fail. */
bool ad_clock_set_up(ad_opening *o, ad_source *s)
{
    ct_time fixed;
    if (!s->fixed.len) {
        return true;
    }
    if (!ct_time_parse(s->fixed, &fixed)) {
        return ad_source_fault(o, s, AD_F_SETTING,
                               "'fixed' of source '%.*s' is not a DateTime",
                               MT_ARG(s->decl->id));
    }
    s->fixed_ms = fixed.seconds * 1000 + fixed.nanos / 1000000;
    return true;
}

bool ad_clock_plan(ad_opening *o, const ad_source *s, ad_fact_plan *p)
{
    const ct_type *type = p->fact->type;
    bool ok = (ct_held(type) == LN_TIME && mt_str_is(p->path_text, "now")) ||
              (ct_is_day(type) && mt_str_is(p->path_text, "today"));
    return ok || ad_fact_fault(o, p, AD_F_FACT,
                               "clock '%.*s' has a DateTime `now` and a Date `today`, "
                               "not what fact '%.*s' wants",
                               MT_ARG(s->decl->id), MT_ARG(p->fact->id));
}

void ad_clock_ask(ad_fetching *f, ad_source *s, ad_question **questions, size_t count)
{
    int64_t now = s->fixed.len ? s->fixed_ms : f->wall_ms;
    for (size_t i = 0; i < count; i++) {
        bool date = ct_is_day(questions[i]->plan->fact->type);
        mt_str text = date ? ad_date_text(f->arena, now) : ad_time_text(f->arena, now);
        ad_answer_text(f, questions[i], text, text);
    }
}
