/* cli/suite_scenario.c - authors' scenarios as test cases, coverage, recording.
 *
 * A case is one scenario of one file. Files and their contracts are opened once and
 * kept until cli_scenarios_free(), because coverage adds up over the cases; `kept` is
 * the one global of this file. Files of one contract share its coverage.
 *
 * A file that cannot be read, or names a contract that does not hold, is one failing
 * case that says so. Recording turns a failing case into a scenario of what really
 * happened. */
#include "cli/suite_run.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include "answer/scenarios.h"
#include "cli/invariants.h"
#include "cli/topic.h"
#include "contract/wire/validate.h"
#include "os/file.h"

/* ---- a contract ready to run ---- */

/* `out` keeps pointing into `a`, which has to live as long as it. */
static bool take_bundle(mt_arena *a, mt_str bundle, mt_str path,
                        const mt_limits *limits, cli_ready *out, mt_buf *why)
{
    mt_diags ds = {.arena = a};
    const ct_model *model = NULL;
    out->bundle = bundle;
    mt_err err = ct_load(a, bundle, path, limits, &ds, &model);
    if (!err) {
        err = ct_plan_build(a, ct_compile(a, model), &ds, &out->plan);
    }
    for (size_t i = 0; err && i < ds.len; i++) {
        mt_buf_addf(why, "%.*s: %.*s\n", MT_ARG(path), MT_ARG(ds.items[i].message));
    }
    if (!err) {
        out->bench = ct_bench_new(out->plan, limits);
    }
    return !err;
}

/* A bundle is validated though it was made by us: files can be edited. */
static bool read_bundle(mt_arena *a, mt_str path, const mt_limits *limits,
                        mt_str *bundle, mt_buf *why)
{
    mt_str text;
    ct_document document;
    mt_diags ds = {.arena = a};
    if (os_read_file(a, path.ptr, limits->json_bytes, &text)) {
        mt_buf_addf(why, "%.*s: %s\n", MT_ARG(path), strerror(errno));
        return false;
    }
    if (ct_validate(a, path, text, limits, &ds, &document)) {
        mt_buf_addf(why, "%.*s is not a bundle\n", MT_ARG(path));
        return false;
    }
    *bundle = document.bundle;
    return true;
}

/* `out` has to be closed even when it fails: the bench may be there. */
bool cli_ready_open(mt_arena *a, mt_str path, const mt_limits *limits, cli_ready *out,
                    mt_buf *why)
{
    mt_str bundle;
    *out = (cli_ready){.limits = limits};
    bool got = mt_str_ends(path, MT_STR(".json"))
                   ? read_bundle(a, path, limits, &bundle, why)
                   : cli_must_elaborate(path, a, limits, &bundle, why);
    return got && take_bundle(a, bundle, path, limits, out, why);
}

/* Idempotent, since sessions are closed at the end and cases on their way. */
void cli_ready_close(cli_ready *r)
{
    if (r->bench.plan) {
        ct_bench_free(&r->bench);
    }
    *r = (cli_ready){0};
}

/* ---- open files ---- */

typedef struct session {
    struct session *next;
    mt_str path;
    mt_str fault; /* why nothing of it can run */
    ct_scenarios scenarios;
    cli_ready ready;           /* not open when there is a fault */
    aw_conditions *conditions; /* NULL: none is asserted */
    ct_coverage *coverage;     /* may be shared with earlier sessions; NULL: not open */
    mt_str contract;           /* its path: by it coverage is shared */
    cli_topic subject;         /* with an asker: what its invariants are about */
    an_asker *asker;           /* NULL: none was asked yet */
} session;

static struct {
    mt_arena arena;
    const cli_args *args;
    /* In the order of opening; last: where the next is linked. */
    session *first, **last;
    ct_property_options properties;
    bool recording;          /* --record was given */
    mt_str recorded;         /* the last case, as a scenario */
    MT_VEC(mt_str) failures; /* JSON of each failed case, for the file */
} kept;

/* A session's texts live in kept.arena until the end of the run, since cases of one
 * file share them. */
static bool read_file(session *s, const mt_limits *limits, mt_buf *why)
{
    mt_str text;
    return cli_scenarios_load(&kept.arena, s->path, limits, &s->scenarios, &text, why);
}

/* `contract` of the file, else NAME.tenor beside NAME.scenarios.*. */
static mt_str contract_of(const session *s)
{
    mt_str dir = mt_path_dir(s->path), name = mt_str_basename(s->path);
    if (s->scenarios.contract.len) {
        return mt_path_join(&kept.arena, dir, s->scenarios.contract);
    }
    const char *end = memmem(name.ptr, name.len, ".scenarios.", strlen(".scenarios."));
    name.len = (size_t)(end - name.ptr);
    return mt_path_join(&kept.arena, dir,
                        mt_strf(&kept.arena, "%.*s.tenor", MT_ARG(name)));
}

/* The path is compared as text, after it was joined with its directory; two spellings
 * of one file would have two coverages. */
