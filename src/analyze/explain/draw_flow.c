/* analyze/explain/draw_flow.c - a flow: its steps in lanes, one per persona.
 *
 * A flow and the branches of its parallel steps share the lanes. Of each graph first
 * the steps, then where they lead, so that ends stand where they are first met; then
 * the branches, which may be nested as deeply as the loader allows.
 *
 * Edges are told apart by their line: solid for success, dashed for failure and its
 * handler, dotted for an undo that fails. Conditions, effects and triggers are in the
 * tooltips, so the picture stays readable.
 *
 * Every step and end notes its node in the actor (begin, steps, ends), where triggers
 * find it afterwards. An outcome that a trigger waits for and the flow does not have
 * is drawn too, faded: that is the fault the author looks for. */
#include "analyze/explain/draw_internal.h"
#include "contract/flow/paths.h"
#include "contract/flow/text.h"

/* One flow being drawn. `graph` and `name`
 * change while its branches are; the lanes stay. */
typedef struct course {
    an_scene *x;
    an_actor *who;
    const ct_model *m;
    const ct_plan *plan;
    uint32_t flow, group;
    uint32_t graph; /* at hand */
    mt_str name;    /* of it */
} course;

/* A lane is made when its persona first acts, so lanes stand in order of the flow. */
static uint32_t lane_of(course *c, uint32_t persona)
{
    if (persona == CT_NONE) {
        return c->group;
    }
    if (c->who->lanes[persona].owner != c->flow) {
        mt_str id = c->m->personas[persona].id;
        mt_picture_group lane = {
            .name = mt_strf(c->x->a, "%.*s/lane/%.*s",
                            MT_ARG(c->x->p->groups.items[c->group].name), MT_ARG(id)),
            .label = id,
            .parent = c->group,
            .persona = c->who->colour[persona],
            .frame = MT_LANE};
        c->who->lanes[persona] =
            (an_made){c->flow, mt_picture_add_group(c->x->p, lane)};
    }
    return c->who->lanes[persona].index;
}

/* ---- steps ---- */

/* The step's own name, and below it what it does. */
static mt_str step_label(course *c, const ct_plan_step *s)
{
    mt_buf text = {0};
    mt_buf_addf(&text, "%.*s\n", MT_ARG(s->id));
    switch (s->does) {
    case LN_OPERATES: mt_buf_adds(&text, c->m->operations[s->what].id); break;
    case LN_DECIDES: ct_expr_text(&text, c->m, c->m->conditions[s->what]); break;
    case LN_GOES_ON:
        mt_buf_addf(&text, "to %.*s", MT_ARG(c->m->personas[s->to_persona].id));
        break;
    case LN_CALLS:
        mt_buf_addf(&text, "flow %.*s", MT_ARG(c->m->flows[s->what].id));
        break;
    case LN_FORKS: mt_buf_addz(&text, "in parallel"); break;
    case LN_ENDS: mt_buf_addz(&text, "ends at once"); break;
    }
    return mt_picture_keep(c->x->a, &text);
}

/* More than the label has room for: who acts, and
 * for an operation its condition and effects. */
static mt_str step_tip(course *c, const ct_plan_step *s)
{
    mt_buf text = {0};
    mt_str persona =
        s->persona == CT_NONE ? (mt_str){0} : c->m->personas[s->persona].id;
    if (persona.len) {
        mt_buf_addf(&text, "%.*s", MT_ARG(persona));
    }
    if (s->does == LN_OPERATES) {
        mt_buf_addz(&text, ": ");
        mt_buf_adds(&text, an_draw_operation_tip(c->x, c->who, s->what));
    } else if (s->does == LN_DECIDES) {
        mt_buf_addz(&text, " decides: ");
        ct_expr_text(&text, c->m, c->m->conditions[s->what]);
    } else if (s->does == LN_GOES_ON) {
        mt_buf_addf(&text, " hands over to %.*s",
                    MT_ARG(c->m->personas[s->to_persona].id));
    }
    return mt_picture_keep(c->x->a, &text);
}

/* Faded where the analysis has found that the step is never come to. steps_reached is
 * NULL where that was not asked. */
static void draw_step(course *c, uint32_t step)
{
    static const mt_role ROLES[LN_DOINGS] = {
        [LN_OPERATES] = MT_ROLE_OPERATION, [LN_DECIDES] = MT_ROLE_CHOICE,
        [LN_GOES_ON] = MT_ROLE_HANDOFF,    [LN_CALLS] = MT_ROLE_FLOW,
        [LN_FORKS] = MT_ROLE_PARALLEL,     [LN_ENDS] = MT_ROLE_HANDOFF};
    const ct_plan_step *s = &c->plan->steps[step];
    const uint64_t *reached = c->who->an->steps_reached;
    mt_picture_node node = {
        .name = mt_strf(c->x->a, "%.*s/%.*s", MT_ARG(c->name), MT_ARG(s->id)),
        .label = step_label(c, s),
        .tooltip = step_tip(c, s),
        .group = lane_of(c, s->persona),
        .persona = s->persona == CT_NONE ? MT_PICTURE_NONE : c->who->colour[s->persona],
        .role = ROLES[s->does],
        .faded = reached && !ct_bit(reached, step)};
    c->who->steps[step] = mt_picture_add_node(c->x->p, node);
}

