/* contract/analyze/draw.c - state machines, the authority map and flow graphs.
 * Room: contract.
 * One list of things to draw, two languages: DOT and Mermaid differ in how a group, a
 * node and an edge are written, not in what is drawn. Node names are made of numbers,
 * so no name of the contract can break the syntax; labels are escaped. */
#include "contract/analyze/report.h"
#include "contract/flow/paths.h"
#include "contract/flow/text.h"

typedef enum shape {
    STATE,
    START,
    STEP,
    CHOICE,
    HANDOFF,
    GROUP,
    END,
    PERSON,
    SHAPES
} shape;

/* ORDER shape. */
static const struct {
    const char *dot, *open, *close;
} SHAPE[SHAPES] = {
    [STATE] = {"ellipse", "([", "])"},
    [START] = {"ellipse, peripheries=2", "(((", ")))"},
    [STEP] = {"box", "[", "]"},
    [CHOICE] = {"diamond", "{", "}"},
    [HANDOFF] = {"cds", ">", "]"},
    [GROUP] = {"box, peripheries=2", "[[", "]]"},
    [END] = {"ellipse, style=filled, fillcolor=lightgrey", "([", "])"},
    [PERSON] = {"house", "{{", "}}"},
};

typedef enum line { SOLID, DASHED, DOTTED, LINES } line;

/* ORDER line. */
static const struct {
    const char *dot, *mermaid;
} LINE[LINES] = {{"solid", "-->"}, {"dashed", "-.->"}, {"dotted", "-.->"}};

typedef struct pen {
    mt_buf *out;
    const ct_analysis *an;
    const ct_model *m;
    const ct_plan *p;
    ct_picture language;
    mt_arena a;
    uint32_t groups;
    uint32_t contract; /* which of them, in the names of nodes */
    bool several;
} pen;

static void begin_group(pen *x, mt_str title)
{
    bool dot = x->language == CT_PICTURE_DOT;
    mt_buf_addf(x->out,
                dot ? "  subgraph cluster_%u {\n    label=\"" : "  subgraph g%u [\"",
                x->groups++);
    if (x->several) {
        mt_buf_add_label(x->out, x->m->id);
        mt_buf_addz(x->out, ": ");
    }
    mt_buf_add_label(x->out, title);
    mt_buf_addz(x->out, dot ? "\";\n" : "\"]\n");
}

static void end_group(pen *x)
{
    mt_buf_addz(x->out, x->language == CT_PICTURE_DOT ? "  }\n" : "  end\n");
}

static void node(pen *x, mt_str name, shape s, mt_str label)
{
    bool dot = x->language == CT_PICTURE_DOT;
    if (dot) {
        mt_buf_addf(x->out, "    c%u%.*s [shape=%s, label=\"", x->contract,
                    MT_ARG(name), SHAPE[s].dot);
    } else {
        mt_buf_addf(x->out, "    c%u%.*s%s\"", x->contract, MT_ARG(name),
                    SHAPE[s].open);
    }
    mt_buf_add_label(x->out, label);
    if (dot) {
        mt_buf_addz(x->out, "\"];\n");
    } else {
        mt_buf_addf(x->out, "\"%s\n", SHAPE[s].close);
    }
}

static void edge(pen *x, mt_str from, mt_str to, line l, mt_str label)
{
    bool dot = x->language == CT_PICTURE_DOT;
    if (dot) {
        mt_buf_addf(x->out, "    c%u%.*s -> c%u%.*s [style=%s, label=\"", x->contract,
                    MT_ARG(from), x->contract, MT_ARG(to), LINE[l].dot);
    } else {
        mt_buf_addf(x->out, "    c%u%.*s %s%s", x->contract, MT_ARG(from),
                    LINE[l].mermaid, label.len ? "|\"" : "");
    }
    mt_buf_add_label(x->out, label);
    if (dot) {
        mt_buf_addz(x->out, "\"];\n");
    } else {
        mt_buf_addf(x->out, "%s c%u%.*s\n", label.len ? "\"|" : "", x->contract,
                    MT_ARG(to));
    }
}

/* ---- state machines ---- */

static mt_str state_name(pen *x, uint32_t number)
{
    return mt_strf(&x->a, "s%u", number);
}

/* The operations that make a transition, as its label; empty: none does. */
static mt_str makers_of(pen *x, uint32_t from, uint32_t to)
{
    mt_buf text = {0};
    for (uint32_t i = x->an->moves.first[from]; i < x->an->moves.first[from + 1]; i++) {
        const ct_edge *move = &x->an->moves.items[i];
        if (move->to == to) {
            mt_buf_addf(&text, "%s%.*s", text.len ? ", " : "",
                        MT_ARG(x->m->operations[move->tag].id));
        }
    }
    mt_str kept = mt_str_dup(&x->a, mt_buf_str(&text));
    mt_buf_free(&text);
    return kept;
}

