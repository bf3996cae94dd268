/* analyze/explain/draw_rules.c - the authority map, and facts, rules and verdicts.
 *
 * Authority: who may perform what, and what that moves. Rules: what each reads, facts
 * first, then stratum by stratum, then the operations that ask for what came out, so
 * that edges lead forwards.
 *
 * A rule reads a fact once in the picture, however often its condition names it:
 * `fact_seen` and `verdict_seen` hold the last rule that did. Verdicts are nodes of
 * their own between the rule that makes them and the rules and operations that read
 * them.
 *
 * Expressions are as deep as the loader allows, and walked by recursion. Nothing here
 * can fail. */
#include "analyze/explain/draw_internal.h"
#include "contract/flow/text.h"

/* ---- authority ---- */

/* Outside of every member when the System shares it, else in the group. */
static uint32_t persona_node(an_scene *x, const an_actor *who, uint32_t group,
                             uint32_t persona)
{
    mt_str id = who->an->model->personas[persona].id;
    bool shared = an_draw_shared_persona(x, who, persona) != CT_NONE;
    mt_picture_node node = {
        .name = an_draw_name(x, shared ? NULL : who, "persona/%.*s", MT_ARG(id)),
        .label = id,
        .group = shared ? MT_PICTURE_NONE : group,
        .persona = who->colour[persona],
        .role = MT_ROLE_PERSONA};
    uint32_t there = mt_picture_find(x->p, node.name);
    return there != MT_PICTURE_NONE ? there : mt_picture_add_node(x->p, node);
}

/* Faded where its precondition can never hold by types (S3a). */
static uint32_t operation_node(an_scene *x, const an_actor *who, uint32_t group,
                               uint32_t op)
{
    const ct_model *m = who->an->model;
    mt_buf label = {0};
    mt_buf_adds(&label, m->operations[op].id);
    an_draw_effects(&label, m, op);
    mt_picture_node node = {
        .name = an_draw_name(x, who, "operation/%.*s", MT_ARG(m->operations[op].id)),
        .label = mt_picture_keep(x->a, &label),
        .tooltip = an_draw_operation_tip(x, who, op),
        .group = group,
        .persona = an_draw_operation_colour(who, op),
        .role = MT_ROLE_OPERATION,
        .faded = !an_admissible(who->an, op)};
    return mt_picture_add_node(x->p, node);
}

/* Personas before operations, so that every edge finds its node. */
void an_draw_authority(an_scene *x, const an_actor *who)
{
    const ct_model *m = who->an->model;
    const uint32_t *personas =
        an_in_order(x->a, ct_persona, m->personas, m->persona_count);
    const uint32_t *ops =
        an_in_order(x->a, ct_operation, m->operations, m->operation_count);
    uint32_t *nodes = mt_new_array(x->a, uint32_t, m->persona_count + 1);
    uint32_t group =
        an_draw_box(x, who, an_draw_name(x, who, "authority"), MT_STR("Authority"));
    for (uint32_t i = 0; i < m->persona_count; i++) {
        nodes[personas[i]] = persona_node(x, who, group, personas[i]);
    }
    for (uint32_t i = 0; i < m->operation_count; i++) {
        const ct_operation *op = &m->operations[ops[i]];
        uint32_t node = operation_node(x, who, group, ops[i]);
        for (uint32_t k = 0; k < op->persona_count; k++) {
            mt_picture_edge may = {.from = nodes[op->personas[k]],
                                   .to = node,
                                   .persona = who->colour[op->personas[k]],
                                   .line = an_admissible(who->an, ops[i]) ? MT_SOLID
                                                                          : MT_DOTTED};
            mt_picture_add_edge(x->p, may);
        }
    }
}

/* ---- rules ---- */

/* The rule or operation whose condition is being walked: `reader` is its number, that
 * of operations behind the rules; `node` its node. */
typedef struct reading {
    an_scene *x;
    const uint32_t *facts, *verdicts;   /* nodes */
    uint32_t *fact_seen, *verdict_seen; /* by which reader + 1 last */
    uint32_t reader, node;
} reading;

