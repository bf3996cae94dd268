/* contract/flow/action_print.c - an action space as JSON.
 *
 * Actions first, then what is blocked and why, then the verdicts that hold, each in
 * declaration order; instances in order of their names. Keys are in byte order, as
 * everywhere; which keys a blocked action has follows from its kind (ct_block_kind),
 * and keys that would be null are left out.
 *
 * A choice of instances may be large, so it is printed from the groups of
 * action_space.c without being copied: one group is in order already, several are
 * merged by sorting their numbers.
 *
 * Nothing can fail. The space, the frozen contract and the states must outlive the
 * call; nothing is kept. */
#include <stdlib.h>

#include "contract/flow/action_space.h"
#include "contract/flow/text.h"

mt_str ct_block_name(ct_block_kind kind)
{
    static const mt_str NAMES[] = {
        [CT_BLOCK_PERSONA] = MT_STR_INIT("PersonaNotAuthorized"),
        [CT_BLOCK_PRECONDITION] = MT_STR_INIT("PreconditionNotMet"),
        [CT_BLOCK_STATE] = MT_STR_INIT("EntityNotInSourceState"),
        [CT_BLOCK_INSTANCE] = MT_STR_INIT("NoInstance"),
        [CT_BLOCK_EVALUATION] = MT_STR_INIT("EvaluationError"),
        [CT_BLOCK_NOTHING] = MT_STR_INIT("NoOperationReached"),
    };
    MT_TABLE_COVERS(NAMES, CT_BLOCK_NOTHING + 1);
    return NAMES[kind];
}

typedef struct printer {
    mt_jw w;
    const ct_plan *p;
    const ct_frozen *z;
    const ct_action_space *space;
} printer;

static mt_str member_id(const printer *pr, const ct_group *g, uint32_t i)
{
    return pr->space->states->entities[g->entity].items[g->members[i]].id;
}

/* The number of an instance is its place among the names in order, so sorting
 * numbers sorts names. */
static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Members of one group are in order; several groups are merged by sorting. */
static void set_json(printer *pr, const ct_choice_set *set)
{
    uint32_t *all =
        mt_xmalloc(mt_array_bytes(set->count ? set->count : 1, sizeof *all));
    uint32_t n = 0;
    for (uint32_t g = 0; g < set->group_count; g++) {
        for (uint32_t i = 0; i < set->groups[g]->count; i++) {
            all[n++] = set->groups[g]->members[i];
        }
    }
    if (set->group_count > 1) {
        qsort(all, n, sizeof *all, by_number);
    }
    mt_jw_begin_array(&pr->w);
    for (uint32_t i = 0; i < n; i++) {
        mt_jw_str(&pr->w, pr->space->states->entities[set->entity].items[all[i]].id);
    }
    mt_jw_end_array(&pr->w);
    free(all);
}

static int by_entity_name(const void *a, const void *b, void *plan)
{
    const ct_plan *p = *(const ct_plan *const *)plan;
    return mt_str_cmp(ct_entity_id(p, ((const ct_choice_set *)a)->entity),
                      ct_entity_id(p, ((const ct_choice_set *)b)->entity));
}

/* A copy is sorted, for keys are in byte order and bindings are as declared. */
static void bindings_json(printer *pr, const ct_action *action)
{
    size_t bytes = mt_array_bytes(action->binding_count + 1, sizeof(ct_choice_set));
    ct_choice_set *sets = mt_xmalloc(bytes);
    if (action->binding_count) {
        memcpy(sets, action->bindings, action->binding_count * sizeof *sets);
        qsort_r(sets, action->binding_count, sizeof *sets, by_entity_name, &pr->p);
    }
    mt_jw_begin_object(&pr->w);
    for (uint32_t i = 0; i < action->binding_count; i++) {
        mt_jw_key(&pr->w, ct_entity_id(pr->p, sets[i].entity));
        set_json(pr, &sets[i]);
    }
    mt_jw_end_object(&pr->w);
    free(sets);
}

/* Entities the flow also needs an instance of, though any will do to begin with. */
static void also_binds_json(printer *pr, const ct_action *action)
{
    mt_jw_begin_array(&pr->w);
    for (uint32_t e = 0; e < pr->p->model->entity_count; e++) {
        bool bound = !ct_bit(pr->p->graphs[action->flow].entities, e);
        for (uint32_t i = 0; i < action->binding_count && !bound; i++) {
            bound = action->bindings[i].entity == e;
        }
        if (!bound) {
            mt_jw_str(&pr->w, ct_entity_id(pr->p, e));
        }
    }
    mt_jw_end_array(&pr->w);
}

