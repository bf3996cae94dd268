/* tool/set.c - which tools a persona has.
 * Room: tool.
 * An operation is one of them if S4 says that the persona may ever perform it: it is
 * allowed, and the precondition can hold as far as types tell. A flow is, if one of the
 * operations it can come to first, whatever its branches decide, is such a one and is
 * to be done by this persona. Names: an operation its own, a flow its own unless an
 * operation has it; what a tool of ours is called, and what the protocol would not have
 * as a name, gets its kind before it. INVARIANT: no two tools have one name, and the
 * order is the model's. */
#include "analyze/facts/analyze.h"
#include "base/vec.h"
#include "tool/turn.h"

/* ---- Operations ---- */

/* A bit for each operation of the model, in `a`. The analysis is thrown away: what is
 * kept for every version should be small. */
static uint64_t *operations_of(mt_arena *a, const ct_plan *p, uint32_t persona)
{
    mt_arena tmp = {0};
    an_findings none = {.arena = &tmp};
    /* The search for reachable states is not asked for: one joint state ends it. */
    an_analyze_options options = {.only = 1 << AN_S4, .reach_states = 1};
    const an_analysis *an = an_analyze(&tmp, p, &options, &none);
    uint64_t *ops = mt_new_array(a, uint64_t, p->model->operation_count / 64 + 1);
    for (uint32_t i = 0; i < p->model->operation_count; i++) {
        if (an_admissible(an, i) && an_may_invoke(an, i, persona)) {
            ct_bit_set(ops, i);
        }
    }
    mt_arena_free(&tmp);
    return ops;
}

/* ---- Flows ---- */

/* The first operations of one flow, over all ways. */
typedef struct walk {
    mt_arena *a;
    const ct_plan *p;
    const uint64_t *ops;
    uint32_t persona;
    uint64_t *seen; /* steps */
    uint8_t *ends;  /* per graph: how it can end without an operation */
    bool begins;    /* the persona begins somewhere */
} walk;

enum { KNOWN = 1, CAN_SUCCEED = 2, CAN_FAIL = 4 };

/* One graph of it. A chain of steps is walked by a list, so that a long one needs no
 * deep stack. */
typedef struct way {
    walk *k;
    MT_VEC(uint32_t) steps; /* still to be looked at */
    uint8_t ends;
} way;

static uint8_t walk_graph(walk *k, uint32_t graph);

/* An operation ends the way: whoever does it begins
 * the flow, and what comes later is not asked. */
static void meet(walk *k, uint32_t op, uint32_t persona)
{
    k->begins |= persona == k->persona && ct_bit(k->ops, op);
}

/* Each step once: flows have no cycles, but ways come together. */
static void lead_to(way *y, ct_plan_target to)
{
    walk *k = y->k;
    if (to.step == CT_NONE) {
        bool good = to.terminal != CT_NONE && !k->p->terminals[to.terminal].failed;
        y->ends |= good ? CAN_SUCCEED : CAN_FAIL;
    } else if (!ct_bit(k->seen, to.step)) {
        ct_bit_set(k->seen, to.step);
        mt_vec_push(k->a, &y->steps, to.step);
    }
}

static void lead_on_from_failure(way *y, const ct_plan_step *s)
{
    if (s->handler.undo_count) {
        const ct_plan_undo *first = &y->k->p->undos[s->handler.first_undo];
        meet(y->k, first->op, first->persona);
    } else {
        lead_to(y, s->handler.next);
    }
}

/* The flow inside ended without an operation, in one of these ways. */
static void lead_on(way *y, const ct_plan_step *s, uint8_t inside)
{
    if (inside & CAN_SUCCEED) {
        lead_to(y, y->k->p->targets[s->first_target]);
    }
    if (inside & CAN_FAIL) {
        lead_on_from_failure(y, s);
    }
}

/* How all branches together can end without an operation: where one cannot, they are
 * joined only after it was done. */
static uint8_t walk_branches(walk *k, const ct_plan_step *s)
{
    bool end = true, succeed = true, fail = false;
    for (uint32_t i = 0; i < s->branch_count; i++) {
        uint8_t inside = walk_graph(k, s->first_branch + i);
        end &= inside != 0;
        succeed &= (inside & CAN_SUCCEED) != 0;
        fail |= (inside & CAN_FAIL) != 0;
    }
    return (succeed ? CAN_SUCCEED : 0) | (end && fail ? CAN_FAIL : 0);
}

static bool is_given(ct_plan_target to)
{
    return to.step != CT_NONE || to.terminal != CT_NONE;
}

