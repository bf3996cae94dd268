/* analyze/explain/explain.c - a contract in prose.
 *
 * Five parts in a fixed order: what there is, the rules by stratum, every flow told
 * step by step, the inventory of facts, and notes. The same parts as JSON, where the
 * prose is one of the values. The words are those the conformance suite expects, so
 * they are not to be improved.
 *
 * A flow is told depth first from its entry. A step is told once; where another way
 * comes to it again, it is only named. Steps nested deeper than MAX_STORY_DEPTH are
 * named as well, since indentation would no longer help.
 *
 * Forms (plain, coloured, Markdown) differ in explain_form.c only. Nothing can fail;
 * memory is an arena per part. */
#include "analyze/explain/explain.h"

#include "analyze/explain/explain_form.h"
#include "contract/flow/coverage.h"
#include "contract/flow/text.h"

/* ---- summary ---- */

/* Rules are sorted by stratum, so each new number is another one; strata without rules
 * do not count. */
static uint32_t count_strata(const ct_model *m)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->rule_count; i++) {
        n += !i || m->rules[i].stratum != m->rules[i - 1].stratum;
    }
    return n;
}

/* No line at all where there are none; the counts of the other kinds always stand
 * there. */
static void entities_line(an_prose p, const ct_model *m)
{
    if (!m->entity_count) {
        return;
    }
    an_prose_indent(p, 0);
    mt_buf_addz(p.out, "Entities: ");
    for (uint32_t i = 0; i < m->entity_count; i++) {
        mt_buf_addz(p.out, i ? ", " : "");
        an_prose_name(p, m->entities[i].id);
        mt_buf_addf(p.out, " (%u states)", m->entities[i].state_count);
    }
    mt_buf_addc(p.out, '\n');
}

/* For `verbose`: states by name, personas by name. */
static void summary_details(an_prose p, const ct_model *m)
{
    for (uint32_t i = 0; i < m->entity_count; i++) {
        const ct_entity *e = &m->entities[i];
        an_prose_indent(p, 1);
        an_prose_name(p, e->id);
        mt_buf_addz(p.out, " states:");
        for (uint32_t s = 0; s < e->state_count; s++) {
            mt_buf_addf(p.out, "%s %.*s%s", s ? "," : "", MT_ARG(e->states[s]),
                        s == e->initial ? " (initial)" : "");
        }
        mt_buf_addc(p.out, '\n');
    }
    for (uint32_t i = 0; i < m->persona_count; i++) {
        an_prose_line(p, 1, "Persona: %.*s", MT_ARG(m->personas[i].id));
    }
}

static void summary(an_prose p, const ct_model *m, bool verbose)
{
    uint32_t strata = count_strata(m);
    an_prose_heading(p, MT_STR("CONTRACT SUMMARY"));
    an_prose_indent(p, 0);
    mt_buf_addz(p.out, "Name: ");
    an_prose_name(p, m->id);
    mt_buf_addc(p.out, '\n');
    entities_line(p, m);
    an_prose_line(p, 0, "Personas: %u", m->persona_count);
    an_prose_line(p, 0, "Rules: %u across %u %s", m->rule_count, strata,
                  strata == 1 ? "stratum" : "strata");
    an_prose_line(p, 0, "Operations: %u", m->operation_count);
    an_prose_line(p, 0, "Facts: %u", m->fact_count);
    an_prose_line(p, 0, "Flows: %u", m->flow_count);
    if (verbose) {
        summary_details(p, m);
    }
    mt_buf_addc(p.out, '\n');
}

/* ---- rules ---- */

/* In the order of evaluation; the stratum is in the line and has no heading of its
 * own. */
static void rules(an_prose p, const ct_model *m)
{
    an_prose_heading(p, MT_STR("RULES"));
    for (uint32_t i = 0; i < m->rule_count; i++) {
        const ct_rule *r = &m->rules[i];
        an_prose_indent(p, 0);
        mt_buf_addz(p.out, "Verdict ");
        an_prose_name(p, r->verdict);
        mt_buf_addz(p.out, " holds when ");
        an_prose_expr(p, m, r->when);
        mt_buf_addf(p.out, " (rule %.*s, stratum %u)\n", MT_ARG(r->id), r->stratum);
    }
    if (!m->rule_count) {
        mt_buf_addz(p.out, "No rules defined in this contract.\n");
    }
    mt_buf_addc(p.out, '\n');
}

