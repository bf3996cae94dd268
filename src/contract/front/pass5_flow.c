/* contract/front/pass5_flow.c - one flow: entry, targets, outcomes, personas, cycles.
 *
 * The steps of a flow and of each parallel branch are a scope of their own and get the
 * same checks; the suite looks at the outer scope only, so what is found in branches
 * and in handlers is reported late.
 *
 * Order, as the suite reports: entry, handlers, targets, outcomes, personas, cycles;
 * then what it does not look at: targets of handlers and joins, references, fields and
 * terminals; branches last. A cycle is found by removing steps nothing leads to; what
 * stays is on one or behind one. Targets that do not exist lead nowhere.
 *
 * Then steps get their order (pass5_order.c). Nothing fails but by reporting. */
#include "contract/front/suggest.h"
#include "contract/front/validate.h"

/* The marks of the unit hold the step ids of the scope at hand, so scopes are checked
 * one after the other and never interleaved. */
typedef struct scope {
    fr_unit *u;
    fr_flow *flow;
    fr_steps *steps;
    fr_step **by_id; /* the order in which faults are reported */
    mt_str prefix;   /* "steps." or "steps.p.branches.b.steps." */
    bool late;       /* a branch */
} scope;

/* "steps.review.on_failure", or "steps.p.branches.b.steps.review" inside a branch. */
static mt_str field_of(const scope *s, const fr_step *step, const char *rest)
{
    return mt_strf(s->u->keep, "%.*s%.*s%s", MT_ARG(s->prefix),
                   FR_ARG(s->u, step->id.sym), rest);
}

/* `rest` is what follows the step's id in the name of the field. */
static fr_place at_step(const scope *s, const fr_step *step, fr_tok tok,
                        const char *rest)
{
    fr_place at = fr_at(&s->flow->head, tok, field_of(s, step, rest));
    at.late = s->late;
    return at;
}

/* ---- entry and handlers ---- */

/* §11.5. A flow without an entry has the empty word here, which no step is called. */
static void check_entry(const scope *s, fr_name entry, fr_tok tok)
{
    if (fr_is_marked(s->u, entry.sym)) {
        return;
    }
    fr_place at = fr_at(&s->flow->head, tok, FR_FIELD("entry"));
    at.late = s->late;
    if (entry.sym == FR_W_empty) {
        at = s->late ? at : fr_exactly(at, s->flow->head.tok, s->flow->head.id_tok);
        at.exact.message = fr_said(s->u, "%s '%.*s' has no 'entry'",
                                   s->late ? "a branch of Flow" : "Flow",
                                   FR_ARG(s->u, s->flow->head.id));
        at.hint = "add entry: with the step it begins with";
    } else {
        at = fr_meant_step(s->u, at, s->steps, entry);
    }
    fr_report(s->u, FR_E_FLOW_ENTRY, at, "entry step '%.*s' is not declared in steps",
              FR_ARG(s->u, entry.sym));
}

/* §11.3; the parser has asked for those of sub-flows. */
static void check_handlers(const scope *s)
{
    for (size_t i = 0; i < s->steps->len; i++) {
        const fr_step *step = s->by_id[i];
        if (fr_does(step) == LN_OPERATES && step->handler.kind == FR_HANDLER_NONE) {
            fr_report(s->u, FR_E_FLOW_HANDLER,
                      at_step(s, step, step->id.tok, ".on_failure"),
                      "OperationStep '%.*s' must declare a FailureHandler",
                      FR_ARG(s->u, step->id.sym));
        }
    }
}

/* ---- targets ---- */