static void draw_entity(pen *x, uint32_t entity)
{
    const ct_entity *e = &x->m->entities[entity];
    uint32_t base = x->an->first_state[entity];
    begin_group(x, e->id);
    for (uint32_t s = 0; s < e->state_count; s++) {
        bool dead = !ct_bit(x->an->reach[entity].declared, s);
        mt_str label = dead ? mt_strf(&x->a, "%.*s (unreachable)", MT_ARG(e->states[s]))
                            : e->states[s];
        node(x, state_name(x, base + s), s == e->initial ? START : STATE, label);
    }
    for (uint32_t t = 0; t < e->transition_count; t++) {
        uint32_t from = base + e->transitions[t].from, to = base + e->transitions[t].to;
        mt_str makers = makers_of(x, from, to);
        edge(x, state_name(x, from), state_name(x, to), makers.len ? SOLID : DOTTED,
             makers);
    }
    end_group(x);
}

/* ---- authority ---- */

static void draw_authority(pen *x)
{
    begin_group(x, MT_STR("Authority"));
    for (uint32_t p = 0; p < x->m->persona_count; p++) {
        node(x, mt_strf(&x->a, "p%u", p), PERSON, x->m->personas[p].id);
    }
    for (uint32_t o = 0; o < x->m->operation_count; o++) {
        const ct_operation *op = &x->m->operations[o];
        mt_str name = mt_strf(&x->a, "o%u", o);
        node(x, name, STEP, op->id);
        line l = ct_admissible(x->an, o) ? SOLID : DOTTED;
        for (uint32_t i = 0; i < op->persona_count; i++) {
            edge(x, mt_strf(&x->a, "p%u", op->personas[i]), name, l, (mt_str){0});
        }
    }
    for (uint32_t e = 0; e < x->m->entity_count; e++) {
        node(x, mt_strf(&x->a, "e%u", e), STATE, x->m->entities[e].id);
    }
    for (uint32_t o = 0; o < x->m->operation_count; o++) {
        const ct_operation *op = &x->m->operations[o];
        for (uint32_t i = 0; i < op->effect_count; i++) {
            const ct_effect *f = &op->effects[i];
            const ct_entity *e = &x->m->entities[f->entity];
            edge(x, mt_strf(&x->a, "o%u", o), mt_strf(&x->a, "e%u", f->entity), SOLID,
                 mt_strf(&x->a, "%.*s to %.*s", MT_ARG(e->states[f->from]),
                         MT_ARG(e->states[f->to])));
        }
    }
    end_group(x);
}

/* ---- flows ---- */

static mt_str step_label(pen *x, const ct_plan_step *s)
{
    mt_buf text = {0};
    mt_buf_adds(&text, s->id);
    switch (s->kind) {
    case CT_OPERATION_STEP:
        mt_buf_addf(&text, ": %.*s (%.*s)", MT_ARG(x->m->operations[s->what].id),
                    MT_ARG(x->m->personas[s->persona].id));
        break;
    case CT_BRANCH_STEP:
        mt_buf_addz(&text, ": ");
        ct_expr_text(&text, x->m, x->m->conditions[s->what]);
        break;
    case CT_HANDOFF_STEP:
        mt_buf_addf(&text, ": %.*s to %.*s", MT_ARG(x->m->personas[s->persona].id),
                    MT_ARG(x->m->personas[s->to_persona].id));
        break;
    case CT_SUBFLOW_STEP:
        mt_buf_addf(&text, ": flow %.*s", MT_ARG(x->m->flows[s->what].id));
        break;
    case CT_PARALLEL_STEP: mt_buf_addz(&text, ": in parallel"); break;
    }
    mt_str kept = mt_str_dup(&x->a, mt_buf_str(&text));
    mt_buf_free(&text);
    return kept;
}

/* A step, or the flow's end of this name; ends are drawn where they are first met. */
static mt_str target_name(pen *x, uint32_t graph, ct_plan_target to)
{
    return to.step != CT_NONE ? mt_strf(&x->a, "t%u", to.step)
                              : mt_strf(&x->a, "x%u_%u", graph, to.terminal);
}

static void draw_target(pen *x, const ct_plan_step *s, ct_plan_target to, line l,
                        mt_str label)
{
    if (ct_target_given(to)) {
        edge(x, mt_strf(&x->a, "t%u", (uint32_t)(s - x->p->steps)),
             target_name(x, s->graph, to), l, label);
    }
}