/* ---- where they lead ---- */

/* One node per terminal of a graph, made when it is first met. */
static uint32_t end_node(course *c, uint32_t terminal)
{
    if (c->who->ends[terminal].owner != c->graph) {
        const ct_plan_terminal *t = &c->plan->terminals[terminal];
        mt_picture_node node = {.name = mt_strf(c->x->a, "%.*s//end/%.*s",
                                                MT_ARG(c->name), MT_ARG(t->name)),
                                .label = t->name,
                                .group = c->group,
                                .persona = MT_PICTURE_NONE,
                                .role = t->failed ? MT_ROLE_FAILURE : MT_ROLE_SUCCESS};
        c->who->ends[terminal] =
            (an_made){c->graph, mt_picture_add_node(c->x->p, node)};
    }
    return c->who->ends[terminal].index;
}

/* A target that a join leaves open is not drawn.
 * from, to and persona of `edge` are set here. */
static void draw_way(course *c, const ct_plan_step *s, ct_plan_target to,
                     mt_picture_edge edge)
{
    if (!ct_target_given(to)) {
        return;
    }
    edge.from = c->who->steps[s - c->plan->steps];
    edge.to = to.step != CT_NONE ? c->who->steps[to.step] : end_node(c, to.terminal);
    edge.persona = MT_PICTURE_NONE;
    mt_picture_add_edge(c->x->p, edge);
}

/* A compensation that fails is an edge of its own, to the end it names. */
static void draw_handler(course *c, const ct_plan_step *s)
{
    const ct_plan_handler *h = &s->handler;
    mt_buf text = {0};
    mt_buf_addz(&text, "failure");
    for (uint32_t i = 0; i < h->undo_count; i++) {
        const ct_plan_undo *undo = &c->plan->undos[h->first_undo + i];
        mt_str id = c->m->operations[undo->op].id;
        mt_buf_addf(&text, "%s%.*s", i ? ", " : ": undo by ", MT_ARG(id));
        ct_plan_target stop = {CT_NONE, undo->on_failure};
        mt_picture_edge edge = {.label = mt_strf(c->x->a, "%.*s fails", MT_ARG(id)),
                                .tooltip =
                                    an_draw_operation_tip(c->x, c->who, undo->op),
                                .line = MT_DOTTED};
        draw_way(c, s, stop, edge);
    }
    if (h->kind == CT_ESCALATE) {
        mt_buf_addf(&text, ": to %.*s", MT_ARG(c->m->personas[h->persona].id));
    }
    mt_picture_edge edge = {.label = mt_picture_keep(c->x->a, &text),
                            .line = MT_DASHED};
    if (h->kind != CT_HANDLER_NONE) {
        draw_way(c, s, h->next, edge);
    }
}

/* The condition under which a branch is left this way. */
static mt_str branch_tip(course *c, const ct_plan_step *s, bool holds)
{
    mt_buf text = {0};
    mt_buf_addz(&text, holds ? "when " : "unless ");
    ct_expr_text(&text, c->m, c->m->conditions[s->what]);
    return mt_picture_keep(c->x->a, &text);
}

/* One edge per target, labelled by what leads there. */
static void draw_ways(course *c, const ct_plan_step *s)
{
    /* ORDER of targets in ct_plan_step. */
    static const char *const BRANCH[] = {"true", "false"};
    static const char *const JOIN[] = {"all succeed", "all complete"};
    for (uint32_t i = 0; i < s->target_count; i++) {
        mt_picture_edge edge = {0};
        if (s->does == LN_OPERATES) {
            edge.label =
                c->plan->outcomes[c->plan->ops[s->what].first_outcome + i].label;
        } else if (s->does == LN_DECIDES) {
            edge.label = mt_str_z(BRANCH[i]);
            edge.tooltip = branch_tip(c, s, i == 0);
        } else if (s->does == LN_FORKS) {
            edge.label = mt_str_z(JOIN[i]);
        } else if (s->does == LN_CALLS) {
            edge.label = MT_STR("success");
        }
        draw_way(c, s, c->plan->targets[s->first_target + i], edge);
    }
    draw_handler(c, s);
}

/* ---- graphs ---- */

/* A line more in the tooltip of an end or a start: "starts store.send as clerk". */
static void add_tip(course *c, uint32_t node, const char *verb, uint32_t member,
                    mt_str flow, const an_sys_trigger *t)
{
    mt_picture_node *n = &c->x->p->nodes.items[node];
    n->tooltip =
        mt_strf(c->x->a, "%.*s%s%s %.*s.%.*s on %.*s, as %.*s", MT_ARG(n->tooltip),
                n->tooltip.len ? "\n" : "", verb, MT_ARG(c->x->actors[member].id),
                MT_ARG(flow), MT_ARG(t->on), MT_ARG(t->persona));
}

