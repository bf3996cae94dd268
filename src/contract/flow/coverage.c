/* contract/flow/coverage.c - counting what scenarios reached.
 *
 * The lists (rules, operations, outcomes, paths through flows, and what follows from
 * them) are made from the plan before anything runs, so what was never reached has a
 * name and can be printed. Steps and edges are the words of the paths.
 * A scenario marks what it saw: verdicts that held, outcomes of records without an
 * error, the paths of a run.
 *
 * Paths are compared by their text; a flow with more than CT_MAX_PATHS of them is cut
 * off, which the report says, and paths beyond are not counted on either side.
 *
 * The total is the share of all things seen, in thousandths and rounded down: 100 %
 * means everything. Nothing can fail. Everything lives in the arena given at the
 * beginning. */
#include "contract/flow/coverage.h"

#include "base/map.h"

typedef struct items {
    ct_cover_item *list;
    size_t len;
} items;

struct ct_coverage {
    mt_arena *a;
    const ct_plan *p;
    items of[CT_COVER_COUNT];
    mt_map names[CT_COVER_COUNT]; /* of paths, steps and edges: name -> index */
    bool truncated;
};

static void make(ct_coverage *c, ct_cover_kind kind, size_t count)
{
    c->of[kind] = (items){mt_new_array(c->a, ct_cover_item, count), count};
}

static mt_str path_name(mt_arena *a, const ct_coverage *c, const ct_path *path)
{
    mt_str graph = ct_graph_name(a, c->p, path->graph);
    return mt_strf(a, "%.*s: %.*s", MT_ARG(graph), MT_ARG(path->text));
}

/* Notes the name once. */
static void note(ct_coverage *c, ct_cover_kind kind, mt_str name)
{
    if (!mt_map_find(&c->names[kind], name)) {
        mt_map_put(c->a, &c->names[kind], mt_str_dup(c->a, name), c->names[kind].len);
    }
}

/* What a path says of steps: "flow: step" and "flow: step=result" of each word but the
 * last, which is the end. */
typedef void word_visit(ct_coverage *c, ct_cover_kind kind, mt_str name);

static void visit_words(ct_coverage *c, mt_arena *a, const ct_path *path,
                        word_visit *visit)
{
    mt_str graph = ct_graph_name(a, c->p, path->graph), rest = path->text;
    const char *end;
    while ((end = memmem(rest.ptr, rest.len, " > ", 3))) {
        mt_str word = {rest.ptr, (size_t)(end - rest.ptr)};
        mt_str step = {word.ptr, mt_str_find(word, '=')};
        bool undo = mt_str_find(step, ':') < step.len;
        visit(c, CT_COVER_EDGES, mt_strf(a, "%.*s: %.*s", MT_ARG(graph), MT_ARG(word)));
        if (!undo) {
            visit(c, CT_COVER_STEPS,
                  mt_strf(a, "%.*s: %.*s", MT_ARG(graph), MT_ARG(step)));
        }
        rest = mt_str_skip(rest, word.len + 3);
    }
}

/* The list of the names that were noted. */
static void list_names(ct_coverage *c, ct_cover_kind kind)
{
    make(c, kind, c->names[kind].len);
    for (uint32_t i = 0; i < c->names[kind].len; i++) {
        c->of[kind].list[i].name = c->names[kind].entries[i].key;
    }
}

/* Two ways of one name are one path: a scenario could not tell them apart. */
static void list_paths(ct_coverage *c)
{
    mt_arena scratch = {0};
    for (uint32_t g = 0; g < c->p->graph_count; g++) {
        ct_paths paths = {0};
        ct_paths_of(&scratch, c->p, g, &paths);
        c->truncated |= paths.truncated;
        for (size_t i = 0; i < paths.len; i++) {
            note(c, CT_COVER_PATHS, path_name(&scratch, c, &paths.items[i]));
            visit_words(c, &scratch, &paths.items[i], note);
        }
        mt_arena_reset(&scratch);
    }
    mt_arena_free(&scratch);
    list_names(c, CT_COVER_PATHS);
    list_names(c, CT_COVER_STEPS);
    list_names(c, CT_COVER_EDGES);
}

