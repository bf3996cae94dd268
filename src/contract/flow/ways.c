/* contract/flow/ways.c - a depth-first walk that carries what comes after.
 *
 * Lists every way a flow can take, as words: steps with their results, what is entered
 * and left, compensations, the terminal. Analysis counts them, proofs ask whether each
 * is possible, `motet ask` shows one.
 *
 * A frame says which step of which graph goes on when the inner graph ends; frames are
 * the C stack's, one per sub-flow or branch that is open. A way carries what it
 * demands of the snapshot: the same condition cannot be true here and false there, so
 * ways that contradict themselves are left out when the caller has a question to ask
 * (options).
 *
 * Bounds: a hostile bundle can have a hundred thousand steps in a row, or ways that
 * all end nowhere, so depth and effort are bounded and not only the number of ways.
 * ct_ways() answers false when anything was cut off or the caller had enough; what was
 * found until then is right.
 *
 * Order is that of the declarations: success before failure, true before false. Words
 * are given to the caller in place and are only valid during the call. */
#include "contract/flow/ways.h"

#include "base/vec.h"
#include "contract/flow/possible.h"

/* A hostile bundle can have a hundred thousand steps in a row, or ways that all end
 * nowhere: depth and effort are bounded, not only the number of ways. */
enum { MAX_DEMANDS = 24, MAX_DEPTH = 2000, EFFORT_PER_WAY = 1000 };

typedef struct frame {
    const struct frame *outer;
    const ct_plan_step *step; /* which opened the inner graph */
    uint32_t branch;          /* of a parallel step */
    bool failed;              /* one of the branches so far */
} frame;

typedef struct walker {
    const ct_plan *p;
    const ct_ways_options *options;
    mt_arena a;
    MT_VEC(ct_word) words;
    uint32_t steps, depth;          /* of the way so far; of the C stack */
    ct_demand demands[MAX_DEMANDS]; /* what the way so far asks of the snapshot */
    size_t demand_count;
    size_t found, effort; /* ways so far; calls of walk() */
    bool cut, enough;     /* something was left out; the visitor wants no more */
} walker;

static void walk(walker *w, const frame *in, ct_plan_target at);

static ct_word word_of(ct_word_kind kind, uint32_t step)
{
    return (ct_word){.kind = kind,
                     .step = step,
                     .op = CT_NONE,
                     .outcome = CT_NONE,
                     .graph = CT_NONE,
                     .terminal = CT_NONE,
                     .persona = CT_NONE};
}

static uint32_t index_of(const walker *w, const ct_plan_step *s)
{
    return (uint32_t)(s - w->p->steps);
}

static void push(walker *w, ct_word word)
{
    w->steps += word.kind == CT_WORD_STEP || word.kind == CT_WORD_UNDO;
    mt_vec_push(&w->a, &w->words, word);
}

static void pop(walker *w)
{
    ct_word_kind kind = w->words.items[--w->words.len].kind;
    w->steps -= kind == CT_WORD_STEP || kind == CT_WORD_UNDO;
}

/* Goes on after a word, then forgets it. */
static void walk_word(walker *w, const frame *in, ct_word word, ct_plan_target to)
{
    push(w, word);
    walk(w, in, to);
    pop(w);
}

static ct_word step_word(walker *w, const ct_plan_step *s, mt_str result)
{
    ct_word word = word_of(CT_WORD_STEP, index_of(w, s));
    word.op = s->does == LN_OPERATES ? s->what : CT_NONE;
    word.persona = s->persona;
    word.result = result;
    return word;
}

/* ---- ends ---- */

/* Words are shown in place; a way that breaks off has no terminal. */
static void found(walker *w, uint32_t terminal)
{
    const ct_ways_options *o = w->options;
    if (o->only_possible && terminal == CT_NONE) {
        return;
    }
    ct_way way = {.plan = w->p,
                  .words = w->words.items,
                  .len = w->words.len,
                  .steps = w->steps,
                  .terminal = terminal,
                  .possible =
                      o->only_possible || ct_possible(w->demands, w->demand_count)};
    w->found++;
    w->enough = !o->visit(o->context, &way);
}

static bool terminal_failed(const walker *w, uint32_t terminal)
{
    return terminal == CT_NONE || w->p->terminals[terminal].failed;
}

static void after_inner(walker *w, const frame *in, const ct_plan_step *s, bool failed);

/* Branches one after the other, as the machine does it. */
static void next_branch(walker *w, const frame *in, uint32_t terminal)
{
    frame next = {in->outer, in->step, in->branch + 1,
                  in->failed || terminal_failed(w, terminal)};
    if (next.branch == next.step->branch_count) {
        after_inner(w, in->outer, in->step, next.failed);
        return;
    }
    ct_word word = word_of(CT_WORD_BRANCH, index_of(w, in->step));
    word.graph = next.step->first_branch + next.branch;
    walk_word(w, &next, word,
              (ct_plan_target){w->p->graphs[word.graph].entry, CT_NONE});
}

