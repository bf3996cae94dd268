/* analyze/prove/ask_smt.c - searches of joint states as scripts of SMT-LIB 2.
 *
 * What the solver was asked is written by prove.c. A search is written as what proves
 * it: the set R of joint states that were met, as a decision diagram; the transition
 * relation, an outcome with its instances after the other, as the contract declares it;
 * and the assertion that R does not have the beginning, or that a step leads out of R,
 * or that R has what must not be. Unsatisfiable means that nothing else is ever met,
 * by induction. States are numbers, in the order they are declared; an entity with
 * several instances has a variable for each. Operations whose precondition is proven
 * never to hold are left out; their scripts stand before.
 *
 * "For any number of instances" is the same with a set of states for each entity
 * instead of R, since a step moves at most one instance of each.
 *
 * That something can always still be reached is written with a rank and a step for
 * every joint state: the step is possible there and leads to a smaller rank, and rank 0
 * is what was wanted.
 *
 * A run that was found is its own proof, and is executed; it is not written.
 *
 * Memory: diagrams are made in an arena of their own, with equal parts made once. */
#include "analyze/prove/ask_internal.h"
#include "analyze/prove/prove_internal.h"

/* One script. INVARIANT: `vars` is at least 1, because `(R)` without arguments is not a
 * term of SMT-LIB; s0, s1, … are before a step, t0, t1, … after it. */
typedef struct writer {
    asker *k;
    ask_space *s; /* NULL: each entity by itself */
    const an_outline *outline;
    mt_buf *out;
    mt_arena tmp;
    uint32_t vars;    /* places, and one for marks */
    uint32_t *values; /* of every node: `vars` numbers */
    uint32_t *leaves; /* of every node: what the diagram says of it */
    const char *name; /* of the diagram being made */
    mt_map parts;     /* of the diagram: number + 1 */
    uint32_t part_count;
    bool numbers; /* leaves are numbers, not truth */
} writer;

/* ---- variables ---- */

static uint32_t instances_of(const writer *w)
{
    return w->s ? w->s->scope.instances : 1;
}

/* The variable of an instance; without a search every entity has one. */
static uint32_t place_of(const writer *w, uint32_t entity, uint32_t instance)
{
    return w->s ? w->s->j->slot[entity] + instance : entity;
}

static bool has_marks(const writer *w)
{
    return w->s && w->s->scene.mark;
}

static void arguments(writer *w, char var)
{
    for (uint32_t i = 0; i < w->vars; i++) {
        mt_buf_addf(w->out, " %c%u", var, i);
    }
    mt_buf_addc(w->out, ')');
}

/* (name s0 s1 ...) */
static void call(writer *w, const char *name, char var)
{
    mt_buf_addf(w->out, "(%s", name);
    arguments(w, var);
}

static void parameters(writer *w)
{
    for (uint32_t i = 0; i < w->vars; i++) {
        mt_buf_addf(w->out, "%s(s%u Int)", i ? " " : "", i);
    }
}

/* (reset) between scripts, so that one file can be given to a solver as it is. The
 * comments name each variable and its numbers, for people. */
static void begin(writer *w, const char *about)
{
    const ct_plan *p = w->k->q->plan;
    mt_buf_addf(w->out,
                "%s; %s\n(set-info :smt-lib-version 2.6)\n(set-logic QF_LIA)\n"
                "(set-info :status unsat)\n",
                w->out->len ? "(reset)\n" : "", about);
    for (uint32_t e = 0; e < p->model->entity_count; e++) {
        const ct_entity *en = &p->model->entities[e];
        if (w->s && !an_joint_has(w->s->j, e)) {
            continue;
        }
        for (uint32_t i = 0; i < instances_of(w); i++) {
            mt_buf_addf(w->out, "; s%u: %.*s", place_of(w, e, i), MT_ARG(en->id));
            if (instances_of(w) > 1) {
                mt_buf_addf(w->out, " %u", i + 1);
            }
            for (uint32_t s = 0; s < en->state_count; s++) {
                mt_buf_addf(w->out, "%s %u %.*s", s ? "," : ":", s,
                            MT_ARG(en->states[s]));
            }
            mt_buf_addc(w->out, '\n');
        }
    }
    if (has_marks(w)) {
        mt_buf_addf(w->out, "; s%u: what happened before\n", w->vars - 1);
    }
    for (uint32_t i = 0; i < w->vars; i++) {
        mt_buf_addf(w->out, "(declare-const s%u Int)\n(declare-const t%u Int)\n", i, i);
    }
}

