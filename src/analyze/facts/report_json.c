/* analyze/facts/report_json.c - an analysis for programs.
 *
 * One key per obligation (PARTS), always all of them, null for those that were not
 * asked for or not finished. Counts are strings of digits: they may have hundreds.
 * Keys are in byte order; lists are in declaration order.
 *
 * Reports can be larger than memory, so the sink flushes while writing and bounds what
 * is listed: entries of S3a and S4, paths and steps of S6. Where something was left
 * out the number of all is still said. When a flush fails (the reader went away)
 * everything ends soon, and the JSON is not complete; an_sink.stopped says so.
 *
 * The personas' reach of S4 is computed here, one after the other, because keeping all
 * of them would need memory for every pair. */
#include "analyze/facts/report.h"
#include "contract/flow/paths.h"

enum { FLUSH_AT = 1 << 16 };

/* Asked at least once per listed entry, so the buffer does not grow far beyond
 * FLUSH_AT. Without a flush the whole report is kept. */
bool an_sink_go_on(an_sink *s)
{
    if (s->flush && s->out->len >= FLUSH_AT && !s->flush(s->context, s->out)) {
        s->stopped = true;
    }
    return !s->stopped;
}

/* The allowance is in steps and not in paths: a hundred long paths weigh more than a
 * thousand short ones. */
bool an_sink_listed(an_sink *s, uint32_t steps)
{
    s->steps -= steps < s->steps ? steps : s->steps;
    return an_sink_go_on(s) && s->steps;
}

typedef struct writer {
    an_sink *sink;
    mt_jw *w;
    const an_analysis *an;
    const ct_model *m;
    mt_arena a;
    mt_str *graph_names;
    size_t listed; /* paths of the flow in hand */
} writer;

/* Empty means "does not apply", which programs should not confuse with a name. */
static void string_or_null(mt_jw *w, mt_str s)
{
    if (s.len) {
        mt_jw_str(w, s);
    } else {
        mt_jw_null(w);
    }
}

static void count_json(writer *x, an_count n)
{
    mt_jw_str(x->w, an_count_str(&x->a, n));
}

/* The states of an entity whose bit is `value`. */
static void states_json(writer *x, uint32_t entity, const uint64_t *set, bool value)
{
    const ct_entity *e = &x->m->entities[entity];
    mt_jw_begin_array(x->w);
    for (uint32_t s = 0; s < e->state_count; s++) {
        if (ct_bit(set, s) == value) {
            mt_jw_str(x->w, e->states[s]);
        }
    }
    mt_jw_end_array(x->w);
}

/* ---- S1, S2 ---- */

/* Entities are in declaration order and not sorted by key, hence the unsorted
 * object. */
static void s1(writer *x)
{
    mt_jw *w = x->w;
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "entities");
    mt_jw_begin_unsorted(w);
    for (uint32_t i = 0; i < x->m->entity_count && an_sink_go_on(x->sink); i++) {
        const ct_entity *e = &x->m->entities[i];
        mt_jw_key(w, e->id);
        mt_jw_begin_object(w);
        mt_jw_keyz(w, "declared_states");
        mt_jw_begin_array(w);
        for (uint32_t s = 0; s < e->state_count; s++) {
            mt_jw_str(w, e->states[s]);
        }
        mt_jw_end_array(w);
        mt_jw_key_str(w, "entity_id", e->id);
        mt_jw_key_str(w, "initial_state", e->states[e->initial]);
        mt_jw_key_i64(w, "state_count", e->state_count);
        mt_jw_keyz(w, "transitions");
        mt_jw_begin_array(w);
        for (uint32_t t = 0; t < e->transition_count; t++) {
            mt_jw_begin_array(w);
            mt_jw_str(w, e->states[e->transitions[t].from]);
            mt_jw_str(w, e->states[e->transitions[t].to]);
            mt_jw_end_array(w);
        }
        mt_jw_end_array(w);
        mt_jw_end_object(w);
    }
    mt_jw_end_object(w);
    mt_jw_key_i64(w, "total_states", x->an->first_state[x->m->entity_count]);
    mt_jw_end_object(w);
}

/* "reachable" is by declared transitions, "operated" what operations lead to, which is
 * the stronger statement. One instance per entity, and preconditions by types only, are
 * said in the report because they bound what it proves. */
