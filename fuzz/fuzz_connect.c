/* Documents of other systems: whatever they are, they are refused with a sentence or
 * become places; what is proposed for facts of every type is written as a review that
 * can be read, and passes the check of --apply. The first byte chooses the format. */
#include <stddef.h>
#include <stdint.h>

#include "base/yaml_read.h"
#include "connect/config.h"
#include "connect/review.h"

static const char *const TYPES[] = {
    "{\"base\":\"Bool\"}",
    "{\"base\":\"Int\",\"max\":100,\"min\":0}",
    "{\"base\":\"Decimal\",\"precision\":9,\"scale\":2}",
    "{\"base\":\"Money\",\"currency\":\"EUR\"}",
    "{\"base\":\"Text\",\"max_length\":9}",
    "{\"base\":\"Date\"}",
    "{\"base\":\"DateTime\"}",
    "{\"base\":\"Duration\",\"max\":9,\"min\":0,\"unit\":\"days\"}",
    "{\"base\":\"Enum\",\"values\":[\"open\",\"paid\"]}",
};

static const ct_model *model(mt_arena *a)
{
    mt_buf b = {0};
    mt_diags ds = {.arena = a};
    const ct_model *m = NULL;
    mt_buf_addz(&b, "{\"constructs\":[");
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
        mt_buf_addf(
            &b,
            "{\"id\":\"total_%zu\",\"kind\":\"Fact\",\"provenance\":{\"file\":\"a\","
            "\"line\":1},\"source\":{\"path\":\"orders.total\",\"source_id\":\"s\"},"
            "\"tenor\":\"1.0\",\"type\":%s},",
            i, TYPES[i]);
    }
    mt_buf_addz(
        &b, "{\"fields\":{},\"id\":\"s\",\"kind\":\"Source\",\"protocol\":\"static\","
            "\"provenance\":{\"file\":\"a\",\"line\":1},\"tenor\":\"1.0\"}],"
            "\"id\":\"a\",\"kind\":\"Bundle\",\"tenor\":\"1.0\","
            "\"tenor_version\":\"1.0.0\"}");
    MT_ASSERT(!ct_load(a, mt_str_dup(a, mt_buf_str(&b)), MT_STR("a"),
                       &MT_LIMITS_DEFAULT, &ds, &m));
    mt_buf_free(&b);
    return m;
}

static void check_review(mt_arena *a, const ct_model *m, const cn_document *d)
{
    cn_reviewed one = {.document = MT_STR("d"), .format = d->format};
    cn_review read = {0};
    mt_buf text = {0}, why = {0};
    mt_json tree;
    mt_form form = {.arena = a, .report = mt_form_join, .state = &why};
    cn_match(a, m, 0, d, &one.matches);
    cn_review_write(&text, m, &one, 1);
    MT_ASSERT(!mt_yaml_read(a, mt_buf_str(&text), NULL, &tree, NULL));
    MT_ASSERT(cn_review_read(&form, &tree, &read) && read.source_count == 1);
    for (uint32_t i = 0; i < read.sources[0].fact_count; i++) {
        const cn_decided *f = &read.sources[0].facts[i];
        uint32_t fact = ct_model_find(m, CT_KIND_FACT, f->fact);
        MT_ASSERT(!f->settings ||
                  cn_review_check(a, d, m->facts[fact].type, f->settings, &why));
    }
    mt_buf_free(&text);
    mt_buf_free(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_arena a = {0};
    mt_buf why = {0};
    cn_document d;
    mt_limits limits = MT_LIMITS_DEFAULT;
    limits.connect_places = 2000;
    if (size) {
        mt_str bytes = mt_str_from((const char *)data + 1, size - 1);
        mt_err err = cn_read(&a, (cn_format)(data[0] % CN_FORMAT_COUNT), MT_STR("d"),
                             bytes, &limits, NULL, NULL, &why, &d);
        MT_ASSERT(!err == !why.len);
        if (!err) {
            check_review(&a, model(&a), &d);
        }
    }
    mt_buf_free(&why);
    mt_arena_free(&a);
    return 0;
}
