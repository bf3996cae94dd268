/* lsp/trials.c - see trials.h.
 *
 * A contract is checked as for its diagnostics and made ready to run; then each file is
 * read, its names and conditions are looked at, and its scenarios run one after the
 * other into one coverage. What a file has wrong is told in its own document; here it
 * is a scenario that fails. Invariants are questions: whoever wants them answered asks.
 *
 * INVARIANT: no more is run for one answer than its caller allows. */
#include "lsp/trials.h"

#include "answer/scenarios.h"
#include "lsp/data.h"
#include "lsp/spot.h"

bool ls_trials_open(ls_server *s, mt_str contract, ls_trials *out)
{
    ls_document *d = ls_document_at(s, contract);
    *out = (ls_trials){.is_own = !d};
    ls_view *v = out->view = d ? ls_view_checked(s, d) : ls_view_new(s, contract, true);
    mt_arena *a = &v->contract.arena;
    mt_diags ds = {.arena = a, .limit = 1};
    const ct_model *model = v->contract.admitted.model;
    bool is_good = !v->contract.ds.errors && model && !v->e->is_system &&
                   !ct_plan_build(a, ct_compile(a, model), &ds, &out->plan);
    if (is_good) {
        out->bench = ct_bench_new(out->plan, s->limits);
    } else if (out->is_own) {
        ls_view_free(v);
    }
    return is_good;
}

void ls_trials_close(ls_trials *t)
{
    ct_bench_free(&t->bench);
    if (t->is_own) {
        ls_view_free(t->view);
    }
}

/* ---- one file ---- */

typedef struct running {
    ls_call *c;
    ls_trials *t;
    int64_t most;
    ls_tested *out;
} running;

static ls_trial *add(running *r, mt_str file, mt_str name)
{
    ls_trial *one = mt_vec_add(r->c->a, &r->out->list);
    *one = (ls_trial){.file = file, .name = name};
    return one;
}

static void refuse(running *r, mt_str file, mt_str why)
{
    add(r, file, MT_STR("the file"))->why = why;
}

static int64_t runs_of(const ct_scenario *s)
{
    return !s->for_all.asked ? 1 : s->for_all.cases ? s->for_all.cases : CT_CASES_USUAL;
}

static void run_all(running *r, const ct_scenarios *file, const aw_conditions *all)
{
    for (size_t i = 0; i < file->len; i++) {
        const ct_scenario *s = &file->items[i];
        mt_buf why = {0};
        r->out->runs += runs_of(s);
        if (r->out->runs > r->most) {
            r->out->is_cut = true;
            return;
        }
        ct_property p;
        aw_trial t = {.bench = &r->t->bench,
                      .file = file,
                      .index = i,
                      .conditions = aw_conditions_of(all, i),
                      .properties = {.seed = -1},
                      .coverage = r->out->coverage};
        bool passes = aw_trial_run(r->c->a, &t, &why, &p);
        ls_trial *one = add(r, file->path, s->name);
        one->passes = passes;
        one->why = mt_str_dup(r->c->a, mt_buf_str(&why));
        one->flow = s->when.flow;
        one->operation = s->when.operation;
        one->offset = s->node->offset;
        mt_buf_free(&why);
    }
}

static void run_text(running *r, mt_str path, mt_str text)
{
    mt_arena *a = r->c->a;
    ct_scenarios *file = mt_new(a, ct_scenarios);
    aw_conditions *conditions = NULL;
    mt_buf why = {0};
    r->out->files++;
    if (aw_scenarios_parse(a, path, text, file, &why) &&
        aw_scenarios_check(a, r->t->plan, r->t->view->contract.bundle, r->c->s->limits,
                           file, &conditions, &why)) {
        run_all(r, file, conditions);
    } else {
        refuse(r, path, mt_str_dup(a, mt_buf_str(&why)));
    }
    aw_conditions_close(conditions);
    mt_buf_free(&why);
}

/* ---- which files ---- */

static mt_str stem_of(mt_str path)
{
    return mt_str_ends(path, MT_STR(".tenor"))
               ? mt_str_from(path.ptr, path.len - strlen(".tenor"))
               : path;
}

typedef struct named {
    mt_str contract;
} named;

static bool take_contract(void *context, const ls_spot *s)
{
    named *n = context;
    if (!s->is_key && ls_spot_is(s, "/contract")) {
        n->contract = s->text;
    }
    return true;
}

static bool is_about(ls_call *c, const ls_document *d, mt_str contract)
{
    named n = {0};
    mt_str text = mt_buf_str(&d->text);
    if (d->language != LS_DATA || ls_data_kind_of(d->path, text) != LS_DATA_SCENARIOS) {
        return false;
    }
    ls_spots(text, take_contract, &n);
    return mt_str_eq(ls_contract_of(c->a, d->path, n.contract), contract);
}