/* ORDER as flows run: all success, any failure, all complete. */
static void lead_on_from_fork(way *y, const ct_plan_step *s)
{
    const ct_plan_target *to = &y->k->p->targets[s->first_target];
    uint8_t inside = walk_branches(y->k, s);
    if (inside & CAN_SUCCEED) {
        lead_to(y, is_given(to[0]) ? to[0] : to[1]);
    }
    if ((inside & CAN_FAIL) && s->handler.kind != CT_HANDLER_NONE) {
        lead_on_from_failure(y, s);
    } else if (inside & CAN_FAIL) {
        lead_to(y, to[1]);
    }
}

/* What a step leads to before any operation was done. Branches are followed both ways,
 * as facts are not known. */
static void look_at(way *y, const ct_plan_step *s)
{
    const ct_plan_target *to = &y->k->p->targets[s->first_target];
    switch (s->does) {
    case LN_OPERATES: meet(y->k, s->what, s->persona); break;
    case LN_DECIDES:
        lead_to(y, to[1]);
        lead_to(y, to[0]);
        break;
    case LN_GOES_ON:
    case LN_ENDS: lead_to(y, to[0]); break;
    case LN_CALLS: lead_on(y, s, walk_graph(y->k, s->what)); break;
    case LN_FORKS: lead_on_from_fork(y, s); break;
    }
}

/* Graphs nest no deeper than the plan allows. */
static uint8_t walk_graph(walk *k, uint32_t graph)
{
    if (!(k->ends[graph] & KNOWN)) {
        way y = {.k = k};
        lead_to(&y, (ct_plan_target){k->p->graphs[graph].entry, CT_NONE});
        while (y.steps.len) {
            look_at(&y, &k->p->steps[y.steps.items[--y.steps.len]]);
        }
        k->ends[graph] = KNOWN | y.ends;
    }
    return k->ends[graph] & (CAN_SUCCEED | CAN_FAIL);
}

static bool begins(mt_arena *tmp, const ct_plan *p, const uint64_t *ops,
                   uint32_t persona, uint32_t flow)
{
    walk k = {.a = tmp,
              .p = p,
              .ops = ops,
              .persona = persona,
              .seen = mt_new_array(tmp, uint64_t, p->step_count / 64 + 1),
              .ends = mt_new_array(tmp, uint8_t, p->graph_count + 1)};
    (void)walk_graph(&k, flow);
    return k.begins;
}

/* ---- Names ---- */

static const mt_str OWN[] = {
#define OWN_NAME(id, name, ...) [TL_##id] = MT_STR_INIT(name),
    TL_OWN_MAP(OWN_NAME)
#undef OWN_NAME
};

bool tl_only_reads(const tl_tool *t)
{
    static const bool READS[TL_KIND_COUNT] = {
#define OWN_READS(id, name, reads, ...) [TL_##id] = reads,
        TL_OWN_MAP(OWN_READS)
#undef OWN_READS
    };
    return READS[t->kind];
}

/* What the protocol wants of a name: 1 to 128 of these characters. A name of the
 * language can be longer or have others, and one of a bundle can be any text. */
enum { NAME_MOST = 128 };

static bool is_plain_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '-' || c == '.';
}

static bool is_plain(mt_str id)
{
    for (size_t i = 0; i < id.len; i++) {
        if (!is_plain_char(id.ptr[i])) {
            return false;
        }
    }
    return id.len && id.len <= NAME_MOST;
}

/* All names of a contract, so that a tool is called the same, whoever lists it. */
typedef struct names {
    mt_arena *keep, *tmp;
    mt_map taken;
    mt_str *operations, *flows; /* of the model's; empty: none yet */
} names;

/* False: the name is taken already, and the slot stays as it was. */
static bool took(names *n, mt_str name, mt_str *slot)
{
    bool added;
    (void)mt_map_add(n->tmp, &n->taken, name, &added);
    if (added) {
        *slot = name;
    }
    return added;
}

/* "KIND-NAME" with "_" for what a name may not have, or "KIND-NAME-2" and so on; cut to
 * NAME_MOST bytes, the number never. `number` counts from 1. */
static mt_str other_name(names *n, const char *kind, mt_str id, unsigned number)
{
    mt_str end = number > 1 ? mt_strf(n->tmp, "-%u", number) : MT_STR("");
    size_t room = NAME_MOST - strlen(kind) - 1 - end.len;
    char *text = mt_alloc(n->tmp, id.len + 1);
    for (size_t i = 0; i < id.len; i++) {
        text[i] = is_plain_char(id.ptr[i]) ? id.ptr[i] : '_';
    }
    return mt_strf(n->keep, "%s-%.*s%.*s", kind, (int)(id.len < room ? id.len : room),
                   text, MT_ARG(end));
}