/* ---- diagrams ---- */

/* The joint states as rows of numbers, one per variable. Leaves are 1 ("is in R") until
 * a caller of diagram() sets others. */
static void take_nodes(writer *w)
{
    const an_joint *j = w->s->j;
    uint32_t count = (uint32_t)j->nodes.len, n = w->s->scope.instances;
    w->values = mt_new_array(&w->tmp, uint32_t, (size_t)count * w->vars + 1);
    w->leaves = mt_new_array(&w->tmp, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *row = w->values + (size_t)i * w->vars;
        for (uint32_t e = 0; e < j->entity_count; e++) {
            for (uint32_t x = 0; x < n; x++) {
                row[j->slot[j->entities[e]] + x] =
                    an_joint_state(j, i, j->entities[e], x);
            }
        }
        if (has_marks(w)) {
            row[w->vars - 1] = an_joint_marks(j, i);
        }
        w->leaves[i] = 1;
    }
}

/* One value of a variable, and what is behind it. */
typedef struct branch {
    uint32_t value, part; /* a leaf: what it says; else the number of the part */
} branch;

/* (ite (= s3 0) ... ) for each value. */
static void write_part(writer *w, uint32_t level, const branch *all, size_t count,
                       uint32_t number)
{
    bool last = level + 1 == w->vars;
    mt_buf_addf(w->out, "(define-fun %s%u (", w->name, number);
    parameters(w);
    mt_buf_addf(w->out, ") %s ", w->numbers ? "Int" : "Bool");
    for (size_t i = 0; i < count; i++) {
        mt_buf_addf(w->out, "(ite (= s%u %u) ", level, all[i].value);
        if (!last) {
            mt_buf_addf(w->out, "(%s%u", w->name, all[i].part);
            arguments(w, 's');
        } else if (w->numbers) {
            mt_buf_addf(w->out, "%u", all[i].part);
        } else {
            mt_buf_addz(w->out, "true");
        }
        mt_buf_addc(w->out, ' ');
    }
    mt_buf_addz(w->out, w->numbers ? "(- 1)" : "false");
    for (size_t i = 0; i < count; i++) {
        mt_buf_addc(w->out, ')');
    }
    mt_buf_addz(w->out, ")\n");
}

/* The number of the part for these nodes from `level` on; made unless
 * it is there. Nodes are put together by their value here; branches
 * are sorted by it, so that equal parts have equal keys, wherever
 * they are met. Recursion is as deep as there are variables. */
static uint32_t make_part(writer *w, uint32_t level, const uint32_t *nodes,
                          uint32_t count)
{
    MT_VEC(branch) all = {0};
    bool *done = mt_new_array(&w->tmp, bool, (size_t)count + 1);
    uint32_t *same = mt_new_array(&w->tmp, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = w->values[(size_t)nodes[i] * w->vars + level], found = 0;
        if (done[i]) {
            continue;
        }
        for (uint32_t n = i; n < count; n++) {
            if (w->values[(size_t)nodes[n] * w->vars + level] == value) {
                same[found++] = nodes[n];
                done[n] = true;
            }
        }
        uint32_t part = level + 1 == w->vars ? w->leaves[same[0]]
                                             : make_part(w, level + 1, same, found);
        branch b = {value, part};
        size_t at = all.len;
        mt_vec_push(&w->tmp, &all, b);
        for (; at > 0 && all.items[at - 1].value > value; at--) {
            all.items[at] = all.items[at - 1];
        }
        all.items[at] = b;
    }
    branch *key = mt_new_array(&w->tmp, branch, all.len + 1);
    key[0] = (branch){level, 0};
    memcpy(key + 1, all.items, all.len * sizeof *key);
    bool added;
    mt_str bytes = mt_str_from((const char *)key, (all.len + 1) * sizeof *key);
    mt_map_entry *e = mt_map_add(&w->tmp, &w->parts, bytes, &added);
    if (added) {
        e->value = ++w->part_count;
        write_part(w, level, all.items, all.len, w->part_count);
    }
    return (uint32_t)e->value;
}