/* ---- flows ---- */

/* The telling of all flows: `told` is shared, so a step is told once in the whole
 * text. */
typedef struct story {
    an_prose p;
    const ct_plan *plan;
    bool verbose;
    uint64_t *told; /* bit set of steps */
} story;

enum { MAX_STORY_DEPTH = 64 }; /* of steps in steps; beyond it only targets are named */

/* release_escrow reads as "release escrow". */
static void add_words(mt_buf *out, mt_str id)
{
    for (size_t i = 0; i < id.len; i++) {
        mt_buf_addc(out, id.ptr[i] == '_' ? ' ' : id.ptr[i]);
    }
}

/* `ends` is the verb for a terminal: a process completes on success and ends on
 * failure. A join may leave a target open. */
static void target_text(const story *s, ct_plan_target t, const char *ends)
{
    if (t.step != CT_NONE) {
        mt_buf_addf(s->p.out, "continue to %.*s", MT_ARG(s->plan->steps[t.step].id));
    } else if (t.terminal != CT_NONE) {
        mt_buf_addf(s->p.out, "process %s (%.*s)", ends,
                    MT_ARG(s->plan->terminals[t.terminal].name));
    } else {
        mt_buf_addz(s->p.out, "not decided");
    }
}

/* "If yes: continue to pay", "On success: process completes (paid)". */
static void target_line(const story *s, unsigned depth, const char *label,
                        ct_plan_target t, const char *ends)
{
    an_prose_indent(s->p, depth);
    mt_buf_addf(s->p.out, "%s: ", label);
    target_text(s, t, ends);
    mt_buf_addc(s->p.out, '\n');
}

/* `label` is what has to happen first. */
static void handler_lines(const story *s, unsigned depth, const ct_plan_handler *h,
                          const char *label)
{
    const ct_plan *plan = s->plan;
    if (h->kind == CT_TERMINATE) {
        target_line(s, depth, label, h->next, "ends");
    } else if (h->kind == CT_ESCALATE && h->next.step == CT_NONE) {
        an_prose_line(s->p, depth, "%s: escalate to %.*s, process ends (%.*s)", label,
                      MT_ARG(ct_persona_id(plan, h->persona)),
                      MT_ARG(plan->terminals[h->next.terminal].name));
    } else if (h->kind == CT_ESCALATE) {
        an_prose_line(s->p, depth, "%s: escalate to %.*s, continue to %.*s", label,
                      MT_ARG(ct_persona_id(plan, h->persona)),
                      MT_ARG(plan->steps[h->next.step].id));
    } else if (h->kind == CT_COMPENSATE) {
        for (uint32_t i = 0; i < h->undo_count; i++) {
            const ct_plan_undo *u = &plan->undos[h->first_undo + i];
            an_prose_indent(s->p, depth);
            mt_buf_addf(s->p.out, "%s: %.*s undoes by: ", label,
                        MT_ARG(ct_persona_id(plan, u->persona)));
            add_words(s->p.out, ct_operation_id(plan, u->op));
            mt_buf_addf(s->p.out, " (if that fails: process ends (%.*s))\n",
                        MT_ARG(plan->terminals[u->on_failure].name));
        }
        target_line(s, depth, "Then", h->next, "ends");
    }
}

static void tell(story *s, unsigned depth, uint32_t step);

/* Terminals were named in the line before, so there is nothing to tell. */
static void tell_next(story *s, unsigned depth, ct_plan_target t)
{
    if (t.step != CT_NONE && depth < MAX_STORY_DEPTH) {
        tell(s, depth, t.step);
    }
}

/* For `verbose`: what must hold before, and what is moved. */
static void operation_details(const story *s, unsigned depth, uint32_t op)
{
    const ct_operation *o = &s->plan->model->operations[op];
    if (o->precondition) {
        an_prose_indent(s->p, depth);
        mt_buf_addz(s->p.out, "Precondition: ");
        an_prose_expr(s->p, s->plan->model, o->precondition);
        mt_buf_addc(s->p.out, '\n');
    }
    for (uint32_t i = 0; i < o->effect_count; i++) {
        const ct_effect *e = &o->effects[i];
        an_prose_line(s->p, depth, "Effect: %.*s transitions %.*s -> %.*s",
                      MT_ARG(ct_entity_id(s->plan, e->entity)),
                      MT_ARG(ct_plan_state_id(s->plan, e->entity, e->from)),
                      MT_ARG(ct_plan_state_id(s->plan, e->entity, e->to)));
    }
}