static bool open_contract(session *s, const mt_limits *limits, mt_buf *why)
{
    s->contract = mt_str_dup(&kept.arena, contract_of(s));
    if (!cli_ready_open(&kept.arena, s->contract, limits, &s->ready, why)) {
        return false;
    }
    /* Several files may test one contract: they share its coverage. */
    for (session *other = kept.first; other != s; other = other->next) {
        if (other->coverage && mt_str_eq(other->contract, s->contract)) {
            s->coverage = other->coverage;
            return true;
        }
    }
    s->coverage = ct_coverage_new(&kept.arena, s->ready.plan);
    return true;
}

/* One session per file. One that cannot be opened keeps its fault, and each of its
 * cases shows it. Linear: files of scenarios are few. */
static session *session_for(mt_str path, const mt_limits *limits)
{
    for (session *s = kept.first; s; s = s->next) {
        if (mt_str_eq(s->path, path)) {
            return s;
        }
    }
    session *s = mt_new(&kept.arena, session);
    s->path = mt_str_dup(&kept.arena, path);
    kept.last = kept.last ? kept.last : &kept.first;
    *kept.last = s;
    kept.last = &s->next;
    mt_buf why = {0};
    if (!read_file(s, limits, &why) || !open_contract(s, limits, &why) ||
        !aw_scenarios_check(&kept.arena, s->ready.plan, s->ready.bundle, limits,
                            &s->scenarios, &s->conditions, &why)) {
        s->fault = mt_str_dup(&kept.arena, mt_buf_str(&why));
    }
    mt_buf_free(&why);
    return s;
}

/* ---- cases ---- */

/* A file without scenarios, or one that cannot be read, is one case that fails; it must
 * not vanish. */
static void add_file(const cli_suite *suite, mt_str path, cli_cases *out)
{
    session *s = session_for(path, &MT_LIMITS_DEFAULT);
    size_t all = aw_scenarios_count(&s->scenarios);
    s->scenarios.path = s->path; /* of a file that could not be read, too */
    for (size_t i = 0; i < (all ? all : 1); i++) {
        cli_case c = {.name = aw_scenarios_name(out->arena, &s->scenarios, i),
                      .path = s->path,
                      .suite = suite,
                      .index = i};
        aw_scenarios_place(&s->scenarios, i, &c.line, &c.column);
        mt_vec_push(out->arena, &out->list, c);
    }
}

enum { MAX_DEPTH = 16 };

/* Links to directories are not followed (lstat), so a circle of links ends; depth is
 * bounded besides. */
static void find_below(const cli_suite *suite, mt_str dir, int depth, cli_cases *out)
{
    cli_names names = cli_list_dir(out->arena, dir, "");
    for (size_t i = 0; i < names.len; i++) {
        mt_str name = names.items[i];
        mt_str path = mt_strf(out->arena, "%.*s/%.*s", MT_ARG(dir), MT_ARG(name));
        struct stat st;
        if (name.ptr[0] == '.' || lstat(path.ptr, &st)) {
            continue;
        }
        if (S_ISDIR(st.st_mode) && depth < MAX_DEPTH) {
            find_below(suite, path, depth + 1, out);
        } else if (S_ISREG(st.st_mode) && cli_is_scenario_file(name)) {
            add_file(suite, path, out);
        }
    }
}

void cli_find_scenarios(const cli_suite *suite, mt_str dir, cli_cases *out)
{
    if (cli_is_scenario_file(dir)) {
        add_file(suite, dir, out);
    } else {
        find_below(suite, dir, 0, out);
    }
}

/* What happens instead, as a scenario; `more` and `states` are facts and states that
 * were made up. */
static void note_failure(mt_arena *a, session *s, const ct_scenario *scenario,
                         mt_str more, const mt_json *states)
{
    if (kept.recording) {
        mt_buf out = {0};
        mt_jw w = mt_jw_start(&out, false);
        ct_scenario_record(&w, a, &s->ready.bench, &s->scenarios, scenario, more,
                           states);
        kept.recorded = mt_str_dup(&kept.arena, mt_buf_str(&out));
        mt_buf_free(&out);
    }
}

void cli_properties_set(ct_property_options options)
{
    kept.properties = options;
}

/* The asker is kept for the other invariants of the file: what it found out about
 * operations and joint states serves them too. */
static bool run_invariant(session *s, mt_str question, mt_arena *a, mt_buf *why)
{
    if (!s->asker) {
        if (cli_topic_open(kept.args, s->contract.ptr, &s->subject)) {
            mt_buf_addf(why, "%.*s cannot be asked about\n", MT_ARG(s->contract));
            cli_topic_free(&s->subject);
            return false;
        }
        s->asker = an_asker_new(&s->subject.all, &s->subject.contract.limits);
    }
    return aw_invariant_run(a, s->asker, question, why);
}