/* Defines `name` of the leaves: truth, or numbers where a node is not in it: -1. */
static void diagram(writer *w, const char *name, bool numbers)
{
    uint32_t count = (uint32_t)w->s->j->nodes.len;
    uint32_t *nodes = mt_new_array(&w->tmp, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        nodes[i] = i;
    }
    w->name = name;
    w->numbers = numbers;
    w->parts = (mt_map){0};
    w->part_count = 0;
    uint32_t top = make_part(w, 0, nodes, count);
    mt_buf_addf(w->out, "(define-fun %s (", name);
    parameters(w);
    mt_buf_addf(w->out, ") %s (%s%u", numbers ? "Int" : "Bool", name, top);
    arguments(w, 's');
    mt_buf_addz(w->out, ")\n");
}

/* A set of states for each entity, as the outline has them. */
static void product(writer *w)
{
    const ct_model *m = w->k->q->plan->model;
    mt_buf_addz(w->out, "(define-fun R (");
    parameters(w);
    mt_buf_addz(w->out, ") Bool (and true");
    for (uint32_t e = 0; e < m->entity_count; e++) {
        mt_buf_addz(w->out, " (or false");
        for (uint32_t s = 0; s < m->entities[e].state_count; s++) {
            if (ct_bit(w->outline->states, w->outline->first_state[e] + s)) {
                mt_buf_addf(w->out, " (= s%u %u)", e, s);
            }
        }
        mt_buf_addc(w->out, ')');
    }
    mt_buf_addz(w->out, "))\n");
}

/* ---- steps ---- */

typedef void visit_step(writer *w, const an_joint_step *step, void *context);

/* One outcome with the choices made so far;
 * `step` is complete when every entity has one. */
typedef struct stepper {
    writer *w;
    an_joint_step step;
    ct_change *changes;
    uint32_t *instances;
    visit_step *visit;
    void *context;
} stepper;

/* Every choice of a source state and an instance for each entity. */
static void choose(stepper *x, const ct_plan_effect *e, const ct_plan_effect *end)
{
    const ct_plan_effect *next = e;
    if (e == end) {
        x->visit(x->w, &x->step, x->context);
        return;
    }
    while (next < end && next->entity == e->entity) {
        next++;
    }
    uint32_t at = x->step.change_count++;
    for (; e < next; e++) {
        for (uint32_t i = 0; i < instances_of(x->w); i++) {
            x->changes[at] = (ct_change){e->entity, e->from, e->to};
            x->instances[at] = i;
            choose(x, next, end);
        }
    }
    x->step.change_count--;
}

/* Could its precondition hold? What was not asked about is in no joint state's way. */
static bool is_taken(const writer *w, uint32_t op)
{
    const an_asker *q = w->k->q;
    const ask_scope *c = w->s ? &w->s->scope : NULL;
    bool may = !q->asked[op] || q->possible[op].possible != AN_NEVER;
    return may && (!c || ask_allows(q, op, c->persona)) &&
           (!c || !c->only || ct_bit(c->only, op));
}

/* Every step that is possible by structure: each outcome,
 * each source state, each instance. The order is always the
 * same, because steps are known by their number (chooser). */
static void each_step(writer *w, visit_step *visit, void *context)
{
    const ct_plan *p = w->k->q->plan;
    uint32_t count = w->s ? w->s->j->outcome_count : p->outcome_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t o = w->s ? w->s->j->outcomes[i] : i;
        const ct_plan_outcome *out = &p->outcomes[o];
        const ct_plan_effect *e = p->effects + out->first_effect;
        uint32_t op = w->k->q->outline.operation[o];
        stepper x = {.w = w,
                     .step = {.operation = op, .outcome = o},
                     .changes = mt_new_array(&w->tmp, ct_change, out->effect_count + 1),
                     .instances =
                         mt_new_array(&w->tmp, uint32_t, out->effect_count + 1),
                     .visit = visit,
                     .context = context};
        x.step.changes = x.changes;
        x.step.instances = x.instances;
        if (is_taken(w, op)) {
            choose(&x, e, e + out->effect_count);
        }
    }
}

