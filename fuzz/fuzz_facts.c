/* fuzz/fuzz_facts.c - any bytes as facts for a contract with every type: a fault with a
 * message, or a set whose values print. Reading twice gives the same. */
#include "contract/eval/facts.h"
#include "contract/eval/program.h"

/* clang-format off */
#define TYPED(id, type)                                                                \
    "{\"id\":\"" id "\",\"kind\":\"Fact\",\"source\":\"s\",\"tenor\":\"1.0\",\"type\":" \
    "{\"base\":" type "}}"

static const char BUNDLE[] =
    "{\"id\":\"f\",\"kind\":\"Bundle\",\"tenor\":\"1.0\",\"tenor_version\":\"1.1.0\","
    "\"constructs\":["
    TYPED("b", "\"Bool\"") ","
    TYPED("i", "\"Int\",\"min\":-5,\"max\":100") ","
    TYPED("d", "\"Decimal\",\"precision\":8,\"scale\":3") ","
    TYPED("t", "\"Text\",\"max_length\":5") ","
    TYPED("e", "\"Enum\",\"values\":[\"x\",\"y\"]") ","
    TYPED("day", "\"Date\"") ","
    TYPED("at", "\"DateTime\"") ","
    TYPED("m", "\"Money\",\"currency\":\"USD\"") ","
    TYPED("span", "\"Duration\",\"unit\":\"hours\",\"min\":0,\"max\":99") ","
    TYPED("u", "\"TaggedUnion\",\"variants\":{\"A\":{\"base\":\"Bool\"},\"B\":{\"base\":"
               "\"Record\",\"fields\":{\"n\":{\"base\":\"Int\",\"min\":0,\"max\":9}}}}") ","
    TYPED("l", "\"List\",\"max\":3,\"element_type\":{\"base\":\"Record\",\"fields\":{"
               "\"p\":{\"base\":\"Money\",\"currency\":\"EUR\"},\"q\":{\"base\":\"List\","
               "\"max\":2,\"element_type\":{\"base\":\"Text\",\"max_length\":3}}}}")
    "]}";
/* clang-format on */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_all(const ct_model *m, const ct_facts *f, mt_buf *out)
{
    for (uint32_t i = 0; i < m->fact_count; i++) {
        ct_value_json(out, m->facts[i].type, ct_facts_value(f, i));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_arena a = {0};
    mt_diags ds = {.arena = &a};
    const ct_model *m;
    mt_str json = mt_str_from((const char *)data, size);
    MT_ASSERT(ct_load(&a, mt_str_z(BUNDLE), MT_STR("b"), NULL, &ds, &m) == MT_OK);
    ct_facts *f = ct_facts_new(m);
    ct_fault fault;
    mt_buf first = {0}, second = {0};
    mt_err err = ct_facts_read(f, json, NULL, true, &fault);
    if (err == MT_OK) {
        print_all(m, f, &first);
        MT_ASSERT(ct_facts_read(f, json, NULL, false, &fault) == MT_OK);
        print_all(m, f, &second);
        MT_ASSERT(mt_str_eq(mt_buf_str(&first), mt_buf_str(&second)));
    } else {
        MT_ASSERT(fault.kind != CT_FAULT_NONE && fault.message.len);
    }
    mt_buf_free(&first);
    mt_buf_free(&second);
    ct_facts_free(f);
    mt_arena_free(&a);
    return 0;
}