static void name_the_rest(names *n, const char *kind, mt_str id, mt_str *slot)
{
    for (unsigned number = 1; !slot->len; number++) {
        (void)took(n, other_name(n, kind, id, number), slot);
    }
}

/* First everything that can have its own name has it; operations before flows. */
static void name_all(names *n, const ct_model *m)
{
    mt_str unused;
    n->operations = mt_new_array(n->tmp, mt_str, m->operation_count + 1);
    n->flows = mt_new_array(n->tmp, mt_str, m->flow_count + 1);
    for (int k = TL_FLOW + 1; k < TL_KIND_COUNT; k++) {
        (void)took(n, OWN[k], &unused);
    }
    for (uint32_t i = 0; i < m->operation_count; i++) {
        mt_str id = m->operations[i].id;
        (void)(is_plain(id) && took(n, id, &n->operations[i]));
    }
    for (uint32_t i = 0; i < m->flow_count; i++) {
        mt_str id = m->flows[i].id;
        (void)(is_plain(id) && took(n, id, &n->flows[i]));
    }
    for (uint32_t i = 0; i < m->operation_count; i++) {
        name_the_rest(n, "operation", m->operations[i].id, &n->operations[i]);
    }
    for (uint32_t i = 0; i < m->flow_count; i++) {
        name_the_rest(n, "flow", m->flows[i].id, &n->flows[i]);
    }
}

/* ---- All together ---- */

/* Is there a step, or a compensation, that waits
 * for this persona? Only then resuming makes sense. */
static bool has_part(const ct_plan *p, uint32_t persona)
{
    for (uint32_t i = 0; i < p->step_count; i++) {
        if (p->steps[i].persona == persona) {
            return true;
        }
    }
    for (uint32_t i = 0; i < p->step_count; i++) {
        const ct_plan_handler *h = &p->steps[i].handler;
        for (uint32_t k = 0; k < h->undo_count; k++) {
            if (p->undos[h->first_undo + k].persona == persona) {
                return true;
            }
        }
    }
    return false;
}

/* Tools of our own come last, and only those that this persona can use. */
const tl_set *tl_set_make(mt_arena *keep, const ex_view *view, uint32_t persona)
{
    const ct_plan *p = view->plan;
    const ct_model *m = p->model;
    mt_arena tmp = {0};
    uint64_t *ops = operations_of(&tmp, p, persona);
    tl_tool *tools =
        mt_new_array(keep, tl_tool, m->operation_count + m->flow_count + TL_KIND_COUNT);
    size_t count = 0;
    names n = {.keep = keep, .tmp = &tmp};
    name_all(&n, m);
    for (uint32_t i = 0; i < m->operation_count; i++) {
        if (ct_bit(ops, i)) {
            tools[count++] = (tl_tool){n.operations[i], TL_OPERATION, i};
        }
    }
    size_t flows = 0;
    for (uint32_t i = 0; i < m->flow_count; i++) {
        if (begins(&tmp, p, ops, persona, i)) {
            tools[count++] = (tl_tool){n.flows[i], TL_FLOW, i};
            flows++;
        }
    }
    bool acts = count > 0;
    for (int k = TL_FLOW + 1; k < TL_KIND_COUNT; k++) {
        bool wanted = k == TL_RESUME    ? has_part(p, persona)
                      : k == TL_CANCEL  ? flows > 0
                      : k == TL_DRY_RUN ? acts
                                        : true;
        if (wanted) {
            tools[count++] = (tl_tool){OWN[k], (tl_kind)k, CT_NONE};
        }
    }
    mt_arena_free(&tmp);
    tl_set *s = mt_new(keep, tl_set);
    *s = (tl_set){p, view->contract, persona, tools, count};
    return s;
}

const tl_tool *tl_set_find(const tl_set *s, mt_str name)
{
    for (size_t i = 0; i < s->count; i++) {
        if (mt_str_eq(s->tools[i].name, name)) {
            return &s->tools[i];
        }
    }
    return NULL;
}

const tl_tool *tl_set_of(const tl_set *s, tl_kind kind, uint32_t what)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->tools[i].kind == kind && s->tools[i].what == what) {
            return &s->tools[i];
        }
    }
    return NULL;
}