/* The states that a step leaves: it is possible in these joint states only. */
static void guard(writer *w, const an_joint_step *step)
{
    mt_buf_addz(w->out, "(and true");
    for (uint32_t i = 0; i < step->change_count; i++) {
        mt_buf_addf(w->out, " (= s%u %u)",
                    place_of(w, step->changes[i].entity, step->instances[i]),
                    step->changes[i].from);
    }
    mt_buf_addc(w->out, ')');
}

/* Everything else stays as it is. */
static void effect(writer *w, const an_joint_step *step, uint32_t marks)
{
    mt_buf_addz(w->out, "(and");
    for (uint32_t v = 0; v < w->vars; v++) {
        uint32_t to = UINT32_MAX;
        for (uint32_t i = 0; i < step->change_count; i++) {
            if (place_of(w, step->changes[i].entity, step->instances[i]) == v) {
                to = step->changes[i].to;
            }
        }
        if (has_marks(w) && v + 1 == w->vars) {
            to = marks;
        }
        if (to == UINT32_MAX) {
            mt_buf_addf(w->out, " (= t%u s%u)", v, v);
        } else {
            mt_buf_addf(w->out, " (= t%u %u)", v, to);
        }
    }
    mt_buf_addc(w->out, ')');
}

/* Marks are two bits (ask_duty.c), so a step is
 * written for each of the four it may begin with. */
enum { MOST_MARKS = 4 };

static void write_step(writer *w, const an_joint_step *step, void *context)
{
    const ask_space *s = w->s;
    (void)context;
    for (uint32_t m = 0; m < (has_marks(w) ? MOST_MARKS : 1); m++) {
        uint32_t after = has_marks(w) ? s->scene.mark(s->scene.context, m, step) : 0;
        if (after == AN_LEFT_OUT) {
            continue;
        }
        mt_buf_addf(w->out, "  ; %.*s\n  (and ",
                    MT_ARG(ct_operation_id(w->k->q->plan, step->operation)));
        guard(w, step);
        mt_buf_addc(w->out, ' ');
        if (has_marks(w)) {
            mt_buf_addf(w->out, "(= s%u %u) ", w->vars - 1, m);
        }
        effect(w, step, after);
        mt_buf_addz(w->out, ")\n");
    }
}

/* From s to t. */
static void transitions(writer *w)
{
    mt_buf_addz(w->out, "(define-fun T () Bool (or false\n");
    each_step(w, write_step, NULL);
    mt_buf_addz(w->out, "))\n");
}

/* Every instance begins in the initial state, and nothing has happened yet. */
static void initial(writer *w)
{
    const ct_model *m = w->k->q->plan->model;
    mt_buf_addz(w->out, "(define-fun I () Bool (and true");
    for (uint32_t e = 0; e < m->entity_count; e++) {
        for (uint32_t i = 0; i < instances_of(w); i++) {
            if (!w->s || an_joint_has(w->s->j, e)) {
                mt_buf_addf(w->out, " (= s%u %u)", place_of(w, e, i),
                            m->entities[e].initial);
            }
        }
    }
    if (has_marks(w)) {
        mt_buf_addf(w->out, " (= s%u 0)", w->vars - 1);
    }
    mt_buf_addz(w->out, "))\n");
}

/* ---- what must not be ---- */

/* "Some instance is in this state". An entity that the search does not have never
 * moves, so it is where it began. */