static void affected_json(printer *pr, const ct_action *action)
{
    const ct_plan *p = pr->p;
    mt_jw_begin_array(&pr->w);
    for (uint32_t i = 0; i < action->binding_count; i++) {
        const ct_choice_set *set = &action->bindings[i];
        for (uint32_t g = 0; g < set->group_count; g++) {
            mt_jw_begin_object(&pr->w);
            uint32_t state = set->groups[g]->state;
            mt_jw_key_str(&pr->w, "current_state",
                          ct_plan_state_id(p, set->entity, state));
            mt_jw_key_str(&pr->w, "entity_id", ct_entity_id(p, set->entity));
            mt_jw_keyz(&pr->w, "possible_transitions");
            mt_jw_begin_array(&pr->w);
            const ct_entity *entity = &p->model->entities[set->entity];
            for (uint32_t t = 0; t < entity->transition_count; t++) {
                if (entity->transitions[t].from == state) {
                    mt_jw_str(&pr->w, entity->states[entity->transitions[t].to]);
                }
            }
            mt_jw_end_array(&pr->w);
            mt_jw_end_object(&pr->w);
        }
    }
    mt_jw_end_array(&pr->w);
}

static void verdict_json(printer *pr, uint32_t rule)
{
    const ct_rule *r = &pr->p->model->rules[rule];
    mt_buf payload = {0};
    ct_value_json(&payload, r->payload_type,
                  ct_verdict_payload(pr->z->snapshot.verdicts, rule));
    mt_jw_begin_object(&pr->w);
    mt_jw_keyz(&pr->w, "payload");
    mt_jw_raw(&pr->w, mt_buf_str(&payload));
    mt_jw_key_str(&pr->w, "producing_rule", r->id);
    mt_jw_key_i64(&pr->w, "stratum", r->stratum);
    mt_jw_key_str(&pr->w, "verdict_type", r->verdict);
    mt_jw_end_object(&pr->w);
    mt_buf_free(&payload);
}

static void enabling_json(printer *pr, const ct_action *action)
{
    mt_jw_begin_array(&pr->w);
    for (uint32_t i = 0; i < action->verdict_count; i++) {
        bool seen = false;
        /* Few: those that one precondition asks for. */
        for (uint32_t j = 0; j < i && !seen; j++) {
            seen = action->verdicts[j] == action->verdicts[i];
        }
        if (!seen) {
            verdict_json(pr, action->verdicts[i]);
        }
    }
    mt_jw_end_array(&pr->w);
}

/* "Execute f: op transitions E from a to b, …". */
static void description(mt_buf *out, const printer *pr, const ct_action *action)
{
    const ct_plan *p = pr->p;
    mt_buf_addf(out, "Execute %.*s:", MT_ARG(p->graphs[action->flow].id));
    for (uint32_t i = 0; i < action->entry_count; i++) {
        const ct_operation *op = &p->model->operations[action->entries[i].op];
        mt_buf_addf(out, "%s %.*s", i ? ";" : "", MT_ARG(op->id));
        for (uint32_t e = 0; e < op->effect_count; e++) {
            const ct_effect *f = &op->effects[e];
            mt_buf_addf(out, "%s %.*s from %.*s to %.*s", e ? "," : " transitions",
                        MT_ARG(ct_entity_id(p, f->entity)),
                        MT_ARG(ct_plan_state_id(p, f->entity, f->from)),
                        MT_ARG(ct_plan_state_id(p, f->entity, f->to)));
        }
    }
}

static void action_json(printer *pr, const ct_action *action)
{
    mt_jw *w = &pr->w;
    mt_buf text = {0};
    description(&text, pr, action);
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "affected_entities");
    affected_json(pr, action);
    mt_jw_keyz(w, "also_binds");
    also_binds_json(pr, action);
    mt_jw_key_str(w, "description", mt_buf_str(&text));
    mt_jw_keyz(w, "enabling_verdicts");
    enabling_json(pr, action);
    /* The first, for readers that know one; a flow may begin with several, by its
     * branches. */
    mt_jw_key_str(w, "entry_operation_id",
                  ct_operation_id(pr->p, action->entries[0].op));
    mt_jw_keyz(w, "entry_operations");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < action->entry_count; i++) {
        mt_jw_str(w, ct_operation_id(pr->p, action->entries[i].op));
    }
    mt_jw_end_array(w);
    mt_jw_key_str(w, "flow_id", pr->p->graphs[action->flow].id);
    mt_jw_keyz(w, "instance_bindings");
    bindings_json(pr, action);
    mt_jw_keyz(w, "outcomes");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < action->outcome_count; i++) {
        mt_jw_str(w, pr->p->outcomes[action->outcomes[i]].label);
    }
    mt_jw_end_array(w);
    mt_jw_key_str(w, "persona_id", pr->space->persona_name);
    mt_jw_keyz(w, "personas"); /* §15.6: a set; entries are those of one persona */
    mt_jw_begin_array(w);
    mt_jw_str(w, pr->space->persona_name);
    mt_jw_end_array(w);
    mt_jw_end_object(w);
    mt_buf_free(&text);
}

/* ---- blocked ---- */

static void missing_verdicts_json(printer *pr, const ct_reasons *reasons)
{
    mt_jw_begin_array(&pr->w);
    for (size_t i = 0; i < reasons->len; i++) {
        const ct_expr *e = reasons->items[i].atom;
        if (e->op == CT_PRESENT && !reasons->items[i].value) {
            mt_jw_str(&pr->w, pr->p->model->rules[e->index].verdict);
        }
    }
    mt_jw_end_array(&pr->w);
}