/* A target lives in its own scope: a branch cannot lead into the flow around it. */
static void check_step_name(const scope *s, const fr_step *step, fr_name name,
                            fr_tok tok, const char *rest, bool late)
{
    if (fr_is_marked(s->u, name.sym)) {
        return;
    }
    fr_place at = at_step(s, step, tok, rest);
    at.late |= late;
    if (name.sym == FR_W_empty) {
        at = fr_exactly(at, step->id.tok, step->id.tok);
        at.exact.message =
            fr_said(s->u, "%s '%.*s' has no 'next'", LN_STEPS[step->kind].name,
                    FR_ARG(s->u, step->id.sym));
        at.hint = "add next: with the step that follows";
    } else {
        at = fr_meant_step(s->u, at, s->steps, name);
    }
    fr_report(s->u, FR_E_FLOW_TARGET, at,
              "step reference '%.*s' is not declared in steps", FR_ARG(s->u, name.sym));
}

/* A target that was left out has no symbol; whether it may be is for check_fields(). */
static void check_target(const scope *s, const fr_step *step, const fr_target *t,
                         const char *rest)
{
    if (!t->terminal && t->name.sym) {
        check_step_name(s, step, t->name, t->name.tok, rest, false);
    }
}

/* The name of the field is made only where there is something to report. */
static void check_routes(const scope *s, const fr_step *step)
{
    for (size_t i = 0; i < step->routes.len; i++) {
        const fr_route *r = &step->routes.items[i];
        if (!r->target.terminal && !fr_is_marked(s->u, r->target.name.sym)) {
            mt_str rest =
                mt_strf(s->u->keep, ".outcomes.%.*s", FR_ARG(s->u, r->label.sym));
            check_target(s, step, &r->target, rest.ptr);
        }
    }
}

/* The targets of a join are not here: the suite does not look at them, see
 * check_deep_targets(). */
static void check_targets(const scope *s)
{
    for (size_t i = 0; i < s->steps->len; i++) {
        const fr_step *step = s->by_id[i];
        switch (fr_does(step)) {
        case LN_OPERATES: check_routes(s, step); break;
        case LN_DECIDES:
            check_target(s, step, &step->if_true, ".if_true");
            check_target(s, step, &step->if_false, ".if_false");
            break;
        case LN_GOES_ON:
            check_step_name(s, step, step->next, step->id.tok, ".next", false);
            break;
        case LN_CALLS: check_target(s, step, &step->on_success, ".on_success"); break;
        case LN_FORKS:
        case LN_ENDS: break;
        }
    }
}

/* Escalations and joins, where the suite does not look. */
static void check_deep_targets(const scope *s)
{
    for (size_t i = 0; i < s->steps->len; i++) {
        const fr_step *step = s->by_id[i];
        const fr_handler *h = &step->handler;
        if (h->kind == FR_HANDLER_ESCALATE) {
            check_step_name(s, step, h->next, h->tok, ".on_failure.next", true);
        }
        if (fr_does(step) != LN_FORKS) {
            continue;
        }
        scope late = *s;
        late.late = true;
        check_target(&late, step, &step->all_success, ".join.on_all_success");
        check_target(&late, step, &step->all_complete, ".join.on_all_complete");
    }
}

/* ---- outcomes ---- */