static void s2(writer *x)
{
    mt_jw *w = x->w;
    bool dead = false;
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "entities");
    mt_jw_begin_unsorted(w);
    for (uint32_t i = 0; i < x->m->entity_count && an_sink_go_on(x->sink); i++) {
        const ct_entity *e = &x->m->entities[i];
        const an_reach *r = &x->an->reach[i];
        dead |= r->declared_count < e->state_count;
        mt_jw_key(w, e->id);
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "entity_id", e->id);
        mt_jw_key_str(w, "initial_state", e->states[e->initial]);
        mt_jw_keyz(w, "operated_states");
        states_json(x, i, r->operated, true);
        mt_jw_keyz(w, "reachable_states");
        states_json(x, i, r->declared, true);
        if (r->open_count) {
            mt_jw_keyz(w, "undecided_states");
            states_json(x, i, r->open, true);
        }
        mt_jw_keyz(w, "unreachable_states");
        states_json(x, i, r->declared, false);
        mt_jw_end_object(w);
    }
    mt_jw_end_object(w);
    mt_jw_key_bool(w, "has_dead_states", dead);
    mt_jw_key_i64(w, "instances", 1);
    mt_jw_key_str(w, "preconditions", MT_STR("types"));
    mt_jw_end_object(w);
}

/* ---- S3a, S4 ---- */

/* Most operations that leave one state: room for an_operations_in(). One array for all
 * calls; the moves are grouped by state, so the largest group is enough. */
static uint32_t *operation_room(writer *x)
{
    uint32_t most = 1, states = x->an->first_state[x->m->entity_count];
    for (uint32_t s = 0; s < states; s++) {
        uint32_t n = x->an->moves.first[s + 1] - x->an->moves.first[s];
        most = n > most ? n : most;
    }
    return mt_new_array(&x->a, uint32_t, most);
}

static void operations_json(writer *x, const uint32_t *ops, uint32_t count)
{
    mt_jw_begin_array(x->w);
    for (uint32_t i = 0; i < count; i++) {
        mt_jw_str(x->w, x->m->operations[ops[i]].id);
    }
    mt_jw_end_array(x->w);
}

/* The personas' pairs of one state; false: enough. States that nothing leaves are
 * passed over before personas are tried: most of the pairs in a large contract. */
static bool s3_state(writer *x, uint32_t entity, uint32_t state, uint32_t *ops,
                     size_t *left)
{
    const ct_entity *e = &x->m->entities[entity];
    uint32_t number = an_state_number(x->an, entity, state);
    if (x->an->moves.first[number] == x->an->moves.first[number + 1]) {
        return true;
    }
    for (uint32_t p = 0; p < x->m->persona_count; p++) {
        uint32_t n = an_operations_in(x->an, p, entity, state, ops);
        if (!n) {
            continue;
        }
        if (*left < n || !an_sink_go_on(x->sink)) {
            return false;
        }
        *left -= n;
        mt_jw_key(x->w,
                  mt_strf(&x->a, "%.*s:%.*s:%.*s", MT_ARG(e->id),
                          MT_ARG(e->states[state]), MT_ARG(x->m->personas[p].id)));
        operations_json(x, ops, n);
    }
    return true;
}

/* `left` bounds how many entries are listed; when they do not fit, the report says
 * that not all are there. total_combinations_checked counts pairs of state and persona,
 * also those that are not listed. */
static void s3(writer *x)
{
    mt_jw *w = x->w;
    uint32_t *ops = operation_room(x);
    size_t left = x->sink->entries;
    bool all = true;
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "admissible_operations");
    mt_jw_begin_unsorted(w);
    for (uint32_t e = 0; e < x->m->entity_count && all; e++) {
        for (uint32_t s = 0; s < x->m->entities[e].state_count && all; s++) {
            all = s3_state(x, e, s, ops, &left);
        }
    }
    mt_jw_end_object(w);
    mt_jw_keyz(w, "inadmissible_operations");
    mt_jw_begin_array(w);
    for (uint32_t o = 0; o < x->m->operation_count; o++) {
        if (!an_admissible(x->an, o)) {
            mt_jw_str(w, x->m->operations[o].id);
        }
    }
    mt_jw_end_array(w);
    mt_jw_key_i64(w, "total_combinations_checked",
                  (int64_t)x->an->first_state[x->m->entity_count] *
                      (int64_t)x->m->persona_count);
    mt_jw_key_bool(w, "truncated", !all);
    mt_jw_end_object(w);
}

