/* adapter/report.c - what a fetch has to say, as JSON.
 * Room: adapter. */
#include "adapter/impl.h"

const char *ad_fact_error_name(ad_fact_error e)
{
    static const char *const NAMES[AD_FACT_ERROR_COUNT] = {
        "ok",
#define AD_FACT_ERROR_NAME(name, text, meaning) text,
        AD_FACT_ERROR_MAP(AD_FACT_ERROR_NAME)
#undef AD_FACT_ERROR_NAME
    };
    return (unsigned)e < AD_FACT_ERROR_COUNT ? NAMES[e] : "unknown";
}

/* The record of §5.3: what was asserted, by whom, when, and the bytes it was taken
 * from; their digest where the bytes are too many to keep. */
void ad_fact_provenance_json(mt_jw *w, const ct_model *m, const ad_fact_answer *answer)
{
    mt_arena scratch = {0};
    const ct_fact *fact = &m->facts[answer->fact];
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "adapter_id", answer->adapter_id);
    mt_jw_key_str(w, "assertion_source", MT_STR("external"));
    mt_jw_key_str(w, "fetch_timestamp", ad_time_text(&scratch, answer->fetched_at));
    mt_jw_key_str(w, "id", fact->id);
    mt_jw_keyz(w, "source");
    mt_jw_raw(w, fact->source);
    mt_jw_key_str(w, "source_response",
                  answer->response.len ? answer->response : answer->digest);
    mt_jw_keyz(w, "value");
    mt_jw_raw(w, answer->value);
    mt_jw_end_object(w);
    mt_arena_free(&scratch);
}

/* How the fetch went, failures included; keys in order. */
void ad_fact_fetch_json(mt_jw *w, const ct_model *m, const ad_fact_answer *answer)
{
    const ct_fact *fact = &m->facts[answer->fact];
    mt_jw_begin_object(w);
    mt_jw_key_bool(w, "cached", answer->cached);
    if (answer->error) {
        mt_jw_key_str(w, "error", mt_str_z(ad_fact_error_name(answer->error)));
    }
    mt_jw_key_str(w, "fact", fact->id);
    if (answer->message.len) {
        mt_jw_key_str(w, "message", answer->message);
    }
    mt_jw_key_str(w, "path", answer->path);
    if (fact->source_id != CT_NONE) {
        mt_jw_key_str(w, "protocol", m->sources[fact->source_id].protocol);
    }
    mt_jw_key_str(w, "response_digest", answer->digest);
    if (fact->source_id != CT_NONE) {
        mt_jw_key_str(w, "source", m->sources[fact->source_id].id);
    }
    mt_jw_key_bool(w, "stale", answer->stale);
    mt_jw_end_object(w);
}

/* What the caller gives wins over what a source says; whether it may be given was
 * decided before. A fact that failed is left out, and the evaluation applies its
 * default or refuses. */
void ad_facts_join(mt_buf *out, const ct_model *m, const mt_json *given,
                   const ad_fact_answer *answers, size_t count)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_unsorted(&w);
    for (uint32_t i = 0; mt_json_is(given, MT_JSON_OBJECT) && i < given->count; i++) {
        mt_jw_key(&w, given->as.members[i].key);
        mt_jw_json(&w, &given->as.members[i].value);
    }
    for (size_t i = 0; i < count; i++) {
        mt_str id = m->facts[answers[i].fact].id;
        if (!answers[i].error && !mt_json_get(given, id)) {
            mt_jw_key(&w, id);
            mt_jw_raw(&w, answers[i].value);
        }
    }
    mt_jw_end_object(&w);
}
