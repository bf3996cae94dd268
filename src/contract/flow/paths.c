/* contract/flow/paths.c - enumerating paths, and reading one off a run's records.
 * Room: contract.
 * INVARIANT: both halves write the same words for the same thing. */
#include "contract/flow/paths.h"

#include "contract/flow/possible.h"

enum { MAX_DEMANDS = 24 };

typedef struct walker {
    mt_arena *a;
    const ct_plan *p;
    uint32_t graph;
    ct_paths *out;
    size_t first; /* of this graph's paths in out */
    size_t bytes; /* of all texts so far */
    uint32_t depth;
    mt_buf text;
    ct_demand demands[MAX_DEMANDS]; /* what the way so far asks of the snapshot */
    size_t demand_count;
} walker;

/* A hostile bundle can have a hundred thousand steps in a row. */
enum { MAX_DEPTH = 2000, MAX_BYTES = 16 << 20 };

static const char DONE[] = "done", ERROR[] = "error", SUCCESS[] = "success",
                  FAILED[] = "failed";

static void add_word(mt_buf *text, const char *prefix, mt_str step, mt_str result)
{
    mt_buf_addf(text, "%s%s%.*s=%.*s", text->len ? " > " : "", prefix, MT_ARG(step),
                MT_ARG(result));
}

static void add_end(mt_buf *text, mt_str terminal)
{
    mt_buf_addf(text, "%s%.*s", text->len ? " > " : "", MT_ARG(terminal));
}

static void add_path(mt_arena *a, ct_paths *out, uint32_t graph, const mt_buf *text)
{
    ct_path path = {graph, mt_str_dup(a, mt_buf_str(text))};
    mt_vec_push(a, out, path);
}

/* --- all paths --- */

static void walk(walker *w, ct_plan_target at);

/* Goes on after a word, then forgets it. */
static void walk_word(walker *w, const char *prefix, mt_str step, mt_str result,
                      ct_plan_target to)
{
    size_t before = w->text.len;
    add_word(&w->text, prefix, step, result);
    walk(w, to);
    w->text.len = before;
}

/* Goes on only if the snapshot can be such that the predicate has this value. */
static void walk_if(walker *w, const ct_expr *predicate, bool value, mt_str step,
                    mt_str result, ct_plan_target to)
{
    size_t before = w->demand_count;
    if (predicate && before < MAX_DEMANDS) {
        w->demands[w->demand_count++] = (ct_demand){predicate, value};
    }
    if (ct_possible(w->demands, w->demand_count)) {
        walk_word(w, "", step, result, to);
    }
    w->demand_count = before;
}

static void walk_undo(walker *w, const ct_plan_handler *h, uint32_t nth)
{
    if (nth >= MAX_DEPTH) {
        w->out->truncated = true;
        return;
    }
    if (nth == h->undo_count) {
        walk(w, h->next);
        return;
    }
    const ct_plan_undo *undo = &w->p->undos[h->first_undo + nth];
    mt_str op = ct_operation_id(w->p, undo->op);
    size_t before = w->text.len;
    add_word(&w->text, "comp:", op, mt_str_z(DONE));
    walk_undo(w, h, nth + 1);
    w->text.len = before;
    walk_word(w, "comp:", op, mt_str_z(ERROR),
              (ct_plan_target){CT_NONE, undo->on_failure});
}

static void walk_failure(walker *w, const ct_plan_step *s, const char *result)
{
    if (s->handler.kind == CT_HANDLER_NONE) {
        return; /* the run breaks off: no path */
    }
    size_t before = w->text.len;
    add_word(&w->text, "", s->id, mt_str_z(result));
    if (s->handler.kind == CT_COMPENSATE) {
        walk_undo(w, &s->handler, 0);
    } else {
        walk(w, s->handler.next);
    }
    w->text.len = before;
}

static bool given(ct_plan_target t)
{
    return t.step != CT_NONE || t.terminal != CT_NONE;
}

static void walk_parallel(walker *w, const ct_plan_step *s)
{
    const ct_plan_target *to = &w->p->targets[s->first_target];
    ct_plan_target success = given(to[0]) ? to[0] : to[1];
    if (given(success)) {
        walk_word(w, "", s->id, mt_str_z(SUCCESS), success);
    }
    if (s->handler.kind != CT_HANDLER_NONE) {
        walk_failure(w, s, FAILED);
    } else if (given(to[1])) {
        walk_word(w, "", s->id, mt_str_z(FAILED), to[1]);
    }
}

static void walk_step(walker *w, const ct_plan_step *s)
{
    const ct_plan_target *to = &w->p->targets[s->first_target];
    switch (s->kind) {
    case CT_OPERATION_STEP: {
        const ct_plan_op *op = &w->p->ops[s->what];
        for (uint32_t i = 0; i < op->outcome_count; i++) {
            walk_if(w, w->p->model->operations[s->what].precondition, true, s->id,
                    w->p->outcomes[op->first_outcome + i].label, to[i]);
        }
        walk_failure(w, s, ERROR);
        break;
    }
    case CT_BRANCH_STEP:
        walk_if(w, w->p->model->conditions[s->what], true, s->id, MT_STR("true"),
                to[0]);
        walk_if(w, w->p->model->conditions[s->what], false, s->id, MT_STR("false"),
                to[1]);
        break;
    case CT_HANDOFF_STEP: walk_word(w, "", s->id, MT_STR("handoff"), to[0]); break;
    case CT_SUBFLOW_STEP:
        walk_word(w, "", s->id, mt_str_z(SUCCESS), to[0]);
        walk_failure(w, s, FAILED);
        break;
    case CT_PARALLEL_STEP: walk_parallel(w, s); break;
    }
}

static void walk(walker *w, ct_plan_target at)
{
    if (w->out->len - w->first >= CT_MAX_PATHS || w->depth >= MAX_DEPTH ||
        w->bytes > MAX_BYTES) {
        w->out->truncated = true;
        return;
    }
    if (at.step != CT_NONE) {
        w->depth++;
        walk_step(w, &w->p->steps[at.step]);
        w->depth--;
        return;
    }
    size_t before = w->text.len;
    add_end(&w->text, w->p->terminals[at.terminal].name);
    add_path(w->a, w->out, w->graph, &w->text);
    w->bytes += w->text.len;
    w->text.len = before;
}

void ct_paths_of(mt_arena *a, const ct_plan *p, uint32_t graph, ct_paths *out)
{
    walker w = {.a = a, .p = p, .graph = graph, .out = out, .first = out->len};
    walk(&w, (ct_plan_target){p->graphs[graph].entry, CT_NONE});
    mt_buf_free(&w.text);
}

/* --- the paths of a run --- */

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

static mt_str result_word(const ct_run *run, const ct_record *r)
{
    const ct_plan *p = run->plan;
    switch (r->kind) {
    case CT_RECORD_OPERATION:
        return r->error ? mt_str_z(ERROR) : p->outcomes[r->result].label;
    case CT_RECORD_COMPENSATION: return mt_str_z(r->error ? ERROR : DONE);
    case CT_RECORD_BRANCH: return r->result ? MT_STR("true") : MT_STR("false");
    case CT_RECORD_SUBFLOW: {
        bool failed = r->result == CT_NONE || p->terminals[r->result].failed;
        return mt_str_z(failed ? FAILED : SUCCESS);
    }
    case CT_RECORD_PARALLEL:
        return mt_str_z(branches_failed(run, r) ? FAILED : SUCCESS);
    case CT_RECORD_HANDOFF:
    case CT_RECORD_ESCALATION: break;
    }
    return MT_STR("handoff");
}

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