static void s4_entity(writer *x, uint32_t persona, uint32_t entity, uint32_t *ops,
                      size_t *left)
{
    const ct_entity *e = &x->m->entities[entity];
    mt_jw_begin_unsorted(x->w);
    for (uint32_t s = 0; s < e->state_count; s++) {
        uint32_t n = an_operations_in(x->an, persona, entity, s, ops);
        if (n) {
            *left -= n < *left ? n : *left;
            mt_jw_key(x->w, e->states[s]);
            operations_json(x, ops, n);
        }
    }
    mt_jw_end_object(x->w);
}

/* States of every entity the persona moves; `open`: those that are not decided. */
static void s4_states(writer *x, uint32_t persona, const an_reach *alone, bool open)
{
    mt_jw_begin_unsorted(x->w);
    for (uint32_t e = 0; e < x->m->entity_count; e++) {
        if (an_has_authority(x->an, persona, e) && (!open || alone[e].open_count)) {
            mt_jw_key(x->w, x->m->entities[e].id);
            states_json(x, e, open ? alone[e].open : alone[e].operated, true);
        }
    }
    mt_jw_end_object(x->w);
}

/* `reaches` and, where the bound was met, `undecided`. The arena is set back after each
 * persona: what one reaches is as large as all states together. */
static void s4_reaches(writer *x, uint32_t persona, bool room)
{
    mt_mark mark = mt_arena_mark(&x->a);
    uint32_t open = 0;
    mt_jw_keyz(x->w, "reaches");
    if (!room) {
        mt_jw_begin_object(x->w);
        mt_jw_end_object(x->w);
        return;
    }
    mt_arena tmp = {0};
    const an_reach *alone = an_reached_by(&x->a, &tmp, x->an, NULL, persona);
    mt_arena_free(&tmp);
    s4_states(x, persona, alone, false);
    for (uint32_t e = 0; e < x->m->entity_count; e++) {
        open += an_has_authority(x->an, persona, e) ? alone[e].open_count : 0;
    }
    if (open) {
        mt_jw_keyz(x->w, "undecided");
        s4_states(x, persona, alone, true);
    }
    mt_arena_rewind(&x->a, mark);
}

/* An entity that was begun is written whole, so a little more than the allowance may be
 * listed. */
static void s4_persona(writer *x, uint32_t persona, uint32_t *ops, size_t *left)
{
    mt_jw *w = x->w;
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "by_entity");
    mt_jw_begin_unsorted(w);
    for (uint32_t e = 0; e < x->m->entity_count; e++) {
        if (*left && an_has_authority(x->an, persona, e)) {
            mt_jw_key(w, x->m->entities[e].id);
            s4_entity(x, persona, e, ops, left);
        }
    }
    mt_jw_end_object(w);
    s4_reaches(x, persona, *left > 0);
    mt_jw_end_object(w);
}

static void s4_move(writer *x, uint32_t persona, uint32_t entity, const an_edge *move)
{
    const ct_entity *e = &x->m->entities[entity];
    uint32_t base = x->an->first_state[entity];
    mt_jw_begin_object(x->w);
    mt_jw_key_str(x->w, "entity_id", e->id);
    mt_jw_key_str(x->w, "from_state", e->states[move->from - base]);
    mt_jw_key_str(x->w, "persona_id", x->m->personas[persona].id);
    mt_jw_key_str(x->w, "to_state", e->states[move->to - base]);
    mt_jw_key_str(x->w, "via_operation", x->m->operations[move->tag].id);
    mt_jw_end_object(x->w);
}

/* Every (persona, move) pair there is, counted; as many as allowed are written. Called
 * twice: the total stands before the list in byte order of the keys. */
static size_t s4_moves(writer *x, bool write)
{
    size_t total = 0;
    for (uint32_t e = 0; e < x->m->entity_count; e++) {
        uint32_t end = x->an->moves.first[x->an->first_state[e + 1]];
        for (uint32_t i = x->an->moves.first[x->an->first_state[e]]; i < end; i++) {
            const an_edge *move = &x->an->moves.items[i];
            const ct_operation *o = &x->m->operations[move->tag];
            for (uint32_t k = 0; k < o->persona_count; k++) {
                if (total++ < x->sink->entries && write && an_sink_go_on(x->sink)) {
                    s4_move(x, o->personas[k], e, move);
                }
            }
        }
    }
    return total;
}

