/* One admissibility: whatever elaborates also validates, loads, compiles and plans, and
 * evaluates to verdicts or to a typed fault, for legal facts and illegal ones; flows
 * end or say why not. Random contracts with values at and beyond every limit.
 * 10,000 contracts, 2,000 under sanitizers; MOTET_SOAK=1 runs 100,000. MOTET_SEED
 * chooses others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../many.h"
#include "base/json_write.h"
#include "contract/eval/facts.h"
#include "contract/eval/program.h"
#include "contract/flow/run.h"
#include "contract/wire/validate.h"
#include "random_source.h"

enum { FACT_SETS = 3, LIST_ITEMS = 3, SHOWN = 20 };

static struct {
    uint64_t elaborated, exceptions, evaluated, faults, refused_facts, flows;
} seen;

/* ---- Facts ---- */

typedef struct writer {
    uint64_t seed;
    bool legal;
    mt_jw *w;
} writer;

static uint64_t below(writer *f, uint64_t n)
{
    return n ? random_next(&f->seed) % n : 0;
}

static void write_value(writer *f, const ct_type *t);

static void write_int(writer *f, const ct_type *t)
{
    int64_t min = t->as.range.min, max = t->as.range.max;
    uint64_t span = (uint64_t)max - (uint64_t)min;
    int64_t inside =
        (int64_t)((uint64_t)min +
                  (span == UINT64_MAX ? random_next(&f->seed) : below(f, span + 1)));
    int64_t choices[] = {min, max, inside, 0};
    mt_jw_i64(f->w, choices[below(f, f->legal ? 3 : 4)]);
}

/* As many nines as fit, a small number, or more digits than there are. */
static void write_decimal(writer *f, uint32_t precision, uint32_t scale)
{
    char text[96];
    uint32_t whole = precision > scale ? precision - scale : 0, len = 0;
    uint64_t form = below(f, f->legal ? 3 : 5);
    whole = whole > 28 ? 28 : whole;
    scale = scale > 28 - whole ? 28 - whole : scale;
    uint32_t digits = form == 0 ? whole : form == 4 ? 40 : 0;
    text[len++] = below(f, 2) ? '-' : '0';
    text[len] = '0';
    len += text[0] == '-' && !digits;
    for (uint32_t i = 0; i < digits; i++) {
        text[len++] = '9';
    }
    uint32_t fraction = form == 1 ? 0 : form == 3 ? 40 : scale;
    if (fraction) {
        text[len++] = '.';
    }
    for (uint32_t i = 0; i < fraction; i++) {
        text[len++] = '9';
    }
    mt_jw_str(f->w, mt_str_from(text, len));
}

static void write_text(writer *f, const ct_type *t)
{
    char text[64];
    size_t most = t->as.max_length < 40 ? t->as.max_length : 40;
    size_t len = f->legal ? below(f, most + 1) : most + 1;
    memset(text, 'x', sizeof text);
    mt_jw_str(f->w, mt_str_from(text, len));
}

static void write_enum(writer *f, const ct_type *t)
{
    mt_jw_str(f->w, f->legal || below(f, 2) ? t->as.values[below(f, t->count)]
                                            : MT_STR("no value"));
}

static void write_moment(writer *f, bool date)
{
    static const char *const DATES[] = {"2024-02-29", "0001-01-01", "9999-12-31",
                                        "2023-02-29"};
    const char *day = DATES[below(f, f->legal ? 3 : 4)];
    char text[40];
    snprintf(text, sizeof text, "%s%s", day, date ? "" : "T12:00:00.5Z");
    mt_jw_str(f->w, mt_str_z(text));
}

static void write_structure(writer *f, const ct_type *t)
{
    mt_jw_begin_object(f->w);
    if (t->base == CT_RECORD) {
        for (uint32_t i = 0; i < t->count; i++) {
            mt_jw_key(f->w, t->as.fields[i].name);
            write_value(f, t->as.fields[i].type);
        }
    } else {
        uint64_t tag = below(f, t->count);
        mt_jw_keyz(f->w, "payload");
        write_value(f, t->as.variants[tag].type);
        mt_jw_key_str(f->w, "tag", t->as.variants[tag].name);
    }
    mt_jw_end_object(f->w);
}

static void write_list(writer *f, const ct_type *t)
{
    size_t most = t->as.list.max < LIST_ITEMS ? t->as.list.max : LIST_ITEMS;
    size_t count = f->legal ? below(f, most + 1) : below(f, LIST_ITEMS + 2);
    mt_jw_begin_array(f->w);
    for (size_t i = 0; i < count; i++) {
        write_value(f, t->as.list.element);
    }
    mt_jw_end_array(f->w);
}