/* The word of the end is taken back after whatever follows it was walked. */
static void end_graph(walker *w, const frame *in, uint32_t terminal)
{
    ct_word word = word_of(CT_WORD_END, CT_NONE);
    word.terminal = terminal;
    push(w, word);
    if (!in) {
        found(w, terminal);
    } else if (in->step->does == LN_FORKS) {
        next_branch(w, in, terminal);
    } else {
        after_inner(w, in->outer, in->step, terminal_failed(w, terminal));
    }
    pop(w);
}

/* ---- failures ---- */

/* Every undo may succeed, and then the next one comes, or fail, and then its own
 * terminal does. */
static void walk_undo(walker *w, const frame *in, const ct_plan_step *s, uint32_t nth)
{
    const ct_plan_handler *h = &s->handler;
    if (nth >= MAX_DEPTH) {
        w->cut = true;
        return;
    }
    if (nth == h->undo_count) {
        walk(w, in, h->next);
        return;
    }
    const ct_plan_undo *undo = &w->p->undos[h->first_undo + nth];
    ct_word word = word_of(CT_WORD_UNDO, index_of(w, s));
    word.op = undo->op;
    word.persona = undo->persona;
    word.result = CT_RESULT_DONE;
    word.done = true;
    push(w, word);
    walk_undo(w, in, s, nth + 1);
    pop(w);
    word.result = CT_RESULT_ERROR;
    word.done = false;
    walk_word(w, in, word, (ct_plan_target){CT_NONE, undo->on_failure});
}

/* A handler's own steps are ways as well. */
static void walk_failure(walker *w, const frame *in, const ct_plan_step *s,
                         mt_str result)
{
    push(w, step_word(w, s, result));
    switch (s->handler.kind) {
    case CT_HANDLER_NONE: end_graph(w, in, CT_NONE); break;
    case CT_COMPENSATE: walk_undo(w, in, s, 0); break;
    case CT_TERMINATE:
    case CT_ESCALATE: walk(w, in, s->handler.next); break;
    }
    pop(w);
}

/* ---- steps ---- */

/* Goes on only if the snapshot can be such that the predicate has this value. */
static void walk_if(walker *w, const frame *in, const ct_expr *predicate, bool value,
                    ct_word word, ct_plan_target to)
{
    size_t before = w->demand_count;
    if (predicate && before < MAX_DEMANDS) {
        w->demands[w->demand_count++] = (ct_demand){predicate, value};
    }
    if (!w->options->only_possible || ct_possible(w->demands, w->demand_count)) {
        walk_word(w, in, word, to);
    }
    w->demand_count = before;
}

/* All outcomes under a precondition that holds, then the failure, which may have other
 * reasons. */
static void walk_operation(walker *w, const frame *in, const ct_plan_step *s)
{
    const ct_plan_op *op = &w->p->ops[s->what];
    const ct_expr *precondition = w->p->model->operations[s->what].precondition;
    for (uint32_t i = 0; i < op->outcome_count && !w->enough; i++) {
        uint32_t outcome = op->first_outcome + i;
        ct_word word = step_word(w, s, w->p->outcomes[outcome].label);
        word.outcome = outcome;
        walk_if(w, in, precondition, true, word, w->p->targets[s->first_target + i]);
    }
    walk_failure(w, in, s, CT_RESULT_ERROR);
}

/* A parallel step has ended. ORDER: all_success, any_failure, all_complete. */
static void walk_join(walker *w, const frame *in, const ct_plan_step *s, bool failed)
{
    const ct_plan_target *to = &w->p->targets[s->first_target];
    mt_str result = failed ? CT_RESULT_FAILED : CT_RESULT_SUCCESS;
    if (failed && s->handler.kind != CT_HANDLER_NONE) {
        walk_failure(w, in, s, result);
        return;
    }
    walk_word(w, in, step_word(w, s, result),
              !failed && ct_target_given(to[0]) ? to[0] : to[1]);
}

/* The inside of a sub-flow or parallel step has ended. */
static void after_inner(walker *w, const frame *in, const ct_plan_step *s, bool failed)
{
    if (s->does == LN_FORKS) {
        walk_join(w, in, s, failed);
    } else if (failed) {
        walk_failure(w, in, s, CT_RESULT_FAILED);
    } else {
        walk_word(w, in, step_word(w, s, CT_RESULT_SUCCESS),
                  w->p->targets[s->first_target]);
    }
}

