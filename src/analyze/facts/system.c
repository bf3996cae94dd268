/* analyze/facts/system.c - authority, triggers and shared entities across members.
 *
 * Members name things alike but number them differently, so everything here goes by
 * name, and a shared entity is looked at through the first member that has it.
 *
 * In order: members that are not there; what each shared persona may do where;
 * triggers (can the outcome occur, may the persona begin the flow it starts, how many
 * ways lead on behind it); shared entities (do members agree on the initial state,
 * does one make moves the other does not declare, which states no member leads to,
 * which no member leads out of).
 *
 * Chains of triggers are counted with memory (`open`, `behind`), so each is followed
 * once; a chain that comes back to itself is reported, and one longer than MAX_CHAIN
 * counts as one way. Nothing fails: what is odd is a finding (S901 to S907). */
#include "analyze/facts/system.h"

#include "base/vec.h"

typedef struct judge {
    mt_arena *a;
    const an_sys *s;
    an_findings *fs;
    an_sys_chain *chains;
    an_count *behind; /* per trigger: ways on from the flow it starts */
    uint8_t *open;    /* per trigger: 1 while its chain is counted, 2 when it is */
    uint32_t depth;
} judge;

enum { MAX_CHAIN = 1000 };

static void report(judge *j, const char *code, mt_severity severity, mt_str part,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Every finding is about the System and stands at its declaration; `part` says what of
 * it, and keeps findings apart in a baseline. */
static void report(judge *j, const char *code, mt_severity severity, mt_str part,
                   const char *format, ...)
{
    va_list args;
    const ct_code_info *info = an_finding_info(code);
    va_start(args, format);
    mt_str message = mt_strfv(j->fs->arena, format, args);
    va_end(args);
    an_finding f = {.code = info->code,
                    .analysis = "system",
                    .severity = severity,
                    .kind = "System",
                    .construct = j->s->id,
                    .part = part,
                    .origin = j->s->origin,
                    .message = message,
                    .hint = mt_str_z(info->hint)};
    an_finding_add(j->fs, &f);
}

static const an_analysis *analysis_of(const judge *j, uint32_t member)
{
    return j->s->members[member].an;
}

static mt_str member_id(const judge *j, uint32_t member)
{
    return j->s->members[member].id;
}

/* Index of a construct in the member, CT_NONE if either is missing. */
static uint32_t find_in(const judge *j, uint32_t member, ct_kind kind, mt_str id)
{
    const an_analysis *an = analysis_of(j, member);
    return an ? ct_model_find(an->model, kind, id) : CT_NONE;
}

/* ---- authority ---- */

/* Operations whose precondition can never hold by types do not count as authority. */
static uint32_t count_operations(const an_analysis *an, uint32_t persona)
{
    uint32_t count = 0;
    for (uint32_t o = 0; o < an->model->operation_count; o++) {
        count += an_admissible(an, o) && an_may_invoke(an, o, persona);
    }
    return count;
}

/* A shared persona is the same actor everywhere (§12.2), so its power is the sum; one
 * that acts in several contracts is worth a note. */
static void judge_authority(judge *j, an_sys_analysis *out)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < j->s->persona_count; i++) {
        most += j->s->personas[i].count;
    }
    an_sys_authority *list = mt_new_array(j->a, an_sys_authority, most);
    for (uint32_t i = 0; i < j->s->persona_count; i++) {
        const an_sys_shared *p = &j->s->personas[i];
        mt_buf names = {0};
        uint32_t with = 0;
        for (uint32_t k = 0; k < p->count; k++) {
            uint32_t persona = find_in(j, p->members[k], CT_KIND_PERSONA, p->name);
            uint32_t count =
                persona == CT_NONE
                    ? 0
                    : count_operations(analysis_of(j, p->members[k]), persona);
            list[out->authority_count++] = (an_sys_authority){i, p->members[k], count};
            if (count) {
                mt_buf_addf(&names, "%s%.*s (%u)", with++ ? ", " : "",
                            MT_ARG(member_id(j, p->members[k])), count);
            }
        }
        if (with > 1) {
            report(j, "S903", MT_NOTE, p->name,
                   "persona %.*s has operations in %u contracts: %.*s", MT_ARG(p->name),
                   with, MT_ARG(mt_buf_str(&names)));
        }
        mt_buf_free(&names);
    }
    out->authorities = list;
}

/* ---- triggers ---- */

