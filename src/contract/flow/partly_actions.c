/* contract/flow/partly_actions.c - every way a flow can begin, and what each depends
 * on.
 *
 * The action space (action_space.c) is asked as usual, but what a condition comes to is
 * answered here: as it is where that is known; a branch that is open is taken one way
 * first, and the other way in the next round; a precondition that is open is taken to
 * hold. So each round is one way into the flow, with the answers it rests on. Rounds
 * whose way is open make the condition of the flow: their branches and preconditions,
 * joined by `or`.
 *
 * Order of a round's parts is that of evaluation, so a condition that fails blocks as
 * it would. Bounded by MOST_ROUNDS ways; ways beyond count as not open, which is what
 * the caller then finds when it tries.
 *
 * Nothing can fail; a condition that ends in an error whatever is unknown blocks. */
#include "contract/flow/partly_actions.h"

#include "contract/reduce/expr.h"
#include "contract/reduce/simplify.h"
#include "contract/reduce/source.h"

enum { MOST_ROUNDS = 64 };

typedef struct answer {
    uint32_t condition;
    bool value;
} answer;

typedef struct rounds {
    mt_arena *a;
    ct_partial *x;
    const ct_plan *p;
    bool *is_precondition; /* by condition */
    MT_VEC(answer) taken;  /* of open branches, in the order they were met */
    size_t next;           /* of them, in this round */
    const ct_expr *round;  /* what this way rests on; NULL: nothing */
    const ct_expr *when;   /* of all open ways so far; NULL: none */
} rounds;

/* ---- One round ---- */

static void rests_on(rounds *r, const ct_expr *e, bool value)
{
    e = value ? e : ct_expr_new(r->a, CT_NOT, e, NULL);
    r->round = r->round ? ct_expr_new(r->a, CT_AND, r->round, e) : e;
}

/* One that was asked before is answered as before: the snapshot is frozen. */
static bool take(rounds *r, uint32_t condition, const ct_expr *e)
{
    for (size_t i = 0; i < r->next; i++) {
        if (r->taken.items[i].condition == condition) {
            return r->taken.items[i].value;
        }
    }
    if (r->next == r->taken.len) {
        mt_vec_push(r->a, &r->taken, ((answer){condition, true}));
    }
    bool value = r->taken.items[r->next++].value;
    rests_on(r, e, value);
    return value;
}

static mt_err ask(void *context, uint32_t condition, bool *holds, ct_fault *fault)
{
    rounds *r = context;
    ct_left left = ct_partial_condition(r->x, condition, fault);
    switch ((ct_partly)left.state) {
    case CT_PARTLY_FAILS: return MT_E_TYPE;
    case CT_PARTLY_ABSENT:
    case CT_PARTLY_PRESENT: *holds = left.state == CT_PARTLY_PRESENT; return MT_OK;
    case CT_PARTLY_OPEN: break;
    }
    if (r->is_precondition[condition]) {
        *holds = true;
        rests_on(r, left.when, true);
    } else {
        *holds = take(r, condition, left.when);
    }
    return MT_OK;
}

/* The last answer that was yes becomes no; those behind it are met anew. False: all
 * ways were taken. */
static bool turn(rounds *r)
{
    r->taken.len = r->next;
    while (r->taken.len && !r->taken.items[r->taken.len - 1].value) {
        r->taken.len--;
    }
    if (!r->taken.len) {
        return false;
    }
    r->taken.items[r->taken.len - 1].value = false;
    return true;
}

/* ---- One flow ---- */

static void note_way(rounds *r, const ct_action_space *space, ct_partly_flow *out)
{
    for (size_t i = 0; i < space->actions.len; i++) {
        const ct_action *action = &space->actions.items[i];
        for (uint32_t k = 0; k < action->entry_count; k++) {
            ct_bit_set(out->operations, action->entries[k].op);
        }
    }
    const ct_expr *way = r->round ? r->round : &CT_EXPR_TRUE;
    r->when = r->when ? ct_expr_new(r->a, CT_OR, r->when, way) : way;
}

static void settle(rounds *r, ct_partly_flow *out)
{
    const ct_expr *e = r->when ? ct_simplify(r->a, r->when) : &CT_EXPR_FALSE;
    const ct_expr *flat = ct_partial_flat(r->x, e);
    out->state = ct_expr_is(flat, true)    ? CT_PARTLY_PRESENT
                 : ct_expr_is(flat, false) ? CT_PARTLY_ABSENT
                                           : CT_PARTLY_OPEN;
    out->when = e;
}

static void one_flow(rounds *r, const ct_states *states, mt_str persona, uint32_t flow,
                     ct_action_space *space, ct_partly_flow *out)
{
    ct_asker k = {.plan = r->p, .ask = ask, .context = r};
    *out = (ct_partly_flow){.flow = flow};
    out->operations =
        mt_new_array(r->a, uint64_t, r->p->model->operation_count / 64 + 1);
    r->taken.len = 0;
    r->when = NULL;
    int left = MOST_ROUNDS;
    do {
        r->next = 0;
        r->round = NULL;
        ct_actions_of(r->a, &k, states, persona, flow, space);
        if (space->actions.len) {
            note_way(r, space, out);
        } else if (!out->blocked) {
            out->blocked = space->blocked.items;
            out->blocked_count = space->blocked.len;
        }
    } while (--left && turn(r));
    settle(r, out);
}