static void s4(writer *x)
{
    mt_jw *w = x->w;
    uint32_t *ops = operation_room(x);
    size_t left = x->sink->entries;
    mt_jw_begin_object(w);
    mt_jw_key_i64(w, "instances", 1);
    mt_jw_keyz(w, "persona_authority");
    mt_jw_begin_unsorted(w);
    for (uint32_t p = 0; p < x->m->persona_count && left && an_sink_go_on(x->sink);
         p++) {
        mt_jw_key(w, x->m->personas[p].id);
        s4_persona(x, p, ops, &left);
    }
    mt_jw_end_object(w);
    mt_jw_key_str(w, "preconditions", MT_STR("types"));
    mt_jw_key_i64(w, "total_personas", x->m->persona_count);
    mt_jw_key_i64(w, "total_transition_authorities", (int64_t)s4_moves(x, false));
    mt_jw_keyz(w, "transition_authorities");
    mt_jw_begin_array(w);
    size_t total = s4_moves(x, true);
    mt_jw_end_array(w);
    mt_jw_key_bool(w, "truncated",
                   !left || total > x->sink->entries || x->sink->stopped);
    mt_jw_end_object(w);
}

/* ---- S5 ---- */

/* can_be_present is by types (S3a's truth), so true means "not excluded". */
static void s5_verdict(writer *x, uint32_t rule)
{
    const ct_rule *r = &x->m->rules[rule];
    mt_jw_begin_object(x->w);
    mt_jw_key_bool(x->w, "can_be_present", x->an->rule_truth[rule] & AN_CAN_HOLD);
    mt_jw_key_bool(x->w, "is_read", ct_bit(x->an->verdict_read, rule));
    mt_jw_key_str(x->w, "producing_rule", r->id);
    mt_jw_key_i64(x->w, "stratum", r->stratum);
    mt_jw_key_str(x->w, "verdict_type", r->verdict);
    mt_jw_end_object(x->w);
}

static void s5(writer *x)
{
    mt_jw *w = x->w;
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "operation_outcomes");
    mt_jw_begin_unsorted(w);
    for (uint32_t i = 0; i < x->m->operation_count && an_sink_go_on(x->sink); i++) {
        const ct_operation *o = &x->m->operations[i];
        mt_jw_key(w, o->id);
        mt_jw_begin_object(w);
        mt_jw_key_bool(w, "declared", !o->undeclared);
        mt_jw_keyz(w, "errors");
        mt_jw_begin_array(w);
        for (uint32_t k = 0; k < o->error_count; k++) {
            mt_jw_str(w, o->errors[k]);
        }
        mt_jw_end_array(w);
        mt_jw_key_str(w, "operation_id", o->id);
        mt_jw_key_i64(w, "outcome_count", o->outcome_count);
        mt_jw_keyz(w, "outcomes");
        mt_jw_begin_array(w);
        for (uint32_t k = 0; k < o->outcome_count; k++) {
            mt_jw_str(w, o->outcomes[k]);
        }
        mt_jw_end_array(w);
        mt_jw_end_object(w);
    }
    mt_jw_end_object(w);
    mt_jw_key_i64(w, "total_operations_with_outcomes", x->m->operation_count);
    mt_jw_key_i64(w, "total_verdict_types", x->m->rule_count);
    mt_jw_keyz(w, "verdict_types");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < x->m->rule_count && an_sink_go_on(x->sink); i++) {
        s5_verdict(x, x->an->verdicts[i]);
    }
    mt_jw_end_array(w);
    mt_jw_end_object(w);
}

/* ---- S6 ---- */

static void word_json(writer *x, const ct_word *word)
{
    mt_jw *w = x->w;
    const ct_plan_step *s = &x->an->plan->steps[word->step];
    bool undo = word->kind == CT_WORD_UNDO;
    mt_str op = word->op != CT_NONE   ? x->m->operations[word->op].id
                : s->does == LN_CALLS ? x->m->flows[s->what].id
                                      : (mt_str){0};
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "flow", x->graph_names[s->graph]);
    mt_jw_keyz(w, "operation_id");
    string_or_null(w, op);
    mt_jw_key_str(w, "outcome", word->result);
    mt_jw_keyz(w, "persona");
    string_or_null(w, word->persona == CT_NONE ? (mt_str){0}
                                               : x->m->personas[word->persona].id);
    mt_jw_key_str(w, "step_id", s->id);
    mt_jw_key_str(w, "step_type",
                  mt_str_z(undo ? "compensation" : LN_STEPS[s->kind].word));
    mt_jw_end_object(w);
}

