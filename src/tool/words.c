/* tool/words.c - tools, results and refusals in words, for people and for models.
 * Room: tool.
 * The contract's own: conditions as the language writes them, states, personas and
 * sources by their names. What a refusal says is the executor's problem, told line by
 * line: what was wrong, each false condition, what would have to change. */
#include "contract/flow/text.h"
#include "tool/turn.h"

static void list_texts(mt_buf *out, const mt_json *items)
{
    for (uint32_t i = 0; mt_json_is(items, MT_JSON_ARRAY) && i < items->count; i++) {
        mt_buf_addf(out, "%s%.*s", i ? ", " : "",
                    MT_ARG(mt_json_text(&items->as.items[i])));
    }
}

/* ---- Tools ---- */

/* Which effect belongs to which outcome is said only where there are several. */
static void effects_words(mt_buf *out, const ct_model *m, const ct_operation *op)
{
    for (uint32_t i = 0; i < op->effect_count; i++) {
        const ct_effect *f = &op->effects[i];
        const ct_entity *e = &m->entities[f->entity];
        mt_buf_addf(out, " Moves %.*s from %.*s to %.*s", MT_ARG(e->id),
                    MT_ARG(e->states[f->from]), MT_ARG(e->states[f->to]));
        if (f->outcome != CT_NONE && op->outcome_count > 1) {
            mt_buf_addf(out, " (outcome %.*s)", MT_ARG(op->outcomes[f->outcome]));
        }
        mt_buf_addc(out, '.');
    }
}

/* An operation without a precondition is always possible as far as facts go; nothing is
 * said then. */
static void operation_words(mt_buf *out, const ct_model *m, uint32_t what)
{
    const ct_operation *op = &m->operations[what];
    mt_buf_addf(out, "Performs the operation %.*s.", MT_ARG(op->id));
    effects_words(out, m, op);
    if (op->precondition) {
        mt_buf_addz(out, " Possible only when: ");
        ct_expr_text(out, m, op->precondition);
        mt_buf_addc(out, '.');
    }
}

/* Steps that only lead on are not told: they would be words about nothing. */
static void step_words(mt_buf *out, const ct_plan *p, const ct_plan_step *s)
{
    const ct_model *m = p->model;
    switch (s->does) {
    case LN_OPERATES:
        mt_buf_addf(out, " %.*s does %.*s.", MT_ARG(m->personas[s->persona].id),
                    MT_ARG(m->operations[s->what].id));
        break;
    case LN_CALLS:
        mt_buf_addf(out, " The flow %.*s runs.", MT_ARG(p->graphs[s->what].id));
        break;
    case LN_DECIDES:
        mt_buf_addz(out, " It depends on whether ");
        ct_expr_text(out, m, m->conditions[s->what]);
        mt_buf_addc(out, '.');
        break;
    case LN_GOES_ON:
    case LN_FORKS:
    case LN_ENDS: break;
    }
}

/* In the order of the contract, which is how people read it; the way through depends on
 * the conditions. */
static void flow_words(mt_buf *out, const ct_plan *p, uint32_t flow)
{
    const ct_plan_graph *g = &p->graphs[flow];
    mt_buf_addf(out,
                "Starts the flow %.*s. It runs on as long as this persona is to act, "
                "and waits where somebody else is. Its steps:",
                MT_ARG(g->id));
    for (uint32_t i = 0; i < g->step_count; i++) {
        step_words(out, p, &p->steps[g->first_step + i]);
    }
}

void tl_tool_words(mt_buf *out, const tl_set *s, const tl_tool *tool)
{
    static const char *const OWN[TL_KIND_COUNT] = {
#define OWN_WORDS(id, name, reads, words) [TL_##id] = words,
        TL_OWN_MAP(OWN_WORDS)
#undef OWN_WORDS
    };
    if (tool->kind == TL_OPERATION) {
        operation_words(out, s->plan->model, tool->what);
    } else if (tool->kind == TL_FLOW) {
        flow_words(out, s->plan, tool->what);
    } else {
        mt_buf_addz(out, OWN[tool->kind]);
    }
}

/* ---- Names of the contract ---- */

/* A source's place in its system, as text: `path`, or field and system. */
static void place_words(mt_buf *out, const ct_fact *f)
{
    mt_arena a = {0};
    mt_json source;
    if (!mt_json_read(&a, f->source, NULL, &source, NULL)) {
        mt_str path = mt_text_at(&source, "path"), field = mt_text_at(&source, "field");
        mt_str free_text = mt_json_text(&source);
        mt_str shown = path.len ? path : field.len ? field : free_text;
        if (shown.len) {
            mt_buf_addf(out, " (%.*s)", MT_ARG(shown));
        }
    }
    mt_arena_free(&a);
}

void tl_source_words(mt_buf *out, const ct_model *m, uint32_t fact)
{
    const ct_fact *f = &m->facts[fact];
    if (f->source_id != CT_NONE) {
        mt_buf_addf(out, "the source %.*s", MT_ARG(m->sources[f->source_id].id));
    } else {
        mt_buf_addz(out, "its source");
    }
    place_words(out, f);
}

