/* answer/scenarios.c - see scenarios.h.
 *
 * A file is parsed, checked against the contract, and then run case by case: scenarios
 * first, invariants after them. What is wrong with the whole file is told as one case
 * that fails, so that it cannot vanish.
 *
 * aw_test_json() is the whole of it for one text: it needs no disk, so the library and
 * pages have it. Its bytes are those of `motet test --json --coverage`. */
#include "answer/scenarios.h"

#include "answer/topic.h"
#include "base/yaml_read.h"

bool aw_scenarios_parse(mt_arena *a, mt_str path, mt_str text, ct_scenarios *out,
                        mt_buf *why)
{
    mt_json *tree = mt_new(a, mt_json);
    mt_json_error error = {0};
    mt_str fault;
    mt_err err = mt_str_ends(path, MT_STR(".json"))
                     ? mt_json_read(a, text, NULL, tree, &error)
                     : mt_yaml_read(a, text, NULL, tree, &error);
    if (err) {
        uint32_t line, column;
        mt_json_place(text, error.offset, &line, &column);
        mt_buf_addf(why, "%.*s:%u:%u: %s%s%.*s\n", MT_ARG(path), line, column,
                    error.message, error.detail.len ? " " : "", MT_ARG(error.detail));
        return false;
    }
    if (ct_scenarios_read(a, path, text, tree, out, &fault)) {
        mt_buf_adds(why, fault);
        return false;
    }
    return true;
}

bool aw_scenarios_check(mt_arena *a, const ct_plan *p, mt_str bundle,
                        const mt_limits *limits, ct_scenarios *file,
                        aw_conditions **out, mt_buf *why)
{
    mt_str fault;
    *out = NULL;
    if (ct_scenarios_check(a, p, file, &fault)) {
        mt_buf_adds(why, fault);
        return false;
    }
    size_t before = why->len;
    *out = aw_conditions_open(a, p->model, bundle, file, limits, why);
    return why->len == before;
}

/* ---- one case ---- */

/* What was tried is told in any case: who reads "ok" must know for what. */
static bool run_property(mt_arena *a, const aw_trial *t, const ct_scenario *s,
                         mt_buf *why, ct_property *p)
{
    bool ok = ct_property_run(a, t->bench, t->file, s, t->conditions, t->properties,
                              t->coverage, why, p);
    if (ok) {
        mt_buf_addf(why, "%lld cases, seed %lld\n", (long long)p->cases,
                    (long long)p->seed);
    }
    return ok;
}

bool aw_trial_run(mt_arena *a, const aw_trial *t, mt_buf *why, ct_property *p)
{
    const ct_scenario *s = &t->file->items[t->index];
    if (s->fault.len) { /* it fails alone; the others of its file run */
        mt_buf_adds(why, s->fault);
        return false;
    }
    return s->for_all.asked ? run_property(a, t, s, why, p)
                            : ct_scenario_run(a, t->bench, t->file, s, t->conditions,
                                              t->coverage, why);
}

bool aw_invariant_run(mt_arena *a, an_asker *asker, mt_str question, mt_buf *why)
{
    an_invariant i = {.question = question};
    bool holds = !an_invariants_ask(asker, a, &i, 1);
    if (!holds) {
        an_invariant_text(why, &i);
    }
    return holds;
}

/* ---- the cases of a file ---- */

size_t aw_scenarios_count(const ct_scenarios *file)
{
    return file->len + (file->invariants ? file->invariants->count : 0);
}

static const mt_json *node_of(const ct_scenarios *file, size_t index)
{
    return index < file->len ? file->items[index].node
                             : &file->invariants->as.items[index - file->len];
}

mt_str aw_scenarios_invariant(const ct_scenarios *file, size_t index)
{
    return index < file->len ? (mt_str){0} : mt_json_text(node_of(file, index));
}

mt_str aw_scenarios_name(mt_arena *a, const ct_scenarios *file, size_t index)
{
    mt_str base = mt_str_basename(file->path);
    if (index >= aw_scenarios_count(file)) {
        return mt_strf(a, "%.*s: the file", MT_ARG(base));
    }
    bool is_scenario = index < file->len;
    mt_str name =
        is_scenario ? file->items[index].name : aw_scenarios_invariant(file, index);
    return mt_strf(a, "%.*s: %s%.*s", MT_ARG(base), is_scenario ? "" : "invariant ",
                   MT_ARG(name));
}

void aw_scenarios_place(const ct_scenarios *file, size_t index, uint32_t *line,
                        uint32_t *column)
{
    *line = *column = 0;
    if (index < aw_scenarios_count(file)) {
        mt_json_place(file->text, node_of(file, index)->offset, line, column);
    }
}

/* The reason only where there is one to give; beside a pass it is a note. */
void aw_told_json(mt_jw *w, const aw_told *t)
{
    mt_jw_begin_object(w);
    if (t->line) {
        mt_jw_key_i64(w, "column", t->column);
        mt_jw_key_i64(w, "line", t->line);
    }
    mt_jw_key_str(w, "name", t->name);
    if (t->ok && t->why.len) {
        mt_jw_key_str(w, "note", mt_str_trim(t->why, MT_STR("\n")));
    }
    mt_jw_key_bool(w, "ok", t->ok);
    if (!t->ok) {
        mt_jw_key_str(w, "why", t->why);
    }
    mt_jw_end_object(w);
}