static void draw_handler(pen *x, const ct_plan_step *s)
{
    const ct_plan_handler *h = &s->handler;
    mt_buf text = {0};
    mt_buf_addz(&text, "failure");
    for (uint32_t i = 0; i < h->undo_count; i++) {
        const ct_plan_undo *undo = &x->p->undos[h->first_undo + i];
        mt_buf_addf(&text, "%s%.*s", i ? ", " : ": undo ",
                    MT_ARG(x->m->operations[undo->op].id));
        ct_plan_target stop = {CT_NONE, undo->on_failure};
        draw_target(
            x, s, stop, DOTTED,
            mt_strf(&x->a, "%.*s fails", MT_ARG(x->m->operations[undo->op].id)));
    }
    if (h->kind == CT_ESCALATE) {
        mt_buf_addf(&text, ": to %.*s", MT_ARG(x->m->personas[h->persona].id));
    }
    if (h->kind != CT_HANDLER_NONE) {
        draw_target(x, s, h->next, DASHED, mt_str_dup(&x->a, mt_buf_str(&text)));
    }
    mt_buf_free(&text);
}

static void draw_targets(pen *x, const ct_plan_step *s)
{
    /* ORDER of targets in ct_plan_step. */
    static const char *const BRANCH[] = {"true", "false"}, *const JOIN[] = {
                                                               "all succeed",
                                                               "all complete"};
    for (uint32_t i = 0; i < s->target_count; i++) {
        mt_str label = {0};
        if (s->kind == CT_OPERATION_STEP) {
            label = x->p->outcomes[x->p->ops[s->what].first_outcome + i].label;
        } else if (s->kind == CT_BRANCH_STEP) {
            label = mt_str_z(BRANCH[i]);
        } else if (s->kind == CT_PARALLEL_STEP) {
            label = mt_str_z(JOIN[i]);
        } else if (s->kind == CT_SUBFLOW_STEP) {
            label = MT_STR("success");
        }
        draw_target(x, s, x->p->targets[s->first_target + i], SOLID, label);
    }
    draw_handler(x, s);
    for (uint32_t i = 0; i < s->branch_count; i++) {
        edge(x, mt_strf(&x->a, "t%u", (uint32_t)(s - x->p->steps)),
             mt_strf(&x->a, "t%u", x->p->graphs[s->first_branch + i].entry), DASHED,
             x->p->graphs[s->first_branch + i].id);
    }
}

static void draw_ends(pen *x, uint32_t graph)
{
    const ct_graph_paths *g = &x->an->graphs[graph];
    for (uint32_t i = 0; i < g->end_count; i++) {
        uint32_t t = g->ends[i].terminal;
        if (t != CT_NONE) {
            node(x, mt_strf(&x->a, "x%u_%u", graph, t), END, x->p->terminals[t].name);
        }
    }
}

static void draw_graph(pen *x, uint32_t graph)
{
    /* ORDER ct_step_kind. */
    static const shape KINDS[] = {STEP, CHOICE, HANDOFF, GROUP, GROUP};
    const ct_plan_graph *g = &x->p->graphs[graph];
    mt_mark mark = mt_arena_mark(&x->a);
    begin_group(x,
                mt_strf(&x->a, "flow %.*s", MT_ARG(ct_graph_name(&x->a, x->p, graph))));
    for (uint32_t i = g->first_step; i < g->first_step + g->step_count; i++) {
        const ct_plan_step *s = &x->p->steps[i];
        node(x, mt_strf(&x->a, "t%u", i), KINDS[s->kind], step_label(x, s));
    }
    draw_ends(x, graph);
    end_group(x);
    for (uint32_t i = g->first_step; i < g->first_step + g->step_count; i++) {
        draw_targets(x, &x->p->steps[i]);
    }
    mt_arena_rewind(&x->a, mark);
}

static void draw_contract(pen *x)
{
    bool states = ct_analysis_has(x->an, CT_S1) || ct_analysis_has(x->an, CT_S2) ||
                  ct_analysis_has(x->an, CT_S3A);
    for (uint32_t e = 0; e < x->m->entity_count && states; e++) {
        draw_entity(x, e);
    }
    if (ct_analysis_has(x->an, CT_S4)) {
        draw_authority(x);
    }
    for (uint32_t g = 0; ct_analysis_has(x->an, CT_S6) && g < x->p->graph_count; g++) {
        draw_graph(x, g);
    }
}

void ct_analysis_draw(mt_buf *out, const ct_analysis *const *list, uint32_t count,
                      mt_str title, ct_picture language)
{
    pen x = {.out = out, .language = language, .several = count > 1};
    bool dot = language == CT_PICTURE_DOT;
    if (dot) {
        mt_buf_addz(out, "digraph \"");
        mt_buf_add_label(out, title);
        mt_buf_addz(out, "\" {\n  rankdir=LR;\n  node [fontname=\"DejaVu Sans\", "
                         "fontsize=10];\n  edge [fontname=\"DejaVu Sans\", "
                         "fontsize=8];\n");
    } else {
        mt_buf_addz(out, "flowchart LR\n");
    }
    for (uint32_t i = 0; i < count; i++) {
        x.an = list[i];
        x.m = list[i]->model;
        x.p = list[i]->plan;
        x.contract = i;
        draw_contract(&x);
    }
    mt_buf_addz(out, dot ? "}\n" : "");
    mt_arena_free(&x.a);
}