/* Not expanded, it is one step that ends well or badly. */
static void walk_inner(walker *w, const frame *in, const ct_plan_step *s)
{
    bool parallel = s->does == LN_FORKS;
    if (!w->options->expand || (parallel && !s->branch_count)) {
        after_inner(w, in, s, false);
        if (!w->options->expand) {
            after_inner(w, in, s, true);
        }
        return;
    }
    frame inner = {in, s, 0, false};
    ct_word word = word_of(CT_WORD_ENTER, index_of(w, s));
    word.graph = parallel ? s->first_branch : s->what;
    push(w, word);
    if (parallel) {
        word.kind = CT_WORD_BRANCH;
        push(w, word);
    }
    walk(w, &inner, (ct_plan_target){w->p->graphs[word.graph].entry, CT_NONE});
    if (parallel) {
        pop(w);
    }
    pop(w);
}

/* Success before failure, true before false: the order in which ways are listed. */
static void walk(walker *w, const frame *in, ct_plan_target at);

static void walk_step(walker *w, const frame *in, const ct_plan_step *s)
{
    const ct_plan_target *to = &w->p->targets[s->first_target];
    const ct_expr *condition;
    switch (s->does) {
    case LN_OPERATES: walk_operation(w, in, s); break;
    case LN_DECIDES:
        condition = w->p->model->conditions[s->what];
        walk_if(w, in, condition, true, step_word(w, s, MT_STR("true")), to[0]);
        walk_if(w, in, condition, false, step_word(w, s, MT_STR("false")), to[1]);
        break;
    case LN_GOES_ON: walk_word(w, in, step_word(w, s, MT_STR("handoff")), to[0]); break;
    case LN_CALLS:
    case LN_FORKS: walk_inner(w, in, s); break;
    case LN_ENDS: walk(w, in, to[0]); break;
    }
}

/* Depth, effort and the number of ways are all bounded here, and only here. */
static void walk(walker *w, const frame *in, ct_plan_target at)
{
    size_t most = w->options->most;
    if (w->enough) {
        return;
    }
    if (w->found >= most || w->effort / EFFORT_PER_WAY > most ||
        w->depth >= MAX_DEPTH) {
        w->cut = true;
        w->enough = w->depth < MAX_DEPTH;
        return;
    }
    w->effort++;
    w->depth++;
    if (at.step == CT_NONE) {
        end_graph(w, in, at.terminal);
    } else {
        walk_step(w, in, &w->p->steps[at.step]);
    }
    w->depth--;
}

bool ct_ways(const ct_plan *p, uint32_t graph, const ct_ways_options *options)
{
    walker w = {.p = p, .options = options};
    walk(&w, NULL, (ct_plan_target){p->graphs[graph].entry, CT_NONE});
    mt_arena_free(&w.a);
    return !w.cut && !w.enough;
}

/* ---- text ---- */

void ct_word_text(mt_buf *out, const char *prefix, mt_str step, mt_str result)
{
    mt_buf_addz(out, prefix);
    mt_buf_adds(out, step);
    mt_buf_addc(out, '=');
    mt_buf_adds(out, result);
}

void ct_way_text(mt_buf *out, const ct_way *way)
{
    const ct_plan *p = way->plan;
    bool first = true; /* nothing before it to be parted from */
    MT_ASSERT(way->len > 0);
    for (size_t i = 0; i < way->len; i++) {
        const ct_word *word = &way->words[i];
        const ct_plan_step *s = word->step == CT_NONE ? NULL : &p->steps[word->step];
        bool inner = s && (s->does == LN_CALLS || s->does == LN_FORKS);
        bool leaving = word->kind == CT_WORD_STEP && inner && i &&
                       way->words[i - 1].kind == CT_WORD_END;
        mt_buf_addz(out, first || leaving || word->kind == CT_WORD_BRANCH ? "" : " > ");
        first = false;
        switch (word->kind) {
        case CT_WORD_STEP:
            if (leaving) {
                mt_buf_addz(out, ")=");
                mt_buf_adds(out, word->result);
            } else {
                ct_word_text(out, "", s->id, word->result);
            }
            break;
        case CT_WORD_UNDO:
            ct_word_text(out, "comp:", ct_operation_id(p, word->op), word->result);
            break;
        case CT_WORD_ENTER:
            mt_buf_adds(out, s->id);
            mt_buf_addc(out, '(');
            first = true;
            break;
        case CT_WORD_BRANCH:
            mt_buf_addz(out, word->graph == s->first_branch ? "" : " | ");
            mt_buf_adds(out, p->graphs[word->graph].id);
            mt_buf_addz(out, ": ");
            first = true;
            break;
        case CT_WORD_END:
            mt_buf_adds(out, word->terminal == CT_NONE
                                 ? MT_STR("(breaks off)")
                                 : p->terminals[word->terminal].name);
            break;
        }
    }
}
