/* analyze/facts/report_text.c - an analysis for people.
 *
 * The same obligations in the same order as report_json.c, each under its heading,
 * with long lists cut by the sink's bounds.
 * Numbers say what they count, and what was not decided is said with the bound that
 * was met: a reader must be able to tell "no" from "not known".
 *
 * Nothing can fail but the flush of the sink, which ends the report. Scratch memory is
 * one arena, rewound per persona. */
#include "analyze/facts/report.h"

typedef struct teller {
    an_sink *sink;
    mt_buf *out;
    const an_analysis *an;
    const ct_model *m;
    mt_arena a;
    size_t listed;
    uint32_t *ops; /* room for the operations of one state */
} teller;

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static void heading(teller *t, an_obligation o)
{
    /* Names are spelled as in JSON, "s3a"; a heading has the capital of the
     * specification. */
    const char *name = AN_OBLIGATIONS[o].name;
    mt_buf_addf(t->out, "\nS%s  %s\n", name + 1, AN_OBLIGATIONS[o].title);
}

/* "a, b, c": the names whose bit is set. */
static void state_list(teller *t, uint32_t entity, const uint64_t *set, uint32_t first)
{
    const ct_entity *e = &t->m->entities[entity];
    const char *comma = "";
    for (uint32_t s = 0; s < e->state_count; s++) {
        if (!set || ct_bit(set, first + s)) {
            mt_buf_addf(t->out, "%s%.*s", comma, MT_ARG(e->states[s]));
            comma = ", ";
        }
    }
}

static void s1(teller *t)
{
    for (uint32_t i = 0; i < t->m->entity_count && an_sink_go_on(t->sink); i++) {
        const ct_entity *e = &t->m->entities[i];
        mt_buf_addf(t->out, "  %.*s: %u state%s (", MT_ARG(e->id), e->state_count,
                    plural(e->state_count));
        state_list(t, i, NULL, 0);
        mt_buf_addf(t->out, "), initially %.*s, %u transition%s\n",
                    MT_ARG(e->states[e->initial]), e->transition_count,
                    plural(e->transition_count));
    }
}

/* Also the bound that was met. */
static void not_decided(teller *t, uint32_t entity, const an_reach *r)
{
    if (r->open_count) {
        mt_buf_addz(t->out, "; not decided: ");
        state_list(t, entity, r->open, 0);
        mt_buf_addf(t->out, " (reach_states %zu)", t->an->reach_states);
    }
}

static void s2(teller *t)
{
    for (uint32_t i = 0; i < t->m->entity_count && an_sink_go_on(t->sink); i++) {
        const ct_entity *e = &t->m->entities[i];
        const an_reach *r = &t->an->reach[i];
        mt_buf_addf(t->out, "  %.*s: %u of %u (", MT_ARG(e->id), r->declared_count,
                    e->state_count);
        state_list(t, i, r->declared, 0);
        mt_buf_addc(t->out, ')');
        if (r->operated_count < r->declared_count) {
            mt_buf_addf(t->out, "; by operations %u (", r->operated_count);
            state_list(t, i, r->operated, 0);
            mt_buf_addz(t->out, "), one instance of each entity");
        }
        not_decided(t, i, r);
        mt_buf_addc(t->out, '\n');
    }
}

static void operation_list(teller *t, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        mt_buf_addf(t->out, "%s%.*s", i ? ", " : "",
                    MT_ARG(t->m->operations[t->ops[i]].id));
    }
}

/* False when the list must end: too long, or the reader went away. */
static bool s3_state(teller *t, uint32_t entity, uint32_t state, size_t *left)
{
    const ct_entity *e = &t->m->entities[entity];
    uint32_t number = an_state_number(t->an, entity, state);
    /* A state that no operation leaves has no line. */
    if (t->an->moves.first[number] == t->an->moves.first[number + 1]) {
        return true;
    }
    mt_buf_addf(t->out, "  %.*s in %.*s\n", MT_ARG(e->id), MT_ARG(e->states[state]));
    for (uint32_t p = 0; p < t->m->persona_count; p++) {
        uint32_t n = an_operations_in(t->an, p, entity, state, t->ops);
        /* Whole lines only: half of a persona's operations would read as all of
         * them. */
        if (n > *left || !an_sink_go_on(t->sink)) {
            return false;
        }
        *left -= n;
        if (n) {
            mt_buf_addf(t->out, "    %.*s: ", MT_ARG(t->m->personas[p].id));
            operation_list(t, n);
            mt_buf_addc(t->out, '\n');
        }
    }
    return true;
}

static void s3(teller *t)
{
    size_t left = t->sink->entries;
    bool all = true;
    for (uint32_t e = 0; e < t->m->entity_count && all; e++) {
        for (uint32_t s = 0; s < t->m->entities[e].state_count && all; s++) {
            all = s3_state(t, e, s, &left);
        }
    }
    if (!all) {
        mt_buf_addf(t->out, "  … listing ends after %zu\n", t->sink->entries - left);
    }
}