/* Readers are numbered from 0, hence + 1: a zeroed array means "by none". */
static void read_from(reading *r, uint32_t *seen, uint32_t index, uint32_t node)
{
    if (seen[index] != r->reader + 1) {
        seen[index] = r->reader + 1;
        mt_picture_edge edge = {
            .from = node, .to = r->node, .persona = MT_PICTURE_NONE};
        mt_picture_add_edge(r->x->p, edge);
    }
}

/* Every fact and verdict the expression reads, once per reader. */
static void read_expr(reading *r, const ct_expr *e)
{
    if (!e) {
        return;
    }
    if (e->op == CT_FACT) {
        read_from(r, r->fact_seen, e->index, r->facts[e->index]);
    } else if (e->op == CT_PRESENT || e->op == CT_PAYLOAD) {
        read_from(r, r->verdict_seen, e->index, r->verdicts[e->index]);
    }
    read_expr(r, e->left);
    read_expr(r, e->right);
}

/* By fact of the model its node. Facts stand in a
 * lane of their own, without one if there are none. */
static uint32_t *fact_nodes(an_scene *x, const an_actor *who, uint32_t parent)
{
    const ct_model *m = who->an->model;
    uint32_t *nodes = mt_new_array(x->a, uint32_t, m->fact_count + 1);
    const uint32_t *order = an_in_order(x->a, ct_fact, m->facts, m->fact_count);
    mt_picture_group group = {.name = an_draw_name(x, who, "facts"),
                              .label = MT_STR("facts"),
                              .parent = parent,
                              .persona = MT_PICTURE_NONE,
                              .frame = MT_LANE};
    uint32_t lane = m->fact_count ? mt_picture_add_group(x->p, group) : parent;
    for (uint32_t i = 0; i < m->fact_count; i++) {
        const ct_fact *f = &m->facts[order[i]];
        mt_picture_node node = {
            .name = an_draw_name(x, who, "fact/%.*s", MT_ARG(f->id)),
            .label = f->id,
            .tooltip = mt_strf(x->a, "source %.*s", MT_ARG(f->source)),
            .group = lane,
            .persona = MT_PICTURE_NONE,
            .role = MT_ROLE_FACT};
        nodes[order[i]] = mt_picture_add_node(x->p, node);
    }
    return nodes;
}

static mt_str tip_of(an_scene *x, const ct_model *m, const char *lead, const ct_expr *e)
{
    mt_buf tip = {0};
    mt_buf_addz(&tip, lead);
    ct_expr_text(&tip, m, e);
    return mt_picture_keep(x->a, &tip);
}

/* Faded where the condition can never hold, as far as the analysis knows. */
static uint32_t rule_node(an_scene *x, const an_actor *who, uint32_t lane,
                          uint32_t rule)
{
    const ct_model *m = who->an->model;
    const ct_rule *r = &m->rules[rule];
    mt_picture_node node = {.name = an_draw_name(x, who, "rule/%.*s", MT_ARG(r->id)),
                            .label = r->id,
                            .tooltip = tip_of(x, m, "when ", r->when),
                            .group = lane,
                            .persona = MT_PICTURE_NONE,
                            .role = MT_ROLE_RULE,
                            .faded = !(who->an->rule_truth[rule] & AN_CAN_HOLD)};
    return mt_picture_add_node(x->p, node);
}

static uint32_t verdict_node(an_scene *x, const an_actor *who, uint32_t lane,
                             uint32_t rule)
{
    const ct_model *m = who->an->model;
    const ct_rule *r = &m->rules[rule];
    mt_picture_node node = {
        .name = an_draw_name(x, who, "verdict/%.*s", MT_ARG(r->verdict)),
        .label = r->verdict,
        .tooltip = tip_of(x, m, "payload ", r->payload),
        .group = lane,
        .persona = MT_PICTURE_NONE,
        .role = MT_ROLE_VERDICT};
    return mt_picture_add_node(x->p, node);
}

