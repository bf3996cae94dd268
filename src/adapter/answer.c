/* adapter/answer.c - how a question ends: with an error or with a value.
 * Room: adapter. Whatever leaves here as text has lost its credentials. */
#include "adapter/impl.h"
#include "os/clock.h"

/* When is asked only where somebody wants to know. */
static void end_question(ad_question *q)
{
    q->done = true;
    q->ended_ns = q->began_ns ? (int64_t)os_clock_ns(CLOCK_REALTIME) : 0;
}

static void end_with(ad_fetching *f, ad_question *q, ad_fact_error error,
                     const char *format, va_list args)
    __attribute__((format(printf, 4, 0)));

static void end_with(ad_fetching *f, ad_question *q, ad_fact_error error,
                     const char *format, va_list args)
{
    mt_str message = mt_strfv(f->arena, format, args);
    q->answer->error = error;
    q->answer->message = ad_redact(f->adapters, f->arena, message);
    end_question(q);
}

void ad_answer_error(ad_fetching *f, ad_question *q, ad_fact_error error,
                     const char *format, ...)
{
    va_list args;
    va_start(args, format);
    end_with(f, q, error, format, args);
    va_end(args);
}

void ad_answer_each(ad_fetching *f, ad_question **questions, size_t count,
                    ad_fact_error error, const char *format, ...)
{
    for (size_t i = 0; i < count; i++) {
        va_list args;
        va_start(args, format);
        end_with(f, questions[i], error, format, args);
        va_end(args);
    }
}

/* Questions that have an answer keep it: a job may end in the middle of its work.
 * `args` is begun anew for each, since a va_list is used up by one reading. */
void ad_answer_all(ad_job *job, ad_fact_error error, const char *format, ...)
{
    for (size_t i = 0; i < job->count; i++) {
        if (!job->questions[i]->done) {
            va_list args;
            va_start(args, format);
            end_with(job->fetching, job->questions[i], error, format, args);
            va_end(args);
        }
    }
    job->done = true;
}

/* The digest is of the bytes that came, before anything was made of them; what is kept
 * of them has secrets taken out. */
static void end_with_value(ad_fetching *f, ad_question *q, mt_str value, mt_str raw)
{
    ad_fact_answer *to = q->answer;
    if (!value.ptr) {
        ad_answer_error(f, q, AD_FACT_MALFORMED, "the value of fact '%.*s' is not JSON",
                        MT_ARG(q->plan->fact->id));
        return;
    }
    mt_str hex = mt_sha256_hex(f->arena, mt_sha256_of(raw));
    to->value = value;
    to->digest = mt_strf(f->arena, "sha256:%.*s", MT_ARG(hex));
    to->fetched_at = to->fetched_at ? to->fetched_at : f->wall_ms;
    if (q->plan->source->keep_response) {
        to->response = ad_redact(f->adapters, f->arena, mt_str_dup(f->arena, raw));
    }
    end_question(q);
}

void ad_answer_json(ad_fetching *f, ad_question *q, const mt_json *value, mt_str raw)
{
    if (!value || mt_json_is(value, MT_JSON_NULL)) {
        ad_answer_error(f, q, AD_FACT_NOT_FOUND, "the answer has %s for fact '%.*s'",
                        value ? "null" : "nothing", MT_ARG(q->plan->fact->id));
        return;
    }
    mt_json converted = *value;
    if (ad_convert(f, q, &converted)) {
        end_with_value(f, q, ad_shape_json(f->arena, q->plan->fact->type, &converted),
                       raw);
    }
}

/* What a conversion gives may be text again, or a value that JSON can say. */
void ad_answer_text(ad_fetching *f, ad_question *q, mt_str text, mt_str raw)
{
    const ct_type *type = q->plan->fact->type;
    mt_json value = {
        .type = MT_JSON_STRING, .count = (uint32_t)text.len, .as.text = text.ptr};
    if (!ad_convert(f, q, &value)) {
        return;
    }
    end_with_value(f, q,
                   mt_json_is(&value, MT_JSON_STRING)
                       ? ad_shape_text(f->arena, type, mt_json_text(&value))
                       : ad_shape_json(f->arena, type, &value),
                   raw);
}