/* What fails can be recorded, unless it could not run at all. */
static bool run_trial(session *s, size_t index, mt_arena *a, mt_buf *why)
{
    const ct_scenario *scenario = &s->scenarios.items[index];
    ct_property p = {0};
    aw_trial t = {.bench = &s->ready.bench,
                  .file = &s->scenarios,
                  .index = index,
                  .conditions = aw_conditions_of(s->conditions, index),
                  .properties = kept.properties,
                  .coverage = s->coverage};
    bool ok = aw_trial_run(a, &t, why, &p);
    if (!ok && !scenario->fault.len && (p.failed || !scenario->for_all.asked)) {
        note_failure(a, s, scenario, p.failed ? p.facts : MT_STR(""), p.states);
    }
    return ok;
}

/* The limits of the first opening hold for a file's contract; later cases find it
 * open. */
bool cli_run_scenario(const cli_case *c, mt_arena *a, const mt_limits *limits,
                      mt_buf *why)
{
    session *s = session_for(c->path, limits);
    kept.recorded = (mt_str){0};
    if (s->fault.ptr) {
        mt_buf_adds(why, s->fault);
        return false;
    }
    if (!aw_scenarios_count(&s->scenarios)) {
        mt_buf_addz(why, "the file has no scenarios\n");
        return false;
    }
    mt_str question = aw_scenarios_invariant(&s->scenarios, c->index);
    return question.ptr ? run_invariant(s, question, a, why)
                        : run_trial(s, c->index, a, why);
}

/* ---- coverage ---- */

/* Coverage is shared by the files of one contract: each is told once. */
static bool told_before(const session *s)
{
    for (const session *other = kept.first; other != s; other = other->next) {
        if (other->coverage == s->coverage) {
            return true;
        }
    }
    return !s->coverage;
}

void cli_coverage_each(cli_coverage_visit *visit, void *state)
{
    for (session *s = kept.first; s; s = s->next) {
        if (!told_before(s)) {
            visit(state, s->contract, s->coverage);
        }
    }
}

static void add_text(void *out, mt_str contract, const ct_coverage *c)
{
    mt_buf_addf(out, "coverage of %.*s\n", MT_ARG(contract));
    ct_coverage_text(out, c);
}

void cli_coverage_text(mt_buf *out)
{
    cli_coverage_each(add_text, out);
}

static void add_object(void *writer, mt_str contract, const ct_coverage *c)
{
    mt_jw *w = writer;
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "contract", contract);
    mt_jw_keyz(w, "coverage");
    ct_coverage_json(w, c);
    mt_jw_end_object(w);
}

void cli_coverage_json(mt_jw *w)
{
    mt_jw_begin_array(w);
    cli_coverage_each(add_object, w);
    mt_jw_end_array(w);
}

/* The worst contract counts, not the mean: one without tests must not hide behind
 * others. One that could not be opened counts as 0. */
unsigned cli_coverage_permille(void)
{
    unsigned least = 1000;
    for (session *s = kept.first; s; s = s->next) {
        unsigned now = s->coverage ? ct_coverage_permille(s->coverage) : 0;
        least = now < least ? now : least;
    }
    return least;
}

void cli_scenarios_start(const cli_args *args)
{
    kept.args = args;
}

/* ---- recording ---- */

void cli_record_start(void)
{
    kept.recording = true;
}

static void given_json(mt_jw *w, const ct_trial *t)
{
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "facts");
    mt_jw_raw(w, t->facts);
    mt_jw_end_object(w);
}

/* What was given and what came out, in the form of a scenario: a failed case can be
 * recorded as the new expectation after somebody has read it. */
void cli_record_result(const cli_case *c, const ct_bench *b, const ct_trial *t,
                       const ct_result *r)
{
    if (!kept.recording) {
        return;
    }
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "given");
    given_json(&w, t);
    mt_jw_key_str(&w, "name", c->name);
    mt_jw_keyz(&w, "then");
    ct_result_json(&w, b, r);
    if (t->flow.len) {
        mt_jw_keyz(&w, "when");
        mt_jw_begin_object(&w);
        mt_jw_key_str(&w, "flow", t->flow);
        mt_jw_key_str(&w, "persona", t->persona);
        mt_jw_end_object(&w);
    }
    mt_jw_end_object(&w);
    kept.recorded = mt_str_dup(&kept.arena, mt_buf_str(&out));
    mt_buf_free(&out);
}

/* Called only for a case that failed; what a passed case recorded is dropped by the
 * next. */
void cli_record_failure(void)
{
    if (kept.recorded.ptr) {
        mt_vec_push(&kept.arena, &kept.failures, kept.recorded);
        kept.recorded = (mt_str){0};
    }
}

size_t cli_record_json(mt_buf *out)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "scenarios");
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < kept.failures.len; i++) {
        mt_jw_raw(&w, kept.failures.items[i]);
    }
    mt_jw_end_array(&w);
    mt_jw_end_object(&w);
    return kept.failures.len;
}

/* All that cases share; nothing of `kept` may be used afterwards. */
void cli_scenarios_free(void)
{
    for (session *s = kept.first; s; s = s->next) {
        aw_conditions_close(s->conditions);
        cli_ready_close(&s->ready);
        if (s->asker) {
            an_asker_free(s->asker);
            cli_topic_free(&s->subject);
        }
    }
    mt_arena_free(&kept.arena);
    memset(&kept, 0, sizeof kept);
}