/* States come grouped by entity; a change of entity closes one list and opens the
 * next. */
static void path_states_json(writer *x, const an_path_visit *path)
{
    mt_jw_begin_unsorted(x->w);
    for (uint32_t i = 0; i < path->state_count; i++) {
        const an_path_state *s = &path->states[i];
        const ct_entity *e = &x->m->entities[s->entity];
        if (!i || path->states[i - 1].entity != s->entity) {
            mt_jw_key(x->w, e->id);
            mt_jw_begin_array(x->w);
        }
        mt_jw_str(x->w, e->states[s->state]);
        if (i + 1 == path->state_count || path->states[i + 1].entity != s->entity) {
            mt_jw_end_array(x->w);
        }
    }
    mt_jw_end_object(x->w);
}

/* `possible` is false for ways that the entity states exclude; they are listed because
 * the structure allows them. */
static bool path_json(void *context, const an_path_visit *path)
{
    writer *x = context;
    mt_jw *w = x->w;
    const ct_way *way = path->way;
    mt_jw_begin_object(w);
    mt_jw_key_i64(w, "depth", way->steps);
    mt_jw_keyz(w, "entity_states");
    path_states_json(x, path);
    mt_jw_key_bool(w, "possible", path->possible);
    mt_jw_keyz(w, "steps");
    mt_jw_begin_array(w);
    for (size_t i = 0; i < way->len; i++) {
        if (way->words[i].kind == CT_WORD_STEP || way->words[i].kind == CT_WORD_UNDO) {
            word_json(x, &way->words[i]);
        }
    }
    mt_jw_end_array(w);
    mt_jw_keyz(w, "terminal_outcome");
    string_or_null(w, way->terminal == CT_NONE
                          ? (mt_str){0}
                          : x->an->plan->terminals[way->terminal].name);
    mt_jw_end_object(w);
    x->listed++;
    return an_sink_listed(x->sink, way->steps);
}

static void ends_json(writer *x, const an_graph_paths *g)
{
    mt_jw_begin_array(x->w);
    for (uint32_t i = 0; i < g->end_count; i++) {
        uint32_t t = g->ends[i].terminal;
        mt_jw_begin_object(x->w);
        mt_jw_keyz(x->w, "outcome");
        string_or_null(x->w,
                       t == CT_NONE ? (mt_str){0} : x->an->plan->terminals[t].name);
        mt_jw_keyz(x->w, "paths");
        count_json(x, g->ends[i].paths);
        mt_jw_end_object(x->w);
    }
    mt_jw_end_array(x->w);
}

/* null when the search for states was given up; only entities the flow can change. */
static void flow_states_json(writer *x, const an_graph_paths *g, uint32_t flow)
{
    if (!g->states) {
        mt_jw_null(x->w);
        return;
    }
    mt_jw_begin_unsorted(x->w);
    for (uint32_t e = 0; e < x->m->entity_count; e++) {
        if (!ct_bit(x->an->plan->graphs[flow].entities, e)) {
            continue;
        }
        mt_jw_key(x->w, x->m->entities[e].id);
        mt_jw_begin_array(x->w);
        for (uint32_t s = 0; s < x->m->entities[e].state_count; s++) {
            if (ct_bit(g->states, an_state_number(x->an, e, s))) {
                mt_jw_str(x->w, x->m->entities[e].states[s]);
            }
        }
        mt_jw_end_array(x->w);
    }
    mt_jw_end_object(x->w);
}

static void steps_json(writer *x, uint32_t flow, bool reached)
{
    const ct_plan_graph *g = &x->an->plan->graphs[flow];
    mt_jw_begin_array(x->w);
    for (uint32_t i = g->first_step; i < g->first_step + g->step_count; i++) {
        bool end = x->an->plan->steps[i].does == LN_ENDS; /* nobody stands there */
        if (ct_bit(x->an->steps_reached, i) == reached && !end) {
            mt_jw_str(x->w, x->an->plan->steps[i].id);
        }
    }
    mt_jw_end_array(x->w);
}