/* An operation with one outcome that leads on needs no line for it: the next step
 * follows at the same depth and the text reads as a sequence. */
static void tell_operation(story *s, unsigned depth, const ct_plan_step *step)
{
    const ct_plan *plan = s->plan;
    const ct_plan_op *op = &plan->ops[step->what];
    an_prose_indent(s->p, depth);
    an_prose_name(s->p, ct_persona_id(plan, step->persona));
    mt_buf_addz(s->p.out, " performs: ");
    add_words(s->p.out, ct_operation_id(plan, step->what));
    mt_buf_addc(s->p.out, '\n');
    if (s->verbose) {
        operation_details(s, depth + 1, step->what);
    }
    handler_lines(s, depth + 1, &step->handler, "On failure");
    for (uint32_t i = 0; i < step->target_count; i++) {
        ct_plan_target t = plan->targets[step->first_target + i];
        mt_str label = plan->outcomes[op->first_outcome + i].label;
        if (t.step == CT_NONE || step->target_count > 1) {
            an_prose_indent(s->p, depth + 1);
            mt_buf_addf(s->p.out, "On %.*s: ", MT_ARG(label));
            target_text(s, t, "completes");
            mt_buf_addc(s->p.out, '\n');
        }
    }
    for (uint32_t i = 0; i < step->target_count; i++) {
        tell_next(s, depth, plan->targets[step->first_target + i]);
    }
}

/* Each answer is followed to its end before the other one begins. */
static void tell_branch(story *s, unsigned depth, const ct_plan_step *step)
{
    const ct_plan_target *to = &s->plan->targets[step->first_target];
    an_prose_indent(s->p, depth);
    mt_buf_addz(s->p.out, "Decision: ");
    an_prose_expr(s->p, s->plan->model, s->plan->model->conditions[step->what]);
    mt_buf_addc(s->p.out, '\n');
    if (s->verbose) {
        an_prose_line(s->p, depth + 1, "Decided by: %.*s",
                      MT_ARG(ct_persona_id(s->plan, step->persona)));
    }
    target_line(s, depth + 1, "If yes", to[0], "completes");
    tell_next(s, depth + 2, to[0]);
    target_line(s, depth + 1, "If no", to[1], "completes");
    tell_next(s, depth + 2, to[1]);
}

/* Branches first, then how they join, then what follows the join. */
static void tell_parallel(story *s, unsigned depth, const ct_plan_step *step)
{
    const ct_plan_target *to = &s->plan->targets[step->first_target];
    an_prose_line(s->p, depth, "Concurrently:");
    for (uint32_t i = 0; i < step->branch_count; i++) {
        const ct_plan_graph *g = &s->plan->graphs[step->first_branch + i];
        an_prose_line(s->p, depth + 1, "Branch %.*s: starts at %.*s", MT_ARG(g->id),
                      MT_ARG(s->plan->steps[g->entry].id));
        tell_next(s, depth + 2, (ct_plan_target){g->entry, CT_NONE});
    }
    target_line(s, depth + 1, "When all succeed", to[0], "completes");
    handler_lines(s, depth + 1, &step->handler, "If any fails");
    if (to[1].step != CT_NONE || to[1].terminal != CT_NONE) {
        target_line(s, depth + 1, "When all are complete", to[1], "completes");
    }
    tell_next(s, depth, to[0]);
    tell_next(s, depth, to[1]);
}

/* What an escalation leads to comes last, since it is not the usual way. A sub-flow is
 * only named: it is told under its own heading. */