static void list_outcomes(ct_coverage *c)
{
    const ct_plan *p = c->p;
    make(c, CT_COVER_OUTCOMES, p->outcome_count);
    for (uint32_t op = 0; op < p->model->operation_count; op++) {
        for (uint32_t i = 0; i < p->ops[op].outcome_count; i++) {
            uint32_t outcome = p->ops[op].first_outcome + i;
            c->of[CT_COVER_OUTCOMES].list[outcome].name =
                mt_strf(c->a, "%.*s: %.*s", MT_ARG(ct_operation_id(p, op)),
                        MT_ARG(p->outcomes[outcome].label));
        }
    }
}

ct_coverage *ct_coverage_new(mt_arena *a, const ct_plan *p)
{
    ct_coverage *c = mt_new(a, ct_coverage);
    c->a = a;
    c->p = p;
    make(c, CT_COVER_RULES, p->model->rule_count);
    make(c, CT_COVER_ABSENT, p->model->rule_count);
    for (uint32_t i = 0; i < p->model->rule_count; i++) {
        c->of[CT_COVER_RULES].list[i].name = p->model->rules[i].id;
        c->of[CT_COVER_ABSENT].list[i].name = p->model->rules[i].id;
    }
    make(c, CT_COVER_OPERATIONS, p->model->operation_count);
    for (uint32_t i = 0; i < p->model->operation_count; i++) {
        c->of[CT_COVER_OPERATIONS].list[i].name = ct_operation_id(p, i);
    }
    list_outcomes(c);
    list_paths(c);
    return c;
}

void ct_coverage_verdicts(ct_coverage *c, const ct_verdicts *v)
{
    for (uint32_t i = 0; i < c->p->model->rule_count; i++) {
        bool present = ct_verdict_present(v, i);
        c->of[CT_COVER_RULES].list[i].seen |= present;
        c->of[CT_COVER_ABSENT].list[i].seen |= !present;
    }
}

void ct_coverage_outcome(ct_coverage *c, uint32_t op, uint32_t outcome)
{
    c->of[CT_COVER_OPERATIONS].list[op].seen = true;
    c->of[CT_COVER_OUTCOMES].list[outcome].seen = true;
}

/* A name that is not listed is beyond what is counted. */
static void see(ct_coverage *c, ct_cover_kind kind, mt_str name)
{
    mt_map_entry *entry = mt_map_find(&c->names[kind], name);
    if (entry) {
        c->of[kind].list[entry->value].seen = true;
    }
}

void ct_coverage_run(ct_coverage *c, const ct_run *run)
{
    for (size_t i = 0; i < run->records.len; i++) {
        const ct_record *r = &run->records.items[i];
        if (r->op != CT_NONE && !r->error) {
            ct_coverage_outcome(c, r->op, r->result);
        }
    }
    ct_paths taken = {0};
    mt_arena scratch = {0}; /* a property runs thousands of times */
    ct_paths_taken(&scratch, run, &taken);
    for (size_t i = 0; i < taken.len; i++) {
        see(c, CT_COVER_PATHS, path_name(&scratch, c, &taken.items[i]));
        visit_words(c, &scratch, &taken.items[i], see);
    }
    mt_arena_free(&scratch);
}

const ct_plan *ct_coverage_plan(const ct_coverage *c)
{
    return c->p;
}

size_t ct_coverage_total(const ct_coverage *c, ct_cover_kind kind)
{
    return c->of[kind].len;
}

ct_cover_item ct_coverage_item(const ct_coverage *c, ct_cover_kind kind, size_t i)
{
    return c->of[kind].list[i];
}

