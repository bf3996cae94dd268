/* contract/flow/paths.c - enumerating paths, and reading one off a run's records.
 * Room: contract.
 * INVARIANT: both halves write the same words for the same thing.
 *
 * Paths are texts, "step=result > … > terminal", so that a path a run took is
 * found among all there are by comparing bytes; coverage rests on that. All paths of
 * a graph may be more than memory holds: their number and bytes are bounded, and
 * `truncated` says that some were left out. A path of a run is made per graph that
 * ended: of the flow, of each sub-flow, of each branch. */
#include "contract/flow/paths.h"

#include "contract/flow/ways.h"

enum { MAX_BYTES = 16 << 20 }; /* of the texts of one graph's paths */

static void add_word(mt_buf *text, const char *prefix, mt_str step, mt_str result)
{
    mt_buf_addz(text, text->len ? " > " : "");
    ct_word_text(text, prefix, step, result);
}

static void add_end(mt_buf *text, mt_str terminal)
{
    mt_buf_addz(text, text->len ? " > " : "");
    mt_buf_adds(text, terminal);
}

static void add_path(mt_arena *a, ct_paths *out, uint32_t graph, const mt_buf *text)
{
    ct_path path = {graph, mt_str_dup(a, mt_buf_str(text))};
    mt_vec_push(a, out, path);
}

/* ---- all paths ---- */

typedef struct list {
    mt_arena *a;
    ct_paths *out;
    uint32_t graph;
    size_t bytes;
    mt_buf text;
} list;

static bool keep_path(void *context, const ct_way *way)
{
    list *l = context;
    mt_buf_clear(&l->text);
    ct_way_text(&l->text, way);
    add_path(l->a, l->out, l->graph, &l->text);
    l->bytes += l->text.len;
    return l->bytes <= MAX_BYTES;
}

void ct_paths_of(mt_arena *a, const ct_plan *p, uint32_t graph, ct_paths *out)
{
    list l = {.a = a, .out = out, .graph = graph};
    ct_ways_options options = {
        .only_possible = true, .most = CT_MAX_PATHS, .visit = keep_path, .context = &l};
    if (!ct_ways(p, graph, &options)) {
        out->truncated = true;
    }
    mt_buf_free(&l.text);
}

/* ---- the paths of a run ---- */

static bool branches_failed(const ct_run *run, const ct_record *r)
{
    for (uint32_t i = 0; i < r->branch_count; i++) {
        uint32_t end = run->branches.items[r->first_branch + i].terminal;
        if (end == CT_NONE || run->plan->terminals[end].failed) {
            return true;
        }
    }
    return false;
}

/* The same words as ways.c writes, so that a path that was taken is found among those
 * there are. */
static mt_str result_word(const ct_run *run, const ct_record *r)
{
    const ct_plan *p = run->plan;
    switch (r->kind) {
    case CT_RECORD_OPERATION:
        return r->error ? CT_RESULT_ERROR : p->outcomes[r->result].label;
    case CT_RECORD_COMPENSATION: return r->error ? CT_RESULT_ERROR : CT_RESULT_DONE;
    case CT_RECORD_BRANCH: return r->result ? MT_STR("true") : MT_STR("false");
    case CT_RECORD_SUBFLOW: {
        bool failed = r->result == CT_NONE || p->terminals[r->result].failed;
        return failed ? CT_RESULT_FAILED : CT_RESULT_SUCCESS;
    }
    case CT_RECORD_PARALLEL:
        return branches_failed(run, r) ? CT_RESULT_FAILED : CT_RESULT_SUCCESS;
    case CT_RECORD_HANDOFF:
    case CT_RECORD_ESCALATION: break;
    }
    return MT_STR("handoff");
}

/* Only of graphs that have ended: what is open has no path yet. */
static void take(mt_arena *a, const ct_run *run, uint32_t parent, uint32_t graph,
                 uint32_t terminal, ct_paths *out)
{
    if (terminal == CT_NONE) {
        return;
    }
    mt_buf text = {0};
    for (size_t i = 0; i < run->records.len; i++) {
        const ct_record *r = &run->records.items[i];
        if (r->parent != parent || r->graph != graph ||
            r->kind == CT_RECORD_ESCALATION) {
            continue;
        }
        bool undo = r->kind == CT_RECORD_COMPENSATION;
        add_word(&text, undo ? "comp:" : "",
                 undo ? ct_operation_id(run->plan, r->op)
                      : run->plan->steps[r->step].id,
                 result_word(run, r));
    }
    add_end(&text, run->plan->terminals[terminal].name);
    add_path(a, out, graph, &text);
    mt_buf_free(&text);
}

void ct_paths_taken(mt_arena *a, const ct_run *run, ct_paths *out)
{
    take(a, run, CT_NONE, run->flow, run->outcome, out);
    for (uint32_t i = 0; i < run->records.len; i++) {
        const ct_record *r = &run->records.items[i];
        if (r->kind == CT_RECORD_SUBFLOW) {
            take(a, run, i, run->plan->steps[r->step].what, r->result, out);
        }
        for (uint32_t b = 0; b < r->branch_count; b++) {
            const ct_branch_end *end = &run->branches.items[r->first_branch + b];
            take(a, run, i, end->graph, end->terminal, out);
        }
    }
}

mt_str ct_graph_name(mt_arena *a, const ct_plan *p, uint32_t graph)
{
    const ct_plan_graph *g = &p->graphs[graph];
    if (g->owner == CT_NONE) {
        return g->id;
    }
    mt_str outer = ct_graph_name(a, p, p->steps[g->owner].graph);
    return mt_strf(a, "%.*s/%.*s", MT_ARG(outer), MT_ARG(g->id));
}