static void tell_step(story *s, unsigned depth, const ct_plan_step *step)
{
    const ct_plan *plan = s->plan;
    ct_plan_target first = plan->targets[step->first_target];
    switch (step->does) {
    case LN_OPERATES: tell_operation(s, depth, step); break;
    case LN_DECIDES: tell_branch(s, depth, step); break;
    case LN_GOES_ON:
        an_prose_line(s->p, depth, "Handed off from %.*s to %.*s",
                      MT_ARG(ct_persona_id(plan, step->persona)),
                      MT_ARG(ct_persona_id(plan, step->to_persona)));
        if (first.step == CT_NONE) {
            target_line(s, depth + 1, "Then", first, "completes");
        }
        tell_next(s, depth, first);
        break;
    case LN_CALLS:
        an_prose_line(s->p, depth, "Sub-process: %.*s",
                      MT_ARG(plan->graphs[step->what].id));
        target_line(s, depth + 1, "On success", first, "completes");
        handler_lines(s, depth + 1, &step->handler, "On failure");
        tell_next(s, depth, first);
        break;
    case LN_FORKS: tell_parallel(s, depth, step); break;
    case LN_ENDS:
        an_prose_line(s->p, depth, "Ends at once: %.*s",
                      MT_ARG(plan->terminals[first.terminal].name));
        break;
    }
    if (step->handler.kind == CT_ESCALATE) {
        tell_next(s, depth, step->handler.next);
    }
}

/* Told already: the reader has seen it, and a loop in the telling would never end. */
static void tell(story *s, unsigned depth, uint32_t step)
{
    if (ct_bit(s->told, step)) {
        an_prose_line(s->p, depth, "(back to %.*s)", MT_ARG(s->plan->steps[step].id));
        return;
    }
    ct_bit_set(s->told, step);
    tell_step(s, depth, &s->plan->steps[step]);
}

/* Each step is told once; where ways meet again, the text says so and goes on
 * elsewhere. */
static void flows(an_prose p, const ct_plan *plan, bool verbose)
{
    mt_arena a = {0};
    story s = {p, plan, verbose, mt_new_array(&a, uint64_t, plan->step_count / 64 + 1)};
    an_prose_heading(p, MT_STR("DECISION FLOW NARRATIVE"));
    for (uint32_t i = 0; i < plan->model->flow_count; i++) {
        const ct_plan_graph *g = &plan->graphs[i];
        mt_buf_addz(p.out, p.form == AN_EXPLAIN_MARKDOWN ? "### Flow: " : "Flow: ");
        an_prose_name(p, g->id);
        mt_buf_addf(p.out, "\n%s  Entry point: %.*s\n\n",
                    p.form == AN_EXPLAIN_MARKDOWN ? "\n" : "",
                    MT_ARG(plan->steps[g->entry].id));
        tell(&s, 1, g->entry);
        mt_buf_addc(p.out, '\n');
    }
    if (!plan->model->flow_count) {
        mt_buf_addz(p.out, "No flows defined in this contract.\n\n");
    }
    mt_arena_free(&a);
}

/* ---- facts ---- */

/* The declared source: `sys.field`, the freetext, or the source's id. The model keeps a
 * source as JSON text, so it is read again here; text that cannot be read leaves the
 * cell empty. */
static void source_text(mt_buf *out, const ct_model *m, const ct_fact *f)
{
    mt_arena a = {0};
    mt_json node;
    if (f->source_id != CT_NONE) {
        mt_buf_adds(out, m->sources[f->source_id].id);
    } else if (!mt_json_read(&a, f->source, NULL, &node, NULL)) {
        mt_str system = mt_json_text(mt_json_at(&node, "system"));
        mt_str field = mt_json_text(mt_json_at(&node, "field"));
        if (node.type == MT_JSON_OBJECT) {
            mt_buf_addf(out, "%.*s.%.*s", MT_ARG(system), MT_ARG(field));
        } else {
            mt_buf_adds(out, mt_json_text(&node));
        }
    }
    mt_arena_free(&a);
}

/* "-" where the fact has none, so that no cell is empty. */
static void default_text(mt_buf *out, const ct_fact *f)
{
    if (f->otherwise) {
        ct_value_text(out, f->type, f->otherwise);
    } else {
        mt_buf_addc(out, '-');
    }
}

/* ORDER of HEAD in facts(): name, type, source,
 * default. What the cells had is overwritten. */
static void fact_cells(mt_buf cells[4], mt_arena *a, const ct_model *m,
                       const ct_fact *f)
{
    for (int i = 0; i < 4; i++) {
        mt_buf_clear(&cells[i]);
    }
    mt_buf_adds(&cells[0], f->id);
    mt_buf_adds(&cells[1], ct_type_spell(a, f->type));
    source_text(&cells[2], m, f);
    default_text(&cells[3], f);
}