const ct_cover_item *ct_coverage_find(const ct_coverage *c, ct_cover_kind kind,
                                      mt_str name)
{
    const mt_map_entry *entry = mt_map_find(&c->names[kind], name);
    return entry ? &c->of[kind].list[entry->value] : NULL;
}

size_t ct_coverage_seen(const ct_coverage *c, ct_cover_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < c->of[kind].len; i++) {
        n += c->of[kind].list[i].seen;
    }
    return n;
}

unsigned ct_coverage_permille(const ct_coverage *c)
{
    size_t seen = 0, total = 0;
    for (int k = 0; k < CT_COVER_COUNTED; k++) {
        seen += ct_coverage_seen(c, (ct_cover_kind)k);
        total += ct_coverage_total(c, (ct_cover_kind)k);
    }
    return total ? (unsigned)(seen * 1000 / total) : 1000;
}

const char *const CT_COVER_NAMES[CT_COVER_COUNT] = {
    [CT_COVER_RULES] = "rules",       [CT_COVER_OPERATIONS] = "operations",
    [CT_COVER_OUTCOMES] = "outcomes", [CT_COVER_PATHS] = "paths",
    [CT_COVER_ABSENT] = "absent",     [CT_COVER_STEPS] = "steps",
    [CT_COVER_EDGES] = "edges",
};
MT_TABLE_COVERS(CT_COVER_NAMES, CT_COVER_EDGES + 1);

void ct_coverage_text(mt_buf *out, const ct_coverage *c)
{
    for (int k = 0; k < CT_COVER_COUNT; k++) {
        size_t seen = ct_coverage_seen(c, (ct_cover_kind)k), total = c->of[k].len;
        mt_buf_addf(out, "%-11s %5zu of %5zu  %3zu %%\n", CT_COVER_NAMES[k], seen,
                    total, total ? seen * 100 / total : 100);
    }
    for (int k = 0; k < CT_COVER_COUNT; k++) {
        for (size_t i = 0; i < c->of[k].len; i++) {
            if (!c->of[k].list[i].seen) {
                mt_buf_addf(out, "never seen, %s: %.*s\n", CT_COVER_NAMES[k],
                            MT_ARG(c->of[k].list[i].name));
            }
        }
    }
    if (c->truncated) {
        mt_buf_addf(out, "a flow has more than %d paths; the rest is not counted\n",
                    CT_MAX_PATHS);
    }
}

static void kind_json(mt_jw *w, const ct_coverage *c, ct_cover_kind kind)
{
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "never_seen");
    mt_jw_begin_array(w);
    for (size_t i = 0; i < c->of[kind].len; i++) {
        if (!c->of[kind].list[i].seen) {
            mt_jw_str(w, c->of[kind].list[i].name);
        }
    }
    mt_jw_end_array(w);
    mt_jw_key_i64(w, "seen", (int64_t)ct_coverage_seen(c, kind));
    mt_jw_key_i64(w, "total", (int64_t)ct_coverage_total(c, kind));
    mt_jw_end_object(w);
}

void ct_coverage_json(mt_jw *w, const ct_coverage *c)
{
    /* Keys in byte order. */
    static const ct_cover_kind ORDER[] = {
        CT_COVER_ABSENT, CT_COVER_EDGES, CT_COVER_OPERATIONS, CT_COVER_OUTCOMES,
        CT_COVER_PATHS,  CT_COVER_RULES, CT_COVER_STEPS};
    MT_TABLE_COVERS(ORDER, CT_COVER_COUNT);
    mt_jw_begin_object(w);
    for (size_t i = 0; i < CT_COVER_COUNT; i++) {
        if (ORDER[i] == CT_COVER_RULES) {
            mt_jw_key_i64(w, "permille", ct_coverage_permille(c));
        }
        mt_jw_key(w, mt_str_z(CT_COVER_NAMES[ORDER[i]]));
        kind_json(w, c, ORDER[i]);
    }
    mt_jw_key_bool(w, "truncated", c->truncated);
    mt_jw_end_object(w);
}