/* The parser has sorted the routes and removed doubles. */
static bool routes_have(const fr_unit *u, const fr_step *step, fr_sym label)
{
    size_t low = 0, high = step->routes.len; /* sorted by label */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = fr_sym_cmp(u, step->routes.items[middle].label.sym, label);
        if (order == 0) {
            return true;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return false;
}

/* At the step, since the route is what is missing there. */
static void report_unhandled(const scope *s, const fr_step *step, fr_sym outcome)
{
    fr_place at = at_step(s, step, step->id.tok, ".outcomes");
    at.hint = fr_said(s->u, "add '%.*s: Terminal(success)', or the step that follows",
                      FR_ARG(s->u, outcome))
                  .ptr;
    fr_report(s->u, FR_E_FLOW_UNHANDLED, at,
              "flow '%.*s' step '%.*s': outcome '%.*s' from operation '%.*s' is not "
              "handled in outcome routing",
              FR_ARG(s->u, s->flow->head.id), FR_ARG(s->u, step->id.sym),
              FR_ARG(s->u, outcome), FR_ARG(s->u, step->op.sym));
}

/* The missing outcome that comes first by name, then the others as declared. The suite
 * reports one outcome, the first by name; an author wants all of them. */
static void check_unhandled(const scope *s, const fr_step *step, const fr_operation *o)
{
    fr_sym first = FR_W_none;
    for (size_t i = 0; i < o->outcomes.len; i++) {
        fr_sym outcome = o->outcomes.items[i].sym;
        if (!routes_have(s->u, step, outcome) &&
            (!first || fr_sym_cmp(s->u, outcome, first) < 0)) {
            first = outcome;
        }
    }
    if (!o->outcomes.len && !routes_have(s->u, step, FR_W_success)) {
        first = FR_W_success;
    }
    if (first) {
        report_unhandled(s, step, first);
    }
    for (size_t i = 0; first && i < o->outcomes.len; i++) {
        fr_sym outcome = o->outcomes.items[i].sym;
        if (outcome != first && !routes_have(s->u, step, outcome)) {
            report_unhandled(s, step, outcome);
        }
    }
}

/* §11.5: the keys of a step are exactly the operation's outcomes. An unknown operation
 * is reported elsewhere. */
static void check_outcomes(const scope *s)
{
    for (size_t i = 0; i < s->steps->len; i++) {
        const fr_step *step = s->by_id[i];
        fr_operation *o = fr_does(step) == LN_OPERATES
                              ? fr_find(s->u, FR_OPERATION, step->op.sym)
                              : NULL;
        if (!o || o->head.broken) {
            continue;
        }
        check_unhandled(s, step, o);
        for (size_t r = 0; r < step->routes.len; r++) {
            fr_sym label = step->routes.items[r].label.sym;
            if (!fr_has_outcome(s->u, o, label)) {
                fr_place at = at_step(s, step, step->id.tok, ".outcomes");
                at = fr_meant_of(s->u, at, &o->outcomes, step->routes.items[r].label);
                fr_report(s->u, FR_E_FLOW_EXTRA_OUTCOME, at,
                          "flow '%.*s' step '%.*s': outcome routing references '%.*s' "
                          "which is not declared by operation '%.*s'",
                          FR_ARG(s->u, s->flow->head.id), FR_ARG(s->u, step->id.sym),
                          FR_ARG(s->u, label), FR_ARG(s->u, step->op.sym));
            }
        }
    }
}

/* ---- personas ---- */

/* The empty word was not given; require() says that. False after a report, so that the
 * caller does not ask whether an unknown persona is allowed. */
static bool check_persona(const scope *s, const fr_step *step, fr_name persona,
                          const char *rest, bool late)
{
    if (persona.sym == FR_W_empty || fr_use_persona(s->u, persona.sym)) {
        return true;
    }
    fr_place at = at_step(s, step, late ? persona.tok : step->id.tok, rest);
    at.late |= late;
    fr_report(s->u, FR_E_FLOW_PERSONA, fr_meant_kind(s->u, at, FR_PERSONA, persona),
              "flow '%.*s' step '%.*s': persona '%.*s' is not declared",
              FR_ARG(s->u, s->flow->head.id), FR_ARG(s->u, step->id.sym),
              FR_ARG(s->u, persona.sym));
    return false;
}

/* A persona that is not given is not allowed either; people are told what is missing.
 */
static fr_place at_not_allowed(const scope *s, const fr_step *step,
                               const fr_operation *o)
{
    fr_place at = at_step(s, step, step->id.tok, ".persona");
    at.hint =
        fr_said(s->u, "allowed are %.*s", MT_ARG(fr_list_text(s->u, &o->personas))).ptr;
    if (step->persona.sym != FR_W_empty) {
        return fr_exactly(at, step->persona.tok, step->persona.tok);
    }
    at.exact.message = fr_said(s->u, "%s '%.*s' has no 'persona'",
                               LN_STEPS[step->kind].name, FR_ARG(s->u, step->id.sym));
    return at;
}

/* §9.4: who acts in a step must be allowed to run its operation. */
static void check_personas(const scope *s)
{
    for (size_t i = 0; i < s->steps->len; i++) {
        const fr_step *step = s->by_id[i];
        if (fr_does(step) != LN_OPERATES ||
            !check_persona(s, step, step->persona, ".persona", false)) {
            continue;
        }
        fr_operation *o = fr_find(s->u, FR_OPERATION, step->op.sym);
        if (o && !o->head.broken &&
            !fr_names_have(s->u, &o->personas, step->persona.sym)) {
            fr_report(s->u, FR_E_FLOW_NOT_ALLOWED, at_not_allowed(s, step, o),
                      "flow '%.*s' step '%.*s': persona '%.*s' is not in "
                      "allowed_personas of operation '%.*s'",
                      FR_ARG(s->u, s->flow->head.id), FR_ARG(s->u, step->id.sym),
                      FR_ARG(s->u, step->persona.sym), FR_ARG(s->u, step->op.sym));
        }
    }
}

/* ---- beyond the suite: references, fields, handlers, terminals ---- */

/* §11.2 knows three ways to end; another word is tolerated, with a warning. The empty
 * word is one that was left out, which the parser or check_handler() has reported. */
static void check_terminal(const scope *s, const fr_step *step, fr_name outcome)
{
    if (outcome.sym != FR_W_success && outcome.sym != FR_W_failure &&
        outcome.sym != FR_W_escalation && outcome.sym != FR_W_empty) {
        static const fr_sym ENDS[] = {FR_W_success, FR_W_failure, FR_W_escalation,
                                      FR_W_none};
        fr_name name = {outcome.sym,
                        fr_terminal_outcome(s->flow->head.file, outcome.tok)};
        fr_place at = at_step(s, step, outcome.tok, "");
        fr_report(s->u, FR_E_FLOW_TERMINAL, fr_meant_word(s->u, at, ENDS, name),
                  "terminal outcome '%.*s' is none of success, failure, escalation",
                  FR_ARG(s->u, outcome.sym));
    }
}

static void check_terminal_target(const scope *s, const fr_step *step,
                                  const fr_target *t)
{
    if (t->terminal) {
        check_terminal(s, step, t->name);
    }
}

/* People are shown the field by its path; the suite does not ask for it, so its words
 * are ours. */
static void require(const scope *s, const fr_step *step, fr_name name,
                    const char *field)
{
    if (name.sym == FR_W_empty) {
        fr_place at = at_step(s, step, step->id.tok, "");
        at.exact.field = field_of(s, step, mt_strf(s->u->keep, ".%s", field).ptr);
        at.exact.message =
            fr_said(s->u, "%s '%.*s' has no '%s'", LN_STEPS[step->kind].name,
                    FR_ARG(s->u, step->id.sym), field);
        fr_report(s->u, FR_E_FLOW_STEP_FIELDS, at, "step '%.*s' lacks '%s'",
                  FR_ARG(s->u, step->id.sym), field);
    }
}

/* NULL also for an operation that did not parse: it exists, but nothing is known of
 * it. */
static fr_operation *check_operation_name(const scope *s, const fr_step *step,
                                          fr_name name, const char *field)
{
    fr_operation *o = fr_find(s->u, FR_OPERATION, name.sym);
    if (o) {
        o->head.used = true;
    } else if (name.sym != FR_W_empty && !s->u->incomplete) {
        fr_report(
            s->u, FR_E_FLOW_OPERATION,
            fr_meant_kind(s->u, at_step(s, step, name.tok, field), FR_OPERATION, name),
            "operation '%.*s' is not declared", FR_ARG(s->u, name.sym));
    }
    return o && !o->head.broken ? o : NULL;
}

/* Incomplete ones are reported as a whole; what they name is then not looked at. */
static void check_compensation(const scope *s, const fr_step *step,
                               const fr_compensation *c)
{
    bool complete = c->op.sym != FR_W_empty && c->persona.sym != FR_W_empty &&
                    c->on_failure.sym != FR_W_empty;
    if (!complete) {
        fr_report(
            s->u, FR_E_FLOW_COMPENSATION, at_step(s, step, c->tok, ".on_failure"),
            "a compensation step needs op, persona and on_failure: Terminal(...)");
        return;
    }
    fr_operation *o = check_operation_name(s, step, c->op, ".on_failure");
    if (check_persona(s, step, c->persona, ".on_failure", true) && o &&
        !fr_names_have(s->u, &o->personas, c->persona.sym)) {
        fr_report(s->u, FR_E_FLOW_COMPENSATION_PERSONA,
                  at_step(s, step, c->persona.tok, ".on_failure"),
                  "persona '%.*s' is not in allowed_personas of operation '%.*s'",
                  FR_ARG(s->u, c->persona.sym), FR_ARG(s->u, c->op.sym));
    }
    check_terminal(s, step, c->on_failure);
}

/* Where an escalation goes on was checked with the deep targets. */
static void check_handler(const scope *s, const fr_step *step)
{
    const fr_handler *h = &step->handler;
    if (h->kind == FR_HANDLER_ESCALATE) {
        check_persona(s, step, h->persona, ".on_failure", true);
        require(s, step, h->persona, "to_persona");
        return;
    }
    if (h->kind == FR_HANDLER_NONE) {
        return;
    }
    check_terminal(s, step, h->outcome);
    if (h->kind != FR_HANDLER_COMPENSATE) {
        return;
    }
    if (!h->steps.len || h->outcome.sym == FR_W_empty) {
        fr_report(s->u, FR_E_FLOW_COMPENSATION, at_step(s, step, h->tok, ".on_failure"),
                  "Compensate needs at least one step and then: Terminal(...)");
    }
    for (size_t i = 0; i < h->steps.len; i++) {
        check_compensation(s, step, &h->steps.items[i]);
    }
}

/* Whether flows call each other in a circle is asked over all flows, not here. */
static void check_subflow(const scope *s, const fr_step *step)
{
    fr_flow *flow = fr_find(s->u, FR_FLOW, step->op.sym);
    if (flow) {
        flow->head.used = true;
    } else if (step->op.sym != FR_W_empty && !s->u->incomplete) {
        fr_report(s->u, FR_E_FLOW_SUBFLOW,
                  fr_meant_kind(s->u, at_step(s, step, step->flow_tok, ".flow"),
                                FR_FLOW, step->op),
                  "flow '%.*s' is not declared", FR_ARG(s->u, step->op.sym));
    }
    require(s, step, step->op, "flow");
    require(s, step, step->persona, "persona");
    check_persona(s, step, step->persona, ".persona", true);
    check_terminal_target(s, step, &step->on_success);
}

static void report_branches(const scope *s, const fr_step *step, fr_tok tok,
                            const char *message)
{
    fr_report(s->u, FR_E_FLOW_BRANCH, at_step(s, step, tok, ".branches"), "%s",
              message);
}

/* §11.2: two of the three members of a join are needed, on_all_complete may be left
 * out. */
static void check_parallel(const scope *s, const fr_step *step)
{
    if (!step->branches.len) {
        report_branches(s, step, step->id.tok, "a ParallelStep needs branches");
    }
    if (!step->all_success.name.sym || step->handler.kind == FR_HANDLER_NONE) {
        report_branches(s, step, step->id.tok,
                        "a join needs on_all_success and on_any_failure");
    }
    check_terminal_target(s, step, &step->all_success);
    check_terminal_target(s, step, &step->all_complete);
}

/* Everything a step must have and may name, by what it does; kinds that do the same are
 * checked alike. */
static void check_fields(const scope *s)
{
    for (size_t i = 0; i < s->steps->len; i++) {
        const fr_step *step = s->by_id[i];
        switch (fr_does(step)) {
        case LN_OPERATES:
            require(s, step, step->op, "op");
            if (!check_operation_name(s, step, step->op, ".op")) {
                require(s, step, step->persona, "persona"); /* else it was reported */
            }
            for (size_t r = 0; r < step->routes.len; r++) {
                check_terminal_target(s, step, &step->routes.items[r].target);
            }
            break;
        case LN_DECIDES:
            require(s, step, step->persona, "persona");
            check_persona(s, step, step->persona, ".persona", true);
            check_terminal_target(s, step, &step->if_true);
            check_terminal_target(s, step, &step->if_false);
            break;
        case LN_GOES_ON:
            require(s, step, step->persona, "from_persona");
            require(s, step, step->to_persona, "to_persona");
            check_persona(s, step, step->persona, ".from_persona", true);
            check_persona(s, step, step->to_persona, ".to_persona", true);
            break;
        case LN_CALLS: check_subflow(s, step); break;
        case LN_FORKS: check_parallel(s, step); break;
        case LN_ENDS: check_terminal_target(s, step, &step->end); break;
        }
        check_handler(s, step);
    }
}

/* ---- cycles ---- */

/* Each step enters the queue once, when the last edge to it is gone. */
typedef struct removal {
    fr_step_scope in;
    fr_step **queue;
    size_t len;
} removal;

/* `mark` counts the edges that lead to a step (fr_count_edges). */
static void release_edge(void *state, fr_step *from, fr_name to)
{
    removal *c = state;
    fr_step *target = fr_target_of(&c->in, to);
    (void)from;
    if (target && --target->mark == 0) {
        c->queue[c->len++] = target;
    }
}

/* Names every step that could not be removed, in order of ids, as the suite does; those
 * only behind the cycle are among them. */
static void report_cycle(const scope *s, bool deep)
{
    mt_buf names = {0};
    const fr_step *first = NULL;
    for (size_t i = 0; i < s->steps->len; i++) {
        const fr_step *step = s->by_id[i];
        if (!step->mark) {
            continue;
        }
        mt_buf_addz(&names, first ? ", " : "");
        mt_buf_adds(&names, fr_str(s->u, step->id.sym));
        first = first ? first : step;
    }
    fr_place at = fr_at(&s->flow->head, first ? first->id.tok : s->flow->head.tok,
                        FR_FIELD("steps"));
    at.late = deep || s->late;
    fr_report(s->u, FR_E_FLOW_CYCLE, at,
              "flow step graph is not acyclic: cycle detected involving steps [%.*s]",
              MT_ARG(mt_buf_str(&names)));
    mt_buf_free(&names);
}

/* Removes steps nothing leads to until none is left; what stays is a cycle, or behind
 * one. Twice per scope: without handlers and joins, as the suite sees the graph, then
 * with them. The first answer decides which report comes early. */
static bool check_cycle(const scope *s, bool deep)
{
    mt_mark mark = mt_arena_mark(s->u->keep);
    removal c = {.in = {s->u, s->steps}};
    c.queue = mt_new_array(s->u->keep, fr_step *, s->steps->len);
    fr_count_edges(&c.in, deep);
    for (size_t i = 0; i < s->steps->len; i++) {
        if (!s->steps->items[i]->mark) {
            c.queue[c.len++] = s->steps->items[i];
        }
    }
    for (size_t i = 0; i < c.len; i++) {
        fr_each_target(c.queue[i], deep, release_edge, &c);
    }
    bool acyclic = c.len == s->steps->len;
    mt_arena_rewind(s->u->keep, mark);
    if (!acyclic) {
        report_cycle(s, deep);
    }
    return acyclic;
}

/* ---- scopes ---- */

static void check_branches(const scope *s, const fr_step *step);

/* Ids are unique here, the parser kept the last of equals. */
static void mark_steps(fr_unit *u, const fr_steps *steps)
{
    fr_new_stamp(u);
    for (size_t i = 0; i < steps->len; i++) {
        fr_mark_new(u, steps->items[i]->id.sym, (uint32_t)i + 1);
    }
}

/* The order of the calls is the order of the suite's reports. */
static void check_scope(scope *s, fr_name entry, fr_tok entry_tok)
{
    mark_steps(s->u, s->steps);
    s->by_id = fr_steps_by_id(s->u, s->steps);
    check_entry(s, entry, entry_tok);
    check_handlers(s);
    check_targets(s);
    check_outcomes(s);
    check_personas(s);
    if (check_cycle(s, false) && check_cycle(s, true)) {
        fr_order_steps(s->u, s->steps, s->by_id, entry.sym);
    }
    check_deep_targets(s);
    check_fields(s);
    if (s->steps->repeated) {
        fr_report(s->u, FR_E_FLOW_STEP_TWICE,
                  at_step(s, s->steps->repeated, s->steps->repeated->id.tok, ""),
                  "step '%.*s' is declared twice",
                  FR_ARG(s->u, s->steps->repeated->id.sym));
    }
    /* Branches set marks of their own, so they come last. */
    for (size_t i = 0; i < s->steps->len; i++) {
        if (fr_does(s->by_id[i]) == LN_FORKS) {
            check_branches(s, s->by_id[i]);
        }
    }
}

/* Sets marks of its own: the ids of steps are marked anew for each branch. */
static void check_branch_ids(const scope *s, const fr_step *step)
{
    fr_new_stamp(s->u);
    for (size_t i = 0; i < step->branches.len; i++) {
        const fr_branch *b = &step->branches.items[i];
        if (b->id.sym == FR_W_empty) {
            report_branches(s, step, b->tok, "a branch needs an id");
        } else if (!fr_mark_new(s->u, b->id.sym, 0)) {
            report_branches(s, step, b->id.tok, "two branches have the same id");
        }
    }
}

/* Recursion is as deep as branches nest in the source. */
static void check_branches(const scope *s, const fr_step *step)
{
    check_branch_ids(s, step);
    for (size_t i = 0; i < step->branches.len; i++) {
        fr_branch *b = &step->branches.items[i];
        scope inner = {.u = s->u, .flow = s->flow, .steps = &b->steps, .late = true};
        inner.prefix =
            mt_strf(s->u->keep, "%.*s%.*s.branches.%.*s.steps.", MT_ARG(s->prefix),
                    FR_ARG(s->u, step->id.sym), FR_ARG(s->u, b->id.sym));
        check_scope(&inner, b->entry, b->entry.tok ? b->entry.tok : b->tok);
    }
}

/* The snapshot is looked at last, because the suite says nothing about it. There is
 * only one policy so far (§11.1), and it must be written. */
void fr_validate_flow(fr_unit *u, fr_flow *f)
{
    scope s = {.u = u, .flow = f, .steps = &f->steps, .prefix = MT_STR("steps.")};
    check_scope(&s, f->entry, f->has_entry ? f->entry_tok : f->head.tok);
    if (f->snapshot.sym == FR_W_empty) {
        fr_place at = fr_at(&f->head, f->head.tok, FR_FIELD("snapshot"));
        at.exact.message =
            fr_said(u, "Flow '%.*s' has no 'snapshot'", FR_ARG(u, f->head.id));
        fr_report(u, FR_E_FLOW_SNAPSHOT, fr_exactly(at, f->head.tok, f->head.id_tok),
                  "snapshot must be at_initiation; got ''");
    } else if (f->snapshot.sym != FR_W_at_initiation) {
        static const fr_sym POLICIES[] = {FR_W_at_initiation, FR_W_none};
        fr_place at = fr_at(&f->head, f->snapshot.tok, FR_FIELD("snapshot"));
        fr_report(u, FR_E_FLOW_SNAPSHOT, fr_meant_word(u, at, POLICIES, f->snapshot),
                  "snapshot must be at_initiation; got '%.*s'",
                  FR_ARG(u, f->snapshot.sym));
    }
}