/* ---- a whole file ---- */

typedef struct testing {
    aw_contract *c;
    const aw_test *t;
    aw_reply *r;
    const ct_plan *plan;
    ct_bench bench;
    ct_scenarios file;
    aw_conditions *conditions;
    ct_coverage *coverage;
    an_union all; /* with an asker */
    an_asker *asker;
    mt_jw *w;
    int64_t run, passed;
} testing;

static bool ask_invariant(testing *x, mt_arena *a, mt_str question, mt_buf *why)
{
    if (!x->asker) {
        aw_reply said = {0};
        bool is_there = !aw_union_of(x->c, &said, &x->all);
        aw_reply_free(&said);
        if (!is_there) {
            mt_buf_addf(why, "%.*s cannot be asked about\n", MT_ARG(x->c->path));
            return false;
        }
        x->asker = an_asker_new(&x->all, &x->c->limits);
    }
    return aw_invariant_run(a, x->asker, question, why);
}

static bool run_case(testing *x, mt_arena *a, size_t index, mt_buf *why)
{
    mt_str question = aw_scenarios_invariant(&x->file, index);
    if (question.ptr) {
        return ask_invariant(x, a, question, why);
    }
    ct_property p;
    aw_trial t = {.bench = &x->bench,
                  .file = &x->file,
                  .index = index,
                  .conditions = aw_conditions_of(x->conditions, index),
                  .properties = x->t->properties,
                  .coverage = x->coverage};
    return aw_trial_run(a, &t, why, &p);
}

static void tell(testing *x, size_t index, bool ok, const mt_buf *why)
{
    aw_told told = {.name = aw_scenarios_name(&x->r->arena, &x->file, index),
                    .why = mt_buf_str(why),
                    .ok = ok};
    aw_scenarios_place(&x->file, index, &told.line, &told.column);
    aw_told_json(x->w, &told);
    x->run++;
    x->passed += ok;
}

static void run_cases(testing *x)
{
    mt_arena arena = {0};
    size_t count = aw_scenarios_count(&x->file), only = x->t->number;
    for (size_t i = only ? only - 1 : 0; i < (only && only < count ? only : count);
         i++) {
        mt_buf why = {0};
        bool ok = run_case(x, &arena, i, &why);
        tell(x, i, ok, &why);
        mt_buf_free(&why);
        mt_arena_reset(&arena);
    }
    mt_arena_free(&arena);
}

/* What keeps the whole file from running is what its every case says. */
static void run_file(testing *x)
{
    mt_buf why = {0};
    mt_str text = mt_str_dup(&x->r->arena, x->t->text);
    bool runs = aw_scenarios_parse(&x->r->arena, x->t->name, text, &x->file, &why) &&
                aw_scenarios_check(&x->r->arena, x->plan, x->c->bundle, &x->c->limits,
                                   &x->file, &x->conditions, &why);
    x->file.path = x->t->name; /* of a file that could not be read, too */
    x->file.text = text;
    size_t count = aw_scenarios_count(&x->file);
    if (runs && !count) {
        mt_buf_addz(&why, "the file has no scenarios\n");
    }
    for (size_t i = 0; why.len && i < (count ? count : 1); i++) {
        tell(x, i, false, &why);
    }
    if (!why.len) {
        run_cases(x);
    }
    mt_buf_free(&why);
}

static void write_all(testing *x)
{
    mt_jw w = mt_jw_start(&x->r->text, true);
    x->w = &w;
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "cases");
    mt_jw_begin_array(&w);
    run_file(x);
    mt_jw_end_array(&w);
    mt_jw_keyz(&w, "coverage");
    mt_jw_begin_array(&w);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "contract", x->c->path);
    mt_jw_keyz(&w, "coverage");
    ct_coverage_json(&w, x->coverage);
    mt_jw_end_object(&w);
    mt_jw_end_array(&w);
    mt_jw_key_i64(&w, "fail", x->run - x->passed);
    mt_jw_key_i64(&w, "pass", x->passed);
    mt_jw_key_i64(&w, "tests", x->run);
    mt_jw_end_object(&w);
    mt_buf_addc(&x->r->text, '\n');
}

int aw_test_json(aw_contract *c, const aw_test *t, aw_reply *r)
{
    testing x = {.c = c, .t = t, .r = r};
    if (t->text.len > c->limits.json_bytes) {
        return aw_fail(r, AW_USAGE, "more than %zu bytes (limit json_bytes)",
                       c->limits.json_bytes);
    }
    if (ct_plan_build(&c->arena, ct_compile(&c->arena, c->admitted.model), &c->ds,
                      &x.plan)) {
        return aw_refused(r);
    }
    x.bench = ct_bench_new(x.plan, &c->limits);
    x.coverage = ct_coverage_new(&r->arena, x.plan);
    write_all(&x);
    aw_conditions_close(x.conditions);
    if (x.asker) {
        an_asker_free(x.asker);
    }
    ct_bench_free(&x.bench);
    return x.run && x.passed == x.run ? AW_HOLDS : AW_FAILS;
}
