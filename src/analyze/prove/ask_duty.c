/* analyze/prove/ask_duty.c - separation of duties: does one persona do both?
 *
 * Two questions. Without an entity: is any persona able to do either operation, each in
 * some run, after others if need be? That is about what a persona may do at all. With
 * an entity: is there one run in which a persona performs both, and both move the same
 * instance of the entity? A run has marks then, one for each of the two.
 *
 * A persona is a role; one person may hold several, which a contract does not say.
 *
 * "No" comes with a run that was executed, per persona. "Yes" is said only where
 * the whole space was covered (ask_space_gap() is empty). What a limit left open is
 * "unknown", with its name. */
#include "analyze/prove/ask_internal.h"

typedef struct finding {
    uint32_t persona;
    ask_way ways[2]; /* of each operation; with an entity: one run */
} finding;

/* One question. `open`: a persona was left undecided,
 * for `reason`; a finding decides nevertheless. */
typedef struct judge {
    asker *k;
    const ask_said *q;
    ask_cover cover;
    MT_VEC(finding) both;
    bool open;
    mt_str reason;
} judge;

static uint32_t op_of(const judge *j, int i)
{
    return j->q->goals[i].operation;
}

/* ---- able to ---- */

/* Neither found nor open means that it never does
 * this one, and then the other need not be asked. */
static void judge_ability(judge *j, uint32_t persona)
{
    finding f = {.persona = persona};
    bool all = true, some_open = false;
    for (int i = 0; i < 2; i++) {
        f.ways[i] =
            ask_way_of(j->k, &j->q->goals[i], persona, j->q->instances, &j->cover);
        all &= f.ways[i].found;
        some_open |= f.ways[i].open;
        if (!f.ways[i].found && !f.ways[i].open) {
            return; /* it never does this one */
        }
        j->reason = f.ways[i].open ? f.ways[i].reason : j->reason;
    }
    j->open |= some_open;
    if (all) {
        mt_vec_push(j->k->a, &j->both, f);
    }
}

/* ---- in one run, to one instance ---- */

typedef struct watch {
    const judge *j;
    uint32_t node;
} watch;

/* The persona performs whatever of the two it may. */
static uint32_t mark_duties(void *space, uint32_t marks, const an_joint_step *step)
{
    const ask_space *s = space;
    const watch *x = s->scope.data;
    if (!ask_moves_first(step, x->j->q->entity)) {
        return marks;
    }
    return marks | (step->operation == op_of(x->j, 0) ? 1u : 0) |
           (step->operation == op_of(x->j, 1) ? 2u : 0);
}

/* The node is kept: it is where the run ends that is shown. */
static bool did_both(void *context, ask_space *s, uint32_t node)
{
    watch *x = context;
    x->node = node;
    return an_joint_marks(s->j, node) == 3;
}

/* All entities that one of the two moves, not only the one that is asked about: a step
 * is possible only where all of them are. */
static uint32_t groups_of(judge *j, const uint32_t **out)
{
    const ct_model *m = j->k->q->plan->model;
    MT_VEC(uint32_t) entities = {0};
    for (int i = 0; i < 2; i++) {
        const ct_operation *op = &m->operations[op_of(j, i)];
        for (uint32_t e = 0; e < op->effect_count; e++) {
            mt_vec_push(j->k->a, &entities, op->effects[e].entity);
        }
    }
    return ask_groups(j->k, entities.items, (uint32_t)entities.len, out);
}

/* One instance is set apart, the first; marks are about this one alone. */
static ask_space *run_search(judge *j, watch *x, bool guess, bool *found)
{
    ask_scope scope = {.instances = j->q->instances,
                       .persona = CT_NONE,
                       .guess = guess,
                       .apart = j->q->entity + 1,
                       .mark = mark_duties,
                       .data = x};
    scope.group_count = groups_of(j, &scope.groups);
    ask_space *s = ask_space_open(j->k->q, j->k->a, &scope);
    *found = ask_hunt(s, did_both, NULL, x);
    return s;
}

/* Who may perform both does, in the run that is found: so one search serves all. */
static void judge_runs(judge *j, const uint32_t *personas, uint32_t count)
{
    watch x = {.j = j};
    bool found;
    ask_space *s = run_search(j, &x, false, &found);
    ask_cover_add(&j->cover, s);
    for (uint32_t i = 0; found && i < count; i++) {
        finding f = {.persona = personas[i]};
        f.ways[0] = ask_way_to(j->k, s, x.node, NULL, personas[i], MT_STR(""));
        if (f.ways[0].found) {
            mt_vec_push(j->k->a, &j->both, f);
        } else {
            j->open = true;
            j->reason = f.ways[0].reason;
        }
    }
    mt_str gap = ask_space_gap(s);
    if (!found && gap.len) {
        bool may = true;
        /* The first search left out what the solver could not decide. Taking all of
         * that as possible finds too much; if even so nothing is found, there is
         * nothing. */
        if (s->j->complete) {
            s = run_search(j, &x, true, &may);
            gap = may ? gap : ask_space_gap(s);
        }
        j->open = may || gap.len;
        j->reason = gap;
    }
    if (!found && !j->open) {
        ask_smt_bad bad = {.marks = 3};
        ask_smt_search(j->k, s, "no run does both to one instance", &bad);
    }
}