static void write_atom(writer *w, const ask_atom *a)
{
    uint32_t initial_state = w->k->q->plan->model->entities[a->entity].initial;
    if (w->s && !an_joint_has(w->s->j, a->entity)) {
        mt_buf_addz(w->out, a->state == initial_state ? "true" : "false");
        return;
    }
    mt_buf_addz(w->out, "(or false");
    for (uint32_t i = 0; i < instances_of(w); i++) {
        mt_buf_addf(w->out, " (= s%u %u)", place_of(w, a->entity, i), a->state);
    }
    mt_buf_addc(w->out, ')');
}

/* States, literals and connectives only: what
 * reads facts never comes here (write_mix()). */
static void write_expr(writer *w, const ct_expr *e)
{
    const asker *k = w->k;
    for (size_t i = 0; i < k->atoms.len; i++) {
        if (k->atoms.items[i].expr == e) {
            write_atom(w, &k->atoms.items[i]);
            return;
        }
    }
    if (e->op == CT_LITERAL) {
        mt_buf_addz(w->out, e->value->boolean ? "true" : "false");
        return;
    }
    mt_buf_addz(w->out, e->op == CT_NOT ? "(not " : e->op == CT_AND ? "(and " : "(or ");
    write_expr(w, e->left);
    if (e->op != CT_NOT) {
        mt_buf_addc(w->out, ' ');
        write_expr(w, e->right);
    }
    mt_buf_addc(w->out, ')');
}

static void write_claim(writer *w, const an_claim *c)
{
    if (c->op == PV_HOLDS) {
        write_expr(w, c->predicate);
        return;
    }
    mt_buf_addz(w->out, c->op == PV_NOT ? "(not " : c->op == PV_AND ? "(and " : "(or ");
    write_claim(w, c->x);
    if (c->op != PV_NOT) {
        mt_buf_addc(w->out, ' ');
        write_claim(w, c->y);
    }
    mt_buf_addc(w->out, ')');
}

/* Where the solver has not proven that it cannot be: the states are none of those
 * combinations. `known` has an answer for each truth of the atoms that was met,
 * together with the operation. */
static void write_mix(writer *w, const ask_mix *x, uint32_t operation)
{
    const asker *k = w->k;
    if (!x->reads_facts) {
        write_claim(w, x->claim);
        return;
    }
    mt_buf_addz(w->out, "(not (or false");
    for (uint32_t i = 0; i < x->known.len; i++) {
        uint64_t key[2];
        const an_answer *got = (const an_answer *)x->known.entries[i].value;
        memcpy(key, x->known.entries[i].key.ptr, sizeof key);
        if (key[1] != operation || got->possible != AN_NEVER) {
            continue;
        }
        mt_buf_addz(w->out, " (and true");
        for (size_t a = 0; a < k->atoms.len; a++) {
            bool is = key[0] >> a & 1;
            mt_buf_addz(w->out, is ? " " : " (not ");
            write_atom(w, &k->atoms.items[a]);
            mt_buf_addz(w->out, is ? "" : ")");
        }
        mt_buf_addc(w->out, ')');
    }
    mt_buf_addz(w->out, "))");
}

static void write_bad_step(writer *w, const an_joint_step *step, void *context)
{
    const ask_smt_bad *bad = context;
    if (!bad->step(bad->context, step)) {
        return;
    }
    mt_buf_addz(w->out, "  (and ");
    guard(w, step);
    mt_buf_addc(w->out, ' ');
    if (bad->mix) {
        write_mix(w, bad->mix, step->operation);
    } else {
        mt_buf_addz(w->out, "true");
    }
    mt_buf_addz(w->out, ")\n");
}

/* With any number of instances: that some instance is in a state is possible if the
 * state is in the set; that none is, and whatever facts say, is taken to be possible.
 */
static void write_least_expr(writer *w, const ct_expr *e, bool negated)
{
    const asker *k = w->k;
    if (e->op == CT_NOT) {
        write_least_expr(w, e->left, !negated);
        return;
    }
    if (e->op == CT_AND || e->op == CT_OR) {
        mt_buf_addz(w->out, (e->op == CT_AND) != negated ? "(and " : "(or ");
        write_least_expr(w, e->left, negated);
        mt_buf_addc(w->out, ' ');
        write_least_expr(w, e->right, negated);
        mt_buf_addc(w->out, ')');
        return;
    }
    bool may = true;
    for (size_t i = 0; i < k->atoms.len && !negated; i++) {
        const ask_atom *a = &k->atoms.items[i];
        if (a->expr == e) {
            may = ct_bit(w->outline->states,
                         w->outline->first_state[a->entity] + a->state);
        }
    }
    mt_buf_addz(w->out, may ? "true" : "false");
}