/* The last column is not padded, so lines have no blanks at their end. */
static void fact_row(an_prose p, mt_buf cells[4], const size_t widths[4])
{
    bool table = p.form == AN_EXPLAIN_MARKDOWN;
    for (int i = 0; i < 4; i++) {
        mt_str text = mt_buf_str(&cells[i]);
        if (table) {
            mt_buf_addf(p.out, "| %.*s ", MT_ARG(text));
        } else if (i == 3) {
            mt_buf_adds(p.out, text);
        } else {
            mt_buf_addf(p.out, "%-*.*s  ", (int)widths[i], MT_ARG(text));
        }
    }
    mt_buf_addz(p.out, table ? "|\n" : "\n");
}

/* Two passes: widths of columns first. Cells are made twice instead of kept: a contract
 * may have many facts and a type may be long. Widths are in bytes. */
static void facts(an_prose p, const ct_model *m)
{
    mt_arena a = {0};
    mt_buf cells[4] = {{0}};
    size_t widths[4] = {4, 4, 6, 7};
    an_prose_heading(p, MT_STR("FACT INVENTORY"));
    for (uint32_t i = 0; i < m->fact_count; i++) {
        fact_cells(cells, &a, m, &m->facts[i]);
        for (int c = 0; c < 4; c++) {
            widths[c] = cells[c].len > widths[c] ? cells[c].len : widths[c];
        }
    }
    static const char *const HEAD[] = {"FACT", "TYPE", "SOURCE", "DEFAULT"};
    for (int c = 0; c < 4; c++) {
        mt_buf_clear(&cells[c]);
        mt_buf_addz(&cells[c], HEAD[c]);
    }
    fact_row(p, cells, widths);
    if (p.form == AN_EXPLAIN_MARKDOWN) {
        mt_buf_addz(p.out, "|---|---|---|---|\n");
    }
    for (uint32_t i = 0; i < m->fact_count; i++) {
        fact_cells(cells, &a, m, &m->facts[i]);
        fact_row(p, cells, widths);
    }
    mt_buf_addc(p.out, '\n');
    for (int c = 0; c < 4; c++) {
        mt_buf_free(&cells[c]);
    }
    mt_arena_free(&a);
}

/* ---- notes ---- */

/* By declared transitions only; whether operations make them is the analysis'
 * business. Rounds over all transitions until one adds nothing: at most as many as
 * there are states. */
static uint32_t unreachable_states(const ct_entity *e, mt_arena *a)
{
    bool *reached = mt_new_array(a, bool, e->state_count);
    reached[e->initial] = true;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < e->transition_count; i++) {
            const ct_transition *t = &e->transitions[i];
            if (reached[t->from] && !reached[t->to]) {
                reached[t->to] = more = true;
            }
        }
    }
    uint32_t dead = 0;
    for (uint32_t s = 0; s < e->state_count; s++) {
        dead += !reached[s];
    }
    return dead;
}

/* A box that is ticked in Markdown, [ok] or [!!] in text. */
static void note(an_prose p, bool ok, mt_str text)
{
    if (p.form == AN_EXPLAIN_MARKDOWN) {
        mt_buf_addf(p.out, "- [%s] %s", ok ? "x" : " ", ok ? "" : "WARNING: ");
    } else {
        mt_buf_addz(p.out, ok ? "[ok] " : "[!!] WARNING: ");
    }
    mt_buf_adds(p.out, text);
    mt_buf_addc(p.out, '\n');
}

/* Paths are those that coverage counts, bounded there; "there are more" says so. The
 * last note is always true of a model that was loaded (S8). */
