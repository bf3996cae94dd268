/* Any configuration of sources: it is refused with a reason, or it opens; what it then
 * answers is JSON or an error with a sentence. No connection is opened and no process
 * started. The first line is the value of {id}: encoded, it stays within its segment.
 */
#include <stdlib.h>

#include "adapter/impl.h"
#include "base/percent.h"
#include "base/yaml_read.h"
#include "os/clock.h"

#define FACT(id, source, path, type)                                                   \
    "{\"id\":\"" id "\",\"kind\":\"Fact\",\"source\":{\"path\":\"" path                \
    "\",\"source_id\":\"" source "\"},\"type\":" type "}"
#define SOURCE(id, protocol, fields)                                                   \
    "{\"fields\":{" fields "},\"id\":\"" id                                            \
    "\",\"kind\":\"Source\",\"protocol\":\"" protocol "\"}"
#define INT "{\"base\":\"Int\",\"max\":9,\"min\":0}"

/* clang-format off */
static const char BUNDLE[] = "{\"constructs\":["
    SOURCE("a", "http", "\"base_url\":\"http://127.0.0.1:1\"") ","
    SOURCE("b", "graphql", "\"endpoint\":\"http://127.0.0.1:1\"") ","
    SOURCE("c", "database", "\"dialect\":\"postgres\"") ","
    SOURCE("d", "database", "\"dialect\":\"sqlite\"") ","
    SOURCE("e", "static", "") ","
    SOURCE("f", "manual", "") ","
    SOURCE("g", "x_motet.clock", "") ","
    SOURCE("h", "x_other", "") ","
    FACT("fa", "a", "o/{id}.v", INT) ","
    FACT("fb", "b", "o.v", INT) ","
    FACT("fc", "c", "t.v", INT) ","
    FACT("fd", "d", "t.v", INT) ","
    FACT("fe", "e", "v.{id}", INT) ","
    FACT("ff", "f", "v", INT) ","
    FACT("fg", "g", "now", "{\"base\":\"DateTime\"}") ","
    FACT("fh", "h", "v", INT)
    "],\"id\":\"t\",\"kind\":\"Bundle\",\"tenor\":\"1.0\",\"tenor_version\":\"1.1.0\"}";
/* clang-format on */

static const ct_model *the_model(void)
{
    static mt_arena keep;
    static const ct_model *model;
    mt_diags ds = {.arena = &keep};
    if (!model && ct_load(&keep, mt_str_from(BUNDLE, sizeof BUNDLE - 1), MT_STR("t"),
                          NULL, &ds, &model)) {
        MT_BUG("the bundle does not load");
    }
    return model;
}

static void check_segment(mt_str value)
{
    mt_buf encoded = {0};
    mt_percent_encode(&encoded, value);
    for (size_t i = 0; i < encoded.len; i++) {
        MT_ASSERT(!strchr("/?#&=@:\\ \r\n", encoded.ptr[i]));
    }
    mt_buf_free(&encoded);
}

/* Only what is in the configuration itself is asked for. */
static void ask(ad_adapters *a, const ct_model *m, mt_str id, mt_arena *arena)
{
    uint32_t fact = ct_model_find(m, CT_KIND_FACT, MT_STR("fe"));
    ad_param param = {MT_STR("id"), id};
    ad_fetch fetch = {.facts = &fact,
                      .fact_count = 1,
                      .params = &param,
                      .param_count = 1,
                      .deadline = os_now_ms() + 1000};
    ad_fact_answer got;
    mt_json value;
    ad_adapters_fetch(a, &fetch, arena, &got);
    MT_ASSERT(!got.error == (got.value.ptr != NULL));
    MT_ASSERT(got.error ? got.message.len > 0
                        : mt_json_read(arena, got.value, NULL, &value, NULL) == MT_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const mt_yaml_limits LIMITS = {1 << 16, 50, 10000};
    mt_arena arena = {0};
    mt_diags ds = {.arena = &arena};
    mt_str text = mt_str_from((const char *)data, size);
    mt_str id = mt_str_from(text.ptr, mt_str_find(text, '\n'));
    mt_json tree;
    ad_adapters *adapters = NULL;
    const ct_model *m = the_model();
    check_segment(id);
    if (mt_yaml_read(&arena, mt_str_skip(text, id.len + 1), &LIMITS, &tree, NULL) ==
        MT_OK) {
        ad_adapter_options options = {.model = m, .sources = &tree};
        mt_err err = ad_adapters_open(&options, &ds, &adapters);
        MT_ASSERT(!err == (adapters != NULL) && !err == !ds.errors);
        if (!err && mt_json_at(mt_json_at(&tree, "e"), "values")) {
            ask(adapters, m, id, &arena);
        }
    }
    ad_adapters_free(adapters);
    mt_arena_free(&arena);
    return 0;
}