/* Each file of the contract: those beside it, then those that are open and name it. */
typedef bool each_file(void *context, mt_str path, mt_str text);

static void find_files(ls_call *c, mt_str contract, each_file *each, void *context)
{
    static const char *const ENDINGS[] = {".yaml", ".yml", ".json"};
    mt_str text, beside = mt_strf(c->a, "%.*s.scenarios", MT_ARG(stem_of(contract)));
    for (size_t i = 0; i < sizeof ENDINGS / sizeof *ENDINGS; i++) {
        mt_str path = mt_strf(c->a, "%.*s%s", MT_ARG(beside), ENDINGS[i]);
        const ls_document *d = ls_document_at(c->s, path);
        if ((!d || is_about(c, d, contract)) &&
            ls_read_beside(c->s, c->a, path, mt_str_basename(path), &text) &&
            !each(context, path, text)) {
            return;
        }
    }
    for (size_t i = 0; i < c->s->documents.len; i++) {
        const ls_document *d = c->s->documents.items[i];
        if (!mt_str_starts(d->path, beside) && is_about(c, d, contract) &&
            !each(context, d->path, mt_str_dup(c->a, mt_buf_str(&d->text)))) {
            return;
        }
    }
}

static bool run_file(void *context, mt_str path, mt_str text)
{
    run_text(context, path, text);
    return true;
}

void ls_trials_run(ls_call *c, ls_trials *t, int64_t most, ls_tested *out)
{
    running r = {c, t, most, out};
    *out = (ls_tested){.coverage = ct_coverage_new(c->a, t->plan)};
    find_files(c, t->view->contract.path, run_file, &r);
}

static bool note_file(void *context, mt_str path, mt_str text)
{
    (void)path, (void)text;
    *(bool *)context = true;
    return false;
}

bool ls_has_trials(ls_call *c, mt_str contract)
{
    bool is_there = false;
    find_files(c, contract, note_file, &is_there);
    return is_there;
}

/* ---- as a command ---- */

static bool is_wanted(const ls_trial *t, mt_str file, mt_str name)
{
    return (!file.len || mt_str_eq(t->file, file)) &&
           (!name.len || mt_str_eq(t->name, name) || mt_str_eq(t->flow, name) ||
            mt_str_eq(t->operation, name));
}

static void write_trial(ls_call *c, const ls_trial *t)
{
    mt_str text = {0};
    uint32_t line = 1, column;
    if (ls_read_beside(c->s, c->a, t->file, mt_str_basename(t->file), &text)) {
        mt_json_place(text, t->offset, &line, &column);
    }
    mt_jw_begin_object(c->w);
    mt_jw_key_i64(c->w, "line", line);
    mt_jw_key_str(c->w, "name", t->name);
    mt_jw_key_bool(c->w, "passes", t->passes);
    mt_jw_key_str(c->w, "text", t->why);
    mt_jw_key_str(c->w, "uri", ls_uri_of(c->s, c->a, t->file));
    mt_jw_end_object(c->w);
}

static void write_tested(ls_call *c, const ls_tested *all, mt_str file, mt_str name)
{
    int64_t passed = 0, failed = 0;
    mt_jw_begin_object(c->w);
    mt_jw_keyz(c->w, "coverage");
    ct_coverage_json(c->w, all->coverage);
    mt_jw_keyz(c->w, "results");
    mt_jw_begin_array(c->w);
    for (size_t i = 0; i < all->list.len; i++) {
        const ls_trial *t = &all->list.items[i];
        if (is_wanted(t, file, name)) {
            write_trial(c, t);
            passed += t->passes;
            failed += !t->passes;
        }
    }
    mt_jw_end_array(c->w);
    mt_jw_key_str(c->w, "text",
                  mt_strf(c->a, "%lld passed, %lld failed%s", (long long)passed,
                          (long long)failed,
                          all->is_cut ? "; there are more, see motet test" : ""));
    mt_jw_end_object(c->w);
}

void ls_test_command(ls_call *c, const mt_json *args)
{
    mt_str uri = mt_json_text(&args->as.items[0]);
    mt_str name = args->count > 1 ? mt_json_text(&args->as.items[1]) : (mt_str){0};
    const ls_document *d = ls_document_find(c->s, uri);
    mt_str path = d ? d->path : (mt_str){0}, file = {0};
    ls_trials t;
    ls_tested all;
    if (d && d->language == LS_DATA) {
        named n = {0};
        ls_spots(mt_buf_str(&d->text), take_contract, &n);
        file = path;
        path = ls_contract_of(c->a, file, n.contract);
    }
    if (!d || !ls_trials_open(c->s, path, &t)) {
        ls_refuse(c, LS_REQUEST_FAILED,
                  MT_STR("scenarios are of a contract without errors"));
        return;
    }
    ls_trials_run(c, &t, LS_RUNS_ASKED, &all);
    write_tested(c, &all, file, name);
    ls_trials_close(&t);
}