/* What fires, by name; the target is in the message. */
static mt_str trigger_name(judge *j, const an_sys_trigger *t)
{
    return mt_strf(j->fs->arena, "%.*s.%.*s on %.*s", MT_ARG(member_id(j, t->source)),
                   MT_ARG(t->source_flow), MT_ARG(t->on));
}

/* By name, since members number their terminals differently. */
static bool ends_with(const an_analysis *an, const an_end *end, mt_str outcome)
{
    return end->terminal != CT_NONE &&
           mt_str_eq(an->plan->terminals[end->terminal].name, outcome);
}

/* How many paths of the flow end with this outcome; none when no states allow it. */
static an_count paths_into(const an_analysis *an, uint32_t flow, mt_str outcome)
{
    const an_graph_paths *g = &an->graphs[flow];
    bool never = mt_str_is(outcome, "success") && an->steps_reached && !g->can_succeed;
    for (uint32_t i = 0; i < g->end_count && !never; i++) {
        if (ends_with(an, &g->ends[i], outcome)) {
            return g->ends[i].paths;
        }
    }
    return an_count_of(0);
}

static void count_chain(judge *j, uint32_t trigger);

/* The paths of a flow, each as often as there are ways on behind its end: all triggers
 * of an end fire. */
static an_count paths_on(judge *j, uint32_t member, mt_str name)
{
    uint32_t flow = find_in(j, member, CT_KIND_FLOW, name);
    an_count all = {0};
    if (flow == CT_NONE) {
        return all;
    }
    const an_analysis *an = analysis_of(j, member);
    for (uint32_t i = 0; i < an->graphs[flow].end_count; i++) {
        const an_end *end = &an->graphs[flow].ends[i];
        an_count ways = end->paths;
        for (uint32_t k = 0; k < j->s->trigger_count; k++) {
            const an_sys_trigger *t = &j->s->triggers[k];
            if (t->source == member && mt_str_eq(t->source_flow, name) &&
                ends_with(an, end, t->on)) {
                count_chain(j, k);
                ways = an_count_mul(j->a, ways, j->behind[k]);
            }
        }
        all = an_count_add(j->a, all, ways);
    }
    return all;
}

/* Counts what is behind a trigger, once. Chains deeper than MAX_CHAIN are not followed;
 * what is behind counts as one way then. */
static void count_chain(judge *j, uint32_t trigger)
{
    const an_sys_trigger *t = &j->s->triggers[trigger];
    uint32_t flow = find_in(j, t->source, CT_KIND_FLOW, t->source_flow);
    if (j->open[trigger] == 1) {
        report(j, "S909", MT_WARNING, trigger_name(j, t),
               "the trigger on %.*s.%.*s leads back to itself",
               MT_ARG(member_id(j, t->source)), MT_ARG(t->source_flow));
    }
    if (j->open[trigger] || flow == CT_NONE || j->depth >= MAX_CHAIN) {
        return;
    }
    j->open[trigger] = 1;
    j->depth++;
    an_count into = paths_into(analysis_of(j, t->source), flow, t->on);
    j->behind[trigger] = paths_on(j, t->target, t->target_flow);
    j->chains[trigger] = (an_sys_chain){!an_count_zero(into),
                                        an_count_mul(j->a, into, j->behind[trigger])};
    j->depth--;
    j->open[trigger] = 2;
}

/* C-SYS-12 refuses this for the entry step; here also for operations behind branches,
 * where it depends on the facts and is a warning. */
static void judge_operation(judge *j, const an_sys_trigger *t, uint32_t op)
{
    const an_analysis *an = analysis_of(j, t->target);
    uint32_t persona = ct_model_find(an->model, CT_KIND_PERSONA, t->persona);
    if (persona == CT_NONE || !an_may_invoke(an, op, persona)) {
        report(j, "S902", MT_WARNING, trigger_name(j, t),
               "persona %.*s may not perform %.*s, which %.*s.%.*s may begin with",
               MT_ARG(t->persona), MT_ARG(an->model->operations[op].id),
               MT_ARG(member_id(j, t->target)), MT_ARG(t->target_flow));
    }
}

typedef struct todo {
    uint32_t *steps, len; /* still to be looked at */
    uint64_t *seen;       /* bit per step */
} todo;

/* Each step enters once, so the list needs no more room than there are steps. */
static void look_at(todo *l, uint32_t step)
{
    if (step != CT_NONE && !ct_bit(l->seen, step)) {
        ct_bit_set(l->seen, step);
        l->steps[l->len++] = step;
    }
}