/* A depth that was counted up to the most is not a number to rely on. */
static void depth_json(mt_jw *w, uint64_t depth)
{
    if (depth > INT64_MAX) {
        mt_jw_null(w);
    } else {
        mt_jw_i64(w, (int64_t)depth);
    }
}

/* Counts are of all paths, however few are listed; `truncated` tells the two apart. */
static void flow_json(writer *x, uint32_t flow)
{
    mt_jw *w = x->w;
    const an_graph_paths *g = &x->an->graphs[flow];
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "ends");
    ends_json(x, g);
    mt_jw_keyz(w, "entity_states");
    flow_states_json(x, g, flow);
    mt_jw_key_str(w, "flow_id", x->m->flows[flow].id);
    mt_jw_keyz(w, "max_depth");
    depth_json(w, g->longest);
    mt_jw_keyz(w, "path_count");
    count_json(x, g->paths);
    mt_jw_key_bool(w, "path_count_exact", !g->paths.more);
    mt_jw_keyz(w, "paths");
    mt_jw_begin_array(w);
    x->listed = 0;
    bool all = an_each_path(x->an, flow, an_sink_paths(x->sink), path_json, x);
    mt_jw_end_array(w);
    mt_jw_key_i64(w, "paths_listed", (int64_t)x->listed);
    mt_jw_keyz(w, "reachable_steps");
    steps_json(x, flow, true);
    mt_jw_key_bool(w, "truncated", !all);
    mt_jw_keyz(w, "unreachable_steps");
    steps_json(x, flow, false);
    mt_jw_end_object(w);
}

/* Names of graphs are made once, since every word of every path has one. The total is
 * summed also over flows that are not written any more. */
static void s6(writer *x)
{
    mt_jw *w = x->w;
    an_count total = {0};
    x->graph_names = mt_new_array(&x->a, mt_str, x->an->plan->graph_count);
    for (uint32_t i = 0; i < x->an->plan->graph_count; i++) {
        x->graph_names[i] = ct_graph_name(&x->a, x->an->plan, i);
    }
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "flows");
    mt_jw_begin_unsorted(w);
    for (uint32_t i = 0; i < x->m->flow_count; i++) {
        total = an_count_add(&x->a, total, x->an->graphs[i].paths);
        if (an_sink_go_on(x->sink)) {
            mt_jw_key(w, x->m->flows[i].id);
            flow_json(x, i);
        }
    }
    mt_jw_end_object(w);
    mt_jw_keyz(w, "total_paths");
    count_json(x, total);
    mt_jw_end_object(w);
}

/* ---- S7, S8 ---- */

/* A bound that does not fit is null, with a flag beside it. */
static void bound_json(writer *x, const char *kind, mt_str id, mt_str step,
                       const an_bound *b)
{
    mt_jw *w = x->w;
    mt_str steps = an_count_str(&x->a, b->steps);
    bool one = !b->steps.more && !b->steps.len && b->steps.low == 1;
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "complexity_class",
                  one ? MT_STR("O(1)") : mt_strf(&x->a, "O(%.*s)", MT_ARG(steps)));
    mt_jw_key_bool(w, "has_quantifiers", b->quantifiers > 0);
    mt_jw_key_i64(w, "max_depth", b->depth);
    mt_jw_key_i64(w, "node_count", b->nodes);
    mt_jw_key_i64(w, "quantifier_depth", b->quantifiers);
    mt_jw_key_str(w, "source_id", id);
    mt_jw_key_str(w, "source_kind", mt_str_z(kind));
    mt_jw_keyz(w, "step_id");
    string_or_null(w, step);
    mt_jw_key_str(w, "steps", steps);
    mt_jw_end_object(w);
}

