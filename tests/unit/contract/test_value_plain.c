/* Values written as facts are given read as the same values again. */
#include "../rows.h"

#include "contract/elaborate.h"
#include "contract/eval/facts.h"

static const char CONTRACT[] =
    "type Point { x: Int(min: -9, max: 9) y: Decimal(precision: 6, scale: 2) }\n"
    "type Shape = TaggedUnion { dot: Point line: Int(min: 0, max: 5) }\n"
    "persona p\n"
    "fact bool { type: Bool source: \"a.b\" default: true }\n"
    "fact int { type: Int(min: -1000, max: 1000) source: \"a.b\" default: 1 }\n"
    "fact decimal { type: Decimal(precision: 10, scale: 3) source: \"a.b\" default: "
    "1.000 "
    "}\n"
    "fact text { type: Text(max_length: 40) source: \"a.b\" default: \"x\" }\n"
    "fact choice { type: Enum([\"one\", \"two\"]) source: \"a.b\" default: \"one\" }\n"
    "fact date { type: Date source: \"a.b\" default: \"2026-01-01\" }\n"
    "fact moment { type: DateTime source: \"a.b\" default: \"2026-01-01T00:00:00Z\" }\n"
    "fact money { type: Money(currency: \"EUR\") source: \"a.b\" default: Money { "
    "amount: "
    "\"1.00\", currency: \"EUR\" } }\n"
    "fact wait { type: Duration(unit: \"hours\", min: 0, max: 99) source: \"a.b\" "
    "default: "
    "Duration { value: 1, unit: \"hours\" } }\n"
    "fact points { type: List(element_type: Point, max: 3) source: \"a.b\" default: [] "
    "}\n"
    "fact shape { type: Shape source: \"a.b\" }\n"
    "rule r { stratum: 0 when: bool = true produce: r(true) }\n";

static const struct row {
    const char *name, *fact, *given, *plain;
} ROWS[] = {
    {"a truth", "bool", "false", "false"},
    {"a number", "int", "-17", "-17"},
    {"a decimal keeps its digits", "decimal", "\"2.50\"", "\"2.50\""},
    {"a decimal given as a number", "decimal", "0.125", "\"0.125\""},
    {"a text with quotes", "text", "\"a\\\"b\\u00e9\\n\"", "\"a\\\"b\xc3\xa9\\n\""},
    {"a choice", "choice", "\"two\"", "\"two\""},
    {"a date", "date", "\"2024-02-29\"", "\"2024-02-29\""},
    {"a moment becomes UTC", "moment", "\"2026-06-01T12:00:00.5+02:00\"",
     "\"2026-06-01T10:00:00.5Z\""},
    {"money", "money", "{\"currency\":\"EUR\",\"amount\":\"5\"}",
     "{\"amount\":\"5\",\"currency\":\"EUR\"}"},
    {"a duration", "wait", "{\"value\":3,\"unit\":\"hours\"}",
     "{\"unit\":\"hours\",\"value\":3}"},
    {"no points", "points", "[]", "[]"},
    {"records in a list", "points",
     "[{\"y\":\"1.5\",\"x\":2},{\"x\":-9,\"y\":\"0.00\"}]",
     "[{\"x\":2,\"y\":\"1.5\"},{\"x\":-9,\"y\":\"0.00\"}]"},
    {"a tagged record", "shape", "{\"tag\":\"dot\",\"payload\":{\"x\":1,\"y\":\"2\"}}",
     "{\"payload\":{\"x\":1,\"y\":\"2\"},\"tag\":\"dot\"}"},
    {"a tagged number", "shape", "{\"tag\":\"line\",\"payload\":4}",
     "{\"payload\":4,\"tag\":\"line\"}"},
};

static const ct_model *model(mt_arena *a)
{
    mt_memory_file file = {MT_STR("c.tenor"), mt_str_z(CONTRACT)};
    mt_memory files = {&file, 1};
    mt_provider provider = mt_memory_provider(&files);
    mt_diags ds = {.arena = a};
    const ct_elaboration *e;
    const ct_model *m = NULL;
    if (ct_elaborate(a, file.path, &provider, NULL, &ds, &e) ||
        ct_load(a, e->bundle, file.path, NULL, &ds, &m)) {
        fail_msg("%.*s", MT_ARG(ds.items[0].message));
    }
    return m;
}

/* Reads one fact (and a shape, which has no default) and writes it. */
static mt_str plain(mt_arena *a, const ct_model *m, ct_facts *f, const char *fact,
                    mt_str given)
{
    ct_fault fault;
    bool shape = strcmp(fact, "shape") == 0;
    mt_str json = mt_strf(a, "{\"%s\":%.*s%s}", fact, MT_ARG(given),
                          shape ? "" : ",\"shape\":{\"tag\":\"line\",\"payload\":0}");
    if (ct_facts_read(f, json, &MT_LIMITS_DEFAULT, true, &fault)) {
        fail_msg("%.*s", MT_ARG(fault.message));
    }
    uint32_t i = ct_model_find(m, CT_KIND_FACT, mt_str_z(fact));
    mt_buf out = {0};
    ct_value_plain(&out, m->facts[i].type, ct_facts_value(f, i));
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

static void writes(void **state)
{
    const struct row *r = *state;
    mt_arena a = {0};
    const ct_model *m = model(&a);
    ct_facts *f = ct_facts_new(m);
    mt_str once = plain(&a, m, f, r->fact, mt_str_z(r->given));
    assert_text(once, mt_str_z(r->plain));
    assert_text(plain(&a, m, f, r->fact, once), once);
    ct_facts_free(f);
    mt_arena_free(&a);
}

int main(void)
{
    static rows_list l;
    rows_add(&l, ROWS, writes);
    return rows_run(&l, "contract/value_plain");
}