static void write_value(writer *f, const ct_type *t)
{
    if (!f->legal && !below(f, 12)) {
        mt_jw_null(f->w);
        return;
    }
    switch ((ct_base)t->base) {
    case CT_BOOL: mt_jw_bool(f->w, below(f, 2)); break;
    case CT_INT: write_int(f, t); break;
    case CT_DECIMAL:
        write_decimal(f, t->as.decimal.precision, t->as.decimal.scale);
        break;
    case CT_TEXT: write_text(f, t); break;
    case CT_ENUM: write_enum(f, t); break;
    case CT_DATE: write_moment(f, true); break;
    case CT_DATETIME: write_moment(f, false); break;
    case CT_MONEY:
        mt_jw_begin_object(f->w);
        mt_jw_keyz(f->w, "amount");
        write_decimal(f, 28, 2);
        mt_jw_key_str(f->w, "currency", t->as.currency);
        mt_jw_end_object(f->w);
        break;
    case CT_DURATION:
        mt_jw_begin_object(f->w);
        mt_jw_key_str(f->w, "unit", mt_str_z(CT_UNIT_NAMES[t->unit]));
        mt_jw_keyz(f->w, "value");
        write_int(f, t);
        mt_jw_end_object(f->w);
        break;
    case CT_RECORD:
    case CT_UNION: write_structure(f, t); break;
    case CT_LIST: write_list(f, t); break;
    }
}

static int by_id(const void *a, const void *b)
{
    return mt_str_cmp((*(const ct_fact *const *)a)->id,
                      (*(const ct_fact *const *)b)->id);
}