void ct_partly_actions(mt_arena *a, ct_partial *x, const ct_plan *p,
                       const ct_states *states, mt_str persona, ct_partly_space *out)
{
    const ct_model *m = p->model;
    ct_action_space space = {0};
    rounds r = {.a = a, .x = x, .p = p};
    r.is_precondition = mt_new_array(a, bool, m->condition_count + 1);
    for (uint32_t i = 0; i < m->operation_count; i++) {
        if (m->operations[i].condition != CT_NONE) {
            r.is_precondition[m->operations[i].condition] = true;
        }
    }
    *out = (ct_partly_space){.persona = persona, .count = m->flow_count};
    out->flows = mt_new_array(a, ct_partly_flow, m->flow_count + 1);
    for (uint32_t i = 0; i < m->flow_count; i++) {
        one_flow(&r, states, persona, i, &space, &out->flows[i]);
    }
}

/* ---- Telling ---- */

static const char *const STATES[] = {
    [CT_PARTLY_ABSENT] = "blocked",
    [CT_PARTLY_PRESENT] = "open",
    [CT_PARTLY_OPEN] = "depends",
    [CT_PARTLY_FAILS] = "blocked",
};
MT_TABLE_COVERS(STATES, CT_PARTLY_FAILS + 1);

static void blocked_json(mt_jw *w, const ct_plan *p, const ct_blocked *b)
{
    mt_jw_begin_object(w);
    if (b->entity != CT_NONE) {
        mt_jw_key_str(w, "entity", ct_entity_id(p, b->entity));
    }
    if (b->message.ptr) {
        mt_jw_key_str(w, "message", b->message);
    }
    if (b->op != CT_NONE) {
        mt_jw_key_str(w, "operation", ct_operation_id(p, b->op));
    }
    if (b->group) {
        mt_jw_key_str(w, "state", ct_plan_state_id(p, b->entity, b->group->state));
    }
    mt_jw_key_str(w, "type", ct_block_name(b->kind));
    mt_jw_end_object(w);
}

static void flow_json(mt_jw *w, ct_partial *x, const ct_plan *p,
                      const ct_partly_flow *f)
{
    mt_buf text = {0};
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "blocked");
    mt_jw_begin_array(w);
    for (size_t i = 0; i < f->blocked_count && f->state == CT_PARTLY_ABSENT; i++) {
        blocked_json(w, p, &f->blocked[i]);
    }
    mt_jw_end_array(w);
    if (f->state == CT_PARTLY_OPEN) {
        const ct_expr *flat = ct_partial_flat(x, f->when);
        ct_expr_source(&text, p->model, flat);
        mt_jw_key_str(w, "condition", mt_buf_str(&text));
        mt_jw_keyz(w, "facts");
        ct_partly_reads(w, x, flat);
    }
    mt_jw_key_str(w, "flow", p->graphs[f->flow].id);
    mt_jw_keyz(w, "operations");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < p->model->operation_count; i++) {
        if (f->state != CT_PARTLY_ABSENT && ct_bit(f->operations, i)) {
            mt_jw_str(w, p->model->operations[i].id);
        }
    }
    mt_jw_end_array(w);
    mt_jw_key_str(w, "state", mt_str_z(STATES[f->state]));
    mt_jw_end_object(w);
    mt_buf_free(&text);
}

void ct_partly_actions_json(mt_buf *out, ct_partial *x, const ct_plan *p,
                            const ct_partly_space *space)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "flows");
    mt_jw_begin_array(&w);
    for (uint32_t i = 0; i < space->count; i++) {
        flow_json(&w, x, p, &space->flows[i]);
    }
    mt_jw_end_array(&w);
    mt_jw_key_str(&w, "persona_id", space->persona);
    mt_jw_keyz(&w, "unknown");
    ct_partly_unknown(&w, x);
    mt_jw_end_object(&w);
}

static void blocked_line(mt_buf *out, const ct_plan *p, const ct_blocked *b)
{
    mt_buf_addf(out, "           %.*s", MT_ARG(ct_block_name(b->kind)));
    if (b->op != CT_NONE) {
        mt_buf_addf(out, ", %.*s", MT_ARG(ct_operation_id(p, b->op)));
    }
    if (b->entity != CT_NONE) {
        mt_buf_addf(out, ", %.*s", MT_ARG(ct_entity_id(p, b->entity)));
    }
    if (b->message.ptr) {
        mt_buf_addf(out, ", %.*s", MT_ARG(b->message));
    }
    mt_buf_addc(out, '\n');
}

void ct_partly_actions_lines(mt_buf *out, ct_partial *x, const ct_plan *p,
                             const ct_partly_space *space)
{
    for (uint32_t i = 0; i < space->count; i++) {
        const ct_partly_flow *f = &space->flows[i];
        mt_buf_addf(out, "%-8s %.*s", STATES[f->state], MT_ARG(p->graphs[f->flow].id));
        if (f->state == CT_PARTLY_OPEN) {
            mt_buf_addz(out, ": on ");
            ct_expr_source(out, p->model, ct_partial_flat(x, f->when));
        }
        mt_buf_addc(out, '\n');
        for (size_t k = 0; k < f->blocked_count && f->state == CT_PARTLY_ABSENT; k++) {
            blocked_line(out, p, &f->blocked[k]);
        }
    }
    mt_buf_addz(out, space->count ? "" : "the contract has no flows\n");
}
