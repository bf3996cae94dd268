/* contract/flow/coverage.c - counting what scenarios reached.
 *
 * The four lists (rules, operations, outcomes, paths through flows) are made from the
 * plan before anything runs, so what was never reached has a name and can be printed.
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

/* One thing that can be seen. */
typedef struct item {
    mt_str name;
    bool seen;
} item;

typedef struct items {
    item *list;
    size_t len;
} items;

struct ct_coverage {
    mt_arena *a;
    const ct_plan *p;
    items of[CT_COVER_COUNT];
    mt_map paths; /* text -> index of the path */
    bool truncated;
};

static void make(ct_coverage *c, ct_cover_kind kind, size_t count)
{
    c->of[kind] = (items){mt_new_array(c->a, item, count), count};
}

static mt_str path_name(ct_coverage *c, const ct_path *path)
{
    mt_str graph = ct_graph_name(c->a, c->p, path->graph);
    return mt_strf(c->a, "%.*s: %.*s", MT_ARG(graph), MT_ARG(path->text));
}

/* Two ways of one name are one path: a scenario could not tell them apart. */
static void list_paths(ct_coverage *c)
{
    ct_paths paths = {0};
    for (uint32_t g = 0; g < c->p->graph_count; g++) {
        ct_paths_of(c->a, c->p, g, &paths);
    }
    c->truncated = paths.truncated;
    make(c, CT_COVER_PATHS, paths.len);
    size_t kept = 0;
    for (size_t i = 0; i < paths.len; i++) {
        mt_str name = path_name(c, &paths.items[i]);
        bool added;
        mt_map_entry *entry = mt_map_add(c->a, &c->paths, name, &added);
        if (added) {
            entry->value = kept;
            c->of[CT_COVER_PATHS].list[kept++].name = name;
        }
    }
    c->of[CT_COVER_PATHS].len = kept;
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
    for (uint32_t i = 0; i < p->model->rule_count; i++) {
        c->of[CT_COVER_RULES].list[i].name = p->model->rules[i].id;
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
        c->of[CT_COVER_RULES].list[i].seen |= ct_verdict_present(v, i);
    }
}

void ct_coverage_outcome(ct_coverage *c, uint32_t op, uint32_t outcome)
{
    c->of[CT_COVER_OPERATIONS].list[op].seen = true;
    c->of[CT_COVER_OUTCOMES].list[outcome].seen = true;
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
    ct_paths_taken(c->a, run, &taken);
    for (size_t i = 0; i < taken.len; i++) {
        mt_map_entry *entry = mt_map_find(&c->paths, path_name(c, &taken.items[i]));
        if (entry) {
            c->of[CT_COVER_PATHS].list[entry->value].seen = true;
        }
    }
}

static size_t coverage_total(const ct_coverage *c, ct_cover_kind kind)
{
    return c->of[kind].len;
}

static size_t coverage_seen(const ct_coverage *c, ct_cover_kind kind)
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
    for (int k = 0; k < CT_COVER_COUNT; k++) {
        seen += coverage_seen(c, (ct_cover_kind)k);
        total += coverage_total(c, (ct_cover_kind)k);
    }
    return total ? (unsigned)(seen * 1000 / total) : 1000;
}

static const char *const KIND_NAMES[] = {
    [CT_COVER_RULES] = "rules",
    [CT_COVER_OPERATIONS] = "operations",
    [CT_COVER_OUTCOMES] = "outcomes",
    [CT_COVER_PATHS] = "paths",
};
MT_TABLE_COVERS(KIND_NAMES, CT_COVER_COUNT);

void ct_coverage_text(mt_buf *out, const ct_coverage *c)
{
    for (int k = 0; k < CT_COVER_COUNT; k++) {
        size_t seen = coverage_seen(c, (ct_cover_kind)k), total = c->of[k].len;
        mt_buf_addf(out, "%-11s %5zu of %5zu  %3zu %%\n", KIND_NAMES[k], seen, total,
                    total ? seen * 100 / total : 100);
    }
    for (int k = 0; k < CT_COVER_COUNT; k++) {
        for (size_t i = 0; i < c->of[k].len; i++) {
            if (!c->of[k].list[i].seen) {
                mt_buf_addf(out, "never seen, %s: %.*s\n", KIND_NAMES[k],
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
    mt_jw_key_i64(w, "seen", (int64_t)coverage_seen(c, kind));
    mt_jw_key_i64(w, "total", (int64_t)coverage_total(c, kind));
    mt_jw_end_object(w);
}

void ct_coverage_json(mt_jw *w, const ct_coverage *c)
{
    /* Keys in byte order. */
    static const ct_cover_kind ORDER[] = {CT_COVER_OPERATIONS, CT_COVER_OUTCOMES,
                                          CT_COVER_PATHS, CT_COVER_RULES};
    mt_jw_begin_unsorted(w);
    for (size_t i = 0; i < CT_COVER_COUNT; i++) {
        mt_jw_key(w, mt_str_z(KIND_NAMES[ORDER[i]]));
        kind_json(w, c, ORDER[i]);
    }
    mt_jw_key_i64(w, "permille", ct_coverage_permille(c));
    mt_jw_key_bool(w, "truncated", c->truncated);
    mt_jw_end_object(w);
}