static void notes(an_prose p, const ct_plan *plan)
{
    mt_arena a = {0};
    const ct_model *m = plan->model;
    uint32_t states = 0, dead = 0;
    for (uint32_t i = 0; i < m->entity_count; i++) {
        states += m->entities[i].state_count;
        dead += unreachable_states(&m->entities[i], &a);
    }
    ct_paths paths = {0};
    for (uint32_t g = 0; g < plan->graph_count; g++) {
        ct_paths_of(&a, plan, g, &paths);
    }
    an_prose_heading(p, MT_STR("RISK / COVERAGE NOTES"));
    note(p, true, mt_strf(&a, "%u entities, %u total states", m->entity_count, states));
    note(p, !dead,
         dead ? mt_strf(&a, "%u dead state(s) found", dead)
              : mt_strf(&a, "All %u entities fully reachable", m->entity_count));
    note(p, true, mt_strf(&a, "%u verdict types defined", m->rule_count));
    note(p, !paths.truncated,
         mt_strf(&a, "%zu flow paths across %u flows%s", paths.len, m->flow_count,
                 paths.truncated ? " (there are more)" : ""));
    note(p, true, MT_STR("Each verdict is produced by exactly one rule"));
    mt_arena_free(&a);
}

void an_explain_contract(mt_buf *out, const ct_plan *plan, an_explain_form form,
                         bool verbose)
{
    an_prose p = {out, form};
    summary(p, plan->model, verbose);
    rules(p, plan->model);
    flows(p, plan, verbose);
    facts(p, plan->model);
    notes(p, plan);
}

/* ---- as data ---- */

static void rule_json(mt_jw *w, const ct_model *m, const ct_rule *r)
{
    mt_buf text = {0};
    ct_expr_text(&text, m, r->when);
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "id", r->id);
    mt_jw_key_i64(w, "stratum", r->stratum);
    mt_jw_key_str(w, "verdict", r->verdict);
    mt_jw_key_str(w, "when", mt_buf_str(&text));
    mt_jw_end_object(w);
    mt_buf_free(&text);
}

static void operation_json(mt_jw *w, const ct_plan *p, uint32_t op)
{
    const ct_operation *o = &p->model->operations[op];
    mt_buf text = {0};
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "allowed_personas");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < o->persona_count; i++) {
        mt_jw_str(w, ct_persona_id(p, o->personas[i]));
    }
    mt_jw_end_array(w);
    mt_jw_key_str(w, "id", o->id);
    if (o->precondition) {
        ct_expr_text(&text, p->model, o->precondition);
        mt_jw_key_str(w, "precondition", mt_buf_str(&text));
    }
    mt_jw_end_object(w);
    mt_buf_free(&text);
}

/* `paths` are texts, as coverage names them, and bounded as it is. */
static void flow_json(mt_jw *w, mt_arena *a, const ct_plan *p, uint32_t flow)
{
    ct_paths paths = {0};
    ct_paths_of(a, p, flow, &paths);
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "entry", p->steps[p->graphs[flow].entry].id);
    mt_jw_key_str(w, "id", p->graphs[flow].id);
    mt_jw_keyz(w, "paths");
    mt_jw_begin_array(w);
    for (size_t i = 0; i < paths.len; i++) {
        mt_jw_str(w, paths.items[i].text);
    }
    mt_jw_end_array(w);
    mt_jw_end_object(w);
}

/* Markdown, since who reads JSON has a place to show it. */
static void prose_key(mt_jw *w, const char *key, const ct_plan *p, bool verbose)
{
    mt_buf text = {0};
    an_explain_contract(&text, p, AN_EXPLAIN_MARKDOWN, verbose);
    mt_jw_key(w, mt_str_z(key));
    mt_jw_str(w, mt_buf_str(&text));
    mt_buf_free(&text);
}

void an_explain_contract_json(mt_buf *out, const ct_plan *p)
{
    mt_arena a = {0};
    const ct_model *m = p->model;
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "flows");
    mt_jw_begin_array(&w);
    for (uint32_t i = 0; i < m->flow_count; i++) {
        flow_json(&w, &a, p, i);
    }
    mt_jw_end_array(&w);
    mt_jw_key_str(&w, "id", m->id);
    mt_jw_keyz(&w, "operations");
    mt_jw_begin_array(&w);
    for (uint32_t i = 0; i < m->operation_count; i++) {
        operation_json(&w, p, i);
    }
    mt_jw_end_array(&w);
    mt_jw_keyz(&w, "rules");
    mt_jw_begin_array(&w);
    for (uint32_t i = 0; i < m->rule_count; i++) {
        rule_json(&w, m, &m->rules[i]);
    }
    mt_jw_end_array(&w);
    prose_key(&w, "summary", p, false);
    prose_key(&w, "verbose", p, true);
    mt_jw_end_object(&w);
    mt_arena_free(&a);
}