static void write_least(writer *w, const an_claim *c, bool negated)
{
    if (c->op == PV_HOLDS) {
        write_least_expr(w, c->predicate, negated);
    } else if (c->op == PV_NOT) {
        write_least(w, c->x, !negated);
    } else {
        mt_buf_addz(w->out, (c->op == PV_AND) != negated ? "(and " : "(or ");
        write_least(w, c->x, negated);
        mt_buf_addc(w->out, ' ');
        write_least(w, c->y, negated);
        mt_buf_addc(w->out, ')');
    }
}

/* B: what must not be, of a joint state or of a step that is possible in it. */
static void write_bad(writer *w, const ask_smt_bad *bad)
{
    mt_buf_addz(w->out, "(define-fun B () Bool (or false\n");
    if (bad->step) {
        ask_smt_bad copy = *bad;
        each_step(w, write_bad_step, &copy);
    } else if (bad->mix) {
        mt_buf_addz(w->out, "  ");
        write_mix(w, bad->mix, CT_NONE);
        mt_buf_addc(w->out, '\n');
    }
    if (bad->marks) {
        mt_buf_addf(w->out, "  (= s%u %u)\n", w->vars - 1, bad->marks);
    }
    if (bad->least) {
        mt_buf_addz(w->out, "  ");
        write_least(w, bad->least, false);
        mt_buf_addc(w->out, '\n');
    }
    mt_buf_addz(w->out, "))\n");
}

/* ---- scripts ---- */

/* `s` or `o`, never both: a search, or each entity by itself. */
static writer open_writer(asker *k, ask_space *s, const an_outline *o)
{
    writer w = {.k = k, .s = s, .outline = o, .out = k->q->smt2};
    uint32_t entities =
        s ? s->j->entity_count * s->scope.instances : k->q->plan->model->entity_count;
    w.vars = entities + has_marks(&w);
    if (!w.vars) {
        w.vars = 1; /* nothing moves: a variable that stays */
    }
    return w;
}

/* Unsatisfiable: I is in R, T does not lead out of R, and R has nothing of B. */
static void induction(writer *w)
{
    mt_buf_addz(w->out, "(assert (or (and I (not ");
    call(w, "R", 's');
    mt_buf_addz(w->out, "))\n  (and ");
    call(w, "R", 's');
    mt_buf_addz(w->out, " T (not ");
    call(w, "R", 't');
    mt_buf_addz(w->out, "))\n  (and ");
    call(w, "R", 's');
    mt_buf_addz(w->out, " B)))\n(check-sat)\n");
}

void ask_smt_search(asker *k, ask_space *s, const char *about, const ask_smt_bad *bad)
{
    if (!k->q->smt2) {
        return;
    }
    writer w = open_writer(k, s, NULL);
    begin(&w, about);
    take_nodes(&w);
    diagram(&w, "R", false);
    initial(&w);
    transitions(&w);
    write_bad(&w, bad);
    induction(&w);
    mt_arena_free(&w.tmp);
}

void ask_smt_outline(asker *k, const an_outline *o, const char *about,
                     const ask_smt_bad *bad)
{
    if (!k->q->smt2) {
        return;
    }
    writer w = open_writer(k, NULL, o);
    begin(&w, about);
    product(&w);
    initial(&w);
    transitions(&w);
    write_bad(&w, bad);
    induction(&w);
    mt_arena_free(&w.tmp);
}

/* ---- progress ---- */

/* Steps are numbered in the order of each_step(),
 * here and in number_of_step() alike. */
typedef struct chooser {
    uint32_t count; /* steps so far: their numbers */
    bool after;     /* also what they lead to, not only where they are possible */
} chooser;