/* The operations a flow may begin with, whatever the facts: behind branches, hand-offs
 * and into sub-flows and parallel branches. The search stops at operations: what
 * follows one is done by whoever the flow names. A sub-flow without operations is not
 * left again, so what follows it is not judged. */
static void judge_first(judge *j, const an_sys_trigger *t, uint32_t flow)
{
    const ct_plan *p = analysis_of(j, t->target)->plan;
    todo l = {mt_new_array(j->a, uint32_t, p->step_count), 0,
              mt_new_array(j->a, uint64_t, p->step_count / 64 + 1)};
    look_at(&l, p->graphs[flow].entry);
    for (uint32_t head = 0; head < l.len; head++) {
        const ct_plan_step *s = &p->steps[l.steps[head]];
        if (s->does == LN_OPERATES) {
            judge_operation(j, t, s->what);
        } else if (s->does == LN_CALLS) {
            look_at(&l, p->graphs[s->what].entry);
        } else if (s->does == LN_FORKS) {
            for (uint32_t i = 0; i < s->branch_count; i++) {
                look_at(&l, p->graphs[s->first_branch + i].entry);
            }
        } else {
            for (uint32_t i = 0; i < s->target_count; i++) {
                look_at(&l, p->targets[s->first_target + i].step);
            }
        }
    }
}

/* A trigger that can never fire is a warning, one that can is a note with the number of
 * ways through both flows. */
static void judge_trigger(judge *j, uint32_t index)
{
    const an_sys_trigger *t = &j->s->triggers[index];
    uint32_t from = find_in(j, t->source, CT_KIND_FLOW, t->source_flow);
    uint32_t to = find_in(j, t->target, CT_KIND_FLOW, t->target_flow);
    if (from == CT_NONE || to == CT_NONE) {
        return; /* a missing member was reported, a missing flow was refused */
    }
    count_chain(j, index);
    if (!j->chains[index].can_fire) {
        report(j, "S901", MT_WARNING, trigger_name(j, t),
               "no path of %.*s.%.*s ends with %.*s, so %.*s.%.*s never starts",
               MT_ARG(member_id(j, t->source)), MT_ARG(t->source_flow), MT_ARG(t->on),
               MT_ARG(member_id(j, t->target)), MT_ARG(t->target_flow));
    } else {
        report(j, "S906", MT_NOTE, trigger_name(j, t),
               "%.*s.%.*s starts %.*s.%.*s as %.*s when it ends with %.*s: %.*s paths",
               MT_ARG(member_id(j, t->source)), MT_ARG(t->source_flow),
               MT_ARG(member_id(j, t->target)), MT_ARG(t->target_flow),
               MT_ARG(t->persona), MT_ARG(t->on),
               MT_ARG(an_count_str(j->fs->arena, j->chains[index].paths)));
    }
    judge_first(j, t, to);
}

/* ---- shared entities ---- */

/* By names: state sets are equal (C-SYS-14), their order need not be. */
static bool declares(const ct_entity *e, mt_str from, mt_str to)
{
    for (uint32_t i = 0; i < e->transition_count; i++) {
        if (mt_str_eq(e->states[e->transitions[i].from], from) &&
            mt_str_eq(e->states[e->transitions[i].to], to)) {
            return true;
        }
    }
    return false;
}

/* What one member's operations do that the other does not declare. */
static void judge_pair(judge *j, const an_sys_shared *shared, uint32_t mover,
                       uint32_t other)
{
    uint32_t mine = find_in(j, mover, CT_KIND_ENTITY, shared->name);
    uint32_t theirs = find_in(j, other, CT_KIND_ENTITY, shared->name);
    if (mine == CT_NONE || theirs == CT_NONE || mover == other) {
        return;
    }
    const an_analysis *an = analysis_of(j, mover);
    const ct_entity *e = &an->model->entities[mine];
    const ct_entity *seen = &analysis_of(j, other)->model->entities[theirs];
    uint32_t base = an->first_state[mine];
    uint32_t end = an->moves.first[an->first_state[mine + 1]];
    for (uint32_t i = an->moves.first[base]; i < end; i++) {
        const an_edge *move = &an->moves.items[i];
        mt_str from = e->states[move->from - base], to = e->states[move->to - base];
        if (!declares(seen, from, to)) {
            report(j, "S904", MT_NOTE,
                   mt_strf(j->fs->arena, "%.*s: %.*s to %.*s, %.*s and %.*s",
                           MT_ARG(shared->name), MT_ARG(from), MT_ARG(to),
                           MT_ARG(member_id(j, mover)), MT_ARG(member_id(j, other))),
                   "%.*s.%.*s moves %.*s from '%.*s' to '%.*s', which %.*s does not "
                   "declare",
                   MT_ARG(member_id(j, mover)),
                   MT_ARG(an->model->operations[move->tag].id), MT_ARG(shared->name),
                   MT_ARG(from), MT_ARG(to), MT_ARG(member_id(j, other)));
        }
    }
}