/* Whether it may be given is about this caller, so the same fact reads differently to
 * different ones. */
static void fact_words(mt_buf *out, const tl_turn *t, uint32_t fact)
{
    const ct_model *m = t->set->plan->model;
    mt_buf_addf(out, "%.*s: a fact. ", MT_ARG(m->facts[fact].id));
    if (ex_view_may_give(&t->view, &t->as, fact)) {
        mt_buf_addz(out, "You may give it under `facts`.");
    } else {
        mt_buf_addz(out, "It comes from ");
        tl_source_words(out, m, fact);
        mt_buf_addz(out, "; you cannot give it.");
    }
    if (m->facts[fact].otherwise) {
        mt_buf_addz(out, " If nobody gives it: ");
        ct_value_text(out, m->facts[fact].type, m->facts[fact].otherwise);
        mt_buf_addc(out, '.');
    }
    mt_buf_addc(out, '\n');
}

static void entity_words(mt_buf *out, const ct_entity *e)
{
    mt_buf_addf(out, "%.*s: an entity. States:", MT_ARG(e->id));
    for (uint32_t i = 0; i < e->state_count; i++) {
        mt_buf_addf(out, "%s %.*s%s", i ? "," : "", MT_ARG(e->states[i]),
                    i == e->initial ? " (at first)" : "");
    }
    mt_buf_addz(out, ".\n");
}

static void verdict_words(mt_buf *out, const ct_model *m, uint32_t rule)
{
    mt_buf_addf(out, "%.*s: a verdict. Holds when: ", MT_ARG(m->rules[rule].verdict));
    ct_expr_text(out, m, m->rules[rule].when);
    mt_buf_addz(out, ".\n");
}

/* A line each, the name first. */
static void one_tool(mt_buf *out, const tl_set *s, const tl_tool *tool)
{
    mt_buf_addf(out, "%.*s: ", MT_ARG(tool->name));
    tl_tool_words(out, s, tool);
    mt_buf_addc(out, '\n');
}

/* A name may be of several kinds at once; all are told. */
bool tl_name_words(mt_buf *out, const tl_turn *t, mt_str name)
{
    const ct_model *m = t->set->plan->model;
    size_t before = out->len;
    uint32_t i;
    const tl_tool *tool = tl_set_find(t->set, name);
    if (tool) {
        one_tool(out, t->set, tool);
    }
    if ((i = ct_model_find(m, CT_KIND_VERDICT, name)) != CT_NONE) {
        verdict_words(out, m, i);
    }
    if ((i = ct_model_find(m, CT_KIND_FACT, name)) != CT_NONE) {
        fact_words(out, t, i);
    }
    if ((i = ct_model_find(m, CT_KIND_ENTITY, name)) != CT_NONE) {
        entity_words(out, &m->entities[i]);
    }
    return out->len > before;
}

/* Tools of our own are left out: their descriptions are in the list already. */
void tl_set_words(mt_buf *out, const tl_turn *t)
{
    const ct_model *m = t->set->plan->model;
    mt_buf_addf(out, "The contract %.*s, as %.*s.\n\n", MT_ARG(t->set->contract),
                MT_ARG(tl_persona(t)));
    for (size_t i = 0; i < t->set->count; i++) {
        if (t->set->tools[i].kind <= TL_FLOW) {
            one_tool(out, t->set, &t->set->tools[i]);
        }
    }
    mt_buf_addc(out, '\n');
    for (uint32_t i = 0; i < m->entity_count; i++) {
        entity_words(out, &m->entities[i]);
    }
    for (uint32_t i = 0; i < m->rule_count; i++) {
        verdict_words(out, m, i);
    }
    for (uint32_t i = 0; i < m->fact_count; i++) {
        fact_words(out, t, i);
    }
}

/* ---- Results ---- */

/* What a condition rests on is there only as far as this caller may know it. */
static void reasons_words(mt_buf *out, const mt_json *reasons)
{
    for (uint32_t i = 0; mt_json_is(reasons, MT_JSON_ARRAY) && i < reasons->count;
         i++) {
        const mt_json *r = &reasons->as.items[i], *value = mt_json_at(r, "value");
        mt_buf_addf(out, "- %.*s is %s", MT_ARG(mt_text_at(r, "condition")),
                    value && value->boolean ? "true" : "false");
        if (mt_json_is(mt_json_at(r, "rests_on"), MT_JSON_ARRAY)) {
            mt_buf_addz(out, "; it rests on ");
            list_texts(out, mt_json_at(r, "rests_on"));
        }
        mt_buf_addc(out, '\n');
    }
}

/* The smallest changes that would make it possible, as the executor found them. */
static void changes_words(mt_buf *out, const mt_json *changes)
{
    if (!mt_json_is(changes, MT_JSON_ARRAY) || !changes->count) {
        return;
    }
    mt_buf_addz(out, changes->count > 1 ? "It would be possible with one of these:\n"
                                        : "It would be possible with this:\n");
    for (uint32_t i = 0; i < changes->count; i++) {
        mt_buf_addf(out, "- %.*s\n",
                    MT_ARG(mt_text_at(&changes->as.items[i], "condition")));
    }
}