static void write_choice(writer *w, const an_joint_step *step, void *context)
{
    chooser *c = context;
    mt_buf_addz(w->out, "  (and (= ");
    call(w, "C", 's');
    mt_buf_addf(w->out, " %u) ", c->count++);
    guard(w, step);
    if (c->after) {
        mt_buf_addc(w->out, ' ');
        effect(w, step, 0);
    }
    mt_buf_addz(w->out, ")\n");
}

static void choices(writer *w, const char *name, bool after)
{
    chooser c = {.after = after};
    mt_buf_addf(w->out, "(define-fun %s () Bool (or false\n", name);
    each_step(w, write_choice, &c);
    mt_buf_addz(w->out, "))\n");
}

typedef struct finder {
    const an_joint_step *wanted;
    uint32_t count, found;
} finder;

static void find_choice(writer *w, const an_joint_step *step, void *context)
{
    finder *f = context;
    bool same = step->outcome == f->wanted->outcome &&
                step->change_count == f->wanted->change_count;
    (void)w;
    for (uint32_t i = 0; same && i < step->change_count; i++) {
        const ct_change *x = &step->changes[i], *y = &f->wanted->changes[i];
        same = x->entity == y->entity && x->from == y->from &&
               step->instances[i] == f->wanted->instances[i];
    }
    f->found = same ? f->count : f->found;
    f->count++;
}

/* Walks all steps again for each joint state: scripts
 * are written rarely, and for people to check. */
static uint32_t number_of_step(writer *w, const an_joint_step *step)
{
    finder f = {.wanted = step};
    each_step(w, find_choice, &f);
    return f.found;
}

static void wanted_states(writer *w, const ask_smt_rank *r)
{
    mt_buf_addz(w->out, "(define-fun W () Bool ");
    if (r->mix) {
        write_mix(w, r->mix, CT_NONE);
    } else {
        mt_buf_addz(w->out, "(or false");
        for (uint32_t s = 0; s < r->state_count; s++) {
            if (r->terminal[s]) {
                mt_buf_addf(w->out, " (= s%u %u)", place_of(w, r->entity, 0), s);
            }
        }
        mt_buf_addc(w->out, ')');
    }
    mt_buf_addz(w->out, ")\n");
}

/* Rank 0 is wanted; from any other the step C is possible (G) and what it leads to (N)
 * has a smaller rank. */
static void write_rank(writer *w)
{
    mt_buf_addz(w->out, "(define-fun B () Bool (or (and (= ");
    call(w, "D", 's');
    mt_buf_addz(w->out, " 0) (not W))\n  (and (not (= ");
    call(w, "D", 's');
    mt_buf_addz(w->out, " 0)) (not G))\n  (and (not (= ");
    call(w, "D", 's');
    mt_buf_addz(w->out, " 0)) N (or (< ");
    call(w, "D", 't');
    mt_buf_addz(w->out, " 0) (not (< ");
    call(w, "D", 't');
    mt_buf_addc(w->out, ' ');
    call(w, "D", 's');
    mt_buf_addz(w->out, "))))))\n");
}

/* D is the rank of a joint state, C the number of the step to take there. */
void ask_smt_progress(asker *k, ask_space *s, const char *about, const ask_smt_rank *r)
{
    if (!k->q->smt2) {
        return;
    }
    writer w = open_writer(k, s, NULL);
    uint32_t count = (uint32_t)s->j->nodes.len;
    begin(&w, about);
    take_nodes(&w);
    diagram(&w, "R", false);
    memcpy(w.leaves, r->rank, count * sizeof *w.leaves);
    diagram(&w, "D", true);
    for (uint32_t i = 0; i < count; i++) {
        w.leaves[i] = r->rank[i] ? number_of_step(&w, &r->steps[i]) : 0;
    }
    diagram(&w, "C", true);
    initial(&w);
    transitions(&w);
    wanted_states(&w, r);
    choices(&w, "G", false);
    choices(&w, "N", true);
    write_rank(&w);
    induction(&w);
    mt_arena_free(&w.tmp);
}