/* Who starts the flow. */
static void note_starters(course *c)
{
    for (uint32_t i = 0; c->x->system && i < c->x->system->trigger_count; i++) {
        const an_sys_trigger *t = &c->x->system->triggers[i];
        if (&c->x->actors[t->target] == c->who &&
            mt_str_eq(t->target_flow, c->m->flows[c->flow].id)) {
            add_tip(c, c->who->begin[c->flow], "started by", t->source, t->source_flow,
                    t);
        }
    }
}

/* Where the System's triggers start from; an outcome the flow does not have is drawn
 * too, but faded. */
static void note_triggers(course *c)
{
    for (uint32_t i = 0; c->x->system && i < c->x->system->trigger_count; i++) {
        const an_sys_trigger *t = &c->x->system->triggers[i];
        if (&c->x->actors[t->source] != c->who ||
            !mt_str_eq(t->source_flow, c->m->flows[c->flow].id)) {
            continue;
        }
        uint32_t terminal = ct_plan_terminal_named(c->plan, t->on);
        if (terminal != CT_NONE && c->who->ends[terminal].owner == c->graph) {
            c->x->fires[i] = c->who->ends[terminal].index;
            add_tip(c, c->x->fires[i], "starts", t->target, t->target_flow, t);
            continue;
        }
        mt_picture_node never = {
            .name = an_draw_name(c->x, c->who, "flow/%.*s//end/%.*s",
                                 MT_ARG(t->source_flow), MT_ARG(t->on)),
            .label = mt_strf(c->x->a, "%.*s\n(never)", MT_ARG(t->on)),
            .group = c->group,
            .persona = MT_PICTURE_NONE,
            .role = MT_ROLE_SUCCESS,
            .faded = true};
        c->x->fires[i] = mt_picture_add_node(c->x->p, never);
    }
}

static void draw_graph(course *c, uint32_t graph);

/* The edge to a branch comes after the branch, as its first step needs a node. */
static void draw_branches(course *c, uint32_t step)
{
    const ct_plan_step *s = &c->plan->steps[step];
    for (uint32_t i = 0; i < s->branch_count; i++) {
        const ct_plan_graph *branch = &c->plan->graphs[s->first_branch + i];
        draw_graph(c, s->first_branch + i);
        mt_picture_edge edge = {.from = c->who->steps[step],
                                .to = c->who->steps[branch->entry],
                                .label = branch->id,
                                .persona = MT_PICTURE_NONE,
                                .line = MT_DASHED};
        mt_picture_add_edge(c->x->p, edge);
    }
}

/* Ways to a named Terminal lead to the end itself; it is a place only where a flow
 * begins with it. */
static bool is_drawn(const course *c, const ct_plan_graph *g, uint32_t step)
{
    return c->plan->steps[step].does != LN_ENDS || step == g->entry;
}

/* Branches of a parallel step are graphs, too, and drawn inside it. */
static void draw_graph(course *c, uint32_t graph)
{
    const ct_plan_graph *g = &c->plan->graphs[graph];
    uint32_t end = g->first_step + g->step_count;
    mt_str path = ct_graph_name(c->x->a, c->plan, graph);
    c->name = an_draw_name(c->x, c->who, "flow/%.*s", MT_ARG(path));
    c->graph = graph;
    for (uint32_t i = g->first_step; i < end; i++) {
        if (is_drawn(c, g, i)) {
            draw_step(c, i);
        }
    }
    if (g->owner == CT_NONE) {
        c->who->begin[c->flow] =
            mt_picture_add_start(c->x->p, c->who->steps[g->entry],
                                 mt_strf(c->x->a, "%.*s//start", MT_ARG(c->name)),
                                 mt_strf(c->x->a, "flow %.*s begins", MT_ARG(g->id)));
    }
    for (uint32_t i = g->first_step; i < end; i++) {
        if (is_drawn(c, g, i)) {
            draw_ways(c, &c->plan->steps[i]);
        }
    }
    if (g->owner == CT_NONE) {
        note_starters(c);
        note_triggers(c);
    }
    for (uint32_t i = g->first_step; i < end; i++) {
        draw_branches(c, i);
    }
}

void an_draw_flow(an_scene *x, an_actor *who, uint32_t flow)
{
    const ct_plan *plan = who->an->plan;
    mt_str id = who->an->model->flows[flow].id;
    course c = {.x = x, .who = who, .m = who->an->model, .plan = plan, .flow = flow};
    c.group = an_draw_box(x, who, an_draw_name(x, who, "flow/%.*s", MT_ARG(id)),
                          mt_strf(x->a, "flow %.*s", MT_ARG(id)));
    draw_graph(&c, flow);
}
