/* contract/flow/action_space.c - open and blocked flows: what can a persona do now,
 * and why not.
 *
 * For every flow in turn: which operations would come first (find_entries(), which
 * follows branches, sub-flows and parallel steps up to the first operation of each
 * path), which of them are the persona's, whether their preconditions hold, and which
 * instances are in a source state. The first of these that fails is why the flow is
 * blocked, with everything a person needs to do something about it.
 *
 * Instances are grouped by state once (counting sort). An action holds pointers to
 * groups, not instances, so ten thousand instances cost one action. Outcomes that ask
 * for the same groups are one action with several outcomes; the caller has to name
 * one.
 *
 * Invariants: nothing is executed and nothing changes; order is that of the
 * declarations, instances by name. Several parallel entries with many outcomes
 * multiply, so ways are cut off at MAX_WAYS. A fault of an evaluation blocks that flow
 * (CT_BLOCK_EVALUATION) and no other. All memory is the caller's arena. */
#include "contract/flow/action_space.h"

typedef MT_VEC(ct_entry) entry_list;
typedef MT_VEC(uint32_t) index_list;

typedef struct finder {
    mt_arena *a;
    const ct_asker *k;
    const ct_plan *p;
    const ct_states *states;
    uint32_t persona; /* CT_NONE: not one of the contract's */
    ct_action_space *out;
} finder;

/* ---- groups ---- */

/* Counting sort of one entity's instances by state; names stay in order. */
static const ct_group *group_instances(mt_arena *a, const ct_entity *entity, uint32_t e,
                                       const ct_instances *list)
{
    ct_group *groups = mt_new_array(a, ct_group, entity->state_count);
    uint32_t *members = mt_alloc(a, mt_array_bytes(list->len, sizeof(uint32_t)));
    uint32_t *fill = mt_new_array(a, uint32_t, entity->state_count);
    for (size_t i = 0; i < list->len; i++) {
        groups[list->items[i].state].count++;
    }
    uint32_t start = 0;
    for (uint32_t s = 0; s < entity->state_count; s++) {
        groups[s].entity = e;
        groups[s].state = s;
        groups[s].members = members + start;
        fill[s] = start;
        start += groups[s].count;
    }
    for (size_t i = 0; i < list->len; i++) {
        members[fill[list->items[i].state]++] = (uint32_t)i;
    }
    return groups;
}

static void make_groups(finder *f)
{
    const ct_model *m = f->p->model;
    const ct_group **groups = mt_new_array(f->a, const ct_group *, m->entity_count);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        groups[e] = group_instances(f->a, &m->entities[e], e, &f->states->entities[e]);
    }
    f->out->groups = groups;
}

/* ---- the first operations ---- */

static mt_err find_entries(mt_arena *a, const ct_asker *k, uint32_t graph,
                           entry_list *out, uint32_t *terminal, mt_str *message);

/* What was read is known only of what is evaluated here. */
static mt_err ask(const ct_asker *k, uint32_t condition, bool *holds, mt_arena *a,
                  ct_used *used, ct_fault *fault)
{
    const ct_frozen *z = k->z;
    return z ? ct_holds(&z->snapshot, condition, z->scratch, holds, a, used, fault)
             : k->ask(k->context, condition, holds, fault);
}

/* On the frozen snapshot: the answer is the one a run would get. */
static mt_err follow_branch(mt_arena *a, const ct_asker *k, const ct_plan_step *s,
                            ct_plan_target *to, mt_str *message)
{
    bool holds;
    ct_fault fault;
    mt_err err = ask(k, s->what, &holds, a, NULL, &fault);
    if (err) {
        *message = fault.message;
        return err;
    }
    *to = k->plan->targets[s->first_target + (holds ? 0 : 1)];
    return MT_OK;
}

/* Compensation begins with its first operation; every other handler leads on. */
static ct_plan_target enter_handler(mt_arena *a, const ct_asker *k, uint32_t step,
                                    entry_list *out)
{
    const ct_plan_handler *h = &k->plan->steps[step].handler;
    if (!h->undo_count) {
        return h->next;
    }
    const ct_plan_undo *first = &k->plan->undos[h->first_undo];
    ct_entry entry = {step, first->op, first->persona};
    mt_vec_push(a, out, entry);
    return (ct_plan_target){CT_NONE, CT_NONE};
}

/* Branches of a parallel step that end at once have no first operation; if none has
 * one, the join leads on as after an empty success. */