static mt_str random_facts(mt_arena *a, const ct_model *m, uint64_t seed, bool legal)
{
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    writer f = {seed, legal, &w};
    const ct_fact **facts = mt_new_array(a, const ct_fact *, m->fact_count);
    for (uint32_t i = 0; i < m->fact_count; i++) {
        facts[i] = &m->facts[i];
    }
    if (m->fact_count) {
        qsort(facts, m->fact_count, sizeof *facts, by_id);
    }
    mt_jw_begin_object(&w);
    for (uint32_t i = 0; i < m->fact_count; i++) {
        if (!facts[i]->otherwise || below(&f, 2)) { /* else its default */
            mt_jw_key(&w, facts[i]->id);
            write_value(&f, facts[i]->type);
        }
    }
    mt_jw_end_object(&w);
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* ---- One contract ---- */

typedef struct subject {
    mt_arena a;
    uint64_t seed;
    random_program source;
    mt_str bundle;
    const ct_model *m;
    const ct_program *p;
} subject;

static void exception(const subject *s, const char *gate, const char *code, mt_str why)
{
    mt_str text = s->source.files[0].text;
    if (seen.exceptions++ < SHOWN) {
        fprintf(stderr, "seed %llu: elaborates, but %s says %s %.*s\n",
                (unsigned long long)s->seed, gate, code, MT_ARG(why));
    }
    if (seen.exceptions == 1) {
        fprintf(stderr, "%.*s\n", (int)(text.len < 4000 ? text.len : 4000), text.ptr);
    }
}

static bool elaborates(subject *s)
{
    mt_memory memory = {s->source.files, s->source.count};
    mt_provider files = mt_memory_provider(&memory);
    mt_diags ds = {.arena = &s->a};
    const ct_elaboration *e = NULL;
    if (ct_elaborate(&s->a, s->source.files[0].path, &files, NULL, &ds, &e) != MT_OK) {
        return false;
    }
    s->bundle = e->bundle;
    return true;
}

static bool is_admitted(subject *s)
{
    mt_diags ds = {.arena = &s->a};
    ct_document document;
    if (ct_validate(&s->a, MT_STR("b.json"), s->bundle, NULL, &ds, &document)) {
        exception(s, "validate", ds.items[0].code, ds.items[0].message);
        return false;
    }
    if (!mt_str_eq(document.bundle, s->bundle)) {
        exception(s, "validate", "other bytes", document.bundle);
        return false;
    }
    if (ct_load(&s->a, s->bundle, MT_STR("b.json"), NULL, &ds, &s->m)) {
        exception(s, "load", ds.items[0].code, ds.items[0].message);
        return false;
    }
    s->p = ct_compile(&s->a, s->m);
    return true;
}

/* Every fault has a type that has a name. */
static void typed(const subject *s, const char *where, const ct_fault *fault)
{
    seen.faults++;
    if (!fault->kind || !*ct_fault_name(fault->kind)) {
        exception(s, where, "fault without a type", MT_STR(""));
    }
}

static void run_flows(subject *s, const ct_snapshot *snapshot)
{
    const ct_plan *plan = NULL;
    mt_diags ds = {.arena = &s->a};
    if (ct_plan_build(&s->a, s->p, &ds, &plan) != MT_OK) {
        exception(s, "plan", ds.len ? ds.items[0].code : "?",
                  ds.len ? ds.items[0].message : MT_STR(""));
        return;
    }
    mt_str *instances = mt_new_array(&s->a, mt_str, s->m->entity_count);
    uint32_t *states = mt_new_array(&s->a, uint32_t, s->m->entity_count);
    for (uint32_t i = 0; i < s->m->entity_count; i++) {
        instances[i] = MT_STR("one");
        states[i] = s->m->entities[i].initial;
    }
    for (uint32_t i = 0; i < s->m->flow_count && i < 4; i++) {
        ct_run run = {0};
        ct_run_input in = {.plan = plan,
                           .snapshot = *snapshot,
                           .flow = i,
                           .persona = s->m->persona_count ? s->m->personas[0].id
                                                          : MT_STR("p0"),
                           .instances = instances,
                           .states = states};
        ct_run_status status = ct_run_start(&run, &in);
        status = status == CT_RUN_MORE ? ct_run_all(&run) : status;
        if (status != CT_RUN_DONE && (status != CT_RUN_FAILED || !run.fault.len)) {
            exception(s, "flow", "neither ended nor failed", s->m->flows[i].id);
        }
        seen.flows++;
        ct_run_free(&run);
    }
}

static void hold_conditions(subject *s, const ct_snapshot *snapshot)
{
    ct_verdicts *scratch = ct_verdicts_new(s->p);
    for (uint32_t i = 0; i < s->m->condition_count; i++) {
        ct_fault fault = {0};
        bool holds;
        if (ct_holds(snapshot, i, scratch, &holds, &s->a, NULL, &fault) != MT_OK) {
            typed(s, "condition", &fault);
        }
    }
    ct_verdicts_free(scratch);
}

static void evaluate(subject *s, mt_str facts, bool legal)
{
    ct_facts *f = ct_facts_new(s->m);
    ct_verdicts *v = ct_verdicts_new(s->p);
    ct_fault fault = {0};
    if (ct_facts_read(f, facts, NULL, true, &fault) != MT_OK) {
        typed(s, "facts", &fault);
        seen.refused_facts++;
        if (legal) {
            exception(s, "facts", ct_fault_name(fault.kind), facts);
        }
    } else if (ct_evaluate(s->p, f, v, &s->a, &fault) != MT_OK) {
        typed(s, "evaluate", &fault);
        seen.evaluated++;
    } else {
        ct_snapshot snapshot = {s->p, f, v};
        mt_buf out = {0};
        ct_verdicts_json(&out, v);
        mt_buf_free(&out);
        hold_conditions(s, &snapshot);
        run_flows(s, &snapshot);
        seen.evaluated++;
    }
    ct_verdicts_free(v);
    ct_facts_free(f);
}

static void check(uint64_t seed)
{
    subject s = {.seed = seed};
    s.source = random_source(&s.a, seed, seed % 4 ? RANDOM_EDGY : RANDOM_PLAIN);
    if (elaborates(&s)) {
        seen.elaborated++;
        for (int i = 0; i < FACT_SETS && (i || is_admitted(&s)) && s.p; i++) {
            evaluate(&s, random_facts(&s.a, s.m, seed + (uint64_t)i, i < 2), i < 2);
        }
    }
    mt_arena_free(&s.a);
}

static void FL3_what_elaborates_runs(void **state)
{
    (void)state;
    uint64_t seed = many_from(20260401);
    uint64_t contracts = many_of(100000);
    for (uint64_t i = 0; seen.elaborated < contracts && i < contracts * 10; i++) {
        check(seed + i);
    }
    print_message(
        "seed %llu: %llu contracts elaborate, %llu exceptions; %llu fact sets "
        "evaluated, %llu refused, %llu typed faults, %llu flows\n",
        (unsigned long long)seed, (unsigned long long)seen.elaborated,
        (unsigned long long)seen.exceptions, (unsigned long long)seen.evaluated,
        (unsigned long long)seen.refused_facts, (unsigned long long)seen.faults,
        (unsigned long long)seen.flows);
    assert_int_equal(seen.exceptions, 0);
    assert_int_equal(seen.elaborated, contracts);
    /* The cases must be worth something. */
    assert_true(seen.evaluated > contracts);
    assert_true(seen.refused_facts * 20 > contracts);
    assert_true(seen.faults * 5 > contracts);
    assert_true(seen.flows * 10 > contracts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(FL3_what_elaborates_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