/* Rules lie by stratum: `order` are those of one stratum after the other. */
static void rule_nodes(an_scene *x, const an_actor *who, uint32_t parent,
                       uint32_t *rules, uint32_t *verdicts)
{
    const ct_model *m = who->an->model;
    for (uint32_t first = 0, end; first < m->rule_count; first = end) {
        uint32_t stratum = m->rules[first].stratum;
        for (end = first; end < m->rule_count && m->rules[end].stratum == stratum;) {
            end++;
        }
        mt_picture_group lane = {.name = an_draw_name(x, who, "stratum/%u", stratum),
                                 .label = mt_strf(x->a, "stratum %u", stratum),
                                 .parent = parent,
                                 .persona = MT_PICTURE_NONE,
                                 .frame = MT_LANE};
        uint32_t group = mt_picture_add_group(x->p, lane);
        const uint32_t *order =
            an_in_order(x->a, ct_rule, m->rules + first, end - first);
        for (uint32_t i = 0; i < end - first; i++) {
            uint32_t rule = first + order[i];
            rules[rule] = rule_node(x, who, group, rule);
            verdicts[rule] = verdict_node(x, who, group, rule);
        }
    }
}

static bool reads_any(const ct_expr *e)
{
    return e && (e->op == CT_FACT || e->op == CT_PRESENT || e->op == CT_PAYLOAD ||
                 reads_any(e->left) || reads_any(e->right));
}

/* What all of it leads to: operations whose precondition asks for a verdict or a fact,
 * in a lane behind the strata. They are in the authority map, too, so their names here
 * end in `when`. */
static void operation_nodes(reading *r, const an_actor *who, uint32_t parent)
{
    const ct_model *m = who->an->model;
    const uint32_t *order =
        an_in_order(r->x->a, ct_operation, m->operations, m->operation_count);
    mt_picture_group group = {.name = an_draw_name(r->x, who, "rules/operations"),
                              .label = MT_STR("operations"),
                              .parent = parent,
                              .persona = MT_PICTURE_NONE,
                              .frame = MT_LANE};
    uint32_t lane = MT_PICTURE_NONE;
    for (uint32_t i = 0; i < m->operation_count; i++) {
        const ct_operation *op = &m->operations[order[i]];
        if (!reads_any(op->precondition)) {
            continue;
        }
        lane = lane == MT_PICTURE_NONE ? mt_picture_add_group(r->x->p, group) : lane;
        mt_picture_node node = {
            .name = an_draw_name(r->x, who, "operation/%.*s/when", MT_ARG(op->id)),
            .label = op->id,
            .tooltip = an_draw_operation_tip(r->x, who, order[i]),
            .group = lane,
            .persona = an_draw_operation_colour(who, order[i]),
            .role = MT_ROLE_OPERATION,
            .faded = !an_admissible(who->an, order[i])};
        r->node = mt_picture_add_node(r->x->p, node);
        r->reader = m->rule_count + order[i];
        read_expr(r, op->precondition);
    }
}

/* Nodes first, edges last: a rule may read a verdict that is drawn later in its
 * lane. */
void an_draw_rules(an_scene *x, const an_actor *who)
{
    const ct_model *m = who->an->model;
    uint32_t parent =
        an_draw_box(x, who, an_draw_name(x, who, "rules"), MT_STR("Rules"));
    uint32_t *rules = mt_new_array(x->a, uint32_t, m->rule_count + 1);
    uint32_t *verdicts = mt_new_array(x->a, uint32_t, m->rule_count + 1);
    reading r = {.x = x,
                 .facts = fact_nodes(x, who, parent),
                 .verdicts = verdicts,
                 .fact_seen = mt_new_array(x->a, uint32_t, m->fact_count + 1),
                 .verdict_seen = mt_new_array(x->a, uint32_t, m->rule_count + 1)};
    rule_nodes(x, who, parent, rules, verdicts);
    for (r.reader = 0; r.reader < m->rule_count; r.reader++) {
        r.node = rules[r.reader];
        read_expr(&r, m->rules[r.reader].when);
        read_expr(&r, m->rules[r.reader].payload);
        mt_picture_edge produces = {
            .from = r.node, .to = verdicts[r.reader], .persona = MT_PICTURE_NONE};
        mt_picture_add_edge(x->p, produces);
    }
    operation_nodes(&r, who, parent);
}
