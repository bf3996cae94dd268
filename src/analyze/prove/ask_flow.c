/* analyze/prove/ask_flow.c - does every run of a flow come to an outcome?
 *
 * The steps of a flow have no cycle, so a run ends if every persona it waits for acts
 * and every outcome that has to be named is named; that much is taken for granted, and
 * the reply says so. What is left: a run ends without an outcome where the condition of
 * a branch has no value, where a step fails and has no handler, where no rule of a join
 * applies, and after `flow_steps` steps. Inside a sub-flow or a parallel branch these
 * are failures, which the step around them handles.
 *
 * For each such place: is there a fact set that leads to it (prove_walk.c)? If so, the
 * flow is run with it from the initial states, with every choice of outcomes; a run
 * that ends without one is shown. If none does, all fact sets that run alike are left
 * out and the next is tried. A place that may be met and was not by any run is not
 * decided: states that others change in between could lead there. */
#include "analyze/prove/ask_internal.h"
#include "analyze/prove/prove_walk.h"
#include "contract/flow/report.h"

/* Of one fact set; fact sets for one place. */
enum { MOST_RUNS = 256, MOST_TRIES = 64 };

/* One flow. `failed` is a run that was executed and
 * shows it; `open` a place that is not ruled out. */
typedef struct judge {
    asker *k;
    uint32_t member, flow;
    const ct_plan *plan;
    const ct_model *m;
    /* The first place that is not ruled out. */
    bool open, failed;
    mt_str step, facts, reason;
    mt_str fault; /* of the run that failed */
} judge;

/* ---- running ---- */

/* Which of several outcomes is taken at the nth choice of a run. Choices beyond the
 * 64th take the first outcome that matches. */
typedef struct chooser {
    uint32_t picks[64], counts[64]; /* of each choice: taken, there are */
    uint32_t made;
} chooser;

static uint32_t pick(void *context, const ct_run *run, uint32_t step, uint32_t op,
                     const uint32_t *matching, uint32_t count)
{
    chooser *c = context;
    (void)run;
    (void)step;
    (void)op;
    if (c->made == 64) {
        return matching[0];
    }
    c->counts[c->made] = count;
    return matching[c->picks[c->made++]];
}

/* The next sequence of choices; false: there is none. */
static bool turn(chooser *c)
{
    while (c->made > 0) {
        uint32_t last = --c->made;
        if (++c->picks[last] < c->counts[last]) {
            c->made = 0;
            return true;
        }
        c->picks[last] = 0;
    }
    return false;
}

/* Every instance begins where its entity does. */
static ct_run_input input_of(judge *j, ct_bench *b, chooser *c)
{
    const ct_model *m = j->m;
    mt_str *instances = mt_new_array(j->k->a, mt_str, (size_t)m->entity_count + 1);
    uint32_t *states = mt_new_array(j->k->a, uint32_t, (size_t)m->entity_count + 1);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        instances[e] = CT_DEFAULT_INSTANCE;
        states[e] = m->entities[e].initial;
    }
    return (ct_run_input){.plan = j->plan,
                          .snapshot = {j->plan->program, b->facts, b->verdicts},
                          .flow = j->flow,
                          .persona = m->persona_count ? m->personas[0].id : MT_STR("?"),
                          .instances = instances,
                          .states = states,
                          .host = {.context = c, .choose = pick},
                          .max_steps = b->limits->flow_steps};
}

/* Neither true nor false, though the rules end. */
static const an_claim *has_no_value(mt_arena *a, const ct_expr *e)
{
    ct_expr *not_so = ask_expr(a, CT_NOT, e, NULL);
    const an_claim *value = an_claim_or(a, an_claim_holds(a, AN_FIRST, e),
                                        an_claim_holds(a, AN_FIRST, not_so));
    return an_claim_and(a, an_claim_holds(a, AN_FIRST, NULL), an_claim_not(a, value));
}