/* ---- replies ---- */

static void say_finding(judge *j, mt_jw *w, const finding *f)
{
    asker *k = j->k;
    const ct_plan *p = k->q->plan;
    bool one_run = j->q->entity != CT_NONE;
    mt_buf_addf(&k->text, "  %.*s can\n", MT_ARG(ct_persona_id(p, f->persona)));
    for (int i = 0; i < (one_run ? 1 : 2); i++) {
        ask_shown h = {one_run ? CT_NONE : j->q->goals[i].entity, j->q->instances,
                       MT_STR("")};
        mt_str id = ct_operation_id(p, op_of(j, i));
        if (!one_run) {
            mt_buf_addf(&k->text, "   %.*s\n", MT_ARG(id));
        }
        ask_way_say(k, &h, &f->ways[i], "    ", true);
        mt_jw_begin_object(w);
        if (!one_run) {
            mt_jw_key_str(w, "operation", id);
        }
        mt_jw_keyz(w, "path");
        ask_way_json(k, &h, w, &f->ways[i]);
        mt_jw_key_str(w, "persona", ct_persona_id(p, f->persona));
        mt_jw_end_object(w);
    }
}

static an_reply_kind say_both(judge *j)
{
    asker *k = j->k;
    mt_buf all = {0}, names = {0};
    mt_jw w = mt_jw_start(&all, false), n = mt_jw_start(&names, false);
    mt_buf_addz(&k->text, "no\n");
    mt_jw_begin_array(&w);
    mt_jw_begin_array(&n);
    for (size_t i = 0; i < j->both.len; i++) {
        say_finding(j, &w, &j->both.items[i]);
        mt_jw_str(&n, ct_persona_id(k->q->plan, j->both.items[i].persona));
    }
    mt_jw_end_array(&w);
    mt_jw_end_array(&n);
    ask_put(k, "ways", ask_kept(k, &all));
    ask_put(k, "personas", ask_kept(k, &names));
    mt_buf_addz(&k->text, "  executed step by step: ");
    ask_instances_say(k, j->q->instances);
    mt_buf_addc(&k->text, '\n');
    k->proof = "trace";
    return AN_REPLY_NO;
}

/* True: the fault is said. */
static bool refused(judge *j)
{
    asker *k = j->k;
    const ct_model *m = k->q->plan->model;
    if (op_of(j, 0) == op_of(j, 1)) {
        return !ask_fault(k, &k->tokens.items[3], "both is two different operations");
    }
    for (int i = 0; i < 2 && j->q->entity != CT_NONE; i++) {
        const ct_operation *op = &m->operations[op_of(j, i)];
        bool moves = false;
        for (uint32_t e = 0; e < op->effect_count; e++) {
            moves |= op->effects[e].entity == j->q->entity;
        }
        if (!moves) {
            return !ask_fault(k, &k->tokens.items[3], "%.*s does not move %.*s",
                              MT_ARG(op->id), MT_ARG(m->entities[j->q->entity].id));
        }
    }
    return false;
}

/* Personas that may perform both, as the contract is written. */
static uint32_t candidates(judge *j, uint32_t **out)
{
    const an_asker *q = j->k->q;
    uint32_t count = 0;
    *out = mt_new_array(j->k->a, uint32_t, (size_t)q->plan->model->persona_count + 1);
    for (uint32_t p = 0; p < q->plan->model->persona_count; p++) {
        if (ask_allows(q, op_of(j, 0), p) && ask_allows(q, op_of(j, 1), p)) {
            (*out)[count++] = p;
        }
    }
    return count;
}

/* Where nobody may perform both, as the contract is written, no search was needed, and
 * the number of instances does not matter. */
static an_reply_kind say_nobody(judge *j, uint32_t count)
{
    asker *k = j->k;
    mt_buf_addz(&k->text, "yes\n");
    j->cover.any = !count;
    if (!count) {
        mt_buf_addz(&k->text, "  no persona may perform both\n");
    }
    ask_cover_say(k, &j->cover, "holds for");
    ask_put(k, "personas", MT_STR("[]"));
    k->proof = "proven";
    return AN_REPLY_YES;
}

/* A finding decides, even if other personas are open: one is enough for a no. */
an_reply_kind ask_reply_duties(asker *k, const ask_said *q)
{
    judge j = {.k = k, .q = q, .cover = ask_cover_new(k, q->instances)};
    uint32_t *personas;
    if (refused(&j)) {
        return AN_REPLY_FAULT;
    }
    if (k->q->u->gap.len) {
        return ask_unknown(k, k->q->u->gap);
    }
    uint32_t count = candidates(&j, &personas);
    if (q->entity != CT_NONE && count) {
        judge_runs(&j, personas, count);
    }
    for (uint32_t i = 0; q->entity == CT_NONE && i < count; i++) {
        judge_ability(&j, personas[i]);
    }
    an_reply_kind reply = j.both.len ? say_both(&j)
                          : j.open   ? ask_unknown(k, j.reason)
                                     : say_nobody(&j, count);
    ask_cover_json(k, &j.cover);
    return reply;
}