/* §12.2 compares state sets only, so two members may disagree about where an entity
 * begins; the executor has to choose. */
static void judge_initial(judge *j, const an_sys_shared *shared, const ct_entity *first,
                          uint32_t member)
{
    uint32_t index = find_in(j, member, CT_KIND_ENTITY, shared->name);
    if (index == CT_NONE) {
        return;
    }
    const ct_entity *e = &analysis_of(j, member)->model->entities[index];
    mt_str mine = e->states[e->initial], theirs = first->states[first->initial];
    if (!mt_str_eq(mine, theirs)) {
        report(j, "S905", MT_WARNING,
               mt_strf(j->fs->arena, "%.*s in %.*s", MT_ARG(shared->name),
                       MT_ARG(member_id(j, member))),
               "%.*s begins in '%.*s' in %.*s, elsewhere in '%.*s'",
               MT_ARG(shared->name), MT_ARG(mine), MT_ARG(member_id(j, member)),
               MT_ARG(theirs));
    }
}

/* The moves of all members as edges between the first member's states. States the first
 * member does not know are passed over. */
static an_edges joint_moves(judge *j, const an_sys_shared *shared,
                            const ct_entity *first)
{
    uint32_t most = 0, count = 0;
    for (uint32_t k = 0; k < shared->count; k++) {
        const an_analysis *an = analysis_of(j, shared->members[k]);
        most += an ? an->moves.first[an->moves.nodes] : 0;
    }
    an_edge *edges = mt_new_array(j->a, an_edge, most);
    for (uint32_t k = 0; k < shared->count; k++) {
        uint32_t index = find_in(j, shared->members[k], CT_KIND_ENTITY, shared->name);
        if (index == CT_NONE) {
            continue;
        }
        const an_analysis *an = analysis_of(j, shared->members[k]);
        const ct_entity *e = &an->model->entities[index];
        uint32_t base = an->first_state[index];
        uint32_t end = an->moves.first[an->first_state[index + 1]];
        for (uint32_t i = an->moves.first[base]; i < end; i++) {
            const an_edge *move = &an->moves.items[i];
            uint32_t from = ct_state_find(first, e->states[move->from - base]);
            uint32_t to = ct_state_find(first, e->states[move->to - base]);
            if (from != CT_NONE && to != CT_NONE) {
                edges[count++] = (an_edge){from, to, k};
            }
        }
    }
    return an_edges_group(j->a, edges, count, first->state_count);
}

/* The transitions all members declare, between the first member's states. */
static an_edges joint_transitions(judge *j, const an_sys_shared *shared,
                                  const ct_entity *first)
{
    MT_VEC(an_edge) edges = {0};
    for (uint32_t k = 0; k < shared->count; k++) {
        uint32_t index = find_in(j, shared->members[k], CT_KIND_ENTITY, shared->name);
        if (index == CT_NONE) {
            continue;
        }
        const ct_entity *e =
            &analysis_of(j, shared->members[k])->model->entities[index];
        for (uint32_t i = 0; i < e->transition_count; i++) {
            uint32_t from = ct_state_find(first, e->states[e->transitions[i].from]);
            uint32_t to = ct_state_find(first, e->states[e->transitions[i].to]);
            if (from != CT_NONE && to != CT_NONE) {
                an_edge edge = {from, to, k};
                mt_vec_push(j->a, &edges, edge);
            }
        }
    }
    return an_edges_group(j->a, edges.items, (uint32_t)edges.len, first->state_count);
}

/* Bit set of the states that edges lead to from the initial one. */
static uint64_t *reached_by(judge *j, const ct_entity *e, const an_edges *edges)
{
    uint32_t *visited = mt_new_array(j->a, uint32_t, e->state_count);
    uint32_t *queue = mt_new_array(j->a, uint32_t, e->state_count);
    uint64_t *reached = mt_new_array(j->a, uint64_t, e->state_count / 64 + 1);
    uint32_t n = an_edges_visit(edges, 0, e->initial, NULL, NULL, visited, queue);
    for (uint32_t i = 0; i < n; i++) {
        ct_bit_set(reached, queue[i]);
    }
    return reached;
}