static uint32_t deepest_predicate(const writer *x)
{
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < x->m->rule_count; i++) {
        uint32_t depth = x->an->rule_bounds[i].depth;
        deepest = depth > deepest ? depth : deepest;
    }
    for (uint32_t i = 0; i < x->m->condition_count; i++) {
        uint32_t depth = x->an->condition_bounds[i].depth;
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

/* Rules, then operations, then branch steps; has_cycles of a flow is always false,
 * because cycles are refused when a contract is loaded (§11.5). */
static void bounds_json(writer *x)
{
    const ct_plan *p = x->an->plan;
    for (uint32_t i = 0; i < x->m->rule_count && an_sink_go_on(x->sink); i++) {
        bound_json(x, "Rule", x->m->rules[i].id, (mt_str){0}, &x->an->rule_bounds[i]);
    }
    for (uint32_t i = 0; i < x->m->operation_count && an_sink_go_on(x->sink); i++) {
        const ct_operation *o = &x->m->operations[i];
        if (o->condition != CT_NONE) {
            bound_json(x, "Operation", o->id, (mt_str){0},
                       &x->an->condition_bounds[o->condition]);
        }
    }
    for (uint32_t i = 0; i < p->step_count && an_sink_go_on(x->sink); i++) {
        const ct_plan_step *s = &p->steps[i];
        if (s->does == LN_DECIDES) {
            bound_json(x, "Flow", x->m->flows[an_flow_of(p, s->graph)].id, s->id,
                       &x->an->condition_bounds[s->what]);
        }
    }
}

static void s7(writer *x)
{
    mt_jw *w = x->w;
    uint64_t deepest = 0;
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "flow_depth_bounds");
    mt_jw_begin_unsorted(w);
    for (uint32_t i = 0; i < x->m->flow_count && an_sink_go_on(x->sink); i++) {
        uint64_t depth = x->an->graphs[i].longest;
        mt_jw_key(w, x->m->flows[i].id);
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "flow_id", x->m->flows[i].id);
        mt_jw_key_bool(w, "has_cycles", false);
        mt_jw_keyz(w, "max_path_depth");
        depth_json(w, depth);
        mt_jw_key_i64(w, "max_step_count", x->an->plan->graphs[i].step_count);
        mt_jw_end_object(w);
        deepest = depth > deepest ? depth : deepest;
    }
    mt_jw_end_object(w);
    mt_jw_keyz(w, "max_flow_depth");
    depth_json(w, deepest);
    mt_jw_key_i64(w, "max_predicate_depth", deepest_predicate(x));
    mt_jw_keyz(w, "predicate_complexities");
    mt_jw_begin_array(w);
    bounds_json(x);
    mt_jw_end_array(w);
    mt_jw_end_object(w);
}

static void s8(writer *x)
{
    mt_jw_begin_object(x->w);
    mt_jw_key_i64(x->w, "rules", x->m->rule_count);
    mt_jw_key_bool(x->w, "unique", x->an->verdicts_unique);
    mt_jw_end_object(x->w);
}

/* ---- all together ---- */

/* An obligation that was stopped has left its pointer NULL. */
static bool is_there(const an_analysis *an, an_obligation o)
{
    switch (o) {
    case AN_S1: return an->first_state;
    case AN_S2: return an->reach;
    case AN_S3A:
    case AN_S4: return an->moves.items;
    case AN_S5: return an->verdicts;
    case AN_S6: return an->graphs && an->steps_reached;
    case AN_S7: return an->rule_bounds && an->graphs;
    case AN_S8: return true;
    }
    return false;
}

bool an_analysis_has(const an_analysis *an, an_obligation o)
{
    return ((an->only >> o) & 1) && is_there(an, o);
}

/* Memory is given back after each part: what one part makes no other needs. */
void an_analysis_json_keys(an_sink *s, mt_jw *w, const an_analysis *an)
{
    static const struct {
        const char *key;
        void (*write)(writer *x);
    } PARTS[AN_OBLIGATION_COUNT] = {
        [AN_S1] = {"s1_state_space", s1},     [AN_S2] = {"s2_reachability", s2},
        [AN_S3A] = {"s3a_admissibility", s3}, [AN_S4] = {"s4_authority", s4},
        [AN_S5] = {"s5_verdicts", s5},        [AN_S6] = {"s6_flow_paths", s6},
        [AN_S7] = {"s7_complexity", s7},      [AN_S8] = {"s8_verdict_uniqueness", s8},
    };
    writer x = {.sink = s, .w = w, .an = an, .m = an->model};
    for (int i = 0; i < AN_OBLIGATION_COUNT; i++) {
        mt_jw_key(w, mt_str_z(PARTS[i].key));
        if (an_analysis_has(an, (an_obligation)i)) {
            PARTS[i].write(&x);
        } else {
            mt_jw_null(w);
        }
        mt_arena_reset(&x.a);
    }
    mt_arena_free(&x.a);
}