/* What the facts made of the condition a record is about; NULL: it was not read. */
static const an_claim *read_by(const judge *j, const ct_record *r)
{
    mt_arena *a = j->k->a;
    bool branch = r->kind == CT_RECORD_BRANCH;
    if ((!branch && r->kind != CT_RECORD_OPERATION &&
         r->kind != CT_RECORD_COMPENSATION) ||
        r->error == CT_OP_PERSONA) {
        return NULL;
    }
    const ct_expr *e = branch ? j->m->conditions[j->plan->steps[r->step].what]
                              : j->m->operations[r->op].precondition;
    if (!e) {
        return NULL;
    }
    if (r->error == CT_OP_EVALUATION) {
        return has_no_value(a, e);
    }
    bool held = branch ? r->result == 1 : r->error != CT_OP_PRECONDITION;
    /* False is a value: fact sets for which it has none run otherwise. */
    return an_claim_holds(a, AN_FIRST, held ? e : ask_expr(a, CT_NOT, e, NULL));
}

/* Fact sets for which every condition that was read came out as it did run alike. */
static void note_alike(const judge *j, const ct_run *run, const an_claim **alike)
{
    for (size_t i = 0; i < run->records.len; i++) {
        const an_claim *c = read_by(j, &run->records.items[i]);
        *alike = !c ? *alike : *alike ? an_claim_and(j->k->a, *alike, c) : c;
    }
}

/* With every choice of outcomes; *alike is what the runs rested
 * on. False also for facts that end the evaluation itself: no
 * flow begins with them. b->run is used again for every run. */
static bool run_fails(judge *j, mt_str facts, const an_claim **alike)
{
    ct_bench *b = ask_bench_of(j->k->q, j->member);
    ct_fault fault = {0};
    chooser c = {0};
    *alike = NULL;
    if (ct_facts_read(b->facts, facts, b->limits, false, &fault) ||
        ct_evaluate(j->plan->program, b->facts, b->verdicts, j->k->a, &fault)) {
        return false;
    }
    ct_run_input in = input_of(j, b, &c);
    bool fails = false, more = true;
    for (int i = 0; i < MOST_RUNS && more && !fails; i++) {
        ct_run_start(&b->run, &in);
        fails = ct_run_all(&b->run) == CT_RUN_FAILED;
        note_alike(j, &b->run, alike);
        more = turn(&c);
    }
    if (fails) {
        const ct_record *last = &b->run.records.items[b->run.records.len - 1];
        mt_buf text = {0};
        ct_run_fault_text(&text, &b->run);
        j->fault = ask_kept(j->k, &text);
        j->step = j->plan->steps[last->step].id;
    }
    return fails;
}

/* ---- places ---- */

static bool is_given(const ct_step *s, uint32_t nth)
{
    return nth < s->target_count &&
           (s->targets[nth].step != CT_NONE || s->targets[nth].outcome.ptr);
}

/* Under which facts the flow may end here without an outcome; NULL: under none. */
static const an_claim *danger(const judge *j, const pv_walk *w, const ct_step *s)
{
    switch ((ln_doing)s->does) {
    case LN_DECIDES: return has_no_value(w->a, j->m->conditions[s->what]);
    case LN_OPERATES:
    case LN_CALLS: return s->on_failure.kind == CT_HANDLER_NONE ? w->free : NULL;
    case LN_FORKS:
        return !is_given(s, 1) &&
                       (s->on_failure.kind == CT_HANDLER_NONE || !is_given(s, 0))
                   ? w->free
                   : NULL;
    case LN_GOES_ON:
    case LN_ENDS: break;
    }
    return NULL;
}

/* Tries fact sets for which the place may be met until one shows it. AN_NEVER: proven.
 * A fact set without `failed`: the place may be met, and no run has shown it. */
static an_answer try_place(judge *j, const an_claim *place)
{
    an_prover *p = ask_prover_of(j->k->q, j->member);
    an_answer got = an_prove_possible(p, j->k->a, place), first = got;
    for (int i = 0; i < MOST_TRIES && got.possible == AN_POSSIBLE; i++) {
        const an_claim *alike;
        j->failed = run_fails(j, got.facts, &alike);
        if (j->failed || !alike) {
            return j->failed ? got : first;
        }
        place = an_claim_and(j->k->a, place, an_claim_not(j->k->a, alike));
        got = an_prove_possible(p, j->k->a, place);
    }
    return first;
}

static void look_at_step(void *context, pv_walk *w, uint32_t i)
{
    judge *j = context;
    const ct_step *s = &w->steps->items[i];
    const an_claim *why = w->reached[i] ? danger(j, w, s) : NULL;
    if (!why || j->failed) {
        return;
    }
    an_answer got = try_place(j, pv_walk_both(w, w->reached[i], why));
    if (got.possible == AN_NEVER) {
        return;
    }
    if (j->failed || !j->open) {
        j->facts = got.facts;
        j->reason = got.reason.len
                        ? got.reason
                        : mt_strf(j->k->a,
                                  "whether a run of %.*s comes to step %.*s with %.*s, "
                                  "if others change states meanwhile",
                                  MT_ARG(j->m->flows[j->flow].id), MT_ARG(s->id),
                                  MT_ARG(got.facts));
    }
    j->open = !j->failed;
}