static mt_err enter_parallel(mt_arena *a, const ct_asker *k, uint32_t step,
                             entry_list *out, ct_plan_target *to, mt_str *message)
{
    const ct_plan_step *s = &k->plan->steps[step];
    size_t before = out->len;
    bool failed = false;
    for (uint32_t i = 0; i < s->branch_count; i++) {
        uint32_t terminal = CT_NONE;
        size_t had = out->len;
        mt_err err = find_entries(a, k, s->first_branch + i, out, &terminal, message);
        if (err) {
            return err;
        }
        failed |= out->len == had &&
                  (terminal == CT_NONE || k->plan->terminals[terminal].failed);
    }
    const ct_plan_target *join = &k->plan->targets[s->first_target];
    *to = (ct_plan_target){CT_NONE, CT_NONE};
    if (out->len == before) {
        bool all = !failed && (join[0].step != CT_NONE || join[0].terminal != CT_NONE);
        bool handled = failed && s->handler.kind != CT_HANDLER_NONE;
        *to = handled ? enter_handler(a, k, step, out) : join[all ? 0 : 1];
    }
    return MT_OK;
}

/* A sub-flow whose ways end without an operation leads on at once, by how it ends. */
static mt_err enter_subflow(mt_arena *a, const ct_asker *k, uint32_t step,
                            entry_list *out, ct_plan_target *to, mt_str *message)
{
    const ct_plan_step *s = &k->plan->steps[step];
    size_t before = out->len;
    uint32_t terminal = CT_NONE;
    mt_err err = find_entries(a, k, s->what, out, &terminal, message);
    *to = (ct_plan_target){CT_NONE, CT_NONE};
    if (!err && out->len == before) {
        bool failed = terminal == CT_NONE || k->plan->terminals[terminal].failed;
        *to =
            failed ? enter_handler(a, k, step, out) : k->plan->targets[s->first_target];
    }
    return err;
}

/* Walks one graph. Steps are acyclic, and graphs nest no deeper than the plan allows.
 */
static mt_err find_entries(mt_arena *a, const ct_asker *k, uint32_t graph,
                           entry_list *out, uint32_t *terminal, mt_str *message)
{
    ct_plan_target at = {k->plan->graphs[graph].entry, CT_NONE};
    while (at.step != CT_NONE) {
        const ct_plan_step *s = &k->plan->steps[at.step];
        ct_entry entry = {at.step, s->what, s->persona};
        mt_err err = MT_OK;
        switch (s->does) {
        case LN_OPERATES: mt_vec_push(a, out, entry); return MT_OK;
        case LN_GOES_ON:
        case LN_ENDS: at = k->plan->targets[s->first_target]; break;
        case LN_DECIDES: err = follow_branch(a, k, s, &at, message); break;
        case LN_CALLS: err = enter_subflow(a, k, at.step, out, &at, message); break;
        case LN_FORKS: err = enter_parallel(a, k, at.step, out, &at, message); break;
        }
        if (err) {
            return err;
        }
    }
    *terminal = at.terminal;
    return MT_OK;
}

mt_err ct_flow_entries(mt_arena *a, const ct_frozen *z, uint32_t flow,
                       const ct_entry **entries, uint32_t *count, uint32_t *terminal,
                       mt_str *message)
{
    entry_list list = {0};
    ct_asker k = {.plan = z->plan, .z = z};
    *terminal = CT_NONE;
    mt_err err = find_entries(a, &k, flow, &list, terminal, message);
    *entries = list.items;
    *count = (uint32_t)list.len;
    return err;
}

/* ---- blocking ---- */

/* Fields that its kind does not use stay CT_NONE, and are not printed. */
static ct_blocked *block(finder *f, uint32_t flow, ct_block_kind kind)
{
    ct_blocked *b = mt_vec_add(f->a, &f->out->blocked);
    *b = (ct_blocked){.flow = flow,
                      .kind = kind,
                      .op = CT_NONE,
                      .entity = CT_NONE,
                      .terminal = CT_NONE};
    return b;
}

/* The persona's own entries; a block if it has none. */
static entry_list own_entries(finder *f, uint32_t flow, const ct_entry *all, uint32_t n)
{
    entry_list mine = {0};
    for (uint32_t i = 0; i < n; i++) {
        if (all[i].persona == f->persona &&
            ct_bit(f->p->ops[all[i].op].allowed, f->persona)) {
            mt_vec_push(f->a, &mine, all[i]);
        }
    }
    if (!mine.len) {
        block(f, flow, CT_BLOCK_PERSONA)->op = all[0].op;
    }
    return mine;
}

/* What blocks is noted here, with reasons; verdicts the precondition read are what
 * enables the action. */