static void s4_moves(teller *t, uint32_t persona, uint32_t entity, size_t *left)
{
    const ct_entity *e = &t->m->entities[entity];
    const an_edges *moves = &t->an->moves;
    uint32_t base = t->an->first_state[entity];
    uint32_t end = moves->first[t->an->first_state[entity + 1]];
    bool first = true;
    for (uint32_t i = moves->first[base]; i < end && *left; i++) {
        const an_edge *move = &moves->items[i];
        if (!an_may_invoke(t->an, move->tag, persona)) {
            continue;
        }
        mt_buf_addf(t->out, "%s%.*s -> %.*s (%.*s)", first ? "" : ", ",
                    MT_ARG(e->states[move->from - base]),
                    MT_ARG(e->states[move->to - base]),
                    MT_ARG(t->m->operations[move->tag].id));
        first = false;
        --*left;
    }
}

/* What each persona could do alone, in its own memory, given back before the next. */
static void s4(teller *t)
{
    size_t left = t->sink->entries;
    mt_buf_addz(t->out, "  (alone: by this contract, one instance of each entity, "
                        "preconditions as far as types tell)\n");
    for (uint32_t p = 0; p < t->m->persona_count && left; p++) {
        mt_mark mark = mt_arena_mark(&t->a);
        mt_arena tmp = {0};
        const an_reach *alone = an_reached_by(&t->a, &tmp, t->an, NULL, p);
        mt_arena_free(&tmp);
        mt_buf_addf(t->out, "  %.*s\n", MT_ARG(t->m->personas[p].id));
        for (uint32_t e = 0; e < t->m->entity_count && left; e++) {
            if (!an_sink_go_on(t->sink) || !an_has_authority(t->an, p, e)) {
                continue;
            }
            mt_buf_addf(t->out, "    %.*s: ", MT_ARG(t->m->entities[e].id));
            s4_moves(t, p, e, &left);
            mt_buf_addz(t->out, "; alone it reaches ");
            state_list(t, e, alone[e].operated, 0);
            not_decided(t, e, &alone[e]);
            mt_buf_addc(t->out, '\n');
        }
        mt_arena_rewind(&t->a, mark);
    }
    if (!left) {
        mt_buf_addf(t->out, "  … listing ends after %zu\n", t->sink->entries);
    }
}

static void s5(teller *t)
{
    for (uint32_t i = 0; i < t->m->rule_count && an_sink_go_on(t->sink); i++) {
        const ct_rule *r = &t->m->rules[t->an->verdicts[i]];
        mt_buf_addf(t->out, "  stratum %u: %.*s (rule %.*s)\n", r->stratum,
                    MT_ARG(r->verdict), MT_ARG(r->id));
    }
    for (uint32_t i = 0; i < t->m->operation_count && an_sink_go_on(t->sink); i++) {
        const ct_operation *o = &t->m->operations[i];
        mt_buf_addf(t->out, "  %.*s can produce", MT_ARG(o->id));
        for (uint32_t k = 0; k < o->outcome_count; k++) {
            mt_buf_addf(t->out, "%s %.*s", k ? "," : "", MT_ARG(o->outcomes[k]));
        }
        mt_buf_addc(t->out, '\n');
    }
}

/* ---- S6 ---- */

static bool path_text(void *context, const an_path_visit *path)
{
    teller *t = context;
    mt_buf_addf(t->out, "    %zu. ", ++t->listed);
    ct_way_text(t->out, path->way);
    mt_buf_addz(t->out, path->possible ? "\n" : "  (no facts and states allow it)\n");
    for (uint32_t i = 0; i < path->state_count; i++) {
        const an_path_state *s = &path->states[i];
        const ct_entity *e = &t->m->entities[s->entity];
        if (i && path->states[i - 1].entity == s->entity) {
            mt_buf_addf(t->out, " or %.*s", MT_ARG(e->states[s->state]));
        } else {
            mt_buf_addf(t->out, "%s%.*s: %.*s", i ? ", " : "       ", MT_ARG(e->id),
                        MT_ARG(e->states[s->state]));
        }
    }
    mt_buf_addz(t->out, path->state_count ? "\n" : "");
    return an_sink_listed(t->sink, path->way->steps);
}

static void flow_head(teller *t, uint32_t flow)
{
    const an_graph_paths *g = &t->an->graphs[flow];
    mt_buf_addf(t->out, "  %.*s: ", MT_ARG(t->m->flows[flow].id));
    an_count_text(t->out, g->paths);
    mt_buf_addz(t->out, g->paths.low == 1 && !g->paths.len ? " path (" : " paths (");
    for (uint32_t i = 0; i < g->end_count; i++) {
        uint32_t terminal = g->ends[i].terminal;
        mt_buf_addz(t->out, i ? ", " : "");
        mt_buf_adds(t->out, terminal == CT_NONE
                                ? MT_STR("breaks off")
                                : t->an->plan->terminals[terminal].name);
        mt_buf_addc(t->out, ' ');
        an_count_text(t->out, g->ends[i].paths);
    }
    /* Lengths saturate (s6_count.c); what is beyond is said as "at least". */
    if (g->longest == UINT64_MAX) {
        mt_buf_addz(t->out, "), at least 2^62 steps\n");
    } else {
        mt_buf_addf(t->out, "), at most %llu step%s\n", (unsigned long long)g->longest,
                    plural(g->longest));
    }
}