/* By declared transitions of all members: not even together they lead there. */
static void judge_dead(judge *j, const an_sys_shared *shared, const ct_entity *first)
{
    an_edges all = joint_transitions(j, shared, first);
    const uint64_t *reached = reached_by(j, first, &all);
    for (uint32_t s = 0; s < first->state_count; s++) {
        if (!ct_bit(reached, s)) {
            report(j, "S910", MT_WARNING,
                   mt_strf(j->fs->arena, "%.*s in %.*s", MT_ARG(shared->name),
                           MT_ARG(first->states[s])),
                   "state '%.*s' of %.*s is unreachable by the transitions of all "
                   "members together",
                   MT_ARG(first->states[s]), MT_ARG(shared->name));
        }
    }
}

/* A state that no transition leaves is an end and not a fault; one that could be left
 * but that no operation leaves is worth a word. */
static void judge_stuck(judge *j, const an_sys_shared *shared, const ct_entity *first,
                        const an_edges *moves, const uint64_t *reached)
{
    an_edges all = joint_transitions(j, shared, first);
    for (uint32_t s = 0; s < first->state_count; s++) {
        bool leaves = all.first[s] != all.first[s + 1];
        if (leaves && ct_bit(reached, s) && moves->first[s] == moves->first[s + 1]) {
            report(j, "S908", MT_NOTE,
                   mt_strf(j->fs->arena, "%.*s in %.*s", MT_ARG(shared->name),
                           MT_ARG(first->states[s])),
                   "no operation of any member leaves state '%.*s' of %.*s",
                   MT_ARG(first->states[s]), MT_ARG(shared->name));
        }
    }
}

/* Pairs in both directions, since what one member declares says nothing about what the
 * other does. */
static an_sys_entity judge_entity(judge *j, const an_sys_shared *shared)
{
    an_sys_entity out = {0};
    for (uint32_t k = 0; k < shared->count; k++) {
        uint32_t member = shared->members[k];
        uint32_t index = find_in(j, member, CT_KIND_ENTITY, shared->name);
        if (index != CT_NONE && !out.entity) {
            out.entity = &analysis_of(j, member)->model->entities[index];
        } else if (index != CT_NONE) {
            judge_initial(j, shared, out.entity, member);
        }
        for (uint32_t other = 0; other < shared->count; other++) {
            judge_pair(j, shared, member, shared->members[other]);
        }
    }
    if (!out.entity) {
        return out;
    }
    an_edges moves = joint_moves(j, shared, out.entity);
    out.reached = reached_by(j, out.entity, &moves);
    judge_dead(j, shared, out.entity);
    judge_stuck(j, shared, out.entity, &moves, out.reached);
    return out;
}

/* Ways behind a trigger start as 1, so a chain that is not followed leaves products as
 * they are. Without the paths of every member nothing is said about triggers. */
const an_sys_analysis *an_sys_analyze(mt_arena *a, const an_sys *s, an_findings *fs)
{
    an_sys_analysis *out = mt_new(a, an_sys_analysis);
    judge j = {.a = a,
               .s = s,
               .fs = fs,
               .chains = mt_new_array(a, an_sys_chain, s->trigger_count),
               .behind = mt_new_array(a, an_count, s->trigger_count),
               .open = mt_new_array(a, uint8_t, s->trigger_count)};
    for (uint32_t i = 0; i < s->trigger_count; i++) {
        j.behind[i] = an_count_of(1);
    }
    an_sys_entity *entities = mt_new_array(a, an_sys_entity, s->entity_count);
    bool flows = true;
    for (uint32_t i = 0; i < s->member_count; i++) {
        flows = flows && (!s->members[i].an || s->members[i].an->graphs);
        if (!s->members[i].an) {
            report(&j, "S907", MT_WARNING, s->members[i].id,
                   "member %.*s is not there: %.*s", MT_ARG(s->members[i].id),
                   MT_ARG(s->members[i].path));
        }
    }
    judge_authority(&j, out);
    for (uint32_t i = 0; i < s->trigger_count && flows; i++) {
        judge_trigger(&j, i);
    }
    for (uint32_t i = 0; i < s->entity_count; i++) {
        entities[i] = judge_entity(&j, &s->entities[i]);
    }
    out->system = s;
    out->flows = flows;
    out->entities = entities;
    out->chains = j.chains;
    an_findings_sort(fs);
    return out;
}