static bool precondition_open(finder *f, uint32_t flow, uint32_t op,
                              index_list *verdicts)
{
    uint32_t condition = f->p->ops[op].condition;
    if (condition == CT_NONE) {
        return true;
    }
    bool holds;
    ct_fault fault;
    ct_used used = {0};
    if (ask(f->k, condition, &holds, f->a, &used, &fault)) {
        ct_blocked *b = block(f, flow, CT_BLOCK_EVALUATION);
        b->op = op;
        b->message = fault.message;
        return false;
    }
    if (!holds) {
        ct_blocked *b = block(f, flow, CT_BLOCK_PRECONDITION);
        bool value;
        b->op = op;
        if (f->k->z) {
            ct_why_all(f->a, &f->k->z->snapshot, f->p->model->conditions[condition],
                       &value, &b->reasons, &fault);
        }
        return false;
    }
    for (uint32_t i = 0; i < used.verdict_count; i++) {
        if (ct_verdict_present(f->k->z->snapshot.verdicts, used.verdicts[i])) {
            mt_vec_push(f->a, verdicts, used.verdicts[i]);
        }
    }
    return true;
}

/* Is the state a source of any effect of the operation on the entity? */
static bool is_source(const ct_operation *op, uint32_t entity, uint32_t state)
{
    for (uint32_t i = 0; i < op->effect_count; i++) {
        if (op->effects[i].entity == entity && op->effects[i].from == state) {
            return true;
        }
    }
    return false;
}

/* Instances that cannot take part: one block per state that is not a source. */
static void block_states(finder *f, uint32_t flow, uint32_t op, uint64_t *seen)
{
    const ct_operation *o = &f->p->model->operations[op];
    for (uint32_t i = 0; i < o->effect_count; i++) {
        uint32_t e = o->effects[i].entity;
        if (ct_bit(seen, e)) {
            continue;
        }
        ct_bit_set(seen, e);
        if (!f->states->entities[e].len) {
            ct_blocked *b = block(f, flow, CT_BLOCK_INSTANCE);
            b->op = op;
            b->entity = e;
        }
        for (uint32_t s = 0; s < f->p->model->entities[e].state_count; s++) {
            const ct_group *g = &f->out->groups[e][s];
            if (g->count && !is_source(o, e, s)) {
                ct_blocked *b = block(f, flow, CT_BLOCK_STATE);
                b->op = op;
                b->entity = e;
                b->group = g;
            }
        }
    }
}

/* Every other entity the flow can change needs some instance to be bound. */
static bool rest_exists(finder *f, uint32_t flow, const uint64_t *seen)
{
    bool all = true;
    for (uint32_t e = 0; e < f->p->model->entity_count; e++) {
        if (ct_bit(f->p->graphs[flow].entities, e) && !ct_bit(seen, e) &&
            !f->states->entities[e].len) {
            block(f, flow, CT_BLOCK_INSTANCE)->entity = e;
            all = false;
        }
    }
    return all;
}

/* ---- open combinations ---- */

typedef MT_VEC(ct_choice_set) set_list;

/* The sets one outcome asks for: per entity the groups of its source states. false: one
 * of them is empty. */
static bool outcome_sets(finder *f, uint32_t outcome, set_list *out)
{
    const ct_plan_effect *e = f->p->effects + f->p->outcomes[outcome].first_effect;
    const ct_plan_effect *end = e + f->p->outcomes[outcome].effect_count;
    while (e < end) {
        ct_choice_set set = {.entity = e->entity};
        set.groups = mt_new_array(f->a, const ct_group *, (size_t)(end - e));
        for (; e < end && e->entity == set.entity; e++) {
            const ct_group *g = &f->out->groups[e->entity][e->from];
            if (g->count) {
                set.groups[set.group_count++] = g;
                set.count += g->count;
            }
        }
        if (!set.count) {
            return false;
        }
        mt_vec_push(f->a, out, set);
    }
    return true;
}

/* Groups are shared, so pointers decide. */
static bool same_sets(const ct_choice_set *a, uint32_t na, const set_list *b)
{
    if (na != b->len) {
        return false;
    }
    for (uint32_t i = 0; i < na; i++) {
        const ct_choice_set *x = &a[i], *y = &b->items[i];
        if (x->entity != y->entity || x->group_count != y->group_count) {
            return false;
        }
        for (uint32_t g = 0; g < x->group_count; g++) {
            if (x->groups[g] != y->groups[g]) {
                return false;
            }
        }
    }
    return true;
}

/* One way in: the sets of one outcome of each entry so far. */
typedef struct way {
    set_list sets;       /* instances that fit, per entity */
    index_list outcomes; /* one of each entry, or several with equal sets */
} way;
typedef MT_VEC(way) way_list;

enum { MAX_WAYS = 4096 }; /* several parallel entries with many outcomes each */