/* A list of the problem in one sentence; nothing where it is not there. */
static void member_words(mt_buf *out, const mt_json *problem, const char *key,
                         const char *before)
{
    const mt_json *v = mt_json_get(problem, mt_str_z(key));
    if (mt_json_is(v, MT_JSON_ARRAY) && v->count) {
        mt_buf_addz(out, before);
        list_texts(out, v);
        mt_buf_addz(out, ".\n");
    }
}

/* First what was wrong, then why, then what would help: a model reads from the top. */
void tl_problem_words(mt_buf *out, const mt_json *problem, const mt_json *changes)
{
    mt_str detail = mt_text_at(problem, "detail"), title = mt_text_at(problem, "title");
    mt_buf_addf(out, "Refused (%.*s): %.*s.\n", MT_ARG(mt_text_at(problem, "code")),
                MT_ARG(detail.len ? detail : title));
    reasons_words(out, mt_json_at(problem, "reasons"));
    changes_words(out, changes);
    member_words(out, problem, "needs", "It would need: ");
    member_words(out, problem, "outcomes", "Name one of the outcomes: ");
    mt_str state = mt_text_at(problem, "state");
    if (state.len && mt_json_at(problem, "expected")) {
        mt_buf_addf(out, "%.*s/%.*s is in the state %.*s; it would have to be in: ",
                    MT_ARG(mt_text_at(problem, "entity")),
                    MT_ARG(mt_text_at(problem, "instance")), MT_ARG(state));
        list_texts(out, mt_json_at(problem, "expected"));
        mt_buf_addz(out, ".\n");
    }
}

static void moves_words(mt_buf *out, const mt_json *changes)
{
    for (uint32_t i = 0; mt_json_is(changes, MT_JSON_ARRAY) && i < changes->count;
         i++) {
        const mt_json *c = &changes->as.items[i];
        mt_buf_addf(out, "- %.*s/%.*s: %.*s to %.*s\n",
                    MT_ARG(mt_text_at(c, "entity_id")),
                    MT_ARG(mt_text_at(c, "instance_id")), MT_ARG(mt_text_at(c, "from")),
                    MT_ARG(mt_text_at(c, "to")));
    }
}

/* A dry run says so in its first words: whoever reads no further must not believe that
 * it was done. */
void tl_done_words(mt_buf *out, const mt_json *reply)
{
    bool dry = mt_json_at(reply, "simulation") != NULL;
    mt_buf_addf(out, "%s: %.*s, outcome %.*s.\n",
                dry ? "It would be done, nothing was changed" : "Done",
                MT_ARG(mt_text_at(reply, "operation")),
                MT_ARG(mt_text_at(reply, "outcome")));
    moves_words(out, mt_json_at(reply, "changes"));
}

static void waiting_words(mt_buf *out, const mt_json *waiting)
{
    mt_buf_addf(out, "It waits for the persona %.*s at the step %.*s.",
                MT_ARG(mt_text_at(waiting, "persona")),
                MT_ARG(mt_text_at(waiting, "step")));
    const mt_json *outcomes = mt_json_at(waiting, "outcomes");
    if (mt_json_is(outcomes, MT_JSON_ARRAY) && outcomes->count > 1) {
        mt_buf_addz(out, " The outcome is to be named: ");
        list_texts(out, outcomes);
        mt_buf_addc(out, '.');
    }
    mt_buf_addc(out, '\n');
}

/* Of a flow that waits the last line says for whom, since that is what to do next. */
void tl_flow_words(mt_buf *out, const mt_json *flow)
{
    mt_str outcome = mt_text_at(flow, "outcome"), id = mt_text_at(flow, "id");
    bool dry = mt_json_at(flow, "simulation") != NULL;
    mt_buf_addf(out, "%sThe flow %.*s%s%.*s is %.*s%s%.*s.\n",
                dry ? "Tried, nothing was changed; everybody did their part. " : "",
                MT_ARG(mt_text_at(flow, "flow")), id.len ? ", execution " : "",
                MT_ARG(id), MT_ARG(mt_text_at(flow, "status")),
                outcome.len ? ", outcome " : "", MT_ARG(outcome));
    moves_words(out, mt_json_at(flow, "changes"));
    const mt_json *steps = mt_json_at(flow, "steps");
    for (uint32_t i = 0; mt_json_is(steps, MT_JSON_ARRAY) && i < steps->count; i++) {
        const mt_json *s = &steps->as.items[i];
        mt_buf_addf(out, "- %.*s: %.*s\n", MT_ARG(mt_text_at(s, "step_id")),
                    MT_ARG(mt_text_at(s, "result")));
    }
    const mt_json *waiting = mt_json_at(flow, "waiting");
    if (waiting) {
        waiting_words(out, waiting);
    }
}