static void flow_states(teller *t, uint32_t flow)
{
    const an_graph_paths *g = &t->an->graphs[flow];
    for (uint32_t e = 0; e < t->m->entity_count && g->states; e++) {
        if (ct_bit(t->an->plan->graphs[flow].entities, e)) {
            mt_buf_addf(t->out, "    brings %.*s to {", MT_ARG(t->m->entities[e].id));
            state_list(t, e, g->states, t->an->first_state[e]);
            mt_buf_addz(t->out, "}\n");
        }
    }
}

static void s6(teller *t)
{
    for (uint32_t i = 0; i < t->m->flow_count && an_sink_go_on(t->sink); i++) {
        flow_head(t, i);
        flow_states(t, i);
        t->listed = 0;
        if (!an_each_path(t->an, i, an_sink_paths(t->sink), path_text, t)) {
            mt_buf_addf(t->out, "    … %zu listed%s\n", t->listed,
                        t->sink->stopped || !t->sink->steps ? ""
                                                            : "; --paths N lists more");
        }
    }
}

/* ---- S7, S8 ---- */

static void bound(teller *t, const char *kind, mt_str id, mt_str step,
                  const an_bound *b)
{
    mt_buf_addf(t->out, "  %s %.*s%s%.*s: ", kind, MT_ARG(id), step.len ? "/" : "",
                MT_ARG(step));
    an_count_text(t->out, b->steps);
    bool one = !b->steps.len && b->steps.low == 1;
    mt_buf_addf(t->out, " step%s at most (%u node%s", plural(one), b->nodes,
                plural(b->nodes));
    if (b->quantifiers) {
        mt_buf_addf(t->out, ", quantifiers %u deep", b->quantifiers);
    }
    mt_buf_addz(t->out, ")\n");
}

static void s7(teller *t)
{
    const ct_plan *p = t->an->plan;
    for (uint32_t i = 0; i < t->m->rule_count && an_sink_go_on(t->sink); i++) {
        bound(t, "rule", t->m->rules[i].id, (mt_str){0}, &t->an->rule_bounds[i]);
    }
    for (uint32_t i = 0; i < t->m->operation_count && an_sink_go_on(t->sink); i++) {
        const ct_operation *o = &t->m->operations[i];
        if (o->condition != CT_NONE) {
            bound(t, "operation", o->id, (mt_str){0},
                  &t->an->condition_bounds[o->condition]);
        }
    }
    for (uint32_t i = 0; i < p->step_count && an_sink_go_on(t->sink); i++) {
        const ct_plan_step *s = &p->steps[i];
        if (s->does == LN_DECIDES) {
            bound(t, "flow", t->m->flows[an_flow_of(p, s->graph)].id, s->id,
                  &t->an->condition_bounds[s->what]);
        }
    }
}

static void s8(teller *t)
{
    mt_buf_addf(t->out, "  %s\n",
                t->an->verdicts_unique ? "every verdict type is produced by one rule"
                                       : "some verdict type is produced by two rules");
}

void an_analysis_text(an_sink *s, const an_analysis *an)
{
    static void (*const PARTS[AN_OBLIGATION_COUNT])(teller * t) = {
        [AN_S1] = s1, [AN_S2] = s2, [AN_S3A] = s3, [AN_S4] = s4,
        [AN_S5] = s5, [AN_S6] = s6, [AN_S7] = s7,  [AN_S8] = s8,
    };
    teller t = {.sink = s, .out = s->out, .an = an, .m = an->model};
    t.ops = mt_new_array(&t.a, uint32_t, (size_t)an->model->operation_count + 1);
    mt_buf_addf(
        s->out,
        "%.*s: %u persona%s, %u entit%s, %u operation%s, %u rule%s, %u flow%s\n",
        MT_ARG(t.m->id), t.m->persona_count, plural(t.m->persona_count),
        t.m->entity_count, t.m->entity_count == 1 ? "y" : "ies", t.m->operation_count,
        plural(t.m->operation_count), t.m->rule_count, plural(t.m->rule_count),
        t.m->flow_count, plural(t.m->flow_count));
    for (int i = 0; i < AN_OBLIGATION_COUNT; i++) {
        if (an_analysis_has(an, (an_obligation)i) && an_sink_go_on(s)) {
            heading(&t, (an_obligation)i);
            PARTS[i](&t);
        }
    }
    mt_arena_free(&t.a);
}