/* Outcomes with the same sets are one way: the caller will have to name one. */
static void add_way(finder *f, way_list *ways, const way *before, const set_list *sets,
                    uint32_t outcome)
{
    set_list all = {0};
    for (size_t i = 0; i < before->sets.len; i++) {
        mt_vec_push(f->a, &all, before->sets.items[i]);
    }
    for (size_t i = 0; i < sets->len; i++) {
        mt_vec_push(f->a, &all, sets->items[i]);
    }
    for (size_t i = 0; i < ways->len; i++) {
        way *w = &ways->items[i];
        if (same_sets(w->sets.items, (uint32_t)w->sets.len, &all)) {
            mt_vec_push(f->a, &w->outcomes, outcome);
            return;
        }
    }
    way w = {.sets = all};
    for (size_t i = 0; i < before->outcomes.len; i++) {
        mt_vec_push(f->a, &w.outcomes, before->outcomes.items[i]);
    }
    mt_vec_push(f->a, &w.outcomes, outcome);
    mt_vec_push(f->a, ways, w);
}

/* Every outcome of one more entry, joined with every way so far; outcomes without an
 * instance in a source state fall away. */
static way_list extend(finder *f, const way_list *before, uint32_t op)
{
    way_list ways = {0};
    const ct_plan_op *o = &f->p->ops[op];
    for (uint32_t i = 0; i < o->outcome_count; i++) {
        set_list sets = {0};
        if (!outcome_sets(f, o->first_outcome + i, &sets)) {
            continue;
        }
        for (size_t w = 0; w < before->len && ways.len < MAX_WAYS; w++) {
            add_way(f, &ways, &before->items[w], &sets, o->first_outcome + i);
        }
    }
    return ways;
}

/* One action per way: all entries of the persona begin together. */
static void open_flow(finder *f, uint32_t flow, const entry_list *mine,
                      const index_list *verdicts)
{
    way_list ways = {0};
    way empty = {0};
    mt_vec_push(f->a, &ways, empty);
    for (size_t i = 0; i < mine->len; i++) {
        ways = extend(f, &ways, mine->items[i].op);
    }
    for (size_t i = 0; i < ways.len; i++) {
        ct_action *action = mt_vec_add(f->a, &f->out->actions);
        *action = (ct_action){
            .flow = flow,
            .entries = mine->items,
            .entry_count = (uint32_t)mine->len,
            .outcomes = ways.items[i].outcomes.items,
            .outcome_count = (uint32_t)ways.items[i].outcomes.len,
            .bindings = ways.items[i].sets.items,
            .binding_count = (uint32_t)ways.items[i].sets.len,
            .verdicts = verdicts->items,
            .verdict_count = (uint32_t)verdicts->len,
        };
    }
}

/* Open or blocked, and if blocked with the first reason there is. */
static void consider(finder *f, uint32_t flow)
{
    entry_list all = {0};
    uint32_t terminal = CT_NONE;
    mt_str message = {0};
    if (find_entries(f->a, f->k, flow, &all, &terminal, &message)) {
        block(f, flow, CT_BLOCK_EVALUATION)->message = message;
        return;
    }
    if (!all.len) {
        block(f, flow, CT_BLOCK_NOTHING)->terminal = terminal;
        return;
    }
    entry_list mine = own_entries(f, flow, all.items, (uint32_t)all.len);
    index_list verdicts = {0};
    bool open = mine.len > 0;
    for (size_t i = 0; i < mine.len; i++) {
        open &= precondition_open(f, flow, mine.items[i].op, &verdicts);
    }
    if (!open) {
        return;
    }
    uint64_t *seen = mt_new_array(f->a, uint64_t, f->p->entity_words);
    for (size_t i = 0; i < mine.len; i++) {
        block_states(f, flow, mine.items[i].op, seen);
    }
    if (rest_exists(f, flow, seen)) {
        open_flow(f, flow, &mine, &verdicts);
    }
}

/* Empty, with the instances grouped. */
static finder start(mt_arena *a, const ct_asker *k, const ct_states *states,
                    mt_str persona, ct_action_space *out)
{
    const ct_group *const *groups = out->groups;
    *out = (ct_action_space){
        .persona = ct_model_find(k->plan->model, CT_KIND_PERSONA, persona),
        .persona_name = persona,
        .states = states,
        .groups = groups};
    finder f = {a, k, k->plan, states, out->persona, out};
    if (!groups) {
        make_groups(&f);
    }
    return f;
}

void ct_actions(mt_arena *a, const ct_frozen *z, const ct_states *states,
                mt_str persona, ct_action_space *out)
{
    ct_asker k = {.plan = z->plan, .z = z};
    out->groups = NULL;
    finder f = start(a, &k, states, persona, out);
    for (uint32_t i = 0; i < z->plan->model->flow_count; i++) {
        consider(&f, i);
    }
}

void ct_actions_of(mt_arena *a, const ct_asker *k, const ct_states *states,
                   mt_str persona, uint32_t flow, ct_action_space *out)
{
    finder f = start(a, k, states, persona, out);
    consider(&f, flow);
}