static void parts_json(printer *pr, const ct_reasons *reasons)
{
    mt_buf text = {0};
    mt_jw_begin_array(&pr->w);
    for (size_t i = 0; i < reasons->len; i++) {
        mt_buf_clear(&text);
        ct_expr_text(&text, pr->p->model, reasons->items[i].atom);
        mt_jw_begin_object(&pr->w);
        mt_jw_key_str(&pr->w, "part", mt_buf_str(&text));
        mt_jw_key_bool(&pr->w, "value", reasons->items[i].value);
        mt_jw_end_object(&pr->w);
    }
    mt_jw_end_array(&pr->w);
    mt_buf_free(&text);
}

static void sources_json(printer *pr, const ct_blocked *b)
{
    const ct_operation *op = &pr->p->model->operations[b->op];
    mt_jw_keyz(&pr->w, "required_states");
    mt_jw_begin_array(&pr->w);
    for (uint32_t i = 0; i < op->effect_count; i++) {
        bool seen = op->effects[i].entity != b->entity;
        for (uint32_t j = 0; j < i && !seen; j++) {
            seen = op->effects[j].entity == b->entity &&
                   op->effects[j].from == op->effects[i].from;
        }
        if (!seen) {
            mt_jw_str(&pr->w, ct_plan_state_id(pr->p, b->entity, op->effects[i].from));
        }
    }
    mt_jw_end_array(&pr->w);
}

/* CT_BLOCK_STATE is raised for an entity of the operation's effects, so the search
 * ends. */
static mt_str first_source(const ct_plan *p, const ct_blocked *b)
{
    const ct_operation *op = &p->model->operations[b->op];
    uint32_t i = 0;
    while (op->effects[i].entity != b->entity) {
        i++;
    }
    return ct_plan_state_id(p, b->entity, op->effects[i].from);
}

static void reason_json(printer *pr, const ct_blocked *b)
{
    mt_jw *w = &pr->w;
    const ct_plan *p = pr->p;
    mt_jw_begin_object(w);
    if (b->kind == CT_BLOCK_STATE) {
        mt_jw_key_str(w, "current_state",
                      ct_plan_state_id(p, b->entity, b->group->state));
    }
    if (b->entity != CT_NONE) {
        mt_jw_key_str(w, "entity_id", ct_entity_id(p, b->entity));
    }
    if (b->kind == CT_BLOCK_PRECONDITION) {
        mt_jw_keyz(w, "false_parts");
        parts_json(pr, &b->reasons);
    }
    if (b->message.ptr) {
        mt_jw_key_str(w, "message", b->message);
    }
    if (b->kind == CT_BLOCK_PRECONDITION) {
        mt_jw_keyz(w, "missing_verdicts");
        missing_verdicts_json(pr, &b->reasons);
    }
    if (b->op != CT_NONE) {
        mt_jw_key_str(w, "operation_id", ct_operation_id(p, b->op));
    }
    if (b->terminal != CT_NONE) {
        mt_jw_key_str(w, "outcome", p->terminals[b->terminal].name);
    }
    if (b->kind == CT_BLOCK_STATE) {
        mt_jw_key_str(w, "required_state", first_source(p, b));
        sources_json(pr, b);
    }
    mt_jw_key_str(w, "type", ct_block_name(b->kind));
    mt_jw_end_object(w);
}

static void blocked_json(printer *pr, const ct_blocked *b)
{
    mt_jw *w = &pr->w;
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "flow_id", pr->p->graphs[b->flow].id);
    mt_jw_keyz(w, "instance_bindings");
    mt_jw_begin_object(w);
    if (b->group) {
        mt_jw_key(w, ct_entity_id(pr->p, b->entity));
        mt_jw_begin_array(w);
        for (uint32_t i = 0; i < b->group->count; i++) {
            mt_jw_str(w, member_id(pr, b->group, i));
        }
        mt_jw_end_array(w);
    }
    mt_jw_end_object(w);
    mt_jw_keyz(w, "reason");
    reason_json(pr, b);
    mt_jw_end_object(w);
}

void ct_actions_json(mt_buf *out, const ct_frozen *z, const ct_action_space *space)
{
    printer pr = {mt_jw_start(out, false), z->plan, z, space};
    mt_jw *w = &pr.w;
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "actions");
    mt_jw_begin_array(w);
    for (size_t i = 0; i < space->actions.len; i++) {
        action_json(&pr, &space->actions.items[i]);
    }
    mt_jw_end_array(w);
    mt_jw_keyz(w, "blocked_actions");
    mt_jw_begin_array(w);
    for (size_t i = 0; i < space->blocked.len; i++) {
        blocked_json(&pr, &space->blocked.items[i]);
    }
    mt_jw_end_array(w);
    mt_jw_keyz(w, "current_verdicts");
    mt_jw_begin_array(w);
    for (uint32_t r = 0; r < z->plan->model->rule_count; r++) {
        if (ct_verdict_present(z->snapshot.verdicts, r)) {
            verdict_json(&pr, r);
        }
    }
    mt_jw_end_array(w);
    mt_jw_key_str(w, "persona_id", space->persona_name);
    mt_jw_end_object(w);
}