/* Every step at most once in each run of its graph, with what it undoes and calls. */
static size_t most_steps(const ct_plan *p, uint32_t graph, size_t limit, unsigned depth)
{
    const ct_plan_graph *g = &p->graphs[graph];
    size_t count = 0;
    for (uint32_t i = 0; i < g->step_count && count <= limit; i++) {
        const ct_plan_step *s = &p->steps[g->first_step + i];
        count += 1 + s->handler.undo_count;
        if (s->does == LN_CALLS && depth < 64) {
            count += most_steps(p, s->what, limit, depth + 1);
        }
        for (uint32_t b = 0; b < s->branch_count && count <= limit && depth < 64; b++) {
            count += most_steps(p, s->first_branch + b, limit, depth + 1);
        }
        count += depth == 64 ? limit : 0;
    }
    return count;
}

/* Too many steps are not decided either way: such
 * a run ends by the limit, not by the contract. */
static void judge_flow(judge *j)
{
    const ct_flow *flow = &j->m->flows[j->flow];
    pv_walk w = {.a = j->k->a,
                 .m = j->m,
                 .steps = &flow->steps,
                 .visit = look_at_step,
                 .context = j};
    size_t limit = j->k->q->limits.flow_steps;
    if (!pv_walk_steps(&w, NULL)) {
        j->open = true;
        j->reason = mt_strf(j->k->a, "%.*s has more than %d steps", MT_ARG(flow->id),
                            PV_MOST_STEPS);
    } else if (!j->failed && most_steps(j->plan, j->flow, limit, 0) > limit) {
        j->open = true;
        j->reason = mt_strf(j->k->a,
                            "a run of %.*s may have more than %zu steps "
                            "(flow_steps)",
                            MT_ARG(flow->id), limit);
    }
}

/* ---- replies ---- */

static mt_str flow_name(const judge *j)
{
    mt_str member = j->k->q->u->members[j->member].id, id = j->m->flows[j->flow].id;
    return member.len ? mt_strf(j->k->a, "%.*s.%.*s", MT_ARG(member), MT_ARG(id)) : id;
}

static an_reply_kind say_failed(judge *j)
{
    asker *k = j->k;
    mt_buf_addf(&k->text,
                "no\n  flow %.*s ends without an outcome at step %.*s: %.*s\n",
                MT_ARG(flow_name(j)), MT_ARG(j->step), MT_ARG(j->fault));
    ask_say_facts(k, "for", j->facts);
    ask_put_text(k, "flow", j->m->flows[j->flow].id);
    ask_put_text(k, "step", j->step);
    k->proof = "trace";
    return AN_REPLY_NO;
}

static an_reply_kind say_all_end(asker *k, uint32_t count)
{
    mt_buf_addf(
        &k->text,
        "yes\n  holds for: every fact set, any states; %u flow%s; every persona "
        "acts when its turn comes, and names the outcome where several match\n",
        count, count == 1 ? "" : "s");
    k->proof = "proven";
    return AN_REPLY_YES;
}

/* The first flow that fails is the answer. One that is open makes the answer unknown
 * only if none fails, so all are looked at. */
an_reply_kind ask_reply_flows(asker *k, const ask_said *q)
{
    const an_union *u = k->q->u;
    uint32_t count = 0;
    mt_str open = {0};
    for (uint32_t i = 0; i < u->member_count; i++) {
        const ct_model *m = ask_model_of(k->q, i);
        for (uint32_t f = 0; m && f < m->flow_count; f++) {
            if (q->flow != CT_NONE && (q->member != i || q->flow != f)) {
                continue;
            }
            judge j = {
                .k = k, .member = i, .flow = f, .plan = u->members[i].plan, .m = m};
            judge_flow(&j);
            if (j.failed) {
                return say_failed(&j);
            }
            open = j.open ? j.reason : open;
            count++;
        }
    }
    return open.len ? ask_unknown(k, open) : say_all_end(k, count);
}
